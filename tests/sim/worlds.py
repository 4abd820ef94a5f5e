"""Small simulated worlds and the loop over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from funshare_flink.controller.loop import Brain, ControlLoop, LoopPorts
from funshare_flink.estimate.coefficients import STAGES, Coefficient, Coefficients
from funshare_flink.model.ids import QueryName
from funshare_flink.settings import LoopSettings
from funshare_flink.sim.cluster import SimClock, SimCluster, SimEvents, SimMetrics, all_alone
from funshare_flink.sim.physics import TrueLoads
from funshare_flink.sim.regroup import SimRegrouper
from funshare_flink.sim.sampler import SimSampler
from funshare_flink.sim.world import Noise, Phase, SimQuery, SimTail, World, uniform

DOMAIN = 20
COSTS_US = (0.5, 0.1, 2.0, 0.1, 0.001, 0.05, 0.0)
COSTS = Coefficients(**{s: Coefficient(us, 0.0) for s, us in zip(STAGES, COSTS_US, strict=True)})
CALIBRATED = Coefficients(**{s: Coefficient(us, us * 0.1) for s, us in zip(STAGES, COSTS_US, strict=True)})
"""What the loop starts with: right, and known to a tenth."""

ROWS = 3000
"""Sampled of each input: fewer than in production, for speed."""

LIGHT = SimTail("light", 0.1)


def query(number: int, low: int, width: int, tail: SimTail = LIGHT, slots: int = 1) -> SimQuery:
    kept = (low, min(DOMAIN - 1, low + width - 1))
    return SimQuery(QueryName(f"q{number:03d}"), kept, kept, tail, slots)


def world(queries: Sequence[SimQuery], rate_rps: float = 20_000.0, *phases: Phase, **more: object) -> World:
    """Queries with the slots that carry them at `rate_rps`, under a uniform distribution unless phases are given."""
    steady = Phase(0.0, rate_rps, uniform(DOMAIN), uniform(DOMAIN))
    found = World(tuple(queries), phases or (steady,), costs=COSTS, noise=Noise(sample_rows=ROWS))
    truth = TrueLoads(found, steady, queries)
    sized = []
    for q in queries:
        load = truth.of([q.name])
        assert load is not None
        slots = load.slots_needed(1.0)
        while load.sustained_factor(slots) < 1 and slots < 20:
            slots += 1
        sized.append(replace(q, slots=slots))
    return replace(found, queries=tuple(sized), **more)  # type: ignore[arg-type]


class Run:
    """A loop over a world, and what was seen of it after each cycle."""

    def __init__(self, found: World, settings: LoopSettings | None = None, brain: Brain | None = None) -> None:
        self.cluster = SimCluster(found, all_alone(found.queries))
        self.slots: list[tuple[float, int]] = []
        self.events = SimEvents()
        self.regrouper = SimRegrouper(self.cluster)
        clock = SimClock(
            self.cluster, lambda c: self.slots.append((c.now_s, sum(j.group.slots for j in c.jobs.values())))
        )
        ports = LoopPorts(clock, SimMetrics(self.cluster), SimSampler(self.cluster), self.regrouper, self.events)
        candidates = {q.name: q.candidate for q in found.queries}
        self.loop = ControlLoop(ports, candidates, settings or LoopSettings(), brain or Brain(prior=CALIBRATED))

    def _look(self, cluster: SimCluster) -> None:
        self.slots.append((cluster.now_s, cluster.grouping().slots))

    def until(self, at_s: float) -> Run:
        self.loop.run(at_s)
        return self

    @property
    def groups(self) -> frozenset[tuple[QueryName, ...]]:
        return frozenset(j.group.members for j in self.cluster.jobs.values())

    def lag(self) -> dict[QueryName, float]:
        return {q: j.lag for j in self.cluster.jobs.values() for q in j.group.members}


@st.composite
def queries(draw: st.DrawFn, most: int = 8) -> list[SimQuery]:
    count = draw(st.integers(2, most))
    tails = st.sampled_from([LIGHT, LIGHT, SimTail("heavy", 3.0, 2)])
    return [query(i, draw(st.integers(0, DOMAIN - 1)), draw(st.integers(1, DOMAIN)), draw(tails)) for i in range(count)]


def twelve(width: int = 4) -> list[SimQuery]:
    """Twelve queries of the same selectivity at random places."""
    random = Random(3)
    return [query(i, int(random.random() * (DOMAIN - width)), width) for i in range(12)]
