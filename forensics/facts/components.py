"""Elements that JSX makes: components expanded into what they return, down to host elements.

A page's tree is put together from where it is rendered (`createRoot(…).render(<App />)`). What is there only under a
condition (a branch, an early return, a list) carries that condition, so that two elements can be compared: whatever must hold
for the one must hold for the other. A component that can't be followed is an element without a name.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from forensics.facts.cascade import RELEVANT
from forensics.facts.dom_code import Script
from forensics.facts.elements import Element, alternatives, words_of
from forensics.facts.interpreter import Site
from forensics.syntax import ir

MAX_DEPTH = 24
MAX_ELEMENTS = 1500

# Components of the usual libraries that render what is between their tags and nothing else.
_TRANSPARENT = re.compile(
    r"(Provider|Router|Fragment|Suspense|StrictMode|Profiler|Context|ErrorBoundary|AnimatePresence|Switch|Routes)\Z"
)
_WRAPPERS = frozenset({"memo", "forwardRef", "observer", "withRouter", "lazy"})
_JOINERS = frozenset({"clsx", "classnames", "classNames", "cx", "cn", "twMerge", "classes"})
_UNITLESS = frozenset({"zIndex", "opacity", "flex", "order", "scale", "animationIterationCount"})
_POINTER = re.compile(r"on(Click|Mouse|Pointer|Touch|Drag|Drop|Double|Context|Wheel|Change|Submit|Input|KeyDown|Key)")

Children = Callable[["Element"], None]
ModuleEnding = Callable[[Script, str], "str | None"]


@dataclass(frozen=True)
class _Frame:
    """An instance of a component: what stands between its tags, and the props it was given."""

    number: int
    script: Script
    children: tuple[tuple[ir.Expression, _Frame], ...]
    depth: int


class ComponentReader:
    """Reads JSX into elements. `ending` gives what a CSS module's classes end in, None for a name that is no such module."""

    def __init__(self, ending: ModuleEnding) -> None:
        self.ending = ending
        self.numbers = itertools.count()
        self.count = 0

    def read(self, node: ir.Expression, script: Script) -> list[Element]:
        """The topmost elements that an expression renders."""
        top = Element("", Site(script.path, node.start, node.end), script.path)
        self._put(top, node, _Frame(next(self.numbers), script, (), 0), frozenset())
        for item in top.children:
            item.parent = None
        return top.children

    def _put(self, parent: Element, node: ir.Expression, frame: _Frame, conditions: frozenset[str]) -> None:
        if frame.depth > MAX_DEPTH or self.count > MAX_ELEMENTS:
            return
        match node:
            case ir.Jsx():
                self._jsx(parent, node, frame, conditions)
            case ir.Conditional():
                self._put(parent, node.consequent, frame, conditions | {_condition(frame, node.consequent)})
                self._put(parent, node.alternate, frame, conditions | {_condition(frame, node.alternate)})
            case ir.Logical():
                for operand in node.operands[1:] if node.operator == "&&" else node.operands:
                    self._put(parent, operand, frame, conditions | {_condition(frame, operand)})
            case ir.Array():
                for item in node.items:
                    if item is not None:
                        self._put(parent, item, frame, conditions)
            case ir.Call():
                self._call(parent, node, frame, conditions)
            case ir.Name() | ir.Member():
                self._name(parent, node, frame, conditions)

    def _call(self, parent: Element, node: ir.Call, frame: _Frame, conditions: frozenset[str]) -> None:
        callee = node.callee
        if isinstance(callee, ir.Member) and callee.name in ("map", "flatMap") and node.arguments:
            function = node.arguments[0]
            if isinstance(function, ir.Function):
                for result in _returns(function):
                    self._put(parent, result, frame, conditions | {_condition(frame, node)})
        elif isinstance(callee, ir.Name) and callee.name in frame.script.functions:
            function = frame.script.functions[callee.name]
            deeper = _Frame(frame.number, frame.script, frame.children, frame.depth + 1)
            for result in _returns(function):
                several = len(_returns(function)) > 1
                more = {_condition(frame, result)} if several else set()
                self._put(parent, result, deeper, conditions | more)

    def _name(self, parent: Element, node: ir.Expression, frame: _Frame, conditions: frozenset[str]) -> None:
        name = node.name if isinstance(node, (ir.Name, ir.Member)) else ""
        if name == "children":
            for child, outer in frame.children:
                self._put(parent, child, outer, conditions)
            return
        if isinstance(node, ir.Name):
            values = frame.script.values_of(name, node.start)
            for value in values:
                more = {_condition(frame, value)} if len(values) > 1 else set()
                if isinstance(value, (ir.Jsx, ir.Conditional, ir.Logical, ir.Call, ir.Array)):
                    deeper = _Frame(frame.number, frame.script, frame.children, frame.depth + 1)
                    self._put(parent, value, deeper, conditions | more)

    def _jsx(self, parent: Element, node: ir.Jsx, frame: _Frame, conditions: frozenset[str]) -> None:
        tag = node.element
        if tag is None:
            self._children(parent, node, frame, conditions)
            return
        name = tag.value if isinstance(tag, ir.Const) and isinstance(tag.value, str) else ""
        if not name and isinstance(tag, ir.Member) and isinstance(tag.object, ir.Name):
            if tag.object.name in ("motion", "m", "animated"):
                name = tag.name
            elif _TRANSPARENT.search(tag.name):
                self._children(parent, node, frame, conditions)
                return
        if name:
            element = self._host(node, name, frame)
            element.conditions = conditions
            element.any_style = element.any_style or not isinstance(tag, ir.Const)
            parent.append(element)
            self._children(element, node, frame, frozenset())
            return
        component = tag.name if isinstance(tag, ir.Name) else ""
        found = self._component(frame.script, component, 8) if component else None
        if found is not None:
            script, function = found
            children = tuple((child, frame) for child in node.children)
            inner = _Frame(next(self.numbers), script, children, frame.depth + 1)
            results = _returns(function)
            for result in results:
                more = {_condition(inner, result)} if len(results) > 1 else set()
                self._put(parent, result, inner, conditions | more)
            return
        if component and _TRANSPARENT.search(component):
            self._children(parent, node, frame, conditions)
            return
        element = Element("", Site(frame.script.path, node.start, node.end), frame.script.path, conditions=conditions)
        self.count += 1
        parent.append(element)
        self._children(element, node, frame, frozenset())
        for attribute in node.attributes:  # <Route element={<Page />}>
            if isinstance(attribute.value, ir.Jsx):
                self._put(element, attribute.value, frame, frozenset({_condition(frame, attribute.value)}))

    def _children(self, element: Element, node: ir.Jsx, frame: _Frame, conditions: frozenset[str]) -> None:
        for child in node.children:
            self._put(element, child, frame, conditions)

    def _component(self, script: Script, name: str, steps: int) -> tuple[Script, ir.Function] | None:
        """The function of a component: declared here or imported, bare or in memo() and the like."""
        if steps <= 0:
            return None
        value: ir.Expression | None = script.functions.get(name)
        owner = script
        if value is None:
            known = [item.value for item in script.names.get(name, ()) if item.value is not None]
            value = known[0] if len(known) == 1 else None
        if value is None and name in script.imports and script.foreign is not None:
            found = script.foreign(*script.imports[name])
            if found is not None:
                owner, value = found
        while isinstance(value, ir.Call) and value.arguments and _called_name(value) in _WRAPPERS:
            value = value.arguments[0]
        if isinstance(value, ir.Name):
            return self._component(owner, value.name, steps - 1)
        return (owner, value) if isinstance(value, ir.Function) else None

    # ------------------------------------------------------------------- attributes

    def _host(self, node: ir.Jsx, name: str, frame: _Frame) -> Element:
        self.count += 1
        element = Element(name, Site(frame.script.path, node.start, _head_end(node)), frame.script.path)
        for attribute in node.attributes:
            value = attribute.value
            if attribute.name == "...":
                element.any_style = element.any_class = True
            elif attribute.name in ("className", "class"):
                self._classes(element, value, frame)
            elif attribute.name == "style":
                _style(element, value)
            elif _POINTER.match(attribute.name):
                element.listens = True
            elif attribute.name == "hidden":
                if isinstance(value, ir.Const):
                    if value.value:
                        element.attributes["hidden"] = "" if value.value is True else str(value.value)
                else:
                    element.maybe_attributes |= {"hidden"}
            elif isinstance(value, ir.Const):
                if value.value is not False and value.value is not None:
                    element.attributes[attribute.name.lower()] = "" if value.value is True else str(value.value)
            elif attribute.name not in ("disabled", "open", "inert", "key"):
                element.attributes[attribute.name.lower()] = None
            elif attribute.name == "inert":
                element.maybe_attributes |= {"inert"}
        return element

    def _classes(self, element: Element, value: ir.Expression, frame: _Frame) -> None:
        """Class names of an expression: surely there, possible, or not to be told."""
        module = self._module_class(value, frame)
        if module is not None:
            element.classes |= {module}
            return
        match value:
            case ir.Const():
                element.classes |= frozenset(value.value.split()) if isinstance(value.value, str) else frozenset()
            case ir.Template():
                self._template(element, value, frame)
            case ir.Call() if _called_name(value) in _JOINERS:
                for argument in value.arguments:
                    self._classes(element, argument, frame)
            case ir.Call(callee=ir.Member(name="join" | "filter" | "trim") as callee):
                self._classes(element, callee.object, frame)
            case ir.Array():
                for item in value.items:
                    if item is not None:
                        self._classes(element, item, frame)
            case ir.Object():
                for member in value.properties:
                    if isinstance(member.key, ir.Const):
                        element.maybe_classes |= frozenset(str(member.key.value).split())
                    else:
                        element.any_class = True
            case ir.Binary(operator="+"):
                for item in value.operands:
                    self._classes(element, item, frame)
            case _:
                constant = self._constant(value, frame) if isinstance(value, ir.Name) else None
                if constant is not None:
                    self._classes(element, constant, frame)
                else:
                    self._possible(element, value, frame)

    def _constant(self, node: ir.Name, frame: _Frame) -> ir.Expression | None:
        values = frame.script.values_of(node.name, node.start)
        declared = frame.script.declared(node.name, node.start)
        return values[0] if len(values) == 1 == len(declared) and not isinstance(values[0], ir.Name) else None

    def _template(self, element: Element, value: ir.Template, frame: _Frame) -> None:
        glued = ""  # what stands directly before or after an expression makes a word with it
        for place, part in enumerate(value.parts):
            text = part.value if isinstance(part, ir.Const) and isinstance(part.value, str) else None
            if text is None:
                following = value.parts[place + 1] if place + 1 < len(value.parts) else None
                after = following.value if isinstance(following, ir.Const) and isinstance(following.value, str) else " "
                if (glued and not glued[-1].isspace()) or (after and not after[0].isspace()):
                    element.any_class = True
                else:
                    self._possible_or_sure(element, part, frame)
                continue
            words = text.split()
            if words and place + 1 < len(value.parts) and not text[-1].isspace():
                words.pop()
            if words and place > 0 and not text[0].isspace():
                words.pop(0)
            element.classes |= frozenset(words)
            glued = text

    def _possible_or_sure(self, element: Element, value: ir.Expression, frame: _Frame) -> None:
        module = self._module_class(value, frame)
        if module is not None:
            element.classes |= {module}
        else:
            self._possible(element, value, frame)

    def _possible(self, element: Element, value: ir.Expression, frame: _Frame) -> None:
        known = alternatives(value)
        if known is not None:
            element.maybe_classes |= known
            return
        options: list[ir.Expression] = []
        if isinstance(value, ir.Conditional):
            options = [value.consequent, value.alternate]
        elif isinstance(value, ir.Logical):
            options = value.operands[1:] if value.operator == "&&" else value.operands
        if not options:
            element.any_class = True
            element.maybe_classes |= frozenset(words_of(value))
        for option in options:
            module = self._module_class(option, frame)
            if module is not None:
                element.maybe_classes |= {module}
            else:
                self._possible(element, option, frame)

    def _module_class(self, value: ir.Expression, frame: _Frame) -> str | None:
        """The class that `styles.name` of a CSS module stands for."""
        owner: ir.Expression | None = None
        name = ""
        if isinstance(value, ir.Member):
            owner, name = value.object, value.name
        elif isinstance(value, ir.Index) and isinstance(value.index, ir.Const):
            owner, name = value.object, str(value.index.value)
        if not isinstance(owner, ir.Name):
            return None
        ending = self.ending(frame.script, owner.name)
        return None if ending is None else name + ending


def _condition(frame: _Frame, node: ir.Node) -> str:
    return f"{frame.number}:{frame.script.path}:{node.start}"


def _called_name(node: ir.Call) -> str:
    callee = node.callee
    return callee.name if isinstance(callee, (ir.Name, ir.Member)) else ""


def _head_end(node: ir.Jsx) -> int:
    """About where the start tag ends."""
    return max([item.end for item in node.attributes] + [node.start + 1])


def _returns(function: ir.Function) -> list[ir.Expression]:
    """What a function itself returns, inner functions left out; null and texts are no elements."""
    return [
        item.value
        for item in _own(function.body)
        if isinstance(item, ir.Return) and item.value is not None and not isinstance(item.value, ir.Const)
    ]


def _own(body: list[ir.Statement]) -> Iterator[ir.Statement]:
    stack: list[ir.Statement] = list(body)[::-1]
    while stack:
        item = stack.pop()
        yield item
        inner: list[ir.Statement] = []
        match item:
            case ir.If():
                inner = [*item.consequent, *item.alternate]
            case ir.Block() | ir.Labelled() | ir.For() | ir.ForEach() | ir.While():
                inner = item.body
            case ir.Try():
                inner = [*item.block, *(item.handler or []), *item.finalizer]
            case ir.Switch():
                inner = [statement for case in item.cases for statement in case.body]
        stack.extend(inner[::-1])


def _style(element: Element, value: ir.Expression) -> None:
    """The style object of an element."""
    if not isinstance(value, ir.Object):
        element.any_style = True
        return
    found = []
    for item in value.properties:
        if item.kind != "init" or not isinstance(item.key, ir.Const):
            element.any_style = True
            continue
        written = str(item.key.value)
        name = re.sub(r"[A-Z]", lambda match: "-" + match.group().lower(), written)
        name = "-" + name if name.startswith(("webkit-", "moz-", "ms-")) else name
        if isinstance(item.value, ir.Unary) and item.value.operator == "-" and isinstance(item.value.operand, ir.Const):
            number: object = -float(item.value.operand.value or 0)
        elif isinstance(item.value, ir.Const):
            number = item.value.value
        else:
            element.any_style = element.any_style or name in RELEVANT
            continue
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            unit = "" if written in _UNITLESS or number == 0 else "px"
            number = f"{number:g}{unit}"
        if isinstance(number, str):
            found.append(ir.CssDeclaration(name, number, False, item.start, item.end))
    element.style = tuple(found)


def rendered_roots(script: Script) -> Iterator[tuple[ir.Expression, ir.Expression | None]]:
    """What a script renders, each with the expression of the element it is rendered into (None: not told).

    `createRoot(x).render(<App />)`, `ReactDOM.render(<App />, x)`, `hydrateRoot(x, <App />)`.
    """
    for node in script.nodes:
        if not isinstance(node, ir.Call):
            continue
        name = _called_name(node)
        if name == "hydrateRoot" and len(node.arguments) > 1 and isinstance(node.arguments[1], ir.Jsx):
            yield node.arguments[1], node.arguments[0]
        elif name == "render" and node.arguments and isinstance(node.arguments[0], ir.Jsx):
            if len(node.arguments) > 1:
                yield node.arguments[0], node.arguments[1]
                continue
            holder = node.callee.object if isinstance(node.callee, ir.Member) else None
            if isinstance(holder, ir.Name):
                values = script.values_of(holder.name, holder.start)
                holder = values[0] if len(values) == 1 else None
            if isinstance(holder, ir.Call) and _called_name(holder) == "createRoot" and holder.arguments:
                yield node.arguments[0], holder.arguments[0]
            else:
                yield node.arguments[0], None
