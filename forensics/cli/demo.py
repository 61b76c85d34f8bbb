"""`forensics demo`: the shipped examples, scanned and reported."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("forensics-demo"),
) -> None:
    """Scan the shipped examples and write their HTML report; its path is printed last."""
    from forensics.cache import default_folder
    from forensics.cli.report_signatures import signature_parts_in_memory
    from forensics.cli.scan import _cores, exit_code, scan_with_progress
    from forensics.cli.written import write_output
    from forensics.scan import Request
    from reports.html import write_html
    from scanners.registry import RULES

    request = Request(
        archives=[str(examples_folder())],
        layout="study",
        cache=str(default_folder()),
        jobs=_cores(),
        settings={"layout": "study"},
    )
    result = scan_with_progress(request)
    place = out / "report.html"
    write_output(place, write_html(result, RULES, signature_parts_in_memory(result)))
    errors = sum(f.severity == "error" for build in result.builds for f in build.findings)
    broken = sum(any(f.severity == "error" for f in build.findings) for build in result.builds)
    typer.echo(f"{len(result.builds)} builds scanned, {errors} defects in {broken} of them")
    typer.echo(place)
    raise typer.Exit(exit_code(result, None))


def examples_folder() -> Path:
    """The demo archive: `forensics/examples` in the wheel, `examples/` beside the package in the source tree."""
    from forensics.records import InputError

    shipped = Path(str(files("forensics") / "examples"))
    for place in (shipped, Path(__file__).parents[2] / "examples"):
        if place.is_dir():
            return place
    raise InputError("the examples are not installed with the command; install the wheel or run from the source tree")
