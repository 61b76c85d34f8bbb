"""Byte spans as lines and columns: 1-based, columns in code points."""

from __future__ import annotations

from tests.in_memory import facts_of


def test_columns_count_code_points_and_ends_are_exclusive() -> None:
    facts = facts_of({"a.js": "let x\nconst é = '💬'\n"})
    source = facts.build.read("a.js")
    start = source.index(b"'")
    place = facts.location("a.js", start, start + len("'💬'".encode()))
    assert (place.line, place.column, place.end_line, place.end_column) == (2, 11, 2, 14)


def test_a_span_outside_of_the_file_is_its_end() -> None:
    place = facts_of({"a.js": "ab\n"}).location("a.js", 90, 99)
    assert (place.line, place.column, place.end_line, place.end_column) == (2, 1, 2, 1)


def test_a_file_that_is_not_there_has_its_top() -> None:
    place = facts_of({"a.js": "ab\n"}).location("b.js", 1, 2)
    assert (place.path, place.line, place.column) == ("b.js", 1, 1)
