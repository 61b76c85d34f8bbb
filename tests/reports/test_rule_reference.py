"""The rule reference and `explain`, as they are read."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from forensics.records import Rule
from reports.rule_examples import examples_folder
from reports.rule_reference import print_rule, write_rule_reference
from scanners.registry import RULES

ENTRY = """\
## `datadir/missing-parent`

The store's parent folder is missing and nothing creates it

| severity | scanner | since |
|---|---|---|
| error | datadir | 0.1.0 |

### Why it fails

PGlite makes only the last component of its path; a missing parent is ENOENT and the process dies.

### How to mend it

Create the folder first: `mkdirSync(dirname(dataDir), { recursive: true })`.

### What it can't see

Folders that a deployment platform mounts.

### On whose word

- PGlite 0.2.17, run

### Fails

Nothing makes `state/`.

<details><summary>The 2 files of <code>failing-wall</code></summary>

`README.md`

````markdown
```sh
npm start
```
````

`server.js`

```js
new PGlite('state/pg')
```

</details>

### Works: near misses that are not reported

- near-miss-made
"""

PRINTED = """\
datadir/missing-parent  error
  The store's parent folder is missing and nothing creates it

  Why it fails
    PGlite makes only the last component of its path; a missing parent is ENOENT and the process dies.

  How to mend it
    Create the folder first: `mkdirSync(dirname(dataDir), { recursive: true })`.

  What it can't see
    Folders that a deployment platform mounts.

  On whose word
    PGlite 0.2.17, run

  Fails: Nothing makes `state/`.
    README.md
      1 | ```sh
      2 | npm start
      3 | ```
    server.js
      1 | new PGlite('state/pg')

  Works, a near miss: near-miss-made
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "datadir" / "missing-parent"
    for name, call in (("failing-wall", "new PGlite('state/pg')"), ("near-miss-made", "mkdirSync('state')")):
        (place / name).mkdir(parents=True)
        (place / name / "server.js").write_text(call + "\n")
    (place / "failing-wall" / "README.md").write_text("```sh\nnpm start\n```\n")
    (place / "failing-wall.toml").write_text('summary = "Nothing makes `state/`."\n')
    return tmp_path


def test_an_entry_of_the_reference(rules: dict[str, Rule], folder: Path) -> None:
    assert ENTRY in write_rule_reference(rules, folder)


def test_the_reference_opens_with_a_table_of_each_scanner(rules: dict[str, Rule], folder: Path) -> None:
    reference = write_rule_reference(rules, folder)
    row = "| [`wiring/proxy-not-loaded`](#wiringproxy-not-loaded) | error | The dev command starts Vite in a folder"
    assert row in reference
    assert reference.index("## wiring\n") < reference.index("## datadir\n") < reference.index("## `wiring/")


def test_explain_in_a_pipe(rules: dict[str, Rule], folder: Path) -> None:
    stream = io.StringIO()
    print_rule(rules["datadir/missing-parent"], Console(file=stream), folder)
    assert stream.getvalue() == PRINTED


def test_explain_on_a_terminal_stays_within_its_width(rules: dict[str, Rule], folder: Path) -> None:
    stream = io.StringIO()
    print_rule(
        rules["datadir/missing-parent"], Console(file=stream, force_terminal=True, width=50, no_color=True), folder
    )
    assert all(len(line) <= 50 for line in stream.getvalue().splitlines() if "\x1b" not in line)


def test_the_published_reference_is_what_the_rules_say() -> None:
    published = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    assert published == write_rule_reference(RULES, examples_folder()), "run: python -m reports.rule_reference"
