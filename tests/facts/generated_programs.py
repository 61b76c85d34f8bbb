"""Small programs made at random, for holding the evaluator against a real Node process.

A program is a few modules of which the entry exports `result`. Each belongs to a kind (what its outermost expression
is made with); what stands inside is drawn from all kinds. Nothing in a program depends on time, chance or the machine,
apart from absolute paths below the folder that the programs lie in.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

SET_VARIABLES = {"PORT": "4100", "API_PORT": "", "HOST": "0.0.0.0", "DATA_DIR": "./var/data", "MODE": "production"}
"""Variables that the process is started with."""
UNSET_VARIABLES = ("NOT_SET", "DB_PATH", "API_BASE", "WEB_PORT")
"""Variables that are not set: the runner removes them."""

_WORDS = ["port", "host", "data", "api", "base", "target", "dist", "client", "server", "store", "cache", "main", "alpha", "beta", "gamma", "delta"]  # fmt: skip
_TEXTS = ["", "a", "api", "data", "/api", "v1", "http://localhost", "3001", " 42 ", "x,y,,z", "Data-Dir", "naïve", "a/b/c.txt", "..", "./up", "true", "0x1f", "12px", "key=value&k2=v2", "snake_case_name", "A1b2C3", "line\\nbreak"]  # fmt: skip
_NUMBERS = ["0", "1", "2", "3", "7", "10", "42", "80", "3001", "5173", "65535", "-1", "-5", "0.5", "1.25", "-2.75", "1e3", "1e21", "0x10", "0b101", "1_000", "2**31", "(-0)", "NaN", "Infinity"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Code:
    """An expression and how deep it nests."""

    text: str
    depth: int = 0

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class Program:
    """`files` by path below the program's folder; `evaluated` replaces some of them for the evaluator (TypeScript that
    Node was given without its types)."""

    kind: str
    entry: str
    files: dict[str, str]
    depth: int
    evaluated: dict[str, str] = field(default_factory=dict)

    @property
    def across_modules(self) -> bool:
        return len(self.files) > 1


Production = Callable[["Writer", int], Code]
_PRODUCTIONS: dict[str, list[tuple[str, Production]]] = {}


def production(result: str, kind: str) -> Callable[[Production], Production]:
    """Register a way to make an expression of a type: s(tring), n(umber), b(oolean), a(rray), o(bject)."""

    def register(make: Production) -> Production:
        _PRODUCTIONS.setdefault(result, []).append((kind, make))
        return make

    return register


class Writer:
    """Writes one program: expressions at random, and the declarations and modules that they need."""

    def __init__(self, seed: int | str, commonjs: bool = False, typescript: bool = False) -> None:
        self.random = random.Random(seed)
        self.commonjs = commonjs
        self.typescript = typescript
        self.imports: list[str] = []
        self.lines: list[tuple[str, str]] = []
        self.modules: dict[str, str] = {}
        self.count = 0
        self.nested = 0

    def name(self) -> str:
        self.count += 1
        return f"{self.random.choice(_WORDS)}{self.count}"

    def choose(self, *options: str) -> str:
        return self.random.choice(options)

    def text(self) -> str:
        return self.quoted(self.random.choice(_TEXTS))

    def quoted(self, text: str) -> str:
        return self.choose("'{}'", '"{}"', "`{}`").format(text) if "'" not in text else f'"{text}"'

    def word(self) -> str:
        return self.quoted(self.random.choice(_WORDS))

    def code(self, template: str, *parts: object) -> Code:
        depth = max((part.depth for part in parts if isinstance(part, Code)), default=0)
        return Code(template.format(*parts), depth + 1)

    def hoisted(self, template: str, *parts: object) -> Code:
        """An expression that is computed beforehand, where `await` is allowed."""
        value = self.code(template, *parts)
        name = self.name()
        self.line(f"const {name} = {value};")
        return Code(name, value.depth)

    def line(self, text: str, typed: str = "") -> None:
        """A statement before the expression at hand; `typed` is its TypeScript form."""
        self.lines.append((text, typed or text))

    def use(self, specifier: str, name: str) -> str:
        """A name imported from a builtin module, in the form of this program."""
        form = (
            f"const {{ {name} }} = require('{specifier}')"
            if self.commonjs
            else f"import {{ {name} }} from '{specifier}'"
        )
        if form not in self.imports:
            self.imports.append(form)
        return name

    def path(self) -> str:
        specifier = "node:path" if self.count % 2 else "path"
        form = f"const path = require('{specifier}')" if self.commonjs else f"import path from '{specifier}'"
        if not any(line.startswith(form.split(" ")[0] + " path ") for line in self.imports):
            self.imports.append(form)
        return "path"

    def body(self, typed: bool = False) -> str:
        imports = "".join(line + ";\n" for line in self.imports)
        return imports + "".join(line[typed] + "\n" for line in self.lines)

    def make(self, result: str, depth: int, kind: str = "") -> Code:
        if depth <= 0 or (not kind and self.random.random() < 0.08):
            return self.leaf(result)
        ways = [way for way in _PRODUCTIONS[result] if not kind or way[0] == kind]
        if not ways:
            raise LookupError(f"no {kind} of type {result}")
        return self.random.choice(ways)[1](self, depth - 1)

    def leaf(self, result: str) -> Code:
        if result == "s":
            return Code(self.text())
        if result == "n":
            return Code(self.random.choice(_NUMBERS))
        if result == "b":
            return Code(self.choose("true", "false"))
        if result == "a":
            items = [self.leaf(self.choose("s", "n", "n")) for _ in range(self.random.randint(0, 4))]
            return Code("[" + ", ".join(map(str, items)) + "]")
        names = self.random.sample(_WORDS, self.random.randint(0, 3))
        return Code("({" + ", ".join(f"{name}: {self.leaf(self.choose('s', 'n', 'b'))}" for name in names) + "})")

    def any(self, depth: int) -> Code:
        return self.make(self.choose("s", "s", "n", "n", "b", "a", "o"), depth)


# ------------------------------------------------------------------------- strings


@production("s", "strings")
def _concatenated(w: Writer, depth: int) -> Code:
    parts = [w.make(w.choose("s", "s", "n", "b", "a"), depth) for _ in range(w.random.randint(1, 3))]
    return w.code("(" + " + ".join(["{}"] * (len(parts) + 1)) + ")", w.make("s", depth), *parts)


@production("s", "strings")
def _template(w: Writer, depth: int) -> Code:
    parts = [w.make(w.choose("s", "s", "n", "b", "a"), depth) for _ in range(w.random.randint(1, 3))]
    body = "".join(w.random.choice(["", "/", ":", "-", "x", " "]) + "${{{}}}" for _ in parts)
    return w.code("`" + body + "`", *parts)


@production("s", "strings")
def _appended(w: Writer, depth: int) -> Code:
    name = w.name()
    first, second = w.make("s", depth), w.make(w.choose("s", "n"), depth)
    w.line(f"let {name} = {first}; {name} += {second};")
    return w.code("{2}", first, second, name)


@production("s", "strings")
def _concat_method(w: Writer, depth: int) -> Code:
    return w.code("{}.concat({}, {})", w.make("s", depth), w.make("s", depth), w.make("n", depth))


@production("s", "strings")
def _tagged(w: Writer, depth: int) -> Code:
    name = w.name()
    w.line(f"const {name} = (strings, ...values) => strings.raw.join('|') + values.join('+');")
    return w.code("{2}`a${{{0}}}b${{{1}}}`", w.make("s", depth), w.make("n", depth), name)


@production("s", "strings")
def _joined_literal(w: Writer, depth: int) -> Code:
    return w.code("[{}, {}, {}].join({})", w.make("s", depth), w.make("s", depth), w.make("n", depth), w.text())


# ---------------------------------------------------------------------- arithmetic


@production("n", "arithmetic")
def _binary(w: Writer, depth: int) -> Code:
    sign = w.choose("+", "-", "*", "/", "%", "|", "&", "^", "<<", ">>", ">>>")
    return w.code("({} {} {})", w.make("n", depth), sign, w.make("n", depth))


@production("n", "arithmetic")
def _power(w: Writer, depth: int) -> Code:
    return w.code("(({}) ** {})", w.make("n", depth), w.choose("2", "3", "0.5", "0", "(-1)"))


@production("n", "arithmetic")
def _unary(w: Writer, depth: int) -> Code:
    return w.code("({}{})", w.choose("- ", "+ ", "~ "), w.make(w.choose("n", "n", "b"), depth))


@production("n", "arithmetic")
def _math(w: Writer, depth: int) -> Code:
    method = w.choose("floor", "ceil", "round", "trunc", "abs", "sign")
    return w.code("Math.{}({})", method, w.make("n", depth))


@production("n", "arithmetic")
def _extreme(w: Writer, depth: int) -> Code:
    return w.code("Math.{}({}, {})", w.choose("max", "min"), w.make("n", depth), w.make("n", depth))


@production("b", "arithmetic")
def _compared(w: Writer, depth: int) -> Code:
    sign = w.choose("<", ">", "<=", ">=", "===", "!==", "==", "!=")
    kind = w.choose("n", "n", "s")
    return w.code("({} {} {})", w.make(kind, depth), sign, w.make(w.choose(kind, "n"), depth))


@production("n", "arithmetic")
def _updated(w: Writer, depth: int) -> Code:
    name, start = w.name(), w.make("n", depth)
    w.line(f"let {name} = {start};")
    return w.code("({1}{2}, {1} {3} {4}, {1})", start, name, w.choose("++", "--"), w.choose("+=", "-=", "*=", "**=", "|=", "%="), w.choose("2", "3"))  # fmt: skip


# ------------------------------------------------------------------------ defaults


def _variable(w: Writer) -> str:
    name = w.choose(*SET_VARIABLES, *UNSET_VARIABLES)
    return w.choose("process.env.{}", "process.env['{}']", "process.env?.{}").format(name)


@production("s", "defaults")
def _default_text(w: Writer, depth: int) -> Code:
    return w.code("({} {} {})", _variable(w), w.choose("||", "??"), w.make("s", depth))


@production("n", "defaults")
def _default_number(w: Writer, depth: int) -> Code:
    form = w.choose("(Number({0}) || {1})", "Number({0} || {1})", "parseInt({0} ?? {1}, 10)", "({0} ? Number({0}) : {1})", "+({0} || {1})", "(parseInt({0}) || {1})")  # fmt: skip
    variable = _variable(w)
    return w.code(form, variable, w.make("n", depth))


@production("s", "defaults")
def _by_mode(w: Writer, depth: int) -> Code:
    test = w.choose("process.env.MODE === 'production'", "process.env.MODE !== 'production'", "process.env.NOT_SET", "!process.env.API_BASE", "process.env.HOST && process.env.PORT", "'PORT' in process.env", "'NOT_SET' in process.env")  # fmt: skip
    return w.code("({} ? {} : {})", test, w.make("s", depth), w.make("s", depth))


@production("s", "defaults")
def _assigned_default(w: Writer, depth: int) -> Code:
    name, value = w.name(), w.make("s", depth)
    w.line(f"let {name} = {_variable(w)}; {name} {w.choose('||=', '??=', '&&=')} {value};")
    return w.code("({1} ?? 'none')", value, name)


@production("b", "defaults")
def _logical(w: Writer, depth: int) -> Code:
    return w.code("!!({} {} {})", w.make("s", depth), w.choose("&&", "||", "??"), w.make("b", depth))


@production("s", "defaults")
def _destructured_environment(w: Writer, depth: int) -> Code:
    one, two = w.name(), w.name()
    value = w.make("s", depth)
    w.line(f"const {{ HOST: {one} = 'localhost', NOT_SET: {two} = {value} }} = process.env;")
    return w.code("`${{{1}}}:${{{2}}}`", value, one, two)


@production("s", "defaults")
def _optional_chain(w: Writer, depth: int) -> Code:
    owner = w.make("o", depth)
    return w.code("({}?.{}?.toString?.() ?? {})", owner, w.random.choice(_WORDS), w.make("s", depth))


# --------------------------------------------------------------------------- paths


def _here(w: Writer) -> str:
    if w.commonjs:
        return w.choose("__dirname", "__filename", "process.cwd()")
    path_to = w.use("node:url", "fileURLToPath")
    return w.choose("import.meta.dirname", "import.meta.filename", "process.cwd()", f"{path_to}(import.meta.url)", f"{w.path()}.dirname({path_to}(import.meta.url))")  # fmt: skip


_SEGMENTS = ["'..'", "'data'", "'./var'", "'../../up'", "'a/b/'", "'.'", "''", "'/abs'", "'db.sqlite'", "'x//y'", "'...'", "'.env'", "'file.tar.gz'"]  # fmt: skip


@production("s", "paths")
def _joined(w: Writer, depth: int) -> Code:
    parts = [Code(_here(w))] if w.random.random() < 0.8 else []
    parts += [w.make("s", depth, "paths") if depth > 0 and w.random.random() < 0.5 else Code(w.choose(*_SEGMENTS)) for _ in range(w.random.randint(1, 3))]  # fmt: skip
    return w.code(f"{w.path()}.{w.choose('join', 'resolve')}(" + ", ".join(["{}"] * len(parts)) + ")", *parts)


@production("s", "paths")
def _path_part(w: Writer, depth: int) -> Code:
    inner = w.make("s", depth, "paths") if depth > 0 else Code(w.choose(_here(w), *_SEGMENTS))
    method = w.choose("dirname", "basename", "extname", "normalize", "dirname")
    return w.code("{}.{}({})", w.path(), method, inner)


@production("s", "paths")
def _path_of_text(w: Writer, depth: int) -> Code:
    return w.code(
        "{}.{}({}, {})", w.path(), w.choose("join", "join", "resolve"), w.make("s", depth), w.make("s", depth)
    )


@production("s", "paths")
def _relative(w: Writer, depth: int) -> Code:
    one = w.make("s", depth, "paths") if depth > 0 else Code(_here(w))
    return w.code("{0}.relative({0}.join({1}, {2}), {3})", w.path(), Code(_here(w)), w.choose(*_SEGMENTS), one)


@production("s", "paths")
def _parsed_path(w: Writer, depth: int) -> Code:
    inner = w.make("s", depth, "paths") if depth > 0 else Code(w.choose(_here(w), *_SEGMENTS))
    return w.code("{}.parse({}).{}", w.path(), inner, w.choose("dir", "base", "name", "ext", "root"))


@production("b", "paths")
def _is_absolute(w: Writer, depth: int) -> Code:
    return w.code("{}.isAbsolute({})", w.path(), w.make("s", depth))


@production("s", "paths")
def _formatted(w: Writer, depth: int) -> Code:
    return w.code("{}.format({{ dir: {}, base: {} }})", w.path(), Code(_here(w)), w.make("s", depth))


# ---------------------------------------------------------------------------- URLs


def _base_url(w: Writer) -> str:
    own = [] if w.commonjs else ["import.meta.url", "import.meta.url", "new URL('.', import.meta.url)"]
    fixed = ["'http://localhost:3001'", "'https://example.org/a/b/c?x=1#y'", "'http://127.0.0.1:80/app/'", "'ws://host:8080/'"]  # fmt: skip
    return w.choose(*own, *fixed)


_RELATIVE = ["'../data'", "'./up.js'", "'/root'", "'?q=1'", "'#h'", "'x/../y'", "'.'", "'a b.txt'", "'%41'", "'deep/er/'", "'//other:99/p'", "'https://else.org:443'", "''"]  # fmt: skip


@production("s", "urls")
def _url_member(w: Writer, depth: int) -> Code:
    member = w.choose("href", "pathname", "host", "hostname", "port", "protocol", "origin", "search", "hash", "toString()", "href")  # fmt: skip
    return w.code("new URL({}, {}).{}", _relative_address(w, depth), _base_url(w), member)


def _relative_address(w: Writer, depth: int) -> Code:
    if depth > 0 and w.random.random() < 0.5:
        return w.code("{}.replace(/[^a-z0-9./]/gi, '')", w.make("s", depth))
    return Code(w.choose(*_RELATIVE))


@production("s", "urls")
def _file_path(w: Writer, depth: int) -> Code:
    if w.commonjs:
        return w.code("{}({}({})).replace(/^.*\\//, '')", "String", w.use("url", "pathToFileURL"), Code(_here(w)))
    relative = w.choose(*[item for item in _RELATIVE if "//" not in item])
    return w.code("{}(new URL({}, import.meta.url))", w.use("node:url", "fileURLToPath"), relative)


@production("s", "urls")
def _url_in_template(w: Writer, depth: int) -> Code:
    name = w.name()
    port = w.code("Math.abs({} | 0) % 60000", w.make("n", depth))
    w.line(f"const {name} = new URL(`http://${{{w.choose(repr('LocalHost'), repr('127.0.0.1'))}}}:${{{port}}}/api`);")
    return w.code("({1}.port + {1}.{2} + {1})", port, name, w.choose("host", "hostname", "origin"))


@production("s", "urls")
def _encoded(w: Writer, depth: int) -> Code:
    return w.code("{}({})", w.choose("encodeURIComponent", "encodeURI", "decodeURIComponent"), w.code("{}.replaceAll('%', '')", w.make("s", depth)))  # fmt: skip


@production("s", "urls")
def _query(w: Writer, depth: int) -> Code:
    value = w.make("s", depth)
    form = w.choose(
        "new URLSearchParams({{ a: {0}, b: '1' }}).toString()",
        "new URLSearchParams('a=1&b=' + encodeURIComponent({0})).get('b')",
        "new URL('http://h/?k=' + encodeURIComponent({0})).searchParams.get('k')",
    )
    return w.code(form, value)


# -------------------------------------------------------------------------- arrays


@production("a", "arrays")
def _array_literal(w: Writer, depth: int) -> Code:
    parts = [w.make(w.choose("s", "n", "n", "b"), depth) for _ in range(w.random.randint(1, 4))]
    spread = w.make("a", depth)
    return w.code("[" + ", ".join(["{}"] * len(parts)) + ", ...{}]", *parts, spread)


@production("a", "arrays")
def _array_method(w: Writer, depth: int) -> Code:
    call = w.choose(
        "map((item, index) => `${{item}}:${{index}}`)", "filter(item => item)", "slice(1)", "slice(-2)", "slice(0, 2)", "concat([1, 'z'], 2)", "flatMap(item => [item, 0])",
        "map(item => [item]).flat()", "sort()", "reverse()", "toSorted()", "toReversed()", "map(String)", "map(Number)", "filter(Boolean)", "filter((item, i, all) => all.indexOf(item) === i)",
        "map(item => ({{ item }}))", "with(0, 'w')", "fill(7, 1)", "toSpliced(1, 1, 'x')", "copyWithin(0, 1)", "map(parseFloat)",
    )  # fmt: skip
    if call.startswith("with"):
        return w.code("[1, ...{}].with(0, 'w')", w.make("a", depth))
    return w.code("{}." + call, w.make("a", depth))


@production("a", "arrays")
def _mutated(w: Writer, depth: int) -> Code:
    name, start = w.name(), w.make("a", depth)
    w.line(f"const {name} = [...{start}];")
    for _ in range(w.random.randint(1, 3)):
        w.line(w.choose(f"{name}.push({w.leaf('s')}, 1);", f"{name}.unshift({w.leaf('n')});", f"{name}.pop();", f"{name}.shift();", f"{name}.splice(1, 1, 'in');", f"{name}[0] = {w.leaf('s')};", f"{name}.length = 2;", f"{name}.reverse();"))  # fmt: skip
    return w.code("{1}", start, name)


@production("n", "arrays")
def _array_number(w: Writer, depth: int) -> Code:
    call = w.choose("length", "indexOf('a')", "findIndex(item => item === 1)", "reduce((sum, item) => sum + String(item).length, 0)", "lastIndexOf(1)", "push(1)", "findLastIndex(item => item)", "reduceRight((sum, item, index) => sum + index, 1)")  # fmt: skip
    return w.code("{}." + call, w.make("a", depth))


@production("b", "arrays")
def _array_test(w: Writer, depth: int) -> Code:
    call = w.choose(
        "includes('api')", "some(item => item > 2)", "every(item => typeof item === 'string')", "includes(NaN)"
    )
    return w.code("{}." + call, w.make("a", depth))


@production("s", "arrays")
def _array_text(w: Writer, depth: int) -> Code:
    call = w.choose("join('-')", "join()", "toString()", "map(item => item + 1).join('/')", "at(-1) + ''", "find(item => item) + '!'", "reduce((all, item) => all + item, '')", "findLast(item => item !== 1) + ''")  # fmt: skip
    return w.code("({}." + call + ")", w.make("a", depth))


@production("a", "arrays")
def _made(w: Writer, depth: int) -> Code:
    form = w.choose("Array.from({{ length: 3 }}, (_, index) => index + {0})", "Array.of({0}, 1)", "new Array(3).fill({0})", "Array.from([{0}, 2], item => item * 2)", "[...Array(2).keys(), {0}]", "Array.from('abc').concat({0})", "[...'xyz', {0}]", "[, {0}].concat(1)", "[...[{0}, 5].entries()].flat()")  # fmt: skip
    return w.code(form, w.make("n", depth))


@production("s", "arrays")
def _destructured_array(w: Writer, depth: int) -> Code:
    one, two, rest = w.name(), w.name(), w.name()
    value = w.make("a", depth)
    w.line(f"const [{one}, {two} = 'second', ...{rest}] = {value};")
    return w.code("`${{{1}}}/${{{2}}}/${{{3}.length}}`", value, one, two, rest)


# ------------------------------------------------------------------------- objects


@production("o", "objects")
def _object_literal(w: Writer, depth: int) -> Code:
    one, two = w.random.sample(_WORDS, 2)
    form = w.choose("({{ {1}: {0}, ...{2}, {3}: 1 }})", "({{ ...{2}, [`k${{{0}}}`]: 2, {3}: {{ {1}: 3 }} }})", "({{ {1}: {0}, {3}() {{ return 1; }}, get last() {{ return this.{1}; }} }})", "({{ {1}: [{0}], 2: 'two', 1: 'one', ...{2} }})", "({{ ...{2}, ...null, ...[{0}], {1}: undefined }})")  # fmt: skip
    return w.code(form, w.make(w.choose("s", "n"), depth), one, w.make("o", depth), two)


@production("o", "objects")
def _object_method(w: Writer, depth: int) -> Code:
    form = w.choose("Object.fromEntries(Object.entries({0}).map(([key, value]) => [key.toUpperCase(), value]))", "Object.assign({{ z: 0 }}, {0}, {1})", "Object.freeze({{ ...{0} }})", "structuredClone({1})", "({{ ...{0}, ...{1} }})", "Object.fromEntries(Object.entries({1}).filter(([, value]) => value))")  # fmt: skip
    return w.code(form, w.make("o", depth), w.make("o", depth))


@production("a", "objects")
def _object_lists(w: Writer, depth: int) -> Code:
    return w.code("Object.{}({})", w.choose("keys", "values", "entries"), w.make("o", depth))


@production("s", "objects")
def _destructured_object(w: Writer, depth: int) -> Code:
    names = [w.name() for _ in range(3)]
    key, other = w.random.sample(_WORDS, 2)
    value = w.make("o", depth)
    default = w.make("s", depth)
    w.line(
        f"const {{ {key}: {names[0]} = {default}, {other}: {{ x: {names[1]} = 1 }} = {{}}, ...{names[2]} }} = {value};"
    )
    return w.code("`${{{1}}}${{{2}}}${{Object.keys({3})}}`", value, *names)


@production("n", "objects")
def _object_number(w: Writer, depth: int) -> Code:
    return w.code("Object.keys({}).length", w.make("o", depth))


@production("o", "objects")
def _changed_object(w: Writer, depth: int) -> Code:
    name, value = w.name(), w.make("o", depth)
    w.line(f"const {name} = {{ base: {{}}, ...{value} }};")
    for _ in range(w.random.randint(1, 3)):
        key = w.random.choice(_WORDS)
        w.line(w.choose(f"{name}.{key} = {w.leaf('s')};", f"delete {name}.{key};", f"{name}['{key}' + 1] = {w.leaf('n')};", f"{name}.{key} ??= 'unset';", f"({name}.deep ||= {{}}).{key} = 1;", f"delete {name}['{key}'];"))  # fmt: skip
    return w.code("{1}", value, name)


@production("b", "objects")
def _has(w: Writer, depth: int) -> Code:
    form = w.choose("('{1}' in {0})", "Object.hasOwn({0}, '{1}')", "({0}).hasOwnProperty('{1}')", "(({0}).{1} === undefined)", "(typeof ({0}).{1} === 'string')")  # fmt: skip
    return w.code(form, w.make("o", depth), w.random.choice(_WORDS))


@production("s", "objects")
def _looked_up(w: Writer, depth: int) -> Code:
    form = w.choose(
        "({{ a: {0}, b: 'two' }}[{1} ? 'a' : 'b'])",
        "({{ true: {0}, false: 'no' }}[String({1})])",
        "[{0}, 'other'][{1} ? 0 : 1]",
    )
    return w.code(form, w.make("s", depth), w.make("b", depth))


# ----------------------------------------------------------------------- functions


@production("s", "functions")
def _called(w: Writer, depth: int) -> Code:
    name, one, two = w.name(), w.make("s", depth), w.make("n", depth)
    form = w.choose(
        "function {0}(first, second = 5) {{ const both = `${{first}}:${{second}}`; return both + {1}; }}",
        "const {0} = (first, {{ deep = {1} }} = {{}}) => first + deep;",
        "const {0} = function self(first, ...rest) {{ return rest.length + first + {1}; }};",
        "function {0}(first) {{ if (!first) return {1}; return first; }}",
        "const {0} = (first, second) => {{ let all = first; all += second ?? {1}; return all; }};",
        "function {0}() {{ return arguments.length + {1} + arguments[0]; }}",
        "var {0} = (first, second = first + {1}) => second;",
    )
    w.line(form.format(name, one))
    return w.code(w.choose("{2}({0}, {1})", "{2}({0})", "{2}.call(null, {0}, {1})", "{2}(...[{0}, {1}])", "{2}.apply(null, [{0}])", "{2}.bind(null, {0})()"), w.make("s", depth), two, name)  # fmt: skip


@production("n", "functions")
def _closure(w: Writer, depth: int) -> Code:
    name, value = w.name(), w.make("n", depth)
    w.line(f"const {name} = (start) => {{ let count = start; return {{ up: () => (count += 1), get now() {{ return count; }} }}; }};")  # fmt: skip
    counter = w.name()
    w.line(f"const {counter} = {name}({value}); {counter}.up(); {counter}.up();")
    return w.code("{1}.{2}", value, counter, w.choose("now", "up()"))


@production("s", "functions")
def _immediate(w: Writer, depth: int) -> Code:
    value = w.make("s", depth)
    form = w.choose("(() => {0})()", "(function () {{ const inner = {0}; return inner + '.'; }})()", "((a, b = a + '?') => a + b)({0})", "((f) => f(f, 3))((self, left) => left ? {0} + self(self, left - 1) : '')", "((...all) => all.reverse().join(''))({0}, 'b')")  # fmt: skip
    return w.code(form, value)


@production("n", "functions")
def _recursive(w: Writer, depth: int) -> Code:
    name, value = w.name(), w.make("n", depth)
    w.line(f"function {name}(left) {{ return left <= 0 ? 0 : left + {name}(left - 1); }}")
    return w.code("{1}({2}) + {0}", value, name, w.choose("2", "3", "5", "12"))


@production("b", "functions")
def _predicate(w: Writer, depth: int) -> Code:
    name = w.name()
    w.line(f"const {name} = (value) => {{ switch (typeof value) {{ case 'string': return value.length > 2; case 'number': return value > 2; default: return false; }} }};")  # fmt: skip
    return w.code("{1}({0})", w.any(depth), name)


@production("o", "functions")
def _factory(w: Writer, depth: int) -> Code:
    name = w.name()
    value = w.make("s", depth)
    w.line(f"function {name}(options = {{}}) {{ const {{ port = 3000, host = 'h' }} = options; return {{ port, host, url: `${{host}}:${{port}}` }}; }}")  # fmt: skip
    return w.code("{1}({{ host: {0} }})", value, name)


# ------------------------------------------------------------------------- modules


@production("s", "modules")
def _imported(w: Writer, depth: int) -> Code:
    return _from_module(w, depth, "s")


@production("n", "modules")
def _imported_number(w: Writer, depth: int) -> Code:
    return _from_module(w, depth, "n")


@production("o", "modules")
def _imported_object(w: Writer, depth: int) -> Code:
    return _from_module(w, depth, "o")


def _from_module(w: Writer, depth: int, result: str) -> Code:
    """A value that another module exports, in one of the forms that modules have."""
    if w.commonjs:
        return _from_commonjs(w, depth, result)
    inner = Writer(w.random.randrange(2**32))
    inner.nested = w.nested + 1
    inner.count = w.count * 10 + 10
    w.count += 1
    value = inner.make(result, min(depth, 2) if w.nested else depth)
    exported, local, path = inner.name(), w.name(), f"m{w.nested}_{w.count}.mjs"
    folder = w.choose("", "lib/") if not w.nested else ""
    form = w.random.randrange(9)
    body = inner.body()
    if form == 0:
        body += f"export const {exported} = {value};\n"
        w.imports.append(f"import {{ {exported} as {local} }} from './{folder}{path}'")
    elif form == 1:
        body += f"const {exported} = {value};\nexport default {exported};\n"
        w.imports.append(f"import {local} from './{folder}{path}'")
    elif form == 2:
        body += f"export const other = 1, {exported} = {value};\n"
        w.imports.append(f"import * as ns{local} from './{folder}{path}'")
        w.line(f"const {local} = ns{local}.{exported};")
    elif form == 3:
        body += f"const hidden = {value};\nexport {{ hidden as {exported} }};\n"
        second = f"r{w.nested}_{w.count}.mjs"
        w.modules[folder + second] = w.choose(
            f"export {{ {exported} }} from './{path}';\n", f"export * from './{path}';\n"
        )
        w.imports.append(f"import {{ {exported} as {local} }} from './{folder}{second}'")
    elif form == 4:
        body += f"export default {{ {exported}: {value}, other: 2 }};\n"
        w.imports.append(f"import c{local} from './{folder}{path}'")
        w.line(f"const {{ {exported}: {local} }} = c{local};")
    elif form == 5:
        body += f"export function {exported}() {{ return {value}; }}\n"
        w.imports.append(f"import {{ {exported} as f{local} }} from './{folder}{path}'")
        w.line(f"const {local} = f{local}();")
    elif form == 6:
        body += f"export let {exported} = 'early';\nexport function set() {{ {exported} = {value}; }}\n"
        w.imports.append(f"import {{ {exported} as l{local}, set as s{local} }} from './{folder}{path}'")
        w.line(f"s{local}(); const {local} = l{local};")
    elif form == 7:
        body += f"export const {exported} = {value};\n"
        w.line(f"const {{ {exported}: {local} }} = await import('./{folder}{path}');")
    else:
        body += f"export const inner = {{ {exported}: {value} }};\n"
        second = f"r{w.nested}_{w.count}.mjs"
        w.modules[folder + second] = f"export * as group from './{path}';\n"
        w.imports.append(f"import {{ group as g{local} }} from './{folder}{second}'")
        w.line(f"const {local} = g{local}.inner.{exported};")
    w.modules[folder + path] = body
    for name, text in inner.modules.items():
        w.modules[folder + name] = text
    return w.code("{1}", value, local)


@production("s", "commonjs")
def _required(w: Writer, depth: int) -> Code:
    return _from_commonjs(w, depth, "s")


@production("n", "commonjs")
def _required_number(w: Writer, depth: int) -> Code:
    return _from_commonjs(w, depth, "n")


@production("a", "commonjs")
def _required_array(w: Writer, depth: int) -> Code:
    return _from_commonjs(w, depth, "a")


def _from_commonjs(w: Writer, depth: int, result: str) -> Code:
    inner = Writer(w.random.randrange(2**32), commonjs=True)
    inner.nested = w.nested + 1
    w.count += 1
    value = inner.make(result, min(depth, 2) if w.nested else depth)
    exported, local, path = inner.name(), w.name(), f"c{w.nested}_{w.count}.cjs"
    folder = w.choose("", "lib/") if not w.nested else ""
    form = w.random.randrange(6)
    body = inner.body()
    body += (
        f"exports.{exported} = {value};\n",
        f"module.exports = {{ {exported}: {value}, other: 1 }};\n",
        f"const {exported} = {value};\nmodule.exports = {{ {exported} }};\n",
        f"module.exports.{exported} = {value};\nexports.second = module.exports.{exported};\n",
        f"function make() {{ return {value}; }}\nmodule.exports = {{ get {exported}() {{ return make(); }} }};\n",
        f"Object.assign(module.exports, {{ {exported}: {value} }});\n",
    )[form]
    if w.commonjs:
        w.line(w.choose(f"const {{ {exported}: {local} }} = require('./{folder}{path}');", f"const {local} = require('./{folder}{path.removesuffix('.cjs')}.cjs').{exported};", f"const all{local} = require('./{folder}{path}'); const {local} = all{local}.{exported};"))  # fmt: skip
    else:
        require = w.use("node:module", "createRequire")
        if form in (0, 2, 3) and w.random.random() < 0.5:
            w.imports.append(w.choose(f"import all{local} from './{folder}{path}'", f"import {{ default as all{local} }} from './{folder}{path}'"))  # fmt: skip
            w.line(f"const {{ {exported}: {local} }} = all{local};")
        else:
            w.line(f"const {local} = {require}(import.meta.url)('./{folder}{path}').{exported};")
    w.modules[folder + path] = body
    for name, text in inner.modules.items():
        w.modules[folder + name] = text
    return w.code("{1}", value, local)


# ------------------------------------------------------------------------- classes


@production("s", "classes")
def _class(w: Writer, depth: int) -> Code:
    name, one, two = w.name().capitalize(), w.make("s", depth), w.make("s", depth)
    w.line(
        f"class {name} {{ kind = {one}; static shared = {two}; #own = 'private'; constructor(first = 'none') {{ this.first = first; }} "
        f"get both() {{ return this.kind + this.first; }} set both(value) {{ this.first = value; }} secret() {{ return this.#own + this.both; }} static of(...all) {{ return new {name}(...all); }} toString() {{ return `<${{this.first}}>`; }} }}"
    )
    use = w.choose("new {2}({0}).both", "new {2}().secret()", "{2}.shared + {2}.of({0}).first", "{2}.of().kind", "(new {2}({0}) instanceof {2}) + {1}", "`${{new {2}({0})}}`", "(() => {{ const it = new {2}(); it.both = {0}; return it.secret(); }})()")  # fmt: skip
    return w.code(use, one, two, name)


@production("n", "classes")
def _derived(w: Writer, depth: int) -> Code:
    base, name = w.name().capitalize(), w.name().capitalize()
    value = w.make("n", depth)
    w.line(f"class {base} {{ size = 2; constructor(value) {{ this.value = value; }} total() {{ return this.value * this.size; }} static unit() {{ return 1; }} }}")  # fmt: skip
    w.line(f"class {name} extends {base} {{ size = 3; constructor(value) {{ super(value + 1); this.extra = 4; }} total() {{ return super.total() + this.extra; }} static unit() {{ return super.unit() + 1; }} }}")  # fmt: skip
    return w.code(w.choose("new {1}({0}).total()", "new {2}({0}).total()", "(new {1}({0}) instanceof {2} ? 1 : {0})", "{1}.unit() + {0}", "new {1}({0}).value"), value, name, base)  # fmt: skip


@production("o", "classes")
def _instance(w: Writer, depth: int) -> Code:
    name, value = w.name().capitalize(), w.make("s", depth)
    w.line(f"class {name} {{ constructor(options) {{ Object.assign(this, {{ port: 1 }}, options); }} }}")
    return w.code("({{ ...new {1}({{ host: {0} }}) }})", value, name)


@production("s", "classes")
def _prototype(w: Writer, depth: int) -> Code:
    name, value = w.name().capitalize(), w.make("s", depth)
    w.line(f"function {name}(label) {{ this.label = label; }} {name}.prototype.show = function () {{ return '[' + this.label + ']'; }};")  # fmt: skip
    return w.code("new {1}({0}).show()", value, name)


# -------------------------------------------------------------------- control flow


@production("s", "control")
def _branches(w: Writer, depth: int) -> Code:
    name = w.name()
    one, two, test = w.make("s", depth), w.make("s", depth), w.make("b", depth)
    form = w.choose(
        "let {0} = 'start'; if ({1}) {{ {0} = {2}; }} else if ({0}.length > 3) {{ {0} += {3}; }} else {{ {0} = 'never'; }}",
        "let {0}; switch ({1}) {{ case true: {0} = {2}; break; case false: {0} = {3}; default: {0} += '!'; }}",
        "let {0} = ''; try {{ if ({1}) throw new Error({2}); {0} = {3}; }} catch (error) {{ {0} = error.message; }} finally {{ {0} += '.'; }}",
        "const {0} = (() => {{ if ({1}) return {2}; for (const part of ['x', {3}]) {{ if (part.length > 1) return part; }} return 'end'; }})();",
        "let {0} = ''; outer: for (const a of ['p', 'q']) {{ for (const b of [{2}, {3}]) {{ if ({1}) continue outer; {0} += a + b; if ({0}.length > 9) break outer; }} }}",
        "var {0} = {2}; {{ let {0} = 'inner'; }} if ({1}) {{ var {0} = {3}; }}",
        "let {0} = 'none'; try {{ null.missing; }} catch {{ {0} = {1} ? {2} : {3}; }}",
    )
    w.line(form.format(name, test, one, two))
    return w.code("{3}", one, two, test, name)


@production("n", "control")
def _loops(w: Writer, depth: int) -> Code:
    name, value, items = w.name(), w.make("n", depth), w.make("a", depth)
    form = w.choose(
        "let {0} = 0; for (let i = 0; i < 5; i++) {{ if (i === 3) continue; {0} += i; }}",
        "let {0} = {1}; let left{0} = 4; while (left{0} > 0) {{ left{0} -= 1; {0} += left{0}; if ({0} > 50) break; }}",
        "let {0} = 0; for (const item of {2}) {{ {0} += String(item).length; }}",
        "let {0} = 0; for (const key in {{ a: 1, b: 2 }}) {{ {0} += key.length; }}",
        "let {0} = 0; do {{ {0}++; }} while ({0} < 3 && {1} > 0);",
        "let {0} = 0; for (let i = 3, j = 0; i > j; i--, j++) {0} += i * j + 1;",
        "let {0} = 0; const fs{0} = []; for (let i = 0; i < 3; i++) fs{0}.push(() => i); for (const f of fs{0}) {0} += f() * 10;",
        "let {0} = 0; for (const [index, item] of {2}.entries()) {{ if (item === undefined) break; {0} += index; }}",
        "let {0} = 0; {2}.forEach((item, index) => {{ {0} += index; }});",
    )
    w.line(form.format(name, value, items))
    return w.code("({2} + {0})", value, items, name)


@production("a", "control")
def _collected(w: Writer, depth: int) -> Code:
    name, items, value = w.name(), w.make("a", depth), w.make("s", depth)
    form = w.choose(
        "const {0} = []; for (const item of {1}) {{ if (item === {2}) continue; {0}.push(item, {0}.length); }}",
        "const {0} = []; for (let i = 0; i < 3; i += 1) {{ {0}[i] = i + {2}; }}",
        "const {0} = []; function* walk{0}() {{ yield 1; yield* {1}; return 9; }} for (const item of walk{0}()) {0}.push(item);",
        "const {0} = [...(function* () {{ let i = 0; while (true) {{ if (i > 3) return; yield i++ + {2}; }} }})()];",
    )
    w.line(form.format(name, items, value))
    return w.code("{2}", items, value, name)


# -------------------------------------------------------------------- text methods

_TEXT_CALLS = [
    "trim()", "toUpperCase()", "toLowerCase()", "slice(1)", "slice(-3)", "slice(1, -1)", "substring(2)", "substring(3, 1)", "substr(-2, 1)", "replace('a', 'b')", "replaceAll('a', '[$&]')", "repeat(2)",
    "padStart(6, 'ab')", "padEnd(5)", "charAt(1)", "at(-1) + ''", "replace(/[aeiou]/g, (c) => c.toUpperCase())", "replace(/(\\w)(\\w)/, '$2$1')", "replace(/\\/+$/, '')", "replace(/^\\/api/, '')",
    "replace(/(?<first>[a-z])/i, '<$<first>>')", "split('').reverse().join('')", "split(/[,/]/).join('|')", "split('/').pop() + ''", "normalize()", "replace(/\\s+/g, ' ')", "replaceAll(/\\d/g, (d) => +d + 1)",
    "split('-').map((p, i) => i ? p[0]?.toUpperCase() + p.slice(1) : p).join('')", "trimEnd()", "trimStart()", "toString()", "split(',', 2).join(';')", "replace(/$/, '!')", "split('').filter(c => c > 'b').join('')", "concat('!')", "replace(/x*/g, '-')", "split(/(b)/).join('_')",
]  # fmt: skip


@production("s", "text")
def _text_method(w: Writer, depth: int) -> Code:
    return Code("{}.{}".format(*((inner := w.make("s", depth)).text, w.random.choice(_TEXT_CALLS))), inner.depth + 1)


@production("b", "text")
def _text_test(w: Writer, depth: int) -> Code:
    call = w.choose(
        "startsWith('/')",
        "endsWith('a')",
        "includes('a')",
        "startsWith('a', 1)",
        "match(/^[a-z]+$/) !== null",
        "includes(':')",
        "endsWith('b', 2)",
    )
    if w.random.random() < 0.3:
        return w.code(
            "{}.test({})",
            w.choose("/^\\d+$/", "/^(https?:)?\\/\\//i", "/[.]js$/", "/\\bapi\\b/", "/(a|b)+c?/"),
            w.make("s", depth),
        )
    return w.code("({}." + call.replace("{", "{{").replace("}", "}}") + ")", w.make("s", depth))


@production("n", "text")
def _text_number(w: Writer, depth: int) -> Code:
    call = w.choose(
        "length",
        "indexOf('a')",
        "lastIndexOf('a')",
        "charCodeAt(0)",
        "search(/[0-9]/)",
        "split('a').length",
        "codePointAt(0)",
        "localeCompare('m')",
        "indexOf('')",
    )
    inner = w.make("s", depth)
    if call == "localeCompare('m')":
        return w.code("[{0}, {0}].indexOf({0})", inner)
    return w.code("{}." + call, inner)


@production("a", "text")
def _text_list(w: Writer, depth: int) -> Code:
    call = w.choose(
        "split('/')",
        "split('')",
        "split(/\\s*,\\s*/)",
        "match(/[a-z]+/g) ?? []",
        "split(/(?=[A-Z])/)",
        "matchAll(/(\\w)(\\d)?/g)",
        "split()",
    )
    inner = w.make("s", depth)
    if call.startswith("matchAll"):
        return w.code("[...{0}.matchAll(/([a-z])(\\d)?/g)].map((m) => [m[0], m[2], m.index])", inner)
    return Code(f"({inner}.{call})", inner.depth + 1)


@production("s", "text")
def _matched(w: Writer, depth: int) -> Code:
    form = w.choose(
        "({0}.match(/([a-z]+)[^a-z]*([a-z]*)/)?.[1] ?? 'none')",
        "(/(?<name>\\w+)/.exec({0})?.groups.name + '')",
        "({0}.match(/\\d/g) ?? ['-']).join('')",
        "String({0}.match(/(x)?(.)/)?.index)",
        "({0}.replace(/(.)\\1/g, '$1$1$1'))",
    )
    inner = w.make("s", depth)
    return Code(form.replace("{0}", str(inner)), inner.depth + 1)


# ---------------------------------------------------------------------- conversion


@production("n", "conversion")
def _to_number(w: Writer, depth: int) -> Code:
    form = w.choose(
        "Number({0})",
        "parseInt({0})",
        "parseInt({0}, 16)",
        "parseFloat({0})",
        "+{0}",
        "Number.parseInt({0}, 10)",
        "({0} * 1)",
        "~~{0}",
        "({0} - 0)",
        "Number(Boolean({0}))",
        "({0} | 0)",
    )
    return w.code("(" + form + ")", w.make(w.choose("s", "s", "n", "b", "a"), depth))


@production("s", "conversion")
def _to_text(w: Writer, depth: int) -> Code:
    form = w.choose(
        "String({0})",
        "JSON.stringify({0})",
        "('' + {0})",
        "typeof {0}",
        "`${{{0}}}`",
        "JSON.stringify({0}, null, 2)",
        "JSON.stringify({{ value: {0}, none: undefined }})",
        "Object.prototype.toString.call({0})",
        "JSON.stringify([{0}, undefined, () => 1])",
    )
    return w.code("(" + form + ")", w.any(depth))


@production("s", "conversion")
def _number_text(w: Writer, depth: int) -> Code:
    form = w.choose(
        "({0}).toString()",
        "({0}).toFixed(2)",
        "Math.trunc({0}).toString(16)",
        "({0} + '')",
        "({0}).toFixed()",
        "Number({0}).toPrecision(3)",
    )
    return w.code(form, w.make("n", depth))


@production("o", "conversion")
def _round_trip(w: Writer, depth: int) -> Code:
    form = w.choose(
        "JSON.parse(JSON.stringify({0}))",
        "JSON.parse(JSON.stringify({{ ...{0}, list: [1, null] }}))",
        'JSON.parse(\'{{"a": [1, 2.50, "x"], "b": {{"c": null}}}}\')',
    )
    return w.code(form, w.make("o", depth))


@production("b", "conversion")
def _number_test(w: Writer, depth: int) -> Code:
    form = w.choose(
        "Number.isInteger({0})",
        "Number.isNaN({0})",
        "isNaN({0})",
        "Number.isFinite({0})",
        "Array.isArray({0})",
        "Boolean({0})",
        "!{0}",
        "!!{0}",
        "isFinite({0})",
        "Number.isSafeInteger({0})",
        "Object.is({0}, {0})",
    )
    return w.code("(" + form + ")", w.any(depth))


# --------------------------------------------------------------------- collections


@production("s", "collections")
def _map(w: Writer, depth: int) -> Code:
    name, value = w.name(), w.make("s", depth)
    w.line(f"const {name} = new Map([['a', {value}], [1, 'one']]); {name}.set('z', 'last').set(true, 't'); {w.choose(f'{name}.delete(1);', f'{name}.set({value}, 2);', '')}")  # fmt: skip
    return w.code("(" + w.choose("{1}.get('a') + {1}.size", "[...{1}.keys()].join()", "[...{1}].map(([key, value]) => key + value).join()", "Array.from({1}.values()).join('/')", "String({1}.has(true)) + {1}.get('none')", "JSON.stringify(Object.fromEntries({1}))") + ")", value, name)  # fmt: skip


@production("n", "collections")
def _set(w: Writer, depth: int) -> Code:
    name, value = w.name(), w.make("a", depth)
    w.line(f"const {name} = new Set({value}); {name}.add('x').add('x'); {w.choose(f'{name}.delete(1);', '')}")
    return w.code(
        "(" + w.choose("{1}.size", "[...{1}].length", "Number({1}.has('x'))", "[...{1}].indexOf('x')") + ")",
        value,
        name,
    )


@production("a", "collections")
def _set_list(w: Writer, depth: int) -> Code:
    form = w.choose("[...new Set({0})]", "Array.from(new Set({0}).values())", "[...new Set([...{0}, 1, '1', 1])]", "[...new Map({0}.map((item, index) => [index, item])).entries()]", "[...new Map({0}.map((item) => [item, 1])).keys()]")  # fmt: skip
    return w.code(form, w.make("a", depth))


@production("b", "collections")
def _set_has(w: Writer, depth: int) -> Code:
    return w.code("new Set({}).has({})", w.make("a", depth), w.leaf(w.choose("s", "n")))


@production("n", "collections")
def _map_loop(w: Writer, depth: int) -> Code:
    name, value = w.name(), w.make("a", depth)
    w.line(f"let {name} = 0; const count{name} = new Map(); for (const item of {value}) count{name}.set(typeof item, (count{name}.get(typeof item) ?? 0) + 1); for (const [key, size] of count{name}) {name} += key.length * size;")  # fmt: skip
    return w.code("{1}", value, name)


@production("s", "collections")
def _by_object(w: Writer, depth: int) -> Code:
    name, value = w.name(), w.make("s", depth)
    w.line(f"const key{name} = {{}}; const {name} = new {w.choose('Map', 'WeakMap')}([[key{name}, {value}]]);")
    return w.code("({1}.get(key{1}) + {1}.has({{}}))", value, name)


# --------------------------------------------------------------------------- async


@production("s", "async")
def _awaited(w: Writer, depth: int) -> Code:
    if w.commonjs:
        return w.code("(() => {0})()", w.make("s", depth))
    name, value = w.name(), w.make("s", depth)
    form = w.choose(
        "async function {0}(first) {{ const later = await Promise.resolve({1}); return first + later; }}",
        "const {0} = async (first) => {{ try {{ await Promise.reject(new Error({1})); }} catch (error) {{ return first + error.message; }} }};",
        "const {0} = (first) => new Promise((resolve) => resolve(first + {1}));",
        "const {0} = async (first) => {{ let all = first; for (const part of [{1}, 'b']) {{ all += await part; }} return all; }};",
        "const {0} = (first) => Promise.resolve({1}).then((value) => value + first).then(async (value) => value + '!');",
        "async function {0}(first) {{ if (first) return {1}; throw new Error('empty'); }}",
        "const {0} = async (first) => (await Promise.all([first, {1}, Promise.resolve(1)])).join('~');",
        "const {0} = (first) => new Promise((resolve) => setTimeout(() => resolve(first + {1}), 0));",
    )
    w.line(form.format(name, value))
    form = w.choose("(await {1}({0}))", "(await {1}({0}).catch((error) => 'caught ' + error.message))", "(await {1}('f').then((text) => text + {0}, () => 'failed'))", "(await Promise.resolve({1}('g')).finally(() => 1))")  # fmt: skip
    return w.hoisted(form, w.make("s", min(depth, 1)), name)


@production("n", "async")
def _shared_order(w: Writer, depth: int) -> Code:
    if w.commonjs:
        return w.make("n", depth)
    name, value = w.name(), w.make("n", depth)
    w.line(f"const {name} = []; const step{name} = async (label) => {{ {name}.push(label); await null; {name}.push(label + '2'); return label.length; }};")  # fmt: skip
    w.line(w.choose(f"step{name}('a'); {name}.push('sync'); await step{name}('b');", f"const p{name} = step{name}('a'); {name}.push('x'); await p{name}; {name}.push('y');", f"await Promise.all([step{name}('a'), step{name}('b')]);", f"Promise.resolve().then(() => {name}.push('micro')); {name}.push('now'); await null;"))  # fmt: skip
    return w.code("({1}.indexOf('a2') * 100 + {1}.length + Number({1}[1] === 'sync') + {0})", value, name)


@production("a", "async")
def _awaited_list(w: Writer, depth: int) -> Code:
    value = w.make("a", depth)
    if w.commonjs:
        return value
    form = w.choose(
        "(await Promise.all({0}.map(async (item) => [await item])))",
        "(await Promise.allSettled([Promise.resolve({0}), Promise.reject(1)])).map((one) => one.status)",
        "(await (async () => {0})())",
        "(await Promise.race([Promise.resolve({0})]))",
    )
    return w.hoisted(form, value)


# ---------------------------------------------------------------------- typescript


@production("s", "typescript")
def _typed(w: Writer, depth: int) -> Code:
    name, value = w.name(), w.make("s", depth)
    w.line(f"const {name} = {value};", f"const {name}: string | undefined = ({value}) as string satisfies string;")
    function = w.name()
    w.line(f"function {function}(first, second) {{ return first + (second ?? ''); }}", f"function {function}<T extends string>(first: T, second?: T): string {{ return first + (second ?? '') as string; }}")  # fmt: skip
    return w.code("{2}({1})", value, name, function)


@production("n", "typescript")
def _enum(w: Writer, depth: int) -> Code:
    name, value = w.name().capitalize(), w.make("n", depth)
    w.line(
        f"var {name}; (function (e) {{ e[e['First'] = 0] = 'First'; e[e['Second'] = 5] = 'Second'; e[e['Third'] = 6] = 'Third'; e['Text'] = 'text'; }})({name} || ({name} = {{}}));",
        f"enum {name} {{ First, Second = 5, Third, Text = 'text' }}",
    )
    return w.code(w.choose("({1}.Third + {0})", "({1}[{1}.Second].length + {0})", "({1}.Text.length + {1}.First + {0})", "Object.keys({1}).length"), value, name)  # fmt: skip


@production("s", "typescript")
def _typed_class(w: Writer, depth: int) -> Code:
    name, value = w.name().capitalize(), w.make("s", depth)
    w.line(
        f"class {name} {{ host; constructor(port, base = {value}) {{ this.port = port; this.base = base; this.host = 'h'; }} get url() {{ return `${{this.host}}:${{this.port}}${{this.base}}`; }} }}",
        f"interface Shape{name} {{ url: string }} class {name} implements Shape{name} {{ private host!: string; constructor(private readonly port: number, public base: string = {value}) {{ this.host = 'h'; }} get url(): string {{ return `${{this.host}}:${{this.port}}${{this.base}}`; }} }}",
    )
    return w.code("new {1}({2}).url", value, name, w.leaf("n"))


@production("o", "typescript")
def _typed_object(w: Writer, depth: int) -> Code:
    name, value = w.name(), w.make("s", depth)
    w.line(f"const {name} = {{ port: 1, host: {value} }};", f"type T{name} = {{ port: number; host: string }}; const {name}: T{name} = {{ port: 1, host: {value} }} as const;")  # fmt: skip
    return w.code("{1}", value, name)


# ------------------------------------------------------------------------ programs


KINDS = tuple(dict.fromkeys(kind for ways in _PRODUCTIONS.values() for kind, _ in ways))


def generate(seed: int, kind: str, depth: int = 4) -> Program:
    """One program of a kind; the same for the same arguments."""
    for attempt in range(50):
        w = Writer(
            f"{kind} {seed} {attempt}", commonjs=kind == "commonjs" and seed % 2 == 0, typescript=kind == "typescript"
        )
        results = [result for result in "snbao" if any(way[0] == kind for way in _PRODUCTIONS[result])]
        value = w.make(w.random.choice(results), depth, kind)
        if w.random.random() < 0.35 and not w.modules and kind not in ("typescript",):
            second = _from_module(w, 2, "s")
            value = w.code("[{}, {}]", value, second)
        if value.depth >= 3 and len(value.text) < 4000 and sum(map(len, w.modules.values())) < 20_000:
            break
    return _finished(w, kind, value)


def _finished(w: Writer, kind: str, value: Code) -> Program:
    if w.commonjs:
        entry, closing = "main.cjs", f"exports.result = {value};\n"
    else:
        entry, closing = "main.mjs", f"export const result = {value};\n"
    files = {**w.modules, entry: w.body() + closing}
    if kind != "typescript":
        return Program(kind, entry, files, value.depth)
    return Program(kind, entry, files, value.depth, {entry: w.body(typed=True) + closing})


def runner(programs: list[tuple[str, Program]]) -> str:
    """A Node script that imports each program and writes what it exports as tagged JSON to the file named last."""
    entries = json.dumps([f"./{folder}/{program.entry}" for folder, program in programs])
    return _RUNNER.replace("ENCODE", ENCODE).replace("ENTRIES", entries)


ENCODE = """const tag = (kind, value) => ({ $: kind, value });
function encode(value, depth = 0) {
  if (depth > 12) return tag('deep');
  if (value === undefined) return tag('undefined');
  if (typeof value === 'number') return Object.is(value, -0) ? tag('number', '-0') : Number.isFinite(value) ? value : tag('number', String(value));
  if (typeof value === 'bigint') return tag('bigint', String(value));
  if (typeof value === 'symbol') return tag('symbol');
  if (typeof value === 'function') return tag('function');
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Map) return tag('map', [...value].map(([key, item]) => [encode(key, depth + 1), encode(item, depth + 1)]));
  if (value instanceof Set) return tag('set', [...value].map((item) => encode(item, depth + 1)));
  if (value instanceof RegExp) return tag('regexp', String(value));
  if (value instanceof URL) return tag('url', value.href);
  if (value instanceof Error) return tag('error', value.message);
  if (value instanceof Promise) return tag('promise');
  if (Array.isArray(value)) return Array.from(value, (item) => encode(item, depth + 1));
  return tag('object', Object.entries(value).map(([key, item]) => [key, encode(item, depth + 1)]));
}
"""
"""JavaScript that writes a value as tagged JSON data."""

_RUNNER = """
import { writeFileSync } from 'node:fs';
ENCODE
const found = [];
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
for (const entry of ENTRIES) {
  try {
    const module = await import(entry);
    found.push({ result: encode('result' in module ? module.result : module.default.result) });
  } catch (error) {
    found.push({ thrown: String(error) });
  }
}
writeFileSync(process.argv[2], JSON.stringify(found));
process.exit(0);
"""
