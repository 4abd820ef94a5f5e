"""What groups of queries really need in a world at one time: exact, by algebra over the attribute's values.

The same formula as the estimator's (`estimate.loads.load_of`), fed with true counts instead of sampled ones; so what
the production code estimates in a simulation can be held against the truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.each_union import EachUnion
from funshare_flink.estimate.load import GroupLoad, TailLoad, UnionLoads
from funshare_flink.estimate.loads import StageCounts, TailCost, load_of
from funshare_flink.estimate.overlap import Estimated
from funshare_flink.model.ids import QueryName
from funshare_flink.sim.world import Phase, SimQuery, World

PAIR_EXPONENT = 2.0
"""Both inputs grow with the rate and keys stay, so pairs per second grow with its square."""

Mask = NDArray[np.bool_]


class TrueLoads:
    """`Loads` of one share class in one phase, without error."""

    def __init__(self, world: World, phase: Phase, queries: Iterable[SimQuery]) -> None:
        self._world, self._phase = world, phase
        self.queries = {q.name: q for q in queries}
        self._left_weights, self._right_weights = np.array(phase.left), np.array(phase.right)
        self._inserts: dict[tuple[QueryName, ...], float] = {}
        self._handed: dict[QueryName, float] = {}
        self._known: dict[tuple[QueryName, ...], GroupLoad] = {}
        self._tails = {q.name: TailCost(q.tail.us_per_row, q.tail.max_parallelism) for q in self.queries.values()}
        self.all_pairs_per_s = world.join.pairs_per_s(phase.rate_rps, phase.rate_rps)

    def of(self, members: Iterable[QueryName]) -> GroupLoad | None:
        chosen = sorted(set(members))
        if not chosen or any(q not in self.queries for q in chosen):
            return None
        return self._load(tuple(chosen))

    def selectivity(self, query: QueryName) -> tuple[float, float] | None:
        known = self.queries.get(query)
        if known is None:
            return None
        left, right = (_mask(r, self._world.domain) for r in (known.left, known.right))
        return float(left @ self._left_weights), float(right @ self._right_weights)

    def unions(self, groups: Sequence[Sequence[QueryName]]) -> UnionLoads | None:
        if any(not g or any(q not in self.queries for q in g) for g in groups):
            return None
        return EachUnion(groups, lambda members: self._load(tuple(sorted(set(members)))))

    def _load(self, members: tuple[QueryName, ...]) -> GroupLoad:
        if members not in self._known:
            load = load_of(self._counts(members), self._world.costs, self._tails, PAIR_EXPONENT)
            self._known[members] = _with_shared_tails(load, self, members) if self._world.share_tails else load
        return self._known[members]

    def insert_us_ps(self, members: Iterable[QueryName]) -> float:
        """The part of a group's load that puts rows into the join's state: it is the join's work, not the source's."""
        key = tuple(sorted(set(members)))
        if key not in self._inserts:
            counts = self._counts(key)
            self._inserts[key] = (counts.left.per_s + counts.right.per_s) * self._world.costs.insert.us
        return self._inserts[key]

    def handed(self, query: QueryName) -> float:
        """Joined rows per second that the query's tail is handed."""
        if query not in self._handed:
            left, right = self.selectivity(query) or (0.0, 0.0)
            self._handed[query] = self.all_pairs_per_s * left * right
        return self._handed[query]

    def _counts(self, members: Sequence[QueryName]) -> StageCounts:
        lefts, rights = self.masks(members)
        left = float(lefts.any(axis=0) @ self._left_weights)
        right = float(rights.any(axis=0) @ self._right_weights)
        alone = (lefts @ self._left_weights) * (rights @ self._right_weights) * self.all_pairs_per_s
        rate = self._phase.rate_rps
        return StageCounts(
            arriving=_sure(2 * rate),
            left=_sure(rate * left),
            right=_sure(rate * right),
            probed=_sure(self.all_pairs_per_s * left * right),
            emitted=_sure(self.all_pairs_per_s * self.emitted_share(lefts, rights)),
            handed=tuple((q, _sure(float(a))) for q, a in zip(members, alone, strict=True)),
        )

    def masks(self, members: Sequence[QueryName]) -> tuple[Mask, Mask]:
        """[members, values] which values each query keeps on the left and on the right."""
        chosen = [self.queries[q] for q in members]
        return (
            np.array([_mask(q.left, self._world.domain) for q in chosen]),
            np.array([_mask(q.right, self._world.domain) for q in chosen]),
        )

    def emitted_share(self, lefts: Mask, rights: Mask) -> float:
        """Share of all pairs that any one member wants on both sides."""
        wanted = (lefts.T.astype(np.float32) @ rights.astype(np.float32)) > 0
        return float(self._left_weights @ wanted @ self._right_weights)


def _with_shared_tails(load: GroupLoad, loads: TrueLoads, members: Sequence[QueryName]) -> GroupLoad:
    """The paper's baselines run the tail of one kind once for all its queries: each joined row that any of them wants
    goes through it, so its parallelism limit holds for all of them together."""
    kinds: dict[str, list[QueryName]] = {}
    for q in members:
        kinds.setdefault(loads.queries[q].tail.kind, []).append(q)
    tails = []
    for kind in sorted(kinds):
        first = loads.queries[kinds[kind][0]]
        share = loads.emitted_share(*loads.masks(kinds[kind]))
        us_ps = share * loads.all_pairs_per_s * first.tail.us_per_row
        tails.append(TailLoad(first.name, us_ps, first.tail.max_parallelism))
    return GroupLoad(load.rows_us_ps, load.pairs_us_ps, tuple(tails), load.pair_exponent, load.error)


def _mask(kept: tuple[int, int], domain: int) -> Mask:
    values = np.arange(domain)
    mask: Mask = (values >= kept[0]) & (values <= kept[1])
    return mask


def _sure(per_s: float) -> Estimated:
    return Estimated(per_s, 0.0)
