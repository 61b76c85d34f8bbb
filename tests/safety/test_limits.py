"""`--limit NAME=VALUE`."""

from __future__ import annotations

import pytest

from forensics.limits import Limits, limits_with
from forensics.records import InputError


def test_settings_change_the_named_limits_only() -> None:
    assert limits_with(["file-size=10", "seconds=3"]) == Limits(file_size=10, seconds=3)
    assert limits_with([]) == Limits()


@pytest.mark.parametrize(
    "setting", ["nope=1", "files", "files=", "files=0", "files=-3", "files=many", "files=1.5", "files=²"]
)
def test_other_settings_are_refused_in_one_line(setting: str) -> None:
    with pytest.raises(InputError, match=r"^--limit "):
        limits_with([setting])
