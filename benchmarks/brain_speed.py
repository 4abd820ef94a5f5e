"""How long one merge step takes: random range filters in one share class, from all alone to the fixed point.

`python -m benchmarks.brain_speed [--json] [--sizes 64 1024]`; `make bench-brain`. Exit code 1 when a goal is missed.
Judged is the time that the process computes (all its threads together), so a busy machine does not decide; the wall
clock is printed beside it. Each size runs in a process of its own, so peaks of memory do not mix. The sample and the
loads of the single queries are made before the clock starts: the loop has both when a merge step is due.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import time
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import facts
from funshare_flink.estimate.bits import packed
from funshare_flink.estimate.coefficients import PRIOR
from funshare_flink.estimate.loads import SampledLoads
from funshare_flink.estimate.sample import Bitmaps, ClassSample, SamplingDesign, SideSample, Within
from funshare_flink.grouping.knowledge import Knowledge, predicted
from funshare_flink.grouping.merge import merge_step
from funshare_flink.grouping.snapshot import Snapshot
from funshare_flink.grouping.strategies.isolated import isolated
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Candidate
from funshare_flink.model.ids import QueryName, ShareClassId

SIZES = (64, 128, 256, 512, 1024, 2048, 4096, 10_240)
GOALS_S = {1024: 1.0, 10_240: 30.0}
GOAL_MIB = 1024
SHAPES = {"ranges": (0.01, 0.20), "narrow": (0.001, 0.002)}
"""Widths of the filters, as shares of the domain. `ranges` end in many groups, `narrow` ones in very few: what every
group pays to read and tag its input weighs more than all that they join."""

CLASS = ShareClassId("bench")
Floats = NDArray[np.float64]
ROWS, KEYS, DOMAIN, DURATION_S, TOTAL_ROWS = 20_000, 500, 10_000, 600.0, 6_000_000


@dataclass(frozen=True)
class Run:
    """One merge step. `peak_mib`: the most memory that the process held, the sample included."""

    shape: str
    queries: int
    seconds: float
    wall_s: float
    peak_mib: float
    groups: int
    merges: int

    @property
    def missed(self) -> bool:
        return self.seconds > GOALS_S.get(self.queries, float("inf")) or self.peak_mib > GOAL_MIB


def sample(queries: int, widths: tuple[float, float]) -> ClassSample:
    """Queries with one random range each, on both inputs; keys that live long."""
    rng = np.random.default_rng(7)
    width = np.maximum(1, rng.uniform(*widths, queries) * DOMAIN)
    low = rng.uniform(0, DOMAIN - width)
    names = tuple(QueryName(f"q{i:05}") for i in range(queries))
    left, right = (_side(rng, low, low + width) for _ in range(2))
    return ClassSample(
        CLASS, names, left, right, SamplingDesign(1.0, ROWS / TOTAL_ROWS), Within(-60_000, 60_000), DURATION_S
    )


def _side(rng: np.random.Generator, low: Floats, high: Floats) -> SideSample:
    values = rng.uniform(0, DOMAIN, ROWS)
    keys = rng.integers(0, KEYS, ROWS)
    times = rng.integers(0, int(DURATION_S * 1000), ROWS)
    return SideSample(_bitmaps(values, low, high), keys, times, TOTAL_ROWS)


def _bitmaps(values: Floats, low: Floats, high: Floats) -> Bitmaps:
    """[queries, words], some queries at a time: all truth values at once would be the peak of memory."""
    return np.concatenate(
        [
            packed((values >= low[i : i + 256, None]) & (values < high[i : i + 256, None]))
            for i in range(0, len(low), 256)
        ]
    )


def snapshot(found: ClassSample) -> Snapshot:
    """All alone, each with slots that carry its load with little to spare, as provisioned for its peak."""
    loads = SampledLoads(found, PRIOR, {})
    alone = {q: load.total_us_ps for q in found.queries if (load := loads.of([q])) is not None}
    slots = {q: max(1, int(np.ceil(us / 1e6))) for q, us in alone.items()}
    candidates = tuple(Candidate(q, slots[q], CLASS) for q in found.queries)
    rates = {q: 2 * TOTAL_ROWS / DURATION_S for q in found.queries}
    knowledge = Knowledge({CLASS: loads}, rates)
    return predicted(candidates, isolated(candidates), knowledge)


def run(shape: str, queries: int) -> Run:
    case = snapshot(sample(queries, SHAPES[shape]))
    wall, cpu = time.perf_counter(), time.process_time()
    decision = merge_step(case, Tuning(max_error=1.0))  # nothing was measured here, so coefficients are uncertain
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    merges = sum(s.kind == "merge" for s in decision.steps)
    return Run(shape, queries, round(cpu, 2), round(wall, 2), round(peak, 1), len(decision.grouping.groups), merges)


def in_own_process(shape: str, queries: int) -> Run:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(run, (shape, queries))


def main() -> int:
    parser = argparse.ArgumentParser(description="Time of one merge step by number of queries.")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--shapes", nargs="+", choices=sorted(SHAPES), default=["ranges"])
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    args = parser.parse_args()
    if not args.json:
        print(f"{'shape':>8} {'queries':>8} {'seconds':>8} {'wall':>8} {'MiB':>8} {'groups':>8} {'merges':>8}")
    runs = []
    for shape in args.shapes:
        for size in args.sizes:
            r = in_own_process(shape, size)
            runs.append(r)
            if not args.json:
                print(
                    f"{r.shape:>8} {r.queries:>8} {r.seconds:>8} {r.wall_s:>8} {r.peak_mib:>8} {r.groups:>8} "
                    f"{r.merges:>8}{'  goal missed' if r.missed else ''}",
                    flush=True,
                )
    met = not any(r.missed for r in runs)
    goals = {"seconds": GOALS_S, "mib": GOAL_MIB}
    if args.json:
        print(json.dumps({"runs": [asdict(r) for r in runs], "goals": goals, "met": met, **facts()}))
    else:
        print(f"goals {goals}: {'met' if met else 'missed'}; {facts()}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
