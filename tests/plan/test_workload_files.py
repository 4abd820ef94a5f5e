"""Workloads from files: what is read, and what each mistake is answered with."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from funshare_flink.flink.workload_files import load_workload
from funshare_flink.model.errors import BadInputError
from funshare_flink.model.workload import QuerySpec, StatementKind, WorkloadSpec

TABLES = "CREATE TABLE trams (line INT) WITH ('connector' = 'datagen');\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def load(folder: Path, name: str, text: str) -> WorkloadSpec:
    return load_workload(write(folder, name, text))


def refusal(folder: Path, text: str, name: str = "w.yaml") -> str:
    with pytest.raises(BadInputError) as caught:
        load(folder, name, text)
    return str(caught.value).replace(str(folder) + "/", "")


def asked(query: QuerySpec) -> tuple[str, int, float | None, bool]:
    return query.name, query.slots, query.min_rate_rps, query.pinned


def test_a_script_is_a_workload(tmp_path: Path) -> None:
    text = TABLES + (
        "-- funshare: slots=2, min_rate_rps=50\nINSERT INTO late SELECT 1;\n"
        "INSERT INTO late SELECT 2;\n-- funshare: name=late#3 pinned=true\nINSERT INTO early SELECT 3;\n"
        "INSERT INTO late SELECT 4;"
    )
    spec = load(tmp_path, "night.sql", text)
    assert (spec.name, spec.base_dir) == ("night", str(tmp_path.resolve()))
    assert [asked(q) for q in spec.queries] == [
        ("late", 2, 50.0, False),
        ("late#2", 1, None, False),
        ("late#3", 1, None, True),
        ("late#4", 1, None, False),
    ]
    assert spec.by_name("late#3").statement.location.line == 6
    with pytest.raises(BadInputError, match=r"no query 'later'; its queries are: late, late#2"):
        spec.by_name("later")


def test_a_yaml_workload(tmp_path: Path) -> None:
    write(tmp_path, "ddl/a.sql", TABLES + "SET 'table.exec.state.ttl' = '1 h';")
    write(tmp_path, "ddl/b.sql", "CREATE TABLE late (line INT) WITH ('connector' = 'print');")
    write(tmp_path, "q/late.sql", "-- funshare: slots=9, pinned=true\nINSERT INTO late SELECT 2")
    write(tmp_path, "udfs.py", "")
    write(tmp_path, "x.jar", "")
    spec = load(
        tmp_path,
        "depot.yaml",
        """
name: depot
sql: [ddl/a.sql, ddl/b.sql]
options: {pipeline.max-parallelism: 128, 'a': "it's", b: true, c: 1.10}
python_files: udfs.py
jars: [x.jar]
queries:
  - name: first
    sql: |
      -- why
      INSERT INTO late
      SELECT 1
    slots: 2
    min_rate_rps: 1000
  - file: q/late.sql
    slots: 3
""",
    )
    assert (spec.name, spec.python_files) == ("depot", (str(tmp_path.resolve() / "udfs.py"),))
    assert spec.jars == (str(tmp_path.resolve() / "x.jar"),)
    assert [asked(q) for q in spec.queries] == [("first", 2, 1000.0, False), ("late", 3, None, True)]
    kinds = [s.statement.kind.value for s in spec.statements]
    assert kinds == ["set", "set", "set", "set", "ddl", "set", "ddl", "insert", "insert"]
    settings = [s.statement.setting for s in spec.statements if s.statement.setting]
    assert [s.value for s in settings] == ["128", "it's", "true", "1.10", "1 h"]
    assert spec.statements[1].statement.text == "SET 'a' = 'it''s'"
    first = spec.by_name("first")
    assert first.query is not None
    assert (first.statement.location.line, first.query.location.line) == (11, 8)


def test_inserts_in_the_files_of_a_yaml_workload_are_queries(tmp_path: Path) -> None:
    write(tmp_path, "all.sql", TABLES + "INSERT INTO late SELECT 1")
    spec = load(tmp_path, "w.yml", "sql: all.sql\n")
    assert [q.name for q in spec.queries] == ["late"]


def test_a_hidden_query_counts(tmp_path: Path) -> None:
    spec = load(tmp_path, "c.sql", "CREATE TABLE c WITH ('connector'='print') AS SELECT 1")
    assert [q.name for q in spec.queries] == ["c"]
    assert spec.statements[0].statement.kind is StatementKind.DDL


@pytest.mark.parametrize("text", ["", "-- nothing", TABLES + "CREATE VIEW v AS SELECT 1;"])
def test_a_workload_without_a_query_says_so(tmp_path: Path, text: str) -> None:
    assert "w.sql: the workload has no INSERT" in refusal(tmp_path, text, "w.sql")


def test_a_workload_of_broken_statements_names_the_first(tmp_path: Path) -> None:
    message = refusal(tmp_path, "SELECT 1;\nSELECT 2", "w.sql")
    assert "w.sql, line 1, statement 1: a query without a sink" in message


Q = "queries:\n- name: a\n  sql: INSERT INTO s SELECT 1\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("queries: [", "w.yaml, line 1: this is not YAML"),
        ("a: b\n\tc: d", "w.yaml, line 2: this is not YAML"),
        ("a: 1\n---\nb: 2", "this is not YAML"),
        ("", "the file is empty"),
        ("- a", "w.yaml, line 1: a workload must be a mapping"),
        ("name: x\n", "`queries` is missing"),
        ("queries:\n", "`queries` is missing"),
        ("queries: []", "no INSERT"),
        ("queries: {a: b}", "queries must be a list"),
        ("queries: [a]", "each of queries must be a mapping"),
        (Q + "querys: []", "w.yaml, line 4: unknown key 'querys'; did you mean 'queries'?"),
        (Q + "zzz: 1", "unknown key 'zzz'; the keys are name, sql"),
        (Q + Q, "line 4: the key 'queries' stands here again, first in w.yaml, line 1"),
        (Q + "  slot: 2", "line 4: unknown key 'slot'; did you mean 'slots'?"),
        (Q + "  slots: 0", "w.yaml, line 4: slots must be a whole number of 1 or more, not 0"),
        (Q + "  slots: -2", "not -2"),
        (Q + "  slots: true", "not True"),
        (Q + "  slots: 1.5", "not 1.5"),
        (Q + "  slots: '2'", "not '2'"),
        (Q + "  slots: [2]", "line 4: slots must be one value"),
        (Q + "  min_rate_rps: 0", "above 0"),
        (Q + "  min_rate_rps: .inf", "above 0"),
        (Q + "  min_rate_rps: fast", "not 'fast'"),
        (Q + "  pinned: 1", "true or false, not 1"),
        (Q + "  file: x.sql", "line 3: a query has sql or file, not both; file stands in w.yaml, line 4"),
        ("queries:\n- name: a", "w.yaml, line 2: a query needs sql"),
        ("queries:\n- name: a\n  file: x.sql", "w.yaml, line 3: the file x.sql does not exist"),
        ("queries:\n- sql: ''", "sql must be text"),
        ("queries:\n- sql: SELECT 1", "this is SELECT; put all else in the files under `sql`; a query without"),
        ("queries:\n- sql: INSERT INTO a SELECT 1; INSERT INTO b SELECT 1", "this is INSERT, INSERT"),
        ("queries:\n- sql: -- nothing", "exactly one INSERT, this is nothing"),
        ("queries:\n- sql: INSERT INTO a SELECT 'x", "line 2: the string literal"),
        (Q + "- sql: INSERT INTO b SELECT 1\n  name: a", "line 5: two queries are called 'a', the other one in"),
        (Q.replace("name: a", "name: 5"), "a name must be text, not 5; put it in quotes"),
        (Q.replace("name: a", "name: ''"), "a name cannot be empty"),
        (Q.replace("name: a", 'name: "a\\tb"'), "cannot be printed"),
        (Q.replace("name: a", "name: " + "a" * 201), "longer than 200"),
        (Q + "name: a/b", "cannot hold a slash"),
        (Q + "sql: gone.sql", "line 4: the file gone.sql does not exist"),
        (Q + "jars: gone.jar", "line 4: gone.jar does not exist"),
        (Q + "python_files: [gone.py]", "line 4: gone.py does not exist"),
        (Q + "options: {a: [1]}", "line 4: the option 'a' needs one value"),
        (Q + "options: {a: }", "line 4: the option 'a' needs one value"),
        (Q + "options: [a]", "options must be a mapping"),
        (Q + "sql: {a: b}", "sql must be one value"),
        (Q + "name: !!python/object:os.system x", "cannot read"),
        (Q + 'sql: "a\\0b"', "cannot be read"),
    ],
)
def test_bad_yaml(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(tmp_path, text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.sql").write_bytes(b"SHOW TABLES;\n-- caf\xe9")
    (tmp_path / "folder.sql").mkdir()
    for name, words in [
        ("latin.sql", "latin.sql, line 2: the file is not UTF-8"),
        ("folder.sql", "cannot be read: Is a directory"),
        ("gone.sql", "gone.sql: the file does not exist"),
        ("notes.txt", "a .sql script or a .yaml file"),
    ]:
        with pytest.raises(BadInputError, match=words):
            load_workload(tmp_path / name)


def test_two_queries_of_one_name_in_a_script(tmp_path: Path) -> None:
    one = "-- funshare: name=a\nINSERT INTO s SELECT 1;\n"
    message = refusal(tmp_path, one + one, "w.sql")
    assert message.startswith("w.sql, line 4, statement 2: two queries are called 'a', the other one in w.sql, line 2")


FUNCTION = "CREATE TEMPORARY FUNCTION f AS '{}' LANGUAGE PYTHON;\nINSERT INTO s SELECT f(1);"


@pytest.mark.parametrize(
    ("file", "target", "listed"),
    [
        ("sql/depot_udfs.py", "depot_udfs.f", "sql/depot_udfs.py"),
        ("depot_udfs.py", "depot_udfs.f", "depot_udfs.py"),
        ("sql/depot/fares.py", "depot.fares.f", "sql"),
        ("depot/__init__.py", "depot.f", ""),
        ("depot/fares/__init__.py", "depot.fares.f", ""),
    ],
)
def test_the_modules_of_python_functions_are_found(tmp_path: Path, file: str, target: str, listed: str) -> None:
    write(tmp_path, file, "")
    spec = load(tmp_path, "sql/w.sql", FUNCTION.format(target))
    assert spec.python_files == (str((tmp_path / listed).resolve()),)


def test_a_module_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "depot_udfs.py", "")
    spec = load(tmp_path, "a/b/c/w.sql", FUNCTION.format("depot_udfs.f"))
    assert spec.python_files == (str((tmp_path / "depot_udfs.py").resolve()),)


def test_listed_and_importable_modules_need_no_search(tmp_path: Path) -> None:
    write(tmp_path, "lib/depot_udfs.py", "")
    with zipfile.ZipFile(tmp_path / "more.zip", "w") as archive:
        archive.writestr("depot_more.py", "")
    write(tmp_path, "f.sql", FUNCTION.format("depot_udfs.f"))
    write(tmp_path, "g.sql", "CREATE FUNCTION g AS 'depot_more.g' LANGUAGE PYTHON")
    write(tmp_path, "h.sql", "CREATE FUNCTION h AS 'json.dumps' LANGUAGE PYTHON")
    files = ["lib/depot_udfs.py", "more.zip"]
    spec = load(tmp_path, "w.yaml", f"sql: [f.sql, g.sql, h.sql]\npython_files: {files}")
    assert spec.python_files == tuple(str(tmp_path.resolve() / f) for f in files)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("depot_gone.f", "function f needs the module 'depot_gone', which is not in"),
        ("f", "names no module: write AS 'module.f'"),
    ],
)
def test_a_module_that_is_nowhere(tmp_path: Path, target: str, words: str) -> None:
    message = refusal(tmp_path, FUNCTION.format(target), "w.sql")
    assert message.startswith("w.sql, line 1, statement 1: the Python function f")
    assert words in message
