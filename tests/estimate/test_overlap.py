"""Unions, intersections and pairs: exact on whole inputs, and lawful on all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.estimate.bits import count, packed, unpacked
from funshare_flink.estimate.key_products import KeyProducts
from funshare_flink.estimate.overlap import Overlaps
from funshare_flink.estimate.pair_counts import pair_counts
from funshare_flink.estimate.pair_list import PairList
from funshare_flink.estimate.sample import ClassSample, SamplingDesign, SideSample, Within
from funshare_flink.model.ids import QueryName, ShareClassId
from tests.estimate.samples import QUERIES, RANGE_S, groups, samples, times_met, true_pairs, union_rows, wants

MANY = settings(max_examples=1000, deadline=None)


@MANY
@given(st.lists(st.booleans(), max_size=200))
def test_bits_come_back_as_they_went(rows: list[bool]) -> None:
    words = packed(np.array(rows, dtype=bool))
    assert unpacked(words, len(rows)).tolist() == rows
    assert count(words) == sum(rows)


@MANY
@given(samples, groups)
def test_rows_of_a_union_are_exact_on_a_whole_input(sample: ClassSample, members: list[QueryName]) -> None:
    found = Overlaps(sample)
    assert found.left_rows(members).per_s * RANGE_S == pytest.approx(len(union_rows(sample.left, members)))
    assert found.right_rows(members).per_s * RANGE_S == pytest.approx(len(union_rows(sample.right, members)))


@MANY
@given(samples, groups)
def test_pairs_are_exact_on_a_whole_input(sample: ClassSample, members: list[QueryName]) -> None:
    lefts, rights = union_rows(sample.left, members), union_rows(sample.right, members)
    counted = PairList(sample).count(
        np.isin(np.arange(sample.left.rows), list(lefts)), np.isin(np.arange(sample.right.rows), list(rights))
    )
    truth = true_pairs(sample, lefts, rights)
    # Partners beyond the range's ends are made up for; here there are none, so that is taken out again.
    everything = PairList(sample).count(np.ones(sample.left.rows, bool), np.ones(sample.right.rows, bool)).per_s
    all_pairs = true_pairs(sample, set(range(sample.left.rows)), set(range(sample.right.rows)))
    assert (everything > 0) == (all_pairs > 0)
    if all_pairs:
        assert counted.per_s / everything == pytest.approx(truth / all_pairs)
    assert everything * RANGE_S == pytest.approx(all_pairs, rel=0.1)


@MANY
@given(samples, groups, groups)
def test_inclusion_and_exclusion(sample: ClassSample, one: list[QueryName], two: list[QueryName]) -> None:
    found = Overlaps(sample)
    both = found.common_rows(one, two)
    united = (found.left_rows([*one, *two]), found.right_rows([*one, *two]))
    for side, rows in enumerate((found.left_rows, found.right_rows)):
        assert both[side].per_s + united[side].per_s == pytest.approx(rows(one).per_s + rows(two).per_s)


@MANY
@given(samples, groups)
def test_fewer_pairs_are_handed_on_than_are_probed(sample: ClassSample, members: list[QueryName]) -> None:
    found = Overlaps(sample)
    probed, emitted = found.pairs(members), found.emitted_pairs(members)
    assert emitted.per_s <= probed.per_s * (1 + 1e-9)
    assert probed.per_s <= found.pairs(QUERIES).per_s * (1 + 1e-9)


@MANY
@given(samples, groups)
def test_pairs_that_are_handed_on_are_exact_on_a_whole_input(sample: ClassSample, members: list[QueryName]) -> None:
    """Those of which one member wants both rows, against all that are probed."""
    probed = [(a, b) for a in union_rows(sample.left, members) for b in union_rows(sample.right, members)]
    truth = sum(
        times_met(sample, a, b)
        for a, b in probed
        if any(wants(sample.left, q, a) and wants(sample.right, q, b) for q in members)
    )
    of = sum(times_met(sample, a, b) for a, b in probed)
    found = Overlaps(sample)
    assert found.emitted_pairs(members).per_s * of == pytest.approx(found.pairs(members).per_s * truth)


def drawn(chance: np.random.Generator, rows: int, keys: int, rate: float, total: int) -> SideSample:
    wanted = chance.random((len(QUERIES), rows)) < rate
    return SideSample(packed(wanted), chance.integers(0, keys, rows), np.sort(chance.integers(0, 600_000, rows)), total)


def test_long_lived_keys_are_counted_by_key_and_come_out_right() -> None:
    """By rates: 100,000 rows a side in 600 s on 50 keys, a bound of 20 s."""
    chance = np.random.default_rng(5)
    left, right = (drawn(chance, 2000, 50, 0.3, 100_000) for _ in range(2))
    sample = ClassSample(
        ShareClassId("c"), QUERIES, left, right, SamplingDesign(1.0, 0.02), Within(-10_000, 10_000), 600.0
    )
    assert isinstance(pair_counts(sample), KeyProducts)
    truth = (100_000 / 600) ** 2 * 20 / 50 * 0.3**2
    found = Overlaps(sample).pairs(QUERIES[:1])
    assert found.per_s == pytest.approx(truth, rel=0.15)
    assert 0.01 < found.error < 0.2


def test_short_lived_keys_are_counted_by_pair() -> None:
    rows = np.arange(1000)
    side = SideSample(packed(np.ones((4, 1000), bool)), rows, rows * 100, 1000)
    sample = ClassSample(ShareClassId("c"), QUERIES, side, side, SamplingDesign(1.0, 1.0), Within(-50, 50), 100.0)
    assert isinstance(pair_counts(sample), PairList)
    assert Overlaps(sample).pairs(QUERIES).per_s == pytest.approx(10.0, rel=0.01)


def test_a_query_that_is_not_in_the_sample_is_not_known() -> None:
    side = SideSample(packed(np.ones((4, 8), bool)), np.arange(8), np.arange(8), 8)
    sample = ClassSample(ShareClassId("c"), QUERIES, side, side, SamplingDesign(1, 1), None, 1.0)
    assert not Overlaps(sample).knows([QueryName("other")])
    with pytest.raises(KeyError):
        Overlaps(sample).left_rows([QueryName("other")])
