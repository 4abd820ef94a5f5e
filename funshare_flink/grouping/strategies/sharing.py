"""What the sharing baselines have in common: which queries can be judged, and how many slots their groups get.

Unconstrained, a group gets the slots that carry its input, also if its members have fewer alone: that is how the paper
counts what the baselines need (section VI-A). Constrained, it never gets more than its members have alone, and no
downstream operator is shared (the paper's "(C)", Fig. 6d and 8).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from funshare_flink.grouping.knowledge import Knowledge
from funshare_flink.grouping.naming import group_id
from funshare_flink.grouping.resources import slots_for
from funshare_flink.grouping.strategies.isolated import alone
from funshare_flink.model.errors import BadInputError
from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import ShareClassId

UNLIMITED_SLOTS = 1_000_000


@dataclass(frozen=True)
class Part:
    """Queries of one share class that a strategy puts together, and why."""

    members: tuple[Candidate, ...]
    reason: str


Partition = Callable[[ShareClassId, Sequence[Candidate], Knowledge], list[Part]]
"""Divides the queries of one share class, given in the order of their names, all of known load and rate."""


def need(strategy: str, knowledge: Knowledge | None) -> Knowledge:
    """Raises BadInputError when there is nothing to decide on."""
    if knowledge is None:
        raise BadInputError(
            f"strategy {strategy} needs the queries' input rates and loads: give a rates file (--rates), such as "
            "examples/rates.yaml; strategies isolated and full need none"
        )
    return knowledge


def why_alone(candidate: Candidate) -> str | None:
    """Why a query can never share; None if it can."""
    if candidate.pinned:
        return "pinned"
    return (candidate.reason or "cannot share its join") if candidate.share_class is None else None


def judged(
    candidates: Sequence[Candidate], knowledge: Knowledge
) -> tuple[list[Group], dict[ShareClassId, list[Candidate]]]:
    """Queries that stay alone whatever the strategy, and the others by share class, both in the order of names."""
    apart: list[Group] = []
    classes: dict[ShareClassId, list[Candidate]] = {}
    for c in sorted(candidates, key=lambda c: c.name):
        reason = why_alone(c) or knowledge.gap(c)
        if reason is not None or c.share_class is None:
            apart.append(alone(c, reason or "cannot share its join"))
        else:
            classes.setdefault(c.share_class, []).append(c)
    return apart, classes


def shared_grouping(
    strategy: str, candidates: Sequence[Candidate], knowledge: Knowledge, partition: Partition, constrained: bool
) -> Grouping:
    """The grouping of a baseline: its partition of each share class, with slots."""
    groups, classes = judged(candidates, knowledge)
    for share_class, members in classes.items():
        groups += [sized(p, share_class, knowledge, constrained) for p in partition(share_class, members, knowledge)]
    return Grouping(strategy, tuple(sorted(groups, key=lambda g: min(g.members))))


def sized(part: Part, share_class: ShareClassId, knowledge: Knowledge, constrained: bool) -> Group:
    """A part as a group with slots. A query alone keeps its own, as in isolated execution."""
    if len(part.members) == 1:
        return alone(part.members[0], part.reason)
    names = tuple(sorted(m.name for m in part.members))
    most = sum(m.slots for m in part.members)
    load = knowledge.load(share_class, names)
    if load is None:
        slots = most
    else:
        slots = slots_for(load, most if constrained else UNLIMITED_SLOTS, knowledge.tuning.headroom)
    return Group(group_id(share_class, names), names, slots, share_class, part.reason)


def resized(grouping: Grouping, candidates: Sequence[Candidate], knowledge: Knowledge, constrained: bool) -> Grouping:
    """The same partition with slots for the loads as they are known now."""
    by_name = {c.name: c for c in candidates}
    groups = []
    for g in grouping.groups:
        if g.share_class is None or not g.is_shared:
            groups.append(g)
            continue
        again = sized(Part(tuple(by_name[m] for m in g.members), g.reason), g.share_class, knowledge, constrained)
        groups.append(Group(g.id, g.members, again.slots, g.share_class, g.reason))
    return Grouping(grouping.strategy, tuple(groups))
