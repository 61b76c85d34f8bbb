"""A shape is the same for code that differs in format only."""

from __future__ import annotations

from forensics.syntax.javascript import lower_script
from forensics.syntax.shape import shape_of


def shape(source: str) -> str:
    return shape_of(lower_script(source.encode(), "javascript").body)


def test_format_does_not_change_it() -> None:
    assert shape("const a = [1, 'x'];\n// why\nif (a) { go(a) }") == shape(
        'const a=[\n  1,\n  "x",\n]\nif ((a)) {\n  go(a);\n}\n'
    )
    assert shape("import { a } from './a.js'") == shape('import {a} from "./a.js";')


def test_anything_else_does() -> None:
    plain = shape("const a = 1")
    assert plain != shape("let a = 1")
    assert plain != shape("const a = 2")
    assert plain != shape("const b = 1")
    assert plain != shape("const a = 1; go()")
    assert shape("f([1], [2])") != shape("f([1, 2], [])")
