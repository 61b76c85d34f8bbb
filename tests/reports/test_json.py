"""The public JSON: design.md's shape, validated against the published schema."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

from forensics.results import Place, ScanResult
from reports.json import write_json

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "build-forensics-1.schema.json").read_text(encoding="utf-8"))


def test_output_validates_against_the_published_schema(result: ScanResult) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(write_json(result)), SCHEMA)


def test_the_schema_refuses_a_finding_without_fingerprint(result: ScanResult) -> None:
    document = json.loads(write_json(result))
    del document["builds"][0]["findings"][0]["fingerprint"]
    with pytest.raises(jsonschema.ValidationError, match="'fingerprint' is a required property"):
        jsonschema.validate(document, SCHEMA)


def test_a_build_has_the_keys_of_the_design(result: ScanResult) -> None:
    build = json.loads(write_json(result))["builds"][0]
    assert list(build) == [
        "id",
        "labels",
        "verdicts",
        "reasons",
        "features",
        "launch_paths",
        "findings",
        "errors",
    ]
    assert build["verdicts"] == {"wiring": "PROXY_NOT_LOADED", "datadir": "WILL-FAIL", "runtime": "OK"}
    assert build["launch_paths"][0] == {
        "name": "dev",
        "works": False,
        "command": "npx vite client --config vite.config.js",
        "because": "vite looks for its config in client/ only",
    }


def test_what_stops_the_user_first_comes_first(result: ScanResult) -> None:
    findings = json.loads(write_json(result))["builds"][0]["findings"]
    assert [f["rule"] for f in findings] == [
        "wiring/proxy-not-loaded",
        "datadir/missing-parent",
        "runtime/event-name-mismatch",
    ]
    first = findings[0]
    assert (first["path"], first["line"], first["column"], first["end_line"], first["end_column"]) == (
        "package.json",
        8,
        19,
        8,
        44,
    )
    assert first["related"][1] == {"path": "client/api.js", "line": 12, "message": "this call needs it"}
    assert first["suppressed"] is None


def test_an_unknown_verdict_has_its_reason_and_suppressed_findings_count_apart(result: ScanResult) -> None:
    document = json.loads(write_json(result))
    assert document["builds"][1]["reasons"] == {"datadir": "the path comes from DATA_DIR, which nothing sets"}
    assert document["builds"][1]["findings"][0]["suppressed"] == "baseline"
    assert document["summary"] == {
        "builds": 3,
        "builds_with_findings": 1,
        "builds_with_errors": 1,
        "builds_with_lost_coverage": 1,
        "findings": {"error": 2, "warning": 1, "note": 0},
        "suppressed": 1,
        "unknown_verdicts": 1,
        "verdicts": {
            "wiring": {"OK": 2, "PROXY_NOT_LOADED": 1},
            "datadir": {"OK-MKDIR": 1, "UNKNOWN": 1, "WILL-FAIL": 1},
            "runtime": {"OK": 3},
        },
        "rules": {
            "datadir/missing-parent": {"findings": 1, "builds": 1},
            "runtime/event-name-mismatch": {"findings": 1, "builds": 1},
            "wiring/proxy-not-loaded": {"findings": 1, "builds": 1},
        },
    }


def test_a_file_name_that_is_no_utf8_is_written_as_an_escape(result: ScanResult) -> None:
    build = result.builds[0]
    place = Place(path="caf\udce9.js", line=1, column=1, end_line=1, end_column=2)
    finding = msgspec.structs.replace(build.findings[0], place=place)
    changed = msgspec.structs.replace(result, builds=(msgspec.structs.replace(build, findings=(finding,)),))
    document = json.loads(write_json(changed))
    assert document["builds"][0]["findings"][0]["path"] == "caf\\udce9.js"


def test_the_same_result_gives_the_same_bytes(result: ScanResult) -> None:
    assert write_json(result) == write_json(result)
    assert write_json(result).endswith(b"}\n")
