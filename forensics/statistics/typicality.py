"""Whether a build is like any build of the reference at all.

A classifier must name one of the models it knows. A build by another model should not get a name, so its distance to
the nearest reference builds is compared with what is usual: the distance of each reference build to those of *other
tasks*. The share of reference builds that are at least as far off is a p-value: with a threshold of .05, one in twenty
of the reference's own kind is turned away.

The distance of two builds is the mean over features: 0 or 1 for equal or different categories, the difference of ranks
(within the reference, from 0 to 1) for numbers; one missing value against a known one counts 1. A build stands at its
mean distance to the three nearest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Folds = npt.NDArray[np.intp]

NEAREST = 3

MOST_BUILDS = 2_000
"""Most reference builds that distances are taken to; a larger reference is sampled."""


class Points(Struct, frozen=True):
    """Builds as coordinates: `codes` (builds × categorical features, −1 missing, −2 a category that the reference
    lacks) and `ranks` (builds × numeric features, NaN missing)."""

    codes: npt.NDArray[np.int64]
    ranks: Floats


class Scale(Struct, frozen=True, kw_only=True):
    """How the reference turns features into coordinates."""

    categories: dict[str, dict[str, int]]
    sorted_numbers: dict[str, Floats]


class Typicality(Struct, frozen=True, kw_only=True):
    """The reference's builds, and `usual`, sorted: how far each is from builds of other folds."""

    scale: Scale
    points: Points
    usual: Floats


def typicality_of(
    frame: pd.DataFrame, folds: Folds, categorical: Sequence[str], numeric: Sequence[str], seed: int
) -> Typicality:
    """What is usual among the reference builds of `frame`."""
    chosen = sampled(len(frame), seed)
    scale = scale_of(frame.iloc[chosen], categorical, numeric)
    points = points_of(scale, frame.iloc[chosen])
    apart = folds[chosen][:, None] != folds[chosen][None, :]
    return Typicality(scale=scale, points=points, usual=np.sort(nearest(distances(points, points), apart)))


def p_values(reference: Typicality, frame: pd.DataFrame) -> Floats:
    """For each build of `frame`, the share of reference builds at least as far from builds of other folds."""
    far = nearest(distances(points_of(reference.scale, frame), reference.points))
    return p_of_distances(reference.usual, far)


def p_of_distances(usual: Floats, far: Floats) -> Floats:
    """(usual distances at least as great + 1) / (their number + 1)."""
    below = np.searchsorted(usual, far - 1e-9, side="left")
    return np.asarray((len(usual) - below + 1) / (len(usual) + 1), dtype=np.float64)


def sampled(count: int, seed: int) -> Folds:
    """Positions of the builds that distances are taken to: all, or a random `MOST_BUILDS` in order."""
    if count <= MOST_BUILDS:
        return np.arange(count, dtype=np.intp)
    return np.sort(np.random.default_rng(seed).choice(count, MOST_BUILDS, replace=False)).astype(np.intp)


def scale_of(frame: pd.DataFrame, categorical: Sequence[str], numeric: Sequence[str]) -> Scale:
    """The scale that reference builds define."""
    categories = {
        name: {level: code for code, level in enumerate(sorted(frame[name].dropna().astype(str).unique()))}
        for name in categorical
    }
    numbers = {name: np.sort(frame[name].dropna().to_numpy(dtype=np.float64)) for name in numeric}
    return Scale(categories=categories, sorted_numbers=numbers)


def points_of(scale: Scale, frame: pd.DataFrame) -> Points:
    """Coordinates of builds; a feature that the frame lacks is missing."""
    codes = np.full((len(frame), len(scale.categories)), -1, dtype=np.int64)
    for place, (name, levels) in enumerate(scale.categories.items()):
        if name in frame.columns:
            known = frame[name].notna().to_numpy()
            texts = frame[name].astype(str)
            codes[:, place] = np.where(known, [levels.get(text, -2) for text in texts], -1)
    ranks = np.full((len(frame), len(scale.sorted_numbers)), np.nan)
    for place, (name, numbers) in enumerate(scale.sorted_numbers.items()):
        if name in frame.columns and len(numbers):
            values = pd.to_numeric(frame[name], errors="coerce").to_numpy(dtype=np.float64)
            middle = (np.searchsorted(numbers, values, "left") + np.searchsorted(numbers, values, "right")) / 2
            ranks[:, place] = np.where(np.isnan(values), np.nan, middle / len(numbers))
    return Points(codes, ranks)


def distances(left: Points, right: Points) -> Floats:
    """Distances, rows `left`, columns `right`, each from 0 to 1. Two builds with the same foreign category differ: that
    both are unlike the reference doesn't make them alike."""
    features = left.codes.shape[1] + left.ranks.shape[1]
    total = np.zeros((len(left.codes), len(right.codes)))
    for a, b in zip(left.codes.T, right.codes.T, strict=True):
        total += (a[:, None] != b[None, :]) | (a[:, None] == -2)
    for x, y in zip(left.ranks.T, right.ranks.T, strict=True):
        gap = np.abs(x[:, None] - y[None, :])
        total += np.where(np.isnan(gap), np.isnan(x)[:, None] != np.isnan(y)[None, :], gap)
    return np.asarray(total / max(features, 1), dtype=np.float64)


def nearest(matrix: Floats, allowed: Mask | None = None) -> Floats:
    """Each row's mean distance to its `NEAREST` columns among the allowed ones; infinite where none is allowed."""
    open_to = matrix if allowed is None else np.where(allowed, matrix, np.inf)
    count = min(NEAREST, open_to.shape[1])
    closest = np.sort(np.partition(open_to, count - 1, axis=1)[:, :count], axis=1)
    finite = np.isfinite(closest)
    sums = np.where(finite, closest, 0.0).sum(axis=1)
    return np.asarray(np.where(finite.any(axis=1), sums / np.maximum(finite.sum(axis=1), 1), np.inf))
