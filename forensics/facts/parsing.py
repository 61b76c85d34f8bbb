"""Which files of a build can't be parsed, by the goal under which their runtime reads them.

Node decides the goal by extension, then the nearest package.json's `type`, then (since 20.19 and 22.7) by whether the
file holds module syntax; Vite and bundlers read everything as a module.
Source: https://nodejs.org/api/packages.html#determining-module-system.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from forensics.syntax import ir
from forensics.syntax.early_errors import KINDS, early_errors

if TYPE_CHECKING:
    from forensics.build import Build
    from forensics.facts.packages import Packages
    from forensics.syntax.index import FileIndex

Goal = Literal["module", "commonjs", "detect"]

_TYPESCRIPT = frozenset({".ts", ".tsx", ".mts", ".cts"})
_GENERATED = re.compile(r"(^|/)(vendor|third_party)/|\.min\.(js|css)$|\.bundle\.js$|\.d\.[cm]?ts$")


@dataclass(frozen=True)
class ParseFailure:
    """Why a file can't be read by its runtime. `kind` is "syntax" or one of the early errors' kinds."""

    path: str
    start: int
    end: int
    kind: str
    message: str


def module_goal(packages: Packages, path: str) -> Goal:
    """How Node reads a file: `detect` where neither extension nor manifest decides."""
    extension = posixpath.splitext(path)[1].lower()
    if extension in (".mjs", ".mts"):
        return "module"
    if extension in (".cjs", ".cts"):
        return "commonjs"
    package = packages.nearest_package(path)
    kind = package.module_type if package is not None else ""
    return "module" if kind == "module" else "commonjs" if kind == "commonjs" else "detect"


def parse_failures(
    build: Build, files: FileIndex, packages: Packages, bundled: frozenset[str]
) -> dict[str, tuple[ParseFailure, ...]]:
    """Files that don't parse, by path. `bundled` names those that Vite serves, which are read as modules."""
    found: dict[str, tuple[ParseFailure, ...]] = {}
    for path in build.files:
        if _GENERATED.search(path):
            continue
        failures = tuple(_failures(build, files, packages, path, path in bundled))
        if failures:
            found[path] = failures
    return found


def _failures(build: Build, files: FileIndex, packages: Packages, path: str, is_bundled: bool) -> list[ParseFailure]:
    language = files.language(path)
    if language in ("javascript", "typescript", "tsx"):
        script = files.script(path)
        if script is None:
            return []
        goal = "module" if is_bundled else module_goal(packages, path)
        return _script_failures(build, path, script, goal)
    if language in ("json", "jsonc"):
        document = files.document(path)
        if document is not None and document.error and build.read(path).strip():
            return [ParseFailure(path, document.error_at, document.error_at + 1, "syntax", document.error)]
        return []
    if language == "css":
        sheet = files.stylesheet(path)
        return [_of(path, problem) for problem in sheet.problems] if sheet is not None else []
    if language in ("html", "vue", "svelte"):
        page = files.page(path)
        if page is None:
            return []
        found = [_of(path, problem) for problem in page.problems]
        for item in page.scripts:
            found.extend(_script_failures(build, path, item.script, "module" if item.kind == "module" else "detect"))
        return found
    return []


def _script_failures(build: Build, path: str, script: ir.Script, goal: Goal) -> list[ParseFailure]:
    if script.problems:
        return [_of(path, problem) for problem in script.problems]
    is_typescript = posixpath.splitext(path)[1].lower() in _TYPESCRIPT
    is_module = goal == "module" or (goal == "detect" and script.has_module_syntax) or is_typescript
    source = build.read(path)
    return [
        ParseFailure(path, problem.start, problem.end, problem.kind, KINDS.get(problem.kind, problem.text))
        for problem in early_errors(script, source, is_module, is_typescript)
        # Node runs module syntax under an explicit "commonjs" only to refuse it, which is a clash of formats.
        if problem.kind != "module-syntax-in-script"
    ]


def _of(path: str, problem: ir.SyntaxProblem) -> ParseFailure:
    what = f"{problem.text!r} is missing" if problem.kind == "missing" else f"{problem.text!r} can't stand here"
    return ParseFailure(path, problem.start, max(problem.end, problem.start + 1), "syntax", what)
