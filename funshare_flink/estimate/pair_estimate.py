"""What every way to count pairs gives, and what all of them need of the sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.sample import ClassSample

Indexes = NDArray[np.intp]
Rows = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairEstimate:
    """Pairs per second, and their relative standard error."""

    per_s: float
    error: float


class PairCounts(Protocol):
    """Pairs of rows of both sides that meet."""

    def count(self, left: Rows, right: Rows) -> PairEstimate:
        """[rows] of each side that take part."""

    def some_pairs(self, most: int) -> tuple[Indexes, Indexes]:
        """Up to `most` pairs (left row, right row) spread evenly over all pairs of the sample."""


def sampled_pairs(sample: ClassSample) -> float:
    """Which share of all pairs the sample holds. The rows of the whole input are known, so the shares that were really
    drawn are too; they differ a little from the design's, and a pair would be wrong by both sides' differences. Where
    keys were chosen, both sides' shares hold that of the keys; it counts once."""
    left, right = (s.rows / s.total_rows if s.rows and s.total_rows else 1.0 for s in (sample.left, sample.right))
    if sample.design.key_share < 1:
        of_rows = sample.design.row_shares
        keys = min(1.0, float(np.sqrt(left * right / (of_rows[0] * of_rows[1]))))
        return max(left * right / keys, 1e-12)
    return max(left * right, 1e-12)


def spread(total: int, most: int) -> NDArray[np.int64]:
    """Up to `most` different numbers below `total`, evenly spread and without a pattern of the order (no chance: the
    same sample gives the same pairs)."""
    if total <= most:
        return np.arange(total)
    step = total / most
    jitter = (np.arange(most) * 0.6180339887498949) % 1.0
    return np.minimum(((np.arange(most) + jitter) * step).astype(np.int64), total - 1)
