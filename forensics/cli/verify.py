"""`forensics verify`: whether a result set is as it was sealed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def verify(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="A folder that forensics scan --out wrote.")],
) -> None:
    """Check a result set against its SHA-256 sums; say which file and which build changed. Exit code 1 if any did."""
    from forensics.results import verify as differences

    found = differences(results)
    for line in found:
        typer.echo(line)
    if found:
        raise typer.Exit(1)
    typer.echo(f"{results}: every file is as it was sealed")
