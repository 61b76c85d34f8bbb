"""Style sheets, read by the rules of CSS Syntax Level 3 (https://www.w3.org/TR/css-syntax-3/) and CSS Nesting.

Not by tree-sitter: its grammar reports errors in sheets that every browser accepts (`.x & {}`, `--a: {x: y}`)
and drops the rules around them, while CSS says exactly how anything that isn't valid is skipped. A sheet therefore has
problems only where brackets, strings or comments don't close: what a truncated or badly edited file looks like.
"""

from __future__ import annotations

import re

from forensics.syntax.ir import CssDeclaration, CssReference, CssRule, Stylesheet, SyntaxProblem

MAX_NESTING = 100
MAX_SELECTOR = 4000

_OPENERS = {b"{": b"}", b"(": b")", b"[": b"]"}
_PIECE = re.compile(
    rb"""(?P<comment>/\*(?:.*?\*/|.*\Z))
    |(?P<string>"(?:[^"\\\n\r\f]|\\.)*"?|'(?:[^'\\\n\r\f]|\\.)*'?)
    |(?P<url>(?<![\w-])[uU][rR][lL]\((?:\s*)(?!["'\s])(?P<address>(?:[^"'()\\\s]|\\.)*)\s*\))
    |(?P<mark>[{}()\[\];])
    |(?P<escape>\\.)""",
    re.DOTALL | re.VERBOSE,
)
_SPACE = re.compile(rb"(?:\s|/\*(?:.*?\*/|.*\Z)|<!--|-->)*", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_PROPERTY = re.compile(rb"([*_]?-{0,2}(?:[\w-]|[^\x00-\x7f]|\\.)+)(?:\s|/\*.*?\*/)*:", re.DOTALL)
_AT_NAME = re.compile(rb"@(-?[\w-]+)")
_IMPORTANT = re.compile(r"\s*!\s*important\s*\Z", re.IGNORECASE)
# What no selector holds outside of strings and brackets: enough to see that a rule's start was lost in an edit.
_INVALID_SELECTOR = re.compile(
    r"""\A(?:[^"'(\[\\]|(?>\\[0-9a-fA-F]{1,6}\s?[\w-]*|\\.)|"[^"]*"|'[^']*'|\[[^\]]*\]|\([^)]*\))*?(?:[@;!%]|:(?![\w:\\-]|[^\x00-\x7f])|(?:\A|(?<=[\s>+~,]))\d)"""
)
# A second at-rule or a brace in a condition, or more than a name after @layer: the block applies to nothing.
_BROKEN_CONDITION = re.compile(r"[@}]|\Alayer\b(?!\s*[\w.-]*\Z)", re.IGNORECASE)
_QUOTED_URL = re.compile(rb"""(?<![\w-])url\(\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\)""", re.IGNORECASE)
_BARE_URL = re.compile(rb"(?<![\w-])url\(\s*((?:[^\"'()\\\s]|\\.)+)\s*\)", re.IGNORECASE)
_IMPORT = re.compile(
    rb"""@import\s+(?:url\(\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<=\()[^"'()\s]+)""", re.IGNORECASE
)
_SCSS_REFERENCE = re.compile(rb"""@(import|use|forward)\s+("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|\n|(.))", re.DOTALL)

# At-rules whose block holds rules (and, nested, declarations) that apply to the page when the condition holds.
_CONDITIONAL = frozenset(
    {"media", "supports", "layer", "container", "scope", "starting-style", "document", "-moz-document"}
)


def lower_stylesheet(source: bytes, offset: int = 0) -> Stylesheet:
    """The rules of a style sheet, nested ones resolved; `offset` is added to every position (a sheet inside a page)."""
    reader = _Reader(source, offset)
    reader.read_sheet()
    return Stylesheet(reader.rules, reader.references, reader.problems)


def lower_declarations(source: bytes, offset: int = 0) -> list[CssDeclaration]:
    """The declarations of a `style` attribute's value."""
    reader = _Reader(source, offset)
    found: list[CssDeclaration] = []
    at = reader.skip_space(0)
    while at < len(source):
        stop = reader.scan(at, b";")
        declaration = reader.declaration(at, stop)
        if declaration is not None:
            found.append(declaration)
        at = reader.skip_space(stop + 1)
    return found


def scan_references(source: bytes, offset: int = 0) -> list[CssReference]:
    """The `@import`, `@use`, `@forward` and `url()` references of a Sass or Less sheet, whose rules are not read."""
    text = re.sub(rb"/\*.*?\*/|(?<![:\w])//[^\n]*", lambda found: b" " * len(found.group()), source, flags=re.DOTALL)
    found = [
        CssReference("import", _unquoted(match.group(2)), offset + match.start(2), offset + match.end(2))
        for match in _SCSS_REFERENCE.finditer(text)
    ]
    return found + _urls(text, 0, len(text), offset)


class _Block:
    """An open block: where it stands, what it is, and what has been read of it."""

    __slots__ = ("conditions", "declarations", "holds", "opener", "selectors", "start")

    def __init__(self, holds: str, selectors: list[str], conditions: list[str], start: int, opener: int) -> None:
        self.holds = holds  # style, group (rules only), skipped
        self.selectors = selectors
        self.conditions = conditions
        self.declarations: list[CssDeclaration] = []
        self.start = start
        self.opener = opener


class _Reader:
    def __init__(self, source: bytes, offset: int) -> None:
        self.source = source
        self.offset = offset
        self.rules: list[CssRule] = []
        self.references: list[CssReference] = []
        self.problems: list[SyntaxProblem] = []
        self.reported: set[int] = set()

    def skip_space(self, at: int) -> int:
        found = _SPACE.match(self.source, at)
        end = found.end() if found else at
        if end == len(self.source):
            opener = self.source.rfind(b"/*", at)
            if opener >= 0 and self.source.find(b"*/", opener + 2) < 0:
                self.report(opener, end, "missing")
        return end

    def report(self, start: int, end: int, kind: str) -> None:
        if start not in self.reported:
            self.reported.add(start)
            text = self.source[start:end][:80].decode("utf-8", "replace")
            self.problems.append(SyntaxProblem(self.offset + start, self.offset + end, kind, text))

    def scan(self, at: int, stops: bytes) -> int:
        """The first of `stops` from `at` on that is in no string, comment or bracket; the end of the source if none."""
        depth: list[tuple[bytes, int]] = []
        for piece in _PIECE.finditer(self.source, at):
            kind = piece.lastgroup
            if kind == "mark":
                mark = piece.group()
                if not depth and mark in stops:
                    return piece.start()
                if mark in _OPENERS:
                    depth.append((_OPENERS[mark], piece.start()))
                elif depth and mark == depth[-1][0]:
                    depth.pop()
            elif kind == "string":
                text = piece.group()
                if len(text) < 2 or text[-1:] != text[:1]:
                    self.report(piece.start(), piece.end(), "error")
            elif kind == "comment" and not (len(piece.group()) >= 4 and piece.group().endswith(b"*/")):
                self.report(piece.start(), piece.end(), "missing")
        if depth:
            self.report(depth[0][1], depth[0][1] + 1, "missing")
        return len(self.source)

    def read_sheet(self) -> None:
        source = self.source
        stack: list[_Block] = []
        at = self.skip_space(3 if source.startswith(b"\xef\xbb\xbf") else 0)
        while at < len(source):
            mark = source[at : at + 1]
            block = stack[-1] if stack else None
            if mark == b"}" and block is not None:
                self.close(stack.pop(), at + 1)
                at += 1
            elif mark == b";":
                at += 1
            elif mark == b"@":
                at = self.at_rule(at, stack)
            else:
                at = self.rule_or_declaration(at, stack)
            at = self.skip_space(at)
        for block in stack:
            self.report(block.opener, block.opener + 1, "missing")
        while stack:
            self.close(stack.pop(), len(source))

    def at_rule(self, at: int, stack: list[_Block]) -> int:
        found = _AT_NAME.match(self.source, at)
        name = found.group(1).decode("utf-8", "replace").lower() if found else ""
        stop = self.scan(at + 1, b"{};" if stack else b"{;")
        if self.source[stop : stop + 1] != b"{":
            if name == "import" and not stack:
                self.imported(at, stop)
            return stop
        outer = stack[-1] if stack else None
        conditions = [*(outer.conditions if outer else []), self.folded(at, stop)]
        is_read = not _BROKEN_CONDITION.search(self.folded(at + 1, stop))
        if (
            is_read
            and name in _CONDITIONAL
            and (outer is None or outer.holds != "skipped")
            and len(stack) < MAX_NESTING
        ):
            selectors = outer.selectors if outer else []
            # Nested in a style rule, the block holds declarations for the same selectors.
            stack.append(_Block("style" if selectors else "group", selectors, conditions, at, stop))
            return stop + 1
        end = self.scan(stop + 1, b"}")
        self.references.extend(_urls(self.source, stop, end, self.offset))
        if end == len(self.source):
            self.report(stop, stop + 1, "missing")
        return end + 1

    def imported(self, at: int, stop: int) -> None:
        found = _IMPORT.match(self.source[at:stop])
        if found:
            start, end = self.offset + at + found.start(1), self.offset + at + found.end(1)
            self.references.append(CssReference("import", _unquoted(found.group(1)), start, end))

    def rule_or_declaration(self, at: int, stack: list[_Block]) -> int:
        block = stack[-1] if stack else None
        if block is not None and block.holds == "style":
            brace = self.scan(at, b"{;}")
            is_custom = self.source.startswith(b"--", at)
            if _PROPERTY.match(self.source, at) and (is_custom or self.source[brace : brace + 1] != b"{"):
                stop = self.scan(at, b";}") if is_custom else brace
                declaration = self.declaration(at, stop)
                if declaration is not None:
                    block.declarations.append(declaration)
                    self.references.extend(_urls(self.source, at, stop, self.offset))
                return stop
            if self.source[brace : brace + 1] != b"{":
                return brace  # neither a declaration nor a rule: CSS drops it
        else:
            brace = self.scan(at, b"{}" if stack else b"{")
            stray = brace if stack else self.scan(at, b"}{")
            if stray < brace:
                # A stray brace becomes part of the selector, which is then invalid: the whole rule is dropped.
                self.report(stray, stray + 1, "error")
                return self.scan(brace + 1, b"}") + 1
            if self.source[brace : brace + 1] != b"{":
                if not stack:
                    self.report(at, len(self.source), "missing")
                return brace
        outer = block.selectors if block else []
        written = self.folded(at, brace)
        if not written or _INVALID_SELECTOR.search(written):
            return self.scan(brace + 1, b"}") + 1  # an invalid selector takes its block with it, nested rules too
        selectors = _nested(_selector_list(written), outer)
        conditions = block.conditions if block else []
        if len(stack) >= MAX_NESTING:
            return self.scan(brace + 1, b"}") + 1
        stack.append(_Block("style", selectors, conditions, at, brace))
        return brace + 1

    def declaration(self, at: int, stop: int) -> CssDeclaration | None:
        found = _PROPERTY.match(self.source, at, stop)
        if not found:
            return None
        name = found.group(1).decode("utf-8", "replace")
        value = self.folded(found.end(), stop)
        important = _IMPORTANT.search(value)
        if important:
            value = value[: important.start()]
        end = at + len(self.source[at:stop].rstrip())
        written = name if name.startswith("--") else name.lower()
        return CssDeclaration(written, value, important is not None, self.offset + at, self.offset + end)

    def folded(self, start: int, end: int) -> str:
        """The text without comments, white space folded."""
        text = self.source[start:end].decode("utf-8", "replace")
        return " ".join(_COMMENT.sub(" ", text).split())

    def close(self, block: _Block, end: int) -> None:
        if block.holds == "style" and block.declarations:
            rule = CssRule(
                block.selectors, block.declarations, block.conditions, self.offset + block.start, self.offset + end
            )
            # A rule comes before the rules nested in it, as it applies before them.
            place = len(self.rules)
            while place and self.rules[place - 1].start > rule.start:
                place -= 1
            self.rules.insert(place, rule)


def _selector_list(text: str) -> list[str]:
    """The comma-separated parts of a selector list; commas in brackets and strings don't separate."""
    parts: list[str] = []
    depth, quote, start = 0, "", 0
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and depth <= 0:
            parts.append(text[start:place].strip())
            start = place + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _nested(selectors: list[str], outer: list[str]) -> list[str]:
    """Selectors of a rule inside another: `&` stands for the outer list, in `:is()` where it is long."""
    if not outer:
        return selectors
    parent = outer[0] if len(outer) == 1 else f":is({', '.join(outer)})"
    if len(parent) > MAX_SELECTOR:
        return selectors
    # Where more than one simple selector stands for `&`, only at the start may it be put in as it is: `.x &` inside
    # `.a .b` means `.x :is(.a .b)`. A type selector would also fuse with what stands before it (`.x&` inside `div`).
    safe = parent if re.fullmatch(r"[.#:\[][^\s>+~]*", parent) else f":is({parent})"
    return [_substituted(selector, parent, safe) for selector in selectors]


def _substituted(selector: str, parent: str, safe: str) -> str:
    if "&" not in selector:
        return f"{parent} {selector}"
    if selector.startswith("&"):
        return parent + selector[1:].replace("&", safe)
    return selector.replace("&", safe)


def _urls(source: bytes, start: int, end: int, offset: int) -> list[CssReference]:
    found = []
    for match in (*_QUOTED_URL.finditer(source, start, end), *_BARE_URL.finditer(source, start, end)):
        url = _unquoted(match.group(1))
        found.append(CssReference("url", url, offset + match.start(1), offset + match.end(1)))
    return sorted(found, key=lambda reference: reference.start)


def _unquoted(text: bytes) -> str:
    written = text.decode("utf-8", "replace")
    if written[:1] in ("'", '"'):
        written = written[1:-1]
    return _ESCAPE.sub(_unescaped, written)


def _unescaped(found: re.Match[str]) -> str:
    digits, character = found.groups()
    if digits:
        code = int(digits, 16)
        return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    return character or ""
