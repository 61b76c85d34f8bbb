"""`forensics compare`: how far apart groups of builds are, and whether a group changed between two result sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def compare(
    source: Annotated[Path, typer.Argument(help="A result set, or a CSV with one row a build.", metavar="RESULTS")],
    second: Annotated[
        Path | None, typer.Argument(help="A second one: did each group's habits change?", metavar="RESULTS2")
    ] = None,
    by: Annotated[str, typer.Option(help="Label that makes the groups.")] = "model",
    within: Annotated[
        list[str] | None, typer.Option(help="Label to hold; default: task where there is one; 'none' holds nothing.")
    ] = None,
    features: Annotated[str, typer.Option(help="Features, by comma; default: all.", metavar="A,B")] = "",
    csv: Annotated[Path | None, typer.Option(help="Write the features of every pair, unrounded, to this file.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write tables and figures as one self-contained page.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the permutations.", min=0)] = 0,
    permutations: Annotated[int, typer.Option(help="Permutations of each test.", min=99)] = 999,
) -> None:
    """Distances between groups of builds, what separates them, and tests of "no difference" or "no change"."""
    from forensics.cli.frames import show
    from forensics.cli.written import write_output
    from forensics.statistics.analysis import held_labels
    from forensics.statistics.distance import compare_groups, compare_sets
    from forensics.statistics.tables import read_builds
    from reports.hostile_text import one_line
    from reports.signature_tables import comparison_displays

    labels = [by, *(name for name in within or [] if name != "none")]
    chosen = None if within is None else labels[1:]
    names = [name.strip() for name in features.split(",") if name.strip()]
    table = read_builds(source, labels=labels)
    held = held_labels(table, [by], chosen)
    if second is None:
        comparison = compare_groups(table, by, held, names, permutations, seed)
    else:
        other = read_builds(second, labels=labels)
        if chosen is None and not held_labels(other, [by]):
            held = ()
        comparison = compare_sets(table, other, by, held, names, permutations, seed)
    if csv is not None:
        write_output(csv, comparison.separating.to_csv(index=False, lineterminator="\n").encode("utf-8"))
    if html is not None:
        from reports.statistics_page import comparison_page

        write_output(html, comparison_page(comparison, by, held, second is not None, str(source), seed))
    if "-" in (str(csv), str(html)):
        return
    typer.echo(
        f"{len(table.frame):,} builds by {by}{', within ' + ' × '.join(held) if held else ', no label held'};"
        f" {permutations:,} permutations, seed {seed}"
    )
    for name, reason in comparison.left_out.items():
        typer.echo(one_line(f"{name} is left out: {reason}"))
    typer.echo()
    for display in comparison_displays(comparison, by, second is not None):
        show(display.frame, display.title, display.formats)
        if display.note:
            typer.echo(f"{display.note}\n")
    for path in (csv, html):
        if path is not None:
            typer.echo(f"wrote {path}", err=True)
