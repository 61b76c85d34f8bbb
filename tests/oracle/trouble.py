"""What went wrong in a run, as lines of text: crashes, exits, requests of the page that failed.

Pure functions of `Observation` records; nothing here asks the code under test.
"""

from __future__ import annotations

from tests.expectations import Example
from tests.oracle.observing import Observation


def trouble(example: Example, seen: Observation) -> list[str]:
    """Lines that say what failed; empty where all that was started works."""
    found = [
        f"{crash.get('name')}: {crash.get('message')} {crash.get('code') or ''}"
        for process in seen.processes
        if (crash := process.crash)
    ]
    found += [f"{process.script} exit {process.exit}" for process in seen.processes if process.exit]
    found += [f"{answer.status} {answer.url}" for answer in seen.requests if answer.status not in (200, 304)]
    found += [f"{answer.status} {probe.method} {probe.url}" for probe, answer in seen.probes if failed(answer.status)]
    if expects_page(example, seen) and (seen.page is None or seen.page.status != 200):
        found.append("no page")
    return [*found, seen.output] if found else []


def failed(status: int) -> bool:
    return status <= 0 or status >= 400


def expects_page(example: Example, seen: Observation) -> bool:
    """A tree with a page that is started for development shows it."""
    return "dev" in seen.run.command and any(example.folder.rglob("index.html"))
