"""The partial evaluator: runs a build's own modules over the IR, knowing only what the build says.

One evaluator serves every fact. It executes modules statement by statement in the order the runtime would, computes
what is computable, and records each call that leaves the build's own code as an `Effect`: `express().listen` with its
port, `fs.mkdirSync` with its path, `new @electric-sql/pglite.PGlite`, `child_process.spawn`, `fetch`. The list of
effects is the *start-up trace*. What can't be known becomes `Unknown` with the reason; a condition that can't be decided
runs both ways, its effects marked uncertain and its assignments merged.

It can't see: what packages do inside, the order of racing promises, and anything past the step budget.
"""

from __future__ import annotations

import contextlib
import math
import operator
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

from forensics.facts import values as v
from forensics.facts.builtins import builtin_member
from forensics.facts.values import (
    UNDEFINED,
    BigIntValue,
    Builtin,
    ClassValue,
    Closure,
    External,
    Getter,
    JsArray,
    JsMap,
    JsObject,
    Namespace,
    Promise,
    RegExp,
    Text,
    Undefined,
    Unknown,
    UrlValue,
    Value,
)
from forensics.syntax import ir

STEP_BUDGET = 400_000
CALL_DEPTH = 60
LOOP_LIMIT = 2_000
RECURSION_LIMIT = 4

Phase = Literal["startup", "request", "uncalled"]
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Site:
    """Where something stands: path and byte offsets."""

    path: str
    start: int
    end: int


@dataclass(eq=False, slots=True)
class Effect:
    """One call that leaves the build's own code.

    `name` is canonical (see `External`); `phase` says when it happens: while starting, on a request or event, or only in
    code that nothing was seen to call. `certain` is False under a condition that can't be decided. `tasks` are the
    promises of the asynchronous functions it runs in after their first await, and its own. `stack` holds the sites of
    the calls that led here, outermost first.
    """

    name: str
    arguments: tuple[Value, ...]
    site: Site
    phase: Phase
    certain: bool
    index: int
    receiver: External | None
    tasks: tuple[Promise, ...]
    stack: tuple[Site, ...]
    result: Value = UNDEFINED


@dataclass(frozen=True, slots=True)
class Resolved:
    """What an import specifier leads to. `kind`: module (path in the build), external (canonical package or builtin name,
    with subpath), asset (a path that is no module), missing (reason)."""

    kind: Literal["module", "external", "asset", "missing"]
    target: str


class Host(Protocol):
    """What the evaluator asks of the surroundings: a Node process, a page in the browser."""

    def resolve(self, specifier: str, importer: str, is_require: bool) -> Resolved: ...

    def script(self, path: str) -> ir.Script | None: ...

    def json(self, path: str) -> Value: ...

    def global_value(self, name: str, module: ModuleRecord) -> Value:
        """A free name; `MISSING` where the host has none of that name."""
        ...

    def import_meta(self, module: ModuleRecord) -> Value: ...

    def asset(self, path: str) -> Value: ...

    def call(self, interpreter: Interpreter, effect: Effect) -> Value:
        """The result of a call that leaves the build; `NotImplemented` for one the host does not model."""
        ...

    def construct(self, interpreter: Interpreter, effect: Effect) -> Value: ...

    def member(self, interpreter: Interpreter, external: External, name: str) -> Value:
        """The member of an external value; `NotImplemented` for one the host does not model."""
        ...

    def callback_phase(self, effect: Effect, position: int) -> Literal["now", "later", "event"]:
        """When a function given to an external call runs."""
        ...


MISSING = _MISSING


class Scope:
    __slots__ = ("constants", "function_scope", "parent", "variables")

    def __init__(self, parent: Scope | None, is_function: bool = False) -> None:
        self.parent = parent
        self.variables: dict[str, Value] = {}
        self.function_scope: Scope = self if is_function or parent is None else parent.function_scope


@dataclass(frozen=True, slots=True)
class ImportReference:
    """An import binding: read through to the exporting module each time, since bindings are live."""

    module: ModuleRecord
    name: str


@dataclass(eq=False, slots=True)
class ModuleRecord:
    path: str
    script: ir.Script
    scope: Scope
    state: Literal["new", "running", "done"] = "new"
    exports: dict[str, Value] = field(default_factory=dict)
    reexports: list[ModuleRecord | External] = field(default_factory=list)
    commonjs: JsObject | None = None
    this: Value = UNDEFINED


@dataclass(frozen=True, slots=True)
class ExportReference:
    """An export as the name of a variable of the module's own scope."""

    scope: Scope
    local: str


class JsThrow(Exception):
    """A JavaScript exception that is certain to be thrown."""

    def __init__(self, value: Value, site: Site | None = None) -> None:
        super().__init__()
        self.value = value
        self.site = site


class ProcessExit(Exception):
    """`process.exit()`: no JavaScript catch sees it."""

    def __init__(self, code: Value) -> None:
        super().__init__()
        self.code = code


class BudgetExceeded(Exception):
    """The step budget is used up; what was found so far stands."""


Completion = tuple[str, Value] | None
"""None for a normal end, else ("return", value), ("break", label), ("continue", label), ("stop", None)."""


@dataclass(slots=True)
class Frame:
    """A function being run."""

    closure: Closure | None
    this: Value
    module: ModuleRecord
    home: ClassValue | None = None
    new_target: ClassValue | None = None
    promise: Promise | None = None
    has_awaited: bool = False
    alternatives: list[Value] = field(default_factory=list)
    pending: list[tuple[dict[tuple[int, str], tuple[dict[str, Value], str, Value]], dict[tuple[int, str], Value]]] = (
        field(default_factory=list)
    )


class Interpreter:
    """Runs modules of one build under one host.

    Attributes:
        effects: what was recorded, in order.
        modules: every module that was run, by path.
        thrown: the exception that ended start-up, or None.
        exhausted: whether the step budget ended the run early.
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
        self.uncertain = 0
        self.globals: dict[str, Value] = {}
        self._frames: list[Frame] = []
        self._stack: list[Site] = []
        self._journals: list[dict[tuple[int, str], tuple[dict[str, Value], str, Value]]] = []
        self._later: deque[tuple[Callable[[], object], bool]] = deque()
        self._events: deque[Callable[[], object]] = deque()
        self._made: dict[int, Closure] = {}
        self._executed: set[int] = set()
        self._active: dict[int, int] = {}
        self._muted = 0

    # ------------------------------------------------------------------ running

    def run(self, paths: list[str]) -> None:
        """Run entry modules in order, then what start-up left for later, then event handlers, then functions that
        nothing was seen to call."""
        try:
            try:
                for path in paths:
                    self.load(path)
                self._drain(self._later)
            except JsThrow as thrown:
                self.thrown = thrown
            except ProcessExit as ended:
                self.exited = ended
            if self.thrown is None and self.exited is None:
                self._run_late("request", self._events)
            self._run_uncalled()
        except (BudgetExceeded, RecursionError):
            self.exhausted = True

    def evaluate_export(self, path: str, name: str = "default") -> Value:
        """The value of a module's export after the module was run; Unknown where it can't be had."""
        try:
            module = self.load(path)
            value = self.export(module, name)
            self._drain(self._later)
        except JsThrow:
            return Unknown(f"{path} throws while it loads")
        except ProcessExit:
            return Unknown(f"{path} ends the process while it loads")
        except (BudgetExceeded, RecursionError):
            self.exhausted = True
            return Unknown(f"{path} does too much to be followed")
        return value

    def call_now(self, value: Value, arguments: list[Value]) -> Value:
        """Call a function from outside and await its result."""
        site = ir.This(0, 0)
        try:
            result = self.call(value, UNDEFINED, arguments, site)
            self._drain(self._later)
            return self.await_value(result)
        except JsThrow:
            return Unknown("the function throws")
        except ProcessExit:
            return Unknown("the function ends the process")
        except (BudgetExceeded, RecursionError):
            self.exhausted = True
            return Unknown("the function does too much to be followed")

    def _drain(self, queue: deque[tuple[Callable[[], object], bool]]) -> None:
        while queue:
            task, certain = queue.popleft()
            if certain:
                task()
            else:
                self._maybe(task)

    def _run_late(self, phase: Phase, queue: deque[Callable[[], object]]) -> None:
        self.phase = phase
        while queue:
            self._maybe(queue.popleft())
            while self._later:
                task, _ = self._later.popleft()
                self._maybe(task)

    def _run_uncalled(self) -> None:
        self.phase = "uncalled"
        progress = True
        while progress:
            progress = False
            for key, closure in list(self._made.items()):
                if key not in self._executed:
                    progress = True
                    self._maybe(lambda closure=closure: self._call_unknown(closure, "parameter"))
            while self._events or self._later:
                if self._events:
                    self._maybe(self._events.popleft())
                else:
                    self._maybe(self._later.popleft()[0])

    def _call_unknown(self, closure: Closure, what: str) -> Value:
        arguments: list[Value] = [Unknown(f"a {what} of a function") for _ in closure.function.parameters]
        return self.call_closure(closure, Unknown("this of a function"), arguments, closure.function)

    def _maybe(self, task: Callable[[], object]) -> None:
        """Run something that happens at an unknown time or perhaps not at all: its assignments are merged."""
        _, before, after = self._branch(task)
        self._merge(before, {}, before, after)

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
            self._run_module(module)
            module.state = "done"
        return module

    def _run_module(self, module: ModuleRecord) -> None:
        scope = module.scope
        exports = JsObject()
        module.commonjs = JsObject({"exports": exports})
        if not module.script.has_module_syntax:
            module.this = exports
        frame = Frame(None, module.this, module)
        self._frames.append(frame)
        # A module runs once, whenever it is first reached: what it sets holds for whoever imports it, also when that
        # happens under a condition.
        journals, self._journals = self._journals, []
        try:
            for statement in module.script.body:
                if isinstance(statement, ir.Import):
                    self._import(statement, module)
                elif isinstance(statement, ir.Export) and statement.specifier:
                    self._reexport(statement, module)
            self._hoist(module.script.body, scope)
            for statement in module.script.body:
                self._declare_exports(statement, module)
            completion = self._run_body(module.script.body, scope, frame)
            self._settle(frame)
            del completion
        finally:
            self._journals = journals
            self._frames.pop()

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
            self.host.call(self, self._record("import", (statement.specifier,), statement, None))
        for binding in statement.bindings:
            module.scope.variables[binding.local] = self._binding(target, binding.imported)

    def _binding(self, target: Value, name: str) -> Value:
        if isinstance(target, ModuleRecord):
            return Namespace(target) if name == "*" else ImportReference(target, name)
        if isinstance(target, External):
            return target if name in ("*", "default") else self.member(target, name)
        if name in ("default", "*"):
            return target
        if isinstance(target, Unknown):
            return target
        return self.member(target, name)

    def _reexport(self, statement: ir.Export, module: ModuleRecord) -> None:
        if statement.type_only:
            return
        target = self.resolve_module(statement.specifier, module, statement)
        for binding in statement.bindings:
            if binding.exported == "*":
                if isinstance(target, (ModuleRecord, External)):
                    module.reexports.append(target)
            else:
                module.exports[binding.exported] = self._binding(target, binding.local)

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
            if isinstance(value, (ir.Function, ir.Class)) and value.name and not _is_arrow(value):
                module.exports["default"] = ExportReference(scope, value.name)
            else:
                module.exports["default"] = ExportReference(scope, "*default*")

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
        if module.path not in seen:
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
        return (
            Undefined(f"{module.path} does not export {name}")
            if not module.script.problems
            else Unknown(f"{module.path} can't be parsed")
        )

    def _commonjs_exports(self, module: ModuleRecord) -> Value | None:
        if module.script.has_module_syntax or module.commonjs is None:
            return None
        return module.commonjs.properties.get("exports", UNDEFINED)

    def _dereference(self, value: Value) -> Value:
        while isinstance(value, (ImportReference, ExportReference)):
            if isinstance(value, ImportReference):
                value = self.export(value.module, value.name)
            else:
                found = value.scope.variables.get(value.local, _MISSING)
                value = Unknown(f"{value.local} is read before it is set") if found is _MISSING else found
        return value

    def require(self, specifier: str, module: ModuleRecord, node: ir.Node) -> Value:
        target = self.resolve_module(specifier, module, node, is_require=True)
        if isinstance(target, ModuleRecord):
            if target.script.has_module_syntax:
                return Namespace(target)
            exports = self._commonjs_exports(target)
            return UNDEFINED if exports is None else exports
        if isinstance(target, External):
            self.host.call(self, self._record("import", (specifier,), node, None))
        return target

    # --------------------------------------------------------------- statements

    def _hoist(self, body: list[ir.Statement], scope: Scope) -> None:
        for statement in body:
            inner = statement
            if isinstance(inner, ir.ExportDefault) and isinstance(inner.value, ir.Function) and inner.value.name:
                if not inner.value.is_arrow:
                    scope.variables[inner.value.name] = self._closure(inner.value, scope)
                continue
            declarations = inner.declarations if isinstance(inner, ir.ExportDeclaration) else [inner]
            for declaration in declarations:
                if isinstance(declaration, ir.FunctionDeclaration):
                    self.write(scope.variables, declaration.function.name, self._closure(declaration.function, scope))
        for name in _var_names(body):
            if name not in scope.variables:
                scope.variables[name] = UNDEFINED

    def _closure(self, function: ir.Function, scope: Scope) -> Closure:
        frame = self._frames[-1]
        closure = Closure(function, scope, frame.module, frame.this if function.is_arrow else UNDEFINED)
        if function.is_arrow:
            closure.home = frame.home
        self._made.setdefault(id(function), closure)
        return closure

    def _run_body(self, body: list[ir.Statement], scope: Scope, frame: Frame) -> Completion:
        """Run a function's or module's statements; after a branch that may have returned, the rest is uncertain."""
        depth = self.uncertain
        try:
            return self._statements(body, scope)
        finally:
            self.uncertain = depth

    def _statements(self, body: list[ir.Statement], scope: Scope) -> Completion:
        for statement in body:
            completion = _EXECUTE[type(statement)](self, statement, scope)
            if completion is not None:
                return completion
        return None

    def _block(self, body: list[ir.Statement], scope: Scope) -> Completion:
        inner = Scope(scope)
        for statement in body:
            if isinstance(statement, ir.FunctionDeclaration):
                inner.variables[statement.function.name] = self._closure(statement.function, inner)
        return self._statements(body, inner)

    def _step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise BudgetExceeded

    def _execute_declare(self, statement: ir.Declare, scope: Scope) -> Completion:
        self._step()
        target = statement.target
        if statement.value is None:
            if statement.kind != "var" and isinstance(target, ir.Name):
                self.write(scope.variables, target.name, UNDEFINED)
            return None
        value = self.evaluate(statement.value, scope)
        where = scope.function_scope if statement.kind == "var" else scope
        self.bind(target, value, where, scope)
        return None

    def _execute_evaluate(self, statement: ir.Evaluate, scope: Scope) -> Completion:
        self._step()
        self.evaluate(statement.expression, scope)
        return None

    def _execute_return(self, statement: ir.Return, scope: Scope) -> Completion:
        return ("return", UNDEFINED if statement.value is None else self.evaluate(statement.value, scope))

    def _execute_throw(self, statement: ir.Throw, scope: Scope) -> Completion:
        value = self.evaluate(statement.value, scope)
        raise JsThrow(value, self._site(statement))

    def _execute_if(self, statement: ir.If, scope: Scope) -> Completion:
        self._step()
        test = v.truthy(self.evaluate(statement.test, scope))
        if isinstance(test, bool):
            return self._block(statement.consequent if test else statement.alternate, scope)
        return self._fork(
            lambda: self._block(statement.consequent, scope),
            lambda: self._block(statement.alternate, scope),
        )

    def _fork(self, one: Callable[[], Completion], other: Callable[[], Completion]) -> Completion:
        """Run both sides of a condition that can't be decided."""
        first, first_before, first_after = self._branch(one)
        second, second_before, second_after = self._branch(other)
        if first is not None and second is not None:
            self._merge(first_before | second_before, first_after, second_before | first_before, second_after)
            if first[0] == second[0] == "return":
                return ("return", merged(first[1], second[1]))
            for ended in (first, second):
                if ended[0] == "return":
                    self._frames[-1].alternatives.append(ended[1])
            return second if first[0] in ("return", "stop") else first
        if first is None and second is None:
            self._merge(first_before | second_before, first_after, first_before | second_before, second_after)
            return None
        # One side leaves: what follows happens only if the other was taken, with that side's assignments.
        ended = first or second
        assert ended is not None
        stay_after = second_after if first is not None else first_after
        stay_before = second_before if first is not None else first_before
        left_before, left_after = (first_before, first_after) if first is not None else (second_before, second_after)
        if ended[0] == "return":
            self._frames[-1].alternatives.append(ended[1])
        journal: dict[tuple[int, str], tuple[dict[str, Value], str, Value]] = {}
        self._journals.append(journal)
        for key, value in stay_after.items():
            container, name, _ = stay_before[key]
            self.write(container, name, value)
        for key, entry in left_before.items():
            journal.setdefault(key, entry)
        self._frames[-1].pending.append((journal, left_after))
        self.uncertain += 1
        return None

    def _settle(self, frame: Frame) -> None:
        """At a function's end: merge what was assigned after a branch that may have left earlier."""
        while frame.pending:
            journal, left_after = frame.pending.pop()
            if self._journals and self._journals[-1] is journal:
                self._journals.pop()
            else:
                with contextlib.suppress(ValueError):
                    self._journals.remove(journal)
            for key, (container, name, old) in journal.items():
                now = container.get(name, _MISSING)
                early = left_after.get(key, old)
                self._restore(container, name, old)
                self.write(container, name, merged(now, early))

    def _branch(
        self, task: Callable[[], object]
    ) -> tuple[Completion, dict[tuple[int, str], tuple[dict[str, Value], str, Value]], dict[tuple[int, str], Value]]:
        """Run a task that may or may not happen and undo its assignments.

        Returns its completion ("stop" when it throws or exits), the old values and the new values by variable.
        """
        journal: dict[tuple[int, str], tuple[dict[str, Value], str, Value]] = {}
        self._journals.append(journal)
        self.uncertain += 1
        depth = len(self._frames)
        completion: Completion = None
        frame = self._frames[-1] if self._frames else None
        pending = len(frame.pending) if frame else 0
        uncertain = self.uncertain
        try:
            result = task()
            if isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], str):
                completion = result
        except (JsThrow, ProcessExit):
            completion = ("stop", None)
            del self._frames[depth:]
        finally:
            self.uncertain = uncertain - 1
            if frame is not None:
                outer, frame.pending = frame.pending[:pending], frame.pending[pending:]
                self._settle(frame)
                frame.pending = outer
            while self._journals and self._journals[-1] is not journal:
                inner = self._journals.pop()
                for key, entry in inner.items():
                    journal.setdefault(key, entry)
            self._journals.pop()
        after = {key: container.get(name, _MISSING) for key, (container, name, _) in journal.items()}
        for container, name, old in journal.values():
            self._restore(container, name, old)
        return completion, journal, after

    @staticmethod
    def _restore(container: dict[str, Value], name: str, old: Value) -> None:
        if old is _MISSING:
            container.pop(name, None)
        else:
            container[name] = old

    def _merge(
        self,
        before: dict[tuple[int, str], tuple[dict[str, Value], str, Value]],
        one: dict[tuple[int, str], Value],
        _also: dict[tuple[int, str], tuple[dict[str, Value], str, Value]],
        other: dict[tuple[int, str], Value],
    ) -> None:
        for key, (container, name, old) in before.items():
            self.write(container, name, merged(one.get(key, old), other.get(key, old)))

    def write(self, container: dict[str, Value], name: str, value: Value) -> None:
        """Every assignment goes through here, so that a branch can be undone and merged."""
        if self._journals:
            journal = self._journals[-1]
            key = (id(container), name)
            if key not in journal:
                journal[key] = (container, name, container.get(name, _MISSING))
        if value is _MISSING:
            container.pop(name, None)
        else:
            container[name] = value

    def set_items(self, array: JsArray, items: list[Value]) -> None:
        self.write(array.__dict__, "items", items)

    def _execute_for(self, statement: ir.For, scope: Scope) -> Completion:
        inner = Scope(scope)
        self._statements(statement.init, inner)
        names = [name for declaration in statement.init for name in declared_names(declaration)]

        def iterate() -> Completion:
            # Each round has its own copy of the loop's variables, so that closures keep theirs.
            nonlocal inner
            completion = self._block(statement.body, inner)
            copy = Scope(scope)
            copy.variables = dict(inner.variables)
            inner = copy
            if statement.update is not None and _goes_on(completion):
                self.evaluate(statement.update, inner)
            return completion

        return self._loop(
            lambda: True if statement.test is None else self.evaluate(statement.test, inner),
            iterate,
            lambda: inner,
            names,
        )

    def _execute_while(self, statement: ir.While, scope: Scope) -> Completion:
        if statement.test_last:
            completion = self._block(statement.body, scope)
            if not _goes_on(completion):
                return _loop_end(completion)
        return self._loop(
            lambda: self.evaluate(statement.test, scope), lambda: self._block(statement.body, scope), lambda: scope, []
        )

    def _loop(
        self,
        test: Callable[[], Value],
        iterate: Callable[[], Completion],
        scope: Callable[[], Scope],
        names: list[str],
    ) -> Completion:
        for _ in range(LOOP_LIMIT):
            self._step()
            verdict = v.truthy(test())
            if verdict is False:
                return None
            if isinstance(verdict, Unknown):
                return self._open_loop(lambda: (test(), iterate())[1])
            pending = len(self._frames[-1].pending)
            completion = iterate()
            if not _goes_on(completion):
                return _loop_end(completion)
            if len(self._frames[-1].pending) > pending:
                # A round that may have left the loop: the rest is as open as a loop of unknown length.
                return self._open_loop(iterate)
        return self._open_loop(iterate)

    def _open_loop(self, iterate: Callable[[], Completion]) -> Completion:
        """A loop of unknown length: what its body assigns is unknown in it and after it."""
        self._muted += 1
        try:
            _, before, after = self._branch(iterate)
        finally:
            self._muted -= 1
        for key, (container, name, old) in before.items():
            changed = after[key]
            if name == "items" and isinstance(changed, list):
                common = _common_prefix(old if isinstance(old, list) else [], changed)
                self.write(container, name, common)
                self.write(container, "complete", False)
            elif name == "complete":
                self.write(container, name, False)
            elif old is not _MISSING:
                self.write(container, name, Unknown("it changes in a loop whose length is not known"))
        completion, before, after = self._branch(iterate)
        self._merge(before, {}, before, after)
        if completion is not None and completion[0] == "return":
            frame = self._frames[-1]
            frame.alternatives.append(completion[1])
            journal: dict[tuple[int, str], tuple[dict[str, Value], str, Value]] = {}
            self._journals.append(journal)
            frame.pending.append((journal, {}))
            self.uncertain += 1
        return None

    def _execute_for_each(self, statement: ir.ForEach, scope: Scope) -> Completion:
        iterable = self.evaluate(statement.iterable, scope)
        items = self.keys(iterable) if statement.over_keys else self.iterate(iterable)

        def iteration(value: Value) -> Completion:
            inner = Scope(scope)
            if statement.declares:
                where = scope.function_scope if statement.declares == "var" else inner
                self.bind(statement.target, value, where, inner)
            else:
                self.assign(statement.target, value, inner)
            return self._block(statement.body, inner)

        if isinstance(items, Unknown):
            unknown = Unknown(f"an element of a collection: {items.reason}")
            if isinstance(iterable, External):
                unknown = Unknown(f"an element of {iterable.name}")
            return self._open_loop(lambda: iteration(unknown))
        for count, item in enumerate(items):
            if count >= LOOP_LIMIT:
                return self._open_loop(lambda: iteration(Unknown("one of very many elements")))
            self._step()
            pending = len(self._frames[-1].pending)
            completion = iteration(self.await_value(item) if statement.is_async else item)
            if not _goes_on(completion):
                return _loop_end(completion)
            if len(self._frames[-1].pending) > pending and count + 1 < len(items):
                rest = items[count + 1 :]
                for other in rest:
                    self._open_loop(lambda other=other: iteration(other))
                return None
        return None

    def _execute_try(self, statement: ir.Try, scope: Scope) -> Completion:
        completion: Completion = None
        depth = len(self._frames)
        stack = len(self._stack)
        try:
            completion = self._block(statement.block, scope)
        except JsThrow as thrown:
            del self._frames[depth:]
            del self._stack[stack:]
            if statement.handler is None:
                self._block(statement.finalizer, scope)
                raise
            inner = Scope(scope)
            if statement.parameter is not None:
                self.bind(statement.parameter, thrown.value, inner, inner)
            completion = self._block(statement.handler, inner)
        else:
            if statement.handler is not None:
                handler = statement.handler

                def handle() -> Completion:
                    inner = Scope(scope)
                    if statement.parameter is not None:
                        self.bind(statement.parameter, Unknown("an error that was caught"), inner, inner)
                    return self._block(handler, inner)

                ended, before, after = self._branch(handle)
                self._merge(before, {}, before, after)
                if completion is not None and completion[0] == "return" and ended is not None and ended[0] == "return":
                    completion = ("return", merged(completion[1], ended[1]))
        final = self._block(statement.finalizer, scope)
        return final or completion

    def _execute_switch(self, statement: ir.Switch, scope: Scope) -> Completion:
        subject = self.evaluate(statement.subject, scope)
        inner = Scope(scope)
        start: int | None = None
        for index, case in enumerate(statement.cases):
            if case.test is None:
                continue
            equal = v.strictly_equal(subject, self.evaluate(case.test, inner))
            if isinstance(equal, Unknown):
                return self._open_switch(statement, inner)
            if equal:
                start = index
                break
        if start is None:
            start = next((index for index, case in enumerate(statement.cases) if case.test is None), None)
        if start is None:
            return None
        for case in statement.cases[start:]:
            completion = self._statements(case.body, inner)
            if completion is not None:
                return None if completion == ("break", "") else completion
        return None

    def _open_switch(self, statement: ir.Switch, scope: Scope) -> Completion:
        def one(position: int) -> Completion:
            for case in statement.cases[position:]:
                completion = self._statements(case.body, scope)
                if completion is not None:
                    return None if completion == ("break", "") else completion
            return None

        def from_case(position: int) -> Completion:
            if position >= len(statement.cases):
                return None
            return self._fork(lambda: one(position), lambda: from_case(position + 1))

        return from_case(0)

    def _execute_block(self, statement: ir.Block, scope: Scope) -> Completion:
        return self._block(statement.body, scope)

    def _execute_labelled(self, statement: ir.Labelled, scope: Scope) -> Completion:
        completion = self._statements(statement.body, scope)
        return None if completion in (("break", statement.label), ("continue", statement.label)) else completion

    def _execute_nothing(self, statement: ir.Statement, scope: Scope) -> Completion:
        return None

    def _execute_class(self, statement: ir.ClassDeclaration, scope: Scope) -> Completion:
        self.write(scope.variables, statement.declaration.name, self._evaluate_class(statement.declaration, scope))
        return None

    def _execute_export_declaration(self, statement: ir.ExportDeclaration, scope: Scope) -> Completion:
        return self._statements(statement.declarations, scope)

    def _execute_export_default(self, statement: ir.ExportDefault, scope: Scope) -> Completion:
        value = statement.value
        if isinstance(value, ir.Function) and value.name and not value.is_arrow:
            return None
        result = self.evaluate(value, scope)
        module = self._frames[-1].module
        if statement.form == "assignment" and module.commonjs is not None:
            module.commonjs.properties["exports"] = result
            return None
        name = value.name if isinstance(value, ir.Class) and value.name else "*default*"
        self.write(scope.variables, name, result)
        return None

    def _execute_enum(self, statement: ir.Enum, scope: Scope) -> Completion:
        members: dict[str, Value] = {}
        following: Value = 0
        inner = Scope(scope)
        for name, initialiser in statement.members:
            value = following if initialiser is None else self.evaluate(initialiser, inner)
            members[name] = value
            inner.variables[name] = value
            if v.is_number(value):
                members[v.number_to_string(value)] = name
                following = value + 1
            else:
                following = Unknown("an enum member without a value")
        self.write(scope.variables, statement.name, JsObject(members))
        return None

    def _execute_break(self, statement: ir.Break, scope: Scope) -> Completion:
        return ("break", statement.label)

    def _execute_continue(self, statement: ir.Continue, scope: Scope) -> Completion:
        return ("continue", statement.label)

    # ----------------------------------------------------------------- patterns

    def bind(self, target: ir.Pattern, value: Value, where: Scope, scope: Scope) -> None:
        """Declare what a pattern names in `where`; defaults are evaluated in `scope`."""
        self._destructure(target, value, scope, lambda name, item: self.write(where.variables, name, item))

    def assign(self, target: ir.Pattern, value: Value, scope: Scope) -> None:
        self._destructure(target, value, scope, lambda name, item: self._assign_name(name, item, scope))

    def _assign_name(self, name: str, value: Value, scope: Scope) -> None:
        holder: Scope | None = scope
        while holder is not None:
            if name in holder.variables:
                self.write(holder.variables, name, value)
                return
            holder = holder.parent
        self.write(self.globals, name, value)

    def _destructure(self, target: ir.Pattern, value: Value, scope: Scope, write: Callable[[str, Value], None]) -> None:
        kind = type(target)
        if kind is ir.Name:
            write(target.name, value)  # type: ignore[union-attr]
        elif kind is ir.DefaultPattern:
            assert isinstance(target, ir.DefaultPattern)
            if isinstance(value, Undefined):
                value = self.evaluate(target.default, scope)
            elif isinstance(value, Unknown):
                fallback = self.evaluate(target.default, scope)
                value = Unknown(value.reason, value.tag, (*value.candidates, fallback))
            self._destructure(target.target, value, scope, write)
        elif kind is ir.ObjectPattern:
            assert isinstance(target, ir.ObjectPattern)
            taken: list[str] = []
            for item in target.properties:
                key = v.to_text(self.evaluate(item.key, scope))
                if isinstance(key, str):
                    taken.append(key)
                    found = self.member(value, key, item)
                else:
                    found = Unknown("a computed property name")
                self._destructure(item.target, found, scope, write)
            if target.rest is not None:
                rest: Value = Unknown(v.reason_of(value))
                if type(value) in (JsObject, v.Environment):
                    rest = JsObject(
                        {key: item for key, item in value.properties.items() if key not in taken}, value.complete
                    )
                self._destructure(target.rest, rest, scope, write)
        elif kind is ir.ArrayPattern:
            assert isinstance(target, ir.ArrayPattern)
            items = self.iterate(value)
            for index, element in enumerate(target.items):
                if element is None:
                    continue
                if isinstance(element, ir.RestPattern):
                    rest = Unknown(items.reason) if isinstance(items, Unknown) else JsArray(items[index:])
                    self._destructure(element.target, rest, scope, write)
                elif isinstance(items, Unknown):
                    member = self.member(value, str(index)) if isinstance(value, External) else Unknown(items.reason)
                    self._destructure(element, member, scope, write)
                else:
                    self._destructure(element, items[index] if index < len(items) else UNDEFINED, scope, write)
        elif kind is ir.Member:
            assert isinstance(target, ir.Member)
            self.set_member(self.evaluate(target.object, scope), target.name, value, target)
        elif kind is ir.Index:
            assert isinstance(target, ir.Index)
            owner = self.evaluate(target.object, scope)
            key = v.to_text(self.evaluate(target.index, scope))
            if isinstance(key, str):
                self.set_member(owner, key, value, target)
            else:
                self._forget(owner)
        elif kind is ir.RestPattern:
            assert isinstance(target, ir.RestPattern)
            self._destructure(target.target, value, scope, write)

    def _forget(self, owner: Value) -> None:
        """A property of unknown name was set: what the object holds is no longer known."""
        if isinstance(owner, JsArray):
            self.set_items(owner, [])
            self.write(owner.__dict__, "complete", False)
        elif isinstance(owner, JsObject):
            for name in list(owner.properties):
                self.write(owner.properties, name, Unknown("a property of unknown name was set"))
            self.write(owner.__dict__, "complete", False)

    # -------------------------------------------------------------- expressions

    def evaluate(self, expression: ir.Expression, scope: Scope) -> Value:
        self.steps -= 1
        if self.steps < 0:
            raise BudgetExceeded
        return _EVALUATE[type(expression)](self, expression, scope)

    def _evaluate_const(self, expression: ir.Const, scope: Scope) -> Value:
        return expression.value

    def _evaluate_bigint(self, expression: ir.BigInt, scope: Scope) -> Value:
        return BigIntValue(int(expression.digits, 0))

    def _evaluate_regex(self, expression: ir.Regex, scope: Scope) -> Value:
        return RegExp(expression.pattern, expression.flags)

    def _evaluate_name(self, expression: ir.Name, scope: Scope) -> Value:
        return self.lookup(expression.name, scope, expression)

    def lookup(self, name: str, scope: Scope, node: ir.Node | None = None) -> Value:
        holder: Scope | None = scope
        while holder is not None:
            found = holder.variables.get(name, _MISSING)
            if found is not _MISSING:
                if type(found) is ImportReference or type(found) is ExportReference:
                    return self._dereference(found)
                return found
            holder = holder.parent
        if name == "undefined":
            return UNDEFINED
        if name in self.globals:
            return self.globals[name]
        module = self._frames[-1].module
        found = self.host.global_value(name, module)
        if found is not _MISSING:
            return found
        if name == "arguments":
            return Unknown("the arguments object")
        return Unknown(f"{name} is not defined in the build")

    def _evaluate_template(self, expression: ir.Template, scope: Scope) -> Value:
        return _text_value(v.concatenate(v.to_text(self.evaluate(part, scope)) for part in expression.parts))

    def _evaluate_tagged(self, expression: ir.Tagged, scope: Scope) -> Value:
        tag = self.evaluate(expression.tag, scope)
        text = self._evaluate_template(expression.template, scope)
        if isinstance(tag, External):
            return self._call_external(tag, [text], expression, is_new=False)
        if isinstance(tag, Closure):
            self.call_closure(tag, UNDEFINED, [Unknown("a template")], expression)
        return Unknown("a tagged template")

    def _evaluate_array(self, expression: ir.Array, scope: Scope) -> Value:
        items, complete = self._spread_items(
            [item if item is not None else ir.Name(0, 0, "undefined") for item in expression.items], scope
        )
        return JsArray(items, complete)

    def _spread_items(self, expressions: list[ir.Expression], scope: Scope) -> tuple[list[Value], bool]:
        """Values of a list with spreads, and whether all are there (those after an unknown spread are left out)."""
        found: list[Value] = []
        complete = True
        for expression in expressions:
            if type(expression) is ir.Spread:
                items = self.iterate(self.evaluate(expression.value, scope))
                if isinstance(items, Unknown):
                    complete = False
                elif complete:
                    found.extend(items)
            else:
                value = self.evaluate(expression, scope)
                if complete:
                    found.append(value)
        return found, complete

    def _evaluate_object(self, expression: ir.Object, scope: Scope) -> Value:
        made = JsObject()
        for item in expression.properties:
            if item.kind == "spread":
                self._spread_object(made, self.evaluate(item.value, scope))
                continue
            assert item.key is not None
            key = v.to_text(self.evaluate(item.key, scope))
            value = self.evaluate(item.value, scope)
            if not isinstance(key, str):
                made.complete = False
                for name in made.properties:
                    made.properties[name] = Unknown("a later key is not known")
                continue
            if item.kind == "get" and isinstance(value, Closure):
                made.properties[key] = Getter(value)
            elif item.kind != "set":
                made.properties.pop(key, None) if key in made.properties and key.isdigit() else None
                made.properties[key] = value
        return made

    def _spread_object(self, made: JsObject, value: Value) -> None:
        if isinstance(value, JsMap) or value is None or isinstance(value, Undefined):
            return
        if isinstance(value, JsObject):
            for key, item in value.properties.items():
                made.properties[key] = self._get(item, value)
            if not value.complete:
                made.complete = False
            if isinstance(value, v.Environment) and made.base is None:
                made.base = External("process.env")
        elif isinstance(value, JsArray):
            for index, item in enumerate(value.items):
                made.properties[str(index)] = item
            made.complete = made.complete and value.complete
        elif isinstance(value, Namespace):
            for name in self.export_names(value.module):
                made.properties[name] = self.export(value.module, name)
        elif isinstance(value, (Unknown, External, Text, Promise)):
            # A conditional spread of known objects still says what it may add.
            for key in made.properties:
                made.properties[key] = Unknown(f"it may be overwritten by a spread: {v.reason_of(value)}")
            if isinstance(value, Unknown):
                for candidate in value.candidates:
                    if isinstance(candidate, JsObject):
                        for key in candidate.properties:
                            made.properties.setdefault(
                                key, Unknown(value.reason, candidates=(candidate.properties[key],))
                            )
            made.complete = False

    def export_names(self, module: ModuleRecord) -> list[str]:
        names = list(module.exports)
        for target in module.reexports:
            if isinstance(target, ModuleRecord) and target is not module:
                names.extend(name for name in self.export_names(target) if name not in names and name != "default")
        exports = self._commonjs_exports(module)
        if isinstance(exports, JsObject):
            names.extend(name for name in exports.properties if name not in names)
        return names

    def _get(self, value: Value, this: Value) -> Value:
        if type(value) is Getter:
            return self.call_closure(value.closure, this, [], value.closure.function)
        return value

    def _evaluate_function(self, expression: ir.Function, scope: Scope) -> Value:
        if expression.name and not expression.is_arrow:
            inner = Scope(scope)
            closure = self._closure(expression, inner)
            inner.variables[expression.name] = closure
            return closure
        return self._closure(expression, scope)

    def _evaluate_member(self, expression: ir.Member, scope: Scope) -> Value:
        if type(expression.object) is ir.Super:
            home = self._frames[-1].home
            parent = home.superclass if home else None
            if isinstance(parent, ClassValue):
                return self._method(parent, expression.name)
            return External(f"{parent.name}().{expression.name}") if isinstance(parent, External) else Unknown("super")
        owner = self.evaluate(expression.object, scope)
        return self.member(owner, expression.name, expression, expression.optional)

    def _evaluate_index(self, expression: ir.Index, scope: Scope) -> Value:
        owner = self.evaluate(expression.object, scope)
        key = self.evaluate(expression.index, scope)
        if isinstance(key, v.Symbol):
            return Unknown("a symbol-keyed property")
        name = v.to_text(key)
        if not isinstance(name, str):
            return Unknown(f"an element chosen at run time: {v.reason_of(key)}")
        return self.member(owner, name, expression, expression.optional)

    def member(self, owner: Value, name: str, node: ir.Node | None = None, optional: bool = False) -> Value:
        """`owner.name`"""
        kind = type(owner)
        if kind is External:
            return self._external_member(owner, name)
        if isinstance(owner, JsObject):
            if name in owner.properties:
                return self._get(owner.properties[name], owner)
            if isinstance(owner, v.Environment):
                if owner.outside(name):
                    return Unknown(f"{name} is set by the machine")
                return Undefined(f"{name}, which nothing sets")
            if owner.made_by is not None:
                method = self._method(owner.made_by, name)
                if not isinstance(method, Undefined):
                    return self._get(method, owner)
            builtin = builtin_member(self, owner, name)
            if builtin is not None:
                return builtin
            if owner.base is not None and owner.base.name == "process.env":
                return Undefined(f"{name}, which nothing sets")
            if owner.base is not None and (owner.made_by is not None or not owner.complete):
                return self._external_member(owner.base, name)
            if not owner.complete:
                return Unknown(f"a property {name} that may have been set")
            return UNDEFINED
        if kind is Unknown:
            if owner.tag:
                tagged = self._tagged_member(owner, name)
                if tagged is not None:
                    return tagged
            # The candidates need not be all that it can be, so their members are candidates too, never the value.
            possible = [
                found
                for candidate in owner.candidates[:4]
                if isinstance(candidate, (JsObject, JsArray))
                and not isinstance(found := self.member(candidate, name), (Builtin, Unknown))
            ]
            return Unknown(owner.reason, candidates=tuple(possible))
        if owner is None or kind is Undefined:
            if optional or (kind is Undefined and owner.reason):
                return Undefined(owner.reason if kind is Undefined else "")
            return Unknown(f"{name} is read from {'null' if owner is None else 'undefined'}")
        if kind is Namespace:
            return self.export(owner.module, name)
        if kind is Closure:
            if name in owner.properties:
                return self._get(owner.properties[name], owner)
            builtin = builtin_member(self, owner, name)
            return UNDEFINED if builtin is None else builtin
        if kind is ClassValue:
            holder: Value = owner
            while isinstance(holder, ClassValue):
                if name in holder.properties:
                    return self._get(holder.properties[name], owner)
                holder = holder.superclass
            if isinstance(holder, External):
                return self._external_member(holder, name)
            builtin = builtin_member(self, owner, name)
            return UNDEFINED if builtin is None else builtin
        if kind is Builtin:
            if name in owner.members:
                return owner.members[name]
            builtin = builtin_member(self, owner, name)
            return Unknown(f"{owner.name}.{name} is not modelled") if builtin is None else builtin
        builtin = builtin_member(self, owner, name)
        if builtin is not None:
            return builtin
        if isinstance(owner, JsArray) and not owner.complete:
            return Unknown("the elements of an array are not known")
        if isinstance(owner, (str, int, float, bool, JsArray, UrlValue, RegExp, Promise)):
            return (
                UNDEFINED if not isinstance(owner, (Promise, RegExp, UrlValue)) else Unknown(f"{name} is not modelled")
            )
        return Unknown(v.reason_of(owner))

    def _tagged_member(self, owner: Unknown, name: str) -> Value | None:
        found = self.host.member(self, External(owner.tag), name)
        return None if found is NotImplemented else found

    def _external_member(self, owner: External, name: str) -> Value:
        if name in owner.properties:
            return self._get(owner.properties[name], owner)
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

    def set_member(self, owner: Value, name: str, value: Value, node: ir.Node) -> None:
        if isinstance(owner, JsArray):
            if name.isdigit():
                position = int(name)
                if position < len(owner.items):
                    items = list(owner.items)
                    items[position] = value
                    self.set_items(owner, items)
                elif position == len(owner.items) and owner.complete:
                    self.set_items(owner, [*owner.items, value])
                else:
                    self.write(owner.__dict__, "complete", False)
            elif name == "length" and value == 0:
                self.set_items(owner, [])
            return
        if isinstance(owner, JsObject):
            setter = owner.properties.get(name)
            if isinstance(setter, Getter):
                return
            self.write(owner.properties, name, value)
        elif isinstance(owner, (Closure, ClassValue)):
            self.write(owner.properties, name, value)
        elif isinstance(owner, External):
            self.write(owner.properties, name, value)
            self._record(f"{owner.name}.{name}=", (value,), node, owner)
            if isinstance(value, Closure):
                self._schedule_event(value, External(f"{owner.name}.{name}"))
        elif isinstance(owner, UrlValue):
            self.write(owner.__dict__, "href", Unknown("a URL that was changed"))

    def _evaluate_call(self, expression: ir.Call, scope: Scope) -> Value:
        callee_node = expression.callee
        this: Value = UNDEFINED
        if type(callee_node) is ir.Super:
            return self._call_super(expression, scope)
        if type(callee_node) is ir.Member:
            if type(callee_node.object) is ir.Super:
                this = self._frames[-1].this
                callee = self._evaluate_member(callee_node, scope)
            else:
                this = self.evaluate(callee_node.object, scope)
                callee = self.member(this, callee_node.name, callee_node, callee_node.optional)
        elif type(callee_node) is ir.Index:
            this = self.evaluate(callee_node.object, scope)
            key = v.to_text(self.evaluate(callee_node.index, scope))
            callee = (
                self.member(this, key, callee_node) if isinstance(key, str) else Unknown("a method chosen at run time")
            )
        else:
            callee = self.evaluate(callee_node, scope)
        if (expression.optional or _optional_chain(callee_node)) and (callee is None or isinstance(callee, Undefined)):
            return Undefined(callee.reason if isinstance(callee, Undefined) else "")
        arguments, complete = self._spread_items(expression.arguments, scope)
        if not complete:
            arguments.append(Unknown("a spread argument"))
        return self.call(callee, this, arguments, expression)

    def _call_super(self, expression: ir.Call, scope: Scope) -> Value:
        frame = self._frames[-1]
        arguments, _ = self._spread_items(expression.arguments, scope)
        parent = frame.home.superclass if frame.home else None
        this = frame.this
        if isinstance(parent, ClassValue) and isinstance(this, JsObject):
            self._initialise(parent, this, arguments, expression)
        elif isinstance(parent, External) and isinstance(this, JsObject):
            made = self._call_external(parent, arguments, expression, is_new=True)
            if isinstance(made, External):
                this.base = made
        if frame.home is not None and isinstance(this, JsObject):
            self._set_fields(frame.home, this)
        return UNDEFINED

    def call(self, callee: Value, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        kind = type(callee)
        if kind is Closure:
            return self.call_closure(callee, this, arguments, node)
        if kind is External:
            return self._call_external(callee, arguments, node, is_new=False)
        if kind is Builtin:
            return callee.call(self, this, arguments, node)
        if kind is Unknown:
            for candidate in callee.candidates:
                if isinstance(candidate, Closure):
                    self._maybe(lambda candidate=candidate: self.call_closure(candidate, this, arguments, node))
            self._run_callbacks_of_unknown(arguments)
            return Unknown(callee.reason)
        self._run_callbacks_of_unknown(arguments)
        if kind is ClassValue:
            return Unknown("a class is called without new")
        if kind is Undefined and callee.reason:
            return Unknown(callee.reason)
        return Unknown("what is called is not a function")

    def _run_callbacks_of_unknown(self, arguments: list[Value]) -> None:
        """A function handed to something unknown (`list.map(f)` of an unknown list) runs some number of times."""
        for argument in arguments:
            if isinstance(argument, Closure) and id(argument.function) not in self._executed:
                self._open_loop(lambda argument=argument: self._ignore(self._call_unknown(argument, "parameter")))

    @staticmethod
    def _ignore(value: Value) -> None:
        return None

    def call_closure(self, closure: Closure, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        function = closure.function
        key = id(function)
        if not self._muted:
            self._executed.add(key)
        if function.is_generator:
            return Unknown("what a generator gives")
        active = self._active.get(key, 0)
        if active >= RECURSION_LIMIT or len(self._frames) >= CALL_DEPTH:
            return Unknown("a function that calls itself")
        scope = Scope(closure.scope, is_function=True)
        given = [*closure.bound, *arguments]
        receiver = closure.this if function.is_arrow else this
        frame = Frame(closure, receiver, closure.module, home=closure.home)
        if function.is_async:
            frame.promise = Promise(UNDEFINED)
        self._stack.append(self._site(node))
        self._frames.append(frame)
        self._active[key] = active + 1
        uncertain = self.uncertain
        try:
            if not function.is_arrow:
                scope.variables["arguments"] = JsArray(given)
            self._bind_parameters(function.parameters, given, scope)
            self._hoist(function.body, scope)
            completion = self._statements(function.body, scope)
            self._settle(frame)
        except JsThrow:
            self._settle(frame)
            if function.is_async and frame.promise is not None:
                # A rejected promise throws where it is awaited.
                if self.uncertain > uncertain:
                    frame.promise.value = Unknown("an asynchronous function that may throw")
                    return frame.promise
                raise
            raise
        finally:
            self.uncertain = uncertain
            self._active[key] = active
            if self._frames and self._frames[-1] is frame:
                self._frames.pop()
            if self._stack:
                self._stack.pop()
        result: Value = completion[1] if completion is not None and completion[0] == "return" else UNDEFINED
        for alternative in frame.alternatives:
            result = merged(result, alternative)
        if frame.promise is not None:
            frame.promise.value = result.value if isinstance(result, Promise) else result
            return frame.promise
        return result

    def _bind_parameters(self, parameters: list[ir.Pattern], arguments: list[Value], scope: Scope) -> None:
        for index, parameter in enumerate(parameters):
            if type(parameter) is ir.RestPattern:
                self._destructure(
                    parameter.target,
                    JsArray(arguments[index:]),
                    scope,
                    lambda name, item: self.write(scope.variables, name, item),
                )
                return
            value = arguments[index] if index < len(arguments) else UNDEFINED
            if type(parameter) is ir.Name:
                scope.variables[parameter.name] = value
            else:
                self.bind(parameter, value, scope, scope)

    def _call_external(self, callee: External, arguments: list[Value], node: ir.Node, is_new: bool) -> Value:
        name = f"new {callee.name}" if is_new else callee.name
        effect = self._record(name, tuple(arguments), node, callee.base)
        found = self.host.construct(self, effect) if is_new else self.host.call(self, effect)
        result = External(f"{name}()", None, effect) if found is NotImplemented else found
        effect.result = result
        for position, argument in enumerate(arguments):
            if argument is not result:
                self._hand_over(argument, effect, position)
        return result

    def _hand_over(self, argument: Value, effect: Effect, position: int, depth: int = 0) -> None:
        """Functions given to an external call, also inside an object or array, will be called by it."""
        if isinstance(argument, Closure):
            when = self.host.callback_phase(effect, position)
            if when == "event" or self.phase != "startup":
                self._schedule_event(argument, External(f"{effect.name}#{position}"))
            else:
                parameters = [
                    Unknown(f"what {effect.name} hands to its callback") for _ in argument.function.parameters
                ]
                task = self._later_task(argument, parameters)
                self._later.append((task, when == "now" and not self.uncertain))
        elif depth < 2 and type(argument) is JsObject:
            for item in argument.properties.values():
                if isinstance(item, (Closure, JsObject, JsArray)):
                    self._hand_over(item, effect, position, depth + 1)
        elif depth < 2 and isinstance(argument, JsArray):
            for item in argument.items:
                self._hand_over(item, effect, position, depth + 1)

    def _later_task(self, closure: Closure, parameters: list[Value]) -> Callable[[], object]:
        stack = list(self._stack)

        def task() -> object:
            if id(closure.function) in self._executed:
                return None
            outer, self._stack = self._stack, list(stack)
            try:
                return self._ignore(self.call_closure(closure, UNDEFINED, parameters, closure.function))
            finally:
                self._stack = outer

        return task

    def _schedule_event(self, closure: Closure, handed: External) -> None:
        def task() -> object:
            if id(closure.function) in self._executed:
                return None
            arguments: list[Value] = [
                External(f"{handed.name}#{index}", made_by=None) for index in range(len(closure.function.parameters))
            ]
            return self._ignore(
                self.call_closure(closure, Unknown("this of an event handler"), arguments, closure.function)
            )

        self._events.append(task)

    def _record(self, name: str, arguments: tuple[Value, ...], node: ir.Node, receiver: External | None) -> Effect:
        tasks = tuple(frame.promise for frame in self._frames if frame.promise is not None and frame.has_awaited)
        effect = Effect(
            name,
            arguments,
            self._site(node),
            self.phase,
            self.uncertain == 0,
            len(self.effects),
            receiver,
            tasks,
            tuple(self._stack),
        )
        if not self._muted:
            self.effects.append(effect)
        return effect

    def _site(self, node: ir.Node) -> Site:
        path = self._frames[-1].module.path if self._frames else ""
        return Site(path, node.start, node.end)

    def _evaluate_new(self, expression: ir.New, scope: Scope) -> Value:
        callee = self.evaluate(expression.callee, scope)
        arguments, complete = self._spread_items(expression.arguments, scope)
        if not complete:
            arguments.append(Unknown("a spread argument"))
        return self.construct(callee, arguments, expression)

    def construct(self, callee: Value, arguments: list[Value], node: ir.Node) -> Value:
        if isinstance(callee, ClassValue):
            made = JsObject(made_by=callee)
            self._initialise(callee, made, arguments, node)
            return made
        if isinstance(callee, External):
            return self._call_external(callee, arguments, node, is_new=True)
        if isinstance(callee, Builtin):
            constructor = callee.members.get("new")
            if isinstance(constructor, Builtin):
                return constructor.call(self, UNDEFINED, arguments, node)
            return callee.call(self, UNDEFINED, arguments, node)
        if isinstance(callee, Closure):
            made = JsObject(complete=False)
            result = self.call_closure(callee, made, arguments, node)
            return result if isinstance(result, JsObject) else made
        self._run_callbacks_of_unknown(arguments)
        return Unknown(v.reason_of(callee))

    def _initialise(self, callee: ClassValue, made: JsObject, arguments: list[Value], node: ir.Node) -> None:
        if callee.constructor is None:
            if isinstance(callee.superclass, ClassValue):
                self._initialise(callee.superclass, made, arguments, node)
            elif isinstance(callee.superclass, External):
                base = self._call_external(callee.superclass, arguments, node, is_new=True)
                if isinstance(base, External):
                    made.base = base
            elif callee.superclass is not None:
                made.complete = False
            self._set_fields(callee, made)
            return
        if callee.superclass is None:
            self._set_fields(callee, made)
        elif isinstance(callee.superclass, (Unknown, Builtin)):
            made.complete = False
        self.call_closure(callee.constructor, made, arguments, node)

    def _set_fields(self, owner: ClassValue, made: JsObject) -> None:
        frame = Frame(None, made, owner.module, home=owner)
        self._frames.append(frame)
        try:
            for member, name in owner.fields:
                value = UNDEFINED if member.value is None else self.evaluate(member.value, owner.scope)
                self.write(made.properties, name, value)
        finally:
            self._frames.pop()

    def _evaluate_class(self, expression: ir.Class, scope: Scope) -> Value:
        superclass = None if expression.superclass is None else self.evaluate(expression.superclass, scope)
        inner = Scope(scope)
        made = ClassValue(expression, inner, self._frames[-1].module, superclass)
        if expression.name:
            inner.variables[expression.name] = made
        static: list[tuple[ir.ClassMember, str]] = []
        for member in expression.members:
            key = "" if member.key is None else v.to_text(self.evaluate(member.key, scope))
            if not isinstance(key, str):
                continue
            if member.kind in ("field", "static-block"):
                (static if member.is_static or member.kind == "static-block" else made.fields).append((member, key))
                continue
            if not isinstance(member.value, ir.Function):
                continue
            closure = self._closure(member.value, inner)
            closure.home = made
            if member.kind == "constructor":
                made.constructor = closure
                continue
            value: Value = Getter(closure) if member.kind == "get" else closure
            if member.kind != "set":
                (made.properties if member.is_static else made.methods)[key] = value
        frame = Frame(None, made, self._frames[-1].module, home=made)
        self._frames.append(frame)
        try:
            for member, key in static:
                if member.kind == "static-block" and isinstance(member.value, ir.Function):
                    self._block(member.value.body, inner)
                else:
                    made.properties[key] = UNDEFINED if member.value is None else self.evaluate(member.value, inner)
        finally:
            self._frames.pop()
        return made

    def _evaluate_unary(self, expression: ir.Unary, scope: Scope) -> Value:
        if expression.operator == "typeof":
            if isinstance(expression.operand, ir.Name):
                name = expression.operand.name
                found = self._find(name, scope)
                if found is _MISSING:
                    return "undefined"
                return self._type_name(found)
            return self._type_name(self.evaluate(expression.operand, scope))
        if expression.operator == "delete":
            if isinstance(expression.operand, ir.Member):
                owner = self.evaluate(expression.operand.object, scope)
                if isinstance(owner, JsObject):
                    self.write(owner.properties, expression.operand.name, _MISSING)
            elif isinstance(expression.operand, ir.Index):
                self._forget(self.evaluate(expression.operand.object, scope))
            return True
        value = self.evaluate(expression.operand, scope)
        if expression.operator == "!":
            test = v.truthy(value)
            return Unknown(test.reason) if isinstance(test, Unknown) else not test
        if expression.operator == "void":
            return UNDEFINED
        if isinstance(value, BigIntValue):
            return BigIntValue(-value.digits) if expression.operator == "-" else Unknown("arithmetic on a big integer")
        as_number = v.to_number(value)
        if isinstance(as_number, Unknown):
            return as_number
        if expression.operator == "-":
            return v.number(-float(as_number)) if as_number == 0 else v.number(-as_number)
        if expression.operator == "+":
            return as_number
        if expression.operator == "~":
            return ~_int32(as_number)
        return Unknown(f"the operator {expression.operator}")

    def _type_name(self, value: Value) -> Value:
        if isinstance(value, External):
            named = self.host.member(self, value, "*typeof*")
            if isinstance(named, str):
                return named
        return v.type_of(value)

    def _find(self, name: str, scope: Scope) -> Value:
        holder: Scope | None = scope
        while holder is not None:
            if name in holder.variables:
                return self._dereference(holder.variables[name])
            holder = holder.parent
        if name == "undefined":
            return UNDEFINED
        if name in self.globals:
            return self.globals[name]
        return self.host.global_value(name, self._frames[-1].module)

    def _evaluate_binary(self, expression: ir.Binary, scope: Scope) -> Value:
        operands = iter(expression.operands)
        result = self.evaluate(next(operands), scope)
        for operand in operands:
            result = self.binary(expression.operator, result, self.evaluate(operand, scope))
        return result

    def binary(self, sign: str, left: Value, right: Value) -> Value:
        """One binary operation on values."""
        if sign == "+":
            return self._add(left, right)
        if sign in ("===", "!=="):
            equal = v.strictly_equal(left, right)
            return equal if isinstance(equal, Unknown) or sign == "===" else not equal
        if sign in ("==", "!="):
            equal = v.loosely_equal(left, right)
            return equal if isinstance(equal, Unknown) or sign == "==" else not equal
        if sign == "instanceof":
            return self._instance_of(left, right)
        if sign == "in":
            name = v.to_text(left)
            if isinstance(right, JsObject) and isinstance(name, str) and not isinstance(right, JsMap):
                if name in right.properties:
                    return True
                if right.complete and right.made_by is None and right.base is None:
                    return False
            return Unknown("whether a property exists")
        if isinstance(left, BigIntValue) or isinstance(right, BigIntValue):
            return Unknown("arithmetic on a big integer")
        if sign in ("<", ">", "<=", ">="):
            return self._compare(sign, left, right)
        one, other = v.to_number(left), v.to_number(right)
        if isinstance(one, Unknown):
            return one
        if isinstance(other, Unknown):
            return other
        return arithmetic(sign, one, other)

    def _add(self, left: Value, right: Value) -> Value:
        if isinstance(left, (str, Text)) or isinstance(right, (str, Text)):
            return _text_value(v.concatenate([v.to_text(left), v.to_text(right)]))
        simple = (int, float, bool, type(None))
        if isinstance(left, simple) and isinstance(right, simple):
            return arithmetic("+", v.to_number(left), v.to_number(right))
        objects = (JsArray, UrlValue)
        if (isinstance(left, objects) or type(left) is JsObject) and isinstance(right, (*simple, *objects)):
            return _text_value(v.concatenate([v.to_text(left), v.to_text(right)]))
        if (isinstance(right, objects) or type(right) is JsObject) and isinstance(left, simple):
            return _text_value(v.concatenate([v.to_text(left), v.to_text(right)]))
        if isinstance(left, Undefined) and isinstance(right, (*simple, Undefined)) and not left.reason:
            return Unknown(right.reason) if isinstance(right, Undefined) and right.reason else math.nan
        if isinstance(right, Undefined) and isinstance(left, simple) and not right.reason:
            return math.nan
        unknown = left if isinstance(left, (Unknown, External, Promise)) else right
        return Unknown(v.reason_of(unknown))

    def _compare(self, sign: str, left: Value, right: Value) -> Value:
        if isinstance(left, str) and isinstance(right, str):
            one: str | int | float = left.encode("utf-16-be", "surrogatepass").hex()
            other: str | int | float = right.encode("utf-16-be", "surrogatepass").hex()
        else:
            first, second = v.to_number(left), v.to_number(right)
            if isinstance(first, Unknown):
                return first
            if isinstance(second, Unknown):
                return second
            one, other = first, second
        compare = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}[sign]
        return bool(compare(one, other))

    def _instance_of(self, left: Value, right: Value) -> Value:
        if isinstance(left, v.PRIMITIVES) and not isinstance(left, Undefined):
            return False
        if isinstance(left, JsObject) and isinstance(right, ClassValue) and left.made_by is not None:
            holder: Value = left.made_by
            while isinstance(holder, ClassValue):
                if holder is right:
                    return True
                holder = holder.superclass
            return False
        return Unknown("what class an object has")

    def _evaluate_logical(self, expression: ir.Logical, scope: Scope) -> Value:
        sign = expression.operator
        result = self.evaluate(expression.operands[0], scope)
        for position, operand in enumerate(expression.operands[1:], 1):
            if sign == "??":
                decided: bool | Unknown = _nullish(result)
            else:
                test = v.truthy(result)
                decided = test if isinstance(test, Unknown) else (test if sign == "&&" else not test)
            if decided is False:
                return result
            if isinstance(decided, Unknown):
                return self._open_logical(expression, position, result, scope)
            result = self.evaluate(operand, scope)
        return result

    def _open_logical(self, expression: ir.Logical, position: int, left: Value, scope: Scope) -> Value:
        """`unknown || x`: the right side may be evaluated; the result is one of the two."""
        box: list[Value] = []

        def right() -> Completion:
            rest = expression.operands[position:]
            node = rest[0] if len(rest) == 1 else ir.Logical(rest[0].start, rest[-1].end, expression.operator, rest)
            box.append(self.evaluate(node, scope))
            return None

        _, before, after = self._branch(right)
        self._merge(before, {}, before, after)
        if not box:
            return left
        value = box[0]
        if expression.operator == "&&":
            # The left side is the result only where it is falsy, which says nothing of what the right side adds.
            return Unknown(v.reason_of(left), candidates=_candidates(value))
        return Unknown(
            v.reason_of(left), left.tag if isinstance(left, Unknown) else "", (*_candidates(left), *_candidates(value))
        )

    def _evaluate_conditional(self, expression: ir.Conditional, scope: Scope) -> Value:
        test = v.truthy(self.evaluate(expression.test, scope))
        if isinstance(test, bool):
            return self.evaluate(expression.consequent if test else expression.alternate, scope)
        found: list[Value] = []

        def side(node: ir.Expression) -> Callable[[], Completion]:
            def run() -> Completion:
                found.append(self.evaluate(node, scope))
                return None

            return run

        _, first_before, first_after = self._branch(side(expression.consequent))
        _, second_before, second_after = self._branch(side(expression.alternate))
        before = first_before | second_before
        self._merge(before, first_after, before, second_after)
        if len(found) < 2:
            return found[0] if found else Unknown(test.reason)
        result = merged(found[0], found[1])
        if isinstance(result, Unknown):
            return Unknown(test.reason, result.tag, result.candidates)
        return result

    def _evaluate_assign(self, expression: ir.Assign, scope: Scope) -> Value:
        sign = expression.operator
        if sign == "=":
            value = self.evaluate(expression.value, scope)
            self.assign(expression.target, value, scope)
            return value
        current = self.evaluate(expression.target, scope)  # type: ignore[arg-type]
        if sign in ("||=", "&&=", "??="):
            node = ir.Logical(
                expression.start,
                expression.end,
                sign[:2],
                [expression.target, expression.value],  # type: ignore[list-item]
            )
            value = self._evaluate_logical(node, scope)
            self.assign(expression.target, value, scope)
            return value
        value = self.binary(sign[:-1], current, self.evaluate(expression.value, scope))
        self.assign(expression.target, value, scope)
        return value

    def _evaluate_update(self, expression: ir.Update, scope: Scope) -> Value:
        old = v.to_number(self.evaluate(expression.target, scope))
        new = old if isinstance(old, Unknown) else arithmetic("+" if expression.operator == "++" else "-", old, 1)
        self.assign(expression.target, new, scope)  # type: ignore[arg-type]
        return new if expression.prefix else old

    def _evaluate_sequence(self, expression: ir.Sequence, scope: Scope) -> Value:
        result: Value = UNDEFINED
        for item in expression.expressions:
            result = self.evaluate(item, scope)
        return result

    def _evaluate_await(self, expression: ir.Await, scope: Scope) -> Value:
        value = self.evaluate(expression.value, scope)
        result = self.await_value(value)
        self._frames[-1].has_awaited = True
        return result

    def await_value(self, value: Value) -> Value:
        """What `await` gives, and the promise noted as awaited."""
        for _ in range(8):
            if isinstance(value, Promise):
                if value.awaited_at is None:
                    value.awaited_at = len(self.effects)
                value = value.value
            elif isinstance(value, External) and isinstance(value.properties.get("*promise*"), Promise):
                promise = value.properties["*promise*"]
                if promise.awaited_at is None:
                    promise.awaited_at = len(self.effects)
                return value
            else:
                return value
        return value

    def _evaluate_yield(self, expression: ir.Yield, scope: Scope) -> Value:
        if expression.value is not None:
            self.evaluate(expression.value, scope)
        return Unknown("what a generator is sent")

    def _evaluate_dynamic_import(self, expression: ir.DynamicImport, scope: Scope) -> Value:
        specifier = self.evaluate(expression.specifier, scope)
        if isinstance(specifier, UrlValue):
            specifier = specifier.href
        if not isinstance(specifier, str):
            return Promise(Unknown(f"a module chosen at run time: {v.reason_of(specifier)}"))
        target = self.resolve_module(specifier, self._frames[-1].module, expression)
        if isinstance(target, External):
            self.host.call(self, self._record("import", (specifier,), expression, None))
        return Promise(Namespace(target) if isinstance(target, ModuleRecord) else target)

    def _evaluate_import_meta(self, expression: ir.ImportMeta, scope: Scope) -> Value:
        return self.host.import_meta(self._frames[-1].module)

    def _evaluate_this(self, expression: ir.This, scope: Scope) -> Value:
        return self._frames[-1].this

    def _evaluate_opaque(self, expression: ir.Opaque, scope: Scope) -> Value:
        return Unknown(expression.reason)

    def _evaluate_super(self, expression: ir.Super, scope: Scope) -> Value:
        return Unknown("super")

    def _evaluate_new_target(self, expression: ir.NewTarget, scope: Scope) -> Value:
        return Unknown("new.target")

    def _evaluate_spread(self, expression: ir.Spread, scope: Scope) -> Value:
        return self.evaluate(expression.value, scope)

    def _evaluate_jsx(self, expression: ir.Jsx, scope: Scope) -> Value:
        attributes = JsObject()
        for attribute in expression.attributes:
            value = self.evaluate(attribute.value, scope)
            if attribute.name == "...":
                self._spread_object(attributes, value)
            else:
                attributes.properties[attribute.name] = value
        for child in expression.children:
            value = self.evaluate(child, scope)
            if isinstance(value, Closure):
                self._schedule_event(value, External("jsx child"))
        element = None if expression.element is None else self.evaluate(expression.element, scope)
        if isinstance(element, str):
            effect = self._record(f"jsx:{element}", (attributes,), expression, None)
            self._hand_over(attributes, effect, 0)
        elif isinstance(element, Closure):
            for value in attributes.properties.values():
                if isinstance(value, Closure):
                    self._made.setdefault(id(value.function), value)
            if id(element.function) not in self._executed:
                attributes.complete = False
                self._maybe(lambda: self._ignore(self.call_closure(element, UNDEFINED, [attributes], expression)))
        elif isinstance(element, External):
            effect = self._record(f"jsx:{element.name}", (attributes,), expression, element)
            self._hand_over(attributes, effect, 0)
        return Unknown("a rendered element")

    # --------------------------------------------------------------- collections

    def iterate(self, value: Value) -> list[Value] | Unknown:
        """The elements that iteration over a value gives."""
        if isinstance(value, JsArray):
            return value.items if value.complete else Unknown("the elements of an array are not known")
        if isinstance(value, str):
            return list(value)
        if isinstance(value, JsMap):
            if not value.complete:
                return Unknown("the entries of a map are not known")
            if value.is_set:
                return list(value.entries)
            return [JsArray([key, item]) for key, item in value.entries.items()]
        return Unknown(v.reason_of(value))

    def keys(self, value: Value) -> list[Value] | Unknown:
        if isinstance(value, (JsMap, v.Environment)):
            return Unknown("the keys of an object are not known")
        if isinstance(value, JsObject):
            if not value.complete or value.base is not None:
                return Unknown("the keys of an object are not known")
            return list(own_keys(value.properties))
        if isinstance(value, JsArray) and value.complete:
            return [str(index) for index in range(len(value.items))]
        if isinstance(value, Namespace):
            return list(self.export_names(value.module))
        return Unknown(v.reason_of(value))


def own_keys(properties: dict[str, Value]) -> list[str]:
    """Property names in the language's order: array indexes ascending, then strings as they were made."""
    indexes = [key for key in properties if key.isdigit() and str(int(key)) == key and int(key) < 2**32 - 1]
    return sorted(indexes, key=int) + [key for key in properties if key not in indexes]


def merged(one: Value, other: Value) -> Value:
    """What a variable holds after two ways that it may have gone."""
    if one is other:
        return one
    if one is _MISSING or other is _MISSING:
        present = other if one is _MISSING else one
        return Unknown("it is set only under a condition", candidates=_candidates(present))
    if isinstance(one, list) and isinstance(other, list):
        return _common_prefix(one, other)
    if isinstance(one, v.PRIMITIVES) and isinstance(other, v.PRIMITIVES) and type(one) is type(other) and one == other:
        return one
    if isinstance(one, External) and isinstance(other, External) and one.name == other.name:
        return one
    if isinstance(one, Text) and isinstance(other, Text) and one.parts == other.parts:
        return one
    if isinstance(one, dict) or isinstance(other, dict):
        return one
    options = (*_candidates(one), *_candidates(other))
    reason = next((item.reason for item in (one, other) if isinstance(item, Unknown)), "it depends on a condition")
    return Unknown(reason, candidates=options[:8])


def _candidates(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Unknown):
        return value.candidates
    return (value,)


def _common_prefix(one: list[Value], other: list[Value]) -> list[Value]:
    length = 0
    for left, right in zip(one, other, strict=False):
        if left is not right and not (isinstance(left, v.PRIMITIVES) and type(left) is type(right) and left == right):
            break
        length += 1
    return one[:length]


def arithmetic(sign: str, one: float, other: float) -> int | float | Unknown:
    """ECMA-262 Number operations."""
    try:
        match sign:
            case "+":
                return v.number(one + other)
            case "-":
                return v.number(one - other)
            case "*":
                if (one == 0 or other == 0) and (math.copysign(1, one) * math.copysign(1, other) < 0):
                    return (
                        -0.0
                        if not math.isinf(one) and not math.isinf(other) and one == one and other == other
                        else math.nan
                    )
                return v.number(float(one) * float(other))
            case "/":
                if other == 0:
                    if one == 0 or math.isnan(one):
                        return math.nan
                    return math.inf * math.copysign(1, one) * math.copysign(1, other)
                return v.number(float(one) / float(other))
            case "%":
                if other == 0 or math.isinf(one) or math.isnan(one) or math.isnan(other):
                    return math.nan
                if math.isinf(other):
                    return one
                result = math.fmod(one, other)
                return v.number(result) if result != 0 or one >= 0 else -0.0
            case "**":
                if other == 0:
                    return 1
                if abs(one) == 1 and math.isinf(other):
                    return math.nan
                if one == 0 and other < 0:
                    odd = other % 2 == 1
                    return math.copysign(math.inf, one) if odd else math.inf
                result = math.pow(one, other)
                return v.number(result)
            case "|":
                return _signed(_int32(one) | _int32(other))
            case "&":
                return _signed(_int32(one) & _int32(other))
            case "^":
                return _signed(_int32(one) ^ _int32(other))
            case "<<":
                return _signed(_int32(one) << (_int32(other) & 31))
            case ">>":
                return _int32(one) >> (_int32(other) & 31)
            case ">>>":
                return (_int32(one) & 0xFFFFFFFF) >> (_int32(other) & 31)
    except OverflowError:
        return Unknown("a number too large to compute")
    except ValueError:
        return math.nan
    return Unknown(f"the operator {sign}")


def _int32(value: float) -> int:
    if isinstance(value, float) and not math.isfinite(value):
        return 0
    return _signed(int(value))


def _signed(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - 2**32 if value >= 2**31 else value


def _text_value(text: str | Text | Unknown) -> Value:
    return text


def _nullish(value: Value) -> bool | Unknown:
    if value is None or isinstance(value, Undefined):
        return True
    if isinstance(value, Unknown):
        return value
    if isinstance(value, External) and not value.name.startswith("new "):
        return Unknown(v.reason_of(value))
    return False


def _goes_on(completion: Completion) -> bool:
    return completion is None or completion == ("continue", "")


def _loop_end(completion: Completion) -> Completion:
    return None if completion == ("break", "") else completion


def _is_arrow(value: ir.Expression) -> bool:
    return isinstance(value, ir.Function) and value.is_arrow


def _optional_chain(node: ir.Expression) -> bool:
    return isinstance(node, (ir.Member, ir.Index)) and node.optional


def declared_names(statement: ir.Statement) -> Iterator[str]:
    """The names that a declaration binds."""
    if isinstance(statement, ir.Declare):
        yield from pattern_names(statement.target)
    elif isinstance(statement, ir.FunctionDeclaration):
        yield statement.function.name
    elif isinstance(statement, ir.ClassDeclaration):
        yield statement.declaration.name
    elif isinstance(statement, ir.Enum):
        yield statement.name


def pattern_names(target: ir.Pattern) -> Iterator[str]:
    stack: list[ir.Pattern | None] = [target]
    while stack:
        item = stack.pop()
        if isinstance(item, ir.Name):
            yield item.name
        elif isinstance(item, (ir.DefaultPattern, ir.RestPattern)):
            stack.append(item.target)
        elif isinstance(item, ir.ObjectPattern):
            stack.append(item.rest)
            stack.extend(entry.target for entry in reversed(item.properties))
        elif isinstance(item, ir.ArrayPattern):
            stack.extend(reversed(item.items))


def _var_names(body: list[ir.Statement]) -> Iterator[str]:
    """Names declared with `var` anywhere in a function's body, nested blocks included."""
    stack: list[ir.Statement] = list(body)
    while stack:
        statement = stack.pop()
        kind = type(statement)
        if kind is ir.Declare:
            if statement.kind == "var":  # type: ignore[union-attr]
                yield from pattern_names(statement.target)  # type: ignore[union-attr]
        elif kind is ir.If:
            stack.extend(statement.consequent)  # type: ignore[union-attr]
            stack.extend(statement.alternate)  # type: ignore[union-attr]
        elif kind is ir.Try:
            assert isinstance(statement, ir.Try)
            stack.extend(statement.block)
            stack.extend(statement.handler or [])
            stack.extend(statement.finalizer)
        elif kind in (ir.While, ir.Block, ir.Labelled):
            stack.extend(statement.body)  # type: ignore[union-attr]
        elif kind is ir.For:
            assert isinstance(statement, ir.For)
            stack.extend(statement.init)
            stack.extend(statement.body)
        elif kind is ir.ForEach:
            assert isinstance(statement, ir.ForEach)
            if statement.declares == "var":
                yield from pattern_names(statement.target)
            stack.extend(statement.body)
        elif kind is ir.Switch:
            assert isinstance(statement, ir.Switch)
            for case in statement.cases:
                stack.extend(case.body)
        elif kind is ir.ExportDeclaration:
            stack.extend(statement.declarations)  # type: ignore[union-attr]


_EXECUTE: dict[type, Callable[[Interpreter, ir.Statement, Scope], Completion]] = {
    ir.Declare: Interpreter._execute_declare,
    ir.Evaluate: Interpreter._execute_evaluate,
    ir.Return: Interpreter._execute_return,
    ir.Throw: Interpreter._execute_throw,
    ir.If: Interpreter._execute_if,
    ir.For: Interpreter._execute_for,
    ir.ForEach: Interpreter._execute_for_each,
    ir.While: Interpreter._execute_while,
    ir.Try: Interpreter._execute_try,
    ir.Switch: Interpreter._execute_switch,
    ir.Block: Interpreter._execute_block,
    ir.Labelled: Interpreter._execute_labelled,
    ir.Break: Interpreter._execute_break,
    ir.Continue: Interpreter._execute_continue,
    ir.FunctionDeclaration: Interpreter._execute_nothing,
    ir.ClassDeclaration: Interpreter._execute_class,
    ir.Import: Interpreter._execute_nothing,
    ir.Export: Interpreter._execute_nothing,
    ir.ExportDeclaration: Interpreter._execute_export_declaration,
    ir.ExportDefault: Interpreter._execute_export_default,
    ir.TypeDeclaration: Interpreter._execute_nothing,
    ir.Enum: Interpreter._execute_enum,
    ir.Opaque: Interpreter._execute_nothing,
}  # type: ignore[assignment]

_EVALUATE: dict[type, Callable[[Interpreter, ir.Expression, Scope], Value]] = {
    ir.Const: Interpreter._evaluate_const,
    ir.BigInt: Interpreter._evaluate_bigint,
    ir.Regex: Interpreter._evaluate_regex,
    ir.Name: Interpreter._evaluate_name,
    ir.Template: Interpreter._evaluate_template,
    ir.Tagged: Interpreter._evaluate_tagged,
    ir.Array: Interpreter._evaluate_array,
    ir.Object: Interpreter._evaluate_object,
    ir.Function: Interpreter._evaluate_function,
    ir.Member: Interpreter._evaluate_member,
    ir.Index: Interpreter._evaluate_index,
    ir.Call: Interpreter._evaluate_call,
    ir.New: Interpreter._evaluate_new,
    ir.Spread: Interpreter._evaluate_spread,
    ir.Unary: Interpreter._evaluate_unary,
    ir.Binary: Interpreter._evaluate_binary,
    ir.Logical: Interpreter._evaluate_logical,
    ir.Conditional: Interpreter._evaluate_conditional,
    ir.Assign: Interpreter._evaluate_assign,
    ir.Update: Interpreter._evaluate_update,
    ir.Sequence: Interpreter._evaluate_sequence,
    ir.Await: Interpreter._evaluate_await,
    ir.Yield: Interpreter._evaluate_yield,
    ir.DynamicImport: Interpreter._evaluate_dynamic_import,
    ir.ImportMeta: Interpreter._evaluate_import_meta,
    ir.This: Interpreter._evaluate_this,
    ir.Super: Interpreter._evaluate_super,
    ir.NewTarget: Interpreter._evaluate_new_target,
    ir.Jsx: Interpreter._evaluate_jsx,
    ir.Opaque: Interpreter._evaluate_opaque,
    ir.Class: Interpreter._evaluate_class,
}  # type: ignore[assignment]
