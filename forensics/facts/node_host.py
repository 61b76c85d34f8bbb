"""A Node process as the evaluator's surroundings: globals, builtin modules, the file system, environment, vite's API.

Files are those of the build, under the virtual absolute path `ROOT`; what start-up creates is kept beside them, so that
`existsSync` after `mkdirSync` answers as it would.

Source of what each call does: https://nodejs.org/api/, behaviour tried on Node 20 and 22.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from forensics.build import Build
from forensics.facts import values as v
from forensics.facts.builtins import GLOBALS, argument, file_path, parse_url
from forensics.facts.interpreter import MISSING, Effect, Interpreter, ModuleRecord, Resolved
from forensics.facts.node_arguments import parsed_arguments
from forensics.facts.node_paths import PATH_METHODS, URL_METHODS, file_url
from forensics.facts.resolution import Resolver
from forensics.facts.values import (
    UNDEFINED,
    Builtin,
    Closure,
    Environment,
    External,
    JsArray,
    JsObject,
    Promise,
    Text,
    Undefined,
    Unknown,
    UrlValue,
    Value,
)
from forensics.syntax import ir

if TYPE_CHECKING:
    from forensics.syntax.index import FileIndex

ROOT = "/@build"
"""The virtual absolute path of a build's root."""

_MACHINE_VARIABLES = frozenset(
    [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "PWD",
        "OLDPWD",
        "LANG",
        "TERM",
        "TMPDIR",
        "TEMP",
        "TMP",
        "EDITOR",
        "HOSTNAME",
        "INIT_CWD",
        "NODE",
        "COLOR",
    ]
)


def set_by_machine(name: str) -> bool:
    """Whether the machine or npm sets a variable of that name, so that nothing can be said of it."""
    return name in _MACHINE_VARIABLES or name.startswith(("npm_", "LC_", "XDG_"))


def absolute(path: str) -> str:
    """The virtual absolute path of a build-relative one ("" is the root)."""
    return posixpath.join(ROOT, path) if path else ROOT


def build_path(path: str) -> str | None:
    """The build-relative form of an absolute virtual path ("" for the root), None where it lies outside."""
    normal = posixpath.normpath(path)
    if normal == ROOT:
        return ""
    return normal[len(ROOT) + 1 :] if normal.startswith(ROOT + "/") else None


class FileSystem:
    """The build's files plus what the run creates.

    `created` and `maybe_created` hold absolute paths of folders and files that exist after a certain, or an uncertain,
    effect; `extra` are build-relative paths that earlier steps made (a production build's output).
    """

    def __init__(self, build: Build, extra: frozenset[str] = frozenset()) -> None:
        self.build = build
        self.created: set[str] = {absolute(path) for path in extra}
        self.maybe_created: set[str] = set()

    def exists(self, path: str) -> bool | Unknown:
        """Whether an absolute path exists."""
        path = posixpath.normpath(path)
        if path in self.created:
            return True
        if path in self.maybe_created:
            return Unknown(f"whether {path} was created")
        inside = build_path(path)
        if inside is None:
            return True if ROOT.startswith(path.rstrip("/") + "/") else Unknown("a path outside of the build")
        if self.build.exists(inside):
            return True
        if "node_modules" in inside.split("/"):
            return Unknown("what is in node_modules")
        return False

    def is_folder(self, path: str) -> bool:
        inside = build_path(path)
        return path in self.created if inside is None else inside in self.build.folders or path in self.created

    def create(self, path: str, certain: bool, parents: bool) -> None:
        path = posixpath.normpath(path)
        target = self.created if certain else self.maybe_created
        target.add(path)
        while parents and path not in ("/", ROOT):
            path = posixpath.dirname(path)
            target.add(path)


class NodeHost:
    """Surroundings of one Node process.

    Args:
        cwd: build-relative working directory.
        environment: what the launch sets beside what the machine sets.
        argv: arguments after the script.
        read_dotenv: gives the variables of a build-relative dotenv file, None where the build has no such file.
        load_env: Vite's `loadEnv(mode, folder, prefixes)` on absolute folders.
    """

    def __init__(
        self,
        build: Build,
        files: FileIndex,
        resolver: Resolver,
        cwd: str = "",
        environment: Mapping[str, Value] | None = None,
        argv: tuple[str, ...] = (),
        entry: str = "",
        read_dotenv: Callable[[str], dict[str, str] | None] = lambda path: None,
        load_env: Callable[[str, str, tuple[str, ...]], dict[str, str]] = lambda mode, folder, prefixes: {},
        extra_paths: frozenset[str] = frozenset(),
    ) -> None:
        self.build = build
        self.files = files
        self.resolver = resolver
        self.cwd = absolute(cwd)
        self.env = Environment(environment or {}, set_by_machine)
        self.argv = argv
        self.entry = entry
        self.read_dotenv = read_dotenv
        self.load_env = load_env
        self.file_system = FileSystem(build, extra_paths)
        self.process = JsObject(
            {
                "env": self.env,
                "argv": JsArray(["/usr/bin/node", absolute(entry) if entry else "", *argv]),
                "execPath": External("process.execPath"),
                "platform": "linux",
                "exit": Builtin("process.exit", _exit),
                "cwd": Builtin("process.cwd", lambda i, this, a, n: self.cwd),
                "chdir": Builtin("process.chdir", self._chdir),
                "loadEnvFile": Builtin("process.loadEnvFile", self._load_env_file),
            },
            complete=False,
        )
        self.process.base = External("process")
        self.process.made_by = None

    # --------------------------------------------------------------- the protocol

    def resolve(self, specifier: str, importer: str, is_require: bool) -> Resolved:
        return self.resolver.resolve(specifier, importer)

    def script(self, path: str) -> ir.Script | None:
        if path.endswith(".json"):
            return _json_module(self.json(path))
        if path.endswith((".vue", ".svelte")):
            page = self.files.page(path)
            return joined_scripts(page) if page is not None else None
        return self.files.script(path)

    def json(self, path: str) -> Value:
        document = self.files.document(path)
        if document is None or document.error:
            return Unknown(f"{path} can't be read")
        return v.from_json(document.value)

    def asset(self, path: str) -> Value:
        return Unknown(f"the asset {path}")

    def global_value(self, name: str, module: ModuleRecord) -> Value:
        if name in GLOBALS:
            return GLOBALS[name]
        match name:
            case "process":
                return self.process
            case "__dirname":
                return absolute(posixpath.dirname(module.path))
            case "__filename":
                return absolute(module.path)
            case "require":
                return Builtin(
                    "require",
                    lambda i, this, a, n: _require(i, module, a, n),
                    resolve=Builtin("require.resolve", lambda i, this, a, n: Unknown("a resolved module path")),
                    main=self._main_module(module),
                )
            case "module":
                return module.commonjs if module.commonjs is not None else Unknown("module")
            case "exports":
                return module.commonjs.properties["exports"] if module.commonjs is not None else Unknown("exports")
            case "globalThis" | "global":
                return External("globalThis")
            case "console":
                return _CONSOLE
            case "window" | "document" | "navigator" | "location" | "localStorage" | "self":
                return MISSING
        if name in _NODE_GLOBALS:
            return External(name)
        return MISSING

    def _main_module(self, module: ModuleRecord) -> Value:
        """`require.main`: the module that the process was started with."""
        if module.path == self.entry and module.commonjs is not None:
            return module.commonjs
        # Any other object says what `require.main === module` asks.
        return JsObject(complete=False) if self.entry else Unknown("require.main")

    def import_meta(self, module: ModuleRecord) -> Value:
        path = absolute(module.path)
        return JsObject(
            {
                "url": _href(file_url("/", path)),
                "dirname": posixpath.dirname(path),
                "filename": path,
                "main": module.path == self.entry,
                "env": UNDEFINED,
                "resolve": Builtin(
                    "import.meta.resolve", lambda i, this, a, n: parse_url(argument(a, 0), parse_url("file://" + path))
                ),
            }
        )

    def member(self, interpreter: Interpreter, external: External, name: str) -> Value:
        dotted = f"{external.name}.{name}"
        if name == "*typeof*":
            return _TYPES.get(external.name, NotImplemented)
        if dotted in PATH_METHODS:
            return Builtin(dotted, PATH_METHODS[dotted](lambda: self.cwd))
        if external.name == "path" and name in ("sep", "delimiter"):
            return {"sep": "/", "delimiter": ":"}[name]
        if external.name == "path" and name == "posix":
            return External("path")
        if dotted in URL_METHODS:
            return Builtin(dotted, URL_METHODS[dotted](lambda: self.cwd))
        if dotted == "url.URLSearchParams":
            return GLOBALS["URLSearchParams"]
        match dotted:
            case "process.env":
                return self.env
            case "url.URL":
                return GLOBALS["URL"]
            case "module.createRequire":
                return Builtin("createRequire", _create_require)
            case "globalThis.process":
                return self.process
            case "globalThis.globalThis":
                return external
            case "os.EOL":
                return "\n"
            case "fs.promises" | "timers.promises" | "dns.promises":
                return External(dotted)
        if external.name == "globalThis":
            found = self.global_value(name, next(iter(interpreter.modules.values())))
            return UNDEFINED if found is MISSING else found
        if external.name == "process":
            return self.process.properties.get(name, NotImplemented)
        return NotImplemented

    def call(self, interpreter: Interpreter, effect: Effect) -> Value:
        name = effect.name
        arguments = list(effect.arguments)
        if name in _IDENTITY and arguments:
            return arguments[0]
        receiver = effect.receiver
        if receiver is not None and receiver.made_by is not None and receiver.made_by.name in _FLUENT:
            method = name.rsplit(".", 1)[-1]
            if method in _FLUENT_METHODS and (method != "get" or len(arguments) > 1):
                return receiver
        if name.startswith(("fs.", "fs-extra.", "graceful-fs.")):
            return self._file_call(interpreter, effect, name.split(".", 1)[1])
        match name:
            case "util.parseArgs":
                return parsed_arguments(argument(arguments, 0), self.argv)
            case "vite.mergeConfig":
                return _merge_config(argument(arguments, 0), argument(arguments, 1))
            case "vite.loadEnv":
                return self._vite_load_env(arguments)
            case "dotenv.config" | "dotenv.default.config" | "@dotenvx/dotenvx.config":
                return self._dotenv(argument(arguments, 0))
            case "import":
                if arguments[0] in ("dotenv/config", "dotenv/config.js"):
                    self._dotenv(UNDEFINED)
                return UNDEFINED
            case (
                "make-dir"
                | "mkdirp"
                | "mkdirp.mkdirp"
                | "make-dir.makeDirectory"
                | "mkdirp.sync"
                | "make-dir.makeDirectorySync"
                | "mkdirp.mkdirpSync"
            ):
                self._make(argument(arguments, 0), effect, parents=True)
                return _promised(External(f"{name}()", None, effect), effect) if "ync" not in name else UNDEFINED
        return NotImplemented

    def construct(self, interpreter: Interpreter, effect: Effect) -> Value:
        return NotImplemented

    def callback_phase(self, effect: Effect, position: int) -> Literal["now", "later", "event"]:
        last = effect.name.rsplit(".", 1)[-1]
        if last in _EVENT_METHODS:
            return "event"
        if last in _CERTAIN_CALLBACKS:
            return "now"
        return "later"

    # ---------------------------------------------------------------- environment

    def _set_defaults(self, variables: Mapping[str, str]) -> None:
        for name, value in variables.items():
            self.env.properties.setdefault(name, value)

    def _dotenv(self, options: Value) -> Value:
        path: Value = ".env"
        if isinstance(options, JsObject) and "path" in options.properties:
            path = options.properties["path"]
        paths = path.items if isinstance(path, JsArray) else [path]
        for item in paths:
            text = item.href if isinstance(item, UrlValue) else v.to_text(item)
            if not isinstance(text, str):
                continue
            target = file_path(text) if text.startswith("file:") else posixpath.join(self.cwd, text)
            inside = build_path(target) if isinstance(target, str) else None
            if inside is not None:
                self._set_defaults(self.read_dotenv(inside) or {})
        return JsObject({"parsed": Unknown("a dotenv file")}, complete=False)

    def _load_env_file(self, interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        self._dotenv(JsObject({"path": arguments[0]}) if arguments else UNDEFINED)
        return UNDEFINED

    def _vite_load_env(self, arguments: list[Value]) -> Value:
        mode, folder, prefixes = (argument(arguments, index) for index in range(3))
        if isinstance(folder, UrlValue):
            folder = file_path(folder)
        if not isinstance(mode, str) or not isinstance(folder, str):
            return Unknown("loadEnv of a mode or folder that is not known")
        if isinstance(prefixes, JsArray):
            wanted = tuple(item for item in prefixes.items if isinstance(item, str))
        else:
            wanted = (prefixes,) if isinstance(prefixes, str) else ("VITE_",)
        folder = posixpath.normpath(posixpath.join(self.cwd, folder))
        found: dict[str, Value] = dict(self.load_env(mode, folder, wanted))
        # Variables that are already set win over the files (vite/src/node/env.ts).
        found |= {key: item for key, item in self.env.properties.items() if key.startswith(wanted)}
        outside = set_by_machine if "" in wanted else lambda name: False
        return Environment(found, outside)

    def _chdir(self, interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
        target = v.to_text(argument(arguments, 0))
        if isinstance(target, str):
            self.cwd = posixpath.normpath(posixpath.join(self.cwd, target))
        return UNDEFINED

    # ---------------------------------------------------------------- file system

    def path_of(self, value: Value) -> str | Text | Unknown:
        """The absolute path that a path argument means."""
        if isinstance(value, UrlValue):
            value = file_path(value)
        text = v.to_text(value) if not isinstance(value, Undefined) else Unknown(value.reason or "an undefined path")
        if isinstance(text, str):
            return posixpath.normpath(posixpath.join(self.cwd, text))
        if isinstance(text, Text) and not text.prefix.startswith("/"):
            return v.concatenate([self.cwd + "/", text])
        return text

    def _make(self, path: Value, effect: Effect, parents: bool) -> None:
        target = self.path_of(path)
        if isinstance(target, str):
            self.file_system.create(target, effect.certain and effect.phase == "startup", parents)

    def _file_call(self, interpreter: Interpreter, effect: Effect, method: str) -> Value:
        promised = method.startswith("promises.")
        method = method.removeprefix("promises.")
        if method == "promises":
            return NotImplemented
        base = method.removesuffix("Sync")
        arguments = list(effect.arguments)
        path = self.path_of(argument(arguments, 0))
        result: Value = Unknown(f"what {effect.name} gives")
        options = argument(arguments, 1)
        recursive = isinstance(options, JsObject) and v.truthy(options.properties.get("recursive", False)) is True
        match base:
            case "exists" | "pathExists" if method.endswith("Sync") or base == "pathExists":
                result = self.file_system.exists(path) if isinstance(path, str) else Unknown(v.reason_of(path))
            case "mkdir":
                self._make(argument(arguments, 0), effect, parents=recursive)
                result = UNDEFINED
            case "ensureDir" | "mkdirp" | "mkdirs":
                self._make(argument(arguments, 0), effect, parents=True)
                result = UNDEFINED
            case "ensureFile" | "outputFile" | "outputJson" | "outputJSON":
                if isinstance(path, str):
                    certain = effect.certain and effect.phase == "startup"
                    self.file_system.create(posixpath.dirname(path), certain, parents=True)
                    self.file_system.create(path, certain, parents=False)
                result = UNDEFINED
            case "writeFile" | "appendFile":
                if isinstance(path, str):
                    self.file_system.create(path, certain=False, parents=False)
                result = UNDEFINED
            case "readFile":
                result = self._read(path, argument(arguments, 1))
            case "readdir":
                result = self._list(path) if len(arguments) == 1 else Unknown("a folder's entries")
            case "realpath":
                result = path
            case "access" | "unlink" | "rm" | "rmdir" | "copyFile" | "cp" | "rename" | "chmod":
                result = UNDEFINED
            case "createWriteStream" | "createReadStream" | "watch" | "opendir" | "open" | "stat" | "lstat":
                result = External(f"{effect.name}()", None, effect)
        if promised or (
            not method.endswith("Sync") and effect.name.startswith("fs-extra.") and not _has_callback(arguments)
        ):
            return _promised(result, effect)
        if method.endswith("Sync") or method in ("createWriteStream", "createReadStream", "watch"):
            return result
        return UNDEFINED

    def _read(self, path: str | Text | Unknown, options: Value) -> Value:
        inside = build_path(path) if isinstance(path, str) else None
        if inside is None or inside not in self.build.files:
            return Unknown("what a file holds")
        encoding = options.properties.get("encoding") if isinstance(options, JsObject) else options
        if self.build.files[inside].size > 262_144:
            return Unknown("what a large file holds")
        try:
            text = self.build.read(inside).decode("utf-8")
        except UnicodeDecodeError:
            return Unknown("a file that is not UTF-8")
        if encoding in ("utf8", "utf-8"):
            return text
        return JsObject({"toString": Builtin("Buffer.toString", lambda i, this, a, n: text)}, complete=False)

    def _list(self, path: str | Text | Unknown) -> Value:
        inside = build_path(path) if isinstance(path, str) else None
        if inside is None or inside not in self.build.folders:
            return Unknown("a folder's entries")
        prefix = f"{inside}/" if inside else ""
        names = {
            item[len(prefix) :].split("/")[0]
            for item in (*self.build.files, *self.build.folders)
            if item.startswith(prefix) and item != inside
        }
        return JsArray(sorted(name for name in names if name))


_NODE_GLOBALS = frozenset(
    [
        "Buffer",
        "setTimeout",
        "setInterval",
        "setImmediate",
        "clearTimeout",
        "clearInterval",
        "clearImmediate",
        "queueMicrotask",
        "fetch",
        "AbortController",
        "AbortSignal",
        "FormData",
        "Headers",
        "Request",
        "Response",
        "TextEncoder",
        "TextDecoder",
        "URLSearchParams",
        "Date",
        "Intl",
        "structuredClone",
        "performance",
        "crypto",
        "WebSocket",
        "EventSource",
        "Symbol",
        "WeakMap",
        "WeakSet",
        "WeakRef",
        "Proxy",
        "Reflect",
        "BigInt",
        "Function",
        "ArrayBuffer",
        "Uint8Array",
        "Uint16Array",
        "Uint32Array",
        "Int8Array",
        "Int16Array",
        "Int32Array",
        "Float32Array",
        "Float64Array",
        "Uint8ClampedArray",
        "BigInt64Array",
        "DataView",
        "Atomics",
        "SharedArrayBuffer",
        "Event",
        "EventTarget",
        "MessageChannel",
        "BroadcastChannel",
        "Blob",
        "File",
        "ReadableStream",
        "WritableStream",
        "TransformStream",
        "atob",
        "btoa",
        "encodeURI",
        "decodeURI",
        "escape",
        "unescape",
        "eval",
        "FinalizationRegistry",
        "WebAssembly",
        "Deno",
        "Bun",
    ]
) - {"Deno", "Bun"}

_TYPES = dict.fromkeys(("fetch", "setTimeout", "setInterval", "Buffer", "Date", "Symbol", "WebSocket"), "function") | {
    "globalThis": "object",
    "process": "object",
    "console": "object",
}

_CONSOLE = JsObject(
    {
        name: Builtin(f"console.{name}", lambda interpreter, this, arguments, node: UNDEFINED)
        for name in [
            "log",
            "info",
            "warn",
            "error",
            "debug",
            "table",
            "time",
            "timeEnd",
            "trace",
            "group",
            "groupEnd",
            "dir",
            "assert",
            "clear",
        ]
    },
    complete=False,
)

_EVENT_METHODS = frozenset(
    [
        "on",
        "once",
        "addListener",
        "addEventListener",
        "get",
        "post",
        "put",
        "patch",
        "delete",
        "all",
        "use",
        "options",
        "head",
        "param",
        "ws",
        "setInterval",
        "setNotFoundHandler",
        "setErrorHandler",
        "onRequest",
        "handle",
        "catch",
        "onclose",
        "onmessage",
        "onopen",
        "createServer",
        "command",
        "action",
        "register",
        "hook",
        "route",
        "watch",
        "subscribe",
    ]
)
"""Methods whose functions run when something happens, not while the process starts."""

_CERTAIN_CALLBACKS = frozenset(
    [
        "then",
        "finally",
        "listen",
        "mkdir",
        "ready",
        "nextTick",
        "setImmediate",
        "setTimeout",
        "queueMicrotask",
        "serialize",
        "transaction",
        "readFile",
        "access",
        "stat",
        "waitReady",
        "connect",
        "open",
    ]
)
"""Calls whose callbacks certainly run while the process starts, after the code that is running now."""

_FLUENT = frozenset({"express", "express.Router", "new express.Router", "fastify", "polka", "new koa", "new hono.Hono"})
_FLUENT_METHODS = frozenset(
    {"get", "post", "put", "patch", "delete", "all", "use", "set", "disable", "enable", "options"}
)
"""An application's registering methods give the application back."""

_IDENTITY = frozenset(
    [
        "vite.defineConfig",
        "vitest/config.defineConfig",
        "vite.defineConfigEnv",
        "util.promisify",
        "react.useCallback",
        "react.memo",
        "react.forwardRef",
        "express-async-handler",
        "vue.defineComponent",
        "vue.markRaw",
        "vue.shallowRef",
        "@vitejs/plugin-vue.defineConfig",
        "vite.normalizePath",
    ]
)
"""External functions that give back what they are given (as far as a fact needs)."""


def _json_module(value: Value) -> ir.Script:
    expression = _as_expression(value)
    return ir.Script([ir.ExportDefault(0, 0, expression, "default")], [], "", [], [], True, False, {})


def _as_expression(value: Value, depth: int = 0) -> ir.Expression:
    if depth > 50:
        return ir.Opaque(0, 0, "nested too deeply")
    if isinstance(value, JsObject):
        return ir.Object(
            0,
            0,
            [
                ir.Property(0, 0, "init", ir.Const(0, 0, key), _as_expression(item, depth + 1))
                for key, item in value.properties.items()
            ],
        )
    if isinstance(value, JsArray):
        return ir.Array(0, 0, [_as_expression(item, depth + 1) for item in value.items])
    if isinstance(value, Unknown):
        return ir.Opaque(0, 0, value.reason)
    return ir.Const(0, 0, value)


def joined_scripts(page: ir.Page) -> ir.Script:
    """The script blocks of a single-file component as one module."""
    scripts = [item.script for item in page.scripts]
    return ir.Script(
        [statement for script in scripts for statement in script.body],
        [],
        "",
        [],
        [problem for script in scripts for problem in script.problems],
        True,
        any(script.has_top_level_await for script in scripts),
        {},
    )


def _exit(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    from forensics.facts.interpreter import ProcessExit

    interpreter.record("process.exit", tuple(arguments), node, None)
    raise ProcessExit(argument(arguments, 0))


def _require(interpreter: Interpreter, module: ModuleRecord, arguments: list[Value], node: ir.Node) -> Value:
    specifier = argument(arguments, 0)
    if not isinstance(specifier, str):
        return Unknown(f"a module chosen at run time: {v.reason_of(specifier)}")
    return interpreter.require(specifier, module, node)


def _create_require(interpreter: Interpreter, this: Value, arguments: list[Value], node: ir.Node) -> Value:
    module = interpreter.frames[-1].module
    return Builtin("require", lambda i, this, a, n: _require(i, module, a, n))


def _has_callback(arguments: list[Value]) -> bool:
    return any(isinstance(item, Closure) for item in arguments)


def _href(url: Value) -> Value:
    return url.href if isinstance(url, UrlValue) else url


def _promised(result: Value, effect: Effect) -> Promise:
    promise = Promise(result)
    promise.outside = True
    effect.tasks = (*effect.tasks, promise)
    return promise


def _merge_config(base: Value, other: Value) -> Value:
    """Vite's mergeConfig: objects merge, arrays join, anything else is taken from the second (utils.ts
    mergeConfigRecursively). A function on either side throws in Vite."""
    if isinstance(base, Closure) or isinstance(other, Closure):
        return Unknown("mergeConfig throws when it is given a function")
    if isinstance(base, Promise):
        base = base.value
    if isinstance(other, Promise):
        other = other.value
    if type(base) is JsObject and type(other) is JsObject:
        made = JsObject(base.properties, base.complete and other.complete)
        for key, item in other.properties.items():
            if item is None or isinstance(item, Undefined):
                continue
            if key not in made.properties or made.properties[key] is None or made.properties[key] == UNDEFINED:
                made.properties[key] = item
            elif isinstance(made.properties[key], JsArray) or isinstance(item, JsArray):
                one, two = made.properties[key], item
                first = one.items if isinstance(one, JsArray) else [one]
                second = two.items if isinstance(two, JsArray) else [two]
                made.properties[key] = JsArray([*first, *second])
            elif type(made.properties[key]) is JsObject and type(item) is JsObject:
                made.properties[key] = _merge_config(made.properties[key], item)
            else:
                made.properties[key] = item
        return made
    return Unknown(v.reason_of(base if not isinstance(base, JsObject) else other))
