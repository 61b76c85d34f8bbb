"""Path patterns of tsconfig and jsconfig files (https://www.typescriptlang.org/tsconfig#paths)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forensics.build import Build
    from forensics.syntax.index import FileIndex

_NAME = re.compile(r"(?:.*/)?[tj]sconfig(?:\.[\w-]+)?\.json")


def tsconfig_paths(build: Build, files: FileIndex) -> dict[str, Mapping[str, tuple[str, ...]]]:
    """Build-relative targets by pattern, by the folder of the file that declares them. `extends` inside the build is
    followed; a pattern's own `baseUrl` counts from its file."""
    found: dict[str, Mapping[str, tuple[str, ...]]] = {}
    for path in build.files:
        if not _NAME.fullmatch(path):
            continue
        patterns = _paths(build, files, path, frozenset())
        if patterns:
            folder = posixpath.dirname(path)
            found[folder] = {**patterns, **found.get(folder, {})}
    return found


def _paths(build: Build, files: FileIndex, path: str, seen: frozenset[str]) -> dict[str, tuple[str, ...]]:
    document = files.document(path)
    value = document.value if document is not None else None
    if not isinstance(value, dict) or path in seen:
        return {}
    folder = posixpath.dirname(path)
    inherited: dict[str, tuple[str, ...]] = {}
    extended = value.get("extends")
    for parent in extended if isinstance(extended, list) else [extended]:
        if isinstance(parent, str) and parent.startswith("."):
            target = posixpath.normpath(posixpath.join(folder, parent))
            for candidate in (target, target + ".json"):
                if candidate in build.files:
                    inherited.update(_paths(build, files, candidate, seen | {path}))
    options = value.get("compilerOptions")
    if not isinstance(options, dict):
        return inherited
    base = options.get("baseUrl")
    origin = posixpath.join(folder, base) if isinstance(base, str) else folder
    paths = options.get("paths")
    for pattern, targets in paths.items() if isinstance(paths, dict) else ():
        if isinstance(targets, list):
            inherited[str(pattern)] = tuple(
                posixpath.normpath(posixpath.join(origin, item)) for item in targets if isinstance(item, str)
            )
    return inherited
