"""Groups of builds side by side: rates of every verdict, rule and launch path, differences marked.

A group is compared with all the others together; a difference is marked where Newcombe's 95 % interval of it leaves
out zero. That is a reading aid over many rows, not a test: the signatures have tests, corrected for their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from forensics.results import BuildResult, ScanResult
from reports.ordering import scanners_in_order, start_of
from reports.rates import Rate, Sightings, difference, groupings, has_error, labels_of, rate

HEADINGS = {
    "launch": "Launch",
    "verdict": "Verdicts",
    "rule": "Builds with at least one finding of a rule",
    "feature": "Features, where they differ most",
}
MOST_FEATURE_VALUES = 12
MOST_FEATURE_ROWS = 40

Mark = Literal["higher", "lower", ""]


class Cell(Struct, frozen=True):
    rate: Rate
    mark: Mark


class Row(Struct, frozen=True):
    """One thing compared. `kind` is a key of HEADINGS; `key` and `detail` say which."""

    kind: str
    key: str
    detail: str
    cells: tuple[Cell, ...]

    @property
    def differs(self) -> bool:
        return any(cell.mark for cell in self.cells)


class Comparison(Struct, frozen=True):
    label: str
    groups: tuple[tuple[str, int], ...]
    rows: tuple[Row, ...]

    @property
    def sections(self) -> tuple[tuple[str, tuple[Row, ...]], ...]:
        """Rows by kind, each kind with its heading."""
        by_kind = {kind: tuple(row for row in self.rows if row.kind == kind) for kind in HEADINGS}
        return tuple((HEADINGS[kind], rows) for kind, rows in by_kind.items() if rows)


def compare(result: ScanResult, label: str) -> Comparison:
    """The comparison of the groups that a label makes."""
    values = groupings(result)[label]
    groups = [[build for build in result.builds if labels_of(build, result).get(label) == value] for value in values]
    rows: list[Row] = []
    sightings = Sightings(result)

    def add(
        kind: str,
        key: str,
        detail: str,
        counts: Callable[[BuildResult], bool],
        judged: Callable[[BuildResult], bool] = lambda _: True,
    ) -> None:
        rates = [rate(filter(judged, group), counts) for group in groups]
        if any(each.count for each in rates) and any(each.count < each.total for each in rates):
            rows.append(Row(kind, key, detail, tuple(Cell(each, _mark(each, rates)) for each in rates)))

    add("launch", "comes up by a declared path", "", lambda build: start_of(build.launch_paths) == "starts")
    add("launch", "fails by every declared path", "", lambda build: start_of(build.launch_paths) == "fails")
    add("launch", "has a finding of severity error", "", has_error)
    for scanner in scanners_in_order(result):
        statuses = sorted({v.status for b in result.builds for v in b.verdicts if v.scanner == scanner})
        for status in statuses:
            add("verdict", scanner, status, _has_verdict(scanner, status), _is_scanned_by(scanner))
    for rule in sorted({finding.rule for build in result.builds for finding in build.findings}):
        add("rule", rule, "", sightings.of(rule), sightings.judged(rule))
    sizes = tuple((value, len(group)) for value, group in zip(values, groups, strict=True))
    return Comparison(label, sizes, (*rows, *_feature_rows(groups)))


def _feature_rows(groups: list[list[BuildResult]]) -> list[Row]:
    """Values of categorical features that differ between groups, the widest differences first."""
    counted: dict[str, list[Counter[str]]] = {}
    for number, group in enumerate(groups):
        for build in group:
            for name, value in build.features.items():
                if isinstance(value, bool | str):
                    if name not in counted:
                        counted[name] = [Counter() for _ in groups]
                    counted[name][number]["yes" if value is True else "no" if value is False else value] += 1
    rows: list[Row] = []
    for name, tallies in counted.items():
        totals = [tally.total() for tally in tallies]
        listed = sorted({value for tally in tallies for value in tally})
        if not 2 <= len(listed) <= MOST_FEATURE_VALUES:
            continue
        for value in listed[1:] if listed == ["no", "yes"] else listed:
            rates = [Rate(tally[value], total) for tally, total in zip(tallies, totals, strict=True)]
            row = Row("feature", name, value, tuple(Cell(each, _mark(each, rates)) for each in rates))
            if row.differs:
                rows.append(row)
    rows.sort(key=lambda row: (-_spread(row), row.key, row.detail))
    return rows[:MOST_FEATURE_ROWS]


def _spread(row: Row) -> float:
    shares = [cell.rate.share for cell in row.cells if cell.rate.total]
    return max(shares) - min(shares)


def _mark(own: Rate, rates: list[Rate]) -> Mark:
    others = Rate(sum(each.count for each in rates) - own.count, sum(each.total for each in rates) - own.total)
    if not own.total or not others.total:
        return ""
    low, high = difference(own, others)
    return "higher" if low > 0 else "lower" if high < 0 else ""


def _has_verdict(scanner: str, status: str) -> Callable[[BuildResult], bool]:
    return lambda build: any(v.scanner == scanner and v.status == status for v in build.verdicts)


def _is_scanned_by(scanner: str) -> Callable[[BuildResult], bool]:
    return lambda build: any(v.scanner == scanner for v in build.verdicts)
