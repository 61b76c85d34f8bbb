"""What a browser would request of a page: the page, every script, style, worker and asset behind it.

Only what is *served* is read: the HTML as answered and the text of the modules as answered, so Vite's own rewriting of
specifiers counts and the build's configuration is never looked at.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import socket
from base64 import b64encode
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

ACCEPT = {
    "document": "text/html,application/xhtml+xml,*/*;q=0.8",
    "style": "text/css,*/*;q=0.1",
    "image": "image/avif,image/webp,*/*",
}
JAVASCRIPT = ("text/javascript", "application/javascript", "application/x-javascript")
LARGEST_BODY = 4_000_000
MOST_REQUESTS = 80
ANSWER_SECONDS = 10
NOT_LOOKED_INTO = ("/dist/client/env.mjs", "/node_modules/.vite/", "/@react-refresh")

IMPORTS = re.compile(
    r"""(?:^|[;\s}])(?:import|export)\s*(?:[\w$*{][\w$\s,*{}."']*?from\s*)?["']([^"'\n]+)["']"""
    r"""|\bimport\(\s*(?:/\*.*?\*/\s*)?["']([^"'\n]+)["']""",
    re.M,
)
ASSET_URLS = re.compile(
    r"""new\s+URL\(\s*(?:/\*.*?\*/\s*)?["']([^"'\n]+)["']\s*,\s*(?:(?:""|'')\s*\+\s*)?import\.meta\.url"""
)
EXPORTED_ASSET = re.compile(r"""^export default "(/[^"]+)";?\s*$""", re.M)
STYLE_URLS = re.compile(r"""@import\s+(?:url\()?["']?([^"')\s;]+)|url\(\s*["']?([^"')]+)""")


@dataclass(frozen=True)
class Answer:
    """What came back for a request. `status` is 0 where nothing listens, -1 where no answer came in time.

    `by` is the port of the server that gave the answer in the end (0 unknown), behind whatever proxy; `allow` the
    Access-Control-Allow-Origin header.
    """

    url: str
    kind: str
    status: int
    type: str = ""
    by: int = 0
    allow: str = ""
    text: str = ""
    method: str = "GET"

    @property
    def is_javascript(self) -> bool:
        return self.status == 200 and self.type in JAVASCRIPT


def ask(
    url: str,
    kind: str = "fetch",
    method: str = "GET",
    body: str = "",
    headers: dict[str, str] | None = None,
    seconds: float = ANSWER_SECONDS,
) -> Answer:
    """One request, as the browser makes it for that kind of resource."""
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    sent = {"Accept": ACCEPT.get(kind, "*/*"), "Sec-Fetch-Dest": {"fetch": "empty"}.get(kind, kind), **(headers or {})}
    if body:
        sent.setdefault("Content-Type", "application/json")
    connection = http.client.HTTPConnection(parts.hostname or "localhost", parts.port or 80, timeout=seconds)
    try:
        connection.request(method, target or "/", body=body or None, headers=sent)
        response = connection.getresponse()
        kind_of_answer = (response.getheader("Content-Type") or "").partition(";")[0].strip()
        stream = kind_of_answer == "text/event-stream"
        text = "" if stream else response.read(LARGEST_BODY).decode("utf-8", "replace")
        return Answer(
            url=url,
            kind=kind,
            status=response.status,
            type=kind_of_answer,
            by=int(response.getheader("x-oracle-port") or 0),
            allow=response.getheader("Access-Control-Allow-Origin") or "",
            text=text,
            method=method,
        )
    except ConnectionRefusedError:
        return Answer(url, kind, 0, method=method)
    except (OSError, http.client.HTTPException):
        return Answer(url, kind, -1, method=method)
    finally:
        connection.close()


def opens_socket(url: str, origin: str, seconds: float = 2.0) -> bool:
    """Whether a WebSocket handshake at a ws:// address is answered with 101."""
    parts = urlsplit(url)
    request = (
        f"GET {parts.path or '/'}{'?' + parts.query if parts.query else ''} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nOrigin: {origin}\r\n"
        f"Sec-WebSocket-Key: {b64encode(os.urandom(16)).decode()}\r\n\r\n"
    )
    with (
        contextlib.suppress(OSError),
        socket.create_connection((parts.hostname or "localhost", parts.port or 80), timeout=seconds) as connection,
    ):
        connection.sendall(request.encode())
        return connection.recv(64).startswith(b"HTTP/1.1 101")
    return False


class PageReader(HTMLParser):
    """The requests that a page's HTML makes, as (kind, url) in order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.inline: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "script":
            if given.get("src"):
                self.found.append(("script", given["src"]))
            elif given.get("type") == "module":
                self.inline = ""
        elif tag == "link" and given.get("href"):
            relation = given.get("rel", "").split()
            kind = "style" if "stylesheet" in relation else "script" if "modulepreload" in relation else "image"
            self.found.append((kind, given["href"]))
        elif tag in ("img", "source", "video", "audio") and given.get("src"):
            self.found.append(("image", given["src"]))

    def handle_data(self, data: str) -> None:
        if self.inline is not None:
            self.inline += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self.inline is not None:
            self.found += [("script", url) for url in imported(self.inline)]
            self.inline = None


def page_requests(html: str) -> list[tuple[str, str]]:
    reader = PageReader()
    reader.feed(html)
    return reader.found


def imported(text: str) -> list[str]:
    """Specifiers of static and literal dynamic imports in a served module."""
    bare = re.sub(r"/\*[\s\S]*?\*/|^[ \t]*//.*$", "", text, flags=re.M)
    return [static or dynamic for static, dynamic in IMPORTS.findall(bare)]


def module_requests(text: str) -> list[tuple[str, str]]:
    """What a served module makes the browser request: imports, workers and assets through import.meta.url."""
    found = [("script", url) for url in imported(text)]
    for url in ASSET_URLS.findall(text):
        worker = re.search(r"\.[cm]?[jt]sx?(\?|$)|worker_file|type=module", url)
        found.append(("script" if worker else "image", url))
    return found + [("image", url) for url in EXPORTED_ASSET.findall(text)]


def style_requests(text: str) -> list[tuple[str, str]]:
    return [("style", imported) if imported else ("image", url) for imported, url in STYLE_URLS.findall(text)]


def follow(page: Answer) -> list[Answer]:
    """Request all that the page and what it loads ask of the page's own origin, each address once.

    Packages that Vite pre-bundled are requested but not looked into.
    """
    origin = urlsplit(page.url).netloc
    waiting = [(kind, urljoin(page.url, url)) for kind, url in page_requests(page.text)]
    seen: set[str] = set()
    answers: list[Answer] = []
    while waiting and len(answers) < MOST_REQUESTS:
        kind, url = waiting.pop(0)
        url = url.partition("#")[0]
        if url in seen or urlsplit(url).netloc != origin or urlsplit(url).scheme not in ("http", "https"):
            continue
        seen.add(url)
        answer = ask(url, kind)
        answers.append(answer)
        if any(part in url for part in NOT_LOOKED_INTO):
            continue
        if kind == "script" and answer.is_javascript:
            waiting += [(inner, urljoin(url, found)) for inner, found in module_requests(answer.text) if is_url(found)]
        elif kind == "style" and answer.type == "text/css":
            waiting += [(inner, urljoin(url, found)) for inner, found in style_requests(answer.text)]
    return answers


def is_url(specifier: str) -> bool:
    """A bare specifier is no URL: the browser refuses it without a request."""
    return specifier.startswith(("/", "./", "../", "http:", "https:"))
