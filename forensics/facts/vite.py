"""Vite configurations as Vite resolves them: which file is loaded, what it evaluates to, what that means.

Behaviour and sources: `packages/vite/src/node/config.ts` (`loadConfigFromFile`, `resolveConfig`), `constants.ts`
(`DEFAULT_CONFIG_FILES`), `middlewares/proxy.ts` (`doesProxyContextMatchUrl`), https://vite.dev/config/.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from forensics.build import Build
from forensics.facts import regular_expressions
from forensics.facts import values as v
from forensics.facts.builtins import file_path
from forensics.facts.interpreter import Interpreter, Site
from forensics.facts.launch_plan import Process
from forensics.facts.node_host import NodeHost, absolute, build_path
from forensics.facts.resolution import Alias, Resolver
from forensics.facts.values import (
    UNDEFINED,
    Closure,
    External,
    JsArray,
    JsObject,
    Promise,
    RegExp,
    Text,
    Undefined,
    Unknown,
    UrlValue,
    Value,
)
from forensics.syntax import ir
from forensics.syntax.index import FileIndex
from forensics.syntax.walk import walk

CONFIG_NAMES = tuple(f"vite.config.{extension}" for extension in ("js", "mjs", "ts", "cjs", "mts", "cts"))
"""In the order Vite tries them; the first that exists wins (`DEFAULT_CONFIG_FILES`)."""


@dataclass(frozen=True)
class ProxyEntry:
    """One entry of `server.proxy`. `target` is a string, Text or Unknown; `site` is where the key stands, `target_site`
    where the target does (the key where both are on one line)."""

    key: str
    target: Value
    rewrite: Value
    ws: bool
    bypass: Value
    site: Site
    target_site: Site


@dataclass(frozen=True)
class ViteConfig:
    """The resolved configuration of one Vite process.

    `path` is the config file that is loaded, None where there is none; `unknown` says why it can't be read ("" where it
    can). `root`, `public`, `out_dir`, `env_dir` are build-relative; None where they can't be told or lie outside.
    `proxy` is None where no proxy is configured; `proxy_unknown` says why (some of) it can't be read. `middleware` are the
    paths that plugins of the build's own answer (`configureServer`), None for one that may answer any.
    """

    process: Process
    command: Literal["serve", "build", "preview"]
    mode: str
    inline_root: str
    path: str | None
    unknown: str
    value: JsObject
    interpreter: Interpreter | None
    root: str | None
    base: str
    public: str | None
    out_dir: str | None
    env_dir: str | None
    env_prefixes: tuple[str, ...]
    port: int | Unknown
    proxy: tuple[ProxyEntry, ...] | None
    proxy_unknown: str
    aliases: tuple[Alias, ...]
    plugins: tuple[str, ...]
    middleware_mode: bool
    preview_proxy_off: bool
    shadowed: tuple[str, ...] = ()
    middleware: tuple[str | None, ...] = ()
    env_values: Mapping[str, str] = field(default_factory=dict)

    def setting(self, *names: str) -> Value:
        """The configured value at a path of names, UNDEFINED where nothing is set."""
        value: Value = self.value
        for name in names:
            if isinstance(value, JsObject):
                value = value.properties.get(name, UNDEFINED if value.complete else Unknown(f"{name} may be set"))
            elif isinstance(value, Unknown):
                return value
            else:
                return UNDEFINED
        return value

    def site(self, *names: str) -> Site:
        """Where the last of the names stands in the config, else the top of the file."""
        path = self.path or ""
        found = property_site(self.interpreter, path, names[-1]) if names else None
        return found or Site(path, 0, 0)


def config_file(build: Build, folder: str) -> tuple[str | None, tuple[str, ...]]:
    """The config that Vite loads from a folder, and those beside it that it ignores."""
    present = [posixpath.join(folder, name) for name in CONFIG_NAMES if posixpath.join(folder, name) in build.files]
    return (present[0], tuple(present[1:])) if present else (None, ())


def property_site(interpreter: Interpreter | None, path: str, name: str) -> Site | None:
    """Where an object literal of the config (or of a module it imports) writes a property of that name."""
    if interpreter is None:
        return None
    modules = interpreter.modules
    for module_path in sorted(modules, key=lambda item: (item != path, item)):
        for node in walk(modules[module_path].script.body):
            if isinstance(node, ir.Property) and isinstance(node.key, ir.Const) and node.key.value == name:
                return Site(module_path, node.key.start, node.key.end)
            if isinstance(node, ir.Assign) and isinstance(node.target, ir.Index):
                index = node.target.index
                if isinstance(index, ir.Const) and index.value == name:
                    return Site(module_path, index.start, index.end)
    return None


def resolve_config(
    build: Build,
    files: FileIndex,
    resolver: Resolver,
    process: Process,
    environment: Mapping[str, Value],
    read_dotenv: Callable[[str], dict[str, str] | None],
    load_env: Callable[[str, str, tuple[str, ...]], dict[str, str]],
    inline: JsObject | None = None,
) -> ViteConfig:
    """The configuration of a Vite process.

    `inline` is the object given to `createServer` or `build` by a script, which is merged over the file.
    """
    command: Literal["serve", "build", "preview"] = {"vite-build": "build", "vite-preview": "preview"}.get(
        process.kind, "serve"
    )  # type: ignore[assignment]
    inline = inline or JsObject()
    options = process.options
    root_option = inline.properties.get("root", options.get("root", ""))
    inline_root = _folder(root_option, process.cwd)
    mode_value = inline.properties.get("mode", options.get("mode"))
    mode = (
        mode_value
        if isinstance(mode_value, str) and mode_value
        else ("development" if command == "serve" else "production")
    )
    path, shadowed, missing = _config_path(build, process, inline, inline_root)
    value, unknown, interpreter = JsObject(), missing, None
    if path is not None:
        value, unknown, interpreter = _evaluated(
            build, files, resolver, process, environment, read_dotenv, load_env, path, command, mode
        )
    value = _after_hooks(value, interpreter, command, mode)
    merged_value = _over(value, inline)
    root_value = merged_value.properties.get("root", UNDEFINED)
    if root_option not in ("", UNDEFINED) and not isinstance(root_option, Undefined):
        root: str | None = inline_root
    elif isinstance(root_value, Undefined):
        root = inline_root
    else:
        root = _folder(root_value, process.cwd)
    mode = _text_of(merged_value.properties.get("mode")) or mode if not options.get("mode") else mode
    server = merged_value.properties.get("server", UNDEFINED)
    proxy, proxy_unknown = _proxy(server, interpreter, path or "")
    env_dir_value = merged_value.properties.get("envDir", UNDEFINED)
    env_dir = None if root is None else _below(env_dir_value, root, root)
    prefixes = _prefixes(merged_value.properties.get("envPrefix", UNDEFINED))
    env_values: dict[str, str] = {}
    if env_dir is not None:
        env_values = dict(load_env(mode, absolute(env_dir), prefixes))
    for name, item in environment.items():
        if name.startswith(prefixes) and isinstance(item, str):
            env_values[name] = item
    build_options = merged_value.properties.get("build", UNDEFINED)
    out_dir: Value = options.get("outDir", UNDEFINED)
    if isinstance(out_dir, Undefined) and isinstance(build_options, JsObject):
        out_dir = build_options.properties.get("outDir", UNDEFINED)
    preview = merged_value.properties.get("preview", UNDEFINED)
    base_value = options.get("base", merged_value.properties.get("base", "/"))
    return ViteConfig(
        process=process,
        command=command,
        mode=mode,
        inline_root=inline_root or "",
        path=path,
        unknown=unknown,
        value=merged_value,
        interpreter=interpreter,
        root=root,
        base=base_value if isinstance(base_value, str) and base_value.startswith("/") else "/",
        public=None
        if root is None
        else _below(merged_value.properties.get("publicDir", UNDEFINED), root, _join(root, "public")),
        out_dir=None if root is None else _below(out_dir, root, _join(root, "dist")),
        env_dir=env_dir,
        env_prefixes=prefixes,
        port=_port(options.get("port"), server, preview, command),
        proxy=proxy,
        proxy_unknown=proxy_unknown or unknown,
        aliases=_aliases(merged_value),
        plugins=_plugins(merged_value.properties.get("plugins", UNDEFINED)),
        middleware_mode=isinstance(server, JsObject) and bool(server.properties.get("middlewareMode", False)),
        preview_proxy_off=isinstance(preview, JsObject)
        and isinstance(preview.properties.get("proxy"), JsObject)
        and not preview.properties["proxy"].properties,
        shadowed=shadowed,
        middleware=_own_middleware(value, interpreter),
        env_values=env_values,
    )


def _config_path(
    build: Build, process: Process, inline: JsObject, inline_root: str | None
) -> tuple[str | None, tuple[str, ...], str]:
    given = inline.properties.get("configFile", process.options.get("config", UNDEFINED))
    if given is False:
        return None, (), ""
    if isinstance(given, (Unknown, Text, External)):
        return None, (), f"which config is loaded can't be told: {v.reason_of(given)}"
    if isinstance(given, str) and given:
        # An explicit path counts from the cwd, not from the root (loadConfigFromFile).
        path = build_path(posixpath.join(absolute(process.cwd), given))
        if path is not None and path in build.files:
            return path, (), ""
        return None, (), ""
    if inline_root is None:
        return None, (), "the root can't be told"
    path, shadowed = config_file(build, inline_root)
    return path, shadowed, ""


def _evaluated(
    build: Build,
    files: FileIndex,
    resolver: Resolver,
    process: Process,
    environment: Mapping[str, Value],
    read_dotenv: Callable[[str], dict[str, str] | None],
    load_env: Callable[[str, str, tuple[str, ...]], dict[str, str]],
    path: str,
    command: str,
    mode: str,
) -> tuple[JsObject, str, Interpreter]:
    # Vite sets NODE_ENV before it loads the config (resolveConfig: "set it early on").
    variables = {"NODE_ENV": "development" if command == "serve" else "production", **environment}
    host = NodeHost(build, files, resolver, process.cwd, variables, (), path, read_dotenv, load_env)
    interpreter = Interpreter(host)
    script = files.script(path)
    if script is None:
        return JsObject(), f"{path} can't be read", interpreter
    if script.problems:
        return JsObject(), f"{path} can't be parsed", interpreter
    exported = interpreter.evaluate_export(path, "default")
    if isinstance(exported, Closure):
        given = JsObject(
            {
                "command": "build" if command == "build" else "serve",
                "mode": mode,
                "isSsrBuild": False,
                "ssrBuild": False,
                "isPreview": command == "preview",
            }
        )
        exported = interpreter.call_now(exported, [given])
    exported = interpreter.await_value(exported)
    if isinstance(exported, JsObject):
        return exported, "" if exported.complete else "a part of the config can't be told", interpreter
    return JsObject(complete=False), f"the config can't be evaluated: {v.reason_of(exported)}", interpreter


def _plugin_objects(value: Value) -> list[JsObject]:
    """Plugins written as objects, lists of them flattened."""
    if isinstance(value, JsArray):
        return [plugin for item in value.items for plugin in _plugin_objects(item)]
    return [value] if isinstance(value, JsObject) else []


def _hook(plugin: JsObject, name: str) -> Closure | None:
    """A hook, which may be an object with a `handler` (https://rollupjs.org/plugin-development/#build-hooks)."""
    hook = plugin.properties.get(name)
    if isinstance(hook, JsObject):
        hook = hook.properties.get("handler")
    return hook if isinstance(hook, Closure) else None


def _after_hooks(value: JsObject, interpreter: Interpreter | None, command: str, mode: str) -> JsObject:
    """The config after the `config` hooks of the build's own plugins, whose answers are merged over it (runConfigHook)."""
    if interpreter is None:
        return value
    given = JsObject({"command": "build" if command == "build" else "serve", "mode": mode})
    for plugin in _plugin_objects(value.properties.get("plugins", UNDEFINED)):
        hook = _hook(plugin, "config")
        answer = interpreter.call_now(hook, [value, given]) if hook is not None else None
        if isinstance(answer, JsObject):
            value = _over(value, answer)
    return value


_DEV_SERVER = "vite.server"


def _own_middleware(value: JsObject, interpreter: Interpreter | None) -> tuple[str | None, ...]:
    """Paths that `configureServer` hooks answer through `server.middlewares.use`, None for one without a path."""
    if interpreter is None:
        return ()
    before = len(interpreter.effects)
    for plugin in _plugin_objects(value.properties.get("plugins", UNDEFINED)):
        hook = _hook(plugin, "configureServer")
        if hook is not None:
            interpreter.call_now(hook, [External(_DEV_SERVER)])
    used = [item for item in interpreter.effects[before:] if item.name == f"{_DEV_SERVER}.middlewares.use"]
    paths = [item.arguments[0] if item.arguments else None for item in used]
    return tuple(path if isinstance(path, str) else None for path in paths)


def _over(value: JsObject, inline: JsObject) -> JsObject:
    """Inline options merged over the file's (mergeConfig, one level of objects)."""
    made = JsObject(value.properties, value.complete)
    for key, item in inline.properties.items():
        below = made.properties.get(key)
        if type(below) is JsObject and type(item) is JsObject:
            made.properties[key] = _over(below, item)
        elif not isinstance(item, Undefined):
            made.properties[key] = item
    return made


def _text_of(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _join(folder: str, name: str) -> str:
    path = posixpath.normpath(posixpath.join(folder, name))
    return "" if path == "." else path


def _folder(value: Value, cwd: str) -> str | None:
    """A root as Vite resolves it: against the cwd, never against the config's folder."""
    if isinstance(value, (Undefined, type(None))) or value == "":
        return cwd
    if isinstance(value, UrlValue):
        value = file_path(value)
    if not isinstance(value, str):
        return None
    return build_path(posixpath.join(absolute(cwd), value))


def _below(value: Value, root: str, default: str) -> str | None:
    """A directory option that counts from the effective root; False switches it off."""
    if isinstance(value, Undefined) or value is None or value == "":
        return default
    if isinstance(value, UrlValue):
        value = file_path(value)
    if not isinstance(value, str):
        return None
    return build_path(posixpath.join(absolute(root), value))


def _prefixes(value: Value) -> tuple[str, ...]:
    if isinstance(value, str) and value:
        return (value,)
    if isinstance(value, JsArray):
        return tuple(item for item in value.items if isinstance(item, str)) or ("VITE_",)
    return ("VITE_",)


def _port(option: object, server: Value, preview: Value, command: str) -> int | Unknown:
    default = 4173 if command == "preview" else 5173
    if isinstance(option, Unknown):
        return option
    if option not in (None, ""):
        return int(str(option)) if re.fullmatch(r"\d{1,5}", str(option)) else default
    holder = preview if command == "preview" else server
    value = holder.properties.get("port", UNDEFINED) if isinstance(holder, JsObject) else UNDEFINED
    if isinstance(value, (int, str)) and re.fullmatch(r"\d{1,5}", str(value)):
        return int(value)
    if isinstance(value, (Unknown, Text, External)):
        return Unknown(v.reason_of(value))
    return default


def _proxy(server: Value, interpreter: Interpreter | None, path: str) -> tuple[tuple[ProxyEntry, ...] | None, str]:
    if isinstance(server, (Unknown, External)):
        return None, f"server can't be told: {v.reason_of(server)}"
    if not isinstance(server, JsObject):
        return None, ""
    proxy = server.properties.get("proxy", UNDEFINED)
    if isinstance(proxy, (Undefined, type(None))) or proxy is False:
        return None, "" if server.complete else "server.proxy may be set by a spread"
    if not isinstance(proxy, JsObject):
        return None, f"server.proxy can't be told: {v.reason_of(proxy)}"
    entries = []
    for key, item in proxy.properties.items():
        site = property_site(interpreter, path, key) or property_site(interpreter, path, "proxy") or Site(path, 0, 0)
        entries.append(_entry(key, item, site, _target_site(interpreter, site, key)))
    unknown = "" if proxy.complete else "keys of server.proxy can't be told"
    if not entries and proxy.complete:
        return None, ""
    return tuple(entries), unknown


def _target_site(interpreter: Interpreter | None, site: Site, key: str) -> Site:
    """Where an entry written as an object sets its target, else where its key stands."""
    module = interpreter.modules.get(site.path) if interpreter is not None else None
    for node in walk(module.script.body) if module is not None else ():
        if isinstance(node, ir.Property) and node.key is not None and node.key.start == site.start:
            for inner in node.value.properties if isinstance(node.value, ir.Object) else ():
                if isinstance(inner.key, ir.Const) and inner.key.value == "target":
                    return Site(site.path, inner.start, inner.end)
    return site


def _entry(key: str, item: Value, site: Site, target_site: Site) -> ProxyEntry:
    if isinstance(item, JsObject):
        ws = item.properties.get("ws", False)
        target = item.properties.get("target", UNDEFINED if item.complete else Unknown("the target can't be told"))
        if isinstance(target, JsObject):
            host, port = target.properties.get("host", "localhost"), target.properties.get("port", 80)
            scheme = target.properties.get("protocol", "http:")
            target = v.concatenate([v.to_text(scheme), "//", v.to_text(host), ":", v.to_text(port)])
        elif isinstance(target, UrlValue):
            target = target.href.rstrip("/")
        return ProxyEntry(
            key,
            target,
            item.properties.get("rewrite", UNDEFINED),
            ws is True,
            item.properties.get("bypass", UNDEFINED),
            site,
            target_site,
        )
    target = item.href.rstrip("/") if isinstance(item, UrlValue) else item
    return ProxyEntry(key, target, UNDEFINED, False, UNDEFINED, site, site)


def _aliases(value: JsObject) -> tuple[Alias, ...]:
    resolve = value.properties.get("resolve")
    alias = resolve.properties.get("alias") if isinstance(resolve, JsObject) else value.properties.get("alias")
    found: list[Alias] = []
    if isinstance(alias, JsObject):
        for key, item in alias.properties.items():
            _add_alias(found, key, item)
    elif isinstance(alias, JsArray):
        for item in alias.items:
            if isinstance(item, JsObject):
                _add_alias(found, item.properties.get("find"), item.properties.get("replacement"))
    return tuple(found)


def _add_alias(found: list[Alias], find: Value, replacement: Value) -> None:
    if isinstance(replacement, UrlValue):
        replacement = file_path(replacement)
    if not isinstance(replacement, str):
        return
    inside = build_path(replacement) if replacement.startswith("/") else None
    trailing = "/" if replacement.endswith("/") and inside else ""
    target = replacement if inside is None else inside + trailing
    if isinstance(find, RegExp):
        found.append(Alias(find.pattern, True, target, inside is not None))
    elif isinstance(find, str):
        found.append(Alias(find, False, target, inside is not None))


def _plugins(value: Value) -> tuple[str, ...]:
    found: list[str] = []
    items = list(value.items) if isinstance(value, JsArray) else []
    while items:
        item = items.pop(0)
        if isinstance(item, JsArray):
            items[:0] = item.items
        elif isinstance(item, External) and item.made_by is not None:
            found.append(item.made_by.name)
        elif isinstance(item, JsObject) and isinstance(item.properties.get("name"), str):
            found.append(item.properties["name"])
    return tuple(found)


def key_matches(key: str, url: str) -> bool | None:
    """Whether a proxy key takes a request URL (path and query): a regular expression if it begins with `^`, else, or as
    well, a plain prefix (`doesProxyContextMatchUrl`). None where the expression can't be decided."""
    if key.startswith("^"):
        try:
            if regular_expressions.is_match(key, "", url):
                return True
        except regular_expressions.NotDecidable:
            return None
    return url.startswith(key)


def taken_by(
    config: ViteConfig, url: str, accept: str = "*/*", method: str = "GET", destination: str = "empty"
) -> ProxyEntry | Unknown | None:
    """The proxy entry that answers a request, None where Vite itself answers, Unknown where it can't be told.

    The first key in insertion order that matches decides; its `bypass` may hand the request back.

    Args:
        destination: what the browser sends as `Sec-Fetch-Dest`: "script", "style", "document", "empty" for a fetch …
            (https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Dest).
    """
    for entry in config.proxy or ():
        matched = key_matches(entry.key, url)
        if matched is None:
            return Unknown(f"the proxy key {entry.key} can't be decided")
        if not matched:
            continue
        if isinstance(entry.bypass, Closure) and config.interpreter is not None:
            request = JsObject(
                {
                    "url": url,
                    "method": method,
                    "headers": JsObject({"accept": accept, "sec-fetch-dest": destination}, complete=False),
                },
                complete=False,
            )
            answer = config.interpreter.call_now(
                entry.bypass, [request, Unknown("the response"), JsObject(complete=False)]
            )
            if isinstance(answer, Promise):
                answer = answer.value
            if isinstance(answer, (str, Text)) or answer is False:
                return None
            if isinstance(answer, (Unknown, External)):
                return Unknown(f"what bypass of {entry.key} answers can't be told: {v.reason_of(answer)}")
        elif isinstance(entry.bypass, (Unknown, External)):
            return Unknown(f"bypass of {entry.key} can't be told")
        return entry
    return None
