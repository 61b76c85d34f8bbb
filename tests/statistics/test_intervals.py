from __future__ import annotations

import numpy as np
import pytest

from forensics.statistics.intervals import wilson

# Newcombe, Statistics in Medicine 17, 1998, 857–872, table I, method 3 (score, not continuity-corrected).
NEWCOMBE = [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]


@pytest.mark.parametrize(("count", "total", "low", "high"), NEWCOMBE)
def test_wilson_gives_newcombes_published_intervals(count: int, total: int, low: float, high: float) -> None:
    found = wilson(count, total)
    assert (round(float(found[0]), 4), round(float(found[1]), 4)) == (low, high)


def test_ends_are_exact_where_none_or_all_are_counted() -> None:
    low, high = wilson([0, 7], [7, 7])
    assert low[0] == 0.0
    assert high[1] == 1.0
    assert high[0] == pytest.approx(1 - low[1])


def test_of_no_builds_nothing_is_known() -> None:
    low, high = wilson(0, 0)
    assert np.isnan(low)
    assert np.isnan(high)


def test_a_count_above_its_total_is_a_bug_of_the_caller() -> None:
    with pytest.raises(ValueError, match="between 0 and its total"):
        wilson(3, 2)


def test_coverage_of_nominal_95_percent() -> None:
    """Mean coverage over shares, computed exactly from the binomial distribution, not drawn."""
    from scipy import stats

    n = 30
    low, high = wilson(np.arange(n + 1), n)
    shares = np.linspace(0.05, 0.95, 91)
    covered = [stats.binom.pmf(np.arange(n + 1), n, p)[(low <= p) & (p <= high)].sum() for p in shares]
    assert 0.945 < np.mean(covered) < 0.965
    assert min(covered) > 0.88
