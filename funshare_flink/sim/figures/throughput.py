"""Fig. 7: the largest input that all queries sustain with as many slots as isolated execution has.

Every strategy forms its groups at the workload's own rate; then the rate rises until the first group cannot follow
with the slots that its members have alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

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
from funshare_flink.sim.figures.bench import Bench, Order, Partition, as_run, partition_of, sustained_rps
from funshare_flink.sim.figures.resources import STEADY_S
from funshare_flink.sim.figures.results import Figure, Line, Panel, Row, Verdict
from funshare_flink.sim.world import World

VARIANTS: Mapping[str, tuple[str, tuple[float, float], tuple[int, ...], int]] = {
    "7a": ("W1, 10 %", (0.1, 0.1), (16, 32, 48, 64, 96, 128), 64),
    "7b": ("W1, 1-20 %", (0.01, 0.2), (16, 32, 48, 64, 96), 48),
}
"""What, selectivities, numbers of queries, and below how many queries full sharing penalises in the paper."""

RAISED_S = 200.0
"""How long the loop has to give slots after the rate has risen."""

_JUST_BELOW = 0.95

_TIE = 0.995


@dataclass(frozen=True)
class Throughput:
    """Records per second, both inputs together, by strategy and number of queries."""

    rps: Mapping[str, Mapping[int, float]]
    read: Mapping[int, float]
    """Share of the input that FunShare's slowest group reads when the rate has risen to 95 % of its throughput."""

    def relative(self, strategy: str, queries: int) -> float:
        """To isolated execution."""
        return self.rps[strategy][queries] / self.rps[ISOLATED][queries]

    def gain(self, strategy: str, queries: int) -> float:
        """FunShare's throughput over a strategy's."""
        return self.rps[FUNSHARE][queries] / self.rps[strategy][queries]


def measure(bench: Bench, name: str) -> Throughput:
    _, selectivity, counts, _ = VARIANTS[name]
    read: dict[int, float] = {}
    rps: dict[str, dict[int, float]] = {s: {} for s in (ISOLATED, *SHARING_BASELINES, FUNSHARE)}
    for n in counts:
        world = workloads.w1(n, selectivity, bench.seed)
        alone = tuple((q.name,) for q in world.queries)
        rps[ISOLATED][n] = sustained_rps(world, alone)
        for strategy in SHARING_BASELINES:
            rps[strategy][n] = baseline_rps(bench, world, strategy)
        rps[FUNSHARE][n] = sustained_rps(world, funshare_partition(bench, world))
        read[n] = kept_up(bench, world, rps[FUNSHARE][n])
    return Throughput(rps, read)


def baseline_rps(bench: Bench, world: World, strategy: str) -> float:
    """As for FunShare, the partition is that of the workload's own rate."""
    return sustained_rps(as_run(world, strategy, False), bench.partition(world, strategy))


def funshare_partition(bench: Bench, world: World) -> Partition:
    """The groups that the loop forms at the workload's own rate. They stay while the rate rises: groups get slots up to
    those of their members, and a split needs a penalised query."""
    return partition_of(bench.run(world, Order(FUNSHARE, STEADY_S)).last.groups)


def kept_up(bench: Bench, world: World, rate_rps: float) -> float:
    """The proof by the loop: the groups form, the rate rises to just below `rate_rps`, and the loop gives slots. Share
    of the input that the slowest group reads in the end."""
    normal = world.phases[0]
    faster = workloads.steady(_JUST_BELOW * rate_rps, from_s=STEADY_S)
    run = bench.run(replace(world, phases=(normal, faster)), Order(FUNSHARE, STEADY_S + RAISED_S))
    return min(run.last.read_rps.values()) / run.last.input_rps


def figure(bench: Bench, name: str) -> Figure:
    """7a or 7b."""
    about, _, counts, below = VARIANTS[name]
    found = measure(bench, name)
    rows = tuple(_row(found, n) for n in counts)
    lines = tuple(Line(LABELS[s], counts, tuple(r[n] / 1000 for n in counts)) for s, r in found.rps.items())
    panel = Panel(f"Fig. {name}: {about}", "Number of queries", "Throughput (k records/s)", lines)
    verdicts = (
        _never_below(name, found, counts),
        *(_crossing(name, found, s, (counts, below)) for s in (FULL, SELECTIVITY)),
        _gain(name, found, counts),
        _confirmed(name, found),
    )
    return Figure(
        name, f"Maximum sustainable throughput at isolated execution's slots, {about}", rows, (panel,), verdicts
    )


def _row(found: Throughput, queries: int) -> Row:
    rates: Row = {f"{strategy}_rps": by_queries[queries] for strategy, by_queries in found.rps.items()}
    return {"queries": queries, **rates, "funshare_read_share_after_rise": found.read[queries]}


def _confirmed(name: str, found: Throughput) -> Verdict:
    """Not in the paper; what FunShare's groups could sustain, the loop has to find the slots for."""
    short = [n for n, share in found.read.items() if share < 1 - 1e-9]
    measured = "share of the input read: " + ", ".join(f"{n}: {share:.2f}" for n, share in found.read.items())
    why = f"too few slots given at {', '.join(map(str, short))} queries after {RAISED_S:.0f} s" if short else ""
    claim = "(Not in the paper:) when the input rises to 95 % of that, the loop gives the slots that it needs"
    return Verdict(name, claim, measured, not short, why)


def _never_below(name: str, found: Throughput, counts: tuple[int, ...]) -> Verdict:
    holds = all(found.relative(FUNSHARE, n) >= _TIE for n in counts)
    measured = "over isolated: " + ", ".join(f"{n}: {found.relative(FUNSHARE, n):.2f}" for n in counts)
    return Verdict(name, "FunShare's throughput is never below isolated execution's", measured, holds)


def _crossing(name: str, found: Throughput, strategy: str, where: tuple[tuple[int, ...], int]) -> Verdict:
    counts, below = where
    holds = all((found.relative(strategy, n) < 1) == (n < below) for n in counts)
    measured = "over isolated: " + ", ".join(f"{n}: {found.relative(strategy, n):.2f}" for n in counts)
    claim = f"{LABELS[strategy]} sustains less than isolated execution below {below} queries, and not from there on"
    return Verdict(name, claim, measured, holds, anchor=True)


def _gain(name: str, found: Throughput, counts: tuple[int, ...]) -> Verdict:
    best = {n: min(found.gain(s, n) for s in (ISOLATED, *PAPERS_BASELINES)) for n in counts}
    each = {s: max(found.gain(s, n) for n in counts) for s in (ISOLATED, *PAPERS_BASELINES)}
    measured = (
        "over the best of isolated and the baselines: " + ", ".join(f"{n}: {g:.2f}" for n, g in best.items())
        + "; at most over " + ", ".join(f"{LABELS[s]} {g:.2f}" for s, g in each.items())
    )  # fmt: skip
    top = max(best.values())
    why = "" if top >= 1.5 else (
        f"at most {top:.2f} over the best of them: with all queries sustained, FunShare's throughput is its slowest "
        "group's, and a small group has few slots to give; one plan for all lends slots between any two queries"
    )  # fmt: skip
    return Verdict(name, "FunShare's throughput is up to 1.5 to 2.1 times the best baseline's", measured, not why, why)
