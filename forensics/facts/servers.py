"""Servers of a build: which port a process listens on, which routes, static folders and sockets it answers.

Read off the start-up trace, so that a port computed from a constant of another module or an environment default is the
port, and a route mounted through three routers has its full path. Frameworks: Express (4 and 5), Fastify, Koa with its
router, Hono, Polka, `node:http`; WebSocket servers of `ws` and Socket.IO.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field, replace
from typing import Literal

from forensics.facts.interpreter import Effect
from forensics.facts.launch_plan import Process
from forensics.facts.node_host import build_path
from forensics.facts.route_paths import ANY, Segments, pattern_of, reaches
from forensics.facts.startup import Trace
from forensics.facts.validated import validated_origin, validated_variable
from forensics.facts.values import (
    Closure,
    External,
    JsArray,
    JsObject,
    RegExp,
    Text,
    Undefined,
    Unknown,
    Value,
)

_MAKERS = frozenset(
    {
        "express",
        "fastify",
        "polka",
        "koa",
        "connect",
        "new koa",
        "new hono.Hono",
        "new @hono/zod-openapi.OpenAPIHono",
        "restify.createServer",
        "json-server.create",
        "new elysia.Elysia",
        "h3.createApp",
        "new h3.H3",
    }
)
_ROUTERS = frozenset(
    {
        "express.Router",
        "new express.Router",
        "json-server.router",
        "new @koa/router",
        "new koa-router",
        "new @koa/router.Router",
        "koa-router",
        "express-promise-router",
        "h3.createRouter",
        "router",
    }
)
_HTTP_SERVERS = frozenset({"http.createServer", "https.createServer", "http2.createSecureServer", "new http.Server"})
_VERBS = frozenset({"get", "post", "put", "patch", "delete", "all", "head", "options", "del"})
_HEADER_METHODS = (".setHeader", ".header", ".set", ".writeHead", ".append", ".headers.set", ".headers.append")

Kind = Literal["route", "middleware", "static", "mount"]


@dataclass(frozen=True)
class Route:
    """One registration, in order. `method` is upper case, "*" for any; `path` is the full path as written, mounts
    included; `pattern` its segments (None where it can't be read: it may match anything)."""

    kind: Kind
    method: str
    path: str
    pattern: tuple[str, ...] | None
    effect: Effect
    handlers: tuple[Value, ...] = ()
    folder: str | None = None


@dataclass(frozen=True)
class CorsGrant:
    """Something that sends Access-Control-Allow-Origin. `origins` are the allowed ones, None for any."""

    origins: tuple[str, ...] | None
    effect: Effect


@dataclass(frozen=True)
class Server:
    """One listening socket of a process.

    `port` is an int, or Unknown with the reason. `routes` are in registration order. `is_open`: requests are handled by
    code whose routes can't be listed (a bare `http` handler, an unknown plugin), so any path may be answered.
    """

    process: Process
    trace: Trace
    port: int | Unknown
    host: str | None
    listen: Effect
    routes: tuple[Route, ...]
    cors: tuple[CorsGrant, ...]
    socket_paths: tuple[str | None, ...]
    is_open: bool
    embeds_vite: bool
    framework: str = ""

    @property
    def certain(self) -> bool:
        return self.listen.certain

    def answers(
        self, method: str, request: Segments, catch_all: bool = True
    ) -> Literal["route", "static", "open", "no"]:
        """Whether a request reaches a route ("route"), may be a file of a static folder, or can't be told ("open").

        Args:
            catch_all: count routes and static folders for any path, which give the page.
        """
        static = False
        for route in self.routes:
            if route.kind == "static":
                if route.pattern is None or (
                    (catch_all or route.pattern) and reaches(route.pattern, request, whole=False)
                ):
                    static = True
                continue
            if route.kind == "middleware":
                continue
            if route.method not in ("*", method) and not (route.method == "GET" and method == "HEAD"):
                continue
            if route.pattern is None:
                return "open"
            if not catch_all and route.pattern[:1] == (ANY,):
                continue
            if route.pattern in ((ANY,), ()) and route.method == "*" and route.path in ("*", "/*"):
                continue
            if reaches(route.pattern, request, whole=True):
                return "route"
        if self.is_open:
            return "open"
        return "static" if static else "no"

    def grants(self, grant: CorsGrant, method: str, request: Segments) -> bool:
        """Whether the answer to a request carries what a grant sends: middleware used after the route that answers never
        runs for it."""
        used = [
            index
            for index, route in enumerate(self.routes)
            if route.kind == "middleware"
            and any(isinstance(item, External) and item.made_by is grant.effect for item in route.handlers)
        ]
        answering = [
            index
            for index, route in enumerate(self.routes)
            if route.kind == "route"
            and route.method in ("*", method)
            and route.pattern is not None
            and reaches(route.pattern, request, whole=True)
        ]
        return not used or not answering or used[0] < answering[0]

    @property
    def statics(self) -> tuple[Route, ...]:
        return tuple(route for route in self.routes if route.kind == "static")


@dataclass
class _App:
    external: External
    made_by: str
    routes: list[Route] = field(default_factory=list)
    is_open: bool = False


def servers_of(trace: Trace) -> list[Server]:
    """Every server of a process, in the order they start to listen."""
    apps = _apps(trace)
    cors = _cors(trace)
    sockets = _sockets(trace)
    embeds_vite = any(effect.name in ("vite.createServer",) and _is_middleware(effect) for effect in trace.effects)
    found: list[Server] = []
    for effect in trace.effects:
        port = _listening_port(effect, trace)
        if port is None or effect.phase == "uncalled":
            continue
        app = _app_of(effect, trace)
        routes: list[Route] = []
        is_open = app is None
        framework = ""
        if app is not None:
            record = apps.get(id(app))
            framework = record.made_by if record is not None else app.name
            flattened, opened = _flatten(app, apps, "", (), 0)
            routes, is_open = flattened, opened or record is None
        found.append(
            Server(
                process=trace.process,
                trace=trace,
                port=port[0],
                host=port[1],
                listen=effect,
                routes=tuple(routes),
                cors=cors,
                socket_paths=sockets,
                is_open=is_open,
                embeds_vite=embeds_vite,
                framework=framework,
            )
        )
    return found


def _is_middleware(effect: Effect) -> bool:
    options = effect.arguments[0] if effect.arguments else None
    server = options.properties.get("server") if isinstance(options, JsObject) else None
    return isinstance(server, JsObject) and bool(server.properties.get("middlewareMode", False))


def port_number(value: Value) -> int | Unknown:
    """A port as `listen` reads it: a number or a numeric string."""
    if isinstance(value, bool) or value is None:
        return Unknown("the port is no number")
    if isinstance(value, int):
        return value
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,5}\s*", value):
        return int(value)
    if isinstance(value, Undefined):
        return Unknown(value.reason or "the port is undefined, so any free one is taken")
    if isinstance(value, (Unknown, Text)):
        return value if isinstance(value, Unknown) else Unknown(value.reason)
    if isinstance(value, External):
        variable = validated_variable(value)
        return port_number(variable) if variable is not None else Unknown(f"the port comes from {value.name}")
    return Unknown("the port is no number")


def _setting(value: Value, trace: Trace) -> Value:
    """A port that is read back: `app.get('port')` gives the last `app.set('port', …)` of the same application before it,
    a number made of a validated variable that variable."""
    if isinstance(value, Unknown):
        variable = validated_origin(value.reason, trace.effects)
        return value if variable is None else variable
    made = value.made_by if isinstance(value, External) else None
    if made is None or not made.name.endswith(".get") or len(made.arguments) != 1:
        return value
    setter = made.name.removesuffix(".get") + ".set"
    settings = (
        effect.arguments[1]
        for effect in reversed(trace.effects)
        if effect.index < made.index
        and effect.name == setter
        and effect.receiver is made.receiver
        and effect.arguments[:1] == made.arguments
        and len(effect.arguments) > 1
    )
    return next(settings, value)


def _listening_port(effect: Effect, trace: Trace) -> tuple[int | Unknown, str | None] | None:
    """Port and host of an effect that opens a socket, None for other effects."""
    name = effect.name
    arguments = effect.arguments
    first = _setting(arguments[0], trace) if arguments else Undefined()
    if name.endswith(".listen") and not name.startswith("vite."):
        receiver = effect.receiver.name if effect.receiver else ""
        if "net.createServer" in receiver or not receiver:
            return None
        if isinstance(first, JsObject):
            host = first.properties.get("host")
            return port_number(first.properties.get("port", Undefined())), host if isinstance(host, str) else None
        if isinstance(first, (Closure, Undefined)) and not (isinstance(first, Undefined) and first.reason):
            return Unknown("the server takes any free port"), None
        host = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], str) else None
        return port_number(first), host
    if name in ("@hono/node-server.serve", "Bun.serve", "Deno.serve") and isinstance(first, JsObject):
        return port_number(first.properties.get("port", 3000 if name != "Deno.serve" else 8000)), None
    sockets = name in ("new ws.WebSocketServer", "new ws.Server", "new ws")
    if sockets and isinstance(first, JsObject) and "port" in first.properties:
        return port_number(first.properties["port"]), None
    if name in ("new socket.io.Server", "socket.io") and first is not None and isinstance(first, (int, str)):
        return port_number(first), None
    return None


def _app_of(effect: Effect, trace: Trace) -> External | None:
    """The application that a listening socket hands its requests to."""
    receiver = effect.receiver
    if effect.name in ("@hono/node-server.serve", "Bun.serve") and isinstance(effect.arguments[0], JsObject):
        fetch = effect.arguments[0].properties.get("fetch")
        return fetch.base if isinstance(fetch, External) else None
    if receiver is None or receiver.made_by is None:
        return receiver
    if receiver.made_by.name in _HTTP_SERVERS:
        for argument in receiver.made_by.arguments:
            if isinstance(argument, External):
                return argument.base if argument.name.endswith((".callback()", ".callback")) else argument
            if isinstance(argument, Closure):
                return None
        for other in trace.effects:
            if other.receiver is receiver and other.name.endswith(".on") and other.arguments[:1] == ("request",):
                handler = other.arguments[1] if len(other.arguments) > 1 else None
                return handler if isinstance(handler, External) else None
        return None
    return receiver


def _apps(trace: Trace) -> dict[int, _App]:
    """Applications and routers by identity, with what is registered on each."""
    apps: dict[int, _App] = {}
    chained: dict[int, tuple[int, Value]] = {}
    for effect in trace.effects:
        if isinstance(effect.result, External) and effect.name in _MAKERS | _ROUTERS:
            app = apps[id(effect.result)] = _App(effect.result, effect.name.removeprefix("new "))
            options = effect.arguments[0] if effect.arguments else None
            prefix = options.properties.get("prefix") if isinstance(options, JsObject) else None
            if isinstance(prefix, str):
                app.routes.append(Route("mount", "prefix", prefix, pattern_of(prefix), effect))
            continue
        if effect.receiver is None:
            continue
        method = effect.name.rsplit(".", 1)[-1]
        key = id(effect.receiver)
        path: Value | None = None
        if key in chained:
            key, path = chained[key]
        app_record = apps.get(key)
        if app_record is None:
            continue
        if method in ("route", "basePath") and effect.arguments:
            if isinstance(effect.result, External) and app_record.made_by != "fastify":
                chained[id(effect.result)] = (key, effect.arguments[0])
            elif isinstance(effect.arguments[0], JsObject):
                _fastify_route(app_record, effect)
            continue
        _register(app_record, effect, method, path)
        if isinstance(effect.result, External):
            # Registrations chain: `router.get(…).post(…)`, `app.route(p).get(…)`.
            chained[id(effect.result)] = (key, path)
    return apps


def _fastify_route(app: _App, effect: Effect) -> None:
    options = effect.arguments[0]
    assert isinstance(options, JsObject)
    url = options.properties.get("url", options.properties.get("path"))
    methods = options.properties.get("method", "GET")
    for method in methods.items if isinstance(methods, JsArray) else [methods]:
        verb = method.upper() if isinstance(method, str) else "*"
        app.routes.append(Route("route", verb, _shown(url), pattern_of(url), effect))


def _register(app: _App, effect: Effect, method: str, chained_path: Value | None) -> None:
    arguments = list(effect.arguments)
    if method == "register" and arguments:
        _register_plugin(app, effect, arguments)
        return
    if method not in _VERBS and method not in ("use", "ws"):
        return
    if chained_path is not None:
        paths: list[Value] = [chained_path]
        handlers = arguments
    elif arguments and _is_path(arguments[0]):
        paths = arguments[0].items if isinstance(arguments[0], JsArray) else [arguments[0]]
        handlers = arguments[1:]
    else:
        paths, handlers = ["/"], arguments
    flat: list[Value] = []
    for handler in handlers:
        flat.extend(handler.items if isinstance(handler, JsArray) else [handler])
    if method != "use":
        if not handlers and chained_path is None:
            return  # `app.get('setting')`
        verb = "*" if method == "all" else "DELETE" if method == "del" else method.upper()
        for path in paths:
            app.routes.append(Route("route", verb, _shown(path), pattern_of(path), effect, tuple(flat)))
        return
    for path in paths:
        for handler in flat:
            app.routes.append(_used(handler, path, effect, tuple(flat)))


def _used(handler: Value, path: Value, effect: Effect, handlers: tuple[Value, ...]) -> Route:
    shown, pattern = _shown(path), pattern_of(path)
    target = handler
    if isinstance(target, External) and target.name.endswith((".routes()", ".middleware()")):
        target = target.made_by.receiver if target.made_by is not None and target.made_by.receiver else target
    if isinstance(target, External) and target.made_by is not None:
        made = target.made_by.name
        if made.endswith(
            (".static", "serve-static", "koa-static", "sirv", "@hono/node-server/serve-static.serveStatic")
        ) or made in (
            "sirv",
            "serve-static",
        ):
            return Route("static", "GET", shown, pattern, effect, handlers, _static_folder(target.made_by))
    if isinstance(target, External):
        return Route("mount", "*", shown, pattern, effect, (target,))
    return Route("middleware", "*", shown, pattern, effect, (handler,))


def _static_folder(effect: Effect) -> str | None:
    """The build-relative folder that a static handler serves, None where it can't be told or lies outside."""
    first = effect.arguments[0] if effect.arguments else None
    if isinstance(first, JsObject):
        first = first.properties.get("root")
    if not isinstance(first, str):
        return None
    return first if first.startswith("/") else posixpath.normpath(first)


def _register_plugin(app: _App, effect: Effect, arguments: list[Value]) -> None:
    plugin = arguments[0]
    options = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], JsObject) else JsObject()
    prefix = options.properties.get("prefix", "/")
    if isinstance(plugin, External):
        if plugin.name.startswith("@fastify/static") or plugin.name == "fastify-static":
            root = options.properties.get("root")
            folder = root if isinstance(root, str) else None
            app.routes.append(Route("static", "GET", _shown(prefix), pattern_of(prefix), effect, (), folder))
        elif not plugin.name.startswith(("@fastify/cors", "@fastify/helmet", "@fastify/websocket", "@fastify/cookie")):
            app.is_open = True
    else:
        app.is_open = True


def _is_path(value: Value) -> bool:
    if isinstance(value, JsArray):
        return bool(value.items) and all(_is_path(item) for item in value.items)
    return isinstance(value, (str, RegExp, Text, Unknown))


def _shown(path: Value) -> str:
    if isinstance(path, str):
        return path
    if isinstance(path, RegExp):
        return f"/{path.pattern}/{path.flags}"
    if isinstance(path, Text):
        return "".join(part if isinstance(part, str) else "…" for part in path.parts)
    return "…"


def _flatten(
    app: External, apps: dict[int, _App], prefix: str, before: tuple[str, ...], depth: int
) -> tuple[list[Route], bool]:
    """Routes of an application with those of mounted routers in place, and whether some can't be listed."""
    record = apps.get(id(app))
    if record is None or depth > 8:
        return [], True
    own = next((route for route in record.routes if route.method == "prefix"), None)
    if own is not None and own.pattern is not None:
        prefix, before = prefix + own.path.rstrip("/"), (*before, *own.pattern)
    found: list[Route] = []
    is_open = record.is_open
    for route in record.routes:
        if route is own:
            continue
        path = prefix + route.path if route.path != "/" or not prefix else prefix
        pattern = None if route.pattern is None else (*before, *route.pattern)
        if route.kind == "mount":
            target = route.handlers[0]
            if isinstance(target, External) and id(target) in apps and pattern is not None:
                inner, inner_open = _flatten(target, apps, path.rstrip("/"), pattern, depth + 1)
                found.extend(inner)
                is_open = is_open or inner_open
            elif isinstance(target, External) and _may_answer(target.name):
                found.append(
                    replace(route, kind="route", path=path, pattern=None if pattern is None else (*pattern, ANY))
                )
            else:
                found.append(replace(route, kind="middleware", path=path, pattern=pattern))
            continue
        found.append(replace(route, path=path, pattern=pattern))
    return found, is_open


_SILENT = re.compile(
    r"^(express\.(json|urlencoded|raw|text|static)|cors|compression|morgan|helmet|body-parser|cookie-parser|"
    r"express-session|express-rate-limit|multer|method-override|serve-favicon|passport|csurf|hpp|pino-http|"
    r"express-fileupload|connect-history-api-fallback|vite\.)"
)


def _may_answer(name: str) -> bool:
    """Whether an external handler may answer requests itself (an unknown package's middleware)."""
    return _SILENT.match(name.removeprefix("new ")) is None


def _cors(trace: Trace) -> tuple[CorsGrant, ...]:
    found: list[CorsGrant] = []
    for effect in trace.effects:
        name = effect.name
        if name in ("cors", "@koa/cors", "hono/cors.cors") or (
            name.endswith(".register")
            and effect.arguments
            and isinstance(effect.arguments[0], External)
            and effect.arguments[0].name.startswith("@fastify/cors")
        ):
            options = effect.arguments[-1] if effect.arguments else None
            origin = options.properties.get("origin") if isinstance(options, JsObject) else None
            found.append(CorsGrant(_origins(origin), effect))
        elif name.endswith(_HEADER_METHODS):
            for index, argument in enumerate(effect.arguments):
                if isinstance(argument, str) and argument.lower() == "access-control-allow-origin":
                    value = effect.arguments[index + 1] if index + 1 < len(effect.arguments) else "*"
                    found.append(CorsGrant(_origins(value), effect))
                elif isinstance(argument, JsObject):
                    for key, value in argument.properties.items():
                        if key.lower() == "access-control-allow-origin":
                            found.append(CorsGrant(_origins(value), effect))
    return tuple(found)


def _origins(value: Value) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return None if value == "*" else (value,)
    if isinstance(value, JsArray) and value.complete and all(isinstance(item, str) for item in value.items):
        return tuple(value.items)
    if value is False:
        return ()
    return None


def _sockets(trace: Trace) -> tuple[str | None, ...]:
    """Paths on which WebSocket upgrades are answered; None for any path."""
    found: list[str | None] = []
    for effect in trace.effects:
        options = next((item for item in effect.arguments if isinstance(item, JsObject)), None)
        if effect.name in ("new ws.WebSocketServer", "new ws.Server", "new ws"):
            path = options.properties.get("path") if options is not None else None
            found.append(path if isinstance(path, str) else None)
        elif effect.name in ("new socket.io.Server", "socket.io"):
            path = options.properties.get("path") if options is not None else None
            found.append(path if isinstance(path, str) else "/socket.io")
        elif effect.name.endswith(".ws") and effect.arguments and isinstance(effect.arguments[0], str):
            found.append(effect.arguments[0])
        elif effect.name.endswith(".on") and effect.arguments[:1] == ("upgrade",):
            found.append(None)
    return tuple(found)


def static_folder(route: Route, cwd: str) -> str | None:
    """The build-relative folder of a static route: absolute ones inside the build, relative ones against the cwd."""
    if route.folder is None:
        return None
    if route.folder.startswith("/"):
        return build_path(route.folder)
    joined = posixpath.normpath(posixpath.join(cwd, route.folder))
    return None if joined.startswith("..") else ("" if joined == "." else joined)
