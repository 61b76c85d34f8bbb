"""Baselines from JSON and SARIF: known findings stay and count apart, new ones count."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from forensics.records import InputError, Rule
from forensics.results import ScanResult
from reports.baseline import marked, read_baseline
from reports.json import write_json
from reports.ordering import counts
from reports.sarif import write_sarif


@pytest.mark.parametrize("kind", ["json", "sarif"])
def test_known_findings_are_suppressed_and_new_ones_count(
    kind: str, result: ScanResult, rules: dict[str, Rule], tmp_path: Path
) -> None:
    first, *others = result.builds
    earlier = msgspec.structs.replace(
        result, builds=(msgspec.structs.replace(first, findings=first.findings[:2]), *others)
    )
    file = tmp_path / f"earlier.{kind}"
    file.write_bytes(write_json(earlier) if kind == "json" else write_sarif(earlier, rules))
    after = marked(result, read_baseline(file))
    assert [finding.suppressed for finding in after.builds[0].findings] == ["baseline", "baseline", ""]
    assert counts(after).findings == {"error": 1, "warning": 0, "note": 0}
    assert counts(after).suppressed == 3


def test_a_second_identical_finding_is_new(result: ScanResult, tmp_path: Path) -> None:
    file = tmp_path / "earlier.json"
    file.write_bytes(write_json(result))
    first = result.builds[0]
    twin = msgspec.structs.replace(first.findings[0], fingerprint="0" * 32)
    later = msgspec.structs.replace(result, builds=(msgspec.structs.replace(first, findings=(*first.findings, twin)),))
    assert [f.suppressed for f in marked(later, read_baseline(file)).builds[0].findings] == ["baseline"] * 3 + [""]


def test_a_finding_known_of_one_build_is_new_in_another(result: ScanResult, tmp_path: Path) -> None:
    file = tmp_path / "earlier.json"
    file.write_bytes(write_json(result))
    other = msgspec.structs.replace(result.builds[0], id="another")
    after = marked(msgspec.structs.replace(result, builds=(other,)), read_baseline(file))
    assert [f.suppressed for f in after.builds[0].findings] == ["", "", ""]


def test_what_suppressed_a_finding_first_stays(result: ScanResult, tmp_path: Path) -> None:
    file = tmp_path / "earlier.json"
    file.write_bytes(write_json(result))
    build = result.builds[1]
    configured = msgspec.structs.replace(build.findings[0], suppressed="configuration")
    changed = msgspec.structs.replace(result, builds=(msgspec.structs.replace(build, findings=(configured,)),))
    assert marked(changed, read_baseline(file)).builds[0].findings[0].suppressed == "configuration"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("not json", "no JSON, so no baseline"),
        ("[]", "neither build-forensics/1 nor SARIF 2.1.0"),
        ('{"schema": "build-forensics/2", "builds": []}', "neither build-forensics/1 nor SARIF 2.1.0"),
        ('{"schema": "build-forensics/1", "builds": [{}]}', "not as this tool writes it"),
        ('{"version": "2.1.0", "runs": [{"results": [{"ruleId": "x"}]}]}', "not as this tool writes it"),
        ('{"version": "2.1.0", "runs": 3}', "not as this tool writes it"),
    ],
)
def test_anything_else_is_an_input_error(content: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "given"
    file.write_text(content)
    with pytest.raises(InputError, match=said):
        read_baseline(file)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read \(No such file"):
        read_baseline(tmp_path / "none.json")
