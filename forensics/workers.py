"""Processes that scan builds, one at a time, and may be killed: tree-sitter has no time limit, a scanner may recurse
without end, and neither may cost more than the build that it happened on.

A worker is a plain child process spoken to over its pipes. It is not started through `multiprocessing`, whose child
runs `python -c` with the working directory first on the import path, so that a hostile build's `multiprocessing/`
folder would be imported. `-P` keeps the working directory off it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from typing import IO

import msgspec
from msgspec import Struct

from forensics.archive import BuildReference
from forensics.contexts import ContextRules
from forensics.limits import Limits
from forensics.runner import Caches, Scanned, lost_build, scan_reference

_LENGTH = struct.Struct("<Q")
_GRACE_SECONDS = 2.0  # for the traceback that a worker writes when its time is up
_START_SECONDS = 60.0  # for starting and importing, which is not the build's time
_CLOCK = b""  # what a worker sends when it has imported the scanners: the build's time begins
_TAIL_BYTES = 16 * 1024
_FRAME = re.compile(rb'File "[^"]*?([^"/\\]+)", line (\d+) in (\S+)')


class Setup(Struct, frozen=True, kw_only=True):
    """What a worker needs to know before its first build. `scanners` names a tuple of scanners, "module:attribute"."""

    cache: str | None
    rules: ContextRules
    limits: Limits
    scanners: str = "scanners.registry:SCANNERS"


# -------------------------------------------------------------- in the worker


def serve() -> None:
    """The worker's life: a set-up, then references in and records out, until the pipe closes."""
    incoming = sys.stdin.buffer
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not reach the pipe
    faulthandler.enable()
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers itself
    blob = _receive(incoming)
    if blob is None:
        return
    setup = msgspec.msgpack.decode(blob, type=Setup)
    caches = Caches(setup.cache)
    while (blob := _receive(incoming)) is not None:
        reference = msgspec.msgpack.decode(blob, type=BuildReference)
        scanned = _scan_or_lose(reference, setup, caches, outgoing)
        _send(outgoing, msgspec.msgpack.encode(scanned))
    caches.flush()


def _scan_or_lose(reference: BuildReference, setup: Setup, caches: Caches, outgoing: IO[bytes]) -> Scanned:
    def begin() -> None:
        faulthandler.dump_traceback_later(setup.limits.seconds, file=2)
        _send(outgoing, _CLOCK)

    faulthandler.dump_traceback_later(setup.limits.seconds + _START_SECONDS, file=2)
    try:
        return scan_reference(reference, caches, setup.scanners, setup.rules, setup.limits, begin)
    except Exception as error:
        message = f"the build could not be scanned: {type(error).__name__}: {error}"
        return lost_build(reference, setup.scanners, "scan-failed", message[:500], "the scan of this build failed")
    finally:
        faulthandler.cancel_dump_traceback_later()


def _receive(stream: IO[bytes]) -> bytes | None:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    length = _LENGTH.unpack(head)[0]
    blob = stream.read(length)
    return blob if len(blob) == length else None


def _send(stream: IO[bytes], blob: bytes) -> None:
    stream.write(_LENGTH.pack(len(blob)))
    stream.write(blob)
    stream.flush()


# -------------------------------------------------------------- in the parent


class Worker:
    """One worker process, started when needed and again after it died. Used by one thread at a time."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def scan(self, reference: BuildReference) -> Scanned:
        """The record of a build; one whose scan ends the process twice, or takes too long, is recorded as lost."""
        scanned = self._attempt(reference)
        if scanned.build.errors and scanned.build.errors[0].kind == "worker-died":
            # Perhaps the process was killed from outside: then another one gets through.
            scanned = self._attempt(reference)
        return scanned

    def _attempt(self, reference: BuildReference) -> Scanned:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        timed_out = threading.Event()

        def end() -> None:
            timed_out.set()
            process.kill()

        seconds = self._setup.limits.seconds + _GRACE_SECONDS
        blob: bytes | None = _CLOCK
        with contextlib.suppress(BrokenPipeError):
            _send(process.stdin, msgspec.msgpack.encode(reference))
        for left in (seconds + _START_SECONDS, seconds):
            timer = threading.Timer(left, end)
            timer.daemon = True
            timer.start()
            try:
                blob = _receive(process.stdout)
            finally:
                timer.cancel()
            if blob != _CLOCK:
                break
        if blob:
            return msgspec.msgpack.decode(blob, type=Scanned)
        return self._lost(reference, process, timed_out.is_set())

    def _lost(self, reference: BuildReference, process: subprocess.Popen[bytes], timed_out: bool) -> Scanned:
        process.kill()
        code = process.wait()
        place = _innermost_calls(self._errors)
        self._forget()
        return lost_record(reference, self._setup, code, timed_out, place)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._forget()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the process is forgotten
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from forensics.workers import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if os.path.isabs(entry))},
        )
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            _send(self._process.stdin, msgspec.msgpack.encode(self._setup))
        return self._process

    def _forget(self) -> None:
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            self._process = None
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def close(self) -> None:
        """Lets the worker write its cache and end."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._forget()

    def kill(self) -> None:
        """Ends the worker at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._forget()


def lost_record(reference: BuildReference, setup: Setup, code: int, timed_out: bool, place: str) -> Scanned:
    """The record of a build that its process did not survive, with what is needed to see it again."""
    again = f"; see it again by scanning {reference.id} of {reference.archive} alone"
    if timed_out:
        seconds = setup.limits.seconds
        message = f"the scan took longer than {seconds} s (limit seconds){place}{again}"
        return lost_build(reference, setup.scanners, "time-limit", message, f"the scan took longer than {seconds} s")
    how = f"signal {_signal_name(-code)}" if code < 0 else f"exit code {code}"
    message = f"the process that scanned this build ended ({how}){place}{again}"
    return lost_build(reference, setup.scanners, "worker-died", message, f"the scanning process ended ({how})")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _innermost_calls(errors: IO[bytes] | None) -> str:
    """Where the process was, from the traceback that `faulthandler` left; else the last line that it wrote."""
    if errors is None:
        return ""
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - _TAIL_BYTES))
    tail = errors.read()
    tail = tail[max(tail.rfind(b"Fatal Python error"), tail.rfind(b"Timeout ("), 0) :]  # the last traceback of several
    calls = [f"{name.decode()} ({file.decode()}:{line.decode()})" for file, line, name in _FRAME.findall(tail)]
    if calls:
        return f", in {', '.join(calls[:3])}"
    lines = tail.decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f", saying: {last[:300]}" if last else ""


def scan_apart(reference: BuildReference, setup: Setup) -> Scanned:
    """The record of one build, scanned in a fork of this process, which costs milliseconds; without fork, in a worker.

    To be called while the process has one thread.
    """
    if not hasattr(os, "fork"):
        worker = Worker(setup)
        try:
            return worker.scan(reference)
        finally:
            worker.close()
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            _scan_in_fork(reference, setup, writing, errors)
        os.close(writing)
        blob, timed_out = _received_within(reading, child, setup.limits.seconds + _GRACE_SECONDS)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if blob:
            return msgspec.msgpack.decode(blob, type=Scanned)
        return lost_record(reference, setup, code, timed_out, _innermost_calls(errors))


def _scan_in_fork(reference: BuildReference, setup: Setup, writing: int, errors: IO[bytes]) -> None:
    try:
        os.dup2(errors.fileno(), 2)
        os.dup2(errors.fileno(), 1)
        faulthandler.enable(2)
        caches = Caches(setup.cache)
        with os.fdopen(writing, "wb") as outgoing:
            _send(outgoing, msgspec.msgpack.encode(_scan_or_lose(reference, setup, caches, outgoing)))
        caches.flush()
    except BaseException:
        faulthandler.dump_traceback(2)
        os._exit(1)
    os._exit(0)


def _received_within(reading: int, child: int, seconds: float) -> tuple[bytes, bool]:
    """What the child sends after the start of the clock, and whether its time was up (then it is killed)."""
    import select
    import time

    received = b""
    end = time.monotonic() + seconds + _START_SECONDS
    with os.fdopen(reading, "rb", buffering=0) as stream:
        while True:
            ready, _, _ = select.select([stream], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                os.kill(child, signal.SIGKILL)
                return b"", True
            part = stream.read(1 << 16)
            received += part
            if received.startswith(_LENGTH.pack(len(_CLOCK))):
                received = received[_LENGTH.size :]
                end = time.monotonic() + seconds
            if not part:
                whole = (
                    len(received) >= _LENGTH.size and len(received) == _LENGTH.size + _LENGTH.unpack_from(received)[0]
                )
                return received[_LENGTH.size :] if whole else b"", False
