"""Which pairs must not merge whatever they cost: for many pairs at once, and the reason for one.

Two bars, both about tails (a tail is what one query alone does after its route; it runs in the group's slots):

*Backpressure guard* (Algorithm 1, line 1; the paper, section IV-A): a group's shared operators are held back by its own
tail, and the other group reads, or has been promised, more than the tolerance allows. It would be throttled. Two groups
that are held back alike hurt neither, so they may merge: among queries with the same heavy tail sharing still saves the
join.

*Tails that cannot keep up*: the union's tails, each with the subtasks that it can use, would carry less of the input
than a member reads alone. Tails do not change by a merge, so this is exact:

    carried = min over tails (subtasks * 1 slot / load of the tail) ^ (1 / pair exponent)        (see GroupLoad)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.load import SLOT_US_PS
from funshare_flink.grouping.merging_group import MergingGroup, backpressure_guard, tails_carry
from funshare_flink.grouping.tuning import Tuning

Mask = NDArray[np.bool_]


class Bars:
    """The groups of one run of Algorithm 1, as arrays by number."""

    def __init__(self, groups: Sequence[MergingGroup], tuning: Tuning) -> None:
        self._tuning = tuning
        self._limit = 1 - tuning.penalty_tolerance
        self._throttled = np.array([g.throttled for g in groups], dtype=bool)
        self._processed = np.array([g.processed for g in groups], dtype=float)
        self._promised = np.array([g.promised for g in groups], dtype=float)
        self._slots_alone = np.array([g.slots_alone for g in groups], dtype=float)
        self._widest = np.array([g.tails.widest_us_ps for g in groups], dtype=float)
        self._narrow = np.array([g.tails.narrow_ratio for g in groups], dtype=float)
        self._exponent = groups[0].tails.pair_exponent if groups else 1.0
        self._guards = bool(self._throttled.any())
        # A union has at least the slots of either side: where every group's tails keep up, so do those of any union.
        self._tails_short = any(tails_carry(g.tails, g.slots_alone) < 1 for g in groups)

    def put(self, number: int, group: MergingGroup) -> None:
        """A merge has made `group`."""
        self._throttled[number], self._guards = group.throttled, self._guards or group.throttled
        self._processed[number], self._promised[number] = group.processed, group.promised
        self._slots_alone[number] = group.slots_alone
        self._widest[number], self._narrow[number] = group.tails.widest_us_ps, group.tails.narrow_ratio

    def between(self, group: int, others: NDArray[np.intp]) -> Mask | None:
        """[others] which must not merge with `group`; None when none can be."""
        if not self._guards and not self._tails_short:
            return None
        barred = np.zeros(len(others), dtype=bool)
        if self._guards:
            barred |= self._guarded(group, others)
        if self._tails_short:
            barred |= self._short(group, others)
        return barred

    def _guarded(self, group: int, others: NDArray[np.intp]) -> Mask:
        """`backpressure_guard` for many."""
        due = np.maximum(self._processed[others], self._promised[others])
        mine = max(self._processed[group], self._promised[group])
        guarded: Mask = self._throttled[others] & (self._processed[others] < mine * self._limit)
        if self._throttled[group]:
            guarded |= self._processed[group] < due * self._limit
        return guarded

    def _short(self, group: int, others: NDArray[np.intp]) -> Mask:
        slots = self._slots_alone[group] + self._slots_alone[others]
        widest = np.maximum(self._widest[group], self._widest[others])
        ratio = np.minimum(self._narrow[group], self._narrow[others])
        with np.errstate(divide="ignore"):
            ratio = np.minimum(ratio, slots * SLOT_US_PS / widest)
        promised = np.maximum(self._promised[group], self._promised[others])
        short: Mask = np.power(ratio, 1 / self._exponent) < promised * (1 - 1e-9)
        return short


def why_barred(first: MergingGroup, second: MergingGroup, tuning: Tuning) -> str | None:
    """The reason for one pair, None if it is not barred."""
    guard = backpressure_guard(first, second, tuning)
    if guard is not None:
        return guard
    carried = tails_carry(first.tails.with_those_of(second.tails), first.slots_alone + second.slots_alone)
    promised = max(first.promised, second.promised)
    if carried < promised * (1 - 1e-9):
        return f"a tail lets the union read {carried:.0%} of its input, a member alone reads {promised:.0%}"
    return None
