"""The loop: when it looks, what it leaves alone, what it tells, and that one group's fault is never another's."""

from __future__ import annotations

import pytest

from funshare_flink.controller.loop import Brain, CycleReport
from funshare_flink.estimate.coefficients import PRIOR, Coefficient, Coefficients
from funshare_flink.grouping.merge import merge_step
from funshare_flink.grouping.split import split_step
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.ids import QueryName, ShareClassId
from funshare_flink.settings import LoopSettings
from tests.controller.loop_ports import CLASS, Wanted, World, group, nothing

A, B, C = (group(name) for name in "abc")
AB = group("a", "b")
KNOWN = Coefficients(**{name: Coefficient(c.us * 40, c.us) for name, c in vars(PRIOR).items()})
"""As if measured, and heavy: loads are certain and worth sharing."""


def wanting(*groups: object) -> Wanted:
    return Wanted(tuple(groups))  # type: ignore[arg-type]


def test_a_cycle_reads_the_clock_once() -> None:
    world = World(A, B)
    before = world.clock.read
    world.loop.cycle()
    assert world.clock.read == before + 1


def test_merges_are_looked_at_each_merge_interval_and_acted_on_at_once() -> None:
    wanted = wanting(AB)
    world = World(A, B, brain=Brain(wanted, None)).until(59.0)
    assert wanted.seen == []
    assert world.sampler.calls == [], "a sample costs something: none before it is needed"
    world.until(61.0)
    assert [s.taken_at_s for s in wanted.seen] == [60.0]
    assert [at_s for at_s, _ in world.regrouper.begun] == [60.0]
    world.until(200.0)
    assert world.members == {("a", "b")}
    assert [s.taken_at_s for s in wanted.seen] == [60.0, 120.0, 180.0]


def test_while_a_change_runs_nothing_else_is_decided() -> None:
    wanted = wanting(AB)
    world = World(A, B, brain=Brain(wanted, None))
    world.regrouper.seconds = 100.0
    world.until(161.0)
    assert [s.taken_at_s for s in wanted.seen] == [60.0, 160.0]
    assert len(world.regrouper.begun) == 1


def test_a_split_is_looked_at_only_when_somebody_suffers_and_goes_before_a_merge() -> None:
    merge, split = wanting(AB), wanting(A, B)
    world = World(AB, brain=Brain(merge, split)).until(55.0)
    assert split.seen == []
    world.metrics.held_by["a+b"] = "a"
    world.until(61.0)
    assert [s.taken_at_s for s in split.seen] == [60.0]
    assert merge.seen == []
    assert split.seen[0].groups[0].throttled_by == frozenset({QueryName("a")})


@pytest.mark.parametrize("speed", [0.5, 0.94])
def test_who_reads_less_than_arrives_suffers(speed: float) -> None:
    split = wanting(A, B)
    world = World(AB, brain=Brain(nothing, split))
    world.metrics.speed["a+b"] = speed
    world.until(15.0)
    assert [s.taken_at_s for s in split.seen] == [10.0]
    assert [at_s for at_s, _ in world.regrouper.begun] == [10.0]


def test_who_reads_nearly_what_arrives_does_not() -> None:
    split = wanting(A, B)
    world = World(AB, brain=Brain(nothing, split))
    world.metrics.speed["a+b"] = 0.96
    world.until(35.0)
    assert split.seen == []


def test_a_group_alone_never_asks_for_a_split() -> None:
    split = wanting(AB)
    world = World(A, B, brain=Brain(nothing, split))
    world.metrics.speed["a"] = 0.1
    world.until(100.0)
    assert split.seen == []


def test_a_split_that_changes_nothing_leaves_the_merge_its_turn_and_both_see_one_sample() -> None:
    split, merge = wanting(AB), wanting(AB)
    world = World(AB, brain=Brain(merge, split))
    world.metrics.speed["a+b"] = 0.5
    world.until(61.0)
    assert len(split.seen) == 6
    assert merge.seen == [split.seen[-1]]
    assert len(world.sampler.calls) == 6


def settled_at(world: World, wanted: Wanted) -> dict[float, set[str]]:
    return {s.taken_at_s: {str(g.group.id) for g in s.groups if g.settled} for s in wanted.seen}


FAST = LoopSettings(merge_interval_s=10.0, cooldown_s=25.0)


def test_only_groups_that_were_changed_cool_down() -> None:
    wanted = wanting(AB, C)
    world = World(A, B, C, brain=Brain(wanted, None), settings=FAST).until(62.0)
    assert world.members == {("a", "b"), ("c",)}
    assert settled_at(world, wanted) == {
        10.0: {"a", "b", "c"}, 20.0: {"c"}, 30.0: {"c"}, 40.0: {"c"}, 50.0: {"a+b", "c"}, 60.0: {"a+b", "c"},
    }  # fmt: skip


def test_a_group_with_other_slots_is_another_job_and_cools_down() -> None:
    wanted = wanting(group("a", "b", slots=2), C)
    world = World(AB, C, brain=Brain(wanted, None), settings=FAST).until(31.0)
    assert settled_at(world, wanted)[30.0] == {"c"}


def test_after_a_rollback_what_was_to_be_replaced_is_left_alone_for_a_while() -> None:
    wanted = wanting(AB, C)
    world = World(A, B, C, brain=Brain(wanted, None), settings=FAST)
    world.regrouper.roll_back = True
    world.until(21.0)
    assert settled_at(world, wanted) == {10.0: {"a", "b", "c"}, 20.0: {"c"}}
    (event,) = world.events.of("change-rolled-back")
    assert event.text == "it did not catch up"
    assert event.queries == ("a", "b")


def test_a_group_that_works_off_a_backlog_is_not_settled() -> None:
    wanted = wanting(A, B)
    world = World(A, B, brain=Brain(wanted, None), settings=FAST)
    world.metrics.speed["a"] = 1.5
    world.metrics.lag["a"] = 5000
    world.until(12.0)
    assert settled_at(world, wanted)[10.0] == {"b"}
    world.metrics.lag["a"] = 900  # less than a second of what arrives
    world.until(22.0)
    assert settled_at(world, wanted)[20.0] == {"a", "b"}


def test_the_wavering_of_a_small_lag_is_no_backlog() -> None:
    wanted = wanting(A)
    world = World(A, brain=Brain(wanted, None), settings=FAST)
    world.metrics.lag["a"] = 5000
    world.until(12.0)
    assert settled_at(world, wanted)[10.0] == {"a"}


def test_a_query_that_was_not_measured_yet_is_unknown() -> None:
    """One reading is none: rates are differences."""
    wanted = wanting(A, B)
    world = World(A, brain=Brain(wanted, None), settings=FAST).until(5.0)
    world.regrouper.groups = (A, B)
    world.candidates[QueryName("b")] = world.candidates[QueryName("a")]
    world.until(22.0)
    first, second = ({str(g.group.id): g for g in s.groups} for s in wanted.seen)
    assert (first["b"].settled, first["b"].processed_rps, first["b"].idle) == (False, None, None)
    assert (second["b"].settled, second["b"].processed_rps) == (True, 1000.0)


def test_one_group_that_cannot_be_read_is_unknown_and_told_once() -> None:
    wanted = wanting(A, B)
    world = World(A, B, brain=Brain(wanted, None), settings=FAST)
    world.metrics.unread.add("a")
    world.until(35.0)
    assert settled_at(world, wanted) == {10.0: {"b"}, 20.0: {"b"}, 30.0: {"b"}}
    (event,) = world.events
    assert (event.kind, event.groups, event.queries) == ("unread", ("a",), ("a",))


def test_one_group_that_makes_the_port_fail_does_not_take_the_others_with_it() -> None:
    wanted = wanting(A, B)
    world = World(A, B, brain=Brain(wanted, None), settings=FAST)
    world.metrics.broken.add("a")
    world.until(15.0)
    assert settled_at(world, wanted) == {10.0: {"b"}}
    texts = [e.text for e in world.events.of("failed") if e.groups == ("a",)]
    assert texts == 2 * ["it could not be read: ZeroDivisionError: no counters of a"]


def test_a_share_class_that_cannot_be_sampled_has_no_loads_and_others_have() -> None:
    other = ShareClassId("other")
    wanted = wanting(A, group("x", share_class=other))
    world = World(A, group("x", share_class=other), brain=Brain(wanted, None), settings=FAST)
    world.sampler.broken.add(other)
    world.until(15.0)
    (snapshot,) = wanted.seen
    assert set(snapshot.loads) == {CLASS}
    loads = {str(g.group.id): g.load for g in snapshot.groups}
    assert loads["a"] is not None
    assert loads["x"] is None
    assert [e.text for e in world.events] == [
        "the input of share class other could not be sampled: OSError: the broker is away"
    ]


def test_free_slots_that_nobody_can_tell_are_unknown() -> None:
    def broken() -> int:
        raise RuntimeError("no answer")

    wanted = wanting(A)
    world = World(A, brain=Brain(wanted, None), settings=FAST)
    world.free = 3
    world.until(12.0)
    world.free_slots = broken  # type: ignore[method-assign]
    world.until(22.0)
    assert [s.free_slots for s in wanted.seen] == [3, None]


def test_a_failing_port_makes_the_cycle_do_nothing_and_the_next_one_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(now_s: float) -> None:
        raise ConnectionError("gone")

    world = World(A, B, brain=Brain(wanting(AB), None), settings=FAST)
    world.clock.at_s = 10.0
    with monkeypatch.context() as patched:
        patched.setattr(world.regrouper, "poll", fail)
        assert world.loop.cycle() == CycleReport(10.0, failed=True)
    assert [(e.kind, e.text) for e in world.events] == [("failed", "nothing was decided: ConnectionError: gone")]
    world.until(45.0)
    assert world.members == {("a", "b")}


def test_a_change_that_is_refused_is_tried_again_and_nothing_is_believed_begun() -> None:
    world = World(A, B, brain=Brain(wanting(AB), None), settings=FAST)
    world.regrouper.refuse = True
    world.until(15.0)
    assert [e.text for e in world.events.of("skipped")] == ["nothing was decided: not now"]
    assert world.members == {("a",), ("b",)}
    world.regrouper.refuse = False
    world.until(35.0)
    assert world.members == {("a", "b")}


def test_a_decision_that_would_lose_or_double_a_query_is_never_begun() -> None:
    for wrong in ((A,), (AB, B), (A, B, C)):
        world = World(A, B, brain=Brain(wanting(*wrong), None)).until(61.0)
        assert world.regrouper.begun == []
        (event,) = world.events
        assert "exactly once" in event.text


def test_a_running_query_that_nobody_announced_stays_where_it_is() -> None:
    stranger = group("stranger")
    world = World(A, B, stranger, brain=Brain(prior=KNOWN), settings=FAST)
    del world.candidates[QueryName("stranger")]
    world.until(35.0)
    assert world.members == {("a", "b"), ("stranger",)}
    assert world.events.of("failed") == []


def test_a_dry_run_recommends_once_and_does_nothing() -> None:
    world = World(A, B, brain=Brain(wanting(AB), None, dry_run=True), settings=FAST).until(100.0)
    assert world.regrouper.begun == []
    (event,) = world.events
    assert (event.kind, event.text) == ("merge", "recommended, not done: the test wants it")


def test_a_merge_waits_for_a_stable_window() -> None:
    settings = LoopSettings(merge_interval_s=10.0, stable_window_s=30.0)
    world = World(A, B, brain=Brain(wanting(AB), None), settings=settings).until(100.0)
    assert [at_s for at_s, _ in world.regrouper.begun] == [40.0]


def test_the_report_says_what_was_read_decided_and_begun() -> None:
    world = World(A, B, brain=Brain(wanting(AB), None), settings=FAST)
    first = world.loop.cycle()
    assert (first.decision, first.begun, dict(first.readings)) == (None, False, {"a": None, "b": None})
    world.clock.sleep(10.0)
    second = world.loop.cycle()
    assert second.begun
    assert second.decision is not None
    assert second.decision.changed
    reading = second.readings["a"]
    assert reading is not None
    assert (reading.processed_rps, reading.input_rps) == (1000.0, 1000.0)


def test_what_would_be_read_alone() -> None:
    """Alone it has shown it, but never more than arrives; in a group the loads say it; without a load nobody knows."""
    wanted = wanting(A, group("b", "c", slots=2))
    world = World(A, group("b", "c", slots=2), brain=Brain(wanted, None, prior=KNOWN), settings=FAST)
    world.metrics.speed = {"a": 1.2}
    world.until(15.0)
    assert wanted.seen[0].alone_rps == {"a": 1000.0, "b": 1000.0, "c": 1000.0}
    world.metrics.speed = {}
    world.sampler.none_yet = True
    world.until(25.0)
    alone = wanted.seen[1].alone_rps
    assert [alone[QueryName(m)] for m in "bc"] == [None, None]


def test_algorithm_1_through_the_loop_with_everything_that_it_rests_on() -> None:
    world = World(A, B, C, brain=Brain(merge_step, split_step, Tuning(), KNOWN)).until(200.0)
    assert world.members == {("a", "b", "c")}
    merges = world.events.of("merge")
    assert len(merges) == 2
    for event in merges:
        told = dict(event.numbers)
        assert told["cost"] == max(told["into_first"], told["into_second"]) < told["threshold"] == 0.9
        assert told["load_union_us_ps"] >= max(told["load_first_us_ps"], told["load_second_us_ps"]) > 0
    (done,) = world.events.of("change-done")
    assert done.numbers == (("start", 10.0),)
    assert set(done.queries) == {"a", "b", "c"}


def test_algorithm_2_through_the_loop() -> None:
    alike = group("a", "b", "c")
    world = World(alike, brain=Brain(nothing, split_step, prior=KNOWN))
    world.metrics.held_by["a+b+c"] = "a"
    world.metrics.speed["a+b+c"] = 0.5
    world.until(35.0)
    assert world.members == {("a",), ("b", "c")}
    assert world.events.of("split")[0].queries == ("a",)


def test_costs_are_learned_from_what_groups_were_busy_with() -> None:
    world = World(A, B, brain=Brain(nothing, None), settings=FAST)
    assert world.loop.coefficients == PRIOR
    world.until(300.0)
    learned = world.loop.coefficients
    # A source is busy for 0.3 s in a second with 1,000 records, which decoding and tagging share.
    assert learned.decode.us + learned.tag.us > PRIOR.decode.us + PRIOR.tag.us
    assert learned.decode.error_us < PRIOR.decode.error_us
