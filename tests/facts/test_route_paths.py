"""Route patterns and the requests that reach them."""

from __future__ import annotations

import pytest

from forensics.facts.route_paths import ANY, pattern_segments, reaches, request_segments
from forensics.facts.values import Text, Unknown

ID = Unknown("an id")


@pytest.mark.parametrize(
    ("path", "segments"),
    [
        ("/api/items", ("api", "items")),
        ("/api/items?sort=up#top", ("api", "items")),
        ("/", ()),
        (Text(("/api/items/", ID)), ("api", "items", None)),
        (Text(("/api/items/", ID, "/tags")), ("api", "items", None, "tags")),
        (Text(("/api/page-", ID)), ("api", None)),
        (Text(("/api/items?q=", ID)), ("api", "items")),
        (ID, None),
    ],
)
def test_segments_of_a_request(path: object, segments: object) -> None:
    assert request_segments(path) == segments


@pytest.mark.parametrize(
    ("path", "segments"),
    [
        ("/api/items/:id", ("api", "items", ":")),
        ("/api/:id?", ("api", ":?")),
        ("/api{/:id}", ("api", ":?")),
        ("*", (ANY,)),
        ("/{*rest}", (ANY,)),
        ("/files/(.*)", ("files", ANY)),
        ("/Photos", ("photos",)),
    ],
)
def test_segments_of_a_pattern(path: str, segments: tuple[str, ...]) -> None:
    assert pattern_segments(path) == segments


@pytest.mark.parametrize(
    ("pattern", "request_path", "whole", "expected"),
    [
        ("/api/items/:id", "/api/items/3", True, True),
        ("/api/items/:id", "/api/items", True, False),
        ("/api/items/:id?", "/api/items", True, True),
        ("/api", "/api/items", True, False),
        ("/api", "/api/items", False, True),
        ("/", "/anything", False, True),
        ("/files/*", "/files/a/b/c", True, True),
        ("/Photos", "/photos", True, True),
        ("/api", "/apiary", False, False),
    ],
)
def test_whether_a_request_reaches_a_pattern(pattern: str, request_path: str, whole: bool, expected: bool) -> None:
    segments = request_segments(request_path)
    assert segments is not None
    assert reaches(pattern_segments(pattern), segments, whole) is expected


def test_an_unknown_last_segment_may_be_any_number_of_segments() -> None:
    assert reaches(("api", "items", ":", "tags"), ("api", None), whole=True)
    assert not reaches(("auth", "me"), ("api", None), whole=True)
