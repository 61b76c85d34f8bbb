"""The document that defines every feature, generated from the features themselves."""

from __future__ import annotations

from collections.abc import Mapping

_HEAD = """# Features

What the scanner `idioms` computes for each build, one sentence each. All are deterministic, computed from facts, and
independent of the order of files. Own sources are scripts, components, pages and style sheets outside of
node_modules, build output and vendored folders.

Where a published column of the study differs by construction: its `vite_invocation` read `vite` followed by the *next*
script's first word as positional; its `api_client_style` counts every client with a base-URL constant as `none`.

| feature | definition |
|---|---|
"""


def write_feature_reference(features: Mapping[str, tuple[str, object]]) -> str:
    """Markdown from features by name, each a pair of definition and computation."""
    rows = [f"| `{name}` | {definition.replace('|', chr(92) + '|')} |" for name, (definition, _) in features.items()]
    return _HEAD + "\n".join(rows) + "\n"


def main() -> None:
    """Write docs/idioms.md of the source tree anew."""
    from pathlib import Path

    from scanners.idioms import FEATURES

    target = Path(__file__).parents[1] / "docs" / "idioms.md"
    target.write_text(write_feature_reference(FEATURES), encoding="utf-8")


if __name__ == "__main__":
    main()
