"""The start-up trace: what a process does while it starts, by running its entry in the partial evaluator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from forensics.build import Build
from forensics.facts.interpreter import Effect, Interpreter
from forensics.facts.launch_plan import Process
from forensics.facts.node_host import NodeHost
from forensics.facts.resolution import Resolver
from forensics.facts.values import Closure, External, JsObject, Unknown, Value
from forensics.syntax.index import FileIndex


@dataclass(frozen=True)
class Trace:
    """A process and its effects in order. `host` knows the file system as it stands after start-up."""

    process: Process
    interpreter: Interpreter
    host: NodeHost

    @property
    def effects(self) -> list[Effect]:
        return self.interpreter.effects

    def named(self, *names: str) -> list[Effect]:
        """Effects with one of the canonical names."""
        return [effect for effect in self.effects if effect.name in names]


def trace(
    build: Build,
    files: FileIndex,
    resolver: Resolver,
    process: Process,
    environment: Mapping[str, Value],
    read_dotenv: Callable[[str], dict[str, str] | None],
    load_env: Callable[[str, str, tuple[str, ...]], dict[str, str]],
    extra_paths: frozenset[str] = frozenset(),
) -> Trace:
    """Run a Node process's entry (and what it preloads) from its working directory with its environment."""
    position = process.argv.index(process.entry) if process.entry in process.argv else len(process.argv)
    host = NodeHost(
        build,
        files,
        resolver,
        cwd=process.cwd,
        environment=environment,
        argv=process.argv[position + 1 :],
        entry=process.entry,
        read_dotenv=read_dotenv,
        load_env=load_env,
        extra_paths=extra_paths,
    )
    interpreter = Interpreter(host)
    interpreter.run([process.entry] if process.entry else [])
    _run_destinations(interpreter)
    _run_hooks(interpreter)
    return Trace(process, interpreter, host)


DESTINATION = "multer.destination"
"""The effect of a folder that a `destination` function gives multer."""


def _run_destinations(interpreter: Interpreter) -> None:
    """What the `destination` functions of multer's disk storages answer when a file comes in: they are called here with
    a request, a file and a callback whose call is the effect `DESTINATION`."""
    storages = [effect for effect in interpreter.effects if effect.name == "multer.diskStorage"]
    for effect in storages:
        options = effect.arguments[0] if effect.arguments else None
        function = options.properties.get("destination") if isinstance(options, JsObject) else None
        if isinstance(function, Closure):
            interpreter.phase = "request"
            interpreter.call_now(
                function, [Unknown("what a visitor sends"), Unknown("what a visitor sends"), External(DESTINATION)]
            )


def _run_hooks(interpreter: Interpreter) -> None:
    """What Fastify's hooks do on a request, where they were not run yet (https://fastify.dev/docs/latest/Reference/Hooks/)."""
    for effect in [item for item in interpreter.effects if item.name.endswith(".addHook")]:
        hook = effect.arguments[1] if len(effect.arguments) > 1 else None
        inside = f"{effect.name}#"
        if isinstance(hook, Closure) and not any(item.name.startswith(inside) for item in interpreter.effects):
            interpreter.phase = "request"
            interpreter.call_now(hook, [External(f"{inside}0#{place}") for place in range(3)])
