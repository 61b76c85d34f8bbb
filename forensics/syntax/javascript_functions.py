"""Lowering of functions, classes and object literals, whose methods are functions too."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from forensics.syntax import ir
from forensics.syntax.javascript_literals import operand, property_key
from forensics.syntax.javascript_lowering import (
    DEPTH_LIMIT,
    LEVEL,
    SYNTAX_ERROR,
    Expression,
    Lowering,
    body_with_directives,
    expression,
)
from forensics.syntax.javascript_patterns import pattern

_BARE_TYPE_PARAMETER: Final = re.compile(rb"<\s*[\w$]+\s*>")
# What follows on a new line does not continue an arrow function with a block, though the grammar calls or divides it.
_NEXT_STATEMENT: Final = re.compile(rb"[ \t\r]*(?://[^\n]*)?\n(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*(?:[(\[`+-]|/(?![/*]))")
_SPACES: Final = (b" ", b"\t", b"\n", b"\r")
_BRACE: Final = ord("{")
# Expressions that can't stand alone as a statement after a label or a brace.
_NO_STATEMENT: Final = frozenset({"function_expression", "class", "pair", "method_definition", "spread_element"})
_MODIFIERS: Final = frozenset({"accessibility_modifier", "override_modifier", "readonly"})
_ERASED_PARAMETERS: Final = frozenset({"this", "comment", "html_comment", "ERROR", "decorator"})


def function(cx: Lowering, node: Node, depth: int) -> ir.Function:
    """A function, generator or arrow function, declared or not."""
    kids = node.children
    names = cx.kind_names
    is_async = is_generator = is_arrow = is_bare = False
    written = ""
    parameters: list[ir.Pattern] = []
    body: list[ir.Statement] = []
    directives: list[str] = []
    inner = depth + LEVEL
    start, end = node.start_byte, node.end_byte
    cx.functions += 1
    for kid in kids:
        kind = names[kid.kind_id]
        if kind == "async":
            is_async = True
        elif kind == "*":
            is_generator = True
        elif kind == "=>":
            is_arrow = True
        elif kind == "formal_parameters":
            parameters, _ = formal_parameters(cx, kid, inner)
        elif kind == "statement_block":
            body, directives = body_with_directives(cx, kid.named_children, inner)
            if is_arrow and cx.parsed[end : end + 1] in _SPACES and _NEXT_STATEMENT.match(cx.parsed, end):
                cx.splits.append(end)
        elif kind == "type_parameters":
            if cx.is_tsx and _BARE_TYPE_PARAMETER.fullmatch(cx.source, kid.start_byte, kid.end_byte):
                is_bare = True
        elif is_arrow and kid.is_named:
            if kind == "object":
                body = object_as_block(cx, kid, inner)
            elif kid.kind_id not in cx.kinds.extras:
                if cx.source[kid.start_byte] == _BRACE:
                    cx.problem(kid.start_byte, kid.end_byte, "error")
                value = expression(cx, kid, inner + LEVEL)
                body = [ir.Return(kid.start_byte, kid.end_byte, value)]
        elif kind == "identifier":
            if node.type == "arrow_function":
                parameters = [pattern(cx, kid, inner)]
            else:
                written = cx.text(kid)
    cx.functions -= 1
    if is_arrow:
        cx.arrow_functions += 1
        if is_bare:
            # The grammar accepts what TypeScript and esbuild read as the start of an element.
            cx.problem(start, body[0].start if body else end, "error")
    if is_async:
        cx.async_functions += 1
    return ir.Function(start, end, written, parameters, body, is_async, is_generator, is_arrow, directives)


def formal_parameters(cx: Lowering, node: Node, depth: int) -> tuple[list[ir.Pattern], list[ir.Statement]]:
    """Parameters, and the assignments `this.x = x` that TypeScript's parameter properties stand for."""
    parameters: list[ir.Pattern] = []
    promoted: list[ir.Statement] = []
    for kid in node.named_children:
        kind = cx.kind_names[kid.kind_id]
        if kind in _ERASED_PARAMETERS:
            continue
        if kind != "required_parameter" and kind != "optional_parameter":
            parameters.append(pattern(cx, kid, depth))
            continue
        target = kid.child_by_field_name("pattern")
        if target is None or target.type == "this":
            continue
        value = kid.child_by_field_name("value")
        start, end = kid.start_byte, kid.end_byte
        if value is None:
            lowered = pattern(cx, target, depth)
        else:
            lowered = ir.DefaultPattern(
                target.start_byte,
                value.end_byte,
                pattern(cx, target, depth + LEVEL),
                expression(cx, value, depth + LEVEL),
            )
        parameters.append(lowered)
        if target.type == "identifier" and any(cx.kind_names[part.kind_id] in _MODIFIERS for part in kid.children):
            text = cx.text(target)
            at, to = target.start_byte, target.end_byte
            promoted.append(
                ir.Evaluate(
                    start,
                    end,
                    ir.Assign(start, end, "=", ir.Member(at, to, ir.This(at, to), text, False), ir.Name(at, to, text)),
                )
            )
    cx.check_commas(node, len(parameters))
    return parameters, promoted


def method(cx: Lowering, node: Node, depth: int) -> tuple[str, bool, ir.Expression, ir.Function]:
    """Kind (method, get, set), whether static, key and function of a method of an object or class."""
    names = cx.kind_names
    kind = "method"
    is_static = is_async = is_generator = False
    key: ir.Expression | None = None
    parameters: list[ir.Pattern] = []
    promoted: list[ir.Statement] = []
    body: list[ir.Statement] = []
    directives: list[str] = []
    inner = depth + LEVEL
    name_node = node.child_by_field_name("name")
    for kid in node.children:
        part = names[kid.kind_id]
        if name_node is not None and kid.start_byte < name_node.start_byte:
            if part == "static":
                is_static = True
            elif part == "async":
                is_async = True
            elif part == "*":
                is_generator = True
            elif part in ("get", "set"):
                kind = part
        elif part == "formal_parameters":
            cx.functions += 1
            parameters, promoted = formal_parameters(cx, kid, inner)
            cx.functions -= 1
        elif part == "statement_block":
            cx.functions += 1
            body, directives = body_with_directives(cx, kid.named_children, inner)
            cx.functions -= 1
    start, end = node.start_byte, node.end_byte
    key = ir.Opaque(start, start, SYNTAX_ERROR) if name_node is None else property_key(cx, name_node, depth)
    if promoted:
        first = body[0] if body else None
        after_super = (
            isinstance(first, ir.Evaluate)
            and isinstance(first.expression, ir.Call)
            and isinstance(first.expression.callee, ir.Super)
        )
        body[int(after_super) : int(after_super)] = promoted
    if is_async:
        cx.async_functions += 1
    written = key.value if isinstance(key, ir.Const) and isinstance(key.value, str) else ""
    return (
        kind,
        is_static,
        key,
        ir.Function(start, end, written, parameters, body, is_async, is_generator, False, directives),
    )


def object_(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    properties: list[ir.Property] = []
    comments = cx.kinds.comments
    names = cx.kind_names
    inner = depth + LEVEL + LEVEL
    for child in node.named_children:
        kind = child.kind_id
        start, end = child.start_byte, child.end_byte
        kind_name = names[kind]
        if kind_name == "pair":
            kids = child.named_children
            if len(kids) != 2:
                kids = cx.significant(kids)
            key = property_key(cx, kids[0], inner)
            properties.append(ir.Property(start, end, "init", key, expression(cx, kids[1], inner)))
        elif kind_name == "shorthand_property_identifier":
            text = cx.text(child)
            properties.append(ir.Property(start, end, "init", ir.Const(start, end, text), ir.Name(start, end, text)))
        elif kind_name == "method_definition":
            method_kind, _, key, function = method(cx, child, inner)
            properties.append(ir.Property(start, end, method_kind, key, function))
        elif kind_name == "spread_element":
            properties.append(ir.Property(start, end, "spread", None, expression(cx, operand(cx, child), inner)))
        elif kind not in comments:
            properties.append(ir.Property(start, end, "spread", None, ir.Opaque(start, end, SYNTAX_ERROR)))
    cx.check_commas(node, len(properties))
    return ir.Object(node.start_byte, node.end_byte, properties)


def object_as_block(cx: Lowering, node: Node, depth: int) -> list[ir.Statement]:
    """The statements of a block that the grammar reads as an object: `{a: b}` is a label where a statement begins.

    `{a: b, c: d}` and the like can't be read as a block and are noted as problems.
    """
    names = cx.kind_names
    start, end = node.start_byte, node.end_byte
    if depth > DEPTH_LIMIT:
        return [cx.too_deep(node)]
    parts = cx.significant(node.named_children)
    label: Node | None = None
    values = parts
    if parts and names[parts[0].kind_id] == "pair":
        label, value = cx.significant(parts[0].named_children)
        values = [value, *parts[1:]]
    commas = node.child_count - node.named_child_count - 2
    is_block = (
        (label is None or names[label.kind_id] == "property_identifier")
        and commas == max(0, len(parts) - 1)
        and all(names[part.kind_id] == "shorthand_property_identifier" for part in parts[1:])
        and not (values and names[values[0].kind_id] in _NO_STATEMENT)
    )
    if not is_block:
        cx.problem(start, end, "error")
        return [ir.Evaluate(start, end, expression(cx, node, depth + LEVEL))]
    if not values:
        return []
    first, last = values[0], values[-1]
    inner = depth if label is None else depth + LEVEL
    held: ir.Statement
    if len(values) == 1 and names[first.kind_id] == "object":
        held = ir.Block(first.start_byte, first.end_byte, object_as_block(cx, first, inner + LEVEL))
    elif len(values) == 1:
        held = ir.Evaluate(first.start_byte, first.end_byte, expression(cx, first, inner + LEVEL))
    else:
        lowered = [expression(cx, value, inner + 2 * LEVEL) for value in values]
        sequence = ir.Sequence(first.start_byte, last.end_byte, lowered)
        held = ir.Evaluate(first.start_byte, last.end_byte, sequence)
    if label is None:
        return [held]
    return [ir.Labelled(label.start_byte, last.end_byte, cx.text(label), [held])]


def class_(cx: Lowering, node: Node, depth: int) -> ir.Class:
    """A class expression or declaration; signatures, abstract members, index signatures and decorators vanish."""
    written = ""
    superclass: ir.Expression | None = None
    members: list[ir.ClassMember] = []
    for kid in node.named_children:
        kind = cx.kind_names[kid.kind_id]
        if kind in ("identifier", "type_identifier"):
            written = cx.text(kid)
        elif kind == "decorator":
            decorator(cx, kid, depth)
        elif kind == "class_heritage":
            superclass = heritage(cx, kid, depth + LEVEL)
        elif kind == "class_body":
            members = class_members(cx, kid, depth + LEVEL)
    return ir.Class(node.start_byte, node.end_byte, written, superclass, members)


def decorator(cx: Lowering, node: Node, depth: int) -> None:
    """Decorators are not kept, but what is wrong inside them is noted."""
    expression(cx, operand(cx, node), depth)


def heritage(cx: Lowering, node: Node, depth: int) -> ir.Expression | None:
    for kid in cx.significant(node.named_children):
        kind = cx.kind_names[kid.kind_id]
        if kind == "extends_clause":
            value = kid.child_by_field_name("value")
            return None if value is None else expression(cx, value, depth)
        if kind != "implements_clause":
            return expression(cx, kid, depth)
    return None


def class_members(cx: Lowering, node: Node, depth: int) -> list[ir.ClassMember]:
    members: list[ir.ClassMember] = []
    inner = depth + LEVEL
    for kid in node.children:
        kind = cx.kind_names[kid.kind_id]
        start, end = kid.start_byte, kid.end_byte
        if kind == "method_definition":
            method_kind, is_static, key, body = method(cx, kid, inner)
            if (
                method_kind == "method"
                and not is_static
                and isinstance(key, ir.Const)
                and key.value == "constructor"
                and not _is_computed(kid)
            ):
                method_kind = "constructor"
            members.append(ir.ClassMember(start, end, method_kind, is_static, key, body))
        elif kind == "field_definition" or kind == "public_field_definition":
            field = class_field(cx, kid, inner)
            if field is not None:
                members.append(field)
        elif kind == "decorator":
            decorator(cx, kid, inner)
        elif kind == ",":
            # The TypeScript grammar accepts commas between members.
            cx.problem(start, end, "error")
        elif kind == "class_static_block":
            cx.functions += 1
            block = kid.child_by_field_name("body")
            statements = [] if block is None else body_with_directives(cx, block.named_children, inner + LEVEL)[0]
            cx.functions -= 1
            value = ir.Function(start, end, "", [], statements, False, False, False, [])
            members.append(ir.ClassMember(start, end, "static-block", True, None, value))
    return members


def _is_computed(member: Node) -> bool:
    name_node = member.child_by_field_name("name")
    return name_node is not None and name_node.type == "computed_property_name"


def class_field(cx: Lowering, node: Node, depth: int) -> ir.ClassMember | None:
    """A field; None for TypeScript's `declare` and `abstract` ones, which are erased."""
    name_node = node.child_by_field_name("name") or node.child_by_field_name("property")
    start, end = node.start_byte, node.end_byte
    if name_node is None:
        return ir.ClassMember(start, end, "field", False, ir.Opaque(start, end, SYNTAX_ERROR), None)
    is_static = False
    for kid in node.children:
        if kid.start_byte >= name_node.start_byte:
            break
        part = cx.kind_names[kid.kind_id]
        if part in ("declare", "abstract"):
            return None
        is_static = is_static or part == "static"
    value = node.child_by_field_name("value")
    key = property_key(cx, name_node, depth)
    cx.functions += 1
    initialiser = None if value is None else expression(cx, value, depth)
    cx.functions -= 1
    return ir.ClassMember(start, end, "field", is_static, key, initialiser)


HANDLERS: Final[dict[str, Expression]] = {
    "arrow_function": function,
    "class": class_,
    "function_expression": function,
    "generator_function": function,
    "object": object_,
}
