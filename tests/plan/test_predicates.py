"""What the index holds of a filter is exactly what the filter means."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.plan.graph import Json
from funshare_flink.plan.predicates import accepted_values, family_of
from funshare_flink.plan.values import accepts
from tests.strategies import BASE, INDEXED, Row, by_code_point, by_utf16, call, conditions, lit, ref, rows, truth


@st.composite
def one_column(draw: st.DrawFn) -> tuple[int, Json]:
    column = draw(st.sampled_from(list(INDEXED)))
    return column, draw(conditions([column]))


@given(one_column(), st.lists(rows(), min_size=1), st.sampled_from([by_code_point, by_utf16]))
def test_the_index_accepts_what_makes_the_filter_true(case: tuple[int, Json], data: list[Row], text_key: Any) -> None:
    column, condition = case
    found = accepted_values(condition, BASE)
    if found is None:
        return
    assert found[0] == column
    for row in data:
        assert accepts(found[1], row[column]) == (truth(condition, row, text_key) is True)


@given(conditions(), st.lists(rows(), min_size=1))
def test_a_filter_over_several_columns_is_held_only_when_it_is_one_columns(condition: Json, data: list[Row]) -> None:
    found = accepted_values(condition, BASE)
    if found is not None:
        for row in data:
            assert accepts(found[1], row[found[0]]) == (truth(condition, row) is True)


@pytest.mark.parametrize(
    "condition",
    [
        call("=", ref(0), lit(0, 3)),
        call("<=", lit(3, "1.5"), ref(3)),
        call("<>", ref(2), lit(2, "a")),
        call("IS NULL", ref(1)),
        ref(4),
        call("OR", call("IS NULL", ref(0)), call("AND", call(">", ref(0), lit(0, 1)), call("<", ref(0), lit(0, 9)))),
    ],
)
def test_the_common_filters_are_in_the_index(condition: Json) -> None:
    assert accepted_values(condition, BASE) is not None


@pytest.mark.parametrize(
    "condition",
    [
        call("=", ref(5), lit(5, 0.5)),  # a DOUBLE has NaN
        call("<", ref(0), ref(1)),
        call("=", ref(0), lit(3, "1.5")),  # an INT against a DECIMAL is compared as DECIMAL
        call("=", ref(0), {**lit(0, 1), "value": None}),
        call("OR", call("=", ref(0), lit(0, 1)), call("=", ref(1), lit(1, 1))),
        call("NOT", ref(4)),
        call("=", call("UPPER", ref(2)), lit(2, "A")),
        call("<", ref(2), lit(2, "\U00010000")),  # Flink has two orders of such strings
        call("=", lit(0, 1), lit(0, 1)),
    ],
)
def test_what_the_index_cannot_hold_is_left_to_flink(condition: Json) -> None:
    assert accepted_values(condition, BASE) is None


def test_families() -> None:
    kinds = ["TINYINT", "VARCHAR(3) NOT NULL", "DECIMAL(38, 18)", "BOOLEAN", "CHAR(3)", "DATE", "DOUBLE", "BYTES"]
    expected = ["INT64", "STRING", "DECIMAL", "BOOLEAN", None, None, None, None]
    assert [family_of(k) for k in kinds] == expected
    assert family_of({"type": "TIMESTAMP_WITHOUT_TIME_ZONE", "kind": "ROWTIME"}) is None
