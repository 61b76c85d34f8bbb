"""The engine of one machine: worker processes, each led by a thread that waits for it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

from forensics.archive import BuildReference
from forensics.engines import FinishedShard, Shard
from forensics.runner import Scanned
from forensics.workers import Setup, Worker, scan_apart


class LocalEngine:
    """Scans builds in `jobs` worker processes, in the order they were submitted; `on_build` is told of each."""

    def __init__(self, setup: Setup, jobs: int, on_build: Callable[[], None] = lambda: None) -> None:
        self._setup = setup
        self._jobs = jobs
        self._on_build = on_build
        self._shards: list[Shard] = []

    def submit(self, shard: Shard) -> None:
        self._shards.append(shard)

    def as_completed(self) -> Iterator[FinishedShard]:
        shards, self._shards = self._shards, []
        total = sum(len(shard.references) for shard in shards)
        if total == 1:
            for shard in shards:
                yield FinishedShard(shard.name, 1, [scan_apart(entry, self._setup) for entry in shard.references])
                self._on_build()
            return
        left = {shard.name: len(shard.references) for shard in shards}
        gathered: dict[str, list[Scanned]] = {shard.name: [] for shard in shards}
        for name, scanned in self._each(shards, min(self._jobs, total)):
            self._on_build()
            gathered[name].append(scanned)
            left[name] -= 1
            if not left[name]:
                yield FinishedShard(name, len(gathered[name]), gathered.pop(name))

    def _each(self, shards: list[Shard], jobs: int) -> Iterator[tuple[str, Scanned]]:
        """Every build's record, as it comes. No thread runs further ahead than the results are taken."""
        tasks = iter([(shard.name, reference) for shard in shards for reference in shard.references])
        taking = threading.Lock()
        done: queue.Queue[tuple[str, Scanned] | BaseException | None] = queue.Queue(maxsize=4 * jobs)
        workers = [Worker(self._setup) for _ in range(jobs)]
        stopped = threading.Event()

        def lead(worker: Worker) -> None:
            try:
                while not stopped.is_set():
                    with taking:
                        task: tuple[str, BuildReference] | None = next(tasks, None)
                    if task is None:
                        break
                    done.put((task[0], worker.scan(task[1])))
                worker.close()
            except BaseException as error:
                done.put(error)
            else:
                done.put(None)

        threads = [threading.Thread(target=lead, args=(worker,), daemon=True) for worker in workers]
        for thread in threads:
            thread.start()
        try:
            running = len(threads)
            while running:
                item = done.get()
                if item is None:
                    running -= 1
                elif isinstance(item, BaseException):
                    raise item
                else:
                    yield item
        finally:
            stopped.set()
            if any(thread.is_alive() for thread in threads):
                for worker in workers:
                    worker.kill()
