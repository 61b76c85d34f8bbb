"""Was the starter extended or replaced?

The published verdict counts a file with any changed byte as modified: `REWROTE` where more than half of the starter's
files are modified or deleted. Beside it stands what really happened: changes of format only, functions and lines that
survive, files that moved, and a verdict on that basis (the feature `rewrite_by_content`).

It can't see: code that was rewritten to the same syntax tree, functions renamed and moved at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from forensics.facts import Facts
from forensics.facts.starter import Comparison, compare_with_starter
from forensics.findings import finding
from forensics.records import Finding, Rule, Status, Verdict
from forensics.scanner import Context, Scanner


class RewriteStatus(Status):
    EXTENDED = "EXTENDED"
    REWROTE = "REWROTE"
    NO_STARTER = "NO-STARTER"
    UNKNOWN = "UNKNOWN"


_NO_ORACLE = "a comparison of two trees; no tool's behaviour is claimed"

STARTER_REPLACED = Rule(
    id="rewrite/starter-replaced",
    severity="error",
    summary="More than half of the starter's files were changed or deleted",
    why="The task was to extend a code base; a build that replaces it can't be reviewed as a change, and loses what the "
    "starter got right.",
    fix="Keep the starter's files and add to them.",
    blind_spots="A change of format alone counts as well in the published measure; the message says how much of it is.",
    no_oracle=_NO_ORACLE,
)
FILE_DELETED = Rule(
    id="rewrite/file-deleted",
    severity="warning",
    summary="A file of the starter is gone",
    why="What depends on it, in the task or in other work, no longer finds it.",
    fix="Restore it, or say why it went.",
    blind_spots="A file that was moved and changed beyond recognition.",
    no_oracle=_NO_ORACLE,
)


def scan(facts: Facts, context: Context) -> Verdict:
    """The rewrite verdict of a build against its starter."""
    if context.starter is None:
        return Verdict(scanner="rewrite", status=RewriteStatus.NO_STARTER.value, reason="no starter given")
    if not context.starter:
        return Verdict(scanner="rewrite", status=RewriteStatus.UNKNOWN.value, reason="the starter holds no files")
    comparison = compare_with_starter(facts.build, context.starter)
    status = RewriteStatus.REWROTE if comparison.churn > 0.5 else RewriteStatus.EXTENDED
    return Verdict(
        scanner="rewrite",
        status=status.value,
        findings=tuple(_findings(facts, comparison, status)),
        features={
            "rewrite_kept": len(comparison.kept),
            "rewrite_modified": len(comparison.modified),
            "rewrite_deleted": len(comparison.deleted),
            "rewrite_added": len(comparison.added),
            "rewrite_churn": round(comparison.churn, 3),
            "rewrite_format_only": len(comparison.format_only),
            "rewrite_moved": len(comparison.moved),
            "rewrite_lines_kept": round(comparison.lines_kept, 3),
            "rewrite_functions_kept": comparison.functions_kept,
            "rewrite_functions_changed": comparison.functions_changed,
            "rewrite_functions_removed": comparison.functions_removed,
            "rewrite_by_content": by_content(comparison).value,
        },
    )


def by_content(comparison: Comparison) -> RewriteStatus:
    """REWROTE where less than half of the starter's lines and less than half of its functions (unchanged, or changed
    under the same name) survive; changes of format and moved files count as surviving."""
    functions = comparison.functions
    survived = comparison.functions_kept + comparison.functions_changed
    few_functions = survived < functions / 2 if functions else True
    return RewriteStatus.REWROTE if comparison.lines_kept < 0.5 and few_functions else RewriteStatus.EXTENDED


def _findings(facts: Facts, comparison: Comparison, status: RewriteStatus) -> Iterator[Finding]:
    top = facts.location(next(iter(comparison.modified), next(iter(facts.build.files), "")), 0, 0)
    if status is RewriteStatus.REWROTE:
        changed = len(comparison.modified) + len(comparison.deleted)
        really = by_content(comparison)
        softer = f", {len(comparison.format_only)} of them in format only" if comparison.format_only else ""
        says = "its code is largely kept" if really is RewriteStatus.EXTENDED else "little of its code is kept"
        yield finding(
            STARTER_REPLACED,
            top,
            f"{changed} of the starter's {comparison.files} files were changed or deleted{softer}; {says}: "
            f"{comparison.lines_kept:.0%} of its lines, {comparison.functions_kept} of {comparison.functions} functions "
            "unchanged.",
            key="starter",
        )
    for path in comparison.deleted:
        target = comparison.moved.get(path)
        if target is not None:
            continue
        yield finding(
            FILE_DELETED, top, f"The starter's {path} is not in the build, under this or another name.", key=path
        )


SCANNER = Scanner(
    name="rewrite",
    statuses=RewriteStatus,
    rules=(STARTER_REPLACED, FILE_DELETED),
    scan=scan,
)
