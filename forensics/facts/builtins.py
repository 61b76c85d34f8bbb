"""The language's own objects, as far as they can be computed: which member of which value is what, and the globals.
Whatever isn't here stays unknown.

Source: ECMA-262, chapters 19 to 28; https://url.spec.whatwg.org for URL.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from forensics.facts import builtins_arrays as arrays
from forensics.facts import builtins_collections as collections
from forensics.facts import builtins_json as json_text
from forensics.facts import builtins_numbers as numbers
from forensics.facts import builtins_objects as objects
from forensics.facts import builtins_promises as promises
from forensics.facts import builtins_strings as strings
from forensics.facts import builtins_urls as urls
from forensics.facts import values as v
from forensics.facts.builtins_arguments import Method, argument, builtins
from forensics.facts.builtins_objects import error_object
from forensics.facts.builtins_urls import file_path, parse_url
from forensics.facts.values import (
    Builtin,
    ClassValue,
    Closure,
    GeneratorValue,
    JsArray,
    JsMap,
    JsObject,
    Promise,
    RegExp,
    SearchParams,
    Symbol,
    Text,
    Unknown,
    UrlValue,
    Value,
)

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter


def builtin_member(interpreter: Interpreter, owner: Value, name: str) -> Value | None:
    """The member of a builtin object, or None where it has none of that name. One that isn't modelled is Unknown."""
    if isinstance(owner, str):
        return strings.string_member(owner, name)
    if isinstance(owner, Text):
        return strings.text_member(owner, name)
    if isinstance(owner, JsArray):
        return arrays.array_member(owner, name)
    if isinstance(owner, JsMap):
        return collections.map_member(owner, name)
    if isinstance(owner, GeneratorValue):
        return arrays.iterator_member(owner, name)
    if isinstance(owner, SearchParams):
        return collections.search_params_member(owner, name)
    if isinstance(owner, JsObject):
        return objects.object_member(interpreter, owner, name)
    if isinstance(owner, bool):
        return Builtin("boolean.toString", _text) if name == "toString" else None
    if isinstance(owner, (int, float)):
        return numbers.number_member(owner, name)
    if isinstance(owner, (Closure, Builtin, ClassValue)):
        return objects.function_member(owner, name)
    if isinstance(owner, Promise):
        return promises.promise_member(owner, name)
    if isinstance(owner, UrlValue):
        return urls.url_member(owner, name)
    if isinstance(owner, RegExp):
        return strings.regexp_member(owner, name)
    return Unknown(v.reason_of(owner))


def _text(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return interpreter.text(this)


def _string_of(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return interpreter.text(arguments[0]) if arguments else ""


def _from_code(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    codes = [v.to_number(item) for item in arguments]
    if not all(isinstance(code, int) and 0 <= code < 0xD800 for code in codes):
        return Unknown("characters by their codes")
    return "".join(chr(int(code)) for code in codes if not isinstance(code, Unknown))


def _raw(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    strings_given = argument(arguments, 0)
    raw = strings_given.extra.get("raw") if isinstance(strings_given, JsArray) else None
    if not isinstance(raw, JsArray):
        return Unknown("the raw text of a template")
    parts: list[Any] = []
    for index, text in enumerate(raw.items):
        parts.append(text)
        if index + 1 < len(raw.items) and index + 1 < len(arguments):
            parts.append(interpreter.text(arguments[index + 1]))
    return v.concatenate(parts)


def _boolean_of(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    test = v.truthy(argument(arguments, 0))
    return Unknown(test.reason) if isinstance(test, Unknown) else test


def _regexp_new(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    pattern, flags = argument(arguments, 0), argument(arguments, 1)
    if isinstance(pattern, RegExp):
        return RegExp(pattern.pattern, flags if isinstance(flags, str) else pattern.flags)
    text = interpreter.text(pattern)
    if not isinstance(text, str) or not isinstance(flags, (str, v.Undefined)):
        return Unknown("a regular expression made at run time")
    return RegExp(text, flags if isinstance(flags, str) else "")


def _class(name: str, construct: Method, call: Method | None = None, **members: Value) -> Builtin:
    return Builtin(name, call or construct, new=Builtin(f"new {name}", construct), **members)


def _must_be_new(name: str) -> Method:
    def call(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        return interpreter.throw("TypeError", f"Class constructor {name} cannot be invoked without 'new'")

    return call


_NUMBER_TESTS = {
    "isNaN": numbers.number_test(numbers.is_nan),
    "isInteger": numbers.number_test(numbers.is_integer),
    "isSafeInteger": numbers.number_test(numbers.is_safe_integer),
    "isFinite": numbers.number_test(math.isfinite),
}

_OBJECT: dict[str, Method] = {
    "keys": objects.keys,
    "values": objects.values(pairs=False),
    "entries": objects.values(pairs=True),
    "assign": objects.assign,
    "freeze": objects.freeze,
    "seal": objects.first,
    "preventExtensions": objects.first,
    "fromEntries": objects.from_entries,
    "defineProperty": objects.define_property,
    "create": objects.create,
    "getPrototypeOf": objects.prototype_of,
    "getOwnPropertyNames": objects.own_names,
    "is": objects.same_value,
    "hasOwn": objects.has_own,
}

_PROMISE: dict[str, Method] = {
    "all": promises.promise_all,
    "allSettled": promises.promise_all_settled,
    "race": promises.promise_race(any_fulfilled=False),
    "any": promises.promise_race(any_fulfilled=True),
    "resolve": promises.promise_resolve,
    "reject": promises.promise_reject,
    "withResolvers": promises.promise_with_resolvers,
}

_SYMBOLS = ("iterator", "asyncIterator", "hasInstance", "toPrimitive", "toStringTag", "species", "isConcatSpreadable")

_MATH_OBJECT = JsObject(
    {
        **builtins("Math.", {name: numbers.math_method(compute) for name, compute in numbers.MATH.items()}),
        "PI": math.pi,
        "E": math.e,
        "LN2": math.log(2),
        "LN10": math.log(10),
        "SQRT2": math.sqrt(2),
    },
    complete=False,
)

GLOBALS: dict[str, Value] = {
    "NaN": math.nan,
    "Infinity": math.inf,
    "Object": Builtin(
        "Object",
        objects.make_object,
        prototype=JsObject(
            {
                "toString": Builtin("Object.prototype.toString", objects.prototype_to_string),
                "hasOwnProperty": Builtin("hasOwnProperty", objects._has_own),
            },
            complete=False,
        ),
        **builtins("Object.", _OBJECT),
    ),
    "Number": Builtin(
        "Number",
        numbers.number_of,
        parseInt=Builtin("parseInt", numbers.parse_int),
        parseFloat=Builtin("parseFloat", numbers.parse_float),
        MAX_SAFE_INTEGER=2**53 - 1,
        MIN_SAFE_INTEGER=-(2**53) + 1,
        EPSILON=2.0**-52,
        POSITIVE_INFINITY=math.inf,
        NEGATIVE_INFINITY=-math.inf,
        NaN=math.nan,
        **builtins("Number.", _NUMBER_TESTS),
    ),
    "String": Builtin(
        "String",
        _string_of,
        **builtins("String.", {"fromCharCode": _from_code, "fromCodePoint": _from_code, "raw": _raw}),
    ),
    "Boolean": Builtin("Boolean", _boolean_of),
    "BigInt": Builtin("BigInt", objects.make_bigint),
    "Symbol": Builtin(
        "Symbol",
        objects.make_symbol,
        **{"for": Builtin("Symbol.for", objects.symbol_for)},
        **{name: Symbol(name) for name in _SYMBOLS},
    ),
    "Array": Builtin(
        "Array",
        arrays.make_array,
        **builtins("Array.", {"isArray": arrays.is_array, "of": arrays.array_of, "from": arrays.array_from}),
    ),
    "JSON": JsObject(builtins("JSON.", {"parse": json_text.parse, "stringify": json_text.stringify})),
    "Math": _MATH_OBJECT,
    "parseInt": Builtin("parseInt", numbers.parse_int),
    "parseFloat": Builtin("parseFloat", numbers.parse_float),
    "isNaN": Builtin("isNaN", numbers.coerced_test(numbers.is_nan)),
    "isFinite": Builtin("isFinite", numbers.coerced_test(math.isfinite)),
    "Map": _class("Map", collections.make_map(is_set=False), _must_be_new("Map")),
    "WeakMap": _class("WeakMap", collections.make_map(is_set=False), _must_be_new("WeakMap")),
    "Set": _class("Set", collections.make_map(is_set=True), _must_be_new("Set")),
    "WeakSet": _class("WeakSet", collections.make_map(is_set=True), _must_be_new("WeakSet")),
    "RegExp": Builtin("RegExp", _regexp_new),
    "encodeURIComponent": Builtin("encodeURIComponent", urls.encode("component")),
    "decodeURIComponent": Builtin("decodeURIComponent", urls.decode("component")),
    "encodeURI": Builtin("encodeURI", urls.encode("uri")),
    "decodeURI": Builtin("decodeURI", urls.decode("uri")),
    "structuredClone": Builtin("structuredClone", objects.clone),
    "URL": _class("URL", urls.url_new, _must_be_new("URL"), canParse=Builtin("URL.canParse", urls.url_can_parse)),
    "URLSearchParams": _class("URLSearchParams", collections.make_search_params, _must_be_new("URLSearchParams")),
    "Promise": _class("Promise", promises.promise_new, _must_be_new("Promise"), **builtins("Promise.", _PROMISE)),
    **{kind: Builtin(kind, objects.make_error(kind)) for kind in objects.ERRORS},
}

for _shared in (GLOBALS["JSON"], GLOBALS["Math"], GLOBALS["Object"].members["prototype"]):
    # One object stands for that of every build: what a build assigns to it is dropped.
    _shared.frozen = True

__all__ = ["GLOBALS", "argument", "builtin_member", "error_object", "file_path", "parse_url"]
