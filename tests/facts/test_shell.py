from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forensics.facts.shell import (
    AndOr,
    Background,
    Command,
    Conditional,
    Expansion,
    Loop,
    Opaque,
    Pipeline,
    Sequence,
    Simple,
    Subshell,
    Substitution,
    parse_shell,
    quote,
    windows_forms,
)


def shown(command: Command) -> str:
    """The structure in one line: words in brackets, `;` sequences in braces."""
    match command:
        case Simple():
            assignments = [f"{name}={word.text}" for name, word in command.assignments]
            redirects = [item.operator + (item.target.text if item.target else "") for item in command.redirects]
            return "[" + " ".join(assignments + [word.text for word in command.words] + redirects) + "]"
        case Sequence():
            return "{" + "; ".join(map(shown, command.steps)) + "}"
        case AndOr():
            text = shown(command.commands[0])
            for operator, following in zip(command.operators, command.commands[1:], strict=True):
                text += f" {operator} {shown(following)}"
            return text
        case Background():
            return shown(command.command) + " &"
        case Pipeline():
            return " | ".join(map(shown, command.commands))
        case Subshell():
            return f"({shown(command.body)})"
        case Conditional():
            return f"if {shown(command.test)} then {shown(command.consequent)} else {shown(command.alternate)}"
        case Loop():
            return f"loop {shown(command.body)}"
        case Opaque():
            return f"<{command.reason}>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vite", "[vite]"),
        ("npm run server & vite --port 5333", "{[npm run server] &; [vite --port 5333]}"),
        ("a&&b||c", "[a] && [b] || [c]"),
        ("a; b ;", "{[a]; [b]}"),
        ("(cd client && npm i) || ls", "([cd client] && [npm i]) || [ls]"),
        ("a | tee log", "[a] | [tee log]"),
        ("{ a; b & } && c", "{[a]; [b] &} && [c]"),
        ("NODE_ENV=x PORT=3 node a.js > log 2>&1", "[NODE_ENV=x PORT=3 node a.js >log 2>&1]"),
        ("if [ -d x ]; then a; elif b; then c; else d; fi", "if [[ -d x ]] then [a] else if [b] then [c] else [d]"),
        ("for i in 1 2; do a; done", "loop [a]"),
        ("until a; do b; done", "loop [b]"),
        ("node a.js # say & no more", "[node a.js]"),
        ("a \\\n && b", "[a] && [b]"),
        ("a\nb", "{[a]; [b]}"),
        ("! a", "[a]"),
        ("x#y", "[x#y]"),
        ("", "{}"),
        ("A=1", "[A=1]"),
        ("node {}", "[node {}]"),
    ],
)
def test_structure(text: str, expected: str) -> None:
    assert shown(parse_shell(text)) == expected


@pytest.mark.parametrize(
    "text", ["a &&", "& a", 'a "b', "a 'b", "(a", "a )", "if a; then b", "a $(b", "cat <<EOF", "case x in esac", "| a"]
)
def test_what_the_shell_refuses_is_opaque(text: str) -> None:
    assert "<" in shown(parse_shell(text))


@pytest.mark.parametrize(
    "text",
    [
        "'a b' c",
        '"a b" c\\ d',
        "'it'\\''s'",
        '"\\$x \\" \\a"',
        "a''b \"\"",
        "a\\\nb",
        "--x='1 2'\"3\"",
        "a\tb   c",
        "\\\\ 'a\"b'",
    ],
)
def test_words_are_split_and_unquoted_as_sh_does(text: str) -> None:
    printed = subprocess.run(["sh", "-c", f"printf '%s\\n' {text}"], capture_output=True, text=True, check=True).stdout
    command = parse_shell(text)
    assert isinstance(command, Simple)
    assert [word.text for word in command.words] == printed.splitlines()


@given(st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=30))
@settings(max_examples=100, deadline=None)
def test_quote_gives_the_argument_back(argument: str) -> None:
    command = parse_shell(f"x {quote(argument)}")
    assert isinstance(command, Simple)
    assert [word.text for word in command.words] == ["x", argument]


def test_expansions_keep_their_parts() -> None:
    command = parse_shell('PORT=${PORT:-"3 0"} node "$DIR/a" ${X%y} `pwd`$(id -u)')
    assert isinstance(command, Simple)
    ((_, port),) = command.assignments
    assert isinstance(port.parts[0], Expansion)
    assert (port.parts[0].name, port.parts[0].operator, port.parts[0].default) == ("PORT", ":-", "3 0")
    directory = next(part for part in command.words[1].parts if isinstance(part, Expansion))
    assert (directory.name, directory.quoted) == ("DIR", True)
    pattern = command.words[2].parts[0]
    assert isinstance(pattern, Expansion)
    assert (pattern.name, pattern.operator) == ("X", "other")
    first, second = command.words[3].parts
    assert isinstance(first, Substitution)
    assert isinstance(second, Substitution)
    assert (first.command, second.command) == ("pwd", "id -u")


def test_places_lead_back_through_nested_quotes() -> None:
    outer = """concurrently 'node "my app.js"' b"""
    command = parse_shell(outer)
    assert isinstance(command, Simple)
    nested = command.words[1]
    assert outer[nested.start : nested.end] == "'node \"my app.js\"'"
    inner = parse_shell(nested.text, nested.places)
    assert isinstance(inner, Simple)
    assert outer[inner.words[1].start : inner.words[1].end] == '"my app.js"'


def test_windows_forms_are_named() -> None:
    assert windows_forms("set PORT=3000&& node a.js") == ["set PORT=3000&&"]
    assert windows_forms("echo a ^& b %PORT%") == ["^&", "%PORT%"]
    assert windows_forms("npm start && node offset PORT=1") == []


@given(st.text(st.sampled_from("ab $(){}\"'`\\;&|<>#=!\n-"), max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_text_crashes_the_reader(text: str) -> None:
    shown(parse_shell(text))


@pytest.mark.parametrize(
    "text", ["(" * 5000, "a && " * 3000 + "a", "if a; then b; el" * 900, "{ " * 900, "$(" * 4000, "a" * 30000]
)
def test_long_texts_do_not_recurse(text: str) -> None:
    shown(parse_shell(text))
