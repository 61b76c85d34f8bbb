"""JSON.parse and JSON.stringify. Source: ECMA-262, chapter 25.5."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from forensics.facts import values as v
from forensics.facts.builtins_arguments import argument, integer
from forensics.facts.values import (
    UNDEFINED,
    Builtin,
    ClassValue,
    Closure,
    GeneratorValue,
    JsArray,
    JsObject,
    RegExp,
    Symbol,
    Undefined,
    Unknown,
    UrlValue,
    Value,
)

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

LONGEST_TEXT = 1_000_000
DEEPEST = 200


def parse(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    text = interpreter.text(argument(arguments, 0))
    if not isinstance(text, str) or len(arguments) > 1:
        interpreter.run_callbacks(arguments[1:])
        return Unknown(v.reason_of(text) if not isinstance(text, str) else "JSON read with a function")
    if len(text) > LONGEST_TEXT or _nesting(text) > DEEPEST:
        return Unknown("very large JSON")
    interpreter.charge(len(text))
    try:
        return v.from_json(json.loads(text, parse_constant=_refuse, parse_int=_whole))
    except ValueError:
        return interpreter.throw("SyntaxError", "JSON that can't be parsed")


def _nesting(text: str) -> int:
    deepest = depth = 0
    for bracket in re.finditer(r"[\[{\]}]", text):
        depth += 1 if bracket[0] in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _refuse(name: str) -> None:
    raise ValueError(name)


def _whole(digits: str) -> int | float:
    if digits == "-0":
        return -0.0
    return v.number(float(digits)) if len(digits) > 15 else int(digits)


class _NotKnown(Exception):  # noqa: N818
    pass


def stringify(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    """Unknown where any part is."""
    value, replacer, space = (argument(arguments, index) for index in range(3))
    names: list[str] | None = None
    if isinstance(replacer, JsArray) and replacer.complete and all(isinstance(item, str) for item in replacer.items):
        names = list(dict.fromkeys(replacer.items))
    elif not (replacer is None or isinstance(replacer, Undefined)):
        interpreter.run_callbacks([replacer])
        return Unknown("JSON written with a function")
    indent = space[:10] if isinstance(space, str) else ""
    if v.is_number(space):
        width = integer(space, 0)
        indent = " " * min(max(width, 0), 10) if isinstance(width, int) else ""
    elif not isinstance(space, (str, Undefined, type(None), bool)):
        return Unknown("JSON with an indent that is not known")
    try:
        text = _Writer(interpreter, names, indent).text(value, "", "")
    except _NotKnown as reason:
        return Unknown(str(reason))
    return UNDEFINED if text is None else text


class _Writer:
    def __init__(self, interpreter: Interpreter, names: list[str] | None, indent: str) -> None:
        self.interpreter = interpreter
        self.names = names
        self.indent = indent
        self.depth = 0

    def text(self, value: Value, key: str, before: str) -> str | None:
        """None for what JSON leaves out."""
        self.interpreter.step()
        if isinstance(value, UrlValue):
            value = value.href
        elif isinstance(value, JsObject):
            method = self.interpreter.member(value, "toJSON")
            if isinstance(method, (Closure, Builtin)):
                value = self.interpreter.call(method, value, [key], ir_node(method))
            elif not isinstance(method, Undefined):
                raise _NotKnown("an object written as JSON")
        if isinstance(value, (bool, str, type(None))):
            return json.dumps(value, ensure_ascii=False)
        if isinstance(value, (int, float)):
            return v.number_to_string(value) if math.isfinite(value) else "null"
        if isinstance(value, (Closure, Builtin, ClassValue, Symbol)):
            return None
        if isinstance(value, Undefined):
            if value.reason:
                raise _NotKnown(value.reason)
            return None
        if isinstance(value, RegExp):
            return "{}"
        if self.depth > DEEPEST:
            raise _NotKnown("an object that nests deeply")
        self.depth += 1
        try:
            if isinstance(value, JsArray) and value.complete:
                inner = before + self.indent
                return self._wrapped(
                    "[", [self.text(item, str(n), inner) or "null" for n, item in enumerate(value.items)], "]", before
                )
            if isinstance(value, JsObject) and not isinstance(value, (GeneratorValue, v.Environment)):
                return self._object(value, before)
        finally:
            self.depth -= 1
        raise _NotKnown(v.reason_of(value) if isinstance(value, (Unknown, v.Text)) else "an object written as JSON")

    def _object(self, value: JsObject, before: str) -> str:
        keys = self.interpreter.keys(value)
        if isinstance(keys, Unknown):
            raise _NotKnown(keys.reason)
        parts = []
        for key in keys if self.names is None else [name for name in self.names if name in keys]:
            text = self.text(self.interpreter.member(value, key), key, before + self.indent)
            if text is not None:
                parts.append(json.dumps(key, ensure_ascii=False) + (": " if self.indent else ":") + text)
        return self._wrapped("{", parts, "}", before)

    def _wrapped(self, opening: str, parts: list[str], closing: str, before: str) -> str:
        if not parts or not self.indent:
            return opening + ",".join(parts) + closing
        line = "\n" + before + self.indent
        return opening + line + ("," + line).join(parts) + "\n" + before + closing


def ir_node(method: Closure | Builtin) -> Any:
    """A node to name as the place of a call that the language makes."""
    from forensics.syntax import ir

    return method.function if isinstance(method, Closure) else ir.This(0, 0)
