from __future__ import annotations

import pytest

from forensics.facts.cascade import subject_of
from forensics.facts.media import media_holds
from tests.in_memory import page_of


def display_of(css: str, body: str, identifier: str = "x", more: dict[str, str] | None = None) -> str:
    """The display value that wins for an element of a page with one style block; "" where no rule gives one."""
    page = page_of({"index.html": f"<!doctype html><style>{css}</style><body>{body}</body>", **(more or {})})
    assert page.tree is not None
    element = next(item for item in page.tree.subtree() if item.attributes.get("id") == identifier)
    return page.cascade.outcome(element, "display").value


@pytest.mark.parametrize(
    ("css", "wins"),
    [
        (".a { display: flex } div { display: grid }", "flex"),
        (".a { display: flex } .a { display: grid }", "grid"),
        (".a { display: flex !important } #x { display: grid }", "flex"),
        (":where(#x) { display: flex } div { display: grid }", "grid"),
        (":is(#x, p) { display: flex } .a.a { display: grid }", "flex"),
        (".a:not(.b) { display: flex } .a { display: grid }", "flex"),
        ("@layer one { #x { display: flex } } div { display: grid }", "grid"),
        ("@layer one { #x { display: flex !important } } div { display: grid !important }", "flex"),
        ("@layer two, one; @layer one { .a { display: flex } } @layer two { #x { display: grid } }", "flex"),
        ("@media print { .a { display: flex } }", ""),
        ("@media (min-width: 900px) { .a { display: flex } }", "flex"),
        ("@media (max-width: 900px) { .a { display: flex } }", ""),
        (".a:hover { display: flex }", ""),
        (".a::before { display: flex }", ""),
        ("main > .a { display: flex }", ""),
        ("body > .a { display: flex }", "flex"),
        (":root { --shown: inline-flex } .a { display: var(--shown) }", "inline-flex"),
        (".a { .b & { display: none } display: grid }", "grid"),
    ],
)
def test_the_winner_is_the_one_the_standard_names(css: str, wins: str) -> None:
    assert display_of(css, '<div id="x" class="a">1</div>') == wins


def test_the_style_attribute_loses_only_to_what_is_important() -> None:
    body = '<div id="x" class="a" style="display: flex">1</div>'
    assert display_of("#x { display: grid }", body) == "flex"
    assert display_of(".a { display: grid !important }", body) == "grid"


def test_imported_sheets_come_before_their_importer() -> None:
    files = {"theme.css": "@import './base.css' layer(base); .a { display: flex }", "base.css": "#x { display: grid }"}
    page = page_of({"index.html": '<link rel="stylesheet" href="theme.css"><p id="x" class="a">1</p>', **files})
    assert [sheet.path for sheet in page.sheets] == ["base.css", "theme.css"]
    element = next(item for item in page.roots()[0].subtree() if item.name == "p")
    assert page.cascade.outcome(element, "display").value == "flex"


def test_a_class_that_code_toggles_makes_a_rule_possible() -> None:
    script = "document.querySelector('#x').classList.toggle('gone')"
    files = {"index.html": f"<style>.gone {{ display: none }}</style><p id=x>1</p><script>{script}</script>"}
    page = page_of(files)
    element = next(item for item in page.roots()[0].subtree() if item.name == "p")
    outcome = page.cascade.outcome(element, "display")
    assert outcome.winner is None
    assert outcome.could("none")


def test_scoped_styles_of_a_component_apply_to_its_own_elements() -> None:
    files = {
        "index.html": '<div id="app"></div><script type="module" src="/main.js"></script>',
        "main.js": "import One from './One.vue'\nimport Two from './Two.vue'\n",
        "One.vue": '<template><p class="a">1</p></template><style scoped>.a { display: flex }</style>',
        "Two.vue": '<template><p class="a">2</p></template>',
    }
    page = page_of(files)
    found = {
        item.origin: page.cascade.outcome(item, "display").value
        for root in page.loose
        for item in root.subtree()
        if item.name == "p"
    }
    assert found == {"One.vue": "flex", "Two.vue": ""}


@pytest.mark.parametrize(
    ("selector", "name", "classes", "pseudo"),
    [
        ("main > .a.b:hover", "", ("a", "b"), ""),
        ("#x .a ::after", "", (), "after"),
        ("ul li:before", "li", (), "before"),
        (".md\\:flex", "", ("md:flex",), ""),
        ("a[href*='>']", "a", (), ""),
        (":is(.a > .b) p", "p", (), ""),
    ],
)
def test_the_subject_is_the_last_compound(selector: str, name: str, classes: tuple[str, ...], pseudo: str) -> None:
    subject = subject_of(selector)
    assert (subject.name, subject.classes, subject.pseudo) == (name, classes, pseudo)


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("screen", True),
        ("print", False),
        ("not print", True),
        ("(width >= 600px)", True),
        ("(400px <= width < 700px)", False),
        ("screen and (max-width: 80em)", True),  # 80 em are the 1280 px of the assumed viewport
        ("screen and (max-width: 79em)", False),
        ("(max-width: 600px), (orientation: landscape)", True),
        ("(hover: none)", False),
        ("(prefers-reduced-motion: reduce)", False),
        ("(prefers-color-scheme: dark)", None),
        ("only screen and (prefers-color-scheme: dark) and (max-width: 10px)", False),
    ],
)
def test_media_queries_are_decided_for_a_desktop_screen(query: str, holds: bool | None) -> None:
    assert media_holds(query) is holds
