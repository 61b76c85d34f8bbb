"""A build: one shipped artifact, as an immutable set of paths with lazily read bytes."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from msgspec import Struct

from forensics.records import BuildError


class FileEntry(Struct, frozen=True):
    """One file of a build: path relative to the build's root (POSIX, no `..`), size in bytes, executable bit."""

    path: str
    size: int
    executable: bool = False


class Build:
    """One build of an archive.

    Args:
        build_id: the build's path inside the archive ("." becomes the archive's own name).
        labels: what the layout and the labels file say of it (model, task, condition, run_id …), all strings.
        files: every scannable file, by path.
        folders: folders that the archive lists (needed for empty ones), beside those that files imply.
        unscanned: paths that exist but are never scanned (node_modules, .git …), folders with their own path only.
        read_bytes: gives the bytes of a path; raises OSError where they can't be had.
        errors: coverage already lost while the archive was read.
        outer_dependencies: for each package.json that encloses the build in its archive, the names it declares.
    """

    def __init__(
        self,
        build_id: str,
        labels: Mapping[str, str],
        files: Iterable[FileEntry],
        read_bytes: Callable[[str], bytes],
        folders: Iterable[str] = (),
        unscanned: Iterable[str] = (),
        errors: Iterable[BuildError] = (),
        outer_dependencies: Iterable[frozenset[str]] = (),
    ) -> None:
        self.id = build_id
        self.labels = dict(labels)
        self.files: dict[str, FileEntry] = {entry.path: entry for entry in sorted(files, key=lambda entry: entry.path)}
        self.unscanned = frozenset(unscanned)
        self.errors: list[BuildError] = list(errors)
        self.outer_dependencies = tuple(outer_dependencies)
        self._read_bytes = read_bytes
        self._listed_folders = frozenset(folders)
        self._bytes: dict[str, bytes] = {}

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that exists in the build, "" for the root."""
        found = {""}
        for path in (*self.files, *self.unscanned, *(folder + "/" for folder in self._listed_folders)):
            folder = posixpath.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(found)

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises KeyError for a path the build does not hold; a read that fails costs coverage,
        is recorded in `errors` and gives b""."""
        if path not in self._bytes:
            if path not in self.files:
                raise KeyError(path)
            try:
                self._bytes[path] = self._read_bytes(path)
            except OSError as error:
                self.errors.append(BuildError(path=path, kind="unreadable", message=str(error)))
                self._bytes[path] = b""
        return self._bytes[path]

    def text(self, path: str) -> str:
        """The file as UTF-8 text, invalid bytes replaced, a byte order mark dropped."""
        return self.read(path).decode("utf-8", "replace").removeprefix("\ufeff")

    def exists(self, path: str) -> bool:
        """Whether a file or folder of that path ("" is the root) is in the build."""
        return path in self.files or path in self.folders or path in self.unscanned

    def digest(self, path: str) -> str:
        """SHA-256 of the file's bytes, in hex."""
        return hashlib.sha256(self.read(path)).hexdigest()
