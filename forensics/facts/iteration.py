"""Elements and keys of values. Source: ECMA-262, chapters 7.4 and 14.7.5."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from forensics.facts import members
from forensics.facts import values as v
from forensics.facts.values import (
    UNDEFINED,
    ClassValue,
    Closure,
    External,
    GeneratorValue,
    JsArray,
    JsMap,
    JsObject,
    Namespace,
    Promise,
    Text,
    Undefined,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

ELEMENTS = 100_000
"""How many elements a collection may have before its end counts as unknown."""


def elements(i: Interpreter, value: Value, is_async: bool = False) -> Iterator[Value]:
    """The elements that iteration gives, one by one; a `Rest` in last place where more may follow."""
    if isinstance(value, JsArray):
        position = 0
        while value.complete and position < len(value.items):
            yield value.items[position]
            position += 1
        if not value.complete:
            yield v.Rest("the elements of an array are not known")
    elif isinstance(value, str):
        yield from value
    elif isinstance(value, JsMap):
        if not value.complete:
            yield v.Rest("the entries of a map are not known")
            return
        for key, item in list(value.entries.values()):
            yield key if value.is_set else JsArray([key, item])
    elif isinstance(value, GeneratorValue):
        for _ in range(ELEMENTS):
            pulled = value.pull(UNDEFINED)
            if pulled is None:
                yield v.Rest("what a generator gives")
                return
            if pulled[0] == "return":
                return
            i.step()
            yield pulled[1]
        yield v.Rest("a generator without an end")
    elif isinstance(value, JsObject) and not is_async:
        yield from by_iterator(i, value)
    elif isinstance(value, (Unknown, External, Text, Promise, Undefined)) and (
        not isinstance(value, Undefined) or value.reason
    ):
        i.may_throw("what is iterated isn't known")
        yield v.Rest(v.reason_of(value))
    elif isinstance(value, JsObject) or not (value is None or isinstance(value, (bool, int, float, Undefined))):
        yield v.Rest(v.reason_of(value))
    else:
        i.throw("TypeError", f"{v.to_text(value)} is not iterable")


def by_iterator(i: Interpreter, value: JsObject) -> Iterator[Value]:
    method = members.object_member(i, value, "@@iterator")
    if isinstance(method, Undefined):
        i.throw("TypeError", "object is not iterable")
    if not isinstance(method, Closure):
        yield v.Rest("what is iterated isn't known")
        return
    iterator = i.call(method, value, [], method.function)
    if isinstance(iterator, (JsArray, GeneratorValue)):
        yield from i.elements(iterator)
        return
    for _ in range(ELEMENTS):
        i.step()
        step = i.call(i.member(iterator, "next"), iterator, [], method.function)
        done = v.truthy(i.member(step, "done")) if isinstance(step, JsObject) else Unknown("an iterator's result")
        if isinstance(done, Unknown):
            yield v.Rest(done.reason)
            return
        if done:
            return
        yield i.member(step, "value")


def iterate(i: Interpreter, value: Value) -> list[Value] | Unknown:
    """The elements that iteration over a value gives."""
    found: list[Value] = []
    for item in i.elements(value):
        if isinstance(item, v.Rest):
            return Unknown(item.reason)
        found.append(item)
        if len(found) > ELEMENTS:
            return Unknown("too many elements")
    i.charge(len(found))
    return found


def keys(i: Interpreter, value: Value) -> list[Value] | Unknown:
    """`Object.keys(value)`"""
    if isinstance(value, (v.Environment, GeneratorValue)):
        return Unknown("the keys of an object are not known")
    if isinstance(value, JsMap):
        return list(own_keys(value.properties))
    if isinstance(value, JsObject):
        if not value.complete or value.base is not None:
            return Unknown("the keys of an object are not known")
        absent = any(isinstance(item, Unknown) and item.tag == v.ABSENT for item in value.properties.values())
        if absent or value.shuffled is not False:
            return Unknown("the keys of an object depend on a condition")
        return [key for key in own_keys(value.properties) if i.is_enumerable(value, key)]
    if isinstance(value, JsArray):
        if not value.complete or value.holes:
            return Unknown("the elements of an array are not known")
        return [*(str(index) for index in range(len(value.items))), *value.extra]
    if isinstance(value, str):
        return [str(index) for index in range(len(value))] if value.isascii() else Unknown("the keys of a string")
    if isinstance(value, Namespace):
        return list(i.export_names(value.module))
    if isinstance(value, (bool, int, float)):
        return []
    if value is None or (isinstance(value, Undefined) and not value.reason):
        i.throw("TypeError", "Cannot convert undefined or null to object")
    if isinstance(value, (Closure, ClassValue)):
        return [
            key for key in own_keys(value.properties) if key != "prototype" and not key.startswith((v.PRIVATE, "@@"))
        ]
    return Unknown(v.reason_of(value))


def keys_in(i: Interpreter, value: Value) -> Iterator[Value]:
    """The names that `for (… in value)` goes through."""
    if value is None or (isinstance(value, Undefined) and not value.reason):
        return
    inherits = isinstance(value, JsObject) and (value.prototype is not None or value.made_by is not None)
    keys = (
        i.keys(value)
        if not inherits or (value.made_by is not None and value.prototype is None)
        else Unknown("inherited names")
    )
    if isinstance(keys, Unknown):
        yield v.Rest(keys.reason)
    else:
        yield from keys


def own_keys(properties: dict[str, Value]) -> list[str]:
    """Property names in the language's order: array indexes ascending, then strings as they were made."""
    indexes = [key for key in properties if key.isdigit() and str(int(key)) == key and int(key) < 2**32 - 1]
    if not indexes:
        return list(properties)
    seen = set(indexes)
    return sorted(indexes, key=int) + [key for key in properties if key not in seen]
