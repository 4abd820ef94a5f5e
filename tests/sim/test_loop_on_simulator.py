"""The production loop on the simulated cluster: what it promises, hour by hour in a second."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.controller.loop import Brain
from funshare_flink.grouping.decision import Decision
from funshare_flink.grouping.snapshot import Snapshot
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.grouping import Grouping
from funshare_flink.sim.world import Noise, Phase, SimQuery, SimTail, day, uniform
from tests.sim.worlds import CALIBRATED, DOMAIN, Run, queries, query, twelve, world

HUNDRED = settings(max_examples=100, deadline=None)


def test_twelve_queries_are_grouped_within_two_merge_steps_and_stay_so() -> None:
    run = Run(world(twelve(), noise=Noise(sample_rows=20_000))).until(150.0)
    found = run.groups
    assert len(found) < 12
    assert max(run.lag().values()) == 0
    assert run.until(600.0).groups == found
    assert run.cluster.grouping().slots < sum(q.slots for q in run.cluster.world.queries)


@HUNDRED
@given(queries())
def test_never_more_slots_than_alone_but_while_changing(drawn: list[SimQuery]) -> None:
    found = world(drawn)
    run = Run(found).until(200.0)
    alone = {q.name: q.slots for q in found.queries}
    assert all(slots <= sum(alone.values()) for _, slots in run.slots)
    for job in run.cluster.jobs.values():
        assert job.group.slots <= sum(alone[m] for m in job.group.members)


@HUNDRED
@given(queries())
def test_nobody_falls_behind_in_a_group(drawn: list[SimQuery]) -> None:
    """Functional isolation: who keeps up alone keeps up in whatever group the loop makes."""
    found = world(drawn)
    run = Run(found).until(250.0)
    alone = Run(found, brain=Brain(merge=_nothing, split=None))
    alone.until(250.0)
    for name, lag in run.lag().items():
        if alone.lag()[name] < 1:
            assert lag <= 0.05 * 40_000 * 250, f"{name} fell behind by {lag:.0f} records"


@HUNDRED
@given(queries(most=5), st.integers(0, DOMAIN - 1))
def test_an_idle_query_more_costs_nobody_anything(drawn: list[SimQuery], low: int) -> None:
    """A query whose filter passes nothing joins; the others' lag is no larger than without it."""
    found = world(drawn)
    nobody = replace(uniform_query(len(drawn)), tail=SimTail("light", 0.1))
    more = world([*drawn, nobody])
    without, with_it = Run(found).until(250.0), Run(more).until(250.0)
    for q in found.queries:
        assert with_it.lag()[q.name] <= without.lag()[q.name] + 0.02 * 40_000 * 250
    assert low >= 0


def uniform_query(number: int) -> SimQuery:
    """Keeps one value on the left and another on the right, so hardly any pair is wanted."""
    return SimQuery(query(number, 0, 1).name, (0, 0), (DOMAIN - 1, DOMAIN - 1), SimTail("light", 0.1))


def test_a_pulse_splits_what_throttles_and_it_merges_again_after() -> None:
    heavy = [query(i, 0, 6, SimTail("heavy", 0.1, 1)) for i in range(2)]
    light = [query(i, 1, 6) for i in range(2, 8)]
    calm, pulse = (
        Phase(0, 20_000, uniform(DOMAIN), uniform(DOMAIN)),
        Phase(300, 32_000, uniform(DOMAIN), uniform(DOMAIN)),
    )
    after = Phase(900, 20_000, uniform(DOMAIN), uniform(DOMAIN))
    steady = world([*heavy, *light])
    spare = tuple(replace(q, slots=q.slots * 3) for q in steady.queries)
    run = Run(replace(steady, queries=spare, phases=(calm, pulse, after))).until(290.0)
    together = run.groups
    assert any(heavy[0].name in g and light[0].name in g for g in together)
    run.until(700.0)
    assert not any(heavy[0].name in g and light[0].name in g for g in run.groups), "split off while it throttles"
    assert all(run.lag()[q.name] < 1 for q in light), "the light queries have caught up and keep up"
    assert any(e.kind == "split" for e in run.events)
    run.until(9000.0)
    assert max(run.lag().values()) == 0, "the backlog is worked off"
    assert any(heavy[0].name in g and light[0].name in g for g in run.groups), "together again when it is calm"


def test_gaps_noise_and_failing_changes_do_no_harm() -> None:
    found = world(twelve(), noise=Noise(relative=0.05, gap=0.1, sample_rows=3000, rollback=0.3))
    run = Run(found).until(900.0)
    assert len(run.groups) < 12
    assert max(run.lag().values()) < 40_000 * 5
    again = Run(found).until(900.0)
    assert again.groups == run.groups, "the same seed, the same story"
    assert [e.text for e in again.events] == [e.text for e in run.events]


def test_a_dry_run_says_what_it_would_do_and_does_nothing() -> None:
    run = Run(world(twelve()), brain=Brain(prior=CALIBRATED, dry_run=True)).until(200.0)
    assert len(run.groups) == 12
    assert any(e.kind == "merge" for e in run.events)


def test_what_is_not_certain_is_not_merged() -> None:
    """The default prior says that nothing is known of this machine; the first windows have to show it."""
    unsure = Brain(prior=replace(CALIBRATED, probe=replace(CALIBRATED.probe, us=0.1, error_us=5.0)))
    run = Run(world(twelve()), brain=unsure)
    assert len(run.until(70.0).groups) == 12


def test_a_day_passes() -> None:
    """24 hours of a rate that rises and falls: groups follow, nobody is left behind at the end."""
    many = [query(i, i % (DOMAIN - 4), 3) for i in range(12)]
    steady = world(many, 24_000.0)
    run = Run(replace(steady, phases=day(16_000.0, 0.5, uniform(DOMAIN), step_s=1800.0))).until(86_400.0)
    assert len(run.groups) < 12
    assert max(run.lag().values()) < 40_000 * 10
    slots = [s for _, s in run.slots]
    assert min(slots) < max(slots[100:]), "slots follow the rate"


def _nothing(snapshot: Snapshot, _: Tuning) -> Decision:
    return Decision(0.0, Grouping("isolated", tuple(s.group for s in snapshot.groups)), False)
