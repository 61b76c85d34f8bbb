"""The cluster engine, on real clusters of this machine: nothing is lost, doubled or half written, whatever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from forensics import results
from forensics.records import InputError
from forensics.results import ScanResult
from forensics.scan import Progress, Request, scan
from tests.archives import APP, tar_bytes, write_folder, write_zip

pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
pytestmark = pytest.mark.slow

SCANNERS = "tests.odd_scanners:MISBEHAVING"


def archive_of(tmp_path: Path, builds: dict[str, dict[str, bytes]]) -> Path:
    for name, files in builds.items():
        write_folder(tmp_path / "archive" / name, {**APP, **files})
    return tmp_path / "archive"


def on_cluster(request: Request, progress: Progress | None = None) -> ScanResult:
    from forensics.engines.dask import Cluster

    with Cluster(None, 2) as cluster:
        return scan(request, progress, cluster)


def tables(directory: Path) -> dict[str, set[str]]:
    """Every table's rows as text: how an archive is cut into shards is each engine's own."""
    return {name: set(frame.to_csv(index=False).splitlines()) for name, frame in results.tables(directory).items()}


def test_a_cluster_gives_what_this_machine_gives(tmp_path: Path) -> None:
    builds = {f"b{number:02}": {"server.js": b"alarm\n" * (number % 4), "n.js": b"%d" % number} for number in range(40)}
    builds["b07"]["exit.js"] = b""
    builds["b08"]["raise.js"] = b""
    address = archive_of(tmp_path, builds)
    known = {"b01": ["0" * 32]}
    request = Request(archives=[str(address)], scanners=SCANNERS, jobs=2, baseline=known)
    told: list[int] = []
    in_memory = on_cluster(request, Progress(done=told.append))
    assert in_memory == scan(request)
    assert sum(told) == 40
    on_cluster(msgspec.structs.replace(request, out=str(tmp_path / "dask")))
    scan(msgspec.structs.replace(request, out=str(tmp_path / "local")))
    assert results.verify(tmp_path / "dask") == []
    assert results.load(tmp_path / "dask") == results.load(tmp_path / "local") == in_memory
    assert tables(tmp_path / "dask") == tables(tmp_path / "local")


def test_a_worker_that_dies_costs_nothing(tmp_path: Path) -> None:
    flag = tmp_path / "died"
    builds: dict[str, dict[str, bytes]] = {f"b{number}": {"server.js": b"alarm"} for number in range(12)}
    builds["b5"]["ends-dask-worker.js"] = str(flag).encode()
    request = Request(
        archives=[str(archive_of(tmp_path, builds))], scanners=SCANNERS, out=str(tmp_path / "out"), keep=True
    )
    result = on_cluster(request)
    assert flag.exists()
    assert [build.id for build in result.builds] == sorted(builds)
    assert all(build.errors == () for build in result.builds)
    assert all(len(build.findings) == 1 for build in result.builds)
    assert results.verify(tmp_path / "out") == []


def test_a_build_that_ends_every_worker_costs_itself_only(tmp_path: Path) -> None:
    builds: dict[str, dict[str, bytes]] = {f"b{number:02}": {} for number in range(40)}
    builds["b05"]["ends-dask-worker.js"] = b""
    request = Request(archives=[str(archive_of(tmp_path, builds))], scanners=SCANNERS, out=str(tmp_path / "out"))
    result = on_cluster(request)
    assert [build.id for build in result.builds] == sorted(builds)
    assert {build.id: [error.kind for error in build.errors] for build in result.builds if build.errors} == {
        "b05": ["worker-died"]
    }
    assert "KilledWorker" in result.builds[5].errors[0].message


CLIENT = """
import sys
from forensics.engines.dask import Cluster
from forensics.scan import Request, scan

def main():
    archive, out, resume = sys.argv[1:]
    request = Request(archives=[archive], scanners="tests.odd_scanners:MISBEHAVING", out=out, resume=resume == "yes")
    with Cluster(None, 2) as cluster:
        scan(request, cluster=cluster)

if __name__ == "__main__":
    main()
"""


def test_a_client_that_was_killed_is_resumed(tmp_path: Path) -> None:
    builds = {f"b{number:02}": {"slow.js": b"", "server.js": b"alarm"} for number in range(64)}
    address = archive_of(tmp_path, builds)
    script = tmp_path / "client.py"
    script.write_text(CLIENT)
    out = tmp_path / "out"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

    def command(resume: str) -> list[str]:
        return [sys.executable, "-P", str(script), str(address), str(out), resume]

    client = subprocess.Popen(command("no"), env=environment, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 60
    while not list(out.glob("shards/*.json")) and time.monotonic() < deadline:
        assert client.poll() is None
        time.sleep(0.05)
    client.send_signal(signal.SIGKILL)
    client.wait()
    done = {path: path.stat().st_mtime_ns for path in out.glob("shards/*.json")}
    assert 0 < len(done) < 16, "killed too late to prove anything"
    assert not (out / "SHA256SUMS").exists()
    finished = subprocess.run(command("yes"), env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode == 0, finished.stderr
    assert {path: path.stat().st_mtime_ns for path in done} == done  # what was finished is not done again
    assert results.verify(out) == []
    local = tmp_path / "local"
    scan(Request(archives=[str(address)], scanners=SCANNERS, jobs=2, out=str(local)))
    assert results.load(out) == results.load(local)


def test_a_zip_and_a_tar_are_scanned_by_a_cluster_of_this_machine(tmp_path: Path) -> None:
    files = [(f"b{number}/{path}", data) for number in range(3) for path, data in APP.items()]
    packed = write_zip(tmp_path / "runs.zip", files)
    (tmp_path / "more.tar").write_bytes(tar_bytes([(f"t/{path}", data) for path, data in files]))
    result = on_cluster(Request(archives=[str(packed), str(tmp_path / "more.tar")], scanners=SCANNERS))
    assert [build.id for build in result.builds] == ["b0", "b1", "b2", "t/b0", "t/b1", "t/b2"]
    assert all(build.errors == () and build.file_count == 2 for build in result.builds)


def test_a_scheduler_that_does_not_answer_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    from forensics.engines import dask

    monkeypatch.setattr(dask, "_CONNECT_SECONDS", 1)
    with pytest.raises(InputError, match=r"--scheduler tcp://127\.0\.0\.1:1: does not answer"):
        dask.Cluster("tcp://127.0.0.1:1", 1)
