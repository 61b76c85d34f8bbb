"""Hostile code ends within the evaluator's budget, in little memory, and never as an error of ours."""

from __future__ import annotations

import random
import re

import pytest

from forensics.facts.interpreter import Interpreter
from forensics.facts.values import Text, Unknown, Value
from tests.facts.generated_programs import KINDS, SET_VARIABLES, generate
from tests.facts.node_agreement import interpreter_for
from tests.facts.uncertain_programs import Program

HOSTILE = {
    "a text of a thousand million characters": "'x'.repeat(1e9)",
    "an array of a thousand million elements": "Array(1e9).fill(0).length",
    "an array from a length": "Array.from({ length: 1e9 }, (_, i) => i).length",
    "nested loops": "(() => { let n = 0; for (let i = 0; i < 1e4; i++) for (let j = 0; j < 1e4; j++) n++; return n; })()",
    "open loops in open loops": "(() => { let n = 0; for (const a of process.env.TERM) for (const b of a) for (const c of b) for (const d of c) for (const e of d) if (e) n++; return n; })()",
    "a loop without an end": "(() => { let n = 0; while (true) n++; return n; })()",
    "an expression that backtracks": "Array.from({ length: 500 }, (_, i) => /(a+)+$/.test('a'.repeat(30 + i) + 'b')).length",
    "a text that doubles": "(() => { let s = 'x'; for (let i = 0; i < 100; i++) s += s; return s.length; })()",
    "an array that doubles": "(() => { let a = [1]; for (let i = 0; i < 100; i++) a = [...a, ...a]; return a.length; })()",
    "an array pushed into itself": "(() => { const a = [1]; for (let i = 0; i < 100; i++) a.push(...a); return a.length; })()",
    "a huge power": "10n ** 1000000000n",
    "nested JSON": "JSON.parse('['.repeat(100000) + ']'.repeat(100000))",
    "JSON of an object that holds itself": "(() => { const o = {}; o.o = o; return JSON.stringify(o); })()",
    "an array that holds itself": "(() => { const a = []; a.push(a); return String(a) + a.flat(Infinity).length; })()",
    "recursion in three ways": "(function f(n) { return f(n + 1) + f(n + 2) + f(n + 3); })(0)",
    "recursion without an end": "(function f(n) { return 1 + f(n + 1); })(0)",
    "a getter that reads itself": "({ get a() { return this.a; } }).a",
    "a conversion that converts itself": "String({ toString() { return `${this}`; } })",
    "a timer that sets itself": "await new Promise((resolve) => { const tick = () => setTimeout(tick, 1); tick(); setTimeout(resolve, 1e6); })",
    "microtasks without an end": "await new Promise((resolve) => { const next = () => Promise.resolve().then(next); next(); setTimeout(resolve, 1); })",
    "a promise that nothing settles": "await new Promise(() => {})",
    "a generator without an end": "[...(function* () { while (true) yield 1; })()].length",
    "functions around functions": "(() => { let f = (x) => x; for (let i = 0; i < 1000; i++) { const g = f; f = (x) => g(g(x)); } return f(1); })()",
    "addresses that grow": "(() => { let u = 'http://h/'; for (let i = 0; i < 1000; i++) u = new URL('../' + 'a/'.repeat(i), u).href; return u.length; })()",
    "a thousand open returns": "(() => { "
    + " ".join(f"if (process.env.TERM === '{n}') return {n};" for n in range(1000))
    + " })()",
    "a thousand open branches": "(() => { let a = 0; "
    + " ".join(f"if (process.env.TERM === '{n}') a = {n};" for n in range(1000))
    + " return a; })()",
    "calls that branch forty times": "(() => { "
    + "".join(
        f"function f{n}(x) {{ return process.env.TERM === x ? f{n + 1}(x + 1) : f{n + 1}(x + 2); }} " for n in range(40)
    )
    + "function f40(x) { return x; } return f0(0); })()",
}


def evaluated(source: str) -> tuple[Interpreter, Value]:
    interpreter = interpreter_for({"main.mjs": source}, "main.mjs")
    return interpreter, interpreter.evaluate_export("main.mjs", "result")


@pytest.mark.parametrize("expression", HOSTILE.values(), ids=HOSTILE)
def test_hostile_code_ends_as_unknown(expression: str) -> None:
    interpreter, value = evaluated(f"export const result = {expression};")
    assert isinstance(value, (Unknown, Text))
    assert interpreter.exhausted or interpreter.steps > 0


def test_one_handler_that_never_ends_leaves_the_others_their_part() -> None:
    source = "import { mkdirSync } from 'fs'; process.on('a', () => { for (;;) for (;;) for (;;) mkdirSync('x' + Math.random()); }); process.on('b', () => mkdirSync('b'));"
    interpreter = interpreter_for({"main.mjs": source}, "main.mjs")
    interpreter.run(["main.mjs"])
    assert "b" in [effect.arguments[0] for effect in interpreter.effects if effect.name == "fs.mkdirSync"]


def test_one_build_cannot_change_the_language_of_the_next() -> None:
    evaluated("JSON.parse = () => 'changed'; Math.max = 1; Object.prototype.toString = 2; export const result = 1;")
    _, value = evaluated("export const result = JSON.parse('3') + Math.max(1, 2);")
    assert value == 5


_TOKENS = re.compile(r"\s+|\w+|'[^'\n]*'|=>|\.\.\.|\?\.|\?\?=?|&&=?|\|\|=?|[^\w\s]")
_WORDS = ["await", "yield", "async", "function", "class", "return", "break", "continue", "throw", "new", "this", "super", "null", "process.env.TERM", "arguments", "...", "?.", "=>", "delete", "in", "of", "try", "catch", "{", "}", "(", ")", "[", "]", "1e999", "Symbol.iterator", "Promise", "import.meta", "constructor", "prototype", "__proto__", "length", "then", "set", "get", "static", "#own", "case", "default:", "export", "require", "exports", "Proxy", "Map", "`${"]  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_programs_with_tokens_changed_at_random_never_break_the_evaluator(seed: int) -> None:
    chance = random.Random(seed)
    for number in range(40):
        if chance.random() < 0.5:
            program = generate(chance.randrange(10**6), chance.choice(KINDS))
            files, entry = dict(program.files), program.entry
        else:
            files, entry = {"main.mjs": Program(f"{seed} {number}", 4).text}, "main.mjs"
        interpreter = interpreter_for(
            {path: _mutated(text, chance) for path, text in files.items()}, entry, SET_VARIABLES
        )
        interpreter.run([entry])
        interpreter.evaluate_export(entry, "result")


def _mutated(text: str, chance: random.Random) -> str:
    tokens = _TOKENS.findall(text)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(tokens))
        match chance.randrange(4):
            case 0:
                del tokens[place]
            case 1:
                tokens.insert(place, chance.choice(_WORDS))
            case 2:
                tokens[place] = chance.choice(tokens)
            case _:
                other = chance.randrange(len(tokens))
                tokens[place], tokens[other] = tokens[other], tokens[place]
    return "".join(tokens)
