"""All groups of a workload are started, or none."""

from __future__ import annotations

import json

import pytest

from funshare_flink.controller.launch import launch, next_generation, require_not_running, require_slots
from funshare_flink.grouping.strategies import STRATEGIES
from funshare_flink.model.errors import BadInputError, FatalError
from funshare_flink.model.grouping import Grouping
from funshare_flink.model.ids import JobId
from funshare_flink.plan.group_jobs import GroupJob, WorkloadPlanner
from funshare_flink.ports import ClusterOverview, JobSpec
from tests.contracts.fake_runtime import FakeRuntime
from tests.plan.golden_plans import golden


@pytest.fixture
def planner() -> WorkloadPlanner:
    return WorkloadPlanner(golden("window"))


@pytest.fixture
def grouping(planner: WorkloadPlanner) -> Grouping:
    found = STRATEGIES["full"](planner.candidates())
    assert [len(g.members) for g in found.groups] == [3, 2, 1]
    return found


def test_every_group_becomes_one_job(planner: WorkloadPlanner, grouping: Grouping) -> None:
    runtime, told = FakeRuntime(), list[GroupJob]()
    started = launch(planner, grouping, runtime, 4, told.append)
    assert [s.group for s in started] == list(grouping.groups) == [j.group for j in told]
    for running in started:
        spec = runtime.by_id[running.job].spec
        assert running.name == spec.name == f"funshare/window/{running.group.id}/g4"
        assert spec.slots == running.group.slots
        assert json.loads(spec.plan)["nodes"]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_if_one_is_refused_none_is_left(planner: WorkloadPlanner, grouping: Grouping, k: int) -> None:
    runtime = FakeRuntime(refuse_at=k)
    with pytest.raises(FatalError, match=f"did not take job funshare/window/{grouping.groups[k - 1].id}/g1"):
        launch(planner, grouping, runtime, 1)
    assert runtime.submissions == k
    assert runtime.alive() == []


def test_ctrl_c_leaves_none_either(planner: WorkloadPlanner, grouping: Grouping) -> None:
    class Interrupted(FakeRuntime):
        def submit(self, spec: JobSpec) -> JobId:
            if self.by_id:
                raise KeyboardInterrupt
            return super().submit(spec)

    runtime = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        launch(planner, grouping, runtime, 1)
    assert len(runtime.by_id) == 1
    assert runtime.alive() == []


def test_a_job_that_cannot_be_cancelled_is_named(planner: WorkloadPlanner, grouping: Grouping) -> None:
    runtime = FakeRuntime(refuse_at=3)
    stuck = f"funshare/window/{grouping.groups[0].id}/g1"
    runtime.uncancellable.add(stuck)
    with pytest.raises(FatalError, match=r"refused; these jobs still run") as caught:
        launch(planner, grouping, runtime, 1)
    assert str(caught.value).endswith(stuck)
    assert runtime.alive() == [stuck]


def test_a_plan_that_cannot_be_made_starts_nothing(grouping: Grouping) -> None:
    runtime = FakeRuntime()
    with pytest.raises(KeyError):
        launch(WorkloadPlanner(golden("alone")), grouping, runtime, 1)
    assert runtime.submissions == 0


def test_too_few_slots(planner: WorkloadPlanner) -> None:
    six = STRATEGIES["isolated"](planner.candidates())
    assert six.slots == 6
    with pytest.raises(BadInputError, match=r"needs 6 task slots, the cluster has 5 free of 7"):
        require_slots(six, ClusterOverview(7, 5, 1, "2.2.1"))
    require_slots(six, ClusterOverview(6, 6, 1, "2.2.1"))


def test_a_second_run_is_refused(planner: WorkloadPlanner, grouping: Grouping) -> None:
    runtime = FakeRuntime()
    require_not_running("window", runtime)
    started = launch(planner, grouping, runtime, 1)
    with pytest.raises(BadInputError, match=r"window runs already \(3 jobs.*funshare stop window"):
        require_not_running("window", runtime)
    require_not_running("win", runtime)
    for s in started:
        runtime.stop_with_savepoint(s.job)
    require_not_running("window", runtime)


def test_a_generation_is_never_used_twice(planner: WorkloadPlanner, grouping: Grouping) -> None:
    """Also when the record of earlier runs is lost: Flink still lists their jobs, finished ones too."""
    runtime = FakeRuntime()
    assert next_generation("window", 0, runtime) == 1
    assert next_generation("window", 6, runtime) == 7
    for s in launch(planner, grouping, runtime, 9):
        runtime.stop_with_savepoint(s.job)
    assert next_generation("window", 6, runtime) == 10
    assert next_generation("win", 0, runtime) == 1
