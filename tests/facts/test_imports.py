"""What is wrong with an import, by the runtime that loads the file; the rows of Node were put to Node 20."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from forensics.facts.imports import Loader, references
from tests.in_memory import facts_of

MODULE = '{"type": "module", "dependencies": {"express": "4"}}'
COMMONJS = '{"type": "commonjs", "dependencies": {"express": "4"}}'


def broken(source: str, files: Mapping[str, str], loader: Loader = "node", manifest: str = MODULE) -> list[object]:
    """Problem and detail of every reference of `src/a.js` that its loader can't satisfy."""
    facts = facts_of({"package.json": manifest, "src/a.js": source, **files})
    script = facts.files.script("src/a.js")
    assert script is not None
    found = [facts.import_checker.check(reference, loader, None) for reference in references("src/a.js", script)]
    return [(item.problem, item.detail) for item in found if item is not None]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import './b.js'", []),
        ("import './b'", [("extension", "src/b.js")]),
        ("import './c'", [("extension", "src/c/index.js")]),
        ("import './B.js'", [("case", "src/b.js")]),
        ("import './d.js'", [("missing", "src/d.js")]),
        ("export * from './d.js'", [("missing", "src/d.js")]),
        ("import('./d.js')", [("missing", "src/d.js")]),
        ("import 'express'", []),
        ("import 'nanoid'", [("undeclared", "nanoid")]),
        ("import '@scope/a/b.js'", [("undeclared", "@scope/a")]),
        ("import 'fs'\nimport 'node:fs/promises'", []),
        ("import 'data:text/javascript,1'", []),
    ],
)
def test_in_an_es_module_of_node(source: str, expected: list[object]) -> None:
    assert broken(source, {"src/b.js": "", "src/c/index.js": ""}) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("require('./b')", []),
        ("require('./c')", []),
        ("require('./data')", []),
        ("require('./t')", [("extension", "src/t.ts")]),
        ("require('./B')", [("case", "src/b.js")]),
        ("require('./d')", [("missing", "src/d")]),
        ("require(name)", []),
    ],
)
def test_in_a_commonjs_module_of_node(source: str, expected: list[object]) -> None:
    files = {"src/b.js": "", "src/c/index.js": "", "src/data.json": "{}", "src/t.ts": ""}
    assert broken(source, files, manifest=COMMONJS) == expected


def test_a_typescript_loader_finds_files_without_extension() -> None:
    assert broken("import './b'\nimport './t.js'", {"src/b.js": "", "src/t.ts": ""}, "tsx") == []


def test_what_a_handler_waits_for_is_marked() -> None:
    facts = facts_of({"a.js": "try { require('x') } catch {}\nrequire('y')\n"})
    script = facts.files.script("a.js")
    assert script is not None
    assert [(item.specifier, item.guarded) for item in references("a.js", script)] == [("x", True), ("y", False)]


@pytest.mark.parametrize(
    ("source", "target", "missing"),
    [
        ("import { a } from './b.js'", "export const a = 1", []),
        ("import { z } from './b.js'", "export const a = 1", ["z"]),
        ("import z from './b.js'", "export const a = 1", ["default"]),
        ("import * as z from './b.js'", "export const a = 1", []),
        ("import { z } from './b.js'", "export * from './c.js'", []),
        ("import { y } from './b.js'", "export * from './c.js'", ["y"]),
        ("import z from './b.js'", "export * from './c.js'", ["default"]),
        ("import { z } from './b.js'", "export * from 'express'", []),
        ("import { z } from './b.js'", "module.exports = { z: 1 }", []),
        ("import { f, G } from './b.js'", "export function f() {}\nexport class G {}", []),
        ("import { p, q } from './b.js'", "export const { p, q: [r] } = x", ["q"]),
    ],
)
def test_names_that_a_module_does_not_export(source: str, target: str, missing: list[str]) -> None:
    facts = facts_of(
        {"package.json": MODULE, "a.js": source, "b.js": target, "c.js": "export const z = 1\nexport default 2\n"}
    )
    script = facts.files.script("a.js")
    assert script is not None
    found = [
        binding.imported
        for reference in references("a.js", script)
        for binding in facts.import_checker.missing_exports(reference, "node", None)
    ]
    assert found == missing
