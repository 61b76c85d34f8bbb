"""Node and the runtimes and watchers that start a script file."""

from __future__ import annotations

import posixpath
import re

from msgspec.structs import replace

from forensics.facts import shell
from forensics.facts.command_arguments import (
    Argument,
    RuntimeArguments,
    joined,
    parse_runtime,
)
from forensics.facts.commands.script_calls import BINARIES, run_binary, run_in_turn
from forensics.facts.launch_plan import OptionValue, Place, ProcessKind, Step
from forensics.facts.script_expansion import Context, Expander, Handler


def node(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    words = arguments[1:]
    if words and words[0].text == "inspect":
        words = words[1:]
    parsed = parse_runtime(words)
    run = next((value for value in parsed.named("--run") if value), None)
    if run is not None:
        here = expander.package_here(context)
        if here is None or run.text not in here.scripts:
            return expander.undefined(here.folder if here else context.cwd, run.text, "undefined", place)
        rest = ([parsed.script] if parsed.script else []) + parsed.arguments
        return run_in_turn(expander, [here], run.text, rest, context, place, False, with_hooks=False)
    context = _with_runtime_options(expander, context, parsed)
    preload = [
        value.text
        for value in parsed.named("-r", "--require", "--import", "--loader", "--experimental-loader")
        if value
    ]
    options: dict[str, OptionValue] = {"preload": ",".join(preload)} if preload else {}
    if parsed.has("-e", "--eval", "-p", "--print", "-pe"):
        code = next((value for value in parsed.named("-e", "--eval", "-p", "--print", "-pe") if value), None)
        if code is not None:
            options["code"] = code.value
        return expander.process(
            "node", arguments, context, place, options, unresolved="the code is on the command line"
        )
    if parsed.has("--test", "--check", "-c", "--version", "-v", "--help"):
        return expander.process("tool", arguments, context, place)
    if parsed.script is None:
        return expander.process("node", arguments, context, place, options, unresolved="node without a script")
    tool = re.search(r"node_modules/((?:@[^/]+/)?[^/]+)/", parsed.script.text)
    if tool:
        name = BINARIES.get(tool.group(1), tool.group(1))
        return expander.run_command(expander, [parsed.script.rewritten(name), *parsed.arguments], context, place)
    # A loader that compiles TypeScript makes it what tsx is.
    loads_typescript = any(
        re.search(r"tsx|ts-node|swc|esbuild-register|@babel/register|jiti|tsm", item) for item in preload
    )
    if loads_typescript:
        options["runner"] = "node"
    path, exists = expander.script_file(context, parsed.script.text, loads_typescript)
    kind: ProcessKind = "tsx" if loads_typescript else "node"
    return expander.process(kind, arguments, context, place, options, entry=path, entry_exists=exists)


def _with_runtime_options(expander: Expander, context: Context, parsed: RuntimeArguments) -> Context:
    files = [value.text for value in parsed.named("--env-file", "--env-file-if-exists") if value]
    required = tuple(expander.resolve_path(context, value.text)[0] for value in parsed.named("--env-file") if value)
    context = replace(expander.with_env_files(context, files), required_env_files=required)
    if parsed.has("--watch", "--watch-path"):
        context = replace(context, watching=True)
    return context


def typescript_runner(
    values: frozenset[str], watch_words: frozenset[str] = frozenset(), always_watches: bool = False
) -> Handler:
    """tsx, ts-node and their kin: Node's options and their own, then the script."""

    def handler(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
        words = arguments[1:]
        watching = always_watches
        if words and words[0].text in watch_words:
            words, watching = words[1:], True
        parsed = parse_runtime(words, values)
        context = _with_runtime_options(expander, context, parsed)
        watching = watching or parsed.has("--respawn", "-w", "--watch")
        context = replace(context, watching=context.watching or watching)
        options: dict[str, OptionValue] = {"runner": posixpath.basename(arguments[0].text)}
        if parsed.script is None:
            return expander.process("tsx", arguments, context, place, options, unresolved="no script is named")
        folder = next((value for value in parsed.named("--cwd", "--dir") if value), None)
        path, exists = expander.script_file(expander.in_folder(context, folder), parsed.script.text, True)
        return expander.process("tsx", arguments, context, place, options, entry=path, entry_exists=exists)

    return handler


def deno(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    words = [argument for argument in arguments[1:] if not argument.text.startswith("-")]
    command = words[0].text if words else ""
    if command == "task" and len(words) > 1:
        here = expander.package_here(context)
        if here and words[1].text in here.scripts:
            return run_in_turn(expander, [here], words[1].text, words[2:], context, place, False)
        return expander.process("unknown", arguments, context, place, unresolved="tasks of deno.json are not read")
    if command in ("run", "serve") and len(words) > 1:
        if words[1].text.startswith("npm:"):
            return run_binary(expander, [words[1].part(4), *words[2:]], context, place)
        path, exists = expander.script_file(context, words[1].text, True)
        watching = any(argument.text.startswith("--watch") for argument in arguments)
        context = replace(context, watching=context.watching or watching)
        options: dict[str, OptionValue] = {"runner": "deno"}
        return expander.process("tsx", arguments, context, place, options, entry=path, entry_exists=exists)
    return expander.process("tool", arguments, context, place)


def nodemon(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    """remy/nodemon `lib/cli/parse.js` and `lib/config/exec.js`: the first argument that is a file is the script, what
    nodemon doesn't know stays with the command, and the command runs in a shell."""
    written = _nodemon_config(expander, context)
    settings = _nodemon_settings(written)
    # What the user's environment or the command sets wins (lib/monitor/run.js).
    context = replace(context, env={**_nodemon_env(written), **context.env})
    execute: Argument | None = None
    kept: list[Argument] = []
    script: Argument | None = None
    script_at = 0
    words = arguments[1:]
    looks_for_options = True
    at = 0
    while at < len(words):
        word = words[at]
        text = word.text
        at += 1
        if script is None and (text == "." or expander.resolve_path(context, text)[0] in expander.build.files):
            script, script_at = word, len(kept)
        elif looks_for_options and text == "--":
            looks_for_options = False
            script_at = len(kept)
        elif looks_for_options and text in ("--exec", "-x"):
            execute, at = (words[at] if at < len(words) else None), at + 1
        elif looks_for_options and text == "--cwd" and at < len(words):
            context, at = expander.in_folder(context, words[at]), at + 1
        elif looks_for_options and text in _NODEMON_VALUES:
            at += 1
        elif looks_for_options and text in _NODEMON_FLAGS:
            continue
        else:
            kept.append(word)
    if script is None and kept:
        extended = expander.script_file(context, kept[0].text)
        if extended[1] and not kept[0].text.startswith("-"):
            script, kept = kept[0], kept[1:]
    command = execute or settings.get("exec")
    if script is None and command is None:
        package = expander.packages.by_folder.get(context.cwd)
        start = package.scripts.get("start") if package else None
        if package and package.main:
            script = arguments[0].rewritten(package.main)
        elif start and "nodemon" not in start.text.split(" "):
            command = arguments[0].rewritten(start.text)
        else:
            script = arguments[0].rewritten("index.js")
    if command is None and script is not None:
        extension = posixpath.splitext(script.text)[1].lstrip(".")
        mapped = settings.get(extension) or {"ts": "ts-node", "py": "python", "rb": "ruby"}.get(extension, "node")
        command = mapped if isinstance(mapped, Argument) else arguments[0].rewritten(mapped)
    assert command is not None  # one of the branches above made it
    if script is not None and "{{filename}}" in command.text:
        command, script = command.rewritten(command.text.replace("{{filename}}", script.text)), None
    rest = kept[:script_at] + ([script] if script is not None else []) + kept[script_at:]
    quoted = [item if not re.search(r"\s", item.text) else item.rewritten(shell.quote(item.text)) for item in rest]
    # Words change their order here, so the whole command is the place of what it runs.
    line = joined([command, *quoted])
    whole = Argument(line.text, (place.start,) * len(line.text) + (place.end,), line.unknown)
    return expander.text(whole, replace(context, watching=True))


_NODEMON_VALUES = frozenset(
    {
        "--watch",
        "-w",
        "--ignore",
        "-i",
        "--delay",
        "-d",
        "--ext",
        "-e",
        "--signal",
        "-s",
        "--config",
        "--polling-interval",
        "-P",
    }
)


_NODEMON_FLAGS = frozenset(
    {
        "--quiet",
        "-q",
        "--verbose",
        "-V",
        "--legacy-watch",
        "-L",
        "--js",
        "--exitcrash",
        "--no-stdin",
        "-I",
        "--spawn",
        "--dump",
    }
    | {"--on-change-only", "-C", "--no-colours", "--no-colors", "--no-update-notifier"}
)


def _nodemon_config(expander: Expander, context: Context) -> dict[str, object]:
    """nodemon.json, or the manifest's `nodemonConfig`."""
    path = posixpath.join(context.cwd, "nodemon.json")
    package = expander.packages.by_folder.get(context.cwd)
    written: object = package.manifest.get("nodemonConfig") if package else None
    if path in expander.build.files:
        written = expander.document(path).value
    return written if isinstance(written, dict) else {}


def _nodemon_env(written: dict[str, object]) -> dict[str, str]:
    """The variables that the configuration sets."""
    env = written.get("env")
    return {str(name): str(value) for name, value in env.items()} if isinstance(env, dict) else {}


def _nodemon_settings(written: dict[str, object]) -> dict[str, Argument]:
    """`exec` and `execMap` of the configuration."""
    mapped = written.get("execMap")
    found = {
        key: value for key, value in (mapped if isinstance(mapped, dict) else {}).items() if isinstance(value, str)
    }
    execute = written.get("exec")
    if isinstance(execute, str):
        found["exec"] = execute
    return {key: Argument(value, (0,) * (len(value) + 1)) for key, value in found.items()}


def process_manager(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    """pm2, pm2-runtime and forever: the script they keep up."""
    words = [word for word in arguments[1:] if not word.text.startswith("-")]
    if words and words[0].text in ("start", "restart", "reload"):
        words = words[1:]
    if not words or words[0].text.endswith((".json", ".config.js", ".config.cjs", ".yml")):
        return expander.process("unknown", arguments, context, place, unresolved="its ecosystem file is not read")
    path, exists = expander.script_file(context, words[0].text)
    return expander.process("node", arguments, context, place, entry=path, entry_exists=exists)
