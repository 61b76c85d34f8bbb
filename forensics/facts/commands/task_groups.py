"""Tools that start several commands: concurrently, npm-run-all, start-server-and-test, Procfiles."""

from __future__ import annotations

import posixpath
import re

from msgspec.structs import replace

from forensics.facts import shell
from forensics.facts.command_arguments import (
    Argument,
    parse_concurrently,
    parse_run_all,
    unquoted,
)
from forensics.facts.launch_plan import NOTHING, Parallel, Place, Sequence, Step
from forensics.facts.packages import Package, glob_matches
from forensics.facts.script_expansion import Context, Expander, in_order


def concurrently(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    """open-cli-tools/concurrently: every argument is a shell command of its own."""
    commands, additional, parsed = parse_concurrently(arguments[1:])
    passes = parsed.flags.get("passthrough-arguments", False)
    if not passes:
        commands = commands + additional
    texts: list[Argument] = []
    for command in commands:
        texts += _expanded_command(expander, unquoted(command), context)
    if passes:
        texts = [_with_placeholders(text, additional) for text in texts]
    steps = tuple(expander.text(text, context) for text in texts)
    ends: str = "failure" if parsed.flags.get("kill-others-on-fail") else "never"
    ends = "exit" if parsed.flags.get("kill-others") else ends
    processes_at_once = parsed.last("max-processes")
    if processes_at_once and processes_at_once.text == "1":
        return Sequence(steps)
    return Parallel(steps, ends_others=ends)  # type: ignore[arg-type]


def _expanded_command(expander: Expander, command: Argument, context: Context) -> list[Argument]:
    """`npm:dev:*` as concurrently's `expand-shortcut.ts` and `expand-wildcard.ts` write it out."""
    text = command.text
    shortcut = re.match(r"(npm|yarn|pnpm|bun|node|deno):(\S+)(.*)", text, re.DOTALL)
    if shortcut:
        runner = {"node": "node --run", "deno": "deno task"}.get(shortcut.group(1), f"{shortcut.group(1)} run")
        text = f"{runner} {shortcut.group(2)}{shortcut.group(3)}"
    wildcard = re.search(r"((?:npm|yarn|pnpm|bun) run|node --run|deno task) (\S+)([^&]*)", text)
    if wildcard is None or "*" not in wildcard.group(2):
        return [command if text == command.text else command.rewritten(text)]
    omitted = re.search(r"\(!([^)]+)\)", wildcard.group(2))
    pattern = re.sub(r"\(!([^)]+)\)", "", wildcard.group(2))
    before, _, after = pattern.partition("*")
    package = expander.packages.by_folder.get(context.cwd)  # concurrently reads the manifest of its own directory only
    names = [
        name
        for name in (package.scripts if package else {})
        if name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after)
    ]
    if omitted:
        try:
            names = [name for name in names if not re.search(omitted.group(1), name)]
        except re.error:
            names = []
    return [command.rewritten(f"{wildcard.group(1)} {name}{wildcard.group(3)}") for name in names]


def _with_placeholders(text: Argument, additional: list[Argument]) -> Argument:
    """`{1}`, `{@}` and `{*}` of concurrently and npm-run-all."""
    quoted = [shell.quote(item.text) for item in additional]

    def replaced(found: re.Match[str]) -> str:
        target = found.group(1)
        if target == "@":
            return " ".join(quoted)
        if target == "*":
            return shell.quote(" ".join(item.text for item in additional)) if additional else ""
        number = int(target[:4]) - 1
        return quoted[number] if number < len(quoted) else ""

    written = re.sub(r"\{([@*]|[1-9][0-9]*)\}", replaced, text.text)
    return text if written == text.text else text.rewritten(written)


def run_all(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    """npm-run-all, run-p, run-s (bcomnes/npm-run-all2)."""
    program = posixpath.basename(arguments[0].text)
    parsed = parse_run_all(arguments[1:], program)
    if parsed.refused:
        return expander.process(
            "tool", arguments, context, place, fails=f"{program} stops: it knows no option {parsed.refused}"
        )
    package = expander.packages.by_folder.get(context.cwd)
    if package is None:
        return expander.undefined(context.cwd, " ".join(a.text for a in arguments[1:]), "no package", place)
    groups: list[Step] = []
    for group in parsed.groups:
        tasks, unknown = _matched_tasks(package, group.patterns)
        for pattern in unknown:
            expander.undefined(package.folder, pattern, "undefined", place)
        if unknown:
            return NOTHING  # it stops before it starts any
        steps = []
        for name, task_arguments in tasks:
            text = _with_placeholders(task_arguments, parsed.rest)
            words = shell.parse_shell(text.text, text.places)
            forwarded = (
                [Argument(word.text, word.places) for word in words.words] if isinstance(words, shell.Simple) else []
            )
            forwarded = [item for item in forwarded if item.text != "--"]
            steps.append(expander.script(package, name, context.at(place), forwarded))
        if group.parallel and parsed.max_parallel != 1:
            ends = "exit" if parsed.race else "never" if parsed.continue_on_error else "failure"
            groups.append(steps[0] if len(steps) == 1 else Parallel(tuple(steps), ends_others=ends))  # type: ignore[arg-type]
        else:
            groups.append(in_order(steps, stops_on_failure=not parsed.continue_on_error))
    return in_order([group for group in groups if group != NOTHING], stops_on_failure=not parsed.continue_on_error)


def _matched_tasks(package: Package, patterns: list[Argument]) -> tuple[list[tuple[str, Argument]], list[str]]:
    """The scripts that patterns name, in the manifest's order for each pattern, and the patterns that name none
    (`lib/match-tasks.js`: `:` separates as `/` does in paths; a script found by two patterns runs once)."""
    swapped = str.maketrans(":/", "/:")
    found: list[tuple[str, Argument]] = []
    sources: dict[str, set[str]] = {}
    unknown = []
    for pattern in patterns:
        trimmed = pattern.text.strip()
        task, _, rest = trimmed.partition(" ")
        start = pattern.text.index(trimmed) + len(task) if trimmed else 0
        names = [name for name in package.scripts if glob_matches(task.translate(swapped), name.translate(swapped))]
        if not names and task not in ("restart", "env"):
            unknown.append(task)
        for name in names:
            command = f"{name} {rest}"
            if not sources.get(command) or task in sources[command]:
                found.append((name, pattern.part(start)))
            sources.setdefault(command, set()).add(task)
    return found, unknown


def start_server_and_test(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    """bahmutov/start-server-and-test: servers, then the test, then everything is stopped."""
    words = [argument for argument in arguments[1:] if not argument.text.startswith("--")]
    commands = [
        word for word in words if not re.match(r"(?:https?(?:-\w+)?:|tcp:|localhost|127\.|0\.0\.|:?\d+)", word.text)
    ]
    package = expander.packages.by_folder.get(context.cwd)
    texts = []
    for command in commands:
        is_script = package is not None and command.text in package.scripts
        texts.append(command.rewritten(f"npm run {command.text}") if is_script else command)
    return Parallel(tuple(expander.text(text, context) for text in texts), ends_others="exit")


def procfile(expander: Expander, arguments: list[Argument], context: Context, place: Place) -> Step:
    """foreman and its kin: every line of the Procfile at once."""
    listed = [argument.text for argument in arguments]
    named = next(
        (listed[at + 1] for at, text in enumerate(listed[:-1]) if text in ("-j", "-f", "--procfile")), "Procfile"
    )
    path, _ = expander.resolve_path(context, named)
    starts = "start" in listed[1:2] or posixpath.basename(listed[0]) == "hivemind"
    if not starts or path not in expander.build.files:
        return expander.process("unknown", arguments, context, place, unresolved=f"{named} is not in the build")
    source = expander.build.text(path)
    steps = []
    for found in re.finditer(r"^([\w-]+):[ \t]*(.+)$", source, re.MULTILINE):
        start = len(source[: found.start(2)].encode())
        text = found.group(2)
        places = tuple(range(start, start + len(text) + 1)) if text.isascii() else (start,) * (len(text) + 1)
        steps.append(expander.text(Argument(text, places), replace(context.at(place), path=path, script="")))
    return Parallel(tuple(steps), ends_others="exit")
