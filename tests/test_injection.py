"""Mechanical defects put into example trees that scan clean are found, and the clean trees stay clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.defects import KINDS
from benchmarks.injection import Outcome, builds_of, outcomes, table
from forensics.cache import PackStore
from forensics.syntax.index import Lowered

ROOT = Path(__file__).parent.parent
CLEAN = (
    "examples/runs/spring/live-poll/boot_check/runs/1/app",
    "scanners/examples/wiring/missing-cors/near-miss-own-middleware",
    "scanners/examples/wiring/port-mismatch/near-miss-workspaces",
    "scanners/examples/datadir/missing-parent/near-miss-mkdir-dirname",
)


def injected(folder: str) -> list[Outcome] | None:
    name, build = next(iter(builds_of([ROOT / folder])))
    return outcomes(name, build, Lowered(PackStore(None)))


@pytest.fixture(scope="module")
def found() -> list[Outcome]:
    every = [injected(folder) for folder in CLEAN if (ROOT / folder).is_dir()]
    return [outcome for of_build in every for outcome in of_build or ()]


def test_every_defect_is_found(found: list[Outcome]) -> None:
    assert [f"{outcome.kind}: {outcome.reported}" for outcome in found if not outcome.found] == []


def test_a_proxied_build_takes_the_kinds_that_cut_its_proxy() -> None:
    of_build = injected("examples/runs/spring/live-poll/boot_check/runs/1/app")
    assert of_build is not None
    assert {outcome.kind for outcome in of_build} >= {
        "target's port changed",
        "proxy deleted",
        "config moved out of the root",
        "key made a glob",
        "key widened to the root",
        "mkdir deleted",
    }


def test_a_build_with_a_defect_of_its_own_takes_none() -> None:
    assert injected("scanners/examples/wiring/missing-cors/failing-no-header") is None


def test_the_table_has_a_line_for_each_kind() -> None:
    rows = table([Outcome("a", "proxy deleted", True, ()), Outcome("b", "proxy deleted", False, ())])
    assert ("proxy deleted", 2, 1) in rows
    assert len(rows) == len(KINDS)
