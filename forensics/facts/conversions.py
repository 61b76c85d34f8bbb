"""Conversions that may run the build's own code. Source: ECMA-262, chapter 7.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forensics.facts import members
from forensics.facts import values as v
from forensics.facts.state import (
    MISSING,
)
from forensics.facts.values import (
    UNDEFINED,
    Closure,
    External,
    JsArray,
    JsObject,
    Text,
    Undefined,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter


def primitive(i: Interpreter, value: Value, hint: str) -> Value:
    """ECMA-262 ToPrimitive: objects become what their valueOf or toString gives."""
    if isinstance(value, (*v.PRIMITIVES, Unknown, Text)) or not i.is_object(value):
        return value
    if isinstance(value, (JsObject, Closure)):
        order = ("toString", "valueOf") if hint == "string" else ("valueOf", "toString")
        for name in ("@@toPrimitive", *order):
            method = own_method(i, value, name)
            if isinstance(method, Unknown):
                return method
            if isinstance(method, Closure):
                given: list[Value] = [hint] if name.startswith("@@") else []
                result = i.call(method, value, given, method.function)
                if not i.is_object(result):
                    return result
    return i.text(value) if isinstance(value, JsArray) else v.to_text(value)


def own_method(i: Interpreter, value: JsObject | Closure, name: str) -> Value:
    """A method that the build itself defined on an object or its prototypes; UNDEFINED if there is none."""
    if isinstance(value, Closure):
        return i.get(value.properties.get(name, UNDEFINED), value)
    found = members.inherited(i, value, name)
    if found is not MISSING:
        return i.get(found, value)
    return UNDEFINED if value.complete else Unknown(f"a method {name} that may have been set")


def text(i: Interpreter, value: Value) -> str | Text | Unknown:
    """ECMA-262 ToString."""
    if isinstance(value, JsArray) and value.complete:
        i.charge(len(value.items))
        texts = [
            "" if item is None or (isinstance(item, Undefined) and not item.reason) else i.text(item)
            for item in value.items
        ]
        return v.join(",", texts)
    if isinstance(value, (JsObject, Closure)):
        return v.to_text(i.primitive(value, "string"))
    return v.to_text(value)


def property_key(i: Interpreter, value: Value) -> str | None:
    """ECMA-262 ToPropertyKey; None where it isn't known. Well-known symbols are `@@name`."""
    if isinstance(value, str):
        return value
    if isinstance(value, External) and value.name.startswith("Symbol."):
        return "@@" + str(value.name.removeprefix("Symbol."))
    if isinstance(value, v.Symbol):
        return "@@" + value.key
    text = i.text(value)
    return text if isinstance(text, str) else None
