"""What `forensics scan` prints for a person: grouped by build, what goes wrong first at the top.

Colour, width and `NO_COLOR` are the console's business (rich). In a pipe nothing is wrapped and no line is cut to a
width, so that `grep` and editors see whole messages and `path:line:column`.
"""

from __future__ import annotations

import shlex
from collections import Counter

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from forensics.records import LaunchPath, Severity
from forensics.results import BuildResult, Place, ReportedFinding, ScanResult
from reports.excerpts import ExcerptLine, excerpt
from reports.hostile_text import clipped, encodable, one_line, visible
from reports.ordering import Counts, counts, findings_in_order, plural, scanners_in_order, start_of, tone

SEVERITY_STYLE: dict[Severity, str] = {"error": "bold red", "warning": "bold yellow", "note": "bold blue"}
TONE_STYLE = {"ok": "green", "defect": "red", "unknown": "yellow", "neutral": "dim"}
LONGEST_MESSAGE = 2000
LONGEST_NAME = 300
MOST_BUILDS = 20  # of an archive, with their findings, before --verbose or a report is the better way to read on
TAB = "    "


def print_result(result: ScanResult, console: Console, verbose: bool) -> None:
    """Prints builds with findings, their verdicts, a closing line with counts and the next command.

    `verbose` prints every build, and the chain of evidence of each finding.
    """
    printer = _Printer(result, console, verbose)
    shown = [build for build in result.builds if verbose or len(result.builds) == 1 or _has_something(build)]
    first = shown if verbose else shown[:MOST_BUILDS]
    for build in first:
        printer.build(build)
    if len(shown) > len(first):
        left = len(shown) - len(first)
        printer.line(f"… and {plural(left, 'more build')} with findings: --html FILE shows all, --verbose prints all.")
        printer.line()
    printer.closing(counts(result))


def _has_something(build: BuildResult) -> bool:
    return any(not finding.suppressed for finding in build.findings) or bool(build.errors)


def _unknown_everywhere(result: ScanResult) -> dict[str, str]:
    """Scanners that say UNKNOWN of every build for one reason (no contract was given): said once, not for each."""
    if len(result.builds) < 2:
        return {}
    told = {
        scanner: {(v.status, v.reason) for build in result.builds for v in build.verdicts if v.scanner == scanner}
        for scanner in scanners_in_order(result)
    }
    return {
        scanner: reason
        for scanner, verdicts in told.items()
        for status, reason in verdicts
        if len(verdicts) == 1 and status == "UNKNOWN"
    }


class _Printer:
    """Writes lines to the console; holds what every line needs: the width, the symbols, the snippets."""

    def __init__(self, result: ScanResult, console: Console, verbose: bool) -> None:
        self.result = result
        self.console = console
        self.verbose = verbose
        self.unknown_everywhere = _unknown_everywhere(result)
        self.ascii_only = not console.encoding.lower().startswith("utf")

    def line(self, *parts: str | tuple[str, str], indent: int = 0) -> None:
        """One logical line: wrapped with its indent on a terminal, left whole in a pipe."""
        text = Text()
        for part in parts:
            words, style = part if isinstance(part, tuple) else (part, "")
            text.append(encodable(words), style)
        if self.ascii_only:
            text = Text.assemble(*((_as_ascii(span), style) for span, style in _pieces(text)))
        if self.console.is_terminal and cell_len(text.plain) + indent > self.console.width:
            lines = text.wrap(self.console, max(self.console.width - indent, 20))
        else:
            lines = text.split("\n", allow_blank=True)
        for one in lines:
            one.rstrip()
            self._raw(Text(" " * indent) + one if one.plain else one)

    def _raw(self, text: Text) -> None:
        self.console.print(text, soft_wrap=True, highlight=False, markup=False, emoji=False)

    def build(self, build: BuildResult) -> None:
        labels = " · ".join(f"{_name(key)} {_name(value)}" for key, value in build.labels.items())
        self.line((_name(build.id), "bold underline"), ("   " + labels if labels else "", "dim"))
        self._verdicts(build)
        for finding in findings_in_order(build):
            self.line()
            if finding.suppressed and not self.verbose:
                self._suppressed(finding)
            else:
                self._finding(finding)
        if build.launch_paths:
            self.line()
            self._launch(build.launch_paths)
        for error in build.errors:
            self.line()
            where = f" {_name(error.path)}" if error.path else ""
            self.line((f"not read ({_name(error.kind)})", "bold magenta"), where, indent=2)
            self.line(_message(error.message), indent=4)
        self.line()

    def _verdicts(self, build: BuildResult) -> None:
        parts: list[str | tuple[str, str]] = []
        for verdict in build.verdicts:
            parts += [" · "] if parts else []
            parts += [(verdict.scanner + " ", "dim"), (verdict.status, TONE_STYLE[tone(verdict, build)])]
        if parts:
            self.line(*parts, indent=2)
        for verdict in build.verdicts:
            if verdict.scanner in self.unknown_everywhere:
                continue
            if verdict.status == "UNKNOWN" or (self.verbose and verdict.reason):
                reason = _message(verdict.reason) or "no reason given"
                self.line((f"{verdict.scanner} {verdict.status}: ", "yellow"), reason, indent=4)

    def _finding(self, finding: ReportedFinding) -> None:
        style = SEVERITY_STYLE[finding.severity]
        extra = "" if finding.confidence == "high" else f" {finding.confidence} confidence"
        if finding.suppressed:
            style, extra = "dim", f"{extra} suppressed by {_name(finding.suppressed)}"
        self.line((finding.severity, style), (f"[{_name(finding.rule)}]{extra}", style.removeprefix("bold ")), indent=2)
        self.line((_message(finding.message), "bold"), indent=4)
        gutter = max(len(str(place.end_line + 2)) for place in (finding.place, *finding.related))
        self._place(finding.place, "-->", style, gutter)
        for place in finding.related:
            self._place(place, ":::", "cyan", gutter)
        if finding.fix:
            self.line(("fix: ", "bold green"), _message(finding.fix), indent=4)
        if self.verbose:
            for step in finding.evidence:
                self.line(("because: ", "dim"), _message(step), indent=4)
            self.line(("fingerprint: ", "dim"), finding.fingerprint, indent=4)

    def _suppressed(self, finding: ReportedFinding) -> None:
        place = f"{_name(finding.place.path)}:{finding.place.line}:{finding.place.column}"
        by = f"suppressed by {_name(finding.suppressed)}"
        self.line((f"{finding.severity}[{_name(finding.rule)}] {place} {by}", "dim"), indent=2)

    def _place(self, place: Place, arrow: str, style: str, gutter: int) -> None:
        position = f":{place.line}:{place.column}" if place.line else ""
        lines = excerpt(place, self.result.snippets)
        margin = " " * (gutter + 4)
        said = f"  {_message(place.message)}" if place.message else ""
        self.line((margin[:-1] + arrow + " ", "blue"), (_name(place.path) + position, "cyan"), said)
        if not lines:
            return
        self._raw(Text(margin + "|", "blue"))
        for line in lines:
            self._source(line, gutter, style)
        self._raw(Text(margin + "|", "blue"))

    def _source(self, line: ExcerptLine, gutter: int, style: str) -> None:
        before, marked, after = (visible(part).replace("\t", TAB) for part in (line.before, line.marked, line.after))
        room = self.console.width - gutter - 6 if self.console.is_terminal else 10_000
        number = Text.assemble((f"   {line.number:>{gutter}} | ", "blue"))
        source = Text.assemble(encodable(before), (encodable(marked), style), encodable(after))
        if self.ascii_only:
            source = Text.assemble(*((_as_ascii(span), each) for span, each in _pieces(source)))
        if cell_len(source.plain) > room:
            source.truncate(max(room, 20), overflow="ellipsis" if not self.ascii_only else "crop")
        whole = number + source
        whole.rstrip()
        self._raw(whole)
        if marked:
            start = cell_len(before)
            width = max(1, min(cell_len(marked), room - start))
            if start < room:
                self._raw(Text.assemble((" " * (gutter + 4) + "| ", "blue"), (" " * start + "^" * width, style)))

    def _launch(self, paths: tuple[LaunchPath, ...]) -> None:
        says = {
            "starts": ("comes up", "green"),
            "fails": ("does not come up by any declared path", "red"),
            "unknown": ("can't be told whether it comes up", "yellow"),
            "none": ("", ""),
        }
        self.line(("launch: ", "bold"), says[start_of(paths)], indent=2)
        for path in paths:
            word, style = {True: ("works", "green"), False: ("fails", "red"), None: ("unknown", "yellow")}[path.works]
            command = f"{'comes up with ' if path.works is False else ''}{_name(path.command)}" if path.command else ""
            self.line((f"{_name(path.name):<8}", "bold"), (f"{word:<9}", style), command, indent=4)
            if path.because:
                self.line((_message(path.because), "dim"), indent=12)

    def closing(self, number: Counts) -> None:
        errors, warnings, notes = (number.findings[severity] for severity in ("error", "warning", "note"))
        parts: list[str | tuple[str, str]] = [
            (f"{plural(number.builds, 'build')} scanned: ", "bold"),
            (plural(errors, "error"), "bold red" if errors else "green"),
            ", ",
            (plural(warnings, "warning"), "bold yellow" if warnings else "green"),
            ", ",
            plural(notes, "note"),
        ]
        if number.builds > 1:
            parts.append(f" in {plural(number.builds_with_findings, 'build')}")
        if number.suppressed:
            parts.append(f"; {number.suppressed} suppressed")
        if number.unknown_verdicts:
            parts.append(f"; {plural(number.unknown_verdicts, 'verdict')} unknown")
        if number.builds_with_lost_coverage:
            parts.append(f"; coverage lost in {plural(number.builds_with_lost_coverage, 'build')}")
        self.line(*parts, ".")
        for scanner, reason in self.unknown_everywhere.items():
            self.line((f"{scanner} UNKNOWN of every build: ", "yellow"), _message(reason))
        self.line(("next: ", "bold"), self._next_command())

    def _next_command(self) -> str:
        tally = Counter(
            (finding.severity != "error", finding.rule)
            for build in self.result.builds
            for finding in build.findings
            if not finding.suppressed
        )
        if len(self.result.builds) > 1 or not tally:
            archives = " ".join(shlex.quote(_name(archive)) for archive in self.result.run.archives)
            return f"forensics scan {archives} --html report.html"
        _, rule = min(tally, key=lambda key: (key[0], -tally[key], key[1]))
        return f"forensics explain {_name(rule)}"


def _name(text: str) -> str:
    return clipped(one_line(text), LONGEST_NAME)


def _message(text: str) -> str:
    return clipped(visible(text), LONGEST_MESSAGE)


def _pieces(text: Text) -> list[tuple[str, str]]:
    """The text as (string, style) pairs: as `Text.assemble` takes them."""
    spans = sorted(text.spans, key=lambda span: span.start)
    pieces: list[tuple[str, str]] = []
    position = 0
    for span in spans:
        pieces.append((text.plain[position : span.start], ""))
        pieces.append((text.plain[span.start : span.end], str(span.style)))
        position = span.end
    pieces.append((text.plain[position:], ""))
    return pieces


def _as_ascii(text: str) -> str:
    """For a console that can't show more: our own signs get ASCII ones, the build's characters become escapes."""
    for sign, plain in (("…", "..."), ("·", "-"), ("’", "'"), ("–", "-")):
        text = text.replace(sign, plain)
    return text.encode("ascii", "backslashreplace").decode("ascii")
