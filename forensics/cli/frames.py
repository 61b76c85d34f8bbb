"""Data frames as text: a Rich table on a terminal, aligned plain columns in a pipe, CSV files on request."""

from __future__ import annotations

import math
import numbers
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from forensics.records import InputError
from reports.hostile_text import one_line

if TYPE_CHECKING:
    import pandas as pd

Format = Callable[[Any], str]

MISSING = "–"

WRAPPED_WIDTH = 18
"""On a terminal, columns wider than this may wrap."""


def number(digits: int, sign: bool = False) -> Format:
    """A format with so many decimals; with `sign`, also a plus."""
    return lambda value: f"{value:{'+' if sign else ''}.{digits}f}"


def p_value(value: float) -> str:
    """Four decimals without the leading 0, as papers print them; what would round to 0 as a bound."""
    return "<.0001" if value < 0.00005 else f"{value:.4f}".removeprefix("0")


def percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def show(frame: pd.DataFrame, title: str = "", formats: Mapping[str, Format] | None = None) -> None:
    """Prints the frame to standard output, every cell as text; missing values as a dash."""
    columns = [one_line(str(name)) for name in frame.columns]
    forms = [(formats or {}).get(str(name)) for name in frame.columns]
    cells = [
        [_text(value, form) for form, value in zip(forms, row, strict=True)]
        for row in frame.itertuples(index=False, name=None)
    ]
    right = [_is_numeric(frame[name]) for name in frame.columns]
    if sys.stdout.isatty():
        _show_table(title, columns, cells, right)
    else:
        _show_plain(title, columns, cells, right)


def say(line: str = "") -> None:
    """Prints one line that may hold names and text of a build."""
    print(one_line(line))


def write_csv(frames: Mapping[str, pd.DataFrame], directory: Path) -> list[Path]:
    """Writes each frame to `<name>.csv` in the directory, floats in full; returns the paths. What can't stand in a file
    name becomes a hyphen."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        paths = [directory / (re.sub(r"[^\w.-]+", "-", name) + ".csv") for name in frames]
        for path, frame in zip(paths, frames.values(), strict=True):
            frame.to_csv(path, index=False, lineterminator="\n")
    except OSError as error:
        raise InputError(f"{directory}: can't be written: {error.strerror or error}") from error
    return paths


def _show_table(title: str, columns: list[str], cells: list[list[str]], right: list[bool]) -> None:
    """A Rich table; one too wide for the terminal is cut into several that repeat the first column."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    natural = [max(len(line[place]) for line in [columns, *cells]) for place in range(len(columns))]
    for number_of_part, places in enumerate(_parts(natural, console.width)):
        table = Table(
            title=title if title and not number_of_part else None,
            box=box.SIMPLE_HEAD,
            title_justify="left",
            padding=(0, 1, 0, 0),
            show_edge=False,
        )
        for place in places:
            justify: Literal["left", "right"] = "right" if right[place] else "left"
            table.add_column(
                Text(columns[place]), justify=justify, no_wrap=natural[place] <= WRAPPED_WIDTH, overflow="fold"
            )
        for row in cells:
            table.add_row(*(Text(row[place]) for place in places))
        console.print(table)
        console.print()


def _parts(natural: list[int], width: int) -> list[list[int]]:
    """Positions of the columns of each part: as many as fit, where columns wider than `WRAPPED_WIDTH` may wrap."""
    parts: list[list[int]] = []
    room = 0
    for place, wide in enumerate(natural):
        needed = min(wide, WRAPPED_WIDTH) + 2
        if parts and needed <= room:
            parts[-1].append(place)
        else:
            parts.append([place] if place == 0 else [0, place])
            room = width - (min(natural[0], WRAPPED_WIDTH) + 2 if place else 0)
        room -= needed
    return parts


def _show_plain(title: str, columns: list[str], cells: list[list[str]], right: list[bool]) -> None:
    lines = [columns, *cells]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    if title:
        print(title)
    for line in lines:
        padded = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        )
        print("  ".join(padded).rstrip())
    print()


def _text(value: Any, form: Format | None) -> str:
    if value is None or _is_missing(value):
        return MISSING
    if form is not None:
        return form(value)
    if isinstance(value, numbers.Integral):
        return str(value)
    if isinstance(value, numbers.Real):
        return f"{value:.4g}"
    return one_line(" ".join(str(value).split()))


def _is_missing(value: Any) -> bool:
    if isinstance(value, float):
        return math.isnan(value)
    return str(value) in ("<NA>", "NaT")


def _is_numeric(column: Any) -> bool:
    return getattr(column.dtype, "kind", "O") in "iuf"
