"""The tree-sitter grammars, and tables that turn their numeric node kinds into handlers.

Nodes are told apart by `kind_id`: reading it costs a third of reading `type`, and it indexes a list.
"""

from __future__ import annotations

from functools import cache
from typing import Final, TypeVar

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Parser, Range, Tree

Handler = TypeVar("Handler")

DIALECTS: Final = ("javascript", "typescript", "tsx")

# Parser.included_ranges wants an end; this is the largest one that the C interface takes.
_LAST_BYTE: Final = 0xFFFFFFFF

# The kind of an ERROR node, which no table of the language lists.
_ERROR_KIND: Final = 0xFFFF


class Grammar:
    """One dialect's language with the names of its node kinds and fields by number."""

    def __init__(self, dialect: str, language: Language) -> None:
        self.dialect = dialect
        self.language = language
        self.kind_names: dict[int, str] = {
            number: language.node_kind_for_id(number) or "" for number in range(language.node_kind_count)
        }
        self.kind_names[_ERROR_KIND] = "ERROR"
        self.parser = Parser(language)

    def kinds(self, *names: str) -> frozenset[int]:
        """The numbers of the kinds (named nodes and tokens alike) with these names."""
        return frozenset(number for number, name in self.kind_names.items() if name in names)

    def named_kinds(self, *names: str) -> frozenset[int]:
        """The numbers of the named kinds with these names."""
        return frozenset(number for number in self.kinds(*names) if self._is_named(number))

    def token(self, name: str) -> int:
        """The number of the anonymous token with this text; -1 where the dialect has none."""
        number = self.language.id_for_node_kind(name, False)
        return -1 if number is None else number

    def named(self, name: str) -> int:
        """The number of the named kind; -1 where the dialect has none."""
        number = self.language.id_for_node_kind(name, True)
        return -1 if number is None else number

    def handlers(self, by_name: dict[str, Handler], otherwise: Handler) -> dict[int, Handler]:
        """By kind number: the handler of the named kind of that name, else `otherwise`."""
        return {
            number: by_name.get(name, otherwise) if self._is_named(number) else otherwise
            for number, name in self.kind_names.items()
        }

    def _is_named(self, number: int) -> bool:
        return number == _ERROR_KIND or self.language.node_kind_is_named(number)

    def parse(self, source: bytes, offset: int) -> Tree:
        """The syntax tree of `source[offset:]`; positions count from the start of `source`."""
        if not offset:
            return self.parser.parse(source)
        return Parser(
            self.language, included_ranges=[Range((0, offset), (_LAST_BYTE, _LAST_BYTE), offset, _LAST_BYTE)]
        ).parse(source)


@cache
def grammar(dialect: str) -> Grammar:
    """The grammar of a dialect: "javascript" (with JSX), "typescript" or "tsx"."""
    if dialect == "javascript":
        return Grammar(dialect, Language(tree_sitter_javascript.language()))
    if dialect == "typescript":
        return Grammar(dialect, Language(tree_sitter_typescript.language_typescript()))
    if dialect == "tsx":
        return Grammar(dialect, Language(tree_sitter_typescript.language_tsx()))
    raise ValueError(f"no grammar for {dialect!r}; known are {', '.join(DIALECTS)}")
