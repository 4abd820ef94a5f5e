"""What runs now: per group its job's state, rates and lag; unknown is None and never zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from funshare_flink.model.ids import JobId, QueryName
from funshare_flink.plan.tails import metric_label
from funshare_flink.ports import JobReader, Vertex

_LAG = "pendingRecords"


@dataclass(frozen=True)
class Reading:
    """Counters of one job at one moment. `read`: records that its sources read; `routed`: rows by query."""

    read: int | None
    lag: int | None
    routed: Mapping[QueryName, int | None]


@dataclass(frozen=True)
class GroupStatus:
    """One group now. Rates are records per second between two readings."""

    state: str
    slots: int | None
    read_rps: float | None
    lag: int | None
    query_rps: Mapping[QueryName, float | None]
    failure: str | None


def read_job(reader: JobReader, job: JobId, queries: tuple[QueryName, ...]) -> Reading:
    """One reading. Rows by query come from the routes of a shared job, else from what the sinks were given."""
    vertices = reader.vertices(job)
    sources = [v for v in vertices if v.name.startswith("Source:")]
    read = _total([v.records_in for v in sources])
    lag = _total([_lag_of(reader, job, v) for v in sources])
    return Reading(read, lag, {q: _routed(reader, job, vertices, q) for q in queries})


def _total(values: list[int | None]) -> int | None:
    known = [v for v in values if v is not None]
    return sum(known) if known and len(known) == len(values) else None


def _lag_of(reader: JobReader, job: JobId, vertex: Vertex) -> int | None:
    names = tuple(n for n in reader.metric_names(job, vertex.id) if n.endswith(f".{_LAG}"))
    if not names:
        return None
    return _total([None if v is None else int(v) for v in reader.metrics(job, vertex.id, names).values()])


def _routed(reader: JobReader, job: JobId, vertices: tuple[Vertex, ...], query: QueryName) -> int | None:
    ending = f"funshare.query.{metric_label(query)}.routed"
    for v in vertices:
        names = tuple(n for n in reader.metric_names(job, v.id) if n.endswith(ending))
        if names:
            return _total([None if x is None else int(x) for x in reader.metrics(job, v.id, names).values()])
    return None


def status_between(state: str, slots: int | None, first: Reading, second: Reading, seconds: float) -> GroupStatus:
    """Rates from the difference of two readings `seconds` apart (never from per-second gauges)."""
    rates = {q: _rate(first.routed.get(q), n, seconds) for q, n in second.routed.items()}
    return GroupStatus(state, slots, _rate(first.read, second.read, seconds), second.lag, rates, None)


def _rate(before: int | None, after: int | None, seconds: float) -> float | None:
    if before is None or after is None or seconds <= 0 or after < before:
        return None
    return (after - before) / seconds
