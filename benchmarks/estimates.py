"""How right the estimates are: unions, intersections and pairs from a sample of at most 2 % against exact counts.

`python -m benchmarks.estimates [--json]`; `make bench-estimates`. Exit code 1 when a goal is missed. Nothing is
calibrated on the data that is judged: the sample is all that the estimator sees.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import facts
from funshare_flink.estimate.bits import packed
from funshare_flink.estimate.overlap import Overlaps
from funshare_flink.estimate.sample import ClassSample, SamplingDesign, SideSample, Within
from funshare_flink.model.ids import QueryName, ShareClassId

GOAL = 0.10
MOST_SAMPLED = 0.02
SHARE = 0.0195
"""What is drawn; by chance it comes out a little larger or smaller."""
LEAST_SHARE = 0.005
"""Rows or pairs that make up less of the input than this (of pairs: than its square) are not judged: a sample of 2 % of
millions of rows holds too few of them, and they weigh nothing in a load."""

DOMAIN = 1000
QUERIES = 64
GROUPS = 80
DENSE_ROWS, DENSE_KEYS, DENSE_S = 3_000_000, 500, 2400.0
SPARSE_LEFT, SPARSE_RIGHT, SPARSE_S = 400_000, 4_000_000, 2400.0
BOUND_MS = {"dense": (-60_000, 60_000), "sparse": (0, 20_000)}

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Side:
    """One whole input: join key, event time in ms, filter attribute."""

    keys: Ints
    times_ms: Ints
    attr: Ints


@dataclass(frozen=True)
class Case:
    """A shape of join and how the attributes are distributed."""

    shape: str
    attribute: str

    @property
    def duration_s(self) -> float:
        return DENSE_S if self.shape == "dense" else SPARSE_S


def attributes(chance: np.random.Generator, case: Case, keys: Ints, times_ms: Ints) -> Ints:
    """The attribute of each row."""
    rows = len(keys)
    match case.attribute:
        case "uniform":
            return chance.integers(0, DOMAIN, rows)
        case "zipf 0.8" | "zipf 1.2":
            return _zipf(chance, rows, float(case.attribute.split()[1]))
        case "correlated":
            # Both sides' attributes follow the join key, so a filter on one side says much of the other.
            return (keys * 7919 % DOMAIN + chance.integers(0, DOMAIN // 10, rows)) % DOMAIN
        case "shift":
            # In the middle of the range everything moves to other values.
            late = times_ms > case.duration_s * 500
            return np.where(late, (DOMAIN - 1) - _zipf(chance, rows, 0.8), _zipf(chance, rows, 0.8))
    raise ValueError(case.attribute)


def _zipf(chance: np.random.Generator, rows: int, exponent: float) -> Ints:
    weights = np.arange(1, DOMAIN + 1) ** -exponent
    return np.searchsorted(np.cumsum(weights / weights.sum()), chance.random(rows)).astype(np.int64).clip(0, DOMAIN - 1)


def inputs(case: Case, chance: np.random.Generator) -> tuple[Side, Side]:
    """Both whole inputs in the order of time."""
    if case.shape == "dense":
        sides = []
        for _ in range(2):
            times = np.sort(chance.integers(0, int(case.duration_s * 1000), DENSE_ROWS))
            sides.append((chance.integers(0, DENSE_KEYS, DENSE_ROWS), times))
    else:
        # Each left row has a key of its own; right rows follow within 20 s, as bids follow their auction.
        times = np.sort(chance.integers(0, int(case.duration_s * 1000), SPARSE_LEFT))
        of = np.sort(chance.integers(0, SPARSE_LEFT, SPARSE_RIGHT))
        later = times[of] + chance.integers(0, 25_000, SPARSE_RIGHT)
        order = np.argsort(later, kind="stable")
        sides = [(np.arange(SPARSE_LEFT), times), (of[order], later[order])]
    first, second = (Side(k, t, attributes(chance, case, k, t)) for k, t in sides)
    return first, second


def filters(chance: np.random.Generator) -> tuple[Ints, Ints]:
    """[queries] first value and number of values of each query's range: 1 to 20 % of the domain."""
    width = chance.integers(DOMAIN // 100, DOMAIN // 5, QUERIES)
    return (chance.random(QUERIES) * (DOMAIN - width)).astype(np.int64), width


def sample_of(case: Case, sides: tuple[Side, Side], ranges: list[tuple[Ints, Ints]]) -> ClassSample:
    """At most 2 % of the rows, by the same choice of keys on both sides: few keys, all of them and some of their rows;
    many keys, some of them and all of their rows."""
    few = case.shape == "dense"
    design = SamplingDesign(1.0, SHARE) if few else SamplingDesign(SHARE, 1.0)
    found = []
    for number, (side, (low, width)) in enumerate(zip(sides, ranges, strict=True)):
        picked = _hash(np.arange(len(side.keys)) * 2 + number) if few else _hash(side.keys)
        rows = np.flatnonzero(picked < SHARE)
        attr = side.attr[rows]
        bits = np.stack([packed((attr >= a) & (attr < a + w)) for a, w in zip(low, width, strict=True)])
        found.append(SideSample(bits, side.keys[rows], side.times_ms[rows], len(side.keys)))
    lower, upper = BOUND_MS[case.shape]
    names = tuple(QueryName(f"q{i}") for i in range(QUERIES))
    return ClassSample(ShareClassId("bench"), names, found[0], found[1], design, Within(lower, upper), case.duration_s)


def _hash(values: Ints) -> NDArray[np.float64]:
    """A number in [0, 1) that looks random and is the same for the same value (splitmix64)."""
    z = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))).astype(np.float64) / 2.0**64


class Exact:
    """Exact counts, on all rows."""

    def __init__(self, case: Case, sides: tuple[Side, Side], ranges: list[tuple[Ints, Ints]]) -> None:
        self._sides, self._ranges = sides, ranges
        self._lower, self._upper = BOUND_MS[case.shape]
        right = sides[1]
        # Time is shorter than a key's share of this number, so (key, time) is one number that sorts like both.
        self._span = int(case.duration_s * 1000) * 2 + 1_000_000
        self._order = np.argsort(right.keys * self._span + right.times_ms, kind="stable")
        sorted_right = (right.keys * self._span + right.times_ms)[self._order]
        left = sides[0].keys * self._span + sides[0].times_ms
        self._begin = np.searchsorted(sorted_right, left + self._lower, side="left")
        self._end = np.searchsorted(sorted_right, left + self._upper, side="right")

    def rows(self, side: int, members: list[int]) -> NDArray[np.bool_]:
        """[rows] wanted by any of the members: a table over the domain, looked up."""
        low, width = self._ranges[side]
        table = np.zeros(DOMAIN, dtype=bool)
        for m in members:
            table[low[m] : low[m] + width[m]] = True
        return table[self._sides[side].attr]

    def pairs(self, left: NDArray[np.bool_], right: NDArray[np.bool_]) -> int:
        """Pairs within the bound of which both rows are wanted, by prefix sums over the sorted right side."""
        sums = np.concatenate([[0], np.cumsum(right[self._order])])
        return int((sums[self._end] - sums[self._begin])[left].sum())


@dataclass(frozen=True)
class Judged:
    """Relative errors of one case. `left_out`: cases that were too small to be judged."""

    case: Case
    what: str
    errors: NDArray[np.float64]
    left_out: int
    sampled: float

    def row(self) -> dict[str, object]:
        p95 = float(np.percentile(self.errors, 95)) if len(self.errors) else None
        return {
            "shape": self.case.shape, "attribute": self.case.attribute, "what": self.what,
            "median": round(float(np.median(self.errors)), 4) if len(self.errors) else None,
            "p95": None if p95 is None else round(p95, 4), "judged": len(self.errors), "too_small": self.left_out,
            "sample_share": round(self.sampled, 4), "ok": p95 is not None and p95 <= GOAL,
        }  # fmt: skip


def judge(case: Case, seed: int) -> list[Judged]:
    chance = np.random.default_rng(seed)
    sides = inputs(case, chance)
    ranges = [filters(chance), filters(chance)]
    sample = sample_of(case, sides, ranges)
    sampled = (sample.left.rows + sample.right.rows) / sum(len(s.keys) for s in sides)
    assert sampled <= MOST_SAMPLED, f"{sampled:.2%} of the input was sampled"
    overlaps, exact = Overlaps(sample), Exact(case, sides, ranges)
    groups = [
        sorted(chance.choice(QUERIES, int(chance.integers(1, 17)), replace=False).tolist()) for _ in range(GROUPS)
    ]
    pairs_of = list(zip(groups[::2], groups[1::2], strict=True))
    whole = [len(side.keys) for side in sides]
    total_pairs = exact.pairs(np.ones(whole[0], bool), np.ones(whole[1], bool))
    found = {
        "union": [_union(overlaps, exact, case, whole[1], g) for g in groups],
        "intersection": [_both(overlaps, exact, case, whole[1], p) for p in pairs_of],
        "pairs": [_pairs(overlaps, exact, case, total_pairs, g) for g in groups],
    }
    least = {"union": LEAST_SHARE, "intersection": LEAST_SHARE, "pairs": LEAST_SHARE**2}
    return [_judged(case, what, cases, least[what], sampled) for what, cases in found.items()]


def _group(chance: np.random.Generator) -> list[int]:
    """1 to 16 queries."""
    return sorted(chance.choice(QUERIES, int(chance.integers(1, 17)), replace=False).tolist())


def _judged(case: Case, what: str, found: list[tuple[float, float, float]], least: float, sampled: float) -> Judged:
    """`found`: (true share of all, truth, estimate)."""
    kept = [(truth, estimate) for share, truth, estimate in found if share >= least]
    errors = np.array([abs(estimate - truth) / truth for truth, estimate in kept])
    return Judged(case, what, errors, len(found) - len(kept), sampled)


def _union(o: Overlaps, e: Exact, case: Case, rows: int, members: list[int]) -> tuple[float, float, float]:
    truth = float(e.rows(1, members).sum())
    return truth / rows, truth, o.right_rows(names(members)).per_s * case.duration_s


def _both(
    o: Overlaps, e: Exact, case: Case, rows: int, groups: tuple[list[int], list[int]]
) -> tuple[float, float, float]:
    one, two = groups
    truth = float((e.rows(1, one) & e.rows(1, two)).sum())
    return truth / rows, truth, o.common_rows(names(one), names(two))[1].per_s * case.duration_s


def _pairs(o: Overlaps, e: Exact, case: Case, total: int, members: list[int]) -> tuple[float, float, float]:
    truth = float(e.pairs(e.rows(0, members), e.rows(1, members)))
    return truth / total, truth, o.pairs(names(members)).per_s * case.duration_s


def names(members: list[int]) -> list[QueryName]:
    return [QueryName(f"q{i}") for i in members]


CASES = [
    Case(shape, attribute)
    for shape in ("dense", "sparse")
    for attribute in ("uniform", "zipf 0.8", "zipf 1.2", "correlated", "shift")
]


def main(say: Callable[[str], None] = print) -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="one object a line")
    options.add_argument("--seed", type=int, default=7)
    args = options.parse_args()
    rows = [j.row() for i, case in enumerate(CASES) for j in judge(case, args.seed + i)]
    if args.json:
        for row in rows:
            say(json.dumps(row))
    else:
        say(f"relative error against exact counts; goal: p95 <= {GOAL:.0%}")
        say(", ".join(f"{k} {v}" for k, v in facts().items()))
        say(f"judged: rows >= {LEAST_SHARE:.1%} of an input, pairs >= {LEAST_SHARE**2:.4%} of all pairs")
        for row in rows:
            say("  ".join(f"{k}={v}" for k, v in row.items()))
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
