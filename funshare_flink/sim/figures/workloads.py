"""The paper's workloads as simulated queries: filters drawn by seed, slots given a priori (see `paper_cluster`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from random import Random

from funshare_flink.estimate.load import GroupLoad
from funshare_flink.model.ids import QueryName
from funshare_flink.sim.figures.paper_cluster import (
    COSTS,
    DELAYS,
    DOMAIN,
    JOIN,
    PULSE_RPS,
    TUNING,
    UDF_RPS,
    USABLE_US_PS,
    W1_RPS,
    W3_JOIN,
)
from funshare_flink.sim.physics import TrueLoads
from funshare_flink.sim.world import THE_CLASS, Join, Phase, SimQuery, SimTail, World, uniform

AVERAGE = "CategoryAvg"
SELLER = "SellerAvg"
ANOMALY = "PriceAnomaly"
SLOTS_PER_QUERY = 4
"""What a 10 % query of W1 has, and each query of W3, whose rate follows from it."""

Weights = tuple[float, ...]
EVEN: Weights = uniform(DOMAIN)


def steady(input_rps: float, weights: Weights = EVEN, from_s: float = 0.0) -> Phase:
    """`input_rps`: both inputs together, half on each."""
    return Phase(from_s, input_rps / 2, weights, weights)


def w1(queries: int, selectivity: tuple[float, float], seed: int) -> World:
    """Windowed averages behind the join; filters of a width drawn from `selectivity` at random places."""
    return provisioned(_world(_drawn(queries, selectivity, seed, lambda _: _average(AVERAGE)), W1_RPS, seed=seed))


def w2(queries: int, seed: int) -> World:
    """Three tails in turn, filters of 10 %: two light ones and one that does not scale, at a rate that it sustains."""
    tails = (_average(AVERAGE), _average(SELLER), anomaly())
    return provisioned(_world(_drawn(queries, (0.1, 0.1), seed, lambda i: tails[i % 3]), w2_rps(), seed=seed))


def w3(queries: int, seed: int) -> World:
    """W1 at 10 % with ten times the matches, at the rate that `SLOTS_PER_QUERY` sustain alone."""
    drawn = _drawn(queries, (0.1, 0.1), seed, lambda _: _average(AVERAGE))
    at_w1_rate = _world(drawn, W1_RPS, W3_JOIN, seed)
    rate = W1_RPS * load(at_w1_rate, drawn[:1]).sustained_factor(SLOTS_PER_QUERY, 1 - TUNING.headroom)
    return provisioned(at_rate(at_w1_rate, math.floor(rate / 100) * 100))


def prefixes(queries: int, seed: int) -> tuple[SimQuery, ...]:
    """W1's queries of Fig. 9: ranges of random length that all begin at the start of the domain."""
    random = Random(seed)
    ends = [int(random.random() * DOMAIN) for _ in range(queries)]
    return tuple(_query(i, (0, end), _average(AVERAGE)) for i, end in enumerate(ends))


def anomaly() -> SimTail:
    """The tail of PriceAnomaly queries: one subtask, full at `UDF_RPS` when the query keeps 10 % of both inputs."""
    rows_per_s = JOIN.pairs_per_s(UDF_RPS / 2, UDF_RPS / 2) * 0.1 * 0.1
    return SimTail(ANOMALY, 1e6 / rows_per_s, max_parallelism=1)


def w2_rps() -> float:
    """The input that the price-anomaly function sustains with head-room; its work grows with the rate's square."""
    return UDF_RPS * math.sqrt(1 - TUNING.headroom)


def heavy(world: World) -> frozenset[QueryName]:
    return frozenset(q.name for q in world.queries if q.tail.kind == ANOMALY)


def pulse(world: World, from_s: float, to_s: float) -> World:
    """The same with an input of `PULSE_RPS` for a while; slots stay those for the normal rate."""
    normal = world.phases[0]
    return replace(world, phases=(normal, steady(PULSE_RPS, from_s=from_s), replace(normal, from_s=to_s)))


def at_rate(world: World, input_rps: float) -> World:
    """The same under another steady rate; slots stay."""
    return replace(world, phases=tuple(replace(p, rate_rps=input_rps / 2) for p in world.phases))


def load(world: World, queries: Iterable[SimQuery]) -> GroupLoad:
    """What these queries need as one group in the world's first phase."""
    chosen = list(queries)
    found = TrueLoads(world, world.phases[0], chosen).of([q.name for q in chosen])
    assert found is not None
    return found


def provisioned(world: World) -> World:
    """Every query with the fewest slots that sustain its input alone; a tail that does not scale counts as it is."""
    return replace(world, queries=tuple(replace(q, slots=_slots(load(world, [q]))) for q in world.queries))


def _slots(alone: GroupLoad) -> int:
    return max(1, math.ceil(alone.total_us_ps / USABLE_US_PS - 1e-3))


def within_cluster(queries: Sequence[SimQuery], slots: int, seed: int) -> World:
    """These queries under the highest rate at which isolated execution needs at most `slots` in all."""
    low, high = 1_000.0, 1_000_000.0
    while high - low > 100:
        middle = (low + high) / 2
        world = provisioned(_world(queries, middle, seed=seed))
        low, high = (middle, high) if sum(q.slots for q in world.queries) <= slots else (low, middle)
    return provisioned(_world(queries, low, seed=seed))


def _drawn(
    queries: int, selectivity: tuple[float, float], seed: int, tail: Callable[[int], SimTail]
) -> tuple[SimQuery, ...]:
    """The first n queries are the same for every number of queries."""
    random = Random(seed)
    drawn = []
    for i in range(queries):
        share = selectivity[0] + (selectivity[1] - selectivity[0]) * random.random()
        width = max(1, round(DOMAIN * share))
        start = int(random.random() * (DOMAIN - width + 1))
        drawn.append(_query(i, (start, start + width - 1), tail(i)))
    return tuple(drawn)


def _query(number: int, kept: tuple[int, int], tail: SimTail) -> SimQuery:
    return SimQuery(QueryName(f"q{number:03d}"), kept, kept, tail, 1, THE_CLASS)


def _average(kind: str) -> SimTail:
    return SimTail(kind, COSTS.tail.us)


def _world(queries: Sequence[SimQuery], input_rps: float, join: Join = JOIN, seed: int = 1) -> World:
    return World(queries=tuple(queries), phases=(steady(input_rps),), join=join, costs=COSTS, delays=DELAYS, seed=seed)
