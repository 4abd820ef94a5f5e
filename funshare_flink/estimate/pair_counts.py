"""How many pairs a shared join probes, from a sample of both sides: two ways to count, one choice between them.

*By key*: where keys live as long as the sampled range (few keys with many rows), the pairs per second of one key are
the product of both sides' rates and the width of time in which rows meet. All rows of a key count towards its rates,
not only those that happened to lie within the bound of each other, so the estimate is far steadier than a count of
pairs. The range is cut into slices that are long against the bound, so that a shift inside the range is seen.

*By pair*: where keys come and go (an auction's id), the pairs within the bound are listed and counted. That wants all
rows of a key: such samples choose keys, not rows (two-level sampling, `SamplingDesign`).

Both are unbiased for what they assume; the by-key count is biased where rates inside a slice change together on both
sides faster than the slice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.sample import ClassSample, SameWindow, SideSample, Within

LONG_LIVED = 0.5
"""Share of the sampled range that a key's rows must span (mean, by rows) for keys to count as long-lived."""

SLICE_WIDTHS = 4
"""A slice of the range is at least so many times as long as the time in which rows meet."""

_MOST_PAIRS = 4_000_000
Indexes = NDArray[np.intp]
Rows = NDArray[np.bool_]


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


def pair_counts(sample: ClassSample) -> PairCounts:
    """By key when the sample's keys live long, else by pair."""
    if _keys_live_long(sample.left, sample) and _keys_live_long(sample.right, sample):
        return KeyProducts(sample)
    return PairList(sample)


def _keys_live_long(side: SideSample, sample: ClassSample) -> bool:
    """By rows: do the keys of most rows span most of the range? Keys with less than 3 rows cannot show it."""
    if side.rows == 0 or sample.match is None:
        return False
    _, key, counts = np.unique(side.keys, return_inverse=True, return_counts=True)
    first = np.full(len(counts), np.iinfo(np.int64).max)
    last = np.full(len(counts), np.iinfo(np.int64).min)
    np.minimum.at(first, key, side.times_ms)
    np.maximum.at(last, key, side.times_ms)
    spans = np.where(counts >= 3, (last - first) / (1000.0 * sample.duration_s), 0.0)
    return bool((spans * counts).sum() / counts.sum() >= LONG_LIVED)


def width_s(sample: ClassSample) -> float:
    """The time in which a row of one side meets rows of the other, weighted by how often it meets them.

    Interval join: the bound's length. Windows: `size` for each of the size / slide windows that a row is in. A regular
    join: the whole range.
    """
    match sample.match:
        case Within(lower_ms, upper_ms):
            return (upper_ms - lower_ms + 1) / 1000  # both ends count; event time has whole milliseconds
        case SameWindow(size_ms, slide_ms):
            return size_ms / 1000 * (size_ms / slide_ms)
        case None:
            return sample.duration_s


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
        self._scale = width_s(sample) / slice_s / _sampled_pairs(sample) / sample.duration_s

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
        by_rows = float((lefts * rights**2).sum() + (rights * lefts**2).sum() + pairs) / pairs**2
        by_rows *= 1 - self._sample.design.row_share
        by_keys = float((products**2).sum()) / pairs**2 * (1 - self._sample.design.key_share)
        return PairEstimate(pairs * self._scale, float(np.sqrt(by_rows + by_keys)))

    def some_pairs(self, most: int) -> tuple[Indexes, Indexes]:
        order_left, order_right = np.argsort(self._left, kind="stable"), np.argsort(self._right, kind="stable")
        lefts = np.bincount(self._left, minlength=self._cells_known)
        rights = np.bincount(self._right, minlength=self._cells_known)
        ends = np.cumsum(lefts * rights)
        total = int(ends[-1]) if len(ends) else 0
        picked = _spread(total, most)
        cell = np.searchsorted(ends, picked, side="right")
        within = picked - (ends[cell] - lefts[cell] * rights[cell])
        starts_left, starts_right = np.cumsum(lefts) - lefts, np.cumsum(rights) - rights
        return (
            order_left[starts_left[cell] + within // np.maximum(rights[cell], 1)],
            order_right[starts_right[cell] + within % np.maximum(rights[cell], 1)],
        )


class PairList:
    """All pairs of sampled rows that meet, listed."""

    def __init__(self, sample: ClassSample) -> None:
        self._sample = sample
        self._left, self._right, self._times, looked_at = meeting_pairs(sample)
        self._scale = 1 / looked_at / _sampled_pairs(sample) / sample.duration_s / _covered(sample)
        _, self._key = np.unique(sample.left.keys[self._left], return_inverse=True)

    def count(self, left: Rows, right: Rows) -> PairEstimate:
        met = left[self._left] & right[self._right]
        weights = self._times * met
        pairs = float(weights.sum())
        if pairs == 0:
            return PairEstimate(0.0, 1.0)
        # Keys are chosen as wholes (cluster sampling): the spread over keys is what is uncertain.
        by_key = np.bincount(self._key, weights=weights)
        by_keys = float((by_key**2).sum()) / pairs**2 * (1 - self._sample.design.key_share)
        by_rows = 3 / pairs * (1 - self._sample.design.row_share)
        return PairEstimate(pairs * self._scale, float(np.sqrt(by_keys + by_rows)))

    def some_pairs(self, most: int) -> tuple[Indexes, Indexes]:
        ends = np.cumsum(self._times.astype(np.int64))  # a pair that meets twice counts twice
        picked = np.searchsorted(ends, _spread(int(ends[-1]) if len(ends) else 0, most), side="right")
        return self._left[picked], self._right[picked]


def meeting_pairs(sample: ClassSample) -> tuple[Indexes, Indexes, NDArray[np.float64], float]:
    """(left rows, right rows, how often each pair meets, share of the left rows that were looked at).

    A pair has the same key and meets in time as the join wants it. When there would be too many pairs, only an even
    share of the left rows is looked at, each with all its partners.
    """
    left, right = sample.left, sample.right
    lower, upper = _reach_ms(sample)
    order = np.lexsort((right.times_ms, right.keys))
    begin = _position(right, order, left.keys, left.times_ms + lower)
    end = _position(right, order, left.keys, left.times_ms + upper + 1)
    counts = np.maximum(end - begin, 0)
    share = min(1.0, _MOST_PAIRS / max(1, int(counts.sum())))
    if share < 1:
        looked_at = np.zeros(left.rows, dtype=bool)
        looked_at[_spread(left.rows, max(1, int(share * left.rows)))] = True
        share, counts = float(looked_at.mean()), np.where(looked_at, counts, 0)
    lefts = np.repeat(np.arange(left.rows), counts)
    offsets = np.arange(len(lefts)) - np.repeat(np.cumsum(counts) - counts, counts)
    rights = order[np.repeat(begin, counts) + offsets]
    times = _times_met(sample, left.times_ms[lefts], right.times_ms[rights])
    kept = times > 0
    return lefts[kept], rights[kept], times[kept], share


def _reach_ms(sample: ClassSample) -> tuple[int, int]:
    match sample.match:
        case Within(lower_ms, upper_ms):
            return lower_ms, upper_ms
        case SameWindow(size_ms, _):
            return 1 - size_ms, size_ms - 1
        case None:
            far = round(1000 * sample.duration_s) + 1
            return -far, far


def _position(
    side: SideSample, order: Indexes, keys: NDArray[np.int64], times_ms: NDArray[np.int64]
) -> NDArray[np.intp]:
    """For each (key, time): how many of the side's rows, in `order` by key and time, stand before it."""
    all_keys = np.concatenate([side.keys, keys])
    all_times = np.concatenate([side.times_ms, times_ms])
    asked = np.concatenate([np.ones(side.rows, dtype=np.int8), np.zeros(len(keys), dtype=np.int8)])
    merged = np.lexsort((asked, all_times, all_keys))
    is_row = merged < side.rows
    before = np.cumsum(is_row)
    positions = np.empty(len(keys), dtype=np.intp)
    positions[merged[~is_row] - side.rows] = before[~is_row]
    return positions


def _sampled_pairs(sample: ClassSample) -> float:
    """Which share of all pairs the sample holds. The rows of the whole input are known, so the shares that were really
    drawn are too; they differ a little from the design's, and a pair would be wrong by both sides' differences."""
    shares = [s.rows / s.total_rows if s.rows and s.total_rows else 1.0 for s in (sample.left, sample.right)]
    return max(shares[0] * shares[1] / sample.design.key_share, 1e-12)


def _times_met(sample: ClassSample, left_ms: NDArray[np.int64], right_ms: NDArray[np.int64]) -> NDArray[np.float64]:
    """In how many windows both rows stand; 1 for joins without windows."""
    if not isinstance(sample.match, SameWindow):
        return np.ones(len(left_ms))
    size, slide = sample.match.size_ms, sample.match.slide_ms
    newest = np.minimum(left_ms, right_ms) // slide
    oldest = (np.maximum(left_ms, right_ms) - size) // slide
    return np.maximum(newest - oldest, 0).astype(float)


def _covered(sample: ClassSample) -> float:
    """Share of a row's partners that lie inside the sampled range, on average (rows near its ends lose some)."""
    if not isinstance(sample.match, Within):
        return 1.0
    duration = 1000 * sample.duration_s
    at = np.linspace(0, duration, 201)
    width = sample.match.upper_ms - sample.match.lower_ms + 1
    inside = np.minimum(at + sample.match.upper_ms, duration) - np.maximum(at + sample.match.lower_ms, 0) + 1
    return float(max(np.maximum(inside, 0).mean() / width, 1e-6))


def _first(side: SideSample) -> int:
    return int(side.times_ms.min()) if side.rows else np.iinfo(np.int64).max


def _spread(total: int, most: int) -> NDArray[np.int64]:
    """Up to `most` different numbers below `total`, evenly spread and without a pattern of the order (no chance: the
    same sample gives the same pairs)."""
    if total <= most:
        return np.arange(total)
    step = total / most
    jitter = (np.arange(most) * 0.6180339887498949) % 1.0
    return np.minimum(((np.arange(most) + jitter) * step).astype(np.int64), total - 1)
