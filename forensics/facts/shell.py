"""Reads the shell text of npm scripts, by the grammar of the POSIX shell that npm hands it to (`sh -c`).

Source: POSIX.1-2017, volume 3, chapter 2. Own code, because the readers at hand don't fit: `shlex` knows neither
operators nor positions, `bashlex` raises on much of bash and is GPL, and a tree-sitter tree would still leave quoting
and expansion to do. Here-documents, functions and `case` are read over as `Opaque`. Nothing raises: what can't be
read is Opaque too.

Every character keeps its place in the file it comes from, through quotes and JSON escapes, so that the text of a nested
command (`concurrently "npm run x"`) can be read again with its true positions.
"""

from __future__ import annotations

import re
from typing import Union

from msgspec import Struct

MAX_LENGTH = 20_000
MAX_DEPTH = 40

Places = tuple[int, ...]
"""For each character of a text its place in the file, and one more for the end."""


class Literal(Struct, frozen=True):
    """Text that stands for itself. `places` has one entry a character; `quoted` text doesn't split or match files."""

    text: str
    places: Places
    quoted: bool


class Expansion(Struct, frozen=True):
    """`$NAME` or `${NAME<operator>default}`; the operator is one of "", ":-", "-", ":=", "=", ":+", "+", ":?", "?", or
    "other" for the pattern and length forms."""

    name: str
    operator: str
    default: str
    source: str
    place: int
    quoted: bool


class Substitution(Struct, frozen=True):
    """`$(command)`, `` `command` `` or `$((…))`, as written."""

    command: str
    source: str
    place: int
    quoted: bool


Part = Union[Literal, Expansion, Substitution]


class Word(Struct, frozen=True):
    """One word before expansion. `start` and `end` are its places in the file, `inner_end` the place after its last
    character that isn't a closing quote."""

    parts: tuple[Part, ...]
    start: int
    end: int
    inner_end: int

    @property
    def text(self) -> str:
        """The word with its quotes removed; expansions stay as written."""
        return "".join(part.text if isinstance(part, Literal) else part.source for part in self.parts)

    @property
    def places(self) -> Places:
        """The places of `text`, for reading it as a command of its own."""
        found: list[int] = []
        for part in self.parts:
            found += part.places if isinstance(part, Literal) else [part.place] * len(part.source)
        return (*found, self.inner_end)

    @property
    def is_literal(self) -> bool:
        return all(isinstance(part, Literal) for part in self.parts)


class Redirect(Struct, frozen=True):
    """`operator` with its descriptor as written: ">", "2>", ">>", "<", "2>&1" has operator "2>&" and target "1"."""

    operator: str
    target: Word | None


class Simple(Struct, frozen=True):
    """A simple command: leading assignments, then the words of the command."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    start: int
    end: int


class Sequence(Struct, frozen=True):
    """`a; b`, a group in braces, and the empty command."""

    steps: tuple[Command, ...]


class AndOr(Struct, frozen=True):
    """`a && b || c`, evaluated from the left; `operators` stand between the commands, one fewer than those."""

    commands: tuple[Command, ...]
    operators: tuple[str, ...]


class Background(Struct, frozen=True):
    """`command &`"""

    command: Command


class Pipeline(Struct, frozen=True):
    """`a | b`: all of them run at once."""

    commands: tuple[Command, ...]


class Subshell(Struct, frozen=True):
    """`( … )`: a change of directory or environment inside doesn't leave it."""

    body: Command


class Conditional(Struct, frozen=True):
    """`if test; then …; else …; fi`"""

    test: Command
    consequent: Command
    alternate: Command


class Loop(Struct, frozen=True):
    """`while`, `until` and `for` loops; `test` is empty for `for`."""

    test: Command
    body: Command


class Opaque(Struct, frozen=True):
    """Something that isn't read, and why."""

    reason: str
    source: str
    start: int
    end: int


Command = Union[Simple, Sequence, AndOr, Background, Pipeline, Subshell, Conditional, Loop, Opaque]

EMPTY = Sequence(())

_OPERATORS = re.compile(r"&&|\|\||;;|\|&|[|;&()\n]")
_REDIRECT = re.compile(r"(\d*)(>>|>\||>&|<&|<<<|<<-?|<>|>|<)|&>>?")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\+?=")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_BRACED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(:?[-=+?])?", re.DOTALL)


def parse_shell(text: str, places: Places | None = None) -> Command:
    """The commands of a shell text; `places` are its characters' places in the file (0, 1, 2 … by default)."""
    if places is None:
        places = tuple(range(len(text) + 1))
    if len(text) > MAX_LENGTH:
        return Opaque("a script of more than 20,000 characters", text[:80], places[0], places[-1])
    parser = _Parser(text, places)
    try:
        command = parser.commands(frozenset())
        if parser.at < len(text):
            rest = Opaque("an unexpected " + text[parser.at], text[parser.at :], places[parser.at], places[-1])
            return Sequence((command, rest))
    except _UnreadableError as error:
        return Opaque(str(error), text, places[0], places[-1])
    return command


def quote(argument: str) -> str:
    """The argument as npm appends it to a script's text (`@npmcli/promise-spawn`)."""
    if argument and not re.search(r"[\t\n\r \"#$&'()*;<>?\\`|~]", argument):
        return argument
    return "'" + argument.replace("'", "'\\''") + "'"


def windows_forms(text: str) -> list[str]:
    """What in a script only cmd.exe understands, each as written."""
    patterns = (
        r"(?<![\w-])set\s+[A-Za-z_]\w*=[^&\s]*\s*&&?",
        r"(?<![\w./-])start\s+(?:/\w+|\"\"|cmd\b|npm\b|node\b)",
        r"\^[&|<>^]",
        r"%[A-Za-z_]\w*%",
        r"(?<![\w./-])cmd\s+/[ck]\b",
        r"(?<![\w./-])(?:xcopy|rmdir\s+/s|del\s+/\w|timeout\s+/t|copy\s+/y)",
    )
    return [found.group() for pattern in patterns for found in re.finditer(pattern, text, re.IGNORECASE)]


class _UnreadableError(Exception):
    pass


class _Parser:
    def __init__(self, text: str, places: Places) -> None:
        self.text = text
        self.places = places
        self.at = 0
        self.depth = 0

    def skip_blanks(self, newlines: bool = False) -> None:
        text = self.text
        while self.at < len(text):
            character = text[self.at]
            if character in " \t\r" or (newlines and character == "\n"):
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.at += 2
            elif character == "#" and (self.at == 0 or text[self.at - 1] in " \t\n;&|()"):
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                return

    def operator(self) -> str:
        """The operator that stands here, "" where none does."""
        if self.text.startswith("&>", self.at):
            return ""
        found = _OPERATORS.match(self.text, self.at)
        return found.group() if found else ""

    def keyword(self) -> str:
        """The unquoted plain word that stands here, "" where another thing does."""
        found = re.compile(r"[!{}]|[A-Za-z]+").match(self.text, self.at)
        if not found:
            return ""
        following = self.text[found.end() : found.end() + 1]
        return found.group() if following == "" or following in " \t\r\n;&|()" else ""

    def commands(self, closers: frozenset[str]) -> Command:
        """A list of commands up to a closing word, a closing parenthesis or the end."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _UnreadableError("nested too deeply")
        steps: list[Command] = []
        while True:
            self.skip_blanks(newlines=True)
            operator = self.operator()
            if self.at >= len(self.text) or operator in (")", ";;") or self.keyword() in closers:
                break
            if operator in (";", "&", "&&", "||", "|", "|&"):
                # sh stops here with a syntax error before it runs anything.
                raise _UnreadableError(f"a command is missing before {operator}")
            command = self.and_or()
            self.skip_blanks()
            separator = self.operator()
            if separator in (";", "\n"):
                self.at += 1
            elif separator == "&":
                self.at += 1
                command = Background(command)
            steps.append(command)
            if separator not in (";", "\n", "&"):
                break
        self.depth -= 1
        return steps[0] if len(steps) == 1 else Sequence(tuple(steps))

    def and_or(self) -> Command:
        commands = [self.pipeline()]
        operators: list[str] = []
        while True:
            self.skip_blanks()
            operator = self.operator()
            if operator not in ("&&", "||"):
                return AndOr(tuple(commands), tuple(operators)) if operators else commands[0]
            self.at += 2
            self.skip_blanks(newlines=True)
            operators.append(operator)
            commands.append(self.pipeline())

    def pipeline(self) -> Command:
        self.skip_blanks()
        if self.keyword() == "!":
            self.at += 1
            self.skip_blanks()
        commands = [self.command()]
        while True:
            self.skip_blanks()
            operator = self.operator()
            if operator not in ("|", "|&"):
                return commands[0] if len(commands) == 1 else Pipeline(tuple(commands))
            self.at += len(operator)
            self.skip_blanks(newlines=True)
            commands.append(self.command())

    def command(self) -> Command:
        self.skip_blanks()
        if self.at >= len(self.text):
            raise _UnreadableError("a command is missing at the end")
        if self.text[self.at] == "(":
            self.at += 1
            body = self.commands(frozenset())
            self.expect(")")
            self.redirects()
            return Subshell(body)
        match self.keyword():
            case "{":
                self.at += 1
                body = self.commands(frozenset({"}"}))
                self.expect("}")
                self.redirects()
                return body
            case "if":
                self.at += 2
                return self.conditional()
            case "while" | "until":
                self.at += 5
                test = self.commands(frozenset({"do"}))
                return Loop(test, self.loop_body())
            case "for":
                end = re.compile(r"[^;\n]*[;\n]\s*").match(self.text, self.at)
                if not end:
                    raise _UnreadableError("a for loop without do")
                self.at = end.end()
                return Loop(EMPTY, self.loop_body())
            case "case" | "function":
                start, self.at = self.at, len(self.text)
                source = self.text[start:]
                return Opaque("case and function are not read", source, self.places[start], self.places[-1])
        return self.simple()

    def conditional(self) -> Command:
        test = self.commands(frozenset({"then"}))
        self.expect("then")
        consequent = self.commands(frozenset({"elif", "else", "fi"}))
        self.skip_blanks(newlines=True)
        match self.keyword():
            case "elif":
                self.at += 4
                self.depth += 1  # the chain nests
                return Conditional(test, consequent, self.conditional())
            case "else":
                self.at += 4
                alternate = self.commands(frozenset({"fi"}))
                self.expect("fi")
                return Conditional(test, consequent, alternate)
        self.expect("fi")
        return Conditional(test, consequent, EMPTY)

    def loop_body(self) -> Command:
        self.expect("do")
        body = self.commands(frozenset({"done"}))
        self.expect("done")
        self.redirects()
        return body

    def expect(self, word: str) -> None:
        self.skip_blanks(newlines=True)
        if not self.text.startswith(word, self.at):
            raise _UnreadableError(f"{word} is missing")
        self.at += len(word)

    def redirects(self) -> list[Redirect]:
        found: list[Redirect] = []
        while True:
            self.skip_blanks()
            match = _REDIRECT.match(self.text, self.at)
            if not match:
                return found
            self.at = match.end()
            if "<<" in match.group() and match.group(2) != "<<<":
                raise _UnreadableError("here-documents are not read")
            self.skip_blanks()
            found.append(Redirect(match.group(), self.word()))

    def simple(self) -> Command:
        start = self.at
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            redirects += self.redirects()
            if self.at >= len(self.text) or self.operator():
                break
            assigned = _ASSIGNMENT.match(self.text, self.at) if not words else None
            if assigned:
                self.at = assigned.end()
                word = self.word() or Word((), *[self.places[self.at]] * 3)
                assignments.append((assigned.group(1), word))
                continue
            following = self.word()
            if following is None:
                raise _UnreadableError(f"an unexpected {self.text[self.at]}")
            words.append(following)
        end = self.at
        while end > start and self.text[end - 1].isspace():
            end -= 1
        if not (words or assignments or redirects):
            raise _UnreadableError("a command is missing")
        return Simple(tuple(assignments), tuple(words), tuple(redirects), self.places[start], self.places[end])

    # ----------------------------------------------------------------- words

    def word(self) -> Word | None:
        text = self.text
        start = self.at
        parts: list[Part] = []
        inner_end = start
        while self.at < len(text):
            character = text[self.at]
            if character in " \t\r\n;&|()<>":
                break
            if character == "'":
                end = text.find("'", self.at + 1)
                if end < 0:
                    raise _UnreadableError("a single quote that doesn't close")
                self.literal(parts, self.at + 1, end, quoted=True)
                self.at = end + 1
            elif character == '"':
                self.double_quoted(parts)
            elif character == "\\":
                if text.startswith("\\\n", self.at):
                    self.at += 2
                else:
                    self.literal(parts, self.at + 1, min(self.at + 2, len(text)), quoted=True)
                    self.at += 2
            elif character in "$`":
                self.expansion(parts, quoted=False)
            else:
                self.literal(parts, self.at, self.at + 1, quoted=False)
                self.at += 1
            inner_end = self.at - 1 if character in "'\"" else min(self.at, len(text))
        self.at = min(self.at, len(text))
        if self.at == start:
            return None
        return Word(tuple(parts), self.places[start], self.places[self.at], self.places[inner_end])

    def literal(self, parts: list[Part], start: int, end: int, quoted: bool) -> None:
        last = parts[-1] if parts else None
        text, places = self.text[start:end], self.places[start:end]
        if isinstance(last, Literal) and last.quoted == quoted:
            parts[-1] = Literal(last.text + text, last.places + places, quoted)
        else:
            parts.append(Literal(text, places, quoted))

    def double_quoted(self, parts: list[Part]) -> None:
        text = self.text
        self.at += 1
        self.literal(parts, self.at, self.at, quoted=True)
        while self.at < len(text) and text[self.at] != '"':
            character = text[self.at]
            if character == "\\" and text[self.at + 1 : self.at + 2] in ('"', "\\", "$", "`"):
                self.literal(parts, self.at + 1, self.at + 2, quoted=True)
                self.at += 2
            elif text.startswith("\\\n", self.at):
                self.at += 2
            elif character in "$`":
                self.expansion(parts, quoted=True)
            else:
                self.literal(parts, self.at, self.at + 1, quoted=True)
                self.at += 1
        if self.at >= len(text):
            raise _UnreadableError("a double quote that doesn't close")
        self.at += 1

    def expansion(self, parts: list[Part], quoted: bool) -> None:
        text, start = self.text, self.at
        place = self.places[start]
        if text[start] == "`":
            end = text.find("`", start + 1)
            if end < 0:
                raise _UnreadableError("a back quote that doesn't close")
            self.at = end + 1
            parts.append(Substitution(text[start + 1 : end], text[start : end + 1], place, quoted))
        elif text.startswith("$(", start):
            end = self.closing(start + 1, "(", ")")
            self.at = end + 1
            parts.append(Substitution(text[start + 2 : end], text[start : end + 1], place, quoted))
        elif text.startswith("${", start):
            end = self.closing(start + 1, "{", "}")
            self.at = end + 1
            inner = text[start + 2 : end]
            found = _BRACED.match(inner)
            if found and (found.group(2) or found.end() == len(inner)):
                default = inner[found.end() :].strip("\"'")
                name, operator = found.group(1), found.group(2) or ""
            else:
                name, operator, default = found.group(1) if found else "", "other", ""
            parts.append(Expansion(name, operator, default, text[start : end + 1], place, quoted))
        else:
            named = _NAME.match(text, start + 1)
            if not named:
                self.literal(parts, start, start + 1, quoted)
                self.at = start + 1
                return
            self.at = named.end()
            parts.append(Expansion(named.group(), "", "", text[start : self.at], place, quoted))

    def closing(self, at: int, opener: str, closer: str) -> int:
        """The place of the bracket that closes the one at `at`, quotes skipped."""
        depth, quoted = 0, ""
        for place in range(at, len(self.text)):
            character = self.text[place]
            if quoted:
                quoted = "" if character == quoted else quoted
            elif character == "'" or (character == '"' and opener == "("):
                quoted = character
            elif character == opener:
                depth += 1
            elif character == closer:
                depth -= 1
                if depth == 0:
                    return place
        raise _UnreadableError(f"{opener} that doesn't close")
