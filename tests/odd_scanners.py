"""Scanners that misbehave on builds that hold a certain file, for the tests of what holds them."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from pathlib import Path

from forensics.facts import Facts
from forensics.records import Finding, Location, Rule, Status, Verdict
from forensics.scanner import Context, Scanner

NOTE = Rule(id="odd/note", severity="note", summary="s", why="w", fix="f", blind_spots="b")
ALARM = Rule(id="odd/alarm", severity="error", summary="s", why="w", fix="f", blind_spots="b")


class Odd(Status):
    OK = "OK"
    BAD = "BAD"
    UNKNOWN = "UNKNOWN"


def misbehave(facts: Facts, context: Context) -> Verdict:
    files = facts.build.files
    if "raise.js" in files:
        raise ValueError("a scanner’s own bug\nsecond line")
    if "recurse.js" in files:
        return misbehave(facts, context)
    if "exit.js" in files:
        os._exit(7)
    if "segfault.js" in files:
        ctypes.string_at(0)
    if "killed.js" in files:
        os.kill(os.getpid(), signal.SIGKILL)
    if "killed-once.js" in files:
        flag = Path(facts.build.text("killed-once.js"))
        if not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    if "slow.js" in files:
        time.sleep(0.1)
    if "ends-dask-worker.js" in files:
        flag = Path(facts.build.text("ends-dask-worker.js"))
        if not flag.name or not flag.exists():
            if flag.name:
                flag.touch()
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(60)
    if "hang.js" in files:
        while True:
            pass
    return Verdict(scanner="odd", status="OK", features={"n_files": len(files), "nothing": None})


def find(facts: Facts, context: Context) -> Verdict:
    """One alarm for each `alarm` and one note for each `note` in server.js, at its place."""
    findings = []
    for word, rule in (("alarm", ALARM), ("note", NOTE)):
        for number, line in enumerate(facts.build.text("server.js").splitlines(), start=1):
            at = line.find(word)
            if at >= 0:
                findings.append(
                    Finding(
                        rule=rule.id,
                        severity=rule.severity,
                        confidence="high",
                        message=f"{word} on line {number}",
                        fix="remove it",
                        location=Location(
                            path="server.js",
                            line=number,
                            column=at + 1,
                            end_line=number,
                            end_column=at + 1 + len(word),
                        ),
                        key=word,
                    )
                )
    return Verdict(scanner="finder", status="BAD" if findings else "OK", findings=tuple(findings))


MISBEHAVING = (
    Scanner(name="odd", statuses=Odd, rules=(NOTE,), scan=misbehave),
    Scanner(name="finder", statuses=Odd, rules=(ALARM,), scan=find),
)
