"""Node's `path` (POSIX) and the file functions of `url`. Source: https://github.com/nodejs/node/blob/v20.x/lib/path.js."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from forensics.facts import values as v
from forensics.facts.builtins_arguments import Method, argument
from forensics.facts.builtins_urls import file_path, parse_url
from forensics.facts.values import JsObject, Text, Undefined, Unknown, Value

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

Cwd = Callable[[], str]
"""Gives the absolute working directory."""


def normalize(path: str) -> str:
    """path.posix.normalize: keeps a trailing slash."""
    if not path:
        return "."
    normal = posixpath.normpath(path)
    if normal.startswith("//"):
        normal = normal[1:]
    return normal + "/" if path.endswith("/") and not normal.endswith("/") else normal


def resolve(cwd: str, *paths: str) -> str:
    """path.posix.resolve"""
    path = cwd
    for text in paths:
        if text:
            path = posixpath.join(path, text)
    normal = posixpath.normpath(path)
    return normal[1:] if normal.startswith("//") else normal


def dirname(path: str) -> str:
    """path.posix.dirname"""
    if not path:
        return "."
    end = len(path.rstrip("/")) if path.strip("/") else 0
    cut = path.rfind("/", 0, end)
    if cut < 0:
        return "/" if path.startswith("/") else "."
    if cut == 0:
        return "/"
    return "//" if path.startswith("/") and cut == 1 else path[:cut]


def basename(path: str, suffix: str = "") -> str:
    """path.posix.basename"""
    base = path.rstrip("/").rsplit("/", 1)[-1]
    return base[: -len(suffix)] if suffix and base.endswith(suffix) and base != suffix else base


def extension(path: str) -> str:
    """path.posix.extname"""
    base = path.rstrip("/").rsplit("/", 1)[-1]
    dot = base.rfind(".")
    return base[dot:] if dot > 0 and base != ".." else ""


def relative(cwd: str, start: str, target: str) -> str:
    """path.posix.relative"""
    one, two = resolve(cwd, start), resolve(cwd, target)
    return "" if one == two else posixpath.relpath(two, one)


def _parsed(path: str) -> Value:
    base = basename(path)
    ext = extension(path)
    root = "/" if path.startswith("/") else ""
    folder = path.rstrip("/")
    folder = folder[: len(folder) - len(base)] if base else ""
    folder = folder[:-1] if folder.endswith("/") and len(folder) > 1 else folder
    return JsObject(
        {"root": root, "dir": folder or root, "base": base, "ext": ext, "name": base[: len(base) - len(ext)]}
    )


# ------------------------------------------------------------------ as functions


def _texts(interpreter: Interpreter, arguments: list[Value]) -> list[str] | Unknown:
    """The arguments as strings. Anything else throws in Node."""
    found: list[str] = []
    for item in arguments:
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, (Unknown, Text, v.External)) or (isinstance(item, Undefined) and item.reason):
            return Unknown(v.reason_of(item))
        else:
            interpreter.throw("TypeError", f'The "path" argument must be of type string. Received {v.to_text(item)}')
    return found


def _partial(cwd: str | None, arguments: list[Value]) -> Value:
    """A path of which only the beginning is known; `cwd` for one that is resolved."""
    known: list[str] = []
    for index, item in enumerate(arguments):
        text = v.to_text(item) if not isinstance(item, Undefined) else Unknown(item.reason or "undefined in a path")
        if isinstance(text, str):
            known.append(text)
            continue
        rest: list[str | Text | Unknown] = [text]
        for other in arguments[index + 1 :]:
            rest += ["/", Unknown("a part of a path") if isinstance(other, Undefined) else v.to_text(other)]
        if cwd is not None and (isinstance(text, Unknown) or any(isinstance(part, Unknown) for part in rest[2::2])):
            # Any part may be absolute.
            return Unknown(v.reason_of(text))
        start = resolve(cwd, *known) if cwd is not None else normalize("/".join(filter(None, known))) if known else ""
        if start and any(isinstance(part, str) and ".." in part for part in _pieces(rest)):
            return Unknown(v.reason_of(text))
        return v.concatenate([start.rstrip("/") + "/" if start and start != "." else "", *rest])
    return Unknown("a path")


def _pieces(parts: list[str | Text | Unknown]) -> list[str | Unknown]:
    return [piece for part in parts for piece in (part.parts if isinstance(part, Text) else (part,))]


def _join(cwd: Cwd) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        texts = _texts(interpreter, arguments)
        if isinstance(texts, Unknown):
            return _partial(None, arguments)
        return normalize("/".join(text for text in texts if text))

    return method


def _resolve(cwd: Cwd) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        texts = _texts(interpreter, arguments)
        return _partial(cwd(), arguments) if isinstance(texts, Unknown) else resolve(cwd(), *texts)

    return method


def _of_text(compute: Callable[[str], Value]) -> Callable[[Cwd], Method]:
    def make(cwd: Cwd) -> Method:
        def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
            texts = _texts(interpreter, [argument(arguments, 0)])
            return Unknown(texts.reason) if isinstance(texts, Unknown) else compute(texts[0])

        return method

    return make


def _basename(cwd: Cwd) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        given = [item for item in arguments[:2] if item != v.UNDEFINED]
        texts = _texts(interpreter, given or [v.UNDEFINED])
        return Unknown(texts.reason) if isinstance(texts, Unknown) else basename(*texts)

    return method


def _relative(cwd: Cwd) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        texts = _texts(interpreter, [argument(arguments, 0), argument(arguments, 1)])
        return Unknown(texts.reason) if isinstance(texts, Unknown) else relative(cwd(), texts[0], texts[1])

    return method


def _format(cwd: Cwd) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        given = argument(arguments, 0)
        if not isinstance(given, JsObject):
            return Unknown(v.reason_of(given))
        names = ("dir", "root", "base", "name", "ext")
        parts = {name: interpreter.member(given, name) for name in names}
        texts = {name: "" if item is None or item == v.UNDEFINED else v.to_text(item) for name, item in parts.items()}
        ext = texts["ext"]
        if isinstance(ext, str) and ext and not ext.startswith("."):
            ext = "." + ext
        base = texts["base"] if texts["base"] != "" else v.concatenate([texts["name"], ext])
        folder = texts["dir"] if texts["dir"] != "" else texts["root"]
        if folder == "":
            return base
        if not isinstance(folder, str) or not isinstance(texts["root"], str):
            return Unknown("a path")
        return v.concatenate([folder, base] if folder == texts["root"] else [folder, "/", base])

    return method


def _is_absolute(path: str) -> bool:
    return path.startswith("/")


PATH_METHODS: dict[str, Callable[[Cwd], Method]] = {
    "path.join": _join,
    "path.resolve": _resolve,
    "path.dirname": _of_text(dirname),
    "path.basename": _basename,
    "path.extname": _of_text(extension),
    "path.normalize": _of_text(normalize),
    "path.isAbsolute": _of_text(_is_absolute),
    "path.relative": _relative,
    "path.parse": _of_text(_parsed),
    "path.format": _format,
}


def _file_url_to_path(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return file_path(argument(arguments, 0))


def _path_to_file_url(cwd: Cwd) -> Method:
    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        texts = _texts(interpreter, [argument(arguments, 0)])
        return Unknown(texts.reason) if isinstance(texts, Unknown) else file_url(cwd(), texts[0])

    return method


def file_url(cwd: str, path: str) -> Value:
    """url.pathToFileURL"""
    absolute = resolve(cwd, path)
    if path.endswith("/") and not absolute.endswith("/"):
        absolute += "/"
    for character, escaped in (
        ("%", "%25"),
        ("\\", "%5C"),
        ("\n", "%0A"),
        ("\r", "%0D"),
        ("\t", "%09"),
        ("?", "%3F"),
        ("#", "%23"),
    ):
        absolute = absolute.replace(character, escaped)
    return parse_url("file://" + absolute)


URL_METHODS: dict[str, Callable[[Cwd], Method]] = {
    "url.fileURLToPath": lambda cwd: _file_url_to_path,
    "url.pathToFileURL": _path_to_file_url,
}
