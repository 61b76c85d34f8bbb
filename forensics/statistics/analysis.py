"""What `forensics signatures` computes, in one call: associations, verdicts, clusters, profiles, defect rates."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from msgspec import Struct

from forensics.records import InputError
from forensics.statistics.profiles import defect_rates, distinctive, profile
from forensics.statistics.redundancy import clusters
from forensics.statistics.signatures import associations, label_statements, verdicts
from forensics.statistics.tables import BuildTable, require_features, require_labels

USUAL_LABELS = ("model", "condition")
USUAL_TASK = "task"


class Analysis(Struct, frozen=True, kw_only=True):
    """The signatures of an archive. Every frame's columns are described where it is made.

    `by`, `within`: the labels as used; `statements`: what to know before reading; `associations`
    (`signatures.associations`); `verdicts` (`signatures.verdicts`, with `cluster`, `size`, `representative`, `alike` of
    `redundancy.clusters`); `profile`, `distinctive`, `defects` (`profiles`), of the first label of `by`.
    """

    source: str
    builds: int
    by: tuple[str, ...]
    within: tuple[str, ...]
    seed: int
    statements: tuple[str, ...]
    associations: pd.DataFrame
    verdicts: pd.DataFrame
    profile: pd.DataFrame
    distinctive: pd.DataFrame
    defects: pd.DataFrame


def analyse(
    table: BuildTable,
    by: Sequence[str] = (),
    within: Sequence[str] | None = None,
    features: Sequence[str] = (),
    draws: int | None = None,
    seed: int = 0,
) -> Analysis:
    """The signatures of a build table.

    `by`: model and condition, as far as the table has them, where none is given. `within`: the task where there is one
    (None); an empty sequence holds nothing. Raises InputError for labels and features that aren't there.
    """
    labels = comparison_labels(table, by)
    held = held_labels(table, labels, within)
    require_labels(table, (*labels, *held))
    categorical, numeric = require_features(table, features)
    found = associations(table, labels, held, features=features, draws=draws, seed=seed)
    return Analysis(
        source=table.source,
        builds=len(table.frame),
        by=labels,
        within=held,
        seed=seed,
        statements=tuple(label_statements(table, labels, held)),
        associations=found,
        verdicts=verdicts(found).merge(clusters(table.frame, [*categorical, *numeric]), on="feature", how="left"),
        profile=profile(table, labels[0], features),
        distinctive=distinctive(table, labels[0], [*held, *labels[1:]], features),
        defects=defect_rates(table, labels[0]),
    )


def comparison_labels(table: BuildTable, by: Sequence[str] = ()) -> tuple[str, ...]:
    """The labels to compare by: those given, else model and condition as far as they are there."""
    chosen = tuple(dict.fromkeys(by)) or tuple(label for label in USUAL_LABELS if label in table.labels)
    if not chosen:
        offered = ", ".join(table.labels) or "none"
        raise InputError(
            f"{table.source}: no label 'model' or 'condition'; name one with --by; labels there: {offered}"
        )
    return chosen


def held_labels(table: BuildTable, by: Sequence[str], within: Sequence[str] | None = None) -> tuple[str, ...]:
    """The labels to hold: those given, else the task where there is one."""
    if within is None:
        within = [USUAL_TASK] if USUAL_TASK in table.labels and table.frame[USUAL_TASK].notna().any() else []
    return tuple(label for label in dict.fromkeys(within) if label not in by)
