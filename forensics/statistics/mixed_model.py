"""The regression cross-check of a contrast: a linear mixed model by statsmodels.

    outcome ~ arm (+ block, where the contrast has several), random intercept per group, REML, Wald test

A difference in differences is the coefficient of arm × (contrast or baseline). For a 0/1 outcome this is a linear
probability model: its estimate is a difference of shares, its standard error ignores that the variance differs.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from forensics.statistics.plan import Contrast
from forensics.statistics.runs import Runs, rows_where


class MixedModel(Struct, frozen=True, kw_only=True):
    """Estimate of the arm's effect with standard error, 95 % interval and two-sided p; NaN with a `reason` if none.

    `note` says what the optimiser complained of.
    """

    n: int
    estimate: float
    standard_error: float
    low: float
    high: float
    p: float
    group_variance: float
    residual_variance: float
    converged: bool
    note: str = ""
    reason: str = ""


def mixed_model(runs: Runs, contrast: Contrast) -> MixedModel:
    """Fits the model over all measured runs of the contrast's two arms (also of strata with one arm only)."""
    plan, frame, values = runs.plan, runs.frame, runs.outcomes[contrast.outcome]
    inside = rows_where(runs, contrast.where)
    chosen = inside
    if contrast.baseline:
        chosen = inside | rows_where(runs, contrast.baseline)
    chosen &= values.notna() & frame[plan.arm].isin(contrast.arms)
    outcome, groups, blocks = values[chosen], frame.loc[chosen, plan.group], frame.loc[chosen, plan.block]
    treated = (frame.loc[chosen, plan.arm] == contrast.arms[0]).astype(float)
    reason = _unfit(outcome, groups, treated)
    if reason:
        return _nothing(len(outcome), reason)
    columns: dict[str, Any] = {"intercept": 1.0, "treated": treated}
    target = "treated"
    if contrast.baseline:
        target = "treated × contrast"
        columns["contrast"] = inside[chosen].astype(float)
        columns[target] = columns["contrast"] * treated
    else:
        dummies = pd.get_dummies(blocks, drop_first=True, dtype=float)
        columns |= {f"{plan.block} {name}": dummies[name] for name in dummies}
    design = pd.DataFrame(columns, index=outcome.index)
    if np.linalg.matrix_rank(design.to_numpy()) < design.shape[1]:
        return _nothing(len(outcome), "the arm can't be told from the block: some block has one arm only")
    return _fit(outcome, design, groups, target)


def _fit(outcome: pd.Series[Any], design: pd.DataFrame, groups: pd.Series[Any], target: str) -> MixedModel:
    try:
        from statsmodels.regression.mixed_linear_model import MixedLM
    except ImportError:
        return _nothing(len(outcome), "statsmodels is not installed: pip install 'build-forensics[statistics]'")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fit = MixedLM(outcome.to_numpy(), design.to_numpy(), groups=groups.to_numpy()).fit(reml=True)
        except np.linalg.LinAlgError as error:
            return _nothing(len(outcome), f"the model can't be fitted: {error}")
        position = list(design.columns).index(target)
        error_of_estimate = float(fit.bse_fe[position])
    if not math.isfinite(error_of_estimate):
        return _nothing(len(outcome), "the model's covariance is singular: no standard error")
    estimate = float(fit.fe_params[position])
    low, high = (float(end) for end in fit.conf_int()[position])
    return MixedModel(
        n=len(outcome),
        estimate=estimate,
        standard_error=error_of_estimate,
        low=low,
        high=high,
        p=float(fit.pvalues[position]),
        group_variance=float(fit.cov_re[0, 0]),
        residual_variance=float(fit.scale),
        converged=bool(fit.converged),
        note="; ".join(sorted({" ".join(str(item.message).split()) for item in caught})),
    )


def _unfit(outcome: pd.Series[Any], groups: pd.Series[Any], treated: pd.Series[float]) -> str:
    if outcome.empty:
        return "no measured run in either arm"
    if treated.nunique() < 2:
        return "measured runs in one arm only"
    if groups.nunique() < 2:
        return "a random intercept needs two groups or more"
    if outcome.nunique() < 2:
        return "the outcome is the same in every run"
    return ""


def _nothing(n: int, reason: str) -> MixedModel:
    nan = math.nan
    return MixedModel(
        n=n,
        estimate=nan,
        standard_error=nan,
        low=nan,
        high=nan,
        p=nan,
        group_variance=nan,
        residual_variance=nan,
        converged=False,
        reason=reason,
    )
