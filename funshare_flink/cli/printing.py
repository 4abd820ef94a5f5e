"""One way to print: a table for people or one JSON object a line, from the same rows."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

Row = Mapping[str, object]


def print_rows(rows: Iterable[Row], columns: Sequence[str], as_json: bool, title: str = "") -> None:
    """Rows with stable field names. The table shows `columns`; JSON has every field of a row."""
    if as_json:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
        sys.stdout.flush()
        return
    table = Table(title=title or None, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row.get(c))) for c in columns))
    console().print(table)


def console() -> Console:
    """Standard output; wide enough for tables when it is a file or a pipe."""
    return Console(width=None if sys.stdout.isatty() else 200)


def note(text: str) -> None:
    """A line for people that is no result: on standard error, so that JSON on standard output stays JSON."""
    print(text, file=sys.stderr, flush=True)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.1f}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
