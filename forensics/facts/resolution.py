"""Import specifiers of a build resolved to its files, as Node with a TypeScript loader, or Vite, would.

Two questions are kept apart. Here: *which file is meant?*, leniently, so that the evaluator can follow code even where a
strict runtime would stop. Whether the runtime that a script starts would really find it is the integrity scanner's.

Sources: https://nodejs.org/api/esm.html#resolution-algorithm-specification, https://vite.dev/config/shared-options
(resolve.alias, resolve.extensions), https://www.typescriptlang.org/tsconfig#paths.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from forensics.build import Build
from forensics.facts import regular_expressions
from forensics.facts.interpreter import Resolved

if TYPE_CHECKING:
    from forensics.facts.packages import Package, Packages

BUILTINS = frozenset(
    [
        "assert",
        "async_hooks",
        "buffer",
        "child_process",
        "cluster",
        "console",
        "constants",
        "crypto",
        "dgram",
        "diagnostics_channel",
        "dns",
        "domain",
        "events",
        "fs",
        "http",
        "http2",
        "https",
        "inspector",
        "module",
        "net",
        "os",
        "path",
        "perf_hooks",
        "process",
        "punycode",
        "querystring",
        "readline",
        "repl",
        "sea",
        "sqlite",
        "stream",
        "string_decoder",
        "sys",
        "test",
        "timers",
        "tls",
        "trace_events",
        "tty",
        "url",
        "util",
        "v8",
        "vm",
        "wasi",
        "worker_threads",
        "zlib",
    ]
)
PREFIX_ONLY = frozenset({"sea", "sqlite", "test", "test/reporters"})
"""Builtins that exist only under `node:` (https://nodejs.org/api/modules.html#built-in-modules-with-mandatory-node-prefix)."""

MODULE_EXTENSIONS = (".mjs", ".js", ".mts", ".ts", ".jsx", ".tsx", ".json", ".cjs", ".cts", ".vue", ".svelte")
SCRIPT_EXTENSIONS = frozenset(
    {".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".json", ".vue", ".svelte"}
)
_WRITTEN_FOR = {".js": (".ts", ".tsx", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}


class Alias(Struct, frozen=True):
    """One `resolve.alias` entry: `find` is a prefix of whole segments, or a regular expression; `replacement` is
    build-relative where it lies in the build (`in_build`), else used as written."""

    find: str
    is_regex: bool
    replacement: str
    in_build: bool


def builtin_name(specifier: str) -> str | None:
    """The canonical name of a Node builtin ("fs.promises" for "node:fs/promises"), None for anything else."""
    bare = specifier.removeprefix("node:")
    if bare.split("/")[0] not in BUILTINS:
        return None
    if not specifier.startswith("node:") and bare in PREFIX_ONLY:
        return None
    return bare.replace("/", ".")


def package_name(specifier: str) -> str:
    """`@scope/name` or `name` of a bare specifier."""
    parts = specifier.split("/")
    return "/".join(parts[:2]) if specifier.startswith("@") else parts[0]


def inside(path: str) -> str | None:
    """A normalised build-relative path ("" for the root), or None where it leaves the build."""
    path = posixpath.normpath(path)
    if path == ".":
        return ""
    return None if path == ".." or path.startswith(("../", "/")) else path


def file_for(build: Build, path: str, extensions: Iterable[str] = MODULE_EXTENSIONS) -> str | None:
    """The file that an extensionless or compiled-name path means: itself, with an extension, or a folder's index."""
    if path in build.files:
        return path
    stem, extension = posixpath.splitext(path)
    for other in _WRITTEN_FOR.get(extension, ()):
        if stem + other in build.files:
            return stem + other
    for other in extensions:
        if path + other in build.files:
            return path + other
    if path in build.folders:
        for other in extensions:
            index = posixpath.join(path, "index" + other)
            if index in build.files:
                return index
    return None


class Resolver:
    """Resolves specifiers of one build.

    Args:
        aliases: Vite's aliases, in order; none for Node.
        tsconfig_paths: path patterns of the tsconfig in force by folder: ("server", {"@/*": ("server/src/*",)}).
        root: build-relative Vite root for specifiers with a leading slash; None under Node.
        public: build-relative public directory.
    """

    def __init__(
        self,
        build: Build,
        packages: Packages,
        aliases: tuple[Alias, ...] = (),
        tsconfig_paths: Mapping[str, Mapping[str, tuple[str, ...]]] | None = None,
        root: str | None = None,
        public: str | None = None,
    ) -> None:
        self.build = build
        self.packages = packages
        self.aliases = aliases
        self.tsconfig_paths = tsconfig_paths or {}
        self.root = root
        self.public = public
        self._known: dict[tuple[str, str], Resolved] = {}

    def resolve(self, specifier: str, importer: str) -> Resolved:
        """What a specifier written in `importer` (build-relative) means."""
        key = (specifier, posixpath.dirname(importer))
        if key not in self._known:
            self._known[key] = self._resolve(specifier, importer)
        return self._known[key]

    def _resolve(self, specifier: str, importer: str) -> Resolved:
        bare = specifier.split("?")[0] if self.root is not None else specifier
        for alias in self.aliases:
            replaced = _aliased(alias, bare)
            if replaced is not None:
                if alias.in_build:
                    return self._file(replaced, specifier)
                bare = replaced
                break
        if bare.startswith("file:///"):
            bare = bare[7:]
        if bare.startswith(("./", "../")) or bare in (".", ".."):
            return self._file(posixpath.join(posixpath.dirname(importer), bare), specifier)
        if bare.startswith("/"):
            return self._absolute(bare, specifier)
        if bare.startswith("#"):
            return self._subpath_import(bare, importer)
        builtin = builtin_name(bare)
        if builtin is not None:
            return Resolved("external", builtin)
        if ":" in bare.split("/")[0]:
            return Resolved("external", bare)
        mapped = self._tsconfig_path(bare, importer)
        if mapped is not None:
            return mapped
        return self._package(bare, importer)

    def _file(self, path: str, specifier: str) -> Resolved:
        normal = inside(path)
        if normal is None:
            return Resolved("missing", "it lies outside of the build")
        found = file_for(self.build, normal)
        if found is None:
            return Resolved("missing", f"no such file: {normal}")
        extension = posixpath.splitext(found)[1].lower()
        asked = specifier.partition("?")[2]
        if extension in SCRIPT_EXTENSIONS and not any(word in asked.split("&") for word in ("raw", "url")):
            return Resolved("module", found)
        return Resolved("asset", found)

    def _absolute(self, path: str, specifier: str) -> Resolved:
        from forensics.facts.node_host import ROOT

        if path == ROOT or path.startswith(ROOT + "/"):
            return self._file(path[len(ROOT) :].lstrip("/") or ".", specifier)
        if self.root is None:
            return Resolved("missing", "it lies outside of the build")
        found = self._file(posixpath.join(self.root or ".", path.lstrip("/")), specifier)
        if found.kind == "missing" and self.public is not None:
            in_public = posixpath.join(self.public, path.lstrip("/"))
            if in_public in self.build.files:
                return Resolved("asset", in_public)
        return found

    def _subpath_import(self, specifier: str, importer: str) -> Resolved:
        package = self.packages.nearest_package(importer)
        if package is None:
            return Resolved("missing", "no package.json declares it under imports")
        target = matched_target(package.imports, specifier)
        if target is None:
            return Resolved("missing", f"{package.path} does not declare it under imports")
        if target.startswith("./"):
            return self._file(posixpath.join(package.folder, target), specifier)
        return self._resolve(target, package.path)

    def _tsconfig_path(self, specifier: str, importer: str) -> Resolved | None:
        folder = posixpath.dirname(importer)
        while True:
            for pattern, targets in self.tsconfig_paths.get(folder, {}).items():
                star = _star(pattern, specifier)
                if star is None:
                    continue
                for target in targets:
                    found = self._file(target.replace("*", star, 1), specifier)
                    if found.kind != "missing":
                        return found
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def path_pattern(self, specifier: str, importer: str) -> str:
        """The tsconfig path pattern that a specifier falls under, "" where none in force does."""
        folder = posixpath.dirname(importer)
        while True:
            for pattern in self.tsconfig_paths.get(folder, {}):
                if pattern != "*" and _star(pattern, specifier) is not None:
                    return pattern
            if not folder:
                return ""
            folder = posixpath.dirname(folder)

    def _package(self, specifier: str, importer: str) -> Resolved:
        name = package_name(specifier)
        package = self.packages.named(name)
        if package is None or package.folder in (None,):
            return Resolved("external", specifier)
        nearest = self.packages.nearest_package(importer)
        if nearest is not package and self.packages.resolve(nearest.folder if nearest else "", name) is None:
            root = self.packages.workspace_root(package.folder)
            if root is None:
                return Resolved("external", specifier)
        subpath = "." + specifier[len(name) :]
        return self._entry_of(package, subpath, specifier)

    def _entry_of(self, package: Package, subpath: str, specifier: str) -> Resolved:
        if package.exports is not None:
            target = exported_target(package.exports, subpath)
            if target is None:
                return Resolved("missing", f"{package.path} does not export {subpath}")
            return self._file(posixpath.join(package.folder, target), specifier)
        if subpath != ".":
            return self._file(posixpath.join(package.folder, subpath), specifier)
        module = package.manifest.get("module")
        entries = (module if self.root is not None and isinstance(module, str) else "", package.main, "index")
        for entry in filter(None, entries):
            found = self._file(posixpath.join(package.folder, entry), specifier)
            if found.kind != "missing":
                return found
        return Resolved("missing", f"{package.path} names no entry that is in the build")


def _aliased(alias: Alias, specifier: str) -> str | None:
    if alias.is_regex:
        try:
            found = regular_expressions.find(alias.find, "", specifier, first_only=True)
        except regular_expressions.NotDecidable:
            return None
        if not found:
            return None
        start, end = found[0].span()
        return specifier[:start] + alias.replacement + specifier[end:]
    if specifier == alias.find:
        return alias.replacement
    # Vite: a string matches whole, or as a prefix followed by a slash (@rollup/plugin-alias `matches`).
    if specifier.startswith(alias.find if alias.find.endswith("/") else alias.find + "/"):
        rest = specifier[len(alias.find) :]
        return alias.replacement + rest if rest.startswith("/") else posixpath.join(alias.replacement, rest)
    return None


def _star(pattern: str, specifier: str) -> str | None:
    if "*" not in pattern:
        return "" if pattern == specifier else None
    before, after = pattern.split("*", 1)
    if len(specifier) >= len(before) + len(after) and specifier.startswith(before) and specifier.endswith(after):
        return specifier[len(before) : len(specifier) - len(after)]
    return None


def conditional_target(target: object, conditions: frozenset[str]) -> str | None:
    """The path that an `exports` or `imports` target means under conditions (Node's PACKAGE_TARGET_RESOLVE)."""
    if isinstance(target, str):
        return target
    if isinstance(target, list):
        return next((found for item in target if (found := conditional_target(item, conditions))), None)
    if isinstance(target, dict):
        for condition, item in target.items():
            if condition == "default" or condition in conditions:
                found = conditional_target(item, conditions)
                if found is not None:
                    return found
    return None


CONDITIONS = frozenset({"import", "node", "module", "development", "require", "browser"})


def matched_target(table: Mapping[str, object], key: str, conditions: frozenset[str] = CONDITIONS) -> str | None:
    """The entry of an `exports`/`imports` table for a key, `*` patterns included (longest prefix first)."""
    if key in table and "*" not in key:
        return conditional_target(table[key], conditions)
    for pattern in sorted((item for item in table if "*" in item), key=lambda item: -len(item.split("*")[0])):
        star = _star(pattern, key)
        if star:
            target = conditional_target(table[pattern], conditions)
            return target.replace("*", star) if target is not None else None
    return None


def exported_target(exports: object, subpath: str, conditions: frozenset[str] = CONDITIONS) -> str | None:
    """What `exports` of a package.json gives for "." or "./sub"."""
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        return matched_target(exports, subpath, conditions)
    return conditional_target(exports, conditions) if subpath == "." else None


def glob_pattern(pattern: str) -> re.Pattern[str]:
    """A path glob (`*`, `**`, `?`, `{a,b}`) as a regular expression on build paths."""
    out, position = "", 0
    while position < len(pattern):
        character = pattern[position]
        if pattern.startswith("**/", position):
            out, position = out + "(?:.*/)?", position + 3
            continue
        if pattern.startswith("**", position):
            out, position = out + ".*", position + 2
            continue
        if character == "*":
            out += "[^/]*"
        elif character == "?":
            out += "[^/]"
        elif character == "{" and "}" in pattern[position:]:
            end = pattern.index("}", position)
            out += "(?:" + "|".join(re.escape(item) for item in pattern[position + 1 : end].split(",")) + ")"
            position = end
        else:
            out += re.escape(character)
        position += 1
    return re.compile(out)
