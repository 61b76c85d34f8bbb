"""`forensics report`: the HTML report of a result set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="A folder that forensics scan --out wrote.")],
    html: Annotated[Path, typer.Option(help="The file to write.")],
) -> None:
    """Write the HTML report of a result set."""
    from forensics.cli.report_signatures import signature_parts_of
    from forensics.cli.written import write_output
    from forensics.result_files import load
    from reports.html import write_html
    from scanners.registry import RULES

    result = load(results, files=False)
    write_output(html, write_html(result, RULES, signature_parts_of(results, result)))
