"""What a group does, from two readings of its counters (paper, section IV-C; design, section 6).

Rates are differences of counts over the time between both readings, never gauges. Whatever a difference rests on that
is missing, went back (a restarted task counts from zero) or is of another generation makes just that figure unknown.
The busiest subtask counts, not the mean: with skew the mean hides the one that is at its limit (background, section 2,
item 3). Backpressured time is not idle: the join may be the victim of its own tail.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from funshare_flink.estimate.counters import GroupCounters, Stage, SubtaskCounters, TaskCounters
from funshare_flink.estimate.thresholds import Thresholds
from funshare_flink.model.ids import QueryName


@dataclass(frozen=True)
class TaskReading:
    """One task over the window. Shares of time, 0 to 1, of the subtask with the largest; None is unknown.

    `busy_us_ps`: µs of busy time per second, all subtasks together. `in_rps`, `out_rps`: records per second.
    """

    name: str
    stage: Stage
    query: QueryName | None
    parallelism: int
    busy: float | None
    backpressured: float | None
    busy_us_ps: float | None
    in_rps: float | None
    out_rps: float | None


@dataclass(frozen=True)
class Reading:
    """A group over `seconds`.

    processed_rps  records that its sources read per second
    input_rps      records that arrived for it per second: read, plus what lag grew by
    idle           share of its slots' time that is free when each subtask were as busy as its task's busiest one
    throttled_by   queries whose tails hold back the shared tasks; empty: none does; None: not known
    routed_rps     joined rows handed to each query per second
    lag            records that are not read yet, at the end
    true_rps       what it would process if it were never idle (FLIP-271: rate over the busiest task's busy share)
    """

    seconds: float
    tasks: tuple[TaskReading, ...]
    processed_rps: float | None
    input_rps: float | None
    idle: float | None
    throttled_by: frozenset[QueryName] | None
    routed_rps: Mapping[QueryName, float | None]
    lag: int | None
    true_rps: float | None


def reading(before: GroupCounters, after: GroupCounters, thresholds: Thresholds) -> Reading | None:
    """None when both are not of one run of one group, or no time lies between them."""
    seconds = after.taken_at_s - before.taken_at_s
    if seconds <= 0 or (before.group, before.generation) != (after.group, after.generation):
        return None
    earlier = {t.name: t for t in before.tasks}
    tasks = tuple(_task(earlier.get(t.name), t, seconds) for t in after.tasks)
    processed = _total([t.out_rps if t.in_rps is None else t.in_rps for t in tasks if t.stage is Stage.SOURCE])
    return Reading(
        seconds=seconds,
        tasks=tasks,
        processed_rps=processed,
        input_rps=_arrived(before, after, processed, seconds),
        idle=_idle(tasks),
        throttled_by=_throttled_by(tasks, thresholds),
        routed_rps={q: rate(before.routed.get(q), n, seconds) for q, n in after.routed.items()},
        lag=after.lag,
        true_rps=_true_rps(tasks, processed),
    )


def rate(before: float | None, after: float | None, seconds: float) -> float | None:
    """Per second; None when either is missing or the count went back."""
    if before is None or after is None or after < before or seconds <= 0:
        return None
    return (after - before) / seconds


def _task(before: TaskCounters | None, after: TaskCounters, seconds: float) -> TaskReading:
    pairs = _subtask_pairs(before, after)
    busy = [rate(b.busy_ms, a.busy_ms, seconds) for b, a in pairs]
    held = [rate(b.backpressured_ms, a.backpressured_ms, seconds) for b, a in pairs]
    all_busy = _total(busy)
    return TaskReading(
        name=after.name,
        stage=after.stage,
        query=after.query,
        parallelism=after.parallelism,
        busy=_largest_share(busy),
        backpressured=_largest_share(held),
        busy_us_ps=None if all_busy is None else all_busy * 1000,
        in_rps=_total([rate(b.records_in, a.records_in, seconds) for b, a in pairs]),
        out_rps=_total([rate(b.records_out, a.records_out, seconds) for b, a in pairs]),
    )


def _subtask_pairs(before: TaskCounters | None, after: TaskCounters) -> list[tuple[SubtaskCounters, SubtaskCounters]]:
    """Nothing when subtasks are missing: a maximum over some of them is no maximum."""
    if before is None or len(before.subtasks) != after.parallelism or len(after.subtasks) != after.parallelism:
        return []
    return list(zip(before.subtasks, after.subtasks, strict=True))


def _largest_share(ms_per_s: list[float | None]) -> float | None:
    known = [v for v in ms_per_s if v is not None]
    if not known or len(known) < len(ms_per_s):
        return None
    return min(1.0, max(known) / 1000)


def _total(values: list[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) if known and len(known) == len(values) else None


def _arrived(before: GroupCounters, after: GroupCounters, processed: float | None, seconds: float) -> float | None:
    """What the log says itself, else what was read plus the growth of the lag (background, section 1a)."""
    if after.input_rps is not None:
        return after.input_rps
    if processed is None or before.lag is None or after.lag is None:
        return None
    return max(0.0, processed + (after.lag - before.lag) / seconds)


def _idle(tasks: tuple[TaskReading, ...]) -> float | None:
    """A slot holds one subtask of each task, or none of a task that has fewer; what none of them uses is free. Every
    subtask counts as much as its task's busiest one, so skew never looks like free time; nor does time in which a task
    is held back, as the join may be the victim of its own tail (design, section 5)."""
    slots = max((t.parallelism for t in tasks), default=0)
    busy = _total([None if t.busy is None else t.busy * t.parallelism for t in tasks])
    held = [t.backpressured for t in tasks]
    known = [h for h in held if h is not None]
    if busy is None or slots == 0 or len(known) < len(held):
        return None
    return max(0.0, 1.0 - busy / slots - max(known))


def _throttled_by(tasks: tuple[TaskReading, ...], thresholds: Thresholds) -> frozenset[QueryName] | None:
    """Shared tasks are backpressured, and a tail is as busy as it can be without being backpressured itself."""
    shared = [t.backpressured for t in tasks if t.stage is not Stage.TAIL]
    held_back = _largest_share([None if b is None else b * 1000 for b in shared])
    if held_back is None:
        return None
    if held_back <= thresholds.backpressure_share:
        return frozenset()
    tails = [t for t in tasks if t.stage is Stage.TAIL]
    if any(t.busy is None or t.backpressured is None for t in tails):
        return None
    return frozenset(t.query for t in tails if t.query is not None and _holds_back(t, thresholds))


def _holds_back(tail: TaskReading, thresholds: Thresholds) -> bool:
    busy, held = tail.busy or 0.0, tail.backpressured or 0.0
    return busy >= thresholds.busy_share and held <= thresholds.backpressure_share


def _true_rps(tasks: tuple[TaskReading, ...], processed: float | None) -> float | None:
    busy = [t.busy for t in tasks]
    known = [b for b in busy if b is not None]
    if processed is None or not known or len(known) < len(busy) or max(known) <= 0:
        return None
    return processed / max(known)
