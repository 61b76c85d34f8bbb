"""Source excerpts: the lines around a place, with the part that a finding is about.

A line of a bundle can be 100 kB long; what is shown is cut around the part that matters.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from forensics.results import Place

LONGEST_LINE = 240
LEAD = 60  # characters kept before the marked part of a line that is cut
CUT = "…"


class ExcerptLine(Struct, frozen=True):
    """One source line in three parts; `marked` is the part that the finding is about ("" outside it)."""

    number: int
    before: str
    marked: str = ""
    after: str = ""

    @property
    def text(self) -> str:
        return self.before + self.marked + self.after


def excerpt(place: Place, snippets: Mapping[str, str]) -> tuple[ExcerptLine, ...]:
    """The lines of the place's snippet, none where it has no source. Texts are raw: renderers escape them."""
    if not place.snippet or place.snippet not in snippets:
        return ()
    lines = snippets[place.snippet].split("\n")
    if len(lines) > 1 and lines[-1] == "":
        lines.pop()
    return tuple(
        _line(text.removesuffix("\r"), number, place) for number, text in enumerate(lines, start=place.snippet_line)
    )


def _line(text: str, number: int, place: Place) -> ExcerptLine:
    end_line = max(place.end_line, place.line)
    if not place.line <= number <= end_line or _is_whole_file(place):
        return ExcerptLine(number, _cut_tail(text))
    indent = len(text) - len(text.lstrip())
    cut = place.snippet_column - 1 if number == place.line else 0
    start = place.column - 1 - cut if number == place.line else indent
    end = place.end_column - 1 - cut if number == end_line else len(text)
    start = min(max(start, 0), len(text))
    end = min(max(end, start), len(text))
    if number == place.line == end_line and end == start:
        end = min(start + 1, len(text))
    before, marked, after = text[:start], text[start:end], text[end:]
    if len(text) > LONGEST_LINE or cut:
        if len(before) > LEAD or cut:
            before = CUT + before[-LEAD:]
        marked = _cut_tail(marked, LONGEST_LINE - LEAD)
        after = _cut_tail(after, max(LONGEST_LINE - len(before) - len(marked), LEAD))
    return ExcerptLine(number, before, marked, after)


def _is_whole_file(place: Place) -> bool:
    """A place that stands for its file begins at 1:1 and spans nothing: there is no part to mark."""
    return (place.line, place.column, place.end_line) == (1, 1, 1) and place.end_column <= 2


def _cut_tail(text: str, limit: int = LONGEST_LINE) -> str:
    return text if len(text) <= limit else text[:limit] + CUT
