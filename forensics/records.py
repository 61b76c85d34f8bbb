"""The records that scanners produce and reports show: rules, findings, verdicts, features."""

from __future__ import annotations

import enum
import hashlib
from typing import Literal

from msgspec import Struct, field

Severity = Literal["error", "warning", "note"]
Confidence = Literal["high", "medium", "low"]
Scalar = str | int | float | bool | None

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Rule(Struct, frozen=True, kw_only=True):
    """One thing a scanner can find, as data beside the code that finds it.

    `id` is `scanner/slug`. `summary` is one line; `why` says what fails at run time and on whose word (the source);
    `fix` how to mend it; `blind_spots` what the rule can't see; `since` the version it came with;
    `no_oracle` why no real tool can be run against it, where that is so.
    The rule's failing examples and near misses are the trees under `scanners/examples/<scanner>/<slug>/`.
    """

    id: str
    severity: Severity
    summary: str
    why: str
    fix: str
    blind_spots: str
    since: str = "0.1.0"
    sources: tuple[str, ...] = ()
    no_oracle: str = ""

    @property
    def scanner(self) -> str:
        return self.id.partition("/")[0]


class Location(Struct, frozen=True, kw_only=True):
    """A place in a file of the build. Lines and columns are 1-based, columns in Unicode code points; `end_column` is
    exclusive. `message` is said of related locations."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str = ""


class Edit(Struct, frozen=True, kw_only=True):
    """A mechanical mend: the text between the location's ends is replaced by `text`."""

    location: Location
    text: str


class Finding(Struct, frozen=True, kw_only=True):
    """One defect of one build.

    `message` says what happens to the user of the build, with the real names and numbers; `fix` how to mend this very
    one. `key` is what identifies the defect apart from where it stands (names, values), so that the fingerprint
    survives line shifts. `evidence` is the chain of facts that led here, for `--verbose`.
    `condition` names an archive-wide condition on which the finding depends; the reduction settles it.
    """

    rule: str
    severity: Severity
    confidence: Confidence
    message: str
    fix: str
    location: Location
    key: str
    related: tuple[Location, ...] = ()
    evidence: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    condition: str = ""

    def fingerprint(self, occurrence: int = 0) -> str:
        """SHA-256 (first 32 hex digits) of rule, path, key and the occurrence number among equal ones in the build."""
        parts = (self.rule, self.location.path, self.key, str(occurrence))
        return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class LaunchPath(Struct, frozen=True, kw_only=True):
    """One declared way to bring the page up: `name` is dev, start, preview or docker.

    `works` is None where it can't be told. `command` is the command that brings the page up by this path, whether
    declared as it stands or mended; "" where none does. `because` says why it does or doesn't.
    `steps` describe the launch plan for the report's diagram, one line each: "vite (root client/, port 5173)".
    """

    name: str
    works: bool | None
    command: str
    because: str
    steps: tuple[str, ...] = ()


class Verdict(Struct, frozen=True, kw_only=True):
    """A scanner's answer for one build. `status` is a value of the scanner's own enum; `reason` is required for UNKNOWN."""

    scanner: str
    status: str
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    features: dict[str, Scalar] = field(default_factory=dict)
    launch_paths: tuple[LaunchPath, ...] = ()


class BuildError(Struct, frozen=True, kw_only=True):
    """Coverage that was lost for a build: a limit, a crash, a time-out, bytes that could not be read."""

    path: str
    kind: str
    message: str


class Status(enum.StrEnum):
    """Base of every scanner's enum of statuses."""


class InputError(Exception):
    """Bad input from the user: one line that names the file and says what to do. The command ends with exit code 2."""
