"""The rules of the integrity scanner."""

from __future__ import annotations

from forensics.records import Rule

_ESM = "https://nodejs.org/api/esm.html"
_PACKAGES = "https://nodejs.org/api/packages.html"

SYNTAX_ERROR = Rule(
    id="integrity/syntax-error",
    severity="error",
    summary="A file can't be parsed",
    why="The engine, or Vite's transform, refuses the whole file: a server that loads it dies, a page that imports it stays "
    "empty (Vite answers the request with 500).",
    fix="Mend the place that is named; a botched edit often leaves half of a function behind.",
    blind_spots="Dialects that a plugin brings.",
    sources=("https://tc39.es/ecma262/#sec-static-semantic-rules",),
)
UNDECLARED_DEPENDENCY = Rule(
    id="integrity/undeclared-dependency",
    severity="error",
    summary="A package is imported that no manifest declares",
    why="After a clean install of what the manifests declare the package is not there: ERR_MODULE_NOT_FOUND.",
    fix="Declare it in the manifest of the part that uses it.",
    blind_spots="Packages that another dependency happens to bring to the top of node_modules.",
    sources=(_ESM,),
)
UNRESOLVED_IMPORT = Rule(
    id="integrity/unresolved-import",
    severity="error",
    summary="An import leads to no file",
    why="Node ends with ERR_MODULE_NOT_FOUND, Vite answers the importing module with 500.",
    fix="Correct the path; Node's ES modules need the extension.",
    blind_spots="Files that a build step makes.",
    sources=(_ESM, "https://nodejs.org/api/modules.html#all-together"),
)
CASE_MISMATCH = Rule(
    id="integrity/case-mismatch",
    severity="error",
    summary="An import spells a file's name in another case",
    why="It works where the file system ignores case (macOS, Windows) and fails on Linux and in containers.",
    fix="Write the name as the file has it.",
    blind_spots="",
    sources=(_ESM,),
)
MODULE_FORMAT_CLASH = Rule(
    id="integrity/module-format-clash",
    severity="error",
    summary="CommonJS names in an ES module, or module syntax in CommonJS",
    why="require, __dirname and module.exports do not exist in ES modules (ReferenceError); import and export are a "
    "SyntaxError where the manifest says commonjs.",
    fix="Use one format, or give the file the extension of its format (.cjs, .mjs).",
    blind_spots="Code that only runs under a bundler.",
    sources=(_ESM, _PACKAGES),
)
MISSING_EXPORT = Rule(
    id="integrity/missing-export",
    severity="error",
    summary="A named import that its target does not export",
    why="Linking an ES module fails before any of it runs: SyntaxError (does not provide an export named …).",
    fix="Export the name, or import the one that exists.",
    blind_spots="CommonJS targets.",
    sources=("https://tc39.es/ecma262/#sec-source-text-module-record-initialize-environment",),
)
HTML_MISSING_FILE = Rule(
    id="integrity/html-missing-file",
    severity="error",
    summary="A page refers to a script or style sheet that is not there",
    why="The dev server answers with the page itself or 404, so the script never runs.",
    fix="Correct the address, or add the file.",
    blind_spots="Files that a build step makes.",
    sources=("https://vite.dev/guide/#index-html-and-project-root",),
)
MISSING_SCRIPT_TARGET = Rule(
    id="integrity/missing-script-target",
    severity="error",
    summary="A script names a file or a script that does not exist",
    why="npm ends with `Missing script`, Node with `Cannot find module`.",
    fix="Correct the name, or add what is missing.",
    blind_spots="Files that a build step outside of the scripts makes.",
    sources=("https://docs.npmjs.com/cli/commands/npm-run-script",),
)
EDIT_RESIDUE = Rule(
    id="integrity/edit-residue",
    severity="error",
    summary="An edit left markers or placeholders behind",
    why="Conflict markers can't be parsed; a comment that stands for left-out code says that the code is not there.",
    fix="Finish the edit.",
    blind_spots="Placeholders in other words.",
    no_oracle="what the residue does is a syntax error's or a missing function's own oracle",
)

RULES: tuple[Rule, ...] = (
    SYNTAX_ERROR,
    EDIT_RESIDUE,
    UNRESOLVED_IMPORT,
    UNDECLARED_DEPENDENCY,
    CASE_MISMATCH,
    MODULE_FORMAT_CLASH,
    MISSING_EXPORT,
    HTML_MISSING_FILE,
    MISSING_SCRIPT_TARGET,
)
