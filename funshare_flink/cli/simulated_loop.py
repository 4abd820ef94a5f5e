"""The daemon's own loop over the simulated cluster: the one place where both layers meet for the figures."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from funshare_flink.controller.loop import Brain, ControlLoop, LoopPorts
from funshare_flink.model.grouping import Grouping
from funshare_flink.ports import ChangeReport, ChangeState
from funshare_flink.sim.cluster import Moment, SimCluster, SimEvents, SimMetrics, all_alone
from funshare_flink.sim.figures.baselines import FUNSHARE, ISOLATED, merging
from funshare_flink.sim.figures.bench import Change, Order, Run, as_run, partition_of
from funshare_flink.sim.figures.paper_cluster import CALIBRATED, LOOP, LOOP_STARTS_S
from funshare_flink.sim.regroup import SimRegrouper
from funshare_flink.sim.sampler import SimSampler
from funshare_flink.sim.world import World


@dataclass
class _Clock:
    """The `Clock` port in steps; the moment at each step's end is kept."""

    cluster: SimCluster
    step_s: float
    moments: list[Moment] = field(default_factory=list)

    def now_s(self) -> float:
        return self.cluster.now_s

    def sleep(self, seconds: float) -> None:
        end = self.cluster.now_s + seconds
        while self.cluster.now_s < end - 1e-9:
            self.cluster.advance_to(min(end, self.cluster.now_s + self.step_s))
            self.moments.append(self.cluster.moment())


@dataclass
class _Regrouper:
    """The `Regrouper` port; keeps the changes that came to their end."""

    inner: SimRegrouper
    changes: list[Change] = field(default_factory=list)
    _before: frozenset[tuple[tuple[str, ...], int]] = frozenset()

    def running(self) -> Grouping:
        return self.inner.running()

    def begin(self, target: Grouping, now_s: float) -> None:
        self._before = _sizes(self.running())
        self.inner.begin(target, now_s)

    def poll(self, now_s: float) -> ChangeReport | None:
        report = self.inner.poll(now_s)
        if report is not None and report.state is ChangeState.DONE:
            fresh = [g for g in report.running.groups if (tuple(g.members), g.slots) not in self._before]
            self.changes.append(
                Change(
                    ended_s=now_s,
                    seconds=sum(s for _, s in report.phases),
                    phases=report.phases,
                    partition=partition_of(report.running.groups),
                    moved=sum(len(g.members) for g in fresh),
                )
            )
        return report


def _sizes(grouping: Grouping) -> frozenset[tuple[tuple[str, ...], int]]:
    return frozenset((tuple(g.members), g.slots) for g in grouping.groups)


def drive(world: World, order: Order) -> Run:
    """One run; `Drive` of the figures."""
    world = as_run(world, order.strategy, order.constrained)
    cluster = SimCluster(world, all_alone(world.queries))
    clock, regrouper = _Clock(cluster, order.step_s), _Regrouper(SimRegrouper(cluster))
    clock.sleep(LOOP_STARTS_S)
    ports = LoopPorts(clock, SimMetrics(cluster), SimSampler(cluster), regrouper, SimEvents())
    never = order.strategy == ISOLATED  # its merge steps would only cost samples
    settings = replace(LOOP, merge_interval_s=math.inf if never else order.merge_interval_s)
    candidates = {q.name: q.candidate for q in world.queries}
    ControlLoop(ports, candidates, settings, _brain(order)).run(order.until_s)
    return Run(tuple(clock.moments), tuple(regrouper.changes))


def _brain(order: Order) -> Brain:
    """Only FunShare has the means to split; a baseline takes the place of Algorithm 1."""
    if order.strategy == FUNSHARE:
        return Brain(tuning=order.tuning, prior=CALIBRATED)
    return Brain(merging(order.strategy, order.constrained), None, order.tuning, CALIBRATED)
