"""Trees and rules as Chromium makes them of the same text: pages with tags left out, sheets that an edit broke."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from forensics.syntax.css import lower_stylesheet
from forensics.syntax.html import lower_page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright (Python package) is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]

OUTLINES = """(pages) => pages.map((text) => {
  const found = []
  const walk = (element, above) => {
    const path = above ? `${above}>${element.localName}` : element.localName
    found.push(path)
    for (const child of element.children) walk(child, path)
  }
  walk(new DOMParser().parseFromString(text, 'text/html').documentElement, '')
  return found
})"""

# The longhands that each rule sets, with the number of conditions around it.
APPLIED = """(sheets) => sheets.map((text) => {
  const found = []
  const walk = (rules, depth) => {
    for (const rule of rules) {
      if (rule.style && !['CSSFontFaceRule', 'CSSKeyframeRule'].includes(rule.constructor.name))
        for (const name of rule.style) found.push(`${depth} ${name}`)
      if (rule.cssRules && rule.constructor.name !== 'CSSKeyframesRule')
        walk(rule.cssRules, depth + (rule.constructor.name === 'CSSStyleRule' ? 0 : 1))
    }
  }
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  walk(sheet.cssRules, 0)
  return [...new Set(found)].sort()
})"""

# The same of rules that are already apart: the browser expands shorthands and drops what it doesn't know.
EXPANDED = """(sheets) => sheets.map((rules) => {
  const found = []
  for (const [selectors, depth, declarations] of rules) {
    try { document.querySelector(selectors.join(',')) } catch { continue }
    for (const declaration of declarations) {
      const element = document.createElement('div')
      element.style.cssText = declaration
      for (const name of element.style) found.push(`${depth} ${name}`)
    }
  }
  return [...new Set(found)].sort()
})"""


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with playwright.sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser.new_page()
        browser.close()


def test_broken_pages_get_the_browsers_tree(page: Any) -> None:
    draw = random.Random(7)
    pages = [_page(draw) for _ in range(400)]
    for text, expected in zip(pages, page.evaluate(OUTLINES, pages), strict=True):
        assert _outline(text) == _without_empty_parts(expected), text


def test_style_sheets_apply_what_the_browser_applies(page: Any) -> None:
    draw = random.Random(7)
    sheets = [_sheet(draw) for _ in range(400)]
    rules = [
        [
            [rule.selectors, len(rule.conditions), [f"{item.property}: {item.value}" for item in rule.declarations]]
            for rule in lower_stylesheet(sheet.encode()).rules
        ]
        for sheet in sheets
    ]
    applied, expanded = page.evaluate(APPLIED, sheets), page.evaluate(EXPANDED, rules)
    for sheet, expected, found in zip(sheets, applied, expanded, strict=True):
        assert found == expected, sheet


def _outline(text: str) -> list[str]:
    paths: list[str] = []
    for tag in lower_page(text.encode()).tags:
        paths.append(f"{paths[tag.parent]}>{tag.name}" if tag.parent >= 0 else tag.name)
    return _without_empty_parts(paths)


def _without_empty_parts(paths: list[str]) -> list[str]:
    """Browsers make head and body for any page; here they are made when something needs them."""
    return [path for path in paths if path not in ("html", "html>head", "html>body")]


def _page(draw: random.Random) -> str:
    head = draw.choice(["", "<title>x</title>", "<head><title>T</title></head>", "<head><script>a<b</script>"])
    body = draw.choice(["", "<body>", "<body class=x>"])
    content = "".join(_element(draw, 0) for _ in range(draw.randint(1, 4)))
    return draw.choice(["", "<!doctype html>"]) + head + body + content + draw.choice(["", "</body></html>"])


def _element(draw: random.Random, depth: int) -> str:
    """An element with its optional end tags left out here and there."""
    if depth > 4 or draw.random() < 0.2:
        return draw.choice(["text", "a &amp; b", "<!-- c -->", "<br>", "<img a=1 />", "a < b", "<input>"])

    def inner() -> str:
        return "".join(_element(draw, depth + 1) for _ in range(draw.randint(0, 3)))

    omits = draw.random() < 0.4
    name = draw.choice(
        ["div", "section", "ul", "ol", "dl", "table", "p", "h1", "nav", "select", "svg", "button", "label"]
    )
    match name:
        case "ul" | "ol":
            content = "".join(f"<li>{inner()}{'' if omits else '</li>'}" for _ in range(2))
        case "dl":
            content = "".join(
                f"<dt>x{'' if omits else '</dt>'}<dd>{inner()}{'' if omits else '</dd>'}" for _ in range(2)
            )
        case "table":
            cells = "".join(f"<td>{inner()}{'' if omits else '</td>'}" for _ in range(2))
            content = f"<tr>{cells}{'' if omits else '</tr>'}" * 2
        case "select":
            content = f"<option>x{'' if omits else '</option>'}" * 2
        case "svg":
            content = "<path d='x'/><g><rect/></g>"
        case "p":
            return f"<p>x<b>y</b>{'' if omits else '</p>'}"
        case "h1" | "button" | "label":
            content = "<span>y</span>"
        case _:
            content = inner()
    return f"<{name}>{content}</{name}>"


def _sheet(draw: random.Random) -> str:
    shapes = [
        "%s { color: red; margin: 0 }",
        "%s { color: red; &:hover { color: blue } p { inset: 0 } }",
        "@media print { %s { inset: 0 } }",
        "%s { @media print { color: red; .q { margin: 0 } } }",
        ".x { .y & { color: red } %s { margin: 0 } > b, i { padding: 1px !important } }",
        "@layer q { @supports (display: grid) { %s { color: red } } }",
        "@keyframes k { from { color: red } } @font-face { font-family: %s } .z { top: 0 }",
        "%s { background: url(a;b.png) no-repeat; content: '}'; --c: {d: e}; color: }",
    ]
    selectors = [".a", "div > p", "#b, .c", "*", "p:not(.q, .r)", "[x='}']", ".w-1\\/2"]
    text = "\n".join(draw.choice(shapes) % draw.choice(selectors) for _ in range(draw.randint(1, 4)))
    if draw.random() < 0.4:  # what an edit leaves
        at = draw.choice([place for place, character in enumerate(text) if character in "{};"])
        text = text[:at] + draw.choice(["", "}", ";", "{", "/*"]) + text[at + 1 :]
    return text
