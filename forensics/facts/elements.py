"""Elements of a page as CSS sees them: names, classes, attributes and their places in the tree.

Elements come from the page's HTML, from HTML that code holds in template strings, and from JSX. What can't be told is
said per element: classes it may come to have, whether any class is possible, conditions under which it is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from forensics.facts.interpreter import Site
from forensics.syntax import ir
from forensics.syntax.css import lower_declarations
from forensics.syntax.walk import walk

# A template's expression becomes one of these characters in the text that is read as HTML.
HOLE = "\ue000"
INTERACTIVE = frozenset({"button", "input", "select", "textarea", "summary", "label", "iframe", "option"})
REPLACED = frozenset({"canvas", "img", "video", "iframe", "svg", "object", "embed", "audio", "input", "textarea"})
POINTER_EVENTS = frozenset(
    {"click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend", "dblclick", "contextmenu"}
    | {"mousemove", "pointermove", "wheel", "mouseenter", "mouseleave", "dragover", "drop", "submit", "change", "input"}
)


@dataclass(eq=False)
class Element:
    """One element. `name` is "" for a component whose elements are not known.

    `attributes` maps names to values, None where the value isn't known; `classes` are those it surely has,
    `maybe_classes` further ones that code gives it, `any_class`: some can't be told. `style` is the style attribute.
    `conditions` are what must hold for it to be there, beside what its ancestors need. `origin` is the file whose
    scoped styles apply to it. `listens`: it, not an ancestor, answers to a pointer. `touched`: code may hide or move it.
    `is_placed`: code puts it where it is, so that its place among others of that kind isn't known.
    """

    name: str
    site: Site
    origin: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    classes: frozenset[str] = frozenset()
    maybe_classes: frozenset[str] = frozenset()
    any_class: bool = False
    style: tuple[ir.CssDeclaration, ...] = ()
    any_style: bool = False
    conditions: frozenset[str] = frozenset()
    listens: bool = False
    touched: bool = False
    maybe_attributes: frozenset[str] = frozenset()
    is_placed: bool = False
    parent: Element | None = None
    children: list[Element] = field(default_factory=list)

    @property
    def id(self) -> str | None:
        return self.attributes.get("id", "")

    def ancestors(self) -> Iterator[Element]:
        """From the parent upwards."""
        place = self.parent
        while place is not None:
            yield place
            place = place.parent

    def subtree(self) -> Iterator[Element]:
        """The element and everything below it, in document order."""
        stack = [self]
        while stack:
            item = stack.pop()
            yield item
            stack.extend(reversed(item.children))

    def needed(self) -> frozenset[str]:
        """Everything that must hold for the element to be there."""
        found = set(self.conditions)
        for item in self.ancestors():
            found |= item.conditions
        return frozenset(found)

    def append(self, child: Element) -> None:
        child.parent = self
        self.children.append(child)

    def is_interactive(self) -> bool:
        """Whether it answers to a click by itself: a control, a link, or an element with a listener."""
        if self.listens or self.name in INTERACTIVE:
            return not (self.name == "input" and self.attributes.get("type") == "hidden")
        if self.name == "a" or self.name == "area":
            return "href" in self.attributes
        editable = self.attributes.get("contenteditable", "false")
        return editable != "false" or any(name.startswith("on") for name in self.attributes)

    def shown(self) -> str:
        """How a person would name it: `<div class="stars">`."""
        if self.attributes.get("id"):
            return f'<{self.name} id="{self.attributes["id"]}">'
        if self.classes:
            return f'<{self.name} class="{" ".join(sorted(self.classes))}">'
        return f"<{self.name or 'component'}>"


Holes = list[ir.Expression]


def elements_of(
    tags: Iterable[ir.Tag], path: str, offsets: list[tuple[int, int]] | None = None, holes: Holes | None = None
) -> list[Element]:
    """The elements of a page's tags, in document order. `offsets` maps places in the read text to places in the file,
    `holes` are the expressions that stand in it."""
    found: list[Element] = []
    for tag in tags:
        site = Site(path, _source(offsets, tag.start), _source(offsets, tag.end))
        element = Element(tag.name, site, path)
        for attribute in tag.attributes:
            _add_attribute(element, attribute, holes or [])
        found.append(element)
        if tag.parent >= 0:
            found[tag.parent].append(element)
    return found


def hole(index: int) -> str:
    """The text that stands for an expression in markup that is read as HTML."""
    return HOLE + chr(0xE100 + index % 0x1700)


def _expressions(text: str, holes: Holes) -> list[ir.Expression]:
    places = [ord(text[at + 1]) - 0xE100 for at, mark in enumerate(text[:-1]) if mark == HOLE]
    return [holes[place] for place in places if place < len(holes)]


def _add_attribute(element: Element, attribute: ir.Attribute, holes: Holes) -> None:
    name, value = attribute.name, attribute.value if attribute.value is not None else ""
    if HOLE in name:
        words = {word.partition("=")[0] for item in _expressions(name, holes) for word in words_of(item)}
        element.maybe_attributes |= words
        return
    if name == "class":
        for word in value.split():
            if HOLE not in word:
                element.classes |= {word}
                continue
            known = alternatives(_expressions(word, holes)[0]) if len(word) == 2 and holes else None
            element.any_class = element.any_class or known is None
            element.maybe_classes |= known or frozenset()
    elif name == "style":
        parsed = lower_declarations(value.encode())
        element.style = tuple(item for item in parsed if HOLE not in item.value and HOLE not in item.property)
        element.any_style = HOLE in value
    element.attributes[name] = None if HOLE in value else value


def alternatives(node: ir.Expression) -> frozenset[str] | None:
    """Words of the texts that an expression may give; None where it may give others."""
    if isinstance(node, ir.Const):
        return frozenset(node.value.split()) if isinstance(node.value, str) else frozenset()
    if isinstance(node, ir.Name) and node.name == "undefined":
        return frozenset()
    if isinstance(node, ir.Template) and len(node.parts) <= 1:
        return alternatives(node.parts[0]) if node.parts else frozenset()
    parts: list[ir.Expression] = []
    if isinstance(node, ir.Conditional):
        parts = [node.consequent, node.alternate]
    elif isinstance(node, ir.Logical):
        parts = node.operands[1:] if node.operator == "&&" else node.operands
    else:
        return None
    found: frozenset[str] = frozenset()
    for part in parts:
        words = alternatives(part)
        if words is None:
            return None
        found |= words
    return found


def add_classes(element: Element, value: ir.Expression, is_sure: bool) -> None:
    """Give an element the class names of an expression; `is_sure`: the code runs whenever the element is made."""
    if isinstance(value, ir.Const):
        words = frozenset(value.value.split()) if isinstance(value.value, str) else frozenset()
        if is_sure:
            element.classes |= words
        else:
            element.maybe_classes |= words
        return
    known = alternatives(value)
    element.maybe_classes |= known if known is not None else frozenset(words_of(value))
    element.any_class = element.any_class or known is None
    if isinstance(value, ir.Template) and value.parts and is_sure:
        first = value.parts[0]
        if isinstance(first, ir.Const) and isinstance(first.value, str):
            words_before = first.value.split()
            whole = words_before if first.value[-1:].isspace() else words_before[:-1]
            element.classes |= frozenset(whole)


def words_of(node: ir.Expression) -> Iterator[str]:
    """Words of every literal text in an expression."""
    for item in walk([node]):
        if isinstance(item, ir.Const) and isinstance(item.value, str):
            yield from item.value.split()


def _source(offsets: list[tuple[int, int]] | None, at: int) -> int:
    if offsets is None:
        return at
    place = at
    for start, source in offsets:
        if start > at:
            break
        place = source + at - start
    return place
