"""Laws of Algorithm 2, and what it does in each of its cases."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.grouping.decision import Decision
from funshare_flink.grouping.merge import merge_step
from funshare_flink.grouping.snapshot import GroupState, Snapshot
from funshare_flink.grouping.split import split_step
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import GroupId, QueryName, ShareClassId
from tests.grouping.cell_loads import CellLoads, CellQuery, World
from tests.grouping.laws import LAW, check_grouping, partition, sizes
from tests.grouping.worlds import grouped, permuted, worlds

TUNING = Tuning()
Case = tuple[World, Grouping]
A, B, C = (QueryName(n) for n in "abc")
CLASS = ShareClassId("c1")


def penalised(snapshot: Snapshot, state: GroupState) -> set[QueryName]:
    """By the definition: less than (1 - tolerance) of what the member would read alone."""
    alone = {m: snapshot.alone_rps[m] for m in state.group.members}
    read = state.processed_rps
    if read is None:
        return set()
    return {m for m, rps in alone.items() if rps is not None and read < (1 - TUNING.penalty_tolerance) * rps}


BLANKS: tuple[dict[str, Any], ...] = (
    {"throttled_by": None},
    {"settled": False},
    {"processed_rps": None, "throttled_by": frozenset()},
    {"processed_rps": math.nan, "throttled_by": frozenset()},
)


@LAW
@given(grouped(), st.integers(0, 719), st.sampled_from(BLANKS))
def test_one_check(case: Case, order: int, blank: dict[str, Any]) -> None:
    """Only splits, only with a reason, never more slots than alone; in any order; and nothing on what is unknown."""
    world, before = case
    snapshot = world.snapshot(before)
    decision = split_step(snapshot, TUNING)
    check_check(world, snapshot, decision, before)
    mixed = tuple(
        replace(s, group=replace(s.group, members=tuple(permuted(s.group.members, lambda n: order % n))))
        for s in permuted(snapshot.groups, lambda n: order % n)
    )
    assert sizes(decision.grouping) == sizes(split_step(replace(snapshot, groups=mixed), TUNING).grouping)
    blind = split_step(replace(snapshot, groups=tuple(replace(s, **blank) for s in snapshot.groups)), TUNING)
    assert sizes(blind.grouping) == sizes(before)
    assert not blind.changed
    assert blind.steps == ()


def check_check(world: World, snapshot: Snapshot, decision: Decision, before: Grouping) -> None:
    check_grouping(decision.grouping, world)
    after = partition(decision.grouping)
    assert all(any(new <= old for old in partition(before)) for new in after)
    for state in snapshot.groups:
        members = frozenset(state.group.members)
        reasons = penalised(snapshot, state) | (state.throttled_by or set())
        if not reasons:
            assert sizes(decision.grouping).get(members) == state.group.slots
        for m in members:
            if frozenset({m}) in after and len(members) > 1:
                assert reasons
    assert decision.changed == (sizes(decision.grouping) != sizes(before))


@LAW
@given(grouped())
def test_penalties_end_within_a_bounded_number_of_checks(case: Case) -> None:
    """With slots to be had, checking again and again ends where no member of a group is penalised.

    Each check gives a suffering group at least one slot more or takes it apart, so it ends (the paper, appendix).
    """
    world, grouping = case
    world = replace(world, free_slots=None)
    for _ in range(sum(c.slots for c in world.candidates) + len(world.candidates) + 1):
        decision = split_step(world.snapshot(grouping), TUNING)
        grouping = decision.grouping
        if not decision.changed:
            break
    assert not decision.changed
    snapshot = world.snapshot(grouping)
    for state in snapshot.groups:
        if state.group.is_shared:
            assert not penalised(snapshot, state), state


@LAW
@given(worlds())
def test_merging_and_splitting_come_to_rest(world: World) -> None:
    """What one algorithm does the other does not undo for ever (the paper, appendix: FunShare converges)."""
    grouping = world.alone()
    for _ in range(4):
        grouping = merge_step(world.snapshot(grouping), TUNING).grouping
        grouping = split_step(world.snapshot(grouping), TUNING).grouping
    assert not merge_step(world.snapshot(grouping), TUNING).changed
    assert not split_step(world.snapshot(grouping), TUNING).changed


def three(**state: Any) -> Snapshot:
    """A group {a, b, c} with 3 slots; each has 2 alone, and would read 1000 rows per second."""
    queries = {n: CellQuery(frozenset({0}), frozenset({0})) for n in (A, B, C)}
    world = World(
        tuple(Candidate(n, 2, CLASS) for n in queries), {CLASS: CellLoads(queries, (3.5e6, 0.0, 0.0), (1.0,))}
    )
    group = Group(GroupId("g"), (A, B, C), state.pop("slots", 3), CLASS, "merged")
    known: dict[str, Any] = {"input_rps": 1000.0, "processed_rps": 1000.0, "idle": 0.1, "throttled_by": frozenset()}
    load = world.load(CLASS, (A, B, C))
    states = (GroupState(group, load, **{**known, **{k: v for k, v in state.items() if k != "free"}}),)
    candidates = {c.name: c for c in world.candidates}
    return Snapshot(5.0, states, candidates, world.loads, dict.fromkeys(queries, 1000.0), state.get("free"))


def told(decision: Decision) -> str:
    return " | ".join([s.because for s in decision.steps] + [r.because for r in decision.rejected])


def test_all_is_well() -> None:
    decision = split_step(three(), TUNING)
    assert (decision.at_s, decision.changed, decision.steps) == (5.0, False, ())


@pytest.mark.parametrize(("read", "slots"), [(951.0, 3), (949.0, 4)])
def test_penalised_is_below_the_tolerance(read: float, slots: int) -> None:
    decision = split_step(three(processed_rps=read), TUNING)
    assert sizes(decision.grouping) == {frozenset({"a", "b", "c"}): slots}


def test_a_tail_that_throttles_is_isolated_and_the_others_stay_together() -> None:
    decision = split_step(three(processed_rps=500.0, throttled_by=frozenset({B})), TUNING)
    assert sizes(decision.grouping) == {frozenset({"b"}): 2, frozenset({"a", "c"}): 3}
    assert [(s.kind, s.queries) for s in decision.steps] == [("split", ("b",))]
    assert "tail" in decision.steps[0].because


def test_all_throttle_alike_and_lose_nothing() -> None:
    snapshot = three(processed_rps=500.0, throttled_by=frozenset({A, B, C}))
    decision = split_step(replace(snapshot, alone_rps=dict.fromkeys((A, B, C), 500.0)), TUNING)
    assert not decision.changed
    assert "alike" in told(decision)


def test_a_throttling_tail_is_left_where_nobody_would_read_more_alone() -> None:
    snapshot = three(processed_rps=990.0, throttled_by=frozenset({B}))
    decision = split_step(snapshot, TUNING)
    assert not decision.changed
    assert "no member would read more alone" in told(decision)
    unknown = replace(snapshot, alone_rps={**snapshot.alone_rps, C: None})
    assert partition(split_step(unknown, TUNING).grouping) == {frozenset({"b"}), frozenset({"a", "c"})}


def test_more_slots_before_a_split() -> None:
    decision = split_step(three(processed_rps=800.0, free=5), TUNING)
    assert sizes(decision.grouping) == {frozenset({"a", "b", "c"}): 4}
    assert [s.kind for s in decision.steps] == ["slots"]


@pytest.mark.parametrize(("slots", "free", "why"), [(6, None, "it has all slots"), (3, 0, "no slot free")])
def test_without_more_slots_the_penalised_become_singletons(slots: int, free: int | None, why: str) -> None:
    snapshot = three(processed_rps=800.0, slots=slots, free=free)
    snapshot = replace(snapshot, alone_rps={A: 1000.0, B: 1000.0, C: 700.0})
    decision = split_step(snapshot, TUNING)
    assert partition(decision.grouping) == {frozenset({"a"}), frozenset({"b"}), frozenset({"c"})}
    assert [(s.kind, s.queries) for s in decision.steps] == [("split", ("a", "b"))]
    assert why in told(decision)


def test_all_penalised_get_what_they_were_promised() -> None:
    decision = split_step(three(processed_rps=800.0, slots=6), TUNING)
    assert sizes(decision.grouping) == {frozenset({n}): 2 for n in "abc"}


def test_a_query_of_unknown_reference_is_not_penalised() -> None:
    snapshot = three(processed_rps=100.0, slots=6)
    decision = split_step(replace(snapshot, alone_rps={A: None, B: None, C: None}), TUNING)
    assert not decision.changed


def test_free_slots_are_given_out_once() -> None:
    one = three(processed_rps=800.0, free=1)
    names = {A: QueryName("x"), B: QueryName("y"), C: QueryName("z")}
    other = replace(one.groups[0], group=replace(one.groups[0].group, id=GroupId("h"), members=tuple(names.values())))
    both = replace(
        one,
        groups=(*one.groups, other),
        candidates={**one.candidates, **{new: replace(one.candidates[old], name=new) for old, new in names.items()}},
        alone_rps=dict.fromkeys((A, B, C, *names.values()), 1000.0),
    )
    decision = split_step(both, TUNING)
    assert sizes(decision.grouping)[frozenset({"a", "b", "c"})] == 4
    assert frozenset({"x", "y", "z"}) not in sizes(decision.grouping)
