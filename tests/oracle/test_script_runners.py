"""What npm, pnpm, yarn, concurrently, npm-run-all, cross-env, dotenv-cli and nodemon really start for a script, against
the launch plan. A command `show` writes down its arguments, working directory and environment, and those are compared.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from forensics.build import Build, FileEntry
from forensics.facts.launch import read_launch
from forensics.facts.launch_plan import processes
from forensics.facts.packages import read_packages
from forensics.syntax.documents import lower_document
from tests.oracle.conftest import unavailable

pytestmark = pytest.mark.oracle

TOOLS = (
    "concurrently@9",
    "npm-run-all2@8",
    "cross-env@7",
    "dotenv-cli@8",
    "nodemon@3",
    "pnpm@10",
    "yarn@1.22.22",
)
SECONDS = 60
WATCHER_SECONDS = 8

SHOW = """#!/usr/bin/env node
const env = {}
for (const name of ['PORT', 'A', 'B']) if (name in process.env) env[name] = process.env[name]
const line = { argv: process.argv.slice(2), cwd: require('path').relative(process.env.SHOW_ROOT, process.cwd()), env }
require('fs').appendFileSync(process.env.SHOW_LOG, JSON.stringify(line) + '\\n')
"""

FILES = {
    "client/package.json": '{"name": "client", "scripts": {"dev": "show client-dev"}}',
    "client/sub/a.txt": "",
    "server/package.json": '{"name": "server", "scripts": {"predev": "show pre-server", "dev": "show server-dev"}}',
    "packages/a/package.json": '{"name": "pa", "version": "1.0.0", "scripts": {"go": "show go-a"}}',
    "packages/b/package.json": '{"name": "@x/pb", "version": "1.0.0", "scripts": {"go": "show go-b"}}',
    "pnpm-workspace.yaml": "packages: ['packages/*']\n",
    ".env.x": "PORT=55\n",
    "x.js": "",
}

BASE = {
    "show": "show a 'b c' \"d e\" f\\ g",
    "pair": "show one & show two",
    "w:one": "show w1",
    "w:two": "show w2",
    "w:two:deep": "show w2d",
    "prehook": "show pre",
    "hook": "show main",
    "posthook": "show post",
    "prestart": "show before",
    "start": "show started",
    "test": "show tested",
}

SCRIPTS = [
    "npm run show --port 3000",
    "npm run show -- --port 3000 'x y'",
    "npm run pair -- tail",
    "PORT=3 show $PORT x; A=1; show $A; export B=2; show ${B} ${Z:-dflt}",
    "cross-env PORT=4 A='x y' show z",
    'cross-env-shell PORT=4 "show \\$PORT"',
    'concurrently "show a" "npm:w:*" \'show b c\'',
    'concurrently -n x,y -c red,blue --kill-others-on-fail "npm run w:one -- extra" "show \'q r\'"',
    "run-p w:*",
    "run-s 'w:**'",
    'npm-run-all w:one --parallel w:two "w:one -- foo"',
    'run-s "w:one {1}" -- hello',
    "npm run hook",
    "cd client && show here && cd sub && show deeper; show still",
    "(cd client && show in) && show out",
    "npm --prefix client run dev -- x",
    "npm run dev -C server",
    "npm run go -w pa -w @x/pb",
    "npm run go --workspaces --if-present",
    "npm run go --workspace=packages/b",
    "show $npm_package_version ${npm_package_config_port}",
    "true && show yes || show no",
    "npx show a && npm exec -- show b --flag && npm exec show c --flag2",
    "dotenv -e .env.x -v A=9 -- show d",
    "sh -c 'show \"in sh\"'",
    'concurrently --raw --names "a,b" --success first "show k1" "show k2"',
    "npm-run-all -s w:one w:two -p w:*",
    "env A=5 B= show envd",
    "npm start -- s1",
    "npm run w:one --silent --foo bar baz",
    "concurrently npm:hook 'npm:w:* -- zz'",
    'concurrently -P "show {1}" "show {@}" -- one \'two x\'',
    "npm run dev --prefix=server -- k",
    "cd server && npm run dev",
    "cd client/sub && npm run dev",
    "npm run go -ws",
    "if [ -d client ]; then show cond; fi",
    "A=1 npm run w:one",
    "npm run missing --if-present; show after",
    'concurrently "cd client && show cc" "A=2 show aa"',
    "npm test",
    "show packages/*/package.json 'packages/*'",
    "pnpm run show -- --port 3",
    "pnpm run show --port 3",
    "pnpm -r go",
    'pnpm --filter "@x/*" run go x',
    "pnpm -C client dev",
    'pnpm run "/^w:/"',
    "pnpm --filter=!pa go",
    "pnpm exec show q",
    "yarn hook",
    "yarn run show -- --port",
    "yarn workspace pa go",
    "yarn workspaces run go",
    "yarn --cwd client dev",
    'concurrently "pnpm run w:*(!deep)"',
    'nodemon --exec "show n1" x.js --flag',
    "nodemon -x show -w src -e js,ts --delay 1 x.js",
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runners") / "app"
    folder.mkdir()
    scripts = {**BASE, **{f"case{number}": script for number, script in enumerate(SCRIPTS)}}
    manifest = {
        "name": "root",
        "version": "1.2.3",
        "private": True,
        "config": {"port": "7000"},
        "workspaces": ["packages/*"],
        "scripts": scripts,
    }
    for path, text in {**FILES, "package.json": json.dumps(manifest)}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    tools = folder.parent / "tools"
    tools.mkdir()
    (tools / "package.json").write_text("{}")
    installed = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *TOOLS],
        cwd=tools,
        capture_output=True,
        text=True,
    )
    if installed.returncode:
        unavailable(f"npm can't install the runners: {installed.stderr[-200:]}")
    show = tools / "node_modules" / ".bin" / "show"
    show.write_text(SHOW)
    show.chmod(0o755)
    (folder / "node_modules").symlink_to(tools / "node_modules")
    return folder


@pytest.mark.parametrize("number", range(len(SCRIPTS)), ids=SCRIPTS)
def test_the_plan_starts_what_the_runner_starts(project: Path, number: int) -> None:
    observed = started(project, f"case{number}", WATCHER_SECONDS if "nodemon" in SCRIPTS[number] else SECONDS)
    assert sorted(planned(project, f"case{number}")) == sorted(observed)


def started(project: Path, script: str, seconds: float) -> list[str]:
    """The lines that `show` wrote while npm ran the script; watchers are stopped after a while."""
    log = project.parent / "log.jsonl"
    log.write_text("")
    environment = {name: value for name, value in os.environ.items() if name not in ("PORT", "A", "B")}
    environment |= {"SHOW_LOG": str(log), "SHOW_ROOT": str(project)}
    environment["PATH"] = f"{project / 'node_modules' / '.bin'}:{environment['PATH']}"
    process = subprocess.Popen(
        [shutil.which("npm") or "npm", "run", script],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass
    finally:
        with_group_ended(process)
    return [json.dumps(json.loads(line), sort_keys=True) for line in log.read_text().splitlines()]


def with_group_ended(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


def planned(project: Path, script: str) -> list[str]:
    paths = [path for path in project.rglob("*") if path.is_file() and "node_modules" not in path.parts]
    entries = [FileEntry(path=str(path.relative_to(project)), size=path.stat().st_size) for path in paths]
    build = Build("app", {}, entries, lambda path: (project / path).read_bytes())
    launch = read_launch(
        build,
        read_packages(build, lambda path: lower_document(build.read(path), "strict")),
        lambda path: lower_document(build.read(path), "strict"),
    )
    plan = launch.plan("", script)
    assert plan is not None
    found = []
    for process in processes(plan):
        if process.argv[0] != "show":
            continue
        env = {name: value for name, value in process.env.items() if name in ("PORT", "A", "B")}
        for path in process.env_files:
            for line in (project / path).read_text().splitlines():
                env.setdefault(line.partition("=")[0], line.partition("=")[2])
        found.append(json.dumps({"argv": process.argv[1:], "cwd": process.cwd, "env": env}, sort_keys=True))
    return found
