"""The rule reference: `docs/rules.md`, and what `forensics explain RULE` prints. Both are made from the rules.

Written anew by `python -m reports.rule_reference` in the source tree; a test fails when the file is not what it gives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from itertools import groupby
from pathlib import Path, PurePosixPath

from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from forensics.records import Rule
from reports.rule_examples import ExampleTree, examples_folder, read_examples

LANGUAGES = {
    ".js": "js",
    ".mjs": "js",
    ".cjs": "js",
    ".jsx": "jsx",
    ".ts": "ts",
    ".tsx": "tsx",
    ".json": "json",
    ".html": "html",
    ".css": "css",
    ".md": "markdown",
    ".toml": "toml",
    ".yml": "yaml",
    ".yaml": "yaml",
    ".sql": "sql",
    ".sh": "sh",
}
SEVERITY_STYLE = {"error": "bold red", "warning": "bold yellow", "note": "bold blue"}
INTRODUCTION = """\
# Rules

What each scanner can find. A rule is named `scanner/rule`; `forensics explain RULE` prints its entry.
Severity says what the defect does to a user of the build (`error`: it stops the launch, the page or its first calls);
each finding also has a confidence of its own. This page is generated from the rules.
"""


def write_rule_reference(rules: Mapping[str, Rule], folder: Path | Traversable) -> str:
    """The Markdown of `docs/rules.md`: rules by scanner, in the order of the registry, with their examples."""
    parts = [INTRODUCTION]
    by_scanner = [(scanner, list(listed)) for scanner, listed in groupby(rules.values(), lambda rule: rule.scanner)]
    for scanner, listed in by_scanner:
        rows = "".join(
            f"| [`{rule.id}`](#{_anchor(rule.id)}) | {rule.severity} | {rule.summary} |\n" for rule in listed
        )
        parts.append(f"## {scanner}\n\n| rule | severity | what |\n|---|---|---|\n{rows}")
    for _, listed in by_scanner:
        parts += [_entry(rule, folder) for rule in listed]
    return "\n".join(parts)


def print_rule(rule: Rule, console: Console, folder: Path | Traversable) -> None:
    """The rule with its reasons, one failing example in full, and every other example's summary."""
    heading = Text.assemble((rule.id, "bold"), "  ", (rule.severity, SEVERITY_STYLE[rule.severity]))
    _print(console, heading, 0)
    _print(console, Text(rule.summary), 2)
    for title, text in _sections(rule):
        console.print()
        _print(console, Text(title, "bold"), 2)
        for paragraph in re.split(r"\n\s*\n", text.strip()):
            _print(console, _inline(" ".join(paragraph.split())), 4)
    if rule.sources:
        console.print()
        _print(console, Text("On whose word", "bold"), 2)
        for source in rule.sources:
            _print(console, _inline(source), 4)
    examples = read_examples(folder, rule.id)
    for number, tree in enumerate(examples.failing):
        console.print()
        _print(console, Text.assemble(("Fails: ", "bold red"), _inline(tree.summary or tree.name)), 2)
        if number == 0:
            for path, text in tree.files.items():
                _print(console, Text(path, "cyan"), 4)
                _print_source(console, path, text)
    for tree in examples.near_misses:
        console.print()
        _print(console, Text.assemble(("Works, a near miss: ", "bold green"), _inline(tree.summary or tree.name)), 2)


def _sections(rule: Rule) -> list[tuple[str, str]]:
    """Title and text of each part that the rule has."""
    parts = (
        ("Why it fails", rule.why),
        ("How to mend it", rule.fix),
        ("What it can't see", rule.blind_spots),
        ("Why no real tool is run against it", rule.no_oracle),
    )
    return [(title, text) for title, text in parts if text]


def _entry(rule: Rule, folder: Path | Traversable) -> str:
    lines = [f"## `{rule.id}`", "", rule.summary, "", "| severity | scanner | since |", "|---|---|---|"]
    lines += [f"| {rule.severity} | {rule.scanner} | {rule.since} |", ""]
    for title, text in _sections(rule):
        lines += [f"### {title}", "", text, ""]
    if rule.sources:
        lines += ["### On whose word", "", *(f"- {_link(source)}" for source in rule.sources), ""]
    examples = read_examples(folder, rule.id)
    if examples.failing:
        lines += ["### Fails", ""]
        for number, tree in enumerate(examples.failing):
            lines += [f"{tree.summary or tree.name}", ""]
            lines += _example(tree) if number == 0 else []
    if examples.near_misses:
        lines += ["### Works: near misses that are not reported", ""]
        lines += [*(f"- {tree.summary or tree.name}" for tree in examples.near_misses), ""]
    return "\n".join(lines)


def _example(tree: ExampleTree) -> list[str]:
    """The files of a tree as fenced code, folded away."""
    lines = [f"<details><summary>The {len(tree.files)} files of <code>{tree.name}</code></summary>", ""]
    for path, text in tree.files.items():
        runs = re.findall(r"`{3,}", text)
        fence = "`" * max(3, 1 + max(map(len, runs), default=0))
        language = LANGUAGES.get(PurePosixPath(path).suffix, "text")
        lines += [f"`{path}`", "", f"{fence}{language}", text.rstrip("\n"), fence, ""]
    return [*lines, "</details>", ""]


def _anchor(identifier: str) -> str:
    """The anchor that GitHub gives a rule's heading: `wiring/port-mismatch` becomes `wiringport-mismatch`."""
    return re.sub(r"[^a-z0-9_-]", "", identifier.lower())


def _link(source: str) -> str:
    return f"<{source}>" if source.startswith("https://") and " " not in source else source


def _inline(text: str) -> Text:
    """Text with `code` between backticks in its own style; the backticks stay, so that a pipe shows them too."""
    whole = Text()
    for odd, part in enumerate(re.split(r"(`[^`]*`)", text)):
        whole.append(part, "cyan" if odd % 2 else "")
    return whole


def _print(console: Console, text: Text, indent: int) -> None:
    """Wrapped with its indent on a terminal, whole in a pipe."""
    if console.is_terminal:
        console.print(Padding(text, (0, 0, 0, indent)), highlight=False)
    else:
        console.print(Text(" " * indent) + text, soft_wrap=True, highlight=False)


def _print_source(console: Console, path: str, text: str) -> None:
    if console.is_terminal and not console.no_color:
        language = LANGUAGES.get(PurePosixPath(path).suffix, "text")
        syntax = Syntax(
            text.rstrip("\n"),
            language,
            theme="ansi_dark",
            background_color="default",
            line_numbers=True,
            word_wrap=True,
        )
        console.print(Padding(syntax, (0, 0, 0, 4)))
        return
    for number, line in enumerate(text.rstrip("\n").split("\n"), start=1):
        console.print(Text(f"    {number:>3} | {line}".rstrip()), soft_wrap=True, highlight=False)


def main() -> None:
    from scanners.registry import RULES

    target = Path(__file__).parent.parent / "docs" / "rules.md"
    target.write_text(write_rule_reference(RULES, examples_folder()), encoding="utf-8")


if __name__ == "__main__":
    main()
