"""Data frames as text: a Rich table on a terminal, aligned plain columns in a pipe, CSV files on request."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forensics.records import InputError

if TYPE_CHECKING:
    import pandas as pd

Format = Callable[[Any], str]

MISSING = "–"


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
    columns = [str(name) for name in frame.columns]
    wanted = formats or {}
    cells = [
        [_text(value, wanted.get(name)) for name, value in zip(columns, row, strict=True)]
        for row in frame.itertuples(index=False, name=None)
    ]
    right = [_is_numeric(frame[name]) for name in frame.columns]
    if sys.stdout.isatty():
        _show_table(title, columns, cells, right)
    else:
        _show_plain(title, columns, cells, right)


def write_csv(frames: Mapping[str, pd.DataFrame], directory: Path) -> list[Path]:
    """Writes each frame to `<name>.csv` in the directory, floats in full; returns the paths."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        paths = [directory / f"{name}.csv" for name in frames]
        for path, frame in zip(paths, frames.values(), strict=True):
            frame.to_csv(path, index=False, lineterminator="\n")
    except OSError as error:
        raise InputError(f"{directory}: can't be written: {error.strerror or error}") from error
    return paths


def _show_table(title: str, columns: list[str], cells: list[list[str]], right: list[bool]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left")
    for name, to_right in zip(columns, right, strict=True):
        table.add_column(Text(name), justify="right" if to_right else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


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
    return " ".join(str(value).split())


def _is_missing(value: Any) -> bool:
    if isinstance(value, float):
        return math.isnan(value)
    return str(value) in ("<NA>", "NaT")


def _is_numeric(column: Any) -> bool:
    return getattr(column.dtype, "kind", "O") in "iuf"
