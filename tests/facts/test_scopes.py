"""Names that a script uses and nothing around the use declares."""

from __future__ import annotations

import pytest

from forensics.facts.scopes import free_names
from forensics.syntax import ir
from forensics.syntax.lowering import lower


def names(source: str) -> list[tuple[str, bool]]:
    script = lower("javascript", source.encode())
    assert isinstance(script, ir.Script)
    return [(name, guarded) for name, _, guarded in free_names(script)]


@pytest.mark.parametrize(
    ("source", "free"),
    [
        ("require('a')", ["require"]),
        ("const require = make(); require('a')", ["make"]),
        ("import { createRequire as require } from 'a'; require('b')", []),
        ("f(); function f() {}", []),
        ("f(); { function g() {} var h }; h()", ["f"]),
        ("{ const a = 1 } a", ["a"]),
        ("if (x) { var a = 1 } a", ["x"]),
        ("for (const a of b) a; a", ["b", "a"]),
        ("for (let i = 0; i < n; i++) i", ["n"]),
        ("try {} catch (error) { error } error", ["error"]),
        ("(a, { b, c: [d = e] }, ...f) => a + b + d + f", ["e"]),
        ("function f() { return arguments }", []),
        ("const f = function g() { return g }; g", ["g"]),
        ("class A extends B { [c]() { return A } }", ["B", "c"]),
        ("x.require; ({ require: 1 })", ["x"]),
        ("const a = { __dirname }", ["__dirname"]),
        ("export default function f() {} f()", []),
        ("export const a = 1; a", []),
    ],
)
def test_free_names_in_the_order_of_the_source(source: str, free: list[str]) -> None:
    assert [name for name, _ in names(source)] == free


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("typeof module", []),
        ("if (typeof module !== 'undefined') module.exports = 1", [("module", True)]),
        ("typeof module === 'object' && module.exports", [("module", True)]),
        ("const a = typeof __dirname === 'string' ? __dirname : '.'", [("__dirname", True)]),
        ("try { require('a') } catch {}", [("require", True)]),
        ("try { require('a') } finally {}", [("require", False)]),
        ("if (typeof module === 'object') require('a')", [("require", False)]),
    ],
)
def test_a_use_behind_a_test_of_its_own_name_is_guarded(source: str, found: list[tuple[str, bool]]) -> None:
    assert names(source) == found
