"""Room for walking deeply nested IR.

Walks over IR are plain recursive functions. A chain of `a.b().c()` may nest 2 × MAX_DEPTH records, which is more than
Python's default recursion limit allows once a walk takes two or three frames for each.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from forensics.syntax.ir import MAX_DEPTH

_FRAMES: Final = 20 * MAX_DEPTH


@contextmanager
def room_for_nesting() -> Iterator[None]:
    """Raises the recursion limit far enough for a walk over IR, and restores it.

    Since Python 3.11 calls between Python functions use no C stack, so this can't overflow it.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
