"""Archives of builds: a folder, a zip, a tar or an fsspec address of one, and the builds that a layout finds in them.

Nothing is unpacked. `open_archive` reads the names, `Archive.reference` says in one small record where a build lies,
and `open_build` makes the build from that record, in this process or in any other that reaches the same storage.
"""

from __future__ import annotations

import bisect
import contextlib
import functools
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Protocol, cast

import msgspec.structs
from msgspec import Struct, field

from forensics.build import Build, FileEntry
from forensics.containers import directory
from forensics.containers.listing import Listing, ListingTree, Member, below, is_source
from forensics.containers.names import printable
from forensics.limits import Limits
from forensics.records import BuildError, InputError

_HEAD_BYTES = 512
_MANIFEST_BYTES = 4 * 1024 * 1024


class BuildReference(Struct, frozen=True, kw_only=True):
    """Where one build lies. `kind` is directory, zip, spool or remote; `place` the folder or file that holds the bytes,
    `root` the build's folder in it. A directory's files are listed when the build is opened, the others' here.
    `outer_dependencies` are the names that each package.json above the root declares (see `Build`)."""

    id: str
    archive: str
    labels: dict[str, str]
    kind: str
    place: str
    root: str
    listing: Listing | None = None
    problems: list[BuildError] = field(default_factory=list)
    outer_dependencies: tuple[tuple[str, ...], ...] = ()


class Tree(Protocol):
    """An archive seen as folders. Paths are relative to the archive, "" is its top."""

    def files(self, folder: str) -> list[str]:
        """The names of the files directly in a folder, sorted."""

    def folders(self, folder: str) -> list[str]:
        """The names of the folders directly in a folder, sorted, without those that are never scanned."""


class Archive:
    """One opened archive. `name` is what a build at its top is called. Close it after the last build was read."""

    def __init__(
        self, address: str, name: str, kind: str, place: str, tree: Tree, listing: Listing | None, spool: str = ""
    ) -> None:
        self.address = address
        self.name = name
        self.kind = kind
        self.place = place
        self.tree: Tree = tree
        self._listing = listing
        self._paths = [member.path for member in listing.members] if listing else []
        self._spool = spool
        self._blamed: set[tuple[str, str]] = set()
        self._declared: dict[str, tuple[str, ...]] = {}

    def read(self, path: str) -> bytes:
        """The bytes of a small file such as a manifest, b"" where they can't be had."""
        try:
            if self._listing is None:
                place = os.path.join(self.place, path)
                if os.path.islink(place) or not os.path.isfile(place):
                    return b""
                with open(place, "rb") as file:
                    return file.read(_MANIFEST_BYTES)
            at = bisect.bisect_left(self._paths, path)
            if at < len(self._paths) and self._paths[at] == path:
                member = self._listing.members[at]
                if member.size <= _MANIFEST_BYTES and not member.refusal:
                    return b"".join(_chunks(self.kind, self.place, "", member))
        except OSError:
            pass
        return b""

    def reference(self, root: str, build_id: str, labels: dict[str, str]) -> BuildReference:
        """Where the build in folder `root` ("" is the archive's top) lies."""
        listing = None
        if self._listing is not None:
            cut = len(root) + 1 if root else 0
            first, last = below(self._paths, root)
            inside = [
                problem
                for problem in self._listing.problems
                if not root or problem.path == root or problem.path.startswith(root + "/")
            ]
            self._blamed.update((problem.path, problem.kind) for problem in inside)
            listing = Listing(
                members=[_moved(member, cut) for member in self._listing.members[first:last]],
                folders=[path[cut:] for path in self._listing.folders if not root or path.startswith(root + "/")],
                unscanned=[path[cut:] for path in self._listing.unscanned if not root or path.startswith(root + "/")],
                problems=[_at(problem, problem.path[cut:]) for problem in inside],
            )
        return BuildReference(
            id=build_id,
            archive=self.address,
            labels=labels,
            kind=self.kind,
            place=self.place,
            root=root,
            listing=listing,
            outer_dependencies=self._outer_dependencies(root),
        )

    def _outer_dependencies(self, root: str) -> tuple[tuple[str, ...], ...]:
        """Names declared by the manifests of the folders above a build's root, innermost first."""
        found = []
        while root:
            root = root.rpartition("/")[0]
            if root not in self._declared:
                self._declared[root] = _declared_names(self.read(f"{root}/package.json" if root else "package.json"))
            if self._declared[root]:
                found.append(self._declared[root])
        return tuple(found)

    def problems_elsewhere(self) -> list[BuildError]:
        """Problems of names that lie in none of the builds referred to so far."""
        if self._listing is None:
            return []
        return [problem for problem in self._listing.problems if (problem.path, problem.kind) not in self._blamed]

    def release(self) -> None:
        """Lets go of the index, once every build was referred to: the references hold their own part of it."""
        self._listing = None
        self._paths = []
        self.tree = ListingTree(Listing([]))

    def close(self) -> None:
        """Removes what was spooled."""
        if self._spool:
            with contextlib.suppress(OSError):
                os.unlink(self._spool)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _moved(member: Member, cut: int) -> Member:
    return msgspec.structs.replace(member, path=member.path[cut:]) if cut else member


def _at(problem: BuildError, path: str) -> BuildError:
    return BuildError(path=path, kind=problem.kind, message=problem.message)


# ------------------------------------------------------------------ opening


def open_archive(address: str, limits: Limits) -> Archive:
    """Opens an archive by path or fsspec address and reads its names.

    Raises:
        InputError: nothing is there, or it is none of the kinds that can be read, is damaged or empty.
    """
    local = _local_path(address)
    if local is None:
        return _open_remote(address, limits)
    shown = printable(address)
    name = printable(os.path.basename(os.path.abspath(local))) or "archive"
    if os.path.isdir(local):
        place = os.path.abspath(local)
        try:
            empty = not os.listdir(place)
        except OSError as error:
            raise InputError(f"{shown}: the folder cannot be read ({error.strerror})") from None
        if empty:
            raise InputError(f"{shown}: the folder is empty; give a folder, a zip or a tar that holds builds")
        return Archive(address, name, "directory", place, directory.DirectoryTree(place), None)
    if not os.path.exists(local):
        raise InputError(f"{shown}: there is no such file or folder; check the path")
    try:
        with open(local, "rb") as file:
            return _open_file(file, address, os.path.abspath(local), name, limits)
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror or error})") from None


def _local_path(address: str) -> str | None:
    if "://" not in address:
        return address
    scheme, _, rest = address.partition("://")
    return rest if scheme in ("file", "local") else None


def _open_file(file: BinaryIO, address: str, place: str, name: str, limits: Limits) -> Archive:
    from forensics.containers import tar, zip

    shown = printable(address)
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    if not head:
        raise InputError(f"{shown}: the file is empty; give a folder, a zip or a tar that holds builds")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x06\x06", b"PK\x07\x08")) or name.lower().endswith(".zip"):
        listing = zip.list_zip(file, shown, limits)
        archive = Archive(address, _stem(name), "zip", place, ListingTree(listing), listing)
    else:
        kind = tar.compression_of(head) or ("tar" if name.lower().endswith(".tar") else None)
        if kind is None:
            raise InputError(f"{shown}: neither a folder nor a zip nor a tar (.tar, .tar.gz, .tar.xz, .tar.zst)")
        descriptor, spool = tempfile.mkstemp(prefix="build-forensics-", suffix=".spool")
        try:
            with os.fdopen(descriptor, "wb") as kept:
                listing = tar.spool_tar(file, shown, kind, kept, limits)
        except BaseException:
            os.unlink(spool)
            raise
        archive = Archive(address, _stem(name), "spool", spool, ListingTree(listing), listing, spool)
    if not listing.members:
        archive.close()
        raise InputError(f"{shown}: the archive holds no file; give a folder, a zip or a tar that holds builds")
    return archive


def _stem(name: str) -> str:
    for suffix in (".zip", ".tar", ".tgz", ".txz", ".tar.gz", ".tar.xz", ".tar.zst"):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def _open_remote(address: str, limits: Limits) -> Archive:
    shown = printable(address)
    try:
        import fsspec

        system, path = fsspec.core.url_to_fs(address)
        information = system.info(path)
    except (FileNotFoundError, ValueError, ImportError, OSError) as error:
        raise InputError(f"{shown}: cannot be opened ({error})") from None
    name = printable(path.rstrip("/").rpartition("/")[2]) or "archive"
    if information.get("type") != "directory":
        try:
            with system.open(path, "rb") as file:
                return _open_file(cast("BinaryIO", file), address, address, name, limits)
        except OSError as error:
            raise InputError(f"{shown}: cannot be read ({error})") from None
    from forensics.containers import remote

    listing = remote.list_remote(system, path, limits)
    if not listing.members:
        raise InputError(f"{shown}: the folder is empty; give a folder, a zip or a tar that holds builds")
    return Archive(address, name, "remote", address, ListingTree(listing), listing)


# ------------------------------------------------------------------- builds


def _opened(place: str) -> Any:
    if "://" in place:
        return _opened_at(place, 0, 0)
    status = os.stat(place)
    return _opened_at(place, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=4)
def _opened_at(place: str, changed: int, size: int) -> Any:
    """The file, kept open for the builds that follow from the same archive while it stays as it is."""
    if "://" not in place:
        return open(place, "rb")
    import fsspec

    return fsspec.open(place, "rb").open()


def _chunks(kind: str, place: str, root: str, member: Member) -> Iterator[bytes]:
    if kind == "directory":
        return directory.chunks_of(place, root, member)
    if kind == "remote":
        from forensics.containers import remote

        return remote.chunks_of(place, member)
    if kind == "zip":
        from forensics.containers import zip

        return zip.zip_chunks(_opened(place), member)
    from forensics.containers import tar

    return tar.spool_chunks(_opened(place), member)


def _declared_names(manifest: bytes) -> tuple[str, ...]:
    """Every package that a package.json declares, sorted; none where it can't be read."""
    try:
        value = msgspec.json.decode(manifest.removeprefix(b"\xef\xbb\xbf")) if manifest else {}
    except msgspec.DecodeError:
        return ()
    kinds = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
    tables = [value.get(kind) for kind in kinds] if isinstance(value, dict) else []
    return tuple(sorted({str(name) for table in tables if isinstance(table, dict) for name in table}))


class OpenBuild:
    """A build with the sums of its files, which are taken in pieces, so that a long file never lies in memory whole."""

    def __init__(self, reference: BuildReference, limits: Limits) -> None:
        self.reference = reference
        self.limits = limits
        listing = reference.listing
        if listing is None:
            listing = directory.list_directory(reference.place, reference.root, limits)
        errors = [*reference.problems, *listing.problems]
        self._members = {member.path: member for member in _within(listing.members, limits, errors)}
        self._sums: dict[str, str] = {}
        self.build = Build(
            reference.id,
            reference.labels,
            (FileEntry(member.path, member.size, member.executable) for member in self._members.values()),
            self._read,
            listing.folders,
            listing.unscanned,
            errors,
            (frozenset(names) for names in reference.outer_dependencies),
        )

    def _read(self, path: str) -> bytes:
        member = self._members[path]
        if member.refusal:
            raise OSError(member.refusal)
        if member.size > self.limits.file_size:
            raise OSError(f"{member.size:,} bytes, more than {self.limits.file_size:,} (limit file_size)")
        data = b"".join(_chunks(self.reference.kind, self.reference.place, self.reference.root, member))
        self._sums.setdefault(path, hashlib.sha256(data).hexdigest())
        return data

    def sums(self) -> dict[str, str]:
        """The SHA-256 of every file by path, "" for one that can't be read. A source that can't is recorded."""
        for path, member in self._members.items():
            if path in self._sums:
                continue
            if member.sha256 or member.refusal:
                self._sums[path] = member.sha256
            elif member.size <= self.limits.file_size and is_source(path):
                self.build.read(path)  # keeps the bytes for the scan, and records what can't be read
                self._sums.setdefault(path, "")
            else:
                self._sums[path] = self._summed(member)
        return self._sums

    def _summed(self, member: Member) -> str:
        total = hashlib.sha256()
        try:
            for chunk in _chunks(self.reference.kind, self.reference.place, self.reference.root, member):
                total.update(chunk)
        except OSError:
            return ""  # a picture or a database that is damaged costs no coverage
        return total.hexdigest()

    def digest(self) -> str:
        """SHA-256 over the sorted (path, SHA-256) pairs of the build's files."""
        total = hashlib.sha256()
        for path, value in sorted(self.sums().items()):
            total.update(f"{path}\x00{value}\x00".encode("utf-8", "surrogatepass"))
        return total.hexdigest()


def open_build(reference: BuildReference, limits: Limits) -> OpenBuild:
    """The build that a reference points to, its files within the limits."""
    return OpenBuild(reference, limits)


def _within(members: Iterable[Member], limits: Limits, errors: list[BuildError]) -> Iterator[Member]:
    """The members that the limits let through; what is lost is added to `errors`."""
    count = total = 0
    for member in members:
        if member.path.count("/") >= limits.depth:
            message = f"more than {limits.depth} folders deep (limit depth); it was not read"
            errors.append(BuildError(path=printable(member.path[:200]), kind="path-too-deep", message=message))
            continue
        count += 1
        if count > limits.files:
            message = f"more than {limits.files:,} files (limit files): the rest was not read"
            errors.append(BuildError(path="", kind="too-many-files", message=message))
            return
        total += member.size
        if total > limits.build_bytes:
            message = f"more than {limits.build_bytes:,} bytes (limit build_bytes): the rest was not read"
            errors.append(BuildError(path=member.path, kind="build-too-large", message=message))
            return
        if member.size > limits.file_size and is_source(member.path) and not member.refusal:
            message = f"{member.size:,} bytes, more than {limits.file_size:,} (limit file_size); it was not read"
            errors.append(BuildError(path=member.path, kind="file-too-large", message=message))
        yield member
