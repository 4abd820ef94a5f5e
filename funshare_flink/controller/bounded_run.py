"""Runs a grouping over bounded input to its end, and measures it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Protocol

from funshare_flink.controller.launch import RunningGroup, launch
from funshare_flink.model.errors import FatalError
from funshare_flink.model.grouping import Grouping
from funshare_flink.model.ids import JobId
from funshare_flink.plan.group_jobs import WorkloadPlanner
from funshare_flink.ports import JobOverview, JobReader, JobRuntime


class Watch(Protocol):
    """Time and cost, read at the edge."""

    def now_s(self) -> float: ...

    def cpu_s(self) -> float:
        """CPU seconds that the task managers have used so far."""

    def sleep(self, seconds: float) -> None: ...


class RuntimeAndReader(JobRuntime, JobReader, Protocol):
    """Both halves of a cluster."""


@dataclass(frozen=True)
class Progress:
    """How far a run is: jobs that are over, jobs in all."""

    over: int
    jobs: int


@dataclass(frozen=True)
class BoundedRun:
    """What a finished run cost. `read`: records read from Kafka by all jobs, None when a job did not say."""

    strategy: str
    jobs: int
    slots: int
    cpu_s: float
    wall_s: float
    read: int | None


def run_to_end(
    planner: WorkloadPlanner,
    grouping: Grouping,
    cluster: RuntimeAndReader,
    watch: Watch,
    generation: int,
    report: Callable[[Progress], None] = lambda _: None,
) -> BoundedRun:
    """Start all groups and wait until every job has finished. Raises FatalError with Flink's reason when one
    fails; then the others are cancelled."""
    cpu, begin = watch.cpu_s(), watch.now_s()
    started = launch(planner, grouping, cluster, generation)
    try:
        read = _wait(started, cluster, watch, report)
    except BaseException:
        cancel_all(started, cluster)
        raise
    wall = watch.now_s() - begin
    return BoundedRun(grouping.strategy, len(started), grouping.slots, watch.cpu_s() - cpu, wall, read)


def _wait(
    started: tuple[RunningGroup, ...], cluster: RuntimeAndReader, watch: Watch, report: Callable[[Progress], None]
) -> int | None:
    seen: set[JobId] = set()
    while True:
        jobs = {j.id: j for j in cluster.jobs()}
        _require_known(started, seen, jobs)
        seen |= jobs.keys()
        mine = [jobs[s.job] for s in started if s.job in jobs]
        _require_healthy(mine, cluster)
        over = sum(j.is_over for j in mine)
        report(Progress(over, len(started)))
        if over == len(started) and _counters_are_final(started, cluster):
            return _read_so_far(started, cluster)
        watch.sleep(0.5)


def _require_known(started: tuple[RunningGroup, ...], seen: Set[JobId], jobs: Mapping[JobId, JobOverview]) -> None:
    """A job is listed some moments after it was submitted; one that was listed and no longer is will never end."""
    lost = [s.name for s in started if s.job in seen and s.job not in jobs]
    if lost:
        raise FatalError(f"not known to Flink any more: {', '.join(lost)}; was the cluster restarted?")


def _counters_are_final(started: tuple[RunningGroup, ...], cluster: JobReader) -> bool:
    """Flink serves counters from a copy that lags some seconds; a finished job's are final when its tasks are."""
    return all(v.status == "FINISHED" for s in started for v in cluster.vertices(s.job))


def _require_healthy(jobs: list[JobOverview], cluster: JobReader) -> None:
    for job in jobs:
        if job.state in ("FAILED", "CANCELED", "RESTARTING", "FAILING"):
            raise FatalError(f"job {job.name} is {job.state}: {cluster.failure(job.id) or 'no reason given'}")


def _read_so_far(started: tuple[RunningGroup, ...], cluster: JobReader) -> int | None:
    total = 0
    for s in started:
        counts = [v.records_in for v in cluster.vertices(s.job) if v.name.startswith("Source:")]
        known = [c for c in counts if c is not None]
        if len(known) < len(counts):
            return None
        total += sum(known)
    return total


def cancel_all(started: tuple[RunningGroup, ...], cluster: RuntimeAndReader) -> None:
    """Cancel whatever of these is still alive."""
    alive = {j.id for j in cluster.jobs() if not j.is_over}
    for s in started:
        if s.job in alive:
            cluster.cancel(s.job)
