"""The commands that need Flink's planner: what they print, refuse and start. The cluster behind them is a fake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from funshare_flink import wiring
from funshare_flink.cli import main as cli
from funshare_flink.cli import run as run_command
from tests.contracts.fake_runtime import FakeRuntime
from tests.controller.test_preflight import FakeTopics
from tests.plan.golden_plans import FOLDER

pytestmark = [pytest.mark.planner, pytest.mark.usefixtures("planner_home")]

FIELDS = {
    "query", "verdict", "share_class", "reason", "left", "right", "residual", "shares_with", "notes", "file", "line",
    "statement",
}  # fmt: skip


class FakeCluster(FakeRuntime):
    url = "http://fake"


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeCluster:
    """A cluster and a broker that have what the scripts need."""
    fake = FakeCluster()
    monkeypatch.setattr(wiring, "prepare_planner", lambda _: None)  # the fixture has done it, for all tests
    monkeypatch.setattr(wiring, "runtime", lambda _: fake)
    monkeypatch.setattr(
        run_command, "KafkaTopics", lambda _: FakeTopics("picks", "scales", "crate-log", "totals", "prices")
    )
    monkeypatch.setenv("FUNSHARE_STATE_DIR", str(tmp_path / "state"))
    return fake


def script(tmp_path: Path, name: str) -> str:
    path = tmp_path / f"{name}.sql"
    path.write_text((FOLDER / "tables.ddl").read_text() + (FOLDER / f"{name}.sql").read_text())
    return str(path)


def rows(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.usefixtures("cluster")
def test_check_json_has_the_documented_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = script(tmp_path, "window")
    assert cli.main(["check", file, "--json"]) == 0
    found = {r["query"]: r for r in rows(capsys)}
    assert all(set(r) == FIELDS for r in found.values())
    assert len(found) == 6
    plain = found["tumble_plain"]
    assert plain["verdict"] == "shareable"
    assert plain["shares_with"] == ["tumble_swapped", "tumble_totals"]
    assert found["tumble_swapped"]["share_class"] == plain["share_class"]
    assert found["cumulate_plain"]["shares_with"] == []
    assert found["cumulate_plain"]["left"] == "picks: fruit = 'fig'"
    assert (plain["file"], plain["line"]) == (file, 32)


@pytest.mark.usefixtures("cluster")
def test_check_goes_on_when_flink_refuses_a_query(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", script(tmp_path, "alone"), "--json"]) == 2
    found = {r["query"]: r for r in rows(capsys)}
    assert len(found) == 10
    assert found["unknown_column"]["verdict"] == "rejected"
    assert "colour" in found["unknown_column"]["reason"]
    assert found["left_join"] | {"reason": "outer join", "verdict": "isolated"} == found["left_join"]


@pytest.mark.usefixtures("cluster")
def test_check_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", script(tmp_path, "regular")]) == 0
    captured = capsys.readouterr()
    assert "pair_swapped_keys" in captured.out
    assert "note: pair_for_ever: regular join without state TTL" in captured.err


@pytest.mark.usefixtures("cluster")
def test_plan_and_explain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = script(tmp_path, "window")
    assert cli.main(["plan", file, "--json"]) == 0
    found = rows(capsys)
    assert [len(r["queries"]) for r in found] == [3, 2, 1]
    assert all(set(r) == {"group", "slots", "queries", "share_class", "reason"} for r in found)
    assert cli.main(["plan", file]) == 0
    assert "3 task slots in 3 jobs; alone: 6 slots" in capsys.readouterr().err
    assert cli.main(["explain", found[0]["group"]]) == 0  # the workload is the one that was planned last
    text = capsys.readouterr().out
    assert "3 queries, 1 slots (same share class)" in text
    assert text.count("SharedJoin(") == 1
    assert cli.main(["explain", "tumble_plain", "--mermaid", "--workload", file]) == 0
    assert capsys.readouterr().out.startswith("flowchart LR\n")
    assert cli.main(["explain", "nobody", "--workload", file]) == 2
    assert "no group or query nobody" in capsys.readouterr().err


def test_run_starts_every_group_once(cluster: FakeCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = script(tmp_path, "window")
    assert cli.main(["run", file, "--once"]) == 0
    assert len(cluster.alive()) == 3
    record = wiring.run_records(wiring.Place.of(None, None)).load("window")
    assert record is not None
    assert (record.generation, record.strategy, record.flink_url) == (1, "full", "http://fake")
    assert sorted(g.job_name for g in record.groups) == sorted(cluster.alive())
    capsys.readouterr()
    assert cli.main(["run", file, "--once"]) == 2
    assert "window runs already" in capsys.readouterr().err
    assert len(cluster.by_id) == 3
    assert cli.main(["stop", "window"]) == 0
    assert capsys.readouterr().out.count("savepoint file:///savepoints/") == 3
    assert cluster.alive() == []
    assert cli.main(["run", file, "--once"]) == 0
    assert all(name.endswith("/g2") for name in cluster.alive())


def test_run_refuses_more_slots_than_there_are(
    cluster: FakeCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.slots = 5
    assert cli.main(["run", script(tmp_path, "window"), "--strategy", "isolated", "--once"]) == 2
    assert "needs 6 task slots, the cluster has 5 free" in capsys.readouterr().err
    assert cluster.submissions == 0


def test_run_refuses_missing_topics(
    cluster: FakeCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_command, "KafkaTopics", lambda _: FakeTopics("picks"))
    assert cli.main(["run", script(tmp_path, "window"), "--once"]) == 2
    error = capsys.readouterr().err
    assert "topic scales does not exist at broker:9092: query tumble_plain (table scales) would read it" in error
    assert cluster.submissions == 0


def test_a_refused_query_stops_the_others_only_when_strict(
    cluster: FakeCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.slots = 20
    file = script(tmp_path, "alone")
    assert cli.main(["run", file, "--once", "--strict"]) == 2
    assert "rejected: " in capsys.readouterr().err
    assert cluster.submissions == 0
    assert cli.main(["run", file, "--once"]) == 2
    assert len(cluster.alive()) == 9


def test_when_a_job_is_refused_nothing_is_left_and_nothing_is_recorded(
    cluster: FakeCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.refuse_at = 3
    assert cli.main(["run", script(tmp_path, "window"), "--once"]) == 1
    assert "did not take job" in capsys.readouterr().err
    assert cluster.alive() == []
    assert wiring.run_records(wiring.Place.of(None, None)).load("window") is None
