"""Pairs from thin samples: right on the whole, lawful, and honest about their error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from funshare_flink.estimate.bits import packed
from funshare_flink.estimate.key_products import KeyProducts
from funshare_flink.estimate.overlap import Overlaps
from funshare_flink.estimate.pair_counts import pair_counts
from funshare_flink.estimate.pair_list import PairList
from funshare_flink.estimate.sample import ClassSample, SameWindow, SamplingDesign, SideSample, Within
from funshare_flink.model.ids import QueryName, ShareClassId
from tests.estimate.samples import QUERIES, groups, thin_samples

MANY = settings(max_examples=1000, deadline=None)
Ints = NDArray[np.int64]


@MANY
@given(thin_samples, groups, groups)
def test_more_queries_never_have_fewer_pairs(sample: ClassSample, one: list[QueryName], two: list[QueryName]) -> None:
    found = Overlaps(sample)
    assert found.pairs([*one, *two]).per_s >= found.pairs(one).per_s * (1 - 1e-9)


@MANY
@given(thin_samples, groups)
def test_pairs_handed_on_are_between_those_of_one_member_and_those_probed(
    sample: ClassSample, members: list[QueryName]
) -> None:
    found = Overlaps(sample)
    emitted = found.emitted_pairs(members).per_s
    assert max(found.pairs([q]).per_s for q in members) <= emitted * (1 + 1e-9)
    assert emitted <= found.pairs(members).per_s * (1 + 1e-9)


def many_keys(chance: np.random.Generator, keys: int) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """Keys and times of both sides: a key comes once on the left, and about ten times within 10 s on the right."""
    left_ms = chance.integers(0, 590_000, keys)
    of = np.repeat(np.arange(keys), chance.poisson(10, keys))
    return (np.arange(keys), left_ms), (of, left_ms[of] + chance.integers(0, 10_000, len(of)))


def sampled(
    chance: np.random.Generator, sides: tuple[tuple[Ints, Ints], ...], attrs: list[Ints], key_share: float
) -> ClassSample:
    """One in so many keys with all of their rows. Query i wants the attributes [50 i, 50 i + 50) of 1000 on the left
    and the same on the right."""
    chosen = chance.random(int(sides[0][0].max()) + 1) < key_share
    low = 50 * np.arange(20)[:, None]
    names = tuple(QueryName(f"w{i}") for i in range(20))
    found = []
    for (keys, times), attr in zip(sides, attrs, strict=True):
        kept = chosen[keys]
        bits = packed((attr[kept] >= low) & (attr[kept] < low + 50))
        found.append(SideSample(bits, keys[kept], times[kept], len(keys)))
    design = SamplingDesign(key_share, 1.0)
    return ClassSample(ShareClassId("c"), names, found[0], found[1], design, Within(0, 10_000), 600.0)


def errors(sample: ClassSample, sides: tuple[tuple[Ints, Ints], ...], attrs: list[Ints]) -> NDArray[np.float64]:
    """[queries] estimate over truth - 1; every right row has its partner, within the bound."""
    found = Overlaps(sample)
    partner = attrs[0][sides[1][0]] // 50
    true = np.bincount(partner[partner == attrs[1] // 50], minlength=20)
    seen = np.array([found.pairs([q]).per_s * 600 for q in sample.queries])
    deviation: NDArray[np.float64] = seen / true - 1
    return deviation


def test_where_filters_do_not_matter_a_thin_sample_is_enough() -> None:
    """5 % of each side and 0.25 % of the pairs, of which 2 % of 50,000 keys hold some 25: alone they tell +-20 %."""
    chance = np.random.default_rng(11)
    sides = many_keys(chance, 50_000)
    attrs = [chance.integers(0, 1000, len(keys)) for keys, _ in sides]
    found = errors(sampled(chance, sides, attrs, 0.02), sides, attrs)
    assert np.sqrt((found**2).mean()) < 0.18
    assert abs(found.mean()) < 0.06


def test_where_both_filters_follow_the_key_independence_is_not_believed() -> None:
    """A query's pairs are then twenty times as many as independence says."""
    chance = np.random.default_rng(12)
    sides = many_keys(chance, 50_000)
    attrs = [keys * 7919 % 1000 for keys, _ in sides]
    found = errors(sampled(chance, sides, attrs, 0.05), sides, attrs)
    assert abs(found.mean()) < 0.1
    assert np.abs(found).max() < 0.4


def test_errors_are_about_as_large_as_said() -> None:
    chance = np.random.default_rng(13)
    sides = many_keys(chance, 50_000)
    attrs = [chance.integers(0, 1000, len(keys)) for keys, _ in sides]
    ratios = []
    for _ in range(8):
        sample = sampled(chance, sides, attrs, 0.02)
        found = Overlaps(sample)
        said = np.array([found.pairs([q]).error for q in sample.queries])
        ratios.append(errors(sample, sides, attrs) / said)
    assert 0.4 < np.sqrt((np.array(ratios) ** 2).mean()) < 1.5


def long_lived(chance: np.random.Generator, times: Ints) -> SideSample:
    wanted = chance.random((len(QUERIES), len(times))) < 0.5
    return SideSample(packed(wanted), chance.integers(0, 5, len(times)), times, len(times))


@pytest.mark.parametrize(
    "match", [Within(-2000, 3000), SameWindow(4000, 4000), SameWindow(6000, 2000)], ids=["interval", "tumble", "hop"]
)
def test_by_key_and_by_pair_agree(match: Within | SameWindow) -> None:
    """Long-lived keys, counted both ways on a whole input."""
    chance = np.random.default_rng(5)
    left, right = (long_lived(chance, np.sort(chance.integers(0, 600_000, 8000))) for _ in range(2))
    sample = ClassSample(ShareClassId("c"), QUERIES, left, right, SamplingDesign(1.0, 1.0), match, 600.0)
    assert isinstance(pair_counts(sample), KeyProducts)
    everything = np.ones(8000, bool)
    by_pair = PairList(sample).count(everything, everything).per_s
    assert KeyProducts(sample).count(everything, everything).per_s == pytest.approx(by_pair, rel=0.02)


def test_a_shift_inside_the_range_is_seen_by_slices() -> None:
    """All rows come in the second half of the range: twice the rate for half the time is twice the pairs."""
    chance = np.random.default_rng(6)
    late = [np.sort(chance.integers(300_000, 600_000, 4000)) for _ in range(2)]
    times = [np.concatenate([[0], t]) for t in late]
    left, right = (long_lived(chance, t) for t in times)
    sample = ClassSample(ShareClassId("c"), QUERIES, left, right, SamplingDesign(1.0, 1.0), Within(-1000, 1000), 600.0)
    everything = np.ones(4001, bool)
    even = 4001**2 / 5 * 2.0 / 600 / 600
    assert KeyProducts(sample).count(everything, everything).per_s == pytest.approx(2 * even, rel=0.05)


def test_a_query_that_was_not_seen_is_not_certain_to_have_no_pairs() -> None:
    """Ten rows a side that both queries want alike, and no pair of both: independence still expects some."""
    rows = np.arange(200)
    wanted = [packed((rows % 20 == phase)[None, :].repeat(4, axis=0)) for phase in (0, 1)]
    sides = [SideSample(w, rows, rows * 1000, 20_000) for w in wanted]
    sample = ClassSample(ShareClassId("c"), QUERIES, sides[0], sides[1], SamplingDesign(0.01, 1.0), Within(0, 0), 200.0)
    found = Overlaps(sample).pairs(QUERIES[:1])
    assert found.per_s > 0
    assert found.error > 0.5
    assert Overlaps(replace(sample, design=SamplingDesign(1.0, 1.0))).pairs(QUERIES[:1]).per_s == 0
