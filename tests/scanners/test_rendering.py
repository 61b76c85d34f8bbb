"""What a user reads of the rendered layer: the message, and the places that it names."""

from __future__ import annotations

import pytest

from forensics.records import Verdict
from scanners.rendering import SCANNER
from tests.in_memory import verdict_of


def rendering(html: str, **files: str) -> Verdict:
    named = {f"{name}.{'css' if '{' in text and '=' not in text else 'js'}": text for name, text in files.items()}
    return verdict_of(SCANNER, {"index.html": "<!doctype html>" + html, **named})


def shown(verdict: Verdict) -> list[str]:
    """Each finding with its places: `path:line message`, related ones below it."""
    lines = []
    for item in verdict.findings:
        lines.append(f"{item.location.path}:{item.location.line} {item.message}")
        lines += [f"  {place.path}:{place.line} {place.message}" for place in item.related]
    return lines


def test_a_covering_box_is_shown_with_its_control_and_its_rule() -> None:
    verdict = rendering(
        "<link rel=stylesheet href=look.css><section class=card>\n<button id=buy>Buy</button>\n<div class=glow></div></section>",
        look=".card { position: relative }\n.glow { position: absolute;\n inset: 0 }",
    )
    assert verdict.status == "BROKEN"
    assert shown(verdict) == [
        (
            'look.css:2 <div class="glow"> lies over all of <section class="card"> and takes the clicks meant for '
            '<button id="buy">: nothing happens when they are clicked.'
        ),
        "  index.html:2 gets no click",
        "  index.html:3 the element that covers",
        "  look.css:3 stretches it",
    ]


def test_an_element_that_stays_is_shown_with_its_rule_and_the_code_that_hides_it() -> None:
    verdict = rendering(
        "<style>.hint { display: flex }</style><p id=hint class=hint>Hint</p><script src=hide.js></script>",
        hide="const hint = document.getElementById('hint')\nfunction close() { hint.hidden = true }",
    )
    assert shown(verdict) == [
        (
            'index.html:1 <p id="hint"> stays when code hides it: `display: flex` of .hint outranks the hidden attribute, and no '
            "rule for [hidden] outranks it."
        ),
        "  index.html:1 the element",
        "  hide.js:2 hides it through the attribute",
    ]


def test_a_date_method_on_a_number_is_shown_with_what_made_the_number() -> None:
    verdict = rendering(
        "<script type=module src=main.js></script>",
        main="const last = Math.max(...days)\nconsole.log(last.getFullYear(),\n last.getMonth())",
    )
    assert shown(verdict) == [
        "main.js:2 last.getFullYear() throws a TypeError: the value is the number that Math.max made of Dates, not a Date.",
        "  main.js:1 Math.max gives a number",
        "  main.js:3 fails likewise",
    ]


@pytest.mark.parametrize(
    "box",
    [
        'class="over" hidden',
        'class="over" style="display: none"',
        'class="over" style="pointer-events: none"',
        'class="over" style="visibility: hidden"',
        'class="over" style="z-index: -1"',
        'class="over" style="width: 50%"',
        'class="over" style="max-height: 10px"',
        'class="over" style="transform: translateX(-100%)"',
        'class="over" onclick="close()"',
        'class="over" inert',
        'class="over wait"',
    ],
)
def test_a_box_that_is_out_of_the_way_is_no_finding(box: str) -> None:
    css = "<style>.over { position: fixed; left: 0; top: 0; bottom: 0; width: 100% } .ready .wait { display: none }</style>"
    code = "<script>document.body.classList.add('ready')</script>"
    assert rendering(f"{css}<button>Go</button><div {box}></div>{code}").findings == ()


def test_a_sheet_that_cannot_be_read_leaves_the_answer_open() -> None:
    page = '<link rel=stylesheet href="https://cdn.example/theme.css"><style>.a { display: flex }</style><p class=a hidden>1</p>'
    verdict = rendering(page)
    assert verdict.status == "UNKNOWN"
    assert verdict.reason == "index.html loads https://cdn.example/theme.css, which may hide [hidden] elements"


def test_a_build_without_pages_is_fine() -> None:
    assert verdict_of(SCANNER, {"server.js": "console.log(1)"}).status == "OK"
