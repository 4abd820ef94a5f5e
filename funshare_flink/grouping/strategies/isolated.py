"""Every query alone with its own slots: plain Flink, and the reference for all promises."""

from __future__ import annotations

from funshare_flink.grouping.knowledge import Knowledge
from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import GroupId


def alone(candidate: Candidate, reason: str) -> Group:
    """The group of one query, named like it."""
    return Group(GroupId(str(candidate.name)), (candidate.name,), candidate.slots, candidate.share_class, reason)


def isolated(candidates: tuple[Candidate, ...], _: Knowledge | None = None) -> Grouping:
    groups = (alone(c, c.reason or "strategy isolated") for c in candidates)
    return Grouping("isolated", tuple(groups))
