"""`forensics scan`: what is wrong with the builds of an archive."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from forensics.records import Scalar
    from forensics.results import ScanResult
    from forensics.scan import Request

_SEVERITIES = ("error", "warning", "note")


def scan(
    archives: Annotated[list[str], typer.Argument(metavar="ARCHIVE...", help="Folders, zips, tars or their URLs.")],
    layout: Annotated[str, typer.Option(help="Where builds are: auto, study, or {model}/{task}/run_{run}.")] = "auto",
    labels: Annotated[Path | None, typer.Option(help="CSV of labels, joined by build id.")] = None,
    label_id: Annotated[str | None, typer.Option(help="How a row of --labels gives its build id.")] = None,
    starter: Annotated[Path | None, typer.Option(help="The tree that every build began from.")] = None,
    starters: Annotated[Path | None, typer.Option(help="TOML: starters by label.")] = None,
    contract: Annotated[str | None, typer.Option(help="Stack contract: study or a TOML file.")] = None,
    contracts: Annotated[Path | None, typer.Option(help="TOML: stack contracts by label.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the result set (Parquet) to this folder.")] = None,
    json: Annotated[str | None, typer.Option(help="Write JSON to a file, or - for standard output.")] = None,
    sarif: Annotated[str | None, typer.Option(help="Write SARIF 2.1.0 to a file, or -.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the HTML report.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write CSV tables into this folder.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write a Markdown summary.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Worker processes; default: one for each core.")] = None,
    engine: Annotated[str, typer.Option(help="local or dask.")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a scan into --out stopped.")] = False,
    cache: Annotated[Path | None, typer.Option(help="Cache folder; default: the user's cache.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor write a cache.")] = False,
    min_severity: Annotated[str, typer.Option(help="Leave less severe findings out of the outputs.")] = "note",
    fail_on: Annotated[str | None, typer.Option(help="Exit with 1 on a finding this severe or more.")] = None,
    baseline: Annotated[Path | None, typer.Option(help="Suppress what an earlier JSON, SARIF or --out has.")] = None,
    trust_build: Annotated[
        bool, typer.Option("--trust-build", help="Let configuration inside a build suppress findings.")
    ] = False,
    limit: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="Change a safety limit.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print the chain of evidence, and every build.")] = False,
) -> None:
    """Scan archives of builds: a folder, a zip or a tar; one app is an archive of one.

    Without an output option the findings are printed.
    """
    from forensics.cli.given import given_contexts, known_findings, read_text
    from forensics.contexts import ContextRules
    from forensics.limits import limits_with
    from forensics.records import InputError
    from forensics.scan import Request

    for option, value in (("--min-severity", min_severity), ("--fail-on", fail_on)):
        if value is not None and value not in _SEVERITIES:
            raise InputError(f"{option} {value}: give error, warning or note")
    if engine not in ("local", "dask"):
        raise InputError(f"--engine {engine}: give local or dask")
    if scheduler is not None and engine != "dask":
        raise InputError("--scheduler goes with --engine dask")
    if resume and out is None:
        raise InputError("--resume goes with --out DIR, the folder of the scan that stopped")
    if label_id is not None and labels is None:
        raise InputError("--label-id goes with --labels FILE.csv")
    limits = limits_with(limit or ())
    settings: dict[str, Scalar] = {
        "layout": layout,
        "labels": None if labels is None else labels.name,
        "label_id": label_id,
        "starter": _name(starter or starters),
        "contract": contract if contract is not None else _name(contracts),
        "baseline": _name(baseline),
        "trust_build": trust_build,
        "limits": " ".join(limit or ()) or None,
    }
    outputs = [place for place in (json, sarif, html, csv, markdown) if place is not None]
    request = Request(
        archives=archives,
        layout=layout,
        labels=None if labels is None else (str(labels), read_text(labels)),
        label_id=label_id,
        rules=ContextRules(
            given=given_contexts(starter, starters, contract, contracts, limits), trust_build=trust_build
        ),
        limits=limits,
        baseline={} if baseline is None else known_findings(baseline),
        cache=None if no_cache else _cache_folder(cache),
        jobs=jobs or _cores(),
        out=None if out is None else str(out),
        resume=resume,
        keep=out is None or bool(outputs),
        settings={name: value for name, value in settings.items() if value is not None},
    )
    result = scan_with_progress(request, engine, scheduler)
    shown = _at_least(result, min_severity)
    _write(shown, json, sarif, html, csv, markdown)
    if not outputs and out is None:
        from rich.console import Console

        from reports.terminal import print_result

        print_result(shown, Console(highlight=False), verbose)
    raise typer.Exit(exit_code(result, fail_on))


def scan_with_progress(request: Request, engine: str = "local", scheduler: str | None = None) -> ScanResult:
    """The scan, with a progress bar on standard error where that is a terminal."""
    from contextlib import ExitStack

    from forensics.scan import Progress
    from forensics.scan import scan as scanned

    with ExitStack() as stack:
        cluster = None
        if engine == "dask":
            from forensics.records import InputError

            try:
                from forensics.engines.dask import Cluster
            except ImportError:
                raise InputError("--engine dask needs an extra: pip install 'build-forensics[cluster]'") from None
            cluster = stack.enter_context(Cluster(scheduler, request.jobs))
        if not sys.stderr.isatty():
            return scanned(request, cluster=cluster)
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        # No refreshing thread: a lone build is scanned in a fork, which wants a process of one thread.
        bar = Bar(
            TextColumn("scanning"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("builds"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            auto_refresh=False,
            transient=True,
        )
        task = bar.add_task("scan", total=None)

        def found(builds: int) -> None:
            bar.update(task, total=builds)

        def done(builds: int) -> None:
            bar.update(task, advance=builds, refresh=True)

        stack.enter_context(bar)
        return scanned(request, Progress(found=found, done=done), cluster=cluster)


def exit_code(result: ScanResult, fail_on: str | None) -> int:
    """3 where coverage was lost, else 1 where a finding that counts is severe enough, else 0."""
    totals = result.run.totals
    if totals["builds_with_errors"]:
        return 3
    if fail_on is not None and any(totals[name] for name in _SEVERITIES[: _SEVERITIES.index(fail_on) + 1]):
        return 1
    return 0


def _at_least(result: ScanResult, severity: str) -> ScanResult:
    import msgspec

    if severity == _SEVERITIES[-1]:
        return result
    severe = _SEVERITIES[: _SEVERITIES.index(severity) + 1]
    builds = tuple(
        msgspec.structs.replace(build, findings=tuple(f for f in build.findings if f.severity in severe))
        for build in result.builds
    )
    return msgspec.structs.replace(result, builds=builds)


def _write(
    result: ScanResult,
    json: str | None,
    sarif: str | None,
    html: Path | None,
    csv: Path | None,
    markdown: Path | None,
) -> None:
    from forensics.cli.written import write_output

    if html is not None:
        from reports.html import write_html
        from scanners.registry import RULES

        write_output(html, write_html(result, RULES))
    if csv is not None:
        from reports.tables import write_csv

        write_csv(result, csv)
    if markdown is not None:
        from reports.tables import write_markdown

        write_output(markdown, write_markdown(result).encode("utf-8", "backslashreplace"))
    if sarif is not None:
        from reports.sarif import write_sarif
        from scanners.registry import RULES

        write_output(sarif, write_sarif(result, RULES))
    if json is not None:
        from reports.json import write_json

        write_output(json, write_json(result))


def _name(path: Path | None) -> str | None:
    return None if path is None else path.name


def _cache_folder(given: Path | None) -> str:
    from forensics.cache import default_folder

    return str(given if given is not None else default_folder())


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
