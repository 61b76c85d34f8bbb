"""Wiring of the production path: the folder that the build writes, the server that should serve it, the launch paths."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from forensics.facts import Facts
from forensics.facts.interpreter import Effect
from forensics.facts.launch_plan import LaunchPlan, Process, processes
from forensics.facts.node_host import build_path
from forensics.facts.servers import Server, static_folder
from forensics.facts.vite import ViteConfig
from forensics.findings import finding
from forensics.records import Finding, LaunchPath, Location
from scanners import wiring_rules as rules
from scanners.datadir import failing_store


def built_configs(facts: Facts) -> list[tuple[Process, ViteConfig]]:
    """Vite builds of the declared build and start commands."""
    plans = [facts.expanded(plan) for plan in (*facts.launch.build_plans(), *facts.launch.start_plans())]
    built = [process for plan in plans for process in processes(plan) if process.kind == "vite-build"]
    return [(process, facts.config(process)) for process in built]


def production_servers(facts: Facts) -> list[Server]:
    """Servers that the declared start command runs, in production: what the builds write is in place."""
    outputs = tuple(sorted({config.out_dir for _, config in built_configs(facts) if config.out_dir}))
    return [
        server
        for plan in facts.start
        for process in processes(plan)
        if process.kind in ("node", "tsx") and process.entry and process.entry_exists and process.blocked_by is None
        for server in facts.servers_after_build(process, outputs)
    ]


def production_findings(facts: Facts) -> Iterator[Finding]:
    """What keeps the page away after build and start."""
    builds = [
        (process, config)
        for process, config in built_configs(facts)
        if config.out_dir is not None and not config.unknown
    ]
    servers = [server for server in production_servers(facts) if not server.embeds_vite]
    if not builds or not servers or _previews(facts) or _develops(facts):
        return
    outputs = {config.out_dir: (process, config) for process, config in builds if config.out_dir is not None}
    serving = [(server, folder) for server in servers for folder in _served_folders(server)]
    if any(folder is None for _, folder in serving) or any(server.is_open and not server.routes for server in servers):
        return
    fitting = [(server, folder) for server, folder in serving if folder in outputs]
    output = next(iter(outputs))
    if not fitting:
        yield from _not_served(facts, outputs, servers, serving)
        return
    server = fitting[0][0]
    if _routes_by_path(facts) and not _falls_back(server):
        yield finding(
            rules.NO_SPA_FALLBACK,
            facts.at_effect(server.statics[0].effect if server.statics else server.listen),
            f"{server.process.entry} serves {output}/ but answers a path such as /some/page with 404, while the client "
            "routes by path: a reload or a shared link breaks.",
            key=server.process.entry,
            related=_history_sites(facts),
        )


def baked_bases(facts: Facts) -> Iterator[Finding]:
    """Calls of the built page to a port of this machine where no started server listens."""
    servers = [server for server in production_servers(facts) if not server.embeds_vite]
    ports = {server.port for server in servers if isinstance(server.port, int)}
    if not servers or len(ports) < len(servers) or _previews(facts):
        return
    dev_ports = {port for dev in facts.dev_servers for port in dev.back_end.ports | dev.back_end.elsewhere}
    for process, config in built_configs(facts):
        if config.unknown:
            continue
        for page in facts.pages(process)[:1]:
            for call in page.calls:
                if not call.is_local or call.port in ports | dev_ports or call.effect.phase == "uncalled":
                    continue
                base = f"{call.scheme or 'http'}://{call.host or '<the page host>'}:{call.port or 80}"
                yield finding(
                    rules.API_BASE_UNREACHABLE,
                    facts.at(call.site),
                    f"The built page calls {base}{call.path}, but the server that `{facts.start[0].command}` starts listens on "
                    f"{', '.join(map(str, sorted(ports)))}: the connection is refused.",
                    key=f"built {call.method} {call.port} {call.path}",
                    fix="Let the base that the build takes and the server's port come from one place.",
                    related=[facts.at_effect(server.listen, "the server") for server in servers[:2]],
                    evidence=[f"mode {config.mode}"],
                    severity="warning",
                )


def _develops(facts: Facts) -> bool:
    """Whether the start command runs Vite's dev server, which then serves the page."""
    return any(process.kind == "vite-dev" for plan in facts.start for process in processes(plan))


def _previews(facts: Facts) -> bool:
    return any(process.kind == "vite-preview" for plan in facts.start for process in processes(plan))


def _served_folders(server: Server) -> list[str | None]:
    """Folders the server serves as files or whose index.html it sends; None for one that can't be told."""
    found = [static_folder(route, server.process.cwd) for route in server.statics]
    for effect in server.trace.effects:
        if effect.name.endswith(".sendFile") and effect.arguments and isinstance(effect.arguments[0], str):
            path = effect.arguments[0]
            options = effect.arguments[1] if len(effect.arguments) > 1 else None
            root = getattr(options, "properties", {}).get("root") if options is not None else None
            if isinstance(root, str):
                path = posixpath.join(root, path)
            inside = build_path(posixpath.join(server.trace.host.cwd, path))
            if inside is not None and inside.endswith("index.html"):
                found.append(posixpath.dirname(inside))
    return found


def _not_served(
    facts: Facts,
    outputs: dict[str, tuple[Process, ViteConfig]],
    servers: list[Server],
    serving: list[tuple[Server, str | None]],
) -> Iterator[Finding]:
    output, (process, config) = next(iter(outputs.items()))
    server = servers[0]
    folders = sorted({folder or "." for _, folder in serving if folder is not None})
    if any(_has_page(facts, folder) for folder in folders):
        return
    serves_root = any(not route.pattern for item in servers for route in item.statics)
    if not serves_root and not _is_one_path(facts):
        return  # two halves with their own scripts, each for a host of its own
    says = f"serves {', '.join(folder + '/' for folder in folders)}" if folders else "serves no static folder"
    where = serving[0][0].statics[0].effect if serving and serving[0][0].statics else server.listen
    related = [facts.at(config.site("outDir"), f"the build writes {output}/")] if config.path else []
    if process.place is not None:
        related.append(facts.at_place(process.place, f"writes {output}/"))
    yield finding(
        rules.OUTPUT_NOT_SERVED,
        facts.at_effect(where),
        f"The build writes the page to {output}/, but {server.process.entry} {says}: after build and start there is no page.",
        key=f"{output} {server.process.entry}",
        fix=f"Serve {output}/ in {server.process.entry}, or set build.outDir so that the page lands where it is served.",
        related=related,
        # A server without any static folder at the root may be meant to stand behind another host.
        confidence="high" if serves_root else "medium",
    )


_STATIC_HOSTS = (
    "netlify.toml",
    "vercel.json",
    "firebase.json",
    "wrangler.toml",
    "render.yaml",
    "staticwebapp.config.json",
)


def _is_one_path(facts: Facts) -> bool:
    """Whether the page is meant for the server that the start command runs: one manifest declares both, and no file of
    the build puts the page on a host of its own."""
    if any(posixpath.basename(path) in _STATIC_HOSTS for path in facts.build.files):
        return False
    building = {
        plan.folder
        for plan in (facts.expanded(plan) for plan in facts.launch.build_plans())
        if any(process.kind == "vite-build" for process in processes(plan))
    }
    return any(
        plan.folder in building and any(facts.servers(process) for process in processes(plan) if process.entry_exists)
        for plan in facts.start
    )


def _has_page(facts: Facts, folder: str) -> bool:
    path = "index.html" if folder == "." else f"{folder}/index.html"
    return path in facts.build.files


def _falls_back(server: Server) -> bool:
    """Whether a GET of a path that no route names gets a page."""
    if server.answers("GET", ("some", "page", "nobody", "named")) in ("route", "open"):
        return True
    for route in server.routes:
        answers_all = route.kind == "middleware" and not route.pattern
        if answers_all and any(
            effect.name.startswith(f"{route.effect.name}#")
            and effect.name.endswith((".sendFile", ".send", ".end", ".sendfile"))
            for effect in server.trace.effects
        ):
            return True
        if route.method in ("GET", "*") and route.kind == "route" and route.pattern is None:
            return True
    return any(
        effect.name in ("connect-history-api-fallback", "express-history-api-fallback")
        or effect.name.endswith((".setNotFoundHandler", ".notFound"))
        for effect in server.trace.effects
    )


def _routes_by_path(facts: Facts) -> bool:
    return bool(_history_effects(facts))


_ROUTERS_BY_PATH = (
    "jsx:react-router-dom.BrowserRouter",
    "jsx:react-router.BrowserRouter",
    "react-router-dom.createBrowserRouter",
    "react-router.createBrowserRouter",
    "vue-router.createWebHistory",
    "jsx:wouter.Route",
)


def _history_effects(facts: Facts) -> list[Effect]:
    return [
        effect
        for server in facts.dev_servers
        for page in server.pages[:1]
        for effect in page.interpreter.effects
        if effect.name in _ROUTERS_BY_PATH
        or (effect.name.endswith(("history.pushState", "history.replaceState")) and len(effect.arguments) > 2)
    ]


def _history_sites(facts: Facts) -> list[Location]:
    return [facts.at_effect(effect, "the client routes by path") for effect in _history_effects(facts)[:1]]


# ---------------------------------------------------------------------- launch paths


def launch_paths(facts: Facts, status: str, reason: str) -> tuple[LaunchPath, ...]:
    """For each declared path whether it brings the page up, and the command that does."""
    found = [_dev_path(facts, status, reason)] if facts.dev else []
    found.extend(_start_path(facts))
    return tuple(found)


def _steps(facts: Facts, plans: tuple[LaunchPlan, ...]) -> tuple[str, ...]:
    found = []
    for plan in plans:
        for process in processes(plan):
            if process.kind.startswith("vite"):
                config = facts.config(process)
                loaded = config.path or "no config"
                port = f", port {config.port}" if isinstance(config.port, int) and process.kind != "vite-build" else ""
                found.append(f"{process.kind.replace('-', ' ')} (root {config.root or '.'}/, {loaded}{port})")
                found.extend(
                    f"proxy {entry.key} → {entry.target}"
                    for entry in config.proxy or ()
                    if isinstance(entry.target, str)
                )
            elif process.kind in ("node", "tsx"):
                ports = ", ".join(
                    f"port {server.port}" for server in facts.servers(process) if isinstance(server.port, int)
                )
                found.append(f"{process.kind} {process.entry}{f' ({ports})' if ports else ''}")
            elif process.argv:
                found.append(" ".join(process.argv[:5]))
            if process.blocked_by is not None:
                found[-1] += " — never started"
    return tuple(found)


def _dev_path(facts: Facts, status: str, reason: str) -> LaunchPath:
    command = " & ".join(plan.command for plan in facts.dev)
    steps = _steps(facts, facts.dev)
    dead = _dead(facts, facts.dev)
    if dead:
        return LaunchPath(name="dev", works=False, command="", because=dead, steps=steps)
    if status == "OK":
        return LaunchPath(
            name="dev", works=True, command=command, because="page, modules and calls are wired", steps=steps
        )
    if status == "UNKNOWN":
        return LaunchPath(name="dev", works=None, command="", because=reason, steps=steps)
    if status == "NO_VITE":
        embeds = any(facts.embeds_vite(process) for process in facts.running(facts.dev))
        serves = any(server.statics for process in facts.running(facts.dev) for server in facts.servers(process))
        works = True if embeds or serves else None
        return LaunchPath(name="dev", works=works, command=command if works else "", because=reason, steps=steps)
    fixed = _mended(facts, status)
    return LaunchPath(name="dev", works=False, command=fixed, because=_SAYS.get(status, status), steps=steps)


_SAYS = {
    "PROXY_NOT_LOADED": "the proxy is not loaded, so calls get the page instead of data",
    "API_JS_COLLISION": "the proxy takes a file of the page itself",
    "PORT_MISMATCH": "calls go to a port that nothing listens on",
    "NO_PROXY_CONFIG": "no proxy is configured, so calls get the page instead of data",
    "NO_PROXY_IN_CONFIG": "the config has no proxy for the calls, so they get the page instead of data",
}


def _mended(facts: Facts, status: str) -> str:
    """The command that brings the page up where another invocation of the same tools would."""
    if status != "PROXY_NOT_LOADED":
        return ""
    for server in facts.dev_servers:
        for path in facts.build.files:
            if posixpath.basename(path).startswith("vite.config.") and path != server.config.path:
                folder = posixpath.dirname(path)
                relative = posixpath.relpath(path, server.process.cwd or ".")
                if folder == server.process.cwd and server.config.inline_root != server.process.cwd:
                    root = posixpath.relpath(server.config.inline_root or ".", server.process.cwd or ".")
                    return f"npx vite {root} --config {relative}"
    return ""


def _dead(facts: Facts, plans: tuple[LaunchPlan, ...]) -> str:
    for process in facts.running(plans):
        if process.kind in ("node", "tsx") and process.entry and process.entry_exists:
            run = facts.trace(process)
            if run.interpreter.thrown is not None and not process.watching:
                return f"{process.entry} throws while it starts"
            if reason := failing_store(facts, process):
                return reason
    return ""


def _start_path(facts: Facts) -> Iterator[LaunchPath]:
    builds = built_configs(facts)
    previewing = [
        plan
        for plan in (*facts.start, *(facts.expanded(p) for p in facts.launch.preview_plans()))
        if _runs_preview(plan)
    ]
    build_command = next((plan.command for plan in facts.launch.build_plans()), "")
    servers = production_servers(facts)
    if facts.start and servers and not any(server.embeds_vite for server in servers):
        command = facts.start[0].command
        if builds and not _builds_itself(facts.start[0]):
            command = f"{build_command} && {command}" if build_command else command
        problems = list(production_findings(facts))
        missing = next((item for item in problems if item.rule == rules.OUTPUT_NOT_SERVED.id), None)
        serves = any(folder is not None for server in servers for folder in _served_folders(server))
        dead = _dead(facts, facts.start)
        if dead:
            yield LaunchPath(name="start", works=False, command="", because=dead, steps=_steps(facts, facts.start))
        elif missing is not None:
            yield LaunchPath(
                name="start", works=False, command="", because=missing.message, steps=_steps(facts, facts.start)
            )
        elif builds or serves:
            works = True if serves else None
            because = "the server serves what the build writes" if serves else "which folder is served can't be told"
            yield LaunchPath(
                name="start",
                works=works,
                command=command if works else "",
                because=because,
                steps=_steps(facts, facts.start),
            )
    for plan in previewing[:1]:
        config = next(facts.config(process) for process in processes(plan) if process.kind == "vite-preview")
        works = config.proxy is not None and not config.preview_proxy_off
        calls = any(call.reach == "relative" for server in facts.dev_servers for _, call in server.calls)
        because = "preview inherits server.proxy" if works else "no proxy applies under preview"
        yield LaunchPath(
            name="preview",
            works=works or not calls,
            command=f"{build_command} && {plan.command}" if works or not calls else "",
            because=because if calls else "the page needs no proxy",
            steps=_steps(facts, (plan,)),
        )


def _runs_preview(plan: LaunchPlan) -> bool:
    return any(process.kind == "vite-preview" for process in processes(plan))


def _builds_itself(plan: LaunchPlan) -> bool:
    return any(process.kind == "vite-build" for process in processes(plan))
