"""A compiled plan as a graph of exec nodes.

Flink's `COMPILE PLAN` gives `{"flinkVersion", "nodes": [...], "edges": [...]}`. A node's JSON is kept whole:
what this product does not understand it must hand back unchanged. Edges into one node are in the order of its
inputs (left first).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
"""One node, expression or type exactly as Flink wrote it."""

_PREFIX = "stream-exec-"


@dataclass(frozen=True)
class ExecNode:
    """One exec node: its id in its plan, its kind without Flink's prefix and version, and its whole JSON."""

    id: int
    kind: str
    json: Json

    @property
    def description(self) -> str:
        return str(self.json.get("description", self.kind))


@dataclass(frozen=True)
class ExecGraph:
    """A plan: nodes by id in Flink's order, and the ids of each node's inputs, in order."""

    flink_version: str
    nodes: Mapping[int, ExecNode]
    inputs: Mapping[int, tuple[int, ...]]

    def consumers(self, node_id: int) -> tuple[int, ...]:
        """Ids of the nodes that read `node_id`, each once, in plan order."""
        return tuple(n for n in self.nodes if node_id in self.inputs[n])

    def downstream(self, node_id: int) -> tuple[int, ...]:
        """Ids of all nodes that read `node_id` directly or not, in plan order."""
        seen: set[int] = set()
        for n in self.nodes:  # plan order is topological: inputs come first
            if any(i == node_id or i in seen for i in self.inputs[n]):
                seen.add(n)
        return tuple(n for n in self.nodes if n in seen)

    def of_kind(self, *kinds: str) -> tuple[ExecNode, ...]:
        return tuple(n for n in self.nodes.values() if n.kind in kinds)


def kind_of(flink_type: str) -> str:
    """The kind in a node's type.

    >>> kind_of("stream-exec-interval-join_1")
    'interval-join'
    """
    return flink_type.removeprefix(_PREFIX).rpartition("_")[0]


def parse_plan(text: str) -> ExecGraph:
    """The graph in the JSON text of a compiled plan. Raises ValueError when it is not one."""
    raw = json.loads(text)
    nodes = {n["id"]: ExecNode(n["id"], kind_of(n["type"]), n) for n in raw["nodes"]}
    inputs: dict[int, tuple[int, ...]] = {i: () for i in nodes}
    for edge in raw["edges"]:
        inputs[edge["target"]] += (edge["source"],)
    return ExecGraph(raw["flinkVersion"], _topological(nodes, inputs), inputs)


def _topological(nodes: Mapping[int, ExecNode], inputs: Mapping[int, tuple[int, ...]]) -> dict[int, ExecNode]:
    """Nodes so that inputs come first; Flink's own order where it is one already."""
    done: dict[int, ExecNode] = {}

    def place(node_id: int) -> None:
        if node_id in done:
            return
        for i in inputs[node_id]:
            place(i)
        done[node_id] = nodes[node_id]

    for node_id in nodes:
        place(node_id)
    return done


def plan_text(flink_version: str, nodes: Iterable[Json], inputs: Mapping[int, tuple[int, ...]]) -> str:
    """The JSON text that `load_plan` takes, for nodes that already carry their ids."""
    edges = [
        {"source": s, "target": t, "shuffle": {"type": "FORWARD"}, "shuffleMode": "PIPELINED"}
        for t, sources in inputs.items()
        for s in sources
    ]
    return json.dumps({"flinkVersion": flink_version, "nodes": list(nodes), "edges": edges})
