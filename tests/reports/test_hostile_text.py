"""Characters that deceive are shown; characters that people use are left alone."""

from __future__ import annotations

import pytest

from reports.hostile_text import clipped, encodable, one_line, visible


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("a\u202eb", "a\\u{202e}b"),  # right-to-left override
        ("\u2066x\u2069", "\\u{2066}x\\u{2069}"),  # isolates
        ("\x1b[31mred", "\\u{1b}[31mred"),  # terminal escape
        ("\x9b31m", "\\u{9b}31m"),  # the one-byte CSI
        ("a\rb", "a\\u{d}b"),
        ("\u200bhidden", "\\u{200b}hidden"),
        ("a\u2028b", "a\\u{2028}b"),
        ("\udc80", "\\u{dc80}"),
        ("\U000e0041", "\\u{e0041}"),
        ("a\u200db", "a\\u{200d}b"),
    ],
)
def test_what_cannot_be_seen_is_written_out(hostile: str, shown: str) -> None:
    assert visible(hostile) == shown


@pytest.mark.parametrize("text", ["naïve 日本語", "עברית", "👩\u200d💻", "a\tb\nc", "❤\ufe0f"])
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert visible(text) == text


def test_a_name_stays_on_one_line() -> None:
    assert one_line("a\nb\tc") == "a\\nb\\tc"


def test_text_without_end_is_clipped_and_says_by_how_much() -> None:
    assert clipped("x" * 100_000, 10) == "xxxxxxxxxx… (99,990 more characters)"
    assert clipped("short", 10) == "short"


def test_lone_surrogates_become_escapes() -> None:
    assert encodable("caf\udce9 é") == "caf\\udce9 é"
