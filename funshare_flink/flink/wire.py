"""Flink's REST JSON as frozen values. The only place that knows its field names.

Whatever is missing, not complete or no number is None: unknown is never zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from funshare_flink.estimate.counters import SubtaskCounters
from funshare_flink.model.ids import JobId
from funshare_flink.ports import ClusterOverview, JobOverview, Vertex


def cluster_overview(raw: Mapping[str, Any]) -> ClusterOverview:
    return ClusterOverview(
        slots_total=int(raw["slots-total"]),
        slots_available=int(raw["slots-available"]),
        task_managers=int(raw["taskmanagers"]),
        flink_version=str(raw.get("flink-version", "?")),
    )


def job_overview(raw: Mapping[str, Any]) -> JobOverview:
    return JobOverview(
        id=JobId(str(raw["jid"])),
        name=str(raw["name"]),
        state=str(raw["state"]),
        start_time_ms=int(raw["start-time"]),
        tasks={str(k): int(v) for k, v in raw.get("tasks", {}).items()},
    )


def managed_memory_per_slot(raw: Mapping[str, Any]) -> int | None:
    """Bytes, from /taskmanagers: the least of all task managers; None when there is none or one does not tell."""
    sizes = [_managed_bytes(t) for t in raw["taskmanagers"]]
    known = [s for s in sizes if s is not None]
    return min(known) if known and len(known) == len(sizes) else None


def _managed_bytes(raw: Mapping[str, Any]) -> int | None:
    """Flink gives whole MB of the task manager; its slots have equal parts."""
    managed = number(raw.get("totalResource", {}).get("managedMemory"))
    slots = number(raw.get("slotsNumber"))
    if managed is None or slots is None or slots < 1:
        return None
    return int(managed * 1024 * 1024 / slots)


def subtasks(raw: Mapping[str, Any]) -> tuple[SubtaskCounters, ...]:
    """Accumulated times and counts of one vertex's subtasks, from /jobs/:jobid/vertices/:vertexid."""
    return tuple(_subtask(s.get("metrics", {})) for s in raw["subtasks"])


def _subtask(metrics: Mapping[str, Any]) -> SubtaskCounters:
    return SubtaskCounters(
        busy_ms=number(metrics.get("accumulated-busy-time")),
        idle_ms=number(metrics.get("accumulated-idle-time")),
        backpressured_ms=number(metrics.get("accumulated-backpressured-time")),
        records_in=_counter(metrics, "read-records"),
        records_out=_counter(metrics, "write-records"),
    )


def vertex(raw: Mapping[str, Any]) -> Vertex:
    metrics = raw.get("metrics", {})
    return Vertex(
        id=str(raw["id"]),
        name=str(raw["name"]),
        parallelism=int(raw["parallelism"]),
        status=str(raw["status"]),
        records_in=_counter(metrics, "read-records"),
        records_out=_counter(metrics, "write-records"),
    )


def _counter(metrics: Mapping[str, Any], name: str) -> int | None:
    if metrics.get(f"{name}-complete") is not True:
        return None
    value = number(metrics.get(name))
    return None if value is None else int(value)


def number(raw: object) -> float | None:
    """A metric's value, or None for NaN, infinity, text, nothing.

    >>> number("12.5"), number("NaN"), number(""), number(None)
    (12.5, None, None, None)
    """
    try:
        value = float(raw)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None
