"""Results on disk: one folder of Parquet files for each table, written shard by shard, and sealed by SHA-256 sums.

    RESULTS/builds/<shard>.parquet  verdicts/  findings/  locations/  edits/  features/  launch_paths/  errors/  files/
    RESULTS/snippets/<shard>.parquet
    RESULTS/shards/<shard>.json   written last of a shard: its builds, the sums of its files, its tally
    RESULTS/run.json              how the set was made
    RESULTS/SHA256SUMS            of every file but itself, as `sha256sum -c` reads it

A shard's name is the hash of its build ids, their labels and the rule set, so that a scan that is run again writes the
same files, and a resumed one knows which are there. Bytes depend on the results alone: rows are sorted, none is dated.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from forensics.records import BuildError, Edit, InputError, LaunchPath, Location, Scalar
from forensics.reduction import Tally, settled
from forensics.results import BuildResult, FileSum, Place, ReportedFinding, RunInfo, ScanResult, VerdictRow, shard_name

SHARD_BUILDS = 250

_TEXTS = pa.list_(pa.string())
_PLACE: dict[str, Any] = {
    "path": pa.string(),
    "line": pa.int64(),
    "column": pa.int64(),
    "end_line": pa.int64(),
    "end_column": pa.int64(),
}
_EXCERPT: dict[str, Any] = {"snippet": pa.string(), "snippet_line": pa.int64(), "snippet_column": pa.int64()}
_COLUMNS: dict[str, dict[str, Any]] = {
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
TABLES = tuple(_COLUMNS)
LABEL_PREFIX = "label_"

Row = dict[str, Any]


class Marker(Struct, frozen=True):
    """What is known of a finished shard: its builds, the SHA-256 of its files by table, and its part of the tally.

    `conditional`: some finding depends on an archive-wide condition.
    """

    builds: list[str]
    sums: dict[str, str]
    tally: Tally
    conditional: bool


# ------------------------------------------------------------------ writing


def prepare(directory: Path, *, resume: bool) -> None:
    """Makes the folder ready to be written to.

    Raises:
        InputError: it holds something else, or can't be made.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        held = sorted(entry.name for entry in directory.iterdir())
    except OSError as error:
        raise InputError(f"{directory}: cannot be used for results ({error.strerror})") from None
    ours = {*TABLES, "shards", "run.json", "SHA256SUMS"}
    if held and not (set(held) & {"run.json", "shards"}):
        raise InputError(f"{directory}: is not empty and holds no results; give a new folder")
    if not resume:
        for name in held:
            if name in ours:
                place = directory / name
                shutil.rmtree(place) if place.is_dir() else place.unlink()


def write_shard(directory: Path, name: str, builds: Sequence[BuildResult], snippets: Mapping[str, str]) -> Marker:
    """Writes the builds' rows into every table, then the marker. A reader never sees half a file."""
    builds = sorted(builds, key=lambda build: build.id)
    rows = _rows(builds)
    rows["snippets"] = [{"snippet": key, "text": snippets[key]} for key in sorted(_used(builds) & snippets.keys())]
    sums = {}
    for table in TABLES:
        schema = pa.schema({**_COLUMNS[table], **_wide_columns(table, rows[table])})
        sums[table] = _write(
            directory / table / f"{name}.parquet",
            lambda path, table=table, schema=schema: pq.write_table(
                pa.Table.from_pylist(rows[table], schema=schema), path, compression="zstd", use_dictionary=True
            ),
        )
    marker = Marker(
        builds=[build.id for build in builds],
        sums=sums,
        tally=Tally.of(builds),
        conditional=any(finding.condition for build in builds for finding in build.findings),
    )
    text = msgspec.json.format(msgspec.json.encode(marker, order="deterministic"), indent=1) + b"\n"
    _write(directory / "shards" / f"{name}.json", lambda path: Path(path).write_bytes(text))
    return marker


def finished_shard(directory: Path, name: str) -> Marker | None:
    """The marker of a shard whose files are all there and whole, else None."""
    try:
        marker = msgspec.json.decode((directory / "shards" / f"{name}.json").read_bytes(), type=Marker)
    except (OSError, msgspec.DecodeError):
        return None
    if set(marker.sums) != set(TABLES):
        return None
    for table, expected in marker.sums.items():
        if _sum(directory / table / f"{name}.parquet") != expected:
            return None
    return marker


def finish(directory: Path, names: Sequence[str], run: RunInfo) -> RunInfo:
    """Settles archive-wide conditions over the shards of these names, removes what belongs to no shard, and seals."""
    markers = {}
    for name in names:
        marker = finished_shard(directory, name)
        if marker is None:
            raise RuntimeError(f"the shard {name} is missing from {directory}")
        markers[name] = marker
    conditions = Tally.sum(marker.tally for marker in markers.values()).conditions()
    for name, marker in markers.items():
        if marker.conditional and not all(conditions.values()):
            builds, snippets = read_shard(directory, name)
            settled_builds = [settled(build, conditions) for build in builds]
            markers[name] = write_shard(directory, name, settled_builds, snippets)
    for folder in (*TABLES, "shards"):
        for path in (directory / folder).iterdir():
            if path.name.partition(".")[0] not in markers:
                path.unlink()
    totals = Tally.sum(marker.tally for marker in markers.values()).totals
    run = msgspec.structs.replace(run, conditions=conditions, totals=totals)
    text = msgspec.json.format(msgspec.json.encode(run, order="deterministic"), indent=1) + b"\n"
    _write(directory / "run.json", lambda path: Path(path).write_bytes(text))
    seal = "".join(f"{_sum(directory / name)}  {name}\n" for name in _held(directory))
    _write(directory / "SHA256SUMS", lambda path: Path(path).write_text(seal, encoding="utf-8"))
    return run


def _write(path: Path, write: Any) -> str:
    """Writes through a temporary name; gives the SHA-256 of what was written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(str(temporary))
        total = _sum(temporary)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    return total or ""


def _sum(path: Path) -> str | None:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _held(directory: Path) -> list[str]:
    """The files of a result set but the seal, as paths with slashes, sorted."""
    names = [
        f"{folder}/{path.name}"
        for folder in (*TABLES, "shards")
        if (directory / folder).is_dir()
        for path in (directory / folder).iterdir()
        if not path.name.startswith(".")
    ]
    return sorted([*names, "run.json"])


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
    names = sorted({name for row in rows for name in row} - _COLUMNS[table].keys())
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


# ------------------------------------------------------------------ reading


def shard_names(directory: Path) -> list[str]:
    """The shards of a result set. Raises InputError where the folder is none."""
    if not (directory / "run.json").is_file() or not (directory / "builds").is_dir():
        raise InputError(f"{directory}: holds no results; give a folder that forensics scan --out wrote")
    return sorted(path.stem for path in (directory / "builds").glob("*.parquet"))


def read_run(directory: Path) -> RunInfo:
    """How the set was made. Raises InputError where that can't be read."""
    try:
        return msgspec.json.decode((directory / "run.json").read_bytes(), type=RunInfo)
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"{directory}/run.json: cannot be read ({error}); scan again") from None


def read_shard(directory: Path, name: str, *, files: bool = True) -> tuple[list[BuildResult], dict[str, str]]:
    """The builds of a shard, sorted by id, and its snippets. Raises InputError where a table can't be read.

    `files`: also the sums of the builds' files.
    """
    rows = {table: _read(directory / table / f"{name}.parquet") for table in TABLES if files or table != "files"}
    inner: dict[tuple[str, int], dict[str, list[Row]]] = {}
    for table in ("locations", "edits"):
        for row in rows[table]:
            inner.setdefault((row["build"], row["finding"]), {}).setdefault(table, []).append(row)
    by_build: dict[str, dict[str, list[Row]]] = {row["build"]: {} for row in rows["builds"]}
    for table in rows.keys() - {"builds", "locations", "edits", "snippets"}:
        for row in rows[table]:
            by_build.setdefault(row["build"], {}).setdefault(table, []).append(row)
    builds = [_build(row, by_build[row["build"]], inner) for row in rows["builds"]]
    return builds, {row["snippet"]: row["text"] for row in rows["snippets"]}


def _read(path: Path) -> list[Row]:
    try:
        return list(pq.ParquetFile(path).read().to_pylist())
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: cannot be read ({reason}); forensics verify says what changed") from None


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


# ---------------------------------------------------------------- the whole


def save(result: ScanResult, directory: Path) -> None:
    """Writes a result that is in memory as a result set."""
    prepare(directory, resume=False)
    names = []
    for first in range(0, len(result.builds), SHARD_BUILDS):
        builds = result.builds[first : first + SHARD_BUILDS]
        name = shard_name(((build.id, build.labels) for build in builds), result.run.rules_digest)
        write_shard(directory, name, builds, result.snippets)
        names.append(name)
    finish(directory, names, result.run)


def load(directory: Path, *, files: bool = True) -> ScanResult:
    """A result set, whole, in memory; builds sorted by id. `files`: with the sums of the builds' files."""
    builds: list[BuildResult] = []
    snippets: dict[str, str] = {}
    names = shard_names(directory)
    run = read_run(directory)
    for name in names:
        more, texts = read_shard(directory, name, files=files)
        builds += more
        snippets.update(texts)
    builds.sort(key=lambda build: build.id)
    return ScanResult(run=run, builds=tuple(builds), snippets=dict(sorted(snippets.items())))


def arrow_table(directory: Path, table: str) -> pa.Table:
    """One table of a result set over all shards, sorted by build where it has builds."""
    parts = []
    for name in shard_names(directory):
        path = directory / table / f"{name}.parquet"
        try:
            parts.append(pq.ParquetFile(path).read())
        except (OSError, pa.ArrowException) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"{path}: cannot be read ({reason}); forensics verify says what changed") from None
    if not parts:
        return pa.schema(_COLUMNS[table]).empty_table()
    parts = _alike(parts)
    joined = pa.concat_tables(parts, promote_options="permissive")
    keys = [(key, "ascending") for key in ("build", "finding", "number") if key in joined.column_names]
    return joined.sort_by(keys) if len(parts) > 1 and keys else joined


def _alike(parts: list[pa.Table]) -> list[pa.Table]:
    """Tables whose columns of one name can be joined: a feature that is text in one shard becomes text in all."""
    kinds: dict[str, set[Any]] = {}
    for part in parts:
        for column in part.schema:
            kinds.setdefault(column.name, set()).add(column.type)
    mixed = {name for name, types in kinds.items() if len(types) > 1 and not types <= {pa.int64(), pa.float64()}}
    if not mixed:
        return parts
    return [
        part.cast(pa.schema([pa.field(c.name, pa.string() if c.name in mixed else c.type) for c in part.schema]))
        for part in parts
    ]


def verify(directory: Path) -> list[str]:
    """What differs from the seal: one line for each file, and for each build whose rows changed. Empty: nothing does.

    Raises InputError where the folder holds no sealed results.
    """
    try:
        seal = (directory / "SHA256SUMS").read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{directory}/SHA256SUMS: cannot be read ({error.strerror}); this is no sealed set") from None
    expected = {}
    for line in seal.splitlines():
        value, _, name = line.partition("  ")
        expected[name] = value
    held = set(_held(directory))
    differences = [f"{name}: is not in the seal" for name in sorted(held - expected.keys())]
    suspects = set()
    for name in sorted(expected):
        found = _sum(directory / name)
        if found != expected[name]:
            differences.append(f"{name}: {'is missing' if found is None else 'was changed'}")
            suspects.add(Path(name).stem)
    for shard in sorted(suspects & {Path(name).stem for name in expected if name.startswith("builds/")}):
        differences += list(_changed_builds(directory, shard))
    return differences


def _changed_builds(directory: Path, shard: str) -> Iterator[str]:
    named: list[str] = []
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        named = json.loads((directory / "shards" / f"{shard}.json").read_bytes())["builds"]
    try:
        builds, _ = read_shard(directory, shard)
        recorded = {row["build"]: row["record"] for row in _read(directory / "builds" / f"{shard}.parquet")}
    except (InputError, KeyError, TypeError, ValueError, msgspec.ValidationError):
        yield f"{shard}: a table can't be read; it held {len(named)} builds: {', '.join(map(str, named[:20]))}"
        return
    for build in builds:
        if recorded[build.id] != record_digest(build):
            yield f"build {build.id}: its rows were changed"
    for build_id in sorted(set(named) - {build.id for build in builds}):
        yield f"build {build_id}: is missing"
