"""The tag of a side: every query's bit is its own filter, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.plan.graph import Json
from funshare_flink.plan.tagging import WORD_BITS, SideFilter, make_tag, side_filter
from tests.strategies import BASE, Row, by_code_point, by_utf16, call, conditions, lit, ref, rows, tagged, truth

VECTORS = Path(__file__).parents[2] / "jobs/kernel/src/test/resources/vectors.json"
SIZES = (1, 2, 63, 64, 65, 130)


@st.composite
def filters_by_bit(draw: st.DrawFn) -> dict[int, list[Json]]:
    """Queries with fixed bits, which leave gaps; many queries take their filters from a few."""
    size = draw(st.sampled_from(SIZES))
    pool = draw(st.lists(st.lists(conditions(), max_size=3), min_size=1, max_size=4))
    gap = draw(st.integers(1, 3))
    return {q * gap: pool[q % len(pool)] for q in range(size)}


@settings(max_examples=60, deadline=None)
@given(filters_by_bit(), st.lists(rows(), min_size=1, max_size=5), st.sampled_from([by_code_point, by_utf16]))
def test_a_bit_is_its_querys_filter(filters: dict[int, list[Json]], data: list[Row], text_key: Any) -> None:
    words = max(filters) // WORD_BITS + 1
    tag = make_tag({bit: side_filter(f, BASE) for bit, f in filters.items()}, BASE, words)
    if tag is None:
        assert not any(filters.values())
        return
    spec = json.loads(tag.spec)
    assert -(-spec["queries"] // WORD_BITS) == words
    for row in data:
        found = tagged(spec, [truth(a, row, text_key) for a in tag.arguments], text_key)
        wanted = {b for b, f in filters.items() if all(truth(c, row, text_key) is True for c in f)}
        assert found == wanted  # a bit of no query is never set


@settings(max_examples=40, deadline=None)
@given(filters_by_bit(), st.randoms(use_true_random=False))
def test_the_order_of_the_queries_does_not_matter(filters: dict[int, list[Json]], chance: Any) -> None:
    shuffled = list(filters.items())
    chance.shuffle(shuffled)
    words = max(filters) // WORD_BITS + 1
    tags = [make_tag({b: side_filter(f, BASE) for b, f in some}, BASE, words) for some in (filters.items(), shuffled)]
    assert tags[0] == tags[1]


@settings(max_examples=60, deadline=None)
@given(st.lists(conditions(), min_size=1, max_size=4), rows())
def test_no_condition_is_lost_when_one_of_them_may_throw(filters: list[Json], row: Row) -> None:
    """`b / 0 > 1` may throw: then the whole conjunction is one predicate in its own order, guards first."""
    risky = call(">", call("/", ref(1), ref(0)), lit(1, 1))
    found = side_filter([*filters, risky], BASE)
    assert found.by_column == {}
    (whole,) = found.opaque
    terms = whole["operands"]
    assert [*filters, risky] == terms
    assert side_filter(filters, BASE) == side_filter(tuple(filters), BASE)


def test_equal_filters_are_stored_once() -> None:
    indexed, opaque = call("<", ref(0), lit(0, 3)), call("<", ref(0), ref(1))
    tag = make_tag({b: side_filter([indexed, opaque], BASE) for b in (0, 3, 5)}, BASE, 1)
    assert tag is not None
    assert json.loads(tag.spec) == {
        "v": 1,
        "queries": 6,
        "columns": [
            {"type": "INT64", "sets": [{"bits": [0, 3, 5], "ranges": [[None, False, 3, False]], "nulls": False}]}
        ],
        "opaque": [[0, 3, 5], [1, 2, 4]],
    }
    assert tag.arguments[:2] == (ref(0), opaque)
    assert tag.arguments[2]["value"] is False  # for the bits of no query


def test_two_conditions_on_one_column_meet() -> None:
    found = side_filter([call(">", ref(0), lit(0, 1)), call("<=", ref(0), lit(0, 4))], BASE)
    assert list(found.by_column) == [0]
    (only,) = found.by_column[0].ranges
    assert (only.low, only.low_closed, only.high, only.high_closed) == (1, False, 4, True)


def test_a_field_of_a_row_may_stand_beside_a_condition_that_may_throw() -> None:
    """Flink writes no type for a field access."""
    flag: Json = {"kind": "FIELD_ACCESS", "name": "flag", "expr": ref(0)}
    found = side_filter([flag, call("/", ref(0), lit(0, 2))], BASE)
    assert [p["operands"][0] for p in found.opaque] == [flag]


def test_no_filter_no_tag() -> None:
    nothing = SideFilter({}, ())
    assert nothing.is_empty
    assert make_tag({0: nothing, 64: nothing}, BASE, 2) is None


@pytest.mark.parametrize("vector", json.loads(VECTORS.read_text())["vectors"], ids=lambda v: v["name"])
def test_the_kernels_vectors_hold_for_this_evaluator(vector: Json) -> None:
    for row in vector["rows"]:
        found = tagged(vector["spec"], [*row["columns"], *row["opaque"]], by_utf16)
        assert sorted(found) == row["bits"], row
