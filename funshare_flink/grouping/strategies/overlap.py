"""Overlap sharing: queries share when two together cost less than two apart (AJoin, the paper's [31], its section II).

The only aim is the smallest total cost, by an analytical formula over pairs of queries:

    share(a, b)  iff  Load(a ∪ b) < Load(a) + Load(b)

It looks at queries, never at groups, and never at who pays. So whatever is linked by pairs becomes one plan, also
queries that have nothing in common with each other: with many queries, or with nested ranges, it ends in one global
plan (the paper's section VI, Fig. 9 and 11a).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.load import UnionLoads
from funshare_flink.grouping.knowledge import Knowledge
from funshare_flink.grouping.strategies.sharing import Part, need, shared_grouping
from funshare_flink.model.grouping import Candidate, Grouping
from funshare_flink.model.ids import ShareClassId


def overlap_sharing(
    candidates: tuple[Candidate, ...], knowledge: Knowledge | None = None, constrained: bool = False
) -> Grouping:
    name = "overlap-constrained" if constrained else "overlap"
    return shared_grouping(name, candidates, need(name, knowledge), by_overlap, constrained)


def by_overlap(share_class: ShareClassId, members: Sequence[Candidate], knowledge: Knowledge) -> list[Part]:
    unions = knowledge.loads[share_class].unions([(m.name,) for m in members])
    if unions is None:
        return [Part((m,), "what it has in common with others is not known") for m in members]
    return [_part([members[i] for i in linked]) for linked in linked_queries(unions)]


def _part(members: list[Candidate]) -> Part:
    if len(members) == 1:
        return Part(tuple(members), "with no other query it costs less than apart")
    return Part(tuple(members), "linked by pairs that cost less together than apart")


def linked_queries(unions: UnionLoads) -> list[list[int]]:
    """Connected components of "costs less together": a query is scored only against those not reached yet."""
    totals = unions.totals()
    left = np.arange(len(totals))
    found: list[list[int]] = []
    while len(left):
        component, frontier = [int(left[0])], [int(left[0])]
        left = left[1:]
        while frontier and len(left):
            cheaper = _cheaper_with(unions, totals, frontier.pop(), left)
            component += [int(i) for i in left[cheaper]]
            frontier += [int(i) for i in left[cheaper]]
            left = left[~cheaper]
        found.append(sorted(component))
    return found


def _cheaper_with(
    unions: UnionLoads, totals: NDArray[np.float64], query: int, others: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """A load that is no number makes no link. The margin is below what rounding adds up to."""
    apart = totals[query] + totals[others]
    cheaper: NDArray[np.bool_] = unions.with_each(query, others) < apart * (1 - 1e-9)
    return cheaper
