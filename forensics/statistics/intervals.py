"""Intervals of shares."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats


def wilson(
    count: npt.ArrayLike, total: npt.ArrayLike, confidence: float = 0.95
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(low, high) of a share by Wilson's score interval (J. Am. Stat. Assoc. 22, 1927, 209–212).

    Takes counts and totals of any one shape and gives arrays of that shape. A total of 0 gives NaN: nothing is known.
    """
    k, n = np.broadcast_arrays(np.asarray(count, dtype=np.float64), np.asarray(total, dtype=np.float64))
    if np.any(k < 0) or np.any(k > n):
        raise ValueError("a count must lie between 0 and its total")
    z2 = float(stats.norm.isf((1 - confidence) / 2)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (k + z2 / 2) / (n + z2)
        half = np.sqrt(z2 * (k * (n - k) / n + z2 / 4)) / (n + z2)
    low, high = np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)
    # The exact ends at 0 and n of n, which rounding would otherwise miss by 1e-17.
    return np.where(k == 0, np.where(n == 0, np.nan, 0.0), low), np.where((k == n) & (n > 0), 1.0, high)
