"""Every example tree, of every scanner, scanned: what is reported must be what its expectation file says."""

from __future__ import annotations

import re

import pytest

from forensics.results import BuildResult, ReportedFinding
from scanners.registry import RULES
from tests.expectations import Example, Wanted, examples
from tests.scanning import scan_tree

STANDARD_PORTS = {"3000", "3001", "5173", "5432"}


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_reports_what_the_example_expects(example: Example) -> None:
    assert differences(example, scan_tree(example.folder)) == []


def differences(example: Example, result: BuildResult) -> list[str]:
    """Where the report is not what the example expects. Empty: it is."""
    statuses = {row.scanner: row.status for row in result.verdicts}
    reasons = {row.scanner: row.reason for row in result.verdicts}
    found = [
        f"{scanner}: expected {status}, came {statuses.get(scanner)} {reasons.get(scanner, '')}"
        for scanner, status in example.verdicts.items()
        if statuses.get(scanner) != status
    ]
    for wanted in example.findings:
        if not any(matches(finding, wanted) for finding in result.findings):
            same = [shown(item) for item in result.findings if item.rule.split("/")[0] == wanted.rule.split("/")[0]]
            found.append(f"expected {wanted.rule} at {wanted.path}:{wanted.line}, came {'; '.join(same) or 'nothing'}")
    found += [f"expected no {item.rule}, came {shown(item)}" for item in result.findings if item.rule in example.absent]
    if not example.failing:
        found += [
            f"a near miss has no error, but {shown(item)}"
            for item in result.findings
            if item.severity == "error" and item.rule.startswith(f"{example.scanner}/")
        ]
    return found


def matches(finding: ReportedFinding, wanted: Wanted) -> bool:
    """The finding's own place or a related one is the wanted file, and line where one is named."""
    places = (finding.place, *finding.related)
    return finding.rule == wanted.rule and any(
        wanted.path in ("", place.path) and wanted.line in (0, place.line) for place in places
    )


def shown(finding: ReportedFinding) -> str:
    return f"{finding.rule} at {finding.place.path}:{finding.place.line} ({finding.message})"


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.split("/")[0] in ("wiring", "datadir")])
def test_launch_rules_have_two_failing_trees_and_two_near_misses(rule: str) -> None:
    kinds = [example.failing for example in examples() if example.rule == rule]
    assert (kinds.count(True) >= 2, kinds.count(False) >= 2) == (True, True)


def test_no_two_trees_share_a_fixed_port() -> None:
    """The oracle runs them at the same time, as they stand."""
    users: dict[str, set[str]] = {}
    for example in examples("wiring", "datadir"):
        for path in example.folder.rglob("*"):
            if path.is_file() and path.suffix != ".svg":
                for port in re.findall(r"(?<![\w.-])([345]\d{3})(?![\w.])", path.read_text("utf-8")):
                    users.setdefault(port, set()).add(example.name)
    shared = {port: names for port, names in users.items() if len(names) > 1 and port not in STANDARD_PORTS}
    assert shared == {}
