"""The story of one query has every merge in order with all its numbers, the best rejected option, and the slots."""

from __future__ import annotations

import re

import pytest

from funshare_flink.grouping.merge import merge_step
from funshare_flink.grouping.strategies import decide
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.grouping.why import story
from funshare_flink.model.errors import BadInputError
from tests.grouping.test_greedy import light
from tests.grouping.test_informed_strategies import knowledge_of


def test_the_story_of_a_merge() -> None:
    world = light([(0, 10), (2, 12), (25, 30)])
    decision = merge_step(world.snapshot(world.alone()), Tuning())
    lines = story(decision, "q001")
    text = "\n".join(lines)
    assert re.match(r"q001 runs in group share-c1-\w+ with q000, on \d slots \(strategy funshare\): merged", lines[0])
    assert lines[1] == "1. merge: q001 with q000"
    step = decision.steps[0]
    assert step.cost is not None
    for number in (step.cost.load_first, step.cost.load_second, step.cost.load_union):
        assert f"{number / 1e6:.3f}" in text
    assert f"cost, the larger of both: {step.cost.cost:.3f}, below the threshold of 0.9" in text
    assert f"= {step.cost.into_first:.3f}" in text
    assert f"= {step.cost.into_second:.3f}" in text
    assert re.search(r"2\. slots share-c1-\w+: \d slots carry its load of .* with 10% head-room", text)
    assert re.search(r"not done: with q002 costs \d\.\d\d, not below 0\.9", text)


def test_each_formula_that_is_printed_gives_the_number_behind_it() -> None:
    world = light([(0, 10), (2, 12), (4, 14), (25, 30)])
    lines = story(merge_step(world.snapshot(world.alone()), Tuning()), "q002")
    formulas = [line.partition(": ")[2] for line in lines if "into the" in line]
    assert len(formulas) >= 4
    for formula in formulas:
        left, _, right = formula.partition(" = ")
        loads = re.match(r"\(\(([\d.]+) - ([\d.]+)\) / [\d.]+\) / \(\((\d+) \+ ([\d.]+) x (\d+)\) / (\d+)\)$", left)
        assert loads is not None, left
        union, own, theirs, idle, mine, both = (float(g) for g in loads.groups())
        assert ((union - own) / union) / ((theirs + idle * mine) / both) == pytest.approx(float(right), abs=0.003)


def test_a_query_that_stays_alone_is_told_why() -> None:
    world = light([(0, 10), (25, 35)])
    lines = story(decide("funshare", world.candidates, knowledge_of(world)), "q000")
    assert re.match(r"q000 runs alone on 4 slots \(strategy funshare\): with q001 costs", lines[0])
    assert lines[1] == "nothing was done about it"
    assert lines[2].startswith("not done: with q001 costs")


def test_other_strategies_tell_their_slots() -> None:
    world = light([(0, 10), (2, 12)])
    lines = story(decide("full", world.candidates, knowledge_of(world)), "q000")
    assert lines[0].endswith("(strategy full): same share class")
    assert "load_slots" in lines[2]


def test_unknown_query() -> None:
    world = light([(0, 10)])
    with pytest.raises(BadInputError, match="no query is named z; there are: q000"):
        story(merge_step(world.snapshot(world.alone()), Tuning()), "z")
