"""Tables as a user sees them: in a pipe, on a terminal, on a narrow one, with hostile names."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pandas as pd
import pytest

from forensics.cli.frames import number, p_value, percent, say, show, write_csv
from forensics.records import InputError

FRAME = pd.DataFrame(
    {"contrast": ["P1", "P2"], "effect": [12.257, None], "n": [168, 384], "reason": [None, "no  such\narm"]}
)


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")


def test_a_pipe_gets_aligned_plain_columns(capsys: pytest.CaptureFixture[str]) -> None:
    show(FRAME, "Contrasts", {"effect": number(2, sign=True)})
    assert capsys.readouterr().out == (
        "Contrasts\ncontrast  effect    n  reason\nP1        +12.26  168  –\nP2             –  384  no such arm\n\n"
    )


def test_a_terminal_gets_a_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_terminal(monkeypatch, 80)
    show(FRAME, "Contrasts", {"effect": number(2, sign=True)})
    shown = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert "P1        +12.26  168  –" in re.sub(r" +\n", "\n", shown)


def test_a_narrow_terminal_gets_the_columns_in_parts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_a_terminal(monkeypatch, 40)
    wide = pd.DataFrame({"model": ["a", "b"], **{f"column{k}": [k, 100 * k] for k in range(8)}})
    show(wide)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert max(len(line) for line in shown.splitlines()) <= 40
    assert len(re.findall(r"^model ", shown, flags=re.MULTILINE)) == 3
    for k in range(8):
        assert f"column{k}" in shown


def test_what_a_build_wrote_can_t_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show(pd.DataFrame({"bui\x1b[31mld": ["app\x1b]0;owned\x07", "a\u202eb"]}))
    say("t\x1b[2J: gone")
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "app\\u{1b}]0;owned\\u{7}" in out


def test_formats() -> None:
    assert [p_value(p) for p in (0.00001, 0.0413, 1.0)] == ["<.0001", ".0413", "1.0000"]
    assert percent(0.8646) == "86.5%"
    assert number(1)(-0.04) == "-0.0"


def test_csv_holds_floats_in_full(tmp_path: Path) -> None:
    paths = write_csv({"a": pd.DataFrame({"x": [0.1 + 0.2]})}, tmp_path / "out")
    assert paths[0].read_text("utf-8") == "x\n0.30000000000000004\n"
    assert write_csv({"table-../../up": FRAME}, tmp_path / "out") == [tmp_path / "out" / "table-..-..-up.csv"]
    blocked = tmp_path / "file"
    blocked.write_text("", "utf-8")
    with pytest.raises(InputError, match="can't be written"):
        write_csv({"a": FRAME}, blocked)
