"""What each group of builds does: its most common choices, what sets it apart, and its rates of defects.

The denominator of every share is the number of builds of the group for which the feature is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special, stats

from forensics.statistics.intervals import wilson
from forensics.statistics.multiplicity import benjamini_hochberg, holm
from forensics.statistics.signatures import MOST_CATEGORIES
from forensics.statistics.stratified import stratum_keys
from forensics.statistics.tables import BuildTable, require_features, require_labels

FloatArray = npt.NDArray[np.float64]

EXACT_BELOW = 10.0
"""Where an expected count is below this the test is exact, else normal."""

PROFILE_COLUMNS = (
    *("group", "feature", "category", "count", "n", "missing", "share", "low", "high"),
    *("median", "lower_quartile", "upper_quartile", "note"),
)


def profile(table: BuildTable, by: str, features: Sequence[str] = ()) -> pd.DataFrame:
    """Each group's most common category of each feature: one row for each group and feature.

    Columns: `group`, `feature`, `category` (the most common; of ties the first by name, the others in `note`), `count`,
    `n` (builds that have the feature), `missing` (builds of the group that don't), `share` = count / n with its 95 %
    Wilson interval `low`, `high`; for numeric features `median`, `lower_quartile`, `upper_quartile` in their place.
    """
    require_labels(table, [by])
    categorical, numeric = require_features(table, features)
    records: list[dict[str, Any]] = []
    for group, builds in table.frame.dropna(subset=[by]).groupby(by, sort=True):
        for name in (*categorical, *numeric):
            known = builds[name].dropna()
            record: dict[str, Any] = {
                "group": group,
                "feature": name,
                "n": len(known),
                "missing": len(builds) - len(known),
                "note": "" if len(known) else "not known of any build of the group",
            }
            if len(known) and name in numeric:
                lower, median, upper = np.quantile(known, [0.25, 0.5, 0.75])
                record |= {"median": median, "lower_quartile": lower, "upper_quartile": upper}
            elif len(known):
                counts = known.value_counts().sort_index()
                most = counts[counts == counts.max()]
                low, high = wilson(int(most.iloc[0]), len(known))
                record |= {"category": most.index[0], "count": int(most.iloc[0]), "share": most.iloc[0] / len(known)}
                record |= {"low": float(low), "high": float(high)}
                if len(most) > 1:
                    record["note"] = f"as common: {', '.join(map(str, most.index[1:]))}"
            records.append(record)
    return pd.DataFrame(records, columns=list(PROFILE_COLUMNS))


def distinctive(table: BuildTable, by: str, within: Sequence[str] = (), features: Sequence[str] = ()) -> pd.DataFrame:
    """Which choices set a group apart: one row for each group, categorical feature and category.

    Columns: `group`, `feature`, `category`, `count`, `n`, `share`, `low`, `high` (Wilson) of the group; `rest_count`,
    `rest_n`, `rest_share` of all other groups; `lift` = share / rest_share (∞ where no other build does it);
    `expected` (what the strata's margins give the group), `residual` (count less expected, in standard deviations of
    its distribution within strata), `p` (two-sided), `p_method`, `holm`, `q` (over all rows), `note`.

    The test is the Cochran-Mantel-Haenszel test of group against rest × category against rest, with the strata
    `within` × none held: exact (the convolution of the strata's hypergeometric distributions) where a pooled expected
    count is below 10, else normal without continuity correction.
    """
    require_labels(table, [by, *within])
    categorical, _ = require_features(table, features)
    within = [label for label in within if label != by]
    records = []
    for name in categorical:
        known = table.frame.dropna(subset=[name, by, *within])
        if not 2 <= known[name].nunique() <= MOST_CATEGORIES:
            continue
        groups, group_names = pd.factorize(known[by], sort=True)
        categories, category_names = pd.factorize(known[name], sort=True)
        strata, _ = pd.factorize(stratum_keys(known, within), sort=True)
        shape = (int(strata.max()) + 1, len(category_names), len(group_names))
        counts = np.bincount((strata * shape[1] + categories) * shape[2] + groups, minlength=int(np.prod(shape)))
        records += _cells(name, counts.reshape(shape), list(category_names), list(group_names))
    columns = [
        *("group", "feature", "category", "count", "n", "share", "low", "high", "rest_count", "rest_n", "rest_share"),
        *("lift", "expected", "residual", "p", "p_method", "holm", "q", "note"),
    ]
    frame = pd.DataFrame(records, columns=columns)
    frame["holm"], frame["q"] = holm(frame["p"]), benjamini_hochberg(frame["p"])
    return frame.sort_values(["group", "residual"], ascending=[True, False], kind="stable", ignore_index=True)


def defect_rates(table: BuildTable, by: str) -> pd.DataFrame:
    """How many builds of each group have each defect: one row for each rule with a finding, and group; empty for a CSV.

    Columns: `rule`, `group`, `builds` (that the rule's scanner judged), `unknown` (whose verdict is UNKNOWN and that
    have no finding of the rule: counted apart), `affected` (builds with at least one finding that is not suppressed),
    `share`, `low`, `high` (Wilson), `note`.
    """
    require_labels(table, [by])
    findings = table.findings
    if "suppressed" in findings.columns:
        findings = findings[findings["suppressed"].fillna("").astype(str).isin(["", "False"])]
    groups = table.frame.dropna(subset=[by]).set_index("build")[by]
    records = []
    for rule, found in findings.groupby("rule", sort=True):
        affected = set(found["build"])
        scanner = str(rule).partition("/")[0]
        verdicts = table.verdicts[table.verdicts["scanner"] == scanner]
        unknown = set(verdicts.loc[verdicts["status"] == "UNKNOWN", "build"]) - affected
        for group, builds in groups.groupby(groups, sort=True):
            members = set(builds.index)
            judged, hit = len(members - unknown), len(members & affected)
            low, high = wilson(hit, judged)
            records.append(
                {
                    "rule": rule,
                    "group": group,
                    "builds": judged,
                    "unknown": len(members & unknown),
                    "affected": hit,
                    "share": hit / judged if judged else float("nan"),
                    "low": float(low),
                    "high": float(high),
                    "note": "" if judged else f"{scanner} could tell of no build of the group",
                }
            )
    return pd.DataFrame(
        records, columns=["rule", "group", "builds", "unknown", "affected", "share", "low", "high", "note"]
    )


def _cells(name: str, counts: npt.NDArray[np.intp], categories: list[str], groups: list[str]) -> list[dict[str, Any]]:
    """Rows of one feature from counts (strata, categories, groups)."""
    total = counts.sum(0)
    records = []
    for g, group in enumerate(groups):
        n, rest_n = int(total[:, g].sum()), int(total.sum() - total[:, g].sum())
        for c, category in enumerate(categories):
            count, rest = int(total[c, g]), int(total[c].sum() - total[c, g])
            low, high = wilson(count, n)
            share = count / n
            rest_share = rest / rest_n if rest_n else float("nan")
            record: dict[str, Any] = {
                "group": group,
                "feature": name,
                "category": category,
                "count": count,
                "n": n,
                "share": share,
                "low": float(low),
                "high": float(high),
                "rest_count": rest,
                "rest_n": rest_n,
                "rest_share": rest_share,
                "lift": share / rest_share if rest else float("inf") if rest_n else float("nan"),
                "note": "" if rest_n else "no other group to compare with",
            }
            if rest_n:
                record |= _conditional_test(count, counts.sum((1, 2)), counts[:, :, g].sum(1), counts[:, c, :].sum(1))
            records.append(record)
    return records


def _conditional_test(
    count: int, sizes: npt.NDArray[np.intp], members: npt.NDArray[np.intp], choosers: npt.NDArray[np.intp]
) -> dict[str, Any]:
    """`expected`, `residual`, `p`, `p_method`, `note` of a count, given each stratum's size, members and choosers."""
    varying = (members > 0) & (members < sizes) & (choosers > 0) & (choosers < sizes)
    # Strata in which nothing can vary add their fixed count to observed and expected alike.
    fixed = float((members * choosers / sizes)[~varying].sum())
    n, k, m = sizes[varying], members[varying], choosers[varying]
    if not len(n):
        note = "not identifiable: the choice or the group never varies inside a stratum"
        return {"expected": fixed, "residual": float("nan"), "p": float("nan"), "p_method": "", "note": note}
    expected = float((k * m / n).sum())
    variance = float((k * m * (n - k) * (n - m) / (n.astype(np.float64) ** 2 * (n - 1))).sum())
    residual = (count - fixed - expected) / np.sqrt(variance)
    smallest = min((a * b / n).sum() for a in (k, n - k) for b in (m, n - m))
    if smallest >= EXACT_BELOW:
        p, method = float(2 * stats.norm.sf(abs(residual))), "normal"
    else:
        p, method = _exact_p(round(count - fixed), n, k, m), "exact"
    return {"expected": expected + fixed, "residual": residual, "p": p, "p_method": method, "note": ""}


def _exact_p(count: int, n: npt.NDArray[np.intp], k: npt.NDArray[np.intp], m: npt.NDArray[np.intp]) -> float:
    """Probability of all totals that are no likelier than the observed one, given the margins of every stratum."""
    chances, lowest = np.ones(1), 0
    for size, members, choosers in zip(n, k, m, strict=True):
        low, high = max(0, members + choosers - size), min(members, choosers)
        x = np.arange(low, high + 1)
        logs = _log_choose(choosers, x) + _log_choose(size - choosers, members - x) - _log_choose(size, members)
        chances, lowest = np.convolve(chances, np.exp(logs)), lowest + int(low)
    observed = chances[count - lowest]
    return float(min(1.0, chances[chances <= observed * (1 + 1e-7)].sum()))


def _log_choose(n: Any, k: Any) -> FloatArray:
    result: FloatArray = special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
    return result
