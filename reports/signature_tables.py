"""Signatures as tables to read: what the terminal prints and the HTML page shows, from one place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pandas as pd
from msgspec import Struct, field

from forensics.statistics.analysis import Analysis
from forensics.statistics.distance import Comparison, linkage, matrix
from forensics.statistics.signatures import ALPHA, MEDIUM
from reports.hostile_text import one_line

Format = Callable[[Any], str]

DASH = "–"
MOST_APART = 6
LEAST_LIFT = 1.5
MOST_RULES = 25
MOST_LEVELS = 20
MOST_TABLES = 80


class Display(Struct, frozen=True, kw_only=True):
    """One table to read: a title, a frame, formats of its columns, and a remark below it."""

    title: str
    frame: pd.DataFrame
    formats: Mapping[str, Format] = field(default_factory=dict)
    note: str = ""


def two(value: float) -> str:
    """Two decimals without the leading 0, as the literature prints V."""
    return f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"


def percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def p_value(value: float) -> str:
    return "<.001" if value < 0.0005 else f"{value:.3f}".replace("0.", ".", 1)


def lift(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.1f}"


def text(display: Display) -> tuple[tuple[str, ...], ...]:
    """The cells of a display as text, missing values as a dash."""
    names = [str(name) for name in display.frame.columns]
    return tuple(
        tuple(_cell(value, display.formats.get(name)) for name, value in zip(names, row, strict=True))
        for row in display.frame.itertuples(index=False, name=None)
    )


def signature_displays(analysis: Analysis, whole: bool = False) -> list[Display]:
    """Every table of an analysis, in reading order; those without rows are left out.

    `whole`: with the contingency table of every feature and label, and every task's association.
    """
    displays = [
        *(verdict_display(analysis, kind) for kind in ("categorical", "numeric")),
        task_display(analysis),
        control_display(analysis),
        distinctive_display(analysis),
        *profile_displays(analysis),
        defect_display(analysis),
        *([by_task_display(analysis), *contingency_displays(analysis)] if whole else []),
    ]
    return _legible(displays)


def verdict_display(analysis: Analysis, kind: str) -> Display:
    """The association of each feature of a kind with each label, one below the other, and the verdict."""
    rows = analysis.associations[analysis.associations["kind"] == kind]
    words = analysis.verdicts.set_index("feature")
    first = ~rows["feature"].duplicated()
    plain, corrected = ("V", "V~") if kind == "categorical" else ("ε²", "ε²~")
    within = " × ".join(analysis.within)
    columns: dict[str, Any] = {
        "feature": rows["feature"],
        "label": rows["label"],
        "n": rows["n"],
        "missing": rows["missing"],
        plain: rows["effect"],
        corrected: rows["corrected"],
        f"95 % of {plain}": _ranges(rows, "low", "high"),
        f"w in {within}" if within else "w": rows["within_w"],
        "p": rows["p"].where(rows["role"] == "by", rows["p_asymptotic"]),
        "q": rows["q"],
        "verdict": [
            _worded(analysis, words.loc[feature]) if shown else ""
            for feature, shown in zip(rows["feature"], first, strict=True)
        ],
    }
    frame = pd.DataFrame(columns).reset_index(drop=True)
    if not frame["missing"].any():
        frame = frame.drop(columns="missing")
    formats: dict[str, Format] = dict.fromkeys((plain, corrected, f"w in {within}" if within else "w"), two)
    formats |= {"p": p_value, "q": p_value}
    asked = rows[rows["p_method"] != ""].drop_duplicates("label")
    methods = [f"{label} by {method}" for label, method in zip(asked["label"], asked["p_method"], strict=True)]
    families = [family for family in rows["family"].unique() if family]
    inside = f" within {within}" if within else ""
    parts = [
        f"{corrected} is bias-corrected; 95 % interval of {plain} by inversion of the noncentral χ².",
        f"p: {'; '.join(methods)}, seed {analysis.seed}." if methods else "",
        "No permutation p is below 1 / (draws + 1)." if methods else "",
        f"p of {within}: χ² distribution." if within else "",
        f"q: Benjamini-Hochberg over {families[0]}." if families else "",
        f"A feature follows a label where q < {ALPHA} and w ≥ {MEDIUM:.2f}: Cohen's w of the corrected value{inside}.",
    ]
    title = "Signatures" if kind == "categorical" else "Signatures: numeric features (Kruskal-Wallis)"
    return Display(title=title, frame=frame, formats=formats, note=" ".join(part for part in parts if part))


def _worded(analysis: Analysis, row: pd.Series[Any]) -> str:
    """The verdict, that a feature which follows nothing does so weakly, and the feature that shows the same habit."""
    strengths = [row[f"{label} strength"] for label in analysis.by]
    word = str(row["verdict"])
    if word in ("neither", "none") and "weak" in strengths:
        word += " (weak)"
    return word if row["representative"] == row.name else f"{word} (= {row['representative']})"


def task_display(analysis: Analysis) -> Display:
    """Whether each association holds task by task."""
    asked = analysis.associations[analysis.associations["role"] == "by"]
    frame = pd.DataFrame(
        {
            "feature": asked["feature"],
            "label": asked["label"],
            "mean": asked["averaged"],
            "range": _ranges(asked, "lowest", "highest"),
            "I²": asked["heterogeneity"],
            "p of I²": asked["heterogeneity_p"],
            "one left out": _ranges(asked, "without_task_low", "without_task_high"),
            "95 % over them": _ranges(asked, "task_low", "task_high"),
        }
    ).reset_index(drop=True)
    within = " × ".join(analysis.within)
    note = (
        f"V~ (√ε²~ for numbers) in each {within}: mean weighted by builds, range, heterogeneity; then over all builds"
        f" with one {within} left out, and over resamples of whole {within}s."
    )
    formats: dict[str, Format] = {"mean": two, "I²": two, "p of I²": p_value}
    return Display(title=f"Over {within}s", frame=frame if within else frame[:0], formats=formats, note=note)


def control_display(analysis: Analysis) -> Display:
    """What sparse cells, other corrections and the null control say."""
    asked = analysis.associations[analysis.associations["role"] == "by"]
    frame = pd.DataFrame(
        {
            "feature": asked["feature"],
            "label": asked["label"],
            "cells < 5": asked["cells_below_5"],
            "smallest": asked["min_expected"],
            "p χ²": asked["p_asymptotic"],
            "p": asked["p"],
            "Holm": asked["holm"],
            "q": asked["q"],
            "null V~": asked["null_corrected"],
            "null p": asked["null_p"],
        }
    ).reset_index(drop=True)
    formats: dict[str, Format] = {"cells < 5": percent, "smallest": lambda value: f"{value:.1f}", "null V~": two}
    formats |= dict.fromkeys(("p χ²", "p", "Holm", "q", "null p"), p_value)
    note = (
        "Cells with an expected count below 5, and the smallest. Null: the label shuffled once, measured and tested"
        " alike (ε²~ for numbers)."
    )
    return Display(title="Controls", frame=frame, formats=formats, note=note)


def by_task_display(analysis: Analysis) -> Display:
    """The bias-corrected association in each task, tasks across, and over all others."""
    found = analysis.by_task.copy()
    found["cell"] = [
        f"{DASH if math.isnan(inside) else two(inside)} ({DASH if math.isnan(without) else two(without)})"
        for inside, without in zip(found["corrected"], found["without"], strict=True)
    ]
    if found.empty:
        return Display(title="", frame=found)
    order = found[["feature", "label"]].drop_duplicates()
    wide = found.pivot(index=["feature", "label"], columns="stratum", values="cell")
    wide = wide.loc[list(order.itertuples(index=False, name=None))].rename_axis(columns=None).reset_index()
    note = (
        "V~ (√ε²~ for numbers) in the task alone; in brackets, over all builds but the task's. – where nothing varies."
    )
    return Display(title=f"In each {' × '.join(analysis.within)}", frame=wide, note=note)


def contingency_displays(analysis: Analysis) -> list[Display]:
    """Each feature's counts by each label, with adjusted residuals: the first `MOST_TABLES` of up to `MOST_LEVELS`."""
    displays: list[Display] = []
    for (feature, label), part in analysis.contingency.groupby(["feature", "label"], sort=False):
        if part["level"].nunique() > MOST_LEVELS or len(displays) == MOST_TABLES:
            continue
        part = part.assign(
            cell=[f"{count} ({residual:+.1f})" for count, residual in zip(part["count"], part["residual"], strict=True)]
        )
        order = list(dict.fromkeys(part["category"]))
        wide = part.pivot(index="category", columns="level", values="cell").loc[order]
        wide["all"] = part.groupby("category")["count"].sum()
        wide = wide.rename_axis(columns=None).reset_index().astype(object)
        totals = part.groupby("level")["count"].sum()
        last = {"category": "all", "all": totals.sum(), **totals.to_dict()}
        wide.loc[len(wide)] = [str(last[name]) for name in wide.columns]
        note = (
            "Builds, and in brackets the adjusted standardised residual (beyond ±2: more or fewer than independence)."
        )
        displays.append(Display(title=f"{feature} by {label}", frame=wide, note=note))
    return displays


def distinctive_display(analysis: Analysis) -> Display:
    """The choices that set each group most apart, at most `MOST_APART` a group."""
    found = analysis.distinctive
    apart = found[(found["q"] < ALPHA) & (found["lift"] >= LEAST_LIFT)].groupby("group", sort=True).head(MOST_APART)
    frame = pd.DataFrame(
        {
            analysis.by[0]: apart["group"],
            "feature": apart["feature"],
            "choice": apart["category"],
            "builds": [f"{count} of {n}" for count, n in zip(apart["count"], apart["n"], strict=True)],
            "share": apart["share"],
            "95 %": _ranges(apart, "low", "high", percent),
            "elsewhere": apart["rest_share"],
            "lift": apart["lift"],
            "residual": apart["residual"],
            "q": apart["q"],
        }
    ).reset_index(drop=True)
    strata = " × ".join([*analysis.within, *analysis.by[1:]])
    note = (
        f"At most {MOST_APART} a group, lift ≥ {LEAST_LIFT}, q < {ALPHA} over {len(found):,} cells;"
        f" Cochran-Mantel-Haenszel test{' within ' + strata if strata else ''}."
    )
    formats: dict[str, Format] = {"share": percent, "elsewhere": percent, "lift": lift, "q": p_value}
    formats["residual"] = lambda value: f"{value:+.1f}"
    return Display(title=f"What sets each {analysis.by[0]} apart", frame=frame, formats=formats, note=note)


def profile_displays(analysis: Analysis) -> list[Display]:
    """Most common choices and medians, groups across."""
    found = analysis.profile
    common = found.dropna(subset=["category"]).copy()
    medians = found.dropna(subset=["median"]).copy()
    common["cell"] = [
        f"{category} {percent(share)} ({100 * low:.0f}–{100 * high:.0f})"
        for category, share, low, high in zip(
            common["category"], common["share"], common["low"], common["high"], strict=True
        )
    ]
    medians["cell"] = [
        f"{middle:g} ({low:g}–{high:g})"
        for middle, low, high in zip(
            medians["median"], medians["lower_quartile"], medians["upper_quartile"], strict=True
        )
    ]
    title = f"Most common choices by {analysis.by[0]}"
    return [
        Display(
            title=title,
            frame=_across(common),
            note="Shares of the builds for which the feature is known, with Wilson 95 % intervals.",
        ),
        Display(title=f"Medians (quartiles) by {analysis.by[0]}", frame=_across(medians)),
    ]


def defect_display(analysis: Analysis) -> Display:
    """Defect rates, groups across, the most frequent rules."""
    found = analysis.defects.copy()
    total = found.groupby("rule")["affected"].sum().sort_values(ascending=False, kind="stable")
    shown = list(total.index[:MOST_RULES])
    found["cell"] = [
        DASH if not builds else f"{affected}/{builds} {percent(share)} ({percent(low)}–{percent(high)})"
        for affected, builds, share, low, high in zip(
            found["affected"], found["builds"], found["share"], found["low"], found["high"], strict=True
        )
    ]
    found = found[found["rule"].isin(shown)].rename(columns={"rule": "feature"})
    wide = _across(found).rename(columns={"feature": "rule"})
    if len(wide):
        wide = wide.set_index("rule").loc[shown].reset_index()
    rest = len(total) - len(shown)
    note = "Builds with at least one finding of the rule, of the builds its scanner could judge; Wilson 95 %."
    if rest > 0:
        note += f" {rest} rarer rules are left out here."
    return Display(title=f"Defect rates by {analysis.by[0]}", frame=wide, note=note)


def comparison_displays(comparison: Comparison, by: str, sets: bool) -> list[Display]:
    """The tables of a comparison: distances, matrix and tree (of groups), and what separates each pair."""
    pairs = comparison.pairs
    distances: dict[str, Format] = {"distance": two, "by chance": two, "p": p_value, "q": p_value}
    table = pairs.rename(columns={"expected": "by chance", "builds_first": "builds", "builds_second": "and"})
    note = "Jensen-Shannon distance, features weighted by signal; “by chance”: its mean under shuffled labels."
    displays = [
        Display(
            title=f"Change of each {by} between the two sets" if sets else f"Distances between {by}s",
            frame=table if table["note"].any() else table.drop(columns="note"),
            formats=distances,
            note=note,
        )
    ]
    if not sets:
        square = matrix(pairs)
        wide = square.rename_axis(by).reset_index()
        displays.append(Display(title="Distance matrix", frame=wide, formats=dict.fromkeys(square.columns, two)))
        tree = linkage(square)
        drawn = {name for side in ("first", "second") for members in tree[side] for name in members.split(" + ")}
        lone = [str(name) for name in square.index if str(name) not in drawn]
        note = f"Without {', '.join(lone)}: no distance to some of the others." if lone else ""
        title = "Dendrogram (average linkage)"
        displays.append(Display(title=title, frame=tree, formats={"height": two}, note=note))
    keys = ["group"] if sets else ["first", "second"]
    top = comparison.separating.groupby(keys, sort=False).head(3)
    if sets:
        top = comparison.separating[comparison.separating["q"] < ALPHA]
    shown = top[[*keys, "feature", "contribution", "category", "share_first", "share_second", "q"]].rename(
        columns={"share_first": "share, first", "share_second": "share, second", "category": "choice"}
    )
    formats = dict.fromkeys(("contribution", "share, first", "share, second"), percent) | {"q": p_value}
    title = "Features that changed (q < .05)" if sets else "What separates each pair (three largest contributions)"
    displays.append(Display(title=title, frame=shown.reset_index(drop=True), formats=formats))
    return _legible(displays)


def _legible(displays: Sequence[Display]) -> list[Display]:
    """The displays that have rows, every name in them safe to look at: it comes from an archive or a stranger's CSV."""
    shown = []
    for display in displays:
        if len(display.frame):
            frame = display.frame.map(lambda value: one_line(value) if isinstance(value, str) else value)
            frame.columns = [one_line(str(name)) for name in frame.columns]
            shown.append(msgspec.structs.replace(display, frame=frame, title=one_line(display.title)))
    return shown


def _across(frame: pd.DataFrame) -> pd.DataFrame:
    """`feature` down, `group` across, `cell` inside, features in their order."""
    if frame.empty:
        return pd.DataFrame(columns=["feature"])
    order = list(dict.fromkeys(frame["feature"]))
    wide = frame.pivot(index="feature", columns="group", values="cell").loc[order]
    return wide.rename_axis(columns=None).reset_index()


def _ranges(frame: pd.DataFrame, low: str, high: str, form: Format = two) -> list[str]:
    return [DASH if pd.isna(a) else f"{form(a)}–{form(b)}" for a, b in zip(frame[low], frame[high], strict=True)]


def _cell(value: Any, form: Format | None) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return DASH
    if form is not None:
        return form(value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)
