"""JSON files, as npm reads package.json and as TypeScript and Vite read the ones with comments."""

from __future__ import annotations

import json
import re
from typing import Literal, NoReturn

from forensics.syntax.ir import Document, JsonPosition

MAX_DEPTH = 200
MAX_POSITIONS = 20_000

_COMMENT_OR_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
_TOKEN = re.compile(r'[\[\]{},:]|"(?:[^"\\]|\\.)*"|[^\s\[\]{},:"]+')
_SURROGATE = re.compile("[\ud800-\udfff]")


def lower_document(source: bytes, flavour: Literal["strict", "comments"]) -> Document:
    """The value of a JSON file and where each part of it stands.

    "strict" is what `JSON.parse` takes after npm has dropped a byte order mark: no comments, trailing commas or NaN;
    of a key written twice the last one counts. "comments" also takes `//`, `/* */` and trailing commas.
    Positions stop after the first 20,000 values (lockfiles).
    """
    has_mark = source.startswith(b"\xef\xbb\xbf")
    text = source.decode("utf-8", "replace").removeprefix("\ufeff")
    if flavour == "comments":
        text = _COMMENT_OR_STRING.sub(_blanked, text)
        text = _TRAILING_COMMA.sub(lambda found: found.group() if found.group() != "," else " ", text)
    offsets = _Offsets(source, text, 3 if has_mark else 0)
    depth = _deepest(text)
    if depth > MAX_DEPTH:
        return Document(None, f"nested {depth} levels deep", 0, [])
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_int=_integer)
    except json.JSONDecodeError as error:
        return Document(None, error.msg, offsets.byte(error.pos), [])
    except _ConstantError as error:
        place = re.search(rf"(?<![\w\"]){re.escape(str(error))}", text)
        return Document(None, f"{error} is no JSON value", offsets.byte(place.start() if place else 0), [])
    return Document(_encodable(value), "", 0, _positions(text, offsets))


class _ConstantError(ValueError):
    pass


def _no_constant(name: str) -> NoReturn:
    raise _ConstantError(name)


def _integer(digits: str) -> int | float:
    # JavaScript has doubles only, and MessagePack no integer beyond 64 bits.
    return int(digits) if len(digits) < 17 else float(digits)


def _blanked(found: re.Match[str]) -> str:
    text = found.group()
    return text if text.startswith('"') else re.sub(r"[^\n]", " ", text)


def _encodable(value: object) -> object:
    """The value with lone surrogates, which UTF-8 can't hold, replaced."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {_SURROGATE.sub("\ufffd", key): _encodable(item) for key, item in value.items()}
    return value


def _deepest(text: str) -> int:
    depth = deepest = 0
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text):
        mark = found.group()
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "]}":
            depth -= 1
    return deepest


class _Offsets:
    """Byte offsets of character positions, asked for in growing order."""

    def __init__(self, source: bytes, text: str, start: int) -> None:
        self.text = text
        self.is_ascii = source.isascii()
        self.character = 0
        self.at = start
        self.start = start

    def byte(self, character: int) -> int:
        if self.is_ascii:
            return self.start + character
        if character < self.character:
            self.character, self.at = 0, self.start
        self.at += len(self.text[self.character : character].encode("utf-8", "surrogatepass"))
        self.character = character
        return self.at


def _positions(text: str, offsets: _Offsets) -> list[JsonPosition]:
    """Positions of every value of a valid JSON text, in document order of their starts."""
    found: list[JsonPosition] = []
    # Each open container: pointer, its index in `found`, next index (arrays) or -1 (objects).
    stack: list[list[int | str]] = []
    key, key_start, key_end = "", 0, 0
    expects_key = False
    for token in _TOKEN.finditer(text):
        if len(found) >= MAX_POSITIONS:
            break
        written = token.group()
        if written in ("}", "]"):
            pointer, index, _ = stack.pop()
            opened = found[int(index)]
            end = offsets.byte(token.end())
            found[int(index)] = JsonPosition(str(pointer), opened.start, end, opened.key_start, opened.key_end)
            expects_key = False
            continue
        if written == ",":
            expects_key = bool(stack) and stack[-1][2] == -1
            continue
        if written == ":":
            continue
        start, end = offsets.byte(token.start()), offsets.byte(token.end())
        if expects_key:
            key, key_start, key_end = str(json.loads(written)), start, end
            expects_key = False
            continue
        if not stack:
            pointer = ""
        elif stack[-1][2] == -1:
            pointer = f"{stack[-1][0]}/{_SURROGATE.sub(chr(0xFFFD), key).replace('~', '~0').replace('/', '~1')}"
        else:
            pointer = f"{stack[-1][0]}/{stack[-1][2]}"
            stack[-1][2] = int(stack[-1][2]) + 1
            key_start = key_end = 0
        found.append(JsonPosition(pointer, start, end, key_start, key_end))
        key_start = key_end = 0
        if written in ("{", "["):
            stack.append([pointer, len(found) - 1, -1 if written == "{" else 0])
            expects_key = written == "{"
    return found
