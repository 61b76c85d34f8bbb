"""`forensics clusters`: near-duplicate builds and shared files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import pandas as pd


def clusters(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="A folder that forensics scan --out wrote.")],
    archive: Annotated[
        list[str] | None, typer.Option(help="Where the scanned archives are now; default: where they were.")
    ] = None,
    threshold: Annotated[float, typer.Option(min=0.1, max=1.0, help="Similarity from which builds are alike.")] = 0.7,
    csv: Annotated[Path | None, typer.Option(help="Also write every table into this directory.")] = None,
) -> None:
    """Clusters of builds that share code, files that many builds share, and how much of each build is scaffold."""
    from forensics.cli.frames import percent, show, write_csv
    from forensics.result_files import arrow_table, read_run
    from forensics.statistics.duplicates import clusters as joined
    from forensics.statistics.duplicates import scaffold_shares, shared_files, similar_pairs

    run = read_run(results)
    files = arrow_table(results, "files").to_pandas()
    hashes, how = _hashes(list(archive or run.archives), str(run.settings.get("layout", "auto")), files)
    pairs = similar_pairs(hashes, threshold)
    found, shared, scaffold = joined(pairs), shared_files(files), scaffold_shares(files)
    total = files["build"].nunique()
    typer.echo(f"{total:,} builds, compared by {how}; alike from a similarity of {threshold:.2f}")
    groups = found["cluster"].nunique()
    typer.echo(f"{len(found):,} of them in {groups:,} cluster{'' if groups == 1 else 's'} of near duplicates")
    if len(found):
        show(found.head(60), "Near-duplicate builds", {"similarity": lambda value: f"{value:.2f}"})
    everywhere = shared[shared["builds"] == total]
    typer.echo(f"{len(shared):,} files are in more than one build, {len(everywhere):,} in every build")
    if len(shared):
        show(shared.head(20).assign(sha256=shared["sha256"].str[:12]), "Shared files", {"share": percent})
    mean = scaffold["share"].mean() if len(scaffold) else 0.0
    typer.echo(
        f"unchanged scaffold (files that 80 % of the builds hold): {percent(mean)} of a build's bytes on average"
    )
    if csv is not None:
        frames = {"clusters": found, "pairs": pairs, "shared_files": shared, "scaffold": scaffold}
        for path in write_csv(frames, csv):
            typer.echo(f"wrote {path}", err=True)


def _hashes(archives: list[str], layout: str, files: pd.DataFrame) -> tuple[dict[str, frozenset[int]], str]:
    """What each build consists of: hashes of its runs of tokens, or, where the archives are gone, of its files."""
    from forensics.limits import Limits
    from forensics.records import InputError
    from forensics.sketches import build_hashes, is_sketched

    wanted = set(files["build"])
    found: dict[str, frozenset[int]] = {}
    try:
        for archive in archives:
            found.update(
                (build, hashes) for build, hashes in build_hashes(archive, layout, Limits()) if build in wanted
            )
    except InputError as error:
        typer.echo(f"note: {error}", err=True)
    if found.keys() == wanted:
        return found, "the tokens of their sources"
    typer.echo("note: the scanned archives are not there as they were (see --archive)", err=True)
    sources = files[(files["sha256"] != "") & files["path"].map(is_sketched)]
    by_build = sources.groupby("build")["sha256"]
    return {
        str(build): frozenset(int(value[:8], 16) for value in group) for build, group in by_build
    }, "whole files only"
