"""Collects exec nodes with ids that are fixed by purpose, so that state can be found again.

Flink derives operator uids from node ids. The shared part of a group has the ids 1 to 999; the query with number
n in its workload has the ids from 1000 * (n + 1): its route and its tail first, and from +500 on what it has
only when it runs alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from funshare_flink.plan import rex
from funshare_flink.plan.graph import Json, plan_text
from funshare_flink.plan.types import Field, FieldType, row_type

IDS_PER_QUERY = 1000
ALONE_OFFSET = 500
VARCHAR = "VARCHAR(2147483647) NOT NULL"


def first_id(query_number: int) -> int:
    """The first node id of the query with this number in its workload."""
    return IDS_PER_QUERY * (query_number + 1)


class PlanBuilder:
    """Nodes and edges of one plan, in topological order of adding."""

    def __init__(self, flink_version: str) -> None:
        self.flink_version = flink_version
        self._nodes: list[Json] = []
        self._inputs: dict[int, tuple[int, ...]] = {}
        self._next_shared = 1

    def shared_id(self) -> int:
        """The next free id of the shared part."""
        node_id, self._next_shared = self._next_shared, self._next_shared + 1
        return node_id

    def add(self, node: Json, node_id: int, *inputs: int) -> int:
        """A copy of `node` under a new id, reading `inputs` in this order."""
        self._nodes.append({**node, "id": node_id})
        self._inputs[node_id] = inputs
        return node_id

    def text(self) -> str:
        return plan_text(self.flink_version, self._nodes, self._inputs)


def calc(projection: Sequence[Json], condition: Json | None, fields: tuple[Field, ...], description: str) -> Json:
    """A calc node without its id. Flink refuses a calc that changes nothing (it expects its optimiser to have removed
    it), so one that hands its input's columns on as they are gets a condition that always holds."""
    if condition is None and all(rex.is_ref(p) and p["inputIndex"] == at for at, p in enumerate(projection)):
        condition = rex.literal(True, "BOOLEAN NOT NULL")
    return {
        "type": "stream-exec-calc_1",
        "projection": list(projection),
        "condition": condition,
        "inputProperties": [_UNKNOWN],
        "outputType": row_type(fields),
        "description": description,
    }


def calc_of_type(projection: Sequence[Json], condition: Json | None, output_type: FieldType, description: str) -> Json:
    """A calc node that gives exactly `output_type`, names included."""
    return {**calc(projection, condition, (), description), "outputType": output_type}


def hash_exchange(keys: Sequence[int], fields: tuple[Field, ...], description: str) -> Json:
    """An exchange by hash of the key columns; by no key, everything goes to one subtask."""
    distribution: dict[str, Any] = {"type": "HASH", "keys": list(keys)} if keys else {"type": "SINGLETON"}
    return {
        "type": "stream-exec-exchange_1",
        "inputProperties": [{**_UNKNOWN, "requiredDistribution": distribution}],
        "outputType": row_type(fields),
        "description": description,
    }


_UNKNOWN: Json = {"requiredDistribution": {"type": "UNKNOWN"}, "damBehavior": "PIPELINED", "priority": 0}
