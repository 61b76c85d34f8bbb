"""What a page's code does to its elements: whom it hides, who listens, which classes it toggles, what it puts where.

Read off the IR, not by running: an element is known by the selector or the creation that a variable was given. A
receiver that can't be told is left out; where that matters, `Doing.mentions` says which ids and classes the code names.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from forensics.facts.elements import POINTER_EVENTS, words_of
from forensics.facts.interpreter import Site
from forensics.syntax import ir
from forensics.syntax.walk import walk

MAX_STEPS = 12
EVERYWHERE = (-1, 1 << 60)
_QUERIES = frozenset({"querySelector", "querySelectorAll", "closest", "matches"})
_LOOKUPS = frozenset({"getElementById", "getElementsByClassName", "getElementsByTagName", "getElementsByName"})
_INSERTIONS = frozenset(
    {"append", "appendChild", "prepend", "replaceChildren", "insertBefore", "insertAdjacentElement"}
)
# What may take an element out of the way of a pointer, or bring it back.
_EACH = frozenset({"forEach", "map", "filter", "find", "some", "every", "flatMap"})
_REMOVALS = frozenset({"remove", "replaceWith", "removeChild", "animate", "hide", "fadeOut", "show", "fadeIn", "close"})
_HARMLESS_STYLES = re.compile(
    r"background|color|border|font|box-?shadow|cursor|setProperty|padding|text|fill|stroke|mix|filter|outline|--", re.I
)


@dataclass(frozen=True)
class Target:
    """An element that code gets hold of: by a selector, or by creating it at a place. `is_each`: all that match."""

    selector: str = ""
    created: Site | None = None


@dataclass(frozen=True)
class Act:
    """One thing that code does to an element.

    `kind`: hide (the hidden attribute may be set), show (it is removed or set to false), listen, touch (it may be
    moved or removed), style (`names` holds the property, `child` the value), class (`names` may be put on it), insert (a child), markup (HTML text), look (harmless).
    """

    kind: str
    target: Target
    site: Site
    script: Script
    names: tuple[str, ...] = ()
    child: ir.Expression | None = None


@dataclass
class Doing:
    """All acts of some scripts; `toggled`: classes put on elements that can't be told; `mentions`: ids (with #) and
    classes (with a dot) that selectors in the code name."""

    acts: list[Act] = field(default_factory=list)
    toggled: set[str] = field(default_factory=set)
    mentions: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Declared:
    start: int
    scope: tuple[int, int]
    value: ir.Expression | None
    is_each: bool


_SCOPES = (ir.Function, ir.Block, ir.For, ir.ForEach, ir.If, ir.While, ir.Switch, ir.Try)

Foreign = Callable[[str, str], "tuple[Script, ir.Expression] | None"]


class Script:
    """One script with its names, read so that an expression can be followed to the element it stands for."""

    def __init__(self, path: str, script: ir.Script, index: int = 0) -> None:
        self.path = path
        self.index = index
        self.body = script.body
        self.nodes: list[ir.Node] = list(walk(script.body))
        self.names: dict[str, list[_Declared]] = defaultdict(list)
        self.members: dict[str, list[ir.Expression]] = defaultdict(list)
        self.functions: dict[str, ir.Function] = {}
        self.imports: dict[str, tuple[str, str]] = {}
        spans = [(node.start, node.end) for node in self.nodes if isinstance(node, _SCOPES)]
        self._spans = sorted(spans)
        self._starts = [start for start, _ in self._spans]
        self.foreign: Foreign | None = None
        self._targets: dict[int, Target | None] = {}
        self._items: set[tuple[int, str]] = set()
        self._created: dict[int, str] = {}
        self._assignments: list[ir.Assign] = []
        for node in self.nodes:
            self._note(node)
        for assign in self._assignments:
            assert isinstance(assign.target, ir.Name)
            name = assign.target.name
            scopes = [item.scope for item in self.names.get(name, ()) if item.scope[0] <= assign.start < item.scope[1]]
            scope = max(scopes, default=EVERYWHERE)
            self.names[name].append(_Declared(assign.start, scope, assign.value, False))

    def scope(self, at: int) -> tuple[int, int]:
        """The innermost function, block, loop or branch around a place."""
        place = bisect_right(self._starts, at) - 1
        while place >= 0:
            start, end = self._spans[place]
            if start <= at < end:
                return start, end
            place -= 1
        return EVERYWHERE

    def _note(self, node: ir.Node) -> None:
        if isinstance(node, ir.Declare):
            self._bind(node.target, node.value, node.start)
            if isinstance(node.target, ir.Name) and isinstance(node.value, ir.Function):
                self.functions.setdefault(node.target.name, node.value)
        elif isinstance(node, ir.FunctionDeclaration):
            self.functions.setdefault(node.function.name, node.function)
        elif isinstance(node, ir.ExportDefault) and isinstance(node.value, ir.Function) and node.value.name:
            self.functions.setdefault(node.value.name, node.value)
        elif isinstance(node, ir.Import):
            for binding in node.bindings:
                self.imports[binding.local] = (node.specifier, binding.imported)
        elif isinstance(node, ir.Assign) and node.operator in ("=", "||=", "??="):
            if isinstance(node.target, ir.Member):
                self.members[node.target.name].append(node.value)
            elif isinstance(node.target, ir.Name):
                self._assignments.append(node)
        elif isinstance(node, ir.Property) and isinstance(node.key, ir.Const) and node.kind in ("init", "method"):
            self.members[str(node.key.value)].append(node.value)
        elif isinstance(node, ir.ForEach):
            if isinstance(node.target, ir.Name):
                scope = (node.start, node.end)
                self.names[node.target.name].append(_Declared(node.start, scope, node.iterable, True))
        elif isinstance(node, ir.Call) and isinstance(node.callee, ir.Member) and node.arguments:
            callback = node.arguments[0]
            if node.callee.name in _EACH and isinstance(callback, ir.Function) and callback.parameters:
                first = callback.parameters[0]
                if isinstance(first, ir.Name):
                    scope = (callback.start, callback.end)
                    self.names[first.name].append(_Declared(callback.start, scope, node.callee.object, True))
                    self._items.add((callback.start, first.name))
        elif isinstance(node, ir.Function):
            for parameter in node.parameters:
                for name in _names(parameter):
                    if (node.start, name) not in self._items:
                        self.names[name].append(_Declared(node.start, (node.start, node.end), None, False))

    def _bind(self, target: ir.Pattern, value: ir.Expression | None, at: int) -> None:
        scope = self.scope(at)
        if isinstance(target, ir.Name):
            self.names[target.name].append(_Declared(at, scope, value, False))
        elif isinstance(target, ir.ObjectPattern):
            for item in target.properties:
                name = item.target.target if isinstance(item.target, ir.DefaultPattern) else item.target
                if isinstance(name, ir.Name) and isinstance(item.key, ir.Const) and value is not None:
                    member = ir.Member(at, at, value, str(item.key.value), False)
                    self.names[name.name].append(_Declared(at, scope, member, False))
        elif isinstance(target, ir.ArrayPattern) and isinstance(value, ir.Array):
            for one, other in zip(target.items, value.items, strict=False):
                if isinstance(one, ir.Name) and other is not None:
                    self.names[one.name].append(_Declared(at, scope, other, False))

    def created_name(self, at: int) -> str:
        """The name of the element that the call at a place creates, "" where it can't be told."""
        return self._created.get(at, "")

    def _creates(self, node: ir.Call) -> Target:
        names = [text_of(argument) or "" for argument in node.arguments[:2]]
        self._created[node.start] = next((name for name in names[::-1] if re.fullmatch(r"[a-z][a-z0-9-]*", name)), "")
        return Target("", Site(self.path, node.start, node.end))

    def starting(self) -> list[ir.Function]:
        """Functions that run whenever the script does: called by its top level, or once the page has loaded."""
        found: list[ir.Function] = []
        queue: list[ir.Expression] = [item.expression for item in self.body if isinstance(item, ir.Evaluate)]
        queue += [item.value for item in self.body if isinstance(item, ir.Declare) and item.value is not None]
        while queue:
            node = queue.pop(0)
            node = node.value if isinstance(node, ir.Await) else node
            if not isinstance(node, ir.Call):
                continue
            called: ir.Expression | None = node.callee
            if isinstance(called, ir.Member) and called.name == "addEventListener" and len(node.arguments) > 1:
                called = node.arguments[1] if text_of(node.arguments[0]) in ("DOMContentLoaded", "load") else None
            if isinstance(called, ir.Name):
                called = self.functions.get(called.name)
            if isinstance(called, ir.Function) and called not in found:
                found.append(called)
                queue += [item.expression for item in called.body if isinstance(item, ir.Evaluate)]
        return found

    def declared(self, name: str, at: int) -> list[_Declared]:
        """Declarations and assignments of a name as it stands at a place: those of the innermost scope that has it."""
        held = [item for item in self.names.get(name, ()) if item.scope[0] <= at < item.scope[1]]
        innermost = max((item.scope[0] for item in held), default=-1)
        return [item for item in held if item.scope[0] == innermost]

    def values_of(self, name: str, at: int) -> list[ir.Expression]:
        """Expressions that a name may stand for at a place."""
        return [item.value for item in self.declared(name, at) if item.value is not None]

    # ---------------------------------------------------------------- elements

    def target(self, node: ir.Expression, steps: int = MAX_STEPS) -> Target | None:
        """The element that an expression stands for, None where that can't be told."""
        if steps <= 0:
            return None
        key = id(node)
        if key not in self._targets:
            self._targets[key] = None  # a name that leads back to itself stands for nothing known
            self._targets[key] = self._target(node, steps)
        return self._targets[key]

    def _target(self, node: ir.Expression, steps: int) -> Target | None:
        if isinstance(node, ir.Call):
            return self._called(node, steps)
        if isinstance(node, ir.Name):
            if node.name == "document":
                return Target(":root")
            found = {self.target(value, steps - 1) for value in self.values_of(node.name, node.start)}
            found.discard(None)
            if len(found) == 1:
                return found.pop()
            if not found and node.name in self.imports and self.foreign is not None:
                return self._foreign(node.name, steps)
            return None
        if isinstance(node, ir.Member):
            if isinstance(node.object, ir.Name) and node.object.name == "document":
                return {"body": Target("body"), "documentElement": Target(":root"), "head": Target("head")}.get(
                    node.name
                )
            if node.name in ("currentTarget", "target", "current", "parentElement", "parentNode", "firstElementChild"):
                return None
            found = {self.target(value, steps - 1) for value in self.members.get(node.name, ())}
            found.discard(None)
            if not found and isinstance(node.object, ir.Name) and node.object.name in self.imports:
                return self._foreign_member(node.object.name, node.name, steps)
            return found.pop() if len(found) == 1 else None
        if isinstance(node, ir.Index):
            return self.target(node.object, steps - 1)
        if isinstance(node, (ir.Await, ir.Spread)):
            return self.target(node.value, steps - 1)
        if isinstance(node, ir.Logical):
            return self.target(node.operands[0], steps - 1)
        if isinstance(node, ir.Assign):
            return self.target(node.value, steps - 1)
        return None

    def _foreign(self, name: str, steps: int) -> Target | None:
        specifier, imported = self.imports[name]
        found = self.foreign(specifier, imported) if self.foreign is not None else None
        return found[0].target(found[1], steps - 1) if found is not None else None

    def _foreign_member(self, name: str, member: str, steps: int) -> Target | None:
        specifier, imported = self.imports[name]
        if self.foreign is None:
            return None
        found = self.foreign(specifier, member if imported == "*" else imported)
        if found is None:
            return None
        script, value = found
        if imported == "*":
            return script.target(value, steps - 1)
        if isinstance(value, ir.Object):
            for item in value.properties:
                if isinstance(item.key, ir.Const) and item.key.value == member:
                    return script.target(item.value, steps - 1)
        return None

    def _called(self, node: ir.Call, steps: int) -> Target | None:
        text = text_of(node.arguments[0]) if node.arguments else None
        callee = node.callee
        if isinstance(callee, ir.Member):
            if callee.name in ("createElement", "createElementNS"):
                return self._creates(node)
            if text is not None and callee.name in _LOOKUPS:
                return Target(_lookup(callee.name, text))
            if text is not None and callee.name in _QUERIES:
                base = self.target(callee.object, steps - 1) if callee.name.startswith("query") else None
                if base is not None and base.selector not in ("", ":root", "body"):
                    return Target(f"{base.selector} {text}") if "," not in text + base.selector else Target(text)
                return Target(text)
            if callee.name in ("filter", "values", "slice", "from"):
                return self.target(callee.object if callee.name != "from" else node.arguments[0], steps - 1)
            if callee.name in _INSERTIONS and node.arguments and callee.name == "appendChild":
                return self.target(node.arguments[0], steps - 1)
            return None
        if isinstance(callee, ir.Name) and text is not None:
            kind = self.helper(callee.name)
            if kind == "id":
                return Target(_lookup("getElementById", text.lstrip("#")))
            if kind == "create":
                return self._creates(node)
            if kind == "selector":
                return Target(text)
        if isinstance(callee, ir.Name) and callee.name in self.functions:
            function = self.functions[callee.name]
            found = {self.target(item.value, steps - 1) for item in function.body if _gives(item) and item.value}
            return found.pop() if len(found) == 1 else None
        return None

    def helper(self, name: str) -> str:
        """What a small function does with its text: "id", "selector", "create", or "" where it isn't such a one."""
        function = self.functions.get(name)
        if function is None:
            for value in (item.value for item in self.names.get(name, ())):
                if isinstance(value, ir.Call) and isinstance(value.callee, ir.Member) and value.callee.name == "bind":
                    bound = value.callee.object
                    if isinstance(bound, ir.Member):
                        return {"querySelector": "selector", "getElementById": "id"}.get(bound.name, "")
            if name in self.imports and self.foreign is not None:
                found = self.foreign(*self.imports[name])
                if found is not None and isinstance(found[1], ir.Function):
                    function = found[1]
        if function is None or not function.parameters or len(function.body) > 12:
            return "selector" if function is None and name in ("$", "$$", "jQuery") else ""
        first = function.parameters[0]
        first = first.target if isinstance(first, ir.DefaultPattern) else first
        if not isinstance(first, ir.Name):
            return ""
        for node in walk(function.body):
            if isinstance(node, ir.Call) and isinstance(node.callee, ir.Member) and node.arguments:
                argument = node.arguments[0]
                if isinstance(argument, ir.Name) and argument.name == first.name:
                    kinds = {"getElementById": "id", "createElement": "create"}
                    if node.callee.name in kinds:
                        return kinds[node.callee.name]
                    if node.callee.name in ("querySelector", "querySelectorAll"):
                        return "selector"
        return ""

    # -------------------------------------------------------------------- acts

    def read(self, doing: Doing) -> None:
        """Note every act of the script."""
        for node in self.nodes:
            if isinstance(node, ir.Assign) and isinstance(node.target, ir.Member):
                self._assigned(node, node.target, doing)
            elif isinstance(node, ir.Call):
                self._call(node, doing)

    def _act(self, kind: str, node: ir.Node, receiver: ir.Expression, doing: Doing, **more: object) -> bool:
        target = self.target(receiver)
        if target is not None:
            doing.acts.append(Act(kind, target, Site(self.path, node.start, node.end), self, **more))  # type: ignore[arg-type]
        return target is not None

    def _assigned(self, node: ir.Assign, place: ir.Member, doing: Doing) -> None:
        name, receiver = place.name, place.object
        if name == "hidden":
            is_shown = isinstance(node.value, ir.Const) and not node.value.value
            self._act("show" if is_shown else "hide", node, receiver, doing, child=node.value)
        elif name.startswith("on") and name[2:] in POINTER_EVENTS:
            self._act("listen", node, receiver, doing)
        elif name in ("className", "id"):
            names = tuple(words_of(node.value)) if name == "className" else ()
            kind = "class" if name == "className" else "id"
            if not self._act(kind, node, receiver, doing, names=names, child=node.value):
                doing.toggled.update(names)
        elif name in ("innerHTML", "outerHTML"):
            self._act("markup" if name == "innerHTML" else "touch", node, receiver, doing, child=node.value)
        elif isinstance(receiver, ir.Member) and receiver.name == "style":
            if name == "cssText" or _HARMLESS_STYLES.match(name) is None:
                self._act("style", node, receiver.object, doing, names=(name,), child=node.value)
            else:
                self._act("look", node, receiver.object, doing)
        elif name == "style":
            self._act("style", node, receiver, doing, names=("cssText",), child=node.value)

    def _call(self, node: ir.Call, doing: Doing) -> None:
        callee = node.callee
        first = text_of(node.arguments[0]) if node.arguments else None
        if isinstance(callee, ir.Name):
            if first is not None:
                kind = self.helper(callee.name)
                if kind == "id":
                    doing.mentions.add("#" + first.lstrip("#"))
                elif kind == "selector" or first.startswith(("#", ".")):
                    doing.mentions.update(_mentioned(first))
            return
        if not isinstance(callee, ir.Member):
            return
        name, receiver = callee.name, callee.object
        if first is not None:
            if name in _QUERIES or first.startswith(("#", ".")):
                doing.mentions.update(_mentioned(first))
            elif name == "getElementById":
                doing.mentions.add(f"#{first}")
            elif name == "getElementsByClassName":
                doing.mentions.update(f".{word}" for word in first.split())
        if name in ("setAttribute", "toggleAttribute", "removeAttribute") and first is not None:
            self._attribute(node, name, first, receiver, doing)
        elif name in ("addEventListener", "on") and first in POINTER_EVENTS:
            self._act("listen", node, receiver, doing)
        elif isinstance(receiver, ir.Member) and receiver.name == "classList":
            names = tuple(word for argument in node.arguments for word in words_of(argument))
            kind = "add" if name == "add" else "class"
            if name in ("add", "toggle", "replace", "remove") and not self._act(
                kind, node, receiver.object, doing, names=names
            ):
                doing.toggled.update(names)
        elif name in _INSERTIONS:
            children = node.arguments[:1] if name == "insertBefore" else node.arguments
            for child in children:
                self._act("insert", node, receiver, doing, child=child)
        elif name == "insertAdjacentHTML" and len(node.arguments) > 1:
            self._act("markup", node, receiver, doing, child=node.arguments[1])
        elif name == "removeChild" and node.arguments:
            self._act("touch", node, node.arguments[0], doing)
        elif name in _REMOVALS:
            self._act("touch", node, receiver, doing)
        elif name in ("addClass", "toggleClass") and first is not None:
            doing.toggled.update(first.split())
        elif isinstance(receiver, ir.Member) and receiver.name == "style" and name == "setProperty":
            harmless = first is not None and first.startswith("--")
            self._act("look" if harmless else "touch", node, receiver.object, doing)
        elif name in ("assign",) and node.arguments:
            style = node.arguments[0]
            if isinstance(style, ir.Member) and style.name == "style":
                self._act("touch", node, style.object, doing)

    def _attribute(self, node: ir.Call, method: str, name: str, receiver: ir.Expression, doing: Doing) -> None:
        if name == "hidden":
            forced = node.arguments[1] if len(node.arguments) > 1 else None
            shows = method == "removeAttribute" or (
                method == "toggleAttribute" and isinstance(forced, ir.Const) and not forced.value
            )
            self._act("show" if shows else "hide", node, receiver, doing)
        elif name == "class" and len(node.arguments) > 1:
            names = tuple(words_of(node.arguments[1]))
            if not self._act("class", node, receiver, doing, names=names):
                doing.toggled.update(names)
        elif name == "style" and len(node.arguments) > 1:
            self._act("style", node, receiver, doing, names=("cssText",), child=node.arguments[1])
        elif name in ("inert", "popover", "open"):
            self._act("touch", node, receiver, doing)
        elif len(node.arguments) > 1:
            self._act("attribute", node, receiver, doing, names=(name,), child=node.arguments[1])


def doing_of(scripts: Sequence[Script]) -> Doing:
    """Everything that some scripts do."""
    doing = Doing()
    for script in scripts:
        script.read(doing)
    return doing


def text_of(node: ir.Expression) -> str | None:
    """A literal text."""
    if isinstance(node, ir.Const) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ir.Template) and len(node.parts) == 1:
        return text_of(node.parts[0])
    return None


def _gives(statement: ir.Statement) -> TypeGuard[ir.Return]:
    return isinstance(statement, ir.Return) and statement.value is not None


def _names(pattern: ir.Pattern) -> Iterator[str]:
    for item in walk([pattern]):
        if isinstance(item, ir.Name):
            yield item.name


def _lookup(method: str, text: str) -> str:
    if method == "getElementById":
        return "#" + _escaped(text)
    if method == "getElementsByClassName":
        return "".join("." + _escaped(word) for word in text.split())
    if method == "getElementsByName":
        return f'[name="{text}"]'
    return text


def _escaped(text: str) -> str:
    return re.sub(r"([^\w\-\u0080-\uffff])|\A(\d)", lambda found: f"\\{ord(found.group()):x} ", text)


def _mentioned(selector: str) -> set[str]:
    return set(re.findall(r"[#.](?:[\w-]|[^\x00-\x7f])+", selector))
