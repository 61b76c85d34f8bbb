"""How far apart groups of builds are: Jensen-Shannon distance over features, and what makes it up.

Each feature's distribution in a group is standardised to the tasks that both groups have: the mean of the tasks'
distributions, weighted by n₁ n₂ / (n₁ + n₂). So groups that merely ran other tasks are not apart, and groups that
share no task are `not identifiable`. Numeric features enter as quartile ranges of all builds. The distance of two
groups is √(Σ w JSD / Σ w) over features, JSD the Jensen-Shannon divergence to base 2 (0 the same, 1 nothing in common;
Lin, IEEE Trans. Inf. Theory 37, 1991, 145–151), w the feature's signal: its V~ with the label, the task held.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from forensics.records import InputError
from forensics.statistics import stratified
from forensics.statistics.multiplicity import benjamini_hochberg
from forensics.statistics.permutation import permutation_p, permuted_labels
from forensics.statistics.redundancy import ranges
from forensics.statistics.signatures import FEWEST_BUILDS_A_CATEGORY, MOST_CATEGORIES
from forensics.statistics.tables import BuildTable, require_features, require_labels

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

DRAWS = 999
CHUNK_CELLS = 4_000_000

SET_COLUMN = "result set"


class Comparison(Struct, frozen=True, kw_only=True):
    """Groups compared in pairs.

    `pairs`, one row a pair: `first`, `second`, `builds_first`, `builds_second`, `distance`, `expected` (mean distance
    when the two labels are shuffled within tasks: what sampling alone gives), `p` (of no difference; from the
    unweighted mean divergence, since the weights were found with these labels), `q` (over pairs), `note`.
    `separating`, one row a pair and feature, the largest contribution first: `first`, `second`, `feature`, `weight`,
    `divergence`, `contribution` (its share of the squared distance), `category` (where shares differ most),
    `share_first`, `share_second` (standardised), `p` (of no difference in this feature), `q` (over all rows).
    `left_out`: features that could not be compared, with the reason.
    """

    pairs: pd.DataFrame
    separating: pd.DataFrame
    left_out: dict[str, str]


class _Coded(Struct, frozen=True, kw_only=True):
    codes: IntArray
    categories: tuple[str, ...]
    weight: float


def compare_groups(
    table: BuildTable,
    by: str,
    within: Sequence[str] = (),
    features: Sequence[str] = (),
    draws: int = DRAWS,
    seed: int = 0,
) -> Comparison:
    """Every two groups that the label makes, the tasks `within` held. Raises InputError where there is one group."""
    require_labels(table, [by, *within])
    within = [label for label in within if label != by]
    frame = table.frame.dropna(subset=[by, *within]).reset_index(drop=True)
    groups, names = pd.factorize(frame[by], sort=True)
    if not len(names):
        raise InputError(f"{table.source}: no build has {' and '.join([by, *within])}")
    if len(names) < 2:
        raise InputError(f"{table.source}: one {by} only ({', '.join(map(str, names))}): nothing to compare")
    if len(names) > MOST_CATEGORIES:
        raise InputError(f"{table.source}: {len(names):,} levels of {by}: too many to compare")
    if len(frame) / len(names) < FEWEST_BUILDS_A_CATEGORY:
        raise InputError(f"{table.source}: {len(frame):,} builds of {len(names):,} levels of {by}: too few to compare")
    coded, left_out = _coded_features(table, frame, by, within, features)
    tasks, _ = pd.factorize(stratified.stratum_keys(frame, within), sort=True)
    pairs, separating = [], []
    for a, b in itertools.combinations(range(len(names)), 2):
        first, second = str(names[a]), str(names[b])
        members = np.isin(groups, (a, b))
        sides = np.where(groups[members] == a, 0, 1)
        rng = np.random.default_rng([seed, zlib.crc32(f"{first}\0{second}".encode())])
        record, drawn = _distance(coded, members, sides, tasks[members], draws, rng)
        pairs.append({"first": first, "second": second, **record})
        rows = _separating(coded, members, sides, tasks[members], drawn)
        separating += [{"first": first, "second": second, **row} for row in rows]
    columns = ["first", "second", "builds_first", "builds_second", "distance", "expected", "p", "q", "note"]
    found = pd.DataFrame(pairs, columns=columns)
    found["q"] = benjamini_hochberg(found["p"])
    return Comparison(pairs=found, separating=_contributions(separating, ["first", "second"]), left_out=left_out)


def compare_sets(
    first: BuildTable,
    second: BuildTable,
    by: str,
    within: Sequence[str] = (),
    features: Sequence[str] = (),
    draws: int = DRAWS,
    seed: int = 0,
) -> Comparison:
    """Each group of the label in two result sets: did its habits change?

    The pairs have the columns of `compare_groups`, `first` and `second` being the group in the first and in the second
    set, plus `group`, and a last row of group "all groups together"; the test shuffles which set a build is from within
    group × task. Features and groups that only one set has are left out and named. Weights are V~ with `by` over both
    sets together, which the shuffle leaves alone.
    """
    for table in (first, second):
        require_labels(table, [by, *within])
    within = [label for label in within if label != by]
    joined, reasons = _joined(first, second)
    shared = [name for name in joined.features if not features or name in features]
    for name in features:
        if name not in joined.features:
            raise InputError(f"{joined.source}: no feature '{name}' in both")
    if not shared:
        raise InputError(f"{joined.source}: no feature is in both")
    frame = joined.frame.dropna(subset=[by, *within]).reset_index(drop=True)
    coded, left_out = _coded_features(joined, frame, by, within, shared)
    tasks, _ = pd.factorize(stratified.stratum_keys(frame, within), sort=True)
    sides, _ = pd.factorize(frame[SET_COLUMN], sort=True)
    pairs, separating, together = [], [], []
    for group in sorted(frame[by].unique()):
        members = (frame[by] == group).to_numpy()
        present = set(sides[members])
        if len(present) < 2:
            pairs.append({"group": group, "note": f"only in the {'second' if 1 in present else 'first'} set"})
            continue
        rng = np.random.default_rng([seed, zlib.crc32(str(group).encode())])
        record, drawn = _distance(coded, members, sides[members], tasks[members], draws, rng)
        pairs.append({"group": group, **record})
        if not record["note"]:
            together.append(np.nan_to_num(drawn).mean(0) * members.sum())
        rows = _separating(coded, members, sides[members], tasks[members], drawn)
        separating += [{"group": group, **row} for row in rows]
    columns = ["group", "builds_first", "builds_second", "distance", "expected", "p", "q", "note"]
    found = pd.DataFrame(pairs, columns=columns)
    found["q"] = benjamini_hochberg(found["p"])
    if together:
        total = np.sum(together, axis=0)
        found.loc[len(found)] = {
            "group": "all groups together",
            "builds_first": found["builds_first"].sum(),
            "builds_second": found["builds_second"].sum(),
            "p": permutation_p(float(total[0]), total[1:]),
            "note": "a test only: distances of groups don't add up",
        }
    contributions = _contributions(separating, ["group"])
    return Comparison(pairs=found, separating=contributions, left_out=reasons | left_out)


def matrix(pairs: pd.DataFrame) -> pd.DataFrame:
    """The distances of `Comparison.pairs` as a symmetric frame groups × groups, diagonal 0; NaN where not known."""
    names = sorted({*pairs["first"], *pairs["second"]})
    square = pd.DataFrame(np.nan, index=names, columns=names)
    for a, b, value in zip(pairs["first"], pairs["second"], pairs["distance"], strict=True):
        square.loc[a, b] = square.loc[b, a] = value
    for name in names:
        square.loc[name, name] = 0.0
    return square


def linkage(square: pd.DataFrame) -> pd.DataFrame:
    """Average-linkage clustering of a distance matrix: one row a merge, the closest first.

    Columns: `first`, `second` (members, joined by " + "), `height` (mean distance between the two), `size`. Groups
    without a distance to some other are left out.
    """
    known = _complete(square)
    if len(known) < 2:
        return pd.DataFrame(columns=["first", "second", "height", "size"])
    merges = hierarchy.linkage(squareform(known.to_numpy(), checks=False), method="average")
    names = [str(name) for name in known.index]
    records = []
    for a, b, height, size in merges:
        pair = sorted((names[int(a)], names[int(b)]))
        names.append(" + ".join(pair))
        records.append({"first": pair[0], "second": pair[1], "height": float(height), "size": int(size)})
    return pd.DataFrame(records)


def linkage_matrix(square: pd.DataFrame) -> FloatArray | None:
    """The same as scipy's linkage matrix (merges, 4), for drawing: leaves ordered so that neighbours are alike.

    None with fewer than two groups, or where two have no distance.
    """
    if len(square) < 2 or square.isna().to_numpy().any():
        return None
    merges: FloatArray = hierarchy.linkage(
        squareform(square.to_numpy(), checks=False), method="average", optimal_ordering=True
    )
    return merges


def leaf_order(square: pd.DataFrame) -> list[str]:
    """The groups in the order in which a dendrogram draws them; as they stand where there is none."""
    merges = linkage_matrix(square)
    names = [str(name) for name in square.index]
    return names if merges is None else [names[leaf] for leaf in hierarchy.leaves_list(merges)]


def jensen_shannon(first: npt.ArrayLike, second: npt.ArrayLike) -> FloatArray:
    """Jensen-Shannon divergence to base 2 of distributions along the last axis, 0 … 1."""
    p, q = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log2(p / middle), 0.0) + np.where(q > 0, q * np.log2(q / middle), 0.0)
    result: FloatArray = np.clip(terms.sum(-1) / 2, 0.0, 1.0)
    return result


def _complete(square: pd.DataFrame) -> pd.DataFrame:
    """The matrix without groups that lack a distance, the one that lacks most dropped first."""
    while square.isna().to_numpy().any():
        worst = square.isna().sum().idxmax()
        square = square.drop(index=[worst], columns=[worst])
    return square


def _coded_features(
    table: BuildTable, frame: pd.DataFrame, by: str, within: Sequence[str], features: Sequence[str]
) -> tuple[dict[str, _Coded], dict[str, str]]:
    """Features as category codes (−1 where missing) with their weight, and those left out with the reason."""
    categorical, numeric = require_features(table, features)
    coded: dict[str, _Coded] = {}
    left_out: dict[str, str] = {}
    for name in (*categorical, *numeric):
        values = ranges(frame[name]) if name in numeric else frame[name]
        codes, categories = pd.factorize(values, sort=True)
        known = int((codes >= 0).sum())
        if len(categories) < 2:
            left_out[name] = "one category in every build" if len(categories) else "known of no build"
        elif len(categories) > MOST_CATEGORIES or known / len(categories) < FEWEST_BUILDS_A_CATEGORY:
            left_out[name] = f"{len(categories):,} categories in {known:,} builds: too many to compare"
        else:
            coded[name] = _Coded(
                codes=codes, categories=tuple(map(str, categories)), weight=_signal(frame, codes, by, within)
            )
    if not coded:
        raise InputError(f"{table.source}: no feature can be compared")
    if not any(feature.weight > 0 for feature in coded.values()):
        # Without any signal there is nothing to weigh by; equal weights keep the distances defined.
        coded = {name: _Coded(codes=f.codes, categories=f.categories, weight=1.0) for name, f in coded.items()}
    return coded, left_out


def _signal(frame: pd.DataFrame, codes: IntArray, by: str, within: Sequence[str]) -> float:
    """The feature's V~ with the label, the task held; 0 where that can't be told."""
    known = frame[codes >= 0].assign(**{"\0feature": codes[codes >= 0].astype(str)})
    if known.empty:
        return 0.0
    shared = stratified.shared_strata(known, by, within)
    if shared.empty or shared["\0feature"].nunique() < 2:
        return 0.0
    value = stratified.within_effect(shared, "\0feature", by, within)
    return 0.0 if np.isnan(value) else value


def _distance(
    coded: dict[str, _Coded],
    members: npt.NDArray[np.bool_],
    sides: IntArray,
    tasks: IntArray,
    draws: int,
    rng: np.random.Generator,
) -> tuple[dict[str, Any], FloatArray]:
    """The record of two sides, and the divergences (features, 1 + draws): as observed, then under each draw."""
    record: dict[str, Any] = {
        "builds_first": int((sides == 0).sum()),
        "builds_second": int((sides == 1).sum()),
        "note": "",
    }
    both = np.isin(tasks, np.intersect1d(tasks[sides == 0], tasks[sides == 1]))
    if not both.any():
        return record | {"note": "not identifiable: they share no task"}, np.full((len(coded), 1 + draws), np.nan)
    place = np.flatnonzero(members)[both]
    sides, (tasks, _) = sides[both], pd.factorize(tasks[both])
    chunks: list[IntArray] = [sides[None, :], *permuted_labels(sides, tasks, draws, rng)]
    divergences = np.array(
        [np.concatenate([_divergences(each, place, chunk, tasks) for chunk in chunks]) for each in coded.values()]
    )
    weight = np.array([feature.weight for feature in coded.values()])[:, None]
    known = ~np.isnan(divergences)
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = np.sqrt((weight * np.nan_to_num(divergences)).sum(0) / (weight * known).sum(0))
    if np.isnan(distances[0]):
        record["note"] = "no feature with signal is known of both"
        return record, divergences
    record |= {"distance": float(distances[0]), "expected": float(np.nanmean(distances[1:]))}
    mean = np.nan_to_num(divergences).mean(0)
    return record | {"p": permutation_p(float(mean[0]), mean[1:])}, divergences


def _divergences(feature: _Coded, place: IntArray, sides: IntArray, tasks: IntArray) -> FloatArray:
    """JSD of one feature under each row of `sides` (draws, builds); NaN where no task has it on both sides."""
    codes = feature.codes[place]
    known = codes >= 0
    codes, sides, tasks = codes[known], sides[:, known], tasks[known]
    blocks, size = (int(tasks.max()) + 1 if len(tasks) else 0), len(feature.categories)
    cells = blocks * 2 * size
    result = np.full(len(sides), np.nan)
    if not cells:
        return result
    step = max(1, CHUNK_CELLS // max(cells, len(codes)))
    for start in range(0, len(sides), step):
        part = sides[start : start + step]
        offset = np.arange(len(part), dtype=np.intp)[:, None] * cells
        flat = np.bincount((offset + (tasks * 2 + part) * size + codes).ravel(), minlength=len(part) * cells)
        shares = _standardised(flat.reshape(len(part), blocks, 2, size))
        result[start : start + step] = jensen_shannon(shares[:, 0], shares[:, 1])
    return result


def _standardised(counts: npt.NDArray[Any]) -> FloatArray:
    """Distributions (draws, 2, categories) from counts (draws, tasks, 2, categories), over tasks of both sides."""
    n = counts.sum(-1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(n.min(-1) > 0, n.prod(-1) / n.sum(-1), 0.0)
        shares = np.where(weight[..., None, None] > 0, counts / n[..., None], 0.0)
        result: FloatArray = (weight[..., None, None] * shares).sum(-3) / weight.sum(-1)[..., None, None]
    return result


def _separating(
    coded: dict[str, _Coded],
    members: npt.NDArray[np.bool_],
    sides: IntArray,
    tasks: IntArray,
    drawn: FloatArray,
) -> list[dict[str, Any]]:
    """A row for each feature that some task has on both sides; `drawn` as `_distance` gives it."""
    place = np.flatnonzero(members)
    records = []
    for (name, feature), divergences in zip(coded.items(), drawn, strict=True):
        codes = feature.codes[place]
        known = codes >= 0
        if not known.any():
            continue
        shape = (int(tasks.max()) + 1, 2, len(feature.categories))
        flat = (tasks[known] * 2 + sides[known]) * shape[2] + codes[known]
        shares = _standardised(np.bincount(flat, minlength=int(np.prod(shape))).reshape(1, *shape))[0]
        if np.isnan(shares).any():
            continue
        widest = int(np.argmax(np.abs(shares[0] - shares[1])))
        records.append(
            {
                "feature": name,
                "weight": feature.weight,
                "divergence": float(divergences[0]),
                "p": permutation_p(float(divergences[0]), divergences[1:]),
                "category": feature.categories[widest],
                "share_first": float(shares[0, widest]),
                "share_second": float(shares[1, widest]),
            }
        )
    return records


def _contributions(records: list[dict[str, Any]], keys: list[str]) -> pd.DataFrame:
    columns = ["feature", "weight", "divergence", "contribution", "category", "share_first", "share_second", "p", "q"]
    frame = pd.DataFrame(records, columns=[*keys, *columns])
    part = frame["weight"] * frame["divergence"]
    whole = part.groupby([frame[key] for key in keys]).transform("sum")
    frame["contribution"] = (part / whole.where(whole > 0)).fillna(0.0)
    frame["q"] = benjamini_hochberg(frame["p"])
    ascending = [*(True for _ in keys), False]
    return frame.sort_values([*keys, "contribution"], ascending=ascending, kind="stable", ignore_index=True)


def _joined(first: BuildTable, second: BuildTable) -> tuple[BuildTable, dict[str, str]]:
    """Both tables in one, with the label `SET_COLUMN`; features that don't match are left out and named."""
    reasons: dict[str, str] = {}
    for name in dict.fromkeys((*first.features, *second.features)):
        if name not in second.features:
            reasons[name] = "only in the first set"
        elif name not in first.features:
            reasons[name] = "only in the second set"
        elif (name in first.numeric) != (name in second.numeric):
            reasons[name] = "numbers in one set, text in the other"
    labels = [name for name in first.labels if name in second.labels]
    features = [name for name in first.features if name not in reasons]
    parts = [
        table.frame[["build", *labels, *features]].assign(**{SET_COLUMN: place})
        for table, place in ((first, "1"), (second, "2"))
    ]
    return (
        BuildTable(
            source=f"{first.source} and {second.source}",
            frame=pd.concat(parts, ignore_index=True),
            labels=(*labels, SET_COLUMN),
            categorical=tuple(name for name in first.categorical if name in features),
            numeric=tuple(name for name in first.numeric if name in features),
        ),
        reasons,
    )
