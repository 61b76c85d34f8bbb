"""The rules of the wiring scanner."""

from __future__ import annotations

from forensics.records import Rule, Severity

_CONFIG = "https://vite.dev/config/"
_PROXY = "https://vite.dev/config/server-options.html#server-proxy"
_PROXY_SOURCE = "vitejs/vite packages/vite/src/node/server/middlewares/proxy.ts"
_ENV = "https://vite.dev/guide/env-and-mode"


def _rule(slug: str, severity: Severity, summary: str, why: str, fix: str, blind_spots: str, *sources: str) -> Rule:
    return Rule(
        id=f"wiring/{slug}",
        severity=severity,
        summary=summary,
        why=why,
        fix=fix,
        blind_spots=blind_spots,
        sources=sources,
    )


PROXY_NOT_LOADED = _rule(
    "proxy-not-loaded",
    "error",
    "The config that holds the proxy is not the one that Vite loads",
    "Vite looks for its config only in the root: the positional argument, else the working directory. `vite client` "
    "never reads ./vite.config.js. Without the proxy a relative call gets the page itself (200, text/html).",
    "Move the config into the root, name it with --config, or drop the positional root and set `root` in the config.",
    "A config that a tool other than Vite passes on.",
    _CONFIG,
    "vitejs/vite packages/vite/src/node/config.ts (loadConfigFromFile)",
)
MODULE_CAPTURED = _rule(
    "module-captured-by-proxy",
    "error",
    "A proxy key takes a file that the page itself requests",
    "A key is a plain prefix of the request URL and proxying precedes module serving, so the back end is asked for the "
    "page's own script or style and answers with an error.",
    "Anchor the key (`'^/api/'`), give it a trailing slash, or rename the file.",
    "Requests that code makes with URLs it assembles at run time.",
    _PROXY,
    _PROXY_SOURCE,
)
PORT_MISMATCH = _rule(
    "port-mismatch",
    "error",
    "The proxy's target is a port that no server listens on",
    "Vite answers a call whose target refuses the connection with 500 (Vite 5) or 502 (Vite 8).",
    "Use one constant, or one environment variable, for the server's port and the target.",
    "Servers that something outside the build starts.",
    _PROXY,
)
NO_PROXY_CONFIG = _rule(
    "no-proxy-config",
    "error",
    "The client calls by relative URL, and Vite loads no config",
    "Without a proxy the dev server answers a GET with index.html (200, text/html) and anything else with 404.",
    "Add a vite.config with `server.proxy`, or call the server by its absolute URL and allow the page's origin.",
    "A back end that is reached through something outside the build.",
    _PROXY,
)
NO_PROXY_IN_CONFIG = _rule(
    "no-proxy-in-config",
    "error",
    "The client calls by relative URL, and the loaded config has no proxy for it",
    "Without a matching proxy key the dev server answers a GET with index.html (200, text/html), anything else with 404.",
    "Add `server.proxy` for the prefix that the client calls.",
    "Plugins that proxy by themselves.",
    _PROXY,
)
API_BASE_UNREACHABLE = _rule(
    "api-base-unreachable",
    "error",
    "The client names a port that nothing listens on",
    "The browser's connection is refused and every call fails.",
    "Let the client's base and the server's port come from one place.",
    "Servers that something outside the build starts.",
    "https://developer.mozilla.org/en-US/docs/Web/API/Window/fetch#exceptions",
)
MISSING_CORS = _rule(
    "missing-cors",
    "warning",
    "The client calls another origin, and the server does not allow the page's",
    "The page comes from Vite's port and the server from its own: another origin. Without "
    "Access-Control-Allow-Origin the browser withholds every answer.",
    "Add the cors middleware (before the routes), or call by relative URL through Vite's proxy.",
    "Headers that a reverse proxy adds.",
    "https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CORS",
)
REWRITE_MISMATCH = _rule(
    "rewrite-mismatch",
    "warning",
    "What the proxy asks the server for is not what its routes are called",
    "The key is not stripped by itself: the target's path and the (rewritten) URL are joined. A missing rewrite and one "
    "too many both end in 404.",
    "Make the rewrite give the path that the server's route has.",
    "Routes that can't be listed.",
    _PROXY,
)
WEBSOCKET_NOT_PROXIED = _rule(
    "websocket-not-proxied",
    "warning",
    "A web socket goes through the proxy without being upgraded",
    "Upgrades are forwarded only with `ws: true` or a ws:/wss: target; otherwise the socket stays in the connecting "
    "state.",
    "Set `ws: true` on the entry.",
    "Sockets whose address is assembled at run time.",
    _PROXY,
    _PROXY_SOURCE,
)
OUTPUT_NOT_SERVED = _rule(
    "output-not-served",
    "warning",
    "After build and start the server has no page to give",
    "`build.outDir` counts from Vite's root; the server must serve that very folder.",
    "Serve the folder that the build writes, or set outDir to the folder that is served.",
    "Static hosting outside the build.",
    "https://vite.dev/config/build-options.html#build-outdir",
)
NO_SPA_FALLBACK = _rule(
    "no-spa-fallback",
    "warning",
    "The client routes by path, and the server answers only /",
    "A reload or a shared link asks the server for the client's path and gets 404.",
    "After the API routes, answer every other GET with index.html.",
    "Routers that are configured at run time.",
    "https://vite.dev/guide/static-deploy",
)
PROXY_MISPLACED = _rule(
    "proxy-misplaced",
    "warning",
    "A proxy setting that can never match",
    "`proxy` belongs under `server`; a key is a prefix that begins with a slash, or a regular expression that begins "
    "with ^. Globs are taken literally.",
    "Move the setting to server.proxy and write the key as a prefix, such as '/api'.",
    "",
    _PROXY,
    "https://github.com/vitejs/vite/issues/1112",
)
PROXY_BAD_TARGET = _rule(
    "proxy-bad-target",
    "error",
    "The proxy's target is no address of a server",
    "`target` must be an absolute URL; .env files are not in process.env while the config runs.",
    "Write scheme, host and port, with a fall-back where a variable may be unset (or read it with loadEnv).",
    "Variables that the user's own shell sets.",
    _PROXY,
    _CONFIG,
)
PROXY_SHADOWED = _rule(
    "proxy-shadowed",
    "warning",
    "An earlier proxy key takes the requests of a later one",
    "The first key in the order of the object that matches decides.",
    "Put the longer key first.",
    "",
    _PROXY_SOURCE,
)
CONFIG_SHADOWED = _rule(
    "config-shadowed",
    "warning",
    "Another Vite config beside this one wins",
    "Vite takes the first of vite.config.js, .mjs, .ts, .cjs, .mts, .cts that exists and says nothing of the others.",
    "Delete the stale one.",
    "",
    "vitejs/vite packages/vite/src/node/constants.ts (DEFAULT_CONFIG_FILES)",
)
FOREIGN_PROXY_CONFIG = _rule(
    "foreign-proxy-config",
    "warning",
    "A proxy setting of another tool, which Vite does not read",
    "`proxy` in package.json and src/setupProxy.js belong to create-react-app, proxy.conf.json to Angular.",
    "Move it to server.proxy in the Vite config.",
    "",
    "https://create-react-app.dev/docs/proxying-api-requests-in-development/",
)
PROXY_LOOP = _rule(
    "proxy-loop",
    "error",
    "The proxy's target is the dev server itself",
    "A call is handed back to the server that handed it on, until connections run out.",
    "Let the target be the back end's port.",
    "",
    _PROXY,
)
ENV_NOT_EXPOSED = _rule(
    "env-not-exposed",
    "warning",
    "Browser code reads a variable that Vite does not expose",
    "Only names with the prefix (VITE_) from .env files in envDir (the root unless set) and the environment are in "
    "import.meta.env; process.env does not exist in a browser.",
    "Rename the variable with the prefix, move .env into the root, or set envDir.",
    "Plugins that define variables.",
    _ENV,
    "https://vite.dev/config/shared-options.html#envdir",
)
PARTIAL_PROXY = _rule(
    "partial-proxy",
    "warning",
    "Some of the back end's paths have no proxy key",
    "What no key takes is answered by Vite: GET with index.html, anything else with 404.",
    "Add a key for the prefix.",
    "Calls whose address is assembled at run time.",
    _PROXY,
)

RULES: tuple[Rule, ...] = (
    MODULE_CAPTURED,
    PROXY_NOT_LOADED,
    NO_PROXY_IN_CONFIG,
    NO_PROXY_CONFIG,
    PORT_MISMATCH,
    API_BASE_UNREACHABLE,
    PROXY_BAD_TARGET,
    PROXY_LOOP,
    MISSING_CORS,
    PARTIAL_PROXY,
    REWRITE_MISMATCH,
    WEBSOCKET_NOT_PROXIED,
    PROXY_MISPLACED,
    PROXY_SHADOWED,
    CONFIG_SHADOWED,
    FOREIGN_PROXY_CONFIG,
    ENV_NOT_EXPOSED,
    OUTPUT_NOT_SERVED,
    NO_SPA_FALLBACK,
)
