"""What the evaluator's assignments did, so that both sides of an undecided condition can be run, undone and merged.

Every assignment is a slot `(container, name)` of some dict. A *branch* runs a task with a journal of old values, undoes
it and keeps the difference. A *region* is code that control can leave early (a function, a loop, one round of a loop, a
try block): where one side of a condition leaves it, that side's difference is kept as an `Escape` until the region ends
and is merged there, while the other side goes on under a condition.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Literal

from forensics.facts import values as v
from forensics.facts.values import Unknown, Value

MISSING: Any = object()
"""Stands for a slot that isn't there."""

Key = tuple[int, str]
Slot = tuple[dict[str, Value], str, Value]
"""Container, name, and a value: the old one in a journal, the new one in a difference."""


_births = itertools.count()


class Slots(dict[str, Value]):
    """The variables of a scope. `born` tells whether a branch that is undone, or a region that is left, can have seen
    them before; `is_captured`, whether a function can see them afterwards."""

    __slots__ = ("born", "is_captured")

    def __init__(self) -> None:
        super().__init__()
        self.born = next(_births)
        self.is_captured = False


class Journal(dict[Key, Slot]):
    """Slots by key. Variables born later that no function has captured are left out: nobody else sees them."""

    __slots__ = ("born",)

    def __init__(self) -> None:
        super().__init__()
        self.born = next(_births)

    def concerns(self, container: dict[str, Value]) -> bool:
        return type(container) is not Slots or container.born < self.born or container.is_captured


Difference = dict[Key, Slot]

Completion = tuple[Literal["return", "break", "continue", "throw", "exit"], Any]
"""How code leaves: ("return", value), ("break" or "continue", label), ("throw", JsThrow), ("exit", ProcessExit)."""

_PREFERENCE = ("return", "break", "continue", "throw", "exit")
ESCAPES_TOGETHER = 16
WORK_OF_A_BRANCH = 80
WORK_OF_A_SLOT = 24


class JsThrow(Exception):  # noqa: N818 - a JavaScript exception is no error of ours
    """A JavaScript exception that is certain to be thrown. `site` is where, as an `interpreter.Site`."""

    def __init__(self, value: Value, site: Any = None) -> None:
        super().__init__()
        self.value = value
        self.site = site


class ProcessExit(Exception):  # noqa: N818
    """`process.exit()`: no JavaScript catch sees it."""

    def __init__(self, code: Value) -> None:
        super().__init__()
        self.code = code


class Escape:
    """One way in which a region is left early. `condition` is 0 where only a failure outside the build leads to it."""

    __slots__ = ("completion", "condition", "difference")

    def __init__(self, completion: Completion, difference: Difference, condition: int) -> None:
        self.completion = completion
        self.difference = difference
        self.condition = condition


class Region:
    """`journal` holds old values since the first escape (None before it); `maybe_thrown` is the escape after a failure
    outside the build, as of the state's `version` then."""

    __slots__ = ("conditions", "escapes", "journal", "maybe_thrown", "version")

    def __init__(self, conditions: tuple[int, ...]) -> None:
        self.conditions = conditions
        self.journal: Journal | None = None
        self.escapes: list[Escape] = []
        self.maybe_thrown: Escape | None = None
        self.version = -1

    def recorded(self) -> Difference:
        """What stood in the slots of the journal."""
        return {} if self.journal is None else dict(self.journal)


class Branch:
    """What a task did that was then undone."""

    __slots__ = ("completion", "difference", "escapes")

    def __init__(self, completion: Completion | None, difference: Difference, escapes: list[Escape]) -> None:
        self.completion = completion
        self.difference = difference
        self.escapes = escapes


class State:
    """Assignments of one line of execution.

    Attributes:
        conditions: the undecided conditions that what runs now depends on.
        is_torn: whether what runs now may really run later, after an await that only one side of a condition met.
        catching: how many try blocks with a catch are around.

    Args:
        numbers: gives each condition its number.
        survived: conditions under which the process would have ended; shared by all lines of execution.
        is_main: whether what is thrown and not caught here ends the process.
    """

    def __init__(
        self,
        numbers: Iterator[int],
        survived: list[int],
        is_main: bool,
        charge: Callable[[int], None] = lambda work: None,
    ) -> None:
        self.charge = charge
        self.conditions: tuple[int, ...] = ()
        self.survived = survived
        self.is_main = is_main
        self.branching = 0
        self.is_torn = False
        self._version = 0
        self.regions: list[Region] = []
        self.journal: Journal | None = None
        self.catching = 0
        self._numbers = numbers

    # ------------------------------------------------------------------ assignments

    def write(self, container: dict[str, Value], name: str, value: Value) -> None:
        """Assign a slot; `MISSING` removes it."""
        journal = self.journal
        self._version += 1
        if journal is not None and (
            type(container) is not Slots or container.born < journal.born or container.is_captured
        ):
            key = (id(container), name)
            if key not in journal:
                journal[key] = (container, name, container.get(name, MISSING))
        put(container, name, value)

    def snapshot(self, journal: Difference) -> Difference:
        return {key: (container, name, container.get(name, MISSING)) for key, (container, name, _) in journal.items()}

    def refresh(self) -> None:
        """Find the journal that assignments are noted in."""
        self.journal = next((region.journal for region in reversed(self.regions) if region.journal is not None), None)

    def _fold(self, journal: Journal) -> None:
        """Let the journal of the code around know what was assigned inside."""
        self.refresh()
        outer = self.journal
        if outer is not None:
            for key, slot in journal.items():
                if key not in outer and outer.concerns(slot[0]):
                    outer[key] = slot

    # --------------------------------------------------------------------- branches

    def new_condition(self) -> int:
        return next(self._numbers)

    def branch(self, task: Callable[[], Completion | None], condition: int) -> Branch:
        """Run a task under a condition and undo what it assigned."""
        outer = self.conditions
        region = Region(outer)
        journal = Journal()
        region.journal = journal
        self.regions.append(region)
        self.journal = journal
        self.conditions = (*outer, condition)
        self.branching += 1
        depth, catching = len(self.regions), self.catching
        try:
            completion = outcome(task)
        except BaseException:
            # The budget ends here: what was assigned is undone, so that something else can still be run.
            del self.regions[depth - 1 :]
            self.conditions, self.catching = outer, catching
            self.branching -= 1
            for container, name, old in journal.values():
                put(container, name, old)
            self.refresh()
            raise
        self.branching -= 1
        self.regions.pop()
        self.conditions = outer
        difference = self.snapshot(journal)
        for container, name, old in journal.values():
            put(container, name, old)
        self.refresh()
        # Undoing and merging is work that the evaluated code does not show; it counts against the same budget.
        self.charge(WORK_OF_A_BRANCH + WORK_OF_A_SLOT * len(journal))
        escapes = region.escapes
        if region.maybe_thrown is not None:
            escapes.append(region.maybe_thrown)
        return Branch(completion, difference, escapes)

    def fork(self, *tasks: Callable[[], Completion | None], unlikely: int = -1) -> Completion | None:
        """Run tasks of which one will happen and merge what they assign. The one at `unlikely` happens only after a
        failure outside the build: what follows isn't conditional because of it.

        Raises:
            JsThrow, ProcessExit: every task ends so.
        """
        condition = self.new_condition()
        branches = [self.branch(task, condition) for task in tasks]
        following: list[int] = []
        for index, branch in enumerate(branches):
            for escape in branch.escapes:
                kept = 0 if index == unlikely else escape.condition
                following.append(self.leave(escape.completion, escape.difference, kept))
        live = [branch for branch in branches if branch.completion is None]
        leaving = [(index, branch) for index, branch in enumerate(branches) if branch.completion is not None]
        completion: Completion | None = None
        if not live:
            completion, live, leaving = _one_completion(leaving)
        for index, branch in leaving:
            assert branch.completion is not None
            kept = 0 if index == unlikely else condition
            following.append(self.leave(branch.completion, branch.difference, kept))
        self._apply([branch.difference for branch in live])
        self.conditions = (*self.conditions, *dict.fromkeys(item for item in following if item))
        return resumed(completion)

    def maybe(self, task: Callable[[], Completion | None]) -> Branch:
        """Run something that may happen or not; however it ends, it ends here."""
        branch = self.branch(task, self.new_condition())
        self._apply([{}, branch.difference, *(escape.difference for escape in branch.escapes)])
        return branch

    def merge_in(self, difference: Difference) -> None:
        """Assign what was perhaps assigned."""
        self._apply([{}, difference])

    def restore(self, differences: list[Difference]) -> None:
        """Make the state what it was at one of several escapes."""
        self._apply(differences)

    def _apply(self, differences: list[Difference]) -> None:
        if not any(differences):
            return
        keys: Difference = {}
        for difference in differences:
            for key, slot in difference.items():
                keys.setdefault(key, slot)
        current = self.snapshot(keys)
        unordered = _unordered(current, differences) if len(differences) > 1 else frozenset()
        for container, name, value in _merged_slots(current, [current | difference for difference in differences]):
            if (id(container), name) in unordered and value is not MISSING:
                candidates, closed = options_of(value)
                value = Unknown("properties in an order that depends on a condition", v.ABSENT, candidates, closed)
            self.write(container, name, value)

    # ---------------------------------------------------------------------- regions

    def ends_process(self, completion: Completion) -> bool:
        """Whether nothing that runs later sees what was assigned on this way."""
        if self.branching:
            return False
        return completion[0] == "exit" or (completion[0] == "throw" and self.is_main and not self.catching)

    def leave(self, completion: Completion, difference: Difference, condition: int) -> int:
        """Note that the innermost region may be left here, with a difference from the present state. Gives the
        condition that what follows depends on (0 for none)."""
        if self.ends_process(completion):
            if condition:
                self.survived.append(condition)
            return 0
        region = self.regions[-1]
        if region.journal is None:
            region.journal = self.journal = Journal()
        whole = self.snapshot(region.journal)
        for key, (container, name, _) in difference.items():
            if key not in region.journal:
                region.journal[key] = (container, name, container.get(name, MISSING))
        whole |= difference
        self.charge(2 * len(whole))
        self._keep(region, Escape(completion, whole, condition))
        return condition

    @staticmethod
    def _keep(region: Region, escape: Escape) -> None:
        if escape.completion[0] == "throw" and not escape.condition:
            if region.maybe_thrown is not None:
                escape = _joined(region.maybe_thrown, escape, region.journal or {})
            region.maybe_thrown = escape
        else:
            region.escapes.append(escape)

    def may_throw(self, thrown: Callable[[], JsThrow]) -> None:
        """Note that what runs now may throw, where a catch would see it."""
        if not self.catching:
            return
        region = self.regions[-1]
        if region.maybe_thrown is not None and region.version == self._version:
            return
        self.leave(("throw", thrown()), {}, 0)
        region.version = self._version

    def region(
        self, task: Callable[[], Completion | None], captures: Callable[[Completion], bool]
    ) -> Completion | None:
        """Run a task; ways of leaving that the region captures end here. None, or the completion (merged "return").

        Raises:
            JsThrow, ProcessExit: the task certainly ends so.
        """
        region = Region(self.conditions)
        self.regions.append(region)
        return resumed(self.close(region, outcome(task), captures))

    def close(
        self, region: Region, completion: Completion | None, captures: Callable[[Completion], bool]
    ) -> Completion | None:
        """End the innermost region."""
        self.regions.pop()
        self.conditions = region.conditions
        journal = region.journal
        if journal is None:
            return None if completion is not None and completion[0] != "return" and captures(completion) else completion
        escapes = region.escapes
        if region.maybe_thrown is not None:
            escapes = [*escapes, region.maybe_thrown]
        own = Escape(completion or ("break", ""), self.snapshot(journal), 0)
        own_stays = completion is None or captures(completion)
        joined = [own] if own_stays else []
        promoted: list[Escape] = []
        for escape in escapes:
            (joined if captures(escape.completion) else promoted).append(escape)
        result = completion
        if joined:
            if not own_stays:
                own.condition = self.new_condition()
                promoted.append(own)
            result = _join_returns(joined, completion is None and own_stays)
        else:
            joined = [own]
        current = {key: (container, name, old) for key, (container, name, old) in journal.items()}
        slots = _merged_slots(current, [current | escape.difference for escape in joined])
        for container, name, _ in slots:
            journal.setdefault((id(container), name), (container, name, container.get(name, MISSING)))
        ending = [escape for escape in promoted if self.ends_process(escape.completion)]
        self.survived.extend(escape.condition for escape in ending if escape.condition)
        promoted = [escape for escape in promoted if escape not in ending]
        self._promote(journal, promoted)
        for container, name, value in slots:
            put(container, name, value)
        self.conditions = (*self.conditions, *(escape.condition for escape in promoted if escape.condition))
        return result

    def _promote(self, journal: Journal, promoted: list[Escape]) -> None:
        """Hand escapes, as differences from before `journal`, to the region around."""
        parent = self.regions[-1] if self.regions else None
        if parent is None or not promoted:
            self._fold(journal)
            return
        if parent.journal is None:
            parent.journal = self.journal = journal
        else:
            before = self.snapshot(parent.journal)
            for key, slot in journal.items():
                if key in before:
                    before[key] = slot
                parent.journal.setdefault(key, slot)
            self.journal = parent.journal
            for escape in promoted:
                escape.difference = before | escape.difference
        for escape in promoted:
            self._keep(parent, escape)


def outcome(task: Callable[[], Completion | None]) -> Completion | None:
    """How a task ends, exceptions of the build's code included."""
    try:
        return task()
    except JsThrow as thrown:
        return ("throw", thrown)
    except ProcessExit as ended:
        return ("exit", ended)


def resumed(completion: Completion | None) -> Completion | None:
    """A completion as statements hand it on: what was thrown is raised again."""
    if completion is not None and completion[0] in ("throw", "exit"):
        raise completion[1]
    return completion


def captures_return(completion: Completion) -> bool:
    return completion[0] == "return"


def captures_nothing(completion: Completion) -> bool:
    return False


def captures_throw(completion: Completion) -> bool:
    return completion[0] == "throw"


def captures_labels(kind: str, labels: tuple[str, ...]) -> Callable[[Completion], bool]:
    """Whether a `break` or `continue` with one of these labels ends here."""
    return lambda completion: completion[0] == kind and completion[1] in labels


def put(container: dict[str, Value], name: str, value: Value) -> None:
    """Assign a slot without noting it."""
    if value is MISSING:
        container.pop(name, None)
    else:
        container[name] = value


def _one_completion(
    leaving: list[tuple[int, Branch]],
) -> tuple[Completion, list[Branch], list[tuple[int, Branch]]]:
    """Where every branch leaves: the completion to go on with, the branches that share it, and the others."""
    order = sorted(leaving, key=lambda item: _PREFERENCE.index(item[1].completion[0] if item[1].completion else "exit"))
    kind, detail = order[0][1].completion or ("exit", None)
    same = [item for item in order if item[1].completion and _alike(item[1].completion, (kind, detail))]
    others = [item for item in order if item not in same]
    values = [item[1].completion[1] for item in same if item[1].completion]
    if kind == "return":
        return ("return", merged_all(values)), [branch for _, branch in same], others
    if kind == "throw":
        value = merged_all([thrown.value for thrown in values])
        return ("throw", JsThrow(value, values[0].site)), [branch for _, branch in same], others
    return (kind, detail), [branch for _, branch in same], others


def _alike(one: Completion, other: Completion) -> bool:
    if one[0] in ("break", "continue"):
        return one == other
    return one[0] == other[0]


def _join_returns(joined: list[Escape], ends_normally: bool) -> Completion | None:
    """The completion of a function of which several ways return; None for regions that capture anything else."""
    kind = joined[-1].completion[0]
    if kind == "return":
        values = [
            v.UNDEFINED if ends_normally and index == 0 else escape.completion[1] for index, escape in enumerate(joined)
        ]
        return ("return", merged_all(values))
    if kind == "throw" and not ends_normally:
        thrown = [escape.completion[1] for escape in joined]
        return ("throw", JsThrow(merged_all([item.value for item in thrown]), thrown[0].site))
    return None


def _joined(one: Escape, other: Escape, journal: Difference) -> Escape:
    old = dict(journal)
    slots = _merged_slots(old, [old | one.difference, old | other.difference])
    difference = {(id(container), name): (container, name, value) for container, name, value in slots}
    first, second = one.completion[1], other.completion[1]
    return Escape(("throw", JsThrow(merged(first.value, second.value), first.site)), difference, 0)


def _merged_slots(keys: Difference, versions: list[Difference]) -> list[Slot]:
    """What the slots named by `keys` hold when one of several versions came true."""
    found: dict[Key, Slot] = {}
    for key, (container, name, _) in keys.items():
        options = [version[key][2] for version in versions]
        first = options[0]
        if all(option is first for option in options[1:]):
            found.setdefault(key, (container, name, first))
        elif name in ("items", "entries") and isinstance(first, (list, dict)):
            found[key] = (container, name, common(options))
            found[id(container), "complete"] = (container, "complete", False)
        elif name in ("complete", "settled") and v.is_record(container):
            decided = all if name == "complete" else any
            found.setdefault(key, (container, name, decided(option is True for option in options)))
        else:
            found[key] = (container, name, merged_all(options))
    return list(found.values())


def _unordered(current: Difference, differences: list[Difference]) -> frozenset[Key]:
    """New slots that the differences add to one container in different orders."""
    orders: dict[int, list[list[Key]]] = {}
    for difference in differences:
        added: dict[int, list[Key]] = {}
        for key, slot in difference.items():
            if current[key][2] is MISSING and slot[2] is not MISSING:
                added.setdefault(key[0], []).append(key)
        for container, keys in added.items():
            orders.setdefault(container, []).append(keys)
    return frozenset(
        key
        for several in orders.values()
        if any(keys != several[0] for keys in several)
        for keys in several
        for key in keys
    )


def common(options: list[Any]) -> Any:
    """The elements or entries that several versions of a collection begin with."""
    if isinstance(options[0], dict):
        return {
            key: item
            for key, item in options[0].items()
            if all(key in other and same(item, other[key]) for other in options[1:])
        }
    length = 0
    for items in zip(*options, strict=False):
        if not all(same(items[0], item) for item in items[1:]):
            break
        length += 1
    return options[0][:length]


def same(one: Value, other: Value) -> bool:
    """Whether two values are certainly one and the same."""
    if one is other:
        return True
    return isinstance(one, v.PRIMITIVES) and type(one) is type(other) and bool(one == other)


def merged_all(values: list[Value]) -> Value:
    result = values[0]
    for other in values[1:]:
        result = merged(result, other)
    return result


def merged(one: Value, other: Value) -> Value:
    """What a slot holds after two ways that things may have gone."""
    if one is other:
        return one
    if type(one) is Unknown and type(other) is Unknown and not (one.candidates or other.candidates):
        return one if one.tag or not other.tag else other
    if same(one, other):
        return one
    if one is MISSING or other is MISSING:
        present = other if one is MISSING else one
        candidates, closed = options_of(present)
        if v.UNDEFINED not in candidates:
            candidates = (*candidates, v.UNDEFINED)
        return Unknown("it is set only under a condition", v.ABSENT, candidates, closed)
    if isinstance(one, v.External) and isinstance(other, v.External) and one.name == other.name:
        return one
    if isinstance(one, v.Text) and isinstance(other, v.Text) and one.parts == other.parts:
        return one
    first, first_closed = options_of(one)
    second, second_closed = options_of(other)
    together = [*first, *(item for item in second if not any(same(item, seen) for seen in first))]
    absent = any(isinstance(item, Unknown) and item.tag == v.ABSENT for item in (one, other))
    reason = next((item.reason for item in (one, other) if isinstance(item, Unknown)), "it depends on a condition")
    closed = first_closed and second_closed and len(together) <= CANDIDATES
    return Unknown(reason, v.ABSENT if absent else "", tuple(together[:CANDIDATES]), closed)


CANDIDATES = 12


def options_of(value: Value) -> tuple[tuple[Value, ...], bool]:
    """The values that a value may be, and whether those are all."""
    if isinstance(value, Unknown):
        return value.candidates, value.closed
    if isinstance(value, v.Text):
        return (value,), False
    return (value,), True
