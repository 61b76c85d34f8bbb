"""Builds made of texts, for tests that ask one scanner or one fact without a folder on disk."""

from __future__ import annotations

from collections.abc import Mapping

from forensics.build import Build, FileEntry
from forensics.cache import PackStore
from forensics.facts import Facts
from forensics.facts.rendered import RenderedPage, rendered_pages
from forensics.facts.script_modules import ScriptModules
from forensics.records import Verdict
from forensics.scanner import Context, Scanner
from forensics.syntax.index import FileIndex, Lowered


def facts_of(files: Mapping[str, str]) -> Facts:
    """The facts of a build with these files."""
    texts = {path: text.encode() for path, text in files.items()}
    build = Build("app", {}, [FileEntry(path, len(data)) for path, data in texts.items()], texts.__getitem__)
    return Facts(build, FileIndex(build, Lowered(PackStore(None))))


def verdict_of(scanner: Scanner, files: Mapping[str, str]) -> Verdict:
    """What one scanner says of these files."""
    return scanner.scan(facts_of(files), Context())


def page_of(files: Mapping[str, str]) -> RenderedPage:
    """The first page of these files, rendered."""
    facts = facts_of(files)
    return next(rendered_pages(facts, ScriptModules(facts)))
