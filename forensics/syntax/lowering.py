"""Which language a file is in, and its IR."""

from __future__ import annotations

import posixpath
import re
from typing import Any, Literal, get_args

import msgspec

from forensics.syntax.css import lower_stylesheet
from forensics.syntax.documents import lower_document
from forensics.syntax.html import lower_page
from forensics.syntax.ir import Document, FileIR, Page, Script, Stylesheet
from forensics.syntax.javascript import lower_script

Language = Literal["javascript", "typescript", "tsx", "html", "vue", "svelte", "css", "json", "jsonc"]

LANGUAGES: tuple[Language, ...] = get_args(Language)

_BY_EXTENSION: dict[str, Language] = {
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".html": "html",
    ".htm": "html",
    ".vue": "vue",
    ".svelte": "svelte",
    ".css": "css",
    ".json": "json",
    ".webmanifest": "json",
    ".jsonc": "jsonc",
}
# JSON files whose readers accept comments and trailing commas.
_WITH_COMMENTS = re.compile(
    r"(?:[tj]sconfig(?:\..*)?|\.?(?:eslintrc|babelrc|swcrc|jshintrc|devcontainer))(?:\.json)?\Z|\.code-workspace\Z"
)
_NODE_HASHBANG = re.compile(rb"#![^\n]*\b(?:node|nodejs|bun|tsx|ts-node|deno)\b")


def language_of(path: str, head: bytes = b"") -> Language | None:
    """The language of a file by its name, or, without an extension, by the first bytes (a Node hashbang)."""
    name = posixpath.basename(path).lower()
    if _WITH_COMMENTS.match(name) or (posixpath.dirname(path).endswith(".vscode") and name.endswith(".json")):
        return "jsonc"
    extension = posixpath.splitext(name)[1]
    if extension in _BY_EXTENSION:
        return _BY_EXTENSION[extension]
    hashbang = _NODE_HASHBANG.match(head)
    if not extension and hashbang:
        return "typescript" if re.search(rb"\b(?:tsx|ts-node|deno)\b", hashbang.group()) else "javascript"
    return None


def lower(language: Language, source: bytes) -> FileIR:
    """The IR of a file: a pure function of its language and bytes."""
    match language:
        case "javascript" | "typescript" | "tsx":
            return lower_script(source, language, 0)
        case "html" | "vue" | "svelte":
            return lower_page(source, language)
        case "css":
            return lower_stylesheet(source)
        case "json":
            return lower_document(source, "strict")
        case "jsonc":
            return lower_document(source, "comments")


def decoder_for(language: Language) -> msgspec.msgpack.Decoder[Any]:
    """The decoder of cached IR in this language (encode with `msgspec.msgpack.encode`)."""
    return _DECODERS[language]


def _shape(language: Language) -> type[Script] | type[Page] | type[Stylesheet] | type[Document]:
    match language:
        case "javascript" | "typescript" | "tsx":
            return Script
        case "html" | "vue" | "svelte":
            return Page
        case "css":
            return Stylesheet
        case "json" | "jsonc":
            return Document


_DECODERS: dict[Language, msgspec.msgpack.Decoder[Any]] = {
    language: msgspec.msgpack.Decoder(_shape(language)) for language in LANGUAGES
}
