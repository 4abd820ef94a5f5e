"""Counters of groups over REST: stages by node ids, unknown stays unknown, one group's fault is its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from funshare_flink.estimate.counters import Stage, SubtaskCounters
from funshare_flink.flink import wire
from funshare_flink.flink.group_metrics import FlinkGroupMetrics, GroupJobRef, stage_of, total
from funshare_flink.flink.rest import FlinkRest
from funshare_flink.model.grouping import Group
from funshare_flink.model.ids import GroupId, JobId, QueryName, ShareClassId
from tests.flink.test_rest import FakeFlink

JOB = JobId("a" * 32)
Q0, Q1 = QueryName("q0"), QueryName("q1")
GROUP = Group(GroupId("g"), (Q0, Q1), 2, ShareClassId("c"), "")
OTHER = Group(GroupId("h"), (QueryName("q2"),), 1, None, "")
JOIN_NAME = "IntervalJoin[5] -> Calc[6] -> (Calc[1000] -> LocalWindowAggregate[1001], Calc[2000])"


@pytest.fixture
def flink() -> Iterator[FakeFlink]:
    fake = FakeFlink()
    yield fake
    fake.close()


def subtask(busy: object, **more: Any) -> dict[str, Any]:
    return {"metrics": {
        "accumulated-busy-time": busy, "accumulated-idle-time": 5, "accumulated-backpressured-time": 1,
        "read-records": 10, "read-records-complete": True, "write-records": 8, "write-records-complete": True, **more,
    }}  # fmt: skip


def answer(flink: FakeFlink) -> None:
    names = ["Source: bid[1]", JOIN_NAME, "GlobalWindowAggregate[1003] -> q0[1004]: Writer"]
    vertices = [
        {"id": f"v{i}", "name": n, "parallelism": 2, "status": "RUNNING", "metrics": {}} for i, n in enumerate(names)
    ]
    flink.answers[f"GET /jobs/{JOB}"] = (200, {"vertices": vertices})
    for i in range(3):
        flink.answers[f"GET /jobs/{JOB}/vertices/v{i}"] = (200, {"subtasks": [subtask(100.0), subtask("NaN")]})
    metrics = f"GET /jobs/{JOB}/vertices"
    flink.answers[f"{metrics}/v0/subtasks/metrics"] = (200, [{"id": "Source__bid.pendingRecords"}])
    flink.answers[f"{metrics}/v0/subtasks/metrics?get=Source__bid.pendingRecords&agg=sum"] = (
        200, [{"id": "Source__bid.pendingRecords", "sum": 42}],
    )  # fmt: skip
    routed = [f"Calc.funshare.query.q{i}.routed" for i in range(2)]
    flink.answers[f"{metrics}/v1/subtasks/metrics"] = (200, [{"id": r} for r in routed])
    flink.answers[f"{metrics}/v1/subtasks/metrics?get={'%2C'.join(routed)}&agg=sum"] = (
        200, [{"id": routed[0], "sum": 7}],
    )  # fmt: skip
    flink.answers[f"{metrics}/v2/subtasks/metrics"] = (200, [])


def metrics_of(flink: FakeFlink) -> FlinkGroupMetrics:
    refs = {"g": GroupJobRef(JOB, 3, {Q0: 0, Q1: 1}), "h": GroupJobRef(JobId("b" * 32), 3, {QueryName("q2"): 2})}
    return FlinkGroupMetrics(FlinkRest(flink.url), lambda g: refs.get(str(g.id)))


def test_a_groups_tasks_lag_and_routed_rows(flink: FakeFlink) -> None:
    answer(flink)
    found = metrics_of(flink).read((GROUP,), 12.5)["g"]
    assert found is not None
    assert (found.generation, found.taken_at_s, found.lag) == (3, 12.5, 42)
    assert [(t.stage, t.query) for t in found.tasks] == [(Stage.SOURCE, None), (Stage.JOIN, None), (Stage.TAIL, Q0)]
    assert found.tasks[0].subtasks[0] == SubtaskCounters(100.0, 5.0, 1.0, 10, 8)
    assert found.tasks[0].subtasks[1].busy_ms is None, "NaN is unknown, never zero"
    assert found.routed == {Q0: 7, Q1: None}, "what has no number is unknown"


def test_one_groups_fault_is_not_the_others(flink: FakeFlink) -> None:
    answer(flink)
    nowhere = Group(GroupId("x"), (Q0,), 1, None, "")
    found = metrics_of(flink).read((OTHER, GROUP, nowhere), 1.0)
    assert found["h"] is None
    assert found["x"] is None
    assert found["g"] is not None


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("Source: bid[1] -> Calc[3]", (Stage.SOURCE, None)),
        ("Source: bid[1500] -> Calc[1501]", (Stage.SOURCE, None)),
        ("IntervalJoin[1505] -> Calc[1000]", (Stage.JOIN, None)),
        (JOIN_NAME, (Stage.JOIN, None)),
        ("GlobalWindowAggregate[128003] -> Calc[128004]", (Stage.TAIL, 127)),
        ("a vertex without ids", (Stage.TAIL, None)),
    ],
)
def test_the_stage_follows_from_the_node_ids(name: str, stage: tuple[Stage, int | None]) -> None:
    assert stage_of(name) == stage


def test_a_sum_of_something_unknown_is_unknown() -> None:
    assert total([1, 2]) == 3
    assert total([1, None]) is None
    assert total([]) is None


@pytest.mark.parametrize(
    ("managers", "size"),
    [
        ([], None),
        ([{"slotsNumber": 2, "totalResource": {"managedMemory": 128}}], 64 * 1024 * 1024),
        ([{"slotsNumber": 1, "totalResource": {"managedMemory": 8}}, {"slotsNumber": 4, "totalResource": {}}], None),
        ([{"slotsNumber": 0, "totalResource": {"managedMemory": 8}}], None),
        (
            [{"slotsNumber": n, "totalResource": {"managedMemory": 16}} for n in (1, 4)],
            4 * 1024 * 1024,
        ),
    ],
)
def test_managed_memory_of_a_slot(managers: list[dict[str, Any]], size: int | None) -> None:
    assert wire.managed_memory_per_slot({"taskmanagers": managers}) == size
