"""Nothing of an archive is executed, imported or resolved, nothing is fetched, wherever the command is run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.archives import APP, write_folder

FORENSICS = Path(sys.executable).with_name("forensics")

# `os` is imported before any of these could be, so that the trap itself falls into no other.
TRACE = b"import os\nwith open(os.environ['TRACE'], 'a') as file: file.write(__name__ + ' ')\n"
TRAPS = (
    *("forensics", "scanners", "reports", "templates", "multiprocessing", "msgspec", "typer", "rich", "fsspec"),
    *("json", "re", "subprocess", "tree_sitter", "tree_sitter_javascript", "platformdirs", "pyarrow", "sitecustomize"),
)


def trapped(folder: Path) -> Path:
    """A build full of folders and files that leave a trace when Python imports them."""
    files = {f"{name}/__init__.py": TRACE for name in TRAPS}
    files |= {f"{name}.py": TRACE for name in ("struct", "usercustomize")}
    return write_folder(folder, {**APP, **files})


@pytest.mark.parametrize(
    ("builds", "engine"), [(1, "local"), (3, "local"), pytest.param(3, "dask", marks=pytest.mark.slow)]
)
def test_the_command_imports_nothing_from_the_working_directory(tmp_path: Path, builds: int, engine: str) -> None:
    where = trapped(tmp_path / "archive" / "a")
    if builds > 1:
        where = tmp_path / "archive"
        for name in TRAPS:
            write_folder(where / name, {"__init__.py": TRACE})
        for number in range(builds - 1):
            trapped(where / f"b{number}")
    trace = tmp_path / "trace"
    done = subprocess.run(
        [
            *(str(FORENSICS), "scan", ".", "--jobs", "2", "--no-cache", "--engine", engine),
            *("--json", "-", "--out", str(tmp_path / "out")),
        ],
        cwd=where,
        env={**os.environ, "TRACE": str(trace)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["builds"]) == builds
    assert not trace.exists(), trace.read_text()


def test_the_trap_works(tmp_path: Path) -> None:
    """`python -m` does import from the working directory, which is why the console script is the only entry."""
    trace = tmp_path / "trace"
    subprocess.run(
        [sys.executable, "-c", "import msgspec"],
        cwd=trapped(tmp_path / "a"),
        env={**os.environ, "TRACE": str(trace), "PYTHONSAFEPATH": ""},
        capture_output=True,
        check=False,
    )
    assert trace.exists()


def test_nothing_in_a_build_is_run(tmp_path: Path) -> None:
    """Configurations, scripts and hooks that would leave a trace if anything evaluated them."""
    trace = tmp_path / "trace"
    touch = f"require('fs').writeFileSync({json.dumps(str(trace))}, 'run')\n".encode()
    hook = f"#!/bin/sh\ntouch {trace}\n".encode()
    scripts = dict.fromkeys(("preinstall", "postinstall", "prepare", "dev", "start", "build"), f"touch {trace}")
    build = write_folder(
        tmp_path / "app",
        {
            "package.json": json.dumps({"name": "x", "scripts": scripts, "main": "index.js"}).encode(),
            "index.js": touch,
            "vite.config.js": touch + b"export default {}\n",
            "postcss.config.cjs": touch,
            ".eslintrc.js": touch,
            "index.html": b"<script src=/index.js></script>",
            ".npmrc": b"node-options=--require=./index.js\n",
            "setup.py": TRACE,
            "conftest.py": TRACE,
            "hooks/post-checkout": hook,
            "node_modules/.bin/vite": hook,
            ".git/hooks/post-checkout": hook,
        },
    )
    for place in build.rglob("*"):
        if place.is_file():
            place.chmod(0o755)
    done = subprocess.run(
        [str(FORENSICS), "scan", str(build), "--no-cache", "--html", str(tmp_path / "r.html")],
        env={**os.environ, "TRACE": str(trace)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode in (0, 3), done.stderr
    assert not trace.exists()


def test_a_scan_of_local_files_opens_no_network_connection(tmp_path: Path) -> None:
    """Sockets are forbidden in the command and in its workers by a `sitecustomize` on PYTHONPATH."""
    forbid = write_folder(
        tmp_path / "forbid",
        {
            "sitecustomize.py": b"import socket, sys\n"
            b"def refuse(*_, **__): sys.stderr.write('NETWORK\\n'); raise OSError('no network in this test')\n"
            b"socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse\n"
        },
    )
    archive = tmp_path / "archive"
    for name in "abc":
        write_folder(archive / name, APP)
    done = subprocess.run(
        [str(FORENSICS), "scan", str(archive), "--no-cache", "--jobs", "2", "--html", str(tmp_path / "r.html")],
        env={**os.environ, "PYTHONPATH": str(forbid)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "NETWORK" not in done.stderr
