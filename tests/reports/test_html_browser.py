"""The HTML report in real Chromium: behaviour, hostile builds, accessibility, no request leaves the page."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from forensics.records import BuildError, LaunchPath, Rule
from forensics.results import BuildResult, Place, ReportedFinding, ScanResult, VerdictRow
from reports.html import StatisticsPart, write_html

playwright = pytest.importorskip("playwright.sync_api", reason="playwright (Python package) is not installed")
expect = playwright.expect
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]

READY = "html[data-ready=true]"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]

HOSTILE = {
    "script": "</script><script>window.hacked='script'</script>",
    "handler": "<img src=x onerror=\"window.hacked='handler'\">",
    "attribute": '" onmouseover="window.hacked=\'attribute\'" autofocus onfocus="window.hacked=\'focus\'" x="',
    "comment": "<!--<script>window.hacked='comment'",
    "template": "{{ 7*7 }} {% include '/etc/passwd' %} ${window.hacked='template'} `window.hacked='tick'`",
    "address": "javascript:window.hacked='address'",
    "remote": "<link rel=stylesheet href=http://198.51.100.1/x.css><img src=http://198.51.100.1/x.png>",
    "bidi": "user\u202e\u2066// admin\u2069\u2066 begin",
    "control": "a\x00b\x1b[31mc\r\u2028d",
    "svg": "<svg><animate onbegin=\"window.hacked='svg'\" attributeName=x dur=1s>",
    "long": "w" * 100_000,
    "lines": "<b>\n" * 2_000,
}


class Opened:
    """A page with what went wrong in it and which requests it tried."""

    def __init__(self, page: playwright.Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.problems: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)

    def open(self, file: Path, address: str = "") -> playwright.Page:
        self.page.goto(file.as_uri() + (f"#{address}" if address else ""))
        self.page.wait_for_selector(READY, state="attached")
        return self.page


@pytest.fixture(scope="module")
def chromium() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: playwright.Browser) -> Iterator[Opened]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield Opened(context.new_page())
    context.close()


@pytest.fixture
def report(result: ScanResult, rules: dict[str, Rule], tmp_path: Path) -> Path:
    file = tmp_path / "report.html"
    file.write_bytes(write_html(result, rules, examples=tmp_path))
    return file


def hostile_build(base: BuildResult, text: str, number: int) -> BuildResult:
    """A build in which everything that a build can say is the hostile text."""
    place = Place(
        path=text, line=1, column=1, end_line=1, end_column=9, message=text, snippet=f"{number:016x}", snippet_line=1
    )
    finding: ReportedFinding = msgspec.structs.replace(
        base.findings[1], message=text, fix=text, place=place, related=(place,), evidence=(text,), suppressed=""
    )
    return msgspec.structs.replace(
        base,
        id=f"{text}/{number}",
        archive=text,
        labels={"model": text, f"label {text}": text},
        verdicts=(
            VerdictRow(scanner="wiring", status=text),
            VerdictRow(scanner="datadir", status="UNKNOWN", reason=text),
        ),
        findings=(finding,),
        features={text: text},
        launch_paths=(
            LaunchPath(name=text, works=False, command=text, because=text, steps=(text, f"{text} ({text})")),
        ),
        errors=(BuildError(path=text, kind=text, message=text),),
    )


def hostile_result(result: ScanResult) -> ScanResult:
    builds = tuple(hostile_build(result.builds[0], text, number) for number, text in enumerate(HOSTILE.values()))
    run = msgspec.structs.replace(result.run, archives=tuple(HOSTILE.values())[:3], settings={HOSTILE["script"]: "x"})
    snippets = {f"{number:016x}": text for number, text in enumerate(HOSTILE.values())}
    return msgspec.structs.replace(result, run=run, builds=builds, snippets=snippets)


def test_a_hostile_archive_runs_nothing_asks_nothing_and_breaks_no_layout(
    result: ScanResult, rules: dict[str, Rule], tmp_path: Path, opened: Opened
) -> None:
    file = tmp_path / "hostile.html"
    file.write_bytes(write_html(hostile_result(result), rules, examples=tmp_path))
    for width in (1280, 390):
        opened.page.set_viewport_size({"width": width, "height": 900})
        page = opened.open(file)
        builds = page.evaluate("[...document.querySelectorAll('#build-table tbody a')].map(a => a.hash.slice(1))")
        views = ["overview", "catalogue", "builds", "findings", "compare", "signatures", "unknowns", "method"]
        for address in [*views, *builds]:
            page.evaluate("address => { location.hash = address; }", address)
            page.wait_for_timeout(60)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address[:80]
            assert "does not hold" not in page.inner_text("main")
        page.evaluate("location.hash = 'findings'")
        page.wait_for_timeout(60)
        for expand in page.locator(".expand").all():
            expand.hover()
            expand.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("window.hacked") is None
    assert "{{ 7*7 }} {% include '/etc/passwd' %}" in page.inner_text("#finding-table")
    assert set(opened.requests) == {file.as_uri()}
    assert opened.problems == []


def test_bidi_controls_are_shown_as_escapes(
    result: ScanResult, rules: dict[str, Rule], tmp_path: Path, opened: Opened
) -> None:
    file = tmp_path / "bidi.html"
    only = msgspec.structs.replace(
        result,
        builds=(hostile_build(result.builds[0], HOSTILE["bidi"], 1),),
        snippets={f"{1:016x}": HOSTILE["bidi"]},
    )
    file.write_bytes(write_html(only, rules, examples=tmp_path))
    page = opened.open(file)
    assert "user\\u{202e}\\u{2066}// admin" in page.inner_text("#build h1")
    assert "\u202e" not in page.content()


def test_without_javascript_everything_is_one_page(chromium: playwright.Browser, report: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert "JavaScript is off" in (page.locator("noscript").text_content() or "")
    for section in ("overview", "catalogue", "builds", "findings", "compare", "unknowns", "method"):
        expect(page.locator(f"#{section} h1")).to_be_visible()
    expect(page.locator("#finding-table tbody mark")).to_have_count(5)
    expect(page.locator("form.filters").first).to_be_hidden()
    context.close()


def test_one_section_at_a_time_and_back_again(report: Path, opened: Opened) -> None:
    page = opened.open(report)
    expect(page.locator("#overview h1")).to_be_visible()
    expect(page.locator("#catalogue h1")).to_be_hidden()
    page.click("nav.tabs >> text=Findings")
    expect(page.locator("#findings h1")).to_be_visible()
    expect(page.locator("nav.tabs a[href='#findings']").first).to_have_attribute("aria-current", "page")
    page.go_back()
    expect(page.locator("#overview h1")).to_be_visible()


def test_filters_live_in_the_address(report: Path, opened: Opened) -> None:
    page = opened.open(report, "findings")
    expect(page.locator("#finding-count")).to_have_text("3 of 4 findings in 1 build.")
    page.select_option("#findings-severity", "error")
    page.fill("#findings-q", "enoent")
    page.wait_for_url("**enoent**")
    page.wait_for_url(re.compile(re.escape("#findings?q=enoent&severity=error") + "$"))
    expect(page.locator("#finding-table tbody tr:not(.detail)")).to_have_count(1)
    again = opened.open(report, "findings?suppressed=only")
    again.reload()
    again.wait_for_selector(READY, state="attached")
    expect(again.locator("#finding-count")).to_have_text("1 of 4 findings in 1 build.")
    assert "suppressed by baseline" in again.inner_text("#finding-table tbody")
    assert again.input_value("#findings-suppressed") == "only"
    again.click("text=Clear")
    again.wait_for_url("**#findings")


def test_filters_by_label_scanner_and_rule(report: Path, opened: Opened) -> None:
    for parameters, rows in (
        ("label.model=gpt-5.5", 0),
        ("label.model=claude-4.8-opus", 3),
        ("scanner=wiring", 1),
        ("rule=datadir/missing-parent", 1),
        ("rule=datadir/missing-parent&suppressed=also", 2),
    ):
        page = opened.open(report, f"findings?{parameters}")
        page.reload()
        page.wait_for_selector(READY, state="attached")
        expect(page.locator("#finding-table tbody tr:not(.detail)")).to_have_count(rows)


def test_sorting_says_so(report: Path, opened: Opened) -> None:
    page = opened.open(report, "builds")
    page.click("#build-table thead >> text=Errors")
    head = page.locator("#build-table thead th", has_text="Errors")
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(page.locator("#build-table tbody tr:first-child th")).to_have_text("calendar-week-view/boot_check/runs/21")
    page.click("#build-table thead >> text=Errors")
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(page.locator("#build-table tbody tr:first-child th")).to_have_text("kanban-board/static/runs/3")
    page.wait_for_url(re.compile(re.escape("#builds?sort=errors") + "$"))


def test_a_finding_has_a_permalink_that_opens_it(result: ScanResult, report: Path, opened: Opened) -> None:
    fingerprint = result.builds[0].findings[2].fingerprint
    page = opened.open(report, f"f={fingerprint}")
    expect(page.locator("#build h1")).to_have_text("calendar-week-view/boot_check/runs/21")
    assert page.evaluate("document.activeElement.id") == f"f-{fingerprint}"
    page.click(f"#f-{fingerprint} >> text=Permalink")
    page.wait_for_url(re.compile(re.escape(f"#f={fingerprint}&b=calendar-week-view/boot_check/runs/21") + "$"))


def test_a_link_to_what_is_not_in_the_report_says_so(report: Path, opened: Opened) -> None:
    page = opened.open(report, "b=no-such-build")
    expect(page.locator("#build h1")).to_have_text("This report does not hold what the link names")
    opened.open(report, "no-such-section")
    assert opened.problems == []


def test_the_page_of_a_build(report: Path, opened: Opened) -> None:
    page = opened.open(report, "b=calendar-week-view/boot_check/runs/21")
    assert [text.split(":")[0] for text in page.locator("#build .finding h3").all_inner_texts()] == [
        "The calendar stays empty",
        "The server dies at its first start with ENOENT",
        "Live updates never arrive",
    ]
    assert page.locator("#build .plan .box").all_inner_texts() == [
        "dev",
        "vite dev\nroot client/, no config, port 5173",
        "proxy /live → ws://localhost:3001",
        "node server/index.js\nport 3001",
        "proxy /api → http://localhost:3009",
    ]
    assert page.locator("#build .verdict-list li").all_inner_texts() == [
        "wiring PROXY_NOT_LOADED",
        "datadir WILL-FAIL",
        "runtime OK",
    ]
    marks = page.locator("#build .finding").first.locator("mark").all_inner_texts()
    assert marks == [
        '"vite client --port 5173"',
        "'/api': 'http://localhost:3001'",
        "fetch(`/api/events?week=${week}`)",
    ]


def test_a_catalogue_entry_links_to_its_builds_and_back(report: Path, opened: Opened) -> None:
    page = opened.open(report, "rule-wiring-proxy-not-loaded")
    expect(page.locator("#catalogue h1")).to_be_visible()
    page.click("#rule-wiring-proxy-not-loaded >> text=Its builds")
    expect(page.locator("#build-count")).to_have_text("1 of 3 builds, 1 with errors.")
    page.click("#build-table tbody a")
    page.click("#build .finding >> text=About this rule >> nth=0")
    page.wait_for_url(re.compile(re.escape("#rule-wiring-proxy-not-loaded") + "$"))
    expect(page.locator("#rule-wiring-proxy-not-loaded h2")).to_be_visible()


def test_a_finding_is_copied_as_text(report: Path, opened: Opened) -> None:
    page = opened.open(report, "findings?rule=runtime/event-name-mismatch")
    page.click(".expand")
    page.click("text=Copy as text")
    page.wait_for_selector("text=Copied")
    assert page.evaluate("navigator.clipboard.readText()").split("\n")[:5] == [
        "warning[runtime/event-name-mismatch] calendar-week-view/boot_check/runs/21",
        "Live updates never arrive: the page listens for `update`, the server sends `changed`.",
        "",
        "client/live.js:30:25",
        "> 30 | source.addEventListener('update', refresh);",
    ]


def test_the_rows_that_are_shown_can_be_saved_as_csv(report: Path, opened: Opened) -> None:
    page = opened.open(report, "findings?severity=warning")
    with page.expect_download() as saved:
        page.click("#finding-filters >> text=Download CSV")
    rows = list(csv.reader(saved.value.path().read_text(encoding="utf-8").splitlines()))
    assert saved.value.suggested_filename == "findings.csv"
    assert rows[0][:5] == ["build", "task", "condition", "model", "severity"]
    assert [row[0:1] + row[4:9] for row in rows[1:]] == [
        [
            "calendar-week-view/boot_check/runs/21",
            "warning",
            "medium",
            "runtime/event-name-mismatch",
            "client/live.js",
            "30",
        ]
    ]
    assert opened.problems == []


def test_the_script_compares_as_the_page_was_rendered(report: Path, opened: Opened) -> None:
    def cells(text: str) -> list[str]:
        return re.findall(r'class="num[^"]*" data-k="\d+"', text)

    rendered = cells(report.read_text(encoding="utf-8"))
    page = opened.open(report, "compare?by=model")
    marked = page.evaluate(
        "[...document.querySelectorAll('.comparison[data-label=model] td.num')].map(c => c.className).join('|')"
    )
    before = "|".join(re.findall(r'class="([^"]*)"', " ".join(rendered)))
    assert before.startswith(marked)
    expect(page.locator(".comparison:visible")).to_have_count(1)


def test_groups_can_be_left_out_of_a_comparison(report: Path, opened: Opened) -> None:
    page = opened.open(report, "compare?by=model")
    page.uncheck(".groups label:has-text('gpt-5.5') input")
    page.wait_for_url(re.compile(re.escape("#compare?by=model&without=1") + "$"))
    expect(page.locator(".comparison[data-label=model] thead th:visible")).to_have_count(2)


def test_a_table_of_statistics_sorts_numbers_as_numbers(
    result: ScanResult, rules: dict[str, Rule], tmp_path: Path, opened: Opened
) -> None:
    part = StatisticsPart(
        title="T", columns=("p", "name"), rows=((".027", "b"), ("<.001", "a"), ("–", "c"), ("1,100", "d"), (".3", "e"))
    )
    file = tmp_path / "statistics.html"
    file.write_bytes(write_html(result, rules, (part,), tmp_path))
    page = opened.open(file, "signatures")
    page.click("#signatures thead >> text=p")
    assert page.locator("#signatures tbody td:first-child").all_inner_texts() == ["–", "<.001", ".027", ".3", "1,100"]
    page.click("#signatures thead >> text=p")
    expect(page.locator("#signatures thead th").first).to_have_attribute("aria-sort", "descending")
    expect(page.locator("#signatures tbody td:first-child").first).to_have_text("1,100")


def test_the_theme_can_be_chosen_and_is_kept(report: Path, opened: Opened) -> None:
    page = opened.open(report)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(247, 245, 240)"
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 21, 19)"
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_keyboard_reaches_and_opens_a_finding(report: Path, opened: Opened) -> None:
    page = opened.open(report, "findings")
    page.focus(".expand")
    page.keyboard.press("Enter")
    expect(page.locator(".expand").first).to_have_attribute("aria-expanded", "true")
    expect(page.locator("#finding-table mark").first).to_be_visible()
    page.keyboard.press("Space")
    expect(page.locator(".expand").first).to_have_attribute("aria-expanded", "false")


def test_the_skip_link_stays_in_the_section(report: Path, opened: Opened) -> None:
    page = opened.open(report, "findings?severity=error")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.wait_for_url(re.compile(re.escape("#findings?severity=error") + "$"))


def test_print_shows_every_section_opened_and_no_controls(report: Path, opened: Opened) -> None:
    page = opened.open(report)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    for section in ("overview", "catalogue", "builds", "findings", "compare", "unknowns", "method"):
        expect(page.locator(f"#{section} h1")).to_be_visible()
    expect(page.locator("#finding-table tr.detail mark").first).to_be_visible()
    expect(page.locator("details:not([open])")).to_have_count(0)
    expect(page.locator(".top")).to_be_hidden()
    expect(page.locator("#finding-filters")).to_be_hidden()


def test_only_the_rows_of_one_page_are_in_the_document(
    result: ScanResult, rules: dict[str, Rule], tmp_path: Path, opened: Opened
) -> None:
    first = result.builds[0]
    findings = tuple(
        msgspec.structs.replace(first.findings[0], fingerprint=f"{number:032x}", message=f"finding {number}")
        for number in range(450)
    )
    many = msgspec.structs.replace(
        result, builds=(msgspec.structs.replace(first, findings=findings), *result.builds[1:])
    )
    file = tmp_path / "many.html"
    file.write_bytes(write_html(many, rules, examples=tmp_path))
    page = opened.open(file, "findings")
    expect(page.locator("#finding-table tbody tr:not(.detail)")).to_have_count(200)
    page.click("#finding-pager >> text=Next")
    expect(page.locator("#finding-pager")).to_contain_text("Page 2 of 3")
    page.click("#finding-pager >> text=Next")
    expect(page.locator("#finding-table tbody tr:not(.detail)")).to_have_count(50)
    page.wait_for_url(re.compile(re.escape("#findings?page=3") + "$"))


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core's script, from npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: axe-core can't be had")
    folder = tmp_path_factory.mktemp("axe")
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), "axe-core@4"]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"axe-core could not be installed from npm: {error}")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(
    scheme: str, axe: str, result: ScanResult, rules: dict[str, Rule], tmp_path: Path, chromium: playwright.Browser
) -> None:
    file = tmp_path / "report.html"
    file.write_bytes(write_html(result, rules, examples=tmp_path))
    context = chromium.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector(READY, state="attached")
    page.evaluate(axe)
    addresses = ["overview", "catalogue", "builds", "findings", "compare", "signatures", "unknowns", "method"]
    for address in [*addresses, "b=calendar-week-view/boot_check/runs/21"]:
        page.evaluate("address => { location.hash = address; }", address)
        page.wait_for_timeout(100)
        if address == "findings":
            page.click(".expand")
        found = page.evaluate("axe.run()")["violations"]
        assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == [], address
    context.close()
