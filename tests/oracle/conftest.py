"""Skip the oracle tests, with the reason, where npm can't give the packages; fail instead where CI=true."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.expectations import Example
from tests.oracle.observing import Observation, observe
from tests.oracle.shelves import PackagesError, cache_folder

RUNS_AT_ONCE = 2


@pytest.fixture(autouse=True)
def node(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("oracle") is None:
        return
    if shutil.which("node") is None or shutil.which("npm") is None:
        unavailable("node and npm are not on PATH")


def unavailable(reason: str) -> None:
    """Skip; in CI the oracle must run, so there it fails."""
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(f"the oracle tests must run in CI: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def alone() -> Iterator[None]:
    """Wait for any other session on this machine: the trees have fixed ports."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with (cache_folder() / "session.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def observed(request: pytest.FixtureRequest, alone: None) -> Iterator[Callable[[Example], list[Observation]]]:
    """Give the observations of an example. All examples of the session are started ahead, a few at once, so that the
    wait for one server passes with the start of another."""
    wanted: dict[str, Example] = {}
    for item in request.session.items:
        callspec = getattr(item, "callspec", None)
        example = callspec.params.get("example") if callspec else None
        if isinstance(example, Example) and "observed" in getattr(item, "fixturenames", ()):
            wanted[example.name] = example
    with ThreadPoolExecutor(RUNS_AT_ONCE) as pool:
        futures = {name: pool.submit(observe_all, example) for name, example in wanted.items()}

        def give(example: Example) -> list[Observation]:
            future: Future[list[Observation]] = futures.get(example.name) or pool.submit(observe_all, example)
            try:
                return future.result()
            except PackagesError as problem:
                unavailable(str(problem))
                raise

        yield give
        for future in futures.values():
            future.cancel()


def observe_all(example: Example) -> list[Observation]:
    return [observe(example.folder, run) for run in example.runs]
