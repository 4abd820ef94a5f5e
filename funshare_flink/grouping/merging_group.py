"""A group as the merge step handles it: what it is now, or what it would be after merges that are not done yet."""

from __future__ import annotations

import math
from dataclasses import dataclass

from funshare_flink.estimate.load import SLOT_US_PS, GroupLoad
from funshare_flink.grouping.resources import slots_for
from funshare_flink.grouping.snapshot import GroupState, Snapshot
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.ids import QueryName


@dataclass(frozen=True)
class MergingGroup:
    """One side of a merge.

    slots_alone  what its members would have alone together; never exceeded
    idle         share of its slots' time that is free: measured, or for a planned union what its load leaves
    promised     the highest share of the input that any member would read alone (1: all of it)
    processed    the share of the input that it reads: measured, or what a planned union is predicted to read
    throttled    one of its tails holds its shared operators back: measured, or predicted
    trust        processed as measured over what the load predicts, at most 1: how far to believe a prediction
    """

    members: tuple[QueryName, ...]
    slots: int
    slots_alone: int
    idle: float
    load: GroupLoad
    promised: float
    processed: float
    throttled: bool
    trust: float = 1.0


def merging_group(state: GroupState, snapshot: Snapshot, tuning: Tuning) -> MergingGroup | str:
    """The group if all that a merge rests on is known, else why it takes no part."""
    reason = _why_not(state, tuning) or _why_not_measured(state)
    if reason is not None or state.load is None or state.idle is None:
        return reason or "its load is not known"
    if not state.input_rps or state.processed_rps is None:
        return "its input is not known"
    alone = [snapshot.alone_rps.get(m) for m in state.group.members]
    known = [a for a in alone if a is not None and math.isfinite(a)]
    if len(known) < len(alone):
        return "what its queries would read alone is not known"
    processed = state.processed_rps / state.input_rps
    return MergingGroup(
        members=state.group.members,
        slots=state.group.slots,
        slots_alone=snapshot.slots_alone(state.group),
        idle=state.idle,
        load=state.load,
        promised=min(1.0, max(known) / state.input_rps),
        processed=processed,
        throttled=bool(state.throttled_by),
        trust=min(1.0, processed / _predicted(state.load, state.group.slots)),
    )


def _predicted(load: GroupLoad, slots: int) -> float:
    """The share of the input that a group with this load reads with these slots."""
    return min(1.0, load.sustained_factor(slots))


def _why_not(state: GroupState, tuning: Tuning) -> str | None:
    """Unknown is never zero and never free: such a group is left as it is."""
    if not state.settled:
        return "it starts, catches up or was just changed"
    if state.throttled_by is None:
        return "whether a tail holds it back is not known"
    if state.load is None or not 0 < state.load.total_us_ps < math.inf:
        return "its load is not known"
    if not _certain(state.load, tuning):
        return f"its load is not certain enough (error {_percent(state.load.error)} of at most {tuning.max_error:.0%})"
    return None


def _why_not_measured(state: GroupState) -> str | None:
    """A share out of its range is a fault of the measurement: it is not mended by clipping."""
    if state.idle is None or not 0.0 <= state.idle <= 1.0:
        return "its idle time is not known"
    if state.input_rps is None or not 0.0 < state.input_rps < math.inf:
        return "its input is not known"
    if state.processed_rps is None or not 0.0 <= state.processed_rps < math.inf:
        return "what it reads is not known"
    return None


def _certain(load: GroupLoad, tuning: Tuning) -> bool:
    """An error that is not known is no certainty; nor is NaN, which compares as false."""
    return load.error is not None and load.error <= tuning.max_error


def _percent(error: float | None) -> str:
    return "unknown" if error is None else f"{error:.0%}"


def united(first: MergingGroup, second: MergingGroup, load: GroupLoad, tuning: Tuning) -> MergingGroup:
    """What both would be as one group, with the slots that the Resource Manager would give it.

    What it will read is predicted from its load, and not the smaller of what both read now: together they may have
    slots enough for what each could not carry alone. Where a side read less than predicted, so will the union.
    """
    slots = slots_for(load, min(first.slots_alone + second.slots_alone, first.slots + second.slots), tuning.headroom)
    predicted, trust = _predicted(load, slots), min(first.trust, second.trust)
    unexplained = (first.throttled or second.throttled) and trust < 1 - tuning.penalty_tolerance
    return MergingGroup(
        members=tuple(sorted(first.members + second.members)),
        slots=slots,
        slots_alone=first.slots_alone + second.slots_alone,
        idle=max(0.0, 1.0 - load.at(predicted) / (slots * SLOT_US_PS)),
        load=load,
        promised=max(first.promised, second.promised),
        processed=predicted * trust,
        throttled=unexplained or tail_bound(load, slots),
        trust=trust,
    )


def tail_bound(load: GroupLoad, slots: int) -> bool:
    """Whether a tail, and not the sum of all work, is what keeps the group from reading all of its input."""
    factor = load.sustained_factor(slots)
    return factor < 1 - 1e-9 and load.at(factor) < slots * SLOT_US_PS * (1 - 1e-9)


def why_not_united(first: MergingGroup, second: MergingGroup, load: GroupLoad, tuning: Tuning) -> str | None:
    """Why the union must not be, although its cost is low; None if it may.

    The cost compares work with resources; whether the union really carries what every member would read alone, with at
    most the slots that the members would have alone, is a question of its own (functional isolation, Problem 1).
    """
    if not _certain(load, tuning):
        return (
            f"the union's load is not certain enough (error {_percent(load.error)} of at most {tuning.max_error:.0%})"
        )
    promised = max(first.promised, second.promised)
    carried = load.sustained_factor(first.slots_alone + second.slots_alone)
    if carried < promised * (1 - 1e-9):
        return f"it would read {carried:.0%} of its input, a member alone reads {promised:.0%}"
    return None


def backpressure_guard(first: MergingGroup, second: MergingGroup, tuning: Tuning) -> str | None:
    """Algorithm 1, line 1: a group that its own tail holds back must not throttle a faster one.

    Two groups that are held back alike hurt neither, so those may merge (docs/adr/0009).
    """
    slow, fast = (first, second) if first.processed <= second.processed else (second, first)
    if slow.throttled and slow.processed < fast.processed * (1 - tuning.penalty_tolerance):
        return f"a tail of {slow.members[0]}'s group holds it back: it would throttle the faster group"
    if fast.throttled and fast.processed < slow.promised * (1 - tuning.penalty_tolerance):
        return f"a tail of {fast.members[0]}'s group holds it back below what {slow.members[0]} reads alone"
    return None
