"""Trees of valid sources that the grammars refuse.

The tree-sitter grammars reject some valid syntax (docs/grammar-gaps.md lists it, each entry verified against Node or
esbuild). Where a parse has errors, such places are masked by neutral bytes of the same length and the source is parsed
again: positions stay true, and the lowering reads texts from the original source. A mask stays only if the new tree
shows it where the gap can occur (a bare `&` in the text of a JSX element, say), and only if fewer errors are left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from tree_sitter import Node, Tree

from forensics.syntax.grammars import Grammar

_ROUNDS: Final = 4
_SEMICOLON: Final = ord(";")
_STRING: Final = rb"""(?:"[^"\n]*"|'[^'\n]*')"""

_USING: Final = re.compile(rb"\b(?:(await)[ \t]+)?(using)(?=[ \t]+[A-Za-z_$][\w$]*[ \t\n]*(?:=[^=]|:|of\b))")


class Gap(NamedTuple):
    """One thing a grammar refuses: group 1 of `pattern` is masked with `filler`, if `belongs` holds afterwards.

    `belongs` gets the node of the new tree that spans the mask's first byte.
    """

    dialects: tuple[str, ...]
    pattern: re.Pattern[bytes]
    filler: bytes
    belongs: Callable[[Node], bool]
    only_in_errors: bool = False


def _kind(node: Node | None) -> str:
    return "" if node is None else node.type


def _in_jsx_text(node: Node) -> bool:
    if node.type == "jsx_text":
        return True
    string = node if node.type == "string" else node.parent
    return _kind(string) == "string" and string is not None and _kind(string.parent) == "jsx_attribute"


def _in_jsx_name(node: Node) -> bool:
    return _kind(node.parent) == "jsx_attribute"


def _in_import_attribute(node: Node) -> bool:
    return _kind(node.parent) == "import_attribute"


def _after_export(node: Node) -> bool:
    return node.type in ("export_statement", "program", "statement_block")


def _in_type(node: Node) -> bool:
    at: Node | None = node
    while at is not None and at.type in (
        "identifier",
        "type_identifier",
        "nested_identifier",
        "nested_type_identifier",
    ):
        if at.type in ("type_identifier", "nested_type_identifier"):
            return True
        at = at.parent
    return _kind(at) in ("type_query", "generic_type", "type_arguments")


def _in_type_parameters(node: Node) -> bool:
    return node.type in ("type_parameters", "type_parameter")


def _before_class_member(node: Node) -> bool:
    return node.type in ("class_body", "public_field_definition", "class_declaration", "class")


def _before_template(node: Node) -> bool:
    return node.type == "call_expression"


def _in_tagged_template(node: Node) -> bool:
    template = node if node.type == "template_string" else node.parent
    return _kind(template) == "template_string" and template is not None and _kind(template.parent) == "call_expression"


def _at_import(node: Node) -> bool:
    return node.type in ("program", "import_statement", "statement_block")


_JSX: Final = ("javascript", "tsx")
_TYPED: Final = ("typescript", "tsx")
_ALL: Final = ("javascript", "typescript", "tsx")

_GAPS: Final = (
    Gap(_JSX, re.compile(rb"(&)"), b"x", _in_jsx_text, True),
    Gap(("javascript",), re.compile(rb"[\s\"'}](class|for)(?=\s*=)"), b"x", _in_jsx_name),
    Gap(
        _ALL,
        re.compile(
            rb"\bexport\b[^;'\"`]*?\bfrom\s*" + _STRING + rb"\s*\b((?:with|assert)\s*\{[^{}]*\})",
        ),
        b" ",
        _after_export,
    ),
    Gap(_TYPED, re.compile(rb"\bexport\s+(type)\s+\*"), b" ", _after_export),
    Gap(_TYPED, re.compile(rb"\b(export)\s+import\s+[\w$]+\s*=\s*require\b"), b" ", _at_import),
    Gap(_TYPED, re.compile(rb"\b(import\(\s*" + _STRING + rb"\s*\))"), b"i", _in_type),
    Gap(_TYPED, re.compile(rb"[<,]\s*((?:in|out)\b(?:\s+out\b)?)(?=\s+[A-Za-z_$])"), b" ", _in_type_parameters),
    Gap(_TYPED, re.compile(rb"\bstatic\s+(accessor)\b"), b" ", _before_class_member),
    Gap(
        _ALL,
        re.compile(rb"(\\)(?:u(?![0-9a-fA-F]{4}|\{[0-9a-fA-F]+\})|x(?![0-9a-fA-F]{2})|[0-9])"),
        b"_",
        _in_tagged_template,
    ),
)
# `import a from 'b' assert {…}`, which Node 20 and esbuild read as `with`.
_ASSERT: Final = re.compile(rb"\bimport\b[^;'\"`]*?\bfrom\s*" + _STRING + rb"\s*\b(assert)(?=\s*\{)")


class _Mask(NamedTuple):
    start: int
    end: int
    filler: bytes
    belongs: Callable[[Node], bool]


def parsed(grammar: Grammar, source: bytes, offset: int) -> tuple[Tree, bytes]:
    """The tree of the source, known gaps of the grammar mended where they would give errors, and the text parsed."""
    masked = _without_using(source) if grammar.dialect != "javascript" and b"using" in source else source
    tree = grammar.parse(masked, offset)
    for _ in range(_ROUNDS):
        if not tree.root_node.has_error:
            break
        better = _mended(grammar, source, masked, tree, offset)
        if better is None:
            break
        masked, tree = better
    return tree, masked


def split(grammar: Grammar, masked: bytes, places: list[int], offset: int) -> tuple[Tree, bytes]:
    """The tree with statements ended at these places, where a white space character stands."""
    text = bytearray(masked)
    for place in places:
        text[place] = _SEMICOLON
    mended = bytes(text)
    return grammar.parse(mended, offset), mended


def outermost_problems(root: Node) -> list[Node]:
    """The ERROR and MISSING nodes that lie in no other one, in order of position."""
    problems: list[Node] = []
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            problems.append(node)
        else:
            pending.extend(reversed([child for child in node.children if child.has_error]))
    return problems


def _without_using(source: bytes) -> bytes:
    """The TypeScript grammar has no `using` declarations; `const` has as many letters."""

    def replaced(match: re.Match[bytes]) -> bytes:
        text = match.group()
        return (b" " * (len(text) - 5) if match.group(1) else b"") + b"const"

    return _USING.sub(replaced, source)


def _mended(grammar: Grammar, source: bytes, masked: bytes, tree: Tree, offset: int) -> tuple[bytes, Tree] | None:
    """A masking with fewer errors than `masked`; None where there is none."""
    before = outermost_problems(tree.root_node)
    masks = list(_candidates(grammar.dialect, masked, before))
    while masks:
        attempt = bytearray(masked)
        for mask in masks:
            attempt[mask.start : mask.end] = mask.filler
        mended = bytes(attempt)
        after = grammar.parse(mended, offset)
        root = after.root_node
        kept = [mask for mask in masks if _shows(root, mask)]
        if len(kept) == len(masks):
            return (mended, after) if _badness(outermost_problems(root)) < _badness(before) else None
        masks = kept
    return None


def _shows(root: Node, mask: _Mask) -> bool:
    node = root.descendant_for_byte_range(mask.start, mask.start + 1)
    return node is not None and mask.belongs(node)


def _badness(problems: list[Node]) -> int:
    return sum(1 + node.end_byte - node.start_byte for node in problems)


def _candidates(dialect: str, source: bytes, problems: list[Node]) -> Iterator[_Mask]:
    spans = [(node.start_byte - 1, node.end_byte + 1) for node in problems]
    for gap in _GAPS:
        if dialect not in gap.dialects:
            continue
        for match in gap.pattern.finditer(source):
            start, end = match.span(1)
            if gap.only_in_errors and not any(low <= start < high for low, high in spans):
                continue
            yield _Mask(start, end, gap.filler * (end - start), gap.belongs)
    if dialect == "javascript":
        for match in _ASSERT.finditer(source):
            yield _Mask(match.start(1), match.end(1), b"with  ", _in_import_attribute)
    else:
        for at in _positions(source, b">`"):
            start = _opening_angle(source, at)
            if start > 0:
                blank = re.sub(rb"[^\n]", b" ", source[start : at + 1])
                yield _Mask(start, at + 1, blank, _before_template)


def _positions(source: bytes, needle: bytes) -> Iterator[int]:
    at = source.find(needle)
    while at >= 0:
        yield at
        at = source.find(needle, at + 1)


def _opening_angle(source: bytes, close: int) -> int:
    """Where the type arguments that end at `close` begin; -1 where they don't look like any."""
    depth = 0
    for at in range(close, max(0, close - 4000), -1):
        byte = source[at]
        if byte == 0x3E and source[at - 1] != 0x3D:
            depth += 1
        elif byte == 0x3C:
            depth -= 1
            if depth == 0:
                quotes_match = all(source.count(quote, at, close) % 2 == 0 for quote in (b"'", b'"'))
                return at if quotes_match else -1
        elif byte == 0x60:
            break
    return -1
