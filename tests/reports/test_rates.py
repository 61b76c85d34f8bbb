"""Intervals against published values and scipy; groupings."""

from __future__ import annotations

import msgspec
import pytest
from scipy.stats import binomtest

from forensics.results import ScanResult
from reports.rates import Rate, Sightings, difference, groupings, has_error, rates_by_label, wilson


def test_wilson_as_newcombe_publishes_it() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3: 81/263, 15/148, 0/20, 1/29.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)


@pytest.mark.parametrize(("count", "total"), [(0, 1), (3, 7), (186, 186), (17, 1116)])
def test_wilson_as_scipy_gives_it(count: int, total: int) -> None:
    interval = binomtest(count, total).proportion_ci(method="wilson")
    assert wilson(count, total) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_no_builds_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert Rate(0, 0).share == 0.0


def test_difference_as_newcombe_publishes_it() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), 873-890, table II, method 10.
    assert difference(Rate(56, 70), Rate(48, 80)) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert difference(Rate(9, 10), Rate(3, 10)) == pytest.approx((0.1705, 0.8090), abs=5e-5)
    assert difference(Rate(10, 10), Rate(0, 20)) == pytest.approx((0.6791, 1.0), abs=5e-5)


def test_labels_that_group_and_labels_that_do_not(result: ScanResult) -> None:
    assert list(groupings(result).items()) == [
        ("model", ("claude-4.8-opus", "gpt-5.5")),
        ("condition", ("boot_check", "static")),
        ("task", ("calendar-week-view", "kanban-board")),
    ]
    numbered = tuple(  # no label at all that groups: the run is which repetition a build is, the task is one
        msgspec.structs.replace(build, labels={"run": str(number), "task": "one"})
        for number, build in enumerate(result.builds)
    )
    assert groupings(msgspec.structs.replace(result, builds=numbered)) == {}


def test_several_archives_are_a_grouping(result: ScanResult) -> None:
    first, *rest = result.builds
    run = msgspec.structs.replace(result.run, archives=("a.zip", "studies.tar.gz"))
    changed = msgspec.structs.replace(result, run=run, builds=(msgspec.structs.replace(first, archive="a.zip"), *rest))
    assert groupings(changed)["archive"] == ("a.zip", "studies.tar.gz")


def test_rates_by_label_count_builds(result: ScanResult) -> None:
    by_label = {row.label: dict(row.values) for row in rates_by_label(result, has_error)}
    assert by_label["model"] == {"claude-4.8-opus": Rate(1, 2), "gpt-5.5": Rate(0, 1)}


def test_an_unknown_verdict_is_no_absence(result: ScanResult) -> None:
    judged = Sightings(result).judged("datadir/missing-parent")
    assert [judged(build) for build in result.builds] == [True, False, True]
