"""`forensics rules`: every rule, one line each."""

from __future__ import annotations

import typer


def rules() -> None:
    """List the rules, by scanner."""
    from scanners.registry import RULES

    width = max((len(rule) for rule in RULES), default=0)
    for rule in RULES.values():
        typer.echo(f"{rule.id:{width}}  {rule.severity:7}  {rule.summary}")
