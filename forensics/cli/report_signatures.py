"""The signatures of a result set as parts of its HTML report."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from forensics.records import InputError

if TYPE_CHECKING:
    from forensics.results import ScanResult
    from reports.html import StatisticsPart

LABELS = ("model", "condition")
"""Labels whose signatures a report shows where builds carry them, in order of interest."""

FEWEST_BUILDS = 8


def signature_parts_of(folder: Path, result: ScanResult) -> tuple[StatisticsPart, ...] | None:
    """Association tables, profiles and figures by the labels in `LABELS` that have at least two values; None where no
    such label, too few builds or not the extra `statistics` is there, or where the labels can't be told apart."""
    by = [name for name in LABELS if len({build.labels.get(name, "") for build in result.builds} - {""}) > 1]
    if not by or len(result.builds) < FEWEST_BUILDS:
        return None
    try:
        from forensics.cli.signatures import distances
        from forensics.statistics.analysis import analyse
        from forensics.statistics.tables import read_builds
        from reports.signature_parts import signature_parts
    except ModuleNotFoundError:
        return None
    try:
        table = read_builds(folder, labels=by)
        analysis = analyse(table, by)
        return signature_parts(analysis, distances(table, analysis))
    except InputError:
        return None


def signature_parts_in_memory(result: ScanResult) -> tuple[StatisticsPart, ...] | None:
    """The same for a result that was not written."""
    from forensics.result_files import save

    with TemporaryDirectory() as folder:
        save(result, Path(folder) / "results")
        return signature_parts_of(Path(folder) / "results", result)
