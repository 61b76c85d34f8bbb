"""SQL that fails when it is asked: types that can't be computed with, names no schema defines, foreign placeholders.

Statements are the texts that the code hands to a driver; the schema is every CREATE TABLE among them. Read with sqlglot
in the driver's dialect. Sources: https://www.postgresql.org/docs/current/functions-datetime.html,
https://www.sqlite.org/lang_expr.html#varparam, https://node-postgres.com/features/queries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from forensics.facts import Facts
from forensics.facts.interpreter import Effect
from forensics.facts.startup import Trace
from forensics.facts.values import JsArray, JsObject, Text
from forensics.findings import finding
from forensics.records import Finding, Rule

SQL_TYPE_MISMATCH = Rule(
    id="runtime/sql-type-mismatch",
    severity="error",
    summary="Date arithmetic on a column that is declared as text",
    why="PostgreSQL has no operator for text and interval: the statement fails whenever it is asked.",
    fix="Declare the column as date or timestamptz, or cast it: column::timestamptz.",
    blind_spots="Columns that another statement alters.",
    sources=("https://www.postgresql.org/docs/current/functions-datetime.html",),
)
SQL_UNKNOWN_NAME = Rule(
    id="runtime/sql-unknown-name",
    severity="error",
    summary="A statement names a table that no schema creates",
    why="The driver answers with `relation does not exist` or `no such table` whenever it is asked.",
    fix="Create the table, or correct the name.",
    blind_spots="Tables that a migration outside the code creates.",
    sources=("https://www.postgresql.org/docs/current/errcodes-appendix.html",),
)
SQL_PLACEHOLDER_MISMATCH = Rule(
    id="runtime/sql-placeholder-mismatch",
    severity="error",
    summary="Placeholders that the driver does not know",
    why="PostgreSQL drivers take $1, $2 …; SQLite and MySQL drivers take ?. The other style is a syntax error or binds "
    "nothing.",
    fix="Write the driver's own placeholders.",
    blind_spots="Drivers that are wrapped by code that rewrites the text.",
    sources=("https://node-postgres.com/features/queries", "https://www.sqlite.org/lang_expr.html#varparam"),
)
RULES: tuple[Rule, ...] = (SQL_TYPE_MISMATCH, SQL_UNKNOWN_NAME, SQL_PLACEHOLDER_MISMATCH)

_POSTGRES = re.compile(r"^(new )?(@electric-sql/pglite|pg|postgres|@neondatabase/serverless|@vercel/postgres)\b")
_SQLITE = re.compile(r"^(new )?(better-sqlite3|sqlite3|sqlite|node-sqlite3-wasm|@libsql/client|libsql|bun:sqlite)\b")
_ASKING = ("query", "exec", "prepare", "run", "all", "get", "sql", "execute", "each", "transaction")
_TEXT_TYPES = ("TEXT", "VARCHAR", "CHAR", "CHARACTER VARYING", "NVARCHAR")


@dataclass(frozen=True)
class Statement:
    """One SQL text handed to a driver. `text` has \\x00 for unknown parts."""

    text: str
    dialect: str
    effect: Effect
    parameters: int | None


@dataclass
class Schema:
    """Columns and their types by table, names in lower case. `open` says that tables may exist that it does not hold."""

    tables: dict[str, dict[str, str]] = field(default_factory=dict)
    open: bool = False


def statements(traces: Sequence[Trace]) -> list[Statement]:
    """SQL texts of every trace, each place once."""
    found: dict[tuple[object, str], Statement] = {}
    for trace in traces:
        for effect in trace.effects:
            dialect = "postgres" if _POSTGRES.match(effect.name) else "sqlite" if _SQLITE.match(effect.name) else ""
            method = effect.name.rsplit(".", 1)[-1]
            if not dialect or method not in _ASKING or not effect.arguments:
                continue
            first = effect.arguments[0]
            text = first if isinstance(first, str) else _open_text(first)
            if text is None or not re.search(r"(?i)\b(select|insert|update|delete|create|alter|with)\b", text):
                continue
            given = effect.arguments[1] if len(effect.arguments) > 1 else None
            count = len(given.items) if isinstance(given, JsArray) and given.complete else None
            found.setdefault((effect.site, text), Statement(text, dialect, effect, count))
    return list(found.values())


def _open_text(value: object) -> str | None:
    if isinstance(value, Text):
        return "".join(part if isinstance(part, str) else "\x00" for part in value.parts)
    if isinstance(value, JsObject) and isinstance(value.properties.get("sql"), str):
        return str(value.properties["sql"])
    return None


def findings(facts: Facts, traces: Sequence[Trace]) -> Iterator[Finding]:
    """Findings of every SQL text of the build's processes."""
    asked = statements(traces)
    if not asked:
        return
    schema = _schema(facts, asked)
    for statement in asked:
        yield from _placeholders(facts, statement)
        if "\x00" in statement.text:
            continue
        yield from _types_and_names(facts, statement, schema)


def _parsed(text: str, dialect: str) -> list:  # type: ignore[type-arg]
    import logging

    import sqlglot

    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        return [item for item in sqlglot.parse(text, dialect=dialect) if item is not None]
    except (sqlglot.errors.SqlglotError, RecursionError):
        return []


def _schema(facts: Facts, asked: list[Statement]) -> Schema:
    from sqlglot import exp

    schema = Schema()
    texts = [(statement.text, statement.dialect) for statement in asked]
    dialect = asked[0].dialect
    texts.extend((facts.build.text(path), dialect) for path in facts.build.files if path.endswith(".sql"))
    for text, kind in texts:
        if not re.search(r"(?i)\bcreate\b|\balter\b", text):
            continue
        if "\x00" in text:
            schema.open = True
            continue
        trees = _parsed(text, kind)
        if not trees:
            schema.open = True
        for tree in trees:
            if isinstance(tree, (exp.Command, exp.Alter)):
                schema.open = True
            if not isinstance(tree, exp.Create):
                continue
            table = tree.find(exp.Table)
            if table is None:
                continue
            columns = schema.tables.setdefault(table.name.lower(), {})
            for column in tree.find_all(exp.ColumnDef):
                columns[column.name.lower()] = column.kind.sql().upper() if column.kind is not None else ""
    literal_schemas = [
        text
        for text in facts.inventory.texts
        if re.search(r"(?i)\bcreate\s+(temp\w*\s+|virtual\s+)?(table|view)\b", text)
    ]
    for text in literal_schemas:
        for match in re.finditer(
            r"(?i)\bcreate\s+(?:temp\w*\s+|virtual\s+)?(?:table|view)\s+(?:if\s+not\s+exists\s+)?[\"'`]?([\w.]+)", text
        ):
            schema.tables.setdefault(match[1].lower().split(".")[-1], {})
    return schema


def _types_and_names(facts: Facts, statement: Statement, schema: Schema) -> Iterator[Finding]:
    from sqlglot import exp

    if not schema.tables:
        return
    for tree in _parsed(statement.text, statement.dialect):
        if isinstance(tree, (exp.Create, exp.Drop, exp.Command, exp.Alter, exp.Pragma)):
            continue
        local = {item.alias_or_name.lower() for item in tree.find_all(exp.CTE)}
        tables = [item for item in tree.find_all(exp.Table) if item.name]
        for table in tables:
            name = table.name.lower()
            if schema.open or name in schema.tables or name in local or table.args.get("db") or _is_system(name):
                continue
            if isinstance(table.this, (exp.Anonymous, exp.Func)):
                continue
            known = ", ".join(sorted(schema.tables)) or "none"
            yield finding(
                SQL_UNKNOWN_NAME,
                facts.at_effect(statement.effect),
                f"The statement names the table {table.name}, which no CREATE TABLE of the build makes (known: {known}).",
                key=f"table {name}",
                confidence="medium",
            )
        if statement.dialect == "postgres":
            yield from _date_arithmetic(facts, statement, schema, tree, [table.name.lower() for table in tables])


def _is_system(name: str) -> bool:
    return name.startswith(("sqlite_", "pg_", "pragma_", "json_", "information_schema", "generate_series", "unnest"))


def _date_arithmetic(facts: Facts, statement: Statement, schema: Schema, tree, tables: list[str]) -> Iterator[Finding]:  # type: ignore[no-untyped-def]
    from sqlglot import exp

    for node in tree.find_all(exp.Sub, exp.Add):
        sides = [(node.this, node.expression), (node.expression, node.this)]
        for column, other in sides:
            column = column.unnest()
            if not isinstance(column, exp.Column) or not isinstance(other.unnest(), exp.Interval):
                continue
            kinds = {
                schema.tables[table][column.name.lower()]
                for table in tables
                if column.name.lower() in schema.tables.get(table, {})
            }
            if len(kinds) == 1 and next(iter(kinds)).split("(")[0] in _TEXT_TYPES:
                kind = next(iter(kinds))
                yield finding(
                    SQL_TYPE_MISMATCH,
                    facts.at_effect(statement.effect),
                    f"{node.sql('postgres')} computes with an interval, but {column.name} is declared {kind}: PostgreSQL answers "
                    f"`operator does not exist: {kind.lower()} {'-' if isinstance(node, exp.Sub) else '+'} interval`.",
                    key=f"{column.name} interval",
                    fix=f"Cast it ({column.name}::timestamptz) or declare the column as timestamptz.",
                )


def _placeholders(facts: Facts, statement: Statement) -> Iterator[Finding]:
    text = re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", "''", statement.text, flags=re.DOTALL)
    marks = re.findall(r"(?<![\w?@#<>|&-])\?(?![\w?|&])", text)
    numbered = re.findall(r"\$\d+", text)
    if statement.dialect == "postgres" and marks and not numbered and statement.parameters == len(marks):
        yield finding(
            SQL_PLACEHOLDER_MISMATCH,
            facts.at_effect(statement.effect),
            "The statement marks its values with ?, but a PostgreSQL driver takes $1, $2 …: `syntax error` whenever it is "
            "asked.",
            key="?",
        )
