"""Would the build parse and resolve at all?

Every source is read by the goal that its runtime would choose; imports are resolved as Node, a TypeScript loader or
Vite would, whichever loads the file. A defect on a declared launch path decides the status; elsewhere it is a warning.
Sources: https://nodejs.org/api/esm.html, https://nodejs.org/api/packages.html, https://vite.dev/guide/features.

It can't see: what an install brings by hoisting beyond what a lockfile names, code that is made at run time.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from forensics.facts import Facts
from forensics.facts.imports import Broken, Loader, Reference, references
from forensics.facts.inventory import scripts_of
from forensics.facts.launch_plan import processes
from forensics.facts.parsing import ParseFailure, module_goal
from forensics.facts.resolution import Resolver
from forensics.facts.scopes import free_names
from forensics.findings import finding
from forensics.records import Finding, Severity, Status, Verdict
from forensics.scanner import Context, Scanner
from forensics.syntax import ir
from scanners import integrity_rules as rules


class IntegrityStatus(Status):
    OK = "OK"
    CORRUPT = "CORRUPT"
    UNRESOLVED = "UNRESOLVED"
    UNKNOWN = "UNKNOWN"


_CORRUPT = {rules.SYNTAX_ERROR.id, rules.EDIT_RESIDUE.id}
_UNRESOLVED = {
    rules.UNDECLARED_DEPENDENCY.id,
    rules.UNRESOLVED_IMPORT.id,
    rules.CASE_MISMATCH.id,
    rules.MISSING_EXPORT.id,
    rules.HTML_MISSING_FILE.id,
    rules.MODULE_FORMAT_CLASH.id,
    rules.MISSING_SCRIPT_TARGET.id,
}


def scan(facts: Facts, context: Context) -> Verdict:
    """The integrity verdict of a build."""
    if not any(facts.files.language(path) for path in facts.build.files):
        return Verdict(
            scanner="integrity", status=IntegrityStatus.UNKNOWN.value, reason="the build holds no source file"
        )
    findings = [*_syntax(facts), *_residue(facts), *_imports(facts), *_pages(facts), *_formats(facts), *_scripts(facts)]
    errors = {item.rule for item in findings if item.severity == "error"}
    status = IntegrityStatus.OK
    if errors & _CORRUPT:
        status = IntegrityStatus.CORRUPT
    elif errors & _UNRESOLVED:
        status = IntegrityStatus.UNRESOLVED
    return Verdict(scanner="integrity", status=status.value, findings=tuple(findings))


def _severity(facts: Facts, path: str) -> Severity:
    """A defect stops the launch only on a declared path."""
    return "error" if path in facts.reached else "warning"


def _consequence(facts: Facts, path: str) -> str:
    how = facts.reached.get(path)
    return f"it is reached by {how}" if how else "no declared launch path reaches it"


# ------------------------------------------------------------------------------ syntax


def _syntax(facts: Facts) -> Iterator[Finding]:
    for path, failures in facts.parse_failures.items():
        first: ParseFailure = failures[0]
        more = f" ({len(failures) - 1} more places in this file)" if len(failures) > 1 else ""
        yield finding(
            rules.SYNTAX_ERROR,
            facts.location(path, first.start, first.end),
            f"{path} can't be parsed: {first.message}{more}; {_consequence(facts, path)}.",
            key=f"{first.kind}",
            severity=_severity(facts, path)
            if not path.endswith((".json", ".css")) or path in facts.reached
            else "warning",
        )


_CONFLICT = re.compile(rb"(?m)^(<{7} .+|={7}|>{7} .+)\r?$")
_PLACEHOLDER = re.compile(
    rb"(?mi)^[ \t]*(?://|/\*|#|<!--|\{/\*)[ \t]*(?:\.\.\.|\xe2\x80\xa6)[ \t]*(?:rest of|existing|remaining|other|previous|the rest|"
    rb"same as|keep|unchanged)[^\n]{0,80}$"
)


def _residue(facts: Facts) -> Iterator[Finding]:
    for path in facts.build.files:
        if facts.files.language(path) is None:
            continue
        source = facts.build.read(path)
        marks = list(_CONFLICT.finditer(source))
        if len(marks) >= 3 and marks[0][0].startswith(b"<") and any(mark[0].startswith(b">") for mark in marks):
            mark = marks[0]
            yield finding(
                rules.EDIT_RESIDUE,
                facts.location(path, mark.start(), mark.end()),
                f"{path} still holds the markers of a merge conflict; {_consequence(facts, path)}.",
                key="conflict",
                severity=_severity(facts, path),
            )
        for place in _PLACEHOLDER.finditer(source):
            text = place[0].decode("utf-8", "replace").strip()
            yield finding(
                rules.EDIT_RESIDUE,
                facts.location(path, place.start() + len(place[0]) - len(place[0].lstrip()), place.end()),
                f"{path} holds the placeholder {text!r} where code was left out.",
                key=text,
                severity="warning",
                confidence="medium",
            )


# ----------------------------------------------------------------------------- imports


def _loader(facts: Facts, path: str) -> tuple[Loader, Resolver | None] | None:
    """What loads a file, and how it resolves: None for a file whose runtime isn't known."""
    browser = facts.bundled.get(path)
    if browser is not None:
        return "vite", browser
    kind = facts.runtimes.get(path)
    if kind is not None:
        return ("tsx" if kind == "tsx" else "node"), None
    return None


def _imports(facts: Facts) -> Iterator[Finding]:
    checker = facts.import_checker
    for path, script in scripts_of(facts.build, facts.files):
        loaded = _loader(facts, path)
        # A file that nothing declared loads may be a bundler's or a loader's, so their freedoms are granted.
        loader, browser = loaded if loaded is not None else ("tsx", None)
        for reference in references(path, script):
            if reference.guarded:
                continue
            broken = checker.check(reference, loader, browser)
            if broken is not None:
                yield from _broken(facts, broken, loader, known=loaded is not None)
                continue
            for binding in checker.missing_exports(reference, loader, browser):
                resolved = (browser or facts.resolver).resolve(reference.specifier, path)
                yield finding(
                    rules.MISSING_EXPORT,
                    facts.location(path, binding.start, binding.end),
                    f"{path} imports {binding.imported!r} from {resolved.target}, which exports no such name; "
                    f"{_consequence(facts, path)}.",
                    key=f"{binding.imported} {reference.specifier}",
                    severity=_severity(facts, path),
                    related=[facts.location(resolved.target, 0, 0, "exports no such name")],
                )


def _broken(facts: Facts, broken: Broken, loader: Loader, known: bool) -> Iterator[Finding]:
    reference: Reference = broken.reference
    path, specifier = reference.path, reference.specifier
    where = facts.at(reference.site)
    severity = _severity(facts, path)
    if reference.form == "dynamic" and severity == "error":
        severity = "warning"
    tail = _consequence(facts, path)
    if broken.problem == "undeclared":
        if not known and _is_tooling(path):
            return
        package = facts.packages.nearest_package(path)
        brought = facts.brought_by(package.folder if package else "", broken.detail)
        if brought:
            yield finding(
                rules.UNDECLARED_DEPENDENCY,
                where,
                f"{path} imports {broken.detail}, which no manifest declares; it resolves only because {brought} brings it along.",
                key=broken.detail,
                severity="warning",
                confidence="medium",
            )
            return
        yield finding(
            rules.UNDECLARED_DEPENDENCY,
            where,
            f"{path} imports {broken.detail}, which {package.path if package else 'no manifest'} does not declare: after a "
            f"clean install it can't be found; {tail}.",
            key=broken.detail,
            fix=f"npm install {broken.detail}" + (f" (in {package.folder}/)" if package and package.folder else ""),
            severity=severity,
            related=[facts.location(package.path, 0, 0, "the nearest manifest")] if package else [],
        )
    elif broken.problem == "case":
        yield finding(
            rules.CASE_MISMATCH,
            where,
            f"{path} imports {specifier!r}, but the file is {broken.detail}: where the file system tells case apart it is "
            f"not found; {tail}.",
            key=specifier,
            fix=f"Write the name as the file has it ({posixpath.basename(broken.detail)}), or rename the file.",
            severity=severity,
            related=[facts.location(broken.detail, 0, 0, "the file")],
        )
    elif broken.problem == "extension":
        yield finding(
            rules.UNRESOLVED_IMPORT,
            where,
            f"{path} imports {specifier!r} without the file's extension; Node's ES modules need it ({broken.detail}); {tail}.",
            key=specifier,
            fix=f"Write the whole name: {posixpath.basename(broken.detail)}.",
            severity=severity if known else "warning",
            related=[facts.location(broken.detail, 0, 0, "the file that is meant")],
        )
    elif known or not _is_tooling(path):
        yield finding(
            rules.UNRESOLVED_IMPORT,
            where,
            f"{path} imports {specifier!r}, which leads to no file ({broken.detail}); {tail}.",
            key=specifier,
            severity=severity,
        )


_TOOLING = re.compile(
    r"(^|/)(tests?|__tests__|e2e|spec|cypress|playwright|scripts|\.storybook|examples?|docs|fixtures|mocks?)/|"
    r"\.(test|spec|stories|config|setup)\.[cm]?[jt]sx?$"
)


def _is_tooling(path: str) -> bool:
    return _TOOLING.search(path) is not None


def _pages(facts: Facts) -> Iterator[Finding]:
    for server in facts.dev_servers:
        for page in server.pages:
            for missing in page.served.missing:
                if missing.site.path != page.served.page:
                    continue
                extension = posixpath.splitext(missing.specifier.split("?")[0])[1].lower()
                is_code = extension in (".js", ".mjs", ".ts", ".tsx", ".jsx", ".css", ".scss", ".less")
                if not is_code:
                    continue
                index = page.served.page == server.pages[0].served.page
                yield finding(
                    rules.HTML_MISSING_FILE,
                    facts.at(missing.site),
                    f"{page.served.page} refers to {missing.specifier}, which is not there ({missing.reason}).",
                    key=missing.specifier,
                    severity="error" if index and extension not in (".css", ".scss", ".less") else "warning",
                )


# ----------------------------------------------------------------------------- formats

_CJS_ONLY = ("require", "__dirname", "__filename", "module", "exports")


def _formats(facts: Facts) -> Iterator[Finding]:
    """CommonJS names in ES modules that Node runs, and module syntax under an explicit commonjs."""
    for path, kind in facts.runtimes.items():
        script = facts.files.script(path)
        if script is None or script.problems or path.endswith(".json"):
            continue
        goal = module_goal(facts.packages, path)
        if kind in ("config", "tsx"):
            continue
        if goal == "module" or (goal == "detect" and script.has_module_syntax):
            yield from _commonjs_names(facts, path, script)
        elif goal == "commonjs" and script.has_module_syntax:
            node = next(
                (
                    item
                    for item in script.body
                    if isinstance(item, (ir.Import, ir.Export, ir.ExportDeclaration, ir.ExportDefault))
                ),
                None,
            )
            if node is not None:
                yield finding(
                    rules.MODULE_FORMAT_CLASH,
                    facts.location(path, node.start, node.end),
                    f"{path} uses import or export, but Node reads it as CommonJS ({_why_commonjs(facts, path)}): SyntaxError "
                    "when it is loaded.",
                    key="module-syntax",
                    fix='Set "type": "module" in the nearest package.json, or name the file .mjs.',
                    severity=_severity(facts, path),
                )


def _why_commonjs(facts: Facts, path: str) -> str:
    if path.endswith((".cjs", ".cts")):
        return "by its extension"
    package = facts.packages.nearest_package(path)
    return f'"type": "commonjs" in {package.path}' if package else "the default"


def _commonjs_names(facts: Facts, path: str, script: ir.Script) -> Iterator[Finding]:
    seen: set[str] = set()
    for name, node, guarded in free_names(script):
        if name not in _CJS_ONLY or guarded or name in seen:
            continue
        seen.add(name)
        yield finding(
            rules.MODULE_FORMAT_CLASH,
            facts.location(path, node.start, node.end),
            f"{path} uses {name}, but Node reads it as an ES module: ReferenceError ({name} is not defined) when that code runs.",
            key=name,
            fix=_FIXES.get(name, "Use export instead, or name the file .cjs."),
            severity=_severity(facts, path),
        )


_FIXES = {
    "require": "Use import, or createRequire(import.meta.url) from node:module.",
    "__dirname": "Use import.meta.dirname (Node 20.11), or dirname(fileURLToPath(import.meta.url)).",
    "__filename": "Use import.meta.filename (Node 20.11), or fileURLToPath(import.meta.url).",
}


# ----------------------------------------------------------------------- script targets


def _scripts(facts: Facts) -> Iterator[Finding]:
    """Script keys that name a file that is not there, or a script that no manifest defines."""
    declared = {(plan.folder, plan.script) for plan in (*facts.dev, *facts.start)}
    for (folder, name), plan in sorted(facts.launch.plans.items()):
        is_launch = (folder, name) in declared
        for missing in plan.missing_scripts:
            if missing.reason not in ("undefined", "no package", "no workspace") or missing.place is None:
                continue
            yield finding(
                rules.MISSING_SCRIPT_TARGET,
                facts.at_place(missing.place),
                f"The script {name!r} runs {missing.name!r}, which no manifest defines in {missing.folder or '.'}/.",
                key=f"{name} {missing.name}",
                severity="error" if is_launch else "warning",
            )
        built = {
            path
            for other in facts.launch.plans.values()
            for process in processes(other)
            for path in _outputs(process.argv)
        }
        for process in processes(plan):
            if (
                process.kind not in ("node", "tsx")
                or not process.entry
                or process.entry_exists
                or process.place is None
            ):
                continue
            if _may_be_built(facts, process.entry, built) or "node_modules" in process.entry:
                continue
            yield finding(
                rules.MISSING_SCRIPT_TARGET,
                facts.at_place(process.place),
                f"The script {name!r} starts {process.entry}, which is not in the build and which no script makes.",
                key=f"{name} {process.entry}",
                severity="error" if is_launch else "warning",
            )


def _outputs(argv: tuple[str, ...]) -> Iterator[str]:
    for index, word in enumerate(argv):
        if word.startswith(("--outdir=", "--outDir=", "--out-dir=", "--outfile=")):
            yield word.split("=", 1)[1].strip("./")
        elif word in ("--outDir", "--outdir", "-d", "--out-dir", "-o", "--outfile") and index + 1 < len(argv):
            yield argv[index + 1].strip("./")


_BUILDERS = (
    "tsc",
    "esbuild",
    "tsup",
    "rollup",
    "webpack",
    "vite",
    "babel",
    "swc",
    "unbuild",
    "ncc",
    "nest",
    "parcel",
    "rimraf",
)


def _may_be_built(facts: Facts, entry: str, built: set[str]) -> bool:
    """Whether some script may write the entry: a compiler runs, and the entry lies in a usual output folder."""
    if any(part and (entry == part or entry.startswith(part + "/") or f"/{part}/" in f"/{entry}") for part in built):
        return True
    texts = " ".join(script.text for package in facts.packages for script in package.scripts.values())
    compiles = any(re.search(rf"\b{name}\b", texts) for name in _BUILDERS)
    first = entry.split("/")[-2] if "/" in entry else ""
    return compiles and (
        first in ("dist", "build", "out", "lib", "output", ".output")
        or any(part in ("dist", "build", "out", "lib", ".output", ".next") for part in entry.split("/"))
    )


SCANNER = Scanner(name="integrity", statuses=IntegrityStatus, rules=rules.RULES, scan=scan)
