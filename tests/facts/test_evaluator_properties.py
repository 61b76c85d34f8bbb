"""The evaluator against Node: thousands of programs made at random, of which it may leave values unknown, never wrong.

Node alone is needed, no package. Run with `-s` for the share of unknown values by kind.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from tests.facts.generated_programs import KINDS, generate
from tests.facts.node_agreement import NODE, Outcome, agreement, compare
from tests.facts.node_both_ways import problems, runs_of
from tests.facts.program_shapes import SHAPES, shapes
from tests.facts.uncertain_programs import Program

PROGRAMS = 5_100
SHAPED = 555
UNCERTAIN = 300
SEED = 20_260_101

pytestmark = pytest.mark.oracle


@pytest.fixture(autouse=True)
def node() -> None:
    if NODE is None:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail("node is not on PATH, and in CI the evaluator must be held against it")
        pytest.skip("node is not on PATH")


def _judged(outcomes: list[Outcome]) -> dict[str, Counter[str]]:
    """Verdicts by kind, printed; asserts that nothing is wrong and little unknown."""
    by_kind: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        by_kind.setdefault(outcome.program.kind, Counter())[outcome.verdict] += 1
    for kind, verdicts in by_kind.items():
        print(f"{kind:32} {verdicts['unknown'] / verdicts.total():6.1%} unknown of {verdicts.total()}")
    wrong = [outcome for outcome in outcomes if outcome.verdict == "wrong"]
    assert not wrong, f"{len(wrong)} wrong, such as {wrong[0].program.files}: {wrong[0].expected} is {wrong[0].found}"
    total = sum((verdicts for verdicts in by_kind.values()), Counter[str]())
    assert total["unknown"] < 0.1 * total.total()
    assert total["throws"] < 0.02 * total.total()
    return by_kind


def test_generated_programs_give_what_node_gives_or_unknown(tmp_path: Path) -> None:
    programs = [generate(SEED + number, KINDS[number % len(KINDS)]) for number in range(PROGRAMS)]
    assert len(KINDS) >= 12
    assert min(program.depth for program in programs) >= 3
    assert sum(program.across_modules for program in programs) >= 0.3 * len(programs)
    by_kind = _judged(compare(programs, tmp_path.resolve()))
    assert min(verdicts.total() for verdicts in by_kind.values()) >= 0.05 * len(programs)


def test_programs_of_the_shapes_of_real_applications_give_what_node_gives_or_unknown(tmp_path: Path) -> None:
    by_kind = _judged(compare(shapes(SHAPED), tmp_path.resolve()))
    assert set(by_kind) == set(SHAPES)


def test_under_open_conditions_values_and_effects_hold_whichever_way_they_go(tmp_path: Path) -> None:
    programs = [Program(f"{SEED} {number}", size=4) for number in range(UNCERTAIN)]
    for program, runs in zip(programs, runs_of(programs, tmp_path), strict=True):
        assert problems(program, runs) == [], program.text


def test_a_wrong_value_is_seen_as_wrong() -> None:
    expected, found = {"$": "object", "value": [["a", "x"]]}, {"$": "object", "value": [["a", "y"]]}
    assert agreement([1, expected], [1, found]) == "wrong"
    assert agreement([1, "x"], [1, {"$": "unknown"}]) == "unknown"
    assert agreement(True, 1) == "wrong"
