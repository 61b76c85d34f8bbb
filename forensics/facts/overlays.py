"""Boxes that lie over controls and take their clicks.

A box blocks a control when it is stretched over a containing block that holds the control, is painted above it, is there
whenever the control is, takes pointer events and is no control itself. Whatever may lift that in some state of the page
(a class that code toggles, a rule under an open condition, code that removes the box) acquits it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from forensics.facts.cascade import OPEN, Declared
from forensics.facts.elements import Element
from forensics.facts.rendered import RenderedPage
from forensics.facts.stacking import Box, Stacking, Undecided

_NEVER_BOXES = frozenset({"head", "script", "style", "link", "meta", "title", "template", "noscript", "html", "body"})
_STATIC = frozenset({"", "static", "relative", "sticky", "initial", "unset"})


@dataclass(frozen=True)
class Overlay:
    """A box over controls. `block` is its containing block (None: the viewport); `controls` what it covers, in document
    order; `position` and `pins` are the declarations that stretch it."""

    box: Box
    block: Element | None
    controls: tuple[Element, ...]
    position: Declared
    pins: tuple[Declared, ...]
    is_invisible: bool


def overlays_of(page: RenderedPage) -> Iterator[Overlay]:
    """Every box of a page that takes the clicks meant for controls under it."""
    for root in page.roots():
        elements = list(root.subtree())
        controls = [
            item for item in elements if item.is_interactive() and item.name not in ("option", "label", "iframe")
        ]
        if not controls:
            continue
        stacking = Stacking(page.cascade, root)
        for element in elements:
            if not element.name or (element.name in _NEVER_BOXES and element.name != "body"):
                continue
            for box in _boxes(page, element):
                try:
                    found = _overlay(page, stacking, box, controls)
                except Undecided:
                    continue
                if found is not None:
                    yield found


def _boxes(page: RenderedPage, element: Element) -> Iterator[Box]:
    """The element and its pseudo-elements, where a declaration takes them out of the flow."""
    for pseudo in ("", "before", "after"):
        if pseudo == "" and element.name == "body":
            continue
        winner = page.cascade.outcome(element, "position", pseudo).winner
        if winner is not None and winner.value in ("absolute", "fixed"):
            if pseudo and page.cascade.outcome(element, "content", pseudo).value in ("", "none", "normal"):
                continue
            yield Box(element, pseudo)


def _overlay(page: RenderedPage, stacking: Stacking, box: Box, controls: list[Element]) -> Overlay | None:
    pins = stacking.covers(box)
    if not pins or not _takes_clicks(page, stacking, box):
        return None
    is_invisible = not box.pseudo and stacking.value(box, "opacity") in ("0", "0.0", "0%", ".0")
    opens = page.cascade.outcome(box.element, "opacity").alternatives
    if _is_meant(box, is_invisible and any(item.value not in ("0", OPEN) for item in opens)):
        return None
    block = stacking.containing_block(box)
    if block is None and stacking.root.name != "html" and stacking.position(box) != "fixed":
        return None
    key = stacking.paint_key(box)
    needed = box.element.needed()
    inside = set(map(id, box.element.subtree())) if not box.pseudo else set()
    covered = []
    for control in controls:
        if id(control) in inside or control in box.element.ancestors() or (box.pseudo and control is box.element):
            continue
        if block is not None and block is not control and block not in control.ancestors():
            continue
        if not needed <= control.needed():
            continue
        try:
            below = stacking.paint_key(Box(control))
            if (
                below < key
                and _is_reachable(page, stacking, control, block, box)
                and _has_order(stacking, box, control)
            ):
                covered.append(control)
        except Undecided:
            continue
    if not covered:
        return None
    position = page.cascade.outcome(box.element, "position", box.pseudo).winner
    assert position is not None
    return Overlay(box, block, tuple(covered), position, tuple(pins), is_invisible)


def _has_order(stacking: Stacking, box: Box, control: Element) -> bool:
    """Whether the paint order rests on known places: not where it is by document order among what code inserts."""
    pairs = zip(stacking.paint_key(Box(control)), stacking.paint_key(box), strict=False)
    below, above = next(((one, other) for one, other in pairs if one != other), ((0.0, 0.0), (1.0, 0.0)))
    around = {id(item): item for item in (box.element, *box.element.ancestors())}
    if below[0] != above[0] or any(stacking.order[place] == below[1] for place in around):
        return True
    return not (
        _is_placed_below(control, set(around)) and _is_placed_below(box.element, set(map(id, control.ancestors())))
    )


def _is_placed_below(element: Element, shared: set[int]) -> bool:
    """Whether code placed an element, or what it stands in, inside of the nearest of some elements."""
    for item in (element, *element.ancestors()):
        if id(item) in shared:
            return False
        if item.is_placed:
            return True
    return False


def _takes_clicks(page: RenderedPage, stacking: Stacking, box: Box) -> bool:
    """Whether a box is there and takes clicks, in every state that can be told."""
    element, cascade = box.element, page.cascade
    if element.touched or any(item.touched for item in element.ancestors()):
        return False
    if "inert" in element.attributes:
        return False
    if box.pseudo:
        for name, lifting in (("pointer-events", "none"), ("display", "none"), ("visibility", "hidden")):
            if cascade.outcome(element, name, box.pseudo).could(lifting):
                return False
        if cascade.outcome(element, "content", box.pseudo).could("none"):
            return False
    if cascade.outcome(element, "animation", box.pseudo).value and not box.pseudo:
        animation = stacking.value(box, "animation")
        if animation not in ("", "none") and "infinite" not in animation:
            return False
    own_events = cascade.outcome(element, "pointer-events", box.pseudo).value if box.pseudo else ""
    return _is_shown(page, element) and (own_events in ("auto", "all") or not _events_off(page, element))


def _events_off(page: RenderedPage, element: Element) -> bool:
    """Whether pointer events may be off: the property is inherited, so the nearest declaration decides."""
    for item in (element, *element.ancestors()):
        outcome = page.cascade.outcome(item, "pointer-events")
        if outcome.could("none"):
            return True
        if outcome.value in ("auto", "all"):
            return False
    return False


def _is_shown(page: RenderedPage, element: Element) -> bool:
    """Whether an element and what it stands in are surely shown."""
    for item in (element, *element.ancestors()):
        if (
            "hidden" in item.attributes
            or "hidden" in item.maybe_attributes
            or any(act.kind == "hide" for act in page.acts_on(item))
        ):
            return False
        if item.name in ("template", "noscript") or (
            item.name in ("dialog", "details") and "open" not in item.attributes
        ):
            return False
        if page.cascade.outcome(item, "display").could("none", "contents"):
            return False
        if page.cascade.outcome(item, "content-visibility").could("hidden"):
            return False
    for item in (element, *element.ancestors()):
        outcome = page.cascade.outcome(item, "visibility")
        if outcome.could("hidden", "collapse"):
            return False
        if outcome.value == "visible":
            break
    return True


def _is_meant(box: Box, opens_later: bool) -> bool:
    """Whether the box is a control of its own: it, something around it or something in it answers to a click. A sheet
    that is only transparent until it is opened is none, whatever it holds."""
    element = box.element
    if element.is_interactive() or any(item.is_interactive() for item in element.ancestors()):
        return True
    if any(not item.name for item in element.subtree()):
        return True
    if box.pseudo or opens_later:
        return False
    return any(item.is_interactive() for item in element.subtree())


def _is_reachable(page: RenderedPage, stacking: Stacking, control: Element, block: Element | None, box: Box) -> bool:
    """Whether a control is shown, takes clicks and stands inside of the block's box."""
    if "disabled" in control.attributes or (control.attributes.get("tabindex") == "-1" and control.name != "button"):
        return False
    if _events_off(page, control) or not _is_shown(page, control):
        return False
    for item in (control, *control.ancestors()):
        if item is block:
            break
        if not item.name:
            return False
        position = stacking.sure(Box(item), "position")
        if position in _STATIC:
            continue
        if position == "fixed" and not (block is None and stacking.position(box) == "fixed"):
            return False
        for side in ("top", "right", "bottom", "left"):
            value = stacking.value(Box(item), side)
            if value.startswith(("-", "100%")) or "calc" in value:
                return False
    for name in ("transform", "translate"):
        if stacking.value(Box(control), name) not in ("", "none"):
            return False
    return stacking.value(Box(control), "opacity") != "0" or control.name != "input"
