"""GroupShare: one way down from full sharing to groups that penalise nobody (the paper's [61], its section II).

It was made for batch analytics: all queries begin in one group, which is divided again and again until every query gets
what it is owed. The way goes down only. On a stream that means that what was once divided stays so, also when the data
or the rates would make sharing pay again.

A member is penalised when its group, with all slots that its members have alone, reads less than (1 - tolerance) of
what the member would read alone. Penalised members leave for a group of their own; when all are penalised, the group is
halved: the heaviest query keeps those with which it saves most. Groups that there were before (`Knowledge.previous`)
are never put together again; queries that are new start as one group.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from funshare_flink.grouping.knowledge import Knowledge
from funshare_flink.grouping.strategies.sharing import Part, need, shared_grouping
from funshare_flink.model.grouping import Candidate, Grouping
from funshare_flink.model.ids import ShareClassId


def groupshare(
    candidates: tuple[Candidate, ...], knowledge: Knowledge | None = None, constrained: bool = False
) -> Grouping:
    name = "groupshare-constrained" if constrained else "groupshare"
    return shared_grouping(name, candidates, need(name, knowledge), divided, constrained)


def divided(share_class: ShareClassId, members: Sequence[Candidate], knowledge: Knowledge) -> list[Part]:
    todo = _before(members, knowledge.previous)
    done: list[Part] = []
    while todo:
        group = todo.pop()
        penalised = _penalised(share_class, group, knowledge) if len(group) > 1 else []
        if not penalised:
            done.append(Part(tuple(group), "penalises nobody" if len(group) > 1 else "alone in the end"))
        elif len(penalised) < len(group):
            todo += [penalised, [m for m in group if m not in penalised]]
        else:
            todo += _halves(share_class, group, knowledge)
    return done


def _before(members: Sequence[Candidate], previous: Grouping | None) -> list[list[Candidate]]:
    """The groups to start from: those of the strategy's own last grouping, and one with all that are new."""
    if previous is None or not previous.strategy.startswith("groupshare"):
        return [list(members)]
    number = {m: i for i, g in enumerate(previous.groups) for m in g.members}
    found: dict[int, list[Candidate]] = {}
    for member in members:
        found.setdefault(number.get(member.name, -1), []).append(member)
    return list(found.values())


def _penalised(share_class: ShareClassId, group: Sequence[Candidate], knowledge: Knowledge) -> list[Candidate]:
    load = knowledge.load(share_class, [m.name for m in group])
    if load is None:
        return []
    together = min(1.0, load.sustained_factor(sum(m.slots for m in group)))
    if together >= 1.0:
        return []
    limit = 1 - knowledge.tuning.penalty_tolerance
    found = []
    for member in group:
        single = knowledge.load(share_class, [member.name])
        if single is not None and together < limit * min(1.0, single.sustained_factor(member.slots)):
            found.append(member)
    return found


def _halves(share_class: ShareClassId, group: list[Candidate], knowledge: Knowledge) -> list[list[Candidate]]:
    """The heaviest query with the half that saves most beside it, and the others."""
    half = (len(group) + 1) // 2
    unions = knowledge.loads[share_class].unions([(m.name,) for m in group])
    if unions is None:
        return [group[:half], group[half:]]
    totals = unions.totals()
    heaviest = int(np.argmax(totals))
    others = np.array([i for i in range(len(group)) if i != heaviest], dtype=np.intp)
    saved = (totals[heaviest] + totals[others] - unions.with_each(heaviest, others)) / totals[others]
    near = {heaviest, *(int(i) for i in others[np.argsort(-saved, kind="stable")][: half - 1])}
    return [[group[i] for i in sorted(near)], [m for i, m in enumerate(group) if i not in near]]
