"""How large and how fast the HTML report of a whole study is: 1,116 builds, 10,000 findings.

    python benchmarks/report.py [--builds 1116] [--findings 10000] [--out report.html] [--browser /usr/bin/chromium]

Makes a result of that size from a fixed seed (six models, seven tasks, eight conditions, some thirty rules), renders
it, opens it in Chromium and measures: bytes, seconds to render, milliseconds until the page is ready, milliseconds for
a filter (from the key press to the painted rows). Goals: under 10 MB, 2 s, 200 ms.

Measured in December 2026 with Chromium 156 on two cores that other work shared (load 3): 2.4 MB, rendered in 3.6 s,
ready in 1.3 s, filters in 60 to 150 ms, of which most is the layout of the 200 rows that are seen. With 100,000 findings
the file is 8.8 MB; the least severe findings are then left out of its table, which says so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from pathlib import Path

from forensics.records import SEVERITIES, BuildError, Confidence, LaunchPath, Rule, Severity
from forensics.results import BuildResult, Place, ReportedFinding, RunInfo, ScanResult, VerdictRow
from reports.html import write_html

MODELS = {
    "claude-4.6-opus": 0.09,
    "claude-4.6-sonnet": 0.41,
    "claude-4.8-opus": 0.25,
    "gemini-3.1-pro": 0.42,
    "gpt-5.5": 0.12,
    "grok-4.3": 0.1,
}
TASKS = (
    "calendar-week-view",
    "kanban-board",
    "kanban-labels-brownfield",
    "live-poll",
    "message-board",
    "presence-wall",
    "seat-booking",
)
CONDITIONS = (
    "no_verification",
    "static",
    "boot_check",
    "execution",
    "visual",
    "visual_no_shots",
    "delayed",
    "behavioral",
)
SCANNERS = {
    "integrity": ("OK", "CORRUPT", ("syntax-error", "undeclared-dependency", "unresolved-import", "missing-export")),
    "launch": ("OK", "BROKEN", ("port-clash", "half-started", "copy-missing-path", "runtime-too-old")),
    "wiring": (
        "OK",
        "PROXY_NOT_LOADED",
        ("proxy-not-loaded", "module-captured-by-proxy", "port-mismatch", "no-spa-fallback", "env-not-exposed"),
    ),
    "datadir": ("OK-MKDIR", "WILL-FAIL", ("missing-parent", "created-elsewhere", "unusable-path")),
    "runtime": ("OK", "BROKEN", ("route-shadowed", "sql-type-mismatch", "sse-blocked", "event-name-mismatch")),
    "rendering": ("OK", "BROKEN", ("overlay-blocks-input", "hidden-overridden", "date-as-number")),
    "stack": ("KEPT", "DRIFTED", ("missing-evidence", "declared-unused", "substituted")),
}
NOUNS = (
    "board",
    "card",
    "column",
    "event",
    "seat",
    "vote",
    "message",
    "wall",
    "poll",
    "booking",
    "label",
    "member",
    "note",
)
VERBS = (
    "load",
    "save",
    "render",
    "update",
    "create",
    "remove",
    "open",
    "close",
    "sync",
    "move",
    "refresh",
    "subscribe",
)
CHROMIUM_FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
FOLDERS = ("client", "server", "src", "src/lib", "server/routes", "frontend/src")


def rules() -> dict[str, Rule]:
    made = {}
    for scanner, (_, _, slugs) in SCANNERS.items():
        for position, slug in enumerate(slugs):
            made[f"{scanner}/{slug}"] = Rule(
                id=f"{scanner}/{slug}",
                severity="warning" if position > 2 else "error",
                summary=f"{slug.replace('-', ' ').capitalize()}: what was declared and what runs are two things",
                why="The tool reads its configuration from one place, the build keeps it in another. "
                "`npm run dev` starts without a word, and the first request that needs it gets the wrong answer.",
                fix="Name the file on the command line, or move it to where the tool looks.",
                blind_spots="Values that come from the machine on which the build is started.",
                sources=("https://vite.dev/config/",),
            )
    return made


def result(builds: int, findings: int, seed: int = 20261201) -> ScanResult:
    chance = random.Random(seed)
    snippets: dict[str, str] = {}
    per_build = _spread(findings, builds, chance)
    made = []
    for number in range(builds):
        model = list(MODELS)[number % len(MODELS)]
        task = TASKS[number // len(MODELS) % len(TASKS)]
        condition = CONDITIONS[number // (len(MODELS) * len(TASKS)) % len(CONDITIONS)]
        made.append(
            _build(chance, snippets, f"{task}/{condition}/runs/{number}", model, task, condition, per_build[number])
        )
    run = RunInfo(
        version="0.1.0",
        rules_digest=hashlib.sha256(b"benchmark").hexdigest(),
        archives=("study-archive.tar.zst",),
        settings={"layout": "study", "jobs": 2},
    )
    return ScanResult(run=run, builds=tuple(sorted(made, key=lambda build: build.id)), snippets=snippets)


def _spread(findings: int, builds: int, chance: random.Random) -> list[int]:
    counts = [0] * builds
    for _ in range(findings):
        counts[min(int(chance.betavariate(1, 2.5) * builds), builds - 1)] += 1
    chance.shuffle(counts)
    return counts


def _build(
    chance: random.Random, snippets: dict[str, str], name: str, model: str, task: str, condition: str, findings: int
) -> BuildResult:
    levels: tuple[Severity, ...] = SEVERITIES if chance.random() < MODELS[model] * 1.6 else SEVERITIES[1:]
    listed = tuple(_finding(chance, snippets, levels) for _ in range(findings))
    broken = {finding.rule.partition("/")[0] for finding in listed if finding.severity == "error"}
    verdicts = tuple(
        VerdictRow(scanner=scanner, status="UNKNOWN", reason=f"the value comes from {chance.choice(NOUNS).upper()}_DIR")
        if chance.random() < 0.04
        else VerdictRow(scanner=scanner, status=defect if scanner in broken else sound)
        for scanner, (sound, defect, _) in SCANNERS.items()
    )
    fails = "wiring" in broken or "integrity" in broken
    steps = (
        "npm run dev",
        "node server/index.js (port 3001)",
        "vite (root client/, port 5173)",
        "proxy /api (to 3001)",
    )
    return BuildResult(
        id=name,
        archive="study-archive.tar.zst",
        labels={"task": task, "condition": condition, "model": model, "run": name.rpartition("/")[2]},
        file_count=chance.randrange(8, 40),
        byte_count=chance.randrange(20_000, 400_000),
        digest=hashlib.sha256(name.encode()).hexdigest(),
        verdicts=verdicts,
        findings=listed,
        features={f"feature_{number:02}": chance.choice(("root", "nested", "mixed", "none")) for number in range(30)}
        | {f"count_{number:02}": chance.randrange(400) for number in range(30)},
        launch_paths=(
            LaunchPath(name="dev", works=not fails, command="npm run dev", because="the proxy is loaded", steps=steps),
            LaunchPath(name="start", works=None, command="", because="the output folder is computed", steps=steps[:2]),
        ),
        errors=(BuildError(path="dist/app.js", kind="limit", message="21,000,000 bytes"),)
        if chance.random() < 0.01
        else (),
    )


def _finding(chance: random.Random, snippets: dict[str, str], levels: tuple[Severity, ...]) -> ReportedFinding:
    scanner = chance.choice(list(SCANNERS))
    slug = chance.choice(SCANNERS[scanner][2])
    noun, verb = chance.choice(NOUNS), chance.choice(VERBS)
    severity = levels[min(int(chance.expovariate(1.1)), len(levels) - 1)]
    confidence: Confidence = chance.choice(("high", "high", "high", "medium", "low"))
    port = chance.randrange(3000, 3010)
    return ReportedFinding(
        rule=f"{scanner}/{slug}",
        severity=severity,
        confidence=confidence,
        message=f"The {noun} stays empty: `{verb}{noun.title()}` asks `/api/{noun}s` on port {port}, and what answers "
        f"there is the page itself, so `response.json()` throws \"Unexpected token '<'\" ({chance.randrange(10**6)}).",
        fix=f"Run `vite client --config vite.config.js` or set the target to `http://localhost:{port}`.",
        place=_place(chance, snippets, noun, verb, ""),
        related=tuple(
            _place(chance, snippets, chance.choice(NOUNS), verb, "this proxy is never loaded")
            for _ in range(chance.randrange(3))
        ),
        fingerprint=f"{chance.getrandbits(128):032x}",
        suppressed="baseline" if chance.random() < 0.02 else "",
        evidence=("script dev runs dev:client", "dev:client starts vite with root client/"),
    )


def _place(chance: random.Random, snippets: dict[str, str], noun: str, verb: str, message: str) -> Place:
    line = chance.randrange(3, 400)
    call = f"fetch(`/api/{noun}s/${{{noun}.id}}?at={chance.randrange(5000)}`)"
    text = (
        f"export async function {verb}{noun.title()}({noun}) {{\n"
        "  const headers = { 'content-type': 'application/json' };\n"
        f"  const response = await {call};\n"
        f"  if (!response.ok) throw new Error('{verb} {noun} failed');\n  return response.json();"
    )
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    snippets[key] = text
    return Place(
        path=f"{chance.choice(FOLDERS)}/{noun}-{verb}.js",
        line=line,
        column=26,
        end_line=line,
        end_column=26 + len(call),
        message=message,
        snippet=key,
        snippet_line=line - 2,
    )


def measure(page_path: Path, browser_path: str) -> dict[str, float]:
    """Milliseconds in Chromium: until the page is ready, until each of four filters has painted."""
    from playwright.sync_api import sync_playwright

    measured: dict[str, float] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path,
            args=CHROMIUM_FLAGS,
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        start = time.perf_counter()
        page.goto(page_path.absolute().as_uri())
        page.wait_for_selector("html[data-ready=true]", state="attached")
        measured["open"] = (time.perf_counter() - start) * 1000
        painted = """change => new Promise(done => { const start = performance.now(); location.hash = change;
            requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start))); })"""
        for name, target in {
            "findings, first time": "findings",
            "filter by severity": "findings?severity=error",
            "filter by text, first time": "findings?q=seat",
            "filter by text": "findings?q=seat+subscribe",
            "filter by label": "findings?label.model=gpt-5.5",
            "sort by message": "findings?sort=message",
            "builds, first time": "builds",
            "filter builds": "builds?verdict=wiring:PROXY_NOT_LOADED",
            "catalogue": "catalogue",
        }.items():
            measured[name] = page.evaluate(painted, target)
        browser.close()
    return measured


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--builds", type=int, default=1116)
    parser.add_argument("--findings", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=Path("report-benchmark.html"))
    parser.add_argument("--browser", default="/usr/bin/chromium")
    options = parser.parse_args()
    scanned = result(options.builds, options.findings)
    start = time.perf_counter()
    written = write_html(scanned, rules())
    seconds = time.perf_counter() - start
    options.out.write_bytes(written)
    total = sum(len(build.findings) for build in scanned.builds)
    print(f"{len(scanned.builds)} builds, {total} findings: {len(written) / 1e6:.2f} MB, rendered in {seconds:.2f} s")
    print(json.dumps({name: round(value) for name, value in measure(options.out, options.browser).items()}, indent=2))


if __name__ == "__main__":
    main()
