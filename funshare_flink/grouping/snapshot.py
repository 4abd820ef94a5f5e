"""What the Optimizer decides on: one moment's view of all groups, made from one clock reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from funshare_flink.estimate.load import GroupLoad, Loads
from funshare_flink.model.grouping import Candidate, Group
from funshare_flink.model.ids import QueryName, ShareClassId


@dataclass(frozen=True)
class GroupState:
    """A running group as measured. None is unknown: then nothing is decided about the group.

    load           at the present input rate
    input_rps      records per second that arrive for it, both inputs together
    processed_rps  records per second that it reads
    idle           share of its slots' time that is free, 0 to 1, by its busiest subtasks; backpressured is not idle
    throttled_by   queries whose tails hold back its shared operators; empty: none does
    peak_factor    the window's highest input rate over the present one; None if not known: sized for the present rate
    settled        False while it starts, catches up after a hand-over or cools down: nothing is decided about it
    """

    group: Group
    load: GroupLoad | None = None
    input_rps: float | None = None
    processed_rps: float | None = None
    idle: float | None = None
    throttled_by: frozenset[QueryName] | None = None
    settled: bool = True
    peak_factor: float | None = None


@dataclass(frozen=True)
class Snapshot:
    """All groups at `taken_at_s`. `candidates`: every running query with the slots it would have alone. `loads`: by
    share class. `free_slots`: of the cluster, None if not known. `alone_rps`: what each query would process alone
    with its own slots (at most what arrives), None if not known."""

    taken_at_s: float
    groups: tuple[GroupState, ...]
    candidates: Mapping[QueryName, Candidate]
    loads: Mapping[ShareClassId, Loads]
    alone_rps: Mapping[QueryName, float | None]
    free_slots: int | None = None

    def slots_alone(self, group: Group) -> int:
        """Slots that the group's members would have alone together: no group ever has more."""
        return sum(self.candidates[m].slots for m in group.members)
