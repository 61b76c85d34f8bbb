"""Holds the evaluator against a real Node process: what each program's `result` is there, and what it is here."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from forensics.build import Build, FileEntry
from forensics.facts import node_host
from forensics.facts import values as v
from forensics.facts.interpreter import Interpreter, own_keys
from forensics.facts.node_host import NodeHost
from forensics.facts.packages import read_packages
from forensics.facts.resolution import Resolver
from forensics.syntax.index import FileIndex
from forensics.syntax.lowering import lower
from tests.facts.generated_programs import SET_VARIABLES, UNSET_VARIABLES, Program, runner

NODE = shutil.which("node")


class Uncached:
    """Lowers without a store; the sources in `typed` as TypeScript, whatever their file is called."""

    def __init__(self, typed: frozenset[bytes] = frozenset()) -> None:
        self.typed = typed

    def get(self, language: Any, digest: str, source: bytes) -> Any:
        return lower("typescript" if source in self.typed else language, source)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`verdict`: same, unknown (not told, or only in part), wrong, or throws (in Node; there is no value)."""

    program: Program
    verdict: str
    expected: object
    found: object


def interpreter_for(
    files: dict[str, str],
    entry: str = "",
    environment: dict[str, str] | None = None,
    typed: frozenset[bytes] = frozenset(),
) -> Interpreter:
    """An evaluator of files given by path."""
    texts = {path: text.encode("utf-8", "surrogatepass") for path, text in files.items()}
    build = Build("app", {}, [FileEntry(path, len(text)) for path, text in texts.items()], texts.__getitem__)
    index = FileIndex(build, Uncached(typed))  # type: ignore[arg-type]
    resolver = Resolver(build, read_packages(build, index.document))
    return Interpreter(NodeHost(build, index, resolver, environment=environment or {}, entry=entry))


def compare(programs: Sequence[Program], folder: Path) -> list[Outcome]:
    """Run all programs in one Node process below `folder`, evaluate each, and say where they differ."""
    named = [(f"p{number:05}", program) for number, program in enumerate(programs)]
    observed = _observe(named, folder)
    outcomes = []
    for (name, program), seen in zip(named, observed, strict=True):
        with mock.patch.object(node_host, "ROOT", str(folder)):
            found = evaluate(name, program)
        if "thrown" in seen:
            outcomes.append(Outcome(program, "throws", seen["thrown"], found))
            continue
        outcomes.append(Outcome(program, agreement(seen["result"], found), seen["result"], found))
    return outcomes


def _observe(named: list[tuple[str, Program]], folder: Path) -> list[dict[str, Any]]:
    for name, program in named:
        for path, text in program.files.items():
            target = folder / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    (folder / "run.mjs").write_text(runner(named), encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key not in UNSET_VARIABLES} | SET_VARIABLES
    assert NODE is not None
    command = [NODE, "--no-warnings", "run.mjs", "found.json"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    found: list[dict[str, Any]] = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    return found


def evaluate(name: str, program: Program) -> Any:
    """`result` of a program as tagged JSON data; `{"$": "unknown"}` stands for what isn't known."""
    files = {f"{name}/{path}": text for path, text in (program.files | program.evaluated).items()}
    typed = frozenset(text.encode() for text in program.evaluated.values())
    entry = f"{name}/{program.entry}"
    interpreter = interpreter_for(files, entry, SET_VARIABLES, typed)
    return encoded(interpreter, interpreter.evaluate_export(entry, "result"))


def encoded(interpreter: Interpreter, value: Any, depth: int = 0) -> Any:
    """A value as the runner's `encode` writes it."""

    def inner(item: Any) -> Any:
        return encoded(interpreter, item, depth + 1)

    unknown = {"$": "unknown", "value": v.reason_of(value)}
    if depth > 12:
        return {"$": "deep"}
    if isinstance(value, v.Undefined):
        return {"$": "undefined"}
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        if value == 0 and math.copysign(1, value) < 0:
            return {"$": "number", "value": "-0"}
        return value if math.isfinite(value) else {"$": "number", "value": v.number_to_string(value)}
    if isinstance(value, v.BigIntValue):
        return {"$": "bigint", "value": str(value.digits)}
    if isinstance(value, (v.Closure, v.Builtin, v.ClassValue)):
        return {"$": "function"}
    if isinstance(value, v.RegExp):
        return {"$": "regexp", "value": f"/{value.pattern}/{value.flags}"}
    if isinstance(value, v.UrlValue) and isinstance(value.href, str):
        return {"$": "url", "value": value.href}
    if isinstance(value, v.JsArray):
        return [inner(item) for item in value.items] if value.complete else unknown
    if isinstance(value, v.JsMap):
        if not value.complete:
            return unknown
        if value.is_set:
            return {"$": "set", "value": [inner(key) for key in interpreter.iterate(value)]}
        return {
            "$": "map",
            "value": [[inner(pair.items[0]), inner(pair.items[1])] for pair in interpreter.iterate(value)],
        }
    if isinstance(value, v.JsObject) and value.complete:
        if isinstance(interpreter.keys(value), v.Unknown):
            return unknown
        return {
            "$": "object",
            "value": [[key, inner(interpreter.member(value, key))] for key in own_keys(value.properties)],
        }
    return unknown


def agreement(expected: Any, found: Any) -> str:
    """same, unknown or wrong; what is unknown agrees with anything, and so do what the encoding can't show."""
    if isinstance(found, dict) and found["$"] == "unknown":
        return "unknown"
    if isinstance(expected, dict) and isinstance(found, dict):
        if expected["$"] != found["$"]:
            return "wrong"
        return agreement(expected.get("value"), found.get("value"))
    if isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            return "wrong"
        verdicts = {agreement(one, other) for one, other in zip(expected, found, strict=True)}
        return "wrong" if "wrong" in verdicts else "unknown" if "unknown" in verdicts else "same"
    if isinstance(expected, bool) or isinstance(found, bool):
        return "same" if expected is found else "wrong"
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        return "same" if float(expected) == float(found) else "wrong"
    return "same" if expected == found else "wrong"
