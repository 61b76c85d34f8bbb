from __future__ import annotations

import numpy as np
import pytest

from forensics.statistics.multiplicity import benjamini_hochberg, holm


def test_holm_gives_the_study_s_printed_family() -> None:
    """stats-results.txt, P1 … P6: p and Holm p as printed."""
    found = holm([0.0001, 0.0001, 0.0001, 0.0413, 0.9989, 0.0225])
    assert found == pytest.approx([0.0006, 0.0006, 0.0006, 0.0826, 0.9989, 0.0675], abs=1e-4)


def test_holm_by_hand() -> None:
    """p.adjust(c(.01, .02, .03, .04, .05), "holm"): 5 × .01, 4 × .02, 3 × .03, then the running maximum."""
    assert holm([0.05, 0.01, 0.03, 0.02, 0.04]) == pytest.approx([0.09, 0.05, 0.09, 0.08, 0.09])


def test_holm_is_monotone_and_never_above_one() -> None:
    p = np.random.default_rng(0).random(50)
    adjusted = holm(p)
    assert np.all(np.diff(adjusted[np.argsort(p)]) >= 0)
    assert np.all((adjusted >= p) & (adjusted <= 1))


# Benjamini & Hochberg 1995, section 4.1: 15 hypotheses, the first four rejected at q = 0.05.
PUBLISHED = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240]
PUBLISHED += [0.4262, 0.5719, 0.6528, 0.7590, 1.0000]


def test_benjamini_hochberg_rejects_what_its_authors_rejected() -> None:
    q = benjamini_hochberg(PUBLISHED)
    assert list(q < 0.05) == [True] * 4 + [False] * 11
    assert q[3] == pytest.approx(0.0095 * 15 / 4)
    assert list(holm(PUBLISHED) < 0.05) == [True] * 3 + [False] * 12


def test_what_was_not_tested_stays_and_is_not_counted() -> None:
    assert holm([0.02, float("nan"), 0.03])[[0, 2]] == pytest.approx([0.04, 0.04])
    assert benjamini_hochberg([0.02, float("nan"), 0.03])[[0, 2]] == pytest.approx([0.03, 0.03])
    assert np.isnan(holm([0.02, float("nan")])[1])
    assert np.isnan(benjamini_hochberg([float("nan")])).all()


def test_holm_keeps_the_family_s_error_rate() -> None:
    rng = np.random.default_rng(1)
    false = [holm(rng.random(20)).min() < 0.05 for _ in range(2000)]
    assert np.mean(false) == pytest.approx(0.05, abs=0.015)
