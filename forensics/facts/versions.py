"""Which version of a dependency an install gives: by lockfile, else by range.

Lockfiles: package-lock.json versions 1 to 3 (https://docs.npmjs.com/cli/configuring-npm/package-lock-json),
pnpm-lock.yaml, yarn.lock (classic and Berry) and bun.lock. Ranges are npm's; what `latest` and open ranges meant
stands in `latest_majors.toml`.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Callable
from datetime import date
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec
import nodesemver
import yaml
from msgspec import Struct

from forensics.build import Build
from forensics.facts.values import Unknown

DEPENDENCY_KINDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
MAX_YAML = 4_000_000


# What a lockfile says: (package folder relative to the lockfile, name, declared range) -> version or "".
Lock = Callable[[str, str, str], str]


def enclosing_folders(folder: str) -> list[str]:
    """The folder itself and everything above it, up to the build's root ""."""
    found = [folder]
    while folder:
        folder = posixpath.dirname(folder)
        found.append(folder)
    return found


def read_yaml(build: Build, path: str, text: str | None = None) -> dict[str, Any]:
    """The mapping in a YAML file (`text` replaces its content), {} where there is none."""
    if path not in build.files or build.files[path].size > MAX_YAML:
        return {}
    try:
        value = yaml.load(build.text(path) if text is None else text, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader without aliases, which can blow a few lines up to gigabytes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


def read_lock(build: Build, folder: str) -> Lock | None:
    """The lockfile of a folder, None where there is none that can be read."""
    for name in ("npm-shrinkwrap.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"):
        path = posixpath.join(folder, name)
        if path in build.files:
            match name:
                case "pnpm-lock.yaml":
                    return _pnpm_lock(build, path)
                case "yarn.lock":
                    return _yarn_lock(build.text(path))
                case "bun.lock":
                    return _bun_lock(build.text(path))
                case _:
                    return _npm_lock(build.read(path))
    return None


class _NpmLocked(Struct):
    version: str = ""
    resolved: str | bool = ""
    link: bool = False


class _NpmLock(Struct):
    packages: dict[str, _NpmLocked] = {}
    dependencies: dict[str, _NpmLocked] = {}


def _npm_lock(source: bytes) -> Lock | None:
    try:
        lock = msgspec.json.decode(source.removeprefix(b"\xef\xbb\xbf"), type=_NpmLock, strict=False)
    except (msgspec.MsgspecError, RecursionError):
        return None

    def version(folder: str, name: str, wanted: str) -> str:
        for enclosing in enclosing_folders(folder):
            found = lock.packages.get(posixpath.join(enclosing, "node_modules", name))
            if found and found.link and isinstance(found.resolved, str):
                found = lock.packages.get(found.resolved)
            if found and found.version:
                return found.version
        return lock.dependencies[name].version if name in lock.dependencies else ""

    return version


def _pnpm_lock(build: Build, path: str) -> Lock | None:
    # Only the head of the file says what each importer gets; the rest is most of its size.
    head = re.split(r"^(?:packages|snapshots):", build.text(path), maxsplit=1, flags=re.MULTILINE)[0]
    written = read_yaml(build, path, head)
    importers = written.get("importers")
    if not isinstance(importers, dict):
        importers = {".": written}

    def version(folder: str, name: str, wanted: str) -> str:
        for enclosing in enclosing_folders(folder):
            importer = importers.get(enclosing or ".")
            for kind in DEPENDENCY_KINDS:
                listed = importer.get(kind) if isinstance(importer, dict) else None
                found = listed.get(name) if isinstance(listed, dict) else None
                found = found.get("version") if isinstance(found, dict) else found
                match = re.match(r"(?:/?(?:@[^/]+/)?[^/@]+[@/])?(\d+\.\d+\.\d+[^(_]*)", str(found)) if found else None
                if match:
                    return match.group(1)
        return ""

    return version


def _yarn_lock(text: str) -> Lock:
    versions: dict[str, str] = {}
    by_name: dict[str, str] = {}
    descriptors: list[str] = []
    for line in text.splitlines():
        if line and not line[0].isspace() and not line.startswith("#") and line.endswith(":"):
            descriptors = [item.strip().strip('"') for item in line[:-1].strip('"').split(",")]
        else:
            found = re.match(r'\s+version:?\s+"?([^"\s]+)', line)
            if found and descriptors:
                for descriptor in descriptors:
                    versions.setdefault(descriptor.replace("@npm:", "@"), found.group(1))
                    by_name.setdefault(
                        descriptor[: descriptor.index("@", 1)] if "@" in descriptor[1:] else descriptor, found.group(1)
                    )
                descriptors = []
    return lambda folder, name, wanted: versions.get(f"{name}@{wanted}", "" if wanted else by_name.get(name, ""))


def _bun_lock(text: str) -> Lock:
    versions: dict[str, str] = {}
    for found in re.finditer(r'^\s*"([^"\n]+)": \["((?:@[^/"\n]+/)?[^@"\n]+)@(\d[^"\n]*)"', text, re.MULTILINE):
        versions.setdefault(found.group(1), found.group(3))
    return lambda folder, name, wanted: versions.get(f"{posixpath.basename(folder)}/{name}") or versions.get(name, "")


def catalog_range(build: Build, written: str, name: str) -> str:
    """The range that a pnpm catalog gives a `catalog:` or `catalog:NAME` reference."""
    listed = read_yaml(build, "pnpm-workspace.yaml")
    which = written.partition(":")[2].strip()
    named = listed.get("catalogs")
    catalog = listed.get("catalog") if which in ("", "default") else None
    if catalog is None and isinstance(named, dict):
        catalog = named.get(which or "default")
    found = catalog.get(name) if isinstance(catalog, dict) else None
    return found if isinstance(found, str) else ""


def major_of_range(written: str, name: str, on: date | None = None) -> int | Unknown:
    """The major that an install picks for a range: the only one it allows, else the highest that was out on that day
    (by `latest_majors.toml`)."""
    alias = re.match(r"npm:((?:@[^/]+/)?[^@]+)(?:@(.*))?\Z", written)
    if alias:
        name, written = alias.group(1), alias.group(2) or ""
    wanted = written.strip()
    released = released_majors(name, on)
    if wanted in ("latest", "next", "canary", "beta", "*", "", "x", "X"):
        if released:
            return max(released)
        return Unknown(f"{name} is {wanted or '*'!r}, and what that meant for it is not in the table")
    allowed = _allowed_majors(wanted)
    if allowed is None:
        return Unknown(f"{name} is {wanted!r}, which is no version range")
    if len(allowed) == 1:
        return allowed[0]
    if not allowed:
        return Unknown(f"{name} is {wanted!r}, which no version satisfies")
    known = [major for major in allowed if major in released]
    if known:
        return max(known)
    return Unknown(f"{name} is {wanted!r}, which allows several major versions")


@lru_cache(4096)
def _allowed_majors(written: str) -> list[int] | None:
    """The majors with a version in the range, at most up to 99; None where it is no range."""
    if len(written) > 200:
        return None
    try:
        parsed = nodesemver.make_range(written, loose=True)
    except (ValueError, TypeError, IndexError, AttributeError, KeyError):
        return None
    bounds = [comparator.semver for group in parsed.set for comparator in group if comparator.operator is not None]
    found = []
    for major in range(100):
        # A range holds a version of this major iff it holds its first, its last, or one that the range itself names.
        candidates = [f"{major}.0.0", f"{major}.999999.999999"]
        candidates += [str(bound.version) for bound in bounds if bound.major == major]
        if any(nodesemver.satisfies(candidate, written, loose=True) for candidate in candidates):
            found.append(major)
    return found


def released_majors(name: str, on: date | None = None) -> list[int]:
    """The majors of a package that `latest` had reached by a day, [] for a package that the table doesn't hold."""
    known = _latest_majors().get(name)
    if known is None:
        return []
    since: dict[str, date] = known.get("since", {})
    return [major for major in known["majors"] if on is None or since.get(str(major), on) <= on]


@cache
def _latest_majors() -> dict[str, dict[str, Any]]:
    with Path(__file__).with_name("latest_majors.toml").open("rb") as file:
        packages: dict[str, dict[str, Any]] = tomllib.load(file)["packages"]
    return packages
