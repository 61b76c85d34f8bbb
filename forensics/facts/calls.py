"""Calling and constructing. Source: ECMA-262, chapters 10.2 and 15."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from forensics.facts import members
from forensics.facts import values as v
from forensics.facts.execution import (
    Frame,
    Scope,
    Site,
)
from forensics.facts.expressions import spread_items
from forensics.facts.scheduling import Generator
from forensics.facts.state import (
    Completion,
    captures_return,
    merged,
)
from forensics.facts.statements import discover, open_loop, pattern_names, run
from forensics.facts.values import (
    UNDEFINED,
    Builtin,
    ClassValue,
    Closure,
    External,
    GeneratorValue,
    JsArray,
    JsObject,
    MaybeShort,
    Promise,
    Short,
    Undefined,
    Unknown,
    Value,
)
from forensics.syntax import ir
from forensics.syntax.walk import walk

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

CALL_DEPTH = 150
OPEN_RECURSION = 4
FEW = 4
_NEVER_THROW = (
    "Array.isArray",
    "Boolean",
    "Math.",
    "Number",
    "String",
    "is",
    "map.",
    "parse",
    "string.t",
    "string.s",
    "array.i",
)
"""How builtins are named that throw for no value that a build is likely to hand them."""
_OF_VALUES = (
    "path.",
    "string.",
    "Math.",
    "Number",
    "parse",
    "String",
    "JSON.parse",
    "url.",
    "encodeURI",
    "decodeURI",
    "is",
)
"""How builtins are named that change nothing and depend on the values of their arguments alone."""


def call_link(i: Interpreter, node: ir.Call, scope: Scope) -> Value:
    if isinstance(node.callee, ir.Super):
        return call_super(i, node, scope)
    this, callee = i.callee(node.callee, scope)
    if isinstance(callee, Short):
        return callee
    if node.optional and (callee is None or isinstance(callee, Undefined)):
        return Short(callee if isinstance(callee, Undefined) else UNDEFINED)
    if isinstance(callee, MaybeShort):
        return _call_perhaps(i, callee.value, this, node, scope)
    some = v.without_nullish(callee) if node.optional and type(callee) is Unknown else None
    if some is not None:
        return _call_perhaps(i, some, this, node, scope)
    return _call_with_arguments(i, callee, this, node, scope)


def _call_perhaps(i: Interpreter, callee: Value, this: Value, node: ir.Call, scope: Scope) -> Value:
    """The end of an optional chain that perhaps ended before."""
    found: list[Value] = []

    def run_it() -> Completion | None:
        found.append(_call_with_arguments(i, callee, this, node, scope))
        return None

    i.state.fork(run_it, lambda: None)
    return MaybeShort(found[0]) if found else Short(UNDEFINED)


def _call_with_arguments(i: Interpreter, callee: Value, this: Value, node: ir.Call, scope: Scope) -> Value:
    arguments, complete = spread_items(i, node.arguments, scope)
    if not complete:
        arguments.append(Unknown("a spread argument", v.SPREAD))
    if type(this) is Unknown and type(callee) is Unknown and this.candidates and isinstance(node.callee, ir.Member):
        return call_on_candidates(i, this, node.callee.name, arguments, node, callee)
    return call(i, callee, this, arguments, node)


def call_on_candidates(
    i: Interpreter, this: Unknown, name: str, arguments: list[Value], node: ir.Node, callee: Unknown
) -> Value:
    """A method of one of several objects: each may be the one."""
    found: list[Value] = []

    def on(candidate: Value) -> Callable[[], Completion | None]:
        def run_one() -> Completion | None:
            found.append(call(i, i.member(candidate, name, node), candidate, arguments, node))
            return None

        return run_one

    options = [item for item in this.candidates if item is not None and not isinstance(item, (Undefined, Unknown))]
    if not options:
        i.run_callbacks(arguments)
        return Unknown(callee.reason)
    if this.closed:
        i.may_throw(f"{name} is called on what isn't known")
        i.state.fork(*[on(item) for item in options])
        result = found[0]
        for other in found[1:]:
            result = merged(result, other)
        return result
    for item in options:
        if not isinstance(item, External):
            i.state.maybe(on(item))
    return call(i, Unknown(callee.reason), this, arguments, node)


def call_super(i: Interpreter, node: ir.Call, scope: Scope) -> Value:
    frame = i.frames[-1]
    arguments, _ = spread_items(i, node.arguments, scope)
    home = frame.home
    this = frame.this
    if not isinstance(home, ClassValue) or not isinstance(this, JsObject):
        return UNDEFINED
    parent = home.superclass
    if isinstance(parent, ClassValue):
        initialise(i, parent, this, arguments, node)
    elif isinstance(parent, External):
        made = i.call_external(parent, arguments, node, is_new=True)
        if isinstance(made, External):
            this.base = made
    elif isinstance(parent, Builtin):
        initialise_builtin(i, parent, this, arguments)
    elif isinstance(parent, Closure):
        call_closure(i, parent, this, arguments, node)
        this.complete = False
    set_fields(i, home, this)
    return UNDEFINED


def call(i: Interpreter, callee: Value, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    """Call a value."""
    kind = type(callee)
    if kind is Closure:
        return call_closure(i, callee, this, arguments, node)
    if kind is External:
        return i.call_external(callee, arguments, node, is_new=False)
    if kind is Builtin:
        if arguments and _is_spread(arguments[-1]):
            return call_builtin_with_rest(i, callee, this, arguments, node)
        if callee.name.startswith(_OF_VALUES):
            for index, item in enumerate(arguments):
                if type(item) is Unknown and item.closed and 0 < len(item.candidates) <= FEW and _all_plain(item):
                    return call_for_each_option(i, callee, this, arguments, index, node)
        result = callee.call(i, this, arguments, node)
        if type(result) is Unknown and not callee.name.startswith(_NEVER_THROW):
            i.may_throw(f"{callee.name} may throw")
        return result
    if kind is Unknown:
        return call_one_of(i, callee, this, arguments, node)
    if kind is Undefined and callee.reason:
        i.may_throw("what is called may not be a function")
        i.run_callbacks(arguments)
        return Unknown(callee.reason)
    if kind is ClassValue:
        i.throw("TypeError", f"Class constructor {callee.name} cannot be invoked without 'new'")
    if isinstance(callee, JsObject) and not callee.complete:
        i.run_callbacks(arguments)
        return Unknown("what is called is not a function")
    return i.throw("TypeError", f"{i.written(node)} is not a function")


def call_for_each_option(
    i: Interpreter, callee: Builtin, this: Value, arguments: list[Value], index: int, node: ir.Node
) -> Value:
    """A call of which one argument is one of few values: each may be the one."""
    found: list[Value] = []

    def with_option(option: Value) -> Callable[[], Completion | None]:
        def run_one() -> Completion | None:
            given = [*arguments[:index], option, *arguments[index + 1 :]]
            found.append(call(i, callee, this, given, node))
            return None

        return run_one

    i.state.fork(*[with_option(option) for option in arguments[index].candidates])
    result = found[0]
    for other in found[1:]:
        result = merged(result, other)
    return result


def call_builtin_with_rest(
    i: Interpreter, callee: Builtin, this: Value, arguments: list[Value], node: ir.Node
) -> Value:
    """A call with an unknown number of further arguments."""
    i.may_throw(f"{callee.name} may throw")
    known = arguments[:-1]
    if callee.name == "array.push" and isinstance(this, JsArray):
        callee.call(i, this, known, node)
        i.write(this.__dict__, "complete", False)
    elif callee.name in ("Array.of", "array.concat", "Array"):
        made = callee.call(i, this, known, node)
        return JsArray(made.items if isinstance(made, JsArray) else known, complete=False)
    else:
        for item in (this, *known):
            i.forget(item)
        i.run_callbacks(known)
    return Unknown(f"{callee.name} of an unknown number of arguments")


def call_one_of(i: Interpreter, callee: Unknown, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    i.may_throw("what is called isn't known")
    functions = [item for item in callee.candidates if isinstance(item, (Closure, Builtin))]
    if callee.closed and len(functions) == len(callee.candidates) > 0:
        found: list[Value] = []

        def on(function: Value) -> Callable[[], Completion | None]:
            def run_one() -> Completion | None:
                found.append(call(i, function, this, arguments, node))
                return None

            return run_one

        i.state.fork(*[on(item) for item in functions])
        result = found[0]
        for other in found[1:]:
            result = merged(result, other)
        return result
    for item in functions:
        i.maybe(partial(i.call, item, this, arguments, node))
    i.run_callbacks(arguments)
    return Unknown(callee.reason)


def run_callbacks(i: Interpreter, arguments: list[Value]) -> None:
    """A function handed to something unknown (`list.map(f)` of an unknown list) runs some number of times."""
    for argument in arguments:
        if isinstance(argument, Closure):

            def round_(argument: Closure = argument) -> Completion | None:
                i.call_unknown(argument, "parameter")
                return None

            if i.was_executed(argument):
                if i.phase == "startup":
                    discover(i, round_)
            else:
                open_loop(i, round_)


def call_closure(i: Interpreter, closure: Closure, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    """Call a function of the build."""
    function = closure.function
    key = id(function)
    if not i.muted:
        i.executed.add(key)
    depth = i.active.get(key, 0)
    too_deep = depth >= (OPEN_RECURSION if i.state.conditions else CALL_DEPTH) or len(i.frames) >= CALL_DEPTH
    if too_deep:
        forget_assigned(i, closure)
        cut = Unknown("a function that calls itself")
        return Promise(cut) if function.is_async else cut
    frame = Frame(closure, closure.this if function.is_arrow else this, closure.module, home=closure.home)
    frame.is_static = closure.is_static
    if function.is_arrow and i.frames:
        frame.new_target = UNDEFINED

    def body() -> Value:
        return run_function(i, frame, arguments, node)

    if function.is_generator:
        return call_generator(i, frame, body)
    if function.is_async:
        frame.is_loose = node is not i.awaited_node
        return i.scheduler.call_async(frame, body)
    return body()


def run_function(i: Interpreter, frame: Frame, arguments: list[Value], node: ir.Node) -> Value:
    closure = frame.closure
    assert closure is not None
    function = closure.function
    key = id(function)
    scope = Scope(closure.scope, is_function=True)
    # Nothing of the build calls an event's handler: it stands for its own place.
    i.stack.append(i.site(node) if i.frames else Site(closure.module.path, node.start, node.end))
    i.frames.append(frame)
    depth = i.active.get(key, 0)
    i.active[key] = depth + 1

    def body() -> Completion | None:
        if not function.is_arrow:
            scope.variables["arguments"] = _argument_array(arguments, bool(arguments) and _is_spread(arguments[-1]))
        bind_parameters(i, function.parameters, arguments, scope)
        i.hoist(function.body, scope)
        return run(i, function.body, scope)

    try:
        completion = i.state.region(body, captures_return)
    finally:
        i.active[key] = depth
        if i.frames and i.frames[-1] is frame:
            i.frames.pop()
            i.stack.pop()
    return completion[1] if completion is not None else UNDEFINED


def forget_assigned(i: Interpreter, closure: Closure) -> None:
    """A call that isn't followed may assign to variables around the function."""
    names = i.assigned_names.get(id(closure.function))
    if names is None:
        found: set[str] = set()
        for item in walk(closure.function.body):
            if isinstance(item, (ir.Assign, ir.Update)):
                found.update(pattern_names(item.target))  # type: ignore[arg-type]
        names = i.assigned_names[id(closure.function)] = frozenset(found)
    for name in names:
        holder: Scope | None = closure.scope
        while holder is not None:
            if name in holder.variables:
                i.write(holder.variables, name, Unknown("a function that calls itself assigns it"))
                break
            holder = holder.parent


def bind_parameters(i: Interpreter, parameters: list[ir.Pattern], arguments: list[Value], scope: Scope) -> None:
    open_end = bool(arguments) and _is_spread(arguments[-1])
    for index, parameter in enumerate(parameters):
        if type(parameter) is ir.RestPattern:
            i.bind(parameter.target, _argument_array(arguments[index:], open_end), scope, scope)
            return
        missing: Value = Unknown("a spread argument") if open_end else UNDEFINED
        value = arguments[index] if index < len(arguments) else missing
        if type(parameter) is ir.Name:
            scope.variables[parameter.name] = value
        else:
            i.bind(parameter, value, scope, scope)


def construct(i: Interpreter, callee: Value, arguments: list[Value], node: ir.Node) -> Value:
    """`new callee(...arguments)`"""
    if isinstance(callee, ClassValue):
        made = JsObject(made_by=callee)
        initialise(i, callee, made, arguments, node)
        return made
    if isinstance(callee, External):
        return i.call_external(callee, arguments, node, is_new=True)
    if isinstance(callee, Builtin):
        constructor = callee.members.get("new", callee)
        result = constructor.call(i, UNDEFINED, arguments, node)
        if type(result) is Unknown:
            i.may_throw(f"new {callee.name} may throw")
        return result
    if isinstance(callee, Closure) and not callee.function.is_arrow and not callee.function.is_async:
        made = JsObject()
        prototype = members.closure_member(i, callee, "prototype")
        if isinstance(prototype, JsObject):
            made.prototype = prototype
        else:
            made.complete = False
        result = call_closure(i, callee, made, arguments, node)
        return result if i.is_object(result) or isinstance(result, (Unknown, External)) else made
    i.run_callbacks(arguments)
    if isinstance(callee, Unknown):
        i.may_throw("what is constructed isn't known")
        for candidate in callee.candidates:
            if isinstance(candidate, (ClassValue, Closure)):
                i.maybe(partial(i.construct, candidate, arguments, node))
        return Unknown(callee.reason)
    if isinstance(callee, Undefined) and callee.reason:
        return Unknown(callee.reason)
    return i.throw("TypeError", f"{i.written(node)} is not a constructor")


def initialise(i: Interpreter, callee: ClassValue, made: JsObject, arguments: list[Value], node: ir.Node) -> None:
    parent = callee.superclass
    if callee.constructor is None:
        if isinstance(parent, ClassValue):
            initialise(i, parent, made, arguments, node)
        elif isinstance(parent, External):
            base = i.call_external(parent, arguments, node, is_new=True)
            if isinstance(base, External):
                made.base = base
        elif isinstance(parent, Builtin):
            initialise_builtin(i, parent, made, arguments)
        elif parent is not None:
            made.complete = False
        set_fields(i, callee, made)
        return
    if parent is None:
        set_fields(i, callee, made)
    elif isinstance(parent, Unknown):
        made.complete = False
    result = call_closure(i, callee.constructor, made, arguments, node)
    if i.is_object(result):
        made.complete = False


def initialise_builtin(i: Interpreter, parent: Builtin, made: JsObject, arguments: list[Value]) -> None:
    if not parent.name.endswith("Error"):
        made.complete = False
        return
    made.error = parent.name
    made.hidden = frozenset({"message", "stack", "cause"})
    if arguments and not isinstance(arguments[0], Undefined):
        i.write(made.properties, "message", i.text(arguments[0]))


def set_fields(i: Interpreter, owner: ClassValue, made: JsObject) -> None:
    i.frames.append(Frame(None, made, owner.module, home=owner))
    try:
        for member, name in owner.fields:
            value = UNDEFINED if member.value is None else i.evaluate(member.value, owner.scope)
            if member.value is not None:
                i.name_function(value, name, member.value)
            i.write(made.properties, name, value)
    finally:
        i.frames.pop()


def call_generator(i: Interpreter, frame: Frame, body: Callable[[], Value]) -> Value:
    assert frame.closure is not None
    if frame.closure.function.is_async:
        i.maybe(body)
        return Unknown("what an asynchronous generator gives")
    if i.scheduler.can_stop and not i.muted:
        generator = Generator(i.scheduler, body)
        frame.generator = generator
        return GeneratorValue(generator.pull)
    # What runs here may be undone: the body runs ahead, and its yields are handed out one by one.
    frame.yielded = yielded = []
    found: list[Value] = []

    def run_body() -> None:
        frame.branching = i.state.branching
        found.append(body())

    i.maybe(run_body)
    result = found[0] if found else UNDEFINED
    if not found:
        yielded.append(v.Rest("a generator that throws"))
    position = {"next": 0}

    def pull(sent: Value) -> tuple[str, Value] | None:
        at = position["next"]
        if not isinstance(at, int):
            return None
        i.write(position, "next", at + 1)
        if at < len(yielded):
            return None if isinstance(yielded[at], v.Rest) else ("yield", yielded[at])
        return ("return", result if at == len(yielded) else UNDEFINED)

    return GeneratorValue(pull)


def yield_expression(i: Interpreter, value: Value, delegate: bool) -> Value:
    """What `yield value` gives once the generator is asked for more."""
    frame = i.frames[-1]
    items = i.elements(value) if delegate else iter([value])
    result: Value = UNDEFINED
    generator = frame.generator
    for item in items:
        is_rest = isinstance(item, v.Rest)
        if generator is not None and not generator.broken and not is_rest and i.scheduler.can_stop:
            result = generator.give(item)
            continue
        if generator is not None:
            # From here the body runs ahead, and what it yields can't be told.
            generator.broken = True
        elif frame.yielded is not None:
            frame.yielded.append(
                v.Rest("what a generator gives") if i.state.branching > frame.branching or is_rest else item
            )
        result = Unknown("what a generator is sent")
    return UNDEFINED if delegate else result


def _is_spread(value: Value) -> bool:
    return type(value) is Unknown and value.tag == v.SPREAD


def _all_plain(value: Unknown) -> bool:
    """Whether all that a value may be is known and can't be changed."""
    return all(
        isinstance(item, v.PRIMITIVES) and not (isinstance(item, Undefined) and item.reason)
        for item in value.candidates
    )


def _argument_array(arguments: list[Value], open_end: bool) -> JsArray:
    if not open_end:
        return JsArray(arguments)
    return JsArray([item for item in arguments if not _is_spread(item)], complete=False)
