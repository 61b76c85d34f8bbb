"""Map, Set, their weak forms, and URLSearchParams. Source: ECMA-262, chapter 24; https://url.spec.whatwg.org."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, unquote_to_bytes

from forensics.facts import values as v
from forensics.facts.builtins_arguments import Method, argument
from forensics.facts.builtins_strings import iterator
from forensics.facts.values import (
    UNDEFINED,
    Builtin,
    External,
    JsArray,
    JsMap,
    JsObject,
    SearchParams,
    Text,
    Undefined,
    Unknown,
    UrlValue,
    Value,
)

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

NOT_KNOWN = "the entries of a map are not known"


def map_member(owner: JsMap, name: str) -> Value | None:
    if name == "size":
        return len(owner.entries) if owner.complete else Unknown(NOT_KNOWN)
    method = _MAP.get(name)
    if method is not None:
        return Builtin(f"map.{name}", method)
    return Unknown(f"{name} of a map is not modelled") if name in ("constructor", "hasOwnProperty", "union") else None


def map_key(value: Value) -> Any:
    """A key that a dict tells apart as SameValueZero does; None where the value isn't known."""
    if isinstance(value, bool):
        return ("b", value)
    if isinstance(value, (int, float)):
        return ("n", "NaN") if value != value else ("n", float(value) + 0.0)
    if isinstance(value, str):
        return ("s", value)
    if isinstance(value, v.BigIntValue):
        return ("i", value.digits)
    if isinstance(value, (Unknown, Text, External)) or (isinstance(value, Undefined) and value.reason):
        return None
    if value is None or isinstance(value, Undefined):
        return ("u", value is None)
    if isinstance(value, v.Symbol):
        return ("y", value.key)
    return ("o", id(value))


def _get(interpreter: Interpreter, this: JsMap, arguments: list[Value], node: Any) -> Value:
    key = map_key(argument(arguments, 0))
    if key is None or not this.complete:
        found = this.entries.get(key) if key is not None else None
        return Unknown("an entry of a map", candidates=() if found is None else (found[1],))
    return this.entries[key][1] if key in this.entries else UNDEFINED


def _has(interpreter: Interpreter, this: JsMap, arguments: list[Value], node: Any) -> Value:
    key = map_key(argument(arguments, 0))
    if key is None or not this.complete:
        return Unknown("whether a map holds a key")
    return key in this.entries


def _set(interpreter: Interpreter, this: JsMap, arguments: list[Value], node: Any) -> Value:
    given = argument(arguments, 0)
    key = map_key(given)
    if key is None:
        interpreter.forget(this)
        return this
    value = given if this.is_set else argument(arguments, 1)
    kept = this.entries.get(key, (given, value))[0]
    interpreter.charge(len(this.entries))
    interpreter.write(this.__dict__, "entries", {**this.entries, key: (_positive(kept), value)})
    return this


def _positive(value: Value) -> Value:
    return 0 if isinstance(value, float) and value == 0 else value


def _delete(interpreter: Interpreter, this: JsMap, arguments: list[Value], node: Any) -> Value:
    key = map_key(argument(arguments, 0))
    if key is None or not this.complete:
        interpreter.forget(this)
        return Unknown("whether a map held a key")
    held = key in this.entries
    interpreter.write(this.__dict__, "entries", {k: item for k, item in this.entries.items() if k != key})
    return held


def _clear(interpreter: Interpreter, this: JsMap, arguments: list[Value], node: Any) -> Value:
    interpreter.write(this.__dict__, "entries", {})
    interpreter.write(this.__dict__, "complete", True)
    return UNDEFINED


def _for_each(interpreter: Interpreter, this: JsMap, arguments: list[Value], node: Any) -> Value:
    if not this.complete:
        interpreter.run_callbacks(arguments)
        return UNDEFINED
    for key, item in list(this.entries.values()):
        interpreter.call(argument(arguments, 0), argument(arguments, 1), [item, key, this], node)
    return UNDEFINED


def _listed(what: str) -> Method:
    def method(interpreter: Interpreter, this: JsMap, arguments: list[Value], node: Any) -> Value:
        if not this.complete:
            return Unknown(NOT_KNOWN)
        entries = list(this.entries.values())
        if what == "keys":
            return iterator(interpreter, [key for key, _ in entries])
        if what == "values":
            return iterator(interpreter, [item for _, item in entries])
        return iterator(interpreter, [JsArray([key, item]) for key, item in entries])

    return method


def _of_map(method: Method) -> Method:
    def checked(interpreter: Interpreter, this: Any, arguments: list[Value], node: Any) -> Value:
        if isinstance(this, JsMap):
            return method(interpreter, this, arguments, node)
        interpreter.forget(this)
        interpreter.run_callbacks(arguments)
        return Unknown("a map that is not known")

    return checked


def _iterated(interpreter: Interpreter, this: JsMap, arguments: list[Value], node: Any) -> Value:
    return _listed("values" if this.is_set else "entries")(interpreter, this, arguments, node)


_MAP: dict[str, Method] = {
    name: _of_map(method)
    for name, method in {
        "get": _get,
        "has": _has,
        "set": _set,
        "add": _set,
        "delete": _delete,
        "clear": _clear,
        "forEach": _for_each,
        "keys": _listed("keys"),
        "values": _listed("values"),
        "entries": _listed("entries"),
        "@@iterator": _iterated,
    }.items()
}


def make_map(is_set: bool) -> Method:
    """The constructor of Map (or Set) and its weak form."""

    def construct(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        made = JsMap(is_set=is_set)
        given = argument(arguments, 0)
        if given is None or isinstance(given, Undefined):
            return made
        items = interpreter.iterate(given)
        if isinstance(items, Unknown):
            made.complete = False
            return made
        interpreter.charge(len(items))
        for item in items:
            if is_set:
                first = second = item
            elif isinstance(item, JsArray) and item.complete:
                first, second = argument(item.items, 0), argument(item.items, 1)
            else:
                made.complete = False
                continue
            key = map_key(first)
            if key is None:
                made.complete = False
            else:
                kept = made.entries[key][0] if key in made.entries else _positive(first)
                made.entries[key] = (kept, _positive(second) if is_set else second)
        return made

    return construct


# ----------------------------------------------------------------- URLSearchParams


def make_search_params(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    """`new URLSearchParams(text, object, pairs or another)`"""
    given = argument(arguments, 0)
    if isinstance(given, Undefined) and not given.reason:
        return SearchParams(())
    if isinstance(given, SearchParams):
        return SearchParams(given.pairs)
    pairs: list[tuple[Value, Value]] = []
    if isinstance(given, (JsArray, JsMap)):
        items = interpreter.iterate(given)
        if isinstance(items, Unknown) or not all(isinstance(item, JsArray) and len(item.items) == 2 for item in items):
            return Unknown("the entries of a query")
        pairs = [(item.items[0], item.items[1]) for item in items]
    elif isinstance(given, JsObject):
        keys = interpreter.keys(given)
        if isinstance(keys, Unknown):
            return Unknown("the entries of a query")
        pairs = [(key, interpreter.member(given, key)) for key in keys]
    else:
        text = interpreter.text(given)
        return Unknown(v.reason_of(text)) if not isinstance(text, str) else SearchParams(parse_query(text))
    texts = [(interpreter.text(name), interpreter.text(value)) for name, value in pairs]
    if not all(isinstance(name, str) and isinstance(value, str) for name, value in texts):
        return Unknown("the entries of a query")
    return SearchParams(tuple((str(name), str(value)) for name, value in texts))


def parse_query(text: str) -> tuple[tuple[str, str], ...]:
    """application/x-www-form-urlencoded, a leading "?" dropped."""
    found = []
    for part in text.removeprefix("?").split("&"):
        if part:
            name, _, value = part.partition("=")
            found.append((_decoded(name), _decoded(value)))
    return tuple(found)


def _decoded(text: str) -> str:
    return unquote_to_bytes(text.replace("+", " ")).decode("utf-8", "replace")


def query_text(pairs: tuple[tuple[str, str], ...]) -> str:
    """A query as URLSearchParams writes it."""
    return "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in pairs)


def _encoded(text: str) -> str:
    return quote_plus(text.encode("utf-8", "replace"), safe="*-._").replace("~", "%7E")


def search_params_member(owner: SearchParams, name: str) -> Value | None:
    if not isinstance(owner.pairs, tuple):
        return Unknown("a query that was changed")
    if name == "size":
        return len(owner.pairs)
    method = _PARAMS.get(name)
    return Builtin(f"query.{name}", method) if method else Unknown(f"{name} of a query is not modelled")


def _params(change: bool, method: Method) -> Method:
    def checked(interpreter: Interpreter, this: Any, arguments: list[Value], node: Any) -> Value:
        texts = [interpreter.text(item) for item in arguments[:2]]
        if not isinstance(this, SearchParams) or not isinstance(this.pairs, tuple):
            return Unknown("a query that was changed")
        if all(isinstance(text, str) for text in texts):
            return method(interpreter, this, [*texts, *arguments[2:]], node)
        if change:
            _set_pairs(interpreter, this, Unknown("a query that was changed"))
        return Unknown("a part of a query")

    return checked


def _set_pairs(interpreter: Interpreter, this: SearchParams, pairs: Value) -> None:
    interpreter.write(this.__dict__, "pairs", pairs)
    url = this.url
    if url is None:
        return
    if not isinstance(pairs, tuple) or not isinstance(url.href, str):
        interpreter.write(url.__dict__, "href", Unknown("a URL that was changed"))
        return
    before, mark, fragment = url.href.partition("#")
    query = query_text(pairs)
    interpreter.write(url.__dict__, "href", before.split("?")[0] + (f"?{query}" if query else "") + mark + fragment)


def _param_get(interpreter: Interpreter, this: SearchParams, arguments: list[Value], node: Any) -> Value:
    return next((value for name, value in this.pairs if name == argument(arguments, 0)), None)


def _param_all(interpreter: Interpreter, this: SearchParams, arguments: list[Value], node: Any) -> Value:
    return JsArray(value for name, value in this.pairs if name == argument(arguments, 0))


def _param_has(interpreter: Interpreter, this: SearchParams, arguments: list[Value], node: Any) -> Value:
    return any(name == argument(arguments, 0) for name, _ in this.pairs)


def _param_append(interpreter: Interpreter, this: SearchParams, arguments: list[Value], node: Any) -> Value:
    _set_pairs(interpreter, this, (*this.pairs, (argument(arguments, 0), argument(arguments, 1))))
    return UNDEFINED


def _param_delete(interpreter: Interpreter, this: SearchParams, arguments: list[Value], node: Any) -> Value:
    _set_pairs(interpreter, this, tuple(pair for pair in this.pairs if pair[0] != argument(arguments, 0)))
    return UNDEFINED


def _param_set(interpreter: Interpreter, this: SearchParams, arguments: list[Value], node: Any) -> Value:
    wanted, value = argument(arguments, 0), argument(arguments, 1)
    found: list[tuple[str, str]] = []
    seen = False
    for pair in this.pairs:
        if pair[0] != wanted:
            found.append(pair)
        elif not seen:
            found.append((wanted, value))
            seen = True
    _set_pairs(interpreter, this, tuple(found) if seen else (*found, (wanted, value)))
    return UNDEFINED


def _param_text(interpreter: Interpreter, this: SearchParams, arguments: list[Value], node: Any) -> Value:
    return query_text(this.pairs)


def _param_sort(interpreter: Interpreter, this: SearchParams, arguments: list[Value], node: Any) -> Value:
    _set_pairs(
        interpreter, this, tuple(sorted(this.pairs, key=lambda pair: pair[0].encode("utf-16-be", "surrogatepass")))
    )
    return UNDEFINED


def _param_entries(what: int | None) -> Method:
    def method(interpreter: Interpreter, this: SearchParams, arguments: list[Value], node: Any) -> Value:
        return iterator(interpreter, [JsArray(pair) if what is None else pair[what] for pair in this.pairs])

    return method


_PARAMS: dict[str, Method] = {
    "get": _params(False, _param_get),
    "getAll": _params(False, _param_all),
    "has": _params(False, _param_has),
    "append": _params(True, _param_append),
    "delete": _params(True, _param_delete),
    "set": _params(True, _param_set),
    "sort": _params(True, _param_sort),
    "toString": _params(False, _param_text),
    "entries": _params(False, _param_entries(None)),
    "@@iterator": _params(False, _param_entries(None)),
    "keys": _params(False, _param_entries(0)),
    "values": _params(False, _param_entries(1)),
}


def params_of_url(url: UrlValue) -> SearchParams:
    """`url.searchParams`"""
    query = url.href.partition("#")[0].partition("?")[2] if isinstance(url.href, str) else ""
    return SearchParams(parse_query(query), url)
