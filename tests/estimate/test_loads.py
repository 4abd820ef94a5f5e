"""Loads: monotone, free of order, the same by the fast way as by the full one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.estimate import loads as loads_module
from funshare_flink.estimate.bits import packed
from funshare_flink.estimate.load import SLOT_US_PS, GroupLoad, TailLoad
from funshare_flink.estimate.loads import SampledLoads, TailCost
from funshare_flink.estimate.sample import ClassSample, SamplingDesign, SideSample, Within
from funshare_flink.model.ids import QueryName, ShareClassId
from tests.estimate.samples import QUERIES, SURE, groups, samples

MANY = settings(max_examples=1000, deadline=None)
TAILS = {QUERIES[0]: TailCost(3.0, 1), QUERIES[1]: TailCost(0.1)}


@pytest.fixture(autouse=True, scope="module")
def small_samples() -> object:
    """Samples of these tests are whole inputs of a few rows."""
    before, loads_module.MIN_ROWS = loads_module.MIN_ROWS, 1
    yield
    loads_module.MIN_ROWS = before


def known(load: GroupLoad | None) -> GroupLoad:
    assert load is not None
    return load


@MANY
@given(samples, groups, groups)
def test_more_queries_are_never_less_load(sample: ClassSample, one: list[QueryName], two: list[QueryName]) -> None:
    found = SampledLoads(sample, SURE, TAILS)
    assert known(found.of([*one, *two])).total_us_ps >= known(found.of(one)).total_us_ps * (1 - 1e-9)


@MANY
@given(samples, groups, st.randoms(use_true_random=False))
def test_the_order_of_members_and_naming_one_twice_change_nothing(
    sample: ClassSample, members: list[QueryName], shuffle: object
) -> None:
    found = SampledLoads(sample, SURE, TAILS)
    other = [*members, members[0]]
    shuffle.shuffle(other)  # type: ignore[attr-defined]
    assert known(found.of(other)).total_us_ps == pytest.approx(known(found.of(members)).total_us_ps)


@MANY
@given(samples)
def test_the_fast_way_agrees_on_a_whole_input(sample: ClassSample) -> None:
    found = SampledLoads(sample, SURE, TAILS)
    unions = found.unions([[q] for q in QUERIES])
    assert unions is not None
    others = np.arange(1, len(QUERIES))
    for other, total in zip(others, unions.with_each(0, others), strict=True):
        assert total == pytest.approx(known(found.of([QUERIES[0], QUERIES[other]])).total_us_ps, rel=1e-4)
    kept = unions.merge(2, 0)
    assert kept == 0
    assert math.isnan(unions.totals()[2])
    full = known(found.of([QUERIES[0], QUERIES[2]])).total_us_ps
    assert unions.totals()[0] == pytest.approx(full, rel=1e-4)
    assert unions.load(0).total_us_ps == pytest.approx(full)
    assert unions.union(0, 1).total_us_ps == pytest.approx(known(found.of(QUERIES[:3])).total_us_ps)


def test_thinned_bits_rank_as_the_whole_sample_does() -> None:
    chance = np.random.default_rng(3)
    names = tuple(QueryName(f"q{i:03d}") for i in range(600))
    low = chance.integers(0, 900, 600)
    sides = []
    for _ in range(2):
        attr = chance.integers(0, 1000, 20_000)
        bits = packed(np.stack([(attr >= a) & (attr < a + 100) for a in low]))
        sides.append(SideSample(bits, chance.integers(0, 50, 20_000), np.arange(20_000) * 30, 1_000_000))
    sample = ClassSample(
        ShareClassId("c"), names, sides[0], sides[1], SamplingDesign(1, 0.02), Within(-10_000, 10_000), 600.0
    )
    found = SampledLoads(sample, SURE, {})
    unions = found.unions([[q] for q in names])
    assert unions is not None
    others = np.arange(1, 40)
    full = np.array([known(found.of([names[0], names[o]])).total_us_ps for o in others])
    assert np.abs(unions.with_each(0, others) / full - 1).max() < 0.1


@MANY
@given(
    st.floats(0, 1e7),
    st.floats(0, 1e7),
    st.lists(st.tuples(st.floats(0, 1e7), st.one_of(st.none(), st.integers(1, 4)))),
    st.sampled_from([1.0, 1.5, 2.0]),
    st.integers(1, 20),
)
def test_the_sustained_factor_is_the_largest_that_fits(
    rows: float, pairs: float, tails: list[tuple[float, int | None]], exponent: float, slots: int
) -> None:
    load = GroupLoad(rows, pairs, tuple(TailLoad(QueryName(str(i)), u, w) for i, (u, w) in enumerate(tails)), exponent)
    factor = load.sustained_factor(slots)
    if load.total_us_ps == 0 or math.isinf(factor) or factor > 1e6:
        return
    for share, fits in ((0.999, True), (1.001, False)):
        held = load.at(factor * share) <= slots * SLOT_US_PS * (1 + 1e-9) and all(
            (factor * share) ** exponent * t.us_ps <= SLOT_US_PS * min(slots, t.max_parallelism or slots) * (1 + 1e-9)
            for t in load.tails
        )
        assert held == fits


def test_what_is_not_known_is_none() -> None:
    side = SideSample(packed(np.ones((4, 8), bool)), np.arange(8), np.arange(8), 8)
    sample = ClassSample(ShareClassId("c"), QUERIES, side, side, SamplingDesign(1, 1), None, 1.0)
    found = SampledLoads(sample, SURE, {})
    assert found.of([QueryName("other")]) is None
    assert found.of([]) is None
    assert found.unions([[QUERIES[0]], [QueryName("other")]]) is None
    assert found.selectivity(QueryName("other")) is None
    loads_module.MIN_ROWS = 9
    try:
        assert SampledLoads(sample, SURE, {}).of([QUERIES[0]]) is None, "too thin a sample says nothing"
    finally:
        loads_module.MIN_ROWS = 1
