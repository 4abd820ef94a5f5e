"""The planner session: what it keeps of a workload, and how it answers what Flink dislikes."""

from __future__ import annotations

import pytest

from funshare_flink.flink.planner import compile_workload
from funshare_flink.flink.session import table_environment
from funshare_flink.model.errors import WorkloadRefusedError
from funshare_flink.plan.compiled import CompiledWorkload
from funshare_flink.plan.query_names import script_workload
from funshare_flink.plan.sinks import SinkIdentity, sink_tables
from funshare_flink.plan.sources import table_options
from funshare_flink.plan.surgery import alone_plan

pytestmark = [pytest.mark.planner, pytest.mark.usefixtures("planner_home")]

COPY = "INSERT INTO s SELECT * FROM t"
TABLES = """CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',
  'properties.bootstrap.servers' = 'b:1', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE s (a INT, b STRING) WITH ('connector' = 'blackhole');
"""


def compiled(text: str, tables: str = TABLES) -> CompiledWorkload:
    return compile_workload(script_workload(tables + text, "w.sql", "w"))


def test_options_are_those_that_stand_before_a_query() -> None:
    found = compiled(
        f"SET 'a.b' = '1';\n{COPY};\nSET 'a.b' = '2';\nSET 'c' = '3';\n{COPY};\nRESET 'a.b';\n{COPY};\nRESET;\n{COPY};"
    )
    assert [dict(q.options) for q in found.queries] == [{"a.b": "1"}, {"a.b": "2", "c": "3"}, {"c": "3"}, {}]
    assert [str(q.spec.name) for q in found.queries] == ["s", "s#2", "s#3", "s#4"]


def test_functions_that_jobs_need_are_kept() -> None:
    ddl = "CREATE TEMPORARY SYSTEM FUNCTION `any_bit` AS 'org.funshare.kernel.QsAny'"
    found = compiled(f"{ddl};\nINSERT INTO s SELECT * FROM t;")
    assert found.functions == (ddl,)
    assert found.queries[0].facts.deterministic == {"any_bit"}


def test_a_function_of_two_codes_is_refused_and_one_declared_again_is_not() -> None:
    create, drop = "CREATE TEMPORARY FUNCTION f AS 'org.funshare.kernel.{}'", "DROP TEMPORARY FUNCTION f"
    first, second = create.format("QsAny"), create.format("QsAnd")
    with pytest.raises(WorkloadRefusedError, match=r"line 6, statement 5: the function f is declared twice"):
        compiled(f"{first};\n{drop};\n{second};\n{COPY};")
    assert compiled(f"{first};\n{drop};\n{first};\n{COPY};").functions == (
        "CREATE TEMPORARY FUNCTION `default_catalog`.`default_database`.`f` AS 'org.funshare.kernel.QsAny'",
    )


def test_a_function_is_made_again_by_its_full_name() -> None:
    """A job's session has none of the workload's databases, and is in its own."""
    ddl = (
        "CREATE DATABASE d;\nUSE d;\nCREATE /* here */ FUNCTION f AS 'org.funshare.kernel.QsAny';\n"
        "CREATE FUNCTION IF NOT EXISTS f AS 'org.funshare.kernel.QsHas';\nUSE default_database;\n"
        "CREATE FUNCTION `default_catalog`.`default_database`.f AS 'org.funshare.kernel.QsHas';\n"
    )
    assert compiled(ddl + COPY + ";").functions == (
        "CREATE TEMPORARY FUNCTION `default_catalog`.`d`.`f` AS 'org.funshare.kernel.QsAny'",
        "CREATE TEMPORARY FUNCTION `default_catalog`.`default_database`.`f` AS 'org.funshare.kernel.QsHas'",
    )


def test_a_function_altered_to_other_code_is_refused() -> None:
    create = "CREATE FUNCTION f AS 'org.funshare.kernel.QsAny'"
    with pytest.raises(WorkloadRefusedError, match="the function f is declared twice"):
        compiled(f"{create};\nALTER FUNCTION f AS 'org.funshare.kernel.QsHas';\n{COPY};")


def test_a_system_function_named_like_flinks_own_is_refused() -> None:
    with pytest.raises(WorkloadRefusedError, match="the function upper is named like one of Flink's own"):
        compiled(f"CREATE TEMPORARY SYSTEM FUNCTION `upper` AS 'org.funshare.kernel.QsAny';\n{COPY};")


def test_how_plans_are_written_is_not_the_users_to_set() -> None:
    """A plan that only names its tables could not be loaded by a job."""
    found = compiled(f"SET 'table.plan.compile.catalog-objects' = 'IDENTIFIER';\n{COPY};")
    assert table_options(sink_tables(found.queries[0].graph)[0])["connector"]


def test_a_temporary_table_never_silently_becomes_the_one_that_it_hides() -> None:
    with pytest.raises(WorkloadRefusedError, match="would hide the table of that name"):
        compiled(f"CREATE TEMPORARY TABLE IF NOT EXISTS t (a INT) WITH ('connector' = 'print');\n{COPY};")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE TABLE t (a INT) WITH ('connector' = 'print')", "line 4, statement 3: .*already exists"),
        ("CREATE VIEW v AS SELECT nowhere FROM t", "line 4, statement 3: .*nowhere"),
        ("DROP TABLE gone", "line 4, statement 3: .*gone"),
        ("CREATE TEMPORARY TABLE t (a INT) WITH ('connector' = 'print')", "already exists"),
    ],
)  # fmt: skip
def test_ddl_that_flink_refuses_refuses_the_workload(text: str, message: str) -> None:
    with pytest.raises(WorkloadRefusedError, match=message):
        compiled(f"{text};\n{COPY};")


@pytest.mark.parametrize(
    ("query", "reason", "line"),
    [
        ("INSERT INTO s\nSELECT a,\n  nowhere FROM t;", "'nowhere' not found", 6),
        ("INSERT INTO s SELECT a FROM t;", "", 4),
        ("INSERT INTO nothing SELECT * FROM t;", "nothing", 4),
        ("INSERT INTO s SELECT FROM t;", "", 4),
        ("INSERT INTO s SELECT b, a FROM t;", "", 4),
    ],
)
def test_a_query_that_flink_refuses_is_rejected_where_it_stands(query: str, reason: str, line: int) -> None:
    found = compiled(query + "\nINSERT INTO s SELECT * FROM t;")
    (verdict,) = found.rejected
    assert reason in verdict.reason
    assert "\n" not in verdict.reason
    assert verdict.reason
    assert verdict.location.line == line
    assert len(found.queries) == 1


def test_a_connector_that_is_not_there_is_said_to_be_missing() -> None:
    tables = "CREATE TABLE j (a INT) WITH ('connector' = 'nowhere');\n"
    found = compiled("INSERT INTO j SELECT a FROM t;", TABLES + tables)
    assert (
        "no connector or format 'nowhere' on the class path: put its jar into the folder lib"
        in found.rejected[0].reason
    )


def test_the_plan_of_a_query_over_temporary_tables_loads_in_another_session() -> None:
    """A job's session knows none of the workload's tables: its plan must bring them along."""
    found = compiled(
        "CREATE TEMPORARY TABLE tt (a INT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'tt', 'format' = 'json',\n"
        "  'properties.bootstrap.servers' = 'b:1', 'scan.startup.mode' = 'earliest-offset');\n"
        "CREATE TEMPORARY TABLE ts (a INT, b STRING) WITH ('connector' = 'blackhole');\n"
        "INSERT INTO ts SELECT * FROM tt WHERE a > 1;",
        tables="",
    )
    (query,) = found.queries
    assert table_options(sink_tables(query.graph)[0]) == {"connector": "blackhole"}
    plan = alone_plan(query.graph, 0, SinkIdentity("w", "ts", 1)).text
    fresh = table_environment({"table.plan.restore.catalog-objects": "ALL_ENFORCED"})
    from pyflink.table import PlanReference

    loaded = fresh.load_plan(PlanReference.from_json_string(plan))
    loaded._t_env = fresh
    assert "Source" in loaded.explain()


def test_a_set_of_another_session_is_not_seen() -> None:
    compiled("SET 'table.exec.state.ttl' = '5 h';\nINSERT INTO s SELECT * FROM t;")
    (query,) = compiled("INSERT INTO s SELECT * FROM t;").queries
    assert query.options == {}
    assert all("5 h" not in str(n.json) for n in query.graph.nodes.values())
