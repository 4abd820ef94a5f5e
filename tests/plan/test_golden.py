"""The stored plans are still what Flink makes of their scripts: an alarm when Flink or the planner session drifts."""

from __future__ import annotations

import json

import pytest

from funshare_flink.flink.planner import compile_workload
from tests.plan.golden_plans import FOLDER, SCRIPTS, as_json, golden_workload

pytestmark = [pytest.mark.planner, pytest.mark.usefixtures("planner_home")]


@pytest.mark.parametrize("script", SCRIPTS)
def test_flink_compiles_the_stored_plans(script: str) -> None:
    stored = json.loads((FOLDER / f"{script}.json").read_text())
    found = json.loads(json.dumps(as_json(compile_workload(golden_workload(script)))))
    assert found["rejected"] == stored["rejected"]
    assert [q["name"] for q in found["queries"]] == [q["name"] for q in stored["queries"]]
    for now, then in zip(found["queries"], stored["queries"], strict=True):
        assert now == then, f"{now['name']}: python -m tests.plan.make_golden, then read the difference"
