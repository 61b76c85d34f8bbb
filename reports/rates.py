"""Rates with intervals, for labels and groups of builds. The unit is the build, never the finding.

Closed forms, so that no report waits for scipy; the tests compare them with scipy and with published values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from msgspec import Struct

from forensics.results import BuildResult, ScanResult
from reports.ordering import scanner_of

Z95 = 1.959963984540054
FIRST_LABELS = ("model", "condition", "task")  # what is asked first
IDENTIFIERS = frozenset({"run", "run_id", "seed", "replicate"})  # which repetition a build is: no group
MOST_VALUES = 24  # a label with more values than this (a run number, say) is an identifier, not a group


class Rate(Struct, frozen=True):
    """`count` of `total` builds, with the Wilson 95 % interval as fractions; of no builds: share 0, bounds 0 and 1."""

    count: int
    total: int

    @property
    def share(self) -> float:
        return self.count / self.total if self.total else 0.0

    @property
    def low(self) -> float:
        return wilson(self.count, self.total)[0]

    @property
    def high(self) -> float:
        return wilson(self.count, self.total)[1]


class LabelRates(Struct, frozen=True):
    """The rate of one thing in the builds that carry each value of a label."""

    label: str
    values: tuple[tuple[str, Rate], ...]


def wilson(count: int, total: int) -> tuple[float, float]:
    """Wilson's score interval (1927) at 95 %, without continuity correction; (0, 1) where nothing was counted."""
    if not total:
        return 0.0, 1.0
    share = count / total
    square = Z95 * Z95 / total
    centre = (share + square / 2) / (1 + square)
    half = Z95 / (1 + square) * math.sqrt(share * (1 - share) / total + square / (4 * total))
    return max(0.0, centre - half), min(1.0, centre + half)


def difference(first: Rate, second: Rate) -> tuple[float, float]:
    """Newcombe's hybrid score interval (1998, method 10) at 95 % for `first.share - second.share`."""
    gap = first.share - second.share
    low = gap - math.hypot(first.share - first.low, second.high - second.share)
    high = gap + math.hypot(first.high - first.share, second.share - second.low)
    return max(-1.0, low), min(1.0, high)


def groupings(result: ScanResult) -> dict[str, tuple[str, ...]]:
    """Labels by which builds can be grouped, each with its values, sorted; the archive too where there are several.

    A label that has one value for all builds, or a different one for nearly every build, groups nothing.
    """
    columns: dict[str, set[str]] = {}
    for build in result.builds:
        for label, value in labels_of(build, result).items():
            columns.setdefault(label, set()).add(value)
    ordered = sorted(
        columns, key=lambda label: FIRST_LABELS.index(label) if label in FIRST_LABELS else len(FIRST_LABELS)
    )
    most = min(MOST_VALUES, max(2, len(result.builds) // 2))
    return {
        label: tuple(sorted(columns[label]))
        for label in ordered
        if label not in IDENTIFIERS and 2 <= len(columns[label]) <= most
    }


def labels_of(build: BuildResult, result: ScanResult) -> dict[str, str]:
    """The build's labels, and its archive where several were scanned and no label has that name."""
    if len(result.run.archives) > 1 and "archive" not in build.labels:
        return {**build.labels, "archive": build.archive}
    return build.labels


def rates_by_label(
    result: ScanResult, counts: Callable[[BuildResult], bool], judged: Callable[[BuildResult], bool] = lambda _: True
) -> tuple[LabelRates, ...]:
    """For every grouping: the share of judged builds for which `counts` holds."""
    rows = []
    for label, values in groupings(result).items():
        members: dict[str, list[BuildResult]] = {value: [] for value in values}
        for build in result.builds:
            value = labels_of(build, result).get(label)
            if value is not None and judged(build):
                members[value].append(build)
        rows.append(LabelRates(label, tuple((value, rate(members[value], counts)) for value in values)))
    return tuple(rows)


def rate(builds: Iterable[BuildResult], counts: Callable[[BuildResult], bool]) -> Rate:
    listed = list(builds)
    return Rate(sum(map(counts, listed)), len(listed))


def has_error(build: BuildResult) -> bool:
    """A launch defect: a finding of severity error that isn't suppressed."""
    return any(finding.severity == "error" and not finding.suppressed for finding in build.findings)


class Sightings:
    """Which rules found something in which builds, and which builds a rule could judge. Asked for every rule and group.

    Suppressed findings are no sightings. A build whose scanner said UNKNOWN is not judged: that is not an absence.
    """

    def __init__(self, result: ScanResult) -> None:
        self._rules = {
            build.id: frozenset(finding.rule for finding in build.findings if not finding.suppressed)
            for build in result.builds
        }
        self._known = {
            build.id: frozenset(verdict.scanner for verdict in build.verdicts if verdict.status != "UNKNOWN")
            for build in result.builds
        }

    def of(self, rule: str) -> Callable[[BuildResult], bool]:
        return lambda build: rule in self._rules[build.id]

    def judged(self, rule: str) -> Callable[[BuildResult], bool]:
        scanner = scanner_of(rule)
        return lambda build: scanner in self._known[build.id] or rule in self._rules[build.id]
