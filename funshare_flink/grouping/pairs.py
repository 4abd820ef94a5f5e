"""The merge costs of all pairs of live groups, kept so that only what a merge touches is scored again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.load import UnionLoads
from funshare_flink.grouping.bars import Bars
from funshare_flink.grouping.cost import Floats, Sides, merge_costs

NEVER = np.float32(np.inf)
BARRED = 1e4
"""Added to the cost of a pair that must not merge: it is never the cheapest, and which was the best can still be told.
A cost is at most (slots of both) / (slots of one)."""

Numbers = NDArray[np.intp]
Costs = NDArray[np.float32]


class PairCosts:
    """Merge costs by pair (float32, 4 bytes; the half above the diagonal is used) and each row's cheapest partner.

    Row i holds the pairs of i with higher numbers. A row's cheapest is looked up again only when the row comes to the
    top: when its partner is gone, its lowest cost is still a lower bound, for a pair's cost never changes and new ones
    are compared as they come. Ties go to the lower numbers, so numbers have to be given by name if the order of input
    is not to matter.
    """

    def __init__(self, unions: UnionLoads, slots: Floats, idle: Floats, bars: Bars, threshold: float) -> None:
        """`slots`, `idle`: [groups]. All pairs are scored."""
        self._unions, self._bars, self._threshold = unions, bars, threshold
        self._loads, self._slots, self._idle = unions.totals().copy(), slots.astype(float), idle.astype(float)
        groups = len(self._slots)
        self._costs = np.full((groups, groups), NEVER, dtype=np.float32)
        self._live = np.ones(groups, dtype=bool)
        self._lowest = np.full(groups, NEVER, dtype=np.float32)
        self._partner = np.full(groups, -1, dtype=np.intp)
        for group in range(groups - 1):
            self._costs[group, group + 1 :] = self._score(group, np.arange(group + 1, groups))
            self._refresh(group)

    def _score(self, group: int, others: Numbers) -> Costs:
        """[others] costs of `group` with each."""
        union = self._unions.with_each(group, others)
        which = _as_slice(others)
        one = Sides(float(self._loads[group]), float(self._slots[group]), float(self._idle[group]))
        cost = merge_costs(union, one, Sides(self._loads[which], self._slots[which], self._idle[which]))
        single = self._rounded(cost)
        barred = self._bars.between(group, others)
        if barred is not None:
            single[barred] += np.float32(BARRED)
        return single

    def _rounded(self, cost: Floats) -> Costs:
        """Single precision on the right side of the threshold; what is no number is never merged."""
        single = cost.astype(np.float32)
        above = np.nextafter(np.float32(self._threshold), NEVER)
        single[(cost >= self._threshold) & (single < above)] = above
        single[np.isnan(cost)] = NEVER
        return single

    def cheapest(self) -> tuple[int, int] | None:
        """(lower, higher number) of the cheapest pair below the threshold, None when there is none left."""
        while len(self._lowest):
            first = int(self._lowest.argmin())
            if not self._lowest[first] <= self._threshold:
                return None
            if self._partner[first] >= 0:
                return first, int(self._partner[first])
            self._refresh(first)
        return None

    def bar(self, first: int, second: int) -> None:
        """This pair must not merge."""
        self._costs[first, second] += np.float32(BARRED)
        self._partner[first] = -1

    def merged(self, first: int, second: int, slots: float, idle: float) -> None:
        """`second` has gone into `first`, the lower number, in `UnionLoads` too. Only the new group's pairs are
        scored."""
        self._loads[first], self._slots[first], self._idle[first] = self._unions.totals()[first], slots, idle
        self._live[second] = False
        self._costs[second, second + 1 :] = NEVER
        self._costs[:second, second] = NEVER
        self._lowest[second], self._partner[second] = NEVER, -1
        self._partner[(self._partner == second) | (self._partner == first)] = -1
        others = np.flatnonzero(self._live)
        place = int(np.searchsorted(others, first))
        others = np.delete(others, place)
        if len(others):
            self._put(first, others, place, self._score(first, others))
        self._refresh(first)

    def _put(self, group: int, others: Numbers, lower: int, costs: Costs) -> None:
        """New costs of `group`; the first `lower` of `others` have lower numbers, so the pair stands in their rows."""
        self._costs[group, others[lower:]] = costs[lower:]
        rows, new = others[:lower], costs[:lower]
        self._costs[rows, group] = new
        known, partner = self._lowest[rows], self._partner[rows]
        better = (new < known) | ((new == known) & (partner > group))
        self._lowest[rows[better]] = new[better]
        self._partner[rows[better]] = group

    def _refresh(self, row: int) -> None:
        if row + 1 >= len(self._lowest):
            return
        partner = row + 1 + int(self._costs[row, row + 1 :].argmin())
        self._lowest[row] = self._costs[row, partner]
        self._partner[row] = partner

    def closest(self, group: int) -> int | None:
        """The best option that is left of a live group; None when no pair can be judged.

        A barred pair that would have been merged otherwise goes before those that cost too much.
        """
        costs = np.concatenate([self._costs[:group, group], [NEVER], self._costs[group, group + 1 :]])
        barred = (costs >= BARRED) & (costs < NEVER)
        for options in (barred & (costs - np.float32(BARRED) < self._threshold), costs < BARRED, barred):
            if options.any():
                return int(np.where(options, costs, NEVER).argmin())
        return None


def _as_slice(numbers: Numbers) -> slice | Numbers:
    """Numbers in a row as a slice, which copies nothing."""
    if len(numbers) and numbers[-1] - numbers[0] == len(numbers) - 1:
        return slice(int(numbers[0]), int(numbers[-1]) + 1)
    return numbers
