"""Numbers that code takes for Dates: a small type inference over the scripts of a build.

`Math.max(a, b)` of two Dates is a number (https://tc39.es/ecma262/#sec-math.max), and so is what `setDate` and `getTime`
return, and a difference of Dates. Calling a method that only Dates have on such a value throws a TypeError. A value is
followed through names, returns, parameters, object members and imports, and only where every source of it is a number:
anything else is no finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forensics.facts.dom_code import Script
from forensics.facts.interpreter import Site
from forensics.facts.script_modules import ScriptModules
from forensics.syntax import ir
from forensics.syntax.walk import walk

if TYPE_CHECKING:
    from forensics.facts import Facts

_PARTS = ("FullYear", "Month", "Date", "Hours", "Minutes", "Seconds", "Milliseconds")
_GETTERS = frozenset(
    {f"get{part}" for part in _PARTS} | {f"getUTC{part}" for part in _PARTS} | {"getDay", "getUTCDay", "getYear"}
)
_SETTERS = frozenset({f"set{part}" for part in _PARTS} | {f"setUTC{part}" for part in _PARTS} | {"setTime"})
# Methods of Date.prototype that Number.prototype lacks. toLocaleString and toString work on both, valueOf too.
DATE_METHODS = (
    _GETTERS
    | _SETTERS
    | {"getTime", "getTimezoneOffset", "toISOString", "toDateString", "toTimeString", "toUTCString", "toGMTString"}
    | {"toLocaleDateString", "toLocaleTimeString"}
)
_MATH = frozenset({"max", "min", "round", "floor", "ceil", "abs", "trunc"})
MAX_STEPS = 14
MAX_TEXT = 60


@dataclass(frozen=True)
class Number:
    """A value that is surely a number; `maker` is what made it ("Math.max"), `of_dates`: of Dates as far as is seen."""

    origin: Site
    maker: str
    steps: tuple[Site, ...] = ()


@dataclass(frozen=True)
class Record:
    """An object with members whose kind is known."""

    members: dict[str, Kind] = field(hash=False)


@dataclass(frozen=True)
class List:
    """An array whose items are all of one kind."""

    item: Kind


Kind = Number | Record | List


@dataclass(frozen=True)
class Misuse:
    """A Date method called on a number. `use` is the first such call, `further` are later
    ones in the same script, `origin` where the number was made, `steps` what passed it on."""

    use: Site
    text: str
    further: tuple[Site, ...]
    origin: Site
    maker: str
    steps: tuple[Site, ...]


def date_misuses(facts: Facts, modules: ScriptModules) -> Iterator[Misuse]:
    """Every call of a Date method on a number in the scripts of a build."""
    sources = modules.sources
    using = {
        index
        for index, (path, _) in enumerate(sources)
        if any(name in facts.build.read(path) for name in _METHOD_BYTES)
    }
    if not using:
        return
    inference = _Inference(modules)
    for index in sorted(using):
        script = modules.script(index)
        found: dict[Site, tuple[Number, list[ir.Call]]] = {}
        for node in script.nodes:
            if not (isinstance(node, ir.Call) and isinstance(node.callee, ir.Member)) or node.optional:
                continue
            member = node.callee
            if member.name not in DATE_METHODS or member.optional:
                continue
            kind = inference.kind(script, member.object, MAX_STEPS)
            if isinstance(kind, Number) and not inference.is_guarded(script, member.object):
                found.setdefault(kind.origin, (kind, []))[1].append(node)
        for kind, nodes in found.values():
            sites = [Site(script.path, node.start, node.end) for node in nodes]
            text = _text(facts, script.path, nodes[0])
            yield Misuse(sites[0], text, tuple(sites[1:]), kind.origin, kind.maker, kind.steps)


_METHOD_BYTES = tuple(sorted(name.encode() for name in DATE_METHODS))


def _text(facts: Facts, path: str, node: ir.Call) -> str:
    text = " ".join(facts.build.read(path)[node.start : node.end].decode("utf-8", "replace").split())
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


class _Inference:
    def __init__(self, modules: ScriptModules) -> None:
        self.modules = modules
        self.busy: set[tuple[str, int, int]] = set()

    # --------------------------------------------------------------------- kinds

    def kind(self, script: Script, node: ir.Expression, steps: int) -> Kind | None:
        """What an expression surely is; None where it can't be told or is something else."""
        key = (script.path, node.start, node.end)
        if steps <= 0 or key in self.busy:
            return None
        self.busy.add(key)
        try:
            return self._kind(script, node, steps - 1)
        finally:
            self.busy.discard(key)

    def _kind(self, script: Script, node: ir.Expression, steps: int) -> Kind | None:
        match node:
            case ir.Call():
                return self._called(script, node, steps)
            case ir.Name():
                return self._named(script, node, steps)
            case ir.Member():
                if node.optional:
                    return None
                owner = self.kind(script, node.object, steps)
                return owner.members.get(node.name) if isinstance(owner, Record) else None
            case ir.Index():
                owner = self.kind(script, node.object, steps)
                return owner.item if isinstance(owner, List) else None
            case ir.Await():
                inner = node.value
                if isinstance(inner, ir.Call):
                    return self._called(script, inner, steps, awaited=True)
                return self.kind(script, inner, steps)
            case ir.Binary(operator="-" | "*" | "/" | "%" | "**"):
                if any(self._is_date(script, item, steps) for item in node.operands):
                    return Number(Site(script.path, node.start, node.end), f"`{node.operator}`")
            case ir.Unary(operator="+") if self._is_date(script, node.operand, steps):
                return Number(Site(script.path, node.start, node.end), "`+`")
            case ir.Conditional():
                return self._either(script, [node.consequent, node.alternate], steps)
            case ir.Logical():
                return self._logical(script, node, steps)
            case ir.Assign(operator="="):
                return self.kind(script, node.value, steps)
            case ir.Object():
                return self._object(script, node, steps)
            case ir.Array():
                items = [self.kind(script, item, steps) if item is not None else None for item in node.items]
                if items and all(isinstance(item, Number) for item in items):
                    return List(items[0])  # type: ignore[arg-type]
        return None

    def _logical(self, script: Script, node: ir.Logical, steps: int) -> Kind | None:
        if node.operator == "&&":
            return self.kind(script, node.operands[-1], steps)
        return self._either(script, node.operands, steps)

    def _either(self, script: Script, nodes: list[ir.Expression], steps: int) -> Kind | None:
        """What several possible values have in common; null and undefined are passed over: on them the use fails too."""
        kinds = [self.kind(script, item, steps) for item in nodes if not _is_nothing(item)]
        return kinds[0] if kinds and all(isinstance(item, Number) for item in kinds) else None

    def _object(self, script: Script, node: ir.Object, steps: int) -> Kind | None:
        members: dict[str, Kind] = {}
        for item in node.properties:
            if item.kind == "spread":
                members.clear()
                continue
            if item.kind == "init" and isinstance(item.key, ir.Const):
                kind = self.kind(script, item.value, steps)
                name = str(item.key.value)
                members.pop(name, None)
                if kind is not None:
                    members[name] = kind
        return Record(members) if members else None

    def _called(self, script: Script, node: ir.Call, steps: int, awaited: bool = False) -> Kind | None:
        callee, site = node.callee, Site(script.path, node.start, node.end)
        if node.optional:
            return None
        if isinstance(callee, ir.Member):
            owner = callee.object
            if isinstance(owner, ir.Name) and owner.name == "Math" and callee.name in _MATH:
                return Number(site, f"Math.{callee.name}")
            if isinstance(owner, ir.Name) and owner.name == "Date" and callee.name in ("now", "parse", "UTC"):
                return Number(site, f"Date.{callee.name}")
            if callee.name in (*_SETTERS, *_GETTERS, "getTime", "valueOf") and self._is_date(script, owner, steps):
                return Number(site, callee.name)
            return self._method(script, node, callee, steps)
        if isinstance(callee, ir.Name):
            if callee.name == "Number" and node.arguments and self._is_date(script, node.arguments[0], steps):
                return Number(site, "Number")
            if callee.name == "useMemo" and node.arguments and isinstance(node.arguments[0], ir.Function):
                return self._passed(self._returned(script, node.arguments[0], steps), site)
            found = self.function(script, callee)
            if found is not None:
                owner_script, function = found
                if function.is_generator or (function.is_async and not awaited):
                    return None
                return self._passed(self._returned(owner_script, function, steps), site)
        return None

    def _method(self, script: Script, node: ir.Call, callee: ir.Member, steps: int) -> Kind | None:
        first = node.arguments[0] if node.arguments else None
        if callee.name == "reduce" and isinstance(first, ir.Function):
            return self._returned(script, first, steps)
        if callee.name == "map" and isinstance(first, ir.Function):
            item = self._returned(script, first, steps)
            return List(item) if item is not None else None
        if callee.name in ("filter", "sort", "slice", "reverse", "toSorted", "toReversed", "concat"):
            return self.kind(script, callee.object, steps) if callee.name != "concat" else None
        if callee.name in ("at", "pop", "shift"):
            owner = self.kind(script, callee.object, steps)
            return owner.item if isinstance(owner, List) else None
        return None

    def _passed(self, kind: Kind | None, site: Site) -> Kind | None:
        if isinstance(kind, Number):
            return Number(kind.origin, kind.maker, (*kind.steps, site))
        if isinstance(kind, Record):
            return Record({name: self._passed(item, site) or item for name, item in kind.members.items()})
        return kind

    def _returned(self, script: Script, function: ir.Function, steps: int) -> Kind | None:
        """What a function returns, where all its returns agree."""
        returns = [item.value for item in _own(function) if isinstance(item, ir.Return)]
        values = [item for item in returns if item is not None and not _is_nothing(item)]
        kinds = [self.kind(script, item, steps) for item in values]
        if not kinds or any(kind is None for kind in kinds):
            return None
        if len(kinds) == 1 or all(isinstance(kind, Number) for kind in kinds):
            return kinds[0]
        if all(isinstance(kind, Record) for kind in kinds):
            records = [kind for kind in kinds if isinstance(kind, Record)]
            shared = set.intersection(*(set(record.members) for record in records))
            return Record({name: records[0].members[name] for name in shared})
        return None

    # --------------------------------------------------------------------- names

    def _named(self, script: Script, node: ir.Name, steps: int) -> Kind | None:
        declared = script.declared(node.name, node.start)
        if not declared:
            return self._imported(script, node, steps)
        if len(declared) == 1 and declared[0].value is None and not declared[0].is_each:
            return self._parameter(script, node.name, declared[0].start, steps)
        values = [item for item in declared if item.value is not None]
        if any(item.is_each for item in values):
            if len(values) != 1:
                return None
            owner = self.kind(script, values[0].value, steps) if values[0].value is not None else None
            return owner.item if isinstance(owner, List) else None
        kinds = [self.kind(script, item.value, steps) for item in values if item.value and not _is_nothing(item.value)]
        if len(kinds) == 1:
            return kinds[0]
        return kinds[0] if kinds and all(isinstance(kind, Number) for kind in kinds) else None

    def _imported(self, script: Script, node: ir.Name, steps: int) -> Kind | None:
        found = self.export(script, node.name)
        if found is None:
            return None
        other, value = found
        return self.kind(other, value, steps) if not isinstance(value, ir.Function) else None

    def export(self, script: Script, name: str) -> tuple[Script, ir.Expression] | None:
        """What an imported name stands for in the module that exports it."""
        return self.modules.exported(script.path, *script.imports[name]) if name in script.imports else None

    def function(self, script: Script, callee: ir.Name) -> tuple[Script, ir.Function] | None:
        """The function that a name calls, where there is just one."""
        declared = script.declared(callee.name, callee.start)
        if len(declared) > 1 or (declared and declared[0].value is None):
            return None
        if declared:
            value = declared[0].value
            if isinstance(value, ir.Call) and isinstance(value.callee, ir.Name) and value.callee.name == "useCallback":
                value = value.arguments[0] if value.arguments else None
            return (script, value) if isinstance(value, ir.Function) else None
        if callee.name in script.functions:
            return script, script.functions[callee.name]
        found = self.export(script, callee.name)
        return (found[0], found[1]) if found is not None and isinstance(found[1], ir.Function) else None

    # ---------------------------------------------------------------- parameters

    def _parameter(self, script: Script, name: str, at: int, steps: int) -> Kind | None:
        """What every call of the function gives a parameter."""
        function = next((node for node in script.nodes if isinstance(node, ir.Function) and node.start == at), None)
        if function is None:
            return None
        place = next((i for i, item in enumerate(function.parameters) if name in _bound(item)), None)
        if place is None:
            return None
        kinds = []
        for caller, arguments in self._callers(script, function):
            if place >= len(arguments) or any(isinstance(item, ir.Spread) for item in arguments[: place + 1]):
                return None
            kind = self.kind(caller, arguments[place], steps)
            pattern = function.parameters[place]
            if isinstance(pattern, ir.ObjectPattern):
                kind = kind.members.get(_key_of(pattern, name)) if isinstance(kind, Record) else None
            elif not isinstance(pattern, ir.Name):
                return None
            kinds.append((caller, kind))
        if kinds and all(isinstance(kind, Number) for _, kind in kinds):
            caller, kind = kinds[0]
            return self._passed(kind, Site(script.path, function.start, function.start))
        return None

    def _callers(self, script: Script, function: ir.Function) -> list[tuple[Script, list[ir.Expression]]]:
        """Argument lists of every call of a named function; [] where it is also handed on as a value."""
        name = next((name for name, item in script.functions.items() if item is function), function.name)
        if not name:
            return []
        found: list[tuple[Script, list[ir.Expression]]] = []
        for index in range(len(self.modules.sources)):
            other = self.modules.script(index)
            locals_ = (
                [name]
                if other is script
                else [
                    local
                    for local in other.imports
                    if (exported := self.export(other, local)) is not None and exported[1] is function
                ]
            )
            for local in locals_:
                for node in other.nodes:
                    if isinstance(node, ir.Call) and isinstance(node.callee, ir.Name) and node.callee.name == local:
                        found.append((other, node.arguments))
                    elif isinstance(node, ir.Jsx) and isinstance(node.element, ir.Name) and node.element.name == local:
                        found.append((other, [_properties(node)]))
                uses = sum(1 for node in other.nodes if isinstance(node, ir.Name) and node.name == local)
                calls = sum(
                    1
                    for node in other.nodes
                    if (isinstance(node, ir.Call) and isinstance(node.callee, ir.Name) and node.callee.name == local)
                    or (isinstance(node, ir.Jsx) and isinstance(node.element, ir.Name) and node.element.name == local)
                )
                declared = (
                    1
                    if other is script
                    and not any(
                        isinstance(node, ir.FunctionDeclaration) and node.function is function for node in other.nodes
                    )
                    else 0
                )
                if uses - calls > declared:
                    return []
        return found

    # -------------------------------------------------------------------- guards

    def _is_date(self, script: Script, node: ir.Expression, steps: int) -> bool:
        """Whether an expression is surely a Date: `new Date(…)`, or a name that only stands for such."""
        if isinstance(node, ir.New):
            return isinstance(node.callee, ir.Name) and node.callee.name == "Date"
        if isinstance(node, ir.Name) and steps > 0:
            values = [item.value for item in script.declared(node.name, node.start)]
            return bool(values) and all(
                value is not None and self._is_date(script, value, steps - 1) for value in values
            )
        return False

    def is_guarded(self, script: Script, node: ir.Expression) -> bool:
        """Whether the script asks what the value is before it uses it."""
        if not isinstance(node, ir.Name):
            return False
        asked = [
            item.operands[0] if isinstance(item, ir.Binary) else item.operand
            for item in script.nodes
            if (isinstance(item, ir.Binary) and item.operator == "instanceof")
            or (isinstance(item, ir.Unary) and item.operator == "typeof")
        ]
        return any(isinstance(item, ir.Name) and item.name == node.name for item in asked)


def _is_nothing(node: ir.Expression) -> bool:
    if isinstance(node, ir.Name):
        return node.name == "undefined"
    return isinstance(node, ir.Const) and node.value is None


def _own(function: ir.Function) -> Iterator[ir.Node]:
    """Nodes of a function's body that are in no inner function."""
    stack: list[object] = list(function.body)
    while stack:
        item = stack.pop(0)
        if isinstance(item, (ir.Function, ir.Class)):
            continue
        if isinstance(item, ir.Node):
            yield item
            if isinstance(item, (ir.FunctionDeclaration, ir.ClassDeclaration)):
                continue
            stack.extend(getattr(item, name) for name in item.__struct_fields__[2:])
        elif isinstance(item, (list, tuple)):
            stack.extend(item)


def _bound(pattern: ir.Pattern) -> set[str]:
    return {item.name for item in walk([pattern]) if isinstance(item, ir.Name)}


def _key_of(pattern: ir.ObjectPattern, name: str) -> str:
    for item in pattern.properties:
        if isinstance(item.target, ir.Name) and item.target.name == name and isinstance(item.key, ir.Const):
            return str(item.key.value)
    return ""


def _properties(node: ir.Jsx) -> ir.Object:
    """The props of a component as an object."""
    properties = []
    for item in node.attributes:
        if item.name == "...":
            properties.append(ir.Property(item.start, item.end, "spread", None, item.value))
        else:
            key = ir.Const(item.start, item.end, item.name)
            properties.append(ir.Property(item.start, item.end, "init", key, item.value))
    return ir.Object(node.start, node.end, properties)
