"""A workload after Flink's planner has seen it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from funshare_flink.model.verdict import Verdict, VerdictKind
from funshare_flink.model.workload import QuerySpec, WorkloadSpec
from funshare_flink.plan.classify import Isolated, PlannerFacts, Shareable, classify, filter_texts, notes
from funshare_flink.plan.graph import ExecGraph
from funshare_flink.plan.sinks import with_topic_suffix


@dataclass(frozen=True)
class CompiledQuery:
    """A query with its plan. `options`: what the user had SET at its place."""

    spec: QuerySpec
    graph: ExecGraph
    facts: PlannerFacts
    options: Mapping[str, str]

    def classified(self) -> Shareable | Isolated:
        return classify(self.spec.name, self.graph, self.facts)


@dataclass(frozen=True)
class CompiledWorkload:
    """Compiled and rejected queries; `functions`: the CREATE FUNCTION statements that their jobs need."""

    workload: WorkloadSpec
    queries: tuple[CompiledQuery, ...]
    rejected: tuple[Verdict, ...]
    functions: tuple[str, ...]

    def writing_to(self, suffix: str) -> CompiledWorkload:
        """The same queries writing to other topics, to compare two runs (see `sinks.with_topic_suffix`)."""
        queries = tuple(replace(q, graph=with_topic_suffix(q.graph, suffix)) for q in self.queries)
        return replace(self, queries=queries)

    def verdicts(self) -> tuple[Verdict, ...]:
        """One verdict a query, in the workload's order."""
        found = {v.query: v for v in self.rejected}
        found.update({q.spec.name: verdict_of(q, q.classified()) for q in self.queries})
        return tuple(found[q.name] for q in self.workload.queries if q.name in found)


def verdict_of(query: CompiledQuery, classified: Shareable | Isolated) -> Verdict:
    where = query.spec.location
    if isinstance(classified, Isolated):
        return Verdict(query.spec.name, VerdictKind.ISOLATED, classified.reason, where)
    left, right, residual = filter_texts(classified)
    return Verdict(
        query.spec.name, VerdictKind.SHAREABLE, "", where, classified.share_class, left, right, residual,
        notes(classified),
    )  # fmt: skip
