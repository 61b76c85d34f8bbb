"""How strongly a feature goes with a label: Cramér's V with its correction and interval, ε² for numbers.

A *table* is a data frame of counts, feature categories down, label levels across, without empty rows or columns, as
`contingency` gives. Nothing here knows of tasks; `stratified` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import optimize, stats
from scipy.stats.contingency import association as scipy_association
from scipy.stats.contingency import expected_freq

FloatArray = npt.NDArray[np.float64]

UNDEFINED = (float("nan"), float("nan"))


def contingency(frame: pd.DataFrame, feature: str, label: str) -> pd.DataFrame:
    """Counts of builds, feature categories × label levels, both sorted; builds without either are left out."""
    known = frame[frame[feature].notna() & frame[label].notna()]
    rows, categories = pd.factorize(known[feature].astype(str), sort=True)
    columns, levels = pd.factorize(known[label].astype(str), sort=True)
    shape = (len(categories), len(levels))
    counts = np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)
    return pd.DataFrame(counts, index=pd.Index(categories, name=feature), columns=pd.Index(levels, name=label))


def cells(frame: pd.DataFrame, feature: str, label: str) -> pd.DataFrame:
    """The contingency table cell by cell, in its order: who is high, who is low. Empty where it is degenerate.

    Columns: `feature`, `label`, `category`, `level`, `count`, `expected` (under independence), `residual` (adjusted
    standardised: (count − expected) / √(expected (1 − row share) (1 − column share)), about normal when independent;
    Haberman, Biometrics 29, 1973, 205–220).
    """
    table = contingency(frame, feature, label)
    names = ["feature", "label", "category", "level", "count", "expected", "residual"]
    if is_degenerate(table):
        return pd.DataFrame(columns=names)
    counts = table.to_numpy()
    expected = expected_freq(counts)
    rows, columns = counts.sum(1, keepdims=True) / counts.sum(), counts.sum(0, keepdims=True) / counts.sum()
    residual = (counts - expected) / np.sqrt(expected * (1 - rows) * (1 - columns))
    categories, levels = np.meshgrid(table.index, table.columns, indexing="ij")
    return pd.DataFrame(
        {
            "feature": feature,
            "label": label,
            "category": categories.ravel(),
            "level": levels.ravel(),
            "count": counts.ravel(),
            "expected": expected.ravel(),
            "residual": residual.ravel(),
        }
    )


def is_degenerate(table: pd.DataFrame) -> bool:
    """Whether the table has a single row or column (or none), so that no association can be seen in it."""
    return min(table.shape) < 2


def chi_squared(table: pd.DataFrame) -> float:
    """Pearson's χ², without Yates's correction (which would make a 2 × 2 table's V differ from the others')."""
    counts = table.to_numpy()
    expected = expected_freq(counts)
    return float(((counts - expected) ** 2 / expected).sum())


def cramers_v(table: pd.DataFrame) -> float:
    """Cramér's V = √(χ² / (n (k − 1))), k the smaller dimension; NaN for a degenerate table."""
    if is_degenerate(table):
        return float("nan")
    return float(scipy_association(table.to_numpy().astype(np.int64), method="cramer"))


def corrected_v(table: pd.DataFrame) -> float:
    """Bias-corrected V (Bergsma, J. Korean Stat. Soc. 42, 2013, 323–328); NaN for a degenerate table.

    V of independent data is well above 0 in small tables (mean 0.41 for 8 × 2 at n = 40); this has mean near 0 there.
    """
    if is_degenerate(table):
        return float("nan")
    n = int(table.to_numpy().sum())
    if n < 2:
        return float("nan")
    rows, columns = table.shape
    phi2 = chi_squared(table) / n - (rows - 1) * (columns - 1) / (n - 1)
    room = corrected_room(rows, columns, n)
    return float(min(1.0, np.sqrt(max(0.0, phi2) / room))) if room > 0 else float("nan")


def corrected_room(rows: int, columns: int, n: int) -> float:
    """Bergsma's min(r̃ − 1, c̃ − 1), with r̃ = r − (r − 1)² / (n − 1)."""
    return min(size - 1 - (size - 1) ** 2 / (n - 1) for size in (rows, columns))


def cohens_w(v: float, rows: int, columns: int) -> float:
    """Cohen's w = V √(k − 1): one scale for tables of unlike size (Cohen 1988, ch. 7: 0.1, 0.3, 0.5)."""
    return float(v * np.sqrt(min(rows, columns) - 1))


def noncentrality_interval(statistic: float, df: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of λ of a noncentral χ² with `df` degrees of freedom, by inversion at the observed value.

    Low is the λ at which a value so large has probability (1 − confidence) / 2, high that at which one so small has.
    """
    tail = (1 - confidence) / 2
    if statistic <= 0:
        return 0.0, 0.0

    def end(excess: float, distance: float) -> float:
        """The λ where the lower tail at the statistic falls to `excess`."""
        if stats.chi2.cdf(statistic, df) <= excess:
            return 0.0
        upper = statistic + distance
        while stats.ncx2.cdf(statistic, df, upper) > excess:
            upper *= 2
        return float(optimize.brentq(lambda nc: stats.ncx2.cdf(statistic, df, nc) - excess, 1e-12, upper))

    return end(1 - tail, 10.0), end(tail, 40.0)


def v_interval(table: pd.DataFrame, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of the population's V by inversion of the noncentral χ², λ = n (k − 1) V², for independent builds.

    Coverage of a nominal 95 %: 94 % at n = 60, 150 and 400 (5 × 3, V = 0.23), where a percentile bootstrap of V gives
    21, 70 and 80 %. Ends above 1 are cut to 1. NaN for a degenerate table.
    """
    if is_degenerate(table):
        return UNDEFINED
    rows, columns = table.shape
    scale = table.to_numpy().sum() * (min(rows, columns) - 1)
    low, high = noncentrality_interval(chi_squared(table), (rows - 1) * (columns - 1), confidence)
    return float(min(1.0, np.sqrt(low / scale))), float(min(1.0, np.sqrt(high / scale)))


def sparseness(table: pd.DataFrame) -> tuple[float, float]:
    """(smallest expected count, share of cells with an expected count below 5)."""
    expected = expected_freq(table.to_numpy())
    return float(expected.min()), float((expected < 5).mean())


def kruskal_wallis(values: FloatArray, groups: npt.NDArray[np.intp]) -> tuple[float, int]:
    """(H corrected for ties, degrees of freedom); (NaN, 0) with a single group or a single value."""
    samples = [values[groups == group] for group in np.unique(groups)]
    if len(samples) < 2 or np.ptp(values) == 0:
        return float("nan"), 0
    return float(stats.kruskal(*samples).statistic), len(samples) - 1


def epsilon_squared(h: float, n: int) -> float:
    """ε² = H / (n − 1), 0 … 1 (Tomczak & Tomczak 2014): the share of the ranks' variance that lies between groups.

    For a feature of two values it equals V², so that √ε² and V stand on one scale.
    """
    return h / (n - 1)


def corrected_epsilon_squared(h: float, df: int, n: int) -> float:
    """(H − k + 1) / (n − k) for k = df + 1 groups, not below 0: ε² less what chance alone gives (η²_H, same source)."""
    return max(0.0, (h - df) / (n - df - 1)) if n > df + 1 else float("nan")


def epsilon_interval(h: float, df: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of ε² by inversion of the noncentral χ² at H, for independent builds: an approximation, good for small
    and middling differences (docs/statistics.md has its coverage)."""
    low, high = noncentrality_interval(h, df, confidence)
    return min(1.0, low / (n - 1)), min(1.0, high / (n - 1))


def v_of_counts(counts: npt.NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """(V, bias-corrected V) of many tables at once: counts (…, categories, levels) → two arrays (…).

    Rows and columns that are empty in a table don't count as its rows and columns. A degenerate table gives NaN.
    """
    cells = np.asarray(counts, dtype=np.float64)
    row, column = cells.sum(-1), cells.sum(-2)
    n = row.sum(-1)
    r, c = (row > 0).sum(-1), (column > 0).sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        margins = row[..., :, None] * column[..., None, :]
        phi2 = np.where(margins > 0, cells**2 / margins, 0.0).sum((-2, -1)) - 1
        v = np.sqrt(np.maximum(phi2, 0.0) / (np.minimum(r, c) - 1))
        room = np.minimum(r - 1 - (r - 1) ** 2 / (n - 1), c - 1 - (c - 1) ** 2 / (n - 1))
        corrected = np.sqrt(np.maximum(phi2 - (r - 1) * (c - 1) / (n - 1), 0.0) / room)
    good = (np.minimum(r, c) > 1) & (room > 0)
    return np.where(good, np.minimum(v, 1.0), np.nan), np.where(good, np.minimum(corrected, 1.0), np.nan)


def epsilon_of_counts(counts: npt.NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """(ε², corrected ε²) of many samples at once: counts (…, distinct values ascending, levels) → two arrays (…).

    The counts are how often each value occurs in each group. A single group or a single value gives NaN.
    """
    cells = np.asarray(counts, dtype=np.float64)
    ties, sizes = cells.sum(-1), cells.sum(-2)
    n = ties.sum(-1)
    groups = (sizes > 0).sum(-1)
    rank = np.cumsum(ties, -1) - (ties - 1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (cells * rank[..., :, None]).sum(-2) / sizes
        between = (np.where(sizes > 0, sizes * (mean - (n[..., None] + 1) / 2) ** 2, 0.0)).sum(-1)
        total = (ties * (rank - (n[..., None] + 1) / 2) ** 2).sum(-1)
        h = (n - 1) * between / total
        epsilon, corrected = h / (n - 1), np.maximum(0.0, (h - groups + 1) / (n - groups))
    good = (groups > 1) & (total > 0) & (n > groups)
    return np.where(good, epsilon, np.nan), np.where(good, corrected, np.nan)
