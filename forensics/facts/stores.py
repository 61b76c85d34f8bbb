"""Data stores that a process opens, and whether the folder each needs exists by then.

What each driver does with a missing folder was run for real (Node 20 and 22; PGlite 0.1 to 0.5, better-sqlite3 5 to 12,
sqlite3, node:sqlite, libsql, knex, sequelize, typeorm, lowdb, level, nedb, multer, pino, winston); see the table
`_STORES`. Sources: https://pglite.dev/docs/filesystems, better-sqlite3 lib/database.js,
https://nodejs.org/api/fs.html#fsmkdirsyncpath-options, https://nodejs.org/api/sqlite.html.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Literal

from forensics.build import Build
from forensics.facts import values as v
from forensics.facts.builtins import file_path
from forensics.facts.interpreter import Effect
from forensics.facts.node_host import ROOT, build_path
from forensics.facts.startup import DESTINATION, Trace
from forensics.facts.validated import validated_origin, validated_variable
from forensics.facts.values import External, JsObject, Text, Undefined, Unknown, UrlValue, Value

Makes = Literal["nothing", "leaf", "parents"]
"""What a driver creates itself: nothing (the folder of its file must exist), the last component of its folder, or every
missing parent."""


@dataclass(frozen=True)
class Driver:
    """How one kind of store takes its path. `fails_late`: it fails at the first write, not when it is opened."""

    name: str
    makes: Makes
    fails_late: bool = False


@dataclass(frozen=True)
class Store:
    """One store that a process opens. `path` is absolute and virtual (see node_host.ROOT), None for a store in memory,
    Unknown with the reason where it can't be told; `needs` the folder that must exist before. `problem` says what is
    wrong with the path's form; a store that `fails` can't be opened in any folder."""

    driver: Driver
    path: str | Unknown | None
    needs: str | None
    effect: Effect
    problem: str = ""
    fails: bool = False

    @property
    def in_memory(self) -> bool:
        return self.path is None


_PGLITE = Driver("PGlite", "leaf")
_STORES: dict[str, Driver] = {
    "new @electric-sql/pglite.PGlite": _PGLITE,
    "@electric-sql/pglite.PGlite.create": _PGLITE,
    "new @electric-sql/pglite/worker.PGliteWorker": _PGLITE,
    "new better-sqlite3": Driver("better-sqlite3", "nothing"),
    "better-sqlite3": Driver("better-sqlite3", "nothing"),
    "new sqlite3.Database": Driver("sqlite3", "nothing"),
    "new sqlite3.verbose().Database": Driver("sqlite3", "nothing"),
    "new @vscode/sqlite3.Database": Driver("sqlite3", "nothing"),
    "sqlite.open": Driver("sqlite", "nothing"),
    "new sqlite.DatabaseSync": Driver("node:sqlite", "nothing"),
    "new node-sqlite3-wasm.Database": Driver("node-sqlite3-wasm", "nothing"),
    "@libsql/client.createClient": Driver("libsql", "nothing"),
    "new libsql": Driver("libsql", "nothing"),
    "new bun:sqlite.Database": Driver("bun:sqlite", "nothing"),
    "knex": Driver("knex", "nothing"),
    "knex.knex": Driver("knex", "nothing"),
    "lowdb/node.JSONFilePreset": Driver("lowdb", "nothing", fails_late=True),
    "lowdb/node.JSONFileSyncPreset": Driver("lowdb", "nothing", fails_late=True),
    "new lowdb/node.JSONFile": Driver("lowdb", "nothing", fails_late=True),
    "new lowdb/node.JSONFileSync": Driver("lowdb", "nothing", fails_late=True),
    "new lowdb.JSONFile": Driver("lowdb", "nothing", fails_late=True),
    "new lowdb.JSONFileSync": Driver("lowdb", "nothing", fails_late=True),
    "new lowdb/adapters/FileSync": Driver("lowdb", "nothing", fails_late=True),
    "new level.Level": Driver("level", "parents"),
    "new classic-level.ClassicLevel": Driver("level", "parents"),
    "level": Driver("level", "parents"),
    "new nedb": Driver("nedb", "parents"),
    "new @seald-io/nedb": Driver("nedb", "parents"),
    "new nedb-promises": Driver("nedb", "parents"),
    "nedb-promises.create": Driver("nedb", "parents"),
    "new node-json-db.JsonDB": Driver("node-json-db", "parents"),
    "new sequelize.Sequelize": Driver("sequelize", "parents"),
    "new sequelize": Driver("sequelize", "parents"),
    "new typeorm.DataSource": Driver("typeorm", "parents"),
    "multer": Driver("multer", "parents"),
    "pino.destination": Driver("pino", "nothing"),
}
_FILE_WRITES = frozenset(
    {"writeFile", "writeFileSync", "appendFile", "appendFileSync", "createWriteStream", "openSync", "open"}
)
_TEXT_ONLY = ("better-sqlite3", "sqlite3", "node-sqlite3-wasm")
_NO_FOLDER = ("memory://", "idb://", "opfs-ahp://")


def stores_of(trace: Trace) -> list[Store]:
    """Stores that a process opens while it starts or on a request, in order; writes of plain files included."""
    found: list[Store | None] = []
    for effect in trace.effects:
        if effect.phase == "uncalled":
            continue
        driver = _STORES.get(effect.name)
        if effect.name == DESTINATION and len(effect.arguments) > 1:
            given = _at(Driver("multer", "nothing", fails_late=True), effect.arguments[1], effect, trace)
            found.append(Store(given.driver, given.path, given.path if isinstance(given.path, str) else None, effect))
        elif driver is not None:
            found.append(_opened(driver, effect, trace))
        elif effect.name.startswith(("fs.", "fs.promises.", "fs-extra.", "graceful-fs.")):
            method = effect.name.rsplit(".", 1)[-1]
            if method in _FILE_WRITES and _is_write(method, effect):
                found.append(_file(effect, trace))
    return [store for store in found if store is not None]


def _is_write(method: str, effect: Effect) -> bool:
    if method in ("open", "openSync"):
        flags = effect.arguments[1] if len(effect.arguments) > 1 else "r"
        return isinstance(flags, str) and flags[:1] in ("w", "a")
    return True


def _file(effect: Effect, trace: Trace) -> Store:
    driver = Driver("a file", "nothing", fails_late=effect.phase == "request")
    return _at(driver, effect.arguments[0] if effect.arguments else Undefined(), effect, trace)


def _opened(driver: Driver, effect: Effect, trace: Trace) -> Store | None:
    first = effect.arguments[0] if effect.arguments else Undefined()
    second = effect.arguments[1] if len(effect.arguments) > 1 else Undefined()
    match driver.name:
        case "PGlite":
            if isinstance(first, JsObject):
                if "fs" in first.properties:
                    return _of_file_system(driver, first.properties["fs"], effect, trace)
                first = first.properties.get(
                    "dataDir", Undefined() if first.complete else Unknown("dataDir may be set")
                )
            elif isinstance(second, JsObject) and "fs" in second.properties:
                return _of_file_system(driver, second.properties["fs"], effect, trace)
            return _pglite(driver, first, effect, trace)
        case "knex":
            return _knex(driver, first, effect, trace)
        case "libsql":
            return _libsql(driver, first, effect, trace)
        case "sqlite":
            first = first.properties.get("filename", Undefined()) if isinstance(first, JsObject) else first
        case "nedb":
            name = first.properties.get("filename", Undefined()) if isinstance(first, JsObject) else first
            return _at(driver, name, effect, trace) if not _is_nothing(name) else Store(driver, None, None, effect)
        case "sequelize" | "typeorm":
            options = next((item for item in effect.arguments if isinstance(item, JsObject)), None)
            path = (
                options.properties.get("storage", options.properties.get("database")) if options is not None else None
            )
            kind = options.properties.get("dialect", options.properties.get("type")) if options is not None else None
            if path is None or not isinstance(kind, str) or "sqlite" not in kind:
                return None
            return _at(driver, path, effect, trace)
        case "multer":
            dest = first.properties.get("dest") if isinstance(first, JsObject) else None
            return _at(driver, dest, effect, trace) if dest is not None else None
        case "pino":
            if isinstance(first, JsObject):
                if first.properties.get("mkdir") is True:
                    driver = Driver("pino", "parents")
                first = first.properties.get("dest", Undefined())
            if isinstance(first, (int, Undefined)) and not isinstance(first, bool):
                return None
    if _is_nothing(first) or first == ":memory:" or first == "":
        return Store(driver, None, None, effect)
    if (
        isinstance(first, str)
        and first.startswith("file:")
        and driver.name in ("better-sqlite3", "sqlite3", "node:sqlite")
    ):
        if first.startswith("file::memory:"):
            return Store(driver, None, None, effect)
        if driver.name != "node:sqlite":
            inner = first[5:].split("?")[0]
            store = _at(driver, inner, effect, trace)
            says = f"{driver.name} takes {first!r} as it stands, not as an address"
            # Without a slash it is the name of a file beside the others, with one that of a folder `file:`.
            return Store(driver, store.path, store.needs, effect, says, fails="/" in first)
    if isinstance(first, UrlValue) and driver.name in _TEXT_ONLY:
        says = f"{driver.name} wants text: a URL object makes it throw"
        return Store(driver, Unknown("a URL object is no path"), None, effect, says, fails=True)
    return _at(driver, first, effect, trace)


def _is_nothing(value: Value) -> bool:
    return value is None or (isinstance(value, Undefined) and not value.reason)


def _of_file_system(driver: Driver, value: Value, effect: Effect, trace: Trace) -> Store:
    if isinstance(value, External) and value.made_by is not None:
        name = value.made_by.name
        if name.endswith("MemoryFS"):
            return Store(driver, None, None, effect)
        if name.endswith("NodeFS") and value.made_by.arguments:
            return _at(driver, value.made_by.arguments[0], effect, trace)
    return Store(driver, Unknown("a file system object that is not known"), None, effect)


def _pglite(driver: Driver, path: Value, effect: Effect, trace: Trace) -> Store:
    """`file://` is cut off, whatever follows is a path (pglite/src/fs/index.ts parseDataDir)."""
    if _is_nothing(path) or path == "":
        return Store(driver, None, None, effect)
    if isinstance(path, UrlValue):
        return Store(
            driver,
            Unknown("a URL object is no path for PGlite"),
            None,
            effect,
            "PGlite takes a URL object for no path",
            fails=True,
        )
    text = v.to_text(path)
    if isinstance(text, str):
        if text.startswith(_NO_FOLDER):
            return Store(driver, None, None, effect)
        if text.startswith("file://"):
            rest = text[len("file://") :]
            return _at(driver, rest, effect, trace)
    return _at(driver, path, effect, trace)


def _knex(driver: Driver, options: Value, effect: Effect, trace: Trace) -> Store | None:
    if not isinstance(options, JsObject):
        return None
    client = options.properties.get("client")
    if not isinstance(client, str) or "sqlite" not in client:
        return None
    connection = options.properties.get("connection", Undefined())
    path = connection.properties.get("filename", Undefined()) if isinstance(connection, JsObject) else connection
    if _is_nothing(path) or path == ":memory:":
        return Store(driver, None, None, effect)
    return _at(driver, path, effect, trace)


def _libsql(driver: Driver, options: Value, effect: Effect, trace: Trace) -> Store | None:
    url = options.properties.get("url", Undefined()) if isinstance(options, JsObject) else options
    text = v.to_text(url) if not isinstance(url, Undefined) else url
    if isinstance(text, str):
        if text == ":memory:" or text.startswith("file::memory:"):
            return Store(driver, None, None, effect)
        if not text.startswith("file:"):
            return None
        rest = text[5:].split("?")[0]
        return _at(driver, rest.removeprefix("//") if rest.startswith("//") else rest, effect, trace)
    return _at(driver, url, effect, trace)


def _at(driver: Driver, value: Value, effect: Effect, trace: Trace) -> Store:
    if isinstance(value, UrlValue):
        value = file_path(value)
    if isinstance(value, Undefined):
        reason = f"the path comes from {value.reason}" if value.reason else "the path is undefined"
        return Store(driver, Unknown(reason), None, effect)
    text = v.to_text(_in_the_build(value, trace))
    if isinstance(text, Text):
        folder = _known_folder(text, trace)
        if folder is not None and driver.makes != "leaf":
            # `data/${name}.json`: the file's name is open, its folder is not.
            return Store(driver, folder + "/…", folder, effect)
        return Store(driver, Unknown(_why(text.reason)), None, effect)
    if not isinstance(text, str):
        return Store(driver, Unknown(_why(text.reason)), None, effect)
    path = posixpath.normpath(posixpath.join(trace.host.cwd, text))
    return Store(driver, path, posixpath.dirname(path), effect)


def _in_the_build(value: Value, trace: Trace) -> Value:
    """A path read through a schema, or, of one that depends on a condition, the one side that lies in the build: the
    other is a platform's own folder."""
    if isinstance(value, External):
        variable = validated_variable(value)
        return value if variable is None else variable
    if isinstance(value, Unknown):
        variable = validated_origin(value.reason, trace.effects)
        if isinstance(variable, str):
            return variable
    if not isinstance(value, Unknown) or not value.closed:
        return value
    texts = [item for item in value.candidates if isinstance(item, str)]
    inside = [item for item in texts if build_path(posixpath.join(trace.host.cwd, item)) is not None]
    return inside[0] if len(texts) == len(value.candidates) and len(inside) == 1 else value


def _why(reason: str) -> str:
    return f"the path comes from {reason}" if "which nothing sets" in reason else f"the path is not known: {reason}"


def _known_folder(text: Text, trace: Trace) -> str | None:
    prefix = text.prefix
    if "/" not in prefix or any(isinstance(part, str) and "/" in part for part in text.parts[1:]):
        return None
    return posixpath.normpath(posixpath.join(trace.host.cwd, prefix.rsplit("/", 1)[0]))


@dataclass(frozen=True)
class Made:
    """A folder that an effect makes: `path` absolute and virtual, `parents` whether missing parents are made too."""

    path: str
    parents: bool
    effect: Effect


_FOLDER_MAKERS = frozenset({"mkdir", "mkdirSync", "ensureDir", "ensureDirSync", "mkdirp", "mkdirpSync", "mkdirs"})


def makes_folder(effect: Effect) -> bool:
    """Whether an effect makes a folder, whatever its path."""
    return effect.name.rsplit(".", 1)[-1] in _FOLDER_MAKERS or effect.name in ("make-dir", "mkdirp")


def folders_made(trace: Trace) -> list[Made]:
    """Folders that a process makes, in order."""
    found: list[Made] = []
    for effect in trace.effects:
        method = effect.name.rsplit(".", 1)[-1]
        first = effect.arguments[0] if effect.arguments else Undefined()
        path = trace.host.path_of(first)
        if not isinstance(path, str):
            continue
        if method in ("mkdir", "mkdirSync") and effect.name.startswith(("fs.", "fs-extra.", "graceful-fs.")):
            options = effect.arguments[1] if len(effect.arguments) > 1 else None
            recursive = isinstance(options, JsObject) and v.truthy(options.properties.get("recursive", False)) is True
            found.append(Made(path, recursive, effect))
        elif method in ("ensureDir", "ensureDirSync", "mkdirp", "mkdirpSync", "mkdirs") or effect.name in (
            "make-dir",
            "mkdirp",
            "mkdirp.sync",
            "make-dir.makeDirectory",
            "make-dir.makeDirectorySync",
            "mkdirp.mkdirp",
            "mkdirp.mkdirpSync",
        ):
            found.append(Made(path, True, effect))
        elif method in ("outputFile", "outputFileSync", "outputJson", "outputJsonSync", "ensureFile", "ensureFileSync"):
            found.append(Made(posixpath.dirname(path), True, effect))
        elif method in ("cp", "cpSync", "copy", "copySync") and len(effect.arguments) > 1:
            target = trace.host.path_of(effect.arguments[1])
            if isinstance(target, str):
                found.append(Made(target, True, effect))
    found.extend(
        Made(store.path, store.driver.makes == "parents", store.effect)
        for store in stores_of(trace)
        if isinstance(store.path, str) and store.driver.makes != "nothing" and store.driver.name != "a file"
    )
    return sorted(found, key=lambda made: made.effect.index)


def happens_before(earlier: Effect, later: Effect) -> bool:
    """Whether an effect is done when a later one begins: it comes first, and every promise it runs in was awaited by
    then, or is one that the later effect runs in as well."""
    if earlier.index >= later.index or earlier.phase != "startup":
        return False
    return all(
        task in later.tasks or (task.awaited_at is not None and task.awaited_at <= later.index)
        for task in earlier.tasks
    )


def ships(build: Build, folder: str) -> bool | None:
    """Whether an absolute virtual folder is in the build as shipped; None where it lies outside of the build."""
    inside = build_path(folder)
    if inside is None:
        return True if ROOT.startswith(folder.rstrip("/") + "/") or folder == "/" else None
    return inside in build.folders
