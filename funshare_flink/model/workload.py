"""A workload: the user's statements in order, and which of them are queries.

Made by `funshare_flink.plan.script` (text) and `funshare_flink.flink.workload_files` (files); read by the
planner session, which walks `WorkloadSpec.statements` once: it executes DDL, applies SET and RESET, and
compiles each query at its place, so that every query sees exactly the options that stood before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from funshare_flink.model.errors import BadInputError, SourceLocation
from funshare_flink.model.ids import QueryName


class StatementKind(Enum):
    """What a statement is by its leading keywords alone; Flink's parser has the last word."""

    INSERT = "insert"
    """A query. `EXECUTE INSERT` and the members of statement sets are INSERTs too."""
    DDL = "ddl"
    """CREATE, ALTER, DROP, USE, LOAD, ADD JAR and so on; also CREATE TABLE AS, which is a query as well."""
    SET = "set"
    RESET = "reset"
    INFO = "info"
    """EXPLAIN, SHOW, DESCRIBE, a bare SET: asks for output, changes nothing, is passed over."""
    SELECT = "select"
    """A query without a sink: not allowed in a workload."""
    OTHER = "other"
    """Flink SQL that has no place in a workload: DELETE, CALL, EXECUTE PLAN and so on."""
    UNKNOWN = "unknown"
    """No Flink SQL: a fragment, a client prompt, an unresolved template."""


@dataclass(frozen=True)
class Setting:
    """The operands of SET and RESET, quotes removed. `RESET` alone has no key: it resets everything."""

    key: str | None
    value: str | None = None


@dataclass(frozen=True)
class Directives:
    """What `-- funshare: key=value` comments (or YAML keys) ask for; None = not said."""

    slots: int | None = None
    min_rate_rps: float | None = None
    pinned: bool | None = None
    name: str | None = None


@dataclass(frozen=True)
class Statement:
    """One statement as the user wrote it, without its semicolon and the comments around it.

    `location` is the place of its first token; `location.statement` counts the non-empty pieces between
    semicolons of the file. Flink's own line numbers count from the statement's first line.
    `set_id` numbers the statement set that it belongs to (from 1 within a file).
    `problem` is a plain reason why the statement must not run, known from its text alone; None = none seen.
    """

    text: str
    location: SourceLocation
    kind: StatementKind
    directives: Directives = Directives()
    set_id: int | None = None
    setting: Setting | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Script:
    """All statements of one text in order; the frame of a statement set (BEGIN, END) is no statement."""

    file: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, kw_only=True)
class QuerySpec:
    """A query and what its owner asks for. `slots` are the task slots that it would have alone.

    `min_rate_rps`: input records per second that it must keep up with, None = whatever it would do alone.
    `pinned`: never to be moved into another group. `location`: where it was named.
    """

    name: QueryName
    location: SourceLocation
    slots: int = 1
    min_rate_rps: float | None = None
    pinned: bool = False


@dataclass(frozen=True)
class WorkloadStatement:
    """A statement at its place in the workload; `query` is None for everything that is not a query."""

    statement: Statement
    query: QuerySpec | None = None


@dataclass(frozen=True, kw_only=True)
class WorkloadSpec:
    """A workload as read, before Flink has seen it.

    `file` is the path as the user gave it, `base_dir` its folder as an absolute path. `python_files` and
    `jars` are absolute paths.
    """

    name: str
    file: str
    base_dir: str
    statements: tuple[WorkloadStatement, ...]
    python_files: tuple[str, ...] = ()
    jars: tuple[str, ...] = ()

    @property
    def queries(self) -> tuple[QuerySpec, ...]:
        """The queries in the order of the workload."""
        return tuple(s.query for s in self.statements if s.query is not None)

    def by_name(self, name: str) -> WorkloadStatement:
        """The query's statement; BadInputError names the queries that there are."""
        for candidate in self.statements:
            if candidate.query is not None and candidate.query.name == name:
                return candidate
        known = ", ".join(q.name for q in self.queries[:20]) or "none"
        raise BadInputError(f"the workload has no query {name!r}; its queries are: {known}", SourceLocation(self.file))


def name_problem(name: str) -> str | None:
    """Why `name` cannot name a query or a workload, or None.

    Names stand in job names, metrics and one-line reports, so they are one short printable line; any sink
    that Flink takes (`odd;sink` included) passes.
    """
    if not name.strip():
        return "a name cannot be empty"
    if name != name.strip():
        return f"the name {name!r} begins or ends with a space"
    if not name.isprintable():
        return f"the name {name!r} holds a character that cannot be printed"
    return f"the name {name[:20]!r}... is longer than 200 characters" if len(name) > 200 else None
