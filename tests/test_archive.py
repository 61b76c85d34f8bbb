"""An archive reads the same whether it is a folder, a zip or a tar."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
import zipfile
from pathlib import Path

import pytest
import zstandard

from forensics.archive import open_archive, open_build
from forensics.layout import find_builds
from forensics.limits import Limits
from forensics.records import InputError
from tests.archives import APP, kinds, only, opened, tar_bytes, tar_entry, write_folder, write_zip

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
FILES = {
    "app/package.json": APP["package.json"],
    "app/server.js": b"const port = 3001\n",
    "app/public/logo.png": PICTURE,
    "app/node_modules/left-pad/index.js": b"module.exports = 1\n",
    "app/.git/HEAD": b"ref: refs/heads/main\n",
    "notes.txt": b"not part of the build\n",
}


def as_folder(tmp_path: Path) -> Path:
    top = write_folder(tmp_path / "runs", FILES)
    (top / "app" / "data").mkdir()
    return top


def as_zip(tmp_path: Path) -> Path:
    return write_zip(tmp_path / "runs.zip", [*FILES.items(), ("app/data/", b"")])


def as_tar(tmp_path: Path, suffix: str = ".tar") -> Path:
    plain = tar_bytes([*FILES.items(), (tar_entry("app/data", b"5"), b"")])
    packed = {
        ".tar": lambda data: data,
        ".tar.gz": gzip.compress,
        ".tar.xz": lzma.compress,
        ".tar.zst": zstandard.compress,
    }[suffix](plain)
    path = tmp_path / f"runs{suffix}"
    path.write_bytes(packed)
    return path


@pytest.mark.parametrize("kind", ["folder", "zip", ".tar", ".tar.gz", ".tar.xz", ".tar.zst"])
def test_every_kind_of_archive_gives_the_same_build(tmp_path: Path, kind: str) -> None:
    if kind == "folder":
        address = as_folder(tmp_path)
    elif kind == "zip":
        address = as_zip(tmp_path)
    else:
        address = as_tar(tmp_path, kind)
    with open_archive(str(address), Limits()) as archive:
        (reference,) = find_builds(archive)
        found = open_build(reference, Limits())
        assert reference.id == "app"
        build = found.build
        assert list(build.files) == ["package.json", "public/logo.png", "server.js"]
        assert build.folders == {"", "data", "public"}
        assert build.unscanned == {"node_modules", ".git"}
        assert build.exists("node_modules")
        assert not build.exists("node_modules/left-pad")
        assert build.read("public/logo.png") == PICTURE
        assert build.text("server.js") == "const port = 3001\n"
        assert build.errors == []
        assert found.sums() == {
            "package.json": hashlib.sha256(APP["package.json"]).hexdigest(),
            "public/logo.png": hashlib.sha256(PICTURE).hexdigest(),
            "server.js": hashlib.sha256(b"const port = 3001\n").hexdigest(),
        }


def test_the_digest_is_over_sorted_paths_and_sums_and_the_same_for_every_kind(tmp_path: Path) -> None:
    pairs = sorted((path, hashlib.sha256(data).hexdigest()) for path, data in APP.items())
    expected = hashlib.sha256("".join(f"{path}\0{value}\0" for path, value in pairs).encode()).hexdigest()
    folder = write_folder(tmp_path / "app", APP)
    packed = write_zip(tmp_path / "app.zip", reversed(APP.items()))
    assert only(folder).digest() == only(packed).digest() == expected


def test_a_build_at_the_top_is_named_for_its_archive(tmp_path: Path) -> None:
    assert list(opened(write_folder(tmp_path / "my-app", APP))) == ["my-app"]
    assert list(opened(write_zip(tmp_path / "my-app.zip", APP.items()))) == ["my-app"]
    path = tmp_path / "other.tar.gz"
    path.write_bytes(gzip.compress(tar_bytes(APP.items())))
    assert list(opened(path)) == ["other"]


def test_an_executable_bit_is_kept(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "app", APP)
    (folder / "server.js").chmod(0o755)
    assert [path for path, entry in only(folder).build.files.items() if entry.executable] == ["server.js"]


def test_a_zip_that_windows_wrote_has_folders(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip", [("app\\package.json", b"{}"), ("app\\src\\main.js", b"1")])
    data = path.read_bytes().replace(b"app/", b"app\\").replace(b"src/", b"src\\")  # zipfile mends the names itself
    path.write_bytes(data)
    assert list(only(path).build.files) == ["package.json", "src/main.js"]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_rarer_ways_of_packing_a_zip(tmp_path: Path, method: int) -> None:
    text = b"export const value = 1\n" * 5000
    with zipfile.ZipFile(tmp_path / "app.zip", "w", method) as archive:
        archive.writestr("package.json", "{}")
        archive.writestr("big.js", text)
    build = only(tmp_path / "app.zip").build
    assert build.read("big.js") == text
    assert build.errors == []


def test_a_zip64_archive_behind_other_bytes(tmp_path: Path) -> None:
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        for name, data in APP.items():
            with archive.open(name, "w", force_zip64=True) as file:
                file.write(data)
    path = tmp_path / "app.zip"
    path.write_bytes(b"#!/bin/sh\nexit\n" + inner.read_bytes())
    assert only(path).build.read("server.js") == APP["server.js"]


def test_a_folder_is_read_through_fsspec(tmp_path: Path) -> None:
    import fsspec

    system = fsspec.filesystem("memory")
    for path, data in FILES.items():
        system.pipe(f"/archive-{tmp_path.name}/runs/{path}", data)
    try:
        (build,) = opened(f"memory://archive-{tmp_path.name}/runs").values()
        assert list(build.build.files) == ["package.json", "public/logo.png", "server.js"]
        assert build.build.unscanned == {"node_modules", ".git"}
        assert build.build.read("server.js") == b"const port = 3001\n"
    finally:
        system.rm(f"/archive-{tmp_path.name}", recursive=True)


@pytest.mark.parametrize("kind", ["zip", ".tar.gz"])
def test_a_packed_archive_is_read_through_fsspec(tmp_path: Path, kind: str) -> None:
    import fsspec

    packed = as_zip(tmp_path) if kind == "zip" else as_tar(tmp_path, kind)
    address = f"memory://packed-{tmp_path.name}/{packed.name}"
    with fsspec.open(address, "wb") as file:
        file.write(packed.read_bytes())
    (build,) = opened(address).values()
    assert build.build.id == "app"
    assert not build.build.errors


def test_a_tar_is_spooled_only_while_it_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spools = tmp_path / "spools"
    spools.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spools))
    with open_archive(str(as_tar(tmp_path)), Limits()):
        assert len(list(spools.iterdir())) == 1
    assert list(spools.iterdir()) == []


# ------------------------------------------------------------- unusable input


def refusal(address: Path) -> str:
    with pytest.raises(InputError) as caught:
        open_archive(str(address), Limits()).close()
    message = str(caught.value)
    assert message.startswith(str(address))
    assert "\n" not in message
    return message


def test_a_missing_path_is_refused(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "nowhere")


def test_empty_input_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.zip").write_bytes(b"")
    with zipfile.ZipFile(tmp_path / "bare.zip", "w"):
        pass
    (tmp_path / "bare.tar").write_bytes(tar_bytes([]))
    assert "empty" in refusal(tmp_path / "empty")
    assert "empty" in refusal(tmp_path / "empty.zip")
    assert "holds no file" in refusal(tmp_path / "bare.zip")
    assert "holds no file" in refusal(tmp_path / "bare.tar")


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    assert "neither a folder nor a zip nor a tar" in refusal(tmp_path / "notes.txt")


def test_a_zip_cut_anywhere_is_refused(tmp_path: Path) -> None:
    data = as_zip(tmp_path).read_bytes()
    for length in (30, len(data) // 2, len(data) - 1):
        path = tmp_path / f"cut-{length}.zip"
        path.write_bytes(data[:length])
        refusal(path)


def test_a_zip_whose_front_is_missing_is_refused(tmp_path: Path) -> None:
    data = as_zip(tmp_path).read_bytes()
    path = tmp_path / "back.zip"
    path.write_bytes(data[len(data) - 60 :])
    assert "truncated" in refusal(path)


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tar.xz", ".tar.zst"])
def test_a_tar_cut_anywhere_is_refused(tmp_path: Path, suffix: str) -> None:
    data = as_tar(tmp_path, suffix).read_bytes()
    # The last cut of the plain tar falls between two members.
    for length in (300, len(data) // 2, 1024 if suffix == ".tar" else len(data) - 12):
        path = tmp_path / f"cut-{length}{suffix}"
        path.write_bytes(data[:length])
        refusal(path)


def test_a_damaged_entry_costs_that_file_only(tmp_path: Path) -> None:
    path = tmp_path / "app.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("package.json", "{}")
        archive.writestr("server.js", "const marker = 1")
        archive.writestr("logo.png", "picture marker")
    path.write_bytes(
        path.read_bytes().replace(b"const marker", b"const MARKER").replace(b"picture marker", b"picture MARKER")
    )
    build = only(path)
    assert kinds(build) == [("unreadable", "server.js")]  # a damaged picture costs nothing
    assert build.sums()["server.js"] == ""
    assert build.build.read("package.json") == b"{}"


def test_a_folder_without_permission_costs_what_is_in_it(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "app", {**APP, "secret/a.js": b"1"})
    (folder / "secret").chmod(0)
    try:
        if os.access(folder / "secret", os.R_OK):
            pytest.skip("this user may read everything")
        assert kinds(only(folder)) == [("unreadable", "secret")]
    finally:
        (folder / "secret").chmod(0o755)
