"""Queries as people write them: every join and tail that can share, in one group and in several."""

from __future__ import annotations

from pathlib import Path

import pytest

from funshare_flink.flink.workload_files import load_workload
from funshare_flink.model.workload import WorkloadSpec
from tests.equivalence.awkward_data import PARTITIONS, TABLES, awkward_input, send
from tests.equivalence.harness import compare_workload
from tests.live import LiveCluster

pytestmark = pytest.mark.integration
SCRIPT = Path(__file__).with_name("written_queries.sql")
_BROKER = "'properties.bootstrap.servers' = '{bootstrap}'"
CONNECTORS = {
    "{kafka}": f"'connector' = 'kafka', {_BROKER}, 'format' = 'json'",
    "{upsert}": f"'connector' = 'upsert-kafka', {_BROKER}, 'key.format' = 'json', 'value.format' = 'json'",
    "{debezium}": f"'connector' = 'kafka', {_BROKER}, 'format' = 'debezium-json'",
}
IN_TWO = [
    ["on_filter", "guarded_cast", "best_price", "elements"],
    ["comma_swapped", "through_view", "key_held", "both_sides", "distinct_kinds", "left_running"],
    ["iv_rows", "iv_over", "iv_match"],
    ["iv_tumble", "iv_cumulate", "iv_legacy", "iv_python"],
]


def _workload(cluster: LiveCluster, prefix: str, folder: Path) -> WorkloadSpec:
    text = TABLES + SCRIPT.read_text(encoding="utf-8")
    for name, options in CONNECTORS.items():
        text = text.replace(name, options)
    file = folder / f"written{cluster.next_number()}.sql"
    file.write_text(text.replace("{prefix}", prefix).replace("{bootstrap}", cluster.bootstrap), encoding="utf-8")
    functions = Path(__file__).with_name("python_functions.py")
    (folder / functions.name).write_text(functions.read_text(encoding="utf-8"), encoding="utf-8")
    return load_workload(file)


def test_written_queries(live_cluster: LiveCluster, tmp_path: Path) -> None:
    prefix = f"written{live_cluster.next_number()}-"
    live_cluster.topics.create((f"{prefix}l", f"{prefix}r"), PARTITIONS)
    send(live_cluster.bootstrap, prefix, awkward_input(seed=11))
    report = compare_workload(live_cluster, _workload(live_cluster, prefix, tmp_path), [None, IN_TWO])
    report.require_equal()
    silent = [q for q, n in report.rows.items() if n == 0]
    assert not silent, f"these queries gave no rows, so nothing was proved for them: {silent}"
