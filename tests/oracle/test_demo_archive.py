"""Every build of the demo archive, started for real: what is observed must be what its table of expectations says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.expectations import Example, demo_builds
from tests.oracle.implied import disagreements
from tests.oracle.observing import Observation

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("example", demo_builds(), ids=lambda example: example.name)
def test_started_for_real_it_behaves_as_expected(
    example: Example, observed: Callable[[Example], list[Observation]]
) -> None:
    observations = observed(example)
    assert disagreements(example, observations) == [], observations[0].output
