"""What lies over what: containing blocks, paint order, and boxes that are stretched over their containing block.

Paint order is CSS 2.2, Appendix E (https://www.w3.org/TR/CSS22/zindex.html) with the stacking contexts of
https://developer.mozilla.org/docs/Web/CSS/CSS_positioned_layout/Stacking_context; hit testing takes the same order from
the top. Sizes that depend on content are never guessed: only a box pinned to its containing block on both axes counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from forensics.facts.cascade import CONTEXT_PROPERTIES, OPEN, Cascade, Declared
from forensics.facts.elements import REPLACED, Element

POSITIONED = ("relative", "absolute", "fixed", "sticky")
IN_FLOW = -0.5  # above negative z-indexes, below positioned boxes

_NOTHING = frozenset({"", "none", "auto", "normal", "initial", "unset", "flat"})
_PROMISES = re.compile(r"transform|opacity|filter|perspective|z-index|position|contents|translate|scale|rotate")
_WHOLE_WIDTH = re.compile(
    r"(?:1\d\d|[2-9]\d\d|\d{4,})(?:\.\d+)?(?:%|vw|dvw|svw|lvw)\Z|-webkit-fill-available\Z|stretch\Z"
)
_WHOLE_HEIGHT = re.compile(
    r"(?:1\d\d|[2-9]\d\d|\d{4,})(?:\.\d+)?(?:%|vh|dvh|svh|lvh)\Z|-webkit-fill-available\Z|stretch\Z"
)
_AT_OR_BEFORE_EDGE = re.compile(r"-?(?:0+(?:\.0+)?|\.0+)(?:[a-z]+|%)?\Z|-[\d.]+(?:[a-z]+|%)\Z")


class Undecided(Exception):  # noqa: N818 - it is no error: it says that a question stays open
    """A value that the answer depends on can't be told; the message says which."""


@dataclass(frozen=True)
class Box:
    """An element, or the pseudo-element of one."""

    element: Element
    pseudo: str = ""

    def parent(self) -> Element | None:
        return self.element if self.pseudo else self.element.parent

    def shown(self) -> str:
        return f"{self.element.shown()}::{self.pseudo}" if self.pseudo else self.element.shown()


class Stacking:
    """Boxes of one tree under one cascade."""

    def __init__(self, cascade: Cascade, root: Element) -> None:
        self.cascade = cascade
        self.root = root
        self.order = {id(element): place for place, element in enumerate(root.subtree())}

    def value(self, box: Box, name: str) -> str:
        """A property's value as the page stands; raises Undecided where another may win."""
        outcome = self.cascade.outcome(box.element, name, box.pseudo)
        if outcome.value == OPEN:
            raise Undecided(f"{name} of {box.shown()}")
        return outcome.value

    def sure(self, box: Box, name: str) -> str:
        """Like `value`, where no other state of the page may give another value."""
        outcome = self.cascade.outcome(box.element, name, box.pseudo)
        if any(item.value != outcome.value for item in outcome.alternatives) or outcome.value == OPEN:
            raise Undecided(f"{name} of {box.shown()}")
        return outcome.value

    def position(self, box: Box) -> str:
        return self.value(box, "position") or "static"

    # ------------------------------------------------------------ containing blocks

    def containing_block(self, box: Box) -> Element | None:
        """The element whose padding box an absolute or fixed box is laid out in; None is the viewport."""
        fixed = self.position(box) == "fixed"
        place = box.parent()
        while place is not None:
            if not place.name:
                raise Undecided("a component whose elements are not known")
            around = Box(place)
            if self._contains_fixed(around) or (not fixed and self.position(around) in POSITIONED):
                return place
            place = place.parent
        return None

    def _contains_fixed(self, box: Box) -> bool:
        for name in ("transform", "translate", "rotate", "scale", "filter", "backdrop-filter", "perspective"):
            if self.value(box, name) not in _NOTHING:
                return box.element.name not in ("html",)
        if re.search(r"paint|layout|strict|content", self.value(box, "contain")):
            return True
        if self.value(box, "container-type") not in _NOTHING:
            return True
        return bool(re.search(r"transform|filter|perspective|translate|scale|rotate", self.value(box, "will-change")))

    # ------------------------------------------------------------------- coverage

    def covers(self, box: Box) -> list[Declared]:
        """The declarations that pin a box to its containing block on both axes; [] where it isn't surely stretched."""
        deciding = [
            *self._axis(box, "left", "right", "width", _WHOLE_WIDTH),
        ]
        down = self._axis(box, "top", "bottom", "height", _WHOLE_HEIGHT)
        if not deciding or not down:
            return []
        for name in ("max-width", "max-height"):
            limit = self.value(box, name)
            if limit not in _NOTHING and not (_WHOLE_WIDTH if name == "max-width" else _WHOLE_HEIGHT).match(limit):
                return []
        for name in ("transform", "translate", "rotate", "scale", "clip-path"):
            if self.value(box, name) not in _NOTHING:
                return []
        if self.value(box, "margin") not in ("", "0", "0px", "auto"):
            return []
        return [*deciding, *down]

    def _axis(self, box: Box, first: str, last: str, size: str, whole: re.Pattern[str]) -> list[Declared]:
        near, far = self.value(box, first), self.value(box, last)
        extent = self.value(box, size)
        is_replaced = not box.pseudo and box.element.name in REPLACED | {"button", "select", "dialog"}
        fills = extent == "" or extent in ("auto", "initial", "unset")
        fills = (fills and not is_replaced) or whole.match(extent) is not None
        pins = [name for name, value in ((first, near), (last, far)) if value and _AT_OR_BEFORE_EDGE.match(value)]
        if len(pins) == 2 and fills:
            return self._winners(box, (first, last))
        if len(pins) == 1 and whole.match(extent):
            other = far if pins[0] == first else near
            if other in _NOTHING:
                return self._winners(box, (pins[0], size))
        minimum = self.value(box, f"min-{size}")
        if pins and whole.match(minimum):
            return self._winners(box, (pins[0], f"min-{size}"))
        return []

    def _winners(self, box: Box, names: tuple[str, ...]) -> list[Declared]:
        found = [self.cascade.outcome(box.element, name, box.pseudo).winner for name in names]
        return [item for item in found if item is not None]

    # ----------------------------------------------------------------- paint order

    def makes_context(self, box: Box) -> bool:
        """Whether a box makes a stacking context."""
        if box.element is self.root and not box.pseudo:
            return True
        position = self.position(box)
        if position in ("fixed", "sticky"):
            return True
        if self.layer(box) is not None and (position in POSITIONED or self._is_item(box)):
            return True
        opacity = self.value(box, "opacity")
        if opacity and opacity not in ("1", "100%", "initial", "unset"):
            return True
        for name in CONTEXT_PROPERTIES:
            value = self.value(box, name)
            if value in _NOTHING:
                continue
            if name == "will-change":
                if _PROMISES.search(value):
                    return True
            elif name == "contain":
                if re.search(r"paint|layout|strict|content", value):
                    return True
            elif name == "isolation":
                if value == "isolate":
                    return True
            elif name == "animation":
                if re.search(r"forwards|both|infinite", value):
                    raise Undecided(f"the animation of {box.shown()}")
            elif name != "container-type":
                return True
        return False

    def layer(self, box: Box) -> float | None:
        """The z-index, None for auto."""
        value = self.value(box, "z-index")
        if value in _NOTHING:
            return None
        try:
            return float(value)
        except ValueError:
            raise Undecided(f"z-index of {box.shown()}") from None

    def _is_item(self, box: Box) -> bool:
        parent = box.parent()
        if parent is None:
            return False
        return self.value(Box(parent), "display") in ("flex", "inline-flex", "grid", "inline-grid")

    def paint_key(self, box: Box) -> tuple[tuple[float, float], ...]:
        """Where a box is painted: greater keys lie above smaller ones of the same tree."""
        chain = [Box(item) for item in reversed(list(box.element.ancestors()))] + [Box(box.element)]
        if box.pseudo:
            chain.append(box)
        key: list[tuple[float, float]] = []
        level: tuple[float, float] | None = None
        for item in chain:
            place = self._place(item)
            is_positioned = self.position(item) in POSITIONED
            if self.makes_context(item):
                layer = self.layer(item) if is_positioned or self._is_item(item) else None
                key.append((layer or 0.0, place))
                level = None
            elif is_positioned:
                level = (0.0, place)  # painted as one, but what it holds may still leave it
            last = item
        if not self.makes_context(last):
            if level is not None:
                key.append(level)
            if self.position(last) not in POSITIONED:
                key.append((IN_FLOW, self._place(last)))
        return tuple(key)

    def _place(self, box: Box) -> float:
        at = float(self.order[id(box.element)])
        if box.pseudo == "before":
            return at + 0.25
        if box.pseudo == "after":
            inside = max((self.order[id(item)] for item in box.element.subtree()), default=int(at))
            return inside + 0.5
        return at
