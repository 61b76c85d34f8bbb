"""`forensics explain`: what a rule finds, why that fails, and how to mend it."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer


def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="A rule's id, as in wiring/proxy-not-loaded.")],
) -> None:
    """Explain one rule with its examples and near misses."""
    from rich.console import Console

    from forensics.records import InputError
    from reports.rule_examples import examples_folder
    from reports.rule_reference import print_rule
    from scanners.registry import RULES

    found = RULES.get(rule)
    if found is None:
        near = difflib.get_close_matches(rule, RULES, n=1)
        hint = f"; did you mean {near[0]}?" if near else "; forensics rules lists them"
        raise InputError(f"no rule is called '{rule}'{hint}")
    print_rule(found, Console(highlight=False), examples_folder())
