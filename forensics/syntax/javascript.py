"""Lowering of a whole JavaScript, JSX, TypeScript or TSX file to its IR."""

from __future__ import annotations

import gc
import re
from functools import cache, lru_cache
from typing import Final

from tree_sitter import Node, Query, QueryCursor

from forensics.syntax import ir
from forensics.syntax.grammars import Grammar, grammar
from forensics.syntax.javascript_elements import HANDLERS as ELEMENTS
from forensics.syntax.javascript_expressions import HANDLERS as EXPRESSIONS
from forensics.syntax.javascript_expressions import unreadable as unreadable_expression
from forensics.syntax.javascript_functions import HANDLERS as FUNCTIONS
from forensics.syntax.javascript_literals import HANDLERS as LITERALS
from forensics.syntax.javascript_lowering import Expression as ExpressionHandler
from forensics.syntax.javascript_lowering import Kinds, Lowering, body_with_directives
from forensics.syntax.javascript_lowering import Statement as StatementHandler
from forensics.syntax.javascript_modules import HANDLERS as MODULES
from forensics.syntax.javascript_repairs import outermost_problems, parsed, split
from forensics.syntax.javascript_statements import HANDLERS as STATEMENTS
from forensics.syntax.javascript_statements import unreadable as unreadable_statement
from forensics.syntax.javascript_types import HANDLERS as TYPES
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
_TAB: Final = ord("\t")


@cache
def _tables(dialect: str) -> tuple[Grammar, Kinds, dict[int, ExpressionHandler], dict[int, StatementHandler], Query]:
    language = grammar(dialect)
    return (
        language,
        Kinds(language),
        language.handlers({**LITERALS, **EXPRESSIONS, **FUNCTIONS, **ELEMENTS}, unreadable_expression),
        language.handlers({**STATEMENTS, **MODULES, **TYPES}, unreadable_statement),
        Query(language.language, "(html_comment) @comment"),
    )


def lower_script(source: bytes, dialect: str, offset: int = 0) -> ir.Script:
    """The IR of one script in the dialect "javascript" (with JSX), "typescript" or "tsx".

    `offset` is added to every position: where an inline script stands in its page. Bytes that are not UTF-8 are read
    as U+FFFD, as Node and browsers do.
    """
    language, kinds, expressions, statements, html_comments = _tables(dialect)
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
    comments = _comments(cx, root, html_comments)
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


def _comments(cx: Lowering, root: Node, html_comments: Query) -> list[ir.Comment]:
    """All comments in order: those among statements are known, for others the tree is asked at each `//` and `/*`."""
    source, known = cx.source, cx.comments
    comments: list[ir.Comment] = []
    line, block = source.find(b"//"), source.find(b"/*")
    while line >= 0 or block >= 0:
        start = line if block < 0 or 0 <= line < block else block
        end = known.get(start, -1)
        if end < 0:
            node = root.descendant_for_byte_range(start, start + 2)
            if node is None or node.start_byte > start:
                end = start + 1
            elif node.type == "comment" and node.parent is not None and node.parent.type != "jsx_element":
                end = known[start] = node.end_byte
            else:
                # A string, a piece of a template or of text: nothing in it is a comment.
                end = start + 1 if node.child_count else max(node.end_byte, start + 1)
        if start in known:
            comments.append(ir.Comment(start, end, start == block))
        if 0 <= line < end:
            line = source.find(b"//", end)
        if 0 <= block < end:
            block = source.find(b"/*", end)
    if b"<!--" in source or b"-->" in source:
        comments += [
            ir.Comment(node.start_byte, node.end_byte, False)
            for node in QueryCursor(html_comments).captures(root).get("comment", [])
        ]
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
        elif not functions and (
            kind == "await_expression"
            or (kind == "unary_expression" and cx.source.startswith(b"await", node.start_byte))
        ):
            cx.has_top_level_await = True
        elif kind in _FUNCTIONS:
            functions += 1
        pending.extend((child, functions) for child in node.named_children)


def _style(cx: Lowering, source: bytes, offset: int, comments: list[ir.Comment]) -> dict[str, int]:
    counts = dict.fromkeys(STYLE_KEYS, 0)
    counts["quotes_single"] = cx.quotes_single
    counts["quotes_double"] = cx.quotes_double
    counts["quotes_template"] = cx.quotes_template
    counts["statements_with_semicolon"] = cx.semicolons
    counts["statements_without_semicolon"] = cx.without_semicolons
    counts["arrow_functions"] = cx.arrow_functions
    counts["function_declarations"] = cx.function_declarations
    counts["async_functions"] = cx.async_functions
    counts["try_statements"] = cx.try_statements
    counts["promise_then"] = cx.promise_then
    for written in cx.declared:
        case = _case(written)
        if case:
            counts[case] += 1
    before = 0
    for line in source.split(b"\n"):
        content = line.lstrip()
        if not content:
            continue
        if line[0] == _TAB:
            counts["indent_tab"] += 1
        width = len(line) - len(content)
        if width - before == 2:
            counts["indent_2"] += 1
        elif width - before == 4:
            counts["indent_4"] += 1
        before = width
    counts["comment_lines"], counts["code_lines"] = _line_counts(source, offset, comments)
    return counts


@lru_cache(maxsize=1 << 16)
def _case(name: str) -> str:
    """The key of STYLE_KEYS that counts this identifier; "" for single lower-case words and the like."""
    if _CAMEL.fullmatch(name):
        return "camel_case"
    if _PASCAL.fullmatch(name):
        return "pascal_case"
    if _SNAKE.fullmatch(name):
        return "snake_case"
    return "upper_case" if len(name) > 1 and _UPPER.fullmatch(name) else ""


def _line_counts(source: bytes, offset: int, comments: list[ir.Comment]) -> tuple[int, int]:
    """Lines touched by a comment, and lines with anything else than white space on them."""
    commented = 0
    last_line = -2
    pieces: list[bytes] = []
    at = 0
    for comment in comments:
        start, end = comment.start - offset, comment.end - offset
        lines = source.count(b"\n", start, end)
        first_line = source.rfind(b"\n", 0, start)
        commented += lines + (first_line != last_line)
        last_line = source.rfind(b"\n", start, end) if lines else first_line
        pieces.append(source[at:start])
        if lines:
            pieces.append(b"\n" * lines)
        at = end
    pieces.append(source[at:])
    code = b"".join(pieces).translate(None, b" \t\r\f\v").split(b"\n")
    return commented, len(code) - code.count(b"")
