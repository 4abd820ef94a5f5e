"""A cluster in memory behind the ports `JobRuntime` and `JobReader`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from funshare_flink.model.errors import FatalError
from funshare_flink.model.ids import JobId
from funshare_flink.ports import ClusterOverview, JobOverview, JobSpec, Vertex

OVER = ("FINISHED", "CANCELED", "FAILED")


@dataclass
class FakeJob:
    """A job that runs until somebody says otherwise."""

    id: JobId
    spec: JobSpec
    state: str = "RUNNING"
    failure: str | None = None
    read: int | None = 0
    tasks_done: bool = True
    metrics: dict[str, float | None] = field(default_factory=dict)


class FakeRuntime:
    """Starts every job at once. `refuse_at`: the k-th submission (from 1) is refused."""

    def __init__(self, slots: int = 8, refuse_at: int | None = None) -> None:
        self.slots = slots
        self.refuse_at = refuse_at
        self.submissions = 0
        self.by_id: dict[JobId, FakeJob] = {}
        self.managed_bytes: int | None = 64 * 1024 * 1024
        self.uncancellable: set[str] = set()
        self.jars: tuple[str, ...] = ("funshare-kernel.jar", "flink-sql-connector-kafka-5.0.0-2.2.jar")

    def submit(self, spec: JobSpec) -> JobId:
        self.submissions += 1
        if self.submissions == self.refuse_at:
            raise FatalError(f"Flink did not take job {spec.name}: refused")
        job = JobId(f"{abs(hash(spec.name)):032x}"[:32])
        if job in self.by_id and self.by_id[job].state not in OVER:
            raise FatalError(f"Flink did not take job {spec.name}: it runs already")
        self.by_id[job] = FakeJob(job, spec)
        return job

    def cancel(self, job: JobId) -> None:
        found = self._job(job)
        if found.spec.name in self.uncancellable:
            raise FatalError(f"{found.spec.name} cannot be cancelled")
        found.state = "CANCELED"

    def stop_with_savepoint(self, job: JobId) -> str:
        self._job(job).state = "FINISHED"
        return f"file:///savepoints/{job}"

    def cluster(self) -> ClusterOverview:
        used = sum(j.spec.slots for j in self.by_id.values() if j.state not in OVER)
        return ClusterOverview(self.slots, self.slots - used, 1, "fake")

    def managed_memory_per_slot(self) -> int | None:
        return self.managed_bytes

    def class_path(self) -> tuple[str, ...]:
        return self.jars

    def jobs(self) -> tuple[JobOverview, ...]:
        return tuple(
            JobOverview(j.id, j.spec.name, j.state, 0, {"total": 2, "running": 2 if j.state == "RUNNING" else 0})
            for j in self.by_id.values()
        )

    def vertices(self, job: JobId) -> tuple[Vertex, ...]:
        j = self._job(job)
        status = "FINISHED" if j.state == "FINISHED" and j.tasks_done else "RUNNING"
        return (
            Vertex("v1", "Source: all[1] -> Calc[2]", j.spec.slots, status, j.read, j.read),
            Vertex("v2", "Join[3] -> sink: Writer", j.spec.slots, status, j.read, 0),
        )

    def metrics(self, job: JobId, vertex: str, names: tuple[str, ...]) -> Mapping[str, float | None]:
        found = self._job(job).metrics
        return {n: found.get(n) for n in names}

    def metric_names(self, job: JobId, vertex: str) -> tuple[str, ...]:
        return tuple(self._job(job).metrics)

    def failure(self, job: JobId) -> str | None:
        return self._job(job).failure

    def alive(self) -> list[str]:
        return [j.spec.name for j in self.by_id.values() if j.state not in OVER]

    def _job(self, job: JobId) -> FakeJob:
        if job not in self.by_id:
            raise FatalError(f"no job {job}; see which there are")
        return self.by_id[job]
