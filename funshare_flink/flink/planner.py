"""The planner session: walks a workload's statements once and compiles each query at its place."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from funshare_flink.flink.flink_errors import first_sentence
from funshare_flink.flink.options import SessionOptions
from funshare_flink.flink.session import table_environment
from funshare_flink.flink.temporary_tables import TemporaryTables
from funshare_flink.flink.user_functions import UserFunctions
from funshare_flink.flink.written_query import has_outer_join, written_keys
from funshare_flink.model.errors import Problem, SourceLocation, WorkloadRefusedError
from funshare_flink.model.verdict import Verdict, VerdictKind
from funshare_flink.model.workload import QuerySpec, Statement, StatementKind, WorkloadSpec
from funshare_flink.plan.classify import STATE_TTL, PlannerFacts
from funshare_flink.plan.compiled import CompiledQuery, CompiledWorkload
from funshare_flink.plan.folded_keys import may_have_folded_keys
from funshare_flink.plan.graph import parse_plan
from funshare_flink.plan.join_shape import JOINS, read_join
from funshare_flink.plan.script import find_placeholders, is_ctas
from funshare_flink.plan.side import NotShareable


def compile_workload(workload: WorkloadSpec, options: Mapping[str, str] | None = None) -> CompiledWorkload:
    """Compile every query of the workload with Flink's planner.

    A query that Flink refuses is in `rejected`, the others go on. A statement that is no query and cannot be
    executed refuses the whole workload (WorkloadRefusedError): what follows would mean something else.
    """
    refuse_bad_text(workload)
    walk = _Walk(workload, dict(options or {}))
    for item in workload.statements:
        walk.take(item.statement, item.query)
    if walk.problems:
        raise WorkloadRefusedError(tuple(walk.problems))
    return CompiledWorkload(workload, tuple(walk.compiled), tuple(walk.rejected), walk.functions.ddl())


def refuse_bad_text(workload: WorkloadSpec) -> None:
    """Refuse what can be seen from the text alone, all of it at once, before Flink is started."""
    problems: list[Problem] = []
    for item in workload.statements:
        statement = item.statement
        if statement.problem is not None:
            problems.append(Problem(statement.location, statement.problem))
        problems.extend(
            Problem(
                SourceLocation(statement.location.file, p.line, statement.location.statement),
                f"the placeholder {p.text} is not filled in; put its value there before running the workload",
            )
            for p in find_placeholders(statement)
        )
    if problems:
        raise WorkloadRefusedError(tuple(problems))


@dataclass
class _Walk:
    """The table environment and what has been seen so far."""

    workload: WorkloadSpec
    base_options: dict[str, str]
    compiled: list[CompiledQuery] = field(default_factory=list)
    rejected: list[Verdict] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def __post_init__(self) -> None:
        options = dict(self.base_options)
        if self.workload.python_files:
            options["python.files"] = ",".join(self.workload.python_files)
            _make_importable(self.workload.python_files)
        if self.workload.jars:
            options["pipeline.jars"] = ";".join(Path(j).as_uri() for j in self.workload.jars)
        self.env = table_environment(options)
        self.options = SessionOptions(self.env)
        self.tables = TemporaryTables(self.env)
        self.functions = UserFunctions(self.env)

    def take(self, statement: Statement, query: QuerySpec | None) -> None:
        if query is not None:
            self._compile(statement, query)
            return
        try:
            self._execute(statement)
        except Exception as e:  # noqa: BLE001 - whatever Flink throws is the user's statement's fault here
            message, where = first_sentence(e, statement.location)
            self.problems.append(Problem(where, message))

    def _execute(self, statement: Statement) -> None:
        match statement.kind:
            case StatementKind.SET | StatementKind.RESET:
                assert statement.setting is not None
                self.options.apply(statement.kind, statement.setting)
            case StatementKind.DDL:
                self.tables.execute_ddl(statement.text)
                self.functions.note(statement.text)
            case _:
                pass  # INFO asks for output only; the rest was refused from its text

    def _compile(self, statement: Statement, query: QuerySpec) -> None:
        try:
            operation = _sink_operation(self.env, statement)
            text = _plan_text(self.env, operation)
        except Exception as e:  # noqa: BLE001 - one query's fault never stops the others
            message, where = first_sentence(e, statement.location)
            self.rejected.append(Verdict(query.name, VerdictKind.REJECTED, message, where))
            return
        graph = parse_plan(text)
        tree = operation.getChild().getCalciteTree()
        facts = PlannerFacts(
            session=self.options.semantic(),
            state_ttl=self.options.explicit().get(STATE_TTL),
            equi_columns=written_keys(tree) if _keys_may_be_hidden(graph) else (),
            deterministic=self.functions.deterministic(),
            outer_join_written=bool(graph.of_kind(*JOINS)) and has_outer_join(tree),
        )
        self.compiled.append(CompiledQuery(query, graph, facts, self.options.explicit()))


def _sink_operation(env: Any, statement: Statement) -> Any:
    """Flink's SinkModifyOperation for an INSERT, or for CREATE TABLE AS: there the table is made in the session's
    catalog, and the query is compiled but not run."""
    java_env = env._j_tenv
    operation = java_env.getParser().parse(statement.text).get(0)
    if not is_ctas(statement):
        return operation
    java_env.executeInternal(operation.getCreateTableOperation())
    return operation.toSinkModifyOperation(java_env.getCatalogManager())


def _plan_text(env: Any, operation: Any) -> str:
    from pyflink.java_gateway import get_gateway

    operations = get_gateway().jvm.java.util.ArrayList()
    operations.add(operation)
    return str(env._j_tenv.compilePlan(operations).asJsonString())


def _keys_may_be_hidden(graph: Any) -> bool:
    try:
        return may_have_folded_keys(read_join(graph))
    except NotShareable:
        return False


def _make_importable(python_files: tuple[str, ...]) -> None:
    """Flink asks this very process for a Python function's object, so its module must be importable here."""
    for file in python_files:
        folder = str(Path(file).parent) if file.endswith(".py") else file
        if folder not in sys.path:
            sys.path.insert(0, folder)
