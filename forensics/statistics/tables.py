"""One data frame of builds for every estimator: a row a build, label columns and feature columns kept apart.

The statistical unit is the build. A build table comes from a result set (a directory of Parquet tables) or from any
CSV with one row a build; both give the same shape, so that no estimator knows where its rows came from.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
from msgspec import Struct, field

from forensics.records import InputError

LABEL_NAMES = frozenset(
    {
        *("model", "task", "condition", "run", "run_id", "batch", "archive", "build", "id", "seed", "date", "version"),
        *("agent", "harness", "prompt", "template", "replicate", "trial", "provider", "experiment"),
    }
)
"""Column names of a CSV that say where a build comes from and are therefore never features."""

LABEL_PREFIX = "label_"
"""Prefix of the label columns in the `builds` table of a result set."""


class BuildTable(Struct, frozen=True, kw_only=True):
    """Builds, one a row.

    `source` is the path as given, for messages. `frame` has the column `build` (str, unique), every label column
    (object: str, or None where missing), every categorical feature (object: str, or None where missing) and every
    numeric feature (float64, NaN where missing); its index is 0 … n−1. `labels`, `categorical` and `numeric` name
    columns of `frame`, in the order of the source. `set_aside` names the columns that are neither, with the reason.
    `findings` (columns as in the result set, at least `build` and `rule`) and `verdicts` (`build`, `scanner`,
    `status`) are empty frames for a CSV. `digest` is the SHA-256 (hex) of the CSV, or of the seal of the result set;
    "" for a data frame.
    """

    source: str
    frame: pd.DataFrame
    labels: tuple[str, ...]
    categorical: tuple[str, ...]
    numeric: tuple[str, ...]
    set_aside: dict[str, str] = field(default_factory=dict)
    findings: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=["build", "rule"]))
    verdicts: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=["build", "scanner", "status"]))
    digest: str = ""

    @property
    def features(self) -> tuple[str, ...]:
        """Categorical features, then numeric ones."""
        return (*self.categorical, *self.numeric)


def read_builds(source: str | Path, labels: Iterable[str] = ()) -> BuildTable:
    """The build table of a result set (a directory) or of a CSV.

    `labels` are further columns of a CSV, or features of a result set, to take as labels, whatever their name. Raises
    InputError where the source is absent, unreadable, empty, or holds no build.
    """
    path = Path(source)
    if not path.exists():
        raise InputError(f"{source}: no such file or directory; give a result set of `forensics scan` or a CSV")
    if path.is_dir():
        return _result_builds(path, set(labels))
    try:
        content = path.read_bytes()
        frame = pd.read_csv(
            io.BytesIO(content), keep_default_na=False, na_values=[""], low_memory=False, encoding="utf-8-sig"
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, OSError) as error:
        raise InputError(f"{source}: can't be read as CSV: {_one_line(error)}") from error
    table = builds_of(frame, labels=labels, source=str(source))
    return msgspec.structs.replace(table, digest=hashlib.sha256(content).hexdigest())


def builds_of(frame: pd.DataFrame, labels: Iterable[str] = (), source: str = "the data frame") -> BuildTable:
    """The build table of a data frame with one row a build (for notebooks, and for CSVs).

    Label columns are those named in `labels` or in `LABEL_NAMES`. Of the others, text and booleans are categorical, and
    so are numbers that are only ever 0 or 1; further numbers are numeric; a column without any value and a text column
    that is different in every row are set aside. Raises InputError for a frame without rows or with repeated columns.
    """
    if frame.empty:
        raise InputError(f"{source}: holds no build")
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InputError(f"{source}: column '{repeated[0]}' occurs more than once")
    wanted = set(labels) | LABEL_NAMES
    frame = frame.rename(columns=str).reset_index(drop=True)
    label_columns = [name for name in frame.columns if name in wanted and name != "build"]
    columns: dict[str, pd.Series[Any]] = {"build": _build_ids(frame)}
    columns |= {name: _as_text(frame[name]) for name in label_columns}
    feature_columns = [name for name in frame.columns if name not in columns]
    categorical, numeric, set_aside = _sort_features(frame, feature_columns, columns)
    return BuildTable(
        source=source,
        frame=pd.DataFrame(columns),
        labels=tuple(label_columns),
        categorical=tuple(categorical),
        numeric=tuple(numeric),
        set_aside=set_aside,
    )


def require_labels(table: BuildTable, names: Iterable[str]) -> None:
    """Raises InputError, naming the labels there are, unless every name is a label of the table with some value."""
    for name in names:
        if name not in table.labels:
            offered = ", ".join(table.labels) or "none"
            raise InputError(f"{table.source}: no label column '{name}'; labels there: {offered}")
        if table.frame[name].isna().all():
            raise InputError(f"{table.source}: label column '{name}' is empty")


def require_features(table: BuildTable, names: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """(categorical, numeric) features among `names`; every feature where no name is given.

    Raises InputError for a name that is no feature, with the reason where its column was set aside.
    """
    for name in names:
        if name in table.set_aside:
            raise InputError(f"{table.source}: column '{name}' can't serve as a feature: {table.set_aside[name]}")
        if name not in table.features:
            offered = ", ".join(table.features) or "none"
            raise InputError(f"{table.source}: no feature '{name}'; features there: {offered}")
    chosen = set(names or table.features)
    return (
        [name for name in table.categorical if name in chosen],
        [name for name in table.numeric if name in chosen],
    )


def _result_builds(directory: Path, wanted: set[str]) -> BuildTable:
    from forensics import results

    tables = results.tables(directory)
    builds, features = tables["builds"], tables["features"]
    if builds.empty:
        raise InputError(f"{directory}: holds no build")
    names = {name: name.removeprefix(LABEL_PREFIX) for name in builds.columns if name.startswith(LABEL_PREFIX)}
    columns: dict[str, pd.Series[Any]] = {"build": builds["build"].astype(str).reset_index(drop=True)}
    columns |= {short: _as_text(builds[name].reset_index(drop=True)) for name, short in names.items()}
    labels = [name for name in columns if name != "build"]
    if "archive" in builds.columns and "archive" not in columns:
        columns["archive"] = _as_text(builds["archive"].reset_index(drop=True))
        labels.append("archive")
    values = features.set_index("build").reindex(columns["build"]).reset_index(drop=True)
    # A feature may bear the name of a label (a scanner may well report a `version`): the label keeps the name.
    values = values.rename(columns={name: f"{name} (feature)" for name in values.columns if name in columns})
    for name in values.columns:
        if name in wanted:
            columns[name] = _as_text(values[name])
            labels.append(name)
    features_left = [name for name in values.columns if name not in columns]
    categorical, numeric, set_aside = _sort_features(values, features_left, columns)
    seal = directory / "SHA256SUMS"
    return BuildTable(
        source=str(directory),
        frame=pd.DataFrame(columns),
        labels=tuple(labels),
        categorical=tuple(categorical),
        numeric=tuple(numeric),
        set_aside=set_aside,
        findings=tables["findings"].reset_index(drop=True),
        verdicts=tables["verdicts"].reset_index(drop=True),
        digest=hashlib.sha256(seal.read_bytes()).hexdigest() if seal.is_file() else "",
    )


def _sort_features(
    frame: pd.DataFrame, names: Iterable[str], columns: dict[str, pd.Series[Any]]
) -> tuple[list[str], list[str], dict[str, str]]:
    """Categorical features, numeric ones, and columns set aside; feature columns are put into `columns`."""
    categorical: list[str] = []
    numeric: list[str] = []
    set_aside: dict[str, str] = {}
    for name in names:
        series = frame[name]
        known = series.dropna()
        if known.empty:
            set_aside[name] = "no value in any row"
        elif _is_numeric(known):
            columns[name] = pd.to_numeric(series).astype("float64")
            numeric.append(name)
        elif len(known) > 2 and known.astype(str).nunique() == len(known) == len(series):
            set_aside[name] = "different in every row"
        else:
            columns[name] = _as_text(series)
            categorical.append(name)
    return categorical, numeric, set_aside


def _is_numeric(known: pd.Series[Any]) -> bool:
    """Whether the values are numbers, and not only the 0 and 1 of an indicator. Booleans are none."""
    if pd.api.types.is_bool_dtype(known) or known.map(lambda value: isinstance(value, bool)).any():
        return False
    if not pd.api.types.is_numeric_dtype(known):
        if known.map(lambda value: isinstance(value, str)).any():
            return False
        known = pd.to_numeric(known)
    return not known.isin([0, 1]).all()


def _as_text(series: pd.Series[Any]) -> pd.Series[Any]:
    """Values as str, missing ones as None. Whole numbers lose the `.0` that a missing value elsewhere gave them."""
    if pd.api.types.is_float_dtype(series) and (series.dropna() % 1 == 0).all():
        series = series.astype("Int64")
    return series.astype(object).map(lambda value: None if pd.isna(value) else str(value)).astype(object)


def _build_ids(frame: pd.DataFrame) -> pd.Series[Any]:
    """The column `build` where it is complete and unique, else the row's number in the file, the header being row 1."""
    if "build" in frame.columns and frame["build"].notna().all() and frame["build"].is_unique:
        return frame["build"].astype(str).astype(object)
    return pd.Series([f"row {number + 2}" for number in range(len(frame))], dtype=object)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
