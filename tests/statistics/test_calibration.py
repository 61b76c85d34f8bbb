"""Calibration on scores whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from forensics.statistics.calibration import (
    NONE,
    Calibration,
    calibrated,
    calibration_bins,
    expected_calibration_error,
    fit_calibration,
    fit_transferable,
    log_loss,
)


def drawn(builds: int, sharpness: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of four classes, and truths drawn from them."""
    generator = np.random.default_rng(seed)
    logits = sharpness * generator.normal(size=(builds, 4))
    shares = np.exp(logits)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares, np.array([generator.choice(4, p=row) for row in shares])


def test_honest_probabilities_are_left_alone() -> None:
    shares, truth = drawn(4_000, 1.5, 41)
    fitted = fit_calibration(shares, truth)
    assert fitted.temperature == pytest.approx(1.0, abs=0.1)
    assert fitted.blur <= 0.02
    assert expected_calibration_error(calibrated(shares, fitted), truth) < 0.03


def test_boasting_probabilities_are_flattened() -> None:
    shares, truth = drawn(4_000, 1.5, 42)
    boasting = shares**2 / (shares**2).sum(axis=1, keepdims=True)
    fitted = fit_calibration(boasting, truth)
    # Squaring is a temperature of 1/2: it takes 2 to mend it.
    assert fitted.temperature == pytest.approx(2.0, abs=0.2)
    assert expected_calibration_error(boasting, truth) > 0.08
    assert expected_calibration_error(calibrated(boasting, fitted), truth) < 0.03


def test_a_share_of_misled_builds_becomes_blur() -> None:
    shares, truth = drawn(6_000, 4.0, 43)
    generator = np.random.default_rng(44)
    misled = generator.random(len(truth)) < 0.3
    truth = np.where(misled, generator.integers(0, 4, len(truth)), truth)
    fitted = fit_calibration(shares, truth)
    assert fitted.blur == pytest.approx(0.3, abs=0.06)
    assert expected_calibration_error(calibrated(shares, fitted), truth) < 0.03


def test_a_correction_that_other_tasks_don_t_bear_out_is_not_made() -> None:
    """Three tasks with honest probabilities and one where they mislead altogether: the plain fit blurs all for its
    sake; judged on tasks that it wasn't fitted on, the correction is weakened."""
    parts = [drawn(300, 2.0, seed) for seed in (45, 46, 47, 48)]
    shares = np.concatenate([part[0] for part in parts])
    truth = np.concatenate([part[1] for part in parts])
    truth[900:] = (truth[900:] + 1) % 4
    tasks = np.repeat(np.arange(4), 300)
    plain, transferable = fit_calibration(shares, truth), fit_transferable(shares, truth, tasks)
    assert plain.blur > 0.1
    assert transferable.blur < plain.blur
    assert fit_transferable(shares[:300], truth[:300], tasks[:300]) == NONE


def test_a_correction_that_every_task_needs_is_made_in_full() -> None:
    parts = [drawn(500, 1.5, seed) for seed in (45, 46, 47)]
    shares = np.concatenate([part[0] for part in parts])
    boasting = shares**2 / (shares**2).sum(axis=1, keepdims=True)
    truth, tasks = np.concatenate([part[1] for part in parts]), np.repeat(np.arange(3), 500)
    assert fit_transferable(boasting, truth, tasks) == fit_calibration(boasting, truth)


def test_calibrated_rows_sum_to_one_and_keep_their_order() -> None:
    scores = np.array([[0.7, 0.3, 0.0], [0.2, 0.2, 0.6]])
    result = calibrated(scores, Calibration(temperature=1.7, blur=0.2))
    assert result.sum(axis=1) == pytest.approx([1, 1])
    assert (result.argmax(axis=1) == scores.argmax(axis=1)).all()
    assert result.min() > 0.2 / 3


def test_bins_and_error_by_hand() -> None:
    probabilities = np.array([[0.95, 0.05], [0.95, 0.05], [0.85, 0.15], [0.6, 0.4]])
    truth = np.array([0, 1, 0, 1])
    table = calibration_bins(probabilities, truth)
    assert table["n"].tolist() == [1, 1, 2]
    assert table["stated"].tolist() == pytest.approx([0.6, 0.85, 0.95])
    assert table["right"].tolist() == [0, 1, 0.5]
    # (0.6 + 0.15 + 2 × 0.45) / 4
    assert expected_calibration_error(probabilities, truth) == pytest.approx(0.4125)
    assert log_loss(probabilities[:1], truth[:1]) == pytest.approx(-np.log(0.95))
