"""Files that their runtime can't parse, by the goal under which it reads them."""

from __future__ import annotations

import pytest

from tests.in_memory import facts_of

MODULE = '{"type": "module"}'
COMMONJS = '{"type": "commonjs"}'


def kinds(path: str, text: str, manifest: str = "{}") -> list[str]:
    """Kinds of what is wrong with one file of a build with this manifest."""
    failures = facts_of({"package.json": manifest, path: text}).parse_failures
    assert set(failures) <= {path}
    return [failure.kind for failure in failures.get(path, ())]


# Each row was put to Node 20.20 (`node --check`) under its name and manifest.
@pytest.mark.parametrize(
    ("path", "manifest", "text", "refused"),
    [
        ("a.js", "{}", "const a = 1\n", False),
        ("a.js", "{}", "const a = 1\nconst a = 2\n", True),
        ("a.js", "{}", "var a = 1\nvar a = 2\n", False),
        ("a.js", "{}", "const a = 1\n{ const a = 2 }\n", False),
        ("a.js", "{}", "function f() { if (x) {\n", True),
        ("a.mjs", "{}", "await f()\n", False),
        ("a.cjs", "{}", "await f()\n", True),
        ("a.js", COMMONJS, "await f()\n", True),
        ("a.js", MODULE, "with (a) { b }\n", True),
        ("a.cjs", MODULE, "with (a) { b }\n", False),
        ("a.cjs", "{}", "return 1\n", False),
        ("a.mjs", "{}", "return 1\n", True),
        ("a.cjs", "{}", "const await = 1\n", False),
        ("a.mjs", "{}", "const await = 1\n", True),
        ("a.js", MODULE, "export const a = 1\nexport { a }\n", True),
        ("a.js", MODULE, "export { b }\n", True),
    ],
)
def test_a_script_is_refused_where_node_refuses_it(path: str, manifest: str, text: str, refused: bool) -> None:
    assert bool(kinds(path, text, manifest)) == refused


def test_module_syntax_under_commonjs_is_a_clash_of_formats_and_no_failure_to_parse() -> None:
    assert kinds("a.js", "import a from 'b'\n", COMMONJS) == []


# Valid for esbuild; the grammar refuses some of them.
@pytest.mark.parametrize(
    "text",
    [
        "&#128172; talk & listen",
        "&#128172; talk & listen &rarr; now",
        "R&D &amp; &#x1F4AC;",
        "{a & b} a & b {a && <i>c & d &rarr;</i>} &#1; e",
        "&#1; & {a && b ? <u>x & y</u> : c & d} &rarr; z",
    ],
)
def test_character_references_and_ampersands_are_text_of_jsx(text: str) -> None:
    for path in ("a.jsx", "a.tsx"):
        assert kinds(path, f"export const Badge = () => <b>{text}</b>\nf(<Badge />)\n") == []


def test_what_is_broken_beside_such_text_is_still_told() -> None:
    assert kinds("a.jsx", "const B = () => <b>&#1; a & b &rarr; c</b>\nconst x = = 1\n") != []
    assert kinds("a.jsx", "const B = () => <b>&#1; a & b &rarr; c</i>\n") != []


@pytest.mark.parametrize(
    ("path", "text", "refused"),
    [
        ("data.json", '{"a": 1}', False),
        ("data.json", '{"a": 1,}', True),
        ("tsconfig.json", '{"a": 1, /* why */}', False),
        ("empty.json", "  ", False),
        ("a.css", "p { color: red }", False),
        ("lib.min.js", "function (", False),
        ("vendor/lib.js", "function (", False),
    ],
)
def test_documents_and_what_others_made(path: str, text: str, refused: bool) -> None:
    assert bool(kinds(path, text)) == refused
