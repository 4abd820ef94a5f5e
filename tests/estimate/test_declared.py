"""Loads from stated figures: nothing is invented, a union is never taken too small, the order does not matter."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.estimate.declared import STATED, DeclaredLoads, JoinFigures, QueryFigures, SideFigures
from funshare_flink.estimate.loads import TailCost
from funshare_flink.model.ids import QueryName

THOUSAND = settings(max_examples=1000, deadline=None)
NAMES = tuple(QueryName(f"q{i}") for i in range(5))
ALL = SideFigures("", 1.0)
JOIN = JoinFigures(100.0, 300.0, 2.0)

TENTHS = st.integers(0, 10)


@st.composite
def stated(draw: st.DrawFn) -> DeclaredLoads:
    """Each filter text keeps the same share wherever it stands. Few large draws: many small ones are slow."""
    left, right, matches = draw(st.tuples(st.integers(1, 10_000), st.integers(1, 10_000), st.integers(1, 100)))
    kept = [ALL, *(SideFigures(t, n / 10) for t, n in zip("xyz", draw(st.tuples(*3 * [TENTHS])), strict=True))]
    picks = draw(st.lists(st.integers(0, 3), min_size=15, max_size=15))
    queries = {
        n: QueryFigures(kept[a], kept[b], TailCost(5.0, c) if c else None)
        for n, a, b, c in zip(NAMES, picks, picks[5:], picks[10:], strict=False)
    }
    return DeclaredLoads(JoinFigures(left, right, matches / 10), queries)


groups = st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True)


def total(loads: DeclaredLoads, members: list[QueryName]) -> float:
    load = loads.of(members)
    assert load is not None
    return load.total_us_ps


@THOUSAND
@given(stated(), groups, st.sampled_from(NAMES))
def test_a_query_more_never_costs_less(loads: DeclaredLoads, members: list[QueryName], more: QueryName) -> None:
    assert total(loads, [*members, more]) >= total(loads, members) * (1 - 1e-9)


@THOUSAND
@given(stated(), groups)
def test_the_order_does_not_matter_nor_saying_it_twice(loads: DeclaredLoads, members: list[QueryName]) -> None:
    turned = members[::-1] + members[:1]
    assert total(loads, turned) == pytest.approx(total(loads, members))


@THOUSAND
@given(st.lists(st.integers(0, 1023), min_size=1, max_size=4))
def test_a_union_is_never_taken_smaller_than_it_can_be(kept: list[int]) -> None:
    """Whatever of ten rows the filters (as bits) really keep, the union's rows are at most those reckoned with."""
    queries = {QueryName(f"n{i}"): QueryFigures(share_of(bits), ALL) for i, bits in enumerate(kept)}
    union = 0
    for bits in kept:
        union |= bits
    together = DeclaredLoads(JOIN, queries).of(queries)
    true = DeclaredLoads(JOIN, {QueryName("one"): QueryFigures(share_of(union), ALL)}).of([QueryName("one")])
    assert together is not None
    assert true is not None
    assert together.rows_us_ps >= true.rows_us_ps * (1 - 1e-9)


def share_of(bits: int) -> SideFigures:
    return SideFigures(f"{bits:b}", bits.bit_count() / 10)


def test_the_formula_by_hand() -> None:
    """10 of 100 left rows, 150 of 300 right ones; 200 pairs a second before filters, so 10 probed, emitted, handed."""
    query = QueryFigures(SideFigures("x", 0.1), SideFigures("y", 0.5), TailCost(7.0))
    load = DeclaredLoads(JOIN, {NAMES[0]: query}).of(NAMES[:1])
    assert load is not None
    c = STATED
    assert load.rows_us_ps == pytest.approx(400 * (c.decode.us + c.tag.us) + 160 * c.insert.us)
    assert load.pairs_us_ps == pytest.approx(10 * (c.probe.us + c.route_check.us + c.routed.us))
    assert [t.us_ps for t in load.tails] == [pytest.approx(70.0)]


def test_equal_filters_want_the_same_rows_and_others_might_not() -> None:
    def two(first: str, second: str) -> float:
        sides = {n: QueryFigures(SideFigures(f, 0.3), ALL) for n, f in zip(NAMES, (first, second), strict=False)}
        load = DeclaredLoads(JOIN, sides).of(NAMES[:2])
        assert load is not None
        return load.rows_us_ps

    assert two("x", "y") - two("x", "x") == pytest.approx(30 * STATED.insert.us)


def test_two_figures_for_one_filter_give_the_larger_in_any_order() -> None:
    figures = {NAMES[0]: QueryFigures(SideFigures("x", 0.1), ALL), NAMES[1]: QueryFigures(SideFigures("x", 0.4), ALL)}
    loads = DeclaredLoads(JOIN, figures)
    assert total(loads, [NAMES[0], NAMES[1]]) == pytest.approx(total(loads, [NAMES[1], NAMES[0]]))
    least = DeclaredLoads(JOIN, {NAMES[1]: figures[NAMES[1]]}).of([NAMES[1]])
    both = loads.of(NAMES[:2])
    assert both is not None
    assert least is not None
    assert both.rows_us_ps == pytest.approx(least.rows_us_ps)


@pytest.mark.parametrize(
    "missing", [QueryFigures(SideFigures("x", None), ALL), QueryFigures(ALL, SideFigures("x", None))]
)
def test_what_is_not_stated_is_not_known(missing: QueryFigures) -> None:
    loads = DeclaredLoads(JOIN, {NAMES[0]: missing, NAMES[1]: QueryFigures(ALL, ALL)})
    assert loads.of([NAMES[0]]) is None
    assert loads.of(NAMES[:2]) is None
    assert loads.of([NAMES[2]]) is None
    assert loads.of([]) is None
    assert loads.selectivity(NAMES[0]) is None
    assert loads.unions([(NAMES[1],), (NAMES[0],)]) is None
    assert loads.of([NAMES[1]]) is not None
