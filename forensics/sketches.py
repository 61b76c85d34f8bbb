"""Sketches of what builds consist of: runs of tokens, by which a copied and edited file is still known.

A file is cut into tokens (comments and white space are dropped, so that reformatting changes nothing); every run of
seven tokens is hashed; a build is the set of the hashes of its sources. Two builds' Jaccard similarity is that of their
sets, estimated by MinHash (Broder 1997).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from forensics.archive import open_archive, open_build
from forensics.layout import find_builds
from forensics.limits import Limits

RUN = 7
_SOURCES = frozenset({"js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "html", "css", "vue", "svelte"})
_TOKEN = re.compile(
    rb"(?P<comment>//[^\n]*|/\*.*?\*/|<!--.*?-->)"
    rb"|[A-Za-z_$\x80-\xff][\w$\x80-\xff]*|\d[\w.]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[^\s\w]",
    re.DOTALL,
)


def is_sketched(path: str) -> bool:
    """Whether a file counts as a source here. A minified bundle is made from sources and would count them twice."""
    name = path.rpartition("/")[2].lower()
    return name.rpartition(".")[2] in _SOURCES and ".min." not in name


def run_hashes(source: bytes) -> frozenset[int]:
    """The 32-bit hashes of all runs of seven tokens; of all tokens where there are fewer."""
    tokens = [match.group() for match in _TOKEN.finditer(source) if match.lastgroup != "comment"]
    if not tokens:
        return frozenset()
    last = max(len(tokens) - RUN, 0)
    return frozenset(zlib.crc32(b" ".join(tokens[first : first + RUN])) for first in range(last + 1))


def build_hashes(archive: str, layout: str, limits: Limits) -> Iterator[tuple[str, frozenset[int]]]:
    """(build id, hashes) of every build of an archive. Equal files of an archive are read for tokens once."""
    known: dict[str, frozenset[int]] = {}
    with open_archive(archive, limits) as opened:
        for reference in find_builds(opened, layout):
            build = open_build(reference, limits).build
            found: set[int] = set()
            for path in filter(is_sketched, build.files):
                digest = build.digest(path)
                if digest not in known:
                    known[digest] = run_hashes(build.read(path))
                found |= known[digest]
            yield reference.id, frozenset(found)
