"""Results built by hand, as real scans leave them: three builds of a small archive."""

from __future__ import annotations

import hashlib

import pytest

from forensics.records import BuildError, Confidence, Edit, Finding, LaunchPath, Location, Rule, Severity
from forensics.results import BuildResult, Place, ReportedFinding, RunInfo, ScanResult, VerdictRow

PACKAGE_JSON = """\
  "scripts": {
    "dev:server": "node server/index.js",
    "dev:client": "vite client --port 5173",
    "dev": "concurrently \\"npm:dev:server\\" \\"npm:dev:client\\""
  },"""
VITE_CONFIG = """\
export default defineConfig({
  server: {
    proxy: { '/api': 'http://localhost:3001' },
  },
});"""
CALL_SITE = """\
export async function loadEvents(week) {
  const response = await fetch(`/api/events?week=${week}`);
  return response.json();
}"""
STORE = """\
import { PGlite } from '@electric-sql/pglite';

const dataDir = path.join(__dirname, '..', 'state', 'wall', 'pg');
export const db = new PGlite(dataDir);
"""

RULES = {
    rule.id: rule
    for rule in (
        Rule(
            id="wiring/proxy-not-loaded",
            severity="error",
            summary="The dev command starts Vite in a folder that holds no config, so the proxy is never loaded",
            why="Vite looks for its config only in the root it is given. `vite client` never reads `./vite.config.js`; "
            "the client's `/api` calls then get the page itself: 200, `text/html`.",
            fix="Name the config: `vite client --config vite.config.js`, or set `root: 'client'` in the config and run "
            "plain `vite`.",
            blind_spots="A launcher that builds the root from an environment variable.",
            sources=("https://vite.dev/config/", "vitejs/vite packages/vite/src/node/config.ts"),
        ),
        Rule(
            id="datadir/missing-parent",
            severity="error",
            summary="The store's parent folder is missing and nothing creates it",
            why="PGlite makes only the last component of its path; a missing parent is ENOENT and the process dies.",
            fix="Create the folder first: `mkdirSync(dirname(dataDir), { recursive: true })`.",
            blind_spots="Folders that a deployment platform mounts.",
            sources=("PGlite 0.2.17, run",),
        ),
        Rule(
            id="runtime/event-name-mismatch",
            severity="warning",
            summary="The client listens for an event that no server sends",
            why="`EventSource` dispatches by name; an event under another name is dropped without a word.",
            fix="Send and listen under one name.",
            blind_spots="Names computed at run time.",
        ),
        Rule(
            id="launch/port-clash",
            severity="error",
            summary="Two processes of one command listen on the same port",
            why="The second `listen` fails with EADDRINUSE.",
            fix="Give each its own port.",
            blind_spots="Ports that come from a file outside the build.",
        ),
    )
}


class Snippets:
    """Collects excerpts by hash, as the runner does."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def place(
        self,
        path: str,
        text: str,
        line: int,
        column: int,
        end_column: int,
        first_line: int,
        message: str = "",
        end_line: int = 0,
    ) -> Place:
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.texts[key] = text
        return Place(
            path=path,
            line=line,
            column=column,
            end_line=end_line or line,
            end_column=end_column,
            message=message,
            snippet=key,
            snippet_line=first_line,
        )


def reported(
    rule: str,
    message: str,
    place: Place,
    *,
    severity: Severity = "error",
    confidence: Confidence = "high",
    fix: str = "",
    related: tuple[Place, ...] = (),
    evidence: tuple[str, ...] = (),
    edits: tuple[Edit, ...] = (),
    suppressed: str = "",
    occurrence: int = 0,
) -> ReportedFinding:
    found = Finding(
        rule=rule,
        severity=severity,
        confidence=confidence,
        message=message,
        fix=fix,
        location=Location(
            path=place.path,
            line=place.line,
            column=place.column,
            end_line=place.end_line,
            end_column=place.end_column,
        ),
        key=message,
    )
    return ReportedFinding(
        rule=rule,
        severity=severity,
        confidence=confidence,
        message=message,
        fix=fix,
        place=place,
        related=related,
        fingerprint=found.fingerprint(occurrence),
        suppressed=suppressed,
        evidence=evidence,
        edits=edits,
    )


def sample() -> ScanResult:
    snippets = Snippets()
    script = snippets.place("package.json", PACKAGE_JSON, 8, 19, 44, 6)
    proxy_not_loaded = reported(
        "wiring/proxy-not-loaded",
        "The calendar stays empty: `vite client` runs in client/, where no config is, so `/api/events` answers with "
        "the page itself instead of JSON.",
        script,
        fix="Run `vite client --config vite.config.js`.",
        related=(
            snippets.place("vite.config.js", VITE_CONFIG, 6, 14, 45, 4, "this proxy is never loaded"),
            snippets.place("client/api.js", CALL_SITE, 12, 26, 59, 11, "this call needs it"),
        ),
        evidence=("script dev runs dev:client", "dev:client starts vite with root client/", "client/ holds no config"),
        edits=(
            Edit(
                location=Location(path="package.json", line=8, column=19, end_line=8, end_column=44),
                text='"vite client --port 5173 --config vite.config.js"',
            ),
        ),
    )
    missing_parent = reported(
        "datadir/missing-parent",
        "The server dies at its first start with ENOENT: PGlite makes state/wall/pg but not state/wall, and nothing "
        "creates that.",
        snippets.place("server/db.js", STORE, 4, 19, 38, 1),
        fix="Before it: `mkdirSync('state/wall', { recursive: true })`.",
    )
    event_name = reported(
        "runtime/event-name-mismatch",
        "Live updates never arrive: the page listens for `update`, the server sends `changed`.",
        snippets.place("client/live.js", "source.addEventListener('update', refresh);", 30, 25, 33, 30),
        severity="warning",
        confidence="medium",
    )
    accepted = reported(
        "datadir/missing-parent",
        "The seed script dies with ENOENT: nothing creates tmp/seed.",
        snippets.place("scripts/seed.js", "const db = new Database('tmp/seed/app.db');", 3, 25, 42, 3),
        severity="warning",
        suppressed="baseline",
    )
    works = LaunchPath(
        name="dev", works=True, command="npm run dev", because="the proxy reaches the server on port 3001"
    )
    builds = (
        BuildResult(
            id="calendar-week-view/boot_check/runs/21",
            archive="studies.tar.gz",
            labels={"task": "calendar-week-view", "condition": "boot_check", "model": "claude-4.8-opus"},
            file_count=14,
            byte_count=48_211,
            digest="ab" * 32,
            verdicts=(
                VerdictRow(scanner="wiring", status="PROXY_NOT_LOADED"),
                VerdictRow(scanner="datadir", status="WILL-FAIL"),
                VerdictRow(scanner="runtime", status="OK"),
            ),
            findings=(event_name, proxy_not_loaded, missing_parent),
            features={"manifest_layout": "root", "uses_vite": True, "n_source_files": 8, "fidelity_score": 0.75},
            launch_paths=(
                LaunchPath(
                    name="dev",
                    works=False,
                    command="npx vite client --config vite.config.js",
                    because="vite looks for its config in client/ only",
                    steps=(
                        "node server/index.js (port 3001)",
                        "vite dev (root client/, no config, port 5173)",
                        "proxy /live → ws://localhost:3001",
                        "proxy /api → http://localhost:3009",
                    ),
                ),
                LaunchPath(name="start", works=None, command="", because="the output folder comes from OUT_DIR"),
            ),
            errors=(),
        ),
        BuildResult(
            id="kanban-board/static/runs/3",
            archive="studies.tar.gz",
            labels={"task": "kanban-board", "condition": "static", "model": "gpt-5.5"},
            file_count=11,
            byte_count=30_005,
            digest="cd" * 32,
            verdicts=(
                VerdictRow(scanner="wiring", status="OK"),
                VerdictRow(
                    scanner="datadir", status="UNKNOWN", reason="the path comes from DATA_DIR, which nothing sets"
                ),
                VerdictRow(scanner="runtime", status="OK"),
            ),
            findings=(accepted,),
            features={"manifest_layout": "nested", "uses_vite": True, "n_source_files": 6, "fidelity_score": 1.0},
            launch_paths=(works,),
            errors=(
                BuildError(path="dist/bundle.js", kind="limit", message="21,000,000 bytes; the limit is 16,000,000"),
            ),
        ),
        BuildResult(
            id="kanban-board/static/runs/4",
            archive="studies.tar.gz",
            labels={"task": "kanban-board", "condition": "static", "model": "claude-4.8-opus"},
            file_count=12,
            byte_count=31_337,
            digest="ef" * 32,
            verdicts=(
                VerdictRow(scanner="wiring", status="OK"),
                VerdictRow(scanner="datadir", status="OK-MKDIR"),
                VerdictRow(scanner="runtime", status="OK"),
            ),
            findings=(),
            features={"manifest_layout": "root", "uses_vite": True, "n_source_files": 7, "fidelity_score": 1.0},
            launch_paths=(works,),
            errors=(),
        ),
    )
    run = RunInfo(
        version="0.1.0", rules_digest="9f" * 32, archives=("studies.tar.gz",), settings={"layout": "study", "jobs": 2}
    )
    return ScanResult(run=run, builds=builds, snippets=snippets.texts)


@pytest.fixture
def result() -> ScanResult:
    return sample()


@pytest.fixture
def rules() -> dict[str, Rule]:
    return dict(RULES)
