"""The seal of a result set: what in it, or in the archive behind it, is no longer as it was."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from forensics.records import InputError
from forensics.result_files import SEAL, file_sum, read_rows, read_shard, sealed_files, shard_names
from forensics.result_rows import record_digest


def differences(directory: Path) -> list[str]:
    """What differs from the seal: one line for each file, and for each build whose rows changed. Empty: nothing does.

    Raises InputError where the folder holds no sealed results.
    """
    try:
        seal = (directory / SEAL).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{directory}/{SEAL}: cannot be read ({error.strerror}); this is no sealed set") from None
    expected = {}
    for line in seal.splitlines():
        value, _, name = line.partition("  ")
        expected[name] = value
    held = set(sealed_files(directory))
    found = [f"{name}: is not in the seal" for name in sorted(held - expected.keys())]
    suspects = set()
    for name in sorted(expected):
        now = file_sum(directory / name)
        if now != expected[name]:
            found.append(f"{name}: {'is missing' if now is None else 'was changed'}")
            suspects.add(Path(name).stem)
    for shard in sorted(suspects & {Path(name).stem for name in expected if name.startswith("builds/")}):
        found += list(_changed_builds(directory, shard))
    return found


def _changed_builds(directory: Path, shard: str) -> Iterator[str]:
    named: list[str] = []
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        named = json.loads((directory / "shards" / f"{shard}.json").read_bytes())["builds"]
    try:
        builds, _ = read_shard(directory, shard)
        recorded = {row["build"]: row["record"] for row in read_rows(directory / "builds" / f"{shard}.parquet")}
    except (InputError, KeyError, TypeError, ValueError, msgspec.ValidationError):
        yield f"{shard}: a table can't be read; it held {len(named)} builds: {', '.join(map(str, named[:20]))}"
        return
    for build in builds:
        if recorded[build.id] != record_digest(build):
            yield f"build {build.id}: its rows were changed"
    for build_id in sorted(set(named) - {build.id for build in builds}):
        yield f"build {build_id}: is missing"


def changed_files(directory: Path, found: Iterable[tuple[str, Mapping[str, str]]]) -> Iterator[str]:
    """What differs between builds as they are now and the sums that were recorded of them: one line for each file.

    `found` gives (build id, SHA-256 by path) of the builds as they are now.
    """
    now = dict(found)
    for name in shard_names(directory):
        builds = read_rows(directory / "builds" / f"{name}.parquet")
        recorded: dict[str, dict[str, str]] = {row["build"]: {} for row in builds}
        for row in read_rows(directory / "files" / f"{name}.parquet"):
            recorded[row["build"]][row["path"]] = row["sha256"]
        for build, sums in recorded.items():
            if build not in now:
                yield f"build {build}: is not in the archive"
                continue
            held = now.pop(build)
            for path in sorted(sums.keys() | held.keys()):
                if path not in held:
                    yield f"build {build}: {path} is missing"
                elif path not in sums:
                    yield f"build {build}: {path} is new"
                elif sums[path] != held[path]:
                    yield f"build {build}: {path} was changed"
    for build in sorted(now):
        yield f"build {build}: is new"
