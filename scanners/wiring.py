"""Does the declared front-end start-up load its own proxy, and does the proxy reach the back end?

Decided on what the declared dev command really starts: the config that Vite loads, the URLs that the page requests from
it, the calls that its code makes, the ports and routes of the servers beside it. Sources: https://vite.dev/config/,
vitejs/vite packages/vite/src/node/{config.ts,server/middlewares/proxy.ts}; behaviour run on Vite 5, 7 and 8.

It can't see: what packages do with requests, servers that something outside the build starts, addresses that code
assembles from what a user enters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from msgspec.structs import replace

from forensics.facts import Facts, runs_containers
from forensics.facts.clients import UNSET, ClientCall
from forensics.facts.dev_server import DevServer
from forensics.facts.launch_plan import Process, processes
from forensics.facts.route_paths import Segments, request_segments
from forensics.facts.served import Request
from forensics.facts.servers import Server, static_folder
from forensics.facts.values import Closure, Text, Undefined, Unknown, Value
from forensics.facts.vite import ProxyEntry, ViteConfig, key_matches, taken_by
from forensics.findings import distinct, finding
from forensics.records import Finding, Location, Status, Verdict
from forensics.scanner import Context, Scanner
from scanners import wiring_rules as rules
from scanners.wiring_config import config_findings, environment_findings, foreign_settings
from scanners.wiring_production import baked_bases, launch_paths, production_findings


class WiringStatus(Status):
    OK = "OK"
    PROXY_NOT_LOADED = "PROXY_NOT_LOADED"
    API_JS_COLLISION = "API_JS_COLLISION"
    PORT_MISMATCH = "PORT_MISMATCH"
    NO_PROXY_CONFIG = "NO_PROXY_CONFIG"
    NO_PROXY_IN_CONFIG = "NO_PROXY_IN_CONFIG"
    NO_VITE = "NO_VITE"
    UNKNOWN = "UNKNOWN"


_PRECEDENCE = (
    WiringStatus.API_JS_COLLISION,
    WiringStatus.PROXY_NOT_LOADED,
    WiringStatus.NO_PROXY_IN_CONFIG,
    WiringStatus.NO_PROXY_CONFIG,
    WiringStatus.PORT_MISMATCH,
)
"""The order in which a page meets the defects."""


@dataclass
class _Result:
    """What was found so far: defects by status, findings, and why something stays open. `as_shipped`: variables of the
    client that nothing sets are undefined, rather than open."""

    statuses: set[WiringStatus] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    as_shipped: bool = False

    def add(self, found: Finding, status: WiringStatus | None = None) -> None:
        self.findings.append(found)
        if status is not None:
            self.statuses.add(status)


def scan(facts: Facts, context: Context) -> Verdict:
    """The wiring verdict of a build.

    Where a variable that nothing shipped sets leaves it open, the set-up step that the build's own example file stands
    for (`.env.example` copied to `.env`) is taken as done; without one the client is taken as shipped, its variable
    undefined.
    """
    verdict = _scan(facts)
    if verdict.status == WiringStatus.UNKNOWN:
        documented = facts.documented()
        settled = _scan(documented) if documented is not None else verdict
        if settled.status != WiringStatus.UNKNOWN:
            return settled
        if "nothing sets" in verdict.reason:
            return _scan(facts, as_shipped=True)
    if verdict.status == WiringStatus.PORT_MISMATCH:
        documented = facts.documented()
        if documented is not None and _scan(documented).status == WiringStatus.OK:
            return _softened(verdict)
    return verdict


def _softened(verdict: Verdict) -> Verdict:
    """The verdict of a build that is right once its example file is copied: the shipped files still disagree."""
    ports = (rules.PORT_MISMATCH.id, rules.API_BASE_UNREACHABLE.id)
    note = " With the values of the shipped .env example in place it would work."
    findings = tuple(
        replace(item, confidence="medium", message=item.message + note) if item.rule in ports else item
        for item in verdict.findings
    )
    return replace(verdict, findings=findings)


def _scan(facts: Facts, as_shipped: bool = False) -> Verdict:
    result = _Result(as_shipped=as_shipped)
    servers = facts.dev_servers
    result.findings.extend(foreign_settings(facts))
    result.findings.extend(production_findings(facts))
    result.findings.extend(baked_bases(facts))
    if not servers:
        result.findings.extend(_middleware_loops(facts))
        return _verdict(facts, WiringStatus.NO_VITE, _why_no_vite(facts), result)
    for server in servers:
        _scan_server(facts, server, result)
    for status in _PRECEDENCE:
        if status in result.statuses:
            return _verdict(facts, status, "", result)
    if result.unknown:
        # A variable first: what an example file says of it may settle the build.
        reason = next((item for item in result.unknown if "nothing sets" in item), result.unknown[0])
        return _verdict(facts, WiringStatus.UNKNOWN, reason, result)
    return _verdict(facts, WiringStatus.OK, "", result)


def _verdict(facts: Facts, status: WiringStatus, reason: str, result: _Result) -> Verdict:
    return Verdict(
        scanner="wiring",
        status=status.value,
        reason=reason,
        findings=tuple(distinct(result.findings)),
        launch_paths=launch_paths(facts, status.value, reason),
    )


def _why_no_vite(facts: Facts) -> str:
    started = [process for plan in facts.dev for process in processes(plan)]
    blocked = next((process for process in started if process.kind == "vite-dev" and process.blocked_by), None)
    if blocked is not None and blocked.blocked_by is not None:
        return f"Vite is never started: `{' '.join(blocked.blocked_by.argv)}` runs before it and does not end"
    embedding = next((process for process in started if facts.embeds_vite(process)), None)
    if embedding is not None:
        return f"{embedding.entry} runs Vite in middleware mode, so there is no proxy to want"
    other = next((process for process in started if process.kind == "other-dev-server"), None)
    if other is not None:
        return f"the dev server is {other.argv[0] if other.argv else 'another tool'}, not Vite"
    if any(runs_containers(process) for process in started):
        return "the declared dev command starts containers, which are not followed"
    elsewhere = [
        plan.script
        for plan in facts.launch.plans.values()
        if any(process.kind == "vite-dev" for process in processes(plan))
    ]
    if elsewhere:
        return f"only the script {elsewhere[0]} starts Vite, which the declared dev command does not run"
    if not len(facts.packages):
        return "the build has no package.json"
    return "no declared dev command starts Vite"


# ------------------------------------------------------------------- one dev server


def _scan_server(facts: Facts, server: DevServer, result: _Result) -> None:
    config = server.config
    if config.unknown and not config.path:
        result.unknown.append(config.unknown)
        return
    index = f"{config.root}/index.html" if config.root else "index.html"
    if config.path is None and index not in facts.build.files:
        _no_page(facts, server, "where there is none and no page either", result)
    elif config.path is None and not server.calls and any(page.served.missing for page in server.pages[:1]):
        _no_page(facts, server, "where there is none, and without its aliases the page's imports lead nowhere", result)
    result.findings.extend(config_findings(facts, server))
    result.findings.extend(environment_findings(facts, server))
    _captured(facts, server, result)
    if not server.back_end.exists:
        result.unknown.clear()
        return
    for page in server.pages[:1]:
        if page.interpreter.exhausted and not any(call.kind != "form" for call in page.calls):
            result.unknown.append(f"the code of {page.served.page} is too long to be followed")
    hidden = any(item.rule == rules.ENV_NOT_EXPOSED.id for item in result.findings)
    calls, open_calls = _settled_calls(server, hidden or result.as_shipped)
    relative = []
    for call in calls:
        if call.reach == "absolute":
            _absolute_call(facts, server, call, result)
        elif server.serves_file(facts, call) is None and not _answers_itself(server, call):
            relative.append(call)
    _relative_calls(facts, server, relative, result)
    told = any(
        _is_called(call) and call.kind != "form" and (call.reach == "relative" or call.is_local) for call in calls
    )
    for call in open_calls:
        # Where other calls say how the client reaches its back end, one address that is left open changes nothing.
        if _is_called(call) and (not told or call.reason == UNSET):
            result.unknown.append(f"the address of a call in {call.site.path} is not known: {call.reason}")


def _answers_itself(server: DevServer, call: ClientCall) -> bool:
    """Whether a plugin of the build's own answers, or may answer, the call inside the dev server."""
    return any(path is None or call.path.startswith(path) for path in server.config.middleware)


def _settled_calls(server: DevServer, undefined: bool) -> tuple[list[ClientCall], list[ClientCall]]:
    """The calls whose address is told, and those where it stays open.

    An address that depends on a condition is told if one of its sides reaches the back end: then the build works under
    that condition, and which one holds is not ours to guess. If none does, any of them shows the defect. `undefined` says
    that a variable that nothing sets is taken for what it then is.
    """
    settled: list[ClientCall] = []
    left: list[ClientCall] = []
    for _, call in server.calls:
        if call.reach != "unknown":
            settled.append(call)
            continue
        works = next((option for option in call.options if _reaches(server, option)), None)
        if works is not None:
            settled.append(works)
        elif call.options and (call.closed or (undefined and call.reason == UNSET)):
            settled.append(call.options[0])
        else:
            left.append(call)
    return settled, left


def _reaches(server: DevServer, call: ClientCall) -> bool:
    """Whether a call goes to the back end, or to another machine, as the dev server stands."""
    if call.reach == "absolute":
        return not call.is_local or call.port in server.back_end.ports | server.back_end.elsewhere
    entry = _entry_for(server.config, call)
    return isinstance(entry, ProxyEntry)


def _captured(facts: Facts, server: DevServer, result: _Result) -> None:
    """Requests of the page that a proxy key takes."""
    config = server.config
    for page in server.pages[:1] or server.pages:
        for request in page.served.requests:
            accept = "text/html,*/*" if request.kind == "page" else "*/*"
            taken = taken_by(config, request.url, accept, destination=_destination(request))
            if isinstance(taken, Unknown):
                result.unknown.append(taken.reason)
                continue
            if taken is None or _back_end_serves(facts, server, taken, request):
                continue
            shown = request.path or request.url
            what = {"style": "style sheet", "asset": "file", "page": "page"}.get(request.kind, "module")
            result.add(
                finding(
                    rules.MODULE_CAPTURED,
                    facts.at(taken.site),
                    f"The proxy key {taken.key!r} takes the page's own request for {request.url}: the {what} {shown} is "
                    f"asked of {_shown(taken.target)}, which has none, {_consequence(request)}.",
                    key=f"{taken.key} {request.url}",
                    fix=_capture_fix(taken.key, shown),
                    related=[
                        *([facts.location(request.path, 0, 0, "the file that is asked for")] if request.path else []),
                        facts.at(request.site, "where the page asks for it"),
                    ],
                    evidence=[f"config {config.path}, root {config.root or '.'}", " → ".join(request.chain)],
                ),
                WiringStatus.API_JS_COLLISION,
            )


def _destination(request: Request) -> str:
    """What the browser says the request is for; Vite turns an imported style into a script."""
    if request.kind == "style":
        return "style" if request.site.path.endswith((".html", ".htm")) else "script"
    return {"page": "document", "worker": "worker", "module": "script"}.get(request.kind, "image")


def _consequence(request: Request) -> str:
    if request.kind == "style":
        return "so the page stays without that style"
    if request.kind == "asset":
        return "so it is missing from the page"
    return "so the code that needs it never runs"


def _capture_fix(key: str, path: str) -> str:
    if key.startswith("^"):
        return f"Narrow the expression {key!r} so that it does not match {path}, or move that file."
    anchored = "^" + re.escape(key.rstrip("/")).replace("\\-", "-") + "(/|$)"
    return f"Write the key as {anchored!r} (a regular expression that ends at a slash), or rename {path}."


def _back_end_serves(facts: Facts, server: DevServer, entry: ProxyEntry, request: Request) -> bool:
    """Whether the request is meant for the back end: it has the file itself, or the file is not in the page's root."""
    target = _target(entry)
    if request.kind not in ("asset", "style", "module") or target is None or target.port is None:
        return False
    segments = request_segments(request.url)
    if segments is None:
        return False
    for back in server.back_end.at(target.port):
        for route in back.statics:
            folder = static_folder(route, back.process.cwd)
            skip = len([item for item in route.path.split("/") if item])
            rest = "/".join(item or "" for item in segments[skip:])
            if folder is not None and (f"{folder}/{rest}" if folder else rest) in facts.build.files:
                return True
        if not request.path and request.kind == "asset" and back.answers("GET", segments) != "no":
            return True
    return not request.path and request.kind == "asset"


# ------------------------------------------------------------------------ the calls


def _absolute_call(facts: Facts, server: DevServer, call: ClientCall, result: _Result) -> None:
    back_end = server.back_end
    if not call.is_local or not back_end.exists:
        return
    port = call.port if call.port is not None else (443 if call.scheme in ("https", "wss") else 80)
    if port == server.config.port:
        return
    base = f"{call.scheme or 'http'}://{call.host or '<the page host>'}:{port}"
    if port in back_end.elsewhere:
        return
    if port not in back_end.ports:
        if back_end.unknown:
            result.unknown.append(back_end.unknown)
            return
        listening = ", ".join(str(item) for item in sorted(back_end.ports)) or "none"
        result.add(
            finding(
                rules.API_BASE_UNREACHABLE,
                facts.at(call.site),
                f"The client calls {base}{call.path}, but nothing that the build starts listens on port {port} "
                f"(ports in use: {listening}): the connection is refused.",
                key=f"{call.method} {port} {call.path}",
                fix=f"Let the client's base and the server's port ({listening}) come from one place.",
                related=[*_base_sites(facts, server, port), *_listen_sites(facts, back_end.servers)],
            ),
            WiringStatus.PORT_MISMATCH if call.effect.phase != "uncalled" else None,
        )
        return
    if call.kind == "socket":
        return
    for back in back_end.at(port):
        if back.embeds_vite:
            continue
        _check_cors(facts, server, call, back, result)


def _base_sites(facts: Facts, server: DevServer, port: int) -> list[Location]:
    """Where the page's modules write the port that the call goes to."""
    written = re.compile(rf":{port}\b")
    found = [
        facts.location(path, literal.start, literal.end, f"port {port} is written here")
        for path in dict.fromkeys(path for page in server.pages for path in page.served.modules)
        for literal in facts.literals(path)
        if literal.value in (port, str(port)) or (isinstance(literal.value, str) and written.search(literal.value))
    ]
    return found[:3]


def _check_cors(facts: Facts, server: DevServer, call: ClientCall, back: Server, result: _Result) -> None:
    page_port = server.config.port
    origins = {f"http://{host}:{page_port}" for host in ("localhost", "127.0.0.1")}
    if back.is_open and not back.routes and not back.cors:
        return
    fitting = [grant for grant in back.cors if grant.origins is None or origins & set(grant.origins)]
    if any(call.segments is None or back.grants(grant, call.method, call.segments) for grant in fitting):
        return
    allowed = sorted({origin for grant in back.cors for origin in grant.origins or ()})
    says = f"allows only {', '.join(allowed)}" if allowed else "sends no Access-Control-Allow-Origin"
    if fitting:
        says = "sets the header only after the route that answers"
    place = facts.at_effect(back.cors[0].effect) if back.cors else facts.at_effect(back.listen)
    result.add(
        finding(
            rules.MISSING_CORS,
            place,
            f"The page comes from port {page_port} and calls {call.path} on port {back.port}, another origin, but "
            f"{back.process.entry} {says}: the browser withholds the answer.",
            key=f"{back.process.entry} {back.port}",
            related=[facts.at(call.site, "the call")],
        )
    )


def _relative_calls(facts: Facts, server: DevServer, calls: list[ClientCall], result: _Result) -> None:
    config = server.config
    sockets = [call for call in calls if call.kind == "socket"]
    requests = [call for call in calls if call.kind not in ("socket", "form")]
    forms = [call for call in calls if call.kind == "form" and _entry_for(config, call) is None]
    taken: dict[int, ProxyEntry] = {}
    open_reason = ""
    for index, call in enumerate(requests):
        entry = _entry_for(config, call)
        if isinstance(entry, Unknown):
            open_reason = entry.reason
        elif entry is not None:
            taken[index] = entry
    uncovered = [call for index, call in enumerate(requests) if index not in taken]
    if requests and not taken and uncovered:
        if result.as_shipped and not server.back_end.servers:
            result.unknown.append(server.back_end.unknown or UNSET)
        elif (config.proxy is None and config.unknown) or config.proxy_unknown or open_reason:
            result.unknown.append(config.proxy_unknown or config.unknown or open_reason)
        else:
            _no_proxy(facts, server, uncovered, result)
    elif uncovered and not (config.proxy_unknown or open_reason):
        _partly_covered(facts, server, uncovered, result)
    if not config.proxy_unknown:
        _partly_covered(facts, server, forms, result)
    _check_targets(facts, server, [(requests[index], entry) for index, entry in taken.items()], result)
    _check_sockets(facts, server, sockets, result)


_OPEN = "xopenx"
"""Stands for an unknown part of a path."""


def _url(call: ClientCall) -> str:
    """A URL that stands for the call: unknown parts become a plain word."""
    return call.path.replace("…", _OPEN)


def _entry_for(config: ViteConfig, call: ClientCall) -> ProxyEntry | Unknown | None:
    return taken_by(
        config, _url(call), accept="text/event-stream" if call.kind == "events" else "*/*", method=call.method
    )


def _is_called(call: ClientCall) -> bool:
    return call.effect.phase != "uncalled"


def _no_proxy(facts: Facts, server: DevServer, calls: list[ClientCall], result: _Result) -> None:
    """No call has a proxy: the config isn't loaded, has none, or there is none."""
    config = server.config
    back = server.back_end
    if all(not _is_called(call) for call in calls) and not any(_answered(back.servers, call) for call in calls):
        return
    first = next((call for call in calls if _is_called(call)), calls[0])
    paths = ", ".join(dict.fromkeys(call.path for call in calls[:4]))
    command = server.plan.command
    shown = f"`{' '.join(server.process.argv)}`"
    place = server.process.place
    where = facts.at_place(place) if place is not None else facts.location("package.json", 0, 0)
    calls_at = [facts.at(call.site, f"calls {call.path}") for call in calls[:5]]
    ending = "gets the page itself instead of data" if first.method == "GET" else "is answered with 404"
    other = _config_with_proxy(facts, server)
    if config.path is None and other is not None:
        root = config.inline_root or "."
        result.add(
            finding(
                rules.PROXY_NOT_LOADED,
                where,
                f"{shown} looks for its config in {root}/ only, so the proxy in {other.path} is never loaded: with "
                f"`{command}` the call to {first.path} {ending}.",
                key=f"{other.path} {root}",
                fix=f"Move {other.path} to {root}/, or start Vite with --config {other.path}"
                + (" and set root in it" if config.inline_root else "")
                + ".",
                related=[*_proxy_site(facts, other), *calls_at],
                evidence=[f"inline root {root}", f"calls: {paths}"],
            ),
            WiringStatus.PROXY_NOT_LOADED,
        )
    elif config.path is None:
        result.add(
            finding(
                rules.NO_PROXY_CONFIG,
                where,
                f"{shown} loads no config, and the client calls {paths} by relative URL: with `{command}` the call to "
                f"{first.path} {ending}.",
                key=f"{server.process.cwd} {config.inline_root}",
                fix=f"Add {_beside(config)} with server.proxy for {_prefix(first)} → http://localhost:{_port(back.servers)}.",
                related=[*calls_at, *_listen_sites(facts, back.servers)],
                evidence=[f"calls: {paths}"],
            ),
            WiringStatus.NO_PROXY_CONFIG,
        )
    else:
        keys = ", ".join(repr(entry.key) for entry in config.proxy or ())
        has = f"has no key for it (keys: {keys})" if keys else "has no server.proxy"
        result.add(
            finding(
                rules.NO_PROXY_IN_CONFIG,
                facts.at(config.site("proxy") if config.proxy else config.site("server")),
                f"The client calls {paths} by relative URL, but {config.path} {has}: the call to {first.path} {ending}.",
                key=config.path,
                fix=f"Add {_prefix(first)!r}: 'http://localhost:{_port(back.servers)}' under server.proxy.",
                related=[*calls_at, *_listen_sites(facts, back.servers)],
                evidence=[f"mode {config.mode}", f"calls: {paths}"],
            ),
            WiringStatus.NO_PROXY_IN_CONFIG,
        )


def _no_page(facts: Facts, server: DevServer, why: str, result: _Result) -> None:
    """Vite starts where there is no config and so no page that runs; the config that says otherwise lies elsewhere."""
    other = _config_with_proxy(facts, server)
    place = server.process.place
    if other is None or place is None or not server.back_end.exists:
        return
    root = server.config.inline_root or "."
    result.add(
        finding(
            rules.PROXY_NOT_LOADED,
            facts.at_place(place),
            f"`{' '.join(server.process.argv)}` looks for its config in {root}/ only, {why}: {other.path}, and the proxy in "
            "it, is never loaded.",
            key=f"{other.path} {root}",
            fix=f"Move {other.path} to {root}/, or start Vite with --config {other.path}.",
            related=_proxy_site(facts, other),
        ),
        WiringStatus.PROXY_NOT_LOADED,
    )


def _beside(config: ViteConfig) -> str:
    return f"{config.inline_root}/vite.config.js" if config.inline_root else "vite.config.js"


def _prefix(call: ClientCall) -> str:
    return "/" + (call.segments[0] or "" if call.segments else "")


def _port(servers: tuple[Server, ...]) -> str:
    known = [str(server.port) for server in servers if isinstance(server.port, int)]
    return known[0] if known else "<port>"


def _config_with_proxy(facts: Facts, server: DevServer) -> ViteConfig | None:
    """A Vite config elsewhere in the build that defines a proxy, as the dev command's process would read it."""
    for path in facts.build.files:
        if not re.search(r"(^|/)vite\.config\.[cm]?[jt]s$", path):
            continue
        probe: Process = replace(
            server.process, options={**server.process.options, "config": _from(server.process.cwd, path)}
        )
        found = facts.config(probe)
        if found.proxy or (found.path and found.proxy_unknown and "proxy" in found.proxy_unknown):
            return found
    return None


def _from(folder: str, path: str) -> str:
    import posixpath

    return posixpath.relpath(path, folder or ".")


def _proxy_site(facts: Facts, config: ViteConfig) -> list[Location]:
    return [facts.at(config.site("proxy"), "the proxy that is not loaded")]


def _listen_sites(facts: Facts, servers: tuple[Server, ...]) -> list[Location]:
    return [facts.at_effect(server.listen, f"the server listens on {_shown_port(server)}") for server in servers[:3]]


def _shown_port(server: Server) -> str:
    return f"port {server.port}" if isinstance(server.port, int) else "a port that is not known"


def _answered(servers: tuple[Server, ...], call: ClientCall) -> bool:
    return call.segments is not None and any(
        server.answers(call.method, call.segments) == "route" for server in servers
    )


def _partly_covered(facts: Facts, server: DevServer, calls: list[ClientCall], result: _Result) -> None:
    for call in calls:
        if call.segments is None or not any(
            back.answers(call.method, call.segments) in ("route", "static") and _reaches_more_than_root(call)
            for back in server.back_end.servers
        ):
            continue
        keys = ", ".join(repr(entry.key) for entry in server.config.proxy or ())
        result.add(
            finding(
                rules.PARTIAL_PROXY,
                facts.at(call.site),
                f"{call.method} {call.path} has no proxy key (keys: {keys}), so Vite answers it with "
                f"{'the page' if call.method == 'GET' else '404'} and the server never sees it.",
                key=f"{call.method} {call.path}",
                fix=f"Add {_prefix(call)!r}: 'http://localhost:{_port(server.back_end.servers)}' under server.proxy.",
                related=[facts.at(server.config.site("proxy"), "the keys")],
            )
        )


def _reaches_more_than_root(call: ClientCall) -> bool:
    return bool(call.segments) and call.segments != (None,)


# ---------------------------------------------------------------------- the targets


@dataclass(frozen=True)
class _Target:
    scheme: str
    host: str
    port: int | None
    path: str

    @property
    def is_local(self) -> bool:
        return self.host in ("localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]", "")


def _target(entry: ProxyEntry) -> _Target | None:
    text = entry.target
    if isinstance(text, Text):
        match = re.match(
            r"(https?|wss?)://([^/:]+):(\d+)(/.*)?$", "".join(p if isinstance(p, str) else "?" for p in text.parts)
        )
        return _Target(match[1], match[2], int(match[3]), match[4] or "") if match else None
    if not isinstance(text, str) or not re.match(r"(https?|wss?)://", text):
        return None
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    default = 443 if parts.scheme in ("https", "wss") else 80
    return _Target(parts.scheme, parts.hostname or "", port or default, parts.path.rstrip("/"))


def _check_targets(
    facts: Facts, server: DevServer, covered: list[tuple[ClientCall, ProxyEntry]], result: _Result
) -> None:
    back_end = server.back_end
    checked: set[str] = set()
    for call, entry in covered:
        target = _target(entry)
        if entry.key not in checked:
            checked.add(entry.key)
            _check_target(facts, server, call, entry, target, result)
        if target is not None and target.port in back_end.ports and target.is_local:
            _check_rewrite(facts, server, call, entry, target, result)


def _check_target(
    facts: Facts, server: DevServer, call: ClientCall, entry: ProxyEntry, target: _Target | None, result: _Result
) -> None:
    back_end = server.back_end
    if target is None:
        if isinstance(entry.target, (str, Undefined)) or entry.target is None or _has_undefined(entry.target):
            shown = _shown(entry.target)
            result.add(
                finding(
                    rules.PROXY_BAD_TARGET,
                    facts.at(entry.target_site),
                    f"The target of {entry.key!r} is {shown}, which is no address of a server: {call.path} can't be passed on.",
                    key=entry.key,
                    fix=f"Write it whole, such as 'http://localhost:{_port(back_end.servers)}'.",
                    related=[facts.at(call.site, "a call that needs it")],
                ),
                WiringStatus.PORT_MISMATCH,
            )
        else:
            result.unknown.append(f"the target of {entry.key} is not known: {_reason(entry.target)}")
        return
    if not target.is_local:
        return
    if target.port == server.config.port:
        result.add(
            finding(
                rules.PROXY_LOOP,
                facts.at(entry.target_site),
                f"The target of {entry.key!r} is port {target.port}, where this Vite server itself listens: {call.path} goes "
                "round in circles.",
                key=entry.key,
                fix=f"Use the back end's port ({_port(back_end.servers)}).",
                related=_listen_sites(facts, back_end.servers),
            ),
            WiringStatus.PORT_MISMATCH,
        )
        return
    if target.port in back_end.ports or target.port in back_end.elsewhere or target.port in _vite_ports(facts):
        return
    if back_end.unknown:
        result.unknown.append(back_end.unknown)
        return
    listening = ", ".join(str(port) for port in sorted(back_end.ports))
    result.add(
        finding(
            rules.PORT_MISMATCH,
            facts.at(entry.target_site),
            f"The proxy sends {call.path} to port {target.port}, but the server that `{server.plan.command}` starts listens "
            f"on {listening}: every call ends with a proxy error.",
            key=f"{entry.key} {target.port}",
            fix=f"Set the target of {entry.key!r} to http://localhost:{sorted(back_end.ports)[0]}, or read both from one place.",
            related=[*_listen_sites(facts, back_end.servers), facts.at(call.site, "a call that needs it")],
            evidence=[f"{item.process.entry}: {_environment(item)}" for item in back_end.servers],
        ),
        WiringStatus.PORT_MISMATCH,
    )


def _environment(server: Server) -> str:
    env = ", ".join(f"{name}={value}" for name, value in server.process.env.items() if isinstance(value, str))
    return f"{_shown_port(server)}{f' with {env}' if env else ''}"


def _vite_ports(facts: Facts) -> set[int]:
    return {item.config.port for item in facts.dev_servers if isinstance(item.config.port, int)}


def _has_undefined(value: Value) -> bool:
    return isinstance(value, Text) and any(
        isinstance(part, Unknown) and "which nothing sets" in part.reason for part in value.parts
    )


def _reason(value: Value) -> str:
    return value.reason if isinstance(value, (Unknown, Text)) else "it is no string"


def _shown(value: Value) -> str:
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, Text):
        return repr("".join(part if isinstance(part, str) else "…" for part in value.parts))
    if isinstance(value, Undefined):
        return f"undefined ({value.reason})" if value.reason else "undefined"
    return "not known"


def _check_rewrite(
    facts: Facts, server: DevServer, call: ClientCall, entry: ProxyEntry, target: _Target, result: _Result
) -> None:
    """Whether the path that the back end is asked for has a route, and whether another rewrite would have one."""
    backs = server.back_end.at(target.port or 0)
    if not backs or call.segments is None or any(back.is_open for back in backs) or call.kind == "socket":
        return
    asked = _proxied(server.config, call, entry, target)
    if asked is None or any(back.answers(call.method, asked, catch_all=False) != "no" for back in backs):
        return
    served = any(back.answers(call.method, asked) != "no" for back in backs)
    plain = call.segments
    key = tuple(item for item in entry.key.lstrip("^").split("/") if item and re.fullmatch(r"[\w.-]+", item))
    stripped = plain[len(key) :] if plain[: len(key)] == key else plain
    base = tuple(item for item in target.path.split("/") if item)
    for other, advice in (
        (stripped, "strip the key with rewrite"),
        (plain, "leave the path as it is"),
        ((*base, *stripped), "strip the key with rewrite"),
    ):
        if other != asked and any(back.answers(call.method, other, catch_all=False) == "route" for back in backs):
            shown = "/" + "/".join(item or "…" for item in asked)
            wanted = "/" + "/".join(item or "…" for item in other)
            site = server.config.site("rewrite") if isinstance(entry.rewrite, Closure) else entry.site
            result.add(
                finding(
                    rules.REWRITE_MISMATCH,
                    facts.at(site),
                    f"The proxy asks the server for {shown}, but its route is {wanted}: {call.path} "
                    f"{'gets the page or a file' if served else 'ends with 404'}.",
                    key=f"{entry.key} {shown}",
                    fix=f"For {entry.key!r}: {advice}, so that the server is asked for {wanted}.",
                    related=[facts.at(call.site, "the call"), *_listen_sites(facts, backs)],
                )
            )
            return


def _proxied(config: ViteConfig, call: ClientCall, entry: ProxyEntry, target: _Target) -> Segments | None:
    """Segments of the path that the back end is asked for, None where the rewrite can't be told."""
    path: Value = _url(call)
    if isinstance(entry.rewrite, Closure) and config.interpreter is not None:
        path = config.interpreter.call_now(entry.rewrite, [path])
    elif not isinstance(entry.rewrite, Undefined):
        return None
    if not isinstance(path, str):
        return None
    segments = request_segments(target.path + "/" + path.lstrip("/"))
    if segments is None:
        return None
    return tuple(None if item is not None and _OPEN in item else item for item in segments)


def _check_sockets(facts: Facts, server: DevServer, calls: list[ClientCall], result: _Result) -> None:
    back_end = server.back_end
    has_sockets = any(back.socket_paths for back in back_end.servers)
    for call in calls:
        if not has_sockets or call.path.startswith(("/@vite", "/__vite")):
            continue
        entry = _entry_for(server.config, call)
        if isinstance(entry, Unknown) or server.config.proxy_unknown:
            continue
        if any(_forwards_sockets(item) and key_matches(item.key, _url(call)) for item in server.config.proxy or ()):
            continue
        why = (
            f"the proxy entry {entry.key!r} has neither ws: true nor a ws:// target"
            if entry is not None
            else "no proxy key takes it"
        )
        result.add(
            finding(
                rules.WEBSOCKET_NOT_PROXIED,
                facts.at(entry.site if entry is not None else call.site),
                f"The page opens a web socket to {call.path} on Vite's own port, and {why}: the socket never opens.",
                key=call.path,
                fix=f"Set ws: true on {entry.key!r}."
                if entry is not None
                else f"Add a proxy entry for {call.path} with ws: true.",
                related=[facts.at(call.site, "the socket"), *_listen_sites(facts, back_end.servers)],
            )
        )


def _forwards_sockets(entry: ProxyEntry) -> bool:
    target = _target(entry)
    return entry.ws or (target is not None and target.scheme in ("ws", "wss"))


def _middleware_loops(facts: Facts) -> Iterator[Finding]:
    """Vite inside Express with a proxy that points back at Express."""
    for plan in facts.dev:
        for process in processes(plan):
            if not facts.embeds_vite(process):
                continue
            config = facts.embedded_config(process)
            ports = {server.port for server in facts.servers(process)}
            for entry in config.proxy or ():
                target = _target(entry)
                if target is not None and target.is_local and target.port in ports:
                    yield finding(
                        rules.PROXY_LOOP,
                        facts.at(entry.site),
                        f"{process.entry} runs Vite inside the server on port {target.port}, and the proxy key {entry.key!r} "
                        "points back at that port: what no route answers goes round in circles.",
                        key=entry.key,
                        fix="Drop the proxy: page and API already come from one port.",
                        related=[facts.at_effect(server.listen, "the server") for server in facts.servers(process)],
                    )


SCANNER = Scanner(name="wiring", statuses=WiringStatus, rules=rules.RULES, scan=scan)
