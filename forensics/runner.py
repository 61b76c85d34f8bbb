"""The scan of one build: facts, scanners, and the record of what they said."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from forensics.archive import BuildReference, OpenBuild, open_build
from forensics.cache import PackStore, key_of
from forensics.contexts import ContextRules, context_key
from forensics.limits import Limits
from forensics.records import BuildError, Finding, Scalar, Verdict
from forensics.results import BuildResult, FileSum, ReportedFinding, VerdictRow
from forensics.scanner import Context, Scanner
from forensics.snippets import place_of
from forensics.syntax.index import FileIndex, Lowered
from forensics.versions import rules_digest

if TYPE_CHECKING:
    from forensics.facts import Facts


class Scanned(Struct, frozen=True):
    """The record of one build with the excerpts that it refers to."""

    build: BuildResult
    snippets: dict[str, str]


class Caches:
    """What one process keeps: lowered files, and the results of builds that did not change."""

    def __init__(self, folder: str | None) -> None:
        self._ir = PackStore(f"{folder}/ir" if folder else None)
        self.results = PackStore(f"{folder}/results" if folder else None)
        self.lowered = Lowered(self._ir)

    def flush(self) -> None:
        self._ir.flush()
        self.results.flush()

    def tidy(self) -> None:
        self._ir.tidy()
        self.results.tidy()


def scan_reference(
    reference: BuildReference,
    caches: Caches,
    scanners: str,
    rules: ContextRules,
    limits: Limits,
    imported: Callable[[], None] = lambda: None,
) -> Scanned:
    """The record of the build that a reference points to, from the cache where nothing changed."""
    opened = open_build(reference, limits)
    return scan_build(opened, caches, scanners, rules.for_labels(reference.labels), imported)


def scanners_at(place: str) -> tuple[Scanner, ...]:
    """The scanners at a place, "module:attribute"."""
    module, _, attribute = place.partition(":")
    found: tuple[Scanner, ...] = getattr(import_module(module), attribute)
    return found


def scan_build(
    opened: OpenBuild, caches: Caches, scanners: str, context: Context, imported: Callable[[], None] = lambda: None
) -> Scanned:
    """The record of one build. A scanner that fails costs its own verdict, which becomes UNKNOWN.

    `scanners` says where they are; they are imported only where something has to be scanned, since a build that did not
    change is told in less time than the import takes. After the import `imported` is called: the build's time begins.

    The result is remembered by everything that it depends on: the build's files and what the archive said of them, the
    rules, the scanners asked and the context. Labels are not among them.
    """
    digest = opened.digest()
    key = key_of(
        "result",
        rules_digest(),
        scanners,
        context_key(context),
        digest,
        msgspec.msgpack.encode(
            (
                sorted(opened.build.folders),
                sorted(opened.build.unscanned),
                [path for path, entry in opened.build.files.items() if entry.executable],
                opened.build.errors,
                opened.limits,
                opened.reference.outer_dependencies,
            )
        ),
    )
    remembered = _remembered(caches, key)
    if remembered is None:
        found = scanners_at(scanners)
        imported()
        remembered = _scanned(opened, caches, found, context, digest)
        caches.results.put(key, msgspec.msgpack.encode(remembered))
    named = msgspec.structs.replace(
        remembered.build,
        id=opened.reference.id,
        archive=opened.reference.archive,
        labels=dict(sorted(opened.reference.labels.items())),
    )
    return Scanned(named, remembered.snippets)


def _remembered(caches: Caches, key: bytes) -> Scanned | None:
    blob = caches.results.get(key)
    if blob is None:
        return None
    try:
        return msgspec.msgpack.decode(blob, type=Scanned)
    except msgspec.DecodeError:
        return None


def _scanned(opened: OpenBuild, caches: Caches, scanners: Sequence[Scanner], context: Context, digest: str) -> Scanned:
    build = opened.build
    snippets: dict[str, str] = {}
    verdicts = _verdicts(opened, caches, scanners, context)
    features: dict[str, Scalar] = {}
    for verdict in verdicts:
        features.update({name: value for name, value in verdict.features.items() if value is not None})
    sums = opened.sums()
    return Scanned(
        BuildResult(
            id="",
            archive="",
            labels={},
            file_count=len(build.files),
            byte_count=sum(entry.size for entry in build.files.values()),
            digest=digest,
            verdicts=tuple(VerdictRow(scanner=v.scanner, status=v.status, reason=v.reason) for v in verdicts),
            findings=_reported(opened, [finding for verdict in verdicts for finding in verdict.findings], snippets),
            features=dict(sorted(features.items())),
            launch_paths=tuple(path for verdict in verdicts for path in verdict.launch_paths),
            errors=_distinct(build.errors),
            files=tuple(FileSum(path, entry.size, sums[path]) for path, entry in build.files.items()),
        ),
        dict(sorted(snippets.items())),
    )


def _verdicts(opened: OpenBuild, caches: Caches, scanners: Sequence[Scanner], context: Context) -> list[Verdict]:
    if not scanners:
        return []
    build = opened.build
    facts: Facts
    try:
        from forensics.facts import Facts

        facts = Facts(build, FileIndex(build, caches.lowered))
    except Exception as error:
        build.errors.append(_crash("the facts", error))
        return [Verdict(scanner=scanner.name, status="UNKNOWN", reason=_reason(error)) for scanner in scanners]
    verdicts = []
    for scanner in scanners:
        try:
            verdicts.append(scanner.scan(facts, context))
        except Exception as error:
            build.errors.append(_crash(f"the scanner {scanner.name}", error))
            verdicts.append(Verdict(scanner=scanner.name, status="UNKNOWN", reason=_reason(error)))
    return verdicts


def _reason(error: Exception) -> str:
    return f"the scan of this build failed ({type(error).__name__})"


def _crash(what: str, error: Exception) -> BuildError:
    """What is needed to find the bug: the error and the innermost calls; the build is named by its record."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    calls = ", ".join(f"{frame.name} ({frame.filename.rpartition('/')[2]}:{frame.lineno})" for frame in frames)
    message = f"{what} failed: {type(error).__name__}: {error}".splitlines()[0][:300]
    return BuildError(path="", kind="scanner-crash", message=f"{message}; in {calls}")


def _reported(opened: OpenBuild, findings: Sequence[Finding], snippets: dict[str, str]) -> tuple[ReportedFinding, ...]:
    """Findings in the order of rule and place, equal ones numbered so that none hides behind another's fingerprint."""
    seen: dict[tuple[str, str, str], int] = {}
    reported = []
    for finding in sorted(findings, key=_place_key):
        same = finding.rule, finding.location.path, finding.key
        occurrence = seen[same] = seen.get(same, -1) + 1
        reported.append(
            ReportedFinding(
                rule=finding.rule,
                severity=finding.severity,
                confidence=finding.confidence,
                message=finding.message,
                fix=finding.fix,
                place=place_of(opened.build, finding.location, snippets),
                related=tuple(place_of(opened.build, location, snippets) for location in finding.related),
                fingerprint=finding.fingerprint(occurrence),
                evidence=finding.evidence,
                edits=finding.edits,
                condition=finding.condition,
            )
        )
    return tuple(reported)


def _place_key(finding: Finding) -> tuple[str, str, int, int, str, str]:
    place = finding.location
    return finding.rule, place.path, place.line, place.column, finding.key, finding.message


def _distinct(errors: Sequence[BuildError]) -> tuple[BuildError, ...]:
    """Each loss once: that a refused file could not be read either says nothing new."""
    told = {error.path for error in errors if error.kind != "unreadable"}
    distinct = {
        (error.path, error.kind, error.message): error
        for error in errors
        if error.kind != "unreadable" or error.path not in told
    }
    return tuple(distinct[key] for key in sorted(distinct))


def lost_build(reference: BuildReference, scanners: str, kind: str, message: str, reason: str) -> Scanned:
    """The record of a build whose scan did not come to its end. Only this build is lost."""
    names = [scanner.name for scanner in scanners_at(scanners)]
    members = reference.listing.members if reference.listing else []
    return Scanned(
        BuildResult(
            id=reference.id,
            archive=reference.archive,
            labels=dict(sorted(reference.labels.items())),
            file_count=len(members),
            byte_count=sum(member.size for member in members),
            digest="",
            verdicts=tuple(VerdictRow(scanner=name, status="UNKNOWN", reason=reason) for name in names),
            findings=(),
            features={},
            launch_paths=(),
            errors=(BuildError(path="", kind=kind, message=message),),
        ),
        {},
    )
