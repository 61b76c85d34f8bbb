"""Every node below a node of the IR, in source order."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator

from forensics.syntax import ir
from forensics.syntax.ir import Node

_SCALARS = (str, int, float, bool, type(None))

# Facts walk whole files again and again: which fields may hold nodes is found once for each kind of node.
_inner_fields: dict[type, tuple[str, ...]] = {}


def walk(roots: Iterable[object]) -> Iterator[Node]:
    """Nodes in pre-order; tuples and lists in fields are followed, anything else is left out."""
    stack: list[object] = list(roots)[::-1]
    pop, push, extend, known = stack.pop, stack.append, stack.extend, _inner_fields.get
    while stack:
        item = pop()
        kind = item.__class__
        names = known(kind)
        if names is None:
            if isinstance(item, list | tuple):
                extend(item[::-1])
                continue
            if not isinstance(item, Node):
                continue
            names = _inner_fields[kind] = _fields_with_nodes(kind)
        yield item  # type: ignore[misc]  # only kinds of nodes are known
        for name in names:
            field = getattr(item, name)
            if field.__class__ is list:
                extend(field[::-1])
            elif field is not None:
                push(field)


def _fields_with_nodes(kind: type) -> tuple[str, ...]:
    """The fields of a kind of node that may hold nodes, last first, as a stack wants them."""
    hints = typing.get_type_hints(kind, vars(ir))
    names: tuple[str, ...] = kind.__struct_fields__[2:]  # type: ignore[attr-defined]
    return tuple(name for name in reversed(names) if _may_hold_nodes(hints[name]))


def _may_hold_nodes(annotation: object) -> bool:
    arguments = typing.get_args(annotation)
    if arguments:
        return any(map(_may_hold_nodes, arguments))
    return not (isinstance(annotation, type) and issubclass(annotation, _SCALARS))
