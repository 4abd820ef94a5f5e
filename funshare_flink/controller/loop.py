"""The daemon's loop: observe, decide, act (paper, Fig. 3), over ports only; the simulator drives the very same one.

A cycle reads the clock once. While a change of the grouping is under way nothing else is decided. Splits are looked at
more often than merges, and first. A group that was just changed, that was not read or that works off a backlog is left
alone. One group's fault is that group's: it is unknown for the cycle and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TypeVar

from funshare_flink.controller.acting import Acting
from funshare_flink.controller.calibration import Calibration
from funshare_flink.controller.readings import Readings, SeenReadings, catches_up
from funshare_flink.controller.snapshots import Cycle, snapshot
from funshare_flink.estimate.capacity import Reading
from funshare_flink.estimate.coefficients import PRIOR, Coefficients
from funshare_flink.estimate.counters import GroupCounters
from funshare_flink.estimate.sample import ClassSample
from funshare_flink.grouping.decision import Decision
from funshare_flink.grouping.hysteresis import Wish, held_back
from funshare_flink.grouping.merge import merge_step
from funshare_flink.grouping.snapshot import Snapshot
from funshare_flink.grouping.split import split_step
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.errors import FunShareError, NotReadyError
from funshare_flink.model.grouping import Candidate, Group
from funshare_flink.model.ids import QueryName, ShareClassId
from funshare_flink.ports import ChangeReport, ChangeState, Clock, Event, Events, GroupMetrics, InputSampler, Regrouper
from funshare_flink.settings import LoopSettings

Decide = Callable[[Snapshot, Tuning], Decision]
T = TypeVar("T")


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
    """One cycle. `readings`: what was read, by group id, None where it could not be; `decision`: None when nothing was
    looked at; `begun`: a change was started; `failed`: the cycle came to no end, the history says why."""

    now_s: float
    decision: Decision | None = None
    begun: bool = False
    change: ChangeReport | None = None
    readings: SeenReadings = field(default_factory=dict)
    failed: bool = False


@dataclass
class ControlLoop:
    """One workload's loop. `candidates`: the running queries with the slots they would have alone."""

    ports: LoopPorts
    candidates: Mapping[QueryName, Candidate]
    settings: LoopSettings = field(default_factory=LoopSettings)
    brain: Brain = field(default_factory=Brain)

    def __post_init__(self) -> None:
        ports, settings = self.ports, self.settings
        self._acting = Acting(ports.regrouper, ports.events, settings.cooldown_s, self.brain.dry_run)
        self._readings = Readings(settings.window_s)
        self._calibration = Calibration(self.brain.prior)
        self._wish: Wish | None = None
        self._unread: frozenset[str] = frozenset()
        began = ports.clock.now_s()
        self._next_split_s = began + settings.split_interval_s
        self._next_merge_s = began + settings.merge_interval_s

    @property
    def coefficients(self) -> Coefficients:
        """As fitted so far, with their errors."""
        return self._calibration.coefficients

    def run(self, until_s: float) -> None:
        """Cycles until the clock shows `until_s`, each a split interval after the one before."""
        while (now_s := self.ports.clock.now_s()) < until_s:
            self._cycle_at(now_s)
            self.ports.clock.sleep(self.settings.split_interval_s)

    def cycle(self) -> CycleReport:
        """One pass. A failing port never ends the loop: the cycle does nothing then, and says so."""
        return self._cycle_at(self.ports.clock.now_s())

    def _cycle_at(self, now_s: float) -> CycleReport:
        report = self._or_told(now_s, "nothing was decided", partial(self._cycle, now_s))
        return report or CycleReport(now_s, failed=True)

    def _or_told(self, now_s: float, what: str, call: Callable[[], T], group: Group | None = None) -> T | None:
        """What the call gives; None, and a line in the history, when it fails.

        The only place that catches everything: the loop is to survive whatever an adapter throws, and a group that
        makes one throw must not take the others with it.
        """
        try:
            return call()
        except Exception as e:  # noqa: BLE001
            kind = "skipped" if isinstance(e, NotReadyError) else "failed"
            text = str(e) if isinstance(e, FunShareError) else f"{type(e).__name__}: {e}"
            groups, queries = ((str(group.id),), tuple(map(str, group.members))) if group else ((), ())
            self.ports.events.record(Event(now_s, kind, groups, queries, f"{what}: {text}"))
            return None

    def _cycle(self, now_s: float) -> CycleReport:
        change = self._acting.poll(now_s)
        groups = self._acting.running()
        readings = self._read(groups, now_s)
        if change is not None and change.state is ChangeState.RUNNING:
            return CycleReport(now_s, change=change, readings=readings)
        decision = self._decide(groups, readings, now_s)
        begun = decision is not None and self._acting.begin(decision, now_s)
        return CycleReport(now_s, decision, begun, change, readings)

    def _read(self, groups: tuple[Group, ...], now_s: float) -> SeenReadings:
        """Readings of all groups over the window; a group that cannot be read now has none."""
        read = self.ports.metrics.read
        together = self._or_told(now_s, "the groups could not be read together", partial(read, groups, now_s))
        counters: dict[str, GroupCounters | None] = dict(together or {})
        for g in groups if together is None else ():
            counters.update(self._or_told(now_s, "it could not be read", partial(read, (g,), now_s), g) or {})
        self._readings.add(groups, counters)
        self._tell_unread(groups, counters, now_s)
        return self._readings.at(groups, now_s)

    def _tell_unread(
        self, groups: tuple[Group, ...], counters: Mapping[str, GroupCounters | None], now_s: float
    ) -> None:
        """Once when a group's counters stop coming, not at each cycle."""
        unread = frozenset(str(g.id) for g in groups if counters.get(str(g.id)) is None)
        for g in groups:
            if str(g.id) in unread - self._unread:
                text = "its counters cannot be read; nothing is decided about it until they can"
                self.ports.events.record(Event(now_s, "unread", (str(g.id),), tuple(map(str, g.members)), text))
        self._unread = unread

    def _decide(self, groups: tuple[Group, ...], readings: SeenReadings, now_s: float) -> Decision | None:
        """A split if one is due and needed, else a merge if one is due."""
        seen = cache(partial(self._snapshot, groups, readings, now_s))
        tuning, decision = self.brain.tuning, None
        if self.brain.split is not None and now_s >= self._next_split_s:
            self._next_split_s = now_s + self.settings.split_interval_s
            if any(self._readings.suffers(g, now_s, tuning.penalty_tolerance) for g in groups):
                decision = self.brain.split(seen(), tuning)
        if (decision is None or not decision.changed) and now_s >= self._next_merge_s:
            self._next_merge_s = now_s + self.settings.merge_interval_s
            wanted = self.brain.merge(seen(), tuning)
            decision, self._wish = held_back(wanted, self._wish, self.settings.stable_window_s)
        return decision

    def _snapshot(self, groups: tuple[Group, ...], readings: SeenReadings, now_s: float) -> Snapshot:
        loads = self._calibration.priced(groups, readings, self._samples(groups, now_s))
        settled = frozenset(str(g.id) for g in groups if self._is_settled(g, readings.get(str(g.id)), now_s))
        free_slots = self._or_told(now_s, "free slots are not known", self.ports.free_slots)
        return snapshot(Cycle(now_s, groups, readings, settled, self.candidates, loads, free_slots))

    def _samples(self, groups: tuple[Group, ...], now_s: float) -> dict[ShareClassId, ClassSample]:
        """Of every share class that can be sampled."""
        queries: dict[ShareClassId, list[QueryName]] = {}
        for group in groups:
            if group.share_class is not None:
                queries.setdefault(group.share_class, []).extend(group.members)
        found: dict[ShareClassId, ClassSample] = {}
        for share_class, names in queries.items():
            sample = partial(self.ports.sampler.sample, share_class, tuple(sorted(names)), now_s)
            drawn = self._or_told(now_s, f"the input of share class {share_class} could not be sampled", sample)
            if drawn is not None:
                found[share_class] = drawn
        return found

    def _is_settled(self, group: Group, reading: Reading | None, now_s: float) -> bool:
        return reading is not None and not catches_up(reading) and not self._acting.cools_down(group, now_s)
