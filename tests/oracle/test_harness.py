"""The oracle itself: it ends what it starts, catches a wrong expectation and tells which packages are missing."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.expectations import Wanted, examples
from tests.oracle.conftest import observe_all
from tests.oracle.implied import disagreements
from tests.oracle.observing import scratch_copy
from tests.oracle.processes import alive, started
from tests.oracle.shelves import PackagesError, cache_folder, shelf_for

WORKING = "wiring/proxy-not-loaded/near-miss-root-in-config"


@pytest.mark.oracle
@pytest.mark.usefixtures("alone")
def test_an_example_with_its_expectation_flipped_fails() -> None:
    example = next(example for example in examples("wiring") if example.name == WORKING)
    observations = observe_all(example)
    flipped = replace(
        example,
        verdicts={"wiring": "PROXY_NOT_LOADED"},
        findings=(Wanted("wiring/proxy-not-loaded", "package.json"),),
        absent=(),
    )
    assert disagreements(example, observations) == []
    assert "wiring: expected PROXY_NOT_LOADED, observed OK" in disagreements(flipped, observations)


@pytest.mark.oracle
@pytest.mark.usefixtures("alone")
def test_ends_every_process_also_when_the_run_is_cut_short() -> None:
    example = next(example for example in examples("wiring") if example.name == WORKING)
    pids: list[int] = []
    with scratch_copy(example.folder) as (scratch, environment):
        try:
            with started(scratch, "npm run dev", environment) as running:
                pids = list(running.wait_until_settled())
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass
        time.sleep(0.2)
        assert len(pids) >= 4
        assert [pid for pid in pids if alive(pid)] == []
    assert not scratch.exists()


@pytest.mark.oracle
@pytest.mark.usefixtures("alone")
def test_ends_a_process_that_left_its_group(tmp_path: Path) -> None:
    scratch = tmp_path / "app"
    scratch.mkdir()
    (scratch / "package.json").write_text('{"name": "x"}')
    (scratch / "leave.js").write_text(
        "require('child_process').spawn(process.execPath, ['stay.js'], { detached: true, stdio: 'ignore' }).unref()"
    )
    (scratch / "stay.js").write_text("require('http').createServer().listen(0)")
    preload = Path(__file__).with_name("preload.cjs")
    environment = {"PATH": os.environ["PATH"], "NODE_OPTIONS": f"--require={preload}"}
    with started(scratch, "node leave.js", environment) as running:
        deadline = time.monotonic() + 20
        while not any(process.ports for process in running.processes().values()) and time.monotonic() < deadline:
            time.sleep(0.1)
        pids = [process.pid for process in running.processes().values() if process.ports]
    time.sleep(0.2)
    assert len(pids) == 1
    assert not alive(pids[0])


def test_a_range_names_the_shelf() -> None:
    assert shelf_for("vite", "^5.4.0") == "vite-5"
    assert shelf_for("vite", "latest") == "vite-8"
    assert shelf_for("express", "4.19.2") == "express-4"
    assert shelf_for("@electric-sql/pglite", "^0.2.12") == "pglite-0.2"
    assert shelf_for("concurrently", "^8.2.0") == "launching"
    with pytest.raises(PackagesError, match="no shelf holds left-pad"):
        shelf_for("left-pad", "^1.0.0")
    with pytest.raises(PackagesError, match="no shelf holds vite@"):
        shelf_for("vite", "^4.0.0")


def test_the_cache_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BUILD_FORENSICS_ORACLE_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
