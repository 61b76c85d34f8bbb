"""Environment files: what the readers of `.env` files make of them, and which of them Vite reads.

Two readers differ in small ways: the npm package dotenv (motdotla/dotenv `lib/main.js`; also inside dotenv-cli and Vite
up to 7) and Node's own (`src/node_dotenv.cc`: `--env-file`, `process.loadEnvFile`, `util.parseEnv`; Vite 8). Neither
reads them as python-dotenv does (`COLOR=#fff` is empty for both), so they are written out here.
Vite's choice of files: `vite/src/node/env.ts`, https://vite.dev/guide/env-and-mode#env-files. Expansion:
motdotla/dotenv-expand `lib/main.js`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from forensics.build import Build

Syntax = Literal["dotenv", "node"]

MAX_LENGTH = 100_000
MAX_EXPANSIONS = 200

_LINE = re.compile(
    r"""^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)"""
    r"""(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$""",
    re.MULTILINE | re.ASCII,
)
_QUOTED = re.compile(r"^(['\"`])([\s\S]*)\1$", re.MULTILINE)
_REFERENCE = re.compile(r"(?<!\\)\$\{([^{}]+)\}|(?<!\\)\$([A-Za-z_][A-Za-z0-9_]*)")
_OPERATOR = re.compile(r":\+|\+|:-|-")


def parse_dotenv(text: str, syntax: Syntax = "dotenv") -> dict[str, str]:
    """The variables of an environment file, without expansion of `$NAME`; of a name set twice the last one counts.

    Texts beyond 100,000 characters are cut.
    """
    # Long runs of blanks would make dotenv's expression backtrack; no reader cares how many there are.
    text = re.sub(r"[ \t]{50,}", " " * 50, text[:MAX_LENGTH])
    text = re.sub(r"\n{50,}", "\n" * 50, re.sub(r"\r\n?", "\n", text) if syntax == "dotenv" else text.replace("\r", ""))
    return _parse_as_node(text) if syntax == "node" else _parse_as_dotenv(text)


def _parse_as_dotenv(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _LINE.finditer(text):
        value = (match.group(2) or "").strip()
        is_double_quoted = value.startswith('"')
        value = _QUOTED.sub(lambda quoted: quoted.group(2), value)
        if is_double_quoted:
            value = value.replace("\\n", "\n").replace("\\r", "\r")
        found[match.group(1)] = value
    return found


def _parse_as_node(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    rest = text.strip(" \t\n")
    while rest:
        line, _, following = rest.partition("\n")
        if line == "" or line.startswith("#"):
            rest = following
            continue
        if "=" not in line:
            rest = following.strip(" \t\n")
            continue
        key, _, _ = line.partition("=")
        value = rest[len(key) + 1 :]
        key = key.strip(" \t\n")
        if value.startswith("\n") or not value:
            found[key] = ""
            rest = value[1:]
            continue
        key = key.removeprefix("export ").strip(" \t\n")
        if not key:
            rest = value
            continue
        value = value.strip(" \t\n")
        quote = value[:1]
        end = value.find(quote, 1) if quote and quote in "\"'`" else -1
        if end > 0:
            inner = value[1:end]
            found[key] = inner.replace("\\n", "\n") if quote == '"' else inner
            rest = value[end + 1 :].partition("\n")[2]
        else:
            line, _, rest = value.partition("\n")
            found[key] = line if quote and quote in "\"'`" else line.partition("#")[0].strip(" \t\n")
    return found


def expand(values: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """The values with `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME:+alternate}` put in, as dotenv-expand does:
    what the environment has wins, `\\$` is a dollar. Vite 5's older copy doesn't know `:+`."""
    expanded = dict(values)
    for name, value in values.items():
        known = {**expanded, **environment}
        final = environment[name] if environment.get(name) else _expanded(value, known, expanded)
        expanded[name] = final.replace("\\$", "$")
    return expanded


def _expanded(value: str, known: Mapping[str, str], running: Mapping[str, str]) -> str:
    seen = set()
    for _ in range(MAX_EXPANSIONS):
        found = _REFERENCE.search(value)
        if found is None or len(value) > MAX_LENGTH:
            break
        seen.add(value)
        expression = found.group(1) or found.group(2)
        operator = _OPERATOR.search(expression)
        name, default = expression, ""
        if operator:
            name, default = expression[: operator.start()], expression[operator.end() :]
        replacement = known.get(name, "")
        if operator and operator.group() in (":+", "+"):
            replacement = default if replacement else ""
        elif not replacement or replacement in seen:
            replacement = default
        value = value.replace(found.group(), replacement, 1)
        if value == running.get(name):
            break
    return value


def read_dotenv(build: Build, path: str, syntax: Syntax = "dotenv") -> dict[str, str] | None:
    """Variables of an environment file of the build, not expanded; None where there is no such file."""
    if path not in build.files:
        return None
    return parse_dotenv(build.text(path), syntax)


def env_file_names(mode: str) -> tuple[str, ...]:
    """The files that Vite reads for a mode, later ones winning."""
    return (".env", ".env.local", f".env.{mode}", f".env.{mode}.local")


def load_env(
    build: Build,
    mode: str,
    folder: str,
    prefixes: tuple[str, ...],
    environment: Mapping[str, str] | None = None,
    syntax: Syntax = "dotenv",
) -> dict[str, str]:
    """Vite's `loadEnv` on the files of a folder (an absolute virtual path): later files win, `$NAME` is expanded, only
    names with one of the prefixes are kept, and what the process's environment has wins over the files."""
    from forensics.facts.node_host import build_path

    environment = environment or {}
    inside = build_path(folder)
    found: dict[str, str] = {}
    if inside is not None:
        for name in env_file_names(mode):
            found.update(read_dotenv(build, posixpath.join(inside, name), syntax) or {})
    loaded = {**expand(found, environment), **environment}
    return {name: value for name, value in loaded.items() if name.startswith(prefixes)}
