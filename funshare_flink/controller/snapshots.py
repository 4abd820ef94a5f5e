"""Puts one cycle's readings and samples together to what the Optimizer decides on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from funshare_flink.estimate.capacity import Reading
from funshare_flink.estimate.load import Loads
from funshare_flink.grouping.snapshot import GroupState, Snapshot
from funshare_flink.model.grouping import Candidate, Group
from funshare_flink.model.ids import QueryName, ShareClassId


@dataclass(frozen=True)
class Cycle:
    """What was seen in one cycle. `settled`: ids of groups about which something may be decided."""

    now_s: float
    groups: tuple[Group, ...]
    readings: Mapping[str, Reading | None]
    settled: frozenset[str]
    candidates: Mapping[QueryName, Candidate]
    loads: Mapping[ShareClassId, Loads]
    free_slots: int | None


def snapshot(cycle: Cycle) -> Snapshot:
    """The view of all groups; what is not known stays None."""
    states = tuple(_state(g, cycle) for g in cycle.groups)
    alone = {m: _alone_rps(m, s, cycle) for s in states for m in s.group.members}
    candidates = {**_strangers(cycle), **cycle.candidates}
    return Snapshot(cycle.now_s, states, candidates, cycle.loads, alone, cycle.free_slots)


def _strangers(cycle: Cycle) -> dict[QueryName, Candidate]:
    """Queries that run and that nobody announced, such as one that is just being removed: their groups stay as they
    are. What they would have alone is not known, so it is taken as what their group has."""
    return {
        m: Candidate(m, g.slots, None, "not among the workload's queries", pinned=True)
        for g in cycle.groups
        for m in g.members
        if m not in cycle.candidates
    }


def _state(group: Group, cycle: Cycle) -> GroupState:
    reading = cycle.readings.get(str(group.id))
    loads = cycle.loads.get(group.share_class) if group.share_class is not None else None
    load = loads.of(group.members) if loads is not None else None
    if reading is None or any(m not in cycle.candidates for m in group.members):
        return GroupState(group, load, settled=False)
    return GroupState(
        group=group,
        load=load,
        input_rps=reading.input_rps,
        processed_rps=reading.processed_rps,
        idle=reading.idle,
        throttled_by=reading.throttled_by,
        settled=str(group.id) in cycle.settled,
    )


def _alone_rps(query: QueryName, state: GroupState, cycle: Cycle) -> float | None:
    """What the query would read with its own slots: at most what arrives, and at most what its own load lets through.

    A query that runs alone has shown it; for one in a group the load model says it.
    """
    if state.input_rps is None:
        return None
    if not state.group.is_shared:
        return None if state.processed_rps is None else min(state.input_rps, state.processed_rps)
    candidate = cycle.candidates.get(query)
    loads = cycle.loads.get(candidate.share_class) if candidate is not None and candidate.share_class else None
    load = loads.of((query,)) if loads is not None else None
    if candidate is None or load is None:
        return None
    return state.input_rps * min(1.0, load.sustained_factor(candidate.slots))
