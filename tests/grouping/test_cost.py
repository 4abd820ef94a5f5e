"""GroupingCost: worked examples, the vectorised form against the single one, and what is no decision."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.grouping.cost import Floats, Side, Sides, grouping_cost, merge_costs
from tests.grouping.laws import LAW

loads = st.floats(1.0, 1e9)
sides = st.builds(Side, loads, st.integers(1, 500), st.floats(0.0, 1.0))


def test_worked_by_hand() -> None:
    """(100 - 60) / 100 more work for gj, over (3 + 0.5 * 1) / 4 of the slots."""
    assert grouping_cost(100.0, Side(60.0, 1, 0.5), Side(50.0, 3, 0.2)) == pytest.approx(0.4 / 0.875)
    assert grouping_cost(100.0, Side(50.0, 3, 0.2), Side(60.0, 1, 0.5)) == pytest.approx(0.5 / ((1 + 0.6) / 4))


def test_a_group_that_holds_the_other_bears_nothing() -> None:
    assert grouping_cost(80.0, Side(80.0, 2, 0.0), Side(10.0, 1, 0.0)) == 0.0
    assert grouping_cost(80.0, Side(10.0, 1, 0.0), Side(80.0, 2, 0.0)) == pytest.approx(0.875 / (2 / 3))


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, -math.inf])
def test_a_load_that_says_nothing_is_no_decision_and_not_free(bad: float) -> None:
    good = Side(100.0, 1, 0.0)
    for union, one, two in (
        (bad, good, good),
        (150.0, replace(good, load_us_ps=bad), good),
        (150.0, good, replace(good, load_us_ps=bad)),
    ):
        assert math.isnan(grouping_cost(union, one, two))
        assert np.isnan(vector(union, one, two)).all()


def test_a_union_lighter_than_a_side_contradicts_itself() -> None:
    assert math.isnan(grouping_cost(99.0, Side(100.0, 1, 0.0), Side(50.0, 1, 0.0)))
    assert math.isnan(grouping_cost(99.0, Side(50.0, 1, 0.0), Side(100.0, 1, 0.0)))
    assert grouping_cost(100.0 * (1 - 1e-7), Side(100.0, 1, 0.0), Side(50.0, 1, 0.0)) == pytest.approx(0.0, abs=1e-6)


def test_idle_that_is_no_number_is_no_decision() -> None:
    assert math.isnan(grouping_cost(150.0, Side(100.0, 1, math.nan), Side(100.0, 1, 0.0)))


def vector(union: float, one: Side, two: Side) -> Floats:
    each = Sides(*(np.array([v, v], dtype=float) for v in (two.load_us_ps, two.slots, two.idle)))
    return merge_costs(np.array([union, union]), Sides(one.load_us_ps, float(one.slots), one.idle), each)


@LAW
@given(sides, sides, st.floats(1.0, 2.0))
def test_many_at_once_are_the_larger_of_both_directions(one: Side, two: Side, growth: float) -> None:
    union = max(one.load_us_ps, two.load_us_ps) * growth
    both = max(grouping_cost(union, one, two), grouping_cost(union, two, one))
    assert vector(union, one, two) == pytest.approx([both, both], rel=1e-9)
    assert vector(union, two, one) == pytest.approx([both, both], rel=1e-9)
    assert 0.0 <= both <= (one.slots + two.slots) / min(one.slots, two.slots)
