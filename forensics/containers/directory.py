"""Archives that are folders on this machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from forensics.containers.listing import UNSCANNED_NAMES, Collector, Listing, Member
from forensics.containers.names import printable
from forensics.limits import Limits

CHUNK = 1024 * 1024


class DirectoryTree:
    """A folder on disk seen as folders, for the layouts; each folder is read when it is asked for."""

    def __init__(self, top: str) -> None:
        self._top = top
        self._read: dict[str, tuple[list[str], list[str]]] = {}

    def _folder(self, folder: str) -> tuple[list[str], list[str]]:
        if folder not in self._read:
            files: list[str] = []
            folders: list[str] = []
            try:
                with os.scandir(os.path.join(self._top, folder)) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            if entry.name not in UNSCANNED_NAMES:
                                folders.append(entry.name)
                        elif entry.is_file(follow_symlinks=False):
                            files.append(entry.name)
            except OSError:
                pass  # told by the listing of the build that it lies in
            self._read[folder] = sorted(files), sorted(folders)
        return self._read[folder]

    def files(self, folder: str) -> list[str]:
        return self._folder(folder)[0]

    def folders(self, folder: str) -> list[str]:
        return self._folder(folder)[1]


def list_directory(top: str, root: str, limits: Limits) -> Listing:
    """The files of one build: everything under `top/root`.

    A symbolic link that stays inside `top` is read where that ends: a link to a file, or to a folder that the link does
    not itself lie in, and none behind another link to a folder. Every other link is a problem.
    """
    base = os.path.join(top, root) if root else top
    inside = os.path.realpath(top)
    found = Collector()
    pending: list[tuple[str, str, bool]] = [("", base, False)]
    count = 0
    while pending and count <= limits.files:
        path, place, linked = pending.pop()
        try:
            with os.scandir(place) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            found.problem(path, "unreadable", f"the folder cannot be listed: {error.strerror}")
            continue
        found.folder(path)
        for entry in entries:
            shown = printable(entry.name)
            child = f"{path}/{shown}" if path else shown
            if entry.name in UNSCANNED_NAMES:
                found.unscanned(child)
            elif entry.is_dir(follow_symlinks=False):
                pending.append((child, entry.path, linked))
            elif entry.is_symlink() and (reason := _why_not_followed(entry, inside, linked)):
                found.problem(child, "symlink", f"a symbolic link {reason}; it was not followed")
            elif entry.is_dir():
                pending.append((child, entry.path, True))
            else:
                count += 1
                if count > limits.files:
                    break
                _add_file(found, entry, child, base, linked or entry.is_symlink())
    if count > limits.files:
        found.problem("", "too-many-files", f"more than {limits.files:,} files (limit files): the rest was not read")
    return found.listing(case_matters=False)


def _why_not_followed(entry: os.DirEntry[str], inside: str, linked: bool) -> str:
    target = os.path.realpath(entry.path)
    if not target.startswith(os.path.join(inside, "")):
        return "that leaves the archive"
    if any(part in UNSCANNED_NAMES for part in os.path.relpath(target, inside).split(os.sep)):
        return "into a folder that is never scanned"
    if not os.path.exists(target):
        return "to nothing"
    if os.path.isdir(target):
        if os.path.realpath(os.path.dirname(entry.path)).startswith(target):
            return "to a folder that it lies in"
        if linked:
            return "to a folder behind another such link"
    return ""


def _add_file(found: Collector, entry: os.DirEntry[str], path: str, base: str, linked: bool) -> None:
    try:
        status = entry.stat()
    except OSError as error:
        found.problem(path, "unreadable", f"cannot be read: {error.strerror}")
        return
    if not stat.S_ISREG(status.st_mode):
        found.problem(
            path, "special-file", "neither a file nor a folder (a device, a pipe or a socket); it was not read"
        )
        return
    spelled = entry.path[len(base) :].lstrip(os.sep).replace(os.sep, "/")
    if spelled != path:
        found.problem(path, "odd-encoding", "the name is not valid UTF-8 text; it is shown with escapes")
    executable = bool(status.st_mode & 0o111)
    name = spelled if spelled != path else ""
    found.member(Member(path=path, size=status.st_size, executable=executable, method=int(linked), name=name))


def chunks_of(top: str, root: str, member: Member) -> Iterator[bytes]:
    """The bytes of a member (`method` 1: reached through a symbolic link).

    Raises OSError where they can't be read, or the place is no longer what was listed.
    """
    place = os.path.join(top, root, member.name or member.path)
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if member.method:
        place = os.path.realpath(place)
        if not place.startswith(os.path.join(os.path.realpath(top), "")):
            raise OSError("it has become a link that leaves the archive")
    else:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(place, flags)
    with open(descriptor, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("it is no longer a file")
        left = member.size
        while left > 0 and (chunk := file.read(min(CHUNK, left))):
            left -= len(chunk)
            yield chunk
