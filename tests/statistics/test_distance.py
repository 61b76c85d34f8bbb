from __future__ import annotations

import math

import msgspec
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from forensics.records import InputError
from forensics.statistics.distance import compare_groups, compare_sets, jensen_shannon, leaf_order, linkage, matrix
from forensics.statistics.tables import BuildTable, builds_of, read_builds
from tests.statistics.archives import archive
from tests.statistics.study_files import STUDY, needs_study


def table(rows: list[str], columns: str = "task model f") -> BuildTable:
    return builds_of(pd.DataFrame([row.split() for row in rows], columns=columns.split()))


def test_jensen_shannon_by_hand() -> None:
    """H(3/4, 1/4) − H(1/2, 1/2) / 2 = 0.811278 − 0.5; nothing in common is 1."""
    assert float(jensen_shannon([1, 0], [0.5, 0.5])) == pytest.approx(0.311278, abs=1e-6)
    assert float(jensen_shannon([1, 0], [0, 1])) == 1
    assert float(jensen_shannon([0.2, 0.8], [0.2, 0.8])) == 0


def test_distance_of_groups_by_hand() -> None:
    """One feature: a is x, b half x and half y, so that the distance is √0.311278."""
    found = compare_groups(table(["t a x"] * 20 + ["t b x"] * 10 + ["t b y"] * 10), "model", ["task"])
    pair = found.pairs.iloc[0]
    assert (pair["first"], pair["second"], pair["builds_first"], pair["builds_second"]) == ("a", "b", 20, 20)
    assert pair["distance"] == pytest.approx(math.sqrt(0.311278), abs=1e-6)
    assert pair["p"] <= 0.005  # exactly, 2 C(20, 10) / C(40, 10) = 0.0004
    row = found.separating.iloc[0]
    assert (row["feature"], row["contribution"], row["category"]) == ("f", 1, "x")
    assert (row["share_first"], row["share_second"]) == (1, 0.5)


def test_weights_decide_between_features() -> None:
    """A feature without signal weighs nothing, so that the distance is that of the other alone."""
    rows = [f"t {m} {f} {noise}" for m, f in (("a", "x"), ("b", "y")) for noise in ("p", "q") for _ in range(10)]
    found = compare_groups(table(rows, "task model f noise"), "model", ["task"])
    assert found.pairs["distance"].iloc[0] == pytest.approx(1)
    assert found.separating.set_index("feature")["weight"].to_dict() == {"f": pytest.approx(1), "noise": 0}


def test_groups_that_merely_ran_other_tasks_are_not_apart() -> None:
    """Both choose x in task s and y in task t; a has run s more, b has run t more."""
    rows = ["s a x"] * 18 + ["t a y"] * 6 + ["s b x"] * 6 + ["t b y"] * 18
    held = compare_groups(table(rows), "model", ["task"]).pairs.iloc[0]
    assert held["distance"] == 0
    assert held["p"] == 1
    assert compare_groups(table(rows), "model").pairs["distance"].iloc[0] > 0.3


def test_groups_without_a_common_task_are_not_identifiable() -> None:
    rows = ["s a x"] * 5 + ["s b y"] * 5 + ["t c x"] * 5
    found = compare_groups(table(rows), "model", ["task"]).pairs.set_index(["first", "second"])
    assert found.loc[("a", "c"), "note"] == "not identifiable: they share no task"
    assert math.isnan(found.loc[("a", "c"), "p"])
    assert found.loc[("a", "b"), "distance"] == 1
    square = matrix(found.reset_index())
    assert math.isnan(square.loc["a", "c"])
    assert len(linkage(square)) == 1
    assert leaf_order(square) == ["a", "b", "c"]


def test_missing_values_are_left_out_of_their_feature_only() -> None:
    builds = pd.DataFrame(
        {"model": ["a"] * 8 + ["b"] * 8, "f": ["x"] * 4 + [None] * 4 + ["y"] * 8, "g": ["u", "v"] * 8}
    )
    found = compare_groups(builds_of(builds), "model")
    assert found.separating.set_index("feature").loc["f", "share_first"] == 1
    assert found.pairs["distance"].iloc[0] == pytest.approx(1)


def test_features_that_cannot_be_compared_are_named() -> None:
    builds = pd.DataFrame(
        {"model": ["a", "b"] * 20, "f": ["x", "y"] * 20, "one": "z", "many": [f"n{i // 39}" for i in range(40)]}
    )
    builds["many"] = [f"n{i}" for i in range(39)] + ["n0"]
    found = compare_groups(builds_of(builds), "model")
    assert found.left_out == {
        "one": "one category in every build",
        "many": "39 categories in 40 builds: too many to compare",
    }


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["t a x", "t a y", "t a x"], "one model only"),
        (["t a x", "t b x"] * 3, "no feature can be compared"),
        (["t a x", "t b y", "t b x"], "3 builds of 2 levels of model: too few to compare"),
    ],
)
def test_what_cannot_be_compared_at_all_is_one_line(rows: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare_groups(table(rows), "model")


def test_linkage_by_hand() -> None:
    """a and b merge at 0.1; c joins at the mean of 0.4 and 0.6."""
    square = pd.DataFrame([[0, 0.1, 0.4], [0.1, 0, 0.6], [0.4, 0.6, 0]], index=list("abc"), columns=list("abc"))
    found = linkage(square)
    assert found[["first", "second", "size"]].to_numpy().tolist() == [["a", "b", 2], ["a + b", "c", 3]]
    assert found["height"].tolist() == pytest.approx([0.1, 0.5])


def test_p_of_no_difference_is_uniform_when_there_is_none() -> None:
    p = [
        float(
            compare_groups(archive(seed, models=2, noise=3), "model", ["task"], draws=99, seed=seed).pairs["p"].iloc[0]
        )
        for seed in range(80)
    ]
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.045)


def test_a_set_that_changed_is_found_and_one_that_did_not_is_not() -> None:
    planted = {"style": {"model": 1.5}, "quotes": {"model": 1.0}}
    first, same = (archive(seed, models=3, runs=4, planted=planted, noise=2) for seed in (1, 2))
    found = compare_sets(first, same, "model", ["task"])
    assert (found.pairs["p"] > 0.05).all()
    changed = same.frame.copy()
    newer = (changed["model"] == "model-0") & (np.arange(len(changed)) % 10 < 8)
    changed.loc[newer, "style"] = "no"
    found = compare_sets(first, msgspec.structs.replace(same, frame=changed), "model", ["task"])
    p = found.pairs.set_index("group")["p"]
    assert p["model-0"] < 0.01
    assert p[["model-1", "model-2"]].min() > 0.05
    assert p["all groups together"] < 0.01
    moved = found.separating[found.separating["q"] < 0.05]
    assert moved[["group", "feature"]].to_numpy().tolist() == [["model-0", "style"]]


def test_the_test_of_no_change_keeps_its_error_rate() -> None:
    p = []
    for seed in range(70):
        first, second = (archive(2 * seed + k, models=2, noise=2, planted={"f": {"model": 1}}) for k in (0, 1))
        p += compare_sets(first, second, "model", ["task"], draws=99, seed=seed).pairs["p"].iloc[:2].tolist()
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.04)


def test_what_only_one_set_has_is_named() -> None:
    first = table(["t a x 1", "t a y 5", "t b x 7"] * 4, "task model f g")
    second = builds_of(pd.DataFrame({"task": "t", "model": ["a", "a", "c"] * 4, "f": ["x", "y", "y"] * 4, "h": "z"}))
    found = compare_sets(first, second, "model", ["task"])
    assert found.left_out == {"g": "only in the first set", "h": "only in the second set"}
    notes = found.pairs.set_index("group")["note"]
    assert (notes["b"], notes["c"]) == ("only in the first set", "only in the second set")


@needs_study
def test_published_models_are_all_apart_and_two_claudes_are_nearest() -> None:
    found = compare_groups(read_builds(STUDY / "architecture-report.csv"), "model", ["task"], draws=99)
    assert (found.pairs["q"] < 0.05).all()
    assert linkage(matrix(found.pairs)).iloc[0, :2].tolist() == ["claude-4.6-sonnet", "claude-4.8-opus"]
    assert (found.pairs["distance"] > 3 * found.pairs["expected"]).all()
