"""The calls a page makes to a back end: fetch, axios, XMLHttpRequest, EventSource, WebSocket, forms.

The page's modules run in the partial evaluator with a browser around them, so a base URL assembled from constants,
`import.meta.env` or `location` is known for what it is: relative to the page, or absolute with a port.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from forensics.facts import values as v
from forensics.facts.interpreter import Effect, Interpreter, Site
from forensics.facts.route_paths import Segments, request_segments
from forensics.facts.values import External, JsObject, Text, Undefined, Unknown, UrlValue, Value
from forensics.syntax.ir import Page

Kind = Literal["fetch", "events", "socket", "form"]
Reach = Literal["relative", "absolute", "unknown"]


@dataclass(frozen=True)
class ClientCall:
    """One call of the client.

    `reach`: "relative" goes to the server that served the page, "absolute" names another origin. `host` is the written
    host, "" for the page's own host name; `port` the port it names, None for the scheme's own. `path` is the URL's path
    with "…" for unknown parts; `segments` the same for matching (None: nothing is known). `reason` says why an unknown
    one is unknown; `options` are the calls that it can be, all of them where `closed`.
    """

    kind: Kind
    method: str
    reach: Reach
    scheme: str
    host: str
    port: int | None
    path: str
    segments: Segments | None
    site: Site
    effect: Effect
    reason: str = ""
    options: tuple[ClientCall, ...] = ()
    closed: bool = False

    @property
    def is_local(self) -> bool:
        """Whether an absolute call goes to the machine that the page was opened from."""
        return self.reach == "absolute" and self.host in ("", "localhost", "127.0.0.1", "0.0.0.0", "[::1]")


UNSET = "it begins with a variable that nothing sets"
"""Why an address is open whose base is undefined; `options` then holds the call that the shipped files make."""

_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "request"})
_CLIENT_PACKAGES = ("axios", "ky", "superagent", "got", "wretch", "redaxios", "$", "jQuery", "ofetch")
_MARK = re.compile(r"\x00(.*?)\x00")


def client_calls(interpreter: Interpreter, page_port: int | Unknown) -> list[ClientCall]:
    """Every call to a server among the effects of a page, by place; a place that calls twice with different addresses
    is listed for each. `page_port` is the port that the page itself comes from: an address that puts the page's own
    host and that port together is relative."""
    found: dict[tuple[Site, str, str, str], ClientCall] = {}
    bases = _default_bases(interpreter)
    for effect in interpreter.effects:
        call = _call(effect, bases)
        if call is None:
            continue
        if call.reach == "absolute" and call.host == "" and call.port is not None and call.port == page_port:
            call = replace(call, reach="relative", scheme="", port=None)
        key = (call.site, call.method, call.path, f"{call.reach}{call.host}{call.port}")
        found.setdefault(key, call)
    calls = list(found.values())
    # A helper that was also run with unknown arguments says nothing more than its real callers did.
    known = {call.site for call in calls if call.reach != "unknown"}
    return [call for call in calls if call.reach != "unknown" or call.site not in known]


def form_calls(path: str, page: Page) -> list[ClientCall]:
    """The requests that the forms of a page make when they are sent."""
    found = []
    for tag in page.tags:
        attributes = {item.name: item.value or "" for item in tag.attributes}
        if tag.name == "form" and attributes.get("action", "").startswith(("/", "http")):
            effect = Effect("form", (), Site(path, tag.start, tag.end), "request", True, -1, None, (), ())
            found.append(_classified("form", attributes.get("method", "GET"), attributes["action"], effect))
    return found


def _default_bases(interpreter: Interpreter) -> dict[str, Value]:
    bases: dict[str, Value] = {}
    for effect in interpreter.effects:
        if effect.name.endswith(".defaults.baseURL=") and effect.arguments:
            bases[effect.name.split(".")[0]] = _base(effect.arguments[0])
    return bases


def _call(effect: Effect, bases: dict[str, Value]) -> ClientCall | None:
    name = effect.name
    first = effect.arguments[0] if effect.arguments else Undefined()
    second = effect.arguments[1] if len(effect.arguments) > 1 else Undefined()
    if name == "fetch" or name in ("ofetch.ofetch", "ofetch", "$fetch", "ky", "wretch", "node-fetch", "cross-fetch"):
        method = second.properties.get("method", "GET") if isinstance(second, JsObject) else "GET"
        url = first
        if isinstance(first, External) and first.made_by is not None and first.made_by.name == "new Request":
            url = first.made_by.arguments[0] if first.made_by.arguments else first
        return _classified("fetch", method, url, effect)
    if name in ("new EventSource", "@microsoft/fetch-event-source.fetchEventSource", "new eventsource.EventSource"):
        return _classified("events", "GET", first, effect)
    if name in ("new WebSocket", "new reconnecting-websocket", "new partysocket.WebSocket"):
        return _classified("socket", "GET", first, effect)
    if name in ("socket.io-client.io", "socket.io-client", "socket.io-client.connect", "io"):
        url = first if isinstance(first, (str, Text, Unknown)) else "/"
        is_unset = bool(effect.arguments) and isinstance(first, Undefined)
        options = first if isinstance(first, JsObject) else second
        path = options.properties.get("path", "/socket.io/") if isinstance(options, JsObject) else "/socket.io/"
        base = v.to_text(url)
        base = base.rstrip("/") if isinstance(base, str) else base
        address = v.concatenate([base, v.to_text(path)])
        return _classified("socket", "GET", Unknown(UNSET, candidates=(address,)) if is_unset else address, effect)
    if name in ("new XMLHttpRequest().open",):
        return _classified("fetch", first, second, effect)
    if name == "jsx:form" and isinstance(first, JsObject) and isinstance(first.properties.get("action"), str):
        return _classified("form", first.properties.get("method", "GET"), first.properties["action"], effect)
    return _package_call(effect, first, second, bases)


def _package_call(effect: Effect, first: Value, second: Value, bases: dict[str, Value]) -> ClientCall | None:
    name = effect.name
    root = next((item for item in _CLIENT_PACKAGES if name == item or name.startswith((item + ".", item + "()"))), None)
    if root is None or name.count("(") > 1:
        return None
    verb = name.rsplit(".", 1)[-1] if "." in name else ""
    base: Value = bases.get(root, "")
    if effect.receiver is not None and effect.receiver.made_by is not None:
        options = effect.receiver.made_by.arguments[0] if effect.receiver.made_by.arguments else None
        if effect.receiver.made_by.name.endswith((".create", ".extend")) and isinstance(options, JsObject):
            base = _base(options.properties.get("baseURL", options.properties.get("prefixUrl", base)))
            set_later = effect.receiver.properties.get("defaults")
            if isinstance(set_later, JsObject):
                base = set_later.properties.get("baseURL", base)
        else:
            return None
    if verb in ("create", "extend", "ajaxSetup"):
        return None
    if (isinstance(first, JsObject) and verb in ("", "request", "ajax")) or name == f"{root}.create()":
        if not isinstance(first, JsObject):
            return _classified("fetch", "GET", _joined(base, first), effect)
        method = first.properties.get("method", first.properties.get("type", "GET"))
        return _classified(
            "fetch", method, _joined(first.properties.get("baseURL", base), first.properties.get("url", "/")), effect
        )
    if verb in _VERBS or verb in ("getJSON", "postForm", "ajax", ""):
        method = "GET" if verb in ("getJSON", "request", "ajax", "") else verb
        if isinstance(second, JsObject) and verb in ("", "ajax"):
            method = second.properties.get("method", method)
        return _classified("fetch", method, _joined(base, first), effect)
    return None


def _base(value: Value) -> Value:
    """A base that is set to undefined comes from a variable: axios then takes the URL as it stands."""
    return Unknown(UNSET, UNSET) if isinstance(value, Undefined) else value


def _joined(base: Value, url: Value) -> Value:
    """axios' combineURLs: an absolute url stands alone, else one slash between base and url."""
    if isinstance(url, str) and re.match(r"([a-z][a-z\d+.-]*:)?//", url, re.IGNORECASE):
        return url
    if isinstance(base, Unknown) and base.tag == UNSET:
        return Unknown(UNSET, candidates=(url,))
    if isinstance(base, Undefined) or base is None or base == "":
        return url
    before, after = v.to_text(base), v.to_text(url)
    if isinstance(before, str):
        before = before.rstrip("/")
    if isinstance(after, Text) and isinstance(after.parts[0], str):
        after = v.concatenate([after.parts[0].lstrip("/"), *after.parts[1:]])
    elif isinstance(after, str):
        after = after.lstrip("/")
        if not after:
            return v.to_text(base)
    return v.concatenate([before, "/", after])


def _classified(kind: Kind, method: Value, url: Value, effect: Effect) -> ClientCall:
    verb = method.upper() if isinstance(method, str) else "GET"
    text = url.href if isinstance(url, UrlValue) else v.to_text(url)
    site = effect.site

    if isinstance(url, Undefined):
        return _unknown(kind, verb, site, effect, url.reason or "the address is undefined")
    if isinstance(text, Unknown) and text.tag in ("location.href", "location.pathname"):
        return ClientCall(kind, verb, "relative", "", "", None, "/…", None, site, effect)
    if isinstance(text, Unknown):
        call = _unknown(kind, verb, site, effect, text.reason)
    else:
        call = _parsed(kind, verb, _marked(text), site, effect)
    if call.reach != "unknown" or call.options:
        return call
    options, closed = _options(text)
    known = [_parsed(kind, verb, _marked(option), site, effect) for option in options]
    reached = tuple(option for option in known if option.reach != "unknown")
    return replace(call, options=reached, closed=closed and len(reached) == len(known))


_MOST_OPTIONS = 8


def _options(text: Value) -> tuple[list[str | Text], bool]:
    """The addresses that an open one can be, and whether these are all: the sides of a condition in it or in its first
    part that has any."""
    if isinstance(text, Unknown):
        found: list[str | Text] = []
        closed = text.closed
        for candidate in text.candidates[:_MOST_OPTIONS]:
            if candidate is None or isinstance(candidate, (Undefined, bool)):
                closed = False
                continue
            inner = v.to_text(candidate)
            if isinstance(inner, (str, Text)):
                found.append(inner)
            else:
                closed = False
        return found, closed and len(text.candidates) <= _MOST_OPTIONS
    if isinstance(text, Text):
        for index, part in enumerate(text.parts):
            if isinstance(part, Unknown) and part.candidates:
                inners, closed = _options(part)
                whole = [v.concatenate([*text.parts[:index], inner, *text.parts[index + 1 :]]) for inner in inners]
                return [item for item in whole if isinstance(item, (str, Text))], closed
    return [], False


def _marked(text: str | Text) -> str:
    """Known text with unknown parts as marks: "\\0location.host\\0" where they have a tag, "\\0\\0" where they don't."""
    if isinstance(text, str):
        return text
    return "".join(part if isinstance(part, str) else f"\x00{part.tag}\x00" for part in text.parts)


_ABSOLUTE = re.compile(
    r"(?P<scheme>https?:|wss?:|\x00location\.protocol\x00|\x00\x00:?)?//(?P<host>\x00[a-z.]*\x00|\[[0-9a-fA-F:]+\]|[^/:?#\x00]+)"
    r"(?::(?P<port>\d+|\x00[a-z.]*\x00))?(?P<rest>.*)",
    re.DOTALL,
)


def _parsed(kind: Kind, verb: str, text: str, site: Site, effect: Effect) -> ClientCall:
    for start in ("location.origin", "location.href", "location.pathname"):
        if text.startswith(f"\x00{start}\x00"):
            text = "/" + text.split("\x00", 2)[2].lstrip("/")
    rest = text
    match = _ABSOLUTE.match(text)
    scheme, host, port = "", "", None
    reach: Reach = "relative"
    if match is not None:
        host_text, port_text = match["host"], match["port"]
        rest = match["rest"] or "/"
        scheme = (match["scheme"] or "").strip("\x00:")
        if (host_text == "\x00location.host\x00" and port_text is None) or (
            port_text == "\x00location.port\x00" and host_text == "\x00location.hostname\x00"
        ):
            scheme, host = "", ""
        elif host_text.startswith("\x00") and host_text not in ("\x00location.hostname\x00", "\x00location.host\x00"):
            return _unknown(kind, verb, site, effect, "the host of the address is not known")
        else:
            reach = "absolute"
            host = "" if host_text.startswith("\x00") else host_text.lower()
            if port_text is not None and not port_text.isdigit():
                return _unknown(kind, verb, site, effect, "the port of the address is not known")
            port = int(port_text) if port_text else None
    elif text.startswith("\x00"):
        return _unknown(kind, verb, site, effect, _reason(effect))
    elif re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", text):
        return _unknown(kind, verb, site, effect, f"the address {text[:40]} is not of HTTP")
    path = rest if rest.startswith("/") else "/" + rest
    shown = _MARK.sub("…", re.split(r"[?#]", path)[0])
    segments = request_segments(_unmarked(path))
    call = ClientCall(kind, verb, reach, scheme, host, port, shown, segments, site, effect)
    if reach == "relative" and re.match(r"/?undefined(/|$)", text):
        # A variable that nothing sets, written into the text: the shipped files don't say where the call goes.
        return replace(
            _unknown(kind, verb, site, effect, "it begins with a variable that nothing sets"), options=(call,)
        )
    return call


def _unknown(kind: Kind, verb: str, site: Site, effect: Effect, reason: str) -> ClientCall:
    return ClientCall(kind, verb, "unknown", "", "", None, "…", None, site, effect, reason)


def _reason(effect: Effect) -> str:
    for argument in effect.arguments:
        if isinstance(argument, (Text, Unknown)):
            return argument.reason
    return "the address is not known"


def _unmarked(text: str) -> Value:
    parts = _MARK.split(text)
    known = [part if index % 2 == 0 else Unknown("an unknown part of the address") for index, part in enumerate(parts)]
    return v.concatenate(known)
