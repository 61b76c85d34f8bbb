"""Programs made at random that depend on conditions the evaluator can't decide, but a real Node process can.

Each has up to three such booleans (variables of the machine, which the evaluator takes as unknown), statements of every
kind around them, calls outside the build (`mkdirSync` with a label), and a `result` of all its variables.
"""

from __future__ import annotations

import random

CONDITIONS = {"u": "TERM", "w": "LANG", "z": "EDITOR"}
"""Name in the program, and the variable that decides it by being "yes"."""

_VARIABLES = ("a", "b", "c")
_HEAD = """import { mkdirSync } from 'node:fs';
const u = process.env.TERM === 'yes', w = process.env.LANG === 'yes', z = process.env.EDITOR === 'yes';
let a = 1, b = 'b', c = 0; const list = [1, 2]; const box = { k: 1 }; const map = new Map([['k', 1]]);
"""
_TAIL = """export const result = { a, b, c, list: [...list], box: { ...box }, keys: Object.keys(box).join(), size: map.size, map: [...map], more };
"""


class Program:
    """`text` is an ES module."""

    def __init__(self, seed: int | str, size: int = 6) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.loops: list[str] = []
        self.nested = 0
        self.in_function = 0
        self.in_async = False
        self.functions: list[str] = []
        self.budget = size * 4
        body = "\n".join(self.statement(3) for _ in range(size))
        self.text = f"{_HEAD}const more = [];\n{body}\n{_TAIL}"

    def choose(self, *options: str) -> str:
        return self.random.choice(options)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def variable(self) -> str:
        return self.random.choice(_VARIABLES)

    def condition(self) -> str:
        return self.choose("u", "u", "w", "z", "!u", "u && w", "w || z", "a > 2", "c === 0", "typeof a === 'number'", "list.length > 2", "'x' in box", "u === w", "box.k", "map.has('x')", "String(b).length > 1 || u")  # fmt: skip

    def value(self) -> str:
        return self.choose("1", "2", "'s'", "a", "c", "c + 1", "u ? 1 : 2", "w ? a : c", "(u && 5)", "(z || 'd')", "list.length", "box.k", "box.x ?? 0", "`${a}${c}`", "map.get('k')", "[1, 2, 3].find((n) => n > (u ? 1 : 2))", "Object.keys({ ...(u && { x: 1 }), y: 2 }).join()", "[...list].length", "(() => { if (w) return 1; return c; })()", "(box.x, 3)", "{ k: 1, ...(w ? { k: 2 } : {}) }.k" if False else "({ k: 1, ...(w ? { k: 2 } : {}) }).k", "[...(u ? [1] : []), 2].length", "(({ x = a } = {}) => x)(z ? { x: 7 } : {})")  # fmt: skip

    def effect(self) -> str:
        return f"mkdirSync(`e{self.fresh('')}:${{{self.choose('a', 'c', 'b', 'list.length', '1')}}}`);"

    def block(self, depth: int, most: int = 3) -> str:
        if depth <= 0:
            return self.simple()
        self.nested += 1
        text = " ".join(self.statement(depth - 1) for _ in range(self.random.randint(1, most)))
        self.nested -= 1
        return text

    def simple(self) -> str:
        name = self.variable()
        options = [
            f"{name} = {self.value()};",
            f"{name} += {self.value()};",
            f"c = {self.value()};",
            f"{name} {self.choose('||=', '??=', '&&=')} {self.value()};",
            self.effect(),
            self.effect(),
            f"list.push({self.value()});",
            f"box.{self.choose('k', 'x', 'y')} = {self.value()};",
            f"delete box.{self.choose('k', 'x')};",
            f"map.set('{self.choose('k', 'x')}', {self.value()});",
            self.choose(
                "list.pop();",
                "list[0] = c;",
                "map.delete('k');",
                "list.length = 1;",
                "list.reverse();",
                "more.push(a);",
            ),
            f"if ({self.condition()}) {name} = {self.value()};",
            f"({self.condition()}) && list.push({self.value()});",
            f"(u ? box : {{}}).k = {self.value()};",
        ]
        if self.functions:
            options += [f"{name} = {self.random.choice(self.functions)}({self.value()});"] * 3
        if self.loops:
            label = self.random.choice(self.loops)
            options += [f"if ({self.condition()}) {self.choose('break', 'continue', 'break ' + label, 'continue ' + label)};"] * 3  # fmt: skip
        if self.in_function:
            options += [f"if ({self.condition()}) return {self.value()};"] * 3
        if self.in_async:
            options += [f"await {self.choose('a', '(u ? 1 : 2)', 'list')};", "await null;"] * 2
        return self.random.choice(options)

    def statement(self, depth: int) -> str:
        self.budget -= 1
        if depth <= 0 or self.budget < 0 or self.random.random() < 0.35:
            return self.simple()
        return self.random.choice(
            [
                self._if,
                self._if,
                self._if,
                self._loop,
                self._loop,
                self._while,
                self._switch,
                self._try,
                self._try,
                self._function,
                self._async,
                self._generator,
                self._closure,
                self._throwing,
            ]
        )(depth)

    def _if(self, depth: int) -> str:
        other = f" else {{ {self.block(depth - 1)} }}" if self.random.random() < 0.6 else ""
        return f"if ({self.condition()}) {{ {self.block(depth - 1)} }}{other}"

    def _loop(self, depth: int) -> str:
        label, item = self.fresh("l"), self.fresh("i")
        self.loops.append(label)
        head = self.choose(f"for (const {item} of [1, 2, 3])", f"for (let {item} = 0; {item} < 3; {item}++)", f"for (const {item} of list.slice(0, 3))", f"for (const {item} in {{ p: 1, q: 2 }})")  # fmt: skip
        text = f"{label}: {head} {{ more.push({item}); {self.block(depth - 1)} }}"
        self.loops.pop()
        return text

    def _while(self, depth: int) -> str:
        label, count = self.fresh("l"), self.fresh("n")
        self.loops.append(label)
        text = f"let {count} = 0; {label}: while ({self.choose('u', 'w', 'true')} && {count} < 3) {{ {count}++; {self.block(depth - 1)} }} more.push({count});"  # fmt: skip
        self.loops.pop()
        return text

    def _switch(self, depth: int) -> str:
        subject = self.choose("u ? 1 : 2", "a", "c", "w ? 'x' : 'y'", "typeof a")
        outer, self.loops = self.loops, []
        cases = " ".join(
            f"case {self.choose('1', '2', quoted)}: {self.block(depth - 1, 2)}{self.choose(' break;', '')}"
            for quoted in ("'x'", "'y'")
        )
        text = f"switch ({subject}) {{ {cases} default: {self.block(depth - 1, 1)} }}"
        self.loops = outer
        return text

    def _try(self, depth: int) -> str:
        thrown = self.choose(f"if ({self.condition()}) throw new Error('t');", "if (u) null.x;", "throw new Error('sure');", "JSON.parse(w ? '{' : '1'); box.p = parseInt(u ? '7' : 'x');", "")  # fmt: skip
        final = f" finally {{ {self.block(0)} }}" if self.random.random() < 0.4 else ""
        handler = f" catch (e) {{ {self.block(depth - 1)} }}"
        return f"try {{ {self.block(depth - 1, 2)} {thrown} {self.block(depth - 1, 2)} }}{handler}{final}"

    def _throwing(self, depth: int) -> str:
        name = self.fresh("f")
        outer, self.loops = self.loops, []
        self.in_function += 1
        is_async, self.in_async = self.in_async, False
        body = f"{self.block(depth - 1, 2)} if ({self.condition()}) throw new Error('in {name}'); {self.block(0)}"
        self.loops, self.in_async = outer, is_async
        self.in_function -= 1
        return (
            f"function {name}(p) {{ {body} return p; }} try {{ a = {name}({self.value()}); }} catch {{ c = 'caught'; }}"
        )

    def _function(self, depth: int) -> str:
        name = self.fresh("f")
        outer, self.loops, is_async, self.in_async = self.loops, [], self.in_async, False
        self.in_function += 1
        text = f"function {name}(p = 4) {{ {self.block(depth - 1)} return {self.choose('p', 'a', 'c')}; }} {self.variable()} = {name}({self.value()});"  # fmt: skip
        self.in_function -= 1
        self.loops, self.in_async = outer, is_async
        return text

    def _async(self, depth: int) -> str:
        name = self.fresh("g")
        outer, self.loops, is_async, self.in_async = self.loops, [], self.in_async, True
        self.in_function += 1
        body = (
            f"{self.block(depth - 1, 2)} await {self.choose('null', 'Promise.resolve(1)')}; {self.block(depth - 1, 2)}"
        )
        self.in_function -= 1
        self.loops, self.in_async = outer, is_async
        # The evaluator doesn't see what else goes on while the main program awaits under a condition.
        can_wait = is_async or not self.nested
        wait = [f"a = await {name}();", f"await Promise.all([{name}(), {name}()]);"] if can_wait else []
        use = self.random.choice([*wait, *wait, f"{name}();", f"{name}().then((v) => {{ c = v; }});"])
        return f"const {name} = async () => {{ {body} return {self.choose('a', 'c', '1')}; }}; {use}"

    def _generator(self, depth: int) -> str:
        name = self.fresh("h")
        outer, self.loops, is_async, self.in_async = self.loops, [], self.in_async, False
        self.in_function += 1
        body = f"yield 1; {self.block(depth - 1, 2)} yield a;"
        self.in_function -= 1
        self.loops, self.in_async = outer, is_async
        use = self.choose(f"for (const y of {name}()) {{ more.push(y); {self.choose('', 'if (u) break;')} }}", f"more.push(...{name}());", f"const [y{name}] = {name}(); more.push(y{name});")  # fmt: skip
        return f"function* {name}() {{ {body} }} {use}"

    def _closure(self, depth: int) -> str:
        name = self.fresh("k")
        outer, self.loops, is_async, self.in_async = self.loops, [], self.in_async, False
        inner, self.in_function = self.in_function, 1
        body = self.block(depth - 1, 2)
        self.in_function = inner
        self.loops, self.in_async = outer, is_async
        use = self.choose(f"{name}();", f"if ({self.condition()}) {name}();", f"[1, 2].forEach({name});", f"(u ? {name} : () => 9)();", f"more.push([1, 2, 3].map({name}).length);", f"[3, 4].some({name});")  # fmt: skip
        return f"const {name} = () => {{ {body} }}; {use}"


RUNNER = """
import fs, { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
let log = [];
fs.mkdirSync = (label) => { log.push(label); };
syncBuiltinESMExports();
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
ENCODE
const found = [];
for (const entry of ENTRIES) {
  log = [];
  const own = log;
  let one;
  try {
    const module = await import(entry);
    one = { result: encode(module.result) };
  } catch (error) {
    one = { thrown: String(error) };
  }
  for (let n = 0; n < 20; n++) await null;
  await new Promise((resolve) => setImmediate(resolve));
  found.push({ ...one, log: own });
}
writeFileSync(process.argv[2], JSON.stringify(found));
process.exit(0);
"""
