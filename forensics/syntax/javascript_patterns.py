"""Lowering of patterns: what declarations, parameters and assignments bind."""

from __future__ import annotations

from tree_sitter import Node

from forensics.syntax import ir
from forensics.syntax.javascript_literals import operand, property_key
from forensics.syntax.javascript_lowering import DEPTH_LIMIT, LEVEL, SYNTAX_ERROR, Lowering, expression


def pattern(cx: Lowering, node: Node, depth: int) -> ir.Pattern:
    """A binding target: of a declaration, a parameter, a destructuring assignment."""
    kind = cx.kind_names[node.kind_id]
    start, end = node.start_byte, node.end_byte
    if kind == "identifier" or kind == "shorthand_property_identifier_pattern" or kind == "undefined":
        if start == end:
            return ir.Opaque(start, end, SYNTAX_ERROR)
        text = cx.source[start:end].decode("utf-8", "replace")
        cx.declared.append(text)
        return ir.Name(start, end, text)
    if depth > DEPTH_LIMIT:
        return cx.too_deep(node)
    inner = depth + LEVEL
    if kind == "object_pattern":
        return object_pattern(cx, node, depth)
    if kind == "array_pattern":
        return array_pattern(cx, node, depth)
    if kind == "assignment_pattern" or kind == "object_assignment_pattern":
        target, default = cx.significant(node.named_children)
        return ir.DefaultPattern(start, end, pattern(cx, target, inner), expression(cx, default, inner))
    if kind == "rest_pattern":
        return ir.RestPattern(start, end, pattern(cx, operand(cx, node), inner))
    lowered = expression(cx, node, depth)
    if isinstance(lowered, ir.Name | ir.Member | ir.Index | ir.Opaque):
        return lowered
    return ir.Opaque(start, end, SYNTAX_ERROR)


def object_pattern(cx: Lowering, node: Node, depth: int) -> ir.Pattern:
    properties: list[ir.ObjectPatternProperty] = []
    rest: ir.Pattern | None = None
    inner = depth + LEVEL + LEVEL
    for kid in cx.significant(node.named_children):
        kind = cx.kind_names[kid.kind_id]
        start, end = kid.start_byte, kid.end_byte
        if kind == "shorthand_property_identifier_pattern":
            key = ir.Const(start, end, cx.text(kid))
            properties.append(ir.ObjectPatternProperty(start, end, key, pattern(cx, kid, inner)))
        elif kind == "object_assignment_pattern":
            written = cx.significant(kid.named_children)[0]
            key = ir.Const(written.start_byte, written.end_byte, cx.text(written))
            properties.append(ir.ObjectPatternProperty(start, end, key, pattern(cx, kid, inner)))
        elif kind == "pair_pattern":
            key_node, target = cx.significant(kid.named_children)
            properties.append(
                ir.ObjectPatternProperty(start, end, property_key(cx, key_node, inner), pattern(cx, target, inner))
            )
        elif kind == "rest_pattern":
            rest = pattern(cx, operand(cx, kid), inner)
    cx.check_commas(node, len(properties))
    return ir.ObjectPattern(node.start_byte, node.end_byte, properties, rest)


def array_pattern(cx: Lowering, node: Node, depth: int) -> ir.Pattern:
    items: list[ir.Pattern | None] = []
    comma = cx.kinds.comma
    extras = cx.kinds.extras
    is_hole = True
    for kid in node.children[1:-1]:
        kind = kid.kind_id
        if kind == comma:
            if is_hole:
                items.append(None)
            is_hole = True
        elif kind not in extras:
            items.append(pattern(cx, kid, depth + LEVEL))
            is_hole = False
    return ir.ArrayPattern(node.start_byte, node.end_byte, items)


def assigned(cx: Lowering, node: Node, depth: int) -> ir.Pattern:
    """The target of an assignment: a pattern that declares nothing."""
    known = len(cx.declared)
    target = pattern(cx, node, depth)
    del cx.declared[known:]
    return target
