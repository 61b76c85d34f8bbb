"""Scripts of a build with their names, and what the modules among them export to each other."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from forensics.facts.dom_code import Script
from forensics.facts.inventory import scripts_of
from forensics.syntax import ir

if TYPE_CHECKING:
    from forensics.facts import Facts

MAX_REEXPORTS = 6


class ScriptModules:
    """Every script of a build, read for its names when first asked for."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.sources = scripts_of(facts.build, facts.files)
        self._scripts: dict[int, Script] = {}
        self._indexes = {id(script): index for index, (_, script) in enumerate(self.sources)}
        self._by_path: dict[str, list[int]] = defaultdict(list)
        for index, (path, _) in enumerate(self.sources):
            self._by_path[path].append(index)
        self._targets: dict[tuple[str, str], str] = {}

    def script(self, index: int) -> Script:
        """The script of that number in `sources`."""
        if index not in self._scripts:
            path, source = self.sources[index]
            script = Script(path, source, index)
            script.foreign = lambda specifier, name: self.exported(path, specifier, name)
            self._scripts[index] = script
        return self._scripts[index]

    def of(self, path: str, source: ir.Script) -> Script:
        """The script of a piece of IR."""
        index = self._indexes.get(id(source))
        return self.script(index) if index is not None else Script(path, source)

    def target(self, importer: str, specifier: str) -> str:
        """The file that a specifier leads to, "" where it leads to none of the build."""
        key = (importer, specifier)
        if key not in self._targets:
            resolver = self.facts.bundled.get(importer, self.facts.resolver)
            resolved = resolver.resolve(specifier, importer)
            self._targets[key] = resolved.target if resolved.kind in ("module", "asset") else ""
        return self._targets[key]

    def exported(
        self, importer: str, specifier: str, name: str, steps: int = MAX_REEXPORTS
    ) -> tuple[Script, ir.Expression] | None:
        """What an imported name stands for in the module that it comes from."""
        target = self.target(importer, specifier)
        if steps <= 0:
            return None
        for index in self._by_path.get(target, ()):
            for statement in self.sources[index][1].body:
                found = self._statement(self.script(index), statement, name, steps)
                if found is not None:
                    return found
        return None

    def _statement(
        self, script: Script, statement: ir.Statement, name: str, steps: int
    ) -> tuple[Script, ir.Expression] | None:
        if isinstance(statement, ir.ExportDefault) and name == "default":
            value = statement.value
            return self.local(script, value.name) if isinstance(value, ir.Name) else (script, value)
        if isinstance(statement, ir.ExportDeclaration):
            return self.local(script, name) if name != "default" else None
        if not isinstance(statement, ir.Export):
            return None
        for binding in statement.bindings:
            is_all = binding.exported == "*" and bool(statement.specifier)
            if binding.exported != name and not is_all:
                continue
            if statement.specifier:
                inner = name if is_all else binding.local
                found = self.exported(script.path, statement.specifier, inner, steps - 1)
                if found is not None:
                    return found
            else:
                return self.local(script, binding.local)
        return None

    def local(self, script: Script, name: str) -> tuple[Script, ir.Expression] | None:
        """What a name of a module's top level stands for, where that is one thing."""
        if name in script.functions:
            return script, script.functions[name]
        declared = [item for item in script.names.get(name, ()) if item.scope[0] < 0]
        if len(declared) == 1 and declared[0].value is not None:
            return script, declared[0].value
        if not declared and name in script.imports:
            return self.exported(script.path, *script.imports[name])
        return None
