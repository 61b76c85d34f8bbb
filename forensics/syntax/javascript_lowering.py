"""The state of lowering one script, shared by the handlers of expressions and statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from forensics.syntax import ir
from forensics.syntax.grammars import Grammar

# Depth is counted in half levels. A record inside another is one level deeper; a link of a chain (`a.b`, `a[b]`,
# `a()` around its object) only half a level, so that a chain of 100 method calls stays readable.
LEVEL: Final = 2
LINK: Final = 1
DEPTH_LIMIT: Final = ir.MAX_DEPTH * LEVEL

TOO_DEEP: Final = "nested too deeply"
SYNTAX_ERROR: Final = "syntax error"

PROBLEM_TEXT: Final = 80

Expression = Callable[["Lowering", Node, int], ir.Expression]
Statement = Callable[["Lowering", Node, int, list[ir.Statement]], None]


class Kinds:
    """The kind numbers that handlers on hot paths compare with."""

    def __init__(self, grammar: Grammar) -> None:
        named, token = grammar.named, grammar.token
        self.identifier: Final = named("identifier")
        self.optional_chain: Final = frozenset({named("optional_chain"), token("?.")})
        self.template_string: Final = named("template_string")
        self.import_word: Final = named("import")
        self.binary: Final = named("binary_expression")
        self.semicolon: Final = token(";")
        self.comma: Final = token(",")
        self.comments: Final = grammar.named_kinds("comment", "html_comment")
        self.extras: Final = grammar.named_kinds("comment", "html_comment", "ERROR")
        self.wrappers: Final = grammar.named_kinds(
            "parenthesized_expression",
            "as_expression",
            "satisfies_expression",
            "non_null_expression",
            "type_assertion",
            "instantiation_expression",
        )
        self.parenthesised: Final = named("parenthesized_expression")
        self.type_assertion: Final = named("type_assertion")
        self.terminated: Final = grammar.named_kinds(
            "expression_statement",
            "lexical_declaration",
            "variable_declaration",
            "using_declaration",
            "return_statement",
            "throw_statement",
            "break_statement",
            "continue_statement",
            "debugger_statement",
            "do_statement",
            "import_statement",
        )


class Lowering:
    """What the handlers need (source, tables) and what they note on the way (counts, flags).

    `parsed` is the text that the tree was made from: the source with some places masked (javascript_repairs).
    `splits` are places where a statement ends that the grammar continues.
    `comments` maps the starts of comments among statements to their ends.
    `functions` and `namespaces` count the ones around the node at hand. `problems` are those that the grammar let
    pass. `cut` holds the nodes left out because they nest too deeply, each with `functions`.
    """

    __slots__ = (
        "arrow_functions",
        "async_functions",
        "comments",
        "cut",
        "declared",
        "expressions",
        "function_declarations",
        "functions",
        "has_module_syntax",
        "has_top_level_await",
        "identifier",
        "is_tsx",
        "kind_names",
        "kinds",
        "namespaces",
        "parsed",
        "problems",
        "promise_then",
        "quotes_double",
        "quotes_single",
        "quotes_template",
        "semicolons",
        "source",
        "splits",
        "statements",
        "try_statements",
        "without_semicolons",
    )

    def __init__(
        self,
        source: bytes,
        parsed: bytes,
        grammar: Grammar,
        kinds: Kinds,
        expressions: dict[int, Expression],
        statements: dict[int, Statement],
    ) -> None:
        self.source = source
        self.parsed = parsed
        self.splits: list[int] = []
        self.kind_names = grammar.kind_names
        self.kinds = kinds
        self.identifier = kinds.identifier
        self.comments: dict[int, int] = {}
        self.expressions = expressions
        self.statements = statements
        self.functions = 0
        self.namespaces = 0
        self.cut: list[tuple[Node, int]] = []
        self.declared: list[str] = []
        self.problems: list[ir.SyntaxProblem] = []
        self.is_tsx = grammar.dialect == "tsx"
        self.has_module_syntax = False
        self.has_top_level_await = False
        self.quotes_single = 0
        self.quotes_double = 0
        self.quotes_template = 0
        self.semicolons = 0
        self.without_semicolons = 0
        self.arrow_functions = 0
        self.async_functions = 0
        self.function_declarations = 0
        self.try_statements = 0
        self.promise_then = 0

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def significant(self, nodes: list[Node]) -> list[Node]:
        """The nodes without comments and errors, which may stand anywhere."""
        extras = self.kinds.extras
        return [node for node in nodes if node.kind_id not in extras]

    def problem(self, start: int, end: int, kind: str) -> None:
        """Notes a place where the source is wrong; `kind` as in ir.SyntaxProblem."""
        text = self.source[start:end].decode("utf-8", "replace")[:PROBLEM_TEXT]
        self.problems.append(ir.SyntaxProblem(start, end, kind, text))

    def check_commas(self, node: Node, items: int) -> None:
        """Notes commas with nothing before them in a list of `items`, which the grammar accepts.

        A list with fewer commas than items can't have any.
        """
        commas = node.child_count - node.named_child_count - 2
        if not commas or commas < items:
            return
        comma, extras = self.kinds.comma, self.kinds.extras
        is_empty = True
        for kid in node.children[1:]:
            if kid.kind_id == comma:
                if is_empty:
                    self.problem(kid.start_byte, kid.end_byte, "error")
                is_empty = True
            elif kid.kind_id not in extras:
                is_empty = False

    def too_deep(self, node: Node) -> ir.Opaque:
        self.cut.append((node, self.functions))
        return ir.Opaque(node.start_byte, node.end_byte, TOO_DEEP)


def expression(cx: Lowering, node: Node, depth: int) -> ir.Expression:
    """The record of any expression node."""
    kind = node.kind_id
    if kind == cx.identifier:
        start, end = node.start_byte, node.end_byte
        if start == end:
            return ir.Opaque(start, end, SYNTAX_ERROR)
        return ir.Name(start, end, cx.source[start:end].decode("utf-8", "replace"))
    if depth > DEPTH_LIMIT:
        return cx.too_deep(node)
    return cx.expressions[kind](cx, node, depth)


def statement_list(cx: Lowering, nodes: list[Node], depth: int) -> list[ir.Statement]:
    """The records of the statements among `nodes`, in order; one node may give several or none."""
    out: list[ir.Statement] = []
    handlers = cx.statements
    terminated = cx.kinds.terminated
    semicolon = cx.kinds.semicolon
    if depth > DEPTH_LIMIT:
        return [cx.too_deep(node) for node in cx.significant(nodes)]
    for node in nodes:
        kind = node.kind_id
        if kind in terminated:
            if node.children[-1].kind_id == semicolon:
                cx.semicolons += 1
            else:
                cx.without_semicolons += 1
        known = len(out)
        try:
            handlers[kind](cx, node, depth, out)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            # The shapes of nodes are only promised where the grammar could read the source.
            if not node.has_error:
                raise
            del out[known:]
            out.append(ir.Opaque(node.start_byte, node.end_byte, SYNTAX_ERROR))
    return out


def body_with_directives(cx: Lowering, nodes: list[Node], depth: int) -> tuple[list[ir.Statement], list[str]]:
    """The statements of a function or file and its directives, which are not among the statements."""
    directives: list[str] = []
    rest = 0
    names = cx.kind_names
    comments = cx.kinds.comments
    for node in nodes:
        if node.kind_id not in comments and names[node.kind_id] != "hash_bang_line":
            if names[node.kind_id] != "expression_statement":
                break
            held = node.named_children
            if not held or names[held[0].kind_id] != "string":
                break
            directives.append(cx.source[held[0].start_byte + 1 : held[0].end_byte - 1].decode("utf-8", "replace"))
        rest += 1
    return statement_list(cx, nodes[rest:] if rest else nodes, depth), directives
