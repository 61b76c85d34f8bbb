from __future__ import annotations

import math
from functools import cache

import numpy as np
import pandas as pd
import pytest

from forensics.records import InputError
from forensics.statistics.analysis import Analysis, analyse
from forensics.statistics.signatures import COLUMNS, associations, label_statements, verdict, verdicts
from forensics.statistics.tables import builds_of, read_builds
from reports.signature_tables import signature_displays, text
from tests.statistics.archives import archive, berkeley, confounded
from tests.statistics.study_files import STUDY, needs_study

# Table X of the study (its README.md, "Association (Table X)"): feature → V by model, V by condition, its verdict in
# one word: what the larger of the two says, or "weak" where the paper calls both so.
TABLE_X = {
    "manifest_layout": (".46", ".16", "model"),
    "dir_style": (".40", ".10", "model"),
    "module_system": (".36", ".10", "model"),
    "dev_orchestration": (".39", ".13", "model"),
    "vite_invocation": (".27", ".12", "model"),
    "api_client_style": (".34", ".12", "model"),
    "has_readme": (".70", ".18", "model"),
    "has_tests": (".17", ".66", "condition"),
    "uses_typescript": (".20", ".20", "weak"),
    "uses_vite": (".13", ".13", "weak"),
}


@cache
def study() -> Analysis:
    return analyse(read_builds(STUDY / "architecture-report.csv"))


def two(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


@needs_study
@pytest.mark.parametrize("feature", TABLE_X)
def test_table_x_to_two_decimals(feature: str) -> None:
    row = study().verdicts.set_index("feature").loc[feature]
    by_model, by_condition, _ = TABLE_X[feature]
    assert (two(row["model"]), two(row["condition"])) == (by_model, by_condition)
    assert (row["n"], row["missing"]) == (1116, 0)


@needs_study
def test_our_verdicts_beside_the_published_ones() -> None:
    """The rule was fixed before; that it agrees in every row is an observation about the table, not its design."""
    words = {"model idiom": "model", "condition effect": "condition", "neither": "weak"}
    found = study().verdicts.set_index("feature")
    assert {name: words[found.loc[name, "verdict"]] for name in TABLE_X} == {
        name: word for name, (_, _, word) in TABLE_X.items()
    }
    for name in ("uses_typescript", "uses_vite"):
        assert found.loc[name, ["model strength", "condition strength"]].tolist() == ["weak", "weak"]


@needs_study
def test_the_one_condition_effect_rests_on_one_task_and_says_so() -> None:
    note = study().verdicts.set_index("feature").loc["has_tests", "note"]
    assert "as a condition effect it rests on seat-booking (V~ 0.68 there, 0.00 without it)" in note
    assert "behavioral occurs in one task only (seat-booking)" in note
    assert study().statements == ("behavioral occurs in one task only (seat-booking)",)


@needs_study
def test_redundant_columns_of_the_study_are_one_habit() -> None:
    same = study().verdicts.set_index("feature")["representative"]
    assert same["manifest_layout"] == "dev_orchestration"
    assert same["uses_vite"] == "vite_invocation"
    assert study().verdicts["cluster"].nunique() == 13


@needs_study
def test_nothing_in_the_study_s_table_is_missing_but_what_it_cannot_have() -> None:
    rows = study().associations
    asked = rows[rows["role"] == "by"]
    may_lack = {"min_expected", "cells_below_5"}  # of numbers
    assert not asked.drop(columns=list(may_lack)).isna().to_numpy().any()
    assert (asked["null_p"] > 0.001).all()
    assert (
        asked["p_method"]
        == ["permutation within task × condition, 999 draws", "permutation within task × model, 999 draws"] * 15
    ).all()


def test_a_published_row_without_the_study_at_hand() -> None:
    """README by model: 2, 57, 154, 0, 92 and 0 of 186 builds each (architecture-report.csv), V = .70."""
    rows = []
    for model, count in zip("abcdef", (2, 57, 154, 0, 92, 0), strict=True):
        rows += [(model, "True")] * count + [(model, "False")] * (186 - count)
    found = associations(builds_of(pd.DataFrame(rows, columns=["model", "has_readme"])), ["model"], draws=99)
    row = found.iloc[0]
    assert two(row["effect"]) == ".70"
    assert row["statistic"] == pytest.approx(539.48, abs=0.005)
    assert (row["low"], row["high"]) == (pytest.approx(0.6339, abs=1e-4), pytest.approx(0.7515, abs=1e-4))
    assert (row["min_expected"], row["cells_below_5"]) == (pytest.approx(305 / 6), 0)
    assert row["note"] == "no task is held: nothing is known of single tasks"


def test_berkeley_s_admission_is_no_habit_of_either_sex() -> None:
    """Over all V~ = .14 with an asymptotic p of 1e-21; within departments nothing is left."""
    row = associations(berkeley(), ["model"], ["task"], seed=1).iloc[0]
    assert row["corrected"] == pytest.approx(0.142, abs=1e-3)
    assert row["p_asymptotic"] < 1e-20
    assert row["p"] == pytest.approx(0.217, abs=0.05)  # mantelhaen.test(UCBAdmissions, correct = FALSE)
    assert row["within"] < 0.02
    assert row["strength"] == "none"


def test_the_columns_are_those_documented() -> None:
    found = associations(archive(0, noise=1), ["model", "condition"], ["task"], draws=99)
    assert tuple(found.columns) == COLUMNS
    assert found["role"].tolist() == ["by", "by", "within"]
    for name in COLUMNS:
        assert name in (associations.__doc__ or "") or name.startswith(("without_task", "lowest", "highest"))


def test_the_same_seed_gives_the_same_table_whatever_else_is_in_it() -> None:
    table = archive(0, noise=3)
    first = associations(table, ["model"], ["task"], draws=199, seed=7)
    assert first.equals(associations(table, ["model"], ["task"], draws=199, seed=7))
    alone = associations(table, ["model"], ["task"], features=["noise-1"], draws=199, seed=7)
    assert alone["p"].iloc[0] == first.loc[first["feature"] == "noise-1", "p"].iloc[0]
    other = associations(table, ["model"], ["task"], draws=199, seed=8)
    assert (other["p"] != first["p"]).any()


def test_the_family_is_stated_and_decides_the_draws() -> None:
    table = archive(0, noise=30)
    found = associations(table, ["model", "condition"], ["task"])
    asked = found[found["role"] == "by"]
    assert set(asked["family"]) == {"60 tests; all features: exploratory, read q"}
    # 60 tests: with 999 draws no Holm-adjusted p could fall below 60 / 1000.
    assert asked["p_method"].iloc[0].endswith("1,499 draws")
    named = associations(table, ["model"], ["task"], features=["noise-0", "noise-1"], draws=99)
    assert named["family"].iloc[0] == "2 tests; features named beforehand: confirmatory, read holm"


def test_a_label_that_follows_from_another_is_not_identifiable() -> None:
    """Each model ran under a condition of its own: neither can be told from the other."""
    table = archive(0, models=2, conditions=2, noise=1)
    nested = table.frame[
        (table.frame["model"] == "model-0") == (table.frame["condition"] == "condition-0")
    ].reset_index(drop=True)
    rows = associations(builds_of(nested.drop(columns="build")), ["model", "condition"], ["task"], draws=99)
    asked = rows[rows["role"] == "by"]
    assert (asked["strength"] == "not identifiable").all()
    assert asked["p"].isna().all()
    assert asked["effect"].notna().all()
    assert "not identifiable: no two levels of model meet in one task × condition" in asked["note"].iloc[0]
    assert verdicts(rows)["verdict"].tolist() == ["not identifiable"]


def test_models_that_share_no_task_are_refused_and_named() -> None:
    rows = [("t1", "a", f) for f in "xxxy"] + [("t2", "b", f) for f in "yyyx"]
    table = builds_of(pd.DataFrame(rows, columns=["task", "model", "f"]))
    found = associations(table, ["model"], ["task"], draws=99)
    assert verdicts(found)["verdict"].tolist() == ["not identifiable"]
    assert found["effect"].iloc[0] == pytest.approx(0.5)  # the marginal V is still given
    assert label_statements(table, ["model"], ["task"]) == ["model is not identifiable: no two levels meet in one task"]


def test_a_level_that_meets_no_other_is_dropped_and_named() -> None:
    rows = [("t1", m, f) for m, f in zip("aaaabbbb", "xxxxyyyy", strict=True)] * 3 + [("t2", "c", "x")] * 5
    table = builds_of(pd.DataFrame(rows, columns=["task", "model", "f"]))
    found = associations(table, ["model"], ["task"], draws=99).iloc[0]
    assert (found["n"], found["within_n"], found["levels"]) == (29, 24, 3)
    assert "c: no other model in the same task, dropped from the comparison within strata" in found["note"]
    assert "c occurs in one task only (t2)" in found["note"]


def test_sets_of_models_that_never_meet_are_named() -> None:
    rows = [("t1", m, f) for m, f in zip("aabb", "xxyy", strict=True)] + [
        ("t2", m, f) for m, f in zip("ccdd", "xyxy", strict=True)
    ]
    table = builds_of(pd.DataFrame(rows * 3, columns=["task", "model", "f"]))
    assert label_statements(table, ["model"], ["task"])[0] == (
        "model falls into 2 sets that never meet in one task: a, b | c, d"
    )


BAD = {
    "one_category": (["same"] * 48, "one category (same) in all 48 builds: nothing to associate"),
    "free_text": ([f"text {i % 25}" for i in range(48)], "25 categories in 48 builds: too many to compare"),
    "once": (["x"] + [None] * 47, "one category (x) in all 1 builds: nothing to associate"),
    "constant_number": ([7.5] * 48, "one category (7.5) in all 48 builds: nothing to associate"),
    "never_of_one": (["a", "b", "a", None] * 12, "no value in any build of m3"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_features_are_stated_in_the_table(name: str) -> None:
    values, message = BAD[name]
    frame = pd.DataFrame({"task": np.repeat(["t1", "t2"], 24), "model": ["m0", "m1", "m2", "m3"] * 12, name: values})
    rows = associations(builds_of(frame), ["model"], ["task"], draws=99)
    assert message in rows["note"].iloc[0]
    assert rows["missing"].iloc[0] == frame[name].isna().sum()
    assert verdicts(rows)["verdict"].iloc[0] == ("model idiom" if name == "never_of_one" else "not tested")


def test_no_value_is_missing_without_a_reason() -> None:
    """Every shape of bad input at once; wherever a test or an effect is NaN, the note speaks."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "task": ["t1"] * 20 + ["t2"] * 20 + ["t3"] * 8,
            "condition": rng.choice(["c", "d"], 48),
            "model": ["a"] * 15 + ["b"] * 15 + ["c"] * 17 + ["lone"],
            "constant": "x",
            "only_t1": ["x", "y"] * 10 + [None] * 28,
            "mostly": ["x"] * 47 + ["y"],
            "number": rng.normal(size=48),
            "lost": [None] * 40 + [3.0, 4.0] * 4,
            "fine": rng.choice(["p", "q"], 48),
        }
    )
    frame.loc[3, "model"] = None
    frame.loc[9, "task"] = None
    rows = associations(builds_of(frame), ["model", "condition"], ["task"], draws=99)
    for _, row in rows[rows["role"] == "by"].iterrows():
        for column in ("effect", "corrected", "p", "within", "heterogeneity", "task_low", "without_task_low"):
            if math.isnan(row[column]):
                assert row["note"], (row["feature"], column)
        if not math.isnan(row["effect"]) and not math.isnan(row["p"]):
            assert not math.isnan(row["q"])
    assert "one build only of lone" in rows["note"].iloc[rows["feature"].tolist().index("fine")]
    assert "1 of 48 builds have no model" in " ".join(label_statements(builds_of(frame), ["model"], ["task"]))


def test_missing_values_are_counted_apart_and_never_an_absence() -> None:
    """Where the feature is known it is x for a and y for b; a missing value is no third choice."""
    frame = pd.DataFrame({"model": ["a", "b"] * 20, "f": ["x", "y"] * 10 + [None] * 20})
    row = associations(builds_of(frame), ["model"], draws=99).iloc[0]
    assert (row["n"], row["missing"], row["categories"]) == (20, 20, 2)
    assert row["effect"] == pytest.approx(1)


def test_ten_thousand_categories_are_said_not_computed() -> None:
    frame = pd.DataFrame({"model": ["a", "b"] * 10_000, "f": [f"v{i // 2}" for i in range(20_000)]})
    row = associations(builds_of(frame), ["model"], draws=99).iloc[0]
    assert row["note"].startswith("10,000 categories in 20,000 builds: too many to compare")
    assert math.isnan(row["effect"])
    many = builds_of(frame.rename(columns={"model": "f", "f": "model"}))
    assert "10,000 levels of model" in associations(many, ["model"], draws=99)["note"].iloc[0]


def test_labels_and_features_that_are_not_there_are_one_line() -> None:
    table = archive(0, noise=1)
    with pytest.raises(InputError, match="no label column 'agent'; labels there: model, task, condition"):
        associations(table, ["agent"])
    with pytest.raises(InputError, match="no feature 'layout'; features there: noise-0"):
        associations(table, ["model"], features=["layout"])
    with pytest.raises(InputError, match="holds no feature"):
        associations(builds_of(pd.DataFrame({"model": ["a", "b"]})), ["model"])


def test_verdict_words() -> None:
    assert verdict({"model": "strong", "condition": "weak"}) == "model idiom"
    assert verdict({"model": "none", "condition": "medium"}) == "condition effect"
    assert verdict({"model": "medium", "condition": "medium"}) == "both"
    assert verdict({"model": "weak", "condition": "none"}) == "neither"
    assert verdict({"model": "none"}) == "none"
    assert verdict({"model": "not identifiable", "condition": "none"}) == "not identifiable"
    assert verdict({"model": "medium", "harness": "strong", "prompt": "none"}) == "model idiom + harness effect"


def said(table_seed: int, planted: dict[str, dict[str, float]], noise: int = 0, draws: int = 199) -> pd.DataFrame:
    table = archive(table_seed, runs=4, planted=planted, noise=noise)
    return verdicts(associations(table, ["model", "condition"], ["task"], draws=draws, seed=table_seed))


def test_the_rule_s_error_rate_on_null_data() -> None:
    """60 builds of 6 models, small enough for noise to look medium: any idiom in 5 features: < 5 %."""
    false = 0
    for seed in range(30):
        table = archive(seed, models=6, tasks=5, conditions=1, runs=2, noise=5)
        false += (verdicts(associations(table, ["model"], ["task"], draws=199, seed=seed))["verdict"] != "none").any()
    assert false / 30 <= 0.1


@pytest.mark.parametrize(
    ("planted", "expected"),
    [
        ({"model": 1.2}, "model idiom"),
        ({"condition": 1.2}, "condition effect"),
        ({"model": 1.3, "condition": 1.3}, "both"),
        ({"task": 2.0}, "neither"),
        ({"model": 1.2, "task": 1.0}, "model idiom"),
    ],
)
def test_the_rule_s_power_on_planted_effects(planted: dict[str, float], expected: str) -> None:
    """192 builds. Log-odds of ±1.2 are shares of 77 % and 23 %, w ≈ 0.54; a task's effect is none."""
    found = [said(seed, {"f": planted})["verdict"].iloc[0] for seed in range(12)]
    assert np.mean([word == expected for word in found]) >= 0.9


def test_a_feature_that_follows_the_task_never_becomes_a_model_idiom() -> None:
    """Unbalanced tasks: over all the feature is associated with the model in every archive (V~ > .1, p < .001)."""
    for seed in range(25):
        rows = associations(confounded(seed), ["model"], ["task"], draws=199, seed=seed)
        assert rows["corrected"].iloc[0] > 0.1
        assert rows["p_asymptotic"].iloc[0] < 0.001
        assert verdicts(rows)["verdict"].iloc[0] == "none"


def test_the_null_control_looks_like_noise_beside_a_planted_habit() -> None:
    rows = pd.concat(
        [
            associations(archive(s, runs=4, planted={"f": {"model": 1.2}}), ["model"], ["task"], draws=199, seed=s)
            for s in range(20)
        ]
    )
    asked = rows[rows["role"] == "by"]
    assert (asked["p"] == 1 / 200).all()
    assert asked["null_corrected"].median() < 0.08
    assert 0.2 < asked["null_p"].mean() < 0.8


@pytest.mark.parametrize("seed", range(12))
def test_any_table_ends_in_a_table_or_one_line(seed: int) -> None:
    """Small tables of every shape: few builds, empty columns, constants, numbers, labels that don't meet."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    columns: dict[str, pd.Series] = {}
    for label in ("model", "task", "condition"):
        values = pd.Series(rng.integers(0, rng.integers(1, 6), n).astype(str), dtype=object)
        columns[label] = values.where(rng.random(n) > rng.choice([0, 0.2, 0.9]))
    kinds = (
        rng.integers(0, 3, n).astype(str),
        rng.normal(size=n),
        np.full(n, 7.5),
        rng.random(n) < 0.5,
        np.arange(n) % 9,
    )
    for number, values in enumerate(kinds):
        columns[f"f{number}"] = pd.Series(values).where(rng.random(n) > rng.choice([0, 0.5, 0.95]))
    try:
        found = analyse(builds_of(pd.DataFrame(columns)), draws=99)
    except InputError:
        return
    rows = found.associations[found.associations["role"] == "by"]
    checked = ["effect", "corrected", "low", "p", "q", "within", "averaged", "task_low", "heterogeneity", "null_p"]
    for _, row in rows.iterrows():
        assert row["note"] or not row[checked].isna().any()
    for display in signature_displays(found, whole=True):
        assert len(text(display)) == len(display.frame)


def test_labels_held_and_compared_by_default() -> None:
    found = analyse(archive(0, noise=2), draws=99)
    assert (found.by, found.within) == (("model", "condition"), ("task",))
    assert analyse(archive(0, noise=2), within=[], draws=99).within == ()
    with pytest.raises(InputError, match="no label 'model' or 'condition'; name one with --by; labels there: agent"):
        analyse(builds_of(pd.DataFrame({"agent": ["a", "b"], "f": ["x", "y"]})))
