"""Association with the task held: can the label be told from the task at all, and does the habit hold in each task?

A *stratum* is one combination of the labels that are held (task, or task × condition). Levels of a label can only be
compared where they meet in a stratum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from forensics.statistics.association import corrected_room, epsilon_of_counts, v_of_counts
from forensics.statistics.permutation import Pooled, pooled_categories

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

DISTINCT_VALUES = 1_000

RESAMPLED_VALUES = 100

RESAMPLES = 1_999

MINIMUM_TASKS = 5
"""Fewer tasks than these are too few to resample."""


def is_numeric(frame: pd.DataFrame, feature: str) -> bool:
    """Whether a column of a build table's frame is a numeric feature (float64 there, as against text)."""
    return bool(pd.api.types.is_numeric_dtype(frame[feature]))


def stratum_keys(frame: pd.DataFrame, labels: Sequence[str]) -> pd.Series[Any]:
    """Each build's stratum as text, `task × condition`; a single stratum "" where no label is held."""
    if not labels:
        return pd.Series("", index=frame.index, dtype=object)
    keys = frame[labels[0]].astype(str)
    for label in labels[1:]:
        keys = keys + " × " + frame[label].astype(str)
    return keys


def identifiability(frame: pd.DataFrame, label: str, within: Sequence[str]) -> pd.DataFrame:
    """Where each level of a label can be compared: one row a level, sorted.

    Columns: `level`, `builds`, `strata` (in how many it occurs), `only_in` (the stratum, where it is one of several
    strata but the level occurs in no other; else ""), `shares` (meets another level in some stratum), `component`
    (levels of unlike component never meet, not even through others). Builds without the label or a held label are left
    out.
    """
    known = frame.dropna(subset=[label, *within])
    keys = stratum_keys(known, within)
    met = pd.crosstab(keys, known[label].astype(str))
    meetings: nx.Graph[str] = nx.Graph()
    meetings.add_nodes_from(met.columns)
    for _, counts in met.iterrows():
        present = list(counts.index[counts > 0])
        meetings.add_edges_from((present[0], other) for other in present[1:])
    component = {level: number for number, group in enumerate(nx.connected_components(meetings)) for level in group}
    several = len(met) > 1
    return pd.DataFrame(
        [
            {
                "level": level,
                "builds": int(met[level].sum()),
                "strata": int((met[level] > 0).sum()),
                "only_in": str(met.index[met[level] > 0][0]) if several and (met[level] > 0).sum() == 1 else "",
                "shares": meetings.degree(level) > 0,
                "component": component[level],
            }
            for level in met.columns
        ],
        columns=["level", "builds", "strata", "only_in", "shares", "component"],
    ).astype({"shares": bool})


def shared_strata(frame: pd.DataFrame, label: str, within: Sequence[str]) -> pd.DataFrame:
    """The builds of strata where at least two levels of the label meet: all that a comparison within strata uses."""
    known = frame.dropna(subset=[label, *within])
    levels = known[label].groupby(stratum_keys(known, within)).transform("nunique")
    return known[levels > 1]


def counts_by_stratum(
    frame: pd.DataFrame, feature: str, label: str, within: Sequence[str]
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """(strata, counts (strata, categories, levels)) of builds that have feature, label and held labels, all sorted.

    A numeric feature's categories are its distinct values, ascending; more than `DISTINCT_VALUES` of them are taken as
    that many ranges of equally many builds, which keeps the memory bounded and moves no figure by a thousandth.
    """
    known = frame.dropna(subset=[feature, label, *within])
    strata, stratum_names = pd.factorize(stratum_keys(known, within), sort=True)
    categories, category_names = pd.factorize(_coarse(known[feature]), sort=True)
    levels, level_names = pd.factorize(known[label], sort=True)
    shape = (len(stratum_names), len(category_names), len(level_names))
    flat = (strata * shape[1] + categories) * shape[2] + levels
    return [str(name) for name in stratum_names], np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)


def effects(counts: npt.NDArray[Any], numeric: bool) -> tuple[FloatArray, FloatArray]:
    """(effect, corrected effect) of tables (…, categories, levels) on the scale of V: V and V~, or √ε² and √ε²~."""
    if not numeric:
        return v_of_counts(counts)
    plain, corrected = epsilon_of_counts(counts)
    return np.sqrt(plain), np.sqrt(corrected)


def by_stratum(frame: pd.DataFrame, feature: str, label: str, within: Sequence[str]) -> pd.DataFrame:
    """The association in each stratum: `stratum`, `builds`, `effect`, `corrected`, `note` (why a value is missing).

    `effect` is V (√ε² for a numeric feature), `corrected` its bias-corrected form.
    """
    names, counts = counts_by_stratum(frame, feature, label, within)
    effect, corrected = effects(counts, is_numeric(frame, feature))
    return pd.DataFrame(
        {
            "stratum": names,
            "builds": counts.sum((1, 2)),
            "effect": effect,
            "corrected": corrected,
            "note": _notes(counts, corrected),
        }
    )


def leave_one_out(frame: pd.DataFrame, feature: str, label: str, within: Sequence[str]) -> pd.DataFrame:
    """The marginal association without each stratum in turn: `left_out`, `builds`, `effect`, `corrected`, `note`."""
    names, counts = counts_by_stratum(frame, feature, label, within)
    rest = counts.sum(0)[None] - counts
    effect, corrected = effects(rest, is_numeric(frame, feature))
    return pd.DataFrame(
        {
            "left_out": names,
            "builds": rest.sum((1, 2)),
            "effect": effect,
            "corrected": corrected,
            "note": _notes(rest, corrected),
        }
    )


def averaged(frame: pd.DataFrame, feature: str, label: str, within: Sequence[str]) -> dict[str, float | str]:
    """The association in a typical task: `averaged`, `lowest`, `lowest_in`, `highest`, `highest_in`, `tasks`,
    `heterogeneity` (I²), `heterogeneity_p`.

    `averaged` is the mean of the strata's corrected effects, weighted by their builds, over strata where at least two
    levels meet; one where the feature does not vary counts as 0, since it shows no difference there. Heterogeneity is
    Cochran's Q over the strata's unbiased φ² = (χ² − df) / n, whose variance under a noncentral χ² is
    2 (df + 2 λ) / n²; it asks whether the *strength* differs, and is NaN with fewer than two strata that vary.
    """
    return _averaged(*counts_by_stratum(frame, feature, label, within), is_numeric(frame, feature))


def task_interval(
    frame: pd.DataFrame,
    feature: str,
    label: str,
    within: Sequence[str],
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Percentile interval of the corrected effect over resamples of whole strata: builds of a task may be alike.

    The percentiles are widened for the small number of strata by t and n / (n − 1) (Hesterberg, Am. Stat. 69, 2015,
    371–386), without which 7 tasks cover 78 to 86 % where they should cover 95; with it 87 to 93 %.
    NaN with fewer than `MINIMUM_TASKS` strata. It answers another question than `association.v_interval`: how the value
    would move over other tasks drawn like these.
    """
    _, counts = counts_by_stratum(frame, feature, label, within)
    return _task_interval(counts, is_numeric(frame, feature), resamples, seed, confidence)


def over_tasks(
    frame: pd.DataFrame, feature: str, label: str, within: Sequence[str], seed: int = 0
) -> dict[str, float | str]:
    """`averaged`, `task_interval` (`task_low`, `task_high`) and the extremes of `leave_one_out` (`without_task_low`,
    `without_task_low_left_out`, …`high`…; absent where nothing is left to associate) in one."""
    names, counts = counts_by_stratum(frame, feature, label, within)
    numeric = is_numeric(frame, feature)
    found = _averaged(names, counts, numeric)
    found["task_low"], found["task_high"] = _task_interval(counts, numeric, RESAMPLES, seed, 0.95)
    rest = effects(counts.sum(0)[None] - counts, numeric)[1]
    known = np.flatnonzero(~np.isnan(rest))
    if len(known):
        for end, at in (("low", known[np.argmin(rest[known])]), ("high", known[np.argmax(rest[known])])):
            found[f"without_task_{end}"] = float(rest[at])
            found[f"without_task_{end}_left_out"] = names[at]
    return found


def within_effect(frame: pd.DataFrame, feature: str, label: str, within: Sequence[str]) -> float:
    """`held_effect` of a categorical feature, the strata being the tasks themselves. Every build must be in a stratum
    where levels meet (`shared_strata`), and the feature must vary."""
    labels, _ = pd.factorize(frame[label], sort=True)
    strata, _ = pd.factorize(stratum_keys(frame, within), sort=True)
    codes, categories = pd.factorize(frame[feature], sort=True)
    observed = pooled_categories(codes, labels, strata, strata)
    return held_effect(observed, len(frame), len(categories), int(labels.max()) + 1, numeric=False)


def held_effect(observed: Pooled, n: int, categories: int, levels: int, numeric: bool) -> float:
    """The corrected effect with the strata held, on the scale of V: what the label tells of the feature inside tasks.

    √((X − E X) / n / min(r̃ − 1, c̃ − 1)), X the pooled statistic and E X its exact mean under permutation within
    strata; with one stratum this is Bergsma's V, as E χ² = n (r − 1) (c − 1) / (n − 1) there. For numbers
    √((X − E X) / (n − k)), with one stratum √ε²~.
    """
    excess = max(0.0, observed.statistic - observed.expectation)
    if numeric:
        return float(min(1.0, np.sqrt(excess / (n - levels)))) if n > levels else float("nan")
    room = corrected_room(categories, levels, n) if n > 1 else 0.0
    return float(min(1.0, np.sqrt(excess / n / room))) if room > 0 else float("nan")


def _averaged(names: Sequence[str], counts: npt.NDArray[Any], numeric: bool) -> dict[str, float | str]:
    effect, corrected = effects(counts, numeric)
    n = counts.sum((1, 2))
    meeting = (counts.sum(1) > 0).sum(1) > 1
    if not meeting.any():
        return {"averaged": float("nan"), "tasks": 0}
    strength = np.where(np.isnan(corrected), 0.0, corrected)
    kept = np.flatnonzero(meeting)
    low, high = kept[np.argmin(strength[kept])], kept[np.argmax(strength[kept])]
    i2, p = _heterogeneity(counts, effect, n, numeric)
    return {
        "averaged": float(np.average(strength[kept], weights=n[kept])),
        "lowest": float(strength[low]),
        "lowest_in": names[low],
        "highest": float(strength[high]),
        "highest_in": names[high],
        "tasks": len(kept),
        "heterogeneity": i2,
        "heterogeneity_p": p,
    }


def _task_interval(
    counts: npt.NDArray[Any], numeric: bool, resamples: int, seed: int, confidence: float
) -> tuple[float, float]:
    strata = len(counts)
    if strata < MINIMUM_TASKS:
        return float("nan"), float("nan")
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(strata, np.full(strata, 1 / strata), size=resamples).astype(np.float64)
    if numeric and counts.shape[1] > RESAMPLED_VALUES:
        # Ranges of equally many builds: two thousand resamples of a thousand values would take most of the time.
        size = counts.sum((0, 2))
        place = (np.cumsum(size) - size) * RESAMPLED_VALUES // size.sum()
        counts = np.add.reduceat(counts, np.unique(place, return_index=True)[1], axis=1)
    flat = counts.reshape(strata, -1).astype(np.float64)
    step = max(1, 5_000_000 // flat.shape[1])
    drawn = np.concatenate(
        [
            effects((weights[start : start + step] @ flat).reshape(-1, *counts.shape[1:]), numeric)[1]
            for start in range(0, resamples, step)
        ]
    )
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) < resamples // 2:
        return float("nan"), float("nan")
    tail = float(stats.norm.sf(np.sqrt(strata / (strata - 1)) * stats.t.isf((1 - confidence) / 2, strata - 1)))
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def _heterogeneity(counts: npt.NDArray[Any], effect: FloatArray, n: IntArray, numeric: bool) -> tuple[float, float]:
    """(I², p) of the strata's φ² over the strata where feature and label vary."""
    varying = ~np.isnan(effect) & (n > 2)
    if varying.sum() < 2:
        return float("nan"), float("nan")
    table = counts[varying]
    rows, columns = (table.sum(2) > 0).sum(1), (table.sum(1) > 0).sum(1)
    size = n[varying].astype(np.float64)
    if numeric:
        df = (columns - 1).astype(np.float64)
        statistic = effect[varying] ** 2 * (size - 1)
    else:
        df = ((rows - 1) * (columns - 1)).astype(np.float64)
        statistic = effect[varying] ** 2 * size * (np.minimum(rows, columns) - 1)
    strength = (statistic - df) / size
    # The variance takes the common strength, not each stratum's own: weights from the noisy values themselves would
    # favour strata that happen to come out weak.
    common = max(0.0, float(np.average(strength, weights=size)))
    weight = size**2 / (2 * (df + 2 * size * common))
    centre = np.average(strength, weights=weight)
    q = float((weight * (strength - centre) ** 2).sum())
    freedom = len(size) - 1
    return max(0.0, (q - freedom) / q) if q > 0 else 0.0, float(stats.chi2.sf(q, freedom))


def _coarse(values: pd.Series[Any]) -> pd.Series[Any]:
    if not pd.api.types.is_numeric_dtype(values) or values.nunique() <= DISTINCT_VALUES:
        return values
    return (values.rank() * DISTINCT_VALUES / (len(values) + 1)).astype(np.int64)


def _notes(counts: npt.NDArray[Any], corrected: FloatArray) -> list[str]:
    return [_undefined(table) if np.isnan(value) else "" for table, value in zip(counts, corrected, strict=True)]


def _undefined(table: npt.NDArray[Any]) -> str:
    if table.sum() == 0:
        return "no build"
    if (table.sum(0) > 0).sum() < 2:
        return "one level of the label only"
    if (table.sum(1) > 0).sum() < 2:
        return "the feature has one value here"
    return "too few builds for its categories"
