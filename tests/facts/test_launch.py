"""Expectations of the first part were observed: the scripts were run with npm 11, concurrently 9, npm-run-all2 8,
cross-env 7, dotenv-cli, nodemon 3, pnpm 10 and yarn 1.22 (`tests/oracle/test_script_runners.py` repeats it)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forensics.build import Build, FileEntry
from forensics.facts.command_arguments import Argument, parse_vite
from forensics.facts.launch import Launch, SpawnedCommand, read_launch
from forensics.facts.launch_plan import (
    Fallback,
    LaunchPlan,
    Parallel,
    Place,
    Process,
    Sequence,
    Step,
    processes,
    with_lifetimes,
)
from forensics.facts.packages import read_packages
from forensics.facts.values import Unknown
from forensics.syntax.documents import lower_document
from forensics.syntax.ir import Document


def launch_of(files: dict[str, object]) -> Launch:
    texts = {path: (text if isinstance(text, str) else json.dumps(text)).encode() for path, text in files.items()}
    build = Build("app", {}, [FileEntry(path=path, size=len(data)) for path, data in texts.items()], texts.__getitem__)

    def document(path: str) -> Document:
        return lower_document(build.read(path), "strict")

    return read_launch(build, read_packages(build, document), document)


def plan_of(script: str, /, **files: object) -> LaunchPlan:
    """The plan of a script `x` of the root manifest; `files` adds files (`__` is `/`, `_dot_` is `.`) and scripts."""
    scripts = {"x": script, **{str(name).replace("__", ":"): text for name, text in files.pop("scripts", {}).items()}}  # type: ignore[attr-defined]
    manifest = {
        "name": "root",
        "version": "1.2.3",
        "config": {"port": "7000"},
        "scripts": scripts,
        **files.pop("manifest", {}),
    }  # type: ignore[dict-item]
    named = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    plan = launch_of({"package.json": manifest, **named}).plan("", "x")
    assert plan is not None
    return plan


def shown(step: Step) -> str:
    """The tree in one line."""
    match step:
        case Process():
            env = " ".join(f"{name}={value}" for name, value in step.env.items())
            where = f" in {step.cwd}" if step.cwd else ""
            return f"[{env + ' ' if env else ''}{' '.join(step.argv)}{where}]"
        case Sequence():
            return "{" + (" && " if step.stops_on_failure else "; ").join(map(shown, step.steps)) + "}"
        case Parallel():
            waits = {"all": "", "last": " waits for last", "none": " waits for none"}[step.waits_for]
            ends = "" if step.ends_others == "never" else f" ends on {step.ends_others}"
            return "(" + " | ".join(map(shown, step.steps)) + ")" + waits + ends
        case Fallback():
            return f"{shown(step.first)} || {shown(step.otherwise)}"


# ------------------------------------------------------------------------ npm itself


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("npm run show --port 3000", "[show 3000]"),  # npm keeps the unknown option, the script gets its value
        ("npm run show -- --port 3000 'x y'", "[show --port 3000 x y]"),
        ("npm run pair -- tail", "([show one] | [show two tail]) waits for last"),
        ("npm run hook", "{[show pre] && [show main] && [show post]}"),
        ("npm run show --silent --foo bar baz", "[show bar baz]"),
        ("npm test", "[show tested]"),
        ("npm start -- s1", "{[show before] && [show started s1]}"),
        ("npm run absent --if-present; show after", "[show after]"),
        (
            "PORT=3 show $PORT x; A=1; show $A; export B=2; show ${B} ${Z:-dflt}",
            "{[PORT=3 show x]; [show 1]; [B=2 show 2 dflt]}",
        ),
        ("show $npm_package_version ${npm_package_config_port} $npm_lifecycle_event", "[show 1.2.3 7000 x]"),
        ("A=1 npm run hook", "{[A=1 show pre] && [A=1 show main] && [A=1 show post]}"),
        (
            "npx show a && npm exec -- show b --flag && npx -y show@latest c",
            "{[show a] && [show b --flag] && [show c]}",
        ),
        ("false || show b", "[false] || [show b]"),
        ("env A=5 B= show c", "[A=5 B= show c]"),
    ],
)
def test_npm_runs_scripts(script: str, expected: str) -> None:
    scripts = {
        "show": "show",
        "pair": "show one & show two",
        "prehook": "show pre",
        "hook": "show main",
        "posthook": "show post",
        "test": "show tested",
        "prestart": "show before",
        "start": "show started",
    }
    assert shown(plan_of(script, scripts=scripts).steps) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("npm --prefix client run dev -- x", "[show client x in client]"),
        ("npm run dev -C client", "[show client in client]"),
        ("npm run dev --prefix=client", "[show client in client]"),
        ("cd client && npm run dev", "[show client in client]"),
        ("cd client/sub && npm run dev", "[show client in client]"),
        ("(cd client && show in) && show out", "{[show in in client] && [show out]}"),
        ("npm run go -w pa -w @x/pb", "{[show a in packages/a]; [show b in packages/b]}"),
        ("npm run go --workspaces", "{[show a in packages/a]; [show b in packages/b]}"),
        ("npm run go --workspace=packages/b", "[show b in packages/b]"),
        ("npm run go -w packages", "{[show a in packages/a]; [show b in packages/b]}"),
        ("pnpm -r go", "([show a in packages/a] | [show b in packages/b]) ends on failure"),
        ("pnpm --filter pa run go x", "[show a x in packages/a]"),
        ("pnpm --filter '@x/*' go", "[show b in packages/b]"),
        ("pnpm --filter=!pa go", "[show b in packages/b]"),
        ("pnpm -C client dev", "[show client in client]"),
        ("yarn workspace pa go", "[show a in packages/a]"),
        ("yarn workspaces run go", "{[show a in packages/a]; [show b in packages/b]}"),
        ("yarn --cwd client dev", "[show client in client]"),
        ("yarn workspaces foreach -pi run go", "([show a in packages/a] | [show b in packages/b]) ends on failure"),
        ("turbo run go", "([show a in packages/a] | [show b in packages/b]) ends on failure"),
        ("lerna run go --scope=pa", "[show a in packages/a]"),
        ("nx run-many -t go", "([show a in packages/a] | [show b in packages/b]) ends on failure"),
        ("bun --cwd client dev", "[show client in client]"),
    ],
)
def test_scripts_of_other_folders_and_workspaces(script: str, expected: str) -> None:
    plan = plan_of(
        script,
        manifest={"workspaces": ["packages/*"], "private": True},
        client__package_dot_json={"name": "client", "scripts": {"dev": "show client"}},
        client__sub__a_dot_txt="",
        packages__a__package_dot_json={"name": "pa", "version": "1.0.0", "scripts": {"go": "show a"}},
        packages__b__package_dot_json={"name": "@x/pb", "version": "1.0.0", "scripts": {"go": "show b"}},
    )
    assert shown(plan.steps) == expected
    assert plan.missing_scripts == ()


def test_yarn_classic_knows_no_workspace_without_a_version() -> None:
    plan = plan_of(
        "yarn workspace a go",
        manifest={"workspaces": ["a"], "private": True},
        a__package_dot_json={"name": "a", "scripts": {"go": "vite"}},
    )
    assert [(item.name, item.reason) for item in plan.missing_scripts] == [("go", "no workspace")]


def test_pnpm_starts_packages_after_those_they_depend_on() -> None:
    plan = plan_of(
        "pnpm -r dev",
        pnpm_workspace_dot_yaml="packages: ['*']",
        manifest={"workspaces": ["*"]},
        app__package_dot_json={"name": "app", "scripts": {"dev": "vite"}, "dependencies": {"lib": "workspace:*"}},
        lib__package_dot_json={"name": "lib", "scripts": {"dev": "tsc --watch"}},
    )
    library, application = processes(plan)
    assert library.argv == ("tsc", "--watch")
    assert application.blocked_by == library


# ------------------------------------------------------------ several commands at once


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("concurrently \"show a\" 'npm:w:*'", "([show a] | [show w1] | [show w2] | [show w2d])"),
        (
            'concurrently -n x,y -c red,blue -k "npm run w:one -- extra" "show \'q r\'"',
            "([show w1 extra] | [show q r]) ends on exit",
        ),
        (
            'concurrently --raw --names "a,b" --kill-others-on-fail --success first "show 1" "show 2"',
            "([show 1] | [show 2]) ends on failure",
        ),
        ("concurrently npm:w:one 'npm:w:two* -- z'", "([show w1] | [show w2 z] | [show w2d z])"),
        ("concurrently 'npm:w:*(!deep)'", "([show w1] | [show w2])"),
        ('concurrently -P "show {1}" "show {@}" -- one \'two x\'', "([show one] | [show one two x])"),
        ('concurrently --names=api -- "show d"', "([show d])"),
        ('concurrently "A=2 show a" "cd client && show c"', "([A=2 show a] | [show c in client])"),
        ("run-p w:*", "([show w1] | [show w2]) ends on failure"),
        ("run-s 'w:**'", "{[show w1] && [show w2] && [show w2d]}"),
        ("run-p -cr w:*", "([show w1] | [show w2]) ends on exit"),
        (
            "npm-run-all w:one --parallel w:two 'w:one -- foo'",
            "{[show w1] && ([show w2] | [show w1 foo]) ends on failure}",
        ),
        ("run-s 'w:one {1}' -- hello", "[show w1 hello]"),
        ("npm-run-all -s w:one w:two -p w:*", "{[show w1] && [show w2] && ([show w1] | [show w2]) ends on failure}"),
        ("cross-env PORT=4 A='x y' show z", "[PORT=4 A=x y show z]"),
        ('cross-env-shell PORT=4 "show \\$PORT $PORT"', "[PORT=4 show 4]"),
        ("sh -c 'show \"in sh\"'", "[show in sh]"),
        ("show a | show b", "([show a] | [show b])"),
        ("show a & show b & wait", "([show a] | [show b])"),
        ("start-server-and-test w:one http://localhost:3 w:two", "([show w1] | [show w2]) ends on exit"),
        ("onchange 'src/*' -- show a", "[show a]"),
    ],
)
def test_runners(script: str, expected: str) -> None:
    scripts = {"w__one": "show w1", "w__two": "show w2", "w__two__deep": "show w2d"}
    plan = plan_of(script, scripts=scripts, client__a_dot_txt="")
    assert shown(plan.steps) == expected


def test_wait_on_comes_before_what_waits() -> None:
    plan = plan_of("node api.js & wait-on tcp:8205 && vite --port 5205", api_dot_js="")
    assert [(process.kind, process.long_running) for process in processes(plan)] == [
        ("node", False),
        ("wait", False),
        ("vite-dev", True),
    ]


@pytest.mark.parametrize(
    ("script", "missing"),
    [
        ("npm run serve", [("serve", "undefined")]),
        ("run-p w:* api", [("w:*", "undefined"), ("api", "undefined")]),
        ("concurrently npm:api 'npm run web'", [("api", "undefined"), ("web", "undefined")]),
        ("npm --prefix client run dev", [("dev", "no package")]),
        ("npm run dev -w client", [("dev", "no workspace")]),
        ("npm run x", [("x", "cycle")]),
        ("yarn serve", [("serve", "undefined")]),
        ("pnpm run serve", [("serve", "undefined")]),
    ],
)
def test_scripts_that_no_manifest_defines(script: str, missing: list[tuple[str, str]]) -> None:
    assert [(item.name, item.reason) for item in plan_of(script).missing_scripts] == missing


def test_a_doubling_chain_of_scripts_is_bounded() -> None:
    scripts = {f"s{number}": f"npm run s{number + 1} & npm run s{number + 1}" for number in range(30)}
    assert len(processes(plan_of("npm run s0", scripts=scripts))) <= 400


# --------------------------------------------------------------------------- processes


@pytest.mark.parametrize(
    ("script", "kind", "entry", "options"),
    [
        ("node server", "node", "server/index.js", {}),
        ("node ./app", "node", "app.js", {}),
        ("node .", "node", "app.js", {}),
        ("node --enable-source-maps -r dotenv/config app.js --port 3", "node", "app.js", {"preload": "dotenv/config"}),
        ("node --import tsx api/main.ts", "tsx", "api/main.ts", {"preload": "tsx", "runner": "node"}),
        ("tsx api/main", "tsx", "api/main.ts", {"runner": "tsx"}),
        ("tsx watch --clear-screen=false api/main.js", "tsx", "api/main.ts", {"runner": "tsx"}),
        ("ts-node-dev --respawn --transpile-only api/main.ts", "tsx", "api/main.ts", {"runner": "ts-node-dev"}),
        ("ts-node -P tsconfig.json api/main.ts", "tsx", "api/main.ts", {"runner": "ts-node"}),
        ("bun run api/main.ts", "tsx", "api/main.ts", {"runner": "bun"}),
        ("bun --watch api/main.ts", "tsx", "api/main.ts", {"runner": "bun"}),
        ("deno run -A api/main.ts", "tsx", "api/main.ts", {"runner": "deno"}),
        ("nodemon", "node", "app.js", {}),
        ("nodemon app", "node", "app.js", {}),
        ("nodemon --watch src -e js,ts --exec tsx api/main.ts", "tsx", "api/main.ts", {"runner": "tsx"}),
        ("nodemon --exec 'node --import tsx' api/main.ts", "tsx", "api/main.ts", {"preload": "tsx", "runner": "node"}),
        ("nodemon api/main.ts", "tsx", "api/main.ts", {"runner": "ts-node"}),
        ("npx nodemon -q -w src app.js", "node", "app.js", {}),
        ("pm2-runtime start app.js", "node", "app.js", {}),
        ("./bin/run", "node", "bin/run", {}),
    ],
)
def test_the_file_that_a_runtime_starts(script: str, kind: str, entry: str, options: dict[str, str]) -> None:
    plan = plan_of(
        script,
        manifest={"main": "app.js"},
        server__index_dot_js="",
        app_dot_js="",
        api__main_dot_ts="",
        bin__run="#!/usr/bin/env node\n",
    )
    (process,) = processes(plan)
    assert (process.kind, process.entry, dict(process.options)) == (kind, entry, options)
    assert process.entry_exists
    assert process.watching == any(word in script for word in ("watch ", "--watch", "nodemon", "respawn"))


def test_an_entry_that_is_not_there_is_kept_as_written() -> None:
    (process,) = processes(plan_of("node dist/main.js"))
    assert (process.entry, process.entry_exists) == ("dist/main.js", False)


def test_environment_files_and_working_directory() -> None:
    (process,) = processes(plan_of("cd api && node --env-file=.env --env-file ../b.env main.js", api__main_dot_js=""))
    assert (process.cwd, process.entry, process.env_files) == ("api", "api/main.js", ("api/.env", "b.env"))
    assert process.required_env_files == process.env_files
    (optional,) = processes(plan_of("node --env-file-if-exists=.env main.js"))
    assert (optional.env_files, optional.required_env_files) == ((".env",), ())
    (other,) = processes(plan_of("dotenv -e .env.x -v A=9 -- node main.js"))
    assert (other.env_files, dict(other.env)) == ((".env.x",), {"A": "9"})
    # dotenv-cli lets the first file win; `env_files` has the winner last.
    (several,) = processes(plan_of("dotenv -e a -e b -c dev -- node main.js"))
    assert several.env_files == ("b", "b.dev", "b.local", "b.dev.local", "a", "a.dev", "a.local", "a.dev.local")


def test_a_shell_script_of_the_build_is_read() -> None:
    source = "#!/bin/sh\nset -e\nexport PORT=4000\nnode é.js &\nexec npx vite client --port 5000\n"
    plan = plan_of("sh scripts/dev.sh", scripts__dev_dot_sh=source)
    server, client = processes(plan)
    assert (server.env["PORT"], client.options["root"], client.options["port"]) == ("4000", "client", 5000)
    place = client.chain[-1]
    assert (place.path, source.encode()[place.start : place.end].decode()) == (
        "scripts/dev.sh",
        "exec npx vite client --port 5000",
    )


@pytest.mark.parametrize(
    ("script", "kind", "options"),
    [
        ("vite", "vite-dev", {}),
        ("vite dev client --host", "vite-dev", {"root": "client", "host": True}),
        ("npx vite@5 serve -c x.ts -m prod", "vite-dev", {"config": "x.ts", "mode": "prod"}),
        ("vite build --outDir=../dist client", "vite-build", {"outDir": "../dist", "root": "client"}),
        ("vite preview --port 4000 --strictPort", "vite-preview", {"port": 4000, "strictPort": True}),
        ("vite optimize --force", "vite-optimize", {"force": True}),
        ("node node_modules/vite/bin/vite.js -c a.mjs", "vite-dev", {"config": "a.mjs"}),
        ("./node_modules/.bin/vite client", "vite-dev", {"root": "client"}),
        ("pnpm exec vite --port 3", "vite-dev", {"port": 3}),
        ("yarn vite build", "vite-build", {}),
        ("bunx --bun vite", "vite-dev", {}),
    ],
)
def test_vite_commands(script: str, kind: str, options: dict[str, object]) -> None:
    (process,) = processes(plan_of(script, manifest={"devDependencies": {"vite": "^7.0.0"}}))
    assert (process.kind, dict(process.options)) == (kind, options)
    assert process.long_running == (kind in ("vite-dev", "vite-preview"))


def arguments(*texts: str) -> list[Argument]:
    return [Argument(text, tuple(range(len(text) + 1))) for text in texts]


# Each was given to Vite 5.4.21, whose plugin printed the inline config.
@pytest.mark.parametrize(
    ("words", "options"),
    [
        (("--host", "client"), {"host": "client"}),
        (("--open", "client"), {"open": "client"}),
        (("--strictPort", "client"), {"strictPort": True, "root": "client"}),
        (("--clearScreen", "false", "client"), {"clearScreen": False, "root": "client"}),
        (("--no-clearScreen",), {"clearScreen": False}),
        (("client", "--", "--port", "3"), {"root": "client"}),
        (("3000",), {"root": "3000"}),
        (("--log-level", "error"), {"logLevel": "error"}),
        (("--host=127.0.0.1", "dev"), {"host": "127.0.0.1"}),
    ],
)
def test_vite_takes_arguments_as_cac_does(words: tuple[str, ...], options: dict[str, object]) -> None:
    parsed = parse_vite(arguments(*words))
    assert (parsed.command, parsed.options, parsed.refused) == ("dev", options, "")


@pytest.mark.parametrize(
    "words",
    [
        ("-p", "3000"),
        ("--foo", "client"),
        ("--port",),
        ("build", "--port", "3"),
        ("--outDir", "x"),
        ("-w",),
        ("preview", "--cors"),
    ],
)
def test_vite_stops_at_options_that_it_does_not_know(words: tuple[str, ...]) -> None:
    assert parse_vite(arguments(*words)).refused
    (process,) = processes(plan_of("vite " + " ".join(words)))
    assert process.fails.startswith("vite stops: ")


@pytest.mark.parametrize(
    ("script", "kind", "stays"),
    [
        ("next dev -p 3001", "other-dev-server", True),
        ("next build", "other-build", False),
        ("react-scripts start", "other-dev-server", True),
        ("webpack serve --port 8081", "other-dev-server", True),
        ("webpack --mode production", "other-build", False),
        ("parcel index.html", "other-dev-server", True),
        ("serve -s dist", "static-server", True),
        ("tsc -p server", "tool", False),
        ("tsc --watch", "tool", True),
        ("mkdir -p data/x", "shell-tool", False),
        ("shx mkdir -p data", "shell-tool", False),
        ("npm ci", "install", False),
        ("docker compose up", "tool", True),
        ("docker compose up -d", "tool", False),
        ("frobnicate", "unknown", False),
    ],
)
def test_other_tools(script: str, kind: str, stays: bool) -> None:
    (process,) = processes(plan_of(script))
    assert (process.kind, process.long_running) == (kind, stays)


def test_files_that_a_pattern_matches_are_written_out() -> None:
    (process,) = processes(
        plan_of("cp src/*.html 'src/*' out", src__a_dot_html="", src__b_dot_html="", src__c_dot_js="")
    )
    assert process.argv == ("cp", "src/a.html", "src/b.html", "src/*", "out")


def test_what_cannot_be_told_is_said() -> None:
    (process,) = processes(plan_of('vite --port "$(cat port.txt)"'))
    assert isinstance(process.options["port"], Unknown)
    assert "depends on a command's output" in process.unresolved
    (outside,) = processes(plan_of("node ../server.js"))
    assert not outside.entry_exists
    (broken,) = processes(plan_of('node "a.js'))
    assert broken.unresolved == "a double quote that doesn't close"


def test_windows_forms_are_noted() -> None:
    plan = plan_of("set PORT=3000&& node a.js", a_dot_js="")
    assert plan.windows_forms == ("set PORT=3000&&",)
    (process,) = processes(plan)
    assert dict(process.env) == {}


# ---------------------------------------------------------------------- order and spans


def test_the_chain_leads_from_the_outer_script_to_the_command() -> None:
    manifest = (
        '{"scripts": {"dev": "concurrently \\"npm:é\\" \\"npm run web -- --open\\"",'
        ' "é": "node api.js", "web": "vite \\u0077eb"}}'
    )
    plan = launch_of({"package.json": manifest, "api.js": ""}).plan("", "dev")
    assert plan is not None
    source = manifest.encode()
    spans = [
        [(place.script, source[place.start : place.end].decode()) for place in item.chain] for item in processes(plan)
    ]
    assert spans == [
        [("dev", "npm:é"), ("é", "node api.js")],
        [("dev", "npm run web -- --open"), ("web", "vite \\u0077eb")],
    ]


def test_a_server_that_stays_up_blocks_what_comes_after_it() -> None:
    plan = plan_of(
        "npm run dev --workspaces --if-present",
        manifest={"workspaces": ["api", "app"]},
        api__package_dot_json={"name": "api", "scripts": {"dev": "node main.js"}},
        api__main_dot_js="",
        app__package_dot_json={"name": "app", "scripts": {"dev": "vite"}},
    )
    assert [process.blocked_by for process in processes(plan)] == [None, None]
    settled = with_lifetimes(plan, lambda process: process.entry == "api/main.js")
    server, client = processes(settled)
    assert server.long_running
    assert client.blocked_by == server


@pytest.mark.parametrize(
    ("script", "blocked"),
    [
        ("vite && node a.js", ["node a.js"]),
        ("vite & node a.js", []),
        ("vite; node a.js", ["node a.js"]),
        ("(vite & node a.js) && node b.js", []),
        ("vite & node a.js & wait; node b.js", ["node b.js"]),
        ("concurrently vite 'node a.js' && node b.js", ["node b.js"]),
        ("run-s web api", ["node a.js"]),
        ("nodemon a.js && vite", ["vite"]),
        ("vite || node a.js", []),
    ],
)
def test_blocking(script: str, blocked: list[str]) -> None:
    plan = plan_of(script, scripts={"web": "vite", "api": "node a.js"}, a_dot_js="", b_dot_js="")
    assert [" ".join(process.argv) for process in processes(plan) if process.blocked_by] == blocked


# ------------------------------------------------------------------- which scripts count


@pytest.mark.parametrize(
    ("scripts", "how", "chosen"),
    [
        ({"dev": "node dev.js", "start": "vite"}, "dev", ["dev"]),
        ({"start": "vite", "serve": "node x"}, "start", ["start"]),
        ({"start": "node s.js", "serve": "vite"}, "serve", ["serve"]),
        ({"start": "node s.js", "dev:all": "run-p client", "client": "vite"}, "variant", ["dev:all"]),
        ({"client": "vite", "server": "node s.js", "lint": "eslint ."}, "parts", ["client", "server"]),
        ({"dev:client": "vite", "start": "node s.js"}, "parts", ["dev:client", "start"]),
        ({"start": "node s.js"}, "fallback", ["start"]),
        ({"lint": "eslint ."}, "none", []),
    ],
)
def test_which_scripts_of_the_root_are_the_way_to_develop(scripts: dict[str, str], how: str, chosen: list[str]) -> None:
    found = launch_of({"package.json": {"scripts": scripts}}).dev_plans()
    assert (found.how, [plan.script for plan in found.plans]) == (how, chosen)


def test_without_a_root_script_the_halves_are_started_together() -> None:
    launch = launch_of(
        {
            "package.json": {"scripts": {"install:all": "npm --prefix client i"}},
            "client/package.json": {"scripts": {"dev": "vite", "build": "vite build"}},
            "server/package.json": {"scripts": {"start": "node s.js"}},
        }
    )
    found = launch.dev_plans()
    assert found.how == "packages"
    assert [plan.command for plan in found.plans] == ["npm --prefix client run dev", "npm --prefix server start"]
    assert [plan.command for plan in launch.build_plans()] == ["npm --prefix client run build"]


def test_a_build_with_one_package_in_a_folder() -> None:
    launch = launch_of({"app/package.json": {"scripts": {"dev": "vite", "preview": "vite preview"}}})
    assert [plan.folder for plan in launch.dev_plans().plans] == ["app"]
    assert len(launch.preview_plans()) == 1


def test_npm_start_runs_server_js_by_default() -> None:
    (plan,) = launch_of({"package.json": {"scripts": {}}, "server.js": ""}).start_plans()
    (process,) = processes(plan)
    assert (process.entry, plan.implicit) == ("server.js", True)


def test_lifecycle_scripts_of_an_install() -> None:
    launch = launch_of({"package.json": {"scripts": {"prepare": "mkdir -p data", "postinstall": "node setup.js"}}})
    assert [plan.script for plan in launch.install_plans()] == ["postinstall", "prepare"]


# -------------------------------------------------------------------------- launchers


def test_what_a_launcher_spawns_stands_beside_it() -> None:
    launch = launch_of(
        {"package.json": {"scripts": {"dev": "A=1 node dev.js", "web": "vite web"}}, "dev.js": "", "api.js": ""}
    )
    plan = launch.plan("", "dev")
    assert plan is not None
    call = Place("dev.js", "", 10, 20)

    def spawned(process: Process) -> list[SpawnedCommand]:
        if process.entry != "dev.js":
            return []
        return [
            SpawnedCommand(command="mkdir -p data", cwd="", env={}, place=call, waits=True),
            SpawnedCommand(command=["node", "api.js"], cwd="", env={"PORT": "4000"}, place=call),
            SpawnedCommand(command=["npm", "run", "web"], cwd="", env={"VITE_API": "x"}, place=call),
            SpawnedCommand(command=[Unknown("a path that the user gives")], cwd="", env={}, place=call),
        ]

    expanded = launch.expand_launchers(plan, spawned)
    launcher, folder, server, client, unknown = processes(expanded)
    assert launcher.entry == "dev.js"
    assert folder.kind == "shell-tool"
    assert (server.entry, dict(server.env)) == ("api.js", {"A": "1", "PORT": "4000"})
    assert (client.kind, client.options["root"], client.env["VITE_API"]) == ("vite-dev", "web", "x")
    assert [place.path for place in client.chain] == ["package.json", "dev.js", "package.json"]
    assert unknown.unresolved == "a path that the user gives"


def test_a_launcher_that_starts_itself_is_followed_a_few_times_only() -> None:
    launch = launch_of({"package.json": {"scripts": {"dev": "node dev.js"}}, "dev.js": ""})
    plan = launch.plan("", "dev")
    assert plan is not None
    again = SpawnedCommand(command=["node", "dev.js", "child"], cwd="", env={}, place=Place("dev.js", "", 0, 1))
    assert len(processes(launch.expand_launchers(plan, lambda process: [again]))) <= 4


def test_a_command_from_elsewhere_can_be_read_too() -> None:
    launch = launch_of({"package.json": {"scripts": {"build": "vite build", "start": "node s.js"}}, "s.js": ""})
    plan = launch.of_text("npm run build && npm start", place=Place("README.md", "", 100, 126))
    assert [process.kind for process in processes(plan)] == ["vite-build", "node"]
    assert processes(plan)[1].chain[0].path == "README.md"


# ------------------------------------------------------------------------- hostile texts


@pytest.mark.parametrize(
    "script",
    [
        "npx " * 4000 + "vite",
        "eval " * 3000 + "x",
        "(" * 39 + "vite" + ")" * 39,
        "a && " * 3900 + "vite",
        "a & " * 4900 + "vite",
        "a & b; " * 2800,
        "a && b || " * 1500 + "c",
        "export A=$A$A; " * 1200 + "x $A",
        "wait; " * 3000,
        "concurrently " + "'npm:*' " * 2000,
    ],
)
def test_no_script_is_too_long_or_too_deep(script: str) -> None:
    plan = plan_of(script)
    processes(plan, fallbacks=True)
    with_lifetimes(plan, lambda process: True)


_WORDS_TEXT = """
npm run start -w --workspaces --prefix client -C .. -- pnpm -r --filter !a exec yarn workspace
workspaces foreach bun npx -p -c vite build --port 3 --config= $PORT ${A:-b} $(x) concurrently -k -n
'npm:d*' "npm:dev:*" run-p run-s npm-run-all -s dev:* {1} cross-env A=1 env -i dotenv -e -v node
server.js --env-file=.env --import tsx nodemon --exec -x --cwd deno task turbo lerna nx run-many -t
sh -c script.sh && || ; & | ( ) { } if then fi ! > cd client export set wait docker up serve forever
nf onchange start-server-and-test :3 shx '' "" \\ * [ ? # = - --
"""
_WORDS = _WORDS_TEXT.split()


@given(st.lists(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=8).map(" ".join), min_size=4, max_size=4))
@settings(max_examples=150, deadline=None)
def test_no_script_crashes_the_reader(texts: list[str]) -> None:
    scripts = dict(zip(("x", "dev", "dev:a", "start"), texts, strict=True))
    files: dict[str, object] = {
        "package.json": {"scripts": scripts, "workspaces": ["client"], "nodemonConfig": {"exec": texts[0]}},
        "client/package.json": {"name": "client", "scripts": {"dev": texts[1]}},
        "script.sh": texts[2],
        "server.js": "",
        "Procfile": f"web: {texts[3]}\n",
    }
    launch = launch_of(files)
    launch.dev_plans()
    for plan in launch.plans.values():
        for process in processes(plan, fallbacks=True):
            for place in process.chain:
                assert 0 <= place.start <= place.end


def test_nodemon_takes_command_and_environment_from_its_configuration() -> None:
    from tests.in_memory import facts_of

    facts = facts_of(
        {
            "package.json": '{"scripts": {"dev": "nodemon", "other": "PORT=4600 nodemon"}}',
            "nodemon.json": '{"exec": "node server/clues.js", "env": {"PORT": "4439"}}',
            "server/clues.js": "",
        }
    )
    for script, port in (("dev", "4439"), ("other", "4600")):
        plan = facts.launch.plan("", script)
        assert plan is not None
        (process,) = processes(plan)
        assert (process.entry, process.env["PORT"]) == ("server/clues.js", port)
