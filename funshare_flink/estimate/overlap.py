"""Unions, intersections and pairs of any set of queries, from one sample (paper, section IV-D; design, section 6).

All filters of a share class are evaluated once on the sampled rows; what any set of queries has in common then follows
from counting bits, for groups that never ran together too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.bits import Words, count, packed, union, unpacked
from funshare_flink.estimate.pair_counts import pair_counts
from funshare_flink.estimate.pair_estimate import PairEstimate
from funshare_flink.estimate.sample import Bitmaps, ClassSample, SideSample
from funshare_flink.model.ids import QueryName

EMITTED_SAMPLE = 8_192
"""Pairs on which the share of pairs with intersecting query sets is counted."""


@dataclass(frozen=True)
class Estimated:
    """Records (or pairs) per second of the whole input, and the relative standard error (1 when nothing was seen)."""

    per_s: float
    error: float


class Overlaps:
    """What the queries of one sample have in common. Queries that the sample does not know raise KeyError."""

    def __init__(self, sample: ClassSample) -> None:
        self.sample = sample
        self._number: Mapping[QueryName, int] = {q: i for i, q in enumerate(sample.queries)}
        self._pairs = pair_counts(sample)
        lefts, rights = self._pairs.some_pairs(EMITTED_SAMPLE)
        self._pair_left = _picked(sample.left, lefts)
        self._pair_right = _picked(sample.right, rights)
        self.pair_rows = (lefts, rights)
        self._alone: dict[QueryName, Estimated] = {}

    def knows(self, queries: Iterable[QueryName]) -> bool:
        return all(q in self._number for q in queries)

    def numbers(self, queries: Iterable[QueryName]) -> NDArray[np.intp]:
        return np.array([self._number[q] for q in queries], dtype=np.intp)

    def left_rows(self, queries: Iterable[QueryName]) -> Estimated:
        """Rows of the left input that any of the queries wants."""
        return self._rows(self.sample.left, self._wanted(self.sample.left, queries))

    def right_rows(self, queries: Iterable[QueryName]) -> Estimated:
        """Rows of the right input that any of the queries wants."""
        return self._rows(self.sample.right, self._wanted(self.sample.right, queries))

    def common_rows(self, first: Iterable[QueryName], second: Iterable[QueryName]) -> tuple[Estimated, Estimated]:
        """Rows of each input that both groups want."""
        one, two = list(first), list(second)
        sides = (self.sample.left, self.sample.right)
        left, right = (self._rows(s, self._wanted(s, one) & self._wanted(s, two)) for s in sides)
        return left, right

    def pairs(self, queries: Iterable[QueryName]) -> Estimated:
        """Pairs that a join shared by these queries probes: each side's row is wanted by any of them, not necessarily
        by the same one. It grows with the square of selectivity."""
        return _estimated(self._pairs.count(*self._rows_of(list(queries))))

    def pairs_alone(self, query: QueryName) -> Estimated:
        """Pairs that the query wants: `pairs([query])`, kept."""
        if query not in self._alone:
            self._alone[query] = self.pairs([query])
        return self._alone[query]

    def emitted_pairs(self, queries: Iterable[QueryName], probed: Estimated | None = None) -> Estimated:
        """Pairs whose query sets intersect: what a shared join hands on to its routes. `probed`: `pairs(queries)` if
        it is known already.

        The sum of what each query wants, less what several want (counted on some pairs): filters that want few pairs,
        and hardly any together, are as well known as each is alone. Not less than any of them, not more than probed.
        """
        chosen = list(dict.fromkeys(queries))
        looked_at = probed or self.pairs(chosen)
        alone = [self.pairs_alone(q) for q in chosen]
        wanted = sum(a.per_s for a in alone)
        if wanted == 0:
            return Estimated(0.0, 1.0)
        share, error = self._wanted_once(self.numbers(chosen))
        most = max(a.per_s for a in alone)
        of_each = sum(a.per_s * a.error for a in alone) / wanted
        return Estimated(max(most, min(looked_at.per_s, wanted * share)), float(np.hypot(of_each, error)))

    def probed_bits(self, queries: Iterable[QueryName], most: int) -> int:
        """Of an even part of at most `most` of the sample's pairs (`pair_rows`): how many a shared join would probe."""
        chosen, some = self.numbers(queries), evenly(len(self.pair_rows[0]), most)
        lefts = unpacked(np.bitwise_or.reduce(self._pair_left[chosen], axis=0), len(self.pair_rows[0]))
        rights = unpacked(np.bitwise_or.reduce(self._pair_right[chosen], axis=0), len(self.pair_rows[0]))
        return int((lefts & rights)[some].sum())

    def _rows_of(self, queries: list[QueryName]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        left, right = self.sample.left, self.sample.right
        return (
            unpacked(self._wanted(left, queries), left.rows),
            unpacked(self._wanted(right, queries), right.rows),
        )

    def _wanted_once(self, chosen: NDArray[np.intp]) -> tuple[float, float]:
        """Pairs that any of the queries wants, over the sum of what each wants; and the error of that share."""
        wanted = self._pair_left[chosen] & self._pair_right[chosen]
        each, once = count(wanted), count(np.bitwise_or.reduce(wanted, axis=0))
        if each == 0 or len(chosen) == 1:
            return 1.0, 0.0 if len(chosen) == 1 else 1.0 - 1.0 / len(chosen)
        share = once / each
        return share, float(np.sqrt((1 - share) / once))

    def _wanted(self, side: SideSample, queries: Iterable[QueryName]) -> Words:
        return union(side.bitmaps, self.numbers(queries))

    def _rows(self, side: SideSample, rows: Words) -> Estimated:
        """The sampled share of a total that is known exactly (a ratio estimate)."""
        hits = count(rows)
        if side.rows == 0 or hits == 0:
            return Estimated(0.0, 1.0)
        share = hits / side.rows
        return Estimated(side.total_rows / self.sample.duration_s * share, float(np.sqrt((1 - share) / hits)))


def evenly(total: int, most: int) -> NDArray[np.intp]:
    """Up to `most` numbers below `total`, evenly spread."""
    return np.arange(total) if total <= most else (np.arange(most) * (total / most)).astype(np.intp)


def _picked(side: SideSample, rows: NDArray[np.intp]) -> Bitmaps:
    """[queries, words] the queries' bits of these rows, one bit per pick; by blocks of queries to save memory."""
    if len(rows) == 0:
        return np.zeros((len(side.bitmaps), 0), dtype=np.uint64)
    blocks = [side.bitmaps[i : i + 256] for i in range(0, len(side.bitmaps), 256)]
    return np.concatenate([packed(unpacked(block, side.rows)[:, rows]) for block in blocks])


def _estimated(pairs: PairEstimate) -> Estimated:
    return Estimated(pairs.per_s, min(1.0, pairs.error))
