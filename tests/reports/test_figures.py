from __future__ import annotations

import re
from xml.etree import ElementTree

import pandas as pd
import pytest

from reports.figures import association_figure, confusion_figure, fingerprint_figure, rates_figure

pytest.importorskip("matplotlib", reason="figures need matplotlib (the extra `statistics`)")

SVG = "{http://www.w3.org/2000/svg}"


def verdicts() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "feature": ["has_readme", "has_tests", "uses_vite", "lost"],
            "model corrected": [0.69, 0.15, 0.12, float("nan")],
            "condition corrected": [0.16, 0.65, 0.11, float("nan")],
            "verdict": ["model idiom", "condition effect", "neither", "not tested"],
        }
    )


def rates() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "series": ["wiring/port-mismatch"] * 2 + ["datadir/missing-parent"] * 2,
            "group": ["a", "b"] * 2,
            "count": [2, 9, 5, 0],
            "n": [10, 12, 10, 12],
            "share": [0.2, 0.75, 0.5, 0.0],
            "low": [0.06, 0.47, 0.24, 0.0],
            "high": [0.51, 0.91, 0.76, 0.24],
        }
    )


def square() -> pd.DataFrame:
    names = ["gpt", "grok", "opus"]
    return pd.DataFrame([[0, 0.5, 0.2], [0.5, 0, 0.4], [0.2, 0.4, 0]], index=names, columns=names)


def shares() -> pd.DataFrame:
    index = ["dir_style = src-tree", "has_readme = True"]
    return pd.DataFrame([[0.77, 0.15, float("nan")], [0.49, 0, 0.83]], index=index, columns=square().columns)


def confusion() -> pd.DataFrame:
    return pd.DataFrame([[8, 2, 0], [1, 5, 4]], index=["gpt", "grok"], columns=["gpt", "grok", "unlike all"])


FIGURES = {
    "association": lambda standalone=False: association_figure(verdicts(), "model", "condition", standalone),
    "rates": lambda standalone=False: rates_figure(rates(), "Builds with a defect", standalone),
    "fingerprint": lambda standalone=False: fingerprint_figure(shares(), square(), "Fingerprints", standalone),
    "confusion": lambda standalone=False: confusion_figure(confusion(), "Attribution", standalone),
}


def words(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_figure_is_the_same_text(name: str) -> None:
    assert FIGURES[name]() == FIGURES[name]()


@pytest.mark.parametrize("name", FIGURES)
def test_a_strict_policy_lets_it_through_and_it_takes_the_page_s_colour(name: str) -> None:
    svg = FIGURES[name]()
    assert "style=" not in svg
    assert "<style" not in svg
    assert "<script" not in svg
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    assert "#000000" not in svg
    assert "#ffffff" not in svg.lower()
    assert 'stroke="currentColor"' in svg
    assert ElementTree.fromstring(svg).attrib["fill"] == "currentColor"


@pytest.mark.parametrize("name", FIGURES)
def test_it_is_named_and_described_for_those_who_cannot_see_it(name: str) -> None:
    root = ElementTree.fromstring(FIGURES[name]())
    assert root.attrib["role"] == "img"
    title, description = root[0], root[1]
    assert (title.tag, description.tag) == (f"{SVG}title", f"{SVG}desc")
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], description.attrib["id"]]
    assert title.text
    assert len(description.text or "") > 40


@pytest.mark.parametrize("name", FIGURES)
def test_as_an_image_it_brings_its_own_colour(name: str) -> None:
    svg = FIGURES[name](True)
    assert "prefers-color-scheme:dark" in svg
    ElementTree.fromstring(svg)


def test_figures_of_one_page_share_no_names() -> None:
    names = [set(re.findall(r' id="([^"]+)"', draw())) for draw in FIGURES.values()]
    assert sum(map(len, names)) == len(set.union(*names))
    for draw in FIGURES.values():
        svg = draw()
        for reference in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg):
            assert f'id="{"".join(reference)}"' in svg


def test_verdicts_differ_in_shape_and_numbers_are_written() -> None:
    said = words(FIGURES["association"]())
    assert {"model idiom (1)", "condition effect (1)", "neither (1)"} <= set(said)
    assert {"has_readme", "has_tests", "uses_vite"} <= set(said)
    assert "has_readme 0.69 and 0.16, model idiom" in FIGURES["association"]()
    assert "1 features without a value are left out" in FIGURES["association"]()
    markers = {attrs for attrs in re.findall(r"<path ([^>]*)", FIGURES["association"]()) if "id=" in attrs}
    assert len(markers) >= 3


def test_rates_write_share_and_counts() -> None:
    said = words(FIGURES["rates"]())
    assert "20 % (2 of 10)" in said
    assert "0 % (0 of 12)" in said
    assert "a, wiring/port-mismatch: 20 % (6 to 51), 2 of 10" in FIGURES["rates"]()


def test_the_heat_map_writes_every_cell_in_the_order_of_its_tree() -> None:
    svg = FIGURES["fingerprint"]()
    said = words(svg)
    assert [cell for cell in ("77", "15", "–", "49", "0", "83") if cell not in said] == []
    # gpt and opus merge first (0.2), so they stand side by side.
    order = [word for word in said if word in square().columns]
    assert abs(order.index("gpt") - order.index("opus")) == 1


def test_a_tree_needs_every_distance() -> None:
    lacking = square()
    lacking.loc["gpt", "opus"] = lacking.loc["opus", "gpt"] = float("nan")
    svg = fingerprint_figure(shares(), lacking, "Fingerprints")
    assert "distance" not in words(svg)


def test_the_confusion_matrix_writes_counts_and_shares() -> None:
    said = words(FIGURES["confusion"]())
    assert {"8 · 80 %", "4 · 40 %", "0", "unlike all"} <= set(said)
    assert "grok: 1 as gpt, 5 as grok, 4 as unlike all" in FIGURES["confusion"]()


def test_hostile_names_are_drawn_not_obeyed() -> None:
    table = verdicts()
    table.loc[0, "feature"] = "</text><script>alert(1)</script>"
    table.loc[1, "feature"] = "$x_{\x1b[2J"
    table.loc[2, "feature"] = "long " * 40
    svg = association_figure(table, "model", "condition")
    assert "<script" not in svg
    assert "\x1b" not in svg
    assert any(word.startswith("$x_{") for word in words(svg))
    assert max(map(len, words(svg))) < 60
