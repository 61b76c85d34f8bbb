"""Environment files: dotenv syntax, and which of them Vite reads.

Sources: https://github.com/motdotla/dotenv#rules, https://vite.dev/guide/env-and-mode#env-files (vite/src/node/env.ts).
"""

from __future__ import annotations

import io
import posixpath
from typing import TYPE_CHECKING

from dotenv import dotenv_values

if TYPE_CHECKING:
    from forensics.build import Build


def read_dotenv(build: Build, path: str) -> dict[str, str] | None:
    """Variables of a dotenv file of the build, None where there is no such file."""
    if path not in build.files:
        return None
    values = dotenv_values(stream=io.StringIO(build.text(path)), interpolate=False)
    return {name: value or "" for name, value in values.items()}


def load_env(build: Build, mode: str, folder: str, prefixes: tuple[str, ...]) -> dict[str, str]:
    """Vite's `loadEnv` on the files of a folder (an absolute virtual path), later files last."""
    from forensics.facts.node_host import build_path

    inside = build_path(folder)
    found: dict[str, str] = {}
    if inside is None:
        return found
    for name in (".env", ".env.local", f".env.{mode}", f".env.{mode}.local"):
        found.update(read_dotenv(build, posixpath.join(inside, name)) or {})
    return {name: value for name, value in found.items() if name.startswith(prefixes)}
