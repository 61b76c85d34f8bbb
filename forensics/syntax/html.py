"""HTML pages, and the outer structure of Vue and Svelte single-file components.

Tags are found by the tokenizer rules of the HTML standard and nested by its rules for optional, implied and stray tags
(https://html.spec.whatwg.org/multipage/parsing.html), without the adoption agency and foster parenting. Not by
tree-sitter: its grammar has errors where a browser has none (`<div hidden / class=x>`, `a < b` in text) and stumbles
over Svelte's braces. A page always "parses"; problems are only what a truncated or badly edited page looks like: a
script, style, comment or tag that never ends.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from html.entities import html5
from typing import Literal

from forensics.syntax.css import lower_stylesheet, scan_references
from forensics.syntax.ir import Attribute, Page, PageScript, PageStyle, Stylesheet, SyntaxProblem, Tag
from forensics.syntax.javascript import lower_script

PageFlavour = Literal["html", "vue", "svelte"]

MAX_TEXT = 200
MAX_ATTRIBUTES = 1000
MAX_NESTING = 512  # Chromium's limit; deeper elements become siblings

VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript"})
_HEAD_ONLY = frozenset({"base", "link", "meta", "title", "style", "script", "noscript", "template"})
_CLOSES_PARAGRAPH = frozenset(
    {"address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl", "dd", "dt"}
    | {
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
    }
    | {"li", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "ul"}
)
_SCOPE = frozenset({"html", "table", "td", "th", "caption", "marquee", "object", "template", "svg", "math"})
_TABLE_PARTS = frozenset({"table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption", "colgroup"})
_SPECIAL = _CLOSES_PARAGRAPH | _SCOPE | _TABLE_PARTS | frozenset({"body", "select", "head"})
_ENDS_BY_ITSELF = frozenset({"dd", "dt", "li", "optgroup", "option", "p", "rp", "rt"})
_TABLE_SCOPE = frozenset({"html", "table", "template"})

# In svg and math these end the foreign content.
_LEAVES_FOREIGN = frozenset(
    {"b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2", "h3"}
    | {
        "h4",
        "h5",
        "h6",
        "head",
        "hr",
        "i",
        "img",
        "li",
        "listing",
        "menu",
        "meta",
        "nobr",
        "ol",
        "p",
        "pre",
        "ruby",
        "s",
    }
    | {"small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var"}
)

# A start tag ends an open element of these names, unless one of the second set is met first.
_IMPLIES_END: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "option": (frozenset({"option"}), frozenset({"select", "datalist", "optgroup"})),
    "optgroup": (frozenset({"option", "optgroup"}), frozenset({"select"})),
    "tr": (frozenset({"tr", "td", "th", "caption", "colgroup"}), frozenset({"table"})),
    "td": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "th": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "tbody": (frozenset({"tbody", "thead", "tfoot", "tr", "td", "th", "caption", "colgroup"}), frozenset({"table"})),
    "rt": (frozenset({"rt", "rp"}), frozenset({"ruby"})),
    "rp": (frozenset({"rt", "rp"}), frozenset({"ruby"})),
}
_IMPLIES_END["thead"] = _IMPLIES_END["tfoot"] = _IMPLIES_END["tbody"]

_JAVASCRIPT_TYPES = frozenset(
    {
        "",
        "text/javascript",
        "application/javascript",
        "text/ecmascript",
        "application/ecmascript",
        "application/x-javascript",
    }
)
_JSX_TYPES = frozenset({"text/babel", "text/jsx"})

_STANDARD_DOCTYPE = re.compile(rb"(?:\xef\xbb\xbf)?(?>(?:\s|<!--.*?-->)*)<!doctype\s+html\b", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(rb"[a-zA-Z][^\s/>]*")
_ATTRIBUTE = re.compile(rb"""[\s/]*(=?[^\s/>=]+)(?:\s*=\s*("[^"]*"|'[^']*'|(?!["'])[^\s>]+|(?=>)))?""")
_ENTITY = re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*;?)")


def lower_page(source: bytes, flavour: PageFlavour = "html") -> Page:
    """The tags, inline scripts and inline styles of a page or component.

    In a page the `html`, `head` and `body` elements that a browser would supply are supplied, with empty spans. Inline
    scripts are those a browser (or Babel's standalone build, for `text/babel`) runs: no `src`, a JavaScript type. In a
    component every `<script>` block is a module and elements close themselves with `/>`.
    """
    reader = _Reader(source, flavour)
    reader.read()
    return Page(reader.tags(), reader.scripts, reader.styles, reader.problems)


class _Element:
    __slots__ = ("attributes", "close", "end", "is_foreign", "name", "parent", "start", "text")

    def __init__(self, name: str, attributes: list[Attribute], parent: int, start: int, end: int) -> None:
        self.name = name
        self.attributes = attributes
        self.parent = parent
        self.start = start
        self.end = end
        self.close = end
        self.text: list[str] = []
        self.is_foreign = False


class _Reader:
    def __init__(self, source: bytes, flavour: PageFlavour) -> None:
        self.source = source
        self.flavour = flavour
        self.elements: list[_Element] = []
        self.open: list[int] = []
        self.scripts: list[PageScript] = []
        self.styles: list[PageStyle] = []
        self.problems: list[SyntaxProblem] = []
        self.has_open_brace = False
        self.is_quirky = not _STANDARD_DOCTYPE.match(source)
        self.page_parts: dict[str, int] = {}  # where html, head and body are among the elements
        self.open_names: Counter[str] = Counter()

    # ------------------------------------------------------------- tokenizer

    def read(self) -> None:
        source = self.source
        at = 3 if source.startswith(b"\xef\xbb\xbf") else 0
        text_from = at
        while True:
            mark = self.next_mark(at)
            if mark < 0:
                break
            following = source[mark + 1 : mark + 2]
            if following.isalpha() or (following == b"/" and source[mark + 2 : mark + 3].isalpha()):
                self.add_text(text_from, mark)
                at = self.read_tag(mark)
            elif following in (b"!", b"?", b"/"):
                self.add_text(text_from, mark)
                at = self.skip_markup(mark)
            else:
                at = mark + 1  # a bare `<` is text
                continue
            text_from = at
        self.add_text(text_from, len(source))
        for index in self.open:
            self.elements[index].close = len(source)

    def next_mark(self, at: int) -> int:
        """The next `<`; in Svelte text outside of braces."""
        if self.flavour != "svelte":
            return self.source.find(b"<", at)
        while True:
            mark = self.source.find(b"<", at)
            brace = self.source.find(b"{", at, mark) if mark >= 0 and not self.has_open_brace else -1
            if brace < 0:
                return mark
            end = _braces_end(self.source, brace)
            if end < 0:
                self.has_open_brace = True
                return mark
            # `{#if a}<b>` closes before the tag; `{a < b}` spans the `<`.
            at = end

    def skip_markup(self, at: int) -> int:
        """Past a comment, doctype or bogus comment."""
        source = self.source
        if source.startswith(b"<!--", at):
            if source[at + 4 : at + 5] == b">":
                return at + 5
            if source[at + 4 : at + 6] == b"->":
                return at + 6
            found = re.compile(rb"--!?>").search(source, at + 4)
            if not found:
                self.report(at)
                return len(source)
            return found.end()
        if source.startswith(b"<![CDATA[", at) and self.in_foreign():
            end = source.find(b"]]>", at)
            return end + 3 if end >= 0 else len(source)
        end = source.find(b">", at)
        return end + 1 if end >= 0 else len(source)

    def read_tag(self, at: int) -> int:
        source = self.source
        is_end = source[at + 1 : at + 2] == b"/"
        name_at = at + 2 if is_end else at + 1
        found = _NAME.match(source, name_at)
        assert found is not None  # the caller saw a letter
        name = found.group().decode("utf-8", "replace")
        if self.flavour == "html" and not self.in_foreign():
            name = name.lower()
        attributes, place = self.read_attributes(found.end())
        if place < 0:
            self.report(at)
            return len(source)
        closes_itself = source[place - 1 : place] == b"/"
        end = place + 1
        if is_end:
            self.close_element(name, at, end)
            return end
        return self.open_element(name, attributes, at, end, closes_itself)

    def read_attributes(self, at: int) -> tuple[list[Attribute], int]:
        """The attributes from `at` on and the place of the tag's `>`, -1 where the source ends before."""
        source = self.source
        attributes: dict[str, Attribute] = {}
        while True:
            while source[at : at + 1] in (b"/", b" ", b"\n", b"\t", b"\r", b"\f"):
                at += 1
            if at >= len(source):
                return [], -1
            if source[at : at + 1] == b">":
                return list(attributes.values()), at
            if self.flavour == "svelte" and source[at : at + 1] == b"{":
                end = _braces_end(source, at)
                if end < 0:
                    return [], -1
                text = source[at:end].decode("utf-8", "replace")
                shorthand = text[1:-1].strip()
                name = "..." if shorthand.startswith("...") else shorthand
                attributes.setdefault(name, Attribute(name, text, at, end))
                at = end
                continue
            written, value, end = self.read_attribute(at)
            if end < 0:
                return [], -1
            name = written.lower() if self.flavour == "html" else written
            attributes.setdefault(name, Attribute(name, value, at, end))
            at = end

    def read_attribute(self, at: int) -> tuple[str, str | None, int]:
        source = self.source
        if self.flavour == "svelte":
            named = re.compile(rb"([^\s/>={]+)(\s*=\s*)?").match(source, at)
            if named and named.group(2) and source[named.end() : named.end() + 1] == b"{":
                end = _braces_end(source, named.end())
                value = source[named.end() : end].decode("utf-8", "replace") if end >= 0 else None
                return named.group(1).decode("utf-8", "replace"), value, end
        found = _ATTRIBUTE.match(source, at)
        if not found:
            return source[at : at + 1].decode("utf-8", "replace"), None, at + 1
        name = found.group(1).decode("utf-8", "replace")
        if found.group(2) is None:
            # A quote that never closes takes the rest of the page.
            if re.compile(rb"\s*=\s*[\"']").match(source, found.end()):
                return name, None, -1
            trailing = re.compile(rb"\s*=\s*\Z").match(source, found.end())
            return name, None, -1 if trailing else found.end()
        value = found.group(2).decode("utf-8", "replace")
        if value[:1] in ("'", '"'):
            value = value[1:-1]
        return name, _decoded(value), found.end()

    def report(self, at: int) -> None:
        text = self.source[at : at + 80].decode("utf-8", "replace")[:80]
        self.problems.append(SyntaxProblem(at, min(at + 80, len(self.source)), "missing", text))

    # ------------------------------------------------------------------ tree

    def in_foreign(self) -> bool:
        return bool(self.open) and self.elements[self.open[-1]].is_foreign

    def open_element(self, name: str, attributes: list[Attribute], start: int, end: int, closes_itself: bool) -> int:
        is_page = self.flavour == "html"
        if is_page and name.lower() in _LEAVES_FOREIGN:
            while self.in_foreign():
                self.close_to(len(self.open) - 1, start)
        foreign = self.in_foreign()
        if is_page and not foreign:
            if name in ("html", "head", "body") and self.merged(name, attributes):
                return end
            in_table = self.open_names["table"] or self.open_names["template"]
            if name in _TABLE_PARTS - {"table"} | {"col"} and not in_table:
                return end  # browsers ignore table parts outside of a table
            if name == "form" and self.open_names["form"]:
                return end  # a form in a form is ignored
            self.supply(name, start)
            self.end_implied(name, start)
            self.supply_table_parts(name, start)
        is_foreign = name in ("svg", "math") or (foreign and name not in ("foreignObject", "annotation-xml"))
        index = self.push(name, attributes, start, end)
        element = self.elements[index]
        element.is_foreign = is_foreign
        if (closes_itself and (is_foreign or not is_page)) or (name in VOID and not is_foreign):
            self.leave()
            return end
        if self.is_raw(name, attributes, is_foreign):
            return self.read_raw(index)
        return end

    def is_raw(self, name: str, attributes: list[Attribute], is_foreign: bool) -> bool:
        if self.flavour == "html":
            return name in _RAW and not is_foreign
        if name in ("script", "style"):
            return True
        if self.flavour == "vue" and len(self.open) == 1:
            # Custom blocks (<i18n>, <docs>) and templates in another language are not HTML.
            language = next((attribute.value for attribute in attributes if attribute.name == "lang"), None)
            return name != "template" or language not in (None, "", "html")
        return name == "textarea"

    def push(self, name: str, attributes: list[Attribute], start: int, end: int) -> int:
        parent = self.open[-1] if self.open else -1
        self.elements.append(_Element(name, attributes, parent, start, end))
        if self.flavour == "html" and name in ("html", "head", "body"):
            self.page_parts.setdefault(name, len(self.elements) - 1)
        if len(self.open) >= MAX_NESTING:
            self.close_to(MAX_NESTING - 1, start)
        self.enter(len(self.elements) - 1)
        return len(self.elements) - 1

    def enter(self, index: int) -> None:
        self.open.append(index)
        self.open_names[self.elements[index].name] += 1

    def leave(self, place: int = -1) -> _Element:
        """Takes an element from the open ones, the innermost by default."""
        element = self.elements[self.open.pop(place)]
        self.open_names[element.name] -= 1
        return element

    def merged(self, name: str, attributes: list[Attribute]) -> bool:
        """Whether a second <html>, <head> or <body> was folded into the first, as browsers do."""
        if name == "head" and "body" in self.page_parts:
            return True
        if name not in self.page_parts:
            return False
        element = self.elements[self.page_parts[name]]
        known = {attribute.name for attribute in element.attributes}
        if len(known) < MAX_ATTRIBUTES:
            element.attributes.extend(attribute for attribute in attributes if attribute.name not in known)
        return True

    def supply(self, name: str, at: int) -> None:
        """The html, head and body elements that must be open before a tag of this name."""
        if name == "html" or len(self.open) > 2:
            return
        if not self.open:
            if not self.elements:
                self.push("html", [], at, at)
            else:
                self.enter(0)  # content after </html> still belongs to the page
                if "body" in self.page_parts:
                    self.enter(self.page_parts["body"])
        if name == "head":
            return
        names = [self.elements[index].name for index in self.open]
        has_body = "body" in self.page_parts
        if names == ["html"] and has_body:
            self.enter(self.page_parts["body"])
        elif names == ["html"] and name != "body":
            if name not in _HEAD_ONLY:
                self.push("body", [], at, at)
            elif "head" in self.page_parts:
                self.enter(self.page_parts["head"])
            else:
                self.push("head", [], at, at)
        elif names == ["html", "head"] and name not in _HEAD_ONLY:
            self.close_to(1, at)
            if name != "body" and not has_body:
                self.push("body", [], at, at)

    def supply_table_parts(self, name: str, at: int) -> None:
        """The tbody, tr and colgroup that a table's author left out."""
        top = self.elements[self.open[-1]].name if self.open else ""
        if name in ("tr", "td", "th") and top == "table":
            self.push("tbody", [], at, at)
            top = "tbody"
        if name in ("td", "th") and top in ("tbody", "thead", "tfoot"):
            self.push("tr", [], at, at)
        if name == "col" and top == "table":
            self.push("colgroup", [], at, at)

    def end_implied(self, name: str, at: int) -> None:
        # Without a doctype browsers are in quirks mode, where a table may stand in a paragraph.
        if name in _CLOSES_PARAGRAPH and not (name == "table" and self.is_quirky):
            self.close_nearest(frozenset({"p"}), _SCOPE | {"button"}, at)
        rule = _IMPLIES_END.get(name)
        if rule:
            while self.close_nearest(rule[0], rule[1] | frozenset({"template"}), at):
                pass
        if name in ("h1", "h2", "h3", "h4", "h5", "h6") and self.open:
            top = self.elements[self.open[-1]].name
            if top in ("h1", "h2", "h3", "h4", "h5", "h6"):
                self.close_to(len(self.open) - 1, at)

    def close_nearest(self, names: frozenset[str], barriers: frozenset[str], at: int) -> bool:
        if not any(self.open_names[name] for name in names):
            return False
        for place in range(len(self.open) - 1, -1, -1):
            open_name = self.elements[self.open[place]].name
            if open_name in names:
                self.close_to(place, at)
                return True
            if open_name in barriers:
                return False
            if "li" in names and open_name in _SPECIAL and open_name not in ("address", "div", "p"):
                return False
        return False

    def close_to(self, depth: int, at: int) -> None:
        while len(self.open) > depth:
            self.leave().close = at

    def close_element(self, name: str, start: int, end: int) -> None:
        if self.flavour == "html" and name in ("body", "html"):
            # Content after these still lands in the body, so they stay open; their end is where it is written.
            if name in self.page_parts:
                self.elements[self.page_parts[name]].close = end
            return
        if self.flavour == "html" and name == "form" and not self.in_foreign():
            self.leave_form(end)
            return
        is_open = self.open_names[name] or self.open_names["svg"] or self.open_names["math"]
        for place in range(len(self.open) - 1, -1, -1) if is_open else ():
            element = self.elements[self.open[place]]
            if element.name == name or (element.is_foreign and element.name.lower() == name.lower()):
                self.close_to(place + 1, start)
                self.close_to(place, end)
                return
            barrier = _TABLE_SCOPE if name in _TABLE_PARTS else _SCOPE if name in _SPECIAL else _SPECIAL
            if name == "p":
                barrier = _SCOPE | {"button"}
            if self.flavour == "html" and element.name in barrier and not element.is_foreign:
                break
        if self.flavour == "html" and name in ("p", "br") and not self.in_foreign():
            # These two stray end tags make an element.
            self.supply(name, start)
            self.push(name, [], start, end)
            self.leave()

    def leave_form(self, end: int) -> None:
        """A form's end tag ends the form alone; what is still open in it stays open."""
        for place in range(len(self.open) - 1, -1, -1):
            element = self.elements[self.open[place]]
            if element.name == "form":
                while len(self.open) > place + 1 and self.elements[self.open[-1]].name in _ENDS_BY_ITSELF:
                    self.close_to(len(self.open) - 1, end)
                self.leave(place).close = end
                return
            if element.name in _SCOPE:
                return

    def add_text(self, start: int, end: int) -> None:
        if start >= end:
            return
        if self.flavour == "html" and len(self.open) <= 2 and self.source[start:end].strip():
            names = [self.elements[index].name for index in self.open]
            if names in ([], ["html"], ["html", "head"]):
                self.supply("#text", start)
        if not self.open:
            return
        element = self.elements[self.open[-1]]
        if sum(map(len, element.text)) <= MAX_TEXT:
            text = self.source[start : min(end, start + 4 * MAX_TEXT)].decode("utf-8", "ignore")
            folded = " ".join(unescape(text).split())
            if folded:
                element.text.append(folded)

    def read_raw(self, index: int) -> int:
        """Past the content and the end tag of a script, style, title …"""
        element = self.elements[index]
        source = self.source
        start = element.end
        pattern = re.compile(rb"</" + re.escape(element.name.encode()) + rb"(?=[\s/>])", re.IGNORECASE)
        found = pattern.search(source, start)
        stop = found.start() if found else len(source)
        if not found:
            self.report(element.start)
        if element.name == "script":
            self.read_script(index, start, stop)
        elif element.name == "style":
            self.read_style(index, start, stop)
        elif element.name in ("title", "textarea"):
            self.add_text(start, stop)
        self.leave()
        end = source.find(b">", stop) + 1 if found else len(source)
        element.close = end or len(source)
        return element.close

    def read_script(self, index: int, start: int, stop: int) -> None:
        attributes = {attribute.name: attribute.value or "" for attribute in self.elements[index].attributes}
        body = self.source[start:stop]
        if "src" in attributes or not body.strip():
            return
        language = attributes.get("lang", "")
        if self.flavour == "html":
            kind_of = attributes.get("type", "").strip().lower()
            if kind_of in _JSX_TYPES:
                kind = "module" if attributes.get("data-type") == "module" else "classic"
            elif kind_of == "module":
                kind = "module"
            elif kind_of.partition(";")[0].strip() in _JAVASCRIPT_TYPES:
                kind = "classic"
            else:
                return
        else:
            kind = "module"
        dialect = {"ts": "typescript", "typescript": "typescript", "tsx": "tsx"}.get(language, "javascript")
        self.scripts.append(PageScript(index, kind, lower_script(body, dialect, start)))

    def read_style(self, index: int, start: int, stop: int) -> None:
        attributes = {attribute.name: attribute.value or "" for attribute in self.elements[index].attributes}
        language = attributes.get("lang", "").lower()
        if attributes.get("type", "text/css").strip().lower() not in ("", "text/css"):
            return
        body = self.source[start:stop]
        if language in ("", "css", "postcss"):
            sheet = lower_stylesheet(body, start)
        else:
            sheet = Stylesheet([], scan_references(body, start), [])
        self.styles.append(PageStyle(index, sheet))

    def tags(self) -> list[Tag]:
        return [
            Tag(
                element.name,
                element.attributes,
                element.parent,
                element.start,
                element.end,
                max(element.close, element.end),
                " ".join(element.text)[:MAX_TEXT],
            )
            for element in self.elements
        ]


def _decoded(value: str) -> str:
    """An attribute value with its entities decoded; `&copy=` in a query string is none (HTML standard, 13.2.5.73)."""
    if "&" not in value:
        return value

    def replaced(found: re.Match[str]) -> str:
        name = found.group(1)
        if name.startswith("#") or name.endswith(";"):
            return unescape(found.group())
        if name in html5 and value[found.end() : found.end() + 1] != "=":
            return html5[name]
        return found.group()

    return _ENTITY.sub(replaced, value)


_BRACE_PIECE = re.compile(
    rb"[{}]|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|//[^\n]*|/\*.*?\*/", re.DOTALL
)


def _braces_end(source: bytes, at: int) -> int:
    """The end of the `{…}` expression that opens at `at`, -1 where it doesn't close."""
    depth = 0
    for piece in _BRACE_PIECE.finditer(source, at):
        mark = piece.group()
        if mark == b"{":
            depth += 1
        elif mark == b"}":
            depth -= 1
            if depth == 0:
                return piece.end()
    return -1
