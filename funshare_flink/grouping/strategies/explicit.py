"""A grouping that the user wrote down: checked, never corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from funshare_flink.grouping.strategies.full import shared_group
from funshare_flink.grouping.strategies.isolated import alone
from funshare_flink.model.errors import BadInputError, SourceLocation
from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import GroupId


@dataclass(frozen=True)
class WishedGroup:
    """One group of a grouping file. `slots` None: those of its largest member."""

    name: str
    queries: tuple[str, ...]
    slots: int | None
    where: SourceLocation


def grouping_from(wishes: Sequence[WishedGroup], candidates: tuple[Candidate, ...]) -> Grouping:
    """The grouping of a file; queries that it does not name run alone.

    Raises BadInputError, naming the group and the query, for an unknown query, a query in two groups, a pinned
    query, queries that cannot share, and more slots than the members have alone.
    """
    by_name = {str(c.name): c for c in candidates}
    taken: dict[str, str] = {}
    groups: list[Group] = []
    for wish in wishes:
        members = [_member(wish, name, by_name, taken) for name in wish.queries]
        groups.append(_group(wish, members))
    rest = [alone(c, c.reason or "not in the grouping file") for c in candidates if str(c.name) not in taken]
    _check_names(wishes, rest)
    return Grouping("explicit", tuple(groups + rest))


def _member(wish: WishedGroup, name: str, by_name: dict[str, Candidate], taken: dict[str, str]) -> Candidate:
    if name not in by_name:
        known = ", ".join(sorted(by_name)[:10]) or "none"
        raise BadInputError(f"group {wish.name}: no runnable query is named {name}; there are: {known}", wish.where)
    if name in taken:
        raise BadInputError(f"query {name} is in group {taken[name]} and in group {wish.name}", wish.where)
    taken[name] = wish.name
    return by_name[name]


def _group(wish: WishedGroup, members: list[Candidate]) -> Group:
    if not members:
        raise BadInputError(f"group {wish.name} has no queries", wish.where)
    most = sum(m.slots for m in members)
    if wish.slots is not None and wish.slots > most:
        raise BadInputError(
            f"group {wish.name}: {wish.slots} slots are more than its queries have alone together ({most})", wish.where
        )
    if len(members) == 1:
        slots = wish.slots or members[0].slots
        return Group(GroupId(wish.name), (members[0].name,), slots, members[0].share_class, "grouping file")
    _check_one_class(wish, members)
    return shared_group(GroupId(wish.name), members, "grouping file", wish.slots)


def _check_one_class(wish: WishedGroup, members: list[Candidate]) -> None:
    for m in members:
        if m.pinned:
            raise BadInputError(f"group {wish.name}: query {m.name} is pinned and must run alone", wish.where)
        if m.share_class is None:
            raise BadInputError(f"group {wish.name}: query {m.name} cannot share: {m.reason}", wish.where)
        if m.share_class != members[0].share_class:
            raise BadInputError(
                f"group {wish.name}: queries {members[0].name} and {m.name} do other joins "
                f"(share classes {members[0].share_class} and {m.share_class})",
                wish.where,
            )


def _check_names(wishes: Sequence[WishedGroup], rest: list[Group]) -> None:
    names = [w.name for w in wishes] + [str(g.id) for g in rest]
    for wish in wishes:
        if names.count(wish.name) > 1:
            raise BadInputError(f"two groups are named {wish.name}", wish.where)
