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
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from forensics.records import InputError
from forensics.reduction import Tally, settled
from forensics.result_rows import COLUMNS, TABLES, Row, builds_of, tables_of
from forensics.results import SHARD_BUILDS, BuildResult, RunInfo, ScanResult, shard_name

SEAL = "SHA256SUMS"


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
    ours = {*TABLES, "shards", "run.json", SEAL}
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
    sums = {}
    for table, content in tables_of(builds, snippets).items():
        sums[table] = _write(directory / table / f"{name}.parquet", partial(_write_table, content))
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
        if file_sum(directory / table / f"{name}.parquet") != expected:
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
    seal = "".join(f"{file_sum(directory / name)}  {name}\n" for name in sealed_files(directory))
    _write(directory / SEAL, lambda path: Path(path).write_text(seal, encoding="utf-8"))
    return run


def _write_table(content: pa.Table, path: str) -> None:
    pq.write_table(content, path, compression="zstd", use_dictionary=True)


def _write(path: Path, write: Callable[[str], object]) -> str:
    """Writes through a temporary name; gives the SHA-256 of what was written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(str(temporary))
        total = file_sum(temporary)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    return total or ""


def file_sum(path: Path) -> str | None:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def sealed_files(directory: Path) -> list[str]:
    """The files of a result set but the seal, as paths with slashes, sorted."""
    names = [
        f"{folder}/{path.name}"
        for folder in (*TABLES, "shards")
        if (directory / folder).is_dir()
        for path in (directory / folder).iterdir()
        if not path.name.startswith(".")
    ]
    return sorted([*names, "run.json"])


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
    rows = {table: read_rows(directory / table / f"{name}.parquet") for table in TABLES if files or table != "files"}
    return builds_of(rows), {row["snippet"]: row["text"] for row in rows["snippets"]}


def read_rows(path: Path) -> list[Row]:
    try:
        return list(pq.ParquetFile(path).read().to_pylist())
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: cannot be read ({reason}); forensics verify says what changed") from None


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
        return pa.schema(COLUMNS[table]).empty_table()
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
