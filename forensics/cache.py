"""The cache: small blobs by key, in packs that are written once and never changed.

A process keeps what it adds in memory and writes it as one pack (to a temporary name, then renamed), so readers and
writers never meet in the same file. A pack that is damaged or half copied is ignored, and so is an entry whose
checksum is wrong: a cache may forget, but never lie.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import struct
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

_MAGIC = b"BFPACK1\n"
_FOOTER = struct.Struct("<LQL8s")  # entries, offset of the index, checksum of the index, magic
_ENTRY = struct.Struct("<20sQLL")  # key, offset, length, checksum
KEY_BYTES = 20

_HELD_BYTES = 8 * 1024 * 1024  # that a process gathers before it writes a pack
_SMALL_PACK = 64 * 1024 * 1024
_MANY_PACKS = 24
_CAPACITY = 4 * 1024 * 1024 * 1024


class _Pack:
    def __init__(self, path: Path) -> None:
        with open(path, "rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        length = len(self._data)
        if length < len(_MAGIC) + _FOOTER.size or self._data[: len(_MAGIC)] != _MAGIC:
            raise ValueError("no pack")
        self.count, self._index, checksum, magic = _FOOTER.unpack_from(self._data, length - _FOOTER.size)
        if magic != _MAGIC or self._index + self.count * _ENTRY.size + _FOOTER.size != length:
            raise ValueError("a pack that was cut short")
        if zlib.crc32(memoryview(self._data)[self._index : length - _FOOTER.size]) != checksum:
            raise ValueError("a pack with a damaged index")
        self.path = path
        self.size = length

    def entry(self, number: int) -> tuple[bytes, int, int, int]:
        found: tuple[bytes, int, int, int] = _ENTRY.unpack_from(self._data, self._index + number * _ENTRY.size)
        return found

    def get(self, key: bytes) -> bytes | None:
        low, high = 0, self.count
        while low < high:
            middle = (low + high) // 2
            if self.entry(middle)[0] < key:
                low = middle + 1
            else:
                high = middle
        if low == self.count:
            return None
        found, offset, length, checksum = self.entry(low)
        if found != key:
            return None
        blob = self._data[offset : offset + length]
        return blob if zlib.crc32(blob) == checksum else None


class PackStore:
    """Blobs by 20-byte key under a folder. Without a folder it remembers only what this process added."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self._folder = Path(folder) if folder is not None else None
        self._added: dict[bytes, bytes] = {}
        self._added_bytes = 0
        self._packs: list[_Pack] | None = None

    def get(self, key: bytes) -> bytes | None:
        blob = self._added.get(key)
        if blob is not None:
            return blob
        for pack in self._opened():
            blob = pack.get(key)
            if blob is not None:
                return blob
        return None

    def put(self, key: bytes, blob: bytes) -> None:
        """Adds a blob; it reaches the disk when enough is gathered, or at `flush`."""
        if self._folder is None:
            return
        if key not in self._added:
            self._added[key] = blob
            self._added_bytes += len(blob)
        if self._added_bytes > _HELD_BYTES:
            self.flush()

    def flush(self) -> None:
        """Writes what was added as one pack. A cache that can't be written is no reason to fail a scan."""
        if self._folder is None or not self._added:
            return
        with contextlib.suppress(OSError, ValueError):
            path = _write_pack(self._folder, ((key, self._added[key]) for key in sorted(self._added)))
            self._opened().append(_Pack(path))
        self._added.clear()
        self._added_bytes = 0

    def _opened(self) -> list[_Pack]:
        if self._packs is None:
            self._packs = _open_packs(self._folder) if self._folder is not None else []
        return self._packs

    def tidy(self) -> None:
        """Merges small packs into one where there are many, and drops the oldest where all are more than 4 GiB."""
        if self._folder is None:
            return
        packs = _open_packs(self._folder)
        small = [pack for pack in packs if pack.size < _SMALL_PACK]
        if len(small) > _MANY_PACKS:
            with contextlib.suppress(OSError):
                merged = _merge(self._folder, small)
                for pack in small:
                    if pack.path != merged:
                        pack.path.unlink(missing_ok=True)
        ages = []
        for path in self._folder.glob("*.pack"):
            with contextlib.suppress(OSError):
                status = path.stat()
                ages.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in ages)
        for _, size, path in sorted(ages, key=lambda entry: entry[0]):
            if total <= _CAPACITY:
                break
            total -= size
            with contextlib.suppress(OSError):
                path.unlink()


def _open_packs(folder: Path) -> list[_Pack]:
    packs = []
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder)):
            if name.endswith(".pack"):
                with contextlib.suppress(OSError, ValueError):
                    packs.append(_Pack(folder / name))
    return packs


def _merge(folder: Path, packs: list[_Pack]) -> Path:
    place: dict[bytes, _Pack] = {}
    for pack in packs:
        for number in range(pack.count):
            place[pack.entry(number)[0]] = pack

    def entries() -> Iterator[tuple[bytes, bytes]]:
        for key in sorted(place):
            blob = place[key].get(key)
            if blob is not None:
                yield key, blob

    return _write_pack(folder, entries())


def _write_pack(folder: Path, blobs: Iterable[tuple[bytes, bytes]]) -> Path:
    """Writes (key, blob) pairs, sorted by key, as a pack under the name of its contents: two processes that write the
    same one do no harm."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".writing-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(_MAGIC)
            offset = len(_MAGIC)
            entries = []
            for key, blob in blobs:
                file.write(blob)
                entries.append(_ENTRY.pack(key, offset, len(blob), zlib.crc32(blob)))
                offset += len(blob)
            index = b"".join(entries)
            file.write(index)
            file.write(_FOOTER.pack(len(entries), offset, zlib.crc32(index), _MAGIC))
        path = folder / (hashlib.sha256(index).hexdigest()[:32] + ".pack")
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return path


def key_of(*parts: str | bytes) -> bytes:
    """The key for the given parts, in order."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little") + data)
    return total.digest()[:KEY_BYTES]


def default_folder() -> Path:
    """Where the cache is kept unless the user says otherwise: the user's cache directory."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("build-forensics", appauthor=False))
