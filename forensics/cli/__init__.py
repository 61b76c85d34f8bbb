"""The command `forensics`. Each command is a module of its own, imported when it is asked for.

Exit codes: 0 done; 1 a finding at or above --fail-on; 2 usage or unreadable input; 3 coverage was lost for some builds.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

# Name, module and one line for the overview, in the order of a user's work.
COMMANDS: tuple[tuple[str, str], ...] = (
    ("scan", "forensics.cli.scan"),
    ("report", "forensics.cli.report"),
    ("signatures", "forensics.cli.signatures"),
    ("compare", "forensics.cli.compare"),
    ("clusters", "forensics.cli.clusters"),
    ("attribute", "forensics.cli.attribute"),
    ("evaluate", "forensics.cli.evaluate"),
    ("contrasts", "forensics.cli.contrasts"),
    ("agreement", "forensics.cli.agreement"),
    ("verify", "forensics.cli.verify"),
    ("rules", "forensics.cli.rules"),
    ("explain", "forensics.cli.explain"),
    ("demo", "forensics.cli.demo"),
)

USAGE_ERROR = 2


def main() -> None:
    """The console script."""
    # So that what was spooled is removed and the workers are ended, as on an interrupt from the keyboard.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Runs one command and gives its exit code. Bad input costs one line on standard error, never a traceback."""
    import typer

    from forensics.records import InputError

    usage_error: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
    try:
        code = _command()(list(arguments), prog_name="forensics", standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        return _refused(str(error))
    except usage_error as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "forensics"
        message = error.format_message()
        if not message.strip():  # no command at all: the overview has been printed
            return USAGE_ERROR
        return _refused(f"{message.rstrip('.')} (see: {path} --help)")
    except (KeyboardInterrupt, typer.Abort):
        print("forensics: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of a pipe has gone; nothing more can be said, and the flush at exit must not say it either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return code if isinstance(code, int) else 0


def _refused(message: str) -> int:
    line = " ".join(message.split())
    print(f"forensics: {line}".encode(sys.stderr.encoding or "utf-8", "backslashreplace").decode(), file=sys.stderr)
    return USAGE_ERROR


def _command() -> Any:
    import typer
    from typer.core import TyperGroup

    class LazyGroup(TyperGroup):
        """The commands, each imported when it is looked up, so that a scan does not wait for pandas."""

        def list_commands(self, ctx: Any) -> list[str]:
            return [name for name, _ in COMMANDS]

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            module = dict(COMMANDS).get(cmd_name)
            if module is None:
                return None
            single = typer.Typer(add_completion=False)
            single.command(cmd_name)(getattr(import_module(module), cmd_name))
            return typer.main.get_command(single)

    app = typer.Typer(
        cls=LazyGroup,
        add_completion=False,
        no_args_is_help=True,
        help="What is wrong with a shipped web-app build, and whose habits made it, told without running it.",
    )

    def print_version(wanted: bool) -> None:
        if wanted:
            from forensics import __version__

            typer.echo(f"build-forensics {__version__}")
            raise typer.Exit

    @app.callback()
    def options(
        version: bool = typer.Option(
            False, "--version", help="Print the version.", is_eager=True, callback=print_version
        ),
    ) -> None:
        del version  # acted on by its callback, before a command is asked for

    return typer.main.get_command(app)
