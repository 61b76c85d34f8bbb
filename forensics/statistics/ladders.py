"""The descriptive tables of a study: means by block and arm, their spread, defect rates, profiles of groups.

A ladder is an outcome's mean over the runs of a block and an arm as assigned (intention to treat): a run that never
started counts with its 0. Shares are fractions of 1, not truncated; the published tables print whole percents cut off.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from forensics.statistics.intervals import wilson
from forensics.statistics.plan import Ladder
from forensics.statistics.runs import Runs, levels, with_reasons
from forensics.statistics.strata import exact_mean

POOLED = "pooled"


def ladders(runs: Runs) -> pd.DataFrame:
    """One row a ladder, block and arm: `ladder`, `block` (`pooled` for the pooled line), `arm`, `n`, `mean`, `reason`.

    Cells without a measured run have no row.
    """
    plan, rows = runs.plan, []
    for ladder in plan.ladders:
        reason = _missing(runs, ladder)
        if reason:
            row = {"ladder": ladder.id, "block": "", "arm": "", "n": 0, "mean": math.nan}
            rows.append(row | {"reason": reason})
            continue
        for block, arm, cell in _cells(runs, _values(runs, ladder)):
            rows.append({"ladder": ladder.id, "block": block, "arm": arm, "n": len(cell), "mean": exact_mean(cell)})
        pooled = _pooled_values(runs, ladder)
        for arm in levels(runs.frame[plan.arm].tolist(), plan.arm_order):
            cell = pooled[runs.frame[plan.arm] == arm].dropna().tolist()
            if cell:
                row = {"ladder": ladder.id, "block": POOLED, "arm": arm, "n": len(cell)}
                rows.append(row | {"mean": exact_mean(cell)})
    return with_reasons(pd.DataFrame(rows, columns=["ladder", "block", "arm", "n", "mean", "reason"]))


def cells(runs: Runs) -> pd.DataFrame:
    """One row an outcome, block and arm: `outcome`, `block`, `arm`, `n`, `mean`, `sd` (population, as in the study's
    Appendix F), `sd_sample` (NaN for one run)."""
    rows = []
    for name in runs.outcomes.columns:
        for block, arm, cell in _cells(runs, runs.outcomes[name]):
            mean = exact_mean(cell)
            squares = math.fsum((value - mean) ** 2 for value in cell)
            spread = math.sqrt(squares / (len(cell) - 1)) if len(cell) > 1 else math.nan
            row = {"outcome": name, "block": block, "arm": arm, "n": len(cell), "mean": mean}
            rows.append(row | {"sd": math.sqrt(squares / len(cell)), "sd_sample": spread})
    return pd.DataFrame(rows, columns=["outcome", "block", "arm", "n", "mean", "sd", "sd_sample"])


def defect_rates(runs: Runs) -> pd.DataFrame:
    """One row a defect and level, over all runs, by arm and by group.

    Columns: `defect`, `by` ("all" or the column's name), `level`, `n`, `defective`, `undecided`, `rate` with Wilson's
    95 % `low` and `high`, `reason`. Undecided runs count in `n` and not in `defective`.
    """
    plan, frame = runs.plan, runs.frame
    rows: list[dict[str, Any]] = []
    for defect in plan.defects:
        if defect.column not in frame.columns:
            rows.append({"defect": defect.id, "by": "all", "level": "", "reason": f"no column '{defect.column}'"})
            continue
        status = frame[defect.column]
        bad = status.astype(str).isin(defect.values) & status.notna()
        undecided = status.isna() | status.astype(str).isin(defect.undecided)
        by: list[tuple[str, str, pd.Series[bool]]] = [("all", "all", pd.Series(True, index=frame.index))]
        for column, order in ((plan.arm, plan.arm_order), (plan.group, ())):
            by += [(column, level, frame[column] == level) for level in levels(frame[column].tolist(), order)]
        for column, level, here in by:
            n, count = int(here.sum()), int((bad & here).sum())
            low, high = (float(end) for end in wilson(count, n))
            row = {"defect": defect.id, "by": column, "level": level, "n": n, "defective": count, "rate": count / n}
            rows.append(row | {"undecided": int((undecided & here).sum()), "low": low, "high": high})
    columns = ["defect", "by", "level", "n", "defective", "undecided", "rate", "low", "high", "reason"]
    table = with_reasons(pd.DataFrame(rows, columns=columns))
    table[["n", "defective", "undecided"]] = table[["n", "defective", "undecided"]].astype("Int64")
    return table


def profiles(runs: Runs) -> pd.DataFrame:
    """One row a group: `group`, `n`, then for each ladder its mean over the group's pooled runs, for each defect
    `<defect>_rate`, each exposure by its id, and `lift` where the plan declares one. NaN: no measured run."""
    plan, frame = runs.plan, runs.frame
    values = {item.id: _pooled_values(runs, item) for item in plan.ladders if not _missing(runs, item)}
    rows = []
    for group in levels(frame[plan.group].tolist()):
        here = frame[plan.group] == group
        row: dict[str, Any] = {"group": group, "n": int(here.sum())}
        row |= {name: _mean(column[here]) for name, column in values.items()}
        for defect in plan.defects:
            if defect.column in frame.columns:
                status = frame.loc[here, defect.column]
                row[f"{defect.id}_rate"] = float((status.notna() & status.astype(str).isin(defect.values)).mean())
        for exposure in plan.exposures:
            if exposure.column in frame.columns:
                calls = pd.to_numeric(
                    frame.loc[here & (frame[plan.arm] == exposure.arm), exposure.column], errors="coerce"
                )
                row[exposure.id] = _mean(calls.fillna(0.0))
        if plan.lift is not None and plan.lift.ladder in values:
            column = values[plan.lift.ladder]
            means = {arm: _mean(column[here & (frame[plan.arm] == arm)]) for arm in sorted(set(frame[plan.arm]))}
            others = [mean for mean in means.values() if not math.isnan(mean)]
            row["lift"] = max(others, default=math.nan) - means.get(plan.lift.baseline, math.nan)
        rows.append(row)
    return pd.DataFrame(rows)


def _missing(runs: Runs, ladder: Ladder) -> str:
    """Why the ladder can't be computed; "" where it can."""
    return next((runs.absent[name] for name in (ladder.outcome, ladder.given) if name in runs.absent), "")


def _values(runs: Runs, ladder: Ladder) -> pd.Series[Any]:
    values = runs.outcomes[ladder.outcome]
    return values.where(runs.outcomes[ladder.given] == 1) if ladder.given else values


def _pooled_values(runs: Runs, ladder: Ladder) -> pd.Series[Any]:
    values = _values(runs, ladder)
    return values.where(runs.frame[runs.plan.block].isin(ladder.pool)) if ladder.pool else values


def _mean(values: pd.Series[Any]) -> float:
    measured = values.dropna().tolist()
    return exact_mean(measured) if measured else math.nan


def _cells(runs: Runs, values: pd.Series[Any]) -> Iterator[tuple[str, str, list[float]]]:
    """Block, arm and measured values of every cell that has some, blocks sorted, arms in the plan's order."""
    plan, frame = runs.plan, runs.frame
    arms: Iterable[str] = levels(frame[plan.arm].tolist(), plan.arm_order)
    for block in levels(frame[plan.block].tolist()):
        for arm in arms:
            cell = values[(frame[plan.block] == block) & (frame[plan.arm] == arm)].dropna().tolist()
            if cell:
                yield block, arm, cell
