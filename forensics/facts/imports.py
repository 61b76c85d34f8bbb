"""Import specifiers as the runtime that loads a file resolves them, strictly.

Files that Node runs get Node's rules (extensions are required in ES modules, `exports` maps bind); files under a
TypeScript loader or Vite get theirs. Sources: https://nodejs.org/api/esm.html#resolution-algorithm-specification,
https://nodejs.org/api/modules.html#all-together, https://vite.dev/config/shared-options.html#resolve-extensions.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from forensics.facts.interpreter import Site
from forensics.facts.parsing import module_goal
from forensics.facts.resolution import (
    MODULE_EXTENSIONS,
    SCRIPT_EXTENSIONS,
    Resolver,
    builtin_name,
    file_for,
    inside,
    package_name,
)
from forensics.syntax import ir
from forensics.syntax.walk import walk

if TYPE_CHECKING:
    from forensics.build import Build
    from forensics.facts.packages import Packages
    from forensics.syntax.index import FileIndex

Loader = Literal["node", "tsx", "vite"]
Problem = Literal["undeclared", "missing", "case", "extension", "not-exported"]

_PACKAGE_NAME = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*", re.IGNORECASE)
_NODE_CJS_EXTENSIONS = (".js", ".json", ".node")
_TYPESCRIPT = frozenset({".ts", ".tsx", ".mts", ".cts"})


@dataclass(frozen=True)
class Reference:
    """One specifier in a file. `form`: import, require, dynamic, export."""

    specifier: str
    path: str
    form: str
    site: Site
    bindings: tuple[ir.ImportBinding, ...] = ()
    guarded: bool = False


@dataclass(frozen=True)
class Broken:
    """A reference that its runtime can't satisfy. `detail` is what it is instead: the file of another case, the name of
    the package."""

    reference: Reference
    problem: Problem
    detail: str


def references(path: str, script: ir.Script) -> Iterator[Reference]:
    """Every literal specifier of a script; type-only imports, and imports used only as types, are left out."""
    is_typescript = posixpath.splitext(path)[1].lower() in _TYPESCRIPT
    used = {node.name for node in walk(script.body) if isinstance(node, ir.Name)} if is_typescript else set()
    used |= {
        b.local for node in script.body if isinstance(node, ir.Export) and not node.specifier for b in node.bindings
    }
    guarded = _guarded(script)
    for node in walk(script.body):
        if isinstance(node, ir.Import) and not node.type_only:
            if is_typescript and node.bindings and not any(binding.local in used for binding in node.bindings):
                continue
            site = Site(path, node.specifier_start, node.specifier_end)
            yield Reference(node.specifier, path, node.form or "import", site, tuple(node.bindings))
        elif isinstance(node, ir.Export) and node.specifier and not node.type_only:
            site = Site(path, node.specifier_start, node.specifier_end)
            yield Reference(node.specifier, path, "export", site)
        elif isinstance(node, ir.DynamicImport) and isinstance(node.specifier, ir.Const):
            if isinstance(node.specifier.value, str):
                site = Site(path, node.specifier.start, node.specifier.end)
                yield Reference(node.specifier.value, path, "dynamic", site, (), id(node) in guarded)
        elif isinstance(node, ir.Call) and isinstance(node.callee, ir.Name) and node.callee.name == "require":
            first = node.arguments[0] if node.arguments else None
            if isinstance(first, ir.Const) and isinstance(first.value, str):
                yield Reference(
                    first.value, path, "require", Site(path, first.start, first.end), (), id(node) in guarded
                )


def _guarded(script: ir.Script) -> set[int]:
    """Calls inside a try block with a handler: what they can't load is expected."""
    found: set[int] = set()
    for node in walk(script.body):
        if isinstance(node, ir.Try) and node.handler is not None:
            found.update(id(inner) for inner in walk(node.block))
    return found


class ImportChecker:
    """Checks references of one build."""

    def __init__(self, build: Build, files: FileIndex, packages: Packages, node: Resolver) -> None:
        self.build = build
        self.files = files
        self.packages = packages
        self.node = node
        self._lower = {path.lower(): path for path in build.files}

    def check(self, reference: Reference, loader: Loader, browser: Resolver | None) -> Broken | None:
        """What is wrong with a reference under its loader, None where nothing is."""
        specifier = reference.specifier
        resolver = browser if loader == "vite" and browser is not None else self.node
        if loader == "vite":
            if "://" in specifier or specifier.startswith(("data:", "virtual:", "\0", "/@", "~", "?", "blob:")):
                return None
            specifier = specifier.split("?")[0] or specifier
        if specifier.startswith(("file:", "data:", "http:", "https:", "bun:", "npm:", "jsr:", "cloudflare:", "astro:")):
            return None
        if specifier.startswith((".", "/")):
            return self._file(reference, specifier, loader, resolver)
        if builtin_name(specifier) is not None or (specifier.startswith("node:") and loader != "vite"):
            return None
        resolved = resolver.resolve(specifier, reference.path)
        if resolved.kind in ("module", "asset"):
            return None
        if specifier.startswith("#"):
            return Broken(reference, "missing", resolved.target)
        if resolved.kind == "missing":
            return Broken(reference, "not-exported" if "export" in resolved.target else "missing", resolved.target)
        return self._package(reference, specifier, loader, resolver)

    def _package(self, reference: Reference, specifier: str, loader: Loader, resolver: Resolver) -> Broken | None:
        name = package_name(specifier)
        if loader == "vite" and _is_virtual(specifier, resolver):
            return None
        if not _PACKAGE_NAME.fullmatch(name):
            # `@/lib` is nobody's package: an alias, which a tsconfig that names it says where to look for.
            pattern = self.node.path_pattern(specifier, reference.path)
            return Broken(reference, "missing", f"no file under the path {pattern}") if pattern else None
        package = self.packages.nearest_package(reference.path)
        if package is None:
            return None
        if package.name == name and package.exports is not None:
            return None
        if self.packages.resolve(package.folder, name) is not None:
            return None
        if self.packages.locked_version(package.folder, name) is not None:
            return None
        if any(name in names for names in self.build.outer_dependencies):
            return None
        return Broken(reference, "undeclared", name)

    def _file(self, reference: Reference, specifier: str, loader: Loader, resolver: Resolver) -> Broken | None:
        if specifier.startswith("/"):
            if loader != "vite":
                return None
            return (
                None
                if resolver.resolve(specifier, reference.path).kind != "missing"
                else Broken(reference, "missing", specifier)
            )
        target = inside(posixpath.join(posixpath.dirname(reference.path), specifier))
        if target is None or "node_modules" in target.split("/"):
            return None
        found = self._strict(reference, target, loader)
        if found is not None:
            return None
        lenient = file_for(self.build, target)
        if lenient is not None:
            return Broken(reference, "extension", lenient)
        other = self._other_case(target)
        if other is not None:
            return Broken(reference, "case", other)
        return Broken(reference, "missing", target)

    def _strict(self, reference: Reference, target: str, loader: Loader) -> str | None:
        files = self.build.files
        if target in files:
            return target
        if loader != "node":
            return file_for(self.build, target)
        is_require = reference.form == "require"
        if not is_require and reference.form in ("import", "export"):
            # In a file that Node reads as CommonJS an import statement is a bundler's or a TypeScript loader's.
            is_require = module_goal(self.packages, reference.path) == "commonjs"
        if not is_require:
            return None
        for extension in _NODE_CJS_EXTENSIONS:
            if target + extension in files:
                return target + extension
        manifest = posixpath.join(target, "package.json")
        if manifest in files:
            package = self.packages.package_at(target)
            if package is not None and package.main:
                return file_for(self.build, posixpath.normpath(posixpath.join(target, package.main)))
        for extension in _NODE_CJS_EXTENSIONS:
            index = posixpath.join(target, "index" + extension)
            if index in files:
                return index
        return None

    def _other_case(self, target: str) -> str | None:
        lower = target.lower()
        for candidate in (lower, *(lower + extension for extension in MODULE_EXTENSIONS)):
            if candidate in self._lower:
                return self._lower[candidate]
        for extension in MODULE_EXTENSIONS:
            index = posixpath.join(lower, "index" + extension)
            if index in self._lower:
                return self._lower[index]
        return None

    def missing_exports(self, reference: Reference, loader: Loader, browser: Resolver | None) -> list[ir.ImportBinding]:
        """Named imports that the target module, whose exports can all be listed, does not have."""
        if not reference.bindings or reference.form != "import":
            return []
        resolver = browser if loader == "vite" and browser is not None else self.node
        resolved = resolver.resolve(reference.specifier, reference.path)
        if resolved.kind != "module" or posixpath.splitext(resolved.target)[1] not in SCRIPT_EXTENSIONS - {
            ".json",
            ".vue",
            ".svelte",
        }:
            return []
        names = self.exports_of(resolved.target, resolver, frozenset())
        if names is None:
            return []
        return [b for b in reference.bindings if b.imported not in names and b.imported not in ("*",)]

    def exports_of(self, path: str, resolver: Resolver, seen: frozenset[str]) -> frozenset[str] | None:
        """Names that an ES module exports, types included; None where they can't all be listed."""
        script = self.files.script(path)
        if script is None or script.problems or path in seen or len(seen) > 20:
            return None
        if not any(isinstance(node, (ir.Export, ir.ExportDeclaration, ir.ExportDefault)) for node in script.body):
            # A CommonJS module, or one that exports nothing: only a module that imports is surely an ES module.
            return (
                frozenset()
                if any(isinstance(node, ir.Import) for node in script.body)
                and "exports" not in {node.name for node in walk(script.body) if isinstance(node, (ir.Name, ir.Member))}
                else None
            )
        found: set[str] = set()
        for node in script.body:
            if isinstance(node, ir.ExportDeclaration):
                for declaration in node.declarations:
                    found.update(_declared(declaration))
            elif isinstance(node, ir.ExportDefault):
                if node.form == "assignment":
                    return None
                found.add("default")
            elif isinstance(node, ir.TypeDeclaration):
                found.add(node.name)
            elif isinstance(node, ir.Export):
                for binding in node.bindings:
                    if binding.exported != "*":
                        found.add(binding.exported)
                        continue
                    target = resolver.resolve(node.specifier, path)
                    if target.kind != "module":
                        return None
                    inner = self.exports_of(target.target, resolver, seen | {path})
                    if inner is None:
                        return None
                    found.update(inner - {"default"})
        return frozenset(found)


def _declared(statement: ir.Statement) -> Iterator[str]:
    from forensics.facts.interpreter import declared_names

    yield from declared_names(statement)
    if isinstance(statement, ir.TypeDeclaration):
        yield statement.name


def _is_virtual(specifier: str, resolver: Resolver) -> bool:
    """Whether an alias or a plugin's own prefix stands behind a specifier."""
    if any(
        specifier == alias.find or specifier.startswith(alias.find) for alias in resolver.aliases if not alias.is_regex
    ):
        return True
    return specifier.startswith(("virtual:", "@id/", "uno.css", "virtual/", "~", "$", "@/")) or specifier == "uno.css"
