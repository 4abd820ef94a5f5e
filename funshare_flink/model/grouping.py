"""Groups, and the decision that made them."""

from __future__ import annotations

from dataclasses import dataclass

from funshare_flink.model.ids import GroupId, QueryName, ShareClassId


@dataclass(frozen=True)
class Candidate:
    """A query as a strategy sees it. `share_class` None: it runs alone, for `reason`. `slots`: what it has alone."""

    name: QueryName
    slots: int
    share_class: ShareClassId | None
    reason: str = ""
    pinned: bool = False


@dataclass(frozen=True)
class Group:
    """Queries that run as one Flink job with `slots` task slots (its parallelism). `reason`: why they do."""

    id: GroupId
    members: tuple[QueryName, ...]
    slots: int
    share_class: ShareClassId | None
    reason: str

    @property
    def is_shared(self) -> bool:
        return len(self.members) > 1


@dataclass(frozen=True)
class Grouping:
    """A partition of a workload's running queries, and the strategy that chose it."""

    strategy: str
    groups: tuple[Group, ...]

    @property
    def slots(self) -> int:
        """Task slots that all groups need together."""
        return sum(g.slots for g in self.groups)

    def group_of(self, query: str) -> Group | None:
        return next((g for g in self.groups if query in g.members), None)
