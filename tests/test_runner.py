"""The scan of one build, and of many: a build that breaks its scan costs itself only."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensics import results
from forensics.archive import open_archive, open_build
from forensics.contexts import ContextRules, Given
from forensics.layout import find_builds
from forensics.limits import Limits
from forensics.results import BuildResult, ScanResult
from forensics.runner import Caches, Scanned, scan_build
from forensics.scan import Request, scan
from forensics.scanner import Context
from tests.archives import APP, write_folder, write_zip

SCANNERS = "tests.odd_scanners:MISBEHAVING"


def one(
    files: dict[str, bytes], tmp_path: Path, caches: Caches | None = None, context: Context | None = None
) -> Scanned:
    """A build scanned in this process."""
    folder = write_folder(tmp_path / "app", {**APP, **files})
    with open_archive(str(folder), Limits()) as archive:
        opened = open_build(find_builds(archive)[0], Limits())
        return scan_build(opened, caches or Caches(None), SCANNERS, context or Context())


def request(address: Path, **changes: object) -> Request:
    values: dict[str, object] = {"archives": [str(address)], "scanners": SCANNERS, "jobs": 2}
    return Request(**(values | changes))  # type: ignore[arg-type]


def archive_of(tmp_path: Path, **builds: dict[str, bytes]) -> Path:
    for name, files in builds.items():
        write_folder(tmp_path / "archive" / name, {**APP, **files})
    return tmp_path / "archive"


def by_id(result: ScanResult) -> dict[str, BuildResult]:
    return {build.id: build for build in result.builds}


# ------------------------------------------------------------------ one build


def test_a_finding_has_its_lines_its_fingerprint_and_its_number(tmp_path: Path) -> None:
    source = "\n".join(["one", "two", "three alarm", "four", "five", "six", "an alarm"])
    scanned = one({"server.js": source.encode()}, tmp_path)
    first, second = scanned.build.findings
    assert scanned.snippets[first.place.snippet] == "one\ntwo\nthree alarm\nfour\nfive"
    assert (first.place.snippet_line, first.place.snippet_column) == (1, 1)
    assert scanned.snippets[second.place.snippet] == "five\nsix\nan alarm"
    assert second.place.snippet_line == 5
    assert first.fingerprint != second.fingerprint
    moved = one({"server.js": ("\n\n" + source).encode()}, tmp_path)
    assert [entry.fingerprint for entry in moved.build.findings] == [first.fingerprint, second.fingerprint]


def test_a_very_long_line_is_cut_around_the_finding(tmp_path: Path) -> None:
    source = "x" * 50_000 + "alarm" + "y" * 50_000
    scanned = one({"server.js": source.encode()}, tmp_path)
    place = scanned.build.findings[0].place
    text = scanned.snippets[place.snippet]
    assert len(text) == 2000
    begin = place.column - place.snippet_column
    assert text[begin : begin + 5] == "alarm"


def test_features_and_verdicts_are_gathered(tmp_path: Path) -> None:
    build = one({}, tmp_path).build
    assert [(verdict.scanner, verdict.status) for verdict in build.verdicts] == [("odd", "OK"), ("finder", "OK")]
    assert build.features == {"n_files": 2}  # a feature without a value is left out
    assert build.file_count == 2
    assert build.byte_count == sum(map(len, APP.values()))


def test_a_scanner_that_raises_costs_its_own_verdict(tmp_path: Path) -> None:
    build = one({"raise.js": b"", "server.js": b"alarm"}, tmp_path).build
    odd, finder = build.verdicts
    assert (odd.status, odd.reason) == ("UNKNOWN", "the scan of this build failed (ValueError)")
    assert finder.status == "BAD"
    (error,) = build.errors
    assert error.kind == "scanner-crash"
    assert error.message.startswith("the scanner odd failed: ValueError: a scanner’s own bug; in ")
    assert "misbehave (odd_scanners.py:" in error.message


def test_a_scanner_that_recurses_costs_its_own_verdict(tmp_path: Path) -> None:
    build = one({"recurse.js": b""}, tmp_path).build
    assert [verdict.status for verdict in build.verdicts] == ["UNKNOWN", "OK"]
    assert "RecursionError" in build.errors[0].message


# ------------------------------------------------------------ remembered results


def test_a_build_that_did_not_change_is_not_scanned_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Caches(str(tmp_path / "cache"))
    before = one({"server.js": b"alarm"}, tmp_path, first)
    first.flush()
    monkeypatch.setattr("forensics.runner._scanned", lambda *_: pytest.fail("scanned again"))
    assert one({"server.js": b"alarm"}, tmp_path, Caches(str(tmp_path / "cache"))) == before


@pytest.mark.parametrize(
    "change",
    [
        {"server.js": b"no more"},
        {"other.js": b""},
    ],
)
def test_a_changed_build_is_scanned_again(tmp_path: Path, change: dict[str, bytes]) -> None:
    caches = Caches(str(tmp_path / "cache"))
    before = one({"server.js": b"alarm"}, tmp_path, caches)
    assert one({"server.js": b"alarm", **change}, tmp_path, caches) != before


def test_another_context_is_another_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    caches = Caches(str(tmp_path / "cache"))
    one({}, tmp_path, caches)
    asked = []
    real = scan_build.__globals__["_scanned"]
    monkeypatch.setattr("forensics.runner._scanned", lambda *given: asked.append(1) or real(*given))
    one({}, tmp_path, caches)
    assert asked == []
    one({}, tmp_path, caches, Context(starter={"a.js": b"1"}))
    one({}, tmp_path, caches, Context(starter={"a.js": b"2"}))
    one({}, tmp_path, caches, Context(contract={"points": 8}))
    one({}, tmp_path, caches, Context(trust_build=True))
    assert len(asked) == 4


def test_labels_are_not_remembered_with_the_result(tmp_path: Path) -> None:
    address = archive_of(tmp_path, a={}, b={})
    cache = str(tmp_path / "cache")
    scan(request(address, cache=cache))
    result = scan(request(address, cache=cache, layout="{name}"))
    assert [(build.id, build.labels) for build in result.builds] == [("a", {"name": "a"}), ("b", {"name": "b"})]


def test_contexts_are_chosen_by_label() -> None:
    rules = ContextRules(
        given=[
            Given({"task": "log"}, starter={"a": b"1"}),
            Given({}, starter={"b": b"2"}),
            Given({"task": "chat"}, contract={"name": "c"}),
        ]
    )
    assert rules.for_labels({"task": "log"}) == Context(starter={"a": b"1"})
    assert rules.for_labels({"task": "chat"}) == Context(starter={"b": b"2"}, contract={"name": "c"})
    assert rules.for_labels({}) == Context(starter={"b": b"2"})


# ---------------------------------------------------------------- many builds


def test_a_build_that_ends_its_process_costs_itself_only(tmp_path: Path) -> None:
    address = archive_of(
        tmp_path,
        a={},
        b={"exit.js": b""},
        c={"segfault.js": b""},
        d={"killed.js": b""},
        e={"hang.js": b""},
        f={"raise.js": b""},
        g={"server.js": b"alarm"},
    )
    found = by_id(scan(request(address, limits=Limits(seconds=2))))
    assert list(found) == list("abcdefg")
    assert {name: [error.kind for error in build.errors] for name, build in found.items()} == {
        "a": [],
        "b": ["worker-died"],
        "c": ["worker-died"],
        "d": ["worker-died"],
        "e": ["time-limit"],
        "f": ["scanner-crash"],
        "g": [],
    }
    assert [verdict.status for verdict in found["g"].verdicts] == ["OK", "BAD"]
    assert [verdict.status for verdict in found["e"].verdicts] == ["UNKNOWN", "UNKNOWN"]
    assert "exit code 7" in found["b"].errors[0].message
    assert "(signal SIGSEGV), in string_at (" in found["c"].errors[0].message
    assert "misbehave (odd_scanners.py:" in found["c"].errors[0].message
    assert "longer than 2 s (limit seconds), in misbehave (odd_scanners.py:" in found["e"].errors[0].message
    assert f"see it again by scanning e of {address} alone" in found["e"].errors[0].message


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        ("exit.js", "worker-died"),
        ("segfault.js", "worker-died"),
        ("hang.js", "time-limit"),
        ("raise.js", "scanner-crash"),
    ],
)
def test_a_lone_build_is_held_apart_too(tmp_path: Path, bad: str, kind: str) -> None:
    result = scan(request(archive_of(tmp_path, a={bad: b""}), limits=Limits(seconds=1)))
    assert [error.kind for error in result.builds[0].errors] == [kind]


def test_a_worker_that_is_killed_once_costs_nothing(tmp_path: Path) -> None:
    """As by the kernel when memory is short: the build that it was at is scanned again by the next worker."""
    flag = tmp_path / "killed"
    address = archive_of(tmp_path, a={}, b={"killed-once.js": str(flag).encode(), "server.js": b"alarm"}, c={})
    found = by_id(scan(request(address)))
    assert flag.exists()
    assert [build.errors for build in found.values()] == [(), (), ()]
    assert [verdict.status for verdict in found["b"].verdicts] == ["OK", "BAD"]


def test_the_number_of_jobs_changes_nothing(tmp_path: Path) -> None:
    address = archive_of(tmp_path, a={"server.js": b"alarm note"}, b={"exit.js": b""}, c={}, d={"x.js": b"1"})
    assert scan(request(address, jobs=1)) == scan(request(address, jobs=3))


def test_a_folder_and_a_zip_of_it_give_the_same_builds(tmp_path: Path) -> None:
    address = archive_of(tmp_path, a={"server.js": b"alarm"}, b={})
    packed = write_zip(
        tmp_path / "archive.zip",
        [(str(path.relative_to(address)), path.read_bytes()) for path in sorted(address.rglob("*.*"))],
    )
    first, second = scan(request(address)), scan(request(packed))
    for one_build, other in zip(first.builds, second.builds, strict=True):
        assert (one_build.id, one_build.digest, one_build.findings) == (other.id, other.digest, other.findings)


def test_two_archives_that_name_a_build_alike_are_refused(tmp_path: Path) -> None:
    from forensics.records import InputError

    first, second = archive_of(tmp_path / "1", a={}), archive_of(tmp_path / "2", a={})
    with pytest.raises(InputError, match="a build is called 'a', and so is one of"):
        scan(Request(archives=[str(first), str(second)], scanners=SCANNERS))


# -------------------------------------------------------------------- on disk


def test_a_scan_on_disk_and_in_memory_are_the_same(tmp_path: Path) -> None:
    address = archive_of(tmp_path, a={"server.js": b"alarm"}, b={"raise.js": b""}, c={})
    in_memory = scan(request(address))
    on_disk = scan(request(address, out=str(tmp_path / "out"), keep=False))
    assert on_disk.builds == ()
    loaded = results.load(tmp_path / "out")
    assert loaded == in_memory
    assert results.verify(tmp_path / "out") == []


def test_a_resumed_scan_scans_only_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forensics.scan.SHARD_BUILDS", 2)
    address = archive_of(tmp_path, **{name: {"server.js": b"alarm"} for name in "abcdef"})
    whole, out = tmp_path / "whole", tmp_path / "out"
    scan(request(address, out=str(whole)))
    scan(request(address, out=str(out)))
    # As a kill leaves it: no seal, one shard half written, one not begun.
    (out / "SHA256SUMS").unlink()
    (out / "run.json").unlink()
    first, second, third = sorted((out / "shards").iterdir())
    second.unlink()
    third.unlink()
    (out / "builds" / f"{third.stem}.parquet").unlink()
    changed = first.stat().st_mtime_ns
    scanned = []
    from forensics.workers import Worker

    real = Worker.scan
    monkeypatch.setattr(Worker, "scan", lambda self, reference: scanned.append(reference.id) or real(self, reference))
    scan(request(address, out=str(out), resume=True))
    assert len(scanned) == 4
    assert first.stat().st_mtime_ns == changed
    assert contents(out) == contents(whole)


def contents(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_without_resume_everything_is_scanned_anew(tmp_path: Path) -> None:
    address = archive_of(tmp_path, a={}, b={})
    out = tmp_path / "out"
    scan(request(address, out=str(out)))
    write_folder(address / "a", {"server.js": b"alarm"})
    scan(request(address, out=str(out)))
    assert [len(build.findings) for build in results.load(out).builds] == [1, 0]


def test_a_baseline_marks_what_it_knows_and_removes_nothing(tmp_path: Path) -> None:
    address = archive_of(tmp_path, a={"server.js": b"alarm"}, b={"server.js": b"alarm"})
    known = scan(request(address)).builds[0].findings[0].fingerprint
    result = scan(request(address, baseline={"a": [known]}))
    assert [[finding.suppressed for finding in build.findings] for build in result.builds] == [["baseline"], [""]]
    write_folder(address / "a", {"server.js": b"alarm\nalarm\n"})  # a second one like it is not hidden
    result = scan(request(address, baseline={"a": [known]}))
    assert [finding.suppressed for finding in result.builds[0].findings] == ["baseline", ""]
