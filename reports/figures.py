"""Figures as SVG text, drawn with matplotlib: for a page's own markup, or standing alone as an image.

Every figure is readable without colour (shape, size, position and printed numbers carry it), takes the text colour of
the page it stands in (`currentColor` on a transparent ground), has a title and a description for screen readers, and
is the same text every time: no date, a fixed hash salt, fonts left to the reader's machine. No style rules or
attributes are used, so that a strict Content-Security-Policy lets the figure through.
"""

from __future__ import annotations

import io
import itertools
import re
import zlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from forensics.records import InputError
from forensics.statistics.distance import linkage_matrix
from reports.hostile_text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
ACCENT = "#3f7fbf"
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
MOST_LABELS = 24
LONGEST_NAME = 48
STANDALONE_STYLE = ":root{color:#262626}@media(prefers-color-scheme:dark){:root{color:#e8e8e8}}"
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "savefig.transparent": True,
}


def association_figure(verdicts: pd.DataFrame, first: str, second: str, standalone: bool = False) -> str:
    """Bias-corrected association with one label against that with another: a point a feature, its shape the verdict.

    `verdicts` as `forensics.statistics.signatures.verdicts` gives it. Features without a value of both are left out and
    counted in the description.
    """
    across, up = f"{first} corrected", f"{second} corrected"
    verdicts = verdicts.assign(feature=_named(verdicts["feature"]))
    shown = verdicts.dropna(subset=[across, up])
    drawing, axes = _canvas(f"association {first} {second}", 7.2, 5.0)
    axes.plot([0, 1], [0, 1], color="black", linewidth=0.6, linestyle=(0, (2, 3)))
    kinds = list(dict.fromkeys(shown["verdict"]))
    for marker, kind in zip(MARKERS * (1 + len(kinds) // len(MARKERS)), kinds, strict=False):
        group = shown[shown["verdict"] == kind]
        filled = kind not in ("neither", "none", "not tested", "not identifiable")
        axes.plot(
            group[across],
            group[up],
            marker,
            markersize=6.5,
            markerfacecolor=ACCENT if filled else "none",
            markeredgecolor="black",
            markeredgewidth=0.9,
            label=f"{kind} ({len(group)})",
        )
    _label_points(axes, shown, across, up)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel(f"V~ with {first} (√ε²~ for numbers)")
    axes.set_ylabel(f"V~ with {second}")
    if kinds:
        axes.legend(loc="upper left", bbox_to_anchor=(0.02, 1.0), frameon=False, handletextpad=0.4)
    said = "; ".join(
        f"{feature} {x:.2f} and {y:.2f}, {verdict}"
        for feature, x, y, verdict in zip(shown["feature"], shown[across], shown[up], shown["verdict"], strict=True)
    )
    left_out = len(verdicts) - len(shown)
    more = f" {left_out} features without a value are left out." if left_out else ""
    title = f"Association of each feature with {first} and with {second}"
    return _svg(
        drawing, title, f"Bias-corrected association with {first}, then with {second}: {said}.{more}", standalone
    )


def rates_figure(rates: pd.DataFrame, title: str, standalone: bool = False) -> str:
    """Shares with their intervals, a line a group, a marker shape a series.

    `rates` has the columns `series` (one name, or several), `group`, `count`, `n`, `share`, `low`, `high`.
    """
    rates = rates.assign(group=_named(rates["group"]), series=_named(rates["series"]))
    known = rates.dropna(subset=["share"])
    groups, series = list(dict.fromkeys(rates["group"])), list(dict.fromkeys(rates["series"]))
    height = 0.75 + len(groups) * (0.16 + 0.17 * len(series)) + (0.2 * len(series) if len(series) > 1 else 0)
    drawing, axes = _canvas(f"rates {title}", 6.4, height)
    step = 0.8 / len(series)
    for number, name in enumerate(series):
        part = known[known["series"] == name]
        place = np.array([groups.index(group) for group in part["group"]]) + (number - (len(series) - 1) / 2) * step
        axes.errorbar(
            part["share"],
            place,
            xerr=[part["share"] - part["low"], part["high"] - part["share"]],
            fmt=MARKERS[number % len(MARKERS)],
            color="black",
            markerfacecolor=(ACCENT, "none")[number % 2],
            markersize=5.5,
            linewidth=1.0,
            capsize=2.5,
            label=name,
        )
        for y, high, share, count, n in zip(place, part["high"], part["share"], part["count"], part["n"], strict=True):
            axes.text(high + 0.015, y, f"{100 * share:.0f} % ({count} of {n})", va="center", fontsize=8)
    axes.set_yticks(range(len(groups)), groups)
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.set_xlim(0, 1.28)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    axes.spines["bottom"].set_bounds(0, 1)
    axes.set_xlabel("share of builds, with 95 % interval")
    if len(series) > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, ncols=2, handletextpad=0.4)
    said = "; ".join(
        f"{row['group']}{', ' + str(row['series']) if len(series) > 1 else ''}: {100 * row['share']:.0f} %"
        f" ({100 * row['low']:.0f} to {100 * row['high']:.0f}), {row['count']} of {row['n']}"
        for _, row in known.iterrows()
    )
    return _svg(drawing, title, f"{said}.", standalone)


def fingerprint_figure(
    shares: pd.DataFrame,
    distances: pd.DataFrame,
    title: str,
    standalone: bool = False,
    quantity: str = "Percent of builds",
) -> str:
    """Heat map of shares, choices down and groups across in the order of the dendrogram above them.

    `shares`: index the choices ("dir_style = src-tree"), columns the groups, values 0 … 1 or NaN; every cell prints its
    percentage. `distances`: symmetric frame groups × groups (`distance.matrix`); without a distance for every two
    groups there is no dendrogram and the groups keep their order. `quantity` says what the numbers are.
    """
    merges = linkage_matrix(distances.loc[shares.columns, shares.columns])
    tree_height = 0.9 if merges is not None else 0.0
    width, height = 2.6 + 0.72 * len(shares.columns), 1.2 + 0.24 * len(shares) + tree_height
    drawing, axes = _canvas(f"fingerprints {title}", width, height)
    order = list(range(len(shares.columns)))
    if merges is not None:
        from scipy.cluster import hierarchy

        axes.remove()
        tree, axes = drawing.subplots(2, 1, height_ratios=[tree_height, height - tree_height], sharex=True)
        drawn = hierarchy.dendrogram(merges, no_plot=True)
        order = drawn["leaves"]
        for x, y in zip(drawn["icoord"], drawn["dcoord"], strict=True):
            tree.plot((np.array(x) - 5) / 10, y, color="black", linewidth=0.9)
        tree.set_ylim(0)
        tree.spines["bottom"].set_visible(False)
        tree.tick_params(bottom=False, labelbottom=False)
        tree.set_ylabel("distance", fontsize=8)
    ordered = shares.iloc[:, order].set_axis(_named(shares.index)).set_axis(_named(shares.columns[order]), axis=1)
    _shaded(axes, ordered, [[_percent(value) for value in row] for row in ordered.to_numpy()])
    names = [str(name) for name in ordered.columns]
    said = "; ".join(
        f"{choice}: " + ", ".join(f"{name} {_percent(value)}" for name, value in zip(names, row, strict=True))
        for choice, row in zip(ordered.index, ordered.to_numpy(), strict=True)
    )
    return _svg(drawing, title, f"{quantity}, groups in the order {', '.join(names)}. {said}.", standalone)


def confusion_figure(counts: pd.DataFrame, title: str, standalone: bool = False) -> str:
    """Confusion matrix: index the true label, columns the answer, counts of builds; the shade is the row's share."""
    counts = counts.set_axis(_named(counts.index)).set_axis(_named(counts.columns), axis=1)
    total = counts.sum(axis=1)
    shares = counts.div(total.where(total > 0), axis=0)
    drawing, axes = _canvas(f"confusion {title}", 2.2 + 0.72 * counts.shape[1], 1.4 + 0.34 * counts.shape[0])
    cells = [
        [f"{count}" + (f" · {_percent(share)} %" if count and counts.shape[1] <= 6 else "") for count, share in row]
        for row in (zip(counts.iloc[i].tolist(), shares.iloc[i].tolist(), strict=True) for i in range(counts.shape[0]))
    ]
    _shaded(axes, shares, cells, diagonal=[(str(row), str(column)) for row, column in _same(counts)])
    axes.set_ylabel("true")
    axes.set_xlabel("answer")
    said = "; ".join(
        f"{row}: " + ", ".join(f"{count} as {column}" for column, count in counts.loc[row].items() if count)
        for row in counts.index
    )
    return _svg(drawing, title, f"Builds by true label and answer. {said}.", standalone)


def _named(names: Iterable[Any]) -> list[str]:
    """Names as they may be drawn: every character visible, no longer than a line of the figure bears."""
    return [
        one_line(str(name)) if len(str(name)) <= LONGEST_NAME else f"{one_line(str(name))[:LONGEST_NAME]}…"
        for name in names
    ]


def _same(counts: pd.DataFrame) -> list[tuple[Any, Any]]:
    return [(row, row) for row in counts.index if row in counts.columns]


def _percent(value: float) -> str:
    return "–" if np.isnan(value) else f"{100 * value:.0f}"


def _shaded(
    axes: Axes, shares: pd.DataFrame, cells: Sequence[Sequence[str]], diagonal: Sequence[tuple[str, str]] = ()
) -> None:
    """Cells shaded by share, each with its text; cells on the diagonal are framed."""
    from matplotlib.patches import Rectangle

    rows, columns = [str(name) for name in shares.index], [str(name) for name in shares.columns]
    for i, row in enumerate(shares.to_numpy()):
        for j, value in enumerate(row):
            strength = 0.0 if np.isnan(value) else 0.65 * float(value)
            framed = (rows[i], columns[j]) in diagonal
            axes.add_patch(
                Rectangle(
                    (j - 0.5, i - 0.5),
                    1,
                    1,
                    facecolor=(*_rgb(ACCENT), strength),
                    edgecolor="black",
                    linewidth=1.2 if framed else 0.25,
                )
            )
            axes.text(j, i, cells[i][j], ha="center", va="center", fontsize=8)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _rgb(colour: str) -> tuple[float, float, float]:
    return tuple(int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))  # type: ignore[return-value]


def _label_points(axes: Axes, shown: pd.DataFrame, across: str, up: str) -> None:
    """Names of the strongest features, each as near to its point as neither a point nor another name allows."""
    strongest = shown.assign(most=shown[[across, up]].max(axis=1)).nlargest(MOST_LABELS, "most", keep="first")
    taken = [(x - 0.011, y - 0.014, x + 0.011, y + 0.014) for x, y in zip(shown[across], shown[up], strict=True)]
    for feature, x, y in strongest[["feature", across, up]].itertuples(index=False):
        width, height = 0.0098 * len(str(feature)), 0.03
        best: tuple[float, float, float] | None = None
        for distance, (right, above) in itertools.product(_DISTANCES, _DIRECTIONS):
            left = x + right * (0.018 + distance) - (0 if right > 0 else width if right < 0 else width / 2)
            middle = y + above * (0.03 + distance)
            box = (left, middle - height / 2, left + width, middle + height / 2)
            # The legend stands in the upper left corner.
            inside = (
                box[0] > 0 and box[2] < 1.02 and box[1] > 0 and box[3] < 1 and not (box[0] < 0.35 and box[3] > 0.78)
            )
            if inside and not any(_overlap(box, other) for other in taken):
                best = (left, middle, distance)
                taken.append(box)
                break
        if best is None:
            continue
        left, middle, distance = best
        axes.text(left, middle, str(feature), ha="left", va="center", fontsize=8)
        if distance > 0:
            nearest = min(max(x, left), left + width)
            edge = middle - height / 2 if middle > y else middle + height / 2
            axes.plot([x, nearest], [y, edge], color="black", linewidth=0.4)


_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
_DISTANCES = (0.0, 0.02, 0.05, 0.08, 0.12, 0.16, 0.21, 0.27)


def _overlap(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def _canvas(name: str, width: float, height: float) -> tuple[Drawing, Axes]:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError("figures need matplotlib: pip install 'build-forensics[statistics]'") from error
    with mpl.rc_context({**_SETTINGS, "svg.hashsalt": name}):
        drawing = Figure(figsize=(width, height), layout="constrained")
        drawing.set_label(name)
        return drawing, drawing.subplots()


def _svg(drawing: Drawing, title: str, description: str, standalone: bool) -> str:
    """The drawing as SVG text that depends on nothing but its arguments."""
    import matplotlib as mpl

    name = str(drawing.get_label())
    buffer = io.BytesIO()
    with mpl.rc_context({**_SETTINGS, "svg.hashsalt": name}):
        drawing.savefig(
            buffer, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
        )
    root = ElementTree.fromstring(buffer.getvalue())
    prefix = f"figure-{zlib.crc32(f'{name} {title}'.encode()):08x}"
    _strip(root)
    _scope_names(root, prefix)
    for element in root.iter():
        _attributes_for_styles(element)
        element.tag = str(element.tag).removeprefix(f"{{{SVG}}}")
        element.text = element.text.strip() if element.text and element.text.strip() else None
        element.tail = None
    width, height = (float(root.attrib[side].removesuffix("pt")) * 4 / 3 for side in ("width", "height"))
    view = root.attrib["viewBox"]
    root.attrib.clear()
    root.attrib |= {
        "xmlns": SVG,
        "viewBox": view,
        "width": f"{width:.0f}",
        "height": f"{height:.0f}",
        "role": "img",
        "aria-labelledby": f"{prefix}-title {prefix}-description",
        "fill": "currentColor",
        "stroke-linejoin": "round",
        "stroke-linecap": "butt",
        "font-family": "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif",
    }
    head = [("title", title), ("desc", description)]
    for place, (tag, text) in enumerate(head):
        child = ElementTree.Element(tag, {"id": f"{prefix}-{'title' if tag == 'title' else 'description'}"})
        child.text = one_line(text)
        root.insert(place, child)
    if standalone:
        style = ElementTree.Element("style")
        style.text = STANDALONE_STYLE
        root.insert(len(head), style)
    return ElementTree.tostring(root, encoding="unicode")


def _strip(root: ElementTree.Element) -> None:
    """Drops matplotlib's metadata and its style rule, which would reach beyond the figure."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)


def _scope_names(root: ElementTree.Element, prefix: str) -> None:
    """Keeps the ids that something refers to, with a prefix of the figure's own, so that figures share a page."""
    text = ElementTree.tostring(root, encoding="unicode")
    used = set(re.findall(r"url\(#([^)]+)\)", text)) | set(re.findall(r'href="#([^"]+)"', text))
    for element in root.iter():
        identifier = element.attrib.pop("id", None)
        if identifier in used:
            element.attrib["id"] = f"{prefix}-{identifier}"
        for key, value in list(element.attrib.items()):
            if key == f"{{{XLINK}}}href":
                del element.attrib[key]
                element.attrib["href"] = f"#{prefix}-{value[1:]}"
            elif "url(#" in value:
                element.attrib[key] = value.replace("url(#", f"url(#{prefix}-")


def _attributes_for_styles(element: ElementTree.Element) -> None:
    """Turns a style attribute into presentation attributes, black into the page's own colour, fonts into sizes."""
    declared = element.attrib.pop("style", "")
    for declaration in filter(None, (part.strip() for part in declared.split(";"))):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        if key in ("font", "font-size"):
            # Older matplotlib writes the shorthand, which is no presentation attribute.
            size = re.search(r"([\d.]+)px", value)
            element.attrib["font-size"] = size.group(1) if size else "9"
        elif key != "font-family":
            element.attrib[key] = value
    for key in ("fill", "stroke"):
        if element.attrib.get(key, "").lower() in ("#000000", "black"):
            element.attrib[key] = "currentColor"
