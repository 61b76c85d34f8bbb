"""Archives that are folders on storage that fsspec reaches."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from forensics.containers.listing import UNSCANNED_NAMES, Collector, Listing, Member
from forensics.containers.names import printable, safe_path
from forensics.limits import Limits
from forensics.records import InputError

CHUNK = 1024 * 1024


def list_remote(system: Any, top: str, limits: Limits) -> Listing:
    """Every file under a folder of an fsspec file system; what is never scanned isn't even listed."""
    found = Collector()
    pending = [top.rstrip("/")]
    count = 0
    while pending:
        place = pending.pop()
        for entry in system.ls(place, detail=True):
            full = str(entry["name"]).rstrip("/")
            path, wrong = safe_path(full[len(top.rstrip("/")) :].lstrip("/"))
            name = path.rpartition("/")[2]
            if not path or full == place:
                continue
            if wrong:
                found.problem(printable(path), "unsafe-path", f"the name {printable(full)!r} {wrong}; it was not read")
            elif name in UNSCANNED_NAMES:
                found.unscanned(path)
            elif entry["type"] == "directory":
                found.folder(path)
                pending.append(full)
            elif entry.get("islink"):
                found.problem(path, "symlink", "a symbolic link; links on remote storage are not followed")
            else:
                count += 1
                if count > limits.entries:
                    raise InputError(f"{top}: more than {limits.entries:,} files; raise it with --limit entries=NUMBER")
                found.member(Member(path=printable(path), size=int(entry.get("size") or 0), name=path))
    return found.listing(case_matters=False)


@functools.lru_cache(maxsize=4)
def _system(address: str) -> tuple[Any, str]:
    import fsspec

    system, path = fsspec.core.url_to_fs(address)
    return system, str(path).rstrip("/")


def chunks_of(address: str, member: Member) -> Iterator[bytes]:
    """The bytes of a member of the folder at `address`. Raises OSError where they can't be read."""
    system, top = _system(address)
    left = member.size
    with system.open(f"{top}/{member.name or member.path}", "rb") as file:
        while left > 0 and (chunk := file.read(min(CHUNK, left))):
            left -= len(chunk)
            yield chunk
