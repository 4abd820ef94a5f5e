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
from funshare_flink.plan.sources import scan_table, table_name, topics_of

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


def missing_figures(planner: WorkloadPlanner, rates: Rates) -> Mapping[QueryName, str]:
    """What a shareable query's load cannot be told without and the file does not state; queries with all are left out.

    Nothing is put in its place: how many rows a filter keeps depends on values that nobody has seen.
    """
    found = {}
    for members in _shareable(planner).values():
        of_class = _missing_of_join(members[0], rates)
        for query in members:
            missing = of_class + _missing_of_query(query, rates.queries.get(str(query.name), NOTHING))
            if missing:
                found[query.name] = f"not stated in {rates.file}: {'; '.join(missing)}"
    return found


def _missing_of_join(query: Shareable, rates: Rates) -> list[str]:
    left, right = _topic(query.first), _topic(query.second)
    missing = [f"rate_rps of {topic}" for topic in dict.fromkeys((left, right)) if topic not in rates.topics]
    if rates.matches_of(left, right) is None:
        missing.append(f"matches of the join [{left}, {right}]")
    return missing


def _missing_of_query(query: Shareable, stated: QueryRates) -> list[str]:
    missing: dict[str, None] = {}
    for side in (query.first, query.second):
        if _side(query, side, stated).selectivity is None:
            why = ", whose two sides keep different rows" if _is_ambiguous(query) else ""
            kept = conjunction(side.filters, side.base)
            missing[f"selectivity of {kept} on {_topic(side)}{why}"] = None
    return list(missing)


def _is_ambiguous(query: Shareable) -> bool:
    """A join of a topic with itself: one figure by topic cannot be of two different filters."""
    texts = {conjunction(s.filters, s.base) for s in (query.first, query.second) if s.filters}
    return _topic(query.first) == _topic(query.second) and len(texts) > 1


def _topic(side: Side) -> str:
    """What a figure is stated for: the topic, or where there is none (another connector, a pattern) the table."""
    table = scan_table(side.scan.json)
    return ",".join(topics_of(table)) or table_name(table)


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
    return QueryFigures(_side(query, query.first, stated), _side(query, query.second, stated), tail)


def _side(query: Shareable, side: Side, stated: QueryRates) -> SideFigures:
    if not side.filters:
        return SideFigures("", 1.0)
    share = None if _is_ambiguous(query) else stated.selectivity.get(_topic(side))
    return SideFigures(conjunction(side.filters, side.base), share)


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
