"""Mechanical defects of wiring and data directories, each a small edit of a build that scans clean.

A kind knows where to cut from the facts of the clean build and gives None where the build has no such place. The edit is
made on the text alone; that the mutated build is scanned anew from its files is what makes the check one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass

from forensics.facts import Facts
from forensics.facts.dev_server import DevServer
from forensics.facts.interpreter import Effect, Site
from forensics.facts.launch_plan import Process
from forensics.facts.stores import Made, Store, folders_made, ships, stores_of
from forensics.facts.values import Undefined
from forensics.facts.vite import ProxyEntry
from forensics.syntax import ir
from forensics.syntax.walk import walk
from scanners.wiring_production import production_servers

Edits = dict[str, bytes | None]
"""New contents by path, None for a file that goes."""

_FREE_PORT = 9123
"""A port that no build met so far listens on."""


@dataclass(frozen=True)
class Kind:
    """One kind of defect. `expected`: the rules of which one must be reported."""

    name: str
    expected: frozenset[str]
    inject: Callable[[Facts], Edits | None]


# ---------------------------------------------------------------------- text edits


def _replaced(facts: Facts, site: Site, text: str) -> Edits | None:
    """The file with a span replaced."""
    if site.path not in facts.build.files or site.end <= site.start:
        return None
    source = facts.build.read(site.path)
    return {site.path: source[: site.start] + text.encode() + source[site.end :]}


def _inserted(facts: Facts, site: Site, text: str) -> Edits:
    source = facts.build.read(site.path)
    return {site.path: source[: site.start] + text.encode() + source[site.start :]}


def _written(facts: Facts, site: Site) -> str:
    return facts.build.read(site.path)[site.start : site.end].decode("utf-8", "replace")


def _property(facts: Facts, path: str, name: str) -> ir.Property | None:
    script = facts.files.script(path)
    if script is None:
        return None
    for node in walk(script.body):
        if isinstance(node, ir.Property) and isinstance(node.key, ir.Const) and node.key.value == name:
            return node
    return None


# ------------------------------------------------------------------- places to cut


def _proxied(facts: Facts) -> tuple[DevServer, ProxyEntry] | None:
    """A dev server and the first entry of its proxy that takes a call, the key written as a plain literal."""
    from forensics.facts.vite import taken_by

    for server in facts.dev_servers:
        for call in (call for _, call in server.calls):
            if call.reach != "relative" or call.kind == "form" or call.effect.phase == "uncalled":
                continue
            entry = taken_by(server.config, call.path.replace("…", "x"))
            if isinstance(entry, ProxyEntry) and _written(facts, entry.site).strip("'\"`") == entry.key:
                return server, entry
    return None


def _key(facts: Facts, change: Callable[[str], str | None]) -> Edits | None:
    found = _proxied(facts)
    if found is None or found[1].key.startswith("^"):
        return None
    key = change(found[1].key)
    return None if key is None else _replaced(facts, found[1].site, f"'{key}'")


def _target_literal(facts: Facts) -> tuple[DevServer, ProxyEntry, Site] | None:
    """The literal that holds the target of a proxy entry, port and all."""
    found = _proxied(facts)
    if found is None:
        return None
    server, entry = found
    script = facts.files.script(entry.site.path)
    if script is None or not isinstance(entry.target, str):
        return None
    for node in walk(script.body):
        if isinstance(node, ir.Const) and node.value == entry.target and node.start > entry.site.start:
            return server, entry, Site(entry.site.path, node.start, node.end)
    return None


def _target_port(facts: Facts) -> Edits | None:
    found = _target_literal(facts)
    if found is None or not re.search(r":\d+", str(found[1].target)):
        return None
    return _replaced(facts, found[2], "'" + re.sub(r":\d+", f":{_FREE_PORT}", str(found[1].target)) + "'")


def _target_path(facts: Facts) -> Edits | None:
    found = _target_literal(facts)
    if found is None or not _routes_known(facts, found[0], found[1]):
        return None
    return _replaced(facts, found[2], f"'{str(found[1].target).rstrip('/')}/v9'")


def _routes_known(facts: Facts, server: DevServer, entry: ProxyEntry) -> bool:
    """Whether a call that the entry takes is seen to reach a route, so that another path is seen to miss it."""
    if not isinstance(entry.rewrite, Undefined) or re.search(r":\d+/.", str(entry.target)):
        return False
    for _, call in server.calls:
        if call.reach == "relative" and call.path.startswith(entry.key) and call.segments is not None:
            answers = {back.answers(call.method, call.segments) for back in server.back_end.servers}
            if answers == {"route"}:
                return True
    return False


def _rewrite_added(facts: Facts) -> Edits | None:
    found = _target_literal(facts)
    if found is None or not _routes_known(facts, found[0], found[1]):
        return None
    _, entry, site = found
    proxy = _property(facts, site.path, "proxy")
    if proxy is None or not proxy.start < site.start < proxy.end:
        return None  # the target is a constant, which can't take a function
    strip = f"rewrite: (path) => path.slice({len(entry.key.rstrip('/'))})"
    before = facts.build.read(site.path)[: site.start].rstrip()
    key = before.rsplit(b"\n", 1)[-1].rsplit(b",", 1)[-1].rsplit(b"{", 1)[-1].strip()
    if key.rstrip(b":").strip() == b"target":
        return _replaced(facts, site, f"'{entry.target}', {strip}")
    return _replaced(facts, site, f"{{ target: '{entry.target}', {strip} }}")


def _proxy_deleted(facts: Facts) -> Edits | None:
    found = _proxied(facts)
    if found is None or found[0].config.path is None:
        return None
    path = found[0].config.path
    node = _property(facts, path, "proxy")
    return None if node is None else _replaced(facts, Site(path, node.start, node.end), "open: false")


def _config_moved(facts: Facts) -> Edits | None:
    found = _proxied(facts)
    if found is None:
        return None
    config = found[0].config
    if config.path is None or "config" in config.process.options or config.shadowed:
        return None
    folder = posixpath.join(posixpath.dirname(config.path), "settings")
    return {
        config.path: None,
        posixpath.join(folder, posixpath.basename(config.path)): facts.build.read(config.path),
    }


def _positional_root(facts: Facts) -> Edits | None:
    """The page's files move into a folder that `vite` is then given, and the config stays where it was."""
    found = _proxied(facts)
    if found is None:
        return None
    config, process = found[0].config, found[0].process
    place = process.place
    if config.aliases or config.path is None or place is None or config.root != process.cwd or config.process.options:
        return None
    folder = f"{config.root}/" if config.root else ""
    script = _written(facts, Site(place.path, place.start, place.end))
    if not re.search(r"(^|\s|\")vite(\s|\"|$)", script):
        return None
    source = facts.build.read(place.path)
    changed = re.sub(r"(^|\s|\")vite(?=\s|\"|$)", r"\1vite page-root", script, count=1)
    edits: Edits = {place.path: source[: place.start] + changed.encode() + source[place.end :]}
    moved = [path for page in found[0].pages for path in page.served.graph if path.startswith(folder)]
    for path in dict.fromkeys(moved):
        edits[path] = None
        edits[f"{folder}page-root/{path[len(folder) :]}"] = facts.build.read(path)
    return edits if moved else None


def _captured_module(facts: Facts) -> Edits | None:
    """The page's first module imports a new one whose name begins as the key does."""
    found = _proxied(facts)
    if found is None or found[1].key.startswith("^") or found[1].key.endswith("/") or found[0].config.base != "/":
        return None
    server, entry = found
    modules = server.pages[0].served.modules if server.pages else ()
    if not modules or server.config.root is None or not modules[0].endswith((".js", ".jsx", ".ts", ".tsx")):
        return None
    name = entry.key.strip("/") + "-settings.js"
    return {
        posixpath.join(server.config.root, name): b"export const settings = {}\n",
        modules[0]: f"import '/{name}'\n".encode() + facts.build.read(modules[0]),
    }


def _shadowing_key(facts: Facts) -> Edits | None:
    found = _proxied(facts)
    if found is None or found[1].key.startswith("^") or len(found[1].key) < 3:
        return None
    entry = found[1]
    return _inserted(facts, entry.site, f"'{entry.key[:-1]}': 'http://localhost:{_FREE_PORT}', ")


def _socket_dropped(facts: Facts) -> Edits | None:
    for server in facts.dev_servers:
        sockets = any(call.kind == "socket" and call.reach == "relative" for _, call in server.calls)
        if not sockets or not any(back.socket_paths for back in server.back_end.servers) or not server.config.path:
            continue
        path = server.config.path
        source = facts.build.read(path)
        changed = re.sub(rb"\bws:\s*true", b"ws: false", source)
        changed = re.sub(rb"(['\"`])ws://", rb"\1http://", changed)
        if changed != source:
            return {path: changed}
    return None


def _absolute_ports(facts: Facts) -> dict[int, DevServer]:
    """Ports that the client names and a server listens on."""
    return {
        call.port: server
        for server in facts.dev_servers
        for _, call in server.calls
        if call.is_local and call.kind != "socket" and call.port in server.back_end.ports and call.port is not None
        if call.effect.phase != "uncalled"
    }


def _is_in_env_file(facts: Facts, port: int) -> bool:
    """Whether an environment file of the build says the port: what the code says beside it is then a default."""
    files = [path for path in facts.build.files if posixpath.basename(path).startswith(".env")]
    return any(str(port) in facts.build.text(path) for path in files)


def _base_port(facts: Facts) -> Edits | None:
    for port, server in _absolute_ports(facts).items():
        if _is_in_env_file(facts, port):
            continue
        for path in dict.fromkeys(path for page in server.pages for path in page.served.modules):
            source = facts.build.read(path)
            changed = re.sub(rb"(localhost|127\.0\.0\.1):%d\b" % port, rb"\1:%d" % _FREE_PORT, source)
            if changed != source:
                return {path: changed}
    return None


def _cors_dropped(facts: Facts) -> Edits | None:
    for port, server in _absolute_ports(facts).items():
        for back in server.back_end.at(port):
            grants = [grant.effect for grant in back.cors]
            if len(grants) == 1 and grants[0].name == "cors" and not back.is_open:
                return _replaced(facts, grants[0].site, "((request, response, next) => next())")
    return None


def _server_moved(facts: Facts) -> Edits | None:
    """The number that the server listens on, in the server's own modules."""
    ports = set(_absolute_ports(facts))
    found = _proxied(facts)
    if found is not None and isinstance(found[1].target, str):
        ports |= {int(text) for text in re.findall(r":(\d+)", found[1].target)}
    for server in facts.dev_servers:
        for back in server.back_end.servers:
            if back.port not in ports or not isinstance(back.port, int) or _is_in_env_file(facts, back.port):
                continue
            shared = server.config.interpreter.modules if server.config.interpreter is not None else {}
            for path in back.trace.interpreter.modules:
                if path in shared:
                    continue  # one constant for both is what keeps them together
                for literal in facts.literals(path):
                    if literal.value in (back.port, str(back.port)):
                        quote = "'" if isinstance(literal.value, str) else ""
                        return _replaced(facts, Site(path, literal.start, literal.end), f"{quote}{_FREE_PORT}{quote}")
    return None


def _output_elsewhere(facts: Facts) -> Edits | None:
    from scanners.wiring_production import built_configs, production_findings

    configs = [config for _, config in built_configs(facts)]
    if len(configs) != 1 or configs[0].path is None or not production_servers(facts) or any(production_findings(facts)):
        return None
    served = any(not route.pattern for server in production_servers(facts) for route in server.statics)
    if not served or "outDir" in configs[0].process.options:
        return None
    path = configs[0].path
    out_dir = _property(facts, path, "outDir")
    if out_dir is not None:
        return _replaced(facts, Site(path, out_dir.start, out_dir.end), "outDir: 'somewhere-else'")
    if _property(facts, path, "build") is not None:
        return None
    server = _property(facts, path, "server")
    if server is None:
        return None
    return _inserted(facts, Site(path, server.start, server.end), "build: { outDir: 'somewhere-else' }, ")


# ------------------------------------------------------------------ data directories


def _server_runs(facts: Facts) -> list[Process]:
    return [process for process in facts.server_processes if not facts.trace(process).interpreter.exhausted]


def _needed(facts: Facts) -> tuple[Process, Store, list[Made]] | None:
    """A store that opens while the server starts in a folder that only code makes, with the calls that make it."""
    for process in _server_runs(facts):
        run = facts.trace(process)
        for store in stores_of(run):
            if store.effect.phase != "startup" or not store.effect.certain or store.needs is None:
                continue
            if store.driver.makes == "parents" or ships(facts.build, store.needs) is not False:
                continue
            made = [
                item
                for item in folders_made(run)
                if item.effect is not store.effect
                and (item.path == store.needs or item.path.startswith(store.needs + "/"))
            ]
            if made:
                return process, store, made
    return None


def _without(facts: Facts, effects: list[Effect], text: Callable[[str], str]) -> Edits | None:
    """The calls of some effects rewritten, the last in each file first."""
    edits: Edits = {}
    for site in sorted({effect.site for effect in effects}, key=lambda item: (item.path, -item.start)):
        if site.path not in facts.build.files:
            return None
        source = edits.get(site.path) or facts.build.read(site.path)
        assert source is not None
        call = source[site.start : site.end].decode("utf-8", "replace")
        edits[site.path] = source[: site.start] + text(call).encode() + source[site.end :]
    return edits or None


def _mkdir_deleted(facts: Facts) -> Edits | None:
    found = _needed(facts)
    return None if found is None else _without(facts, [item.effect for item in found[2]], lambda _: "undefined")


def _mkdir_elsewhere(facts: Facts) -> Edits | None:
    found = _needed(facts)
    if found is None:
        return None
    return _without(
        facts, [item.effect for item in found[2]], lambda call: re.sub(r"\(", "('elsewhere-' + ", call, count=1)
    )


def _data_nested(facts: Facts) -> Edits | None:
    """The file of a store one or two folders deeper, where its own name is written as a literal."""
    for process in _server_runs(facts):
        run = facts.trace(process)
        for store in stores_of(run):
            if store.effect.phase != "startup" or not store.effect.certain or not isinstance(store.path, str):
                continue
            if store.driver.makes == "parents" or store.driver.name == "a file" or folders_made(run):
                continue
            name = posixpath.basename(store.path)
            for path in run.interpreter.modules:
                for literal in facts.literals(path):
                    if isinstance(literal.value, str) and posixpath.basename(literal.value) == name:
                        deeper = posixpath.join(posixpath.dirname(literal.value), "deeper", "still", name)
                        return _replaced(facts, Site(path, literal.start, literal.end), f"'{deeper}'")
    return None


def _kind(name: str, inject: Callable[[Facts], Edits | None], *expected: str) -> Kind:
    return Kind(name, frozenset(expected), inject)


_NO_PROXY = ("wiring/no-proxy-in-config", "wiring/no-proxy-config")
KINDS: tuple[Kind, ...] = (
    _kind("target's port changed", _target_port, "wiring/port-mismatch"),
    _kind("target's path added", _target_path, "wiring/rewrite-mismatch"),
    _kind("rewrite added that strips the prefix", _rewrite_added, "wiring/rewrite-mismatch"),
    _kind("proxy deleted", _proxy_deleted, *_NO_PROXY),
    _kind("config moved out of the root", _config_moved, "wiring/proxy-not-loaded"),
    _kind("positional root added", _positional_root, "wiring/proxy-not-loaded"),
    _kind("module named like the key", _captured_module, "wiring/module-captured-by-proxy"),
    _kind("key widened to the root", lambda facts: _key(facts, lambda key: "/"), "wiring/module-captured-by-proxy"),
    _kind("key made a glob", lambda facts: _key(facts, lambda key: key.rstrip("/") + "/*"), "wiring/proxy-misplaced"),
    _kind(
        "key without its slash", lambda facts: _key(facts, lambda key: key.strip("/") or None), "wiring/proxy-misplaced"
    ),
    _kind("shorter key put first", _shadowing_key, "wiring/proxy-shadowed"),
    _kind("ws dropped", _socket_dropped, "wiring/websocket-not-proxied"),
    _kind("port of the client's base changed", _base_port, "wiring/api-base-unreachable"),
    _kind("port of the server changed", _server_moved, "wiring/port-mismatch", "wiring/api-base-unreachable"),
    _kind("cors dropped", _cors_dropped, "wiring/missing-cors"),
    _kind("output set elsewhere", _output_elsewhere, "wiring/output-not-served"),
    _kind("mkdir deleted", _mkdir_deleted, "datadir/missing-parent", "datadir/created-elsewhere"),
    _kind("mkdir of another folder", _mkdir_elsewhere, "datadir/missing-parent", "datadir/created-elsewhere"),
    _kind("data nested deeper", _data_nested, "datadir/missing-parent", "datadir/created-elsewhere"),
)
