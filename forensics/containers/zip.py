"""Zip archives, read from their own index.

The standard library's reader loads the whole index before it can be asked how long it is, and one name that is not
what it claims to be fails the archive. Here the count comes from the end-of-central-directory record first, and an
entry that is wrong costs that entry. Layout of the records: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12, 4.3.14-16.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO, cast

from msgspec import Struct

from forensics.containers.listing import Collector, Listing, Member, unscanned_part
from forensics.containers.names import printable, safe_path, text_of
from forensics.limits import RATIO_EXEMPT_BYTES, Limits
from forensics.records import InputError

CHUNK = 256 * 1024

_END = struct.Struct("<4s4H2LH")
_END64_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")

_STORED, _DEFLATED, _BZIP2, _LZMA, _ZSTD = 0, 8, 12, 14, 93
_ENCRYPTED, _UTF8 = 0x1, 0x800
_UNIX = 3


class _Index(Struct, frozen=True):
    """Where the central directory is: entry count, offset, size, and what precedes the archive in its file."""

    count: int
    offset: int
    size: int
    shift: int


def list_zip(file: BinaryIO, name: str, limits: Limits) -> Listing:
    """The members of a zip. Raises InputError where the archive as a whole can't be read."""
    index = _find_index(file, name)
    if index.count > limits.entries:
        raise InputError(
            f"{name}: the zip lists {index.count:,} entries, more than {limits.entries:,}; "
            f"raise it with --limit entries={index.count} if you trust the archive"
        )
    found = Collector()
    records = _records(file, index, name)
    for count, (fields, raw, extra) in enumerate(records):
        if count >= limits.entries:
            raise InputError(f"{name}: the zip lists more entries than its end record says; the archive is damaged")
        _add(found, fields, raw, extra, index.shift, limits)
    return found.listing(case_matters=True)


def _find_index(file: BinaryIO, name: str) -> _Index:
    length = file.seek(0, 2)
    tail_at = max(0, length - (_END.size + 0xFFFF))
    file.seek(tail_at)
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise InputError(f"{name}: not a complete zip (it has no end record); copy or download it again")
    _, _, _, _, count, size, offset, _ = _END.unpack_from(tail, at)
    end_at = tail_at + at
    if 0xFFFF in (count,) or 0xFFFFFFFF in (size, offset):
        file.seek(max(0, end_at - _END64_LOCATOR.size))
        locator = file.read(_END64_LOCATOR.size)
        if len(locator) == _END64_LOCATOR.size and locator.startswith(b"PK\x06\x07"):
            file.seek(min(length, _END64_LOCATOR.unpack(locator)[2]))
            record = file.read(_END64.size)
            if len(record) < _END64.size or not record.startswith(b"PK\x06\x06"):
                raise InputError(f"{name}: the zip's 64-bit end record is damaged; copy or download it again")
            *_, count, size, offset = _END64.unpack(record)
            end_at = _END64_LOCATOR.unpack(locator)[2]
    shift = end_at - size - offset
    if shift < 0 or offset + size > length:
        raise InputError(f"{name}: the zip's index lies outside the file; it is truncated, copy or download it again")
    return _Index(count, offset + shift, size, shift)


def _records(file: BinaryIO, index: _Index, name: str) -> Iterator[tuple[tuple[int, ...], bytes, bytes]]:
    """The central directory record by record: its numbers, the raw name, the extra field."""
    file.seek(index.offset)
    left = index.size
    buffer = b""
    at = 0
    while left > 0 or at < len(buffer):
        if len(buffer) - at < _CENTRAL.size + 3 * 0xFFFF and left > 0:
            more = file.read(min(left, CHUNK * 4))
            if not more:
                raise InputError(f"{name}: the zip's index is cut short; copy or download it again")
            left -= len(more)
            buffer = buffer[at:] + more
            at = 0
            continue
        if len(buffer) - at < _CENTRAL.size:
            raise InputError(f"{name}: the zip's index is cut short; copy or download it again")
        signature, *fields = _CENTRAL.unpack_from(buffer, at)
        if signature != b"PK\x01\x02":
            raise InputError(f"{name}: the zip's index is damaged; copy or download it again")
        name_length, extra_length, comment_length = fields[9], fields[10], fields[11]
        start = at + _CENTRAL.size
        at = start + name_length + extra_length + comment_length
        if at > len(buffer):
            raise InputError(f"{name}: the zip's index is cut short; copy or download it again")
        yield tuple(fields), buffer[start : start + name_length], buffer[start + name_length : at - comment_length]


def _add(found: Collector, fields: tuple[int, ...], raw: bytes, extra: bytes, shift: int, limits: Limits) -> None:
    made_by, _, flags, method, _, _, crc, packed, size = fields[:9]
    external, at = fields[14], fields[15]
    packed, size, at = _wide_numbers(extra, packed, size, at)
    text, encoded_well = text_of(raw, declared_utf8=bool(flags & _UTF8), legacy="cp437")
    path, wrong = safe_path(text.replace("\\", "/"))  # as unzip reads names that Windows tools wrote
    if wrong:
        found.problem(path, "unsafe-path", f"the name {printable(text)!r} {wrong}; the entry was not read")
        return
    path = printable(path)
    if not path or path.split("/")[0] == "__MACOSX":  # resource forks that macOS adds beside the files
        return
    if unscanned := unscanned_part(path):
        found.unscanned(unscanned)
        return
    if text.endswith(("/", "\\")):
        found.folder(path)
        return
    if not encoded_well or not text.isprintable():
        found.problem(path, "odd-encoding", "the name is stored in an encoding that it does not declare")
    mode = external >> 16 if made_by >> 8 == _UNIX else 0
    if stat.S_ISLNK(mode):
        found.problem(path, "symlink", "a symbolic link; links in a zip are not followed")
        return
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        found.problem(
            path, "special-file", "neither a file nor a folder (a device, a pipe or a socket); it was not read"
        )
        return
    refusal = _refusal(flags, method, packed, size, limits)
    if refusal:
        found.problem(path, refusal[0], refusal[1])
    found.member(
        Member(
            path=path,
            size=size,
            executable=bool(mode & 0o111),
            at=at + shift,
            packed=packed,
            method=method,
            crc=crc,
            refusal=refusal[1] if refusal else "",
        )
    )


def _refusal(flags: int, method: int, packed: int, size: int, limits: Limits) -> tuple[str, str] | None:
    if flags & _ENCRYPTED:
        return "encrypted", "the entry is encrypted; it was not read"
    if method not in (_STORED, _DEFLATED, _BZIP2, _LZMA, _ZSTD):
        return "unsupported-compression", f"packed by method {method}, which is not supported; it was not read"
    if size > RATIO_EXEMPT_BYTES and size > limits.ratio * max(packed, 1):
        return (
            "compression-ratio",
            f"unpacks to {size:,} bytes from {packed:,} (limit ratio: {limits.ratio}); it was not read",
        )
    return None


def _wide_numbers(extra: bytes, packed: int, size: int, at: int) -> tuple[int, int, int]:
    """The sizes and offset with those that did not fit 32 bits taken from the extra field 0x0001."""
    if 0xFFFFFFFF not in (packed, size, at):
        return packed, size, at
    place = 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, place)
        if kind == 1:
            data = extra[place + 4 : place + 4 + length]
            numbers = iter(struct.unpack(f"<{len(data) // 8}Q", data[: len(data) // 8 * 8]))
            size = next(numbers, size) if size == 0xFFFFFFFF else size
            packed = next(numbers, packed) if packed == 0xFFFFFFFF else packed
            at = next(numbers, at) if at == 0xFFFFFFFF else at
            break
        place += 4 + length
    return packed, size, at


def zip_chunks(file: BinaryIO, member: Member) -> Iterator[bytes]:
    """The bytes of a member, never more than its index says. Raises OSError where they are damaged."""
    file.seek(member.at)
    header = file.read(_LOCAL.size)
    if len(header) < _LOCAL.size or not header.startswith(b"PK\x03\x04"):
        raise OSError("the zip holds no entry where its index points")
    *_, name_length, extra_length = _LOCAL.unpack(header)
    file.seek(member.at + _LOCAL.size + name_length + extra_length)
    crc = total = 0
    for chunk in _unpacked(file, member):
        total += len(chunk)
        if total > member.size:
            raise OSError("the entry unpacks to more than the zip's index says")
        crc = zlib.crc32(chunk, crc)
        yield chunk
    if total != member.size:
        raise OSError("the entry unpacks to less than the zip's index says")
    if crc != member.crc:
        raise OSError("the entry's checksum is wrong")


def _packed(file: BinaryIO, member: Member) -> Iterator[bytes]:
    left = member.packed
    while left > 0:
        chunk = file.read(min(CHUNK, left))
        if not chunk:
            raise OSError("the entry is cut short")
        left -= len(chunk)
        yield chunk


def _unpacked(file: BinaryIO, member: Member) -> Iterator[bytes]:
    if member.method == _STORED:
        yield from _packed(file, member)
    elif member.method == _DEFLATED:
        yield from _inflated(file, member)
    else:
        yield from _otherwise_unpacked(file, member)


def _inflated(file: BinaryIO, member: Member) -> Iterator[bytes]:
    machine = zlib.decompressobj(-15)
    try:
        for packed in _packed(file, member):
            data = packed
            while data:
                yield machine.decompress(data, CHUNK)
                data = machine.unconsumed_tail
        while rest := machine.decompress(machine.unconsumed_tail, CHUNK):
            yield rest
    except zlib.error as error:
        raise OSError(f"the entry is damaged ({error})") from None


def _otherwise_unpacked(file: BinaryIO, member: Member) -> Iterator[bytes]:
    """The rare methods: bzip2, LZMA and Zstandard, in pieces of bounded size."""
    import bz2
    import lzma

    try:
        if member.method == _ZSTD:
            import zstandard

            bounded = cast("BinaryIO", _Bounded(file, member.packed))
            reader = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(bounded)
            while chunk := reader.read(CHUNK):
                yield chunk
            return
        machine: bz2.BZ2Decompressor | lzma.LZMADecompressor
        if member.method == _BZIP2:
            machine = bz2.BZ2Decompressor()
            packed = _packed(file, member)
        else:
            head = file.read(4)
            properties = file.read(int.from_bytes(head[2:4], "little"))
            options = lzma._decode_filter_properties(lzma.FILTER_LZMA1, properties)  # type: ignore[attr-defined]
            if options.get("dict_size", 0) > 2**27:
                raise OSError("the entry asks for a dictionary of more than 128 MiB")
            machine = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[options])
            packed = _packed(file, Member("", 0, packed=member.packed - 4 - len(properties)))
        for data in packed:
            while not machine.eof:
                yield machine.decompress(data, CHUNK)
                data = b""
                if machine.needs_input:
                    break
    except (lzma.LZMAError, ValueError, EOFError) as error:
        raise OSError(f"the entry is damaged ({error})") from None
    except Exception as error:
        if type(error).__module__.startswith("zstandard"):
            raise OSError(f"the entry is damaged ({error})") from None
        raise


class _Bounded:
    """The next `length` bytes of a file as a readable stream."""

    def __init__(self, file: BinaryIO, length: int) -> None:
        self._file = file
        self._left = length

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data
