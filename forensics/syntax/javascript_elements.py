"""Lowering of JSX elements."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from forensics.syntax import ir
from forensics.syntax.javascript_literals import operand
from forensics.syntax.javascript_lowering import (
    DEPTH_LIMIT,
    LEVEL,
    LINK,
    SYNTAX_ERROR,
    Expression,
    Lowering,
    expression,
)
from forensics.syntax.literals import jsx_text, with_entities_decoded


def jsx_element(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    kids = node.named_children
    opening, closing = kids[0], kids[-1]
    element, attributes = jsx_opening(cx, opening, depth)
    if not node.has_error:
        check_closing(cx, opening, closing)
    children: list[ir.Expression] = []
    at = opening.end_byte
    inner = depth + LEVEL
    for kid in kids[1:-1]:
        kind = cx.kind_names[kid.kind_id]
        if kind not in ("jsx_element", "jsx_self_closing_element", "jsx_expression"):
            continue
        jsx_string(cx, at, kid.start_byte, children)
        at = kid.end_byte
        if kind == "jsx_expression":
            held = cx.significant(kid.named_children)
            if held:
                children.append(expression(cx, held[0], inner))
        else:
            children.append(expression(cx, kid, inner))
    jsx_string(cx, at, closing.start_byte, children)
    return ir.Jsx(node.start_byte, node.end_byte, element, attributes, children)


def check_closing(cx: Lowering, opening: Node, closing: Node) -> None:
    """Notes a closing tag of another name, which the grammar accepts."""
    opened, closed = opening.child_by_field_name("name"), closing.child_by_field_name("name")
    if opened is None and closed is None:
        return
    if opened is None or closed is None or "".join(cx.text(opened).split()) != "".join(cx.text(closed).split()):
        cx.problem(closing.start_byte, closing.end_byte, "error")


def jsx_string(cx: Lowering, start: int, end: int, children: list[ir.Expression]) -> None:
    """Adds the text between two children, unless it folds to nothing."""
    if start >= end:
        return
    text = jsx_text(cx.source[start:end].decode("utf-8", "replace"))
    if text:
        children.append(ir.Const(start, end, text))


def jsx_self_closing(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    element, attributes = jsx_opening(cx, node, depth)
    return ir.Jsx(node.start_byte, node.end_byte, element, attributes, [])


def jsx_opening(cx: Lowering, node: Node, depth: int) -> tuple[ir.Expression | None, list[ir.JsxAttribute]]:
    """The element (None for a fragment) and the attributes of an opening or self-closing tag."""
    element: ir.Expression | None = None
    attributes: list[ir.JsxAttribute] = []
    inner = depth + LEVEL
    for position, kid in enumerate(cx.significant(node.named_children)):
        kind = cx.kind_names[kid.kind_id]
        start, end = kid.start_byte, kid.end_byte
        if kind == "jsx_attribute":
            attributes.append(jsx_attribute(cx, kid, inner))
        elif kind == "jsx_expression":
            held = cx.significant(kid.named_children)
            if held and cx.kind_names[held[0].kind_id] == "spread_element":
                value = expression(cx, operand(cx, held[0]), inner + LEVEL)
                attributes.append(ir.JsxAttribute(start, end, "...", value))
            else:
                # The grammar accepts `a{b}` where `a={b}` is meant.
                cx.problem(start, end, "error")
        elif position == 0:
            element = jsx_name(cx, kid, inner)
    return element, attributes


def jsx_name(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    kind = cx.kind_names[node.kind_id]
    start, end = node.start_byte, node.end_byte
    text = cx.text(node)
    if kind == "jsx_namespace_name":
        return ir.Const(start, end, "".join(text.split()))
    if kind in ("member_expression", "nested_identifier"):
        target, *_, last = cx.significant(node.named_children)
        return ir.Member(start, end, jsx_component(cx, target, depth + LINK), cx.text(last), False)
    if (text[:1].islower() and text[:1].isascii()) or "-" in text:
        return ir.Const(start, end, text)
    return ir.Name(start, end, text)


def jsx_component(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    if depth > DEPTH_LIMIT:
        return cx.too_deep(node)
    kind = cx.kind_names[node.kind_id]
    if kind in ("member_expression", "nested_identifier"):
        target, *_, last = cx.significant(node.named_children)
        return ir.Member(node.start_byte, node.end_byte, jsx_component(cx, target, depth + LINK), cx.text(last), False)
    text = cx.text(node)
    if text == "this":
        return ir.This(node.start_byte, node.end_byte)
    return ir.Name(node.start_byte, node.end_byte, text)


def jsx_attribute(cx: Lowering, node: Node, depth: int) -> ir.JsxAttribute:
    start, end = node.start_byte, node.end_byte
    name_node, *values = cx.significant(node.named_children)
    attribute = "".join(cx.text(name_node).split())
    if not values:
        return ir.JsxAttribute(start, end, attribute, ir.Const(start, end, True))
    value = values[0]
    kind = cx.kind_names[value.kind_id]
    value_start, value_end = value.start_byte, value.end_byte
    lowered: ir.Expression
    if kind == "string":
        raw = cx.source[value_start + 1 : value_end - 1].decode("utf-8", "replace")
        lowered = ir.Const(value_start, value_end, with_entities_decoded(raw))
    elif kind == "jsx_expression":
        held = cx.significant(value.named_children)
        if held:
            lowered = expression(cx, held[0], depth + LEVEL)
        else:
            # The grammar accepts an empty container, which only children may be.
            lowered = ir.Opaque(value_start, value_end, SYNTAX_ERROR)
            cx.problem(value_start, value_end, "error")
    else:
        lowered = expression(cx, value, depth + LEVEL)
    return ir.JsxAttribute(start, end, attribute, lowered)


HANDLERS: Final[dict[str, Expression]] = {
    "jsx_element": jsx_element,
    "jsx_self_closing_element": jsx_self_closing,
}
