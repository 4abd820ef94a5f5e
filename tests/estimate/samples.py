"""Small whole inputs as samples with shares of 1, and what is true of them, counted one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st

from funshare_flink.estimate.bits import packed
from funshare_flink.estimate.coefficients import PRIOR, Coefficient, Coefficients
from funshare_flink.estimate.sample import ClassSample, SameWindow, SamplingDesign, SideSample, Within
from funshare_flink.model.ids import QueryName, ShareClassId

SURE = Coefficients(**{name: Coefficient(c.us, 0.0) for name, c in vars(PRIOR).items()})
QUERIES = tuple(QueryName(f"q{i}") for i in range(4))
WHOLE = SamplingDesign(1.0, 1.0)
RANGE_S = 100.0

matches = st.one_of(
    st.builds(Within, st.integers(-3000, 0), st.integers(0, 3000)),
    st.sampled_from([SameWindow(2000, 2000), SameWindow(4000, 1000), SameWindow(3000, 2000)]),
    st.none(),
)


@st.composite
def sides(draw: st.DrawFn) -> SideSample:
    rows = draw(st.integers(1, 12))
    wanted = np.array([[draw(st.booleans()) for _ in range(rows)] for _ in QUERIES])
    keys = np.array([draw(st.integers(0, 2)) for _ in range(rows)], dtype=np.int64)
    times = np.array([draw(st.integers(40_000, 50_000)) for _ in range(rows)], dtype=np.int64)
    return SideSample(packed(wanted), keys, times, rows)


@st.composite
def samples(draw: st.DrawFn) -> ClassSample:
    """Rows in the middle of the range, so that none has partners beyond its ends."""
    return ClassSample(
        ShareClassId("c"), QUERIES, draw(sides()), draw(sides()), WHOLE, draw(matches), RANGE_S,
        draw(st.sampled_from([1.0, 2.0])),
    )  # fmt: skip


groups = st.lists(st.sampled_from(QUERIES), min_size=1, max_size=4, unique=True)


def wants(side: SideSample, query: QueryName, row: int) -> bool:
    return bool(int(side.bitmaps[QUERIES.index(query), row // 64]) >> (row % 64) & 1)


def union_rows(side: SideSample, members: list[QueryName]) -> set[int]:
    return {r for r in range(side.rows) if any(wants(side, q, r) for q in members)}


def times_met(sample: ClassSample, left: int, right: int) -> int:
    """How often the join's output has this pair if nobody filters anything."""
    if sample.left.keys[left] != sample.right.keys[right]:
        return 0
    one, two = int(sample.left.times_ms[left]), int(sample.right.times_ms[right])
    match sample.match:
        case Within(lower, upper):
            return int(lower <= two - one <= upper)
        case SameWindow(size, slide):
            starts = range(0, 60_000, slide)
            return sum(s <= one < s + size and s <= two < s + size for s in starts)
        case None:
            return 1


def true_pairs(sample: ClassSample, lefts: set[int], rights: set[int]) -> int:
    return sum(times_met(sample, left, right) for left, right in product(lefts, rights))
