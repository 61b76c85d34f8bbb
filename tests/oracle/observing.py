"""Start an example tree for real and write down what happens: one `Observation` for each of its runs.

Ports: the trees keep the fixed ports that they were written with, so their text is run as it stands. No two trees share
a fixed port, which is what lets two of them run at once; where Vite falls back to 5173 and finds it taken it moves
on by itself, and the address is taken from what the process really listens on.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.expectations import Probe, Run
from tests.oracle.browsing import ANSWER_SECONDS, Answer, ask, follow, opens_socket
from tests.oracle.processes import PRELOAD, Process, Started, ViteConfig, run_to_end, started
from tests.oracle.shelves import installed, link_packages

LIFECYCLE = ("preinstall", "install", "postinstall", "prepare")
PROBE_SECONDS = 10.0
OPENING_SECONDS = 40.0
KEPT_TEXT = 4000


@dataclass(frozen=True)
class Socket:
    """A web socket of the page: whether it opens at the page's origin, and whether the back end itself opens it."""

    url: str
    opens: bool
    opens_at_server: bool


@dataclass(frozen=True)
class Observation:
    """What happened in one run.

    `origin` is where the page was looked for ("" where nothing listened); `requests` are the page's scripts, styles
    and assets; `direct` has what the servers themselves answer to calls that reach none from the page; `new_paths` are
    the files and folders that the run left, `node_modules` apart.
    """

    run: Run
    origin: str
    page_process: int
    page: Answer | None
    requests: tuple[Answer, ...]
    probes: tuple[tuple[Probe, Answer], ...]
    direct: tuple[tuple[Probe, Answer], ...]
    sockets: tuple[Socket, ...]
    deep: tuple[Answer, ...]
    processes: tuple[Process, ...]
    before: tuple[int, ...]
    new_paths: tuple[str, ...]
    output: str

    @property
    def page_port(self) -> int:
        return int(self.origin.rpartition(":")[2] or 0)

    @property
    def vite(self) -> ViteConfig | None:
        """The configuration of the Vite server that answers with the page; None where the page has no such server."""
        for process in self.processes:
            if process.pid == self.page_process and process.config is not None and not process.config.middleware:
                return process.config
        return None

    @property
    def servers(self) -> tuple[Process, ...]:
        """Processes that listen on another port than the page's."""
        return tuple(process for process in self.processes if any(port != self.page_port for port in process.ports))


@contextmanager
def scratch_copy(tree: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A copy of the tree with its packages linked and its install scripts run, and the environment for it."""
    holder = Path(tempfile.mkdtemp(prefix="oracle-")).resolve()
    try:
        scratch = holder / "app"
        shutil.copytree(tree, scratch, symlinks=True)
        link_packages(scratch)
        environment = clean_environment(scratch)
        manifest = json.loads((scratch / "package.json").read_text("utf-8-sig"))
        for name in LIFECYCLE:
            if name in manifest.get("scripts", {}):
                run_to_end(scratch, f"npm run {name}", environment)
        yield scratch, environment
    finally:
        shutil.rmtree(holder, ignore_errors=True)


def clean_environment(scratch: Path) -> dict[str, str]:
    """The environment of a person's shell, with nothing of ours that a build could read, and the event recorder."""
    kept = {name: os.environ[name] for name in ("LANG", "TMPDIR", "USER") if name in os.environ}
    home = scratch.parent / "home"
    home.mkdir(exist_ok=True)
    path = os.environ["PATH"]
    manifest = json.loads((scratch / "package.json").read_text("utf-8-sig"))
    if "22" in manifest.get("engines", {}).get("node", ""):
        path = f"{installed('node-22') / 'node' / 'bin'}:{path}"
    return {
        **kept,
        "HOME": str(home),
        "PATH": path,
        "NODE_OPTIONS": f"--require={PRELOAD}",
        "DEBUG": "vite:config",
        "BROWSER": "none",
        "npm_config_update_notifier": "false",
    }


def observe(tree: Path, run: Run) -> Observation:
    """Start the tree by one of its commands in a fresh scratch copy, ask what its page would ask, and end it."""
    with scratch_copy(tree) as (scratch, environment):
        before = tuple(run_to_end(scratch, command, environment)[0] for command in run.before)
        shipped = set(tree_paths(tree)) | (set(tree_paths(scratch)) if run.before else set())
        with started(scratch, run.command, environment) as running:
            processes = running.wait_until_settled()
            origin, page_process, page = find_page(processes)
            probes = tuple((probe, probed(probe, origin, running)) for probe in run.probes)
            direct = tuple(
                (probe, asked_directly(probe, origin, processes))
                for probe, answer in probes
                if probe.relative and (answer.by == 0 or origin.endswith(f":{answer.by}"))
            )
            requests = tuple(without_text(answer) for answer in follow(page)) if page is not None else ()
            sockets = tuple(try_socket(path, origin, processes) for path in run.sockets)
            deep = tuple(ask(origin + path, "document") for path in run.deep) if origin else ()
            time.sleep(0.05)
            return Observation(
                run=run,
                origin=origin,
                page_process=page_process,
                page=page,
                requests=requests,
                probes=probes,
                direct=direct,
                sockets=sockets,
                deep=deep,
                processes=tuple(running.processes().values()),
                before=before,
                new_paths=tuple(sorted(set(tree_paths(scratch)) - shipped)),
                output=running.output.read_text("utf-8", "replace")[-KEPT_TEXT:],
            )


def find_page(processes: dict[int, Process]) -> tuple[str, int, Answer | None]:
    """Where the page is: the Vite server if one listens, else the first server that answers / with HTML."""
    listening = [(process, port) for process in processes.values() for port in process.ports]
    asked = [(process, f"http://localhost:{port}") for process, port in listening]
    for process, origin in asked:
        middleware = process.config is not None and process.config.middleware
        if process.config is not None and not middleware:
            base = origin + process.config.base
            if ask(f"{base}@vite/client", "script").is_javascript:
                return origin, process.pid, served_page(base)
    for process, origin in asked:
        if page := served_page(f"{origin}/"):
            return origin, process.pid, page
    return (asked[0][1], asked[0][0].pid, None) if asked else ("", 0, None)


def served_page(url: str) -> Answer | None:
    answer = ask(url, "document")
    return answer if answer.status == 200 and answer.type == "text/html" else None


def probed(probe: Probe, origin: str, running: Started) -> Answer:
    """The answer to a call of the page's code; asked again for a while as long as a server may still be starting."""
    url = origin + probe.url if probe.relative else probe.url
    headers = {"Accept": probe.accept, **({} if probe.relative else {"Origin": origin})}
    if probe.relative and not origin:
        return Answer(probe.url, "fetch", 0)
    body = probe.body
    if probe.upload:
        headers["Content-Type"] = "multipart/form-data; boundary=part"
        body = (
            f'--part\r\nContent-Disposition: form-data; name="{probe.upload}"; filename="a.txt"\r\n'
            "Content-Type: text/plain\r\n\r\nsome text\r\n--part--\r\n"
        )
    # a proxy that goes nowhere never answers; a server of its own may have to make its database first
    proxied = any(process.config is not None for process in running.processes().values())
    seconds = ANSWER_SECONDS if proxied else OPENING_SECONDS
    until = time.monotonic() + PROBE_SECONDS
    while True:
        answer = ask(url, "fetch", probe.method, body, headers, seconds)
        failed = answer.status in (0, 500, 502) and answer.by in (0, int(origin.rpartition(":")[2] or 0))
        if (
            not failed
            or time.monotonic() > until
            or not any(
                process.own and not process.ports and process.exit is None for process in running.processes().values()
            )
        ):
            return answer
        time.sleep(0.2)


def asked_directly(probe: Probe, origin: str, processes: dict[int, Process]) -> Answer:
    """The first good answer of a server to a call that did not reach it through the page."""
    answer = Answer(probe.url, "fetch", 0, method=probe.method)
    for process in processes.values():
        for port in process.ports:
            if answer.status not in range(200, 400) and not origin.endswith(f":{port}"):
                url = f"http://localhost:{port}{probe.url}"
                answer = ask(url, "fetch", probe.method, probe.body, seconds=OPENING_SECONDS)
    return answer


def try_socket(path: str, origin: str, processes: dict[int, Process]) -> Socket:
    if not path.startswith("/"):
        return Socket(path, opens_socket(path, origin), True)
    servers = [port for process in processes.values() for port in process.ports if not origin.endswith(f":{port}")]
    return Socket(
        url=path,
        opens=bool(origin) and opens_socket(origin.replace("http:", "ws:") + path, origin),
        opens_at_server=any(opens_socket(f"ws://localhost:{port}{path}", origin) for port in servers),
    )


def without_text(answer: Answer) -> Answer:
    """The answer with only what rules look at: how a served module reads the environment."""
    marks = [line for line in answer.text.splitlines() if "import.meta.env" in line or "process.env" in line]
    return Answer(answer.url, answer.kind, answer.status, answer.type, answer.by, answer.allow, "\n".join(marks))


def tree_paths(folder: Path) -> Iterator[str]:
    """Files and folders (with a trailing slash) below a folder, `node_modules` apart."""
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "node_modules"]
        prefix = os.path.relpath(where, folder).removeprefix(".").removeprefix("/")
        for name in folders:
            yield f"{prefix}/{name}/".removeprefix("/")
        for name in files:
            yield f"{prefix}/{name}".removeprefix("/")
