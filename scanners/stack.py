"""Was the mandated stack kept?

A stack contract (TOML) names what a build must declare and use and what it must not, each worth a point. Evidence is
code, never a comment or a document. Without a contract there is nothing to judge.

It can't see: use through a package that wraps the mandated one, code that is made at run time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from forensics.facts import Facts
from forensics.facts.interpreter import Site
from forensics.facts.inventory import Inventory
from forensics.facts.packages import Dependency
from forensics.findings import finding
from forensics.records import Finding, Location, Rule, Status, Verdict
from forensics.scanner import Context, Scanner


class StackStatus(Status):
    KEPT = "KEPT"
    DRIFTED = "DRIFTED"
    SUBSTITUTED = "SUBSTITUTED"
    UNKNOWN = "UNKNOWN"


_NO_ORACLE = "what a contract demands is a matter of the contract, not of a tool's behaviour"

MISSING_DEPENDENCY = Rule(
    id="stack/missing-dependency",
    severity="error",
    summary="No manifest declares a package that the contract demands",
    why="The stack contract names the package as mandated; after an install it is not there unless another brings it.",
    fix="Declare it in the manifest of the part that uses it.",
    blind_spots="Packages that are copied into the build.",
    no_oracle=_NO_ORACLE,
)
MISSING_EVIDENCE = Rule(
    id="stack/missing-evidence",
    severity="error",
    summary="The code shows no use of what the contract demands",
    why="A declared package that no code uses, or a mechanism that appears nowhere, is a mandate that was not met.",
    fix="Use the mandated part where the contract asks for it.",
    blind_spots="Use through a package that wraps it.",
    no_oracle=_NO_ORACLE,
)
SUBSTITUTED = Rule(
    id="stack/substituted",
    severity="error",
    summary="A package is used that the contract forbids",
    why="The contract names it as a substitute for the mandated part.",
    fix="Replace it by the mandated part.",
    blind_spots="",
    no_oracle=_NO_ORACLE,
)
DECLARED_UNUSED = Rule(
    id="stack/declared-unused",
    severity="note",
    summary="A package that the contract speaks of is declared and never used",
    why="A leftover in the manifest costs an install and misleads a reader, but it replaces nothing.",
    fix="Remove the declaration, or use the package.",
    blind_spots="Use through the command line only.",
    no_oracle=_NO_ORACLE,
)


@dataclass(frozen=True)
class _Point:
    """One point of a contract: earned or missed, with what shows it."""

    claim: str
    earned: bool
    evidence: tuple[Location, ...]
    finding: Finding | None = None


def scan(facts: Facts, context: Context) -> Verdict:
    """The stack verdict of a build under its contract."""
    if context.contract is None:
        return Verdict(scanner="stack", status=StackStatus.UNKNOWN.value, reason="no contract given")
    entries = context.contract.get("points")
    points = (
        [_judge(facts, entry) for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []
    )
    if not points:
        return Verdict(scanner="stack", status=StackStatus.UNKNOWN.value, reason="the contract names no points")
    findings = [point.finding for point in points if point.finding is not None]
    findings.extend(_unused(facts, context.contract))
    earned = sum(point.earned for point in points)
    if any(item.rule == SUBSTITUTED.id and item.severity == "error" for item in findings):
        status = StackStatus.SUBSTITUTED
    else:
        status = StackStatus.KEPT if earned == len(points) else StackStatus.DRIFTED
    return Verdict(
        scanner="stack",
        status=status.value,
        findings=tuple(findings),
        features={
            "fidelity_score": earned / len(points),
            "fidelity_missed": "; ".join(p.claim for p in points if not p.earned),
        },
    )


def _judge(facts: Facts, entry: Mapping[str, object]) -> _Point:
    claim = str(entry.get("claim", "a point of the contract"))
    if "dependency" in entry:
        return _dependency(facts, claim, str(entry["dependency"]))
    if "forbidden" in entry:
        names = entry["forbidden"]
        wanted = [str(name) for name in names] if isinstance(names, list) else [str(names)]
        return _forbidden(facts, claim, wanted, str(entry.get("instead_of", "the mandated part")))
    return _evidence(facts, claim, entry)


def _top(facts: Facts) -> Location:
    manifest = next((package.path for package in facts.packages), next(iter(facts.build.files), ""))
    return facts.location(manifest, 0, 0)


def _declared(facts: Facts, name: str) -> list[Dependency]:
    return [found for package in facts.packages if (found := package.dependency(name)) is not None]


def _dependency(facts: Facts, claim: str, name: str) -> _Point:
    declared = _declared(facts, name)
    if declared:
        places = tuple(facts.location(item.path, item.key_start, item.end, claim) for item in declared)
        return _Point(claim, True, places)
    used = facts.inventory.packages.get(name, ())
    what = f"{used[0].path} imports it" if used else "no code imports it either"
    where = facts.at(used[0]) if used else _top(facts)
    message = f"The contract demands {name}, which no manifest declares ({what})."
    return _Point(claim, False, (), finding(MISSING_DEPENDENCY, where, message, key=name))


def _sites(inventory: Inventory, entry: Mapping[str, object]) -> list[Site]:
    found: list[Site] = []
    if "import" in entry:
        found.extend(inventory.packages.get(str(entry["import"]), ()))
    if "name" in entry:
        found.extend(inventory.names.get(str(entry["name"]), ()))
    if "text" in entry:
        wanted = str(entry["text"])
        for text, sites in inventory.texts.items():
            if wanted in text:
                found.extend(sites)
    return found


def _evidence(facts: Facts, claim: str, entry: Mapping[str, object]) -> _Point:
    sites = _sites(facts.inventory, entry)
    if sites:
        return _Point(claim, True, tuple(facts.at(site, claim) for site in sites[:3]))
    wanted = " or ".join(str(entry[key]) for key in ("name", "import", "text") if key in entry)
    message = f"The contract demands that {claim}, but no code mentions {wanted}."
    return _Point(claim, False, (), finding(MISSING_EVIDENCE, _top(facts), message, key=wanted))


def _forbidden(facts: Facts, claim: str, names: list[str], instead_of: str) -> _Point:
    for name in names:
        declared = _declared(facts, name)
        used = facts.inventory.packages.get(name, ())
        if not declared and not used:
            continue
        if used:
            how = "declared and used" if declared else "used, though no manifest declares it,"
            message = f"{name} is {how} in {used[0].path} in place of {instead_of}."
            related = [facts.at(site, "used here") for site in used[1:4]]
            related += [facts.location(item.path, item.key_start, item.end, "declared here") for item in declared]
            return _Point(claim, False, (), finding(SUBSTITUTED, facts.at(used[0]), message, key=name, related=related))
        first = declared[0]
        message = f"{first.path} declares {name}, which the contract forbids in place of {instead_of}; no code uses it."
        where = facts.location(first.path, first.key_start, first.end)
        return _Point(claim, False, (), finding(SUBSTITUTED, where, message, key=name, severity="warning"))
    return _Point(claim, True, ())


def _unused(facts: Facts, contract: Mapping[str, object]) -> Iterator[Finding]:
    entries = contract.get("points")
    for entry in entries if isinstance(entries, list) else []:
        name = str(entry.get("dependency", "")) if isinstance(entry, Mapping) else ""
        for item in _declared(facts, name) if name else []:
            if name not in facts.inventory.packages:
                where = facts.location(item.path, item.key_start, item.end)
                yield finding(DECLARED_UNUSED, where, f"{item.path} declares {name}, and no code imports it.", key=name)


SCANNER = Scanner(
    name="stack",
    statuses=StackStatus,
    rules=(MISSING_DEPENDENCY, MISSING_EVIDENCE, SUBSTITUTED, DECLARED_UNUSED),
    scan=scan,
)
