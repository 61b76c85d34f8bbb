from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from forensics.statistics.permutation import permutation_p, permuted_labels, pooled_categories, pooled_values


def test_labels_stay_in_their_stratum() -> None:
    labels, strata = np.array([0, 1, 2, 0, 1, 1, 2]), np.array([1, 0, 1, 0, 1, 0, 1])
    drawn = np.concatenate(list(permuted_labels(labels, strata, 50, np.random.default_rng(0))))
    assert drawn.shape == (50, 7)
    for stratum in (0, 1):
        inside = np.sort(drawn[:, strata == stratum], axis=1)
        assert (inside == np.sort(labels[strata == stratum])).all()


def test_every_arrangement_is_as_likely() -> None:
    labels, strata = np.array([0, 0, 1, 1]), np.zeros(4, dtype=int)
    drawn = np.concatenate(list(permuted_labels(labels, strata, 6000, np.random.default_rng(0))))
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 0.01


def test_with_one_stratum_the_statistic_is_pearson_s() -> None:
    rng = np.random.default_rng(0)
    codes, labels = rng.integers(3, size=60), rng.integers(4, size=60)
    one = np.zeros(60, dtype=int)
    counts = np.zeros((3, 4), dtype=int)
    np.add.at(counts, (codes, labels), 1)
    found = pooled_categories(codes, labels, one, one)
    assert found.statistic == pytest.approx(stats.chi2_contingency(counts, correction=False).statistic)
    assert found.expectation == pytest.approx(60 * 2 * 3 / 59)


def test_with_one_stratum_the_statistic_of_numbers_is_kruskal_wallis() -> None:
    rng = np.random.default_rng(0)
    values, labels = rng.integers(7, size=60).astype(float), rng.integers(4, size=60)
    one = np.zeros(60, dtype=int)
    found = pooled_values(values, labels, one, one)
    assert found.statistic == pytest.approx(stats.kruskal(*(values[labels == k] for k in range(4))).statistic)
    assert found.expectation == pytest.approx(3)


def test_the_expectation_is_the_mean_over_all_permutations() -> None:
    """Two strata of four builds, every one of the 24 × 24 arrangements."""
    codes, labels = np.array([0, 0, 1, 2, 1, 1, 0, 2]), np.array([0, 1, 1, 2, 0, 0, 1, 2])
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
    strata = np.repeat([0, 1], 4)
    every = np.array(
        [
            (*first, *second)
            for first in itertools.permutations(labels[:4])
            for second in itertools.permutations(labels[4:])
        ]
    )
    for found in (pooled_categories(codes, labels, strata, strata), pooled_values(values, labels, strata, strata)):
        assert found.permuted(every).mean() == pytest.approx(found.expectation)
        assert found.permuted(labels[None, :])[0] == pytest.approx(found.statistic)


def test_what_the_strata_alone_make_gives_no_deviation() -> None:
    strata = np.repeat([0, 1], 6)
    codes, labels = strata.copy(), np.array([0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1])
    found = pooled_categories(codes, labels, strata, strata)
    assert (found.statistic, found.expectation) == (0, 0)


def test_p_counts_ties_and_itself() -> None:
    assert permutation_p(2.0, np.array([1.0, 2.0, 2.0 - 1e-12, 3.0])) == 4 / 5
    assert permutation_p(9.0, np.arange(9.0)) == 0.1


def test_p_is_uniform_when_the_label_means_nothing() -> None:
    """Strata unlike in size, in their labels and in the feature; only the label within strata is random."""
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1, 2], [12, 30, 18])
    shift = np.array([0.2, 0.5, 0.8])[strata]
    p = []
    for _ in range(300):
        codes = (rng.random(60) < shift).astype(int)
        codes[:2] = [0, 1]
        labels = np.where(rng.random(60) < 0.3, strata, rng.integers(3, size=60))
        labels[:3] = [0, 1, 2]
        found = pooled_categories(codes, labels, strata, strata)
        drawn = np.concatenate([found.permuted(c) for c in permuted_labels(labels, strata, 199, rng)])
        p.append(permutation_p(found.statistic, drawn))
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.03)


def test_p_of_numbers_is_uniform_when_the_label_means_nothing() -> None:
    rng = np.random.default_rng(1)
    strata = np.repeat([0, 1, 2, 3], 12)
    p = []
    for _ in range(300):
        values = rng.normal(size=48) + 3 * strata
        labels = np.tile([0, 1, 2], 16)
        found = pooled_values(values, labels, strata, strata)
        drawn = np.concatenate([found.permuted(c) for c in permuted_labels(labels, strata, 199, rng)])
        p.append(permutation_p(found.statistic, drawn))
    assert stats.kstest(p, "uniform").pvalue > 0.01
