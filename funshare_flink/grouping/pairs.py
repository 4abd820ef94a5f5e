"""The merge costs of all pairs of live groups, kept so that only what a merge touches is scored again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.load import UnionLoads
from funshare_flink.grouping.cost import Sides, grouping_costs

NEVER = np.float32(np.inf)
_ROWS_AT_ONCE = 256


class PairCosts:
    """A symmetric matrix of merge costs (float32, 4 bytes a pair) with each row's cheapest partner.

    `NEVER` marks pairs that must not or cannot merge. Ties go to the lower numbers, so numbers have to be given by
    name if the order of input is not to matter.
    """

    def __init__(self, loads: UnionLoads, slots: NDArray[np.float64], idle: NDArray[np.float64]) -> None:
        """`slots`, `idle`: [groups]. Nothing is scored yet; see `score`."""
        self._unions = loads
        self._loads = loads.totals().copy()
        self._slots = slots.astype(float)
        self._idle = idle.astype(float)
        groups = len(self._slots)
        self._costs = np.full((groups, groups), NEVER, dtype=np.float32)
        self._live = np.ones(groups, dtype=bool)
        self._best = np.zeros(groups, dtype=np.intp)
        self._lowest = np.full(groups, NEVER, dtype=np.float32)

    def score(self, group: int, others: NDArray[np.intp]) -> None:
        """Score `group` with each of `others`."""
        if len(others) == 0:
            return
        union = self._unions.with_each(group, others)
        one = Sides(*(np.broadcast_to(a[group], len(others)) for a in (self._loads, self._slots, self._idle)))
        each = Sides(self._loads[others], self._slots[others], self._idle[others])
        cost = np.maximum(grouping_costs(union, one, each), grouping_costs(union, each, one))
        cost = np.where(np.isfinite(cost), cost, NEVER).astype(np.float32)
        self._costs[group, others] = cost
        self._costs[others, group] = cost

    def score_all(self, blocked: NDArray[np.bool_] | None = None) -> None:
        """Score every pair once. `blocked`: [groups, groups], True where a pair must not merge."""
        groups = len(self._slots)
        for group in range(groups - 1):
            others = np.arange(group + 1, groups)
            self.score(group, others if blocked is None else others[~blocked[group, group + 1 :]])
        self._refresh(np.arange(groups))

    def cheapest(self) -> tuple[int, int, float] | None:
        """(lower number, higher number, cost) of the cheapest pair, None when there is none."""
        first = int(self._lowest.argmin()) if len(self._lowest) else 0
        if len(self._lowest) == 0 or self._lowest[first] == NEVER:
            return None
        second = int(self._best[first])
        return min(first, second), max(first, second), float(self._lowest[first])

    def partner(self, group: int) -> tuple[int, float] | None:
        """The cheapest partner of one live group."""
        if self._lowest[group] == NEVER:
            return None
        return int(self._best[group]), float(self._lowest[group])

    def forbid(self, first: int, second: int) -> None:
        """This pair must not merge."""
        self._costs[first, second] = self._costs[second, first] = NEVER
        self._refresh(np.array([first, second]))

    def merged(self, first: int, second: int, slots: float, idle: float, blocked: NDArray[np.bool_]) -> int:
        """`first` and `second` have become one group (in `UnionLoads` too), with these slots and idle share.

        Only the new group's pairs are scored. `blocked`: [groups] True where it must not merge. Returns its number.
        """
        kept, gone = min(first, second), max(first, second)
        self._loads[kept], self._slots[kept], self._idle[kept] = self._unions.totals()[kept], slots, idle
        self._live[gone] = False
        for number in (kept, gone):
            self._costs[number, :] = NEVER
            self._costs[:, number] = NEVER
        others = np.flatnonzero(self._live & ~blocked)
        self.score(kept, others[others != kept])
        stale = np.flatnonzero(np.isin(self._best, (kept, gone)) | (self._costs[:, kept] < self._lowest))
        self._refresh(np.union1d(stale, (kept, gone)))
        return kept

    def _refresh(self, rows: NDArray[np.intp]) -> None:
        for start in range(0, len(rows), _ROWS_AT_ONCE):  # picking rows copies them: never the whole matrix
            some = rows[start : start + _ROWS_AT_ONCE]
            self._best[some] = self._costs[some].argmin(axis=1)
            self._lowest[some] = self._costs[some, self._best[some]]
