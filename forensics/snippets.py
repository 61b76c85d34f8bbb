"""Source excerpts of findings: the lines around a place, stored once by hash."""

from __future__ import annotations

import hashlib

from forensics.build import Build
from forensics.records import Location
from forensics.results import Place

CONTEXT_LINES = 2
_MOST_LINES = 12  # of the marked part
_LONGEST_LINE = 2_000
_LEAD = 200


def place_of(build: Build, location: Location, snippets: dict[str, str]) -> Place:
    """The location with its excerpt, which is added to `snippets`.

    A line longer than 2,000 characters keeps what surrounds the column; `Place.snippet_column` says where it begins.
    """
    plain = Place(
        path=location.path,
        line=location.line,
        column=location.column,
        end_line=location.end_line,
        end_column=location.end_column,
        message=location.message,
    )
    if location.path not in build.files or location.line < 1:
        return plain
    lines = _lines(build, location.path)
    if location.line > len(lines):
        return plain
    first = max(location.line - CONTEXT_LINES, 1)
    last = min(max(location.end_line, location.line), location.line + _MOST_LINES) + CONTEXT_LINES
    begins = 1
    shown = []
    for number, line in enumerate(lines[first - 1 : last], start=first):
        if number == location.line and location.column > _LONGEST_LINE - _LEAD:
            begins = location.column - _LEAD
        start = begins - 1 if number == location.line else 0
        shown.append(line[start : start + _LONGEST_LINE])
    text = "\n".join(shown)
    key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    snippets[key] = text
    return Place(
        path=location.path,
        line=location.line,
        column=location.column,
        end_line=location.end_line,
        end_column=location.end_column,
        message=location.message,
        snippet=key,
        snippet_line=first,
        snippet_column=begins,
    )


def _lines(build: Build, path: str) -> list[str]:
    return build.text(path).replace("\r\n", "\n").split("\n")
