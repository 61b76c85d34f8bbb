"""Names that a script uses without declaring them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from forensics.facts.interpreter import declared_names, pattern_names
from forensics.syntax import ir
from forensics.syntax.walk import walk

_COMMONJS: Final = frozenset({"require", "module", "exports", "__dirname", "__filename"})


def free_names(script: ir.Script) -> list[tuple[str, ir.Name, bool]]:
    """Uses of names that no enclosing scope of the script declares, in source order; the flag says that the use is
    guarded by a `typeof` test of the same name around it."""
    walker = _Walker()
    walker.block(script.body, frozenset(_hoisted(script.body)), frozenset())
    return sorted(walker.found, key=lambda item: item[1].start)


def _hoisted(body: list[ir.Statement]) -> Iterator[str]:
    """Names that a body declares, `var` and imports included."""
    for statement in body:
        if isinstance(statement, ir.Import):
            yield from (binding.local for binding in statement.bindings)
        elif isinstance(statement, ir.ExportDeclaration):
            for declaration in statement.declarations:
                yield from declared_names(declaration)
        elif isinstance(statement, ir.ExportDefault):
            value = statement.value
            if isinstance(value, (ir.Function, ir.Class)) and value.name:
                yield value.name
        elif isinstance(statement, ir.TypeDeclaration):
            yield statement.name
        else:
            yield from declared_names(statement)
    yield from _vars(body)


def _vars(body: list[ir.Statement]) -> Iterator[str]:
    for statement in body:
        if (isinstance(statement, ir.Declare) and statement.kind == "var") or (
            isinstance(statement, ir.ForEach) and statement.declares == "var"
        ):
            yield from pattern_names(statement.target)
        for inner in _bodies(statement):
            yield from _vars(inner)


def _bodies(statement: ir.Statement) -> Iterator[list[ir.Statement]]:
    if isinstance(statement, ir.If):
        yield statement.consequent
        yield statement.alternate
    elif isinstance(statement, ir.For):
        yield statement.init
        yield statement.body
    elif isinstance(statement, (ir.ForEach, ir.While, ir.Block, ir.Labelled)):
        yield statement.body
    elif isinstance(statement, ir.Try):
        yield statement.block
        yield statement.handler or []
        yield statement.finalizer
    elif isinstance(statement, ir.Switch):
        for case in statement.cases:
            yield case.body


class _Walker:
    def __init__(self) -> None:
        self.found: list[tuple[str, ir.Name, bool]] = []

    def block(self, body: list[ir.Statement], known: frozenset[str], guards: frozenset[str]) -> None:
        for statement in body:
            self.node(statement, known, guards)

    def node(self, node: object, known: frozenset[str], guards: frozenset[str]) -> None:
        match node:
            case ir.Name():
                if node.name not in known:
                    self.found.append((node.name, node, node.name in guards))
            case ir.Function():
                inner = set(known) | {"arguments"} | set(_hoisted(node.body))
                for parameter in node.parameters:
                    inner.update(pattern_names(parameter))
                if node.name:
                    inner.add(node.name)
                scope = frozenset(inner)
                for parameter in node.parameters:
                    self.pattern(parameter, scope, guards)
                self.block(node.body, scope, guards)
            case ir.Class():
                scope = known | {node.name} if node.name else known
                self.node(node.superclass, scope, guards)
                for member in node.members:
                    if member.key is not None and not isinstance(member.key, ir.Const):
                        self.node(member.key, scope, guards)
                    self.node(member.value, scope, guards)
            case ir.Unary(operator="typeof", operand=ir.Name()):
                pass
            case ir.If():
                self.node(node.test, known, guards)
                inside = guards | _tested(node.test)
                self.scoped(node.consequent, known, inside)
                self.scoped(node.alternate, known, inside)
            case ir.Conditional():
                self.node(node.test, known, guards)
                inside = guards | _tested(node.test)
                self.node(node.consequent, known, inside)
                self.node(node.alternate, known, inside)
            case ir.Logical():
                inside = guards
                for operand in node.operands:
                    self.node(operand, known, inside)
                    inside = inside | _tested(operand)
            case ir.Block() | ir.Labelled():
                self.scoped(node.body, known, guards)
            case ir.For():
                scope = known | frozenset(_hoisted(node.init))
                self.block(node.init, scope, guards)
                self.node(node.test, scope, guards)
                self.node(node.update, scope, guards)
                self.scoped(node.body, scope, guards)
            case ir.ForEach():
                scope = known | frozenset(pattern_names(node.target)) if node.declares else known
                self.pattern(node.target, scope, guards)
                self.node(node.iterable, known, guards)
                self.scoped(node.body, scope, guards)
            case ir.While():
                self.node(node.test, known, guards)
                self.scoped(node.body, known, guards)
            case ir.Try():
                # What a handler waits for may be the very absence of a name.
                awaited: frozenset[str] = frozenset() if node.handler is None else _COMMONJS
                self.scoped(node.block, known, guards | awaited)
                scope = known | frozenset(pattern_names(node.parameter)) if node.parameter is not None else known
                self.scoped(node.handler or [], scope, guards)
                self.scoped(node.finalizer, known, guards)
            case ir.Switch():
                self.node(node.subject, known, guards)
                statements = [item for case in node.cases for item in case.body]
                scope = known | frozenset(_hoisted(statements))
                for case in node.cases:
                    self.node(case.test, scope, guards)
                    self.block(case.body, scope, guards)
            case ir.Declare():
                self.pattern(node.target, known, guards)
                self.node(node.value, known, guards)
            case ir.Import() | ir.Export() | ir.TypeDeclaration():
                pass
            case ir.Property():
                if node.key is not None and not isinstance(node.key, ir.Const):
                    self.node(node.key, known, guards)
                self.node(node.value, known, guards)
            case ir.Node():
                for name in node.__struct_fields__[2:]:
                    self.node(getattr(node, name), known, guards)
            case list() | tuple():
                for item in node:
                    self.node(item, known, guards)

    def scoped(self, body: list[ir.Statement], known: frozenset[str], guards: frozenset[str]) -> None:
        self.block(body, known | frozenset(_hoisted(body)), guards)

    def pattern(self, target: object, known: frozenset[str], guards: frozenset[str]) -> None:
        """Defaults and computed keys of a pattern; the names it binds are no uses."""
        match target:
            case ir.DefaultPattern():
                self.pattern(target.target, known, guards)
                self.node(target.default, known, guards)
            case ir.ObjectPattern():
                for item in target.properties:
                    if not isinstance(item.key, ir.Const):
                        self.node(item.key, known, guards)
                    self.pattern(item.target, known, guards)
                self.pattern(target.rest, known, guards)
            case ir.ArrayPattern():
                for element in target.items:
                    self.pattern(element, known, guards)
            case ir.RestPattern():
                self.pattern(target.target, known, guards)
            case ir.Member() | ir.Index():
                self.node(target, known, guards)


def _tested(test: ir.Expression) -> frozenset[str]:
    """Names that a condition tests with typeof."""
    return frozenset(
        node.operand.name
        for node in walk([test])
        if isinstance(node, ir.Unary) and node.operator == "typeof" and isinstance(node.operand, ir.Name)
    )
