"""Shared files, near-duplicate builds, scaffold."""

from __future__ import annotations

import pandas as pd
import pytest

from forensics.sketches import run_hashes
from forensics.statistics.duplicates import clusters, scaffold_shares, shared_files, similar_pairs


def files(*rows: tuple[str, str, int, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["build", "path", "size", "sha256"])


def test_files_are_shared_by_their_bytes_whatever_their_name() -> None:
    table = files(
        ("a", "src/main.js", 100, "m"),
        ("b", "src/main.js", 100, "m"),
        ("c", "app.js", 100, "m"),
        ("a", "own.js", 200, "x"),
        ("a", "copy.js", 200, "x"),
        ("a", "empty.js", 0, "e"),
        ("b", "empty.js", 0, "e"),
        ("b", "lost.js", 90, ""),
        ("c", "lost.js", 90, ""),
    )
    (row,) = shared_files(table).to_dict("records")
    assert row == {"sha256": "m", "size": 100, "builds": 3, "share": 1.0, "path": "src/main.js", "paths": 2}


def test_scaffold_is_what_four_fifths_of_the_builds_hold() -> None:
    rows = [(name, "vite.config.js", 60, "v") for name in "abcd"] + [(name, "main.js", 40, name) for name in "abcde"]
    table = scaffold_shares(files(*rows)).set_index("build")
    assert list(table["share"]) == pytest.approx([0.6, 0.6, 0.6, 0.6, 0.0])
    assert list(scaffold_shares(files(*rows[:2]))["share"]) == [0.0, 0.0]


def test_similarity_is_estimated_within_its_error() -> None:
    whole = set(range(0, 4_000_000, 1000))
    half = set(sorted(whole)[:2000]) | set(range(1, 2_000_001, 1000))
    pairs = similar_pairs({"a": whole, "b": whole, "c": half, "d": set()}, 0.2)
    found = {(first, second): value for first, second, value in pairs.itertuples(index=False)}
    assert found["a", "b"] == 1.0
    assert found["a", "c"] == pytest.approx(2000 / 6000, abs=0.09)  # three standard errors
    assert not any("d" in pair for pair in found)


def test_clusters_are_the_connected_components() -> None:
    pairs = pd.DataFrame([("a", "b", 0.9), ("b", "c", 0.8), ("x", "y", 1.0)], columns=["first", "second", "similarity"])
    assert clusters(pairs).to_dict("list") == {
        "cluster": [1, 1, 1, 2, 2],
        "build": ["a", "b", "c", "x", "y"],
        "similarity": [0.9, 0.9, 0.8, 1.0, 1.0],
    }
    assert clusters(pairs.head(0)).empty


def test_layout_and_comments_do_not_change_a_sketch() -> None:
    first = b"export function total(items) { return items.reduce((sum, item) => sum + item.price, 0) } // sums\n"
    second = (
        b"/* adds up */\nexport function total(items) {\n  return items.reduce(\n (sum, item) => sum+item.price, 0)\n}"
    )
    assert run_hashes(first) == run_hashes(second)
    assert run_hashes(first) != run_hashes(first.replace(b"price", b"cost"))
    assert run_hashes(b"  // nothing\n") == frozenset()
    assert len(run_hashes(b"a b")) == 1
    assert len(run_hashes(b"a b c d e f g h")) == 2


def test_an_address_in_a_string_is_no_comment() -> None:
    assert run_hashes(b"fetch('http://localhost:1/a')") != run_hashes(b"fetch('http://localhost:2/b')")
