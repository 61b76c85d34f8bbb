"""Vite, and the other tools that serve or build a front end."""

from __future__ import annotations

import posixpath

from forensics.facts.command_arguments import (
    Argument,
    parse_vite,
)
from forensics.facts.commands.programs import watches
from forensics.facts.launch_plan import OptionValue, Place, ProcessKind, Step
from forensics.facts.script_expansion import Context, Expander


def vite(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    parsed = parse_vite(arguments[1:])
    kinds: dict[str, ProcessKind] = {
        "dev": "vite-dev",
        "build": "vite-build",
        "preview": "vite-preview",
        "optimize": "vite-optimize",
    }
    if parsed.options.get("help") or parsed.options.get("version"):
        return expander.process("tool", arguments, context, place)
    stays = parsed.command in ("dev", "preview") or bool(parsed.options.get("watch"))
    fails = f"vite stops: {parsed.refused}" if parsed.refused else ""
    if "https" in parsed.options and not fails:
        major = expander.packages.major(context.package, "vite")
        fails = f"vite stops: Vite {major} has no option --https" if isinstance(major, int) and major >= 5 else ""
    return expander.process(
        kinds[parsed.command], arguments, context, place, parsed.options, long_running=stays and not fails, fails=fails
    )


# Subcommands that serve for development; "" stands for none. The rest of a tool's commands build or check.
DEV_SERVERS: dict[str, frozenset[str]] = {
    "next": frozenset({"dev", "start", ""}),
    "nuxt": frozenset({"dev", "preview", "start", ""}),
    "nuxi": frozenset({"dev", "preview"}),
    "astro": frozenset({"dev", "preview"}),
    "remix": frozenset({"dev", "vite:dev"}),
    "react-router": frozenset({"dev"}),
    "react-router-serve": frozenset({""}),
    "remix-serve": frozenset({""}),
    "react-scripts": frozenset({"start"}),
    "react-app-rewired": frozenset({"start"}),
    "craco": frozenset({"start"}),
    "vue-cli-service": frozenset({"serve"}),
    "ng": frozenset({"serve", "s"}),
    "gatsby": frozenset({"develop", "serve"}),
    "webpack": frozenset({"serve", "s", "server"}),
    "webpack-dev-server": frozenset({""}),
    "parcel": frozenset({"", "serve", "watch"}),
    "rsbuild": frozenset({"dev", "preview", ""}),
    "rspack": frozenset({"serve", "dev"}),
    "snowpack": frozenset({"dev"}),
    "wmr": frozenset({"", "start", "serve"}),
    "vinxi": frozenset({"dev", "start"}),
    "vitepress": frozenset({"dev", "serve", "preview"}),
    "storybook": frozenset({"dev"}),
    "docusaurus": frozenset({"start", "serve"}),
    "expo": frozenset({"start"}),
    "electron": frozenset({""}),
    "wrangler": frozenset({"dev"}),
    "nest": frozenset({"start"}),
    "farm": frozenset({"", "dev", "start", "preview"}),
    "umi": frozenset({"dev"}),
    "eleventy": frozenset(),
}


def other_tool(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    name = posixpath.basename(arguments[0].text)
    words = [argument.text for argument in arguments[1:] if not argument.text.startswith("-")]
    serving = DEV_SERVERS[name]
    command = words[0] if words else ""
    known = {word for words_of in DEV_SERVERS.values() for word in words_of} | {
        "build",
        "test",
        "info",
        "lint",
        "generate",
    }
    if command not in known:
        command = ""
    serves = command in serving or any(argument.text == "--serve" for argument in arguments)
    options: dict[str, OptionValue] = {"tool": name, "command": command}
    for at, argument in enumerate(arguments):
        if argument.text in ("-p", "--port") and at + 1 < len(arguments):
            following = arguments[at + 1]
            options["port"] = int(following.text) if following.text.isdigit() else following.value
        elif argument.text.startswith("--port=") and argument.text[7:].isdigit():
            options["port"] = int(argument.text[7:])
    kind: ProcessKind = "other-dev-server" if serves else "other-build"
    return expander.process(kind, arguments, context, place, options, long_running=serves or watches(name, arguments))
