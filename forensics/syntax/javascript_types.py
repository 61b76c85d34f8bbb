"""Lowering of statements that only TypeScript has; most are erased and leave their name."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from forensics.syntax import ir
from forensics.syntax.javascript_literals import module_name, property_key
from forensics.syntax.javascript_lowering import LEVEL, Lowering, Statement, expression, statement_list

TYPE_KINDS: Final = {
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "ambient_declaration": "declare",
    "function_signature": "function",
    "internal_module": "namespace",
    "module": "namespace",
}


def declared_name(cx: Lowering, node: Node) -> str:
    name_node = node.child_by_field_name("name")
    return "" if name_node is None else module_name(cx, name_node)


def type_declaration(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    kind = TYPE_KINDS[cx.kind_names[node.kind_id]]
    out.append(ir.TypeDeclaration(node.start_byte, node.end_byte, kind, declared_name(cx, node), False))


def interface(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    body = node.child_by_field_name("body")
    for kid in [] if body is None else body.named_children:
        if cx.kind_names[kid.kind_id] == "export_statement":
            # The grammar accepts one inside an interface, where a brace was lost.
            cx.problem(kid.start_byte, kid.end_byte, "error")
    type_declaration(cx, node, depth, out)


def ambient(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    names = cx.kind_names
    start, end = node.start_byte, node.end_byte
    for kid in cx.significant(node.children)[1:]:
        kind = names[kid.kind_id]
        if kind == "global":
            out.append(ir.TypeDeclaration(start, end, "declare", "global", False))
            return
        if kind in ("lexical_declaration", "variable_declaration"):
            out.extend(
                ir.TypeDeclaration(start, end, "declare", declared_name(cx, item), False)
                for item in kid.named_children
                if names[item.kind_id] == "variable_declarator"
            )
            return
        if kid.is_named:
            out.append(ir.TypeDeclaration(start, end, "declare", declared_name(cx, kid), False))
            return


def namespace(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    """A namespace with something to run is a block; one of types only is erased."""
    start, end = node.start_byte, node.end_byte
    body = node.child_by_field_name("body")
    held: list[ir.Statement] = []
    if body is not None:
        cx.namespaces += 1
        held = statement_list(cx, body.named_children, depth + LEVEL)
        cx.namespaces -= 1
    if any(not isinstance(item, ir.TypeDeclaration) for item in held):
        out.append(ir.Block(start, end, held))
    else:
        out.append(ir.TypeDeclaration(start, end, "namespace", declared_name(cx, node), False))


def enum(cx: Lowering, node: Node, depth: int, out: list[ir.Statement]) -> None:
    names = cx.kind_names
    members: list[tuple[str, ir.Expression | None]] = []
    body = node.child_by_field_name("body")
    for kid in [] if body is None else cx.significant(body.named_children):
        key_node, value = kid, None
        if names[kid.kind_id] == "enum_assignment":
            key_node, value = cx.significant(kid.named_children)
        key = property_key(cx, key_node, depth + LEVEL)
        written = str(key.value) if isinstance(key, ir.Const) else ""
        members.append((written, None if value is None else expression(cx, value, depth + LEVEL)))
    written = declared_name(cx, node)
    cx.declared.append(written)
    out.append(ir.Enum(node.start_byte, node.end_byte, written, members))


HANDLERS: Final[dict[str, Statement]] = {
    "ambient_declaration": ambient,
    "enum_declaration": enum,
    "function_signature": type_declaration,
    "interface_declaration": interface,
    "internal_module": namespace,
    "module": namespace,
    "type_alias_declaration": type_declaration,
}
