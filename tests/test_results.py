"""Results on disk: what is written is read back, bytes depend on results alone, and a changed byte is found."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from forensics import results
from forensics.records import BuildError, Edit, InputError, LaunchPath, Location
from forensics.result_files import finish, finished_shard, prepare, read_shard, write_shard
from forensics.results import (
    BuildResult,
    FileSum,
    Place,
    ReportedFinding,
    RunInfo,
    ScanResult,
    VerdictRow,
    shard_name,
)

SNIPPETS = {"aaaa": 'const port = 3001 // "é" 😀\n', "bbbb": "line\r\nnext"}
RUN = RunInfo(version="0.1.0", rules_digest="d1", archives=("runs.zip",), settings={"layout": "auto", "jobs": 2})


def finding(rule: str = "wiring/port-mismatch", **changes: object) -> ReportedFinding:
    values: dict[str, object] = {
        "rule": rule,
        "severity": "error",
        "confidence": "high",
        "message": "the proxy’s target listens on 3000",
        "fix": "change it",
        "place": Place(
            path="a.js", line=3, column=5, end_line=3, end_column=9, message="here", snippet="aaaa", snippet_line=1
        ),
        "related": (
            Place(path="b.js", line=1, column=1, end_line=1, end_column=2, snippet="bbbb", snippet_line=1),
            Place(path="c.js", line=9, column=1, end_line=9, end_column=2, message="no source"),
        ),
        "fingerprint": "f" * 32,
        "evidence": ("first", "second"),
        "edits": (Edit(location=Location(path="a.js", line=3, column=5, end_line=3, end_column=9), text="3001"),),
    }
    return ReportedFinding(**(values | changes))  # type: ignore[arg-type]


def build(build_id: str, **changes: object) -> BuildResult:
    values: dict[str, object] = {
        "id": build_id,
        "archive": "runs.zip",
        "labels": {"model": "gpt", "task": "todo"},
        "file_count": 2,
        "byte_count": 30,
        "digest": "ab" * 32,
        "verdicts": (
            VerdictRow(scanner="datadir", status="UNKNOWN", reason="no idea"),
            VerdictRow(scanner="wiring", status="PORT_MISMATCH"),
        ),
        "findings": (finding(), finding("wiring/missing-cors", related=(), edits=(), evidence=())),
        "features": {"layout": "root", "loc": 120, "depth": 2.5, "has_tests": True},
        "launch_paths": (
            LaunchPath(name="dev", works=False, command="npm run dev", because="port", steps=("vite", "node")),
            LaunchPath(name="docker", works=None, command="", because="no Dockerfile"),
        ),
        "errors": (BuildError(path="x.js", kind="file-too-large", message="6 MB"),),
        "files": (FileSum("a.js", 10, "01" * 32), FileSum("b.js", 20, "")),
    }
    return BuildResult(**(values | changes))  # type: ignore[arg-type]


NOTHING: dict[str, object] = {"verdicts": (), "findings": (), "launch_paths": (), "errors": (), "files": ()}
PLAIN = build("c/plain", labels={"model": "opus"}, features={}, **NOTHING)
RESULT = ScanResult(
    run=RUN,
    builds=(build("a/one"), build("b/two", features={"loc": 3, "css": "plain"}), PLAIN),
    snippets=SNIPPETS,
)


def test_a_result_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    results.save(RESULT, tmp_path / "out")
    found = results.load(tmp_path / "out")
    assert found.builds == RESULT.builds
    assert found.snippets == SNIPPETS
    assert found.run.settings == RUN.settings
    assert found.run.conditions == {"some-build-ships-a-lockfile": False}
    assert found.run.totals == {"builds": 3, "builds_with_errors": 2, "error": 4, "warning": 0, "note": 0}


def test_values_keep_their_types(tmp_path: Path) -> None:
    results.save(RESULT, tmp_path / "out")
    features = results.load(tmp_path / "out").builds[0].features
    assert {name: type(value) for name, value in features.items()} == {
        "layout": str,
        "loc": int,
        "depth": float,
        "has_tests": bool,
    }


def test_the_bytes_depend_on_the_results_alone(tmp_path: Path) -> None:
    shuffled = ScanResult(run=RUN, builds=RESULT.builds, snippets=dict(reversed(SNIPPETS.items())))
    results.save(RESULT, tmp_path / "one")
    results.save(shuffled, tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def contents(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_the_tables_are_data_frames(tmp_path: Path) -> None:
    results.save(RESULT, tmp_path / "out")
    tables = results.tables(tmp_path / "out")
    assert list(tables["builds"]["build"]) == ["a/one", "b/two", "c/plain"]
    assert list(tables["builds"]["label_model"]) == ["gpt", "gpt", "opus"]
    assert list(tables["builds"]["label_task"][:2]) == ["todo", "todo"]
    assert set(tables["features"].columns) == {"build", "css", "depth", "has_tests", "layout", "loc"}
    assert list(tables["findings"]["rule"]) == ["wiring/port-mismatch", "wiring/missing-cors"] * 2
    assert len(tables["locations"]) == 4
    assert len(tables["snippets"]) == 2
    assert list(tables["errors"]["kind"]) == ["file-too-large"] * 2
    assert list(tables["files"]["sha256"])[:2] == ["01" * 32, ""]


def test_shards_whose_features_differ_in_kind_are_joined_as_text(tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(out, resume=False)
    first, second = build("a", features={"port": 3000}), build("b", features={"port": "from the environment"})
    write_shard(out, "s1", [first], SNIPPETS)
    write_shard(out, "s2", [second], SNIPPETS)
    finish(out, ["s1", "s2"], RUN)
    assert list(results.tables(out)["features"]["port"]) == ["3000", "from the environment"]
    assert [entry.features["port"] for entry in results.load(out).builds] == [3000, "from the environment"]
    assert results.verify(out) == []


def test_sha256sum_agrees_with_the_seal(tmp_path: Path) -> None:
    results.save(RESULT, tmp_path / "out")
    checked = subprocess.run(
        ["sha256sum", "-c", "--strict", "SHA256SUMS"], cwd=tmp_path / "out", capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout
    sealed = {line.split("  ")[1] for line in (tmp_path / "out" / "SHA256SUMS").read_text().splitlines()}
    assert sealed == contents(tmp_path / "out").keys() - {"SHA256SUMS"}


# ------------------------------------------------------------------- the seal


def test_a_sealed_set_verifies(tmp_path: Path) -> None:
    results.save(RESULT, tmp_path / "out")
    assert results.verify(tmp_path / "out") == []


def test_any_changed_byte_is_found(tmp_path: Path) -> None:
    out = tmp_path / "out"
    results.save(RESULT, out)
    for name, data in contents(out).items():
        if name == "SHA256SUMS":
            continue
        place = out / name
        for at in (0, len(data) // 2, len(data) - 1):
            place.write_bytes(data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :])
            assert f"{name}: was changed" in results.verify(out)
        place.write_bytes(data)
    assert results.verify(out) == []


def test_a_missing_and_an_added_file_are_found(tmp_path: Path) -> None:
    out = tmp_path / "out"
    results.save(RESULT, out)
    (errors,) = (out / "errors").iterdir()
    errors.rename(out / "errors" / "other.parquet")
    differences = results.verify(out)
    assert "errors/other.parquet: is not in the seal" in differences
    assert any(line.startswith("errors/") and line.endswith("is missing") for line in differences)


def test_a_rewritten_row_names_its_build(tmp_path: Path) -> None:
    """Someone who edits a verdict with a Parquet tool leaves the table readable: the build is named."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = tmp_path / "out"
    results.save(RESULT, out)
    (verdicts,) = (out / "verdicts").iterdir()
    rows = pq.ParquetFile(verdicts).read().to_pylist()
    changed = [row | ({"status": "OK"} if row["build"] == "b/two" else {}) for row in rows]
    pq.write_table(pa.Table.from_pylist(changed), verdicts)
    assert results.verify(out) == [f"verdicts/{verdicts.name}: was changed", "build b/two: its rows were changed"]


def test_a_changed_file_sum_names_its_build(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = tmp_path / "out"
    results.save(RESULT, out)
    (files,) = (out / "files").iterdir()
    rows = pq.ParquetFile(files).read().to_pylist()
    rows[0]["sha256"] = "02" * 32
    pq.write_table(pa.Table.from_pylist(rows), files)
    assert results.verify(out)[1:] == ["build a/one: its rows were changed"]


# --------------------------------------------------------------------- shards


def test_a_half_written_shard_is_not_taken_for_a_finished_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(out, resume=False)
    write_shard(out, "s1", [build("a")], SNIPPETS)
    marker = finished_shard(out, "s1")
    assert marker is not None
    assert marker.builds == ["a"]
    (out / "edits" / "s1.parquet").write_bytes(b"half")
    assert finished_shard(out, "s1") is None
    write_shard(out, "s1", [build("a")], SNIPPETS)
    assert finished_shard(out, "s1") == marker
    (out / "shards" / "s1.json").unlink()
    assert finished_shard(out, "s1") is None


def test_what_belongs_to_no_shard_is_removed_at_the_end(tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(out, resume=False)
    write_shard(out, "old", [build("gone")], SNIPPETS)
    write_shard(out, "s1", [build("a")], SNIPPETS)
    (out / "builds" / ".s1.parquet.77").write_bytes(b"left by a process that was killed")
    finish(out, ["s1"], RUN)
    assert [entry.id for entry in results.load(out).builds] == ["a"]
    assert results.verify(out) == []
    assert not list(out.rglob(".*"))


def test_a_shard_is_named_for_its_builds_labels_and_settings() -> None:
    name = shard_name([("a", {"x": "1"}), ("b", {})], "rules 1")
    assert name == shard_name([("b", {}), ("a", {"x": "1"})], "rules 1")
    assert name != shard_name([("a", {"x": "2"}), ("b", {})], "rules 1")
    assert name != shard_name([("a", {"x": "1"}), ("b", {})], "rules 2")


def test_snippets_are_stored_once_in_a_shard_and_only_where_used(tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(out, resume=False)
    write_shard(out, "s1", [build("a"), build("b")], SNIPPETS | {"cccc": "of nobody"})
    builds, snippets = read_shard(out, "s1")
    assert snippets == SNIPPETS
    assert len(builds) == 2


# ---------------------------------------------------- archive-wide conditions

LOCKED = (FileSum("package-lock.json", 1, "aa"),)
CONDITIONAL = finding("launch/lockfile-required", condition="some-build-ships-a-lockfile")
BROKEN = (VerdictRow(scanner="launch", status="BROKEN"), VerdictRow(scanner="wiring", status="PORT_MISMATCH"))


def settled_in_memory_and_on_disk(tmp_path: Path, *builds: BuildResult) -> tuple[BuildResult, ...]:
    from forensics.reduction import reduced

    result = ScanResult(run=RUN, builds=builds, snippets=SNIPPETS)
    in_memory = reduced(result)
    results.save(result, tmp_path / "out")
    on_disk = results.load(tmp_path / "out")
    assert in_memory.builds == on_disk.builds
    assert in_memory.run == on_disk.run
    assert results.verify(tmp_path / "out") == []
    return on_disk.builds


def test_a_finding_stays_where_another_build_meets_its_condition(tmp_path: Path) -> None:
    builds = (build("a", findings=(CONDITIONAL,), verdicts=BROKEN), build("b", files=LOCKED))
    first, _ = settled_in_memory_and_on_disk(tmp_path, *builds)
    assert [entry.rule for entry in first.findings] == ["launch/lockfile-required"]
    assert first.verdicts == BROKEN


def test_a_finding_goes_where_no_build_meets_its_condition_and_takes_its_status_along(tmp_path: Path) -> None:
    builds = (build("a", findings=(CONDITIONAL, finding()), verdicts=BROKEN), build("b"))
    first, _ = settled_in_memory_and_on_disk(tmp_path, *builds)
    assert [entry.rule for entry in first.findings] == ["wiring/port-mismatch"]
    assert first.verdicts == (
        VerdictRow(scanner="launch", status="OK"),
        VerdictRow(scanner="wiring", status="PORT_MISMATCH"),
    )


def test_a_status_that_another_error_supports_stays(tmp_path: Path) -> None:
    builds = (build("a", findings=(finding("launch/copy-missing-path"), CONDITIONAL), verdicts=BROKEN), build("b"))
    first, _ = settled_in_memory_and_on_disk(tmp_path, *builds)
    assert [entry.rule for entry in first.findings] == ["launch/copy-missing-path"]
    assert first.verdicts == BROKEN


def test_an_archive_of_one_build_drops_nothing(tmp_path: Path) -> None:
    (only,) = settled_in_memory_and_on_disk(tmp_path, build("a", findings=(CONDITIONAL,), verdicts=BROKEN))
    assert only.findings == (CONDITIONAL,)


def test_a_lockfile_in_any_folder_counts(tmp_path: Path) -> None:
    builds = (
        build("a", findings=(CONDITIONAL,), verdicts=BROKEN),
        build("b", files=(FileSum("server/yarn.lock", 1, "aa"),)),
    )
    assert settled_in_memory_and_on_disk(tmp_path, *builds)[0].findings == (CONDITIONAL,)


# ----------------------------------------------------------------- bad input


def test_a_folder_with_other_files_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match="not empty"):
        results.save(RESULT, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_earlier_result_set_is_replaced(tmp_path: Path) -> None:
    results.save(RESULT, tmp_path / "out")
    results.save(ScanResult(run=RUN, builds=(PLAIN,)), tmp_path / "out")
    assert [entry.id for entry in results.load(tmp_path / "out").builds] == ["c/plain"]


@pytest.mark.parametrize("missing", ["run.json", "builds"])
def test_a_folder_that_holds_no_results_is_refused(tmp_path: Path, missing: str) -> None:
    results.save(RESULT, tmp_path / "out")
    (tmp_path / "out" / missing).rename(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="holds no results"):
        results.load(tmp_path / "out")
    with pytest.raises(InputError):
        results.verify(tmp_path / "nowhere")


def test_a_damaged_table_is_refused_in_one_line(tmp_path: Path) -> None:
    results.save(RESULT, tmp_path / "out")
    (table,) = (tmp_path / "out" / "findings").iterdir()
    table.write_bytes(b"PAR1 no table PAR1")
    with pytest.raises(InputError, match=r"cannot be read .*forensics verify") as caught:
        results.load(tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert any("held 3 builds: a/one, b/two, c/plain" in line for line in results.verify(tmp_path / "out"))


def test_the_marker_holds_the_sums_of_its_tables(tmp_path: Path) -> None:
    results.save(RESULT, tmp_path / "out")
    (marker,) = (tmp_path / "out" / "shards").iterdir()
    sums = json.loads(marker.read_text())["sums"]
    for table, value in sums.items():
        data = (tmp_path / "out" / table / f"{marker.stem}.parquet").read_bytes()
        assert hashlib.sha256(data).hexdigest() == value
