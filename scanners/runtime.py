"""What fails only when a request comes: route paths, route order, event streams.

Read off the servers' registrations as start-up makes them, by the Express major that the manifest's range resolves to.
SQL has a module of its own (`scanners.runtime_sql`). Sources: https://expressjs.com/en/guide/routing.html,
https://expressjs.com/en/guide/migrating-5.html#path-syntax, https://html.spec.whatwg.org/multipage/server-sent-events.html.

It can't see: routes that a package registers, handlers that pass a request on under a condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from forensics.facts import Facts
from forensics.facts.clients import ClientCall
from forensics.facts.express_paths import path_problem
from forensics.facts.launch_plan import Process, processes
from forensics.facts.route_paths import ANY
from forensics.facts.servers import Route, Server
from forensics.facts.values import Closure, Text, Unknown, Value
from forensics.findings import finding
from forensics.records import Finding, Rule, Status, Verdict
from forensics.scanner import Context, Scanner
from scanners import runtime_sql


class RuntimeStatus(Status):
    OK = "OK"
    BROKEN = "BROKEN"
    UNKNOWN = "UNKNOWN"


EXPRESS_PATH_SYNTAX = Rule(
    id="runtime/express-path-syntax",
    severity="error",
    summary="A route path that the installed Express major does not take",
    why="Express 5 throws while the route is registered (`*`, `/:x?`, `(.*)`), so the server never starts; Express 4 accepts "
    "the new spelling and never matches it.",
    fix="Write the path in the syntax of the declared major.",
    blind_spots="Paths that are put together at run time.",
    sources=(
        "https://expressjs.com/en/guide/migrating-5.html#path-syntax",
        "https://github.com/pillarjs/path-to-regexp#errors",
    ),
)
ROUTE_SHADOWED = Rule(
    id="runtime/route-shadowed",
    severity="warning",
    summary="An earlier route answers every request of a later one",
    why="Express tries routes in the order they are registered, and the earlier handler ends the request.",
    fix="Register the more special path first.",
    blind_spots="Handlers that call next() are taken to pass the request on.",
    sources=("https://expressjs.com/en/guide/routing.html",),
)
SSE_BLOCKED = Rule(
    id="runtime/sse-blocked",
    severity="warning",
    summary="Compression holds an event stream back",
    why="The compression middleware buffers what is written until it is flushed, so events arrive late or never.",
    fix="Call res.flush() after each event, send Cache-Control: no-transform, or keep compression off the stream.",
    blind_spots="Proxies outside the build that buffer.",
    sources=("https://github.com/expressjs/compression#server-sent-events",),
)
EVENT_NAME_MISMATCH = Rule(
    id="runtime/event-name-mismatch",
    severity="warning",
    summary="The client listens to an event that no server sends",
    why="An event stream's `event:` field and the name given to addEventListener must be equal; a message without the field "
    "arrives as `message` only.",
    fix="Use one name on both sides.",
    blind_spots="Names that are put together at run time.",
    sources=("https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation",),
)
STREAM_UNANSWERED = Rule(
    id="runtime/stream-unanswered",
    severity="warning",
    summary="The client opens an event stream at an address that no route answers",
    why="An answer that is no event stream closes the EventSource for good.",
    fix="Open the stream at the route's own path.",
    blind_spots="Routes that a package registers.",
    sources=("https://html.spec.whatwg.org/multipage/server-sent-events.html#the-eventsource-interface",),
)

RULES = (
    EXPRESS_PATH_SYNTAX,
    ROUTE_SHADOWED,
    *runtime_sql.RULES,
    SSE_BLOCKED,
    EVENT_NAME_MISMATCH,
    STREAM_UNANSWERED,
)


def scan(facts: Facts, context: Context) -> Verdict:
    """The request-time verdict of a build."""
    found: list[Finding] = []
    servers = _servers(facts)
    for process in _node_processes(facts):
        found.extend(_path_syntax(facts, process))
    for server in servers:
        found.extend(_shadowed(facts, server))
        found.extend(_blocked_streams(facts, server))
    found.extend(_streams(facts, servers))
    found.extend(runtime_sql.findings(facts, [facts.trace(process) for process in _node_processes(facts)]))
    unique = list({(item.rule, item.location, item.key): item for item in found}.values())
    if any(item.severity == "error" for item in unique):
        return Verdict(scanner="runtime", status=RuntimeStatus.BROKEN.value, findings=tuple(unique))
    return Verdict(scanner="runtime", status=RuntimeStatus.OK.value, findings=tuple(unique))


def _node_processes(facts: Facts) -> list[Process]:
    """Node processes that declared dev and start commands run, each entry once."""
    found: dict[tuple[str, str], Process] = {}
    for plan in (*facts.dev, *facts.start):
        for process in processes(plan):
            if process.kind in ("node", "tsx") and process.entry and process.entry_exists:
                found.setdefault((process.entry, process.cwd), process)
    return list(found.values())


def _servers(facts: Facts) -> list[Server]:
    return [server for process in _node_processes(facts) for server in facts.servers(process)]


# ------------------------------------------------------------------------- route paths


def _path_syntax(facts: Facts, process: Process) -> Iterator[Finding]:
    for effect in facts.trace(process).effects:
        method = effect.name.rsplit(".", 1)[-1]
        maker = effect.name.rsplit(".", 1)[0]
        if not re.match(r"^(new )?express(\.Router)?\(\)(\.route\(\))?$", maker) or effect.phase == "uncalled":
            continue
        if (
            method not in ("get", "post", "put", "patch", "delete", "all", "use", "route", "head", "options")
            or not effect.arguments
        ):
            continue
        if method == "get" and len(effect.arguments) == 1:
            continue
        package = facts.packages.nearest_package(effect.site.path)
        major = facts.packages.major(package.folder if package is not None else "", "express")
        if isinstance(major, Unknown):
            continue
        first = effect.arguments[0]
        for path in getattr(first, "items", [first]) if not isinstance(first, str) else [first]:
            if not isinstance(path, str):
                continue
            problem = path_problem(path, major)
            if problem is None:
                continue
            consequence = (
                f"`{problem.message}` is thrown while {process.entry} starts" if problem.throws else problem.message
            )
            yield finding(
                EXPRESS_PATH_SYNTAX,
                facts.at_effect(effect),
                f"The path {path!r} is not one of Express {major}: {consequence}.",
                key=f"{method} {path}",
                fix=f"Write {problem.instead!r}.",
                severity="error" if problem.throws and effect.certain else "warning",
                related=[facts.location(package.path, 0, 0, f"declares Express {major}")]
                if package is not None
                else [],
            )


def _covers(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether every request of the second pattern also matches the first."""
    for index, segment in enumerate(one):
        if segment == ANY:
            return index == len(one) - 1
        if index >= len(other):
            return False
        theirs = other[index]
        if segment != theirs and not (segment == ":" and theirs not in (ANY, ":?")):
            return False
    return len(one) == len(other)


def _ends_request(route: Route) -> bool:
    """Whether a route's handlers surely answer: functions of the build that take no `next`."""
    handlers = [handler for handler in route.handlers if isinstance(handler, Closure)]
    return bool(handlers) and len(handlers) == len(route.handlers) and len(handlers[-1].function.parameters) <= 2


def _shadowed(facts: Facts, server: Server) -> Iterator[Finding]:
    seen: list[Route] = []
    for route in server.routes:
        if route.kind != "route" or route.pattern is None or not route.effect.certain:
            continue
        for earlier in seen:
            assert earlier.pattern is not None
            if earlier.method not in ("*", route.method) or earlier.effect is route.effect:
                continue
            if earlier.pattern == route.pattern and earlier.method == route.method and earlier.path == route.path:
                continue
            if (
                re.search(r"[(?+\[]", earlier.path)
                or not _ends_request(earlier)
                or not _covers(earlier.pattern, route.pattern)
            ):
                continue
            yield finding(
                ROUTE_SHADOWED,
                facts.at_effect(route.effect),
                f"{route.method} {route.path} is never reached: {earlier.method.replace('*', 'any')} {earlier.path}, registered "
                "before it, answers the same requests.",
                key=f"{route.method} {route.path}",
                related=[facts.at_effect(earlier.effect, "answers first")],
            )
            break
        seen.append(route)


# -------------------------------------------------------------------------- event streams


def _text(value: Value) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, Text):
        return "".join(part if isinstance(part, str) else "\x00" for part in value.parts)
    return None


def _stream_effects(server: Server) -> list[object]:
    return [
        effect
        for effect in server.trace.effects
        for argument in effect.arguments
        if (isinstance(argument, str) and "text/event-stream" in argument)
        or any(
            isinstance(item, str) and "text/event-stream" in item
            for item in getattr(argument, "properties", {}).values()
        )
    ]


def _blocked_streams(facts: Facts, server: Server) -> Iterator[Finding]:
    compression = next((effect for effect in server.trace.effects if effect.name == "compression"), None)
    streams = _stream_effects(server)
    if compression is None or not streams or compression.arguments:
        return
    for effect in server.trace.effects:
        if effect.name.endswith(".flush"):
            return
        for argument in effect.arguments:
            values = [argument, *getattr(argument, "properties", {}).values()]
            if any(isinstance(item, str) and "no-transform" in item for item in values):
                return
    yield finding(
        SSE_BLOCKED,
        facts.at_effect(compression),
        f"{server.process.entry} compresses every answer and never flushes its event stream: events wait in the buffer.",
        key=server.process.entry,
        related=[facts.at_effect(streams[0], "the stream")],  # type: ignore[arg-type]
    )


def _streams(facts: Facts, servers: list[Server]) -> Iterator[Finding]:
    """Pairs of EventSource and stream: addresses that no route answers, names that no server sends."""
    for dev in facts.dev_servers:
        back = [server for server in dev.back_end.servers if server in servers] or list(dev.back_end.servers)
        for _, call in dev.calls:
            if call.kind == "events" and call.reach != "unknown" and back:
                yield from _unanswered(facts, call, back)
        for page in dev.pages[:1]:
            yield from _unsent(facts, page.interpreter.effects, back)


def _unanswered(facts: Facts, call: ClientCall, back: list[Server]) -> Iterator[Finding]:
    if call.segments is None or any(server.is_open or server.answers("GET", call.segments) != "no" for server in back):
        return
    streams = [effect for server in back for effect in _stream_effects(server)]
    if not streams or call.reach == "relative":
        # A relative call may be rewritten on its way; wiring looks at that.
        return
    yield finding(
        STREAM_UNANSWERED,
        facts.at(call.site),
        f"The client opens an event stream at {call.path}, which no route of {back[0].process.entry} answers.",
        key=call.path,
        related=[facts.at_effect(streams[0], "the stream")],  # type: ignore[arg-type]
    )


def _unsent(facts: Facts, effects: list, back: list[Server]) -> Iterator[Finding]:  # type: ignore[type-arg]
    writes = [
        text
        for server in back
        for effect in server.trace.effects
        if effect.name.endswith((".write", ".send", ".enqueue", ".push"))
        for argument in effect.arguments[:1]
        if (text := _text(argument)) is not None
    ]
    streams = [effect for server in back for effect in _stream_effects(server)]
    events = [text for text in writes if "data:" in text or "event:" in text]
    if not streams or not events or any(re.search(r"event:\s*\x00", text) for text in events):
        return
    sent = {match[1] for text in events for match in re.finditer(r"event:\s*([^\n\x00]+?)\s*(?:\n|$)", text)}
    for effect in effects:
        if not effect.name.startswith("new EventSource().addEventListener") or not effect.arguments:
            continue
        name = effect.arguments[0]
        if not isinstance(name, str) or name in ("message", "open", "error") or name in sent:
            continue
        says = f"only {', '.join(sorted(sent))}" if sent else "only messages without a name"
        yield finding(
            EVENT_NAME_MISMATCH,
            facts.at_effect(effect),
            f"The client listens to the event {name!r}, but the server sends {says}: the handler never runs.",
            key=name,
            related=[facts.at_effect(streams[0], "the stream")],  # type: ignore[arg-type]
        )


SCANNER = Scanner(name="runtime", statuses=RuntimeStatus, rules=RULES, scan=scan)
