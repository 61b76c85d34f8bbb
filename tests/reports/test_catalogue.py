"""Catalogue entries: order, counts, who could be judged, which specimens are shown."""

from __future__ import annotations

import msgspec

from forensics.records import Rule
from forensics.results import ScanResult
from reports.catalogue import entries, rules_not_found
from reports.rates import Rate


def test_entries_follow_the_launch_and_leave_out_who_could_not_be_judged(
    result: ScanResult, rules: dict[str, Rule]
) -> None:
    found = entries(result, rules)
    assert [
        (each.number, each.rule.id, each.rate, each.unjudged, each.findings, each.suppressed) for each in found
    ] == [
        (1, "wiring/proxy-not-loaded", Rate(1, 3), 0, 1, 0),
        (2, "datadir/missing-parent", Rate(1, 2), 1, 1, 1),  # one build's data directory is UNKNOWN
        (3, "runtime/event-name-mismatch", Rate(1, 3), 0, 1, 0),
    ]
    assert [rule.id for rule in rules_not_found(result, rules)] == ["launch/port-clash"]


def test_rates_by_label_count_judged_builds_only(result: ScanResult, rules: dict[str, Rule]) -> None:
    by_model = {row.label: dict(row.values) for row in entries(result, rules)[1].by_label}["model"]
    assert by_model == {"claude-4.8-opus": Rate(1, 2), "gpt-5.5": Rate(0, 0)}


def test_specimens_come_from_other_builds_and_other_lines_the_surest_first(
    result: ScanResult, rules: dict[str, Rule]
) -> None:
    first = result.builds[0]
    finding = first.findings[1]
    builds = tuple(
        msgspec.structs.replace(
            first,
            id=f"build-{number}",
            findings=(
                msgspec.structs.replace(
                    finding,
                    confidence="low" if number == 0 else "high",
                    place=msgspec.structs.replace(finding.place, snippet="same" if number in (1, 2) else f"s{number}"),
                ),
            )
            * 2,
        )
        for number in range(6)
    )
    (entry,) = entries(msgspec.structs.replace(result, builds=builds), rules)
    assert [specimen.build.id for specimen in entry.specimens] == ["build-1", "build-3", "build-4"]
    assert (entry.findings, entry.rate) == (12, Rate(6, 6))


def test_a_rule_that_is_not_known_has_an_entry_that_says_so(result: ScanResult) -> None:
    assert entries(result, {})[0].rule.summary == "wiring/proxy-not-loaded (a rule of another version of this tool)"
