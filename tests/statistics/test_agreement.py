"""Kappa and ICC against published examples, statsmodels, the study's regrade, and their promised coverage."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import cohens_kappa
from typer import Typer
from typer.testing import CliRunner

from forensics.cli.agreement import agreement as agreement_command
from forensics.records import InputError
from forensics.statistics.agreement import WEIGHTS, agreement, cohen_kappa, icc_a1

# Cohen (1960), Table 1, as shares of 200 cases; kappa = .492 from p_o = .70 and p_e = .41.
COHEN_1960 = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]

# Shrout and Fleiss (Psychol. Bull. 86, 1979), Table 2: six targets, four judges. Their Table 4: ICC(2,1) = .29.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]

# The regrade of 105 launched runs (regrade-report.md of the study, 2026): first and second score of a run, how often.
# The seven runs that moved and the unmoved ones below 100 are listed; the other 74 had 100 twice.
REGRADE_MOVED = [(100, 85), (100, 90), (100, 90), (80, 90), (100, 95), (100, 95), (96.4, 100)]
REGRADE_UNMOVED = {76.9: 1, 96.4: 3, 90: 7, 10: 2, 95: 7, 65: 1, 20: 1, 89.3: 1, 0: 1}


def test_cohens_own_example() -> None:
    result = cohen_kappa(COHEN_1960)
    assert result.n == 200
    assert result.agreement == pytest.approx(0.70)
    assert result.kappa == pytest.approx(0.492, abs=0.0005)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    "table", [COHEN_1960, [[20, 5], [10, 15]], [[30, 2, 0, 1], [4, 11, 3, 0], [0, 2, 9, 5], [1, 0, 2, 14]]]
)
def test_kappas_and_their_intervals_are_those_of_statsmodels(weights: Any, table: list[list[int]]) -> None:
    ours = cohen_kappa(table, weights)
    theirs = cohens_kappa(np.array(table), wt=None if weights == "unweighted" else weights)
    assert ours.kappa == pytest.approx(theirs.kappa)
    assert ours.low == pytest.approx(theirs.kappa_low, abs=1e-6)
    assert ours.high == pytest.approx(theirs.kappa_upp, abs=1e-6)


def test_two_categories_have_one_kappa_whatever_the_weights() -> None:
    kappas = {cohen_kappa([[20, 5], [10, 15]], weights).kappa for weights in WEIGHTS}
    assert max(kappas) - min(kappas) < 1e-12
    assert kappas.pop() == pytest.approx(0.4)


def test_full_agreement_keeps_an_interval_with_width() -> None:
    result = cohen_kappa([[10, 0], [0, 10]])
    assert result.kappa == 1
    # Wilson's lower end for 20 of 20 is .8389; (.8389 − .5) / .5 = .678.
    assert result.low == pytest.approx(0.678, abs=0.001)
    assert "full agreement" in result.reason


def test_one_category_throughout_has_no_kappa_but_a_reason() -> None:
    result = cohen_kappa([[12, 0], [0, 0]])
    assert math.isnan(result.kappa)
    assert result.reason.startswith("both readings give one category throughout")
    assert cohen_kappa([[0, 0], [0, 0]]).reason == "nothing to compare"


def test_the_interval_of_kappa_covers() -> None:
    """1,000 samples of 150 pairs from a table with kappa .5: the nominal 95 % interval holds it."""
    shares = np.array([[0.40, 0.06, 0.04], [0.07, 0.18, 0.05], [0.03, 0.06, 0.11]])
    true = cohen_kappa(shares * 1e6).kappa
    generator = np.random.default_rng(31)
    hits = 0
    for _ in range(1_000):
        result = cohen_kappa(generator.multinomial(150, shares.ravel()).reshape(3, 3))
        hits += result.low <= true <= result.high
    assert hits / 1_000 == pytest.approx(0.95, abs=0.02)


def test_icc_of_shrout_and_fleiss() -> None:
    result = icc_a1(SHROUT_FLEISS)
    assert result.icc == pytest.approx(0.29, abs=0.005)
    # McGraw and Wong's interval of the same data, as printed by R's irr and psych: .019 to .761.
    assert (result.low, result.high) == pytest.approx((0.019, 0.761), abs=0.0005)


def test_the_interval_of_icc_covers() -> None:
    """600 samples of 40 subjects, two readings, variances 4 : 0.25 : 1, so ICC(A,1) = .762."""
    generator = np.random.default_rng(32)
    hits = 0
    for _ in range(600):
        subjects, readings = generator.normal(0, 2, (40, 1)), generator.normal(0, 0.5, (1, 2))
        result = icc_a1(subjects + readings + generator.normal(0, 1, (40, 2)))
        hits += result.low <= 4 / 5.25 <= result.high
    assert hits / 600 == pytest.approx(0.95, abs=0.025)


def test_the_regrades_icc_and_mean_difference() -> None:
    """Published for the launched runs: ICC(A,1) .991, mean absolute difference .56 points."""
    pairs = [*REGRADE_MOVED, *((score, score) for score, n in REGRADE_UNMOVED.items() for _ in range(n))]
    pairs += [(100, 100)] * (105 - len(pairs))
    first, second = (pd.DataFrame({"rid": range(105), "pct": side}) for side in zip(*pairs, strict=True))
    summary, _ = agreement(first, second)
    row = summary.iloc[0]
    assert f"{row['icc']:.3f}" == "0.991"
    assert f"{row['mean_difference']:.2f}" == "0.56"
    # Never-launched runs, 0 both times: the published pooled figures are .997 and .52.
    pairs += [(0, 0)] * 7
    pooled = icc_a1(pairs)
    assert f"{pooled.icc:.3f}" == "0.997"
    assert f"{np.mean([abs(a - b) for a, b in pairs]):.2f}" == "0.52"


def test_the_regrades_linear_kappa() -> None:
    """Published: 545 of 552 items agree, .940; with 44 items of runs that never launched, 589 of 596 and .973.

    The seven moves are published; so is that 92.6 % of first-pass items are "pass" (511). Of the other 41 the split
    is not printed; 20 "fail" and 21 "partial" is the only one that gives .940.
    """
    table = np.array([[19, 1, 0], [0, 20, 1], [0, 5, 506]])
    pooled = table + np.diag([44, 0, 0])
    assert (np.trace(table), table.sum(), np.trace(pooled), pooled.sum()) == (545, 552, 589, 596)
    assert f"{cohen_kappa(table, 'linear').kappa:.3f}" == "0.940"
    assert f"{cohen_kappa(pooled, 'linear').kappa:.3f}" == "0.973"


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    first = pd.DataFrame(
        {"run_id": range(6), "task": "t", "verdict": ["fail", "partial", "pass", "pass", "fail", None]}
    )
    second = first.assign(verdict=["fail", "pass", "pass", "pass", "partial", "pass"])
    return first, second


def test_tables_are_joined_by_what_identifies_a_row() -> None:
    first, second = frames()
    summary, tables = agreement(first, second.sample(frac=1, random_state=2), order=["fail", "partial", "pass"])
    row = summary.iloc[0]
    assert (row["column"], row["n"], row["only_second"], row["agreement"]) == ("verdict", 5, 1, 0.6)
    assert tables["verdict"].loc["partial", "pass"] == 1
    assert row["linear"] > row["kappa"]


def test_without_an_order_there_is_no_weighted_kappa_but_a_reason() -> None:
    summary, _ = agreement(*frames())
    row = summary.iloc[0]
    assert math.isnan(row["linear"])
    assert row["reason"] == "no weighted kappa: the order of the categories is not given (--order)"
    summary, _ = agreement(*frames(), order=["fail", "pass"])
    assert summary.iloc[0]["reason"] == "no weighted kappa: --order lacks partial"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a, b: (a, b.assign(run_id=b["run_id"] + 100)), "no row in common by task, run_id"),
        (lambda a, b: (a, b.rename(columns={"verdict": "judgement"})), "share no column to compare"),
        (lambda a, b: (pd.concat([a, a]), b), "the first table has more than one row for t, 0"),
        (lambda a, b: (a.drop(columns=["run_id", "task"]), b), "share no identifying column"),
    ],
)
def test_tables_that_can_t_be_compared(change: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        agreement(*change(*frames()))


def test_a_missing_column_is_named() -> None:
    with pytest.raises(InputError, match="column 'score' is not in both tables; in both: run_id, task, verdict"):
        agreement(*frames(), columns=["score"])


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([1.5] * 12, [1.5] * 12, "one category throughout"),
        ([*range(12)], [*range(12)], "full agreement: the interval has no width"),
        ([None] * 12, [*range(12)], "no row has a value in both tables"),
    ],
)
def test_no_figure_is_missing_without_a_reason(first: list[Any], second: list[Any], reason: str) -> None:
    frames = [pd.DataFrame({"id": range(12), "score": side}) for side in (first, second)]
    summary, _ = agreement(*frames)
    assert reason in summary.iloc[0]["reason"]


def test_the_command(tmp_path: Path) -> None:
    for name, frame in zip(("a.csv", "b.csv"), frames(), strict=True):
        frame.to_csv(tmp_path / name, index=False)
    app = Typer()
    app.command()(agreement_command)
    arguments = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--order", "fail,partial,pass"]
    result = CliRunner().invoke(app, [*arguments, "--csv", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "first \\ second" in result.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["agreement.csv", "table-verdict.csv"]
