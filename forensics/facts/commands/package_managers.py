"""npm, pnpm, yarn, bun and npx: which scripts of which packages they run, and with which arguments.

Sources: npm `lib/commands/run.js`, `lib/utils/get-workspaces.js`, `bin/npx-cli.js`; https://pnpm.io/cli/run;
https://yarnpkg.com/cli and https://classic.yarnpkg.com/en/docs/cli; https://bun.sh/docs/cli/run.
"""

from __future__ import annotations

import posixpath
import re

from msgspec.structs import replace

from forensics.facts.command_arguments import (
    BUN_SHORT,
    BUN_VALUES,
    PNPM_SHORT,
    PNPM_VALUES,
    YARN_SHORT,
    YARN_VALUES,
    Argument,
    ParsedArguments,
    parse_npm,
)
from forensics.facts.commands.monorepos import filtered, in_dependency_order
from forensics.facts.commands.script_calls import (
    binary_or_missing,
    outer_root,
    run_at_once,
    run_binary,
    run_in_turn,
    without_options,
)
from forensics.facts.launch_plan import NOTHING, Place, Step
from forensics.facts.packages import Package
from forensics.facts.script_expansion import Context, Expander, in_order


def npm(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    parsed = parse_npm(arguments[1:])
    words = parsed.positional
    command = words[0].text if words else "help"
    if command in ("run", "run-script", "rum", "urn"):
        if len(words) < 2:
            return expander.process("shell-tool", arguments, context, place)
        name, forwarded = words[1], words[2:]
    elif command in ("start", "stop", "restart", "test", "t", "tst"):
        name = words[0].rewritten("test") if command in ("t", "tst") else words[0]
        forwarded = words[1:]
    elif command in ("exec", "x"):
        call = parsed.last("call")
        folder = parsed.last("workspace") or parsed.last("prefix")
        inner = expander.in_folder(context, folder) if folder else context
        return expander.text(call, inner) if call else run_binary(expander, words[1:], inner, place)
    elif command in (
        "install",
        "i",
        "in",
        "add",
        "ci",
        "clean-install",
        "install-clean",
        "rebuild",
        "link",
        "it",
        "cit",
    ):
        prefix = parsed.last("prefix")
        return expander.process("install", arguments, expander.in_folder(context, prefix), place)
    else:
        return expander.process("tool", arguments, context, place)
    if name.unknown:
        return expander.process("unknown", arguments, context, place)
    prefix = parsed.last("prefix")
    if prefix is not None:
        here = expander.packages.by_folder.get(expander.in_folder(context, prefix).cwd)
    else:
        here = expander.package_here(context)
    if here is None:
        where = prefix.text if prefix else context.cwd or "."
        return expander.undefined(where, name.text, "no package", place)
    filters = parsed.values.get("workspace", [])
    if not filters and not parsed.flags.get("workspaces"):
        return run_in_turn(
            expander, [here], name.text, forwarded, context, place, parsed.flags.get("if-present", False)
        )
    # npm is asked for workspaces of the root, wherever in it the command runs.
    root = here if here.workspaces else expander.packages.workspace_root(here.folder) or here
    targets = _npm_workspaces(expander, root, [item.text for item in filters], context)
    if parsed.flags.get("include-workspace-root"):
        targets.insert(0, root)
    if not targets:
        asked = filters[0].text if filters else root.folder
        return expander.undefined(asked, name.text, "no workspace", place)
    if_present = parsed.flags.get("if-present", False)
    # One workspace after the other, and on to the next even if one fails (npm `lib/commands/run.js`, execWorkspaces).
    return run_in_turn(expander, targets, name.text, forwarded, context, place, if_present)


def _npm_workspaces(expander: Expander, root: Package, filters: list[str], context: Context) -> list[Package]:
    """npm `lib/utils/get-workspaces.js`: by name, by path, or all in a folder."""
    workspaces = expander.packages.workspaces_of(root)
    if not filters:
        return workspaces
    found: dict[str, Package] = {}
    for wanted in filters:
        path, _ = expander.resolve_path(context, wanted)
        for workspace in workspaces:
            in_folder = posixpath.dirname(workspace.folder) == path and path != root.folder
            name = workspace.name or posixpath.basename(workspace.folder)
            if wanted == name or workspace.folder == path or in_folder:
                found[workspace.folder] = workspace
    return list(found.values())


def pnpm(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    # Options before the script's name are pnpm's, all after it the script's (https://pnpm.io/cli/run).
    parsed = _manager_arguments(arguments[1:], PNPM_VALUES, PNPM_SHORT)
    words = parsed.positional
    recursive = bool(parsed.flags.get("recursive")) or bool(parsed.values.get("filter"))
    if words and words[0].text in ("recursive", "multi", "m"):
        recursive, words = True, words[1:]
    command = words[0].text if words else "help"
    context = expander.in_folder(context, parsed.last("dir") or parsed.last("prefix"))
    if command in ("exec", "dlx", "create"):
        return run_binary(expander, without_options(words[1:]), context, place)
    if command in ("install", "i", "add", "ci", "rebuild", "import", "fetch"):
        return expander.process("install", arguments, context, place)
    if command in _PNPM_COMMANDS:
        return expander.process("tool", arguments, context, place)
    if command in ("run", "run-script"):
        after = parse_npm(words[1:], PNPM_VALUES, PNPM_SHORT, stop_at_positional=1)
        words = after.positional
        parsed.flags.update(after.flags)
        for option, given in after.values.items():
            parsed.values.setdefault(option, []).extend(given)
        recursive = recursive or bool(parsed.flags.get("recursive")) or bool(parsed.values.get("filter"))
        if not words:
            return expander.process("shell-tool", arguments, context, place)
    elif command in ("t", "tst"):
        words = [words[0].rewritten("test"), *words[1:]]
    name, forwarded = words[0].text, words[1:]
    here = expander.package_here(context)
    root = outer_root(expander, here)
    if root is not None and parsed.flags.get("workspace-root"):
        here = root
    if here is None:
        return expander.undefined(context.cwd or ".", name, "no package", place)
    if not recursive:
        if name.startswith("/") and name.endswith("/") and len(name) > 2:
            return _run_pattern(expander, here, name[1:-1], context, place)
        if name not in here.scripts and command not in ("run", "run-script", "start", "stop", "test"):
            return binary_or_missing(expander, here, words, context, place)
        return run_in_turn(expander, [here], name, forwarded, context, place, bool(parsed.flags.get("if-present")))
    members = [*expander.packages.workspaces_of(root or here)]
    if root is not None and parsed.flags.get("include-workspace-root"):
        members.insert(0, root)
    filters = [item.text for item in parsed.values.get("filter", [])]
    chosen = filtered(expander, members, filters, context) if filters else members
    chosen = [package for package in chosen if name in package.scripts]
    if parsed.flags.get("parallel") or parsed.flags.get("no-sort") or len(chosen) == 1:
        return run_at_once(expander, chosen, [name], context, place, forwarded)
    # Packages wait for those they depend on; the others run side by side.
    chunks = in_dependency_order(chosen)
    return in_order([run_at_once(expander, chunk, [name], context, place, forwarded) for chunk in chunks], True)


_PNPM_COMMANDS = frozenset(
    {
        "help",
        "audit",
        "list",
        "ls",
        "outdated",
        "why",
        "publish",
        "pack",
        "patch",
        "store",
        "prune",
        "remove",
        "rm",
        "update",
    }
    | {
        "up",
        "link",
        "env",
        "config",
        "setup",
        "deploy",
        "dedupe",
        "licenses",
        "server",
        "init",
        "root",
        "bin",
        "approve-builds",
    }
)


def _manager_arguments(arguments: list[Argument], values: frozenset[str], short: dict[str, str]) -> ParsedArguments:
    """The options before the command or script, and the rest as it stands."""
    return parse_npm(arguments, values, short, stop_at_positional=1)


def _run_pattern(expander: Expander, package: Package, pattern: str, context: Context, place: Place) -> Step:
    """`pnpm run /^dev:/`: every script that the regular expression finds, side by side."""
    try:
        matcher = re.compile(pattern[:200])
    except re.error:
        return expander.undefined(package.folder, f"/{pattern}/", "undefined", place)
    names = [name for name in package.scripts if len(name) < 200 and matcher.search(name)]
    return run_at_once(expander, [package], names, context, place)


def yarn(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    parsed = _manager_arguments(arguments[1:], YARN_VALUES, YARN_SHORT)
    words = parsed.positional
    context = expander.in_folder(context, parsed.last("cwd"))
    command = words[0].text if words else "install"
    here = expander.package_here(context)
    if command == "workspace" and len(words) >= 3:
        target = expander.packages.named(words[1].text)
        if target is None or not _yarn_workspaces_of(expander, outer_root(expander, target), [target]):
            return expander.undefined(words[1].text, words[2].text, "no workspace", place)
        return yarn(expander, [arguments[0], *words[2:]], replace(context, cwd=target.folder), place)
    if command == "workspaces":
        return _yarn_workspaces(expander, arguments, words[1:], here, context, place)
    if command in ("install", "add", "upgrade", "rebuild", "link"):
        return expander.process("install", arguments, context, place)
    if command in ("exec", "dlx", "create"):
        return run_binary(expander, without_options(words[1:]), context, place)
    if command == "run":
        words = parse_npm(words[1:], YARN_VALUES, YARN_SHORT, stop_at_positional=1).positional
        if not words:
            return expander.process("shell-tool", arguments, context, place)
    if here is None:
        return expander.undefined(context.cwd or ".", words[0].text, "no package", place)
    name, forwarded = words[0].text, words[1:]
    if name not in here.scripts:
        return binary_or_missing(expander, here, words, context, place)
    if forwarded and forwarded[0].text == "--":
        forwarded = forwarded[1:]
    return run_in_turn(expander, [here], name, forwarded, context, place, if_present=False)


def _yarn_workspaces(
    expander: Expander,
    arguments: list[Argument],
    words: list[Argument],
    here: Package | None,
    context: Context,
    place: Place,
) -> Step:
    """`yarn workspaces run NAME` (classic: in turn) and `yarn workspaces foreach … run NAME` (Berry)."""
    root = outer_root(expander, here)
    if root is None or not words or words[0].text not in ("run", "foreach"):
        return expander.process("tool", arguments, context, place)
    members = _yarn_workspaces_of(expander, root, expander.packages.workspaces_of(root))
    if words[0].text == "run":
        if len(words) < 2:
            return NOTHING
        return run_in_turn(expander, members, words[1].text, words[2:], context, place, if_present=False)
    parsed = parse_npm(words[1:], YARN_VALUES, YARN_SHORT, stop_at_positional=1)
    inner = parsed.positional
    if inner and inner[0].text == "run":
        inner = inner[1:]
    short = "".join(name for name in parsed.flags if len(name) <= 4)
    parallel = parsed.flags.get("parallel") or "p" in short
    if not inner:
        return NOTHING
    if parallel:
        return run_at_once(expander, members, [inner[0].text], context, place)
    return run_in_turn(expander, members, inner[0].text, inner[1:], context, place, if_present=True)


def _yarn_workspaces_of(expander: Expander, root: Package | None, members: list[Package]) -> list[Package]:
    """Yarn classic knows workspaces of a private root only, and only those with a version (seen with 1.22.22)."""
    manager = str(root.manifest.get("packageManager", "")) if root else ""
    is_berry = re.match(r"yarn@[2-9]", manager) or (
        root is not None and posixpath.join(root.folder, ".yarnrc.yml") in expander.build.files
    )
    if is_berry or root is None:
        return members if root else []
    return [package for package in members if root.private and package.version]


def bun(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    parsed = _manager_arguments(arguments[1:], BUN_VALUES, BUN_SHORT)
    words = parsed.positional
    context = expander.in_folder(context, parsed.last("cwd"))
    command = words[0].text if words else "help"
    if command in ("install", "i", "add", "ci", "update", "link"):
        return expander.process("install", arguments, context, place)
    if command == "x":
        return run_binary(expander, without_options(words[1:]), context, place)
    if command in ("test", "build", "pm", "create", "init", "upgrade", "help"):
        return expander.process("tool", arguments, context, place)
    if command == "run":
        after = parse_npm(words[1:], BUN_VALUES, BUN_SHORT, stop_at_positional=1)
        words = after.positional
        parsed.flags.update(after.flags)
        parsed.values.update(after.values)
    if not words:
        return expander.process("unknown", arguments, context, place, unresolved="bun without a script")
    env_files = [item.text for item in parsed.values.get("env-file", [])]
    context = expander.with_env_files(context, env_files)
    name = words[0].text
    filters = [item.text for item in parsed.values.get("filter", [])]
    here = expander.package_here(context)
    root = outer_root(expander, here)
    if filters and root:
        members = filtered(expander, expander.packages.workspaces_of(root), filters, context)
        return run_at_once(expander, members, [name], context, place)
    if here and name in here.scripts:
        return run_in_turn(expander, [here], name, words[1:], context, place, False)
    path, exists = expander.script_file(context, name, typescript=True)
    if not exists and "." not in name and "/" not in name:
        if here is None or command == "run":
            return expander.undefined(here.folder if here else context.cwd, name, "undefined", place)
        return binary_or_missing(expander, here, words, context, place)
    watching = bool(parsed.flags.get("watch") or parsed.flags.get("hot"))
    return expander.process(
        "tsx",
        arguments,
        replace(context, watching=context.watching or watching),
        place,
        options={"runner": "bun"},
        entry=path,
        entry_exists=exists,
    )


def npx(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    """npx and bunx: options up to the first positional argument (npm `bin/npx-cli.js`)."""
    values = frozenset({"package", "call", "cache", "userconfig", "workspace", "shell", "script-shell", "prefix"})
    short = {"p": "package", "c": "call", "w": "workspace"}
    parsed = parse_npm(arguments[1:], values, short, stop_at_positional=1)
    context = expander.in_folder(context, parsed.last("prefix"))
    call = parsed.last("call")
    if call is not None:
        return expander.text(call, context)
    return run_binary(expander, parsed.positional, context, place)
