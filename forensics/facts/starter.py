"""A build compared with the starter tree it began from: files, lines, functions."""

from __future__ import annotations

import difflib
import posixpath
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forensics.syntax import ir
from forensics.syntax.lowering import language_of, lower
from forensics.syntax.shape import shape_of
from forensics.syntax.walk import walk

if TYPE_CHECKING:
    from forensics.build import Build

_NO_SOURCE = re.compile(
    r"(^|/)(node_modules|\.git|dist|build|data|pgdata|logs?|screenshots?|coverage)/|\.(log|png|jpe?g|gif|webp|db|sqlite3?|"
    r"wal|shm|zip|gz)$|(^|/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$"
)
_SIMILAR = 0.6
"""Share of equal lines from which a deleted and an added file are taken for one that was moved."""


@dataclass(frozen=True)
class Comparison:
    """What became of a starter.

    `kept`, `modified`, `deleted` are starter paths, `added` build paths that are no dependencies, data, logs or
    pictures. `format_only` are modified files whose syntax tree is the same. `moved` maps starter paths to build paths.
    Shares are of the starter: `lines_kept` of its non-empty lines, functions by normalised syntax tree: unchanged
    anywhere in the build, changed (same name, other tree), removed.
    """

    files: int
    kept: tuple[str, ...]
    modified: tuple[str, ...]
    deleted: tuple[str, ...]
    added: tuple[str, ...]
    format_only: tuple[str, ...]
    moved: Mapping[str, str]
    lines_kept: float
    functions: int
    functions_kept: int
    functions_changed: int
    functions_removed: int

    @property
    def churn(self) -> float:
        """(modified + deleted) / starter files, as published."""
        return (len(self.modified) + len(self.deleted)) / self.files if self.files else 0.0


def compare_with_starter(build: Build, starter: Mapping[str, bytes]) -> Comparison:
    """Compare a build with a starter tree (path to bytes)."""
    paths = sorted(path for path in starter if not _NO_SOURCE.search(path))
    kept, modified, deleted = [], [], []
    for path in paths:
        if path not in build.files:
            deleted.append(path)
        elif build.read(path) == starter[path]:
            kept.append(path)
        else:
            modified.append(path)
    added = sorted(path for path in build.files if path not in starter and not _NO_SOURCE.search(path))
    moved = _moved(build, starter, deleted, added)
    format_only = tuple(path for path in modified if _same_content(path, starter[path], build.read(path)))
    before = _functions({path: starter[path] for path in paths})
    after = _functions({path: build.read(path) for path in build.files if _is_script(path)})
    shapes = Counter(shape for _, shape in after)
    names = {name for name, _ in after}
    unchanged = changed = removed = 0
    for name, shape in before:
        if shapes[shape] > 0:
            shapes[shape] -= 1
            unchanged += 1
        elif name and name in names:
            changed += 1
        else:
            removed += 1
    return Comparison(
        files=len(paths),
        kept=tuple(kept),
        modified=tuple(modified),
        deleted=tuple(deleted),
        added=tuple(added),
        format_only=format_only,
        moved=moved,
        lines_kept=_lines_kept(build, starter, paths, moved),
        functions=len(before),
        functions_kept=unchanged,
        functions_changed=changed,
        functions_removed=removed,
    )


def _is_script(path: str) -> bool:
    return language_of(path, b"") in ("javascript", "typescript", "tsx")


def _functions(sources: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """Name and shape of every function, outermost and nested alike; a function given to a variable has its name."""
    found: list[tuple[str, str]] = []
    for path, source in sorted(sources.items()):
        if not _is_script(path) or len(source) > 2_000_000:
            continue
        language = language_of(path, b"")
        script = lower(language, source) if language is not None else None
        if not isinstance(script, ir.Script):
            continue
        named: dict[int, str] = {}
        for node in walk(script.body):
            if (
                isinstance(node, ir.Declare)
                and isinstance(node.target, ir.Name)
                and isinstance(node.value, ir.Function)
            ):
                named[id(node.value)] = node.target.name
            elif isinstance(node, ir.Function):
                found.append((node.name or named.get(id(node), ""), shape_of([*node.parameters, *node.body])))
    return found


def _same_content(path: str, one: bytes, other: bytes) -> bool:
    """Whether two versions of a file differ in format only."""
    language = language_of(path, b"")
    if language in ("javascript", "typescript", "tsx"):
        first, second = lower(language, one), lower(language, other)
        if (
            isinstance(first, ir.Script)
            and isinstance(second, ir.Script)
            and not first.problems
            and not second.problems
        ):
            return shape_of(first.body) == shape_of(second.body)
    if language in ("json", "jsonc"):
        first, second = lower(language, one), lower(language, other)
        if isinstance(first, ir.Document) and isinstance(second, ir.Document):
            return not first.error and not second.error and first.value == second.value
    return b"".join(one.split()) == b"".join(other.split())


def _lines(source: bytes) -> list[str]:
    return [stripped for line in source.decode("utf-8", "replace").splitlines() if (stripped := " ".join(line.split()))]


def _moved(build: Build, starter: Mapping[str, bytes], deleted: list[str], added: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    taken: set[str] = set()
    for path in deleted:
        old = _lines(starter[path])
        best, score = "", _SIMILAR
        for other in added:
            if other in taken or posixpath.splitext(other)[1] != posixpath.splitext(path)[1]:
                continue
            share = (
                difflib.SequenceMatcher(None, old, _lines(build.read(other)), autojunk=False).ratio() if old else 0.0
            )
            if share >= score:
                best, score = other, share
        if best:
            found[path] = best
            taken.add(best)
    return found


def _lines_kept(build: Build, starter: Mapping[str, bytes], paths: list[str], moved: Mapping[str, str]) -> float:
    total = kept = 0
    for path in paths:
        old = _lines(starter[path])
        total += len(old)
        now = path if path in build.files else moved.get(path)
        if now is not None:
            matcher = difflib.SequenceMatcher(None, old, _lines(build.read(now)), autojunk=False)
            kept += sum(block.size for block in matcher.get_matching_blocks())
    return kept / total if total else 1.0
