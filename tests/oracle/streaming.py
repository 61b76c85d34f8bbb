"""Reading an event stream as a browser does: raw HTTP that accepts gzip, fields by the standard's grammar.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation.
"""

from __future__ import annotations

import http.client
import time
import zlib
from urllib.parse import urlsplit


def first_events(url: str, seconds: float) -> list[tuple[str, str]]:
    """Name and data of the events that have arrived when the first one has, or when the time is over."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "localhost", parts.port or 80, timeout=seconds)
    text = ""
    try:
        connection.request("GET", parts.path, headers={"Accept": "text/event-stream", "Accept-Encoding": "gzip"})
        connection.sock.settimeout(seconds)
        response = connection.getresponse()
        packed = response.getheader("Content-Encoding") == "gzip"
        unpack = zlib.decompressobj(wbits=31)
        until = time.monotonic() + seconds
        while "\n\n" not in text and time.monotonic() < until:
            part = response.read1(65536)
            if not part:
                break
            text += (unpack.decompress(part) if packed else part).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        pass
    finally:
        connection.close()
    return [event(block) for block in text.split("\n\n")[:-1]]


def event(block: str) -> tuple[str, str]:
    """The name ("message" where none is given) and the data of one block of lines."""
    name, data = "message", []
    for line in block.split("\n"):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
    return name, "\n".join(data)
