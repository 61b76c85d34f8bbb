"""Making findings from rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from forensics.records import Confidence, Edit, Finding, Location, Rule, Severity


def finding(
    rule: Rule,
    location: Location,
    message: str,
    *,
    key: str,
    fix: str = "",
    related: Iterable[Location] = (),
    evidence: Iterable[str] = (),
    edits: Iterable[Edit] = (),
    confidence: Confidence = "high",
    severity: Severity | None = None,
    condition: str = "",
) -> Finding:
    """A finding of a rule, with the rule's severity and fix unless the case calls for others."""
    return Finding(
        rule=rule.id,
        severity=severity or rule.severity,
        confidence=confidence,
        message=message,
        fix=fix or rule.fix,
        location=location,
        key=key,
        related=tuple(related),
        evidence=tuple(evidence),
        edits=tuple(edits),
        condition=condition,
    )


def distinct(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Each finding of a rule at a place and with a key once, in order."""
    seen: set[object] = set()
    for item in findings:
        key = (item.rule, item.location, item.key)
        if key not in seen:
            seen.add(key)
            yield item
