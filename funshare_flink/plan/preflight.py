"""What must be there before a workload is started: topics by broker, and connectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from funshare_flink.plan.compiled import CompiledQuery
from funshare_flink.plan.sinks import sink_tables
from funshare_flink.plan.sources import scan_table, table_name, table_options

_KAFKA = ("kafka", "upsert-kafka")


def connectors_used(queries: Iterable[CompiledQuery]) -> frozenset[str]:
    """Identifiers of all connectors that the plans name, in scans, lookups and sinks."""
    return frozenset(_connectors(n.json for q in queries for n in q.graph.nodes.values()))


def _connectors(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, dict):
            options = value.get("resolvedTable", {}).get("options", {}) if "resolvedTable" in value else {}
            if "connector" in options:
                yield str(options["connector"])
            yield from _connectors(value.values())
        elif isinstance(value, list):
            yield from _connectors(value)


@dataclass(frozen=True)
class TopicUse:
    """A topic that a query's table names. `is_sink`: written, else read."""

    bootstrap: str
    topic: str
    table: str
    query: str
    is_sink: bool


def topics_used(queries: Iterable[CompiledQuery]) -> tuple[TopicUse, ...]:
    """Every topic that the plans name; tables with a topic pattern or another connector are passed over."""
    uses = []
    for q in queries:
        scans = [scan_table(n.json) for n in q.graph.of_kind("table-source-scan")]
        for table, is_sink in [(t, False) for t in scans] + [(t, True) for t in sink_tables(q.graph)]:
            options = table_options(table)
            if options.get("connector") not in _KAFKA or "topic" not in options:
                continue
            uses += [
                TopicUse(
                    options.get("properties.bootstrap.servers", ""), topic.strip(), table_name(table),
                    str(q.spec.name), is_sink,
                )
                for topic in options["topic"].split(";")
            ]  # fmt: skip
    return tuple(dict.fromkeys(uses))
