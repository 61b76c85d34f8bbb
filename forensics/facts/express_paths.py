"""Path syntax of Express 4 and 5: what each major refuses or never matches.

Every row was run on Express 4.22 and 5.3. Sources: https://expressjs.com/en/guide/migrating-5.html#path-syntax,
https://github.com/pillarjs/path-to-regexp#errors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class PathProblem:
    """What an Express major makes of a path. `throws`: registration fails, so the server dies while it starts; otherwise
    the route is accepted and never matches what is meant. `instead` is the spelling that the major takes."""

    throws: bool
    message: str
    instead: str


def path_problem(path: str, major: int) -> PathProblem | None:
    """What is wrong with a route path under an Express major, None where nothing is."""
    return _under_5(path) if major >= 5 else _under_4(path)


def _under_5(path: str) -> PathProblem | None:
    position = 0
    depth = 0
    while position < len(path):
        character = path[position]
        if character == "\\":
            position += 2
            continue
        if character in "*:":
            name = re.match(r'(?:[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*|"(?:\\.|[^"\\])+")', path[position + 1 :])
            if name is None:
                return PathProblem(True, f"Missing parameter name at index {position + 1}", _for_5(path))
            position += 1 + name.end()
            continue
        if character in "?+!()[]":
            return PathProblem(True, f"Unexpected {character} at index {position}", _for_5(path))
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth < 0:
                return PathProblem(True, f"Unexpected }} at index {position}", _for_5(path))
        position += 1
    if depth:
        return PathProblem(True, "Unexpected end of the path: { is not closed", _for_5(path))
    return None


def _for_5(path: str) -> str:
    """The nearest spelling that Express 5 takes."""
    changed = re.sub(r"/:(\w+)\?", r"{/:\1}", path)
    changed = re.sub(r":(\w+)\*", r"*\1", changed)
    changed = re.sub(r":(\w+)\([^)]*\)", r":\1", changed)
    changed = re.sub(r"\(\.\*\)", "*splat", changed)
    changed = re.sub(r"/\*(?![\w$])", "/{*splat}", changed)
    return re.sub(r"^\*(?![\w$])", "/{*splat}", changed)


def _under_4(path: str) -> PathProblem | None:
    match = re.search(r"(?<!\\)\{?\*([A-Za-z_$][\w$]*)\}?", path)
    if match is not None:
        return PathProblem(
            False,
            f"Express 4 reads {match[0]!r} as a star followed by the text {match[1]!r}, so the route matches only paths that "
            f"end in it",
            path.replace(match[0], "*"),
        )
    if re.search(r"\{[^}]*:[^}]*\}", path):
        return PathProblem(False, "Express 4 takes the braces literally", re.sub(r"\{/?:(\w+)\}", r"/:\1?", path))
    return None
