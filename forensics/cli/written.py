"""Reports written to where the user wants them: a file, whole or not at all, or standard output."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from forensics.records import InputError


def write_output(place: str | Path, data: bytes) -> None:
    """Writes to a file ("-" is standard output). A file that stood there is replaced only by a complete one.

    Raises:
        InputError: the place can't be written to.
    """
    if str(place) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    path = Path(place)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.exists() and not path.is_file():  # a device or a pipe takes the bytes as they are
            path.write_bytes(data)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
