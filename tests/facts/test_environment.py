"""The expected values were given by dotenv 17.4, by `util.parseEnv` of Node 24.21 and by `loadEnv` of Vite 8.4."""

from __future__ import annotations

import pytest

from forensics.build import Build, FileEntry
from forensics.facts.environment import Syntax, expand, load_env, parse_dotenv, read_dotenv


@pytest.mark.parametrize(
    ("text", "as_dotenv", "as_node"),
    [
        ("A=1\nB = 2 # two\n#C=3\nexport D=4", {"A": "1", "B": "2", "D": "4"}, {"A": "1", "B": "2", "D": "4"}),
        ("COLOR=#fff\nA='a#b'", {"COLOR": "", "A": "a#b"}, {"COLOR": "", "A": "a#b"}),
        ("A=\"x\\ny\"\nB='x\\ny'", {"A": "x\ny", "B": "x\\ny"}, {"A": "x\ny", "B": "x\\ny"}),
        ('A="two\nlines"\nB=`c`', {"A": "two\nlines", "B": "c"}, {"A": "two\nlines", "B": "c"}),
        ("A='it\nB=2", {"A": "'it", "B": "2"}, {"A": "'it", "B": "2"}),
        ("A\nB=\n\nC=3", {"B": "", "C": "3"}, {"B": "", "C": "3"}),
        ("H: 4\nG=5", {"H": "4", "G": "5"}, {"G": "5"}),
        ("A= \nB=2", {"A": "", "B": "2"}, {"A": "B=2"}),
        ("A=1\r\nB=a b  ", {"A": "1", "B": "a b"}, {"A": "1", "B": "a b"}),
        ("A=1\nA=2", {"A": "2"}, {"A": "2"}),
        ("", {}, {}),
    ],
)
def test_the_two_readers(text: str, as_dotenv: dict[str, str], as_node: dict[str, str]) -> None:
    assert parse_dotenv(text) == as_dotenv
    assert parse_dotenv(text, "node") == as_node


@pytest.mark.parametrize(
    ("values", "environment", "expanded"),
    [
        ({"A": "1", "B": "$A-${A}"}, {}, {"A": "1", "B": "1-1"}),
        ({"B": "${A}", "A": "1"}, {}, {"B": "1", "A": "1"}),
        ({"A": "${Z:-d}", "B": "${Z-e}", "C": "\\$Z"}, {}, {"A": "d", "B": "e", "C": "$Z"}),
        ({"A": "1", "B": "$A"}, {"A": "env"}, {"A": "env", "B": "env"}),
        ({"A": "$A"}, {}, {"A": ""}),
        ({"A": "100$", "B": "a$b"}, {}, {"A": "100$", "B": "a"}),
    ],
)
def test_references(values: dict[str, str], environment: dict[str, str], expanded: dict[str, str]) -> None:
    assert expand(values, environment) == expanded


@pytest.mark.parametrize("values", [{"A": "${B}x", "B": "${A}y"}, {"A": "$A$A"}, {"A": "${B:-${A}}" * 50}])
def test_references_in_circles_end(values: dict[str, str]) -> None:
    assert set(expand(values, {})) == set(values)


def build_of(files: dict[str, str]) -> Build:
    entries = [FileEntry(path=path, size=len(text)) for path, text in files.items()]
    return Build("app", {}, entries, lambda path: files[path].encode())


def test_vite_reads_the_files_of_the_mode_and_keeps_names_with_the_prefix() -> None:
    pytest.importorskip("forensics.facts.node_host")
    from forensics.facts.node_host import absolute

    build = build_of(
        {
            "web/.env": "VITE_A=1\nVITE_B=$PORT\nPORT=3000\nVITE_C=c",
            "web/.env.local": "VITE_A=2",
            "web/.env.development": "VITE_A=3\nVITE_D=d",
            "web/.env.production": "VITE_A=9",
            ".env": "VITE_X=not read",
        }
    )
    folder = absolute("web")
    assert load_env(build, "development", folder, ("VITE_",)) == {
        "VITE_A": "3",
        "VITE_B": "3000",
        "VITE_C": "c",
        "VITE_D": "d",
    }
    shell = {"VITE_C": "shell", "VITE_E": "e", "OTHER": "o"}
    assert load_env(build, "production", folder, ("VITE_C", "VITE_E"), shell) == {"VITE_C": "shell", "VITE_E": "e"}
    assert load_env(build, "production", folder, ("",))["PORT"] == "3000"


def test_a_file_that_is_not_there() -> None:
    assert read_dotenv(build_of({}), ".env") is None


@pytest.mark.parametrize("syntax", ["dotenv", "node"])
@pytest.mark.parametrize(
    "text",
    [
        "A='" + "\\'" * 20_000,
        "A" + " " * 50_000 + "=" + " " * 50_000,
        "=" * 50_000,
        "\n" * 90_000,
        'A="' + "x\n" * 30_000,
    ],
)
def test_hostile_files_take_no_time(text: str, syntax: Syntax) -> None:
    parse_dotenv(text, syntax)
