"""How a sample of given size is best laid out: how many keys, and how many rows of each (design, section 6).

What is wanted is the same for both sides: shares of rows that a filter keeps are known to about 1 / sqrt(rows kept), so
each side gets half of the budget, and rows of one key say less than rows of different keys, so as many keys as possible
are chosen. Two things speak for more than one row of a key: both sides must have a row of it for a pair to show, and
how long a key lives shows by a few rows only. (Two-level sampling of joins: Chen and Yi, SIGMOD 2017, who keep few rows
of many keys for the same reason.)
"""

from __future__ import annotations

from funshare_flink.estimate.sample import SamplingDesign

WANTED_ROWS = 4.0
"""Rows of a key and side that are worth keeping; three show how long a key lives (`pair_counts`)."""


def choose_design(keys_seen: int, left_rows: int, right_rows: int, share: float) -> SamplingDesign:
    """The design that samples `share` (0 to 1) of `left_rows` + `right_rows`, which have `keys_seen` different keys.

    rows kept a key and side:  r = min(WANTED_ROWS, left_rows / keys, right_rows / keys)
    share of the keys:         budget / (2 r keys), at most 1; then r grows until the budget is spent
    share of a side's rows:    r keys / rows, at most 1
    """
    if not 0 < share <= 1:
        raise ValueError(f"share {share} is not in (0, 1]")
    if min(keys_seen, left_rows, right_rows) <= 0:
        return SamplingDesign(1.0, share)
    half = share * (left_rows + right_rows) / 2
    kept = min(WANTED_ROWS, left_rows / keys_seen, right_rows / keys_seen)
    key_share = min(1.0, half / (kept * keys_seen))
    chosen = key_share * keys_seen
    left = min(1.0, half / (chosen * left_rows / keys_seen))
    right = min(1.0, (2 * half - left * key_share * left_rows) / (key_share * right_rows))
    return SamplingDesign(key_share, left, right)
