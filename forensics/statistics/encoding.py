"""Features of builds as a matrix for classifiers: one column a category, one a number, one a gap.

The encoding is learnt from the reference builds and applied to others. A category that the reference doesn't hold (or
holds once only) has no column: all columns of its feature are 0. Missing values have a column of their own, so that
"not parsed" is never the same as "absent".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

Matrix = npt.NDArray[np.float64]

MOST_LEVELS = 40
"""Most categories of a feature that get a column; the rarer ones share the all-zero pattern."""

LARGEST = 1e30

FEWEST_BUILDS = 2
"""A category seen in fewer builds says nothing that would hold for others."""


class Encoding(Struct, frozen=True, kw_only=True):
    """`levels` maps each categorical feature to the categories that have a column; `numeric` names the numbers.

    `relative_to` is the label within whose values numbers are also given relative to the median of the batch ("": not).
    """

    levels: dict[str, tuple[str, ...]]
    numeric: tuple[str, ...]
    relative_to: str = ""

    @property
    def owners(self) -> list[str]:
        """The feature of each column of the matrix, in order."""
        categorical = [name for name, levels in self.levels.items() for _ in (*levels, None)]
        numeric = [name for name in self.numeric for _ in range(3 if self.relative_to else 2)]
        return categorical + numeric


def encoding_of(
    frame: pd.DataFrame, categorical: Sequence[str], numeric: Sequence[str], relative_to: str = ""
) -> Encoding:
    """The encoding that the reference builds in `frame` (a row each) define."""
    levels = {}
    for name in categorical:
        counts = frame[name].dropna().astype(str).value_counts()
        counts = counts[counts >= FEWEST_BUILDS]
        ordered = sorted(counts.index, key=lambda level: (-int(counts[level]), level))
        levels[name] = tuple(ordered[:MOST_LEVELS])
    return Encoding(levels=levels, numeric=tuple(numeric), relative_to=relative_to)


def encode(encoding: Encoding, frame: pd.DataFrame) -> Matrix:
    """Builds × columns of `encoding.owners`. Missing numbers stay NaN; a feature that the frame lacks is missing."""
    columns: list[Matrix] = []
    absent = pd.Series(np.nan, index=frame.index, dtype=object)
    for name, levels in encoding.levels.items():
        values = frame[name] if name in frame.columns else absent
        texts = values.astype(str)
        columns += [_numbers(values.notna() & (texts == level)) for level in levels]
        columns.append(_numbers(values.isna()))
    for name in encoding.numeric:
        values = pd.to_numeric(frame[name] if name in frame.columns else absent, errors="coerce").astype("float64")
        # Trees compute in single precision: what it can't hold would be refused.
        values = values.where(np.isfinite(values)).clip(-LARGEST, LARGEST)
        columns.append(_numbers(values))
        if encoding.relative_to:
            size = pd.Series(np.sign(values) * np.log1p(values.abs()), index=frame.index)
            columns.append(_numbers(size - size.groupby(frame[encoding.relative_to]).transform("median")))
        columns.append(_numbers(values.isna()))
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


class Completion(Struct, frozen=True):
    """What training rows say of gaps and of what can be learnt from: a median per column, and which columns vary."""

    medians: Matrix
    varying: npt.NDArray[np.bool_]


def completion_of(training: Matrix) -> Completion:
    """The completion that training rows define. Nothing of other rows enters."""
    medians = np.array([_median(column) for column in training.T])
    filled = np.where(np.isnan(training), medians, training)
    return Completion(medians, np.ptp(filled, axis=0) > 0)


def completed(completion: Completion, matrix: Matrix) -> Matrix:
    """The columns that vary in training, missing numbers at the median of training."""
    filled = np.where(np.isnan(matrix), completion.medians, matrix)
    return np.asarray(filled[:, completion.varying], dtype=np.float64)


def _numbers(column: pd.Series[Any]) -> Matrix:
    return np.asarray(column, dtype=np.float64)


def _median(column: Matrix) -> float:
    known = column[~np.isnan(column)]
    return float(np.median(known)) if known.size else 0.0
