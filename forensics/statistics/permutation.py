"""Permutation of labels within strata: what a feature would look like if the label meant nothing in any stratum.

The statistic is χ² (H for numbers) of the *pooled deviations*: for every cell, builds observed less builds expected
from the margins of each stratum, summed over strata, squared, over the cell's marginal expected count × the share of
the category's variance that lies inside tasks. With one stratum it is Pearson's χ² (or H). A difference that the
strata make alone gives no deviation, and habits that point the same way in every stratum add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import stats

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

CHUNK_CELLS = 2_000_000
"""Upper bound of permutations × builds held at once (16 MB an array)."""


class Pooled(Struct, frozen=True, kw_only=True):
    """Pooled deviations of a feature from what the strata alone explain.

    `statistic` is the observed value; `expectation` its mean over all permutations within strata (exact, not drawn);
    `permuted` gives the statistic under permuted labels: (draws, builds) codes → (draws,).
    """

    statistic: float
    expectation: float
    permuted: Callable[[IntArray], FloatArray]


def permuted_labels(labels: IntArray, strata: IntArray, count: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """Label codes (builds,) shuffled within strata, `count` times, in chunks of shape (draws, builds)."""
    size = len(labels)
    slots = np.argsort(strata, kind="stable")
    chunk = max(1, CHUNK_CELLS // max(1, size))
    for start in range(0, count, chunk):
        draws = min(chunk, count - start)
        shuffled = np.argsort(strata[None, :] + rng.random((draws, size)), axis=1)
        out = np.empty((draws, size), dtype=np.intp)
        out[:, slots] = labels[shuffled]
        yield out


def pooled_categories(codes: IntArray, labels: IntArray, strata: IntArray, tasks: IntArray) -> Pooled:
    """Pooled deviations of a categorical feature. Arguments are codes 0 … k − 1, all in use, of shape (builds,).

    `tasks` is the coarser grouping that scales the statistic; one group of all where no task is held.
    """
    rows, columns, blocks = int(codes.max()) + 1, int(labels.max()) + 1, int(strata.max()) + 1
    table = np.bincount((strata * rows + codes) * columns + labels, minlength=blocks * rows * columns)
    table = table.reshape(blocks, rows, columns)
    r, c, n = table.sum(2), table.sum(1), table.sum((1, 2))
    expected = np.einsum("sr,sc->rc", r / n[:, None], c.astype(np.float64))
    scale = np.outer(r.sum(0) * _inside_share(codes, tasks), c.sum(0)) / n.sum()
    spread = np.where(n > 1, n.astype(np.float64) ** 2 * (n - 1), np.inf)
    variance = np.einsum("sr,sc->rc", r * (n[:, None] - r) / spread[:, None], (c * (n[:, None] - c)).astype(np.float64))

    def permuted(draws: IntArray) -> FloatArray:
        offset = np.arange(len(draws), dtype=np.intp)[:, None] * (rows * columns)
        cells = np.bincount((offset + codes * columns + draws).ravel(), minlength=len(draws) * rows * columns)
        counts = cells.reshape(len(draws), rows, columns)
        result: FloatArray = _ratio((counts - expected) ** 2, scale).sum((1, 2))
        return result

    return Pooled(
        statistic=float(permuted(labels[None, :])[0]),
        expectation=float(_ratio(variance, scale).sum()),
        permuted=permuted,
    )


def pooled_values(values: FloatArray, labels: IntArray, strata: IntArray, tasks: IntArray) -> Pooled:
    """Pooled deviations of a numeric feature's ranks. Shapes (builds,); all but the values are codes 0 … k − 1.

    `tasks` as in `pooled_categories`.
    """
    ranks = stats.rankdata(values)
    columns, blocks, size = int(labels.max()) + 1, int(strata.max()) + 1, len(ranks)
    n = np.bincount(strata, minlength=blocks)
    mean = np.bincount(strata, weights=ranks, minlength=blocks) / n
    within = np.bincount(strata, weights=(ranks - mean[strata]) ** 2, minlength=blocks)
    c = np.bincount(strata * columns + labels, minlength=blocks * columns).reshape(blocks, columns)
    expected = (c * mean[:, None]).sum(0)
    group = c.sum(0)
    task_mean = np.bincount(tasks, weights=ranks) / np.bincount(tasks)
    inside = float(((ranks - task_mean[tasks]) ** 2).sum())
    per_square = (size - 1) / inside if inside > 0 else 0.0
    spread = np.where(n > 1, n.astype(np.float64) * (n - 1), np.inf)
    variance = (c * (n[:, None] - c) * (within / spread)[:, None]).sum(0)

    def permuted(draws: IntArray) -> FloatArray:
        offset = np.arange(len(draws), dtype=np.intp)[:, None] * columns
        weights = np.broadcast_to(ranks, draws.shape).ravel()
        sums = np.bincount((offset + draws).ravel(), weights=weights, minlength=len(draws) * columns)
        deviations = sums.reshape(len(draws), columns) - expected
        result: FloatArray = per_square * (deviations**2 / group).sum(1)
        return result

    return Pooled(
        statistic=float(permuted(labels[None, :])[0]),
        expectation=per_square * float((variance / group).sum()),
        permuted=permuted,
    )


def _inside_share(codes: IntArray, tasks: IntArray) -> FloatArray:
    """For each category, the share (0 … 1) of its indicator's variance that lies inside tasks."""
    rows, groups = int(codes.max()) + 1, int(tasks.max()) + 1
    counts = np.bincount(tasks * rows + codes, minlength=groups * rows).reshape(groups, rows)
    size = counts.sum(1, keepdims=True)
    total = counts.sum(0) * (1 - counts.sum(0) / len(codes))
    return _ratio((counts * (1 - counts / size)).sum(0), total)


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """above / below; 0 where below is 0: a category that never varies inside a task can't deviate there."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 1e-9, above / below, 0.0)


def permutation_p(observed: float, drawn: FloatArray) -> float:
    """(hits + 1) / (draws + 1), a hit being a drawn statistic not below the observed one; ties count, rounding aside.

    (Phipson & Smyth, Stat. Appl. Genet. Mol. Biol. 9, 2010, 39: without the added one the test would be too liberal.)
    """
    hits = int((drawn >= observed - 1e-9 * max(1.0, abs(observed))).sum())
    return (hits + 1) / (len(drawn) + 1)
