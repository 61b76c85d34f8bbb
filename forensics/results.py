"""What a scan leaves: one record per build, and the settings it was made with.

In memory a scan is a `ScanResult`; on disk it is a set of Parquet tables (`save`, `load`), sealed by SHA-256 sums.
"""

from __future__ import annotations

from msgspec import Struct, field

from forensics.records import BuildError, Confidence, Edit, LaunchPath, Scalar, Severity


class Place(Struct, frozen=True, kw_only=True):
    """A location with its source excerpt. Lines and columns as in `records.Location`.

    `snippet` is a key of `ScanResult.snippets` ("" where there is no source); `snippet_line` the line number of the
    snippet's first line.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str = ""
    snippet: str = ""
    snippet_line: int = 0


class ReportedFinding(Struct, frozen=True, kw_only=True):
    """A finding as reports show it. `suppressed` is "" or says by what: "baseline", "configuration"."""

    rule: str
    severity: Severity
    confidence: Confidence
    message: str
    fix: str
    place: Place
    related: tuple[Place, ...] = ()
    fingerprint: str
    suppressed: str = ""
    evidence: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    condition: str = ""


class VerdictRow(Struct, frozen=True, kw_only=True):
    scanner: str
    status: str
    reason: str = ""


class BuildResult(Struct, frozen=True, kw_only=True):
    """Everything known of one build. `digest` is the SHA-256 over the sorted (path, SHA-256) pairs of its files."""

    id: str
    archive: str
    labels: dict[str, str]
    file_count: int
    byte_count: int
    digest: str
    verdicts: tuple[VerdictRow, ...]
    findings: tuple[ReportedFinding, ...]
    features: dict[str, Scalar]
    launch_paths: tuple[LaunchPath, ...]
    errors: tuple[BuildError, ...]


class RunInfo(Struct, frozen=True, kw_only=True):
    """How a result set was made: the tool's version, the digest of the rule set, archives as given, settings."""

    version: str
    rules_digest: str
    archives: tuple[str, ...]
    settings: dict[str, Scalar]


class ScanResult(Struct, frozen=True, kw_only=True):
    """Builds sorted by id; `snippets` maps the SHA-256 (first 16 hex digits) of an excerpt to its text."""

    run: RunInfo
    builds: tuple[BuildResult, ...]
    snippets: dict[str, str] = field(default_factory=dict)
