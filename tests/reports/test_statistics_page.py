from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from forensics.statistics.analysis import analyse
from forensics.statistics.distance import compare_groups
from reports.html import Figure, StatisticsPart
from reports.statistics_page import comparison_page, page, signatures_page
from tests.statistics.archives import archive

pytest.importorskip("matplotlib", reason="figures need matplotlib (the extra `statistics`)")


class Reader(HTMLParser):
    """Collects tags with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_reaches_for_nothing_and_allows_its_own_style_only() -> None:
    table = archive(0, runs=4, planted={"style": {"model": 1.5}}, noise=1)
    analysis = analyse(table, draws=99)
    text = signatures_page(analysis, compare_groups(table, "model", ["task"], draws=99)).decode()
    reader = Reader(text)
    assert not {"script", "link", "iframe", "img", "object"} & {tag for tag, _ in reader.tags}
    assert not [attrs for _, attrs in reader.tags if {"src", "style", "onclick", "onload"} & set(attrs)]
    assert all(attrs["href"] and attrs["href"].startswith("#") for _, attrs in reader.tags if "href" in attrs)
    policy = next(
        attrs["content"] for tag, attrs in reader.tags if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    style = re.search(r"<style>(.*?)</style>", text, re.S)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style.group(1).encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "<td>style</td><td>model</td>" in text
    assert text.count("<svg") == 2


def test_the_page_of_a_comparison_holds_matrix_and_tree() -> None:
    comparison = compare_groups(archive(0, runs=4, planted={"style": {"model": 1.5}}), "model", ["task"], draws=99)
    text = comparison_page(comparison, "model", ["task"], False, "builds.csv", 0).decode()
    for heading in ("Fingerprints", "Distance matrix", "Dendrogram (average linkage)"):
        assert f"<h2>{heading}</h2>" in text


def test_names_are_escaped_and_made_visible() -> None:
    part = StatisticsPart(
        title="<b>", note="a & b", columns=("c\x1b",), rows=(("<script>",),), figures=(Figure("<svg></svg>", "\u202e"),)
    )
    text = page("</title>", ["<p>"], [part]).decode()
    assert "<script>" not in text
    assert "<title>&lt;/title&gt;</title>" in text
    assert "<td>&lt;script&gt;</td>" in text
    assert r"c\u{1b}" in text
    assert r"\u{202e}" in text
