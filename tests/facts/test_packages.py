from __future__ import annotations

import json
from datetime import date

import pytest

from forensics.build import Build, FileEntry
from forensics.facts.packages import Packages, glob_matches, matching_folders, read_packages
from forensics.facts.values import Unknown
from forensics.facts.versions import major_of_range
from forensics.syntax.documents import lower_document


def build_of(files: dict[str, object]) -> Build:
    texts = {path: (text if isinstance(text, str) else json.dumps(text)).encode() for path, text in files.items()}
    entries = [FileEntry(path=path, size=len(data)) for path, data in texts.items()]
    return Build("app", {}, entries, texts.__getitem__)


def packages_of(files: dict[str, object]) -> Packages:
    build = build_of(files)
    return read_packages(build, lambda path: lower_document(build.read(path), "strict"))


def test_scripts_and_dependencies_carry_their_spans() -> None:
    source = (
        '{"name": "a", "scripts": {"dev": "vite \\"x\\""}, "devDependencies": {"vite": " ^5.4.0 "}, "bin": "./cli.js"}'
    )
    package = packages_of({"package.json": source}).root
    assert package is not None
    script = package.scripts["dev"]
    assert script.text == 'vite "x"'
    assert source[script.start : script.end] == '"vite \\"x\\""'
    assert source[script.key_start : script.key_end] == '"dev"'
    dependency = package.dependency("vite")
    assert dependency is not None
    assert (dependency.range, dependency.kind) == ("^5.4.0", "devDependencies")
    assert source[dependency.key_start : dependency.key_end] == '"vite"'
    assert package.bin == {"a": "./cli.js"}


def test_a_manifest_that_does_not_parse_is_no_package() -> None:
    packages = packages_of({"package.json": '{"a": 1,}', "b/package.json": "[]", "node_modules/c/package.json": "{}"})
    assert len(packages) == 0
    assert set(packages.broken) == {"package.json", "b/package.json"}


def test_the_nearest_package_of_a_file() -> None:
    packages = packages_of(
        {"package.json": {"name": "r"}, "client/package.json": {"type": "module"}, "client/src/a.js": ""}
    )
    nearest = packages.nearest_package("client/src/a.js")
    assert nearest is not None
    assert (nearest.folder, nearest.module_type) == ("client", "module")
    outer = packages.nearest_package("server/a.js")
    assert outer is not None
    assert outer.folder == ""


# Each pattern list was given to npm 11's map-workspaces with these folders.
@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["packages/*"], ["packages/a", "packages/b"]),
        (["./packages/a/", "apps/web"], ["packages/a", "apps/web"]),
        (["packages/*", "!packages/a"], ["packages/b"]),
        (["packages/**", "!packages/b/**", "packages/b/deep"], ["packages/a", "packages/b", "packages/b/deep"]),
        (["{packages,apps}/*"], ["apps/web", "packages/a", "packages/b"]),
        (["**"], ["apps/web", "packages/a", "packages/b", "packages/b/deep"]),
        (["missing"], []),
    ],
)
def test_workspace_patterns(patterns: list[str], expected: list[str]) -> None:
    folders = ["", "packages/a", "packages/b", "packages/b/deep", "apps/web"]
    assert list(matching_folders(patterns, "", folders)) == expected


def test_glob_marks() -> None:
    assert glob_matches("dev-[ab]", "dev-a")
    assert not glob_matches("dev-[!ab]", "dev-a")
    assert not glob_matches("*", ".hidden")
    assert glob_matches("a/**/z", "a/z")
    assert glob_matches("x[", "x[")


@pytest.mark.parametrize(
    "extra",
    [
        {"package.json": {"workspaces": ["packages/*"]}},
        {"package.json": {"workspaces": {"packages": ["packages/*"]}}},
        {"package.json": {}, "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n"},
        {"package.json": {}, "lerna.json": {"packages": ["packages/*"]}},
    ],
)
def test_where_workspaces_are_declared(extra: dict[str, object]) -> None:
    packages = packages_of({**extra, "packages/web/package.json": {"name": "web"}})
    assert packages.root is not None
    assert packages.root.workspaces == ("packages/web",)
    root = packages.workspace_root("packages/web")
    assert root is not None
    assert root.folder == ""


def test_dependencies_resolve_from_own_enclosing_and_hoisted_manifests() -> None:
    files: dict[str, object] = {
        "package.json": {"workspaces": ["api", "web"], "devDependencies": {"concurrently": "^9.0.0"}},
        "api/package.json": {"name": "api", "dependencies": {"express": "^5.1.0"}},
        "web/package.json": {"name": "web", "dependencies": {"react": "^19.0.0"}},
    }
    packages = packages_of(files)
    how = {
        (folder, name): found.how
        for folder in ("", "api", "web")
        for name in ("express", "concurrently", "react", "api", "left-pad")
        if (found := packages.resolve(folder, name))
    }
    assert how[("api", "express")] == "own"
    assert how[("web", "express")] == "hoisted"
    assert how[("", "react")] == "hoisted"
    assert how[("api", "concurrently")] == "enclosing"
    assert how[("web", "api")] == "workspace"
    assert ("api", "left-pad") not in how
    assert packages.dependency_range("web", "express") == "^5.1.0"
    with_pnpm = packages_of({**files, "pnpm-lock.yaml": "lockfileVersion: '9.0'\n"})
    assert with_pnpm.resolve("web", "express") is None


LOCKED: list[tuple[str, object]] = [
    ("package-lock.json", {"lockfileVersion": 1, "dependencies": {"vite": {"version": "6.1.0"}}}),
    ("package-lock.json", {"lockfileVersion": 3, "packages": {"": {}, "node_modules/vite": {"version": "6.1.0"}}}),
    (
        "pnpm-lock.yaml",
        """lockfileVersion: '9.0'
importers:
  .:
    devDependencies:
      vite:
        specifier: '>=5'
        version: 6.1.0(@types/node@20.0.0)
packages:
  x: [
""",
    ),
    (
        "pnpm-lock.yaml",
        "lockfileVersion: 5.4\nspecifiers:\n  vite: '>=5'\ndevDependencies:\n  vite: 6.1.0_@types+node@20\n",
    ),
    ("yarn.lock", '# yarn lockfile v1\n\n"vite@>=5", vite@^6.0.0:\n  version "6.1.0"\n  resolved "x"\n'),
    ("yarn.lock", '__metadata:\n  version: 8\n\n"vite@npm:>=5":\n  version: 6.1.0\n  resolution: "vite@npm:6.1.0"\n'),
    (
        "bun.lock",
        '{\n  "lockfileVersion": 1,\n  "packages": {\n    "vite": ["vite@6.1.0", "", {}, "sha512-x"],\n  }\n}\n',
    ),
]


@pytest.mark.parametrize(("name", "content"), LOCKED)
def test_lockfiles_come_before_ranges(name: str, content: object) -> None:
    packages = packages_of({"package.json": {"devDependencies": {"vite": ">=5"}}, name: content})
    assert packages.locked_version("", "vite") == "6.1.0"
    assert packages.major("", "vite") == 6


def test_a_workspace_finds_its_own_version_in_the_roots_lockfile() -> None:
    lock = {
        "lockfileVersion": 3,
        "packages": {
            "node_modules/express": {"version": "5.1.0"},
            "old/node_modules/express": {"version": "4.21.2"},
            "node_modules/shared": {"resolved": "shared", "link": True},
            "shared": {"version": "2.0.0"},
        },
    }
    files: dict[str, object] = {
        "package.json": {"workspaces": ["*"]},
        "old/package.json": {"dependencies": {"express": "^4.0.0"}},
        "shared/package.json": {"name": "shared", "version": "2.0.0"},
        "package-lock.json": lock,
    }
    packages = packages_of(files)
    assert packages.major("old", "express") == 4
    assert packages.major("shared", "express") == 5
    assert packages.locked_version("old", "shared") == "2.0.0"


@pytest.mark.parametrize(
    ("written", "major"),
    [
        ("^5.4.0", 5),
        ("~4.19.2", 4),
        ("5.4.10", 5),
        ("5.x", 5),
        ("=5.4.0", 5),
        ("v5", 5),
        ("6.0.0-beta.2", 6),
        ("^4.0.0 || ^5.0.0", 5),
        ("4 - 6", 6),
        ("<9", 8),
        (">=5 <7", 6),
        ("npm:rolldown-vite@^7.0.0", 7),
        ("latest", 8),
        ("*", 8),
        (">=4", 8),
        (">=5.1.0 <5.4.0", 5),
    ],
)
def test_the_major_of_a_range(written: str, major: int) -> None:
    assert major_of_range(written, "vite") == major


def test_an_open_range_means_what_was_out_on_the_day() -> None:
    assert major_of_range("latest", "vite", date(2025, 7, 1)) == 7
    assert major_of_range("*", "express", date(2025, 1, 1)) == 4
    assert major_of_range("latest", "express", date(2025, 6, 1)) == 5


@pytest.mark.parametrize(
    "written", ["github:a/b", "git+https://x/y.git", "latest", ">=2", "https://x/y.tgz", "workspace:*", "<1 >2"]
)
def test_what_names_no_version_is_unknown_with_a_reason(written: str) -> None:
    found = major_of_range(written, "some-package")
    assert isinstance(found, Unknown)
    assert "some-package" in found.reason


def test_workspace_and_catalog_ranges() -> None:
    files: dict[str, object] = {
        "package.json": {"dependencies": {"shared": "workspace:*", "vite": "catalog:", "react": "catalog:old"}},
        "pnpm-workspace.yaml": "packages: [lib]\ncatalog:\n  vite: ^7.0.0\ncatalogs:\n  old:\n    react: ^18.0.0\n",
        "lib/package.json": {"name": "shared", "version": "3.1.0"},
    }
    packages = packages_of(files)
    assert packages.major("", "shared") == 3
    assert packages.major("", "vite") == 7
    assert packages.major("", "react") == 18
    undeclared = packages.major("", "express")
    assert isinstance(undeclared, Unknown)
    assert undeclared.reason == "no manifest declares express"


@pytest.mark.parametrize("text", ["a: &a [*a, *a]\npackages: [x]", "- 1", "packages: {", "\x00", "packages: 3"])
def test_hostile_yaml_gives_no_workspaces(text: str) -> None:
    packages = packages_of({"package.json": {}, "pnpm-workspace.yaml": text})
    assert packages.root is not None
    assert packages.root.workspaces == ()
