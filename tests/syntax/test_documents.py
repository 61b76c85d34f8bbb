from __future__ import annotations

import json

import msgspec
import pytest

from forensics.syntax.documents import lower_document
from forensics.syntax.ir import Document


def test_positions_name_every_value_by_json_pointer() -> None:
    source = '\ufeff{"é": [1, {"b": null}], "a/~": "x,:{", "e": []}'.encode()
    document = lower_document(source, "strict")
    assert document.value == {"é": [1, {"b": None}], "a/~": "x,:{", "e": []}
    spans = {
        p.pointer: (source[p.start : p.end].decode(), source[p.key_start : p.key_end].decode())
        for p in document.positions
    }
    assert spans["/é"] == ('[1, {"b": null}]', '"é"')
    assert spans["/é/0"] == ("1", "")
    assert spans["/é/1/b"] == ("null", '"b"')
    assert spans["/a~1~0"] == ('"x,:{"', '"a/~"')
    assert spans["/e"] == ("[]", '"e"')
    assert spans[""][0].startswith("{")


# Each was given to Node 20's JSON.parse.
@pytest.mark.parametrize(
    "source",
    ['{"a": NaN}', '{"a": 1,}', '{"a": "\n"}', "", "// c\n{}", "{a: 1}", "{'a': 1}", '["\\x"]', "[01]", "[1.]"],
)
def test_what_json_parse_refuses_is_an_error(source: str) -> None:
    document = lower_document(source.encode(), "strict")
    assert document.error
    assert document.value is None


def test_the_last_of_two_equal_keys_counts() -> None:
    assert lower_document(b'{"a": 1, "a": 2}', "strict").value == {"a": 2}


def test_the_error_is_placed_in_bytes() -> None:
    assert lower_document('{"é": 1 "b"}'.encode(), "strict").error_at == 9
    assert lower_document(b'{"NaN": 1, "a": NaN}', "strict").error_at == 16


def test_comments_and_trailing_commas_where_they_are_allowed() -> None:
    source = b'// c\n{"a": 1, /* x, ] */ "b": ["//", "/*",],}'
    document = lower_document(source, "comments")
    assert document.value == {"a": 1, "b": ["//", "/*"]}
    assert [source[p.start : p.end] for p in document.positions if p.pointer == "/b/1"] == [b'"/*"']


@pytest.mark.parametrize(
    "source", [b"[" * 5000, b"\xff\xfe{", b'{"a": 1e999}', b'{"a": ' + b"9" * 5000 + b"}", b'"\\ud800"']
)
def test_hostile_documents_can_be_cached(source: bytes) -> None:
    document = lower_document(source, "strict")
    encoded = msgspec.msgpack.encode(document)
    assert msgspec.msgpack.decode(encoded, type=Document) == document


def test_a_valid_document_agrees_with_the_json_module() -> None:
    value = {"scripts": {"a b": "c", "": "d"}, "list": [[], {}, [1.5, -2, True]], "é": '"\\\u2028'}
    source = json.dumps(value, ensure_ascii=False).encode()
    document = lower_document(source, "strict")
    assert document.value == value
    for position in document.positions:
        part: object = value
        for token in position.pointer.split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            part = part[int(key)] if isinstance(part, list) else part[key]  # type: ignore[index]
        assert json.loads(source[position.start : position.end]) == part
