"""Results as rows of tables, and rows as results: the shape of every table is here.

A build's labels (`label_<name>`) and features are columns of their own, as wide as the builds of a shard need.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from forensics.records import BuildError, Edit, LaunchPath, Location, Scalar
from forensics.results import BuildResult, FileSum, Place, ReportedFinding, VerdictRow

_TEXTS = pa.list_(pa.string())
_PLACE: dict[str, Any] = {
    "path": pa.string(),
    "line": pa.int64(),
    "column": pa.int64(),
    "end_line": pa.int64(),
    "end_column": pa.int64(),
}
_EXCERPT: dict[str, Any] = {"snippet": pa.string(), "snippet_line": pa.int64(), "snippet_column": pa.int64()}
COLUMNS: dict[str, dict[str, Any]] = {
    "builds": {
        "build": pa.string(),
        "archive": pa.string(),
        "file_count": pa.int64(),
        "byte_count": pa.int64(),
        "digest": pa.string(),
        "record": pa.string(),
    },
    "verdicts": {"build": pa.string(), "scanner": pa.string(), "status": pa.string(), "reason": pa.string()},
    "findings": {
        "build": pa.string(),
        "finding": pa.int64(),
        "rule": pa.string(),
        "severity": pa.string(),
        "confidence": pa.string(),
        "message": pa.string(),
        "fix": pa.string(),
        "fingerprint": pa.string(),
        "suppressed": pa.string(),
        "condition": pa.string(),
        **_PLACE,
        "place_message": pa.string(),
        **_EXCERPT,
        "evidence": _TEXTS,
    },
    "locations": {
        "build": pa.string(),
        "finding": pa.int64(),
        "number": pa.int64(),
        **_PLACE,
        "message": pa.string(),
        **_EXCERPT,
    },
    "edits": {
        "build": pa.string(),
        "finding": pa.int64(),
        "number": pa.int64(),
        **_PLACE,
        "message": pa.string(),
        "text": pa.string(),
    },
    "features": {"build": pa.string()},
    "launch_paths": {
        "build": pa.string(),
        "number": pa.int64(),
        "name": pa.string(),
        "works": pa.bool_(),
        "command": pa.string(),
        "because": pa.string(),
        "steps": _TEXTS,
    },
    "errors": {"build": pa.string(), "path": pa.string(), "kind": pa.string(), "message": pa.string()},
    "files": {"build": pa.string(), "path": pa.string(), "size": pa.int64(), "sha256": pa.string()},
    "snippets": {"snippet": pa.string(), "text": pa.string()},
}
TABLES = tuple(COLUMNS)
LABEL_PREFIX = "label_"

Row = dict[str, Any]


def tables_of(builds: Sequence[BuildResult], snippets: Mapping[str, str]) -> dict[str, pa.Table]:
    """Every table of these builds, by name, with those of the snippets that they refer to."""
    rows = _rows(builds)
    rows["snippets"] = [{"snippet": key, "text": snippets[key]} for key in sorted(_used(builds) & snippets.keys())]
    return {
        table: pa.Table.from_pylist(
            rows[table], schema=pa.schema({**COLUMNS[table], **_wide_columns(table, rows[table])})
        )
        for table in TABLES
    }


def builds_of(rows: Mapping[str, list[Row]]) -> list[BuildResult]:
    """The builds that the rows of every table (`files` may be left out) tell, in the order of `builds`."""
    inner: dict[tuple[str, int], dict[str, list[Row]]] = {}
    for table in ("locations", "edits"):
        for row in rows[table]:
            inner.setdefault((row["build"], row["finding"]), {}).setdefault(table, []).append(row)
    by_build: dict[str, dict[str, list[Row]]] = {row["build"]: {} for row in rows["builds"]}
    for table in rows.keys() - {"builds", "locations", "edits", "snippets"}:
        for row in rows[table]:
            by_build.setdefault(row["build"], {}).setdefault(table, []).append(row)
    return [_build(row, by_build[row["build"]], inner) for row in rows["builds"]]


def _used(builds: Iterable[BuildResult]) -> set[str]:
    return {
        place.snippet
        for build in builds
        for finding in build.findings
        for place in (finding.place, *finding.related)
        if place.snippet
    }


def _rows(builds: Sequence[BuildResult]) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {table: [] for table in TABLES}
    for build in builds:
        own = {"build": build.id}
        rows["builds"].append(
            own
            | {
                "archive": build.archive,
                "file_count": build.file_count,
                "byte_count": build.byte_count,
                "digest": build.digest,
                "record": record_digest(build),
            }
            | {LABEL_PREFIX + name: value for name, value in build.labels.items()}
        )
        rows["verdicts"] += [own | msgspec.structs.asdict(verdict) for verdict in build.verdicts]
        for number, finding in enumerate(build.findings):
            _add_finding(rows, own | {"finding": number}, finding)
        rows["features"].append(own | dict(build.features))
        rows["launch_paths"] += [
            own | {"number": number} | msgspec.structs.asdict(path) for number, path in enumerate(build.launch_paths)
        ]
        rows["errors"] += [own | msgspec.structs.asdict(error) for error in build.errors]
        rows["files"] += [own | msgspec.structs.asdict(entry) for entry in build.files]
    return rows


def _add_finding(rows: dict[str, list[Row]], own: Row, finding: ReportedFinding) -> None:
    place = msgspec.structs.asdict(finding.place)
    rows["findings"].append(
        own
        | {
            "rule": finding.rule,
            "severity": finding.severity,
            "confidence": finding.confidence,
            "message": finding.message,
            "fix": finding.fix,
            "fingerprint": finding.fingerprint,
            "suppressed": finding.suppressed,
            "condition": finding.condition,
            "evidence": list(finding.evidence),
            "place_message": place.pop("message"),
        }
        | place
    )
    rows["locations"] += [
        own | {"number": number} | msgspec.structs.asdict(related) for number, related in enumerate(finding.related)
    ]
    rows["edits"] += [
        own | {"number": number, "text": edit.text} | msgspec.structs.asdict(edit.location)
        for number, edit in enumerate(finding.edits)
    ]


def _wide_columns(table: str, rows: list[Row]) -> dict[str, Any]:
    """The columns that the rows themselves name: labels of builds, features. Values are made to fit their column."""
    if table not in ("builds", "features"):
        return {}
    names = sorted({name for row in rows for name in row} - COLUMNS[table].keys())
    columns = {}
    for name in names:
        kind = _column_type([row[name] for row in rows if row.get(name) is not None])
        columns[name] = kind
        for row in rows:
            value = row.get(name)
            if value is not None and kind == pa.string():
                row[name] = _as_text(value)
            elif value is not None and kind == pa.float64():
                row[name] = float(value)
    return columns


def _column_type(values: list[Scalar]) -> Any:
    if all(isinstance(value, bool) for value in values):
        return pa.bool_()
    if any(isinstance(value, bool | str) for value in values):
        return pa.string()
    if all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in values):
        return pa.int64()
    return pa.float64()


def _as_text(value: Scalar) -> str:
    """A value as text that does not depend on the type of its column."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def record_digest(build: BuildResult) -> str:
    """SHA-256 over everything that the tables hold of a build: a changed byte in any of them changes it."""
    plain = msgspec.structs.replace(build, features={name: _as_text(value) for name, value in build.features.items()})
    return hashlib.sha256(msgspec.msgpack.encode(plain, order="deterministic")).hexdigest()


def _build(row: Row, parts: dict[str, list[Row]], inner: dict[tuple[str, int], dict[str, list[Row]]]) -> BuildResult:
    return BuildResult(
        id=row["build"],
        archive=row["archive"],
        labels={
            name.removeprefix(LABEL_PREFIX): value
            for name, value in row.items()
            if name.startswith(LABEL_PREFIX) and value is not None
        },
        file_count=row["file_count"],
        byte_count=row["byte_count"],
        digest=row["digest"],
        verdicts=tuple(
            VerdictRow(scanner=part["scanner"], status=part["status"], reason=part["reason"])
            for part in parts.get("verdicts", ())
        ),
        findings=tuple(
            _finding(part, inner.get((row["build"], part["finding"]), {})) for part in parts.get("findings", ())
        ),
        features={
            name: value
            for part in parts.get("features", ())
            for name, value in part.items()
            if name != "build" and value is not None
        },
        launch_paths=tuple(
            LaunchPath(
                name=part["name"],
                works=part["works"],
                command=part["command"],
                because=part["because"],
                steps=tuple(part["steps"]),
            )
            for part in parts.get("launch_paths", ())
        ),
        errors=tuple(
            BuildError(path=part["path"], kind=part["kind"], message=part["message"])
            for part in parts.get("errors", ())
        ),
        files=tuple(FileSum(part["path"], part["size"], part["sha256"]) for part in parts.get("files", ())),
    )


def _place(row: Row, message: str) -> Place:
    return Place(
        **{name: row[name] for name in _PLACE},
        **{name: row[name] for name in _EXCERPT},
        message=row[message],
    )


def _finding(row: Row, inner: dict[str, list[Row]]) -> ReportedFinding:
    return ReportedFinding(
        rule=row["rule"],
        severity=row["severity"],
        confidence=row["confidence"],
        message=row["message"],
        fix=row["fix"],
        place=_place(row, "place_message"),
        related=tuple(_place(part, "message") for part in inner.get("locations", ())),
        fingerprint=row["fingerprint"],
        suppressed=row["suppressed"],
        evidence=tuple(row["evidence"]),
        edits=tuple(
            Edit(location=Location(**{name: part[name] for name in _PLACE}, message=part["message"]), text=part["text"])
            for part in inner.get("edits", ())
        ),
        condition=row["condition"],
    )
