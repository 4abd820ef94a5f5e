"""Which rows meet: the geometry of time of each kind of join, and the pairs of a sample that meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.pair_estimate import Floats, Indexes, spread
from funshare_flink.estimate.sample import ClassSample, SameWindow, SideSample, Within

MOST_PAIRS = 250_000
"""Pairs that are listed at most."""


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


def meeting_pairs(sample: ClassSample) -> tuple[Indexes, Indexes, Floats, float]:
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
    share = min(1.0, MOST_PAIRS / max(1, int(counts.sum())))
    if share < 1:
        looked_at = np.zeros(left.rows, dtype=bool)
        looked_at[spread(left.rows, max(1, int(share * left.rows)))] = True
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


def _times_met(sample: ClassSample, left_ms: NDArray[np.int64], right_ms: NDArray[np.int64]) -> Floats:
    """In how many windows both rows stand; 1 for joins without windows."""
    if not isinstance(sample.match, SameWindow):
        return np.ones(len(left_ms))
    size, slide = sample.match.size_ms, sample.match.slide_ms
    newest = np.minimum(left_ms, right_ms) // slide
    oldest = (np.maximum(left_ms, right_ms) - size) // slide
    return np.maximum(newest - oldest, 0).astype(float)


def covered(sample: ClassSample) -> float:
    """Share of a row's partners that lie inside the sampled range, on average (rows near its ends lose some)."""
    if not isinstance(sample.match, Within):
        return 1.0
    duration = 1000 * sample.duration_s
    at = np.linspace(0, duration, 201)
    width = sample.match.upper_ms - sample.match.lower_ms + 1
    inside = np.minimum(at + sample.match.upper_ms, duration) - np.maximum(at + sample.match.lower_ms, 0) + 1
    return float(max(np.maximum(inside, 0).mean() / width, 1e-6))
