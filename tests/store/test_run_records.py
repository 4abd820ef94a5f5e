"""Run records outlive a process, and a broken one is said to be broken."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from funshare_flink.model.errors import FatalError
from funshare_flink.model.ids import JobId, QueryName
from funshare_flink.model.workload import name_problem
from funshare_flink.store.run_records import GroupRecord, RunRecord, RunRecords

RECORD = RunRecord(
    "harbour", "/somewhere/harbour.sql", "http://localhost:1", "full", 3,
    (
        GroupRecord("share-1", JobId("ab" * 16), "funshare/harbour/share-1/g3", 2, (QueryName("a"), QueryName("b#2"))),
        GroupRecord("c", JobId("cd" * 16), "funshare/harbour/c/g3", 1, (QueryName("c"),)),
    ),
)  # fmt: skip


@pytest.fixture
def records(tmp_path: Path) -> RunRecords:
    return RunRecords(tmp_path / "runs")


def test_what_was_saved_is_loaded(records: RunRecords) -> None:
    assert records.load("harbour") is None
    assert records.names() == ()
    records.save(RECORD)
    assert records.load("harbour") == RECORD
    records.save(replace(RECORD, generation=4))
    loaded = records.load("harbour")
    assert loaded is not None
    assert loaded.generation == 4
    records.save(replace(RECORD, workload="anchorage"))
    assert records.names() == ("anchorage", "harbour")
    records.remove("harbour")
    records.remove("harbour")
    assert records.names() == ("anchorage",)


names = st.text(min_size=1, max_size=20).filter(lambda n: name_problem(n) is None)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(one=names, two=names)
@pytest.mark.parametrize("_", [None])
def test_any_name_that_a_workload_may_have(tmp_path: Path, _: None, one: str, two: str) -> None:
    """`../x`, `a/b` and `a.b` are names too."""
    import shutil

    folder = tmp_path / "here" / "runs"
    shutil.rmtree(tmp_path / "here", ignore_errors=True)
    records = RunRecords(folder)
    for name in (one, two):
        records.save(replace(RECORD, workload=name))
    assert records.names() == tuple(sorted({one, two}))
    assert {p.parent for p in tmp_path.rglob("*.json")} == {folder}
    for name in (one, two):
        loaded = records.load(name)
        assert loaded is not None
        assert loaded.workload == name


@pytest.mark.parametrize("name", ["a/b", "../up", "a.b", "..", "50%", "sink#2", "x" * 200])
def test_names_that_look_like_paths(records: RunRecords, tmp_path: Path, name: str) -> None:
    records.save(replace(RECORD, workload=name))
    assert records.names() == (name,)
    assert len(list((tmp_path / "runs").iterdir())) == len(list(tmp_path.rglob("*.json"))) == 1


def test_a_crash_while_saving_leaves_the_old_record(records: RunRecords, monkeypatch: pytest.MonkeyPatch) -> None:
    records.save(RECORD)

    def crash(*_: Any, **__: Any) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", crash)
        with pytest.raises(OSError, match="no space"):
            records.save(replace(RECORD, generation=9))
    assert records.load("harbour") == RECORD
    assert records.names() == ("harbour",)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "7", '"x"', '{"groups": []}', '{"groups": 3}', '{"groups": [{}]}', "\x00"]
)
def test_a_record_that_cannot_be_read(records: RunRecords, tmp_path: Path, text: str) -> None:
    records.save(RECORD)
    (tmp_path / "runs" / "harbour.json").write_text(text)
    with pytest.raises(FatalError, match=r"harbour\.json cannot be read .*; remove it"):
        records.load("harbour")


def test_a_record_with_a_field_that_is_not_known(records: RunRecords, tmp_path: Path) -> None:
    records.save(RECORD)
    path = tmp_path / "runs" / "harbour.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "colour": "red"}))
    with pytest.raises(FatalError, match="colour"):
        records.load("harbour")


def test_bytes_that_are_no_text(records: RunRecords, tmp_path: Path) -> None:
    records.save(RECORD)
    (tmp_path / "runs" / "harbour.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FatalError, match="cannot be read"):
        records.load("harbour")
