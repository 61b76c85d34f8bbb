"""What a piece of code is apart from how it is written: a hash over its syntax tree without positions.

White space, quotes, semicolons, parentheses and comments don't change it; any other change does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from forensics.syntax.ir import Node


def shape_of(roots: Iterable[Node]) -> str:
    """SHA-256 (first 32 hex digits) of the nodes' kinds, structure and literal contents."""
    digest = hashlib.sha256()
    stack: list[object] = []
    stack.extend(reversed([*roots]))
    while stack:
        item = stack.pop()
        if isinstance(item, Node):
            digest.update(f"<{type(item).__name__}".encode())
            names = item.__struct_fields__
            # Positions come first in every node; an import also says where its specifier stands.
            fields = [getattr(item, name) for name in names[2:] if not name.startswith("specifier_")]
            stack.append(">")
            stack.extend(reversed(fields))
        elif isinstance(item, (list, tuple)):
            digest.update(b"[")
            stack.append("]")
            stack.extend(item[::-1])
        else:
            digest.update(f"{type(item).__name__}:{item!r};".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]
