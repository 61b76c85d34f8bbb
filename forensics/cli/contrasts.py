"""`forensics contrasts`: a study's contrasts from a table with one row a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forensics.records import InputError

if TYPE_CHECKING:
    import pandas as pd

    from forensics.statistics.plan import Plan


def contrasts(
    table: Annotated[Path, typer.Argument(help="CSV with one row a run.", metavar="TABLE.csv")],
    plan: Annotated[
        Path | None, typer.Option(help="TOML file that declares outcomes and contrasts; default: the study's plan.")
    ] = None,
    replicate: Annotated[
        bool, typer.Option("--replicate", help="Replay the published random stream: every printed p and interval end.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--table", help="Print this table only; may be given more than once.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Also write every table, unrounded, into this directory.")] = None,
) -> None:
    """Contrasts between tool conditions: effects, permutation tests, intervals, ladders and defect rates."""
    from forensics.cli.frames import write_csv
    from forensics.statistics.contrasts import TABLES, analyse
    from forensics.statistics.plan import read_plan
    from forensics.statistics.runs import read_table

    wanted = only or list(TABLES)
    for name in wanted:
        if name not in TABLES:
            raise InputError(f"--table {name}: no such table; there are {', '.join(TABLES)}")
    declared = read_plan(plan)
    tables = analyse(read_table(table), declared, replicate, source=str(table))
    for name in wanted:
        _show(name, TABLES[name], tables[name], declared)
    if csv is not None:
        for path in write_csv(tables, csv):
            typer.echo(f"wrote {path}", err=True)


def _show(name: str, title: str, frame: pd.DataFrame, plan: Plan) -> None:
    from forensics.cli.frames import number, p_value, percent, show

    if name == "contrasts":
        methods = ", ".join(sorted(set(frame["method"]) - {""}))
        heading = f"{title}: A − B (p-values: {methods})" if methods else title
        show(_contrast_lines(frame), heading, dict.fromkeys(("p", "Holm", "2-sided", "sign"), p_value))
        _show_reasons(frame, "contrast")
    elif name == "differences":
        wide = frame.pivot(index="contrast", columns="group", values="difference").reset_index()
        order = [contrast.id for contrast in plan.contrasts]
        show(
            _ordered(wide, "contrast", order), title, {str(column): number(2, sign=True) for column in wide.columns[1:]}
        )
    elif name == "mixed":
        two = number(2, sign=True)
        formats = {"estimate": two, "standard_error": number(2), "low": two, "high": two, "p": p_value}
        formats |= {"group_variance": number(2), "residual_variance": number(2)}
        shown = frame.drop(columns=["note", "reason"])
        show(shown, f"{title} (outcome ~ arm + {plan.block}, random intercept per {plan.group}, REML)", formats)
        _show_reasons(frame, "contrast")
    elif name == "group_tests":
        formats = {column: number(1) for column in ("mean_a", "mean_b")} | {"difference": number(1, sign=True)}
        formats |= dict.fromkeys(("p_greater", "p_two_sided", "p_holm"), p_value)
        for identifier, part in frame.groupby("test", sort=False):
            heading = next((f"{test.id}: {test.title}" for test in plan.group_tests if test.id == identifier), title)
            present = part.dropna(axis="columns", how="all").drop(columns=["test", "reason"], errors="ignore")
            show(present, heading, formats)
        _show_reasons(frame, "group")
    elif name == "ladders":
        for ladder in plan.ladders:
            part = frame[frame["ladder"] == ladder.id]
            wide = part.pivot(index="block", columns="arm", values="mean").reset_index()
            arms = [arm for arm in part["arm"].unique() if arm]
            wide = _ordered(wide, "block", [*sorted(set(part["block"]) - {"pooled"}), "pooled"])[["block", *arms]]
            share = part["mean"].max() <= 1
            show(wide, f"{ladder.id}: {ladder.title}", {arm: percent if share else number(1) for arm in arms})
        _show_reasons(frame, "ladder")
    elif name == "defects":
        show(frame.drop(columns="reason"), title, dict.fromkeys(("rate", "low", "high"), percent))
        _show_reasons(frame, "defect")
    elif name == "profiles":
        rates = [column for column in frame.columns if column.endswith("_rate")]
        show(frame, title, dict.fromkeys(rates, percent) | {"lift": number(1, sign=True)})
    else:
        show(frame, title, {column: number(2) for column in ("mean", "sd", "sd_sample")})


def _contrast_lines(frame: pd.DataFrame) -> pd.DataFrame:
    """The contrasts with arms and intervals as one cell each."""
    import pandas as pd

    tested = frame["strata"] > 0
    return pd.DataFrame(
        {
            "": frame["contrast"],
            "contrast": frame["arm_a"] + " − " + frame["arm_b"],
            "outcome": frame["outcome"],
            "n": frame["n"],
            "effect": frame["effect"].map(lambda value: f"{value:+.2f}").where(tested, None),
            "95 % interval": _interval(frame, "low", "high").where(tested, None),
            "Welch": _interval(frame, "welch_low", "welch_high").where(tested & frame["welch_low"].notna(), None),
            "tested": frame["alternative"].map({"greater": "A > B", "less": "A < B", "two-sided": "A ≠ B"}),
            "p": frame["p"],
            "Holm": frame["p_holm"],
            "2-sided": frame["p_two_sided"],
            "sign": frame["p_sign"],
        }
    )


def _interval(frame: pd.DataFrame, low: str, high: str) -> pd.Series[str]:
    return frame[low].map(lambda end: f"{end:+.2f}") + ", " + frame[high].map(lambda end: f"{end:+.2f}")


def _ordered(frame: pd.DataFrame, column: str, order: list[str]) -> pd.DataFrame:
    return frame.set_index(column).reindex([value for value in order if value in set(frame[column])]).reset_index()


def _show_reasons(frame: pd.DataFrame, column: str) -> None:
    from forensics.cli.frames import say

    for name, reason in zip(frame[column], frame["reason"], strict=True):
        if reason:
            say(f"{name}: {reason}")
    if frame["reason"].astype(bool).any():
        say()
