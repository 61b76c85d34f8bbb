"""Every launch example, started for real: half of it stays away, ports clash, scripts stop, and near misses work."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable

import pytest

from tests.expectations import Example, examples
from tests.oracle.conftest import unavailable
from tests.oracle.observing import Observation, scratch_copy
from tests.oracle.processes import run_to_end
from tests.oracle.shelves import PackagesError, installed
from tests.oracle.trouble import trouble

pytestmark = pytest.mark.oracle

# What Node, npm, tsc or Vite says, by rule; the half that is never started says nothing, so its page is missing.
SYMPTOMS = {
    "launch/half-started": r"^no page$",
    "launch/lifecycle-needs-missing-path": r"Cannot find module",
    "launch/missing-plugin": r"failed to load config",
    "launch/port-clash": r"EADDRINUSE",
    "launch/start-target-not-built": r"Cannot find module",
    "launch/tsc-without-config": r"You can learn about all of the compiler options",
}
NODE_VERSIONS = "launch/runtime-too-old"


@pytest.mark.parametrize(
    "example",
    [example for example in examples("launch") if example.rule in SYMPTOMS],
    ids=lambda example: example.name,
)
def test_started_for_real_it_behaves_as_expected(
    example: Example, observed: Callable[[Example], list[Observation]]
) -> None:
    lines = [line for seen in observed(example) for line in trouble(example, seen)]
    if example.failing:
        assert any(re.search(SYMPTOMS[example.rule], line, re.M) for line in lines), lines
    else:
        assert lines == []


def test_the_half_that_waits_never_listens(observed: Callable[[Example], list[Observation]]) -> None:
    """The server before `&&` listens, and no process of Vite was ever there."""
    example = next(
        example for example in examples("launch") if example.rule == "launch/half-started" and example.failing
    )
    (seen,) = observed(example)
    assert [port for process in seen.processes for port in process.ports] == [4851]
    assert [process.script for process in seen.processes if process.config is not None] == []


def test_two_servers_with_ports_of_their_own_both_listen(observed: Callable[[Example], list[Observation]]) -> None:
    example = next(
        example for example in examples("launch") if example.name.endswith("near-miss-environment-parts-them")
    )
    (seen,) = observed(example)
    assert sorted(port for process in seen.processes for port in process.ports) == [4862, 4863]


@pytest.mark.parametrize("example", [e for e in examples("launch") if e.rule == NODE_VERSIONS], ids=lambda e: e.name)
def test_the_oldest_and_the_newest_node_that_the_manifest_admits(example: Example) -> None:
    """20.x has no node:sqlite; the open range admits 22, which has it."""
    environment_path, admitted = "", "20"
    if not example.failing:
        admitted = "22"
        try:
            environment_path = f"{installed('node-22') / 'node' / 'bin'}:"
        except PackagesError as problem:
            unavailable(str(problem))
    elif not node_version().startswith("v20."):
        pytest.skip(f"the Node on PATH is {node_version()}, not 20")
    with scratch_copy(example.folder) as (scratch, environment):
        environment["PATH"] = environment_path + environment["PATH"]
        assert run_to_end(scratch, "node --version", environment)[1].startswith(f"v{admitted}.")
        status, output = run_to_end(scratch, example.runs[0].command, environment)
    assert ("No such built-in module: node:sqlite" in output, status != 0) == (example.failing, example.failing), output


def node_version() -> str:
    return subprocess.run([shutil.which("node") or "node", "--version"], capture_output=True, text=True).stdout.strip()
