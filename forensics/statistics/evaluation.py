"""How a scanner's verdicts compare with a table of labels: confusion, precision, recall, kappa, every disagreement.

Labels and statuses need not share their names: a naming renames either side, may say which names are defects (so that
"has it the defect" is judged beside "which one"), and may leave labels out. Resolutions overrule labels that were
undecided and later decided by hand. `UNKNOWN` stays a status of its own: never right, so it lowers recall, and no
claim, so it doesn't lower the precision of any class.
"""

from __future__ import annotations

import math
import string
import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
from msgspec import Struct, field

from forensics.records import InputError
from forensics.statistics.agreement import cohen_kappa, confusion
from forensics.statistics.intervals import wilson

UNKNOWN = "UNKNOWN"

STUDY_NAMING = "study_naming.toml"
"""The naming of the verification-surface study's labels, shipped; chosen by the name `study`."""


class Naming(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one scanner's labels and statuses relate: both are renamed before they are compared.

    `defects` are names (after renaming) that claim a defect. Builds whose label (as given) is in `leave_out` are not
    compared.
    """

    labels: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    defects: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()


class Evaluation(Struct, frozen=True, kw_only=True):
    """The comparison of one scanner with one column of labels.

    - `builds`: one row a compared build: `build`, `label_given`, `label`, `status_given`, `status`, `resolved` (bool),
      `agrees` (bool), `reason` (ours).
    - `confusion`: counts, rows labels, columns statuses, both over all names; `given` the same before renaming, over
      the labels and the statuses that occur.
    - `classes`: one row a name: `class`, `labelled`, `claimed`, `both`, `precision` and `recall` with Wilson's
      `_low`, `_high`, `reason` where one isn't defined.
    - `summary`: one row: `scanner`, `column`, `n`, `agree`, `agreement`, `kappa`, `kappa_low`, `kappa_high`, `unknown`,
      `unlabelled` (builds without a label), `missing` (labels without a build), `left_out`, `reason`; where the
      naming says which names are defects a second row, `column` "… (defect or not)".
    - `disagreements`: the rows of `builds` that don't agree.
    """

    builds: pd.DataFrame
    confusion: pd.DataFrame
    given: pd.DataFrame
    classes: pd.DataFrame
    summary: pd.DataFrame
    disagreements: pd.DataFrame


def read_naming(source: str | Path | None, scanner: str) -> Naming:
    """The scanner's part of a TOML file of namings, `study` for the shipped one; without a source nothing is renamed.

    The file has a table for each scanner, with tables `labels` and `statuses` and lists `defects` and `leave_out`.
    Raises InputError where the file can't be read or has no such table.
    """
    if source is None:
        return Naming()
    try:
        if str(source) == "study":
            text = resources.files("forensics.statistics").joinpath(STUDY_NAMING).read_text("utf-8")
        else:
            text = Path(source).read_text("utf-8")
        parsed = tomllib.loads(text)
        if scanner not in parsed:
            raise InputError(f"{source}: no table [{scanner}]; there are {', '.join(parsed) or 'none'}")
        return msgspec.convert(parsed[scanner], Naming)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(f"{source}: can't be read as a mapping: {error}") from error


def evaluate(
    verdicts: pd.DataFrame,
    findings: pd.DataFrame,
    labels: pd.DataFrame,
    label_id: str,
    scanner: str,
    column: str,
    naming: Naming | None = None,
    resolutions: pd.DataFrame | None = None,
) -> Evaluation:
    """Compares a scanner's statuses with labels.

    `verdicts` has `build`, `scanner`, `status`, `reason`; `findings` has `build`, `rule`, `message` (for the reason of
    a status); `labels` one row a build with the columns that `label_id` names ("{task}/{condition}/runs/{run_id}") and
    `column`. An id names a build where they are equal or where one is the start of the other at a "/".
    `resolutions` has an id in `app`, `build`, `id` or the columns of `label_id`, and the decided name in `resolved`,
    `resolved_status` or `column`. Raises InputError where a column is missing or no id names a build.
    """
    naming = naming or Naming()
    ours = _statuses(verdicts, scanner)
    given = _labels(labels, label_id, column)
    resolved = _resolutions(resolutions, label_id, column) if resolutions is not None else {}
    by_build, missing = _matched(list(ours.index), given)
    if not by_build:
        raise InputError(
            f"no label names a build: the first id is '{next(iter(given), '')}', the first build '{ours.index[0]}'"
        )
    decided, strangers = _matched(list(by_build), resolved)
    if strangers:
        raise InputError(f"the resolution for '{strangers[0]}' names no labelled build")
    reasons = _reasons(ours, findings, scanner)
    rows, left_out = [], 0
    for build, label in by_build.items():
        final = decided.get(build, label)
        if final in naming.leave_out:
            left_out += 1
            continue
        status = str(ours.at[build, "status"])
        shown_label, shown_status = naming.labels.get(final, final), naming.statuses.get(status, status)
        rows.append(
            {
                "build": build,
                "label_given": label,
                "label": shown_label,
                "status_given": status,
                "status": shown_status,
                "resolved": build in decided,
                "agrees": shown_label == shown_status and shown_status != UNKNOWN,
                "reason": reasons[build],
            }
        )
    if not rows:
        raise InputError(f"every labelled build is left out by the mapping ({', '.join(naming.leave_out)})")
    builds = pd.DataFrame(rows).sort_values("build", ignore_index=True)
    counts = {
        "unlabelled": len(ours) - len(by_build),
        "missing": len(missing),
        "left_out": left_out,
    }
    return Evaluation(
        builds=builds,
        confusion=_confusion(builds),
        given=pd.crosstab(builds["label_given"], builds["status_given"]),
        classes=_classes(builds, naming),
        summary=_summary(builds, naming, scanner, column, counts),
        disagreements=builds[~builds["agrees"]].reset_index(drop=True),
    )


def template_fields(template: str) -> list[str]:
    """The columns that an id template names. Raises InputError where it names none or is malformed."""
    try:
        names = [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
    except ValueError as error:
        raise InputError(f"--label-id '{template}': {error}") from error
    if not names or not all(names):
        raise InputError(f"--label-id '{template}' names no column; write for example '{{task}}/runs/{{run_id}}'")
    return names


def _statuses(verdicts: pd.DataFrame, scanner: str) -> pd.DataFrame:
    of_scanner = verdicts[verdicts["scanner"] == scanner]
    if of_scanner.empty:
        offered = ", ".join(sorted(set(verdicts["scanner"].astype(str)))) or "none"
        raise InputError(f"the results hold no verdict of the scanner '{scanner}'; scanners there: {offered}")
    return of_scanner.drop_duplicates("build").set_index("build")


def _labels(labels: pd.DataFrame, template: str, column: str) -> dict[str, str]:
    names = template_fields(template)
    for name in (*names, column):
        if name not in labels.columns:
            raise InputError(f"the labels have no column '{name}'; columns there: {', '.join(labels.columns)}")
    labelled = labels[labels[column].notna()]
    if labelled.empty:
        raise InputError(f"the labels' column '{column}' is empty")
    ids = _ids(labelled, template, names)
    repeated = ids[ids.duplicated()]
    if len(repeated):
        raise InputError(f"the labels have more than one row for '{repeated.iloc[0]}'")
    return dict(zip(ids, labelled[column].astype(str).str.strip(), strict=True))


def _resolutions(table: pd.DataFrame, template: str, column: str) -> dict[str, str]:
    values = next((name for name in ("resolved_status", "resolved", column) if name in table.columns), None)
    if values is None:
        raise InputError(f"the resolutions have no column 'resolved_status', 'resolved' or '{column}'")
    names = template_fields(template)
    if set(names) <= set(table.columns):
        ids = _ids(table, template, names)
    else:
        source = next((name for name in ("app", "build", "id", "run") if name in table.columns), None)
        if source is None:
            raise InputError(f"the resolutions have neither a column 'app', 'build' or 'id' nor {', '.join(names)}")
        ids = table[source].astype(str).str.strip("/ ")
    return dict(zip(ids, table[values].astype(str).str.strip(), strict=True))


def _ids(table: pd.DataFrame, template: str, names: Sequence[str]) -> pd.Series[Any]:
    parts = table[list(names)].astype(str).apply(lambda part: part.str.strip())
    ids = [template.format(**dict(zip(names, row, strict=True))) for row in parts.itertuples(index=False, name=None)]
    return pd.Series(ids, index=table.index, dtype=object).str.strip("/")


def _matched(builds: Sequence[str], named: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """Build → value of the id that names it, and the ids that name none (or more than one build)."""
    by_prefix: dict[str, list[str]] = {}
    for build in builds:
        parts = build.strip("/").split("/")
        for length in range(1, len(parts) + 1):
            by_prefix.setdefault("/".join(parts[:length]), []).append(build)
    exact = {build.strip("/"): build for build in builds}
    matched: dict[str, str] = {}
    unmatched: list[str] = []
    for identifier, value in named.items():
        parts = identifier.split("/")
        starts = ("/".join(parts[:length]) for length in range(len(parts), 0, -1))
        found = next((exact[start] for start in starts if start in exact), None)
        if found is None and len(by_prefix.get(identifier, ())) == 1:
            found = by_prefix[identifier][0]
        if found is None:
            unmatched.append(identifier)
        else:
            matched[found] = value
    return matched, unmatched


def _reasons(ours: pd.DataFrame, findings: pd.DataFrame, scanner: str) -> dict[str, str]:
    """Build → why we say so: the verdict's own reason, else its findings' messages, else that there are none."""
    messages: dict[str, list[str]] = {}
    if not findings.empty:
        of_scanner = findings[findings["rule"].astype(str).str.startswith(f"{scanner}/")]
        for build, rule, message in zip(of_scanner["build"], of_scanner["rule"], of_scanner["message"], strict=True):
            messages.setdefault(build, []).append(f"{rule}: {message}")
    reasons = {}
    for build, reason in zip(ours.index, ours["reason"].fillna("").astype(str), strict=True):
        found = messages.get(build, [])
        told = "; ".join(part for part in (reason, *found[:3]) if part)
        more = f" (and {len(found) - 3} more)" if len(found) > 3 else ""
        reasons[build] = told + more if told else "no finding"
    return reasons


def _names(builds: pd.DataFrame) -> list[str]:
    """All names, commonest label first, `UNKNOWN` last."""
    names = [
        *builds["label"].value_counts().sort_index(kind="stable").sort_values(ascending=False, kind="stable").index
    ]
    names += sorted(set(builds["status"]) - set(names))
    return [name for name in names if name != UNKNOWN] + [UNKNOWN] * (UNKNOWN in names)


def _confusion(builds: pd.DataFrame) -> pd.DataFrame:
    table = confusion(builds["label"], builds["status"], _names(builds))
    return table.rename_axis(index="label", columns="status")


def _classes(builds: pd.DataFrame, naming: Naming) -> pd.DataFrame:
    rows = [
        _class(name, builds["label"] == name, builds["status"] == name) for name in _names(builds) if name != UNKNOWN
    ]
    if naming.defects:
        has, says = builds["label"].isin(naming.defects), builds["status"].isin(naming.defects)
        rows.append(_class("any defect", has, says))
    return pd.DataFrame(rows)


def _class(name: str, labelled: pd.Series[bool], claimed: pd.Series[bool]) -> dict[str, Any]:
    both = int((labelled & claimed).sum())
    row: dict[str, Any] = {"class": name, "labelled": int(labelled.sum()), "claimed": int(claimed.sum()), "both": both}
    reasons = []
    for measure, total, why in (
        ("precision", row["claimed"], "never claimed: no precision"),
        ("recall", row["labelled"], "never labelled: no recall"),
    ):
        low, high = (float(end) for end in wilson(both, total))
        row |= {measure: both / total if total else math.nan, f"{measure}_low": low, f"{measure}_high": high}
        reasons += [] if total else [why]
    return row | {"reason": "; ".join(reasons)}


def _summary(builds: pd.DataFrame, naming: Naming, scanner: str, column: str, counts: dict[str, int]) -> pd.DataFrame:
    unknown = int((builds["status"] == UNKNOWN).sum())
    result = cohen_kappa(_confusion(builds).to_numpy())
    row = {"scanner": scanner, "column": column, "n": len(builds), "agree": int(builds["agrees"].sum())}
    row |= {"agreement": float(builds["agrees"].mean()), "kappa": result.kappa, "kappa_low": result.low}
    row |= {"kappa_high": result.high, "unknown": unknown, **counts, "reason": result.reason}
    rows = [row]
    if naming.defects:
        has, says = builds["label"].isin(naming.defects), builds["status"].isin(naming.defects)
        result = cohen_kappa(confusion(has, says, [False, True]).to_numpy())  # type: ignore[list-item]
        agree = int((has == says).sum())
        binary = {"column": f"{column} (defect or not)", "agree": agree, "agreement": agree / len(builds)}
        binary |= {"kappa": result.kappa, "kappa_low": result.low, "kappa_high": result.high, "reason": result.reason}
        rows.append(row | binary)
    return pd.DataFrame(rows)
