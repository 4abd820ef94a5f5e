"""Puts a workload together: tables, functions, views, sinks, INSERTs, and what to generate for it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from funshare_flink.workloads.hint import GeneratorHint, KeyPhase
from funshare_flink.workloads.joins import draw_range, filters
from funshare_flink.workloads.params import WorkloadParams
from funshare_flink.workloads.queries import QueryText, shareable
from funshare_flink.workloads.sql import script
from funshare_flink.workloads.tables import SOURCES, sink_table, sink_topic, source_tables
from funshare_flink.workloads.unshareable import KINDS, versions_view

ANOMALY_FUNCTION = "CREATE TEMPORARY SYSTEM FUNCTION PRICE_ANOMALY AS 'org.funshare.workload.PriceAnomaly';\n"
AUCTION_SHARE = 3 / 50
"""Auctions among the Nexmark events."""


@dataclass(frozen=True)
class WorkloadQuery:
    """One query of a workload.

    `name` is its sink's name; `topic` its sink's topic, None for a blackhole; `reason` says why it cannot
    share, None if it can; `repeatable` is False if two runs over the same input may differ; `key` is the
    column of an upsert sink, whose final table is the result.
    """

    name: str
    kind: str
    topic: str | None
    reason: str | None
    repeatable: bool
    key: str | None
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Workload:
    """A script of DDL and INSERTs, what is known of its queries, and what to generate for it."""

    params: WorkloadParams
    script: str
    queries: tuple[WorkloadQuery, ...]
    source_topics: tuple[str, ...]
    hint: GeneratorHint

    @property
    def sink_topics(self) -> tuple[str, ...]:
        """Topics to create before the start; the workload's brokers need not create any themselves."""
        return tuple(query.topic for query in self.queries if query.topic is not None)


def build_workload(params: WorkloadParams) -> Workload:
    """The workload's text and facts. Pure: the same parameters give the same text."""
    random = Random(params.seed)
    built = [_query(params, number, random) for number in range(params.queries)]
    statements = [_title(params), *source_tables(params), *_helpers(params, [query.kind for query, _ in built])]
    for query, text in built:
        statements.append(sink_table(params, query.name, text.columns, text.primary_key))
        statements.append(_slots_directive(params) + text.insert.format(sink=query.name) + ";\n")
    return Workload(
        params=params,
        script=script(statements),
        queries=tuple(query for query, _ in built),
        source_topics=tuple(params.topic_prefix + name for name in SOURCES[params.variant]),
        hint=generator_hint(params),
    )


def generator_hint(params: WorkloadParams) -> GeneratorHint:
    """What to generate so that joins have the matches that the workload means to have."""
    rate_eps = params.rate_eps
    interval_s = params.join_interval_ms // 1000
    if params.variant == "dense":
        # Half of the events are on each side; a tuple meets all of its key within the bound both ways.
        keys = max(1, rate_eps * interval_s // params.matches_per_tuple) if params.name == "W3" else 500
        return GeneratorHint("dense", params.seed, rate_eps, params.watermark_ms, key_phases=(KeyPhase(keys=keys),))
    if params.name != "W3":
        return GeneratorHint("nexmark", params.seed, rate_eps, params.watermark_ms)
    # Ids start again after so many auctions that about `matches_per_tuple` of one id lie within the interval.
    cycle = max(1, round(rate_eps * AUCTION_SHARE * interval_s / params.matches_per_tuple))
    return GeneratorHint("nexmark", params.seed, rate_eps, params.watermark_ms, auction_id_cycle=cycle)


def _query(params: WorkloadParams, number: int, random: Random) -> tuple[WorkloadQuery, QueryText]:
    """Query `number`: in the mixed workload every second one cannot share, for each reason in turn."""
    chosen = draw_range(params, random)
    if params.name == "mixed" and number % 2 == 1:
        kind = list(KINDS)[number // 2 % len(KINDS)]
        text = KINDS[kind].write(params, chosen)
        return _facts(params, number, kind, text), text
    kind, text = shareable(params, number, filters(params, chosen))
    return _facts(params, number, kind, text), text


def _facts(params: WorkloadParams, number: int, kind: str, text: QueryText) -> WorkloadQuery:
    name = f"{params.name.lower()}_q{number:03d}_{kind}"
    unshareable = KINDS.get(kind)
    return WorkloadQuery(
        name=name,
        kind=kind,
        topic=sink_topic(params, name) if params.sink == "kafka" else None,
        reason=unshareable.reason if unshareable else None,
        repeatable=unshareable.repeatable if unshareable else True,
        key=text.primary_key,
        columns=tuple(column for column, _ in text.columns),
    )


def _helpers(params: WorkloadParams, kinds: list[str]) -> list[str]:
    """Functions and views that some of the queries need."""
    function = [ANOMALY_FUNCTION] if "price_anomaly" in kinds else []
    view = [versions_view(params)] if "temporal_join" in kinds else []
    return function + view


def _title(params: WorkloadParams) -> str:
    return (
        f"-- {params.name} {params.variant}: {params.queries} queries, selectivity {params.selectivity}, "
        f"{params.ranges} ranges, seed {params.seed}\n"
    )


def _slots_directive(params: WorkloadParams) -> str:
    return f"-- funshare: slots={params.slots}\n" if params.slots > 1 else ""
