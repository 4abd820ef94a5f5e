"""Algorithm 2: give a group that penalises a query more slots, or take it apart (paper, IV-B; design, section 5).

Two remedies in this order. *Backpressure response*: when tails hold back the shared operators, the queries that own
them are isolated at once, so that they throttle nobody else. *Resource check*: when a member reads less than it would
alone, the group gets more slots if it has fewer than its members would have alone and the cluster has some free;
otherwise the penalised queries become groups of their own. The next merge may bring them together again.

Nothing is done without a throttling or a penalised query, nor about a group of which the numbers are not known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from funshare_flink.grouping.decision import Decision, Rejected, Step
from funshare_flink.grouping.naming import group_id
from funshare_flink.grouping.resources import slots_for
from funshare_flink.grouping.snapshot import GroupState, Snapshot
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Group, Grouping
from funshare_flink.model.ids import QueryName


@dataclass(frozen=True)
class _Outcome:
    """What becomes of one group."""

    groups: tuple[Group, ...]
    steps: tuple[Step, ...] = ()
    rejected: tuple[Rejected, ...] = ()


def split_step(snapshot: Snapshot, tuning: Tuning) -> Decision:
    """The grouping after Algorithm 2. Free slots are given out in the order of the groups' names, never twice."""
    free = snapshot.free_slots
    outcomes = []
    for state in sorted(snapshot.groups, key=lambda s: min(s.group.members)):
        outcome = _check(state, snapshot, tuning, free)
        outcomes.append(outcome)
        if free is not None:
            free -= max(0, sum(g.slots for g in outcome.groups) - state.group.slots)
    groups = tuple(g for o in outcomes for g in o.groups)
    steps = tuple(s for o in outcomes for s in o.steps)
    rejected = tuple(r for o in outcomes for r in o.rejected)
    return Decision(snapshot.taken_at_s, Grouping("funshare", groups), bool(steps), steps, rejected)


def _check(state: GroupState, snapshot: Snapshot, tuning: Tuning, free: int | None) -> _Outcome:
    group = state.group
    if not group.is_shared or not state.settled:
        return _Outcome((group,))
    if state.throttled_by is None:
        return _Outcome((group,), rejected=(Rejected(group.members, "whether a tail holds it back is not known"),))
    if state.throttled_by:
        return _backpressure_response(state, snapshot, tuning)
    penalised = penalised_queries(state, snapshot, tuning)
    return _relieve(state, snapshot, tuning, (penalised, free)) if penalised else _Outcome((group,))


def penalised_queries(state: GroupState, snapshot: Snapshot, tuning: Tuning) -> tuple[QueryName, ...]:
    """Members whose group reads less than (1 - tolerance) of what they would read alone; unknown ones are not."""
    if state.processed_rps is None:
        return ()
    alone = {m: snapshot.alone_rps.get(m) for m in state.group.members}
    limit = 1 - tuning.penalty_tolerance
    return tuple(m for m, rps in alone.items() if rps is not None and state.processed_rps < limit * rps)


def _backpressure_response(state: GroupState, snapshot: Snapshot, tuning: Tuning) -> _Outcome:
    """Isolate the queries whose tails throttle. When isolation frees nobody, it is no remedy.

    Nobody is freed when all members are known to read as much as they would alone. The merge's guard lets groups that
    are held back alike come together by the same tolerance; taking them apart here would go to and fro for ever.
    """
    group, throttling = state.group, state.throttled_by or frozenset()
    culprits = tuple(m for m in group.members if m in throttling)
    rest = tuple(m for m in group.members if m not in throttling)
    if not culprits:
        return _Outcome((group,), rejected=(Rejected(group.members, "held back by a query that is not a member"),))
    penalised = penalised_queries(state, snapshot, tuning)
    if not penalised and all(snapshot.alone_rps.get(m) is not None for m in rest):
        because = f"{_listed(culprits)} held back by a tail, but no member would read more alone: all are alike"
        return _Outcome((group,), rejected=(Rejected(culprits, because),))
    groups = _apart(group, culprits, rest, snapshot, "throttled its group")
    because = "its tail holds the shared join back" + ("" if rest else "; alone each member reads more")
    return _Outcome(groups, (Step("split", culprits, group.id, because, None, _numbers(state)),))


def _relieve(
    state: GroupState, snapshot: Snapshot, tuning: Tuning, need: tuple[tuple[QueryName, ...], int | None]
) -> _Outcome:
    """More slots if the group may have them and there are some; else the penalised queries go."""
    group, (penalised, free) = state.group, need
    most = snapshot.slots_alone(group)
    wanted = _wanted_slots(state, most, tuning)
    if free is not None:
        wanted = min(wanted, group.slots + max(0, free))
    if wanted > group.slots:
        more = Group(group.id, group.members, wanted, group.share_class, group.reason)
        because = f"{wanted} slots instead of {group.slots}: it reads less than {penalised[0]} would alone"
        return _Outcome((more,), (Step("slots", penalised, group.id, because, None, _numbers(state)),))
    rest = tuple(m for m in group.members if m not in penalised)
    groups = _apart(group, penalised, rest, snapshot, "its group read less than it reads alone")
    why = "it has all slots that its queries would have" if group.slots >= most else "the cluster has no slot free"
    return _Outcome(
        groups,
        (Step("split", penalised, group.id, "it reads less than alone in its group", None, _numbers(state)),),
        (Rejected(penalised, f"more slots: {why}"),),
    )


def _wanted_slots(state: GroupState, most: int, tuning: Tuning) -> int:
    """What the load asks for; at least one more than now, as the present number has shown itself too small."""
    needed = slots_for(state.load, most, tuning.headroom) if state.load is not None else most
    return min(most, max(needed, state.group.slots + 1))


def _apart(
    group: Group, leaving: Iterable[QueryName], rest: tuple[QueryName, ...], snapshot: Snapshot, reason: str
) -> tuple[Group, ...]:
    """The leaving queries alone with their own slots, the others together with no more slots than they had or than
    they would have alone."""
    singles = [
        Group(group_id(None, (m,)), (m,), snapshot.candidates[m].slots, group.share_class, reason) for m in leaving
    ]
    if not rest:
        return tuple(singles)
    most = sum(snapshot.candidates[m].slots for m in rest)
    slots = most if len(rest) == 1 else min(most, group.slots)
    return (*singles, Group(group_id(group.share_class, rest), rest, slots, group.share_class, "the others left"))


def _listed(queries: tuple[QueryName, ...]) -> str:
    more = len(queries) - 1
    return f"{queries[0]} is" if more == 0 else f"{queries[0]} and {more} more are"


def _numbers(state: GroupState) -> tuple[tuple[str, float], ...]:
    named = (("input_rps", state.input_rps), ("processed_rps", state.processed_rps), ("slots", state.group.slots))
    return tuple((name, float(value)) for name, value in named if value is not None)
