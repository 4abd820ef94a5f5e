"""What a strategy may rest on when nothing runs yet: a rates file put together with the compiled workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from funshare_flink.estimate.declared import DeclaredLoads, JoinFigures, QueryFigures, SideFigures
from funshare_flink.estimate.loads import TailCost
from funshare_flink.flink.rates_files import QueryRates, Rates
from funshare_flink.grouping.knowledge import Knowledge
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.errors import BadInputError, SourceLocation
from funshare_flink.model.ids import QueryName, ShareClassId
from funshare_flink.plan.classify import Shareable
from funshare_flink.plan.describe import conjunction
from funshare_flink.plan.group_jobs import WorkloadPlanner
from funshare_flink.plan.side import Side
from funshare_flink.plan.sources import scan_table, topics_of

NOTHING = QueryRates({}, None, SourceLocation("?"))


def stated_knowledge(planner: WorkloadPlanner, rates: Rates, tuning: Tuning) -> Knowledge:
    """Loads of every share class whose join and topics are stated. Raises BadInputError for a query or a topic in the
    rates file that the workload does not have: such a figure would be missing where it was meant."""
    shareable = _shareable(planner)
    _check_names(planner, shareable, rates)
    loads: dict[ShareClassId, DeclaredLoads] = {}
    input_rps: dict[QueryName, float | None] = {}
    for share_class, members in shareable.items():
        join = _join(members[0], rates)
        if join is None:
            continue
        wanted = [planner.query(m.name).spec.min_rate_rps or 0.0 for m in members]
        join = _scaled(join, max(wanted))
        loads[share_class] = DeclaredLoads(join, {m.name: _figures(m, rates) for m in members})
        input_rps |= {m.name: join.left_rps + join.right_rps for m in members}
    return Knowledge(loads, input_rps, tuning)


def _shareable(planner: WorkloadPlanner) -> Mapping[ShareClassId, Sequence[Shareable]]:
    found: dict[ShareClassId, list[Shareable]] = {}
    for candidate in planner.candidates():
        query = planner.classified(candidate.name)
        if isinstance(query, Shareable):
            found.setdefault(query.share_class, []).append(query)
    return found


def _topic(side: Side) -> str:
    return ",".join(topics_of(scan_table(side.scan.json)))


def _join(query: Shareable, rates: Rates) -> JoinFigures | None:
    left, right = _topic(query.first), _topic(query.second)
    matches = rates.matches_of(left, right)
    if matches is None or left not in rates.topics or right not in rates.topics:
        return None
    return JoinFigures(rates.topics[left], rates.topics[right], matches)


def _scaled(join: JoinFigures, least_rps: float) -> JoinFigures:
    """Planned for at least the rate that an owner asks for (`min_rate_rps`), with the inputs in their proportion; both
    inputs growing, a row meets more rows of the other."""
    factor = max(1.0, least_rps / (join.left_rps + join.right_rps))
    return JoinFigures(join.left_rps * factor, join.right_rps * factor, join.matches * factor)


def _figures(query: Shareable, rates: Rates) -> QueryFigures:
    stated = rates.queries.get(str(query.name), NOTHING)
    tail = None if stated.tail_us is None else TailCost(stated.tail_us)
    return QueryFigures(_side(query.first, stated), _side(query.second, stated), tail)


def _side(side: Side, stated: QueryRates) -> SideFigures:
    if not side.filters:
        return SideFigures("", 1.0)
    return SideFigures(conjunction(side.filters, side.base), stated.selectivity.get(_topic(side)))


def _check_names(planner: WorkloadPlanner, shareable: Mapping[ShareClassId, Sequence[Shareable]], rates: Rates) -> None:
    known = {str(c.name) for c in planner.candidates()}
    topics = {_topic(s) for members in shareable.values() for m in members for s in (m.first, m.second)}
    for name, stated in rates.queries.items():
        if name not in known:
            raise BadInputError(
                f"the workload has no query {name}; it has: {', '.join(sorted(known)[:10])}", stated.where
            )
        unknown = sorted(set(stated.selectivity) - topics)
        if unknown:
            raise BadInputError(
                f"query {name}: no shareable query reads topic {unknown[0]}; they read: {', '.join(sorted(topics))}",
                stated.where,
            )
