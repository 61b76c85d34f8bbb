"""Signatures and comparisons as a page of their own: one file, no network, no JavaScript, tables as text.

Names come from archives and CSVs and are hostile text: everything is escaped, and characters that can't be seen are
written out. The Content-Security-Policy admits this page's own style by its SHA-256 and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape

from forensics.statistics.analysis import Analysis
from forensics.statistics.distance import Comparison
from reports.hostile_text import encodable, one_line
from reports.html import StatisticsPart
from reports.signature_parts import comparison_parts, signature_parts

STYLE = """
:root{color-scheme:light dark;--ink:#211f1b;--paper:#fffefb;--hair:#d8d2c6;--muted:#5f594f}
@media(prefers-color-scheme:dark){:root{--ink:#ebe6dc;--paper:#1d1c19;--hair:#45413a;--muted:#ada698}}
body{margin:2rem auto;padding:0 1.5rem;max-width:80rem;color:var(--ink);background:var(--paper);
font:1rem/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{font-size:1.6rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}
.note,figcaption{color:var(--muted);font-size:.88rem;max-width:60rem}
figure{margin:1rem 0}svg{max-width:100%;height:auto}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.25rem .7rem .25rem 0;vertical-align:top;border-bottom:1px solid var(--hair)}
thead th{border-bottom:2px solid var(--hair);white-space:nowrap}
td.number,th.number{text-align:right}
@media print{body{max-width:none;margin:0}figure,tr{break-inside:avoid}}
"""


def signatures_page(analysis: Analysis, comparison: Comparison | None = None) -> bytes:
    """The page of `forensics signatures --html`, UTF-8. `comparison`: of the first label's groups, for the heat map."""
    by = " and ".join(analysis.by)
    within = f", within {' × '.join(analysis.within)}" if analysis.within else ""
    lead = f"{analysis.builds:,} builds of {analysis.source}, by {by}{within}."
    made = f"Input SHA-256 {analysis.digest or 'not known'}; seed {analysis.seed}; {analysis.versions}."
    return page(f"Signatures by {by}", [lead, *analysis.statements, made], signature_parts(analysis, comparison))


def comparison_page(
    comparison: Comparison, by: str, within: Sequence[str], sets: bool, source: str, seed: int
) -> bytes:
    """The page of `forensics compare --html`, UTF-8."""
    held = f", within {' × '.join(within)}" if within else ""
    title = f"Change of each {by}" if sets else f"Distances between {by}s"
    return page(title, [f"{source}, by {by}{held}; seed {seed}."], comparison_parts(comparison, by, sets))


def page(title: str, lead: Sequence[str], parts: Sequence[StatisticsPart]) -> bytes:
    """A self-contained page: a heading, lead sentences, then the parts with their figures and tables."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    body = [f"<h1>{_text(title)}</h1>", *(f"<p>{_text(sentence)}</p>" for sentence in lead)]
    for part in parts:
        body += _section(part)
    text = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(title)}</title><style>{STYLE}</style></head>\n<body><main>\n"
        + "\n".join(body)
        + "\n</main></body></html>\n"
    )
    return encodable(text).encode("utf-8")


def _section(part: StatisticsPart) -> list[str]:
    lines = [f"<section><h2>{_text(part.title)}</h2>"]
    # The SVG is this tool's own and escaped where it was drawn.
    lines += [f"<figure>{each.svg}<figcaption>{_text(each.caption)}</figcaption></figure>" for each in part.figures]
    if part.rows:
        right = [all(_is_number(row[at]) for row in part.rows) for at in range(len(part.columns))]
        kinds = [' class="number"' if number else "" for number in right]
        head = "".join(
            f'<th scope="col"{kind}>{_text(name)}</th>' for name, kind in zip(part.columns, kinds, strict=True)
        )
        lines.append(f'<div class="scroll" tabindex="0" role="region" aria-label="{_text(part.title)}"><table>')
        lines.append(f"<thead><tr>{head}</tr></thead><tbody>")
        for row in part.rows:
            cells = (f"<td{kind}>{_text(str(value))}</td>" for value, kind in zip(row, kinds, strict=True))
            lines.append(f"<tr>{''.join(cells)}</tr>")
        lines.append("</tbody></table></div>")
    if part.note:
        lines.append(f'<p class="note">{_text(part.note)}</p>')
    return [*lines, "</section>"]


def _is_number(value: object) -> bool:
    return str(value).strip("<.%∞–+-−0123456789 ") == ""


def _text(value: str) -> str:
    return escape(one_line(value))
