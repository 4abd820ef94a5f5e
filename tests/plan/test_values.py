"""Sets of values: algebra against membership, and one normal form for one set."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.plan.values import (
    EVERYTHING,
    NOT_NULL,
    ONLY_NULL,
    Range,
    ValueSet,
    accepts,
    complement_of_points,
    intersect_all,
    intersection,
    point,
    union,
    value_set,
)

KINDS: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-4, 4),
    "text": st.text(alphabet="ab\u00e4\U00010000", max_size=2),
    "decimal": st.sampled_from([Decimal("-1.50"), Decimal("0"), Decimal("0.5"), Decimal("1E+1"), Decimal("1.0")]),
    "bool": st.booleans(),
}


def ranges(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Range]:
    return st.builds(Range, st.none() | values, st.booleans(), st.none() | values, st.booleans())


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Range], list[Range], bool, bool, list[Any]]:
    values = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    a, b = draw(st.lists(ranges(values), max_size=4)), draw(st.lists(ranges(values), max_size=4))
    return a, b, draw(st.booleans()), draw(st.booleans()), draw(st.lists(st.none() | values, min_size=1))


def inside(r: Range, value: Any) -> bool:
    """Membership as the docstring of Range defines it."""
    above = r.low is None or value > r.low or (r.low_closed and value == r.low)
    below = r.high is None or value < r.high or (r.high_closed and value == r.high)
    return above and below


def member(ranges_: list[Range], nulls: bool, value: Any) -> bool:
    return nulls if value is None else any(inside(r, value) for r in ranges_)


@given(cases())
def test_union_and_intersection_are_those_of_the_members(case: tuple[Any, ...]) -> None:
    a, b, a_null, b_null, probes = case
    first, second = value_set(tuple(a), a_null), value_set(tuple(b), b_null)
    for v in probes:
        in_a, in_b = member(a, a_null, v), member(b, b_null, v)
        assert accepts(first, v) == in_a
        assert accepts(union(first, second), v) == (in_a or in_b)
        assert accepts(intersection(first, second), v) == (in_a and in_b)
        assert accepts(intersect_all((first, second, first)), v) == (in_a and in_b)


@given(cases())
def test_the_normal_form_is_sorted_disjoint_and_without_seams(case: tuple[Any, ...]) -> None:
    a, b, *_ = case
    for result in (value_set(tuple(a)), union(ValueSet(tuple(a)), value_set(tuple(b))),
                   intersection(value_set(tuple(a)), value_set(tuple(b)))):  # fmt: skip
        assert not any(r.is_empty() for r in result.ranges)
        for lower, upper in zip(result.ranges, result.ranges[1:], strict=False):
            assert lower.high is not None
            assert upper.low is not None
            assert lower.high <= upper.low  # type: ignore[operator]
            assert lower.high != upper.low or not (lower.high_closed or upper.low_closed)


@given(st.lists(ranges(KINDS["int"]), max_size=4), st.randoms(use_true_random=False))
def test_the_order_in_which_ranges_come_does_not_matter(given_ranges: list[Range], chance: Any) -> None:
    shuffled = list(given_ranges)
    chance.shuffle(shuffled)
    a, b = value_set(tuple(given_ranges)), value_set(tuple(shuffled))
    assert [accepts(a, v) for v in range(-5, 6)] == [accepts(b, v) for v in range(-5, 6)]
    assert len(a.ranges) == len(b.ranges)


@given(st.lists(KINDS["text"], max_size=5), KINDS["text"])
def test_complement_of_points(points: list[str], probe: str) -> None:
    rest = complement_of_points(tuple(points))
    assert accepts(rest, probe) == (probe not in points)
    assert not accepts(rest, None)


def test_the_named_sets() -> None:
    assert [accepts(EVERYTHING, v) for v in (None, 0, "x")] == [True, True, True]
    assert [accepts(NOT_NULL, v) for v in (None, 0)] == [False, True]
    assert [accepts(ONLY_NULL, v) for v in (None, 0)] == [True, False]
    assert intersect_all(()) == EVERYTHING
    assert union(ValueSet((point(1),)), ValueSet((point(1),), nulls=True)) == ValueSet((point(1),), nulls=True)


@pytest.mark.parametrize(
    ("r", "empty"),
    [
        (Range(1, True, 1, True), False), (Range(1, True, 1, False), True), (Range(1, False, 1, True), True),
        (Range(2, True, 1, True), True), (Range(None, False, 1, False), False), (Range(), False),
    ],
)  # fmt: skip
def test_empty_ranges(r: Range, empty: bool) -> None:
    assert r.is_empty() == empty
