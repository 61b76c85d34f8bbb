"""Values of literals as ECMAScript and JSX define them: strings, templates, numbers, text of elements."""

from __future__ import annotations

import re
from html.entities import name2codepoint
from typing import Final

REPLACEMENT: Final = "\ufffd"

_ESCAPE: Final = re.compile(
    r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-3][0-7]{0,2}|[4-7][0-7]?)|(\r\n|[\s\S])|$)"
)
_SINGLE: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_LINE_TERMINATORS: Final = frozenset({"\n", "\r", "\r\n", "\u2028", "\u2029"})
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ENTITY: Final = re.compile(r"&(?:#[xX]([0-9a-fA-F]+)|#([0-9]+)|([A-Za-z][A-Za-z0-9]*));")
_JSX_LINE: Final = re.compile("\r\n|[\n\r\u2028\u2029]")

# Beyond this integers of a MessagePack encoding overflow; the value stays a float, as JavaScript has it.
_LARGEST_INTEGER: Final = 2.0**63


def _unescape(match: re.Match[str]) -> str:
    braced, four, two, octal, single = match.groups()
    if single is not None:
        return "" if single in _LINE_TERMINATORS else _SINGLE.get(single, single)
    if octal is not None:
        return chr(int(octal, 8))
    digits = braced or four or two
    if digits is None:
        return ""
    code = int(digits, 16)
    return chr(code) if code <= 0x10FFFF else REPLACEMENT


def without_lone_surrogates(text: str) -> str:
    """Surrogate pairs joined, lone halves replaced by U+FFFD: they have no UTF-8 form."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def cooked(raw: str) -> str:
    """The value of a string literal's text between the quotes."""
    if "\\" not in raw:
        return raw
    return without_lone_surrogates(_ESCAPE.sub(_unescape, raw))


def cooked_template(raw: str) -> str:
    """The cooked value of a template's literal text: as in a string, with line ends made line feeds."""
    if "\r" in raw:
        raw = raw.replace("\r\n", "\n").replace("\r", "\n")
    return cooked(raw)


def number_value(text: str) -> int | float:
    """The value of a number literal (any radix, separators, legacy octal): int where integral and below 2**63."""
    digits = text.replace("_", "")
    prefix = digits[:2].lower()
    if prefix in ("0x", "0b", "0o"):
        return _integral(int(digits, 0))
    if len(digits) > 1 and digits[0] == "0" and digits.isdecimal() and not set(digits) & {"8", "9"}:
        return _integral(int(digits, 8))
    value = float(digits)
    return int(value) if value.is_integer() and abs(value) < _LARGEST_INTEGER else value


def _integral(value: int) -> int | float:
    """An integer rounded to the nearest double, as JavaScript reads it."""
    try:
        rounded = float(value)
    except OverflowError:
        return float("inf")
    return int(rounded) if rounded < _LARGEST_INTEGER else rounded


def bigint_digits(text: str) -> str:
    """The decimal digits of a BigInt literal such as `0xffn` or `1_000n`."""
    digits = text.rstrip("n").replace("_", "")
    if digits[:2].lower() in ("0x", "0b", "0o"):
        return format_decimal(int(digits, 0))
    return digits.lstrip("0") or "0"


def format_decimal(value: int) -> str:
    """Decimal digits of an integer of any size: `str` refuses more than 4,300 digits."""
    if value < 10**4000:
        return str(value)
    chunks: list[str] = []
    while value:
        value, low = divmod(value, 10**4000)
        chunks.append(str(low).rjust(4000, "0") if value else str(low))
    return "".join(reversed(chunks))


def _entity(match: re.Match[str]) -> str:
    hexadecimal, decimal, name = match.groups()
    if name is not None:
        code = 39 if name == "apos" else name2codepoint.get(name, -1)
    elif hexadecimal is not None:
        code = int(hexadecimal, 16)
    else:
        code = int(decimal) if len(decimal) < 20 else -1
    return chr(code) if 0 <= code <= 0x10FFFF else match.group()


def with_entities_decoded(text: str) -> str:
    """Text of a JSX attribute or element with its character references replaced by what they name."""
    if "&" not in text:
        return text
    return without_lone_surrogates(_ENTITY.sub(_entity, text))


def jsx_text(raw: str) -> str:
    """The text a JSX child renders: lines trimmed at their inner ends, blank ones dropped, joined by one space."""
    if "\n" not in raw and "\r" not in raw and "\u2028" not in raw and "\u2029" not in raw:
        return with_entities_decoded(raw)
    lines = _JSX_LINE.split(raw)
    last = len(lines) - 1
    kept: list[str] = []
    for number, line in enumerate(lines):
        if number:
            line = line.lstrip()
        if number < last:
            line = line.rstrip()
        if line:
            kept.append(with_entities_decoded(line))
    return " ".join(kept)
