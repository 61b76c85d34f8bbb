"""When asynchronous code runs: microtasks, timers, and functions that stop at an await and go on later.

An asynchronous function runs on a stack of its own (a greenlet), so that it can stop where JavaScript stops it. Under a
condition that can't be decided nothing can stop, since what runs there will be undone: such a function runs ahead, and
what it assigned after its first await is kept apart until somebody awaits it (`Promise.deferred`).

Source: ECMA-262, chapter 27.2 and 27.7; https://nodejs.org/en/learn/asynchronous-work/event-loop-timers-and-nexttick.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from greenlet import getcurrent, greenlet

from forensics.facts import values as v
from forensics.facts.execution import Frame, Site
from forensics.facts.state import MISSING, Journal, JsThrow, Region, State, common, put
from forensics.facts.values import UNDEFINED, External, Promise, Unknown, Value

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

Deferred = tuple[dict[str, Value], str, Value, Value]
"""A slot (container, name), what stands there meanwhile, and what will."""

NOT_SETTLED = "a promise that isn't settled yet"
LINES = 500
LOOSE = 8


class Line:
    """One line of execution: the main program, or an asynchronous function from its first await on."""

    __slots__ = ("active", "blurred", "frames", "promise", "stack", "state", "thread")

    def __init__(self, frames: list[Frame], stack: list[Site], state: State) -> None:
        self.frames = frames
        self.stack = stack
        self.state = state
        self.active: dict[int, int] = {}
        self.thread: Any = None
        self.promise: Promise | None = None
        self.blurred: list[Deferred] = []

    def may_have_stopped(self) -> None:
        """On one side of a condition this line has stopped: what it assigns from here on may come later."""
        self.state.is_torn = True
        root = self.state.regions[0]
        if root.journal is None:
            root.journal = Journal()


class Scheduler:
    """`current` is the line that runs; None in the main program."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.current: Line | None = None
        self.lines = 0
        self._micro: deque[tuple[Callable[[], object], bool]] = deque()
        self._macro: list[tuple[float, int, Callable[[], object], bool]] = []
        self._count = 0
        self._rejected: list[Promise] = []
        self._waited: list[Promise] = []
        self._loose: list[Callable[[], object]] = []

    # ------------------------------------------------------------------------ queues

    def microtask(self, task: Callable[[], object], certain: bool | None = None) -> None:
        """Run a task once the code that runs now is done. A round that is only tried out leaves none behind."""
        if self.interpreter.muted:
            return
        self._micro.append((task, not self.interpreter.state.conditions if certain is None else certain))

    def macrotask(self, task: Callable[[], object], certain: bool | None = None, delay: float = 0) -> None:
        """Run a task after all microtasks, in the order of the delays (in milliseconds)."""
        if self.interpreter.muted:
            return
        self._count += 1
        sure = not self.interpreter.state.conditions if certain is None else certain
        heapq.heappush(self._macro, (max(delay, 0), self._count, task, sure))

    def drain(self, until: Callable[[], bool] | None = None) -> None:
        """Run what is queued.

        Raises:
            JsThrow: a promise was rejected and nobody looks at it.
        """
        while until is None or not until():
            if self._micro:
                task, certain = self._micro.popleft()
                self._run(task, certain)
                continue
            self._look_at_rejections()
            if self._macro:
                _, _, task, certain = heapq.heappop(self._macro)
                self._run(task, certain)
            elif not self._settle_stuck():
                self._loose.clear()
                return

    def _settle_stuck(self) -> bool:
        """Let the first promise that only an event can settle be settled: what follows happens if it ever does."""
        while self._waited:
            promise = self._waited.pop(0)
            if promise.settled is False:
                i = self.interpreter
                i.survived.append(i.state.new_condition())
                self._settle(promise, Unknown("what an event gives"), rejected=False)
                return True
        return False

    def drain_late(self) -> None:
        """Run what is queued, each as something that perhaps happens."""
        while self._micro or self._macro:
            task = self._micro.popleft()[0] if self._micro else heapq.heappop(self._macro)[2]
            self._run(task, certain=False)

    def _run(self, task: Callable[[], object], certain: bool) -> None:
        i = self.interpreter
        if not certain:
            i.maybe(task)
            if len(self._loose) < LOOSE:
                self._loose.append(task)
            return
        task()
        # What perhaps runs may as well run only now.
        for other in self._loose:
            i.muted += 1
            try:
                i.maybe(other)
            finally:
                i.muted -= 1

    def _look_at_rejections(self) -> None:
        rejected, self._rejected = self._rejected, []
        for promise in rejected:
            if not promise.handled:
                raise JsThrow(promise.value)

    # ------------------------------------------------------------------------- lines

    def start(self, body: Callable[[], object], promise: Promise) -> None:
        """Run the body of an asynchronous function on a line of its own until it stops or ends."""
        i = self.interpreter
        line = Line(list(i.frames), list(i.stack), i.new_state())
        line.promise = promise
        self.lines += 1

        def whole() -> None:
            try:
                body()
                self._blur(line)
            finally:
                self.lines -= 1

        line.thread = greenlet(whole)
        self.resume(line)

    def resume(self, line: Line) -> None:
        i = self.interpreter
        outer = self.current, i.frames, i.stack, i.state, i.active
        self.current, i.frames, i.stack, i.state, i.active = line, line.frames, line.stack, line.state, line.active
        line.thread.parent = getcurrent()
        try:
            line.thread.switch()
        finally:
            self.current, i.frames, i.stack, i.state, i.active = outer

    @property
    def can_stop(self) -> bool:
        """Whether the code that runs now may be left and gone on with later."""
        return not self.interpreter.state.conditions and not self.interpreter.state.branching

    # ---------------------------------------------------------------------- promises

    def when_settled(self, value: Value, wake: Callable[[], object]) -> None:
        """Run `wake` once an awaited value is there."""
        if isinstance(value, Promise):
            value.handled = True
            if value.outside:
                self.macrotask(wake)
            elif value.settled:
                self.microtask(wake)
            else:
                certain = not self.interpreter.state.conditions
                self._waited.append(value)
                value.waiting.append(lambda: self.microtask(wake, certain))
        elif isinstance(value, External) or (isinstance(value, Unknown) and not value.closed):
            self.macrotask(wake)
        else:
            self.microtask(wake)

    def resolve(self, promise: Promise, value: Value) -> None:
        """Settle a promise with a value, which may itself be a promise."""
        if promise.settled is True:
            return
        if not isinstance(value, Promise):
            self._settle(promise, value, rejected=False)
            return

        def adopt() -> None:
            if promise.settled is not True:
                promise.may_reject = value.may_reject
                self._settle(promise, value.value, rejected=value.rejected)

        if value.settled and not self.can_stop:
            value.handled = True
            adopt()
        else:
            self.microtask(lambda: self.when_settled(value, adopt))

    def reject(self, promise: Promise, value: Value) -> None:
        if promise.settled is not True:
            self._settle(promise, value, rejected=True)

    def _settle(self, promise: Promise, value: Value, rejected: bool) -> None:
        write = self.interpreter.write
        write(promise.__dict__, "value", value)
        write(promise.__dict__, "settled", True)
        if rejected:
            write(promise.__dict__, "rejected", True)
            if not self.interpreter.state.conditions:
                self._rejected.append(promise)
        for wake in promise.waiting:
            wake()

    def await_expression(self, value: Value) -> Value:
        """What `await value` gives; other code runs meanwhile where it would."""
        i = self.interpreter
        frame = i.frames[-1]
        if _may_fail(value):
            i.may_throw("an asynchronous call that may fail")
        if self.current is not None and self.can_stop:
            line = self.current
            self.when_settled(value, lambda: self.resume(line))
            self._blur(line)
            line.thread.parent.switch()
            line.state.is_torn = False
            sharpen(i, line.blurred)
        elif self.current is None and frame.promise is None and not i.state.branching:
            done: list[bool] = []
            self.when_settled(value, lambda: done.append(True))
            self.drain(lambda: bool(done))
        elif self.current is not None:
            self.current.may_have_stopped()
        if frame.is_loose:
            i.state.is_torn = True
        frame.has_awaited = True
        if _may_fail(value):
            i.may_throw("an asynchronous call that may fail")
        if isinstance(value, Promise):
            value.handled = True
            for condition in value.may_reject:
                thrown = JsThrow(Unknown("what an asynchronous function throws"))
                following = i.state.leave(("throw", thrown), {}, condition)
                if following:
                    i.state.conditions = (*i.state.conditions, following)
        return self.settled_value(value)

    def settled_value(self, value: Value) -> Value:
        """What a promise gives, and the promise noted as awaited.

        Raises:
            JsThrow: it is rejected.
        """
        i = self.interpreter
        for _ in range(8):
            if isinstance(value, Promise):
                if value.awaited_at is None:
                    value.awaited_at = len(i.effects)
                if value.settled is not True:
                    return Unknown(NOT_SETTLED)
                sharpen(i, value.deferred)
                if value.rejected is True:
                    raise JsThrow(value.value)
                if value.rejected is not False:
                    return Unknown("a promise that may be rejected")
                value = value.value
            elif isinstance(value, External) and isinstance(value.properties.get("*promise*"), Promise):
                promise = value.properties["*promise*"]
                if promise.awaited_at is None:
                    promise.awaited_at = len(i.effects)
                return value
            else:
                return value
        return value

    # ------------------------------------------------------------ async functions

    def call_async(self, frame: Frame, run: Callable[[], Value]) -> Promise:
        """Call an asynchronous function; `run` runs its body."""
        i = self.interpreter
        promise = Promise(Unknown(NOT_SETTLED), settled=False)
        frame.promise = promise
        if self.can_stop and not i.muted and self.lines < LINES:
            frame.is_loose = False
            self.start(lambda: self._body(promise, run), promise)
            return promise
        self._ahead(promise, frame, run)
        return promise

    def _body(self, promise: Promise, run: Callable[[], Value]) -> None:
        state = self.interpreter.state
        root = state.regions[-1]
        try:
            value = run()
        except JsThrow as thrown:
            self._end(state, root)
            self.reject(promise, thrown.value)
            return
        conditions = tuple(item.condition for item in root.escapes if item.completion[0] == "throw" and item.condition)
        self._end(state, root)
        promise.may_reject = conditions
        self.resolve(promise, value)

    @staticmethod
    def _end(state: State, root: Region) -> None:
        """Merge the ways that a line ended, and keep the journal for `_blur`."""
        journal = root.journal
        state.close(root, None, _anything)
        after = Region(())
        after.journal = journal
        state.regions.append(after)

    def _blur(self, line: Line) -> None:
        """Where a line may have stopped earlier, what it assigned since may not have happened yet for others."""
        root = line.state.regions[0] if line.state.regions else None
        journal = root.journal if root is not None else None
        line.blurred = []
        if root is None or journal is None or line.promise is None:
            return
        root.journal = None
        line.state.journal = None
        for container, name, old in journal.values():
            self._defer(line.blurred, container, name, old)
        line.promise.deferred.extend(line.blurred)

    def _ahead(self, promise: Promise, frame: Frame, run: Callable[[], Value]) -> None:
        i = self.interpreter
        region = Region(i.state.conditions)
        region.journal = i.state.journal = Journal()
        journal = region.journal
        i.state.regions.append(region)
        value: Value = Unknown("what is thrown")
        thrown: JsThrow | None = None
        was_torn = i.state.is_torn
        try:
            value = run()
        except JsThrow as error:
            thrown = error
        i.state.is_torn = was_torn
        i.state.close(region, None, _nothing)
        if frame.has_awaited:
            for container, name, old in list(journal.values()):
                self._defer(promise.deferred, container, name, old)
        if thrown is not None:
            self.reject(promise, thrown.value)
        else:
            self.resolve(promise, value)

    def _defer(self, deferred: list[Deferred], container: dict[str, Value], name: str, old: Any) -> None:
        """Put back what stood in a slot as far as others may still see it, and note what will stand there."""
        i = self.interpreter
        after = container.get(name, MISSING)
        if after is old or (name == "complete" and v.is_record(container)):
            return
        if isinstance(old, (list, dict)):
            meanwhile: Any = common([old, after])
            deferred.append((container, name, meanwhile, Collected(after, container["complete"])))
            i.write(container, name, meanwhile)
            i.write(container, "complete", False)
            return
        meanwhile = i.merged(old, after)
        i.write(container, name, meanwhile)
        deferred.append((container, name, meanwhile, after))


@dataclass(frozen=True, slots=True)
class Collected:
    """What an array or a map will hold."""

    held: Any
    complete: bool


def sharpen(i: Interpreter, deferred: list[Deferred]) -> None:
    """Let what was deferred have happened, where nothing else was assigned meanwhile."""
    for container, name, meanwhile, after in deferred:
        if container.get(name) is not meanwhile:
            continue
        if isinstance(after, Collected):
            i.write(container, name, after.held)
            i.write(container, "complete", after.complete)
        else:
            i.write(container, name, after)


def _may_fail(value: Value) -> bool:
    """Whether awaiting a value may throw for a reason outside the build."""
    if isinstance(value, Promise):
        return value.outside or value.settled is not True or isinstance(value.value, (Unknown, External))
    return isinstance(value, (External, Unknown))


def _anything(completion: object) -> bool:
    return True


def _nothing(completion: object) -> bool:
    return False


class Generator:
    """A generator's body on a line of its own, run from one yield to the next."""

    def __init__(self, scheduler: Scheduler, run: Callable[[], Value]) -> None:
        self.scheduler = scheduler
        i = scheduler.interpreter
        self.line = Line(list(i.frames), list(i.stack), i.new_state())
        self.line.thread = greenlet(self._body)
        self.run = run
        self.ended = False
        self.broken = False
        self.sent: Value = UNDEFINED
        self.given: tuple[str, Value] = ("return", None)

    def _body(self) -> None:
        try:
            value = self.run()
        except JsThrow as thrown:
            self.given = ("throw", thrown)
        else:
            self.given = ("return", value)
        self.ended = True

    def give(self, value: Value) -> Value:
        """`yield value`, from inside."""
        self.given = ("yield", value)
        self.line.thread.parent.switch()
        return self.sent

    def _run_ahead(self) -> None:
        """Run the rest of the body as something that perhaps happens."""
        if self.ended:
            return
        i = self.scheduler.interpreter
        state = self.line.state
        root = state.regions[0]
        root.journal = journal = root.journal if root.journal is not None else Journal()
        state.refresh()
        state.conditions = (*i.state.conditions, state.new_condition())
        state.branching += 1
        self.scheduler.resume(self.line)
        after = state.snapshot(journal)
        for container, name, old in journal.values():
            put(container, name, old)
        i.state.merge_in(after)

    def pull(self, sent: Value) -> tuple[str, Value] | None:
        """Run to the next yield. None where the code around may be undone, and from then on."""
        if self.broken:
            return None
        if not self.scheduler.can_stop or self.scheduler.interpreter.muted:
            self.broken = True
            self._run_ahead()
            return None
        if self.ended:
            return ("return", UNDEFINED)
        self.sent = sent
        self.scheduler.resume(self.line)
        if self.broken:
            return None
        if self.given[0] == "throw":
            raise self.given[1]
        return self.given
