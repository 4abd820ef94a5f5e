"""The proof of law number one: a query's rows in a group are its rows alone.

A workload runs twice on the same bounded Kafka input with exactly-once sinks: once with every query in a pipeline of
its own, once in groups. Outputs are read as a read_committed consumer would, and compared per query: append sinks as
multisets, upsert sinks by their final table, debezium sinks by what is left after retractions.
"""

from __future__ import annotations

import copy
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from funshare_flink.flink.planner import compile_workload
from funshare_flink.kafka.outputs import read_changelog, read_final_table, read_rows
from funshare_flink.model.grouping import Group
from funshare_flink.model.ids import GroupId, JobId
from funshare_flink.model.workload import WorkloadSpec
from funshare_flink.plan.compiled import CompiledQuery, CompiledWorkload
from funshare_flink.plan.graph import ExecGraph, Json, plan_text
from funshare_flink.plan.group_jobs import WorkloadPlanner
from funshare_flink.plan.query_names import script_workload
from funshare_flink.plan.sinks import sink_tables
from funshare_flink.plan.sources import table_options
from funshare_flink.plan.surgery import GroupPlan
from funshare_flink.ports import JobSpec
from tests.live import LiveCluster
from tests.waiting import wait_until_finished

TOLERANCE = 1e-9
Rows = Counter[bytes]
Partition = Sequence[Sequence[str]]


@dataclass(frozen=True)
class QueryDifference:
    """One query whose rows differ: a few of them, and both plans."""

    query: str
    grouping: Partition
    missing: list[bytes]
    extra: list[bytes]
    plan_alone: str
    plan_shared: str

    def __str__(self) -> str:
        return (
            f"query {self.query} in {self.grouping}\n  missing: {self.missing[:5]}\n  extra: {self.extra[:5]}\n"
            f"plan alone:\n{self.plan_alone}\nplan in the group:\n{self.plan_shared}"
        )


@dataclass
class Report:
    """What was compared: rows of the reference, by query, summed over all groupings."""

    rows: Counter[str] = field(default_factory=Counter)
    comparisons: int = 0
    differences: list[QueryDifference] = field(default_factory=list)

    def require_equal(self) -> None:
        assert not self.differences, "\n\n".join(map(str, self.differences))
        assert self.comparisons > 0, "nothing was compared"


def compare(cluster: LiveCluster, script: str, partitions: Sequence[Partition | None] = (None,)) -> Report:
    """`compare_workload` for a script's text."""
    return compare_workload(cluster, script_workload(script, "test.sql", f"eq{cluster.next_number()}"), partitions)


def compare_workload(
    cluster: LiveCluster, workload: WorkloadSpec, partitions: Sequence[Partition | None] = (None,)
) -> Report:
    """Run the queries alone and then in each partition of them; None: all that can share in one group.

    Sinks must be Kafka tables. Every partition lists groups of query names; queries it leaves out are not run."""
    compiled = _exactly_once(compile_workload(workload))
    assert not compiled.rejected, [f"{v.query}: {v.reason}" for v in compiled.rejected]
    planner = WorkloadPlanner(compiled)
    chosen = [_full(planner) if p is None else _shareable_part(planner, p) for p in partitions]
    wanted = {q for p in chosen for g in p for q in g}
    queries = [q for q in compiled.queries if q.spec.name in wanted]
    reference = _run_alone(cluster, planner, queries)
    report = Report()
    for partition in chosen:
        outputs = _run_grouped(cluster, planner, partition)
        for query in (q for q in queries if q.spec.name in outputs):
            name = str(query.spec.name)
            _compare_one(planner, query, partition, (reference[name], outputs[name]), report)
    return report


def _full(planner: WorkloadPlanner) -> Partition:
    classes: dict[object, list[str]] = {}
    for c in planner.candidates():
        classes.setdefault(c.share_class or c.name, []).append(str(c.name))
    return [g for g in classes.values() if len(g) > 1]


def _shareable_part(planner: WorkloadPlanner, partition: Partition) -> Partition:
    """Without queries that turn out not to share (a filter that is never true leaves no join), and with groups of
    one left out: alone against alone would prove nothing."""
    able = {str(c.name) for c in planner.candidates() if c.share_class is not None}
    groups = [[q for q in g if q in able] for g in partition]
    return [g for g in groups if len(g) > 1]


def _compare_one(
    planner: WorkloadPlanner,
    query: CompiledQuery,
    partition: Partition,
    rows: tuple[Rows, Rows],
    report: Report,
) -> None:
    alone, grouped = rows
    name = str(query.spec.name)
    report.rows[name] += sum(alone.values())
    report.comparisons += 1
    missing, extra = _difference(alone, grouped)
    if missing or extra:
        group = next(g for g in partition if name in g)
        shared = planner.job(_group(planner, group), 1).plan.text
        own = plan_text(query.graph.flink_version, [n.json for n in query.graph.nodes.values()], query.graph.inputs)
        report.differences.append(QueryDifference(name, partition, missing, extra, own, shared))


def _difference(alone: Rows, grouped: Rows) -> tuple[list[bytes], list[bytes]]:
    """Rows of one run without a partner in the other. Sums of DOUBLE depend on the order of addition, in plain Flink
    too, so what is left is paired within a relative 1e-9."""
    missing, extra = list((alone - grouped).elements()), list((grouped - alone).elements())
    for row in list(missing):
        partner = next((e for e in extra if _close(row, e)), None)
        if partner is not None:
            missing.remove(row)
            extra.remove(partner)
    return missing, extra


def _close(a: bytes, b: bytes) -> bool:
    return _close_values(json.loads(a), json.loads(b))


def _close_values(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=TOLERANCE)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_close_values(a[k], b[k]) for k in a)
    return a == b


def _run_alone(cluster: LiveCluster, planner: WorkloadPlanner, queries: list[CompiledQuery]) -> dict[str, Rows]:
    """Every query in a pipeline of its own. Queries with equal options share one job: nothing but the job is shared,
    no scan and no operator, so their rows cannot change."""
    suffix = f".alone{cluster.next_number()}"
    by_options: dict[str, list[CompiledQuery]] = {}
    for q in queries:
        by_options.setdefault(json.dumps([dict(q.options), dict(q.facts.session)], sort_keys=True), []).append(q)
    _make_topics(cluster, queries, suffix)
    redirected = WorkloadPlanner(planner.compiled.writing_to(suffix))
    for batch in by_options.values():
        text = _together([redirected.job(_group(planner, [str(q.spec.name)]), 1).plan.text for q in batch])
        _run_job(cluster, planner, f"alone{suffix}-{batch[0].spec.name}", text, batch[0])
    return {str(q.spec.name): _output(cluster, q, suffix) for q in queries}


def _run_grouped(cluster: LiveCluster, planner: WorkloadPlanner, partition: Partition) -> dict[str, Rows]:
    """Each group as its own job."""
    suffix = f".grouped{cluster.next_number()}"
    names = {q for g in partition for q in g}
    queries = [q for q in planner.compiled.queries if q.spec.name in names]
    _make_topics(cluster, queries, suffix)
    redirected = WorkloadPlanner(planner.compiled.writing_to(suffix))
    for number, members in enumerate(partition):
        job = redirected.job(_group(redirected, members), 1)
        lead = planner.query(job.group.members[0])
        job_id = _run_job(cluster, planner, f"group{number}{suffix}", job.plan.text, lead)
        _require_one_join(cluster, job_id, job.plan)
    return {str(q.spec.name): _output(cluster, q, suffix) for q in queries}


def _require_one_join(cluster: LiveCluster, job: JobId, plan: GroupPlan) -> None:
    """Count joins and scans in the job graph that really ran: one join per group, one scan per topic."""
    names = " ".join(v.name for v in cluster.jobs.vertices(job))
    assert len(re.findall(r"\b(?:Interval|Window)?Join\[", names)) == plan.joins == 1, names
    assert len(re.findall(r"\bSource: ", names)) == plan.scans, names


def _run_job(
    cluster: LiveCluster, planner: WorkloadPlanner, name: str, text: str, lead: CompiledQuery, slots: int = 2
) -> JobId:
    workload = planner.compiled.workload
    spec = JobSpec(
        f"{workload.name}/{name}", text, slots, lead.options, planner.compiled.functions, workload.python_files
    )
    job = cluster.jobs.submit(spec)
    wait_until_finished(cluster.jobs, job)
    return job


def _group(planner: WorkloadPlanner, members: Sequence[str]) -> Group:
    candidates = {str(c.name): c for c in planner.candidates()}
    chosen = [candidates[m] for m in members]
    return Group(GroupId("test"), tuple(c.name for c in chosen), 2, chosen[0].share_class, "test")


def _together(plans: list[str]) -> str:
    """Several plans in one text; their node ids are disjoint because every query has its own range."""
    parts = [json.loads(p) for p in plans]
    nodes = [n for p in parts for n in p["nodes"]]
    inputs: dict[int, tuple[int, ...]] = {}
    for edge in (e for p in parts for e in p["edges"]):
        inputs[edge["target"]] = (*inputs.get(edge["target"], ()), edge["source"])
    assert len({n["id"] for n in nodes}) == len(nodes)
    return plan_text(parts[0]["flinkVersion"], nodes, inputs)


def _exactly_once(compiled: CompiledWorkload) -> CompiledWorkload:
    """The same queries with every Kafka sink transactional."""
    queries = tuple(replace(q, graph=_transactional(q.graph)) for q in compiled.queries)
    return replace(compiled, queries=queries)


def _transactional(graph: ExecGraph) -> ExecGraph:
    return replace(graph, nodes={i: replace(n, json=_transactional_sink(n.json)) for i, n in graph.nodes.items()})


def _transactional_sink(node: Json) -> Json:
    if "dynamicTableSink" not in node:
        return node
    changed = copy.deepcopy(node)
    options = changed["dynamicTableSink"]["table"]["resolvedTable"]["options"]
    assert options["connector"] in ("kafka", "upsert-kafka"), f"not a Kafka sink: {options}"
    options["sink.delivery-guarantee"] = "exactly-once"
    options.setdefault("sink.transactional-id-prefix", "test")
    options["properties.transaction.timeout.ms"] = "600000"
    return changed


def _sink_options(query: CompiledQuery) -> dict[str, str]:
    return table_options(sink_tables(query.graph)[0])


def _make_topics(cluster: LiveCluster, queries: list[CompiledQuery], suffix: str) -> None:
    cluster.topics.create(tuple({_sink_options(q)["topic"] + suffix for q in queries}), 1)


def _output(cluster: LiveCluster, query: CompiledQuery, suffix: str) -> Rows:
    options = _sink_options(query)
    topic = options["topic"] + suffix
    if options["connector"] == "upsert-kafka":
        table = read_final_table(cluster.bootstrap, topic)
        return Counter(b'{"key": %s, "value": %s}' % row for row in table.items())
    if options.get("format", options.get("value.format")) == "debezium-json":
        return read_changelog(cluster.bootstrap, topic)
    return read_rows(cluster.bootstrap, topic)
