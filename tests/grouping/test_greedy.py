"""Algorithm 1 against a plain rendering of it, its bars, its blocks, and what happens when the ranking was wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from funshare_flink.estimate.load import GroupLoad, TailLoad, UnionLoads
from funshare_flink.grouping import greedy
from funshare_flink.grouping.bars import Bars, why_barred
from funshare_flink.grouping.blocks import similar_blocks
from funshare_flink.grouping.cost import Side, grouping_cost
from funshare_flink.grouping.merge import merge_step
from funshare_flink.grouping.merging_group import MergingGroup, Tails, backpressure_guard, tails_carry, tails_of
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Candidate
from funshare_flink.model.ids import QueryName, ShareClassId
from tests.grouping.cell_loads import CellLoads, CellQuery, CellUnions, World
from tests.grouping.laws import LAW, check_grouping, check_isolation, check_merges, partition
from tests.grouping.worlds import worlds

CLASS = ShareClassId("c1")
TUNING = Tuning()


def light(spans: Sequence[tuple[int, int]], cells: int = 40, slots: int = 4) -> World:
    """Queries without tails over [from, to) on both sides; the heaviest keeps its slots busy."""
    queries = {
        QueryName(f"q{i:03}"): CellQuery(frozenset(range(*s)), frozenset(range(*s))) for i, s in enumerate(spans)
    }
    loads = CellLoads(queries, (0.5, 5.0, 60.0), (1 / cells,) * cells)
    loads.scale = slots * 1e6 / max(load.total_us_ps for n in queries if (load := loads.of([n])) is not None)
    return World(tuple(Candidate(n, slots, CLASS) for n in queries), {CLASS: loads})


def plainly(world: World, tuning: Tuning) -> set[frozenset[str]]:
    """Algorithm 1 as one would write it down: all pairs again after each merge, no cleverness."""
    loads = world.loads[CLASS]
    live: dict[tuple[QueryName, ...], tuple[int, float]] = {
        (c.name,): (c.slots, _idle(world, (c.name,), c.slots)) for c in world.candidates
    }
    while True:
        best: tuple[float, tuple[QueryName, ...], tuple[QueryName, ...]] | None = None
        for one, two in combinations(sorted(live), 2):
            union, a, b = (loads.of(m) for m in ((*one, *two), one, two))
            assert union is not None
            assert a is not None
            assert b is not None
            first, second = Side(a.total_us_ps, *live[one]), Side(b.total_us_ps, *live[two])
            cost = max(grouping_cost(union.total_us_ps, first, second), grouping_cost(union.total_us_ps, second, first))
            if cost < tuning.merge_threshold and (best is None or cost < best[0] - 1e-6):
                best = (cost, one, two)
        if best is None:
            return {frozenset(m) for m in live}
        _, one, two = best
        members = tuple(sorted(one + two))
        load = loads.of(members)
        assert load is not None
        needed = max(1, math.ceil(load.total_us_ps / (1e6 * (1 - tuning.headroom)) - 1e-9))
        slots = min(live.pop(one)[0] + live.pop(two)[0], needed)
        live[members] = (slots, _idle(world, members, slots))


def _idle(world: World, members: tuple[QueryName, ...], slots: int) -> float:
    load = world.load(CLASS, members)
    assert load is not None
    return max(0.0, 1 - load.at(min(1.0, load.sustained_factor(slots))) / (slots * 1e6))


def test_the_same_as_the_plain_algorithm() -> None:
    """Ranges of different widths: no two costs are equal, so there is one right answer."""
    for seed in range(6):
        spans = [((7 * seed + 11 * i) % 31, (7 * seed + 11 * i) % 31 + 2 + (i * i + seed) % 7) for i in range(12)]
        world = light(spans)
        found = merge_step(world.snapshot(world.alone()), TUNING)
        assert partition(found.grouping) == plainly(world, TUNING), seed
        assert any(s.kind == "merge" for s in found.steps), seed


class Counting(CellLoads):
    """Keeps the unions that it handed out."""

    handed: list[CellUnions]

    def unions(self, groups: Sequence[Sequence[QueryName]]) -> UnionLoads | None:
        found = super().unions(groups)
        assert isinstance(found, CellUnions)
        self.handed.append(found)
        return found


def test_a_pair_is_scored_once_and_once_more_when_it_is_told_of() -> None:
    world = light([(i, i + 6) for i in range(0, 30, 2)])
    plain = world.loads[CLASS]
    loads = Counting(plain.queries, plain.costs, tuple(plain.weights))
    loads.scale, loads.handed = plain.scale, []
    world = replace(world, loads={CLASS: loads})
    decision = merge_step(world.snapshot(world.alone()), TUNING)
    (unions,) = loads.handed
    scored = [frozenset([frozenset(a), frozenset(b)]) for a, b in unions.scored]
    merges, rest, n = len(decision.steps), len(decision.grouping.groups), len(world.candidates)
    assert merges > 3
    assert max(scored.count(pair) for pair in set(scored)) <= 3
    assert len(scored) <= n * (n - 1) / 2 + merges * (n + 1) + rest


def group(name: str, processed: float, promised: float = 1.0, throttled: bool = False) -> MergingGroup:
    tails = Tails(0.0, math.inf, 2.0)
    return MergingGroup((QueryName(name),), 2, 2, 0.0, 1e6, None, tails, promised, processed, throttled)


@pytest.mark.parametrize(
    ("one", "two", "barred"),
    [
        (group("a", 0.5, 0.5, throttled=True), group("b", 1.0), True),
        (group("a", 0.5, 0.5, throttled=True), group("b", 0.5, 0.5, throttled=True), False),
        (group("a", 0.96, 0.96, throttled=True), group("b", 1.0), False),
        (group("a", 0.94, 0.94, throttled=True), group("b", 1.0), True),
        (group("a", 0.5, 0.5), group("b", 1.0), False),
        (group("a", 0.5, 0.5), group("b", 0.9, throttled=True), False),
        (group("a", 0.5, 1.0), group("b", 0.9, throttled=True), True),
    ],
)
def test_the_backpressure_guard(one: MergingGroup, two: MergingGroup, barred: bool) -> None:
    """Only a throttled group bars, and only one that reads or was promised more; alike hurts neither."""
    for first, second in ((one, two), (two, one)):
        assert (backpressure_guard(first, second, TUNING) is not None) == barred


_SHARES = (0.2, 0.5, 0.93, 0.96, 1.0)
_WIDEST, _NARROW = (0.0, 0.5e6, 2.5e6), (math.inf, 1.2, 0.9, 0.3)


def drawn_groups(drawn: bytes) -> list[MergingGroup]:
    """Two to four groups; each byte chooses one thing."""
    found = []
    for number in range(2 + drawn[0] % 3):
        read, promised, throttled, slots, widest, narrow = drawn[1 + 6 * number : 7 + 6 * number]
        plain = group("a", _SHARES[read % 5], _SHARES[promised % 5], bool(throttled % 2))
        limits = Tails(_WIDEST[widest % 3], _NARROW[narrow % 4], 2.0)
        found.append(replace(plain, slots_alone=1 + slots % 3, slots=1 + slots % 3, tails=limits))
    return found


@LAW
@given(st.binary(min_size=25, max_size=25).map(drawn_groups))
def test_many_pairs_are_barred_as_one_is(groups: list[MergingGroup]) -> None:
    bars = Bars(groups, TUNING)
    for number in range(len(groups)):
        others = np.array([i for i in range(len(groups)) if i != number])
        mask = bars.between(number, others)
        expected = [why_barred(groups[number], groups[o], TUNING) is not None for o in others]
        assert (mask is None and not any(expected)) or (mask is not None and mask.tolist() == expected)


@LAW
@given(
    st.lists(st.tuples(st.just(0.0) | st.floats(1.0, 5e6), st.none() | st.integers(1, 4)), max_size=4),
    st.integers(1, 6),
    st.sampled_from([1.0, 1.5, 2.0]),
)
def test_tails_carry_what_the_load_says(found: list[tuple[float, int | None]], slots: int, exponent: float) -> None:
    """Nothing but tails: with room for all of them the tails' bound is the group's."""
    load = GroupLoad(0.0, 0.0, tuple(TailLoad(QueryName(str(i)), *t) for i, t in enumerate(found)), exponent)
    carried = tails_carry(tails_of(load), slots)
    assert load.sustained_factor(slots) <= carried * (1 + 1e-9)
    if len(found) == 1 and found[0][1] is None and found[0][0] > 0:
        assert load.sustained_factor(slots) == pytest.approx(carried)


@LAW
@given(worlds(most=7))
def test_blocks_keep_the_laws(world: World) -> None:
    """With blocks of three the end is a fixed point over all pairs, and breaks no promise."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(greedy, "BLOCK", 3)
        patch.setattr(greedy, "similar_blocks", lambda unions: similar_blocks(unions, 3))
        first = merge_step(world.snapshot(world.alone()), TUNING)
    check_grouping(first.grouping, world)
    check_merges(first, world.alone(), TUNING)
    check_isolation(world, first.grouping)
    again = merge_step(world.snapshot(first.grouping), TUNING)
    last = merge_step(world.snapshot(again.grouping), TUNING)
    assert not last.changed


def test_blocks_hold_what_is_similar() -> None:
    """Two kinds of queries, their names in turn: each block is of one kind."""
    world = light([(0, 8), (20, 27)] * 4)
    unions = world.loads[CLASS].unions([(c.name,) for c in world.candidates])
    assert unions is not None
    assert similar_blocks(unions, 4) == [[0, 2, 4, 6], [1, 3, 5, 7]]
    assert sorted(len(b) for b in similar_blocks(unions, 3)) == [2, 3, 3]
    assert similar_blocks(unions, 100) == [list(range(8))]


class TooLight(CellUnions):
    """Ranks badly: with others every group looks as if it cost nothing more."""

    def with_each(self, group: int, others: NDArray[np.intp]) -> NDArray[np.float64]:
        totals = self.totals()
        found: NDArray[np.float64] = np.maximum(totals[group], totals[others]) * 1.01
        return found

    def totals(self) -> NDArray[np.float64]:
        found = np.full(len(self._names), 1e6)
        found[self._dead] = np.nan
        return found


class Misjudged(CellLoads):
    """In full it is right; many at once it is not."""

    def unions(self, groups: Sequence[Sequence[QueryName]]) -> UnionLoads | None:
        return TooLight(self, groups)


def test_a_union_that_the_whole_sample_does_not_confirm_is_undone() -> None:
    plain = light([(0, 10), (0, 10), (20, 30), (20, 30), (10, 20), (30, 40)], slots=1)
    loads = Misjudged(plain.loads[CLASS].queries, (0.1, 1.0, 100.0), tuple(plain.loads[CLASS].weights))
    loads.scale = 1e6 / max(load.total_us_ps for n in loads.queries if (load := loads.of([n])) is not None)
    world = replace(plain, loads={CLASS: loads})
    decision = merge_step(world.snapshot(world.alone()), TUNING)
    check_isolation(world, decision.grouping)
    check_grouping(decision.grouping, world)
    check_merges(decision, world.alone(), TUNING)
    assert any(r.because.startswith("undone after a look at the whole sample") for r in decision.rejected)


def test_what_many_tails_bar_is_not_tried_one_by_one() -> None:
    """A light query meets a tail that cannot keep up: barred when scored, with the reason told."""
    queries = {
        QueryName("a"): CellQuery(frozenset({0}), frozenset({0})),
        QueryName("b"): CellQuery(frozenset({0}), frozenset({0}), 2e6, 1),
    }
    world = World(tuple(Candidate(n, 3, CLASS) for n in queries), {CLASS: CellLoads(queries, (1e6, 0, 0), (1.0,))})
    snapshot = world.snapshot(world.alone())
    unaware = replace(snapshot, groups=tuple(replace(s, throttled_by=frozenset()) for s in snapshot.groups))
    for case, words in ((snapshot, "a tail holds back b, a"), (unaware, "a tail lets the union read 71%")):
        decision = merge_step(case, TUNING)
        assert not decision.changed
        assert any(words in r.because and r.cost is not None for r in decision.rejected), decision.rejected
