"""Ports, routes, static folders and CORS of servers, read off small ones."""

from __future__ import annotations

import json

import pytest

from forensics.facts.servers import Server, static_folder
from forensics.facts.values import Unknown
from tests.in_memory import facts_of


def server(source: str, start: str = "node server.js", **files: str) -> Server:
    """The one server of a build whose `dev` script starts server.js."""
    manifest = json.dumps({"name": "app", "type": "module", "scripts": {"dev": start}})
    texts = {path.replace("__", "/").replace("_js", ".js"): text for path, text in files.items()}
    facts = facts_of({"package.json": manifest, "server.js": source, **texts})
    (process,) = facts.running(facts.dev)
    (found,) = facts.servers(process)
    return found


EXPRESS = "import express from 'express'\nconst app = express()\n"


@pytest.mark.parametrize(
    ("source", "port"),
    [
        (EXPRESS + "app.listen(process.env.PORT || 4100)", 4100),
        (EXPRESS + "app.listen(Number(process.env.PORT ?? '4101'), '0.0.0.0')", 4101),
        (EXPRESS + "app.set('port', 4102)\napp.listen(app.get('port'))", 4102),
        ("import http from 'node:http'\nhttp.createServer((q, s) => s.end()).listen({ port: 4103 })", 4103),
        ("import Fastify from 'fastify'\nconst app = Fastify()\nawait app.listen({ port: 4104 })", 4104),
        (
            EXPRESS + "import { z } from 'zod'\nconst env = z.object({ PORT: z.coerce.number().default(4105) })"
            ".parse(process.env)\napp.listen(env.PORT)",
            4105,
        ),
        (
            EXPRESS + "import { z } from 'zod'\nconst env = z.object({ PORT: z.string().default('4107') })"
            ".safeParse(process.env)\napp.listen(parseInt(env.data.PORT, 10))",
            4107,
        ),
        (
            EXPRESS + "if (!process.env.TOKEN_SECRET) throw new Error('TOKEN_SECRET is missing')\napp.listen(4106)",
            4106,
        ),
    ],
)
def test_port(source: str, port: int) -> None:
    assert server(source).port == port


def test_port_of_the_environment_that_the_command_sets() -> None:
    assert server(EXPRESS + "app.listen(process.env.PORT || 4000)", "PORT=4200 node server.js").port == 4200


def test_port_without_a_default_is_unknown_with_the_variable_named() -> None:
    port = server(EXPRESS + "app.listen(process.env.PORT)").port
    assert isinstance(port, Unknown)
    assert "PORT" in port.reason


def test_routes_of_mounted_routers_have_their_whole_path() -> None:
    found = server(
        EXPRESS + "import items from './items.js'\napp.use('/api/items', items)\napp.listen(4000)",
        items_js="import express from 'express'\nconst router = express.Router()\n"
        "router.get('/:id', (q, s) => s.end())\nexport default router",
    )
    assert [(route.method, route.path) for route in found.routes if route.kind == "route"] == [
        ("GET", "/api/items/:id")
    ]
    assert found.answers("GET", ("api", "items", "7")) == "route"
    assert found.answers("POST", ("api", "items", "7")) == "no"


def test_static_folder_counts_from_the_cwd() -> None:
    found = server(EXPRESS + "app.use(express.static('public'))\napp.listen(4000)")
    assert [static_folder(route, found.process.cwd) for route in found.statics] == ["public"]


CORS = "import cors from 'cors'\n"


@pytest.mark.parametrize(
    ("source", "granted"),
    [
        (CORS + EXPRESS + "app.use(cors())\napp.get('/x', (q, s) => s.end())\napp.listen(4000)", True),
        (CORS + EXPRESS + "app.get('/x', (q, s) => s.end())\napp.use(cors())\napp.listen(4000)", False),
        (CORS + EXPRESS + "app.get('/x', cors(), (q, s) => s.end())\napp.listen(4000)", True),
    ],
)
def test_cors_counts_only_before_the_route(source: str, granted: bool) -> None:
    found = server(source)
    assert found.grants(found.cors[0], "GET", ("x",)) is granted


def test_allowed_origins() -> None:
    source = CORS + EXPRESS + "app.use(cors({ origin: ['http://localhost:5173'] }))\napp.listen(4000)"
    assert [grant.origins for grant in server(source).cors] == [("http://localhost:5173",)]
