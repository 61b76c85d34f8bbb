"""A rule's examples: the small builds under `scanners/examples/<scanner>/<rule>/{failing,near-miss}*/`."""

from __future__ import annotations

import difflib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from msgspec import Struct

LONGEST_FILE = 6000
DIFF_CONTEXT = 2


class ExampleTree(Struct, frozen=True):
    """One example build: its folder's name and its files by path (POSIX, sorted)."""

    name: str
    files: dict[str, str]


class RuleExamples(Struct, frozen=True):
    failing: tuple[ExampleTree, ...] = ()
    near_misses: tuple[ExampleTree, ...] = ()


class FileDifference(Struct, frozen=True):
    """How one file differs between a failing example and its near miss, as unified diff lines with their sign."""

    path: str
    lines: tuple[str, ...]


def examples_folder() -> Traversable:
    """The examples that ship with the scanners."""
    return files("scanners") / "examples"


def read_examples(folder: Path | Traversable, rule: str) -> RuleExamples:
    """The examples of a rule under the examples folder; none where it has no folder."""
    place = folder
    for part in rule.split("/"):
        place = place / part
    if not place.is_dir():
        return RuleExamples()
    trees = sorted((tree for tree in place.iterdir() if tree.is_dir()), key=lambda tree: tree.name)
    return RuleExamples(
        failing=tuple(ExampleTree(tree.name, _files(tree)) for tree in trees if tree.name.startswith("failing")),
        near_misses=tuple(ExampleTree(tree.name, _files(tree)) for tree in trees if tree.name.startswith("near-miss")),
    )


def closest_failing(near_miss: ExampleTree, examples: RuleExamples) -> ExampleTree | None:
    """The failing example that a near miss is told apart from: the one that shares the most lines with it."""

    def shared(tree: ExampleTree) -> int:
        own = {(path, line) for path, text in tree.files.items() for line in text.splitlines()}
        return sum((path, line) in own for path, text in near_miss.files.items() for line in text.splitlines())

    return max(examples.failing, key=shared, default=None)


def differences(failing: ExampleTree, near_miss: ExampleTree) -> tuple[FileDifference, ...]:
    """What changes from the failing example to the near miss, file by file."""
    found = []
    for path in sorted({*failing.files, *near_miss.files}):
        before, after = failing.files.get(path), near_miss.files.get(path)
        if before == after:
            continue
        lines = difflib.unified_diff(
            (before or "").splitlines(), (after or "").splitlines(), lineterm="", n=DIFF_CONTEXT
        )
        found.append(FileDifference(path, tuple(line for line in lines if not line.startswith(("---", "+++")))))
    return tuple(found)


def _files(tree: Path | Traversable, prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in sorted(tree.iterdir(), key=lambda entry: entry.name):
        path = prefix + entry.name
        if entry.is_dir():
            found.update(_files(entry, path + "/"))
            continue
        text = entry.read_bytes().decode("utf-8", "replace")
        found[path] = text if len(text) <= LONGEST_FILE else text[:LONGEST_FILE] + "\n…\n"
    return found
