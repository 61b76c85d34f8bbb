"""Running the modules of a build: imports, exports, CommonJS. Source: ECMA-262, chapter 16.2; https://nodejs.org/api/modules.html."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forensics.facts.execution import (
    ExportReference,
    Frame,
    ImportReference,
    ModuleRecord,
    Scope,
    Site,
)
from forensics.facts.state import (
    MISSING,
    captures_return,
)
from forensics.facts.statements import declared_names, run
from forensics.facts.values import (
    UNDEFINED,
    External,
    JsObject,
    Namespace,
    Undefined,
    Unknown,
    Value,
)
from forensics.syntax import ir

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter


def load(i: Interpreter, path: str) -> ModuleRecord:
    """The module of that path, run unless it was already."""
    module = i.modules.get(path)
    if module is None:
        script = i.host.script(path)
        if script is None:
            script = ir.Script([], [], "", [], [], False, False, {})
        module = ModuleRecord(path, script, Scope(None, is_function=True))
        i.modules[path] = module
    if module.state == "new":
        module.state = "running"
        # What a module assigns stays, even where the code that loads it is undone.
        outer, muted = i.state, i.muted
        if outer.branching:
            i.state = i.new_state()
            i.state.conditions = outer.conditions
            i.muted = 0
        try:
            run_module(i, module)
        finally:
            module.state = "done"
            i.state, i.muted = outer, muted
    return module


def run_module(i: Interpreter, module: ModuleRecord) -> None:
    scope = module.scope
    exports = JsObject()
    module.commonjs = JsObject({"exports": exports})
    if not module.script.has_module_syntax:
        module.this = exports
    i.frames.append(Frame(None, module.this, module))
    try:
        body = module.script.body
        i.hoist(body, scope)
        for statement in body:
            declare_exports(i, statement, module)
        for statement in body:
            if isinstance(statement, ir.Import):
                bind_imports(i, statement, module)
            elif isinstance(statement, ir.Export) and statement.specifier:
                reexport(i, statement, module)
        i.state.region(lambda: run(i, body, scope), captures_return)
    finally:
        if i.frames and i.frames[-1].module is module:
            i.frames.pop()


def resolve_module(
    i: Interpreter, specifier: str, importer: ModuleRecord, node: ir.Node, is_require: bool = False
) -> Value:
    """A module record, an External, or what an asset import gives."""
    resolved = i.host.resolve(specifier, importer.path, is_require)
    if resolved.kind == "module":
        return i.load(resolved.target)
    if resolved.kind == "external":
        return External(resolved.target)
    if resolved.kind == "asset":
        return i.host.asset(resolved.target)
    i.missing.append((specifier, Site(importer.path, node.start, node.end), resolved.target))
    return Unknown(f"'{specifier}' can't be resolved: {resolved.target}")


def bind_imports(i: Interpreter, statement: ir.Import, module: ModuleRecord) -> None:
    if statement.type_only or (statement.form == "import" and not statement.bindings and not statement.specifier):
        return
    if statement.form == "require":
        value = i.require(statement.specifier, module, statement)
        for binding in statement.bindings:
            module.scope.variables[binding.local] = value
        return
    target = i.resolve_module(statement.specifier, module, statement)
    if isinstance(target, External):
        i.host.call(i, i.record("import", (statement.specifier,), statement, None))
    for binding in statement.bindings:
        module.scope.variables[binding.local] = bound_value(i, target, binding.imported)


def bound_value(i: Interpreter, target: Value, name: str) -> Value:
    if isinstance(target, ModuleRecord):
        return Namespace(target) if name == "*" else ImportReference(target, name)
    if isinstance(target, External):
        return target if name in ("*", "default") else i.member(target, name)
    if name in ("default", "*") or isinstance(target, Unknown):
        return target
    return i.member(target, name)


def reexport(i: Interpreter, statement: ir.Export, module: ModuleRecord) -> None:
    if statement.type_only:
        return
    target = i.resolve_module(statement.specifier, module, statement)
    for binding in statement.bindings:
        if binding.exported != "*":
            module.exports[binding.exported] = bound_value(i, target, binding.local)
        elif isinstance(target, (ModuleRecord, External)):
            module.reexports.append(target)


def declare_exports(i: Interpreter, statement: ir.Statement, module: ModuleRecord) -> None:
    scope = module.scope
    if isinstance(statement, ir.Export) and not statement.specifier and not statement.type_only:
        for binding in statement.bindings:
            module.exports[binding.exported] = ExportReference(scope, binding.local)
    elif isinstance(statement, ir.ExportDeclaration):
        for declaration in statement.declarations:
            for name in declared_names(declaration):
                module.exports[name] = ExportReference(scope, name)
    elif isinstance(statement, ir.ExportDefault) and statement.form != "assignment":
        value = statement.value
        named = isinstance(value, ir.Class) or (isinstance(value, ir.Function) and not value.is_arrow)
        local = value.name if named and isinstance(value, (ir.Function, ir.Class)) and value.name else "*default*"
        module.exports["default"] = ExportReference(scope, local)


def export(i: Interpreter, module: ModuleRecord, name: str, seen: frozenset[str] = frozenset()) -> Value:
    """The current value of a module's export."""
    if name in module.exports:
        return dereference(i, module.exports[name])
    if name == "default" or not module.script.has_module_syntax:
        exports = commonjs_exports(i, module)
        if exports is not None:
            if name == "default":
                if isinstance(exports, JsObject) and "__esModule" in exports.properties:
                    return i.member(exports, "default")
                return exports
            return i.member(exports, name)
    if module.path not in seen and name != "default":
        for target in module.reexports:
            if isinstance(target, External):
                if len(module.reexports) == 1:
                    return i.member(target, name)
                continue
            value = i.export(target, name, seen | {module.path})
            if not isinstance(value, Undefined):
                return value
    if module.state == "running":
        return Unknown(f"{module.path} is imported in a circle")
    if module.script.problems:
        return Unknown(f"{module.path} can't be parsed")
    return Undefined(f"{module.path} does not export {name}")


def export_names(i: Interpreter, module: ModuleRecord) -> list[str]:
    """Names of a namespace object's properties, sorted as the language does."""
    names = set(module.exports)
    for target in module.reexports:
        if isinstance(target, ModuleRecord) and target is not module:
            names.update(name for name in i.export_names(target) if name != "default")
    exports = commonjs_exports(i, module)
    if isinstance(exports, JsObject):
        names.update(exports.properties, ["default"])
    return sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))


def commonjs_exports(i: Interpreter, module: ModuleRecord) -> Value | None:
    if module.script.has_module_syntax or module.commonjs is None:
        return None
    return module.commonjs.properties.get("exports", UNDEFINED)


def dereference(i: Interpreter, value: Value) -> Value:
    while isinstance(value, (ImportReference, ExportReference)):
        if isinstance(value, ImportReference):
            value = i.export(value.module, value.name)
        else:
            found = value.scope.variables.get(value.local, MISSING)
            if found is MISSING:
                return Unknown(f"{value.local} is read before it is set")
            value = found
    return value


def require(i: Interpreter, specifier: str, module: ModuleRecord, node: ir.Node) -> Value:
    """`require(specifier)` in a module."""
    target = i.resolve_module(specifier, module, node, is_require=True)
    if isinstance(target, ModuleRecord):
        if target.script.has_module_syntax:
            if target.path.endswith(".json"):
                return i.export(target, "default")
            return Namespace(target)
        exports = commonjs_exports(i, target)
        return UNDEFINED if exports is None else exports
    if isinstance(target, External):
        i.host.call(i, i.record("import", (specifier,), node, None))
    return target
