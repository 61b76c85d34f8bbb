"""Route paths of server frameworks, and whether a request can reach them.

A request is a list of path segments in which None stands for one that isn't known. Source of the path syntax:
https://expressjs.com/en/guide/routing.html, https://expressjs.com/en/guide/migrating-5.html#path-syntax,
https://fastify.dev/docs/latest/Reference/Routes/#url-building, https://hono.dev/docs/api/routing.
"""

from __future__ import annotations

import re

from forensics.facts.values import RegExp, Text, Unknown, Value

ANY = "*"
"""A segment pattern that matches any number of segments."""

Segments = tuple[str | None, ...]


def request_segments(path: Value) -> Segments | None:
    """Segments of a URL path, query and fragment dropped; an unknown part makes its segment unknown.

    None where nothing is known of it.
    """
    if isinstance(path, str):
        parts: tuple[str | Unknown, ...] = (path,)
    elif isinstance(path, Text):
        parts = path.parts
    else:
        return None
    segments: list[str | None] = [""]
    for part in parts:
        if isinstance(part, Unknown):
            segments[-1] = None
            continue
        cut = re.search(r"[?#]", part)
        text = part[: cut.start()] if cut else part
        pieces = text.split("/")
        if segments[-1] is not None:
            segments[-1] += pieces[0]
        segments.extend(pieces[1:])
        if cut:
            break
    found = [segment for segment in segments if segment != ""]
    return tuple(found)


def pattern_segments(path: str) -> tuple[str, ...]:
    """Segments of a route's path: literal text, ":" for a parameter, ":?" for an optional one, "*" for any rest."""
    found: list[str] = []
    for segment in re.sub(r"\{(/[^}]*)\}", r"\1?", path).split("/"):
        if not segment:
            continue
        if "*" in segment or "(.*)" in segment:
            found.append(ANY)
        elif segment.endswith("?"):
            found.append(":?")
        elif segment.startswith(":") or ":" in segment or "(" in segment or "[" in segment:
            found.append(":")
        else:
            found.append(segment.lower())
    return tuple(found)


def reaches(pattern: tuple[str, ...], request: Segments, whole: bool) -> bool:
    """Whether a request can match a route's pattern; with `whole` False as a prefix (middleware, mount)."""
    if not pattern:
        return not request or not whole
    first, rest = pattern[0], pattern[1:]
    if first == ANY:
        return any(reaches(rest, request[count:], whole) for count in range(len(request) + 1))
    if first == ":?":
        return reaches(rest, request, whole) or (bool(request) and reaches(rest, request[1:], whole))
    if not request:
        return False
    head = request[0]
    if head is None or first == ":" or head.lower() == first:
        # An unknown part may hold a slash: `/api/${path}` can be any number of segments.
        if head is None and len(request) == 1:
            return True
        return reaches(rest, request[1:], whole)
    return False


def pattern_of(path: Value) -> tuple[str, ...] | None:
    """The pattern of a route's path argument; a regular expression or an unknown path gives None."""
    if isinstance(path, str):
        return pattern_segments(path)
    if isinstance(path, (RegExp, Unknown)):
        return None
    if isinstance(path, Text):
        return (*pattern_segments(path.prefix.rsplit("/", 1)[0]), ANY)
    return None
