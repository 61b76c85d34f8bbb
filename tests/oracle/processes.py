"""Starting a tree's own command, knowing what its processes do, and ending every one of them.

Each run has a session of its own and a file of events that `preload.cjs` writes from inside every Node process.
At the end the whole process group is killed, and so is any process that left the group but still writes to the file.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PRELOAD = Path(__file__).with_name("preload.cjs")
START_SECONDS = 60.0
SCRIPT_SECONDS = 30.0
STARTER_SECONDS = 5.0
QUIET_SECONDS = 0.6
COMMAND_SECONDS = 90


@dataclass(frozen=True)
class ViteConfig:
    """What Vite says it resolved: its root, the file it loaded ("" for none), and the keys of server.proxy.

    `top_level_proxy`: a `proxy` stands beside `server`, where Vite does not look for it.
    """

    root: str
    file: str
    proxy: tuple[str, ...]
    middleware: bool
    top_level_proxy: bool
    base: str = "/"


@dataclass
class Process:
    """One Node process of a run. `exit` is None while it lives or where a signal ended it."""

    pid: int
    parent: int
    script: str
    cwd: str
    ports: list[int] = field(default_factory=list)
    exit: int | None = None
    crash: dict[str, Any] | None = None
    config: ViteConfig | None = None

    @property
    def own(self) -> bool:
        """Whether it runs a script of the tree, not one from a package."""
        return self.script != "" and not self.script.startswith(("/", "node_modules/"))


class Started:
    """A command that runs in a scratch copy, with the events of its processes."""

    def __init__(self, scratch: Path, command: str, environment: dict[str, str]) -> None:
        self.scratch = scratch
        self.events = scratch.parent / "events.jsonl"
        self.events.write_text("")
        self.output = scratch.parent / "output.txt"
        with self.output.open("w") as output:
            self.shell = subprocess.Popen(
                command,
                shell=True,
                cwd=scratch,
                env={**environment, "ORACLE_EVENTS": str(self.events)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def processes(self) -> dict[int, Process]:
        """Every Node process so far, by pid, as its events tell."""
        found: dict[int, Process] = {}
        for event in self.written():
            pid = event["pid"]
            if event["event"] == "start":
                script = "." if event["script"] == str(self.scratch) else event["script"]
                script = script.removeprefix(f"{self.scratch}/")
                cwd = os.path.relpath(event["cwd"], self.scratch)
                found[pid] = Process(pid, event["parent"], script, "" if cwd == "." else cwd)
            elif event["event"] == "listen":
                found[pid].ports.append(event["port"])
            elif event["event"] == "exit":
                found[pid].exit = event["code"]
            elif event["event"] == "crash":
                found[pid].crash = event
            elif event["event"] == "config":
                found[pid].config = resolved_config(event["text"], self.scratch)
        return found

    def written(self) -> list[dict[str, Any]]:
        """The events so far; a line that is still being written is left for the next time."""
        whole = self.events.read_text("utf-8").rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def wait_until_settled(self) -> dict[int, Process]:
        """Wait until every script of the tree listens, has ended or only starts others, and nothing new happens."""
        began = time.monotonic()
        changed, size = began, -1
        while True:
            now = time.monotonic()
            if (current := self.events.stat().st_size) != size:
                changed, size = now, current
            processes = self.processes()
            parents = ancestors(processes)
            open_scripts = [
                process
                for process in processes.values()
                if not process.ports and process.exit is None and process.pid not in parents and alive(process.pid)
            ]
            quiet = now - changed > QUIET_SECONDS
            own = [process for process in open_scripts if process.own or process.config is not None]
            listening = any(process.ports for process in processes.values())
            ended = self.shell.poll() is not None and not any(alive(pid) for pid in processes)
            starting = [process for process in open_scripts if not process.own and now - changed < STARTER_SECONDS]
            if ended or (quiet and listening and not own and not starting):
                return processes
            if now - began > START_SECONDS or (listening and now - changed > SCRIPT_SECONDS):
                return processes
            time.sleep(0.05)

    def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.shell.pid, signal.SIGKILL)
        marker = f"ORACLE_EVENTS={self.events}".encode()
        for pid in self.processes():
            with contextlib.suppress(OSError):
                if marker in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    os.kill(pid, signal.SIGKILL)
        self.shell.wait()


@contextlib.contextmanager
def started(scratch: Path, command: str, environment: dict[str, str]) -> Iterator[Started]:
    """A command of the tree while it runs; all it started is ended on leaving, whatever happened."""
    run = Started(scratch, command, environment)
    try:
        yield run
    finally:
        run.stop()


def run_to_end(scratch: Path, command: str, environment: dict[str, str]) -> tuple[int, str]:
    """Exit status and output of a command that ends by itself; -1 where it had to be stopped."""
    with started(scratch, command, environment) as run:
        try:
            status = run.shell.wait(timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            status = -1
        return status, run.output.read_text("utf-8", "replace")


def alive(pid: int) -> bool:
    """Whether a process is there and not just waiting to be reaped."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def ancestors(processes: dict[int, Process]) -> set[int]:
    """Pids of processes that started another one of the run, also through a shell between them."""
    found: set[int] = set()
    for process in processes.values():
        parent = process.parent
        while parent > 1 and parent not in processes:
            parent = parent_of(parent)
        found.add(parent)
    return found


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError):
        return 0


def resolved_config(text: str, scratch: Path) -> ViteConfig:
    """Read the object that Vite logs under vite:config (util.inspect, two levels deep)."""

    def value(name: str) -> str:
        match = re.search(rf"^  {name}: '([^']*)'", text, re.M)
        return match.group(1) if match else ""

    server = re.search(r"^  server: \{\n(.*?)^  \}", text, re.M | re.S)
    inside = server.group(1) if server else ""
    block = re.search(r"^    proxy: \{\n((?:.*\n)*?)^    \}|^    proxy: \{ (.*) \},?$", inside, re.M)
    entries = (block.group(1) or block.group(2)) if block else ""
    while (flat := re.sub(r"\{[^{}]*\}", "0", entries)) != entries:
        entries = flat
    keys = re.findall(r"(?:'([^']*)'|\b([\w$]+)):\s", entries)
    return ViteConfig(
        root=os.path.relpath(value("root") or str(scratch), scratch).removeprefix("."),
        file=value("configFile").removeprefix(f"{scratch}/"),
        proxy=tuple(quoted or plain for quoted, plain in keys),
        middleware="middlewareMode: true" in inside,
        base=value("base") or "/",
        top_level_proxy=re.search(r"^  proxy: ", text, re.M) is not None,
    )
