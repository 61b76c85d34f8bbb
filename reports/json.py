"""JSON: the public, versioned interface `build-forensics/1`. Its schema is `docs/build-forensics-1.schema.json`."""

from __future__ import annotations

from collections import Counter

import msgspec

from forensics.results import BuildResult, ReportedFinding, ScanResult
from reports.hostile_text import encodable
from reports.ordering import counts, findings_in_order, scanners_in_order

SCHEMA = "build-forensics/1"


def write_json(result: ScanResult) -> bytes:
    """The result as indented UTF-8 JSON with a final line feed."""
    document = {
        "schema": SCHEMA,
        "tool": {
            "name": "build-forensics",
            "version": result.run.version,
            "rules_digest": result.run.rules_digest,
        },
        "archive": {"paths": list(result.run.archives), "settings": result.run.settings},
        "builds": [_build(build) for build in result.builds],
        "summary": _summary(result),
    }
    try:
        encoded = msgspec.json.encode(document)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(_encodable(document))
    return msgspec.json.format(encoded, indent=2) + b"\n"


def _build(build: BuildResult) -> dict[str, object]:
    return {
        "id": build.id,
        "labels": build.labels,
        "verdicts": {verdict.scanner: verdict.status for verdict in build.verdicts},
        "reasons": {verdict.scanner: verdict.reason for verdict in build.verdicts if verdict.reason},
        "features": build.features,
        "launch_paths": [
            {"name": path.name, "works": path.works, "command": path.command, "because": path.because}
            for path in build.launch_paths
        ],
        "findings": [_finding(finding) for finding in findings_in_order(build)],
        "errors": [{"path": e.path, "kind": e.kind, "message": e.message} for e in build.errors],
    }


def _finding(finding: ReportedFinding) -> dict[str, object]:
    place = finding.place
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "message": finding.message,
        "fix": finding.fix,
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed or None,
        "related": [{"path": p.path, "line": p.line, "message": p.message} for p in finding.related],
    }


def _summary(result: ScanResult) -> dict[str, object]:
    number = counts(result)
    statuses = {scanner: Counter[str]() for scanner in scanners_in_order(result)}
    for build in result.builds:
        for verdict in build.verdicts:
            statuses[verdict.scanner][verdict.status] += 1
    counted = [(f.rule, b.id) for b in result.builds for f in b.findings if not f.suppressed]
    findings_by_rule = Counter(rule for rule, _ in counted)
    builds_by_rule = Counter(rule for rule, _ in set(counted))
    return {
        "builds": number.builds,
        "builds_with_findings": number.builds_with_findings,
        "builds_with_errors": number.builds_with_errors,
        "builds_with_lost_coverage": number.builds_with_lost_coverage,
        "findings": number.findings,
        "suppressed": number.suppressed,
        "unknown_verdicts": number.unknown_verdicts,
        "verdicts": {scanner: dict(sorted(tally.items())) for scanner, tally in statuses.items()},
        "rules": {
            rule: {"findings": findings_by_rule[rule], "builds": builds_by_rule[rule]}
            for rule in sorted(findings_by_rule)
        },
    }


def _encodable(value: object) -> object:
    """The document with lone surrogates written out, for file names that are no UTF-8."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    return value
