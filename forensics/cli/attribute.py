"""`forensics attribute`: which model wrote each build, judged against a reference of builds by known models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import pandas as pd

    from forensics.statistics.attribution import Reference, ReferenceEvaluation


def attribute(
    reference: Annotated[Path, typer.Option(help="Builds by known models: a result set or a CSV.", metavar="RESULTS")],
    results: Annotated[
        Path | None,
        typer.Argument(help="Builds to attribute; without it the reference is judged only.", metavar="RESULTS2"),
    ] = None,
    label: Annotated[str, typer.Option(help="Label that is told.")] = "model",
    hold_out: Annotated[str, typer.Option(help="Label whose values are held out whole.")] = "task",
    features: Annotated[str, typer.Option(help="Features, by comma; default: all.", metavar="A,B")] = "",
    mixed: Annotated[
        bool,
        typer.Option(
            "--mixed",
            help="Numbers also relative to their task's median: right only where each task has builds of many models.",
        ),
    ] = False,
    limit: Annotated[int, typer.Option(help="Answers to print; 0 for all.", min=0)] = 50,
    csv: Annotated[Path | None, typer.Option(help="Also write every table into this directory.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of classifiers, intervals and permutations.", min=0)] = 0,
) -> None:
    """Attribution with calibrated probabilities, "unlike all", the deciding features, and how far to trust it."""
    from forensics.cli.frames import number, say, show, write_csv
    from forensics.statistics.attribution import attribute as answers_of
    from forensics.statistics.attribution import evaluate_reference, reference_of
    from forensics.statistics.tables import read_builds

    names = [name.strip() for name in features.split(",") if name.strip()]
    known = reference_of(read_builds(reference, labels=[label, hold_out]), label, hold_out, names, mixed)
    evaluation, held_out = evaluate_reference(known, seed)
    _show_evaluation(known, evaluation)
    frames = {
        "summary": evaluation.summary,
        "confusion": evaluation.confusion.reset_index(),
        "tasks": evaluation.tasks,
        "calibration": evaluation.bins,
        "strangers": evaluation.strangers,
        "held-out": evaluation.builds,
    }
    if results is not None:
        answers = answers_of(known, read_builds(results, labels=[label, hold_out]), held_out, seed)
        frames["answers"] = answers
        shown = answers if limit == 0 else answers.head(limit)
        columns = ["build", "answer", "probability", "second", "second_probability", "typical", "because"]
        heading = f"Attribution of {len(answers):,} builds" + (
            f", the first {limit} shown" if len(shown) < len(answers) else ""
        )
        show(shown[columns], heading, dict.fromkeys(("probability", "second_probability", "typical"), number(2)))
        for build, reason in zip(shown["build"], shown["reason"], strict=True):
            if reason:
                say(f"{build} is unlike all: {reason}")
        counts = answers["answer"].value_counts().rename_axis("answer").reset_index(name="builds")
        show(counts, "Answers")
    if csv is not None:
        for path in write_csv(frames, csv):
            typer.echo(f"wrote {path}", err=True)


def _show_evaluation(reference: Reference, evaluation: ReferenceEvaluation) -> None:
    from forensics.cli.frames import number, p_value, percent, say, show

    row: pd.Series = evaluation.summary.iloc[0]
    say(
        f"{row['builds']:,.0f} reference builds, {row['classes']:.0f} values of {reference.label}, "
        f"{row['parts']:.0f} parts by {reference.hold_out}, {len(reference.categorical)} categorical and "
        f"{len(reference.numeric)} numeric features"
    )
    for name, reason in reference.left_out.items():
        say(f"{name} is left out: {reason}")
    tasks = f"{reference.hold_out}s"
    say(
        f"Balanced accuracy on held-out {tasks}: {row['balanced_accuracy']:.3f} (95 % interval {row['low']:.3f} to "
        f"{row['high']:.3f} over builds, {row['task_low']:.3f} to {row['task_high']:.3f} over whole {tasks})"
    )
    say(
        f"Chance {row['chance']:.3f}, commonest class {row['majority']:.3f}, labels shuffled within "
        f"{tasks} {row['shuffled']:.3f}, p {p_value(float(row['p']))}"
    )
    say(
        f"Expected calibration error {row['calibration_error']:.3f}, log loss {row['log_loss']:.3f}, "
        f"Brier score {row['brier']:.3f}; {percent(float(row['turned_away']))} of known builds called unlike all"
    )
    say()
    confusion = evaluation.confusion.rename_axis(columns=None).reset_index(names="truth \\ named")
    show(confusion, "Confusion on held-out builds")
    show(evaluation.tasks, f"By held-out {reference.hold_out}", {"accuracy": percent, "stated": percent})
    shares = dict.fromkeys(("stated", "right"), percent) | dict.fromkeys(("low", "high"), number(1))
    show(evaluation.bins, "Calibration: stated probability against share right", shares)
    formats = {"unlike": percent, "turned_away": percent, "area": number(2)}
    show(evaluation.strangers, f"A {reference.label} that the reference lacks: how often it is told", formats)
