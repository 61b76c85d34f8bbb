"""Lowering of literals and names, and what several kinds of nodes have in common: keys and operands."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from forensics.syntax import ir
from forensics.syntax.javascript_lowering import LEVEL, SYNTAX_ERROR, Expression, Lowering, expression
from forensics.syntax.literals import bigint_digits, cooked, cooked_template, number_value


def name(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    return ir.Name(node.start_byte, node.end_byte, cx.text(node))


def string(cx: Lowering, node: Node, depth: int) -> ir.Const:
    start, end = node.start_byte, node.end_byte
    raw = cx.source[start:end]
    if raw[:1] == b"'":
        cx.quotes_single += 1
    else:
        cx.quotes_double += 1
    return ir.Const(start, end, cooked(raw[1:-1].decode("utf-8", "replace")))


def number(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    start, end = node.start_byte, node.end_byte
    text = cx.source[start:end].decode("utf-8", "replace")
    try:
        if text.endswith("n"):
            return ir.BigInt(start, end, bigint_digits(text))
        return ir.Const(start, end, number_value(text))
    except ValueError:
        return ir.Opaque(start, end, SYNTAX_ERROR)


def true(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    return ir.Const(node.start_byte, node.end_byte, True)


def false(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    return ir.Const(node.start_byte, node.end_byte, False)


def null(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    return ir.Const(node.start_byte, node.end_byte, None)


def this(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    return ir.This(node.start_byte, node.end_byte)


def super_(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    return ir.Super(node.start_byte, node.end_byte)


def regex(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    text = cx.text(node)
    close = text.rfind("/")
    return ir.Regex(node.start_byte, node.end_byte, text[1:close], text[close + 1 :])


def template(cx: Lowering, node: Node, depth: int) -> ir.Template:
    cx.quotes_template += 1
    start, end = node.start_byte, node.end_byte
    source = cx.source
    parts: list[ir.Expression] = []
    at = start + 1
    for child in node.named_children:
        if cx.kind_names[child.kind_id] != "template_substitution":
            continue
        if child.start_byte > at:
            raw = source[at : child.start_byte].decode("utf-8", "replace")
            parts.append(ir.Const(at, child.start_byte, cooked_template(raw)))
        at = child.end_byte
        inner = cx.significant(child.named_children)
        if inner:
            parts.append(expression(cx, inner[0], depth + LEVEL))
        else:
            parts.append(ir.Opaque(child.start_byte, at, SYNTAX_ERROR))
    last = end - 1 if source[end - 1 : end] == b"`" and end - 1 > start else end
    if last > at:
        parts.append(ir.Const(at, last, cooked_template(source[at:last].decode("utf-8", "replace"))))
    return ir.Template(start, end, parts)


def property_key(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    """The key of an object's or a class's member: Const unless computed."""
    kind = cx.kind_names[node.kind_id]
    start, end = node.start_byte, node.end_byte
    if kind in ("property_identifier", "private_property_identifier", "identifier"):
        return ir.Const(start, end, cx.source[start:end].decode("utf-8", "replace"))
    if kind == "computed_property_name":
        return expression(cx, operand(cx, node), depth)
    if kind == "string":
        return string(cx, node, depth)
    if kind == "number":
        value = number(cx, node, depth)
        return ir.Const(start, end, value.digits) if isinstance(value, ir.BigInt) else value
    return ir.Opaque(start, end, SYNTAX_ERROR)


def operand(cx: Lowering, node: Node) -> Node:
    """The first named child that is neither comment nor error."""
    kids = node.named_children
    return kids[0] if len(kids) == 1 else cx.significant(kids)[0]


def module_name(cx: Lowering, node: Node) -> str:
    """An imported or exported name: an identifier or (ES2022) a string."""
    if cx.kind_names[node.kind_id] == "string":
        value = string(cx, node, 0).value
        return value if isinstance(value, str) else ""
    return cx.text(node)


HANDLERS: Final[dict[str, Expression]] = {
    "false": false,
    "identifier": name,
    "null": null,
    "number": number,
    "private_property_identifier": name,
    "property_identifier": name,
    "regex": regex,
    "shorthand_property_identifier": name,
    "string": string,
    "super": super_,
    "template_string": template,
    "this": this,
    "true": true,
    "undefined": name,
}
