"""Programs that only need a name: what kind of process each is, and when it stays up."""

from __future__ import annotations

from forensics.facts.command_arguments import Argument
from forensics.facts.launch_plan import ProcessKind

PROGRAMS: dict[ProcessKind, frozenset[str]] = {
    "shell-tool": frozenset(
        {
            "mkdir",
            "cp",
            "mv",
            "rm",
            "rmdir",
            "ln",
            "echo",
            "printf",
            "cat",
            "touch",
            "chmod",
            "chown",
            "sleep",
            "test",
            "[",
        }
        | {
            "false",
            "ls",
            "kill",
            "pkill",
            "killall",
            "lsof",
            "fuser",
            "xargs",
            "sed",
            "awk",
            "grep",
            "find",
            "which",
            "tee",
        }
        | {
            "curl",
            "wget",
            "tar",
            "unzip",
            "zip",
            "open",
            "xdg-open",
            "rimraf",
            "mkdirp",
            "make-dir",
            "cpy",
            "copyfiles",
            "head",
        }
        | {
            "cpx",
            "cpx2",
            "ncp",
            "del",
            "del-cli",
            "trash",
            "kill-port",
            "npx-kill-port",
            "opener",
            "open-cli",
            "sort",
            "tail",
        }
        | {
            "install",
            "rsync",
            "pwd",
            "date",
            "basename",
            "dirname",
            "wc",
            "tr",
            "cut",
            "read",
            "ulimit",
            "umask",
            "clear",
        }
        | {
            "type",
            "hash",
            "alias",
            "sync",
            "sudo",
            "git",
            "xcopy",
            "copy",
            "pause",
            "timeout",
            "touch-cli",
            "cross-port-killer",
        }
    ),
    "wait": frozenset(
        {"wait-on", "wait-port", "wait-for-it", "wait-for-it.sh", "wait-for", "dockerize", "wait-for-localhost"}
    ),
    "static-server": frozenset(
        {
            "serve",
            "http-server",
            "live-server",
            "lite-server",
            "sirv",
            "json-server",
            "browser-sync",
            "local-web-server",
            "ws",
        }
        | {"superstatic", "five-server", "servor", "reload", "local-ssl-proxy", "php", "caddy", "nginx"}
    ),
    "tool": frozenset(
        {
            "tsc",
            "vue-tsc",
            "svelte-check",
            "esbuild",
            "rollup",
            "swc",
            "babel",
            "tsup",
            "unbuild",
            "ncc",
            "pkg",
            "microbundle",
        }
        | {
            "tailwindcss",
            "tailwind",
            "postcss",
            "sass",
            "lessc",
            "unocss",
            "eslint",
            "prettier",
            "biome",
            "oxlint",
            "stylelint",
        }
        | {
            "vitest",
            "jest",
            "mocha",
            "ava",
            "playwright",
            "cypress",
            "c8",
            "nyc",
            "tap",
            "uvu",
            "prisma",
            "drizzle-kit",
        }
        | {
            "knex",
            "sequelize",
            "typeorm",
            "mikro-orm",
            "husky",
            "lint-staged",
            "patch-package",
            "changeset",
            "semantic-release",
        }
        | {
            "electron-builder",
            "make",
            "tsc-alias",
            "resolve-tspaths",
            "tsc-watch",
            "license-checker",
            "npm-check-updates",
            "ncu",
        }
        | {
            "svelte-kit",
            "graphql-codegen",
            "openapi-typescript",
            "only-allow",
            "is-ci",
            "node-gyp",
            "prebuild-install",
            "tsd",
        }
        | {
            "python",
            "python3",
            "pip",
            "ruby",
            "go",
            "cargo",
            "java",
            "uvicorn",
            "flask",
            "heroku",
            "vercel",
            "netlify",
            "firebase",
        }
        | {
            "stripe",
            "ngrok",
            "localtunnel",
            "lt",
            "psql",
            "sqlite3",
            "pg_ctl",
            "redis-server",
            "mongod",
            "madge",
            "depcheck",
            "knip",
        }
        | {
            "typedoc",
            "gh-pages",
            "surge",
            "sort-package-json",
            "npm-check",
            "ts-prune",
            "esbuild-register",
            "tslint",
            "standard",
            "xo",
        }
    ),
}


def watches(name: str, arguments: list[Argument]) -> bool:
    """Whether a tool's command line makes it stay up."""
    texts = {argument.text.partition("=")[0] for argument in arguments[1:]}
    if name in ("vitest",):
        return not texts & {"run", "--run", "list", "bench"}
    if name in PROGRAMS["static-server"]:
        return True
    if name in ("tail",):
        return bool(texts & {"-f", "-F"})
    return bool(texts & {"--watch", "-w", "-W", "--watchAll", "--serve", "--servedir"}) and name not in ("grep", "wc")
