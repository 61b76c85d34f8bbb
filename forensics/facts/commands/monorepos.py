"""turbo, lerna and nx, and the choice of packages by filters."""

from __future__ import annotations

from forensics.facts.command_arguments import (
    Argument,
    parse_npm,
)
from forensics.facts.commands.script_calls import outer_root, run_at_once
from forensics.facts.launch_plan import Place, Step
from forensics.facts.packages import Package, glob_matches
from forensics.facts.script_expansion import Context, Expander


def filtered(expander: Expander, members: list[Package], filters: list[str], context: Context) -> list[Package]:
    """https://pnpm.io/filtering: names with `*`, paths in `./` or `{}`, `...` for dependencies, `!` to take away."""
    only_takes_away = all(written.startswith("!") for written in filters)
    chosen = {package.folder: package for package in members if only_takes_away}
    for written in filters:
        wanted = written.strip("!").strip(".^").strip("{}") if not written.startswith("./") else written
        path = expander.resolve_path(context, wanted)[0] if written.startswith(("./", "{", "../")) else None
        for package in members:
            short = package.name.rpartition("/")[2]
            by_path = path is not None and (package.folder == path or glob_matches(path, package.folder))
            if by_path or (path is None and (glob_matches(wanted, package.name) or wanted == short)):
                if written.startswith("!"):
                    chosen.pop(package.folder, None)
                else:
                    chosen[package.folder] = package
    return list(chosen.values())


def in_dependency_order(packages: list[Package]) -> list[list[Package]]:
    """The packages in layers, each of which depends on earlier ones only (what is left of a cycle comes last)."""
    names = {package.name for package in packages}
    left = list(packages)
    done: set[str] = set()
    layers = []
    while left:
        ready = [
            package
            for package in left
            if all(item.name in done or item.name not in names for item in package.dependencies)
        ]
        layers.append(ready or left)
        done |= {package.name for package in layers[-1]}
        left = [package for package in left if package not in layers[-1]]
    return layers


def turbo(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    parsed = parse_npm(
        arguments[1:], frozenset({"filter", "cwd", "concurrency", "ui", "output-logs", "log-order"}), {"F": "filter"}
    )
    names = [word.text for word in parsed.positional if word.text != "run"]
    return _monorepo(expander, names, [item.text for item in parsed.values.get("filter", [])], context, place)


def lerna(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    parsed = parse_npm(arguments[1:], frozenset({"scope", "ignore", "concurrency", "loglevel", "since"}), {})
    words = [word.text for word in parsed.positional]
    if words[:1] == ["run"]:
        return _monorepo(expander, words[1:2], [item.text for item in parsed.values.get("scope", [])], context, place)
    return expander.process("tool", arguments, context, place)


def nx(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    values = frozenset({"target", "targets", "projects", "parallel", "configuration", "exclude", "output-style"})
    parsed = parse_npm(arguments[1:], values, {"t": "target", "p": "projects", "c": "configuration"})
    words = [word.text for word in parsed.positional]
    listed = [item.text for name in ("target", "targets") for item in parsed.values.get(name, [])]
    targets = [name for text in listed for name in text.split(",")]
    projects = [name for item in parsed.values.get("projects", []) for name in item.text.split(",")]
    if words[:1] in (["run-many"], ["affected"]):
        return _monorepo(expander, targets or words[1:], projects, context, place)
    if words[:1] == ["run"] and len(words) > 1:
        project, _, target = words[1].partition(":")
        return _monorepo(expander, [target.partition(":")[0]], [project], context, place)
    if len(words) >= 2:
        return _monorepo(expander, [words[0]], [words[1]], context, place)
    return expander.process("tool", arguments, context, place)


def _monorepo(expander: Expander, names: list[str], filters: list[str], context: Context, place: Place) -> Step:
    root = outer_root(expander, expander.package_here(context))
    members = expander.packages.workspaces_of(root) if root else []
    if filters:
        members = filtered(expander, members, filters, context)
    return run_at_once(expander, members, names, context, place)
