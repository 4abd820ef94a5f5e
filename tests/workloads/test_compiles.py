"""Flink's planner takes every built-in workload, and the shared join looks as the surgery expects it."""

from __future__ import annotations

from pathlib import Path

import pytest

from funshare_flink.flink.planner import compile_workload
from funshare_flink.plan.query_names import script_workload
from funshare_flink.workloads.build import Workload, build_workload
from funshare_flink.workloads.params import WorkloadParams

Plans = dict[str, dict[str, list[list[str]]]]

WORKLOADS: dict[str, Workload] = {
    f"{name}-{variant}": build_workload(
        WorkloadParams(name, variant, queries=24 if name == "mixed" else 4, bounded=True, exactly_once=True)
    )
    for name in ("W1", "W2", "W3", "mixed")
    for variant in ("sparse", "dense")
}
WORKLOADS["W1-projection-blackhole"] = build_workload(
    WorkloadParams("W1", queries=2, tail="projection", sink="blackhole", filter_both=True, interval_s=150)
)
WORKLOADS["W3-projection"] = build_workload(WorkloadParams("W3", "dense", queries=2, tail="projection"))
WORKLOADS["mixed-blackhole"] = build_workload(WorkloadParams("mixed", queries=12, sink="blackhole"))

pytestmark = pytest.mark.planner


@pytest.fixture(scope="module")
def plans(planner_home: Path) -> Plans:
    """By workload and sink, the (type, description) of every node."""
    return {name: _compiled(name, workload) for name, workload in WORKLOADS.items()}


def _compiled(name: str, workload: Workload) -> dict[str, list[list[str]]]:
    found = compile_workload(script_workload(workload.script, f"{name}.sql", name))
    assert not found.rejected, found.rejected
    return {
        str(q.spec.name): [[str(n.json["type"]), n.description] for n in q.graph.nodes.values()] for q in found.queries
    }


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_query_compiles(plans: Plans, name: str) -> None:
    assert list(plans[name]) == [query.name for query in WORKLOADS[name].queries]


@pytest.mark.parametrize("name", [name for name in WORKLOADS if not name.startswith("mixed")])
def test_each_query_has_one_interval_join_of_two_filtered_scans(plans: Plans, name: str) -> None:
    for sink, nodes in plans[name].items():
        types = [kind.rsplit("_", 1)[0] for kind, _ in nodes]
        assert types.count("stream-exec-interval-join") == 1, sink
        assert types.count("stream-exec-table-source-scan") == 2, sink
        join = types.index("stream-exec-interval-join")
        calcs = [text for kind, text in nodes[:join] if kind.startswith("stream-exec-calc")]
        bid_side = "SEARCH(attr" in calcs[-1]
        assert bid_side, f"{sink}: the filter is not on the right side: {calcs}"
        both = WORKLOADS[name].params.filter_both or WORKLOADS[name].params.variant == "dense"
        assert ("SEARCH(attr" in calcs[0]) == both, f"{sink}: {calcs}"


def test_the_costly_function_stands_behind_the_join(plans: Plans) -> None:
    for name in ("W2-sparse", "W2-dense"):
        nodes = plans[name]["w2_q002_price_anomaly"]
        join = next(at for at, (kind, _) in enumerate(nodes) if "interval-join" in kind)
        calls = [at for at, (_, text) in enumerate(nodes) if "PRICE_ANOMALY" in text]
        assert calls, name
        assert min(calls) > join, f"{name}: Flink computes it before the join"


def test_the_unshareable_are_planned_as_their_kind_says(plans: Plans) -> None:
    expected = {
        "outer_join": "LeftOuterJoin",
        "temporal_join": "TemporalJoin",
        "random_filter": "RAND()",
        "running_total": "GroupAggregate",
        "single_table": "GlobalWindowAggregate",
        "other_key": "IntervalJoin",
    }
    for name in ("mixed-sparse", "mixed-dense"):
        for query in WORKLOADS[name].queries:
            if query.reason is not None:
                text = " ".join(description for _, description in plans[name][query.name])
                assert expected[query.kind] in text, query.name
