"""What a Node launcher starts: commands it spawns, and Vite servers it makes through Vite's API.

Sources: https://nodejs.org/api/child_process.html, https://vite.dev/guide/api-javascript#createserver,
https://github.com/open-cli-tools/concurrently#api, https://github.com/sindresorhus/execa.
"""

from __future__ import annotations

import posixpath

from forensics.facts import values as v
from forensics.facts.builtins import file_path
from forensics.facts.interpreter import Effect
from forensics.facts.launch import SpawnedCommand
from forensics.facts.launch_plan import Place, Process
from forensics.facts.node_host import build_path
from forensics.facts.startup import Trace
from forensics.facts.values import External, JsArray, JsObject, Text, Undefined, Unknown, UrlValue, Value

_SPAWNING = frozenset({"spawn", "spawnSync", "execFile", "execFileSync"})
_SHELL = frozenset({"exec", "execSync"})
_PACKAGES = frozenset({"child_process", "cross-spawn", "execa", "shelljs", "zx", "tinyexec"})


def spawned_commands(trace: Trace) -> list[SpawnedCommand]:
    """Commands that a process starts while it starts, in order."""
    found: list[SpawnedCommand] = []
    for effect in trace.effects:
        if effect.phase == "startup":
            found.extend(_commands(effect, trace))
    return found


def _commands(effect: Effect, trace: Trace) -> list[SpawnedCommand]:
    package, _, method = effect.name.partition(".")
    arguments = effect.arguments
    first = arguments[0] if arguments else Undefined()
    if effect.name == "concurrently" or effect.name in ("concurrently.concurrently",):
        return _concurrently(effect, trace, first)
    if package not in _PACKAGES or "(" in effect.name:
        return []
    method = method or "spawn"
    options = next((item for item in arguments[1:] if isinstance(item, JsObject)), None)
    waits = (
        method.endswith("Sync") or method == "sync" or (package in ("execa", "zx", "tinyexec") and _is_awaited(effect))
    )
    if method in _SHELL or method.endswith(("execaCommand", "execaCommandSync", "command", "$")):
        text = _text(first)
        return [_command(text, options, effect, trace, waits)] if text else []
    if method == "fork":
        target = _word(first)
        listed = arguments[1].items if len(arguments) > 1 and isinstance(arguments[1], JsArray) else []
        return [_command(["node", target, *map(_word, listed)], options, effect, trace, False)]
    if method in _SPAWNING or method in ("sync", "execa", "execaSync", "x"):
        listed = arguments[1].items if len(arguments) > 1 and isinstance(arguments[1], JsArray) else []
        program = _word(first)
        if isinstance(program, str) and (" " in program or _in_shell(options)):
            words = [program, *(item if isinstance(item, str) else "" for item in map(_word, listed))]
            return [_command(" ".join(word for word in words if word), options, effect, trace, waits)]
        return [_command([program, *map(_word, listed)], options, effect, trace, waits)]
    return []


def _concurrently(effect: Effect, trace: Trace, first: Value) -> list[SpawnedCommand]:
    found = []
    for item in first.items if isinstance(first, JsArray) else []:
        options = item if isinstance(item, JsObject) else None
        text = _text(item.properties.get("command", Undefined()) if isinstance(item, JsObject) else item)
        if text:
            found.append(_command(text, options, effect, trace, waits=False))
    return found


def _is_awaited(effect: Effect) -> bool:
    return False if not isinstance(effect.result, v.Promise) else effect.result.awaited_at is not None


def _in_shell(options: JsObject | None) -> bool:
    return options is not None and v.truthy(options.properties.get("shell", False)) is True


def _word(value: Value) -> str | Unknown:
    if isinstance(value, External):
        return "node" if value.name == "process.execPath" else Unknown(f"a word that comes from {value.name}")
    if isinstance(value, UrlValue):
        value = file_path(value)
    if isinstance(value, Unknown):
        # `isWindows ? 'npm.cmd' : 'npm'`: the builds run on POSIX here.
        names = [
            item for item in value.candidates if isinstance(item, str) and not item.endswith((".cmd", ".exe", ".bat"))
        ]
        return names[0] if len(names) == 1 else value
    text = v.to_text(value)
    if isinstance(text, Text):
        return Unknown(text.reason)
    if isinstance(text, str) and text.startswith("/"):
        inside = build_path(text)
        if inside is not None:
            return text
    return text


def _text(value: Value) -> str:
    text = v.to_text(value)
    return text if isinstance(text, str) else ""


def _command(
    command: list[str | Unknown] | str, options: JsObject | None, effect: Effect, trace: Trace, waits: bool
) -> SpawnedCommand:
    cwd = trace.host.cwd
    env: dict[str, str | Unknown] = {}
    if options is not None:
        given = options.properties.get("cwd", Undefined())
        if isinstance(given, UrlValue):
            given = file_path(given)
        if isinstance(given, str):
            cwd = posixpath.normpath(posixpath.join(cwd, given))
        variables = options.properties.get("env")
        if isinstance(variables, JsObject):
            for name, item in variables.properties.items():
                text = v.to_text(item)
                if not isinstance(item, Undefined):
                    env[name] = text if isinstance(text, (str, Unknown)) else Unknown(v.reason_of(text))
    folder = build_path(cwd)
    if not isinstance(command, str):
        command = [_relative(word, cwd) for word in command]
    return SpawnedCommand(
        command=command,
        cwd="" if folder is None else folder,
        env=env,
        waits=waits,
        place=Place(effect.site.path, "", effect.site.start, effect.site.end),
    )


def _relative(word: str | Unknown, cwd: str) -> str | Unknown:
    """An absolute path inside the build as the launcher's child would see it from its working directory."""
    if isinstance(word, str) and word.startswith("/") and build_path(word) is not None:
        return posixpath.relpath(word, cwd)
    return word


def is_embedded(trace: Trace) -> bool:
    """Whether the process runs Vite in middleware mode."""
    return any(_middleware(effect) for effect in trace.effects if effect.name == "vite.createServer")


def _middleware(effect: Effect) -> bool:
    options = effect.arguments[0] if effect.arguments else None
    server = options.properties.get("server") if isinstance(options, JsObject) else None
    mode = server.properties.get("middlewareMode") if isinstance(server, JsObject) else None
    return mode is not None and v.truthy(mode) is not False and not isinstance(mode, Undefined)


def embedded_server(trace: Trace) -> tuple[Process, JsObject]:
    """The Vite server that the process runs in middleware mode, with its inline configuration."""
    effect = next(item for item in trace.effects if item.name == "vite.createServer" and _middleware(item))
    return _programmatic(trace, effect, "vite-dev")


def programmatic_servers(trace: Trace) -> list[tuple[Process, JsObject]]:
    """Vite servers that a script makes itself (`createServer`, `preview`), each with its inline configuration."""
    kinds = {"vite.createServer": "vite-dev", "vite.preview": "vite-preview", "vite.build": "vite-build"}
    found = []
    for effect in trace.effects:
        kind = kinds.get(effect.name)
        if kind is None or effect.phase != "startup" or _middleware(effect):
            continue
        found.append(_programmatic(trace, effect, kind))
    return found


def _programmatic(trace: Trace, effect: Effect, kind: str) -> tuple[Process, JsObject]:
    options = effect.arguments[0] if effect.arguments else Undefined()
    inline = options if isinstance(options, JsObject) else JsObject(complete=isinstance(options, Undefined))
    parent = trace.process
    place = Place(effect.site.path, "", effect.site.start, effect.site.end)
    env = {name: item for name, item in trace.host.env.properties.items() if isinstance(item, (str, Unknown))}
    child = Process(
        kind=kind,  # type: ignore[arg-type]
        argv=("vite",),
        cwd=build_path(trace.host.cwd) or "",
        env=env,
        env_files=parent.env_files,
        options={},
        chain=(*parent.chain, place),
        long_running=kind != "vite-build",
        programmatic=True,
    )
    return child, inline
