"""How right the estimates are: unions, intersections and pairs from a sample of at most 2 % against exact counts.

`python -m benchmarks.estimates [--json] [--seed N]`; `make bench-estimates`. Exit code 1 when a goal is missed. Nothing
is calibrated on the data that is judged: the sample is all that the estimator sees. Every case is drawn anew.

Estimates are rates of a stream that goes on, exact counts are of a range that ends: in the dense shape each end lacks
partners, 1.25 % of all pairs. That is part of the errors shown.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchmarks.estimate_inputs import (
    ATTRIBUTES,
    BOUND_MS,
    DURATION_S,
    QUERIES,
    SHAPES,
    Case,
    Exact,
    Ints,
    Ranges,
    Side,
    filters,
    inputs,
)
from benchmarks.machine import facts
from funshare_flink.estimate.bits import packed
from funshare_flink.estimate.design import choose_design
from funshare_flink.estimate.overlap import Estimated, Overlaps
from funshare_flink.estimate.sample import ClassSample, SideSample, Within
from funshare_flink.model.ids import QueryName, ShareClassId

GOAL = 0.10
MOST_SAMPLED = 0.02
SHARE = 0.0195
"""What is drawn; by chance it comes out a little larger or smaller."""

LEAST_SHARE = 0.005
"""Rows that make up less of an input than this, or pairs that make up less of all pairs than its square, are not
judged: they weigh next to nothing in a load, and 2 % of the input holds too few of them for any method."""

GROUPS = 400
NAMES = tuple(QueryName(f"q{i}") for i in range(QUERIES))
LEAST = {"union": LEAST_SHARE, "intersection": LEAST_SHARE, "pairs": LEAST_SHARE**2, "handed on": LEAST_SHARE**2}
"""Pairs: what a shared join probes. Handed on: those of them whose query sets intersect."""

NO_GOAL = ("handed on",)
"""Shown, but no goal is set for it: it is the smallest of a join's counts."""


@dataclass(frozen=True)
class Count:
    """One figure: its true share of all, the truth, and the estimate."""

    what: str
    share: float
    truth: float
    estimate: Estimated

    @property
    def error(self) -> float:
        return abs(self.estimate.per_s * DURATION_S - self.truth) / self.truth


@dataclass(frozen=True)
class Judged:
    """One kind of figure in one case; `too_small`: share of the figures that are too small to be judged. `within`:
    share of the judged ones that lie within two of the errors that the estimator itself gives."""

    case: Case
    what: str
    errors: NDArray[np.float64]
    too_small: float
    within: float
    sampled: float

    def row(self) -> dict[str, object]:
        p95 = float(np.percentile(self.errors, 95)) if len(self.errors) else None
        return {
            "shape": self.case.shape, "attribute": self.case.attribute, "what": self.what,
            "median": round(float(np.median(self.errors)), 4) if len(self.errors) else None,
            "p95": None if p95 is None else round(p95, 4), "judged": len(self.errors),
            "too_small": round(self.too_small, 3), "within_two_errors": round(self.within, 3),
            "sample_share": round(self.sampled, 4), "goal": None if self.what in NO_GOAL else GOAL,
            "ok": p95 is not None and p95 <= GOAL,
        }  # fmt: skip


def sample_of(case: Case, sides: tuple[Side, Side], ranges: tuple[Ranges, Ranges]) -> ClassSample:
    """Keys by the same hash on both sides, then rows of each."""
    keys = len(np.unique(np.concatenate([s.keys for s in sides])))
    design = choose_design(keys, len(sides[0].keys), len(sides[1].keys), SHARE)
    found = []
    for number, (side, (low, width)) in enumerate(zip(sides, ranges, strict=True)):
        by_row = _hash(np.arange(len(side.keys)) * 2 + number)
        rows = np.flatnonzero((_hash(~side.keys) < design.key_share) & (by_row < design.row_shares[number]))
        attr = side.attr[rows]
        bits = np.stack([packed((attr >= a) & (attr < a + w)) for a, w in zip(low, width, strict=True)])
        found.append(SideSample(bits, side.keys[rows], side.times_ms[rows], len(side.keys)))
    return ClassSample(
        ShareClassId("bench"), NAMES, found[0], found[1], design, Within(*BOUND_MS[case.shape]), DURATION_S
    )


def _hash(values: Ints) -> NDArray[np.float64]:
    """A number in [0, 1) that looks random and is the same for the same value (splitmix64)."""
    z = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))).astype(np.float64) / 2.0**64


def counts(overlaps: Overlaps, exact: Exact, groups: list[list[int]]) -> Iterator[Count]:
    """Unions on both sides, intersections of two groups on both sides, and pairs."""
    held = [[exact.holds(side, g) for side in (0, 1)] for g in groups]
    named = [[NAMES[m] for m in g] for g in groups]
    for (left, right), members in zip(held, named, strict=True):
        for side, rows in ((0, overlaps.left_rows(members)), (1, overlaps.right_rows(members))):
            yield _count("union", exact.in_cells(side, (left, right)[side]), exact.all_rows(side), rows)
        yield _count("pairs", exact.probed(left, right), exact.all_pairs, overlaps.pairs(members))
    for group, members in zip(groups, named, strict=True):
        yield _count("handed on", exact.handed_on(group), exact.all_pairs, overlaps.emitted_pairs(members))
    for (one, two), (first, second) in zip(pairwise(held), pairwise(named), strict=True):
        for side, rows in enumerate(overlaps.common_rows(first, second)):
            yield _count("intersection", exact.in_cells(side, one[side] & two[side]), exact.all_rows(side), rows)


def _count(what: str, truth: int, everything: int, estimate: Estimated) -> Count:
    return Count(what, truth / everything, float(truth), estimate)


def judge(case: Case, seed: int) -> list[Judged]:
    chance = np.random.default_rng(seed)
    sides = inputs(case, chance)
    ranges = filters(chance), filters(chance)
    groups = [chance.choice(QUERIES, chance.integers(1, 17), replace=False).tolist() for _ in range(GROUPS)]
    sample = sample_of(case, sides, ranges)
    sampled = (sample.left.rows + sample.right.rows) / sum(len(s.keys) for s in sides)
    if sampled > MOST_SAMPLED:
        raise AssertionError(f"{sampled:.2%} of the input was sampled")
    found = list(counts(Overlaps(sample), Exact(sides, ranges, BOUND_MS[case.shape]), groups))
    return [_judged(case, what, [c for c in found if c.what == what], sampled) for what in LEAST]


def _judged(case: Case, what: str, found: list[Count], sampled: float) -> Judged:
    kept = [c for c in found if c.truth > 0 and c.share >= LEAST[what]]
    errors = np.array([c.error for c in kept])
    within = float((errors <= 2 * np.array([c.estimate.error for c in kept])).mean()) if kept else 0.0
    return Judged(case, what, errors, 1 - len(kept) / len(found), within, sampled)


def main(say: Callable[[str], None] = print) -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="one object a line")
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--shapes", nargs="+", choices=SHAPES, default=SHAPES)
    args = options.parse_args()
    cases = [Case(shape, attribute) for shape in args.shapes for attribute in ATTRIBUTES]
    rows = []
    if not args.json:
        say(f"relative error against exact counts; goal: p95 <= {GOAL:.0%}; groups of 1 to 16 of {QUERIES} queries")
        say(f"judged: rows >= {LEAST_SHARE:.2%} of an input, pairs >= {LEAST_SHARE**2:.4%} of all pairs")
    for number, case in enumerate(cases):
        for judged in judge(case, args.seed + number):
            rows.append(judged.row())
            say(json.dumps(rows[-1]) if args.json else "  ".join(f"{k}={v}" for k, v in rows[-1].items()))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    met = all(row["ok"] or row["goal"] is None for row in rows)
    summary = {"goal": GOAL, "met": met, "least_share": LEAST, "peak_mib": round(peak), **facts()}
    say(json.dumps(summary) if args.json else ", ".join(f"{k} {v}" for k, v in summary.items()))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
