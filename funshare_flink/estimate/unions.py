"""Loads of many unions at once, by counting bits of a thinned sample: what a merge step ranks its pairs with.

A merge step asks for the load of one group with each of hundreds or thousands of others. Rows and pairs of the sample
are thinned to a fixed number of bits for that (fewer when there are more groups), and a union is an OR and a popcount.
Before a merge is done the union is estimated on the whole sample (`union`), so thinning decides the order in which
pairs are looked at and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.bits import packed
from funshare_flink.estimate.load import GroupLoad
from funshare_flink.estimate.overlap import Overlaps, evenly
from funshare_flink.estimate.sample import Bitmaps, SideSample
from funshare_flink.model.ids import QueryName

_AT_ONCE = 512
"""Unions that are formed at once, so that they stay in the cache."""

Floats = NDArray[np.float64]


def bits_for(groups: int) -> tuple[int, int]:
    """(pairs, rows a side) to keep for so many groups: the work of a merge step grows with groups² x bits."""
    return (4_096, 2_048) if groups <= 512 else (1_024, 512)


@dataclass(frozen=True)
class Prices:
    """What the thinned bits stand for, in µs per second: `fixed` once a group; per bit of the others."""

    fixed: float
    left_row: float
    right_row: float
    probed: float
    checked: float


class BitUnions:
    """`UnionLoads` over the queries of an `Overlaps`.

    Bits of which only an OR is wanted (rows of both sides, pairs handed on) stand side by side in one array, so that a
    union is one pass; the two sides of a pair have to be united before they meet, so they stand apart.
    """

    def __init__(
        self,
        overlaps: Overlaps,
        groups: Sequence[Sequence[QueryName]],
        load_of: Callable[[Sequence[QueryName]], GroupLoad],
        prices: Prices,
        additive: Floats,
    ) -> None:
        """`additive`: [groups] what each group brings into any union as it is (rows handed to members, their tails).
        `prices` are per bit of `thinned`."""
        self._load_of = load_of
        self._fixed, self._checked = prices.fixed, prices.checked
        self._members: list[list[QueryName]] = [list(g) for g in groups]
        self._known: dict[int, GroupLoad] = {}
        self._sizes = np.array([len(g) for g in groups], dtype=float)
        self._additive = additive.astype(float).copy()
        of_all = [overlaps.numbers(g) for g in groups]
        mine = np.unique(np.concatenate(of_all))
        thin = thinned(overlaps, mine, len(groups))
        numbers = [np.searchsorted(mine, n) for n in of_all]
        parts = [_united(b, numbers) for b in (thin.left, thin.right, thin.pair_left & thin.pair_right)]
        self._bits = np.ascontiguousarray(np.concatenate(parts, axis=1))
        self._pair_left, self._pair_right = (_united(b, numbers) for b in (thin.pair_left, thin.pair_right))
        self._row_prices, self._emitted_at = _columns(parts, prices)
        self._probe_prices = np.full(self._pair_left.shape[1], prices.probed, dtype=np.float32)
        everyone = np.arange(len(groups))
        self._totals = np.concatenate([self._alone(everyone[i : i + _AT_ONCE]) for i in everyone[::_AT_ONCE]])

    def totals(self) -> Floats:
        return self._totals

    def with_each(self, group: int, others: NDArray[np.intp]) -> Floats:
        parts = [self._with_some(group, others[i : i + _AT_ONCE]) for i in range(0, len(others), _AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _with_some(self, group: int, others: NDArray[np.intp]) -> Floats:
        which = _as_slice(others)
        bits = self._bits[which] | self._bits[group]
        probed = self._pair_left[which] | self._pair_left[group]
        probed &= self._pair_right[which] | self._pair_right[group]
        sizes = self._sizes[which] + self._sizes[group]
        return self._price(bits, probed, sizes, self._additive[which] + self._additive[group])

    def _alone(self, groups: NDArray[np.intp]) -> Floats:
        which = _as_slice(groups)
        probed = self._pair_left[which] & self._pair_right[which]
        return self._price(self._bits[which], probed, self._sizes[which], self._additive[which])

    def _price(self, bits: Bitmaps, probed: Bitmaps, sizes: Floats, additive: Floats) -> Floats:
        """[groups] µs per second. A product with the prices sums faster than numpy sums small integers."""
        counts = np.bitwise_count(bits).astype(np.float32)
        emitted = counts[:, self._emitted_at :].sum(axis=1)
        total = counts[:, : self._emitted_at] @ self._row_prices
        total += np.bitwise_count(probed).astype(np.float32) @ self._probe_prices
        priced: Floats = self._fixed + total.astype(float) + self._checked * emitted * sizes + additive
        return priced

    def load(self, group: int) -> GroupLoad:
        if group not in self._known:
            self._known[group] = self._load_of(self._members[group])
        return self._known[group]

    def union(self, first: int, second: int) -> GroupLoad:
        return self._load_of(self._members[first] + self._members[second])

    def merge(self, first: int, second: int) -> int:
        kept, gone = min(first, second), max(first, second)
        for bits in (self._bits, self._pair_left, self._pair_right):
            bits[kept] |= bits[gone]
        self._members[kept] = self._members[kept] + self._members[gone]
        self._members[gone] = []
        self._sizes[kept] += self._sizes[gone]
        self._additive[kept] += self._additive[gone]
        self._totals[kept] = self._alone(np.array([kept]))[0]
        self._totals[gone] = np.nan
        self._known.pop(kept, None)
        self._known.pop(gone, None)
        return kept


def _columns(parts: Sequence[Bitmaps], prices: Prices) -> tuple[NDArray[np.float32], int]:
    """Prices of the row words of `parts` (left, right, emitted side by side), and where the emitted words begin."""
    left, right = parts[0].shape[1], parts[1].shape[1]
    row_prices = np.concatenate([np.full(left, prices.left_row), np.full(right, prices.right_row)])
    return row_prices.astype(np.float32), left + right


def _as_slice(numbers: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """Numbers in a row as a slice, which copies nothing."""
    if len(numbers) and numbers[-1] - numbers[0] == len(numbers) - 1:
        return slice(int(numbers[0]), int(numbers[-1]) + 1)
    return numbers


@dataclass(frozen=True)
class Thinned:
    """[queries, words] a sample's bits, thinned: rows of each side, and both sides of some pairs."""

    left: Bitmaps
    right: Bitmaps
    pair_left: Bitmaps
    pair_right: Bitmaps
    left_rows: int
    right_rows: int
    pairs: int


def thinned(overlaps: Overlaps, queries: NDArray[np.intp], groups: int) -> Thinned:
    """An even part of the sample's rows and pairs, for these queries (numbers in the sample, ascending)."""
    pairs, rows = bits_for(groups)
    sample = overlaps.sample
    lefts, rights = overlaps.pair_rows
    some = evenly(len(lefts), pairs)
    left, right = evenly(sample.left.rows, rows), evenly(sample.right.rows, rows)
    return Thinned(
        _of_rows(sample.left, queries, left), _of_rows(sample.right, queries, right),
        _of_rows(sample.left, queries, lefts[some]), _of_rows(sample.right, queries, rights[some]),
        len(left), len(right), len(some),
    )  # fmt: skip


def _of_rows(side: SideSample, queries: NDArray[np.intp], rows: NDArray[np.intp]) -> Bitmaps:
    if len(rows) == 0:
        return np.zeros((len(queries), 1), dtype=np.uint64)
    # Only the words that hold a wanted row are looked at, and of each the one bit.
    words, bits = rows // 64, (rows % 64).astype(np.uint64)
    blocks = [side.bitmaps[queries[i : i + _AT_ONCE]][:, words] for i in range(0, len(queries), _AT_ONCE)]
    return np.concatenate([packed(((block >> bits) & np.uint64(1)).astype(bool)) for block in blocks])


def _united(bitmaps: Bitmaps, numbers: Sequence[NDArray[np.intp]]) -> Bitmaps:
    return np.stack([np.bitwise_or.reduce(bitmaps[n], axis=0) for n in numbers])
