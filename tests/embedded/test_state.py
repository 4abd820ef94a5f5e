"""The state file survives, is whole or absent; the lock holds even when its file is removed."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from funshare_flink.embedded import state
from funshare_flink.embedded.layout import Layout
from funshare_flink.embedded.processes import ProcessId
from funshare_flink.embedded.state import ClusterRecord, ManagedProcess, Ports, Versions
from funshare_flink.model.errors import FatalError, RetryableError


def managed(name: str, pid: int, generation: int = 1) -> ManagedProcess:
    return ManagedProcess(name, ProcessId(pid, 100 + pid, "boot"), generation)


@pytest.fixture
def record(tmp_path: Path) -> ClusterRecord:
    return ClusterRecord(
        root=tmp_path,
        fingerprint={"task_managers": "2"},
        ports=Ports(rest=1, rpc=2, kafka=3, controller=4),
        kafka_cluster_id="abc",
        task_managers=2,
        slots=8,
        versions=Versions("2.2.1", "4.1.0", "5.0.0-2.2"),
    )


def test_what_was_saved_is_loaded(record: ClusterRecord) -> None:
    full = record.with_process(managed("taskmanager-2", 12, 3)).with_process(managed("kafka", 10))
    state.save(full)
    assert state.load(Layout(record.root)) == full
    assert list(record.root.iterdir()) == [record.root / "cluster.json"]


def test_the_file_names_the_addresses_for_scripts(record: ClusterRecord) -> None:
    state.save(record)
    content = json.loads((record.root / "cluster.json").read_text())
    assert content["rest_url"] == "http://127.0.0.1:1"
    assert content["bootstrap_servers"] == "127.0.0.1:3"
    assert content["flink_home"] == str(Layout(record.root).flink_home)


def test_no_file_is_no_cluster(tmp_path: Path) -> None:
    assert state.load(Layout(tmp_path)) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 99}', '{"format": 1, "ports": 3}'])
def test_an_unreadable_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "cluster.json").write_text(text)
    with pytest.raises(FatalError, match=r"cluster\.json is not a state file.*run down"):
        state.load(Layout(tmp_path))


def test_a_file_with_wrong_types_inside_is_unreadable(record: ClusterRecord) -> None:
    state.save(record)
    path = record.root / "cluster.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"slots": "many"}))
    with pytest.raises(FatalError, match="not a state file"):
        state.load(Layout(record.root))


def test_processes_keep_the_cluster_s_order_and_are_replaced_by_name(record: ClusterRecord) -> None:
    for one in (managed("taskmanager-1", 13), managed("kafka", 10), managed("taskmanager-1", 14, 2)):
        record = record.with_process(one)
    assert [p.name for p in record.processes] == ["taskmanager-1", "kafka"]
    found = record.find("taskmanager-1")
    assert found is not None
    assert (found.process.pid, found.resource_id) == (14, "taskmanager-1-2")
    assert record.find("jobmanager") is None


def test_the_view_gives_pids_by_role(record: ClusterRecord) -> None:
    view = record.view()
    assert (view.kafka_pid, view.jobmanager_pid, view.taskmanager_pids) == (None, None, ())
    for number, name in enumerate(record.expected):
        record = record.with_process(managed(name, 10 + number))
    view = record.view(dead=("kafka",))
    assert (view.kafka_pid, view.jobmanager_pid, view.taskmanager_pids) == (13, 10, (11, 12))
    assert (view.slots, view.dead) == (8, ("kafka",))
    assert view == replace(record.view(), dead=("kafka",))


def test_the_lock_excludes_others_and_is_given_back(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "new")
    with (
        state.locked(layout, timeout_s=1),
        pytest.raises(RetryableError, match="another up or down"),
        state.locked(layout, timeout_s=0),
    ):
        pytest.fail("two hold the lock")
    with state.locked(layout, timeout_s=0):
        pass


def test_a_lock_on_a_removed_file_is_none(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    handle = os.open(layout.lock_file, os.O_RDWR | os.O_CREAT)
    assert state._same_file(handle, layout.lock_file)
    layout.lock_file.unlink()
    assert not state._same_file(handle, layout.lock_file)
    layout.lock_file.touch()
    assert not state._same_file(handle, layout.lock_file)
    os.close(handle)


def test_an_error_under_the_lock_gives_it_back(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    with pytest.raises(KeyError), state.locked(layout, timeout_s=1):
        raise KeyError
    with state.locked(layout, timeout_s=0):
        pass
