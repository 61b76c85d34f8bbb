"""Probabilities that mean what they say: sharpened or flattened on builds of other tasks, and judged by their error.

A classifier's scores on a task that it has not seen are too sure of themselves. Two numbers mend them, fitted by
maximum likelihood on predictions for held-out tasks only:

    q = (1 − blur) · softmax(log p / temperature) + blur / K

Temperature scaling (Guo et al., ICML 2017) corrects the sharpness; the blur keeps a floor of doubt, the share of builds
about which a new task may mislead the classifier altogether.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

Probabilities = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

FLOOR = 1e-3
"""Least probability before calibration: a forest that gives 0 of 300 votes has not shown impossibility."""

TEMPERATURES = np.exp(np.linspace(np.log(0.25), np.log(4.0), 33))
BLURS = np.linspace(0.0, 0.6, 31)
STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0)


class Calibration(Struct, frozen=True, kw_only=True):
    """How raw scores become probabilities."""

    temperature: float
    blur: float


NONE = Calibration(temperature=1.0, blur=0.0)


def fit_calibration(scores: Probabilities, truth: Codes) -> Calibration:
    """The most likely temperature and blur for scores (builds × classes) of held-out builds and their true classes."""
    best, found = -np.inf, NONE
    places = np.arange(len(truth))
    for temperature in TEMPERATURES:
        right = _tempered(scores, float(temperature))[places, truth]
        for blur in BLURS:
            likelihood = float(np.log((1 - blur) * right + blur / scores.shape[1]).mean())
            if likelihood > best + 1e-12:
                best, found = likelihood, Calibration(temperature=float(temperature), blur=float(blur))
    return found


def fit_transferable(scores: Probabilities, truth: Codes, tasks: Codes) -> Calibration:
    """The calibration of `fit_calibration`, weakened as far as it must be to hold on tasks that it was not fitted on.

    One odd task bends the fit, and the bend would be carried to every other. So each task in turn is left out, and the
    fit made on the rest is applied to it at each strength of `STRENGTHS` (temperature ** strength, blur × strength; 0
    leaves scores as they are); the strength with the least log loss over all tasks is taken. With one task it is 0.
    """
    names = np.unique(tasks)
    if len(names) < 2:
        return NONE
    losses = np.zeros(len(STRENGTHS))
    for name in names:
        here = tasks == name
        fitted = fit_calibration(scores[~here], truth[~here])
        for place, strength in enumerate(STRENGTHS):
            weakened = calibrated(scores[here], _weakened(fitted, strength))
            losses[place] += log_loss(weakened, truth[here]) * here.sum()
    return _weakened(fit_calibration(scores, truth), STRENGTHS[int(losses.argmin())])


def calibrated(scores: Probabilities, calibration: Calibration) -> Probabilities:
    """Probabilities, rows summing to 1."""
    tempered = _tempered(scores, calibration.temperature)
    return np.asarray((1 - calibration.blur) * tempered + calibration.blur / scores.shape[1])


def log_loss(probabilities: Probabilities, truth: Codes) -> float:
    """Mean −log of the probability of the true class."""
    return float(-np.log(np.clip(probabilities[np.arange(len(truth)), truth], 1e-12, None)).mean())


def calibration_bins(probabilities: Probabilities, truth: Codes, bins: int = 10) -> pd.DataFrame:
    """One row a bin of equal width of the top probability: `low`, `high`, `n`, `stated` (mean), `right` (share)."""
    stated, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == truth
    place = np.minimum((stated * bins).astype(int), bins - 1)
    rows = [
        {
            "low": k / bins,
            "high": (k + 1) / bins,
            "n": int((place == k).sum()),
            "stated": float(stated[place == k].mean()),
            "right": float(right[place == k].mean()),
        }
        for k in range(bins)
        if (place == k).any()
    ]
    return pd.DataFrame(rows, columns=["low", "high", "n", "stated", "right"])


def expected_calibration_error(probabilities: Probabilities, truth: Codes, bins: int = 10) -> float:
    """Mean gap between stated and true share of right answers, over equal-width bins weighted by builds."""
    table = calibration_bins(probabilities, truth, bins)
    return float((table["n"] * (table["stated"] - table["right"]).abs()).sum() / table["n"].sum())


def _weakened(calibration: Calibration, strength: float) -> Calibration:
    return Calibration(temperature=calibration.temperature**strength, blur=calibration.blur * strength)


def _tempered(scores: Probabilities, temperature: float) -> Probabilities:
    logits = np.log(np.clip(scores, FLOOR, None)) / temperature
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
