"""Entries that no honest tool writes: each costs that entry, is told, and leaves every other build alone."""

from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from forensics.archive import open_archive
from forensics.containers.names import safe_path
from forensics.limits import Limits
from forensics.records import InputError
from tests.archives import (
    APP,
    DEVICE_MODE,
    SYMLINK_MODE,
    error_of,
    kinds,
    only,
    opened,
    tar_bytes,
    tar_entry,
    write_folder,
    write_zip,
    zip_entry,
)

CLEAN = [(f"app/{path}", data) for path, data in APP.items()]
OTHER = [(f"other/{path}", data) for path, data in APP.items()]


def zip_with(tmp_path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    return write_zip(tmp_path / "archive.zip", [*CLEAN, *entries])


def tar_with(tmp_path: Path, *entries: tuple[str | tarfile.TarInfo, bytes], format: int = tarfile.PAX_FORMAT) -> Path:
    path = tmp_path / "archive.tar"
    path.write_bytes(tar_bytes([*CLEAN, *entries], format))
    return path


@pytest.mark.parametrize(
    ("name", "prefix", "wrong"),
    [
        ("../../etc/passwd", "", "climbs out"),
        ("app/../../x.js", "app", "climbs out"),
        ("/etc/passwd", "", "is absolute"),
        ("C:/x.js", "", "drive letter"),
        ("c:x.js", "", "drive letter"),
        ("app/a\x00.js", "app", "NUL"),
        ("./app//b.js", "app/b.js", ""),
        ("app/..b/c...js", "app/..b/c...js", ""),
    ],
)
def test_safe_path(name: str, prefix: str, wrong: str) -> None:
    path, problem = safe_path(name)
    assert path == prefix
    assert wrong in problem
    assert bool(wrong) == bool(problem)


@pytest.mark.parametrize("name", ["../evil.js", "app/../../evil.js", "/evil.js", "C:\\evil.js", "..\\evil.js"])
def test_a_name_that_leaves_the_archive_is_not_read(tmp_path: Path, name: str) -> None:
    for path in (zip_with(tmp_path, (name, b"evil")), tar_with(tmp_path, (name, b"evil"))):
        if path.suffix == ".tar" and "\\" in name:
            continue  # to a tar a backslash is a letter
        build = only(path)
        assert list(build.build.files) == sorted(APP)
        assert [kind for kind, _ in kinds(build)] == ["unsafe-path"]
        assert name in error_of(build, "unsafe-path").message.replace("\\\\", "\\")


def test_a_stray_name_is_told_by_one_build_only(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip", [*OTHER, *CLEAN, ("../evil.js", b""), ("other/../../x", b"")])
    builds = opened(path)
    assert kinds(builds["app"]) == [("unsafe-path", "")]
    assert kinds(builds["other"]) == [("unsafe-path", "")]
    assert "other/../../x" in error_of(builds["other"], "unsafe-path").message


def test_links_in_packed_archives_are_not_followed(tmp_path: Path) -> None:
    zipped = only(zip_with(tmp_path, (zip_entry("app/link.js", SYMLINK_MODE), b"server.js")))
    assert kinds(zipped) == [("symlink", "link.js")]
    tarred = only(
        tar_with(
            tmp_path,
            (tar_entry("app/link.js", tarfile.SYMTYPE, "/etc/passwd"), b""),
            (tar_entry("app/hard.js", tarfile.LNKTYPE, "app/server.js"), b""),
        )
    )
    assert kinds(tarred) == [("hard-link", "hard.js"), ("symlink", "link.js")]
    assert list(tarred.build.files) == sorted(APP)


def test_devices_and_pipes_are_not_read(tmp_path: Path) -> None:
    zipped = only(zip_with(tmp_path, (zip_entry("app/null.js", DEVICE_MODE), b"")))
    assert kinds(zipped) == [("special-file", "null.js")]
    tarred = only(
        tar_with(
            tmp_path, (tar_entry("app/null.js", tarfile.CHRTYPE), b""), (tar_entry("app/p", tarfile.FIFOTYPE), b"")
        )
    )
    assert kinds(tarred) == [("special-file", "null.js"), ("special-file", "p")]


def test_a_pipe_in_a_folder_does_not_hang_the_scan(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "app", APP)
    os.mkfifo(folder / "pipe.js")
    assert kinds(only(folder)) == [("special-file", "pipe.js")]


def test_links_in_a_folder_are_followed_only_inside(tmp_path: Path) -> None:
    (tmp_path / "secret.js").write_text("secret")
    folder = write_folder(tmp_path / "archive" / "app", {**APP, "lib/a.js": b"export {}\n"})
    (folder / "inside.js").symlink_to("server.js")
    (folder / "linked").symlink_to("lib")
    (folder / "outside.js").symlink_to("../../secret.js")
    (folder / "up").symlink_to("..")
    (folder / "lib" / "loop").symlink_to(".")
    (folder / "dead.js").symlink_to("nothing.js")
    (folder / "root").symlink_to("/")
    build = only(tmp_path / "archive")
    assert build.build.read("inside.js") == APP["server.js"]
    assert build.build.read("linked/a.js") == b"export {}\n"
    assert [path for kind, path in kinds(build) if kind == "symlink"] == [
        "dead.js",
        "lib/loop",
        "linked/loop",
        "outside.js",
        "root",
        "up",
    ]
    assert "outside.js" not in build.build.files


def test_a_file_swapped_for_a_link_after_the_listing_is_not_read(tmp_path: Path) -> None:
    from forensics.archive import open_build
    from forensics.layout import find_builds

    (tmp_path / "secret.js").write_text("secret!")
    folder = write_folder(tmp_path / "archive" / "app", APP)
    with open_archive(str(tmp_path / "archive"), Limits()) as archive:
        build = open_build(find_builds(archive)[0], Limits())
        (folder / "server.js").unlink()
        (folder / "server.js").symlink_to("../../secret.js")
        build.sums()
        assert kinds(build) == [("unreadable", "server.js")]


def test_the_last_of_two_equal_names_is_read(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        zipped = only(zip_with(tmp_path, ("app/server.js", b"second")))
    tarred = only(tar_with(tmp_path, ("app/server.js", b"second")))
    for build in (zipped, tarred):
        assert build.build.read("server.js") == b"second"
        assert kinds(build) == [("duplicate-name", "server.js")]


def test_a_name_that_is_a_file_and_a_folder(tmp_path: Path) -> None:
    build = only(zip_with(tmp_path, ("app/routes.js", b"file"), ("app/routes.js/index.js", b"inner")))
    assert build.build.read("routes.js/index.js") == b"inner"
    assert kinds(build) == [("duplicate-name", "routes.js")]


def test_a_folder_named_like_a_file_is_no_problem(tmp_path: Path) -> None:
    build = only(write_folder(tmp_path / "app", {**APP, "index.js/main.js": b"1"}))
    assert kinds(build) == []
    assert build.build.read("index.js/main.js") == b"1"


def test_names_that_differ_in_case_only(tmp_path: Path) -> None:
    build = only(zip_with(tmp_path, ("app/Server.js", b"other")))
    assert kinds(build) == [("case-collision", "server.js")]
    assert build.build.read("Server.js") == b"other"
    assert build.build.read("server.js") == APP["server.js"]


def test_names_in_odd_encodings(tmp_path: Path) -> None:
    path = zip_with(tmp_path, ("app/caXe.js", b"1"), ("app/naXXve.js", b"2"))
    # cp437 for é without the UTF-8 flag; then UTF-8 for ï without the flag, as many tools write it
    path.write_bytes(path.read_bytes().replace(b"caXe", b"ca\x82e").replace(b"naXXve", "naïve".encode()))
    build = only(path)
    assert build.build.read("caée.js") == b"1"
    assert build.build.read("naïve.js") == b"2"
    assert kinds(build) == []  # cp437 is what a zip's name without the flag is


def test_a_name_that_claims_to_be_utf8_and_is_not(tmp_path: Path) -> None:
    path = zip_with(tmp_path, ("app/é.js", b"1"))
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xc3("))
    build = only(path)
    assert [kind for kind, _ in kinds(build)] == ["odd-encoding"]
    assert len(build.build.files) == 3


def test_a_tar_name_that_is_no_utf8(tmp_path: Path) -> None:
    path = tar_with(tmp_path, ("app/cafX.js", b"1"), format=tarfile.GNU_FORMAT)
    data = bytearray(path.read_bytes())
    at = data.index(b"cafX.js")
    data[at + 3] = 0xE9  # é in Latin-1; the header's checksum moves with it
    start = at - len(b"app/")
    head = bytes(data[start : start + 512])
    plain = head[:148] + b" " * 8 + head[156:]
    data[start + 148 : start + 156] = b"%06o\0 " % sum(plain)
    path.write_bytes(data)
    build = only(path)
    assert build.build.read("café.js") == b"1"
    assert kinds(build) == [("odd-encoding", "café.js")]


def test_control_characters_in_names_become_escapes(tmp_path: Path) -> None:
    build = only(write_folder(tmp_path / "app", {**APP, "a\nb.js": b"1"}))
    assert build.build.read("a\\x0ab.js") == b"1"
    assert kinds(build) == [("odd-encoding", "a\\x0ab.js")]


# --------------------------------------------------------------------- limits


def test_a_source_over_the_size_limit_costs_coverage_and_a_picture_does_not(tmp_path: Path) -> None:
    files = {**APP, "bundle.js": b"x" * 2001, "photo.jpg": b"y" * 2001}
    folder = write_folder(tmp_path / "app", files)
    packed = write_zip(tmp_path / "app.zip", files.items())
    tarred = tmp_path / "app.tar"
    tarred.write_bytes(tar_bytes(files.items()))
    for address in (folder, packed, tarred):
        build = only(address, Limits(file_size=2000))
        assert kinds(build) == [("file-too-large", "bundle.js")]
        assert "2,001 bytes, more than 2,000 (limit file_size)" in error_of(build, "file-too-large").message
        assert build.build.exists("bundle.js")
        assert build.build.exists("photo.jpg")
        assert len(build.sums()["photo.jpg"]) == 64  # hashed in pieces, never held whole


def test_files_past_the_count_are_not_read(tmp_path: Path) -> None:
    files = {**APP, **{f"src/{number:03}.js": b"1" for number in range(50)}}
    folder = only(write_folder(tmp_path / "app", files), Limits(files=10))
    packed = only(write_zip(tmp_path / "app.zip", files.items()), Limits(files=10))
    for build in (folder, packed):
        assert kinds(build) == [("too-many-files", "")]
        assert len(build.build.files) == 10


def test_files_nested_too_deeply_are_not_read(tmp_path: Path) -> None:
    files = {**APP, "a/" * 10 + "deep.js": b"1", "a/" * 9 + "shallow.js": b"1"}
    for address in (write_folder(tmp_path / "app", files), write_zip(tmp_path / "app.zip", files.items())):
        build = only(address, Limits(depth=10))
        assert [kind for kind, _ in kinds(build)] == ["path-too-deep"]
        assert build.build.exists("a/" * 9 + "shallow.js")


def test_a_build_over_the_total_is_cut(tmp_path: Path) -> None:
    files = {**APP, "a.js": b"1" * 600, "b.js": b"1" * 600, "c.js": b"1" * 600}
    build = only(write_folder(tmp_path / "app", files), Limits(build_bytes=1300))
    assert kinds(build) == [("build-too-large", "c.js")]
    assert "a.js" in build.build.files


def test_a_flat_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    build = only(zip_with(tmp_path, ("app/bomb.json", b"\0" * 4 * 1024 * 1024)))
    assert kinds(build) == [("compression-ratio", "bomb.json")]
    assert build.build.read("bomb.json") == b""
    assert build.sums()["bomb.json"] == ""


def test_a_small_file_of_blanks_is_no_bomb(tmp_path: Path) -> None:
    build = only(zip_with(tmp_path, ("app/blank.json", b" " * 1000 * 1000)))
    assert kinds(build) == []


def test_a_nested_bomb_stays_packed(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.bin", b"\0" * 4 * 1024 * 1024)
    build = only(zip_with(tmp_path, ("app/inner.zip", inner.getvalue())))
    assert kinds(build) == []
    assert "inner.zip" in build.build.files


def test_an_entry_that_unpacks_to_more_than_it_says_is_stopped(tmp_path: Path) -> None:
    path = zip_with(tmp_path, ("app/liar.js", b"z" * 300_000))
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<L", 300_000), struct.pack("<L", 10)))
    build = only(path)
    assert kinds(build) == [("unreadable", "liar.js")]
    assert "more than the zip's index says" in error_of(build, "unreadable").message


def test_entries_that_overlap_are_read_one_by_one(tmp_path: Path) -> None:
    """The trick of the densest bombs: many index entries share one packed stream. Each costs its own bytes only."""
    path = tmp_path / "archive.zip"
    write_zip(path, [*CLEAN, ("app/a.js", b"1" * 1000), ("app/b.js", b"2" * 1000)])
    data = bytearray(path.read_bytes())
    first = data.index(b"PK\x01\x02", data.index(b"app/b.js"))
    records = []
    at = first
    while data[at : at + 4] == b"PK\x01\x02":
        name = struct.unpack_from("<H", data, at + 28)[0]
        records.append(at)
        at += 46 + name
    data[records[3] + 42 : records[3] + 46] = data[records[2] + 42 : records[2] + 46]
    path.write_bytes(data)
    build = only(path)
    assert build.build.read("a.js") == b"1" * 1000
    assert kinds(build) == [("unreadable", "b.js")]  # the shared stream's checksum is not the one in its index


def test_an_encrypted_entry_is_told(tmp_path: Path) -> None:
    path = zip_with(tmp_path, ("app/secret.js", b"1"))
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    data[at + 8] |= 1
    path.write_bytes(data)
    assert kinds(only(path)) == [("encrypted", "secret.js")]


def test_the_entry_count_of_a_zip_is_read_before_its_index(tmp_path: Path) -> None:
    """An end record that announces 10 million entries is refused although no index follows."""
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 10_000_000, 10_000_000, 460_000_000, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 460_000_000, 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path = tmp_path / "huge.zip"
    with open(path, "wb") as file:
        file.write(b"PK\x03\x04")
        file.seek(460_000_000)  # a sparse file: the index would stand here
        file.write(end64 + locator + end)
    with pytest.raises(InputError, match=r"lists 10,000,000 entries, more than 5,000,000; .*--limit entries=10000000"):
        open_archive(str(path), Limits())


def test_a_zip_that_lists_more_than_it_announces_is_refused(tmp_path: Path) -> None:
    path = zip_with(tmp_path)
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x05\x06")
    data[at + 8 : at + 12] = struct.pack("<2H", 1, 1)
    path.write_bytes(data)
    with pytest.raises(InputError, match="more entries than its end record says"):
        open_archive(str(path), Limits(entries=1))


def test_a_tar_with_too_many_entries_is_refused(tmp_path: Path) -> None:
    path = tar_with(tmp_path, *((f"app/{number}.js", b"") for number in range(20)))
    with pytest.raises(InputError, match="more than 10 entries"):
        open_archive(str(path), Limits(entries=10))


def test_a_tar_bomb_stops_the_reading_and_the_rest_is_told_lost(tmp_path: Path) -> None:
    path = tmp_path / "archive.tar.gz"
    bomb = [("app/zeros.bin", bytes(80 * 1024 * 1024))]
    path.write_bytes(gzip.compress(tar_bytes([*CLEAN, *bomb, *OTHER])))
    builds = opened(path)
    assert list(builds) == ["app"]
    assert [kind for kind, _ in kinds(builds["app"])] == ["archive-too-large"]
    assert builds["app"].build.read("server.js") == APP["server.js"]


def test_a_tar_over_the_total_stops(tmp_path: Path) -> None:
    path = tar_with(tmp_path, ("app/a.js", b"x" * 20_000), ("app/b.js", b"x"))
    build = only(path, Limits(archive_bytes=16_384))
    assert [kind for kind, _ in kinds(build)] == ["archive-too-large"]
    assert "b.js" not in build.build.files


def test_a_tar_header_that_claims_gigabytes_of_name_is_refused(tmp_path: Path) -> None:
    header = tar_entry("name", tarfile.GNUTYPE_LONGNAME)
    header.size = 8 * 1024**3
    path = tmp_path / "evil.tar"
    path.write_bytes(header.tobuf(tarfile.GNU_FORMAT) + bytes(4096))
    with pytest.raises(InputError, match="absurd length"):
        open_archive(str(path), Limits())


def test_a_chain_of_extended_headers_is_refused_and_not_recursed_into(tmp_path: Path) -> None:
    record = b"13 comment=x\n"
    header = tar_entry("h", tarfile.XHDTYPE)
    header.size = len(record)
    block = header.tobuf(tarfile.USTAR_FORMAT) + record.ljust(512, b"\0")
    path = tmp_path / "evil.tar"
    path.write_bytes(block * 5000)
    with pytest.raises(InputError, match="not a complete tar"):
        open_archive(str(path), Limits())
