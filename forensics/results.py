"""What a scan leaves: one record per build, and the settings it was made with.

In memory a scan is a `ScanResult`; on disk it is a set of Parquet tables (`save`, `load`), sealed by SHA-256 sums.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field

from forensics.records import BuildError, Confidence, Edit, LaunchPath, Scalar, Severity

if TYPE_CHECKING:
    import pandas

SHARD_BUILDS = 250  # that one machine writes together


class Place(Struct, frozen=True, kw_only=True):
    """A location with its source excerpt. Lines and columns as in `records.Location`.

    `snippet` is a key of `ScanResult.snippets` ("" where there is no source); `snippet_line` the line number of the
    snippet's first line; `snippet_column` the column that the snippet's text of line `line` begins at (more than 1
    where a very long line was cut).
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str = ""
    snippet: str = ""
    snippet_line: int = 0
    snippet_column: int = 1


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


class FileSum(Struct, frozen=True, array_like=True, gc=False):
    """One file of a build: `sha256` in hex, "" where the file could not be read."""

    path: str
    size: int
    sha256: str


class BuildResult(Struct, frozen=True, kw_only=True):
    """Everything known of one build. `digest` is the SHA-256 over the sorted (path, SHA-256) pairs of its files.

    Features whose value is None are left out. `files` is empty where the sums were not asked for.
    """

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
    files: tuple[FileSum, ...] = ()


class RunInfo(Struct, frozen=True, kw_only=True):
    """How a result set was made: the tool's version, the digest of the rule set, archives as given, settings.

    `conditions` says of each archive-wide condition that a finding depended on whether it holds. `totals` counts
    builds, builds_with_errors and, by severity, the findings that are not suppressed.
    """

    version: str
    rules_digest: str
    archives: tuple[str, ...]
    settings: dict[str, Scalar]
    conditions: dict[str, bool] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)


class ScanResult(Struct, frozen=True, kw_only=True):
    """Builds sorted by id; `snippets` maps the SHA-256 (first 16 hex digits) of an excerpt to its text."""

    run: RunInfo
    builds: tuple[BuildResult, ...]
    snippets: dict[str, str] = field(default_factory=dict)


def shard_name(builds: Iterable[tuple[str, Mapping[str, str]]], settings: str) -> str:
    """The name of the shard of these builds (id and labels), scanned under these settings."""
    total = hashlib.sha256(settings.encode())
    for build_id, labels in sorted((build_id, sorted(labels.items())) for build_id, labels in builds):
        total.update(msgspec.msgpack.encode((build_id, labels)))
    return total.hexdigest()[:16]


def save(result: ScanResult, directory: str | os.PathLike[str]) -> None:
    """Writes a result as Parquet tables with run.json and SHA256SUMS. Raises InputError where that can't be done."""
    from forensics import result_files

    result_files.save(result, Path(directory))


def load(directory: str | os.PathLike[str]) -> ScanResult:
    """The result set in a folder. Raises InputError where there is none or it can't be read."""
    from forensics import result_files

    return result_files.load(Path(directory))


def verify(directory: str | os.PathLike[str]) -> list[str]:
    """One line for each file and each build of a result set that was changed since it was sealed."""
    from forensics.seal import differences

    return differences(Path(directory))


def tables(directory: str | os.PathLike[str]) -> dict[str, pandas.DataFrame]:
    """Every table of a result set as a data frame, by name; a build's id is the column `build`."""
    from forensics.result_files import arrow_table
    from forensics.result_rows import TABLES

    return {name: arrow_table(Path(directory), name).to_pandas() for name in TABLES}
