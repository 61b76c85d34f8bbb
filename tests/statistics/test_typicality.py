"""Distances by hand, and the promised share of known builds that are turned away."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from forensics.statistics.encoding import completed, completion_of, encode, encoding_of
from forensics.statistics.typicality import (
    distances,
    nearest,
    p_of_distances,
    p_values,
    points_of,
    scale_of,
    typicality_of,
)

BUILDS = pd.DataFrame(
    {"style": ["flat", "flat", "tree", None], "files": [1.0, 2.0, 4.0, np.nan], "task": ["a", "a", "b", "b"]}
)


def test_distances_by_hand() -> None:
    scale = scale_of(BUILDS, ["style"], ["files"])
    points = points_of(scale, BUILDS)
    # Ranks among 1, 2, 4 (mid-ranks over three): 1/6, 3/6, 5/6.
    assert points.ranks[:3, 0] == pytest.approx([1 / 6, 3 / 6, 5 / 6])
    matrix = distances(points, points)
    assert matrix[0] == pytest.approx([0, (0 + 2 / 6) / 2, (1 + 4 / 6) / 2, (1 + 1) / 2])
    # Missing against missing is no difference.
    assert matrix[3, 3] == 0


def test_two_builds_with_the_same_foreign_category_differ() -> None:
    scale = scale_of(BUILDS, ["style"], [])
    strange = points_of(scale, pd.DataFrame({"style": ["novel", "novel"]}))
    assert distances(strange, strange).tolist() == [[1, 1], [1, 1]]


def test_the_nearest_are_counted_among_the_allowed() -> None:
    matrix = np.array([[0.0, 0.1, 0.2, 0.3, 0.9]])
    assert nearest(matrix) == pytest.approx([0.1])
    assert nearest(matrix, np.array([[False, True, True, True, True]])) == pytest.approx([0.2])
    assert nearest(matrix, np.array([[False, False, False, False, True]])) == pytest.approx([0.9])
    assert np.isinf(nearest(matrix, np.zeros((1, 5), dtype=bool)))


def test_p_counts_ties_and_is_never_zero() -> None:
    usual = np.array([0.1, 0.2, 0.2, 0.4])
    assert p_of_distances(usual, np.array([0.0, 0.2, 0.5])).tolist() == [1.0, 0.8, 0.2]


def simulated(builds: int, generator: np.random.Generator, shift: float = 0.0) -> pd.DataFrame:
    frame = pd.DataFrame({f"x{k}": generator.normal(shift, 1, builds) for k in range(6)})
    frame["style"] = np.where(generator.random(builds) < 0.8 - 0.3 * bool(shift), "flat", "tree")
    return frame


def test_one_in_twenty_of_the_references_own_kind_is_turned_away() -> None:
    generator = np.random.default_rng(51)
    numeric = [f"x{k}" for k in range(6)]
    reference = typicality_of(simulated(400, generator), np.arange(400, dtype=np.intp), ["style"], numeric, seed=0)
    own = p_values(reference, simulated(2_000, generator))
    assert (own < 0.05).mean() == pytest.approx(0.05, abs=0.02)
    assert (own < 0.5).mean() == pytest.approx(0.5, abs=0.06)
    strange = p_values(reference, simulated(500, generator, shift=2.5))
    assert (strange < 0.05).mean() > 0.5


def test_categories_numbers_and_gaps_become_columns() -> None:
    encoding = encoding_of(BUILDS, ["style"], ["files"])
    # "tree" occurs once: it says nothing that would hold for others, and has no column.
    assert encoding.levels == {"style": ("flat",)}
    assert encoding.owners == ["style", "style", "files", "files"]
    matrix = encode(encoding, BUILDS)
    assert matrix[:, 0].tolist() == [1, 1, 0, 0]
    assert matrix[:, 1].tolist() == [0, 0, 0, 1]
    assert np.isnan(matrix[3, 2])
    assert matrix[:, 3].tolist() == [0, 0, 0, 1]


def test_a_feature_that_a_table_lacks_is_missing() -> None:
    encoding = encoding_of(BUILDS, ["style"], ["files"])
    matrix = encode(encoding, pd.DataFrame({"other": ["x"]}))
    assert matrix[0, [0, 1, 3]].tolist() == [0, 1, 1]
    assert np.isnan(matrix[0, 2])


def test_infinite_numbers_are_missing_and_huge_ones_bounded() -> None:
    encoding = encoding_of(BUILDS, [], ["files"])
    matrix = encode(encoding, pd.DataFrame({"files": [np.inf, -np.inf, 1e300]}))
    assert matrix[:, 1].tolist() == [1, 1, 0]
    assert matrix[2, 0] == 1e30


def test_relative_numbers_are_measured_from_the_median_of_their_task() -> None:
    encoding = encoding_of(BUILDS, [], ["files"], relative_to="task")
    matrix = encode(encoding, BUILDS)
    half = (np.log(3) - np.log(2)) / 2
    assert matrix[:2, 1] == pytest.approx([-half, half])
    assert matrix[2, 1] == 0


def test_gaps_are_filled_from_training_only() -> None:
    training = np.array([[1.0, 5.0], [3.0, 5.0], [np.nan, 5.0]])
    completion = completion_of(training)
    assert completion.varying.tolist() == [True, False]
    assert completed(completion, np.array([[np.nan, 9.0], [7.0, 9.0]])).tolist() == [[2.0], [7.0]]
