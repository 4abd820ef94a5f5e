"""Strategies: candidates in, a grouping out. One file each, one table of names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from funshare_flink.grouping.decision import Decision, Step
from funshare_flink.grouping.knowledge import Knowledge
from funshare_flink.grouping.strategies.full import full_sharing
from funshare_flink.grouping.strategies.funshare import funshare, funshare_decision
from funshare_flink.grouping.strategies.groupshare import groupshare
from funshare_flink.grouping.strategies.isolated import isolated
from funshare_flink.grouping.strategies.overlap import overlap_sharing
from funshare_flink.grouping.strategies.selectivity import selectivity_sharing
from funshare_flink.grouping.strategies.sharing import need
from funshare_flink.model.grouping import Candidate, Grouping


class Strategy(Protocol):
    """Which queries run together. A pure function; the order of the candidates does not matter for the partition."""

    def __call__(self, candidates: tuple[Candidate, ...], knowledge: Knowledge | None = None, /) -> Grouping:
        """A partition of the candidates: every one in exactly one group, share classes never mixed.

        Raises BadInputError without `knowledge` where the strategy cannot do without (see `WITHOUT_KNOWLEDGE`).
        """


STRATEGIES: Mapping[str, Strategy] = {
    "isolated": isolated,
    "full": full_sharing,
    "selectivity": selectivity_sharing,
    "overlap": overlap_sharing,
    "groupshare": groupshare,
    "funshare": funshare,
    "full-constrained": partial(full_sharing, constrained=True),
    "selectivity-constrained": partial(selectivity_sharing, constrained=True),
    "overlap-constrained": partial(overlap_sharing, constrained=True),
    "groupshare-constrained": partial(groupshare, constrained=True),
}
"""An explicit grouping file is another way (`explicit.grouping_from`)."""

WITHOUT_KNOWLEDGE = ("isolated", "full")
"""Strategies that work on the candidates alone."""

SHARES_TAILS = frozenset({"full", "selectivity", "overlap", "groupshare"})
"""Strategies whose plans in the paper also share equal downstream operators, which then run as one (section VI-A).
The constrained ones and FunShare never do."""


def decide(name: str, candidates: tuple[Candidate, ...], knowledge: Knowledge | None = None) -> Decision:
    """The strategy's grouping as a decision, with what it rests on as far as the strategy has reasons."""
    if name == "funshare":
        return funshare_decision(candidates, need(name, knowledge))
    grouping = STRATEGIES[name](candidates, knowledge)
    at_s = knowledge.at_s if knowledge is not None else 0.0
    return Decision(at_s, grouping, True, _sizes(grouping, knowledge))


def _sizes(grouping: Grouping, knowledge: Knowledge | None) -> tuple[Step, ...]:
    """How each shared group came to its slots."""
    steps = []
    for g in grouping.groups:
        load = knowledge.load(g.share_class, g.members) if knowledge is not None and g.is_shared else None
        if load is not None:
            numbers = (("load_slots", load.total_us_ps / 1e6), ("slots", float(g.slots)))
            steps.append(Step("slots", g.members, g.id, g.reason, None, numbers))
    return tuple(steps)
