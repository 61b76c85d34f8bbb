"""URL objects, file addresses and percent-encoding. Source: https://url.spec.whatwg.org; ECMA-262, chapter 19.2.6."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote_to_bytes, urlsplit

from forensics.facts import values as v
from forensics.facts.builtins_arguments import Method, argument
from forensics.facts.builtins_collections import params_of_url
from forensics.facts.values import UNDEFINED, Builtin, Text, Undefined, Unknown, UrlValue, Value

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

LONGEST_ADDRESS = 8_192
_SPECIAL = ("http", "https", "ws", "wss", "ftp", "file")
_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
_SAFE_URL = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*")


def parse_url(address: Value, base: Value = UNDEFINED) -> Value:
    """`new URL(address, base)`: a UrlValue; Unknown where it is invalid, unusual or not known."""
    text = address.href if isinstance(address, UrlValue) else v.to_text(address)
    if isinstance(text, str) and len(text) > LONGEST_ADDRESS:
        return Unknown("a very long address")
    if not isinstance(base, Undefined):
        against = base.href if isinstance(base, UrlValue) else v.to_text(base)
        if not isinstance(text, str):
            return Unknown(v.reason_of(text))
        if isinstance(against, str) and len(against) > LONGEST_ADDRESS:
            return Unknown("a very long address")
        if not isinstance(against, str):
            first = against.parts[0] if isinstance(against, Text) else against
            is_page = isinstance(first, Unknown) and first.tag in ("location.href", "location.origin", "location")
            if is_page and text.startswith("/") and not text.startswith("//"):
                return v.concatenate([Unknown(v.reason_of(against), "location.origin"), text])
            return Unknown(v.reason_of(against))
        text = v.trim(text)
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", text) is None:
            if not re.match(r"(https?|wss?|file)://", against):
                return Unknown("a base address of an unusual kind")
            text = _joined(against, _encode_path(text))
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


def _joined(base: str, relative: str) -> str:
    """A relative reference against an absolute address; dot segments are left in."""
    scheme, _, rest = base.partition("://")
    host, slash, path = rest.partition("/")
    path = slash + path
    before_query = path.split("#")[0].split("?")[0]
    if relative.startswith("//"):
        return f"{scheme}:{relative}"
    if relative.startswith("/"):
        return f"{scheme}://{host}{relative}"
    if not relative or relative.startswith("#"):
        return f"{scheme}://{host}{path.split('#')[0]}{relative}"
    if relative.startswith("?"):
        return f"{scheme}://{host}{before_query}{relative}"
    return f"{scheme}://{host}{before_query[: before_query.rfind('/') + 1] or '/'}{relative}"


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


def url_member(owner: UrlValue, name: str) -> Value | None:
    """A property of a URL object, None if it has none of that name."""
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
            return re.sub(r":[0-9]+$", "", host)
        case "port":
            return str(parts.port) if parts.port is not None else ""
        case "origin":
            return "null" if parts.scheme == "file" else f"{parts.scheme}://{host}"
        case "search":
            return f"?{parts.query}" if parts.query else ""
        case "hash":
            return f"#{parts.fragment}" if parts.fragment else ""
        case "username" | "password":
            return ""
        case "searchParams":
            return params_of_url(owner)
        case "toString" | "toJSON":
            return Builtin("url.toString", _href)
    return None


def _href(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    return this.href if isinstance(this, UrlValue) else Unknown("a URL that is not known")


def changed_url(url: UrlValue, name: str, value: Value) -> Value:
    """The address after `url.name = value`."""
    text = v.to_text(value)
    if not isinstance(url.href, str) or not isinstance(text, str):
        return Unknown("a URL that was changed")
    parts = urlsplit(url.href)
    scheme, host, path, query, fragment = parts.scheme, parts.netloc, parts.path, parts.query, parts.fragment
    bare = re.sub(r":[0-9]+$", "", host)
    match name:
        case "href":
            made = parse_url(text)
            return made.href if isinstance(made, UrlValue) else Unknown("a URL that was changed")
        case "pathname" if _SAFE_URL.fullmatch(text) and not re.search(r"[?#]", text):
            path = text if text.startswith("/") else "/" + text
        case "port" if text == "" or re.fullmatch("[0-9]{1,4}", text):
            host = f"{bare}:{int(text)}" if text else bare
        case "search" if _SAFE_URL.fullmatch(text) and "#" not in text and "'" not in text:
            query = text.removeprefix("?")
        case "hash" if _SAFE_URL.fullmatch(text):
            fragment = text.removeprefix("#")
        case "protocol" if text.rstrip(":") in ("http", "https", "ws", "wss") and scheme != "file":
            scheme = text.rstrip(":")
        case "hostname" if re.fullmatch("[a-z][a-z0-9.-]*", text) and scheme != "file":
            host = text + host[len(bare) :]
        case _:
            return Unknown("a URL that was changed")
    made = parse_url(f"{scheme}://{host}{path}{'?' + query if query else ''}{'#' + fragment if fragment else ''}")
    return made.href if isinstance(made, UrlValue) else Unknown("a URL that was changed")


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


def url_new(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    """`new URL(address, base)`"""
    base = argument(arguments, 1)
    if isinstance(base, Undefined) and base.reason:
        return Unknown(base.reason)
    return parse_url(_address(interpreter, argument(arguments, 0)), _address(interpreter, base))


def _address(interpreter: Interpreter, value: Value) -> Value:
    return value if isinstance(value, (UrlValue, Undefined)) else interpreter.text(value)


def url_can_parse(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
    found = url_new(interpreter, this, arguments, node)
    return True if isinstance(found, UrlValue) else Unknown("whether an address is valid")


_LEFT_AS_IS = {"component": "!'()*~-._", "uri": ";,/?:@&=+$-_.!~*'()#"}


def encode(what: str) -> Method:
    """encodeURIComponent ("component") or encodeURI ("uri")."""

    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        text = interpreter.text(argument(arguments, 0))
        if not isinstance(text, str):
            return Unknown(v.reason_of(text))
        try:
            return quote(text, safe=_LEFT_AS_IS[what])
        except UnicodeEncodeError:
            return interpreter.throw("URIError", "URI malformed")

    return method


def decode(what: str) -> Method:
    """decodeURIComponent or decodeURI."""

    def method(interpreter: Interpreter, this: Value, arguments: list[Value], node: Any) -> Value:
        text = interpreter.text(argument(arguments, 0))
        if not isinstance(text, str):
            return Unknown(v.reason_of(text))
        if re.search(r"%(?![0-9a-fA-F]{2})", text):
            return interpreter.throw("URIError", "URI malformed")
        if what == "uri":
            text = re.sub("%(23|24|26|2B|2C|2F|3A|3B|3D|3F|40)", r"%25\1", text, flags=re.IGNORECASE)
        try:
            return unquote_to_bytes(text).decode("utf-8")
        except UnicodeDecodeError:
            return interpreter.throw("URIError", "URI malformed")

    return method
