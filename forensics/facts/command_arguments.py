"""How the tools read their arguments: npm (nopt), Vite (cac and mri), concurrently (yargs), npm-run-all, Node.

Each parser follows the source of the tool it names, because the differences decide what runs: npm takes the `3000` of
`npm run dev --port 3000` for an argument of the script, Vite takes the `client` of `vite --host client` for a host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from forensics.facts.launch_plan import OptionValue
from forensics.facts.shell import Places
from forensics.facts.values import Unknown


class Argument(Struct, frozen=True):
    """One argument: its text, the places of its characters in the file, and why it can't be told ("" where it can)."""

    text: str
    places: Places
    unknown: str = ""

    @property
    def value(self) -> str | Unknown:
        return Unknown(self.unknown) if self.unknown else self.text

    def part(self, start: int, end: int | None = None) -> Argument:
        end = len(self.text) if end is None else end
        return Argument(self.text[start:end], self.places[start : end + 1], self.unknown)

    def rewritten(self, text: str) -> Argument:
        """Another text that stands for this one."""
        return Argument(text, (self.places[0],) * len(text) + (self.places[-1],), self.unknown)


def joined(arguments: Iterable[Argument]) -> Argument:
    """The arguments as one text with blanks between, as tools do that hand a command line to a shell."""
    listed = list(arguments)
    text = " ".join(argument.text for argument in listed)
    places: list[int] = []
    for argument in listed:
        places += argument.places
    unknown = next((argument.unknown for argument in listed if argument.unknown), "")
    return Argument(text, tuple(places) or (0,), unknown)


def unquoted(argument: Argument) -> Argument:
    """The argument without quotes around the whole of it, which some tools strip themselves."""
    text = argument.text
    if len(text) > 2 and text[0] in "\"'" and text[-1] == text[0]:
        return argument.part(1, len(text) - 1)
    return argument


# --------------------------------------------------------------------------------- npm

# npm 11, @npmcli/config/lib/definitions: what takes a value; everything else, unknown options too, takes none.
_NPM_VALUES = frozenset(
    {
        "workspace",
        "prefix",
        "loglevel",
        "registry",
        "userconfig",
        "globalconfig",
        "cache",
        "script-shell",
        "shell",
        "call",
    }
    | {"package", "tag", "otp", "node-options", "omit", "include", "only", "also", "install-strategy", "audit-level"}
    | {"location", "before", "min-release-age", "editor", "git", "depth", "scope", "lockfile-version", "maxsockets"}
    | {"fetch-retries", "fetch-timeout", "https-proxy", "proxy", "noproxy", "cpu", "os", "libc", "access", "umask"}
    | {"save-prefix", "user-agent", "viewer", "which", "message", "preid", "pack-destination", "logs-dir", "node-gyp"}
)
_NPM_SHORT = {
    "w": "workspace",
    "C": "prefix",
    "c": "call",
    "L": "location",
    "m": "message",
    "reg": "registry",
    "ws": "workspaces",
    "iwr": "include-workspace-root",
    "s": "silent",
    "q": "quiet",
    "d": "verbose",
    "y": "yes",
    "f": "force",
    "g": "global",
}


class ParsedArguments(Struct, frozen=True):
    """`positional` in order; `values` of options by name, as often as given; `flags` by name."""

    positional: list[Argument]
    values: dict[str, list[Argument]]
    flags: dict[str, bool]

    def last(self, name: str) -> Argument | None:
        found = self.values.get(name)
        return found[-1] if found else None


def parse_npm(
    arguments: Sequence[Argument],
    values: frozenset[str] = _NPM_VALUES,
    short: dict[str, str] = _NPM_SHORT,
    stop_at_positional: int = 0,
) -> ParsedArguments:
    """Arguments as nopt reads them. After `stop_at_positional` positional arguments (0: never) the rest is positional,
    as pnpm, yarn, bun and npx do after the script's name."""
    parsed = ParsedArguments([], {}, {})
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        text = argument.text
        at += 1
        if stop_at_positional and len(parsed.positional) >= stop_at_positional:
            parsed.positional.extend(arguments[at - 1 :])
            break
        if text == "--":
            parsed.positional.extend(arguments[at:])
            break
        if not text.startswith("-") or text == "-":
            parsed.positional.append(argument)
            continue
        name, has_value, _ = text.lstrip("-").partition("=")
        name = short.get(name, name)
        is_negated = name.startswith("no-")
        if name in values:
            if has_value:
                parsed.values.setdefault(name, []).append(argument.part(text.index("=") + 1))
            elif at < len(arguments) and not arguments[at].text.startswith("-"):
                parsed.values.setdefault(name, []).append(arguments[at])
                at += 1
            continue
        value = not is_negated
        if has_value:
            value = text.partition("=")[2] not in ("false", "0", "null")
        elif at < len(arguments) and arguments[at].text in ("true", "false"):
            value = (arguments[at].text == "true") != is_negated
            at += 1
        parsed.flags[name.removeprefix("no-")] = value
    return parsed


PNPM_VALUES = frozenset(
    {"filter", "filter-prod", "dir", "workspace-concurrency", "reporter", "loglevel", "package", "resume-from"}
    | {"test-pattern", "changed-files-ignore-pattern", "prefix", "script-shell", "registry", "store-dir", "config"}
)
PNPM_SHORT = {"F": "filter", "C": "dir", "r": "recursive", "w": "workspace-root", "s": "silent", "c": "shell-mode"}
YARN_VALUES = frozenset(
    {
        "cwd",
        "modules-folder",
        "cache-folder",
        "mutex",
        "registry",
        "include",
        "exclude",
        "from",
        "jobs",
        "package",
        "inspect",
    }
)
YARN_SHORT = {
    "s": "silent",
    "A": "all",
    "W": "worktree",
    "R": "recursive",
    "j": "jobs",
    "p": "parallel",
    "T": "top-level",
}
BUN_VALUES = frozenset(
    {
        "cwd",
        "filter",
        "config",
        "env-file",
        "preload",
        "require",
        "import",
        "port",
        "tsconfig-override",
        "define",
        "loader",
    }
    | {"conditions", "elide-lines", "shell", "package"}
)
BUN_SHORT = {"r": "preload", "F": "filter", "c": "config", "d": "define", "l": "loader", "b": "bun", "p": "package"}


# -------------------------------------------------------------------------------- Vite

# Options of Vite 5 to 8 by what they take. cac knows each command's own and the global ones; any other ends Vite.
_VITE_BOOLEANS = frozenset(
    {
        "cors",
        "strictPort",
        "force",
        "clearScreen",
        "emptyOutDir",
        "watch",
        "app",
        "experimentalBundle",
        "help",
        "version",
    }
    | {"bypassLock"}
)
_VITE_NEEDING_VALUES = frozenset(
    {"config", "base", "logLevel", "filter", "mode", "configLoader", "port", "target", "outDir", "assetsDir"}
    | {"assetsInlineLimit"}
)
_VITE_GLOBAL = frozenset(
    {"config", "base", "logLevel", "clearScreen", "debug", "filter", "mode", "configLoader", "profile", "bypassLock"}
    | {"help", "version"}
)
_VITE_OWN = {
    "dev": frozenset({"host", "port", "open", "cors", "strictPort", "force", "experimentalBundle", "https"}),
    "build": frozenset(
        {"target", "outDir", "assetsDir", "assetsInlineLimit", "ssr", "sourcemap", "minify", "manifest", "ssrManifest"}
        | {"emptyOutDir", "watch", "app", "force"}
    ),
    "optimize": frozenset({"force"}),
    "preview": frozenset({"host", "port", "open", "strictPort", "outDir", "https"}),
}
_VITE_SHORT = {
    "c": "config",
    "l": "logLevel",
    "d": "debug",
    "f": "filter",
    "m": "mode",
    "w": "watch",
    "h": "help",
    "v": "version",
}
_VITE_COMMANDS = {"dev": "dev", "serve": "dev", "build": "build", "optimize": "optimize", "preview": "preview"}


class ViteArguments(Struct, frozen=True):
    """`command` is dev, build, preview or optimize; `options` by camel-case name, the positional root as `root`;
    `refused` says which option ends Vite with an error."""

    command: str
    options: dict[str, OptionValue]
    refused: str


def parse_vite(arguments: Sequence[Argument]) -> ViteArguments:
    """Vite's command line as cac and mri read it (vitejs/vite `packages/vite/src/node/cli.ts`, lukeed/mri)."""
    positional: list[Argument] = []
    options: dict[str, OptionValue] = {}
    written_as: dict[str, str] = {}
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        text = argument.text
        at += 1
        if text == "--":
            break
        dashes = len(text) - len(text.lstrip("-"))
        if dashes == 0:
            positional.append(argument)
            continue
        name, has_value, written = text[dashes:].partition("=")
        value: OptionValue = True
        if name.startswith("no-") and not has_value:
            name, value = name[3:], False
        elif has_value and written:
            value = argument.part(text.index("=") + 1).value
        elif at < len(arguments) and not arguments[at].text.startswith("-"):
            value = arguments[at].value
            at += 1
        # One dash and several letters are several options, the last of which has the value.
        names = list(name) if dashes == 1 and value is not False else [name]
        for place, short in enumerate(names):
            long = _camel_case(_VITE_SHORT.get(short, short))
            written_as[long] = f"{'-' * dashes}{short}"
            given = value if place == len(names) - 1 else True
            if long in _VITE_BOOLEANS and isinstance(given, str):
                if given not in ("true", "false"):
                    positional.append(arguments[at - 1])
                given = given != "false"
            options[long] = _number(given) if long == "port" else given
    command = "dev"
    if positional and positional[0].text in _VITE_COMMANDS:
        command = _VITE_COMMANDS[positional.pop(0).text]
    refused = ""
    for name, value in options.items():
        if name.partition(".")[0] not in _VITE_GLOBAL | _VITE_OWN[command]:
            refused = refused or f"vite {command} knows no option {written_as[name]}"
        elif value is True and name in _VITE_NEEDING_VALUES:
            refused = refused or f"the option {written_as[name]} needs a value"
    if positional:
        options["root"] = positional[0].value
    return ViteArguments(command, options, refused)


def _camel_case(name: str) -> str:
    return re.sub(r"([a-z])-([a-z])", lambda found: found.group(1) + found.group(2).upper(), name)


def _number(value: OptionValue) -> OptionValue:
    return int(value) if isinstance(value, str) and value.isdigit() else value


# ------------------------------------------------------------------------ concurrently

_CONCURRENTLY_VALUES = frozenset(
    {"max-processes", "names", "name-separator", "success", "hide", "teardown", "kill-signal", "kill-timeout", "prefix"}
    | {"prefix-colors", "prefix-length", "timestamp-format", "restart-tries", "restart-after", "default-input-target"}
)
_CONCURRENTLY_FLAGS = frozenset(
    {
        "raw",
        "group",
        "timings",
        "passthrough-arguments",
        "kill-others",
        "kill-others-on-fail",
        "pad-prefix",
        "handle-input",
    }
    | {"no-color", "color", "help", "version"}
)
_CONCURRENTLY_SHORT = {
    "m": "max-processes",
    "n": "names",
    "s": "success",
    "r": "raw",
    "g": "group",
    "P": "passthrough-arguments",
    "k": "kill-others",
    "ks": "kill-signal",
    "p": "prefix",
    "c": "prefix-colors",
    "l": "prefix-length",
    "t": "timestamp-format",
    "i": "handle-input",
}


def parse_concurrently(arguments: Sequence[Argument]) -> tuple[list[Argument], list[Argument], ParsedArguments]:
    """The commands, the arguments after `--`, and the options of a concurrently command line, as yargs reads them
    (open-cli-tools/concurrently `bin/concurrently.ts`)."""
    parsed = ParsedArguments([], {}, {})
    additional: list[Argument] = []
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        text = argument.text
        at += 1
        if text == "--":
            additional = list(arguments[at:])
            break
        if not text.startswith("-") or text == "-":
            parsed.positional.append(argument)
            continue
        name, has_value, _ = text.lstrip("-").partition("=")
        if text.startswith("--") or name in _CONCURRENTLY_SHORT:
            names = [_CONCURRENTLY_SHORT.get(name, name)]
        else:
            names = [_CONCURRENTLY_SHORT.get(letter, letter) for letter in name]
        names = [re.sub(r"[A-Z]", lambda found: "-" + found.group().lower(), item) for item in names]
        for flag in names[:-1]:
            parsed.flags[flag] = True
        last = names[-1]
        following = arguments[at] if at < len(arguments) else None
        if has_value:
            parsed.values.setdefault(last, []).append(argument.part(text.index("=") + 1))
            parsed.flags[last] = text.partition("=")[2] != "false"
        elif last in _CONCURRENTLY_FLAGS or last.startswith("no-"):
            parsed.flags[last] = True
            if following and following.text in ("true", "false"):
                parsed.flags[last] = following.text == "true"
                at += 1
        elif following is not None and not re.match(r"-(?!\d)", following.text):
            # An option that yargs doesn't know takes the next argument too.
            parsed.values.setdefault(last, []).append(following)
            at += 1
        else:
            parsed.flags[last] = True
    return parsed.positional, additional, parsed


# ------------------------------------------------------------------------- npm-run-all


class TaskGroup(Struct):
    """One group of a npm-run-all command line: patterns of script names, each perhaps with arguments."""

    parallel: bool
    patterns: list[Argument]


class RunAllArguments(Struct):
    """`refused` is the option that ends npm-run-all with an error; `rest` what stands after `--`."""

    groups: list[TaskGroup]
    continue_on_error: bool = False
    race: bool = False
    max_parallel: int = 0
    rest: list[Argument] = []
    refused: str = ""


def parse_run_all(arguments: Sequence[Argument], program: str) -> RunAllArguments:
    """The groups of npm-run-all, run-p and run-s (bcomnes/npm-run-all2 `bin/common/parse-cli-args.js`)."""
    parsed = RunAllArguments([TaskGroup(program == "run-p", [])])
    single = program in ("run-p", "run-s")
    pending = list(arguments)
    while pending:
        argument = pending.pop(0)
        text = argument.text
        if text == "--":
            parsed.rest = pending
            break
        if text in ("-c", "--continue-on-error"):
            parsed.continue_on_error = True
        elif text in ("-r", "--race"):
            parsed.race = True
        elif text in ("-s", "--sequential", "--serial", "-p", "--parallel"):
            if single and text != "-s":
                parsed.refused = parsed.refused or text
            elif not single:
                parsed.groups.append(TaskGroup(text in ("-p", "--parallel"), []))
        elif text in ("--max-parallel", "--npm-path"):
            value = pending.pop(0).text if pending else ""
            parsed.max_parallel = int(value) if text == "--max-parallel" and value.isdigit() else parsed.max_parallel
        elif text in (
            "-l",
            "--print-label",
            "-n",
            "--print-name",
            "--silent",
            "--color",
            "--no-color",
            "--aggregate-output",
        ):
            continue
        elif re.match(r"--[^:]+?:[^=]+?$", text):
            pending = pending[1:]
        elif re.match(r"--[^=]+?=.+$", text):
            continue
        elif re.fullmatch(r"-[clnprs]+", text):
            pending = [argument.rewritten(f"-{letter}") for letter in text[1:]] + pending
        elif text.startswith("-"):
            parsed.refused = parsed.refused or text
        else:
            parsed.groups[-1].patterns.append(argument)
    return parsed


# -------------------------------------------------------------------------------- Node

# Node 20 to 24: options whose value may be the next argument.
_NODE_VALUES = frozenset(
    {"-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "--env-file-if-exists", "-C"}
    | {
        "--conditions",
        "--watch-path",
        "--input-type",
        "--title",
        "--inspect-port",
        "--icu-data-dir",
        "--openssl-config",
    }
    | {"--redirect-warnings", "--unhandled-rejections", "--dns-result-order", "--test-name-pattern", "--test-reporter"}
    | {"--diagnostic-dir", "--experimental-default-type", "--disable-proto", "--test-reporter-destination", "--run"}
    | {
        "--max-http-header-size",
        "--stack-trace-limit",
        "--trace-event-categories",
        "-e",
        "--eval",
        "-pe",
        "--watch-kill-signal",
    }
)


class RuntimeArguments(Struct):
    """A runtime's own options and the script with its arguments (`script` is None without one)."""

    options: list[tuple[str, Argument | None]]
    script: Argument | None
    arguments: list[Argument]

    def named(self, *names: str) -> list[Argument | None]:
        return [value for name, value in self.options if name in names]

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)


def parse_runtime(arguments: Sequence[Argument], values: frozenset[str] = _NODE_VALUES) -> RuntimeArguments:
    """The command line of node, tsx, ts-node …: options, then the script, then the script's own arguments."""
    parsed = RuntimeArguments([], None, [])
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        text = argument.text
        at += 1
        if text == "--":
            rest = list(arguments[at:])
            parsed.script, parsed.arguments = (rest[0], rest[1:]) if rest else (None, [])
            break
        if not text.startswith("-") or text == "-":
            parsed.script, parsed.arguments = argument, list(arguments[at:])
            break
        name, has_value, _ = text.partition("=")
        if has_value:
            parsed.options.append((name, argument.part(text.index("=") + 1)))
        elif name in values and at < len(arguments):
            parsed.options.append((name, arguments[at]))
            at += 1
        else:
            parsed.options.append((name, None))
    return parsed


TS_NODE_VALUES = _NODE_VALUES | frozenset(
    {"-P", "--project", "-O", "--compilerOptions", "--compiler-options", "-I", "--ignore", "-D", "--ignoreDiagnostics"}
    | {"--watch", "--ignore-watch", "--debounce", "--interval", "--dir", "--cwd", "-C", "--compiler", "--scope-dir"}
)
TSX_VALUES = _NODE_VALUES | frozenset({"--tsconfig", "--include", "--exclude", "--ignore"})
BABEL_VALUES = _NODE_VALUES | frozenset(
    {"-x", "--extensions", "--presets", "--plugins", "--config-file", "-b", "-o", "-i"}
)
