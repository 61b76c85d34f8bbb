"""`forensics evaluate`: a scanner's verdicts against a table of labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    results: Annotated[Path, typer.Argument(help="Result set of `forensics scan`.", metavar="RESULTS")],
    labels: Annotated[Path, typer.Option(help="CSV with one labelled build a row.")],
    label_id: Annotated[
        str, typer.Option(help="How its columns make a build's id: '{task}/{condition}/runs/{run_id}'.")
    ],
    scanner: Annotated[str, typer.Option(help="Scanner whose statuses are judged.")],
    column: Annotated[str, typer.Option(help="Column of the labels that it is judged by.")],
    mapping: Annotated[
        str | None, typer.Option(help="TOML file that renames labels and statuses, or `study` for the study's own.")
    ] = None,
    resolutions: Annotated[Path | None, typer.Option(help="CSV of labels that were decided by hand.")] = None,
    limit: Annotated[int, typer.Option(help="Disagreements to print; 0 for all.", min=0)] = 20,
    csv: Annotated[Path | None, typer.Option(help="Also write every table into this directory.")] = None,
) -> None:
    """Confusion table, precision and recall of each class, kappa, and every disagreement with our reason."""
    from forensics import results as stored
    from forensics.cli.frames import number, percent, say, show, write_csv
    from forensics.statistics.evaluation import evaluate as compare
    from forensics.statistics.evaluation import read_naming
    from forensics.statistics.runs import read_table

    naming = read_naming(mapping, scanner)
    tables = stored.tables(results)
    decided = None if resolutions is None else read_table(resolutions)
    outcome = compare(
        tables["verdicts"], tables["findings"], read_table(labels), label_id, scanner, column, naming, decided
    )
    two = {"agreement": percent} | {name: number(3) for name in ("kappa", "kappa_low", "kappa_high")}
    show(outcome.summary.drop(columns="reason"), f"{scanner} against {column}", two)
    show(outcome.confusion.rename_axis(columns=None).reset_index(names="label \\ status"), "Confusion")
    if mapping is not None:
        given = outcome.given.rename_axis(columns=None).reset_index(names="label \\ status")
        show(given, "Confusion, names as given")
    measures = [f"{name}{end}" for name in ("precision", "recall") for end in ("", "_low", "_high")]
    show(outcome.classes, "Classes", dict.fromkeys(measures, number(3)))
    for reason in outcome.summary["reason"]:
        if reason:
            say(reason)
    shown = outcome.disagreements if limit == 0 else outcome.disagreements.head(limit)
    columns = ["build", "label_given", "status_given", "reason"]
    total = len(outcome.disagreements)
    heading = f"Disagreements: {total}" + (f", the first {limit} shown" if len(shown) < total else "")
    show(shown[columns], heading)
    if csv is not None:
        frames = {
            "given": outcome.given.reset_index(),
            "summary": outcome.summary,
            "confusion": outcome.confusion.reset_index(),
            "classes": outcome.classes,
            "builds": outcome.builds,
            "disagreements": outcome.disagreements,
        }
        for path in write_csv(frames, csv):
            typer.echo(f"wrote {path}", err=True)
