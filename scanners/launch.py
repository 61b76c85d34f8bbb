"""Can the declared ways of starting the build do what they say?

Scripts as npm runs them, compilers and their configurations, the Node that the manifest asks for. Sources:
https://docs.npmjs.com/cli/commands/npm-run-script, https://nodejs.org/api/, https://www.typescriptlang.org/docs/.

It can't see: what a version manager or the user's machine brings.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from forensics.facts import Facts
from forensics.facts.launch_plan import LaunchPlan, Process, processes
from forensics.facts.resolution import builtin_name, package_name
from forensics.findings import finding
from forensics.records import Finding, Status, Verdict
from forensics.scanner import Context, Scanner
from scanners import launch_rules as rules


class LaunchStatus(Status):
    OK = "OK"
    BROKEN = "BROKEN"
    UNKNOWN = "UNKNOWN"


def scan(facts: Facts, context: Context) -> Verdict:
    """The launch verdict of a build."""
    if not len(facts.packages):
        return Verdict(scanner="launch", status=LaunchStatus.UNKNOWN.value, reason="no package.json that can be read")
    findings = [
        *_half_started(facts),
        *_port_clashes(facts),
        *_compilers(facts),
        *_start_targets(facts),
        *_old_runtimes(facts),
        *_lifecycle(facts),
        *_plugins(facts),
    ]
    unique = tuple({(item.rule, item.location, item.key): item for item in findings}.values())
    broken = any(item.severity == "error" for item in unique)
    status = LaunchStatus.BROKEN if broken else LaunchStatus.OK
    return Verdict(scanner="launch", status=status.value, findings=unique)


def _shown(process: Process) -> str:
    return " ".join(process.argv[:6])


def _half_started(facts: Facts) -> Iterator[Finding]:
    """Processes of the dev and start commands that never start because another stands before them."""
    for plan in (*facts.dev, *facts.start):
        for process in processes(plan):
            blocker = process.blocked_by
            if blocker is None or process.place is None or process.kind in ("shell-tool", "tool", "wait", "unknown"):
                continue
            where = plan_place(process) or process.place
            yield finding(
                rules.HALF_STARTED,
                facts.at_place(where),
                f"`{plan.command}` runs `{_shown(blocker)}` first, which never ends, so `{_shown(process)}` is never started.",
                key=f"{plan.script} {_shown(process)}",
                fix="Run them side by side, for example with concurrently or npm-run-all --parallel.",
                related=[
                    *([facts.at_place(blocker.place, "never ends")] if blocker.place is not None else []),
                    facts.at_place(process.place, "never started"),
                ],
            )


def plan_place(process: Process):  # type: ignore[no-untyped-def]
    """Where the outer script of a process stands."""
    return process.chain[0] if process.chain else None


def _port_clashes(facts: Facts) -> Iterator[Finding]:
    for plans in (facts.dev, facts.start):
        taken: dict[int, tuple[Process, object]] = {}
        for process in facts.running(plans):
            if process.kind not in ("node", "tsx") or not process.entry_exists:
                continue
            for server in facts.servers(process):
                if not isinstance(server.port, int) or not server.certain or server.port == 0:
                    continue
                other = taken.get(server.port)
                if other is not None and other[0] is not process:
                    yield finding(
                        rules.PORT_CLASH,
                        facts.at_effect(server.listen),
                        f"{process.entry} and {other[0].entry}, which one command starts, both listen on port {server.port}: "
                        "the second dies with EADDRINUSE.",
                        key=f"{server.port}",
                        related=[facts.at_effect(other[1], "listens on it first")],  # type: ignore[arg-type]
                    )
                taken.setdefault(server.port, (process, server.listen))


def _compilers(facts: Facts) -> Iterator[Finding]:
    """`tsc` without a configuration."""
    for plan in facts.launch.plans.values():
        for process in processes(plan):
            if not process.argv or posixpath.basename(process.argv[0]) != "tsc" or process.place is None:
                continue
            words = process.argv[1:]
            if any(word in ("--version", "-v", "--help", "-h", "--init", "--showConfig") for word in words):
                continue
            if any(re.search(r"\.[cm]?tsx?$", word) for word in words):
                continue
            project = next(
                (words[index + 1] for index, word in enumerate(words[:-1]) if word in ("-p", "--project")),
                next(
                    (word for word in words if not word.startswith("-") and ("-b" in words or "--build" in words)), ""
                ),
            )
            if project:
                target = posixpath.normpath(posixpath.join(process.cwd, project))
                found = target in facts.build.files or posixpath.join(target, "tsconfig.json") in facts.build.files
            else:
                found = _config_above(facts, process.cwd)
            if not found:
                yield finding(
                    rules.TSC_WITHOUT_CONFIG,
                    facts.at_place(process.place),
                    f"The script {plan.script!r} runs `{_shown(process)}` in {process.cwd or '.'}/, where there is no "
                    f"{project or 'tsconfig.json'}: tsc ends with status 1.",
                    key=f"{plan.folder} {plan.script}",
                    severity="error" if _is_launch(facts, plan) else "warning",
                )


def _config_above(facts: Facts, folder: str) -> bool:
    while True:
        if posixpath.join(folder, "tsconfig.json") in facts.build.files:
            return True
        if not folder:
            return False
        folder = posixpath.dirname(folder)


def _is_launch(facts: Facts, plan: LaunchPlan) -> bool:
    launch = (*facts.dev, *facts.start, *facts.launch.build_plans())
    return any((item.folder, item.script) == (plan.folder, plan.script) for item in launch)


def _start_targets(facts: Facts) -> Iterator[Finding]:
    """Entries of the start command that are not there and that no compiler of the build makes."""
    for plan in facts.start:
        for process in processes(plan):
            if process.kind != "node" or process.entry_exists or not process.entry or process.place is None:
                continue
            builders = [
                item
                for other in facts.launch.plans.values()
                for item in processes(other)
                if item.kind in ("vite-build", "other-build", "tool")
            ]
            if builders or process.entry.startswith("node_modules/"):
                continue
            yield finding(
                rules.START_TARGET_NOT_BUILT,
                facts.at_place(process.place),
                f"`{plan.command}` runs {process.entry}, which is not in the build, and no script of the build makes it.",
                key=process.entry,
            )


_NEEDS = (
    ("node:sqlite", (22, 5), "the module node:sqlite"),
    ("node:test", (18, 0), "the module node:test"),
)


def _old_runtimes(facts: Facts) -> Iterator[Finding]:
    """Builtins and options that the Node of `engines` does not have."""
    from nodesemver import max_satisfying

    for path, kind in facts.runtimes.items():
        if kind == "config":
            continue
        package = facts.packages.nearest_package(path)
        wanted = package.engines.get("node") if package is not None else None
        if not wanted or package is None:
            continue
        for specifier, sites in facts.imports_of(path).items():
            for name, (major, minor), what in _NEEDS:
                if specifier != name:
                    continue
                newest = f"{major}.{minor}.0"
                try:
                    allows_newer = max_satisfying([newest, f"{major + 2}.0.0", f"{major + 4}.0.0"], wanted, loose=True)
                except ValueError:
                    continue
                if allows_newer is None:
                    yield finding(
                        rules.RUNTIME_TOO_OLD,
                        facts.at(sites[0]),
                        f"{path} uses {what}, which exists from Node {major}.{minor}, but {package.path} asks for Node {wanted}.",
                        key=name,
                        related=[facts.location(package.path, 0, 0, f"engines: node {wanted}")],
                    )


def _lifecycle(facts: Facts) -> Iterator[Finding]:
    """Lifecycle scripts whose files are not in the build."""
    for package in facts.packages:
        for plan in facts.launch.install_plans(package.folder):
            for process in processes(facts.expanded(plan)):
                if (
                    process.kind not in ("node", "tsx")
                    or process.entry_exists
                    or not process.entry
                    or process.place is None
                ):
                    continue
                if process.entry.startswith("node_modules/"):
                    continue
                yield finding(
                    rules.LIFECYCLE_NEEDS_MISSING_PATH,
                    facts.at_place(process.place),
                    f"npm install runs {plan.script}, which starts {process.entry}: the file is not in the build, so the install "
                    "ends with an error.",
                    key=f"{plan.script} {process.entry}",
                )


def _plugins(facts: Facts) -> Iterator[Finding]:
    """Packages that a loaded Vite config imports and no manifest declares."""
    for server in facts.dev_servers:
        interpreter = server.config.interpreter
        for path in interpreter.modules if interpreter is not None else ():
            package = facts.packages.nearest_package(path)
            for specifier, sites in facts.imports_of(path).items():
                if specifier.startswith((".", "/", "#")) or builtin_name(specifier) is not None:
                    continue
                name = package_name(specifier)
                folder = package.folder if package is not None else ""
                if facts.packages.named(name) is not None or facts.packages.resolve(folder, name) is not None:
                    continue
                if name == "vite" or facts.brought_by(folder, name) or facts.is_outer_dependency(name):
                    continue
                yield finding(
                    rules.MISSING_PLUGIN,
                    facts.at(sites[0]),
                    f"{path} imports {name}, which {package.path if package else 'no manifest'} does not declare: Vite ends with "
                    "`failed to load config`.",
                    key=name,
                    fix=f"npm install --save-dev {name}",
                )


SCANNER = Scanner(name="launch", statuses=LaunchStatus, rules=rules.RULES, scan=scan)
