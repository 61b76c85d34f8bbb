"""The study's descriptive tables: freeze-tables.txt, Appendix F, model-profiles.csv."""

from __future__ import annotations

import math
import re
from typing import Any

import pandas as pd
import pytest

from forensics.statistics.ladders import cells, defect_rates, ladders, profiles
from forensics.statistics.plan import read_plan
from forensics.statistics.runs import Runs, read_table, runs_of
from tests.statistics.study_files import STUDY, needs_study


@pytest.fixture(scope="module")
def study() -> Runs:
    return runs_of(read_table(STUDY / "run-summary.csv"), read_plan())


def section(number: int) -> str:
    text = (STUDY / "freeze-tables.txt").read_text("utf-8")
    return text.split(f"== {number}. ")[1].split("\n== ")[0]


def printed_cells(number: int) -> dict[tuple[str, int], str]:
    """(task, column) → printed cell of a table of freeze-tables.txt."""
    cells_of = {}
    for line in section(number).splitlines()[2:]:
        fields = line.split()
        if line and not line.startswith(" ") and len(fields) == 9:
            cells_of |= {(fields[0], place): value for place, value in enumerate(fields[1:])}
    return cells_of


@needs_study
@pytest.mark.parametrize(
    ("number", "ladder", "cells_printed"),
    [(1, "survival", 41), (2, "functional", 23), (3, "human", 41), (4, "human_if_running", 41)],
)
def test_ladders_are_the_freeze_tables(study: Runs, number: int, ladder: str, cells_printed: int) -> None:
    order = read_plan().arm_order
    table = ladders(study)
    means = {
        (row["block"], order.index(row["arm"])): row["mean"]
        for row in table[table["ladder"] == ladder].to_dict("records")
    }
    compared = 0
    for place, printed in printed_cells(number).items():
        if printed == "-":
            assert place not in means
        elif number == 1:
            # Unlike the pooled line these cells are rounded, half to even: 87.5 % is printed as 88 %, 62.5 % as 62 %.
            assert f"{100 * means[place]:.0f}%" == printed
            compared += 1
        else:
            assert f"{means[place]:.1f}" == printed
            compared += 1
    assert compared == cells_printed


@needs_study
def test_pooled_lines(study: Runs) -> None:
    table = ladders(study)
    pooled = table[table["block"] == "pooled"].set_index(["ladder", "arm"])
    survival, functional = pooled.loc["survival"], pooled.loc["functional"]
    printed = dict(re.findall(r"(\w+)=(\d+)% \(", section(1)))
    assert {arm: str(math.floor(100 * mean)) for arm, mean in survival["mean"].items()} == printed
    failures = {
        arm: (int(failed), int(n)) for arm, failed, n in re.findall(r"(\w+)=\d+% \((\d+)/(\d+) fail", section(1))
    }
    assert {arm: (round(n * (1 - mean)), n) for arm, n, mean in survival[["n", "mean"]].itertuples()} == failures
    # Survivors by condition as the study counts them: 1,050 of 1,116.
    assert sum(round(n * mean) for n, mean in survival[["n", "mean"]].itertuples(index=False)) == 1050
    line = section(2).split("pooled: ")[1].split("\n")[0]
    assert {arm: f"{mean:.1f}" for arm, mean in functional["mean"].items()} == dict(re.findall(r"(\w+)=([\d.]+)", line))


@needs_study
def test_the_brownfield_gaps(study: Runs) -> None:
    """freeze-tables section 5: execution − no_verification on the modification task and on the fresh board.

    The file prints differences of rounded means: 96.3 − 85.7 = 10.6, where the means differ by 10.67.
    """
    table = ladders(study).set_index(["ladder", "block", "arm"])["mean"]

    def gap(ladder: str, block: str) -> str:
        a, b = (round(table[ladder, block, arm], 1) for arm in ("execution", "no_verification"))
        return f"{a - b:.1f}"

    assert gap("functional", "kanban-labels-brownfield") == "10.0"
    assert gap("functional", "kanban-board") == "10.6"
    assert gap("human", "kanban-labels-brownfield") == "14.0"
    assert gap("human", "kanban-board") == "11.8"


@needs_study
def test_appendix_f_line_by_line(study: Runs) -> None:
    text = (STUDY / "stats-results.txt").read_text("utf-8").split("APPENDIX F")[1]
    table = cells(study)
    lines = 0
    for outcome in ("functional", "human", "survival"):
        block = text.split(f"--- {outcome} ---\n")[1].split("\n\n")[0]
        for row in table[table["outcome"] == outcome].to_dict("records"):
            line = (
                f"  {row['block']:<26} {row['arm']:<22} n={row['n']:>3}  mean={row['mean']:>6.1f}  sd={row['sd']:>5.1f}"
            )
            assert line in block
            lines += 1
    assert lines == 23 + 41 + 41


@needs_study
@pytest.mark.parametrize(("defect", "heading"), [("wiring", "wiring defect"), ("datadir", "datadir bug class")])
def test_defect_rates_are_section_7_cut_to_whole_percents(study: Runs, defect: str, heading: str) -> None:
    table = defect_rates(study)
    block = section(7).split(f"{heading}:\n")[1]
    by_arm, by_model = block.splitlines()[:2]
    for column, line in (("condition", by_arm), ("model", by_model)):
        part = table[(table["defect"] == defect) & (table["by"] == column)]
        printed = {name: int(value) for name, value in re.findall(r"(\S+)=(\d+)%", line)}
        assert {row["level"]: math.floor(100 * row["rate"]) for row in part.to_dict("records")} == printed


@needs_study
def test_defect_counts(study: Runs) -> None:
    table = defect_rates(study)
    everywhere = table[table["by"] == "all"].set_index("defect")
    # 45 wiring defects; 167 data-directory defects, to which the paper's 169 adds two of the five undecided.
    assert everywhere["defective"].to_dict() == {"wiring": 45, "datadir": 167}
    assert everywhere["undecided"].to_dict() == {"wiring": 0, "datadir": 5}


@needs_study
def test_profiles_are_model_profiles_csv(study: Runs) -> None:
    published = pd.read_csv(STUDY / "model-profiles.csv").set_index("model")
    ours = profiles(study).set_index("group")
    assert list(ours.index) == list(published.index)
    for model, row in published.iterrows():
        mine: Any = ours.loc[model]
        assert mine["n"] == row["n"]
        assert round(100 * mine["survival"]) == row["survival"]
        assert f"{mine['functional']:.1f}" == str(row["functional_api"])
        # grok-4.3's mean is 81.35, a tie that prints as 81.3 or 81.4.
        assert mine["human"] == pytest.approx(row["human"], abs=0.0501)
        assert round(100 * mine["wiring_rate"]) == row["wiring_pct"]
        assert round(100 * mine["datadir_rate"]) == row["datadir_pct"]
        assert round(mine["n"] * (1 - mine["survival"])) == row["boot_fails"]
        assert f"{mine['screenshots']:.1f}" == str(row["shots"])
        # gpt-5.5 is printed as 16.0, the difference of rounded means; the means differ by 16.07.
        assert mine["lift"] == pytest.approx(row["tool_lift"], abs=0.1)


def small_runs() -> Runs:
    frame = pd.DataFrame(
        {
            "task": ["calendar-week-view"] * 3 + ["seat-booking"],
            "condition": ["execution", "execution", "visual", "execution"],
            "model": ["a-anthropic", "b", "b", "b"],
            "functional_pct": [None, None, None, 50.0],
            "human_pct_current": [100.0, 0.0, 75.0, 20.0],
            "runs_via_declared_path": ["True", "False", "True", "True"],
            "wiring_status": ["OK", "PORT_MISMATCH", None, "UNKNOWN"],
        }
    )
    return runs_of(frame, read_plan())


def test_means_by_hand() -> None:
    table = ladders(small_runs()).set_index(["ladder", "block", "arm"])["mean"]
    assert table["human", "calendar-week-view", "execution"] == 50
    assert table["human_if_running", "calendar-week-view", "execution"] == 100
    assert table["survival", "pooled", "execution"] == pytest.approx(2 / 3)
    assert table["functional", "pooled", "execution"] == 50


def test_spread_by_hand() -> None:
    table = cells(small_runs()).set_index(["outcome", "block", "arm"])
    pair = table.loc[("human", "calendar-week-view", "execution")]
    assert (pair["sd"], pair["sd_sample"]) == pytest.approx((50.0, 50 * math.sqrt(2)))
    assert math.isnan(table.loc[("human", "calendar-week-view", "visual"), "sd_sample"])


def test_rates_by_hand() -> None:
    table = defect_rates(small_runs()).set_index(["defect", "level"])
    everyone = table.loc[("wiring", "all")]
    assert (everyone["n"], everyone["defective"], everyone["undecided"], everyone["rate"]) == (4, 1, 2, 0.25)
    assert table.loc[("datadir", ""), "reason"] == "no column 'datadir_status'"
    assert profiles(small_runs()).set_index("group").loc["a", "wiring_rate"] == 0
