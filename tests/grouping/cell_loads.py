"""An exact load model over the cells of an attribute's domain, and what a cluster that obeyed it would measure.

Load = c0 + c1 (uL + uR) + c2 uL uR + tails, where uL and uR are the shares of the left and right input's rows that pass
any member's filter. Nothing is sampled, so whatever a law finds is the fault of the decisions, not of an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.load import SLOT_US_PS, GroupLoad, Loads, TailLoad, UnionLoads
from funshare_flink.grouping.snapshot import GroupState, Snapshot
from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import GroupId, QueryName, ShareClassId

INPUT_RPS = 1000.0

Costs = tuple[float, float, float]
"""(c0, c1, c2), in µs of CPU per second."""


@dataclass(frozen=True)
class CellQuery:
    """Cells of the left and right domain that its filters pass, and its tail."""

    left: frozenset[int]
    right: frozenset[int]
    tail_us_ps: float = 0.0
    max_parallelism: int | None = None


class CellLoads(Loads):
    """Loads of one share class. `weights`: share of the rows that fall into each cell. Queries it does not hold are
    unknown to it. `scale` and `error` may be set to spoil all of them."""

    def __init__(
        self,
        queries: Mapping[QueryName, CellQuery],
        costs: Costs,
        weights: Sequence[float],
        error: float | None = 0.0,
        pair_exponent: float = 2.0,
    ) -> None:
        self.queries = queries
        self.costs = costs
        self.weights = np.asarray(weights, dtype=float)
        self.error = error
        self.pair_exponent = pair_exponent
        self.scale = 1.0

    def of(self, members: Iterable[QueryName]) -> GroupLoad | None:
        names = sorted(set(members))
        if any(n not in self.queries for n in names):
            return None
        return self.load_of(self.mask(names, "left"), self.mask(names, "right"), names)

    def unions(self, groups: Sequence[Sequence[QueryName]]) -> UnionLoads | None:
        if any(m not in self.queries for g in groups for m in g):
            return None
        return CellUnions(self, groups)

    def selectivity(self, query: QueryName) -> tuple[float, float] | None:
        if query not in self.queries:
            return None
        left, right = (self.mask([query], side) for side in ("left", "right"))
        return float(self.weights @ left), float(self.weights @ right)

    def mask(self, names: Sequence[QueryName], side: str) -> NDArray[np.bool_]:
        found = np.zeros(len(self.weights), dtype=bool)
        for n in names:
            found[list(getattr(self.queries[n], side))] = True
        return found

    def load_of(self, left: NDArray[np.bool_], right: NDArray[np.bool_], names: Sequence[QueryName]) -> GroupLoad:
        u_left, u_right = float(self.weights @ left), float(self.weights @ right)
        c0, c1, c2 = self.costs
        tails = tuple(
            TailLoad(n, self.scale * self.queries[n].tail_us_ps, self.queries[n].max_parallelism) for n in names
        )
        rows, pairs = self.scale * (c0 + c1 * (u_left + u_right)), self.scale * c2 * u_left * u_right
        return GroupLoad(rows, pairs, tails, self.pair_exponent, self.error)


class CellUnions(UnionLoads):
    """Unions as masks over cells; counts the pairs that were scored."""

    def __init__(self, loads: CellLoads, groups: Sequence[Sequence[QueryName]]) -> None:
        self._loads = loads
        self._names = [sorted(set(g)) for g in groups]
        self._left = np.array([loads.mask(g, "left") for g in self._names]).reshape(len(groups), -1)
        self._right = np.array([loads.mask(g, "right") for g in self._names]).reshape(len(groups), -1)
        self._tails = np.array([sum(loads.queries[m].tail_us_ps for m in g) for g in self._names])
        self._dead = np.zeros(len(groups), dtype=bool)
        self.scored: list[tuple[tuple[QueryName, ...], tuple[QueryName, ...]]] = []

    def totals(self) -> NDArray[np.float64]:
        found = self._total(self._left, self._right, self._tails)
        found[self._dead] = np.nan
        return found

    def with_each(self, group: int, others: NDArray[np.intp]) -> NDArray[np.float64]:
        assert not self._dead[group]
        assert not self._dead[others].any()
        assert group not in others
        self.scored += [(tuple(self._names[group]), tuple(self._names[o])) for o in others]
        left, right = self._left[others] | self._left[group], self._right[others] | self._right[group]
        return self._total(left, right, self._tails[others] + self._tails[group])

    def load(self, group: int) -> GroupLoad:
        return self._loads.load_of(self._left[group], self._right[group], self._names[group])

    def union(self, first: int, second: int) -> GroupLoad:
        names = sorted([*self._names[first], *self._names[second]])
        left, right = (side[first] | side[second] for side in (self._left, self._right))
        return self._loads.load_of(left, right, names)

    def merge(self, first: int, second: int) -> int:
        assert not self._dead[first]
        assert not self._dead[second]
        kept, gone = min(first, second), max(first, second)
        for values in (self._left, self._right):
            values[kept] |= values[gone]
        self._tails[kept] += self._tails[gone]
        self._names[kept] = sorted(self._names[kept] + self._names[gone])
        self._dead[gone] = True
        return kept

    def _total(
        self, left: NDArray[np.bool_], right: NDArray[np.bool_], tails: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        c0, c1, c2 = self._loads.costs
        u_left, u_right = left @ self._loads.weights, right @ self._loads.weights
        total: NDArray[np.float64] = c0 + c1 * (u_left + u_right) + c2 * u_left * u_right + tails
        return self._loads.scale * total


@dataclass(frozen=True)
class World:
    """Candidates and the loads of their classes; what is measured follows from the model alone."""

    candidates: tuple[Candidate, ...]
    loads: Mapping[ShareClassId, CellLoads]
    free_slots: int | None = None
    tolerance: float = field(default=1e-9)

    def alone(self) -> Grouping:
        groups = (Group(GroupId(str(c.name)), (c.name,), c.slots, c.share_class, "alone") for c in self.candidates)
        return Grouping("isolated", tuple(groups))

    def snapshot(self, grouping: Grouping, at_s: float = 0.0) -> Snapshot:
        return Snapshot(
            at_s,
            tuple(self.state(g) for g in grouping.groups),
            {c.name: c for c in self.candidates},
            self.loads,
            {c.name: self.alone_rps(c) for c in self.candidates},
            self.free_slots,
        )

    def load(self, share_class: ShareClassId | None, members: Iterable[QueryName]) -> GroupLoad | None:
        return self.loads[share_class].of(members) if share_class is not None else None

    def alone_rps(self, candidate: Candidate) -> float | None:
        load = self.load(candidate.share_class, [candidate.name])
        return None if load is None else INPUT_RPS * min(1.0, load.sustained_factor(candidate.slots))

    def factor(self, group: Group) -> float:
        """Share of the input that a group reads; 1 for one of which the model knows nothing."""
        load = self.load(group.share_class, group.members)
        return 1.0 if load is None else min(1.0, load.sustained_factor(group.slots))

    def state(self, group: Group) -> GroupState:
        load = self.load(group.share_class, group.members)
        if load is None:
            return GroupState(group, None, INPUT_RPS, None, None, None)
        factor = self.factor(group)
        idle = max(0.0, 1.0 - load.at(factor) / (group.slots * SLOT_US_PS))
        return GroupState(group, load, INPUT_RPS, INPUT_RPS * factor, idle, self._throttling(group, load, factor))

    def _throttling(self, group: Group, load: GroupLoad, factor: float) -> frozenset[QueryName]:
        """Members whose tails are what bounds the group."""
        found = set()
        for tail in load.tails:
            width = group.slots if tail.max_parallelism is None else min(group.slots, tail.max_parallelism)
            bound = math.inf
            if tail.us_ps > 0:
                bound = math.pow(width * SLOT_US_PS / tail.us_ps, 1 / load.pair_exponent)
            if bound < 1.0 and bound <= factor * (1 + self.tolerance):
                found.add(tail.query)
        return frozenset(found)
