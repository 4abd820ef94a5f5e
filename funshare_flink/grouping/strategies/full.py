"""Full sharing: one group per share class, whatever it costs (the paper's baseline, section VI).

Without a load model its group gets the slots of its largest member. That keeps the second promise (never more slots
than the members would have alone) and not the first: whether every member keeps its throughput is for the brain to
decide, not for this strategy. With loads it gets the slots that carry its input (see `sharing`).
"""

from __future__ import annotations

from collections.abc import Sequence

from funshare_flink.grouping.knowledge import Knowledge
from funshare_flink.grouping.strategies.isolated import alone
from funshare_flink.grouping.strategies.sharing import Part, need, shared_grouping
from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import GroupId, ShareClassId


def full_sharing(
    candidates: tuple[Candidate, ...], knowledge: Knowledge | None = None, constrained: bool = False
) -> Grouping:
    if constrained:
        name = "full-constrained"
        return shared_grouping(name, candidates, need(name, knowledge), everyone, constrained)
    if knowledge is not None:
        return shared_grouping("full", candidates, knowledge, everyone, constrained)
    return _by_class(candidates)


def everyone(_: ShareClassId, members: Sequence[Candidate], __: Knowledge) -> list[Part]:
    if len(members) == 1:
        return [Part(tuple(members), "no other query has its join")]
    return [Part(tuple(members), "same share class")]


def _by_class(candidates: tuple[Candidate, ...]) -> Grouping:
    classes: dict[ShareClassId, list[Candidate]] = {}
    for c in candidates:
        if c.share_class is not None and not c.pinned:
            classes.setdefault(c.share_class, []).append(c)
    groups: list[Group] = []
    done: set[ShareClassId] = set()
    for c in candidates:
        members = classes.get(c.share_class, []) if c.share_class is not None and not c.pinned else []
        if len(members) < 2:
            groups.append(alone(c, _why_alone(c)))
        elif c.share_class is not None and c.share_class not in done:
            done.add(c.share_class)
            groups.append(shared_group(GroupId(f"share-{c.share_class}"), members, "same share class"))
    return Grouping("full", tuple(groups))


def shared_group(group_id: GroupId, members: list[Candidate], reason: str, slots: int | None = None) -> Group:
    """A group of two or more members of one class; without `slots`, the largest member's."""
    return Group(
        group_id,
        tuple(m.name for m in members),
        slots or max(m.slots for m in members),
        members[0].share_class,
        reason,
    )


def _why_alone(candidate: Candidate) -> str:
    if candidate.pinned:
        return "pinned"
    return candidate.reason or "no other query has its join"
