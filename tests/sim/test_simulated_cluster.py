"""The simulated cluster: nothing is lost or made, truth is the truth, the ports keep their word."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.estimate.counters import Stage
from funshare_flink.estimate.loads import SampledLoads
from funshare_flink.model.errors import NotReadyError
from funshare_flink.model.grouping import Grouping
from funshare_flink.model.ids import QueryName
from funshare_flink.ports import ChangeState
from funshare_flink.sim.cluster import SimCluster, SimMetrics, all_alone
from funshare_flink.sim.physics import TrueLoads
from funshare_flink.sim.regroup import SimRegrouper
from funshare_flink.sim.sampler import SimSampler
from funshare_flink.sim.world import THE_CLASS, Noise, Phase, SimQuery, SimTail, World, uniform, zipf
from tests.sim.worlds import COSTS, DOMAIN, queries, query, world

HUNDRED = settings(max_examples=100, deadline=None)


def truth(found: World) -> TrueLoads:
    return TrueLoads(found, found.phases[0], found.queries)


@HUNDRED
@given(queries())
def test_true_pairs_are_those_of_every_two_values(drawn: list[SimQuery]) -> None:
    """Probe alone costs something, so the load is the number of pairs probed."""
    free = replace(COSTS, **{s: replace(getattr(COSTS, s), us=0.0) for s in ("decode", "tag", "insert", "route_check")})
    free = replace(free, routed=replace(free.routed, us=0.0), probe=replace(free.probe, us=1.0))
    weights = zipf(DOMAIN, 1.0)
    phase = Phase(0, 1000.0, weights, uniform(DOMAIN))
    bare = [replace(q, tail=SimTail("none", 0.0)) for q in drawn]
    found = World(tuple(bare), (phase,), costs=free)
    names = [q.name for q in bare]
    load = truth(found).of(names)
    assert load is not None
    all_pairs = found.join.pairs_per_s(1000.0, 1000.0)
    wanted = sum(
        weights[x] / DOMAIN
        for x, y in product(range(DOMAIN), repeat=2)
        if any(q.left[0] <= x <= q.left[1] for q in bare) and any(q.right[0] <= y <= q.right[1] for q in bare)
    )
    assert load.total_us_ps == pytest.approx(all_pairs * wanted)


@HUNDRED
@given(queries(), st.lists(st.floats(0.5, 50), min_size=1, max_size=10), st.floats(0.2, 4))
def test_what_arrives_is_read_or_waits(drawn: list[SimQuery], sleeps: list[float], faster: float) -> None:
    steady = world(drawn)
    later = Phase(20.0, 20_000 * faster, uniform(DOMAIN), uniform(DOMAIN))
    cluster = SimCluster(replace(steady, phases=(*steady.phases, later)), all_alone(steady.queries))
    for seconds in sleeps:
        cluster.advance_to(cluster.now_s + seconds)
    for job in cluster.jobs.values():
        assert job.arrived == pytest.approx(job.read + job.lag)
        assert job.lag >= 0


@HUNDRED
@given(queries())
def test_queries_alone_with_their_slots_keep_up(drawn: list[SimQuery]) -> None:
    found = world([q for q in drawn if q.tail.max_parallelism is None] or [query(0, 0, 5)])
    cluster = SimCluster(found, all_alone(found.queries))
    cluster.advance_to(100.0)
    assert all(j.lag == pytest.approx(0, abs=1e-3) for j in cluster.jobs.values())


@HUNDRED
@given(queries(), st.floats(0.5, 3))
def test_counters_never_fall_and_time_is_all_accounted_for(drawn: list[SimQuery], faster: float) -> None:
    steady = world(drawn)
    phase = replace(steady.phases[0], rate_rps=20_000 * faster)
    cluster = SimCluster(replace(steady, phases=(phase,)), all_alone(steady.queries))
    groups = cluster.grouping().groups
    metrics = SimMetrics(cluster)
    cluster.advance_to(5.0)
    before = metrics.read(groups, 5.0)
    cluster.advance_to(15.0)
    after = metrics.read(groups, 15.0)
    for group in groups:
        one, two = before[str(group.id)], after[str(group.id)]
        assert one is not None
        assert two is not None
        for then, now in zip(one.tasks, two.tasks, strict=True):
            for s, t in zip(then.subtasks, now.subtasks, strict=True):
                spent = [(a or 0) - (b or 0) for a, b in zip(
                    (t.busy_ms, t.idle_ms, t.backpressured_ms), (s.busy_ms, s.idle_ms, s.backpressured_ms), strict=True
                )]  # fmt: skip
                assert min(spent) >= -1e-6
                assert sum(spent) == pytest.approx(10_000)


def test_a_tail_at_its_limit_holds_the_join_back() -> None:
    heavy = query(0, 0, 10, SimTail("heavy", 5.0, 1))
    found = world([heavy])
    fast = replace(found, phases=(replace(found.phases[0], rate_rps=60_000.0),))
    cluster = SimCluster(fast, all_alone([replace(heavy, slots=8)]))
    cluster.advance_to(10.0)
    counters = SimMetrics(cluster).read(cluster.grouping().groups, 10.0)["q000"]
    assert counters is not None
    by_stage = {t.stage: t for t in counters.tasks}
    assert by_stage[Stage.TAIL].subtasks[0].busy_ms == pytest.approx(10_000, rel=0.01)
    assert (by_stage[Stage.JOIN].subtasks[0].backpressured_ms or 0) > 5_000
    assert (counters.lag or 0) > 0


def test_the_same_seed_gives_the_same_sample_and_another_time_another() -> None:
    found = world([query(i, i, 5) for i in range(4)])
    cluster = SimCluster(found, all_alone(found.queries))
    names = tuple(q.name for q in found.queries)
    sampler = SimSampler(cluster)
    one, two, other = (sampler.sample(THE_CLASS, names, at) for at in (1.0, 1.0, 2.0))
    assert one is not None
    assert two is not None
    assert other is not None
    assert np.array_equal(one.left.bitmaps, two.left.bitmaps)
    assert not np.array_equal(one.left.bitmaps, other.left.bitmaps)
    assert one.left.rows <= 0.02 * one.left.total_rows


@HUNDRED
@given(queries(most=6))
def test_samples_estimate_the_truth(drawn: list[SimQuery]) -> None:
    found = world(drawn)
    cluster = SimCluster(found, all_alone(found.queries))
    names = tuple(q.name for q in found.queries)
    sample = SimSampler(cluster).sample(THE_CLASS, names, 0.0)
    assert sample is not None
    tails = SampledLoads(sample, COSTS, {})
    estimated, real = tails.of(names), truth(found).of(names)
    assert estimated is not None
    assert real is not None
    shared = real.total_us_ps - real.tails_us_ps
    assert estimated.total_us_ps == pytest.approx(shared, rel=0.15)


def test_gaps_are_unknown_and_noise_is_around_the_truth() -> None:
    found = world([query(0, 0, 5)], noise=Noise(gap=1.0))
    cluster = SimCluster(found, all_alone(found.queries))
    assert SimMetrics(cluster).read(cluster.grouping().groups, 0.0) == {"q000": None}


def test_a_change_serves_from_the_old_groups_until_it_is_done() -> None:
    found = world([query(i, 0, 5) for i in range(3)])
    cluster = SimCluster(found, all_alone(found.queries))
    regrouper = SimRegrouper(cluster)
    names = tuple(q.name for q in found.queries)
    members = (names[0], names[1])
    first = replace(cluster.grouping().groups[0], id="g", members=members, slots=1)  # type: ignore[arg-type]
    target = Grouping("t", (first, cluster.grouping().groups[2]))
    before = cluster.slots
    regrouper.begin(target, 0.0)
    assert cluster.slots == before + 1, "both generations take slots"
    assert len(regrouper.running().groups) == 3
    with pytest.raises(NotReadyError):
        regrouper.begin(target, 0.0)
    assert (report := regrouper.poll(0.1)) is not None
    assert report.state is ChangeState.RUNNING
    cluster.advance_to(60.0)
    assert (report := regrouper.poll(60.0)) is not None
    assert report.state is ChangeState.DONE
    assert [g.members for g in regrouper.running().groups] == [members, (names[2],)]
    assert regrouper.poll(61.0) is None


def test_without_slots_for_both_it_pauses_and_what_arrives_waits() -> None:
    found = world([query(i, 0, 5) for i in range(2)])
    alone = sum(q.slots for q in found.queries)
    found = replace(found, cluster_slots=alone)
    cluster = SimCluster(found, all_alone(found.queries))
    regrouper = SimRegrouper(cluster)
    both = replace(cluster.grouping().groups[0], id="g", members=(QueryName("q000"), QueryName("q001")), slots=2)  # type: ignore[arg-type]
    regrouper.begin(Grouping("t", (both,)), 0.0)
    assert cluster.slots == alone
    cluster.advance_to(60.0)
    assert (report := regrouper.poll(60.0)) is not None
    assert report.phases[0][0] == "pause"
    assert cluster.jobs["g"].lag > 0


def test_a_change_that_fails_leaves_everything_as_it_was() -> None:
    found = world([query(i, 0, 5) for i in range(2)], noise=Noise(rollback=1.0))
    cluster = SimCluster(found, all_alone(found.queries))
    regrouper = SimRegrouper(cluster)
    before = cluster.grouping()
    both = replace(before.groups[0], id="g", members=(QueryName("q000"), QueryName("q001")))  # type: ignore[arg-type]
    regrouper.begin(Grouping("t", (both,)), 0.0)
    cluster.advance_to(60.0)
    assert (report := regrouper.poll(60.0)) is not None
    assert report.state is ChangeState.ROLLED_BACK
    assert regrouper.running().groups == before.groups
    assert cluster.slots == sum(g.slots for g in before.groups)
