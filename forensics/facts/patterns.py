"""Assigning to patterns. Source: ECMA-262, chapters 8.6 and 13.15.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from forensics.facts import values as v
from forensics.facts.execution import (
    Scope,
)
from forensics.facts.state import (
    Completion,
)
from forensics.facts.values import (
    UNDEFINED,
    External,
    JsArray,
    JsMap,
    JsObject,
    Undefined,
    Unknown,
    Value,
)
from forensics.syntax import ir

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter


def destructure(
    i: Interpreter, target: ir.Pattern, value: Value, scope: Scope, write: Callable[[str, Value], None]
) -> None:
    if isinstance(target, ir.Name):
        write(target.name, value)
    elif isinstance(target, ir.DefaultPattern):
        value = with_default(i, value, target, scope)
        destructure(i, target.target, value, scope, write)
    elif isinstance(target, ir.ObjectPattern):
        destructure_object(i, target, value, scope, write)
    elif isinstance(target, ir.ArrayPattern):
        destructure_array(i, target, value, scope, write)
    elif isinstance(target, ir.Member):
        i.set_at(i.evaluate(target.object, scope), v.private_name(target.name), value, target)
    elif isinstance(target, ir.Index):
        owner = i.evaluate(target.object, scope)
        i.set_at(owner, i.property_key(i.evaluate(target.index, scope)), value, target)
    elif isinstance(target, ir.RestPattern):
        destructure(i, target.target, value, scope, write)


def with_default(i: Interpreter, value: Value, target: ir.DefaultPattern, scope: Scope) -> Value:
    if isinstance(value, Undefined):
        value = i.evaluate(target.default, scope)
        if isinstance(target.target, ir.Name):
            i.name_function(value, target.target.name, target.default)
        return value
    if not isinstance(value, Unknown):
        return value
    may_be_undefined = not value.closed or any(not _is_defined(item) for item in value.candidates)
    if not may_be_undefined:
        return value
    found: list[Value] = []

    def default() -> Completion | None:
        found.append(i.evaluate(target.default, scope))
        return None

    i.state.fork(default, lambda: None)
    others = tuple(item for item in value.candidates if not isinstance(item, Undefined))
    tag = "" if value.tag == v.ABSENT else value.tag
    if not found:
        return Unknown(value.reason, tag, others, value.closed)
    more, closed = (found[0].candidates, found[0].closed) if isinstance(found[0], Unknown) else ((found[0],), True)
    return Unknown(value.reason, tag, (*others, *more), value.closed and closed)


def destructure_object(
    i: Interpreter, target: ir.ObjectPattern, value: Value, scope: Scope, write: Callable[[str, Value], None]
) -> None:
    if value is None or (isinstance(value, Undefined) and not value.reason):
        i.throw("TypeError", f"Cannot destructure '{v.to_text(value)}' as it is {v.to_text(value)}.")
    taken: list[str] = []
    for item in target.properties:
        key = i.property_key(i.evaluate(item.key, scope))
        found: Value = Unknown("a computed property name")
        if key is not None:
            taken.append(key)
            found = i.member(value, key, item)
        destructure(i, item.target, found, scope, write)
    if target.rest is None:
        return
    rest: Value = Unknown(v.reason_of(value))
    if isinstance(value, JsObject) and not isinstance(value, JsMap):
        kept = {key: item for key, item in value.properties.items() if key not in taken and i.is_enumerable(value, key)}
        rest = JsObject({key: i.get(item, value) for key, item in kept.items()}, value.complete)
        rest.shuffled = value.shuffled
    destructure(i, target.rest, rest, scope, write)


def destructure_array(
    i: Interpreter, target: ir.ArrayPattern, value: Value, scope: Scope, write: Callable[[str, Value], None]
) -> None:
    has_rest = any(isinstance(item, ir.RestPattern) for item in target.items)
    items: list[Value] = []
    rest: v.Rest | None = None
    for item in i.elements(value) if target.items else ():
        if isinstance(item, v.Rest):
            rest = item
            break
        items.append(item)
        if not has_rest and len(items) >= len(target.items):
            break
    for index, element in enumerate(target.items):
        if element is None:
            continue
        if isinstance(element, ir.RestPattern):
            tail: Value = Unknown(rest.reason) if rest is not None else JsArray(items[index:])
            destructure(i, element.target, tail, scope, write)
        elif index < len(items):
            destructure(i, element, items[index], scope, write)
        elif rest is not None:
            member = i.member(value, str(index)) if isinstance(value, External) else Unknown(rest.reason)
            destructure(i, element, member, scope, write)
        else:
            destructure(i, element, UNDEFINED, scope, write)


def _is_defined(value: Value) -> bool:
    return not isinstance(value, (Undefined, Unknown))
