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
    """What the builds seen so far say of each condition. Tallies of parts of an archive add up."""

    builds: int = 0
    satisfied: dict[str, int] = msgspec.field(default_factory=dict)

    def add(self, build: BuildResult) -> None:
        self.builds += 1
        for name, holds in CONDITIONS.items():
            if holds(build):
                self.satisfied[name] = self.satisfied.get(name, 0) + 1

    def merge(self, other: Tally) -> None:
        self.builds += other.builds
        for name, number in other.satisfied.items():
            self.satisfied[name] = self.satisfied.get(name, 0) + number

    def conditions(self) -> dict[str, bool]:
        """Every condition, with whether it holds (it is taken to hold in an archive of one build)."""
        return {name: self.builds < 2 or self.satisfied.get(name, 0) > 0 for name in CONDITIONS}


def tally_of(builds: Iterable[BuildResult]) -> Tally:
    """The tally of the given builds."""
    tally = Tally()
    for build in builds:
        tally.add(build)
    return tally


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
    conditions = tally_of(result.builds).conditions()
    return ScanResult(
        run=msgspec.structs.replace(result.run, conditions=conditions),
        builds=tuple(settled(build, conditions) for build in result.builds),
        snippets=result.snippets,
    )
