"""Methods of strings and regular expressions. Source: ECMA-262, chapter 22."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from forensics.facts import regular_expressions
from forensics.facts import values as v
from forensics.facts.builtins_arguments import Method, argument, integer, slice_bounds
from forensics.facts.values import (
    UNDEFINED,
    Builtin,
    Closure,
    GeneratorValue,
    JsArray,
    JsObject,
    RegExp,
    Text,
    Undefined,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

LONGEST_PADDING = 10_000
_UNMODELLED = frozenset(
    [
        "anchor",
        "big",
        "blink",
        "bold",
        "constructor",
        "fixed",
        "fontcolor",
        "fontsize",
        "hasOwnProperty",
        "isPrototypeOf",
        "isWellFormed",
        "italics",
        "link",
        "localeCompare",
        "propertyIsEnumerable",
        "small",
        "strike",
        "sub",
        "sup",
        "toLocaleString",
        "toWellFormed",
        "@@iterator",
    ]
)


def string_member(owner: str, name: str) -> Value | None:
    """A property of a string, None if it has none of that name."""
    if name == "length":
        return utf16_length(owner)
    if name.isdigit():
        if not _is_basic(owner):
            return Unknown("an index into a string with characters beyond the basic plane")
        return owner[int(name)] if int(name) < len(owner) else UNDEFINED
    method = _STRING.get(name)
    if method is not None:
        return Builtin(f"string.{name}", method)
    return Unknown(f"{name} of a string is not modelled") if name in _UNMODELLED else None


def text_member(owner: Text, name: str) -> Value:
    """A property of a string of which only parts are known."""
    method = _TEXT.get(name)
    return Builtin(f"string.{name}", method) if method else Unknown(owner.reason)


def regexp_member(owner: RegExp, name: str) -> Value | None:
    match name:
        case "source":
            return _escaped_source(owner.pattern) or "(?:)"
        case "flags":
            return "".join(sorted(owner.flags))
        case "lastIndex":
            return owner.last_index
        case "global" | "ignoreCase" | "multiline" | "sticky" | "unicode" | "dotAll":
            return {"dotAll": "s"}.get(name, "y" if name == "sticky" else name[0]) in owner.flags
        case "test":
            return Builtin("regexp.test", _regex_test)
        case "exec":
            return Builtin("regexp.exec", _regex_exec)
        case "toString":
            return Builtin("regexp.toString", lambda interpreter, this, arguments, node: v.to_text(this))
    return Unknown(f"{name} of a regular expression is not modelled")


def _escaped_source(pattern: str) -> str:
    """A pattern as a literal between slashes could hold it."""
    parts: list[str] = []
    in_class = False
    for match in re.finditer(r"\\.|[\s\S]", pattern):
        piece = match[0]
        if piece in "[]":
            in_class = piece == "["
        parts.append({"/": "/" if in_class else "\\/", "\n": "\\n", "\r": "\\r"}.get(piece, piece))
    return "".join(parts)


def utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _is_basic(text: str) -> bool:
    return text.isascii() or all(ord(character) <= 0xFFFF for character in text)


def _basic(method: Method) -> Method:
    """Methods by position count UTF-16 units; on text beyond the basic plane they are left unknown."""

    def checked(interpreter: Interpreter, this: Any, arguments: list[Value], node: Any) -> Value:
        if not isinstance(this, str):
            text = interpreter.text(this)
            if not isinstance(text, str):
                return Unknown(v.reason_of(text))
            this = text
        if not _is_basic(this) or any(isinstance(item, str) and not _is_basic(item) for item in arguments):
            return Unknown("an index into a string with characters beyond the basic plane")
        interpreter.charge(len(this) // 16)
        return method(interpreter, this, arguments, node)

    return checked


def _slice(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    bounds = slice_bounds(len(this), arguments)
    return bounds if isinstance(bounds, Unknown) else this[bounds[0] : bounds[1]]


def _substring(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    start = integer(argument(arguments, 0), 0)
    end = integer(argument(arguments, 1), len(this))
    if isinstance(start, Unknown) or isinstance(end, Unknown):
        return Unknown("a position in a string")
    low, high = sorted((min(max(start, 0), len(this)), min(max(end, 0), len(this))))
    return this[low:high]


def _substr(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    start = integer(argument(arguments, 0), 0)
    length = integer(argument(arguments, 1), len(this))
    if isinstance(start, Unknown) or isinstance(length, Unknown):
        return Unknown("a position in a string")
    low = max(len(this) + start, 0) if start < 0 else min(start, len(this))
    return this[low : low + max(length, 0)]


def _text_test(test: Callable[[str, str, int | None], bool]) -> Method:
    def method(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
        wanted = argument(arguments, 0)
        if isinstance(wanted, RegExp):
            return interpreter.throw("TypeError", "First argument must not be a regular expression")
        text = interpreter.text(wanted)
        given = argument(arguments, 1)
        position = None if given == UNDEFINED else integer(given, 0)
        if not isinstance(text, str) or isinstance(position, Unknown):
            return Unknown(v.reason_of(wanted))
        return test(this, text, position)

    return method


def _starts(this: str, wanted: str, position: int | None) -> bool:
    return this.startswith(wanted, min(max(position or 0, 0), len(this)))


def _ends(this: str, wanted: str, position: int | None) -> bool:
    return this[: len(this) if position is None else max(position, 0)].endswith(wanted)


def _includes(this: str, wanted: str, position: int | None) -> bool:
    return this.find(wanted, min(max(position or 0, 0), len(this))) >= 0


def _index_of(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    text = interpreter.text(argument(arguments, 0))
    start = integer(argument(arguments, 1), 0)
    if isinstance(text, str) and isinstance(start, int):
        return this.find(text, min(max(start, 0), len(this)))
    return Unknown(v.reason_of(argument(arguments, 0)))


def _last_index_of(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    text = interpreter.text(argument(arguments, 0))
    if isinstance(text, str) and len(arguments) < 2:
        return this.rfind(text)
    return Unknown("a position in a string")


# ------------------------------------------------------------ regular expressions


WORK_UNDECIDED = 200_000
"""What a search that may have taken all its time counts for, in characters."""


_BACKTRACKS = re.compile(r"[+*}]\??\)+[+*{]|\|[^()]*\)[+*{]")
WORK_BACKTRACKING = 40_000


def _undecided(interpreter: Interpreter, reason: regular_expressions.NotDecidable) -> Unknown:
    interpreter.charge(WORK_UNDECIDED)
    return Unknown(str(reason))


def _matches(interpreter: Interpreter, pattern: RegExp, text: str, first_only: bool = False) -> list[Any] | Unknown:
    interpreter.charge(WORK_BACKTRACKING if _BACKTRACKS.search(pattern.pattern) else len(text))
    try:
        return regular_expressions.find(pattern.pattern, pattern.flags, text, first_only)
    except regular_expressions.NotDecidable as reason:
        return _undecided(interpreter, reason)


def _groups(match: Any) -> list[Value]:
    return [UNDEFINED if group is None else group for group in match.groups()]


def _named(match: Any) -> Value:
    found = match.groupdict()
    if not found:
        return UNDEFINED
    return JsObject({key: UNDEFINED if item is None else item for key, item in found.items()})


def _match_array(match: Any, text: str) -> JsArray:
    made = JsArray([match[0], *_groups(match)])
    made.extra.update({"index": match.start(), "input": text, "groups": _named(match)})
    return made


def _replace(every: bool) -> Method:
    def method(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
        wanted, replacement = argument(arguments, 0), argument(arguments, 1)
        if isinstance(wanted, (Text, Unknown)):
            interpreter.run_callbacks(arguments[1:2])
            return Unknown(v.reason_of(wanted))
        places: list[tuple[int, int, list[Value], Value]]
        if isinstance(wanted, RegExp):
            if every and "g" not in wanted.flags:
                return interpreter.throw("TypeError", "replaceAll must be called with a global RegExp")
            found = _matches(interpreter, wanted, this, first_only="g" not in wanted.flags)
            if isinstance(found, Unknown) or "y" in wanted.flags:
                interpreter.run_callbacks(arguments[1:2])
                return found if isinstance(found, Unknown) else Unknown("a sticky regular expression")
            places = [(match.start(), match.end(), [match[0], *_groups(match)], _named(match)) for match in found]
        else:
            text = interpreter.text(wanted)
            if not isinstance(text, str):
                return Unknown(v.reason_of(wanted))
            starts = [match.start() for match in re.finditer(re.escape(text), this)]
            places = [(start, start + len(text), [text], UNDEFINED) for start in (starts if every else starts[:1])]
        parts: list[str | Text | Unknown] = []
        last = 0
        for start, end, groups, named in places:
            parts.append(this[last:start])
            if isinstance(replacement, (Closure, Builtin)):
                given: list[Value] = [*groups, start, this]
                if not isinstance(named, Undefined):
                    given.append(named)
                parts.append(interpreter.text(interpreter.call(replacement, UNDEFINED, given, node)))
            else:
                pattern = interpreter.text(replacement)
                parts.append(_expand(pattern, groups, named, this, start, end) if isinstance(pattern, str) else pattern)
            last = end
        parts.append(this[last:])
        return v.concatenate(parts)

    return method


def _expand(pattern: str, groups: list[Value], named: Value, this: str, start: int, end: int) -> str:
    """ECMA-262 GetSubstitution."""

    def text(value: Value) -> str:
        return value if isinstance(value, str) else ""

    def one(match: re.Match[str]) -> str:
        token = match[0]
        fixed = {"$$": "$", "$&": text(groups[0]), "$`": this[:start], "$'": this[end:]}
        if token in fixed:
            return fixed[token]
        if token.startswith("$<"):
            return text(named.properties.get(token[2:-1])) if isinstance(named, JsObject) else token
        index = int(token[1:])
        if 1 <= index < len(groups):
            return text(groups[index])
        if len(token) == 3 and 1 <= int(token[1]) < len(groups):
            return text(groups[int(token[1])]) + token[2]
        return token

    return re.sub(r"\$(?:\$|&|`|'|<[^>]*>|[0-9]{1,2})", one, pattern)


def _split(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    separator, limit = argument(arguments, 0), argument(arguments, 1)
    most = 2**32 - 1 if limit == UNDEFINED else integer(limit, 0)
    if isinstance(most, Unknown) or most < 0:
        return Unknown("a limit that is not known")
    items: list[Value]
    if isinstance(separator, Undefined):
        if separator.reason:
            return Unknown(separator.reason)
        items = [this]
    elif isinstance(separator, RegExp):
        try:
            items = _split_by_pattern(separator, this)
        except regular_expressions.NotDecidable as reason:
            return _undecided(interpreter, reason)
    else:
        text = interpreter.text(separator)
        if not isinstance(text, str):
            return Unknown(v.reason_of(separator))
        items = list(this.split(text)) if text else list(this)
    interpreter.charge(len(items))
    return JsArray(items[:most])


def _split_by_pattern(separator: RegExp, this: str) -> list[Value]:
    """ECMA-262 RegExp.prototype[@@split]."""
    search = regular_expressions.searcher(separator.pattern, separator.flags, this)
    if not this:
        return [] if search(0) is not None else [this]
    items: list[Value] = []
    last = position = 0
    while position < len(this):
        match = search(position)
        if match is None or match.start() >= len(this):
            break
        if match.end() == last:
            position = match.start() + 1
            continue
        items.append(this[last : match.start()])
        items.extend(_groups(match))
        last = position = match.end()
    return [*items, this[last:]]


def _match(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    wanted = argument(arguments, 0)
    if isinstance(wanted, str):
        wanted = RegExp(wanted, "")
    if not isinstance(wanted, RegExp) or "y" in wanted.flags:
        return Unknown("a pattern that is not known")
    found = _matches(interpreter, wanted, this, first_only="g" not in wanted.flags)
    if isinstance(found, Unknown):
        return found
    if "g" in wanted.flags:
        interpreter.write(wanted.__dict__, "last_index", 0)
        return JsArray(match[0] for match in found) if found else None
    return _match_array(found[0], this) if found else None


def _match_all(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    wanted = argument(arguments, 0)
    if not isinstance(wanted, RegExp) or "g" not in wanted.flags or "y" in wanted.flags:
        return Unknown("a pattern that is not known")
    found = _matches(interpreter, wanted, this)
    if isinstance(found, Unknown):
        return found
    return iterator(interpreter, [_match_array(match, this) for match in found])


def _search(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    wanted = argument(arguments, 0)
    if isinstance(wanted, str):
        wanted = RegExp(wanted, "")
    found = _matches(interpreter, wanted, this, first_only=True) if isinstance(wanted, RegExp) else Unknown("a pattern")
    if isinstance(found, Unknown):
        return found
    return found[0].start() if found else -1


def _regex_exec(interpreter: Interpreter, this: RegExp, arguments: list[Value], node: Any) -> Value:
    text = interpreter.text(argument(arguments, 0))
    if not isinstance(text, str) or not _is_basic(text) or "y" in this.flags:
        if "g" in this.flags or "y" in this.flags:
            interpreter.write(this.__dict__, "last_index", Unknown("where a search stopped"))
        return Unknown(v.reason_of(argument(arguments, 0)))
    start = 0
    if "g" in this.flags:
        if not isinstance(this.last_index, int):
            return Unknown("where a search begins")
        start = this.last_index
    if _BACKTRACKS.search(this.pattern):
        interpreter.charge(WORK_BACKTRACKING)
    try:
        match = regular_expressions.searcher(this.pattern, this.flags, text)(start) if start <= len(text) else None
    except regular_expressions.NotDecidable as reason:
        return _undecided(interpreter, reason)
    if "g" in this.flags:
        interpreter.write(this.__dict__, "last_index", 0 if match is None else match.end())
    return None if match is None else _match_array(match, text)


def _regex_test(interpreter: Interpreter, this: RegExp, arguments: list[Value], node: Any) -> Value:
    found = _regex_exec(interpreter, this, arguments, node)
    return found if isinstance(found, Unknown) else found is not None


# ------------------------------------------------------------------------- others


def iterator(interpreter: Interpreter, items: list[Value]) -> Value:
    """An iterator over values that are all known."""
    position: dict[str, Value] = {"next": 0}

    def pull(sent: Value) -> tuple[str, Value] | None:
        at = position["next"]
        if not isinstance(at, int):
            return None
        if at >= len(items):
            return ("return", UNDEFINED)
        interpreter.write(position, "next", at + 1)
        return ("yield", items[at])

    return GeneratorValue(pull)


def _pad(at_start: bool) -> Method:
    def method(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
        width = integer(argument(arguments, 0), 0)
        filler = " " if argument(arguments, 1) == UNDEFINED else interpreter.text(arguments[1])
        if not isinstance(width, int) or not isinstance(filler, str) or width > LONGEST_PADDING:
            return Unknown("padding that is not known")
        missing = width - len(this)
        if missing <= 0 or not filler:
            return this
        padding = (filler * (missing // len(filler) + 1))[:missing]
        return padding + this if at_start else this + padding

    return method


def _repeat(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    count = integer(argument(arguments, 0), 0)
    if isinstance(count, Unknown):
        return count
    if count < 0 or count == 2**31:
        return interpreter.throw("RangeError", f"Invalid count value: {v.to_text(argument(arguments, 0))}")
    if count * len(this) > v.LONGEST_TEXT:
        return Unknown("a very long text")
    return this * count


def _char_at(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    index = integer(argument(arguments, 0), 0)
    if isinstance(index, Unknown):
        return index
    return this[index] if 0 <= index < len(this) else ""


def _at(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    index = integer(argument(arguments, 0), 0)
    if isinstance(index, Unknown):
        return index
    return this[index] if -len(this) <= index < len(this) else UNDEFINED


def _char_code_at(outside: Value) -> Method:
    def method(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
        index = integer(argument(arguments, 0), 0)
        if isinstance(index, Unknown):
            return index
        return ord(this[index]) if 0 <= index < len(this) else outside

    return method


def _concat(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return v.concatenate([interpreter.text(this), *(interpreter.text(item) for item in arguments)])


def _normalize(interpreter: Interpreter, this: str, arguments: list[Value], node: Any) -> Value:
    given = "NFC" if argument(arguments, 0) == UNDEFINED else arguments[0]
    forms: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
    form = next((known for known in forms if known == given), None)
    return Unknown("a normal form that is not known") if form is None else unicodedata.normalize(form, this)


def _simple(change: Callable[[str], Value]) -> Method:
    def method(interpreter: Interpreter, this: Any, arguments: list[Value], node: Any) -> Value:
        text = interpreter.text(this)
        return change(text) if isinstance(text, str) else Unknown(v.reason_of(text))

    return method


def _trim_start(text: str) -> str:
    return text.lstrip(v.WHITE_SPACE)


def _trim_end(text: str) -> str:
    return text.rstrip(v.WHITE_SPACE)


_STRING: dict[str, Method] = {
    "toString": _simple(str),
    "valueOf": _simple(str),
    "trim": _simple(v.trim),
    "trimStart": _simple(_trim_start),
    "trimLeft": _simple(_trim_start),
    "trimEnd": _simple(_trim_end),
    "trimRight": _simple(_trim_end),
    "toLowerCase": _simple(str.lower),
    "toLocaleLowerCase": _simple(str.lower),
    "toUpperCase": _simple(str.upper),
    "toLocaleUpperCase": _simple(str.upper),
    "slice": _basic(_slice),
    "substring": _basic(_substring),
    "substr": _basic(_substr),
    "startsWith": _basic(_text_test(_starts)),
    "endsWith": _basic(_text_test(_ends)),
    "includes": _basic(_text_test(_includes)),
    "indexOf": _basic(_index_of),
    "lastIndexOf": _basic(_last_index_of),
    "replace": _basic(_replace(every=False)),
    "replaceAll": _basic(_replace(every=True)),
    "split": _basic(_split),
    "padStart": _basic(_pad(at_start=True)),
    "padEnd": _basic(_pad(at_start=False)),
    "repeat": _basic(_repeat),
    "charAt": _basic(_char_at),
    "at": _basic(_at),
    "charCodeAt": _basic(_char_code_at(math.nan)),
    "codePointAt": _basic(_char_code_at(UNDEFINED)),
    "concat": _concat,
    "match": _basic(_match),
    "matchAll": _basic(_match_all),
    "search": _basic(_search),
    "normalize": _basic(_normalize),
}


def _text_starts(interpreter: Interpreter, this: Text, arguments: list[Value], node: Any) -> Value:
    wanted = argument(arguments, 0)
    prefix = this.prefix
    if isinstance(wanted, str) and len(arguments) == 1:
        if prefix.startswith(wanted):
            return True
        if not wanted.startswith(prefix):
            return False
    return Unknown(this.reason)


def _text_ends(interpreter: Interpreter, this: Text, arguments: list[Value], node: Any) -> Value:
    wanted = argument(arguments, 0)
    last = this.parts[-1]
    if isinstance(wanted, str) and isinstance(last, str) and len(arguments) == 1:
        if last.endswith(wanted):
            return True
        if not wanted.endswith(last):
            return False
    return Unknown(this.reason)


def _text_includes(interpreter: Interpreter, this: Text, arguments: list[Value], node: Any) -> Value:
    wanted = argument(arguments, 0)
    if isinstance(wanted, str) and any(isinstance(part, str) and wanted in part for part in this.parts):
        return True
    return Unknown(this.reason)


def _text_strip_end(interpreter: Interpreter, this: Text, arguments: list[Value], node: Any) -> Value:
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
    interpreter.run_callbacks(arguments[1:2])
    return Unknown(this.reason)


def _text_itself(interpreter: Interpreter, this: Text, arguments: list[Value], node: Any) -> Value:
    return this


_TEXT: dict[str, Method] = {
    "toString": _text_itself,
    "valueOf": _text_itself,
    "concat": _concat,
    "startsWith": _text_starts,
    "endsWith": _text_ends,
    "includes": _text_includes,
    "replace": _text_strip_end,
}

__all__ = ["iterator", "regexp_member", "string_member", "text_member", "utf16_length"]
