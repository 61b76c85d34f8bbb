"""Wiring findings that a configuration or a manifest shows by itself."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from forensics.facts import Facts
from forensics.facts.dev_server import DevServer
from forensics.facts.interpreter import Site
from forensics.facts.values import JsObject, Text, Undefined
from forensics.facts.vite import ProxyEntry, ViteConfig, key_matches
from forensics.findings import finding
from forensics.records import Finding
from forensics.syntax import ir
from forensics.syntax.walk import walk
from scanners import wiring_rules as rules


def config_findings(facts: Facts, server: DevServer) -> Iterator[Finding]:
    """Misplaced settings, keys that never match, keys behind others, configs behind others."""
    config = server.config
    if config.path is None:
        return
    yield from _misplaced(facts, config)
    yield from _shadowed_keys(facts, config)
    for other in config.shadowed:
        yield finding(
            rules.CONFIG_SHADOWED,
            facts.location(config.path, 0, 0),
            f"Vite loads {config.path} and ignores {other} beside it, so what is set there has no effect.",
            key=other,
            fix=f"Delete the one that is stale ({config.path} or {other}).",
            related=[facts.location(other, 0, 0, "ignored")],
        )


def _misplaced(facts: Facts, config: ViteConfig) -> Iterator[Finding]:
    top = config.value.properties.get("proxy")
    if isinstance(top, JsObject) and top.properties:
        yield finding(
            rules.PROXY_MISPLACED,
            facts.at(config.site("proxy")),
            "`proxy` stands at the top level of the config, where Vite does not read it: no call is proxied.",
            key="proxy",
            fix="Move it under `server`.",
        )
    for entry in config.proxy or ():
        reason = _never_matches(entry)
        if reason:
            yield finding(
                rules.PROXY_MISPLACED,
                facts.at(entry.site),
                f"The proxy key {entry.key!r} {reason}, so it takes no request.",
                key=entry.key,
                fix=f"Write it as {_plain_key(entry.key)!r}.",
            )


def _never_matches(entry: ProxyEntry) -> str:
    if entry.key.startswith("^"):
        return ""
    if "*" in entry.key:
        return "is taken literally, stars and all"
    if not entry.key.startswith("/"):
        return "does not begin with a slash"
    return ""


def _plain_key(key: str) -> str:
    bare = re.sub(r"^[a-z]+://[^/]*", "", key).split("*")[0].rstrip("/")
    return "/" + bare.lstrip("/")


def _shadowed_keys(facts: Facts, config: ViteConfig) -> Iterator[Finding]:
    entries = list(config.proxy or ())
    for index, entry in enumerate(entries):
        if entry.key.startswith("^"):
            continue
        for earlier in entries[:index]:
            if earlier.key == entry.key or not key_matches(earlier.key, entry.key):
                continue
            if _same(earlier, entry):
                continue
            yield finding(
                rules.PROXY_SHADOWED,
                facts.at(entry.site),
                f"The key {earlier.key!r} stands before {entry.key!r} and takes its requests as well, so they go to "
                f"{_shown(earlier.target)}.",
                key=entry.key,
                fix=f"Put {entry.key!r} before {earlier.key!r}.",
                related=[facts.at(earlier.site, "takes the request first")],
            )
            break


def _same(one: ProxyEntry, other: ProxyEntry) -> bool:
    """Whether two entries send a request to the same place. Upgrades don't count: for them Vite goes on to the next key
    that matches and forwards web sockets (the `upgrade` handler of middlewares/proxy.ts)."""
    same_way = isinstance(one.rewrite, Undefined) and isinstance(other.rewrite, Undefined)
    return same_way and _shown(one.target) == _shown(other.target)


def _shown(value: object) -> str:
    if isinstance(value, Text):
        return "".join(part if isinstance(part, str) else "…" for part in value.parts)
    return str(value)


def foreign_settings(facts: Facts) -> Iterator[Finding]:
    """Proxy settings of create-react-app or Angular in a build whose dev server is Vite."""
    if not facts.dev_servers:
        return
    for package in facts.packages:
        position = package.positions.get("/proxy")
        runs_other = any("react-scripts" in script.text for script in package.scripts.values())
        if position is not None and isinstance(package.manifest.get("proxy"), str) and not runs_other:
            yield finding(
                rules.FOREIGN_PROXY_CONFIG,
                facts.location(package.path, position.key_start, position.end),
                f"`proxy` in {package.path} is create-react-app's; Vite does not read it, so no call is passed on to "
                f"{package.manifest['proxy']}.",
                key="proxy",
            )
    loaded = _named_files(facts)
    for path in facts.build.files:
        name = posixpath.basename(path)
        if re.fullmatch(r"setupProxy\.[cm]?[jt]s", name) or name in ("proxy.conf.json", "proxy.conf.js"):
            if path in loaded:
                continue
            tool = "react-scripts" if name.startswith("setup") else "Angular's dev server"
            yield finding(
                rules.FOREIGN_PROXY_CONFIG,
                facts.location(path, 0, 0),
                f"{path} is read by {tool} alone; under Vite nothing loads it.",
                key=name,
            )


def _named_files(facts: Facts) -> set[str]:
    """Files that a Vite config imports or reads."""
    found: set[str] = set()
    for server in facts.dev_servers:
        interpreter = server.config.interpreter
        if interpreter is not None:
            found.update(interpreter.modules)
            for effect in interpreter.effects:
                for argument in effect.arguments:
                    if isinstance(argument, str):
                        found.update(path for path in facts.build.files if argument.endswith(posixpath.basename(path)))
    return found


def environment_findings(facts: Facts, server: DevServer) -> Iterator[Finding]:
    """Variables that browser code reads and Vite does not give it."""
    config = server.config
    written = _written_variables(facts)
    defined = config.setting("define")
    names = set(defined.properties) if isinstance(defined, JsObject) else set()
    for path in dict.fromkeys(module for page in server.pages for module in page.served.modules):
        script = facts.files.script(path)
        if script is None:
            continue
        asks_first = any(_tests_process(node) for node in walk(script.body))
        for node in walk(script.body):
            if not isinstance(node, ir.Member):
                continue
            name = node.name
            if _is_meta_env(node.object):
                if name in config.env_values or name in ("MODE", "DEV", "PROD", "SSR", "BASE_URL", "LEGACY"):
                    continue
                place = written.get(name)
                if place is None or f"import.meta.env.{name}" in names:
                    continue
                if not name.startswith(config.env_prefixes):
                    why = f"has none of the prefixes {', '.join(config.env_prefixes)} that Vite exposes"
                    fix = f"Rename it {config.env_prefixes[0]}{name} in both places."
                elif posixpath.dirname(place.path) == config.env_dir:
                    continue  # a file of another mode
                else:
                    where = config.env_dir or "."
                    why = f"is set in {place.path}, but Vite reads .env files from {where}/ only"
                    fix = f"Move {place.path} to {where}/, or set envDir."
                yield finding(
                    rules.ENV_NOT_EXPOSED,
                    facts.location(path, node.start, node.end),
                    f"import.meta.env.{name} is undefined in the browser: the variable {why}.",
                    key=name,
                    fix=fix,
                    related=[facts.at(place, "where it is set")],
                )
            elif _is_process_env(node.object):
                if (
                    asks_first
                    or name == "NODE_ENV"
                    or {f"process.env.{name}", "process.env", "process"} & names
                    or _has_polyfill(config)
                ):
                    continue
                yield finding(
                    rules.ENV_NOT_EXPOSED,
                    facts.location(path, node.start, node.end),
                    f"process.env.{name} is read in browser code: under `vite` that is a ReferenceError (process is not "
                    "defined), after a build it is undefined.",
                    key=f"process.env.{name}",
                    fix=f"Read import.meta.env.VITE_{name.removeprefix('REACT_APP_').removeprefix('VITE_')} and set that variable.",
                )


def _is_meta_env(node: object) -> bool:
    return isinstance(node, ir.Member) and node.name == "env" and isinstance(node.object, ir.ImportMeta)


def _is_process_env(node: object) -> bool:
    return (
        isinstance(node, ir.Member)
        and node.name == "env"
        and isinstance(node.object, ir.Name)
        and node.object.name == "process"
    )


def _tests_process(node: object) -> bool:
    """`typeof process`: code that asks whether there is one."""
    return (
        isinstance(node, ir.Unary)
        and node.operator == "typeof"
        and isinstance(node.operand, ir.Name)
        and node.operand.name == "process"
    )


def _has_polyfill(config: ViteConfig) -> bool:
    return any("polyfill" in name or "environment" in name or "env-compatible" in name for name in config.plugins)


def _written_variables(facts: Facts) -> dict[str, Site]:
    """Variables that a .env file of the build or a launch command sets, and where."""
    found: dict[str, Site] = {}
    for path in facts.build.files:
        name = posixpath.basename(path)
        if not re.fullmatch(r"\.env(\.local|\.development|\.production)?(\.local)?", name):
            continue
        source = facts.build.read(path)
        for match in re.finditer(rb"(?m)^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=", source):
            found.setdefault(match[1].decode(), Site(path, match.start(1), match.end(1)))
    return found
