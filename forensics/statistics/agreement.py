"""How far two readings of the same builds agree: Cohen's kappa, weighted kappa, ICC(A,1).

Kappa is agreement beyond chance: (p_o − p_e) / (1 − p_e), with p_e from the two readings' own marginals (Cohen 1960);
with weights, near misses on an ordered scale count in part (Cohen 1968). Its interval uses the large-sample variance
of Fleiss, Cohen and Everitt (Psychol. Bull. 72, 1969, 323–327). Where the readings agree everywhere that variance is 0,
which says nothing of what another sample would show: there Wilson's interval of the agreement is carried through kappa.

ICC(A,1) is the two-way, absolute-agreement, single-measure intraclass correlation with the F interval of McGraw and
Wong (Psychol. Methods 1, 1996, 30–46); Shrout and Fleiss call it ICC(2,1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from forensics.records import InputError
from forensics.statistics.intervals import wilson

Weights = Literal["unweighted", "linear", "quadratic"]
WEIGHTS: tuple[Weights, ...] = ("unweighted", "linear", "quadratic")

KEY_NAMES = (
    *(
        "build",
        "app",
        "id",
        "rid",
        "archive",
        "batch",
        "task",
        "condition",
        "model",
        "run",
        "run_id",
        "item",
        "scanner",
    ),
)
"""Columns that identify a row where both tables have them and no key is given."""

SCALE_LIMIT = 10
"""A numeric column with more distinct values than this is a measurement (ICC), not a scale of categories (kappa)."""


class Kappa(Struct, frozen=True, kw_only=True):
    """Kappa with its 95 % interval; NaN with a `reason` where it isn't defined."""

    n: int
    agreement: float
    kappa: float
    low: float
    high: float
    reason: str = ""


class Icc(Struct, frozen=True, kw_only=True):
    """ICC(A,1) with its 95 % interval; NaN with a `reason` where it isn't defined."""

    n: int
    icc: float
    low: float
    high: float
    reason: str = ""


def cohen_kappa(counts: npt.ArrayLike, weights: Weights = "unweighted", level: float = 0.95) -> Kappa:
    """Kappa of a square table of counts: rows the first reading, columns the second, categories in order.

    `agreement` is the plain share of equal readings, whatever the weights.
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError("a table of agreement is square")
    n = int(table.sum())
    if n == 0:
        return Kappa(n=0, agreement=math.nan, kappa=math.nan, low=math.nan, high=math.nan, reason="nothing to compare")
    shares = table / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    agreement = float(np.trace(shares))
    weight = _weights(len(table), weights)
    observed = float((weight * shares).sum())
    expected = float(rows @ weight @ columns)
    if math.isclose(expected, 1.0, abs_tol=1e-12):
        reason = "both readings give one category throughout: agreement beyond chance is not defined"
        return Kappa(n=n, agreement=agreement, kappa=math.nan, low=math.nan, high=math.nan, reason=reason)
    kappa = (observed - expected) / (1 - expected)
    if math.isclose(observed, 1.0, abs_tol=1e-12):
        share = float(wilson(n, n, level)[0])
        reason = "full agreement: the lower end is Wilson's for the share of agreement, carried through kappa"
        return Kappa(
            n=n, agreement=agreement, kappa=1.0, low=(share - expected) / (1 - expected), high=1.0, reason=reason
        )
    by_row, by_column = weight @ columns, weight.T @ rows
    deviation = weight - (by_row[:, None] + by_column[None, :]) * (1 - kappa)
    variance = float((shares * deviation**2).sum()) - (kappa - expected * (1 - kappa)) ** 2
    half = _normal_quantile(level) * math.sqrt(max(variance, 0.0) / n) / (1 - expected)
    return Kappa(n=n, agreement=agreement, kappa=kappa, low=max(kappa - half, -1.0), high=min(kappa + half, 1.0))


def icc_a1(ratings: npt.ArrayLike, level: float = 0.95) -> Icc:
    """ICC(A,1) of an n × k matrix: a row a subject, a column a reading, no missing value."""
    from scipy import stats

    values = np.asarray(ratings, dtype=np.float64)
    n, k = values.shape
    undefined = Icc(n=n, icc=math.nan, low=math.nan, high=math.nan)
    if n < 2:
        return _because(undefined, f"{n} pair to compare: a correlation needs two or more")
    grand = values.mean()
    between = k * float(((values.mean(axis=1) - grand) ** 2).sum())
    readings = n * float(((values.mean(axis=0) - grand) ** 2).sum())
    residual = max(float(((values - grand) ** 2).sum()) - between - readings, 0.0)
    if between <= 1e-12 * max(1.0, grand**2) * n:
        return _because(undefined, "every subject has the same mean reading: no variance to agree about")
    ms_rows, ms_columns = between / (n - 1), readings / (k - 1)
    ms_error = residual / ((n - 1) * (k - 1))
    icc = (ms_rows - ms_error) / (ms_rows + (k - 1) * ms_error + k * (ms_columns - ms_error) / n)
    if ms_error == 0 and ms_columns == 0:
        return Icc(n=n, icc=1.0, low=1.0, high=1.0, reason="full agreement: the interval has no width")
    a, b = k * icc / (n * (1 - icc)), 1 + k * icc * (n - 1) / (n * (1 - icc))
    spread = (a * ms_columns + b * ms_error) ** 2
    freedom = spread / ((a * ms_columns) ** 2 / (k - 1) + (b * ms_error) ** 2 / ((n - 1) * (k - 1)))
    tail = (1 - level) / 2
    f_low, f_high = (float(stats.f.isf(tail, *degrees)) for degrees in ((n - 1, freedom), (freedom, n - 1)))
    within = k * ms_columns + (k * n - k - n) * ms_error
    low = n * (ms_rows - f_low * ms_error) / (f_low * within + n * ms_rows)
    high = n * (f_high * ms_rows - ms_error) / (within + n * f_high * ms_rows)
    return Icc(n=n, icc=icc, low=low, high=high)


def agreement(
    first: pd.DataFrame,
    second: pd.DataFrame,
    keys: Sequence[str] = (),
    columns: Sequence[str] = (),
    order: Sequence[str] = (),
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Compares two tables with the same columns, row by row as joined over `keys`.

    Without `keys` the known identifying columns that both have serve; without `columns`, all others that both have.
    `order` is the order of categories, from least to most, for the weighted kappas of columns that aren't numeric.

    Returns the summary, one row a column: `column`, `kind` ("scale" or "measurement"), `n` pairs, `only_first`,
    `only_second` (rows of one table only, or with no value in the other), `agreement`, for scales `kappa`, `linear`,
    `quadratic` each with `_low` and `_high`, for measurements `icc` with ends and `mean_difference` (absolute), and
    `reason`; and for each scale its table of counts (rows first reading, columns second).
    Raises InputError where the tables share no key or no row, or a key is repeated.
    """
    keys = tuple(keys) or tuple(name for name in KEY_NAMES if name in first.columns and name in second.columns)
    joined = _joined(first, second, keys)
    if columns:
        for name in columns:
            if name not in first.columns or name not in second.columns:
                raise InputError(f"column '{name}' is not in both tables; in both: {', '.join(_shared(first, second))}")
    else:
        columns = [name for name in _shared(first, second) if name not in keys]
    if not columns:
        raise InputError(f"the tables share no column to compare beside the keys {', '.join(keys)}")
    rows, tables = [], {}
    for name in columns:
        row, table = _compare(name, joined, order)
        rows.append(row)
        if table is not None:
            tables[name] = table
    names = [
        *(
            "column",
            "kind",
            "n",
            "only_first",
            "only_second",
            "agreement",
            "kappa",
            "kappa_low",
            "kappa_high",
            "linear",
        ),
        *("linear_low", "linear_high", "quadratic", "quadratic_low", "quadratic_high", "icc", "icc_low", "icc_high"),
        *("mean_difference", "reason"),
    ]
    return pd.DataFrame(rows, columns=names), tables


def confusion(first: Iterable[Any], second: Iterable[Any], categories: Sequence[str]) -> pd.DataFrame:
    """Counts with rows the first reading and columns the second, over the categories in their order."""
    pairs = pd.DataFrame({"first": list(first), "second": list(second)}, dtype=object)
    counts = pd.crosstab(pairs["first"], pairs["second"])
    return counts.reindex(index=list(categories), columns=list(categories), fill_value=0)


def _compare(name: str, joined: pd.DataFrame, order: Sequence[str]) -> tuple[dict[str, Any], pd.DataFrame | None]:
    pair = joined[[f"{name} (first)", f"{name} (second)"]]
    known = pair.notna()
    both = pair[known.all(axis=1)]
    a, b = both.iloc[:, 0], both.iloc[:, 1]
    row: dict[str, Any] = {
        "column": name,
        "n": len(both),
        "only_first": int((known.iloc[:, 0] & ~known.iloc[:, 1]).sum()),
        "only_second": int((~known.iloc[:, 0] & known.iloc[:, 1]).sum()),
    }
    if both.empty:
        return row | {"kind": "scale", "reason": "no row has a value in both tables"}, None
    numbers = _numbers(both)
    row["agreement"] = float(
        (numbers[0] == numbers[1]).mean() if numbers is not None else _texts(a).eq(_texts(b)).mean()
    )
    if numbers is not None and np.unique(np.concatenate(numbers)).size > SCALE_LIMIT:
        result = icc_a1(np.column_stack(numbers))
        gap = float(np.abs(numbers[0] - numbers[1]).mean())
        measured = {"icc": result.icc, "icc_low": result.low, "icc_high": result.high, "mean_difference": gap}
        return row | {"kind": "measurement", "reason": result.reason} | measured, None
    categories, ordered, reason = _categories(a, b, numbers, order)
    texts = [_texts(a), _texts(b)] if numbers is None else [pd.Series([f"{v:g}" for v in side]) for side in numbers]
    table = confusion(texts[0], texts[1], categories)
    reasons = [reason]
    for weights in WEIGHTS if ordered else WEIGHTS[:1]:
        result_k = cohen_kappa(table.to_numpy(), weights)
        prefix = "kappa" if weights == "unweighted" else weights
        row |= {prefix: result_k.kappa, f"{prefix}_low": result_k.low, f"{prefix}_high": result_k.high}
        reasons.append(result_k.reason)
    distinct = list(dict.fromkeys(text for text in reasons if text))
    return row | {"kind": "scale", "reason": "; ".join(distinct)}, table


def _categories(
    a: pd.Series[Any], b: pd.Series[Any], numbers: list[npt.NDArray[np.float64]] | None, order: Sequence[str]
) -> tuple[list[str], bool, str]:
    """Categories, whether their order is known, and why not."""
    if numbers is not None:
        return [f"{value:g}" for value in np.unique(np.concatenate(numbers))], True, ""
    found = sorted({*_texts(a), *_texts(b)})
    if order and set(found) <= set(order):
        return list(order), True, ""
    if len(found) <= 2:
        return found, True, ""
    strangers = [value for value in found if value not in order]
    if order:
        return found, False, f"no weighted kappa: --order lacks {', '.join(strangers)}"
    return found, False, "no weighted kappa: the order of the categories is not given (--order)"


def _joined(first: pd.DataFrame, second: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    if not keys:
        raise InputError("the tables share no identifying column; name one with --id")
    sides = []
    for label, frame in (("first", first), ("second", second)):
        for key in keys:
            if key not in frame.columns:
                raise InputError(f"the {label} table has no column '{key}'; its columns: {', '.join(frame.columns)}")
        index = frame[list(keys)].astype(str)
        if index.duplicated().any():
            example = ", ".join(index[index.duplicated()].iloc[0])
            raise InputError(f"the {label} table has more than one row for {example}; name more columns with --id")
        side = frame.drop(columns=list(keys)).set_axis(pd.MultiIndex.from_frame(index), axis=0)
        sides.append(side.add_suffix(f" ({label})"))
    joined = sides[0].join(sides[1], how="outer")
    if not sides[0].index.intersection(sides[1].index).size:
        raise InputError(f"the tables have no row in common by {', '.join(keys)}")
    return joined


def _shared(first: pd.DataFrame, second: pd.DataFrame) -> list[str]:
    return [name for name in first.columns if name in second.columns]


def _numbers(both: pd.DataFrame) -> list[npt.NDArray[np.float64]] | None:
    """Both sides as floats; None where some value is no number (booleans are none)."""
    sides = []
    for name in both.columns:
        column = both[name]
        if pd.api.types.is_bool_dtype(column) or column.map(lambda value: isinstance(value, bool)).any():
            return None
        numbers = pd.to_numeric(column, errors="coerce")
        if numbers.isna().any():
            return None
        sides.append(numbers.to_numpy(dtype=np.float64))
    return sides


def _texts(column: pd.Series[Any]) -> pd.Series[Any]:
    return column.astype(str).str.strip().reset_index(drop=True)


def _weights(size: int, weights: Weights) -> npt.NDArray[np.float64]:
    """Agreement weights: 1 on the diagonal, falling with the distance between categories."""
    if weights == "unweighted" or size < 2:
        return np.eye(size)
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / (size - 1)
    return 1.0 - (distance if weights == "linear" else distance**2)


def _normal_quantile(level: float) -> float:
    from scipy import stats

    return float(stats.norm.isf((1 - level) / 2))


def _because(result: Icc, reason: str) -> Icc:
    return Icc(n=result.n, icc=result.icc, low=result.low, high=result.high, reason=reason)
