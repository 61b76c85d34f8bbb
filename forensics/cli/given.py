"""Files that a user gives beside an archive: starters, contracts, labels, baselines."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from forensics.containers.directory import chunks_of, list_directory
from forensics.contexts import Given
from forensics.limits import Limits
from forensics.records import InputError


def given_contexts(
    starter: Path | None, starters: Path | None, contract: str | None, contracts: Path | None, limits: Limits
) -> list[Given]:
    """What the four options say, the ones for all builds last, so that the ones by label go before them.

    `--starters` is TOML with a table `[[starter]]` for each tree: `path`, relative to the file, and the labels of the
    builds that began from it. `--contracts` likewise: `[[contract]]` with `contract`, a name or a path.
    """
    given: list[Given] = []
    if starters is not None:
        for labels, path in _entries(starters, "starter", "path"):
            given.append(Given(labels, starter=_tree(starters.parent / path, limits)))
    if contracts is not None:
        for labels, name in _entries(contracts, "contract", "contract"):
            given.append(Given(labels, contract=_contract(name, contracts.parent)))
    if starter is not None:
        given.append(Given({}, starter=_tree(starter, limits)))
    if contract is not None:
        given.append(Given({}, contract=_contract(contract, Path())))
    return given


def _entries(path: Path, table: str, key: str) -> Iterator[tuple[dict[str, str], str]]:
    entries = _toml(path).get(table)
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path}: holds no [[{table}]] table")
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get(key), str):
            raise InputError(f"{path}: a [[{table}]] table lacks '{key}'")
        yield {name: str(value) for name, value in entry.items() if name != key}, entry[key]


def _tree(folder: Path, limits: Limits) -> dict[str, bytes]:
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; --starter takes the starter's tree")
    listing = list_directory(str(folder), "", limits)
    tree = {
        member.path: b"".join(chunks_of(str(folder), "", member))
        for member in listing.members
        if member.size <= limits.file_size
    }
    if not tree:
        raise InputError(f"{folder}: the starter holds no file")
    return tree


def _contract(name: str, base: Path) -> dict[str, object]:
    if name.endswith(".toml"):
        return _toml(base / name)
    shipped = files("scanners") / "contracts"
    place = shipped / f"{name}.toml"
    if not place.is_file():
        known = sorted(entry.name.removesuffix(".toml") for entry in shipped.iterdir()) if shipped.is_dir() else []
        raise InputError(f"--contract {name}: give a .toml file or one of: {', '.join(known) or 'none ships yet'}")
    return tomllib.loads(place.read_text(encoding="utf-8"))


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not valid TOML ({error})") from None


def read_text(path: Path) -> str:
    """A text file in UTF-8, its byte order mark dropped. Raises InputError where it can't be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text; save it as UTF-8") from None


def known_findings(path: Path) -> dict[str, list[str]]:
    """Build id to the fingerprints of its findings in an earlier output."""
    from reports.baseline import read_baseline

    return {build: sorted(fingerprints) for build, fingerprints in read_baseline(path).items()}
