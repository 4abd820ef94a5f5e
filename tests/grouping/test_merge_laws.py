"""Laws of Algorithm 1 and the Resource Manager, over small worlds with an exact load model."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.grouping.decision import Decision
from funshare_flink.grouping.merge import merge_step
from funshare_flink.grouping.snapshot import Snapshot
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Grouping
from tests.grouping.cell_loads import World
from tests.grouping.laws import LAW, check_grouping, check_isolation, check_merges, check_rejected, partition, sizes
from tests.grouping.worlds import grouped, permuted, worlds

TUNING = Tuning()
TUNINGS = [Tuning(merge_threshold=t, headroom=h) for t in (0.5, 0.9, 1.0, 1.5) for h in (0.0, 0.1)]

Case = tuple[World, Grouping]


@LAW
@given(grouped(), st.sampled_from(TUNINGS), st.integers(0, 719))
def test_one_step(case: Case, tuning: Tuning, order: int) -> None:
    """A partition stays one and only merges, cheaply, within classes, never the pinned; slots at most as alone."""
    world, before = case
    snapshot = world.snapshot(before)
    decision = merge_step(snapshot, tuning)
    check_any_order(snapshot, decision, order, tuning)
    check_grouping(decision.grouping, world)
    check_merges(decision, before, tuning)
    check_rejected(decision, world)
    after = partition(decision.grouping)
    assert all(any(old <= new for new in after) for old in partition(before))


@LAW
@given(worlds(), st.sampled_from(TUNINGS))
def test_a_fixed_point_within_two_steps_where_nobody_reads_less_than_alone(world: World, tuning: Tuning) -> None:
    grouping = world.alone()
    for _ in range(2):
        grouping = merge_step(world.snapshot(grouping), tuning).grouping
        check_isolation(world, grouping)
    third = merge_step(world.snapshot(grouping), tuning)
    assert sizes(third.grouping) == sizes(grouping)
    assert not third.changed
    assert third.steps == ()


def check_any_order(snapshot: Snapshot, one: Decision, order: int, tuning: Tuning) -> None:
    """The same decision for groups, members and candidates in another order."""
    mixed = [
        replace(s, group=replace(s.group, members=tuple(permuted(s.group.members, lambda n: order // 7 % n))))
        for s in permuted(snapshot.groups, lambda n: order % n)
    ]
    candidates = dict(permuted(list(snapshot.candidates.items()), lambda n: order // 5 % n))
    two = merge_step(replace(snapshot, groups=tuple(mixed), candidates=candidates), tuning)
    assert sizes(one.grouping) == sizes(two.grouping)
    assert [g.id for g in one.grouping.groups] == [g.id for g in two.grouping.groups]
    assert [(s.kind, set(s.queries), s.cost and s.cost.cost) for s in one.steps] == [
        (s.kind, set(s.queries), s.cost and s.cost.cost) for s in two.steps
    ]


BLANKS: tuple[dict[str, Any], ...] = (
    {"load": None},
    {"idle": None},
    {"idle": math.nan},
    {"throttled_by": None},
    {"processed_rps": None},
    {"processed_rps": math.nan},
    {"input_rps": None},
    {"input_rps": math.nan},
    {"settled": False},
)


@LAW
@given(grouped(), st.sampled_from(BLANKS), st.integers(0, 5))
def test_what_is_unknown_changes_nothing(case: Case, blank: dict[str, Any], number: int) -> None:
    """A group of which something is unknown stays as it is; the others decide as if it were not there."""
    world, before = case
    snapshot = world.snapshot(before)
    victim = number % len(snapshot.groups)
    blanked = [replace(s, **blank) if i == victim else s for i, s in enumerate(snapshot.groups)]
    decision = merge_step(replace(snapshot, groups=tuple(blanked)), TUNING)
    group = before.groups[victim]
    assert sizes(decision.grouping)[frozenset(group.members)] == group.slots
    check_rejected(decision, world)
    _check_same_without(snapshot, victim, decision)


def _check_same_without(snapshot: Snapshot, victim: int, decision: Decision) -> None:
    others = tuple(s for i, s in enumerate(snapshot.groups) if i != victim)
    without = sizes(merge_step(replace(snapshot, groups=others), TUNING).grouping)
    gone = frozenset(snapshot.groups[victim].group.members)
    assert {m: s for m, s in sizes(decision.grouping).items() if m != gone} == without


@LAW
@given(grouped(), st.sampled_from([(None, 1.0), (0.3, 1.0), (math.nan, 1.0), (0.0, 0.0), (0.0, math.nan)]))
def test_loads_that_are_not_certain_zero_or_no_numbers_merge_nothing(
    case: Case, spoilt: tuple[float | None, float]
) -> None:
    world, before = case
    for loads in world.loads.values():
        loads.error = spoilt[0]
        loads.scale = spoilt[1]
    decision = merge_step(world.snapshot(before), Tuning(merge_threshold=100.0))
    assert sizes(decision.grouping) == sizes(before)
    assert not decision.changed
    assert decision.steps == ()
