"""Which statements are queries, and what each is called: by its owner, else by its sink."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from funshare_flink.model.errors import BadInputError, SourceLocation
from funshare_flink.model.ids import QueryName
from funshare_flink.model.workload import QuerySpec, Statement, WorkloadSpec, WorkloadStatement
from funshare_flink.plan.script import is_query, sink_name, split_script


@dataclass(frozen=True)
class NamedAt:
    """A statement and the place where its query is named: a YAML key, or the statement itself."""

    statement: Statement
    place: SourceLocation


def script_workload(text: str, file: str, name: str, base_dir: str = "") -> WorkloadSpec:
    """The workload of one script's text; `file` is what messages call it. Raises BadInputError."""
    statements = split_script(text, file).statements
    named = name_queries(NamedAt(s, s.location) for s in statements)
    require_query(named, file)
    return WorkloadSpec(name=name, file=file, base_dir=base_dir, statements=named)


def name_queries(candidates: Iterable[NamedAt]) -> tuple[WorkloadStatement, ...]:
    """Name the queries among the statements, keep the order.

    A name given by the owner is taken first, and twice is an error that names both places. All others are
    called after their sink: `sink`, `sink#2`, ... in order, whatever Flink will say of them, so that a
    query does not change its name when another one is mended.
    """
    candidates = list(candidates)
    queries = [c for c in candidates if is_query(c.statement)]
    taken = _given_names(queries)
    names = {id(c): c.statement.directives.name or _next_name(c.statement, taken) for c in queries}
    return tuple(
        WorkloadStatement(c.statement, _query(c, names[id(c)]) if id(c) in names else None) for c in candidates
    )


def require_query(statements: Sequence[WorkloadStatement], file: str) -> None:
    """BadInputError if there is nothing to run."""
    if any(s.query for s in statements):
        return
    message = "the workload has no INSERT: tables and views alone are no query"
    bad = next((s.statement for s in statements if s.statement.problem), None)
    if bad is not None:
        message += f"; in {bad.location}: {bad.problem}"
    raise BadInputError(message, SourceLocation(file))


def _given_names(queries: Iterable[NamedAt]) -> set[str]:
    first: dict[str, NamedAt] = {}
    for query in queries:
        name = query.statement.directives.name
        if name is None:
            continue
        if name in first:
            message = f"two queries are called {name!r}, the other one in {first[name].place}; rename one"
            raise BadInputError(message, query.place)
        first[name] = query
    return set(first)


def _next_name(statement: Statement, taken: set[str]) -> str:
    """The sink's name, numbered from its second query on; adds it to `taken`."""
    sink = sink_name(statement) or f"statement-{statement.location.statement}"
    name, number = sink, 1
    while name in taken:
        number += 1
        name = f"{sink}#{number}"
    taken.add(name)
    return name


def _query(candidate: NamedAt, name: str) -> QuerySpec:
    directives = candidate.statement.directives
    return QuerySpec(
        name=QueryName(name),
        location=candidate.place,
        slots=directives.slots or 1,
        min_rate_rps=directives.min_rate_rps,
        pinned=directives.pinned or False,
    )
