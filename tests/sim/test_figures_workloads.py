"""The figures' workloads follow from the one model: slots a priori, rates, the function that does not scale."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.sim.figures import workloads
from funshare_flink.sim.figures.baselines import SHARING_BASELINES
from funshare_flink.sim.figures.bench import Partition, as_run, needed_slots, sustained_rps
from funshare_flink.sim.figures.paper_cluster import CLUSTER_SLOTS, PULSE_RPS, TUNING, UDF_RPS, W1_RPS
from funshare_flink.sim.physics import TrueLoads
from funshare_flink.sim.world import World

USABLE = 1 - TUNING.headroom


def alone(world: World) -> Partition:
    return tuple((q.name,) for q in world.queries)


def test_a_ten_percent_query_sustains_the_papers_rate_with_four_slots_and_no_fewer() -> None:
    world = workloads.w1(8, (0.1, 0.1), 1)
    assert {q.slots for q in world.queries} == {4}
    load = workloads.load(world, world.queries[:1])
    assert load.sustained_factor(4, USABLE) == pytest.approx(1.0, abs=0.01)
    assert load.sustained_factor(3, USABLE) < 0.95


def test_the_papers_two_largest_isolated_workloads_fill_its_cluster() -> None:
    ten = sum(q.slots for q in workloads.w1(128, (0.1, 0.1), 1).queries)
    varied = sum(q.slots for q in workloads.w1(96, (0.01, 0.2), 1).queries)
    assert ten == CLUSTER_SLOTS
    assert varied == pytest.approx(CLUSTER_SLOTS, rel=0.1)


@pytest.mark.parametrize("make", [lambda n: workloads.w1(n, (0.01, 0.2), 7), lambda n: workloads.w2(n, 7)])
def test_more_queries_are_the_same_queries_and_more(make: object) -> None:
    assert callable(make)
    assert make(24).queries[:8] == make(8).queries


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10_000), low=st.floats(0.01, 0.2), more=st.floats(0.0, 0.2))
def test_every_query_has_the_fewest_slots_that_sustain_its_input(seed: int, low: float, more: float) -> None:
    world = workloads.w1(5, (low, low + more), seed)
    assert sustained_rps(world, alone(world)) >= W1_RPS * 0.999
    assert needed_slots(world, alone(world)) == sum(q.slots for q in world.queries)


def test_the_price_anomaly_function_holds_its_queries_at_its_own_rate() -> None:
    world = workloads.w2(6, 1)
    assert len(workloads.heavy(world)) == 2
    faster = workloads.at_rate(world, PULSE_RPS)
    for q in faster.queries:
        read_rps = PULSE_RPS * min(1.0, workloads.load(faster, [q]).sustained_factor(q.slots))
        assert read_rps == pytest.approx(UDF_RPS if q.name in workloads.heavy(world) else PULSE_RPS, rel=0.01)


def test_no_number_of_slots_carries_a_shared_tail_that_does_not_scale() -> None:
    world = workloads.w2(9, 1)
    everyone = (tuple(q.name for q in world.queries),)
    shared = [needed_slots(as_run(world, s, constrained=False), everyone) for s in SHARING_BASELINES]
    apart = [needed_slots(as_run(world, s, constrained=True), everyone) for s in SHARING_BASELINES]
    assert shared == [None] * len(SHARING_BASELINES)
    assert all(slots is not None and slots < sum(q.slots for q in world.queries) for slots in apart)


def test_a_pulse_changes_the_rate_and_not_the_slots() -> None:
    world = workloads.w2(6, 1)
    pulsed = workloads.pulse(world, 360.0, 660.0)
    assert [2 * pulsed.phase_at(t).rate_rps for t in (0.0, 360.0, 659.0)] == [workloads.w2_rps(), PULSE_RPS, PULSE_RPS]
    assert pulsed.phase_at(660.0).rate_rps == world.phases[0].rate_rps
    assert pulsed.queries == world.queries


def test_prefix_ranges_contain_each_other_and_fit_the_cluster() -> None:
    world = workloads.within_cluster(workloads.prefixes(32, 3), CLUSTER_SLOTS, 3)
    assert {q.left[0] for q in world.queries} == {0}
    slots = sum(q.slots for q in world.queries)
    assert 0.95 * CLUSTER_SLOTS <= slots <= CLUSTER_SLOTS
    widest = max(world.queries, key=lambda q: q.left[1])
    truth = TrueLoads(world, world.phases[0], world.queries)
    union, alone_load = truth.of([q.name for q in world.queries]), truth.of([widest.name])
    assert union is not None
    assert alone_load is not None
    assert union.rows_us_ps == pytest.approx(alone_load.rows_us_ps)


def test_slots_a_priori_grow_with_selectivity_as_the_square_of_it() -> None:
    world = workloads.w1(64, (0.01, 0.2), 1)
    widest = max(world.queries, key=lambda q: q.left[1] - q.left[0])
    narrow = min(world.queries, key=lambda q: q.left[1] - q.left[0])
    assert widest.slots > 4 * narrow.slots
    assert math.isfinite(sustained_rps(world, alone(world)))
