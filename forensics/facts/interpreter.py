"""The partial evaluator: runs a build's own modules over the IR, knowing only what the build says.

One evaluator serves every fact. It executes modules statement by statement in the order the runtime would, computes
what is computable, and records each call that leaves the build's own code as an `Effect`: `express().listen` with its
port, `fs.mkdirSync` with its path, `new @electric-sql/pglite.PGlite`, `child_process.spawn`, `fetch`. The list of
effects is the *start-up trace*. What can't be known becomes `Unknown` with the reason; a condition that can't be
decided runs both ways, its effects marked uncertain and its assignments merged.

It takes for granted that packages don't assign to the objects they are given and that calls outside the build succeed
(where they may not, what a catch sees is merged in). It can't see what packages do inside, the order of racing
promises, what else goes on while a condition awaits in the main program, and anything past the step budget.
"""

from __future__ import annotations

import itertools
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from forensics.facts import values as v
from forensics.facts.builtins import builtin_member, error_object
from forensics.facts.builtins_urls import changed_url
from forensics.facts.execution import (
    BudgetExceeded,
    Effect,
    ExportReference,
    Frame,
    Host,
    ImportReference,
    ModuleRecord,
    Phase,
    Resolved,
    Scope,
    Site,
)
from forensics.facts.expressions import EVALUATE, spread_items
from forensics.facts.scheduling import Generator, Scheduler
from forensics.facts.state import (
    MISSING,
    Completion,
    JsThrow,
    ProcessExit,
    Region,
    State,
    captures_return,
    merged,
    outcome,
)
from forensics.facts.statements import declared_names, discover, open_loop, pattern_names, run, var_names
from forensics.facts.values import (
    UNDEFINED,
    Builtin,
    ClassValue,
    Closure,
    External,
    GeneratorValue,
    Getter,
    JsArray,
    JsMap,
    JsObject,
    Namespace,
    Promise,
    RegExp,
    Short,
    Text,
    Undefined,
    Unknown,
    UrlValue,
    Value,
)
from forensics.syntax import ir
from forensics.syntax.walk import walk

STEP_BUDGET = 200_000
CALL_DEPTH = 150
OPEN_RECURSION = 4
RECURSION_LIMIT = 20_000
LATE_BUDGET = 20_000
"""Steps that one event handler, or one function that nothing calls, may take."""
WORK_OF_AN_EFFECT = 80
STACK_OF_CALLBACK = 24
FEW = 4
_OF_VALUES = (
    "path.",
    "string.",
    "Math.",
    "Number",
    "parse",
    "String",
    "JSON.parse",
    "url.",
    "encodeURI",
    "decodeURI",
    "is",
)
"""How builtins are named that change nothing and depend on the values of their arguments alone."""
_NEVER_AT_ONCE = frozenset(
    {"react", "react-dom", "react-router-dom", "vue", "vue-router", "svelte", "solid-js", "preact"}
)
"""Packages that never call what they are given before they return (or whose hooks assign nothing that is read at once)."""
ELEMENTS = 100_000
"""How many elements a collection may have before its end counts as unknown."""


class Interpreter:
    """Runs modules of one build under one host.

    Attributes:
        effects: what was recorded, in order.
        modules: every module that was run, by path.
        thrown: the exception that ended start-up, or None.
        exited: the `process.exit()` that ended start-up, or None.
        exhausted: whether the step budget ended the run early.
        missing: import specifiers that lead nowhere: specifier, where it stands, reason.
    """

    def __init__(self, host: Host, budget: int = STEP_BUDGET) -> None:
        self.host = host
        self.steps = budget
        self.effects: list[Effect] = []
        self.modules: dict[str, ModuleRecord] = {}
        self.missing: list[tuple[str, Site, str]] = []
        self.thrown: JsThrow | None = None
        self.exited: ProcessExit | None = None
        self.exhausted = False
        self.phase: Phase = "startup"
        self.globals: dict[str, Value] = {}
        self.frames: list[Frame] = []
        self.stack: list[Site] = []
        self.active: dict[int, int] = {}
        self.labels: tuple[str, ...] = ()
        self.muted = 0
        self.awaited_node: ir.Node | None = None
        self.survived: list[int] = []
        self._numbers = itertools.count(1)
        self.state = self._main_state()
        self.scheduler = Scheduler(self)
        self._events: deque[Callable[[], object]] = deque()
        self._made: dict[int, Closure] = {}
        self._executed: set[int] = set()
        self.pure: dict[int, bool] = {}
        self._assigned: dict[int, frozenset[str]] = {}

    # ------------------------------------------------------------------ running

    def run(self, paths: list[str]) -> None:
        """Run entry modules in order, then what start-up left for later, then event handlers, then functions that
        nothing was seen to call."""

        def start() -> Completion | None:
            for path in paths:
                self.load(path)
            self.scheduler.drain()
            return None

        with _deep_recursion():
            try:
                self._begin()
                completion = outcome(start)
                if completion is not None and completion[0] == "throw":
                    self.thrown = completion[1]
                elif completion is not None:
                    self.exited = completion[1]
                self._begin()
                if completion is None:
                    self.phase = "request"
                    self._run_events()
                self._run_uncalled()
            except (BudgetExceeded, RecursionError, MemoryError):
                self.exhausted = True

    def evaluate_export(self, path: str, name: str = "default") -> Value:
        """The value of a module's export after the module was run; Unknown where it can't be had."""

        def task() -> Value:
            module = self.load(path)
            self.scheduler.drain()
            return self.export(module, name)

        return self._guarded(task, path, "while it loads")

    def call_now(self, value: Value, arguments: list[Value]) -> Value:
        """Call a function from outside and await its result."""

        def task() -> Value:
            result = self.call(value, UNDEFINED, arguments, ir.This(0, 0))
            if isinstance(result, Promise):
                result.handled = True
            self.scheduler.drain()
            return self.await_value(result)

        return self._guarded(task, "the function", "")

    def _guarded(self, task: Callable[[], Value], what: str, when: str) -> Value:
        with _deep_recursion():
            try:
                self._begin()
                return task()
            except JsThrow:
                return Unknown(f"{what} throws {when}".rstrip())
            except ProcessExit:
                return Unknown(f"{what} ends the process {when}".rstrip())
            except (BudgetExceeded, RecursionError, MemoryError):
                self.exhausted = True
                return Unknown(f"{what} does too much to be followed")

    def _begin(self) -> None:
        self.state = self._main_state()
        self.frames, self.stack, self.active, self.labels, self.muted = [], [], {}, (), 0
        self.scheduler.current = None

    def _main_state(self) -> State:
        state = State(self._numbers, self.survived, is_main=True, charge=self.charge)
        state.regions.append(Region(()))
        return state

    def new_state(self) -> State:
        """The state of a new line of execution."""
        state = State(self._numbers, self.survived, is_main=False, charge=self.charge)
        state.regions.append(Region(()))
        return state

    def _run_events(self) -> None:
        while self._events:
            self._run_late(self._events.popleft())
            self.scheduler.drain_late()

    def _run_late(self, task: Callable[[], object]) -> None:
        """Run something that perhaps happens, within a part of the budget, so that much of it leaves time for others."""
        whole = self.steps
        self.steps = given = min(whole, LATE_BUDGET)
        try:
            self.maybe(task)
        except BudgetExceeded:
            self.exhausted = True
            self._begin()
            if whole <= given:
                raise
        finally:
            self.steps = whole - (given - self.steps)

    def _run_uncalled(self) -> None:
        self.phase = "uncalled"
        progress = True
        while progress:
            progress = False
            for key, closure in list(self._made.items()):
                if key not in self._executed:
                    progress = True
                    self._run_late(partial(self._call_unknown, closure, "parameter"))
            self.scheduler.drain_late()
            self._run_events()

    def _call_unknown(self, closure: Closure, what: str) -> Value:
        arguments: list[Value] = [Unknown(f"a {what} of a function") for _ in closure.function.parameters]
        this = closure.this if closure.function.is_arrow else Unknown("this of a function")
        result = self.call_closure(closure, this, arguments, closure.function)
        if isinstance(result, GeneratorValue):
            self.iterate(result)
        return result

    def maybe(self, task: Callable[[], object]) -> None:
        """Run something that happens at an unknown time or perhaps not at all: its assignments are merged."""

        def run_task() -> Completion | None:
            task()
            return None

        self.state.maybe(run_task)

    @property
    def uncertain(self) -> int:
        """How many undecided conditions what runs now depends on."""
        return len(self.state.conditions) + len(self.survived)

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise BudgetExceeded

    def charge(self, count: int) -> None:
        """Count work that grows with the data against the budget."""
        self.steps -= count // 8
        if self.steps < 0:
            raise BudgetExceeded

    # ------------------------------------------------------------------ modules

    def load(self, path: str) -> ModuleRecord:
        """The module of that path, run unless it was already."""
        module = self.modules.get(path)
        if module is None:
            script = self.host.script(path)
            if script is None:
                script = ir.Script([], [], "", [], [], False, False, {})
            module = ModuleRecord(path, script, Scope(None, is_function=True))
            self.modules[path] = module
        if module.state == "new":
            module.state = "running"
            # What a module assigns stays, even where the code that loads it is undone.
            outer, muted = self.state, self.muted
            if outer.branching:
                self.state = self.new_state()
                self.state.conditions = outer.conditions
                self.muted = 0
            try:
                self._run_module(module)
            finally:
                module.state = "done"
                self.state, self.muted = outer, muted
        return module

    def _run_module(self, module: ModuleRecord) -> None:
        scope = module.scope
        exports = JsObject()
        module.commonjs = JsObject({"exports": exports})
        if not module.script.has_module_syntax:
            module.this = exports
        self.frames.append(Frame(None, module.this, module))
        try:
            body = module.script.body
            self._hoist(body, scope)
            for statement in body:
                self._declare_exports(statement, module)
            for statement in body:
                if isinstance(statement, ir.Import):
                    self._import(statement, module)
                elif isinstance(statement, ir.Export) and statement.specifier:
                    self._reexport(statement, module)
            self.state.region(lambda: run(self, body, scope), captures_return)
        finally:
            if self.frames and self.frames[-1].module is module:
                self.frames.pop()

    def resolve_module(self, specifier: str, importer: ModuleRecord, node: ir.Node, is_require: bool = False) -> Value:
        """A module record, an External, or what an asset import gives."""
        resolved = self.host.resolve(specifier, importer.path, is_require)
        if resolved.kind == "module":
            return self.load(resolved.target)
        if resolved.kind == "external":
            return External(resolved.target)
        if resolved.kind == "asset":
            return self.host.asset(resolved.target)
        self.missing.append((specifier, Site(importer.path, node.start, node.end), resolved.target))
        return Unknown(f"'{specifier}' can't be resolved: {resolved.target}")

    def _import(self, statement: ir.Import, module: ModuleRecord) -> None:
        if statement.type_only or (statement.form == "import" and not statement.bindings and not statement.specifier):
            return
        if statement.form == "require":
            value = self.require(statement.specifier, module, statement)
            for binding in statement.bindings:
                module.scope.variables[binding.local] = value
            return
        target = self.resolve_module(statement.specifier, module, statement)
        if isinstance(target, External):
            self.host.call(self, self.record("import", (statement.specifier,), statement, None))
        for binding in statement.bindings:
            module.scope.variables[binding.local] = self._binding(target, binding.imported)

    def _binding(self, target: Value, name: str) -> Value:
        if isinstance(target, ModuleRecord):
            return Namespace(target) if name == "*" else ImportReference(target, name)
        if isinstance(target, External):
            return target if name in ("*", "default") else self.member(target, name)
        if name in ("default", "*") or isinstance(target, Unknown):
            return target
        return self.member(target, name)

    def _reexport(self, statement: ir.Export, module: ModuleRecord) -> None:
        if statement.type_only:
            return
        target = self.resolve_module(statement.specifier, module, statement)
        for binding in statement.bindings:
            if binding.exported != "*":
                module.exports[binding.exported] = self._binding(target, binding.local)
            elif isinstance(target, (ModuleRecord, External)):
                module.reexports.append(target)

    def _declare_exports(self, statement: ir.Statement, module: ModuleRecord) -> None:
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

    def export(self, module: ModuleRecord, name: str, seen: frozenset[str] = frozenset()) -> Value:
        """The current value of a module's export."""
        if name in module.exports:
            return self._dereference(module.exports[name])
        if name == "default" or not module.script.has_module_syntax:
            exports = self._commonjs_exports(module)
            if exports is not None:
                if name == "default":
                    if isinstance(exports, JsObject) and "__esModule" in exports.properties:
                        return self.member(exports, "default")
                    return exports
                return self.member(exports, name)
        if module.path not in seen and name != "default":
            for target in module.reexports:
                if isinstance(target, External):
                    if len(module.reexports) == 1:
                        return self.member(target, name)
                    continue
                value = self.export(target, name, seen | {module.path})
                if not isinstance(value, Undefined):
                    return value
        if module.state == "running":
            return Unknown(f"{module.path} is imported in a circle")
        if module.script.problems:
            return Unknown(f"{module.path} can't be parsed")
        return Undefined(f"{module.path} does not export {name}")

    def export_names(self, module: ModuleRecord) -> list[str]:
        """Names of a namespace object's properties, sorted as the language does."""
        names = set(module.exports)
        for target in module.reexports:
            if isinstance(target, ModuleRecord) and target is not module:
                names.update(name for name in self.export_names(target) if name != "default")
        exports = self._commonjs_exports(module)
        if isinstance(exports, JsObject):
            names.update(exports.properties, ["default"])
        return sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))

    def _commonjs_exports(self, module: ModuleRecord) -> Value | None:
        if module.script.has_module_syntax or module.commonjs is None:
            return None
        return module.commonjs.properties.get("exports", UNDEFINED)

    def _dereference(self, value: Value) -> Value:
        while isinstance(value, (ImportReference, ExportReference)):
            if isinstance(value, ImportReference):
                value = self.export(value.module, value.name)
            else:
                found = value.scope.variables.get(value.local, MISSING)
                if found is MISSING:
                    return Unknown(f"{value.local} is read before it is set")
                value = found
        return value

    def require(self, specifier: str, module: ModuleRecord, node: ir.Node) -> Value:
        """`require(specifier)` in a module."""
        target = self.resolve_module(specifier, module, node, is_require=True)
        if isinstance(target, ModuleRecord):
            if target.script.has_module_syntax:
                if target.path.endswith(".json"):
                    return self.export(target, "default")
                return Namespace(target)
            exports = self._commonjs_exports(target)
            return UNDEFINED if exports is None else exports
        if isinstance(target, External):
            self.host.call(self, self.record("import", (specifier,), node, None))
        return target

    # ---------------------------------------------------------------- variables

    def _hoist(self, body: list[ir.Statement], scope: Scope) -> None:
        for statement in body:
            if isinstance(statement, ir.ExportDefault):
                value = statement.value
                if isinstance(value, ir.Function) and value.name and not value.is_arrow:
                    scope.variables[value.name] = self.closure(value, scope)
                continue
            declarations = statement.declarations if isinstance(statement, ir.ExportDeclaration) else [statement]
            for declaration in declarations:
                if isinstance(declaration, ir.FunctionDeclaration):
                    scope.variables[declaration.function.name] = self.closure(declaration.function, scope)
        for name in var_names(body):
            if name not in scope.variables:
                scope.variables[name] = UNDEFINED

    def closure(self, function: ir.Function, scope: Scope) -> Closure:
        """A function made in a scope by the code that runs."""
        holder: Scope | None = scope
        while holder is not None and not holder.variables.is_captured:
            holder.variables.is_captured = True
            holder = holder.parent
        frame = self.frames[-1]
        closure = Closure(function, scope, frame.module, frame.this if function.is_arrow else UNDEFINED)
        if function.is_arrow:
            closure.home = frame.home
            closure.is_static = frame.is_static
        self.note_made(closure)
        return closure

    def note_made(self, closure: Closure) -> None:
        """Remember a function, so that it is run in the end if nothing calls it."""
        self._made.setdefault(id(closure.function), closure)

    def was_executed(self, closure: Closure) -> bool:
        return id(closure.function) in self._executed

    @staticmethod
    def name_function(value: Value, name: str, written: ir.Expression) -> None:
        """`const f = () => …` names the function."""
        if isinstance(value, (Closure, ClassValue)) and not value.name and isinstance(written, (ir.Function, ir.Class)):
            value.name = name

    def write(self, container: dict[str, Value], name: str, value: Value) -> None:
        """Every assignment goes through here, so that a branch can be undone and merged."""
        self.state.write(container, name, value)

    def set_items(self, array: JsArray, items: list[Value]) -> None:
        """Replace the elements of an array."""
        self.charge(len(items))
        if len(items) > ELEMENTS:
            items = items[:ELEMENTS]
            self.write(array.__dict__, "complete", False)
        self.write(array.__dict__, "items", items)

    merged = staticmethod(merged)

    def bind(self, target: ir.Pattern, value: Value, where: Scope, scope: Scope) -> None:
        """Declare what a pattern names in `where`; defaults are evaluated in `scope`."""
        self._destructure(target, value, scope, lambda name, item: self.write(where.variables, name, item))

    def assign(self, target: ir.Pattern, value: Value, scope: Scope) -> None:
        """Assign to what a pattern names."""
        self._destructure(target, value, scope, lambda name, item: self._assign_name(name, item, scope))

    def _assign_name(self, name: str, value: Value, scope: Scope) -> None:
        holder: Scope | None = scope
        while holder is not None:
            if name in holder.variables:
                if holder.constants is not None and name in holder.constants:
                    self.throw("TypeError", "Assignment to constant variable.")
                self.write(holder.variables, name, value)
                return
            holder = holder.parent
        self.write(self.globals, name, value)

    def _destructure(self, target: ir.Pattern, value: Value, scope: Scope, write: Callable[[str, Value], None]) -> None:
        if isinstance(target, ir.Name):
            write(target.name, value)
        elif isinstance(target, ir.DefaultPattern):
            value = self._with_default(value, target, scope)
            self._destructure(target.target, value, scope, write)
        elif isinstance(target, ir.ObjectPattern):
            self._destructure_object(target, value, scope, write)
        elif isinstance(target, ir.ArrayPattern):
            self._destructure_array(target, value, scope, write)
        elif isinstance(target, ir.Member):
            self.set_at(self.evaluate(target.object, scope), v.private_name(target.name), value, target)
        elif isinstance(target, ir.Index):
            owner = self.evaluate(target.object, scope)
            self.set_at(owner, self.property_key(self.evaluate(target.index, scope)), value, target)
        elif isinstance(target, ir.RestPattern):
            self._destructure(target.target, value, scope, write)

    def _with_default(self, value: Value, target: ir.DefaultPattern, scope: Scope) -> Value:
        if isinstance(value, Undefined):
            value = self.evaluate(target.default, scope)
            if isinstance(target.target, ir.Name):
                self.name_function(value, target.target.name, target.default)
            return value
        if not isinstance(value, Unknown):
            return value
        may_be_undefined = not value.closed or any(not _is_defined(item) for item in value.candidates)
        if not may_be_undefined:
            return value
        found: list[Value] = []

        def default() -> Completion | None:
            found.append(self.evaluate(target.default, scope))
            return None

        self.state.fork(default, lambda: None)
        others = tuple(item for item in value.candidates if not isinstance(item, Undefined))
        tag = "" if value.tag == v.ABSENT else value.tag
        if not found:
            return Unknown(value.reason, tag, others, value.closed)
        more, closed = (found[0].candidates, found[0].closed) if isinstance(found[0], Unknown) else ((found[0],), True)
        return Unknown(value.reason, tag, (*others, *more), value.closed and closed)

    def _destructure_object(
        self, target: ir.ObjectPattern, value: Value, scope: Scope, write: Callable[[str, Value], None]
    ) -> None:
        if value is None or (isinstance(value, Undefined) and not value.reason):
            self.throw("TypeError", f"Cannot destructure '{v.to_text(value)}' as it is {v.to_text(value)}.")
        taken: list[str] = []
        for item in target.properties:
            key = self.property_key(self.evaluate(item.key, scope))
            found: Value = Unknown("a computed property name")
            if key is not None:
                taken.append(key)
                found = self.member(value, key, item)
            self._destructure(item.target, found, scope, write)
        if target.rest is None:
            return
        rest: Value = Unknown(v.reason_of(value))
        if isinstance(value, JsObject) and not isinstance(value, JsMap):
            kept = {
                key: item
                for key, item in value.properties.items()
                if key not in taken and self.is_enumerable(value, key)
            }
            rest = JsObject({key: self.get(item, value) for key, item in kept.items()}, value.complete)
            rest.shuffled = value.shuffled
        self._destructure(target.rest, rest, scope, write)

    def _destructure_array(
        self, target: ir.ArrayPattern, value: Value, scope: Scope, write: Callable[[str, Value], None]
    ) -> None:
        has_rest = any(isinstance(item, ir.RestPattern) for item in target.items)
        items: list[Value] = []
        rest: v.Rest | None = None
        for item in self.elements(value) if target.items else ():
            if isinstance(item, v.Rest):
                rest = item
                break
            items.append(item)
            if not has_rest and len(items) >= len(target.items):
                break
        for index, element in enumerate(target.items):
            if element is None:
                continue
            if isinstance(element, ir.RestPattern):
                tail: Value = Unknown(rest.reason) if rest is not None else JsArray(items[index:])
                self._destructure(element.target, tail, scope, write)
            elif index < len(items):
                self._destructure(element, items[index], scope, write)
            elif rest is not None:
                member = self.member(value, str(index)) if isinstance(value, External) else Unknown(rest.reason)
                self._destructure(element, member, scope, write)
            else:
                self._destructure(element, UNDEFINED, scope, write)

    def forget(self, owner: Value) -> None:
        """A property of unknown name was set: what the object holds is no longer known."""
        if isinstance(owner, (JsArray, JsObject)) and owner.frozen:
            return
        if isinstance(owner, JsArray):
            self.set_items(owner, [])
            self.write(owner.__dict__, "complete", False)
        elif isinstance(owner, JsMap):
            self.write(owner.__dict__, "entries", {})
            self.write(owner.__dict__, "complete", False)
        elif isinstance(owner, JsObject):
            for name in list(owner.properties):
                self.write(owner.properties, name, Unknown("a property of unknown name was set", v.ABSENT))
            self.write(owner.__dict__, "complete", False)
        elif isinstance(owner, UrlValue):
            self.write(owner.__dict__, "href", Unknown("a URL that was changed"))
        elif isinstance(owner, Unknown):
            for candidate in owner.candidates:
                if not isinstance(candidate, Unknown):
                    self.forget(candidate)

    def lookup(self, name: str, scope: Scope) -> Value:
        """The value of a variable."""
        holder: Scope | None = scope
        while holder is not None:
            found = holder.variables.get(name, MISSING)
            if found is not MISSING:
                if type(found) is ImportReference or type(found) is ExportReference:
                    return self._dereference(found)
                if self.state.is_torn and holder.function_scope is not scope.function_scope:
                    return self._read_later(found, holder, name)
                return found
            holder = holder.parent
        found = self._find_outside(name)
        if found is not MISSING:
            return found
        self.may_throw(f"{name} is not defined")
        return Unknown(f"{name} is not defined in the build")

    @staticmethod
    def _read_later(found: Value, holder: Scope, name: str) -> Value:
        """A variable read by code that really runs later, when it may have changed."""
        is_constant = holder.constants is not None and name in holder.constants
        if isinstance(found, (Closure, ClassValue, External, Builtin, Namespace)):
            return found
        if is_constant and not isinstance(found, (JsArray, JsMap)):
            return found
        return Unknown(f"{name} may have changed meanwhile", candidates=(found,))

    def find(self, name: str, scope: Scope) -> Value:
        """The value of a variable, MISSING where there is none (`typeof`)."""
        holder: Scope | None = scope
        while holder is not None:
            if name in holder.variables:
                return self._dereference(holder.variables[name])
            holder = holder.parent
        return self._find_outside(name)

    def _find_outside(self, name: str) -> Value:
        if name == "undefined":
            return UNDEFINED
        if name in self.globals:
            return self.globals[name]
        return self.host.global_value(name, self.frames[-1].module)

    # -------------------------------------------------------------- expressions

    def evaluate(self, expression: ir.Expression, scope: Scope) -> Value:
        self.steps -= 1
        if self.steps < 0:
            raise BudgetExceeded
        return EVALUATE[type(expression)](self, expression, scope)

    def site(self, node: ir.Node) -> Site:
        """Where a node of the running code stands."""
        path = self.frames[-1].module.path if self.frames else ""
        return Site(path, node.start, node.end)

    def throw(self, kind: str, message: str) -> Value:
        """Throw an error that the language itself throws."""
        raise JsThrow(error_object(kind, message))

    def may_throw(self, reason: str) -> None:
        """Note, for a catch around, that what runs now may throw."""
        if self.state.catching:
            self.state.may_throw(lambda: JsThrow(Unknown(f"an error that was caught: {reason}")))

    def is_object(self, value: Value) -> bool:
        return isinstance(value, (JsArray, JsObject, UrlValue, RegExp, Promise, Closure, ClassValue, Builtin))

    def primitive(self, value: Value, hint: str) -> Value:
        """ECMA-262 ToPrimitive: objects become what their valueOf or toString gives."""
        if isinstance(value, (*v.PRIMITIVES, Unknown, Text)) or not self.is_object(value):
            return value
        if isinstance(value, (JsObject, Closure)):
            order = ("toString", "valueOf") if hint == "string" else ("valueOf", "toString")
            for name in ("@@toPrimitive", *order):
                method = self._own_method(value, name)
                if isinstance(method, Unknown):
                    return method
                if isinstance(method, Closure):
                    given: list[Value] = [hint] if name.startswith("@@") else []
                    result = self.call(method, value, given, method.function)
                    if not self.is_object(result):
                        return result
        return self.text(value) if isinstance(value, JsArray) else v.to_text(value)

    def _own_method(self, value: JsObject | Closure, name: str) -> Value:
        """A method that the build itself defined on an object or its prototypes; UNDEFINED if there is none."""
        if isinstance(value, Closure):
            return self.get(value.properties.get(name, UNDEFINED), value)
        found = self._inherited(value, name)
        if found is not MISSING:
            return self.get(found, value)
        return UNDEFINED if value.complete else Unknown(f"a method {name} that may have been set")

    def text(self, value: Value) -> str | Text | Unknown:
        """ECMA-262 ToString."""
        if isinstance(value, JsArray) and value.complete:
            self.charge(len(value.items))
            texts = [
                "" if item is None or (isinstance(item, Undefined) and not item.reason) else self.text(item)
                for item in value.items
            ]
            return v.join(",", texts)
        if isinstance(value, (JsObject, Closure)):
            return v.to_text(self.primitive(value, "string"))
        return v.to_text(value)

    def property_key(self, value: Value) -> str | None:
        """ECMA-262 ToPropertyKey; None where it isn't known. Well-known symbols are `@@name`."""
        if isinstance(value, str):
            return value
        if isinstance(value, External) and value.name.startswith("Symbol."):
            return "@@" + str(value.name.removeprefix("Symbol."))
        if isinstance(value, v.Symbol):
            return "@@" + value.key
        text = self.text(value)
        return text if isinstance(text, str) else None

    # ------------------------------------------------------------------ members

    def callee(self, node: ir.Expression, scope: Scope) -> tuple[Value, Value]:
        """`this` and the function of a call of `node`."""
        if isinstance(node, (ir.Member, ir.Index)):
            if isinstance(node.object, ir.Super):
                return self.frames[-1].this, self.evaluate(node, scope)
            owner = self._link_or_value(node.object, scope)
            if isinstance(owner, Short):
                return UNDEFINED, owner
            return owner, self._member_of(owner, node, scope)
        return UNDEFINED, self._link_or_value(node, scope)

    def _link_or_value(self, node: ir.Expression, scope: Scope) -> Value:
        if isinstance(node, (ir.Member, ir.Index, ir.Call)):
            self.steps -= 1
            if self.steps < 0:
                raise BudgetExceeded
            return self.link(node, scope)
        return self.evaluate(node, scope)

    def link(self, node: ir.Expression, scope: Scope) -> Value:
        """One link of a chain of members and calls; `Short` where a `?.` ended the chain."""
        if isinstance(node, ir.Call):
            return self._call_link(node, scope)
        assert isinstance(node, (ir.Member, ir.Index))
        if isinstance(node.object, ir.Super):
            return self._super_member(node, scope)
        owner = self._link_or_value(node.object, scope)
        return owner if isinstance(owner, Short) else self._member_of(owner, node, scope)

    def _member_of(self, owner: Value, node: ir.Member | ir.Index, scope: Scope) -> Value:
        if node.optional and (owner is None or isinstance(owner, Undefined)):
            return Short(owner if isinstance(owner, Undefined) else UNDEFINED)
        if isinstance(node, ir.Member):
            return self.member(owner, v.private_name(node.name), node)
        index = self.evaluate(node.index, scope)
        key = self.property_key(index)
        if key is None:
            return self._any_member(owner, v.reason_of(index))
        return self.member(owner, key, node)

    def _any_member(self, owner: Value, reason: str) -> Value:
        """A member chosen at run time: one of those there are."""
        why = f"an element chosen at run time: {reason}"
        if isinstance(owner, JsArray):
            return Unknown(why, "", (*owner.items, UNDEFINED), owner.complete)
        if type(owner) is JsObject:
            options = [item for item in owner.properties.values() if not isinstance(item, (Getter, Unknown))]
            whole = owner.complete and len(options) == len(owner.properties) and owner.prototype is None
            return Unknown(why, "", (*options, UNDEFINED), whole and owner.made_by is None)
        return Unknown(why)

    def _super_member(self, node: ir.Member | ir.Index, scope: Scope) -> Value:
        frame = self.frames[-1]
        if isinstance(node, ir.Member):
            name: str | None = node.name
        else:
            name = self.property_key(self.evaluate(node.index, scope))
        if name is None:
            return Unknown("super")
        if isinstance(frame.home, JsObject):
            return UNDEFINED if frame.home.prototype is None else self.member(frame.home.prototype, name)
        parent = frame.home.superclass if frame.home else None
        if isinstance(parent, ClassValue):
            return self.member(parent, name) if frame.is_static else self.get(self._method(parent, name), frame.this)
        if isinstance(parent, External):
            return External(f"{parent.name}().{name}")
        return Unknown("super")

    def member(self, owner: Value, name: str, node: ir.Node | None = None, optional: bool = False) -> Value:
        """`owner.name`

        Raises:
            JsThrow: the owner is null or undefined.
        """
        kind = type(owner)
        if kind is External:
            return self._external_member(owner, name)
        if isinstance(owner, JsObject):
            return self._object_member(owner, name)
        if kind is Unknown:
            return self._member_of_unknown(owner, name)
        if owner is None or kind is Undefined:
            if optional:
                return Undefined(owner.reason if kind is Undefined else "")
            if kind is Undefined and owner.reason:
                self.may_throw(f"{name} is read from undefined")
                return Unknown(owner.reason)
            return self.throw("TypeError", f"Cannot read properties of {v.to_text(owner)} (reading '{name}')")
        if kind is Namespace:
            return self.export(owner.module, name)
        if kind is Closure:
            return self._closure_member(owner, name)
        if kind is ClassValue:
            holder: Value = owner
            while isinstance(holder, ClassValue):
                if name in holder.properties:
                    return self.get(holder.properties[name], owner)
                holder = holder.superclass
            if isinstance(holder, External):
                return self._external_member(holder, name)
        if kind is Builtin and name in owner.members:
            return owner.members[name]
        if kind is JsArray and name in owner.extra:
            return owner.extra[name]
        found = builtin_member(self, owner, name)
        return UNDEFINED if found is None else found

    def _closure_member(self, owner: Closure, name: str) -> Value:
        if name in owner.properties:
            return self.get(owner.properties[name], owner)
        if name == "prototype" and not owner.function.is_arrow:
            made = JsObject()
            self.write(owner.properties, "prototype", made)
            return made
        found = builtin_member(self, owner, name)
        return UNDEFINED if found is None else found

    def _object_member(self, owner: JsObject, name: str) -> Value:
        found = owner.properties.get(name, MISSING)
        if found is not MISSING:
            if isinstance(found, Unknown) and found.tag == v.ABSENT:
                return Unknown(found.reason, "", found.candidates, found.closed)
            return self.get(found, owner)
        if isinstance(owner, v.Environment):
            return (
                Unknown(f"{name} is set by the machine")
                if owner.outside(name)
                else Undefined(f"{name}, which nothing sets")
            )
        found = self._inherited(owner, name)
        if found is not MISSING:
            return self.get(found, owner)
        builtin = builtin_member(self, owner, name)
        if builtin is not None:
            return builtin
        if owner.base is not None and owner.base.name == "process.env":
            return Undefined(f"{name}, which nothing sets")
        if owner.base is not None and (owner.made_by is not None or not owner.complete):
            return self._external_member(owner.base, name)
        return UNDEFINED if owner.complete else Unknown(f"a property {name} that may have been set")

    def _inherited(self, owner: JsObject, name: str) -> Value:
        """A property as it stands on an object of the build or its prototypes, MISSING if there is none."""
        holder: JsObject | None = owner
        for _ in range(50):
            if holder is None:
                return MISSING
            if name in holder.properties:
                return holder.properties[name]
            if holder.made_by is not None:
                method = self._method(holder.made_by, name)
                if not isinstance(method, Undefined):
                    return method
            holder = holder.prototype
        return MISSING

    def _member_of_unknown(self, owner: Unknown, name: str) -> Value:
        if owner.tag and not owner.tag.startswith("*"):
            tagged = self.host.member(self, External(owner.tag), name)
            if tagged is not NotImplemented:
                return tagged
        self.may_throw(f"{name} is read from what isn't known")
        options = [item for item in owner.candidates if item is not None and not isinstance(item, Undefined)]
        if owner.closed and options and all(isinstance(item, (JsObject, JsArray, str, Undefined)) for item in options):
            result = self.member(options[0], name)
            for other in options[1:]:
                result = merged(result, self.member(other, name))
            return result
        candidates = [
            item.properties[name]
            for item in options
            if type(item) is JsObject and name in item.properties and not isinstance(item.properties[name], Getter)
        ]
        return Unknown(owner.reason, "", tuple(candidates[:8]))

    def get(self, value: Value, this: Value) -> Value:
        """The value of a property slot: an accessor is called."""
        if type(value) is Getter:
            if value.closure is None:
                return UNDEFINED
            return self.call_closure(value.closure, this, [], value.closure.function)
        return value

    def _external_member(self, owner: External, name: str) -> Value:
        if name in owner.properties:
            return self.get(owner.properties[name], owner)
        found = self.host.member(self, owner, name)
        if found is not NotImplemented:
            return found
        if name == "default" and owner.base is None and owner.made_by is None:
            return owner
        return External(f"{owner.name}.{name}", owner)

    def _method(self, owner: ClassValue, name: str) -> Value:
        holder: Value = owner
        while isinstance(holder, ClassValue):
            if name in holder.methods:
                return holder.methods[name]
            holder = holder.superclass
        return UNDEFINED

    def has_property(self, owner: Value, name: str) -> Value:
        """`name in owner`"""
        if isinstance(owner, JsArray) and owner.complete and not owner.holes:
            return (name.isdigit() and int(name) < len(owner.items)) or name == "length" or name in owner.extra
        if isinstance(owner, Namespace):
            return name in self.export_names(owner.module)
        if isinstance(owner, JsObject) and not isinstance(owner, (JsMap, GeneratorValue)):
            found = self._inherited(owner, name)
            if isinstance(found, Unknown) and found.tag == v.ABSENT:
                return Unknown(found.reason)
            if found is not MISSING:
                return True
            if isinstance(owner, v.Environment):
                return Unknown(f"{name} is set by the machine") if owner.outside(name) else False
            if owner.complete and owner.base is None and builtin_member(self, owner, name) is None:
                return False
        return Unknown("whether a property exists")

    def is_enumerable(self, owner: JsObject, name: str) -> bool:
        return name not in owner.hidden and not name.startswith((v.PRIVATE, "@@"))

    def instance_of(self, left: Value, right: Value) -> Value:
        """`left instanceof right`"""
        if isinstance(left, (str, int, float, bool, Text, v.BigIntValue, v.Symbol, type(None))):
            return False
        if isinstance(left, Undefined):
            return Unknown(left.reason) if left.reason else False
        if isinstance(right, ClassValue) and isinstance(left, JsObject):
            holder: Value = left.made_by
            while isinstance(holder, ClassValue):
                if holder is right:
                    return True
                holder = holder.superclass
            return False if left.complete or left.made_by is not None else Unknown("what class an object has")
        if isinstance(right, Closure) and isinstance(left, JsObject):
            wanted = self._closure_member(right, "prototype")
            chain = left.prototype
            while chain is not None:
                if chain is wanted:
                    return True
                chain = chain.prototype
            return False if left.complete else Unknown("what class an object has")
        if isinstance(right, Builtin):
            return self._instance_of_builtin(left, right.name)
        return Unknown("what class an object has")

    def _instance_of_builtin(self, left: Value, name: str) -> Value:
        if isinstance(left, JsArray):
            return name in ("Array", "Object")
        if isinstance(left, JsMap):
            return name in ("Set" if left.is_set else "Map", "Object")
        if isinstance(left, UrlValue):
            return name in ("URL", "Object")
        if isinstance(left, RegExp):
            return name in ("RegExp", "Object")
        if isinstance(left, Promise):
            return name in ("Promise", "Object")
        if isinstance(left, (Closure, Builtin, ClassValue)):
            return name in ("Function", "Object")
        if isinstance(left, JsObject):
            if left.error:
                return name in ("Error", "Object", left.error)
            if left.complete and left.prototype is None:
                return name == "Object"
        return Unknown("what class an object has")

    def set_at(self, owner: Value, key: str | None, value: Value, node: ir.Node) -> None:
        """`owner[key] = value`; `key` is None where it isn't known."""
        if key is None:
            self.forget(owner)
        else:
            self.set_member(owner, key, value, node)

    def set_member(self, owner: Value, name: str, value: Value, node: ir.Node) -> None:
        """`owner.name = value`"""
        if isinstance(owner, (JsArray, JsObject)) and owner.frozen is True:
            if self.frames and self.frames[-1].module.script.has_module_syntax:
                self.throw("TypeError", f"Cannot assign to read only property '{name}' of object")
        elif isinstance(owner, JsArray):
            self._set_element(owner, name, value)
        elif isinstance(owner, v.Environment):
            self.write(owner.properties, name, self.text(value))
        elif isinstance(owner, JsObject):
            found = self._inherited(owner, name)
            if isinstance(found, Getter):
                if found.setter is not None:
                    self.call_closure(found.setter, owner, [value], found.setter.function)
                return
            if isinstance(found, Unknown) and found.tag == v.ABSENT:
                self.write(owner.__dict__, "shuffled", True)
            self.write(owner.properties, name, value)
        elif isinstance(owner, (Closure, ClassValue)):
            found = owner.properties.get(name)
            if isinstance(found, Getter):
                if found.setter is not None:
                    self.call_closure(found.setter, owner, [value], found.setter.function)
                return
            self.write(owner.properties, name, value)
        elif isinstance(owner, External):
            self.write(owner.properties, name, value)
            self.record(f"{owner.name}.{name}=", (value,), node, owner)
            if isinstance(value, Closure):
                self.schedule_event(value, External(f"{owner.name}.{name}"))
        elif isinstance(owner, UrlValue):
            self.write(owner.__dict__, "href", changed_url(owner, name, value))
        elif isinstance(owner, RegExp):
            self.write(owner.__dict__, "last_index", value if name == "lastIndex" else Unknown("a changed expression"))
        elif isinstance(owner, Unknown):
            self.may_throw(f"{name} is set on what isn't known")
            for candidate in owner.candidates:
                if not isinstance(candidate, (External, Unknown)):
                    self._set_perhaps(candidate, name, value, node)
        elif owner is None or (isinstance(owner, Undefined) and not owner.reason):
            self.throw("TypeError", f"Cannot set properties of {v.to_text(owner)} (setting '{name}')")

    def _set_perhaps(self, owner: Value, name: str, value: Value, node: ir.Node) -> None:
        self.maybe(lambda: self.set_member(owner, name, value, node))

    def _set_element(self, owner: JsArray, name: str, value: Value) -> None:
        if name == "length":
            if isinstance(value, int) and not isinstance(value, bool) and owner.complete and 0 <= value <= ELEMENTS:
                missing = value - len(owner.items)
                self.set_items(owner, owner.items[:value] + [UNDEFINED] * missing)
                if missing > 0:
                    self.write(owner.__dict__, "holes", True)
            else:
                self.forget(owner)
            return
        if not (name.isdigit() and str(int(name)) == name):
            self.write(owner.extra, name, value)
            return
        position = int(name)
        if position < len(owner.items):
            items = list(owner.items)
            items[position] = value
            self.set_items(owner, items)
        elif owner.complete and position <= ELEMENTS:
            missing = position - len(owner.items)
            self.set_items(owner, [*owner.items, *[UNDEFINED] * missing, value])
            if missing:
                self.write(owner.__dict__, "holes", True)
        else:
            self.write(owner.__dict__, "complete", False)

    # -------------------------------------------------------------------- calls

    def _call_link(self, node: ir.Call, scope: Scope) -> Value:
        if isinstance(node.callee, ir.Super):
            return self._call_super(node, scope)
        this, callee = self.callee(node.callee, scope)
        if isinstance(callee, Short):
            return callee
        if node.optional and (callee is None or isinstance(callee, Undefined)):
            return Short(callee if isinstance(callee, Undefined) else UNDEFINED)
        arguments, complete = spread_items(self, node.arguments, scope)
        if not complete:
            arguments.append(Unknown("a spread argument", v.SPREAD))
        if type(this) is Unknown and type(callee) is Unknown and this.candidates and isinstance(node.callee, ir.Member):
            return self._call_on_candidates(this, node.callee.name, arguments, node, callee)
        return self.call(callee, this, arguments, node)

    def _call_on_candidates(
        self, this: Unknown, name: str, arguments: list[Value], node: ir.Node, callee: Unknown
    ) -> Value:
        """A method of one of several objects: each may be the one."""
        found: list[Value] = []

        def on(candidate: Value) -> Callable[[], Completion | None]:
            def run_one() -> Completion | None:
                found.append(self.call(self.member(candidate, name, node), candidate, arguments, node))
                return None

            return run_one

        options = [item for item in this.candidates if item is not None and not isinstance(item, (Undefined, Unknown))]
        if not options:
            self._run_callbacks(arguments)
            return Unknown(callee.reason)
        if this.closed:
            self.may_throw(f"{name} is called on what isn't known")
            self.state.fork(*[on(item) for item in options])
            result = found[0]
            for other in found[1:]:
                result = merged(result, other)
            return result
        for item in options:
            if not isinstance(item, External):
                self.state.maybe(on(item))
        return self.call(Unknown(callee.reason), this, arguments, node)

    def _call_super(self, node: ir.Call, scope: Scope) -> Value:
        frame = self.frames[-1]
        arguments, _ = spread_items(self, node.arguments, scope)
        home = frame.home
        this = frame.this
        if not isinstance(home, ClassValue) or not isinstance(this, JsObject):
            return UNDEFINED
        parent = home.superclass
        if isinstance(parent, ClassValue):
            self._initialise(parent, this, arguments, node)
        elif isinstance(parent, External):
            made = self.call_external(parent, arguments, node, is_new=True)
            if isinstance(made, External):
                this.base = made
        elif isinstance(parent, Builtin):
            self._initialise_builtin(parent, this, arguments)
        elif isinstance(parent, Closure):
            self.call_closure(parent, this, arguments, node)
            this.complete = False
        self._set_fields(home, this)
        return UNDEFINED

    def call(self, callee: Value, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        """Call a value."""
        kind = type(callee)
        if kind is Closure:
            return self.call_closure(callee, this, arguments, node)
        if kind is External:
            return self.call_external(callee, arguments, node, is_new=False)
        if kind is Builtin:
            if arguments and _is_spread(arguments[-1]):
                return self._call_builtin_with_rest(callee, this, arguments, node)
            if callee.name.startswith(_OF_VALUES):
                for index, item in enumerate(arguments):
                    if type(item) is Unknown and item.closed and 0 < len(item.candidates) <= FEW and _all_plain(item):
                        return self._call_for_each_option(callee, this, arguments, index, node)
            result = callee.call(self, this, arguments, node)
            if type(result) is Unknown:
                self.may_throw(f"{callee.name} may throw")
            return result
        if kind is Unknown:
            return self._call_one_of(callee, this, arguments, node)
        if kind is Undefined and callee.reason:
            self.may_throw("what is called may not be a function")
            self._run_callbacks(arguments)
            return Unknown(callee.reason)
        if kind is ClassValue:
            self.throw("TypeError", f"Class constructor {callee.name} cannot be invoked without 'new'")
        if isinstance(callee, JsObject) and not callee.complete:
            self._run_callbacks(arguments)
            return Unknown("what is called is not a function")
        return self.throw("TypeError", f"{self._written(node)} is not a function")

    def _call_for_each_option(
        self, callee: Builtin, this: Value, arguments: list[Value], index: int, node: ir.Node
    ) -> Value:
        """A call of which one argument is one of few values: each may be the one."""
        found: list[Value] = []

        def with_option(option: Value) -> Callable[[], Completion | None]:
            def run_one() -> Completion | None:
                given = [*arguments[:index], option, *arguments[index + 1 :]]
                found.append(self.call(callee, this, given, node))
                return None

            return run_one

        self.state.fork(*[with_option(option) for option in arguments[index].candidates])
        result = found[0]
        for other in found[1:]:
            result = merged(result, other)
        return result

    def _call_builtin_with_rest(self, callee: Builtin, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        """A call with an unknown number of further arguments."""
        self.may_throw(f"{callee.name} may throw")
        known = arguments[:-1]
        if callee.name == "array.push" and isinstance(this, JsArray):
            callee.call(self, this, known, node)
            self.write(this.__dict__, "complete", False)
        elif callee.name in ("Array.of", "array.concat", "Array"):
            made = callee.call(self, this, known, node)
            return JsArray(made.items if isinstance(made, JsArray) else known, complete=False)
        else:
            for item in (this, *known):
                self.forget(item)
            self._run_callbacks(known)
        return Unknown(f"{callee.name} of an unknown number of arguments")

    @staticmethod
    def _written(node: ir.Node) -> str:
        callee = node.callee if isinstance(node, ir.Call) else None
        names: list[str] = []
        while isinstance(callee, ir.Member):
            names.append(callee.name)
            callee = callee.object
        if isinstance(callee, ir.Name):
            names.append(callee.name)
        return ".".join(reversed(names)) or "(intermediate value)"

    def _call_one_of(self, callee: Unknown, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        self.may_throw("what is called isn't known")
        functions = [item for item in callee.candidates if isinstance(item, (Closure, Builtin))]
        if callee.closed and len(functions) == len(callee.candidates) > 0:
            found: list[Value] = []

            def on(function: Value) -> Callable[[], Completion | None]:
                def run_one() -> Completion | None:
                    found.append(self.call(function, this, arguments, node))
                    return None

                return run_one

            self.state.fork(*[on(item) for item in functions])
            result = found[0]
            for other in found[1:]:
                result = merged(result, other)
            return result
        for item in functions:
            self.maybe(partial(self.call, item, this, arguments, node))
        self._run_callbacks(arguments)
        return Unknown(callee.reason)

    def _run_callbacks(self, arguments: list[Value]) -> None:
        """A function handed to something unknown (`list.map(f)` of an unknown list) runs some number of times."""
        for argument in arguments:
            if isinstance(argument, Closure):

                def round_(argument: Closure = argument) -> Completion | None:
                    self._call_unknown(argument, "parameter")
                    return None

                if self.was_executed(argument):
                    if self.phase == "startup":
                        discover(self, round_)
                else:
                    open_loop(self, round_)

    run_callbacks = _run_callbacks

    @staticmethod
    def ignore(value: Value) -> None:
        return None

    def call_closure(self, closure: Closure, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        """Call a function of the build."""
        function = closure.function
        key = id(function)
        if not self.muted:
            self._executed.add(key)
        depth = self.active.get(key, 0)
        too_deep = depth >= (OPEN_RECURSION if self.state.conditions else CALL_DEPTH) or len(self.frames) >= CALL_DEPTH
        if too_deep:
            self._forget_assigned(closure)
            cut = Unknown("a function that calls itself")
            return Promise(cut) if function.is_async else cut
        frame = Frame(closure, closure.this if function.is_arrow else this, closure.module, home=closure.home)
        frame.is_static = closure.is_static
        if function.is_arrow and self.frames:
            frame.new_target = UNDEFINED

        def body() -> Value:
            return self._run_function(frame, arguments, node)

        if function.is_generator:
            return self._call_generator(frame, body)
        if function.is_async:
            frame.is_loose = node is not self.awaited_node
            return self.scheduler.call_async(frame, body)
        return body()

    def _run_function(self, frame: Frame, arguments: list[Value], node: ir.Node) -> Value:
        closure = frame.closure
        assert closure is not None
        function = closure.function
        key = id(function)
        scope = Scope(closure.scope, is_function=True)
        self.stack.append(self.site(node))
        self.frames.append(frame)
        depth = self.active.get(key, 0)
        self.active[key] = depth + 1

        def body() -> Completion | None:
            if not function.is_arrow:
                scope.variables["arguments"] = _argument_array(arguments, bool(arguments) and _is_spread(arguments[-1]))
            self._bind_parameters(function.parameters, arguments, scope)
            self._hoist(function.body, scope)
            return run(self, function.body, scope)

        try:
            completion = self.state.region(body, captures_return)
        finally:
            self.active[key] = depth
            if self.frames and self.frames[-1] is frame:
                self.frames.pop()
                self.stack.pop()
        return completion[1] if completion is not None else UNDEFINED

    def _forget_assigned(self, closure: Closure) -> None:
        """A call that isn't followed may assign to variables around the function."""
        names = self._assigned.get(id(closure.function))
        if names is None:
            found: set[str] = set()
            for item in walk(closure.function.body):
                if isinstance(item, (ir.Assign, ir.Update)):
                    found.update(pattern_names(item.target))  # type: ignore[arg-type]
            names = self._assigned[id(closure.function)] = frozenset(found)
        for name in names:
            holder: Scope | None = closure.scope
            while holder is not None:
                if name in holder.variables:
                    self.write(holder.variables, name, Unknown("a function that calls itself assigns it"))
                    break
                holder = holder.parent

    def _bind_parameters(self, parameters: list[ir.Pattern], arguments: list[Value], scope: Scope) -> None:
        open_end = bool(arguments) and _is_spread(arguments[-1])
        for index, parameter in enumerate(parameters):
            if type(parameter) is ir.RestPattern:
                self.bind(parameter.target, _argument_array(arguments[index:], open_end), scope, scope)
                return
            missing: Value = Unknown("a spread argument") if open_end else UNDEFINED
            value = arguments[index] if index < len(arguments) else missing
            if type(parameter) is ir.Name:
                scope.variables[parameter.name] = value
            else:
                self.bind(parameter, value, scope, scope)

    # --------------------------------------------------------------- generators

    def _call_generator(self, frame: Frame, body: Callable[[], Value]) -> Value:
        assert frame.closure is not None
        if frame.closure.function.is_async:
            self.maybe(body)
            return Unknown("what an asynchronous generator gives")
        if self.scheduler.can_stop and not self.muted:
            generator = Generator(self.scheduler, body)
            frame.generator = generator
            return GeneratorValue(generator.pull)
        # What runs here may be undone: the body runs ahead, and its yields are handed out one by one.
        frame.yielded = yielded = []
        found: list[Value] = []

        def run_body() -> None:
            frame.branching = self.state.branching
            found.append(body())

        self.maybe(run_body)
        result = found[0] if found else UNDEFINED
        if not found:
            yielded.append(v.Rest("a generator that throws"))
        position = {"next": 0}

        def pull(sent: Value) -> tuple[str, Value] | None:
            at = position["next"]
            if not isinstance(at, int):
                return None
            self.write(position, "next", at + 1)
            if at < len(yielded):
                return None if isinstance(yielded[at], v.Rest) else ("yield", yielded[at])
            return ("return", result if at == len(yielded) else UNDEFINED)

        return GeneratorValue(pull)

    def yield_expression(self, value: Value, delegate: bool) -> Value:
        """What `yield value` gives once the generator is asked for more."""
        frame = self.frames[-1]
        items = self.elements(value) if delegate else iter([value])
        result: Value = UNDEFINED
        generator = frame.generator
        for item in items:
            is_rest = isinstance(item, v.Rest)
            if generator is not None and not generator.broken and not is_rest and self.scheduler.can_stop:
                result = generator.give(item)
                continue
            if generator is not None:
                # From here the body runs ahead, and what it yields can't be told.
                generator.broken = True
            elif frame.yielded is not None:
                frame.yielded.append(
                    v.Rest("what a generator gives") if self.state.branching > frame.branching or is_rest else item
                )
            result = Unknown("what a generator is sent")
        return UNDEFINED if delegate else result

    # ---------------------------------------------------------------- externals

    def call_external(self, callee: External, arguments: list[Value], node: ir.Node, is_new: bool) -> Value:
        """Call something outside the build: an effect."""
        name = f"new {callee.name}" if is_new else callee.name
        effect = self.record(name, tuple(arguments), node, callee.base)
        self.may_throw(f"{name} may fail")
        found = self.host.construct(self, effect) if is_new else self.host.call(self, effect)
        result = External(f"{name}()", None, effect) if found is NotImplemented else found
        effect.result = result
        for position, argument in enumerate(arguments):
            if argument is not result:
                self.hand_over(argument, effect, position)
        return result

    def hand_over(self, argument: Value, effect: Effect, position: int, depth: int = 0) -> None:
        """Functions given to an external call, also inside an object or array, will be called by it."""
        if isinstance(argument, Closure):
            when = self.host.callback_phase(effect, position)
            if when == "event" or self.phase != "startup":
                self.schedule_event(argument, External(f"{effect.name}#{position}"))
                return
            parameters = [Unknown(f"what {effect.name} hands to its callback") for _ in argument.function.parameters]
            if when == "later" and effect.name.split(".")[0].removeprefix("new ") not in _NEVER_AT_ONCE:
                # It may also be called right away, so what it assigns is open from here on.
                def round_() -> Completion | None:
                    self._call_unknown(argument, "parameter")
                    return None

                discover(self, round_)
            task = self._later_task(argument, parameters)
            certain = when == "now" and not self.state.conditions
            last = effect.name.rsplit(".", 1)[-1]
            if last in ("nextTick", "queueMicrotask"):
                self.scheduler.microtask(task, certain)
            else:
                self.scheduler.macrotask(task, certain, _delay(effect))
        elif isinstance(argument, Builtin) and argument.name in ("resolve", "bound function"):
            # `new Promise((resolve) => server.listen(port, resolve))`
            given: list[Value] = [Unknown(f"what {effect.name} hands to its callback")]
            last = effect.name.rsplit(".", 1)[-1]
            if last in ("setTimeout", "setImmediate", "nextTick", "queueMicrotask"):
                given = list(effect.arguments[2:]) if last == "setTimeout" else []
            self.scheduler.macrotask(lambda: argument.call(self, UNDEFINED, given, ir.This(0, 0)), None, _delay(effect))
        elif depth < 2 and type(argument) is JsObject:
            for item in list(argument.properties.values()):
                if isinstance(item, (Closure, JsObject, JsArray)):
                    self.hand_over(item, effect, position, depth + 1)
        elif depth < 2 and isinstance(argument, JsArray):
            for item in argument.items:
                self.hand_over(item, effect, position, depth + 1)

    def _later_task(self, closure: Closure, parameters: list[Value]) -> Callable[[], object]:
        stack = self.stack[-STACK_OF_CALLBACK:]

        def task() -> object:
            outer, self.stack = self.stack, list(stack)
            try:
                this = closure.this if closure.function.is_arrow else UNDEFINED
                return self.ignore(self.call_closure(closure, this, parameters, closure.function))
            finally:
                self.stack = outer

        return task

    def schedule_event(self, closure: Closure, handed: External) -> None:
        """Run a function in the end, as something that happens on an event."""
        if self.muted:
            return

        def task() -> object:
            if self.was_executed(closure):
                return None
            arguments: list[Value] = [
                External(f"{handed.name}#{index}", made_by=None) for index in range(len(closure.function.parameters))
            ]
            this = closure.this if closure.function.is_arrow else Unknown("this of an event handler")
            return self.ignore(self.call_closure(closure, this, arguments, closure.function))

        self._events.append(task)

    def record(self, name: str, arguments: tuple[Value, ...], node: ir.Node, receiver: External | None) -> Effect:
        """Note an effect of the code that runs."""
        self.charge(WORK_OF_AN_EFFECT)
        tasks = tuple(frame.promise for frame in self.frames if frame.promise is not None and frame.has_awaited)
        conditions = (*self.survived, *self.state.conditions)
        effect = Effect(
            name=name,
            arguments=arguments,
            site=self.site(node),
            phase=self.phase,
            certain=not conditions,
            index=len(self.effects),
            receiver=receiver,
            tasks=tasks,
            stack=tuple(self.stack),
            conditions=conditions,
        )
        if not self.muted:
            self.effects.append(effect)
        return effect

    # ------------------------------------------------------------------ objects

    def construct(self, callee: Value, arguments: list[Value], node: ir.Node) -> Value:
        """`new callee(...arguments)`"""
        if isinstance(callee, ClassValue):
            made = JsObject(made_by=callee)
            self._initialise(callee, made, arguments, node)
            return made
        if isinstance(callee, External):
            return self.call_external(callee, arguments, node, is_new=True)
        if isinstance(callee, Builtin):
            constructor = callee.members.get("new", callee)
            result = constructor.call(self, UNDEFINED, arguments, node)
            if type(result) is Unknown:
                self.may_throw(f"new {callee.name} may throw")
            return result
        if isinstance(callee, Closure) and not callee.function.is_arrow and not callee.function.is_async:
            made = JsObject()
            prototype = self._closure_member(callee, "prototype")
            if isinstance(prototype, JsObject):
                made.prototype = prototype
            else:
                made.complete = False
            result = self.call_closure(callee, made, arguments, node)
            return result if self.is_object(result) or isinstance(result, (Unknown, External)) else made
        self._run_callbacks(arguments)
        if isinstance(callee, Unknown):
            self.may_throw("what is constructed isn't known")
            for candidate in callee.candidates:
                if isinstance(candidate, (ClassValue, Closure)):
                    self.maybe(partial(self.construct, candidate, arguments, node))
            return Unknown(callee.reason)
        if isinstance(callee, Undefined) and callee.reason:
            return Unknown(callee.reason)
        return self.throw("TypeError", f"{self._written(node)} is not a constructor")

    def _initialise(self, callee: ClassValue, made: JsObject, arguments: list[Value], node: ir.Node) -> None:
        parent = callee.superclass
        if callee.constructor is None:
            if isinstance(parent, ClassValue):
                self._initialise(parent, made, arguments, node)
            elif isinstance(parent, External):
                base = self.call_external(parent, arguments, node, is_new=True)
                if isinstance(base, External):
                    made.base = base
            elif isinstance(parent, Builtin):
                self._initialise_builtin(parent, made, arguments)
            elif parent is not None:
                made.complete = False
            self._set_fields(callee, made)
            return
        if parent is None:
            self._set_fields(callee, made)
        elif isinstance(parent, Unknown):
            made.complete = False
        result = self.call_closure(callee.constructor, made, arguments, node)
        if self.is_object(result):
            made.complete = False

    def _initialise_builtin(self, parent: Builtin, made: JsObject, arguments: list[Value]) -> None:
        if not parent.name.endswith("Error"):
            made.complete = False
            return
        made.error = parent.name
        made.hidden = frozenset({"message", "stack", "cause"})
        if arguments and not isinstance(arguments[0], Undefined):
            self.write(made.properties, "message", self.text(arguments[0]))

    def _set_fields(self, owner: ClassValue, made: JsObject) -> None:
        self.frames.append(Frame(None, made, owner.module, home=owner))
        try:
            for member, name in owner.fields:
                value = UNDEFINED if member.value is None else self.evaluate(member.value, owner.scope)
                if member.value is not None:
                    self.name_function(value, name, member.value)
                self.write(made.properties, name, value)
        finally:
            self.frames.pop()

    # -------------------------------------------------------------- asynchronous

    def await_expression(self, value: Value) -> Value:
        return self.scheduler.await_expression(value)

    def await_value(self, value: Value) -> Value:
        """What a promise gives, and the promise noted as awaited."""
        return self.scheduler.settled_value(value)

    # --------------------------------------------------------------- collections

    def elements(self, value: Value, is_async: bool = False) -> Iterator[Value]:
        """The elements that iteration gives, one by one; a `Rest` in last place where more may follow."""
        if isinstance(value, JsArray):
            position = 0
            while value.complete and position < len(value.items):
                yield value.items[position]
                position += 1
            if not value.complete:
                yield v.Rest("the elements of an array are not known")
        elif isinstance(value, str):
            yield from value
        elif isinstance(value, JsMap):
            if not value.complete:
                yield v.Rest("the entries of a map are not known")
                return
            for key, item in list(value.entries.values()):
                yield key if value.is_set else JsArray([key, item])
        elif isinstance(value, GeneratorValue):
            for _ in range(ELEMENTS):
                pulled = value.pull(UNDEFINED)
                if pulled is None:
                    yield v.Rest("what a generator gives")
                    return
                if pulled[0] == "return":
                    return
                self.step()
                yield pulled[1]
            yield v.Rest("a generator without an end")
        elif isinstance(value, JsObject) and not is_async:
            yield from self._by_iterator(value)
        elif isinstance(value, (Unknown, External, Text, Promise, Undefined)) and (
            not isinstance(value, Undefined) or value.reason
        ):
            self.may_throw("what is iterated isn't known")
            yield v.Rest(v.reason_of(value))
        elif isinstance(value, JsObject) or not (value is None or isinstance(value, (bool, int, float, Undefined))):
            yield v.Rest(v.reason_of(value))
        else:
            self.throw("TypeError", f"{v.to_text(value)} is not iterable")

    def _by_iterator(self, value: JsObject) -> Iterator[Value]:
        method = self._object_member(value, "@@iterator")
        if isinstance(method, Undefined):
            self.throw("TypeError", "object is not iterable")
        if not isinstance(method, Closure):
            yield v.Rest("what is iterated isn't known")
            return
        iterator = self.call(method, value, [], method.function)
        if isinstance(iterator, (JsArray, GeneratorValue)):
            yield from self.elements(iterator)
            return
        for _ in range(ELEMENTS):
            self.step()
            step = self.call(self.member(iterator, "next"), iterator, [], method.function)
            done = (
                v.truthy(self.member(step, "done")) if isinstance(step, JsObject) else Unknown("an iterator's result")
            )
            if isinstance(done, Unknown):
                yield v.Rest(done.reason)
                return
            if done:
                return
            yield self.member(step, "value")

    def iterate(self, value: Value) -> list[Value] | Unknown:
        """The elements that iteration over a value gives."""
        found: list[Value] = []
        for item in self.elements(value):
            if isinstance(item, v.Rest):
                return Unknown(item.reason)
            found.append(item)
            if len(found) > ELEMENTS:
                return Unknown("too many elements")
        self.charge(len(found))
        return found

    def keys(self, value: Value) -> list[Value] | Unknown:
        """`Object.keys(value)`"""
        if isinstance(value, (v.Environment, GeneratorValue)):
            return Unknown("the keys of an object are not known")
        if isinstance(value, JsMap):
            return list(own_keys(value.properties))
        if isinstance(value, JsObject):
            if not value.complete or value.base is not None:
                return Unknown("the keys of an object are not known")
            absent = any(isinstance(item, Unknown) and item.tag == v.ABSENT for item in value.properties.values())
            if absent or value.shuffled is not False:
                return Unknown("the keys of an object depend on a condition")
            return [key for key in own_keys(value.properties) if self.is_enumerable(value, key)]
        if isinstance(value, JsArray):
            if not value.complete or value.holes:
                return Unknown("the elements of an array are not known")
            return [*(str(index) for index in range(len(value.items))), *value.extra]
        if isinstance(value, str):
            return [str(index) for index in range(len(value))] if value.isascii() else Unknown("the keys of a string")
        if isinstance(value, Namespace):
            return list(self.export_names(value.module))
        if isinstance(value, (bool, int, float)):
            return []
        if value is None or (isinstance(value, Undefined) and not value.reason):
            self.throw("TypeError", "Cannot convert undefined or null to object")
        if isinstance(value, (Closure, ClassValue)):
            return [
                key
                for key in own_keys(value.properties)
                if key != "prototype" and not key.startswith((v.PRIVATE, "@@"))
            ]
        return Unknown(v.reason_of(value))

    def keys_in(self, value: Value) -> Iterator[Value]:
        """The names that `for (… in value)` goes through."""
        if value is None or (isinstance(value, Undefined) and not value.reason):
            return
        inherits = isinstance(value, JsObject) and (value.prototype is not None or value.made_by is not None)
        keys = (
            self.keys(value)
            if not inherits or (value.made_by is not None and value.prototype is None)
            else Unknown("inherited names")
        )
        if isinstance(keys, Unknown):
            yield v.Rest(keys.reason)
        else:
            yield from keys


def own_keys(properties: dict[str, Value]) -> list[str]:
    """Property names in the language's order: array indexes ascending, then strings as they were made."""
    indexes = [key for key in properties if key.isdigit() and str(int(key)) == key and int(key) < 2**32 - 1]
    if not indexes:
        return list(properties)
    seen = set(indexes)
    return sorted(indexes, key=int) + [key for key in properties if key not in seen]


def _delay(effect: Effect) -> float:
    """Milliseconds after which a timer runs its callback."""
    delay = effect.arguments[1] if effect.name.endswith("setTimeout") and len(effect.arguments) > 1 else 0
    return float(delay) if v.is_number(delay) and delay == delay else 0


def _all_plain(value: Unknown) -> bool:
    """Whether all that a value may be is known and can't be changed."""
    return all(
        isinstance(item, v.PRIMITIVES) and not (isinstance(item, Undefined) and item.reason)
        for item in value.candidates
    )


def _is_spread(value: Value) -> bool:
    return type(value) is Unknown and value.tag == v.SPREAD


def _argument_array(arguments: list[Value], open_end: bool) -> JsArray:
    if not open_end:
        return JsArray(arguments)
    return JsArray([item for item in arguments if not _is_spread(item)], complete=False)


def _is_defined(value: Value) -> bool:
    return not isinstance(value, (Undefined, Unknown))


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """The evaluator recurses as deep as the code it runs."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


__all__ = [
    "MISSING",
    "BudgetExceeded",
    "Effect",
    "ExportReference",
    "Frame",
    "Host",
    "ImportReference",
    "Interpreter",
    "JsThrow",
    "ModuleRecord",
    "ProcessExit",
    "Resolved",
    "Scope",
    "Site",
    "declared_names",
    "merged",
    "own_keys",
    "pattern_names",
]
