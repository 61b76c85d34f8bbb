"""How the evaluator computes each kind of expression. Source: ECMA-262, chapter 13."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from forensics.facts import operators
from forensics.facts import values as v
from forensics.facts.execution import Frame, ModuleRecord, Scope
from forensics.facts.state import MISSING, Completion, JsThrow, options_of
from forensics.facts.statements import block
from forensics.facts.values import (
    UNDEFINED,
    BigIntValue,
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

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter


def _const(i: Interpreter, node: ir.Const, scope: Scope) -> Value:
    return node.value


def _bigint(i: Interpreter, node: ir.BigInt, scope: Scope) -> Value:
    text = node.digits.rstrip("n").replace("_", "")
    if len(text) > operators.BIGGEST_POWER:
        return Unknown("a very big integer")
    return BigIntValue(int(text, 0) if text[:1] != "0" or len(text) == 1 or not text.isdigit() else int(text))


def _regex(i: Interpreter, node: ir.Regex, scope: Scope) -> Value:
    return RegExp(node.pattern, node.flags)


def _name(i: Interpreter, node: ir.Name, scope: Scope) -> Value:
    return i.lookup(node.name, scope)


def _template(i: Interpreter, node: ir.Template, scope: Scope) -> Value:
    return v.concatenate([i.text(i.evaluate(part, scope)) for part in node.parts])


def _tagged(i: Interpreter, node: ir.Tagged, scope: Scope) -> Value:
    this, tag = i.callee(node.tag, scope)
    if isinstance(tag, (v.Short, v.MaybeShort)):
        return Unknown("a tagged template")
    if isinstance(tag, External):
        return i.call_external(tag, [_template(i, node.template, scope)], node, is_new=False)
    strings: list[Value] = [""]
    given: list[Value] = []
    for part in node.template.parts:
        # A text and a string in `${}` are told apart by the quotes that the string's span holds.
        if isinstance(part, ir.Const) and isinstance(part.value, str):
            quotes = part.end - part.start - len(part.value.encode("utf-8", "surrogatepass"))
            if quotes == 0:
                strings[-1] += part.value
                continue
            if quotes != 2:
                return Unknown("a tagged template")
        given.append(i.evaluate(part, scope))
        strings.append("")
    texts = JsArray(strings)
    if any("\n" in text or "\t" in text or "\\" in text or not text.isprintable() for text in strings):
        texts.extra["raw"] = Unknown("the raw text of a template")
    else:
        texts.extra["raw"] = JsArray(strings)
    return i.call(tag, this, [texts, *given], node)


def _array(i: Interpreter, node: ir.Array, scope: Scope) -> Value:
    holes = any(item is None for item in node.items)
    items, complete = spread_items(
        i, [ir.Name(0, 0, "undefined") if item is None else item for item in node.items], scope
    )
    return JsArray(items, complete, holes)


def spread_items(i: Interpreter, expressions: list[ir.Expression], scope: Scope) -> tuple[list[Value], bool]:
    """Values of a list with spreads, and whether all are there (those after an unknown spread are left out)."""
    found: list[Value] = []
    complete = True
    for expression in expressions:
        if type(expression) is ir.Spread:
            items = i.iterate(i.evaluate(expression.value, scope))
            if isinstance(items, Unknown):
                complete = False
            elif complete:
                i.charge(len(items))
                found.extend(items)
        else:
            value = i.evaluate(expression, scope)
            if complete:
                found.append(value)
    return found, complete


def _object(i: Interpreter, node: ir.Object, scope: Scope) -> Value:
    made = JsObject()
    for item in node.properties:
        if item.kind == "spread":
            spread_object(i, made, i.evaluate(item.value, scope))
            continue
        assert item.key is not None
        key = i.property_key(i.evaluate(item.key, scope))
        value = i.evaluate(item.value, scope)
        if isinstance(value, Closure) and item.kind in ("method", "get", "set"):
            value.home = made
        if key is None:
            made.complete = False
            for name in made.properties:
                made.properties[name] = Unknown("a later key is not known")
            continue
        old = made.properties.get(key)
        if item.kind == "get" and isinstance(value, Closure):
            made.properties[key] = Getter(value, old.setter if isinstance(old, Getter) else None)
        elif item.kind == "set" and isinstance(value, Closure):
            made.properties[key] = Getter(old.closure if isinstance(old, Getter) else None, value)
        elif key == "__proto__" and isinstance(item.key, ir.Const) and item.kind == "init":
            made.prototype = value if isinstance(value, JsObject) else None
            made.complete = made.complete and (value is None or isinstance(value, JsObject))
        else:
            i.name_function(value, key, item.value)
            made.properties[key] = value
    return made


def spread_object(i: Interpreter, made: JsObject, value: Value) -> None:
    """`{...value}` into an object that is being made."""
    if isinstance(value, (JsMap, Undefined, bool, int, float, Closure)) or value is None:
        return
    if isinstance(value, str):
        for index, character in enumerate(value):
            made.properties[str(index)] = character
        made.complete = made.complete and value.isascii()
    elif isinstance(value, JsObject):
        for key in [key for key in value.properties if i.is_enumerable(value, key)]:
            item = value.properties[key]
            if isinstance(item, Unknown) and item.tag == v.ABSENT and key in made.properties:
                candidates, closed = options_of(made.properties[key])
                present = tuple(option for option in item.candidates if not isinstance(option, Undefined))
                item = Unknown(item.reason, "", (*present, *candidates), item.closed and closed)
            made.properties[key] = i.get(item, value)
        made.shuffled = made.shuffled or value.shuffled
        if not value.complete:
            _may_overwrite(made, "a property that may have been set", set(value.properties))
        if isinstance(value, v.Environment) and made.base is None:
            made.base = External("process.env")
    elif isinstance(value, JsArray):
        for index, item in enumerate(value.items):
            made.properties[str(index)] = item
        made.complete = made.complete and value.complete and not value.holes
    elif isinstance(value, Namespace):
        for name in i.export_names(value.module):
            made.properties[name] = i.export(value.module, name)
    else:
        # A conditional spread of known objects still says what it may add.
        objects = [item for item in options_of(value)[0] if isinstance(item, JsObject) and type(item) is JsObject]
        nothing = (None, False, "", 0)
        known = isinstance(value, Unknown) and value.closed and all(
            item in objects or isinstance(item, (Undefined, bool)) or item in nothing for item in value.candidates
        )  # fmt: skip
        if not known:
            _may_overwrite(made, v.reason_of(value), set())
        added: dict[str, list[Value]] = {}
        for item in objects:
            for key, option in item.properties.items():
                added.setdefault(key, []).append(option)
        for key, options in added.items():
            old = made.properties.get(key, MISSING)
            before, closed = ((UNDEFINED,), known) if old is MISSING else options_of(old)
            tag = v.ABSENT if old is MISSING else ""
            made.properties[key] = Unknown(v.reason_of(value), tag, (*options, *before), closed and known)


def _may_overwrite(made: JsObject, reason: str, sure: set[str]) -> None:
    for key in made.properties:
        if key not in sure:
            made.properties[key] = Unknown(
                f"it may be overwritten by a spread: {reason}", candidates=options_of(made.properties[key])[0]
            )
    made.complete = False


def _function(i: Interpreter, node: ir.Function, scope: Scope) -> Value:
    if node.name and not node.is_arrow:
        inner = Scope(scope)
        closure = i.closure(node, inner)
        inner.variables[node.name] = closure
        return closure
    return i.closure(node, scope)


def _member(i: Interpreter, node: ir.Member | ir.Index, scope: Scope) -> Value:
    found = i.link(node, scope)
    if isinstance(found, v.MaybeShort):
        return i.merged(found.value, UNDEFINED)
    return found.value if isinstance(found, v.Short) else found


def _call(i: Interpreter, node: ir.Call, scope: Scope) -> Value:
    found = i.link(node, scope)
    if isinstance(found, v.MaybeShort):
        return i.merged(found.value, UNDEFINED)
    return found.value if isinstance(found, v.Short) else found


def _new(i: Interpreter, node: ir.New, scope: Scope) -> Value:
    callee = i.evaluate(node.callee, scope)
    arguments, complete = spread_items(i, node.arguments, scope)
    if not complete:
        arguments.append(Unknown("a spread argument", v.SPREAD))
    return i.construct(callee, arguments, node)


def _class(i: Interpreter, node: ir.Class, scope: Scope) -> Value:
    superclass = None if node.superclass is None else i.evaluate(node.superclass, scope)
    inner = Scope(scope)
    made = ClassValue(node, inner, i.frames[-1].module, superclass)
    if node.name:
        inner.variables[node.name] = made
    static: list[tuple[ir.ClassMember, str]] = []
    for member in node.members:
        key = "" if member.key is None else i.property_key(i.evaluate(member.key, scope))
        if key is None:
            continue
        if isinstance(member.key, ir.Const) and key.startswith("#"):
            key = v.PRIVATE + key
        if member.kind in ("field", "static-block"):
            (static if member.is_static or member.kind == "static-block" else made.fields).append((member, key))
            continue
        if not isinstance(member.value, ir.Function):
            continue
        closure = i.closure(member.value, inner)
        closure.home = made
        closure.is_static = member.is_static
        if member.kind == "constructor":
            made.constructor = closure
            continue
        table = made.properties if member.is_static else made.methods
        old = table.get(key)
        if member.kind == "get":
            table[key] = Getter(closure, old.setter if isinstance(old, Getter) else None)
        elif member.kind == "set":
            table[key] = Getter(old.closure if isinstance(old, Getter) else None, closure)
        else:
            table[key] = closure
    frame = Frame(None, made, i.frames[-1].module, home=made, is_static=True)
    i.frames.append(frame)
    try:
        for member, key in static:
            if member.kind == "static-block" and isinstance(member.value, ir.Function):
                block(i, member.value.body, inner)
            else:
                value = UNDEFINED if member.value is None else i.evaluate(member.value, inner)
                i.write(made.properties, key, value)
    finally:
        i.frames.pop()
    return made


def _unary(i: Interpreter, node: ir.Unary, scope: Scope) -> Value:
    sign = node.operator
    if sign == "typeof":
        if isinstance(node.operand, ir.Name):
            found = i.find(node.operand.name, scope)
            return "undefined" if found is MISSING else _type_name(i, found)
        return _type_name(i, i.evaluate(node.operand, scope))
    if sign == "delete":
        return _delete(i, node.operand, scope)
    value = i.evaluate(node.operand, scope)
    if sign == "!":
        test = v.truthy(value)
        return _either(test) if isinstance(test, Unknown) else not test
    if sign == "void":
        return UNDEFINED
    if isinstance(value, BigIntValue):
        return BigIntValue(-value.digits) if sign == "-" else Unknown("arithmetic on a big integer")
    number = v.to_number(i.primitive(value, "number"))
    if isinstance(number, Unknown):
        return number
    if sign == "-":
        return v.number(-float(number))
    return number if sign == "+" else ~operators.int32(number)


def _delete(i: Interpreter, operand: ir.Expression, scope: Scope) -> Value:
    if not isinstance(operand, (ir.Member, ir.Index)):
        return True
    owner = i.evaluate(operand.object, scope)
    if isinstance(operand, ir.Member):
        name: str | None = operand.name
    else:
        name = i.property_key(i.evaluate(operand.index, scope))
    targets = options_of(owner)[0] if isinstance(owner, Unknown) else (owner,)
    for target in targets:
        if name is None or isinstance(target, JsArray) or isinstance(owner, Unknown):
            i.forget(target)
        elif isinstance(target, (JsObject, Closure, ClassValue)):
            i.write(target.properties, name, MISSING)
    return True


def _type_name(i: Interpreter, value: Value) -> Value:
    if isinstance(value, External):
        named = i.host.member(i, value, "*typeof*")
        if isinstance(named, str):
            return named
    return v.type_of(value)


def _binary(i: Interpreter, node: ir.Binary, scope: Scope) -> Value:
    operands = iter(node.operands)
    result = i.evaluate(next(operands), scope)
    for operand in operands:
        result = binary(i, node.operator, result, i.evaluate(operand, scope))
    return result


def _either(value: Value) -> Value:
    """A boolean that isn't known is one of two values."""
    return Unknown(value.reason, "", (True, False), closed=True) if isinstance(value, Unknown) else value


def binary(i: Interpreter, sign: str, left: Value, right: Value) -> Value:
    """One binary operation on values."""
    if sign == "+":
        return _add(i, left, right)
    if sign in ("===", "!=="):
        equal = v.strictly_equal(left, right)
        return _either(equal) if isinstance(equal, Unknown) else equal if sign == "===" else not equal
    if sign in ("==", "!="):
        if isinstance(left, v.SIMPLE) != isinstance(right, v.SIMPLE):
            left, right = (i.primitive(item, "default") if i.is_object(item) else item for item in (left, right))
        equal = v.loosely_equal(left, right)
        return _either(equal) if isinstance(equal, Unknown) else equal if sign == "==" else not equal
    if sign == "instanceof":
        return _either(i.instance_of(left, right))
    if sign == "in":
        key = i.property_key(left)
        return _either(Unknown("whether a property exists") if key is None else i.has_property(right, key))
    left, right = i.primitive(left, "number"), i.primitive(right, "number")
    if sign in ("<", ">", "<=", ">="):
        return _either(operators.compare(sign, left, right))
    if isinstance(left, BigIntValue) and isinstance(right, BigIntValue):
        return operators.big_arithmetic(sign, left.digits, right.digits)
    if isinstance(left, BigIntValue) or isinstance(right, BigIntValue):
        return Unknown("arithmetic on a big integer")
    one, other = v.to_number(left), v.to_number(right)
    if isinstance(one, Unknown):
        return one
    return other if isinstance(other, Unknown) else operators.arithmetic(sign, one, other)


def _add(i: Interpreter, left: Value, right: Value) -> Value:
    left, right = i.primitive(left, "default"), i.primitive(right, "default")
    if isinstance(left, (str, Text)) or isinstance(right, (str, Text)):
        return v.concatenate([v.to_text(left), v.to_text(right)])
    if isinstance(left, BigIntValue) and isinstance(right, BigIntValue):
        return operators.big_arithmetic("+", left.digits, right.digits)
    numeric = (int, float, bool, type(None), Undefined)
    if isinstance(left, numeric) and isinstance(right, numeric):
        one, other = v.to_number(left), v.to_number(right)
        if isinstance(one, Unknown):
            return one
        return other if isinstance(other, Unknown) else operators.arithmetic("+", one, other)
    return Unknown(v.reason_of(right if isinstance(left, numeric) else left))


def _logical(i: Interpreter, node: ir.Logical, scope: Scope) -> Value:
    return _logical_from(i, node, 1, i.evaluate(node.operands[0], scope), scope)


def _logical_from(i: Interpreter, node: ir.Logical, position: int, result: Value, scope: Scope) -> Value:
    sign = node.operator
    for index in range(position, len(node.operands)):
        if sign == "??":
            decided: bool | Unknown = nullish(result)
        else:
            test = v.truthy(result)
            decided = test if isinstance(test, Unknown) else (test if sign == "&&" else not test)
        if decided is False:
            return result
        if isinstance(decided, Unknown):
            return _open_logical(i, node, index, result, scope)
        result = i.evaluate(node.operands[index], scope)
    return result


_PURE = (ir.Const, ir.Name, ir.This, ir.BigInt, ir.Regex, ir.ImportMeta, ir.Function)


def is_pure(i: Interpreter, node: ir.Expression) -> bool:
    """Whether evaluating an expression assigns nothing, calls nothing and awaits nothing (accessors left aside)."""
    known = i.pure.get(id(node))
    if known is None:
        if isinstance(node, _PURE):
            known = True
        elif isinstance(node, ir.Member):
            known = is_pure(i, node.object)
        elif isinstance(node, ir.Index):
            known = is_pure(i, node.object) and is_pure(i, node.index)
        elif isinstance(node, (ir.Binary, ir.Logical)):
            known = all(is_pure(i, operand) for operand in node.operands)
        elif isinstance(node, ir.Template):
            known = all(is_pure(i, part) for part in node.parts)
        elif isinstance(node, ir.Unary):
            known = node.operator != "delete" and is_pure(i, node.operand)
        elif isinstance(node, ir.Conditional):
            known = all(is_pure(i, part) for part in (node.test, node.consequent, node.alternate))
        elif isinstance(node, ir.Array):
            known = all(item is None or is_pure(i, item) for item in node.items)
        elif isinstance(node, ir.Object):
            known = all(item.kind == "init" and item.key is not None and is_pure(i, item.key) and is_pure(i, item.value) for item in node.properties)  # fmt: skip
        else:
            known = False
        i.pure[id(node)] = known
    return known


def _perhaps(i: Interpreter, node: ir.Expression, scope: Scope) -> Value:
    """The value of a pure expression that may not be evaluated; MISSING where evaluating it throws."""
    before = i.state.conditions
    i.state.conditions = (*before, i.state.new_condition())
    try:
        return i.evaluate(node, scope)
    except JsThrow:
        return MISSING
    finally:
        i.state.conditions = before


def _open_logical(i: Interpreter, node: ir.Logical, position: int, left: Value, scope: Scope) -> Value:
    """`unknown || x`: the right side may be evaluated; the result is one of the two."""
    found: list[Value] = []

    def right() -> Completion | None:
        value = i.evaluate(node.operands[position], scope)
        found.append(_logical_from(i, node, position + 1, value, scope))
        return None

    value = MISSING
    if all(is_pure(i, operand) for operand in node.operands[position:]):
        rest = node.operands[position:]
        whole = rest[0] if len(rest) == 1 else ir.Logical(rest[0].start, rest[-1].end, node.operator, rest)
        value = _perhaps(i, whole, scope)
    if value is MISSING:
        i.state.fork(right, lambda: None)
    else:
        found.append(value)
    # What the left side can be where it is the result.
    options, closed = options_of(left)
    options = tuple(item for item in options if _may_remain(node.operator, item))
    if not found:
        return left
    others, also_closed = options_of(found[0])
    tag = left.tag if isinstance(left, Unknown) and node.operator != "&&" and left.tag != v.ABSENT else ""
    if node.operator == "&&" and not closed:
        # The left side is the result only where it is falsy, which says nothing of what the right side adds.
        options, closed = (), False
    return Unknown(v.reason_of(left), tag, (*options, *others), closed and also_closed)


def _may_remain(sign: str, value: Value) -> bool:
    if sign == "??":
        return nullish(value) is not True
    test = v.truthy(value)
    return isinstance(test, Unknown) or test is (sign == "||")


def nullish(value: Value) -> bool | Unknown:
    """Whether a value is null or undefined."""
    if value is None or isinstance(value, Undefined):
        return True
    if isinstance(value, Unknown):
        if value.closed and not any(nullish(item) is not False for item in value.candidates):
            return False
        return value
    if isinstance(value, External) and not value.name.startswith("new "):
        return Unknown(v.reason_of(value))
    return False


def _conditional(i: Interpreter, node: ir.Conditional, scope: Scope) -> Value:
    test = v.truthy(i.evaluate(node.test, scope))
    if isinstance(test, bool):
        return i.evaluate(node.consequent if test else node.alternate, scope)
    found: list[Value] = []

    def side(expression: ir.Expression) -> Callable[[], Completion | None]:
        def run() -> Completion | None:
            found.append(i.evaluate(expression, scope))
            return None

        return run

    if is_pure(i, node.consequent) and is_pure(i, node.alternate):
        found = [_perhaps(i, node.consequent, scope), _perhaps(i, node.alternate, scope)]
        if any(value is MISSING for value in found):
            found = []
    if not found:
        i.state.fork(side(node.consequent), side(node.alternate))
    if len(found) == 1:
        return found[0]
    result = i.merged(found[0], found[1])
    if isinstance(result, Unknown):
        return Unknown(test.reason, result.tag, result.candidates, result.closed)
    return result


def _assign(i: Interpreter, node: ir.Assign, scope: Scope) -> Value:
    sign, target = node.operator, node.target
    if sign == "=":
        if isinstance(target, (ir.Member, ir.Index)):
            owner, key = _place(i, target, scope)
            value = i.evaluate(node.value, scope)
            i.set_at(owner, key, value, target)
            return value
        value = i.evaluate(node.value, scope)
        if isinstance(target, ir.Name):
            i.name_function(value, target.name, node.value)
        i.assign(target, value, scope)
        return value
    place = _place(i, target, scope) if isinstance(target, (ir.Member, ir.Index)) else None

    def read() -> Value:
        if place is None:
            return i.evaluate(target, scope)  # type: ignore[arg-type]
        return Unknown("an element chosen at run time") if place[1] is None else i.member(place[0], place[1])

    def store(value: Value) -> Value:
        if place is None:
            i.assign(target, value, scope)
        else:
            i.set_at(place[0], place[1], value, target)
        return value

    if sign not in ("||=", "&&=", "??="):
        return store(binary(i, sign[:-1], read(), i.evaluate(node.value, scope)))
    current = read()
    stands = v.truthy(current) if sign != "??=" else nullish(current)
    if isinstance(stands, Unknown):
        options, closed = options_of(current)
        kept = tuple(item for item in options if _may_remain(sign[:2], item))
        found: list[Value] = []

        def replace() -> Completion | None:
            found.append(store(i.evaluate(node.value, scope)))
            return None

        i.state.fork(replace, lambda: None)
        if not found:
            return current
        others, also_closed = options_of(found[0])
        result = Unknown(stands.reason, "", (*kept, *others), closed and also_closed)
        return store(result)
    keeps = stands if sign == "||=" else not stands
    return current if keeps else store(i.evaluate(node.value, scope))


def _place(i: Interpreter, target: ir.Member | ir.Index, scope: Scope) -> tuple[Value, str | None]:
    """The object and the key that an assignment to a member means."""
    if isinstance(target.object, ir.Super):
        owner: Value = i.frames[-1].this
    else:
        owner = i.evaluate(target.object, scope)
    if isinstance(target, ir.Member):
        return owner, v.private_name(target.name)
    return owner, i.property_key(i.evaluate(target.index, scope))


def _update(i: Interpreter, node: ir.Update, scope: Scope) -> Value:
    target = node.target
    place = _place(i, target, scope) if isinstance(target, (ir.Member, ir.Index)) else None
    if place is None:
        old = i.evaluate(target, scope)
    else:
        old = Unknown("an element chosen at run time") if place[1] is None else i.member(place[0], place[1])
    if isinstance(old, BigIntValue):
        new: Value = BigIntValue(old.digits + (1 if node.operator == "++" else -1))
    else:
        old = v.to_number(i.primitive(old, "number"))
        new = old if isinstance(old, Unknown) else operators.arithmetic("+" if node.operator == "++" else "-", old, 1)
    if isinstance(new, Unknown):
        new = Unknown(new.reason)
    if place is None:
        i.assign(target, new, scope)  # type: ignore[arg-type]
    else:
        i.set_at(place[0], place[1], new, target)
    return new if node.prefix else old


def _sequence(i: Interpreter, node: ir.Sequence, scope: Scope) -> Value:
    result: Value = UNDEFINED
    for item in node.expressions:
        result = i.evaluate(item, scope)
    return result


def _await(i: Interpreter, node: ir.Await, scope: Scope) -> Value:
    i.awaited_node = node.value
    return i.await_expression(i.evaluate(node.value, scope))


def _yield(i: Interpreter, node: ir.Yield, scope: Scope) -> Value:
    value = UNDEFINED if node.value is None else i.evaluate(node.value, scope)
    return i.yield_expression(value, node.delegate)


def _dynamic_import(i: Interpreter, node: ir.DynamicImport, scope: Scope) -> Value:
    specifier = i.evaluate(node.specifier, scope)
    if isinstance(specifier, UrlValue):
        specifier = specifier.href
    if not isinstance(specifier, str):
        return Promise(Unknown(f"a module chosen at run time: {v.reason_of(specifier)}"))
    target = i.resolve_module(specifier, i.frames[-1].module, node)
    if isinstance(target, External):
        i.host.call(i, i.record("import", (specifier,), node, None))
    return Promise(Namespace(target) if isinstance(target, ModuleRecord) else target)


def _import_meta(i: Interpreter, node: ir.ImportMeta, scope: Scope) -> Value:
    return i.host.import_meta(i.frames[-1].module)


def _this(i: Interpreter, node: ir.This, scope: Scope) -> Value:
    return i.frames[-1].this


def _opaque(i: Interpreter, node: ir.Opaque, scope: Scope) -> Value:
    return Unknown(node.reason)


def _super(i: Interpreter, node: ir.Super, scope: Scope) -> Value:
    return Unknown("super")


def _new_target(i: Interpreter, node: ir.NewTarget, scope: Scope) -> Value:
    return i.frames[-1].new_target


def _spread(i: Interpreter, node: ir.Spread, scope: Scope) -> Value:
    return i.evaluate(node.value, scope)


def _jsx(i: Interpreter, node: ir.Jsx, scope: Scope) -> Value:
    attributes = JsObject()
    for attribute in node.attributes:
        value = i.evaluate(attribute.value, scope)
        if attribute.name == "...":
            spread_object(i, attributes, value)
        else:
            attributes.properties[attribute.name] = value
    for child in node.children:
        value = i.evaluate(child, scope)
        if isinstance(value, Closure):
            i.schedule_event(value, External("jsx child"))
    element = None if node.element is None else i.evaluate(node.element, scope)
    if isinstance(element, (str, External)):
        name = element if isinstance(element, str) else element.name
        receiver = element if isinstance(element, External) else None
        effect = i.record(f"jsx:{name}", (attributes,), node, receiver)
        i.hand_over(attributes, effect, 0)
    elif isinstance(element, Closure):
        for value in attributes.properties.values():
            if isinstance(value, Closure):
                i.note_made(value)
        if not i.was_executed(element):
            attributes.complete = False
            i.maybe(lambda: i.call_closure(element, UNDEFINED, [attributes], node))
    return Unknown("a rendered element")


EVALUATE: dict[type, Callable[[Interpreter, Any, Scope], Value]] = {
    ir.Const: _const,
    ir.BigInt: _bigint,
    ir.Regex: _regex,
    ir.Name: _name,
    ir.Template: _template,
    ir.Tagged: _tagged,
    ir.Array: _array,
    ir.Object: _object,
    ir.Function: _function,
    ir.Member: _member,
    ir.Index: _member,
    ir.Call: _call,
    ir.New: _new,
    ir.Spread: _spread,
    ir.Unary: _unary,
    ir.Binary: _binary,
    ir.Logical: _logical,
    ir.Conditional: _conditional,
    ir.Assign: _assign,
    ir.Update: _update,
    ir.Sequence: _sequence,
    ir.Await: _await,
    ir.Yield: _yield,
    ir.DynamicImport: _dynamic_import,
    ir.ImportMeta: _import_meta,
    ir.This: _this,
    ir.Super: _super,
    ir.NewTarget: _new_target,
    ir.Jsx: _jsx,
    ir.Opaque: _opaque,
    ir.Class: _class,
}
