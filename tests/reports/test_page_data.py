"""The data that the page's script reads: each string once, marks where they belong."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import reports.page_data
from forensics.results import ScanResult
from reports.page_data import embedded, embedded_data, page_data


def data(result: ScanResult) -> dict[str, Any]:
    encoding, text = embedded(page_data(result))
    assert encoding == "json"
    loaded: dict[str, Any] = msgspec.json.decode(text)
    return loaded


def test_every_string_stands_once_and_every_number_points_into_the_table(result: ScanResult) -> None:
    page = data(result)
    strings = page["strings"]
    assert len(set(strings)) == len(strings)
    assert [strings[number] for number in page["builds"]["id"]] == [build.id for build in result.builds]
    assert [strings[number] for number in page["findings"]["rule"]] == [
        "wiring/proxy-not-loaded",
        "datadir/missing-parent",
        "runtime/event-name-mismatch",
        "datadir/missing-parent",
    ]
    assert len({len(column) for column in page["findings"].values()}) == 1
    assert len({len(column) for column in page["places"].values()}) == 1


def test_a_place_that_many_findings_share_is_stored_once(result: ScanResult) -> None:
    first = result.builds[0]
    twins = tuple(msgspec.structs.replace(first, id=f"b{number}") for number in range(50))
    page = data(msgspec.structs.replace(result, builds=twins))
    assert len(page["findings"]["build"]) == 150
    assert len(page["places"]["path"]) == 5


def test_marks_are_offsets_into_the_text_that_is_shown(result: ScanResult) -> None:
    build = result.builds[0]
    place = msgspec.structs.replace(build.findings[1].place, snippet="s", line=1, column=4, end_line=1, end_column=7)
    place = msgspec.structs.replace(place, snippet_line=1)
    finding = msgspec.structs.replace(build.findings[1], place=place, related=())
    changed = msgspec.structs.replace(
        result,
        builds=(msgspec.structs.replace(build, findings=(finding,)),),
        snippets={"s": "a\u202e BAD rest"},
    )
    page = data(changed)
    text = page["strings"][page["places"]["snippet"][0]]
    assert text == "a\\u{202e} BAD rest"
    assert text[page["places"]["mark"][0] : page["places"]["mark_end"][0]] == "BAD"


def test_features_keep_their_types(result: ScanResult) -> None:
    page = data(result)
    strings = page["strings"]
    features = {strings[feature["name"]]: feature["value"] for feature in page["builds"]["features"]}
    assert features["fidelity_score"] == [0.75, 1.0, 1.0]
    assert features["uses_vite"] == [True, True, True]
    assert [strings[value[0]] for value in features["manifest_layout"]] == ["root", "nested", "root"]


def test_beyond_the_budget_the_least_severe_findings_are_left_out(
    result: ScanResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, text, left_out = embedded_data(result)
    assert left_out == 0
    monkeypatch.setattr(reports.page_data, "BUDGET", len(text) - 1)
    encoding, text, left_out = embedded_data(result)
    page = msgspec.json.decode(text)
    assert (encoding, left_out) == ("json", 1)  # the suppressed one
    assert [page["strings"][number] for number in page["findings"]["rule"]] == [
        "wiring/proxy-not-loaded",
        "datadir/missing-parent",
        "runtime/event-name-mismatch",
    ]
    assert page["builds"]["errors_found"] == [2, 0, 0]
