"""SARIF 2.1.0, as GitHub's code scanning and other viewers read it (OASIS standard, errata 01).

One run. GitHub takes 25,000 results of a run and shows the 5,000 most severe; so the most severe come first, what goes
beyond the limit is left out, and a notification says how many. Suppressed findings come last, marked.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from urllib.parse import quote

import msgspec

from forensics.records import SEVERITIES, BuildError, Edit, Location, Rule
from forensics.results import BuildResult, Place, ReportedFinding, ScanResult
from reports.hostile_text import clipped, encodable, visible
from reports.ordering import findings_in_order

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000
MOST_NOTIFICATIONS = 1_000
MOST_RELATED = 100
LONGEST_MESSAGE = 4_000
RANK = {"high": 90.0, "medium": 60.0, "low": 30.0}
ROOT = "%SRCROOT%"  # the name that GitHub and CodeQL use


def write_sarif(result: ScanResult, rules: Mapping[str, Rule]) -> bytes:
    """The result as a SARIF log, indented UTF-8 with a final line feed. `rules` maps id to rule."""
    roots = _roots(result)
    listed = [(finding, build) for build in result.builds for finding in findings_in_order(build)]
    listed.sort(key=lambda item: (bool(item[0].suppressed), SEVERITIES.index(item[0].severity)))
    shown, left_out = listed[:MOST_RESULTS], max(0, len(listed) - MOST_RESULTS)
    identifiers = list(dict.fromkeys([*rules, *sorted({finding.rule for finding, _ in shown})]))
    numbers = {identifier: number for number, identifier in enumerate(identifiers)}
    occurrences: dict[str, int] = {}
    run = {
        "tool": {
            "driver": {
                "name": "Build Forensics",
                "semanticVersion": result.run.version,
                "rules": [_rule(identifier, rules.get(identifier)) for identifier in identifiers],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder that was scanned."}}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _notifications(result, left_out)}],
        "results": [_result(finding, build, roots[build.id], numbers, occurrences) for finding, build in shown],
        "properties": {"builds": len(result.builds), "findings": len(listed), "leftOut": left_out},
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def _roots(result: ScanResult) -> dict[str, str]:
    """What stands before a build's paths: nothing where it is what was scanned, else its place in the archive."""
    alone = len(result.builds) == 1
    return {build.id: "" if alone and _is_archive_itself(build) else f"{build.id}/" for build in result.builds}


def _is_archive_itself(build: BuildResult) -> bool:
    """A build at the top of its archive has the archive's own name as its id."""
    name = os.path.basename(os.path.abspath(build.archive)) if "://" not in build.archive else build.archive
    return name == build.id or name.startswith(f"{build.id}.")


def _rule(identifier: str, rule: Rule | None) -> dict[str, object]:
    if rule is None:
        text = {"text": f"{identifier}: a rule of another version of this tool."}
        return {"id": identifier, "shortDescription": text}
    parts = [("Why it fails", rule.why), ("How to mend it", rule.fix), ("What the rule can't see", rule.blind_spots)]
    told = [(title, text) for title, text in parts if text]
    sources = "".join(f"- {source}\n" for source in rule.sources)
    markdown = f"**{rule.summary}**\n\n" + "".join(f"## {title}\n\n{text}\n\n" for title, text in told)
    pointers = [source for source in rule.sources if source.startswith("https://") and " " not in source]
    described: dict[str, object] = {
        "id": identifier,
        "name": "".join(word.capitalize() for word in re.split(r"[^A-Za-z0-9]+", identifier)),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {
            "text": "\n\n".join([rule.summary, *(f"{title}: {text}" for title, text in told)]),
            "markdown": markdown + (f"## On whose word\n\n{sources}" if sources else ""),
        },
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"tags": [rule.scanner]},
    }
    if pointers:
        described["helpUri"] = pointers[0]
    return described


def _result(
    finding: ReportedFinding, build: BuildResult, root: str, numbers: Mapping[str, int], occurrences: dict[str, int]
) -> dict[str, object]:
    digest = hashlib.sha256(f"{root}\0{finding.fingerprint}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    occurrences[digest] = occurrences.get(digest, 0) + 1
    written: dict[str, object] = {
        "ruleId": finding.rule,
        "ruleIndex": numbers[finding.rule],
        "level": finding.severity,
        "rank": RANK[finding.confidence],
        "message": {"text": _message(finding.message + (f"\n\nMend: {finding.fix}" if finding.fix else ""))},
        "locations": [_location(finding.place, root)],
        "partialFingerprints": {
            # GitHub tells alerts apart by this one; it would otherwise hash the line, which moves.
            "primaryLocationLineHash": f"{digest}:{occurrences[digest]}",
            "buildForensics/v1": finding.fingerprint,
        },
        "properties": {
            "build": encodable(build.id),
            "labels": {encodable(key): encodable(value) for key, value in build.labels.items()},
            "confidence": finding.confidence,
        },
    }
    if finding.related:
        written["relatedLocations"] = [
            {"id": number, **_location(place, root), "message": {"text": _message(place.message or "see also")}}
            for number, place in enumerate(finding.related[:MOST_RELATED], start=1)
        ]
    if finding.edits:
        written["fixes"] = [_fix(finding, root)]
    if finding.suppressed:
        written["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": visible(finding.suppressed)}
        ]
    return written


def _location(place: Place, root: str) -> dict[str, object]:
    physical: dict[str, object] = {"artifactLocation": _artifact(root + place.path)}
    if place.line:
        physical["region"] = _region(place)
    return {"physicalLocation": physical}


def _region(place: Place | Location) -> dict[str, int]:
    """Lines and columns are ours: 1-based, code points, the end exclusive."""
    region = {"startLine": place.line, "startColumn": max(place.column, 1)}
    if place.end_line >= place.line:
        region["endLine"] = place.end_line
        region["endColumn"] = max(place.end_column, 1)
    return region


def _artifact(path: str) -> dict[str, str]:
    return {"uri": quote(path, errors="backslashreplace"), "uriBaseId": ROOT}


def _fix(finding: ReportedFinding, root: str) -> dict[str, object]:
    by_file: dict[str, list[Edit]] = {}
    for edit in finding.edits:
        by_file.setdefault(edit.location.path, []).append(edit)
    return {
        "description": {"text": _message(finding.fix or finding.message)},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(root + path),
                "replacements": [
                    {"deletedRegion": _region(edit.location), "insertedContent": {"text": encodable(edit.text)}}
                    for edit in edits
                ],
            }
            for path, edits in by_file.items()
        ],
    }


def _notifications(result: ScanResult, left_out: int) -> list[dict[str, object]]:
    lost = [(build, error) for build in result.builds for error in build.errors]
    written = [_lost(build, error) for build, error in lost[:MOST_NOTIFICATIONS]]
    if len(lost) > MOST_NOTIFICATIONS:
        written.append(_note(f"Coverage was lost in {len(lost) - MOST_NOTIFICATIONS} more places."))
    if left_out:
        written.append(_note(f"{left_out} findings, the least severe, are left out: a run holds {MOST_RESULTS}."))
    return written


def _lost(build: BuildResult, error: BuildError) -> dict[str, object]:
    where = f"{build.id}/{error.path}" if error.path else build.id
    return _note(f"{where}: {error.message} ({error.kind})")


def _note(text: str) -> dict[str, object]:
    return {"level": "warning", "message": {"text": _message(text)}}


def _message(text: str) -> str:
    """Plain text. `[text](target)` would be read as a link, which a build must not be able to write.

    Braces stay: without `arguments` no reader we know of takes them for placeholders, and GitHub shows escapes as such.
    """
    return re.sub(r"\[([^\[\]]*)\]\(", r"\\[\1\\](", clipped(visible(text), LONGEST_MESSAGE))
