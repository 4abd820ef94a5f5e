"""The verdict on one compiled query: shareable with whom, or alone and why."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from funshare_flink.model.ids import QueryName, ShareClassId
from funshare_flink.plan import rex
from funshare_flink.plan.describe import conjunction, side_filter_text
from funshare_flink.plan.folded_keys import EquiColumns, restore_folded_keys
from funshare_flink.plan.graph import ExecGraph, Json
from funshare_flink.plan.join_shape import JOIN, JoinShape, join_spec, read_join, signature, tail_kinds
from funshare_flink.plan.side import NotShareable, Side
from funshare_flink.plan.types import is_proctime, row_fields

STATE_TTL = "table.exec.state.ttl"
READ_TTL_FROM_JOB = frozenset(
    {
        "over-aggregate", "group-window-aggregate", "group-table-aggregate", "process-table-function", "temporal-join",
        "python-over-aggregate", "python-group-aggregate", "python-group-table-aggregate",
        "python-group-window-aggregate",
    }
)  # fmt: skip
"""Operators whose state TTL is not in their plan: they take the job's when they are made (Flink 2.2.1's exec nodes
that call `getStateRetentionTime`). A group is one job."""


@dataclass(frozen=True)
class PlannerFacts:
    """What only Flink can tell of a query beyond its plan.

    `session`: options in force that change what operators compute. `state_ttl`: table.exec.state.ttl if it is set;
    most operators have theirs in the plan, see `READ_TTL_FROM_JOB` for the others. `equi_columns`: equalities between
    the two inputs in the query as written, which constants may have folded away in the plan. `deterministic`:
    lower-case names of the user's functions that say they are. `outer_join_written`: the query says OUTER somewhere,
    even if Flink has proved the join to be an inner one.
    """

    session: Mapping[str, str] = field(default_factory=dict)
    equi_columns: tuple[EquiColumns, ...] = ()
    deterministic: frozenset[str] = frozenset()
    outer_join_written: bool = False
    state_ttl: str | None = None


@dataclass(frozen=True)
class Shareable:
    """A query that may share: its join in normal form, its class, and whether its sides are swapped there."""

    name: QueryName
    share_class: ShareClassId
    shape: JoinShape
    swapped: bool
    session: Mapping[str, str]

    @property
    def first(self) -> Side:
        """The side that is left in the share class."""
        return self.shape.right if self.swapped else self.shape.left

    @property
    def second(self) -> Side:
        return self.shape.left if self.swapped else self.shape.right


@dataclass(frozen=True)
class Isolated:
    """A query that runs alone, and why."""

    name: QueryName
    reason: str


def classify(name: QueryName, graph: ExecGraph, facts: PlannerFacts) -> Shareable | Isolated:
    """Isolating is always right; sharing must be proved here (shared design, section 3)."""
    try:
        if facts.outer_join_written:
            raise NotShareable("outer join")
        shape = restore_folded_keys(read_join(graph), facts.equi_columns)
        _require_keys(shape)
        _require_determinism(shape, facts.deterministic)
    except NotShareable as e:
        return Isolated(name, str(e))
    text, swapped = signature(shape, _session_of(shape, facts))
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    return Shareable(name, ShareClassId(digest), shape, swapped, facts.session)


def _session_of(shape: JoinShape, facts: PlannerFacts) -> Mapping[str, str]:
    """The options in which all members must agree; the job's state TTL only where the tail asks for it."""
    if facts.state_ttl is None or not READ_TTL_FROM_JOB.intersection(tail_kinds(shape)):
        return facts.session
    return {**facts.session, STATE_TTL: facts.state_ttl}


def _require_keys(shape: JoinShape) -> None:
    if not shape.keys:
        raise NotShareable("no equi-key between the two inputs")


def _require_determinism(shape: JoinShape, deterministic: frozenset[str]) -> None:
    for side in (shape.left, shape.right):
        _check_terms(side.filters, deterministic, "non-deterministic filter")
        _check_terms(side.columns, deterministic, "non-deterministic expression below the join")
        if any(is_proctime(f.type) for f in side.column_fields):
            raise NotShareable("processing time below the join")
    _check_terms(shape.residual, deterministic, "non-deterministic filter")


def _check_terms(terms: tuple[Json, ...], deterministic: frozenset[str], reason: str) -> None:
    for term in terms:
        found = rex.nondeterministic_function(term, deterministic)
        if found is not None:
            raise NotShareable(f"{reason}: {found}")


def filter_texts(query: Shareable) -> tuple[str, str, str]:
    """Filters of the class's first and second side and the residual, for people."""
    residual = ""
    if query.shape.residual:
        residual = conjunction(query.shape.residual, row_fields(query.shape.output_type))
    return side_filter_text(query.first), side_filter_text(query.second), residual


def notes(query: Shareable) -> tuple[str, ...]:
    """What an operator should know of a query before it shares."""
    result = []
    if query.shape.join.kind == JOIN and all(t.split()[0] == "0" for t in query.shape.ttl):
        result.append("regular join without state TTL: its state grows for ever")
    for term in (*query.first.filters, *query.second.filters, *query.shape.residual):
        if (what := rex.fails_on_bad_rows(term)) is not None:
            result.append(
                f"its filter fails on bad rows ({what}): alone it would fail alone, in a group all fail with it"
            )
    for node_id in query.shape.tail:
        if query.shape.graph.nodes[node_id].json.get("requireUpsertMaterialize"):
            result.append("the sink materialises upserts: its key is not the query's key")
    if not join_spec(query.shape.join)["leftKeys"]:
        result.append("alone, Flink plans this join without a key, in one subtask: its key is a constant")
    return tuple(result)
