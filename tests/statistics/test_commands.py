"""`forensics signatures` and `forensics compare`: what a user sees."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from forensics.cli import run
from forensics.results import RunInfo, ScanResult, save
from tests.statistics.archives import archive
from tests.statistics.study_files import STUDY, needs_study
from tests.statistics.test_tables import build


def csv(folder: Path, table: pd.DataFrame, name: str = "builds.csv") -> str:
    path = folder / name
    table.to_csv(path, index=False)
    return str(path)


def planted(seed: int = 0) -> pd.DataFrame:
    return archive(seed, runs=4, planted={"style": {"model": 1.5}}, noise=1).frame.drop(columns="build")


def test_signatures_of_a_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["signatures", csv(tmp_path, planted()), "--by", "model", "--by", "condition", "--permutations", "199"])
        == 0
    )
    said = capsys.readouterr().out
    assert said.startswith(
        "192 builds, 2 categorical and 0 numeric features, by model and condition, within task\n\nSignatures\n"
    )
    row = next(line for line in said.splitlines() if line.startswith("style"))
    assert row.split()[1:3] == ["model", "192"]
    assert row.endswith("model idiom")
    assert "q: Benjamini-Hochberg over 4 tests; all features: exploratory, read q." in said
    assert "What sets each model apart" in said
    assert "\x1b" not in said  # a pipe gets no colour


@needs_study
def test_the_published_table_in_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["signatures", str(STUDY / "architecture-report.csv"), "--by", "model", "--by", "condition"]) == 0
    said = capsys.readouterr().out
    for line in (
        "manifest_layout    model      1116  .46  .45  .39–.51          .48   .001  .001  model idiom (= dev",
        "uses_typescript    model      1116  .20  .19  .13–.25          .19   .001  .001  neither (weak)",
        "has_tests          model      1116  .17  .15  .09–.22          .17   .001  .001  condition effect",
        "has_tests          condition  1116  .66  .65  .59–.71          .58   .001  .001",
        "behavioral occurs in one task only (seat-booking)",
    ):
        assert line in said
    assert "src-tree 77 % (71–83)" in said
    assert "bare 94 % (89–96)" in said
    assert "mixed 82 % (76–87)" in said


def test_signatures_as_csv_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, out, page = csv(tmp_path, planted()), tmp_path / "out" / "a.csv", tmp_path / "out" / "page.html"
    assert run(["signatures", table, "--permutations", "199", "--csv", str(out), "--html", str(page)]) == 0
    written = pd.read_csv(out)
    assert written["feature"].tolist() == ["style"] * 3 + ["noise-0"] * 3
    assert written["label"].tolist() == ["model", "condition", "task"] * 2
    assert {"effect", "corrected", "q", "verdict", "representative", "note"} <= set(written.columns)
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 2
    assert text.count("<table>") >= 4
    assert capsys.readouterr().err.splitlines() == [f"wrote {out}", f"wrote {page}"]
    again = tmp_path / "again.html"
    assert run(["signatures", table, "--permutations", "199", "--html", str(again)]) == 0
    assert again.read_bytes() == page.read_bytes()


def test_labels_can_be_held_or_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = csv(tmp_path, planted())
    assert run(["signatures", table, "--by", "model", "--within", "none", "--permutations", "99"]) == 0
    assert "by model, no label held" in capsys.readouterr().out
    options = [
        "--by",
        "model",
        "--within",
        "task",
        "--within",
        "condition",
        "--features",
        "style",
        "--permutations",
        "99",
    ]
    assert run(["signatures", table, *options]) == 0
    said = capsys.readouterr().out
    assert "by model, within task × condition" in said
    assert "1 tests; features named beforehand: confirmatory, read holm" in said
    assert "noise-0" not in said
    # Features that were asked for by name come with their counts.
    assert "style by model" in said
    assert "In each task × condition" in said


def test_confounders_stand_beside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = planted().assign(framework=lambda builds: builds["model"].map(lambda model: f"v{int(model[-1]) % 2}"))
    options = ["--by", "model", "--beside", "framework", "--features", "style", "--permutations", "99"]
    assert run(["signatures", csv(tmp_path, frame), *options]) == 0
    labels = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("style ")]
    assert labels[:3] == ["model", "task", "framework"]


def test_a_table_to_standard_output_stands_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["signatures", csv(tmp_path, planted()), "--permutations", "99", "--csv", "-"]) == 0
    assert capsys.readouterr().out.count("\n") == 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "agent"], "no label column 'agent'; labels there: model, task, condition"),
        (["--within", "batch"], "no label column 'batch'; labels there: model, task, condition"),
        (["--features", "layout"], "no feature 'layout'; features there: style, noise-0"),
    ],
)
def test_bad_options_are_one_line(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["signatures", csv(tmp_path, planted()), *options]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert message in said.err


def test_bad_tables_end_in_words_not_tracebacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One model only, a constant number, names that would move the cursor."""
    lone = pd.DataFrame({"model": ["only"] * 5, "task": ["t"] * 5, "f": list("xxxyy"), "g": 7})
    assert run(["signatures", csv(tmp_path, lone), "--permutations", "99"]) == 0
    said = capsys.readouterr().out
    assert "f: one model (only) in all 5 builds: nothing to compare" in said
    assert "g: one category (7" in said
    hostile = pd.DataFrame({"model": ["a\x1b[2J", "b"] * 6, "f\x07": ["x", "y"] * 6, "$x_{": ["p", "q", "q"] * 4})
    page = tmp_path / "page.html"
    assert run(["signatures", csv(tmp_path, hostile), "--permutations", "99", "--html", str(page)]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\x07" not in said
    assert r"a\u{1b}[2J" in said
    assert "\x1b" not in page.read_text(encoding="utf-8")


def test_compare_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert run(["compare", csv(tmp_path, planted()), "--permutations", "199", "--html", str(page)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("192 builds by model, within task; 199 permutations, seed 0\n")
    for heading in (
        "Distances between models",
        "Distance matrix",
        "Dendrogram (average linkage)",
        "What separates each pair",
    ):
        assert heading in said
    assert page.read_text(encoding="utf-8").count("<svg") == 1


def test_compare_two_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = csv(tmp_path, planted(1)), csv(tmp_path, planted(2).replace({"style": {"yes": "no"}}), "second.csv")
    assert run(["compare", first, second, "--permutations", "199"]) == 0
    said = capsys.readouterr().out
    assert "Change of each model between the two sets" in said
    assert "all groups together" in said
    assert "Features that changed (q < .05)" in said


def test_compare_refuses_one_group_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lone = csv(tmp_path, pd.DataFrame({"model": ["only"] * 4, "f": list("xyxy")}))
    assert run(["compare", lone]) == 2
    assert capsys.readouterr().err.endswith("one model only (only): nothing to compare\n")


def result_set(folder: Path) -> str:
    """24 builds of two models over two tasks; one model leaves its port unmatched in most of its builds."""
    builds = []
    for number in range(24):
        model, task = f"m{number % 2}", f"t{number // 2 % 2}"
        wrong = model == "m1" and number % 3 > 0
        builds.append(
            build(
                f"{task}/{number:02}",
                model,
                status="UNKNOWN" if number == 4 else "PORT_MISMATCH" if wrong else "OK",
                rules=("wiring/port-mismatch",) * 2 if wrong else (),
                style="flat" if model == "m0" else "tree",
                loc=100 + number,
                task=task,
            )
        )
    run_info = RunInfo(version="0", rules_digest="0", archives=("archive",), settings={})
    save(ScanResult(run=run_info, builds=tuple(builds)), folder / "results")
    return str(folder / "results")


def test_signatures_of_a_result_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    results = result_set(tmp_path)
    assert run(["signatures", results, "--by", "model", "--permutations", "199", "--html", str(page)]) == 0
    said = capsys.readouterr().out
    assert "24 builds, 1 categorical and 1 numeric features, by model, within task" in said
    row = next(line for line in said.splitlines() if line.startswith("wiring/port-mismatch"))
    # Eight of twelve builds, once each; of the other model's twelve one could not be judged.
    assert row.split(maxsplit=1)[1] == "0/11 0 % (0 %–26 %)  8/12 67 % (39 %–86 %)"
    assert "Builds with a defect, by model" in page.read_text(encoding="utf-8")


def test_compare_of_result_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = result_set(tmp_path)
    assert run(["compare", results, results, "--permutations", "99"]) == 0
    said = capsys.readouterr().out
    assert "Change of each model between the two sets" in said
    assert run(["compare", results, "--by", "archive"]) == 2
    assert "one archive only (archive): nothing to compare" in capsys.readouterr().err


def test_groups_outside_the_tree_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("s", model, f) for model in "ab" for f in "xxyz"] + [("t", "c", f) for f in "xyyz"]
    assert (
        run(["compare", csv(tmp_path, pd.DataFrame(rows, columns=["task", "model", "f"])), "--permutations", "99"]) == 0
    )
    said = capsys.readouterr().out
    assert "not identifiable: they share no task" in said
    assert "Without c: no distance to some of the others." in said
