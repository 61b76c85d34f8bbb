"""What the language's own methods make of their arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from forensics.facts import values as v
from forensics.facts.values import UNDEFINED, Builtin, Text, Undefined, Unknown, Value

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

Method = Callable[["Interpreter", Any, list[Value], Any], Value]
"""(interpreter, this, arguments, node of the call)"""


def argument(arguments: list[Value], index: int) -> Value:
    return arguments[index] if index < len(arguments) else UNDEFINED


def unknown_among(*needed: Value) -> Unknown | None:
    """The first value that isn't a known primitive, as an Unknown."""
    for item in needed:
        if isinstance(item, (Unknown, Text)) or not isinstance(item, v.PRIMITIVES):
            return Unknown(v.reason_of(item))
        if isinstance(item, Undefined) and item.reason:
            return Unknown(item.reason)
    return None


def integer(value: Value, default: int) -> int | Unknown:
    """ECMA-262 ToIntegerOrInfinity, infinities as ±2^31; the default for undefined."""
    if isinstance(value, Undefined) and not value.reason:
        return default
    number = v.to_number(value)
    if isinstance(number, Unknown):
        return number
    if isinstance(number, float):
        if math.isnan(number):
            return 0
        if math.isinf(number):
            return 2**31 if number > 0 else -(2**31)
        return math.trunc(number)
    return number


def slice_bounds(length: int, arguments: list[Value]) -> tuple[int, int] | Unknown:
    """Start and end as `slice` takes them."""
    start = integer(argument(arguments, 0), 0)
    end = integer(argument(arguments, 1), length)
    if isinstance(start, Unknown):
        return start
    if isinstance(end, Unknown):
        return end
    low = relative(start, length)
    return low, max(low, relative(end, length))


def relative(position: int, length: int) -> int:
    """A position that counts from the end where it is negative, within bounds."""
    return max(length + position, 0) if position < 0 else min(position, length)


def builtins(prefix: str, methods: dict[str, Method]) -> dict[str, Value]:
    """Functions by name, each as a value."""
    return {name: Builtin(f"{prefix}{name}", method) for name, method in methods.items()}
