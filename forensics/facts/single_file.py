"""Elements of Vue and Svelte single-file components: one tree for each component, as its own template says.

Components inside are not expanded; they are elements without a name. What Svelte renders under `{#if}` isn't known to the
reader of its tags, so there every element stands under a condition of its own.
"""

from __future__ import annotations

import re

from forensics.facts.elements import POINTER_EVENTS, Element, elements_of
from forensics.facts.interpreter import Site
from forensics.syntax import ir

_TRANSPARENT = frozenset({"template", "transition", "transition-group", "keep-alive", "suspense"})
_WORDS = re.compile(r"'([^']*)'|\"([^\"]*)\"|`([^`$]*)`|\b([A-Za-z_][\w-]*)\s*:")


def component_elements(page: ir.Page, path: str, flavour: str) -> Element | None:
    """The top of a component's tree; its children are the template's topmost elements. None where it has no template."""
    elements = elements_of(page.tags, path)
    top = Element("component-root", Site(path, 0, 0), path)
    if flavour == "vue":
        template = next((item for item in elements if item.name == "template" and item.parent is None), None)
        if template is None:
            return None
        roots = list(template.children)
    else:
        roots = [item for item in elements if item.parent is None and item.name not in ("script", "style")]
    for root in roots:
        top.append(root)
    for element in list(top.subtree())[1:]:
        if flavour == "vue":
            _read_vue(element)
        else:
            _read_svelte(element)
        lower = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", element.name).lower()
        if flavour == "vue" and lower in _TRANSPARENT:
            _unwrap(element)
        elif element.name[:1].isupper() or "-" in element.name or element.name in ("slot", "component"):
            element.name = ""
    return top


def _read_vue(element: Element) -> None:
    for name, value in list(element.attributes.items()):
        bound = name.removeprefix("v-bind") if name.startswith("v-bind") else name if name.startswith(":") else None
        if name in ("v-if", "v-else-if", "v-else", "v-for"):
            element.conditions |= {f"{element.site.path}:{element.site.start}"}
        elif name == "v-show" or name in ("v-bind", "v-html"):
            element.any_style = True
            element.any_class = element.any_class or name == "v-bind"
        elif name.startswith(("@", "v-on:")):
            event = name.lstrip("@").removeprefix("v-on:").partition(".")[0]
            element.listens = element.listens or event in POINTER_EVENTS
        elif bound is not None:
            word = bound.lstrip(":").partition(".")[0]
            if word == "class":
                element.any_class = True
                element.maybe_classes |= _words(value or "")
            elif word == "style":
                element.any_style = True
            elif word in ("hidden", "inert"):
                if value not in ("false", "null", "undefined"):
                    element.maybe_attributes |= {word}
            else:
                element.attributes.setdefault(word, None)


def _read_svelte(element: Element) -> None:
    element.conditions |= {f"{element.site.path}:{element.site.start}"}
    for name, value in list(element.attributes.items()):
        if name.startswith("class:"):
            element.maybe_classes |= {name[6:]}
        elif name.startswith("style:") or (name == "style" and "{" in (value or "")) or name == "...":
            element.any_style = True
        elif name.startswith("on:") or (name.startswith("on") and (value or "").startswith("{")):
            element.listens = True
        elif name == "class" and "{" in (value or ""):
            element.any_class = True
            element.classes = frozenset(re.sub(r"\S*\{[^}]*\}\S*", " ", value or "").split())
        elif (value or "").startswith("{"):
            if name == "hidden":
                element.maybe_attributes |= {"hidden"}
                del element.attributes["hidden"]
            else:
                element.attributes[name] = None


def _words(text: str) -> frozenset[str]:
    return frozenset(word for found in _WORDS.findall(text) for part in found for word in part.split())


def _unwrap(element: Element) -> None:
    """Put an element's children in its place."""
    parent = element.parent
    if parent is None:
        return
    at = parent.children.index(element)
    for child in element.children:
        child.parent = parent
        child.conditions |= element.conditions
    parent.children[at : at + 1] = element.children
