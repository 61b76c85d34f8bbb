"""Lowering of imports and exports."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from forensics.syntax import ir
from forensics.syntax.javascript_functions import class_, decorator, function
from forensics.syntax.javascript_literals import module_name, operand, property_key, string
from forensics.syntax.javascript_lowering import DEPTH_LIMIT, LEVEL, Lowering, Statement, expression
from forensics.syntax.javascript_patterns import pattern
from forensics.syntax.javascript_types import TYPE_KINDS, declared_name

_DECLARATIONS: Final = frozenset(
    {
        "lexical_declaration",
        "variable_declaration",
        "function_declaration",
        "generator_function_declaration",
        "class_declaration",
        "abstract_class_declaration",
        "enum_declaration",
        "internal_module",
        "module",
        "import_alias",
        *TYPE_KINDS,
    }
)
_EXPORT_TYPE: Final = re.compile(rb"export\s+type\s+\*")
_NO_DEFAULT: Final = frozenset({"lexical_declaration", "variable_declaration", "enum_declaration"})


def specifier(cx: Lowering, node: Node | None) -> tuple[str, int, int]:
    """The module specifier with its span, quotes included; "" where it is missing."""
    if node is None:
        return "", 0, 0
    value = string(cx, node, 0).value
    return (value if isinstance(value, str) else ""), node.start_byte, node.end_byte


def import_(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    names = cx.kind_names
    start, end = node.start_byte, node.end_byte
    bindings: list[ir.ImportBinding] = []
    attributes: list[tuple[str, str]] = []
    type_only = False
    form = "import"
    source = node.child_by_field_name("source")
    for kid in node.children:
        kind = names[kid.kind_id]
        if kind in ("type", "typeof"):
            type_only = True
        elif kind == "import_clause":
            bindings = import_bindings(cx, kid)
        elif kind == "import_require_clause":
            form = "require"
            source = kid.child_by_field_name("source")
            local = operand_named(cx, kid, "identifier")
            if local is not None:
                bindings = [
                    ir.ImportBinding(local.start_byte, local.end_byte, "*", cx.text(local)),
                ]
        elif kind == "import_attribute":
            attributes = import_attributes(cx, kid)
    if form == "import":
        cx.has_module_syntax = True
    text, at, to = specifier(cx, source)
    cx.declared.extend(binding.local for binding in bindings)
    out.append(ir.Import(start, end, text, bindings, type_only, form, attributes, at, to))


def operand_named(cx: Lowering, node: Node, kind: str) -> Node | None:
    """The first child of that kind."""
    return next((kid for kid in node.named_children if cx.kind_names[kid.kind_id] == kind), None)


def import_bindings(cx: Lowering, clause: Node) -> list[ir.ImportBinding]:
    names = cx.kind_names
    bindings: list[ir.ImportBinding] = []
    for kid in clause.named_children:
        kind = names[kid.kind_id]
        if kind == "identifier":
            bindings.append(ir.ImportBinding(kid.start_byte, kid.end_byte, "default", cx.text(kid)))
        elif kind == "namespace_import":
            local = operand(cx, kid)
            bindings.append(ir.ImportBinding(kid.start_byte, kid.end_byte, "*", cx.text(local)))
        elif kind == "named_imports":
            cx.check_commas(kid, 0)
            for item in kid.named_children:
                if names[item.kind_id] != "import_specifier":
                    continue
                if names[item.children[0].kind_id] in ("type", "typeof"):
                    continue
                written = item.child_by_field_name("name")
                alias = item.child_by_field_name("alias") or written
                if written is not None and alias is not None:
                    bindings.append(
                        ir.ImportBinding(item.start_byte, item.end_byte, module_name(cx, written), cx.text(alias))
                    )
    return bindings


def import_attributes(cx: Lowering, node: Node) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for kid in operand(cx, node).named_children:
        if cx.kind_names[kid.kind_id] == "pair":
            key_node, value_node = cx.significant(kid.named_children)
            key = property_key(cx, key_node, 0)
            value = expression(cx, value_node, 0)
            if isinstance(key, ir.Const) and isinstance(value, ir.Const):
                pairs.append((str(key.value), str(value.value)))
    return pairs


def import_alias(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    """TypeScript's `import A = N.B`: a constant, as far as running goes."""
    local, *_, value = cx.significant(node.named_children)
    out.append(
        ir.Declare(
            node.start_byte,
            node.end_byte,
            "const",
            pattern(cx, local, depth + LEVEL),
            entity_name(cx, value),
        )
    )


def entity_name(cx: Lowering, node: Node) -> ir.Expression:
    """`A.B.C` of a TypeScript import alias or namespace."""
    parts: list[Node] = []
    spine = node
    while (
        cx.kind_names[spine.kind_id] in ("nested_identifier", "member_expression") and len(parts) < DEPTH_LIMIT // LEVEL
    ):
        kids = cx.significant(spine.named_children)
        parts.append(kids[-1])
        spine = kids[0]
    result: ir.Expression = ir.Name(spine.start_byte, spine.end_byte, cx.text(spine))
    for part in reversed(parts):
        result = ir.Member(node.start_byte, part.end_byte, result, cx.text(part), False)
    return result


def export(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    names = cx.kind_names
    start, end = node.start_byte, node.end_byte
    kids = cx.significant(node.children)
    words = {names[kid.kind_id] for kid in kids}
    is_default = "default" in words
    for kid in kids:
        if names[kid.kind_id] == "decorator":
            decorator(cx, kid, depth)
    declaration = node.child_by_field_name("declaration")
    if declaration is None:
        declaration = next((kid for kid in kids if names[kid.kind_id] in _DECLARATIONS), None)
    if "=" in words and declaration is None:
        out.append(
            ir.ExportDefault(
                start, end, expression(cx, kids[words_index(cx, kids, "=") + 1], depth + LEVEL), "assignment"
            )
        )
        return
    if "namespace" in words:
        return
    if not cx.namespaces:
        cx.has_module_syntax = True
    if declaration is not None:
        if is_default and names[declaration.kind_id] in _NO_DEFAULT:
            # The grammar accepts `export default const a = 1`.
            cx.problem(declaration.start_byte, declaration.end_byte, "error")
            is_default = False
        if is_default:
            export_default_declaration(cx, node, declaration, depth, out)
        else:
            export_declaration(cx, node, declaration, depth, out)
        return
    if is_default:
        value = node.child_by_field_name("value") or kids[words_index(cx, kids, "default") + 1]
        out.append(ir.ExportDefault(start, end, expression(cx, value, depth + LEVEL), "default"))
        return
    # `export type * from` is masked for parsing (javascript_repairs), so the word is looked up in the source.
    type_only = "type" in words or _EXPORT_TYPE.match(cx.source, start) is not None
    bindings: list[ir.ExportBinding] = []
    for kid in kids:
        kind = names[kid.kind_id]
        if kind == "*":
            bindings.append(ir.ExportBinding(kid.start_byte, kid.end_byte, "*", "*"))
        elif kind == "namespace_export":
            bindings.append(ir.ExportBinding(kid.start_byte, kid.end_byte, module_name(cx, operand(cx, kid)), "*"))
        elif kind == "export_clause":
            cx.check_commas(kid, 0)
            for item in kid.named_children:
                if names[item.kind_id] != "export_specifier":
                    continue
                if names[item.children[0].kind_id] in ("type", "typeof"):
                    continue
                written = item.child_by_field_name("name")
                alias = item.child_by_field_name("alias") or written
                if written is not None and alias is not None:
                    bindings.append(
                        ir.ExportBinding(
                            item.start_byte, item.end_byte, module_name(cx, alias), module_name(cx, written)
                        )
                    )
    if not bindings and not words & {"export_clause", "*"}:
        # The grammar accepts `export` alone.
        cx.problem(start, end, "error")
    text, at, to = specifier(cx, node.child_by_field_name("source"))
    out.append(ir.Export(start, end, bindings, text, type_only, at, to))


def words_index(cx: Lowering, kids: list[Node], word: str) -> int:
    return next(place for place, kid in enumerate(kids) if cx.kind_names[kid.kind_id] == word)


def export_declaration(cx: Lowering, node: Node, declaration: Node, depth: int, out: list[ir.Statement]) -> None:
    held: list[ir.Statement] = []
    cx.statements[declaration.kind_id](cx, declaration, depth + LEVEL, held)
    for number, item in enumerate(held):
        if isinstance(item, ir.TypeDeclaration):
            held[number] = ir.TypeDeclaration(item.start, item.end, item.kind, item.name, True)
    if cx.namespaces:
        out.extend(held)
        return
    out.extend(item for item in held if isinstance(item, ir.TypeDeclaration))
    declared: list[ir.Statement] = [item for item in held if not isinstance(item, ir.TypeDeclaration)]
    if declared:
        out.append(ir.ExportDeclaration(node.start_byte, node.end_byte, declared))


def export_default_declaration(
    cx: Lowering, node: Node, declaration: Node, depth: int, out: list[ir.Statement]
) -> None:
    kind = cx.kind_names[declaration.kind_id]
    start, end = node.start_byte, node.end_byte
    if kind in TYPE_KINDS:
        out.append(ir.TypeDeclaration(start, end, TYPE_KINDS[kind], declared_name(cx, declaration), True))
        return
    value: ir.Expression
    if kind.endswith("function_declaration"):
        cx.function_declarations += 1
        value = function(cx, declaration, depth + LEVEL)
    else:
        value = class_(cx, declaration, depth + LEVEL)
    if value.name:
        cx.declared.append(value.name)
    out.append(ir.ExportDefault(start, end, value, "default"))


HANDLERS: Final[dict[str, Statement]] = {
    "export_statement": export,
    "import_alias": import_alias,
    "import_statement": import_,
}
