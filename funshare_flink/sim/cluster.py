"""The simulated cluster: jobs that run in virtual time, and the ports of the daemon's loop over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random

from funshare_flink.estimate.counters import GroupCounters, TaskCounters
from funshare_flink.estimate.load import GroupLoad
from funshare_flink.grouping.strategies.isolated import alone
from funshare_flink.model.grouping import Group, Grouping
from funshare_flink.model.ids import QueryName, ShareClassId
from funshare_flink.ports import Event
from funshare_flink.sim.physics import TrueLoads
from funshare_flink.sim.tasks import SimJob, Work
from funshare_flink.sim.world import Phase, SimQuery, World


@dataclass(frozen=True)
class Moment:
    """What a simulation looked like at one time. `slots`: taken by all jobs; `lag`, `read_rps` by query."""

    at_s: float
    input_rps: float
    slots: int
    groups: tuple[Group, ...]
    read_rps: Mapping[QueryName, float]
    lag: Mapping[QueryName, float]


class SimCluster:
    """Jobs and their queues; time passes only when `advance_to` is called."""

    def __init__(self, world: World, start: Grouping) -> None:
        self.world = world
        self.now_s = 0.0
        self._queries = {q.name: q for q in world.queries}
        self._loads: dict[tuple[Phase, ShareClassId | None], TrueLoads] = {}
        self._generation = 1
        self.jobs: dict[str, SimJob] = {str(g.id): SimJob(g, 1) for g in start.groups}
        self.starting: tuple[SimJob, ...] = ()

    @property
    def slots(self) -> int:
        """Taken now, by what serves and by what starts beside it."""
        return sum(j.group.slots for j in (*self.jobs.values(), *self.starting))

    def phase(self) -> Phase:
        return self.world.phase_at(self.now_s)

    def loads(self, share_class: ShareClassId | None, phase: Phase | None = None) -> TrueLoads:
        """The truth about one share class now."""
        key = (phase or self.phase(), share_class)
        if key not in self._loads:
            mine = [q for q in self._queries.values() if q.share_class == share_class]
            self._loads[key] = TrueLoads(self.world, key[0], mine)
        return self._loads[key]

    def load(self, group: Group, phase: Phase | None = None) -> GroupLoad:
        found = self.loads(self._queries[group.members[0]].share_class, phase).of(group.members)
        assert found is not None, f"{group.id} has queries that are not in this world"
        return found

    def advance_to(self, until_s: float) -> None:
        """Let time pass, phase by phase: within one nothing changes but queues."""
        while self.now_s < until_s:
            ends = [p.from_s for p in self.world.phases if self.now_s < p.from_s < until_s]
            end = min(ends, default=until_s)
            phase, seconds = self.phase(), end - self.now_s
            usable = 1 - self.world.poll_us / 1e6
            for job in self.jobs.values():
                job.advance(seconds, self._work(job.group, phase), 2 * phase.rate_rps, usable)
            self.now_s = end

    def _work(self, group: Group, phase: Phase) -> Work:
        truth = self.loads(self._queries[group.members[0]].share_class, phase)
        handed = {q: truth.handed(q) for q in group.members}
        return Work(self.load(group, phase), truth.insert_us_ps(group.members), handed)

    def prepare(self, groups: Iterable[Group]) -> tuple[SimJob, ...]:
        """New generations of these groups start beside what serves."""
        self._generation += 1
        self.starting = tuple(SimJob(g, self._generation) for g in groups)
        return self.starting

    def switch(self, target: Grouping, pause_s: float = 0.0) -> None:
        """The new generations take over; what they replace ends. What waited for a member still waits for its group;
        during a pause everything that arrives waits."""
        fresh = {str(j.group.id): j for j in self.starting}
        old = list(self.jobs.values())
        self.starting = ()
        self.jobs = {str(g.id): fresh.get(str(g.id)) or self._kept(g) for g in target.groups}
        for job in fresh.values():
            members = set(job.group.members)
            job.lag = max((o.lag for o in old if members & set(o.group.members)), default=0.0)
            job.lag += pause_s * 2 * self.phase().rate_rps

    def _kept(self, group: Group) -> SimJob:
        return next(j for j in self.jobs.values() if j.group.members == group.members and j.group.slots == group.slots)

    def abandon(self) -> None:
        """The new generations end without having served."""
        self.starting = ()

    def grouping(self) -> Grouping:
        return Grouping("running", tuple(j.group for j in self.jobs.values()))

    def moment(self) -> Moment:
        phase = self.phase()
        reading = [(j, min(1.0, j.pace(self.load(j.group)).factor)) for j in self.jobs.values()]
        rates = {q: share * 2 * phase.rate_rps for j, share in reading for q in j.group.members}
        lag = {q: j.lag for j in self.jobs.values() for q in j.group.members}
        return Moment(self.now_s, 2 * phase.rate_rps, self.slots, self.grouping().groups, rates, lag)


@dataclass
class SimClock:
    """The `Clock` port: sleeping lets the cluster run. `watch` sees the cluster after each sleep."""

    cluster: SimCluster
    watch: Callable[[SimCluster], None] = lambda _: None

    def now_s(self) -> float:
        return self.cluster.now_s

    def sleep(self, seconds: float) -> None:
        self.cluster.advance_to(self.cluster.now_s + seconds)
        self.watch(self.cluster)


class SimMetrics:
    """The `GroupMetrics` port, with noise and gaps by seed."""

    def __init__(self, cluster: SimCluster) -> None:
        self._cluster = cluster
        self._random = Random(cluster.world.seed)
        self._told: dict[tuple[str, int, str, int, int], tuple[float, float]] = {}

    def read(self, groups: tuple[Group, ...], now_s: float) -> Mapping[str, GroupCounters | None]:
        return {str(g.id): self._read(g, now_s) for g in groups}

    def _read(self, group: Group, now_s: float) -> GroupCounters | None:
        job = self._cluster.jobs.get(str(group.id))
        if job is None or self._random.random() < self._cluster.world.noise.gap:
            return None
        counters = job.counters(now_s, 2 * self._cluster.phase().rate_rps)
        if self._cluster.world.noise.relative <= 0:
            return counters
        run = (str(group.id), counters.generation)
        return replace(counters, tasks=tuple(self._noisy(t, run) for t in counters.tasks))

    def _noisy(self, task: TaskCounters, run: tuple[str, int]) -> TaskCounters:
        def off(ms: float | None, at: int, what: int) -> float | None:
            return self._off(ms, (*run, task.name, at, what))

        subtasks = tuple(
            replace(
                s,
                busy_ms=off(s.busy_ms, i, 0),
                idle_ms=off(s.idle_ms, i, 1),
                backpressured_ms=off(s.backpressured_ms, i, 2),
            )
            for i, s in enumerate(task.subtasks)
        )
        return replace(task, subtasks=subtasks)

    def _off(self, ms: float | None, key: tuple[str, int, str, int, int]) -> float | None:
        """Each step is wrong by a share of itself; like real counters, the sum never falls."""
        if ms is None:
            return None
        true_ms, told_ms = self._told.get(key, (0.0, 0.0))
        told_ms += (ms - true_ms) * max(0.0, self._random.gauss(1, self._cluster.world.noise.relative))
        self._told[key] = (ms, told_ms)
        return told_ms


class SimEvents(list[Event]):
    """The `Events` port: a list."""

    def record(self, event: Event) -> None:
        self.append(event)


def all_alone(queries: Iterable[SimQuery], reason: str = "not measured yet") -> Grouping:
    """Where every workload starts."""
    return Grouping("isolated", tuple(alone(q.candidate, reason) for q in queries))
