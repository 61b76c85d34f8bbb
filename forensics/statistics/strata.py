"""Differences between two arms within strata, and what chance alone does to them.

A contrast compares arm A with arm B inside groups that are alike in all but the arm (the same model on the same task),
so that neither a strong model nor an easy task can pass for an effect of the arm:

    effect = Σ w (mean A − mean B) / Σ w,    w = n_A + n_B,    over the strata that have runs in both arms

The permutation test re-deals the arms within strata (Fisher 1935; Pitman 1937). Where the permutation distribution is
small enough it is computed whole, else sampled, with p = (hits + 1) / (draws + 1) so that it is never 0. A re-dealing
that equals the observed difference counts as a hit: outcomes are decimals, their sums tie often, and ties that binary
fractions split by the last bit would be dropped or kept by accident. The statistic is therefore computed in whole
numbers where that is possible.

The bootstrap resamples runs within each arm of each stratum (Efron 1979). With four or five runs an arm it runs short
by about the factor √((n − 1) / n) in width; `welch_interval` is the cross-check that doesn't.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

EXACT_ARRANGEMENTS = 20_000
"""Most subsets of one stratum that are enumerated."""

EXACT_SUPPORT = 2_000_000
"""Most pairs of values that one step of the exact convolution may form."""

WHOLE_LIMIT = 2**60
"""Whole-number statistics stay below this, so that 64-bit sums don't overflow."""

TIE_TOLERANCE = 1e-9
"""Relative tolerance for ties where the statistic can't be computed in whole numbers."""


class Stratum(Struct, frozen=True, kw_only=True):
    """Runs alike in all but the arm; `key` says in what. `sign` is −1 in a difference in differences' baseline."""

    key: tuple[str, ...]
    a: tuple[float, ...]
    b: tuple[float, ...]
    sign: int = 1

    @property
    def weight(self) -> int:
        return len(self.a) + len(self.b)


class PermutationTest(Struct, frozen=True, kw_only=True):
    """P-values of one contrast. `draws` is 0 where the whole distribution was enumerated.

    `p_greater` tests A > B, `p_less` A < B, `p_two_sided` counts |difference| at least as large as observed.
    """

    p_greater: float
    p_less: float
    p_two_sided: float
    draws: int

    @property
    def method(self) -> str:
        return f"sampled, {self.draws:,} draws" if self.draws else "exact"

    def p(self, alternative: str) -> float:
        """The p-value for "greater", "less" or "two-sided"."""
        return {"greater": self.p_greater, "less": self.p_less, "two-sided": self.p_two_sided}[alternative]


class Interval(Struct, frozen=True, kw_only=True):
    """Ends of an interval; NaN with a `reason` where there is none."""

    low: float
    high: float
    reason: str = ""


def exact_mean(values: Sequence[float]) -> float:
    """The arithmetic mean, correctly rounded: the float nearest to the rational mean of the floats.

    The same number as `statistics.mean` of floats, some fifty times faster. Every finite float is a whole number over a
    power of two; over the greatest of these powers the sum is a sum of whole numbers, and dividing two whole numbers
    rounds once, to nearest, as the conversion of `statistics.mean`'s fraction does.
    """
    ratios = [value.as_integer_ratio() for value in map(float, values)]
    scale = max(denominator for _, denominator in ratios)
    total: int = sum(numerator * (scale // denominator) for numerator, denominator in ratios)
    return total / (scale * len(ratios))


def effect(strata: Sequence[Stratum]) -> float:
    """The weighted difference between arms; with baseline strata, that of the others minus that of the baseline."""
    total = 0.0
    for sign in (1, -1):
        part = [stratum for stratum in strata if stratum.sign == sign]
        if part:
            weighted = 0.0
            for stratum in part:
                weighted += stratum.weight * (exact_mean(stratum.a) - exact_mean(stratum.b))
            total += sign * (weighted / sum(stratum.weight for stratum in part))
    return total


def coefficients(strata: Sequence[Stratum]) -> list[Fraction]:
    """The factor with which each stratum's own difference enters the effect."""
    totals = {sign: sum(stratum.weight for stratum in strata if stratum.sign == sign) for sign in (1, -1)}
    return [Fraction(stratum.sign * stratum.weight, totals[stratum.sign]) for stratum in strata]


def permutation_test(
    strata: Sequence[Stratum], draws: int, generator: np.random.Generator, exact: bool = True
) -> PermutationTest:
    """Re-deals the arms within strata: the whole distribution where it is small (and `exact`), else `draws` samples."""
    scaled = _whole_numbers(strata) or _floats(strata)
    if exact:
        distribution = _exact_distribution(scaled)
        if distribution is not None:
            values, probabilities = distribution
            # Probabilities sum to 1 but for rounding: where every value is a hit, p is 1.
            greater, less, two_sided = (
                1.0 if hits.all() else min(float(probabilities[hits].sum()), 1.0) for hits in _hits(values, scaled)
            )
            return PermutationTest(p_greater=greater, p_less=less, p_two_sided=two_sided, draws=0)
    samples = _sampled_statistics(scaled, draws, generator)
    greater, less, two_sided = ((int(hits.sum()) + 1) / (draws + 1) for hits in _hits(samples, scaled))
    return PermutationTest(p_greater=greater, p_less=less, p_two_sided=two_sided, draws=draws)


def bootstrap_interval(
    strata: Sequence[Stratum], draws: int, generator: np.random.Generator, level: float = 0.95
) -> Interval:
    """Percentile interval of the effect under resampling within the arms of every stratum.

    The ends are order statistics: of 5,000 replicates, the 126th from below and the 125th from above.
    """
    replicates = np.zeros(draws)
    for stratum, coefficient in zip(strata, coefficients(strata), strict=True):
        means = []
        for arm in (stratum.a, stratum.b):
            picks = generator.integers(0, len(arm), size=(draws, len(arm)))
            means.append(np.asarray(arm, dtype=float)[picks].mean(axis=1))
        replicates += float(coefficient) * (means[0] - means[1])
    replicates.sort()
    if replicates[0] == replicates[-1]:
        reason = "every run equals the others of its arm and stratum: resampling can't vary the effect"
        return Interval(low=float(replicates[0]), high=float(replicates[0]), reason=reason)
    low, high = interval_positions(draws, level)
    return Interval(low=float(replicates[low]), high=float(replicates[high]))


def interval_positions(draws: int, level: float = 0.95) -> tuple[int, int]:
    """0-based positions of the interval's ends among the sorted replicates: 125 and 4875 of 5,000."""
    tail = (1 - level) / 2
    return math.floor(tail * draws + 1e-9), min(math.floor((1 - tail) * draws + 1e-9), draws - 1)


def welch_interval(strata: Sequence[Stratum], level: float = 0.95) -> Interval:
    """Student's interval of the effect from the variances within arms, with Satterthwaite's degrees of freedom."""
    from scipy import stats

    variance, denominator = 0.0, 0.0
    for stratum, coefficient in zip(strata, coefficients(strata), strict=True):
        for arm in (stratum.a, stratum.b):
            if len(arm) < 2:
                reason = f"one run only in an arm of {' × '.join(stratum.key)}: no variance within it"
                return Interval(low=math.nan, high=math.nan, reason=reason)
            part = float(coefficient) ** 2 * float(np.var(arm, ddof=1)) / len(arm)
            variance += part
            denominator += part**2 / (len(arm) - 1)
    centre = effect(strata)
    if variance == 0:
        return Interval(low=centre, high=centre, reason="no variance within any arm")
    half = float(stats.t.ppf((1 + level) / 2, variance**2 / denominator)) * math.sqrt(variance)
    return Interval(low=centre - half, high=centre + half)


def sign_test(differences: Sequence[float]) -> float:
    """Exact two-sided binomial test that positive and negative differences are as likely; zeros are left out.

    1 where no difference is left.
    """
    positive = sum(difference > 0 for difference in differences)
    n = positive + sum(difference < 0 for difference in differences)
    tail = sum(math.comb(n, k) for k in range(min(positive, n - positive) + 1))
    return min(1.0, 2 * tail * 0.5**n)


class _Scaled(Struct, frozen=True):
    """The statistic as Σ factor × (sum of arm A) − `shift`, stratum by stratum. `whole`: computed in int64."""

    pools: tuple[Any, ...]
    sizes: tuple[int, ...]
    factors: tuple[Any, ...]
    shift: Any
    observed: Any
    whole: bool


def _whole_numbers(strata: Sequence[Stratum]) -> _Scaled | None:
    """The statistic times a constant that makes it a whole number; None where that outgrows 64 bits.

    Values count as the decimals that they print as (96.4 is 964/10): what is equal on paper is equal here.
    """
    if not all(math.isfinite(value) for stratum in strata for value in (*stratum.a, *stratum.b)):
        return None
    decimals = [[Fraction(repr(float(value))) for value in (*stratum.a, *stratum.b)] for stratum in strata]
    scale = math.lcm(*(value.denominator for pool in decimals for value in pool))
    if scale > 10**9:
        return None
    shares = [
        (coefficient / len(stratum.a), coefficient / len(stratum.b))
        for stratum, coefficient in zip(strata, coefficients(strata), strict=True)
    ]
    multiple = math.lcm(*(share.denominator for pair in shares for share in pair))
    pools = [[int(value * scale) for value in pool] for pool in decimals]
    factors = [int((a + b) * multiple) for a, b in shares]
    shift = sum(int(b * multiple) * sum(pool) for (_, b), pool in zip(shares, pools, strict=True))
    bound = sum(abs(f) * sum(map(abs, pool)) for f, pool in zip(factors, pools, strict=True)) + abs(shift)
    if bound >= WHOLE_LIMIT:
        return None
    sizes = tuple(len(stratum.a) for stratum in strata)
    observed = sum(f * sum(pool[:n]) for f, pool, n in zip(factors, pools, sizes, strict=True)) - shift
    return _Scaled(
        tuple(np.array(pool, dtype=np.int64) for pool in pools), sizes, tuple(factors), shift, observed, True
    )


def _floats(strata: Sequence[Stratum]) -> _Scaled:
    pools = tuple(np.array((*stratum.a, *stratum.b), dtype=float) for stratum in strata)
    sizes = tuple(len(stratum.a) for stratum in strata)
    factors, shift = [], 0.0
    for stratum, coefficient, pool in zip(strata, coefficients(strata), pools, strict=True):
        factors.append(float(coefficient) * (1 / len(stratum.a) + 1 / len(stratum.b)))
        shift += float(coefficient) * float(pool.sum()) / len(stratum.b)
    observed = sum(f * float(pool[:n].sum()) for f, pool, n in zip(factors, pools, sizes, strict=True)) - shift
    return _Scaled(pools, sizes, tuple(factors), shift, observed, False)


def _hits(statistics: npt.NDArray[Any], scaled: _Scaled) -> tuple[npt.NDArray[np.bool_], ...]:
    """Which statistics are at least as great, as small, as far from 0 as the observed one; ties are hits."""
    slack: Any = 0
    if not scaled.whole:
        reach = sum(abs(f) * float(np.abs(pool).sum()) for f, pool in zip(scaled.factors, scaled.pools, strict=True))
        slack = TIE_TOLERANCE * reach
    observed = scaled.observed
    return (
        statistics >= observed - slack,
        statistics <= observed + slack,
        np.abs(statistics) >= abs(observed) - slack,
    )


def _exact_distribution(scaled: _Scaled) -> tuple[npt.NDArray[Any], Floats] | None:
    """Distinct values of the statistic with their probabilities; None where there are too many."""
    if not scaled.whole:
        return None
    values: Integers = np.array([-scaled.shift], dtype=np.int64)
    probabilities: Floats = np.array([1.0])
    for pool, size, factor in zip(scaled.pools, scaled.sizes, scaled.factors, strict=True):
        if math.comb(len(pool), size) > EXACT_ARRANGEMENTS:
            if np.unique(pool).size > 2:
                return None
            sums = _two_valued_sums(pool, size)
        else:
            sums = Counter(sum(subset) for subset in itertools.combinations(pool.tolist(), size))
        if len(values) * len(sums) > EXACT_SUPPORT:
            return None
        total = sum(sums.values())
        steps = np.array([factor * value for value in sums], dtype=np.int64)
        weights = np.array([count / total for count in sums.values()])
        values, places = np.unique(np.add.outer(values, steps).ravel(), return_inverse=True)
        spread = np.multiply.outer(probabilities, weights).ravel()
        probabilities = np.bincount(places, weights=spread).astype(np.float64)
    return values, probabilities


def _two_valued_sums(pool: Integers, size: int) -> Counter[int]:
    """How often each sum of `size` of the pool's values occurs, where the pool holds at most two values."""
    low, high = int(pool.min()), int(pool.max())
    highs = int((pool == high).sum()) if high != low else 0
    lows = len(pool) - highs
    return Counter(
        {
            k * high + (size - k) * low: math.comb(highs, k) * math.comb(lows, size - k)
            for k in range(max(0, size - lows), min(highs, size) + 1)
        }
    )


def _sampled_statistics(scaled: _Scaled, draws: int, generator: np.random.Generator) -> npt.NDArray[Any]:
    kind = np.int64 if scaled.whole else np.float64
    statistics = np.full(draws, -scaled.shift, dtype=kind)
    for pool, size, factor in zip(scaled.pools, scaled.sizes, scaled.factors, strict=True):
        dealt = generator.permuted(np.broadcast_to(pool, (draws, len(pool))), axis=1)
        statistics += factor * dealt[:, :size].sum(axis=1)
    return statistics
