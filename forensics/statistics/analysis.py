"""What `forensics signatures` computes, in one call: associations, verdicts, clusters, profiles, defect rates."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import pandas as pd
from msgspec import Struct

from forensics.records import InputError
from forensics.statistics.association import cells
from forensics.statistics.profiles import defect_rates, distinctive, profile
from forensics.statistics.redundancy import clusters
from forensics.statistics.signatures import associations, label_statements, verdicts
from forensics.statistics.stratified import by_stratum, leave_one_out
from forensics.statistics.tables import BuildTable, require_features, require_labels

USUAL_LABELS = ("model", "condition")
USUAL_TASK = "task"


class Analysis(Struct, frozen=True, kw_only=True):
    """The signatures of an archive. Every frame's columns are described where it is made.

    `by`, `within`: the labels as used; `statements`: what to know before reading; `associations`
    (`signatures.associations`); `verdicts` (`signatures.verdicts`, with `cluster`, `size`, `representative`, `alike` of
    `redundancy.clusters`); `contingency` (`association.cells` of every categorical feature and label of `by`);
    `by_task`, one row a feature, label of `by` and task: `feature`, `label`, then the columns of
    `stratified.by_stratum` and `without` (the corrected effect of all builds but that task's); `profile`,
    `distinctive`, `defects` (`profiles`), of the first label of `by`. `digest`: of the input; `versions`: of the
    libraries that computed it.
    """

    source: str
    builds: int
    by: tuple[str, ...]
    within: tuple[str, ...]
    seed: int
    statements: tuple[str, ...]
    digest: str
    versions: str
    associations: pd.DataFrame
    verdicts: pd.DataFrame
    contingency: pd.DataFrame
    by_task: pd.DataFrame
    profile: pd.DataFrame
    distinctive: pd.DataFrame
    defects: pd.DataFrame


def analyse(
    table: BuildTable,
    by: Sequence[str] = (),
    within: Sequence[str] | None = None,
    features: Sequence[str] = (),
    beside: Sequence[str] = (),
    draws: int | None = None,
    seed: int = 0,
) -> Analysis:
    """The signatures of a build table.

    `by`: model and condition, as far as the table has them, where none is given. `within`: the task where there is one
    (None); an empty sequence holds nothing. `beside`: further labels whose association is shown for comparison. Raises
    InputError for labels and features that aren't there.
    """
    labels = comparison_labels(table, by)
    held = held_labels(table, labels, within)
    require_labels(table, (*labels, *held))
    categorical, numeric = require_features(table, features)
    found = associations(table, labels, held, features=features, beside=beside, draws=draws, seed=seed)
    tested = found[(found["role"] == "by") & found["effect"].notna()]
    pairs = list(zip(tested["feature"], tested["label"], strict=True))
    return Analysis(
        source=table.source,
        builds=len(table.frame),
        by=labels,
        within=held,
        seed=seed,
        statements=tuple(label_statements(table, labels, held)),
        digest=table.digest,
        versions=", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "pandas", "networkx")),
        associations=found,
        verdicts=verdicts(found).merge(clusters(table.frame, [*categorical, *numeric]), on="feature", how="left"),
        contingency=_stacked(
            [cells(table.frame, name, label) for name, label in pairs if name in categorical],
            ["feature", "label", "category", "level", "count", "expected", "residual"],
        ),
        by_task=_stacked(
            [_by_task(table, name, label, held) for name, label in pairs if held],
            ["feature", "label", "stratum", "builds", "effect", "corrected", "note", "without"],
        ),
        profile=profile(table, labels[0], features),
        distinctive=distinctive(table, labels[0], [*held, *labels[1:]], features),
        defects=defect_rates(table, labels[0]),
    )


def _by_task(table: BuildTable, feature: str, label: str, held: Sequence[str]) -> pd.DataFrame:
    found = by_stratum(table.frame, feature, label, held)
    found["without"] = leave_one_out(table.frame, feature, label, held)["corrected"]
    found.insert(0, "feature", feature)
    found.insert(1, "label", label)
    return found


def _stacked(frames: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    full = [frame for frame in frames if len(frame)]
    return pd.concat(full, ignore_index=True) if full else pd.DataFrame(columns=columns)


def comparison_labels(table: BuildTable, by: Sequence[str] = ()) -> tuple[str, ...]:
    """The labels to compare by: those given, else model and condition as far as they are there and have a value."""
    usual = (label for label in USUAL_LABELS if label in table.labels and table.frame[label].notna().any())
    chosen = tuple(dict.fromkeys(by)) or tuple(usual)
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
