"""The workloads' text: what the parameters promise, without Flink."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.model.errors import BadInputError
from funshare_flink.workloads.build import build_workload
from funshare_flink.workloads.params import Selectivity, WorkloadParams
from funshare_flink.workloads.sql import interval, literal
from funshare_flink.workloads.unshareable import KINDS

RANGE = re.compile(r"b\.attr BETWEEN (\d+) AND (\d+)")


def ranges(params: WorkloadParams) -> list[tuple[int, int]]:
    found = RANGE.findall(build_workload(params).script)
    return [(int(low), int(high)) for low, high in found]


any_params = st.builds(
    WorkloadParams,
    name=st.sampled_from(["W1", "W2", "W3", "mixed"]),
    variant=st.sampled_from(["sparse", "dense"]),
    queries=st.integers(1, 40),
    selectivity=st.builds(lambda low, more: Selectivity(low, low + more), st.integers(1, 50), st.integers(0, 50)),
    seed=st.integers(0, 5),
    sink=st.sampled_from(["kafka", "blackhole"]),
    exactly_once=st.booleans(),
    bounded=st.booleans(),
    ranges=st.sampled_from(["random", "prefix"]),
    filter_both=st.booleans(),
    tail=st.sampled_from(["average", "projection"]),
)


@given(any_params)
@settings(max_examples=60, deadline=None)
def test_any_parameters_give_one_named_insert_per_query(params: WorkloadParams) -> None:
    workload = build_workload(params)
    inserts = re.findall(r"^INSERT INTO (\w+)$", workload.script, re.MULTILINE)
    assert inserts == [query.name for query in workload.queries]
    assert len(set(inserts)) == params.queries
    assert len(workload.sink_topics) == (params.queries if params.sink == "kafka" else 0)
    assert "{" not in workload.script
    assert workload.script.count("'scan.bounded.mode'") == (2 if params.bounded else 0)
    assert build_workload(params) == workload
    for low, high in ranges(params):
        assert 0 <= low <= high < (100 if params.variant == "dense" else 10_000)


@pytest.mark.parametrize(("text", "low", "high"), [("10%", 1000, 1000), ("1%", 100, 100), ("1-20%", 100, 2000)])
def test_selectivity_is_the_ranges_width(text: str, low: int, high: int) -> None:
    found = ranges(WorkloadParams("W1", queries=128, selectivity=Selectivity.parse(text)))
    widths = [end - start + 1 for start, end in found]
    assert min(widths) >= low
    assert max(widths) <= high
    assert len({start for start, _ in found}) > 100, "starts should differ"
    if low != high:
        assert min(widths) < 300
        assert max(widths) > 1800


def test_prefix_ranges_contain_each_other() -> None:
    found = ranges(WorkloadParams("W1", "dense", queries=32, selectivity=Selectivity(1, 100), ranges="prefix"))
    assert {start for start, _ in found} == {0}
    assert len({end for _, end in found}) > 10


def test_more_queries_keep_the_first_ones() -> None:
    few = build_workload(WorkloadParams("W2", queries=5))
    many = build_workload(WorkloadParams("W2", queries=50))
    assert many.queries[:5] == few.queries
    assert few.script.split("\n", 1)[1] in many.script.split("\n", 1)[1] + "\n"


def test_dense_filters_both_sides_with_one_range() -> None:
    script = build_workload(WorkloadParams("W1", "dense", queries=3)).script
    assert len(re.findall(r"a\.attr BETWEEN (\d+ AND \d+) AND b\.attr BETWEEN \1", script)) == 3


def test_w2_takes_its_tails_in_turn() -> None:
    workload = build_workload(WorkloadParams("W2", queries=6, anomaly_cost_ns=5000, anomaly_mode="park"))
    assert [query.kind for query in workload.queries] == ["category_avg", "seller_avg", "price_anomaly"] * 2
    assert "CAST(5000 AS BIGINT), 'park')" in workload.script
    assert workload.script.count("CREATE TEMPORARY SYSTEM FUNCTION PRICE_ANOMALY") == 1


def test_mixed_names_each_reason_and_what_cannot_be_compared() -> None:
    workload = build_workload(WorkloadParams("mixed", queries=12))
    assert {query.kind for query in workload.queries if query.reason} == set(KINDS)
    assert [query.kind for query in workload.queries if not query.repeatable] == ["random_filter"]
    assert [query.key for query in workload.queries if query.key] == ["channel"]
    assert sum(query.reason is None for query in workload.queries) == 6


def test_exactly_once_sinks_never_share_a_transactional_prefix() -> None:
    script = build_workload(WorkloadParams("mixed", queries=24, exactly_once=True, topic_prefix="p_")).script
    prefixes = re.findall(r"'sink\.transactional-id-prefix' = '([^']+)'", script)
    assert len(prefixes) == 24
    assert len(set(prefixes)) == 24
    assert script.count("'properties.transaction.timeout.ms' = '600000'") == 24


def test_the_hint_gives_w3_its_matches() -> None:
    sparse = build_workload(WorkloadParams("W3", matches_per_tuple=50, event_rate_eps=5000)).hint
    assert sparse.auction_id_cycle == 5000 * 3 // 50 * 60 // 50
    dense = build_workload(WorkloadParams("W3", "dense", matches_per_tuple=400)).hint
    assert dense.key_phases[0].keys == 2000 * 60 // 400
    assert build_workload(WorkloadParams("W1", "dense")).hint.key_phases[0].keys == 500


def test_slots_are_a_directive_before_the_insert() -> None:
    script = build_workload(WorkloadParams("W1", queries=2, slots=3)).script
    assert script.count("-- funshare: slots=3\nINSERT INTO") == 2


@pytest.mark.parametrize("text", ["", "ten", "0%", "-5%", "20-1%", "101%", "1-2-3"])
def test_bad_selectivity_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="selectivity"):
        Selectivity.parse(text)


@pytest.mark.parametrize("field", ["queries", "window_s", "slots", "interval_s", "event_rate_eps"])
def test_zero_is_refused_with_the_settings_name(field: str) -> None:
    zero: dict[str, Any] = {field: 0}
    with pytest.raises(BadInputError, match=f"{field} is 0; it must be 1 or more"):
        WorkloadParams("W1", **zero)


@pytest.mark.parametrize(
    ("ms", "expected"),
    [
        (1000, "INTERVAL '1' SECOND"),
        (250, "INTERVAL '0.250' SECOND"),
        (120_000, "INTERVAL '120' SECOND(3)"),
    ],
)
def test_interval_literals(ms: int, expected: str) -> None:
    assert interval(ms) == expected


def test_literals_double_their_quotes() -> None:
    assert literal("it's") == "'it''s'"
