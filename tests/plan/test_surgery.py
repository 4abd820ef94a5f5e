"""Group plans of real queries: what must hold for any set of members of one share class."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.plan.builder import ALONE_OFFSET, first_id
from funshare_flink.plan.classify import Shareable
from funshare_flink.plan.graph import ExecGraph, parse_plan
from funshare_flink.plan.join_shape import JOINS
from funshare_flink.plan.members import Member
from funshare_flink.plan.sinks import SinkIdentity, with_identity
from funshare_flink.plan.surgery import alone_plan, group_plan
from tests.plan.golden_plans import SCRIPTS, golden


def classes() -> dict[str, list[Shareable]]:
    """The golden queries that may share, by class."""
    found: dict[str, list[Shareable]] = {}
    for script in SCRIPTS:
        for query in golden(script).queries:
            classified = query.classified()
            if isinstance(classified, Shareable):
                found.setdefault(classified.share_class, []).append(classified)
    return found


CLASSES = classes()
SELF_JOINS = {"near_self", "near_self_later"}


@st.composite
def groups(draw: st.DrawFn) -> list[Member]:
    """One to a hundred members of one class, with bits and numbers that leave gaps."""
    pool = CLASSES[draw(st.sampled_from(sorted(CLASSES)))]
    queries = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=draw(st.sampled_from([1, 3, 8, 100]))))
    bits = draw(st.lists(st.integers(0, 300), min_size=len(queries), max_size=len(queries), unique=True))
    numbers = draw(st.lists(st.integers(0, 500), min_size=len(queries), max_size=len(queries), unique=True))
    return [Member(q, b, n) for q, b, n in zip(queries, bits, numbers, strict=True)]


def plan_of(members: Sequence[Member]) -> ExecGraph:
    return parse_plan(group_plan(members, "orchard", 3).text)


def without_id(node: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in node.items() if k != "id"}


@settings(max_examples=30, deadline=None)
@given(groups())
def test_one_join_and_one_scan_a_topic_however_many_members(members: list[Member]) -> None:
    plan, graph = group_plan(members, "orchard", 3), plan_of(members)
    scans = 1 if members[0].query.name in SELF_JOINS else 2
    assert len(graph.of_kind(*JOINS)) == plan.joins == 1
    assert len(graph.of_kind("table-source-scan")) == plan.scans == scans


@settings(max_examples=30, deadline=None)
@given(groups())
def test_ids_are_unique_and_edges_lead_to_nodes(members: list[Member]) -> None:
    raw = json.loads(group_plan(members, "orchard", 3).text)
    ids = [n["id"] for n in raw["nodes"]]
    assert len(ids) == len(set(ids))
    assert {e[end] for e in raw["edges"] for end in ("source", "target")} <= set(ids)
    position = {node_id: at for at, node_id in enumerate(ids)}
    assert all(position[e["source"]] < position[e["target"]] for e in raw["edges"])
    ranges = [range(first_id(m.number), first_id(m.number) + ALONE_OFFSET) for m in members]
    assert all(i < 1000 or sum(i in r for r in ranges) == 1 for i in ids)


@settings(max_examples=30, deadline=None)
@given(groups())
def test_every_member_keeps_its_tail_and_its_joins_row_type(members: list[Member]) -> None:
    graph = plan_of(members)
    for m in members:
        start, shape = first_id(m.number), m.query.shape
        assert graph.nodes[start].json["outputType"] == shape.output_type
        assert graph.nodes[start].kind == "calc"
        new_id = {shape.join.id: start} | {old: start + at for at, old in enumerate(shape.tail, start=1)}
        identity = SinkIdentity("orchard", str(m.query.name), 3)
        for old in shape.tail:
            expected = with_identity(shape.graph.nodes[old].json, identity)
            assert without_id(graph.nodes[new_id[old]].json) == without_id(expected)
            assert graph.inputs[new_id[old]] == tuple(new_id[i] for i in shape.graph.inputs[old])


@settings(max_examples=30, deadline=None)
@given(groups(), st.randoms(use_true_random=False))
def test_the_order_of_the_members_does_not_matter(members: list[Member], chance: Any) -> None:
    shuffled = list(members)
    chance.shuffle(shuffled)
    assert group_plan(members, "orchard", 3) == group_plan(shuffled, "orchard", 3)


@settings(max_examples=30, deadline=None)
@given(groups())
def test_every_reference_is_to_a_column_that_is_there(members: list[Member]) -> None:
    """Each calc, exchange and join of the shared part reads its input's columns with their own types."""
    graph = plan_of(members)
    for node in graph.of_kind("calc"):
        (source,) = graph.inputs[node.id]
        fields = types_of(graph, source)
        for index, found in references([node.json["projection"], node.json["condition"]]):
            assert found == fields[index], node.description
    new = [n for n in graph.of_kind("calc") if n.id < 1000 or n.id % 1000 == 0]
    assert all(changes_something(n.json) for n in new), "Flink refuses a calc that changes nothing"
    (join,) = graph.of_kind(*JOINS)
    left, right = (types_of(graph, i) for i in graph.inputs[join.id])
    assert types_of(graph, join.id) == left + right
    spec = join.json["intervalJoinSpec"]["joinSpec"] if join.kind == "interval-join" else join.json["joinSpec"]
    assert len(spec["leftKeys"]) == len(spec["rightKeys"]) == len(spec["filterNulls"]) > 0
    assert all(0 <= k < len(left) for k in spec["leftKeys"])
    assert all(0 <= k < len(right) for k in spec["rightKeys"])


def changes_something(calc: dict[str, Any]) -> bool:
    refs = [p.get("inputIndex") for p in calc["projection"]]
    return calc["condition"] is not None or refs != list(range(len(refs)))


def types_of(graph: ExecGraph, node_id: int) -> list[Any]:
    from funshare_flink.plan.types import row_fields

    return [f.type for f in row_fields(graph.nodes[node_id].json["outputType"])]


def references(rex: Any) -> list[tuple[int, Any]]:
    if isinstance(rex, dict):
        if rex.get("kind") == "INPUT_REF":
            return [(rex["inputIndex"], rex["type"])]
        return [r for v in rex.values() for r in references(v)]
    return [r for v in rex for r in references(v)] if isinstance(rex, list) else []


@pytest.mark.parametrize("query", [q for found in CLASSES.values() for q in found], ids=lambda q: str(q.name))
def test_a_query_alone_has_the_tail_ids_that_it_has_in_a_group(query: Shareable) -> None:
    identity = SinkIdentity("orchard", str(query.name), 3)
    alone = parse_plan(alone_plan(query.shape.graph, 7, identity, query.shape.tail).text)
    group = plan_of([Member(query, 0, 7), Member(query, 1, 8)])
    tail = range(first_id(7) + 1, first_id(7) + 1 + len(query.shape.tail))
    for node_id in tail:
        assert alone.nodes[node_id].json == group.nodes[node_id].json
    assert len(alone.nodes) == len(query.shape.graph.nodes)
    assert all(i in tail or i >= first_id(7) + ALONE_OFFSET for i in alone.nodes)


def test_alone_nothing_but_ids_and_prefixes_change() -> None:
    for script in SCRIPTS:
        for query in golden(script).queries:
            identity = SinkIdentity("orchard", str(query.spec.name), 1)
            alone = parse_plan(alone_plan(query.graph, 0, identity).text)
            before = [without_id(with_identity(n.json, identity)) for n in query.graph.nodes.values()]
            assert [without_id(n.json) for n in alone.nodes.values()] == before


def test_a_side_that_nobody_filters_carries_no_query_set() -> None:
    plain = next(q for q in CLASSES[shared_class("near_plain")] if q.name == "near_plain")
    text = group_plan([Member(plain, 0, 0), Member(plain, 1, 1)], "orchard", 1).text
    assert "QS_" not in text
    filtered = next(q for q in CLASSES[shared_class("near_plain")] if q.name == "near_group_totals")
    text = group_plan([Member(plain, 0, 0), Member(filtered, 1, 1)], "orchard", 1).text
    assert text.count('"QS_TAG"') == 1
    assert "QS_MEETS" not in text
    assert text.count('"QS_ROUTE"') == 2


def test_both_sides_meet_in_the_joins_own_condition() -> None:
    both = next(q for q in CLASSES[shared_class("near_plain")] if q.name == "near_filters")
    graph = plan_of([Member(both, 0, 0), Member(both, 70, 1)])
    (join,) = graph.of_kind(*JOINS)
    condition = join.json["intervalJoinSpec"]["joinSpec"]["nonEquiCondition"]
    assert json.dumps(condition).count("QS_MEETS") == 2  # one a word


def shared_class(name: str) -> str:
    return next(c for c, found in CLASSES.items() if name in [q.name for q in found])
