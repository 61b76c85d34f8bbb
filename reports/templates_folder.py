"""Where the templates are: `reports/templates` in the wheel, `templates/` beside the package in the source tree."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def templates_folder() -> Traversable:
    """The folder that holds report.html.j2, report.css and report.js."""
    shipped = files("reports") / "templates"
    if shipped.is_dir():
        return shipped
    return Path(__file__).parent.parent / "templates"
