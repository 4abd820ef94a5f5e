"""What figures run on: baselines on one moment's truth, and the daemon's own loop over virtual time.

The loop belongs to a layer that the simulator must not see (`controller`), so whoever makes figures hands in a `Drive`.
Results are kept for the run: figures that ask the same thing get the same answer without computing it again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol

from funshare_flink.estimate.load import GroupLoad
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Group
from funshare_flink.model.ids import QueryName
from funshare_flink.sim.cluster import Moment
from funshare_flink.sim.figures.baselines import SHARING_BASELINES, chosen
from funshare_flink.sim.figures.paper_cluster import TUNING
from funshare_flink.sim.figures.workloads import load
from funshare_flink.sim.world import World

Partition = tuple[tuple[QueryName, ...], ...]


@dataclass(frozen=True)
class Order:
    """One run of the loop from all queries alone to `until_s`; a moment is kept each `step_s`."""

    strategy: str
    until_s: float
    constrained: bool = False
    tuning: Tuning = TUNING
    merge_interval_s: float = 60.0
    step_s: float = 10.0


@dataclass(frozen=True)
class Change:
    """One change of plans. `seconds`: from its begin to the switch; `phases` of it. `partition`: who runs with whom
    afterwards. `moved`: queries whose group changed, in members or slots."""

    ended_s: float
    seconds: float
    phases: tuple[tuple[str, float], ...]
    partition: Partition
    moved: int


@dataclass(frozen=True)
class Run:
    """What came of it: moments in order, and the changes of plans."""

    moments: tuple[Moment, ...]
    changes: tuple[Change, ...]

    @property
    def last(self) -> Moment:
        return self.moments[-1]

    def at(self, at_s: float) -> Moment:
        """The last moment at or before this time."""
        return max((m for m in self.moments if m.at_s <= at_s + 1e-6), key=lambda m: m.at_s, default=self.moments[0])


class Drive(Protocol):
    """Runs a strategy in the daemon's loop over a world."""

    def __call__(self, world: World, order: Order) -> Run: ...


@dataclass
class Bench:
    """`seed`: of filters, samples and noise."""

    seed: int
    drive: Drive
    _runs: dict[tuple[World, Order], Run] = field(default_factory=dict)
    _chosen: dict[tuple[World, str, bool], Partition] = field(default_factory=dict)

    def run(self, world: World, order: Order) -> Run:
        key = (world, order)
        if key not in self._runs:
            self._runs[key] = self.drive(world, order)
        return self._runs[key]

    def partition(self, world: World, strategy: str, constrained: bool = False) -> Partition:
        key = (world, strategy, constrained)
        if key not in self._chosen:
            self._chosen[key] = partition_of(chosen(world, strategy, constrained).groups)
        return self._chosen[key]


def as_run(world: World, strategy: str, constrained: bool) -> World:
    """The paper's unconstrained baselines share tails of one kind too (section VI-A); nobody else does."""
    return replace(world, share_tails=strategy in SHARING_BASELINES and not constrained)


def needed_slots(world: World, partition: Partition) -> int | None:
    """Fewest slots that carry the world's first input with head-room; None if no number of slots can."""
    usable = 1 - TUNING.headroom
    loads = [group_load(world, group) for group in partition]
    if any(found.sustained_factor(1_000_000, usable) < 1 - 1e-3 for found in loads):
        return None
    return sum(max(1, math.ceil(found.total_us_ps / (1e6 * usable) - 1e-3)) for found in loads)


def sustained_rps(world: World, partition: Partition, undisturbed: float = 1.0) -> float:
    """The largest input that every group sustains with the slots that its members have alone.

    undisturbed: share of a slot that nothing else takes (Fig. 10b: watching takes some).
    """
    usable = (1 - TUNING.headroom) * undisturbed
    slots = {q.name: q.slots for q in world.queries}
    factors = [group_load(world, g).sustained_factor(sum(slots[q] for q in g), usable) for g in partition]
    return min(factors) * 2 * world.phases[0].rate_rps


def group_load(world: World, group: Iterable[str]) -> GroupLoad:
    """What these queries need as one group, in truth."""
    chosen = set(group)
    return load(world, [q for q in world.queries if q.name in chosen])


def partition_of(groups: tuple[Group, ...]) -> Partition:
    """Who runs with whom, in an order that does not depend on names of groups."""
    return tuple(sorted(tuple(sorted(g.members)) for g in groups))
