"""Small archives for the tests: published two-way tables as builds, and simulated archives with planted habits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from forensics.statistics.tables import BuildTable, builds_of

# Bickel, Hammel & O'Connell, Science 187, 1975 (R's UCBAdmissions): department → (men admitted, men rejected, women
# admitted, women rejected).
BERKELEY = {
    "A": (512, 313, 89, 19),
    "B": (353, 207, 17, 8),
    "C": (120, 205, 202, 391),
    "D": (138, 279, 131, 244),
    "E": (53, 138, 94, 299),
    "F": (22, 351, 24, 317),
}


def berkeley() -> BuildTable:
    """4,526 applicants as builds: the feature `admitted`, the label `model` (the sex), the task (the department)."""
    rows = []
    for department, counts in BERKELEY.items():
        kinds = (("man", "yes"), ("man", "no"), ("woman", "yes"), ("woman", "no"))
        for (sex, admitted), count in zip(kinds, counts, strict=True):
            rows += [(department, sex, admitted)] * count
    return builds_of(pd.DataFrame(rows, columns=["task", "model", "admitted"]))


def archive(
    seed: int,
    models: int = 4,
    tasks: int = 6,
    conditions: int = 2,
    runs: int = 3,
    planted: Mapping[str, Mapping[str, float]] | None = None,
    noise: int = 0,
) -> BuildTable:
    """A balanced archive: every model × task × condition, `runs` times.

    `planted` maps a feature to how far each label moves it: the feature has two values, and its log-odds in a level are
    the strength × (+1 in every second level, −1 in the others). `noise` features of three values follow nothing.
    """
    rng = np.random.default_rng(seed)
    grid = np.array(np.meshgrid(range(models), range(tasks), range(conditions), range(runs))).reshape(4, -1)
    places = dict(zip(("model", "task", "condition"), grid[:3], strict=True))
    frame = pd.DataFrame({label: [f"{label}-{level}" for level in levels] for label, levels in places.items()})
    for feature, strengths in (planted or {}).items():
        odds = sum(strength * (1 - 2 * (places[label] % 2)) for label, strength in strengths.items())
        chance = 1 / (1 + np.exp(-np.asarray(odds, dtype=float)))
        frame[feature] = np.where(rng.random(len(frame)) < chance, "yes", "no")
    for number in range(noise):
        frame[f"noise-{number}"] = rng.choice(["a", "b", "c"], size=len(frame))
    return builds_of(frame)


def confounded(seed: int, n: int = 240) -> BuildTable:
    """Four models that ran six tasks in very unlike shares, and a feature that depends on the task alone."""
    rng = np.random.default_rng(seed)
    task = rng.integers(6, size=n)
    preferred = np.array([0, 0, 1, 1, 2, 3])
    model = np.where(rng.random(n) < 0.7, preferred[task], rng.integers(4, size=n))
    choice = np.where(rng.random(n) < 0.75, task // 2, rng.integers(3, size=n))
    return builds_of(
        pd.DataFrame(
            {
                "model": [f"model-{level}" for level in model],
                "task": [f"task-{level}" for level in task],
                "follows_task": [f"choice-{level}" for level in choice],
            }
        )
    )
