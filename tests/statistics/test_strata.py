"""The estimators of one contrast against hand computation, scipy, and their own promised error rates."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from forensics.statistics.strata import (
    Stratum,
    bootstrap_interval,
    coefficients,
    effect,
    exact_mean,
    interval_positions,
    permutation_test,
    sign_test,
    welch_interval,
)


def stratum(a: list[float], b: list[float], sign: int = 1, key: str = "s") -> Stratum:
    return Stratum(key=(key,), a=tuple(a), b=tuple(b), sign=sign)


finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(st.lists(finite, min_size=1, max_size=12))
@settings(deadline=None, max_examples=500)
def test_the_exact_mean_is_the_standard_librarys_mean_bit_for_bit(values: list[float]) -> None:
    assert exact_mean(values) == statistics.mean(values)


def test_the_exact_mean_of_values_that_floats_sum_wrongly() -> None:
    assert exact_mean([0.1] * 10) == 0.1
    assert sum([0.1] * 10) / 10 != 0.1


def test_an_effect_weighs_strata_by_their_runs() -> None:
    # (4 × 10 + 6 × −2) / 10
    strata = [stratum([10, 20], [0, 10]), stratum([1, 1, 1], [3, 3, 3])]
    assert effect(strata) == pytest.approx(2.8)


def test_a_difference_in_differences_subtracts_the_baselines_effect() -> None:
    strata = [stratum([10, 20], [0, 10]), stratum([1, 1, 1], [3, 3, 3], sign=-1)]
    assert effect(strata) == 12
    assert [float(c) for c in coefficients(strata)] == [1, -1]


def test_one_stratum_gives_every_re_dealing_the_same_weight() -> None:
    # Of the C(4, 2) = 6 ways to deal 1, 2, 3, 4 only {3, 4} reaches the difference of 2, and {1, 2} its opposite.
    test = permutation_test([stratum([3, 4], [1, 2])], 100, np.random.default_rng(0))
    assert test.draws == 0
    assert (test.p_greater, test.p_less, test.p_two_sided) == (pytest.approx(1 / 6), 1.0, pytest.approx(2 / 6))


def test_exact_p_values_equal_scipys_permutation_test() -> None:
    a, b = [81.2, 93.3, 77.0, 64.1, 90.0], [60.5, 71.3, 77.0, 58.8]
    ours = permutation_test([stratum(a, b)], 100, np.random.default_rng(0))
    for alternative in ("greater", "less", "two-sided"):
        theirs = stats.permutation_test(
            (a, b),
            lambda x, y: np.mean(x) - np.mean(y),
            alternative=alternative,
            n_resamples=np.inf,
        )
        # scipy's two-sided p doubles the smaller tail; ours counts differences as large in size.
        if alternative != "two-sided":
            assert ours.p(alternative) == pytest.approx(theirs.pvalue)


def test_yes_or_no_outcomes_give_fishers_exact_test() -> None:
    a, b = [1] * 9 + [0] * 3, [1] * 4 + [0] * 8
    ours = permutation_test([stratum(a, b)], 100, np.random.default_rng(0))
    theirs = stats.fisher_exact([[9, 3], [4, 8]], alternative="greater")
    assert ours.p_greater == pytest.approx(theirs.pvalue)


def test_large_yes_or_no_strata_stay_exact() -> None:
    a, b = [1] * 40 + [0] * 10, [1] * 30 + [0] * 20
    ours = permutation_test([stratum(a, b)], 100, np.random.default_rng(0))
    assert ours.draws == 0
    assert ours.p_greater == pytest.approx(stats.fisher_exact([[40, 10], [30, 20]], alternative="greater").pvalue)


def test_strata_are_convolved_not_pooled() -> None:
    # Two strata of 1 + 1 runs: differences ±1 and ±3 with equal weight, so ±2 and ±1 with chance 1/4 each.
    strata = [stratum([1], [0]), stratum([3], [0])]
    test = permutation_test(strata, 100, np.random.default_rng(0))
    assert (test.p_greater, test.p_two_sided) == (0.25, 0.5)


def test_ties_on_paper_are_ties_though_their_floats_differ() -> None:
    # 0.1 + 0.2 and 0.3 + 0.0 are equal on paper; as floats 0.1 + 0.2 is greater.
    strata = [stratum([0.3, 0.0], [0.1, 0.2])]
    test = permutation_test(strata, 100, np.random.default_rng(0))
    # The re-dealings' sums of arm A: 0.3 (twice), 0.1, 0.2, 0.4, 0.5; observed 0.3, difference 0.
    assert test.p_two_sided == 1.0
    assert test.p_greater == pytest.approx(4 / 6)


def test_sampled_p_values_are_near_the_exact_ones_and_never_zero() -> None:
    generator = np.random.default_rng(3)
    strata = [stratum(list(generator.normal(0.4, 1, 5).round(1)), list(generator.normal(0, 1, 5).round(1)))]
    exact = permutation_test(strata, 1, np.random.default_rng(0))
    sampled = permutation_test(strata, 20_000, np.random.default_rng(0), exact=False)
    assert sampled.draws == 20_000
    assert sampled.p_greater == pytest.approx(exact.p_greater, abs=0.01)
    assert sampled.p_two_sided == pytest.approx(exact.p_two_sided, abs=0.01)
    certain = permutation_test([stratum([9.0] * 9, [1.0] * 9)], 99, np.random.default_rng(0), exact=False)
    assert certain.p_greater == 0.01


def test_values_with_too_many_decimals_for_whole_numbers_are_still_tested() -> None:
    generator = np.random.default_rng(5)
    strata = [stratum(list(generator.normal(2, 1, 8)), list(generator.normal(0, 1, 8)))]
    test = permutation_test(strata, 2_000, np.random.default_rng(0))
    assert test.draws == 2_000
    assert test.p_greater < 0.02
    assert test.method == "sampled, 2,000 draws"


def test_p_values_are_uniform_where_nothing_differs() -> None:
    """Under the null P(p ≤ x) must not exceed x: 1,000 data sets of 4 strata, 4 runs an arm, continuous outcomes."""
    generator = np.random.default_rng(20)
    p_values = []
    for _ in range(1_000):
        strata = []
        for place in range(4):
            runs = generator.normal(10 * place, 1 + place, 8)
            strata.append(stratum(list(runs[:4]), list(runs[4:])))
        p_values.append(permutation_test(strata, 199, generator, exact=False).p_two_sided)
    for level in (0.05, 0.1, 0.25, 0.5):
        share = float(np.mean(np.array(p_values) <= level))
        assert share == pytest.approx(level, abs=3.3 * math.sqrt(level * (1 - level) / 1_000))


def test_p_values_of_discrete_outcomes_don_t_exceed_their_level() -> None:
    generator = np.random.default_rng(21)
    p_values = []
    for _ in range(1_000):
        runs = generator.random((6, 8)) < 0.85
        strata = [stratum([float(v) for v in row[:4]], [float(v) for v in row[4:]]) for row in runs]
        p_values.append(permutation_test(strata, 1, generator).p_two_sided)
    for level in (0.05, 0.1, 0.25):
        assert float(np.mean(np.array(p_values) <= level)) <= level + 3 * math.sqrt(level * (1 - level) / 1_000)


def coverage(runs: int, data_sets: int) -> tuple[float, float]:
    """How often the bootstrap's and Welch's nominal 95 % intervals hold the true effect of 1, three strata."""
    generator = np.random.default_rng(22)
    hits = [0, 0]
    for _ in range(data_sets):
        strata = [
            stratum(list(generator.normal(place + 1, 1, runs)), list(generator.normal(place, 1, runs)))
            for place in range(3)
        ]
        for place, interval in enumerate((bootstrap_interval(strata, 400, generator), welch_interval(strata))):
            hits[place] += interval.low <= 1 <= interval.high
    return hits[0] / data_sets, hits[1] / data_sets


def test_the_bootstrap_covers_with_many_runs_an_arm() -> None:
    bootstrap, welch = coverage(runs=30, data_sets=800)
    assert bootstrap == pytest.approx(0.95, abs=0.025)
    assert welch == pytest.approx(0.95, abs=0.025)


def test_the_bootstrap_falls_short_with_four_runs_an_arm_and_welch_does_not() -> None:
    # Its variance is short by the factor 3/4: ±1.96 × √0.75 covers Φ(1.70) − Φ(−1.70) = 0.91 at most.
    bootstrap, welch = coverage(runs=4, data_sets=800)
    assert 0.85 < bootstrap < 0.93
    assert welch == pytest.approx(0.95, abs=0.025)


def test_welchs_interval_of_one_stratum_is_the_textbooks() -> None:
    a, b = [5.1, 6.3, 7.7, 4.9], [3.2, 4.4, 2.9, 3.8, 4.0]
    interval = welch_interval([stratum(a, b)])
    expected = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


def test_an_arm_of_one_run_has_no_welch_interval_but_a_reason() -> None:
    interval = welch_interval([stratum([1.0], [2.0, 3.0], key="grok")])
    assert math.isnan(interval.low)
    assert interval.reason == "one run only in an arm of grok: no variance within it"


def test_a_bootstrap_that_can_t_vary_says_so() -> None:
    interval = bootstrap_interval([stratum([2.0, 2.0], [1.0, 1.0])], 50, np.random.default_rng(0))
    assert (interval.low, interval.high) == (1.0, 1.0)
    assert "resampling can't vary the effect" in interval.reason


def test_the_interval_ends_at_the_studys_positions() -> None:
    assert interval_positions(5_000) == (125, 4_875)
    assert interval_positions(10) == (0, 9)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        # Binomial tails by hand: 2 × (1/2)^5, 2 × (1 + 6 + 15)/64, 2 × (1/2)^6; nothing left: 1.
        ([1.0, 11.4, 0.0, 36.7, 13.8, 10.6], 0.0625),
        ([-0.5, 10.2, 0.5, -10.1, 1.9, 39.2], 0.6875),
        ([0.8, 0.7, 0.9, 1.2, 0.4, 0.8], 0.03125),
        ([0.0, 0.0], 1.0),
    ],
)
def test_the_sign_test_is_the_exact_binomial(differences: list[float], p: float) -> None:
    assert sign_test(differences) == pytest.approx(p)
