"""Flink's exceptions as one sentence with the user's own line."""

from __future__ import annotations

import pytest

from funshare_flink.flink.flink_errors import first_sentence
from funshare_flink.model.errors import SourceLocation

HERE = SourceLocation("w.sql", 10, 4)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (
            "org.apache.flink.table.api.ValidationException: SQL validation failed. From line 3, column 5 to line 3, "
            "column 9: Column 'x' not found in any table\n\tat a.b(C.java)\nCaused by: org.apache.calcite.runtime."
            "CalciteContextException: From line 3, column 5 to line 3, column 9: Column 'x' not found in any table",
            "Column 'x' not found in any table",
            12,
        ),
        ("org.x.TableException: Cannot do it.\n\tat a.b", "Cannot do it", 10),
        ("plain text", "plain text", 10),
        ("", "ValueError", 10),
        ("org.x.AException: outer\nCaused by: org.x.BException: \nCaused by: org.x.CError: inner.", "inner", 10),
    ],
)
def test_the_innermost_reason_in_one_line(text: str, message: str, line: int) -> None:
    assert first_sentence(ValueError(text), HERE) == (message, SourceLocation("w.sql", line, 4))


def test_a_missing_connector_says_what_to_do() -> None:
    error = ValueError("x.ValidationException: Could not find any factory for identifier 'jdbc' that implements y")
    message, where = first_sentence(error, HERE)
    assert message.startswith("no connector or format 'jdbc' on the class path: put its jar")
    assert where == HERE


def test_a_statement_without_a_line_keeps_its_place() -> None:
    where = SourceLocation("job")
    assert first_sentence(ValueError("a.BException: line 2, column 1: no"), where)[1] == where
