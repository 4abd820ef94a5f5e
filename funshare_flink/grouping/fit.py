"""Groups that are too large for a slot's memory become as many as fit.

Not a question of cost: a job whose operators find too little managed memory does not start at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from funshare_flink.model.errors import BadInputError
from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import GroupId, QueryName

MIB = 1024 * 1024
OPTION = "taskmanager.memory.managed.size"


@dataclass(frozen=True)
class Fitted:
    """The grouping that fits, and what was done to make it so."""

    grouping: Grouping
    notes: tuple[str, ...]


def fitted(
    grouping: Grouping,
    candidates: Sequence[Candidate],
    needed: Callable[[Sequence[QueryName]], int],
    bytes_per_slot: int | None,
) -> Fitted:
    """Divide every group that needs more managed memory than a slot has, members in their order.

    `needed`: bytes per slot of queries in one job. `bytes_per_slot` None: not known, then nothing is divided. Raises
    BadInputError for a query that does not fit alone, and for a group of a grouping file, which is not ours to divide.
    """
    if bytes_per_slot is None:
        return Fitted(grouping, ())
    slots = {c.name: c.slots for c in candidates}
    groups: list[Group] = []
    notes = []
    for group in grouping.groups:
        if needed(group.members) <= bytes_per_slot:
            groups.append(group)
            continue
        parts = _parts(group, needed, bytes_per_slot)
        short = f"{_mib(needed(group.members))} of managed memory a slot, and a slot has {_mib(bytes_per_slot)}"
        if grouping.strategy == "explicit":
            raise BadInputError(f"group {group.id} needs {short}; make it smaller, or raise {OPTION}")
        groups += [_part(group, number, part, slots) for number, part in enumerate(parts, start=1)]
        notes.append(f"group {group.id} needs {short}: it runs as {len(parts)} groups (raise {OPTION} to have one)")
    return Fitted(replace(grouping, groups=tuple(groups)), tuple(notes))


def _parts(
    group: Group, needed: Callable[[Sequence[QueryName]], int], bytes_per_slot: int
) -> list[tuple[QueryName, ...]]:
    """As many members as fit, then the next: in order, so that the same workload always gives the same groups."""
    parts: list[tuple[QueryName, ...]] = [()]
    for member in group.members:
        if needed([member]) > bytes_per_slot:
            raise BadInputError(
                f"query {member} needs {_mib(needed([member]))} of managed memory a slot, and a slot has "
                f"{_mib(bytes_per_slot)}; raise {OPTION}, or have fewer slots a task manager"
            )
        if needed([*parts[-1], member]) > bytes_per_slot:
            parts.append(())
        parts[-1] += (member,)
    return parts


def _part(group: Group, number: int, members: tuple[QueryName, ...], slots: dict[QueryName, int]) -> Group:
    own = [slots[m] for m in members]
    most = own[0] if len(members) == 1 else min(group.slots, sum(own))
    return Group(GroupId(f"{group.id}-{number}"), members, most, group.share_class, f"{group.reason}, part {number}")


def _mib(size: int) -> str:
    return f"{size / MIB:.0f} MiB"
