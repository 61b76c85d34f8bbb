"""Reading and setting members, along prototypes and optional chains. Source: ECMA-262, chapters 10.1 and 13.3."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from forensics.facts import calls
from forensics.facts import values as v
from forensics.facts.builtins import builtin_member
from forensics.facts.builtins_urls import changed_url
from forensics.facts.execution import (
    BudgetExceeded,
    Scope,
)
from forensics.facts.iteration import ELEMENTS
from forensics.facts.state import (
    MISSING,
    Completion,
    merged,
)
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
    MaybeShort,
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

if TYPE_CHECKING:
    from forensics.facts.interpreter import Interpreter

ELEMENTS_TOLD = 64
"""How many elements stand for one that is chosen at run time."""


def callee(i: Interpreter, node: ir.Expression, scope: Scope) -> tuple[Value, Value]:
    """`this` and the function of a call of `node`."""
    if isinstance(node, (ir.Member, ir.Index)):
        if isinstance(node.object, ir.Super):
            return i.frames[-1].this, i.evaluate(node, scope)
        owner = link_or_value(i, node.object, scope)
        if isinstance(owner, Short):
            return UNDEFINED, owner
        return owner.value if isinstance(owner, MaybeShort) else owner, member_of(i, owner, node, scope)
    return UNDEFINED, link_or_value(i, node, scope)


def link_or_value(i: Interpreter, node: ir.Expression, scope: Scope) -> Value:
    if isinstance(node, (ir.Member, ir.Index, ir.Call)):
        i.steps -= 1
        if i.steps < 0:
            raise BudgetExceeded
        return link(i, node, scope)
    return i.evaluate(node, scope)


def link(i: Interpreter, node: ir.Expression, scope: Scope) -> Value:
    """One link of a chain of members and calls; `Short` where a `?.` ended the chain."""
    if isinstance(node, ir.Call):
        return calls.call_link(i, node, scope)
    assert isinstance(node, (ir.Member, ir.Index))
    if isinstance(node.object, ir.Super):
        return super_member(i, node, scope)
    owner = link_or_value(i, node.object, scope)
    return owner if isinstance(owner, Short) else member_of(i, owner, node, scope)


def member_of(i: Interpreter, owner: Value, node: ir.Member | ir.Index, scope: Scope) -> Value:
    if isinstance(owner, MaybeShort):
        found = member_of(i, owner.value, node, scope)
        return found if isinstance(found, (Short, MaybeShort)) else MaybeShort(found)
    if node.optional and (owner is None or isinstance(owner, Undefined)):
        return Short(owner if isinstance(owner, Undefined) else UNDEFINED)
    some = v.without_nullish(owner) if type(owner) is Unknown else None
    if some is None:
        return _own_member(i, owner, node, scope)
    if node.optional:
        found = _own_member(i, some, node, scope) if some.candidates else UNDEFINED
        return MaybeShort(found)
    # On the ways on which there is no object the language throws. What runs late is uncertain as it is.
    if i.phase == "startup":
        i.state.fork(partial(_throw_nullish, i, node), _nothing)
        _narrow(i, node.object, scope, owner, some)
    return _own_member(i, some, node, scope)


def _narrow(i: Interpreter, node: ir.Expression, scope: Scope, owner: Value, narrowed: Value) -> None:
    """A variable that was read from without an error is no longer what would have thrown."""
    holder: Scope | None = scope if isinstance(node, ir.Name) else None
    while isinstance(node, ir.Name) and holder is not None:
        if node.name in holder.variables:
            if holder.variables[node.name] is owner:
                i.write(holder.variables, node.name, narrowed)
            return
        holder = holder.parent


def _own_member(i: Interpreter, owner: Value, node: ir.Member | ir.Index, scope: Scope) -> Value:
    if isinstance(node, ir.Member):
        return member(i, owner, v.private_name(node.name), node)
    index = i.evaluate(node.index, scope)
    key = i.property_key(index)
    if key is None:
        return any_member(i, owner, v.reason_of(index))
    return member(i, owner, key, node)


def _throw_nullish(i: Interpreter, node: ir.Member | ir.Index) -> Completion | None:
    name = node.name if isinstance(node, ir.Member) else "an element"
    i.throw("TypeError", f"Cannot read properties of undefined (reading '{name}')")
    return None


def _nothing() -> Completion | None:
    return None


def any_member(i: Interpreter, owner: Value, reason: str) -> Value:
    """A member chosen at run time: perhaps one of those there are."""
    why = f"an element chosen at run time: {reason}"
    if isinstance(owner, JsArray):
        return Unknown(why, candidates=tuple(owner.items[:ELEMENTS_TOLD]))
    if type(owner) is JsObject:
        options = [item for item in owner.properties.values() if not isinstance(item, (Getter, Unknown))]
        return Unknown(why, candidates=tuple(options[:ELEMENTS_TOLD]))
    return Unknown(why)


def super_member(i: Interpreter, node: ir.Member | ir.Index, scope: Scope) -> Value:
    frame = i.frames[-1]
    if isinstance(node, ir.Member):
        name: str | None = node.name
    else:
        name = i.property_key(i.evaluate(node.index, scope))
    if name is None:
        return Unknown("super")
    if isinstance(frame.home, JsObject):
        return UNDEFINED if frame.home.prototype is None else member(i, frame.home.prototype, name)
    parent = frame.home.superclass if frame.home else None
    if isinstance(parent, ClassValue):
        return member(i, parent, name) if frame.is_static else get(i, class_method(i, parent, name), frame.this)
    if isinstance(parent, External):
        return External(f"{parent.name}().{name}")
    return Unknown("super")


def member(i: Interpreter, owner: Value, name: str, node: ir.Node | None = None, optional: bool = False) -> Value:
    """`owner.name`

    Raises:
        JsThrow: the owner is null or undefined.
    """
    kind = type(owner)
    if kind is External:
        return external_member(i, owner, name)
    if isinstance(owner, JsObject):
        return object_member(i, owner, name)
    if kind is Unknown:
        return member_of_unknown(i, owner, name)
    if owner is None or kind is Undefined:
        if optional:
            return Undefined(owner.reason if kind is Undefined else "")
        if kind is Undefined and owner.reason:
            i.may_throw(f"{name} is read from undefined")
            return Unknown(owner.reason)
        return i.throw("TypeError", f"Cannot read properties of {v.to_text(owner)} (reading '{name}')")
    if kind is Namespace:
        return i.export(owner.module, name)
    if kind is Closure:
        return closure_member(i, owner, name)
    if kind is ClassValue:
        holder: Value = owner
        while isinstance(holder, ClassValue):
            if name in holder.properties:
                return get(i, holder.properties[name], owner)
            holder = holder.superclass
        if isinstance(holder, External):
            return external_member(i, holder, name)
    if kind is Builtin and name in owner.members:
        return owner.members[name]
    if kind is JsArray and name in owner.extra:
        return owner.extra[name]
    found = builtin_member(i, owner, name)
    return UNDEFINED if found is None else found


def closure_member(i: Interpreter, owner: Closure, name: str) -> Value:
    if name in owner.properties:
        return get(i, owner.properties[name], owner)
    if name == "prototype" and not owner.function.is_arrow:
        made = JsObject()
        i.write(owner.properties, "prototype", made)
        return made
    found = builtin_member(i, owner, name)
    return UNDEFINED if found is None else found


def object_member(i: Interpreter, owner: JsObject, name: str) -> Value:
    found = owner.properties.get(name, MISSING)
    if found is not MISSING:
        if isinstance(found, Unknown) and found.tag == v.ABSENT:
            return Unknown(found.reason, "", found.candidates, found.closed)
        return get(i, found, owner)
    if isinstance(owner, v.Environment):
        return (
            Unknown(f"{name} is set by the machine")
            if owner.outside(name)
            else Undefined(f"{name}, which nothing sets")
        )
    found = inherited(i, owner, name)
    if found is not MISSING:
        return get(i, found, owner)
    builtin = builtin_member(i, owner, name)
    if builtin is not None:
        return builtin
    if owner.base is not None and owner.base.name == "process.env":
        return Undefined(f"{name}, which nothing sets")
    if owner.base is not None and (owner.made_by is not None or not owner.complete):
        return external_member(i, owner.base, name)
    return UNDEFINED if owner.complete else Unknown(f"a property {name} that may have been set")


def inherited(i: Interpreter, owner: JsObject, name: str) -> Value:
    """A property as it stands on an object of the build or its prototypes, MISSING if there is none."""
    holder: JsObject | None = owner
    for _ in range(50):
        if holder is None:
            return MISSING
        if name in holder.properties:
            return holder.properties[name]
        if holder.made_by is not None:
            method = class_method(i, holder.made_by, name)
            if not isinstance(method, Undefined):
                return method
        holder = holder.prototype
    return MISSING


def member_of_unknown(i: Interpreter, owner: Unknown, name: str) -> Value:
    if owner.tag and not owner.tag.startswith("*"):
        tagged = i.host.member(i, External(owner.tag), name)
        if tagged is not NotImplemented:
            return tagged
    i.may_throw(f"{name} is read from what isn't known")
    options = [item for item in owner.candidates if item is not None and not isinstance(item, Undefined)]
    if owner.closed and options and all(isinstance(item, (JsObject, JsArray, str, Undefined)) for item in options):
        result = member(i, options[0], name)
        for other in options[1:]:
            result = merged(result, member(i, other, name))
        return result
    candidates = [
        item.properties[name]
        for item in options
        if type(item) is JsObject and name in item.properties and not isinstance(item.properties[name], Getter)
    ]
    return Unknown(owner.reason, "", tuple(candidates[:8]))


def get(i: Interpreter, value: Value, this: Value) -> Value:
    """The value of a property slot: an accessor is called."""
    if type(value) is Getter:
        if value.closure is None:
            return UNDEFINED
        return i.call_closure(value.closure, this, [], value.closure.function)
    return value


def external_member(i: Interpreter, owner: External, name: str) -> Value:
    if name in owner.properties:
        return get(i, owner.properties[name], owner)
    found = i.host.member(i, owner, name)
    if found is not NotImplemented:
        return found
    if name == "default" and owner.base is None and owner.made_by is None:
        return owner
    return External(f"{owner.name}.{name}", owner)


def class_method(i: Interpreter, owner: ClassValue, name: str) -> Value:
    holder: Value = owner
    while isinstance(holder, ClassValue):
        if name in holder.methods:
            return holder.methods[name]
        holder = holder.superclass
    return UNDEFINED


def has_property(i: Interpreter, owner: Value, name: str) -> Value:
    """`name in owner`"""
    if isinstance(owner, JsArray) and owner.complete and not owner.holes:
        return (name.isdigit() and int(name) < len(owner.items)) or name == "length" or name in owner.extra
    if isinstance(owner, Namespace):
        return name in i.export_names(owner.module)
    if isinstance(owner, JsObject) and not isinstance(owner, (JsMap, GeneratorValue)):
        found = inherited(i, owner, name)
        if isinstance(found, Unknown) and found.tag == v.ABSENT:
            return Unknown(found.reason)
        if found is not MISSING:
            return True
        if isinstance(owner, v.Environment):
            return Unknown(f"{name} is set by the machine") if owner.outside(name) else False
        if owner.complete and owner.base is None and builtin_member(i, owner, name) is None:
            return False
    return Unknown("whether a property exists")


def instance_of(i: Interpreter, left: Value, right: Value) -> Value:
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
        wanted = closure_member(i, right, "prototype")
        chain = left.prototype
        while chain is not None:
            if chain is wanted:
                return True
            chain = chain.prototype
        return False if left.complete else Unknown("what class an object has")
    if isinstance(right, Builtin):
        return instance_of_builtin(i, left, right.name)
    return Unknown("what class an object has")


def instance_of_builtin(i: Interpreter, left: Value, name: str) -> Value:
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


def set_at(i: Interpreter, owner: Value, key: str | None, value: Value, node: ir.Node) -> None:
    """`owner[key] = value`; `key` is None where it isn't known."""
    if key is None:
        i.forget(owner)
    else:
        i.set_member(owner, key, value, node)


def set_member(i: Interpreter, owner: Value, name: str, value: Value, node: ir.Node) -> None:
    """`owner.name = value`"""
    if isinstance(owner, (JsArray, JsObject)) and owner.frozen is True:
        if i.frames and i.frames[-1].module.script.has_module_syntax:
            i.throw("TypeError", f"Cannot assign to read only property '{name}' of object")
    elif isinstance(owner, JsArray):
        set_element(i, owner, name, value)
    elif isinstance(owner, v.Environment):
        i.write(owner.properties, name, i.text(value))
    elif isinstance(owner, JsObject):
        found = inherited(i, owner, name)
        if isinstance(found, Getter):
            if found.setter is not None:
                i.call_closure(found.setter, owner, [value], found.setter.function)
            return
        if isinstance(found, Unknown) and found.tag == v.ABSENT:
            i.write(owner.__dict__, "shuffled", True)
        i.write(owner.properties, name, value)
    elif isinstance(owner, (Closure, ClassValue)):
        found = owner.properties.get(name)
        if isinstance(found, Getter):
            if found.setter is not None:
                i.call_closure(found.setter, owner, [value], found.setter.function)
            return
        i.write(owner.properties, name, value)
    elif isinstance(owner, External):
        i.write(owner.properties, name, value)
        i.record(f"{owner.name}.{name}=", (value,), node, owner)
        if isinstance(value, Closure):
            i.schedule_event(value, External(f"{owner.name}.{name}"))
    elif isinstance(owner, UrlValue):
        i.write(owner.__dict__, "href", changed_url(owner, name, value))
    elif isinstance(owner, RegExp):
        i.write(owner.__dict__, "last_index", value if name == "lastIndex" else Unknown("a changed expression"))
    elif isinstance(owner, Unknown):
        i.may_throw(f"{name} is set on what isn't known")
        for candidate in owner.candidates:
            if not isinstance(candidate, (External, Unknown)):
                set_perhaps(i, candidate, name, value, node)
    elif owner is None or (isinstance(owner, Undefined) and not owner.reason):
        i.throw("TypeError", f"Cannot set properties of {v.to_text(owner)} (setting '{name}')")


def set_perhaps(i: Interpreter, owner: Value, name: str, value: Value, node: ir.Node) -> None:
    i.maybe(lambda: i.set_member(owner, name, value, node))


def set_element(i: Interpreter, owner: JsArray, name: str, value: Value) -> None:
    if name == "length":
        if isinstance(value, int) and not isinstance(value, bool) and owner.complete and 0 <= value <= ELEMENTS:
            missing = value - len(owner.items)
            i.set_items(owner, owner.items[:value] + [UNDEFINED] * missing)
            if missing > 0:
                i.write(owner.__dict__, "holes", True)
        else:
            i.forget(owner)
        return
    if not (name.isdigit() and str(int(name)) == name):
        i.write(owner.extra, name, value)
        return
    position = int(name)
    if position < len(owner.items):
        items = list(owner.items)
        items[position] = value
        i.set_items(owner, items)
    elif owner.complete and position <= ELEMENTS:
        missing = position - len(owner.items)
        i.set_items(owner, [*owner.items, *[UNDEFINED] * missing, value])
        if missing:
            i.write(owner.__dict__, "holes", True)
    else:
        i.write(owner.__dict__, "complete", False)


def forget(i: Interpreter, owner: Value) -> None:
    """A property of unknown name was set: what the object holds is no longer known."""
    if isinstance(owner, (JsArray, JsObject)) and owner.frozen:
        return
    if isinstance(owner, JsArray):
        i.set_items(owner, [])
        i.write(owner.__dict__, "complete", False)
    elif isinstance(owner, JsMap):
        i.write(owner.__dict__, "entries", {})
        i.write(owner.__dict__, "complete", False)
    elif isinstance(owner, JsObject):
        for name in list(owner.properties):
            i.write(owner.properties, name, Unknown("a property of unknown name was set", v.ABSENT))
        i.write(owner.__dict__, "complete", False)
    elif isinstance(owner, UrlValue):
        i.write(owner.__dict__, "href", Unknown("a URL that was changed"))
    elif isinstance(owner, Unknown):
        for candidate in owner.candidates:
            if not isinstance(candidate, Unknown):
                i.forget(candidate)
