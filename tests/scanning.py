"""Scanning one folder in this process, for tests that compare what is reported with what is expected."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from forensics.results import BuildResult
from forensics.runner import Caches, scan_build


@cache
def _caches() -> Caches:
    """One set of caches for the session, in memory only."""
    return Caches(None)


def scan_tree(path: Path) -> BuildResult:
    """What every scanner says of a folder that is one build."""
    from forensics.archive import open_archive, open_build
    from forensics.layout import find_builds
    from forensics.limits import Limits
    from forensics.scanner import Context

    limits = Limits()
    references = find_builds(open_archive(str(path), limits))
    assert len(references) == 1, f"{path} holds {len(references)} builds"
    return scan_build(open_build(references[0], limits), _caches(), "scanners.registry:SCANNERS", Context()).build
