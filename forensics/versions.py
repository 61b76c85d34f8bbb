"""What a cached answer depends on beside its input: the grammars, and this program's own code.

Digests are taken over source files, so that a developer who edits a rule or the lowering never sees a stale answer.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from importlib.util import find_spec

_GRAMMARS = ("tree_sitter", "tree_sitter_css", "tree_sitter_html", "tree_sitter_javascript", "tree_sitter_json")
_LIBRARIES = (*_GRAMMARS, "tree_sitter_typescript")
_SUFFIXES = (".py", ".toml", ".json", ".csv")


@cache
def syntax_digest() -> str:
    """Of all that a file's IR depends on beside the file: the lowering's code and the grammars' versions."""
    total = hashlib.sha256()
    _add_folder(total, os.path.join(_package_folder("forensics"), "syntax"))
    for name in _LIBRARIES:
        total.update(f"{name} {_installed_version(name)}\n".encode())
    return total.hexdigest()


@cache
def rules_digest() -> str:
    """Of all that a verdict depends on beside the build: syntax, facts, scanners and the records they meet in."""
    total = hashlib.sha256(syntax_digest().encode())
    core = _package_folder("forensics")
    _add_folder(total, os.path.join(core, "facts"))
    for name in ("build.py", "snippets.py", "records.py", "results.py", "runner.py", "scanner.py"):
        _add_file(total, core, name)
    _add_folder(total, _package_folder("scanners"))
    return total.hexdigest()


def _package_folder(name: str) -> str:
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"the package {name} is not installed with the command", name=name)
    return spec.submodule_search_locations[0]


def _add_folder(total: hashlib._Hash, folder: str) -> None:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("examples", "__pycache__"))
        for name in sorted(names):
            if name.endswith(_SUFFIXES):
                _add_file(total, folder, os.path.relpath(os.path.join(place, name), folder))


def _add_file(total: hashlib._Hash, folder: str, name: str) -> None:
    path = os.path.join(folder, name)
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read()
        total.update(f"{name.replace(os.sep, '/')} {len(data)}\n".encode() + data)


def _installed_version(name: str) -> str:
    """The version from the name of the package's dist-info folder: `importlib.metadata` takes 20 ms to import."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return "absent"
    site = os.path.dirname(os.path.dirname(spec.origin))
    for entry in sorted(_listed(site)):
        if entry.startswith(f"{name}-") and entry.endswith(".dist-info"):
            return entry[len(name) + 1 : -len(".dist-info")]
    from importlib.metadata import version

    return version(name)


@cache
def _listed(folder: str) -> tuple[str, ...]:
    return tuple(os.listdir(folder))
