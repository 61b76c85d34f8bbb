"""The wheel as a stranger gets it: built, installed into an empty environment, run from another folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-P", "-m", "build", "--wheel", "--outdir", str(folder), str(PROJECT)],
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_what_a_run_needs_and_no_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"forensics", "scanners", "reports"}
    assert "reports/templates/report.html.j2" in names
    assert any(name.startswith("forensics/examples/runs/") for name in names)
    assert any(name.startswith("scanners/examples/wiring/") for name in names)
    assert not [name for name in names if "__pycache__" in name or "node_modules" in name]


def test_the_installed_wheel_runs_the_demo_anywhere(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([str(scripts / "python"), "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    elsewhere = tmp_path / "elsewhere"
    # The folders that the command must not import from where it is run.
    for name in ("forensics", "scanners", "reports", "multiprocessing"):
        (elsewhere / name).mkdir(parents=True)
        (elsewhere / name / "__init__.py").write_text("raise SystemExit('imported from the working directory')\n")
    done = subprocess.run(
        [str(scripts / "forensics"), "demo"],
        cwd=elsewhere,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        | {"XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "forensics-demo/report.html"
    report = (elsewhere / "forensics-demo" / "report.html").read_text(encoding="utf-8")
    assert report.startswith("<!doctype html>")
    shutil.rmtree(environment)
