"""Was the starter extended or replaced? A starter of six files and what became of it, counted by hand."""

from __future__ import annotations

from collections.abc import Mapping

from forensics.records import Verdict
from forensics.scanner import Context
from scanners.rewrite import SCANNER
from tests.in_memory import facts_of

STARTER = {
    f"src/{name}.js": f"export function {name}(a) {{\n  const b = a + {number}\n  return b * {number}\n}}\n"
    for number, name in enumerate(("sort", "pick", "join", "trim", "wrap", "zip"), 2)
}
OTHER = "import x from './x.js'\nconsole.log(x.map(String).join())\nx.close()\n"


def judged(files: Mapping[str, str], starter: Mapping[str, str] = STARTER) -> Verdict:
    context = Context(starter={path: text.encode() for path, text in starter.items()})
    return SCANNER.scan(facts_of(files), context)


def changed(count: int, text: str = OTHER) -> dict[str, str]:
    """The starter with the first files replaced."""
    return {path: text if index < count else old for index, (path, old) in enumerate(STARTER.items())}


def counts(verdict: Verdict) -> tuple[object, ...]:
    names = ("kept", "modified", "deleted", "added", "churn")
    return tuple(verdict.features[f"rewrite_{name}"] for name in names)


def test_three_kept_and_three_modified_is_extended() -> None:
    verdict = judged(changed(3))
    assert (verdict.status, counts(verdict)) == ("EXTENDED", (3, 3, 0, 0, 0.5))
    assert verdict.findings == ()


def test_two_kept_and_four_modified_is_rewrote() -> None:
    verdict = judged({**changed(4), "src/new.js": "f()\n"})
    assert (verdict.status, counts(verdict)) == ("REWROTE", (2, 4, 0, 1, 0.667))
    assert [finding.rule for finding in verdict.findings] == ["rewrite/starter-replaced"]
    assert verdict.features["rewrite_by_content"] == "REWROTE"


def test_deleted_files_count_and_are_named() -> None:
    files = dict(list(STARTER.items())[2:])
    verdict = judged(files)
    assert (verdict.status, counts(verdict)) == ("EXTENDED", (4, 0, 2, 0, 0.333))
    assert [finding.rule for finding in verdict.findings] == ["rewrite/file-deleted", "rewrite/file-deleted"]


def test_a_change_of_format_alone_is_told_from_a_rewrite() -> None:
    indented = {path: text.replace("  ", "    ").replace("\n}", ";\n}") for path, text in STARTER.items()}
    verdict = judged(indented)
    assert (verdict.status, counts(verdict)) == ("REWROTE", (0, 6, 0, 0, 1.0))
    features = verdict.features
    assert (features["rewrite_format_only"], features["rewrite_functions_kept"]) == (6, 6)
    assert features["rewrite_by_content"] == "EXTENDED"


def test_files_that_only_moved_are_told_from_a_rewrite() -> None:
    verdict = judged({path.replace("src/", "lib/"): text for path, text in STARTER.items()})
    assert (verdict.status, counts(verdict)) == ("REWROTE", (0, 0, 6, 6, 1.0))
    features = verdict.features
    assert (features["rewrite_moved"], features["rewrite_lines_kept"]) == (6, 1.0)
    assert features["rewrite_by_content"] == "EXTENDED"
    assert [finding.rule for finding in verdict.findings] == ["rewrite/starter-replaced"]


def test_without_a_starter_there_is_nothing_to_compare() -> None:
    assert SCANNER.scan(facts_of(STARTER), Context()).status == "NO-STARTER"
    assert judged(STARTER, {}).status == "UNKNOWN"
