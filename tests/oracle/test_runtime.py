"""Every runtime example, started for real and asked: what its rule says happens, and near misses answer."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.expectations import Example, examples
from tests.oracle.browsing import ask
from tests.oracle.conftest import unavailable
from tests.oracle.observing import Observation, find_page, scratch_copy
from tests.oracle.processes import started
from tests.oracle.shelves import PackagesError
from tests.oracle.streaming import event, first_events
from tests.oracle.trouble import trouble

pytestmark = pytest.mark.oracle

# What Express or PostgreSQL says, by rule.
SYMPTOMS = {
    "runtime/express-path-syntax": r"Missing parameter name|Unexpected \?",
    "runtime/sql-placeholder-mismatch": r"syntax error at",
    "runtime/sql-type-mismatch": r"operator does not exist: text - interval",
    "runtime/sql-unknown-name": r'relation "orders" does not exist',
    "runtime/stream-unanswered": r"^404 ",
}
STREAMED = ("runtime/sse-blocked", "runtime/event-name-mismatch")
# The example's server sends an event each second; an event that must come is given more time than one that must not.
HELD_BACK_SECONDS = 3.0
ARRIVAL_SECONDS = 20.0

ASKED = [example for example in examples("runtime") if example.rule not in (*STREAMED, "runtime/route-shadowed")]


def of_rule(rule: str) -> list[Example]:
    return [example for example in examples("runtime") if example.rule == rule]


@pytest.mark.parametrize("example", ASKED, ids=lambda example: example.name)
def test_asked_for_real_it_behaves_as_expected(
    example: Example, observed: Callable[[Example], list[Observation]]
) -> None:
    lines = [line for seen in observed(example) for line in trouble(example, seen)]
    if example.failing:
        assert any(re.search(SYMPTOMS[example.rule], line, re.M) for line in lines), lines
    else:
        assert lines == []


@pytest.mark.parametrize("example", of_rule("runtime/route-shadowed"), ids=lambda example: example.name)
def test_a_shadowed_route_is_answered_by_the_first_handler(
    example: Example, observed: Callable[[Example], list[Observation]]
) -> None:
    """The first handler answers with the parameter, the second with a count."""
    (seen,) = observed(example)
    answers = [answer.text for _, answer in seen.probes]
    assert answers == ['{"id":"stats"}' if example.failing else '{"count":0}']


@pytest.mark.parametrize("example", of_rule("runtime/sse-blocked"), ids=lambda example: example.name)
@pytest.mark.usefixtures("alone")
def test_events_wait_in_the_buffer_of_compression(example: Example) -> None:
    events = streamed(example, "/ticks", HELD_BACK_SECONDS if example.failing else ARRIVAL_SECONDS)[0]
    assert (events == []) == example.failing


@pytest.mark.parametrize("example", of_rule("runtime/event-name-mismatch"), ids=lambda example: example.name)
@pytest.mark.usefixtures("alone")
def test_the_page_hears_only_events_of_the_name_it_listens_to(example: Example) -> None:
    events, page_code = streamed(example, "/live", ARRIVAL_SECONDS)
    listened = set(re.findall(r"addEventListener\('(\w+)'", page_code))
    assert len(listened) == 1
    assert events
    assert listened.isdisjoint({name for name, _ in events}) == example.failing


def streamed(example: Example, path: str, seconds: float) -> tuple[list[tuple[str, str]], str]:
    """The first events that come through the page's own address, and the code of the page as it is served."""
    try:
        with (
            scratch_copy(example.folder) as (scratch, environment),
            started(scratch, example.runs[0].command, environment) as running,
        ):
            origin, _, page = find_page(running.wait_until_settled())
            assert origin, running.output.read_text()
            code = ask(f"{origin}/scores.js", "script").text if page is not None else ""
            return first_events(origin + path, seconds), code
    except PackagesError as problem:
        unavailable(str(problem))
        raise


def test_blocks_of_an_event_stream_are_read_as_the_standard_says() -> None:
    assert event("event: score\ndata: 1\ndata:2") == ("score", "1\n2")
    assert event(": comment\ndata:  two") == ("message", " two")
