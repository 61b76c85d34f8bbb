"""Text that came from a build, made safe to look at.

File names, source lines, labels and messages are written by whoever wrote the build. Escaping for HTML is the
renderer's business; here are the two dangers that every rendering shares: characters that are not seen but change what
is seen (terminal escapes, bidirectional controls: Unicode TR 36 and 39, "Trojan Source"), and text without end.
"""

from __future__ import annotations

import re

INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 (but tab and line feed), DEL, C1
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # soft hyphen, joiners and fillers without a glyph
    "\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f"  # zero widths, separators, bidi embeddings and isolates
    "\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff"  # lone surrogates: bytes of a file name that are no UTF-8
    "\U000e0000-\U000e007f"  # tag characters
    "]"
    "|(?<![\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d"  # a joiner is shown inside an emoji only
)


def visible(text: str) -> str:
    r"""The text with every character that can't be seen written out: a right-to-left override becomes `\u{202e}`."""
    return INVISIBLE.sub(lambda found: f"\\u{{{ord(found.group()):x}}}", text)


def one_line(text: str) -> str:
    """`visible`, with line feeds and tabs written out too: for file names, labels, package names."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def clipped(text: str, limit: int) -> str:
    """At most `limit` characters of the text, and how many are left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit:,} more characters)"


def name(text: str) -> str:
    """A file name, label or id as a page shows it and links to it: one line, at most 400 characters of it."""
    return one_line(clipped(text, 400))


def encodable(text: str) -> str:
    """The text as UTF-8 can carry it: lone surrogates become visible escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
