"""Lowering of the other expressions: chains of accesses and calls, operators, arrays.

Each handler takes the state, the node and the depth at which its record will stand (half levels, see
javascript_lowering.py).
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from forensics.syntax import ir
from forensics.syntax.javascript_literals import operand, template
from forensics.syntax.javascript_lowering import LEVEL, LINK, SYNTAX_ERROR, Expression, Lowering, expression
from forensics.syntax.javascript_patterns import assigned


def unreadable(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    return ir.Opaque(node.start_byte, node.end_byte, SYNTAX_ERROR)


def array(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    items: list[ir.Expression | None] = []
    comma = cx.kinds.comma
    comments = cx.kinds.comments
    is_hole = True
    for child in node.children[1:-1]:
        kind = child.kind_id
        if kind == comma:
            if is_hole:
                items.append(None)
            is_hole = True
        elif kind not in comments:
            items.append(expression(cx, child, depth + LEVEL))
            is_hole = False
    return ir.Array(node.start_byte, node.end_byte, items)


def member(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    kids = node.children
    if len(kids) != 3:
        kids = cx.significant(kids)
    target, dot, name_node = kids
    written = cx.source[name_node.start_byte : name_node.end_byte].decode("utf-8", "replace")
    if written == "then":
        cx.promise_then += 1
    return ir.Member(
        node.start_byte,
        node.end_byte,
        expression(cx, target, depth + LINK),
        written,
        dot.kind_id in cx.kinds.optional_chain,
    )


def subscript(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    kids = node.children
    optional = False
    if len(kids) != 4:
        kids = cx.significant(kids)
        optional = kids[1].kind_id in cx.kinds.optional_chain
    return ir.Index(
        node.start_byte,
        node.end_byte,
        expression(cx, kids[0], depth + LINK),
        expression(cx, kids[-2], depth + LEVEL),
        optional,
    )


def call(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    kids = node.children
    optional = False
    if len(kids) != 2:
        kids = cx.significant(kids)
        chain = cx.kinds.optional_chain
        optional = any(kid.kind_id in chain for kid in kids)
    callee, given = kids[0], kids[-1]
    start, end = node.start_byte, node.end_byte
    if given.kind_id == cx.kinds.template_string:
        return ir.Tagged(start, end, expression(cx, callee, depth + LINK), template(cx, given, depth + LEVEL))
    if callee.kind_id == cx.kinds.import_word:
        values = arguments(cx, given, depth + LEVEL)
        specifier = values[0] if values else ir.Opaque(start, end, SYNTAX_ERROR)
        return ir.DynamicImport(start, end, specifier)
    return ir.Call(start, end, expression(cx, callee, depth + LINK), arguments(cx, given, depth + LEVEL), optional)


def arguments(cx: Lowering, node: Node, depth: int) -> list[ir.Expression]:
    values: list[ir.Expression] = []
    comma = cx.kinds.comma
    comments = cx.kinds.comments
    is_empty = True
    for kid in node.children[1:-1]:
        kind = kid.kind_id
        if kind == comma:
            if is_empty:
                # The grammar accepts a comma with nothing before it.
                cx.problem(kid.start_byte, kid.end_byte, "error")
            is_empty = True
        elif kind not in comments:
            values.append(expression(cx, kid, depth))
            is_empty = False
    return values


def new(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    callee = node.child_by_field_name("constructor")
    given = node.child_by_field_name("arguments")
    start, end = node.start_byte, node.end_byte
    return ir.New(
        start,
        end,
        ir.Opaque(start, end, SYNTAX_ERROR) if callee is None else expression(cx, callee, depth + LEVEL),
        [] if given is None else arguments(cx, given, depth + LEVEL),
    )


def wrapped(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    """Parentheses and TypeScript's assertions stand for the expression inside, however many there are."""
    kinds = cx.kinds
    wrappers = kinds.wrappers
    kind = node.kind_id
    while kind in wrappers:
        kids = node.named_children
        if len(kids) != 1:
            kids = cx.significant(kids)
        if not kids:
            return ir.Opaque(node.start_byte, node.end_byte, SYNTAX_ERROR)
        if len(kids) > 1 and cx.kind_names[kids[1].kind_id] == "type_annotation":
            # The grammar accepts `(a: T)` where only the parameters of an arrow function may be meant.
            cx.problem(node.start_byte, node.end_byte, "error")
        node = kids[-1] if kind == kinds.type_assertion else kids[0]
        kind = node.kind_id
    return expression(cx, node, depth)


def binary(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    """A chain of one left-associative operator as one record, however long."""
    kids = node.children
    if len(kids) != 3:
        kids = cx.significant(kids)
    left, operator_node, right = kids
    operator_kind = operator_node.kind_id
    operator = cx.kind_names[operator_kind]
    operands = [right]
    if operator != "**":
        is_binary, parenthesised = cx.kinds.binary, cx.kinds.parenthesised
        while True:
            inner_left = left
            while inner_left.kind_id == parenthesised:
                inner_left = operand(cx, inner_left)
            if inner_left.kind_id != is_binary:
                break
            kids = inner_left.children
            if len(kids) != 3:
                kids = cx.significant(kids)
            if kids[1].kind_id != operator_kind:
                break
            left = kids[0]
            operands.append(kids[2])
    operands.append(left)
    operands.reverse()
    inner = depth + LEVEL
    lowered = [expression(cx, kid, inner) for kid in operands]
    if operator in ("&&", "||", "??"):
        return ir.Logical(node.start_byte, node.end_byte, operator, lowered)
    return ir.Binary(node.start_byte, node.end_byte, operator, lowered)


def unary(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    operator, *_, value = node.children
    start, end = node.start_byte, node.end_byte
    word = cx.kind_names[operator.kind_id]
    if word == "void" and cx.source.startswith(b"await", start):
        # Masked for parsing (javascript_repairs).
        if not cx.functions:
            cx.has_top_level_await = True
        return ir.Await(start, end, expression(cx, value, depth + LEVEL))
    return ir.Unary(start, end, word, expression(cx, value, depth + LEVEL))


def update(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    first, *_, last = node.children
    prefix = not first.is_named
    operator, value = (first, last) if prefix else (last, first)
    return ir.Update(
        node.start_byte,
        node.end_byte,
        cx.kind_names[operator.kind_id],
        prefix,
        expression(cx, value, depth + LEVEL),
    )


def conditional(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    kids = node.named_children
    if len(kids) != 3:
        kids = cx.significant(kids)
    test, consequent, alternate = kids
    inner = depth + LEVEL
    return ir.Conditional(
        node.start_byte,
        node.end_byte,
        expression(cx, test, inner),
        expression(cx, consequent, inner),
        expression(cx, alternate, inner),
    )


def assign(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    kids = node.children
    if len(kids) != 3:
        kids = cx.significant(kids)
    # The TypeScript grammar lets a word `using` stand before the target.
    target, operator, value = kids[-3:]
    inner = depth + LEVEL
    return ir.Assign(
        node.start_byte,
        node.end_byte,
        cx.kind_names[operator.kind_id],
        assigned(cx, target, inner),
        expression(cx, value, inner),
    )


def sequence(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    items = [node]
    flat: list[Node] = []
    while items:
        item = items.pop()
        if item.kind_id == node.kind_id:
            items.extend(reversed(cx.significant(item.named_children)))
        else:
            flat.append(item)
    return ir.Sequence(node.start_byte, node.end_byte, [expression(cx, kid, depth + LEVEL) for kid in flat])


def spread(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    return ir.Spread(node.start_byte, node.end_byte, expression(cx, operand(cx, node), depth + LEVEL))


def await_(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    if not cx.functions:
        cx.has_top_level_await = True
    return ir.Await(node.start_byte, node.end_byte, expression(cx, operand(cx, node), depth + LEVEL))


def yield_(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    kids = cx.significant(node.children)
    value = kids[-1] if kids[-1].is_named else None
    return ir.Yield(
        node.start_byte,
        node.end_byte,
        None if value is None else expression(cx, value, depth + LEVEL),
        any(cx.kind_names[kid.kind_id] == "*" for kid in kids),
    )


def meta_property(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    if cx.source.startswith(b"import", node.start_byte):
        cx.has_module_syntax = True
        return ir.ImportMeta(node.start_byte, node.end_byte)
    return ir.NewTarget(node.start_byte, node.end_byte)


HANDLERS: Final[dict[str, Expression]] = {
    "array": array,
    "as_expression": wrapped,
    "assignment_expression": assign,
    "augmented_assignment_expression": assign,
    "await_expression": await_,
    "binary_expression": binary,
    "call_expression": call,
    "instantiation_expression": wrapped,
    "member_expression": member,
    "meta_property": meta_property,
    "new_expression": new,
    "non_null_expression": wrapped,
    "parenthesized_expression": wrapped,
    "satisfies_expression": wrapped,
    "sequence_expression": sequence,
    "spread_element": spread,
    "subscript_expression": subscript,
    "ternary_expression": conditional,
    "type_assertion": wrapped,
    "unary_expression": unary,
    "update_expression": update,
    "yield_expression": yield_,
}
