"""What early errors are judged by: scopes, what stands around a statement, the names that declarations make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from forensics.syntax import ir


class Scope:
    """`lexical` names may be declared once; `hoisted` holds the var names declared in or through the scope."""

    __slots__ = ("hoisted", "is_function", "lexical", "parent", "sloppy_functions")

    def __init__(self, parent: Scope | None, is_function: bool) -> None:
        self.parent = parent
        self.is_function = is_function
        self.lexical: dict[str, str] = {}
        self.hoisted: set[str] = set()
        self.sloppy_functions: set[str] = set()


class Context:
    """What stands around: the function, its labels and loops, and which words it allows."""

    __slots__ = (
        "allows_await",
        "allows_new_target",
        "allows_return",
        "allows_super_call",
        "allows_super_property",
        "allows_yield",
        "is_strict",
        "labels",
        "loop_labels",
        "loops",
        "switches",
    )

    def __init__(self, is_strict: bool) -> None:
        self.is_strict = is_strict
        self.allows_await = False
        self.allows_yield = False
        self.allows_return = False
        self.allows_new_target = False
        self.allows_super_call = False
        self.allows_super_property = False
        self.loops = 0
        self.switches = 0
        self.labels: list[str] = []
        self.loop_labels: list[str] = []


def copied(context: Context) -> Context:
    copy = Context(context.is_strict)
    for name in Context.__slots__:
        setattr(copy, name, getattr(context, name))
    return copy


def labels_loop(statement: ir.Statement) -> bool:
    while isinstance(statement, ir.Labelled) and statement.body:
        statement = statement.body[0]
    return isinstance(statement, ir.For | ir.ForEach | ir.While)


def names_bound(pattern: Any) -> Iterator[ir.Name]:
    """The names a pattern binds."""
    kind = type(pattern)
    if kind is ir.Name:
        yield pattern
    elif kind is ir.ObjectPattern:
        for item in pattern.properties:
            yield from names_bound(item.target)
        if pattern.rest is not None:
            yield from names_bound(pattern.rest)
    elif kind is ir.ArrayPattern:
        for item in pattern.items:
            if item is not None:
                yield from names_bound(item)
    elif kind in (ir.DefaultPattern, ir.RestPattern):
        yield from names_bound(pattern.target)


def names_declared(statement: ir.Statement) -> Iterator[tuple[str, ir.Node]]:
    """The names an exported declaration makes, each with its place."""
    if isinstance(statement, ir.Declare):
        for name in names_bound(statement.target):
            yield name.name, name
    elif isinstance(statement, ir.FunctionDeclaration):
        yield statement.function.name, statement
    elif isinstance(statement, ir.ClassDeclaration):
        yield statement.declaration.name, statement
    elif isinstance(statement, ir.Enum):
        yield statement.name, statement
