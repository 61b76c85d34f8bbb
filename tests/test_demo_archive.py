"""The demo archive under examples/: that it shows what it is there to show, and that a scan of it says so."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from forensics.records import Status
from scanners.datadir import DatadirStatus
from scanners.wiring import WiringStatus
from tests.expectations import DEMO, Example, demo_builds
from tests.scanning import scan_tree


@pytest.mark.parametrize("build", demo_builds(), ids=lambda build: build.name)
def test_scan_gives_the_expected_verdicts(build: Example) -> None:
    statuses = {row.scanner: row.status for row in scan_tree(build.folder).verdicts}
    assert {scanner: statuses[scanner] for scanner in build.verdicts} == build.verdicts


@pytest.mark.parametrize(("scanner", "statuses"), [("wiring", WiringStatus), ("datadir", DatadirStatus)])
def test_every_status_occurs(scanner: str, statuses: type[Status]) -> None:
    assert {build.verdicts[scanner] for build in demo_builds()} == {status.value for status in statuses}


def test_layout_gives_ids_and_labels() -> None:
    from forensics.archive import open_archive
    from forensics.layout import find_builds
    from forensics.limits import Limits

    builds = find_builds(open_archive(str(DEMO), Limits()), "study")
    assert sorted(build.id for build in builds) == sorted(build.name for build in demo_builds())
    assert Counter(build.labels["model"] for build in builds) == {"aster-2": 12, "birch-1": 12}
    assert {build.labels["condition"] for build in builds} == {"boot_check", "static"}
    assert len({build.labels["task"] for build in builds}) == 3
    assert all(int(build.labels["total_tokens"]) > 0 for build in builds)


def test_no_two_builds_share_their_configuration() -> None:
    digests = [hashlib.sha256(path.read_bytes()).digest() for path in DEMO.rglob("vite.config.*")]
    assert len(digests) == len(set(digests)) >= 20
