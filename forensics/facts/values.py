"""JavaScript values as the partial evaluator knows them, and the language's conversions between them.

Strings, numbers (int or float), booleans and null (None) are Python's own. What can't be known is an `Unknown` with the
reason, a string of which only parts are known is a `Text`. Nothing here guesses: a conversion of something unknown
gives Unknown.

Source of the conversions: ECMA-262, chapter 7.1 "Type Conversion" and 7.2 "Testing and Comparison Operations".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forensics.facts.interpreter import Effect, Interpreter, ModuleRecord, Scope
    from forensics.syntax import ir

Value = Any
"""str | int | float | bool | None | one of the classes below."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """`undefined`; with a reason where a value could have come from outside: "DATA_DIR, which nothing sets"."""

    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """A value that can't be told from the build, and why.

    `tag` names what stands for it where that is known ("location.host"); `candidates` are values it can have (the two
    sides of an open condition), all of them where `closed`.
    """

    reason: str
    tag: str = ""
    candidates: tuple[Value, ...] = ()
    closed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A string with unknown parts, at least one of them; adjacent known parts are joined and none is empty."""

    parts: tuple[str | Unknown, ...]

    @property
    def prefix(self) -> str:
        """The known text it begins with."""
        first = self.parts[0]
        return first if isinstance(first, str) else ""

    @property
    def reason(self) -> str:
        return next(part.reason for part in self.parts if isinstance(part, Unknown))


@dataclass(frozen=True, slots=True)
class Short:
    """What an optional chain gives that ended at a `?.`, until the chain's own end."""

    value: Value


@dataclass(frozen=True, slots=True)
class Rest:
    """Stands for further elements of a collection, of which nothing is known."""

    reason: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol; `key` is what names its property ("@@iterator" for a well-known one)."""

    key: str


@dataclass(eq=False)
class RegExp:
    """A regular expression object."""

    pattern: str
    flags: str
    last_index: Value = 0


@dataclass(frozen=True, slots=True)
class BigIntValue:
    digits: int


class JsArray:
    """An array. `complete` is False where more elements than `items` may follow, or the ones held may differ; `holes`
    is True where some that are undefined may be missing instead. `extra` holds properties beside the elements."""

    def __init__(self, items: Iterable[Value] = (), complete: bool = True, holes: bool = False) -> None:
        self.items: list[Value] = list(items)
        self.complete = complete
        self.holes = holes
        self.frozen = False
        self.extra: dict[str, Value] = {}


class JsObject:
    """An object. `complete` is False where properties may exist that `properties` does not hold.

    `shuffled` is True where the order of the properties isn't known. `hidden` names those that are not enumerable;
    `error` is the class name of an error object; `prototype` is what a constructor function's `prototype` was, or
    `Object.create`'s argument.
    """

    def __init__(
        self,
        properties: Mapping[str, Value] | None = None,
        complete: bool = True,
        made_by: ClassValue | None = None,
    ) -> None:
        self.properties: dict[str, Value] = dict(properties or {})
        self.complete = complete
        self.made_by = made_by
        self.base: External | None = None
        self.hidden: frozenset[str] = frozenset()
        self.error = ""
        self.frozen = False
        self.shuffled = False
        self.prototype: JsObject | None = None


@dataclass(frozen=True, slots=True)
class MaybeShort:
    """What an optional chain gives that perhaps ended at a `?.`: this, or undefined at the chain's own end."""

    value: Value


class GeneratorValue(JsObject):
    """What a generator function gives. `pull` runs its body to the next yield: ("yield", value), ("return", value), or
    None where that can't be told."""

    def __init__(self, pull: Callable[[Value], tuple[str, Value] | None]) -> None:
        super().__init__()
        self.pull = pull


class SearchParams(JsObject):
    """A URLSearchParams object: names and values in order, and the URL it belongs to."""

    def __init__(self, pairs: tuple[tuple[str, str], ...], url: UrlValue | None = None) -> None:
        super().__init__()
        self.pairs: Any = pairs
        self.url = url


class Environment(JsObject):
    """`process.env` or `import.meta.env`: a name that nothing sets is undefined, with that as the reason.

    `outside` names variables that the machine itself sets (PATH, HOME …), which stay unknown.
    """

    def __init__(self, variables: Mapping[str, Value], outside: Callable[[str], bool]) -> None:
        super().__init__(variables)
        self.outside = outside


class JsMap(JsObject):
    """A Map or Set in insertion order. `entries` is keyed as JavaScript tells keys apart (see `map_key`), each with the
    key and its value (for a Set the key again)."""

    def __init__(self, is_set: bool = False) -> None:
        super().__init__()
        self.entries: dict[Any, tuple[Value, Value]] = {}
        self.is_set = is_set


class UrlValue:
    """A URL object with a known address."""

    def __init__(self, href: str) -> None:
        self.href = href


class Promise:
    """A promise and what it resolves to. `awaited_at` is the index of the effect that came next after it was awaited
    (None: nobody awaits it).

    `settled` is False while the code that settles it hasn't run yet; `rejected` says that `value` was thrown. `handled`
    says that somebody looks at a rejection; `may_reject` are conditions under which it is rejected; `outside` says that
    something outside the build settles it. `deferred` holds what an asynchronous function assigned that may not have
    happened yet, by slot: container, name, what stands there meanwhile, what will.
    """

    def __init__(self, value: Value, settled: bool = True) -> None:
        self.value = value
        self.awaited_at: int | None = None
        self.settled = settled
        self.rejected = False
        self.handled = False
        self.outside = False
        self.may_reject: tuple[int, ...] = ()
        self.waiting: list[Callable[[], None]] = []
        self.deferred: list[tuple[dict[str, Value], str, Value, Value]] = []


class Getter:
    """An accessor property of an object literal or a class, with either half or both."""

    def __init__(self, closure: Closure | None, setter: Closure | None = None) -> None:
        self.closure = closure
        self.setter = setter


class Closure:
    """A function of the build itself, with the scope and module it was made in."""

    def __init__(self, function: ir.Function, scope: Scope, module: ModuleRecord, this: Value) -> None:
        self.function = function
        self.scope = scope
        self.module = module
        self.this = this
        self.home: ClassValue | JsObject | None = None
        self.is_static = False
        self.name = function.name
        self.properties: dict[str, Value] = {}


class ClassValue:
    def __init__(self, node: ir.Class, scope: Scope, module: ModuleRecord, superclass: Value) -> None:
        self.node = node
        self.scope = scope
        self.module = module
        self.superclass = superclass
        self.properties: dict[str, Value] = {}
        self.methods: dict[str, Value] = {}
        self.constructor: Closure | None = None
        self.fields: list[tuple[ir.ClassMember, str]] = []
        self.name = node.name


class Builtin:
    """A function of the language or of Node that the evaluator can compute.

    `call(interpreter, this, arguments, node)` gives the result.
    """

    def __init__(
        self, name: str, call: Callable[[Interpreter, Value, list[Value], ir.Node], Value], **members: Value
    ) -> None:
        self.name = name
        self.call = call
        self.members = members


class Namespace:
    """The namespace object of a module of the build."""

    def __init__(self, module: ModuleRecord) -> None:
        self.module = module


@dataclass(eq=False, slots=True)
class External:
    """Something that comes from outside the build's own code: a package, a builtin, a browser object, what they return.

    `name` says how it was reached, canonically: "express", "express().get", "fs.mkdirSync", "new pg.Pool". A package's
    default export and its namespace are one and the same here. `base` is what a member was read from; `made_by` the
    call that returned it.
    """

    name: str
    base: External | None = None
    made_by: Effect | None = None
    properties: dict[str, Value] = field(default_factory=dict)


UNDEFINED = Undefined()
SIMPLE = (str, int, float, bool)
PRIVATE = "\0"
"""Begins the name of a private member."""
LONGEST_TEXT = 262_144
MOST_PARTS = 200
SPREAD = "*spread*"
"""The tag of a last argument that stands for an unknown number of arguments."""
ABSENT = "*absent*"
"""The tag of a property's value that is there only under a condition."""
PRIMITIVES = (str, int, float, bool, type(None), Undefined, Symbol, BigIntValue)


def private_name(name: str) -> str:
    """The key of a member written `.name`."""
    return PRIVATE + name if name.startswith("#") else name


def without_nullish(value: Unknown) -> Unknown | None:
    """A value that is known to be null or undefined on some ways, for the other ways; None where there are none."""
    if not value.closed:
        return None
    kept = tuple(item for item in value.candidates if item is not None and not isinstance(item, Undefined))
    return Unknown(value.reason, "", kept, closed=True) if len(kept) < len(value.candidates) else None


def is_record(container: dict[str, Any]) -> bool:
    """Whether a dict is the attributes of one of the classes here, not variables or properties of the build."""
    return (
        isinstance(container.get("items"), list)
        or isinstance(container.get("properties"), dict)
        or isinstance(container.get("waiting"), list)
    )


def is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number(value: float) -> int | float:
    """A JavaScript number: integral values within 2^53 as int, the rest (NaN and -0 included) as float."""
    if isinstance(value, int):
        return value if abs(value) <= 2**53 else float(value)
    if (
        math.isfinite(value)
        and value == int(value)
        and abs(value) <= 2**53
        and not (value == 0 and math.copysign(1, value) < 0)
    ):
        return int(value)
    return value


def number_to_string(value: float) -> str:
    """ECMA-262 Number::toString, radix 10."""
    if isinstance(value, int):
        value = float(value) if abs(value) > 2**53 else value
        if isinstance(value, int):
            return str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    minus = "-" if sign else ""
    if len(text) <= point <= 21:
        return minus + text + "0" * (point - len(text))
    if 0 < point <= 21:
        return minus + text[:point] + "." + text[point:]
    if -6 < point <= 0:
        return minus + "0." + "0" * -point + text
    e = point - 1
    mantissa = text[0] + ("." + text[1:] if len(text) > 1 else "")
    return f"{minus}{mantissa}e{'+' if e >= 0 else '-'}{abs(e)}"


WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_DECIMAL = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")


def trim(text: str) -> str:
    return text.strip(WHITE_SPACE)


def string_to_number(text: str) -> int | float:
    """ECMA-262 StringToNumber."""
    text = trim(text)
    if not text:
        return 0
    for prefix, base, digits in (("0x", 16, "[0-9a-fA-F]+"), ("0o", 8, "[0-7]+"), ("0b", 2, "[01]+")):
        if text[:2].lower() == prefix:
            return number(int(text[2:], base)) if re.fullmatch(digits, text[2:]) else math.nan
    if not _DECIMAL.fullmatch(text):
        return math.nan
    return number(float(text.replace("Infinity", "inf")))


def to_number(value: Value) -> int | float | Unknown:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, str):
        return string_to_number(value)
    if value is None:
        return 0
    if isinstance(value, Undefined):
        return Unknown(value.reason) if value.reason else math.nan
    return Unknown(reason_of(value))


def to_text(value: Value) -> str | Text | Unknown:
    """The string a value becomes in a template or a concatenation."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_to_string(value)
    if value is None:
        return "null"
    if isinstance(value, Undefined):
        return Unknown(value.reason) if value.reason else "undefined"
    if isinstance(value, (Text, Unknown)):
        return value
    if isinstance(value, UrlValue):
        return value.href
    if isinstance(value, BigIntValue):
        return str(value.digits)
    if isinstance(value, RegExp):
        return f"/{value.pattern}/{value.flags}"
    if isinstance(value, JsMap):
        return "[object Set]" if value.is_set else "[object Map]"
    if isinstance(value, Promise):
        return "[object Promise]"
    if isinstance(value, JsObject) and value.error:
        message = to_text(value.properties.get("message", ""))
        name = to_text(value.properties.get("name", value.error))
        return concatenate([name, ": ", message]) if message != "" else name
    if isinstance(value, JsArray):
        if not value.complete:
            return Unknown("the elements of an array are not known")
        texts = ["" if item is None or item == UNDEFINED else to_text(item) for item in value.items]
        return join(",", texts)
    if type(value) is JsObject and value.complete and "@@toStringTag" not in value.properties:
        return "[object Object]"
    return Unknown(reason_of(value))


def join(separator: str, texts: list[str | Text | Unknown]) -> str | Text | Unknown:
    parts: list[str | Text | Unknown] = []
    for index, text in enumerate(texts):
        if index and separator:
            parts.append(separator)
        parts.append(text)
    return concatenate(parts)


def concatenate(texts: Iterable[str | Text | Unknown]) -> str | Text | Unknown:
    """Known text stays known around unknown parts; a lone unknown stays what it is."""
    parts: list[str | Unknown] = []
    length = 0
    for text in texts:
        for part in text.parts if isinstance(text, Text) else (text,):
            if isinstance(part, str):
                length += len(part)
                if length > LONGEST_TEXT:
                    return Unknown("a very long text")
            if isinstance(part, str) and parts and isinstance(parts[-1], str):
                parts[-1] += part
            elif part != "":
                parts.append(part)
    if len(parts) > MOST_PARTS:
        return Unknown("a text with very many unknown parts")
    if not parts:
        return ""
    if len(parts) == 1:
        only = parts[0]
        return only if isinstance(only, str) else Text((only,))
    return Text(tuple(parts))


def truthy(value: Value) -> bool | Unknown:
    """Whether a condition holds."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value != ""
    if isinstance(value, (int, float)):
        return value != 0 and not math.isnan(value)
    if value is None or isinstance(value, Undefined):
        return False
    if isinstance(value, Unknown):
        if value.closed and value.candidates:
            verdicts = [truthy(item) for item in value.candidates]
            if all(verdict is verdicts[0] for verdict in verdicts) and isinstance(verdicts[0], bool):
                return verdicts[0]
        return value
    if isinstance(value, Text):
        if any(isinstance(part, str) for part in value.parts):
            return True
        return Unknown(value.reason)
    if isinstance(value, BigIntValue):
        return value.digits != 0
    if isinstance(value, External):
        if value.name.startswith("new ") and value.name.count("(") <= 1 and value.made_by is not None:
            return True
        return Unknown(reason_of(value))
    return True


def type_of(value: Value) -> str | Unknown:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (str, Text)):
        return "string"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, Undefined):
        return "undefined"
    if isinstance(value, (Closure, Builtin, ClassValue)):
        return "function"
    if isinstance(value, Symbol):
        return "symbol"
    if isinstance(value, BigIntValue):
        return "bigint"
    if isinstance(value, Unknown) and value.closed and value.candidates:
        names = [type_of(item) for item in value.candidates]
        if all(name == names[0] for name in names) and isinstance(names[0], str):
            return names[0]
    if isinstance(value, (Unknown, External)):
        return Unknown(reason_of(value))
    return "object"


def strictly_equal(left: Value, right: Value) -> bool | Unknown:
    """`===`"""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, (Unknown, Text, External)):
            if one is other and isinstance(one, External):
                return True
            if isinstance(one, Text) and isinstance(other, str):
                fitting = _could_equal(one, other)
                return False if not fitting else Unknown(one.reason)
            if isinstance(one, Text) and not isinstance(other, (Unknown, Text, External)):
                return False
            if isinstance(one, Unknown) and one.closed and one.candidates and not isinstance(other, Unknown):
                verdicts = [strictly_equal(item, other) for item in one.candidates]
                if all(verdict is verdicts[0] for verdict in verdicts) and isinstance(verdicts[0], bool):
                    return verdicts[0]
            return Unknown(reason_of(one))
    if isinstance(left, bool) or isinstance(right, bool):
        return isinstance(left, bool) and isinstance(right, bool) and left == right
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, Undefined) or isinstance(right, Undefined):
        return isinstance(left, Undefined) and isinstance(right, Undefined)
    if isinstance(left, PRIMITIVES) or isinstance(right, PRIMITIVES):
        return type(left) is type(right) and bool(left == right)
    return left is right


def _could_equal(text: Text, other: str) -> bool:
    pattern = "".join(re.escape(part) if isinstance(part, str) else ".*" for part in text.parts)
    return re.fullmatch(pattern, other, re.DOTALL) is not None


def loosely_equal(left: Value, right: Value) -> bool | Unknown:
    """`==` for primitives; objects against primitives stay unknown."""
    nullish = (type(None), Undefined)
    if isinstance(left, (Unknown, Text, External)) or isinstance(right, (Unknown, Text, External)):
        return strictly_equal(left, right)
    if isinstance(left, nullish) or isinstance(right, nullish):
        return isinstance(left, nullish) and isinstance(right, nullish)
    simple = (str, int, float, bool)
    if isinstance(left, simple) and isinstance(right, simple):
        if isinstance(left, str) and isinstance(right, str):
            return left == right
        return bool(to_number(left) == to_number(right))
    if isinstance(left, simple) or isinstance(right, simple):
        return Unknown("an object is compared with a primitive")
    return strictly_equal(left, right)


def reason_of(value: Value) -> str:
    """Why a value isn't known, for a person."""
    if isinstance(value, (Unknown, Text, Undefined)):
        return value.reason or "the value is undefined"
    if isinstance(value, External):
        return f"the value comes from {value.name}"
    if isinstance(value, Promise):
        return "a promise is used without await"
    return "the value is an object"


def plain(value: Value, depth: int = 0) -> Value:
    """A known value as Python data (dict, list, str …); unknown parts and functions stay as they are."""
    if depth > 20:
        return Unknown("nested too deeply")
    if isinstance(value, JsArray):
        return [plain(item, depth + 1) for item in value.items]
    if type(value) is JsObject:
        return {key: plain(item, depth + 1) for key, item in value.properties.items() if not isinstance(item, Getter)}
    if isinstance(value, UrlValue):
        return value.href
    return value


def from_json(data: object) -> Value:
    """A parsed JSON document as a value."""
    if isinstance(data, int) and not isinstance(data, bool):
        return number(data)
    if isinstance(data, dict):
        return JsObject({str(key): from_json(item) for key, item in data.items()})
    if isinstance(data, list):
        return JsArray(from_json(item) for item in data)
    if isinstance(data, float):
        return number(data)
    return data
