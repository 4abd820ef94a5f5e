"""Unions scored one by one: for hundreds of groups of which any union's load can be asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.load import GroupLoad
from funshare_flink.model.ids import QueryName


class EachUnion:
    """`UnionLoads` from a function that gives any group's load."""

    def __init__(
        self, groups: Sequence[Sequence[QueryName]], load_of: Callable[[Sequence[QueryName]], GroupLoad]
    ) -> None:
        self._load_of = load_of
        self._members = [tuple(g) for g in groups]
        self._totals = np.array([self.load(i).total_us_ps for i in range(len(groups))])

    def totals(self) -> NDArray[np.float64]:
        return self._totals

    def with_each(self, group: int, others: NDArray[np.intp]) -> NDArray[np.float64]:
        return np.array([self.union(group, int(o)).total_us_ps for o in others])

    def load(self, group: int) -> GroupLoad:
        return self._load_of(self._members[group])

    def union(self, first: int, second: int) -> GroupLoad:
        return self._load_of(self._members[first] + self._members[second])

    def merge(self, first: int, second: int) -> int:
        kept, gone = min(first, second), max(first, second)
        self._members[kept], self._members[gone] = self._members[kept] + self._members[gone], ()
        self._totals[kept], self._totals[gone] = self.load(kept).total_us_ps, np.nan
        return kept
