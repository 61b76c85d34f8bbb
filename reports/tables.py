"""CSV tables and a Markdown summary.

The CSVs are for spreadsheets and data frames: one row a build, a verdict, a finding, a launch path, a lost file. A
spreadsheet runs a cell that begins with =, +, - or @ as a formula, and cells come from hostile builds; such a cell
gets an apostrophe in front.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from forensics.records import SEVERITIES, InputError, Scalar
from forensics.results import BuildResult, ScanResult
from reports.hostile_text import clipped, encodable, one_line
from reports.ordering import counts, findings_in_order, plural, scanners_in_order, start_of
from reports.rates import Rate, has_error, rates_by_label

MOST_FINDINGS = 100  # of the Markdown summary
LONGEST_CELL = 300
FORMULA = ("=", "+", "-", "@", "\t", "\r")
STARTS = {"starts": "yes", "fails": "no", "unknown": "unknown", "none": "no path declared"}

Row = Sequence[Scalar]


def write_csv(result: ScanResult, directory: Path) -> None:
    """Writes builds.csv, verdicts.csv, findings.csv, launch_paths.csv, features.csv and errors.csv (UTF-8).

    Raises InputError where the folder can't be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, (header, rows) in _tables(result).items():
            (directory / name).write_bytes(_csv(header, rows))
    except OSError as error:
        raise InputError(f"{directory}: can't be written ({error.strerror})") from None


def write_markdown(result: ScanResult) -> str:
    """A summary for a pull request or a chat: counts, verdicts, rates by label, the first findings."""
    number = counts(result)
    errors, warnings, notes = (number.findings[severity] for severity in SEVERITIES)
    found = f"**{plural(errors, 'error')}**, {plural(warnings, 'warning')}, {plural(notes, 'note')}"
    apart = [f"{number.suppressed:,} suppressed", plural(number.unknown_verdicts, "unknown verdict")]
    apart.append(f"coverage lost in {plural(number.builds_with_lost_coverage, 'build')}")
    scanned = f"{plural(number.builds, 'build')} scanned: {found} in {plural(number.builds_with_findings, 'build')}"
    parts = ["# Build Forensics\n", f"{scanned}; {', '.join(apart)}.\n"]
    verdicts = _verdict_rows(result)
    if verdicts:
        parts.append("## Verdicts\n\n" + _markdown_table(("scanner", "status", "builds"), verdicts))
    for row in rates_by_label(result, has_error):
        rates = [
            (value or "(none)", f"{rate.count} of {rate.total}", *_percentages(rate)) for value, rate in row.values
        ]
        title = f"## Builds with an error, by {_cell(row.label)}\n\n"
        parts.append(title + _markdown_table((row.label, "builds", "rate", "95 % interval (Wilson)"), rates))
    findings = [
        (finding.severity, finding.rule, build.id, f"{finding.place.path}:{finding.place.line}", finding.message)
        for build in result.builds
        for finding in findings_in_order(build)
        if not finding.suppressed
    ]
    findings.sort(key=lambda row: SEVERITIES.index(row[0]))
    if findings:
        header = ("severity", "rule", "build", "place", "what goes wrong")
        parts.append("## Findings\n\n" + _markdown_table(header, findings[:MOST_FINDINGS]))
        if len(findings) > MOST_FINDINGS:
            parts.append(f"… and {len(findings) - MOST_FINDINGS:,} more.\n")
    reasons = Counter((v.scanner, v.reason) for build in result.builds for v in build.verdicts if v.status == "UNKNOWN")
    if reasons:
        rows = [(scanner, reason, count) for (scanner, reason), count in reasons.most_common(20)]
        parts.append("## Unknown verdicts\n\n" + _markdown_table(("scanner", "reason", "builds"), rows))
    return "\n".join(parts)


def _tables(result: ScanResult) -> dict[str, tuple[Row, Iterable[Row]]]:
    labels = list(dict.fromkeys(name for build in result.builds for name in build.labels))
    scanners = scanners_in_order(result)
    features = sorted({name for build in result.builds for name in build.features})
    builds = result.builds
    return {
        "builds.csv": (
            (
                *("build", "archive", *labels, *scanners, "comes_up", "errors", "warnings", "notes", "suppressed"),
                *("files", "bytes", "digest"),
            ),
            (_build_row(build, labels, scanners) for build in builds),
        ),
        "verdicts.csv": (
            ("build", "scanner", "status", "reason"),
            ((build.id, v.scanner, v.status, v.reason) for build in builds for v in build.verdicts),
        ),
        "findings.csv": (
            (
                *("build", "rule", "severity", "confidence", "path", "line", "column", "end_line", "end_column"),
                *("message", "fix", "suppressed", "fingerprint", "related"),
            ),
            (row for build in builds for row in _finding_rows(build)),
        ),
        "launch_paths.csv": (
            ("build", "name", "works", "command", "because"),
            ((b.id, path.name, path.works, path.command, path.because) for b in builds for path in b.launch_paths),
        ),
        "features.csv": (
            ("build", *labels, *features),
            (
                (b.id, *(b.labels.get(name) for name in labels), *(b.features.get(name) for name in features))
                for b in builds
            ),
        ),
        "errors.csv": (
            ("build", "path", "kind", "message"),
            ((build.id, error.path, error.kind, error.message) for build in builds for error in build.errors),
        ),
    }


def _build_row(build: BuildResult, labels: Sequence[str], scanners: Sequence[str]) -> Row:
    verdicts = {verdict.scanner: verdict.status for verdict in build.verdicts}
    severities = Counter(finding.severity for finding in build.findings if not finding.suppressed)
    return (
        build.id,
        build.archive,
        *(build.labels.get(name) for name in labels),
        *(verdicts.get(name) for name in scanners),
        STARTS[start_of(build.launch_paths)],
        severities["error"],
        severities["warning"],
        severities["note"],
        sum(bool(finding.suppressed) for finding in build.findings),
        build.file_count,
        build.byte_count,
        build.digest,
    )


def _finding_rows(build: BuildResult) -> Iterable[Row]:
    for finding in findings_in_order(build):
        place = finding.place
        yield (
            build.id,
            finding.rule,
            finding.severity,
            finding.confidence,
            place.path,
            place.line,
            place.column,
            place.end_line,
            place.end_column,
            finding.message,
            finding.fix,
            finding.suppressed,
            finding.fingerprint,
            " ".join(f"{other.path}:{other.line}" for other in finding.related),
        )


def _csv(header: Row, rows: Iterable[Row]) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([_harmless(name) for name in header])
    writer.writerows([_harmless(value) for value in row] for row in rows)
    return stream.getvalue().encode("utf-8")


def _harmless(value: Scalar) -> Scalar:
    """A cell that no spreadsheet takes for a formula, without NUL (which CSV readers refuse)."""
    if not isinstance(value, str):
        return {True: "true", False: "false"}[value] if isinstance(value, bool) else value
    text = encodable(value).replace("\0", "\\0")
    return f"'{text}" if text.startswith(FORMULA) else text


def _verdict_rows(result: ScanResult) -> list[Row]:
    tally = Counter((v.scanner, v.status) for build in result.builds for v in build.verdicts)
    order = scanners_in_order(result)
    rows = sorted(tally.items(), key=lambda item: (order.index(item[0][0]), -item[1], item[0][1]))
    return [(scanner, status, count) for (scanner, status), count in rows]


def _percentages(rate: Rate) -> tuple[str, str]:
    if not rate.total:
        return "–", "–"
    return f"{rate.share * 100:.1f} %", f"{rate.low * 100:.1f}–{rate.high * 100:.1f} %"


def _markdown_table(header: Sequence[str], rows: Iterable[Row]) -> str:
    lines = ["| " + " | ".join(_cell(name) for name in header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: Scalar) -> str:
    """Text that stays in its cell and is nothing but text or `code`: no HTML, no link, no image, no mention."""
    if not isinstance(value, str):
        return "" if value is None else str(value)
    parts = one_line(clipped(value, LONGEST_CELL)).split("`")
    if len(parts) % 2 == 0:
        return "\\`".join(map(_plain, parts))
    return "`".join(part.replace("|", "\\|") if odd % 2 else _plain(part) for odd, part in enumerate(parts))


def _plain(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    for sign in "|[]!*_~#":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("@", "@\u2060").replace("://", ":\u2060//")
