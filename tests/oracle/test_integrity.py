"""Every integrity example, started for real: what stops it is what its rule says, and near misses work."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.expectations import EXAMPLES, Example, examples
from tests.oracle.conftest import unavailable
from tests.oracle.observing import Observation
from tests.oracle.shelves import PackagesError, installed
from tests.oracle.trouble import trouble

pytestmark = pytest.mark.oracle

# What Node, npm or Vite says, by rule. Several messages: one for each runtime that can meet the defect.
SYMPTOMS = {
    "integrity/case-mismatch": r"Failed to resolve import|ERR_MODULE_NOT_FOUND",
    "integrity/edit-residue": r"SyntaxError: Unexpected token '<<'",
    "integrity/html-missing-file": r"^404 |Failed to load url",
    "integrity/missing-export": r"does not provide an export named",
    "integrity/missing-script-target": r"Cannot find module|Missing script:",
    "integrity/module-format-clash": r"Cannot use import statement outside a module|ReferenceError: require is not defined",
    "integrity/syntax-error": r"has already been declared|^500 ",
    "integrity/undeclared-dependency": r"ERR_MODULE_NOT_FOUND",
    "integrity/unresolved-import": r"ERR_MODULE_NOT_FOUND|Failed to resolve import",
}
# esbuild is a parser of its own for JavaScript, JSX and TypeScript; Vite transforms with it.
TRANSFORM = """
const { transform } = require(process.argv[1])
const { readFileSync } = require('node:fs')
const refused = []
Promise.all(JSON.parse(readFileSync(0, 'utf8')).map((file) =>
  transform(readFileSync(file, 'utf8'), { loader: file.split('.').pop().replace(/^[cm]/, ''), logLevel: 'silent' })
    .catch(() => refused.push(file)))).then(() => console.log(JSON.stringify(refused)))
"""


@pytest.mark.parametrize("example", examples("integrity"), ids=lambda example: example.name)
def test_started_for_real_it_behaves_as_expected(
    example: Example, observed: Callable[[Example], list[Observation]]
) -> None:
    lines = [line for seen in observed(example) for line in trouble(example, seen)]
    if example.verdicts["integrity"] == "OK":
        assert lines == []
    else:
        assert any(re.search(SYMPTOMS[example.rule], line, re.M) for line in lines), lines


def test_esbuild_refuses_the_files_that_can_not_be_parsed_and_no_other() -> None:
    """Over the scripts of every example tree of every scanner, in one process."""
    try:
        esbuild = installed("vite-5") / "esbuild"
    except PackagesError as problem:
        unavailable(str(problem))
        raise
    wanted = {
        (example.folder / finding.path).resolve()
        for example in examples()
        for finding in example.findings
        if finding.rule == "integrity/syntax-error"
        or (finding.rule == "integrity/edit-residue" and example.verdicts.get("integrity") == "CORRUPT")
    }
    endings = {".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx"}
    files = [str(path.resolve()) for path in sorted(EXAMPLES.rglob("*")) if path.suffix in endings and path.is_file()]
    result = subprocess.run(
        ["node", "-e", TRANSFORM, str(esbuild)], input=json.dumps(files), capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    assert {Path(path) for path in json.loads(result.stdout)} == wanted
