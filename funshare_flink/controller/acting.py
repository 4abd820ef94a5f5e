"""Carries a decision out through the Regrouper, tells it with its numbers, and knows which groups were just changed."""

from __future__ import annotations

from dataclasses import dataclass, field

from funshare_flink.grouping.decision import Decision, Step
from funshare_flink.model.errors import FatalError
from funshare_flink.model.grouping import Group, Grouping
from funshare_flink.model.ids import QueryName
from funshare_flink.ports import ChangeReport, ChangeState, Event, Events, Regrouper

Shape = tuple[tuple[QueryName, ...], int]
"""A group's members and slots: with either another, it is another job."""


@dataclass
class Acting:
    """`dry_run`: decisions are told as recommendations and not carried out."""

    regrouper: Regrouper
    events: Events
    cooldown_s: float
    dry_run: bool = False
    _seen: frozenset[Shape] = frozenset()
    _replacing: frozenset[Shape] = frozenset()
    _recommended: frozenset[Shape] | None = None
    _changed_at_s: dict[Shape, float] = field(default_factory=dict)

    def poll(self, now_s: float) -> ChangeReport | None:
        """The change under way or just ended. One that ended is told, and its groups begin to cool down."""
        change = self.regrouper.poll(now_s)
        if change is not None and change.state is not ChangeState.RUNNING:
            self._ended(change, now_s)
        return change

    def running(self) -> tuple[Group, ...]:
        groups = self.regrouper.running().groups
        self._seen = shapes(groups)
        return groups

    def cools_down(self, group: Group, now_s: float) -> bool:
        changed_at_s = self._changed_at_s.get((group.members, group.slots))
        return changed_at_s is not None and now_s < changed_at_s + self.cooldown_s

    def begin(self, decision: Decision, now_s: float) -> bool:
        """Start the change that was decided; whether one was started. Told before it is done, so that the history has
        it whatever happens. Raises FatalError, with nothing started, for a grouping that would lose a query."""
        if not decision.changed:
            return False
        running = self.regrouper.running()
        _require_same_queries(running, decision.grouping)
        wanted = shapes(decision.grouping.groups)
        if self.dry_run:
            self._recommend(decision, wanted, now_s)
            return False
        for step in decision.steps:
            self._tell(step, step.because, now_s)
        self.regrouper.begin(decision.grouping, now_s)
        self._replacing = shapes(running.groups) - wanted
        return True

    def _recommend(self, decision: Decision, wanted: frozenset[Shape], now_s: float) -> None:
        """The same recommendation is told once, not every minute."""
        if wanted != self._recommended:
            self._recommended = wanted
            for step in decision.steps:
                self._tell(step, f"recommended, not done: {step.because}", now_s)

    def _tell(self, step: Step, text: str, now_s: float) -> None:
        queries = tuple(str(q) for q in step.queries)
        numbers = step.numbers if step.cost is None else (*step.cost.numbers, *step.numbers)
        self.events.record(Event(now_s, step.kind, (str(step.group),), queries, text, numbers))

    def _ended(self, change: ChangeReport, now_s: float) -> None:
        """What is new cools down; after a roll-back, what was to be replaced, so that it is not tried again at once."""
        running = shapes(change.running.groups)
        done = change.state is ChangeState.DONE
        cooling = running - self._seen if done else running & self._replacing
        kept = {s: at_s for s, at_s in self._changed_at_s.items() if s in running}
        self._changed_at_s = kept | dict.fromkeys(cooling, now_s)
        self._replacing = frozenset()
        text = change.reason or f"{len(change.running.groups)} groups on {change.running.slots} slots"
        touched = [g for g in change.running.groups if (g.members, g.slots) in cooling]
        queries = tuple(str(m) for g in touched for m in g.members)
        kind = "change-done" if done else "change-rolled-back"
        self.events.record(Event(now_s, kind, tuple(str(g.id) for g in touched), queries, text, change.phases))


def shapes(groups: tuple[Group, ...]) -> frozenset[Shape]:
    return frozenset((g.members, g.slots) for g in groups)


def _require_same_queries(running: Grouping, wanted: Grouping) -> None:
    """Whatever decided: a query that runs goes on running, once."""
    now, then = (sorted(m for g in x.groups for m in g.members) for x in (running, wanted))
    if now != then:
        wrong = sorted(set(now) ^ set(then)) or sorted({m for m in then if then.count(m) > 1})
        raise FatalError(f"the decision does not hold every running query exactly once, see {', '.join(wrong[:5])}")
