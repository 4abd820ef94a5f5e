"""Loads from figures that an operator states before anything runs: rates, selectivities, matches.

Nothing is known of overlaps then, so a union is taken as large as it can be: queries with the same filter want the same
rows, any others might want different ones. So a plan made of stated figures shares less than one made of measured
samples, and never more than is right. What is not stated is not known.

Pairs are the share of one side times the share of the other: a row that the left filter keeps is taken to meet rows
that the right filter keeps as often as any other row does. Where the filters of both sides go together (two conditions
on the join's key) that is wrong, and only a measured sample shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from funshare_flink.estimate.coefficients import PRIOR, STAGES, Coefficient, Coefficients
from funshare_flink.estimate.each_union import EachUnion
from funshare_flink.estimate.load import GroupLoad, UnionLoads
from funshare_flink.estimate.loads import StageCounts, TailCost, load_of
from funshare_flink.estimate.overlap import Estimated
from funshare_flink.model.ids import QueryName

STATED = Coefficients(**{s: Coefficient(getattr(PRIOR, s).us, 0.0) for s in STAGES})
"""The default costs, taken at their word."""


@dataclass(frozen=True)
class SideFigures:
    """One side of one query. `filter`: its text; equal texts want the same rows. `selectivity`: share of the rows that
    it keeps, None if not stated."""

    filter: str
    selectivity: float | None


@dataclass(frozen=True)
class QueryFigures:
    """A query's filters in its share class's orientation, and its tail's cost if that is stated."""

    left: SideFigures
    right: SideFigures
    tail: TailCost | None = None


@dataclass(frozen=True)
class JoinFigures:
    """A share class's inputs. `matches`: rows of the right input that a row of the left one meets before any filter."""

    left_rps: float
    right_rps: float
    matches: float


class DeclaredLoads:
    """`Loads` of one share class from stated figures; a query that is not fully stated has none."""

    def __init__(
        self, join: JoinFigures, queries: Mapping[QueryName, QueryFigures], coefficients: Coefficients = STATED
    ) -> None:
        self._join = join
        self._queries = dict(queries)
        self._tails = {q: f.tail for q, f in queries.items() if f.tail is not None}
        self._coefficients = coefficients

    def of(self, members: Iterable[QueryName]) -> GroupLoad | None:
        chosen = list(dict.fromkeys(members))
        known = all(self.selectivity(q) is not None for q in chosen)
        return self._load(chosen) if chosen and known else None

    def unions(self, groups: Sequence[Sequence[QueryName]]) -> UnionLoads | None:
        if any(self.of(g) is None for g in groups):
            return None
        return EachUnion(groups, self._load)

    def selectivity(self, query: QueryName) -> tuple[float, float] | None:
        figures = self._queries.get(query)
        if figures is None or figures.left.selectivity is None or figures.right.selectivity is None:
            return None
        return figures.left.selectivity, figures.right.selectivity

    def _load(self, members: Sequence[QueryName]) -> GroupLoad:
        join, figures = self._join, [self._queries[q] for q in members]
        left, right = (_union([f.left for f in figures]), _union([f.right for f in figures]))
        all_pairs = join.left_rps * join.matches
        handed = {q: all_pairs * self._pair_share(q) for q in members}
        wanted: dict[tuple[str, str], float] = {}
        for q, f in zip(members, figures, strict=True):
            both = (f.left.filter, f.right.filter)
            wanted[both] = max(wanted.get(both, 0.0), handed[q])
        probed = all_pairs * left * right
        counts = StageCounts(
            arriving=_stated(join.left_rps + join.right_rps),
            left=_stated(join.left_rps * left),
            right=_stated(join.right_rps * right),
            probed=_stated(probed),
            emitted=_stated(min(probed, sum(wanted.values()))),
            handed=tuple((q, _stated(n)) for q, n in handed.items()),
        )
        return load_of(counts, self._coefficients, self._tails, pair_exponent=2.0)

    def _pair_share(self, query: QueryName) -> float:
        left, right = self.selectivity(query) or (0.0, 0.0)
        return left * right


def _union(sides: Sequence[SideFigures]) -> float:
    """As large as the union can be: the sum over different filters, at most everything."""
    by_filter: dict[str, float] = {}
    for s in sides:
        # Two figures for one filter contradict each other; the larger is the safe one, in whatever order they come.
        by_filter[s.filter] = max(by_filter.get(s.filter, 0.0), s.selectivity or 0.0)
    return min(1.0, sum(by_filter.values()))


def _stated(per_s: float) -> Estimated:
    return Estimated(per_s, 0.0)
