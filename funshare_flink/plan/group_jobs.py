"""From a grouping to jobs: the plan and the Flink options of each group."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from funshare_flink.model.errors import FatalError
from funshare_flink.model.grouping import Candidate, Group
from funshare_flink.model.ids import QueryName, ShareClassId
from funshare_flink.plan.classify import STATE_TTL, Isolated, Shareable
from funshare_flink.plan.compiled import CompiledQuery, CompiledWorkload
from funshare_flink.plan.members import Member
from funshare_flink.plan.memory import managed_memory_needed
from funshare_flink.plan.sinks import SinkIdentity
from funshare_flink.plan.sources import scan_table, topics_of, with_scan_parallelism
from funshare_flink.plan.surgery import GroupPlan, alone_plan, group_plan

_OWNED = (
    "pipeline.name",
    "parallelism.default",
    "table.exec.resource.default-parallelism",
    "pipeline.max-parallelism",
    "execution.target",
    "rest.",
    "execution.attached",
)
"""Options that are the product's: a group's name, its slots, and where it runs."""

_INTERVAL = "execution.checkpointing.interval"
_UNANIMOUS = (STATE_TTL, "execution.checkpointing.mode")
"""Options that hold for a group only if all members have set the same; else Flink's default is the safe one: members
whose operators read the state TTL agree in it by their share class, and exactly once is never less."""


@dataclass(frozen=True)
class GroupJob:
    """A group as one job. `notes`: where members wanted other job options than the job has."""

    group: Group
    plan: GroupPlan
    options: Mapping[str, str]
    notes: tuple[str, ...]


class WorkloadPlanner:
    """A compiled workload with everything that is fixed for its lifetime: numbers, classes, bits."""

    def __init__(self, compiled: CompiledWorkload, partitions: Mapping[str, int] | None = None) -> None:
        self.compiled = compiled
        self._partitions = dict(partitions or {})
        self._queries = {q.spec.name: q for q in compiled.queries}
        self._classified = {name: q.classified() for name, q in self._queries.items()}
        self._numbers = {q.name: i for i, q in enumerate(compiled.workload.queries)}
        self._bits = self._class_bits()

    def candidates(self) -> tuple[Candidate, ...]:
        """The queries that can run, as strategies see them, in the workload's order."""
        return tuple(self._candidate(q) for q in self.compiled.queries)

    def classified(self, name: QueryName) -> Shareable | Isolated:
        return self._classified[name]

    def query(self, name: QueryName) -> CompiledQuery:
        return self._queries[name]

    def job(self, group: Group, generation: int) -> GroupJob:
        """The job of one group in this generation."""
        options, notes = merged_options([self._queries[m] for m in group.members])
        plan, more_notes = capped_scans(self._plan(group, generation), group.slots, self._partitions)
        return GroupJob(group, plan, options, notes + more_notes)

    def managed_memory_needed(self, members: Sequence[QueryName]) -> int:
        """Bytes of managed memory that one slot needs for these queries in one job (see `plan.memory`)."""
        plans = []
        for name in members:
            found, graph = self._classified[name], self._queries[name].graph
            shared = isinstance(found, Shareable) and len(members) > 1
            ids = found.shape.tail if shared and isinstance(found, Shareable) else graph.nodes
            plans.append([graph.nodes[i].json for i in ids])
        return managed_memory_needed(plans)

    def with_partitions(self, partitions: Mapping[str, int]) -> WorkloadPlanner:
        """The same, knowing how many partitions the topics have (see `capped_scans`)."""
        return WorkloadPlanner(self.compiled, partitions)

    def _plan(self, group: Group, generation: int) -> GroupPlan:
        workload = self.compiled.workload.name
        if not group.is_shared:
            name = group.members[0]
            identity = SinkIdentity(workload, str(name), generation)
            found = self._classified[name]
            tail = found.shape.tail if isinstance(found, Shareable) else ()
            return alone_plan(self._queries[name].graph, self._numbers[name], identity, tail)
        return group_plan([self._member(m) for m in group.members], workload, generation)

    def _member(self, name: QueryName) -> Member:
        found = self._classified[name]
        if isinstance(found, Isolated):
            raise FatalError(f"query {name} cannot be in a group: {found.reason}")
        return Member(found, self._bits[name], self._numbers[name])

    def _class_bits(self) -> dict[QueryName, int]:
        """Each query's bit in its share class: its place among the class's queries."""
        seen: dict[ShareClassId, int] = {}
        bits: dict[QueryName, int] = {}
        for name, found in self._classified.items():
            if isinstance(found, Shareable):
                bits[name] = seen.get(found.share_class, 0)
                seen[found.share_class] = bits[name] + 1
        return bits

    def _candidate(self, query: CompiledQuery) -> Candidate:
        spec, found = query.spec, self._classified[query.spec.name]
        if isinstance(found, Isolated):
            return Candidate(spec.name, spec.slots, None, found.reason, spec.pinned)
        return Candidate(spec.name, spec.slots, found.share_class, "", spec.pinned)


def capped_scans(plan: GroupPlan, slots: int, partitions: Mapping[str, int]) -> tuple[GroupPlan, tuple[str, ...]]:
    """The plan with no more source subtasks than its topics have partitions, and what to say of it.

    A source subtask without a partition would hold back the watermark for ever, and with it every window and interval
    join: no rows and no error. Topics whose partitions are not known are left as they are.
    """
    raw, notes = json.loads(plan.text), []
    for i, node in enumerate(raw["nodes"]):
        topics = topics_of(scan_table(node)) if "scanTableSource" in node else ()
        if not topics or any(t not in partitions for t in topics):
            continue
        count = sum(partitions[t] for t in topics)
        if count < slots:
            raw["nodes"][i] = with_scan_parallelism(node, count)
            name = ", ".join(topics)
            notes.append(
                f"{slots} slots, but topic {name} has {count} partitions: {slots - count} slots cannot read it"
            )
    return (replace(plan, text=json.dumps(raw)), tuple(notes)) if notes else (plan, ())


def merged_options(queries: Sequence[CompiledQuery]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The job options of a group: what its members have SET, the first member's where they differ, the shortest
    checkpoint interval of all. Names, parallelism and target are never the members'."""
    merged: dict[str, str] = {}
    notes: list[str] = []
    for query in queries:
        for key, value in query.options.items():
            if key.startswith(_OWNED):
                continue
            if key == _INTERVAL and key in merged:
                merged[key] = min(merged[key], value, key=duration_ms)
            elif key in _UNANIMOUS and any(q.options.get(key) != value for q in queries):
                notes.append(f"{key}: the group has Flink's default, {query.spec.name} has SET {value!r}")
            elif merged.setdefault(key, value) != value and not key.startswith("table."):
                notes.append(f"{key}: {merged[key]!r} holds for the group, {query.spec.name} has SET {value!r}")
    return merged, tuple(notes)


_UNITS_MS = {
    "ms": 1, "milli": 1, "millisecond": 1, "s": 1000, "sec": 1000, "second": 1000, "min": 60_000, "m": 60_000,
    "minute": 60_000, "h": 3_600_000, "hour": 3_600_000, "d": 86_400_000, "day": 86_400_000,
}  # fmt: skip


def duration_ms(text: str) -> float:
    """A Flink duration in ms; infinite when it cannot be read (then any other wins).

    >>> duration_ms("10 s"), duration_ms("3min"), duration_ms("500")
    (10000.0, 180000.0, 500.0)
    """
    digits = "".join(c for c in text.strip() if c.isdigit())
    unit = text.strip()[len(digits) :].strip().lower()
    factor = _UNITS_MS.get(unit) or _UNITS_MS.get(unit.removesuffix("s")) if unit else 1
    return float(digits) * factor if digits and factor else float("inf")
