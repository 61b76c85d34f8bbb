"""Methods of arrays and of iterators. Source: ECMA-262, chapters 23.1 and 27.1."""

from __future__ import annotations

import functools
from functools import partial
from typing import TYPE_CHECKING, Any

from forensics.facts import values as v
from forensics.facts.builtins_arguments import Method, argument, integer, relative, slice_bounds
from forensics.facts.builtins_strings import iterator
from forensics.facts.operators import utf16_order
from forensics.facts.state import Completion, merged
from forensics.facts.values import (
    UNDEFINED,
    Builtin,
    External,
    GeneratorValue,
    JsArray,
    JsObject,
    Undefined,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

NOT_KNOWN = "the elements of an array are not known"
LONGEST = 10_000
_UNMODELLED = frozenset(
    ["constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "valueOf", "group"]
)  # fmt: skip


def array_member(owner: JsArray, name: str) -> Value | None:
    """A property of an array, None if it has none of that name."""
    if name == "length":
        return len(owner.items) if owner.complete else Unknown(NOT_KNOWN)
    if name.isdigit():
        index = int(name)
        if not owner.complete:
            found = owner.items[index : index + 1]
            return Unknown(NOT_KNOWN, candidates=tuple(found))
        return owner.items[index] if index < len(owner.items) else UNDEFINED
    method = _ARRAY.get(name)
    if method is not None:
        return Builtin(f"array.{name}", method)
    return Unknown(f"{name} of an array is not modelled") if name in _UNMODELLED else None


def iterator_member(owner: GeneratorValue, name: str) -> Value:
    """A property of a generator or an iterator."""
    if name == "next":
        return Builtin("iterator.next", _next)
    if name == "@@iterator":
        return Builtin("iterator", lambda interpreter, this, arguments, node: this)
    if name == "toArray":
        return Builtin("iterator.toArray", lambda interpreter, this, arguments, node: _listed(interpreter, this))
    return Unknown(f"{name} of an iterator is not modelled")


def _listed(interpreter: Interpreter, this: Value) -> Value:
    items = interpreter.iterate(this)
    return items if isinstance(items, Unknown) else JsArray(items)


def _next(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    if not isinstance(this, GeneratorValue):
        return Unknown("an iterator that is not known")
    pulled = this.pull(argument(arguments, 0))
    if pulled is None:
        return JsObject({"value": Unknown("what a generator gives"), "done": Unknown("whether a generator ended")})
    return JsObject({"value": pulled[1], "done": pulled[0] == "return"})


def _needs_all(method: Method, holes: bool = False) -> Method:
    """Methods that need every element; on an incomplete array a callback still runs some number of times."""

    def checked(interpreter: Interpreter, this: Any, arguments: list[Value], node: Any) -> Value:
        if isinstance(this, JsArray) and this.complete and (holes or not this.holes):
            interpreter.charge(len(this.items))
            return method(interpreter, this, arguments, node)
        interpreter.run_callbacks(arguments)
        return Unknown(NOT_KNOWN)

    return checked


def _callable(interpreter: Interpreter, value: Value) -> Value:
    """A callback, or what is thrown where it can't be one."""
    if isinstance(value, (str, int, float, bool, type(None), JsArray)) or value == UNDEFINED:
        interpreter.throw("TypeError", f"{v.to_text(value)} is not a function")
    return value


def _each(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> list[Value]:
    """What a callback gives for each element. Elements that are removed meanwhile are left out."""
    call = _callable(interpreter, argument(arguments, 0))
    receiver = argument(arguments, 1)
    found: list[Value] = []
    for index in range(len(this.items)):
        if index >= len(this.items):
            break
        found.append(interpreter.call(call, receiver, [this.items[index], index, this], node))
    return found


def _map(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    found = _each(interpreter, this, arguments, node)
    return JsArray(found)


def _for_each(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    _each(interpreter, this, arguments, node)
    return UNDEFINED


def _filter(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    items = list(this.items)
    tests = [v.truthy(test) for test in _each(interpreter, this, arguments, node)]
    kept: list[Value] = []
    for item, test in zip(items, tests, strict=False):
        if isinstance(test, Unknown):
            return JsArray(kept, complete=False)
        if test:
            kept.append(item)
    return JsArray(kept)


def _find(what: str) -> Method:
    """find, findIndex, some, every and their likes: the callback runs until one decides."""

    def method(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
        call = _callable(interpreter, argument(arguments, 0))
        order = list(enumerate(this.items))
        if what in ("findLast", "findLastIndex"):
            order.reverse()
        answers: list[Value] = []

        def look(position: int) -> Completion | None:
            while position < len(order):
                index, item = order[position]
                test = v.truthy(interpreter.call(call, argument(arguments, 1), [item, index, this], node))
                decides = (not test if what == "every" else test) if isinstance(test, bool) else test
                found = {"some": True, "every": False, "find": item, "findLast": item}.get(what, index)
                if isinstance(decides, Unknown):
                    # The callback runs for the rest only if this one didn't decide.
                    answers.append(found)
                    interpreter.state.fork(partial(look, position + 1), lambda: None)
                    return None
                if decides:
                    answers.append(found)
                    return None
                position += 1
            answers.append({"some": False, "every": True, "find": UNDEFINED, "findLast": UNDEFINED}.get(what, -1))
            return None

        look(0)
        if not answers:
            return Unknown("what a callback throws")
        result = answers[0]
        for other in answers[1:]:
            result = merged(result, other)
        return result

    return method


def _reduce(from_right: bool) -> Method:
    def method(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
        items = list(enumerate(this.items))
        if from_right:
            items.reverse()
        if len(arguments) > 1:
            result = arguments[1]
        elif items:
            result = items.pop(0)[1]
        else:
            return interpreter.throw("TypeError", "Reduce of empty array with no initial value")
        for index, item in items:
            result = interpreter.call(argument(arguments, 0), UNDEFINED, [result, item, index, this], node)
        return result

    return method


def _join(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    separator = "," if argument(arguments, 0) == UNDEFINED else interpreter.text(arguments[0])
    if not isinstance(separator, str):
        return Unknown(v.reason_of(separator))
    texts = ["" if item is None or item == UNDEFINED else interpreter.text(item) for item in this.items]
    return v.join(separator, texts)


def _to_string(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    return _join(interpreter, this, [], node)


def _slice(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    bounds = slice_bounds(len(this.items), arguments)
    return bounds if isinstance(bounds, Unknown) else JsArray(this.items[bounds[0] : bounds[1]])


def _concat(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    items = list(this.items)
    holes = this.holes
    for item in arguments:
        if isinstance(item, JsArray):
            items.extend(item.items)
            holes = holes or item.holes
            if not item.complete:
                return JsArray(items, complete=False)
        elif isinstance(item, (Unknown, External)):
            return JsArray(items, complete=False)
        else:
            items.append(item)
    interpreter.charge(len(items))
    return JsArray(items, holes=holes)


def _includes(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    wanted = argument(arguments, 0)
    if len(arguments) > 1:
        return Unknown("a search from a position")
    unknown: Unknown | None = None
    for item in this.items:
        # Unlike indexOf, NaN is found.
        equal = True if item != item and wanted != wanted else v.strictly_equal(item, wanted)
        if equal is True:
            return True
        unknown = unknown or (equal if isinstance(equal, Unknown) else None)
    return False if unknown is None else unknown


def _index_of(last: bool) -> Method:
    def method(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
        start = 0
        if len(arguments) > 1:
            given = integer(arguments[1], 0)
            if isinstance(given, Unknown) or last:
                return Unknown("a search from a position")
            start = relative(given, len(this.items))
        order = list(enumerate(this.items))[start:]
        for index, item in reversed(order) if last else order:
            equal = v.strictly_equal(item, argument(arguments, 0))
            if isinstance(equal, Unknown):
                return equal
            if equal:
                return index
        return -1

    return method


# ------------------------------------------------------------------------ changing


def _changes(method: Method) -> Method:
    """Methods that change the array. One that isn't wholly known stays so."""

    def checked(interpreter: Interpreter, this: Any, arguments: list[Value], node: Any) -> Value:
        if not isinstance(this, JsArray):
            interpreter.forget(this)
            interpreter.run_callbacks(arguments)
            return Unknown("an array that is not known")
        if this.frozen:
            return interpreter.throw("TypeError", "Cannot assign to read only property of object '[object Array]'")
        if this.complete and not this.holes:
            interpreter.charge(len(this.items))
            return method(interpreter, this, arguments, node)
        interpreter.forget(this)
        interpreter.run_callbacks(arguments)
        return Unknown(NOT_KNOWN)

    return checked


def _push(interpreter: Interpreter, this: Any, arguments: list[Value], node: Any) -> Value:
    if not isinstance(this, JsArray):
        interpreter.forget(this)
        return Unknown("an array that is not known")
    if this.frozen:
        return interpreter.throw("TypeError", "Cannot add property to an object that is not extensible")
    if not this.complete:
        # Another list, so that nobody takes the array for unchanged.
        interpreter.write(this.__dict__, "items", list(this.items))
        return Unknown(NOT_KNOWN)
    interpreter.set_items(this, [*this.items, *arguments])
    return len(this.items) if this.complete else Unknown(NOT_KNOWN)


def _unshift(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    interpreter.set_items(this, [*arguments, *this.items])
    return len(this.items)


def _pop(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    if not this.items:
        return UNDEFINED
    last = this.items[-1]
    interpreter.set_items(this, this.items[:-1])
    return last


def _shift(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    if not this.items:
        return UNDEFINED
    first = this.items[0]
    interpreter.set_items(this, this.items[1:])
    return first


def _spliced(this: JsArray, arguments: list[Value]) -> tuple[list[Value], list[Value]] | Unknown:
    """What is removed, and what stays."""
    start = integer(argument(arguments, 0), 0)
    count = 0 if not arguments else len(this.items) if len(arguments) == 1 else integer(arguments[1], 0)
    if isinstance(start, Unknown) or isinstance(count, Unknown):
        return Unknown("elements chosen at run time")
    low = relative(start, len(this.items))
    high = min(low + max(count, 0), len(this.items))
    return this.items[low:high], [*this.items[:low], *arguments[2:], *this.items[high:]]


def _splice(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    spliced = _spliced(this, arguments)
    if isinstance(spliced, Unknown):
        interpreter.forget(this)
        return spliced
    interpreter.set_items(this, spliced[1])
    return JsArray(spliced[0])


def _to_spliced(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    spliced = _spliced(this, arguments)
    return spliced if isinstance(spliced, Unknown) else JsArray(spliced[1])


class _NotOrdered(Exception):  # noqa: N818
    pass


def _ordered(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> list[Value] | Unknown:
    undefined = [item for item in this.items if isinstance(item, Undefined)]
    items = [item for item in this.items if not isinstance(item, Undefined)]
    compare = argument(arguments, 0)
    if any(item.reason for item in undefined):
        return Unknown("elements that can't be ordered")
    if isinstance(compare, Undefined):
        texts = [interpreter.text(item) for item in items]
        if not all(isinstance(text, str) for text in texts):
            return Unknown("elements that can't be ordered")
        order = sorted(range(len(items)), key=lambda index: utf16_order(str(texts[index])))
        return [*(items[index] for index in order), *undefined]

    def by_callback(one: Value, other: Value) -> int:
        result = v.to_number(interpreter.primitive(interpreter.call(compare, UNDEFINED, [one, other], node), "number"))
        if isinstance(result, Unknown):
            raise _NotOrdered(result.reason)
        return 0 if result != result else (result > 0) - (result < 0)

    if len(items) > LONGEST:
        return Unknown("very many elements to order")
    try:
        return [*sorted(items, key=functools.cmp_to_key(by_callback)), *undefined]
    except _NotOrdered as reason:
        return Unknown(str(reason))


def _sort(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    items = _ordered(interpreter, this, arguments, node)
    if isinstance(items, Unknown):
        interpreter.forget(this)
    else:
        interpreter.set_items(this, items)
    return this


def _to_sorted(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    items = _ordered(interpreter, this, arguments, node)
    return items if isinstance(items, Unknown) else JsArray(items)


def _reverse(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    interpreter.set_items(this, this.items[::-1])
    return this


def _to_reversed(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    return JsArray(this.items[::-1])


def _fill(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    start = relative_or_unknown(argument(arguments, 1), 0, len(this.items))
    end = relative_or_unknown(argument(arguments, 2), len(this.items), len(this.items))
    if isinstance(start, Unknown) or isinstance(end, Unknown):
        interpreter.forget(this)
        return this
    filled = [argument(arguments, 0)] * max(end - start, 0)
    interpreter.set_items(this, [*this.items[:start], *filled, *this.items[max(end, start) :]])
    if start == 0 and end == len(this.items):
        interpreter.write(this.__dict__, "holes", False)
    return this


def _copy_within(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    length = len(this.items)
    to = relative_or_unknown(argument(arguments, 0), 0, length)
    start = relative_or_unknown(argument(arguments, 1), 0, length)
    end = relative_or_unknown(argument(arguments, 2), length, length)
    if isinstance(to, Unknown) or isinstance(start, Unknown) or isinstance(end, Unknown):
        interpreter.forget(this)
        return this
    copied = this.items[start:end][: length - to]
    interpreter.set_items(this, [*this.items[:to], *copied, *this.items[to + len(copied) :]])
    return this


def relative_or_unknown(value: Value, default: int, length: int) -> int | Unknown:
    position = integer(value, default)
    return position if isinstance(position, Unknown) else relative(position, length)


def _with(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    index = integer(argument(arguments, 0), 0)
    if isinstance(index, Unknown):
        return index
    if not -len(this.items) <= index < len(this.items):
        return interpreter.throw("RangeError", "Invalid index : " + str(index))
    items = list(this.items)
    items[index] = argument(arguments, 1)
    return JsArray(items)


# ---------------------------------------------------------------------- flattening


def _flattened(interpreter: Interpreter, items: list[Value], depth: int) -> list[Value] | Unknown:
    for _ in range(min(depth, 10)):
        flat: list[Value] = []
        for item in items:
            if isinstance(item, JsArray):
                if not item.complete or item.holes:
                    return Unknown(NOT_KNOWN)
                flat.extend(item.items)
            elif isinstance(item, (Unknown, External)):
                return Unknown(v.reason_of(item))
            else:
                flat.append(item)
        items = flat
        interpreter.charge(len(items))
    return items


def _flat(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    depth = integer(argument(arguments, 0), 1)
    if isinstance(depth, Unknown):
        return depth
    items = _flattened(interpreter, list(this.items), max(depth, 0))
    return items if isinstance(items, Unknown) else JsArray(items)


def _flat_map(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    items = _flattened(interpreter, _each(interpreter, this, arguments, node), 1)
    return items if isinstance(items, Unknown) else JsArray(items)


def _at(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    index = integer(argument(arguments, 0), 0)
    if isinstance(index, Unknown):
        return index
    return this.items[index] if -len(this.items) <= index < len(this.items) else UNDEFINED


def _indexes(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    return iterator(interpreter, list(range(len(this.items))))


def _values(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    return iterator(interpreter, list(this.items))


def _entries(interpreter: Interpreter, this: JsArray, arguments: list[Value], node: Any) -> Value:
    return iterator(interpreter, [JsArray([index, item]) for index, item in enumerate(this.items)])


_ARRAY: dict[str, Method] = {
    "map": _needs_all(_map),
    "forEach": _needs_all(_for_each),
    "filter": _needs_all(_filter),
    **{name: _needs_all(_find(name)) for name in ("find", "findIndex", "findLast", "findLastIndex", "some", "every")},
    "reduce": _needs_all(_reduce(from_right=False)),
    "reduceRight": _needs_all(_reduce(from_right=True)),
    "join": _needs_all(_join, holes=True),
    "toString": _needs_all(_to_string, holes=True),
    "slice": _needs_all(_slice),
    "concat": _needs_all(_concat, holes=True),
    "includes": _needs_all(_includes),
    "indexOf": _needs_all(_index_of(last=False)),
    "lastIndexOf": _needs_all(_index_of(last=True)),
    "push": _push,
    "unshift": _changes(_unshift),
    "pop": _changes(_pop),
    "shift": _changes(_shift),
    "splice": _changes(_splice),
    "sort": _changes(_sort),
    "reverse": _changes(_reverse),
    "copyWithin": _changes(_copy_within),
    "fill": _needs_all(_fill, holes=True),
    "toSorted": _needs_all(_to_sorted),
    "toReversed": _needs_all(_to_reversed),
    "toSpliced": _needs_all(_to_spliced),
    "with": _needs_all(_with),
    "flat": _needs_all(_flat),
    "flatMap": _needs_all(_flat_map),
    "at": _needs_all(_at),
    "keys": _needs_all(_indexes, holes=True),
    "values": _needs_all(_values, holes=True),
    "@@iterator": _needs_all(_values, holes=True),
    "entries": _needs_all(_entries, holes=True),
}


# -------------------------------------------------------------------------- Array


def make_array(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    """`Array(...)` and `new Array(...)`."""
    if len(arguments) != 1 or isinstance(arguments[0], (str, bool, JsArray, JsObject)):
        return JsArray(arguments)
    length = arguments[0]
    if not v.is_number(length):
        return Unknown("an array of unknown length")
    if length < 0 or length != int(length) or length >= 2**32:
        return interpreter.throw("RangeError", "Invalid array length")
    if length > LONGEST:
        return JsArray(complete=False)
    return JsArray([UNDEFINED] * int(length), holes=length > 0)


def array_of(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return JsArray(arguments)


def array_from(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    """`Array.from(iterable or {length}, callback)`"""
    source, call = argument(arguments, 0), argument(arguments, 1)
    items: list[Value] | Unknown
    if type(source) is JsObject and source.made_by is None and "@@iterator" not in source.properties:
        length = integer(source.properties.get("length", 0), 0)
        if not source.complete or not isinstance(length, int) or length > LONGEST:
            items = Unknown("an array of unknown length")
        else:
            items = [source.properties.get(str(index), UNDEFINED) for index in range(max(length, 0))]
    else:
        items = interpreter.iterate(source)
    if isinstance(items, Unknown):
        interpreter.run_callbacks(arguments[1:])
        return JsArray(complete=False)
    interpreter.charge(len(items))
    if isinstance(call, Undefined):
        return JsArray(items)
    return JsArray([interpreter.call(call, UNDEFINED, [item, index], node) for index, item in enumerate(items)])


def is_array(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    value = argument(arguments, 0)
    if isinstance(value, Unknown) and value.closed and value.candidates:
        kinds = {isinstance(item, JsArray) for item in value.candidates if not isinstance(item, (Unknown, External))}
        if len(kinds) == 1 and all(not isinstance(item, (Unknown, External)) for item in value.candidates):
            return kinds.pop()
    return Unknown(v.reason_of(value)) if isinstance(value, (Unknown, External)) else isinstance(value, JsArray)
