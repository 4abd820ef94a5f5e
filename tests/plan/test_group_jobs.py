"""From groups to jobs: bits, options, sinks' identities, topics, pictures."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest

from funshare_flink.grouping.strategies import STRATEGIES, WITHOUT_KNOWLEDGE
from funshare_flink.grouping.strategies.isolated import alone
from funshare_flink.model.errors import FatalError
from funshare_flink.model.grouping import Group
from funshare_flink.model.ids import GroupId, QueryName
from funshare_flink.model.verdict import VerdictKind
from funshare_flink.plan.compiled import CompiledQuery
from funshare_flink.plan.graph import ExecGraph, parse_plan
from funshare_flink.plan.group_jobs import WorkloadPlanner, duration_ms, merged_options
from funshare_flink.plan.picture import counts, mermaid_picture, text_picture
from funshare_flink.plan.preflight import TopicUse, topics_used
from funshare_flink.plan.sinks import SinkIdentity, sink_tables, with_identity
from funshare_flink.plan.sources import scan_table, table_options, topics_of
from tests.plan.golden_plans import SCRIPTS, golden, golden_query


@pytest.fixture
def planner() -> WorkloadPlanner:
    return WorkloadPlanner(golden("interval"))


def shared_group(planner: WorkloadPlanner) -> Group:
    groups = STRATEGIES["full"](planner.candidates()).groups
    return next(g for g in groups if "near_plain" in g.members)


def graph_of(planner: WorkloadPlanner, group: Group) -> ExecGraph:
    return parse_plan(planner.job(group, 2).plan.text)


def prefixes(graph: ExecGraph) -> list[str]:
    found = (table_options(t).get("sink.transactional-id-prefix") for t in sink_tables(graph))
    return [p for p in found if p is not None]


def test_one_job_for_all_that_share(planner: WorkloadPlanner) -> None:
    group = shared_group(planner)
    graph = graph_of(planner, group)
    assert len(group.members) == 9
    assert counts(graph) == (2, 1, 9)


def test_a_query_keeps_its_bit_and_ids_whoever_shares_with_it(planner: WorkloadPlanner) -> None:
    """A regroup must find a query's state again: nothing of its own part may depend on the other members."""
    full = shared_group(planner)
    few = Group(GroupId("few"), (QueryName("near_top"), QueryName("near_filters")), 1, full.share_class, "")
    own = range(1000 * 7, 1000 * 8)  # near_top is the seventh query
    nodes = [{i: n.json for i, n in graph_of(planner, g).nodes.items() if i in own} for g in (full, few)]
    assert sorted(nodes[0]) == sorted(nodes[1])
    route = 1000 * 7
    del nodes[0][route], nodes[1][route]  # the route reads the columns that this group carries
    assert nodes[0] == nodes[1]
    assert len(nodes[0]) > 2


def test_a_query_that_cannot_share_is_never_put_into_a_group() -> None:
    planner = WorkloadPlanner(golden("alone"))
    wrong = Group(GroupId("g"), (QueryName("left_join"), QueryName("no_join")), 1, None, "")
    with pytest.raises(FatalError, match="left_join cannot be in a group: outer join"):
        planner.job(wrong, 1)


def test_every_query_runs_alone_too(planner: WorkloadPlanner) -> None:
    for candidate in planner.candidates():
        graph = graph_of(planner, alone(candidate, ""))
        assert counts(graph)[1:] == (1, 1), candidate.name


def test_transactional_prefixes_are_unique_and_begin_as_the_user_wrote(planner: WorkloadPlanner) -> None:
    candidates = planner.candidates()
    found = [
        p
        for generation, strategy in itertools.product((1, 2), WITHOUT_KNOWLEDGE)
        for g in STRATEGIES[strategy](candidates).groups
        for p in prefixes(parse_plan(planner.job(g, generation).plan.text))
    ]
    assert len(set(found)) == len(found) / 2  # the same query has the same prefix in both groupings of a generation
    assert all(p.startswith("orchard.interval.near_") for p in found)
    assert len(set(found)) == 20  # ten queries with exactly-once sinks, two generations


def test_only_exactly_once_sinks_are_touched() -> None:
    identity = SinkIdentity("w", "q", 4)
    assert identity.prefix(None) == "funshare.w.q.g4"
    assert identity.prefix("mine") == "mine.w.q.g4"
    for script in SCRIPTS:
        for query in golden(script).queries:
            for node in query.graph.nodes.values():
                changed = with_identity(node.json, identity)
                options = node.json.get("dynamicTableSink", {}).get("table", {}).get("resolvedTable", {}).get("options")
                exact = options is not None and options.get("sink.delivery-guarantee") == "exactly-once"
                assert (changed != node.json) == exact


def test_other_topics_for_a_second_run() -> None:
    for before, after in zip(golden("interval").queries, golden("interval").writing_to("-b").queries, strict=True):
        (old,), (new,) = sink_tables(before.graph), sink_tables(after.graph)
        topic = table_options(old).get("topic")
        assert table_options(new).get("topic") == (None if topic is None else f"{topic}-b")
        assert [n.json for n in before.graph.of_kind("table-source-scan")] == [
            n.json for n in after.graph.of_kind("table-source-scan")
        ]


def test_options_of_a_group() -> None:
    query = golden_query("interval", "near_plain")

    def having(**options: str) -> CompiledQuery:
        return replace(query, options={k.replace("__", "."): v for k, v in options.items()})

    options, notes = merged_options(
        [
            having(
                state__backend__type="rocksdb", parallelism__default="7", execution__checkpointing__interval="1 min"
            ),
            having(state__backend__type="hashmap", pipeline__name="mine", execution__checkpointing__interval="10 s"),
        ]
    )
    assert options == {"state.backend.type": "rocksdb", "execution.checkpointing.interval": "10 s"}
    (note,) = notes
    assert "state.backend.type" in note
    assert "near_plain" in note


@pytest.mark.parametrize("key", ["table.exec.state.ttl", "execution.checkpointing.mode"])
def test_what_one_member_has_set_never_weakens_another(key: str) -> None:
    query = golden_query("interval", "near_plain")
    with_it, other = replace(query, options={key: "x"}), replace(query, options={key: "y"})
    assert merged_options([with_it, with_it])[0] == {key: "x"}
    for members in ([with_it, query], [query, with_it], [with_it, other]):
        options, notes = merged_options(members)
        assert key not in options
        assert all("the group has Flink's default" in n for n in notes)
        assert notes


def test_slots_are_the_products_whatever_the_user_has_set() -> None:
    """`table.exec.resource.default-parallelism` wins over `parallelism.default` in Flink's planner."""
    names = ("parallelism.default", "table.exec.resource.default-parallelism", "pipeline.max-parallelism", "rest.port")
    query = replace(golden_query("interval", "near_plain"), options=dict.fromkeys(names, "9"))
    assert merged_options([query])[0] == {}


@pytest.mark.parametrize(
    ("text", "ms"),
    [("10 s", 1e4), ("3min", 1.8e5), ("500", 500), (" 2 H ", 7.2e6), ("1 day", 8.64e7), ("7 minutes", 4.2e5)],
)
def test_durations(text: str, ms: float) -> None:
    assert duration_ms(text) == ms


@pytest.mark.parametrize("text", ["", "soon", "10 fortnights", "PT10S"])
def test_what_is_no_duration_loses_to_any_other(text: str) -> None:
    assert duration_ms(text) == float("inf")


def test_verdicts_come_in_the_workloads_order() -> None:
    verdicts = golden("alone").verdicts()
    assert [v.query for v in verdicts] == [q.name for q in golden("alone").workload.queries]
    assert [v.kind for v in verdicts].count(VerdictKind.REJECTED) == 1
    assert all(v.reason for v in verdicts)


def test_filters_are_shown_for_people() -> None:
    found = {str(v.query): v for v in golden("interval").verdicts()}
    assert found["near_filters"].left == "picks: fruit IN ('pear', 'plum') AND kilos > 3.5"
    assert found["near_filters"].right == "scales: grade BETWEEN 2 AND 5 AND ok"
    assert found["near_plain"].left == "picks: no filter"
    assert "row_no > row_no0" in found["near_residual"].residual
    notes = {str(v.query): v.notes for v in golden("regular").verdicts()}
    assert any("without state TTL" in n for n in notes["pair_for_ever"])
    assert not notes["pair_plain"]
    assert any("its key is a constant" in n for n in notes["pinned_key"])


def test_topics_that_must_be_there() -> None:
    uses = topics_used([golden_query("interval", "near_plain"), golden_query("interval", "near_window_totals")])
    broker = "broker:9092"
    assert set(uses) == {
        TopicUse(broker, "picks", "picks", "near_plain", False),
        TopicUse(broker, "scales", "scales", "near_plain", False),
        TopicUse(broker, "crate-log", "crate_log", "near_plain", True),
        TopicUse(broker, "picks", "picks", "near_window_totals", False),
        TopicUse(broker, "scales", "scales", "near_window_totals", False),
    }
    assert len(uses) == 5


def test_pictures_show_every_node_and_edge(planner: WorkloadPlanner) -> None:
    graph = graph_of(planner, shared_group(planner))
    text, mermaid = text_picture(graph), mermaid_picture(graph)
    assert text.splitlines()[0] == "shared:"
    assert all(f"[{i}]" in text for i in graph.nodes)
    assert "near_match:" in text
    edges = json.loads(planner.job(shared_group(planner), 2).plan.text)["edges"]
    assert all(f"n{e['source']} --> n{e['target']}" in mermaid for e in edges)
    assert mermaid.count("[") == mermaid.count("]") == len(graph.nodes)
    alone_graph = golden_query("alone", "no_join").graph
    assert len(text_picture(alone_graph).splitlines()) >= len(alone_graph.nodes)


def test_no_more_source_subtasks_than_partitions() -> None:
    """A source subtask without a partition holds the watermark back for ever: no rows, no error."""
    planner = WorkloadPlanner(golden("interval"))
    group = next(g for g in STRATEGIES["full"](planner.candidates()).groups if g.is_shared)
    wide = replace(group, slots=4)
    plain = planner.job(wide, 1)
    scans = [n for n in json.loads(plain.plan.text)["nodes"] if "scanTableSource" in n]
    topics = [topics_of(scan_table(n))[0] for n in scans]
    few = planner.with_partitions({topics[0]: 3, topics[1]: 4}).job(wide, 1)
    changed = [n for n in json.loads(few.plan.text)["nodes"] if "scanTableSource" in n]
    assert table_options(scan_table(changed[0]))["scan.parallelism"] == "3"
    assert changed[1] == scans[1]
    assert any(f"4 slots, but topic {topics[0]} has 3 partitions: 1 slots cannot read it" in n for n in few.notes)
    assert planner.with_partitions({topics[0]: 4}).job(wide, 1).plan == plain.plan
