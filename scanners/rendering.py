"""Is the page usable once it is there? What passes every unit test, linter and probe, and stops the person at the screen.

HTML, style sheets and code are read together: the cascade decides which rule wins for an element as the page stands after
loading, the paint order which box takes a click, and a small type inference where a Date became a number. Sources:
https://www.w3.org/TR/css-cascade-5/, https://www.w3.org/TR/CSS22/zindex.html,
https://html.spec.whatwg.org/multipage/rendering.html#hidden-elements, https://tc39.es/ecma262/#sec-math.max.

It can't see: styles made at run time (CSS in JS, Sass, Less), sheets from other hosts, positions that depend on content.
"""

from __future__ import annotations

from collections.abc import Iterator

from forensics.facts import Facts
from forensics.facts.dates import date_misuses
from forensics.facts.hidden import Overridden, overridden_of
from forensics.facts.overlays import Overlay, overlays_of
from forensics.facts.rendered import RenderedPage, rendered_pages
from forensics.facts.script_modules import ScriptModules
from forensics.findings import finding
from forensics.records import Finding, Rule, Status, Verdict
from forensics.scanner import Context, Scanner


class RenderingStatus(Status):
    OK = "OK"
    BROKEN = "BROKEN"
    UNKNOWN = "UNKNOWN"


OVERLAY_BLOCKS_INPUT = Rule(
    id="rendering/overlay-blocks-input",
    severity="error",
    summary="An element stretched over controls takes their clicks",
    why="A positioned box that covers its containing block is painted, and hit, above what comes before it in the page and "
    "isn't positioned. A click goes to the topmost box under the pointer, visible or not, unless its pointer-events are "
    "none: the controls below get nothing.",
    fix="Give the covering element `pointer-events: none`, or put it below the content (a negative z-index in an isolated "
    "parent, or position and z-index on the content).",
    blind_spots="Boxes sized by content or by code, grid cells that share a place, styles made at run time.",
    sources=(
        "https://developer.mozilla.org/docs/Web/CSS/pointer-events",
        "https://www.w3.org/TR/CSS22/zindex.html",
        "https://drafts.csswg.org/cssom-view/#dom-document-elementfrompoint",
    ),
)
HIDDEN_OVERRIDDEN = Rule(
    id="rendering/hidden-overridden",
    severity="error",
    summary="A display rule outranks the hidden attribute, so the element stays",
    why="The hidden attribute is `[hidden] { display: none }` in the browser's own style sheet. Any display declaration of the "
    "page, whatever its specificity, comes from the author and outranks it.",
    fix="Add `[hidden] { display: none !important; }`, or toggle a class whose rule says display: none.",
    blind_spots="Styles made at run time, sheets from other hosts, display rules that apply only to small screens.",
    sources=(
        "https://html.spec.whatwg.org/multipage/rendering.html#hidden-elements",
        "https://developer.mozilla.org/docs/Web/HTML/Global_attributes/hidden",
        "https://www.w3.org/TR/css-cascade-5/#cascade-sort",
    ),
)
DATE_AS_NUMBER = Rule(
    id="rendering/date-as-number",
    severity="error",
    summary="A number that Math.max or Math.min made of Dates is used as a Date",
    why="Math.max and Math.min turn their arguments into numbers, as subtraction does. A number has no getFullYear or "
    "toISOString: the call throws a TypeError and what it would have drawn stays away.",
    fix="Wrap the result: new Date(Math.max(a, b)).",
    blind_spots="Values that pass through storage, JSON, or objects that more than one place fills.",
    sources=(
        "https://tc39.es/ecma262/#sec-math.max",
        "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Date/valueOf",
    ),
)
RULES = (OVERLAY_BLOCKS_INPUT, HIDDEN_OVERRIDDEN, DATE_AS_NUMBER)


def scan(facts: Facts, context: Context) -> Verdict:
    """The verdict on the rendered layer of a build."""
    found: list[Finding] = []
    undecided: list[str] = []
    modules = ScriptModules(facts)
    for page in rendered_pages(facts, modules):
        found.extend(_overlay(facts, item) for item in overlays_of(page))
        overridden, reasons = overridden_of(page)
        found.extend(_hidden(facts, page, item) for item in overridden)
        undecided.extend(reasons)
    found.extend(_dates(facts, modules))
    unique = tuple({(item.rule, item.location, item.key): item for item in found}.values())
    if any(item.severity == "error" for item in unique):
        return Verdict(scanner="rendering", status=RenderingStatus.BROKEN.value, findings=unique)
    if undecided:
        return Verdict(scanner="rendering", status=RenderingStatus.UNKNOWN.value, reason=undecided[0], findings=unique)
    return Verdict(scanner="rendering", status=RenderingStatus.OK.value, findings=unique)


def _overlay(facts: Facts, item: Overlay) -> Finding:
    box, control = item.box, item.controls[0]
    rule = item.position
    others = f" and {len(item.controls) - 1} more" if len(item.controls) > 1 else ""
    area = f"all of {item.block.shown()}" if item.block is not None else "the whole screen"
    lies = "lies invisibly over" if item.is_invisible else "lies over"
    related = [facts.at(control.site, "gets no click")]
    if rule.site != box.element.site:
        related.append(facts.at(box.element.site, "the element that covers"))
    related += [
        facts.at(site, "stretches it") for site in dict.fromkeys(pin.site for pin in item.pins) if site != rule.site
    ]
    return finding(
        OVERLAY_BLOCKS_INPUT,
        facts.at(rule.site),
        f"{box.shown()} {lies} {area} and takes the clicks meant for {control.shown()}{others}: nothing happens when they are "
        "clicked.",
        key=f"{box.shown()} {control.shown()}",
        related=related,
        evidence=[f"position: {rule.value} by {rule.selector or 'the style attribute'}"],
        confidence="high" if item.block is not None or rule.value == "fixed" else "medium",
    )


def _hidden(facts: Facts, page: RenderedPage, item: Overridden) -> Finding:
    element, rule = item.element, item.by
    when = "is there from the start" if item.from_start else "stays when code hides it"
    related = [facts.at(element.site, "the element")] if element.site != rule.site else []
    related += [facts.at(act.site, "hides it through the attribute") for act in item.acts[:3]]
    selector = rule.selector or "its style attribute"
    return finding(
        HIDDEN_OVERRIDDEN,
        facts.at(rule.site),
        f"{element.shown()} {when}: `display: {rule.value}` of {selector} outranks the hidden attribute, and no rule for "
        "[hidden] outranks it.",
        key=f"{element.shown()} {rule.selector}",
        related=related,
    )


def _dates(facts: Facts, modules: ScriptModules) -> Iterator[Finding]:
    for misuse in date_misuses(facts, modules):
        yield finding(
            DATE_AS_NUMBER,
            facts.at(misuse.use),
            f"{misuse.text} throws a TypeError: the value is the number that {misuse.maker} made of Dates, not a Date.",
            key=misuse.text,
            related=[
                facts.at(misuse.origin, f"{misuse.maker} gives a number"),
                *(facts.at(site, "fails likewise") for site in misuse.further[:3]),
            ],
            evidence=[f"followed through {step.path}" for step in misuse.steps],
            fix=f"Wrap it where it is made: new Date({misuse.maker}(…)).",
        )


SCANNER = Scanner(name="rendering", statuses=RenderingStatus, rules=RULES, scan=scan)
