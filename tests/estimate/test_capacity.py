"""Readings from two counts: rates, idle time, who throttles whom; unknown stays unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.estimate.capacity import Reading, rate, reading
from funshare_flink.estimate.counters import GroupCounters, Stage, SubtaskCounters, TaskCounters
from funshare_flink.estimate.thresholds import Thresholds
from funshare_flink.model.ids import GroupId, QueryName

Q = QueryName("q")
ZERO = SubtaskCounters(0.0, 0.0, 0.0, 0, 0)


def task(stage: Stage, *subtasks: SubtaskCounters, query: QueryName | None = None) -> TaskCounters:
    return TaskCounters(f"{stage.value} {query}", stage, query, len(subtasks), subtasks)


def counters(at_s: float, *tasks: TaskCounters, lag: int | None = 0, routed: int | None = 0) -> GroupCounters:
    return GroupCounters(GroupId("g"), 1, at_s, tasks, lag, {Q: routed}, None)


def spent(busy: float, backpressured: float = 0.0, records: int = 0) -> SubtaskCounters:
    """Ten seconds of it."""
    return SubtaskCounters(busy * 1e4, (1 - busy - backpressured) * 1e4, backpressured * 1e4, records, records)


BEFORE = counters(0.0, task(Stage.SOURCE, ZERO, ZERO), task(Stage.JOIN, ZERO, ZERO), task(Stage.TAIL, ZERO, query=Q))


def after(
    source: tuple[SubtaskCounters, ...], join: tuple[SubtaskCounters, ...], tail: SubtaskCounters
) -> GroupCounters:
    tasks = (task(Stage.SOURCE, *source), task(Stage.JOIN, *join), task(Stage.TAIL, tail, query=Q))
    return counters(10.0, *tasks, lag=500, routed=70)


CALM = after((spent(0.1, records=600), spent(0.2, records=400)), (spent(0.3), spent(0.1)), spent(0.15))


def read(then: GroupCounters, now: GroupCounters) -> Reading:
    found = reading(then, now, Thresholds())
    assert found is not None
    return found


def test_rates_and_idle_time_are_those_of_the_busiest_subtask() -> None:
    found = read(BEFORE, CALM)
    assert found.processed_rps == pytest.approx(100)
    assert found.input_rps == pytest.approx(150), "what was read, and what the lag grew by"
    assert found.idle == pytest.approx(1 - 0.2 - 0.3 - 0.15 / 2), "the tail is in one of both slots"
    assert found.routed_rps == {Q: pytest.approx(7)}
    assert found.throttled_by == frozenset()
    assert found.true_rps == pytest.approx(100 / 0.3)
    assert found.tasks[0].busy_us_ps == pytest.approx(300_000)


def test_a_tail_that_is_always_busy_throttles_a_join_that_is_held_back() -> None:
    held = after((spent(0.1, 0.8), spent(0.1, 0.8)), (spent(0.2, 0.7), spent(0.2, 0.8)), spent(0.99))
    found = read(BEFORE, held)
    assert found.throttled_by == frozenset({Q})
    assert found.idle == 0.0, "backpressured time is not idle time"


def test_a_join_that_is_busy_itself_is_throttled_by_nobody() -> None:
    assert (
        read(BEFORE, after((spent(0.1), spent(0.1)), (spent(1.0), spent(1.0)), spent(0.3))).throttled_by == frozenset()
    )


def test_a_tail_that_is_held_back_itself_is_not_the_cause() -> None:
    held = after((spent(0.1), spent(0.1)), (spent(0.2, 0.7), spent(0.2, 0.7)), spent(0.5, 0.5))
    assert read(BEFORE, held).throttled_by == frozenset()


@pytest.mark.parametrize(
    "now", [replace(CALM, taken_at_s=0.0), replace(CALM, generation=2), replace(CALM, group=GroupId("h"))]
)
def test_no_reading_of_no_time_or_of_another_run(now: GroupCounters) -> None:
    assert reading(BEFORE, now, Thresholds()) is None


def test_a_missing_subtask_hides_the_busiest() -> None:
    """Two of two subtasks expected, one told."""
    lame = replace(CALM.tasks[1], subtasks=CALM.tasks[1].subtasks[:1])
    found = read(BEFORE, replace(CALM, tasks=(CALM.tasks[0], lame, CALM.tasks[2])))
    assert found.idle is None
    assert found.throttled_by is None
    assert found.processed_rps == pytest.approx(100), "the source's figures are still known"


def test_a_count_that_went_back_is_unknown() -> None:
    found = read(replace(CALM, taken_at_s=-10.0, generation=1), BEFORE)
    assert found.processed_rps is None
    assert found.idle is None
    assert found.routed_rps == {Q: None}


@settings(max_examples=1000)
@given(st.integers(0, 2), st.sampled_from(["busy_ms", "backpressured_ms", "records_in"]))
def test_a_number_that_is_missing_makes_only_what_rests_on_it_unknown(which: int, field: str) -> None:
    tasks = list(CALM.tasks)
    subtasks = (replace(tasks[which].subtasks[0], **{field: None}), *tasks[which].subtasks[1:])
    tasks[which] = replace(tasks[which], subtasks=subtasks)
    found = read(BEFORE, replace(CALM, tasks=tuple(tasks)))
    assert (found.idle is None) == (field in ("busy_ms", "backpressured_ms"))
    assert (found.throttled_by is None) == (field == "backpressured_ms" and which < 2)
    assert found.processed_rps == pytest.approx(100), "a source that does not say what it took says what it gave"


@settings(max_examples=1000)
@given(st.one_of(st.none(), st.floats(0, 100)), st.one_of(st.none(), st.floats(0, 100)), st.floats(0, 10))
def test_a_rate_is_never_below_zero(before: float | None, now: float | None, seconds: float) -> None:
    found = rate(before, now, seconds)
    assert found is None or found >= 0
