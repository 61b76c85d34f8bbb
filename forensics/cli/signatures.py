"""`forensics signatures`: which features are a model's habit and which the condition's doing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forensics.records import InputError

if TYPE_CHECKING:
    from forensics.statistics.analysis import Analysis
    from forensics.statistics.distance import Comparison
    from forensics.statistics.tables import BuildTable

TREE_DRAWS = 99
"""The tree needs no p-value, only distances."""


def signatures(
    source: Annotated[
        Path, typer.Argument(help="A result set, or a CSV with one row a build.", metavar="RESULTS_OR_CSV")
    ],
    by: Annotated[list[str] | None, typer.Option(help="Label to compare by; may be given more than once.")] = None,
    within: Annotated[
        list[str] | None, typer.Option(help="Label to hold; default: task where there is one; 'none' holds nothing.")
    ] = None,
    beside: Annotated[
        list[str] | None, typer.Option(help="Further label whose association is shown for comparison (a confounder).")
    ] = None,
    features: Annotated[str, typer.Option(help="Features, by comma: a confirmatory family.", metavar="A,B")] = "",
    csv: Annotated[Path | None, typer.Option(help="Write the association table, unrounded, to this file.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write tables and figures as one self-contained page.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the permutations.", min=0)] = 0,
    permutations: Annotated[
        int | None, typer.Option(help="Permutations; default: 999, or more for a large family.", min=99)
    ] = None,
) -> None:
    """Association of every feature with model and condition, verdicts, profiles and defect rates."""
    from forensics.cli.frames import show
    from forensics.cli.written import write_output
    from forensics.statistics.analysis import analyse
    from forensics.statistics.tables import read_builds
    from reports.hostile_text import one_line
    from reports.signature_tables import signature_displays

    asked = [*(by or []), *(within or []), *(beside or [])]
    table = read_builds(source, labels=[name for name in asked if name != "none"])
    held = None if within is None else [name for name in within if name != "none"]
    names = [name.strip() for name in features.split(",") if name.strip()]
    analysis = analyse(table, by or (), held, features=names, beside=beside or (), draws=permutations, seed=seed)
    if csv is not None:
        verdicts = analysis.verdicts[["feature", "verdict", "cluster", "representative"]]
        rows = analysis.associations.merge(verdicts, on="feature", how="left")
        write_output(csv, rows.to_csv(index=False, lineterminator="\n").encode("utf-8"))
    if html is not None:
        from reports.statistics_page import signatures_page

        write_output(html, signatures_page(analysis, distances(table, analysis)))
    if "-" in (str(csv), str(html)):
        return
    counts = analysis.verdicts["kind"].value_counts()
    typer.echo(
        f"{analysis.builds:,} builds, {counts.get('categorical', 0)} categorical and {counts.get('numeric', 0)} numeric"
        f" features, by {' and '.join(analysis.by)}"
        f"{', within ' + ' × '.join(analysis.within) if analysis.within else ', no label held'}"
    )
    for column, reason in table.set_aside.items():
        typer.echo(one_line(f"column {column} is no feature: {reason}"))
    for statement in analysis.statements:
        typer.echo(one_line(statement))
    typer.echo()
    for display in signature_displays(analysis, whole=bool(names)):
        show(display.frame, display.title, display.formats)
        if display.note:
            typer.echo(f"{display.note}\n")
    said = set(analysis.statements)
    for feature, note in zip(analysis.verdicts["feature"], analysis.verdicts["note"], strict=True):
        remarks = [remark for remark in str(note).split("; ") if remark and remark not in said]
        if remarks:
            typer.echo(one_line(f"{feature}: {'; '.join(remarks)}"))
    for path in (csv, html):
        if path is not None:
            typer.echo(f"wrote {path}", err=True)


def distances(table: BuildTable, analysis: Analysis) -> Comparison | None:
    """How far the groups of the first label are apart, for the heat map's tree; None where they can't be compared."""
    from forensics.statistics.distance import compare_groups

    features = list(analysis.verdicts["feature"])
    try:
        return compare_groups(table, analysis.by[0], analysis.within, features, draws=TREE_DRAWS, seed=analysis.seed)
    except InputError:
        return None
