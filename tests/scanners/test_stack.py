"""Was the mandated stack kept? The study's contract and small ones of our own, on builds made of texts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

import pytest

from forensics.records import Verdict
from forensics.scanner import Context
from scanners.stack import SCANNER
from tests.expectations import CHECKOUT
from tests.in_memory import facts_of

STUDY = tomllib.loads((CHECKOUT / "scanners" / "contracts" / "study.toml").read_text("utf-8"))
MANIFEST = '{"dependencies": {"@electric-sql/pglite": "^0.2.17", "express": "^4.21.0", "cors": "^2.8.5"}}'
SERVER = """\
import express from 'express'
import cors from 'cors'
import { PGlite } from '@electric-sql/pglite'

const db = new PGlite()
const app = express()
app.use(cors())
"""
LIVE = "app.get('/live', (req, res) => { res.writeHead(200, { 'Content-Type': 'text/event-stream' }) })\n"
PAGE = "new EventSource('/live').onmessage = show\n"


def judged(files: Mapping[str, str], contract: Mapping[str, object] = STUDY) -> Verdict:
    return SCANNER.scan(facts_of(files), Context(contract=contract))


def score(verdict: Verdict) -> object:
    return verdict.features["fidelity_score"]


def told(verdict: Verdict) -> list[tuple[str, str, str]]:
    return [(finding.rule, finding.severity, finding.location.path) for finding in verdict.findings]


def test_the_full_realtime_stack_has_every_point() -> None:
    verdict = judged({"package.json": MANIFEST, "server.js": SERVER + LIVE, "page.js": PAGE})
    assert (verdict.status, score(verdict), told(verdict)) == ("KEPT", 1.0, [])


def test_without_live_updates_two_of_eight_points_are_missed() -> None:
    verdict = judged({"package.json": MANIFEST, "server.js": SERVER, "page.js": "fetch('/api')\n"})
    assert (verdict.status, score(verdict)) == ("DRIFTED", 0.75)
    assert told(verdict) == [("stack/missing-evidence", "error", "package.json")] * 2


@pytest.mark.parametrize(
    ("server", "page"),
    [
        ("// answers with text/event-stream\n", "/* new EventSource('/live') */\n"),
        ("", "// import { PGlite } and EventSource\n"),
    ],
)
def test_comments_are_no_evidence(server: str, page: str) -> None:
    verdict = judged({"package.json": MANIFEST, "server.js": SERVER + server, "page.js": page})
    assert score(verdict) == 0.75


def test_documents_are_no_evidence() -> None:
    files = {"package.json": MANIFEST, "server.js": SERVER, "README.md": "`new EventSource()` reads text/event-stream"}
    assert score(judged(files)) == 0.75


FORBIDDEN = {"points": [{"claim": "no other database", "instead_of": "PGlite", "forbidden": ["better-sqlite3", "pg"]}]}
DECLARES = '{"dependencies": {"better-sqlite3": "^12.2.0"}}'
USES = "import Database from 'better-sqlite3'\nnew Database('a.db')\n"


@pytest.mark.parametrize(
    ("manifest", "code", "status", "severity", "path"),
    [
        (DECLARES, USES, "SUBSTITUTED", "error", "db.js"),
        (DECLARES, "export const a = 1\n", "DRIFTED", "warning", "package.json"),
        ("{}", USES, "SUBSTITUTED", "error", "db.js"),
    ],
    ids=["used", "declared only", "undeclared"],
)
def test_a_substitute(manifest: str, code: str, status: str, severity: str, path: str) -> None:
    verdict = judged({"package.json": manifest, "db.js": code}, FORBIDDEN)
    assert (verdict.status, score(verdict)) == (status, 0.0)
    assert told(verdict) == [("stack/substituted", severity, path)]


def test_a_mandated_package_that_no_manifest_declares_and_one_that_no_code_uses() -> None:
    contract = {"points": [{"claim": f"{name} is declared", "dependency": name} for name in ("express", "cors")]}
    verdict = judged({"package.json": '{"dependencies": {"cors": "2"}}', "a.js": "import 'express'\n"}, contract)
    assert (verdict.status, score(verdict)) == ("DRIFTED", 0.5)
    assert told(verdict) == [
        ("stack/missing-dependency", "error", "a.js"),
        ("stack/declared-unused", "note", "package.json"),
    ]


def test_without_a_contract_there_is_nothing_to_judge() -> None:
    verdict = SCANNER.scan(facts_of({"package.json": DECLARES, "db.js": USES}), Context())
    assert (verdict.status, verdict.reason, verdict.findings) == ("UNKNOWN", "no contract given", ())
    assert judged({"package.json": "{}"}, {"points": []}).reason == "the contract names no points"
