"""Files that the statistics commands write. What can't be written is an input error, in one line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from forensics.records import InputError

if TYPE_CHECKING:
    import pandas as pd


def write_bytes(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"{path}: can't be written: {error.strerror or error}") from error


def write_frame(path: Path, frame: pd.DataFrame) -> None:
    """Writes the frame as CSV, floats in full."""
    write_bytes(path, frame.to_csv(index=False, lineterminator="\n").encode("utf-8"))
