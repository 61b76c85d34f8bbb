"""Packages that a well-known package brings to the top of node_modules when npm installs it.

Read off `npm install` of each in an empty folder on 2026-12-01; to refresh, install the package alone and list the top
of node_modules. An import of one of them without a declaration works by accident, and stops when the carrier drops it.
"""

from __future__ import annotations

from collections.abc import Mapping

CARRIED: Mapping[str, frozenset[str]] = {
    "express": frozenset(
        [
            "accepts",
            "body-parser",
            "bytes",
            "content-disposition",
            "content-type",
            "cookie",
            "cookie-signature",
            "debug",
            "depd",
            "encodeurl",
            "escape-html",
            "etag",
            "finalhandler",
            "fresh",
            "http-errors",
            "iconv-lite",
            "inherits",
            "mime-db",
            "mime-types",
            "ms",
            "negotiator",
            "on-finished",
            "parseurl",
            "proxy-addr",
            "qs",
            "range-parser",
            "raw-body",
            "send",
            "serve-static",
            "statuses",
            "type-is",
            "vary",
        ]
    ),
    "vite": frozenset({"esbuild", "rollup", "postcss", "nanoid", "picocolors", "source-map-js"}),
    "@vitejs/plugin-react": frozenset({"@babel/core", "react-refresh", "vite"} - {"vite"}),
    "vue": frozenset({"@vue/compiler-sfc", "@vue/reactivity", "@vue/runtime-dom", "@vue/shared"}),
    "react-router-dom": frozenset({"react-router"}),
    "concurrently": frozenset({"chalk", "lodash", "rxjs", "yargs", "tree-kill", "shell-quote"}),
    "socket.io": frozenset({"engine.io", "cors", "debug", "ws"}),
    "nodemon": frozenset({"chokidar", "semver", "minimatch"}),
    "axios": frozenset({"form-data", "follow-redirects"}),
    "typeorm": frozenset({"reflect-metadata"}),
}
