"""How a build is written, apart from what it does: counts over its sources that carry a writer's habits.

Everything is a share or a count over the build's own source files (generated and vendored ones left out), so that it
does not depend on the order of files. Definitions are the docstrings here; docs/idioms.md lists them by feature.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from forensics.facts.inventory import scripts_of, specifier_of
from forensics.syntax import ir
from forensics.syntax.walk import walk

if TYPE_CHECKING:
    from forensics.build import Build
    from forensics.syntax.index import FileIndex

SOURCE_EXTENSIONS = frozenset(
    {".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte", ".html", ".htm", ".css", ".scss"}
)
_GENERATED = re.compile(
    r"(^|/)(node_modules|dist|build|coverage|\.vite|vendor|third_party|public/assets)/|\.min\.(js|css)$|\.d\.[cm]?ts$"
)
_TEST = re.compile(r"(^|/)(tests?|__tests__|specs?|e2e)/|\.(test|spec)\.[cm]?[jt]sx?$", re.IGNORECASE)


def source_files(build: Build) -> tuple[str, ...]:
    """Paths of the build's own sources: scripts, components, pages and style sheets."""
    return tuple(
        path
        for path in build.files
        if posixpath.splitext(path)[1].lower() in SOURCE_EXTENSIONS and not _GENERATED.search(path)
    )


def test_files(build: Build) -> tuple[str, ...]:
    """Sources that are tests by their folder or name."""
    return tuple(path for path in source_files(build) if _TEST.search(path))


def lines_of_code(build: Build, paths: tuple[str, ...]) -> int:
    """Non-empty lines of the paths."""
    return sum(1 for path in paths for line in build.read(path).splitlines() if line.strip())


@dataclass(frozen=True)
class Habits:
    """Counts over every script of a build.

    `style` sums the lowering's style counts; `kinds` counts syntax-tree nodes by kind; `operators` by operator;
    `calls` counts the last name of each call; `declares` counts const, let and var.
    """

    style: Mapping[str, int]
    kinds: Mapping[str, int]
    operators: Mapping[str, int]
    calls: Mapping[str, int]
    declares: Mapping[str, int]
    names: tuple[str, ...]
    texts: tuple[str, ...]
    specifiers: tuple[str, ...]
    functions: int
    async_functions: int
    arrows: int
    longest_function: int

    def share(self, part: str, *whole: str) -> float | None:
        """A style count as a share of several, None where none of them occurs."""
        total = sum(self.style.get(name, 0) for name in whole)
        return round(self.style.get(part, 0) / total, 3) if total else None

    @cached_property
    def node_count(self) -> int:
        return sum(self.kinds.values())


def habits_of(build: Build, files: FileIndex) -> Habits:
    """The habits of a build's own scripts."""
    wanted = set(source_files(build))
    style: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    operators: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    declares: Counter[str] = Counter()
    names: list[str] = []
    texts: list[str] = []
    specifiers: list[str] = []
    functions = asynchronous = arrows = longest = 0
    for path, script in scripts_of(build, files):
        if path not in wanted:
            continue
        style.update(script.style)
        for node in walk(script.body):
            kinds[type(node).__name__] += 1
            specifier = specifier_of(node)
            if specifier:
                specifiers.append(specifier)
            match node:
                case ir.Function():
                    functions += 1
                    asynchronous += node.is_async
                    arrows += node.is_arrow
                    longest = max(longest, node.end - node.start)
                    if node.name:
                        names.append(node.name)
                case ir.Declare():
                    declares[node.kind] += 1
                    if isinstance(node.target, ir.Name):
                        names.append(node.target.name)
                case ir.Call():
                    if isinstance(node.callee, (ir.Member, ir.Name)):
                        calls[node.callee.name] += 1
                case ir.Binary() | ir.Logical() | ir.Unary():
                    operators[node.operator] += 1
                case ir.Const():
                    if isinstance(node.value, str) and len(node.value) > 1:
                        texts.append(node.value)
    return Habits(
        style=dict(style),
        kinds=dict(kinds),
        operators=dict(operators),
        calls=dict(calls),
        declares=dict(declares),
        names=tuple(names),
        texts=tuple(texts),
        specifiers=tuple(specifiers),
        functions=functions,
        async_functions=asynchronous,
        arrows=arrows,
        longest_function=longest,
    )
