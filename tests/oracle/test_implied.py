"""The oracle's own judgement, on observations written by hand; nothing is started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.expectations import Example, Probe, Run, Wanted
from tests.oracle.browsing import Answer, module_requests, page_requests
from tests.oracle.implied import disagreements, observed_datadir, observed_wiring
from tests.oracle.observing import Observation, Socket
from tests.oracle.processes import Process, ViteConfig, resolved_config

PAGE = "http://localhost:5200"
CALL = Probe("/api/items")


def vite(config: ViteConfig) -> Process:
    return Process(pid=10, parent=1, script="node_modules/.bin/vite", cwd="", ports=[5200], config=config)


SERVER = Process(pid=20, parent=1, script="server.js", cwd="", ports=[4200])
LOADED = ViteConfig(root="", file="vite.config.js", proxy=("/api",), middleware=False, top_level_proxy=False)
NOT_LOADED = replace(LOADED, file="", proxy=())


def answer(status: int, kind: str = "application/json", by: int = 4200, url: str = "/api/items") -> Answer:
    return Answer(url, "fetch", status, kind, by)


def observation(config: ViteConfig = LOADED, calls: tuple[tuple[Probe, Answer], ...] = ()) -> Observation:
    return Observation(
        run=Run("dev", "npm run dev"),
        origin=PAGE,
        page_process=10,
        page=Answer(PAGE, "document", 200, "text/html", 5200),
        requests=(Answer(f"{PAGE}/main.js", "script", 200, "text/javascript", 5200),),
        probes=calls or ((CALL, answer(200)),),
        direct=(),
        sockets=(),
        deep=(),
        processes=(vite(config), SERVER),
        before=(),
        new_paths=(),
        output="",
    )


@pytest.mark.parametrize(
    ("seen", "status"),
    [
        (observation(), "OK"),
        (observation(calls=((CALL, answer(500, "text/plain", by=5200)),)), "PORT_MISMATCH"),
        (observation(calls=((CALL, answer(200, "text/html", by=5200)),)), "NO_PROXY_IN_CONFIG"),
        (
            observation(NOT_LOADED, ((CALL, answer(200, "text/html", by=5200)),)),
            "NO_PROXY_CONFIG",
        ),
        (observation(replace(LOADED, middleware=True)), "NO_VITE"),
        (observation(calls=((Probe("http://localhost:1/x"), answer(0, "", by=0)),)), "PORT_MISMATCH"),
        (
            replace(observation(), requests=(Answer(f"{PAGE}/api.js", "script", 404, "text/html", 4200),)),
            "API_JS_COLLISION",
        ),
    ],
)
def test_wiring_status(seen: Observation, status: str, tmp_path: Path) -> None:
    assert observed_wiring([seen], tmp_path)[0] == status


def test_a_configuration_with_a_proxy_elsewhere_makes_it_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "vite.config.js").write_text("export default { server: { proxy: {} } }")
    seen = observation(NOT_LOADED, ((CALL, answer(200, "text/html", by=5200)),))
    assert observed_wiring([seen], tmp_path) == ("PROXY_NOT_LOADED", frozenset({"wiring/proxy-not-loaded"}))


def test_rules_that_leave_the_status_alone(tmp_path: Path) -> None:
    absolute = Probe("http://localhost:4200/api/items")
    seen = replace(
        observation(calls=((CALL, answer(404)), (absolute, answer(200)))),
        sockets=(Socket("/live", opens=False, opens_at_server=True),),
    )
    status, rules = observed_wiring([seen], tmp_path)
    assert status == "OK"
    assert {"wiring/rewrite-mismatch", "wiring/missing-cors", "wiring/websocket-not-proxied"} <= rules


@pytest.mark.parametrize(
    ("new_paths", "status"),
    [
        ((), "OK-MEMORY"),
        (("app.db",), "OK-SHALLOW"),
        (("data/", "data/app.db"), "OK-MKDIR"),
        (("store/pg/", "store/pg/PG_VERSION", "store/pg/base/", "store/pg/base/1/PG_VERSION"), "OK-SHALLOW"),
        (("store/", "store/pg/", "store/pg/PG_VERSION"), "OK-MKDIR"),
    ],
)
def test_datadir_status_is_read_off_what_appeared(new_paths: tuple[str, ...], status: str, tmp_path: Path) -> None:
    assert observed_datadir([replace(observation(), new_paths=new_paths)], tmp_path)[0] == status


def test_a_server_that_dies_without_its_folder_fails_unless_a_setup_makes_it(tmp_path: Path) -> None:
    dead = replace(SERVER, ports=[], exit=1, crash={"name": "Error", "code": "ENOENT", "message": "ENOENT: mkdir"})
    died = replace(observation(calls=((CALL, answer(500, "text/plain", by=5200)),)), processes=(vite(LOADED), dead))
    lived = replace(observation(), run=Run("setup", "npm run dev", before=("npm run seed",)))
    assert observed_datadir([died], tmp_path)[0] == "WILL-FAIL"
    assert observed_datadir([died, lived], tmp_path)[0] == "LATENT"


def test_a_flipped_expectation_disagrees_with_what_was_observed(tmp_path: Path) -> None:
    expected = Example("wiring/x/near-miss-y", tmp_path, "", {"wiring": "OK"}, (), ("wiring/port-mismatch",))
    flipped = replace(
        expected,
        verdicts={"wiring": "PORT_MISMATCH"},
        findings=(Wanted("wiring/port-mismatch", "vite.config.js"),),
        absent=(),
    )
    assert disagreements(expected, [observation()]) == []
    assert disagreements(flipped, [observation()]) == [
        "wiring: expected PORT_MISMATCH, observed OK",
        "expected wiring/port-mismatch, observed no rule at work",
    ]


def test_requests_of_a_page_and_of_a_served_module() -> None:
    html = """<link rel="stylesheet" href="/a.css"><img src="/logo.svg">
      <script type="module">import "/inline.js"</script><script type="module" src="/main.js"></script>"""
    assert page_requests(html) == [
        ("style", "/a.css"),
        ("image", "/logo.svg"),
        ("script", "/inline.js"),
        ("script", "/main.js"),
    ]
    module = """import { a } from "/src/a.js";
// import "/not.js"
export * from '/src/b.js'
const later = () => import("/src/later.js")
new Worker(new URL(/* @vite-ignore */ "/w.js?worker_file&type=module", '' + import.meta.url))"""
    assert module_requests(module) == [
        ("script", "/src/a.js"),
        ("script", "/src/b.js"),
        ("script", "/src/later.js"),
        ("script", "/w.js?worker_file&type=module"),
    ]


def test_reads_the_configuration_that_vite_logs() -> None:
    text = """vite:config using resolved config: {
  root: '/copy/x/app/client',
  server: {
    port: 5200,
    proxy: {
      '/api': { target: 'http://localhost:4200', changeOrigin: true },
      socket: [Object]
    },
    middlewareMode: false
  },
  configFile: '/copy/x/app/vite.config.js',
}"""
    assert resolved_config(text, Path("/copy/x/app")) == ViteConfig(
        root="client", file="vite.config.js", proxy=("/api", "socket"), middleware=False, top_level_proxy=False
    )
