"""Facts: what the files of a build say together.

`Facts` resolves each subject when it is first asked for and keeps it. A scanner asks facts; it never parses, opens a
file or walks a syntax tree of its own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from forensics.build import Build, FileEntry
from forensics.facts.browser_host import BrowserHost
from forensics.facts.carried import CARRIED
from forensics.facts.clients import ClientCall, client_calls, form_calls
from forensics.facts.dev_server import DevServer, dev_servers
from forensics.facts.environment import load_env, read_dotenv
from forensics.facts.habits import Habits, habits_of
from forensics.facts.imports import ImportChecker, references
from forensics.facts.interpreter import Effect, Interpreter, Site
from forensics.facts.inventory import Inventory, take_inventory
from forensics.facts.launch import Launch, attach, read_launch
from forensics.facts.launch_plan import (
    LaunchPlan,
    Parallel,
    Place,
    Process,
    Step,
    map_processes,
    processes,
    with_lifetimes,
)
from forensics.facts.packages import Packages, read_packages
from forensics.facts.parsing import ParseFailure, parse_failures
from forensics.facts.positions import location
from forensics.facts.resolution import Resolver
from forensics.facts.served import ServedPage, pages_of, served_page
from forensics.facts.servers import Server, servers_of, static_folder
from forensics.facts.spawned import embedded_server, is_embedded, programmatic_servers, spawned_commands
from forensics.facts.startup import Trace, trace
from forensics.facts.tsconfig import tsconfig_paths
from forensics.facts.values import JsObject, Unknown, Value
from forensics.facts.vite import ViteConfig, resolve_config
from forensics.records import Location
from forensics.syntax.index import FileIndex
from forensics.syntax.ir import Const, Document, Member
from forensics.syntax.walk import walk

__all__ = ["Facts", "Page", "runs_containers"]

_ENV_EXAMPLES = (".env.example", ".env.sample", ".env.template", ".env.dist", "env.example", "example.env")
_MENTIONS_CLIENT = re.compile(
    r"\bfetch\(|\baxios\b|\bEventSource\(|\bWebSocket\(|socket\.io-client|\bky\b|\b\w*(?:api|http|client)\w*\.(?:get|post|put|patch|delete)\(",
    re.IGNORECASE,
)
_MODULES_BY_THEMSELVES = 8
_STEPS_BY_ITSELF = 30_000
_HAS_DEFAULTS = re.compile(r"PORT|HOST|NODE_ENV|MODE$|DEBUG|^(NETLIFY|VERCEL|RENDER|CI)\b|LAMBDA")
_BRINGS_NO_PAGE = ("shell-tool", "wait", "install", "tool", "vite-build", "other-build")


@dataclass(frozen=True)
class Page:
    """A served page: what it requests and what its code calls. `exhausted`: the code was too long to be followed."""

    config: ViteConfig
    served: ServedPage
    calls: tuple[ClientCall, ...]
    interpreter: Interpreter


def runs_containers(process: Process) -> bool:
    """Whether a process starts containers, in which anything may run."""
    return bool(process.argv) and posixpath.basename(process.argv[0]) in ("docker", "docker-compose", "podman")


class Facts:
    """All facts of one build.

    Attributes:
        build: the build.
        files: the IR of its files.
    """

    def __init__(self, build: Build, files: FileIndex) -> None:
        self.build = build
        self.files = files
        self._traces: dict[tuple[object, ...], Trace] = {}
        self._servers: dict[tuple[object, ...], list[Server]] = {}
        self._configs: dict[tuple[object, ...], ViteConfig] = {}
        self._pages: dict[tuple[object, ...], tuple[Page, ...]] = {}
        self._plans: dict[tuple[str, str], LaunchPlan] = {}
        self._inline: dict[Place, JsObject] = {}

    # ------------------------------------------------------------------- packages

    @cached_property
    def packages(self) -> Packages:
        """Package roots, scripts, dependencies and workspaces."""
        return read_packages(self.build, self._document)

    def _document(self, path: str) -> Document:
        return self.files.document(path) or Document(None, f"{path} is not in the build", 0, [])

    @cached_property
    def resolver(self) -> Resolver:
        """Specifiers as Node with a TypeScript loader reads them."""
        return Resolver(self.build, self.packages, tsconfig_paths=self._tsconfig_paths)

    @cached_property
    def _tsconfig_paths(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        return tsconfig_paths(self.build, self.files)

    # --------------------------------------------------------------------- launch

    @cached_property
    def launch(self) -> Launch:
        """Launch plans as the scripts' text says, launchers not followed (see `expanded`)."""
        return read_launch(self.build, self.packages, self._document)

    def expanded(self, plan: LaunchPlan) -> LaunchPlan:
        """A plan with what its Node launchers start, and with which of its scripts stay up."""
        key = (plan.folder, plan.script)
        if key not in self._plans:
            followed = self.launch.expand_launchers(plan, lambda process: spawned_commands(self.trace(process)))
            followed = _with_steps(followed, map_processes(followed.steps, self._with_programmatic))
            self._plans[key] = with_lifetimes(followed, self.stays_up)
        return self._plans[key]

    def _with_programmatic(self, process: Process) -> Step:
        if process.kind not in ("node", "tsx") or process.programmatic:
            return process
        children = []
        for child, inline in programmatic_servers(self.trace(process)):
            if child.place is not None:
                self._inline[child.place] = inline
            children.append(child)
        return attach(process, Parallel(tuple(children))) if children else process

    @cached_property
    def dev(self) -> tuple[LaunchPlan, ...]:
        """The plans that together are the declared way to develop: where the root's own command starts only a back end
        that has no page, the dev commands of the packages below that start Vite belong to it."""
        plans = tuple(self.expanded(plan) for plan in self.launch.dev_plans().plans)
        if any(self._brings_page(process) for plan in plans for process in processes(plan)):
            return plans
        folders = {plan.folder for plan in plans}
        others: dict[str, LaunchPlan] = {}
        for (folder, name), plan in sorted(self.launch.plans.items()):
            if folder and folder not in folders and name in ("dev", "start", "serve") and folder not in others:
                others |= {folder: plan} if any(item.kind == "vite-dev" for item in processes(plan)) else {}
        return (*plans, *(self.expanded(plan) for plan in others.values())) if plans else plans

    def _brings_page(self, process: Process) -> bool:
        """Whether a process of a dev command is a dev server, or a server with a page of its own; what a process that
        isn't known does is left open."""
        if process.kind not in ("node", "tsx"):
            return process.kind not in _BRINGS_NO_PAGE or runs_containers(process)
        if not process.entry_exists or self.embeds_vite(process):
            return True
        folders = [
            static_folder(route, server.process.cwd) for server in self.servers(process) for route in server.statics
        ]
        return any(f"{folder}/index.html".lstrip("/") in self.build.files for folder in folders if folder is not None)

    @cached_property
    def start(self) -> tuple[LaunchPlan, ...]:
        """The declared way to run in production."""
        return tuple(self.expanded(plan) for plan in self.launch.start_plans())

    def stays_up(self, process: Process) -> bool:
        """Whether a Node script goes on running: it listens, keeps a timer or waits for a child."""
        run = self.trace(process)
        if run.interpreter.thrown is not None or run.interpreter.exited is not None:
            return False
        if run.interpreter.exhausted or self.servers(process):
            return True
        waiting = (
            "setInterval",
            "child_process.spawn",
            "child_process.fork",
            "execa",
            "concurrently",
            "vite.createServer",
        )
        return any(effect.name in waiting and effect.phase == "startup" for effect in run.effects)

    # ---------------------------------------------------------- processes, servers

    def environment(self, process: Process) -> dict[str, Value]:
        """What the launch puts into a process's environment: what commands set wins over files."""
        variables: dict[str, Value] = {}
        for path in process.env_files:
            variables.update(read_dotenv(self.build, path) or {})
        variables.update(process.env)
        return variables

    def trace(self, process: Process) -> Trace:
        """The start-up trace of a Node process."""
        key = _key(process)
        if key not in self._traces:
            self._traces[key] = self._traced(process, frozenset())
        return self._traces[key]

    def _traced(
        self, process: Process, made: frozenset[str], assumed: Mapping[str, Value] = MappingProxyType({})
    ) -> Trace:
        return trace(
            self.build,
            self.files,
            self.resolver,
            process,
            {**assumed, **self.environment(process)},
            lambda path: read_dotenv(self.build, path),
            lambda mode, folder, prefixes: load_env(self.build, mode, folder, prefixes),
            made,
        )

    def servers(self, process: Process) -> list[Server]:
        """Listening sockets of a Node process, in order."""
        key = _key(process)
        if key not in self._servers:
            self._servers[key] = servers_of(self.serving_trace(process))
        return self._servers[key]

    def serving_trace(self, process: Process) -> Trace:
        """The trace of a Node process as it serves: as shipped, or, where it then stops before it listens, with the
        variables that its code reads and nothing sets taken as set to something."""
        key = (*_key(process), "served")
        if key not in self._traces:
            run = self.trace(process)
            if run.interpreter.exhausted or servers_of(run):
                self._traces[key] = run
            else:
                assumed = self._assumed(run)
                self._traces[key] = self._traced(process, frozenset(), assumed) if assumed else run
        return self._traces[key]

    def _assumed(self, run: Trace) -> dict[str, Value]:
        """Variables that the modules of a run read and that nothing sets, ports, hosts and modes left out: these have
        defaults that hold."""
        known = self.environment(run.process)
        found: dict[str, Value] = {}
        for path in run.interpreter.modules:
            script = self.files.script(path)
            for node in walk(script.body) if script is not None else ():
                if isinstance(node, Member) and isinstance(node.object, Member) and node.object.name == "env":
                    name = node.name
                    if name not in known and not _HAS_DEFAULTS.search(name):
                        found[name] = Unknown(f"{name}, which nothing sets")
        return found

    def servers_after_build(self, process: Process, folders: tuple[str, ...]) -> list[Server]:
        """Listening sockets of a Node process that finds the output of the declared builds in place.

        Args:
            folders: build-relative folders that hold a page by then.
        """
        made = frozenset(path for folder in folders for path in (folder, f"{folder}/index.html"))
        key = (*_key(process), made)
        if key not in self._servers:
            self._servers[key] = servers_of(self._traced(process, made))
        return self._servers[key]

    def documented(self) -> Facts | None:
        """The facts of the build after the set-up step that its example files stand for: each `.env.example` copied to
        the `.env` that is not shipped. None where there is no such file."""
        copies: dict[str, str] = {}
        for path in self.build.files:
            folder, name = posixpath.split(path)
            target = posixpath.join(folder, ".env")
            if name in _ENV_EXAMPLES and target not in self.build.files:
                copies.setdefault(target, path)
        if not copies:
            return None
        build = self.build
        entries = [
            *build.files.values(),
            *(FileEntry(target, build.files[path].size) for target, path in copies.items()),
        ]
        copied = Build(
            build.id,
            build.labels,
            entries,
            lambda path: build.read(copies.get(path, path)),
            build.folders,
            build.unscanned,
            build.errors,
            build.outer_dependencies,
        )
        return Facts(copied, self.files.of(copied))

    def running(self, plans: tuple[LaunchPlan, ...]) -> list[Process]:
        """Processes that the plans really start: blocked ones are left out."""
        return [process for plan in plans for process in processes(plan) if process.blocked_by is None]

    @cached_property
    def dev_servers(self) -> tuple[DevServer, ...]:
        """Vite dev servers of the declared dev command, each with its back end."""
        return dev_servers(self)

    @cached_property
    def reached(self) -> Mapping[str, str]:
        """Files on a declared launch path, each with what leads there: "npm run dev → server/index.js".

        Modules that the servers of dev and start load, configurations that Vite loads, and everything that the pages
        request from the dev server or that a declared build bundles.
        """
        found: dict[str, str] = {}
        builds = tuple(self.expanded(plan) for plan in self.launch.build_plans())
        for plan in (*self.dev, *self.start, *builds):
            for process in processes(plan):
                if process.blocked_by is not None:
                    continue
                if process.kind in ("node", "tsx") and process.entry and process.entry_exists:
                    for path in self.trace(process).interpreter.modules:
                        found.setdefault(path, f"{plan.command} → {process.entry}")
                elif process.kind in ("vite-dev", "vite-build"):
                    config = self.config(process)
                    for path in config.interpreter.modules if config.interpreter is not None else ():
                        found.setdefault(path, f"{plan.command} → {config.path}")
                    for page in self.pages(process):
                        for path in page.served.files:
                            found.setdefault(path, f"{plan.command} → {page.served.page}")
        return found

    @cached_property
    def bundled(self) -> Mapping[str, Resolver]:
        """Files that Vite serves or bundles, each with the resolver it is read by."""
        found: dict[str, Resolver] = {}
        for plan in self.launch.plans.values():
            for process in processes(self.expanded(plan)):
                if process.kind in ("vite-dev", "vite-build"):
                    resolver = self.browser_resolver(self.config(process))
                    for page in self.pages(process):
                        for path in page.served.files:
                            found.setdefault(path, resolver)
        return found

    @cached_property
    def runtimes(self) -> Mapping[str, str]:
        """Files that a Node process of any script loads, and as what: node, tsx, or config (a Vite config, which Vite
        bundles before it runs)."""
        found: dict[str, str] = {}
        for plan in self.launch.plans.values():
            for process in processes(self.expanded(plan)):
                if process.kind in ("node", "tsx") and process.entry and process.entry_exists:
                    for path in self.trace(process).interpreter.modules:
                        if found.get(path) != "node":
                            found[path] = process.kind
                elif process.kind.startswith("vite"):
                    config = self.config(process)
                    for path in config.interpreter.modules if config.interpreter is not None else ():
                        found.setdefault(path, "config")
        return found

    @cached_property
    def parse_failures(self) -> Mapping[str, tuple[ParseFailure, ...]]:
        """Files that can't be parsed."""
        return parse_failures(self.build, self.files, self.packages, frozenset(self.bundled))

    def imports_of(self, path: str) -> Mapping[str, list[Site]]:
        """Specifiers that a script imports or requires, with where they stand."""
        script = self.files.script(path)
        found: dict[str, list[Site]] = {}
        for reference in references(path, script) if script is not None else ():
            found.setdefault(reference.specifier, []).append(reference.site)
        return found

    def is_outer_dependency(self, name: str) -> bool:
        """Whether a manifest that encloses the build in its archive declares a package: the build is then one of several
        in a monorepo, whose install puts the package above it."""
        return any(name in names for names in self.build.outer_dependencies)

    @cached_property
    def import_checker(self) -> ImportChecker:
        return ImportChecker(self.build, self.files, self.packages, self.resolver)

    def brought_by(self, folder: str, name: str) -> str:
        """The declared package that is known to bring another to the top of node_modules, "" where none is."""
        for carrier, carried in CARRIED.items():
            if name in carried and self.packages.resolve(folder, carrier) is not None:
                return carrier
        return ""

    def embeds_vite(self, process: Process) -> bool:
        """Whether a Node process runs Vite in middleware mode."""
        return process.kind in ("node", "tsx") and is_embedded(self.trace(process))

    # ------------------------------------------------------------------------ vite

    def config(self, process: Process) -> ViteConfig:
        """The resolved configuration of a Vite process."""
        key = _key(process)
        if key not in self._configs:
            self._configs[key] = resolve_config(
                self.build,
                self.files,
                self.resolver,
                process,
                self.environment(process),
                lambda path: read_dotenv(self.build, path),
                lambda mode, folder, prefixes: load_env(self.build, mode, folder, prefixes),
                self._inline.get(process.place) if process.place is not None and process.programmatic else None,
            )
        return self._configs[key]

    def embedded_config(self, process: Process) -> ViteConfig:
        """The configuration of a Vite that a Node process runs in middleware mode."""
        from msgspec.structs import replace

        child, inline = embedded_server(self.trace(process))
        child = replace(child, chain=(*process.chain, *child.chain))
        if child.place is not None:
            self._inline[child.place] = inline
        return self.config(child)

    def browser_resolver(self, config: ViteConfig) -> Resolver:
        """Specifiers as Vite reads them under a configuration."""
        uses_paths = any("tsconfig-paths" in name or "tsconfigPaths" in name for name in config.plugins)
        uses_paths = uses_paths or config.setting("resolve", "tsconfigPaths") is True
        return Resolver(
            self.build,
            self.packages,
            config.aliases,
            self._tsconfig_paths if uses_paths else {},
            config.root or "",
            config.public,
        )

    def pages(self, process: Process) -> tuple[Page, ...]:
        """The pages that a Vite process serves, the root's index.html first."""
        key = _key(process)
        if key not in self._pages:
            config = self.config(process)
            resolver = self.browser_resolver(config)
            found = []
            for path in pages_of(self.build, config):
                served = served_page(self.build, self.files, resolver, config, path)
                host = BrowserHost(self.build, self.files, resolver, browser_environment(config), config.port)
                interpreter = Interpreter(host)
                interpreter.run(_entries(served))
                document = self.files.page(path)
                forms = form_calls(path, document) if document is not None else []
                calls = (*client_calls(interpreter, config.port), *forms)
                if interpreter.exhausted and not any(call.kind != "form" for call in calls):
                    calls = (*self._calls_by_module(config, served, resolver), *forms)
                found.append(Page(config, served, calls, interpreter))
            self._pages[key] = tuple(found)
        return self._pages[key]

    def _calls_by_module(self, config: ViteConfig, served: ServedPage, resolver: Resolver) -> list[ClientCall]:
        """The calls of a page whose code is too long to be followed: those of its modules that mention a client, each
        run by itself."""
        found: list[ClientCall] = []
        calling = [path for path in served.modules if _MENTIONS_CLIENT.search(self.build.text(path))]
        for path in calling[:_MODULES_BY_THEMSELVES]:
            host = BrowserHost(self.build, self.files, resolver, browser_environment(config), config.port)
            interpreter = Interpreter(host, _STEPS_BY_ITSELF)
            interpreter.run([path])
            found.extend(client_calls(interpreter, config.port))
        return found

    def literals(self, path: str) -> list[Const]:
        """Literals of a module, in source order."""
        script = self.files.script(path)
        return [node for node in walk(script.body) if isinstance(node, Const)] if script is not None else []

    @cached_property
    def habits(self) -> Habits:
        """Counts over the build's own sources that carry a writer's habits."""
        return habits_of(self.build, self.files)

    @cached_property
    def server_processes(self) -> tuple[Process, ...]:
        """Node processes of the declared dev and start commands that listen, each entry once."""
        found: dict[tuple[str, str], Process] = {}
        for process in self.running((*self.dev, *self.start)):
            if process.kind in ("node", "tsx") and process.entry and process.entry_exists and self.servers(process):
                found.setdefault((process.entry, process.cwd), process)
        return tuple(found.values())

    def spawns(self, process: Process) -> bool:
        """Whether a Node process starts others."""
        run = self.trace(process)
        return bool(spawned_commands(run) or programmatic_servers(run))

    @cached_property
    def inventory(self) -> Inventory:
        """What the code mentions: packages, names, texts."""
        return take_inventory(self.build, self.files)

    # ------------------------------------------------------------------- locations

    def location(self, path: str, start: int, end: int, message: str = "") -> Location:
        """A byte span of a file as lines and columns."""
        return location(self.build, path, start, end, message)

    def at(self, site: Site, message: str = "") -> Location:
        return self.location(site.path, site.start, site.end, message)

    def at_effect(self, effect: Effect, message: str = "") -> Location:
        return self.at(effect.site, message)

    def at_place(self, place: Place, message: str = "") -> Location:
        return self.location(place.path, place.start, place.end, message)


def browser_environment(config: ViteConfig) -> dict[str, Value]:
    """What `import.meta.env` holds (https://vite.dev/guide/env-and-mode)."""
    is_production = config.command != "serve"
    return {
        **config.env_values,
        "MODE": config.mode,
        "DEV": not is_production,
        "PROD": is_production,
        "SSR": False,
        "BASE_URL": config.base,
    }


def _entries(served: ServedPage) -> list[str]:
    """Scripts in the order the page runs them: its own inline ones, then those it names."""
    direct = [item.path for item in served.requests if item.kind == "module" and item.path and len(item.chain) == 1]
    return [served.page, *direct]


def _key(process: Process) -> tuple[object, ...]:
    env = tuple(
        (name, item.reason if isinstance(item, Unknown) else item) for name, item in sorted(process.env.items())
    )
    place = process.place if process.programmatic else None
    options = tuple(sorted((name, str(item)) for name, item in process.options.items()))
    return (process.kind, process.entry, process.cwd, process.argv, env, process.env_files, options, place)


def _with_steps(plan: LaunchPlan, steps: Step) -> LaunchPlan:
    from msgspec.structs import replace

    return replace(plan, steps=steps)
