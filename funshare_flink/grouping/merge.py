"""Algorithm 1: merge groups to a fixed point, the cheapest pair first (paper, section IV-A; design, section 5).

In each share class all pairs of groups are scored once; then, again and again, the pair with the lowest cost below the
threshold is merged and only the new group's pairs are scored. A pair's cost is the larger of both directions of
GroupingCost. Queries of different share classes never meet; pinned queries and groups of which something is not known
take no part. Changes of slots are decided at the end, with the merges, as one change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.load import Loads, UnionLoads
from funshare_flink.grouping.cost import Side, grouping_cost
from funshare_flink.grouping.decision import Decision, MergeCost, Rejected, Step
from funshare_flink.grouping.merging_group import (
    MergingGroup,
    backpressure_guard,
    merging_group,
    united,
    why_not_united,
)
from funshare_flink.grouping.naming import group_id
from funshare_flink.grouping.pairs import PairCosts
from funshare_flink.grouping.resources import slots_for
from funshare_flink.grouping.snapshot import GroupState, Snapshot
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Group, Grouping
from funshare_flink.model.ids import ShareClassId

BLOCK = 2048
"""Groups that are scored against each other at once. More are merged inside blocks first and then across what is left:
the pairs of 10,000 groups would be 50 million, of which nearly all are never looked at again."""

_SHRINK_MARGIN = 0.05
"""Slots are taken away only if the load fits with so much more head-room: noise must not move them to and fro."""


@dataclass
class _Record:
    """What happened so far, in order."""

    steps: list[Step] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


def merge_step(snapshot: Snapshot, tuning: Tuning) -> Decision:
    """The grouping after merging to a fixed point, with slots; `changed` False when nothing is to be done."""
    record = _Record()
    done: list[Group] = []
    for share_class, states in _by_class(snapshot).items():
        loads = snapshot.loads.get(share_class) if share_class is not None else None
        if share_class is None or loads is None:
            done += [s.group for s in states]
            continue
        done += _merge_class(share_class, loads, states, snapshot, (tuning, record))
    return _decision(snapshot, done, record)


def _by_class(snapshot: Snapshot) -> dict[ShareClassId | None, list[GroupState]]:
    """Groups by share class; those that never share (no class, a pinned member) under None."""
    found: dict[ShareClassId | None, list[GroupState]] = {}
    for state in sorted(snapshot.groups, key=lambda s: min(s.group.members)):
        pinned = any(snapshot.candidates[m].pinned for m in state.group.members)
        found.setdefault(None if pinned else state.group.share_class, []).append(state)
    return found


def _merge_class(
    share_class: ShareClassId,
    loads: Loads,
    states: Sequence[GroupState],
    snapshot: Snapshot,
    context: tuple[Tuning, _Record],
) -> list[Group]:
    """The class's groups afterwards."""
    tuning, record = context
    kept: list[Group] = []
    before: dict[tuple[str, ...], GroupState] = {}
    merging: list[MergingGroup] = []
    for state in states:
        group = merging_group(state, snapshot, tuning)
        if isinstance(group, str):
            kept.append(state.group)
            record.rejected.append(Rejected(state.group.members, f"left as it is: {group}"))
        else:
            merging.append(group)
            before[tuple(group.members)] = state
    merged = merge_to_fixed_point(loads, merging, tuning, record.steps, record.rejected)
    return kept + [_group(g, before.get(tuple(g.members)), share_class, context) for g in merged]


def merge_to_fixed_point(
    loads: Loads, groups: Sequence[MergingGroup], tuning: Tuning, steps: list[Step], rejected: list[Rejected]
) -> list[MergingGroup]:
    """Algorithm 1 over groups of one share class; appends what it did and what it did not.

    With more than `BLOCK` groups it works inside blocks (in the order of names) until their number is small or no
    block can be made smaller, then over all that are left: so the result is a fixed point over all pairs.
    """
    live = sorted(groups, key=lambda g: min(g.members))
    while len(live) > BLOCK:
        blocks = [live[i : i + BLOCK] for i in range(0, len(live), BLOCK)]
        smaller = [g for block in blocks for g in _Merge(loads, block, tuning, steps).run()]
        smaller.sort(key=lambda g: min(g.members))
        if len(smaller) > 0.9 * len(live):
            live = smaller
            break
        live = smaller
    last = _Merge(loads, live, tuning, steps)
    result = last.run()
    rejected += last.rejected()
    return result


class _Merge:
    """One run of Algorithm 1 over the groups of one share class."""

    def __init__(self, loads: Loads, groups: Sequence[MergingGroup], tuning: Tuning, steps: list[Step]) -> None:
        self._tuning = tuning
        self._steps = steps
        self._groups: dict[int, MergingGroup] = dict(enumerate(groups))
        self._reasons: dict[tuple[int, int], str] = {}
        self._any_throttled = any(g.throttled for g in groups)
        self._unions = loads.unions([g.members for g in groups]) if len(groups) > 1 else None

    def run(self) -> list[MergingGroup]:
        if self._unions is None:
            return list(self._groups.values())
        self._costs = PairCosts(self._unions, self._array("slots"), self._array("idle"))
        self._costs.score_all(self._all_blocked())
        while (pair := self._costs.cheapest()) is not None and pair[2] < self._tuning.merge_threshold:
            self._try(pair[0], pair[1])
        return list(self._groups.values())

    def rejected(self) -> list[Rejected]:
        """The best option of every remaining group that was not taken."""
        if self._unions is None:
            return [
                Rejected(g.members, "no other group of its share class can be judged") for g in self._groups.values()
            ]
        return [self._best_rejected(self._unions, number) for number in self._groups]

    def _best_rejected(self, unions: UnionLoads, number: int) -> Rejected:
        group, partner = self._groups[number], self._costs.partner(number)
        reason = next((r for (a, b), r in self._reasons.items() if number in (a, b)), None)
        if partner is None:
            return Rejected(group.members, reason or "no partner: all others are blocked")
        cost = self._cost(unions, number, partner[0])
        because = f"costs {cost.cost:.2f}, not below {self._tuning.merge_threshold:g}"
        return Rejected(group.members + self._groups[partner[0]].members, reason or because, cost)

    def _try(self, first: int, second: int) -> None:
        """Merge the cheapest pair, or strike it out when the union would break a promise."""
        assert self._unions is not None
        one, two = self._groups[first], self._groups[second]
        cost, load = self._cost(self._unions, first, second), self._unions.union(first, second)
        reason = why_not_united(one, two, load, self._tuning)
        if reason is None and not cost.cost < self._tuning.merge_threshold:
            reason = f"costs {cost.cost:.2f}, not below {self._tuning.merge_threshold:g}"
        if reason is not None:
            self._reasons[first, second] = reason
            self._costs.forbid(first, second)
            return
        group = united(one, two, load, self._tuning)
        del self._groups[first], self._groups[second]
        number = self._unions.merge(first, second)
        self._groups[number] = group
        self._reasons = {pair: r for pair, r in self._reasons.items() if first not in pair and second not in pair}
        self._costs.merged(first, second, group.slots, group.idle, self._blocked_with(number))
        self._steps.append(_merge_step(one, two, group, cost))

    def _cost(self, unions: UnionLoads, first: int, second: int) -> MergeCost:
        one, two = self._groups[first], self._groups[second]
        load_one, load_two = (float(unions.totals()[n]) for n in (first, second))
        union = float(unions.with_each(first, np.array([second]))[0])
        a, b = Side(load_one, one.slots, one.idle), Side(load_two, two.slots, two.idle)
        return MergeCost(
            one.members, two.members, load_one, load_two, union, one.slots, two.slots, one.idle, two.idle,
            into_first=grouping_cost(union, a, b), into_second=grouping_cost(union, b, a),
        )  # fmt: skip

    def _array(self, name: str) -> NDArray[np.float64]:
        return np.array([getattr(g, name) for g in self._groups.values()], dtype=float)

    def _all_blocked(self) -> NDArray[np.bool_] | None:
        """[groups, groups]; None when nobody is throttled, which is the rule."""
        if not self._any_throttled:
            return None
        size = len(self._groups)
        blocked = np.zeros((size, size), dtype=bool)
        for number, group in self._groups.items():
            if group.throttled:
                blocked[number, :] |= self._blocked_with(number)
                blocked[:, number] = blocked[number, :]
        return blocked

    def _blocked_with(self, number: int) -> NDArray[np.bool_]:
        """[numbers ever given] which groups must not merge with this one, by the backpressure guard."""
        size = len(self._unions.totals()) if self._unions is not None else 0
        blocked = np.zeros(size, dtype=bool)
        if not self._any_throttled:
            return blocked
        mine = self._groups[number]
        for other, theirs in self._groups.items():
            if mine.throttled or theirs.throttled:
                reason = None if other == number else backpressure_guard(mine, theirs, self._tuning)
                if reason is not None:
                    blocked[other] = True
                    self._reasons[min(number, other), max(number, other)] = reason
        return blocked


def _merge_step(one: MergingGroup, two: MergingGroup, group: MergingGroup, cost: MergeCost) -> Step:
    share = cost.load_union / (cost.load_first + cost.load_second)
    because = f"cost {cost.cost:.2f}: the union's load is {share:.0%} of both"
    return Step("merge", two.members, group_id(None, group.members), because, cost)


def _group(
    group: MergingGroup, before: GroupState | None, share_class: ShareClassId, context: tuple[Tuning, _Record]
) -> Group:
    """The group to have; slots by the Resource Manager."""
    tuning, record = context
    if before is not None:
        return _resized(group, before, tuning, record)
    slots = slots_for(group.load, group.slots_alone, tuning.headroom)
    return Group(group_id(share_class, group.members), group.members, slots, share_class, "merged")


def _resized(group: MergingGroup, before: GroupState, tuning: Tuning, record: _Record) -> Group:
    """A group that did not merge keeps its slots but for a clear reason. A query alone has what its owner gave it."""
    old = before.group
    if not old.is_shared:
        return old
    slots = slots_for(group.load, group.slots_alone, tuning.headroom)
    if slots < old.slots:
        slots = min(old.slots, slots_for(group.load, group.slots_alone, tuning.headroom + _SHRINK_MARGIN))
    if slots == old.slots:
        return old
    numbers = (("load_slots", group.load.total_us_ps / 1e6), ("slots_before", old.slots), ("slots", slots))
    record.steps.append(
        Step("slots", old.members, old.id, f"{slots} slots carry its load, it has {old.slots}", None, numbers)
    )
    return Group(old.id, old.members, slots, old.share_class, old.reason)


def _decision(snapshot: Snapshot, groups: list[Group], record: _Record) -> Decision:
    before = {(s.group.members, s.group.slots) for s in snapshot.groups}
    ordered = tuple(sorted(groups, key=lambda g: min(g.members)))
    changed = {(g.members, g.slots) for g in ordered} != before
    grouping = Grouping("funshare", ordered)
    return Decision(snapshot.taken_at_s, grouping, changed, tuple(record.steps), tuple(record.rejected))
