"""What the user gave beside the archive, for every build of it: one starter and contract for all, or some by label."""

from __future__ import annotations

import msgspec
from msgspec import Struct, field

from forensics.cache import key_of
from forensics.scanner import Context


class Given(Struct, frozen=True):
    """A starter tree (path to bytes) or a parsed contract for the builds whose labels equal `labels`."""

    labels: dict[str, str]
    starter: dict[str, bytes] | None = None
    contract: dict[str, object] | None = None

    def fits(self, labels: dict[str, str]) -> bool:
        return all(labels.get(name) == value for name, value in self.labels.items())


class ContextRules(Struct, frozen=True, kw_only=True):
    """Which context a build is scanned in: of the starters and contracts that fit its labels, the first each."""

    given: list[Given] = field(default_factory=list)
    trust_build: bool = False
    options: dict[str, str] = field(default_factory=dict)

    def for_labels(self, labels: dict[str, str]) -> Context:
        fitting = [entry for entry in self.given if entry.fits(labels)]
        starter = next((entry.starter for entry in fitting if entry.starter is not None), None)
        contract = next((entry.contract for entry in fitting if entry.contract is not None), None)
        return Context(starter=starter, contract=contract, trust_build=self.trust_build, options=self.options)


def context_key(context: Context) -> bytes:
    """A digest of everything in a context that a verdict may depend on."""
    starter = None if context.starter is None else sorted(context.starter.items())
    contract = None if context.contract is None else msgspec.json.encode(context.contract, order="deterministic")
    return key_of(msgspec.msgpack.encode((starter, contract, context.trust_build, sorted(context.options.items()))))
