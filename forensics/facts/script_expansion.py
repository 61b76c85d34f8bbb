"""Expands the text of npm scripts to the processes they start: the shell's part of it, and calls from script to script.

What single commands mean (npm, concurrently, vite …) stands in `forensics.facts.commands`.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from forensics.build import Build
from forensics.facts import shell
from forensics.facts.command_arguments import Argument
from forensics.facts.launch_plan import (
    NOTHING,
    Fallback,
    MissingScript,
    OptionValue,
    Parallel,
    Place,
    Process,
    ProcessKind,
    Sequence,
    Step,
)
from forensics.facts.packages import Package, Packages, glob_matches
from forensics.facts.values import Unknown

if TYPE_CHECKING:
    from forensics.syntax.ir import Document

MAX_CALLS = 12
"""Scripts that call scripts that call scripts …: deeper than this is not followed."""

MAX_PROCESSES = 400
"""Processes, and calls of scripts, of one plan: scripts that each start the next one twice double at every level."""


_NODE_EXTENSIONS = (".js", ".json", ".node")
_TYPESCRIPT_EXTENSIONS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json")
_COMPILED_FROM = {".js": (".ts", ".tsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}


MAX_NESTING = 40
"""Background commands, and fallbacks, of one list: each nests the tree deeper."""

MAX_VALUE = 10_000
"""`A=$A$A` doubles a value each time; longer values are unknown."""


class Context(Struct, frozen=True, kw_only=True):
    """Where a command stands: its surroundings when it starts, and how the plan came to it.

    `path` and `script` say which file and script the places of its text belong to; `calls` are the scripts being run,
    outermost first; `package` is the folder of the package whose script it is.
    """

    cwd: str
    env: Mapping[str, str | Unknown] = {}
    env_files: tuple[str, ...] = ()
    required_env_files: tuple[str, ...] = ()
    watching: bool = False
    package: str = ""
    path: str = ""
    script: str = ""
    chain: tuple[Place, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()
    unresolved: str = ""

    def with_env(self, added: Mapping[str, str | Unknown]) -> Context:
        return replace(self, env={**self.env, **added}) if added else self

    def at(self, place: Place) -> Context:
        """The context of a text that another file holds, reached from `place`."""
        return replace(self, chain=(*self.chain, place))


Handler = Callable[["Expander", list[Argument], Context, Place], Step]
"""Gives the steps of a simple command (its arguments, program first) in a context."""


class Expander:
    """The state of one expansion: what was missing, and how much may still be expanded."""

    def __init__(
        self, build: Build, packages: Packages, document: Callable[[str], Document], run_command: Handler
    ) -> None:
        self.build = build
        self.packages = packages
        self.document = document
        self.run_command = run_command
        self.missing: list[MissingScript] = []
        self.windows_forms: list[str] = []
        self.left = MAX_PROCESSES
        self.calls_left = MAX_PROCESSES
        self.depth = 0

    # --------------------------------------------------------------- scripts

    def script(
        self, package: Package, name: str, context: Context, arguments: list[Argument], with_hooks: bool = True
    ) -> Step:
        """The steps of `run NAME` in a package: its pre script, itself with the forwarded arguments, its post script
        (npm `lib/commands/run.js`). The caller has seen that the script exists."""
        call = (package.folder, name)
        place = context.chain[-1] if context.chain else None
        self.calls_left -= 1
        if call in context.calls or len(context.calls) >= MAX_CALLS or self.calls_left < 0:
            reason = "cycle" if call in context.calls else "too deep"
            self.missing.append(MissingScript(package.folder, name, reason, place))
            return NOTHING
        inner = replace(context, calls=(*context.calls, call), package=package.folder, cwd=package.folder)
        steps = []
        for event, forwarded in ((f"pre{name}", []), (name, arguments), (f"post{name}", [])):
            if event == name or (with_hooks and event in package.scripts):
                steps.append(self._script_text(package, event, inner, forwarded))
        return in_order(steps, stops_on_failure=True)

    def _script_text(self, package: Package, name: str, context: Context, arguments: list[Argument]) -> Step:
        script = package.scripts.get(name)
        if script is None:  # npm's own default: `npm start` runs server.js where there is one
            text, path = "node server.js", package.path
            places: shell.Places = (0,) * 15
        else:
            text, path = script.text, script.path
            literal = self.build.read(script.path)[script.start : script.end]
            places = json_places(literal, script.start)
            if len(places) != len(text) + 1:
                places = (script.start,) * len(text) + (script.end,)
        self.windows_forms += [form for form in shell.windows_forms(text) if form not in self.windows_forms]
        for argument in arguments:
            text += " " + shell.quote(argument.text)
        places = places[:-1] + (places[-1],) * (len(text) + 2 - len(places))
        return self.text(Argument(text, places), replace(context, path=path, script=name))

    def undefined(self, folder: str, name: str, reason: str, place: Place | None) -> Step:
        self.missing.append(MissingScript(folder, name, reason, place))
        return NOTHING

    # ----------------------------------------------------------------- texts

    def text(self, text: Argument, context: Context) -> Step:
        """The steps of a shell text."""
        if text.unknown:
            place = Place(context.path, context.script, text.places[0], text.places[-1])
            return self.process("unknown", [text], context, place, unresolved=text.unknown)
        return _Shell(self, context).run(shell.parse_shell(text.text, text.places))

    def shell_file(self, path: str, context: Context, place: Place) -> Step:
        """The steps of a shell script of the build."""
        call = (path, "")
        if call in context.calls or len(context.calls) >= MAX_CALLS:
            return NOTHING
        source = self.build.text(path)
        places = tuple(_byte_offsets(source))
        inner = replace(context.at(place), path=path, script="", calls=(*context.calls, call))
        return self.text(Argument(source, places), inner)

    # ------------------------------------------------------------- processes

    def process(
        self,
        kind: ProcessKind,
        arguments: list[Argument],
        context: Context,
        place: Place,
        options: Mapping[str, OptionValue] | None = None,
        entry: str = "",
        entry_exists: bool = True,
        long_running: bool = False,
        fails: str = "",
        unresolved: str = "",
    ) -> Step:
        self.left -= 1
        if self.left < 0:
            return NOTHING
        reasons = [unresolved, context.unresolved, next((item.unknown for item in arguments if item.unknown), "")]
        return Process(
            kind=kind,
            argv=tuple(argument.text for argument in arguments),
            cwd=context.cwd,
            env=dict(context.env),
            env_files=context.env_files,
            required_env_files=context.required_env_files,
            entry=entry,
            entry_exists=entry_exists,
            options=options or {},
            chain=(*context.chain, place),
            long_running=long_running or context.watching,
            watching=context.watching,
            fails=fails,
            unresolved=next((reason for reason in reasons if reason), ""),
        )

    def resolve_path(self, context: Context, written: str) -> tuple[str, str]:
        """A path of a command, relative to the build's root, and why it can't be told ("" where it can)."""
        if written.startswith("/"):
            return written, f"{written} is outside of the build"
        path = posixpath.normpath(posixpath.join(context.cwd, written))
        if path == ".." or path.startswith("../"):
            return path, f"{written} is outside of the build"
        return "" if path == "." else path, ""

    def in_folder(self, context: Context, folder: Argument | None) -> Context:
        """The context with another working directory (`--prefix`, `-C`, `--cwd`)."""
        if folder is None:
            return context
        if folder.unknown:
            return replace(context, unresolved=f"the working directory can't be told: {folder.unknown}")
        path, outside = self.resolve_path(context, folder.text)
        return replace(context, cwd=path, unresolved=outside or context.unresolved)

    def with_env_files(self, context: Context, written: Iterable[str]) -> Context:
        paths = tuple(self.resolve_path(context, file)[0] for file in written)
        return replace(context, env_files=(*context.env_files, *paths)) if paths else context

    def script_file(self, context: Context, written: str, typescript: bool = False) -> tuple[str, bool]:
        """The file that a runtime starts for a script's name, and whether the build has it. Node resolves the entry as
        `require` does, extension and index left out, whatever the package's type
        (https://nodejs.org/api/modules.html)."""
        path, outside = self.resolve_path(context, written)
        if outside:
            return path, False
        extensions = _TYPESCRIPT_EXTENSIONS if typescript else _NODE_EXTENSIONS
        candidates = [path, *(path + extension for extension in extensions)]
        if typescript:
            base, extension = posixpath.splitext(path)
            candidates += [base + other for other in _COMPILED_FROM.get(extension, ())]
        package = self.packages.by_folder.get(path)
        if package and package.main:
            main = posixpath.normpath(posixpath.join(path, package.main))
            candidates += [main, *(main + extension for extension in extensions)]
            candidates += [posixpath.join(main, "index" + extension) for extension in extensions]
        candidates += [posixpath.join(path, "index" + extension) for extension in extensions]
        found = next((candidate for candidate in candidates if candidate in self.build.files), None)
        return (found, True) if found else (path, False)

    def package_here(self, context: Context) -> Package | None:
        """The package that a package manager works on in the current directory."""
        return None if context.cwd.startswith(("..", "/")) else self.packages.package_at(context.cwd)


def in_order(steps: list[Step], stops_on_failure: bool = False) -> Step:
    """The steps one after the other, without empty ones; nested sequences of the same kind are flattened."""
    found: list[Step] = []
    for step in steps:
        if isinstance(step, Sequence) and (step.stops_on_failure == stops_on_failure or len(step.steps) <= 1):
            found += step.steps
        else:
            found.append(step)
    return found[0] if len(found) == 1 else Sequence(tuple(found), stops_on_failure)


def json_places(literal: bytes, start: int) -> shell.Places:
    """The byte offset in the file of each character of a JSON string, and of its closing quote."""
    text = literal.decode("utf-8", "replace")
    places = []
    at, offset = 1, start + 1
    while at < len(text) - 1:
        if text[at] == "\\":
            width = 6 if text[at + 1 : at + 2] == "u" else 2
            pair = text[at : at + 12]
            if re.fullmatch(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..", pair):
                width = 12
            places.append(offset)
            at += width
            offset += width
        else:
            places.append(offset)
            offset += len(text[at].encode("utf-8", "surrogatepass"))
            at += 1
    return (*places, offset)


def _byte_offsets(text: str) -> Iterator[int]:
    offset = 0
    for character in text:
        yield offset
        offset += len(character.encode("utf-8", "surrogatepass"))
    yield offset


class _Shell:
    """One shell while it runs a text: its directory, exported environment and own variables change as it goes."""

    def __init__(self, expander: Expander, context: Context) -> None:
        self.expander = expander
        self.context = context
        self.variables: dict[str, str | Unknown] = {}

    def copy(self) -> _Shell:
        twin = _Shell(self.expander, self.context)
        twin.variables = dict(self.variables)
        return twin

    def run(self, command: shell.Command) -> Step:
        match command:
            case shell.Simple():
                return self.simple(command)
            case shell.Sequence():
                return self.steps(list(command.steps))
            case shell.AndOr():
                return self.and_or(command)
            case shell.Background():
                return Parallel((self.copy().run(command.command),), "none")
            case shell.Pipeline():
                return Parallel(tuple(self.copy().run(item) for item in command.commands))
            case shell.Subshell():
                return self.copy().run(command.body)
            case shell.Conditional():
                test = self.run(command.test)
                otherwise = self.copy().run(command.alternate)
                consequent = self.run(command.consequent)
                chosen = in_order([test, consequent])
                return chosen if otherwise == NOTHING else Fallback(chosen, otherwise)
            case shell.Loop():
                return in_order([self.run(command.test), self.run(command.body)])
            case shell.Opaque():
                place = Place(self.context.path, self.context.script, command.start, command.end)
                text = Argument(command.source, (command.start,) * len(command.source) + (command.end,))
                return self.expander.process("unknown", [text], self.context, place, unresolved=command.reason)

    def steps(self, commands: list[shell.Command]) -> Step:
        """A list of commands; what follows `a &` runs beside it, and the shell ends with its last foreground command
        unless it waits."""
        waiting = [place for place, command in enumerate(commands) if _waits(command)]
        if waiting and len(waiting) <= MAX_NESTING:
            command, place = commands[waiting[0]], waiting[0]
            before = self.steps(commands[:place])
            rest = commands[place + 1 :]
            if isinstance(command, shell.AndOr):
                rest = [shell.AndOr((shell.EMPTY, *command.commands[1:]), command.operators), *rest]
            return in_order([_waited_for(before), self.steps(rest)])
        found = [
            (self.copy().run(command.command), True)
            if isinstance(command, shell.Background)
            else (self.run(command), False)
            for command in commands
        ]
        if sum(is_beside for _, is_beside in found) > MAX_NESTING:
            return Parallel(tuple(step for step, _ in found), "last")
        result: Step = NOTHING
        beside_only = False
        for step, is_beside in reversed(found):
            if not is_beside:
                result = in_order([step, result])
            elif result == NOTHING:
                result = Parallel((step,), "none")
            elif isinstance(result, Parallel) and beside_only:
                result = Parallel((step, *result.steps), result.waits_for)
            else:
                result = Parallel((step, result), "last")
            beside_only = is_beside
        return result

    def and_or(self, command: shell.AndOr) -> Step:
        step = self.run(command.commands[0])
        fallbacks = 0
        for operator, following in zip(command.operators, command.commands[1:], strict=True):
            if operator == "&&":
                step = in_order([step, self.run(following)], stops_on_failure=True)
            else:
                otherwise = self.copy().run(following)
                fallbacks += 1
                step = Fallback(step, otherwise) if otherwise != NOTHING and fallbacks <= MAX_NESTING else step
        return step

    # ------------------------------------------------------- simple commands

    def simple(self, command: shell.Simple) -> Step:
        assigned = {name: self.word_value(word) for name, word in command.assignments}
        arguments = self.arguments(command.words)
        place = Place(self.context.path, self.context.script, command.start, command.end)
        if not arguments:
            self.variables.update(assigned)
            exported = {name: value for name, value in assigned.items() if name in self.context.env}
            self.context = self.context.with_env(exported)
            return NOTHING
        match arguments[0].text:
            case "cd" | "pushd":
                return self.change_directory(arguments, place)
            case "export":
                self.export(arguments[1:])
                return NOTHING
            case "unset":
                names = {argument.text for argument in arguments[1:]}
                kept = {name: value for name, value in self.context.env.items() if name not in names}
                self.context = replace(self.context, env=kept)
                return NOTHING
            case "set" | "wait" | "trap" | ":" | "true" | "exit" | "shift" | "return" | "popd":
                return NOTHING
            case "." | "source":
                sourced = arguments[1].text if len(arguments) > 1 else ""
                path, outside = self.expander.resolve_path(self.context, sourced)
                if not outside and path in self.expander.build.files:
                    self.export_file(path)
                else:
                    self.context = replace(self.context, unresolved=f"the environment comes from {sourced}")
                return NOTHING
            case "eval":
                if len(arguments) == 1 or arguments[1].text == "eval":
                    return NOTHING
                text = " ".join(argument.text for argument in arguments[1:])
                return self.run(shell.parse_shell(text, arguments[0].rewritten(text).places))
            case "exec" | "command" | "builtin" | "time":
                arguments = arguments[1:]
                if not arguments:
                    return NOTHING
        return self.expander.run_command(self.expander, arguments, self.context.with_env(assigned), place)

    def change_directory(self, arguments: list[Argument], place: Place) -> Step:
        target = arguments[1] if len(arguments) > 1 else Argument("~", (place.start, place.end), "cd goes home")
        if target.unknown or target.text == "-":
            reason = target.unknown or "cd - goes back"
            self.context = replace(self.context, unresolved=f"the working directory can't be told: {reason}")
            return NOTHING
        path, outside = self.expander.resolve_path(self.context, target.text)
        absent = "" if outside or self.expander.build.exists(path) else f"there is no folder {path} in the build"
        before = self.context
        self.context = replace(self.context, cwd=path, unresolved=outside or self.context.unresolved)
        if absent:
            # Something may still make the folder before this runs; who knows that reads it here.
            return self.expander.process("shell-tool", arguments, before, place, unresolved=absent)
        return NOTHING

    def export(self, arguments: list[Argument]) -> None:
        for argument in arguments:
            name, written, _ = argument.text.partition("=")
            if written:
                value: str | Unknown = argument.part(len(name) + 1).value
            elif name in self.variables:
                value = self.variables[name]
            else:
                continue
            self.context = self.context.with_env({name: value})

    def export_file(self, path: str) -> None:
        """What a sourced file exports; only plain assignments are read."""
        for line in self.expander.build.text(path).splitlines():
            parsed = shell.parse_shell(line)
            if isinstance(parsed, shell.Simple):
                self.variables.update({name: self.word_value(word) for name, word in parsed.assignments})
                if parsed.words and parsed.words[0].text == "export":
                    self.export(self.arguments(parsed.words[1:]))

    # ------------------------------------------------------------ expansions

    def arguments(self, words: tuple[shell.Word, ...]) -> list[Argument]:
        """The words after expansion: unquoted values split at blanks, and vanish when empty."""
        found: list[Argument] = []
        for word in words:
            if word.is_literal:
                plain = Argument(word.text, word.places)
                found += [plain.rewritten(path) for path in self.matching_paths(word)] or [plain]
            else:
                found += self.expanded(word)
        return found

    def matching_paths(self, word: shell.Word) -> list[str]:
        """The files that an unquoted pattern stands for, [] where it is none or nothing matches."""
        pattern = ""
        is_pattern = False
        for part in word.parts:
            assert isinstance(part, shell.Literal)  # the caller has looked
            is_pattern = is_pattern or (not part.quoted and re.search(r"[*?[]", part.text) is not None)
            pattern += part.text if not part.quoted else re.sub(r"[*?[{]", lambda mark: f"[{mark.group()}]", part.text)
        if not is_pattern or "{" in pattern or self.context.cwd.startswith(("..", "/")):
            return []
        wanted = posixpath.normpath(posixpath.join(self.context.cwd, re.sub(r"\*+", "*", pattern)))
        prefix = f"{self.context.cwd}/" if self.context.cwd else ""
        lead = "./" if pattern.startswith("./") else ""
        build = self.expander.build
        return sorted(
            lead + path.removeprefix(prefix) for path in (*build.files, *build.folders) if glob_matches(wanted, path)
        )

    def expanded(self, word: shell.Word) -> list[Argument]:
        fields: list[tuple[str, list[int], str]] = []
        text, unknown = "", ""
        places: list[int] = []
        started = False
        for part in word.parts:
            if isinstance(part, shell.Literal):
                text += part.text
                places += part.places
                started = started or part.quoted or bool(part.text)
                continue
            value = self.value_of(part)
            if isinstance(value, Unknown):
                unknown = unknown or value.reason
                value = part.source
                pieces = [value]
            else:
                pieces = [value] if part.quoted else re.split(r"[ \t\n]+", value)
            started = started or part.quoted
            for number, piece in enumerate(pieces):
                if number:
                    if started or text:
                        fields.append((text, places, unknown))
                    text, places, unknown, started = "", [], "", False
                text += piece
                places += [part.place] * len(piece)
                started = started or bool(piece)
        if started or text:
            fields.append((text, places, unknown))
        return [Argument(text, (*places, word.inner_end), unknown) for text, places, unknown in fields]

    def word_value(self, word: shell.Word) -> str | Unknown:
        """The value of an assignment's right side: not split."""
        text = ""
        for part in word.parts:
            if isinstance(part, shell.Literal):
                text += part.text
                continue
            value = self.value_of(part)
            if isinstance(value, Unknown):
                return value
            text += value
            if len(text) > MAX_VALUE:
                return Unknown(f"a value of more than {MAX_VALUE} characters")
        return text

    def value_of(self, part: shell.Expansion | shell.Substitution) -> str | Unknown:
        if isinstance(part, shell.Substitution):
            if part.command.strip() == "pwd":
                return "."
            echoed = re.fullmatch(r"\s*echo\s+([\w./:-]+)\s*", part.command)
            return echoed.group(1) if echoed else Unknown(f"{part.source} depends on a command's output")
        value = self.lookup(part.name)
        if isinstance(value, Unknown):
            return value
        is_absent = value is None or (value == "" and part.operator.startswith(":"))
        match part.operator.lstrip(":"):
            case "-" | "=":
                return self.inner(part.default) if is_absent else value or ""
            case "+":
                return "" if is_absent else self.inner(part.default)
            case "?" if is_absent:
                return Unknown(f"{part.name} must be set by the user")
            case "other":
                return Unknown(f"{part.source} is not read")
        # A variable that nothing sets is empty for whoever starts the build as it comes.
        return value or ""

    def inner(self, default: str) -> str | Unknown:
        parsed = shell.parse_shell("x=" + default.replace(" ", "\\ "))
        if isinstance(parsed, shell.Simple) and len(parsed.assignments) == 1:
            return self.word_value(parsed.assignments[0][1])
        return default

    def lookup(self, name: str) -> str | Unknown | None:
        if name in self.variables:
            return self.variables[name]
        if name in self.context.env:
            return self.context.env[name]
        if name == "PWD":
            return "."
        if name == "INIT_CWD" and self.context.calls:
            return posixpath.relpath(self.context.calls[0][0] or ".", self.context.cwd or ".")
        if name.startswith("npm_"):
            return self.npm_variable(name)
        if name in ("HOME", "USER", "PATH", "SHELL", "HOSTNAME", "RANDOM", "$", "!", "?", "TMPDIR"):
            return Unknown(f"${name} differs from machine to machine")
        return None

    def npm_variable(self, name: str) -> str | None:
        package = self.expander.packages.by_folder.get(self.context.package)
        if package is None:
            return None
        if name == "npm_lifecycle_event":
            return self.context.script
        value: object = package.manifest
        if name.startswith("npm_package_"):
            rest = name.removeprefix("npm_package_")
            for key in rest.split("_") if rest.startswith("config_") else [rest]:
                value = value.get(key) if isinstance(value, dict) else None
            return value if isinstance(value, str) else json.dumps(value) if isinstance(value, int) else None
        return None


def _waits(command: shell.Command) -> bool:
    """Whether a command begins by waiting for the shell's background processes."""
    match command:
        case shell.Simple():
            return bool(command.words) and command.words[0].text in ("wait", "fg")
        case shell.AndOr():
            return _waits(command.commands[0])
    return False


def _waited_for(step: Step) -> Step:
    """A list of commands after which the shell waits for all that it put into the background."""
    match step:
        case Parallel(waits_for="last" | "none"):
            return replace(step, waits_for="all")
        case Sequence(steps=(*before, last)):
            return replace(step, steps=(*before, _waited_for(last)))
    return step
