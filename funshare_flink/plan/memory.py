"""Managed memory that a slot needs for a plan's operators.

Flink divides a slot's managed memory evenly among the operators of the slot that ask for some. Each window operator
keeps its rows in a map whose buckets alone take 1 MiB; with less, its job fails when it starts ("The
minBucketMemorySize is not valid"). So the number of such operators that fit into a slot is bounded, and with it the
size of a group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from funshare_flink.plan.graph import Json

_OPERATORS = (
    "stream-exec-window-aggregate_",
    "stream-exec-local-window-aggregate_",
    "stream-exec-global-window-aggregate_",
    "stream-exec-window-rank_",
    "stream-exec-window-deduplicate_",
)
_PYTHON = "stream-exec-python"
_PAGE = 32 * 1024
BYTES_PER_OPERATOR = 1024 * 1024 + 2 * _PAGE
"""Buckets, one page for rows, one for what is lost by rounding down to pages."""

OPERATOR_SHARE_WITH_PYTHON = 0.7
"""`taskmanager.memory.managed.consumer-weights`: OPERATOR 70, PYTHON 30, when the slot runs Python functions too."""


def memory_operators(nodes: Iterable[Json]) -> int:
    """How many of these nodes need managed memory of their own."""
    return sum(str(node["type"]).startswith(_OPERATORS) for node in nodes)


def runs_python(nodes: Iterable[Json]) -> bool:
    return any(str(node["type"]).startswith(_PYTHON) for node in nodes)


def managed_memory_needed(plans: Sequence[Sequence[Json]]) -> int:
    """Bytes that one slot needs for these plans' operators (each a list of nodes) in one job; 0 when none asks."""
    needed = sum(memory_operators(p) for p in plans) * BYTES_PER_OPERATOR
    return round(needed / OPERATOR_SHARE_WITH_PYTHON) if any(runs_python(p) for p in plans) else needed
