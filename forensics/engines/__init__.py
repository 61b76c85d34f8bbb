"""Engines: what carries a scan out. Each takes shards of builds and gives them back finished, in any order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct

from forensics.archive import BuildReference
from forensics.runner import Scanned


class Shard(Struct, frozen=True):
    """Builds that are scanned and written together."""

    name: str
    references: list[BuildReference]


class FinishedShard(Struct, frozen=True):
    """A shard after its scan. `scanned` is None where the engine's worker has written the shard to disk itself."""

    name: str
    builds: int
    scanned: list[Scanned] | None


class Engine(Protocol):
    """Takes shards, gives finished ones. Delivery is at least once: a shard's name decides where it is written."""

    def submit(self, shard: Shard) -> None:
        """Hands a shard over; it may be scanned from now on."""

    def as_completed(self) -> Iterator[FinishedShard]:
        """Every shard that was submitted, each once, as it is finished."""
