"""The engine of many machines: shards as tasks of Dask's `distributed`, on a cluster of this machine or any other.

A task scans its shard through a scanning process of its own (Dask has no time limit for a task) and writes it to
`--out` itself, so that nothing large travels to the client and a shard's name decides where it lands. Delivery is at
least once: a task that runs twice writes the same bytes. A shard whose Dask worker dies again and again is tried build
by build, and the build that still fails is recorded as lost.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dask
import msgspec
from distributed import Client, LocalCluster, WorkerPlugin, as_completed, get_worker

from forensics.engines import FinishedShard, Shard
from forensics.records import InputError
from forensics.runner import Scanned, lost_build
from forensics.workers import Setup, Worker

_SHARD_BUILDS = 50  # a task costs the scheduler about 1 ms and 10 kB, whatever it does
_SHARDS = 16  # at least so many where there are builds enough, so that a small archive keeps a few workers busy
_TASKS_AT_ONCE = 1_000  # that the scheduler knows of
_CONNECT_SECONDS = 20
_LOST_WORKERS = 2  # deaths of a worker under a task before it is taken to be the task's doing


class Cluster:
    """A connection to a scheduler, or a cluster of worker processes on this machine.

    Raises InputError where the scheduler does not answer.
    """

    def __init__(self, scheduler: str | None, workers: int) -> None:
        # Dask starts its processes by `python -c`, which puts the working directory on their import path.
        os.environ["PYTHONSAFEPATH"] = "1"
        dask.config.set({"distributed.scheduler.allowed-failures": _LOST_WORKERS})
        self.is_local = scheduler is None
        self._local: Any = None
        if scheduler is None:
            self._local = LocalCluster(  # type: ignore[no-untyped-call,unused-ignore]
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                local_directory=tempfile.gettempdir(),
                silence_logs=50,
            )
        try:
            self.client: Any = Client(  # type: ignore[no-untyped-call,unused-ignore]
                scheduler if self._local is None else self._local, timeout=_CONNECT_SECONDS
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(f"--scheduler {scheduler}: does not answer ({type(error).__name__})") from None

    def shard_builds(self, builds: int) -> int:
        """How many builds a shard holds; it depends on their number alone, so that a resumed scan finds its shards."""
        return max(1, min(_SHARD_BUILDS, -(-builds // _SHARDS)))

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self.client.close()
        if self._local is not None:
            self._local.close()


class ScanningProcesses(WorkerPlugin):
    """A plugin of Dask's workers: holds the set-up, and a scanning process for each thread of the worker.

    A worker that joins later is given it too, which scattered data would not be.
    """

    def __init__(self, name: str, setup: bytes) -> None:
        self.name = name
        self._blob = setup

    def setup(self, worker: Any) -> None:
        self._setup = msgspec.msgpack.decode(self._blob, type=Setup)
        self._processes: dict[int, Worker] = {}

    def scanning_process(self) -> Worker:
        return self._processes.setdefault(threading.get_ident(), Worker(self._setup))

    def teardown(self, worker: Any) -> None:
        for process in self._processes.values():
            process.close()


def scan_shard(blob: bytes, plugin: str, out: str | None, baseline: dict[str, list[str]]) -> bytes | None:
    """The task: scans a shard in a Dask worker. Writes it to `out` and gives None, or gives the records, encoded."""
    from forensics.scan import write_scanned

    shard = msgspec.msgpack.decode(blob, type=Shard)
    processes: Any = get_worker().plugins[plugin]
    process = processes.scanning_process()
    scanned = [process.scan(reference) for reference in shard.references]
    if out is None:
        return msgspec.msgpack.encode(scanned)
    write_scanned(Path(out), shard.name, scanned, baseline)
    return None


class DaskEngine:
    """Runs shards on a cluster. Without `out` the records travel back to the client."""

    def __init__(self, setup: Setup, cluster: Cluster, out: str | None, baseline: Mapping[str, list[str]]) -> None:
        self._setup = setup
        self._cluster = cluster
        self._out = None if out is None else os.path.abspath(out)
        self._baseline = baseline
        self._shards: list[Shard] = []
        blob = msgspec.msgpack.encode(setup)
        self._plugin = f"build-forensics-{os.urandom(8).hex()}"
        cluster.client.register_plugin(ScanningProcesses(self._plugin, blob), name=self._plugin)

    def submit(self, shard: Shard) -> None:
        if not self._cluster.is_local and any(reference.kind == "spool" for reference in shard.references):
            raise InputError(
                f"{shard.references[0].archive}: a tar is spooled on this machine, where other machines can't read it; "
                "give a zip, or a folder that all of them reach"
            )
        self._shards.append(shard)

    def as_completed(self) -> Iterator[FinishedShard]:
        shards, self._shards = self._shards, []
        try:
            yield from self._finished(shards)
        finally:
            with contextlib.suppress(Exception):  # a cluster that is going away anyway
                self._cluster.client.unregister_worker_plugin(self._plugin)

    def _finished(self, shards: list[Shard]) -> Iterator[FinishedShard]:
        failed = []
        for shard, answer in self._answers(iter(shards), self._out):
            if isinstance(answer, BaseException):
                failed.append(shard)
            else:
                yield FinishedShard(shard.name, len(shard.references), answer)
        for shard in failed:
            single = (Shard(f"{shard.name}-{number}", [entry]) for number, entry in enumerate(shard.references))
            scanned = [
                self._lost(part, answer) if isinstance(answer, BaseException) or not answer else answer[0]
                for part, answer in self._answers(single, None)
            ]
            yield FinishedShard(shard.name, len(scanned), scanned)

    def _answers(
        self, shards: Iterator[Shard], out: str | None
    ) -> Iterator[tuple[Shard, list[Scanned] | BaseException | None]]:
        """What each task gave, or why it failed, as it comes. Futures are let go at once: one that is held would be
        computed again when the worker that has it dies."""
        known: dict[Any, Shard] = {}

        def submitted(shard: Shard) -> Any:
            future = self._cluster.client.submit(
                scan_shard,
                msgspec.msgpack.encode(shard),
                self._plugin,
                out,
                {entry.id: self._baseline[entry.id] for entry in shard.references if entry.id in self._baseline},
                key=f"{self._plugin}-{shard.name}",
                pure=False,
            )
            known[future.key] = shard
            return future

        waiting: Any = as_completed(  # type: ignore[no-untyped-call,unused-ignore]
            [submitted(shard) for shard in itertools.islice(shards, _TASKS_AT_ONCE)]
        )
        for future in waiting:
            shard = known.pop(future.key)
            answer: list[Scanned] | BaseException | None
            if future.status == "finished":
                blob = future.result()
                answer = None if blob is None else msgspec.msgpack.decode(blob, type=list[Scanned])
            else:
                answer = future.exception() or RuntimeError(future.status)
            future.release()
            following = next(shards, None)
            if following is not None:
                waiting.add(submitted(following))
            yield shard, answer

    def _lost(self, shard: Shard, failure: object) -> Scanned:
        (reference,) = shard.references
        how = type(failure).__name__
        message = f"the cluster could not scan this build ({how}: {failure})"[:500]
        return lost_build(
            reference, self._setup.scanners, "worker-died", message, f"the cluster could not scan this build ({how})"
        )
