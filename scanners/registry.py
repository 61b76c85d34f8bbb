"""Every scanner that runs, in the order their findings stop a user. Registration is explicit."""

from __future__ import annotations

from forensics.records import Rule
from forensics.scanner import Scanner
from scanners import datadir, idioms, integrity, launch, rendering, rewrite, runtime, stack, wiring

SCANNERS: tuple[Scanner, ...] = (
    integrity.SCANNER,
    launch.SCANNER,
    wiring.SCANNER,
    datadir.SCANNER,
    rendering.SCANNER,
    runtime.SCANNER,
    stack.SCANNER,
    rewrite.SCANNER,
    idioms.SCANNER,
)

RULES: dict[str, Rule] = {rule.id: rule for scanner in SCANNERS for rule in scanner.rules}
