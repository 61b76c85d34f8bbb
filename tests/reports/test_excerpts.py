"""Excerpts: which part of which line is marked, and how long lines are cut."""

from __future__ import annotations

import msgspec

from forensics.results import Place
from reports.excerpts import ExcerptLine, excerpt


def place(line: int, column: int, end_line: int, end_column: int, snippet_line: int = 1) -> Place:
    return Place(
        path="a.js",
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        snippet="k",
        snippet_line=snippet_line,
    )


def test_the_marked_part_of_one_line() -> None:
    assert excerpt(place(8, 5, 8, 8, 7), {"k": "one\n    two()\nthree\n"}) == (
        ExcerptLine(7, "one"),
        ExcerptLine(8, "    ", "two", "()"),
        ExcerptLine(9, "three"),
    )


def test_a_mark_over_lines_leaves_indents_out() -> None:
    assert excerpt(place(1, 3, 3, 4), {"k": "a {\n  b\n  }\nz"}) == (
        ExcerptLine(1, "a ", "{", ""),
        ExcerptLine(2, "  ", "b", ""),
        ExcerptLine(3, "  ", "}", ""),
        ExcerptLine(4, "z"),
    )


def test_columns_count_code_points() -> None:
    assert excerpt(place(1, 3, 1, 5), {"k": "𝒳𝒴ab"})[0] == ExcerptLine(1, "𝒳𝒴", "ab", "")


def test_an_empty_span_marks_one_character() -> None:
    assert excerpt(place(1, 2, 1, 2), {"k": "abc"})[0] == ExcerptLine(1, "a", "b", "c")


def test_a_column_beyond_the_line_marks_nothing() -> None:
    assert excerpt(place(1, 90, 1, 99), {"k": "abc"})[0] == ExcerptLine(1, "abc", "", "")


def test_a_line_of_a_bundle_is_cut_around_the_mark() -> None:
    text = "x" * 50_000 + "BAD" + "y" * 50_000
    (line,) = excerpt(place(1, 50_001, 1, 50_004), {"k": text})
    assert line == ExcerptLine(1, "…" + "x" * 60, "BAD", "y" * 176 + "…")


def test_a_place_without_source_has_no_excerpt() -> None:
    assert excerpt(Place(path="a.js", line=1, column=1, end_line=1, end_column=1), {}) == ()


def test_a_snippet_that_begins_within_the_line() -> None:
    place_within = msgspec.structs.replace(place(7, 5_003, 7, 5_006, 7), snippet_column=5_001)
    assert excerpt(place_within, {"k": "ab" + "BAD" + "cd"}) == (ExcerptLine(7, "…ab", "BAD", "cd"),)


def test_a_place_that_stands_for_the_whole_file_marks_nothing() -> None:
    assert excerpt(place(1, 1, 1, 2), {"k": "const a = 1"})[0] == ExcerptLine(1, "const a = 1")
    assert excerpt(place(1, 1, 1, 6), {"k": "const a = 1"})[0] == ExcerptLine(1, "", "const", " a = 1")
