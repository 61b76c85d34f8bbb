"""docs/idioms.md defines every feature that the scanner computes."""

from __future__ import annotations

from pathlib import Path

from reports.feature_reference import write_feature_reference
from scanners.idioms import FEATURES


def test_each_feature_has_one_row_with_its_definition() -> None:
    text = write_feature_reference({"n_things": ("Number of a|b.", None)})
    assert text.endswith("| feature | definition |\n|---|---|\n| `n_things` | Number of a\\|b. |\n")


def test_the_published_reference_is_current() -> None:
    published = (Path(__file__).parents[2] / "docs" / "idioms.md").read_text(encoding="utf-8")
    assert published == write_feature_reference(FEATURES), "run: python -m reports.feature_reference"
