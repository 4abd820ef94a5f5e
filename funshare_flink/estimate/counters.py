"""What a running group's tasks have counted since they started, as the Monitoring Service hands it over.

Sums since the start and never per-second gauges: those are wrong for windowed bursts (background, section 2, item 4).
A number that the cluster did not give, gave as NaN or marked incomplete is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from funshare_flink.model.ids import GroupId, QueryName


class Stage(Enum):
    """Where in a group's plan a task stands (paper, section IV: shared operators, then each query's own subplan)."""

    SOURCE = "source"
    """Reads a topic: decode, tag, drop."""
    JOIN = "join"
    """The shared join and the routes chained to it."""
    TAIL = "tail"
    """What one query alone does after its route."""


@dataclass(frozen=True)
class SubtaskCounters:
    """One subtask. Times in ms since it started (Flink's accumulated busy, idle and backpressured time)."""

    busy_ms: float | None
    idle_ms: float | None
    backpressured_ms: float | None
    records_in: int | None
    records_out: int | None


@dataclass(frozen=True)
class TaskCounters:
    """One vertex of the job graph. `query`: whose tail it is, None for what is shared. `parallelism`: how many
    subtasks there should be; fewer in `subtasks` than that means that the answer is not complete."""

    name: str
    stage: Stage
    query: QueryName | None
    parallelism: int
    subtasks: tuple[SubtaskCounters, ...]


@dataclass(frozen=True)
class GroupCounters:
    """One group at one moment.

    `taken_at_s`: the cycle's one clock reading. `lag`: records in the topics that are not read yet. `routed`: joined
    rows handed to each query. `input_rps`: records per second that arrive in the group's topics, both together.
    """

    group: GroupId
    generation: int
    taken_at_s: float
    tasks: tuple[TaskCounters, ...]
    lag: int | None
    routed: Mapping[QueryName, int | None]
    input_rps: float | None
