"""The CSS cascade for the properties that decide whether an element is seen and takes clicks.

What wins for an element as the page stands after loading (no pointer over it, nothing focused, a desktop screen), and
what may win in another state: under a class that code toggles, a condition that depends on the person, an ancestor
outside of the known tree. Order of precedence: https://www.w3.org/TR/css-cascade-5/#cascade-sort (importance, element
style, layers, specificity, order). Selectors are matched by cssselect2.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import cssselect2

from forensics.facts.elements import Element
from forensics.facts.interpreter import Site
from forensics.facts.media import condition_holds, media_holds
from forensics.syntax import ir

SIDES = ("top", "right", "bottom", "left")
# Properties that make a stacking context or a containing block of the element they stand on.
CONTEXT_PROPERTIES = (
    "transform",
    "translate",
    "rotate",
    "scale",
    "filter",
    "backdrop-filter",
    "perspective",
    "clip-path",
    "mask",
    "mask-image",
    "mix-blend-mode",
    "isolation",
    "will-change",
    "contain",
    "container-type",
    "animation",
)
_READ = frozenset(
    {"display", "position", *SIDES, "width", "height", "min-width", "min-height", "max-width", "max-height", "z-index"}
    | {"pointer-events", "visibility", "opacity", "content", "margin", "content-visibility", *CONTEXT_PROPERTIES}
)
_SHORTHANDS = {
    "inset": SIDES,
    "inset-inline": ("left", "right"),
    "inset-block": ("top", "bottom"),
}
_RENAMED = {
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "inline-size": "width",
    "block-size": "height",
    "animation-name": "animation",
    "-webkit-transform": "transform",
    "-webkit-filter": "filter",
    "-webkit-backdrop-filter": "backdrop-filter",
    "margin-top": "margin",
    "margin-left": "margin",
}
RELEVANT = _READ | frozenset(_SHORTHANDS) | frozenset(_RENAMED)
OPEN = "?"  # a value that can't be told
INFINITY = float("inf")
MOST_ELEMENTS = 6000


@dataclass(frozen=True)
class Sheet:
    """A style sheet as it applies to a page.

    `scope`: the component whose elements alone it styles; `module`: what a CSS module's class names get as ending;
    `outer`: conditions that the link or import puts on it; `loose`: its place among the others isn't known.
    """

    path: str
    rules: Sequence[ir.CssRule]
    layers: tuple[tuple[int, str], ...] = ()
    scope: str = ""
    module: str = ""
    outer: tuple[str, ...] = ()
    loose: bool = False


@dataclass(frozen=True)
class Declared:
    """A declaration that applies, or may apply, to an element. `selector` is "" for the style attribute."""

    property: str
    value: str
    site: Site
    selector: str
    is_certain: bool
    key: tuple[Any, ...] = field(repr=False)
    loose: bool = False


@dataclass(frozen=True)
class Outcome:
    """What decides a property: the winner (None: nothing declares it), and what may win in its place."""

    winner: Declared | None
    alternatives: tuple[Declared, ...]

    @property
    def value(self) -> str:
        """The winning value, "" where nothing is declared."""
        return self.winner.value if self.winner is not None else ""

    def could(self, *values: str) -> bool:
        """Whether one of the values, or one that can't be told, may apply in some state."""
        return any(item.value in values or item.value == OPEN for item in (self.winner, *self.alternatives) if item)


@dataclass(frozen=True)
class Subject:
    """The last compound of a selector. `attributes`: those it asks for by plain `[name]` selectors; `is_open`: it asks for
    a state of the element; `needs_shown`: it leaves out hidden elements."""

    name: str
    ids: tuple[str, ...]
    classes: tuple[str, ...]
    pseudo: str
    is_open: bool
    attributes: tuple[str, ...] = ()
    needs_shown: bool = False


@dataclass(frozen=True)
class _Rule:
    selector: str
    subject: Subject
    declarations: tuple[tuple[str, str, bool, Site], ...]
    rank: tuple[float, ...]
    order: int
    holds: bool | None
    scope: str
    loose: bool


class Cascade:
    """The rules of a page's sheets, asked element by element. `toggled` are classes that code puts on elements that
    can't be told."""

    def __init__(self, sheets: Sequence[Sheet], toggled: frozenset[str] = frozenset()) -> None:
        self.toggled = toggled
        self._variables = _variables(sheets)
        self._by_key: dict[str, list[_Rule]] = defaultdict(list)
        self.rules: list[_Rule] = []
        layers = _layer_order(sheets)
        for sheet in sheets:
            for rule in sheet.rules:
                self._add(sheet, rule, layers)
        self._wrappers: dict[int, Any] = {}
        self._trees: dict[int, Element] = {}
        self._is_fragment: dict[int, bool] = {}
        self._changing = set(toggled)
        self._matches: dict[tuple[int, str, bool], list[tuple[_Rule, bool]]] = {}

    def _add(self, sheet: Sheet, rule: ir.CssRule, layers: dict[tuple[str, ...], int]) -> None:
        declarations: list[tuple[str, str, bool, Site]] = []
        for written in rule.declarations:
            if written.property in RELEVANT:
                site = Site(sheet.path, written.start, written.end)
                value = self.resolved(written.value)
                declarations.extend(
                    (name, part, written.important, site) for name, part in _longhands(written.property, value)
                )
        if not declarations:
            return
        conditions = (*sheet.outer, *rule.conditions)
        held = [condition_holds(condition) for condition in conditions]
        if False in held:
            return
        rank = _rank(_layer_of(conditions, sheet.path), layers)
        for selector in rule.selectors:
            text, is_global = _plain(selector, sheet.module)
            scope = "" if is_global else sheet.scope
            subject = subject_of(text)
            item = _Rule(
                text,
                subject,
                tuple(declarations),
                rank,
                len(self.rules),
                None if None in held or is_global is None else True,
                scope,
                sheet.loose,
            )
            self.rules.append(item)
            key = f"#{subject.ids[0]}" if subject.ids else f".{subject.classes[0]}" if subject.classes else subject.name
            self._by_key[key.lower() if key == subject.name else key].append(item)

    def resolved(self, value: str) -> str:
        """A value in lower case with its custom properties put in; OPEN where they can't be told."""
        for _ in range(4):
            found = _VAR.search(value)
            if not found:
                break
            known = self._variables.get(found.group(1))
            if known is None or len(known) != 1:
                return OPEN
            value = value[: found.start()] + next(iter(known)) + value[found.end() :]
        return OPEN if "var(" in value else value.strip().lower()

    # ------------------------------------------------------------------ matching

    def outcome(self, element: Element, name: str, pseudo: str = "", as_hidden: bool = False) -> Outcome:
        """What decides a property of an element or of its pseudo-element; `as_hidden`: with the hidden attribute set."""
        declared = list(self.declared(element, name, pseudo, as_hidden))
        certain = [item for item in declared if item.is_certain]
        winner = max(certain, key=lambda item: item.key) if certain else None
        alternatives = [item for item in declared if not item.is_certain and (winner is None or item.key > winner.key)]
        if winner is not None:
            alternatives += [
                item
                for item in certain
                if item is not winner
                and (item.loose or winner.loose)
                and item.key[:4] == winner.key[:4]
                and item.site.path != winner.site.path
            ]
        if element.any_style and not pseudo:
            alternatives.append(Declared(name, OPEN, element.site, "", False, ()))
        return Outcome(winner, tuple(alternatives))

    def declared(self, element: Element, name: str, pseudo: str = "", as_hidden: bool = False) -> Iterator[Declared]:
        """Every declaration of a property that applies or may apply."""
        for rule, is_certain in self.matching(element, pseudo, as_hidden):
            for property_name, value, important, site in rule.declarations:
                if property_name == name:
                    rank = tuple(-part for part in rule.rank) if important else rule.rank
                    key = (important, False, rank, _specificity(rule.selector), rule.order)
                    yield Declared(name, value, site, rule.selector, is_certain, key, rule.loose)
        if not pseudo:
            for place, item in enumerate(element.style):
                for property_name, value in _longhands(item.property, self.resolved(item.value)):
                    if property_name == name:
                        own = (item.important, True, (), (), place)
                        yield Declared(name, value, element.site, "", True, own)

    def matching(self, element: Element, pseudo: str = "", as_hidden: bool = False) -> list[tuple[_Rule, bool]]:
        """Rules that match an element (True) or may (False)."""
        key = (id(element), pseudo, as_hidden)
        if key not in self._matches:
            self._trees[id(element)] = element
            self._matches[key] = list(self._match(element, pseudo, as_hidden))
        return self._matches[key]

    def selects(self, selector: str, element: Element) -> bool:
        """Whether a selector list matches an element as the tree stands."""
        wrapper = None
        for part in _selector_list(selector):
            if not self._may_be(element, subject_of(part)):
                continue
            test = _compiled(part)
            wrapper = wrapper or self._wrapper(element)
            if test is not None and test(wrapper):
                return True
        return False

    def _match(self, element: Element, pseudo: str, as_hidden: bool) -> Iterator[tuple[_Rule, bool]]:
        wrapper = self._wrapper(element)
        attributes = wrapper.etree_element.attrib
        had_hidden = "hidden" in attributes
        if as_hidden:
            attributes["hidden"] = ""
        try:
            for rule in self._candidates(element):
                if rule.subject.pseudo != pseudo or (rule.scope and rule.scope != element.origin):
                    continue
                if not self._may_be(element, rule.subject) or (as_hidden and rule.subject.needs_shown):
                    continue
                test = _compiled(rule.selector)
                if test is not None and rule.holds and test(wrapper):
                    yield rule, True
                elif self._is_open(element, rule):
                    yield rule, False
        finally:
            if as_hidden and not had_hidden:
                del attributes["hidden"]

    def _is_open(self, element: Element, rule: _Rule) -> bool:
        """Whether a rule that doesn't match as the tree stands may match in another state: its condition is open, its
        selector asks for a state, for surroundings that aren't known, or for a class that code puts somewhere."""
        if rule.holds is None or element.any_class or _asks_for_state(rule.selector):
            return True
        if self._is_fragment.get(id(element), True):
            return True
        if any(name in self._changing for name in _class_names(rule.selector)):
            return True
        return bool(element.maybe_classes)

    def _candidates(self, element: Element) -> Iterable[_Rule]:
        if element.any_class:
            return self.rules
        keys = [element.name.lower(), ""]
        keys += [f".{name}" for name in {*element.classes, *element.maybe_classes, *self.toggled}]
        identifier = element.attributes.get("id", "")
        if identifier:
            keys.append(f"#{identifier}")
        if "id" in element.attributes and identifier is None:
            return self.rules
        return [rule for key in dict.fromkeys(keys) for rule in self._by_key.get(key, ())]

    def _may_be(self, element: Element, subject: Subject) -> bool:
        """Whether the last compound may match the element in some state."""
        if subject.name and element.name and subject.name.lower() != element.name.lower():
            return False
        identifier = element.attributes.get("id", "")
        if subject.ids and identifier is not None and any(name != identifier for name in subject.ids):
            return False
        if "hidden" in subject.attributes and not self._may_be_hidden(element):
            return False
        if element.any_class:
            return True
        known = element.classes | element.maybe_classes | self.toggled
        return all(name in known for name in subject.classes)

    def _may_be_hidden(self, element: Element) -> bool:
        """Whether the hidden attribute is on an element, or may come to be."""
        if "hidden" in element.attributes or "hidden" in element.maybe_attributes:
            return True
        return "hidden" in self._wrapper(element).etree_element.attrib

    def _wrapper(self, element: Element) -> Any:
        if id(element) not in self._wrappers:
            self._wrap([element, *element.ancestors()][-1])
        return self._wrappers[id(element)]

    def _wrap(self, root: Element) -> None:
        owners: dict[int, Element] = {}
        top = _etree(root, owners)
        if root.name != "html":
            # A fragment stands somewhere in a page.
            page = ElementTree.Element("html")
            body = ElementTree.SubElement(page, "body")
            ElementTree.SubElement(body, "unknown-place").append(top)
            top = page
        for wrapper in cssselect2.ElementWrapper.from_html_root(top).iter_subtree():
            owner = owners.get(id(wrapper.etree_element))
            if owner is not None:
                self._wrappers[id(owner)] = wrapper
                self._trees[id(owner)] = owner
                self._is_fragment[id(owner)] = root.name != "html"
                self._changing |= owner.maybe_classes


def _etree(root: Element, owners: dict[int, Element]) -> ElementTree.Element:
    def made(item: Element) -> ElementTree.Element:
        attributes = {name: value for name, value in item.attributes.items() if value is not None}
        attributes["class"] = " ".join(sorted(item.classes))
        node = ElementTree.Element(item.name or "unknown-component", attributes)
        owners[id(node)] = item
        return node

    top = made(root)
    stack = [(root, top)]
    while stack:
        item, node = stack.pop()
        for child in item.children:
            if len(owners) >= MOST_ELEMENTS:
                break
            below = made(child)
            node.append(below)
            stack.append((child, below))
    return top


# ---------------------------------------------------------------------- selectors

_PSEUDO_ELEMENTS = frozenset({"before", "after", "first-line", "first-letter"})
_TOKEN = re.compile(
    r"(?P<id>#(?:[\w-]|[^\x00-\x7f]|\\.)+)|(?P<class>\.(?:[\w-]|[^\x00-\x7f]|\\.)+)|(?P<pseudo>::?[\w-]+)|(?P<bracket>[\[(])"
    r"|(?P<name>(?:[\w-]|[^\x00-\x7f]|\\.)+)|(?P<any>\*)",
)
_NOT_HIDDEN = re.compile(r":not\(\s*\[\s*hidden\s*\]\s*\)")
_ESCAPED = re.compile(r"\\([0-9a-fA-F]{1,6}\s?|.)")
# Attributes that code doesn't change on an element that is there.
_LASTING = frozenset({"type", "href", "for", "name", "role", "src", "rel", "lang", "dir"})
_STRUCTURAL = frozenset(
    {"first-child", "last-child", "only-child", "nth-child", "first-of-type", "last-of-type", "root"}
)


@lru_cache(maxsize=20000)
def subject_of(selector: str) -> Subject:
    """The last compound of a complex selector."""
    text = selector[_last_compound(selector) :]
    name, pseudo, is_open = "", "", False
    ids: list[str] = []
    classes: list[str] = []
    attributes: list[str] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            at += 1
            continue
        at = found.end()
        kind, piece = found.lastgroup, found.group()
        if kind == "id":
            ids.append(_unescaped(piece[1:]))
        elif kind == "class":
            classes.append(_unescaped(piece[1:]))
        elif kind == "name":
            name = _unescaped(piece)
        elif kind == "pseudo":
            word = piece.lstrip(":").lower()
            if piece.startswith("::") or word in _PSEUDO_ELEMENTS:
                pseudo = word
            elif word not in _STRUCTURAL:
                is_open = True
        elif kind == "bracket":
            at = _closing(text, found.start())
            if piece == "[":
                attribute = re.match(r"\[\s*([\w-]+)", text[found.start() : at])
                attributes.append(attribute.group(1).lower() if attribute else "")
    is_open = is_open or any(item not in _LASTING for item in attributes)
    return Subject(
        name, tuple(ids), tuple(classes), pseudo, is_open, tuple(attributes), _NOT_HIDDEN.search(text) is not None
    )


def _last_compound(text: str) -> int:
    start, at = 0, 0
    while at < len(text):
        mark = text[at]
        if mark == "\\":
            at += 2
            continue
        if mark in "[(":
            at = _closing(text, at)
            continue
        if mark in " >+~":
            start = at + 1
        at += 1
    return start


def _closing(text: str, at: int) -> int:
    depth, quote = 0, ""
    while at < len(text):
        mark = text[at]
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        elif mark in "[(":
            depth += 1
        elif mark in "])":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return len(text)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def plain(found: re.Match[str]) -> str:
        code = found.group(1).strip()
        if re.fullmatch(r"[0-9a-fA-F]+", code):
            number = int(code, 16)
            return chr(number) if 0 < number < 0x110000 else "\ufffd"
        return found.group(1)

    return _ESCAPED.sub(plain, text)


@lru_cache(maxsize=5000)
def _selector_list(text: str) -> tuple[str, ...]:
    return tuple(re.sub(r"\s+", " ", part).strip() for part in re.split(r",(?![^(\[]*[)\]])", text))


@lru_cache(maxsize=20000)
def _selector(text: str) -> Any:
    try:
        return cssselect2.compile_selector_list(text)[0]
    except Exception:  # hostile or unsupported selectors match nothing for sure
        return None


def _compiled(text: str) -> Any:
    found = _selector(text)
    return found.test if found is not None else None


def _specificity(text: str) -> tuple[int, int, int]:
    found = _selector(text)
    if found is not None:
        a, b, c = found.specificity
        return (a, b, c)
    # An unknown pseudo-class counts as a class.
    subject = subject_of(text)
    return (text.count("#"), text.count(".") + text.count("[") + 1, 1 if subject.name else 0)


@lru_cache(maxsize=20000)
def _asks_for_state(text: str) -> bool:
    if subject_of(text).is_open or any(name not in _LASTING for name in re.findall(r"\[\s*([\w-]+)", text)):
        return True
    words = re.findall(r":([\w-]+)", text)
    return any(word not in _STRUCTURAL and word not in _PSEUDO_ELEMENTS for word in words)


@lru_cache(maxsize=20000)
def _class_names(text: str) -> tuple[str, ...]:
    return tuple(_unescaped(found) for found in re.findall(r"\.((?:[\w-]|[^\x00-\x7f]|\\.)+)", text))


_MODULE_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
_LOCAL = re.compile(r":{1,2}(?:v-)?(global|deep|slotted|local)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")


def _plain(selector: str, module: str) -> tuple[str, bool]:
    """A selector as a browser would get it, and whether it leaves its component's scope."""
    is_global = False
    if ":" in selector and (
        "global" in selector or "deep" in selector or "slotted" in selector or ":local" in selector
    ):
        is_global = ":local" not in selector
        if module and is_global:
            return _LOCAL.sub(lambda found: found.group(2), selector), True
        selector = _LOCAL.sub(lambda found: found.group(2), selector).replace("::v-deep", "").replace(">>>", " ")
        selector = " ".join(selector.split())
    if module:
        return _MODULE_CLASS.sub(lambda found: f".{found.group(1)}{module}", selector), is_global
    return selector, is_global


# ------------------------------------------------------------------------- values

_VAR = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,[^()]*(?:\([^()]*\)[^()]*)*)?\)")


def _variables(sheets: Sequence[Sheet]) -> dict[str, set[str]]:
    """Custom properties with every value that some rule gives them."""
    found: dict[str, set[str]] = defaultdict(set)
    for sheet in sheets:
        for rule in sheet.rules:
            for item in rule.declarations:
                if item.property.startswith("--"):
                    found[item.property].add(item.value)
    return found


def _longhands(name: str, value: str) -> list[tuple[str, str]]:
    if name in _SHORTHANDS:
        sides = _SHORTHANDS[name]
        parts = value.split() if "(" not in value else [value]
        if value == OPEN or not parts or len(parts) > len(sides):
            return [(side, OPEN) for side in sides]
        if len(sides) == 2:
            parts = [parts[0], parts[-1]]
        elif len(parts) == 1:
            parts = parts * 4
        elif len(parts) == 2:
            parts = [parts[0], parts[1], parts[0], parts[1]]
        elif len(parts) == 3:
            parts = [*parts, parts[1]]
        return list(zip(sides, parts, strict=False))
    return [(_RENAMED.get(name, name), value)]


# ------------------------------------------------------------------------- layers


def _layer_of(conditions: Iterable[str], path: str) -> tuple[str, ...]:
    names: list[str] = []
    for condition in conditions:
        if condition.lower().startswith("@layer"):
            written = condition[6:].strip()
            names.extend(written.split(".") if written else [f"anonymous in {path}"])
    return tuple(names)


def _layer_order(sheets: Sequence[Sheet]) -> dict[tuple[str, ...], int]:
    """Each layer's place among its siblings, by first mention."""
    order: dict[tuple[str, ...], int] = {}

    def mention(names: tuple[str, ...]) -> None:
        for depth in range(1, len(names) + 1):
            order.setdefault(names[:depth], len(order))

    for sheet in sheets:
        mentions = [(at, (*_layer_of(sheet.outer, sheet.path), *name.split("."))) for at, name in sheet.layers]
        mentions += [(rule.start, _layer_of((*sheet.outer, *rule.conditions), sheet.path)) for rule in sheet.rules]
        for _, names in sorted(mentions, key=lambda item: item[0]):
            mention(names)
    return order


def _rank(names: tuple[str, ...], order: dict[tuple[str, ...], int]) -> tuple[float, ...]:
    """Later is stronger; what stands in no layer comes after every layer, at each level."""
    return (*(float(order.get(names[: depth + 1], 0)) for depth in range(len(names))), INFINITY)


def link_condition(media: str) -> tuple[str, ...]:
    """What a `media` attribute puts on a sheet; nothing where it always applies."""
    return () if media_holds(media) is True else (f"@media {media}",)
