"""Attribution on planted habits, on noise, on what would leak, and on the study's published features."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer import Typer
from typer.testing import CliRunner

from forensics.cli.attribute import attribute as attribute_command
from forensics.records import InputError
from forensics.statistics.attribution import (
    UNLIKE,
    attribute,
    balanced_accuracy,
    build_interval,
    evaluate_reference,
    permutation_p,
    reference_of,
    task_interval,
)
from forensics.statistics.classifiers import held_out_scores
from forensics.statistics.tables import BuildTable, builds_of, read_builds
from tests.statistics.study_files import STUDY, needs_study

TREES = 25


def archive(seed: int = 1, tasks: int = 4, each: int = 6, models: str = "ABC", **columns: Any) -> pd.DataFrame:
    """Builds of models over tasks with a planted habit (`style`), a weak one (`files`) and noise (`port`)."""
    generator = np.random.default_rng(seed)
    rows = []
    for task in range(tasks):
        for place, model in enumerate(models):
            for run in range(each):
                habit = generator.random() < 0.85
                rows.append(
                    {
                        "build": f"t{task}/{model}/{run}",
                        "task": f"t{task}",
                        "model": model,
                        "style": f"s{place}" if habit else f"s{generator.integers(0, len(models))}",
                        "files": float(generator.poisson(4 + 3 * place)) + 2,
                        "port": f"p{generator.integers(0, 4)}",
                    }
                )
    return pd.DataFrame(rows).assign(**columns)


def table_of(frame: pd.DataFrame) -> BuildTable:
    return builds_of(frame, source="archive.csv")


def test_a_planted_habit_is_recovered_on_tasks_not_seen() -> None:
    evaluation, _ = evaluate_reference(reference_of(table_of(archive(each=10))), trees=TREES)
    row = evaluation.summary.iloc[0]
    assert row["balanced_accuracy"] > 0.75
    assert row["low"] <= row["balanced_accuracy"] <= row["high"]
    assert row["task_low"] <= row["balanced_accuracy"] <= row["task_high"]
    assert row["p"] == 0.0001
    assert row["shuffled"] == pytest.approx(1 / 3, abs=0.12)
    assert row["calibration_error"] < 0.12
    assert evaluation.confusion.to_numpy().sum() == row["builds"] == 120
    assert evaluation.tasks["part"].tolist() == ["t0", "t1", "t2", "t3"]
    assert evaluation.bins["n"].sum() == 120


def test_what_only_holds_within_a_task_is_worth_nothing() -> None:
    """A token that names the model within its task, and differs between tasks: perfect where a build's own task leaks
    into training, useless otherwise. Both the outer and the inner scores must be at chance."""
    frame = archive(each=8)
    frame = frame.assign(style=frame["task"] + frame["model"], files=3.0, port="p")
    reference = reference_of(table_of(frame))
    held_out = held_out_scores(reference.matrix, reference.codes, reference.folds, 3, 0, TREES)
    assert balanced_accuracy(held_out.outer.argmax(axis=1), reference.codes) == pytest.approx(1 / 3, abs=0.02)
    assert held_out.outer.max() < 0.5
    for fold, inside in enumerate(held_out.inner):
        others = reference.folds != fold
        assert inside[~others].sum() == 0
        assert inside[others].max() < 0.5


def test_inner_scores_know_neither_of_two_tasks() -> None:
    """Changing every value of one task must change no inner score of another task with that one held out."""
    frame = archive()
    reference = reference_of(table_of(frame))
    changed = frame["task"] == "t1"
    spoilt = frame.assign(
        style=frame["style"].where(~changed, "s0"), files=frame["files"].where(~changed, 2.0), port=frame["port"]
    )
    other = reference_of(table_of(spoilt))
    assert other.encoding == reference.encoding
    for left, right in (
        (held_out_scores(each.matrix, each.codes, each.folds, 3, 0, TREES) for each in (reference, other)),
    ):
        elsewhere = (reference.folds != 1).nonzero()[0]
        np.testing.assert_array_equal(left.inner[1][elsewhere], right.inner[1][elsewhere])
        assert (left.outer[elsewhere] != right.outer[elsewhere]).any()


def test_noise_is_at_chance() -> None:
    generator = np.random.default_rng(8)
    frame = archive(each=12).assign(files=1.5)
    frame["style"] = [f"s{k}" for k in generator.integers(0, 3, len(frame))]
    evaluation, _ = evaluate_reference(reference_of(table_of(frame)), trees=TREES)
    row = evaluation.summary.iloc[0]
    assert row["balanced_accuracy"] == pytest.approx(1 / 3, abs=0.1)
    assert row["p"] > 0.02
    assert row["calibration_error"] < 0.12


def test_p_values_of_senseless_names_are_uniform() -> None:
    """Names and truths each follow the task (so they agree more often than chance) and are otherwise unrelated."""
    generator = np.random.default_rng(61)
    tasks = np.repeat(np.arange(4), 15)
    p_values = []
    for _ in range(600):
        named, truth = ((generator.integers(0, 3, 60) + tasks * (generator.random(60) < 0.4)) % 3 for _ in range(2))
        p_values.append(permutation_p(named, truth, tasks, generator, draws=199))
    for level in (0.05, 0.25, 0.5):
        share = float(np.mean(np.array(p_values) <= level))
        assert share == pytest.approx(level, abs=3.3 * np.sqrt(level * (1 - level) / 600))


def test_the_interval_over_builds_covers() -> None:
    """500 samples of 40 builds a class, named rightly with chance .9, .7, .5: balanced accuracy .7."""
    generator = np.random.default_rng(62)
    truth = np.repeat(np.arange(3), 40)
    chances = np.array([0.9, 0.7, 0.5])[truth]
    hits = 0
    for _ in range(500):
        named = np.where(generator.random(120) < chances, truth, (truth + 1) % 3)
        low, high = build_interval(named, truth, generator)
        hits += low <= 0.7 <= high
    assert hits / 500 == pytest.approx(0.95, abs=0.03)


def test_the_interval_over_tasks_is_wide_where_tasks_differ_and_short_of_its_level_with_seven() -> None:
    """Seven tasks with chances spread evenly from .4 to 1: the percentile bootstrap of seven covers .8 to .95."""
    generator = np.random.default_rng(63)
    tasks, truth = np.repeat(np.arange(7), 30), np.tile(np.repeat(np.arange(3), 10), 7)
    hits, widths = 0, []
    for _ in range(300):
        chances = generator.uniform(0.4, 1.0, 7)[tasks]
        named = np.where(generator.random(210) < chances, truth, (truth + 1) % 3)
        low, high = task_interval(named, truth, tasks, generator)
        hits += low <= 0.7 <= high
        widths.append(high - low)
    assert 0.8 < hits / 300 < 0.97
    assert np.mean(widths) > 0.2


def test_answers_come_with_probabilities_and_the_features_that_decided() -> None:
    reference = reference_of(table_of(archive(each=10)))
    questioned = pd.DataFrame({"build": ["x", "y"], "style": ["s2", "s0"], "files": [14.0, 5.0], "port": ["p1", "p0"]})
    answers = attribute(reference, table_of(questioned), trees=TREES).set_index("build")
    assert answers["answer"].to_dict() == {"x": "C", "y": "A"}
    assert (answers["probability"] > 0.5).all()
    assert answers.loc["x", "because"].startswith("style (+")
    columns = ["p A", "p B", "p C"]
    assert answers[columns].sum(axis=1).tolist() == pytest.approx([1, 1])
    assert answers.loc["x", "probability"] == answers.loc["x", columns].max()


def test_a_build_like_no_other_gets_no_name() -> None:
    generator = np.random.default_rng(9)
    frame = archive(each=10)
    for place in range(6):
        frame[f"habit{place}"] = np.where(generator.random(len(frame)) < 0.9, "usual", "rare")
    strange = {"build": "z", "style": "novel", "files": 80.0, "port": "novel"}
    strange |= {f"habit{place}": "unheard of" for place in range(6)}
    answers = attribute(
        reference_of(table_of(frame)), table_of(pd.DataFrame([strange, strange | {"build": "w"}])), trees=TREES
    )
    assert (answers["answer"] == UNLIKE).all()
    assert answers["reason"].str.contains("of the reference's builds are as far").all()
    assert answers["nearest"].isin(["A", "B", "C"]).all()


def test_everything_is_a_function_of_table_and_seed() -> None:
    questioned = table_of(archive(seed=3, tasks=1, each=2))
    first, second, other = (
        attribute(reference_of(table_of(archive())), questioned, seed=seed, trees=TREES) for seed in (5, 5, 6)
    )
    pd.testing.assert_frame_equal(first, second)
    assert not first.equals(other)


def test_many_tasks_are_dealt_whole_into_seven_parts() -> None:
    reference = reference_of(table_of(archive(tasks=20, each=2)))
    assert len(reference.fold_names) == 7
    assert reference.frame.assign(fold=reference.folds).groupby("task")["fold"].nunique().max() == 1
    sizes = np.bincount(reference.folds)
    assert max(sizes) - min(sizes) <= 6


def test_two_tasks_are_enough_to_judge_but_not_to_calibrate() -> None:
    reference = reference_of(table_of(archive(tasks=2, each=10)))
    evaluation, held_out = evaluate_reference(reference, trees=TREES)
    assert held_out.inner == ()
    assert evaluation.summary.iloc[0]["balanced_accuracy"] > 0.6
    assert evaluation.builds["probability"].tolist() == pytest.approx(held_out.outer.max(axis=1).tolist())


def test_classes_that_can_t_be_judged_are_left_out_and_named() -> None:
    frame = archive()
    few = frame[frame["model"] == "A"].head(3).assign(model="D", build=["d1", "d2", "d3"])
    one_task = frame[(frame["model"] == "A") & (frame["task"] == "t1")].assign(model="E")
    one_task["build"] = [f"e{k}" for k in range(len(one_task))]
    unlabelled = frame.head(2).assign(model=None, build=["u1", "u2"])
    reference = reference_of(table_of(pd.concat([frame, few, one_task, unlabelled], ignore_index=True)))
    assert reference.classes == ("A", "B", "C")
    assert reference.left_out == {
        "2 builds": "no model or no task",
        "D": "3 builds; attribution needs 5",
        "E": "not identifiable: it occurs in one task only (t1)",
    }


def test_missing_values_are_no_obstacle() -> None:
    frame = archive()
    frame.loc[::3, "style"] = None
    frame.loc[::4, "files"] = np.nan
    evaluation, _ = evaluate_reference(reference_of(table_of(frame)), trees=10)
    assert not evaluation.summary.isna().any(axis=None)


@pytest.mark.parametrize(
    ("frame", "label", "message"),
    [
        (archive(), "author", "no label column 'author'"),
        (archive(models="A"), "model", "1 model to tell apart, attribution needs two or more"),
        (archive(tasks=1), "model", "0 model to tell apart"),
        (archive().drop(columns="task"), "model", "no label column 'task'"),
        (archive()[["build", "task", "model"]], "model", "no feature to attribute by"),
    ],
)
def test_references_that_can_t_serve(frame: pd.DataFrame, label: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        reference_of(table_of(frame), label)


def test_a_questioned_table_without_a_common_feature() -> None:
    questioned = table_of(pd.DataFrame({"build": ["x", "y"], "colour": ["red", "red"]}))
    with pytest.raises(InputError, match=r"archive.csv: has none of the features of archive.csv"):
        attribute(reference_of(table_of(archive())), questioned, trees=10)


def test_the_command(tmp_path: Path) -> None:
    archive(tasks=3).to_csv(tmp_path / "known.csv", index=False)
    archive(seed=2, tasks=1, each=1).drop(columns=["model"]).to_csv(tmp_path / "asked.csv", index=False)
    app = Typer()
    app.command()(attribute_command)
    arguments = ["--reference", tmp_path / "known.csv", tmp_path / "asked.csv", "--csv", tmp_path / "out"]
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    assert (
        "54 reference builds, 3 values of model, 3 parts by task, 2 categorical and 1 numeric features" in result.output
    )
    assert "Attribution of 3 builds" in result.output
    assert "nan" not in result.output
    assert len(pd.read_csv(tmp_path / "out" / "answers.csv")) == 3


@needs_study
def test_the_published_features_tell_the_six_models_apart() -> None:
    """architecture-report.csv: balanced accuracy on held-out tasks of at least .70, calibration error of at most .1.

    A plain forest on the same features gives .63 (categorical) and .71 (with the numeric ones).
    """
    evaluation, held_out = evaluate_reference(reference_of(read_builds(STUDY / "architecture-report.csv")))
    row = evaluation.summary.iloc[0]
    assert (row["builds"], row["classes"], row["parts"]) == (1116, 6, 7)
    assert row["balanced_accuracy"] >= 0.70
    assert row["low"] >= 0.68
    assert row["calibration_error"] <= 0.1
    assert row["shuffled"] == pytest.approx(1 / 6, abs=0.04)
    assert row["p"] == 0.0001
    assert len(held_out.inner) == 7
    by_task = evaluation.tasks.set_index("part")["accuracy"]
    # The modification task fixes nearly every published feature by its starter: no model can be told there.
    assert by_task["kanban-labels-brownfield"] < 0.25
    assert by_task["kanban-board"] > 0.8
