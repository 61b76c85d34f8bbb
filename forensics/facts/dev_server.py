"""The declared front-end start-up: each Vite dev server with its pages, and the back end it is meant to reach."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forensics.facts.clients import ClientCall
from forensics.facts.launch_plan import LaunchPlan, Process, processes
from forensics.facts.servers import Server
from forensics.facts.vite import ViteConfig

if TYPE_CHECKING:
    from forensics.facts import Facts, Page

_RUNTIMES = ("node", "tsx")


@dataclass(frozen=True)
class BackEnd:
    """The servers that a client can mean.

    `same_command` tells whether the dev command itself starts them. `ports` are those known; `unknown` says why there
    may be others ("" where there are none). `elsewhere` are ports of other servers of the build, which scripts of their
    own start.
    """

    servers: tuple[Server, ...]
    same_command: bool
    ports: frozenset[int]
    unknown: str
    elsewhere: frozenset[int] = frozenset()

    @property
    def exists(self) -> bool:
        return bool(self.servers or self.ports or self.unknown)

    def at(self, port: int) -> tuple[Server, ...]:
        """Servers that listen, or may listen, on a port."""
        return tuple(server for server in self.servers if server.port == port)


@dataclass(frozen=True)
class DevServer:
    """One Vite dev server that the declared dev command starts."""

    plan: LaunchPlan
    process: Process
    config: ViteConfig
    pages: tuple[Page, ...]
    back_end: BackEnd

    @property
    def calls(self) -> tuple[tuple[Page, ClientCall], ...]:
        """Calls of every page that the root serves (the index page first), each place once."""
        seen: set[object] = set()
        found = []
        for page in self.pages:
            for call in page.calls:
                key = (call.site, call.method, call.path, call.reach, call.port)
                if key not in seen:
                    seen.add(key)
                    found.append((page, call))
        return tuple(found)

    def serves_file(self, facts: Facts, call: ClientCall) -> str | None:
        """The file that Vite itself answers a relative call with: one of the root or of the public folder."""
        if call.segments is None or None in call.segments or call.method != "GET" or not call.segments:
            return None
        relative = "/".join(segment for segment in call.segments if segment is not None)
        for folder in (self.config.public, self.config.root):
            if folder is not None:
                path = posixpath.join(folder, relative) if folder else relative
                if path in facts.build.files:
                    return path
        return None


def back_end_of(facts: Facts, plans: tuple[LaunchPlan, ...]) -> BackEnd:
    """The servers that the dev command starts; where it starts none, those of any declared dev or start script."""
    found = _listening(facts, facts.running(plans))
    entries = {process.entry for process in facts.running(plans)}
    others: dict[object, Process] = {}
    for plan in facts.launch.plans.values():
        if plan.script.split(":")[0] not in ("dev", "start", "server", "serve", "api", "backend", "develop"):
            continue
        for process in processes(facts.expanded(plan)):
            # What the dev command itself starts counts with the environment that it sets.
            if process.blocked_by is None and process.entry not in entries:
                others.setdefault((process.entry, process.cwd, tuple(sorted(map(str, process.env.items())))), process)
    more = _listening(facts, list(others.values()))
    if found.exists:
        return replace(found, elsewhere=more.ports)
    return BackEnd(more.servers, False, more.ports, more.unknown)


def _listening(facts: Facts, started: list[Process]) -> BackEnd:
    servers: list[Server] = []
    ports: set[int] = set()
    unknown = ""
    absent: list[Process] = []
    for process in started:
        if process.kind in _RUNTIMES and process.entry:
            if not process.entry_exists:
                absent.append(process)
                continue
            own = facts.servers(process)
            servers.extend(server for server in own if not server.embeds_vite or server.routes)
            run = facts.trace(process)
            if not own and run.interpreter.exhausted:
                unknown = unknown or f"{process.entry} is too long to be followed"
            elif not own and (run.interpreter.thrown is not None or run.interpreter.exited is not None):
                unknown = unknown or f"{process.entry} stops while it starts"
        elif process.kind == "static-server":
            port = process.options.get("port", 3000)
            if isinstance(port, int) or (isinstance(port, str) and port.isdigit()):
                ports.add(int(port))
        elif process.kind == "unknown" and process.argv:
            unknown = unknown or f"what `{' '.join(process.argv[:4])}` starts is not known"
    # What a compiler makes of a server that is known from its sources (`node dist/index.js`) is that server.
    known = {server.process.cwd for server in servers}
    missing = next((process for process in absent if process.cwd not in known), None)
    if missing is not None:
        unknown = unknown or f"{missing.entry}, which is not in the archive, may be a server"
    for server in servers:
        if isinstance(server.port, int):
            ports.add(server.port)
        else:
            candidates = [item for item in server.port.candidates if isinstance(item, int)]
            if candidates:
                ports.update(candidates)
            unknown = unknown or f"the port of {server.process.entry} is not known: {server.port.reason}"
    return BackEnd(tuple(servers), True, frozenset(ports), unknown)


def dev_servers(facts: Facts) -> tuple[DevServer, ...]:
    """Vite dev servers of the declared dev command, those that another process keeps from starting left out."""
    found = []
    plans = facts.dev
    back_end: BackEnd | None = None
    for plan in plans:
        for process in processes(plan):
            if process.kind != "vite-dev" or process.blocked_by is not None:
                continue
            config = facts.config(process)
            if config.middleware_mode:
                continue
            back_end = back_end or back_end_of(facts, plans)
            found.append(DevServer(plan, process, config, facts.pages(process), back_end))
    return tuple(found)
