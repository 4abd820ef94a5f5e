"""Starts the jobs of a grouping: all of them, or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from funshare_flink.grouping.fit import Fitted, fitted
from funshare_flink.model.errors import BadInputError, FatalError, FunShareError
from funshare_flink.model.grouping import Group, Grouping
from funshare_flink.model.ids import JobId
from funshare_flink.plan.group_jobs import GroupJob, WorkloadPlanner
from funshare_flink.ports import ClusterOverview, JobReader, JobRuntime, JobSpec

JOB_PREFIX = "funshare"


@dataclass(frozen=True)
class RunningGroup:
    """A group and its job."""

    group: Group
    job: JobId
    name: str


def job_name(workload: str, group: Group, generation: int) -> str:
    """The name by which a job is found again: workload, group, generation."""
    return f"{JOB_PREFIX}/{workload}/{group.id}/g{generation}"


def next_generation(workload: str, recorded: int, reader: JobReader) -> int:
    """One more than any start of this workload that is on record here or that Flink still lists: a job's id follows
    from its name, and Flink takes no id twice."""
    prefix = f"{JOB_PREFIX}/{workload}/"
    listed = [j.name.rpartition("/g")[2] for j in reader.jobs() if j.name.startswith(prefix)]
    return max([recorded, *(int(g) for g in listed if g.isdigit())]) + 1


def require_slots(grouping: Grouping, cluster: ClusterOverview) -> None:
    """Refuse a grouping for which the cluster has too few free slots, before anything is submitted."""
    if grouping.slots > cluster.slots_available:
        raise BadInputError(
            f"the workload needs {grouping.slots} task slots, the cluster has {cluster.slots_available} free of "
            f"{cluster.slots_total}; give the cluster more slots, share more, or run fewer queries"
        )


def fit_memory(planner: WorkloadPlanner, grouping: Grouping, reader: JobReader) -> Fitted:
    """The grouping with groups no larger than a slot's managed memory can hold; see `grouping.fit`."""
    return fitted(grouping, planner.candidates(), planner.managed_memory_needed, reader.managed_memory_per_slot())


def require_not_running(workload: str, reader: JobReader) -> None:
    """Refuse a second run of a workload whose jobs are still there."""
    prefix = f"{JOB_PREFIX}/{workload}/"
    running = [j.name for j in reader.jobs() if j.name.startswith(prefix) and not j.is_over]
    if running:
        raise BadInputError(
            f"workload {workload} runs already ({len(running)} jobs, such as {running[0]}); stop it first: "
            f"funshare stop {workload}"
        )


def launch(
    planner: WorkloadPlanner,
    grouping: Grouping,
    runtime: JobRuntime,
    generation: int,
    progress: Callable[[GroupJob], None] = lambda _: None,
) -> tuple[RunningGroup, ...]:
    """Submit every group. If one cannot be submitted, those already started are cancelled and the error goes up."""
    workload = planner.compiled.workload
    jobs = [planner.job(g, generation) for g in grouping.groups]
    started: list[RunningGroup] = []
    try:
        for job in jobs:
            progress(job)
            name = job_name(workload.name, job.group, generation)
            spec = JobSpec(
                name, job.plan.text, job.group.slots, job.options, planner.compiled.functions, workload.python_files
            )
            started.append(RunningGroup(job.group, runtime.submit(spec), name))
    except BaseException as e:  # Ctrl-C too: all of them, or none
        _roll_back(started, runtime, e)
        raise
    return tuple(started)


def _roll_back(started: list[RunningGroup], runtime: JobRuntime, reason: BaseException) -> None:
    """Cancel what was started; say which jobs could not be cancelled, together with the reason."""
    left = []
    for running in started:
        try:
            runtime.cancel(running.job)
        except FunShareError:
            left.append(running.name)
    if left:
        raise FatalError(f"{reason}; these jobs still run, cancel them in Flink: {', '.join(left)}") from reason
