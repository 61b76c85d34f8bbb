"""Groups side by side: rates and marks."""

from __future__ import annotations

import msgspec

from forensics.results import BuildResult, ScanResult, VerdictRow
from reports.comparison import compare
from reports.rates import Rate


def group(base: BuildResult, model: str, good: int, bad: int) -> list[BuildResult]:
    return [
        msgspec.structs.replace(
            base,
            id=f"{model}-{number}",
            labels={"model": model},
            verdicts=(VerdictRow(scanner="wiring", status="PROXY_NOT_LOADED" if number < bad else "OK"),),
            findings=(base.findings[1],) if number < bad else (),
            launch_paths=(),
        )
        for number in range(good + bad)
    ]


def test_a_difference_is_marked_where_its_interval_leaves_out_zero(result: ScanResult) -> None:
    base = result.builds[0]
    # Newcombe, method 10: 9/10 - 3/10 is 0.17 to 0.81.
    builds = tuple(group(base, "a", good=1, bad=9) + group(base, "b", good=7, bad=3))
    comparison = compare(msgspec.structs.replace(result, builds=builds), "model")
    assert comparison.groups == (("a", 10), ("b", 10))
    rows = {(row.kind, row.key, row.detail): row for row in comparison.rows}
    errors = rows["launch", "has a finding of severity error", ""]
    assert [(cell.rate, cell.mark) for cell in errors.cells] == [(Rate(9, 10), "higher"), (Rate(3, 10), "lower")]
    assert [cell.mark for cell in rows["verdict", "wiring", "OK"].cells] == ["lower", "higher"]
    assert [cell.rate for cell in rows["rule", "wiring/proxy-not-loaded", ""].cells] == [Rate(9, 10), Rate(3, 10)]


def test_a_difference_that_chance_may_make_is_not_marked(result: ScanResult) -> None:
    base = result.builds[0]
    builds = tuple(group(base, "a", good=4, bad=6) + group(base, "b", good=6, bad=4))
    comparison = compare(msgspec.structs.replace(result, builds=builds), "model")
    assert not any(row.differs for row in comparison.rows)


def test_rows_that_no_group_or_every_build_has_are_left_out_and_the_rest_has_headings(result: ScanResult) -> None:
    comparison = compare(result, "condition")
    assert [(title, len(rows)) for title, rows in comparison.sections] == [
        ("Launch", 2),  # none fails by every path
        ("Verdicts", 5),  # every build is `runtime OK`
        ("Builds with at least one finding of a rule", 3),
    ]


def test_features_are_compared_where_they_differ(result: ScanResult) -> None:
    base = result.builds[0]
    plain = group(base, "a", good=10, bad=0) + group(base, "b", good=10, bad=0)
    builds = tuple(
        msgspec.structs.replace(
            build,
            features={
                "uses_vite": build.labels["model"] == "a",
                "layout": "root" if build.labels["model"] == "a" or number % 2 else "nested",
                "has_tests": True,
                "n_files": number,
            },
        )
        for number, build in enumerate(plain)
    )
    rows = compare(msgspec.structs.replace(result, builds=builds), "model").rows
    assert [(row.key, row.detail, [cell.mark for cell in row.cells]) for row in rows if row.kind == "feature"] == [
        ("uses_vite", "yes", ["higher", "lower"]),
        ("layout", "nested", ["lower", "higher"]),
        ("layout", "root", ["higher", "lower"]),
    ]
