"""Loads of groups from a sample and calibrated coefficients (paper, section IV-D; design, section 6).

    Load(g) = rate * (decode + tag)                       every group reads all of both inputs
            + |union left| * insert + |union right| * insert
            + pairs(union left, union right) * probe      also pairs that no query wants: grows with selectivity squared
            + emitted pairs * members * route_check
            + sum over members of pairs(member) * (routed + its tail's cost)

Every count is records per second of the whole input at the present rate; the result is µs of CPU per second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from funshare_flink.estimate.coefficients import Coefficient, Coefficients
from funshare_flink.estimate.load import GroupLoad, TailLoad, UnionLoads
from funshare_flink.estimate.overlap import Estimated, Overlaps
from funshare_flink.estimate.sample import ClassSample
from funshare_flink.estimate.unions import BitUnions, Prices, bits_for
from funshare_flink.model.ids import QueryName

MIN_ROWS = 100
"""A side of which fewer rows were sampled says nothing of its queries."""


@dataclass(frozen=True)
class TailCost:
    """What one query's tail costs per row that it is handed, in µs. `max_parallelism`: see `TailLoad`."""

    us_per_row: float
    max_parallelism: int | None = None


class SampledLoads:
    """`Loads` of one share class."""

    def __init__(self, sample: ClassSample, coefficients: Coefficients, tails: Mapping[QueryName, TailCost]) -> None:
        """`tails`: measured ones; a tail that is not in it costs `coefficients.tail`."""
        self.overlaps = Overlaps(sample)
        self._coefficients = coefficients
        self._tails = tails
        self._enough = min(sample.left.rows, sample.right.rows) >= MIN_ROWS
        self._alone: dict[QueryName, Estimated] = {}

    def of(self, members: Iterable[QueryName]) -> GroupLoad | None:
        chosen = list(dict.fromkeys(members))
        if not self._enough or not chosen or not self.overlaps.knows(chosen):
            return None
        return self._load(chosen)

    def selectivity(self, query: QueryName) -> tuple[float, float] | None:
        if not self._enough or not self.overlaps.knows([query]):
            return None
        sample = self.overlaps.sample
        rates = [side.total_rows / sample.duration_s for side in (sample.left, sample.right)]
        rows = (self.overlaps.left_rows([query]), self.overlaps.right_rows([query]))
        left, right = (r.per_s / rate if rate > 0 else 0.0 for r, rate in zip(rows, rates, strict=True))
        return left, right

    def unions(self, groups: Sequence[Sequence[QueryName]]) -> UnionLoads | None:
        if not self._enough or any(not g or not self.overlaps.knows(g) for g in groups):
            return None
        additive = np.array([sum(self._handed_on(q) for q in g) for g in groups])
        return BitUnions(self.overlaps, groups, self._load, self._prices(len(groups)), additive)

    def _load(self, members: Sequence[QueryName]) -> GroupLoad:
        c, found = self._coefficients, self.overlaps
        left, right = found.left_rows(members), found.right_rows(members)
        probed = found.pairs(members)
        emitted = found.emitted_pairs(members, probed)
        handed = [self.handed(q) for q in members]
        arriving = Estimated(self._input_rps(), 0.0)
        rows = [
            _priced(arriving, c.decode),
            _priced(arriving, c.tag),
            _priced(left, c.insert),
            _priced(right, c.insert),
        ]
        checks = Estimated(emitted.per_s * len(members), emitted.error)
        pairs = [_priced(probed, c.probe), _priced(checks, c.route_check), *(_priced(h, c.routed) for h in handed)]
        tails = [self._tail(q, h) for q, h in zip(members, handed, strict=True)]
        parts = [*rows, *pairs, *tails]
        total = sum(us for us, _ in parts)
        error = float(np.sqrt(sum(e**2 for _, e in parts))) / total if total > 0 else None
        return GroupLoad(
            rows_us_ps=sum(us for us, _ in rows),
            pairs_us_ps=sum(us for us, _ in pairs),
            tails=tuple(self._tail_load(q, us) for q, (us, _) in zip(members, tails, strict=True)),
            pair_exponent=found.sample.pair_exponent,
            error=error,
        )

    def handed(self, query: QueryName) -> Estimated:
        """Rows per second that the query's route hands to its tail."""
        if query not in self._alone:
            self._alone[query] = self.overlaps.pairs([query])
        return self._alone[query]

    def _tail(self, query: QueryName, handed: Estimated) -> tuple[float, float]:
        cost = self._tails.get(query)
        return _priced(handed, Coefficient(cost.us_per_row, 0.0) if cost else self._coefficients.tail)

    def _tail_load(self, query: QueryName, us_ps: float) -> TailLoad:
        cost = self._tails.get(query)
        return TailLoad(query, us_ps, cost.max_parallelism if cost else None)

    def _handed_on(self, query: QueryName) -> float:
        """µs per second that a member brings into any group as they are."""
        handed = self.handed(query)
        return _priced(handed, self._coefficients.routed)[0] + self._tail(query, handed)[0]

    def _input_rps(self) -> float:
        sample = self.overlaps.sample
        return (sample.left.total_rows + sample.right.total_rows) / sample.duration_s

    def _prices(self, groups: int) -> Prices:
        """What one bit of the thinned sample stands for."""
        c, sample = self._coefficients, self.overlaps.sample
        pairs, rows = bits_for(groups)
        everyone = list(sample.queries)
        probed = self.overlaps.pairs(everyone).per_s
        hits = self.overlaps.probed_bits(everyone, pairs)
        per_pair = probed / hits if hits else 0.0
        return Prices(
            fixed=self._input_rps() * (c.decode.us + c.tag.us),
            left_row=sample.left.total_rows / sample.duration_s / min(rows, sample.left.rows) * c.insert.us,
            right_row=sample.right.total_rows / sample.duration_s / min(rows, sample.right.rows) * c.insert.us,
            probed=per_pair * c.probe.us,
            checked=per_pair * c.route_check.us,
        )


def _priced(count: Estimated, coefficient: Coefficient) -> tuple[float, float]:
    """(µs per second, its standard error): the product's relative errors add in squares."""
    us = count.per_s * coefficient.us
    return us, float(np.hypot(us * count.error, count.per_s * coefficient.error_us))
