"""Pages for the rendering oracle: random ones, and clean ones with a defect put in by rule.

A random page has a few sections with controls and boxes over them; positions, offsets, z-indexes and what lifts a box out of
the way are drawn from a seed, so that a failure names the page that shows it.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Injected:
    """A page with a defect: its files, the selector that shows it, and the rule that must report it."""

    kind: str
    files: dict[str, str]
    shown_by: str
    rule: str


def stacked_page(seed: int) -> str:
    """A page whose boxes lie over each other in ways that only paint order decides."""
    pick = random.Random(seed)
    rules: list[str] = ["button { font: inherit; }"]
    sections = []
    for section in range(pick.randint(1, 3)):
        name = f"s{section}"
        own = [pick.choice(["", "position: relative;", "position: relative; z-index: 0;", "isolation: isolate;"])]
        own.append(pick.choice(["", "", "display: flex;", "display: grid;"]))
        rules.append(f".{name} {{ padding: 20px; {' '.join(own)} }}")
        parts = []
        for number in range(pick.randint(1, 2)):
            control = f"{name}c{number}"
            held = pick.choice(["", "", "position: relative;", "position: relative; z-index: 1;", "opacity: .9;"])
            held += pick.choice(["", "", "", " z-index: 2;"])
            rules.append(f"#{control} {{ {held} }}")
            parts.append(f'<button id="{control}">Go</button>')
        for number in range(pick.randint(0, 2)):
            box = f"{name}b{number}"
            position = pick.choice(["absolute", "absolute", "absolute", "fixed", "relative"])
            pins = pick.choice(
                [
                    "inset: 0;",
                    "top: 0; right: 0; bottom: 0; left: 0;",
                    "top: 0; left: 0; width: 100%; height: 100%;",
                    "inset: 0 auto auto 0;",
                    "inset: 0; max-width: 10px;",
                ]
            )
            more = pick.choice(
                ["", "", "", "pointer-events: none;", "display: none;", "visibility: hidden;", "opacity: 0;"]
            )
            more += pick.choice(["", "", " z-index: 1;", " z-index: -1;", " z-index: 3;"])
            rules.append(f".{box} {{ position: {position}; {pins} {more} }}")
            place = pick.choice(["first", "last", "last", "pseudo"])
            if place == "pseudo":
                side = pick.choice(["before", "after"])
                rules[-1] = f'.{name}::{side} {{ content: ""; position: {position}; {pins} {more} }}'
            elif place == "first":
                parts.insert(0, f'<div class="{box}"></div>')
            else:
                parts.append(f'<div class="{box}"></div>')
        sections.append(f'<section class="{name}">{"".join(parts)}</section>')
    style = "\n".join(rules)
    return f"<!doctype html><html><head><style>{style}</style></head><body>{''.join(sections)}</body></html>"


def cascaded_page(seed: int) -> str:
    """A page with hidden elements and display rules that compete for them."""
    pick = random.Random(seed)
    selectors = [
        "[hidden]",
        ".a",
        ".b",
        "#x",
        "div",
        ".a.b",
        "main .a",
        "div:not([hidden])",
        ".a[hidden]",
        ":is(.a, #y)",
    ]
    selectors += [":where(.a)", "main > .b", ".a:hover", ".b::before", "div:first-child", ".a + .b", "html .a"]
    rules = []
    for _ in range(pick.randint(1, 6)):
        selector = pick.choice(selectors)
        value = pick.choice(["none", "none", "flex", "grid", "block"]) if ":hover" not in selector else "flex"
        important = pick.choice(["", "", "", " !important"])
        rule = f"{selector} {{ display: {value}{important}; }}"
        around = pick.choice(
            [
                *("", "", "", ""),
                *("@media (max-width: 500px)", "@media (min-width: 500px)", "@media print", "@layer one"),
                *("@layer two", "@supports (display: grid)", "@media screen and (width >= 600px)"),
            ]
        )
        rules.append(f"{around} {{ {rule} }}" if around else rule)
    if pick.random() < 0.3:
        rules.insert(0, "@layer two, one;")
    style = "\n".join(rules)
    inline = pick.choice(["", "", "", ' style="display: flex"', ' style="color: red"'])
    return (
        f'<!doctype html><html><head><style>{style}</style></head><body><main><div id="x" class="a" hidden{inline}>1</div>'
        f'<div id="y" class="b" hidden>2</div><div id="z" class="a b" hidden>3</div></main></body></html>'
    )


COVERS = (
    ("fixed-cover", "position: fixed; inset: 0;"),
    ("sized-cover", "position: fixed; top: 0; left: 0; width: 100vw; height: 100vh; z-index: 9999;"),
    ("faint-cover", "position: absolute; inset: 0; opacity: 0; z-index: 9999;"),
)


def with_defects(files: dict[str, str], page: str, control: str) -> list[Injected]:
    """A clean build with one defect at a time; `control` is the selector of a control that takes clicks in it."""
    text = files[page]
    found = []
    for kind, style in COVERS:
        if kind == "faint-cover":
            style += " height: 100vh;"
        rule = f"<style>.injected-{kind} {{ {style} }}</style>"
        mended = _before_end(text, "head", rule)
        mended = _before_end(mended, "body", f'<div class="injected-{kind}"></div>')
        found.append(Injected(kind, {**files, page: mended}, control, "rendering/overlay-blocks-input"))
    inline = _before_end(text, "body", '<div style="position:fixed;top:0;right:0;bottom:0;left:0;z-index:1000"></div>')
    found.append(Injected("inline-cover", {**files, page: inline}, control, "rendering/overlay-blocks-input"))
    rule = "<style>body::before { content: ''; position: fixed; inset: 0; z-index: 1000; }</style>"
    pseudo = _before_end(text, "head", rule)
    found.append(Injected("pseudo-cover", {**files, page: pseudo}, control, "rendering/overlay-blocks-input"))
    for kind, attributes, rule in (
        ("hidden-class", 'class="injected" hidden', ".injected { display: flex; }"),
        (
            "hidden-id",
            'id="injected" class="injected" hidden',
            "#injected { display: grid; } .injected[hidden] {display: none}",
        ),
        ("hidden-inline", 'class="injected" style="display: block" hidden', ""),
    ):
        if "!important" in "".join(files.values()):
            continue
        shown = _before_end(text, "head", f"<style>{rule}</style>")
        shown = _before_end(shown, "body", f"<p {attributes}>Injected</p>")
        found.append(Injected(kind, {**files, page: shown}, ".injected", "rendering/hidden-overridden"))
    return found


WRAPPED = re.compile(r"new Date\((Math\.(?:max|min)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))\)")


def unwrapped(files: dict[str, str]) -> list[Injected]:
    """A clean build with each `new Date(Math.max(…))` in turn left as the number."""
    found = []
    for path, text in files.items():
        for match in WRAPPED.finditer(text):
            broken = text[: match.start()] + match.group(1) + text[match.end() :]
            found.append(Injected("unwrapped", {**files, path: broken}, "", "rendering/date-as-number"))
    return found


def _before_end(text: str, name: str, more: str) -> str:
    """The page with markup put before an end tag, or where it would be."""
    at = text.rfind(f"</{name}>")
    if at >= 0:
        return text[:at] + more + text[at:]
    at = text.find("<body") if name == "head" else len(text)
    return text[:at] + more + text[at:]
