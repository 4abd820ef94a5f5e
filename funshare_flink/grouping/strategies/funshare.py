"""FunShare: Algorithm 1 from queries alone to its fixed point, then the Resource Manager (the paper, section IV).

The same merge step as in the running loop, on what the loads predict instead of on measurements.
"""

from __future__ import annotations

from dataclasses import replace

from funshare_flink.grouping.decision import Decision
from funshare_flink.grouping.knowledge import Knowledge, predicted
from funshare_flink.grouping.merge import merge_step
from funshare_flink.grouping.strategies.isolated import alone
from funshare_flink.grouping.strategies.sharing import need, why_alone
from funshare_flink.model.grouping import Candidate, Group, Grouping

_MOST_STEPS = 8
"""Two are enough as a rule: one that merges and one that finds nothing left (the paper, section VI)."""


def funshare(candidates: tuple[Candidate, ...], knowledge: Knowledge | None = None) -> Grouping:
    return funshare_decision(candidates, need("funshare", knowledge)).grouping


def funshare_decision(candidates: tuple[Candidate, ...], knowledge: Knowledge) -> Decision:
    """The grouping with every step that led to it and the best options that were rejected at its end."""
    ordered = sorted(candidates, key=lambda c: c.name)
    grouping = Grouping("funshare", tuple(alone(c, why_alone(c) or knowledge.gap(c) or "alone") for c in ordered))
    decision = Decision(knowledge.at_s, grouping, False)
    for _ in range(_MOST_STEPS):
        last = merge_step(predicted(ordered, decision.grouping, knowledge), knowledge.tuning)
        decision = replace(last, steps=decision.steps + last.steps, changed=decision.changed or last.changed)
        if not last.changed:
            break
    return replace(decision, grouping=_with_reasons(decision))


def _with_reasons(decision: Decision) -> Grouping:
    """A query that was judged and stayed alone says what its best option was and why it was not taken."""
    because = {r.queries[0]: r.because for r in decision.rejected if r.queries}
    groups = (_told(g, because.get(g.members[0])) for g in decision.grouping.groups)
    return Grouping("funshare", tuple(groups))


def _told(group: Group, because: str | None) -> Group:
    return replace(group, reason=because) if because and group.reason == "alone" else group
