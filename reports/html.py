"""The HTML report: one file that opens offline, from `file://`, with or without JavaScript.

Everything a build says is hostile text: Jinja escapes it in the page, `page_data` in the embedded data, and the script
builds the rest from text nodes. The Content-Security-Policy admits this report's own script and style by their
SHA-256 and nothing else. The same result gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.resources.abc import Traversable
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape
from msgspec import Struct

from forensics.records import Rule, Scalar
from forensics.results import BuildResult, ScanResult
from reports.catalogue import entries, rules_not_found
from reports.comparison import compare
from reports.excerpts import excerpt
from reports.hostile_text import clipped, name, visible
from reports.ordering import Start, counts, findings_in_order, scanners_in_order, start_of, tone
from reports.page_data import embedded_data
from reports.rates import Rate, groupings, has_error, labels_of, rate, rates_by_label
from reports.rule_examples import examples_folder, read_examples
from reports.templates_folder import templates_folder

FIRST_FINDINGS = 50  # rendered into the page itself, for readers without JavaScript
FIRST_BUILDS = 100
MOST_REASONS = 100
MOST_ERRORS = 200
MOST_LABELS_SHOWN = 4
FAILED = frozenset({"scan-failed"})  # kinds of errors that cost the whole build
QUARANTINED = frozenset({"time-limit", "worker-died"})  # … because it stalled or killed the process that scanned it
STARTS: tuple[tuple[Start, str, str], ...] = (
    ("starts", "come up by a declared path", "ok"),
    ("fails", "fail by every declared path", "defect"),
    ("unknown", "can't be told", "unknown"),
    ("none", "declare no path", "neutral"),
)


class Figure(Struct, frozen=True):
    """A figure as SVG markup, shown as an image: its scripts never run and its styles stay its own."""

    svg: str
    caption: str


class StatisticsPart(Struct, frozen=True, kw_only=True):
    """One table or group of figures of the signatures section. Cells are text or numbers; `note` may hold `code`."""

    title: str
    note: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Scalar, ...], ...] = ()
    figures: tuple[Figure, ...] = ()


def write_html(
    result: ScanResult,
    rules: Mapping[str, Rule],
    statistics: tuple[StatisticsPart, ...] | None = None,
    examples: Path | Traversable | None = None,
) -> bytes:
    """The report as UTF-8.

    `rules` maps id to rule; `statistics` are the tables and figures of the signatures section (None: none were
    computed); `examples` is the folder of the rules' example builds (None: the one that ships with the scanners).
    """
    folder = templates_folder()
    style = (folder / "report.css").read_text(encoding="utf-8")
    script = (folder / "report.js").read_text(encoding="utf-8")
    environment = _environment(folder)
    encoding, data, left_out = embedded_data(result)
    text = environment.get_template("report.html.j2").render(
        policy=(
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        ),
        style=Markup(style),
        script=Markup(script),
        encoding=encoding,
        data=Markup(data),
        left_out=left_out,
        rules=rules,
        **_overview(result),
        **_catalogue(result, rules, examples or examples_folder()),
        **_tables(result),
        **_unknowns(result),
        comparisons=[compare(result, label) for label in groupings(result)],
        statistics=statistics or (),
        snippets=result.snippets,
        run=result.run,
    )
    return text.encode("utf-8", "backslashreplace")


def prose(text: str) -> Markup:
    """Text with `code` between backticks, escaped and made visible. Not Markdown: a build's words stand in it."""
    parts = clipped(visible(text), 3000).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    pieces = [Markup("<code>{}</code>").format(part) if odd % 2 else escape(part) for odd, part in enumerate(parts)]
    return Markup("").join(pieces)


def anchor(rule: str) -> str:
    """The permanent anchor of a rule: `rule-wiring-proxy-not-loaded`."""
    return "rule-" + re.sub(r"[^A-Za-z0-9]+", "-", rule)


def percent(share: float) -> str:
    """One decimal where it says something: 0.4 %, 12 %, 100 %."""
    value = share * 100
    return f"{value:.1f}\u202f%" if 0 < value < 9.95 else f"{value:.0f}\u202f%"


def interval(each: Rate) -> str:
    return f"{each.low * 100:.1f}–{each.high * 100:.1f}"


def _environment(folder: Traversable) -> Environment:
    def load(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    environment = Environment(
        loader=FunctionLoader(load),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., object]] = {
        "prose": prose,
        "anchor": anchor,
        "percent": percent,
        "interval": interval,
        "name": name,
        "message": lambda text: clipped(visible(text), 3000),
        "number": lambda value: f"{value:,}",
        "paragraphs": lambda text: [part for part in re.split(r"\n\s*\n", text) if part.strip()],
        "svg_data": lambda svg: "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii"),
        "cell": lambda value: (
            f"{value:.4g}" if isinstance(value, float) else "" if value is None else visible(str(value))
        ),
    }
    environment.filters.update(filters)
    environment.globals["excerpt"] = excerpt
    environment.globals["findings_in_order"] = findings_in_order
    return environment


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _overview(result: ScanResult) -> dict[str, object]:
    number = counts(result)
    starts = Counter(start_of(build.launch_paths) for build in result.builds)
    frequent = Counter(rule for build in result.builds for rule in {f.rule for f in build.findings if not f.suppressed})
    verdicts = [(scanner, _statuses(result, scanner)) for scanner in scanners_in_order(result)]
    return {
        "counts": number,
        "failed": sum(any(error.kind in FAILED for error in build.errors) for build in result.builds),
        "quarantined": sum(any(error.kind in QUARANTINED for error in build.errors) for build in result.builds),
        "skipped": sum(bool(error.path) for build in result.builds for error in build.errors),
        "starts": [(key, words, mood, starts[key]) for key, words, mood in STARTS if starts[key]],
        "start_counts": starts,
        "error_rate": rate(result.builds, has_error),
        "fail_rate": Rate(starts["fails"], len(result.builds)),
        "starts_bar": [(mood, starts[key]) for key, _, mood in STARTS],
        "verdicts": verdicts,
        "verdict_bars": {scanner: [(mood, count) for _, mood, count in listed] for scanner, listed in verdicts},
        "only_reasons": _only_reasons(result),
        "error_rates": rates_by_label(result, has_error),
        "frequent": sorted(frequent.items(), key=lambda item: (-item[1], item[0]))[:12],
    }


def _statuses(result: ScanResult, scanner: str) -> list[tuple[str, str, int]]:
    """(status, tone, number of builds) of a scanner: sound ones first, unknown ones last."""
    tally: Counter[tuple[str, str]] = Counter()
    for build in result.builds:
        for verdict in build.verdicts:
            if verdict.scanner == scanner:
                tally[verdict.status, tone(verdict, build)] += 1
    order = ("ok", "neutral", "defect", "unknown")
    merged: Counter[str] = Counter()
    moods: dict[str, str] = {}
    for (status, mood), count in sorted(tally.items(), key=lambda item: -item[1]):
        merged[status] += count
        moods.setdefault(status, mood)
    return sorted(
        ((status, moods[status], count) for status, count in merged.items()),
        key=lambda item: (order.index(item[1]), -item[2], item[0]),
    )


def _only_reasons(result: ScanResult) -> dict[str, str]:
    """Scanner to the one reason that all its verdicts share: it was not asked, no starter was given …"""
    reasons: dict[str, set[str]] = {}
    for build in result.builds:
        for verdict in build.verdicts:
            reasons.setdefault(verdict.scanner, set()).add(verdict.reason)
    return {scanner: min(given) for scanner, given in reasons.items() if len(given) == 1 and any(given)}


def _catalogue(result: ScanResult, rules: Mapping[str, Rule], folder: Path | Traversable) -> dict[str, object]:
    found = entries(result, rules)
    return {
        "entries": found,
        "entry_groups": [(scanner, list(listed)) for scanner, listed in groupby(found, lambda e: e.rule.scanner)],
        "examples": {entry.rule.id: read_examples(folder, entry.rule.id) for entry in found},
        "not_found": rules_not_found(result, rules),
    }


def _tables(result: ScanResult) -> dict[str, object]:
    first = [
        (build, finding) for build in result.builds for finding in findings_in_order(build) if not finding.suppressed
    ]
    first.sort(key=lambda item: ("error", "warning", "note").index(item[1].severity))
    labels = list(groupings(result))[:MOST_LABELS_SHOWN]
    return {
        "first_findings": first[:FIRST_FINDINGS],
        "first_builds": [_build_row(build, labels, result) for build in result.builds[:FIRST_BUILDS]],
        "all_findings": sum(len(build.findings) for build in result.builds),
        "label_columns": labels,
    }


def _build_row(build: BuildResult, labels: list[str], result: ScanResult) -> dict[str, object]:
    own = labels_of(build, result)
    severities = Counter(f.severity for f in build.findings if not f.suppressed)
    return {
        "id": build.id,
        "labels": [own.get(label, "") for label in labels],
        "start": start_of(build.launch_paths),
        "errors": severities["error"],
        "warnings": severities["warning"],
        "defects": [v for v in build.verdicts if tone(v, build) == "defect"],
        "unknown": [v for v in build.verdicts if v.status == "UNKNOWN"],
    }


def _unknowns(result: ScanResult) -> dict[str, object]:
    reasons: dict[tuple[str, str], list[str]] = {}
    for build in result.builds:
        for verdict in build.verdicts:
            if verdict.status == "UNKNOWN":
                reasons.setdefault((verdict.scanner, verdict.reason), []).append(build.id)
    grouped = sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))
    errors = [(build.id, error) for build in result.builds for error in build.errors]
    return {
        "reasons": [(scanner, reason, builds) for (scanner, reason), builds in grouped[:MOST_REASONS]],
        "reasons_left": len(grouped[MOST_REASONS:]),
        "error_kinds": sorted(Counter(error.kind for _, error in errors).items(), key=lambda item: (-item[1], item[0])),
        "errors": errors[:MOST_ERRORS],
        "errors_left": len(errors[MOST_ERRORS:]),
    }
