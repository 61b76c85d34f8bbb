"""Makes archives for tests: trees of files as folders, zips and tars, and entries that no honest tool writes."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from forensics.archive import OpenBuild, open_archive, open_build
from forensics.layout import find_builds
from forensics.limits import Limits
from forensics.records import BuildError

APP = {"package.json": b'{"name": "app", "scripts": {"start": "node server.js"}}', "server.js": b"console.log(1)\n"}


def write_folder(top: Path, files: Mapping[str, bytes]) -> Path:
    for path, data in files.items():
        place = top / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return top


def write_zip(path: Path, entries: Iterable[tuple[str | zipfile.ZipInfo, bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def zip_entry(name: str, mode: int) -> zipfile.ZipInfo:
    """An entry whose Unix mode is given, such as a symbolic link's."""
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = mode << 16
    return entry


def tar_entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type = kind
    entry.linkname = link
    return entry


def tar_bytes(entries: Iterable[tuple[str | tarfile.TarInfo, bytes]], format: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=format) as archive:
        for name, data in entries:
            entry = tar_entry(name) if isinstance(name, str) else name
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def opened(address: Path | str, limits: Limits | None = None, layout: str = "auto") -> dict[str, OpenBuild]:
    """Every build of an archive by id, each file read once, so that what can't be read is recorded."""
    limits = limits or Limits()
    with open_archive(str(address), limits) as archive:
        builds = {reference.id: open_build(reference, limits) for reference in find_builds(archive, layout)}
        for build in builds.values():
            build.sums()
        return builds


def only(address: Path | str, limits: Limits | None = None) -> OpenBuild:
    """The one build of an archive."""
    (build,) = opened(address, limits).values()
    return build


def kinds(build: OpenBuild) -> list[tuple[str, str]]:
    """(kind, path) of what was lost."""
    return sorted((error.kind, error.path) for error in build.build.errors)


def error_of(build: OpenBuild, kind: str) -> BuildError:
    (error,) = [error for error in build.build.errors if error.kind == kind]
    return error


SYMLINK_MODE = stat.S_IFLNK | 0o777
DEVICE_MODE = stat.S_IFCHR | 0o666
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
