"""Pages as a browser renders them: the tree of elements, the style sheets in order, and what the code does to them.

A page's tree holds the elements of its HTML and, in their containers, those that code puts there. Style sheets come in the
order in which they apply: links and style blocks as they stand in the page, then those that modules import, in the order of
evaluation (https://vite.dev/guide/features#css; a `<link>` has the same effect).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forensics.facts.cascade import Cascade, Sheet, link_condition
from forensics.facts.components import ComponentReader, rendered_roots
from forensics.facts.dom_code import EVERYWHERE, Act, Doing, Script, Target, doing_of, text_of
from forensics.facts.elements import Element, add_classes, elements_of
from forensics.facts.interpreter import Site
from forensics.facts.inventory import specifier_of
from forensics.facts.markup import markup_elements
from forensics.facts.script_modules import ScriptModules
from forensics.facts.single_file import component_elements
from forensics.syntax import ir
from forensics.syntax.css import lower_declarations

if TYPE_CHECKING:
    from forensics.facts import Facts

STYLES = (".css", ".scss", ".sass", ".less", ".styl", ".stylus", ".pcss", ".postcss")
MAX_FILES = 400
LONGEST_SCRIPT = 400_000

# Sheets of others that have no rule for the hidden attribute and stretch nothing: fonts, icons, highlighting.
_NEUTRAL = re.compile(
    r"fonts\.(googleapis|bunny|gstatic)|font-?awesome|kit\.fontawesome|icons?\b|typekit|rsms\.me|@?fontsource|prism|highlight|"
    r"katex|leaflet|flag-?icon|devicon|boxicons|animate|aos|\bgeist\b|inter\b",
    re.IGNORECASE,
)
# Sheets that put `[hidden] { display: none !important }` on every page: Bootstrap's reboot, Pico, Tailwind 4's preflight.
_HIDES = re.compile(r"bootstrap|pico|primer|tailwindcss", re.IGNORECASE)


@dataclass
class RenderedPage:
    """A page with its trees. `tree` is the page's html element; `loose` are elements whose place isn't known, each the top
    of its own tree. `foreign` names sheets that can't be read; `hides_hidden`: one of them is known to keep the
    hidden attribute above every display rule."""

    page: str
    tree: Element | None
    loose: list[Element]
    sheets: list[Sheet]
    doing: Doing
    cascade: Cascade
    foreign: list[str] = field(default_factory=list)
    hides_hidden: bool = False
    acts: dict[int, list[Act]] = field(default_factory=dict)

    def acts_on(self, element: Element) -> list[Act]:
        return self.acts.get(id(element), [])

    def roots(self) -> list[Element]:
        return [*([self.tree] if self.tree is not None else []), *self.loose]


def rendered_pages(facts: Facts, modules: ScriptModules) -> Iterator[RenderedPage]:
    """Every HTML page of a build, rendered."""
    for path in facts.build.files:
        if facts.files.language(path) == "html":
            page = facts.files.page(path)
            if page is not None:
                yield _Renderer(facts, modules, path, page).render()


class _Renderer:
    def __init__(self, facts: Facts, modules: ScriptModules, path: str, page: ir.Page) -> None:
        self.facts = facts
        self.modules = modules
        self.path = path
        self.page = page
        self.sheets: list[Sheet] = []
        self.scripts: list[tuple[str, ir.Script]] = []
        self.seen: set[str] = set()
        self.foreign: list[str] = []
        self.hides_hidden = False
        self.module_sheets: list[str] = []
        self.components: list[Element] = []

    def render(self) -> RenderedPage:
        elements = elements_of(self.page.tags, self.path)
        self._read_head()
        scripts = [self.modules.of(path, script) for path, script in self.scripts]
        doing = doing_of(scripts)
        tree = elements[0] if elements and elements[0].name == "html" else None
        rendered = RenderedPage(
            self.path, tree, self.components, self.sheets, doing, Cascade([]), self.foreign, self.hides_hidden
        )
        reader = ComponentReader(self._module_ending)
        _Placer(rendered, scripts, tree, reader).place()
        rendered.cascade = Cascade(self.sheets, frozenset(doing.toggled))
        return rendered

    def _module_ending(self, script: Script, name: str) -> str | None:
        """What the classes of the CSS module that a script imports under a name end in."""
        if name not in script.imports:
            return None
        specifier = script.imports[name][0]
        if ".module." not in specifier:
            return None
        target = self.modules.target(script.path, specifier)
        return f"__{self.module_sheets.index(target)}" if target in self.module_sheets else None

    # ------------------------------------------------------------ what the page names

    def _read_head(self) -> None:
        styles = {item.tag: item.stylesheet for item in self.page.styles}
        inline: dict[int, list[ir.Script]] = {}
        for item in self.page.scripts:
            inline.setdefault(item.tag, []).append(item.script)
        for index, tag in enumerate(self.page.tags):
            attributes = {item.name: item.value or "" for item in tag.attributes}
            if index in styles:
                self._add_sheet(self.path, styles[index], link_condition(attributes.get("media", "")))
            elif tag.name == "link" and "stylesheet" in attributes.get("rel", "").lower().split():
                self._linked(attributes)
            elif tag.name == "script":
                if "src" in attributes:
                    self._script(attributes["src"])
                for script in inline.get(index, []):
                    self._module(self.path, script)

    def _linked(self, attributes: dict[str, str]) -> None:
        href = attributes.get("href", "").strip()
        if "disabled" in attributes or "alternate" in attributes.get("rel", "").lower():
            return
        outer = link_condition(attributes.get("media", ""))
        if outer and "onload" in attributes:
            outer = ()  # the print trick: the sheet applies once it is loaded
        path = self._file_of(href)
        if path is not None:
            self._sheet_file(path, outer)
        else:
            self._foreign(href)

    def _foreign(self, name: str) -> None:
        if _HIDES.search(name):
            self.hides_hidden = True
        elif not _NEUTRAL.search(name):
            self.foreign.append(name)

    def _script(self, source: str) -> None:
        path = self._file_of(source)
        if path is not None:
            self._module_file(path)
        elif "tailwindcss" in source:
            self._foreign(source)

    def _file_of(self, address: str) -> str | None:
        """The file behind an address in the page: relative to it, or from a folder above that is served as the root."""
        bare = address.split("#")[0].split("?")[0].strip()
        if not bare or "://" in bare or bare.startswith(("//", "data:")):
            return None
        folder = posixpath.dirname(self.path)
        if not bare.startswith("/"):
            found = posixpath.normpath(posixpath.join(folder, bare))
            if found in self.facts.build.files:
                return found
        while True:
            for place in (folder, posixpath.join(folder, "public"), posixpath.join(folder, "static")):
                found = posixpath.normpath(posixpath.join(place, bare.lstrip("/")))
                if found in self.facts.build.files:
                    return found
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    # ----------------------------------------------------------------------- modules

    def _module_file(self, path: str) -> None:
        if path in self.seen or len(self.seen) > MAX_FILES:
            return
        self.seen.add(path)
        if path.endswith((".vue", ".svelte")):
            self._component_file(path)
            return
        if _is_bundle(self.facts.build.read(path)):
            if "tailwind" in path:
                self._foreign(path)
            return
        script = self.facts.files.script(path)
        if script is not None:
            self._module(path, script)

    def _component_file(self, path: str) -> None:
        component = self.facts.files.page(path)
        if component is None:
            return
        for item in component.scripts:
            self._module(path, item.script)
        flavour = "vue" if path.endswith(".vue") else "svelte"
        for style in component.styles:
            attributes = {item.name: item.value or "" for item in component.tags[style.tag].attributes}
            if attributes.get("lang", "css").lower() not in ("css", "postcss"):
                self.foreign.append(path)
            is_scoped = flavour == "svelte" or "scoped" in attributes or "module" in attributes
            self._add_sheet(path, style.stylesheet, (), scope=path if is_scoped else "")
        top = component_elements(component, path, flavour)
        if top is not None:
            self.components.append(top)

    def _module(self, path: str, script: ir.Script) -> None:
        for statement in script.body:
            specifier = specifier_of(statement)
            if not specifier:
                continue
            bare, _, query = specifier.partition("?")
            target = self.modules.target(path, bare)
            if target in self.facts.build.files:
                if target.lower().endswith(STYLES):
                    if query not in ("inline", "raw", "url") and target not in self.seen:
                        self.seen.add(target)
                        self._sheet_file(target, ())
                else:
                    self._module_file(target)
            elif bare.lower().endswith(STYLES):
                self._foreign(specifier)
        self.scripts.append((path, script))

    # ------------------------------------------------------------------------ sheets

    def _sheet_file(self, path: str, outer: tuple[str, ...], depth: int = 0) -> None:
        if not path.endswith(".css") or depth > 20:
            if not path.endswith(".css"):
                self.foreign.append(path)
            return
        sheet = self.facts.files.stylesheet(path)
        if sheet is None:
            self.foreign.append(path)
            return
        self._add_sheet(path, sheet, outer, depth)

    def _add_sheet(
        self, path: str, sheet: ir.Stylesheet, outer: tuple[str, ...], depth: int = 0, scope: str = ""
    ) -> None:
        source = self.facts.build.read(path)
        for reference in sheet.references:
            if reference.kind != "import":
                continue
            rest = source[reference.end : source.find(b";", reference.end)].decode("utf-8", "replace")
            target = self._imported(reference.url, path)
            if target is not None:
                self._sheet_file(target, (*outer, *_import_conditions(rest)), depth + 1)
            else:
                self._foreign(reference.url)
        if b"@tailwind" in source:
            self._foreign("@tailwind" if b"@tailwind base" not in source else "@tailwind base")
        module = f"__{len(self.module_sheets)}" if path.endswith(".module.css") else ""
        if module:
            self.module_sheets.append(path)
        layers = tuple(
            (found.start(), name.strip())
            for found in _LAYERS.finditer(source)
            for name in found.group(1).decode("utf-8", "replace").split(",")
        )
        self.sheets.append(Sheet(path, sheet.rules, layers, scope, module, outer))

    def _imported(self, url: str, importer: str) -> str | None:
        bare = url.split("?")[0]
        if "://" in bare:
            return None
        if bare.startswith("/"):
            return self._file_of(bare)
        found = posixpath.normpath(posixpath.join(posixpath.dirname(importer), bare))
        return found if found in self.facts.build.files else None


def _is_bundle(source: bytes) -> bool:
    """Whether a script is what a bundler or minifier wrote: its names say nothing."""
    size = len(source)
    return size > LONGEST_SCRIPT or (size > 20_000 and source.count(b"\n") < size / 500)


_LAYERS = re.compile(rb"@layer\s+([\w\-.,\s]+);")


def _import_conditions(rest: str) -> tuple[str, ...]:
    """What follows the address of an `@import`: a layer, a supports condition, a media query."""
    rest = rest.strip().lstrip(")'\"").strip()
    found: list[str] = []
    layer = re.match(r"layer(?:\(([^)]*)\))?(?![\w-])\s*", rest)
    if layer:
        found.append(f"@layer {layer.group(1) or ''}".strip())
        rest = rest[layer.end() :]
    supports = re.match(r"supports\((?:[^()]|\([^()]*\))*\)\s*", rest)
    if supports:
        rest = rest[supports.end() :]
    return (*found, *link_condition(rest))


def _apply(element: Element, act: Act, is_sure: bool) -> None:
    """What an act makes of the element that the code created; `is_sure`: it follows the creation without a condition."""
    if act.kind == "class" and act.child is not None:
        add_classes(element, act.child, is_sure)
    elif act.kind == "add" and is_sure:
        element.classes |= frozenset(act.names)
    elif act.kind in ("class", "add"):
        element.maybe_classes |= frozenset(act.names)
    elif act.kind == "listen":
        element.listens = True
    elif act.kind == "hide":
        value = act.child
        if is_sure and isinstance(value, ir.Const) and value.value:
            element.attributes["hidden"] = ""
        else:
            element.maybe_attributes |= {"hidden"}
    elif act.kind == "touch":
        element.touched = True
    elif act.kind in ("id", "attribute"):
        name = act.names[0] if act.kind == "attribute" else "id"
        element.attributes[name] = text_of(act.child) if act.child is not None and is_sure else None
    elif act.kind == "style":
        text = text_of(act.child) if act.child is not None else None
        name = act.names[0]
        if text is None or not is_sure:
            element.any_style = True
        elif name == "cssText":
            element.style = (*element.style, *lower_declarations(text.encode()))
        else:
            hyphened = re.sub(r"[A-Z]", lambda found: "-" + found.group().lower(), name)
            element.style = (*element.style, *lower_declarations(f"{hyphened}: {text}".encode()))


class _Placer:
    """Puts what code makes into the tree, and acts on the elements they are for."""

    def __init__(
        self, rendered: RenderedPage, scripts: list[Script], tree: Element | None, reader: ComponentReader
    ) -> None:
        self.rendered = rendered
        self.reader = reader
        self.scripts = scripts
        self.tree = tree
        self.doing = rendered.doing
        self.starting = {script: {(item.start, item.end) for item in script.starting()} for script in scripts}
        self.by_site: dict[Site, list[Act]] = {}
        for act in self.doing.acts:
            if act.target.created is not None:
                self.by_site.setdefault(act.target.created, []).append(act)

    def place(self) -> None:
        created = self._created()
        self._place_components()
        self._place_markup(created)
        self._place_created(created)
        self._note_acts()
        self._note_mentions()

    # ----------------------------------------------------------------------- creation

    def _created(self) -> dict[Site, Element]:
        """Elements that code creates, as the code beside the creation makes them."""
        found: dict[Site, Element] = {}
        for act in self.doing.acts:
            site = act.target.created
            if site is None:
                continue
            if site not in found:
                found[site] = Element(act.script.created_name(site.start), site, site.path)
            _apply(found[site], act, act.script.scope(site.start) == act.script.scope(act.site.start))
        for act in self.doing.acts:
            child = act.script.target(act.child) if act.kind == "insert" and act.child is not None else None
            if child is not None and child.created is not None and child.created not in found:
                found[child.created] = Element(
                    act.script.created_name(child.created.start), child.created, act.site.path
                )
        return found

    def _condition(self, act: Act) -> frozenset[str]:
        """What must hold for an act to have happened: nothing where it happens whenever the script runs."""
        scope = act.script.scope(act.site.start)
        if scope == EVERYWHERE or scope in self.starting[act.script]:
            return frozenset()
        return frozenset({f"{act.site.path}:{scope[0]}"})

    def _place_markup(self, created: dict[Site, Element]) -> None:
        finder = Cascade([])
        acts = [act for act in self.doing.acts if act.kind == "markup" and act.child is not None]
        holders = {act.target: self._found(finder, act.target) for act in acts if act.target.selector}
        for act in acts:
            assert act.child is not None
            made = created.get(act.target.created) if act.target.created is not None else None
            places = [made] if made is not None else holders.get(act.target, [])
            condition = self._condition(act)
            for root in markup_elements(act.child, act.script):
                root.conditions |= condition
                root.is_placed = True
                if len(places) == 1:
                    places[0].append(root)
                else:
                    self.rendered.loose.append(root)

    def _place_created(self, created: dict[Site, Element]) -> None:
        finder = Cascade([])
        inserts = [act for act in self.doing.acts if act.kind == "insert" and act.child is not None]
        for act in inserts:
            child = act.script.target(act.child) if act.child is not None else None
            element = created.get(child.created) if child is not None and child.created is not None else None
            if element is None or element.parent is not None:
                continue
            holders = self._found(finder, act.target) if act.target.selector else []
            if act.target.created is not None and act.target.created in created:
                holders = [created[act.target.created]]
            if len(holders) == 1 and holders[0] is not element and element not in holders[0].ancestors():
                is_beside = act.target.created is not None and act.script.scope(
                    act.target.created.start
                ) == act.script.scope(act.site.start)
                element.conditions |= frozenset() if is_beside else self._condition(act)
                element.is_placed = True
                holders[0].append(element)
        self.rendered.loose.extend(element for element in created.values() if element.parent is None)

    # --------------------------------------------------------------------------- acts

    def _note_acts(self) -> None:
        finder = Cascade([])
        places: dict[Target, list[Element]] = {}
        for act in self.doing.acts:
            if not act.target.selector:
                continue
            if act.target not in places:
                places[act.target] = self._found(finder, act.target)
            for element in places[act.target]:
                self.rendered.acts.setdefault(id(element), []).append(act)
                if act.kind == "listen":
                    element.listens = True
                elif act.kind == "hide":
                    element.maybe_attributes |= {"hidden"}
                elif act.kind in ("touch", "style"):
                    element.touched = True
                elif act.kind in ("class", "add"):
                    element.maybe_classes |= frozenset(act.names)
        for root in self.rendered.roots():
            for element in root.subtree():
                for act in self.by_site.get(element.site, ()):
                    self.rendered.acts.setdefault(id(element), []).append(act)

    def _note_mentions(self) -> None:
        """Elements that the code names without an act that is understood may be changed by it."""
        for root in self.rendered.roots():
            for element in root.subtree():
                names = {f".{name}" for name in element.classes} | {f"#{element.attributes.get('id') or ''}"}
                if names & self.doing.mentions and not self.rendered.acts_on(element):
                    element.touched = True

    def _place_components(self) -> None:
        """Put what JSX renders into the element it is rendered into."""
        finder = Cascade([])
        for script in self.scripts:
            for node, holder in rendered_roots(script):
                roots = self.reader.read(node, script)
                target = script.target(holder) if holder is not None else None
                holders = self._found(finder, target) if target is not None and target.selector else []
                for item in holders:
                    site = Site(script.path, node.start, node.end)
                    self.rendered.acts.setdefault(id(item), []).append(Act("look", target or Target(), site, script))
                for root in roots:
                    root.is_placed = True
                    if len(holders) == 1:
                        holders[0].append(root)
                    else:
                        self.rendered.loose.append(root)

    def _found(self, finder: Cascade, target: Target) -> list[Element]:
        return [
            element
            for root in self.rendered.roots()
            for element in root.subtree()
            if finder.selects(target.selector, element)
        ]
