"""The `GroupMetrics` port over Flink's REST API: what a group's tasks have counted since they started.

Only sums since the start are read (`read-records`, `accumulated-busy-time` and the like of each subtask, and the
kernel's counters per query); rates are made of differences by `estimate`. What Flink does not give, marks incomplete or
gives as NaN stays None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from funshare_flink.estimate.counters import GroupCounters, Stage, TaskCounters
from funshare_flink.flink.rest import FlinkRest
from funshare_flink.model.errors import FunShareError
from funshare_flink.model.grouping import Group
from funshare_flink.model.ids import JobId, QueryName
from funshare_flink.plan.builder import ALONE_OFFSET, IDS_PER_QUERY
from funshare_flink.plan.tails import metric_label
from funshare_flink.ports import Vertex

_NODE_ID = re.compile(r"\[(\d+)\]")
_LAG = "pendingRecords"
_CONCURRENT_CALLS = 8


@dataclass(frozen=True)
class GroupJobRef:
    """Where a group runs. `numbers`: each member's number in the workload, which gives its range of node ids."""

    job: JobId
    generation: int
    numbers: Mapping[QueryName, int]


class FlinkGroupMetrics:
    """Reads many groups at once. `find`: the job of a group, None when it has none now."""

    def __init__(self, rest: FlinkRest, find: Callable[[Group], GroupJobRef | None]) -> None:
        self._rest = rest
        self._find = find
        self._names: dict[tuple[JobId, str], tuple[str, ...]] = {}

    def read(self, groups: tuple[Group, ...], now_s: float) -> Mapping[str, GroupCounters | None]:
        """Counters by group id; None for a group without a job and for one whose job cannot be read now."""
        refs = {str(g.id): (g, self._find(g)) for g in groups}
        self._forget_all_but({r.job for _, r in refs.values() if r is not None})
        with ThreadPoolExecutor(_CONCURRENT_CALLS, thread_name_prefix="metrics") as pool:
            found = pool.map(lambda item: self._read_or_none(item[0], item[1], now_s), refs.values())
            return dict(zip(refs, found, strict=True))

    def _forget_all_but(self, jobs: set[JobId]) -> None:
        self._names = {key: names for key, names in self._names.items() if key[0] in jobs}

    def _read_or_none(self, group: Group, ref: GroupJobRef | None, now_s: float) -> GroupCounters | None:
        if ref is None:
            return None
        try:
            return self._read(group, ref, now_s)
        except FunShareError:
            return None

    def _read(self, group: Group, ref: GroupJobRef, now_s: float) -> GroupCounters:
        vertices = self._rest.vertices(ref.job)
        tasks = tuple(self._task(ref, v) for v in vertices)
        sources = [v for v, t in zip(vertices, tasks, strict=True) if t.stage is Stage.SOURCE]
        return GroupCounters(
            group=group.id,
            generation=ref.generation,
            taken_at_s=now_s,
            tasks=tasks,
            lag=total([self._lag(ref.job, v) for v in sources]),
            routed=self._routed(ref, vertices),
            input_rps=None,
        )

    def _task(self, ref: GroupJobRef, vertex: Vertex) -> TaskCounters:
        stage, number = stage_of(vertex.name)
        owner = next((q for q, n in ref.numbers.items() if n == number), None) if stage is Stage.TAIL else None
        subtasks = self._rest.subtasks(ref.job, vertex.id)
        return TaskCounters(vertex.name, stage, owner, vertex.parallelism, subtasks)

    def _lag(self, job: JobId, vertex: Vertex) -> int | None:
        names = tuple(n for n in self._metric_names(job, vertex) if n.endswith(f".{_LAG}"))
        if not names:
            return None
        return total([None if v is None else int(v) for v in self._rest.metrics(job, vertex.id, names).values()])

    def _routed(self, ref: GroupJobRef, vertices: tuple[Vertex, ...]) -> dict[QueryName, int | None]:
        """The kernel counts what each route lets through; a query alone has no route."""
        endings = {f"funshare.query.{metric_label(q)}.routed": q for q in ref.numbers}
        counted: dict[QueryName, int | None] = dict.fromkeys(ref.numbers)
        for vertex in vertices:
            mine = {n: q for n in self._metric_names(ref.job, vertex) for e, q in endings.items() if n.endswith(e)}
            if mine:
                values = self._rest.metrics(ref.job, vertex.id, tuple(mine))
                counted |= {mine[n]: None if v is None else int(v) for n, v in values.items()}
        return counted

    def _metric_names(self, job: JobId, vertex: Vertex) -> tuple[str, ...]:
        """Names stay as they are once the operators are there, so they are asked for until there are some."""
        key = (job, vertex.id)
        if not self._names.get(key):
            self._names[key] = self._rest.metric_names(job, vertex.id)
        return self._names[key]


def stage_of(vertex_name: str) -> tuple[Stage, int | None]:
    """The stage of a vertex and, for a tail, the number of its query, from the node ids in its operators' names.

    >>> stage_of("Source: bid[1] -> Calc[3]"), stage_of("IntervalJoin[5] -> Calc[6] -> Calc[2000]")
    ((<Stage.SOURCE: 'source'>, None), (<Stage.JOIN: 'join'>, None))
    >>> stage_of("GlobalWindowAggregate[2004] -> q1[2006]: Writer")
    (<Stage.TAIL: 'tail'>, 1)
    """
    if vertex_name.startswith("Source:"):
        return Stage.SOURCE, None
    ids = [int(i) for i in _NODE_ID.findall(vertex_name)]
    if not ids:
        return Stage.TAIL, None
    if any(i < IDS_PER_QUERY or i % IDS_PER_QUERY >= ALONE_OFFSET for i in ids):
        return Stage.JOIN, None
    return Stage.TAIL, ids[0] // IDS_PER_QUERY - 1


def total(values: list[int | None]) -> int | None:
    """The sum, or None when there is nothing or something of it is not known."""
    known = [v for v in values if v is not None]
    return sum(known) if known and len(known) == len(values) else None
