"""Lowering of a whole JavaScript, JSX, TypeScript or TSX file to its IR."""

from __future__ import annotations

import gc
import re
from functools import cache
from itertools import pairwise
from typing import Final

from tree_sitter import Query, QueryCursor, Tree

from forensics.syntax import ir
from forensics.syntax.grammars import Grammar, grammar
from forensics.syntax.javascript_expressions import HANDLERS as EXPRESSIONS
from forensics.syntax.javascript_expressions import unreadable as unreadable_expression
from forensics.syntax.javascript_lowering import Expression as ExpressionHandler
from forensics.syntax.javascript_lowering import Kinds, Lowering, body_with_directives
from forensics.syntax.javascript_lowering import Statement as StatementHandler
from forensics.syntax.javascript_repairs import outermost_problems, parsed, split
from forensics.syntax.javascript_statements import HANDLERS as STATEMENTS
from forensics.syntax.javascript_statements import unreadable as unreadable_statement
from forensics.syntax.nesting import room_for_nesting

STYLE_KEYS: Final = {
    "quotes_single": "string literals in single quotes (JSX attributes are not counted)",
    "quotes_double": "string literals in double quotes (JSX attributes are not counted)",
    "quotes_template": "template literals",
    "statements_with_semicolon": "statements that may end in a semicolon and do",
    "statements_without_semicolon": "statements that may end in a semicolon and rely on its insertion",
    "indent_2": "lines indented two spaces deeper than the line before",
    "indent_4": "lines indented four spaces deeper than the line before",
    "indent_tab": "lines that begin with a tab",
    "arrow_functions": "arrow functions",
    "function_declarations": "function declarations, exported ones included",
    "async_functions": "functions, arrow functions and methods marked async",
    "try_statements": "try statements",
    "promise_then": "uses of a property `then`",
    "comment_lines": "lines touched by a comment",
    "code_lines": "lines that hold something other than white space and comments",
    "camel_case": "declared identifiers such as fooBar",
    "snake_case": "declared identifiers such as foo_bar",
    "pascal_case": "declared identifiers such as FooBar",
    "upper_case": "declared identifiers such as FOO_BAR",
}


# One round finds all places where a statement must end, unless they hide one another.
_SPLIT_ROUNDS: Final = 4

_CAMEL: Final = re.compile(r"[a-z$][a-z0-9$]*[A-Z][A-Za-z0-9$]*")
_SNAKE: Final = re.compile(r"_*[a-z0-9]+(?:_+[a-z0-9]+)+_*")
_PASCAL: Final = re.compile(r"[A-Z][A-Z0-9]*[a-z][A-Za-z0-9]*")
_UPPER: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)*")
_INDENT: Final = re.compile(rb"^([ \t]*)[^\s]", re.MULTILINE)


@cache
def _tables(dialect: str) -> tuple[Grammar, Kinds, dict[int, ExpressionHandler], dict[int, StatementHandler], Query]:
    language = grammar(dialect)
    return (
        language,
        Kinds(language),
        language.handlers(EXPRESSIONS, unreadable_expression),
        language.handlers(STATEMENTS, unreadable_statement),
        Query(language.language, "[(comment) (html_comment)] @comment"),
    )


def lower_script(source: bytes, dialect: str, offset: int = 0) -> ir.Script:
    """The IR of one script in the dialect "javascript" (with JSX), "typescript" or "tsx".

    `offset` is added to every position: where an inline script stands in its page. Bytes that are not UTF-8 are read
    as U+FFFD, as Node and browsers do.
    """
    language, kinds, expressions, statements, comment_query = _tables(dialect)
    padded = bytes(offset) + source if offset else source
    tree, text = parsed(language, padded, offset)
    collecting = gc.isenabled()
    # Lowering makes many records and no cycles; the collector would only walk them again and again.
    gc.disable()
    try:
        for _ in range(_SPLIT_ROUNDS):
            cx = Lowering(padded, text, language, kinds, expressions, statements)
            with room_for_nesting():
                body, directives = body_with_directives(cx, tree.root_node.named_children, 0)
            if not cx.splits:
                break
            tree, text = split(language, text, cx.splits, offset)
        _look_into_cut(cx)
    finally:
        if collecting:
            gc.enable()
    root = tree.root_node
    if root.has_error:
        for node in outermost_problems(root):
            cx.problem(node.start_byte, node.end_byte, "missing" if node.is_missing else "error")
    cx.problems.sort(key=lambda problem: problem.start)
    comments = _comments(tree, padded, comment_query)
    return ir.Script(
        body,
        directives,
        _hashbang(source),
        comments,
        cx.problems,
        cx.has_module_syntax or cx.has_top_level_await,
        cx.has_top_level_await,
        _style(cx, source, offset, comments),
    )


def _hashbang(source: bytes) -> str:
    if not source.startswith(b"#!"):
        return ""
    return source.split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "replace")


def _comments(tree: Tree, source: bytes, query: Query) -> list[ir.Comment]:
    if b"//" not in source and b"/*" not in source and b"<!--" not in source and b"-->" not in source:
        return []
    nodes = QueryCursor(query).captures(tree.root_node).get("comment", [])
    comments = [ir.Comment(node.start_byte, node.end_byte, source.startswith(b"/*", node.start_byte)) for node in nodes]
    comments.sort(key=lambda comment: comment.start)
    return comments


_FUNCTIONS: Final = frozenset(
    {
        "arrow_function",
        "function_expression",
        "function_declaration",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
        "class_static_block",
        "field_definition",
        "public_field_definition",
    }
)


def _look_into_cut(cx: Lowering) -> None:
    """Finds `import.meta` and top-level await in what was left out for its depth."""
    pending = cx.cut
    while pending:
        node, functions = pending.pop()
        kind = cx.kind_names[node.kind_id]
        if kind == "meta_property" and cx.source.startswith(b"import", node.start_byte):
            cx.has_module_syntax = True
        elif kind == "await_expression" and not functions:
            cx.has_top_level_await = True
        elif kind in _FUNCTIONS:
            functions += 1
        pending.extend((child, functions) for child in node.named_children)


def _style(cx: Lowering, source: bytes, offset: int, comments: list[ir.Comment]) -> dict[str, int]:
    counts = dict.fromkeys(STYLE_KEYS, 0)
    counts["quotes_single"] = cx.quotes["'"]
    counts["quotes_double"] = cx.quotes['"']
    counts["quotes_template"] = cx.quotes["`"]
    counts["statements_with_semicolon"] = cx.semicolons
    counts["statements_without_semicolon"] = cx.without_semicolons
    counts["arrow_functions"] = cx.arrow_functions
    counts["function_declarations"] = cx.function_declarations
    counts["async_functions"] = cx.async_functions
    counts["try_statements"] = cx.try_statements
    counts["promise_then"] = cx.promise_then
    for name in cx.declared:
        if _CAMEL.fullmatch(name):
            counts["camel_case"] += 1
        elif _PASCAL.fullmatch(name):
            counts["pascal_case"] += 1
        elif _SNAKE.fullmatch(name):
            counts["snake_case"] += 1
        elif len(name) > 1 and _UPPER.fullmatch(name):
            counts["upper_case"] += 1
    widths: list[int] = [0]
    for indent in _INDENT.findall(source):
        if indent.startswith(b"\t"):
            counts["indent_tab"] += 1
        widths.append(len(indent))
    for before, after in pairwise(widths):
        if after - before == 2:
            counts["indent_2"] += 1
        elif after - before == 4:
            counts["indent_4"] += 1
    comment_lines, code_lines = _line_counts(source, offset, comments)
    counts["comment_lines"] = comment_lines
    counts["code_lines"] = code_lines
    return counts


def _line_counts(source: bytes, offset: int, comments: list[ir.Comment]) -> tuple[int, int]:
    """Lines touched by a comment, and lines with anything else than white space on them."""
    commented = 0
    last_line_end = -1
    pieces: list[bytes] = []
    at = 0
    for comment in comments:
        start, end = comment.start - offset, comment.end - offset
        lines = source.count(b"\n", start, end) + 1
        line_start = source.rfind(b"\n", 0, start) + 1
        commented += lines - (1 if line_start <= last_line_end else 0)
        last_line_end = max(last_line_end, source.rfind(b"\n", 0, end) + 1)
        pieces.append(source[at:start])
        pieces.append(b"\n" * (lines - 1))
        at = end
    pieces.append(source[at:])
    code = sum(1 for line in b"".join(pieces).split(b"\n") if line and not line.isspace())
    return commented, code
