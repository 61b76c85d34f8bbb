"""A scanner's verdicts against labels, on tables small enough to count by hand and on the study's own labels."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer import Typer
from typer.testing import CliRunner

from forensics.cli.evaluate import evaluate as evaluate_command
from forensics.records import InputError, LaunchPath
from forensics.results import BuildResult, Place, ReportedFinding, RunInfo, ScanResult, VerdictRow, save
from forensics.statistics.evaluation import Naming, evaluate, read_naming
from forensics.statistics.runs import read_table
from tests.statistics.study_files import STUDY, needs_study

TEMPLATE = "{task}/{condition}/runs/{run_id}"


def verdicts(statuses: dict[str, str]) -> pd.DataFrame:
    rows = [
        {"build": build, "scanner": "wiring", "status": status, "reason": "no script" if status == "UNKNOWN" else ""}
        for build, status in statuses.items()
    ]
    return pd.DataFrame([*rows, {"build": "t/c/runs/1", "scanner": "datadir", "status": "OK", "reason": ""}])


def labels(values: dict[int, str | None]) -> pd.DataFrame:
    return pd.DataFrame({"task": "t", "condition": "c", "run_id": list(values), "wiring_status": list(values.values())})


FINDINGS = pd.DataFrame(
    [
        {"build": "t/c/runs/3", "rule": "wiring/proxy-not-loaded", "message": "the page gets HTML for /api"},
        {"build": "t/c/runs/3", "rule": "datadir/missing-parent", "message": "no such folder"},
    ]
)
OURS = verdicts(
    {
        "t/c/runs/1": "OK",
        "t/c/runs/2": "PORT_MISMATCH",
        "t/c/runs/3": "PROXY_NOT_LOADED",
        "t/c/runs/4": "UNKNOWN",
        "t/c/runs/5": "OK",
        "t/c/runs/6": "OK",
    }
)
THEIRS = labels({1: "OK", 2: "PORT_MISMATCH", 3: "OK", 4: "PORT_MISMATCH", 5: "OK", 9: "OK"})


def judged(**changes: Any) -> Any:
    arguments = {
        "verdicts": OURS,
        "findings": FINDINGS,
        "labels": THEIRS,
        "label_id": TEMPLATE,
        "scanner": "wiring",
        "column": "wiring_status",
    }
    return evaluate(**(arguments | changes))


def test_figures_by_hand() -> None:
    outcome = judged()
    row = outcome.summary.iloc[0]
    # Five builds are labelled; 1, 2 and 5 agree, 3 is a false alarm, 4 is left open; 6 has no label, label 9 no build.
    assert (row["n"], row["agree"], row["unknown"], row["unlabelled"], row["missing"]) == (5, 3, 1, 1, 1)
    # p_o = 3/5; p_e = (3/5)(2/5) + (2/5)(1/5) = 8/25; kappa = (15 − 8) / (25 − 8).
    assert row["kappa"] == pytest.approx(7 / 17)
    classes = outcome.classes.set_index("class")
    assert (classes.loc["OK", "precision"], classes.loc["OK", "recall"]) == (1.0, pytest.approx(2 / 3))
    port = classes.loc["PORT_MISMATCH"]
    assert (port["precision"], port["recall"]) == (1.0, 0.5)
    assert classes.loc["PROXY_NOT_LOADED", "precision"] == 0
    assert math.isnan(classes.loc["PROXY_NOT_LOADED", "recall"])
    assert classes.loc["PROXY_NOT_LOADED", "reason"] == "never labelled: no recall"
    assert outcome.confusion.loc["PORT_MISMATCH", "UNKNOWN"] == 1


def test_every_disagreement_has_our_reason() -> None:
    disagreements = judged().disagreements
    assert dict(zip(disagreements["build"], disagreements["reason"], strict=True)) == {
        "t/c/runs/3": "wiring/proxy-not-loaded: the page gets HTML for /api",
        "t/c/runs/4": "no script",
    }


def test_an_unknown_never_agrees_even_with_an_unknown_label() -> None:
    outcome = judged(labels=labels({1: "OK", 4: "UNKNOWN"}))
    assert outcome.summary.iloc[0]["agree"] == 1


def test_names_are_mapped_and_defects_judged_as_one() -> None:
    naming = Naming(
        labels={"PORT_MISMATCH": "port"}, statuses={"PORT_MISMATCH": "port"}, defects=("port", "PROXY_NOT_LOADED")
    )
    outcome = judged(naming=naming)
    binary = outcome.summary.iloc[1]
    assert binary["column"] == "wiring_status (defect or not)"
    # Defect or not: labelled 2 and 4, claimed 2 and 3.
    assert binary["agree"] == 3
    row = outcome.classes.set_index("class").loc["any defect"]
    assert (row["labelled"], row["claimed"], row["both"], row["precision"], row["recall"]) == (2, 2, 1, 0.5, 0.5)
    assert outcome.given.loc["PORT_MISMATCH", "PORT_MISMATCH"] == 1


def test_labels_can_be_left_out() -> None:
    outcome = judged(naming=Naming(leave_out=("PORT_MISMATCH",)))
    assert (outcome.summary.iloc[0]["n"], outcome.summary.iloc[0]["left_out"]) == (3, 2)
    with pytest.raises(InputError, match="every labelled build is left out"):
        judged(naming=Naming(leave_out=("PORT_MISMATCH", "OK")))


@pytest.mark.parametrize(
    "resolutions",
    [
        pd.DataFrame({"app": ["t/c/runs/4/app"], "scanner_status": ["?"], "resolved_status": ["PORT_MISMATCH"]}),
        pd.DataFrame({"task": ["t"], "condition": ["c"], "run_id": [4], "wiring_status": ["PORT_MISMATCH"]}),
    ],
)
def test_resolutions_overrule_labels(resolutions: pd.DataFrame) -> None:
    outcome = judged(labels=labels({1: "OK", 4: "UNKNOWN"}), resolutions=resolutions)
    row = outcome.builds.set_index("build").loc["t/c/runs/4"]
    assert (row["label_given"], row["label"], row["resolved"]) == ("UNKNOWN", "PORT_MISMATCH", True)


@pytest.mark.parametrize(
    "builds", [["t/c/runs/1/app", "t/c/runs/11/app"], ["t/c/runs/1", "t/c/runs/11"], ["t/c/runs/1/", "t/c/runs/11/"]]
)
def test_an_id_names_a_build_at_folder_borders_only(builds: list[str]) -> None:
    ours = pd.DataFrame([{"build": build, "scanner": "wiring", "status": "OK", "reason": ""} for build in builds])
    outcome = judged(verdicts=ours, labels=labels({1: "OK", 11: "OK"}))
    assert list(outcome.builds["build"]) == sorted(builds)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"column": "verdict"}, "the labels have no column 'verdict'; columns there: task, condition, run_id, wiring"),
        ({"label_id": "{app}"}, "the labels have no column 'app'"),
        ({"label_id": "runs"}, "--label-id 'runs' names no column"),
        ({"label_id": "{task"}, "--label-id '{task'"),
        ({"scanner": "stack"}, "no verdict of the scanner 'stack'; scanners there: datadir, wiring"),
        ({"labels": labels({77: "OK"})}, "no label names a build: the first id is 't/c/runs/77'"),
        ({"labels": labels({1: None})}, "the labels' column 'wiring_status' is empty"),
        ({"labels": pd.concat([THEIRS, THEIRS])}, "more than one row for 't/c/runs/1'"),
        ({"resolutions": pd.DataFrame({"app": ["t/c/runs/1"]})}, "no column 'resolved_status', 'resolved' or 'wiring"),
        ({"resolutions": pd.DataFrame({"resolved": ["OK"]})}, "neither a column 'app', 'build' or 'id' nor task"),
        ({"resolutions": pd.DataFrame({"app": ["x"], "resolved": ["OK"]})}, "for 'x' names no labelled build"),
    ],
)
def test_input_that_can_t_be_judged(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        judged(**changes)


def test_a_mapping_file(tmp_path: Path) -> None:
    path = tmp_path / "names.toml"
    path.write_text('[wiring]\ndefects = ["x"]\n[wiring.labels]\nA = "x"\n', "utf-8")
    assert read_naming(path, "wiring") == Naming(labels={"A": "x"}, defects=("x",))
    with pytest.raises(InputError, match=re.escape("no table [datadir]; there are wiring")):
        read_naming(path, "datadir")
    path.write_text("[wiring]\nlabel = 3\n", "utf-8")
    with pytest.raises(InputError, match="can't be read as a mapping"):
        read_naming(path, "wiring")


@needs_study
def test_the_studys_169_is_167_and_two_resolved() -> None:
    """The published labels judged against themselves: 167 as labelled, 169 with the five resolutions."""
    published = read_table(STUDY / "run-summary.csv")
    resolutions = read_table(STUDY / "datadir-unknown-resolutions.csv")
    builds = published["task"] + "/" + published["condition"] + "/runs/" + published["run_id"].astype(str)
    ours = pd.DataFrame(
        {
            "build": builds,
            "scanner": "datadir",
            "status": published["datadir_status"].replace({"NO-PGLITE": "NO-STORE"}),
            "reason": "as published",
        }
    )
    naming = read_naming("study", "datadir")
    for decided, expected in ((None, 167), (resolutions, 169)):
        outcome = evaluate(ours, pd.DataFrame(), published, TEMPLATE, "datadir", "datadir_status", naming, decided)
        row = outcome.classes.set_index("class").loc["any defect"]
        assert (row["labelled"], row["claimed"]) == (expected, 167)
    assert sorted(outcome.disagreements["build"]) == [
        "message-board/static/runs/14",
        *(f"seat-booking/behavioral/runs/{run}" for run in (1, 11, 14, 21)),
    ]


@needs_study
def test_the_published_scanner_against_the_graders_retries() -> None:
    """README of the study's tables: its data-directory verdicts against what the grader saw, 127 right, 40 false, 5
    missed."""
    published = read_table(STUDY / "run-summary.csv")
    builds = published["task"] + "/" + published["condition"] + "/runs/" + published["run_id"].astype(str)
    ours = pd.DataFrame(
        {"build": builds, "scanner": "datadir", "status": published["datadir_status"], "reason": "as published"}
    )
    naming = Naming(
        labels={"True": "defect", "False": "fine"},
        statuses={"LATENT": "defect", "WILL-FAIL": "defect"},
        defects=("defect",),
    )
    outcome = evaluate(ours, pd.DataFrame(), published, TEMPLATE, "datadir", "dir_assumption_fixed", naming)
    row = outcome.classes.set_index("class").loc["any defect"]
    assert (row["both"], row["claimed"] - row["both"], row["labelled"] - row["both"]) == (127, 40, 5)


def scan_result() -> ScanResult:
    """Three builds; the second has a finding."""

    def build(number: int, status: str, findings: tuple[ReportedFinding, ...] = ()) -> BuildResult:
        return BuildResult(
            id=f"t/c/runs/{number}",
            archive="a",
            labels={"task": "t", "condition": "c", "run": str(number)},
            file_count=1,
            byte_count=1,
            digest="0",
            verdicts=(VerdictRow(scanner="wiring", status=status),),
            findings=findings,
            features={"dir_style": "flat"},
            launch_paths=(LaunchPath(name="dev", works=True, command="npm run dev", because="it works"),),
            errors=(),
        )

    finding = ReportedFinding(
        rule="wiring/port-mismatch",
        severity="error",
        confidence="high",
        message="the proxy's port 3001 has no listener",
        fix="listen on 3001",
        place=Place(path="package.json", line=1, column=1, end_line=1, end_column=2),
        fingerprint="f",
    )
    return ScanResult(
        run=RunInfo(version="0", rules_digest="0", archives=("a",), settings={}),
        builds=(build(1, "OK"), build(2, "PORT_MISMATCH", (finding,)), build(3, "OK")),
    )


def test_the_command_reads_a_result_set(tmp_path: Path) -> None:
    save(scan_result(), tmp_path / "results")
    labels({1: "OK", 2: "OK", 3: "OK"}).to_csv(tmp_path / "labels.csv", index=False)
    app = Typer()
    app.command()(evaluate_command)
    arguments = [str(tmp_path / "results"), "--labels", str(tmp_path / "labels.csv"), "--label-id", TEMPLATE]
    arguments += ["--scanner", "wiring", "--column", "wiring_status", "--csv", str(tmp_path / "out")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "Disagreements: 1" in result.output
    assert "wiring/port-mismatch: the proxy's port 3001 has no listener" in result.output
    assert pd.read_csv(tmp_path / "out" / "disagreements.csv")["build"].tolist() == ["t/c/runs/2"]
