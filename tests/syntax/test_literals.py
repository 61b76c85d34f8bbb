from __future__ import annotations

import pytest

from forensics.syntax.literals import (
    bigint_digits,
    cooked,
    cooked_template,
    jsx_text,
    number_value,
    with_entities_decoded,
    without_lone_surrogates,
)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("plain", "plain"),
        (r"\n\t\r\b\f\v\'\"\\", "\n\t\r\b\f\v'\"\\"),
        (r"\x41\u0042\u{43}\u{1F600}", "ABC\U0001f600"),
        (r"\0", "\0"),
        (r"\07\101\377\400", "\x07A\xff\x200"),
        ("a\\\nb\\\r\nc\\\u2028d", "abcd"),
        (r"\q\$\`", "q$`"),
        (r"\ud83d\ude00", "\U0001f600"),
        (r"\ud83d", "\ufffd"),
        (r"\ude00\ud83d", "\ufffd\ufffd"),
        (r"\u{110000}", "\ufffd"),
        ("\\", ""),
    ],
)
def test_strings_are_cooked_as_javascript_does(raw: str, value: str) -> None:
    assert cooked(raw) == value


def test_line_ends_of_templates_are_line_feeds() -> None:
    assert cooked_template("a\r\nb\rc\\\r\nd") == "a\nb\ncd"


def test_surrogate_pairs_are_joined() -> None:
    assert without_lone_surrogates("a\ud83d\ude00b\ud83d") == "a\U0001f600b\ufffd"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("1_000", 1000),
        ("0xFF", 255),
        ("0B11", 3),
        ("0o17", 15),
        ("017", 15),
        ("089", 89),
        ("5.", 5),
        (".5", 0.5),
        ("1e3", 1000),
        ("1E-2", 0.01),
        ("9007199254740993", 9007199254740992),
        ("0x20000000000001", 9007199254740992),
        ("1e21", 1e21),
        ("1e999", float("inf")),
        ("0x" + "f" * 400, float("inf")),
    ],
)
def test_numbers_are_doubles(text: str, value: float) -> None:
    assert number_value(text) == value


def test_integral_numbers_are_integers_as_far_as_messagepack_takes_them() -> None:
    assert isinstance(number_value("2.0"), int)
    assert isinstance(number_value("4611686018427387904"), int)
    assert isinstance(number_value("18446744073709551616"), float)


@pytest.mark.parametrize(
    ("text", "digits"),
    [("0n", "0"), ("1_000n", "1000"), ("0xffn", "255"), ("0b11n", "3"), ("9" * 5000 + "n", "9" * 5000)],
)
def test_digits_of_big_integers(text: str, digits: str) -> None:
    assert bigint_digits(text) == digits


def test_digits_of_a_very_long_hexadecimal_integer() -> None:
    digits = bigint_digits("0x1" + "0" * 4000 + "n")  # 16 ** 4000 = 2 ** 16000
    assert len(digits) == 4817
    assert int(digits[-9:]) == pow(2, 16000, 10**9)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("a &amp; b &lt;c&gt;", "a & b <c>"),
        ("&#39;&#x27;&apos;&nbsp;&copy;", "'''\xa0\xa9"),
        ("&#128172;", "\U0001f4ac"),
        ("R&D &foo; &amp", "R&D &foo; &amp"),
        ("&#xD800;", "\ufffd"),
        ("&#99999999999999999999999;", "&#99999999999999999999999;"),
    ],
)
def test_character_references(raw: str, text: str) -> None:
    assert with_entities_decoded(raw) == text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("  a  ", "  a  "),
        ("\n  a\n", "a"),
        ("a\n  b  \n\n  c", "a b c"),
        ("\n \t\n", ""),
        ("  a\n", "  a"),
        ("\n&nbsp;a\r\n", "\xa0a"),
    ],
)
def test_white_space_of_elements_folds_as_in_jsx(raw: str, text: str) -> None:
    assert jsx_text(raw) == text
