"""Laws of the strategies that rest on loads and rates, and what each of them is known for."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.grouping.knowledge import Knowledge, predicted
from funshare_flink.grouping.merge import merge_step
from funshare_flink.grouping.strategies import SHARES_TAILS, STRATEGIES, WITHOUT_KNOWLEDGE, decide
from funshare_flink.grouping.strategies.sharing import resized
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.model.errors import BadInputError
from funshare_flink.model.grouping import Candidate, Grouping
from funshare_flink.model.ids import QueryName, ShareClassId
from tests.grouping.cell_loads import INPUT_RPS, CellLoads, CellQuery, Costs, World
from tests.grouping.laws import LAW, check_grouping, check_isolation, partition, sizes
from tests.grouping.worlds import permuted, worlds

CLASS = ShareClassId("c1")
PAPER_LIKE: Costs = (0.5, 5.0, 60.0)
"""Shape of the load of a join: fixed part, rows, pairs (which grow with the square of selectivity)."""
BOUNDED = ("isolated", "funshare", *(n for n in STRATEGIES if n.endswith("-constrained")))


def knowledge_of(world: World) -> Knowledge:
    return Knowledge(world.loads, {c.name: INPUT_RPS for c in world.candidates})


def ranges(*spans: tuple[int, int], cells: int = 100, slots: int = 4, costs: Costs = PAPER_LIKE) -> World:
    """Queries on both inputs with filters [from, to) of a uniform domain; alone each keeps its slots busy."""
    found = {QueryName(f"q{i:03}"): CellQuery(frozenset(range(*s)), frozenset(range(*s))) for i, s in enumerate(spans)}
    plain = CellLoads(found, costs, (1 / cells,) * cells)
    alone = [load.total_us_ps for n in found if (load := plain.of([n])) is not None]
    plain.scale = slots * 1e6 / max(alone)
    return World(tuple(Candidate(n, slots, CLASS) for n in found), {CLASS: plain})


@LAW
@given(worlds())
def test_laws_of_all(world: World) -> None:
    """Partitions within classes; slots at most as alone where promised, enough for the input elsewhere."""
    known = knowledge_of(world)
    found = {name: strategy(world.candidates, known) for name, strategy in STRATEGIES.items()}
    for name, grouping in found.items():
        assert grouping.strategy == name
        check_grouping(grouping, world, most_slots=name in BOUNDED)
    for name in SHARES_TAILS:
        assert partition(found[name]) == partition(found[f"{name}-constrained"])
        check_carried(found[name], known)
    check_isolation(world, found["funshare"])
    assert not merge_step(predicted(world.candidates, found["funshare"], known), known.tuning).changed
    assert all(g.reason != "alone" for g in found["funshare"].groups)


def check_carried(grouping: Grouping, known: Knowledge) -> None:
    for g in grouping.groups:
        load = known.load(g.share_class, g.members)
        if g.is_shared and load is not None:
            assert load.total_us_ps <= g.slots * 1e6 * (1 - known.tuning.headroom) * (1 + 1e-9)


@LAW
@given(worlds(), st.sampled_from(sorted(STRATEGIES)), st.integers(0, 719))
def test_the_order_of_candidates_is_irrelevant_and_a_decision_is_the_grouping(
    world: World, name: str, order: int
) -> None:
    mixed = tuple(permuted(world.candidates, lambda n: order % n))
    found = STRATEGIES[name](world.candidates, knowledge_of(world))
    assert sizes(STRATEGIES[name](mixed, knowledge_of(world))) == sizes(found)
    assert decide(name, world.candidates, knowledge_of(world)).grouping == found


@pytest.mark.parametrize("name", [n for n in STRATEGIES if n not in WITHOUT_KNOWLEDGE])
def test_without_rates_the_others_say_what_they_need(name: str) -> None:
    with pytest.raises(BadInputError, match=f"strategy {name} needs .* rates file"):
        STRATEGIES[name](ranges((0, 10)).candidates)
    with pytest.raises(BadInputError, match=name):
        decide(name, ranges((0, 10)).candidates)


@pytest.mark.parametrize("name", [n for n in STRATEGIES if n != "isolated"])
@pytest.mark.parametrize("rate", [None, 0.0, math.nan, math.inf])
def test_a_query_of_unknown_rate_stays_alone(name: str, rate: float | None) -> None:
    world = ranges((0, 10), (0, 10), (0, 10))
    known = knowledge_of(world)
    known = replace(known, input_rps={**known.input_rps, QueryName("q001"): rate})
    found = STRATEGIES[name](world.candidates, known)
    assert partition(found) == {frozenset({"q001"}), frozenset({"q000", "q002"})}
    alone = found.group_of("q001")
    assert alone is not None
    assert alone.reason == "its input rate is not known"


@pytest.mark.parametrize("name", [n for n in STRATEGIES if n != "isolated"])
def test_a_query_of_unknown_load_stays_alone(name: str) -> None:
    world = ranges((0, 10), (0, 10))
    stranger = Candidate(QueryName("z"), 2, CLASS)
    known = replace(knowledge_of(world), input_rps={c.name: 1.0 for c in (*world.candidates, stranger)})
    alone = STRATEGIES[name]((*world.candidates, stranger), known).group_of("z")
    assert alone is not None
    assert (alone.members, alone.slots, alone.reason) == (("z",), 2, "its load is not known")


def slots_of(name: str, world: World) -> int:
    return STRATEGIES[name](world.candidates, knowledge_of(world)).slots


def test_the_shape_of_the_paper() -> None:
    """Few queries of 10 % that overlap little: full sharing costs more than isolated execution, FunShare less."""
    world = ranges(*((5 * i, 5 * i + 10) for i in range(12)))
    assert slots_of("full", world) > slots_of("isolated", world) > slots_of("funshare", world)
    assert slots_of("full-constrained", world) <= slots_of("isolated", world)


def test_full_is_one_group_and_needs_what_it_needs() -> None:
    found = STRATEGIES["full"](ranges((0, 10), (50, 60)).candidates, knowledge_of(ranges((0, 10), (50, 60))))
    assert [(g.members, g.reason) for g in found.groups] == [(("q000", "q001"), "same share class")]
    assert found.slots > 8


def test_selectivity_looks_at_each_input_and_not_at_what_is_common() -> None:
    world = ranges((0, 10), (50, 60), (0, 80), (10, 90))
    found = STRATEGIES["selectivity"](world.candidates, knowledge_of(world))
    assert partition(found) == {frozenset({"q000", "q001"}), frozenset({"q002", "q003"})}
    assert [g.reason for g in found.groups] == [
        "selectivity class LL (left, right)",
        "selectivity class HH (left, right)",
    ]
    finer = replace(knowledge_of(world), high_selectivity=0.05)
    assert len(STRATEGIES["selectivity"](world.candidates, finer).groups) == 1


def test_selectivity_classes_are_per_input() -> None:
    queries = {
        QueryName("a"): CellQuery(frozenset({0}), frozenset(range(5))),
        QueryName("b"): CellQuery(frozenset({1}), frozenset(range(4))),
        QueryName("c"): CellQuery(frozenset(range(5)), frozenset({0})),
    }
    loads = {CLASS: CellLoads(queries, (1e5, 1e5, 1e5), (0.2,) * 5)}
    world = World(tuple(Candidate(n, 1, CLASS) for n in queries), loads)
    found = STRATEGIES["selectivity"](world.candidates, knowledge_of(world))
    assert partition(found) == {frozenset({"a", "b"}), frozenset({"c"})}


def test_overlap_links_by_pairs_into_one_plan() -> None:
    """The first and the last have nothing in common, and end in one plan by what lies between them."""
    linked = ranges((0, 10), (3, 13), (6, 16), (9, 19), (12, 22))
    assert len(STRATEGIES["overlap"](linked.candidates, knowledge_of(linked)).groups) == 1
    apart = ranges((0, 10), (40, 50), (42, 52))
    assert partition(STRATEGIES["overlap"](apart.candidates, knowledge_of(apart))) == {
        frozenset({"q000"}),
        frozenset({"q001", "q002"}),
    }


def test_overlap_ends_in_one_plan_for_nested_ranges_and_for_many_queries() -> None:
    nested = ranges(*((0, n) for n in (3, 10, 25, 50, 75, 100)))
    assert len(STRATEGIES["overlap"](nested.candidates, knowledge_of(nested)).groups) == 1
    many = ranges(*((29 * i % 91, 29 * i % 91 + 10) for i in range(64)))
    assert len(STRATEGIES["overlap"](many.candidates, knowledge_of(many)).groups) == 1


def test_groupshare_divides_until_nobody_is_penalised() -> None:
    """A light query and a heavy one with a tail that does not scale: together the light one would be held back."""
    heavy = CellQuery(frozenset({0}), frozenset({0}), 2e6, 1)
    queries = {QueryName("a"): CellQuery(frozenset({0}), frozenset({0})), QueryName("b"): heavy, QueryName("c"): heavy}
    world = World(
        tuple(Candidate(n, 4, CLASS) for n in queries), {CLASS: CellLoads(queries, (1e5, 1e5, 1e5), (0.2,) * 5)}
    )
    found = STRATEGIES["groupshare"](world.candidates, knowledge_of(world))
    assert partition(found) == {frozenset({"a"}), frozenset({"b", "c"})}


def test_groupshare_halves_when_all_are_penalised_and_keeps_what_is_alike() -> None:
    world = ranges((0, 10), (50, 60), (0, 10), costs=(0.1, 1.0, 100.0))
    found = STRATEGIES["groupshare"](world.candidates, knowledge_of(world))
    assert partition(found) == {frozenset({"q000", "q002"}), frozenset({"q001"})}


def test_groupshare_never_puts_together_what_it_divided() -> None:
    world = ranges((0, 10), (0, 10), (0, 10), (0, 10))
    divided = Grouping("groupshare", STRATEGIES["isolated"](world.candidates[:2]).groups)
    known = replace(knowledge_of(world), previous=divided)
    assert partition(STRATEGIES["groupshare"](world.candidates, known)) == {
        frozenset({"q000"}),
        frozenset({"q001"}),
        frozenset({"q002", "q003"}),
    }
    assert len(STRATEGIES["groupshare"](world.candidates, replace(known, previous=None)).groups) == 1


def test_slots_again_for_other_loads() -> None:
    world = ranges((0, 10), (0, 10), (0, 10))
    known = knowledge_of(world)
    found = STRATEGIES["full"](world.candidates, known)
    world.loads[CLASS].scale *= 2
    more = resized(found, world.candidates, known, constrained=False)
    assert partition(more) == partition(found)
    assert more.slots > 1.5 * found.slots
    assert resized(found, world.candidates, known, constrained=True).slots == min(more.slots, 12)


def test_who_shares_tails() -> None:
    assert {n for n in STRATEGIES if f"{n}-constrained" in STRATEGIES} == SHARES_TAILS


def test_the_threshold_reaches_the_merge_step() -> None:
    world = ranges((0, 10), (2, 12))
    known = knowledge_of(world)
    assert len(STRATEGIES["funshare"](world.candidates, known).groups) == 1
    careful = replace(known, tuning=Tuning(merge_threshold=0.01))
    assert len(STRATEGIES["funshare"](world.candidates, careful).groups) == 2
