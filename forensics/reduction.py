"""The reduction over all builds: conditions that need the whole archive are settled here.

A scanner that reports something which is a defect only under such a condition emits the finding and its status as if
the condition held, and names it in `Finding.condition`. Where the condition turns out not to hold, the finding is
dropped, and a status that no other error of the scanner supports becomes OK.
An archive of one build says nothing about the others, so nothing is dropped there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec
from msgspec import Struct

from forensics.records import SEVERITIES
from forensics.results import BuildResult, ScanResult, VerdictRow

LOCKFILES = frozenset(
    {"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock"}
)


def ships_lockfile(build: BuildResult) -> bool:
    """Whether a lockfile of any package manager is among the build's files."""
    return any(entry.path.rpartition("/")[2] in LOCKFILES for entry in build.files)


# Each condition holds where at least one build of the archive satisfies it.
CONDITIONS: Mapping[str, Callable[[BuildResult], bool]] = {"some-build-ships-a-lockfile": ships_lockfile}


class Tally(Struct):
    """What the builds seen so far say of each condition, and their totals. Tallies of parts of an archive add up."""

    totals: dict[str, int]
    satisfied: dict[str, int]

    @classmethod
    def of(cls, builds: Iterable[BuildResult]) -> Tally:
        tally = cls(
            totals=dict.fromkeys(("builds", "builds_with_errors", *SEVERITIES), 0),
            satisfied=dict.fromkeys(CONDITIONS, 0),
        )
        for build in builds:
            tally.totals["builds"] += 1
            tally.totals["builds_with_errors"] += bool(build.errors)
            for finding in build.findings:
                tally.totals[finding.severity] += not finding.suppressed
            for name, holds in CONDITIONS.items():
                tally.satisfied[name] += holds(build)
        return tally

    @classmethod
    def sum(cls, tallies: Iterable[Tally]) -> Tally:
        whole = cls.of(())
        for tally in tallies:
            for name, number in tally.totals.items():
                whole.totals[name] += number
            for name, number in tally.satisfied.items():
                whole.satisfied[name] = whole.satisfied.get(name, 0) + number
        return whole

    def conditions(self) -> dict[str, bool]:
        """Every condition, with whether it holds (it is taken to hold in an archive of one build)."""
        return {name: self.totals["builds"] < 2 or number > 0 for name, number in self.satisfied.items()}


def settled(build: BuildResult, conditions: Mapping[str, bool]) -> BuildResult:
    """The build without the findings whose condition does not hold; the same object where nothing changes."""
    kept = tuple(finding for finding in build.findings if conditions.get(finding.condition, True))
    if len(kept) == len(build.findings):
        return build
    supported = {finding.rule.partition("/")[0] for finding in kept if finding.severity == "error"}
    dropped = {
        finding.rule.partition("/")[0]
        for finding in build.findings
        if finding.severity == "error" and not conditions.get(finding.condition, True)
    }
    verdicts = tuple(
        VerdictRow(scanner=verdict.scanner, status="OK")
        if verdict.scanner in dropped - supported and verdict.status != "UNKNOWN"
        else verdict
        for verdict in build.verdicts
    )
    return msgspec.structs.replace(build, findings=kept, verdicts=verdicts)


def reduced(result: ScanResult) -> ScanResult:
    """The result with every archive-wide condition settled."""
    conditions = Tally.of(result.builds).conditions()
    builds = tuple(settled(build, conditions) for build in result.builds)
    run = msgspec.structs.replace(result.run, conditions=conditions, totals=Tally.of(builds).totals)
    return ScanResult(run=run, builds=builds, snippets=result.snippets)
