"""Many groups in blocks of similar content, so that not every pair of ten thousand has to be looked at.

The trade: inside a block Algorithm 1 sees all pairs, across blocks only those of the groups that the blocks have
become. The end is a fixed point over all pairs all the same, but not always the one that all pairs from the start would
lead to. Similar content keeps that rare: a pair that is worth merging early is mostly in one block.
"""

from __future__ import annotations

import numpy as np

from funshare_flink.estimate.load import UnionLoads

BLOCK = 1024
"""Groups that are scored against each other at once: half a million pairs."""


def similar_blocks(unions: UnionLoads, size: int = BLOCK) -> list[list[int]]:
    """The numbers of all groups in blocks of at most `size` and nearly equal sizes.

    Each block is the heaviest group that is left and those nearest to it: of which it saves the largest share,

        (Load(p) + Load(g) - Load(p ∪ g)) / Load(g)

    Ties go to the lower number; what cannot be judged comes last.
    """
    totals = unions.totals()
    left = np.arange(len(totals))
    blocks = -(-len(left) // size)
    found = []
    for number in range(blocks):
        take = -(-len(left) // (blocks - number))
        pivot = int(left[np.argmax(np.nan_to_num(totals[left], nan=-1.0))])
        others = left[left != pivot]
        saved = (totals[pivot] + totals[others] - unions.with_each(pivot, others)) / totals[others]
        nearest = np.argsort(-np.nan_to_num(saved, nan=-np.inf), kind="stable")[: take - 1]
        chosen = sorted([pivot, *(int(i) for i in others[nearest])])
        found.append(chosen)
        left = left[~np.isin(left, chosen)]
    return found
