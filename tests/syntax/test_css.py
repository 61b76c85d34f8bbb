from __future__ import annotations

import pytest

from forensics.syntax.css import lower_declarations, lower_stylesheet, scan_references


def rules(source: str) -> list[tuple[list[str], dict[str, str], list[str]]]:
    return [
        (rule.selectors, {item.property: item.value for item in rule.declarations}, rule.conditions)
        for rule in lower_stylesheet(source.encode()).rules
    ]


def problems(source: str) -> list[tuple[int, str]]:
    return [(problem.start, problem.kind) for problem in lower_stylesheet(source.encode()).problems]


def test_a_rule_keeps_its_selector_list_declarations_and_conditions() -> None:
    source = """@media screen and (min-width: 1px) { @supports (display: grid) {
        a , b:not(.c, .d) { COLOR: red !important; --Tone:  {x: y}; background: url(foo.png) no-repeat } } }"""
    sheet = lower_stylesheet(source.encode())
    assert sheet.problems == []
    (rule,) = sheet.rules
    assert rule.selectors == ["a", "b:not(.c, .d)"]
    assert rule.conditions == ["@media screen and (min-width: 1px)", "@supports (display: grid)"]
    assert [(item.property, item.value, item.important) for item in rule.declarations] == [
        ("color", "red", True),
        ("--Tone", "{x: y}", False),
        ("background", "url(foo.png) no-repeat", False),
    ]
    assert source[rule.declarations[0].start : rule.declarations[0].end] == "COLOR: red !important"


@pytest.mark.parametrize(
    ("nested", "selector"),
    [
        ("&:hover", ".card:hover"),
        (".x &", ".x .card"),
        (".x&", ".x.card"),
        ("> p", ".card > p"),
        ("p", ".card p"),
        ("& + &", ".card + .card"),
    ],
)
def test_nested_selectors_are_resolved(nested: str, selector: str) -> None:
    assert rules(f".card {{ {nested} {{ color: blue }} }}") == [([selector], {"color": "blue"}, [])]


def test_a_nested_selector_of_a_list_or_a_complex_parent_keeps_its_meaning() -> None:
    assert rules(".a, .b { & p { x: y } }")[0][0] == [":is(.a, .b) p"]
    assert rules(".a .b { .x & { x: y } }")[0][0] == [".x :is(.a .b)"]
    assert rules("div { .x& { x: y } }")[0][0] == [".x:is(div)"]


def test_conditions_nested_in_a_rule_apply_to_its_selectors_and_order_is_kept() -> None:
    assert rules(".a { x: 1; @media print { x: 2; .q { x: 3 } } }") == [
        ([".a"], {"x": "1"}, []),
        ([".a"], {"x": "2"}, ["@media print"]),
        ([".a .q"], {"x": "3"}, ["@media print"]),
    ]


def test_keyframes_and_font_faces_are_no_rules_but_their_urls_are_references() -> None:
    sheet = lower_stylesheet(
        b"@import url(\"x.css\") screen; @import 'y.css'; @keyframes k { from { a: b } 50% { c: d } }"
        b" @font-face { src: url(z.woff2) format('woff2') } .a { background: url('b\\62.png') }",
        offset=10,
    )
    assert [rule.selectors for rule in sheet.rules] == [[".a"]]
    assert [(item.kind, item.url) for item in sheet.references] == [
        ("import", "x.css"),
        ("import", "y.css"),
        ("url", "z.woff2"),
        ("url", "bb.png"),
    ]
    assert sheet.references[0].start == 10 + len("@import url(")


@pytest.mark.parametrize(
    "source",
    [
        ".a { *zoom: 1; filter: progid:X(a='#80') }",
        ".x & { a: b }",
        ".a { content: '}' } /* } */ .b { --c: {d: e} }",
        "<!-- .a { b: c } -->",
        ".a { background: url(data:image/svg+xml;utf8,<svg>) }",
        "@tailwind base; @layer a, b; .a { @apply p-4; }",
        ".a\\:b { c: d; ; }",
    ],
)
def test_what_browsers_accept_gives_no_problem(source: str) -> None:
    assert problems(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (".a { color: red", [(3, "missing")]),
        (".a { c: d; .b { e: f }", [(3, "missing")]),
        (".a { c: d } }", [(12, "error")]),
        (".a {} /* x", [(6, "missing")]),
        (".a { b: calc((1px) }", [(12, "missing"), (3, "missing")]),
        (".a { content: 'x\n; b: c }", [(14, "error")]),
    ],
)
def test_what_does_not_close_is_a_problem(source: str, expected: list[tuple[int, str]]) -> None:
    assert problems(source) == expected


def test_a_stray_brace_takes_the_rule_after_it() -> None:
    # Chromium drops `.b` here: the brace belongs to its selector.
    assert [selectors for selectors, _, _ in rules(".a { x: 1 } } .b { x: 2 } .c { x: 3 }")] == [[".a"], [".c"]]


@pytest.mark.parametrize(
    "selector",
    [".w-1\\/2", "#\\31 23", ".\\32xl\\:p-4", "[data-x='@1']", "li:nth-child(2n + 1)", "h1, h2", "*", "a:is(.b, .c)"],
)
def test_valid_selectors_are_kept(selector: str) -> None:
    assert len(rules(f"{selector} {{ x: 1 }}")) == 1


# Chromium drops each of these with all that is nested in it.
@pytest.mark.parametrize("selector", ["", "1x", "a, 2b", "a @b", "50%"])
def test_an_invalid_selector_takes_its_block_with_it(selector: str) -> None:
    assert [found for found, _, _ in rules(f"{selector} {{ x: 1; .b {{ x: 2 }} }} .c {{ x: 3 }}")] == [[".c"]]


def test_a_style_attribute_and_a_sass_sheet() -> None:
    style = lower_declarations(b"inset: 0; background: url(a;b.png); position:fixed !important", 5)
    assert [(item.property, item.value) for item in style] == [
        ("inset", "0"),
        ("background", "url(a;b.png)"),
        ("position", "fixed"),
    ]
    assert style[0].start == 5
    references = scan_references(b"@use 'x'; // @use 'no'\n.a { b: url(c.png) }")
    assert [(item.kind, item.url) for item in references] == [("import", "x"), ("url", "c.png")]


def test_deep_nesting_does_not_recurse() -> None:
    assert lower_stylesheet(b"a{" * 5000).problems
