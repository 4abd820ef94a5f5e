"""W1, W2, W3 and the mixed workload, sparse and dense: every query's rows in groups equal its rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from funshare_flink import wiring
from funshare_flink.kafka.nexmark import DeliverySettings, DirtSettings, NexmarkSettings
from funshare_flink.workloads import Selectivity, Workload, WorkloadParams, build_workload
from tests.equivalence.harness import Partition, compare
from tests.live import LiveCluster

pytestmark = pytest.mark.integration
LATENESS_MS = 1500
"""Out of order by half a second, and a second more where a time is rounded down to a whole one."""
EVENTS = {"sparse": 30_000, "dense": 6_000}
CASES = [
    WorkloadParams("W1", "sparse", 12, Selectivity(10, 10), filter_both=True),
    WorkloadParams("W1", "dense", 6, Selectivity(1, 20), ranges="prefix", tail="projection", interval_s=10),
    WorkloadParams("W2", "sparse", 9, Selectivity(10, 30), anomaly_cost_ns=100),
    WorkloadParams("W3", "dense", 4, Selectivity(10, 10), matches_per_tuple=20),
    WorkloadParams("mixed", "sparse", 12, Selectivity(5, 40)),
]


def _id(params: WorkloadParams) -> str:
    return f"{params.name}-{params.variant}"


@pytest.mark.parametrize("params", CASES, ids=_id)
def test_builtin_workload(live_cluster: LiveCluster, params: WorkloadParams) -> None:
    workload = build_workload(_on_cluster(live_cluster, params))
    _generate(live_cluster, workload)
    report = compare(live_cluster, workload.script, [None, _halves(workload)])
    report.require_equal()
    silent = [q for q, n in report.rows.items() if n == 0]
    assert not silent, f"these queries gave no rows, so nothing was proved for them: {silent}"


def _on_cluster(cluster: LiveCluster, params: WorkloadParams) -> WorkloadParams:
    prefix = f"{_id(params).lower()}{cluster.next_number()}-"
    here = replace(params, bootstrap_servers=cluster.bootstrap, topic_prefix=prefix, bounded=True, exactly_once=True)
    return replace(here, watermark_ms=2 * LATENESS_MS, window_s=2)


def _generate(cluster: LiveCluster, workload: Workload) -> None:
    """Nexmark events with NULLs, duplicates, ties and disorder that the watermarks allow for."""
    dirt = DirtSettings(0.05, 0.02, 0.05, max_out_of_order_ms=LATENESS_MS - 1000, out_of_order_share=0.2)
    delivery = DeliverySettings(cluster.bootstrap, topic_prefix=workload.params.topic_prefix)
    settings = NexmarkSettings.from_hint(workload.hint, delivery, EVENTS[workload.params.variant], dirt)
    wiring.nexmark(wiring.Place.of(None, None), settings).run()


def _halves(workload: Workload) -> Partition:
    """The shareable queries in two groups, every other one in each."""
    names: Sequence[str] = [q.name for q in workload.queries if q.reason is None]
    return [names[::2], names[1::2]]
