from __future__ import annotations

import msgspec
import pytest

pytest.importorskip("forensics.syntax.javascript")

from forensics.syntax.lowering import LANGUAGES, decoder_for, language_of, lower


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("src/a.mjs", b"", "javascript"),
        ("src/a.cts", b"", "typescript"),
        ("A.TSX", b"", "tsx"),
        ("index.htm", b"", "html"),
        ("package.json", b"", "json"),
        ("tsconfig.node.json", b"", "jsonc"),
        ("web/jsconfig.json", b"", "jsonc"),
        (".vscode/settings.json", b"", "jsonc"),
        (".eslintrc.json", b"", "jsonc"),
        ("bin/serve", b"#!/usr/bin/env node\n", "javascript"),
        ("bin/serve", b"#!/usr/bin/env -S tsx\n", "typescript"),
        ("bin/serve", b"#!/bin/sh\nnode x\n", None),
        ("README.md", b"", None),
        ("src/app.scss", b"", None),
    ],
)
def test_the_language_of_a_file(path: str, head: bytes, language: str | None) -> None:
    assert language_of(path, head) == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_ir_survives_the_cache(language: str) -> None:
    source = {"css": b".a { b: c }", "json": b'{"a": [1]}', "jsonc": b'{"a": [1], }'}.get(language, b"let a = 1;")
    if language in ("html", "vue", "svelte"):
        source = b"<script>let a = 1</script><style>.a { b: c }</style><p hidden>x</p>"
    file = lower(language, source)  # type: ignore[arg-type]
    assert decoder_for(language).decode(msgspec.msgpack.encode(file)) == file  # type: ignore[arg-type]
