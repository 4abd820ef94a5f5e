"""The `Regrouper` port over a simulated cluster: a replay hand-over, or a stop and a start where slots are short.

The new generations of the changed groups start beside the old ones, catch up and take over; the old ones serve until
then (design, section 7). It takes longer the more operators the new jobs have. When the cluster has no slots for both,
the groups pause instead and what arrives meanwhile waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from funshare_flink.model.errors import NotReadyError
from funshare_flink.model.grouping import Group, Grouping
from funshare_flink.ports import ChangeReport, ChangeState
from funshare_flink.sim.cluster import SimCluster

SHARED_OPERATORS = 7
"""Of a group's plan: two scans, two tags, join, meet, exchange."""

OPERATORS_PER_QUERY = 5
"""Route, local and global aggregate, projection, sink."""


@dataclass(frozen=True)
class _Change:
    target: Grouping
    began_s: float
    phases: tuple[tuple[str, float], ...]
    pauses: bool
    fails: bool

    @property
    def ends_s(self) -> float:
        return self.began_s + sum(s for _, s in self.phases)


class SimRegrouper:
    """One change at a time. `history`: every change that ended, with its seconds by phase."""

    def __init__(self, cluster: SimCluster) -> None:
        self._cluster = cluster
        self._random = Random(cluster.world.seed + 1)
        self._change: _Change | None = None
        self.history: list[ChangeReport] = []

    def running(self) -> Grouping:
        return self._cluster.grouping()

    def begin(self, target: Grouping, now_s: float) -> None:
        if self._change is not None:
            raise NotReadyError("a change of the grouping is under way")
        fresh = self._fresh(target)
        pauses = not self._fits_beside(fresh)
        if not pauses:
            self._cluster.prepare(fresh)
        fails = self._random.random() < self._cluster.world.noise.rollback
        self._change = _Change(target, now_s, self._phases(fresh, pauses), pauses, fails)

    def _fresh(self, target: Grouping) -> list[Group]:
        """Groups of the target that do not run as they are wanted."""
        running = {(g.members, g.slots) for g in self.running().groups}
        return [g for g in target.groups if (g.members, g.slots) not in running]

    def _fits_beside(self, fresh: list[Group]) -> bool:
        most = self._cluster.world.cluster_slots
        return most is None or self._cluster.slots + sum(g.slots for g in fresh) <= most

    def _phases(self, fresh: list[Group], pauses: bool) -> tuple[tuple[str, float], ...]:
        delays = self._cluster.world.delays
        operators = sum(SHARED_OPERATORS + OPERATORS_PER_QUERY * len(g.members) for g in fresh)
        start = delays.start_s + delays.per_operator_s * operators
        return (("pause", delays.pause_s + start),) if pauses else (("start", start), ("catch up", delays.catch_up_s))

    def poll(self, now_s: float) -> ChangeReport | None:
        change = self._change
        if change is None:
            return None
        if now_s < change.ends_s:
            return ChangeReport(ChangeState.RUNNING, self.running(), self._cluster.slots)
        self._change = None
        report = self._rolled_back(change) if change.fails else self._done(change)
        self.history.append(report)
        return report

    def _rolled_back(self, change: _Change) -> ChangeReport:
        self._cluster.abandon()
        reason = "the new generation did not catch up"
        return ChangeReport(ChangeState.ROLLED_BACK, self.running(), self._cluster.slots, change.phases, reason)

    def _done(self, change: _Change) -> ChangeReport:
        pause_s = change.ends_s - change.began_s if change.pauses else 0.0
        if change.pauses:
            self._cluster.prepare(self._fresh(change.target))
        self._cluster.switch(change.target, pause_s)
        return ChangeReport(ChangeState.DONE, self.running(), self._cluster.slots, change.phases)
