"""Fig. 9: 32 queries with prefix ranges while the filter attribute goes from uniform to Zipfian and to another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import fmean

from funshare_flink.sim.figures import workloads
from funshare_flink.sim.figures.baselines import (
    FUNSHARE,
    ISOLATED,
    LABELS,
    OVERLAP,
    PAPERS_BASELINES,
    SELECTIVITY,
    SHARING_BASELINES,
)
from funshare_flink.sim.figures.bench import Bench, Order, Run, partition_of
from funshare_flink.sim.figures.paper_cluster import (
    CLUSTER_SLOTS,
    DOMAIN,
    FIRST_ZIPF_S,
    SECOND_ZIPF_S,
    SHIFT_RUN_S,
    ZIPF_EXPONENT,
)
from funshare_flink.sim.figures.pulse import STEPS_S
from funshare_flink.sim.figures.results import Figure, Panel, Row, Verdict
from funshare_flink.sim.figures.timeline import alone_rps, mean_rps, over_time, penalty, serving_slots, short_s
from funshare_flink.sim.world import World, zipf

QUERIES = 32
ENDS_S = {"uniform": FIRST_ZIPF_S - 5, "first Zipf": SECOND_ZIPF_S - 5, "second Zipf": SHIFT_RUN_S - 5}
"""When each phase is judged: at its end, when all have adapted."""

_CLOSE = 0.03


@dataclass(frozen=True)
class Shift:
    """Every strategy's run; unconstrained baselines, as all of them can sustain the input."""

    world: World
    runs: Mapping[str, Run]

    def slots(self, strategy: str, phase: str) -> int:
        return serving_slots(self.runs[strategy].at(ENDS_S[phase]))

    def groups(self, strategy: str, phase: str) -> int:
        return len(self.runs[strategy].at(ENDS_S[phase]).groups)

    def mean_rps(self, strategy: str, phase: str) -> float:
        return mean_rps(self.runs[strategy].at(ENDS_S[phase]))

    def penalty(self, strategy: str, phase: str) -> float:
        return penalty(self.world, self.runs[strategy].at(ENDS_S[phase]))


def world_of(seed: int) -> World:
    """The rate: the highest at which isolated execution fits into the paper's cluster under the first distribution."""
    start = workloads.within_cluster(workloads.prefixes(QUERIES, seed), CLUSTER_SLOTS, seed)
    rate = 2 * start.phases[0].rate_rps
    first = workloads.steady(rate, zipf(DOMAIN, ZIPF_EXPONENT, 0), FIRST_ZIPF_S)
    second = workloads.steady(rate, zipf(DOMAIN, ZIPF_EXPONENT, DOMAIN // 2), SECOND_ZIPF_S)
    return replace(start, phases=(start.phases[0], first, second))


EVERYONE = (ISOLATED, *SHARING_BASELINES, FUNSHARE)


def measure(bench: Bench, strategies: tuple[str, ...] = EVERYONE) -> Shift:
    world = world_of(bench.seed)
    return Shift(world, {s: bench.run(world, Order(s, SHIFT_RUN_S, step_s=STEPS_S.get(s, 10.0))) for s in strategies})


def figure(bench: Bench) -> Figure:
    found = measure(bench)
    rates = tuple(over_time(LABELS[s], run, lambda m: mean_rps(m) / 1000) for s, run in found.runs.items())
    slots = tuple(over_time(LABELS[s], run, lambda m: float(serving_slots(m))) for s, run in found.runs.items())
    panels = (
        Panel(
            "Fig. 9: shifts of the distribution, W1", "Time (s)", "Average throughput (k records/s)", rates, steps=True
        ),
        Panel("", "Time (s)", "Resources (task slots)", slots, steps=True),
    )
    verdicts = (
        _full_in_the_middle(found), _finer_around(found), _one_plan(found), _sharing_wins(found),
        _selectivity_penalises(found), _isolation(found), _fewest(found),
    )  # fmt: skip
    return Figure("9", "Shifts of the filter attribute's distribution, 32 queries", _rows(found), panels, verdicts)


def _full_in_the_middle(found: Shift) -> Verdict:
    groups = found.groups(FUNSHARE, "first Zipf")
    measured = f"{groups} groups at {ENDS_S['first Zipf']:.0f} s"
    return Verdict("9", "In the first Zipfian phase FunShare converges to full sharing", measured, groups == 1)


def _finer_around(found: Shift) -> Verdict:
    partitions = [partition_of(found.runs[FUNSHARE].at(ENDS_S[p]).groups) for p in ("uniform", "second Zipf")]
    measured = ", ".join(
        f"{p}: groups of {' and '.join(str(len(g)) for g in partition)}"
        for p, partition in zip(("uniform", "second Zipf"), partitions, strict=True)
    )
    finer = [len(p) > 1 for p in partitions]
    why = "" if all(finer) else (
        "full sharing of the phase before still carries every query there, and Algorithm 2 splits only when one reads "
        "less than alone"
    )  # fmt: skip
    holds = all(finer) and partitions[0] != partitions[1]
    return Verdict("9", "Before and after it: two different, finer partitions", measured, holds, why)


def _one_plan(found: Shift) -> Verdict:
    groups = {p: found.groups(OVERLAP, p) for p in ENDS_S}
    measured = ", ".join(f"{p}: {n} groups" for p, n in groups.items())
    claim = "Overlap-Sharing employs a single shared plan, like Full-Sharing"
    return Verdict("9", claim, measured, all(n == 1 for n in groups.values()))


def _sharing_wins(found: Shift) -> Verdict:
    phase = "first Zipf"
    sharing = (*PAPERS_BASELINES, FUNSHARE)
    more = all(found.mean_rps(s, phase) > found.mean_rps(ISOLATED, phase) * (1 + _CLOSE) for s in sharing)
    fewer = all(found.slots(s, phase) < found.slots(ISOLATED, phase) for s in sharing)
    measured = ", ".join(
        f"{LABELS[s]} {found.mean_rps(s, phase) / 1000:.1f} k on {found.slots(s, phase)} slots"
        for s in (ISOLATED, *sharing)
    )
    claim = "In the first Zipfian phase all sharing is faster than isolated execution, on fewer slots"
    return Verdict("9", claim, measured, more and fewer)


def _selectivity_penalises(found: Shift) -> Verdict:
    factor = found.penalty(SELECTIVITY, "second Zipf")
    faster = found.mean_rps(SELECTIVITY, "second Zipf") > found.mean_rps(ISOLATED, "second Zipf")
    moments = [m for m in found.runs[SELECTIVITY].moments if m.at_s > SECOND_ZIPF_S]
    worst = max(penalty(found.world, m) for m in moments)
    measured = (
        f"at the phase's end by {factor:.2f}, at its worst by {worst:.2f}; mean throughput above isolated: {faster}"
    )
    holds = 1.15 <= worst <= 1.45
    why = "" if holds else (
        "its two groups get the slots that they need at each merge step, and their members' slots suffice for that: "
        "prefix ranges contain each other, so a group costs what its widest query costs"
    )  # fmt: skip
    claim = "In the second Zipfian phase Selectivity-Sharing penalises some query by about 1.3"
    return Verdict("9", claim, measured, holds, why)


def _isolation(found: Shift) -> Verdict:
    """At the phases' ends; how long it takes to get there is told."""
    factors = {p: found.penalty(FUNSHARE, p) for p in ENDS_S}
    short = short_s(found.world, found.runs[FUNSHARE], 0.0, SHIFT_RUN_S)
    measured = "worst query reads alone over here: " + ", ".join(f"{p} {f:.2f}" for p, f in factors.items())
    measured += f"; some query reads less than alone for {short:.0f} s of {SHIFT_RUN_S:.0f} s"
    claim = "FunShare penalises no query once it has adapted to a phase"
    return Verdict("9", claim, measured, all(f <= 1 + _CLOSE for f in factors.values()))


def _fewest(found: Shift) -> Verdict:
    others = (ISOLATED, *PAPERS_BASELINES)
    slots = {p: {s: found.slots(s, p) for s in (FUNSHARE, *others)} for p in ENDS_S}
    losses = [f"{LABELS[s]} in {p}" for p, n in slots.items() for s in others if n[s] < n[FUNSHARE]]
    measured = "; ".join(f"{p}: " + ", ".join(f"{LABELS[s]} {k}" for s, k in n.items()) for p, n in slots.items())
    why = "" if not losses else f"fewer slots: {', '.join(losses)}. {_why_fewer(found)}"
    return Verdict("9", "FunShare has the fewest slots throughout", measured, not losses, why)


def _why_fewer(found: Shift) -> str:
    groups = ", ".join(f"{p}: {found.groups(FUNSHARE, p)}" for p in ENDS_S)
    return (
        "A union of prefix ranges is its widest range, so one plan for all needs the fewest; FunShare's groups are "
        f"{groups}, and a group that fits keeps its slots until clearly fewer would do"
    )


def _rows(found: Shift) -> tuple[Row, ...]:
    rows: list[Row] = []
    for strategy, run in found.runs.items():
        for m in run.moments:
            if m.at_s % 10:
                continue
            alone = alone_rps(found.world, m.at_s)
            rows.append(
                {
                    "strategy": LABELS[strategy],
                    "at_s": m.at_s,
                    "mean_rps": mean_rps(m),
                    "alone_mean_rps": fmean(alone.values()),
                    "largest_penalty": penalty(found.world, m),
                    "serving_slots": serving_slots(m),
                    "slots_with_starting": m.slots,
                    "groups": len(m.groups),
                }
            )
    return tuple(rows)
