"""Which features are a model's habit, which the condition's doing: the association table and its verdicts.

The rule of the verdict was fixed before it was applied to any published table (docs/statistics.md gives the reasons):
a feature *follows* a label when its q-value (Benjamini-Hochberg over every test of the table, from the permutation of
the label within strata) is below 0.05 and Cohen's w of its bias-corrected V with the strata held is at least 0.30, a
medium association. It is a `model idiom` when it follows the model only, a `condition effect` when it follows the
condition only, `both`, or `neither`. A reliable association below the threshold is *weak*, and said to be.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from forensics.records import InputError
from forensics.statistics import association, stratified
from forensics.statistics.multiplicity import benjamini_hochberg, holm
from forensics.statistics.permutation import (
    Pooled,
    permutation_p,
    permuted_labels,
    pooled_categories,
    pooled_values,
)
from forensics.statistics.tables import BuildTable, require_features, require_labels

FloatArray = npt.NDArray[np.float64]

ALPHA = 0.05
MEDIUM = 0.30
STRONG = 0.50
MOST_CATEGORIES = 500
FEWEST_BUILDS_A_CATEGORY = 2.0
MOST_NAMED = 5
DRAWS = 999
MOST_WORK = 3_000_000_000
"""Draws × tests × builds, about half a minute, beyond which a large family gets no more than `DRAWS`."""

COLUMNS = (
    *("feature", "label", "role", "kind", "n", "missing", "categories", "levels"),
    *("statistic", "df", "effect", "corrected", "low", "high", "task_low", "task_high", "w"),
    *("min_expected", "cells_below_5", "p_asymptotic", "p", "holm", "q", "p_method", "family", "seed"),
    *("within_n", "within", "within_w", "averaged", "lowest", "lowest_in", "highest", "highest_in", "tasks"),
    *("heterogeneity", "heterogeneity_p", "without_task_low", "without_task_low_left_out"),
    *("without_task_high", "without_task_high_left_out", "null_corrected", "null_p", "strength", "note"),
)
"""Columns of `associations`; its docstring says what each holds."""

_TEXTS = ("p_method", "lowest_in", "highest_in", "without_task_low_left_out", "without_task_high_left_out")
_BLANK: dict[str, Any] = dict.fromkeys(COLUMNS, float("nan")) | dict.fromkeys(_TEXTS, "")


def associations(
    table: BuildTable,
    by: Sequence[str],
    within: Sequence[str] = (),
    features: Sequence[str] = (),
    beside: Sequence[str] = (),
    draws: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """The association table: one row for each feature and label, features in the table's order, labels as given.

    `by` are the labels in question; `within` is held (the task); `beside` are further labels whose marginal
    association is shown for comparison. The label is permuted within strata of `within` × the other labels of `by`.
    `features` limits and, being named beforehand, makes the family confirmatory; all features otherwise. `draws` is the
    number of permutations: 999, or as many more as let the smallest Holm-adjusted p fall below 0.05, if the archive is
    not so large that they would take minutes.

    Columns:
        feature, label; role: "by", "within" or "beside"; kind: "categorical" or "numeric";
        n: builds with feature and label; missing: builds with the label but without the feature; categories, levels:
        those in use; statistic: χ² or H; df; effect: Cramér's V, or ε² (√ε² is on V's scale); corrected: bias-corrected
        V, or ε²; low, high: 95 % interval of `effect` for independent builds (noncentral χ² inverted);
        task_low, task_high: 95 % interval of V~ (√ε²~) from resamples of whole tasks; w: Cohen's w of `corrected`;
        min_expected, cells_below_5: smallest expected count and share (0 … 1) of cells below 5;
        p_asymptotic: from the χ² distribution; p: from the permutation within strata; holm, q: p adjusted over the
        family (all tested rows of role "by"); p_method, family: in words; seed;
        within_n: builds in strata where levels meet; within: V~ (√ε²~) with the strata held; within_w: its w;
        averaged, lowest, lowest_in, highest, highest_in, tasks, heterogeneity (I²), heterogeneity_p: over the tasks
        (`stratified.averaged`); without_task_low/high, …_left_out: the marginal V~ without one task, extremes;
        null_corrected, null_p: `corrected` and `p` of one shuffle of the label within strata: the null control;
        strength: "none", "weak", "medium", "strong", "not identifiable" or "not tested" ("" for other roles);
        note: why a value is missing, and what to mind.

    A value that can't be given is NaN (or ""), and `note` says why. Raises InputError for a column that isn't there.
    """
    by, within = list(dict.fromkeys(by)), [label for label in dict.fromkeys(within) if label not in by]
    beside = [label for label in dict.fromkeys(beside) if label not in (*by, *within)]
    if not by:
        raise InputError("name at least one label to compare by")
    require_labels(table, (*by, *within, *beside))
    categorical, numeric = require_features(table, features)
    names = [name for name in table.features if name in {*categorical, *numeric}]
    if not names:
        raise InputError(f"{table.source}: holds no feature")
    if draws is None:
        # Holm's first step multiplies by the family's size, and no p is below 1 / (draws + 1).
        family = len(names) * len(by)
        draws = max(DRAWS, min(25 * family - 1, MOST_WORK // (family * max(1, len(table.frame)))))
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for label in (*by, *within, *beside):
        role = "by" if label in by else "within" if label in within else "beside"
        for name in names:
            rows[name, label] = _marginal(table.frame, name, label, role)
        if role == "by":
            others = [other for other in by if other != label]
            _test_within(table.frame, names, label, list(within), others, rows, draws, seed)
    records = [_BLANK | rows[name, label] for name in names for label in (*by, *within, *beside)]
    frame = pd.DataFrame(records, columns=list(COLUMNS))
    frame["seed"] = seed
    tested = frame["role"] == "by"
    p = frame["p"].where(tested).to_numpy(dtype=np.float64)
    frame["holm"], frame["q"] = holm(p), benjamini_hochberg(p)
    chosen = "features named beforehand: confirmatory, read holm" if features else "all features: exploratory, read q"
    frame["family"] = np.where(tested, f"{int((~np.isnan(p)).sum())} tests; {chosen}", "")
    frame["strength"] = [_strength(row) if row["role"] == "by" else "" for _, row in frame.iterrows()]
    frame["note"] = ["; ".join(dict.fromkeys(note)) for note in frame["note"]]
    return frame


def verdicts(associations: pd.DataFrame) -> pd.DataFrame:
    """One row a feature, in the order of the association table: what it follows, by the rule above.

    Columns: `feature`, `kind`, `n` (smallest over the labels), `missing` (largest), for each label L of role "by"
    `L`: V (√ε² for numbers), `L corrected`: V~ (√ε²~), `L within`: with the strata held, `L w`, `L q`, `L strength`;
    then `verdict` and `note`. With labels beyond model and condition the verdict reads "L effect", joined by " + ".
    """
    asked = associations[associations["role"] == "by"]
    labels = list(dict.fromkeys(asked["label"]))
    records = []
    for feature, group in asked.groupby("feature", sort=False):
        rows = {str(row["label"]): row for _, row in group.iterrows()}
        record: dict[str, Any] = {
            "feature": feature,
            "kind": group["kind"].iloc[0],
            "n": int(group["n"].min()),
            "missing": int(group["missing"].max()),
        }
        for label, row in rows.items():
            root = math.sqrt if row["kind"] == "numeric" else float
            record[label] = root(row["effect"])
            record[f"{label} corrected"] = root(row["corrected"])
            record[f"{label} within"] = row["within"]
            record[f"{label} w"] = row["within_w"]
            record[f"{label} q"] = row["q"]
            record[f"{label} strength"] = row["strength"]
        record["verdict"] = verdict({label: str(row["strength"]) for label, row in rows.items()})
        record["note"] = _verdict_note(rows)
        records.append(record)
    columns = ["feature", "kind", "n", "missing"]
    for label in labels:
        columns += [label, *(f"{label} {part}" for part in ("corrected", "within", "w", "q", "strength"))]
    return pd.DataFrame(records, columns=[*columns, "verdict", "note"])


def verdict(strengths: dict[str, str]) -> str:
    """The verdict from each label's strength ("medium" and "strong" follow the label)."""
    followed = [label for label, strength in strengths.items() if strength in ("medium", "strong")]
    if not followed:
        unknown = [strength for strength in strengths.values() if strength in ("not tested", "not identifiable")]
        if unknown:
            return "not tested" if "not tested" in unknown else "not identifiable"
        return "neither" if len(strengths) > 1 else "none"
    if len(followed) == 2 and len(strengths) == 2:
        return "both"
    return " + ".join("model idiom" if label == "model" else f"{label} effect" for label in followed)


def label_statements(table: BuildTable, by: Sequence[str], within: Sequence[str] = ()) -> list[str]:
    """What a reader must know of the labels before the table: builds without them, levels that can't be compared."""
    require_labels(table, (*by, *within))
    statements: list[str] = []
    for label in (*by, *within):
        absent = int(table.frame[label].isna().sum())
        if absent:
            statements.append(
                f"{absent:,} of {len(table.frame):,} builds have no {label} and are left out of its tests"
            )
    for label in by:
        others = [other for other in by if other != label]
        notes = _label_notes(table.frame, label, list(within), others)
        if stratified.shared_strata(table.frame, label, [*within, *others]).empty:
            where = " × ".join([*within, *others])
            notes = [
                f"{label} is not identifiable: no two levels meet in one {where}" if where else f"one {label} only"
            ]
        statements += notes
    return statements


def _marginal(frame: pd.DataFrame, feature: str, label: str, role: str) -> dict[str, Any]:
    """The row of a feature and a label without any regard to strata."""
    labelled = frame.dropna(subset=[label])
    known = labelled.dropna(subset=[feature])
    numeric = stratified.is_numeric(frame, feature)
    row: dict[str, Any] = {
        "feature": feature,
        "label": label,
        "role": role,
        "kind": "numeric" if numeric else "categorical",
        "n": len(known),
        "missing": len(labelled) - len(known),
        "categories": known[feature].nunique(),
        "levels": known[label].nunique(),
        "p": float("nan"),
        "p_method": "",
        "note": [],
    }
    row["note"] += _refusals(row, known)
    if row["note"]:
        return row
    unseen = sorted(set(labelled[label]) - set(known[label]))
    if unseen:
        row["note"].append(f"no value in any build of {_listed(unseen)}")
    single = [str(level) for level, count in known[label].value_counts().items() if count == 1]
    if single:
        row["note"].append(f"one build only of {_listed(sorted(single))}")
    n = len(known)
    if numeric:
        codes, _ = pd.factorize(known[label], sort=True)
        h, df = association.kruskal_wallis(known[feature].to_numpy(dtype=np.float64), codes)
        low, high = association.epsilon_interval(h, df, n)
        corrected = association.corrected_epsilon_squared(h, df, n)
        row |= {"statistic": h, "df": df, "effect": association.epsilon_squared(h, n), "corrected": corrected}
        row |= {"low": low, "high": high, "w": math.sqrt(corrected), "p_asymptotic": float(stats.chi2.sf(h, df))}
        return row
    counts = association.contingency(known, feature, label)
    df = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    chi2 = association.chi_squared(counts)
    low, high = association.v_interval(counts)
    corrected = association.corrected_v(counts)
    row |= {"statistic": chi2, "df": df, "effect": association.cramers_v(counts), "corrected": corrected}
    row |= {"low": low, "high": high, "w": association.cohens_w(corrected, *counts.shape)}
    row["min_expected"], row["cells_below_5"] = association.sparseness(counts)
    row["p_asymptotic"] = float(stats.chi2.sf(chi2, df))
    if high == 0:
        row["note"].append("more even than independence gives, so that the interval shrinks to 0")
    return row


def _refusals(row: dict[str, Any], known: pd.DataFrame) -> list[str]:
    """Why no association of this feature and label can be given at all."""
    n, categories, levels = row["n"], row["categories"], row["levels"]
    if n == 0:
        return ["no build has both the feature and the label"]
    if categories == 1:
        return [f"one category ({known[row['feature']].iloc[0]}) in all {n:,} builds: nothing to associate"]
    if levels == 1:
        return [f"one {row['label']} ({known[row['label']].iloc[0]}) in all {n:,} builds: nothing to compare"]
    for what, count in (("categories", categories), (f"levels of {row['label']}", levels)):
        if row["kind"] == "numeric" and what == "categories":
            continue
        if count > MOST_CATEGORIES or n / count < FEWEST_BUILDS_A_CATEGORY:
            return [f"{count:,} {what} in {n:,} builds: too many to compare"]
    if n <= levels + 1:
        return [f"{n} builds of {levels} levels of {row['label']}: too few to compare"]
    return []


def _test_within(
    frame: pd.DataFrame,
    names: Iterable[str],
    label: str,
    within: list[str],
    others: list[str],
    rows: dict[tuple[str, str], dict[str, Any]],
    draws: int,
    seed: int,
) -> None:
    """Adds what holds within strata to the rows of a label: p, null control, held effect, and the spread over tasks."""
    held = [*within, *others]
    notes = _label_notes(frame, label, within, others)
    groups: dict[bytes, list[str]] = {}
    for name in names:
        row = rows[name, label]
        if row["note"] and "statistic" not in row:
            continue
        row["note"] += notes
        if not within:
            row["note"].append("no task is held: nothing is known of single tasks")
        groups.setdefault(frame[name].notna().to_numpy().tobytes(), []).append(name)
        if within:
            _add_tasks(frame, row, within, seed)
    for mask, members in groups.items():
        known = frame[frame[members[0]].notna()]
        shared = stratified.shared_strata(known, label, held)
        if shared.empty:
            for name in members:
                where = " × ".join(held)
                rows[name, label]["note"].append(f"not identifiable: no two levels of {label} meet in one {where}")
                rows[name, label]["within_n"] = 0
            continue
        rng = np.random.default_rng([seed, zlib.crc32(label.encode()), zlib.crc32(mask)])
        _permute(shared, members, label, within, held, rows, draws, rng)


def _permute(
    shared: pd.DataFrame,
    members: Sequence[str],
    label: str,
    within: list[str],
    held: list[str],
    rows: dict[tuple[str, str], dict[str, Any]],
    draws: int,
    rng: np.random.Generator,
) -> None:
    """p, null control and held effect of features that are known in the same builds, over one set of permutations."""
    labels, _ = pd.factorize(shared[label], sort=True)
    strata, _ = pd.factorize(stratified.stratum_keys(shared, held), sort=True)
    tasks, _ = pd.factorize(stratified.stratum_keys(shared, within), sort=True)
    levels = int(labels.max()) + 1
    observed: dict[str, Pooled] = {}
    for name in members:
        row = rows[name, label]
        row["within_n"] = len(shared)
        if shared[name].nunique() < 2:
            row["note"].append(f"the feature has one value wherever levels of {label} meet: not tested")
        elif row["kind"] == "numeric":
            observed[name] = pooled_values(shared[name].to_numpy(dtype=np.float64), labels, strata, tasks)
        else:
            codes, _ = pd.factorize(shared[name], sort=True)
            observed[name] = pooled_categories(codes, labels, strata, tasks)
    drawn: dict[str, list[FloatArray]] = {name: [] for name in observed}
    # The first draw is the null control: one shuffle of the label, measured and tested like the real one.
    control = labels
    for number, chunk in enumerate(permuted_labels(labels, strata, draws + 1, rng)):
        control = chunk[0] if number == 0 else control
        for name, statistic in observed.items():
            drawn[name].append(statistic.permuted(chunk))
    where = f"permutation within {' × '.join(held)}" if held else "permutation of all labels"
    for name, statistic in observed.items():
        row, values = rows[name, label], np.concatenate(drawn[name])
        numeric = row["kind"] == "numeric"
        categories = shared[name].nunique()
        row["p"] = permutation_p(statistic.statistic, values[1:])
        row["p_method"] = f"{where}, {draws:,} draws"
        row["null_p"] = permutation_p(float(values[0]), values[1:])
        codes, _ = pd.factorize(shared[name], sort=True)
        shuffled = np.bincount(codes * levels + control, minlength=categories * levels).reshape(categories, levels)
        corrected = float(stratified.effects(shuffled, numeric)[1])
        row["null_corrected"] = corrected**2 if numeric else corrected
        row["within"] = stratified.held_effect(statistic, len(shared), categories, levels, numeric)
        if math.isnan(row["within"]):
            row["note"].append(f"{len(shared)} builds where levels of {label} meet: too few for an effect")
        if math.isnan(corrected):
            row["note"].append("the shuffled label has no effect to show: too few builds")
        row["within_w"] = row["within"] if numeric else association.cohens_w(row["within"], categories, levels)


def _add_tasks(frame: pd.DataFrame, row: dict[str, Any], within: list[str], seed: int) -> None:
    feature, label, held = row["feature"], row["label"], " × ".join(within)
    row |= stratified.over_tasks(frame, feature, label, within, seed)
    if row["tasks"] and math.isnan(row["heterogeneity"]):
        row["note"].append(f"it varies in fewer than two levels of {held}: no heterogeneity")
    if "without_task_low" not in row:
        row["note"].append(f"it does not vary once one level of {held} is left out")
    if math.isnan(row["task_low"]):
        row["note"].append(f"fewer than {stratified.MINIMUM_TASKS} levels of {held} to resample")


def _label_notes(frame: pd.DataFrame, label: str, within: list[str], others: list[str]) -> list[str]:
    """Levels of a label that can't be compared with others, or in one task only."""
    held = [*within, *others]
    if not held or frame[label].nunique() > MOST_CATEGORIES:
        return []
    where = " × ".join(held)
    levels = stratified.identifiability(frame, label, held)
    notes = []
    lone = list(levels.loc[~levels["shares"], "level"])
    if lone and levels["shares"].any():
        notes.append(
            f"{_listed(lone)}: no other {label} in the same {where}, dropped from the comparison within strata"
        )
    parts = levels[levels["shares"]].groupby("component")["level"].apply(list)
    if len(parts) > 1:
        apart = " | ".join(_listed(part) for part in parts)
        notes.append(f"{label} falls into {len(parts)} sets that never meet in one {where}: {apart}")
    if within:
        in_tasks = stratified.identifiability(frame, label, within)
        single = [(level, task) for level, task in zip(in_tasks["level"], in_tasks["only_in"], strict=True) if task]
        where = " × ".join(within)
        if len(single) > MOST_NAMED:
            notes.append(f"{_listed([level for level, _ in single])} occur in one {where} only")
        else:
            notes += [f"{level} occurs in one {where} only ({task})" for level, task in single]
    return notes


def _strength(row: pd.Series[Any]) -> str:
    if math.isnan(row["effect"]):
        return "not tested"
    if row["within_n"] == 0:
        return "not identifiable"
    if math.isnan(row["p"]) or math.isnan(row["within_w"]):
        return "not tested"
    if row["q"] >= ALPHA:
        return "none"
    if row["within_w"] < MEDIUM:
        return "weak"
    return "medium" if row["within_w"] < STRONG else "strong"


def _verdict_note(rows: dict[str, pd.Series[Any]]) -> str:
    weak = [
        f"weak: follows {label} (w {row['within_w']:.2f} < {MEDIUM:.2f})"
        for label, row in rows.items()
        if row["strength"] == "weak"
    ]
    one_task = [
        f"as a {label} effect it rests on {row['highest_in']} (V~ {row['highest']:.2f} there, {rest:.2f} without it)"
        for label, row in rows.items()
        if row["strength"] in ("medium", "strong")
        and row["without_task_low_left_out"] == row["highest_in"]
        and (rest := row["without_task_low"]) < row["highest"] / 2
    ]
    notes = [note for row in rows.values() for note in str(row["note"]).split("; ") if note]
    return "; ".join(dict.fromkeys([*weak, *one_task, *notes]))


def _listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    shown = ", ".join(map(str, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"
