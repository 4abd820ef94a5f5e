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
class Tails:
    """What a group's tails allow. `widest_us_ps`: the heaviest tail. `narrow_ratio`: the smallest ratio of what a tail
    can use (its `max_parallelism` slots) to what it needs; infinite when none is limited."""

    widest_us_ps: float
    narrow_ratio: float
    pair_exponent: float

    def with_those_of(self, other: Tails) -> Tails:
        return Tails(
            max(self.widest_us_ps, other.widest_us_ps), min(self.narrow_ratio, other.narrow_ratio), self.pair_exponent
        )


def tails_of(load: GroupLoad) -> Tails:
    narrow = [
        t.max_parallelism * SLOT_US_PS / t.us_ps
        for t in load.widest_tails
        if t.max_parallelism is not None and t.us_ps > 0
    ]
    widest = max((t.us_ps for t in load.widest_tails), default=0.0)
    return Tails(widest, min(narrow, default=math.inf), load.pair_exponent)


def tails_carry(tails: Tails, slots: int) -> float:
    """The share of the input, or the multiple of it, that the tails carry with these slots."""
    ratio = tails.narrow_ratio
    if tails.widest_us_ps > 0:
        ratio = min(ratio, slots * SLOT_US_PS / tails.widest_us_ps)
    return math.pow(ratio, 1 / tails.pair_exponent)


@dataclass(frozen=True, eq=False)
class MergingGroup:
    """One side of a merge.

    slots_alone  what its members would have alone together; never exceeded
    idle         share of its slots' time that is free: measured, or for a planned union what its load leaves
    total_us_ps  its load
    load         the same in full; None for a planned union of which only the total was needed so far
    promised     the highest share of the input that any member would read alone (1: all of it)
    processed    the share of the input that it reads: measured, or what a planned union is predicted to read
    throttled    one of its tails holds its shared operators back: measured, or predicted
    trust        processed as measured over what the load predicts, at most 1: how far to believe a prediction
    made_of      the two groups that a planned union joins
    """

    members: tuple[QueryName, ...]
    slots: int
    slots_alone: int
    idle: float
    total_us_ps: float
    load: GroupLoad | None
    tails: Tails
    promised: float
    processed: float
    throttled: bool
    trust: float = 1.0
    made_of: tuple[MergingGroup, MergingGroup] | None = None


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
        total_us_ps=state.load.total_us_ps,
        load=state.load,
        tails=tails_of(state.load),
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


def carries_all(first: MergingGroup, second: MergingGroup, total_us_ps: float, tuning: Tuning) -> bool:
    """Whether the total alone shows that the union reads all of its input, with head-room, in the slots at hand."""
    slots = min(first.slots_alone + second.slots_alone, first.slots + second.slots)
    usable = slots * SLOT_US_PS * (1 - tuning.headroom)
    return total_us_ps <= usable and tails_carry(first.tails.with_those_of(second.tails), slots) >= 1


def united(first: MergingGroup, second: MergingGroup, total_us_ps: float, tuning: Tuning) -> MergingGroup:
    """What both would be as one group that reads all of its input (`carries_all`), by its total load alone."""
    slots = max(1, math.ceil(total_us_ps / (SLOT_US_PS * (1 - tuning.headroom)) - 1e-9))
    return _union(first, second, tuning, slots, (total_us_ps, None))


def united_by_load(first: MergingGroup, second: MergingGroup, load: GroupLoad, tuning: Tuning) -> MergingGroup:
    """What both would be as one group, with the slots that the Resource Manager would give it."""
    most = min(first.slots_alone + second.slots_alone, first.slots + second.slots)
    slots = slots_for(load, most, tuning.headroom)
    return _union(first, second, tuning, slots, (load.total_us_ps, load))


def _union(
    first: MergingGroup, second: MergingGroup, tuning: Tuning, slots: int, known: tuple[float, GroupLoad | None]
) -> MergingGroup:
    """What it will read is predicted from its load, and not the smaller of what both read now: together they may have
    slots enough for what each could not carry alone. Where a side read less than predicted, so will the union."""
    total_us_ps, load = known
    predicted = 1.0 if load is None else _predicted(load, slots)
    trust = min(first.trust, second.trust)
    unexplained = (first.throttled or second.throttled) and trust < 1 - tuning.penalty_tolerance
    used_us_ps = total_us_ps if load is None else load.at(predicted)
    return MergingGroup(
        members=tuple(sorted(first.members + second.members)),
        slots=slots,
        slots_alone=first.slots_alone + second.slots_alone,
        idle=max(0.0, 1.0 - used_us_ps / (slots * SLOT_US_PS)),
        total_us_ps=total_us_ps,
        load=load,
        tails=first.tails.with_those_of(second.tails),
        promised=max(first.promised, second.promised),
        processed=predicted * trust,
        throttled=unexplained or (load is not None and tail_bound(load, slots)),
        trust=trust,
        made_of=(first, second),
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
        return f"the union's load is not certain enough ({_percent(load.error)} of at most {tuning.max_error:.0%})"
    promised = max(first.promised, second.promised)
    carried = load.sustained_factor(first.slots_alone + second.slots_alone)
    if carried < promised * (1 - 1e-9):
        return f"it would read {carried:.0%} of its input, a member alone reads {promised:.0%}"
    return None


def backpressure_guard(first: MergingGroup, second: MergingGroup, tuning: Tuning) -> str | None:
    """Algorithm 1, line 1: a group that its own tail holds back must not throttle one that reads more.

    Nor one that has been promised more, if it reads less just now. Two groups that are held back alike hurt neither, so
    those may merge (docs/adr/0009).
    """
    for held, other in ((first, second), (second, first)):
        if held.throttled and held.processed < max(other.processed, other.promised) * (1 - tuning.penalty_tolerance):
            more = "reads more" if held.processed < other.processed else "would read more alone"
            return f"a tail holds back {named(held)}, {named(other)} {more}: it would be throttled"
    return None


def named(group: MergingGroup) -> str:
    """The group in a sentence."""
    count = len(group.members)
    return f"{group.members[0]}" if count == 1 else f"{min(group.members)}'s group of {count}"
