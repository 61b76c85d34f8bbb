"""Which config Vite loads and what it comes to, on values worked out from Vite's own source."""

from __future__ import annotations

import json

import pytest

from forensics.facts import Facts
from forensics.facts.dev_server import DevServer
from forensics.facts.values import Unknown
from forensics.facts.vite import ProxyEntry, key_matches, taken_by
from tests.in_memory import facts_of

PAGE = "<!doctype html><script type='module' src='/main.js'></script>"


def dev_server(files: dict[str, str], dev: str = "vite") -> DevServer:
    """The dev server that `npm run dev` starts."""
    manifest = json.dumps({"name": "app", "scripts": {"dev": dev}, "devDependencies": {"vite": "^5.4.0"}})
    facts: Facts = facts_of({"package.json": manifest, "index.html": PAGE, "main.js": "", **files})
    return facts.dev_servers[0]


@pytest.mark.parametrize(
    ("key", "url", "expected"),
    [
        ("/api", "/api/items", True),
        ("/api", "/api.js", True),
        ("/api", "/apiary.css", True),
        ("/api/", "/api.js", False),
        ("/api/", "/api", False),
        ("^/api/", "/api.js", False),
        ("^/api/", "/api/items?q=1", True),
        ("^/exact$", "/exact?q=1", False),
        ("/api/*", "/api/items", False),
        ("api", "/api/items", False),
    ],
)
def test_key_takes_what_vite_gives_it(key: str, url: str, expected: bool) -> None:
    assert key_matches(key, url) is expected


def test_config_is_looked_for_in_the_positional_root_only() -> None:
    server = dev_server({"vite.config.js": "export default {}", "client/index.html": PAGE}, "vite client")
    assert (server.config.path, server.config.root) == (None, "client")


def test_named_config_counts_from_the_cwd_and_its_root_too() -> None:
    files = {"settings/vite.config.js": "export default { root: 'web' }", "web/index.html": PAGE}
    server = dev_server(files, "vite --config settings/vite.config.js")
    assert (server.config.path, server.config.root) == ("settings/vite.config.js", "web")


def test_positional_root_beats_the_one_in_the_config() -> None:
    files = {"client/vite.config.js": "export default { root: 'other' }", "client/index.html": PAGE}
    assert dev_server(files, "vite client").config.root == "client"


def test_js_wins_over_ts_and_is_named_as_shadowing() -> None:
    server = dev_server({"vite.config.js": "export default {}", "vite.config.ts": "export default {}"})
    assert (server.config.path, server.config.shadowed) == ("vite.config.js", ("vite.config.ts",))


@pytest.mark.parametrize(
    "config",
    [
        "export default { server: { proxy: { '/api': 'http://localhost:4000' } } }",
        (
            "import { defineConfig } from 'vite'\nexport default defineConfig(({ command }) => command === 'serve'"
            " ? { server: { proxy: { '/api': 'http://localhost:4000' } } } : {})"
        ),
        "export default async () => ({ server: { proxy: { '/api': { target: 'http://localhost:4000' } } } })",
        (
            "import { mergeConfig } from 'vite'\nconst base = { server: { port: 5200 } }\n"
            "export default mergeConfig(base, { server: { proxy: { '/api': 'http://localhost:4000' } } })"
        ),
        "const port = 4000\nexport default { server: { proxy: { ['/' + 'api']: `http://localhost:${port}` } } }",
        "module.exports = { server: { proxy: { '/api': 'http://localhost:4000' } } }",
        (
            "const back = { name: 'back', config: () => ({ server: { proxy: { '/api': 'http://localhost:4000' } } }) }\n"
            "export default { plugins: [back] }"
        ),
    ],
)
def test_every_form_of_config_gives_its_proxy(config: str) -> None:
    entries = dev_server({"vite.config.js": config}).config.proxy
    assert [(entry.key, entry.target) for entry in entries or ()] == [("/api", "http://localhost:4000")]


def test_output_counts_from_the_root() -> None:
    config = dev_server({"vite.config.js": "export default { root: 'web' }", "web/index.html": PAGE}).config
    assert (config.out_dir, config.public, config.env_dir) == ("web/dist", "web/public", "web")


def test_first_key_takes_the_request_and_bypass_may_hand_it_back() -> None:
    proxy = (
        "'/api': { target: 'http://localhost:4000', bypass: (request) => "
        "request.headers['sec-fetch-dest'] === 'script' ? request.url : undefined }, '/api/v2': 'http://localhost:5000'"
    )
    config = dev_server({"vite.config.js": f"export default {{ server: {{ proxy: {{ {proxy} }} }} }}"}).config
    taken = taken_by(config, "/api/v2/items")
    assert isinstance(taken, ProxyEntry)
    assert taken.target == "http://localhost:4000"
    assert taken_by(config, "/api/main.js", destination="script") is None


def test_target_from_an_unset_variable_is_open() -> None:
    config = "export default { server: { port: Number(process.env.WEB_PORT), proxy: {} } }"
    assert isinstance(dev_server({"vite.config.js": config}).config.port, (int, Unknown))


def test_middleware_of_own_plugins_is_known_by_path() -> None:
    config = (
        "export default { plugins: [{ name: 'mock', configureServer(server) {"
        " server.middlewares.use('/api', (request, response) => response.end('[]')) } }] }"
    )
    assert dev_server({"vite.config.js": config}).config.middleware == ("/api",)
