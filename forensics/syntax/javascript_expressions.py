"""Lowering of JavaScript, TypeScript and JSX expressions, functions, classes and patterns.

Each handler takes the state, the node and the depth at which its record will stand (half levels, see
javascript_lowering.py).
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from forensics.syntax import ir
from forensics.syntax.javascript_lowering import (
    DEPTH_LIMIT,
    LEVEL,
    LINK,
    SYNTAX_ERROR,
    Expression,
    Lowering,
    body_with_directives,
    expression,
)
from forensics.syntax.literals import (
    bigint_digits,
    cooked,
    cooked_template,
    jsx_text,
    number_value,
    with_entities_decoded,
)

_BARE_TYPE_PARAMETER: Final = re.compile(rb"<\s*[\w$]+\s*>")
# What follows on a new line does not continue an arrow function with a block, though the grammar calls or divides it.
_NEXT_STATEMENT: Final = re.compile(rb"[ \t\r]*(?://[^\n]*)?\n(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*(?:[(\[`+-]|/(?![/*]))")
_SPACES: Final = (b" ", b"\t", b"\n", b"\r")
_MODIFIERS: Final = frozenset({"accessibility_modifier", "override_modifier", "readonly"})
_ERASED_PARAMETERS: Final = frozenset({"this", "comment", "html_comment", "ERROR", "decorator"})


def unreadable(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    return ir.Opaque(node.start_byte, node.end_byte, SYNTAX_ERROR)


# ------------------------------------------------------------------- literals


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


# --------------------------------------------------------- chains and operators


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


# ------------------------------------------------------------------------ JSX


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


# ------------------------------------------------------------------- patterns


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


# ------------------------------------------------------- functions and classes


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
            if kid.kind_id not in cx.kinds.extras:
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
    for kid in node.named_children:
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
    "array": array,
    "arrow_function": function,
    "as_expression": wrapped,
    "assignment_expression": assign,
    "augmented_assignment_expression": assign,
    "await_expression": await_,
    "binary_expression": binary,
    "call_expression": call,
    "class": class_,
    "false": false,
    "function_expression": function,
    "generator_function": function,
    "identifier": name,
    "instantiation_expression": wrapped,
    "jsx_element": jsx_element,
    "jsx_self_closing_element": jsx_self_closing,
    "member_expression": member,
    "meta_property": meta_property,
    "new_expression": new,
    "non_null_expression": wrapped,
    "null": null,
    "number": number,
    "object": object_,
    "parenthesized_expression": wrapped,
    "private_property_identifier": name,
    "property_identifier": name,
    "regex": regex,
    "satisfies_expression": wrapped,
    "sequence_expression": sequence,
    "spread_element": spread,
    "string": string,
    "subscript_expression": subscript,
    "super": super_,
    "template_string": template,
    "ternary_expression": conditional,
    "this": this,
    "true": true,
    "type_assertion": wrapped,
    "unary_expression": unary,
    "undefined": name,
    "update_expression": update,
    "yield_expression": yield_,
}
