"""The regression cross-check against closed forms, its promised coverage, and what it says where it can't be fitted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from forensics.statistics.mixed_model import MixedModel, mixed_model
from forensics.statistics.plan import Contrast, Outcome, Plan
from forensics.statistics.runs import runs_of

PLAN = Plan(title="t", arm="condition", group="model", block="task", outcomes={"score": Outcome(column="score")})


def runs(generator: np.random.Generator, effect: float, models: int = 6, tasks: int = 2, each: int = 4) -> pd.DataFrame:
    """Equal numbers of runs in every cell; a random intercept a model, a shift a task, noise of variance 4."""
    lines = []
    for model in range(models):
        level = generator.normal(0, 3)
        for task in range(tasks):
            for condition in ("tool", "none"):
                for _ in range(each):
                    score = level + 5 * task + effect * (condition == "tool") + generator.normal(0, 2)
                    lines.append((f"m{model}", f"t{task}", condition, score))
    return pd.DataFrame(lines, columns=["model", "task", "condition", "score"])


def fitted(frame: pd.DataFrame, **changes: Any) -> MixedModel:
    contrast = Contrast(**({"id": "c", "title": "c", "outcome": "score", "arms": ("tool", "none")} | changes))
    return mixed_model(runs_of(frame, PLAN), contrast)


def test_a_balanced_design_has_a_closed_form() -> None:
    frame = runs(np.random.default_rng(71), 2.0)
    result = fitted(frame)
    means = frame.groupby("condition")["score"].mean()
    assert result.estimate == pytest.approx(means["tool"] - means["none"])
    # Residual mean square after model, task and arm: 96 runs less 1 + 5 + 1 + 1 parameters.
    grand = frame["score"].mean()
    fit = sum(frame.groupby(name)["score"].transform("mean") - grand for name in ("model", "task", "condition")) + grand
    mean_square = ((frame["score"] - fit) ** 2).sum() / 88
    assert result.residual_variance == pytest.approx(mean_square, rel=1e-4)
    assert result.standard_error == pytest.approx(math.sqrt(mean_square * 2 / 48), rel=1e-4)
    assert (result.low, result.high) == pytest.approx(
        (result.estimate - 1.96 * result.standard_error, result.estimate + 1.96 * result.standard_error), abs=1e-3
    )
    assert result.converged


def test_a_difference_in_differences_is_the_interaction() -> None:
    frame = runs(np.random.default_rng(72), 1.0)
    frame.loc[(frame["task"] == "t1") & (frame["condition"] == "tool"), "score"] += 3
    result = fitted(frame, where={"task": ("t1",)}, baseline={"task": ("t0",)})
    cells = frame.groupby(["task", "condition"])["score"].mean()
    expected = (cells["t1", "tool"] - cells["t1", "none"]) - (cells["t0", "tool"] - cells["t0", "none"])
    assert result.estimate == pytest.approx(expected)


def test_the_interval_covers() -> None:
    generator = np.random.default_rng(73)
    hits = sum(result.low <= 1.5 <= result.high for result in (fitted(runs(generator, 1.5)) for _ in range(150)))
    # ± 2.5 standard errors of a share of 150 about 0.95.
    assert hits / 150 == pytest.approx(0.95, abs=0.045)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda frame: frame.assign(score=1.0), "the outcome is the same in every run"),
        (lambda frame: frame.assign(model="m0"), "a random intercept needs two groups or more"),
        (lambda frame: frame[frame["condition"] == "tool"], "measured runs in one arm only"),
        (lambda frame: frame.assign(score=np.nan).assign(condition="other"), "no measured run in either arm"),
        (
            lambda frame: frame[(frame["condition"] == "tool") == (frame["task"] == "t1")],
            "the arm can't be told from the block: some block has one arm only",
        ),
    ],
)
def test_where_there_is_nothing_to_fit_the_reason_is_given(change: Any, reason: str) -> None:
    frame = change(runs(np.random.default_rng(74), 1.0))
    if frame["score"].isna().all():
        frame = pd.concat([frame, runs(np.random.default_rng(75), 1.0).assign(condition="third")])
    result = fitted(frame)
    assert math.isnan(result.estimate)
    assert result.reason == reason
