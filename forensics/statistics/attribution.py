"""Which model wrote a build: named, with a calibrated probability, or "unlike all", with the features that decided.

The reference is a table of builds by known models. Every figure on how well this works comes from holding whole tasks
out: a build is judged by a classifier that has seen no build of its task, and probabilities are calibrated on
predictions of classifiers that had seen neither their task nor the held-out one. `evaluate_reference` gives the
figures, `attribute` the answers. Everything is a function of the tables and the seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from forensics.records import InputError
from forensics.statistics import calibration as calibrating
from forensics.statistics import typicality
from forensics.statistics.calibration import Calibration, Codes, Probabilities
from forensics.statistics.classifiers import TREES, Classifier, Folds, HeldOut, held_out_scores
from forensics.statistics.encoding import Encoding, Matrix, encode, encoding_of
from forensics.statistics.tables import BuildTable, require_features, require_labels

UNLIKE = "unlike all"

MOST_FOLDS = 7
"""Most parts that the tasks are dealt into; with more tasks a part holds several whole ones."""

FEWEST_BUILDS = 5
"""Fewest builds of a class in the reference."""

NOVELTY = 0.05
"""A build is unlike all where fewer reference builds than this share are as far from their nearest as it is."""

STANDS_OUT = 1.5
"""No class stands out where the best probability is below this multiple of chance."""

RESAMPLES = 2_000
PERMUTATIONS = 9_999
SHUFFLES = 3
SHUFFLED_TREES = 50
DECIDING = 3
MOST_TESTED_FEATURES = 30
BACKGROUND = 6


class Reference(Struct, frozen=True, kw_only=True):
    """What attribution learns from.

    `frame` holds the builds that serve, `codes` their class as an index of `classes`, `folds` the part that their task
    was dealt into (`fold_names` names the tasks of each). `left_out` says which builds or classes don't serve and why.
    """

    source: str
    label: str
    hold_out: str
    frame: pd.DataFrame
    classes: tuple[str, ...]
    codes: Codes
    folds: Folds
    fold_names: tuple[str, ...]
    categorical: tuple[str, ...]
    numeric: tuple[str, ...]
    encoding: Encoding
    matrix: Matrix
    left_out: dict[str, str]


class ReferenceEvaluation(Struct, frozen=True, kw_only=True):
    """How well builds of a task that was held out are attributed.

    - `summary`: one row: `builds`, `classes`, `parts`; `balanced_accuracy` with 95 % intervals by bootstrap of builds
      (`low`, `high`) and of whole tasks (`task_low`, `task_high`); `accuracy`, `majority` (share of the commonest
      class), `chance` (1 / classes); `calibration_error` (expected, ten bins), `log_loss`, `brier`; `shuffled`
      (balanced accuracy where the labels were shuffled within tasks and all was done again), `p` (of this accuracy
      under permutation of labels within tasks); `turned_away` (share of known models' builds called unlike all).
    - `confusion`: counts, rows the true class, columns the named one (before "unlike all").
    - `tasks`: one row a part: `part`, `builds`, `accuracy`, `stated` (mean top probability).
    - `bins`: reliability, see `calibration.calibration_bins`.
    - `strangers`: one row a class left out of the reference as if unknown: `class`, `builds`, `unlike` (share of its
      builds called unlike all), `turned_away` (share of the others'), `area` (chance that one of its builds is farther
      from the reference than one of the others').
    - `builds`: one row a reference build: `build`, `truth`, `named`, `probability`, `right`.
    """

    summary: pd.DataFrame
    confusion: pd.DataFrame
    tasks: pd.DataFrame
    bins: pd.DataFrame
    strangers: pd.DataFrame
    builds: pd.DataFrame


def reference_of(
    table: BuildTable,
    label: str = "model",
    hold_out: str = "task",
    features: Sequence[str] = (),
    mixed: bool = False,
) -> Reference:
    """The reference that a build table gives.

    With `mixed`, numeric features are also given relative to the median of the builds of the same task. That uses which
    other builds stand in the batch, and is right only where the builds of each task come from many models.
    Raises InputError where a label is missing, or fewer than two classes occur in two tasks or more.
    """
    require_labels(table, (label, hold_out))
    categorical, numeric = require_features(table, features)
    if not categorical and not numeric:
        raise InputError(f"{table.source}: no feature to attribute by")
    left_out: dict[str, str] = {}
    labelled = table.frame[label].notna() & table.frame[hold_out].notna()
    if (~labelled).any():
        left_out[f"{int((~labelled).sum())} builds"] = f"no {label} or no {hold_out}"
    frame = table.frame[labelled].reset_index(drop=True)
    for name, part in frame.groupby(label, sort=True):
        tasks = part[hold_out].nunique()
        if len(part) < FEWEST_BUILDS:
            left_out[str(name)] = f"{len(part)} builds; attribution needs {FEWEST_BUILDS}"
        elif tasks < 2:
            only = part[hold_out].iloc[0]
            left_out[str(name)] = f"not identifiable: it occurs in one {hold_out} only ({only})"
    frame = frame[~frame[label].isin(left_out)].reset_index(drop=True)
    classes = tuple(sorted(frame[label].unique()))
    if len(classes) < 2:
        why = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise InputError(
            f"{table.source}: {len(classes)} {label} to tell apart, attribution needs two or more"
            + (f" ({why})" if why else "")
        )
    folds, fold_names = _deal(frame[hold_out])
    encoding = encoding_of(frame, categorical, numeric, hold_out if mixed else "")
    return Reference(
        source=table.source,
        label=label,
        hold_out=hold_out,
        frame=frame,
        classes=classes,
        codes=pd.Categorical(frame[label], categories=list(classes)).codes.astype(np.intp),
        folds=folds,
        fold_names=fold_names,
        categorical=tuple(categorical),
        numeric=tuple(numeric),
        encoding=encoding,
        matrix=encode(encoding, frame),
        left_out=left_out,
    )


def evaluate_reference(reference: Reference, seed: int = 0, trees: int = TREES) -> tuple[ReferenceEvaluation, HeldOut]:
    """The figures on held-out tasks, and the held-out scores (which `attribute` calibrates by)."""
    held_out = held_out_scores(reference.matrix, reference.codes, reference.folds, len(reference.classes), seed, trees)
    probabilities = cross_calibrated(reference, held_out)
    named, truth = probabilities.argmax(axis=1), reference.codes
    classes = reference.classes
    builds = pd.DataFrame(
        {
            "build": reference.frame["build"],
            "truth": [classes[code] for code in truth],
            "named": [classes[code] for code in named],
            "probability": probabilities.max(axis=1),
            "right": named == truth,
        }
    )
    counts = pd.crosstab(builds["truth"], builds["named"]).reindex(index=classes, columns=classes, fill_value=0)
    strangers, turned_away = _strangers(reference, probabilities, seed)
    tasks = pd.DataFrame(
        [
            {
                "part": name,
                "builds": int((reference.folds == fold).sum()),
                "accuracy": float((named == truth)[reference.folds == fold].mean()),
                "stated": float(probabilities.max(axis=1)[reference.folds == fold].mean()),
            }
            for fold, name in enumerate(reference.fold_names)
        ]
    )
    return (
        ReferenceEvaluation(
            summary=_summary(reference, probabilities, turned_away, seed),
            confusion=counts.rename_axis(index="truth", columns="named"),
            tasks=tasks,
            bins=calibrating.calibration_bins(probabilities, truth),
            strangers=strangers,
            builds=builds,
        ),
        held_out,
    )


def attribute(
    reference: Reference, questioned: BuildTable, held_out: HeldOut | None = None, seed: int = 0, trees: int = TREES
) -> pd.DataFrame:
    """Which class each questioned build belongs to, one row a build, in the order of the table.

    Columns: `build`; `answer` (a class or "unlike all"), `nearest` (the likeliest class whatever the answer) and its
    `probability`, `second` and `second_probability`; `typical` (the share of reference builds at least as far from
    their nearest); `because` (the features that decided, with how much each raised the log-probability of `nearest`);
    `reason` (for "unlike all"); then one column `p <class>` a class.
    Raises InputError where the questioned builds have none of the reference's features.
    """
    known = [name for name in (*reference.categorical, *reference.numeric) if name in questioned.features]
    if not known:
        raise InputError(f"{questioned.source}: has none of the features of {reference.source}")
    frame = questioned.frame
    if reference.encoding.relative_to and reference.encoding.relative_to not in frame.columns:
        raise InputError(f"{questioned.source}: no label '{reference.encoding.relative_to}', which mixed batches need")
    if held_out is None:
        held_out = held_out_scores(
            reference.matrix, reference.codes, reference.folds, len(reference.classes), seed, trees, inner=False
        )
    fitted = calibrating.fit_transferable(held_out.outer, reference.codes, reference.folds)
    questions = encode(reference.encoding, frame)
    raw, because = _decided(reference, questions, fitted, seed, trees)
    probabilities = calibrating.calibrated(raw, fitted)
    usual = typicality.typicality_of(reference.frame, reference.folds, reference.categorical, reference.numeric, seed)
    typical = typicality.p_values(usual, frame)
    order = np.argsort(-probabilities, axis=1, kind="stable")
    rows = []
    for place, build in enumerate(frame["build"]):
        first, second = order[place][:2]
        best = float(probabilities[place, first])
        reason = _unlike(float(typical[place]), best, len(reference.classes))
        row: dict[str, object] = {
            "build": build,
            "answer": UNLIKE if reason else reference.classes[first],
            "nearest": reference.classes[first],
            "probability": best,
            "second": reference.classes[second],
            "second_probability": float(probabilities[place, second]),
            "typical": float(typical[place]),
            "because": because[place],
            "reason": reason,
        }
        rows.append(
            row | {f"p {name}": float(p) for name, p in zip(reference.classes, probabilities[place], strict=True)}
        )
    return pd.DataFrame(rows)


def cross_calibrated(reference: Reference, held_out: HeldOut) -> Probabilities:
    """Probabilities for held-out builds, each part calibrated on scores that know neither the part nor their own task.

    With two parts there are no such scores, and the probabilities are the scores.
    """
    probabilities = held_out.outer.copy()
    for fold, inside in enumerate(held_out.inner):
        here = reference.folds == fold
        fitted = calibrating.fit_transferable(inside[~here], reference.codes[~here], reference.folds[~here])
        probabilities[here] = calibrating.calibrated(held_out.outer[here], fitted)
    return probabilities


def balanced_accuracy(named: Codes, truth: Codes) -> float:
    """Mean over the classes that occur of the share of their builds that are named rightly."""
    present = np.unique(truth)
    return float(np.mean([(named[truth == code] == code).mean() for code in present]))


def _deal(tasks: pd.Series[str]) -> tuple[Folds, tuple[str, ...]]:
    """The part of each build: a task each, or for many tasks the larger first into the smallest part so far."""
    counts = tasks.value_counts()
    ordered = sorted(counts.index, key=lambda name: (-int(counts[name]), str(name)))
    if len(ordered) <= MOST_FOLDS:
        parts = [[name] for name in sorted(ordered)]
    else:
        parts = [[] for _ in range(MOST_FOLDS)]
        for name in ordered:
            min(parts, key=lambda part: sum(int(counts[other]) for other in part)).append(name)
    place = {name: number for number, part in enumerate(parts) for name in part}
    return np.array([place[name] for name in tasks], dtype=np.intp), tuple(", ".join(sorted(part)) for part in parts)


def _unlike(typical: float, best: float, classes: int) -> str:
    if typical < NOVELTY:
        return f"only {100 * typical:.1f}% of the reference's builds are as far from builds of other tasks"
    if best < STANDS_OUT / classes:
        return f"no class stands out: the best has probability {best:.2f}, chance is {1 / classes:.2f}"
    return ""


def _summary(reference: Reference, probabilities: Probabilities, turned_away: float, seed: int) -> pd.DataFrame:
    named, truth = probabilities.argmax(axis=1), reference.codes
    tasks = _task_codes(reference)
    generator = np.random.default_rng(seed)
    observed = balanced_accuracy(named, truth)
    low, high = build_interval(named, truth, generator)
    task_low, task_high = task_interval(named, truth, tasks, generator)
    onehot = np.eye(len(reference.classes))[truth]
    return pd.DataFrame(
        [
            {
                "builds": len(truth),
                "classes": len(reference.classes),
                "parts": len(reference.fold_names),
                "balanced_accuracy": observed,
                "low": low,
                "high": high,
                "task_low": task_low,
                "task_high": task_high,
                "accuracy": float((named == truth).mean()),
                "majority": float(np.bincount(truth).max() / len(truth)),
                "chance": 1 / len(reference.classes),
                "calibration_error": calibrating.expected_calibration_error(probabilities, truth),
                "log_loss": calibrating.log_loss(probabilities, truth),
                "brier": float(((probabilities - onehot) ** 2).sum(axis=1).mean()),
                "shuffled": _shuffled(reference, seed),
                "p": permutation_p(named, truth, tasks, generator),
                "turned_away": turned_away,
            }
        ]
    )


def build_interval(named: Codes, truth: Codes, generator: np.random.Generator) -> tuple[float, float]:
    """95 % percentile interval of the balanced accuracy under resampling of builds within classes."""
    shares = np.zeros((RESAMPLES, 0))
    for code in np.unique(truth):
        right = named[truth == code] == code
        drawn = generator.binomial(len(right), right.mean(), size=RESAMPLES) / len(right)
        shares = np.column_stack([shares, drawn])
    return _ends(shares.mean(axis=1))


def task_interval(named: Codes, truth: Codes, tasks: Codes, generator: np.random.Generator) -> tuple[float, float]:
    """95 % percentile interval of the balanced accuracy under resampling of whole tasks."""
    right = np.zeros((int(tasks.max()) + 1, int(truth.max()) + 1))
    total = np.zeros_like(right)
    np.add.at(total, (tasks, truth), 1)
    np.add.at(right, (tasks, truth), named == truth)
    drawn = generator.integers(0, len(total), size=(RESAMPLES, len(total)))
    hits, counts = right[drawn].sum(axis=1), total[drawn].sum(axis=1)
    shares = np.divide(hits, counts, out=np.full_like(hits, np.nan), where=counts > 0)
    return _ends(np.nanmean(shares, axis=1))


def _task_codes(reference: Reference) -> Codes:
    return pd.Categorical(reference.frame[reference.hold_out]).codes.astype(np.intp)


def _ends(replicates: npt.NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(replicates, [0.025, 0.975])
    return float(low), float(high)


def _shuffle_within_tasks(reference: Reference, generator: np.random.Generator) -> Codes:
    shuffled = reference.codes.copy()
    tasks = _task_codes(reference)
    for task in np.unique(tasks):
        here = np.flatnonzero(tasks == task)
        shuffled[here] = generator.permutation(shuffled[here])
    return shuffled


def _shuffled(reference: Reference, seed: int) -> float:
    """Balanced accuracy where labels mean nothing: shuffled within tasks, then all is done again, with fewer trees.

    It must be near chance; were it above, something of the held-out task would leak into training.
    """
    generator = np.random.default_rng([seed, 1])
    found = []
    for _ in range(SHUFFLES):
        codes = _shuffle_within_tasks(reference, generator)
        guessed = held_out_scores(
            reference.matrix, codes, reference.folds, len(reference.classes), seed, SHUFFLED_TREES, inner=False
        )
        found.append(balanced_accuracy(guessed.outer.argmax(axis=1), codes))
    return float(np.mean(found))


def permutation_p(
    named: Codes, truth: Codes, tasks: Codes, generator: np.random.Generator, draws: int = PERMUTATIONS
) -> float:
    """Share of permutations of the true labels within tasks that agree with the named ones as well (balanced)."""
    weights = 1 / np.maximum(np.bincount(truth, minlength=int(named.max()) + 1), 1)
    observed = weights[named[named == truth]].sum()
    totals = np.zeros(draws)
    for task in np.unique(tasks):
        here = tasks == task
        dealt = generator.permuted(np.broadcast_to(truth[here], (draws, int(here.sum()))), axis=1)
        totals += np.where(dealt == named[here], weights[named[here]], 0.0).sum(axis=1)
    return (int((totals >= observed - 1e-9).sum()) + 1) / (draws + 1)


def _strangers(reference: Reference, probabilities: Probabilities, seed: int) -> tuple[pd.DataFrame, float]:
    """What is said of a class that the reference doesn't hold, each class in turn; and the share of known builds that
    are turned away."""
    chosen = typicality.sampled(len(reference.frame), seed)
    frame, codes, folds = reference.frame.iloc[chosen], reference.codes[chosen], reference.folds[chosen]
    scale = typicality.scale_of(frame, reference.categorical, reference.numeric)
    points = typicality.points_of(scale, frame)
    matrix = typicality.distances(points, points)
    apart = folds[:, None] != folds[None, :]
    rows = []
    for code, name in enumerate(reference.classes):
        known = codes != code
        far = typicality.nearest(matrix, apart & known[None, :])
        usual = np.sort(far[known])
        p = typicality.p_of_distances(usual, far)
        ranks = np.searchsorted(usual, far[~known], "left"), np.searchsorted(usual, far[~known], "right")
        rows.append(
            {
                "class": name,
                "builds": int((~known).sum()),
                "unlike": float((p[~known] < NOVELTY).mean()),
                "turned_away": float((p[known] < NOVELTY).mean()),
                "area": float((ranks[0] + ranks[1]).mean() / 2 / len(usual)),
            }
        )
    far = typicality.nearest(matrix, apart)
    p = typicality.p_of_distances(np.sort(far), far)
    best = probabilities.max(axis=1)[chosen]
    turned = [bool(_unlike(float(a), float(b), len(reference.classes))) for a, b in zip(p, best, strict=True)]
    return pd.DataFrame(rows), float(np.mean(turned))


def _decided(
    reference: Reference, questions: Matrix, fitted: Calibration, seed: int, trees: int
) -> tuple[Probabilities, list[str]]:
    """Raw scores of the questions, and for each the features that decided.

    A feature's part is the fall of the log-probability of the likeliest class when the feature is replaced by that of
    a few reference builds, drawn evenly over the classes. Of many features those that the forest used most are tried.
    """
    owners = np.array(reference.encoding.owners)
    classifier = Classifier(reference.matrix, reference.codes, reference.folds, len(reference.classes), seed, trees)
    background = reference.matrix[_one_of_each(reference, np.random.default_rng([seed, 2]))]
    raw = classifier.scores(questions)
    probabilities = calibrating.calibrated(raw, fitted)
    likeliest = probabilities.argmax(axis=1)
    before = np.log(probabilities.max(axis=1))
    names = _weightiest(owners, classifier.weights())
    parts = np.zeros((len(questions), len(names)))
    for column, name in enumerate(names):
        own = owners == name
        # Only what the replacement changes is asked again, all at once: most builds share a category with others.
        rows, stands_in = np.nonzero(_differs(questions[:, own], background[:, own]))
        replaced = questions[rows]
        replaced[:, own] = background[stands_in][:, own]
        after = calibrating.calibrated(classifier.scores(replaced), fitted)
        falls = before[rows] - np.log(after[np.arange(len(rows)), likeliest[rows]])
        parts[:, column] = np.bincount(rows, weights=falls, minlength=len(questions)) / len(background)
    return raw, [_told(names, row) for row in parts]


def _differs(left: Matrix, right: Matrix) -> npt.NDArray[np.bool_]:
    """Rows of `left` × rows of `right`: whether any column differs; gaps are equal."""
    a, b = left[:, None, :], right[None, :, :]
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return np.asarray(~same.all(axis=2), dtype=np.bool_)


def _weightiest(owners: npt.NDArray[np.str_], weights: npt.NDArray[np.float64]) -> list[str]:
    """The features whose columns were used most, at most `MOST_TESTED_FEATURES`."""
    names = list(dict.fromkeys(owners.tolist()))
    used = {name: float(weights[owners == name].sum()) for name in names}
    ordered = sorted(names, key=lambda name: -used[name])
    return [name for name in ordered if used[name] > 0][:MOST_TESTED_FEATURES]


def _one_of_each(reference: Reference, generator: np.random.Generator) -> npt.NDArray[np.intp]:
    """Positions of reference builds, `BACKGROUND` or more, as many of each class."""
    each = math.ceil(BACKGROUND / len(reference.classes))
    drawn = [
        generator.choice(np.flatnonzero(reference.codes == code), each, replace=False)
        for code in range(len(reference.classes))
    ]
    return np.concatenate(drawn)


def _told(names: Sequence[str], parts: npt.NDArray[np.float64]) -> str:
    best = [place for place in np.argsort(-parts, kind="stable")[:DECIDING] if parts[place] > 0.01]
    return ", ".join(f"{names[place]} (+{parts[place]:.2f})" for place in best)
