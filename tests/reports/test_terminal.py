"""The whole rendered output, as a person sees it."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.console import Console

from forensics.records import BuildError
from forensics.results import BuildResult, Place, ScanResult, VerdictRow
from reports.terminal import print_result

PIPED = """\
calendar-week-view/boot_check/runs/21   task calendar-week-view · condition boot_check · model claude-4.8-opus
  wiring PROXY_NOT_LOADED · datadir WILL-FAIL · runtime OK

  error[wiring/proxy-not-loaded]
    The calendar stays empty: `vite client` runs in client/, where no config is, so `/api/events` answers with the page itself instead of JSON.
     --> package.json:8:19
      |
    6 |   "scripts": {
    7 |     "dev:server": "node server/index.js",
    8 |     "dev:client": "vite client --port 5173",
      |                   ^^^^^^^^^^^^^^^^^^^^^^^^^
    9 |     "dev": "concurrently \\"npm:dev:server\\" \\"npm:dev:client\\""
   10 |   },
      |
     ::: vite.config.js:6:14  this proxy is never loaded
      |
    4 | export default defineConfig({
    5 |   server: {
    6 |     proxy: { '/api': 'http://localhost:3001' },
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    7 |   },
    8 | });
      |
     ::: client/api.js:12:26  this call needs it
      |
   11 | export async function loadEvents(week) {
   12 |   const response = await fetch(`/api/events?week=${week}`);
      |                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   13 |   return response.json();
   14 | }
      |
    fix: Run `vite client --config vite.config.js`.

  error[datadir/missing-parent]
    The server dies at its first start with ENOENT: PGlite makes state/wall/pg but not state/wall, and nothing creates that.
    --> server/db.js:4:19
     |
   1 | import { PGlite } from '@electric-sql/pglite';
   2 |
   3 | const dataDir = path.join(__dirname, '..', 'state', 'wall', 'pg');
   4 | export const db = new PGlite(dataDir);
     |                   ^^^^^^^^^^^^^^^^^^^
     |
    fix: Before it: `mkdirSync('state/wall', { recursive: true })`.

  warning[runtime/event-name-mismatch] medium confidence
    Live updates never arrive: the page listens for `update`, the server sends `changed`.
     --> client/live.js:30:25
      |
   30 | source.addEventListener('update', refresh);
      |                         ^^^^^^^^
      |

  launch: can't be told whether it comes up
    dev     fails    comes up with npx vite client --config vite.config.js
            vite looks for its config in client/ only
    start   unknown
            the output folder comes from OUT_DIR

kanban-board/static/runs/3   task kanban-board · condition static · model gpt-5.5
  wiring OK · datadir UNKNOWN · runtime OK
    datadir UNKNOWN: the path comes from DATA_DIR, which nothing sets

  warning[datadir/missing-parent] scripts/seed.js:3:25 suppressed by baseline

  launch: comes up
    dev     works    npm run dev
            the proxy reaches the server on port 3001

  not read (limit) dist/bundle.js
    21,000,000 bytes; the limit is 16,000,000

3 builds scanned: 2 errors, 1 warning, 0 notes in 1 build; 1 suppressed; 1 verdict unknown; coverage lost in 1 build.
next: forensics scan studies.tar.gz --html report.html
"""


def printed(
    result: ScanResult, *, verbose: bool = False, width: int | None = None, color: bool = False, encoding: str = "utf-8"
) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    console = Console(
        file=stream,
        force_terminal=width is not None,
        width=width,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
    )
    print_result(result, console, verbose)
    stream.flush()
    return raw.getvalue().decode(encoding)


def only(result: ScanResult, build: BuildResult) -> ScanResult:
    return msgspec.structs.replace(result, builds=(build,))


def test_a_pipe_gets_whole_lines(result: ScanResult) -> None:
    assert printed(result) == PIPED


def test_a_terminal_gets_its_width(result: ScanResult) -> None:
    output = printed(result, width=60)
    assert all(len(line) <= 60 for line in output.splitlines())
    assert (
        "    The calendar stays empty: `vite client` runs in client/,\n"
        "    where no config is, so `/api/events` answers with the\n"
        "    page itself instead of JSON.\n"
    ) in output


def test_colour_marks_severity_and_status(result: ScanResult) -> None:
    output = printed(result, width=120, color=True)
    assert "\x1b[1;31merror\x1b[0m\x1b[31m[wiring/proxy-not-loaded]" in output
    assert "\x1b[31mPROXY_NOT_LOADED\x1b[0m" in output
    assert "\x1b[33mUNKNOWN\x1b[0m" in output


def test_no_colour_when_it_is_not_wanted(result: ScanResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = io.StringIO()
    print_result(result, Console(file=stream, force_terminal=True, width=100), False)
    assert "\x1b[3" not in stream.getvalue()


def test_verbose_gives_the_chain_of_evidence_and_every_build(result: ScanResult) -> None:
    output = printed(result, verbose=True)
    assert "    because: dev:client starts vite with root client/\n" in output
    assert "kanban-board/static/runs/4" in output
    assert "    fingerprint: " in output


def test_verbose_gives_suppressed_findings_in_full(result: ScanResult) -> None:
    output = printed(result, verbose=True)
    assert "  warning[datadir/missing-parent] suppressed by baseline\n    The seed script dies with ENOENT" in output


def test_what_is_unknown_of_every_build_is_said_once(result: ScanResult) -> None:
    unasked = VerdictRow(scanner="stack", status="UNKNOWN", reason="no contract given")
    builds = tuple(msgspec.structs.replace(build, verdicts=(*build.verdicts, unasked)) for build in result.builds)
    output = printed(msgspec.structs.replace(result, builds=builds))
    assert output.count("no contract given") == 1
    assert "stack UNKNOWN of every build: no contract given\nnext: " in output
    assert "    stack UNKNOWN: no contract given\n" in printed(only(result, builds[0]))


def test_one_build_without_findings_still_shows_its_verdicts(result: ScanResult) -> None:
    assert (
        printed(only(result, result.builds[2]))
        == """\
kanban-board/static/runs/4   task kanban-board · condition static · model claude-4.8-opus
  wiring OK · datadir OK-MKDIR · runtime OK

  launch: comes up
    dev     works    npm run dev
            the proxy reaches the server on port 3001

1 build scanned: 0 errors, 0 warnings, 0 notes.
next: forensics scan studies.tar.gz --html report.html
"""
    )


def test_the_next_command_for_one_build_explains_its_first_rule(result: ScanResult) -> None:
    assert printed(only(result, result.builds[0])).endswith("next: forensics explain datadir/missing-parent\n")


def test_many_builds_are_cut_short_with_a_pointer(result: ScanResult) -> None:
    first = result.builds[0]
    many = tuple(msgspec.structs.replace(first, id=f"app-{number:02}") for number in range(25))
    output = printed(msgspec.structs.replace(result, builds=many))
    assert "app-19" in output
    assert "app-20" not in output
    assert "… and 5 more builds with findings: --html FILE shows all, --verbose prints all.\n" in output


def test_hostile_text_reaches_no_terminal(result: ScanResult) -> None:
    hostile = "\x1b]0;owned\x07[red]x\u202e"
    build = result.builds[0]
    finding = msgspec.structs.replace(
        build.findings[1],
        message=hostile,
        fix=hostile,
        place=Place(
            path=hostile, line=1, column=1, end_line=1, end_column=4, message=hostile, snippet="h", snippet_line=1
        ),
    )
    bad = msgspec.structs.replace(
        build,
        id=hostile,
        labels={hostile: hostile},
        findings=(finding,),
        verdicts=(VerdictRow(scanner="wiring", status="UNKNOWN", reason=hostile),),
        errors=(BuildError(path=hostile, kind=hostile, message=hostile),),
    )
    output = printed(msgspec.structs.replace(only(result, bad), snippets={"h": hostile}), width=300)
    assert "\x1b" not in output
    assert "\x07" not in output
    assert "\u202e" not in output
    assert "\\u{1b}]0;owned\\u{7}[red]x\\u{202e}" in output


def test_a_line_of_100_kb_stays_on_one_row(result: ScanResult) -> None:
    build = result.builds[0]
    place = Place(path="b.js", line=1, column=60_001, end_line=1, end_column=60_004, snippet="b", snippet_line=1)
    finding = msgspec.structs.replace(build.findings[1], place=place, related=(), message="m" * 100_000)
    bundle = msgspec.structs.replace(
        only(result, msgspec.structs.replace(build, findings=(finding,))),
        snippets={"b": "x" * 60_000 + "BAD" + "y" * 40_000},
    )
    output = printed(bundle, width=100)
    assert all(len(line) <= 100 for line in output.splitlines())
    assert "BAD" in output
    assert "(98,000 more characters)" in " ".join(output.split())


def test_an_ascii_console_gets_ascii(result: ScanResult) -> None:
    output = printed(result, encoding="ascii")
    assert "task calendar-week-view - condition boot_check" in output
