"""What holds of every grouping and every merge decision, for the tests of laws."""

from __future__ import annotations

import math

from hypothesis import settings

from funshare_flink.grouping.decision import Decision
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Grouping
from tests.grouping.cell_loads import World

LAW = settings(max_examples=1000, deadline=None)


def partition(grouping: Grouping) -> set[frozenset[str]]:
    return {frozenset(g.members) for g in grouping.groups}


def sizes(grouping: Grouping) -> dict[frozenset[str], int]:
    return {frozenset(g.members): g.slots for g in grouping.groups}


def check_grouping(found: Grouping, world: World, most_slots: bool = True) -> None:
    """A partition; classes never mixed; pinned queries alone as they were; never more slots than the members alone."""
    by_name = {c.name: c for c in world.candidates}
    assert sorted(m for g in found.groups for m in g.members) == sorted(by_name)
    assert len({g.id for g in found.groups}) == len(found.groups)
    for g in found.groups:
        members = [by_name[m] for m in g.members]
        assert {m.share_class for m in members} == {g.share_class}
        assert g.reason
        assert g.slots >= 1
        assert not most_slots or g.slots <= sum(m.slots for m in members)
        if any(m.pinned or m.share_class is None for m in members):
            assert len(members) == 1
            assert g.slots == members[0].slots


def check_merges(decision: Decision, before: Grouping, tuning: Tuning) -> None:
    """The story is the decision: what the steps say, merged in their order, ends in its partition; each one cheap."""
    live = partition(before)
    slots = {m: s for g in before.groups for m, s in [(frozenset(g.members), g.slots)]}
    for step in decision.steps:
        if step.kind == "merge":
            assert step.cost is not None
            assert -1e-9 <= step.cost.cost < tuning.merge_threshold
            assert step.cost.cost == max(step.cost.into_first, step.cost.into_second)
            first, second = frozenset(step.cost.first), frozenset(step.cost.second)
            assert {first, second} <= live
            assert step.cost.slots_first == slots.get(first, step.cost.slots_first)
            live = live - {first, second} | {first | second}
    assert live == partition(decision.grouping)
    assert decision.changed == (sizes(decision.grouping) != sizes(before))
    assert decision.changed or decision.steps == ()


def check_rejected(decision: Decision, world: World) -> None:
    """Every query that could share is told why it does not share more."""
    told = {m for r in decision.rejected for m in r.queries}
    assert {c.name for c in world.candidates if c.share_class is not None and not c.pinned} <= told
    for r in decision.rejected:
        assert r.because
        assert r.cost is None or math.isfinite(r.cost.cost)


def check_isolation(world: World, grouping: Grouping) -> None:
    """Functional isolation in the model: no group reads less than any member would alone with its own slots."""
    alone = {g.members[0]: world.factor(g) for g in world.alone().groups}
    for g in grouping.groups:
        assert all(world.factor(g) >= alone[m] * (1 - 1e-9) for m in g.members), g
