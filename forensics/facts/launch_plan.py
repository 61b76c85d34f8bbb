"""What a script starts: a tree of processes, in order and side by side.

The tree says what the text says. Two things it can't know are given to it later by who can: which Node processes stay
up (`with_lifetimes`) and what a Node launcher starts (`Launch.expand_launchers` in `forensics.facts.launch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, Union

from msgspec import Struct
from msgspec.structs import replace

from forensics.facts.values import Unknown

ProcessKind = Literal[
    "vite-dev",
    "vite-build",
    "vite-preview",
    "vite-optimize",
    "node",  # a plain Node script
    "tsx",  # a script under a loader or runtime that takes TypeScript: tsx, ts-node, bun, deno, babel-node …
    "other-dev-server",  # next, nuxt, astro, react-scripts, webpack serve, parcel …
    "other-build",  # the same tools' production builds
    "static-server",  # serve, http-server, json-server …: serves files, knows nothing of the app
    "shell-tool",  # mkdir, cp, rm, echo, sleep …
    "wait",  # wait-on and the like: ends when something answers
    "install",  # npm install, npm ci …
    "tool",  # compilers, linters, test runners, database tools
    "unknown",
]

OptionValue = Union[str, int, float, bool, Unknown]


class Place(Struct, frozen=True):
    """A span of bytes in a file of the build; `script` is the script it belongs to, "" outside of manifests."""

    path: str
    script: str
    start: int
    end: int


class Process(Struct, frozen=True, kw_only=True):
    """One process that a script starts.

    Args:
        argv: the command after its runners (npx, cross-env, nodemon …) are taken away; words that can't be told are as
            written.
        cwd: the working directory, relative to the build's root ("" is the root).
        env: what the commands set, in order; not what the user's own environment holds.
        env_files: files that a runner reads into the environment first (`--env-file`, dotenv-cli), later ones last.
        required_env_files: those of them without which the runtime stops at once (Node's `--env-file`: "not found").
        entry: the script file that a runtime starts, relative to the build's root. Where no such file is in the build,
            it is the path as written and `entry_exists` is False (something may still build it).
        options: of the tool: `root`, `config`, `mode`, `port`, `host` … of Vite (without their dashes), `runner` of a
            script, `preload` of Node's `--import`/`--require`.
        chain: the spans that lead here, from the outer script's command to this one.
        long_running: whether it stays up until it is stopped; for a plain Node script False until `with_lifetimes`.
        watching: it runs under a watcher, which stays up even when the process itself ends or throws.
        blocked_by: the long-running process that must end before this one starts: it never does.
        fails: why the command itself stops at once, "" where nothing says so.
        unresolved: what of it can't be told, and why.
        programmatic: a server made through a tool's API by the script, not a command.
    """

    kind: ProcessKind
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str | Unknown]
    env_files: tuple[str, ...] = ()
    required_env_files: tuple[str, ...] = ()
    entry: str = ""
    entry_exists: bool = True
    options: Mapping[str, OptionValue]
    chain: tuple[Place, ...]
    long_running: bool = False
    watching: bool = False
    blocked_by: Process | None = None
    fails: str = ""
    unresolved: str = ""
    programmatic: bool = False

    @property
    def place(self) -> Place | None:
        return self.chain[-1] if self.chain else None


class Sequence(Struct, frozen=True):
    """One after the other. `stops_on_failure`: a step that fails keeps the later ones from starting (`&&`, run-s)."""

    steps: tuple[Step, ...]
    stops_on_failure: bool = False


class Parallel(Struct, frozen=True):
    """Side by side.

    `waits_for`: what ends the whole: all of them, the last one (a shell's foreground after `a &`), or none.
    `ends_others`: when one ends, the others are stopped: never, on failure (run-p), on exit (concurrently -k).
    """

    steps: tuple[Step, ...]
    waits_for: Literal["all", "last", "none"] = "all"
    ends_others: Literal["never", "failure", "exit"] = "never"


class Fallback(Struct, frozen=True):
    """`first || otherwise`: the second runs only if the first fails."""

    first: Step
    otherwise: Step


Step = Union[Process, Sequence, Parallel, Fallback]

NOTHING = Sequence(())


class MissingScript(Struct, frozen=True):
    """A script that is called and can't run. `reason`: undefined, cycle, too deep, no package, no workspace."""

    folder: str
    name: str
    reason: str
    place: Place | None


class LaunchPlan(Struct, frozen=True, kw_only=True):
    """What one script of one package root starts.

    `windows_forms` are pieces that only cmd.exe understands. `implicit` plans are npm's own: `npm start` runs server.js
    where no script says otherwise.
    """

    folder: str
    script: str
    steps: Step
    implicit: bool = False
    missing_scripts: tuple[MissingScript, ...] = ()
    windows_forms: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """How a person starts it."""
        run = self.script if self.script in ("start", "test") else f"run {self.script}"
        return f"npm --prefix {self.folder} {run}" if self.folder else f"npm {run}"


def processes(plan: LaunchPlan | Step, fallbacks: bool = False) -> list[Process]:
    """Every process in start order, those that never start because another blocks them included (`blocked_by`);
    what runs only after a failure (`||`) is left out unless asked for."""
    return list(_walk(plan.steps if isinstance(plan, LaunchPlan) else plan, fallbacks))


def _walk(step: Step, fallbacks: bool) -> Iterator[Process]:
    match step:
        case Process():
            yield step
        case Sequence() | Parallel():
            for item in step.steps:
                yield from _walk(item, fallbacks)
        case Fallback():
            yield from _walk(step.first, fallbacks)
            if fallbacks:
                yield from _walk(step.otherwise, fallbacks)


def map_processes(step: Step, change: Callable[[Process], Step]) -> Step:
    """The tree with every process replaced by what `change` gives for it."""
    match step:
        case Process():
            return change(step)
        case Sequence():
            return replace(step, steps=tuple(map_processes(item, change) for item in step.steps))
        case Parallel():
            return replace(step, steps=tuple(map_processes(item, change) for item in step.steps))
        case Fallback():
            return Fallback(map_processes(step.first, change), map_processes(step.otherwise, change))


def with_lifetimes(plan: LaunchPlan, stays_up: Callable[[Process], bool]) -> LaunchPlan:
    """The plan with `long_running` decided anew for plain scripts (kinds node and tsx) by someone who has read them,
    and the `blocked_by` that follows from it."""

    def changed(process: Process) -> Process:
        if process.kind not in ("node", "tsx"):
            return process
        return replace(process, long_running=process.watching or stays_up(process))

    return replace(plan, steps=mark_blocked(map_processes(plan.steps, changed)))


def mark_blocked(step: Step, blocker: Process | None = None) -> Step:
    """The tree with `blocked_by` set on every process that comes after a long-running one."""
    match step:
        case Process():
            return step if step.blocked_by is blocker else replace(step, blocked_by=blocker)
        case Sequence():
            steps = []
            for item in step.steps:
                marked = mark_blocked(item, blocker)
                steps.append(marked)
                blocker = blocker or _stays(marked)
            return replace(step, steps=tuple(steps))
        case Parallel():
            return replace(step, steps=tuple(mark_blocked(item, blocker) for item in step.steps))
        case Fallback():
            first = mark_blocked(step.first, blocker)
            return Fallback(first, mark_blocked(step.otherwise, blocker or _stays(first)))


def _stays(step: Step) -> Process | None:
    """The process because of which a step never ends by itself."""
    match step:
        case Process():
            return step if step.long_running and step.blocked_by is None else None
        case Sequence():
            return next((found for item in step.steps if (found := _stays(item))), None)
        case Parallel():
            waited = {"all": step.steps, "last": step.steps[-1:], "none": ()}[step.waits_for]
            return next((found for item in waited if (found := _stays(item))), None)
        case Fallback():
            return _stays(step.first)
