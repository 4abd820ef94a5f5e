"""The Resource Manager's numbers, what holds merges back, names of groups, and the story that is told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.estimate.load import GroupLoad, TailLoad
from funshare_flink.grouping.decision import Decision, Step
from funshare_flink.grouping.hysteresis import Wish, held_back
from funshare_flink.grouping.merge import merge_step
from funshare_flink.grouping.naming import group_id
from funshare_flink.grouping.resources import slots_for
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Group, Grouping
from funshare_flink.model.ids import GroupId, QueryName, ShareClassId
from tests.grouping.laws import LAW, sizes
from tests.grouping.test_greedy import light

A, B = QueryName("a"), QueryName("b")
CLASS = ShareClassId("c1")


@pytest.mark.parametrize(
    ("us_ps", "most", "slots"), [(1.0, 9, 1), (0.9e6, 9, 1), (0.91e6, 9, 2), (3.6e6, 9, 4), (8.2e6, 9, 9), (50e6, 9, 9)]
)
def test_fewest_slots_with_headroom(us_ps: float, most: int, slots: int) -> None:
    assert slots_for(GroupLoad(us_ps, 0.0, ()), most, 0.1) == slots


def test_sized_for_the_peak() -> None:
    """Twice the rate: rows twice, pairs four times."""
    load = GroupLoad(1e6, 0.5e6, ())
    assert slots_for(load, 20, 0.0) == 2
    assert slots_for(load, 20, 0.0, peak_factor=2.0) == 4


def test_a_tail_that_does_not_scale_gets_no_slots_for_nothing() -> None:
    load = GroupLoad(0.2e6, 0.0, (TailLoad(A, 1.5e6, 1),))
    assert slots_for(load, 8, 0.0) == 2


loads = st.builds(
    GroupLoad,
    st.floats(1e3, 5e6),
    st.floats(0, 5e6),
    st.lists(
        st.builds(TailLoad, st.just(A), st.floats(0, 3e6), st.sampled_from([None, 1, 2])), max_size=3
    ).map(tuple),
    st.sampled_from([1.0, 2.0]),
)  # fmt: skip


@LAW
@given(loads, st.integers(1, 20), st.sampled_from([0.0, 0.1, 0.3]), st.sampled_from([1.0, 1.7]))
def test_slots_lie_between_one_and_most_and_carry_what_most_would(
    load: GroupLoad, most: int, headroom: float, peak: float
) -> None:
    slots = slots_for(load, most, headroom, peak)
    assert 1 <= slots <= most
    reached = min(1.0, load.sustained_factor(slots))
    assert reached >= min(1.0, load.sustained_factor(most)) * (1 - 1e-9)
    assert slots_for(load, most + 1, headroom, peak) >= slots


def test_a_merged_group_is_sized_for_the_highest_peak_of_its_members() -> None:
    world = light([(0, 10)] * 4)
    snapshot = world.snapshot(world.alone())
    peaked = replace(snapshot, groups=(replace(snapshot.groups[0], peak_factor=1.5), *snapshot.groups[1:]))
    (usual,) = merge_step(snapshot, Tuning()).grouping.groups
    (most,) = merge_step(peaked, Tuning()).grouping.groups
    assert most.slots > usual.slots


def merged(at_s: float, slots: int = 2) -> Decision:
    group = Group(group_id(CLASS, (A, B)), (A, B), slots, CLASS, "merged")
    return Decision(at_s, Grouping("funshare", (group,)), True, (Step("merge", (A, B), group.id, "cheap"),))


def test_a_merge_waits_until_it_came_out_the_same_for_long_enough() -> None:
    decision, wish = held_back(merged(100.0), None, 60.0)
    assert not decision.changed
    assert decision.steps == ()
    assert "not yet" in decision.rejected[0].because
    decision, wish = held_back(merged(159.0), wish, 60.0)
    assert not decision.changed
    decision, wish = held_back(merged(160.0), wish, 60.0)
    assert decision == merged(160.0)
    assert wish is None


def test_another_wish_starts_anew_and_none_forgets() -> None:
    _, wish = held_back(merged(100.0), None, 60.0)
    _, wish = held_back(merged(150.0, slots=3), wish, 60.0)
    assert wish is not None
    assert wish.since_s == 150.0
    kept = replace(merged(170.0), changed=False, steps=())
    assert held_back(kept, wish, 60.0) == (kept, None)


def test_no_window_no_wait() -> None:
    assert held_back(merged(1.0), None, 0.0) == (merged(1.0), None)


@LAW
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 2)), min_size=1, max_size=8))
def test_only_what_stayed_the_same_over_the_window_passes(history: list[tuple[int, int]]) -> None:
    wish: Wish | None = None
    now, since, last = 0.0, 0.0, None
    for gap, slots in history:
        now += gap
        since = since if slots == last else now
        decision, wish = held_back(merged(now, slots), wish, 30.0)
        assert decision.changed == (now - since >= 30.0)
        last = None if decision.changed else slots


def test_names_of_groups_depend_on_members_only() -> None:
    assert group_id(CLASS, (A,)) == GroupId("a")
    assert group_id(CLASS, (A, B)) == group_id(CLASS, (B, A))
    assert group_id(CLASS, (A, B)) != group_id(ShareClassId("c2"), (A, B))


def test_a_shared_group_gives_slots_back_only_for_a_clear_reason() -> None:
    world = light([(0, 10)] * 3)
    (group,) = merge_step(world.snapshot(world.alone()), Tuning()).grouping.groups
    for slots, expected in ((12, group.slots), (group.slots, group.slots), (1, group.slots)):
        drawn = Grouping("funshare", (replace(group, slots=slots),))
        assert sizes(merge_step(world.snapshot(drawn), Tuning()).grouping) == {frozenset(group.members): expected}
