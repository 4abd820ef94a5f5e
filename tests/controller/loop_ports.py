"""The loop's ports in memory: what they give is written down by the test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from funshare_flink.controller.loop import Brain, ControlLoop, LoopPorts
from funshare_flink.estimate.bits import packed
from funshare_flink.estimate.counters import GroupCounters, Stage, SubtaskCounters, TaskCounters
from funshare_flink.estimate.sample import ClassSample, SamplingDesign, SideSample, Within
from funshare_flink.grouping.decision import Decision, Step
from funshare_flink.grouping.snapshot import Snapshot
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.errors import NotReadyError
from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import GroupId, QueryName, ShareClassId
from funshare_flink.ports import ChangeReport, ChangeState, Event
from funshare_flink.settings import LoopSettings

CLASS = ShareClassId("c")
RATE_RPS = 1000.0
SAMPLED_ROWS = 2000


def group(*members: str, slots: int = 1, share_class: ShareClassId | None = CLASS) -> Group:
    names = tuple(QueryName(m) for m in members)
    return Group(GroupId("+".join(members)), names, slots, share_class, "test")


class FakeClock:
    def __init__(self) -> None:
        self.at_s = 0.0
        self.read = 0

    def now_s(self) -> float:
        self.read += 1
        return self.at_s

    def sleep(self, seconds: float) -> None:
        self.at_s += seconds


@dataclass
class FakeMetrics:
    """Every group reads `RATE_RPS` and is busy for `busy` of its time. By group id: `speed` as a share of what arrives,
    `held_by` a query whose tail holds it back, `lag` now; `unread` gives None, `broken` raises."""

    busy: float = 0.3
    speed: dict[str, float] = field(default_factory=dict)
    held_by: dict[str, str] = field(default_factory=dict)
    lag: dict[str, int] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    generation: int = 1

    def read(self, groups: tuple[Group, ...], now_s: float) -> Mapping[str, GroupCounters | None]:
        bad = [str(g.id) for g in groups if str(g.id) in self.broken]
        if bad:
            raise ZeroDivisionError(f"no counters of {bad[0]}")
        return {str(g.id): None if str(g.id) in self.unread else self._counters(g, now_s) for g in groups}

    def _counters(self, g: Group, now_s: float) -> GroupCounters:
        key, held = str(g.id), self.held_by.get(str(g.id))
        read = round(RATE_RPS * self.speed.get(key, 1.0) * now_s)
        shared = (0.2, 0.8) if held else (self.busy, 0.0)
        tasks = [
            task("source", Stage.SOURCE, g.slots, now_s, shared, read),
            task("join", Stage.JOIN, g.slots, now_s, shared, read),
        ]
        for m in g.members:
            tail = (1.0, 0.0) if m == held else (0.05, 0.0)
            tasks.append(replace(task(f"tail {m}", Stage.TAIL, 1, now_s, tail, read), query=m))
        lag = self.lag.get(key, 0)
        return GroupCounters(g.id, self.generation, now_s, tuple(tasks), lag, dict.fromkeys(g.members, read), RATE_RPS)


def task(
    name: str, stage: Stage, parallelism: int, now_s: float, times: tuple[float, float], read: int
) -> TaskCounters:
    busy, held = (1000 * now_s * share for share in times)
    one = SubtaskCounters(busy, 1000 * now_s - busy - held, held, read // parallelism, read // parallelism)
    return TaskCounters(name, stage, None, parallelism, (one,) * parallelism)


@dataclass
class FakeSampler:
    """Every query wants the same tenth of the rows. `calls`: share class and queries of each."""

    calls: list[tuple[ShareClassId, tuple[QueryName, ...]]] = field(default_factory=list)
    broken: set[ShareClassId] = field(default_factory=set)
    none_yet: bool = False

    def sample(self, share_class: ShareClassId, queries: tuple[QueryName, ...], now_s: float) -> ClassSample | None:
        self.calls.append((share_class, queries))
        if share_class in self.broken:
            raise OSError("the broker is away")
        if self.none_yet:
            return None
        rows = np.arange(SAMPLED_ROWS)
        bitmaps = np.stack([packed(rows % 10 == 0) for _ in queries])
        side = SideSample(bitmaps, rows // 10 % 50, rows * 10, round(RATE_RPS / 2 * 20))
        design = SamplingDesign(1.0, SAMPLED_ROWS / side.total_rows)
        return ClassSample(share_class, queries, side, side, design, Within(-1000, 1000), 20.0)


class FakeRegrouper:
    """A change is done at the poll after `seconds`; `refuse`, `roll_back`: it does not come to that."""

    def __init__(self, groups: tuple[Group, ...], seconds: float = 10.0) -> None:
        self.groups = groups
        self.seconds = seconds
        self.begun: list[tuple[float, Grouping]] = []
        self.under_way: tuple[float, Grouping] | None = None
        self.refuse = False
        self.roll_back = False

    def running(self) -> Grouping:
        return Grouping("test", self.groups)

    def begin(self, target: Grouping, now_s: float) -> None:
        if self.refuse or self.under_way is not None:
            raise NotReadyError("not now")
        self.begun.append((now_s, target))
        self.under_way = (now_s, target)

    def poll(self, now_s: float) -> ChangeReport | None:
        if self.under_way is None:
            return None
        began_s, target = self.under_way
        if now_s < began_s + self.seconds:
            return ChangeReport(ChangeState.RUNNING, self.running(), 0)
        self.under_way = None
        if self.roll_back:
            return ChangeReport(ChangeState.ROLLED_BACK, self.running(), 0, reason="it did not catch up")
        self.groups = target.groups
        return ChangeReport(ChangeState.DONE, target, target.slots, (("start", self.seconds),))


class FakeEvents(list[Event]):
    def record(self, event: Event) -> None:
        self.append(event)

    def of(self, kind: str) -> list[Event]:
        return [e for e in self if e.kind == kind]


def nothing(snapshot: Snapshot, tuning: Tuning) -> Decision:
    return Decision(snapshot.taken_at_s, Grouping("test", tuple(s.group for s in snapshot.groups)), False)


@dataclass
class Wanted:
    """Asks for these groups whenever it is asked; keeps the snapshots that it was given."""

    groups: tuple[Group, ...]
    seen: list[Snapshot] = field(default_factory=list)

    def __call__(self, snapshot: Snapshot, tuning: Tuning) -> Decision:
        self.seen.append(snapshot)
        now = {(s.group.members, s.group.slots) for s in snapshot.groups}
        if now == {(g.members, g.slots) for g in self.groups}:
            return nothing(snapshot, tuning)
        step = Step("merge", self.groups[0].members, self.groups[0].id, "the test wants it", None, (("x", 1.0),))
        return Decision(snapshot.taken_at_s, Grouping("test", self.groups), True, (step,))


class World:
    """A loop over all fakes."""

    def __init__(
        self, *groups: Group, brain: Brain | None = None, settings: LoopSettings | None = None, slots_alone: int = 1
    ) -> None:
        self.clock = FakeClock()
        self.metrics = FakeMetrics()
        self.sampler = FakeSampler()
        self.regrouper = FakeRegrouper(groups)
        self.events = FakeEvents()
        self.free: int | None = None
        ports = LoopPorts(
            self.clock, self.metrics, self.sampler, self.regrouper, self.events, lambda: self.free_slots()
        )
        self.candidates = {m: Candidate(m, slots_alone, g.share_class) for g in groups for m in g.members}
        self.loop = ControlLoop(ports, self.candidates, settings or LoopSettings(), brain or Brain(nothing, None))

    def free_slots(self) -> int | None:
        return self.free

    def until(self, at_s: float) -> World:
        self.loop.run(at_s)
        return self

    @property
    def members(self) -> set[tuple[str, ...]]:
        return {tuple(map(str, g.members)) for g in self.regrouper.groups}
