"""ECMAScript regular expressions on text from a build, in bounded time.

A proxy key of a hostile build may be a regular expression that never ends, so the engine must have a time limit; the
one that has (`regex`) reads Python's dialect, so patterns are translated construct by construct. Source of the
differences: ECMA-262, 22.2 and Annex B.1.2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import regex

SECONDS = 0.1
LONGEST = 20_000

_LINE_ENDS = r"\n\r\u2028\u2029"
_SPACE = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": _SPACE}
_CONTROLS = {"n": r"\n", "r": r"\r", "t": r"\t", "v": r"\v", "f": r"\f"}


class NotDecidable(Exception):  # noqa: N818 - an answer, no fault
    """A pattern that is invalid, takes too long, or is asked of too long a text."""


def is_match(pattern: str, flags: str, text: str) -> bool:
    """`new RegExp(pattern, flags).test(text)`"""
    return find(pattern, flags, text, first_only=True) != []


def find(pattern: str, flags: str, text: str, first_only: bool = False) -> list[Any]:
    """Matches of a pattern in order, as `regex.Match` objects (offsets in code points).

    Raises:
        NotDecidable: the pattern is invalid or can't be decided in bounded time.
    """
    if len(text) > LONGEST:
        raise NotDecidable("the text is too long for a regular expression")
    compiled = _compiled(pattern, "".join(sorted(set(flags) & set("imsuv"))))
    try:
        if first_only:
            match = compiled.search(text, timeout=SECONDS)
            return [] if match is None else [match]
        return list(compiled.finditer(text, timeout=SECONDS))
    except TimeoutError:
        raise NotDecidable(f"/{pattern}/ takes too long to decide") from None


def searcher(pattern: str, flags: str, text: str) -> Callable[[int], Any]:
    """A function that gives the first match at or after a position, None if there is none.

    Raises:
        NotDecidable: as `find`; also when the function is called.
    """
    if len(text) > LONGEST:
        raise NotDecidable("the text is too long for a regular expression")
    compiled = _compiled(pattern, "".join(sorted(set(flags) & set("imsuv"))))

    def search(position: int) -> Any:
        try:
            return compiled.search(text, position, timeout=SECONDS)
        except TimeoutError:
            raise NotDecidable(f"/{pattern}/ takes too long to decide") from None

    return search


@lru_cache(maxsize=1024)
def _compiled(pattern: str, flags: str) -> Any:
    if "v" in flags:
        raise NotDecidable("regular expressions with the flag v are not modelled")
    translated = _translate(pattern, "m" in flags, "s" in flags, "u" in flags)
    try:
        return regex.compile(translated, regex.IGNORECASE if "i" in flags else 0)
    except (regex.error, ValueError, RecursionError, OverflowError) as error:
        raise NotDecidable(f"invalid regular expression /{pattern}/: {error}") from None


def _translate(pattern: str, multiline: bool, dot_all: bool, unicode: bool) -> str:
    out: list[str] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            piece, position = _escape(pattern, position, unicode, in_class=False)
            out.append(piece)
            continue
        if character == "[":
            piece, position = _character_class(pattern, position, unicode)
            out.append(piece)
            continue
        if character == "^":
            out.append(rf"(?:(?<=[{_LINE_ENDS}])|\A)" if multiline else r"\A")
        elif character == "$":
            out.append(rf"(?=[{_LINE_ENDS}]|\Z)" if multiline else r"\Z")
        elif character == ".":
            out.append(r"(?s:.)" if dot_all else rf"[^{_LINE_ENDS}]")
        elif character == "{" and regex.match(r"\{\d+(,\d*)?\}", pattern[position:]) is None:
            out.append(r"\{")
        elif character in "#&~ ":
            out.append("\\" + character)
        elif character == "+" and out and out[-1][-1:] in "+*?}" and not out[-1].startswith("\\"):
            raise NotDecidable(f"invalid regular expression /{pattern}/: nothing to repeat")
        else:
            out.append(character)
        position += 1
    return "".join(out)


def _escape(pattern: str, position: int, unicode: bool, in_class: bool) -> tuple[str, int]:
    """One backslash sequence as Python's dialect writes it, and where the next one starts."""
    following = pattern[position + 1 : position + 2]
    if not following:
        raise NotDecidable(f"invalid regular expression /{pattern}/: \\ at end")
    after = position + 2
    if following in "dws":
        return (_CLASSES[following] if in_class else f"[{_CLASSES[following]}]"), after
    if following in "DWS":
        if in_class:
            raise NotDecidable("a negated class inside a class is not modelled")
        return f"[^{_CLASSES[following.lower()]}]", after
    if following in _CONTROLS:
        return _CONTROLS[following], after
    if following == "b":
        return (
            r"\x08" if in_class else r"(?:(?<=[A-Za-z0-9_])(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])(?=[A-Za-z0-9_]))"
        ), after
    if following == "B":
        return r"(?:(?<=[A-Za-z0-9_])(?=[A-Za-z0-9_])|(?<![A-Za-z0-9_])(?![A-Za-z0-9_]))", after
    if following in "xu":
        match = regex.match(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]+)\}", pattern[position + 1 :])
        if match and (match[3] is None or unicode):
            code = int(match[1] or match[2] or match[3], 16)
            return regex.escape(chr(code)), position + 1 + match.end()
        return following, after
    if following == "c":
        letter = pattern[after : after + 1]
        if letter.isascii() and letter.isalpha():
            return f"\\x{ord(letter) % 32:02x}", after + 1
        return r"\\c", after
    if following == "k" and not in_class:
        match = regex.match(r"<([^>]+)>", pattern[after:])
        return (rf"(?P={match[1]})", after + match.end()) if match else ("k", after)
    if following in "pP" and unicode:
        match = regex.match(r"\{[^}]+\}", pattern[after:])
        if match:
            return f"\\{following}{match[0]}", after + match.end()
    if following.isdigit():
        digits = regex.match(r"\d+", pattern[position + 1 :])[0]
        if digits == "0":
            return r"\x00", after
        if in_class or digits.startswith("0"):
            raise NotDecidable("octal escapes are not modelled")
        return f"(?:\\{digits})", position + 1 + len(digits)
    return regex.escape(following), after


def _character_class(pattern: str, position: int, unicode: bool) -> tuple[str, int]:
    out = ["["]
    position += 1
    if pattern[position : position + 1] == "^":
        out.append("^")
        position += 1
    if pattern[position : position + 1] == "]":
        return (r"(?s:.)" if out[-1] == "^" else r"(?!)"), position + 1
    while position < len(pattern):
        character = pattern[position]
        if character == "]":
            return "".join(out) + "]", position + 1
        if character == "\\":
            piece, position = _escape(pattern, position, unicode, in_class=True)
            out.append(piece)
            continue
        out.append(
            "\\" + character if character in "[&~|^" or (character == "-" and out[-1] in ("[", "^")) else character
        )
        position += 1
    raise NotDecidable(f"invalid regular expression /{pattern}/: unterminated class")
