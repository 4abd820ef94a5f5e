"""What a strategy may rest on besides the candidates: loads, rates, and the knobs; and what the model predicts of them.

A strategy that plans before anything runs has no measurements. What it would measure is predicted from the loads, so
planning and the running loop go through the same merge step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from funshare_flink.estimate.load import SLOT_US_PS, GroupLoad, Loads
from funshare_flink.grouping.snapshot import GroupState, Snapshot
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import QueryName, ShareClassId


@dataclass(frozen=True)
class Knowledge:
    """Loads by share class at the present input rates; `input_rps`: records per second that arrive for each query, both
    inputs together, None where it is not known.

    high_selectivity  a filter that passes at least this share of the rows counts as high (strategy selectivity only)
    previous          the grouping before this one, for a strategy that goes one way (groupshare)
    at_s              the moment that the decision is stamped with
    """

    loads: Mapping[ShareClassId, Loads]
    input_rps: Mapping[QueryName, float | None]
    tuning: Tuning = field(default_factory=Tuning)
    high_selectivity: float = 0.5
    previous: Grouping | None = None
    at_s: float = 0.0

    def load(self, share_class: ShareClassId | None, members: Iterable[QueryName]) -> GroupLoad | None:
        """Load of these queries as one group; None when it is not known, and zero or NaN is not known either."""
        loads = self.loads.get(share_class) if share_class is not None else None
        load = loads.of(members) if loads is not None else None
        return load if load is not None and 0 < load.total_us_ps < math.inf else None

    def gap(self, candidate: Candidate) -> str | None:
        """What is not known of a query that could share; None when it can be judged."""
        rps = self.input_rps.get(candidate.name)
        if rps is None or not 0 < rps < math.inf:
            return "its input rate is not known"
        if self.load(candidate.share_class, [candidate.name]) is None:
            return "its load is not known"
        return None


def predicted(candidates: Iterable[Candidate], grouping: Grouping, knowledge: Knowledge) -> Snapshot:
    """The snapshot that would be measured if every group ran as its load says."""
    by_name = {c.name: c for c in candidates}
    alone = {c.name: _alone_rps(c, knowledge) for c in by_name.values()}
    states = tuple(_predicted_state(g, knowledge) for g in grouping.groups)
    return Snapshot(knowledge.at_s, states, by_name, knowledge.loads, alone)


def _alone_rps(candidate: Candidate, knowledge: Knowledge) -> float | None:
    load = knowledge.load(candidate.share_class, [candidate.name])
    rps = knowledge.input_rps.get(candidate.name)
    return None if load is None or rps is None else rps * min(1.0, load.sustained_factor(candidate.slots))


def _predicted_state(group: Group, knowledge: Knowledge) -> GroupState:
    load = knowledge.load(group.share_class, group.members)
    rates = [knowledge.input_rps.get(m) for m in group.members]
    known = [r for r in rates if r is not None]
    if load is None or len(known) < len(rates):
        return GroupState(group)
    factor = min(1.0, load.sustained_factor(group.slots))
    # Members of a share class read the same two inputs; they differ only if the caller's figures do.
    rps = max(known)
    idle = max(0.0, 1.0 - load.at(factor) / (group.slots * SLOT_US_PS))
    return GroupState(group, load, rps, rps * factor, idle, throttling(load, group.slots))


def throttling(load: GroupLoad, slots: int) -> frozenset[QueryName]:
    """Members whose tails keep a group with these slots from reading all of its input; empty when it reads all."""
    factor = load.sustained_factor(slots)
    if factor >= 1.0:
        return frozenset()
    found = set()
    for tail in load.tails:
        width = slots if tail.max_parallelism is None else min(slots, tail.max_parallelism)
        if tail.us_ps * math.pow(factor, load.pair_exponent) >= width * SLOT_US_PS * (1 - 1e-9):
            found.add(tail.query)
    return frozenset(found)
