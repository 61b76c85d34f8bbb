"""The rules of the launch scanner."""

from __future__ import annotations

from forensics.records import Rule, Severity

_NPM = "https://docs.npmjs.com/cli/commands/"


def _rule(
    slug: str,
    severity: Severity,
    summary: str,
    why: str,
    fix: str,
    blind_spots: str,
    *sources: str,
) -> Rule:
    return Rule(
        id=f"launch/{slug}",
        severity=severity,
        summary=summary,
        why=why,
        fix=fix,
        blind_spots=blind_spots,
        sources=sources,
    )


HALF_STARTED = _rule(
    "half-started",
    "error",
    "The dev command starts only one half of the app",
    "Commands that are run one after the other stand still behind one that never ends: the half behind it is never started. "
    "A dev script that names one half only leaves the page without its back end, or the back end without its page.",
    "Start both halves side by side (concurrently, npm-run-all --parallel, `&`).",
    "Halves that a README tells the user to start in two terminals are taken to be meant so.",
    f"{_NPM}npm-run-script",
)
PORT_CLASH = _rule(
    "port-clash",
    "error",
    "Two processes of one command want the same port",
    "The second one to listen gets EADDRINUSE and dies (Vite takes the next free port unless strictPort is set).",
    "Give each its own port.",
    "Ports that come from the user's environment.",
    "https://nodejs.org/api/net.html#serverlisten",
)
TSC_WITHOUT_CONFIG = _rule(
    "tsc-without-config",
    "error",
    "tsc is run where there is no tsconfig.json",
    "Without a tsconfig.json and without file names tsc prints its help and ends with status 1, so the script stops.",
    "Add a tsconfig.json, or name it with --project.",
    "",
    "https://www.typescriptlang.org/docs/handbook/compiler-options.html",
)
START_TARGET_NOT_BUILT = _rule(
    "start-target-not-built",
    "error",
    "The start command runs a file that no step builds",
    "Node ends with `Cannot find module`.",
    "Build it before the start, or start the source.",
    "Build tools that are configured outside of the scripts.",
    "https://nodejs.org/api/modules.html#all-together",
)
RUNTIME_TOO_OLD = _rule(
    "runtime-too-old",
    "error",
    "The declared Node is too old for what the code uses",
    "node:sqlite exists from Node 22.5, import.meta.dirname from 20.11, --env-file from 20.6: older ones end with "
    "`No such built-in module` or `bad option`.",
    "Raise engines and the base image, or use something that exists there.",
    "Versions that a version manager picks.",
    "https://nodejs.org/api/sqlite.html",
)
LIFECYCLE_NEEDS_MISSING_PATH = _rule(
    "lifecycle-needs-missing-path",
    "error",
    "A lifecycle script needs a path that is not there when npm runs it",
    "npm runs postinstall and prepare during the install; a missing file or folder ends the install.",
    "Guard the script, or copy the path before the install.",
    "",
    "https://docs.npmjs.com/cli/using-npm/scripts#life-cycle-scripts",
)
MISSING_PLUGIN = _rule(
    "missing-plugin",
    "error",
    "The Vite config loads a plugin that no manifest declares",
    "Vite ends with `failed to load config` before it serves anything.",
    "Declare the plugin.",
    "",
    "https://vite.dev/guide/using-plugins",
)

RULES: tuple[Rule, ...] = (
    HALF_STARTED,
    PORT_CLASH,
    MISSING_PLUGIN,
    START_TARGET_NOT_BUILT,
    TSC_WITHOUT_CONFIG,
    RUNTIME_TOO_OLD,
    LIFECYCLE_NEEDS_MISSING_PATH,
)
