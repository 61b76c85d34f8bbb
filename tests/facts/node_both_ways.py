"""Holds what the evaluator says under open conditions against Node processes in which they went each way."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forensics.facts import values as v
from forensics.facts.interpreter import Effect, Interpreter
from tests.facts.generated_programs import ENCODE
from tests.facts.node_agreement import NODE, agreement, encoded, interpreter_for
from tests.facts.uncertain_programs import CONDITIONS, RUNNER, Program

EFFECT = "fs.mkdirSync"


def runs_of(programs: Sequence[Program], folder: Path) -> list[list[dict[str, Any]]]:
    """For each program, what every way its conditions can go gave: `result` or `thrown`, and the `log` of effects."""
    names = [f"p{number:05}.mjs" for number in range(len(programs))]
    for name, program in zip(names, programs, strict=True):
        (folder / name).write_text(program.text, encoding="utf-8")
    entries = json.dumps([f"./{name}" for name in names])
    (folder / "run.mjs").write_text(RUNNER.replace("ENCODE", ENCODE).replace("ENTRIES", entries), encoding="utf-8")
    assert NODE is not None
    found: list[list[dict[str, Any]]] = [[] for _ in programs]
    for answers in itertools.product(["yes", "no"], repeat=len(CONDITIONS)):
        environment = dict(os.environ) | dict(zip(CONDITIONS.values(), answers, strict=True))
        command = [NODE, "--no-warnings", "run.mjs", "found.json"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        for own, one in zip(found, json.loads((folder / "found.json").read_text(encoding="utf-8")), strict=True):
            own.append(one)
    return found


def problems(program: Program, runs: list[dict[str, Any]]) -> list[str]:
    """Where the evaluator says something that one of the runs contradicts."""
    interpreter = interpreter_for({"main.mjs": program.text}, "main.mjs")
    value = encoded(interpreter, interpreter.evaluate_export("main.mjs", "result"))
    effects = [effect for effect in interpreter.effects if effect.name == EFFECT and effect.phase == "startup"]
    found = []
    for run in runs:
        if "result" in run and agreement(run["result"], value) == "wrong":
            found.append(f"value {value} where Node gave {run['result']}")
        found += _effect_problems(interpreter, effects, run["log"])
    return found


def _effect_problems(interpreter: Interpreter, effects: list[Effect], log: list[str]) -> list[str]:
    if interpreter.thrown is not None:
        return []
    certain = [effect for effect in effects if effect.certain]
    found = [
        f"the certain effect {effect.arguments[0]!r} is not in {log}"
        for effect in certain
        if not any(_may_be(effect.arguments[0], label) for label in log)
    ]
    once = [effect for effect in certain if log.count(effect.arguments[0]) == 1]
    once = [effect for effect in once if sum(other.arguments[0] == effect.arguments[0] for other in effects) == 1]
    for one, other in itertools.combinations(once, 2):
        before = log.index(one.arguments[0]) < log.index(other.arguments[0])
        if not before and happens_before(one, other):
            found.append(f"{one.arguments[0]} does not come before {other.arguments[0]} in {log}")
    missed = (label for label in log if not any(_may_be(effect.arguments[0], label) for effect in effects))
    return [*found, *(f"the effect {label} is missed" for label in missed)]


def happens_before(one: Effect, other: Effect) -> bool:
    """Whether an effect of a smaller index certainly comes first: what it belongs to was awaited, or both do."""
    return all(
        task in other.tasks or (task.awaited_at is not None and task.awaited_at <= other.index) for task in one.tasks
    )


def _may_be(value: object, label: str) -> bool:
    if isinstance(value, str):
        return value == label
    if isinstance(value, v.Text):
        pattern = "".join(re.escape(part) if isinstance(part, str) else ".*" for part in value.parts)
        return re.fullmatch(pattern, label, re.DOTALL) is not None
    return True
