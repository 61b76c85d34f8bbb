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

from forensics.facts import calls, conversions, effects, iteration, members, module_loading, patterns
from forensics.facts import values as v
from forensics.facts.builtins import error_object
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
from forensics.facts.expressions import EVALUATE
from forensics.facts.iteration import ELEMENTS, own_keys
from forensics.facts.scheduling import Scheduler
from forensics.facts.state import (
    MISSING,
    Completion,
    JsThrow,
    ProcessExit,
    Region,
    State,
    merged,
    outcome,
)
from forensics.facts.statements import declared_names, pattern_names, var_names
from forensics.facts.values import (
    UNDEFINED,
    Builtin,
    ClassValue,
    Closure,
    External,
    GeneratorValue,
    JsArray,
    JsMap,
    JsObject,
    Namespace,
    Promise,
    RegExp,
    Text,
    Unknown,
    UrlValue,
    Value,
)
from forensics.syntax import ir

STEP_BUDGET = 200_000
RECURSION_LIMIT = 20_000
LATE_BUDGET = 20_000
"""Steps that one event handler, or one function that nothing calls, may take."""


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
        self.events: deque[Callable[[], object]] = deque()
        self.made: dict[int, Closure] = {}
        self.executed: set[int] = set()
        self.pure: dict[int, bool] = {}
        self.assigned_names: dict[int, frozenset[str]] = {}

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
                self.begin()
                completion = outcome(start)
                if completion is not None and completion[0] == "throw":
                    self.thrown = completion[1]
                elif completion is not None:
                    self.exited = completion[1]
                self.begin()
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
                self.begin()
                return task()
            except JsThrow:
                return Unknown(f"{what} throws {when}".rstrip())
            except ProcessExit:
                return Unknown(f"{what} ends the process {when}".rstrip())
            except (BudgetExceeded, RecursionError, MemoryError):
                self.exhausted = True
                return Unknown(f"{what} does too much to be followed")

    def begin(self) -> None:
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
        while self.events:
            self._run_late(self.events.popleft())
            self.scheduler.drain_late()

    def _run_late(self, task: Callable[[], object]) -> None:
        """Run something that perhaps happens, within a part of the budget, so that much of it leaves time for others."""
        whole = self.steps
        self.steps = given = min(whole, LATE_BUDGET)
        try:
            self.maybe(task)
        except BudgetExceeded:
            self.exhausted = True
            self.begin()
            if whole <= given:
                raise
        finally:
            self.steps = whole - (given - self.steps)

    def _run_uncalled(self) -> None:
        self.phase = "uncalled"
        progress = True
        while progress:
            progress = False
            for key, closure in list(self.made.items()):
                if key not in self.executed:
                    progress = True
                    self._run_late(partial(self.call_unknown, closure, "parameter"))
            self.scheduler.drain_late()
            self._run_events()

    def call_unknown(self, closure: Closure, what: str) -> Value:
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

    # ---------------------------------------------------------------- variables

    def hoist(self, body: list[ir.Statement], scope: Scope) -> None:
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
        self.made.setdefault(id(closure.function), closure)

    def was_executed(self, closure: Closure) -> bool:
        return id(closure.function) in self.executed

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
        patterns.destructure(self, target, value, scope, lambda name, item: self.write(where.variables, name, item))

    def assign(self, target: ir.Pattern, value: Value, scope: Scope) -> None:
        """Assign to what a pattern names."""
        patterns.destructure(self, target, value, scope, lambda name, item: self._assign_name(name, item, scope))

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

    def lookup(self, name: str, scope: Scope) -> Value:
        """The value of a variable."""
        holder: Scope | None = scope
        while holder is not None:
            found = holder.variables.get(name, MISSING)
            if found is not MISSING:
                if type(found) is ImportReference or type(found) is ExportReference:
                    return module_loading.dereference(self, found)
                if self.state.is_torn and holder.function_scope is not scope.function_scope:
                    return self._read_later(found, holder, name)
                return found
            holder = holder.parent
        found = self.find_outside(name)
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
                return module_loading.dereference(self, holder.variables[name])
            holder = holder.parent
        return self.find_outside(name)

    def find_outside(self, name: str) -> Value:
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

    # ------------------------------------------------------------------ members

    def is_enumerable(self, owner: JsObject, name: str) -> bool:
        return name not in owner.hidden and not name.startswith((v.PRIVATE, "@@"))

    # -------------------------------------------------------------------- calls

    @staticmethod
    def written(node: ir.Node) -> str:
        callee = node.callee if isinstance(node, ir.Call) else None
        names: list[str] = []
        while isinstance(callee, ir.Member):
            names.append(callee.name)
            callee = callee.object
        if isinstance(callee, ir.Name):
            names.append(callee.name)
        return ".".join(reversed(names)) or "(intermediate value)"

    @staticmethod
    def ignore(value: Value) -> None:
        return None

    # --------------------------------------------------------------- generators

    # ---------------------------------------------------------------- externals

    # ------------------------------------------------------------------ objects

    # -------------------------------------------------------------- asynchronous

    def await_expression(self, value: Value) -> Value:
        return self.scheduler.await_expression(value)

    def await_value(self, value: Value) -> Value:
        """What a promise gives, and the promise noted as awaited."""
        return self.scheduler.settled_value(value)

    # --------------------------------------------------------------- collections

    # -------------------------------------------------------------- what it can be asked

    def load(self, path: str) -> ModuleRecord:
        """The module of that path, run unless it was already."""
        return module_loading.load(self, path)

    def resolve_module(self, specifier: str, importer: ModuleRecord, node: ir.Node, is_require: bool = False) -> Value:
        """A module record, an External, or what an asset import gives."""
        return module_loading.resolve_module(self, specifier, importer, node, is_require)

    def export(self, module: ModuleRecord, name: str, seen: frozenset[str] = frozenset()) -> Value:
        """The current value of a module's export."""
        return module_loading.export(self, module, name, seen)

    def export_names(self, module: ModuleRecord) -> list[str]:
        """Names of a namespace object's properties, sorted as the language does."""
        return module_loading.export_names(self, module)

    def require(self, specifier: str, module: ModuleRecord, node: ir.Node) -> Value:
        """`require(specifier)` in a module."""
        return module_loading.require(self, specifier, module, node)

    def primitive(self, value: Value, hint: str) -> Value:
        """ECMA-262 ToPrimitive: objects become what their valueOf or toString gives."""
        return conversions.primitive(self, value, hint)

    def text(self, value: Value) -> str | Text | Unknown:
        """ECMA-262 ToString."""
        return conversions.text(self, value)

    def property_key(self, value: Value) -> str | None:
        """ECMA-262 ToPropertyKey; None where it isn't known. Well-known symbols are `@@name`."""
        return conversions.property_key(self, value)

    def callee(self, node: ir.Expression, scope: Scope) -> tuple[Value, Value]:
        """`this` and the function of a call of `node`."""
        return members.callee(self, node, scope)

    def link(self, node: ir.Expression, scope: Scope) -> Value:
        """One link of a chain of members and calls; `Short` where a `?.` ended the chain."""
        return members.link(self, node, scope)

    def member(self, owner: Value, name: str, node: ir.Node | None = None, optional: bool = False) -> Value:
        """`owner.name`

        Raises:
            JsThrow: the owner is null or undefined.
        """
        return members.member(self, owner, name, node, optional)

    def get(self, value: Value, this: Value) -> Value:
        """The value of a property slot: an accessor is called."""
        return members.get(self, value, this)

    def has_property(self, owner: Value, name: str) -> Value:
        """`name in owner`"""
        return members.has_property(self, owner, name)

    def instance_of(self, left: Value, right: Value) -> Value:
        """`left instanceof right`"""
        return members.instance_of(self, left, right)

    def set_at(self, owner: Value, key: str | None, value: Value, node: ir.Node) -> None:
        """`owner[key] = value`; `key` is None where it isn't known."""
        return members.set_at(self, owner, key, value, node)

    def set_member(self, owner: Value, name: str, value: Value, node: ir.Node) -> None:
        """`owner.name = value`"""
        return members.set_member(self, owner, name, value, node)

    def forget(self, owner: Value) -> None:
        """A property of unknown name was set: what the object holds is no longer known."""
        return members.forget(self, owner)

    def call(self, callee: Value, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        """Call a value."""
        return calls.call(self, callee, this, arguments, node)

    def run_callbacks(self, arguments: list[Value]) -> None:
        """A function handed to something unknown (`list.map(f)` of an unknown list) runs some number of times."""
        return calls.run_callbacks(self, arguments)

    def call_closure(self, closure: Closure, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        """Call a function of the build."""
        return calls.call_closure(self, closure, this, arguments, node)

    def construct(self, callee: Value, arguments: list[Value], node: ir.Node) -> Value:
        """`new callee(...arguments)`"""
        return calls.construct(self, callee, arguments, node)

    def yield_expression(self, value: Value, delegate: bool) -> Value:
        """What `yield value` gives once the generator is asked for more."""
        return calls.yield_expression(self, value, delegate)

    def call_external(self, callee: External, arguments: list[Value], node: ir.Node, is_new: bool) -> Value:
        """Call something outside the build: an effect."""
        return effects.call_external(self, callee, arguments, node, is_new)

    def hand_over(self, argument: Value, effect: Effect, position: int, depth: int = 0) -> None:
        """Functions given to an external call, also inside an object or array, will be called by it."""
        return effects.hand_over(self, argument, effect, position, depth)

    def schedule_event(self, closure: Closure, handed: External) -> None:
        """Run a function in the end, as something that happens on an event."""
        return effects.schedule_event(self, closure, handed)

    def record(self, name: str, arguments: tuple[Value, ...], node: ir.Node, receiver: External | None) -> Effect:
        """Note an effect of the code that runs."""
        return effects.record(self, name, arguments, node, receiver)

    def elements(self, value: Value, is_async: bool = False) -> Iterator[Value]:
        """The elements that iteration gives, one by one; a `Rest` in last place where more may follow."""
        return iteration.elements(self, value, is_async)

    def iterate(self, value: Value) -> list[Value] | Unknown:
        """The elements that iteration over a value gives."""
        return iteration.iterate(self, value)

    def keys(self, value: Value) -> list[Value] | Unknown:
        """`Object.keys(value)`"""
        return iteration.keys(self, value)

    def keys_in(self, value: Value) -> Iterator[Value]:
        """The names that `for (… in value)` goes through."""
        return iteration.keys_in(self, value)


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
