"""Stores that a server opens: their path, and the folder that each needs, as its driver was seen to need it."""

from __future__ import annotations

import json

import pytest

from forensics.facts.node_host import build_path
from forensics.facts.stores import Made, Store, folders_made, stores_of
from tests.in_memory import facts_of


def opened(source: str) -> tuple[list[Store], list[Made]]:
    """Stores and folders of a build whose `dev` script starts app/server.js."""
    manifest = json.dumps({"name": "app", "type": "module", "scripts": {"dev": "node app/server.js"}})
    facts = facts_of({"package.json": manifest, "app/server.js": source})
    (process,) = facts.running(facts.dev)
    run = facts.trace(process)
    return stores_of(run), folders_made(run)


@pytest.mark.parametrize(
    ("source", "driver", "needs"),
    [
        ("import { PGlite } from '@electric-sql/pglite'\nnew PGlite('./data/pg')", "PGlite", "data"),
        ("import { PGlite } from '@electric-sql/pglite'\nnew PGlite({ dataDir: 'pg' })", "PGlite", ""),
        ("import { PGlite } from '@electric-sql/pglite'\nawait PGlite.create('file://state/pg')", "PGlite", "state"),
        (
            (
                "import Database from 'better-sqlite3'\nimport path from 'node:path'\n"
                "new Database(path.join(import.meta.dirname, '..', 'data', 'x.db'))"
            ),
            "better-sqlite3",
            "data",
        ),
        (
            "import Database from 'better-sqlite3'\nnew Database(process.env.DB ?? 'store/x.db')",
            "better-sqlite3",
            "store",
        ),
        ("import { DatabaseSync } from 'node:sqlite'\nnew DatabaseSync('data/x.db')", "node:sqlite", "data"),
        ("import fs from 'node:fs'\nfs.writeFileSync('out/log.txt', '')", "a file", "out"),
        ("import { JSONFilePreset } from 'lowdb/node'\nawait JSONFilePreset('db/x.json', {})", "lowdb", "db"),
    ],
)
def test_the_folder_that_must_exist(source: str, driver: str, needs: str) -> None:
    (store,), _ = opened(source)
    assert store.driver.name == driver
    assert build_path(store.needs or "") == needs


@pytest.mark.parametrize(
    "source",
    [
        "import { PGlite } from '@electric-sql/pglite'\nnew PGlite()",
        "import { PGlite } from '@electric-sql/pglite'\nnew PGlite('memory://x')",
        "import Database from 'better-sqlite3'\nnew Database(':memory:')",
    ],
)
def test_stores_in_memory_need_none(source: str) -> None:
    (store,), _ = opened(source)
    assert store.in_memory


def test_forms_that_the_driver_cannot_open() -> None:
    (store,), _ = opened("import Database from 'better-sqlite3'\nnew Database(new URL('./x.db', import.meta.url))")
    assert store.fails


def test_destination_function_of_multer_makes_no_folder() -> None:
    (store,), _ = opened(
        "import multer from 'multer'\n"
        "multer({ storage: multer.diskStorage({ destination: (request, file, done) => done(null, 'uploads/new') }) })"
    )
    assert (build_path(store.needs or ""), store.driver.makes) == ("uploads/new", "nothing")


def test_folders_made_with_and_without_their_parents() -> None:
    _, made = opened("import { mkdirSync } from 'node:fs'\nmkdirSync('a/b', { recursive: true })\nmkdirSync('c')")
    assert [(build_path(item.path), item.parents) for item in made] == [("a/b", True), ("c", False)]
