"""A study's contrasts between arms, from a table with one row a run.

Every function takes `Runs` (see `runs.runs_of`) and returns a data frame; `analyse` gives them all from a plain data
frame. What is computed and by which convention is said in docs/contrasts.md. A figure that can't be computed is NaN,
and the column `reason` of its row says why.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct, structs

from forensics.statistics import ladders
from forensics.statistics.mixed_model import mixed_model
from forensics.statistics.multiplicity import holm
from forensics.statistics.plan import Contrast, GroupTests, Plan
from forensics.statistics.replay import Stream
from forensics.statistics.runs import Runs, placeholder_strata, runs_of, strata_between, strata_of, with_reasons
from forensics.statistics.strata import (
    Stratum,
    bootstrap_interval,
    effect,
    exact_mean,
    permutation_test,
    sign_test,
    welch_interval,
)

TABLES: dict[str, str] = {
    "contrasts": "Contrasts",
    "differences": "Differences by group",
    "mixed": "Mixed-model cross-check",
    "group_tests": "Tests within groups",
    "ladders": "Score and survival ladders",
    "defects": "Defect rates",
    "profiles": "Profiles by group",
    "cells": "Mean and spread by cell",
}
"""The tables of `analyse`, in order, with their titles."""


class _Tested(Struct, frozen=True, kw_only=True):
    low: float
    high: float
    p_greater: float
    p_less: float
    p_two_sided: float
    method: str
    note: str = ""


def analyse(
    frame: pd.DataFrame, plan: Plan, replicate: bool = False, source: str = "the data frame"
) -> dict[str, pd.DataFrame]:
    """Every table of `TABLES` from a frame with one row a run.

    With `replicate`, p-values and intervals are those of the study's published random stream, else exact or sampled
    with the plan's seed. Raises InputError where the plan's columns are not in the frame.
    """
    runs = runs_of(frame, plan, source)
    return {
        "contrasts": contrasts(runs, replicate),
        "differences": differences(runs),
        "mixed": mixed(runs),
        "group_tests": group_tests(runs, replicate),
        "ladders": ladders.ladders(runs),
        "defects": ladders.defect_rates(runs),
        "profiles": ladders.profiles(runs),
        "cells": ladders.cells(runs),
    }


def contrasts(runs: Runs, replicate: bool = False) -> pd.DataFrame:
    """One row a contrast of the plan.

    Columns: `contrast`, `title`, `family`, `outcome`, `arm_a`, `arm_b`; `n` runs and `strata`; `effect` (A − B, in
    units of the outcome) with the bootstrap's 95 % `low`, `high` and Student's `welch_low`, `welch_high`; `p_greater`,
    `p_less`, `p_two_sided`; the `alternative` that the study tests, its `p` and `p_holm` within the family; the sign
    test over groups `p_sign` with the counts `groups_up`, `groups_down`; `method` of the p-values; `reason`.
    """
    plan = runs.plan
    tested = _replayed(runs)[0] if replicate else {}
    rows = []
    for contrast in plan.contrasts:
        row: dict[str, Any] = {
            "contrast": contrast.id,
            "title": contrast.title,
            "family": contrast.family,
            "outcome": contrast.outcome,
            "arm_a": contrast.arms[0],
            "arm_b": contrast.arms[1],
            "alternative": contrast.alternative,
        }
        strata, dropped = _strata_or_none(runs, contrast)
        reason = _untestable(runs, contrast, strata)
        if reason:
            stand_in = contrast.published_p
            if stand_in is not None:
                reason += f"; its published p ({_plain(stand_in)}) stands in the Holm family"
            rows.append(row | {"n": 0, "strata": 0, "p": stand_in, "method": "", "reason": reason})
            continue
        result = tested.get(contrast.id) or _tested(strata, plan, contrast.id, plan.bootstrap)
        signs = _group_differences(strata, plan) if not contrast.baseline else {}
        welch = welch_interval(strata)
        notes = [result.note, welch.reason, _dropped_note(dropped)]
        rows.append(
            row
            | {
                "n": sum(stratum.weight for stratum in strata),
                "strata": len(strata),
                "effect": effect(strata),
                "low": result.low,
                "high": result.high,
                "welch_low": welch.low,
                "welch_high": welch.high,
                "p_greater": result.p_greater,
                "p_less": result.p_less,
                "p_two_sided": result.p_two_sided,
                "p": _of_alternative(result, contrast.alternative),
                "p_sign": sign_test(list(signs.values())) if signs else math.nan,
                "groups_up": sum(value > 0 for value in signs.values()) if signs else None,
                "groups_down": sum(value < 0 for value in signs.values()) if signs else None,
                "method": result.method,
                "reason": "; ".join(note for note in notes if note),
            }
        )
    table = pd.DataFrame(rows, columns=list(_COLUMNS))
    for column in _NUMBERS:
        table[column] = table[column].astype("float64")
    for column in ("groups_up", "groups_down"):
        table[column] = table[column].astype("Int64")
    for family in plan.corrected:
        members = table["family"] == family
        table.loc[members, "p_holm"] = holm(table.loc[members, "p"].to_numpy())
    # A stand-in serves the family's correction; it is no p-value computed from this table.
    table.loc[table["strata"] == 0, ["p", "p_holm"]] = math.nan
    return table


_NUMBERS = (
    *("effect", "low", "high", "welch_low", "welch_high", "p_greater", "p_less", "p_two_sided", "p", "p_holm"),
    "p_sign",
)
_COLUMNS = (
    *("contrast", "title", "family", "outcome", "arm_a", "arm_b", "n", "strata", "effect", "low", "high"),
    *("welch_low", "welch_high", "alternative", "p", "p_holm", "p_greater", "p_less", "p_two_sided", "p_sign"),
    *("groups_up", "groups_down", "method", "reason"),
)


def differences(runs: Runs) -> pd.DataFrame:
    """One row a contrast and group: `contrast`, `group`, `n_a`, `n_b`, `mean_a`, `mean_b`, `difference` (plain means
    over the strata that the contrast uses; not rounded). Contrasts that can't be computed, and differences in
    differences, have no row."""
    rows = []
    for contrast in runs.plan.contrasts:
        strata, _ = _strata_or_none(runs, contrast)
        if not strata or contrast.baseline:
            continue
        for group, (a, b) in sorted(_pooled(strata).items()):
            rows.append(
                {
                    "contrast": contrast.id,
                    "group": group,
                    "n_a": len(a),
                    "n_b": len(b),
                    "mean_a": exact_mean(a),
                    "mean_b": exact_mean(b),
                    "difference": exact_mean(a) - exact_mean(b),
                }
            )
    return pd.DataFrame(rows, columns=["contrast", "group", "n_a", "n_b", "mean_a", "mean_b", "difference"])


def mixed(runs: Runs) -> pd.DataFrame:
    """One row a contrast with `mixed = true`: `contrast`, `n`, `estimate`, `standard_error`, `low`, `high`, `p`
    (Wald, two-sided), `group_variance`, `residual_variance`, `converged`, `note`, `reason`."""
    rows = []
    for contrast in runs.plan.contrasts:
        if not contrast.mixed:
            continue
        if contrast.outcome in runs.absent:
            rows.append({"contrast": contrast.id, "n": 0, "reason": runs.absent[contrast.outcome]})
        else:
            rows.append({"contrast": contrast.id, **structs.asdict(mixed_model(runs, contrast))})
    columns = [
        *("contrast", "n", "estimate", "standard_error", "low", "high", "p", "group_variance", "residual_variance"),
        *("converged", "note", "reason"),
    ]
    return with_reasons(pd.DataFrame(rows, columns=columns))


def group_tests(runs: Runs, replicate: bool = False) -> pd.DataFrame:
    """One row a test, block and group, alphabetical within the block.

    Columns: `test`, `block`, `group`, `n_a`, `n_b`, `mean_a`, `mean_b`, `difference`, `p_greater`, `p_two_sided` (exact
    unless replayed), `p_holm` (over the two-sided p of the whole test), `exposure` (sum of the exposure column over arm
    A), `launched_a`, `launched_b`, `method`, `reason`.
    """
    replayed = _replayed(runs)[1] if replicate else {}
    rows: list[dict[str, Any]] = []
    for test in runs.plan.group_tests:
        if test.outcome in runs.absent:
            rows.append({"test": test.id, "block": "", "group": "", "reason": runs.absent[test.outcome]})
            continue
        for value in test.values:
            found = _single_strata(runs, test, value)
            if not found:
                reason = f"no group has runs of both {test.arms[0]} and {test.arms[1]}"
                rows.append({"test": test.id, "block": value, "group": "", "reason": reason})
            for group, stratum in found:
                result = replayed.get((test.id, value, group)) or _tested(
                    (stratum,), runs.plan, f"{test.id}/{value}/{group}", 0
                )
                exposure = _exposure(runs, test, value, group)
                unused = (
                    f"{group} never used what {test.arms[0]} grants: untestable"
                    if exposure.get("exposure") == 0
                    else ""
                )
                rows.append(
                    {
                        "test": test.id,
                        "block": value,
                        "group": group,
                        "n_a": len(stratum.a),
                        "n_b": len(stratum.b),
                        "mean_a": exact_mean(stratum.a),
                        "mean_b": exact_mean(stratum.b),
                        "difference": exact_mean(stratum.a) - exact_mean(stratum.b),
                        "p_greater": result.p_greater,
                        "p_two_sided": result.p_two_sided,
                        **exposure,
                        "method": result.method,
                        "reason": "; ".join(note for note in (unused, result.note) if note),
                    }
                )
    table = pd.DataFrame(
        rows,
        columns=[
            *("test", "block", "group", "n_a", "n_b", "mean_a", "mean_b", "difference", "p_greater", "p_two_sided"),
            *("p_holm", "exposure", "launched_a", "launched_b", "method", "reason"),
        ],
    )
    for test in runs.plan.group_tests:
        members = table["test"] == test.id
        table.loc[members, "p_holm"] = holm(table.loc[members, "p_two_sided"].astype("float64").to_numpy())
    counts = ["n_a", "n_b", "launched_a", "launched_b"]
    table[counts] = table[counts].astype("Int64")
    return table


def _tested(strata: tuple[Stratum, ...], plan: Plan, name: str, bootstrap: int) -> _Tested:
    # Each contrast has its own generator: its figures don't depend on which others stand in the plan.
    generator = np.random.default_rng([plan.seed, zlib.crc32(name.encode())])
    test = permutation_test(strata, plan.permutations, generator)
    low = high = math.nan
    note = ""
    if bootstrap:
        interval = bootstrap_interval(strata, bootstrap, generator)
        low, high, note = interval.low, interval.high, interval.reason
    return _Tested(
        low=low,
        high=high,
        p_greater=test.p_greater,
        p_less=test.p_less,
        p_two_sided=test.p_two_sided,
        method=test.method,
        note=note,
    )


def _replayed(runs: Runs) -> tuple[dict[str, _Tested], dict[tuple[str, str, str], _Tested]]:
    """Every contrast and group test as the study's stream gives it, drawn in the order of the plan."""
    plan = runs.plan
    stream = Stream(plan.seed)
    by_contrast: dict[str, _Tested] = {}
    by_group: dict[tuple[str, str, str], _Tested] = {}
    for contrast in plan.contrasts:
        if contrast.outcome in runs.absent:
            stand_in = placeholder_strata(runs, contrast)
            if stand_in:
                stream.contrast(stand_in, plan.permutations, plan.bootstrap)
            continue
        strata, _ = strata_of(runs, contrast)
        if not _untestable(runs, contrast, strata):
            by_contrast[contrast.id] = _drawn(stream, strata, plan, plan.bootstrap)
    for test in plan.group_tests:
        if test.replayed and test.outcome not in runs.absent:
            for value in test.values:
                for group, stratum in _single_strata(runs, test, value):
                    by_group[test.id, value, group] = _drawn(stream, (stratum,), plan, 0)
    return by_contrast, by_group


def _drawn(stream: Stream, strata: tuple[Stratum, ...], plan: Plan, bootstrap: int) -> _Tested:
    result = stream.contrast(strata, plan.permutations, bootstrap)
    note = ""
    if not math.isclose(result.p_two_sided, result.p_two_sided_ties, abs_tol=0.005):
        note = f"floating-point ties: two-sided p is {result.p_two_sided_ties:.4f} with ties counted"
    return _Tested(
        low=math.nan if result.low is None else result.low,
        high=math.nan if result.high is None else result.high,
        p_greater=result.p_greater,
        p_less=result.p_less,
        p_two_sided=result.p_two_sided,
        method=f"replayed stream, {plan.permutations:,} draws",
        note=note,
    )


def _of_alternative(result: _Tested, alternative: str) -> float:
    return {"greater": result.p_greater, "less": result.p_less, "two-sided": result.p_two_sided}[alternative]


def _strata_or_none(runs: Runs, contrast: Contrast) -> tuple[tuple[Stratum, ...], tuple[str, ...]]:
    return ((), ()) if contrast.outcome in runs.absent else strata_of(runs, contrast)


def _untestable(runs: Runs, contrast: Contrast, strata: tuple[Stratum, ...]) -> str:
    """Why the contrast can't be computed; "" where it can."""
    if contrast.outcome in runs.absent:
        return f"can't be computed from this table: {runs.absent[contrast.outcome]}"
    arms = set(runs.frame[runs.plan.arm])
    for arm in contrast.arms:
        if arm not in arms:
            return f"no run has the {runs.plan.arm} '{arm}'"
    signs = (1, -1) if contrast.baseline else (1,)
    for sign in signs:
        if not any(stratum.sign == sign for stratum in strata):
            where = "baseline" if sign < 0 else "contrast"
            return f"no {runs.plan.group} × {runs.plan.block} of the {where} has measured runs in both arms"
    return ""


def _pooled(strata: tuple[Stratum, ...]) -> dict[str, tuple[list[float], list[float]]]:
    """Group → its runs in arm A and in arm B, over all strata."""
    pooled: dict[str, tuple[list[float], list[float]]] = {}
    for stratum in strata:
        a, b = pooled.setdefault(stratum.key[0], ([], []))
        a.extend(stratum.a)
        b.extend(stratum.b)
    return pooled


def _group_differences(strata: tuple[Stratum, ...], plan: Plan) -> dict[str, float]:
    rounded: Callable[[float], float] = (
        (lambda value: round(value, plan.sign_digits)) if plan.sign_digits is not None else float
    )
    return {group: rounded(exact_mean(a) - exact_mean(b)) for group, (a, b) in _pooled(strata).items()}


def _single_strata(runs: Runs, test: GroupTests, value: str) -> list[tuple[str, Stratum]]:
    """Each group's runs in both arms at one value of the split column, alphabetical by group."""
    found, _ = strata_between(runs, test.outcome, test.arms, {test.split: (value,)})
    pooled = _pooled(found)
    return [(group, Stratum(key=(group, value), a=tuple(a), b=tuple(b))) for group, (a, b) in sorted(pooled.items())]


def _exposure(runs: Runs, test: GroupTests, value: str, group: str) -> dict[str, Any]:
    frame, plan = runs.frame, runs.plan
    here = (frame[test.split].astype(str) == value) & (frame[plan.group] == group)
    arms = [here & (frame[plan.arm] == arm) for arm in test.arms]
    row: dict[str, Any] = {}
    if test.exposure and test.exposure in frame.columns:
        row["exposure"] = float(pd.to_numeric(frame.loc[arms[0], test.exposure], errors="coerce").sum())
    if test.launched and test.launched not in runs.absent:
        launched = runs.outcomes[test.launched]
        row["launched_a"], row["launched_b"] = (int((launched[arm] == 1).sum()) for arm in arms)
    return row


def _dropped_note(dropped: tuple[str, ...]) -> str:
    if not dropped:
        return ""
    shown = ", ".join(dropped[:3]) + (f" and {len(dropped) - 3} more" if len(dropped) > 3 else "")
    return f"left out, runs in one arm only: {shown}"


def _plain(p: float) -> str:
    return f"{p:.4f}".lstrip("0")
