"""The replayed stream against a plain reading of its description: shuffle, choice, statistics.mean."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forensics.statistics.replay import Stream
from forensics.statistics.strata import Stratum

scores = st.sampled_from([0.0, 12.5, 33.3, 64.0, 83.3, 96.4, 99.9, 100.0])
arm = st.lists(scores, min_size=1, max_size=6).map(tuple)
strata_lists = st.lists(
    st.builds(lambda a, b, sign: Stratum(key=("s",), a=a, b=b, sign=sign), arm, arm, st.sampled_from([1, 1, -1])),
    min_size=1,
    max_size=4,
)


def described_stream(
    source: random.Random, strata: list[Stratum], permutations: int, bootstrap: int
) -> tuple[float, float, float, float]:
    """p greater, p two-sided and interval, by the standard library's own shuffle, choice and mean."""

    def combined(pairs: list[tuple[list[float], list[float]]]) -> float:
        total = 0.0
        for sign in (1, -1):
            part = [
                (pair, stratum.weight) for pair, stratum in zip(pairs, ordered, strict=True) if stratum.sign == sign
            ]
            if part:
                weighted = 0.0
                for (a, b), weight in part:
                    weighted += weight * (statistics.mean(a) - statistics.mean(b))
                total += sign * (weighted / sum(weight for _, weight in part))
        return total

    ordered = [stratum for sign in (1, -1) for stratum in strata if stratum.sign == sign]
    observed = combined([(list(stratum.a), list(stratum.b)) for stratum in ordered])
    shuffled = []
    for _ in range(permutations):
        pairs = []
        for stratum in ordered:
            pool = [*stratum.a, *stratum.b]
            source.shuffle(pool)
            pairs.append((pool[: len(stratum.a)], pool[len(stratum.a) :]))
        shuffled.append(combined(pairs))
    replicates = sorted(
        combined(
            [
                ([source.choice(stratum.a) for _ in stratum.a], [source.choice(stratum.b) for _ in stratum.b])
                for stratum in ordered
            ]
        )
        for _ in range(bootstrap)
    )
    p_greater = (sum(value >= observed for value in shuffled) + 1) / (permutations + 1)
    p_two_sided = (sum(abs(value) >= abs(observed) for value in shuffled) + 1) / (permutations + 1)
    return p_greater, p_two_sided, replicates[int(0.025 * bootstrap)], replicates[int(0.975 * bootstrap)]


@given(st.lists(strata_lists, min_size=1, max_size=3), st.integers(min_value=0, max_value=2**32))
@settings(deadline=None, max_examples=60)
def test_the_stream_makes_the_draws_and_roundings_of_its_description(contrasts: list[list[Stratum]], seed: int) -> None:
    stream, source = Stream(seed), random.Random(seed)
    for strata in contrasts:
        if all(stratum.sign == -1 for stratum in strata):
            continue
        replay = stream.contrast(strata, 40, 40)
        assert (replay.p_greater, replay.p_two_sided, replay.low, replay.high) == described_stream(
            source, strata, 40, 40
        )


def test_without_a_bootstrap_the_next_contrast_follows_at_once() -> None:
    first = [Stratum(key=("s",), a=(1.0, 2.0), b=(3.0, 5.0))]
    stream, source = Stream(7), random.Random(7)
    replay = stream.contrast(first, 10, 0)
    assert replay.low is None
    assert replay.high is None
    for _ in range(10):
        source.shuffle([1.0, 2.0, 3.0, 5.0])
    assert stream.contrast(first, 20, 0).p_greater == described_stream(source, first, 20, 1)[0]


def test_ties_that_floats_split_are_counted_beside() -> None:
    # 0.1 + 0.2 > 0.3 + 0.0 as floats: the exact re-dealing {0.3, 0.0} misses the observed {0.1, 0.2} by the last bit.
    replay = Stream(1).contrast([Stratum(key=("s",), a=(0.1, 0.3), b=(0.2, 0.2))], 2_000, 0)
    assert replay.p_two_sided_ties == pytest.approx(1.0)
    assert replay.p_two_sided <= replay.p_two_sided_ties
