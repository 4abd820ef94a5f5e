"""Small whole inputs as samples with shares of 1, and what is true of them, counted one by one."""

from __future__ import annotations

from dataclasses import replace
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

Match = Within | SameWindow | None

matches = st.one_of(
    st.builds(Within, st.integers(-3000, 0), st.integers(0, 3000)),
    st.sampled_from([SameWindow(2000, 2000), SameWindow(4000, 1000), SameWindow(3000, 2000)]),
    st.none(),
)


def side(drawn: bytes) -> SideSample:
    """Four bytes are one row: who wants it, key, time. One draw for all: many small ones are slow."""
    rows = np.frombuffer(drawn[: len(drawn) // 4 * 4], dtype=np.uint8).reshape(-1, 4).astype(np.int64)
    wanted = (rows[:, 0] >> np.arange(len(QUERIES))[:, None]) % 2 == 1
    times = 40_000 + (rows[:, 2] * 256 + rows[:, 3]) % 10_001
    return SideSample(packed(wanted), rows[:, 1] % 3, times, len(rows))


sides = st.binary(min_size=4, max_size=48).map(side)


def whole(left: SideSample, right: SideSample, match: Match, exponent: float) -> ClassSample:
    return ClassSample(ShareClassId("c"), QUERIES, left, right, WHOLE, match, RANGE_S, exponent)


samples = st.builds(whole, sides, sides, matches, st.sampled_from([1.0, 2.0]))
"""Rows in the middle of the range, so that none has partners beyond its ends."""


def thin(sample: ClassSample, design: SamplingDesign) -> ClassSample:
    """The same rows as part of a larger input."""
    parts = [
        replace(s, total_rows=round(s.rows / design.key_share / share))
        for s, share in zip((sample.left, sample.right), design.row_shares, strict=True)
    ]
    return replace(sample, left=parts[0], right=parts[1], design=design)


designs = st.sampled_from([SamplingDesign(0.5, 1.0), SamplingDesign(1.0, 0.1), SamplingDesign(0.2, 1.0, 0.3)])
thin_samples = st.builds(thin, samples, designs)

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
