"""Algorithm 1: merge groups to a fixed point, the cheapest pair first (paper, section IV-A; design, section 5).

In each share class all pairs of groups are scored once; then, again and again, the pair with the lowest cost below the
threshold is merged and only the new group's pairs are scored. A pair's cost is the larger of both directions of
GroupingCost. Queries of different share classes never meet; pinned queries and groups of which something is not known
take no part. Changes of slots are decided at the end, with the merges, as one change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from funshare_flink.estimate.load import SLOT_US_PS, Loads
from funshare_flink.grouping.decision import Decision, Rejected, Step
from funshare_flink.grouping.greedy import Merge, merge_to_fixed_point
from funshare_flink.grouping.merging_group import MergingGroup, merging_group, named
from funshare_flink.grouping.naming import group_id
from funshare_flink.grouping.resources import slots_for
from funshare_flink.grouping.snapshot import GroupState, Snapshot
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Group, Grouping
from funshare_flink.model.ids import GroupId, QueryName, ShareClassId

_SHRINK_MARGIN = 0.05
"""Slots are taken away only if the load fits with so much more head-room, and given only when half of the head-room is
used up: noise must not move them to and fro."""


@dataclass
class _Record:
    """What happened so far, in order."""

    steps: list[Step] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


@dataclass(frozen=True)
class _Class:
    """One share class in this step. `peaks`: see `GroupState.peak_factor`, by query."""

    id: ShareClassId
    loads: Loads
    states: Sequence[GroupState]
    peaks: Mapping[QueryName, float]
    tuning: Tuning
    record: _Record

    def peak(self, group: MergingGroup) -> float:
        return max(self.peaks[m] for m in group.members)


def merge_step(snapshot: Snapshot, tuning: Tuning) -> Decision:
    """The grouping after merging to a fixed point, with slots; `changed` False when nothing is to be done."""
    record = _Record()
    done: list[Group] = []
    for share_class, states in _by_class(snapshot).items():
        loads = snapshot.loads.get(share_class) if share_class is not None else None
        if share_class is None:
            done += [s.group for s in states]
        elif loads is None:
            done += [s.group for s in states]
            record.rejected += [Rejected(s.group.members, "the loads of its share class are not known") for s in states]
        else:
            peaks = {m: max(1.0, s.peak_factor or 1.0) for s in states for m in s.group.members}
            done += _merge_class(_Class(share_class, loads, states, peaks, tuning, record), snapshot)
    return _decision(snapshot, done, record)


def _by_class(snapshot: Snapshot) -> dict[ShareClassId | None, list[GroupState]]:
    """Groups by share class; those that never share (no class, a pinned member) under None."""
    found: dict[ShareClassId | None, list[GroupState]] = {}
    for state in sorted(snapshot.groups, key=lambda s: min(s.group.members)):
        pinned = any(snapshot.candidates[m].pinned for m in state.group.members)
        found.setdefault(None if pinned else state.group.share_class, []).append(state)
    return found


def _merge_class(share: _Class, snapshot: Snapshot) -> list[Group]:
    """The class's groups afterwards."""
    kept: list[Group] = []
    before: dict[frozenset[str], GroupState] = {}
    merging: list[MergingGroup] = []
    for state in share.states:
        group = merging_group(state, snapshot, share.tuning)
        if isinstance(group, str):
            kept.append(state.group)
            share.record.rejected.append(Rejected(state.group.members, f"left as it is: {group}"))
        else:
            merging.append(group)
            before[frozenset(group.members)] = state
    merged, story = merge_to_fixed_point(share.loads, merging, share.tuning)
    share.record.steps += [_merge(m, share) for m in story.merges]
    share.record.rejected += story.rejected
    return kept + [_group(g, before.get(frozenset(g.members)), share) for g in merged]


def _merge(merge: Merge, share: _Class) -> Step:
    cost, group = merge.cost, merge.group
    part = cost.load_union / (cost.load_first + cost.load_second)
    first, second = group.made_of or (group, group)
    because = (
        f"{named(first)} with {named(second)}: cost {cost.cost:.2f} is below {share.tuning.merge_threshold:g}; "
        f"the union's load is {part:.0%} of both"
    )
    numbers = (("threshold", share.tuning.merge_threshold), ("slots", float(group.slots)))
    return Step("merge", group.members, group_id(share.id, group.members), because, cost, numbers)


def _group(group: MergingGroup, before: GroupState | None, share: _Class) -> Group:
    """The group to have; slots by the Resource Manager."""
    if before is not None:
        return _resized(group, before, share)
    load, most = group.load, group.slots_alone
    slots = most if load is None else slots_for(load, most, share.tuning.headroom, share.peak(group))
    found = group_id(share.id, group.members)
    share.record.steps.append(_sized(group, found, slots, "its members have alone", share))
    reason = f"merged: {group.total_us_ps / SLOT_US_PS:.2f} slots of load instead of {most} slots alone"
    return Group(found, group.members, slots, share.id, reason)


def _resized(group: MergingGroup, before: GroupState, share: _Class) -> Group:
    """A group that did not merge keeps its slots but for a clear reason. A query alone has what its owner gave it."""
    old, headroom = before.group, share.tuning.headroom
    if not old.is_shared or group.load is None:
        return old
    peak = share.peak(group)
    slots = slots_for(group.load, group.slots_alone, headroom, peak)
    if slots < old.slots:
        slots = min(old.slots, slots_for(group.load, group.slots_alone, min(0.99, headroom + _SHRINK_MARGIN), peak))
    elif slots_for(group.load, group.slots_alone, headroom / 2, peak) <= old.slots:
        slots = old.slots
    if slots == old.slots:
        return old
    share.record.steps.append(_sized(group, old.id, slots, f"it has {old.slots}, its members alone", share))
    return Group(old.id, old.members, slots, old.share_class, old.reason)


def _sized(group: MergingGroup, found: GroupId, slots: int, beside: str, share: _Class) -> Step:
    """How a group came to its slots."""
    load_slots, headroom, peak = group.total_us_ps / SLOT_US_PS, share.tuning.headroom, share.peak(group)
    because = (
        f"{slots} slots carry its load of {load_slots:.2f} slots with {headroom:.0%} head-room"
        if slots < group.slots_alone or load_slots <= slots * (1 - headroom)
        else f"{slots} slots, no more, for a load of {load_slots:.2f} slots"
    )
    numbers = (
        ("load_slots", load_slots), ("slots_before", float(group.slots)), ("slots", float(slots)),
        ("slots_alone", float(group.slots_alone)), ("headroom", headroom), ("peak_factor", peak),
    )  # fmt: skip
    return Step("slots", group.members, found, f"{because}; {beside} {group.slots_alone}", None, numbers)


def _decision(snapshot: Snapshot, groups: list[Group], record: _Record) -> Decision:
    before = {(frozenset(s.group.members), s.group.slots) for s in snapshot.groups}
    ordered = tuple(sorted(groups, key=lambda g: min(g.members)))
    changed = {(frozenset(g.members), g.slots) for g in ordered} != before
    grouping = Grouping("funshare", ordered)
    return Decision(snapshot.taken_at_s, grouping, changed, tuple(record.steps), tuple(record.rejected))
