"""`forensics explain`: what a rule finds, why that fails, and how to mend it."""

from __future__ import annotations

import difflib
import textwrap
from typing import Annotated

import typer


def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="A rule's id, as in wiring/proxy-not-loaded.")],
) -> None:
    """Explain one rule with its examples and near misses."""
    from forensics.records import InputError
    from reports.rule_examples import examples_folder, read_examples
    from scanners.registry import RULES

    found = RULES.get(rule)
    if found is None:
        near = difflib.get_close_matches(rule, RULES, n=1)
        hint = f"; did you mean {near[0]}?" if near else "; forensics rules lists them"
        raise InputError(f"no rule is called '{rule}'{hint}")
    typer.echo(f"{found.id} ({found.severity}, since {found.since})")
    for title, text in (
        ("", found.summary),
        ("Why it fails", found.why),
        ("How to mend it", found.fix),
        ("What it can't see", found.blind_spots),
        ("Why no real tool is run against it", found.no_oracle),
    ):
        if text:
            typer.echo()
            if title:
                typer.echo(title)
            for paragraph in text.split("\n\n"):
                typer.echo(textwrap.fill(" ".join(paragraph.split()), 100, initial_indent="  ", subsequent_indent="  "))
    if found.sources:
        typer.echo("\nSources")
        for source in found.sources:
            typer.echo(f"  {source}")
    examples = read_examples(examples_folder(), found.id)
    for title, trees in (("Found in", examples.failing), ("Near miss, not found in", examples.near_misses)):
        for tree in trees:
            typer.echo(f"\n{title}: {tree.name}")
            for path, text in tree.files.items():
                typer.echo(f"  {path}")
                typer.echo(textwrap.indent(text.rstrip("\n"), "    | ", lambda line: True))
