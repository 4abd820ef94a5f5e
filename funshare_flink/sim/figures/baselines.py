"""The baselines: on the truth of one moment, and as what the loop asks at each merge step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from funshare_flink.grouping.decision import Decision
from funshare_flink.grouping.knowledge import Knowledge
from funshare_flink.grouping.snapshot import Snapshot
from funshare_flink.grouping.strategies import decide
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Grouping
from funshare_flink.model.ids import QueryName
from funshare_flink.sim.physics import TrueLoads
from funshare_flink.sim.world import THE_CLASS, World

ISOLATED, FULL, SELECTIVITY, OVERLAP = "isolated", "full", "selectivity", "overlap"
GROUPSHARE, FUNSHARE = "groupshare", "funshare"
SHARING_BASELINES = (FULL, SELECTIVITY, OVERLAP, GROUPSHARE)
PAPERS_BASELINES = (FULL, SELECTIVITY, OVERLAP)
"""GroupShare is in the paper's text only; it is run and drawn, but claims on "the baselines" are judged on these."""

LABELS = {
    ISOLATED: "Isolated",
    FULL: "Full-Sharing",
    SELECTIVITY: "Selectivity-Sharing",
    OVERLAP: "Overlap-Sharing",
    GROUPSHARE: "GroupShare",
    FUNSHARE: "FunShare",
}

_SLOTS_ALIKE = 0.05
"""A baseline that keeps its partition changes a group's slots only by more than this share: samples are noisy."""


def label(strategy: str, constrained: bool = False) -> str:
    """As in the paper's legends."""
    return LABELS[strategy] + (" (C)" if constrained and strategy in SHARING_BASELINES else "")


def strategy_name(strategy: str, constrained: bool) -> str:
    """As in `grouping.strategies`."""
    return f"{strategy}-constrained" if constrained and strategy in SHARING_BASELINES else strategy


def chosen(world: World, strategy: str, constrained: bool) -> Grouping:
    """What a strategy chooses on the truth of the world's first phase."""
    phase = world.phases[0]
    truth = TrueLoads(world, phase, world.queries)
    rates: dict[QueryName, float | None] = {q.name: 2 * phase.rate_rps for q in world.queries}
    knowledge = Knowledge({THE_CLASS: truth}, rates)
    return decide(strategy_name(strategy, constrained), tuple(q.candidate for q in world.queries), knowledge).grouping


@dataclass
class Reevaluated:
    """A baseline in the place of Algorithm 1: it chooses anew at each merge step, from the loop's own estimates."""

    strategy: str
    constrained: bool
    _last: Grouping | None = None

    def __call__(self, snapshot: Snapshot, tuning: Tuning) -> Decision:
        rates = {m: s.input_rps for s in snapshot.groups for m in s.group.members}
        knowledge = Knowledge(snapshot.loads, rates, tuning, previous=self._last, at_s=snapshot.taken_at_s)
        name = strategy_name(self.strategy, self.constrained)
        decision = decide(name, tuple(snapshot.candidates.values()), knowledge)
        self._last = decision.grouping
        running = Grouping(name, tuple(s.group for s in snapshot.groups))
        return replace(decision, changed=not _alike(running, decision.grouping))


def _alike(running: Grouping, wanted: Grouping) -> bool:
    slots = {frozenset(g.members): g.slots for g in running.groups}
    return len(slots) == len(wanted.groups) and all(
        abs(slots.get(frozenset(g.members), -1) - g.slots) <= _SLOTS_ALIKE * g.slots for g in wanted.groups
    )


def merging(strategy: str, constrained: bool) -> Callable[[Snapshot, Tuning], Decision]:
    """What the loop asks at its merge steps."""
    return Reevaluated(strategy, constrained)
