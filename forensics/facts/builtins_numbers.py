"""Number, Math, and the functions that read numbers. Source: ECMA-262, chapters 19.2 and 21."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import TYPE_CHECKING, Any

from forensics.facts import values as v
from forensics.facts.builtins_arguments import Method, argument, integer
from forensics.facts.values import Builtin, External, Undefined, Unknown, Value

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_FLOAT = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")


def number_member(owner: float, name: str) -> Value | None:
    method = _NUMBER.get(name)
    if method is not None:
        return Builtin(f"number.{name}", method)
    return Unknown(f"{name} of a number is not modelled") if name in _UNMODELLED else None


_UNMODELLED = ("toLocaleString", "toExponential", "constructor", "hasOwnProperty")


def _to_fixed(interpreter: Interpreter, this: Any, arguments: list[Value], node: Any) -> Value:
    digits = integer(argument(arguments, 0), 0)
    if isinstance(digits, Unknown) or not v.is_number(this):
        return Unknown("a number's digits")
    if not 0 <= digits <= 100:
        return interpreter.throw("RangeError", "toFixed() digits argument must be between 0 and 100")
    if not math.isfinite(this) or abs(this) >= 1e21:
        return v.number_to_string(this)
    with localcontext() as context:
        context.prec = 200
        exact = Decimal(this).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    text = f"{exact:f}"
    return text.removeprefix("-") if this == 0 else text


def _to_precision(interpreter: Interpreter, this: Any, arguments: list[Value], node: Any) -> Value:
    if not v.is_number(this) or not arguments or arguments[0] == v.UNDEFINED:
        return v.number_to_string(this) if v.is_number(this) else Unknown("a number's digits")
    digits = integer(arguments[0], 0)
    if isinstance(digits, Unknown):
        return digits
    if not math.isfinite(this):
        return v.number_to_string(this)
    if not 1 <= digits <= 100:
        return interpreter.throw("RangeError", "toPrecision() argument must be between 1 and 100")
    if this == 0:
        return "0" + ("." + "0" * (digits - 1) if digits > 1 else "")
    with localcontext() as context:
        context.prec = 1_200
        exact = Decimal(abs(this))
        exponent = exact.adjusted()
        scaled = exact.scaleb(digits - 1 - exponent).to_integral_value(rounding=ROUND_HALF_UP)
        if len(str(int(scaled))) > digits:
            exponent += 1
            scaled = exact.scaleb(digits - 1 - exponent).to_integral_value(rounding=ROUND_HALF_UP)
    text = str(int(scaled))
    sign = "-" if this < 0 else ""
    if exponent < -6 or exponent >= digits:
        mantissa = text[0] + ("." + text[1:] if digits > 1 else "")
        return f"{sign}{mantissa}e{'+' if exponent >= 0 else '-'}{abs(exponent)}"
    if exponent == digits - 1:
        return sign + text
    if exponent >= 0:
        return f"{sign}{text[: exponent + 1]}.{text[exponent + 1 :]}"
    return f"{sign}0.{'0' * (-exponent - 1)}{text}"


def _to_string(interpreter: Interpreter, this: Any, arguments: list[Value], node: Any) -> Value:
    base = integer(argument(arguments, 0), 10)
    if not v.is_number(this) or isinstance(base, Unknown):
        return Unknown("a number in another base")
    if base == 10 or not math.isfinite(this):
        return v.number_to_string(this)
    if not 2 <= base <= 36:
        return interpreter.throw("RangeError", "toString() radix must be between 2 and 36")
    if this == 0:
        return "0"
    if not isinstance(this, int):
        return Unknown("a fraction in another base")
    return ("-" if this < 0 else "") + in_base(abs(this), base)


def in_base(value: int, base: int) -> str:
    digits = ""
    while value:
        digits = _DIGITS[value % base] + digits
        value //= base
    return digits or "0"


def _value_of(interpreter: Interpreter, this: Any, arguments: list[Value], node: Any) -> Value:
    return this if v.is_number(this) else Unknown("a number that is not known")


_NUMBER: dict[str, Method] = {
    "toString": _to_string,
    "toFixed": _to_fixed,
    "toPrecision": _to_precision,
    "valueOf": _value_of,
}


# ------------------------------------------------------------------------- reading


def number_of(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    if not arguments:
        return 0
    value = interpreter.primitive(arguments[0], "number")
    if isinstance(value, v.BigIntValue):
        return v.number(float(value.digits)) if abs(value.digits) < 2**1000 else Unknown("a very big integer")
    return v.to_number(value)


def parse_int(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    text, base = interpreter.text(argument(arguments, 0)), integer(argument(arguments, 1), 0)
    if not isinstance(text, str):
        return Unknown(v.reason_of(argument(arguments, 0)))
    if isinstance(base, Unknown):
        return base
    text = v.trim(text)
    negative = text.startswith("-")
    text = text[1:] if text[:1] in ("+", "-") else text
    if base in (0, 16) and text[:2].lower() == "0x":
        text, base = text[2:], 16
    base = base or 10
    if not 2 <= base <= 36:
        return math.nan
    digits = ""
    for character in text[:1_000]:
        if not character.isascii() or not character.isalnum() or int(character, 36) >= base:
            break
        digits += character
    if not digits:
        return math.nan
    if len(digits) > 300:
        return Unknown("a number too large to compute")
    whole = int(digits, base)
    value = v.number(whole) if abs(whole) <= 2**53 else float(whole)
    return v.number(-float(value)) if negative else value


def parse_float(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    text = interpreter.text(argument(arguments, 0))
    if not isinstance(text, str):
        return Unknown(v.reason_of(argument(arguments, 0)))
    match = _FLOAT.match(v.trim(text))
    return v.number(float(match[0].replace("Infinity", "inf"))) if match else math.nan


def coerced_test(test: Callable[[float], bool]) -> Method:
    """`isNaN` and `isFinite`: of what the argument becomes as a number."""

    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        number = v.to_number(interpreter.primitive(argument(arguments, 0), "number"))
        return number if isinstance(number, Unknown) else test(number)

    return method


def number_test(test: Callable[[float], bool]) -> Method:
    """`Number.isInteger` and its likes: false for anything that isn't a number."""

    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        value = argument(arguments, 0)
        if isinstance(value, (Unknown, External)) or (isinstance(value, Undefined) and value.reason):
            return Unknown(v.reason_of(value))
        return v.is_number(value) and test(value)

    return method


def is_nan(value: float) -> bool:
    return value != value


def is_integer(value: float) -> bool:
    return math.isfinite(value) and value == int(value)


def is_safe_integer(value: float) -> bool:
    return is_integer(value) and abs(value) < 2**53


# ---------------------------------------------------------------------------- Math


def math_method(compute: Callable[..., float]) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        numbers = [v.to_number(interpreter.primitive(item, "number")) for item in arguments]
        for item in numbers:
            if isinstance(item, Unknown):
                return item
        try:
            return v.number(compute(*numbers))
        except (ValueError, OverflowError, TypeError):
            return Unknown("a number that can't be computed")

    return method


def _maximum(*numbers: float) -> float:
    return math.nan if any(item != item for item in numbers) else max(numbers, default=-math.inf, key=_ordered)


def _minimum(*numbers: float) -> float:
    return math.nan if any(item != item for item in numbers) else min(numbers, default=math.inf, key=_ordered)


def _ordered(value: float) -> tuple[float, float]:
    return (value, math.copysign(1, value))


def _rounded(value: float) -> float:
    if not math.isfinite(value) or value == int(value):
        return value
    rounded = math.floor(value) + (1 if value - math.floor(value) >= 0.5 else 0)
    return rounded if rounded else math.copysign(0.0, value)


def _whole(change: Callable[[float], int]) -> Callable[[float], float]:
    def compute(value: float) -> float:
        if not math.isfinite(value):
            return value
        result = change(value)
        return result if result else math.copysign(0.0, value)

    return compute


def _sign(value: float) -> float:
    return value if value == 0 or value != value else math.copysign(1, value)


def _square_root(value: float) -> float:
    return math.nan if value < 0 or value != value else math.copysign(0.0, value) if value == 0 else math.sqrt(value)


MATH: dict[str, Callable[..., float]] = {
    "max": _maximum,
    "min": _minimum,
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "round": _rounded,
    "trunc": _whole(math.trunc),
    "abs": abs,
    "sign": _sign,
    "sqrt": _square_root,
}
