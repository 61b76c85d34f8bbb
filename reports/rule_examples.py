"""A rule's examples: the small builds `scanners/examples/<scanner>/<rule>/{failing,near-miss}…/`.

Beside each folder stands a `.toml` of the same name whose `summary` says in one sentence what happens in that build.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from msgspec import Struct

LONGEST_FILE = 6000


class ExampleTree(Struct, frozen=True):
    """One example build: its folder's name, its files by path (POSIX, sorted), what happens in it ("" if untold)."""

    name: str
    files: dict[str, str]
    summary: str = ""


class RuleExamples(Struct, frozen=True):
    failing: tuple[ExampleTree, ...] = ()
    near_misses: tuple[ExampleTree, ...] = ()


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
    trees = [
        ExampleTree(entry.name, _files(entry), _summary(place, entry.name))
        for entry in sorted(place.iterdir(), key=lambda entry: entry.name)
        if entry.is_dir()
    ]
    return RuleExamples(
        failing=tuple(tree for tree in trees if tree.name.startswith("failing")),
        near_misses=tuple(tree for tree in trees if tree.name.startswith("near-miss")),
    )


def _summary(place: Path | Traversable, name: str) -> str:
    described = place / f"{name}.toml"
    if not described.is_file():
        return ""
    return str(tomllib.loads(described.read_bytes().decode("utf-8")).get("summary", ""))


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
