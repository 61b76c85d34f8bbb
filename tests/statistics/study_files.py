"""Where the study's published tables are, and their absence as a reason to skip."""

from __future__ import annotations

from pathlib import Path

import pytest

STUDY = Path(__file__).resolve().parents[3] / "shared" / "study"

needs_study = pytest.mark.skipif(
    not STUDY.is_dir(), reason=f"the study's tables are not at {STUDY.name} beside the project"
)
"""The tests of published figures that can only be computed from the study's own tables."""
