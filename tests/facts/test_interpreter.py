"""What the evaluator says of small programs, worked out by hand from what JavaScript does."""

from __future__ import annotations

import pytest

from forensics.facts.interpreter import Effect, Interpreter
from forensics.facts.values import Text, Undefined, Unknown, Value, plain
from tests.facts.node_agreement import interpreter_for
from tests.facts.node_both_ways import happens_before

OPEN = "const open = process.env.TERM === 'x';\n"
"""A condition that the build doesn't decide: TERM is the machine's."""


def value_of(source: str, name: str = "result", **files: str) -> Value:
    return _interpreter(source, files).evaluate_export("main.mjs", name)


def run(source: str, **files: str) -> Interpreter:
    interpreter = _interpreter(source, files)
    interpreter.run(["main.mjs"])
    return interpreter


def _interpreter(source: str, files: dict[str, str]) -> Interpreter:
    named = {f"{name}.mjs": text for name, text in files.items()}
    return interpreter_for({"main.mjs": source, **named}, "main.mjs")


def effects_of(interpreter: Interpreter, *names: str) -> list[Effect]:
    wanted = names or ("fs.mkdirSync", "fs.promises.mkdir", "fs.writeFileSync")
    return [effect for effect in interpreter.effects if effect.name in wanted and effect.phase == "startup"]


def described(source: str) -> list[str]:
    """Start-up's folders in order, "?" before those that may not be made."""
    effects = effects_of(run("import { mkdirSync } from 'fs';\n" + source))
    return [f"{'' if effect.certain else '?'}{_shown(effect.arguments[0])}" for effect in effects]


def _shown(value: Value) -> str:
    if isinstance(value, Text):
        return "".join(part if isinstance(part, str) else "…" for part in value.parts)
    return "…" if isinstance(value, Unknown) else str(value)


# ------------------------------------------------------------------ open conditions


def test_both_sides_of_an_open_condition_are_merged_and_their_effects_uncertain() -> None:
    source = OPEN + "let a = 1; if (open) { mkdirSync('x'); a = 2; } else { mkdirSync('y'); } mkdirSync('z' + a);"
    assert described(source) == ["?x", "?y", "z…"]


def test_what_both_sides_agree_on_is_known() -> None:
    assert value_of(OPEN + "let a; if (open) { a = 'same'; } else { a = 'same'; } export const result = a;") == "same"


def test_an_open_value_lists_what_it_can_be() -> None:
    value = value_of(OPEN + "export const result = open ? 3000 : 4000;")
    assert isinstance(value, Unknown)
    assert value.candidates == (3000, 4000)
    assert value.closed


def test_after_an_early_return_the_rest_is_uncertain_only_in_that_function() -> None:
    source = OPEN + "function f() { if (open) return; mkdirSync('in'); } f(); mkdirSync('after');"
    assert described(source) == ["?in", "after"]


def test_the_side_that_returns_keeps_its_assignments() -> None:
    source = (
        OPEN + "let a = 1; function f() { if (open) { a = 2; return 'early'; } a = 3; return 'late'; } const r = f();"
    )
    value = value_of(source + "export const result = [a, r];")
    assert [item.candidates for item in plain(value)] == [(3, 2), ("late", "early")]


def test_a_throw_on_one_side_ends_at_the_catch() -> None:
    source = (
        OPEN
        + "let a = 1; try { if (open) throw new Error('x'); a = 2; mkdirSync('t'); } catch { a = 3; mkdirSync('c'); } mkdirSync('end');"
    )
    assert described(source) == ["?t", "?c", "end"]
    value = value_of("import { mkdirSync } from 'fs';\n" + source + "export const result = a;")
    assert set(value.candidates) == {2, 3}


def test_a_throw_on_one_side_that_nobody_catches_makes_the_rest_uncertain() -> None:
    assert described(OPEN + "mkdirSync('before'); if (open) throw new Error('x'); mkdirSync('after');") == [
        "before",
        "?after",
    ]


def test_an_exit_on_one_side_makes_the_rest_uncertain_but_not_its_values() -> None:
    source = OPEN + "let a = 1; if (open) { a = 2; process.exit(1); } mkdirSync('d' + a);"
    assert described(source) == ["?d1"]


def test_effects_under_the_same_conditions_imply_each_other() -> None:
    source = "import { mkdirSync } from 'fs';\n" + OPEN + "if (open) process.exit(1); mkdirSync('a'); mkdirSync('b');"
    one, other = effects_of(run(source))
    assert set(one.conditions) <= set(other.conditions)


def test_a_break_on_one_side_leaves_the_loop_with_its_assignments() -> None:
    source = (
        OPEN + "let a = 0; for (const n of [1, 2, 3]) { if (open) { a = 9; break; } a = n; } export const result = a;"
    )
    assert set(value_of(source).candidates) == {9, 3}


def test_a_continue_on_one_side_skips_the_rest_of_the_round() -> None:
    source = OPEN + "for (const n of ['p', 'q']) { if (open) continue; mkdirSync(n); } mkdirSync('end');"
    assert described(source) == ["?p", "?q", "end"]


def test_a_loop_of_unknown_length_makes_what_it_assigns_unknown_in_it_and_after_it() -> None:
    source = "let n = 0; for (const part of process.env.PATH.split(':')) { n += 1; mkdirSync('d' + n); } mkdirSync('end' + n);"
    assert described(source) == ["?d…", "end…"]


def test_an_index_of_a_loop_of_unknown_length_is_unknown() -> None:
    source = "const list = process.env.PATH.split(':'); for (let i = 0; i < list.length; i++) mkdirSync('d' + i);"
    assert described(source) == ["?d…"]


def test_an_array_grown_in_a_loop_of_unknown_length_has_no_known_length() -> None:
    source = "const list = ['a']; for (const part of process.env.PATH) list.push(part); export const result = [list.length, list[0]];"
    length, first = plain(value_of(source))
    assert isinstance(length, Unknown)
    assert isinstance(first, Unknown)


def test_an_open_switch_may_take_any_case_and_falls_through() -> None:
    source = (
        OPEN
        + "let a = ''; switch (process.env.TERM) { case 'p': a += '1'; case 'q': a += '2'; break; default: a += '3'; } export const result = a;"
    )
    assert set(value_of(source).candidates) == {"12", "2", "3"}


def test_a_labelled_loop_is_left_from_inside() -> None:
    source = "outer: for (const a of [1, 2]) { for (const b of [1, 2]) { if (b === 2) continue outer; if (a === 2) break outer; mkdirSync(`${a}${b}`); } }"
    assert described(source) == ["11"]


def test_a_property_set_under_a_condition_leaves_the_keys_open() -> None:
    source = (
        OPEN
        + "const o = { a: 1 }; if (open) o.b = 2; export const result = [o.a, o.b, Object.keys(o).length, 'b' in o];"
    )
    a, b, keys, has = plain(value_of(source))
    assert a == 1
    assert b.candidates[0] == 2
    assert isinstance(b.candidates[1], Undefined)
    assert isinstance(keys, Unknown)
    assert isinstance(has, Unknown)


def test_an_array_changed_under_a_condition_keeps_what_both_share() -> None:
    value = value_of(OPEN + "const list = [1, 2]; if (open) list.push(3); export const result = list;")
    assert value.items == [1, 2]
    assert not value.complete


def test_a_closure_called_under_a_condition_assigns_outer_variables_perhaps() -> None:
    source = OPEN + "let a = 1; const set = () => { a = 2; }; if (open) set(); export const result = a;"
    assert set(value_of(source).candidates) == {1, 2}


def test_setting_a_property_of_one_of_two_objects_may_change_either() -> None:
    source = OPEN + "const p = { n: 1 }, q = { n: 1 }; (open ? p : q).n = 2; export const result = [p.n, q.n];"
    assert [set(item.candidates) for item in plain(value_of(source))] == [{1, 2}, {1, 2}]


def test_a_spread_of_a_conditional_object_adds_perhaps() -> None:
    source = OPEN + "const o = { a: 1, ...(open && { a: 2, b: 3 }) }; export const result = [o.a, o.b];"
    a, b = plain(value_of(source))
    assert set(a.candidates) == {1, 2}
    assert 3 in b.candidates


def test_an_optional_chain_on_what_may_be_undefined_may_end_early() -> None:
    source = (
        OPEN
        + "const o = open ? { a: { b: 1 }, f() { return 2; } } : undefined; let n = 0; export const result = [o?.a.b, o?.f(), o?.g?.(n++), n];"
    )
    b, f, g, n = plain(value_of(source))
    assert b.candidates == (1, Undefined())
    assert f.candidates == (2, Undefined())
    assert g == Undefined()
    assert n == 0


def test_reading_from_what_may_be_undefined_makes_the_rest_uncertain() -> None:
    source = OPEN + "const o = open ? { a: 1 } : undefined; mkdirSync('before'); const a = o.a; mkdirSync('after' + a);"
    assert described(source) == ["before", "?after1"]


def test_what_a_failing_call_leaves_is_merged_into_what_the_catch_sees() -> None:
    source = (
        "import fs from 'fs'; let a = 1; try { a = 2; fs.statSync('x'); a = 3; } catch { } export const result = a;"
    )
    assert set(value_of(source).candidates) == {2, 3}


def test_a_catch_that_exits_leaves_what_follows_certain_since_outside_calls_are_taken_to_succeed() -> None:
    source = "import fs from 'fs'; try { fs.statSync('x'); } catch { process.exit(1); } fs.mkdirSync('after');"
    (effect,) = effects_of(run(source))
    assert effect.certain


def test_what_a_finally_block_does_after_an_open_way_out_is_found_as_uncertain() -> None:
    source = (
        OPEN
        + "function f() { try { if (open) return 'early'; mkdirSync('t'); } finally { mkdirSync('f'); } mkdirSync('late'); } f();"
    )
    assert described(source) == ["?t", "?f", "?late"]


# ----------------------------------------------------------------------- functions


def test_recursion_with_known_arguments_is_followed() -> None:
    assert value_of("const f = (n) => (n <= 1 ? 1 : n * f(n - 1)); export const result = f(12);") == 479_001_600


def test_recursion_on_an_open_condition_ends_and_forgets_what_it_assigns() -> None:
    source = "let n = 0; function f(x) { n += 1; if (process.env.TERM === x) return; f(x + 'a'); } f(''); export const result = n;"
    assert isinstance(value_of(source), Unknown)


def test_this_is_what_the_method_is_called_on_and_arrows_keep_it() -> None:
    source = "const o = { n: 2, f() { return [1].map((x) => x + this.n)[0]; } }; const g = o.f; export const result = [o.f(), g.call({ n: 5 })];"
    assert plain(value_of(source)) == [3, 6]


def test_getters_setters_and_statics_of_classes() -> None:
    source = "class A { #n = 1; static made = 0; static of() { A.made += 1; return new this(); } get n() { return this.#n; } set n(v) { this.#n = v * 2; } } class B extends A { get n() { return super.n + 100; } set n(v) { super.n = v; } } const a = A.of(), b = B.of(); a.n = 4; export const result = [a.n, A.made, B.made, b instanceof A, Object.keys(a)];"
    assert plain(value_of(source)) == [8, 2, 2, True, []]


def test_a_class_that_extends_a_package_keeps_its_own_methods_and_asks_the_package_for_the_rest() -> None:
    source = "import { EventEmitter } from 'events'; class Hub extends EventEmitter { constructor() { super(); this.port = 1; } url() { return 'h:' + this.port; } } const hub = new Hub(); hub.on('x', () => {}); export const result = hub.url();"
    interpreter = _interpreter(source, {})
    assert interpreter.evaluate_export("main.mjs", "result") == "h:1"
    assert [effect.name for effect in interpreter.effects][-2:] == [
        "new events.EventEmitter",
        "new events.EventEmitter().on",
    ]


def test_generators_run_as_far_as_they_are_asked() -> None:
    source = "function* f() { mkdirSync('1'); yield 'a'; mkdirSync('2'); yield 'b'; mkdirSync('3'); } for (const x of f()) { mkdirSync(x); if (x === 'b') break; }"
    assert described(source) == ["1", "a", "2", "b"]


def test_a_definite_error_of_the_language_is_thrown() -> None:
    interpreter = run("import { mkdirSync } from 'fs'; const o = {}; mkdirSync('a'); o.missing.deep; mkdirSync('b');")
    assert [effect.arguments[0] for effect in effects_of(interpreter)] == ["a"]
    assert interpreter.thrown is not None
    assert interpreter.thrown.value.properties["message"] == "Cannot read properties of undefined (reading 'deep')"


def test_what_is_thrown_at_start_up_ends_it() -> None:
    interpreter = run("import { mkdirSync } from 'fs'; throw new Error('no'); mkdirSync('never');")
    assert interpreter.thrown is not None
    assert effects_of(interpreter) == []


def test_process_exit_ends_it_and_no_catch_sees_it() -> None:
    interpreter = run(
        "import { mkdirSync } from 'fs'; try { process.exit(3); } catch { mkdirSync('never'); } mkdirSync('never');"
    )
    assert interpreter.exited is not None
    assert interpreter.exited.code == 3
    assert effects_of(interpreter) == []


# --------------------------------------------------------------------- asynchronous


def test_code_after_an_await_runs_after_the_code_that_did_not_await() -> None:
    source = "const main = async () => { mkdirSync('1'); await null; mkdirSync('3'); }; main(); mkdirSync('2');"
    assert described(source) == ["1", "2", "3"]


def test_a_variable_set_after_the_call_is_seen_after_the_await() -> None:
    assert described("let p = 1; const main = async () => { await null; mkdirSync('p' + p); }; main(); p = 2;") == [
        "p2"
    ]


def test_a_folder_made_by_a_promise_that_is_awaited_comes_before() -> None:
    source = "import { mkdir } from 'fs/promises'; import { writeFileSync } from 'fs'; await mkdir('d'); writeFileSync('d/f', '');"
    made, written = effects_of(run(source))
    assert happens_before(made, written)


def test_a_folder_made_by_a_promise_that_nobody_awaits_need_not_come_before() -> None:
    source = (
        "import { mkdir } from 'fs/promises'; import { writeFileSync } from 'fs'; mkdir('d'); writeFileSync('d/f', '');"
    )
    made, written = effects_of(run(source))
    assert not happens_before(made, written)


def test_a_folder_made_in_a_function_that_is_not_awaited_comes_before_what_follows_in_it() -> None:
    source = "import { mkdir } from 'fs/promises'; import { writeFileSync } from 'fs'; async function init() { await mkdir('d'); writeFileSync('d/f', ''); } init(); writeFileSync('e/f', '');"
    made, other, inside = effects_of(run(source))
    assert inside.arguments[0] == "d/f"
    assert happens_before(made, inside)
    assert not happens_before(made, other)


def test_a_synchronous_call_before_the_first_await_has_happened_when_the_call_returns() -> None:
    source = "import { mkdirSync, writeFileSync } from 'fs'; async function init() { mkdirSync('d'); await null; } init(); writeFileSync('d/f', '');"
    made, written = effects_of(run(source))
    assert happens_before(made, written)


def test_a_rejected_promise_goes_to_its_catch_or_ends_the_process() -> None:
    failing = "import { mkdirSync } from 'fs'; const main = async () => { throw new Error('no'); }; "
    caught = run(failing + "main().catch((error) => mkdirSync(error.message));")
    assert [effect.arguments[0] for effect in effects_of(caught)] == ["no"]
    assert caught.thrown is None
    assert run(failing + "main();").thrown is not None


def test_a_promise_that_only_an_event_settles_leaves_what_follows_uncertain() -> None:
    source = "const server = { on() {} }; await new Promise((resolve) => process.on('message', () => resolve(1))); mkdirSync('late');"
    assert described(source) == ["?late"]


def test_a_callback_given_as_resolve_is_called_in_the_end() -> None:
    source = "import { mkdirSync } from 'fs'; import http from 'http'; const s = http.createServer(); await new Promise((resolve) => s.listen(1, resolve)); mkdirSync('up');"
    (effect,) = effects_of(run(source))
    assert effect.certain


def test_timers_run_in_the_order_of_their_delays_and_after_microtasks() -> None:
    source = "setTimeout(() => mkdirSync('50'), 50); setTimeout(() => mkdirSync('10'), 10); Promise.resolve().then(() => mkdirSync('micro')); mkdirSync('now');"
    assert described(source) == ["now", "micro", "10", "50"]


def test_an_asynchronous_call_under_a_condition_assigns_perhaps() -> None:
    source = (
        OPEN + "let a = 1; const set = async () => { await null; a = 2; }; if (open) set(); export const result = a;"
    )
    assert set(value_of(source).candidates) == {1, 2}


def test_a_handler_of_an_event_runs_after_start_up() -> None:
    interpreter = run(
        "import { mkdirSync } from 'fs'; process.on('x', () => mkdirSync('event')); function never() { mkdirSync('never'); }"
    )
    phases = {effect.arguments[0]: effect.phase for effect in interpreter.effects if effect.name == "fs.mkdirSync"}
    assert phases == {"event": "request", "never": "uncalled"}


# -------------------------------------------------------------------------- modules


def test_bindings_are_live() -> None:
    source = "import { n, up } from './other.mjs'; const before = n; up(); export const result = [before, n];"
    assert plain(value_of(source, other="export let n = 1; export function up() { n += 1; }")) == [1, 2]


def test_circular_imports_see_what_is_there() -> None:
    main = "import { f } from './a.mjs'; export const result = f();"
    a = "import { g } from './b.mjs'; export const name = 'a'; export function f() { return g() + name; }"
    b = "import { name } from './a.mjs'; export function g() { return 'b' + name; }"
    assert value_of(main, a=a, b=b) == "baa"


def test_a_circular_import_read_too_early_is_unknown() -> None:
    main = "import { early } from './a.mjs'; export const result = early;"
    a = "import { early } from './b.mjs'; export { early }; export const late = 1;"
    b = "import { late } from './a.mjs'; let seen; try { seen = late; } catch { seen = 'too early'; } export const early = seen;"
    assert isinstance(value_of(main, a=a, b=b), Unknown)


def test_commonjs_cycles_see_the_exports_so_far() -> None:
    files = {
        "main.cjs": "exports.before = 1; const b = require('./b.cjs'); exports.after = 2; exports.result = [b.saw, b.later()];",
        "b.cjs": "const main = require('./main.cjs'); exports.saw = [main.before, main.after]; exports.later = () => main.after;",
    }
    interpreter = interpreter_for(files, "main.cjs")
    assert plain(interpreter.evaluate_export("main.cjs", "result")) == [[1, Undefined()], 2]


def test_the_module_that_was_started_is_the_main_one() -> None:
    files = {
        "main.cjs": "exports.result = [require.main === module, require('./b.cjs')];",
        "b.cjs": "module.exports = require.main === module;",
    }
    interpreter = interpreter_for(files, "main.cjs")
    assert plain(interpreter.evaluate_export("main.cjs", "result")) == [True, False]


def test_the_call_of_an_event_handler_stands_where_the_handler_does() -> None:
    interpreter = run("import { mkdirSync } from 'fs'; process.on('x', () => mkdirSync('event'));")
    (effect,) = [effect for effect in interpreter.effects if effect.name == "fs.mkdirSync"]
    assert [site.path for site in effect.stack] == ["main.mjs"]


def test_a_module_loaded_under_a_condition_keeps_its_own_state() -> None:
    source = (
        OPEN
        + "let m; if (open) { m = await import('./other.mjs'); } const again = await import('./other.mjs'); export const result = again.n;"
    )
    assert value_of(source, other="export const n = 7;") == 7


def test_an_import_that_leads_nowhere_is_noted() -> None:
    interpreter = run("import { x } from './missing.mjs';")
    assert [specifier for specifier, _, _ in interpreter.missing] == ["./missing.mjs"]


# ---------------------------------------------------------------------- environment


def test_arguments_are_parsed_with_their_defaults() -> None:
    source = "import { parseArgs } from 'node:util'; const { values } = parseArgs({ options: { port: { type: 'string', short: 'p', default: '4499' }, watch: { type: 'boolean' } } }); export const result = values;"
    assert plain(value_of(source)) == {"port": "4499"}


def test_exists_after_mkdir_is_true_and_before_it_false() -> None:
    source = "import fs from 'fs'; const before = fs.existsSync('d/e'); fs.mkdirSync('d/e', { recursive: true }); export const result = [before, fs.existsSync('d'), fs.existsSync('d/e')];"
    assert plain(value_of(source)) == [False, True, True]


def test_exists_after_a_mkdir_under_a_condition_is_unknown() -> None:
    source = OPEN + "import fs from 'fs'; if (open) fs.mkdirSync('d'); export const result = fs.existsSync('d');"
    assert isinstance(value_of(source), Unknown)


def test_a_variable_that_nothing_sets_is_undefined_with_that_reason() -> None:
    value = value_of("export const result = process.env.DATA_DIR;")
    assert isinstance(value, Undefined)
    assert value.reason == "DATA_DIR, which nothing sets"


def test_variables_that_are_assigned_become_strings() -> None:
    assert plain(value_of("process.env.PORT = 3000; export const result = [process.env.PORT, typeof process.env.PORT];")) == ["3000", "string"]  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "known"),
    [
        ("process.env.TERM + '/data'", "…/data"),
        ("`http://${process.env.TERM}:3000`", "http://…:3000"),
        ("path.join(__dirname, process.env.TERM)", "/@build/…"),
        ("path.join('data', process.env.TERM, 'x.db')", "data/…/x.db"),
    ],
)
def test_known_parts_of_an_unknown_text_are_kept(expression: str, known: str) -> None:
    interpreter = interpreter_for(
        {"main.cjs": f"const path = require('path'); exports.result = {expression};"}, "main.cjs"
    )
    assert _shown(interpreter.evaluate_export("main.cjs", "result")) == known
