"""Tar archives, plain or compressed by gzip, xz or Zstandard: streamed once, in order, into a spool.

A compressed tar has no index and can't be read at random, so what the toolkit may read is copied, uncompressed, into
one temporary file, and the listing says where each member lies in it. Long members are hashed as they pass, not kept.
"""

from __future__ import annotations

import hashlib
import tarfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Protocol, cast

from forensics.containers.listing import Collector, Listing, Member, unscanned_part
from forensics.containers.names import printable, safe_path, text_of
from forensics.limits import Limits
from forensics.records import InputError

CHUNK = 256 * 1024
_HEADER_BYTES = 1024 * 1024  # no honest header record (long name, pax attributes) is longer
_XZ_MEMORY = 256 * 1024 * 1024


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class _RefusedError(Exception):
    """The archive asks for more than a limit allows; reading stops here."""


class _Forward:
    """A stream that can be skipped forward, as `tarfile` wants it, and counts what it has given.

    A read longer than any header is refused: `tarfile` reads the records of long names and attributes whole, whatever
    size they claim.
    """

    def __init__(self, stream: Readable, packed: _Counted, limits: Limits) -> None:
        self._stream = stream
        self._packed = packed
        self._limits = limits
        self.position = 0
        self.latest = b""

    def tell(self) -> int:
        return self.position

    def seek(self, position: int, whence: int = 0) -> int:
        if whence != 0 or position < self.position:
            raise tarfile.ReadError("a tar is read forward only")
        while self.position < position:
            if not self.read(min(CHUNK, position - self.position)):
                break
        return self.position

    def read(self, size: int) -> bytes:
        if size > max(_HEADER_BYTES, CHUNK):
            raise tarfile.ReadError("a header of the tar claims an absurd length")
        parts: list[bytes] = []
        left = size
        while left > 0 and (data := self._stream.read(left)):
            parts.append(data)
            left -= len(data)
        data = self.latest = b"".join(parts)
        self.position += len(data)
        if self.position > self._limits.archive_bytes:
            raise _RefusedError(f"more than {self._limits.archive_bytes:,} bytes (limit archive_bytes)")
        if self.position > 64 * 1024 * 1024 and self.position > self._limits.ratio * max(self._packed.position, 1):
            raise _RefusedError(f"unpacks to more than {self._limits.ratio} times its size (limit ratio)")
        return data


class _Counted:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.position = 0

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        self.position += len(data)
        return data


class _Inflating:
    """A decompressor from the standard library as a stream with bounded memory."""

    def __init__(self, packed: Readable, kind: str) -> None:
        self._packed = packed
        self._kind = kind
        self._machine = _machine(kind)
        self._pending = b""
        self._ended = False

    def read(self, size: int = -1, /) -> bytes:
        while not self._ended:
            if self._machine.eof:
                rest = self._machine.unused_data.lstrip(b"\x00") or self._packed.read(CHUNK).lstrip(b"\x00")
                if not rest:
                    self._ended = True
                    break
                self._machine, self._pending = _machine(self._kind), rest
            data = self._pending
            if not data and _needs_input(self._machine):
                data = self._packed.read(CHUNK)
                if not data:
                    raise EOFError("the compressed stream is cut short")
            unpacked: bytes = self._machine.decompress(data, size)
            self._pending = getattr(self._machine, "unconsumed_tail", b"")
            if unpacked:
                return unpacked
        return b""


def _machine(kind: str):  # type: ignore[no-untyped-def]  # zlib's and lzma's types share no base
    if kind == "gzip":
        return zlib.decompressobj(wbits=31)
    import lzma

    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


def _needs_input(machine: object) -> bool:
    return bool(getattr(machine, "needs_input", True))


def compression_of(head: bytes) -> str | None:
    """Which of the known kinds a file begins like: gzip, xz, zstd, tar (uncompressed), None."""
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith(b"\xfd7zXZ\x00"):
        return "xz"
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "zstd"
    if head[257:262] == b"ustar":
        return "tar"
    return None


def spool_tar(file: BinaryIO, name: str, kind: str, spool: BinaryIO, limits: Limits) -> Listing:
    """Streams a tar into `spool` and gives its members with their offsets there.

    Raises:
        InputError: the archive is damaged or cut short, or holds more entries than the limit.
    """
    packed = _Counted(file)
    found = Collector()
    last = ""
    try:
        stream: Readable = packed
        if kind == "zstd":
            import zstandard

            machine = zstandard.ZstdDecompressor(max_window_size=2**27)
            stream = machine.stream_reader(cast("BinaryIO", packed), read_across_frames=True)
        elif kind != "tar":
            stream = _Inflating(packed, kind)
        forward = _Forward(stream, packed, limits)
        for count, (info, data) in enumerate(_entries(forward)):
            if count >= limits.entries:
                raise InputError(
                    f"{name}: the tar holds more than {limits.entries:,} entries; "
                    "raise it with --limit entries=NUMBER if you trust the archive"
                )
            last = _add(found, info, data, spool, limits) or last
        if forward.latest.strip(b"\x00") or len(forward.latest) < tarfile.BLOCKSIZE:
            # tarfile takes a header that is cut short or damaged for the end of the archive
            raise EOFError("the blocks of zeros that end a tar are missing")
        while forward.read(CHUNK):
            pass  # to the end of the packed stream, where its checksum is
    except _RefusedError as refused:
        found.problem(last, "archive-too-large", f"the tar {refused}; nothing that follows this file was read")
    except (tarfile.TarError, EOFError, zlib.error, OSError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"{name}: not a complete tar ({error}); copy or download it again") from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("zstandard", "_lzma", "lzma"):
            raise
        raise InputError(f"{name}: not a complete tar ({error}); copy or download it again") from None
    return found.listing(case_matters=True)


def _entries(forward: _Forward) -> Iterator[tuple[tarfile.TarInfo, Iterator[bytes]]]:
    with tarfile.open(fileobj=forward, mode="r:", encoding="utf-8", errors="surrogateescape") as archive:  # type: ignore[call-overload]
        while (info := archive.next()) is not None:
            archive.members.clear()  # tarfile keeps every header it has seen
            yield info, _chunks(forward, info)


def _chunks(forward: _Forward, info: tarfile.TarInfo) -> Iterator[bytes]:
    left = info.size
    while left > 0:
        data = forward.read(min(CHUNK, left))
        if not data:
            raise EOFError("a file is cut short")
        left -= len(data)
        yield data


def _add(found: Collector, info: tarfile.TarInfo, data: Iterator[bytes], spool: BinaryIO, limits: Limits) -> str:
    text, encoded_well = text_of(info.name.encode("utf-8", "surrogateescape"), declared_utf8=True, legacy="latin-1")
    path, wrong = safe_path(text)
    path = printable(path)
    if wrong:
        found.problem(path, "unsafe-path", f"the name {printable(text)!r} {wrong}; the entry was not read")
        return path
    if not path:
        return ""
    if unscanned := unscanned_part(path):
        found.unscanned(unscanned)
        return path
    if info.isdir():
        found.folder(path)
        return path
    if not encoded_well or not text.isprintable() or "\udc80" <= max(info.name) <= "\udcff":
        found.problem(path, "odd-encoding", "the name is not valid UTF-8 text; it is shown as Latin-1")
    if info.issym():
        found.problem(path, "symlink", "a symbolic link; links in a tar are not followed")
    elif info.islnk():
        found.problem(path, "hard-link", "a hard link to another entry; links in a tar are not followed")
    elif info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE) or info.issparse():
        found.problem(
            path, "special-file", "neither a file nor a folder (a device, a pipe or a sparse file); it was not read"
        )
    else:
        found.member(_spooled(path, info, data, spool, limits))
    return path


def _spooled(path: str, info: tarfile.TarInfo, data: Iterator[bytes], spool: BinaryIO, limits: Limits) -> Member:
    executable = bool(info.mode & 0o111)
    if info.size > limits.file_size:
        total = hashlib.sha256()
        for chunk in data:
            total.update(chunk)
        return Member(path=path, size=info.size, executable=executable, at=-1, sha256=total.hexdigest())
    at = spool.tell()
    for chunk in data:
        spool.write(chunk)
    return Member(path=path, size=info.size, executable=executable, at=at)


def spool_chunks(spool: BinaryIO, member: Member) -> Iterator[bytes]:
    """The bytes of a member that was spooled. Raises OSError where they were not kept or the spool is gone."""
    if member.at < 0:
        raise OSError("longer than the limit; it was not kept")
    spool.seek(member.at)
    left = member.size
    while left > 0:
        chunk = spool.read(min(CHUNK, left))
        if not chunk:
            raise OSError("the spooled copy is cut short")
        left -= len(chunk)
        yield chunk
