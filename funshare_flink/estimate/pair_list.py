"""Pairs that are listed one by one: for keys that come and go, and for joins over all time.

A small sample holds few pairs of two selective filters, so their number n alone is uncertain; but what n would be if
filters had nothing to do with how often rows meet rests on all sampled rows. With N the pairs of the sample and f the
share of a side's sampled rows that are wanted,

    a(side) = toward(N f(side), pairs with a wanted row on that side)
    n^      = toward(a(left) a(right) / N, n)            toward(x, n) = x (n + k) / (x + k)

k says how many pairs weigh as much as the assumption that filters do not matter: k = d / v, d the variance of n per
pair (pairs of one key come together), v the variance of n / x over the sample's own queries beyond that of chance. To v
its standard error is added, so little evidence for independence is not taken for much. (An empirical Bayes estimate: a
gamma prior of mean 1 for n / x.) On a whole input d is 0, so k is 0 and the estimate is n. It never falls when queries
are added, as it grows with x and with n.

Bias: towards independence, for filters that matter in a class where most do not, as long as n is small against k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.bits import unpacked
from funshare_flink.estimate.meeting import covered, meeting_pairs
from funshare_flink.estimate.pair_estimate import Floats, Indexes, PairEstimate, Rows, sampled_pairs, spread
from funshare_flink.estimate.sample import ClassSample

JUDGED = 64
"""Queries over which it is judged how much filters matter: each left filter with each right one."""

JUDGED_PAIRS = 100_000
"""Pairs on which it is judged, about."""

SPREAD_OVER = 16
"""Queries over which the variance of a number of pairs is judged."""


@dataclass(frozen=True)
class Prior:
    """`pairs`: k above. `per_pair`: d above."""

    pairs: float
    per_pair: float

    def toward(self, expected: float, seen: float) -> float:
        below = expected + self.pairs
        return expected * (seen + self.pairs) / below if below > 0 else 0.0

    def error2(self, expected: float, seen: float, expected_error2: float) -> float:
        """Squared relative error of `toward`: what is left of that of `expected`, and the posterior's own."""
        kept = self.pairs / (expected + self.pairs) if self.pairs > 0 else 0.0
        return kept**2 * expected_error2 + self.per_pair / max(seen + self.pairs, 1.0)


class PairList:
    """All pairs of sampled rows that meet, listed."""

    def __init__(self, sample: ClassSample) -> None:
        self._sample = sample
        self._left, self._right, self._times, looked_at = meeting_pairs(sample)
        self._all = float(self._times.sum())
        self._scale = 1 / looked_at / sampled_pairs(sample) / sample.duration_s / covered(sample)
        _, self._key = np.unique(sample.left.keys[self._left], return_inverse=True)
        left_share, right_share = sample.design.row_shares
        self._missing = (1 - sample.design.key_share, 1 - left_share * looked_at, 1 - right_share)
        self._all_error2 = self._variance(self._times) / self._all**2 if self._all else 1.0
        self._by_side, self._by_pair = self._priors()

    def count(self, left: Rows, right: Rows) -> PairEstimate:
        if self._all == 0 or not left.any() or not right.any():
            return PairEstimate(0.0, 1.0)
        from_left, from_right = self._times * left[self._left], self._times * right[self._right]
        a, a_error2 = self._one_side(0, left, float(from_left.sum()))
        b, b_error2 = self._one_side(1, right, float(from_right.sum()))
        seen = float((from_left * right[self._right]).sum())
        pairs = self._by_pair.toward(a * b / self._all, seen)
        if pairs == 0:
            return PairEstimate(0.0, 1.0)
        error2 = self._by_pair.error2(a * b / self._all, seen, a_error2 + b_error2)
        return PairEstimate(pairs * self._scale, float(np.sqrt(error2 + self._all_error2)))

    def some_pairs(self, most: int) -> tuple[Indexes, Indexes]:
        ends = np.cumsum(self._times.astype(np.int64))  # a pair that meets twice counts twice
        picked = np.searchsorted(ends, spread(int(ends[-1]) if len(ends) else 0, most), side="right")
        return self._left[picked], self._right[picked]

    def _one_side(self, side: int, rows: Rows, seen: float) -> tuple[float, float]:
        """Pairs with a wanted row on this side, and the squared relative error. Shares near 1 are known better."""
        share, prior = float(rows.mean()), self._by_side[side]
        error2 = prior.error2(self._all * share, seen, 1 / max(1, int(rows.sum())))
        return prior.toward(self._all * share, seen), error2 * (1 - share)

    def _variance(self, weights: Floats) -> float:
        """Of a sum over pairs: keys are chosen as wholes, then rows of each side one by one."""
        found = 0.0
        for part, which in zip(self._missing, (self._key, self._left, self._right), strict=True):
            if part > 0:
                found += part * float((np.bincount(which, weights=weights) ** 2).sum())
        return found

    def _priors(self) -> tuple[tuple[Prior, Prior], Prior]:
        """Of each side alone, and of both together."""
        if not any(self._missing) or not self._all or not self._sample.queries:
            return (WHOLE, WHOLE), WHOLE
        queries = spread(len(self._sample.queries), JUDGED)
        of_side, of_both = self._per_pair(queries[:: -(-len(queries) // SPREAD_OVER)])
        some = self._left % -(-len(self._left) // JUDGED_PAIRS) == 0
        sides, picked = (self._sample.left, self._sample.right), (self._left[some], self._right[some])
        times = self._times[some].astype(np.float32)
        rows = [unpacked(s.bitmaps[queries], s.rows) for s in sides]
        wanted = [r[:, p].astype(np.float32) for r, p in zip(rows, picked, strict=True)]
        seen = [(w @ times).astype(float) for w in wanted]
        total = max(float(times.sum()), 1.0)
        left, right = (_prior(total * r.mean(axis=1), n, d) for r, n, d in zip(rows, seen, of_side, strict=True))
        return (left, right), _prior(np.outer(*seen) / total, (wanted[0] * times) @ wanted[1].T, of_both)

    def _per_pair(self, queries: NDArray[np.int64]) -> tuple[tuple[float, float], float]:
        """d above: of each side alone, and of both together; that of unrelated pairs where there are none."""
        sums, variances = np.zeros(3), np.zeros(3)
        for query in queries:
            left, right = (self._times * side for side in self._wanted_by(query))
            parts: tuple[Floats, ...] = (left, right, left * (right > 0).astype(float))
            sums += [p.sum() for p in parts]
            variances += [self._variance(p) for p in parts]
        found = np.where(sums > 0, variances / np.maximum(sums, 1e-12), max(self._missing))
        return (float(found[0]), float(found[1])), float(found[2])

    def _wanted_by(self, query: np.int64) -> tuple[Rows, Rows]:
        """[pairs] whether the query wants the left row, and the right one."""
        left, right = (unpacked(s.bitmaps[query], s.rows) for s in (self._sample.left, self._sample.right))
        return left[self._left], right[self._right]


WHOLE = Prior(0.0, 0.0)
"""Nothing is uncertain on a whole input."""


def _prior(expected: Floats, seen: Floats, per_pair: float) -> Prior:
    """The variance of n is taken from what is expected, which is steadier than from n. Filters overlap, so of all that
    are judged only as many count as there are queries."""
    by_chance = per_pair * expected
    if by_chance.sum() == 0:
        return Prior(0.0, per_pair)
    beyond = max(0.0, float(((seen - expected) ** 2 - by_chance).sum()))
    uncertain = float(np.sqrt(2 * (by_chance**2).sum() * (expected.size / len(expected))))
    return Prior(per_pair * float((expected**2).sum()) / (beyond + uncertain), per_pair)
