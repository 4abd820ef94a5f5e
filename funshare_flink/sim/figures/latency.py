"""Fig. 11a: end-to-end latency of W1 at 10 % with isolated execution's input and at most its slots.

A record's service time is the CPU time that its group spends per record, and a slot serves one record after another:

    S = Load(g) / rate            rho = Load(g) / (slots x 1 s)            T = S / (1 - rho),  unbounded for rho >= 1

Source: mean time in an M/M/1 queue (Kleinrock, Queueing Systems, volume 1, section 3.2), one queue a slot. S grows with
the pairs that a record meets in the group's union: that is what a query waits for in a plan larger than its own. The
time in Kafka and in windows is the same for all and left out.
"""

from __future__ import annotations

import math
from statistics import fmean

from funshare_flink.sim.figures import workloads
from funshare_flink.sim.figures.baselines import (
    FULL,
    FUNSHARE,
    ISOLATED,
    LABELS,
    PAPERS_BASELINES,
    SELECTIVITY,
    SHARING_BASELINES,
)
from funshare_flink.sim.figures.bench import Bench, Partition, as_run, group_load, partition_of
from funshare_flink.sim.figures.paper_cluster import QUERY_COUNTS
from funshare_flink.sim.figures.resources import steady_run
from funshare_flink.sim.figures.results import Figure, Line, Panel, Row, Verdict
from funshare_flink.sim.world import World

ALL_SLOTS = "funshare_all_slots"
"""FunShare's groups with all slots of isolated execution, as the baselines; FunShare itself takes fewer."""

_NAMES = {**LABELS, ALL_SLOTS: "FunShare, all slots"}

_SINGLE_PLAN_FROM = 64
_MUCH = 2.0
"""A single plan's latency is called much higher when it is this many times FunShare's."""

Latencies = dict[str, dict[int, float]]


def mean_latency_ms(world: World, groups: list[tuple[tuple[str, ...], int]]) -> float:
    """Over all queries. `groups`: members and slots; infinite when one group's queue has no bound."""
    found: list[float] = []
    for members, slots in groups:
        load_us_ps = group_load(world, members).total_us_ps
        rho = load_us_ps / (slots * 1e6)
        service_ms = load_us_ps / (2 * world.phases[0].rate_rps) / 1000
        found += [service_ms / (1 - rho) if rho < 1 else math.inf] * len(members)
    return fmean(found)


def _with_all_slots(world: World, partition: Partition) -> list[tuple[tuple[str, ...], int]]:
    slots = {q.name: q.slots for q in world.queries}
    return [(group, sum(slots[q] for q in group)) for group in partition]


def measure(bench: Bench) -> tuple[Latencies, dict[str, dict[int, int]]]:
    """Latencies in ms and numbers of groups, by strategy and number of queries."""
    strategies = (ISOLATED, *SHARING_BASELINES, FUNSHARE, ALL_SLOTS)
    latency: Latencies = {s: {} for s in strategies}
    groups: dict[str, dict[int, int]] = {s: {} for s in strategies}
    for n in QUERY_COUNTS:
        world = workloads.w1(n, (0.1, 0.1), bench.seed)
        chosen = {ISOLATED: _with_all_slots(world, tuple((q.name,) for q in world.queries))}
        chosen |= {s: _with_all_slots(world, bench.partition(world, s)) for s in SHARING_BASELINES}
        ours = steady_run(bench, world).last.groups
        chosen[ALL_SLOTS] = _with_all_slots(world, partition_of(ours))
        chosen[FUNSHARE] = [(tuple(g.members), g.slots) for g in ours]
        for s, with_slots in chosen.items():
            latency[s][n] = mean_latency_ms(as_run(world, s, False), with_slots)
            groups[s][n] = len(with_slots)
    return latency, groups


def figure(bench: Bench) -> Figure:
    latency, groups = measure(bench)
    rows: tuple[Row, ...] = tuple(
        {"queries": n, **{f"{s}_ms": None if math.isinf(v[n]) else v[n] for s, v in latency.items()}}
        for n in QUERY_COUNTS
    )
    lines = tuple(
        Line(_NAMES[s], QUERY_COUNTS, tuple(None if math.isinf(v[n]) else v[n] for n in QUERY_COUNTS))
        for s, v in latency.items()
    )
    panel = Panel("Fig. 11a: latency, W1 10 %", "Number of queries", "Mean latency of a record (ms)", lines, log_y=True)
    verdicts = (_unbounded(latency), _single_plans(latency, groups), _small(latency))
    return Figure(
        "11a", "End-to-end latency at isolated execution's input; empty: without bound", rows, (panel,), verdicts
    )


def _unbounded(latency: Latencies) -> Verdict:
    few = (16, 32)
    holds = all(math.isinf(latency[s][n]) for s in (FULL, SELECTIVITY) for n in few)
    measured = ", ".join(f"{LABELS[s]} {n}: {_ms(latency[s][n])}" for s in (FULL, SELECTIVITY) for n in few)
    claim = "Full-Sharing and Selectivity-Sharing: latency without bound at 16 and 32 queries"
    return Verdict("11a", claim, measured, holds, anchor=True)


def _single_plans(latency: Latencies, groups: dict[str, dict[int, int]]) -> Verdict:
    many = [n for n in QUERY_COUNTS if n >= _SINGLE_PLAN_FROM]
    single = all(groups[s][n] == 1 for s in PAPERS_BASELINES for n in many)
    much = all(latency[s][n] >= _MUCH * latency[FUNSHARE][n] for s in PAPERS_BASELINES for n in many)
    measured = "; ".join(
        f"{LABELS[s]} " + ", ".join(f"{n}: {groups[s][n]} groups, {_ms(latency[s][n])}" for n in many)
        for s in (*PAPERS_BASELINES, FUNSHARE)
    )
    several = [f"{LABELS[s]} at {n}" for s in PAPERS_BASELINES for n in many if groups[s][n] > 1]
    why = f"more than one group: {', '.join(several)}" if several else ""
    claim = f"From 64 queries on all baselines use one plan, with at least {_MUCH:g} times FunShare's latency"
    return Verdict("11a", claim, measured, single and much, why)


def _small(latency: Latencies) -> Verdict:
    ratios = {n: latency[FUNSHARE][n] / latency[ISOLATED][n] for n in QUERY_COUNTS}
    lowest, where = min(
        (latency[s][n] / latency[ISOLATED][n], f"{LABELS[s]} at {n}")
        for s in PAPERS_BASELINES
        for n in QUERY_COUNTS
        if n >= _SINGLE_PLAN_FROM
    )
    measured = "FunShare over isolated: " + ", ".join(f"{n}: {r:.1f}" for n, r in ratios.items())
    measured += f"; the lowest of the baselines from 64 queries on: {lowest:.1f} ({where})"
    holds = not any(math.isinf(r) for r in ratios.values()) and max(ratios.values()) < lowest
    why = "" if holds else "FunShare runs on its own, far fewer slots at about 90 % use; the baselines have all"
    return Verdict("11a", "FunShare's latency is bounded and grows less than every baseline's", measured, holds, why)


def _ms(value: float) -> str:
    return "without bound" if math.isinf(value) else f"{value:.2f} ms"
