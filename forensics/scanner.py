"""What a scanner is: a name, its statuses, its rules and one function over the facts of a build."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from forensics.records import Rule, Status, Verdict

if TYPE_CHECKING:
    from forensics.facts import Facts


class Context(Struct, frozen=True, kw_only=True):
    """What the user gave beside the archive.

    `starter` maps path to bytes of the starter tree that the build began from (None: none given); `contract` is the
    parsed stack contract (None: none given); `trust_build`: configuration and comments inside the build may suppress.
    """

    starter: Mapping[str, bytes] | None = None
    contract: Mapping[str, object] | None = None
    trust_build: bool = False
    options: Mapping[str, str] = field(default_factory=dict)


class Scanner(Struct, frozen=True, kw_only=True):
    """`scan(facts, context) -> Verdict`; its verdict's status is a value of `statuses`."""

    name: str
    statuses: type[Status]
    rules: tuple[Rule, ...]
    scan: Callable[[Facts, Context], Verdict]
