"""How many pairs a shared join probes, from a sample of both sides: two ways to count, one choice between them.

*By key* (`key_products`): where keys live as long as the sampled range (few keys with many rows).
*By pair* (`pair_list`): where keys come and go (an auction's id), and for joins over all time.
"""

from __future__ import annotations

import numpy as np

from funshare_flink.estimate.key_products import KeyProducts
from funshare_flink.estimate.pair_estimate import PairCounts
from funshare_flink.estimate.pair_list import PairList
from funshare_flink.estimate.sample import ClassSample, SideSample

LONG_LIVED = 0.5
"""Share of the sampled range that a key's rows must span (mean, by rows) for keys to count as long-lived."""


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
