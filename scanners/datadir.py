"""Does the code create its data directory before it uses it?

Decided over the server that the scripts start, on the path that the evaluator computes and the order in which start-up
makes folders and opens stores. What each driver makes itself was run for real (see `forensics.facts.stores`).

It can't see: folders left by an earlier run and not shipped (a reviewer's machine may have them), what a container
mounts, paths from the user's own environment.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from forensics.facts import Facts
from forensics.facts.launch_plan import LaunchPlan, Process, processes
from forensics.facts.node_host import ROOT, absolute, build_path
from forensics.facts.startup import Trace
from forensics.facts.stores import Made, Store, folders_made, happens_before, makes_folder, ships, stores_of
from forensics.facts.values import Unknown
from forensics.findings import distinct, finding
from forensics.records import Finding, Rule, Status, Verdict
from forensics.scanner import Context, Scanner


class DatadirStatus(Status):
    OK_MKDIR = "OK-MKDIR"
    OK_SHALLOW = "OK-SHALLOW"
    OK_MEMORY = "OK-MEMORY"
    LATENT = "LATENT"
    WILL_FAIL = "WILL-FAIL"
    NO_STORE = "NO-STORE"
    UNKNOWN = "UNKNOWN"


_WORST_FIRST = (
    DatadirStatus.WILL_FAIL,
    DatadirStatus.LATENT,
    DatadirStatus.UNKNOWN,
    DatadirStatus.OK_MKDIR,
    DatadirStatus.OK_SHALLOW,
    DatadirStatus.OK_MEMORY,
)

_SOURCES = (
    "https://pglite.dev/docs/filesystems",
    "https://nodejs.org/api/fs.html#fsmkdirsyncpath-options",
    "https://github.com/WiseLibs/better-sqlite3/blob/master/lib/database.js",
)

MISSING_PARENT = Rule(
    id="datadir/missing-parent",
    severity="error",
    summary="The data directory's parent does not exist and nothing creates it",
    why="PGlite makes only the last component of its folder, SQLite drivers make no folder at all; with the parent missing "
    "the store fails to open (ENOENT, SQLITE_CANTOPEN) and the process dies in a fresh copy.",
    fix="Before the store opens: mkdirSync(dirname(path), { recursive: true }); or ship the folder with a .gitkeep.",
    blind_spots="Folders that an earlier run left and the archive does not hold; mounts of a container.",
    sources=_SOURCES,
)
CREATED_ELSEWHERE = Rule(
    id="datadir/created-elsewhere",
    severity="error",
    summary="Only a step outside the start path creates the data directory",
    why="A seed or set-up script makes the folder, but the command that starts the server does not run it: whoever follows "
    "the start command alone gets ENOENT.",
    fix="Create the folder in the server itself before the store opens.",
    blind_spots="Instructions outside of the manifests.",
    sources=_SOURCES,
)
UNUSABLE_PATH = Rule(
    id="datadir/unusable-path",
    severity="warning",
    summary="The store is given a path in a form that its driver can't open",
    why="A driver that knows no file: addresses takes one for the name of a file, and a URL object is no path.",
    fix="Give a plain path: fileURLToPath(url), or the text behind file:.",
    blind_spots="",
    sources=_SOURCES,
)


@dataclass(frozen=True)
class _Judged:
    status: DatadirStatus
    store: Store
    process: Process
    reason: str = ""
    made: Made | None = None


def scan(facts: Facts, context: Context) -> Verdict:
    """The data-directory verdict of a build."""
    judged: list[_Judged] = []
    for process in _server_processes(facts):
        run = facts.serving_trace(process)
        makes = folders_made(run)
        judged.extend(_judge(facts, process, run, store, makes) for store in stores_of(run))
    judged = [item for item in judged if not _is_incidental(item)]
    if not judged:
        return Verdict(scanner="datadir", status=DatadirStatus.NO_STORE.value, reason=_why_none(facts))
    status = next(item for item in _WORST_FIRST if any(entry.status is item for entry in judged))
    reason = (
        next((item.reason for item in judged if item.status is status), "") if status is DatadirStatus.UNKNOWN else ""
    )
    return Verdict(
        scanner="datadir", status=status.value, reason=reason, findings=tuple(distinct(_findings(facts, judged)))
    )


def failing_store(facts: Facts, process: Process) -> str:
    """Why a process dies over its data directory while it starts, "" where it doesn't."""
    run = facts.trace(process)
    makes = folders_made(run)
    for store in stores_of(run):
        if store.effect.phase != "startup" or store.driver.fails_late or not store.effect.certain:
            continue
        judged = _judge(facts, process, run, store, makes)
        if judged.status in (DatadirStatus.WILL_FAIL, DatadirStatus.LATENT):
            missing = _shown(store.needs or "")
            return f"{process.entry} dies: {store.driver.name} needs the folder {missing}, which is not there"
    return ""


def _server_processes(facts: Facts) -> list[Process]:
    """Node processes of the declared start-up: those of the dev command, and of start where dev starts no server."""
    found: dict[tuple[str, str], Process] = {}
    for plans in (facts.dev, facts.start):
        for process in facts.running(plans):
            if process.kind in ("node", "tsx") and process.entry and process.entry_exists:
                found.setdefault((process.entry, process.cwd), process)
        if any(facts.servers(process) for process in found.values()):
            break
    servers = [process for process in found.values() if facts.servers(process)]
    if servers:
        return servers
    if found:
        return list(found.values())
    others: dict[tuple[str, str], Process] = {}
    for plan in facts.launch.plans.values():
        for process in facts.running((facts.expanded(plan),)):
            if process.kind in ("node", "tsx") and process.entry_exists and process.entry and facts.servers(process):
                others.setdefault((process.entry, process.cwd), process)
    return list(others.values())


def _is_incidental(item: _Judged) -> bool:
    """A plain file written outside of any folder question (a log beside the sources, a path that isn't known) is no
    store; one whose folder is missing is a defect like any other."""
    if item.store.driver.name != "a file":
        return False
    if item.status is DatadirStatus.UNKNOWN or (not item.store.effect.certain and item.store.effect.phase == "startup"):
        return True
    return item.status not in (DatadirStatus.WILL_FAIL, DatadirStatus.LATENT, DatadirStatus.OK_MKDIR)


def _why_none(facts: Facts) -> str:
    if not _server_processes(facts):
        return "no declared script starts a server"
    return "the server opens no store on disk"


def _judge(facts: Facts, process: Process, run: Trace, store: Store, makes: list[Made]) -> _Judged:
    if store.fails:
        return _Judged(DatadirStatus.WILL_FAIL, store, process)
    if store.in_memory:
        return _Judged(DatadirStatus.OK_MEMORY, store, process)
    if isinstance(store.path, Unknown) or store.path is None or store.needs is None:
        reason = store.path.reason if isinstance(store.path, Unknown) else "the path is not known"
        return _Judged(DatadirStatus.UNKNOWN, store, process, reason)
    needed = store.needs
    shipped = ships(facts.build, needed)
    if shipped:
        return _Judged(DatadirStatus.OK_SHALLOW, store, process)
    if store.driver.makes == "parents":
        return _Judged(DatadirStatus.OK_MKDIR, store, process)
    uncertain: Made | None = None
    for made in makes:
        if made.effect is store.effect or not _leaves(facts, made, needed, makes):
            continue
        if (store.effect.phase == "request" and made.effect.phase == "startup") or happens_before(
            made.effect, store.effect
        ):
            if made.effect.certain:
                return _Judged(DatadirStatus.OK_MKDIR, store, process, made=made)
            uncertain = uncertain or made
        elif store.effect.phase == "request" and made.effect.index < store.effect.index and _same_function(made, store):
            return _Judged(DatadirStatus.OK_MKDIR, store, process, made=made)
    if store.path.endswith("/…") and any(
        makes_folder(effect) and effect.index < store.effect.index and effect.stack[:1] == store.effect.stack[:1]
        for effect in run.effects
    ):
        # The function that writes a file of an open name makes the folder of that name first.
        return _Judged(DatadirStatus.OK_MKDIR, store, process)
    if _made_by_script(facts, process, needed):
        return _Judged(DatadirStatus.OK_MKDIR, store, process)
    if shipped is None:
        return _Judged(DatadirStatus.UNKNOWN, store, process, f"{needed} lies outside of the build")
    if uncertain is not None:
        where = f"{uncertain.effect.site.path} makes {_shown(uncertain.path)} under a condition that can't be decided"
        return _Judged(DatadirStatus.UNKNOWN, store, process, where)
    elsewhere = _made_elsewhere(facts, process, needed)
    if elsewhere is not None:
        return _Judged(DatadirStatus.LATENT, store, process, elsewhere)
    return _Judged(DatadirStatus.WILL_FAIL, store, process)


def _same_function(made: Made, store: Store) -> bool:
    return made.effect.stack[:1] == store.effect.stack[:1]


def _leaves(facts: Facts, made: Made, needed: str, makes: list[Made]) -> bool:
    """Whether making one folder leaves another in place: itself, or anything below it with missing parents made. A
    one-level mkdir helps only where its own parent is there: shipped, or made before."""
    if made.parents:
        return made.path == needed or made.path.startswith(needed + "/")
    above = posixpath.dirname(needed)
    return made.path == needed and (
        ships(facts.build, above) is True
        or any(item.effect.index < made.effect.index and _leaves(facts, item, above, makes) for item in makes)
    )


def _missing_levels(facts: Facts, folder: str) -> list[str]:
    """Missing folders from the outermost to the folder itself."""
    missing: list[str] = []
    while folder not in ("/", ROOT) and not ships(facts.build, folder):
        missing.insert(0, folder)
        folder = posixpath.dirname(folder)
    return missing


def _made_by_script(facts: Facts, process: Process, needed: str) -> bool:
    """`mkdir -p` in the command that starts the server, or in an npm lifecycle script."""
    plans = [
        plan for plan in (*facts.dev, *facts.start) if any(item.entry == process.entry for item in processes(plan))
    ]
    folders = {""} | {plan.folder for plan in plans}
    for folder in folders:
        plans.extend(facts.expanded(plan) for plan in facts.launch.install_plans(folder))
    for plan in plans:
        for item in facts.running((plan,)):
            if _shell_makes(item, needed) or (item.entry != process.entry and _run_makes(facts, item, needed)):
                return True
    return False


def _shell_makes(process: Process, needed: str) -> bool:
    if process.kind != "shell-tool" or not process.argv:
        return False
    program = posixpath.basename(process.argv[0])
    words = [word for word in process.argv[1:] if not word.startswith("-")]
    flags = [word for word in process.argv[1:] if word.startswith("-")]
    if program in ("mkdir", "mkdirp", "shx", "make-dir", "install"):
        deep = program in ("mkdirp", "make-dir") or any("p" in flag or flag == "-d" for flag in flags)
        for word in words:
            path = posixpath.normpath(posixpath.join(absolute(process.cwd), word))
            if path == needed or (deep and path.startswith(needed + "/")):
                return True
    return False


def _run_makes(facts: Facts, process: Process, needed: str) -> bool:
    if process.kind not in ("node", "tsx") or not process.entry or not process.entry_exists:
        return False
    made = folders_made(facts.trace(process))
    return any(
        _leaves(facts, item, needed, made) and item.effect.certain and item.effect.phase == "startup" for item in made
    )


def _made_elsewhere(facts: Facts, process: Process, needed: str) -> str | None:
    """The script outside the start path that creates the folder."""
    started = {(item.entry, item.cwd) for plans in (facts.dev, facts.start) for item in facts.running(plans)}
    for (_, name), plan in sorted(facts.launch.plans.items()):
        if _is_start(facts, plan):
            continue
        for item in facts.running((facts.expanded(plan),)):
            if _shell_makes(item, needed):
                return f"npm run {name}"
            if (item.entry, item.cwd) not in started and _run_makes(facts, item, needed):
                return f"npm run {name}"
    return None


def _is_start(facts: Facts, plan: LaunchPlan) -> bool:
    return any((item.folder, item.script) == (plan.folder, plan.script) for item in (*facts.dev, *facts.start))


def _shown(path: str) -> str:
    inside = build_path(path)
    return path if inside is None else (inside or "the build's root")


def _findings(facts: Facts, judged: list[_Judged]) -> Iterator[Finding]:
    for item in judged:
        store = item.store
        where = facts.at_effect(store.effect)
        if store.problem:
            yield finding(UNUSABLE_PATH, where, f"{store.problem}.", key=store.driver.name)
        if store.fails:
            continue
        if item.status not in (DatadirStatus.WILL_FAIL, DatadirStatus.LATENT):
            continue
        path, needed = _shown(str(store.path)), _shown(store.needs or "")
        missing = [_shown(folder) for folder in _missing_levels(facts, store.needs or "")]
        rule = MISSING_PARENT if item.status is DatadirStatus.WILL_FAIL else CREATED_ELSEWHERE
        when = "at its first write" if store.driver.fails_late else "when it opens"
        what = f"{store.driver.name} at {path}" if store.driver.name != "a file" else path
        makes = "makes only the last folder of its path" if store.driver.makes == "leaf" else "makes no folder"
        ending = f" (only `{item.reason}` makes it)" if item.status is DatadirStatus.LATENT else ""
        yield finding(
            rule,
            where,
            f"{what} needs the folder {needed}, which is not shipped and which the start command does not create{ending}: "
            f"{store.driver.name} {makes}, so it fails {when} in a fresh copy."
            if store.driver.name != "a file"
            else f"Writing {path} needs the folder {needed}, which is not shipped and which the start command does not "
            f"create{ending}: the write fails with ENOENT.",
            key=f"{store.driver.name} {path}",
            fix=f"Before it: mkdirSync('{needed}', {{ recursive: true }}) (missing: {', '.join(missing) or needed}).",
            related=[facts.at(site, "called from here") for site in store.effect.stack[:2] if site.path],
            evidence=[f"started as {' '.join(item.process.argv)} in {item.process.cwd or '.'}/"],
            confidence="medium" if _is_ignored(facts, needed) or not store.effect.certain else "high",
        )


def _is_ignored(facts: Facts, folder: str) -> bool:
    """Whether .gitignore lists the folder: a packer may then have left it out of the archive."""
    if ".gitignore" not in facts.build.files:
        return False
    lines = {line.strip().strip("/").rstrip("*").rstrip("/") for line in facts.build.text(".gitignore").splitlines()}
    return any(folder == line or folder.startswith(line + "/") for line in lines if line and not line.startswith("#"))


SCANNER = Scanner(
    name="datadir",
    statuses=DatadirStatus,
    rules=(MISSING_PARENT, CREATED_ELSEWHERE, UNUSABLE_PATH),
    scan=scan,
)
