"""What changes in a sink when its query is run by FunShare: its transactional ids, and nothing else."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

from funshare_flink.plan.graph import ExecGraph, Json
from funshare_flink.plan.sources import table_options

_PREFIX = "sink.transactional-id-prefix"
_GUARANTEE = "sink.delivery-guarantee"


@dataclass(frozen=True)
class SinkIdentity:
    """Makes transactional ids unique: two queries that write through one table definition, and two generations
    of one query, must never fence each other (Kafka producer fencing)."""

    workload: str
    query: str
    generation: int

    def prefix(self, users: str | None) -> str:
        own = f"{self.workload}.{self.query}.g{self.generation}"
        return f"{users}.{own}" if users else f"funshare.{own}"


def with_identity(node: Json, identity: SinkIdentity) -> Json:
    """The sink node with its own transactional prefix; any other node unchanged."""
    if "dynamicTableSink" not in node:
        return node
    options = table_options(node["dynamicTableSink"]["table"])
    if options.get(_GUARANTEE) != "exactly-once":
        return node
    changed = copy.deepcopy(node)
    target = changed["dynamicTableSink"]["table"]["resolvedTable"]["options"]
    target[_PREFIX] = identity.prefix(options.get(_PREFIX))
    return changed


def sink_tables(graph: ExecGraph) -> tuple[Json, ...]:
    """The catalog tables that a plan writes to."""
    return tuple(n.json["dynamicTableSink"]["table"] for n in graph.of_kind("sink"))


def with_topic_suffix(graph: ExecGraph, suffix: str) -> ExecGraph:
    """The plan writing to other topics, for comparing two runs of one query: every sink's topic gets the suffix."""
    nodes = {i: replace(n, json=_suffixed(n.json, suffix)) for i, n in graph.nodes.items()}
    return replace(graph, nodes=nodes)


def _suffixed(node: Json, suffix: str) -> Json:
    if "dynamicTableSink" not in node or "topic" not in table_options(node["dynamicTableSink"]["table"]):
        return node
    changed = copy.deepcopy(node)
    changed["dynamicTableSink"]["table"]["resolvedTable"]["options"]["topic"] += suffix
    return changed
