"""A page in the browser as the evaluator's surroundings: window, location, import.meta.env, the DOM as unknown things.

Where the page is opened from isn't known, so the parts of its address stay symbolic: `Unknown` values tagged
"location.host" and so on, which the client facts read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from forensics.build import Build
from forensics.facts import values as v
from forensics.facts.builtins import GLOBALS
from forensics.facts.interpreter import MISSING, Effect, Interpreter, ModuleRecord, Resolved
from forensics.facts.node_host import _CONSOLE, _IDENTITY, _json_module, joined_scripts
from forensics.facts.resolution import Resolver
from forensics.facts.values import UNDEFINED, Builtin, External, JsObject, Text, Unknown, Value
from forensics.syntax import ir

if TYPE_CHECKING:
    from forensics.syntax.index import FileIndex

LOCATION_PARTS = frozenset({"href", "origin", "protocol", "host", "hostname", "port", "pathname", "search", "hash"})
_WINDOWS = frozenset({"window", "self", "globalThis", "top", "parent", "frames"})
_BROWSER_GLOBALS = frozenset(
    [
        "document",
        "navigator",
        "history",
        "localStorage",
        "sessionStorage",
        "screen",
        "fetch",
        "XMLHttpRequest",
        "WebSocket",
        "EventSource",
        "Worker",
        "SharedWorker",
        "setTimeout",
        "setInterval",
        "clearTimeout",
        "clearInterval",
        "requestAnimationFrame",
        "cancelAnimationFrame",
        "requestIdleCallback",
        "queueMicrotask",
        "alert",
        "confirm",
        "prompt",
        "addEventListener",
        "removeEventListener",
        "dispatchEvent",
        "Event",
        "CustomEvent",
        "MessageEvent",
        "KeyboardEvent",
        "MouseEvent",
        "MutationObserver",
        "ResizeObserver",
        "IntersectionObserver",
        "AbortController",
        "AbortSignal",
        "FormData",
        "Headers",
        "Request",
        "Response",
        "URLSearchParams",
        "Blob",
        "File",
        "FileReader",
        "Image",
        "Audio",
        "DOMParser",
        "XMLSerializer",
        "Node",
        "Element",
        "HTMLElement",
        "SVGElement",
        "customElements",
        "matchMedia",
        "getComputedStyle",
        "scrollTo",
        "open",
        "close",
        "print",
        "performance",
        "crypto",
        "indexedDB",
        "caches",
        "Notification",
        "Date",
        "Intl",
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
        "Uint8ClampedArray",
        "Uint16Array",
        "Uint32Array",
        "Int8Array",
        "Int16Array",
        "Int32Array",
        "Float32Array",
        "Float64Array",
        "DataView",
        "TextEncoder",
        "TextDecoder",
        "structuredClone",
        "atob",
        "btoa",
        "encodeURI",
        "decodeURI",
        "escape",
        "unescape",
        "AudioContext",
        "OffscreenCanvas",
        "Path2D",
        "BroadcastChannel",
        "MessageChannel",
        "ReadableStream",
        "TransformStream",
        "ClipboardItem",
        "FontFace",
        "io",
        "axios",
        "$",
        "jQuery",
        "React",
        "ReactDOM",
        "Vue",
    ]
)
_EVENTS = frozenset(
    [
        "on",
        "once",
        "addEventListener",
        "addListener",
        "off",
        "onclick",
        "subscribe",
        "setInterval",
        "catch",
        "observe",
        "watch",
        "useCallback",
        "useMemo",
    ]
)


class BrowserHost:
    """Surroundings of a page served by Vite.

    Args:
        environment: what `import.meta.env` holds: exposed variables plus MODE, DEV, PROD, BASE_URL, SSR.
        port: the port that the page comes from, where it is known.
    """

    def __init__(
        self,
        build: Build,
        files: FileIndex,
        resolver: Resolver,
        environment: Mapping[str, Value] | None = None,
        port: int | Unknown | None = None,
    ) -> None:
        reason = port.reason if isinstance(port, Unknown) else "the port of the page is not known"
        self.location_port = str(port) if isinstance(port, int) else Unknown(reason, "location.port")
        self.build = build
        self.files = files
        self.resolver = resolver
        # A variable that Vite does not expose is plainly undefined: the bundler replaces the expression.
        self.environment = JsObject(environment or {})

    def resolve(self, specifier: str, importer: str, is_require: bool) -> Resolved:
        return self.resolver.resolve(specifier, importer)

    def script(self, path: str) -> ir.Script | None:
        if path.endswith(".json"):
            return _json_module(self.json(path))
        if path.endswith((".vue", ".svelte", ".html", ".htm")):
            page = self.files.page(path)
            return joined_scripts(page) if page is not None else None
        return self.files.script(path)

    def json(self, path: str) -> Value:
        document = self.files.document(path)
        if document is None or document.error:
            return Unknown(f"{path} can't be read")
        return v.from_json(document.value)

    def asset(self, path: str) -> Value:
        return Unknown(f"the address of {path}")

    def global_value(self, name: str, module: ModuleRecord) -> Value:
        if name in GLOBALS:
            return GLOBALS[name]
        if name in _WINDOWS:
            return External("window")
        if name == "location":
            return Unknown("where the page is opened", "location")
        if name == "console":
            return _CONSOLE
        if name == "process":
            return External("process")
        if name in _BROWSER_GLOBALS:
            return External(name)
        return MISSING

    def import_meta(self, module: ModuleRecord) -> Value:
        return JsObject(
            {
                "url": Text((Unknown("where the page is opened", "location.origin"), "/" + module.path)),
                "env": self.environment,
                "glob": Builtin("import.meta.glob", lambda i, this, a, n: JsObject(complete=False)),
                "hot": UNDEFINED,
            }
        )

    def member(self, interpreter: Interpreter, external: External, name: str) -> Value:
        owner = external.name
        if name == "*typeof*":
            if owner in ("window", "document", "navigator", "localStorage", "sessionStorage", "history"):
                return "object"
            if owner == "process":
                return "undefined"
            return "function" if owner in ("fetch", "WebSocket", "EventSource", "XMLHttpRequest") else NotImplemented
        if owner in ("location", "window.location") and name == "port":
            return self.location_port
        if owner == "location" and name in LOCATION_PARTS:
            return Unknown("where the page is opened", f"location.{name}")
        if owner in ("window", "document") and name == "location":
            return Unknown("where the page is opened", "location")
        if owner == "window.location" and name in LOCATION_PARTS:
            return Unknown("where the page is opened", f"location.{name}")
        if owner == "window":
            if name in interpreter.globals:
                return interpreter.globals[name]
            if name in _WINDOWS:
                return external
            if name in _BROWSER_GLOBALS or name in GLOBALS:
                return GLOBALS[name] if name in GLOBALS else External(name)
            return v.Undefined(f"window.{name}, which nothing sets")
        if owner == "process" and name == "env":
            return External("process.env")
        if owner == "process.env":
            return (
                "development"
                if name == "NODE_ENV"
                else v.Undefined(f"process.env.{name}, which does not exist in a browser")
            )
        return NotImplemented

    def call(self, interpreter: Interpreter, effect: Effect) -> Value:
        if effect.name in _IDENTITY and effect.arguments:
            return effect.arguments[0]
        return NotImplemented

    def construct(self, interpreter: Interpreter, effect: Effect) -> Value:
        return NotImplemented

    def callback_phase(self, effect: Effect, position: int) -> Literal["now", "later", "event"]:
        last = effect.name.rsplit(".", 1)[-1]
        if last in _EVENTS or effect.name.startswith("jsx:"):
            return "event"
        return (
            "now" if last in ("then", "useEffect", "onMounted", "requestAnimationFrame", "useLayoutEffect") else "later"
        )
