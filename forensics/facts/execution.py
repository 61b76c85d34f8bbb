"""The records of the evaluator: its host, what it keeps (scopes, modules, frames) and what it gives (effects)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from forensics.facts.state import MISSING, Slots
from forensics.facts.values import UNDEFINED, ClassValue, Closure, External, JsObject, Promise, Value
from forensics.syntax import ir

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter
    from forensics.facts.scheduling import Generator

Phase = Literal["startup", "request", "uncalled"]


@dataclass(frozen=True, slots=True)
class Site:
    """Where something stands: path and byte offsets."""

    path: str
    start: int
    end: int


@dataclass(eq=False, slots=True)
class Effect:
    """One call that leaves the build's own code.

    `name` is canonical (see `External`); `phase` says when it happens: while starting, on a request or event, or only
    in code that nothing was seen to call. `certain` is False under a condition that can't be decided; a call outside
    the build is taken to succeed. `conditions` are those conditions, as numbers: one effect happens whenever another
    does if its conditions are among the other's. `tasks` are the promises of the asynchronous functions it runs in
    after their first await, and its own. `stack` holds the sites of the calls that led here, outermost first.
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
    conditions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """What an import specifier leads to. `kind`: module (path in the build), external (canonical package or builtin
    name, with subpath), asset (a path that is no module), missing (reason)."""

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


class Scope:
    """Variables of a block or function. `constants` are names that can't be assigned again."""

    __slots__ = ("constants", "function_scope", "parent", "variables")

    def __init__(self, parent: Scope | None, is_function: bool = False) -> None:
        self.parent = parent
        self.variables = Slots()
        self.constants: set[str] | None = None
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


class BudgetExceeded(Exception):  # noqa: N818
    """The step budget is used up; what was found so far stands."""


@dataclass(slots=True)
class Frame:
    """A function being run. `is_loose` says that nobody awaits it right where it is called, which matters once it runs
    ahead of an await. `yielded` collects what a generator yields whose body runs ahead, inside of
    `branching` branches."""

    closure: Closure | None
    this: Value
    module: ModuleRecord
    home: ClassValue | JsObject | None = None
    new_target: Value = UNDEFINED
    promise: Promise | None = None
    has_awaited: bool = False
    is_loose: bool = False
    is_static: bool = False
    generator: Generator | None = None
    yielded: list[Value] | None = None
    branching: int = 0


__all__ = [
    "MISSING",
    "BudgetExceeded",
    "Effect",
    "ExportReference",
    "Frame",
    "Host",
    "ImportReference",
    "ModuleRecord",
    "Phase",
    "Resolved",
    "Scope",
    "Site",
]
