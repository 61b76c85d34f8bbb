"""Archives with random damage: refused in one line, or read with what is lost recorded. Never another exception."""

from __future__ import annotations

import gzip
import io
import lzma
import random
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from forensics.archive import open_archive, open_build
from forensics.layout import find_builds
from forensics.limits import Limits
from forensics.records import InputError
from tests.archives import APP, tar_bytes, tar_entry

LIMITS = Limits(file_size=100_000, archive_bytes=10_000_000, entries=1_000)
ROUNDS = 150

FILES = [
    *((f"app/{path}", data) for path, data in APP.items()),
    ("app/src/é.js", b"export const a = 1\n" * 200),
    ("app/" + "long" * 60 + "/x.js", b"1"),
    ("other/package.json", b"{}"),
]


def zip_bytes(method: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in FILES:
            archive.writestr(name, data)
    return buffer.getvalue()


def seeds() -> dict[str, bytes]:
    links = [(tar_entry("app/link", tarfile.SYMTYPE, "x"), b""), (tar_entry("app/d", tarfile.DIRTYPE), b"")]
    plain = tar_bytes([*FILES, *links])
    return {
        "stored.zip": zip_bytes(zipfile.ZIP_STORED),
        "deflated.zip": zip_bytes(zipfile.ZIP_DEFLATED),
        "lzma.zip": zip_bytes(zipfile.ZIP_LZMA),
        "bzip2.zip": zip_bytes(zipfile.ZIP_BZIP2),
        "pax.tar": plain,
        "gnu.tar": tar_bytes([*FILES, *links], tarfile.GNU_FORMAT),
        "a.tar.gz": gzip.compress(plain, mtime=0),
        "a.tar.xz": lzma.compress(plain),
        "a.tar.zst": zstandard.compress(plain),
    }


def damaged(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 5, 20))):
        at = dice.randrange(len(changed))
        kind = dice.randrange(5)
        if kind == 0:
            changed[at] = dice.randrange(256)
        elif kind == 1:
            changed[at] ^= 1 << dice.randrange(8)
        elif kind == 2:
            changed[at : at + 4] = dice.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"PK\x01\x02"))
        elif kind == 3:
            del changed[at : at + dice.randrange(1, 40)]
        else:
            changed[at:at] = changed[max(0, at - 30) : at]
        if not changed:
            return b""
    return bytes(changed)


@pytest.mark.parametrize("name", seeds())
def test_random_damage_raises_nothing_else(tmp_path: Path, name: str) -> None:
    data = seeds()[name]
    for number in range(ROUNDS):
        path = tmp_path / name
        path.write_bytes(damaged(data, random.Random(f"{name} {number}")))
        try:
            with open_archive(str(path), LIMITS) as archive:
                builds = [open_build(reference, LIMITS) for reference in find_builds(archive)]
                for build in builds:
                    build.digest()
                    for file in build.build.files:
                        assert len(build.build.read(file)) <= LIMITS.file_size
                    for error in build.build.errors:
                        assert error.message.isprintable(), (number, error)
                        assert error.path.isprintable(), (number, error)
        except InputError as error:
            if not str(error).isprintable():
                pytest.fail(f"{name}, round {number}: {error!r} is not one line")
        except Exception as error:
            pytest.fail(f"{name}, round {number}: {type(error).__name__}: {error}")
