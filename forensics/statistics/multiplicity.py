"""Corrections for testing many hypotheses. NaN stands for one that was not tested: it stays NaN and isn't counted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats

FloatArray = npt.NDArray[np.float64]


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Holm's step-down adjusted p-values (Scand. J. Stat. 6, 1979, 65–70), in the order given.

    They control the chance of any false rejection among the tested hypotheses, whatever their dependence.
    """
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    steps = p[order] * (len(order) - np.arange(len(order)))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def benjamini_hochberg(p_values: npt.ArrayLike) -> FloatArray:
    """Benjamini and Hochberg's q-values (J. R. Stat. Soc. B 57, 1995, 289–300), in the order given.

    Rejecting where q < x keeps the expected share of false rejections below x (independent or positively dependent p).
    """
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    tested = ~np.isnan(p)
    if tested.any():
        adjusted[tested] = stats.false_discovery_control(p[tested], method="bh")
    return adjusted
