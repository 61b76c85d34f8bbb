from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from forensics.records import InputError, LaunchPath
from forensics.results import BuildResult, Place, ReportedFinding, RunInfo, ScanResult, VerdictRow, save
from forensics.statistics.tables import builds_of, read_builds, require_features, require_labels
from tests.statistics.study_files import STUDY, needs_study


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "table.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_columns_are_sorted_into_labels_and_features(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "task,model,run_id,style,tests,flag,loc,commit,empty\r\n"
        "a,m1,1,none,True,0,10,x1,\r\n"
        "a,m2,2,flat,False,1,,x2,\r\n"
        "b,m1,3,,True,1,30.5,x3,\r\n",
    )
    table = read_builds(path)
    assert table.labels == ("task", "model", "run_id")
    assert table.categorical == ("style", "tests", "flag")
    assert table.numeric == ("loc",)
    assert table.set_aside == {"commit": "different in every row", "empty": "no value in any row"}
    assert table.frame["build"].tolist() == ["row 2", "row 3", "row 4"]
    # "none" is a choice, an empty cell is missing.
    assert table.frame["style"].tolist()[:2] == ["none", "flat"]
    assert table.frame["style"].isna().tolist() == [False, False, True]
    assert table.frame["loc"].tolist()[::2] == [10.0, 30.5]
    assert np.isnan(table.frame["loc"][1])
    assert table.frame["run_id"].tolist() == ["1", "2", "3"]


def test_values_that_read_like_missing_are_kept(tmp_path: Path) -> None:
    """pandas would take None, NA and null for missing; a build may well choose them."""
    table = read_builds(written(tmp_path, "model,style\nm,None\nm,NA\nm,null\nm,null\n"))
    assert table.frame["style"].tolist() == ["None", "NA", "null", "null"]


def test_further_columns_can_serve_as_labels(tmp_path: Path) -> None:
    path = written(tmp_path, "framework,style\nx,a\ny,b\ny,a\n")
    assert read_builds(path).labels == ()
    assert read_builds(path, labels=["framework"]).labels == ("framework",)


def test_whole_numbers_stay_whole_beside_missing_ones() -> None:
    table = builds_of(pd.DataFrame({"run": [1, None, 3], "flag": [1.0, None, 0.0]}))
    assert table.frame["run"].tolist()[::2] == ["1", "3"]
    assert table.frame["flag"].tolist()[::2] == ["1", "0"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "can't be read as CSV: No columns to parse from file"),
        ("model,style\n", "holds no build"),
        ("model,style\nm,a\nm,b,c,d\n", "can't be read as CSV: .*Expected 2 fields in line 3, saw 4"),
    ],
)
def test_a_file_that_is_no_table_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        read_builds(written(tmp_path, text))
    assert "\n" not in str(raised.value)


def test_bytes_that_are_no_text_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read as CSV"):
        read_builds(written(tmp_path, "model,style\nm,é\n", encoding="latin-1"))


def test_an_absent_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv: no such file or directory"):
        read_builds(tmp_path / "nowhere.csv")


def test_an_absent_label_is_named_with_those_there(tmp_path: Path) -> None:
    table = read_builds(written(tmp_path, "model,task,style\nm,,a\nn,,b\n"))
    with pytest.raises(InputError, match=r"table\.csv: no label column 'modle'; labels there: model, task$"):
        require_labels(table, ["modle"])
    with pytest.raises(InputError, match="label column 'task' is empty"):
        require_labels(table, ["task"])


def test_an_absent_feature_is_named_with_those_there(tmp_path: Path) -> None:
    table = read_builds(written(tmp_path, "model,style,loc,id2\nm,a,1,x\nn,b,20,y\no,b,3,z\n"))
    assert require_features(table) == (["style"], ["loc"])
    assert require_features(table, ["loc"]) == ([], ["loc"])
    with pytest.raises(InputError, match="no feature 'layout'; features there: style, loc"):
        require_features(table, ["layout"])
    with pytest.raises(InputError, match="column 'id2' can't serve as a feature: different in every row"):
        require_features(table, ["id2"])


def finding(rule: str, suppressed: str = "") -> ReportedFinding:
    place = Place(path="package.json", line=1, column=1, end_line=1, end_column=2)
    return ReportedFinding(
        rule=rule,
        severity="error",
        confidence="high",
        message="m",
        fix="f",
        place=place,
        fingerprint="0" * 32,
        suppressed=suppressed,
    )


def build(
    name: str, model: str, status: str = "OK", rules: tuple[str, ...] = (), task: str = "t", **features: object
) -> BuildResult:
    return BuildResult(
        id=name,
        archive="archive",
        labels={"model": model, "task": task},
        file_count=1,
        byte_count=1,
        digest="0",
        verdicts=(VerdictRow(scanner="wiring", status=status, reason="why" if status == "UNKNOWN" else ""),),
        findings=tuple(finding(rule) for rule in rules),
        features=features,  # type: ignore[arg-type]
        launch_paths=(LaunchPath(name="dev", works=True, command="npm run dev", because=""),),
        errors=(),
    )


def test_a_result_set_gives_the_same_shape(tmp_path: Path) -> None:
    builds = (
        build("t/1", "m1", rules=("wiring/port-mismatch",), style="flat", loc=10, tests=True),
        build("t/2", "m2", status="UNKNOWN", style="flat", loc=20, tests=False),
        build("t/3", "m2", loc=30, tests=False),
    )
    run = RunInfo(version="0", rules_digest="0", archives=("archive",), settings={})
    save(ScanResult(run=run, builds=builds), tmp_path / "results")
    table = read_builds(tmp_path / "results")
    assert table.labels == ("model", "task", "archive")
    assert set(table.categorical) == {"style", "tests"}
    assert table.numeric == ("loc",)
    assert table.frame["build"].tolist() == ["t/1", "t/2", "t/3"]
    assert table.frame["style"].isna().tolist() == [False, False, True]
    assert table.frame["tests"].tolist() == ["True", "False", "False"]
    assert table.findings[["build", "rule"]].to_numpy().tolist() == [["t/1", "wiring/port-mismatch"]]
    assert table.verdicts["status"].tolist() == ["OK", "UNKNOWN", "OK"]
    assert table.digest == hashlib.sha256((tmp_path / "results" / "SHA256SUMS").read_bytes()).hexdigest()
    by_style = read_builds(tmp_path / "results", labels=["style"])
    assert by_style.labels == ("model", "task", "archive", "style")
    assert "style" not in by_style.features


def test_a_folder_without_results_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no results"):
        read_builds(tmp_path)


@needs_study
def test_the_published_table() -> None:
    table = read_builds(STUDY / "architecture-report.csv")
    assert len(table.frame) == 1116
    assert table.labels == ("task", "condition", "run_id", "model")
    assert len(table.categorical) == 10
    assert table.numeric == ("n_source_files", "total_loc", "max_depth", "n_endpoints", "n_deps")
    assert table.set_aside == {}
