#!/usr/bin/env python3
"""Throughput of `forensics scan` beside the parse floor, side by side on one archive.

    .venv/bin/python -P benchmarks/run.py FOLDER_OF_BUILDS [--layout '{build}'] [--runs 5] [--jobs 2]

The floor: tree-sitter parses each JavaScript, TypeScript, HTML, CSS and JSON file once and does nothing else, in as many
processes. Each line is the median of the runs. CPU seconds are those of all processes together and say more than wall
seconds on a machine that others use; peak memory is that of the largest process.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

FLOOR = """
import os, sys
from multiprocessing import get_context
import tree_sitter_css, tree_sitter_html, tree_sitter_javascript, tree_sitter_json, tree_sitter_typescript
from tree_sitter import Language, Parser
LANGUAGES = {
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), tree_sitter_javascript.language),
    **dict.fromkeys(("ts", "mts", "cts"), tree_sitter_typescript.language_typescript),
    "tsx": tree_sitter_typescript.language_tsx, "html": tree_sitter_html.language, "htm": tree_sitter_html.language,
    "css": tree_sitter_css.language, "json": tree_sitter_json.language,
}
def parse(paths):
    parsers = {name: Parser(Language(make())) for name, make in LANGUAGES.items()}
    for path in paths:
        with open(path, "rb") as file:
            parsers[path.rpartition(".")[2].lower()].parse(file.read())
if __name__ == "__main__":
    paths = []
    for place, folders, names in os.walk(sys.argv[1]):
        folders[:] = [name for name in folders if name not in ("node_modules", ".git", ".hg", ".svn")]
        paths += [os.path.join(place, name) for name in names if name.rpartition(".")[2].lower() in LANGUAGES]
    paths = [path for path in paths if os.path.getsize(path) <= 5 * 1024 * 1024]
    jobs = int(sys.argv[2])
    with get_context("fork").Pool(jobs) as pool:
        pool.map(parse, [paths[first::jobs] for first in range(jobs)])
"""


def measured(command: list[str]) -> tuple[float, float, int]:
    """Wall seconds, CPU seconds of the command and all its processes, peak memory of the largest in MB."""
    script = (
        "import json, resource, subprocess, sys, time\n"
        "begin = time.monotonic()\n"
        "code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, code)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", script, *command], capture_output=True, text=True, check=True)
    wall, cpu, memory, code = done.stdout.split()
    if code not in ("0", "3"):
        raise SystemExit(f"{' '.join(command)}: exit code {code}\n{done.stderr}")
    return float(wall), float(cpu), int(memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--layout", default="auto")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    forensics = str(Path(sys.executable).with_name("forensics"))
    files = [path for path in options.archive.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    with tempfile.TemporaryDirectory() as scratch:
        cache, out = Path(scratch, "cache"), Path(scratch, "out")
        scan = [forensics, "scan", str(options.archive), "--layout", options.layout, "--jobs", str(options.jobs)]
        scan += ["--cache", str(cache), "--out", str(out)]
        floor = [sys.executable, "-P", "-c", FLOOR, str(options.archive), str(options.jobs)]
        rows: dict[str, list[tuple[float, float, int]]] = {}
        for _ in range(options.runs):
            shutil.rmtree(cache, ignore_errors=True)
            rows.setdefault("parse floor", []).append(measured(floor))
            rows.setdefault("scan, cold", []).append(measured(scan))
            rows.setdefault("scan, nothing changed", []).append(measured(scan))
            shutil.rmtree(cache / "results")
            rows.setdefault("scan, a rule changed", []).append(measured(scan))
        import pyarrow.parquet as pq

        builds = sum(pq.ParquetFile(path).metadata.num_rows for path in (out / "builds").iterdir())
        written = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / builds
        cached = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) / builds
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{builds:,} builds, {len(files):,} files, {size:,.1f} MB, {options.jobs} processes, load {load:.1f}\n")
    print(
        "| | wall s | CPU s | × floor (CPU) | builds/s | files/s | MB/s | peak MB |\n|---|---|---|---|---|---|---|---|"
    )
    base = statistics.median(cpu for _, cpu, _ in rows["parse floor"])
    for name, runs in rows.items():
        wall, cpu, memory = (statistics.median(column) for column in zip(*runs, strict=True))
        rates = f"{builds / wall:,.0f} | {len(files) / wall:,.0f} | {size / wall:.1f}"
        print(f"| {name} | {wall:.1f} | {cpu:.1f} | {cpu / base:.1f} | {rates} | {memory:.0f} |")
    print(f"\nresults: {written / 1000:.1f} kB a build; cache: {cached / 1000:.1f} kB a build")


if __name__ == "__main__":
    main()
