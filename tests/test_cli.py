"""The command as a user runs it: exit codes, one clear line for bad input, what goes where."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.archives import APP, write_folder

FORENSICS = Path(sys.executable).with_name("forensics")
FAST = ["--no-cache", "--jobs", "1"]


def run(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(FORENSICS), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )


def refused(*arguments: str | Path, cwd: Path | None = None) -> str:
    """The one line on standard error of a command that must end with exit code 2."""
    done = run(*arguments, cwd=cwd)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("forensics: ")
    return line.removeprefix("forensics: ")


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "app", APP)


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """An archive with one build that lost coverage (a link that leaves it) and one that is whole."""
    archive = tmp_path / "damaged"
    write_folder(archive / "whole", APP)
    write_folder(archive / "lossy", APP)
    (archive / "lossy" / "out.js").symlink_to("/etc/hostname")
    return archive


# ------------------------------------------------------------------ exit codes


def test_a_clean_scan_ends_with_0_and_prints_for_a_person(app: Path) -> None:
    done = run("scan", app, *FAST)
    assert done.returncode == 0
    assert "1 build scanned" in done.stdout
    assert done.stderr == ""


def test_lost_coverage_ends_with_3_and_the_rest_is_complete(damaged: Path) -> None:
    done = run("scan", damaged, *FAST, "--json", "-")
    assert done.returncode == 3
    builds = {build["id"]: build for build in json.loads(done.stdout)["builds"]}
    assert [error["kind"] for error in builds["lossy"]["errors"]] == ["symlink"]
    assert builds["whole"]["errors"] == []


def test_fail_on_and_its_precedence() -> None:
    from forensics.cli.scan import exit_code
    from forensics.reduction import reduced
    from forensics.results import ScanResult
    from tests.test_results import PLAIN, RUN, build, finding

    def code(fail_on: str | None, *builds: object) -> int:
        return exit_code(reduced(ScanResult(run=RUN, builds=builds)), fail_on)  # type: ignore[arg-type]

    warned = build("a", findings=(finding(severity="warning"),), errors=())
    known = build("a", findings=(finding(suppressed="baseline"),), errors=())
    assert code(None, warned) == 0
    assert code("error", warned) == 0
    assert code("warning", warned) == 1
    assert code("note", warned) == 1
    assert code("error", known) == 0
    assert code("error", PLAIN) == 0
    assert code("note", build("a")) == 3  # lost coverage outranks a finding


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["scan"], "Missing argument"),
        (["scan", "--nope", "x"], "No such option"),
        (["nope"], "No such command"),
        (["scan", "nowhere"], "nowhere: there is no such file or folder"),
        (["scan", ".", "--min-severity", "bad"], "give error, warning or note"),
        (["scan", ".", "--fail-on", "bad"], "give error, warning or note"),
        (["scan", ".", "--engine", "spark"], "give local or dask"),
        (["scan", ".", "--scheduler", "tcp://x"], "goes with --engine dask"),
        (["scan", ".", "--resume"], "goes with --out"),
        (["scan", ".", "--label-id", "{id}"], "goes with --labels"),
        (["scan", ".", "--jobs", "0"], "--jobs"),
        (["scan", ".", "--limit", "size=3"], "no limit is called 'size'"),
        (["scan", ".", "--layout", "study"], "matches the layout study"),
        (["scan", ".", "--layout", "{a"], "brace is not closed"),
        (["scan", ".", "--labels", "nowhere.csv"], "nowhere.csv: cannot be read"),
        (["scan", ".", "--labels", "labels.csv"], "no column is called id"),
        (["scan", ".", "--labels", "labels.csv", "--label-id", "{run}"], "fits no build"),
        (["scan", ".", "--labels", "binary.csv"], "not UTF-8"),
        (["scan", ".", "--starter", "nowhere"], "no such folder"),
        (["scan", ".", "--contract", "nope"], "give a .toml file or one of"),
        (["scan", ".", "--contracts", "labels.csv"], "TOML"),
        (["scan", ".", "--baseline", "labels.csv"], "so no baseline"),
        (["scan", ".", "--out", "full"], "is not empty"),
        (["scan", ".", "--json", "full"], "cannot be written"),
        (["report", "full", "--html", "x.html"], "holds no results"),
        (["verify", "nowhere"], "no sealed set"),
        (["explain", "wiring/nope"], "no rule is called 'wiring/nope'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(app: Path, arguments: list[str], part: str) -> None:
    (app / "labels.csv").write_text("run,model\n1,gpt\n")
    (app / "binary.csv").write_bytes(b"\xff\xfe\x00")
    write_folder(app / "full", {"thesis.tex": b"precious"})
    assert part in refused(*arguments, cwd=app)


def test_an_archive_that_is_cut_short_is_one_line(tmp_path: Path) -> None:
    whole = tmp_path / "whole.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("app/package.json", "{}" * 1000)
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole.read_bytes()[:-30])
    assert "cut.zip: not a complete zip" in refused("scan", cut)


def test_without_a_command_the_overview_is_printed() -> None:
    done = run()
    assert done.returncode == 2
    assert "scan" in done.stdout
    assert done.stderr == ""


def test_help_and_version() -> None:
    assert run("--version").stdout.startswith("build-forensics ")
    done = run("scan", "--help")
    assert done.returncode == 0
    for option in ("--layout", "--labels", "--starter", "--contract", "--out", "--baseline", "--limit"):
        assert option in done.stdout


# --------------------------------------------------------------------- outputs


def test_several_outputs_in_one_run(tmp_path: Path, app: Path) -> None:
    done = run(
        "scan", app, *FAST, "--json", tmp_path / "r" / "a.json", "--html", tmp_path / "a.html", "--out", tmp_path / "o"
    )
    assert done.returncode == 0
    assert done.stdout == ""
    assert json.loads((tmp_path / "r" / "a.json").read_text())["builds"][0]["id"] == "app"
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    verified = run("verify", tmp_path / "o")
    assert verified.returncode == 0
    report = run("report", tmp_path / "o", "--html", tmp_path / "b.html")
    assert report.returncode == 0
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_verify_names_what_changed_and_ends_with_1(tmp_path: Path, app: Path) -> None:
    run("scan", app, *FAST, "--out", tmp_path / "o")
    (place,) = (tmp_path / "o" / "builds").iterdir()
    place.write_bytes(place.read_bytes() + b"x")
    done = run("verify", tmp_path / "o")
    assert done.returncode == 1
    assert f"builds/{place.name}: was changed" in done.stdout


def test_verify_compares_an_archive_with_the_sums_of_its_files(tmp_path: Path, damaged: Path) -> None:
    run("scan", damaged, *FAST, "--out", tmp_path / "o")
    moved = damaged.rename(tmp_path / "moved")
    done = run("verify", tmp_path / "o", "--archive", moved)
    assert done.returncode == 0
    assert done.stdout.splitlines()[1] == f"{moved}: every build is as it was scanned"
    write_folder(moved / "whole", {"server.js": b"console.log(2)\n", "new.js": b""})
    (moved / "lossy" / "package.json").rename(moved / "lossy" / "index.html")
    write_folder(moved / "lossy", {"vite.config.js": b""})
    done = run("verify", tmp_path / "o", "--archive", moved)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "build lossy: index.html is new",
        "build lossy: package.json is missing",
        "build lossy: vite.config.js is new",
        "build whole: new.js is new",
        "build whole: server.js was changed",
    ]


def test_a_terminated_scan_leaves_no_spool_and_no_worker(tmp_path: Path) -> None:
    import tarfile
    import time

    with tarfile.open(tmp_path / "runs.tar", "w") as archive:
        for number in range(300):
            folder = write_folder(tmp_path / "source", {**APP, "n.js": b"let a = 1\n" * 2000 + b"%d" % number})
            archive.add(folder, f"b{number}")
    (tmp_path / "tmp").mkdir()
    command = [str(FORENSICS), "scan", str(tmp_path / "runs.tar"), "--no-cache", "--jobs", "2"]
    scan = subprocess.Popen(
        command, env={**os.environ, "TMPDIR": str(tmp_path / "tmp")}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 30
    while not list((tmp_path / "tmp").glob("*.spool")) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.5)
    scan.terminate()
    _, errors = scan.communicate(timeout=30)
    assert scan.returncode in (0, 143)
    assert b"Traceback" not in errors
    assert list((tmp_path / "tmp").glob("*.spool")) == []


def test_the_same_scan_gives_the_same_bytes(tmp_path: Path, damaged: Path) -> None:
    run("scan", damaged, "--no-cache", "--jobs", "1", "--out", tmp_path / "1", "--html", tmp_path / "1.html")
    run("scan", damaged, "--no-cache", "--jobs", "2", "--out", tmp_path / "2", "--html", tmp_path / "2.html")
    sums = [(tmp_path / name / "SHA256SUMS").read_text() for name in ("1", "2")]
    assert sums[0] == sums[1]
    assert (tmp_path / "1.html").read_bytes() == (tmp_path / "2.html").read_bytes()


def test_a_pipe_has_no_progress_bar_and_no_colour(damaged: Path) -> None:
    done = run("scan", damaged, *FAST)
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr == ""


def test_a_reader_that_goes_away_is_no_crash(damaged: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"'{FORENSICS}' scan '{damaged}' --no-cache --json - | head -c 1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "{"
    assert "Traceback" not in done.stderr


def test_labels_starters_and_limits_reach_the_scan(tmp_path: Path, app: Path) -> None:
    (tmp_path / "labels.csv").write_text("id,model\napp,gpt\n")
    starter = write_folder(tmp_path / "starter", {"package.json": b"{}"})
    (tmp_path / "starters.toml").write_text('[[starter]]\npath = "starter"\nmodel = "gpt"\n')
    write_folder(app, {"big.js": b"1" * 3000})
    done = run(
        *("scan", app, *FAST, "--json", "-", "--labels", tmp_path / "labels.csv"),
        *("--starters", tmp_path / "starters.toml", "--limit", "file-size=2000"),
    )
    assert done.returncode == 3, done.stderr
    (build,) = json.loads(done.stdout)["builds"]
    assert build["labels"] == {"model": "gpt"}
    assert [error["kind"] for error in build["errors"]] == ["file-too-large"]
    assert starter.exists()


def test_a_scan_into_the_cache_and_out_of_it_say_the_same(tmp_path: Path, damaged: Path) -> None:
    cold = run("scan", damaged, "--cache", tmp_path / "cache", "--json", "-")
    warm = run("scan", damaged, "--cache", tmp_path / "cache", "--json", "-")
    assert cold.stdout == warm.stdout
    assert list((tmp_path / "cache" / "results").glob("*.pack"))


def test_the_cache_is_kept_in_the_users_cache_folder(tmp_path: Path, damaged: Path) -> None:
    run("scan", damaged, XDG_CACHE_HOME=str(tmp_path / "xdg"))
    if sys.platform == "linux":
        assert (tmp_path / "xdg" / "build-forensics" / "results").is_dir()


def test_rules_and_explain_tell_every_rule() -> None:
    from scanners.registry import RULES

    listed = run("rules").stdout
    assert len(listed.splitlines()) == len(RULES)
    for rule in list(RULES.values())[:1]:
        told = run("explain", rule.id)
        assert told.returncode == 0
        assert rule.id in told.stdout


def test_a_scan_of_one_build_imports_nothing_heavy(app: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", str(FORENSICS), "scan", str(app), "--no-cache"],
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    heavy = {
        "pandas",
        "numpy",
        "scipy",
        "matplotlib",
        "pyarrow",
        "fsspec",
        "multiprocessing",
        "duckdb",
        "sklearn",
        "jinja2",
    }
    assert not imported & heavy
