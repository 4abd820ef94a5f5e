"""Random workloads in random groupings: every query's rows equal its rows alone."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.equivalence.awkward_data import PARTITIONS, awkward_input, send
from tests.equivalence.harness import compare
from tests.equivalence.random_workloads import RandomWorkload, workloads
from tests.live import LiveCluster

pytestmark = pytest.mark.integration
LONG = os.environ.get("FUNSHARE_EQUIVALENCE") == "long"
EXAMPLES = int(os.environ.get("FUNSHARE_EQUIVALENCE_WORKLOADS", "100" if LONG else "11"))
TOTALS: Counter[str] = Counter()


def run(cluster: LiveCluster, workload: RandomWorkload) -> None:
    prefix = f"random{cluster.next_number()}-"
    cluster.topics.create((f"{prefix}l", f"{prefix}r"), PARTITIONS)
    send(cluster.bootstrap, prefix, awkward_input(workload.seed))
    script = workload.script.replace("{prefix}", prefix).replace("{bootstrap}", cluster.bootstrap)
    report = compare(cluster, script, [workload.partition])
    report.require_equal()
    TOTALS.update(workloads=1, queries=report.comparisons, rows=sum(report.rows.values()))


_SETTINGS = settings(
    max_examples=EXAMPLES, deadline=None, derandomize=not LONG, database=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


def test_random_workloads(live_cluster: LiveCluster) -> None:
    """At least ten workloads, more than a hundred queries and ten thousand rows: else the proof has become thin."""
    TOTALS.clear()
    _SETTINGS(given(workload=workloads())(lambda workload: run(live_cluster, workload)))()
    print(f"\nequivalence: {dict(TOTALS)}")
    assert TOTALS["workloads"] >= EXAMPLES
    assert TOTALS["queries"] > 9 * EXAMPLES
    assert TOTALS["rows"] > 1_000 * EXAMPLES
