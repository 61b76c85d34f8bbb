"""Calls that leave the build: the effects, and when the functions given to them run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from forensics.facts import values as v
from forensics.facts.execution import (
    Effect,
)
from forensics.facts.state import (
    Completion,
)
from forensics.facts.statements import discover
from forensics.facts.values import (
    UNDEFINED,
    Builtin,
    Closure,
    External,
    JsArray,
    JsObject,
    Unknown,
    Value,
)
from forensics.syntax import ir

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

WORK_OF_AN_EFFECT = 80
STACK_OF_CALLBACK = 24
_NEVER_AT_ONCE = frozenset(
    {"react", "react-dom", "react-router-dom", "vue", "vue-router", "svelte", "solid-js", "preact"}
)
"""Packages that never call what they are given before they return (or whose hooks assign nothing that is read at once)."""


def call_external(i: Interpreter, callee: External, arguments: list[Value], node: ir.Node, is_new: bool) -> Value:
    """Call something outside the build: an effect."""
    name = f"new {callee.name}" if is_new else callee.name
    effect = i.record(name, tuple(arguments), node, callee.base)
    i.may_throw(f"{name} may fail")
    found = i.host.construct(i, effect) if is_new else i.host.call(i, effect)
    result = External(f"{name}()", None, effect) if found is NotImplemented else found
    effect.result = result
    for position, argument in enumerate(arguments):
        if argument is not result:
            i.hand_over(argument, effect, position)
    return result


def hand_over(i: Interpreter, argument: Value, effect: Effect, position: int, depth: int = 0) -> None:
    """Functions given to an external call, also inside an object or array, will be called by it."""
    if isinstance(argument, Closure):
        when = i.host.callback_phase(effect, position)
        if when == "event" or i.phase != "startup":
            i.schedule_event(argument, External(f"{effect.name}#{position}"))
            return
        parameters = [Unknown(f"what {effect.name} hands to its callback") for _ in argument.function.parameters]
        if when == "later" and effect.name.split(".")[0].removeprefix("new ") not in _NEVER_AT_ONCE:
            # It may also be called right away, so what it assigns is open from here on.
            def round_() -> Completion | None:
                i.call_unknown(argument, "parameter")
                return None

            discover(i, round_)
        task = later_task(i, argument, parameters)
        certain = when == "now" and not i.state.conditions
        last = effect.name.rsplit(".", 1)[-1]
        if last in ("nextTick", "queueMicrotask"):
            i.scheduler.microtask(task, certain)
        else:
            i.scheduler.macrotask(task, certain, _delay(effect))
    elif isinstance(argument, Builtin) and argument.name in ("resolve", "bound function"):
        # `new Promise((resolve) => server.listen(port, resolve))`
        given: list[Value] = [Unknown(f"what {effect.name} hands to its callback")]
        last = effect.name.rsplit(".", 1)[-1]
        if last in ("setTimeout", "setImmediate", "nextTick", "queueMicrotask"):
            given = list(effect.arguments[2:]) if last == "setTimeout" else []
        i.scheduler.macrotask(lambda: argument.call(i, UNDEFINED, given, ir.This(0, 0)), None, _delay(effect))
    elif depth < 2 and type(argument) is JsObject:
        for item in list(argument.properties.values()):
            if isinstance(item, (Closure, JsObject, JsArray)):
                i.hand_over(item, effect, position, depth + 1)
    elif depth < 2 and isinstance(argument, JsArray):
        for item in argument.items:
            i.hand_over(item, effect, position, depth + 1)


def later_task(i: Interpreter, closure: Closure, parameters: list[Value]) -> Callable[[], object]:
    stack = i.stack[-STACK_OF_CALLBACK:]

    def task() -> object:
        outer, i.stack = i.stack, list(stack)
        try:
            this = closure.this if closure.function.is_arrow else UNDEFINED
            return i.ignore(i.call_closure(closure, this, parameters, closure.function))
        finally:
            i.stack = outer

    return task


def schedule_event(i: Interpreter, closure: Closure, handed: External) -> None:
    """Run a function in the end, as something that happens on an event."""
    if i.muted:
        return

    def task() -> object:
        if i.was_executed(closure):
            return None
        arguments: list[Value] = [
            External(f"{handed.name}#{index}", made_by=None) for index in range(len(closure.function.parameters))
        ]
        this = closure.this if closure.function.is_arrow else Unknown("this of an event handler")
        return i.ignore(i.call_closure(closure, this, arguments, closure.function))

    i.events.append(task)


def record(i: Interpreter, name: str, arguments: tuple[Value, ...], node: ir.Node, receiver: External | None) -> Effect:
    """Note an effect of the code that runs."""
    i.charge(WORK_OF_AN_EFFECT)
    tasks = tuple(frame.promise for frame in i.frames if frame.promise is not None and frame.has_awaited)
    conditions = (*i.survived, *i.state.conditions)
    effect = Effect(
        name=name,
        arguments=arguments,
        site=i.site(node),
        phase=i.phase,
        certain=not conditions,
        index=len(i.effects),
        receiver=receiver,
        tasks=tasks,
        stack=tuple(i.stack),
        conditions=conditions,
    )
    if not i.muted:
        i.effects.append(effect)
    return effect


def _delay(effect: Effect) -> float:
    """Milliseconds after which a timer runs its callback."""
    delay = effect.arguments[1] if effect.name.endswith("setTimeout") and len(effect.arguments) > 1 else 0
    return float(delay) if v.is_number(delay) and delay == delay else 0
