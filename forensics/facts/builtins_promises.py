"""Promises and what is made of several. Source: ECMA-262, chapter 27.2."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from forensics.facts import values as v
from forensics.facts.builtins_arguments import Method, argument
from forensics.facts.scheduling import NOT_SETTLED
from forensics.facts.state import JsThrow
from forensics.facts.values import (
    UNDEFINED,
    Builtin,
    Closure,
    External,
    JsArray,
    JsObject,
    Promise,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter


def promise_member(owner: Promise, name: str) -> Value:
    method = {"then": _then, "catch": _catch, "finally": _finally}.get(name)
    return Builtin(f"promise.{name}", method) if method else Unknown(f"{name} of a promise is not modelled")


def _pending() -> Promise:
    return Promise(Unknown(NOT_SETTLED), settled=False)


def _is_function(value: Value) -> bool:
    return isinstance(value, (Closure, Builtin, External))


def _react(
    interpreter: Interpreter, this: Promise, fulfilled: Value, rejected: Value, node: Any, pass_on: bool = False
) -> Promise:
    """Run one of two handlers once a promise is settled. With `pass_on` the handler's result is left aside."""
    result = _pending()

    def pass_outcome_on() -> None:
        settle = interpreter.scheduler.reject if this.rejected is True else interpreter.scheduler.resolve
        settle(result, this.value)

    def run() -> None:
        if this.awaited_at is None:
            this.awaited_at = len(interpreter.effects)
        handler = rejected if this.rejected is True else fulfilled
        if not _is_function(handler):
            pass_outcome_on()
            return
        value = this.value if this.settled is True else Unknown(NOT_SETTLED)
        try:
            given = interpreter.call(handler, UNDEFINED, [] if pass_on else [value], node)
        except JsThrow as thrown:
            interpreter.scheduler.reject(result, thrown.value)
            return
        if pass_on:
            interpreter.scheduler.when_settled(given, pass_outcome_on)
        else:
            interpreter.scheduler.resolve(result, given)

    if interpreter.muted:
        interpreter.run_callbacks([item for item in (fulfilled, rejected) if isinstance(item, Closure)])
        return Promise(Unknown("what a handler of a promise gives"))
    interpreter.scheduler.when_settled(this, run)
    if (this.outside or isinstance(this.value, (Unknown, External)) or this.may_reject) and isinstance(
        rejected, Closure
    ):
        interpreter.schedule_event(rejected, External("promise.catch"))
    return result


def _then(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    if not isinstance(this, Promise):
        interpreter.run_callbacks(arguments)
        return Unknown("a promise that is not known")
    return _react(interpreter, this, argument(arguments, 0), argument(arguments, 1), node)


def _catch(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return _then(interpreter, this, [UNDEFINED, argument(arguments, 0)], node)


def _finally(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    if not isinstance(this, Promise):
        interpreter.run_callbacks(arguments)
        return Unknown("a promise that is not known")
    handler = argument(arguments, 0)
    return _react(interpreter, this, handler, handler, node, pass_on=True)


def as_promise(interpreter: Interpreter, value: Value) -> Promise:
    """`Promise.resolve(value)`"""
    if isinstance(value, Promise):
        return value
    if isinstance(value, JsObject) and not value.error:
        then = interpreter.member(value, "then")
        if not isinstance(then, v.Undefined):
            return Promise(Unknown("an object with a method then"))
    return Promise(value)


# ------------------------------------------------------------------------ several


def _several(interpreter: Interpreter, value: Value) -> list[Value] | Unknown:
    items = interpreter.iterate(value)
    if not isinstance(items, Unknown):
        for item in items:
            if isinstance(item, Promise):
                item.handled = True
    return items


def _settled_now(interpreter: Interpreter) -> bool:
    """Whether the outcome can be told at once, because what runs here can't wait."""
    return not interpreter.scheduler.can_stop or bool(interpreter.muted)


def promise_all(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    items = _several(interpreter, argument(arguments, 0))
    if isinstance(items, Unknown):
        return Promise(items)
    if _settled_now(interpreter):
        try:
            return Promise(JsArray(interpreter.await_value(item) for item in items))
        except JsThrow as thrown:
            made = _pending()
            interpreter.scheduler.reject(made, thrown.value)
            return made
    result = _pending()
    found: list[Value] = [UNDEFINED] * len(items)
    left = [len(items)]
    if not items:
        return Promise(JsArray())

    def one(index: int, item: Value) -> Callable[[], None]:
        def done() -> None:
            try:
                found[index] = interpreter.await_value(item)
            except JsThrow as thrown:
                interpreter.scheduler.reject(result, thrown.value)
                return
            if isinstance(item, Promise):
                result.may_reject = (*result.may_reject, *item.may_reject)
            left[0] -= 1
            if not left[0]:
                interpreter.scheduler.resolve(result, JsArray(found))

        return done

    for index, item in enumerate(items):
        interpreter.scheduler.when_settled(item, one(index, item))
    return result


def promise_all_settled(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    items = _several(interpreter, argument(arguments, 0))
    if isinstance(items, Unknown):
        return Promise(items)

    def outcome(item: Value) -> Value:
        if isinstance(item, Promise) and (item.outside or item.may_reject or item.rejected not in (True, False)):
            interpreter.await_value(item) if item.rejected is False else None
            return Unknown("whether a promise is rejected")
        try:
            return JsObject({"status": "fulfilled", "value": interpreter.await_value(item)})
        except JsThrow as thrown:
            return JsObject({"status": "rejected", "reason": thrown.value})

    if _settled_now(interpreter):
        return Promise(JsArray(outcome(item) for item in items))
    if not items:
        return Promise(JsArray())
    result = _pending()
    found: list[Value] = [UNDEFINED] * len(items)
    left = [len(items)]

    def one(index: int, item: Value) -> Callable[[], None]:
        def done() -> None:
            found[index] = outcome(item)
            left[0] -= 1
            if not left[0]:
                interpreter.scheduler.resolve(result, JsArray(found))

        return done

    for index, item in enumerate(items):
        interpreter.scheduler.when_settled(item, one(index, item))
    return result


def promise_race(any_fulfilled: bool) -> Method:
    """`Promise.race`, or `Promise.any`; known where nothing outside of the build takes part."""

    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        items = _several(interpreter, argument(arguments, 0))
        if isinstance(items, Unknown):
            return Promise(items)
        inside = all(
            not isinstance(item, (External, Unknown)) and not getattr(item, "outside", False) for item in items
        )
        if not inside or _settled_now(interpreter) or not items:
            for item in items:
                interpreter.await_value(item) if not getattr(item, "rejected", False) else None
            return Promise(Unknown("the first of several promises"))
        result = _pending()
        failed = [0]

        def one(item: Value) -> Callable[[], None]:
            def done() -> None:
                try:
                    value = interpreter.await_value(item)
                except JsThrow as thrown:
                    failed[0] += 1
                    if not any_fulfilled:
                        interpreter.scheduler.reject(result, thrown.value)
                    elif failed[0] == len(items):
                        interpreter.scheduler.reject(result, Unknown("an AggregateError"))
                    return
                interpreter.scheduler.resolve(result, value)

            return done

        for item in items:
            interpreter.scheduler.when_settled(item, one(item))
        return result

    return method


def promise_new(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    made = _pending()
    run = argument(arguments, 0)
    resolve, reject = _settlers(made)
    if _is_function(run):
        try:
            interpreter.call(run, UNDEFINED, [resolve, reject], node)
        except JsThrow as thrown:
            interpreter.scheduler.reject(made, thrown.value)
    elif not isinstance(run, Unknown):
        interpreter.throw("TypeError", "Promise resolver is not a function")
    return made


def _settlers(made: Promise) -> tuple[Builtin, Builtin]:
    def resolve(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        interpreter.scheduler.resolve(made, argument(arguments, 0))
        return UNDEFINED

    def reject(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        interpreter.scheduler.reject(made, argument(arguments, 0))
        return UNDEFINED

    return Builtin("resolve", resolve), Builtin("reject", reject)


def promise_with_resolvers(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    made = _pending()
    resolve, reject = _settlers(made)
    return JsObject({"promise": made, "resolve": resolve, "reject": reject})


def promise_resolve(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return as_promise(interpreter, argument(arguments, 0))


def promise_reject(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    made = _pending()
    interpreter.scheduler.reject(made, argument(arguments, 0))
    return made
