"""A study's contrasts, declared in TOML: which outcomes, which arms, over which runs, tested how.

A plan is written before the analysis and read here into records; nothing else knows a study's names. The plan of the
verification-surface study ships as `study_plan.toml` and is the default.
"""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, field

from forensics.records import InputError

Alternative = Literal["greater", "less", "two-sided"]
Where = dict[str, tuple[str, ...]]
"""Column → the values of it that a row may have; columns not named are free."""

DEFAULT_PLAN = "study_plan.toml"


class Outcome(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A measured column. Booleans count as 0 and 1. `absent` says why a published table may lack the column."""

    column: str
    transform: Literal["none", "log"] = "none"
    absent: str = ""


class Contrast(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arm `arms[0]` minus arm `arms[1]` of an outcome, over the rows that meet `where`.

    With `baseline` it is a difference in differences: the contrast over `where` minus that over `baseline`.
    `family` groups contrasts; those of the plan's `corrected` families get Holm-adjusted p-values. `alternative` is the
    one the study tests. `mixed` asks for the mixed-model cross-check. `published_p` stands for the p-value in the Holm
    family where the outcome's column is not in the table.
    """

    id: str
    title: str
    outcome: str
    arms: tuple[str, str]
    family: str = "primary"
    where: Where = field(default_factory=dict)
    baseline: Where = field(default_factory=dict)
    alternative: Alternative = "two-sided"
    mixed: bool = False
    published_p: float | None = None


class GroupTests(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contrast of two arms within each group by itself, once for every value of the column `split`.

    `values` lists those values in the order of the study. `exposure` is a column summed over arm A (how often the
    group used what the arm grants); `launched` an outcome counted in both arms.
    """

    id: str
    title: str
    outcome: str
    arms: tuple[str, str]
    split: str
    values: tuple[str, ...]
    exposure: str = ""
    launched: str = ""
    replayed: bool = False


class Ladder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Means of an outcome by block and arm. `given` restricts to rows where that outcome is 1; `pool` names the blocks
    of the pooled line (empty: all)."""

    id: str
    title: str
    outcome: str
    given: str = ""
    pool: tuple[str, ...] = ()


class Defect(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row has the defect where `column` holds one of `values`. Rows without a value, or with one of `undecided`, are
    undecided: they stay in the denominator, as published, and are counted apart."""

    id: str
    column: str
    values: tuple[str, ...]
    undecided: tuple[str, ...] = ()


class Exposure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often a run of the arm `arm` used what it grants: the mean of `column` per run, an empty cell being none."""

    id: str
    column: str
    arm: str


class Lift(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What tools give a group at most: the ladder's greatest mean over arms, minus that of `baseline`."""

    ladder: str
    baseline: str


class Plan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to compute from a table with one row a run.

    `arm`, `group` and `block` name the columns of the tool condition, the model and the task; strata are the
    combinations of group and block. `strip_suffix` maps a column to a suffix that its values lose. `sign_digits` rounds
    per-group differences before the sign test (None: not rounded). `arm_order` orders the columns of tables.
    """

    title: str
    arm: str
    group: str
    block: str
    outcomes: dict[str, Outcome]
    contrasts: tuple[Contrast, ...] = ()
    group_tests: tuple[GroupTests, ...] = ()
    ladders: tuple[Ladder, ...] = ()
    defects: tuple[Defect, ...] = ()
    exposures: tuple[Exposure, ...] = ()
    corrected: tuple[str, ...] = ("primary",)
    arm_order: tuple[str, ...] = ()
    strip_suffix: dict[str, str] = field(default_factory=dict)
    sign_digits: int | None = None
    lift: Lift | None = None
    seed: int = 0
    permutations: int = 10_000
    bootstrap: int = 5_000


def read_plan(path: str | Path | None = None) -> Plan:
    """The plan in a TOML file; the study's own where no path is given. Raises InputError with file and key."""
    if path is None:
        return _plan_of(resources.files("forensics.statistics").joinpath(DEFAULT_PLAN).read_text("utf-8"), DEFAULT_PLAN)
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: can't be read as a plan: {error}") from error
    return _plan_of(text, str(path))


def _plan_of(text: str, source: str) -> Plan:
    try:
        plan = msgspec.convert(tomllib.loads(text), Plan)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: not TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise InputError(f"{source}: {error}") from error
    _check(plan, source)
    return plan


def _check(plan: Plan, source: str) -> None:
    """Raises InputError where the plan names an outcome that it doesn't define, or an id twice."""
    used = [
        *((item.id, item.outcome) for item in plan.contrasts),
        *((item.id, item.outcome) for item in plan.group_tests),
        *((item.id, item.outcome) for item in plan.ladders),
        *((item.id, item.given) for item in plan.ladders if item.given),
        *((item.id, item.launched) for item in plan.group_tests if item.launched),
    ]
    for identifier, outcome in used:
        if outcome not in plan.outcomes:
            raise InputError(f"{source}: {identifier} names the outcome '{outcome}', which [outcomes] doesn't define")
    for identifiers in (
        [item.id for item in plan.contrasts],
        [item.id for item in plan.group_tests],
        [item.id for item in plan.ladders],
        [item.id for item in plan.defects],
    ):
        for identifier in identifiers:
            if identifiers.count(identifier) > 1:
                raise InputError(f"{source}: the id '{identifier}' is used more than once")
    for contrast in plan.contrasts:
        if contrast.arms[0] == contrast.arms[1]:
            raise InputError(f"{source}: {contrast.id} contrasts the arm '{contrast.arms[0]}' with itself")
        if contrast.baseline and not contrast.where:
            raise InputError(f"{source}: {contrast.id} has a baseline but no `where` to set against it")
    if plan.lift is not None and plan.lift.ladder not in [item.id for item in plan.ladders]:
        raise InputError(f"{source}: [lift] names the ladder '{plan.lift.ladder}', which isn't declared")
    if plan.permutations < 1 or plan.bootstrap < 1:
        raise InputError(f"{source}: `permutations` and `bootstrap` must be at least 1")
