"""Environment variables read through a schema: what zod and envalid give for a member of what they return.

Sources: https://zod.dev/api#defaults (`default` stands in for undefined; `coerce` and `transform` run after it),
https://github.com/af/envalid#usage (`default`, and `devDefault` where NODE_ENV is not production).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from forensics.facts.interpreter import Effect
from forensics.facts.values import External, JsObject, Undefined, Value

_LONGEST_CHAIN = 20


def validated_variable(value: External) -> Value | None:
    """What the variable is that a schema's result holds under a name: what was given, else the schema's default. None
    where the value comes from elsewhere or neither is known."""
    result = value.base
    if result is not None and result.made_by is None and result.name.endswith((".data", ".value")):
        result = result.base
    made = result.made_by if result is not None else None
    return _of_result(made, value.name.rsplit(".", 1)[-1]) if made is not None else None


_COMES_FROM = re.compile(r"comes from (?P<call>[\w./@()-]+)\(\)(?:\.data|\.value)?\.(?P<name>\w+)$")


def validated_origin(reason: str, effects: Iterable[Effect]) -> Value | None:
    """The same for a number made of such a variable (`Number(env.PORT)`), of which only the origin is known."""
    match = _COMES_FROM.search(reason)
    if match is None:
        return None
    for effect in effects:
        if effect.name == match["call"]:
            return _of_result(effect, match["name"])
    return None


def _of_result(made: Effect, name: str) -> Value | None:
    if made.name == "envalid.cleanEnv" and len(made.arguments) > 1:
        given, shape = made.arguments[0], made.arguments[1]
    elif made.name.endswith((".parse", ".safeParse")) and made.arguments and made.receiver is not None:
        schema = _schema(made.receiver)
        if schema is None:
            return None
        given, shape = made.arguments[0], schema
    else:
        return None
    if isinstance(given, JsObject):
        present = given.properties.get(name, Undefined())
        if isinstance(present, str):
            return present
    rule = shape.properties.get(name) if isinstance(shape, JsObject) else None
    return _default(rule) if isinstance(rule, External) else None


def _schema(receiver: External) -> Value | None:
    """The shape given to `z.object(…)`, behind `.strict()`, `.passthrough()` and the like."""
    current: External | None = receiver
    for _ in range(_LONGEST_CHAIN):
        made = current.made_by if current is not None else None
        if made is None:
            return None
        if made.name.rsplit(".", 1)[-1] in ("object", "strictObject", "looseObject"):
            return made.arguments[0] if made.arguments else None
        current = made.receiver
    return None


def _default(rule: External) -> Value | None:
    current: External | None = rule
    for _ in range(_LONGEST_CHAIN):
        made = current.made_by if current is not None else None
        if made is None:
            return None
        first = made.arguments[0] if made.arguments else None
        if made.name.endswith((".default", ".prefault", ".catch")) and isinstance(first, (str, int)):
            return first
        if isinstance(first, JsObject) and made.name.startswith("envalid."):
            return first.properties.get("devDefault", first.properties.get("default"))
        current = made.receiver
    return None
