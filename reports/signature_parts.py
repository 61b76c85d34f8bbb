"""Signatures and comparisons as parts of an HTML report: tables as text, figures as SVG."""

from __future__ import annotations

import pandas as pd

from forensics.statistics.analysis import Analysis
from forensics.statistics.distance import Comparison, leaf_order, matrix
from forensics.statistics.signatures import ALPHA
from reports.figures import association_figure, fingerprint_figure, rates_figure
from reports.html import Figure, StatisticsPart
from reports.signature_tables import LEAST_LIFT, Display, comparison_displays, signature_displays, text

MOST_CHOICES = 30
MOST_GROUPS = 16
MOST_DEFECTS = 4


def signature_parts(
    analysis: Analysis, comparison: Comparison | None = None, standalone: bool = False
) -> tuple[StatisticsPart, ...]:
    """The parts of an analysis, in reading order; with the comparison of its first label's groups, the heat map too.

    `standalone`: figures are shown as images instead of standing in the page's own markup.
    """
    figures = []
    if len(analysis.by) > 1:
        first, second = analysis.by[:2]
        figures.append(
            Figure(
                association_figure(analysis.verdicts, first, second, standalone),
                f"Bias-corrected association of each feature with {first} against that with {second}; "
                "the shape says the verdict.",
            )
        )
    if comparison is not None and (heat_map := _heat_map(analysis, comparison, standalone)) is not None:
        figures.append(heat_map)
    rates = _defects(analysis, standalone)
    parts = [StatisticsPart(title="Signatures at a glance", figures=tuple(figures))] if figures else []
    parts += [_part(display) for display in signature_displays(analysis, whole=True)]
    if rates is not None:
        parts.append(StatisticsPart(title=f"Defect rates by {analysis.by[0]}, drawn", figures=(rates,)))
    noted = analysis.verdicts[analysis.verdicts["note"] != ""]
    if len(noted):
        rows = tuple(zip(noted["feature"], noted["note"], strict=True))
        parts.append(StatisticsPart(title="What to mind", columns=("feature", "note"), rows=rows))
    return tuple(parts)


def comparison_parts(
    comparison: Comparison, by: str, sets: bool, standalone: bool = False
) -> tuple[StatisticsPart, ...]:
    """The parts of a comparison; for groups of one set, the heat map of the choices that separate them most."""
    parts = []
    if not sets and (figure := _separating_heat_map(comparison, by, standalone)) is not None:
        parts.append(StatisticsPart(title="Fingerprints", figures=(figure,)))
    parts += [_part(display) for display in comparison_displays(comparison, by, sets)]
    if comparison.left_out:
        rows = tuple(comparison.left_out.items())
        parts.append(StatisticsPart(title="Left out", columns=("feature", "reason"), rows=rows))
    return tuple(parts)


def _part(display: Display) -> StatisticsPart:
    columns = tuple(str(name) for name in display.frame.columns)
    return StatisticsPart(title=display.title, note=display.note, columns=columns, rows=text(display))


def _heat_map(analysis: Analysis, comparison: Comparison, standalone: bool) -> Figure | None:
    found = analysis.distinctive.assign(
        choice=analysis.distinctive["feature"] + " = " + analysis.distinctive["category"].astype(str)
    )
    groups = found["group"].nunique()
    apart = found[(found["q"] < ALPHA) & (found["lift"] >= LEAST_LIFT)]
    strongest = apart.groupby("choice")["residual"].max().nlargest(MOST_CHOICES, keep="first").index
    distances = matrix(comparison.pairs)
    if len(strongest) == 0 or not 2 <= groups <= MOST_GROUPS or set(found["group"]) != set(distances.index):
        return None
    order = [choice for choice in dict.fromkeys(found.sort_values("choice")["choice"]) if choice in set(strongest)]
    shares = found[found["choice"].isin(order)].pivot(index="choice", columns="group", values="share").loc[order]
    label = analysis.by[0]
    title = f"Fingerprints by {label}: share of builds with each distinctive choice, in percent"
    return Figure(
        fingerprint_figure(shares, distances, title, standalone),
        f"The {len(order)} choices that set a {label} most apart, with the share of its builds in percent; above, the "
        "average-linkage tree of Jensen-Shannon distances.",
    )


def _separating_heat_map(comparison: Comparison, by: str, standalone: bool) -> Figure | None:
    distances = matrix(comparison.pairs)
    if not 2 <= len(distances) <= MOST_GROUPS or distances.isna().all(axis=None):
        return None
    order = leaf_order(distances)
    title = f"Distance between {by}s"
    return Figure(
        fingerprint_figure(distances.loc[order, order], distances, title, standalone, quantity="Distance × 100"),
        f"Jensen-Shannon distance × 100 between {by}s, and their average-linkage tree.",
    )


def _defects(analysis: Analysis, standalone: bool) -> Figure | None:
    found = analysis.defects
    if found.empty:
        return None
    most = found.groupby("rule")["affected"].sum().nlargest(MOST_DEFECTS, keep="first").index
    rates = found[found["rule"].isin(most)].rename(columns={"rule": "series", "affected": "count", "builds": "n"})
    rates = rates.sort_values("series", key=lambda names: names.map({name: at for at, name in enumerate(most)}))
    title = f"Builds with a defect, by {analysis.by[0]}"
    return Figure(
        rates_figure(pd.DataFrame(rates), title, standalone),
        f"The {len(most)} most frequent defects: share of each {analysis.by[0]}'s builds, with Wilson 95 % intervals.",
    )
