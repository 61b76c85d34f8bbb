"""Runs with their outcomes as numbers: a table as it came, checked against a plan, cut into strata."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from forensics.records import InputError
from forensics.statistics.plan import Contrast, Outcome, Plan, Where
from forensics.statistics.strata import Stratum

NUMBER = re.compile(r"[+-]?(\d{1,18}(\.\d*)?|\.\d+|\d+\.\d*)([eE][+-]?\d+)?|[+-]?inf", re.IGNORECASE)
TRUTH = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}


class Runs(Struct, frozen=True, kw_only=True):
    """Runs, one a row, in the order of the file.

    `frame` is the table as given, with the plan's arm, group and block columns as str. `outcomes` has a float64 column
    for each outcome of the plan that the table holds, NaN where a run was not measured. `absent` maps the other
    outcomes to the reason. `unplaced` counts rows without arm, group or block; they are left out.
    """

    source: str
    plan: Plan
    frame: pd.DataFrame
    outcomes: pd.DataFrame
    absent: dict[str, str]
    unplaced: int


def read_table(path: str | Path) -> pd.DataFrame:
    """A CSV as a data frame: text, or numbers where every value of the column is one; an empty cell is missing.

    Floats are the nearest to what the text says; older pandas' own parser is off by the last bit, which splits ties.
    Raises InputError where the file is absent, not CSV, or holds no row.
    """
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""], encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except pd.errors.EmptyDataError as error:
        raise InputError(f"{path}: the file is empty") from error
    except (pd.errors.ParserError, UnicodeDecodeError, OSError) as error:
        raise InputError(f"{path}: can't be read as CSV: {' '.join(str(error).split())}") from error
    if frame.empty:
        raise InputError(f"{path}: holds a header but no row")
    return frame.apply(_typed)


def runs_of(frame: pd.DataFrame, plan: Plan, source: str = "the data frame") -> Runs:
    """The runs of a table with one row a run. Raises InputError, naming the column, where the plan can't apply."""
    if frame.empty:
        raise InputError(f"{source}: holds no run")
    for role in ("arm", "group", "block"):
        column = getattr(plan, role)
        if column not in frame.columns:
            offered = ", ".join(map(str, frame.columns))
            raise InputError(f"{source}: no column '{column}' (the plan's {role}); columns there: {offered}")
    frame = frame.reset_index(drop=True)
    placed = frame[[plan.arm, plan.group, plan.block]].notna().all(axis=1)
    if not placed.any():
        raise InputError(f"{source}: no row has a value in all of {plan.arm}, {plan.group} and {plan.block}")
    kept = frame[placed].reset_index(drop=True)
    for column in (plan.arm, plan.group, plan.block):
        kept[column] = kept[column].astype(str).astype(object)
    for column, suffix in plan.strip_suffix.items():
        if column in kept.columns:
            kept[column] = kept[column].astype(str).str.removesuffix(suffix).astype(object)
    outcomes: dict[str, pd.Series[Any]] = {}
    absent: dict[str, str] = {}
    for name, outcome in plan.outcomes.items():
        if outcome.column not in kept.columns:
            absent[name] = f"no column '{outcome.column}'" + (f": {outcome.absent}" if outcome.absent else "")
        elif kept[outcome.column].isna().all():
            absent[name] = f"column '{outcome.column}' is empty"
        else:
            outcomes[name] = _measured(kept[outcome.column], outcome, source)
    return Runs(
        source=source,
        plan=plan,
        frame=kept,
        outcomes=pd.DataFrame(outcomes, index=kept.index),
        absent=absent,
        unplaced=int((~placed).sum()),
    )


def rows_where(runs: Runs, where: Where) -> pd.Series[bool]:
    """Which rows meet every condition. Raises InputError for a column that isn't there."""
    meets = pd.Series(True, index=runs.frame.index)
    for column, values in where.items():
        if column not in runs.frame.columns:
            raise InputError(f"{runs.source}: no column '{column}', which the plan's `where` names")
        meets &= runs.frame[column].astype(str).isin(values)
    return meets


def strata_of(runs: Runs, contrast: Contrast) -> tuple[tuple[Stratum, ...], tuple[str, ...]]:
    """The strata with runs in both arms, in order of first appearance, and the keys of those with runs in one only.

    Strata of a baseline follow those of the contrast itself, with sign −1.
    """
    return strata_between(runs, contrast.outcome, contrast.arms, contrast.where, contrast.baseline)


def strata_between(
    runs: Runs, outcome: str, arms: tuple[str, str], where: Where, baseline: Where | None = None
) -> tuple[tuple[Stratum, ...], tuple[str, ...]]:
    """As `strata_of`, of the parts of a contrast."""
    strata, dropped = _strata(runs, runs.outcomes[outcome], arms, where)
    if baseline:
        opposed, dropped_too = _strata(runs, runs.outcomes[outcome], arms, baseline)
        strata += [Stratum(key=item.key, a=item.a, b=item.b, sign=-1) for item in opposed]
        dropped += dropped_too
    return tuple(strata), tuple(dropped)


def placeholder_strata(runs: Runs, contrast: Contrast) -> tuple[Stratum, ...]:
    """Strata of the sizes that the contrast would have if every run were measured; all values are 0.

    A random stream depends on the sizes only: a contrast whose outcome is not in the table still keeps it in step.
    """
    zeros = pd.Series(0.0, index=runs.frame.index)
    return tuple(_strata(runs, zeros, contrast.arms, contrast.where)[0])


def _strata(runs: Runs, values: pd.Series[Any], arms: tuple[str, str], where: Where) -> tuple[list[Stratum], list[str]]:
    plan, frame = runs.plan, runs.frame
    chosen = rows_where(runs, where) & values.notna() & frame[plan.arm].isin(arms)
    lists: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for group, block, arm, value in zip(
        frame.loc[chosen, plan.group],
        frame.loc[chosen, plan.block],
        frame.loc[chosen, plan.arm],
        values[chosen],
        strict=True,
    ):
        pair = lists.setdefault((group, block), ([], []))
        pair[arms.index(arm)].append(float(value))
    strata = [Stratum(key=key, a=tuple(a), b=tuple(b)) for key, (a, b) in lists.items() if a and b]
    return strata, [" × ".join(key) for key, (a, b) in lists.items() if not (a and b)]


def _typed(column: pd.Series[Any]) -> pd.Series[Any]:
    known = column.dropna()
    if len(known) and known.map(lambda text: NUMBER.fullmatch(text) is not None).all():
        whole = len(known) == len(column) and known.map(lambda text: text.lstrip("+-").isdigit()).all()
        return column.map(int).astype("int64") if whole else column.map(float, na_action="ignore").astype("float64")
    return column.astype(object).where(column.notna(), None)


def _measured(column: pd.Series[Any], outcome: Outcome, source: str) -> pd.Series[Any]:
    """The outcome as float64, NaN where missing."""
    values = column.map(lambda value: TRUTH.get(str(value).strip().lower(), value))
    numbers = pd.to_numeric(values, errors="coerce").astype("float64")
    wrong = column[numbers.isna() & column.notna()]
    if len(wrong):
        raise InputError(f"{source}: column '{outcome.column}' holds '{wrong.iloc[0]}', which is no number")
    if np.isinf(numbers).any():
        raise InputError(f"{source}: column '{outcome.column}' holds an infinite value")
    if outcome.transform == "log":
        if (numbers <= 0).any():
            raise InputError(f"{source}: column '{outcome.column}' holds {numbers.min():g}, which has no logarithm")
        return pd.Series(np.log(numbers), index=column.index)
    return numbers


def with_reasons(table: pd.DataFrame) -> pd.DataFrame:
    """The table with "" in `reason` and `note` where a row has none."""
    for name in ("reason", "note"):
        if name in table.columns:
            table[name] = table[name].astype(object).where(table[name].notna(), "")
    return table


def levels(values: Sequence[Any], first: Sequence[str] = ()) -> list[str]:
    """Distinct values, those of `first` in its order, then the others sorted."""
    present = set(map(str, values))
    return [*(value for value in first if value in present), *sorted(present - set(first))]
