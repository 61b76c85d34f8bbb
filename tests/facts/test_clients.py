"""Where the calls of a page go."""

from __future__ import annotations

import json

import pytest

from forensics.facts.clients import UNSET, ClientCall
from tests.in_memory import facts_of


def calls(source: str, **files: str) -> list[ClientCall]:
    """Calls of a page whose only module is main.js, served by `vite` on its own port."""
    manifest = json.dumps({"name": "app", "scripts": {"dev": "vite"}})
    page = "<!doctype html><script type='module' src='/main.js'></script>"
    texts = {{"dotenv": ".env"}.get(path, path): text for path, text in files.items()}
    facts = facts_of({"package.json": manifest, "index.html": page, "main.js": source, **texts})
    return [call for _, call in facts.dev_servers[0].calls]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("fetch('/api/items')", ("fetch", "GET", "relative", None, "/api/items")),
        ("fetch('http://localhost:4000/api')", ("fetch", "GET", "absolute", 4000, "/api")),
        ("fetch(`${location.protocol}//${location.hostname}:4000/x`)", ("fetch", "GET", "absolute", 4000, "/x")),
        ("fetch(`${location.origin}/x`, { method: 'post' })", ("fetch", "POST", "relative", None, "/x")),
        ("const id = prompt()\nfetch('/items/' + id)", ("fetch", "GET", "relative", None, "/items/…")),
        ("new EventSource('/live')", ("events", "GET", "relative", None, "/live")),
        ("new WebSocket(`ws://${location.host}/ws`)", ("socket", "GET", "relative", None, "/ws")),
        (
            "import axios from 'axios'\nconst api = axios.create({ baseURL: '/api' })\napi.delete('/items/1')",
            ("fetch", "DELETE", "relative", None, "/api/items/1"),
        ),
        (
            "import { io } from 'socket.io-client'\nio('http://localhost:4001')",
            ("socket", "GET", "absolute", 4001, "/socket.io/"),
        ),
        (
            "import { io } from 'socket.io-client'\nio({ path: '/api/socket.io' })",
            ("socket", "GET", "relative", None, "/api/socket.io"),
        ),
    ],
)
def test_address(source: str, expected: tuple[object, ...]) -> None:
    (call,) = calls(source)
    assert (call.kind, call.method, call.reach, call.port, call.path) == expected


def test_base_of_an_env_file() -> None:
    (call,) = calls("fetch(`${import.meta.env.VITE_API}/items`)", dotenv="VITE_API=http://localhost:4300\n")
    assert (call.reach, call.port, call.path) == ("absolute", 4300, "/items")


@pytest.mark.parametrize(
    "source",
    [
        "fetch(`${import.meta.env.VITE_API}/items`)",
        "import axios from 'axios'\naxios.create({ baseURL: import.meta.env.VITE_API }).get('/items')",
        "import { io } from 'socket.io-client'\nio(import.meta.env.VITE_API)",
    ],
)
def test_base_that_nothing_sets_is_open_and_says_what_the_shipped_files_do(source: str) -> None:
    (call,) = calls(source)
    assert (call.reach, call.reason) == ("unknown", UNSET)
    assert [option.reach for option in call.options] == ["relative"]


def test_sides_of_an_open_condition_are_options() -> None:
    (call,) = calls("const base = localStorage.getItem('far') ? 'http://localhost:4000' : ''\nfetch(`${base}/items`)")
    assert {(option.reach, option.port) for option in call.options} == {("absolute", 4000), ("relative", None)}


def test_form_of_the_page_is_a_call() -> None:
    manifest = json.dumps({"name": "app", "scripts": {"dev": "vite"}})
    facts = facts_of({"package.json": manifest, "index.html": "<form action='/upload' method='post'></form>"})
    assert [(call.kind, call.method, call.path) for _, call in facts.dev_servers[0].calls] == [
        ("form", "POST", "/upload")
    ]
