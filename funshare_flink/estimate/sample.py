"""A sample of a share class's two inputs with every query's filters evaluated (design, section 6).

Taken off the data path from the same time range of both topics. A key is chosen by a hash of the join key that is the
same on both sides, so that rows that join are sampled together; of a chosen key's rows a share is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from funshare_flink.model.ids import QueryName, ShareClassId

Bitmaps = NDArray[np.uint64]
"""[queries, words]: bit r % 64 of word r // 64 says that the query's filter holds for sampled row r."""


@dataclass(frozen=True)
class SamplingDesign:
    """`key_share`: share of the join keys that were chosen. `row_share`: share of a chosen key's rows that were kept;
    `right_row_share`: that of the right input if it is another one.

    Few keys with many rows want a key share of 1; many keys with few rows a row share of 1 (two-level sampling; see
    `estimate.design`).
    """

    key_share: float
    row_share: float
    right_row_share: float | None = None

    @property
    def row_shares(self) -> tuple[float, float]:
        """Of the left and the right input."""
        return self.row_share, self.row_share if self.right_row_share is None else self.right_row_share


@dataclass(frozen=True)
class Within:
    """Interval join: a pair is right.time - left.time in [lower_ms, upper_ms]."""

    lower_ms: int
    upper_ms: int


@dataclass(frozen=True)
class SameWindow:
    """Window join: a pair stands in every window of `size_ms`, started each `slide_ms`, that holds both rows."""

    size_ms: int
    slide_ms: int


@dataclass(frozen=True)
class SideSample:
    """Sampled rows of one input, in any order. `keys`, `times_ms`: [rows]. `total_rows`: rows of the whole input in
    the time range (counted by offsets, so it may be known exactly)."""

    bitmaps: Bitmaps
    keys: NDArray[np.int64]
    times_ms: NDArray[np.int64]
    total_rows: int

    @property
    def rows(self) -> int:
        return len(self.keys)


@dataclass(frozen=True)
class ClassSample:
    """Both sides of one share class over `duration_s` seconds of event time.

    `match` None: a regular join; its pairs are those within the time range. `pair_exponent`: how pairs per second grow
    with the input rate: 2 where keys stay (both sides grow), 1 where new keys come with the rate.
    """

    share_class: ShareClassId
    queries: tuple[QueryName, ...]
    left: SideSample
    right: SideSample
    design: SamplingDesign
    match: Within | SameWindow | None
    duration_s: float
    pair_exponent: float = 2.0
