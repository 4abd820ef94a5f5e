"""Algorithm 1 over the groups of one share class: the cheapest pair first, until none is below the threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from funshare_flink.estimate.load import GroupLoad, Loads, UnionLoads
from funshare_flink.grouping.bars import Bars, why_barred
from funshare_flink.grouping.blocks import BLOCK, similar_blocks
from funshare_flink.grouping.cost import Side, grouping_cost
from funshare_flink.grouping.decision import MergeCost, Rejected
from funshare_flink.grouping.merging_group import (
    MergingGroup,
    carries_all,
    named,
    united,
    united_by_load,
    why_not_united,
)
from funshare_flink.grouping.pairs import PairCosts
from funshare_flink.grouping.tuning import Tuning

_PROGRESS = 0.9
"""Blocks are formed again as long as they leave at most this share of the groups."""


@dataclass(frozen=True)
class Merge:
    """One merge that was done: the group that it made, of which two, at what cost."""

    group: MergingGroup
    cost: MergeCost


@dataclass
class Story:
    """What was done, in order, and what was not."""

    merges: list[Merge] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


def merge_to_fixed_point(
    loads: Loads, groups: Sequence[MergingGroup], tuning: Tuning
) -> tuple[list[MergingGroup], Story]:
    """The groups after merging, every one with its load in full, and how they came about.

    With more than `BLOCK` groups merging begins inside blocks of similar groups, then goes on over what is left. Unions
    are ranked by `UnionLoads`, which may be coarse; what comes out is checked once more against the load in full, and
    a group that does not pass falls back to the two that it was made of.
    """
    story = Story()
    live = _by_name(groups)
    while len(live) > BLOCK:
        smaller = _by_name([g for block in _blocks(loads, live) for g in _Run(loads, block, tuning, story).run()])
        done = len(smaller) <= _PROGRESS * len(live)
        live = smaller
        if not done:
            break
    last = _Run(loads, live, tuning, story)
    merged = last.run()
    story.rejected += last.rejected()
    full = {id(g): _with_load(g, load) for group in merged for g, load in _checked(group, loads, tuning, story)}
    kept = {id(g): g for group in full.values() for g in _parts(group)} | full
    story.merges = [Merge(kept[id(m.group)], m.cost) for m in story.merges if id(m.group) in kept]
    return _by_name(list(full.values())), story


def _by_name(groups: Sequence[MergingGroup]) -> list[MergingGroup]:
    return sorted(groups, key=lambda g: min(g.members))


def _blocks(loads: Loads, groups: Sequence[MergingGroup]) -> Iterator[list[MergingGroup]]:
    unions = loads.unions([g.members for g in groups])
    if unions is None:
        return iter([list(groups)])
    blocks = similar_blocks(unions)
    return ([groups[i] for i in block] for block in blocks)


def _parts(group: MergingGroup) -> Iterator[MergingGroup]:
    """All groups that the group was made of."""
    todo = list(group.made_of or ())
    while todo:
        found = todo.pop()
        yield found
        todo += found.made_of or ()


def _checked(
    group: MergingGroup, loads: Loads, tuning: Tuning, story: Story
) -> Iterator[tuple[MergingGroup, GroupLoad | None]]:
    """The group, with its load in full, if that confirms it; else the two that it was made of, each checked."""
    todo = [group]
    while todo:
        one = todo.pop()
        if one.made_of is None:
            yield one, one.load
            continue
        load = one.load if one.load is not None else loads.of(one.members)
        reason = "its load is not known" if load is None else why_not_united(*one.made_of, load, tuning)
        if reason is None:
            yield one, load
        else:
            story.rejected.append(Rejected(one.members, f"undone after a look at the whole sample: {reason}"))
            todo += one.made_of


def _with_load(group: MergingGroup, load: GroupLoad | None) -> MergingGroup:
    return group if load is None else replace(group, load=load, total_us_ps=load.total_us_ps)


class _Run:
    """One run of Algorithm 1; groups are numbered in the order of their names."""

    def __init__(self, loads: Loads, groups: Sequence[MergingGroup], tuning: Tuning, story: Story) -> None:
        self._tuning = tuning
        self._story = story
        self._groups: dict[int, MergingGroup] = dict(enumerate(groups))
        self._struck: dict[tuple[int, int], str] = {}
        self._unions = loads.unions([g.members for g in groups]) if len(groups) > 1 else None
        if self._unions is not None:
            self._bars = Bars(groups, tuning)
            slots, idle = (np.array([getattr(g, name) for g in groups], dtype=float) for name in ("slots", "idle"))
            self._costs = PairCosts(self._unions, slots, idle, self._bars, tuning.merge_threshold)

    def run(self) -> list[MergingGroup]:
        if self._unions is not None:
            while (pair := self._costs.cheapest()) is not None:
                self._try(self._unions, *pair)
        return list(self._groups.values())

    def _try(self, unions: UnionLoads, first: int, second: int) -> None:
        """Merge the cheapest pair, or strike it out when the union would break a promise."""
        one, two = self._groups[first], self._groups[second]
        cost = self._cost(unions, first, second)
        if not cost.cost < self._tuning.merge_threshold:  # the last digit: many are computed in another order than one
            self._costs.bar(first, second)
            return
        if carries_all(one, two, cost.load_union, self._tuning):
            group = united(one, two, cost.load_union, self._tuning)
        else:
            load = unions.union(first, second)
            reason = why_not_united(one, two, load, self._tuning)
            if reason is not None:
                self._struck[first, second] = reason
                self._costs.bar(first, second)
                return
            group = united_by_load(one, two, load, self._tuning)
        unions.merge(first, second)
        self._groups[first] = group
        del self._groups[second]
        self._bars.put(first, group)
        self._costs.merged(first, second, group.slots, group.idle)
        if self._struck:
            self._struck = {pair: r for pair, r in self._struck.items() if not {first, second} & set(pair)}
        self._story.merges.append(Merge(group, cost))

    def _cost(self, unions: UnionLoads, first: int, second: int) -> MergeCost:
        one, two = self._groups[first], self._groups[second]
        totals = unions.totals()
        load_one, load_two = float(totals[first]), float(totals[second])
        union = float(unions.with_each(first, np.array([second]))[0])
        a, b = Side(load_one, one.slots, one.idle), Side(load_two, two.slots, two.idle)
        return MergeCost(
            one.members, two.members, load_one, load_two, union, one.slots, two.slots, one.idle, two.idle,
            into_first=grouping_cost(union, a, b), into_second=grouping_cost(union, b, a),
        )  # fmt: skip

    def rejected(self) -> list[Rejected]:
        """The best option of every group that is left."""
        if self._unions is None:
            because = "no other group of its share class can be judged"
            return [Rejected(g.members, because) for g in self._groups.values()]
        return [self._best_rejected(self._unions, number) for number in self._groups]

    def _best_rejected(self, unions: UnionLoads, number: int) -> Rejected:
        group, other = self._groups[number], self._costs.closest(number)
        if other is None:
            return Rejected(group.members, "no other group of its share class can be judged")
        partner, pair = self._groups[other], (min(number, other), max(number, other))
        cost = self._cost(unions, number, other)
        reason = self._struck.get(pair) or why_barred(group, partner, self._tuning)
        costs = f"with {named(partner)} costs {cost.cost:.2f}, not below {self._tuning.merge_threshold:g}"
        return Rejected(group.members + partner.members, f"with {named(partner)}: {reason}" if reason else costs, cost)
