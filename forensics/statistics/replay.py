"""The published random stream, drawn again: every printed p-value and interval end of a study, digit by digit.

The study drew everything from one `random.Random(seed)` in a fixed order: for each contrast the permutation test, then
the bootstrap. `shuffle` was applied to the pooled list of a stratum (arm A's values, then arm B's), `choice` once per
element (arm A, then arm B), means were exact rationals rounded once (`statistics.mean`), and a permutation was a hit
where its float was at least the observed float. This module makes the same draws and the same roundings, with whole
numbers in place of rationals: `shuffle` and `choice` both ask for `getrandbits(k)` until the result is below n, with k
the bit length of n, which is written out below because the calls in between cost most of the time.

The comparison of floats is kept on purpose, as replay means the printed digit. It splits ties by the last bit, which
moves one published p-value; `p_two_sided_ties` is the same stream with ties counted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from msgspec import Struct

from forensics.statistics.strata import Stratum, effect, interval_positions

FLOAT_TIE = 1e-9
"""Differences below this are float noise: outcomes have one decimal and arms at most some hundred runs."""

Draw = Callable[[], float]


class Replay(Struct, frozen=True, kw_only=True):
    """What the stream gave for one contrast; without a bootstrap the ends are None.

    `p_greater`, `p_less` and `p_two_sided` compare floats as published; `p_two_sided_ties` counts ties.
    """

    p_greater: float
    p_less: float
    p_two_sided: float
    p_two_sided_ties: float
    low: float | None = None
    high: float | None = None


class Stream:
    """A study's random stream. The order of the calls is part of the result."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def contrast(self, strata: Sequence[Stratum], permutations: int, bootstrap: int) -> Replay:
        """The permutation test, then (where `bootstrap` is not 0) the bootstrap interval."""
        observed = effect(strata)
        draw = _effects(strata, self._random, _dealt)
        shuffled = [draw() for _ in range(permutations)]
        size = abs(observed)
        low = high = None
        if bootstrap:
            draw = _effects(strata, self._random, _resampled)
            replicates = sorted(draw() for _ in range(bootstrap))
            low, high = (replicates[position] for position in interval_positions(bootstrap))
        return Replay(
            p_greater=_p(sum(value >= observed for value in shuffled), permutations),
            p_less=_p(sum(value <= observed for value in shuffled), permutations),
            p_two_sided=_p(sum(abs(value) >= size for value in shuffled), permutations),
            p_two_sided_ties=_p(sum(abs(value) >= size - FLOAT_TIE for value in shuffled), permutations),
            low=low,
            high=high,
        )


def _p(hits: int, draws: int) -> float:
    return (hits + 1) / (draws + 1)


def _effects(
    strata: Sequence[Stratum],
    source: random.Random,
    stratum_draw: Callable[[Stratum, int, random.Random], Draw],
) -> Draw:
    """A function that draws one effect: each stratum in turn, those of the baseline last."""
    scale = max(
        (float(value).as_integer_ratio()[1] for stratum in strata for value in (*stratum.a, *stratum.b)), default=1
    )
    parts = []
    for sign in (1, -1):
        part = [stratum for stratum in strata if stratum.sign == sign]
        if part:
            draws = [(stratum.weight, stratum_draw(stratum, scale, source)) for stratum in part]
            parts.append((sign, draws, sum(stratum.weight for stratum in part)))

    def draw() -> float:
        effect = 0.0
        for sign, draws, total in parts:
            weighted = 0.0
            for weight, difference in draws:
                weighted += weight * difference()
            effect += sign * (weighted / total)
        return effect

    return draw


def _whole(values: Sequence[float], scale: int) -> list[int]:
    ratios = [float(value).as_integer_ratio() for value in values]
    return [numerator * (scale // denominator) for numerator, denominator in ratios]


def _dealt(stratum: Stratum, scale: int, source: random.Random) -> Draw:
    """Draws mean A − mean B after `source.shuffle` of the pooled values."""
    getrandbits = source.getrandbits
    pooled = _whole((*stratum.a, *stratum.b), scale)
    size, total = len(stratum.a), sum(pooled)
    over_a, over_b = size * scale, len(stratum.b) * scale
    steps = [(last, last + 1, (last + 1).bit_length()) for last in range(len(pooled) - 1, 0, -1)]

    def draw() -> float:
        dealt = pooled.copy()
        for last, below, bits in steps:
            pick = getrandbits(bits)
            while pick >= below:
                pick = getrandbits(bits)
            dealt[last], dealt[pick] = dealt[pick], dealt[last]
        in_a = sum(dealt[:size])
        return in_a / over_a - (total - in_a) / over_b

    return draw


def _resampled(stratum: Stratum, scale: int, source: random.Random) -> Draw:
    """Draws mean A − mean B of values picked by `source.choice`, arm A first."""
    getrandbits = source.getrandbits
    arms = [_whole(arm, scale) for arm in (stratum.a, stratum.b)]
    (a, b), over_a, over_b = arms, len(stratum.a) * scale, len(stratum.b) * scale

    def picked(values: list[int]) -> int:
        below, total = len(values), 0
        bits = below.bit_length()
        for _ in values:
            pick = getrandbits(bits)
            while pick >= below:
                pick = getrandbits(bits)
            total += values[pick]
        return total

    def draw() -> float:
        in_a = picked(a)
        return in_a / over_a - picked(b) / over_b

    return draw
