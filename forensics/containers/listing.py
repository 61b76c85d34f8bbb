"""What an archive says it holds, cleaned: members with safe paths, folders, what is never scanned, and problems."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from forensics.records import BuildError

UNSCANNED_NAMES = frozenset({"node_modules", ".git", ".hg", ".svn"})

_CODE = frozenset({"js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "html", "htm", "css"})
_TEXT = frozenset(
    {"vue", "svelte", "astro", "json", "jsonc", "scss", "sass", "less", "sql", "md", "yml", "yaml", "toml"}
)


class Member(Struct, frozen=True, array_like=True, gc=False):
    """One file of an archive.

    `at`, `packed`, `method` and `crc` say where and how its bytes are kept; each container reads them its own way.
    `name` is the name as the container spells it where that is not the path. `sha256` is given where the bytes are
    known but not kept. `refusal` says why the bytes may not be read ("" where they may).
    """

    path: str
    size: int
    executable: bool = False
    at: int = 0
    packed: int = 0
    method: int = 0
    crc: int = 0
    name: str = ""
    sha256: str = ""
    refusal: str = ""


class Listing(Struct, frozen=True):
    """The contents of an archive or of one build, by path. `members` is sorted by path.

    `problems` carry paths relative to the same root as the members'.
    """

    members: list[Member]
    folders: list[str] = field(default_factory=list)
    unscanned: list[str] = field(default_factory=list)
    problems: list[BuildError] = field(default_factory=list)


def is_source(path: str) -> bool:
    """Whether the toolkit reads this file for its text: only the loss of such a file costs coverage."""
    name = path.rpartition("/")[2].lower()
    if name.startswith((".env", "dockerfile")):
        return True
    return name.rpartition(".")[2] in _CODE | _TEXT


def unscanned_part(path: str) -> str:
    """The outermost folder of a path that is never scanned, "" if there is none."""
    parts = path.split("/")
    for index, part in enumerate(parts):
        if part in UNSCANNED_NAMES:
            return "/".join(parts[: index + 1])
    return ""


def below(paths: Sequence[str], root: str) -> tuple[int, int]:
    """First and last-plus-one index of the sorted paths that lie under a folder ("" is everything)."""
    if not root:
        return 0, len(paths)
    return bisect.bisect_left(paths, root + "/"), bisect.bisect_left(paths, root + "0")  # "0" follows "/" in ASCII


class ListingTree:
    """A listing seen as folders, for the layouts."""

    def __init__(self, listing: Listing) -> None:
        self._files: dict[str, list[str]] = {"": []}
        self._folders: dict[str, list[str]] = {"": []}
        for member in listing.members:
            folder, _, name = member.path.rpartition("/")
            self._add_folder(folder)
            self._files[folder].append(name)
        for folder in listing.folders:
            self._add_folder(folder)

    def _add_folder(self, folder: str) -> None:
        while folder not in self._files:
            self._files[folder], self._folders[folder] = [], self._folders.get(folder, [])
            parent, _, name = folder.rpartition("/")
            self._folders.setdefault(parent, []).append(name)
            folder = parent

    def files(self, folder: str) -> list[str]:
        """The names of the files directly in a folder, sorted."""
        return sorted(self._files.get(folder, ()))

    def folders(self, folder: str) -> list[str]:
        """The names of the folders directly in a folder that are scanned, sorted."""
        return sorted(self._folders.get(folder, ()))


class Collector:
    """Gathers members as an archive lists them, the later of two equal names winning as `unzip` has it."""

    def __init__(self) -> None:
        self._members: dict[str, Member] = {}
        self._folders: set[str] = set()
        self._unscanned: set[str] = set()
        self._problems: dict[tuple[str, str], str] = {}

    def problem(self, path: str, kind: str, message: str) -> None:
        self._problems.setdefault((path, kind), message)

    def unscanned(self, folder: str) -> None:
        self._unscanned.add(folder)

    def folder(self, path: str) -> None:
        if path:
            self._folders.add(path)

    def member(self, member: Member) -> None:
        if member.path in self._members:
            self.problem(member.path, "duplicate-name", "the archive holds this name more than once; the last was read")
        self._members[member.path] = member

    def listing(self, *, case_matters: bool) -> Listing:
        """`case_matters`: names that differ in case only are a problem (not so for a folder that exists as it is)."""
        implied = _folders_of(self._members)
        for path in sorted(implied & self._members.keys()):
            del self._members[path]
            self.problem(
                path, "duplicate-name", "the archive holds this name as a file and as a folder; the folder was read"
            )
        if case_matters:
            by_case: dict[str, str] = {}
            for path in sorted(self._members):
                other = by_case.setdefault(path.casefold(), path)
                if other != path:
                    self.problem(
                        path, "case-collision", f"differs from {other} in case only: one is lost where case is ignored"
                    )
        return Listing(
            members=[self._members[path] for path in sorted(self._members)],
            folders=sorted(self._folders - implied),
            unscanned=sorted(self._unscanned),
            problems=[
                BuildError(path=path, kind=kind, message=message)
                for (path, kind), message in sorted(self._problems.items())
            ],
        )


def _folders_of(paths: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found
