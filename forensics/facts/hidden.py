"""Elements that the page or its code hides through the hidden attribute, and what the cascade makes of it.

The attribute hides by `[hidden] { display: none }` in the browser's own sheet
(https://html.spec.whatwg.org/multipage/rendering.html#hidden-elements), which every display rule of the page outranks.
"""

from __future__ import annotations

from dataclasses import dataclass

from forensics.facts.cascade import OPEN, Declared
from forensics.facts.dom_code import Act
from forensics.facts.elements import Element
from forensics.facts.rendered import RenderedPage


@dataclass(frozen=True)
class Overridden:
    """An element that stays in spite of the attribute. `by` is the display rule; `acts` the code that hides it;
    `from_start`: it is hidden in the markup."""

    element: Element
    by: Declared
    acts: tuple[Act, ...]
    from_start: bool


def overridden_of(page: RenderedPage) -> tuple[list[Overridden], list[str]]:
    """Elements whose hidden attribute does nothing, and the reasons why others can't be told."""
    found: list[Overridden] = []
    open_reasons: list[str] = []
    for root in page.roots():
        for element in root.subtree():
            acts = tuple(act for act in page.acts_on(element) if act.kind == "hide")
            from_start = element.attributes.get("hidden", "until-found") != "until-found"
            may_hide = "hidden" in element.maybe_attributes or element.attributes.get("hidden", "") is None
            if not (acts or from_start or may_hide) or element.name in ("", "svg", "input"):
                continue
            item = _overridden(page, element, acts, from_start, open_reasons)
            if item is not None:
                found.append(item)
    return found, open_reasons


def _overridden(
    page: RenderedPage, element: Element, acts: tuple[Act, ...], from_start: bool, open_reasons: list[str]
) -> Overridden | None:
    outcome = page.cascade.outcome(element, "display", as_hidden=True)
    winner = outcome.winner
    if winner is None or winner.value in ("none", OPEN, "revert", "revert-layer", "initial") or page.hides_hidden:
        return None
    if element.any_style or any(item.value in ("none", OPEN) for item in outcome.alternatives):
        return None
    if page.foreign:
        open_reasons.append(f"{page.page} loads {page.foreign[0]}, which may hide [hidden] elements")
        return None
    if any(act.kind in ("touch", "style") for act in page.acts_on(element)):
        return None  # code also hides or removes it by other means
    for item in element.ancestors():
        if page.cascade.outcome(item, "display").value == "none" and from_start and not acts:
            return None
    return Overridden(element, winner, acts, from_start)
