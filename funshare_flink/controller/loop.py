"""The daemon's loop: observe, decide, act (paper, Fig. 3), over ports only; the simulator drives the very same one.

A cycle reads the clock once. While a change of the grouping is under way nothing else is decided. Splits are looked at
more often than merges, and first. A group that was just changed, that was not read or that works off a backlog is left
alone. One group's fault is that group's: it is unknown for the cycle and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from funshare_flink.controller.calibration import Calibration
from funshare_flink.controller.readings import Readings
from funshare_flink.controller.snapshots import Cycle, snapshot
from funshare_flink.estimate.capacity import Reading
from funshare_flink.estimate.coefficients import PRIOR, Coefficients
from funshare_flink.estimate.loads import SampledLoads
from funshare_flink.grouping.decision import Decision
from funshare_flink.grouping.hysteresis import Wish, held_back
from funshare_flink.grouping.merge import merge_step
from funshare_flink.grouping.snapshot import Snapshot
from funshare_flink.grouping.split import split_step
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.errors import FunShareError
from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import QueryName, ShareClassId
from funshare_flink.ports import ChangeReport, ChangeState, Clock, Event, Events, GroupMetrics, InputSampler, Regrouper
from funshare_flink.settings import LoopSettings

Decide = Callable[[Snapshot, Tuning], Decision]


@dataclass(frozen=True)
class LoopPorts:
    """The outside world. `free_slots`: of the cluster, None when it does not tell."""

    clock: Clock
    metrics: GroupMetrics
    sampler: InputSampler
    regrouper: Regrouper
    events: Events
    free_slots: Callable[[], int | None] = lambda: None


@dataclass(frozen=True)
class Brain:
    """What decides. `merge` may be a baseline strategy; `split` None: never splits. `dry_run`: decide, do not act."""

    merge: Decide = merge_step
    split: Decide | None = split_step
    tuning: Tuning = field(default_factory=Tuning)
    prior: Coefficients = PRIOR
    dry_run: bool = False


@dataclass(frozen=True)
class CycleReport:
    """One cycle. `decision`: what was decided, None when nothing was looked at; `begun`: a change was started."""

    now_s: float
    decision: Decision | None = None
    begun: bool = False
    change: ChangeReport | None = None


@dataclass
class ControlLoop:
    """One workload's loop. `candidates`: the running queries with the slots they would have alone."""

    ports: LoopPorts
    candidates: Mapping[QueryName, Candidate]
    settings: LoopSettings = field(default_factory=LoopSettings)
    brain: Brain = field(default_factory=Brain)

    def __post_init__(self) -> None:
        self._readings = Readings(self.settings.window_s)
        self._calibration = Calibration(self.brain.prior)
        self._wish: Wish | None = None
        self._changed_at_s: dict[tuple[QueryName, ...], float] = {}
        began = self.ports.clock.now_s()
        self._next_split_s = began + self.settings.split_interval_s
        self._next_merge_s = began + self.settings.merge_interval_s

    def run(self, until_s: float) -> None:
        """Cycles until the clock shows `until_s`, each a split interval after the one before."""
        while self.ports.clock.now_s() < until_s:
            self.cycle()
            self.ports.clock.sleep(self.settings.split_interval_s)

    def cycle(self) -> CycleReport:
        """One pass. A failing port makes this cycle do nothing and says so."""
        now_s = self.ports.clock.now_s()
        try:
            return self._cycle(now_s)
        except FunShareError as e:
            self.ports.events.record(Event(now_s, "skipped", (), (), f"nothing was decided: {e}"))
            return CycleReport(now_s)

    def _cycle(self, now_s: float) -> CycleReport:
        change = self.ports.regrouper.poll(now_s)
        if change is not None and change.state is not ChangeState.RUNNING:
            self._ended(change, now_s)
        groups = self.ports.regrouper.running().groups
        self._readings.add(groups, self.ports.metrics.read(groups, now_s))
        if change is not None and change.state is ChangeState.RUNNING:
            return CycleReport(now_s, change=change)
        decision = self._decide(groups, now_s)
        return CycleReport(now_s, decision, self._act(decision, now_s), change)

    def _decide(self, groups: tuple[Group, ...], now_s: float) -> Decision | None:
        """A split if one is due and needed, else a merge if one is due."""
        readings = {str(g.id): self._readings.of(g, now_s) for g in groups}
        decision = None
        if self.brain.split is not None and now_s >= self._next_split_s:
            self._next_split_s = now_s + self.settings.split_interval_s
            if any(_suffers(g, readings.get(str(g.id)), self.brain.tuning) for g in groups):
                decision = self.brain.split(self._snapshot(groups, readings, now_s), self.brain.tuning)
        if (decision is None or not decision.changed) and now_s >= self._next_merge_s:
            self._next_merge_s = now_s + self.settings.merge_interval_s
            wanted = self.brain.merge(self._snapshot(groups, readings, now_s), self.brain.tuning)
            decision, self._wish = held_back(wanted, self._wish, self.settings.stable_window_s)
        return decision

    def _snapshot(self, groups: tuple[Group, ...], readings: Mapping[str, Reading | None], now_s: float) -> Snapshot:
        loads = self._loads(groups, readings, now_s)
        settled = frozenset(str(g.id) for g in groups if self._is_settled(g, now_s))
        cycle = Cycle(now_s, groups, readings, settled, self.candidates, loads, self.ports.free_slots())
        return snapshot(cycle)

    def _loads(
        self, groups: tuple[Group, ...], readings: Mapping[str, Reading | None], now_s: float
    ) -> dict[ShareClassId, SampledLoads]:
        """Fresh samples of all share classes; what the groups were busy with corrects the coefficients first."""
        queries: dict[ShareClassId, list[QueryName]] = {}
        for group in groups:
            if group.share_class is not None:
                queries.setdefault(group.share_class, []).extend(group.members)
        found: dict[ShareClassId, SampledLoads] = {}
        for share_class, names in queries.items():
            sample = self.ports.sampler.sample(share_class, tuple(sorted(names)), now_s)
            if sample is not None:
                found[share_class] = SampledLoads(sample, self._calibration.coefficients, self._calibration.tails)
        self._learn(groups, readings, found)
        calibration = self._calibration
        return {c: x.with_costs(calibration.coefficients, calibration.tails) for c, x in found.items()}

    def _learn(
        self,
        groups: tuple[Group, ...],
        readings: Mapping[str, Reading | None],
        loads: Mapping[ShareClassId, SampledLoads],
    ) -> None:
        for group in groups:
            reading = readings.get(str(group.id))
            known = loads.get(group.share_class) if group.share_class is not None else None
            if reading is not None and known is not None and not self._readings.lag_falls(group):
                self._calibration.learn(group, reading, known)

    def _is_settled(self, group: Group, now_s: float) -> bool:
        changed_at_s = self._changed_at_s.get(group.members)
        cools = changed_at_s is not None and now_s < changed_at_s + self.settings.cooldown_s
        return not cools and not self._readings.lag_falls(group)

    def _act(self, decision: Decision | None, now_s: float) -> bool:
        if decision is None or not decision.changed:
            return False
        for step in decision.steps:
            numbers = step.numbers if step.cost is None else (("cost", step.cost.cost), *step.numbers)
            queries = tuple(str(q) for q in step.queries)
            self.ports.events.record(Event(now_s, step.kind, (str(step.group),), queries, step.because, numbers))
        if self.brain.dry_run:
            return False
        self.ports.regrouper.begin(decision.grouping, now_s)
        return True

    def _ended(self, change: ChangeReport, now_s: float) -> None:
        """Remember which groups are new, and tell how the change went."""
        known = set(self._changed_at_s)
        self._changed_at_s = {g.members: self._changed_at_s.get(g.members, now_s) for g in change.running.groups}
        fresh = [m for m in self._changed_at_s if m not in known]
        text = change.reason or f"{len(change.running.groups)} groups on {_slots(change.running)} slots"
        queries = tuple(str(q) for m in fresh for q in m)
        groups = tuple(str(g.id) for g in change.running.groups if g.members in fresh)
        self.ports.events.record(Event(now_s, f"change {change.state.value}", groups, queries, text, change.phases))


def _suffers(group: Group, reading: Reading | None, tuning: Tuning) -> bool:
    """A sample for a split is worth its price only when a shared group is held back or reads less than arrives."""
    if reading is None or not group.is_shared:
        return False
    if reading.throttled_by:
        return True
    if reading.processed_rps is None or reading.input_rps is None:
        return False
    return reading.processed_rps < (1 - tuning.penalty_tolerance) * reading.input_rps


def _slots(grouping: Grouping) -> int:
    return grouping.slots
