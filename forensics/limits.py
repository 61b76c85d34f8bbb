"""The bounds that a hostile archive is read within, and how a user changes one (`--limit NAME=VALUE`)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec.structs
from msgspec import Struct

from forensics.records import InputError


class Limits(Struct, frozen=True, kw_only=True):
    """Every bound with its default. What breaks one becomes an `errors` entry of the build concerned.

    file_size: bytes of one file; a longer source is not read, a longer picture or database is only hashed.
    files: files of one build.
    depth: path components of one file, counted from the build's root.
    ratio: unpacked over packed size of one file in a zip, or of a compressed tar as a whole; files below 1 MiB are
        exempt, since a small file of blanks packs better than any honest large one.
    build_bytes: bytes of all files of one build.
    archive_bytes: bytes that one tar may unpack to; reading stops there.
    entries: entries of one archive's index.
    seconds: time for one build.
    """

    file_size: int = 5 * 1024 * 1024
    files: int = 20_000
    depth: int = 40
    ratio: int = 200
    build_bytes: int = 1024 * 1024 * 1024
    archive_bytes: int = 64 * 1024 * 1024 * 1024
    entries: int = 5_000_000
    seconds: int = 120


RATIO_EXEMPT_BYTES = 1024 * 1024


def limits_with(settings: Iterable[str]) -> Limits:
    """The limits with `NAME=VALUE` settings applied; dashes in names stand for underscores.

    Raises:
        InputError: an unknown name, or a value that is not a whole number above 0.
    """
    defaults = Limits()
    names = [entry.name for entry in msgspec.structs.fields(Limits)]
    values = {name: getattr(defaults, name) for name in names}
    for setting in settings:
        name, _, text = setting.partition("=")
        name = name.strip().replace("-", "_")
        if name not in values:
            raise InputError(f"--limit {setting}: no limit is called '{name}'; there are {', '.join(names)}")
        if not text.strip().isascii() or not text.strip().isdigit() or int(text) == 0:
            raise InputError(f"--limit {setting}: give a whole number above 0, as in {name}={values[name]}")
        values[name] = int(text)
    return Limits(**values)
