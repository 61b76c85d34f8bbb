"""npm packages for the oracle tests: installed once into a cache folder, linked into scratch copies.

A *shelf* is one npm installation: a few packages, each in one major version, with all that they need. A scratch
copy gets a `node_modules` of links to the packages that its manifests declare, in the major that the declared range
names, and `.bin` links as npm would make them, so that a run costs a second and not an installation.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

# Shelf -> packages with the ranges that npm is asked for. Packages of one shelf resolve each other.
SHELVES: dict[str, dict[str, str]] = {
    "vite-5": {"vite": "^5.4.0", "@vitejs/plugin-react": "^4.3.0", "react": "^18.3.0", "react-dom": "^18.3.0"},
    "vite-8": {"vite": "^8.0.0", "@vitejs/plugin-react": "^6.0.0", "react": "^19.0.0", "react-dom": "^19.0.0"},
    "express-4": {"express": "^4.21.0"},
    "express-5": {"express": "^5.1.0"},
    "pglite-0.2": {"@electric-sql/pglite": "^0.2.17"},
    "pglite-0.5": {"@electric-sql/pglite": "^0.5.0"},
    "better-sqlite3-12": {"better-sqlite3": "^12.2.0"},
    "sqlite3": {"sqlite3": "^6.0.0"},
    "launching": {
        "concurrently": "^9.0.0",
        "cross-env": "^7.0.3",
        "npm-run-all": "^4.1.5",
        "nodemon": "^3.1.0",
        "wait-on": "^8.0.0",
        "tsx": "^4.19.0",
        "typescript": "^5.7.0",
    },
    "compression": {"compression": "^1.7.4"},
    "launching-2": {"npm-run-all2": "^8.0.0"},
    "serving": {
        "axios": "^1.7.0",
        "cors": "^2.8.5",
        "ws": "^8.18.0",
        "dotenv": "^16.4.0",
        "http-proxy-middleware": "^3.0.0",
        "multer": "^2.0.0",
        "fs-extra": "^11.2.0",
        "lowdb": "^7.0.1",
        "level": "^10.0.0",
        "@seald-io/nedb": "^4.1.0",
    },
    "vue-3": {"vue": "^3.5.0", "@vitejs/plugin-vue": "^6.0.0"},
    "node-22": {"node": "^22.20.0"},
}
# Shelves that may be missing: trees that need them are skipped with npm's last line as the reason.
OPTIONAL = frozenset({"sqlite3", "node-22"})
INSTALL_SECONDS = 600


class PackagesError(Exception):
    """Why the packages that a tree declares can't be had: no npm, no network, a range that no shelf holds."""


def cache_folder() -> Path:
    """Where shelves live: BUILD_FORENSICS_ORACLE_CACHE, else `.oracle-cache/` in the checkout."""
    return Path(os.environ.get("BUILD_FORENSICS_ORACLE_CACHE") or CHECKOUT / ".oracle-cache").resolve()


def installed(shelf: str) -> Path:
    """The `node_modules` of a shelf, installed by npm where it isn't yet. Raises PackagesError."""
    folder = cache_folder() / shelf
    wanted = json.dumps({"name": f"shelf-{shelf}", "private": True, "dependencies": SHELVES[shelf]}, sort_keys=True)
    done = folder / "installed.json"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if done.exists() and done.read_text() == wanted:
            return folder / "node_modules"
        if shutil.which("npm") is None or shutil.which("node") is None:
            raise PackagesError("node and npm are not on PATH")
        (folder / "package.json").write_text(wanted)
        refused = folder / "refused.txt"
        if refused.exists() and shelf in OPTIONAL:
            raise PackagesError(f"{shelf}: {refused.read_text()}")
        argv = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"]
        try:
            result = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS)
            problem = result.stderr.strip() if result.returncode else ""
        except subprocess.TimeoutExpired:
            problem = f"npm install took longer than {INSTALL_SECONDS} s"
        if problem:
            reason = next((line for line in problem.splitlines() if "error" in line.lower()), problem.splitlines()[-1])
            if shelf in OPTIONAL:
                refused.write_text(reason)
            raise PackagesError(f"npm could not install {shelf}: {reason}")
        done.write_text(wanted)
        return folder / "node_modules"


def shelf_for(package: str, declared: str) -> str:
    """The shelf that holds a package in the major that a declared range names; the newest for `latest` and `*`."""
    shelves = [name for name, packages in SHELVES.items() if package in packages]
    if not shelves:
        raise PackagesError(f"no shelf holds {package}")
    number = re.search(r"\d+(?:\.\d+)?", declared)
    if number is None or len(shelves) == 1:
        return shelves[-1]
    for shelf in shelves:
        if version_line(SHELVES[shelf][package]) == version_line(number.group()):
            return shelf
    raise PackagesError(f"no shelf holds {package}@{declared}")


def version_line(declared: str) -> str:
    """What a caret range keeps: the major, or 0.minor ("^5.4.0" -> "5", "^0.2.17" -> "0.2")."""
    major, _, rest = declared.lstrip("^~>=v ").partition(".")
    return f"0.{rest.partition('.')[0]}" if major == "0" else major


def link_packages(root: Path) -> None:
    """Give every package folder of a scratch copy the `node_modules` that its manifest declares.

    Workspaces share the root's, as npm hoists; a member that wants another major than the root keeps its own.
    """
    manifests = {path.parent: json.loads(path.read_text("utf-8-sig")) for path in sorted(root.rglob("package.json"))}
    members = workspace_members(root, manifests.get(root, {}))
    for folder, manifest in manifests.items():
        for package, declared in declared_packages(manifest).items():
            local = next((member for member, text in manifests.items() if text.get("name") == package), None)
            if local is not None and local in members:
                continue
            source = installed(shelf_for(package, declared)) / package
            home = root if folder in members else folder
            target = home / "node_modules" / package
            if target.is_symlink() and target.resolve() != source.resolve():
                home = folder
            link_package(source, package, home / "node_modules")
    for member in members:
        name = manifests[member].get("name")
        if name:
            target = root / "node_modules" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(member)


def declared_packages(manifest: dict[str, dict[str, str]]) -> dict[str, str]:
    """Package -> declared range, of dependencies and devDependencies."""
    return {**manifest.get("devDependencies", {}), **manifest.get("dependencies", {})}


def workspace_members(root: Path, manifest: dict[str, object]) -> list[Path]:
    patterns = manifest.get("workspaces", [])
    if isinstance(patterns, dict):
        patterns = patterns.get("packages", [])
    assert isinstance(patterns, list)
    found = {path for pattern in patterns for path in root.glob(pattern) if (path / "package.json").exists()}
    return sorted(found)


def link_package(source: Path, package: str, node_modules: Path) -> None:
    target = node_modules / package
    if target.is_symlink():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(source)
    described = json.loads((source / "package.json").read_text("utf-8"))
    commands = described.get("bin", {})
    if isinstance(commands, str):
        commands = {package.rpartition("/")[2]: commands}
    for command, file in commands.items():
        link = node_modules / ".bin" / command
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(target / file)
