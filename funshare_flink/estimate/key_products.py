"""Pairs of long-lived keys, from both sides' rates of each key.

    pairs/s = sum over keys and slices of time of rate left * rate right * width

All rows of a key count towards its rates, not only those that happened to lie within the bound of each other, so the
estimate is far steadier than a count of pairs. The range is cut into slices that are long against the bound, so that a
shift inside the range is seen. Biased where the rates of a key change together on both sides faster than a slice lasts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.meeting import width_s
from funshare_flink.estimate.pair_estimate import Indexes, PairEstimate, Rows, sampled_pairs, spread
from funshare_flink.estimate.sample import ClassSample, SideSample

SLICE_WIDTHS = 4
"""A slice of the range is at least so many times as long as the time in which rows meet."""


class KeyProducts:
    """Pairs by key and slice of time: rate left x rate right x width."""

    def __init__(self, sample: ClassSample) -> None:
        self._sample = sample
        slices = max(1, int(sample.duration_s / (SLICE_WIDTHS * width_s(sample))))
        start = min(_first(sample.left), _first(sample.right))
        cells = [self._cells(side, slices, start) for side in (sample.left, sample.right)]
        known = np.union1d(*cells)
        self._left, self._right = (np.searchsorted(known, c) for c in cells)
        self._cells_known = len(known)
        slice_s = sample.duration_s / slices
        self._scale = width_s(sample) / slice_s / sampled_pairs(sample) / sample.duration_s

    def _cells(self, side: SideSample, slices: int, start_ms: int) -> NDArray[np.int64]:
        """A number for each row's key and slice."""
        at = (side.times_ms - start_ms) * slices // max(1, round(1000 * self._sample.duration_s))
        cells: NDArray[np.int64] = side.keys * slices + at.clip(0, slices - 1)
        return cells

    def count(self, left: Rows, right: Rows) -> PairEstimate:
        lefts = np.bincount(self._left[left], minlength=self._cells_known).astype(float)
        rights = np.bincount(self._right[right], minlength=self._cells_known).astype(float)
        products = lefts * rights
        pairs = float(products.sum())
        if pairs == 0:
            return PairEstimate(0.0, 1.0)
        # Rows are kept independently: each side's part of the variance is that of a weighted Poisson count.
        left_share, right_share = self._sample.design.row_shares
        by_rows = (1 - left_share) * float((lefts * rights**2).sum()) + (1 - right_share) * float(
            (rights * lefts**2).sum()
        )
        by_rows = (by_rows + (1 - left_share) * (1 - right_share) * pairs) / pairs**2
        by_keys = float((products**2).sum()) / pairs**2 * (1 - self._sample.design.key_share)
        return PairEstimate(pairs * self._scale, float(np.sqrt(by_rows + by_keys)))

    def some_pairs(self, most: int) -> tuple[Indexes, Indexes]:
        order_left, order_right = np.argsort(self._left, kind="stable"), np.argsort(self._right, kind="stable")
        lefts = np.bincount(self._left, minlength=self._cells_known)
        rights = np.bincount(self._right, minlength=self._cells_known)
        ends = np.cumsum(lefts * rights)
        total = int(ends[-1]) if len(ends) else 0
        picked = spread(total, most)
        cell = np.searchsorted(ends, picked, side="right")
        within = picked - (ends[cell] - lefts[cell] * rights[cell])
        starts_left, starts_right = np.cumsum(lefts) - lefts, np.cumsum(rights) - rights
        return (
            order_left[starts_left[cell] + within // np.maximum(rights[cell], 1)],
            order_right[starts_right[cell] + within % np.maximum(rights[cell], 1)],
        )


def _first(side: SideSample) -> int:
    return int(side.times_ms.min()) if side.rows else np.iinfo(np.int64).max
