"""The exact counts that the benchmark of estimates judges by are exact."""

from __future__ import annotations

import numpy as np

from benchmarks.estimate_inputs import DOMAIN, DURATION_S, Exact, Side, filters


def test_counts_by_cell_are_those_of_all_rows_and_pairs() -> None:
    chance = np.random.default_rng(1)
    rows = 400
    sides = tuple(
        Side(
            chance.integers(0, 4, rows),
            chance.integers(0, round(DURATION_S * 1000), rows),
            chance.integers(0, DOMAIN, rows),
        )
        for _ in range(2)
    )
    left, right = sides
    ranges = filters(chance), filters(chance)
    exact = Exact((left, right), ranges, (-60_000, 30_000))
    apart = right.times_ms[None, :] - left.times_ms[:, None]
    meet = (left.keys[:, None] == right.keys[None, :]) & (apart >= -60_000) & (apart <= 30_000)
    for members in ([0], [3, 9], list(range(10, 30))):
        wanted = [
            np.array([any(low[m] <= a < low[m] + width[m] for m in members) for a in side.attr])
            for side, (low, width) in zip(sides, ranges, strict=True)
        ]
        held = [exact.holds(side, members) for side in (0, 1)]
        assert [exact.in_cells(s, held[s]) for s in (0, 1)] == [w.sum() for w in wanted]
        assert exact.probed(*held) == meet[np.ix_(wanted[0], wanted[1])].sum() > 0
        each = [
            np.array([(low[m] <= side.attr) & (side.attr < low[m] + width[m]) for m in members])
            for side, (low, width) in zip(sides, ranges, strict=True)
        ]
        together = (each[0][:, :, None] & each[1][:, None, :]).any(axis=0)
        assert exact.handed_on(members) == (meet & together).sum()
