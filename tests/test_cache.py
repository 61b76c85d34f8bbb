"""The cache may forget, but never lies."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from forensics.build import Build, FileEntry
from forensics.cache import PackStore, key_of
from forensics.syntax.index import FileIndex, Lowered
from forensics.syntax.ir import Script

KEY = key_of("a")


def filled(folder: Path, blobs: dict[bytes, bytes]) -> None:
    store = PackStore(folder)
    for key, blob in blobs.items():
        store.put(key, blob)
    store.flush()


def packs(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.pack"))


def test_what_is_put_is_found_at_once_and_by_the_next_process(tmp_path: Path) -> None:
    blobs = {key_of(str(number)): b"blob %d" % number for number in range(1000)}
    filled(tmp_path, blobs)
    store = PackStore(tmp_path)
    assert {key: store.get(key) for key in blobs} == blobs
    assert store.get(key_of("absent")) is None
    assert len(packs(tmp_path)) == 1  # one pack, not a file for each entry


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    store = PackStore(None)
    store.put(KEY, b"x")
    store.flush()
    assert store.get(KEY) is None


def test_keys_tell_their_parts_apart() -> None:
    assert key_of("ab", "c") != key_of("a", "bc")
    assert key_of("é") == key_of("é".encode())


@pytest.mark.parametrize("cut", [0, 5, 50, -1])
def test_a_pack_that_was_cut_short_is_ignored(tmp_path: Path, cut: int) -> None:
    filled(tmp_path, {KEY: b"lost" * 100})
    filled(tmp_path, {key_of("b"): b"kept"})
    for pack in packs(tmp_path):
        data = pack.read_bytes()
        if b"lost" in data:
            pack.write_bytes(data[:cut])
    store = PackStore(tmp_path)
    assert store.get(KEY) is None
    assert store.get(key_of("b")) == b"kept"


def test_a_changed_byte_anywhere_is_never_answered_with(tmp_path: Path) -> None:
    filled(tmp_path, {KEY: b"the true answer"})
    (pack,) = packs(tmp_path)
    data = pack.read_bytes()
    for place in range(len(data)):
        pack.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert PackStore(tmp_path).get(KEY) in (None, b"the true answer")


def test_other_files_in_the_folder_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "empty.pack").write_bytes(b"")
    (tmp_path / "folder.pack").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    filled(tmp_path, {KEY: b"kept"})
    assert PackStore(tmp_path).get(KEY) == b"kept"


def test_a_folder_that_can_not_be_written_to_fails_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file stands where the folder should be")
    store = PackStore(tmp_path / "cache")
    store.put(KEY, b"x")
    store.flush()
    assert store.get(KEY) is None


def test_writers_and_readers_do_not_meet(tmp_path: Path) -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        for turn in range(20):
            filled(tmp_path, {key_of(f"{number}-{turn}"): b"%d" % number})
            if PackStore(tmp_path).get(key_of(f"{number}-{turn}")) != b"%d" % number:
                wrong.append((number, turn))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_many_small_packs_are_merged_and_nothing_is_lost(tmp_path: Path) -> None:
    blobs = {key_of(str(number)): b"%d" % number for number in range(40)}
    for key, blob in blobs.items():
        filled(tmp_path, {key: blob})
    reader = PackStore(tmp_path)
    assert reader.get(key_of("0")) == b"0"
    PackStore(tmp_path).tidy()
    assert len(packs(tmp_path)) == 1
    store = PackStore(tmp_path)
    assert {key: store.get(key) for key in blobs} == blobs
    if os.name == "posix":
        assert reader.get(key_of("39")) == b"39"  # an open pack outlives its name


# ------------------------------------------------------------------- the index


def build_of(files: dict[str, bytes]) -> Build:
    def read(path: str) -> bytes:
        if files[path] == b"unreadable":
            raise OSError("damaged")
        return files[path]

    return Build("b", {}, [FileEntry(path, len(data)) for path, data in files.items()], read)


def test_a_file_is_lowered_once_for_all_builds_with_that_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from forensics.syntax import lowering

    asked = []
    real = lowering.lower
    monkeypatch.setattr(lowering, "lower", lambda language, source: asked.append(source) or real(language, source))
    store = PackStore(tmp_path)
    lowered = Lowered(store)
    first = FileIndex(build_of({"a.js": b"const a = 1\n"}), lowered).script("a.js")
    second = FileIndex(build_of({"src/b.js": b"const a = 1\n"}), lowered).script("src/b.js")
    store.flush()
    third = FileIndex(build_of({"a.js": b"const a = 1\n"}), Lowered(PackStore(tmp_path))).script("a.js")
    assert isinstance(first, Script)
    assert first == second == third
    assert asked == [b"const a = 1\n"]


def test_the_same_bytes_in_another_language_are_another_entry(tmp_path: Path) -> None:
    source = b"const a = <T,>(x: T) => x\n"
    index = FileIndex(build_of({"a.js": source, "a.ts": source}), Lowered(PackStore(tmp_path)))
    javascript, typescript = index.script("a.js"), index.script("a.ts")
    assert javascript is not None
    assert typescript is not None
    assert javascript.problems
    assert not typescript.problems


def test_each_kind_of_file_by_its_own_question() -> None:
    files = {"a.js": b"1", "i.html": b"<p>x", "s.css": b"a{}", "package.json": b"{}", "x.png": b"\x89PNG"}
    index = FileIndex(build_of(files), Lowered(PackStore(None)))
    assert index.script("a.js") is not None
    assert index.page("i.html") is not None
    assert index.stylesheet("s.css") is not None
    assert index.document("package.json") is not None
    assert index.script("i.html") is None
    assert index.script("x.png") is None
    assert index.script("absent.js") is None


def test_what_can_not_be_read_has_no_ir_and_is_recorded() -> None:
    build = build_of({"a.js": b"unreadable"})
    assert FileIndex(build, Lowered(PackStore(None))).script("a.js") is None
    assert [(error.kind, error.path) for error in build.errors] == [("unreadable", "a.js")]


def test_an_empty_file_has_an_empty_script() -> None:
    script = FileIndex(build_of({"a.js": b""}), Lowered(PackStore(None))).script("a.js")
    assert script is not None
    assert script.body == []


def test_a_lowering_that_fails_costs_that_file_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from forensics.syntax import lowering

    real = lowering.lower

    def fails(language: lowering.Language, source: bytes) -> object:
        if source == b"bad":
            raise RecursionError("too deep")
        return real(language, source)

    monkeypatch.setattr(lowering, "lower", fails)
    build = build_of({"a.js": b"bad", "b.js": b"1"})
    index = FileIndex(build, Lowered(PackStore(None)))
    assert index.script("a.js") is None
    assert index.script("b.js") is not None
    assert [(error.kind, error.path) for error in build.errors] == [("lowering-failed", "a.js")]
