from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from forensics.syntax import ir
from forensics.syntax.javascript import STYLE_KEYS, lower_script

POSITIONS = {"start", "end", "specifier_start", "specifier_end"}


def said(value: Any) -> str:
    """A record as text, its positions left out."""
    if isinstance(value, msgspec.Struct):
        fields = [said(getattr(value, name)) for name in value.__struct_fields__ if name not in POSITIONS]
        return f"{type(value).__name__}({', '.join(fields)})"
    if isinstance(value, list):
        return f"[{', '.join(map(said, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(said, value))})"
    return repr(value)


def lowered(source: str, dialect: str = "javascript") -> ir.Script:
    return lower_script(source.encode(), dialect)


def body(source: str, dialect: str = "javascript") -> list[str]:
    script = lowered(source, dialect)
    assert script.problems == []
    return [said(statement) for statement in script.body]


def cases() -> list[tuple[str, str, list[str]]]:
    """(dialect, source, statements) of javascript.txt."""
    found: list[tuple[str, str, list[str]]] = []
    dialects: list[str] = []
    for block in (Path(__file__).parent / "javascript.txt").read_text("utf-8").split("\n\n"):
        lines = block.strip("\n").split("\n")
        if lines[0].startswith("## "):
            dialects = lines[0].rpartition(": ")[2].split()
        elif lines[0].startswith("> "):
            source = ast.literal_eval('"""' + lines[0][2:].replace('"', '\\"') + '"""')
            found.extend((dialect, source, [line[2:] for line in lines[1:]]) for dialect in dialects)
    return found


CASES = cases()


@pytest.mark.parametrize(("dialect", "source", "expected"), CASES)
def test_constructs(dialect: str, source: str, expected: list[str]) -> None:
    assert body(source, dialect) == expected


@pytest.mark.parametrize(
    "source",
    [
        "a /* b */ . c /* d */ (e /* f */)",
        "(/* a */) => /* b */ c",
        "if /* a */ ( /* b */ c /* d */ ) { /* e */ } /* f */ else /* g */ { h }",
        "for ( /* a */ let i = 0 /* b */ ; /* c */ i < 1 /* d */ ; /* e */ i++ /* f */ ) /* g */ x",
        "x = { /* a */ b /* c */ : /* d */ e /* f */ , /* g */ get /* h */ i /* j */ ( ) { } , /* k */ ... /* l */ m }",
        "import /* a */ b /* c */ , /* d */ { /* e */ f /* g */ as /* h */ i /* j */ } /* k */ from /* l */ 'm'",
        "a /* b */ ? /* c */ d /* e */ : /* f */ g",
        "`a${ /* b */ c /* d */ }e`",
    ],
)
def test_comments_anywhere_change_nothing(source: str) -> None:
    assert body(source) == body(re.sub(r"/\*.*?\*/", " ", source))


# ------------------------------------------------------------------- positions


def test_positions_are_byte_offsets() -> None:
    source = "const ü = 'é'; f(ü)"
    script = lowered(source)
    declare, evaluate = script.body
    assert isinstance(declare, ir.Declare)
    assert isinstance(evaluate, ir.Evaluate)
    assert (declare.start, declare.end) == (6, 15)  # the declarator
    assert (declare.target.start, declare.target.end) == (6, 8)
    assert declare.value is not None
    assert (declare.value.start, declare.value.end) == (11, 15)  # quotes included
    assert (evaluate.start, evaluate.end) == (17, 22)


def test_an_offset_is_added_to_every_position() -> None:
    source = b"import a from 'b' // c\nlet x: = 1"
    here, there = lower_script(source, "typescript"), lower_script(source, "typescript", 100)

    def positions(value: Any) -> list[int]:
        if isinstance(value, msgspec.Struct):
            found = [getattr(value, name) for name in value.__struct_fields__ if name.endswith(("start", "end"))]
            return found + [at for name in value.__struct_fields__ for at in positions(getattr(value, name))]
        if isinstance(value, list):
            return [at for item in value for at in positions(item)]
        return []

    assert positions(there) == [at + 100 for at in positions(here)]
    assert there.style == here.style


def test_a_statement_ends_before_its_trailing_comment() -> None:
    (statement,) = lowered("a // b;").body
    assert (statement.start, statement.end) == (0, 1)


def test_the_span_of_an_import_specifier_has_its_quotes() -> None:
    (statement,) = lowered("import {a} from './b'").body
    assert isinstance(statement, ir.Import)
    assert (statement.specifier_start, statement.specifier_end) == (16, 21)


def test_the_span_of_a_parenthesised_expression_is_that_of_the_expression() -> None:
    (statement,) = lowered("(a)").body
    assert isinstance(statement, ir.Evaluate)
    assert (statement.expression.start, statement.expression.end) == (1, 2)


# --------------------------------------------------------------- file summaries


def test_hashbang_directives_and_comments() -> None:
    script = lowered("#!/usr/bin/env node\n'use strict'; 'use client'\n/* a */ let b // c\n`// no`; '/* no */'")
    assert script.hashbang == "#!/usr/bin/env node"
    assert script.directives == ["use strict", "use client"]
    assert script.comments == [ir.Comment(47, 54, True), ir.Comment(61, 65, False)]


def test_text_that_looks_like_a_comment_is_none() -> None:
    assert lowered("x = <a>{b}// c {/* d */}</a>").comments == [ir.Comment(16, 23, True)]


@pytest.mark.parametrize(
    ("source", "module", "awaits"),
    [
        ("a()", False, False),
        ("require('a')", False, False),
        ("import('a')", False, False),
        ("import 'a'", True, False),
        ("export {}", True, False),
        ("export default 1", True, False),
        ("f(() => import.meta.url)", True, False),
        ("await a", True, True),
        ("await (a).b", True, True),
        ("if (a) { for (const b of c) { await d } }", True, True),
        ("for await (const a of b) {}", True, True),
        ("await using a = b", True, True),
        ("async () => { await a; for await (const b of c) {} }", False, False),
        ("class A { static { async () => await b } c = async () => await d }", False, False),
        ("class A { [await b]() {} }", True, True),
        ("'import a from b'", False, False),
    ],
)
@pytest.mark.parametrize("dialect", ["javascript", "typescript"])
def test_module_syntax_and_top_level_await(source: str, module: bool, awaits: bool, dialect: str) -> None:
    script = lowered(source, dialect)
    assert (script.has_module_syntax, script.has_top_level_await) == (module, awaits)


def test_module_syntax_is_found_below_the_depth_limit() -> None:
    script = lowered("[" * 500 + "import.meta, await a" + "]" * 500)
    assert (script.has_module_syntax, script.has_top_level_await) == (True, True)


def test_typescript_import_and_export_assignments_are_no_module_syntax() -> None:
    assert not lowered("import a = require('b'); export = a", "typescript").has_module_syntax


def test_style() -> None:
    source = """\
// one
import fs from 'fs'
const MAX_SIZE = "a";
/* two
three */
async function readAll(some_name) {
  try {
    return `x`
  } catch { b().then(() => {}) } // four
}
class Reader {}
\tf('c')

"""
    script = lowered(source)
    assert set(script.style) == set(STYLE_KEYS)
    assert {key: count for key, count in script.style.items() if count} == {
        "quotes_single": 2,
        "quotes_double": 1,
        "quotes_template": 1,
        "statements_with_semicolon": 1,
        "statements_without_semicolon": 4,
        "indent_2": 2,
        "indent_tab": 1,
        "arrow_functions": 1,
        "function_declarations": 1,
        "async_functions": 1,
        "try_statements": 1,
        "promise_then": 1,
        "comment_lines": 4,
        "code_lines": 9,
        "camel_case": 1,
        "snake_case": 1,
        "pascal_case": 1,
        "upper_case": 1,
    }


# -------------------------------------------------------------------- problems


@pytest.mark.parametrize(
    ("source", "dialect", "problems"),
    [
        ("let a = ;", "javascript", [(6, 7, "error", "=")]),
        ("f(a;", "javascript", [(3, 3, "missing", "")]),
        ("try { a }", "javascript", [(9, 9, "missing", "")]),
        ("f(a,, b)", "javascript", [(4, 5, "error", ",")]),
        ("x = {a,, b}", "javascript", [(7, 8, "error", ",")]),
        ("{ a: 1, b: 2 }", "javascript", [(0, 14, "error", "{ a: 1, b: 2 }")]),
        ("() => { a: 1, b: 2 }", "javascript", [(6, 20, "error", "{ a: 1, b: 2 }")]),
        ("function f() {}\n.then(a)", "javascript", [(0, 24, "error", "function f() {}\n.then(a)")]),
        ("export default const a = 1", "javascript", [(15, 26, "error", "const a = 1")]),
        ("if (a) const b = 1", "javascript", [(7, 18, "error", "const b = 1")]),
        ("a<{ b:: c }>(d)", "typescript", [(5, 6, "error", ":")]),
        ("class A { b, c() {} }", "typescript", [(11, 12, "error", ",")]),
        ("export", "typescript", [(0, 6, "error", "export")]),
        ("x = <a></b>", "javascript", [(7, 11, "error", "</b>")]),
        ("x = <a b{c}/>", "javascript", [(8, 11, "error", "{c}")]),
        ("x = <a b={}/>", "javascript", [(9, 11, "error", "{}")]),
        ("x = <T>(a) => a", "tsx", [(4, 14, "error", "<T>(a) => ")]),
        ("x = (a: T)", "typescript", [(4, 10, "error", "(a: T)")]),
        ("interface A { b: c\nexport interface D {} }", "typescript", [(19, 40, "error", "export interface D {}")]),
    ],
)
def test_problems(source: str, dialect: str, problems: list[tuple[int, int, str, str]]) -> None:
    found = lowered(source, dialect).problems
    assert [(problem.start, problem.end, problem.kind, problem.text) for problem in found] == problems


def test_only_the_outermost_problem_is_told_and_its_text_is_short() -> None:
    (problem,) = lowered("(" * 1000).problems
    assert (problem.start, problem.end, problem.text) == (0, 1000, "(" * 80)


def test_statements_around_an_error_are_lowered() -> None:
    script = lowered("let a = 1;\nlet b = = 2;\nlet c = 3;")
    texts = [said(statement) for statement in script.body]
    assert texts[0] == "Declare('let', Name('a'), Const(1))"
    assert texts[-1] == "Declare('let', Name('c'), Const(3))"


@pytest.mark.parametrize(
    ("source", "dialect"),
    [
        ("<a>Q&A</a>", "javascript"),
        ("<a>a && b</a>", "tsx"),
        ("<a>&</a>", "tsx"),
        ("<a>&#128172; &#1234567;</a>", "javascript"),
        ('<a b="?c=1&d=2"/>', "tsx"),
        ('<a class="b" for="c"/>', "javascript"),
        ("export * from 'a' with {type: 'json'}", "typescript"),
        ("import a from 'b' assert {type: 'json'}", "javascript"),
        ("export type * as a from 'b'", "typescript"),
        ("type A = import('b').C<D>", "typescript"),
        ("class A<in B, out C> {}", "typescript"),
        ("class A { static accessor b = 1 }", "typescript"),
        ("interface A {\n  b: C\n  <D>(): E\n}", "typescript"),
        ("String.raw`C:\\users`", "javascript"),
        ("for (using a of b) {}", "typescript"),
        ("a<typeof import('b')>(c)", "typescript"),
        ("const a = b<{\n c?: 'd'\n}>`e`", "tsx"),
    ],
)
def test_valid_sources_that_the_grammars_refuse_have_no_problem(source: str, dialect: str) -> None:
    assert lowered(source, dialect).problems == []


def test_a_bare_ampersand_in_code_stays_a_problem() -> None:
    assert lowered("x = & y").problems != []
    assert lowered("x = &\ny").problems != []


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    script = lower_script(b"x = 'caf\xe9'", "javascript")
    assert said(script.body[0]) == "Evaluate(Assign('=', Name('x'), Const('caf\ufffd')))"
    assert script.problems == []


# --------------------------------------------------------------------- nesting

DEEP = {
    "parentheses": "(" * 10_000 + "a" + ")" * 10_000,
    "arrays": "[" * 10_000 + "]" * 10_000,
    "arrows": "a=>" * 10_000 + "b",
    "blocks": "{" * 10_000 + "}" * 10_000,
    "calls": "f(" * 10_000 + ")" * 10_000,
    "chain": "a" + ".b()" * 5_000,
    "mixed operators": "x = a" + "+a-b" * 5_000,
    "conditionals": "a?b:" * 5_000 + "c",
    "else if": "if(a){}else " * 5_000 + "{}",
    "elements": "<a>" * 5_000 + "</a>" * 5_000,
    "patterns": "let " + "[" * 5_000 + "a" + "]" * 5_000 + "=b",
    "classes": "class A{m(){" * 2_000 + "}}" * 2_000,
    "templates": "`${" * 2_000 + "a" + "}`" * 2_000,
    "unclosed": "(" * 10_000,
    "text": "<p>a & b</p> c\n" * 3_000,
    "unclosed functions": "(a=>{" * 5_000,
}


def levels(value: Any) -> int:
    """How deep records nest, walked without recursion."""
    deepest = 0
    pending = [(value, 0)]
    while pending:
        item, depth = pending.pop()
        if isinstance(item, msgspec.Struct):
            depth += 1
            deepest = max(deepest, depth)
            pending.extend((getattr(item, name), depth) for name in item.__struct_fields__)
        elif isinstance(item, list):
            pending.extend((inner, depth) for inner in item)
    return deepest


def round_trips(script: ir.Script) -> bool:
    return msgspec.msgpack.Decoder(ir.Script).decode(msgspec.msgpack.encode(script)) == script


@pytest.mark.parametrize("dialect", ["javascript", "typescript", "tsx"])
@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_is_cut(name: str, dialect: str) -> None:
    script = lowered(DEEP[name], dialect)
    assert levels(script.body) <= 2 * ir.MAX_DEPTH + 4
    assert round_trips(script)


def test_what_nests_too_deeply_is_opaque() -> None:
    assert "Opaque('nested too deeply')" in said(lowered("[" * 300 + "]" * 300).body)
    assert "Opaque" not in said(lowered("[" * 150 + "]" * 150).body)


def test_a_chain_of_100_calls_is_read_whole() -> None:
    assert "Opaque" not in said(lowered("a" + ".b()" * 100).body)


def test_a_long_sum_is_one_record() -> None:
    (statement,) = lowered("x = " + " + ".join(["'a'"] * 5_000)).body
    assert isinstance(statement, ir.Evaluate)
    assert isinstance(statement.expression, ir.Assign)
    assert isinstance(statement.expression.value, ir.Binary)
    assert len(statement.expression.value.operands) == 5_000


# ------------------------------------------------------------------ properties

SNIPPETS = sorted({source for _, source, _ in CASES})
PIECES = [*"(){}[]<>`\"'\\/*=!?.,;:&|+-$#@ \n", "await ", "=>", "class ", "export ", "<a>", "</a>", "${", "using x = "]


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60), st.sampled_from(["javascript", "typescript", "tsx"]), st.integers(0, 3))
@example(b"\xed\xa0\x80", "javascript", 0)
@example(b"'\\ud800'", "typescript", 1)
def test_any_bytes_are_lowered(source: bytes, dialect: str, offset: int) -> None:
    assert round_trips(lower_script(source, dialect, offset))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutated_snippets_are_lowered(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SNIPPETS)) + "\n" + data.draw(st.sampled_from(SNIPPETS))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        removed = data.draw(st.integers(0, 6))
        text = text[:at] + data.draw(st.sampled_from(["", *PIECES])) + text[at + removed :]
    source = text.encode("utf-8", "replace")
    for dialect in ("javascript", "typescript", "tsx"):
        script = lower_script(source, dialect)
        assert round_trips(script)
        assert all(0 <= problem.start <= problem.end <= len(source) for problem in script.problems)
