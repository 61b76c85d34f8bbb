"""Features of small builds, worked out by hand."""

from __future__ import annotations

import json

from forensics.records import Scalar
from scanners.idioms import FEATURES, SCANNER
from tests.in_memory import verdict_of


def features(files: dict[str, str]) -> dict[str, Scalar]:
    return dict(verdict_of(SCANNER, files).features)


APP = {
    "package.json": json.dumps(
        {
            "type": "module",
            "scripts": {"dev": 'concurrently "node server/index.js" "vite client --port 5400"'},
            "dependencies": {"express": "^4.21.0"},
            "devDependencies": {"vite": "^5.4.0", "concurrently": "^9.0.0"},
        }
    ),
    "README.md": "# Notes\n\n## Start\n\n```sh\nnpm run dev\n```\n",
    "server/index.js": (
        "import express from 'express'\n"
        "const app = express()\n"
        "app.get('/api/notes', (req, res) => res.json([]))\n"
        "app.post('/api/notes', async (req, res) => { res.end() })\n"
        "app.listen(4600)\n"
    ),
    "client/index.html": '<ul></ul>\n<script type="module" src="/notes.js"></script>\n',
    "client/notes.js": "fetch('/api/notes').then((reply) => reply.json())\n",
}


def test_published_features_of_a_client_and_server() -> None:
    found = features(APP)
    expected = {
        "manifest_layout": "root",
        "dir_style": "client-server",
        "module_system": "esm",
        "dev_orchestration": "concurrently",
        "vite_invocation": "positional",
        "api_client_style": "relative",
        "uses_typescript": False,
        "uses_vite": True,
        "has_tests": False,
        "has_readme": True,
        "n_source_files": 3,
        "total_loc": 8,
        "max_depth": 1,
        "n_endpoints": 2,
        "n_deps": 3,
    }
    assert {name: found[name] for name in expected} == expected


def test_further_features() -> None:
    found = features(APP)
    assert found["quote_style"] == "single"
    assert found["semicolons"] == "never"
    assert found["dependency_pins"] == "caret"
    assert found["server_port"] == "4600"
    assert found["vite_port"] == "5400"
    assert found["server_entry"] == "index.js"
    assert found["client_entry"] == "notes.js"
    assert found["readme_sections"] == 2
    assert found["arrow_share"] == 1.0
    assert found["config_form"] == "none"


def test_a_launcher_and_workspaces() -> None:
    launcher = APP | {
        "package.json": json.dumps({"scripts": {"dev": "node dev.mjs"}, "workspaces": ["client", "server"]}),
        "dev.mjs": "import { spawn } from 'node:child_process'\nspawn('node', ['server/index.js'])\nspawn('npx', ['vite'])\n",
    }
    found = features(launcher)
    assert found["dev_orchestration"] == "custom-launcher"
    assert found["manifest_layout"] == "workspaces"
    assert found["vite_invocation"] == "bare"


def test_the_order_of_files_makes_no_difference() -> None:
    assert features(APP) == features(dict(reversed(APP.items())))


def test_every_feature_is_defined_in_one_sentence() -> None:
    for name, (definition, _) in FEATURES.items():
        assert definition.endswith("."), name
        assert definition.count(". ") == 0, name


def test_a_build_without_sources_has_no_habits() -> None:
    verdict = verdict_of(SCANNER, {"notes.txt": "x"})
    assert (verdict.status, verdict.reason) == ("UNKNOWN", "the build holds no source file")
