"""What one command of an npm script starts: from the program's name to the function that knows the tool."""

from __future__ import annotations

import posixpath
import re
from functools import cache

from msgspec.structs import replace

from forensics.facts.command_arguments import (
    BABEL_VALUES,
    TS_NODE_VALUES,
    TSX_VALUES,
    Argument,
)
from forensics.facts.commands.bundlers import DEV_SERVERS, other_tool, vite
from forensics.facts.commands.monorepos import lerna, nx, turbo
from forensics.facts.commands.package_managers import bun, npm, npx, pnpm, yarn
from forensics.facts.commands.programs import PROGRAMS, watches
from forensics.facts.commands.runtimes import deno, node, nodemon, process_manager, typescript_runner
from forensics.facts.commands.task_groups import concurrently, procfile, run_all, start_server_and_test
from forensics.facts.commands.wrappers import cross_env, dotenv, env, on_change, sh, shx, windows_start, wrapper
from forensics.facts.launch_plan import NOTHING, Place, ProcessKind, Step
from forensics.facts.script_expansion import Context, Expander, Handler

MAX_WRAPPERS = 60
"""Commands that run commands (`npx env npx …`): deeper than this is not followed."""


def run_command(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    """The steps of one simple command."""
    if not arguments:
        return NOTHING
    if arguments[0].unknown:
        return expander.process("unknown", arguments, context, place)
    if expander.depth >= MAX_WRAPPERS:
        return expander.process("unknown", arguments, context, place, unresolved="nested too deeply")
    expander.depth += 1
    try:
        return _started(expander, arguments, context, place)
    finally:
        expander.depth -= 1


def _started(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    program = arguments[0].text
    name = posixpath.basename(program).removesuffix(".cmd").removesuffix(".exe").removesuffix(".ps1")
    if "/" in program and "node_modules/.bin/" not in program and not program.startswith("/"):
        path, _ = expander.resolve_path(context, program)
        if path in expander.build.files:
            return _run_file(expander, path, arguments, context, place)
    handler = _HANDLERS.get(name)
    if handler:
        return handler(expander, arguments, context, place)
    for kind, names in PROGRAMS.items():
        if name in names:
            return expander.process(kind, arguments, context, place, long_running=watches(name, arguments))
    return _own_binary(expander, name, arguments, context, place)


def _run_file(expander: Expander, path: str, arguments: list[Argument], context: Context, place: Place) -> Step:
    """A file of the build that is run by its path."""
    head = expander.build.read(path)[:200]
    if path.endswith((".sh", ".bash")) or re.match(rb"#!.*\b(?:ba|da|z)?sh\b", head):
        return expander.shell_file(path, context, place)
    runner = re.match(rb"#!.*\b(node|tsx|ts-node|bun|deno)\b", head)
    if runner or path.endswith((".js", ".mjs", ".cjs")):
        kind: ProcessKind = "node" if runner is None or runner.group(1) == b"node" else "tsx"
        return expander.process(kind, arguments, context, place, entry=path)
    return expander.process("unknown", arguments, context, place, unresolved=f"what {path} does is not read")


def _own_binary(expander: Expander, name: str, arguments: list[Argument], context: Context, place: Place) -> Step:
    """A command that a package of the build itself offers (`bin`)."""
    for package in expander.packages:
        if name in package.bin and package.folder != context.package:
            path, _ = expander.resolve_path(replace(context, cwd=package.folder), package.bin[name])
            if path in expander.build.files:
                return expander.process("node", arguments, context, place, entry=path)
    return expander.process("unknown", arguments, context, place, unresolved=f"what {name} starts is not known")


def _docker(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    texts = [argument.text for argument in arguments[1:]]
    stays = ("up" in texts or "run" in texts) and not {"-d", "--detach"} & set(texts)
    return expander.process("tool", arguments, context, place, long_running=stays, unresolved="it starts containers")


@cache
def _handlers() -> dict[str, Handler]:
    handlers: dict[str, Handler] = {
        "npm": npm,
        "pnpm": pnpm,
        "yarn": yarn,
        "yarnpkg": yarn,
        "bun": bun,
        "npx": npx,
        "bunx": npx,
        "pnpx": npx,
        "concurrently": concurrently,
        "conc": concurrently,
        "npm-run-all": run_all,
        "run-p": run_all,
        "run-s": run_all,
        "start-server-and-test": start_server_and_test,
        "server-test": start_server_and_test,
        "start-test": start_server_and_test,
        "turbo": turbo,
        "lerna": lerna,
        "nx": nx,
        "nf": procfile,
        "foreman": procfile,
        "honcho": procfile,
        "overmind": procfile,
        "hivemind": procfile,
        "cross-env": cross_env,
        "cross-env-shell": cross_env,
        "env": env,
        "dotenv": dotenv,
        "dotenvx": dotenv,
        "env-cmd": dotenv,
        "node": node,
        "nodejs": node,
        "tsx": typescript_runner(TSX_VALUES, frozenset({"watch"})),
        "ts-node": typescript_runner(TS_NODE_VALUES),
        "ts-node-esm": typescript_runner(TS_NODE_VALUES),
        "ts-node-dev": typescript_runner(TS_NODE_VALUES, always_watches=True),
        "tsnd": typescript_runner(TS_NODE_VALUES, always_watches=True),
        "babel-node": typescript_runner(BABEL_VALUES),
        "swc-node": typescript_runner(TS_NODE_VALUES),
        "esno": typescript_runner(TSX_VALUES, frozenset({"watch"})),
        "esmo": typescript_runner(TSX_VALUES, frozenset({"watch"})),
        "vite-node": typescript_runner(TSX_VALUES),
        "jiti": typescript_runner(TSX_VALUES),
        "sucrase-node": typescript_runner(TSX_VALUES),
        "esbuild-node": typescript_runner(TSX_VALUES),
        "deno": deno,
        "nodemon": nodemon,
        "node-dev": typescript_runner(TS_NODE_VALUES, always_watches=True),
        "supervisor": typescript_runner(TS_NODE_VALUES, always_watches=True),
        "pm2": process_manager,
        "pm2-runtime": process_manager,
        "forever": process_manager,
        "vite": vite,
        "sh": sh,
        "bash": sh,
        "zsh": sh,
        "dash": sh,
        "cmd": sh,
        "shx": shx,
        "nice": wrapper(values=frozenset({"-n"})),
        "nohup": wrapper(),
        "stdbuf": wrapper(values=frozenset({"-o", "-e", "-i"})),
        "time": wrapper(),
        "caffeinate": wrapper(),
        "xvfb-run": wrapper(),
        "tini": wrapper(),
        "dumb-init": wrapper(),
        "onchange": on_change,
        "chokidar": on_change,
        "start": windows_start,
        "docker": _docker,
        "docker-compose": _docker,
        "podman": _docker,
    }
    return handlers | dict.fromkeys(DEV_SERVERS, other_tool)


_HANDLERS: dict[str, Handler] = _handlers()
