"""Share classes: what may differ between two queries of one class, and what may not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from funshare_flink.plan.classify import Isolated, Shareable, classify
from funshare_flink.plan.compiled import CompiledQuery
from funshare_flink.plan.graph import Json, parse_plan, plan_text
from tests.plan.golden_plans import golden_query, shareable

Change = Callable[[Json], None]


def nodes(plan: Json, kind: str) -> list[Json]:
    return [n for n in plan["nodes"] if n["type"].startswith(f"stream-exec-{kind}_")]


def changed(query: CompiledQuery, change: Change, **session: str) -> Shareable | Isolated:
    """The verdict on the query with its plan's JSON changed."""
    graph = query.graph
    plan = json.loads(plan_text(graph.flink_version, (n.json for n in graph.nodes.values()), graph.inputs))
    change(plan)
    facts = replace(query.facts, session={**query.facts.session, **session})
    return classify(query.spec.name, parse_plan(json.dumps(plan)), facts)


def share_class(found: Shareable | Isolated) -> str:
    assert isinstance(found, Shareable), found.reason
    return found.share_class


def scan(plan: Json, side: int) -> Json:
    result: Json = nodes(plan, "table-source-scan")[side]["scanTableSource"]
    return result


def options(plan: Json, side: int) -> Json:
    result: Json = scan(plan, side)["table"]["resolvedTable"]["options"]
    return result


def bounds(plan: Json) -> Json:
    result: Json = nodes(plan, "interval-join")[0]["intervalJoinSpec"]["windowBounds"]
    return result


def renumber(plan: Json) -> None:
    for n in plan["nodes"]:
        n["id"] = 5 * n["id"] + 3
    for e in plan["edges"]:
        e["source"], e["target"] = 5 * e["source"] + 3, 5 * e["target"] + 3


def redescribe(plan: Json) -> None:
    for n in plan["nodes"]:
        n["description"] = f"another text of {n['id']}"


def rename_tables(plan: Json) -> None:
    for side in (0, 1):
        scan(plan, side)["table"]["identifier"] = f"`other`.`place`.`t{side}`"


def permute_keys(plan: Json) -> None:
    spec = nodes(plan, "join")[0]["joinSpec"]
    for part in ("leftKeys", "rightKeys", "filterNulls"):
        spec[part].reverse()


def set_everywhere(name: str, value: Any) -> Change:
    def change(plan: Json) -> None:
        options(plan, 0)[name] = value

    return change


SAME: dict[str, tuple[str, str, Change]] = {
    "node ids": ("interval", "near_filters", renumber),
    "descriptions": ("interval", "near_filters", redescribe),
    "table names": ("interval", "near_plain", rename_tables),
    "order of keys": ("regular", "pair_plain", permute_keys),
    "edges listed in another order": ("window", "tumble_plain", lambda p: p["edges"].sort(key=lambda e: -e["target"])),
    "consumer group of a source that starts at the earliest": (
        "interval", "near_plain", set_everywhere("properties.group.id", "tasters")),
    "options of a sink": ("interval", "near_plain", set_everywhere("sink.parallelism", "3")),
    "SQL text of an expression": (
        "interval", "near_plain",
        lambda p: scan(p, 0)["table"]["resolvedTable"]["schema"].update(comment="only for people")),
}  # fmt: skip


@pytest.mark.parametrize("what", SAME)
def test_what_does_not_matter(what: str) -> None:
    script, name, change = SAME[what]
    assert share_class(changed(golden_query(script, name), change)) == shareable(script, name).share_class


def window_size(side: str) -> Change:
    def change(plan: Json) -> None:
        for n in nodes(plan, "window-table-function"):
            n["windowing"]["window"]["size"] = "PT2M"
        nodes(plan, "window-join")[0][side]["window"]["size"] = "PT2M"

    return change


def other_key(plan: Json) -> None:
    nodes(plan, "join")[0]["joinSpec"]["rightKeys"].reverse()


def fewer_keys(plan: Json) -> None:
    spec = nodes(plan, "join")[0]["joinSpec"]
    for part in ("leftKeys", "rightKeys", "filterNulls"):
        spec[part].pop()


def other_watermark(plan: Json) -> None:
    scan(plan, 1)["abilities"][0]["watermarkExpr"]["operands"][1]["value"] = "6000"


DIFFERENT: dict[str, tuple[str, str, Change]] = {
    "lower bound": ("interval", "near_plain", lambda p: bounds(p).update(leftLowerBound=-60001)),
    "upper bound": ("interval", "near_plain", lambda p: bounds(p).update(leftUpperBound=10001)),
    "bounds the other way": (
        "interval", "near_plain", lambda p: bounds(p).update(leftLowerBound=-10000, leftUpperBound=60000)),
    "keys paired otherwise": ("regular", "pair_plain", other_key),
    "one key less": ("regular", "pair_plain", fewer_keys),
    "NULL matches NULL": (
        "regular", "pair_plain", lambda p: nodes(p, "join")[0]["joinSpec"]["filterNulls"].__setitem__(0, False)),
    "state TTL of one side": (
        "regular", "pair_plain", lambda p: nodes(p, "join")[0]["state"][0].update(ttl="9 h")),
    "topic": ("interval", "near_plain", set_everywhere("topic", "picks-2")),
    "broker": ("interval", "near_plain", set_everywhere("properties.bootstrap.servers", "elsewhere:9092")),
    "where reading starts": ("interval", "near_plain", set_everywhere("scan.startup.mode", "latest-offset")),
    "where reading ends": ("interval", "near_plain", set_everywhere("scan.bounded.mode", "latest-offset")),
    "how bad input is taken": ("interval", "near_plain", set_everywhere("json.ignore-parse-errors", "true")),
    "watermark": ("interval", "near_plain", other_watermark),
    "idle time-out": ("interval", "near_plain", lambda p: scan(p, 0)["abilities"][0].update(idleTimeoutMillis=5)),
    "a column's type": (
        "interval", "near_plain",
        lambda p: scan(p, 0)["table"]["resolvedTable"]["schema"]["columns"][2].update(dataType="BIGINT")),
    "window size": ("window", "tumble_plain", window_size("leftWindowing")),
    "time zone of a window": (
        "window", "tumble_plain",
        lambda p: nodes(p, "window-join")[0].update(configuration={"table.local-time-zone": "Asia/Tokyo"})),
}  # fmt: skip


@pytest.mark.parametrize("what", DIFFERENT)
def test_what_matters(what: str) -> None:
    script, name, change = DIFFERENT[what]
    assert share_class(changed(golden_query(script, name), change)) != shareable(script, name).share_class


def test_the_session_matters() -> None:
    query = golden_query("interval", "near_plain")
    found = changed(query, lambda _: None, **{"table.local-time-zone": "Asia/Tokyo"})
    assert share_class(found) != shareable("interval", "near_plain").share_class


def test_the_order_of_session_options_does_not_matter() -> None:
    query = golden_query("interval", "near_plain")
    one = classify(query.spec.name, query.graph, replace(query.facts, session={"a": "1", "b": "2"}))
    two = classify(query.spec.name, query.graph, replace(query.facts, session={"b": "2", "a": "1"}))
    assert share_class(one) == share_class(two)


def test_a_consumer_group_matters_when_it_says_where_to_start() -> None:
    query = golden_query("interval", "near_plain")

    def by_group(name: str) -> Change:
        def change(plan: Json) -> None:
            options(plan, 0).update({"scan.startup.mode": "group-offsets", "properties.group.id": name})

        return change

    def by_default(plan: Json) -> None:
        by_group("a")(plan)
        del options(plan, 0)["scan.startup.mode"]

    def by_default_too(plan: Json) -> None:
        by_group("b")(plan)
        del options(plan, 0)["scan.startup.mode"]

    assert share_class(changed(query, by_group("a"))) != share_class(changed(query, by_group("b")))
    assert share_class(changed(query, by_default)) != share_class(changed(query, by_default_too))


@pytest.mark.parametrize(
    ("script", "one", "other", "equal"),
    [
        ("interval", "near_plain", "near_swapped", True),
        ("interval", "near_plain", "near_filters", True),
        ("interval", "near_plain", "near_match", True),
        ("interval", "near_plain", "near_key_expression", False),
        ("interval", "near_plain", "near_other_bounds", False),
        ("interval", "near_self", "near_self_later", True),
        ("regular", "pair_plain", "pair_swapped_keys", True),
        ("regular", "pair_plain", "pair_null_keys", False),
        ("regular", "pair_other_ttl", "pair_for_ever", False),
        ("window", "tumble_plain", "tumble_swapped", True),
        ("window", "tumble_plain", "tumble_totals", True),
        ("window", "tumble_plain", "hop_plain", False),
        ("window", "hop_plain", "hop_filtered", True),
        ("window", "hop_plain", "cumulate_plain", False),
    ],
)
def test_classes_of_golden_queries(script: str, one: str, other: str, equal: bool) -> None:
    assert (shareable(script, one).share_class == shareable(script, other).share_class) == equal


def test_sides_keep_their_place_in_a_class() -> None:
    """`first` is the same input for every query of a class, however the query wrote its join."""
    for script, names in {
        "interval": ["near_plain", "near_swapped", "near_residual"],
        "regular": ["pair_plain", "pair_swapped_keys", "pair_totals"],
        "window": ["tumble_plain", "tumble_swapped", "tumble_totals"],
    }.items():
        assert len({shareable(script, n).first.source_identity() for n in names}) == 1
        assert len({shareable(script, n).second.source_identity() for n in names}) == 1


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("left_join", "outer join"), ("semi_join", "semi join"), ("chance_filter", "non-deterministic filter: RAND"),
        ("no_join", "no join"), ("temporal_join", "temporal join"), ("three_inputs", "more than two inputs"),
        ("price_list", "changelog input"), ("aggregated_input", "aggregated input"),
        ("no_key", "no equi-key between the two inputs"),
    ],
)  # fmt: skip
def test_why_a_query_stays_alone(query: str, reason: str) -> None:
    found = golden_query("alone", query).classified()
    assert isinstance(found, Isolated)
    assert found.reason == reason


def test_an_outer_join_that_flink_made_an_inner_one_stays_alone() -> None:
    query = golden_query("interval", "near_plain")
    found = classify(query.spec.name, query.graph, replace(query.facts, outer_join_written=True))
    assert found == Isolated(query.spec.name, "outer join")
