"""`util.parseArgs`. Source: https://nodejs.org/api/util.html#utilparseargsconfig."""

from __future__ import annotations

from collections.abc import Sequence

from forensics.facts import values as v
from forensics.facts.values import UNDEFINED, JsArray, JsObject, Unknown, Value


def parsed_arguments(config: Value, argv: Sequence[Value]) -> Value:
    """What `parseArgs(config)` gives for the arguments after the script."""
    if not isinstance(config, JsObject):
        config = JsObject() if config == UNDEFINED else None
    if config is None or not config.complete:
        return Unknown("arguments read by a configuration that is not known")
    given = config.properties.get("args", JsArray(argv))
    options = config.properties.get("options", JsObject())
    if (
        not isinstance(given, JsArray)
        or not given.complete
        or not isinstance(options, JsObject)
        or not options.complete
    ):
        return Unknown("arguments read by a configuration that is not known")
    if not all(isinstance(item, str) for item in given.items):
        return Unknown("arguments that are not known")
    known = {name: item for name, item in options.properties.items() if isinstance(item, JsObject)}
    short = {item.properties.get("short"): name for name, item in known.items() if "short" in item.properties}
    values: dict[str, Value] = {}
    positionals: list[Value] = []
    rest = [str(item) for item in given.items]
    while rest:
        text = rest.pop(0)
        if text == "--":
            positionals.extend(rest)
            break
        name, equals, value = _option(text, short)
        if name is None:
            positionals.append(text)
            continue
        if name not in known:
            return Unknown(f"the argument {text}, which the configuration does not know")
        kind = known[name].properties.get("type")
        found: Value = True
        if kind == "string":
            if not equals and (not rest or (len(rest[0]) > 1 and rest[0].startswith("-"))):
                return Unknown(f"the argument {text} without a value")
            found = value if equals else rest.pop(0)
        if v.truthy(known[name].properties.get("multiple", False)) is True:
            earlier = values.get(name)
            found = JsArray([*(earlier.items if isinstance(earlier, JsArray) else []), found])
        values[name] = found
    for name, item in known.items():
        if name not in values and "default" in item.properties:
            values[name] = item.properties["default"]
    return JsObject({"values": JsObject(values), "positionals": JsArray(positionals)})


def _option(text: str, short: dict[Value, str]) -> tuple[str | None, str, str]:
    """Name, "=" where the value follows it, and the value; no name for a positional argument."""
    if text.startswith("--"):
        name, equals, value = text[2:].partition("=")
        return name, equals, value
    if text.startswith("-") and len(text) == 2:
        return short.get(text[1], text), "", ""
    return (text, "", "") if text.startswith("-") and len(text) > 1 else (None, "", "")
