"""One group's Flink job as the simulator runs it: a queue before it, its tasks' counters, and what it gets done.

A task slot is one core. A group reads as many records as arrive or wait, as far as its slots carry the work and every
tail the rows in the subtasks that it can use; a tail at its limit holds everything before it back (backpressure).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from funshare_flink.estimate.counters import GroupCounters, Stage, SubtaskCounters, TaskCounters
from funshare_flink.estimate.load import SLOT_US_PS, GroupLoad
from funshare_flink.model.grouping import Group
from funshare_flink.model.ids import QueryName

AT_LIMIT = 1 - 1e-9


@dataclass
class _Task:
    """Sums since the start; times in ms of each of the task's subtasks, which all do the same."""

    stage: Stage
    query: QueryName | None
    parallelism: int
    busy_ms: float = 0.0
    backpressured_ms: float = 0.0
    idle_ms: float = 0.0
    records: float = 0.0

    def run(self, seconds: float, busy: float, held_back: bool, records: float) -> None:
        """`busy`: share of time; what is left is backpressured if `held_back`, else idle."""
        rest = max(0.0, 1.0 - busy)
        self.busy_ms += 1000 * seconds * busy
        self.backpressured_ms += 1000 * seconds * (rest if held_back else 0.0)
        self.idle_ms += 1000 * seconds * (0.0 if held_back else rest)
        self.records += records


@dataclass(frozen=True)
class Work:
    """What a group's input makes it do when all of it is read. `insert_us_ps`: the part of the load by row that is the
    join's (rows put into its state). `handed`: joined rows per second by query."""

    load: GroupLoad
    insert_us_ps: float
    handed: Mapping[QueryName, float]


@dataclass(frozen=True)
class Pace:
    """How a group works under one input. `factor`: share of the arriving records that it can read (above 1: it could
    read more); `limited_by`: the query whose tail is the limit, None if the slots are."""

    factor: float
    limited_by: QueryName | None


@dataclass
class SimJob:
    """A running group. `lag`: records that wait; `read`: records read since it started."""

    group: Group
    generation: int
    lag: float = 0.0
    read: float = 0.0
    arrived: float = 0.0
    routed: dict[QueryName, float] = field(default_factory=dict)
    _tasks: dict[str, _Task] = field(default_factory=dict)

    def advance(self, seconds: float, work: Work, arriving_rps: float, usable: float = 1.0) -> None:
        """Let `seconds` pass in which `arriving_rps` records per second arrive and make this work."""
        load = work.load
        pace = self.pace(load, usable)
        possible = pace.factor * arriving_rps * seconds
        waiting = self.lag + arriving_rps * seconds
        done = min(waiting, possible)
        self.lag = waiting - done
        self.read += done
        self.arrived += arriving_rps * seconds
        share = done / (arriving_rps * seconds) if arriving_rps > 0 else 0.0
        for query, rps in work.handed.items():
            self.routed[query] = self.routed.get(query, 0.0) + rps * seconds * share**load.pair_exponent
        self._count(seconds, work, share, pace if done >= possible * AT_LIMIT else None)

    def pace(self, load: GroupLoad, usable: float = 1.0) -> Pace:
        factor = load.sustained_factor(self.group.slots, usable)
        by_slots = GroupLoad(load.rows_us_ps, load.pairs_us_ps + load.tails_us_ps, (), load.pair_exponent)
        if factor < by_slots.sustained_factor(self.group.slots, usable) * AT_LIMIT:
            worst = min(load.widest_tails, key=lambda t: self._width(t.max_parallelism) / max(t.us_ps, 1e-12))
            return Pace(factor, worst.query)
        return Pace(factor, None)

    def _width(self, max_parallelism: int | None) -> int:
        return self.group.slots if max_parallelism is None else min(self.group.slots, max_parallelism)

    def _count(self, seconds: float, work: Work, share: float, limit: Pace | None) -> None:
        """Add what was done at `share` of the present rate to the counters; `limit`: what stopped it from more."""
        load = work.load
        slots, grown = self.group.slots, share**load.pair_exponent
        held_by_tail = limit is not None and limit.limited_by is not None
        rows = share * (load.rows_us_ps - work.insert_us_ps) / SLOT_US_PS / slots
        joined = (share * work.insert_us_ps + grown * load.pairs_us_ps) / SLOT_US_PS / slots
        rate = seconds * share
        self._task("source", Stage.SOURCE, None, slots).run(seconds, rows, limit is not None, rate)
        self._task("join", Stage.JOIN, None, slots).run(seconds, joined, held_by_tail, rate)
        for tail in load.tails:
            width = self._width(tail.max_parallelism)
            busy = min(1.0, grown * tail.us_ps / SLOT_US_PS / width)
            self._task(f"tail {tail.query}", Stage.TAIL, tail.query, width).run(seconds, busy, False, rate)

    def _task(self, name: str, stage: Stage, query: QueryName | None, parallelism: int) -> _Task:
        return self._tasks.setdefault(name, _Task(stage, query, parallelism))

    def counters(self, now_s: float, input_rps: float) -> GroupCounters:
        """As the metrics port hands them over, without noise."""
        tasks = tuple(
            TaskCounters(name, t.stage, t.query, t.parallelism, (self._subtask(name, t),) * t.parallelism)
            for name, t in sorted(self._tasks.items())
        )
        routed = {q: int(self.routed.get(q, 0)) for q in self.group.members}
        return GroupCounters(self.group.id, self.generation, now_s, tasks, int(self.lag), routed, input_rps)

    def _subtask(self, name: str, task: _Task) -> SubtaskCounters:
        records = int(self.read / task.parallelism) if name == "source" else int(task.records)
        return SubtaskCounters(task.busy_ms, task.idle_ms, task.backpressured_ms, records, records)
