from __future__ import annotations

import math

import msgspec
import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.contingency_tables import StratifiedTable

from forensics.statistics.profiles import defect_rates, distinctive, profile
from forensics.statistics.tables import BuildTable, builds_of, read_builds
from tests.statistics.archives import BERKELEY, archive, berkeley
from tests.statistics.study_files import STUDY, needs_study

# README.md of the study and its per-model table: (model, feature, choice, whole percent).
PUBLISHED = [
    ("gpt-5.5", "dir_style", "src-tree", 77),
    ("gpt-5.5", "vite_invocation", "bare", 94),
    ("grok-4.3", "manifest_layout", "mixed", 82),
]


@needs_study
@pytest.mark.parametrize(("model", "feature", "choice", "percent"), PUBLISHED)
def test_published_profiles(model: str, feature: str, choice: str, percent: int) -> None:
    found = profile(read_builds(STUDY / "architecture-report.csv"), "model", [feature]).set_index("group").loc[model]
    assert (found["category"], round(100 * found["share"]), found["n"]) == (choice, percent, 186)
    assert found["low"] < found["share"] < found["high"]


def small() -> BuildTable:
    return builds_of(
        pd.DataFrame(
            {
                "model": ["a"] * 4 + ["b"] * 3 + ["c"],
                "style": ["flat", "flat", "tree", None, "tree", "flat", None, None],
                "loc": [10.0, 20.0, 40.0, np.nan, 5.0, 5.0, 8.0, 3.0],
            }
        )
    )


def test_shares_are_of_the_builds_that_have_the_feature() -> None:
    found = profile(small(), "model").set_index(["group", "feature"])
    style = found.loc[("a", "style")]
    assert (style["category"], style["count"], style["n"], style["missing"]) == ("flat", 2, 3, 1)
    assert style["share"] == pytest.approx(2 / 3)
    assert found.loc[("a", "loc"), "median"] == 20


def test_ties_and_groups_without_a_value_are_said() -> None:
    found = profile(small(), "model", ["style"]).set_index("group")
    assert (found.loc["b", "category"], found.loc["b", "note"]) == ("flat", "as common: tree")
    assert found.loc["c", "note"] == "not known of any build of the group"
    assert found.loc["c", "n"] == 0


def test_the_test_within_strata_is_cochran_mantel_haenszel() -> None:
    """R: mantelhaen.test(UCBAdmissions, correct = FALSE): 1.5246 on 1 df, p = 0.2169; so statsmodels."""
    found = distinctive(berkeley(), "model", ["task"]).set_index(["group", "category"]).loc[("woman", "yes")]
    assert found["residual"] ** 2 == pytest.approx(1.5246, abs=2e-4)
    assert found["p"] == pytest.approx(0.2169, abs=2e-4)
    assert found["p_method"] == "normal"
    tables = [np.array([[w, x], [m, n]]) for m, n, w, x in BERKELEY.values()]
    assert found["residual"] ** 2 == pytest.approx(StratifiedTable(tables).test_null_odds(correction=False).statistic)


def test_without_strata_the_same_builds_look_apart() -> None:
    """The margin: 557 of 1,835 women and 1,198 of 2,691 men admitted; χ² = 92.205."""
    found = distinctive(berkeley(), "model").set_index(["group", "category"]).loc[("woman", "yes")]
    assert (found["count"], found["n"], found["rest_count"], found["rest_n"]) == (557, 1835, 1198, 2691)
    assert found["lift"] == pytest.approx((557 / 1835) / (1198 / 2691))
    # The conditional variance has n − 1 where Pearson's has n.
    assert found["residual"] ** 2 == pytest.approx(92.205 * 4525 / 4526, abs=1e-2)


# Agresti, Categorical Data Analysis; R's ?mantelhaen.test, `Rabbits`: penicillin level → (cured at once, cured after
# 1.5 h, died at once, died after 1.5 h). Exact conditional test: S = 16, p = 0.03994.
RABBITS = {
    "1/8": (0, 0, 6, 5),
    "1/4": (3, 0, 3, 6),
    "1/2": (6, 2, 0, 4),
    "1": (5, 6, 1, 0),
    "4": (2, 5, 0, 0),
}


def test_few_builds_are_tested_exactly() -> None:
    rows = []
    for level, counts in RABBITS.items():
        kinds = (("none", "cured"), ("1.5h", "cured"), ("none", "died"), ("1.5h", "died"))
        for (delay, response), count in zip(kinds, counts, strict=True):
            rows += [(level, delay, response)] * count
    table = builds_of(pd.DataFrame(rows, columns=["task", "model", "response"]))
    found = distinctive(table, "model", ["task"]).set_index(["group", "category"]).loc[("none", "cured")]
    assert found["count"] == 16
    assert found["p"] == pytest.approx(0.03994, abs=1e-5)
    assert found["p_method"] == "exact"
    assert found["residual"] ** 2 == pytest.approx(5.6571, abs=1e-3)  # mantelhaen.test(Rabbits, correct = FALSE)


def test_null_cells_are_rarely_called_apart_and_planted_ones_are() -> None:
    false = [
        bool((distinctive(archive(seed, noise=4), "model", ["task", "condition"])["q"] < 0.05).any())
        for seed in range(60)
    ]
    assert np.mean(false) <= 0.12
    table = archive(0, runs=5, planted={"habit": {"model": 1.2}})
    found = distinctive(table, "model", ["task", "condition"]).set_index(["group", "category"])
    assert (found.loc[[("model-0", "yes"), ("model-2", "yes"), ("model-1", "no")], "q"] < 0.05).all()


def test_a_choice_that_no_other_group_makes_has_infinite_lift() -> None:
    table = builds_of(pd.DataFrame({"model": ["a"] * 5 + ["b"] * 5, "style": ["x"] * 4 + ["y"] * 6}))
    found = distinctive(table, "model").set_index(["group", "category"])
    assert math.isinf(found.loc[("a", "x"), "lift"])
    assert found.loc[("b", "x"), "lift"] == 0


def test_a_choice_that_never_varies_inside_a_task_is_not_identifiable() -> None:
    table = builds_of(
        pd.DataFrame({"task": ["s"] * 4 + ["t"] * 4, "model": list("aabb") * 2, "f": ["x"] * 4 + ["y"] * 4})
    )
    found = distinctive(table, "model", ["task"])
    assert found["p"].isna().all()
    assert set(found["note"]) == {"not identifiable: the choice or the group never varies inside a stratum"}


def test_one_group_has_nothing_to_be_compared_with() -> None:
    found = distinctive(builds_of(pd.DataFrame({"model": ["a"] * 4, "f": list("xxyz")})), "model")
    assert set(found["note"]) == {"no other group to compare with"}
    assert found["p"].isna().all()


def test_defect_rates_count_builds_and_keep_the_unknown_apart() -> None:
    table = msgspec.structs.replace(
        builds_of(pd.DataFrame({"build": list("123456"), "model": list("aaabbb"), "f": list("xyxyxy")})),
        findings=pd.DataFrame(
            [
                ("1", "wiring/port-mismatch", ""),
                ("1", "wiring/port-mismatch", ""),
                ("2", "wiring/port-mismatch", "baseline"),
                ("4", "wiring/port-mismatch", ""),
                ("5", "wiring/port-mismatch", ""),
            ],
            columns=["build", "rule", "suppressed"],
        ),
        verdicts=pd.DataFrame(
            [(build, "wiring", "UNKNOWN" if build in "35" else "OK") for build in "123456"],
            columns=["build", "scanner", "status"],
        ),
    )
    found = defect_rates(table, "model").set_index("group")
    # Build 3 can't be judged; build 5 can't either, but has a finding and so counts.
    assert found[["builds", "unknown", "affected"]].to_numpy().tolist() == [[2, 1, 1], [3, 0, 2]]
    assert found.loc["b", "share"] == pytest.approx(2 / 3)


def test_a_csv_has_no_defect_rates() -> None:
    assert defect_rates(small(), "model").empty
