"""The rendering rules in real Chromium: does the click arrive, is the element gone, does the error appear.

Three questions. The example trees, started as their scripts say, must show what their expectation files say
(`[[browser]]`). Random pages must be judged as the browser judges them: no finding where the click arrives. Clean pages into
which a defect is put by rule must be found out, at least nine in ten.
"""

from __future__ import annotations

import http.server
import shutil
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forensics.records import Verdict
from scanners.rendering import SCANNER
from tests.expectations import CHECKOUT, EXAMPLES, Example, examples
from tests.in_memory import verdict_of
from tests.oracle.conftest import unavailable
from tests.oracle.observing import find_page, scratch_copy
from tests.oracle.processes import started
from tests.oracle.rendering_pages import Injected, cascaded_page, stacked_page, unwrapped, with_defects
from tests.oracle.shelves import PackagesError

playwright = pytest.importorskip("playwright.sync_api", reason="playwright (Python package) is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
CASES = CHECKOUT.parent / "shared" / "cases"
RANDOM_PAGES = 150

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]

ARRIVES = """(control) => {
  control.scrollIntoView({ block: 'center' })
  const box = control.getBoundingClientRect()
  const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
  return hit !== null && (hit === control || control.contains(hit))
}"""
IS_GONE = "(selector) => { const item = document.querySelector(selector); return !item || getComputedStyle(item).display === 'none' }"


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    """A page of a browser that has the viewport the cascade assumes."""
    with playwright.sync_playwright() as runtime:
        browser = runtime.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        opened = browser.new_page(viewport={"width": 1280, "height": 720})
        yield opened
        browser.close()


# ------------------------------------------------------------------------------ example trees


def checks_of(example: Example) -> list[dict[str, Any]]:
    """The `[[browser]]` entries of an example's expectation file."""
    text = tomllib.loads((EXAMPLES / f"{example.name}.toml").read_text("utf-8"))
    checks: list[dict[str, Any]] = text.get("browser", [])
    return checks


@pytest.mark.parametrize("example", examples("rendering"), ids=lambda example: example.name)
def test_opened_for_real_it_behaves_as_expected(example: Example, page: Any) -> None:
    checks = checks_of(example)
    assert checks, "an example of the rendered layer says what the browser shows"
    assert any(is_defect(check) for check in checks) == example.failing
    for check in checks:
        assert observed(page, example.folder, check) == check


def is_defect(check: dict[str, Any]) -> bool:
    return check.get("arrives") is False or check.get("is_gone") is False or bool(check.get("error"))


def observed(page: Any, tree: Path, check: dict[str, Any]) -> dict[str, Any]:
    """The check with what the browser shows in place of what is expected."""
    try:
        with scratch_copy(tree) as (scratch, environment):
            command = "npm run dev" if '"dev"' in (scratch / "package.json").read_text() else "npm start"
            with started(scratch, command, environment) as running:
                origin = find_page(running.wait_until_settled())[0]
                assert origin, running.output.read_text("utf-8", "replace")[-2000:]
                return looked_at(page, f"{origin}/", check)
    except PackagesError as problem:
        unavailable(str(problem))
        raise


def looked_at(page: Any, address: str, check: dict[str, Any]) -> dict[str, Any]:
    errors: list[str] = []

    def note(error: Any) -> None:
        errors.append(str(error))

    page.on("pageerror", note)
    try:
        page.goto(address, wait_until="load")
        page.wait_for_timeout(400)
        seen = dict(check)
        if "control" in check:
            page.wait_for_selector(check["control"], state="attached", timeout=10_000)
            seen["arrives"] = page.eval_on_selector(check["control"], ARRIVES)
        if "click" in check:
            page.wait_for_selector(check["click"], state="attached", timeout=10_000)
            page.eval_on_selector(check["click"], "(item) => item.click()")
            page.wait_for_timeout(100)
        if "gone" in check:
            page.wait_for_selector(check["gone"], state="attached", timeout=10_000)
            seen["is_gone"] = page.evaluate(IS_GONE, check["gone"])
        if "error" in check:
            page.wait_for_timeout(600)
            wanted = check["error"]
            seen["error"] = wanted if wanted and any(wanted in error for error in errors) else "; ".join(errors)
        return seen
    finally:
        page.remove_listener("pageerror", note)
        page.goto("about:blank")  # a Vite page left open would load itself again from the next server on its port


# -------------------------------------------------------------------------------- random pages


def test_a_random_page_is_reported_only_where_a_control_gets_no_click(page: Any) -> None:
    wrong, real, reported = [], 0, 0
    for seed in range(RANDOM_PAGES):
        text = stacked_page(seed)
        page.set_content(text)
        blocked = {
            control.get_attribute("id")
            for control in page.query_selector_all("button")
            if not control.evaluate(ARRIVES)
        }
        verdict = verdict_of(SCANNER, {"index.html": text})
        messages = [item.message for item in verdict.findings if item.rule == "rendering/overlay-blocks-input"]
        real += bool(blocked)
        reported += bool(messages)
        if messages and not any(f'id="{name}"' in message for name in blocked for message in messages):
            wrong.append((seed, messages))
    assert wrong == []
    assert reported >= 0.9 * real, f"{reported} of {real} pages with a blocked control are reported"


def test_a_random_cascade_decides_as_the_browser_does(page: Any) -> None:
    differing = []
    for seed in range(RANDOM_PAGES):
        text = cascaded_page(seed)
        page.set_content(text)
        shown = {name for name in "xyz" if not page.evaluate(IS_GONE, f"#{name}")}
        verdict = verdict_of(SCANNER, {"index.html": text})
        found = {name for item in verdict.findings for name in "xyz" if f'id="{name}"' in item.message}
        if found != shown:
            differing.append((seed, found, shown))
    assert differing == []


# ----------------------------------------------------------------------------------- injection


def clean_trees() -> list[tuple[str, dict[str, str], str]]:
    """Builds that scan clean and whose pages need no bundler: name, files, path of the page."""
    folders = [example.folder for example in examples("rendering") if not example.failing]
    folders += [
        case / "build" for case in (CASES / "032-overlay-lets-clicks-through", CASES / "036-hidden-rule-outranks")
    ]
    found = []
    for folder in folders:
        files = {
            item.relative_to(folder).as_posix(): item.read_text("utf-8")
            for item in sorted(folder.rglob("*"))
            if item.is_file()
        }
        page = next((path for path in files if path.endswith("index.html")), "")
        if page and not any(path.endswith((".jsx", ".tsx", ".vue")) for path in files):
            found.append((folder.name, files, page))
    return found


CONTROL = '<a href="#injection" id="injection-control">Control</a>'


def test_defects_put_into_clean_pages_are_found(page: Any, tmp_path: Path) -> None:
    made = found = 0
    missed = []
    for name, files, path in clean_trees():
        assert errors_of(verdict_of(SCANNER, files)) == set(), f"{name} is clean"
        held = {**files, path: files[path].replace("<body>", f"<body>{CONTROL}", 1)}
        assert errors_of(verdict_of(SCANNER, held)) == set(), f"{name} with one more control is clean"
        for item in [*with_defects(held, path, "#injection-control"), *unwrapped(files)]:
            if not is_real(page, item, path, tmp_path):
                continue
            made += 1
            if item.rule in errors_of(verdict_of(SCANNER, item.files)):
                found += 1
            else:
                missed.append((name, item.kind))
    assert made >= 20
    assert found >= 0.9 * made, f"{found} of {made} found; missed {missed}"


def errors_of(verdict: Verdict) -> set[str]:
    return {item.rule for item in verdict.findings if item.severity == "error"}


def is_real(page: Any, item: Injected, path: str, folder: Path) -> bool:
    """Whether the browser shows the defect. The date of an unwrapped call needs the back end: it stands on the standard."""
    if item.rule == "rendering/date-as-number":
        return True
    root = folder / "served"
    shutil.rmtree(root, ignore_errors=True)
    for name, text in item.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    with served(root / Path(path).parent) as origin:
        page.goto(f"{origin}/{Path(path).name}", wait_until="load")
        if item.rule == "rendering/hidden-overridden":
            return not page.evaluate(IS_GONE, item.shown_by)
        return not page.eval_on_selector(item.shown_by, ARRIVES)


class served:  # noqa: N801 - used as a function
    """A folder over HTTP while the block runs."""

    def __init__(self, folder: Path) -> None:
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments, directory=str(folder))

            def log_message(self, *arguments: Any) -> None:
                """Nothing is written."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self) -> str:
        self.thread.start()
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def __exit__(self, *details: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
