"""Calls from command to script: in turn, side by side, or to a package's binary."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from forensics.facts.command_arguments import (
    Argument,
)
from forensics.facts.launch_plan import NOTHING, Parallel, Place, Step
from forensics.facts.packages import Package
from forensics.facts.script_expansion import Context, Expander, in_order


def run_in_turn(
    expander: Expander,
    packages: list[Package],
    name: str,
    forwarded: list[Argument],
    context: Context,
    place: Place,
    if_present: bool,
    with_hooks: bool = True,
) -> Step:
    """`run NAME` in each of the packages in turn."""
    steps = []
    for package in packages:
        exists = name in package.scripts
        if not exists and name == "start":
            exists = posixpath.join(package.folder, "server.js") in expander.build.files
        if exists:
            steps.append(expander.script(package, name, context.at(place), forwarded, with_hooks))
        elif name == "restart":
            steps.append(expander.script(package, "start", context.at(place), forwarded, with_hooks))
        elif not if_present:
            steps.append(expander.undefined(package.folder, name, "undefined", place))
    return in_order(steps)


def run_at_once(
    expander: Expander,
    packages: Iterable[Package],
    names: list[str],
    context: Context,
    place: Place,
    forwarded: Sequence[Argument] = (),
) -> Step:
    """The scripts of these names in every package that has them, side by side (turbo, lerna, nx, pnpm --parallel)."""
    found = [(package, name) for name in names for package in packages if name in package.scripts]
    if not found:
        for name in names:
            expander.undefined("", name, "no workspace", place)
        return NOTHING
    steps = [expander.script(package, name, context.at(place), list(forwarded)) for package, name in found]
    return steps[0] if len(steps) == 1 else Parallel(tuple(steps), ends_others="failure")


def run_binary(expander: Expander, words: list[Argument], context: Context, place: Place) -> Step:
    """The binary of a package, `vite@latest` included."""
    if words and words[0].text == "--":
        words = words[1:]
    if not words:
        return NOTHING
    package = re.match(r"((?:@[\w.-]+/)?[\w.-]+)(?:@[^/]*)?$", words[0].text)
    if package:
        binary = BINARIES.get(package.group(1), package.group(1))
        words = [words[0].rewritten(binary) if binary != words[0].text else words[0], *words[1:]]
    return expander.run_command(expander, words, context, place)


BINARIES = {
    "typescript": "tsc",
    "npm-run-all2": "npm-run-all",
    "dotenv-cli": "dotenv",
    "@angular/cli": "ng",
    "@vue/cli-service": "vue-cli-service",
    "@nestjs/cli": "nest",
    "@babel/node": "babel-node",
    "webpack-cli": "webpack",
    "@tailwindcss/cli": "tailwindcss",
    "@dotenvx/dotenvx": "dotenvx",
    "start-server-and-test": "start-server-and-test",
}


def outer_root(expander: Expander, package: Package | None) -> Package | None:
    """The workspace root that a package is, or belongs to."""
    if package is None:
        return None
    return package if package.workspaces else expander.packages.workspace_root(package.folder)


def without_options(arguments: list[Argument]) -> list[Argument]:
    """The arguments from the first that is no option on."""
    for at, argument in enumerate(arguments):
        if argument.text == "--":
            return arguments[at + 1 :]
        if not argument.text.startswith("-"):
            return arguments[at:]
    return []


def binary_or_missing(
    expander: Expander, package: Package, words: list[Argument], context: Context, place: Place
) -> Step:
    """What `yarn NAME` and `pnpm NAME` run where no script has the name: a binary of that name, which only a declared
    dependency or a package of the build can bring; without one the call fails."""
    name = words[0].text
    providers = {name, *(provider for provider, binary in BINARIES.items() if binary == name)}
    if name in ("run-p", "run-s", "npm-run-all"):
        providers |= {"npm-run-all", "npm-run-all2"}
    offered = any(name in other.bin for other in expander.packages)
    if (
        name in ("node", "nodejs")
        or offered
        or any(expander.packages.resolve(package.folder, one) for one in providers)
    ):
        return run_binary(expander, words, context, place)
    return expander.undefined(package.folder, name, "undefined", place)
