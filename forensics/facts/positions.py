"""Byte spans of a file as lines and columns: 1-based, columns in Unicode code points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forensics.records import Location

if TYPE_CHECKING:
    from forensics.build import Build


def location(build: Build, path: str, start: int, end: int, message: str = "") -> Location:
    """The location of bytes `start` to `end` of a file; the top of the file where the span is empty or out of range."""
    source = build.read(path) if path in build.files else b""
    start = min(max(start, 0), len(source))
    end = min(max(end, start), len(source))
    line, column = _point(source, start)
    end_line, end_column = _point(source, end)
    return Location(path=path, line=line, column=column, end_line=end_line, end_column=end_column, message=message)


def _point(source: bytes, offset: int) -> tuple[int, int]:
    begin = source.rfind(b"\n", 0, offset) + 1
    return source.count(b"\n", 0, offset) + 1, len(source[begin:offset].decode("utf-8", "replace")) + 1
