"""Lowering of the other statements.

Each handler appends the records of its node to the list it is given: a declaration gives one for each declarator,
an empty statement none.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from forensics.syntax import ir
from forensics.syntax.javascript_functions import class_, function, object_as_block
from forensics.syntax.javascript_literals import operand
from forensics.syntax.javascript_lowering import (
    DEPTH_LIMIT,
    LEVEL,
    SYNTAX_ERROR,
    Lowering,
    Statement,
    expression,
    statement_list,
)
from forensics.syntax.javascript_modules import HANDLERS as MODULES
from forensics.syntax.javascript_patterns import assigned, pattern
from forensics.syntax.javascript_types import HANDLERS as TYPES
from forensics.syntax.javascript_types import namespace

# What no expression statement begins with.
_NO_EXPRESSION: Final = re.compile(rb"\{|(?:function|class|async\s+function)\b")
_OPENERS: Final = frozenset(b"{fca")
_LONELY_WORDS: Final = frozenset({"export", "import", "const", "function", "class", "if", "for", "while", "return"})
_AWAIT_BEFORE: Final = re.compile(rb"\bawait\s+\Z")
_NO_BODY: Final = frozenset({"lexical_declaration", "using_declaration", "class_declaration"})
_VALUE_NAMES: Final = frozenset({"type_annotation", "comment", "html_comment", "!", "ERROR"})


def nothing(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    """Empty and debugger statements."""


def comment(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    cx.comments[node.start_byte] = node.end_byte


def unreadable(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    """An error among statements: said once, then whatever statements can be read inside it."""
    start, end = node.start_byte, node.end_byte
    out.append(ir.Opaque(start, end, SYNTAX_ERROR))
    if node.is_error and depth <= DEPTH_LIMIT:
        names = cx.kind_names
        inside = [kid for kid in node.named_children if names[kid.kind_id] in _STATEMENTS]
        if inside:
            out.extend(statement_list(cx, inside, depth + LEVEL))


def evaluate(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    kids = node.named_children
    end = node.end_byte
    if len(kids) != 1:
        if kids[-1].kind_id in cx.kinds.comments:
            # A comment before the end of the line is inside the statement where no semicolon ends it.
            end = cx.significant(node.children)[-1].end_byte
        kids = cx.significant(kids)
    held = kids[0]
    if cx.kind_names[held.kind_id] == "internal_module":
        namespace(cx, held, depth, out)
        return
    start = node.start_byte
    if cx.source[start] in _OPENERS and _NO_EXPRESSION.match(cx.source, start):
        if cx.kind_names[held.kind_id] == "object":
            out.append(ir.Block(start, held.end_byte, object_as_block(cx, held, depth + LEVEL)))
            return
        # Where a function or block would have ended, the grammar went on.
        cx.problem(start, end, "error")
    if held.kind_id == cx.identifier and cx.text(held) in _LONELY_WORDS:
        # The TypeScript grammar reads the word alone as a name.
        cx.problem(start, end, "error")
    out.append(ir.Evaluate(start, end, expression(cx, held, depth + LEVEL)))


def declare(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    names = cx.kind_names
    kids = node.children
    kind = names[kids[0].kind_id]
    start = node.start_byte
    is_awaited = kind == "await"
    if is_awaited:
        kind = names[kids[1].kind_id]
    elif kind == "const" and cx.source.startswith(b"using", start):
        # The TypeScript grammar has no `using`; it was masked for parsing (javascript_repairs).
        kind = "using"
        is_awaited = _AWAIT_BEFORE.search(cx.source, max(0, start - 40), start) is not None
    if is_awaited and not cx.functions:
        cx.has_top_level_await = True
    out.extend(declarator(cx, kid, kind, depth) for kid in kids if names[kid.kind_id] == "variable_declarator")


def declarator(cx: Lowering, node: Node, kind: str, depth: int) -> ir.Declare:
    kids = node.named_children
    value: ir.Expression | None = None
    if len(kids) > 1:
        last = kids[-1]
        if cx.kind_names[last.kind_id] in _VALUE_NAMES:
            kids = [kid for kid in kids if cx.kind_names[kid.kind_id] not in _VALUE_NAMES]
            last = kids[-1]
        if len(kids) > 1:
            value = expression(cx, last, depth + LEVEL)
    return ir.Declare(node.start_byte, node.end_byte, kind, pattern(cx, kids[0], depth + LEVEL), value)


def declare_function(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    cx.function_declarations += 1
    lowered = function(cx, node, depth + LEVEL)
    cx.declared.append(lowered.name)
    out.append(ir.FunctionDeclaration(node.start_byte, node.end_byte, lowered))


def declare_class(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    lowered = class_(cx, node, depth + LEVEL)
    cx.declared.append(lowered.name)
    out.append(ir.ClassDeclaration(node.start_byte, node.end_byte, lowered))


def return_(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    kids = cx.significant(node.named_children)
    value = expression(cx, kids[0], depth + LEVEL) if kids else None
    out.append(ir.Return(node.start_byte, node.end_byte, value))


def throw(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    out.append(ir.Throw(node.start_byte, node.end_byte, expression(cx, operand(cx, node), depth + LEVEL)))


def inner_body(cx: Lowering, node: Node | None, depth: int) -> list[ir.Statement]:
    """The statements under an `if`, a loop and so on: a block's, or the single one."""
    if node is None:
        return []
    if cx.kind_names[node.kind_id] == "statement_block":
        return statement_list(cx, node.named_children, depth)
    if cx.kind_names[node.kind_id] in _NO_BODY:
        # The grammar accepts `if (a) const b = 1`, whose name nobody could use.
        cx.problem(node.start_byte, node.end_byte, "error")
    return statement_list(cx, [node], depth)


def if_(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    kids = cx.significant(node.named_children)
    inner = depth + LEVEL
    test = expression(cx, kids[0], inner)
    consequent = inner_body(cx, kids[1], inner) if len(kids) > 1 else []
    alternate: list[ir.Statement] = []
    if len(kids) > 2:
        alternate = inner_body(cx, operand(cx, kids[2]), inner)
    out.append(ir.If(node.start_byte, node.end_byte, test, consequent, alternate))


def for_(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    inner = depth + LEVEL
    init: list[ir.Statement] = []
    first = node.child_by_field_name("initializer")
    if first is not None:
        if cx.kind_names[first.kind_id] in HANDLERS:
            cx.statements[first.kind_id](cx, first, inner, init)
        else:
            init.append(ir.Evaluate(first.start_byte, first.end_byte, expression(cx, first, inner + LEVEL)))
    test_node = node.child_by_field_name("condition")
    test: ir.Expression | None = None
    if test_node is not None and cx.kind_names[test_node.kind_id] not in ("empty_statement", ";"):
        if cx.kind_names[test_node.kind_id] == "expression_statement":
            test_node = operand(cx, test_node)
        test = expression(cx, test_node, inner)
    step = node.child_by_field_name("increment")
    out.append(
        ir.For(
            node.start_byte,
            node.end_byte,
            init,
            test,
            None if step is None else expression(cx, step, inner),
            inner_body(cx, node.child_by_field_name("body"), inner),
        )
    )


def for_each(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    inner = depth + LEVEL
    names = cx.kind_names
    kind = node.child_by_field_name("kind")
    declares = "" if kind is None else names[kind.kind_id]
    if declares in ("using", "await"):
        # For the loop's body a `using` variable is a constant.
        declares = "const"
    elif kind is not None and declares == "var" and cx.source.startswith(b"let", kind.start_byte):
        # Masked for parsing (javascript_repairs).
        declares = "let"
    left = node.child_by_field_name("left")
    right = node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    is_async = any(names[kid.kind_id] == "await" for kid in node.children[1:2])
    if is_async and not cx.functions:
        cx.has_top_level_await = True
    start, end = node.start_byte, node.end_byte
    target: ir.Pattern
    if left is None:
        target = ir.Opaque(start, end, SYNTAX_ERROR)
    else:
        target = pattern(cx, left, inner) if declares else assigned(cx, left, inner)
    out.append(
        ir.ForEach(
            start,
            end,
            declares,
            target,
            ir.Opaque(start, end, SYNTAX_ERROR) if right is None else expression(cx, right, inner),
            operator is not None and names[operator.kind_id] == "in",
            is_async,
            inner_body(cx, node.child_by_field_name("body"), inner),
        )
    )


def while_(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    inner = depth + LEVEL
    test = node.child_by_field_name("condition")
    start, end = node.start_byte, node.end_byte
    out.append(
        ir.While(
            start,
            end,
            ir.Opaque(start, end, SYNTAX_ERROR) if test is None else expression(cx, test, inner),
            inner_body(cx, node.child_by_field_name("body"), inner),
            cx.kind_names[node.kind_id] == "do_statement",
        )
    )


def try_(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    cx.try_statements += 1
    inner = depth + LEVEL
    block = inner_body(cx, node.child_by_field_name("body"), inner)
    parameter: ir.Pattern | None = None
    handler: list[ir.Statement] | None = None
    clause = node.child_by_field_name("handler")
    if clause is not None:
        bound = clause.child_by_field_name("parameter")
        parameter = None if bound is None else pattern(cx, bound, inner)
        handler = inner_body(cx, clause.child_by_field_name("body"), inner)
    last = node.child_by_field_name("finalizer")
    if clause is None and last is None:
        # The grammar wants neither.
        cx.problem(node.end_byte, node.end_byte, "missing")
    finalizer = [] if last is None else inner_body(cx, last.child_by_field_name("body"), inner)
    out.append(ir.Try(node.start_byte, node.end_byte, block, parameter, handler, finalizer))


def switch(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    inner = depth + LEVEL
    value = node.child_by_field_name("value")
    body = node.child_by_field_name("body")
    start, end = node.start_byte, node.end_byte
    cases: list[ir.Case] = []
    for kid in [] if body is None else cx.significant(body.named_children):
        test: ir.Expression | None = None
        held = kid.named_children
        if cx.kind_names[kid.kind_id] == "switch_case":
            test_node = operand(cx, kid)
            test = expression(cx, test_node, inner + LEVEL)
            held = [other for other in held if other.start_byte >= test_node.end_byte]
        cases.append(ir.Case(kid.start_byte, kid.end_byte, test, statement_list(cx, held, inner + LEVEL)))
    out.append(
        ir.Switch(
            start, end, ir.Opaque(start, end, SYNTAX_ERROR) if value is None else expression(cx, value, inner), cases
        )
    )


def block(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    out.append(ir.Block(node.start_byte, node.end_byte, statement_list(cx, node.named_children, depth + LEVEL)))


def label_text(cx: Lowering, node: Node) -> str:
    label = node.child_by_field_name("label")
    return "" if label is None else cx.text(label)


def break_(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    out.append(ir.Break(node.start_byte, node.end_byte, label_text(cx, node)))


def continue_(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    out.append(ir.Continue(node.start_byte, node.end_byte, label_text(cx, node)))


def labelled(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    body = node.child_by_field_name("body")
    held = [] if body is None else statement_list(cx, [body], depth + LEVEL)
    out.append(ir.Labelled(node.start_byte, node.end_byte, label_text(cx, node), held))


def with_(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    """Names under `with` may be properties of its object, so only the object is read."""
    subject = node.child_by_field_name("object")
    if subject is not None:
        out.append(ir.Evaluate(subject.start_byte, subject.end_byte, expression(cx, subject, depth + LEVEL)))
    out.append(ir.Opaque(node.start_byte, node.end_byte, "with statement"))


HANDLERS: Final[dict[str, Statement]] = {
    "abstract_class_declaration": declare_class,
    "break_statement": break_,
    "class_declaration": declare_class,
    "comment": comment,
    "continue_statement": continue_,
    "debugger_statement": nothing,
    "do_statement": while_,
    "empty_statement": nothing,
    "expression_statement": evaluate,
    "for_in_statement": for_each,
    "for_statement": for_,
    "function_declaration": declare_function,
    "generator_function_declaration": declare_function,
    "hash_bang_line": nothing,
    "html_comment": nothing,
    "if_statement": if_,
    "labeled_statement": labelled,
    "lexical_declaration": declare,
    "return_statement": return_,
    "statement_block": block,
    "switch_statement": switch,
    "throw_statement": throw,
    "try_statement": try_,
    "using_declaration": declare,
    "variable_declaration": declare,
    "while_statement": while_,
    "with_statement": with_,
}

_STATEMENTS: Final = frozenset({*HANDLERS, *MODULES, *TYPES})
