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
from dataclasses import dataclass, replace

import numpy as np

from funshare_flink.estimate.coefficients import Coefficients
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


@dataclass(frozen=True)
class StageCounts:
    """Records (or pairs) per second of a group's stages. `handed`: rows that each member is handed."""

    arriving: Estimated
    left: Estimated
    right: Estimated
    probed: Estimated
    emitted: Estimated
    handed: tuple[tuple[QueryName, Estimated], ...]


def load_of(
    counts: StageCounts, coefficients: Coefficients, tails: Mapping[QueryName, TailCost], pair_exponent: float
) -> GroupLoad:
    """The formula above, with its error: those of counts and of coefficients add in squares."""
    records = records_of(counts)
    c = coefficients
    us = {stage: n.per_s * getattr(c, stage).us for stage, n in records.items()}
    behind = [TailLoad(q, h.per_s * _tail_us(q, c, tails), _width(q, tails)) for q, h in counts.handed]
    unmeasured = sum(h.per_s for q, h in counts.handed if q not in tails)
    by_count = sum((us[stage] * n.error) ** 2 for stage, n in records.items())
    by_count += sum((t.us_ps * h.error) ** 2 for t, (_, h) in zip(behind, counts.handed, strict=True))
    by_coefficient = c.error_us([*(n.per_s for n in records.values()), unmeasured])
    load = GroupLoad(
        rows_us_ps=us["decode"] + us["tag"] + us["insert"],
        pairs_us_ps=us["probe"] + us["route_check"] + us["routed"],
        tails=tuple(behind),
        pair_exponent=pair_exponent,
    )
    total = load.total_us_ps
    return replace(load, error=float(np.sqrt(by_count + by_coefficient**2)) / total if total > 0 else None)


def records_of(counts: StageCounts) -> dict[str, Estimated]:
    """Records per second by stage, in the order of `coefficients.STAGES` without the tails."""
    handed = [h for _, h in counts.handed]
    return {
        "decode": counts.arriving,
        "tag": counts.arriving,
        "insert": _sum([counts.left, counts.right]),
        "probe": counts.probed,
        "route_check": Estimated(counts.emitted.per_s * len(handed), counts.emitted.error),
        "routed": _sum(handed),
    }


def _sum(parts: Sequence[Estimated]) -> Estimated:
    total = sum(p.per_s for p in parts)
    error = float(np.sqrt(sum((p.per_s * p.error) ** 2 for p in parts)))
    return Estimated(total, error / total if total > 0 else 1.0)


class SampledLoads:
    """`Loads` of one share class."""

    def __init__(
        self,
        sample: ClassSample | Overlaps,
        coefficients: Coefficients,
        tails: Mapping[QueryName, TailCost],
    ) -> None:
        """`tails`: measured ones; a tail that is not in it costs `coefficients.tail`."""
        self.overlaps = sample if isinstance(sample, Overlaps) else Overlaps(sample)
        sample = self.overlaps.sample
        self._coefficients = coefficients
        self._tails = tails
        self._enough = min(sample.left.rows, sample.right.rows) >= MIN_ROWS
        self._counted: dict[QueryName, StageCounts] = {}

    def with_costs(self, coefficients: Coefficients, tails: Mapping[QueryName, TailCost]) -> SampledLoads:
        """The same sample with other prices; what was counted is not counted again."""
        again = SampledLoads(self.overlaps, coefficients, tails)
        again._counted = self._counted
        return again

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
        return load_of(self.counts(members), self._coefficients, self._tails, self.overlaps.sample.pair_exponent)

    def counts(self, members: Sequence[QueryName]) -> StageCounts:
        """Records per second of these queries' stages as one group; all must be known. Those of a query alone are
        asked for again and again, so they are kept."""
        if len(members) != 1:
            return self._count(members)
        if members[0] not in self._counted:
            self._counted[members[0]] = self._count(members)
        return self._counted[members[0]]

    def _count(self, members: Sequence[QueryName]) -> StageCounts:
        found = self.overlaps
        probed = self.handed(members[0]) if len(members) == 1 else found.pairs(members)
        return StageCounts(
            arriving=Estimated(self._input_rps(), 0.0),
            left=found.left_rows(members),
            right=found.right_rows(members),
            probed=probed,
            emitted=probed if len(members) == 1 else found.emitted_pairs(members, probed),
            handed=tuple((q, self.handed(q)) for q in members),
        )

    def handed(self, query: QueryName) -> Estimated:
        """Rows per second that the query's route hands to its tail."""
        return self.overlaps.pairs_alone(query)

    def _handed_on(self, query: QueryName) -> float:
        """µs per second that a member brings into any group as they are."""
        per_row = self._coefficients.routed.us + _tail_us(query, self._coefficients, self._tails)
        return self.handed(query).per_s * per_row

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


def _tail_us(query: QueryName, coefficients: Coefficients, tails: Mapping[QueryName, TailCost]) -> float:
    return tails[query].us_per_row if query in tails else coefficients.tail.us


def _width(query: QueryName, tails: Mapping[QueryName, TailCost]) -> int | None:
    return tails[query].max_parallelism if query in tails else None
