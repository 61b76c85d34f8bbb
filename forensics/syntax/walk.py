"""Every node below a node of the IR, in source order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from forensics.syntax.ir import Node


def walk(roots: Iterable[object]) -> Iterator[Node]:
    """Nodes in pre-order; tuples and lists in fields are followed, anything else is left out."""
    stack: list[object] = list(roots)[::-1]
    while stack:
        item = stack.pop()
        if isinstance(item, Node):
            yield item
            fields = [getattr(item, name) for name in item.__struct_fields__[2:]]
            stack.extend(field for field in reversed(fields) if isinstance(field, (Node, list, tuple)))
        elif isinstance(item, (list, tuple)):
            stack.extend(item[::-1])
