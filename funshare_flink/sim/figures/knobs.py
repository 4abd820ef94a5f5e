"""Fig. 10: the merge threshold and the merge frequency, W1 at 10 %."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from funshare_flink.sim.figures import workloads
from funshare_flink.sim.figures.baselines import FUNSHARE, LABELS, PAPERS_BASELINES
from funshare_flink.sim.figures.bench import Bench, Order, Run, partition_of, sustained_rps
from funshare_flink.sim.figures.paper_cluster import LOOP_STARTS_S, QUERY_COUNTS, SAMPLING_S, SAMPLING_SHARE, TUNING
from funshare_flink.sim.figures.resources import PLATEAU, STEADY_S
from funshare_flink.sim.figures.results import Figure, Line, Panel, Row, Verdict
from funshare_flink.sim.figures.throughput import baseline_rps
from funshare_flink.sim.figures.timeline import serving_slots

THRESHOLDS = (0.6, 0.7, 0.8, 0.9, 1.0)
INTERVALS_S = (10.0, 30.0, 60.0, 120.0)
QUERIES = 128
RUN_S = 520.0
SPREAD = 1.25
"""A threshold changes the plateau little: at most this much between the highest and the lowest."""

_SMALL = 0.02


def figure_10a(bench: Bench) -> Figure:
    """Slots by number of queries and threshold."""
    slots: Counts = {t: {} for t in THRESHOLDS}
    groups: Counts = {t: {} for t in THRESHOLDS}
    for n in QUERY_COUNTS:
        world = workloads.w1(n, (0.1, 0.1), bench.seed)
        for threshold in THRESHOLDS:
            order = Order(FUNSHARE, STEADY_S, tuning=replace(TUNING, merge_threshold=threshold))
            last = bench.run(world, order).last
            slots[threshold][n], groups[threshold][n] = serving_slots(last), len(last.groups)
    rows = tuple(_row_10a(n, slots, groups) for n in QUERY_COUNTS)
    lines = tuple(Line(f"threshold {t:g}", QUERY_COUNTS, tuple(of[n] for n in QUERY_COUNTS)) for t, of in slots.items())
    panel = Panel("Fig. 10a: merge threshold", "Number of queries", "Resources (task slots)", lines)
    verdicts = (_levels_off(slots), _close(slots, groups))
    return Figure("10a", "Resources by merge threshold, W1 10 %", rows, (panel,), verdicts)


Counts = dict[float, dict[int, int]]
"""By threshold and number of queries."""


def _row_10a(queries: int, slots: Counts, groups: Counts) -> Row:
    row: Row = {"queries": queries}
    for t in THRESHOLDS:
        row |= {f"slots_{t:g}": slots[t][queries], f"groups_{t:g}": groups[t][queries]}
    return row


def _levels_off(slots: Counts) -> Verdict:
    growth = {t: of[128] / of[64] for t, of in slots.items()}
    claim = f"Slots reach a plateau at 64 queries with every threshold: at most x{PLATEAU:g} to 128"
    measured = ", ".join(f"{t:g}: x{g:.2f}" for t, g in growth.items())
    holds = max(growth.values()) <= PLATEAU
    return Verdict("10a", claim, measured, holds, "" if holds else "the limit is ours; isolated execution doubles")


def _close(slots: Counts, groups: Counts) -> Verdict:
    level = [slots[t][128] for t in THRESHOLDS]
    holds = max(level) <= SPREAD * min(level)
    claim = f"The threshold changes the plateau little: at most x{SPREAD:g} between any two at 128 queries"
    measured = ", ".join(f"{t:g}: {slots[t][128]} slots in {groups[t][128]} groups" for t in THRESHOLDS)
    why = "" if holds else f"x{max(level) / min(level):.2f}; the limit is ours"
    return Verdict("10a", claim, measured, holds, why)


def figure_10b(bench: Bench) -> Figure:
    """Throughput at isolated execution's slots, and changes of plans, by merge interval."""
    world = workloads.w1(QUERIES, (0.1, 0.1), bench.seed)
    rows: list[Row] = []
    runs: dict[float, Run] = {}
    for interval_s in INTERVALS_S:
        overhead = SAMPLING_SHARE * SAMPLING_S / interval_s
        watched = replace(world, poll_us=1e6 * overhead)
        runs[interval_s] = bench.run(watched, Order(FUNSHARE, RUN_S, merge_interval_s=interval_s))
        partition = partition_of(runs[interval_s].last.groups)
        # Watching takes a share of each slot, so a group has so many slots fewer; the load grows with the rate.
        undisturbed = sustained_rps(world, partition)
        disturbed = sustained_rps(world, partition, 1 - overhead)
        rows.append(
            {
                "merge_interval_s": interval_s,
                "throughput_rps": disturbed,
                "without_watching_rps": undisturbed,
                "lost_share": 1 - disturbed / undisturbed,
                "changes_of_partition_late": _late_changes(runs[interval_s], interval_s, members_only=True),
                "changes_late": _late_changes(runs[interval_s], interval_s, members_only=False),
            }
        )
    best = max(baseline_rps(bench, world, s) for s in PAPERS_BASELINES)
    line = Line(LABELS[FUNSHARE], INTERVALS_S, tuple(_number(r["throughput_rps"]) / 1000 for r in rows))
    other = Line("best baseline", INTERVALS_S, (best / 1000,) * len(INTERVALS_S))
    panel = Panel(
        "Fig. 10b: merge frequency, 128 queries", "Merge interval (s)", "Throughput (k records/s)", (line, other)
    )
    return Figure("10b", "Throughput by merge interval, W1 10 %", tuple(rows), (panel,), _verdicts_10b(rows, best))


def _verdicts_10b(rows: list[Row], best_rps: float) -> tuple[Verdict, ...]:
    at_60 = next(r for r in rows if r["merge_interval_s"] == 60.0)
    members = {r["merge_interval_s"]: r["changes_of_partition_late"] for r in rows}
    slots = ", ".join(f"{r['merge_interval_s']:g} s: {r['changes_late']}" for r in rows)
    lost = _number(at_60["lost_share"])
    slowest_rps = min(_number(r["throughput_rps"]) for r in rows)
    return (
        Verdict(
            "10b", "On a stable workload nothing is regrouped after the first two merge steps",
            "later changes of who runs with whom: " + ", ".join(f"{i:g} s: {n}" for i, n in members.items() if i)
            + f"; with changes of slots: {slots}", not any(members.values()),
            "" if not any(members.values()) else _WHY_LATE,
        ),
        Verdict(
            "10b", f"Merging each 60 s costs no measurable throughput (at most {_SMALL:.0%})",
            f"{lost:.2%} at 60 s", lost <= _SMALL, "what watching costs is assumed, see paper_cluster", anchor=True,
        ),
        Verdict(
            "10b", "FunShare is faster than all baselines at every frequency",
            f"slowest {slowest_rps / 1000:.0f} k, best baseline {best_rps / 1000:.0f} k",
            slowest_rps > best_rps,
        ),
    )  # fmt: skip


_WHY_LATE = "each step's loads come from a new sample; a pair close to the threshold falls below it in a later one"


def _late_changes(run: Run, interval_s: float, members_only: bool) -> int:
    """Changes that ended later than a third merge step would begin."""
    after_s = LOOP_STARTS_S + 3 * interval_s - 1
    late = [c for c in run.changes if c.ended_s > after_s]
    if not members_only:
        return len(late)
    before = [c.partition for c in run.changes if c.ended_s <= after_s]
    known = [*before[-1:], *(c.partition for c in late)]
    return sum(a != b for a, b in pairwise(known))


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)
