"""Plans that Flink has compiled once, as the core sees them: no JVM is needed to read them.

`golden/*.sql` are the scripts (each behind `golden/tables.ddl`), `golden/*.json` what Flink made of them. Write them
again with `python -m tests.plan.make_golden`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from funshare_flink.model.ids import QueryName
from funshare_flink.model.verdict import Verdict, VerdictKind
from funshare_flink.model.workload import WorkloadSpec
from funshare_flink.plan.classify import PlannerFacts, Shareable
from funshare_flink.plan.compiled import CompiledQuery, CompiledWorkload
from funshare_flink.plan.folded_keys import EquiColumns
from funshare_flink.plan.graph import ExecGraph, parse_plan, plan_text
from funshare_flink.plan.query_names import script_workload

FOLDER = Path(__file__).with_name("golden")
SCRIPTS = tuple(sorted(p.stem for p in FOLDER.glob("*.sql")))


def golden_workload(name: str) -> WorkloadSpec:
    """The script `name` behind the common tables, as a workload."""
    text = (FOLDER / "tables.ddl").read_text() + (FOLDER / f"{name}.sql").read_text()
    return script_workload(text, f"{name}.sql", name)


def as_json(compiled: CompiledWorkload) -> dict[str, Any]:
    """What is kept of a compiled workload."""
    return {
        "queries": [_query_json(q) for q in compiled.queries],
        "rejected": [{"query": v.query, "reason": v.reason} for v in compiled.rejected],
    }


def as_text(raw: dict[str, Any]) -> str:
    """One query a line, so that a change of Flink's shows in the queries that it concerns."""
    queries = ",\n".join(json.dumps(q, sort_keys=True) for q in raw["queries"])
    return f'{{"rejected": {json.dumps(raw["rejected"])},\n"queries": [\n{queries}\n]}}\n'


@cache
def golden(name: str) -> CompiledWorkload:
    """The stored workload `name`."""
    raw = json.loads((FOLDER / f"{name}.json").read_text())
    spec = golden_workload(name)
    by_name = {q.name: q for q in spec.queries}
    rejected = tuple(
        Verdict(r["query"], VerdictKind.REJECTED, r["reason"], by_name[r["query"]].location) for r in raw["rejected"]
    )
    return CompiledWorkload(spec, tuple(_query(q, spec) for q in raw["queries"]), rejected, ())


def golden_query(script: str, name: str) -> CompiledQuery:
    return next(q for q in golden(script).queries if q.spec.name == name)


def shareable(script: str, name: str) -> Shareable:
    found = golden_query(script, name).classified()
    assert isinstance(found, Shareable), f"{name}: {found.reason}"
    return found


def _query_json(query: CompiledQuery) -> dict[str, Any]:
    graph, facts = query.graph, query.facts
    return {
        "name": query.spec.name,
        "session": dict(facts.session),
        "equi_columns": [[e.left, e.right] for e in facts.equi_columns],
        "deterministic": sorted(facts.deterministic),
        "outer_join_written": facts.outer_join_written,
        "options": dict(query.options),
        "plan": _plan_json(graph),
    }


def _plan_json(graph: ExecGraph) -> Any:
    """The plan with ids from 1 on; Flink counts them through the life of its process."""
    new = {old: at for at, old in enumerate(graph.nodes, start=1)}
    nodes = ({**n.json, "id": new[n.id]} for n in graph.nodes.values())
    inputs = {new[n]: tuple(new[i] for i in sources) for n, sources in graph.inputs.items()}
    return json.loads(plan_text(graph.flink_version, nodes, inputs))


def _query(raw: dict[str, Any], spec: WorkloadSpec) -> CompiledQuery:
    facts = PlannerFacts(
        raw["session"],
        tuple(EquiColumns(left, right) for left, right in raw["equi_columns"]),
        frozenset(raw["deterministic"]),
        raw["outer_join_written"],
    )
    query = spec.by_name(QueryName(raw["name"])).query
    assert query is not None
    return CompiledQuery(query, parse_plan(json.dumps(raw["plan"])), facts, raw["options"])
