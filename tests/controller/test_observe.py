"""Readings and rates: unknown stays unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.controller.observe import Reading, read_job, status_between
from funshare_flink.model.ids import QueryName
from funshare_flink.plan.tails import metric_label
from funshare_flink.ports import JobSpec
from tests.contracts.fake_runtime import FakeJob, FakeRuntime

A, B = QueryName("a"), QueryName("clicks, late#2")


@pytest.fixture
def runtime() -> FakeRuntime:
    return FakeRuntime()


@pytest.fixture
def job(runtime: FakeRuntime) -> FakeJob:
    return runtime.by_id[runtime.submit(JobSpec("j", "{}", 2, {}))]


def test_a_reading(runtime: FakeRuntime, job: FakeJob) -> None:
    job.read = 70
    job.metrics = {
        "Source__s1.KafkaSourceReader.pendingRecords": 4.0,
        "Source__s2.KafkaSourceReader.pendingRecords": 5.0,
        "Calc.funshare.query.a.routed": 30.0,
        f"Calc.funshare.query.{metric_label(B)}.routed": 9.0,
    }
    assert read_job(runtime, job.id, (A, B)) == Reading(70, 9, {A: 30, B: 9})


def test_what_is_not_there_is_none_and_not_zero(runtime: FakeRuntime, job: FakeJob) -> None:
    job.read = None
    assert read_job(runtime, job.id, (A,)) == Reading(None, None, {A: None})
    job.metrics = {"x.pendingRecords": 4.0, "y.pendingRecords": None, "Calc.funshare.query.a.routed": None}
    assert read_job(runtime, job.id, (A,)) == Reading(None, None, {A: None})


def test_a_query_is_not_taken_for_one_whose_name_ends_alike(runtime: FakeRuntime, job: FakeJob) -> None:
    job.metrics = {"Calc.funshare.query.aa.routed": 30.0}
    assert read_job(runtime, job.id, (A,)).routed == {A: None}


def test_rates_are_differences() -> None:
    status = status_between("RUNNING", 2, Reading(100, 7, {A: 10, B: None}), Reading(300, 3, {A: 60, B: 4}), 4.0)
    assert (status.read_rps, status.lag, status.query_rps) == (50.0, 3, {A: 12.5, B: None})
    assert (status.state, status.slots, status.failure) == ("RUNNING", 2, None)


@given(st.none() | st.integers(0, 9), st.none() | st.integers(0, 9), st.sampled_from([-1.0, 0.0, 0.5, 3.0]))
def test_a_rate_is_never_negative_or_made_up(before: int | None, after: int | None, seconds: float) -> None:
    rate = status_between("RUNNING", 1, Reading(before, None, {}), Reading(after, None, {}), seconds).read_rps
    if before is None or after is None or seconds <= 0 or after < before:  # after < before: the job was restarted
        assert rate is None
    else:
        assert rate == (after - before) / seconds
