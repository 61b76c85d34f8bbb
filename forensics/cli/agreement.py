"""`forensics agreement`: how far two readings of the same builds agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def agreement(
    first: Annotated[Path, typer.Argument(help="CSV of the first reading.", metavar="FIRST.csv")],
    second: Annotated[Path, typer.Argument(help="CSV of the second reading.", metavar="SECOND.csv")],
    key: Annotated[
        list[str] | None, typer.Option("--id", help="Column that identifies a row; may be given more than once.")
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option("--column", help="Column to compare; default: all that both tables have.")
    ] = None,
    order: Annotated[str, typer.Option(help="Categories from least to most: fail,partial,pass.")] = "",
    csv: Annotated[
        Path | None, typer.Option(help="Also write the summary and every table into this directory.")
    ] = None,
) -> None:
    """Agreement of two tables: Cohen's kappa (plain, linear, quadratic), ICC(A,1), confusion tables."""
    from forensics.cli.frames import number, say, show, write_csv
    from forensics.statistics.agreement import agreement as compare
    from forensics.statistics.runs import read_table

    categories = [name.strip() for name in order.split(",") if name.strip()]
    summary, tables = compare(read_table(first), read_table(second), key or (), column or (), categories)
    lines = summary[["column", "kind", "n", "only_first", "only_second", "agreement"]].copy()
    for name, (low, high) in {
        "kappa": ("kappa_low", "kappa_high"),
        "linear": ("linear_low", "linear_high"),
        "quadratic": ("quadratic_low", "quadratic_high"),
        "icc": ("icc_low", "icc_high"),
    }.items():
        lines[name] = [
            None if point != point else f"{point:.3f} [{start:.3f}, {end:.3f}]"
            for point, start, end in zip(*(summary[part].astype("float64") for part in (name, low, high)), strict=True)
        ]
    lines["mean_difference"] = summary["mean_difference"]
    lines = lines.dropna(axis="columns", how="all")
    show(lines, "Agreement (95 % intervals)", {"agreement": number(4), "mean_difference": number(2)})
    for name, reason in zip(summary["column"], summary["reason"].fillna(""), strict=True):
        if reason:
            say(f"{name}: {reason}")
    for name, table in tables.items():
        show(table.rename_axis(columns=None).reset_index(names="first \\ second"), name)
    if csv is not None:
        frames = {"agreement": summary} | {f"table-{name}": table.reset_index() for name, table in tables.items()}
        for path in write_csv(frames, csv):
            typer.echo(f"wrote {path}", err=True)
