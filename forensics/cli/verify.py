"""`forensics verify`: whether a result set, and the archive behind it, are as they were sealed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from forensics.results import RunInfo


def verify(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="A folder that forensics scan --out wrote.")],
    archive: Annotated[
        list[str] | None, typer.Option(help="Also compare this archive with the sums of its builds' files.")
    ] = None,
) -> None:
    """Check a result set against its SHA-256 sums; say which file and which build changed. Exit code 1 if any did."""
    from forensics.result_files import read_run
    from forensics.seal import changed_files, differences

    found = differences(results)
    if archive and not found:
        found += changed_files(results, _builds_now(archive, read_run(results)))
    for line in found:
        typer.echo(line)
    if found:
        raise typer.Exit(1)
    typer.echo(f"{results}: every file is as it was sealed")
    if archive:
        typer.echo(f"{', '.join(archive)}: every build is as it was scanned")


def _builds_now(archives: list[str], run: RunInfo) -> Iterator[tuple[str, dict[str, str]]]:
    from forensics.archive import open_archive, open_build
    from forensics.layout import find_builds
    from forensics.limits import limits_with

    limits = limits_with(str(run.settings.get("limits") or "").split())
    for address in archives:
        with open_archive(address, limits) as opened:
            for reference in find_builds(opened, str(run.settings.get("layout", "auto"))):
                yield reference.id, open_build(reference, limits).sums()
