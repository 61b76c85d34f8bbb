"""HTML that code holds as text: template literals and texts put together with `+`, read as the elements they make.

Where the text takes in another piece of markup (a list's `map(…).join('')`, a choice of two templates, a function that
returns one) that piece is put in; any other expression leaves a hole.
"""

from __future__ import annotations

from forensics.facts.dom_code import Script
from forensics.facts.elements import Element, elements_of, hole
from forensics.syntax import ir
from forensics.syntax.html import lower_page
from forensics.syntax.walk import walk

MAX_PIECES = 400
MAX_STEPS = 12


class _Text:
    def __init__(self, script: Script) -> None:
        self.script = script
        self.pieces: list[str] = []
        self.offsets: list[tuple[int, int]] = []
        self.holes: list[ir.Expression] = []
        self.size = 0

    def add(self, text: str, at: int) -> None:
        self.offsets.append((self.size, at))
        self.pieces.append(text)
        self.size += len(text.encode("utf-8", "replace"))

    def read(self, node: ir.Expression, steps: int) -> None:
        if len(self.pieces) > MAX_PIECES:
            return
        if isinstance(node, ir.Const):
            if isinstance(node.value, str):
                self.add(node.value, node.start)
        elif isinstance(node, ir.Template):
            for part in node.parts:
                self.read(part, steps)
        elif isinstance(node, ir.Binary) and node.operator == "+":
            for operand in node.operands:
                self.read(operand, steps)
        else:
            inner = self.inner(node, steps) if steps > 0 else []
            for item in inner:
                self.read(item, steps - 1)
            if not inner:
                self.add(hole(len(self.holes)), node.start)
                self.holes.append(node)

    def inner(self, node: ir.Expression, steps: int) -> list[ir.Expression]:
        """Markup that an expression puts in, [] where it is none."""
        if isinstance(node, ir.Tagged):
            return [node.template]
        if isinstance(node, ir.Conditional):
            return [item for item in (node.consequent, node.alternate) if is_markup(item)]
        if isinstance(node, ir.Logical):
            return [item for item in node.operands if is_markup(item)]
        if isinstance(node, ir.Call):
            callee = node.callee
            if isinstance(callee, ir.Member) and callee.name == "join":
                return self.inner(callee.object, steps - 1) if steps > 0 else []
            if isinstance(callee, ir.Member) and callee.name in ("map", "flatMap") and node.arguments:
                function = node.arguments[0]
                if isinstance(function, ir.Name):
                    function = self.script.functions.get(function.name, function)
                return self.returned(function) if isinstance(function, ir.Function) else []
            if isinstance(callee, ir.Name) and callee.name in self.script.functions:
                return self.returned(self.script.functions[callee.name])
        if isinstance(node, ir.Name):
            values = [item for item in self.script.values_of(node.name, node.start) if is_markup(item)]
            return values[:1]
        return []

    def returned(self, function: ir.Function) -> list[ir.Expression]:
        """The markup that a function returns (its last return that is one), or the call that gives it."""
        values = [item.value for item in walk(function.body) if isinstance(item, ir.Return) and item.value is not None]
        return [value for value in values if is_markup(value) or self.is_own_call(value)][-1:]

    def is_own_call(self, node: ir.Expression) -> bool:
        return (
            isinstance(node, ir.Call) and isinstance(node.callee, ir.Name) and node.callee.name in self.script.functions
        )


def is_markup(node: ir.Expression) -> bool:
    """Whether an expression holds a piece of HTML."""
    if not isinstance(node, (ir.Const, ir.Template, ir.Binary, ir.Tagged, ir.Conditional, ir.Logical, ir.Call)):
        return False
    return any(
        isinstance(item, ir.Const) and isinstance(item.value, str) and "<" in item.value for item in walk([node])
    )


def markup_elements(node: ir.Expression, script: Script) -> list[Element]:
    """The topmost elements of a piece of markup."""
    text = _Text(script)
    text.read(node, MAX_STEPS)
    whole = "".join(text.pieces)
    if "<" not in whole:
        return []
    page = lower_page(whole.encode("utf-8", "replace"))
    elements = elements_of(page.tags, script.path, text.offsets, text.holes)
    supplied = {"html", "head", "body"}
    roots = [
        item for item in elements if item.name not in supplied and (item.parent is None or item.parent.name in supplied)
    ]
    for item in roots:
        item.parent = None
    return roots
