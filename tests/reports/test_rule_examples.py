"""Reading the example builds of a rule."""

from __future__ import annotations

from pathlib import Path

from reports.rule_examples import ExampleTree, RuleExamples, read_examples


def test_failing_examples_and_near_misses_with_their_summaries(tmp_path: Path) -> None:
    folder = tmp_path / "wiring" / "proxy-not-loaded"
    for name in ("near-miss-b", "failing-a", "notes"):
        (folder / name / "src").mkdir(parents=True)
        (folder / name / "src" / "x.js").write_text(name)
        (folder / name / "package.json").write_text("{}")
    (folder / "failing-a.toml").write_text('summary = "It fails."\n[expect.verdicts]\nwiring = "OK"\n')
    assert read_examples(tmp_path, "wiring/proxy-not-loaded") == RuleExamples(
        failing=(ExampleTree("failing-a", {"package.json": "{}", "src/x.js": "failing-a"}, "It fails."),),
        near_misses=(ExampleTree("near-miss-b", {"package.json": "{}", "src/x.js": "near-miss-b"}),),
    )


def test_a_rule_without_examples_and_a_file_that_is_long(tmp_path: Path) -> None:
    assert read_examples(tmp_path, "wiring/other") == RuleExamples()
    (tmp_path / "a" / "b" / "failing").mkdir(parents=True)
    (tmp_path / "a" / "b" / "failing" / "long.js").write_text("x" * 10_000)
    (tree,) = read_examples(tmp_path, "a/b").failing
    assert tree.files["long.js"] == "x" * 6000 + "\n…\n"
