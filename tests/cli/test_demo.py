"""The demo says no when outputs differ, and when there was nothing to compare."""

from __future__ import annotations

import argparse
import json
from collections import Counter

import pytest

from funshare_flink.cli.demo import _report
from funshare_flink.controller.bounded_run import BoundedRun
from funshare_flink.workloads import WorkloadParams, build_workload

WORKLOAD = build_workload(WorkloadParams("W1", queries=2))
FIRST, SECOND = (q.name for q in WORKLOAD.queries)
RUNS = [BoundedRun("isolated", 2, 2, 10.0, 5.0, 200), BoundedRun("full", 1, 1, 4.0, 3.0, 100)]
ROWS = {FIRST: Counter({b'{"n": 1}': 2}), SECOND: Counter({b'{"n": 2}': 1})}


def report(full: dict[str, Counter[bytes]], as_json: bool, alone: dict[str, Counter[bytes]] = ROWS) -> int:
    return _report(argparse.Namespace(json=as_json), WORKLOAD, RUNS, {"isolated": alone, "full": full})


def test_equal(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(ROWS, as_json=False) == 0
    out = capsys.readouterr().out
    assert "outputs equal: yes (3 rows compared)" in out
    assert "2.5 times less CPU and 1 task slot instead of 2" in out


@pytest.mark.parametrize("wrong", [Counter({b'{"n": 1}': 1}), Counter({b'{"n": 1}': 3}), Counter({b'{"n": 7}': 2})])
def test_different(capsys: pytest.CaptureFixture[str], wrong: Counter[bytes]) -> None:
    assert report({**ROWS, FIRST: wrong}, as_json=False) == 1
    out = capsys.readouterr().out
    assert f"outputs equal: no: {FIRST}" in out
    assert "yes" not in out


def test_nothing_to_compare(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = {name: Counter[bytes]() for name in ROWS}
    assert report(nothing, as_json=False, alone=nothing) == 1
    assert "outputs equal: no" in capsys.readouterr().out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert report({**ROWS, FIRST: Counter()}, as_json=True) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("strategy") for line in lines] == ["isolated", "full", None]
    assert lines[-1] == {"outputs_equal": False, "rows_compared": 3}
