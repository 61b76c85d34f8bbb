"""Media queries and @supports conditions, decided for a desktop browser as most people would open the page.

https://www.w3.org/TR/mediaqueries-4/. The viewport is 1280 by 720 CSS pixels, a mouse, no reduced motion. What depends on
a person's taste (a dark scheme, contrast) stays open.
"""

from __future__ import annotations

import re

WIDTH, HEIGHT = 1280.0, 720.0

_DECIDED = {
    "hover": "hover",
    "any-hover": "hover",
    "pointer": "fine",
    "any-pointer": "fine",
    "orientation": "landscape",
    "display-mode": "browser",
    "prefers-reduced-motion": "no-preference",
    "scripting": "enabled",
    "update": "fast",
    "forced-colors": "none",
    "inverted-colors": "none",
}
_LENGTH = re.compile(r"(-?[\d.]+)\s*(px|em|rem|)\Z")
_PAIR = re.compile(r"(min-|max-)?(width|height)\s*:\s*(.+)\Z")
_RANGE = re.compile(
    r"(?:(?P<low>[^<>=]+?)\s*(?P<first><=|<|>=|>|=)\s*)?(?P<name>width|height)\s*(?:(?P<second><=|<|>=|>|=)\s*(?P<high>.+))?\Z"
)


def media_holds(query: str) -> bool | None:
    """Whether a media query list applies, None where that depends on the person."""
    return _any([_query(part.strip().lower()) for part in _split(query, ",")]) if query.strip() else True


def condition_holds(condition: str) -> bool | None:
    """Whether a conditional at-rule's block applies; the argument is the prelude with its name ("@media print")."""
    name, _, rest = condition.strip().partition(" ")
    if "(" in name:
        name, rest = name[: name.index("(")], condition[condition.index("(") :]
    name = name.lower()
    if name == "@media":
        return media_holds(rest)
    if name == "@supports":
        return not rest.strip().lower().startswith("not")
    if name == "@layer":
        return True
    if name in ("@container", "@scope"):
        return None
    return False


def _query(text: str) -> bool | None:
    if text.startswith("not ") and not text.startswith("not ("):
        held = _query(text[4:])
        return None if held is None else not held
    text = re.sub(r"\Aonly\s+", "", text)
    found = re.match(r"(all|screen|print|speech|tty|tv|projection|handheld)\b\s*(?:and\b\s*)?", text)
    if found:
        if found.group(1) not in ("all", "screen"):
            return False
        text = text[found.end() :]
    return _condition(text.strip()) if text.strip() else True


def _condition(text: str) -> bool | None:
    parts = _split(text, " or ")
    if len(parts) > 1:
        return _any([_condition(part.strip()) for part in parts])
    parts = _split(text, " and ")
    if len(parts) > 1:
        return _all([_condition(part.strip()) for part in parts])
    text = text.strip()
    if text.startswith("not"):
        held = _condition(text[3:].strip())
        return None if held is None else not held
    if text.startswith("(") and text.endswith(")"):
        inner = text[1:-1].strip()
        return _condition(inner) if inner.startswith(("(", "not ")) else _feature(inner)
    return None


def _feature(text: str) -> bool | None:
    pair = _PAIR.match(text)
    if pair:
        size, length = (WIDTH if pair.group(2) == "width" else HEIGHT), _pixels(pair.group(3))
        if length is None:
            return None
        return size >= length if pair.group(1) == "min-" else size <= length if pair.group(1) else size == length
    ranged = _RANGE.match(text)
    if ranged and (ranged.group("first") or ranged.group("second")):
        size = WIDTH if ranged.group("name") == "width" else HEIGHT
        held: list[bool | None] = []
        if ranged.group("first"):
            held.append(_compared(_pixels(ranged.group("low")), ranged.group("first"), size))
        if ranged.group("second"):
            held.append(_compared(size, ranged.group("second"), _pixels(ranged.group("high"))))
        return _all(held)
    name, colon, value = (part.strip() for part in text.partition(":"))
    if name in _DECIDED:
        if not colon:
            return _DECIDED[name] not in ("none", "no-preference")
        return value == _DECIDED[name]
    return None


def _compared(left: float | None, operator: str, right: float | None) -> bool | None:
    if left is None or right is None:
        return None
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "=": left == right}[
        operator
    ]


def _pixels(text: str) -> float | None:
    found = _LENGTH.match(text.strip())
    if not found:
        return None
    try:
        number = float(found.group(1))
    except ValueError:
        return None
    return number if found.group(2) in ("px", "") else number * 16


def _any(values: list[bool | None]) -> bool | None:
    return True if True in values else None if None in values else False


def _all(values: list[bool | None]) -> bool | None:
    return False if False in values else None if None in values else True


def _split(text: str, separator: str) -> list[str]:
    """The parts between separators that stand in no bracket."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
        elif depth == 0 and text.startswith(separator, at):
            parts.append(text[start:at])
            at += len(separator)
            start = at
            continue
        at += 1
    parts.append(text[start:])
    return parts
