"""Verdicts judge what was measured: each can come out either way. Runs are made up, no loop runs here."""

from __future__ import annotations

import math

import pytest

from funshare_flink.model.grouping import Group
from funshare_flink.model.ids import GroupId, QueryName
from funshare_flink.sim.cluster import Moment
from funshare_flink.sim.figures import latency, pulse, resources, throughput, timeline, workloads
from funshare_flink.sim.figures.baselines import FULL, FUNSHARE, ISOLATED, OVERLAP, SELECTIVITY, SHARING_BASELINES
from funshare_flink.sim.figures.bench import Bench, Change, Order, Run
from funshare_flink.sim.figures.paper_cluster import PULSE_RPS, UDF_RPS
from funshare_flink.sim.figures.results import Verdict
from funshare_flink.sim.world import THE_CLASS, World

WORLD = workloads.w2(6, 1)
NAMES = tuple(q.name for q in WORLD.queries)
HEAVY = workloads.heavy(WORLD)


def moment(at_s: float, slots: int, light_rps: float, heavy_rps: float = UDF_RPS, lag: float = 0.0) -> Moment:
    group = Group(GroupId("g"), NAMES, slots, THE_CLASS, "")
    rates = {q: heavy_rps if q in HEAVY else light_rps for q in NAMES}
    input_rps = PULSE_RPS if 360 < at_s <= 660 else workloads.w2_rps()
    return Moment(at_s, input_rps, slots, (group,), rates, {q: lag if q in HEAVY else 0.0 for q in NAMES})


def run(*moments: Moment, changes: tuple[Change, ...] = ()) -> Run:
    return Run(moments, changes)


def by_claim(verdicts: tuple[Verdict, ...], part: str) -> Verdict:
    found = [v for v in verdicts if part in v.claim]
    assert len(found) == 1, [v.claim for v in verdicts]
    return found[0]


def pulsed(ours: Run, baseline_light_rps: float = UDF_RPS) -> Bench:
    """A bench whose loop gives `ours` for FunShare, and baselines whose light queries read so much in the pulse."""
    normal = workloads.w2_rps()

    def made_up(world: World, order: Order) -> Run:
        if order.strategy == FUNSHARE:
            return ours
        light = PULSE_RPS if order.strategy == ISOLATED else baseline_light_rps
        slots = 9 if order.strategy == ISOLATED else 8
        return run(moment(350, slots, normal, normal), moment(560, slots, light), moment(1000, slots, normal, normal))

    return Bench(1, made_up)


def story(peak: int, after: int, back: int, light_rps: float = PULSE_RPS) -> Run:
    normal = workloads.w2_rps()
    return run(
        moment(350, 5, normal, normal), moment(380, peak, light_rps), moment(420, after, light_rps),
        moment(560, after, light_rps), moment(650, after, light_rps), moment(1000, back, normal, normal),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def _few_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "QUERIES", len(NAMES))


PARTS = (
    "Before the pulse",
    "sharing baselines penalise",
    "splits at once",
    "390 s) the slots fall",
    "no query",
    "goes back",
)


def test_the_papers_story_of_the_pulse_holds() -> None:
    verdicts = pulse.figure_8(pulsed(story(peak=9, after=7, back=5))).verdicts
    assert {p: by_claim(verdicts, p).holds for p in PARTS} == dict.fromkeys(PARTS, True)


@pytest.mark.parametrize(
    ("ours", "part"),
    [
        (story(peak=5, after=4, back=5), "splits at once"),
        (story(peak=9, after=9, back=5), "390 s) the slots fall"),
        (story(peak=9, after=7, back=9), "goes back"),
        (story(peak=9, after=7, back=5, light_rps=0.95 * PULSE_RPS), "no query"),
    ],
)
def test_each_claim_on_the_pulse_can_fail_alone(ours: Run, part: str) -> None:
    verdicts = pulse.figure_8(pulsed(ours)).verdicts
    assert {p for p in PARTS if not by_claim(verdicts, p).holds} == {part}


def test_a_baseline_that_penalises_nobody_is_told() -> None:
    verdicts = pulse.figure_8(pulsed(story(9, 7, 5), baseline_light_rps=PULSE_RPS)).verdicts
    assert not by_claim(verdicts, "sharing baselines penalise").holds


def test_the_drop_in_figure_2_is_held_against_the_formula() -> None:
    two = pulse.figure_2(pulsed(story(9, 7, 5)))
    assert [v.holds for v in two.verdicts] == [True, True]
    other = pulse.figure_2(pulsed(story(9, 7, 5), baseline_light_rps=PULSE_RPS))
    assert [v.holds for v in other.verdicts] == [True, False]


def test_queues_grow_by_what_is_not_read() -> None:
    grows = run(moment(560, 5, PULSE_RPS, lag=1_000), moment(650, 5, PULSE_RPS, lag=1_000 + 90 * 36_000))
    assert timeline.queue_growth_rps(grows, 560, 650, HEAVY) == pytest.approx(36_000)
    assert timeline.queue_growth_rps(grows, 560, 650, set(NAMES) - HEAVY) == 0


def test_penalty_is_the_worst_querys_loss_against_running_alone() -> None:
    world = workloads.pulse(WORLD, 360, 660)
    assert timeline.penalty(world, moment(500, 5, PULSE_RPS)) == pytest.approx(1.0, abs=0.01)
    assert timeline.penalty(world, moment(500, 5, PULSE_RPS / 1.3)) == pytest.approx(1.3, abs=0.01)


def test_time_in_which_a_query_is_short_is_counted_whole() -> None:
    world = workloads.pulse(WORLD, 360, 660)
    short = run(
        moment(360, 5, PULSE_RPS),
        moment(370, 5, PULSE_RPS / 2),
        moment(400, 5, PULSE_RPS / 2),
        moment(410, 5, PULSE_RPS),
    )
    assert timeline.short_s(world, short, 360, 660) == 40


def test_a_split_that_takes_too_long_is_told() -> None:
    normal = workloads.w2_rps()
    late = run(
        moment(350, 5, normal, normal), moment(380, 9, UDF_RPS), moment(410, 9, UDF_RPS), moment(420, 7, PULSE_RPS),
        moment(560, 7, PULSE_RPS), moment(650, 7, PULSE_RPS), moment(1000, 5, normal, normal),
    )  # fmt: skip
    verdict = by_claim(pulse.figure_8(pulsed(late)).verdicts, "no query")
    assert not verdict.holds
    assert "50 s of the pulse" in verdict.measured


def swept(full: dict[int, int | None], ours: dict[int, int], needed: dict[int, int] | None = None) -> resources.Sweep:
    slots: dict[str, dict[int, int | None]] = {s: dict(full) for s in SHARING_BASELINES}
    slots |= {ISOLATED: {n: 4 * n for n in ours}, FUNSHARE: dict(ours)}
    whole, no_backlog = dict.fromkeys(ours, 1.0), dict.fromkeys(ours, 0.0)
    return resources.Sweep(slots, dict.fromkeys(ours, 3), needed or ours, whole, no_backlog)


def test_a_ratio_counts_what_is_needed_when_the_loop_gave_too_little() -> None:
    sweep = swept({16: 120, 64: None}, {16: 10, 64: 20}, needed={16: 40, 64: 20})
    assert sweep.ratio(FULL, 16) == 3.0
    assert sweep.ratio(FULL, 64) is None
    assert sweep.largest()[0] == 3.0


@pytest.mark.parametrize(("ours", "holds"), [(64, True), (65, False)])
def test_never_above_isolated_is_judged_to_the_slot(ours: int, holds: bool) -> None:
    assert resources._never_above("6a", swept({16: 99}, {16: ours})).holds is holds


def test_slots_that_do_not_sustain_the_input_are_told() -> None:
    short = resources.Sweep({FUNSHARE: {16: 5}}, {16: 1}, {16: 9}, {16: 0.6}, {16: 70.0})
    verdict = resources._sustains("6b", short)
    assert not verdict.holds
    assert "5 of 9" in verdict.measured
    assert "16" in verdict.because


def test_the_crossing_is_judged_on_both_sides() -> None:
    rates = {16: 0.7, 32: 0.9, 64: 1.1}
    found = throughput.Throughput({ISOLATED: dict.fromkeys(rates, 1.0), FULL: rates}, {})
    assert throughput._crossing("7a", found, FULL, ((16, 32, 64), 64)).holds
    assert not throughput._crossing("7a", found, FULL, ((16, 32, 64), 32)).holds


def test_latency_has_no_bound_without_room_and_grows_with_the_union() -> None:
    world = workloads.w1(6, (0.1, 0.1), 1)
    everyone = tuple(q.name for q in world.queries)
    alone = latency.mean_latency_ms(world, [((q,), 4) for q in everyone])
    assert math.isinf(latency.mean_latency_ms(world, [(everyone, 2)]))
    assert latency.mean_latency_ms(world, [(everyone, 1000)]) > 0
    assert math.isfinite(alone)
    one = [latency.mean_latency_ms(world, [((everyone[0],), slots)]) for slots in (4, 5)]
    assert one[0] > one[1]


def test_baselines_on_the_truth_are_what_they_are_called() -> None:
    bench = pulsed(story(9, 7, 5))
    world = workloads.w1(8, (0.1, 0.1), 1)
    assert [len(g) for g in bench.partition(world, FULL)] == [8]
    assert bench.partition(world, SELECTIVITY) == bench.partition(world, FULL)
    assert sorted(q for g in bench.partition(world, OVERLAP) for q in g) == sorted(q.name for q in world.queries)
    assert all(isinstance(q, str) for g in bench.partition(world, OVERLAP) for q in map(QueryName, g))
