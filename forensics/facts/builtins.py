"""Methods of the language's own objects, as far as they can be computed: strings, arrays, objects, maps, numbers,
functions, promises and URLs. Whatever isn't here stays unknown.

Source: ECMA-262, chapters 19 to 28; https://url.spec.whatwg.org for URL.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from forensics.facts import regular_expressions
from forensics.facts import values as v
from forensics.facts.values import (
    UNDEFINED,
    Builtin,
    ClassValue,
    Closure,
    JsArray,
    JsMap,
    JsObject,
    Promise,
    RegExp,
    Text,
    Undefined,
    Unknown,
    UrlValue,
    Value,
)

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter
    from forensics.syntax import ir

Method = Callable[["Interpreter", Value, list[Value], "ir.Node"], Value]


def argument(arguments: list[Value], index: int) -> Value:
    return arguments[index] if index < len(arguments) else UNDEFINED


def builtin_member(interpreter: Interpreter, owner: Value, name: str) -> Value | None:
    """The member of a builtin object, or None where it has none of that name (or none that is modelled)."""
    if isinstance(owner, str):
        if name == "length":
            return _utf16_length(owner)
        if name.isdigit():
            units = owner
            return (
                units[int(name)]
                if owner.isascii() and int(name) < len(units)
                else UNDEFINED
                if owner.isascii()
                else Unknown("a character of a non-ASCII string")
            )
        method = _STRING.get(name)
        return Builtin(f"string.{name}", method) if method else None
    if isinstance(owner, Text):
        method = _TEXT.get(name)
        return Builtin(f"string.{name}", method) if method else Unknown(owner.reason)
    if isinstance(owner, JsArray):
        if name == "length":
            return len(owner.items) if owner.complete else Unknown("the elements of an array are not known")
        if name.isdigit():
            index = int(name)
            if index < len(owner.items):
                return owner.items[index]
            return UNDEFINED if owner.complete else Unknown("the elements of an array are not known")
        method = _ARRAY.get(name)
        return Builtin(f"array.{name}", method) if method else None
    if isinstance(owner, JsMap):
        if name == "size":
            return len(owner.entries) if owner.complete else Unknown("the entries of a map are not known")
        method = _MAP.get(name)
        return Builtin(f"map.{name}", method) if method else None
    if isinstance(owner, JsObject):
        if name in ("hasOwnProperty", "propertyIsEnumerable"):
            return Builtin(name, _has_own)
        if name in ("toString", "valueOf", "toLocaleString", "constructor", "__proto__", "isPrototypeOf"):
            return Unknown(f"{name} of an object")
        return None
    if isinstance(owner, bool):
        return Builtin("toString", lambda i, this, a, n: v.to_text(this)) if name == "toString" else None
    if isinstance(owner, (int, float)):
        method = _NUMBER.get(name)
        return Builtin(f"number.{name}", method) if method else None
    if isinstance(owner, (Closure, Builtin, ClassValue)):
        if name == "name":
            return (
                owner.function.name
                if isinstance(owner, Closure) and owner.function.name
                else Unknown("a function's name")
            )
        method = _FUNCTION.get(name)
        return Builtin(f"function.{name}", method) if method else None
    if isinstance(owner, Promise):
        method = _PROMISE.get(name)
        return Builtin(f"promise.{name}", method) if method else None
    if isinstance(owner, UrlValue):
        return _url_member(owner, name)
    if isinstance(owner, RegExp):
        if name == "source":
            return owner.pattern
        if name == "flags":
            return "".join(sorted(owner.flags))
        if name == "test":
            return Builtin("regexp.test", _regex_test)
        if name == "exec":
            return Builtin("regexp.exec", _regex_exec)
    return None


# ----------------------------------------------------------------------- strings


def _utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _ascii_only(method: Method) -> Method:
    """Index-based methods count UTF-16 units; on text beyond the basic plane they are left unknown."""

    def checked(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        if isinstance(this, str) and any(ord(character) > 0xFFFF for character in this):
            return Unknown("an index into a string with characters beyond the basic plane")
        return method(interpreter, this, arguments, node)

    return checked


def _known(*needed: Value) -> Value | None:
    """The first value that isn't known, as an Unknown."""
    for item in needed:
        if isinstance(item, (Unknown, Text)) or not isinstance(item, v.PRIMITIVES):
            return Unknown(v.reason_of(item))
        if isinstance(item, Undefined) and item.reason:
            return Unknown(item.reason)
    return None


def _integer(value: Value, default: int) -> int | Unknown:
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


def _slice_bounds(length: int, arguments: list[Value]) -> tuple[int, int] | Unknown:
    start = _integer(argument(arguments, 0), 0)
    end = _integer(argument(arguments, 1), length)
    if isinstance(start, Unknown):
        return start
    if isinstance(end, Unknown):
        return end
    low = max(length + start, 0) if start < 0 else min(start, length)
    high = max(length + end, 0) if end < 0 else min(end, length)
    return low, max(low, high)


def _string_slice(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    bounds = _slice_bounds(len(this), arguments)
    return bounds if isinstance(bounds, Unknown) else this[bounds[0] : bounds[1]]


def _substring(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    start = _integer(argument(arguments, 0), 0)
    end = _integer(argument(arguments, 1), len(this))
    if isinstance(start, Unknown) or isinstance(end, Unknown):
        return Unknown("a position in a string")
    low, high = sorted((min(max(start, 0), len(this)), min(max(end, 0), len(this))))
    return this[low:high]


def _substr(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    start = _integer(argument(arguments, 0), 0)
    length = _integer(argument(arguments, 1), len(this))
    if isinstance(start, Unknown) or isinstance(length, Unknown):
        return Unknown("a position in a string")
    low = max(len(this) + start, 0) if start < 0 else min(start, len(this))
    return this[low : low + max(length, 0)]


def _text_test(test: Callable[[str, str, int], bool]) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        wanted = argument(arguments, 0)
        if isinstance(wanted, RegExp):
            return Unknown("a regular expression where text is wanted")
        unknown = _known(wanted, *arguments[1:2])
        if unknown is not None:
            return unknown
        position = _integer(argument(arguments, 1), -1)
        text = v.to_text(wanted)
        return test(this, text, position) if isinstance(text, str) and isinstance(position, int) else Unknown("text")

    return method


def _starts(this: str, wanted: str, position: int) -> bool:
    return this.startswith(wanted, max(position, 0))


def _ends(this: str, wanted: str, position: int) -> bool:
    return this[: position if position >= 0 else len(this)].endswith(wanted)


def _includes(this: str, wanted: str, position: int) -> bool:
    return this.find(wanted, max(position, 0)) >= 0


def _index_of(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    text = v.to_text(argument(arguments, 0))
    start = _integer(argument(arguments, 1), 0)
    if isinstance(text, str) and isinstance(start, int):
        return this.find(text, min(max(start, 0), len(this)))
    return Unknown(v.reason_of(argument(arguments, 0)))


def _last_index_of(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    text = v.to_text(argument(arguments, 0))
    if isinstance(text, str) and len(arguments) < 2:
        return this.rfind(text)
    return Unknown("a position in a string")


def _replace(every: bool) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        wanted, replacement = argument(arguments, 0), argument(arguments, 1)
        if isinstance(wanted, Text) or isinstance(wanted, Unknown):
            return Unknown(v.reason_of(wanted))
        if isinstance(wanted, RegExp):
            if "y" in wanted.flags or (every and "g" not in wanted.flags):
                return Unknown("a sticky regular expression")
            try:
                found = regular_expressions.find(wanted.pattern, wanted.flags, this)
            except regular_expressions.NotDecidable as reason:
                return Unknown(str(reason))
            if "g" not in wanted.flags:
                found = found[:1]
            places = [
                (match.start(), match.end(), [match[0], *match.groups()], match.groupdict() or None) for match in found
            ]
        else:
            text = v.to_text(wanted)
            if not isinstance(text, str):
                return Unknown(v.reason_of(wanted))
            places = [(m.start(), m.end(), [text], None) for m in re.finditer(re.escape(text), this)]
            places = places if every else places[:1]
        parts: list[str | Text | Unknown] = []
        last = 0
        for start, end, groups, named in places:
            parts.append(this[last:start])
            if isinstance(replacement, (Closure, Builtin)):
                given: list[Value] = [UNDEFINED if group is None else group for group in groups]
                given += [start, this]
                if named:
                    given.append(JsObject({key: UNDEFINED if item is None else item for key, item in named.items()}))
                parts.append(v.to_text(interpreter.call(replacement, UNDEFINED, given, node)))
            else:
                pattern = v.to_text(replacement)
                parts.append(_expand(pattern, groups, named, this, start, end) if isinstance(pattern, str) else pattern)
            last = end
        parts.append(this[last:])
        return v.concatenate(parts)

    return method


def _expand(
    pattern: str, groups: list[str | None], named: dict[str, str | None] | None, this: str, start: int, end: int
) -> str | Unknown:
    """ECMA-262 GetSubstitution."""

    def one(match: re.Match[str]) -> str:
        token = match[0]
        if token == "$$":
            return "$"
        if token == "$&":
            return groups[0] or ""
        if token == "$`":
            return this[:start]
        if token == "$'":
            return this[end:]
        if token.startswith("$<"):
            return (named.get(token[2:-1]) or "") if named else token
        index = int(token[1:])
        if 1 <= index < len(groups):
            return groups[index] or ""
        if len(token) == 3 and 1 <= int(token[1]) < len(groups):
            return (groups[int(token[1])] or "") + token[2]
        return token

    return re.sub(r"\$(?:\$|&|`|'|<[^>]*>|\d{1,2})", one, pattern)


def _split(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    separator, limit = argument(arguments, 0), argument(arguments, 1)
    if len(arguments) > 1 and not (isinstance(limit, int) and limit >= 0):
        return Unknown("a limit that is not known")
    if isinstance(separator, Undefined):
        items: list[Value] = [this] if not separator.reason else []
        if separator.reason:
            return Unknown(separator.reason)
    elif isinstance(separator, RegExp):
        try:
            found = regular_expressions.find(separator.pattern, separator.flags, this)
        except regular_expressions.NotDecidable as reason:
            return Unknown(str(reason))
        if any(match.start() == match.end() for match in found):
            return Unknown("a regular expression that matches nothing splits a string")
        items, last = [], 0
        for match in found:
            items.append(this[last : match.start()])
            items.extend(UNDEFINED if group is None else group for group in match.groups())
            last = match.end()
        items.append(this[last:])
    else:
        text = v.to_text(separator)
        if not isinstance(text, str):
            return Unknown(v.reason_of(separator))
        items = list(this.split(text)) if text else list(this)
    return JsArray(items[: int(limit)] if len(arguments) > 1 else items)


def _pad(at_start: bool) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        width = _integer(argument(arguments, 0), 0)
        filler = v.to_text(argument(arguments, 1)) if len(arguments) > 1 else " "
        if not isinstance(width, int) or not isinstance(filler, str) or width > 10_000:
            return Unknown("padding that is not known")
        missing = width - len(this)
        if missing <= 0 or not filler:
            return this
        padding = (filler * (missing // len(filler) + 1))[:missing]
        return padding + this if at_start else this + padding

    return method


def _repeat(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    count = _integer(argument(arguments, 0), 0)
    if not isinstance(count, int) or count < 0 or count * len(this) > 100_000:
        return Unknown("a string repeated too often")
    return this * count


def _char_at(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    index = _integer(argument(arguments, 0), 0)
    if isinstance(index, Unknown):
        return index
    return this[index] if 0 <= index < len(this) else ""


def _string_at(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    index = _integer(argument(arguments, 0), 0)
    if isinstance(index, Unknown):
        return index
    return this[index] if -len(this) <= index < len(this) else UNDEFINED


def _char_code_at(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    index = _integer(argument(arguments, 0), 0)
    if isinstance(index, Unknown):
        return index
    return ord(this[index]) if 0 <= index < len(this) else math.nan


def _string_concat(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    return v.concatenate([v.to_text(this), *(v.to_text(item) for item in arguments)])


def _string_match(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    wanted = argument(arguments, 0)
    if not isinstance(wanted, RegExp):
        return Unknown("a pattern that is not known")
    try:
        found = regular_expressions.find(wanted.pattern, wanted.flags, this)
    except regular_expressions.NotDecidable as reason:
        return Unknown(str(reason))
    if not found:
        return None
    if "g" in wanted.flags:
        return JsArray(match[0] for match in found)
    return _match_result(found[0])


def _match_result(match: re.Match[str]) -> Value:
    result = JsObject({str(i): UNDEFINED if g is None else g for i, g in enumerate([match[0], *match.groups()])})
    result.properties["length"] = len(match.groups()) + 1
    result.properties["index"] = match.start()
    named = match.groupdict()
    result.properties["groups"] = (
        JsObject({key: UNDEFINED if item is None else item for key, item in named.items()}) if named else UNDEFINED
    )
    result.complete = False
    return result


def _regex_test(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    text = v.to_text(argument(arguments, 0))
    if "g" in this.flags or "y" in this.flags or not isinstance(text, str):
        return Unknown(v.reason_of(argument(arguments, 0)))
    try:
        return regular_expressions.is_match(this.pattern, this.flags, text)
    except regular_expressions.NotDecidable as reason:
        return Unknown(str(reason))


def _regex_exec(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    text = v.to_text(argument(arguments, 0))
    if "g" in this.flags or "y" in this.flags or not isinstance(text, str):
        return Unknown(v.reason_of(argument(arguments, 0)))
    return _string_match(interpreter, text, [this], node)


def _simple(change: Callable[[str], Value]) -> Method:
    return lambda interpreter, this, arguments, node: change(this)


def _upper(text: str) -> Value:
    return text.upper()


_STRING: dict[str, Method] = {
    "toString": _simple(lambda text: text),
    "valueOf": _simple(lambda text: text),
    "trim": _simple(v.trim),
    "trimStart": _simple(lambda text: text[len(text) - len(text.lstrip(v._WHITE_SPACE)) :]),
    "trimEnd": _simple(lambda text: text.rstrip(v._WHITE_SPACE)),
    "toLowerCase": _simple(lambda text: text.lower()),
    "toUpperCase": _simple(_upper),
    "slice": _ascii_only(_string_slice),
    "substring": _ascii_only(_substring),
    "substr": _ascii_only(_substr),
    "startsWith": _ascii_only(_text_test(_starts)),
    "endsWith": _ascii_only(_text_test(_ends)),
    "includes": _ascii_only(_text_test(_includes)),
    "indexOf": _ascii_only(_index_of),
    "lastIndexOf": _ascii_only(_last_index_of),
    "replace": _ascii_only(_replace(every=False)),
    "replaceAll": _ascii_only(_replace(every=True)),
    "split": _ascii_only(_split),
    "padStart": _ascii_only(_pad(at_start=True)),
    "padEnd": _ascii_only(_pad(at_start=False)),
    "repeat": _repeat,
    "charAt": _ascii_only(_char_at),
    "at": _ascii_only(_string_at),
    "charCodeAt": _ascii_only(_char_code_at),
    "concat": _string_concat,
    "match": _ascii_only(_string_match),
}


def _text_starts(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    wanted = argument(arguments, 0)
    prefix = this.prefix
    if isinstance(wanted, str) and len(arguments) == 1:
        if prefix.startswith(wanted):
            return True
        if not wanted.startswith(prefix):
            return False
    return Unknown(this.reason)


def _text_ends(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    wanted = argument(arguments, 0)
    last = this.parts[-1]
    if isinstance(wanted, str) and isinstance(last, str) and len(arguments) == 1:
        if last.endswith(wanted):
            return True
        if not wanted.endswith(last):
            return False
    return Unknown(this.reason)


def _text_includes(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    wanted = argument(arguments, 0)
    if isinstance(wanted, str) and any(isinstance(part, str) and wanted in part for part in this.parts):
        return True
    return Unknown(this.reason)


def _text_strip_end(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    """`text.replace(/\\/+$/, '')` on text that ends in known characters keeps what stands before."""
    wanted, replacement = argument(arguments, 0), argument(arguments, 1)
    last = this.parts[-1]
    if (
        isinstance(wanted, RegExp)
        and replacement == ""
        and wanted.pattern in (r"\/+$", r"\/$")
        and isinstance(last, str)
    ):
        kept = last.rstrip("/") if "+" in wanted.pattern else last.removesuffix("/")
        if kept:
            return v.concatenate([*this.parts[:-1], kept])
    return Unknown(this.reason)


_TEXT: dict[str, Method] = {
    "toString": lambda interpreter, this, arguments, node: this,
    "concat": _string_concat,
    "startsWith": _text_starts,
    "endsWith": _text_ends,
    "includes": _text_includes,
    "replace": _text_strip_end,
    "trim": lambda interpreter, this, arguments, node: Unknown(this.reason),
}


# ------------------------------------------------------------------------ arrays


def _complete(method: Method) -> Method:
    """Methods that need every element; on an incomplete array a callback still runs once, with an unknown element."""

    def checked(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        if isinstance(this, JsArray) and this.complete:
            return method(interpreter, this, arguments, node)
        interpreter._run_callbacks_of_unknown(arguments)
        return Unknown("the elements of an array are not known")

    return checked


def _map(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    call = argument(arguments, 0)
    return JsArray(
        [interpreter.call(call, UNDEFINED, [item, index, this], node) for index, item in enumerate(list(this.items))]
    )


def _for_each(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    _map(interpreter, this, arguments, node)
    return UNDEFINED


def _decide(interpreter: Interpreter, this: Value, call: Value, node: ir.Node) -> list[tuple[Value, bool | Unknown]]:
    return [
        (item, v.truthy(interpreter.call(call, UNDEFINED, [item, index, this], node)))
        for index, item in enumerate(list(this.items))
    ]


def _filter(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    kept: list[Value] = []
    for item, test in _decide(interpreter, this, argument(arguments, 0), node):
        if isinstance(test, Unknown):
            return JsArray(kept, complete=False)
        if test:
            kept.append(item)
    return JsArray(kept)


def _find(what: str) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        decided = list(enumerate(_decide(interpreter, this, argument(arguments, 0), node)))
        if what in ("findLast", "findLastIndex"):
            decided.reverse()
        for index, (item, test) in decided:
            if isinstance(test, Unknown):
                return Unknown(test.reason)
            if what == "every":
                if not test:
                    return False
            elif test:
                return {"some": True, "find": item, "findLast": item}.get(what, index)
        return {"some": False, "every": True, "find": UNDEFINED, "findLast": UNDEFINED}.get(what, -1)

    return method


def _reduce(from_right: bool) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        items = list(enumerate(this.items))
        if from_right:
            items.reverse()
        if len(arguments) > 1:
            result = arguments[1]
        elif items:
            result = items.pop(0)[1]
        else:
            return Unknown("an empty array is reduced")
        for index, item in items:
            result = interpreter.call(argument(arguments, 0), UNDEFINED, [result, item, index, this], node)
        return result

    return method


def _join(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    separator = v.to_text(arguments[0]) if arguments and not isinstance(arguments[0], Undefined) else ","
    if not isinstance(separator, str):
        return Unknown(v.reason_of(separator))
    return v.join(separator, ["" if item is None or item == UNDEFINED else v.to_text(item) for item in this.items])


def _array_slice(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    bounds = _slice_bounds(len(this.items), arguments)
    return bounds if isinstance(bounds, Unknown) else JsArray(this.items[bounds[0] : bounds[1]])


def _array_concat(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    items = list(this.items)
    for item in arguments:
        if isinstance(item, JsArray):
            if not item.complete:
                return JsArray(items + item.items, complete=False)
            items.extend(item.items)
        elif isinstance(item, (Unknown, v.External)):
            return JsArray(items, complete=False)
        else:
            items.append(item)
    return JsArray(items)


def _array_includes(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    index = _array_index(interpreter, this, arguments, node)
    return index if isinstance(index, Unknown) else index >= 0


def _array_index(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    if len(arguments) > 1:
        return Unknown("a search from a position")
    for index, item in enumerate(this.items):
        equal = v.strictly_equal(item, argument(arguments, 0))
        if isinstance(equal, Unknown):
            return equal
        if equal:
            return index
    return -1


def _push(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    if this.complete:
        interpreter.set_items(this, [*this.items, *arguments])
        return len(this.items)
    return Unknown("the elements of an array are not known")


def _unshift(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    interpreter.set_items(this, [*arguments, *this.items])
    return len(this.items) if this.complete else Unknown("the elements of an array are not known")


def _pop(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    if not this.items:
        return UNDEFINED
    last = this.items[-1]
    interpreter.set_items(this, this.items[:-1])
    return last


def _shift(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    if not this.items:
        return UNDEFINED
    first = this.items[0]
    interpreter.set_items(this, this.items[1:])
    return first


def _splice(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    start = _integer(argument(arguments, 0), 0)
    count = _integer(argument(arguments, 1), 0) if len(arguments) > 1 else len(this.items)
    if isinstance(start, Unknown) or isinstance(count, Unknown):
        interpreter._forget(this)
        return Unknown("elements chosen at run time")
    low = max(len(this.items) + start, 0) if start < 0 else min(start, len(this.items))
    high = min(low + max(count, 0), len(this.items))
    removed = this.items[low:high]
    interpreter.set_items(this, [*this.items[:low], *arguments[2:], *this.items[high:]])
    return JsArray(removed)


def _ordered(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> list[Value] | Unknown:
    items = list(this.items)
    compare = argument(arguments, 0)
    if isinstance(compare, Undefined):
        if not all(isinstance(item, (str, int, float)) for item in items):
            return Unknown("elements that can't be ordered")
        return sorted(items, key=lambda item: str(v.to_text(item)).encode("utf-16-be", "surrogatepass"))

    def order(one: Value, other: Value) -> int:
        result = interpreter.call(compare, UNDEFINED, [one, other], node)
        result = v.to_number(result)
        if isinstance(result, Unknown):
            raise _NotOrdered(result.reason)
        return 0 if result != result else (result > 0) - (result < 0)

    try:
        return sorted(items, key=functools.cmp_to_key(order))
    except _NotOrdered as reason:
        return Unknown(str(reason))


class _NotOrdered(Exception):
    pass


def _sort(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    items = _ordered(interpreter, this, arguments, node)
    if isinstance(items, Unknown):
        interpreter._forget(this)
    else:
        interpreter.set_items(this, items)
    return this


def _to_sorted(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    items = _ordered(interpreter, this, arguments, node)
    return items if isinstance(items, Unknown) else JsArray(items)


def _reverse(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    interpreter.set_items(this, this.items[::-1])
    return this


def _flat(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    depth = _integer(argument(arguments, 0), 1)
    if not isinstance(depth, int):
        return depth
    items: list[Value] = list(this.items)
    for _ in range(min(depth, 10)):
        flat: list[Value] = []
        for item in items:
            if isinstance(item, JsArray):
                if not item.complete:
                    return Unknown("the elements of an array are not known")
                flat.extend(item.items)
            elif isinstance(item, (Unknown, v.External)):
                return Unknown(v.reason_of(item))
            else:
                flat.append(item)
        items = flat
    return JsArray(items)


def _flat_map(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    return _flat(interpreter, _map(interpreter, this, arguments, node), [], node)


def _array_at(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    index = _integer(argument(arguments, 0), 0)
    if isinstance(index, Unknown):
        return index
    return this.items[index] if -len(this.items) <= index < len(this.items) else UNDEFINED


def _fill(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    if len(arguments) != 1:
        interpreter._forget(this)
    else:
        interpreter.set_items(this, [arguments[0]] * len(this.items))
    return this


def _entries(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    return JsArray(JsArray([index, item]) for index, item in enumerate(this.items))


_ARRAY: dict[str, Method] = {
    "map": _complete(_map),
    "forEach": _complete(_for_each),
    "filter": _complete(_filter),
    **{name: _complete(_find(name)) for name in ("find", "findIndex", "findLast", "findLastIndex", "some", "every")},
    "reduce": _complete(_reduce(from_right=False)),
    "reduceRight": _complete(_reduce(from_right=True)),
    "join": _complete(_join),
    "toString": _complete(lambda interpreter, this, arguments, node: v.to_text(this)),
    "slice": _complete(_array_slice),
    "concat": _complete(_array_concat),
    "includes": _complete(_array_includes),
    "indexOf": _complete(_array_index),
    "push": _push,
    "unshift": _unshift,
    "pop": _complete(_pop),
    "shift": _complete(_shift),
    "splice": _complete(_splice),
    "sort": _complete(_sort),
    "toSorted": _complete(_to_sorted),
    "reverse": _complete(_reverse),
    "toReversed": _complete(lambda interpreter, this, arguments, node: JsArray(this.items[::-1])),
    "flat": _complete(_flat),
    "flatMap": _complete(_flat_map),
    "at": _complete(_array_at),
    "fill": _complete(_fill),
    "keys": _complete(lambda interpreter, this, arguments, node: JsArray(range(len(this.items)))),
    "values": _complete(lambda interpreter, this, arguments, node: JsArray(this.items)),
    "entries": _complete(_entries),
}


# ---------------------------------------------------------------- maps and sets


def _map_key(value: Value) -> Value | None:
    """A key that Python's dict tells apart as JavaScript does, or None."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float, type(None))):
        return None
    return value


def _map_get(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    key = _map_key(argument(arguments, 0))
    if key is None or not this.complete:
        return Unknown("an entry of a map")
    return this.entries.get(key, UNDEFINED)


def _map_has(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    key = _map_key(argument(arguments, 0))
    if key is None or not this.complete:
        return Unknown("whether a map holds a key")
    return key in this.entries


def _map_set(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    key = _map_key(argument(arguments, 0))
    if key is None:
        interpreter.write(this.__dict__, "complete", False)
    else:
        value = key if this.is_set else argument(arguments, 1)
        interpreter.write(this.__dict__, "entries", {**this.entries, key: value})
    return this


def _map_delete(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    key = _map_key(argument(arguments, 0))
    if key is None or not this.complete:
        interpreter.write(this.__dict__, "complete", False)
        return Unknown("whether a map held a key")
    interpreter.write(this.__dict__, "entries", {k: item for k, item in this.entries.items() if k != key})
    return key in this.entries


def _map_clear(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    interpreter.write(this.__dict__, "entries", {})
    return UNDEFINED


def _map_each(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    if not this.complete:
        interpreter._run_callbacks_of_unknown(arguments)
        return UNDEFINED
    for key, item in list(this.entries.items()):
        interpreter.call(argument(arguments, 0), UNDEFINED, [item, key, this], node)
    return UNDEFINED


def _map_list(what: str) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        if not this.complete:
            return Unknown("the entries of a map are not known")
        if what == "keys":
            return JsArray(this.entries)
        if what == "values":
            return JsArray(this.entries.values())
        return JsArray(JsArray([key, item]) for key, item in this.entries.items())

    return method


_MAP: dict[str, Method] = {
    "get": _map_get,
    "has": _map_has,
    "set": _map_set,
    "add": _map_set,
    "delete": _map_delete,
    "clear": _map_clear,
    "forEach": _map_each,
    "keys": _map_list("keys"),
    "values": _map_list("values"),
    "entries": _map_list("entries"),
}


def make_map(is_set: bool) -> Method:
    def construct(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        made = JsMap(is_set=is_set)
        given = argument(arguments, 0)
        if given is None or isinstance(given, Undefined):
            return made
        items = interpreter.iterate(given)
        if isinstance(items, Unknown):
            made.complete = False
            return made
        for item in items:
            pair = (
                [item, item] if is_set else (item.items if isinstance(item, JsArray) and len(item.items) == 2 else [])
            )
            key = _map_key(pair[0]) if pair else None
            if key is None:
                made.complete = False
            else:
                made.entries[key] = pair[1]
        return made

    return construct


# --------------------------------------------------- objects, numbers, functions


def _has_own(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    name = v.to_text(argument(arguments, 0))
    if isinstance(name, str):
        if name in this.properties:
            return True
        if this.complete and not isinstance(this, JsMap):
            return False
    return Unknown("whether a property exists")


def _to_fixed(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    digits = _integer(argument(arguments, 0), 0)
    if not isinstance(digits, int) or not 0 <= digits <= 100 or abs(this) >= 1e21 or this != this:
        return Unknown("a number's digits")
    if digits == 0 and isinstance(this, int):
        return str(this)
    from decimal import ROUND_HALF_UP, Decimal

    exact = Decimal(this).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    text = f"{exact:f}"
    return (
        text.removeprefix("-")
        if text.startswith("-") and not any(c in "123456789" for c in text) and this == 0
        else text
    )


def _number_text(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    base = _integer(argument(arguments, 0), 10)
    if base == 10:
        return v.number_to_string(this)
    if not isinstance(base, int) or not 2 <= base <= 36 or not isinstance(this, int):
        return Unknown("a number in another base")
    digits, rest = "", abs(this)
    while rest:
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % base] + digits
        rest //= base
    return ("-" if this < 0 else "") + (digits or "0")


_NUMBER: dict[str, Method] = {
    "toString": _number_text,
    "toFixed": _to_fixed,
    "valueOf": lambda interpreter, this, arguments, node: this,
}


def _function_call(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    return interpreter.call(this, argument(arguments, 0), arguments[1:], node)


def _function_apply(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    items = interpreter.iterate(argument(arguments, 1)) if len(arguments) > 1 else []
    given = [Unknown("arguments in an array")] if isinstance(items, Unknown) else items
    return interpreter.call(this, argument(arguments, 0), given, node)


def _function_bind(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    if not isinstance(this, Closure):
        return this if len(arguments) <= 1 else Unknown("a bound function")
    bound = Closure(this.function, this.scope, this.module, argument(arguments, 0))
    bound.home = this.home
    bound.bound = (*this.bound, *arguments[1:])
    receiver = argument(arguments, 0)
    return Builtin(
        "bound function",
        lambda i, _this, given, n: i.call_closure(bound, receiver, given, n),
    )


_FUNCTION: dict[str, Method] = {"call": _function_call, "apply": _function_apply, "bind": _function_bind}


# ---------------------------------------------------------------------- promises


def _then(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    """What stands after `then` runs once the code that is running now is done."""
    handler = argument(arguments, 0)
    result = Promise(Unknown("what a then handler gives"))
    value = this.value

    def run() -> object:
        interpreter.await_value(this)
        if isinstance(handler, (Closure, Builtin)):
            given = interpreter.call(handler, UNDEFINED, [value], node)
            result.value = given.value if isinstance(given, Promise) else given
        return None

    interpreter._later.append((run, interpreter.uncertain == 0))
    for other in arguments[1:]:
        if isinstance(other, Closure):
            interpreter._schedule_event(other, v.External("promise.catch"))
    return result


def _catch(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    handler = argument(arguments, 0)
    if isinstance(handler, Closure):
        interpreter._schedule_event(handler, v.External("promise.catch"))
    return this


def _finally(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    handler = argument(arguments, 0)
    interpreter._later.append(
        (lambda: interpreter._ignore(interpreter.call(handler, UNDEFINED, [], node)), interpreter.uncertain == 0)
    )
    return this


_PROMISE: dict[str, Method] = {"then": _then, "catch": _catch, "finally": _finally}


# --------------------------------------------------------------------------- URL

_SPECIAL = ("http", "https", "ws", "wss", "ftp", "file")
_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
_SAFE_URL = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*")


def parse_url(address: Value, base: Value = UNDEFINED) -> Value:
    """`new URL(address, base)`: a UrlValue; Unknown where it is invalid, unusual or not known."""
    text = address.href if isinstance(address, UrlValue) else v.to_text(address)
    if not isinstance(base, Undefined):
        against = base.href if isinstance(base, UrlValue) else v.to_text(base)
        if not isinstance(text, str):
            return Unknown(v.reason_of(text))
        if not isinstance(against, str):
            if text.startswith("/") and isinstance(against, (Text, Unknown)) and not text.startswith("//"):
                return v.concatenate([Unknown(v.reason_of(against), "location.origin"), text])
            return Unknown(v.reason_of(against))
        text = v.trim(text)
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", text) is None:
            if not re.match(r"(https?|wss?|file)://", against):
                return Unknown("a base address of an unusual kind")
            text = (
                urljoin(against, _encode_path(text)) if not against.startswith("file:") else _join_file(against, text)
            )
    if not isinstance(text, str):
        return Unknown(v.reason_of(text))
    text = v.trim(text)
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", text)
    if match is None:
        return Unknown(f"'{text}' is no absolute address")
    scheme = match[1].lower()
    if scheme not in _SPECIAL:
        return Unknown("an address of an unusual kind")
    if scheme == "file":
        if not text.lower().startswith("file:///"):
            return Unknown("an address of an unusual kind")
        return UrlValue("file://" + _normal_path(_encode_path(text[7:])))
    try:
        parts = urlsplit(text)
        port = str(parts.port) if parts.port is not None else ""
    except ValueError:
        return Unknown(f"'{text}' is no valid address")
    if not parts.hostname or not _SAFE_URL.fullmatch(text) or "@" in parts.netloc or "\\" in text:
        return Unknown("an address of an unusual kind")
    host = parts.hostname.lower()
    if re.fullmatch(r"[0-9.x]+", host) and not re.fullmatch(r"(\d{1,3}\.){3}\d{1,3}", host):
        return Unknown("an address of an unusual kind")
    if ":" in host:
        host = f"[{host}]"
    port = "" if port == _PORTS[scheme] else port
    path = _normal_path(parts.path or "/")
    href = f"{scheme}://{host}{':' + port if port else ''}{path}"
    href += f"?{parts.query}" if parts.query or "?" in text.split("#")[0] else ""
    href += f"#{parts.fragment}" if parts.fragment or text.endswith("#") else ""
    return UrlValue(href)


def _encode_path(text: str) -> str:
    return quote(text, safe="/:?#[]@!$&'()*+,;=%|^~-._\\")


def _join_file(base: str, relative: str) -> str:
    relative = _encode_path(relative)
    if relative.startswith("/"):
        return "file://" + relative
    if not relative or relative[0] in "?#":
        return base.split("#")[0].split("?")[0] + relative
    path = base[7:].split("?")[0].split("#")[0]
    return "file://" + path[: path.rfind("/") + 1] + relative


def _normal_path(path: str) -> str:
    """Dot segments removed as the URL standard does."""
    rest = ""
    for mark in ("?", "#"):
        if mark in path and not rest:
            index = min(position for position in (path.find("?"), path.find("#")) if position >= 0)
            path, rest = path[:index], path[index:]
    segments: list[str] = []
    parts = path.split("/")[1:]
    for index, segment in enumerate(parts):
        lower = segment.lower().replace("%2e", ".")
        if lower == "..":
            if segments:
                segments.pop()
            if index == len(parts) - 1:
                segments.append("")
        elif lower == ".":
            if index == len(parts) - 1:
                segments.append("")
        else:
            segments.append(segment)
    return "/" + "/".join(segments) + rest


def _url_member(owner: UrlValue, name: str) -> Value | None:
    if not isinstance(owner.href, str):
        return owner.href
    parts = urlsplit(owner.href)
    host = parts.netloc
    match name:
        case "href":
            return owner.href
        case "pathname":
            return parts.path
        case "protocol":
            return parts.scheme + ":"
        case "host":
            return host
        case "hostname":
            return host.rsplit(":", 1)[0] if re.search(r":\d+$", host) else host
        case "port":
            return str(parts.port) if parts.port is not None else ""
        case "origin":
            return "null" if parts.scheme == "file" else f"{parts.scheme}://{host}"
        case "search":
            return f"?{parts.query}" if parts.query else ""
        case "hash":
            return f"#{parts.fragment}" if parts.fragment else ""
        case "toString" | "toJSON":
            return Builtin("url.toString", lambda interpreter, this, arguments, node: this.href)
    return None


def file_path(address: Value) -> Value:
    """`fileURLToPath(address)`"""
    if isinstance(address, str):
        address = parse_url(address)
    if isinstance(address, UrlValue) and isinstance(address.href, str) and address.href.startswith("file:///"):
        path = address.href[7:].split("?")[0].split("#")[0]
        if "%2f" in path.lower():
            return Unknown("an encoded slash in a file address")
        return unquote_to_bytes(path).decode("utf-8", "replace")
    return Unknown(v.reason_of(address) if not isinstance(address, UrlValue) else "not a file address")


# ----------------------------------------------------------------- global objects


def _object_keys(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    keys = interpreter.keys(argument(arguments, 0))
    return keys if isinstance(keys, Unknown) else JsArray(keys)


def _object_values(pairs: bool) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        owner = argument(arguments, 0)
        keys = interpreter.keys(owner)
        if isinstance(keys, Unknown):
            return keys
        items = [interpreter.member(owner, key) for key in keys]
        return JsArray([JsArray([key, item]) for key, item in zip(keys, items, strict=True)] if pairs else items)

    return method


def _object_assign(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    target = argument(arguments, 0)
    for source in arguments[1:]:
        if isinstance(source, JsObject) and isinstance(target, (JsObject, Closure)):
            for key, item in source.properties.items():
                interpreter.write(target.properties, key, interpreter._get(item, source))
            if not source.complete and isinstance(target, JsObject):
                interpreter.write(target.__dict__, "complete", False)
        elif isinstance(target, JsObject) and not (source is None or isinstance(source, Undefined)):
            interpreter._forget(target)
    return target


def _from_entries(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    items = interpreter.iterate(argument(arguments, 0))
    if isinstance(items, Unknown):
        return JsObject(complete=False)
    made = JsObject()
    for item in items:
        key = v.to_text(item.items[0]) if isinstance(item, JsArray) and len(item.items) == 2 else None
        if isinstance(key, str):
            made.properties[key] = item.items[1]
        else:
            made.complete = False
    return made


def _first(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    return argument(arguments, 0)


def _number_of(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    return v.to_number(arguments[0]) if arguments else 0


def _string_of(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    return v.to_text(arguments[0]) if arguments else ""


def _boolean_of(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    test = v.truthy(argument(arguments, 0))
    return Unknown(test.reason) if isinstance(test, Unknown) else test


def _parse_int(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    text, base = v.to_text(argument(arguments, 0)), _integer(argument(arguments, 1), 0)
    if not isinstance(text, str):
        return Unknown(v.reason_of(argument(arguments, 0)))
    if not isinstance(base, int):
        return base
    text = v.trim(text)
    sign = -1 if text.startswith("-") else 1
    text = text[1:] if text[:1] in ("+", "-") else text
    if base in (0, 16) and text[:2].lower() == "0x":
        text, base = text[2:], 16
    base = base or 10
    if not 2 <= base <= 36:
        return math.nan
    digits = ""
    for character in text:
        if not character.isascii() or not character.isalnum() or int(character, 36) >= base:
            break
        digits += character
    return v.number(sign * int(digits, base)) if digits else math.nan


def _parse_float(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    text = v.to_text(argument(arguments, 0))
    if not isinstance(text, str):
        return Unknown(v.reason_of(argument(arguments, 0)))
    match = re.match(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)", v.trim(text))
    return v.number(float(match[0].replace("Infinity", "inf"))) if match else math.nan


def _is_nan(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    number = v.to_number(argument(arguments, 0))
    return number if isinstance(number, Unknown) else number != number


def _number_test(test: Callable[[float], bool]) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        value = argument(arguments, 0)
        if isinstance(value, (Unknown, v.External)):
            return Unknown(v.reason_of(value))
        return v.is_number(value) and test(value)

    return method


def _json_parse(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    text = argument(arguments, 0)
    if not isinstance(text, str) or len(arguments) > 1:
        return Unknown(v.reason_of(text))
    try:
        return v.from_json(json.loads(text, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return Unknown("JSON that can't be parsed")


def _refuse(name: str) -> None:
    raise ValueError(name)


def _json_stringify(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    value = argument(arguments, 0)
    if isinstance(value, Undefined):
        return value
    if len(arguments) == 1 and isinstance(value, (str, bool, int, type(None))):
        return json.dumps(value, ensure_ascii=False)
    text = _json_text(value, 0) if len(arguments) == 1 else None
    return Unknown("an object written as JSON") if text is None else text


def _json_text(value: Value, depth: int) -> str | None:
    if depth > 20:
        return None
    if isinstance(value, (bool, str, type(None))):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return v.number_to_string(value) if math.isfinite(value) else "null"
    if isinstance(value, JsArray) and value.complete:
        items = [_json_text(item, depth + 1) for item in value.items]
        return None if None in items else "[" + ",".join(item or "" for item in items) + "]"
    if type(value) is JsObject and value.complete and value.made_by is None and "toJSON" not in value.properties:
        from forensics.facts.interpreter import own_keys

        parts = []
        for key in own_keys(value.properties):
            item = value.properties[key]
            if item == UNDEFINED:
                continue
            text = _json_text(item, depth + 1)
            if text is None:
                return None
            parts.append(json.dumps(key, ensure_ascii=False) + ":" + text)
        return "{" + ",".join(parts) + "}"
    return None


def _math(compute: Callable[..., float]) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        numbers = [v.to_number(item) for item in arguments]
        for item in numbers:
            if isinstance(item, Unknown):
                return item
        try:
            return v.number(compute(*numbers))
        except (ValueError, OverflowError, TypeError):
            return Unknown("a number that can't be computed")

    return method


def _maximum(*numbers: float) -> float:
    return math.nan if any(item != item for item in numbers) else max(numbers, default=-math.inf)


def _minimum(*numbers: float) -> float:
    return math.nan if any(item != item for item in numbers) else min(numbers, default=math.inf)


def _rounded(value: float) -> float:
    return value if not math.isfinite(value) else math.floor(value + 0.5)


def _whole(change: Callable[[float], int]) -> Callable[[float], float]:
    return lambda value: change(value) if math.isfinite(value) else value


_MATH = {
    "max": _maximum,
    "min": _minimum,
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "round": _rounded,
    "trunc": _whole(math.trunc),
    "abs": abs,
    "sign": lambda value: value if value == 0 or value != value else math.copysign(1, value),
}


def _promise_all(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    items = interpreter.iterate(argument(arguments, 0))
    if isinstance(items, Unknown):
        return Promise(items)
    return Promise(JsArray(interpreter.await_value(item) for item in items))


def _promise_new(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    made = Promise(Unknown("what a promise is resolved with"))

    def resolve(i: Interpreter, _this: Value, given: list[Value], n: ir.Node) -> Value:
        made.value = argument(given, 0)
        return UNDEFINED

    settle = Builtin("resolve", resolve)
    reject = Builtin("reject", lambda i, _this, given, n: UNDEFINED)
    if isinstance(argument(arguments, 0), Closure):
        interpreter.call(arguments[0], UNDEFINED, [settle, reject], node)
    return made


def _array_from(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    source, call = argument(arguments, 0), argument(arguments, 1)
    items = interpreter.iterate(source)
    if isinstance(items, Unknown) and type(source) is JsObject and isinstance(source.properties.get("length"), int):
        length = source.properties["length"]
        if 0 <= length <= 1_000:
            items = [source.properties.get(str(index), UNDEFINED) for index in range(length)]
    if isinstance(items, Unknown):
        interpreter._run_callbacks_of_unknown(arguments[1:])
        return items
    if isinstance(call, Undefined):
        return JsArray(items)
    return JsArray([interpreter.call(call, UNDEFINED, [item, index], node) for index, item in enumerate(items)])


def _is_array(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    value = argument(arguments, 0)
    return Unknown(v.reason_of(value)) if isinstance(value, (Unknown, v.External)) else isinstance(value, JsArray)


def _regexp_new(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    pattern, flags = argument(arguments, 0), argument(arguments, 1)
    if isinstance(pattern, RegExp):
        return RegExp(pattern.pattern, pattern.flags if isinstance(flags, Undefined) else str(flags))
    text = v.to_text(pattern)
    if not isinstance(text, str) or not isinstance(flags, (str, Undefined)):
        return Unknown("a regular expression made at run time")
    return RegExp(text, flags if isinstance(flags, str) else "")


def _encode_component(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    text = v.to_text(argument(arguments, 0))
    if not isinstance(text, str):
        return Unknown(v.reason_of(text))
    try:
        return quote(text, safe="!'()*~-._")
    except UnicodeEncodeError:
        return Unknown("a lone surrogate")


def _decode_component(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    text = v.to_text(argument(arguments, 0))
    if not isinstance(text, str) or re.search(r"%(?![0-9a-fA-F]{2})", text):
        return Unknown(v.reason_of(text))
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        return Unknown("an address that can't be decoded")


def _url_new(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    return parse_url(argument(arguments, 0), argument(arguments, 1))


def _define_property(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    target, name, given = (argument(arguments, index) for index in range(3))
    text = v.to_text(name)
    if isinstance(target, JsObject) and isinstance(text, str) and isinstance(given, JsObject):
        if "value" in given.properties:
            interpreter.write(target.properties, text, given.properties["value"])
        elif isinstance(given.properties.get("get"), Closure):
            interpreter.write(target.properties, text, v.Getter(given.properties["get"]))
    return target


GLOBALS: dict[str, Value] = {
    "NaN": math.nan,
    "Infinity": math.inf,
    "Object": Builtin(
        "Object",
        _first,
        keys=Builtin("Object.keys", _object_keys),
        values=Builtin("Object.values", _object_values(pairs=False)),
        entries=Builtin("Object.entries", _object_values(pairs=True)),
        assign=Builtin("Object.assign", _object_assign),
        freeze=Builtin("Object.freeze", _first),
        seal=Builtin("Object.seal", _first),
        fromEntries=Builtin("Object.fromEntries", _from_entries),
        defineProperty=Builtin("Object.defineProperty", _define_property),
    ),
    "Number": Builtin(
        "Number",
        _number_of,
        parseInt=Builtin("parseInt", _parse_int),
        parseFloat=Builtin("parseFloat", _parse_float),
        isNaN=Builtin("Number.isNaN", _number_test(lambda value: value != value)),
        isInteger=Builtin("Number.isInteger", _number_test(lambda value: math.isfinite(value) and value == int(value))),
        isFinite=Builtin("Number.isFinite", _number_test(math.isfinite)),
        MAX_SAFE_INTEGER=2**53 - 1,
    ),
    "String": Builtin("String", _string_of),
    "Boolean": Builtin("Boolean", _boolean_of),
    "Array": Builtin(
        "Array",
        lambda interpreter, this, arguments, node: (
            JsArray(arguments) if len(arguments) != 1 or not v.is_number(arguments[0]) else Unknown("an array of holes")
        ),
        isArray=Builtin("Array.isArray", _is_array),
        of=Builtin("Array.of", lambda interpreter, this, arguments, node: JsArray(arguments)),
        **{"from": Builtin("Array.from", _array_from)},
    ),
    "JSON": JsObject(
        {"parse": Builtin("JSON.parse", _json_parse), "stringify": Builtin("JSON.stringify", _json_stringify)}
    ),
    "Math": JsObject(
        {
            **{name: Builtin(f"Math.{name}", _math(compute)) for name, compute in _MATH.items()},
            "PI": math.pi,
            "E": math.e,
        },
        complete=False,
    ),
    "parseInt": Builtin("parseInt", _parse_int),
    "parseFloat": Builtin("parseFloat", _parse_float),
    "isNaN": Builtin("isNaN", _is_nan),
    "Map": Builtin("Map", make_map(is_set=False), new=Builtin("new Map", make_map(is_set=False))),
    "Set": Builtin("Set", make_map(is_set=True), new=Builtin("new Set", make_map(is_set=True))),
    "RegExp": Builtin("RegExp", _regexp_new, new=Builtin("new RegExp", _regexp_new)),
    "encodeURIComponent": Builtin("encodeURIComponent", _encode_component),
    "decodeURIComponent": Builtin("decodeURIComponent", _decode_component),
    "URL": Builtin("URL", _url_new, new=Builtin("new URL", _url_new)),
    "Promise": Builtin(
        "Promise",
        _promise_new,
        new=Builtin("new Promise", _promise_new),
        all=Builtin("Promise.all", _promise_all),
        allSettled=Builtin(
            "Promise.allSettled",
            lambda i, this, a, n: (_promise_all(i, this, a, n), Promise(Unknown("settled promises")))[1],
        ),
        race=Builtin("Promise.race", lambda i, this, a, n: Promise(Unknown("the first of several promises"))),
        any=Builtin("Promise.any", lambda i, this, a, n: Promise(Unknown("the first of several promises"))),
        resolve=Builtin(
            "Promise.resolve",
            lambda i, this, a, n: argument(a, 0) if isinstance(argument(a, 0), Promise) else Promise(argument(a, 0)),
        ),
        reject=Builtin("Promise.reject", lambda i, this, a, n: Promise(Unknown("a rejected promise"))),
    ),
    "Error": Builtin("Error", lambda i, this, a, n: JsObject({"message": argument(a, 0)}, complete=False)),
}
for _kind in ("TypeError", "RangeError", "SyntaxError", "AggregateError"):
    GLOBALS[_kind] = Builtin(_kind, lambda i, this, a, n: JsObject({"message": argument(a, 0)}, complete=False))
