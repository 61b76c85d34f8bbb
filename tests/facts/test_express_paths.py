"""What Express 4.22 and 5.3 made of each path when they were run."""

from __future__ import annotations

import pytest

from forensics.facts.express_paths import path_problem


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("*", "Missing parameter name at index 1"),
        ("/*", "Missing parameter name at index 2"),
        ("/api/*", "Missing parameter name at index 6"),
        ("/files/*.js", "Missing parameter name at index 8"),
        ("/:id?", "Unexpected ? at index 4"),
        ("/user/:id(\\d+)", "Unexpected ( at index 9"),
        ("(.*)", "Unexpected ( at index 0"),
        ("/a/(.*)", "Unexpected ( at index 3"),
    ],
)
def test_express_5_throws_where_4_takes_it(path: str, says: str) -> None:
    problem = path_problem(path, 5)
    assert problem is not None
    assert (problem.throws, problem.message) == (True, says)
    assert path_problem(path, 4) is None


@pytest.mark.parametrize("path", ["/*splat", "/{*splat}", "/:file{.:ext}"])
def test_express_4_takes_the_new_spelling_and_never_matches_what_is_meant(path: str) -> None:
    problem = path_problem(path, 4)
    assert problem is not None
    assert not problem.throws
    assert path_problem(path, 5) is None


@pytest.mark.parametrize("path", ["/", "/api/items", "/api/items/:id", "/a-b/c.json", "/:from-:to", "/a\\*b"])
def test_paths_that_both_take(path: str) -> None:
    assert (path_problem(path, 4), path_problem(path, 5)) == (None, None)


@pytest.mark.parametrize(
    ("path", "instead"),
    [
        ("*", "/{*splat}"),
        ("/api/*", "/api/{*splat}"),
        ("/:id?", "{/:id}"),
        ("/user/:id(\\d+)", "/user/:id"),
        ("/a/(.*)", "/a/*splat"),
    ],
)
def test_the_spelling_that_express_5_takes(path: str, instead: str) -> None:
    problem = path_problem(path, 5)
    assert problem is not None
    assert problem.instead == instead
    assert path_problem(instead, 5) is None
