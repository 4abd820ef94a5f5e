"""Small pieces of Flink SQL text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Columns = Sequence[tuple[str, str]]
"""Names and SQL types."""


def interval(ms: int) -> str:
    """An interval literal; SECOND alone holds two digits only, so the precision is written when needed.

    >>> interval(20_000), interval(90_500), interval(120_000)
    ("INTERVAL '20' SECOND", "INTERVAL '90.500' SECOND", "INTERVAL '120' SECOND(3)")
    """
    seconds, rest_ms = divmod(ms, 1000)
    number = f"{seconds}.{rest_ms:03d}" if rest_ms else str(seconds)
    digits = len(str(seconds))
    return f"INTERVAL '{number}' SECOND" + (f"({digits})" if digits > 2 else "")


def literal(text: str) -> str:
    """A string literal.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def create_table(name: str, columns: Columns, options: Mapping[str, str], *constraints: str) -> str:
    """A CREATE TABLE statement; constraints are written after the columns (watermark, primary key)."""
    lines = [f"  {column} {sql_type}" for column, sql_type in columns] + [f"  {text}" for text in constraints]
    settings = [f"  {literal(key)} = {literal(value)}" for key, value in options.items()]
    return f"CREATE TABLE {name} (\n" + ",\n".join(lines) + "\n) WITH (\n" + ",\n".join(settings) + "\n);\n"


def script(statements: Sequence[str]) -> str:
    """Statements, each ending in a semicolon and a line end, as one text."""
    return "\n".join(statements)
