"""The launch plans of a build: what each declared script starts, and which scripts are its declared ways to run.

    launch = read_launch(build, packages, document)
    for plan in launch.dev_plans().plans:
        for process in processes(plan): ...

`document` gives the lowered JSON of a path (nodemon.json). Two facts come from whoever evaluates the scripts:
`Launch.expand_launchers` takes what a Node launcher spawns, `with_lifetimes` which scripts stay up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from forensics.build import Build
from forensics.facts import shell
from forensics.facts.command_arguments import Argument
from forensics.facts.commands.dispatch import run_command
from forensics.facts.launch_plan import (
    NOTHING,
    LaunchPlan,
    Parallel,
    Place,
    Process,
    Sequence,
    Step,
    map_processes,
    mark_blocked,
    processes,
)
from forensics.facts.packages import Package, Packages
from forensics.facts.script_expansion import Context, Expander
from forensics.facts.values import Unknown
from forensics.syntax.ir import Document

FRONT_END_KINDS = frozenset({"vite-dev", "other-dev-server"})
LIFECYCLE_SCRIPTS = ("preinstall", "install", "postinstall", "prepare")
"""What `npm install` in a package root runs, in this order."""

MAX_LAUNCHES = 3
"""Launchers that start launchers: deeper than this is not followed."""

_DEV_NAMES = ("dev", "start", "serve", "develop")
_DEV_VARIANT = re.compile(r"(?:dev|start|serve|develop|run)[:._-](?:dev|all|both|full|local|development|everything)\Z")
_HALF = re.compile(
    r"(?:(?:dev|start|serve|run|watch)[:._-])?"
    r"(?:client|server|web|api|front(?:-?end)?|back(?:-?end)?|ui|app|vite|backend|frontend|site|page|service)"
    r"(?:[:._-](?:dev|start|serve))?\Z"
)


class SpawnedCommand(Struct, frozen=True, kw_only=True):
    """A command that a Node script starts: an argument list, or a text for a shell.

    `cwd` is relative to the build's root; `env` holds what the child gets beyond the parent's environment; `waits` is
    whether the script stands still until it ends (`execSync`, an awaited promise); `place` is the call.
    """

    command: list[str | Unknown] | str
    cwd: str
    env: Mapping[str, str | Unknown]
    place: Place
    waits: bool = False


class DevPlans(Struct, frozen=True):
    """The plans that together are the declared way to develop, and by which rule they were chosen.

    `how`: "dev" (a script of the root manifest by that name), "start", "serve", "develop" (the first of them that
    reaches a front-end dev server where there is no `dev`), "variant" (`dev:all`, `start:dev`), "parts" (scripts of the
    root for each half: `client` and `server`, `dev:web` and `dev:api`), "packages" (the `dev` or `start` scripts of the
    packages in sub-folders), "fallback" (`start` or `serve` though no dev server is behind it), "none".
    """

    plans: tuple[LaunchPlan, ...]
    how: Literal["dev", "start", "serve", "develop", "variant", "parts", "packages", "fallback", "none"]


class Launch:
    """The launch plans of a build by (package folder, script name)."""

    def __init__(self, build: Build, packages: Packages, document: Callable[[str], Document]) -> None:
        self.build = build
        self.packages = packages
        self.document = document
        self.plans: dict[tuple[str, str], LaunchPlan] = {
            (package.folder, name): self._plan(package, name) for package in packages for name in package.scripts
        }
        for package in packages:
            server = f"{package.folder}/server.js" if package.folder else "server.js"
            if "start" not in package.scripts and server in build.files:
                self.plans[(package.folder, "start")] = self._plan(package, "start")  # npm's default

    def _expander(self) -> Expander:
        return Expander(self.build, self.packages, self.document, run_command)

    def _plan(self, package: Package, name: str) -> LaunchPlan:
        expander = self._expander()
        context = Context(cwd=package.folder, package=package.folder)
        steps = expander.script(package, name, context, [])
        return LaunchPlan(
            folder=package.folder,
            script=name,
            steps=mark_blocked(steps),
            implicit=name not in package.scripts,
            missing_scripts=tuple(expander.missing),
            windows_forms=tuple(expander.windows_forms),
        )

    def plan(self, folder: str, script: str) -> LaunchPlan | None:
        return self.plans.get((folder, script))

    def of_text(self, text: str, folder: str = "", place: Place | None = None) -> LaunchPlan:
        """The plan of a command that stands elsewhere (a README, a Dockerfile), run in a folder of the build."""
        place = place or Place("", "", 0, 0)
        expander = self._expander()
        context = Context(cwd=folder, package=folder, path=place.path, script=place.script)
        steps = expander.text(Argument(text, _all_at(place, len(text))), context)
        return LaunchPlan(
            folder=folder,
            script=text,
            steps=mark_blocked(steps),
            missing_scripts=tuple(expander.missing),
            windows_forms=tuple(shell.windows_forms(text)),
        )

    # --------------------------------------------------- which scripts count

    def dev_plans(self) -> DevPlans:
        """The declared way to develop, by the first rule that finds one (see `DevPlans.how`)."""
        root = self._main_package()
        if root is not None:
            named = {name: plan for name in _DEV_NAMES if (plan := self.plan(root.folder, name))}
            if "dev" in named:
                return DevPlans((named["dev"],), "dev")
            for name in ("start", "serve", "develop"):
                if name in named and reaches(named[name], FRONT_END_KINDS):
                    return DevPlans((named[name],), name)
            variants = [self.plans[(root.folder, name)] for name in root.scripts if _DEV_VARIANT.match(name)]
            for plan in variants:
                if reaches(plan, FRONT_END_KINDS):
                    return DevPlans((plan,), "variant")
            parts = [self.plans[(root.folder, name)] for name in root.scripts if _HALF.match(name)]
            if any(reaches(plan, FRONT_END_KINDS) for plan in parts):
                serving = [plan for plan in parts if _serves(plan)]
                return DevPlans((*serving, *_missing_start(named, serving)), "parts")
        inner = [plan for package in self._sub_packages() if (plan := self._package_dev(package))]
        if inner:
            return DevPlans(tuple(inner), "packages")
        if root is not None:
            for name in ("start", "serve", "develop"):
                if name in named:
                    return DevPlans((named[name],), "fallback")
            if variants:
                return DevPlans((variants[0],), "fallback")
        return DevPlans((), "none")

    def start_plans(self) -> tuple[LaunchPlan, ...]:
        """The declared way to run in production: the root's `start`, else its `start:prod` or the like, else the
        `start` scripts of the packages below it."""
        return self._first(("start", "start:prod", "start:production", "prod", "production", "serve:prod", "serve"))

    def build_plans(self) -> tuple[LaunchPlan, ...]:
        return self._first(("build", "build:all", "build:prod", "build:client", "build:web", "client:build", "bundle"))

    def preview_plans(self) -> tuple[LaunchPlan, ...]:
        return self._first(("preview",))

    def install_plans(self, folder: str = "") -> list[LaunchPlan]:
        """What installing a package root runs, in order."""
        return [plan for name in LIFECYCLE_SCRIPTS if (plan := self.plan(folder, name))]

    def _first(self, names: Iterable[str]) -> tuple[LaunchPlan, ...]:
        root = self._main_package()
        if root is not None:
            for name in names:
                plan = self.plan(root.folder, name)
                if plan:
                    return (plan,)
        found = []
        for package in self._sub_packages():
            plan = next((plan for name in names if (plan := self.plan(package.folder, name))), None)
            if plan:
                found.append(plan)
        return tuple(found)

    def _main_package(self) -> Package | None:
        """The package a person starts in: the build's root, else the only package, else none."""
        if self.packages.root is not None:
            return self.packages.root
        return next(iter(self.packages)) if len(self.packages) == 1 else None

    def _sub_packages(self) -> list[Package]:
        """The packages a person would start one by one: the outermost below the root, workspaces included."""
        main = self._main_package()
        found: list[Package] = []
        for package in self.packages:
            inside = any(package.folder.startswith(f"{other.folder}/") for other in found)
            if package is not main and package.folder and (not inside or self.packages.workspace_root(package.folder)):
                found.append(package)
        return found

    def _package_dev(self, package: Package) -> LaunchPlan | None:
        for name in ("dev", "start", "serve", "develop"):
            plan = self.plan(package.folder, name)
            if plan is not None and _serves(plan):
                return plan
        return None

    # -------------------------------------------------------------- launchers

    def expand_launchers(
        self, plan: LaunchPlan, spawned: Callable[[Process], list[SpawnedCommand]], depth: int = 0
    ) -> LaunchPlan:
        """The plan with what its Node scripts start put beside them.

        `spawned` gives the commands that a process (kinds node and tsx) starts, in order. Programmatic servers are not
        commands: add them to the tree with `attach`.
        """
        missing = list(plan.missing_scripts)

        def changed(process: Process) -> Step:
            if process.kind not in ("node", "tsx") or not process.entry:
                return process
            commands = spawned(process)
            if not commands:
                return process
            children: list[Step] = []
            for command in commands:
                expander = self._expander()
                child = self._spawned(expander, process, command)
                missing.extend(item for item in expander.missing if item not in missing)
                if depth + 1 < MAX_LAUNCHES and child != NOTHING:
                    inner = LaunchPlan(folder=plan.folder, script=plan.script, steps=child)
                    inner = self.expand_launchers(inner, _once(spawned, process), depth + 1)
                    child = inner.steps
                    missing.extend(item for item in inner.missing_scripts if item not in missing)
                children.append(Sequence((child,)) if command.waits else child)
            return attach(process, _spawn_order(children, commands))

        steps = mark_blocked(map_processes(plan.steps, changed))
        return replace(plan, steps=steps, missing_scripts=tuple(missing))

    def _spawned(self, expander: Expander, parent: Process, command: SpawnedCommand) -> Step:
        package = self.packages.package_at(command.cwd) if not command.cwd.startswith(("..", "/")) else None
        context = Context(
            cwd=command.cwd,
            env={**parent.env, **command.env},
            env_files=parent.env_files,
            package=package.folder if package else "",
            path=command.place.path,
            script=command.place.script,
            chain=parent.chain,
        )
        if isinstance(command.command, str):
            text = Argument(command.command, _all_at(command.place, len(command.command)))
            return expander.text(text, context)
        arguments = [
            Argument("?", _all_at(command.place, 1), word.reason)
            if isinstance(word, Unknown)
            else Argument(word, _all_at(command.place, len(word)))
            for word in command.command
        ]
        return run_command(expander, arguments, context, command.place) if arguments else NOTHING


def read_launch(build: Build, packages: Packages, document: Callable[[str], Document]) -> Launch:
    """The launch plans of every script of every package root."""
    return Launch(build, packages, document)


def reaches(plan: LaunchPlan, kinds: Iterable[str]) -> bool:
    """Whether a plan starts a process of one of these kinds (blocked ones count: the text reaches them)."""
    wanted = frozenset(kinds)
    return any(process.kind in wanted for process in processes(plan))


def attach(process: Process, children: Step) -> Step:
    """A process with what it starts beside it. Children that are Node's own servers (Vite's `createServer`) are
    processes with `programmatic=True`."""
    return Parallel((process, children)) if children != NOTHING else process


def _once(
    spawned: Callable[[Process], list[SpawnedCommand]], parent: Process
) -> Callable[[Process], list[SpawnedCommand]]:
    """`spawned`, but nothing for a process that runs the parent's own script again."""
    return lambda child: [] if child.entry == parent.entry and child.argv == parent.argv else spawned(child)


def _spawn_order(children: list[Step], commands: list[SpawnedCommand]) -> Step:
    """Children side by side, except that what the launcher waits for comes before what it starts after it."""
    for place, command in enumerate(commands):
        if command.waits and place + 1 < len(commands):
            before = Parallel(tuple(children[:place])) if place else NOTHING
            rest = _spawn_order(children[place + 1 :], commands[place + 1 :])
            after = Sequence((children[place], rest))
            return Parallel((*before.steps, after)) if place else after
    return children[0] if len(children) == 1 else Parallel(tuple(children))


def _serves(plan: LaunchPlan) -> bool:
    """Whether a plan starts something that may serve: a dev server, or a script."""
    return reaches(plan, {*FRONT_END_KINDS, "node", "tsx", "static-server"})


def _missing_start(named: Mapping[str, LaunchPlan], serving: list[LaunchPlan]) -> list[LaunchPlan]:
    """The root's `start`, where no part starts a script: it is then the back end's half."""
    has_script = any(reaches(plan, {"node", "tsx"}) for plan in serving)
    return [named["start"]] if "start" in named and not has_script else []


def _all_at(place: Place, length: int) -> shell.Places:
    """Places for a text that stands as a whole at one place."""
    return (place.start,) * length + (place.end,)
