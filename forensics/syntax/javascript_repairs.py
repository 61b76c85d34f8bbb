"""Trees of valid sources that the grammars refuse or misread.

The tree-sitter grammars reject some valid syntax and read some with the wrong precedence (docs/grammar-gaps.md lists
both, each entry verified against Node, esbuild or the TypeScript compiler). Such places are masked by neutral bytes of
the same length before parsing: positions stay true, and the lowering reads texts from the original source. Inside
strings, comments and text a mask changes nothing, as only the tree is made from the masked bytes.

What the grammars misread is masked before the first parse. What they refuse is masked where a parse has errors; such a
mask stays only if the new tree shows it where the gap can occur (a bare `&` in the text of a JSX element, say), and
only if fewer errors are left.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from tree_sitter import Node, Tree

from forensics.syntax.grammars import Grammar, grammar

# Bounds of what is tried for a source that has errors: nobody writes as much by hand, and trees of broken text are slow.
_LARGEST_SOURCE: Final = 500_000
_MOST_MASKS: Final = 400
_ROUNDS: Final = 3
_ATTEMPTS: Final = 2
_MOST_TYPE_LISTS: Final = 2_000
_LONGEST_TYPES: Final = 4000

_SPACE, _SEMICOLON, _EQUALS, _LESS, _GREATER, _OPEN_PAREN, _CLOSE_PAREN = b" ;=<>()"
_OPENERS: Final = frozenset(b"([{")
_STRING: Final = rb"""(?:"[^"\n]*"|'[^'\n]*')"""

_USING: Final = re.compile(rb"\b(?:(await)[ \t]+)?(using)(?=[ \t]+[A-Za-z_$][\w$]*[ \t\n]*(?:=[^=]|:|of\b))")
_AWAIT_BRACKET: Final = re.compile(rb"(?<![\w$.#])await(?=\s*[(\[`])")
_FOR_AWAIT_LET: Final = re.compile(rb"(\bfor\s+await\s*\(\s*)let(?=\s*\[)")
_FOR_BEFORE: Final = re.compile(rb"\bfor\s*\Z")
# `a!` as opposed to `!a` and `a != b`: something ends before it, and nothing that `!` could negate follows.
_NON_NULL: Final = re.compile(rb"(?<=[\w$)\]}])!(?=[.,;:?)\]}\s&|<>*/%+-]|=>|\?\?|\Z)|(?<=[\w$\]])!(?=[(\[])")
# `a()![0]` as opposed to `if (a) ![0]`: it depends on what the parenthesis belongs to.
_CALLED_NON_NULL: Final = re.compile(rb"(?<=\))!(?=[(\[])")
_HEAD_BEFORE: Final = re.compile(rb"(?:^|[^\w$.])(?:if|while|for|with|for\s+await)\s*\Z")
_AS_BEFORE_EQUALITY: Final = re.compile(rb" as\s+[\w$.]+(?:\[\])*(?=\s*[!=]==?)")
_WORD_BEFORE: Final = re.compile(rb"(?:^|[^\w$.])(?:return|typeof|case|in|of|void|await|delete|else|do|throw|yield)\Z")
_QUOTED: Final = re.compile(_STRING)
_PLAIN_TYPES: Final = re.compile(rb"[\w$\s.,|\[\]]*")
_TWO_NAMES: Final = re.compile(rb"[\w$]\s+[\w$]")
_NO_TYPE: Final = re.compile(rb"&&|\|\||[+*%!^~@`\\/]|=(?!>)(?=[\"'{=])")
_ENDS_CALLEE: Final = re.compile(rb"[\w$)\]]")
_TAG_NAME: Final = re.compile(rb"[\w$.-]+")
_BLANKED: Final = re.compile(rb"[^\n]")
_BRACKETS: Final = {ord(")"): ord("("), ord("]"): ord("["), ord("}"): ord("{")}


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


def _in_type_body(node: Node) -> bool:
    return _kind(node.parent) in ("interface_body", "object_type")


def _in_type_parameters(node: Node) -> bool:
    return node.type in ("type_parameters", "type_parameter")


def _before_class_member(node: Node) -> bool:
    return node.type in ("class_body", "public_field_definition", "class_declaration", "class")


def _in_tagged_template(node: Node) -> bool:
    template = node if node.type == "template_string" else node.parent
    return _kind(template) == "template_string" and template is not None and _kind(template.parent) == "call_expression"


def _at_import(node: Node) -> bool:
    return node.type in ("program", "import_statement", "statement_block")


_JSX: Final = ("javascript", "tsx")
_TYPED: Final = ("typescript", "tsx")
_ALL: Final = ("javascript", "typescript", "tsx")

_GAPS: Final = (
    # `|` can stand in text, and in code wherever `&` can.
    Gap(_JSX, re.compile(rb"(&)"), b"|", _in_jsx_text, True),
    Gap(("javascript",), re.compile(rb"[\s\"'}](class|for)(?=\s*=)"), b"x", _in_jsx_name),
    Gap(
        _ALL,
        re.compile(
            rb"\bexport\b[^;'\"`]{0,2000}?\bfrom\s*" + _STRING + rb"\s*\b((?:with|assert)\s*\{[^{}]*\})",
        ),
        b" ",
        _after_export,
    ),
    Gap(_TYPED, re.compile(rb"\bexport\s+(type)\s+\*"), b" ", _after_export),
    Gap(_TYPED, re.compile(rb"\b(export)\s+import\s+[\w$]+\s*=\s*require\b"), b" ", _at_import),
    Gap(_TYPED, re.compile(rb"\b(import\(\s*" + _STRING + rb"\s*\))"), b"i", _in_type),
    Gap(_TYPED, re.compile(rb"[<,]\s*((?:in|out)\b(?:\s+out\b)?)(?=\s+[A-Za-z_$])"), b" ", _in_type_parameters),
    Gap(_TYPED, re.compile(rb"\bstatic\s+(accessor)\b"), b" ", _before_class_member),
    # A generic call signature on a new line of a type.
    Gap(_TYPED, re.compile(rb"(\n)\s*<\s*[A-Za-z_$]"), b";", _in_type_body),
    Gap(
        _ALL,
        re.compile(rb"(\\)(?:u(?![0-9a-fA-F]{4}|\{[0-9a-fA-F]+\})|x(?![0-9a-fA-F]{2})|[0-9])"),
        b"_",
        _in_tagged_template,
    ),
)
# `import a from 'b' assert {…}`, which Node 20 and esbuild read as `with`.
_ASSERT: Final = re.compile(rb"\bimport\b[^;'\"`]{0,2000}?\bfrom\s*" + _STRING + rb"\s*\b(assert)(?=\s*\{)")


class _Mask(NamedTuple):
    start: int
    end: int
    filler: bytes
    belongs: Callable[[Node], bool]


def parsed(grammar: Grammar, source: bytes, offset: int) -> tuple[Tree, bytes]:
    """The tree of the source, known gaps of the grammar mended, and the text that was parsed."""
    masked = _with_var_for_let(source)
    is_typed = grammar.dialect != "javascript"
    masked = _without_types(masked, grammar.dialect) if is_typed else _with_await_as_void(masked)
    tree = grammar.parse(masked, offset)
    if tree.root_node.has_error and masked is not source:
        plain = grammar.parse(source, offset)
        if _badness(outermost_problems(plain.root_node)) < _badness(outermost_problems(tree.root_node)):
            masked, tree = source, plain
    for _ in range(_ROUNDS):
        if not tree.root_node.has_error or len(source) - offset > _LARGEST_SOURCE:
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


def _with_var_for_let(source: bytes) -> bytes:
    """The grammars read `for await (let [a] of b)` as an assignment to `let[a]`."""
    if b"(let [" not in source and b"(let[" not in source:
        return source
    return _FOR_AWAIT_LET.sub(rb"\1var", source)


def _with_await_as_void(source: bytes) -> bytes:
    """The JavaScript grammar reads `await (a).b` as a call of `await`; `void` has the precedence that `await` has."""
    text: bytearray | None = None
    at = source.find(b"await")
    while at >= 0:
        if _AWAIT_BRACKET.match(source, at) and not _FOR_BEFORE.search(source, max(0, at - 20), at):
            if text is None:
                text = bytearray(source)
            text[at : at + 5] = b"void "
        at = source.find(b"await", at + 5)
    return source if text is None else bytes(text)


def _without_types(source: bytes, dialect: str) -> bytes:
    """The source without those assertions and type arguments after which the TypeScript grammar binds wrongly.

    It reads `!a!.b` as `(!a!).b`, `b + f<T>(c)` as `(b + f)<T>(c)` and `a && b as C === d` as `(a && b) === d`. `using` becomes `const`, as it has no `using`.
    """
    text = bytearray(source)
    if b"using" in source:
        text[:] = _USING.sub(_const_for_using, source)
    at = source.find(b"!")
    while at >= 0:
        if (_NON_NULL.match(source, at) and not _WORD_BEFORE.search(source, max(0, at - 8), at)) or (
            _CALLED_NON_NULL.match(source, at) and not _is_head(source, at - 1)
        ):
            text[at] = _SPACE
        at = source.find(b"!", at + 1)
    at = source.find(b" as ")
    while at >= 0:
        asserted = _AS_BEFORE_EQUALITY.match(source, at)
        if asserted is not None:
            text[at : asserted.end()] = b" " * (asserted.end() - at)
        at = source.find(b" as ", at + 1)
    for needle in (b">(", b">`"):
        for at in islice(_positions(source, needle), _MOST_TYPE_LISTS):
            start = _opening_angle(source, at)
            if start > 0 and not (dialect == "tsx" and _is_element(source, start)) and _are_types(source, start, at):
                text[start : at + 1] = _BLANKED.sub(b" ", source[start : at + 1])
    masked = bytes(text)
    return source if masked == source else masked


def _is_head(source: bytes, close: int) -> bool:
    """Whether the parenthesis that closes here is the head of an `if` or loop (brackets in strings are counted too)."""
    depth = 0
    for at in range(close, max(0, close - _LONGEST_TYPES), -1):
        if source[at] == _CLOSE_PAREN:
            depth += 1
        elif source[at] == _OPEN_PAREN:
            depth -= 1
            if depth == 0:
                return _HEAD_BEFORE.search(source, max(0, at - 30), at) is not None
    return True


def _const_for_using(match: re.Match[bytes]) -> bytes:
    return b" " * (len(match.group()) - len(b"using")) + b"const"


def _opening_angle(source: bytes, close: int) -> int:
    """Where the type arguments that end at `close` begin; -1 where it is no list of types after a name or a call."""
    if source[close - 1] == _EQUALS:
        return -1
    at = source.rfind(b"<", max(0, close - _LONGEST_TYPES), close)
    if at <= 0:
        return -1
    if not _PLAIN_TYPES.fullmatch(source, at + 1, close):
        at = _matching_angle(source, close)
    if at <= 0 or not _ENDS_CALLEE.match(source, at - 1):
        return -1
    types = source[at + 1 : close]
    return -1 if _NO_TYPE.search(_QUOTED.sub(b"", types)) else at


def _matching_angle(source: bytes, close: int) -> int:
    """The `<` that `close` closes, all brackets between them in pairs; -1 where there is none."""
    open_brackets: list[int] = []
    depth = 0
    for at in range(close, max(0, close - _LONGEST_TYPES), -1):
        byte = source[at]
        if byte == _GREATER:
            if source[at - 1] != _EQUALS:
                depth += 1
        elif byte == _LESS:
            depth -= 1
            if depth == 0:
                quotes_match = all(source.count(quote, at, close) % 2 == 0 for quote in (b"'", b'"'))
                return at if quotes_match and not open_brackets else -1
        elif byte in _BRACKETS:
            open_brackets.append(_BRACKETS[byte])
        elif byte in _OPENERS:
            if not open_brackets or open_brackets.pop() != byte:
                return -1
        elif byte == _SEMICOLON and not open_brackets:
            return -1
    return -1


def _are_types(source: bytes, start: int, close: int) -> bool:
    """Whether the list reads as type arguments: a mask must not hide what is wrong inside."""
    if _PLAIN_TYPES.fullmatch(source, start + 1, close) and not _TWO_NAMES.search(source, start + 1, close):
        return True
    return not grammar("typescript").parse(b"type A = B" + source[start : close + 1], 0).root_node.has_error


def _is_element(source: bytes, start: int) -> bool:
    """Whether `text<b>(` is text before a JSX element: then there is a closing tag of that name."""
    name = _TAG_NAME.match(source, start + 1)
    return name is not None and b"</" + name.group() + b">" in source


def _mended(grammar: Grammar, source: bytes, masked: bytes, tree: Tree, offset: int) -> tuple[bytes, Tree] | None:
    """A masking with fewer errors than `masked`; None where there is none."""
    problems = outermost_problems(tree.root_node)
    places = [(node.start_byte, node.end_byte) for node in problems[:_MOST_MASKS]]
    near = list(islice(_candidates(grammar.dialect, masked, places), _MOST_MASKS + 1))
    better = _with_masks(grammar, masked, problems, near, offset)
    if better is not None or not places:
        return better
    # A parser that was led astray reads the text between its errors as code, without complaint.
    between = [(places[0][0], max(end for _, end in places))]
    wide = list(islice(_candidates(grammar.dialect, masked, between), _MOST_MASKS + 1))
    return _with_masks(grammar, masked, problems, wide, offset) if wide != near else None


def _with_masks(
    grammar: Grammar, masked: bytes, before: list[Node], masks: list[_Mask], offset: int
) -> tuple[bytes, Tree] | None:
    if len(masks) > _MOST_MASKS:
        return None
    for _ in range(_ATTEMPTS):
        if not masks:
            break
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


def _candidates(dialect: str, source: bytes, places: list[tuple[int, int]]) -> Iterator[_Mask]:
    """Masks for a source; those of gaps that show in errors only, where one of the places (start, end) is near."""
    starts = [start - 1 for start, _ in places]
    ends = [end + 1 for _, end in places]
    for gap in _GAPS:
        if dialect not in gap.dialects:
            continue
        for match in gap.pattern.finditer(source):
            start, end = match.span(1)
            if gap.only_in_errors:
                place = bisect_right(starts, start) - 1
                if place < 0 or start >= ends[place]:
                    continue
            yield _Mask(start, end, gap.filler * (end - start), gap.belongs)
    if dialect == "javascript":
        for match in _ASSERT.finditer(source):
            yield _Mask(match.start(1), match.end(1), b"with  ", _in_import_attribute)


def _positions(source: bytes, needle: bytes) -> Iterator[int]:
    at = source.find(needle)
    while at >= 0:
        yield at
        at = source.find(needle, at + 1)
