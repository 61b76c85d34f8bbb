"""What the code of a build mentions: imported packages, names and texts, each with the places where it stands.

Comments and documents are not code: a README that praises a library is no evidence of its use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forensics.facts.interpreter import Site
from forensics.facts.resolution import builtin_name, package_name
from forensics.syntax import ir
from forensics.syntax.walk import walk

if TYPE_CHECKING:
    from forensics.build import Build
    from forensics.syntax.index import FileIndex


@dataclass(frozen=True)
class Inventory:
    """Sites by package, by identifier or member name, and by literal text (whole literals and parts of templates)."""

    packages: Mapping[str, tuple[Site, ...]]
    names: Mapping[str, tuple[Site, ...]]
    texts: Mapping[str, tuple[Site, ...]]


def scripts_of(build: Build, files: FileIndex) -> list[tuple[str, ir.Script]]:
    """Every script of a build with its path: files, inline scripts of pages, script blocks of components."""
    found: list[tuple[str, ir.Script]] = []
    for path in build.files:
        language = files.language(path)
        if language in ("html", "vue", "svelte"):
            page = files.page(path)
            found.extend((path, item.script) for item in (page.scripts if page is not None else []))
        elif language is not None:
            script = files.script(path)
            if script is not None:
                found.append((path, script))
    return found


def take_inventory(build: Build, files: FileIndex) -> Inventory:
    """The inventory of every script of a build."""
    packages: dict[str, list[Site]] = defaultdict(list)
    names: dict[str, list[Site]] = defaultdict(list)
    texts: dict[str, list[Site]] = defaultdict(list)
    for path, script in scripts_of(build, files):
        for node in walk(script.body):
            site = Site(path, node.start, node.end)
            specifier = specifier_of(node)
            if specifier and not specifier.startswith((".", "/", "#")) and builtin_name(specifier) is None:
                packages[package_name(specifier)].append(site)
            if isinstance(node, (ir.Name, ir.Member)):
                names[node.name].append(site)
            elif isinstance(node, ir.Const) and isinstance(node.value, str):
                texts[node.value].append(site)
    return Inventory(
        {key: tuple(sites) for key, sites in packages.items()},
        {key: tuple(sites) for key, sites in names.items()},
        {key: tuple(sites) for key, sites in texts.items()},
    )


def specifier_of(node: ir.Node) -> str:
    """The specifier that an import, re-export, `require` or literal dynamic import names, "" for other nodes."""
    if isinstance(node, ir.Import) and not node.type_only:
        return node.specifier
    if isinstance(node, ir.Export) and not node.type_only:
        return node.specifier
    if isinstance(node, ir.DynamicImport) and isinstance(node.specifier, ir.Const):
        return node.specifier.value if isinstance(node.specifier.value, str) else ""
    if (
        isinstance(node, ir.Call)
        and isinstance(node.callee, ir.Name)
        and node.callee.name == "require"
        and node.arguments
    ):
        first = node.arguments[0]
        return first.value if isinstance(first, ir.Const) and isinstance(first.value, str) else ""
    return ""
