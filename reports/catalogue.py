"""The defect catalogue: for each rule what was found, how often, in whose builds, and the specimens to show."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from forensics.records import Rule, Severity
from forensics.results import BuildResult, ReportedFinding, ScanResult
from reports.ordering import findings_in_order, scanner_of, scanners_in_order
from reports.rates import LabelRates, Rate, Sightings, rate, rates_by_label

MOST_SPECIMENS = 3
CONFIDENCE_RANK = {"high": 0, "medium": 1, "low": 2}


class Specimen(Struct, frozen=True):
    build: BuildResult
    finding: ReportedFinding


class Entry(Struct, frozen=True, kw_only=True):
    """One rule in the catalogue. `rate` is over the builds that its scanner could judge; `unjudged` are the others."""

    rule: Rule
    number: int
    rate: Rate
    unjudged: int
    findings: int
    suppressed: int
    by_label: tuple[LabelRates, ...]
    specimens: tuple[Specimen, ...]


def entries(result: ScanResult, rules: Mapping[str, Rule]) -> tuple[Entry, ...]:
    """The rules that found something, scanners in the order of a launch, the most frequent rule of each first.

    A finding whose rule isn't in `rules` (an older result set) gets an entry that says so.
    """
    found: dict[str, list[Specimen]] = {}
    for build in result.builds:
        for finding in findings_in_order(build):
            found.setdefault(finding.rule, []).append(Specimen(build, finding))
    order = {scanner: position for position, scanner in enumerate(scanners_in_order(result))}

    def rank(rule: str) -> tuple[int, int, str]:
        builds = {specimen.build.id for specimen in found[rule] if not specimen.finding.suppressed}
        return order.get(scanner_of(rule), len(order)), -len(builds), rule

    sightings = Sightings(result)
    return tuple(
        _entry(
            result,
            rules.get(rule) or _unknown_rule(rule, found[rule][0].finding.severity),
            number,
            found[rule],
            sightings,
        )
        for number, rule in enumerate(sorted(found, key=rank), start=1)
    )


def rules_not_found(result: ScanResult, rules: Mapping[str, Rule]) -> tuple[Rule, ...]:
    found = {finding.rule for build in result.builds for finding in build.findings}
    return tuple(rule for identifier, rule in rules.items() if identifier not in found)


def _entry(result: ScanResult, rule: Rule, number: int, found: list[Specimen], sightings: Sightings) -> Entry:
    counts, judged = sightings.of(rule.id), sightings.judged(rule.id)
    over = [build for build in result.builds if judged(build)]
    return Entry(
        rule=rule,
        number=number,
        rate=rate(over, counts),
        unjudged=len(result.builds) - len(over),
        findings=sum(not specimen.finding.suppressed for specimen in found),
        suppressed=sum(bool(specimen.finding.suppressed) for specimen in found),
        by_label=rates_by_label(result, counts, judged),
        specimens=_specimens(found),
    )


def _specimens(found: list[Specimen]) -> tuple[Specimen, ...]:
    """The surest findings with the most evidence beside them, each from other source lines and other builds."""

    def rank(item: tuple[int, Specimen]) -> tuple[bool, int, bool, int, int]:
        position, specimen = item
        finding = specimen.finding
        return (
            bool(finding.suppressed),
            CONFIDENCE_RANK[finding.confidence],
            not finding.place.snippet,
            -min(len(finding.related), 3),
            position,
        )

    chosen: list[Specimen] = []
    for _, specimen in sorted(enumerate(found), key=rank):
        others = [(other.build.id, other.finding.place.snippet) for other in chosen]
        same_build = any(specimen.build.id == build for build, _ in others)
        same_source = any(specimen.finding.place.snippet == snippet for _, snippet in others)
        if not same_build and not same_source:
            chosen.append(specimen)
        if len(chosen) == MOST_SPECIMENS:
            break
    return tuple(chosen)


def _unknown_rule(identifier: str, severity: Severity) -> Rule:
    return Rule(
        id=identifier,
        severity=severity,
        summary=f"{identifier} (a rule of another version of this tool)",
        why="This version does not know the rule; the findings are shown as they were stored.",
        fix="Scan the archive again with this version.",
        blind_spots="",
    )
