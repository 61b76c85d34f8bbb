"""How many mechanical defects are found: each kind of `benchmarks.defects` put into builds that scan clean.

    python -m benchmarks.injection FOLDER... [--json FILE] [--missed]

Every build found in the folders (layout auto) is scanned by the wiring and datadir scanners. Those without a finding and
with a known verdict are clean; into each clean build every kind that has a place in it is put, one at a time, in memory,
and the build is scanned again. Printed per kind: builds that took it, those where an expected rule was reported, recall.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.defects import KINDS, Edits, Kind
from forensics.archive import open_archive, open_build
from forensics.build import Build, FileEntry
from forensics.cache import PackStore
from forensics.facts import Facts
from forensics.layout import find_builds
from forensics.limits import Limits
from forensics.records import InputError, Verdict
from forensics.scanner import Context
from forensics.syntax.index import FileIndex, Lowered
from scanners import datadir, wiring


@dataclass(frozen=True)
class Outcome:
    """One defect put into one build: `found` tells whether an expected rule was reported, `reported` which were."""

    build: str
    kind: str
    found: bool
    reported: tuple[str, ...]


def verdicts(facts: Facts) -> tuple[Verdict, Verdict]:
    """What the two scanners say."""
    return wiring.SCANNER.scan(facts, Context()), datadir.SCANNER.scan(facts, Context())


def is_clean(found: Iterable[Verdict]) -> bool:
    return all(verdict.status != "UNKNOWN" and not verdict.findings for verdict in found)


def edited(build: Build, edits: Edits) -> Build:
    """The build with some files changed, added or taken away."""
    entries = [entry for path, entry in build.files.items() if path not in edits]
    entries += [FileEntry(path, len(text)) for path, text in edits.items() if text is not None]

    def read(path: str) -> bytes:
        text = edits.get(path)
        return text if text is not None else build.read(path)

    return Build(build.id, build.labels, entries, read)


def outcomes(name: str, build: Build, lowered: Lowered, kinds: Iterable[Kind] = KINDS) -> list[Outcome] | None:
    """What is reported for each kind that has a place in the build; None where the build does not scan clean."""
    facts = Facts(build, FileIndex(build, lowered))
    if not is_clean(verdicts(facts)):
        return None
    found = []
    for kind in kinds:
        edits = kind.inject(facts)
        if edits is None:
            continue
        changed = edited(build, edits)
        after = verdicts(Facts(changed, FileIndex(changed, lowered)))
        reported = tuple(sorted({item.rule for verdict in after for item in verdict.findings}))
        found.append(Outcome(name, kind.name, not kind.expected.isdisjoint(reported), reported))
    return found


def builds_of(folders: Iterable[Path]) -> Iterable[tuple[str, Build]]:
    """Builds in folders, those that can't be read left out with a line on stderr."""
    limits = Limits()
    for folder in folders:
        try:
            references = find_builds(open_archive(str(folder), limits))
        except InputError as error:
            print(error, file=sys.stderr)
            continue
        for reference in references:
            yield f"{folder.name}/{reference.id}", open_build(reference, limits).build


def table(found: Iterable[Outcome]) -> list[tuple[str, int, int]]:
    """Per kind, in the order of KINDS: name, builds that took it, builds where it was found."""
    every = list(found)
    return [
        (
            kind.name,
            sum(outcome.kind == kind.name for outcome in every),
            sum(outcome.kind == kind.name and outcome.found for outcome in every),
        )
        for kind in KINDS
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Recall of mechanical defects put into builds that scan clean.")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--json", type=Path, help="write every outcome here")
    parser.add_argument("--missed", action="store_true", help="list the defects that were not found")
    options = parser.parse_args()
    lowered = Lowered(PackStore(None))
    found: list[Outcome] = []
    scanned = clean = 0
    for name, build in builds_of(options.folders):
        scanned += 1
        of_build = outcomes(name, build, lowered)
        if of_build is not None:
            clean += 1
            found.extend(of_build)
    print(f"{scanned} builds, {clean} of them clean")
    for kind, taken, seen in table(found):
        print(f"{kind:40} {seen:4} of {taken:4}  {seen / taken if taken else float('nan'):.2f}")
    if options.missed:
        for outcome in found:
            if not outcome.found:
                print(f"missed: {outcome.kind} in {outcome.build}: {', '.join(outcome.reported) or 'nothing reported'}")
    if options.json is not None:
        options.json.write_text(
            json.dumps([[outcome.build, outcome.kind, outcome.found, outcome.reported] for outcome in found], indent=1)
        )


if __name__ == "__main__":
    main()
