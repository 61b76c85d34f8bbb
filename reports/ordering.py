"""The order in which findings are told, and the counts that every report gives.

What stops the user first comes first: severity, then the order of the scanners (a build's verdicts stand in the
registry's order, which is that of a launch), then the order in which the scanner reported.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

from msgspec import Struct

from forensics.records import SEVERITIES, LaunchPath, Severity
from forensics.results import BuildResult, ReportedFinding, ScanResult, VerdictRow

Tone = Literal["ok", "defect", "unknown", "neutral"]
Start = Literal["starts", "fails", "unknown", "none"]

SOUND = frozenset({"KEPT", "EXTENDED"})
NOT_JUDGED = frozenset({"NO_VITE", "NO-STORE", "NO-STARTER"})


class Counts(Struct, frozen=True, kw_only=True):
    """Findings that count by severity, suppressed ones apart; verdicts that are unknown; coverage that was lost."""

    builds: int
    builds_with_findings: int
    builds_with_errors: int
    findings: dict[Severity, int]
    suppressed: int
    unknown_verdicts: int
    coverage_errors: int
    builds_with_lost_coverage: int

    @property
    def total(self) -> int:
        return sum(self.findings.values())


def plural(number: int, noun: str) -> str:
    """ "1 build", "2 builds", "1,116 builds"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def scanner_of(rule: str) -> str:
    return rule.partition("/")[0]


def findings_in_order(build: BuildResult) -> tuple[ReportedFinding, ...]:
    """The build's findings, what stops the user first at the top, suppressed ones last."""
    scanners = {verdict.scanner: position for position, verdict in enumerate(build.verdicts)}

    def rank(finding: ReportedFinding) -> tuple[bool, int, int]:
        position = scanners.get(scanner_of(finding.rule), len(scanners))
        return bool(finding.suppressed), SEVERITIES.index(finding.severity), position

    return tuple(sorted(build.findings, key=rank))


def counts(result: ScanResult) -> Counts:
    counted = [finding for build in result.builds for finding in build.findings if not finding.suppressed]
    by_severity = Counter(finding.severity for finding in counted)
    return Counts(
        builds=len(result.builds),
        builds_with_findings=sum(any(not f.suppressed for f in build.findings) for build in result.builds),
        builds_with_errors=sum(
            any(f.severity == "error" and not f.suppressed for f in build.findings) for build in result.builds
        ),
        findings={severity: by_severity[severity] for severity in SEVERITIES},
        suppressed=sum(bool(finding.suppressed) for build in result.builds for finding in build.findings),
        unknown_verdicts=sum(v.status == "UNKNOWN" for build in result.builds for v in build.verdicts),
        coverage_errors=sum(len(build.errors) for build in result.builds),
        builds_with_lost_coverage=sum(bool(build.errors) for build in result.builds),
    )


def scanners_in_order(result: ScanResult) -> tuple[str, ...]:
    """Every scanner that gave a verdict, in the order of the builds' verdicts."""
    return tuple(dict.fromkeys(verdict.scanner for build in result.builds for verdict in build.verdicts))


def tone(verdict: VerdictRow, build: BuildResult) -> Tone:
    """What a status means for the reader. A status that names a defect comes with a finding of its scanner."""
    if verdict.status == "UNKNOWN":
        return "unknown"
    if verdict.status in NOT_JUDGED:
        return "neutral"
    if verdict.status in SOUND or verdict.status.startswith("OK"):
        return "ok"
    return "defect" if any(scanner_of(f.rule) == verdict.scanner for f in build.findings) else "neutral"


def start_of(paths: tuple[LaunchPath, ...]) -> Start:
    """Whether the build comes up by at least one declared path: a build survives statically if one path works."""
    if not paths:
        return "none"
    if any(path.works for path in paths):
        return "starts"
    return "unknown" if any(path.works is None for path in paths) else "fails"
