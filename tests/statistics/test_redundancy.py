from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from forensics.statistics.association import contingency, corrected_v
from forensics.statistics.redundancy import clusters, mutual_association, ranges


def habits(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    style = rng.choice(["flat", "nested", "mixed"], n)
    return pd.DataFrame(
        {
            "style": style,
            "layout": pd.Series(style).map({"flat": "one", "nested": "two", "mixed": "three"}),
            "quotes": rng.choice(["single", "double"], n),
            "loc": rng.normal(size=n),
            "depth": (style == "nested") * 3.0 + rng.normal(scale=0.01, size=n),
        }
    )


def test_mutual_association_is_v() -> None:
    frame = habits()
    found = mutual_association(frame, ["style", "layout", "quotes"])
    assert found.loc["style", "layout"] == 1
    assert found.loc["style", "quotes"] == pytest.approx(corrected_v(contingency(frame, "style", "quotes")))
    assert (found.to_numpy() == found.to_numpy().T).all()


def test_one_habit_under_two_names_is_one_cluster() -> None:
    found = clusters(habits(), ["quotes", "style", "layout", "loc"]).set_index("feature")
    assert found["cluster"].to_dict() == {"quotes": 1, "style": 2, "layout": 2, "loc": 3}
    assert found.loc["style", "representative"] == found.loc["layout", "representative"] == "layout"
    assert found.loc["quotes", "size"] == 1
    assert found["alike"].to_dict() == {"quotes": 1, "style": 1, "layout": 1, "loc": 1}


def test_the_finer_of_two_names_represents_them() -> None:
    frame = habits()
    frame["is_flat"] = (frame["style"] == "flat").map({True: "yes", False: "no"})
    found = clusters(frame, ["is_flat", "style"])
    assert set(found["representative"]) == {"style"}


def test_numbers_take_part_as_ranges() -> None:
    found = mutual_association(habits(), ["style", "depth", "loc"])
    assert found.loc["style", "depth"] > 0.5
    assert found.loc["style", "loc"] < 0.2


def test_ranges_hold_about_equally_many_and_keep_missing_values() -> None:
    values = pd.Series([1.0, 2.0, 3.0, 4.0, np.nan, 5.0, 6.0, 7.0, 8.0])
    found = ranges(values)
    assert found.isna().tolist() == [False] * 4 + [True] + [False] * 4
    assert found.value_counts().to_dict() == {"≥ 1 to 2": 2, "> 2 to 4": 2, "> 4 to 6": 2, "> 6 to 8": 2}
    assert ranges(pd.Series([3.0, 3.0])).tolist() == ["3", "3"]
    assert ranges(pd.Series([np.nan, np.nan])).isna().all()


def test_what_does_not_vary_or_never_meets_has_no_mutual_association() -> None:
    frame = pd.DataFrame({"a": ["x", "y", None, None], "b": [None, None, "x", "y"], "c": ["x"] * 4})
    found = mutual_association(frame, ["a", "b", "c"])
    assert math.isnan(found.loc["a", "b"])
    assert math.isnan(found.loc["a", "c"])
    assert clusters(frame, ["a", "b", "c"])["cluster"].tolist() == [1, 2, 3]


def test_a_feature_of_a_thousand_categories_stays_alone() -> None:
    frame = pd.DataFrame({"name": [f"n{i // 2}" for i in range(2000)], "side": ["l", "r"] * 1000})
    assert clusters(frame, ["name", "side"])["cluster"].tolist() == [1, 2]
