"""Which file a specifier means, as Node with a TypeScript loader or Vite reads it."""

from __future__ import annotations

import json

import pytest

from forensics.facts.resolution import (
    Alias,
    Resolver,
    builtin_name,
    exported_target,
    glob_pattern,
    matched_target,
    package_name,
)
from tests.in_memory import facts_of

FILES = {
    "package.json": json.dumps({"name": "root", "workspaces": ["packages/*"], "imports": {"#lib/*": "./src/lib/*.js"}}),
    "src/main.ts": "",
    "src/lib/order.js": "",
    "src/parts/index.tsx": "",
    "src/logo.svg": "<svg/>",
    "public/map.js": "",
    "packages/shared/package.json": json.dumps(
        {"name": "@x/shared", "exports": {".": {"import": "./index.mjs"}, "./labels": "./labels.mjs"}}
    ),
    "packages/shared/index.mjs": "",
    "packages/shared/labels.mjs": "",
    "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
}


@pytest.mark.parametrize(
    ("specifier", "kind", "target"),
    [
        ("./main", "module", "src/main.ts"),
        ("./main.js", "module", "src/main.ts"),
        ("./parts", "module", "src/parts/index.tsx"),
        ("./logo.svg", "asset", "src/logo.svg"),
        ("#lib/order", "module", "src/lib/order.js"),
        ("@/parts", "module", "src/parts/index.tsx"),
        ("@x/shared", "module", "packages/shared/index.mjs"),
        ("@x/shared/labels", "module", "packages/shared/labels.mjs"),
        ("node:fs/promises", "external", "fs.promises"),
        ("path", "external", "path"),
        ("express", "external", "express"),
    ],
)
def test_specifiers_under_node_with_a_typescript_loader(specifier: str, kind: str, target: str) -> None:
    resolved = facts_of(FILES).resolver.resolve(specifier, "src/other.ts")
    assert (resolved.kind, resolved.target) == (kind, target)


def test_what_is_not_there_says_why() -> None:
    resolver = facts_of(FILES).resolver
    assert resolver.resolve("./gone", "src/other.ts").target == "no such file: src/gone"
    assert resolver.resolve("../../out.js", "src/other.ts").target == "it lies outside of the build"
    assert resolver.resolve("@x/shared/secret", "src/other.ts").kind == "missing"


def test_vite_reads_leading_slashes_from_the_root_and_then_from_the_public_folder() -> None:
    facts = facts_of(FILES)
    vite = Resolver(facts.build, facts.packages, (Alias("~lib", False, "src/lib", True),), {}, "src", "public")
    assert vite.resolve("/main.ts", "src/index.html").target == "src/main.ts"
    assert vite.resolve("/map.js", "src/index.html").target == "public/map.js"
    assert vite.resolve("~lib/order.js", "src/main.ts").target == "src/lib/order.js"
    assert vite.resolve("./logo.svg?url", "src/main.ts").target == "src/logo.svg"


@pytest.mark.parametrize(
    ("specifier", "name"),
    [
        ("fs", "fs"),
        ("node:sqlite", "sqlite"),
        ("sqlite", None),
        ("test", None),
        ("node:test", "test"),
        ("express", None),
    ],
)
def test_builtins_that_need_their_prefix(specifier: str, name: str | None) -> None:
    assert builtin_name(specifier) == name


def test_package_names() -> None:
    assert package_name("@electric-sql/pglite/worker") == "@electric-sql/pglite"
    assert package_name("lowdb/node") == "lowdb"


def test_exports_and_imports_tables() -> None:
    exports = {".": {"node": "./n.js", "default": "./d.js"}, "./f/*": "./src/f/*.js", "./f/x/*": "./src/x/*.js"}
    assert exported_target(exports, ".") == "./n.js"
    assert exported_target(exports, "./f/a") == "./src/f/a.js"
    assert exported_target(exports, "./f/x/a") == "./src/x/a.js"
    assert exported_target("./only.js", ".") == "./only.js"
    assert exported_target("./only.js", "./sub") is None
    assert matched_target({"#a": ["./a.js"]}, "#a") == "./a.js"


def test_globs() -> None:
    assert glob_pattern("pages/**/*.js").fullmatch("pages/a/b.js")
    assert glob_pattern("pages/**/*.js").fullmatch("pages/b.js")
    assert not glob_pattern("pages/*.js").fullmatch("pages/a/b.js")
    assert glob_pattern("*.{js,ts}").fullmatch("x.ts")
