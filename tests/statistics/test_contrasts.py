"""The study's contrasts: every printed figure, and what the command says of tables that don't fit the plan."""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer import Typer
from typer.testing import CliRunner

from forensics.cli.contrasts import contrasts as contrasts_command
from forensics.records import InputError
from forensics.statistics.contrasts import TABLES, analyse
from forensics.statistics.plan import read_plan
from forensics.statistics.runs import read_table, runs_of
from tests.statistics.study_files import STUDY, needs_study

# Published in stats-results.txt: n, effect, interval, p, Holm p, sign p; P3 rests on token counts, which are not in the
# table (its p, .0001, counts in the Holm family of six).
PUBLISHED: dict[str, tuple[int, str, str, str, str, str | None, str | None]] = {
    "P1": (168, "+12.26", "+7.04", "+17.47", "0.0001", "0.0006", "0.062"),
    "P2": (384, "+0.13", "+0.10", "+0.16", "0.0001", "0.0006", "0.500"),
    "P4": (96, "+6.88", "+0.83", "+13.41", "0.0413", "0.0826", "0.688"),
    "P5": (120, "-0.67", "-13.67", "+12.67", "0.9989", "0.9989", None),
    "P6": (60, "+15.33", "+7.33", "+24.00", "0.0225", "0.0675", "1.000"),
    "S1": (168, "+2.41", "-0.38", "+5.21", "0.1427", None, "1.000"),
    "S2": (108, "+4.98", "-1.42", "+11.75", "0.1951", None, "1.000"),
    "S3": (60, "-2.17", "-12.50", "+7.33", "0.8571", None, "1.000"),
    "S4a": (168, "-3.60", "-11.36", "+3.61", "0.3886", None, "1.000"),
    "S4b": (384, "-0.02", "-0.07", "+0.03", "0.3534", None, "1.000"),
    "S5": (54, "-16.07", "-31.67", "-1.70", "0.0425", None, "0.062"),
}


@cache
def study_tables(replicate: bool) -> dict[str, pd.DataFrame]:
    return analyse(read_table(STUDY / "run-summary.csv"), read_plan(), replicate)


def rows(table: pd.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    return {row[column]: row for row in table.to_dict("records")}


@needs_study
@pytest.mark.parametrize("name", PUBLISHED)
def test_replay_gives_every_printed_figure(name: str) -> None:
    n, effect, low, high, p, p_holm, p_sign = PUBLISHED[name]
    row = rows(study_tables(True)["contrasts"], "contrast")[name]
    assert row["n"] == n
    assert (f"{row['effect']:+.2f}", f"{row['low']:+.2f}", f"{row['high']:+.2f}") == (effect, low, high)
    assert f"{row['p']:.4f}" == p
    assert (None if math.isnan(row["p_holm"]) else f"{row['p_holm']:.4f}") == p_holm
    assert (None if math.isnan(row["p_sign"]) else f"{row['p_sign']:.3f}") == p_sign


@needs_study
def test_replay_gives_every_contrast_line_of_the_published_output() -> None:
    """All of stats-results.txt up to S6, read from the file itself: effects, ends, p, per-model differences."""
    text = (STUDY / "stats-results.txt").read_text("utf-8")
    contrasts = rows(study_tables(True)["contrasts"], "contrast")
    differences = study_tables(True)["differences"]
    blocks = re.findall(r"^([PS]\d[ab]?) .*\n((?:  .+\n)+)", text, flags=re.MULTILINE)
    seen = 0
    for name, block in blocks:
        if name in ("P3", "S6"):
            continue
        row = contrasts[name]
        printed = (
            f"effect = {row['effect']:+.2f}  95% CI [{row['low']:+.2f}, {row['high']:+.2f}]  perm p = {row['p']:.4f}"
        )
        assert printed in block
        if "per-model:" in block:
            of_contrast = differences[differences["contrast"] == name]
            line = "  ".join(
                f"{group}={value:+.1f}"
                for group, value in zip(of_contrast["group"], of_contrast["difference"], strict=True)
            )
            assert f"per-model: {line}" in block
        seen += 1
    assert seen == len(PUBLISHED)


@needs_study
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_default_effects_are_the_published_ones(name: str) -> None:
    row = rows(study_tables(False)["contrasts"], "contrast")[name]
    assert f"{row['effect']:+.2f}" == PUBLISHED[name][1]
    assert row["method"] == "exact"
    # Another generator than the study's moves an end by up to half a point.
    reach = 1.0 if row["outcome"] != "survival" else 0.01
    assert row["low"] == pytest.approx(float(PUBLISHED[name][2]), abs=reach)
    assert row["high"] == pytest.approx(float(PUBLISHED[name][3]), abs=reach)


@needs_study
def test_exact_p_values_agree_with_the_sampled_ones_where_no_tie_is_split() -> None:
    for name, published in PUBLISHED.items():
        row = rows(study_tables(False)["contrasts"], "contrast")[name]
        if name != "S4b":
            spread = math.sqrt(row["p"] * (1 - row["p"]) / 10_000)
            assert abs(row["p"] - float(published[4])) < 4 * spread + 1e-4


@needs_study
def test_the_published_p_of_s4b_is_an_artefact_of_split_ties() -> None:
    exact = rows(study_tables(False)["contrasts"], "contrast")["S4b"]
    replayed = rows(study_tables(True)["contrasts"], "contrast")["S4b"]
    assert f"{replayed['p']:.4f}" == "0.3534"
    assert exact["p"] == pytest.approx(0.5657, abs=0.0001)
    assert replayed["reason"] == "floating-point ties: two-sided p is 0.5666 with ties counted"


@needs_study
def test_both_sides_are_reported() -> None:
    table = rows(study_tables(False)["contrasts"], "contrast")
    # The study's one-sided .0413 and .0225 are .0767 and .0454 two-sided.
    assert (table["P4"]["p_greater"], table["P4"]["p_two_sided"]) == pytest.approx((0.0384, 0.0767), abs=0.0001)
    assert (table["P6"]["p_greater"], table["P6"]["p_two_sided"]) == pytest.approx((0.0227, 0.0454), abs=0.0001)
    assert table["S5"]["p_less"] == pytest.approx(0.0218, abs=0.0001)


@needs_study
def test_tokens_are_not_in_the_table_and_the_row_says_so() -> None:
    row = rows(study_tables(False)["contrasts"], "contrast")["P3"]
    assert math.isnan(row["effect"])
    assert math.isnan(row["p"])
    assert row["reason"] == (
        "can't be computed from this table: no column 'total_tokens': token counts are in the runs' manifests, "
        "not in the published table; its published p (.0001) stands in the Holm family"
    )


@needs_study
def test_mixed_models_give_the_published_estimates_and_standard_errors() -> None:
    """stats-mixed-effects.txt, all lines but P3's: estimate, SE, interval, p, variances."""
    text = (STUDY / "stats-mixed-effects.txt").read_text("utf-8")
    table = rows(study_tables(False)["mixed"], "contrast")
    for name in ("P1", "P2", "P4", "P5", "P6"):
        row = table[name]
        block = re.search(rf"^{name} .*\n((?:  .+\n)+)", text, flags=re.MULTILINE)
        assert block is not None
        interval = f"95% CI [{row['low']:+.2f}, {row['high']:+.2f}]"
        line = f"mixed-effects estimate = {row['estimate']:+.2f}  SE = {row['standard_error']:.2f}  {interval}"
        assert f"{line}  two-sided p = {row['p']:.4f}" in block.group(1)
        variances = f"variance = {row['group_variance']:.2f}  residual variance = {row['residual_variance']:.2f}"
        assert variances in block.group(1)
        assert row["converged"]
        assert f"(n={row['n']})" in block.group(1)


@needs_study
def test_s6_gives_every_printed_line() -> None:
    text = (STUDY / "stats-results.txt").read_text("utf-8")
    table = study_tables(True)["group_tests"]
    s6 = table[table["test"] == "S6"]
    assert len(s6) == 12
    for row in s6.to_dict("records"):
        printed = f"{row['group']:<22} diff={row['difference']:+6.1f}  p={row['p_two_sided']:.3f}"
        printed += f"  screenshots={row['exposure']:.0f}"
        block = text[text.index(f"-- {row['block']} --") :]
        assert printed in block
    grok = s6[(s6["group"] == "grok-4.3") & (s6["block"] == "metrics-dashboard")].iloc[0]
    assert grok["reason"] == "grok-4.3 never used what visual grants: untestable"


@needs_study
def test_s6_is_the_complier_split_of_the_freeze_tables() -> None:
    section = (STUDY / "freeze-tables.txt").read_text("utf-8").split("== 6. ")[1].split("\n== ")[0]
    table = study_tables(False)["group_tests"]
    lines = 0
    for row in table[table["test"] == "S6"].to_dict("records"):
        block = section[section.index(f"-- {row['block']} --") :]
        line = f"{row['group']:<22} visual={row['mean_a']:.1f}  execution={row['mean_b']:.1f}"
        line += f"  screenshots={row['exposure']:.0f}"
        # The file prints differences of rounded means.
        gap = round(row["mean_a"], 1) - round(row["mean_b"], 1)
        assert f"{line}  gap={gap:.1f}" in block or f"{line}  NON-USER: H untestable" in block
        lines += 1
    assert lines == 12


@needs_study
def test_the_log_explorers_launches_per_model() -> None:
    table = study_tables(False)["group_tests"]
    launch = rows(table[table["test"] == "launch"], "group")
    # Gaps as P6's per-model line prints them; launches of five blind and five shell builds: no blind one of gemini's.
    gaps = {group: (row["difference"], row["launched_a"], row["launched_b"]) for group, row in launch.items()}
    assert gaps == {
        "claude-4.6-opus": (0.0, 5, 5),
        "claude-4.6-sonnet": (-5.0, 5, 5),
        "claude-4.8-opus": (0.0, 5, 5),
        "gemini-3.1-pro": (100.0, 5, 0),
        "gpt-5.5": (17.0, 5, 4),
        "grok-4.3": (-20.0, 5, 5),
    }


def small_table() -> pd.DataFrame:
    """Two models, two tasks, four runs a cell, the arms `tool` and `none`; one task lacks `tool` for one model."""
    generator = np.random.default_rng(4)
    lines = []
    for model, base in (("m1", 50.0), ("m2", 70.0)):
        for task in ("t1", "t2"):
            for condition in ("tool", "none"):
                if (model, task, condition) == ("m2", "t2", "tool"):
                    continue
                for run in range(4):
                    score = base + (15 if condition == "tool" else 0) + 10 * (task == "t2") + generator.integers(-4, 5)
                    lines.append((task, condition, run, model, float(score), bool(score > 60)))
    return pd.DataFrame(lines, columns=["task", "condition", "run_id", "model", "score", "ran"])


PLAN = """
title = "small"
arm = "condition"
group = "model"
block = "task"
[outcomes]
score = { column = "score" }
ran = { column = "ran" }
tokens = { column = "tokens", transform = "log" }
[[contrasts]]
id = "C1"
title = "tool"
outcome = "score"
arms = ["tool", "none"]
mixed = true
[[contrasts]]
id = "C2"
title = "other arm"
outcome = "score"
arms = ["magic", "none"]
[[contrasts]]
id = "C3"
title = "tokens"
outcome = "tokens"
arms = ["tool", "none"]
mixed = true
[[contrasts]]
id = "C4"
title = "one cell"
outcome = "score"
arms = ["tool", "none"]
where = { task = ["t2"], model = ["m2"] }
[[group_tests]]
id = "G"
title = "per model"
outcome = "score"
arms = ["tool", "none"]
split = "task"
values = ["t2", "nowhere"]
"""


def small_plan(tmp_path: Path, text: str = PLAN) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_plan_of_another_study(tmp_path: Path) -> None:
    tables = analyse(small_table(), read_plan(small_plan(tmp_path)))
    table = rows(tables["contrasts"], "contrast")
    assert table["C1"]["n"] == 24
    assert table["C1"]["strata"] == 3
    assert table["C1"]["reason"] == "left out, runs in one arm only: m2 × t2"
    assert table["C1"]["effect"] == pytest.approx(15, abs=2)
    assert table["C1"]["p_two_sided"] == pytest.approx(2 / 70**3)
    assert table["C2"]["reason"] == "no run has the condition 'magic'"
    assert table["C3"]["reason"] == "can't be computed from this table: no column 'tokens'"
    assert table["C4"]["reason"] == "no model × task of the contrast has measured runs in both arms"
    # Only one hypothesis of the family could be tested.
    assert table["C1"]["p_holm"] == table["C1"]["p"]
    mixed = rows(tables["mixed"], "contrast")
    assert mixed["C1"]["estimate"] == pytest.approx(15, abs=2)
    assert mixed["C3"]["reason"] == "no column 'tokens'"
    groups = tables["group_tests"]
    assert list(groups["group"]) == ["m1", ""]
    assert groups["reason"].iloc[1] == "no group has runs of both tool and none"


def test_every_gap_in_a_table_has_its_reason(tmp_path: Path) -> None:
    tables = analyse(small_table(), read_plan(small_plan(tmp_path)))
    for name in ("contrasts", "mixed", "group_tests", "ladders", "defects"):
        table = tables[name]
        main = {"contrasts": "effect", "mixed": "estimate", "group_tests": "difference"}.get(name)
        if main is not None:
            assert (table[main].notna() | (table["reason"] != "")).all()


def test_the_plan_of_the_documentation_is_one(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "contrasts.md").read_text("utf-8")
    plan = read_plan(small_plan(tmp_path, text.split("```toml\n")[1].split("```")[0]))
    assert [contrast.id for contrast in plan.contrasts] == ["H1", "H2"]
    assert plan.contrasts[1].baseline == {"task": ("shop",)}


def test_a_contrast_s_figures_don_t_depend_on_its_neighbours(tmp_path: Path) -> None:
    alone = PLAN[: PLAN.index('[[contrasts]]\nid = "C2"')]
    whole = analyse(small_table(), read_plan(small_plan(tmp_path)))["contrasts"]
    single = analyse(small_table(), read_plan(small_plan(tmp_path, alone)))["contrasts"]
    columns = ["effect", "low", "high", "p", "p_two_sided"]
    assert whole.loc[0, columns].tolist() == single.loc[0, columns].tolist()


def test_the_order_of_rows_does_not_change_the_default_p_values(tmp_path: Path) -> None:
    plan = read_plan(small_plan(tmp_path))
    shuffled = small_table().sample(frac=1, random_state=1)
    columns = ["effect", "p", "p_two_sided", "p_sign"]
    before = analyse(small_table(), plan)["contrasts"].loc[0, columns].tolist()
    assert analyse(shuffled, plan)["contrasts"].loc[0, columns].tolist() == pytest.approx(before)


def test_missing_scores_are_left_out(tmp_path: Path) -> None:
    frame = small_table()
    frame.loc[(frame["model"] == "m1") & (frame["run_id"] == 0), "score"] = None
    table = analyse(frame, read_plan(small_plan(tmp_path)))["contrasts"]
    assert table.loc[0, "n"] == 24 - 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": "many"}, "column 'score' holds 'many', which is no number"),
        ({"score": math.inf}, "column 'score' holds an infinite value"),
        ({"tokens": 0.0}, "column 'tokens' holds 0, which has no logarithm"),
    ],
)
def test_bad_values_are_one_clear_line(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        runs_of(small_table().assign(**change), read_plan(small_plan(tmp_path)))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('titel = "x"', "unknown field `titel`"),
        ("seed = [", "not TOML"),
        ('corrected = "primary"', "Expected `array`"),
        ("permutations = 0", "must be at least 1"),
    ],
)
def test_bad_plans_are_one_clear_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_plan(small_plan(tmp_path, f"{line}\n{PLAN}"))
    assert "\n" not in str(caught.value)


def test_a_plan_that_names_an_undefined_outcome(tmp_path: Path) -> None:
    text = PLAN.replace('outcome = "score"\narms = ["magic"', 'outcome = "charm"\narms = ["magic"')
    with pytest.raises(InputError, match="C2 names the outcome 'charm', which"):
        read_plan(small_plan(tmp_path, text))


def run(*arguments: object) -> Any:
    app = Typer()
    app.command()(contrasts_command)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_command_prints_and_writes_every_table(tmp_path: Path) -> None:
    small_table().to_csv(tmp_path / "runs.csv", index=False)
    result = run(tmp_path / "runs.csv", "--plan", small_plan(tmp_path), "--csv", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "tool − none" in result.output
    assert "C2: no run has the condition 'magic'" in result.output
    assert sorted(path.stem for path in (tmp_path / "out").iterdir()) == sorted(TABLES)
    again = pd.read_csv(tmp_path / "out" / "contrasts.csv")
    assert again["effect"].iloc[0] == pytest.approx(15, abs=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("task,condition,model\n", "holds a header but no row"),
        ("a,b\n1,2\n", "no column 'condition' (the plan's arm)"),
        ("task,condition,model,score\nt,,m,1\n", "no row has a value in all of condition, model and task"),
        ("task,condition,model,score\nt,tool,m\nt,tool,m,1,2,3\n", "can't be read as CSV"),
    ],
)
def test_bad_tables_are_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "runs.csv").write_text(text, "utf-8")
    result = run(tmp_path / "runs.csv", "--plan", small_plan(tmp_path))
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)


def test_a_single_run_gives_reasons_and_no_traceback(tmp_path: Path) -> None:
    small_table().head(1).to_csv(tmp_path / "runs.csv", index=False)
    result = run(tmp_path / "runs.csv", "--plan", small_plan(tmp_path))
    assert result.exit_code == 0, result.output
    assert "no run has the condition 'none'" in result.output
    assert "nan" not in result.output
