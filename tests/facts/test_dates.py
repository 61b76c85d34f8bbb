from __future__ import annotations

import pytest

from forensics.facts.dates import date_misuses
from forensics.facts.script_modules import ScriptModules
from tests.in_memory import facts_of


def misuses(**modules: str) -> list[str]:
    """The calls that fail, as they are written; each keyword is the text of a module."""
    facts = facts_of({f"{name}.js": text for name, text in modules.items()})
    return [item.text for item in date_misuses(facts, ScriptModules(facts))]


@pytest.mark.parametrize(
    "code",
    [
        "const last = Math.max(new Date(a), new Date(b))\nlast.getTime()",
        "const last = Math.max(...days.map((day) => new Date(day)))\nlast.getTime()",
        "let last\nif (days.length) last = Math.max(...days)\nlast.getTime()",
        "const span = { to: Math.max(a, b) }\nspan.to.getTime()",
        "const [from, to] = [Math.min(a, b), Math.max(a, b)]\nto.getTime()",
        "const ends = days.map((day) => Math.max(day.a, day.b))\nends[0].getTime()",
        "const last = days.reduce((one, day) => Math.max(one, day), 0)\nlast.getTime()",
        "function latest() { return Math.max(a, b) }\nlatest().getTime()",
        "const later = (day) => day.getTime()\nlater(Math.max(a, b))",
        "const start = new Date(); const gap = new Date() - start\ngap.getTime()",
        "const now = Date.now()\nnow.getTime()",
        "const due = new Date().setDate(5)\ndue.getTime()",
        "async function latest() { return Math.max(a, b) }\nconst day = await latest()\nday.getTime()",
    ],
)
def test_a_number_is_followed_to_the_date_method(code: str) -> None:
    assert len(misuses(main=code)) == 1


@pytest.mark.parametrize(
    "code",
    [
        "const last = new Date(Math.max(a, b))\nlast.getTime()",
        "let last = Math.max(a, b)\nlast = new Date(last)\nlast.getTime()",
        "const last = open ? Math.max(a, b) : new Date()\nlast.getTime()",
        "const last = Math.max(a, b)\nlast.toLocaleString()",
        "const last = Math.max(a, b)\nif (last instanceof Date) last.getTime()",
        "const last = Math.max(a, b)\nlast.getTime?.()",
        "function show(last) { last.getTime() }\nshow(Math.max(a, b))\nshow(new Date())",
        "function show(last) { last.getTime() }\nshow(Math.max(a, b))\nlist.forEach(show)",
        "async function latest() { return Math.max(a, b) }\nlatest().getTime()",
        "const last = days.sort((one, other) => other - one)[0]\nlast.getTime()",
        "const own = { ...base, getTime() {} }\nown.getTime()",
        "const last = Math.max(a, b)\n{ const last = new Date()\nlast.getTime() }",
    ],
)
def test_what_may_be_a_date_is_left_alone(code: str) -> None:
    assert misuses(main=code) == []


def test_numbers_pass_through_modules_and_reexports() -> None:
    found = misuses(
        main="import { latest } from './index.js'\nlatest(days).toISOString()",
        index="export * from './latest.js'",
        latest="export const latest = (days) => Math.max(...days)",
    )
    assert found == ["latest(days).toISOString()"]
