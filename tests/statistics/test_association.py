from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from forensics.statistics import association as a


def table(cells: object) -> pd.DataFrame:
    return pd.DataFrame(np.array(cells))


def test_contingency_leaves_out_missing_values_and_empty_levels() -> None:
    frame = pd.DataFrame({"f": ["x", "y", None, "x"], "l": ["b", "a", "c", None]})
    counts = a.contingency(frame, "f", "l")
    assert list(counts.index) == ["x", "y"]
    assert list(counts.columns) == ["a", "b"]
    assert counts.to_numpy().tolist() == [[0, 1], [1, 0]]


def test_v_gives_the_digits_of_another_implementation() -> None:
    """ClickHouse's documentation of cramersV and cramersVBiasCorrected: (number % 10, number % 4) of 150 rows."""
    i = np.arange(150)
    counts = a.contingency(pd.DataFrame({"f": i % 10, "l": i % 4}), "f", "l")
    assert a.cramers_v(counts) == pytest.approx(0.5798088336225178, abs=1e-15)
    assert a.corrected_v(counts) == pytest.approx(0.5305112825189074, abs=1e-14)


@pytest.mark.parametrize("size", [2, 5])
def test_a_perfect_table_has_v_one(size: int) -> None:
    counts = table(np.diag([7] * size))
    assert a.cramers_v(counts) == pytest.approx(1)
    assert a.corrected_v(counts) == pytest.approx(1)
    assert a.v_interval(counts)[1] == 1


def test_an_even_table_has_v_zero_and_an_interval_that_shrinks_to_it() -> None:
    counts = table([[5, 5], [5, 5]])
    assert (a.cramers_v(counts), a.corrected_v(counts), a.v_interval(counts)) == (0, 0, (0, 0))


def test_v_by_hand() -> None:
    """χ² of [[10, 20], [30, 40]]: 100 (10·40 − 20·30)² / (30·70·40·60) = 0.79365."""
    counts = table([[10, 20], [30, 40]])
    assert a.chi_squared(counts) == pytest.approx(0.7936507936)
    assert a.cramers_v(counts) == pytest.approx(math.sqrt(0.007936507936))
    assert a.corrected_v(counts) == 0  # 0.0079 − 1/99 < 0


def test_yates_s_correction_is_off() -> None:
    counts = table([[12, 5], [3, 9]])
    assert a.chi_squared(counts) > stats.chi2_contingency(counts.to_numpy()).statistic


@pytest.mark.parametrize("cells", [[[3, 4, 5]], [[3], [4]]])
def test_a_single_row_or_column_is_undefined_without_a_warning(cells: list[list[int]]) -> None:
    counts = table(cells)
    assert math.isnan(a.cramers_v(counts))
    assert math.isnan(a.corrected_v(counts))
    assert all(map(math.isnan, a.v_interval(counts)))


def test_interval_inverts_the_noncentral_chi_squared() -> None:
    low, high = a.noncentrality_interval(30.0, 15)
    assert stats.ncx2.sf(30.0, 15, low) == pytest.approx(0.025)
    assert stats.ncx2.cdf(30.0, 15, high) == pytest.approx(0.025)


def test_interval_of_one_degree_of_freedom_by_the_normal_distribution() -> None:
    """With df = 1 the statistic is (Z + δ)², so that its distribution is Φ(√x − δ) − Φ(−√x − δ)."""
    low, high = a.noncentrality_interval(9.0, 1)

    def below(noncentrality: float) -> float:
        delta = math.sqrt(noncentrality)
        return float(stats.norm.cdf(3 - delta) - stats.norm.cdf(-3 - delta))

    assert below(low) == pytest.approx(0.975, abs=1e-9)
    assert below(high) == pytest.approx(0.025, abs=1e-9)


def population(rows: int, columns: int, strength: float) -> tuple[np.ndarray, float]:
    """Cell probabilities with a heavier diagonal, and their V."""
    cells = np.full((rows, columns), 1 / (rows * columns))
    for row in range(rows):
        cells[row, row % columns] += strength
    cells /= cells.sum()
    even = np.outer(cells.sum(1), cells.sum(0))
    return cells, float(np.sqrt(((cells - even) ** 2 / even).sum() / (min(rows, columns) - 1)))


@pytest.mark.parametrize(
    ("rows", "columns", "strength", "n"), [(5, 3, 0.06, 60), (5, 3, 0.06, 400), (2, 6, 0.1, 150), (4, 6, 0.3, 150)]
)
def test_coverage_of_the_interval_of_v(rows: int, columns: int, strength: float, n: int) -> None:
    cells, true = population(rows, columns, strength)
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        counts = rng.multinomial(n, cells.ravel()).reshape(rows, columns)
        low, high = a.v_interval(table(counts[counts.sum(1) > 0][:, counts.sum(0) > 0]))
        covered += low <= true <= high
    assert 0.91 <= covered / 400 <= 0.985


def test_noise_looks_like_an_association_in_v_but_not_in_its_correction() -> None:
    """40 builds, 8 models, a feature of two values, independent: published means 0.409 and 0.112."""
    rng = np.random.default_rng(0)
    draws = np.zeros((2000, 2, 8))
    for place, (models, choices) in enumerate(
        zip(rng.integers(8, size=(2000, 40)), rng.integers(2, size=(2000, 40)), strict=True)
    ):
        np.add.at(draws[place], (choices, models), 1)
    v, corrected = a.v_of_counts(draws)
    assert np.nanmean(v) == pytest.approx(0.409, abs=0.015)
    assert np.nanmean(corrected) == pytest.approx(0.112, abs=0.015)


def test_many_tables_at_once_equal_one_at_a_time() -> None:
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 6, size=(30, 4, 3))
    counts[0, :, 1] = 0
    counts[1, 2:] = 0
    v, corrected = a.v_of_counts(counts)
    for cells, one, other in zip(counts, v, corrected, strict=True):
        single = table(cells[cells.sum(1) > 0][:, cells.sum(0) > 0])
        assert one == pytest.approx(a.cramers_v(single), abs=1e-12, nan_ok=True)
        assert other == pytest.approx(a.corrected_v(single), abs=1e-12, nan_ok=True)


def test_kruskal_wallis_gives_the_textbook_value() -> None:
    """Hollander & Wolfe 1973, 115–120 (mucociliary efficiency; R's ?kruskal.test): H = 0.77143, df = 2."""
    values = np.array([2.9, 3.0, 2.5, 2.6, 3.2, 3.8, 2.7, 4.0, 2.4, 2.8, 3.4, 3.7, 2.2, 2.0])
    groups = np.repeat([0, 1, 2], [5, 4, 5])
    h, df = a.kruskal_wallis(values, groups)
    assert (round(h, 5), df) == (0.77143, 2)
    assert a.epsilon_squared(h, 14) == pytest.approx(0.77143 / 13, abs=1e-6)
    assert a.corrected_epsilon_squared(h, df, 14) == 0


def test_epsilon_squared_of_a_feature_of_two_values_is_v_squared() -> None:
    rng = np.random.default_rng(0)
    values, groups = rng.integers(2, size=200).astype(float), rng.integers(5, size=200)
    h, _ = a.kruskal_wallis(values, groups)
    v = a.cramers_v(a.contingency(pd.DataFrame({"f": values, "l": groups}), "f", "l"))
    assert a.epsilon_squared(h, 200) == pytest.approx(v**2)


def test_epsilon_of_many_samples_equals_kruskal_wallis() -> None:
    rng = np.random.default_rng(0)
    values, groups = rng.integers(9, size=120).astype(float), rng.integers(4, size=120)
    counts = np.zeros((9, 4), dtype=int)
    np.add.at(counts, (values.astype(int), groups), 1)
    h, df = a.kruskal_wallis(values, groups)
    epsilon, corrected = a.epsilon_of_counts(counts)
    assert float(epsilon) == pytest.approx(a.epsilon_squared(h, 120))
    assert float(corrected) == pytest.approx(a.corrected_epsilon_squared(h, df, 120))


def test_a_constant_has_no_kruskal_wallis_and_no_warning() -> None:
    assert math.isnan(a.kruskal_wallis(np.ones(6), np.repeat([0, 1], 3))[0])
    assert np.isnan(a.epsilon_of_counts(np.array([[3, 3]]))).all()


@pytest.mark.parametrize(("shift", "lowest"), [(0.0, 0.92), (0.3, 0.92), (0.6, 0.95)])
def test_the_interval_of_epsilon_squared_covers_or_is_too_wide(shift: float, lowest: float) -> None:
    rng = np.random.default_rng(1)
    means = np.array([0, 0, 1, 2])[:, None] * shift
    many = np.repeat(np.arange(4), 20_000)
    true = a.epsilon_squared(a.kruskal_wallis((rng.normal(size=(4, 20_000)) + means).ravel(), many)[0], 80_000)
    groups = np.repeat(np.arange(4), 25)
    covered = 0
    for _ in range(300):
        h, df = a.kruskal_wallis((rng.normal(size=(4, 25)) + means).ravel(), groups)
        low, high = a.epsilon_interval(h, df, 100)
        covered += low <= true <= high
    assert covered / 300 >= lowest


def test_sparseness_by_hand() -> None:
    """Expected counts of [[8, 2], [2, 0]]: 8.33, 1.67, 1.67, 0.33."""
    assert a.sparseness(table([[8, 2], [2, 0]])) == (pytest.approx(1 / 3), 0.75)


def test_adjusted_residuals_by_hand() -> None:
    """[[10, 20], [30, 40]]: expected 12, and −2 / √(12 · 0.7 · 0.6) = −0.8909, whose square is χ² (2 × 2)."""
    frame = pd.DataFrame({"f": ["x"] * 30 + ["y"] * 70, "l": ["a"] * 10 + ["b"] * 20 + ["a"] * 30 + ["b"] * 40})
    found = a.cells(frame, "f", "l")
    assert found["count"].tolist() == [10, 20, 30, 40]
    assert found["expected"].tolist() == [12, 18, 28, 42]
    assert found["residual"].tolist() == pytest.approx([-0.8909, 0.8909, 0.8909, -0.8909], abs=1e-4)
    assert a.cells(frame.assign(f="x"), "f", "l").empty


def test_cohens_w_puts_tables_of_unlike_size_on_one_scale() -> None:
    assert a.cohens_w(0.3, 2, 6) == pytest.approx(0.3)
    assert a.cohens_w(0.3, 5, 6) == pytest.approx(0.6)
