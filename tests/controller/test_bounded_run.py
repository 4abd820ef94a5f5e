"""A bounded run ends when all its jobs have, or all at once when one fails."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from funshare_flink.controller.bounded_run import BoundedRun, Progress, run_to_end
from funshare_flink.grouping.strategies import STRATEGIES
from funshare_flink.model.errors import FatalError
from funshare_flink.plan.group_jobs import WorkloadPlanner
from tests.contracts.fake_runtime import FakeRuntime
from tests.plan.golden_plans import golden

Step = Callable[[], None]


class FakeWatch:
    """A clock that moves only when somebody sleeps; then the next step of the story happens."""

    def __init__(self, steps: list[Step]) -> None:
        self.time, self.cpu, self.steps = 100.0, 7.0, steps

    def now_s(self) -> float:
        return self.time

    def cpu_s(self) -> float:
        return self.cpu

    def sleep(self, seconds: float) -> None:
        assert self.steps, "waits for ever"
        self.time += seconds
        self.cpu += 2.0
        self.steps.pop(0)()


def run(runtime: FakeRuntime, steps: list[Step], told: list[Progress] | None = None) -> BoundedRun:
    planner = WorkloadPlanner(golden("window"))
    grouping = STRATEGIES["full"](planner.candidates())
    return run_to_end(planner, grouping, runtime, FakeWatch(steps), 1, (told if told is not None else []).append)


def finish(runtime: FakeRuntime, count: int, read: int | None = 0) -> None:
    for job in list(runtime.by_id.values())[:count]:
        job.state, job.read = "FINISHED", read


def test_it_is_measured_to_its_end() -> None:
    runtime, told = FakeRuntime(), list[Progress]()
    result = run(runtime, [lambda: finish(runtime, 1, 50), lambda: finish(runtime, 3, 50)], told)
    assert result == BoundedRun("full", 3, 3, cpu_s=4.0, wall_s=1.0, read=150)
    assert [(p.over, p.jobs) for p in told] == [(0, 3), (1, 3), (3, 3)]


def test_counters_are_read_when_they_are_final() -> None:
    runtime = FakeRuntime()

    def over_but_counting() -> None:
        finish(runtime, 3, 10)
        for j in runtime.by_id.values():
            j.tasks_done = False

    def final() -> None:
        for j in runtime.by_id.values():
            j.tasks_done, j.read = True, 20

    assert run(runtime, [over_but_counting, final]).read == 60


def test_an_unknown_counter_makes_the_sum_unknown() -> None:
    runtime = FakeRuntime()
    assert run(runtime, [lambda: finish(runtime, 2, 10), lambda: finish(runtime, 3, None)]).read is None


@pytest.mark.parametrize("state", ["FAILED", "CANCELED", "RESTARTING"])
def test_when_one_fails_the_others_are_cancelled(state: str) -> None:
    runtime = FakeRuntime()

    def fail() -> None:
        job = list(runtime.by_id.values())[1]
        job.state, job.failure = state, "Caused by: the disk is full"

    with pytest.raises(FatalError, match=f"is {state}: Caused by: the disk is full"):
        run(runtime, [fail])
    assert runtime.alive() == []


def test_ctrl_c_cancels_all() -> None:
    runtime = FakeRuntime()

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(runtime, [interrupt])
    assert len(runtime.by_id) == 3
    assert runtime.alive() == []


def test_a_job_that_the_cluster_has_lost_is_an_error() -> None:
    """A cluster that was restarted knows nothing of the run's jobs; waiting for them would never end."""
    runtime = FakeRuntime()
    with pytest.raises(FatalError, match="not known to Flink"):
        run(runtime, [runtime.by_id.clear])
