"""CSV tables and the Markdown summary."""

from __future__ import annotations

import csv
from pathlib import Path

import msgspec
import pytest
from markdown_it import MarkdownIt

from forensics.records import InputError
from forensics.results import ScanResult
from reports.tables import write_csv, write_markdown


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_tables(result: ScanResult, tmp_path: Path) -> None:
    write_csv(result, tmp_path / "tables")
    assert sorted(file.name for file in (tmp_path / "tables").iterdir()) == [
        "builds.csv",
        "errors.csv",
        "features.csv",
        "findings.csv",
        "launch_paths.csv",
        "verdicts.csv",
    ]
    assert rows(tmp_path / "tables" / "builds.csv")[0] == {
        "build": "calendar-week-view/boot_check/runs/21",
        "archive": "studies.tar.gz",
        "task": "calendar-week-view",
        "condition": "boot_check",
        "model": "claude-4.8-opus",
        "wiring": "PROXY_NOT_LOADED",
        "datadir": "WILL-FAIL",
        "runtime": "OK",
        "comes_up": "unknown",
        "errors": "2",
        "warnings": "1",
        "notes": "0",
        "suppressed": "0",
        "files": "14",
        "bytes": "48211",
        "digest": "ab" * 32,
    }
    findings = rows(tmp_path / "tables" / "findings.csv")
    assert [(row["build"][-2:], row["rule"], row["suppressed"]) for row in findings] == [
        ("21", "wiring/proxy-not-loaded", ""),
        ("21", "datadir/missing-parent", ""),
        ("21", "runtime/event-name-mismatch", ""),
        ("/3", "datadir/missing-parent", "baseline"),
    ]
    assert findings[0]["related"] == "vite.config.js:6 client/api.js:12"
    assert rows(tmp_path / "tables" / "launch_paths.csv")[1]["works"] == ""
    assert rows(tmp_path / "tables" / "features.csv")[0]["uses_vite"] == "true"


def test_no_cell_is_a_formula(result: ScanResult, tmp_path: Path) -> None:
    build = msgspec.structs.replace(
        result.builds[2], id='=HYPERLINK("http://198.51.100.1")', labels={"model": "@SUM(1)", "n": "-1\0"}
    )
    write_csv(msgspec.structs.replace(result, builds=(build,)), tmp_path)
    row = rows(tmp_path / "builds.csv")[0]
    assert (row["build"], row["model"], row["n"]) == ('\'=HYPERLINK("http://198.51.100.1")', "'@SUM(1)", "'-1\\0")


def test_a_folder_that_cannot_be_written_is_an_input_error(result: ScanResult, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't be written"):
        write_csv(result, tmp_path / "file")


def test_the_summary(result: ScanResult) -> None:
    summary = write_markdown(result)
    assert summary.startswith(
        "# Build Forensics\n\n3 builds scanned: **2 errors**, 1 warning, 0 notes in 1 build; 1 suppressed, "
        "1 unknown verdict, coverage lost in 1 build.\n"
    )
    assert "| wiring | OK | 2 |\n| wiring | PROXY\\_NOT\\_LOADED | 1 |\n" in summary
    assert "| claude-4.8-opus | 1 of 2 | 50.0 % | 9.5–90.5 % |" in summary
    assert "| error | datadir/missing-parent | calendar-week-view/boot\\_check/runs/21 | server/db.js:4 |" in summary
    assert "stays empty: `vite client` runs in client/, where no config is" in summary
    assert "| datadir | the path comes from DATA\\_DIR, which nothing sets | 1 |" in summary


@pytest.mark.parametrize("around", ["{}", "`{}", "`{}`", "a ` b ` {} `"])
def test_hostile_text_stays_text_in_its_cell(around: str, result: ScanResult) -> None:
    hostile = "<img src=x onerror=1> | [x](http://198.51.100.1) ![y](http://198.51.100.1/z.png)\n# @org"
    hostile = around.format(hostile)
    finding = msgspec.structs.replace(result.builds[0].findings[1], message=hostile)
    build = msgspec.structs.replace(result.builds[0], id=hostile, findings=(finding,), labels={"a|b": hostile})
    summary = write_markdown(msgspec.structs.replace(result, builds=(build, result.builds[2])))
    html = MarkdownIt("commonmark", {"linkify": False}).enable("table").render(summary)
    assert "<img" not in html
    assert "<a " not in html
    assert html.count("<h1>") == 1
    assert html.count("<tr>") == summary.count("\n| ")
