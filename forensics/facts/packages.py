"""The package roots of a build: every package.json that parses, how workspaces tie them together, and which version of
a dependency an install would give each of them.

Rests on npm's own reading of manifests (`@npmcli/map-workspaces`, `@npmcli/arborist`), on
https://pnpm.io/pnpm-workspace_yaml, and on Node's look-up of packages in the enclosing folders' node_modules.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from forensics.build import Build
from forensics.facts.values import Unknown
from forensics.facts.versions import (
    DEPENDENCY_KINDS,
    Lock,
    catalog_range,
    enclosing_folders,
    major_of_range,
    read_lock,
    read_yaml,
)
from forensics.syntax.ir import Document, JsonPosition

_LOCKFILES = {
    "npm": ("npm-shrinkwrap.json", "package-lock.json"),
    "pnpm": ("pnpm-lock.yaml",),
    "yarn": ("yarn.lock",),
    "bun": ("bun.lock", "bun.lockb"),
}


class ScriptText(Struct, frozen=True, kw_only=True):
    """A script of a manifest: its text, and the byte spans of its value (quotes included) and its key."""

    name: str
    text: str
    path: str
    start: int
    end: int
    key_start: int
    key_end: int


class Dependency(Struct, frozen=True, kw_only=True):
    """A declared dependency. `kind` is the manifest's field; the spans are those of its value and its key."""

    name: str
    range: str
    kind: str
    path: str
    start: int
    end: int
    key_start: int
    key_end: int


class ResolvedDependency(Struct, frozen=True, kw_only=True):
    """Where a package's import of `name` would be found.

    `how`: own (its own manifest), enclosing (an enclosing folder's manifest: Node looks there too), hoisted
    (declared only by another workspace of the same root, whose install puts it beside), workspace (it is one itself).
    """

    dependency: Dependency
    folder: str
    how: str


class Package(Struct, frozen=True, kw_only=True):
    """One package root.

    `folder` is "" for the build's root. `module_type` is "module", "commonjs" or "" where the manifest doesn't say.
    `bin` maps command names to files. `workspace_patterns` are as written; `workspaces` the folders they match, in
    npm's order. `manager` is npm, pnpm, yarn or bun where `packageManager` or a lockfile beside the manifest names one,
    else "". `positions` holds the manifest's values by JSON pointer.
    """

    folder: str
    path: str
    name: str
    version: str
    module_type: str
    private: bool
    scripts: Mapping[str, ScriptText]
    dependencies: tuple[Dependency, ...]
    workspace_patterns: tuple[str, ...]
    workspaces: tuple[str, ...]
    engines: Mapping[str, str]
    bin: Mapping[str, str]
    main: str
    exports: object
    imports: Mapping[str, object]
    manager: str
    manifest: Mapping[str, Any]
    positions: Mapping[str, JsonPosition]

    def dependency(self, name: str) -> Dependency | None:
        """The declaration that an install follows: npm lets `optionalDependencies` override `dependencies`, and those
        `devDependencies`."""
        found = {item.kind: item for item in reversed(self.dependencies) if item.name == name}
        for kind in ("optionalDependencies", "dependencies", "devDependencies", "peerDependencies"):
            if kind in found:
                return found[kind]
        return None

    def declares(self, name: str) -> bool:
        return any(item.name == name for item in self.dependencies)


class Packages:
    """Every package root of a build. `broken` maps the manifests that can't be read to what is wrong with them."""

    def __init__(self, build: Build, packages: Mapping[str, Package], broken: Mapping[str, str]) -> None:
        self.build = build
        self.by_folder = dict(packages)
        self.broken = dict(broken)
        self._locks: dict[str, Lock | None] = {}
        self._root_of = {folder: package.folder for package in packages.values() for folder in package.workspaces}

    @property
    def root(self) -> Package | None:
        """The manifest at the build's root."""
        return self.by_folder.get("")

    def __iter__(self) -> Iterator[Package]:
        return iter(self.by_folder.values())

    def __len__(self) -> int:
        return len(self.by_folder)

    def nearest_package(self, path: str) -> Package | None:
        """The package root whose folder encloses a file most closely, as Node finds a file's `type`."""
        for folder in enclosing_folders(posixpath.dirname(path)):
            if folder in self.by_folder:
                return self.by_folder[folder]
        return None

    def package_at(self, folder: str) -> Package | None:
        """The package that npm works on when started in a folder: the nearest one at or above it."""
        return self.nearest_package(posixpath.join(folder, "package.json"))

    def workspace_root(self, folder: str) -> Package | None:
        """The root whose workspaces include this package's folder."""
        return self.by_folder.get(self._root_of[folder]) if folder in self._root_of else None

    def workspaces_of(self, package: Package) -> list[Package]:
        return [self.by_folder[folder] for folder in package.workspaces if folder in self.by_folder]

    def named(self, name: str) -> Package | None:
        """The package of that name, workspaces before others."""
        found = [package for package in self.by_folder.values() if package.name == name]
        return min(found, key=lambda package: package.folder not in self._root_of, default=None)

    def resolve(self, folder: str, name: str) -> ResolvedDependency | None:
        """How an import of package `name` from the package root `folder` would be satisfied after an install."""
        own = self.package_at(folder)
        for enclosing in enclosing_folders(folder):
            package = self.by_folder.get(enclosing)
            dependency = package.dependency(name) if package else None
            if package and dependency:
                how = "own" if package is own else "enclosing"
                return ResolvedDependency(dependency=dependency, folder=package.folder, how=how)
        for enclosing in enclosing_folders(folder):
            root = self.by_folder.get(enclosing)
            if root is None or not root.workspaces:
                continue
            for workspace in self.workspaces_of(root):
                if workspace.name == name:
                    linked = Dependency(
                        name=name,
                        range="workspace:*",
                        kind="workspaces",
                        path=root.path,
                        start=0,
                        end=0,
                        key_start=0,
                        key_end=0,
                    )
                    return ResolvedDependency(dependency=linked, folder=workspace.folder, how="workspace")
            # pnpm links only what a manifest declares; npm, yarn and bun lay everything flat in the root.
            if self.manager_of(root.folder) == "pnpm":
                continue
            for workspace in self.workspaces_of(root):
                dependency = workspace.dependency(name)
                if dependency and dependency.kind != "peerDependencies":
                    return ResolvedDependency(dependency=dependency, folder=workspace.folder, how="hoisted")
        return None

    def dependency_range(self, folder: str, name: str) -> str | None:
        """The declared range that an import of `name` from the package root `folder` gets, None where nothing
        declares it."""
        found = self.resolve(folder, name)
        return found.dependency.range if found else None

    def manager_of(self, folder: str) -> str:
        """npm, pnpm, yarn or bun, by `packageManager` or lockfile of the nearest root that says; "" where none does."""
        for enclosing in enclosing_folders(folder):
            package = self.by_folder.get(enclosing)
            if package and package.manager:
                return package.manager
        return ""

    def locked_version(self, folder: str, name: str) -> str | None:
        """The version of `name` that a lockfile fixes for the package root `folder`."""
        for lock_folder in enclosing_folders(folder):
            if lock_folder not in self._locks:
                self._locks[lock_folder] = read_lock(self.build, lock_folder)
            lock = self._locks[lock_folder]
            if lock is None:
                continue
            relative = folder[len(lock_folder) :].strip("/") if lock_folder else folder
            found = self.resolve(folder, name)
            version = lock(relative, name, found.dependency.range if found else "")
            if version:
                return version
        return None

    def major(self, folder: str, name: str, on: date | None = None) -> int | Unknown:
        """The major version of `name` that the package root `folder` gets: by lockfile, else by range.

        `on` is the day of the install, the table's own day by default.
        """
        locked = self.locked_version(folder, name)
        if locked:
            found = re.match(r"\d+", locked)
            if found:
                return int(found.group())
        resolved = self.resolve(folder, name)
        if resolved is None:
            return Unknown(f"no manifest declares {name}")
        written = resolved.dependency.range
        if written.startswith(("workspace:", "file:", "link:", "portal:")):
            target = self.by_folder.get(resolved.folder) if resolved.how == "workspace" else self.named(name)
            version = re.match(r"\d+", target.version) if target else None
            return int(version.group()) if version else Unknown(f"{name} is {written}, which names no version")
        if written.startswith("catalog:"):
            written = catalog_range(self.build, written, name) or written
        return major_of_range(written, name, on)


def read_packages(build: Build, document: Callable[[str], Document]) -> Packages:
    """The package roots of a build; `document` gives the lowered JSON of a path."""
    packages: dict[str, Package] = {}
    broken: dict[str, str] = {}
    paths = sorted(
        (
            path
            for path in build.files
            if posixpath.basename(path) == "package.json" and "node_modules" not in path.split("/")
        ),
        key=lambda path: (path.count("/"), path),
    )
    folders = [posixpath.dirname(path) for path in paths]
    for path in paths:
        lowered = document(path)
        if lowered.error:
            broken[path] = lowered.error
        elif not isinstance(lowered.value, dict):
            broken[path] = "the manifest is no object"
        else:
            package = _package(build, path, lowered.value, lowered.positions, folders)
            packages[package.folder] = package
    return Packages(build, packages, broken)


def _package(
    build: Build, path: str, manifest: dict[str, Any], positions: Sequence[JsonPosition], folders: Sequence[str]
) -> Package:
    folder = posixpath.dirname(path)
    spans = {position.pointer: position for position in positions}
    patterns = _workspace_patterns(build, folder, manifest)
    return Package(
        folder=folder,
        path=path,
        name=_text(manifest.get("name")),
        version=_text(manifest.get("version")),
        module_type=_text(manifest.get("type")) if manifest.get("type") in ("module", "commonjs") else "",
        private=manifest.get("private") is True,
        scripts={
            name: ScriptText(name=name, text=text, path=path, **_span(spans, "/scripts", name))
            for name, text in _strings(manifest.get("scripts")).items()
        },
        dependencies=tuple(
            Dependency(name=name, range=wanted.strip(), kind=kind, path=path, **_span(spans, f"/{kind}", name))
            for kind in DEPENDENCY_KINDS
            for name, wanted in _strings(manifest.get(kind)).items()
        ),
        workspace_patterns=tuple(patterns),
        workspaces=matching_folders(patterns, folder, folders),
        engines=_strings(manifest.get("engines")),
        bin=_bin(manifest),
        main=_text(manifest.get("main")),
        exports=manifest.get("exports"),
        imports=manifest["imports"] if isinstance(manifest.get("imports"), dict) else {},
        manager=_manager(build, folder, manifest),
        manifest=manifest,
        positions=spans,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _strings(value: object) -> dict[str, str]:
    """The string members of an object; npm drops the others too (`@npmcli/package-json`, normalize)."""
    return {key: item for key, item in value.items() if isinstance(item, str)} if isinstance(value, dict) else {}


def _span(spans: Mapping[str, JsonPosition], parent: str, key: str) -> dict[str, int]:
    position = spans.get(f"{parent}/{key.replace('~', '~0').replace('/', '~1')}")
    if position is None:
        return {"start": 0, "end": 0, "key_start": 0, "key_end": 0}
    return {
        "start": position.start,
        "end": position.end,
        "key_start": position.key_start,
        "key_end": position.key_end,
    }


def _bin(manifest: Mapping[str, Any]) -> dict[str, str]:
    written = manifest.get("bin")
    if isinstance(written, str):
        return {_text(manifest.get("name")).rpartition("/")[2]: written}
    return _strings(written)


def _manager(build: Build, folder: str, manifest: Mapping[str, Any]) -> str:
    written = _text(manifest.get("packageManager")).partition("@")[0]
    if written in _LOCKFILES:
        return written
    for manager, names in _LOCKFILES.items():
        if any(posixpath.join(folder, name) in build.files for name in names):
            return manager
    return "pnpm" if posixpath.join(folder, "pnpm-workspace.yaml") in build.files else ""


# ------------------------------------------------------------------ workspaces


def _workspace_patterns(build: Build, folder: str, manifest: Mapping[str, Any]) -> list[str]:
    written = manifest.get("workspaces")
    if isinstance(written, dict):
        written = written.get("packages")
    patterns = [item for item in written if isinstance(item, str)] if isinstance(written, list) else []
    for name in ("pnpm-workspace.yaml", "pnpm-workspace.yml"):
        listed = read_yaml(build, posixpath.join(folder, name)).get("packages")
        if isinstance(listed, list):
            patterns += [item for item in listed if isinstance(item, str) and item not in patterns]
    if not patterns:
        patterns = _lerna_patterns(build, posixpath.join(folder, "lerna.json"))
    return patterns


def _lerna_patterns(build: Build, path: str) -> list[str]:
    if path not in build.files:
        return []
    try:
        written = msgspec.json.decode(build.read(path))
    except msgspec.MsgspecError:
        return []
    listed = written.get("packages") if isinstance(written, dict) else None
    return [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []


def matching_folders(patterns: Iterable[str], root: str, folders: Iterable[str]) -> tuple[str, ...]:
    """The folders (of manifests) that workspace patterns match, relative patterns resolved against `root`; in npm's
    order: by pattern, then by name. A `!` pattern takes away unless a later pattern names the same again."""
    wanted: list[str] = []
    negated: list[str] = []
    for written in patterns:
        marks = len(written) - len(written.lstrip("!"))
        pattern = re.sub(r"^\.?/+", "", written[marks:].replace("\\", "/")).rstrip("/")
        if marks % 2:
            negated.append(pattern)
        else:
            negated = [item for item in negated if not glob_matches(item, pattern)]
            wanted.append(pattern)
    inside = f"{root}/" if root else ""
    below = [folder[len(inside) :] for folder in folders if folder != root and folder.startswith(inside)]
    below.sort(key=lambda folder: (folder.casefold(), folder))
    found: dict[str, None] = {}
    for pattern in wanted:
        for folder in below:
            if glob_matches(pattern, folder) and not any(glob_matches(item, folder) for item in negated):
                found[posixpath.join(root, folder)] = None
    return tuple(found)


def glob_matches(pattern: str, path: str) -> bool:
    """Whether a path matches a glob of npm's kind (`*`, `**`, `?`, `[a-z]`, `{a,b}`); a leading dot must be
    written in the pattern."""
    return _glob(pattern).fullmatch(path) is not None


@cache
def _glob(pattern: str) -> re.Pattern[str]:
    written = []
    at, depth = 0, 0
    while at < len(pattern):
        character = pattern[at]
        if pattern.startswith("**/", at):
            written.append(r"(?:(?!\.)[^/]+/)*")
            at += 3
            continue
        if pattern.startswith("**", at):
            written.append(r"(?!\.).*")
            at += 2
            continue
        if character == "*":
            lead = r"(?!\.)" if at == 0 or pattern[at - 1] == "/" else ""
            written.append(lead + "[^/]*")
        elif character == "?":
            written.append("[^/]")
        elif character == "[" and "]" in pattern[at:]:
            end = pattern.index("]", at)
            inner = pattern[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            inner = "^" + inner[1:] if inner[:1] in ("!", "^") else inner
            written.append(f"[{inner}]" if inner not in ("", "^") else re.escape(pattern[at : end + 1]))
            at = end
        elif character == "{" and "}" in pattern[at:]:
            depth += 1
            written.append("(?:")
        elif character == "}" and depth:
            depth -= 1
            written.append(")")
        elif character == "," and depth:
            written.append("|")
        else:
            written.append(re.escape(character))
        at += 1
    try:
        return re.compile("".join(written) + ")" * depth, re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))
