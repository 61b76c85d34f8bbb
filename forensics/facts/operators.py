"""ECMA-262 operators on values that are already known (chapters 6.1.6 and 13)."""

from __future__ import annotations

import math
import operator

from forensics.facts import values as v
from forensics.facts.values import BigIntValue, Unknown, Value

_COMPARE = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
BIGGEST_POWER = 4_096


def arithmetic(sign: str, one: float, other: float) -> int | float | Unknown:
    """An operator on two numbers."""
    try:
        return _arithmetic(sign, one, other)
    except OverflowError:
        # Only finite numbers get here; the sign of what is too large is that of the exact result.
        if sign == "**":
            return -math.inf if one < 0 and other % 2 == 1 else math.inf
        return Unknown("a number too large to compute")
    except ValueError:
        return math.nan


def _arithmetic(sign: str, one: float, other: float) -> int | float | Unknown:
    match sign:
        case "+":
            return v.number(_zero_sum(one, other))
        case "-":
            return v.number(_zero_sum(one, -float(other) if other == 0 else -other))
        case "*":
            return v.number(float(one) * float(other))
        case "/":
            if other == 0:
                if one == 0 or math.isnan(one):
                    return math.nan
                return math.inf * math.copysign(1, one) * math.copysign(1, other)
            return v.number(float(one) / float(other))
        case "%":
            if other == 0 or math.isinf(one) or math.isnan(one) or math.isnan(other):
                return math.nan
            result = one if math.isinf(other) else math.fmod(one, other)
            return v.number(result) if result != 0 else v.number(math.copysign(0.0, one))
        case "**":
            return _power(float(one), float(other))
        case "|":
            return signed(int32(one) | int32(other))
        case "&":
            return signed(int32(one) & int32(other))
        case "^":
            return signed(int32(one) ^ int32(other))
        case "<<":
            return signed(int32(one) << (int32(other) & 31))
        case ">>":
            return int32(one) >> (int32(other) & 31)
        case ">>>":
            return (int32(one) & 0xFFFFFFFF) >> (int32(other) & 31)
    return Unknown(f"the operator {sign}")


def _zero_sum(one: float, other: float) -> float:
    # Integers lose the sign of zero: -0 + -0 is -0.
    return float(one) + float(other) if one == 0 and other == 0 else one + other


def _power(one: float, other: float) -> float:
    if other == 0:
        return 1
    if math.isnan(other) or (abs(one) == 1 and math.isinf(other)):
        return math.nan
    if one == 0 and other < 0:
        return math.copysign(math.inf, one) if other % 2 == 1 else math.inf
    return v.number(math.pow(one, other))


def int32(value: float) -> int:
    if isinstance(value, float) and not math.isfinite(value):
        return 0
    return signed(int(value))


def signed(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - 2**32 if value >= 2**31 else value


def compare(sign: str, left: Value, right: Value) -> Value:
    """`<` and its kin on primitives."""
    if isinstance(left, str) and isinstance(right, str):
        return bool(_COMPARE[sign](utf16_order(left), utf16_order(right)))
    if isinstance(left, BigIntValue) and isinstance(right, BigIntValue):
        return bool(_COMPARE[sign](left.digits, right.digits))
    one, other = v.to_number(left), v.to_number(right)
    if isinstance(one, Unknown):
        return one
    if isinstance(other, Unknown):
        return other
    return bool(_COMPARE[sign](one, other))


def utf16_order(text: str) -> bytes:
    """A key that orders strings by UTF-16 code units, as JavaScript does."""
    return text.encode("utf-16-be", "surrogatepass")


def big_arithmetic(sign: str, one: int, other: int) -> Value:
    """An operator on two big integers."""
    match sign:
        case "+":
            return BigIntValue(one + other)
        case "-":
            return BigIntValue(one - other)
        case "*" if one.bit_length() + other.bit_length() < BIGGEST_POWER:
            return BigIntValue(one * other)
        case "**" if other >= 0 and one.bit_length() * other < BIGGEST_POWER:
            return BigIntValue(one**other)
        case "/" if other:
            return BigIntValue(abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1))
        case "%" if other:
            return BigIntValue(int(math.copysign(1, one)) * (abs(one) % abs(other)))
    return Unknown("arithmetic on a big integer")
