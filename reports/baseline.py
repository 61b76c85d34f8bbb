"""A baseline: the findings that are known already. They stay in every report, marked and counted, and fail nothing.

It is read from any earlier output that names findings by build and fingerprint: `--json`, `--sarif`, or a result set
(the folder that `--out` wrote). A second finding that is identical to a known one has a fingerprint of its own, so it
counts as new.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from forensics.records import InputError
from forensics.results import BuildResult, ReportedFinding, ScanResult
from reports.json import SCHEMA

Baseline = Mapping[str, frozenset[str]]
"""Build id → fingerprints of its known findings."""


def read_baseline(path: Path) -> Baseline:
    """The findings of an earlier scan. Raises InputError where the file is none of the three."""
    if path.is_dir():
        from forensics.results import load

        return _of_result(load(path))
    try:
        document = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except msgspec.DecodeError:
        raise InputError(f"{path}: no JSON, so no baseline; give what --json, --sarif or --out wrote") from None
    try:
        if isinstance(document, dict) and document.get("schema") == SCHEMA:
            return _collected((b["id"], f["fingerprint"]) for b in document["builds"] for f in b["findings"])
        if isinstance(document, dict) and document.get("version") == "2.1.0":
            return _collected(_of_sarif(each) for run in document["runs"] for each in run["results"])
    except (KeyError, TypeError, AttributeError):
        raise InputError(f"{path}: not as this tool writes it, so no baseline") from None
    raise InputError(f"{path}: neither {SCHEMA} nor SARIF 2.1.0; give what --json, --sarif or --out wrote")


def marked(result: ScanResult, baseline: Baseline) -> ScanResult:
    """The result with every finding that the baseline knows suppressed by it."""
    return msgspec.structs.replace(result, builds=tuple(_marked(build, baseline) for build in result.builds))


def _marked(build: BuildResult, baseline: Baseline) -> BuildResult:
    known = baseline.get(build.id, frozenset())

    def mark(finding: ReportedFinding) -> ReportedFinding:
        if finding.suppressed or finding.fingerprint not in known:
            return finding
        return msgspec.structs.replace(finding, suppressed="baseline")

    return msgspec.structs.replace(build, findings=tuple(map(mark, build.findings)))


def _of_result(result: ScanResult) -> Baseline:
    return _collected((build.id, finding.fingerprint) for build in result.builds for finding in build.findings)


def _of_sarif(entry: dict[str, Any]) -> tuple[str, str]:
    return entry["properties"]["build"], entry["partialFingerprints"]["buildForensics/v1"]


def _collected(pairs: Any) -> Baseline:
    found: dict[str, set[str]] = {}
    for build, fingerprint in pairs:
        if not isinstance(build, str) or not isinstance(fingerprint, str):
            raise TypeError("a build and a fingerprint are strings")
        found.setdefault(build, set()).add(fingerprint)
    return {build: frozenset(fingerprints) for build, fingerprints in sorted(found.items())}
