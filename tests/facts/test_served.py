"""The URLs that a page asks the dev server for, as Vite's import analysis writes them."""

from __future__ import annotations

import json

from forensics.facts.served import ServedPage
from tests.in_memory import facts_of


def served(files: dict[str, str]) -> ServedPage:
    """The index page of the dev server."""
    facts = facts_of({"package.json": json.dumps({"name": "app", "scripts": {"dev": "vite"}}), **files})
    return facts.dev_servers[0].pages[0].served


def urls(files: dict[str, str]) -> set[str]:
    """The URLs of the index page, without Vite's own client, which every page asks for."""
    return {request.url for request in served(files).requests if not request.url.endswith("/@vite/client")}


def test_static_and_literal_dynamic_imports_workers_and_assets() -> None:
    files = {
        "index.html": "<link rel='stylesheet' href='/look.css'><script type='module' src='/src/main.js'></script>",
        "look.css": "",
        "src/main.js": "import './api.js'\nimport('./later.js')\nnew Worker(new URL('./sum.js', import.meta.url))\n"
        "const plan = new URL('./plan.png', import.meta.url)",
        "src/api.js": "",
        "src/later.js": "",
        "src/sum.js": "",
        "src/plan.png": "x",
    }
    found = urls(files)
    assert {"/index.html", "/look.css", "/src/main.js", "/src/api.js", "/src/later.js", "/src/plan.png"} <= found
    assert "/src/sum.js?worker_file&type=module" in found


def test_root_base_and_files_outside_of_the_root() -> None:
    files = {
        "vite.config.js": "export default { root: 'web', base: '/app/' }",
        "web/index.html": "<script type='module' src='./main.js'></script>",
        "web/main.js": "import '../shared/names.js'",
        "shared/names.js": "",
    }
    assert urls(files) == {"/app/index.html", "/app/main.js", "/app/@fs/shared/names.js"}


def test_alias_and_public_folder() -> None:
    files = {
        "vite.config.js": "import path from 'node:path'\n"
        "export default { resolve: { alias: { '@': path.resolve(__dirname, 'src') } } }",
        "index.html": "<img src='/logo.svg'><script type='module' src='/src/main.js'></script>",
        "public/logo.svg": "<svg/>",
        "src/main.js": "import '@/api-client'",
        "src/api-client.ts": "export const x = 1",
    }
    assert urls(files) == {"/index.html", "/logo.svg", "/src/main.js", "/src/api-client.ts"}


def test_type_only_imports_are_not_asked_for() -> None:
    files = {
        "index.html": "<script type='module' src='/main.ts'></script>",
        "main.ts": "import type { Item } from './items'\nimport { Kind } from './kinds'\nconst a: Kind = 1",
        "items.ts": "export type Item = string",
        "kinds.ts": "export type Kind = number",
    }
    assert urls(files) == {"/index.html", "/main.ts"}


def test_missing_files_are_told_with_their_place() -> None:
    page = served({"index.html": "<script type='module' src='/main.js'></script>", "main.js": "import './gone.js'"})
    assert [(item.specifier, item.site.path) for item in page.missing] == [("./gone.js", "main.js")]
