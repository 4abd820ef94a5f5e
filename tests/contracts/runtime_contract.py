"""What every `JobRuntime` with its `JobReader` keeps to: the fake of the unit tests and real Flink alike.

A suite inherits from `RuntimeContract`, gives a fixture `cluster` (both ports in one) and a method `endless`, and
has all the tests below. `patience_s` is how long an adapter may take to show a change.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import pytest

from funshare_flink.model.errors import FunShareError
from funshare_flink.model.ids import JobId
from funshare_flink.ports import JobOverview, JobReader, JobRuntime, JobSpec


class Cluster(JobRuntime, JobReader, Protocol):
    """Both ports of one cluster."""


class RuntimeContract:
    """The contract. `endless(name, slots)`: a job that runs until it is stopped, reading one source."""

    patience_s = 0.0

    def endless(self, name: str, slots: int) -> JobSpec:
        raise NotImplementedError

    def eventually(self, holds: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + self.patience_s
        while not holds():
            assert time.monotonic() < end, f"never came true: {what}"
            time.sleep(0.2)

    def running(self, cluster: Cluster, name: str, slots: int = 1) -> JobId:
        job = cluster.submit(self.endless(name, slots))
        self.eventually(lambda: overview(cluster, job).all_running, f"{name} runs")
        return job

    def end(self, cluster: Cluster, job: JobId) -> None:
        cluster.cancel(job)
        self.eventually(lambda: overview(cluster, job).is_over, "the job is over")

    def test_a_submitted_job_is_listed_and_runs(self, cluster: Cluster) -> None:
        job = self.running(cluster, "contract/listed")
        found = overview(cluster, job)
        assert found.name == "contract/listed"
        assert not found.is_over
        assert cluster.failure(job) is None
        self.end(cluster, job)

    def test_it_tells_the_managed_memory_of_a_slot(self, cluster: Cluster) -> None:
        managed = cluster.managed_memory_per_slot()
        assert managed is None or 1024 * 1024 <= managed < 1024**4

    def test_it_takes_its_slots_and_gives_them_back(self, cluster: Cluster) -> None:
        before = cluster.cluster()
        assert 2 <= before.slots_available <= before.slots_total
        assert before.task_managers >= 1
        job = self.running(cluster, "contract/slots", slots=2)
        self.eventually(lambda: cluster.cluster().slots_available == before.slots_available - 2, "two slots taken")
        self.end(cluster, job)
        self.eventually(lambda: cluster.cluster().slots_available == before.slots_available, "two slots given back")

    def test_one_name_runs_once(self, cluster: Cluster) -> None:
        job = self.running(cluster, "contract/once")
        with pytest.raises(FunShareError, match="contract/once"):
            cluster.submit(self.endless("contract/once", 1))
        assert [j.id for j in cluster.jobs() if j.name == "contract/once" and not j.is_over] == [job]
        self.end(cluster, job)

    def test_a_cancelled_job_is_over(self, cluster: Cluster) -> None:
        job = self.running(cluster, "contract/cancelled")
        self.end(cluster, job)
        assert overview(cluster, job).state == "CANCELED"

    def test_a_stopped_job_leaves_a_savepoint(self, cluster: Cluster) -> None:
        job = self.running(cluster, "contract/stopped")
        assert str(job)[:6] in cluster.stop_with_savepoint(job)
        self.eventually(lambda: overview(cluster, job).state == "FINISHED", "the job is finished")

    def test_vertices_say_what_they_know(self, cluster: Cluster) -> None:
        job = self.running(cluster, "contract/vertices", slots=2)
        vertices = cluster.vertices(job)
        assert vertices
        assert any(v.name.startswith("Source:") for v in vertices)
        assert all(v.parallelism <= 2 for v in vertices)
        assert all(n is None or n >= 0 for v in vertices for n in (v.records_in, v.records_out))
        first = vertices[0].id
        assert cluster.metrics(job, first, ("no.such.metric",)) == {"no.such.metric": None}
        assert "no.such.metric" not in cluster.metric_names(job, first)
        self.end(cluster, job)

    @pytest.mark.parametrize("ask", ["vertices", "failure", "cancel", "stop_with_savepoint"])
    def test_an_unknown_job_is_an_error(self, cluster: Cluster, ask: str) -> None:
        with pytest.raises(FunShareError):
            getattr(cluster, ask)(JobId("0" * 32))


def overview(cluster: JobReader, job: JobId) -> JobOverview:
    found = [j for j in cluster.jobs() if j.id == job]
    assert len(found) == 1, f"job {job} is listed {len(found)} times"
    return found[0]
