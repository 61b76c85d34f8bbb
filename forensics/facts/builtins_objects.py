"""Object, functions, errors, symbols. Source: ECMA-262, chapters 20 and 28."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from forensics.facts import values as v
from forensics.facts.builtins_arguments import Method, argument
from forensics.facts.values import (
    UNDEFINED,
    BigIntValue,
    Builtin,
    ClassValue,
    Closure,
    External,
    Getter,
    JsArray,
    JsMap,
    JsObject,
    Namespace,
    RegExp,
    Symbol,
    Undefined,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

ERRORS = (
    "Error",
    "TypeError",
    "RangeError",
    "SyntaxError",
    "ReferenceError",
    "URIError",
    "EvalError",
    "AggregateError",
)
_symbols = itertools.count(1)


def error_object(kind: str, message: Value) -> JsObject:
    """An error as the language itself throws it."""
    made = JsObject({"message": message})
    made.error = kind
    made.hidden = frozenset({"message", "stack", "cause"})
    return made


def make_error(kind: str) -> Method:
    def construct(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        message = argument(arguments, 0)
        made = error_object(kind, UNDEFINED)
        del made.properties["message"]
        if not (isinstance(message, Undefined) and not message.reason):
            made.properties["message"] = interpreter.text(message)
        options = argument(arguments, 1)
        if isinstance(options, JsObject) and "cause" in options.properties:
            made.properties["cause"] = options.properties["cause"]
        return made

    return construct


def object_member(interpreter: Interpreter, owner: JsObject, name: str) -> Value | None:
    """What an object has from the language: Object.prototype and Error.prototype. None for no such property."""
    if owner.error:
        if name == "name":
            return owner.error
        if name == "message":
            return ""
        if name == "stack":
            return Unknown("an error's stack")
    match name:
        case "hasOwnProperty" | "propertyIsEnumerable":
            return Builtin(name, _has_own)
        case "toString" | "toLocaleString":
            return Builtin(name, _to_string)
        case "valueOf":
            return Builtin(name, _itself)
        case "constructor":
            return owner.made_by if owner.made_by is not None else Unknown("the constructor of an object")
        case "__proto__" | "isPrototypeOf":
            return Unknown(f"{name} of an object")
    return None


def function_member(owner: Closure | Builtin | ClassValue, name: str) -> Value | None:
    if name == "name":
        if isinstance(owner, Builtin):
            return Unknown("the name of a builtin")
        return owner.name
    if name == "length" and isinstance(owner, Closure):
        from forensics.syntax import ir

        plain = 0
        for parameter in owner.function.parameters:
            if isinstance(parameter, (ir.DefaultPattern, ir.RestPattern)):
                break
            plain += 1
        return plain
    method = {"call": _call, "apply": _apply, "bind": _bind}.get(name)
    if method is not None:
        return Builtin(f"function.{name}", method)
    if isinstance(owner, Builtin) or name in ("length", "toString", "prototype", "constructor", "hasOwnProperty"):
        return Unknown(f"{name} of a function is not modelled")
    return None


def _itself(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return this


def _to_string(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return v.to_text(this)


def _has_own(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return _has_own_property(interpreter, this, argument(arguments, 0))


def has_own(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return _has_own_property(interpreter, argument(arguments, 0), argument(arguments, 1))


def _has_own_property(interpreter: Interpreter, owner: Value, name: Value) -> Value:
    key = interpreter.property_key(name)
    if key is not None and isinstance(owner, JsObject) and not isinstance(owner, JsMap):
        if key in owner.properties:
            found = owner.properties[key]
            return Unknown(found.reason) if isinstance(found, Unknown) and found.tag == v.ABSENT else True
        if owner.complete and not isinstance(owner, v.Environment):
            return False
        if isinstance(owner, v.Environment):
            return Unknown(f"{key} is set by the machine") if owner.outside(key) else False
    if key is not None and isinstance(owner, (JsArray, Namespace)):
        return interpreter.has_property(owner, key)
    return Unknown("whether a property exists")


def prototype_to_string(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    """`Object.prototype.toString`"""
    if isinstance(this, JsArray):
        return "[object Array]"
    if isinstance(this, (Closure, Builtin, ClassValue)):
        return "[object Function]"
    if isinstance(this, bool):
        return "[object Boolean]"
    if isinstance(this, (int, float)):
        return "[object Number]"
    if isinstance(this, (str, v.Text)):
        return "[object String]"
    if this is None:
        return "[object Null]"
    if isinstance(this, Undefined) and not this.reason:
        return "[object Undefined]"
    if isinstance(this, RegExp):
        return "[object RegExp]"
    if isinstance(this, JsMap):
        return "[object Set]" if this.is_set else "[object Map]"
    if isinstance(this, JsObject) and this.error:
        return "[object Error]"
    if type(this) is JsObject and this.complete and interpreter.has_property(this, "@@toStringTag") is False:
        return "[object Object]"
    return Unknown("what kind of object it is")


# --------------------------------------------------------------------- static methods


def keys(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    found = interpreter.keys(argument(arguments, 0))
    return JsArray(complete=False) if isinstance(found, Unknown) else JsArray(found)


def values(pairs: bool) -> Method:
    """`Object.values`, or `Object.entries`."""

    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        owner = argument(arguments, 0)
        found = interpreter.keys(owner)
        if isinstance(found, Unknown):
            return JsArray(complete=False)
        items = [interpreter.member(owner, key) for key in found]
        return JsArray([JsArray([key, item]) for key, item in zip(found, items, strict=True)] if pairs else items)

    return method


def assign(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    target = argument(arguments, 0)
    for source in arguments[1:]:
        if source is None or isinstance(source, (Undefined, bool, int, float)):
            continue
        names = interpreter.keys(source)
        if isinstance(names, Unknown):
            if isinstance(source, JsObject):
                if source.shuffled and isinstance(target, JsObject):
                    interpreter.write(target.__dict__, "shuffled", True)
                for key, item in source.properties.items():
                    if isinstance(item, Unknown) and item.tag == v.ABSENT:
                        _assign_perhaps(interpreter, target, key, item, node)
                    else:
                        interpreter.set_member(target, key, interpreter.get(item, source), node)
                if not source.complete:
                    _blur(interpreter, target, set(source.properties))
            else:
                interpreter.forget(target)
            continue
        for key in names:
            interpreter.set_member(target, key, interpreter.member(source, key), node)
    return target


def _assign_perhaps(interpreter: Interpreter, target: Value, key: str, item: Unknown, node: Any) -> None:
    present = Unknown(item.reason, "", tuple(option for option in item.candidates if not isinstance(option, Undefined)))
    interpreter.maybe(lambda: interpreter.set_member(target, key, present, node))


def _blur(interpreter: Interpreter, target: Value, sure: set[str]) -> None:
    """Any property but the sure ones may have been set."""
    if isinstance(target, JsObject):
        for key in list(target.properties):
            if key not in sure:
                interpreter.write(target.properties, key, Unknown("a property that may have been set"))
        interpreter.write(target.__dict__, "complete", False)
    elif not isinstance(target, (Closure, ClassValue, External)):
        interpreter.forget(target)


def from_entries(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    items = interpreter.iterate(argument(arguments, 0))
    if isinstance(items, Unknown):
        return JsObject(complete=False)
    made = JsObject()
    for item in items:
        if not isinstance(item, JsArray) or not item.complete:
            return JsObject(complete=False)
        key = interpreter.property_key(argument(item.items, 0))
        if key is None:
            return JsObject(complete=False)
        made.properties[key] = argument(item.items, 1)
    return made


def freeze(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    target = argument(arguments, 0)
    if isinstance(target, (JsObject, JsArray)):
        interpreter.write(target.__dict__, "frozen", True)
    return target


def first(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return argument(arguments, 0)


def make_object(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    value = argument(arguments, 0)
    if value is None or (isinstance(value, Undefined) and not value.reason):
        return JsObject()
    return value if interpreter.is_object(value) else Unknown("an object around a primitive")


def define_property(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    target, name, given = (argument(arguments, index) for index in range(3))
    key = interpreter.property_key(name)
    if isinstance(target, (Closure, ClassValue)) and key is not None and isinstance(given, JsObject):
        interpreter.write(target.properties, key, given.properties.get("value", Unknown("an accessor of a function")))
        return target
    if not isinstance(target, JsObject) or key is None or not isinstance(given, JsObject) or not given.complete:
        interpreter.forget(target)
        return target
    getter, setter = given.properties.get("get"), given.properties.get("set")
    if isinstance(getter, Closure) or isinstance(setter, Closure):
        made: Value = Getter(
            getter if isinstance(getter, Closure) else None, setter if isinstance(setter, Closure) else None
        )
    else:
        made = given.properties.get("value", UNDEFINED)
    known = key in target.properties
    enumerable = v.truthy(given.properties.get("enumerable", known and key not in target.hidden))
    interpreter.write(target.properties, key, made)
    if enumerable is not True:
        interpreter.write(target.__dict__, "hidden", target.hidden | {key})
        if isinstance(enumerable, Unknown):
            interpreter.write(target.__dict__, "complete", False)
    return target


def create(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    parent = argument(arguments, 0)
    made = JsObject()
    if isinstance(parent, JsObject):
        made.prototype = parent
    elif parent is not None:
        made.complete = False
    if len(arguments) > 1:
        made.complete = False
    return made


def prototype_of(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    owner = argument(arguments, 0)
    if isinstance(owner, JsObject) and owner.prototype is not None:
        return owner.prototype
    return Unknown("a prototype")


def own_names(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    owner = argument(arguments, 0)
    found = interpreter.keys(owner)
    if isinstance(found, Unknown) or isinstance(owner, (JsArray, str)) or getattr(owner, "hidden", None):
        return JsArray(complete=False)
    return JsArray(found)


def same_value(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    """`Object.is`"""
    one, other = argument(arguments, 0), argument(arguments, 1)
    if v.is_number(one) and v.is_number(other):
        return (one != one and other != other) or (one == other and str(one) == str(other))
    return v.strictly_equal(one, other)


def clone(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    """`structuredClone`"""
    return _cloned(interpreter, argument(arguments, 0), {}, 0)


def _cloned(interpreter: Interpreter, value: Value, done: dict[int, Value], depth: int) -> Value:
    if id(value) in done:
        return done[id(value)]
    if depth > 50:
        return Unknown("an object that nests deeply")
    interpreter.step()
    if isinstance(value, JsArray):
        made = done[id(value)] = JsArray(complete=value.complete, holes=value.holes)
        made.items = [_cloned(interpreter, item, done, depth + 1) for item in value.items]
        return made
    if type(value) is JsObject and not value.error:
        copy = done[id(value)] = JsObject(complete=value.complete)
        for key, item in value.properties.items():
            if interpreter.is_enumerable(value, key):
                copy.properties[key] = _cloned(interpreter, interpreter.get(item, value), done, depth + 1)
        return copy
    if isinstance(value, (Closure, Builtin, ClassValue, Symbol)):
        return interpreter.throw("DataCloneError", "it could not be cloned")
    return value if isinstance(value, v.PRIMITIVES) else Unknown("a copy of an object")


# ------------------------------------------------------------------------- functions


def _call(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return interpreter.call(this, argument(arguments, 0), arguments[1:], node)


def _apply(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    listed = argument(arguments, 1)
    items = [] if listed is None or listed == UNDEFINED else interpreter.iterate(listed)
    given = [Unknown("arguments in an array")] if isinstance(items, Unknown) else items
    return interpreter.call(this, argument(arguments, 0), given, node)


def _bind(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    bound, before = this, arguments[1:]
    receiver = argument(arguments, 0)

    def call_bound(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        return interpreter.call(bound, receiver, [*before, *arguments], node)

    return Builtin("bound function", call_bound)


# --------------------------------------------------------------------------- symbols


def make_symbol(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return Symbol(f"{v.to_text(argument(arguments, 0))}#{next(_symbols)}")


def symbol_for(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    text = interpreter.text(argument(arguments, 0))
    return Symbol(f"for {text}") if isinstance(text, str) else Unknown("a symbol")


def make_bigint(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    value = interpreter.primitive(argument(arguments, 0), "number")
    if isinstance(value, BigIntValue):
        return value
    if isinstance(value, int):
        return BigIntValue(int(value))
    if isinstance(value, str) and value.strip().isdigit() and value.isascii() and len(value) < 1_000:
        return BigIntValue(int(value))
    return Unknown("a big integer")
