"""No rule without an entry in the docs, trees that show it and trees that only look like it, and a real tool's word."""

from __future__ import annotations

import pytest

from forensics.records import Rule
from scanners.registry import RULES
from tests.expectations import CHECKOUT, examples

# Contracts and starters are given beside a build, so their rules are shown by unit tests, not by trees.
UNIT_TESTED = ("stack", "rewrite")
ORACLES = CHECKOUT / "tests" / "oracle"
PAGES_IN_A_BROWSER = "rendering"


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_it_has_an_entry_in_the_reference(rule: Rule) -> None:
    entry = (CHECKOUT / "docs" / "rules.md").read_text("utf-8").partition(f"\n## `{rule.id}`\n")[2]
    assert entry.lstrip().startswith(rule.summary)


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES.values() if rule.scanner not in UNIT_TESTED], ids=lambda rule: rule.id
)
def test_it_has_a_failing_tree_and_a_near_miss(rule: Rule) -> None:
    trees = [example for example in examples(rule.scanner) if example.rule == rule.id]
    assert {example.failing for example in trees} == {True, False}
    assert all(rule.id in [finding.rule for finding in example.findings] for example in trees if example.failing)


@pytest.mark.parametrize("rule", [r for r in RULES.values() if r.scanner in UNIT_TESTED], ids=lambda rule: rule.id)
def test_it_is_named_in_the_unit_tests_of_its_scanner(rule: Rule) -> None:
    assert f'"{rule.id}"' in (CHECKOUT / "tests" / "scanners" / f"test_{rule.scanner}.py").read_text("utf-8")


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_real_tool_confirms_it_or_it_says_why_none_can(rule: Rule) -> None:
    """An oracle test of the scanner runs its trees: by their [[oracle]] tables, or in a browser."""
    if rule.no_oracle:
        assert len(rule.no_oracle.split()) > 3
        return
    oracle = (ORACLES / f"test_{rule.scanner}.py").read_text("utf-8")
    assert f'examples("{rule.scanner}")' in oracle
    if rule.scanner != PAGES_IN_A_BROWSER:
        trees = [example for example in examples(rule.scanner) if example.rule == rule.id]
        assert {example.failing for example in trees if example.runs} == {True, False}
