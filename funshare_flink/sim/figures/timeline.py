"""What the dynamic figures ask of a run: throughput, slots and queues over time, and what a query would read alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from statistics import fmean

from funshare_flink.model.ids import QueryName
from funshare_flink.sim.cluster import Moment
from funshare_flink.sim.figures.bench import Run
from funshare_flink.sim.figures.results import Line
from funshare_flink.sim.physics import TrueLoads
from funshare_flink.sim.world import Phase, World


def serving_slots(moment: Moment) -> int:
    """Slots of the groups that serve; a generation that starts beside its predecessor is not counted."""
    return sum(g.slots for g in moment.groups)


def mean_rps(moment: Moment, queries: Iterable[QueryName] | None = None) -> float:
    """Mean records per second that the queries read of what arrives now (all queries, if none are named)."""
    chosen = moment.read_rps if queries is None else list(queries)
    return fmean(moment.read_rps[q] for q in chosen)


def queue_growth_rps(run: Run, from_s: float, to_s: float, queries: Iterable[QueryName]) -> float:
    """Mean growth of the queries' queues between two times, records per second."""
    before, after = run.at(from_s), run.at(to_s)
    seconds = after.at_s - before.at_s
    return fmean((after.lag[q] - before.lag[q]) / seconds for q in queries)


def alone_rps(world: World, at_s: float) -> Mapping[QueryName, float]:
    """What each query reads alone with its own slots, in truth."""
    return _alone_rps(world, world.phase_at(at_s))


@lru_cache(maxsize=64)
def _alone_rps(world: World, phase: Phase) -> Mapping[QueryName, float]:
    truth, arriving = TrueLoads(world, phase, world.queries), 2 * phase.rate_rps
    found = {}
    for q in world.queries:
        load = truth.of([q.name])
        assert load is not None
        found[q.name] = arriving * min(1.0, load.sustained_factor(q.slots))
    return found


def penalty(world: World, moment: Moment) -> float:
    """The largest factor by which a query reads less than alone; 1: nobody does."""
    alone = alone_rps(world, moment.at_s)
    return max(max(1.0, alone[q] / max(rps, 1e-9)) for q, rps in moment.read_rps.items())


def short_s(world: World, run: Run, from_s: float, to_s: float, tolerance: float = 0.03) -> float:
    """Seconds between two times in which some query reads less than it would alone, by more than the tolerance."""
    inside = [m for m in run.moments if from_s < m.at_s <= to_s]
    starts = [from_s, *(m.at_s for m in inside)]
    return sum(
        m.at_s - began_s for began_s, m in zip(starts, inside, strict=False) if penalty(world, m) > 1 + tolerance
    )


def over_time(name: str, run: Run, value: Callable[[Moment], float]) -> Line:
    return Line(name, tuple(m.at_s for m in run.moments), tuple(value(m) for m in run.moments))
