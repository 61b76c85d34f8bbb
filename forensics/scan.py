"""A whole scan: archives in, one result out, in memory or on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field

from forensics import __version__
from forensics.archive import BuildReference, open_archive
from forensics.contexts import ContextRules
from forensics.engines import Engine, Shard
from forensics.layout import find_builds, joined_labels
from forensics.limits import Limits
from forensics.records import InputError, Scalar
from forensics.reduction import reduced
from forensics.results import SHARD_BUILDS, BuildResult, RunInfo, ScanResult, shard_name
from forensics.runner import Scanned
from forensics.versions import rules_digest
from forensics.workers import Setup

if TYPE_CHECKING:
    from forensics.engines.dask import Cluster


class Request(Struct, frozen=True, kw_only=True):
    """What to scan and how. `settings` is what the result says of how it was made, and nothing of the machine."""

    archives: list[str]
    layout: str = "auto"
    labels: tuple[str, str] | None = None  # name and text of the labels file
    label_id: str | None = None
    rules: ContextRules = field(default_factory=ContextRules)
    limits: Limits = field(default_factory=Limits)
    baseline: dict[str, list[str]] = field(default_factory=dict)
    cache: str | None = None
    jobs: int = 1
    out: str | None = None
    resume: bool = False
    keep: bool = True
    settings: dict[str, Scalar] = field(default_factory=dict)
    scanners: str = "scanners.registry:SCANNERS"


class Progress(Struct):
    """Told of the scan as it goes: `found(builds)` once, then `done(number)` as builds are finished."""

    found: Callable[[int], None] = lambda _: None
    done: Callable[[int], None] = lambda _: None


def scan(request: Request, progress: Progress | None = None, cluster: Cluster | None = None) -> ScanResult:
    """Scans every build of the archives.

    With `out` the result is written there shard by shard; with `keep` it is also given in memory, else the result that
    comes back has the run but no builds.

    Raises:
        InputError: an archive, layout, labels file or output folder that can't be used.
    """
    progress = progress or Progress()
    setup = Setup(cache=request.cache, rules=request.rules, limits=request.limits, scanners=request.scanners)
    run = RunInfo(
        version=__version__,
        rules_digest=rules_digest(),
        archives=tuple(request.archives),
        settings=dict(sorted(request.settings.items())),
    )
    with ExitStack() as opened:
        references = _references(request, opened)
        progress.found(len(references))
        if cluster is not None:
            from forensics.engines.dask import DaskEngine

            size = cluster.shard_builds(len(references))
            engine: Engine = DaskEngine(setup, cluster, request.out, request.baseline)
        else:
            from forensics.engines.local import LocalEngine

            size = SHARD_BUILDS
            engine = LocalEngine(setup, request.jobs, lambda: progress.done(1))
        shards = _shards(references, size, run, setup, request.baseline)
        result = _carried_out(request, run, engine, shards, progress, counts_shards=cluster is not None)
    if request.cache is not None and len(references) > 1:
        from forensics.runner import Caches

        Caches(request.cache).tidy()
    return result


def _references(request: Request, opened: ExitStack) -> list[BuildReference]:
    found: list[BuildReference] = []
    seen: dict[str, str] = {}
    for address in request.archives:
        archive = opened.enter_context(open_archive(address, request.limits))
        references = find_builds(archive, request.layout)
        archive.release()
        for reference in references:
            if reference.id in seen:
                raise InputError(
                    f"{address}: a build is called '{reference.id}', and so is one of {seen[reference.id]}; "
                    "scan the two apart, or the folder that holds both"
                )
        seen.update((reference.id, address) for reference in references)
        found += references
    if request.labels is not None:
        name, text = request.labels
        template = request.label_id or ("{task}/{condition}/runs/{run_id}" if request.layout == "study" else None)
        found = joined_labels(found, text, name, template, clean_models=request.layout == "study")
    return sorted(found, key=lambda reference: reference.id)


def _shards(
    references: Sequence[BuildReference], size: int, run: RunInfo, setup: Setup, baseline: Mapping[str, list[str]]
) -> list[Shard]:
    settings = msgspec.json.encode((run, setup.limits, setup.scanners, baseline), order="deterministic").decode()
    shards = []
    for first in range(0, len(references), size):
        part = list(references[first : first + size])
        shards.append(Shard(shard_name(((entry.id, entry.labels) for entry in part), settings), part))
    return shards


def _carried_out(
    request: Request, run: RunInfo, engine: Engine, shards: list[Shard], progress: Progress, *, counts_shards: bool
) -> ScanResult:
    if request.out is None:
        for shard in shards:
            engine.submit(shard)
        builds: list[BuildResult] = []
        snippets: dict[str, str] = {}
        for finished in engine.as_completed():
            for scanned in finished.scanned or ():
                marked = suppressed(scanned, request.baseline)
                builds.append(marked.build)
                snippets.update(marked.snippets)
            if counts_shards:
                progress.done(finished.builds)
        builds.sort(key=lambda build: build.id)
        return reduced(ScanResult(run=run, builds=tuple(builds), snippets=dict(sorted(snippets.items()))))

    from forensics import result_files

    out = Path(request.out)
    result_files.prepare(out, resume=request.resume)
    for shard in shards:
        if request.resume and result_files.finished_shard(out, shard.name) is not None:
            progress.done(len(shard.references))
        else:
            engine.submit(shard)
    for finished in engine.as_completed():
        if finished.scanned is not None:
            write_scanned(out, finished.name, finished.scanned, request.baseline)
        if counts_shards:
            progress.done(finished.builds)
    run = result_files.finish(out, [shard.name for shard in shards], run)
    return result_files.load(out, files=False) if request.keep else ScanResult(run=run, builds=())


def write_scanned(out: Path, name: str, scanned: Sequence[Scanned], baseline: Mapping[str, Sequence[str]]) -> None:
    """Writes a finished shard, its findings marked by the baseline."""
    from forensics import result_files

    marked = [suppressed(entry, baseline) for entry in scanned]
    snippets: dict[str, str] = {}
    for entry in marked:
        snippets.update(entry.snippets)
    result_files.write_shard(out, name, [entry.build for entry in marked], snippets)


def suppressed(scanned: Scanned, baseline: Mapping[str, Sequence[str]]) -> Scanned:
    """The record with the findings that the baseline knows marked so."""
    known = frozenset(baseline.get(scanned.build.id, ()))
    if not known:
        return scanned
    findings = tuple(
        msgspec.structs.replace(finding, suppressed="baseline")
        if finding.fingerprint in known and not finding.suppressed
        else finding
        for finding in scanned.build.findings
    )
    return Scanned(msgspec.structs.replace(scanned.build, findings=findings), scanned.snippets)
