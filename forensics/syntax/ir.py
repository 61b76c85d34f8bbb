"""The intermediate representation (IR): what one file says on its own.

A file's IR is a pure function of its bytes and its language, so it can be cached by content hash and shared between
identical files of different builds. Every record carries `start` and `end`, byte offsets into the source (end
exclusive); lines and columns are derived from them only where a finding needs them.

Records are msgspec structs encoded as arrays. Two consequences bind whoever writes a lowering:
operators are n-ary (`a + b + c` is one `Binary`), and nothing nests deeper than `MAX_DEPTH`: past that an expression is
`Opaque("nested too deeply")`.
"""

from __future__ import annotations

from typing import Union

from msgspec import Struct

IR_VERSION = 1
MAX_DEPTH = 200


class Node(Struct, frozen=True, array_like=True, gc=False, tag=True):
    start: int
    end: int


# ---------------------------------------------------------------- expressions


class Const(Node, frozen=True):
    """A string, number (float unless integral), boolean or null (None). `undefined` is a Name."""

    value: str | int | float | bool | None


class BigInt(Node, frozen=True):
    digits: str


class Regex(Node, frozen=True):
    pattern: str
    flags: str


class Name(Node, frozen=True):
    """An identifier in an expression or as a binding target."""

    name: str


class Template(Node, frozen=True):
    """A template literal; `parts` alternates cooked text (Const) and expressions, empty text left out."""

    parts: list[Expression]


class Tagged(Node, frozen=True):
    tag: Expression
    template: Template


class Array(Node, frozen=True):
    """An array literal; a hole is None."""

    items: list[Expression | None]


class Property(Node, frozen=True):
    """One member of an object literal. `kind`: init, get, set, method, spread (key None, value the spread expression).

    `key` is a Const for a written name (`a:`, `'a':`, `1:`, shorthand, method) and any expression when computed.
    """

    kind: str
    key: Expression | None
    value: Expression


class Object(Node, frozen=True):
    properties: list[Property]


class Function(Node, frozen=True):
    """A function, arrow function or method. An arrow with an expression body has `body=[Return(expression)]`.

    `name` is the written name or "". `directives` holds 'use server' and the like.
    """

    name: str
    parameters: list[Pattern]
    body: list[Statement]
    is_async: bool
    is_generator: bool
    is_arrow: bool
    directives: list[str]


class Member(Node, frozen=True):
    """`object.name`; private names keep their `#`."""

    object: Expression
    name: str
    optional: bool


class Index(Node, frozen=True):
    """`object[index]`"""

    object: Expression
    index: Expression
    optional: bool


class Call(Node, frozen=True):
    callee: Expression
    arguments: list[Expression]
    optional: bool


class New(Node, frozen=True):
    callee: Expression
    arguments: list[Expression]


class Spread(Node, frozen=True):
    """`...value` in a call or an array literal."""

    value: Expression


class Unary(Node, frozen=True):
    """`operator`: ! - + ~ typeof void delete"""

    operator: str
    operand: Expression


class Binary(Node, frozen=True):
    """A left-associative chain of one operator: arithmetic, comparison, `in`, `instanceof`. `**` has two operands."""

    operator: str
    operands: list[Expression]


class Logical(Node, frozen=True):
    """A chain of `&&`, `||` or `??`."""

    operator: str
    operands: list[Expression]


class Conditional(Node, frozen=True):
    test: Expression
    consequent: Expression
    alternate: Expression


class Assign(Node, frozen=True):
    """`operator` is `=`, `+=`, `??=` and so on."""

    operator: str
    target: Pattern
    value: Expression


class Update(Node, frozen=True):
    operator: str
    prefix: bool
    target: Expression


class Sequence(Node, frozen=True):
    expressions: list[Expression]


class Await(Node, frozen=True):
    value: Expression


class Yield(Node, frozen=True):
    value: Expression | None
    delegate: bool


class DynamicImport(Node, frozen=True):
    """`import(specifier)`"""

    specifier: Expression


class ImportMeta(Node, frozen=True):
    """`import.meta` itself; `import.meta.url` is a Member of it."""


class This(Node, frozen=True):
    pass


class Super(Node, frozen=True):
    pass


class NewTarget(Node, frozen=True):
    pass


class JsxAttribute(Node, frozen=True):
    """`name={value}`; a bare attribute has Const(True); a spread attribute has name "..."."""

    name: str
    value: Expression


class Jsx(Node, frozen=True):
    """A JSX element. `element` is Const("div") for a host element, an expression for a component, None for a fragment.

    Children: Const for text (white space folded as JSX does, entities decoded), Jsx, expressions; empty ones left out.
    """

    element: Expression | None
    attributes: list[JsxAttribute]
    children: list[Expression]


class Opaque(Node, frozen=True):
    """Something the lowering could not read; `reason` is said to the user when a value depends on it."""

    reason: str


class ClassMember(Node, frozen=True):
    """`kind`: constructor, method, get, set, field, static-block (value is a Function without parameters).

    A field's `value` is its initialiser or None.
    """

    kind: str
    is_static: bool
    key: Expression | None
    value: Expression | None


class Class(Node, frozen=True):
    name: str
    superclass: Expression | None
    members: list[ClassMember]


# ------------------------------------------------------------------- patterns


class ObjectPatternProperty(Node, frozen=True):
    key: Expression
    target: Pattern


class ObjectPattern(Node, frozen=True):
    properties: list[ObjectPatternProperty]
    rest: Pattern | None


class ArrayPattern(Node, frozen=True):
    """A hole is None; a rest element is a RestPattern in last place."""

    items: list[Pattern | None]


class DefaultPattern(Node, frozen=True):
    """`target = default` in a parameter or a pattern."""

    target: Pattern
    default: Expression


class RestPattern(Node, frozen=True):
    target: Pattern


# ----------------------------------------------------------------- statements


class Declare(Node, frozen=True):
    """One declarator: `const a = 1, b = 2` gives two. `kind`: const, let, var, using. `declare` forms are left out."""

    kind: str
    target: Pattern
    value: Expression | None


class FunctionDeclaration(Node, frozen=True):
    function: Function


class ClassDeclaration(Node, frozen=True):
    declaration: Class


class Evaluate(Node, frozen=True):
    """An expression statement."""

    expression: Expression


class Return(Node, frozen=True):
    value: Expression | None


class Throw(Node, frozen=True):
    value: Expression


class If(Node, frozen=True):
    test: Expression
    consequent: list[Statement]
    alternate: list[Statement]


class For(Node, frozen=True):
    """`for (init; test; update)`"""

    init: list[Statement]
    test: Expression | None
    update: Expression | None
    body: list[Statement]


class ForEach(Node, frozen=True):
    """`for (kind target of|in iterable)`. `declares` is const, let, var or "" for an assignment to `target`."""

    declares: str
    target: Pattern
    iterable: Expression
    over_keys: bool
    is_async: bool
    body: list[Statement]


class While(Node, frozen=True):
    """`while` and, with `test_last`, `do … while`."""

    test: Expression
    body: list[Statement]
    test_last: bool


class Try(Node, frozen=True):
    block: list[Statement]
    parameter: Pattern | None
    handler: list[Statement] | None
    finalizer: list[Statement]


class Case(Node, frozen=True):
    """`test` is None for `default`."""

    test: Expression | None
    body: list[Statement]


class Switch(Node, frozen=True):
    subject: Expression
    cases: list[Case]


class Block(Node, frozen=True):
    body: list[Statement]


class Break(Node, frozen=True):
    label: str


class Continue(Node, frozen=True):
    label: str


class Labelled(Node, frozen=True):
    label: str
    body: list[Statement]


class ImportBinding(Node, frozen=True):
    """`imported` is the exported name, "default", or "*" for the namespace; `local` what the file calls it."""

    imported: str
    local: str


class Import(Node, frozen=True):
    """An import statement, and TypeScript's `import x = require('y')` (form "require").

    `type_only` imports are erased at run time, and so are single `type` specifiers, which are left out of `bindings`.
    `attributes` holds `with {type: 'json'}` as pairs.
    """

    specifier: str
    bindings: list[ImportBinding]
    type_only: bool
    form: str
    attributes: list[tuple[str, str]]
    specifier_start: int
    specifier_end: int


class ExportBinding(Node, frozen=True):
    """`exported` as `local`. For `export * from` local is "*" and exported "*"; for `export * as ns from` exported is "ns"."""

    exported: str
    local: str


class Export(Node, frozen=True):
    """`export {a as b}` and `export … from 'specifier'` (specifier "" without one). Type-only ones are marked."""

    bindings: list[ExportBinding]
    specifier: str
    type_only: bool
    specifier_start: int
    specifier_end: int


class ExportDeclaration(Node, frozen=True):
    """`export const a = 1`, `export function f() {}`: the declarations it makes, each exported under its own name."""

    declarations: list[Statement]


class ExportDefault(Node, frozen=True):
    """`export default …` and TypeScript's `export = …` (form "assignment"). Named functions and classes also bind locally."""

    value: Expression
    form: str


class TypeDeclaration(Node, frozen=True):
    """An interface, type alias, `declare` form or type-only namespace: erased, but its name exists for duplicate checks."""

    kind: str
    name: str
    exported: bool


class Enum(Node, frozen=True):
    """A TypeScript enum; members without an initialiser have None."""

    name: str
    members: list[tuple[str, Expression | None]]


Expression = Union[
    Const,
    BigInt,
    Regex,
    Name,
    Template,
    Tagged,
    Array,
    Object,
    Function,
    Member,
    Index,
    Call,
    New,
    Spread,
    Unary,
    Binary,
    Logical,
    Conditional,
    Assign,
    Update,
    Sequence,
    Await,
    Yield,
    DynamicImport,
    ImportMeta,
    This,
    Super,
    NewTarget,
    Jsx,
    Opaque,
    Class,
]
Pattern = Union[Name, Member, Index, ObjectPattern, ArrayPattern, DefaultPattern, RestPattern, Opaque]
Statement = Union[
    Declare,
    FunctionDeclaration,
    ClassDeclaration,
    Evaluate,
    Return,
    Throw,
    If,
    For,
    ForEach,
    While,
    Try,
    Switch,
    Block,
    Break,
    Continue,
    Labelled,
    Import,
    Export,
    ExportDeclaration,
    ExportDefault,
    TypeDeclaration,
    Enum,
    Opaque,
]


# -------------------------------------------------------------- file summaries


class SyntaxProblem(Struct, frozen=True, array_like=True, gc=False):
    """A place the grammar could not read (`kind`: error, missing) or an early error (its kind of early_errors.KINDS). `text` is at most 80 characters of what stands there."""

    start: int
    end: int
    kind: str
    text: str


class Comment(Struct, frozen=True, array_like=True, gc=False):
    start: int
    end: int
    is_block: bool


class Script(Struct, frozen=True, array_like=True, gc=False):
    """A JavaScript or TypeScript file (or the script of an HTML page or single-file component, with offsets into the
    whole file).

    `has_module_syntax`: an import or export statement, `import.meta` or top-level await occurs, which is what Node's
    syntax detection looks at. `identifier_counts` and `literal_style` are for stylistic features:
    counts of quote characters, statement-ending semicolons present and absent, indent units.
    """

    body: list[Statement]
    directives: list[str]
    hashbang: str
    comments: list[Comment]
    problems: list[SyntaxProblem]
    has_module_syntax: bool
    has_top_level_await: bool
    style: dict[str, int]


class Attribute(Struct, frozen=True, array_like=True, gc=False):
    """An HTML attribute: lower-case name, entity-decoded value (None where there is no `=`)."""

    name: str
    value: str | None
    start: int
    end: int


class Tag(Struct, frozen=True, array_like=True, gc=False):
    """An HTML element in document order. `parent` is an index into the list of tags, -1 at the top.

    `start`/`end` span the start tag, `close` is the end of the whole element. `text` is the direct text content,
    white space folded, at most 200 characters; for script and style it is "" (see Page.scripts, Page.styles).
    """

    name: str
    attributes: list[Attribute]
    parent: int
    start: int
    end: int
    close: int
    text: str


class PageScript(Struct, frozen=True, array_like=True, gc=False):
    """An inline script: index of its tag, and its IR with offsets into the page. `kind`: module, classic."""

    tag: int
    kind: str
    script: Script


class CssDeclaration(Struct, frozen=True, array_like=True, gc=False):
    """`property` lower-case (custom properties as written), `value` without `!important`, white space folded."""

    property: str
    value: str
    important: bool
    start: int
    end: int


class CssRule(Struct, frozen=True, array_like=True, gc=False):
    """A style rule with its selector list as written (nesting resolved by textual `&` substitution as CSS defines it).

    `conditions` are the enclosing at-rules' preludes, outermost first: "@media (max-width: 600px)", "@supports …",
    "@layer base".
    """

    selectors: list[str]
    declarations: list[CssDeclaration]
    conditions: list[str]
    start: int
    end: int


class CssReference(Struct, frozen=True, array_like=True, gc=False):
    """`@import` (kind "import") or `url(...)` (kind "url")."""

    kind: str
    url: str
    start: int
    end: int


class Stylesheet(Struct, frozen=True, array_like=True, gc=False):
    rules: list[CssRule]
    references: list[CssReference]
    problems: list[SyntaxProblem]


class PageStyle(Struct, frozen=True, array_like=True, gc=False):
    tag: int
    stylesheet: Stylesheet


class Page(Struct, frozen=True, array_like=True, gc=False):
    """An HTML page, or a Vue/Svelte single-file component (whose script blocks are `scripts`)."""

    tags: list[Tag]
    scripts: list[PageScript]
    styles: list[PageStyle]
    problems: list[SyntaxProblem]


class JsonPosition(Struct, frozen=True, array_like=True, gc=False):
    """Where a value stands: JSON Pointer (RFC 6901), span of the value, span of its key ("" and 0, 0 at the root)."""

    pointer: str
    start: int
    end: int
    key_start: int
    key_end: int


class Document(Struct, frozen=True, array_like=True, gc=False):
    """A JSON file. `value` is None where `error` says why it can't be read (an empty error means it can).

    `error_at` is the byte offset of the problem. package.json is read as npm reads it (strict JSON, BOM allowed);
    tsconfig*.json, jsconfig*.json and *.jsonc allow comments and trailing commas.
    """

    value: object
    error: str
    error_at: int
    positions: list[JsonPosition]


FileIR = Union[Script, Page, Stylesheet, Document]
