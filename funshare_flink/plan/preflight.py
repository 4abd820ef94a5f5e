"""What must be there before a workload is started: topics by broker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from funshare_flink.plan.compiled import CompiledQuery
from funshare_flink.plan.sinks import sink_tables
from funshare_flink.plan.sources import scan_table, table_name, table_options

_KAFKA = ("kafka", "upsert-kafka")


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
