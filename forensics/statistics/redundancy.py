"""Features that are one habit under several names: clusters by mutual V~, each with one representative.

Without this a signature is one habit counted ten times. The clusters and representatives are found without looking at
any label, so that choosing a representative favours no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pandas as pd

from forensics.statistics.association import v_of_counts

ALIKE = 0.80
"""Mutual V~ from which two features count as one habit."""

RANGES = 4
"""Numeric features are compared as quartile ranges."""

MOST_CATEGORIES = 100
"""A feature of more categories than these is left in a cluster of its own: V~ with it would be near 1 by itself."""


def mutual_association(frame: pd.DataFrame, features: Sequence[str]) -> pd.DataFrame:
    """V~ of every two features over the builds that have both: a symmetric frame features × features, diagonal 1.

    Numeric features enter as quartile ranges. NaN where one of the two does not vary or has too many categories.
    """
    codes = {name: _codes(frame[name]) for name in features}
    values = np.eye(len(features))
    for i, first in enumerate(features):
        for j in range(i):
            values[i, j] = values[j, i] = _v(codes[first], codes[features[j]])
    return pd.DataFrame(values, index=list(features), columns=list(features))


def clusters(frame: pd.DataFrame, features: Sequence[str], alike: float = ALIKE) -> pd.DataFrame:
    """One row a feature: `feature`, `cluster` (1 …, in order of the first member), `size`, `representative` (its name),
    `alike` (V~ with the representative, 1 for itself).

    Clusters are the connected components of the graph that joins features with mutual V~ ≥ `alike`; the representative
    is the member most like the others (largest mean V~), of equals the one with more categories, then by name.
    """
    mutual = mutual_association(frame, features)
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(features)
    matrix = mutual.to_numpy()
    for i, j in zip(*np.nonzero(np.triu(matrix >= alike, 1)), strict=True):
        graph.add_edge(features[i], features[j])
    order = {name: place for place, name in enumerate(features)}
    groups = sorted(nx.connected_components(graph), key=lambda group: min(order[name] for name in group))
    records = []
    for number, group in enumerate(groups, start=1):
        members = sorted(group, key=order.__getitem__)
        representative = max(
            sorted(members), key=lambda name: (float(mutual.loc[members, name].mean()), frame[name].nunique())
        )
        records += [
            {
                "feature": name,
                "cluster": number,
                "size": len(members),
                "representative": representative,
                "alike": float(mutual.loc[[name], representative].iloc[0]),
            }
            for name in members
        ]
    found = pd.DataFrame(records, columns=["feature", "cluster", "size", "representative", "alike"])
    return found.sort_values("feature", key=lambda names: names.map(order), ignore_index=True)


def ranges(values: pd.Series[Any], count: int = RANGES) -> pd.Series[Any]:
    """Numbers as ranges of about equally many builds, named by their ends ("> 3 to 5"); missing ones stay missing."""
    known = values.dropna()
    if known.empty:
        return pd.Series([None] * len(values), index=values.index, dtype=object)
    edges = np.unique(np.quantile(known, np.linspace(0, 1, count + 1), method="inverted_cdf"))
    if len(edges) < 2:
        return values.map(lambda value: None if pd.isna(value) else f"{value:g}").astype(object)
    place = np.clip(np.searchsorted(edges, known, side="left"), 1, len(edges) - 1)
    ends = [f"{edge:g}" for edge in edges]
    names = np.array([f"{'≥' if low == 0 else '>'} {ends[low]} to {ends[low + 1]}" for low in range(len(ends) - 1)])
    result = pd.Series([None] * len(values), index=values.index, dtype=object)
    result[known.index] = names[place - 1]
    return result


def _codes(values: pd.Series[Any]) -> npt.NDArray[np.intp]:
    """Category codes, −1 where missing."""
    codes, _ = pd.factorize(ranges(values) if pd.api.types.is_numeric_dtype(values) else values)
    return codes


def _v(first: npt.NDArray[np.intp], second: npt.NDArray[np.intp]) -> float:
    known = (first >= 0) & (second >= 0)
    if not known.any():
        return float("nan")
    rows, columns = int(first.max()) + 1, int(second.max()) + 1
    if max(rows, columns) > MOST_CATEGORIES:
        return float("nan")
    counts = np.bincount(first[known] * columns + second[known], minlength=rows * columns)
    return float(v_of_counts(counts.reshape(rows, columns))[1])
