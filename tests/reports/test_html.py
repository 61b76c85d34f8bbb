"""The HTML report as bytes: what is rendered without JavaScript, what is escaped, what the policy admits."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from forensics.records import BuildError, Rule
from forensics.results import ScanResult
from reports.html import Figure, StatisticsPart, anchor, percent, prose, write_html
from reports.page_data import embedded


class Elements(HTMLParser):
    """Every start tag with its attributes, and the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("script", "style") and data.strip():
            self.raw.append((self.tags[-1][0], data))


@pytest.fixture
def page(result: ScanResult, rules: dict[str, Rule], tmp_path: Path) -> str:
    return write_html(result, rules, examples=tmp_path).decode("utf-8")


def test_the_policy_admits_our_own_script_and_style_only(page: str) -> None:
    elements = Elements(page)
    policies = [a["content"] for tag, a in elements.tags if tag == "meta" and "http-equiv" in a]
    style = next(text for tag, text in elements.raw if tag == "style")
    script = [text for tag, text in elements.raw if tag == "script"][-1]

    def digest(text: str) -> str:
        return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert policies == [
        (
            f"default-src 'none'; script-src '{digest(script)}'; style-src '{digest(style)}'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        )
    ]


def test_nothing_in_the_page_needs_what_the_policy_forbids(page: str) -> None:
    for tag, attributes in Elements(page).tags:
        assert "style" not in attributes, (tag, attributes)
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        assert tag not in ("iframe", "object", "embed", "base")
        source = attributes.get("src")
        assert source is None or source.startswith("data:image/svg+xml;base64,")


def test_without_javascript_summary_catalogue_and_findings_are_there(page: str) -> None:
    assert "1 of 3 builds carry a launch defect" in page
    assert "33\u202f% (95 % interval 6.1–79.2 %)" in page
    assert "Vite looks for its config only in the root it is given. <code>vite client</code> never reads" in page
    assert page.count('<tr class="detail">') == 3
    assert "<mark>&#34;vite client --port 5173&#34;</mark>" in page
    assert "<noscript>" in page
    assert "the path comes from DATA_DIR, which nothing sets" in page
    assert "21,000,000 bytes; the limit is 16,000,000" in page


def test_every_rule_has_its_anchor_found_or_not(page: str, rules: dict[str, Rule]) -> None:
    for rule in rules:
        assert page.count(f'id="{anchor(rule)}"') == 1
    assert anchor("wiring/proxy-not-loaded") == "rule-wiring-proxy-not-loaded"


def test_rates_by_every_label_with_wilson_intervals(page: str) -> None:
    row = re.search(r'<th scope="row">claude-4.8-opus</th>(.*?)</tr>', page, re.DOTALL)
    assert row is not None
    assert "1 of 2" in row[1]
    assert "9.5–90.5" in row[1]


def test_failed_quarantined_and_skipped_are_counted_at_the_top(
    result: ScanResult, rules: dict[str, Rule], tmp_path: Path
) -> None:
    first, second, third = result.builds
    lost = msgspec.structs.replace(first, errors=(BuildError(path="", kind="time-limit", message="over 60 s"),))
    failed = msgspec.structs.replace(third, errors=(BuildError(path="", kind="scan-failed", message="bug"),))
    changed = msgspec.structs.replace(result, builds=(lost, second, failed))
    page = write_html(changed, rules, examples=tmp_path).decode()
    for words, number in (("failed", 1), ("quarantined", 1), ("with lost coverage", 3), ("files skipped", 1)):
        assert f"<dt>{words}</dt><dd>{number}</dd>" in page


def test_the_same_result_gives_the_same_bytes(result: ScanResult, rules: dict[str, Rule], tmp_path: Path) -> None:
    assert write_html(result, rules, examples=tmp_path) == write_html(result, rules, examples=tmp_path)


def test_an_empty_result_and_an_unknown_rule_are_rendered(result: ScanResult, tmp_path: Path) -> None:
    empty = write_html(msgspec.structs.replace(result, builds=()), {}, examples=tmp_path).decode()
    assert "No build was scanned" in empty
    assert "No rule found anything" in empty
    assert "a rule of another version of this tool" in write_html(result, {}, examples=tmp_path).decode()


def test_builds_without_labels_are_rendered(result: ScanResult, rules: dict[str, Rule], tmp_path: Path) -> None:
    bare = tuple(msgspec.structs.replace(build, labels={}, features={}, launch_paths=()) for build in result.builds)
    page = write_html(msgspec.structs.replace(result, builds=bare), rules, examples=tmp_path).decode()
    assert "Nothing to compare" in page
    assert "Do they come up?" not in page


def test_near_misses_are_told_with_their_files(result: ScanResult, rules: dict[str, Rule], tmp_path: Path) -> None:
    folder = tmp_path / "wiring" / "proxy-not-loaded"
    (folder / "near-miss-flag").mkdir(parents=True)
    (folder / "near-miss-flag" / "package.json").write_text('{"scripts": {"dev": "vite client --config a.js"}}')
    (folder / "near-miss-flag.toml").write_text('summary = "`--config` names the file."')
    page = write_html(result, rules, examples=tmp_path).decode()
    assert "<summary><code>--config</code> names the file.</summary>" in page
    assert "<code>{&#34;scripts&#34;: {&#34;dev&#34;: &#34;vite client --config a.js&#34;}}</code>" in page


def test_statistics_are_shown_as_tables_and_images(result: ScanResult, rules: dict[str, Rule], tmp_path: Path) -> None:
    part = StatisticsPart(
        title="Signatures by model",
        note="`V` is corrected.",
        columns=("feature", "V", "p"),
        rows=(("manifest_layout", 0.53051, None), ("<b>", 0.1, 0.04)),
        figures=(Figure("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", "A figure"),),
    )
    page = write_html(result, rules, (part,), tmp_path).decode()
    assert '<td class="num" data-value="0.53051">0.5305</td><td></td>' in page
    assert "<td>&lt;b&gt;</td>" in page
    assert "<code>V</code> is corrected." in page
    assert '<img src="data:image/svg+xml;base64,PHN2Zy' in page


def test_prose_escapes_and_shows_what_cannot_be_seen() -> None:
    assert prose("run `a<b` & go") == "run <code>a&lt;b</code> &amp; go"
    assert prose("one ` only <script>") == "one ` only &lt;script&gt;"
    assert prose("a\u202eb") == "a\\u{202e}b"


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "0\u202f%"), (0.004, "0.4\u202f%"), (0.0995, "10\u202f%"), (0.123, "12\u202f%"), (1.0, "100\u202f%")],
)
def test_percentages_have_the_digits_that_say_something(share: float, shown: str) -> None:
    assert percent(share) == shown


def test_large_data_are_compressed_and_small_ones_escaped() -> None:
    assert embedded({"strings": ["</script><!--\u2028&"]}) == (
        "json",
        '{"strings":["\\u003c/script\\u003e\\u003c!--\\u2028\\u0026"]}',
    )
    encoding, text = embedded({"strings": ["x" * 3_000_000]})
    assert encoding == "gzip"
    assert len(text) < 10_000
    assert "<" not in text
