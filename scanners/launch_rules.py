"""The rules of the launch scanner."""

from __future__ import annotations

from forensics.records import Rule, Severity

_DOCKERFILE = "https://docs.docker.com/reference/dockerfile/"
_COMPOSE = "https://docs.docker.com/reference/compose-file/"
_NPM = "https://docs.npmjs.com/cli/commands/"
_NO_ENGINE = "needs a container engine; the rule rests on the published reference, modelled with tests of its own"


def _rule(
    slug: str,
    severity: Severity,
    summary: str,
    why: str,
    fix: str,
    blind_spots: str,
    *sources: str,
    no_oracle: str = "",
) -> Rule:
    return Rule(
        id=f"launch/{slug}",
        severity=severity,
        summary=summary,
        why=why,
        fix=fix,
        blind_spots=blind_spots,
        sources=sources,
        no_oracle=no_oracle,
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
LOCKFILE_REQUIRED = _rule(
    "lockfile-required",
    "error",
    "npm ci is run without a lockfile",
    "`npm ci` refuses to run without package-lock.json or npm-shrinkwrap.json.",
    "Ship the lockfile, or run npm install.",
    "Archives from which lockfiles were left out are not blamed: where no build ships one, the finding is dropped.",
    f"{_NPM}npm-ci",
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
SCRIPTS_IGNORED = _rule(
    "scripts-ignored",
    "error",
    "Install scripts are switched off for a package that needs them",
    "With --ignore-scripts a native add-on is neither fetched nor compiled: it can't be loaded.",
    "Drop --ignore-scripts, or run npm rebuild for the add-on.",
    "",
    f"{_NPM}npm-install#ignore-scripts",
)
NATIVE_ADDON_NO_TOOLCHAIN = _rule(
    "native-addon-no-toolchain",
    "error",
    "A native add-on has no prebuilt binary for the base image and the stage has no compiler",
    "node-gyp needs python3, make and a C++ compiler; slim and alpine images have none.",
    "Use an image with a prebuilt binary, or install the toolchain in that stage.",
    "Rests on a dated table of prebuilt binaries.",
    _DOCKERFILE,
    no_oracle=_NO_ENGINE,
)
COPY_MISSING_PATH = _rule(
    "copy-missing-path",
    "error",
    "COPY names a path that is not in the build context",
    "The image build stops: `failed to compute cache key: … not found`.",
    "Correct the path, or take it out of .dockerignore.",
    "Paths that a step outside of the image build makes.",
    f"{_DOCKERFILE}#copy",
    no_oracle=_NO_ENGINE,
)
COPY_OVER_DEPENDENCIES = _rule(
    "copy-over-dependencies",
    "warning",
    "COPY . . after the install overwrites node_modules",
    "Without node_modules in .dockerignore the folder of the user's machine replaces the one that was installed in the image, "
    "native add-ons of another platform included.",
    "List node_modules in .dockerignore.",
    "Harmless where no node_modules lies beside the Dockerfile.",
    f"{_DOCKERFILE}#dockerignore-file",
    no_oracle=_NO_ENGINE,
)
STAGE_PATH_NEVER_MADE = _rule(
    "stage-path-never-made",
    "error",
    "COPY --from takes a path that the stage never makes",
    "The image build stops: not found.",
    "Copy the path that the stage's build writes.",
    "Commands whose outputs can't be told.",
    f"{_DOCKERFILE}#copy---from",
    no_oracle=_NO_ENGINE,
)
VOLUME_SHADOWS_CODE = _rule(
    "volume-shadows-code",
    "error",
    "A volume is mounted over code",
    "What the image holds under the mount point is hidden: the command's file, or node_modules, is gone.",
    "Mount the data folder only.",
    "",
    f"{_COMPOSE}volumes",
    no_oracle=_NO_ENGINE,
)
VOLUME_MISSES_DATA = _rule(
    "volume-misses-data",
    "warning",
    "The volume is not where the database is",
    "What is written elsewhere is lost with the container.",
    "Mount the folder that the store's path names.",
    "",
    f"{_COMPOSE}volumes",
    no_oracle=_NO_ENGINE,
)
BUILD_DEPENDENCIES_OMITTED = _rule(
    "build-dependencies-omitted",
    "error",
    "The build runs where its tools were not installed",
    "With NODE_ENV=production or --omit=dev devDependencies are left out: `vite: not found`.",
    "Install everything in the build stage and prune afterwards.",
    "",
    f"{_NPM}npm-install#omit",
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
    LOCKFILE_REQUIRED,
    LIFECYCLE_NEEDS_MISSING_PATH,
    SCRIPTS_IGNORED,
    BUILD_DEPENDENCIES_OMITTED,
    NATIVE_ADDON_NO_TOOLCHAIN,
    COPY_MISSING_PATH,
    COPY_OVER_DEPENDENCIES,
    STAGE_PATH_NEVER_MADE,
    VOLUME_SHADOWS_CODE,
    VOLUME_MISSES_DATA,
)
