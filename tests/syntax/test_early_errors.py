from __future__ import annotations

from pathlib import Path

import pytest

from forensics.syntax.early_errors import KINDS, early_errors
from forensics.syntax.javascript import lower_script


def found(source: str, is_module: bool = True, dialect: str = "javascript") -> list[tuple[str, str]]:
    """Kind and text of the early errors of a source that the grammar reads."""
    script = lower_script(source.encode(), dialect)
    assert script.problems == []
    problems = early_errors(script, source.encode(), is_module, is_typescript=dialect != "javascript")
    return [(problem.kind, problem.text) for problem in problems]


def verdicts() -> list[tuple[str, bool, bool]]:
    """(source, whether it is a module, whether `node --check` accepts it) of early_errors.txt."""
    observed: list[tuple[str, bool, bool]] = []
    for line in (Path(__file__).parent / "early_errors.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("# "):
            module, script, source = line.split("\t")
            observed.append((source, True, module == "ok"))
            observed.append((source, False, script == "ok"))
    return observed


@pytest.mark.parametrize(("source", "is_module", "is_accepted"), verdicts())
def test_verdicts_are_those_of_node(source: str, is_module: bool, is_accepted: bool) -> None:
    text = source.replace("\\n", "\n") if source.startswith("x = a => {}") else source
    script = lower_script(text.encode(), "javascript")
    problems = script.problems + early_errors(script, text.encode(), is_module)
    assert (not problems) == is_accepted


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("const a = 1; const [b, a] = c", [("duplicate-declaration", "a")]),
        ("import a from 'b'; function a() {}", [("duplicate-declaration", "a")]),
        ("export const a = 1; export { a, b as a }; let b", [("duplicate-export", "a"), ("duplicate-export", "a")]),
        ("export default 1; export default 2", [("duplicate-export", "export default")]),
        ("class A { constructor() {} constructor() {} }", [("duplicate-constructor", "constructor")]),
        ("switch (a) { default: default: }", [("duplicate-default", "default")]),
        ("a: a: for (;;) {}", [("duplicate-label", "a")]),
        ("export { a }", [("undeclared-export", "a")]),
        ("class A { b() { this.#c } }", [("undeclared-private-name", "#c")]),
        ("() => { await a }", [("await-outside-async", "await")]),
        ("function f() { for await (const a of b) {} }", [("await-outside-async", "for await")]),
        ("function f() { yield 1 }", [("yield-outside-generator", "yield")]),
        ("return 1", [("return-outside-function", "return")]),
        ("new.target", [("new-target-outside-function", "new.target")]),
        ("class A { constructor() { super() } }", [("super-outside-method", "super")]),
        ("const a, b = 1", [("missing-initialiser", "a")]),
        ("let {a}", [("missing-initialiser", "{a}")]),
        ("if (a) break", [("break-outside-loop", "break")]),
        ("a.forEach(b => { continue; })", [("continue-outside-loop", "continue;")]),
        ("for (;;) { break a }", [("undefined-label", "break a")]),
        ("if (a) { import b from 'c' }", [("misplaced-import-or-export", "import")]),
        ("let package = 1", [("reserved-word", "package")]),
        ("/(/", [("invalid-regex", "/(/")]),
        ("new Date(2024, 01)", [("legacy-octal", "01")]),
        ("with (a) b", [("with-in-strict-code", "with")]),
        ("a?.b = 1", [("invalid-assignment-target", "a?.b")]),
        ("a || () => b", [("invalid-operand", "() => b")]),
        ("a ?? b || c", [("unparenthesised-mix", "a ?? b || c")]),
    ],
)
def test_what_is_told_of_a_module(source: str, expected: list[tuple[str, str]]) -> None:
    assert found(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("export const a = require('b')", [("module-syntax-in-script", "export")]),
        (
            "import a from 'b'; import.meta",
            [("module-syntax-in-script", "import"), ("module-syntax-in-script", "import.meta")],
        ),
        ("await a", [("await-outside-async", "await")]),
        ("return", []),
        ("var package = 017", []),
        ("'use strict'; var package = 017", [("reserved-word", "package"), ("legacy-octal", "017")]),
    ],
)
def test_what_is_told_of_a_commonjs_script(source: str, expected: list[tuple[str, str]]) -> None:
    assert found(source, is_module=False) == expected


# Verdicts of esbuild 0.28.2 (loader ts), which strips types without checking them.
@pytest.mark.parametrize(
    ("source", "is_accepted"),
    [
        ("import {a} from 'b'; import {a} from 'c'", True),
        ("import {A} from 'b'; class A {}", True),
        ("import a from 'b'; function f() { const a = 1 }", True),
        ("export {a}", True),
        ("export {a, a}; let a", False),
        ("enum A { a } enum A { b }", True),
        ("export enum A { a } export enum A { b }", True),
        ("enum A { a, a }", False),
        ("const A = 1; enum A { a }", False),
        ("class A {} namespace A { export const b = 1 }", True),
        ("namespace A { var b } let b", True),
        ("interface A {} class A {}", True),
        ("type a = 1; let a = 1", True),
        ("function f(a: string): void; function f(a: any) {}", True),
        ("function f() {} let f", False),
        ("let a: string; let a = 1", False),
        ("class A { constructor(private a, private a) {} }", False),
        ("function f(this: A) { return await b }", False),
        ("declare const a: string", True),
        ("import type A from 'b'; const A = 1", True),
        ("function f() { import type A from 'b' }", False),
        ("export import a = b.c; import c = require('d')", True),
        ("a || b as c ?? d", False),
        ("(a || b)! ?? c", True),
    ],
)
def test_typescript_is_judged_as_esbuild_does(source: str, is_accepted: bool) -> None:
    assert (found(source, dialect="typescript") == []) == is_accepted


def test_positions_are_those_of_the_file() -> None:
    source = b"<script>let a; let a</script>"
    script = lower_script(source[8:20], "javascript", 8)
    (problem,) = early_errors(script, source, True)
    assert (problem.start, problem.end) == (19, 20)


def test_an_unreadable_target_is_told_once() -> None:
    source = b"f(a b) = 1"
    script = lower_script(source, "javascript")
    assert script.problems
    assert early_errors(script, source, True) == []


def test_every_kind_is_explained() -> None:
    told = {kind for source, is_module, _ in verdicts() for kind, _ in _kinds(source, is_module)}
    assert told <= set(KINDS)
    assert set(KINDS) - told <= {"duplicate-enum-member"}


def _kinds(source: str, is_module: bool) -> list[tuple[str, str]]:
    script = lower_script(source.encode(), "javascript")
    return [(problem.kind, problem.text) for problem in early_errors(script, source.encode(), is_module)]
