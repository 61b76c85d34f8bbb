"""The IR of a build's files, lowered when asked for and once per distinct content."""

from __future__ import annotations

import contextlib
import posixpath
from collections import OrderedDict
from typing import TYPE_CHECKING, TypeVar

import msgspec
import zstandard

from forensics.build import Build
from forensics.cache import PackStore, key_of
from forensics.records import BuildError
from forensics.syntax.ir import Document, FileIR, Page, Script, Stylesheet
from forensics.versions import syntax_digest

if TYPE_CHECKING:
    from forensics.syntax.lowering import Language

_Shape = TypeVar("_Shape", Script, Page, Stylesheet, Document)

_REMEMBERED_BYTES = 4 * 1024 * 1024
_HEAD_BYTES = 256


class Lowered:
    """IR by content: what this process lowered last, and behind it the cache on disk.

    The builds of an archive share files (a starter, a licence, a copied component), so what was lowered last is kept.
    """

    def __init__(self, store: PackStore) -> None:
        self._store = store
        self._recent: OrderedDict[bytes, tuple[FileIR, int]] = OrderedDict()
        self._recent_bytes = 0

    def get(self, language: Language, digest: str, source: bytes) -> FileIR:
        """The IR of a source whose SHA-256 is `digest`."""
        from forensics.syntax.lowering import decoder_for, lower

        key = key_of("ir", syntax_digest(), language, digest)
        recent = self._recent.get(key)
        if recent is not None:
            self._recent.move_to_end(key)
            return recent[0]
        found = self._cached(key, decoder_for(language))
        if found is None:
            found = lower(language, source)
            # A lone surrogate or a number past 64 bits can't be encoded: such a file is lowered again next time.
            with contextlib.suppress(UnicodeEncodeError, OverflowError, RecursionError):
                self._store.put(key, zstandard.compress(msgspec.msgpack.encode(found), 1))
        self._recent[key] = found, len(source)
        self._recent_bytes += len(source)
        while self._recent_bytes > _REMEMBERED_BYTES and len(self._recent) > 1:
            self._recent_bytes -= self._recent.popitem(last=False)[1][1]
        return found

    def _cached(self, key: bytes, decoder: msgspec.msgpack.Decoder[FileIR]) -> FileIR | None:
        blob = self._store.get(key)
        if blob is None:
            return None
        try:
            return decoder.decode(zstandard.decompress(blob))
        except (msgspec.DecodeError, zstandard.ZstdError):
            return None


class FileIndex:
    """The IR of one build's files by path. A file that can't be read or lowered has none, and is in `build.errors`."""

    def __init__(self, build: Build, lowered: Lowered) -> None:
        self._build = build
        self._lowered = lowered
        self._by_path: dict[str, FileIR | None] = {}

    def of(self, build: Build) -> FileIndex:
        """The index of another build that shares what was lowered."""
        return FileIndex(build, self._lowered)

    def script(self, path: str) -> Script | None:
        """The IR of a JavaScript or TypeScript file, None where the build holds no such file."""
        return self._of_shape(path, Script)

    def page(self, path: str) -> Page | None:
        """The IR of an HTML page or a single-file component, None where the build holds no such file."""
        return self._of_shape(path, Page)

    def stylesheet(self, path: str) -> Stylesheet | None:
        """The IR of a stylesheet, None where the build holds no such file."""
        return self._of_shape(path, Stylesheet)

    def document(self, path: str) -> Document | None:
        """A JSON file read, None where the build holds no such file."""
        return self._of_shape(path, Document)

    def language(self, path: str) -> Language | None:
        """The language of a file, None where it is none of those that are lowered or isn't in the build."""
        from forensics.syntax.lowering import language_of

        if path not in self._build.files:
            return None
        head = b"" if "." in posixpath.basename(path) else self._build.read(path)[:_HEAD_BYTES]
        return language_of(path, head)

    def _of_shape(self, path: str, shape: type[_Shape]) -> _Shape | None:
        if path not in self._by_path:
            self._by_path[path] = self._lower(path)
        found = self._by_path[path]
        return found if isinstance(found, shape) else None

    def _lower(self, path: str) -> FileIR | None:
        language = self.language(path)
        if language is None:
            return None
        source = self._build.read(path)
        if not source and self._build.files[path].size:
            return None  # unreadable, and recorded so by the build
        try:
            return self._lowered.get(language, self._build.digest(path), source)
        except Exception as error:  # a file that breaks the lowering costs that file only
            message = f"could not be lowered ({type(error).__name__}: {error})"
            self._build.errors.append(BuildError(path=path, kind="lowering-failed", message=message[:500]))
            return None
