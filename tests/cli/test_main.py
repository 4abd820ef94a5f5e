"""The command line without Flink: exit codes, messages, and that bad input starts nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from funshare_flink import wiring
from funshare_flink.cli import main as cli
from funshare_flink.cli.printing import print_rows
from funshare_flink.model.errors import BadInputError, FatalError, NotReadyError, RetryableError, SourceLocation
from funshare_flink.model.ids import JobId, QueryName
from funshare_flink.store.run_records import GroupRecord, RunRecord

TABLE = "CREATE TABLE t (a INT) WITH ('connector' = 'datagen');\nCREATE TABLE s (a INT) WITH ('connector' = 'print');\n"


@pytest.fixture(autouse=True)
def _no_flink(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(_: object) -> None:
        raise AssertionError("Flink was started")

    monkeypatch.setattr(wiring, "prepare_planner", refuse)
    monkeypatch.setenv("FUNSHARE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("FUNSHARE_FLINK_URL", raising=False)


def raising(error: BaseException) -> Any:
    def command(_: object) -> int:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (BadInputError("bad", SourceLocation("w.sql", 3, 2)), 2, "funshare: w.sql, line 3, statement 2: bad"),
        (BadInputError("no"), 2, "funshare: no"),
        (FatalError("gone"), 1, "funshare: gone"),
        (RetryableError("later"), 1, "funshare: later"),
        (NotReadyError("soon"), 1, "funshare: soon"),
        (KeyboardInterrupt(), 1, "funshare: interrupted"),
    ],
)  # fmt: skip
def test_exit_codes(
    error: BaseException, code: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "check", raising(error))
    assert cli.main(["check", "w.sql"]) == code
    captured = capsys.readouterr()
    assert captured.err.strip() == message
    assert captured.out == ""


def test_a_programming_error_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "check", raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        cli.main(["check", "w.sql"])


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["chek"],
        ["check"],
        ["plan", "w", "--strategy", "best"],
        ["plan", "w", "--strategy", "isolated", "--grouping", "g"],
    ],
)
def test_bad_arguments_are_bad_input(argv: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(argv)
    assert caught.value.code == 2


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (TABLE, "has no INSERT"),
        (TABLE + "INSERT INTO s SELECT a FROM t WHERE a = ${limit};", "line 3.*placeholder \\${limit}"),
        (TABLE + 2 * "-- funshare: name=x\nINSERT INTO s SELECT a FROM t;\n", "two queries are called 'x'"),
        (TABLE + "INSERT INTO s SELECT a FROM t;\nUNION ALL SELECT 2;", "line 4"),
        (TABLE + "-- funshare: slots=0\nINSERT INTO s SELECT a FROM t;", "line 3.*slots must be a whole number of 1"),
        (TABLE + "INSERT INTO s SELECT 'open FROM t;", "line 3"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["check", "plan", "run"])
def test_bad_scripts(
    command: str, script: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "w.sql"
    path.write_text(script)
    url = ["--flink-url", "http://127.0.0.1:9"]
    assert cli.main([command, str(path), *url]) == 2
    import re

    error = capsys.readouterr().err
    assert re.search(message, error), error
    assert not (tmp_path / "state" / "runs").exists()


def test_a_workload_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["check", str(tmp_path / "none.sql")]) == 2
    assert "none.sql" in capsys.readouterr().err


def test_when_the_script_is_refused_every_query_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "w.sql"
    path.write_text(TABLE + "INSERT INTO s SELECT a FROM t;\nINSERT INTO s SELECT a FROM t WHERE a > ${x};")
    assert cli.main(["check", str(path), "--json"]) == 2
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(r["query"], r["verdict"], r["line"]) for r in rows] == [("s", "rejected", 3), ("s#2", "rejected", 4)]
    assert "${x}" in rows[1]["reason"]
    assert rows[0]["reason"].startswith("the workload is refused")


def test_a_bad_grouping_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, groups = tmp_path / "w.sql", tmp_path / "g.yaml"
    path.write_text(TABLE + "INSERT INTO s SELECT a FROM t;")
    groups.write_text("groups:\n  - name: g\n    queries: [s]\n    slots: -1\n")
    assert cli.main(["plan", str(path), "--grouping", str(groups)]) == 2
    assert "g.yaml, line 4: slots must be" in capsys.readouterr().err


def save_record(url: str) -> None:
    group = GroupRecord("g", JobId("ab" * 16), "funshare/w/g/g1", 1, (QueryName("q"),))
    wiring.run_records(wiring.Place.of(None, None)).save(RunRecord("w", "w.sql", url, "full", 1, (group,)))


def test_status_and_stop_name_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status"]) == 0
    assert "no workload was run here yet" in capsys.readouterr().err
    save_record("http://127.0.0.1:9")
    for argv in (["status", "other"], ["stop", "other"]):
        assert cli.main(argv) == 2
        assert "w" in capsys.readouterr().err.split(":")[-1]
    assert cli.main(["stop", "w", "--group", "h", "--flink-url", "http://127.0.0.1:9"]) == 2
    assert "no group h: g" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["status"], ["stop", "w"]])
def test_a_cluster_that_is_not_there_is_no_fault_of_the_input(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    save_record("http://127.0.0.1:9")
    assert cli.main([*argv, "--flink-url", "http://127.0.0.1:9"]) == 1
    assert "http://127.0.0.1:9 does not answer" in capsys.readouterr().err


def test_without_a_cluster_the_embedded_one_is_meant(capsys: pytest.CaptureFixture[str]) -> None:
    save_record("http://127.0.0.1:9")
    assert cli.main(["status"]) == 2
    assert "start it with `funshare up`" in capsys.readouterr().err


def test_explain_without_a_workload(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "g"]) == 2
    assert "name one with --workload" in capsys.readouterr().err


ROWS: list[dict[str, object]] = [
    {"query": "a", "n": 1234.56, "list": ["x", "y"], "none": None, "more": "[red]ü"},
    {"query": "b"},
]


def test_rows_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(ROWS, ("query", "n", "list", "none", "more"), as_json=False, title="title")
    text = capsys.readouterr().out
    for shown in ("title", "1,234.6", "x, y", "[red]ü", " - "):
        assert shown in text


def test_rows_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(ROWS, ("query",), as_json=True, title="title")
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == ROWS
