"""What the example trees say of themselves: the expectation file beside each tree under scanners/examples/.

summary = "what happens to a person who starts this build"

[expect.verdicts]                  # scanner -> status
wiring = "PROXY_NOT_LOADED"

[expect]
findings = [{rule = "wiring/proxy-not-loaded", path = "package.json", line = 7}]
absent = ["wiring/port-mismatch"]  # must not be reported

[[oracle]]                         # how the tree is started for real, and what its page then asks for
name = "dev"                       # dev, production, preview, setup
before = []                        # commands that run to their end first
command = "npm run dev"
probes = ["/api/items", {url = "http://localhost:3001/api/items", method = "POST", body = "{}"}]
sockets = ["/live"]                # web sockets of the page
deep = ["/notes/3"]                # addresses that must answer with the page
"""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
EXAMPLES = CHECKOUT / "scanners" / "examples"
DEMO = CHECKOUT / "examples"
HEALTHY = frozenset({"OK", "NO_VITE", "OK-MKDIR", "OK-SHALLOW", "OK-MEMORY", "NO-STORE"})


@dataclass(frozen=True)
class Wanted:
    """A finding that must be reported: its own place or a related one is in `path`, at `line` (0: any line)."""

    rule: str
    path: str = ""
    line: int = 0


@dataclass(frozen=True)
class Probe:
    """One request of the page's own code. A url with a leading slash goes to the page's origin.

    `upload` names the form field under which a small file is sent instead of a body.
    """

    url: str
    method: str = "GET"
    body: str = ""
    accept: str = "*/*"
    upload: str = ""

    @property
    def relative(self) -> bool:
        return self.url.startswith("/")


@dataclass(frozen=True)
class Run:
    """One way of starting the tree, and what is asked of it."""

    name: str
    command: str
    before: tuple[str, ...] = ()
    probes: tuple[Probe, ...] = ()
    sockets: tuple[str, ...] = ()
    deep: tuple[str, ...] = ()


@dataclass(frozen=True)
class Example:
    """A tree with its expectation. `folder` holds the build's files; `name` is `<scanner>/<rule>/<kind>-<name>`."""

    name: str
    folder: Path
    summary: str
    verdicts: dict[str, str]
    findings: tuple[Wanted, ...]
    absent: tuple[str, ...]
    runs: tuple[Run, ...] = field(default=())

    @property
    def scanner(self) -> str:
        return self.name.split("/")[0]

    @property
    def rule(self) -> str:
        return "/".join(self.name.split("/")[:2])

    @property
    def failing(self) -> bool:
        return self.name.split("/")[2].startswith("failing-")

    @property
    def healthy(self) -> bool:
        """Nothing is expected to go wrong: no finding, and every verdict says that it works."""
        return not self.findings and set(self.verdicts.values()) <= HEALTHY


def examples(*scanners: str) -> list[Example]:
    """Every example tree of the named scanners (of all: no name), sorted by name."""
    files = sorted(EXAMPLES.glob("*/*/*.toml"))
    wanted = [file for file in files if not scanners or file.relative_to(EXAMPLES).parts[0] in scanners]
    return [read_example(file) for file in wanted]


def read_example(file: Path) -> Example:
    text = tomllib.loads(file.read_text("utf-8"))
    expect = text.get("expect", {})
    return Example(
        name=file.relative_to(EXAMPLES).with_suffix("").as_posix(),
        folder=file.with_suffix(""),
        summary=text["summary"],
        verdicts=dict(expect.get("verdicts", {})),
        findings=tuple(Wanted(**finding) for finding in expect.get("findings", [])),
        absent=tuple(expect.get("absent", [])),
        runs=tuple(read_run(run) for run in text.get("oracle", [])),
    )


def demo_builds() -> list[Example]:
    """The builds of the demo archive with what `examples/expectations.csv` says of them; `name` is the build's id.

    Its columns: id, wiring, datadir, command, setup (a command that must run first, or nothing), probes (separated by
    semicolons: a method where it isn't GET, an address, a body), summary.
    """
    with (DEMO / "expectations.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = []
    for row in rows:
        probes = tuple(read_probe(text) for text in row["probes"].split("; "))
        runs = [Run("dev", row["command"], probes=probes)]
        if row["setup"]:
            runs.append(Run("setup", row["command"], before=(row["setup"],), probes=probes))
        folder = DEMO / "runs" / "spring" / row["id"] / "app"
        verdicts = {"wiring": row["wiring"], "datadir": row["datadir"]}
        found.append(Example(row["id"], folder, row["summary"], verdicts, (), (), tuple(runs)))
    return found


def read_probe(text: str) -> Probe:
    first, _, rest = text.partition(" ")
    if not rest:
        return Probe(first)
    url, _, body = rest.partition(" ")
    return Probe(url, first, body)


def read_run(text: dict[str, Any]) -> Run:
    probes = [Probe(**probe) if isinstance(probe, dict) else Probe(probe) for probe in text.get("probes", [])]
    return Run(
        name=text.get("name", "dev"),
        command=text.get("command", "npm run dev"),
        before=tuple(text.get("before", [])),
        probes=tuple(probes),
        sockets=tuple(text.get("sockets", [])),
        deep=tuple(text.get("deep", [])),
    )
