"""What the script of the HTML report reads: a table of distinct strings and columns of integers that point into it.

The same message, path or excerpt stands in the file once, however many findings share it. Excerpts are cut here (a line
of a bundle can be 100 kB), and the marked part is given as offsets into what is left.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping

import msgspec

from forensics.records import SEVERITIES, Severity
from forensics.results import BuildResult, Place, ScanResult
from reports.excerpts import ExcerptLine, excerpt
from reports.hostile_text import clipped, name, visible
from reports.ordering import findings_in_order, scanners_in_order, start_of, tone
from reports.rates import labels_of

BUDGET = 8_000_000  # bytes of embedded text; with catalogue, style and script the file stays below 10 MB
COMPRESSED_FROM = 2_000_000  # bytes of JSON
LONGEST_MESSAGE = 3000
MOST_EVIDENCE = 40
CONFIDENCES = ("high", "medium", "low")
TONES = ("ok", "defect", "unknown", "neutral")
STARTS = ("starts", "fails", "unknown", "none")


class _Strings:
    """Numbers distinct strings in the order they come."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._seen: dict[tuple[str, int], int] = {}  # raw text and limit (0: a name), to make each visible once

    def __call__(self, text: str, limit: int = LONGEST_MESSAGE) -> int:
        if (text, limit) not in self._seen:
            self._seen[text, limit] = self.numbers.setdefault(visible(clipped(text, limit)), len(self.numbers))
        return self._seen[text, limit]

    def name(self, text: str) -> int:
        """For what must stay on one line: ids, paths, labels, commands."""
        if (text, 0) not in self._seen:
            self._seen[text, 0] = self.numbers.setdefault(name(text), len(self.numbers))
        return self._seen[text, 0]


def embedded_data(result: ScanResult) -> tuple[str, str, int]:
    """(encoding, text, findings left out) of the data for the page.

    Beyond the budget the least severe findings are left out until the rest fits.
    """
    total = sum(len(build.findings) for build in result.builds)
    kept = total
    while True:
        encoding, text = embedded(page_data(result, kept))
        if len(text) <= BUDGET or not kept:
            return encoding, text, total - kept
        kept = min(kept - 1, int(kept * BUDGET / len(text) * 0.95))


def page_data(result: ScanResult, most: int | None = None) -> dict[str, object]:
    """The document that report.js reads; its shape is described there. At most `most` findings, the severest."""
    strings = _Strings()
    strings("")
    findings, places = _findings(result, strings, most)
    builds = _builds(result, strings)
    return {"strings": list(strings.numbers), "builds": builds, "findings": findings, "places": places}


def embedded(document: Mapping[str, object]) -> tuple[str, str]:
    """(encoding, text) for a `<script type="application/json">`: "json", or "gzip" in base64 where that is large."""
    encoded = msgspec.json.encode(document)
    if len(encoded) < COMPRESSED_FROM:
        text = encoded.decode("utf-8")
        for sign in "<>&\u2028\u2029":
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        return "json", text
    return "gzip", base64.b64encode(gzip.compress(encoded, 6, mtime=0)).decode("ascii")


def _builds(result: ScanResult, strings: _Strings) -> dict[str, object]:
    builds = result.builds
    label_names = list(dict.fromkeys(name for build in builds for name in labels_of(build, result)))
    feature_names = sorted({name for build in builds for name in build.features})
    scanners = scanners_in_order(result)
    verdicts: dict[str, dict[str, list[int]]] = {
        scanner: {"status": [], "tone": [], "reason": []} for scanner in scanners
    }
    for build in builds:
        given = {verdict.scanner: verdict for verdict in build.verdicts}
        for scanner, columns in verdicts.items():
            verdict = given.get(scanner)
            columns["status"].append(strings(verdict.status) if verdict else 0)
            columns["tone"].append(TONES.index(tone(verdict, build)) if verdict else 3)
            columns["reason"].append(strings(verdict.reason) if verdict else 0)

    def feature(value: object) -> object:
        # A string is a number of the string table, told from a numeric value by standing in a list.
        return [strings.name(value)] if isinstance(value, str) else value

    return {
        "id": [strings.name(build.id) for build in builds],
        "archive": [strings.name(build.archive) for build in builds],
        "files": [build.file_count for build in builds],
        "bytes": [build.byte_count for build in builds],
        "digest": [strings(build.digest) for build in builds],
        "labels": [
            {
                "name": strings.name(name),
                "value": [strings.name(labels_of(build, result).get(name, "")) for build in builds],
            }
            for name in label_names
        ],
        "verdicts": [{"scanner": strings(scanner), **columns} for scanner, columns in verdicts.items()],
        "errors_found": [_counted(build, "error") for build in builds],
        "warnings_found": [_counted(build, "warning") for build in builds],
        "rules_found": [
            sorted({strings.name(finding.rule) for finding in build.findings if not finding.suppressed})
            for build in builds
        ],
        "start": [STARTS.index(start_of(build.launch_paths)) for build in builds],
        "launch": [
            [
                [
                    strings.name(path.name),
                    {True: 1, False: 0, None: 2}[path.works],
                    strings.name(path.command),
                    strings(path.because),
                    [strings.name(step) for step in path.steps],
                ]
                for path in build.launch_paths
            ]
            for build in builds
        ],
        "features": [
            {"name": strings.name(name), "value": [feature(build.features.get(name)) for build in builds]}
            for name in feature_names
        ],
        "errors": [
            [[strings.name(e.path), strings.name(e.kind), strings(e.message)] for e in build.errors] for build in builds
        ],
    }


def _findings(
    result: ScanResult, strings: _Strings, most: int | None
) -> tuple[dict[str, list[object]], dict[str, list[int]]]:
    names = ("build", "rule", "severity", "confidence", "message", "fix", "suppressed", "fingerprint", "place")
    columns: dict[str, list[object]] = {name: [] for name in (*names, "related", "evidence")}
    places = _Places(result, strings)
    allowed = _severest(result, most)
    for number, build in enumerate(result.builds):
        for finding in findings_in_order(build):
            if allowed is not None and (number, finding.fingerprint) not in allowed:
                continue
            columns["build"].append(number)
            columns["rule"].append(strings.name(finding.rule))
            columns["severity"].append(SEVERITIES.index(finding.severity))
            columns["confidence"].append(CONFIDENCES.index(finding.confidence))
            columns["message"].append(strings(finding.message))
            columns["fix"].append(strings(finding.fix))
            columns["suppressed"].append(strings.name(finding.suppressed))
            columns["fingerprint"].append(strings(finding.fingerprint))
            columns["place"].append(places.add(finding.place))
            columns["related"].append([places.add(place) for place in finding.related])
            columns["evidence"].append([strings(step) for step in finding.evidence[:MOST_EVIDENCE]])
    return columns, places.columns


def _counted(build: BuildResult, severity: Severity) -> int:
    return sum(finding.severity == severity and not finding.suppressed for finding in build.findings)


def _severest(result: ScanResult, most: int | None) -> set[tuple[int, str]] | None:
    """(build, fingerprint) of the findings to keep; None: all."""
    if most is None or most >= sum(len(build.findings) for build in result.builds):
        return None
    ranked = [
        (bool(finding.suppressed), SEVERITIES.index(finding.severity), number, finding.fingerprint)
        for number, build in enumerate(result.builds)
        for finding in build.findings
    ]
    return {(number, fingerprint) for _, _, number, fingerprint in sorted(ranked)[:most]}


class _Places:
    """Collects distinct places in columns. `mark` and `mark_end` are offsets into the cut first line of the place."""

    def __init__(self, result: ScanResult, strings: _Strings) -> None:
        self.snippets = result.snippets
        self.strings = strings
        self.numbers: dict[Place, int] = {}
        names = ("path", "line", "column", "end_line", "message", "snippet", "snippet_line", "mark", "mark_end", "last")
        self.columns: dict[str, list[int]] = {name: [] for name in names}

    def add(self, place: Place) -> int:
        if place in self.numbers:
            return self.numbers[place]
        lines = [
            ExcerptLine(line.number, visible(line.before), visible(line.marked), visible(line.after))
            for line in excerpt(place, self.snippets)
        ]
        first = next((line for line in lines if line.number == place.line), None)
        last = next((line for line in lines if line.number == place.end_line), None)
        mark = len(first.before) if first else 0
        columns = self.columns
        columns["path"].append(self.strings.name(place.path))
        columns["line"].append(place.line)
        columns["column"].append(place.column)
        columns["end_line"].append(place.end_line)
        columns["message"].append(self.strings(place.message))
        columns["snippet"].append(self.strings("\n".join(line.text for line in lines), 1_000_000))
        columns["snippet_line"].append(place.snippet_line)
        columns["mark"].append(mark)
        columns["mark_end"].append(mark + len(first.marked) if first else 0)
        columns["last"].append(len(last.before) + len(last.marked) if last else 0)
        self.numbers[place] = len(self.numbers)
        return self.numbers[place]
