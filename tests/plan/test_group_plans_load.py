"""Flink takes the group plans: it loads each one and translates it to operators, kernel functions and all."""

from __future__ import annotations

import pytest

from funshare_flink.flink.session import register_kernel, table_environment
from funshare_flink.plan.members import Member
from funshare_flink.plan.sinks import SinkIdentity
from funshare_flink.plan.surgery import alone_plan, group_plan
from tests.plan.golden_plans import SCRIPTS, golden
from tests.plan.test_surgery import CLASSES

BITS = (0, 63, 64, 1, 65, 130, 2, 3, 4, 131, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)

pytestmark = [pytest.mark.planner, pytest.mark.usefixtures("planner_home")]


def translated(plan: str) -> str:
    """Flink's own text of the plan after it has made operators of it."""
    from pyflink.table import PlanReference

    env = table_environment({"table.plan.restore.catalog-objects": "ALL_ENFORCED"})
    register_kernel(env)
    loaded = env.load_plan(PlanReference.from_json_string(plan))
    loaded._t_env = env
    return str(loaded.explain())


@pytest.mark.parametrize("share_class", CLASSES, ids=lambda c: "+".join(str(q.name) for q in CLASSES[c])[:60])
def test_flink_translates_the_plan_of_a_class(share_class: str) -> None:
    """Twice every query of the class, with bits in up to three words."""
    queries = CLASSES[share_class] * 2
    members = [Member(q, BITS[n], n) for n, q in enumerate(queries)]
    plan = group_plan(members, "orchard", 1)
    text = translated(plan.text)
    assert text.count("SharedJoin(") == 1
    assert text.count("TableSourceScan(") == plan.scans or plan.scans == 1  # a self-join's one scan is shown twice
    assert all(f"Route({m.query.name})" in text for m in members)


@pytest.mark.parametrize("script", SCRIPTS)
def test_flink_translates_every_query_alone(script: str) -> None:
    for number, query in enumerate(golden(script).queries):
        identity = SinkIdentity("orchard", str(query.spec.name), 1)
        plan = alone_plan(query.graph, number, identity)
        text = translated(plan.text)
        assert "TableSourceScan(" in text, query.spec.name
