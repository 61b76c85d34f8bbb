"""How the evaluator runs each kind of statement. Source: ECMA-262, chapter 14."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from forensics.facts import values as v
from forensics.facts.execution import Scope
from forensics.facts.state import (
    ESCAPES_TOGETHER,
    MISSING,
    Completion,
    JsThrow,
    Region,
    captures_labels,
    captures_nothing,
    captures_throw,
    merged,
    outcome,
    resumed,
)
from forensics.facts.values import UNDEFINED, External, JsObject, Unknown, Value
from forensics.syntax import ir

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

LOOP_LIMIT = 2_000
DISCOVERY_ROUNDS = 6


def run(i: Interpreter, body: list[ir.Statement], scope: Scope) -> Completion | None:
    """Statements in order, up to one that leaves."""
    for statement in body:
        completion = EXECUTE[type(statement)](i, statement, scope)
        if completion is not None:
            return completion
    return None


def block(i: Interpreter, body: list[ir.Statement], scope: Scope) -> Completion | None:
    inner = Scope(scope)
    for statement in body:
        if isinstance(statement, ir.FunctionDeclaration):
            inner.variables[statement.function.name] = i.closure(statement.function, inner)
    return run(i, body, inner)


def _declare(i: Interpreter, statement: ir.Declare, scope: Scope) -> Completion | None:
    i.step()
    target = statement.target
    if statement.value is None:
        if statement.kind != "var" and isinstance(target, ir.Name):
            i.write(scope.variables, target.name, UNDEFINED)
        return None
    value = i.evaluate(statement.value, scope)
    if isinstance(target, ir.Name):
        i.name_function(value, target.name, statement.value)
    where = scope.function_scope if statement.kind == "var" else scope
    i.bind(target, value, where, scope)
    if statement.kind == "const":
        if scope.constants is None:
            scope.constants = set()
        scope.constants.update(pattern_names(target))
    return None


def _evaluate(i: Interpreter, statement: ir.Evaluate, scope: Scope) -> Completion | None:
    i.step()
    i.evaluate(statement.expression, scope)
    return None


def _return(i: Interpreter, statement: ir.Return, scope: Scope) -> Completion | None:
    return ("return", UNDEFINED if statement.value is None else i.evaluate(statement.value, scope))


def _throw(i: Interpreter, statement: ir.Throw, scope: Scope) -> Completion | None:
    raise JsThrow(i.evaluate(statement.value, scope), i.site(statement))


def _if(i: Interpreter, statement: ir.If, scope: Scope) -> Completion | None:
    i.step()
    test = v.truthy(i.evaluate(statement.test, scope))
    if isinstance(test, bool):
        return block(i, statement.consequent if test else statement.alternate, scope)
    return i.state.fork(lambda: block(i, statement.consequent, scope), lambda: block(i, statement.alternate, scope))


# -------------------------------------------------------------------------- loops


def _labels(i: Interpreter) -> tuple[str, ...]:
    """The labels of the statement that begins now."""
    labels, i.labels = i.labels, ()
    return ("", *labels)


def _loop(
    i: Interpreter,
    labels: tuple[str, ...],
    test: Callable[[], Value],
    body: Callable[[], Completion | None],
    reopen: Callable[[], None],
    after: Callable[[], None],
) -> Completion | None:
    """Rounds until the test fails. `after` runs between a round and the next test; `reopen` makes what only the loop
    itself holds unknown, before its rounds stop being followed one by one."""
    continues = captures_labels("continue", labels)

    def round_() -> Completion | None:
        completion = i.state.region(body, continues)
        if completion is None:
            after()
        return completion

    def open_round() -> Completion | None:
        test()
        return round_()

    def rounds() -> Completion | None:
        region = i.state.regions[-1]
        for _ in range(LOOP_LIMIT):
            i.step()
            verdict = v.truthy(test())
            if verdict is False:
                return None
            if isinstance(verdict, Unknown) or len(region.escapes) > ESCAPES_TOGETHER:
                break
            completion = round_()
            if completion is not None:
                return completion
        reopen()
        return open_loop(i, open_round)

    return i.state.region(rounds, captures_labels("break", labels))


def open_loop(i: Interpreter, round_: Callable[[], Completion | None]) -> Completion | None:
    """Rounds of unknown number: what they assign is unknown in them and after them."""
    discover(i, round_)
    if i.muted:
        # Only what is assigned is asked for: a second run would double the work with every loop inside another.
        return None
    return i.state.fork(round_, lambda: None)


def discover(i: Interpreter, round_: Callable[[], Completion | None]) -> None:
    """Run a round as often as it finds more slots that it assigns, and make each of them unknown."""
    seen: set[tuple[int, str]] = set()
    for _ in range(1 if i.muted or i.phase != "startup" else DISCOVERY_ROUNDS):
        i.muted += 1
        try:
            branch = i.state.branch(round_, i.state.new_condition())
        finally:
            i.muted -= 1
        changed = dict(branch.difference)
        for escape in branch.escapes:
            for key, slot in escape.difference.items():
                if changed.get(key, slot)[2] is slot[2]:
                    changed[key] = slot
                else:
                    changed[key] = (slot[0], slot[1], merged(changed[key][2], slot[2]))
        fresh = [key for key in changed if key not in seen]
        if not fresh:
            return
        for key in fresh:
            seen.add(key)
            container, name, value = changed[key]
            _make_unknown(i, container, name, value)


def _make_unknown(i: Interpreter, container: dict[str, Value], name: str, value: Any) -> None:
    old = container.get(name, MISSING)
    if old is value:
        return
    if isinstance(old, (list, dict)) or isinstance(value, (list, dict)):
        common = old
        if isinstance(old, list) and isinstance(value, list):
            length = next((index for index, (a, b) in enumerate(zip(old, value, strict=False)) if a is not b), None)
            common = old[: min(len(old), len(value)) if length is None else length]
        elif isinstance(old, dict) and isinstance(value, dict):
            common = {key: item for key, item in old.items() if value.get(key) is item}
        i.write(container, name, common)
        i.write(container, "complete", False)
    elif isinstance(old, bool) and name in ("complete", "settled") and v.is_record(container):
        i.write(container, name, False)
    else:
        absent = any(item is MISSING or (isinstance(item, Unknown) and item.tag == v.ABSENT) for item in (old, value))
        tag = v.ABSENT if absent else ""
        i.write(container, name, Unknown("it changes in a loop whose length is not known", tag))


def _for(i: Interpreter, statement: ir.For, scope: Scope) -> Completion | None:
    labels = _labels(i)
    inner = Scope(scope)
    run(i, statement.init, inner)
    names = [name for declaration in statement.init for name in declared_names(declaration)]

    opened = False

    def test() -> Value:
        return True if statement.test is None else i.evaluate(statement.test, inner)

    def after() -> None:
        # Each round has its own copy of the loop's variables, so that closures keep theirs; rounds that are undone
        # must not leave a copy behind, so open ones share one.
        nonlocal inner
        if not opened:
            copy = Scope(scope)
            copy.variables.update(inner.variables)
            inner = copy
        if statement.update is not None:
            i.evaluate(statement.update, inner)

    def reopen() -> None:
        nonlocal inner, opened
        opened = True
        inner = Scope(scope)
        inner.variables.update({name: Unknown("a loop's variable") for name in names})

    return _loop(i, labels, test, lambda: block(i, statement.body, inner), reopen, after)


def _while(i: Interpreter, statement: ir.While, scope: Scope) -> Completion | None:
    labels = _labels(i)
    first = statement.test_last

    def test() -> Value:
        nonlocal first
        if first:
            first = False
            return True
        return i.evaluate(statement.test, scope)

    return _loop(i, labels, test, lambda: block(i, statement.body, scope), _nothing, _nothing)


def _nothing() -> None:
    return None


def _for_each(i: Interpreter, statement: ir.ForEach, scope: Scope) -> Completion | None:
    labels = _labels(i)
    iterable = i.evaluate(statement.iterable, scope)
    continues = captures_labels("continue", labels)

    def round_(value: Value) -> Completion | None:
        inner = Scope(scope)
        if statement.is_async:
            value = i.await_expression(value)
        if statement.declares:
            where = scope.function_scope if statement.declares == "var" else inner
            i.bind(statement.target, value, where, inner)
        else:
            i.assign(statement.target, value, inner)
        return i.state.region(lambda: block(i, statement.body, inner), continues)

    def rounds() -> Completion | None:
        region = i.state.regions[-1]
        items = i.keys_in(iterable) if statement.over_keys else i.elements(iterable, statement.is_async)
        for count, item in enumerate(items):
            i.step()
            if isinstance(item, v.Rest):
                unknown = Unknown(f"an element of a collection: {item.reason}")
                if isinstance(iterable, External):
                    unknown = Unknown(f"an element of {iterable.name}")
                return open_loop(i, partial(round_, unknown))
            if count >= LOOP_LIMIT or len(region.escapes) > ESCAPES_TOGETHER:
                return open_loop(i, lambda: round_(Unknown("one of very many elements")))
            completion = round_(item)
            if completion is not None:
                return completion
        return None

    return i.state.region(rounds, captures_labels("break", labels))


# -------------------------------------------------------------------- other control


def _try(i: Interpreter, statement: ir.Try, scope: Scope) -> Completion | None:
    if not statement.finalizer:
        return _try_catch(i, statement, scope)
    region = Region(i.state.conditions)
    i.state.regions.append(region)
    completion = outcome(lambda: _try_catch(i, statement, scope))
    escapes = [*region.escapes, *([region.maybe_thrown] if region.maybe_thrown is not None else [])]
    for escape in escapes:
        escape.difference = region.recorded() | escape.difference

        def finish(escape: Any = escape) -> Completion | None:
            i.state.restore([escape.difference])
            return block(i, statement.finalizer, scope)

        i.muted += 1
        try:
            branch = i.state.branch(finish, escape.condition or i.state.new_condition())
        finally:
            i.muted -= 1
        for key, (container, name, _) in branch.difference.items():
            assert region.journal is not None
            region.journal.setdefault(key, (container, name, container.get(name, MISSING)))
        escape.difference = {**escape.difference, **branch.difference}
        escape.completion = branch.completion or escape.completion
    final = outcome(lambda: block(i, statement.finalizer, scope))
    return resumed(i.state.close(region, final or completion, captures_nothing))


def _try_catch(i: Interpreter, statement: ir.Try, scope: Scope) -> Completion | None:
    handler = statement.handler
    if handler is None:
        return block(i, statement.block, scope)
    state = i.state
    region = Region(state.conditions)
    state.regions.append(region)
    state.catching += 1
    try:
        completion = outcome(lambda: block(i, statement.block, scope))
    finally:
        state.catching -= 1
    escaped = [escape for escape in region.escapes if escape.completion[0] == "throw"]
    likely = bool(escaped)
    if region.maybe_thrown is not None:
        escaped.append(region.maybe_thrown)

    def handle(thrown: Value) -> Completion | None:
        inner = Scope(scope)
        if statement.parameter is not None:
            i.bind(statement.parameter, thrown, inner, inner)
        return block(i, handler, inner)

    if completion is not None and completion[0] == "throw":
        # Certainly thrown, here or earlier: the states meet in the handler.
        caught: Value = completion[1].value
        for escape in escaped:
            caught = merged(caught, escape.completion[1].value)
        state.close(region, completion, captures_throw)
        return handle(caught)
    if not escaped:
        return resumed(state.close(region, completion, captures_throw))
    # What was assigned after the throw didn't happen on that way.
    before = region.recorded()
    for escape in escaped:
        escape.difference = before | escape.difference
    region.escapes = [escape for escape in region.escapes if escape.completion[0] != "throw"]
    region.maybe_thrown = None
    completion = state.close(region, completion, captures_nothing)
    thrown_value = escaped[0].completion[1].value
    for escape in escaped[1:]:
        thrown_value = merged(thrown_value, escape.completion[1].value)

    def fail() -> Completion | None:
        state.restore([escape.difference for escape in escaped])
        return handle(thrown_value)

    return state.fork(lambda: completion, fail, unlikely=-1 if likely else 1)


def _switch(i: Interpreter, statement: ir.Switch, scope: Scope) -> Completion | None:
    labels = _labels(i)
    subject = i.evaluate(statement.subject, scope)
    inner = Scope(scope)
    cases = statement.cases
    for case in cases:
        for declaration in case.body:
            if isinstance(declaration, ir.FunctionDeclaration):
                inner.variables[declaration.function.name] = i.closure(declaration.function, inner)

    def from_position(position: int) -> Completion | None:
        for case in cases[position:]:
            completion = run(i, case.body, inner)
            if completion is not None:
                return completion
        return None

    def decide(position: int) -> Completion | None:
        for index in range(position, len(cases)):
            test = cases[index].test
            if test is None:
                continue
            equal = v.strictly_equal(subject, i.evaluate(test, inner))
            if equal is True:
                return from_position(index)
            if isinstance(equal, Unknown):
                return i.state.fork(partial(from_position, index), partial(decide, index + 1))
        default = next((index for index, case in enumerate(cases) if case.test is None), len(cases))
        return from_position(default)

    return i.state.region(lambda: decide(0), captures_labels("break", labels))


def _block(i: Interpreter, statement: ir.Block, scope: Scope) -> Completion | None:
    return block(i, statement.body, scope)


def _labelled(i: Interpreter, statement: ir.Labelled, scope: Scope) -> Completion | None:
    i.labels = (*i.labels, statement.label)
    try:
        return i.state.region(lambda: run(i, statement.body, scope), captures_labels("break", (statement.label,)))
    finally:
        i.labels = ()


def _no_effect(i: Interpreter, statement: ir.Statement, scope: Scope) -> Completion | None:
    return None


def _class(i: Interpreter, statement: ir.ClassDeclaration, scope: Scope) -> Completion | None:
    i.write(scope.variables, statement.declaration.name, i.evaluate(statement.declaration, scope))
    return None


def _export_declaration(i: Interpreter, statement: ir.ExportDeclaration, scope: Scope) -> Completion | None:
    return run(i, statement.declarations, scope)


def _export_default(i: Interpreter, statement: ir.ExportDefault, scope: Scope) -> Completion | None:
    value = statement.value
    if isinstance(value, ir.Function) and value.name and not value.is_arrow:
        return None
    result = i.evaluate(value, scope)
    module = i.frames[-1].module
    if statement.form == "assignment" and module.commonjs is not None:
        i.write(module.commonjs.properties, "exports", result)
        return None
    i.name_function(result, "default", value)
    name = value.name if isinstance(value, ir.Class) and value.name else "*default*"
    i.write(scope.variables, name, result)
    return None


def _enum(i: Interpreter, statement: ir.Enum, scope: Scope) -> Completion | None:
    members: dict[str, Value] = {}
    following: Value = 0
    inner = Scope(scope)
    for name, initialiser in statement.members:
        value = following if initialiser is None else i.evaluate(initialiser, inner)
        members[name] = value
        inner.variables[name] = value
        if v.is_number(value):
            members[v.number_to_string(value)] = name
            following = v.number(value + 1)
        else:
            following = Unknown("an enum member without a value")
    i.write(scope.variables, statement.name, JsObject(members))
    return None


def _break(i: Interpreter, statement: ir.Break, scope: Scope) -> Completion | None:
    return ("break", statement.label)


def _continue(i: Interpreter, statement: ir.Continue, scope: Scope) -> Completion | None:
    return ("continue", statement.label)


# --------------------------------------------------------------------------- names


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
    """The names that a pattern binds, in order."""
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


def var_names(body: list[ir.Statement]) -> Iterator[str]:
    """Names declared with `var` anywhere in a function's body, nested blocks included."""
    stack: list[ir.Statement] = list(body)
    while stack:
        statement = stack.pop()
        if isinstance(statement, ir.Declare):
            if statement.kind == "var":
                yield from pattern_names(statement.target)
        elif isinstance(statement, ir.If):
            stack.extend(statement.consequent)
            stack.extend(statement.alternate)
        elif isinstance(statement, ir.Try):
            stack.extend(statement.block)
            stack.extend(statement.handler or [])
            stack.extend(statement.finalizer)
        elif isinstance(statement, (ir.While, ir.Block, ir.Labelled)):
            stack.extend(statement.body)
        elif isinstance(statement, ir.For):
            stack.extend(statement.init)
            stack.extend(statement.body)
        elif isinstance(statement, ir.ForEach):
            if statement.declares == "var":
                yield from pattern_names(statement.target)
            stack.extend(statement.body)
        elif isinstance(statement, ir.Switch):
            for case in statement.cases:
                stack.extend(case.body)
        elif isinstance(statement, ir.ExportDeclaration):
            stack.extend(statement.declarations)


EXECUTE: dict[type, Callable[[Interpreter, Any, Scope], Completion | None]] = {
    ir.Declare: _declare,
    ir.Evaluate: _evaluate,
    ir.Return: _return,
    ir.Throw: _throw,
    ir.If: _if,
    ir.For: _for,
    ir.ForEach: _for_each,
    ir.While: _while,
    ir.Try: _try,
    ir.Switch: _switch,
    ir.Block: _block,
    ir.Labelled: _labelled,
    ir.Break: _break,
    ir.Continue: _continue,
    ir.FunctionDeclaration: _no_effect,
    ir.ClassDeclaration: _class,
    ir.Import: _no_effect,
    ir.Export: _no_effect,
    ir.ExportDeclaration: _export_declaration,
    ir.ExportDefault: _export_default,
    ir.TypeDeclaration: _no_effect,
    ir.Enum: _enum,
    ir.Opaque: _no_effect,
}
