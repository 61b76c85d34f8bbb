"""Names in archives, made safe: a path that stays inside, or the reason why it can't be used."""

from __future__ import annotations

import re

_DRIVE = re.compile(r"^[A-Za-z]:")


def text_of(raw: bytes, *, declared_utf8: bool, legacy: str) -> tuple[str, bool]:
    """A stored name as text, and whether its encoding is what it should be.

    Many tools write UTF-8 without saying so; what is no UTF-8 is read in the format's `legacy` encoding.
    """
    try:
        return raw.decode("utf-8"), True
    except UnicodeDecodeError:
        return raw.decode(legacy, "replace"), not declared_utf8 and legacy != "latin-1"


def safe_path(name: str) -> tuple[str, str]:
    """A stored name as (path, problem). `problem` is "" for a path that can be used; otherwise it says what is wrong,
    and the path is the part before the offence, which tells the folder concerned.

    >>> safe_path("./app//src/main.js")
    ('app/src/main.js', '')
    >>> safe_path("app/../../etc/passwd")
    ('app', 'climbs out of its folder')
    >>> safe_path("/etc/passwd")
    ('', 'is absolute')
    """
    if "\x00" in name:
        return _clean_prefix(name.partition("\x00")[0]), "holds a NUL character"
    if name.startswith("/"):
        return "", "is absolute"
    if _DRIVE.match(name):
        return "", "begins with a drive letter"
    parts: list[str] = []
    for part in name.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            return "/".join(parts), "climbs out of its folder"
        parts.append(part)
    return "/".join(parts), ""


def printable(name: str) -> str:
    """A name that can be shown on one line: control characters and lone surrogates become escapes."""
    return "".join(
        character if character.isprintable() and not "\ud800" <= character <= "\udfff" else f"\\x{ord(character):02x}"
        for character in name
    )


def _clean_prefix(name: str) -> str:
    return "/".join(part for part in name.split("/")[:-1] if part not in ("", ".", ".."))
