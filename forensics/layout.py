"""Layouts: which folders of an archive are builds, and which labels their paths and manifests carry.

The rules of `auto` are told for users in docs/layouts.md; keep both in step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from forensics.archive import Archive, BuildReference
from forensics.records import BuildError, InputError

_VITE_CONFIGS = frozenset(f"vite.config.{suffix}" for suffix in ("js", "mjs", "ts", "cjs", "mts", "cts"))
_MAX_DEPTH = 12  # folders between the archive's top and a build

_CLIENT_WORDS = frozenset({"client", "frontend", "front", "web", "webapp", "ui", "www", "site"})
_SERVER_WORDS = frozenset({"server", "backend", "back", "api", "service"})

# A script that begins with one of these hands the work to packages below and starts nothing in its own folder.
_DELEGATES = re.compile(
    r"^\s*(?:npx\s+|pnpx\s+|bunx\s+)?(?:turbo|nx|lerna|rush|moon|wsrun)\b"
    r"|^\s*pnpm\s+(?:.*\s)?(?:-r|--recursive|-F|--filter\S*|-C|--dir)\b"
    r"|^\s*npm\s+.*(?:-w|--workspaces?|-ws|--prefix)\b"
    r"|^\s*yarn\s+workspaces?\b"
    r"|^\s*bun\s+.*--filter\b"
    r"|^\s*echo\b"
)
# What a script runs when it starts an app in its own folder.
_RUNNERS = re.compile(
    r"(?:^|[\s&|;\"'(])(?:node|nodemon|tsx|ts-node(?:-dev)?|bun|deno|vite|vite-node|next|nuxt|nuxi|astro|remix|gatsby|parcel"
    r"|react-scripts|webpack-dev-server|webpack\s+serve|vue-cli-service|ng|svelte-kit|electron|electron-forge|expo"
    r"|serve|http-server|live-server|concurrently|npm-run-all2?|run-p|run-s|pm2|foreman|nf|python3?|docker|docker-compose"
    r"|wrangler|netlify|vercel|firebase|serverless|sls|func|hardhat)(?=$|[\s\"';&|)])"
)
_START_SCRIPTS = ("start", "dev", "serve", "develop", "preview")
_PAGE_CONFIGS = re.compile(r"^(?:next|nuxt|astro|gatsby|svelte|remix|angular)\.?(?:config)?\.(?:m?js|c?js|m?ts|json)$")
_PAGE_PLACES = ("", "public", "src", "app", "client", "frontend", "web")

_COMPOSE_FILES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")

_COLLECTION_SIZE = 3


class Found(Struct, frozen=True):
    """A build that a layout found: its folder ("" is the archive's top), its id and labels."""

    root: str
    id: str
    labels: dict[str, str]


def find_builds(archive: Archive, layout: str = "auto") -> list[BuildReference]:
    """The builds of an archive, sorted by id.

    Args:
        layout: "auto", "study" or a pattern such as "{model}/{task}/run_{run}".

    Raises:
        InputError: the layout matches nothing, or the pattern is none.
    """
    if layout == "auto":
        found = list(_auto(archive, "", 0))
        missing = "no folder holds a package.json, or an index.html with a Vite config; name the place with --layout"
    elif layout == "study":
        found = list(_study(archive))
        missing = "nothing matches the layout study, runs/<batch>/<task>/<condition>/runs/<n>/app"
    else:
        found = list(_by_pattern(archive, layout))
        missing = f"nothing matches the layout {layout}; its parts are folder names from the archive's top"
    if not found:
        raise InputError(f"{archive.address}: {missing}")
    found.sort(key=lambda entry: entry.id)
    references = [archive.reference(entry.root, entry.id, entry.labels) for entry in found]
    return _with_stray_problems(references, archive.problems_elsewhere())


def _with_stray_problems(references: list[BuildReference], problems: list[BuildError]) -> list[BuildReference]:
    """Gives each problem of a name that lies in no build to the first build below the folder it points at, or to the
    first build of all: it must be told somewhere, and it says nothing about the others."""
    strays: dict[int, list[BuildError]] = {}
    for problem in problems:
        folder = problem.path
        while True:
            near = (
                number
                for number, reference in enumerate(references)
                if not folder or (reference.root + "/").startswith(folder + "/")
            )
            chosen = next(near, None)
            if chosen is not None:
                break
            folder = folder.rpartition("/")[0]
        strays.setdefault(chosen, []).append(problem)
    return [
        msgspec.structs.replace(reference, problems=[*reference.problems, *strays[number]])
        if number in strays
        else reference
        for number, reference in enumerate(references)
    ]


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _found(archive: Archive, root: str, labels: dict[str, str] | None = None) -> Found:
    return Found(root, root or archive.name, labels or {})


# --------------------------------------------------------------------- auto


def _auto(archive: Archive, folder: str, depth: int) -> Iterator[Found]:
    if _holds_manifest(archive, folder):
        if not _is_collection(archive, folder):
            yield _found(archive, folder)
            return
    elif _holds_halves(archive, folder):
        yield _found(archive, folder)
        return
    if depth < _MAX_DEPTH:
        for name in archive.tree.folders(folder):
            yield from _auto(archive, _join(folder, name), depth + 1)


def _holds_manifest(archive: Archive, folder: str) -> bool:
    names = archive.tree.files(folder)
    return "package.json" in names or ("index.html" in names and not _VITE_CONFIGS.isdisjoint(names))


def _holds_halves(archive: Archive, folder: str) -> bool:
    """Whether the direct children of a folder without a manifest are the parts of one app.

    They are where one child is named as a client, another as a server with the same rest of the name (client/ +
    server/, shop-frontend/ + shop-backend/), one of the two holds a manifest and neither gathers packages of its own;
    where a lone half with a manifest stands beside the page that it serves; or where a compose file beside them names
    every child that has a manifest.
    """
    files = archive.tree.files(folder)
    packages = [name for name in archive.tree.folders(folder) if _holds_manifest(archive, _join(folder, name))]
    halves: dict[str, dict[str, str]] = {}
    for name in archive.tree.folders(folder):
        side, rest = _half(name)
        if side and (name in packages or not _gathers_packages(archive, _join(folder, name))):
            halves.setdefault(rest, {})[side] = name
    for pair in halves.values():
        if any(name in packages for name in pair.values()) and (len(pair) == 2 or "index.html" in files):
            return True
    for name in _COMPOSE_FILES:
        if name in files and packages:
            text = archive.read(_join(folder, name)).decode("utf-8", "replace")
            return all(re.search(rf"(?:^|[\s\"'/:]){re.escape(part)}(?:$|[\s\"'/:])", text, re.M) for part in packages)
    return False


def _gathers_packages(archive: Archive, folder: str) -> bool:
    return any(_holds_manifest(archive, _join(folder, name)) for name in archive.tree.folders(folder))


def _half(name: str) -> tuple[str, str]:
    """Which half of an app a folder's name tells ("client", "server" or ""), and the rest of the name."""
    spelled = name.lower().replace("front-end", "frontend").replace("back-end", "backend")
    words = [word for word in re.split(r"[-_. ]+", spelled) if word]
    for index, word in enumerate(words):
        side = "client" if word in _CLIENT_WORDS else "server" if word in _SERVER_WORDS else ""
        if side:
            return side, " ".join(words[:index] + words[index + 1 :])
    return "", ""


class _Package(Struct, frozen=True):
    """What a package.json says, as far as layouts ask; anything that is not as npm has it reads as absent."""

    name: str
    scripts: dict[str, str]
    dependencies: frozenset[str]


def _package(archive: Archive, folder: str) -> _Package:
    try:
        value = msgspec.json.decode(archive.read(_join(folder, "package.json")).removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        return _Package("", {}, frozenset())
    scripts = value.get("scripts")
    names: set[str] = set()
    for key in ("dependencies", "devDependencies"):
        table = value.get(key)
        names.update(table if isinstance(table, dict) else ())
    return _Package(
        name if isinstance(name := value.get("name"), str) else "",
        {key: text for key, text in scripts.items() if isinstance(text, str)} if isinstance(scripts, dict) else {},
        frozenset(names),
    )


def _is_collection(archive: Archive, folder: str) -> bool:
    """Whether a folder with a manifest merely gathers apps: it shows no page and starts nothing itself, and beneath it
    stand three or more complete apps that depend on no sibling and that its scripts don't name."""
    if any("index.html" in archive.tree.files(_join(folder, place).rstrip("/")) for place in _PAGE_PLACES):
        return False
    own = _package(archive, folder)
    if any(
        _RUNNERS.search(text) and not _DELEGATES.search(text)
        for name, text in own.scripts.items()
        if name.partition(":")[0] in _START_SCRIPTS
    ):
        return False
    inner = list(_inner_packages(archive, folder, 0))
    if len(inner) < _COLLECTION_SIZE:
        return False
    packages = {place: _package(archive, place) for place in inner}
    siblings = {package.name for package in packages.values() if package.name}
    started = " ".join(text for name, text in own.scripts.items() if name.partition(":")[0] in _START_SCRIPTS)
    alone = 0
    for place, package in packages.items():
        relative = place[len(folder) + 1 :] if folder else place
        if (
            _is_complete_app(archive, place, package)
            and not _mentions(started, relative)
            and not (package.name and _mentions(started, package.name))
            and not (package.dependencies & siblings - _inside(packages, place))
        ):
            alone += 1
    return alone >= _COLLECTION_SIZE


def _inside(packages: dict[str, _Package], place: str) -> frozenset[str]:
    return frozenset(package.name for other, package in packages.items() if other.startswith(place + "/"))


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w@/-]){re.escape(name)}(?![\w-])", text) is not None


def _inner_packages(archive: Archive, folder: str, depth: int) -> Iterator[str]:
    for name in archive.tree.folders(folder):
        place = _join(folder, name)
        if _holds_manifest(archive, place):
            yield place
        if depth < _MAX_DEPTH:
            yield from _inner_packages(archive, place, depth + 1)


def _is_complete_app(archive: Archive, folder: str, package: _Package) -> bool:
    """A page of its own and a script that starts it."""
    starts = any(
        name.partition(":")[0] in _START_SCRIPTS and _RUNNERS.search(text) for name, text in package.scripts.items()
    )
    return starts and (
        any("index.html" in archive.tree.files(_join(folder, place).rstrip("/")) for place in _PAGE_PLACES)
        or any(_PAGE_CONFIGS.match(name) for name in archive.tree.files(folder))
    )


# -------------------------------------------------------------------- study


def _study(archive: Archive) -> Iterator[Found]:
    """`runs/<batch>/<task>/<condition>/runs/<n>/app`, at any depth, or with the archive itself as the first `runs`."""
    tops = [""] if archive.name == "runs" else []
    tops += list(_folders_named(archive, "", "runs", 0))
    for top in tops:
        for batch, task, condition, run in _paths(archive, top, 3, "runs"):
            labels = {"task": task, "condition": condition, "run_id": run, "batch": batch}
            folder = "/".join(part for part in (top, batch, task, condition, "runs", run) if part)
            if "app" not in archive.tree.folders(folder):
                continue
            root = folder + "/app"
            yield Found(root, f"{task}/{condition}/runs/{run}", labels | _manifest_labels(archive, folder, root))


def _folders_named(archive: Archive, folder: str, wanted: str, depth: int) -> Iterator[str]:
    """The outermost folders of a name."""
    for name in archive.tree.folders(folder):
        place = _join(folder, name)
        if name == wanted:
            yield place
        elif depth < _MAX_DEPTH and not _holds_manifest(archive, place):
            yield from _folders_named(archive, place, wanted, depth + 1)


def _paths(archive: Archive, top: str, levels: int, last: str) -> Iterator[tuple[str, str, str, str]]:
    pending: list[tuple[str, tuple[str, ...]]] = [(top, ())]
    while pending:
        folder, names = pending.pop()
        if len(names) == levels:
            place = _join(folder, last)
            for run in archive.tree.folders(place):
                batch, task, condition = names
                yield batch, task, condition, run
            continue
        pending += [(_join(folder, name), (*names, name)) for name in archive.tree.folders(folder)]


def _manifest_labels(archive: Archive, run_folder: str, root: str) -> dict[str, str]:
    """Model, status and token totals of `smoke/logs/manifest.json`, beside the app or in it."""
    for folder in (run_folder, root):
        try:
            value = msgspec.json.decode(
                archive.read(folder + "/smoke/logs/manifest.json").removeprefix(b"\xef\xbb\xbf")
            )
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(value, dict):
            return dict(_manifest_values(value))
    return {}


def _manifest_values(manifest: dict[str, object]) -> Iterator[tuple[str, str]]:
    for key, value in manifest.items():
        if key == "model" and isinstance(value, str):
            yield "model", model_name(value)
        elif key == "status" and isinstance(value, str | int | bool):
            yield "status", str(value)
        elif "token" in key.lower() and isinstance(value, int | float):
            yield key, str(value)
        elif ("token" in key.lower() or key == "usage") and isinstance(value, dict):
            for name, number in value.items():
                if isinstance(name, str) and isinstance(number, int | float):
                    yield (name if "token" in name.lower() else f"{key}_{name}"), str(number)


def model_name(text: str) -> str:
    """A model's name without the suffix that the study's gateway appended."""
    return text.removesuffix("-anthropic")


# ------------------------------------------------------------------ pattern


def _by_pattern(archive: Archive, pattern: str) -> Iterator[Found]:
    levels = [_level(part, pattern) for part in pattern.strip("/").split("/")]
    names = [name for level in levels for name in level.groupindex]
    if len(set(names)) != len(names):
        raise InputError(f"--layout {pattern}: a field is named twice")
    found = list(_matching(archive, "", levels, {}))
    if not found:
        # an archive made of one folder: the pattern may begin inside it
        only = archive.tree.folders("")
        if len(only) == 1:
            found = list(_matching(archive, only[0], levels, {}))
    yield from found


def _level(part: str, pattern: str) -> re.Pattern[str]:
    pieces = re.split(r"(\{[^{}]*\}|\*)", part)
    text = ""
    for piece in pieces:
        if piece == "*":
            text += "[^/]*"
        elif piece.startswith("{") and piece.endswith("}"):
            name = piece[1:-1]
            if not name.isidentifier():
                raise InputError(f"--layout {pattern}: '{piece}' is no field; write it as {{model}}")
            text += f"(?P<{name}>[^/]+)"
        elif "{" in piece or "}" in piece:
            raise InputError(f"--layout {pattern}: a brace is not closed; write fields as {{model}}")
        else:
            text += re.escape(piece)
    if not part:
        raise InputError(f"--layout {pattern}: give auto, study or a pattern such as {{model}}/{{task}}/run_{{run}}")
    try:
        return re.compile(text)
    except re.error:
        raise InputError(f"--layout {pattern}: a field is named twice") from None


def _matching(archive: Archive, folder: str, levels: list[re.Pattern[str]], labels: dict[str, str]) -> Iterator[Found]:
    if not levels:
        yield _found(archive, folder, labels)
        return
    for name in archive.tree.folders(folder):
        match = levels[0].fullmatch(name)
        if match:
            yield from _matching(archive, _join(folder, name), levels[1:], labels | match.groupdict())


# ------------------------------------------------------------------- labels


def joined_labels(
    references: list[BuildReference], text: str, source: str, template: str | None, *, clean_models: bool = False
) -> list[BuildReference]:
    """The references with the columns of a labels table joined by build id; the table wins over the path.

    Args:
        text: the CSV, its first row the column names.
        source: the file's name, for messages.
        template: how a row gives its build id, as in "{task}/{condition}/runs/{run_id}"; None: the column id or build.
        clean_models: drop the study's suffix from the column "model".

    Raises:
        InputError: no such columns, or no row fits any build.
    """
    import csv
    import io

    reader = csv.DictReader(io.StringIO(text, newline=""))
    columns = [column for column in reader.fieldnames or [] if column]
    if template is None:
        named = next((column for column in ("id", "build") if column in columns), None)
        if named is None:
            raise InputError(f"{source}: no column is called id or build; say with --label-id how a row gives the id")
        template = f"{{{named}}}"
    missing = [name for name in re.findall(r"\{([^{}]*)\}", template) if name not in columns]
    if missing or "{" not in template:
        wanted = ", ".join(missing) or "none"
        raise InputError(
            f"{source}: --label-id {template} names columns that the file lacks ({wanted}); it has {', '.join(columns)}"
        )

    def id_of(row: dict[str, str]) -> str:
        return re.sub(r"\{([^{}]*)\}", lambda match: row[match[1]] or "", template)

    by_id: dict[str, dict[str, str]] = {}
    try:
        for row in reader:
            values = {column: row[column] or "" for column in columns if template != f"{{{column}}}"}
            if clean_models and "model" in values:
                values["model"] = model_name(values["model"])
            by_id[id_of(row)] = values
    except csv.Error as error:
        raise InputError(f"{source}: not a readable CSV table (line {reader.line_num}: {error})") from None
    if not any(reference.id in by_id for reference in references):
        example = next(iter(by_id), "no row")
        raise InputError(
            f"{source}: --label-id {template} fits no build; "
            f"a row gives '{example}', a build is called '{references[0].id}'"
        )
    return [
        msgspec.structs.replace(reference, labels=reference.labels | by_id.get(reference.id, {}))
        for reference in references
    ]
