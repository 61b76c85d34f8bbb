"""The classifier that names the author of a build: three kinds of trees, their votes averaged.

Forests, extremely randomised trees and boosted trees err in different places; their mean needs no choice between them,
and a choice made on few tasks is mostly noise (docs/attribution.md has the figures). All weigh classes equally, so that
a model with many builds in the reference is not named more often for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from forensics.records import InputError
from forensics.statistics.calibration import Codes, Probabilities
from forensics.statistics.encoding import Completion, Matrix, completed, completion_of

Folds = npt.NDArray[np.intp]

TREES = 200

MOST_COLUMNS = 120
"""Most columns that a classifier learns from; of more, those that differ most between classes within training folds."""


class HeldOut(Struct, frozen=True):
    """Scores for builds whose fold was held out of training.

    `outer` (builds × classes): each row from a classifier that has not seen the row's fold. `inner[f]`: each row
    outside fold f from a classifier that has seen neither its fold nor fold f, to calibrate what is said of fold f.
    """

    outer: Probabilities
    inner: tuple[Probabilities, ...]


class Classifier:
    """Trees trained on some rows, whose folds are given. A class without a training row scores 0."""

    def __init__(
        self, training: Matrix, codes: Codes, folds: Folds, classes: int, seed: int, trees: int = TREES
    ) -> None:
        self._classes = classes
        self._present = np.unique(codes)
        self._completion = _screened(completion_of(training), training, codes, folds)
        self._kinds: tuple[Any, ...] = ()
        if len(self._present) > 1 and self._completion.varying.any():
            filled = completed(self._completion, training)
            with _one_thread():
                self._kinds = tuple(kind.fit(filled, codes) for kind in _kinds(seed, trees))

    def scores(self, matrix: Matrix) -> Probabilities:
        """Rows × classes, summing to 1; all classes of training alike where there was nothing to learn from."""
        result = np.zeros((len(matrix), self._classes))
        if not self._kinds:
            result[:, self._present] = 1 / len(self._present)
        elif len(matrix):
            filled = completed(self._completion, matrix)
            with _one_thread():
                result[:, self._present] = np.mean([kind.predict_proba(filled) for kind in self._kinds], axis=0)
        return result

    def weights(self) -> npt.NDArray[np.float64]:
        """How much each column of the matrix was used (the forest's mean decrease of impurity); 0 for unused ones."""
        used = np.zeros(len(self._completion.varying))
        if self._kinds:
            used[self._completion.varying] = self._kinds[0].feature_importances_
        return used


def held_out_scores(
    matrix: Matrix, codes: Codes, folds: Folds, classes: int, seed: int, trees: int = TREES, inner: bool = True
) -> HeldOut:
    """Scores under leave-one-fold-out and, for calibration, leave-two-folds-out.

    A classifier trained without folds f and g serves both: it predicts g where f is held out, and f where g is. With
    two folds nothing is left to train on, and `inner` is empty; so it is where it isn't asked for.
    """
    count = int(folds.max()) + 1
    outer = np.zeros((len(codes), classes))
    inner = inner and count > 2
    inside = [np.zeros((len(codes), classes)) for _ in range(count if inner else 0)]
    for f, g in _pairs(count, inner):
        training = (folds != f) & (folds != g)
        classifier = Classifier(matrix[training], codes[training], folds[training], classes, seed, trees)
        if f == g:
            outer[~training] = classifier.scores(matrix[~training])
        else:
            inside[f][folds == g] = classifier.scores(matrix[folds == g])
            inside[g][folds == f] = classifier.scores(matrix[folds == f])
    return HeldOut(outer, tuple(inside))


def _screened(completion: Completion, training: Matrix, codes: Codes, folds: Folds) -> Completion:
    """The completion with at most `MOST_COLUMNS` columns, those with the greatest share of variance between classes.

    The mean of each fold is taken off first, so that what follows the task is not taken for a habit.
    """
    places = np.flatnonzero(completion.varying)
    if len(places) <= MOST_COLUMNS:
        return completion
    values = completed(completion, training)
    for fold in np.unique(folds):
        values[folds == fold] -= values[folds == fold].mean(axis=0)
    between = np.zeros(values.shape[1])
    for code in np.unique(codes):
        own = values[codes == code]
        between += len(own) * own.mean(axis=0) ** 2
    ratio = between / np.maximum((values**2).sum(axis=0), 1e-12)
    best = places[np.argsort(-ratio, kind="stable")[:MOST_COLUMNS]]
    varying = np.zeros_like(completion.varying)
    varying[best] = True
    return Completion(completion.medians, varying)


def _one_thread() -> AbstractContextManager[Any]:
    """Boosted trees wait for all cores at every split: on a busy machine, and at these sizes, one thread is faster."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    return cast("AbstractContextManager[Any]", threadpool_limits(1))


def _pairs(count: int, inner: bool) -> Iterator[tuple[int, int]]:
    yield from ((f, f) for f in range(count))
    if inner:
        yield from itertools.combinations(range(count), 2)


def _kinds(seed: int, trees: int) -> Iterator[Any]:
    try:
        from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
    except ImportError as error:
        message = "attribution needs scikit-learn: pip install 'build-forensics[statistics]'"
        raise InputError(message) from error
    yield RandomForestClassifier(trees, class_weight="balanced", random_state=seed)
    yield ExtraTreesClassifier(trees, min_samples_leaf=2, class_weight="balanced", random_state=seed)
    yield HistGradientBoostingClassifier(
        max_iter=60,
        learning_rate=0.08,
        max_leaf_nodes=8,
        min_samples_leaf=10,
        l2_regularization=3.0,
        early_stopping=False,
        class_weight="balanced",
        random_state=seed,
    )
