from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from forensics.statistics import stratified as s
from forensics.statistics.association import contingency, corrected_v, v_of_counts
from tests.statistics.archives import archive, berkeley, confounded


def frame(rows: list[tuple[str, ...]], columns: str = "task model f") -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns.split())


def test_levels_that_meet_and_levels_that_do_not() -> None:
    places = "t1 a, t1 b, t2 b, t2 c, t3 d, t3 d, t4 e, t5 e, t4 f"
    builds = frame([(*place.split(), "") for place in places.split(", ")])
    found = s.identifiability(builds, "model", ["task"]).set_index("level")
    assert found["builds"].to_dict() == {"a": 1, "b": 2, "c": 1, "d": 2, "e": 2, "f": 1}
    assert found["shares"].to_dict() == {"a": True, "b": True, "c": True, "d": False, "e": True, "f": True}
    assert found["only_in"].to_dict() == {"a": "t1", "b": "", "c": "t2", "d": "t3", "e": "", "f": "t4"}
    assert found.loc["a", "component"] == found.loc["c", "component"]
    assert found.loc["a", "component"] != found.loc["e", "component"]


def test_only_strata_where_levels_meet_are_used() -> None:
    builds = frame([("t1", "a", "x"), ("t1", "b", "y"), ("t2", "b", "x"), ("t2", "b", "y")])
    assert s.shared_strata(builds, "model", ["task"])["task"].tolist() == ["t1", "t1"]


def test_with_one_stratum_the_held_effect_is_bergsmas_v() -> None:
    rng = np.random.default_rng(4)
    builds = pd.DataFrame({"task": "t", "model": rng.choice(list("abcd"), 90), "f": rng.choice(list("xyz"), 90)})
    builds.loc[builds["model"] == "a", "f"] = "x"
    assert s.within_effect(builds, "f", "model", ["task"]) == pytest.approx(
        corrected_v(contingency(builds, "f", "model"))
    )
    assert s.within_effect(builds, "f", "model", []) == pytest.approx(corrected_v(contingency(builds, "f", "model")))


def test_a_feature_that_follows_the_task_keeps_nothing_when_the_task_is_held() -> None:
    held, marginal = [], []
    for seed in range(20):
        builds = confounded(seed).frame
        marginal.append(corrected_v(contingency(builds, "follows_task", "model")))
        held.append(s.within_effect(s.shared_strata(builds, "model", ["task"]), "follows_task", "model", ["task"]))
    assert np.mean(marginal) > 0.3
    assert np.mean(held) < 0.06


def test_berkeley_is_associated_over_all_but_hardly_within_departments() -> None:
    """R: chisq.test(…, correct = FALSE) of the margin gives χ² = 92.205, so V = √(92.205 / 4526) = 0.1427."""
    builds = berkeley().frame
    v, _ = v_of_counts(contingency(builds, "admitted", "model").to_numpy())
    assert float(v) == pytest.approx(math.sqrt(92.205 / 4526), abs=1e-4)
    assert s.within_effect(builds, "admitted", "model", ["task"]) < 0.02
    by_task = s.by_stratum(builds, "admitted", "model", ["task"]).set_index("stratum")
    # Department A alone favoured one sex: χ² = 17.248 of 933 (R: apply(UCBAdmissions, 3, chisq.test, correct = FALSE)).
    assert by_task.loc["A", "effect"] == pytest.approx(math.sqrt(17.248 / 933), abs=1e-3)
    assert by_task["effect"].drop("A").max() < 0.06


def test_the_average_is_weighted_by_builds_and_counts_a_constant_task_as_none() -> None:
    perfect = [("t1", m, f) for m, f in (("a", "x"), ("b", "y")) for _ in range(10)]
    constant = [("t2", m, "x") for m in ("a", "b") for _ in range(20)]
    alone = [("t3", "a", f) for f in ("x", "y")]
    found = s.averaged(frame(perfect + constant + alone), "f", "model", ["task"])
    assert found["averaged"] == pytest.approx(20 / 60)
    assert (found["lowest"], found["lowest_in"]) == (0, "t2")
    assert (found["highest"], found["highest_in"]) == (pytest.approx(1), "t1")
    assert found["tasks"] == 2
    assert math.isnan(float(found["heterogeneity"]))


def test_every_missing_value_has_its_reason() -> None:
    builds = frame([("t1", "a", "x"), ("t1", "b", "x"), ("t2", "b", "x"), ("t2", "b", "y")])
    notes = s.by_stratum(builds, "f", "model", ["task"]).set_index("stratum")["note"]
    assert notes.to_dict() == {"t1": "the feature has one value here", "t2": "one level of the label only"}
    rest = s.leave_one_out(builds, "f", "model", ["task"]).set_index("left_out")
    assert rest.loc["t1", "note"] == "one level of the label only"
    assert rest.loc["t2", "builds"] == 2


def test_leaving_a_task_out_shows_what_rests_on_it() -> None:
    perfect = [("t1", m, f) for m, f in (("a", "x"), ("b", "y")) for _ in range(10)]
    even = [("t2", m, f) for m in ("a", "b") for f in ("x", "y") for _ in range(5)]
    rest = s.leave_one_out(frame(perfect + even), "f", "model", ["task"]).set_index("left_out")
    assert rest.loc["t1", "corrected"] == 0
    assert rest.loc["t2", "corrected"] == pytest.approx(1)


def test_heterogeneity_is_rarely_claimed_where_tasks_are_alike() -> None:
    p = []
    for seed in range(200):
        table = archive(seed, models=4, tasks=6, conditions=1, runs=15, planted={"f": {"model": 0.8}})
        p.append(float(s.averaged(table.frame, "f", "model", ["task"])["heterogeneity_p"]))
    assert np.mean(np.array(p) < 0.05) < 0.09
    assert stats.kstest(p, "uniform").pvalue > 0.001


def test_heterogeneity_is_found_where_one_task_differs() -> None:
    perfect = [("t1", m, f) for m, f in (("a", "x"), ("b", "y")) for _ in range(30)]
    even = [(t, m, f) for t in ("t2", "t3") for m in ("a", "b") for f in ("x", "y") for _ in range(15)]
    found = s.averaged(frame(perfect + even), "f", "model", ["task"])
    assert float(found["heterogeneity"]) > 0.9
    assert float(found["heterogeneity_p"]) < 0.001


def test_numbers_are_treated_alike() -> None:
    rng = np.random.default_rng(0)
    builds = pd.DataFrame({"task": np.repeat(["t1", "t2"], 40), "model": np.tile(["a", "b"], 40)})
    builds["loc"] = rng.normal(size=80) + (builds["task"] == "t2") * 50 + (builds["model"] == "b") * 4
    found = s.averaged(builds, "loc", "model", ["task"])
    assert float(found["averaged"]) > 0.8
    h = stats.kruskal(*(builds.loc[(builds["task"] == "t1") & (builds["model"] == m), "loc"] for m in "ab")).statistic
    first = s.by_stratum(builds, "loc", "model", ["task"])
    assert first["effect"][0] == pytest.approx(math.sqrt(h / 39))


def test_many_distinct_numbers_are_taken_in_ranges() -> None:
    rng = np.random.default_rng(0)
    builds = pd.DataFrame({"task": "t", "model": rng.choice(["a", "b"], 3000), "loc": rng.normal(size=3000)})
    builds.loc[builds["model"] == "b", "loc"] += 0.5
    _, counts = s.counts_by_stratum(builds, "loc", "model", ["task"])
    assert counts.shape[1] <= s.DISTINCT_VALUES
    exact = stats.kruskal(*(builds.loc[builds["model"] == m, "loc"] for m in "ab")).statistic / 2999
    assert float(s.effects(counts, numeric=True)[0][0]) ** 2 == pytest.approx(exact, abs=1e-3)


def draw_tasks(rng: np.random.Generator, tasks: int, runs: int, unlike: float) -> np.ndarray:
    """Counts (tasks, choices, models): models have habits, and each task bends them by `unlike`."""
    habits = np.array([[1.2, 0, 0], [0, 1.2, 0], [0, 0, 1.2], [0.5, 0.5, 0]])
    logits = habits + rng.normal(scale=unlike, size=(tasks, 4, 3)) + rng.normal(scale=unlike, size=(tasks, 1, 3))
    chances = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    return np.swapaxes(rng.multinomial(runs, chances), 1, 2)


@pytest.mark.parametrize(("tasks", "lowest"), [(7, 0.84), (12, 0.88)])
def test_coverage_of_the_interval_over_tasks(tasks: int, lowest: float) -> None:
    rng = np.random.default_rng(0)
    true = float(v_of_counts(draw_tasks(rng, 4000, 50, 0.5).sum(0))[1])
    covered = 0
    for _ in range(120):
        counts = draw_tasks(rng, tasks, 10, 0.5)
        places = np.argwhere(counts > 0)
        rows = np.repeat(places, counts[counts > 0], axis=0)
        builds = pd.DataFrame(rows, columns=["task", "f", "model"]).astype(str)
        low, high = s.task_interval(builds, "f", "model", ["task"], resamples=499)
        covered += low <= true <= high
    assert lowest <= covered / 120 <= 0.99


def test_too_few_tasks_are_not_resampled() -> None:
    assert all(map(math.isnan, s.task_interval(archive(0, tasks=4, noise=1).frame, "noise-0", "model", ["task"])))
