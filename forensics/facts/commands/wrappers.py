"""Tools that set something up and run the rest of their command line: cross-env, dotenv, shells, watchers."""

from __future__ import annotations

import posixpath
import re

from msgspec.structs import replace

from forensics.facts.command_arguments import (
    Argument,
    joined,
    unquoted,
)
from forensics.facts.launch_plan import NOTHING, Place, Step
from forensics.facts.script_expansion import Context, Expander, Handler
from forensics.facts.values import Unknown


def cross_env(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    """kentcdodds/cross-env: leading `K=V` words, then the command."""
    added, rest = _assignments(arguments[1:])
    context = context.with_env(added)
    if not rest:
        return NOTHING
    if posixpath.basename(arguments[0].text) == "cross-env-shell":
        return expander.text(joined(rest), context)
    return expander.run_command(expander, rest, context, place)


def _assignments(arguments: list[Argument]) -> tuple[dict[str, str | Unknown], list[Argument]]:
    """The leading `K=V` words as a mapping, and the words after them."""
    added: dict[str, str | Unknown] = {}
    at = 0
    for argument in arguments:
        name, is_assignment, _ = argument.text.partition("=")
        if not is_assignment or not re.fullmatch(r"\w+", name):
            break
        added[name] = unquoted(argument.part(len(name) + 1)).value
        at += 1
    return added, arguments[at:]


def env(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    words = arguments[1:]
    while words and words[0].text.startswith("-"):
        takes_value = words[0].text in ("-u", "--unset", "-C", "--chdir", "-S")
        if words[0].text in ("-i", "-", "--ignore-environment"):
            context = replace(context, env={})
        if words[0].text in ("-C", "--chdir") and len(words) > 1:
            context = expander.in_folder(context, words[1])
        words = words[2:] if takes_value and words[0].text != "-S" else words[1:]
    added, rest = _assignments(words)
    return expander.run_command(expander, rest, context.with_env(added), place) if rest else NOTHING


def dotenv(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    """dotenv-cli, dotenvx, env-cmd: files first, then the command."""
    name = posixpath.basename(arguments[0].text)
    words = arguments[1:]
    if name == "dotenvx" and words and words[0].text == "run":
        words = words[1:]
    files: list[str] = []
    added: dict[str, str | Unknown] = {}
    cascades = ""
    is_cascading = False
    while words and words[0].text.startswith("-"):
        option, has_value, value = words[0].text.partition("=")
        words = words[1:]
        if option == "--":
            break
        if option in ("-e", "-f", "--file", "--env-file", "-p", "-v", "-c"):
            if not has_value and words and not words[0].text.startswith("-"):
                value, words = words[0].text, words[1:]
            if option == "-v":
                key, _, text = value.partition("=")
                added[key] = text
            elif option == "-c":
                is_cascading, cascades = True, value
            elif option != "-p":
                files.append(value)
    # What an earlier file sets stays, so the first one counts most: it goes last.
    files = list(reversed(files or [".env"]))
    if is_cascading:
        suffixes = ["", f".{cascades}", ".local", f".{cascades}.local"] if cascades else ["", ".local"]
        files = [file + suffix for file in files for suffix in suffixes]
    context = expander.with_env_files(context, files).with_env(added)
    return expander.run_command(expander, words, context, place) if words else NOTHING


def sh(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    words = arguments[1:]
    at = next((at for at, word in enumerate(words) if re.fullmatch(r"-[a-z]*c[a-z]*|/[cC]", word.text)), None)
    if at is not None and at + 1 < len(words):
        text = joined(words[at + 1 :]) if words[at].text.startswith("/") else words[at + 1]
        return expander.text(text, context)
    script = next((word for word in words if not word.text.startswith("-")), None)
    if script is None:
        return expander.process("unknown", arguments, context, place, unresolved="a shell without a script")
    path, _ = expander.resolve_path(context, script.text)
    if path in expander.build.files:
        return expander.shell_file(path, context, place)
    return expander.process(
        "unknown", arguments, context, place, entry=path, entry_exists=False, unresolved=f"{path} is not in the build"
    )


def wrapper(skipped: int = 0, values: frozenset[str] = frozenset()) -> Handler:
    """A program that runs the rest of its command line as it stands, after its own options and `skipped` words."""

    def handler(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
        words = arguments[1:]
        while words and words[0].text.startswith("-"):
            if words[0].text == "--":
                words = words[1:]
                break
            words = words[2:] if words[0].text in values else words[1:]
        words = words[skipped:]
        return expander.run_command(expander, words, context, place) if words else NOTHING

    return handler


def on_change(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    """onchange, chokidar and watch: commands that they run again whenever a file changes."""
    words = arguments[1:]
    texts = [argument.text for argument in words]
    context = replace(context, watching=True)
    if "--" in texts:
        return expander.run_command(expander, words[texts.index("--") + 1 :], context, place)
    at = next((at for at, text in enumerate(texts) if text in ("-c", "--command")), None)
    if at is not None and at + 1 < len(words):
        return expander.text(words[at + 1], context)
    return expander.process("unknown", arguments, context, place, unresolved="what it runs can't be told")


def shx(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    return expander.run_command(expander, arguments[1:], context, place) if len(arguments) > 1 else NOTHING


def windows_start(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    return expander.process(
        "unknown", arguments, context, place, fails="start is a command of cmd.exe, which no POSIX shell knows"
    )
