"""Costs learned from busy times: they come out as they were put in, and what is not known teaches nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from funshare_flink.controller.calibration import Calibration
from funshare_flink.estimate.bits import packed
from funshare_flink.estimate.capacity import Reading, TaskReading
from funshare_flink.estimate.coefficients import PRIOR, Coefficients
from funshare_flink.estimate.counters import Stage
from funshare_flink.estimate.loads import SampledLoads, records_of
from funshare_flink.estimate.sample import ClassSample, SamplingDesign, SideSample, Within
from funshare_flink.model.grouping import Group
from funshare_flink.model.ids import QueryName
from tests.controller.loop_ports import CLASS, group

TRUE_US = {"decode": 4.0, "tag": 1.0, "insert": 3.0, "probe": 0.2, "route_check": 0.03, "routed": 0.8}
TAIL_US = 2.0
BY_ROW = ("decode", "tag", "insert")
ROWS = 2000
INPUT_RPS = 20_000.0
GROUPS = (group("a"), group("b"), group("a", "b"), group("a", "c"), group("c"))


def drawn() -> ClassSample:
    rows = np.arange(ROWS)
    bitmaps = np.stack([packed(rows % n == 0) for n in (10, 3, 2)])
    side = SideSample(bitmaps, rows // 3 % 50, rows * 10, round(INPUT_RPS / 2 * 20))
    design = SamplingDesign(1.0, ROWS / side.total_rows)
    names = tuple(QueryName(n) for n in "abc")
    return ClassSample(CLASS, names, side, side, design, Within(-1000, 1000), 20.0)


LOADS = SampledLoads(drawn(), PRIOR, {})


def busy(
    name: str, stage: Stage, us_ps: float | None, query: QueryName | None = None, parallelism: int = 1
) -> TaskReading:
    return TaskReading(name, stage, query, 1, 0.5, 0.0, us_ps, None, None)


def measured(g: Group, share: float) -> Reading:
    """What a machine with `TRUE_US` shows of a group that reads this share of its input."""
    counts = LOADS.counts(g.members)
    us = {s: n.per_s * TRUE_US[s] * (share if s in BY_ROW else share**2) for s, n in records_of(counts).items()}
    handed = {q: n.per_s * share**2 for q, n in counts.handed}
    tasks = [
        busy("source", Stage.SOURCE, us["decode"] + us["tag"]),
        busy("join", Stage.JOIN, us["insert"] + us["probe"] + us["route_check"] + us["routed"]),
        *(busy(f"tail {q}", Stage.TAIL, n * TAIL_US, q) for q, n in handed.items()),
    ]
    return Reading(10.0, tuple(tasks), INPUT_RPS * share, INPUT_RPS, 0.2, frozenset(), dict(handed), 0, None)


@pytest.mark.parametrize("share", [1.0, 0.7])
def test_costs_come_out_as_they_were_put_in(share: float) -> None:
    """Single costs that always appear together are not told apart; their sum, and so any group's load, is."""
    calibration = Calibration(PRIOR)
    for g in 5 * GROUPS:
        calibration.learn(g, measured(g, share), LOADS)
    found = calibration.coefficients
    assert found.decode.us + found.tag.us == pytest.approx(5.0, rel=0.05)
    learned = LOADS.with_costs(found, calibration.tails)
    for g in GROUPS:
        true = sum(t.busy_us_ps or 0.0 for t in measured(g, 1.0).tasks)
        load, before = learned.of(g.members), LOADS.of(g.members)
        assert load is not None
        assert before is not None
        assert load.total_us_ps == pytest.approx(true, rel=0.05)
        assert load.error is not None
        assert before.error is not None
        assert load.error < before.error
    assert {q: t.us_per_row for q, t in calibration.tails.items()} == pytest.approx(
        {QueryName(n): TAIL_US for n in "abc"}, rel=1e-6
    )


def learned_from(reading: Reading, g: Group = GROUPS[2]) -> tuple[Coefficients, int]:
    calibration = Calibration(PRIOR)
    calibration.learn(g, reading, LOADS)
    return calibration.coefficients, len(calibration.tails)


WHOLE = measured(GROUPS[2], 1.0)


@pytest.mark.parametrize(
    "reading",
    [
        replace(WHOLE, processed_rps=None),
        replace(WHOLE, input_rps=None),
        replace(WHOLE, input_rps=0.0),
        replace(WHOLE, tasks=tuple(replace(t, busy_us_ps=None) for t in WHOLE.tasks)),
        replace(WHOLE, tasks=()),
    ],
)  # fmt: skip
def test_what_is_not_known_teaches_nothing(reading: Reading) -> None:
    assert learned_from(reading) == (PRIOR, 0)


def test_a_group_far_from_its_steady_state_teaches_nothing_of_shared_stages() -> None:
    assert learned_from(measured(GROUPS[2], 0.4)) == (PRIOR, 2)


def test_a_query_that_was_not_sampled_teaches_nothing() -> None:
    assert learned_from(WHOLE, group("a", "stranger")) == (PRIOR, 0)


def test_a_tail_that_got_hardly_any_rows_is_not_measured() -> None:
    few = replace(WHOLE, routed_rps={QueryName("a"): 4.9, QueryName("b"): 500.0})
    calibration = Calibration(PRIOR)
    calibration.learn(GROUPS[2], few, LOADS)
    assert list(calibration.tails) == ["b"]


def test_a_tail_that_runs_in_fewer_subtasks_than_the_group_has_slots_is_limited_to_them() -> None:
    wide = group("a", "b", slots=4)
    tasks = tuple(replace(t, parallelism=4 if t.query != "a" else 1) for t in WHOLE.tasks)
    calibration = Calibration(PRIOR)
    calibration.learn(wide, replace(WHOLE, tasks=tasks), LOADS)
    assert {q: t.max_parallelism for q, t in calibration.tails.items()} == {"a": 1, "b": None}


def test_loads_are_priced_with_what_the_same_cycle_taught_but_not_by_who_catches_up() -> None:
    g = GROUPS[2]
    steady, behind = Calibration(PRIOR), Calibration(PRIOR)
    sample = {CLASS: LOADS.overlaps.sample}
    loads = steady.priced([g], {str(g.id): WHOLE}, sample)
    assert steady.coefficients != PRIOR
    assert loads[CLASS].of(g.members) == LOADS.with_costs(steady.coefficients, steady.tails).of(g.members)
    catching = replace(WHOLE, processed_rps=INPUT_RPS * 1.3, lag=int(INPUT_RPS * 5))
    behind.priced([g], {str(g.id): catching}, sample)
    assert behind.coefficients == PRIOR
