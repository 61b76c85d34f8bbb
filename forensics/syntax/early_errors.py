"""Early errors: what engines refuse before running a file although its grammar can be read.

A botched edit leaves them behind: a second `const` of one name, `await` in a function that is not async, an export of
a name nobody declares. Rules are those of ECMA-262 (the "Static Semantics: Early Errors" sections); each verdict is
verified against `node --check`. TypeScript is judged as esbuild does, which strips types without checking them.

Not looked for: duplicate `__proto__`, functions as the body of an `if`, assignment to `eval` and `arguments`.
Assignment to a constant is a TypeError when it runs, not an early error. Declaration files (`.d.ts`) never run, so they
are not to be asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import regress

from forensics.syntax import ir
from forensics.syntax.early_error_scopes import Context, Scope, copied, labels_loop, names_bound, names_declared
from forensics.syntax.nesting import room_for_nesting

KINDS: Final = {
    "duplicate-declaration": "a name is declared twice in one scope",
    "duplicate-export": "a name is exported twice",
    "duplicate-constructor": "a class has two constructors",
    "undeclared-export": "a name is exported that the module does not declare",
    "undeclared-private-name": "a private name is used that no class around declares",
    "await-outside-async": "`await` stands in a function that is not async, or in a script",
    "yield-outside-generator": "`yield` stands in a function that is not a generator",
    "return-outside-function": "`return` stands outside of any function",
    "new-target-outside-function": "`new.target` stands outside of any function",
    "super-outside-method": "`super` stands where there is no superclass to mean",
    "missing-initialiser": "a const or a destructuring declaration has no initialiser",
    "break-outside-loop": "`break` stands outside of any loop or switch",
    "continue-outside-loop": "`continue` stands outside of any loop",
    "undefined-label": "`break` or `continue` names a label that does not stand around it",
    "misplaced-import-or-export": "an import or export statement stands inside a block or function",
    "module-syntax-in-script": "an import or export statement, or `import.meta`, stands in a CommonJS script",
    "reserved-word": "a word is declared as a name that strict code reserves",
    "invalid-regex": "a regular expression is malformed",
    "octal-escape": "a string of strict code or a template has an escape such as \\033",
    "delete-of-name": "strict code deletes a variable",
    "accessor-parameters": "a getter has a parameter, or a setter not exactly one",
    "rest-not-last": "something follows a rest parameter or element",
    "legacy-octal": "a number with a leading zero stands in strict code",
    "with-in-strict-code": "a `with` statement stands in strict code",
    "invalid-assignment-target": "something is assigned to that is no variable or property",
    "invalid-operand": "an assignment or arrow function is an operand without parentheses",
    "duplicate-default": "a switch has two default clauses",
    "duplicate-enum-member": "an enum has two members of one name",
    "duplicate-label": "a label stands inside a statement of the same label",
    "unparenthesised-mix": "`??` is mixed with `||` or `&&`, or a unary operator with `**`, without parentheses",
}

_STRICT_RESERVED: Final = frozenset(
    {
        "implements",
        "interface",
        "let",
        "package",
        "private",
        "protected",
        "public",
        "static",
        "yield",
        "eval",
        "arguments",
    }
)
_LEADING_ZERO: Final = re.compile(rb"(?<![\w$.])0[0-9]")
_ZERO_DIGIT: Final = re.compile(rb"0[0-9]")
_ESCAPED_DIGIT: Final = re.compile(rb"\\[0-9]")
_OCTAL_ESCAPE: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\(?:[1-9]|0[0-9])")
_NAMESPACE: Final = re.compile(rb"(?:namespace|module)\b")
_REGEX_FLAGS: Final = frozenset("dgimsuvy")
_PROBLEM_TEXT: Final = 80

# Fields of records that hold no records, or hold them where nothing can be wrong.
_PLAIN_FIELDS: Final = frozenset({"start", "end", "name", "kind", "operator", "label", "optional", "is_async"})


def early_errors(
    script: ir.Script, source: bytes, is_module: bool, is_typescript: bool = False
) -> list[ir.SyntaxProblem]:
    """The early errors of a script, in order of position; `kind` is a key of KINDS.

    `source` is the file that the script's positions count in. `is_module` says by which goal it is read: an ES module,
    or a CommonJS script (whose top level is a function's body). `is_typescript` is for TypeScript that is run after
    its types were stripped: names that may be types are not judged.
    """
    check = _Check(script, source, is_module, is_typescript)
    with room_for_nesting():
        check.script(script)
    return sorted(check.problems, key=lambda problem: (problem.start, problem.end))


_RECORDS: Final = tuple(
    kind for kind in vars(ir).values() if isinstance(kind, type) and issubclass(kind, ir.Node) and kind is not ir.Node
)


class _Check:
    def __init__(self, script: ir.Script, source: bytes, is_module: bool, is_typescript: bool) -> None:
        self.source = source
        self.is_module = is_module
        self.is_typescript = is_typescript
        self.problems: list[ir.SyntaxProblem] = []
        self.unreadable = [(problem.start, problem.end) for problem in script.problems]
        self.has_octal = _may_have_octals(source)
        self.context = Context(is_module or "use strict" in script.directives)
        self.context.allows_await = is_module
        self.context.allows_return = not is_module
        self.context.allows_new_target = not is_module
        self.scope = Scope(None, True)
        self.exported: set[str] = set()
        self.exported_locals: list[ir.ExportBinding] = []
        self.private_names: list[set[str]] = []
        self.depth = 0
        self.handlers: dict[type, Callable[[Any], None] | None] = dict.fromkeys(_RECORDS, self.inside)
        # None: nothing can be wrong with such a record.
        self.handlers |= {
            ir.Const: self.constant if self.has_octal else None,
            ir.Template: self.template,
            ir.Tagged: self.tagged,
            ir.Jsx: self.element,
            ir.ArrayPattern: self.array_pattern,
            ir.Name: None,
            ir.BigInt: None,
            ir.Regex: self.regex,
            ir.This: None,
            ir.Opaque: self.opaque,
            ir.Member: self.member,
            ir.Index: self.index,
            ir.Unary: self.unary,
            ir.Call: self.call,
            ir.Function: self.function,
            ir.Class: self.class_,
            ir.Await: self.await_,
            ir.Yield: self.yield_,
            ir.Super: self.super_,
            ir.NewTarget: self.new_target,
            ir.ImportMeta: self.import_meta,
            ir.Assign: self.assign,
            ir.Update: self.update,
            ir.Binary: self.binary,
            ir.Logical: self.logical,
            ir.Object: self.object,
            ir.Declare: self.declare,
            ir.FunctionDeclaration: self.function_declaration,
            ir.ClassDeclaration: self.class_declaration,
            ir.Return: self.return_,
            ir.If: self.if_,
            ir.For: self.for_,
            ir.ForEach: self.for_each,
            ir.While: self.while_,
            ir.Try: self.try_,
            ir.Switch: self.switch,
            ir.Block: self.block,
            ir.Break: self.break_,
            ir.Continue: self.continue_,
            ir.Labelled: self.labelled,
            ir.Import: self.import_,
            ir.Export: self.export,
            ir.ExportDeclaration: self.export_declaration,
            ir.ExportDefault: self.export_default,
            ir.TypeDeclaration: None,
            ir.Enum: self.enum,
        }

    # ------------------------------------------------------------- reporting

    def report(self, kind: str, start: int, end: int) -> None:
        text = self.source[start:end].decode("utf-8", "replace")[:_PROBLEM_TEXT]
        self.problems.append(ir.SyntaxProblem(start, end, kind, text))

    # --------------------------------------------------------------- walking

    def visit(self, node: Any) -> None:
        handler = self.handlers[type(node)]
        if handler is not None:
            handler(node)

    def inside(self, node: Any) -> None:
        """Visits the records held by one that has no rule of its own."""
        handlers = self.handlers
        for field in _child_fields(type(node)):
            value = getattr(node, field)
            if type(value) is list:
                for item in value:
                    if item is not None:
                        handler = handlers[type(item)]
                        if handler is not None:
                            handler(item)
            elif value is not None:
                handler = handlers[type(value)]
                if handler is not None:
                    handler(value)

    def visit_all(self, nodes: Iterable[Any]) -> None:
        handlers = self.handlers
        for node in nodes:
            handler = handlers[type(node)]
            if handler is not None:
                handler(node)

    def script(self, script: ir.Script) -> None:
        self.hoist_functions(script.body)
        self.visit_all(script.body)
        top = self.scope
        if not self.is_typescript:
            for binding in self.exported_locals:
                if binding.local not in top.lexical and binding.local not in top.hoisted:
                    self.report("undeclared-export", binding.start, binding.end)

    def statements(self, body: list[ir.Statement], is_function: bool = False) -> None:
        """A block with a scope of its own."""
        outer = self.scope
        self.scope = Scope(outer, is_function)
        self.depth += 1
        self.hoist_functions(body)
        self.visit_all(body)
        self.depth -= 1
        self.scope = outer

    # --------------------------------------------------------------- scopes

    def hoist_functions(self, body: list[ir.Statement]) -> None:
        """Functions are declared before anything else of their block: lexically in blocks and modules, else as var."""
        scope = self.scope
        for statement in body:
            if type(statement) is ir.FunctionDeclaration:
                function = statement.function
            elif type(statement) is ir.ExportDeclaration and type(statement.declarations[0]) is ir.FunctionDeclaration:
                function = statement.declarations[0].function
            elif type(statement) is ir.ExportDefault and type(statement.value) is ir.Function and statement.value.name:
                function = statement.value
                if b"(" in self.source[statement.start : function.start]:
                    continue
            else:
                continue
            self.declare_function(scope, function)

    def declare_function(self, scope: Scope, function: ir.Function) -> None:
        name = function.name
        if scope.is_function and not (self.is_module and scope.parent is None):
            self.hoist(scope, name, function)
            return
        is_plain = not (function.is_async or function.is_generator)
        if not self.context.is_strict and is_plain and not scope.is_function:
            # Annex B allows sloppy blocks to repeat a plain function.
            if name in scope.sloppy_functions:
                return
            scope.sloppy_functions.add(name)
        self.bind(scope, name, "function", function)

    def bind(self, scope: Scope, name: str, kind: str, node: ir.Node) -> None:
        """Declares a name that may stand once."""
        known = scope.lexical.get(name)
        if known is not None and self.may_merge(known, kind):
            return
        if known is not None or name in scope.hoisted:
            self.report("duplicate-declaration", *self.span_of_name(name, node))
            return
        scope.lexical[name] = kind

    def may_merge(self, known: str, kind: str) -> bool:
        """TypeScript merges enums, and an import may be of a type, which esbuild drops for any other declaration."""
        if not self.is_typescript:
            return False
        return known == kind == "enum" or known == "import" or kind == "import"

    def hoist(self, scope: Scope | None, name: str, node: ir.Node) -> None:
        """Declares a var: it passes through every block up to its function."""
        while scope is not None:
            known = scope.lexical.get(name)
            if known is not None and known not in ("parameter", "catch"):
                if not (self.is_typescript and known == "import"):
                    self.report("duplicate-declaration", *self.span_of_name(name, node))
                return
            scope.hoisted.add(name)
            if scope.is_function:
                return
            scope = scope.parent

    def span_of_name(self, name: str, node: ir.Node) -> tuple[int, int]:
        """Where the name stands in the head of its declaration."""
        if isinstance(node, ir.Name):
            return node.start, node.end
        written = name.encode()
        at = self.source.find(written, node.start, node.end)
        return (at, at + len(written)) if at >= 0 else (node.start, node.end)

    def declare_pattern(self, pattern: ir.Pattern, kind: str) -> None:
        for name in names_bound(pattern):
            self.reserved(name.name, name)
            if kind == "var":
                self.hoist(self.scope, name.name, name)
            else:
                self.bind(self.scope, name.name, kind, name)

    def reserved(self, name: str, node: ir.Node) -> None:
        if self.is_reserved(name):
            self.report("reserved-word", *self.span_of_name(name, node))

    def is_reserved(self, name: str) -> bool:
        if self.context.is_strict and name in _STRICT_RESERVED:
            return True
        return name == "enum" or (name == "await" and self.is_module)

    # ------------------------------------------------------------ expressions

    def constant(self, node: ir.Const) -> None:
        if not self.context.is_strict:
            return
        if type(node.value) is str:
            if _OCTAL_ESCAPE.search(self.source, node.start, node.end):
                self.report("octal-escape", node.start, node.end)
        elif node.end - node.start > 1 and _LEADING_ZERO.match(self.source, node.start):
            self.report("legacy-octal", node.start, node.end)

    def template(self, node: ir.Template) -> None:
        for part in node.parts:
            if type(part) is not ir.Const:
                self.visit(part)
            elif self.has_octal and _OCTAL_ESCAPE.search(self.source, part.start, part.end):
                self.report("octal-escape", part.start, part.end)

    def tagged(self, node: ir.Tagged) -> None:
        self.operand(node.tag)
        self.visit_all(part for part in node.template.parts if type(part) is not ir.Const)

    def element(self, node: ir.Jsx) -> None:
        """Texts and attributes of elements have no escapes."""
        if node.element is not None and type(node.element) is not ir.Const:
            self.visit(node.element)
        for attribute in node.attributes:
            if type(attribute.value) is not ir.Const:
                self.visit(attribute.value)
        self.visit_all(child for child in node.children if type(child) is not ir.Const)

    def regex(self, node: ir.Regex) -> None:
        flags = node.flags
        if len(set(flags)) < len(flags) or not _REGEX_FLAGS.issuperset(flags) or {"u", "v"} <= set(flags):
            self.report("invalid-regex", node.start, node.end)
            return
        try:
            regress.Regex(node.pattern, "".join(flag for flag in flags if flag in "imsuv"))
        except regress.RegressError as error:
            if "deeply nested" not in str(error):
                self.report("invalid-regex", node.start, node.end)

    def opaque(self, node: ir.Opaque) -> None:
        if node.reason == "with statement" and self.context.is_strict:
            self.report("with-in-strict-code", node.start, node.start + len("with"))

    def member(self, node: ir.Member) -> None:
        if node.name.startswith("#"):
            self.private_name(node.name, node.end)
        if type(node.object) is ir.Super:
            if not self.context.allows_super_property:
                self.report("super-outside-method", node.object.start, node.object.end)
        else:
            self.operand(node.object)

    def private_name(self, name: str, end: int) -> None:
        if not any(name in names for names in self.private_names):
            self.report("undeclared-private-name", end - len(name.encode()), end)

    def call(self, node: ir.Call) -> None:
        if type(node.callee) is ir.Super:
            if not self.context.allows_super_call:
                self.report("super-outside-method", node.callee.start, node.callee.end)
        else:
            self.operand(node.callee)
        self.visit_all(node.arguments)

    def super_(self, node: ir.Super) -> None:
        if not self.context.allows_super_property:
            self.report("super-outside-method", node.start, node.end)

    def new_target(self, node: ir.NewTarget) -> None:
        if not self.context.allows_new_target:
            self.report("new-target-outside-function", node.start, node.end)

    def import_meta(self, node: ir.ImportMeta) -> None:
        if not self.is_module:
            self.report("module-syntax-in-script", node.start, node.end)

    def await_(self, node: ir.Await) -> None:
        if not self.context.allows_await:
            self.report("await-outside-async", node.start, node.start + len("await"))
        self.operand(node.value)

    def yield_(self, node: ir.Yield) -> None:
        # Without a value it may be a name in sloppy code.
        if not self.context.allows_yield and (self.context.is_strict or node.value is not None):
            self.report("yield-outside-generator", node.start, node.start + len("yield"))
        if node.value is not None:
            self.visit(node.value)

    def assign(self, node: ir.Assign) -> None:
        self.target(node.target)
        self.visit(node.target)
        self.visit(node.value)

    def update(self, node: ir.Update) -> None:
        self.target(node.target)
        self.visit(node.target)

    def target(self, node: Any) -> None:
        kind = type(node)
        # Calls are refused when they run only, which the web relies on.
        if kind in (ir.Name, ir.ObjectPattern, ir.ArrayPattern, ir.Call):
            return
        if kind in (ir.Member, ir.Index) and not _is_optional_chain(node):
            return
        if kind is ir.Opaque and (node.reason != "syntax error" or self.is_unreadable(node)):
            return
        self.report("invalid-assignment-target", node.start, node.end)

    def is_unreadable(self, node: ir.Node) -> bool:
        """Whether a problem of the grammar lies at the node, which then says enough."""
        return any(low <= node.end and node.start <= high for low, high in self.unreadable)

    def binary(self, node: ir.Binary) -> None:
        if node.operator == "**":
            first = node.operands[0]
            if type(first) in (ir.Unary, ir.Await) and not self.is_parenthesised(first):
                self.report("unparenthesised-mix", node.start, node.end)
        elif node.operator == "in" and type(node.operands[0]) is ir.Name and node.operands[0].name.startswith("#"):
            self.private_name(node.operands[0].name, node.operands[0].end)
        self.operands(node)

    def operands(self, node: ir.Binary | ir.Logical) -> None:
        for operand in node.operands:
            self.operand(operand)

    def operand(self, node: Any) -> None:
        """Assignments and arrow functions bind less tightly than any operator, call or property access."""
        kind = type(node)
        if (kind is ir.Assign or (kind is ir.Function and node.is_arrow)) and not self.is_parenthesised(node):
            self.report("invalid-operand", node.start, node.end)
        handler = self.handlers[kind]
        if handler is not None:
            handler(node)

    def unary(self, node: ir.Unary) -> None:
        if node.operator == "delete" and type(node.operand) is ir.Name and self.context.is_strict:
            self.report("delete-of-name", node.start, node.end)
        self.operand(node.operand)

    def index(self, node: ir.Index) -> None:
        self.operand(node.object)
        self.visit(node.index)

    def logical(self, node: ir.Logical) -> None:
        for operand in node.operands:
            if (
                type(operand) is ir.Logical
                and (operand.operator == "??") != (node.operator == "??")
                and not self.is_parenthesised(operand)
            ):
                self.report("unparenthesised-mix", node.start, node.end)
        self.operands(node)

    def is_parenthesised(self, node: ir.Node) -> bool:
        """Whether parentheses, or other brackets that no operator crosses, stand on both sides."""
        source = self.source
        before, after = node.start - 1, node.end
        while before >= 0 and source[before] in b" \t\r\n":
            before -= 1
        while after < len(source) and source[after] in b" \t\r\n":
            after += 1
        if source[before : before + 1] == b"(" and source[after : after + 1] == b")":
            return True
        # A comment may stand between: only what is plain is judged.
        return source.endswith(b"*/", 0, before + 1) or source[after : after + 2] in (b"/*", b"//")

    def object(self, node: ir.Object) -> None:
        for item in node.properties:
            if item.key is not None and type(item.key) is not ir.Const:
                self.visit(item.key)
            if item.kind in ("method", "get", "set") and type(item.value) is ir.Function:
                self.accessor(item.kind, item.value)
                self.method(item.value, super_call=False)
            else:
                self.visit(item.value)

    def accessor(self, kind: str, function: ir.Function) -> None:
        """A getter takes nothing, a setter one value."""
        count = len(function.parameters)
        if (kind == "get" and count) or (
            kind == "set" and (count != 1 or type(function.parameters[0]) is ir.RestPattern)
        ):
            self.report("accessor-parameters", function.start, function.end)

    def array_pattern(self, node: ir.ArrayPattern) -> None:
        self.rest_is_last(node.items)
        self.visit_all(item for item in node.items if item is not None)

    def rest_is_last(self, items: Sequence[ir.Pattern | None]) -> None:
        for item in items[:-1]:
            if type(item) is ir.RestPattern:
                self.report("rest-not-last", item.start, item.end)

    # ---------------------------------------------------- functions and classes

    def function(self, node: ir.Function) -> None:
        outer = self.context
        inner = self.entered(node)
        if node.is_arrow:
            inner.allows_new_target = outer.allows_new_target
            inner.allows_super_call = outer.allows_super_call
            inner.allows_super_property = outer.allows_super_property
        self.function_in(node, inner, is_strict_list=node.is_arrow)

    def method(self, node: ir.Function, super_call: bool) -> None:
        inner = self.entered(node)
        inner.allows_super_property = True
        inner.allows_super_call = super_call
        self.function_in(node, inner, is_strict_list=True)

    def entered(self, node: ir.Function) -> Context:
        inner = Context(self.context.is_strict or "use strict" in node.directives)
        inner.allows_await = node.is_async
        inner.allows_yield = node.is_generator
        inner.allows_return = True
        inner.allows_new_target = True
        return inner

    def function_in(self, node: ir.Function, inner: Context, is_strict_list: bool) -> None:
        outer, outer_scope = self.context, self.scope
        self.context = inner
        self.scope = Scope(outer_scope, True)
        self.depth += 1
        names = [name for parameter in node.parameters for name in names_bound(parameter)]
        is_simple = all(type(parameter) is ir.Name for parameter in node.parameters)
        lexical = self.scope.lexical
        for name in names:
            self.reserved(name.name, name)
            if name.name in lexical and (is_strict_list or inner.is_strict or not is_simple):
                self.report("duplicate-declaration", name.start, name.end)
            lexical[name.name] = "parameter"
        if not is_simple:
            self.rest_is_last(node.parameters)
            allows_await, allows_yield = inner.allows_await, inner.allows_yield
            inner.allows_await = inner.allows_yield = False
            self.visit_all(node.parameters)
            inner.allows_await, inner.allows_yield = allows_await, allows_yield
        self.hoist_functions(node.body)
        self.visit_all(node.body)
        self.depth -= 1
        self.scope = outer_scope
        self.context = outer

    def class_(self, node: ir.Class) -> None:
        outer = self.context
        self.context = strict = copied(outer)
        strict.is_strict = True
        self.depth += 1
        if node.superclass is not None:
            self.visit(node.superclass)
        self.private_names.append(self.declared_private_names(node))
        constructors = 0
        for member in node.members:
            if member.key is not None and type(member.key) is not ir.Const:
                self.visit(member.key)
            value = member.value
            if member.kind == "constructor":
                constructors += 1
                if constructors > 1 and member.key is not None:
                    self.report("duplicate-constructor", member.key.start, member.key.end)
            if value is None:
                continue
            if member.kind == "field":
                self.initialiser(value)
            elif member.kind == "static-block" and type(value) is ir.Function:
                block = Context(True)
                block.allows_new_target = block.allows_super_property = True
                self.function_in(value, block, is_strict_list=True)
            elif type(value) is ir.Function:
                self.accessor(member.kind, value)
                self.method(value, super_call=member.kind == "constructor" and node.superclass is not None)
        self.private_names.pop()
        self.depth -= 1
        self.context = outer

    def declared_private_names(self, node: ir.Class) -> set[str]:
        """The private names of a class, each once; only a getter and a setter may share one."""
        known: dict[str, set[str]] = {}
        for member in node.members:
            key = member.key
            if type(key) is not ir.Const or type(key.value) is not str or not self.source.startswith(b"#", key.start):
                continue
            kinds = known.setdefault(key.value, set())
            if kinds and not (kinds | {member.kind} == {"get", "set"} and member.kind not in kinds):
                self.report("duplicate-declaration", key.start, key.end)
            kinds.add(member.kind)
        return set(known)

    def initialiser(self, value: ir.Expression) -> None:
        """A field's initialiser is a method's body of its own."""
        outer = self.context
        self.context = inner = Context(True)
        inner.allows_new_target = inner.allows_super_property = True
        self.visit(value)
        self.context = outer

    # -------------------------------------------------------------- statements

    def declare(self, node: ir.Declare) -> None:
        if node.value is None:
            if node.kind in ("const", "using") or type(node.target) in (ir.ObjectPattern, ir.ArrayPattern):
                self.report("missing-initialiser", node.start, node.end)
        else:
            self.visit(node.value)
        self.declare_pattern(node.target, node.kind)
        if type(node.target) is not ir.Name:
            self.visit(node.target)

    def function_declaration(self, node: ir.FunctionDeclaration) -> None:
        self.reserved(node.function.name, node)
        self.function(node.function)

    def class_declaration(self, node: ir.ClassDeclaration) -> None:
        if node.declaration.name:
            if node.declaration.name in _STRICT_RESERVED or self.is_reserved(node.declaration.name):
                self.report("reserved-word", *self.span_of_name(node.declaration.name, node))
            self.bind(self.scope, node.declaration.name, "class", node)
        self.class_(node.declaration)

    def enum(self, node: ir.Enum) -> None:
        self.bind(self.scope, node.name, "enum", node)
        names: set[str] = set()
        for name, value in node.members:
            if name and name in names:
                self.report("duplicate-enum-member", node.start, node.end)
            names.add(name)
            if value is not None:
                self.visit(value)

    def return_(self, node: ir.Return) -> None:
        if not self.context.allows_return:
            self.report("return-outside-function", node.start, node.start + len("return"))
        if node.value is not None:
            self.visit(node.value)

    def if_(self, node: ir.If) -> None:
        self.visit(node.test)
        self.statements(node.consequent)
        self.statements(node.alternate)

    def for_(self, node: ir.For) -> None:
        outer = self.scope
        self.scope = Scope(outer, False)
        self.depth += 1
        self.visit_all(node.init)
        for part in (node.test, node.update):
            if part is not None:
                self.visit(part)
        self.loop(node.body)
        self.depth -= 1
        self.scope = outer

    def for_each(self, node: ir.ForEach) -> None:
        if node.is_async and not self.context.allows_await:
            self.report("await-outside-async", node.start, node.start + len("for await"))
        self.visit(node.iterable)
        outer = self.scope
        self.scope = Scope(outer, False)
        self.depth += 1
        if node.declares:
            self.declare_pattern(node.target, node.declares)
        else:
            self.target(node.target)
        if type(node.target) is not ir.Name:
            self.visit(node.target)
        self.loop(node.body)
        self.depth -= 1
        self.scope = outer

    def while_(self, node: ir.While) -> None:
        self.visit(node.test)
        self.loop(node.body)

    def loop(self, body: list[ir.Statement]) -> None:
        self.context.loops += 1
        self.statements(body)
        self.context.loops -= 1

    def try_(self, node: ir.Try) -> None:
        self.statements(node.block)
        if node.handler is not None:
            outer = self.scope
            # The parameter's names and the block's share a scope as far as duplicates go.
            self.scope = Scope(outer, False)
            self.depth += 1
            if node.parameter is not None:
                kind = "catch" if type(node.parameter) is ir.Name else "let"
                self.declare_pattern(node.parameter, kind)
                if type(node.parameter) is not ir.Name:
                    self.visit(node.parameter)
            self.hoist_functions(node.handler)
            self.visit_all(node.handler)
            self.depth -= 1
            self.scope = outer
        self.statements(node.finalizer)

    def switch(self, node: ir.Switch) -> None:
        self.visit(node.subject)
        outer = self.scope
        self.scope = Scope(outer, False)
        self.depth += 1
        self.context.switches += 1
        defaults = [case for case in node.cases if case.test is None]
        for case in defaults[1:]:
            self.report("duplicate-default", case.start, case.start + len("default"))
        for case in node.cases:
            self.hoist_functions(case.body)
        for case in node.cases:
            if case.test is not None:
                self.visit(case.test)
            self.visit_all(case.body)
        self.context.switches -= 1
        self.depth -= 1
        self.scope = outer

    def block(self, node: ir.Block) -> None:
        is_namespace = self.is_typescript and _NAMESPACE.match(self.source, node.start) is not None
        self.statements(node.body, is_function=is_namespace)

    def break_(self, node: ir.Break) -> None:
        context = self.context
        if node.label:
            if node.label not in context.labels:
                self.report("undefined-label", node.start, node.end)
        elif not context.loops and not context.switches:
            self.report("break-outside-loop", node.start, node.end)

    def continue_(self, node: ir.Continue) -> None:
        context = self.context
        if not context.loops:
            self.report("continue-outside-loop", node.start, node.end)
        elif node.label and node.label not in context.loop_labels:
            self.report("undefined-label", node.start, node.end)

    def labelled(self, node: ir.Labelled) -> None:
        context = self.context
        if node.label in context.labels:
            self.report("duplicate-label", node.start, node.start + len(node.label.encode()))
        context.labels.append(node.label)
        is_loop = bool(node.body) and labels_loop(node.body[0])
        if is_loop:
            context.loop_labels.append(node.label)
        self.visit_all(node.body)
        if is_loop:
            context.loop_labels.pop()
        context.labels.pop()

    # ------------------------------------------------------ imports and exports

    def placed(self, node: ir.Node, word: str) -> None:
        if not self.is_module:
            self.report("module-syntax-in-script", node.start, node.start + len(word))
        elif self.depth:
            self.report("misplaced-import-or-export", node.start, node.start + len(word))

    def import_(self, node: ir.Import) -> None:
        if node.form == "import" and (self.depth or not node.type_only):
            self.placed(node, "import")
        if node.type_only:
            return
        for binding in node.bindings:
            self.reserved(binding.local, binding)
            self.bind(self.scope, binding.local, "import", binding)

    def export(self, node: ir.Export) -> None:
        if node.type_only:
            return
        self.placed(node, "export")
        for binding in node.bindings:
            if binding.exported != "*":
                self.export_name(binding.exported, binding)
            if not node.specifier and not node.specifier_end:
                self.exported_locals.append(binding)

    def export_name(self, name: str, node: ir.Node) -> None:
        if name in self.exported:
            self.report("duplicate-export", *self.span_of_name(name, node))
        self.exported.add(name)

    def export_declaration(self, node: ir.ExportDeclaration) -> None:
        self.placed(node, "export")
        for declaration in node.declarations:
            for name, place in names_declared(declaration):
                if not (self.is_typescript and type(declaration) is ir.Enum and name in self.exported):
                    self.export_name(name, place)
            self.visit(declaration)

    def export_default(self, node: ir.ExportDefault) -> None:
        if node.form == "assignment":
            self.visit(node.value)
            return
        self.placed(node, "export")
        if "default" in self.exported:
            self.report("duplicate-export", node.start, node.start + len("export default"))
        self.exported.add("default")
        value = node.value
        if type(value) is ir.Class and value.name and b"(" not in self.source[node.start : value.start]:
            self.bind(self.scope, value.name, "class", value)
        self.visit(value)


def _may_have_octals(source: bytes) -> bool:
    """Whether any digit follows a backslash or a leading zero: scans for one byte, which is quick."""
    if _ESCAPED_DIGIT.search(source):
        return True
    return any(_LEADING_ZERO.match(source, match.start()) for match in _ZERO_DIGIT.finditer(source))


def _child_fields(kind: type) -> tuple[str, ...]:
    fields = _CHILD_FIELDS.get(kind)
    if fields is None:
        fields = tuple(name for name in kind.__struct_fields__ if name not in _PLAIN_FIELDS)  # type: ignore[attr-defined]
        _CHILD_FIELDS[kind] = fields
    return fields


_CHILD_FIELDS: dict[type, tuple[str, ...]] = {
    ir.Yield: ("value",),
    ir.JsxAttribute: ("value",),
    ir.While: ("test", "body"),
}


def _is_optional_chain(node: Any) -> bool:
    while type(node) in (ir.Member, ir.Index, ir.Call):
        if node.optional:
            return True
        node = node.callee if type(node) is ir.Call else node.object
    return False
