"""Repair, refusal and clean-up with shell scripts in place of Flink and Kafka."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from funshare_flink.embedded import artifacts, cluster, flink_cluster, flink_home, launcher, processes
from funshare_flink.embedded.artifacts import Artifacts, Tools
from funshare_flink.embedded.config import EmbeddedConfig
from funshare_flink.embedded.flink_cluster import TaskManagerInfo
from funshare_flink.embedded.launcher import Launcher
from funshare_flink.embedded.processes import Launch
from funshare_flink.embedded.repair import Repair, plan_repair
from funshare_flink.embedded.state import ClusterState
from funshare_flink.model.errors import BadInputError, FatalError, NotReadyError

NAMES = ("jobmanager", "taskmanager-1", "taskmanager-2", "kafka")


@dataclass
class FakeMachine:
    """What the fake processes do, and when the fake cluster serves."""

    config: EmbeddedConfig
    script: str = "exec sleep 60"
    not_ready: Callable[[Launcher], str | None] = lambda launcher: None

    def up(self) -> ClusterState:
        return cluster.up(self.config)

    def running(self) -> tuple[processes.ProcessId, ...]:
        return processes.owned(str(self.config.state_dir))


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMachine]:
    machine = FakeMachine(EmbeddedConfig(state_dir=tmp_path / "state", taskmanager_memory_mb=4096))
    tools = Tools(Path("/jdk/bin/java"), Path("/jdk"), None)
    wheel = flink_home.Wheel(tmp_path / "wheel", "2.2.1", "")
    for folder in ("bin", "lib", "opt", "plugins", "conf"):
        (wheel.root / folder).mkdir(parents=True)

    def launch(self: Launcher, name: str, resource_id: str) -> Launch:
        root, log = str(self.record.root), self.layout.logs / f"{name}.out"
        return Launch(root, name, ("/bin/sh", "-c", machine.script), self.layout.logs, log, dict(os.environ))

    monkeypatch.setattr(artifacts, "check_prerequisites", lambda maven: tools)
    monkeypatch.setattr(artifacts, "fetch", lambda folder: Artifacts(tmp_path / "connector.jar", tmp_path))
    monkeypatch.setattr(flink_home, "find_wheel", lambda: wheel)
    monkeypatch.setattr(Launcher, "_launch", launch)
    monkeypatch.setattr(Launcher, "_not_ready", lambda self: machine.not_ready(self))
    yield machine
    processes.terminate(machine.running(), grace_s=2)


def kill(pid: int | None) -> None:
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    while processes.identify(pid) is not None:
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("alive", "stop", "start"),
    [
        (NAMES, (), ()),
        ((), (), NAMES),
        (("jobmanager", "taskmanager-1", "taskmanager-2"), (), ("kafka",)),
        (("kafka", "jobmanager", "taskmanager-2"), (), ("taskmanager-1",)),
        (("kafka", "taskmanager-2"), ("taskmanager-2",), ("jobmanager", "taskmanager-1", "taskmanager-2")),
        (("taskmanager-1",), ("taskmanager-1",), NAMES),
    ],
)
def test_what_is_dead_is_started_and_all_of_flink_without_a_job_manager(
    alive: tuple[str, ...], stop: tuple[str, ...], start: tuple[str, ...]
) -> None:
    assert plan_repair(NAMES, frozenset(alive)) == Repair(stop, start)


def test_up_twice_is_one_cluster_and_down_leaves_nothing(fake: FakeMachine) -> None:
    first = fake.up()
    assert [p.name for p in first.processes] == list(NAMES)
    assert fake.up() == first == cluster.status(fake.config.state_dir)
    assert len(fake.running()) == 4
    report = cluster.down(fake.config.state_dir)
    assert set(report.ended) == {p.process.pid for p in first.processes}
    assert not fake.config.state_dir.exists()
    assert not fake.running()
    assert cluster.status(fake.config.state_dir) is None


def test_down_without_a_cluster_does_nothing(tmp_path: Path) -> None:
    assert cluster.down(tmp_path / "none") == cluster.DownReport((), ())
    assert not (tmp_path / "none").exists()


def test_down_spares_jars_foreign_files_and_logs_if_asked(fake: FakeMachine) -> None:
    fake.up()
    root = fake.config.state_dir
    (root / "jars").mkdir()
    (root / "cluster" / "notes.txt").touch()
    cluster.down(root, keep_logs=True)
    left = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.suffix != ".out")
    assert left == ["cluster", "cluster/logs", "cluster/notes.txt", "jars"]


def test_a_dead_task_manager_is_seen_and_replaced_alone(fake: FakeMachine) -> None:
    first = fake.up()
    kill(first.taskmanager_pids[0])
    seen = cluster.status(fake.config.state_dir)
    assert seen is not None
    assert seen.dead == ("taskmanager-1",)
    second = fake.up()
    assert second.taskmanager_pids[0] != first.taskmanager_pids[0]
    assert second.taskmanager_pids[1:] == first.taskmanager_pids[1:]
    assert (second.jobmanager_pid, second.kafka_pid) == (first.jobmanager_pid, first.kafka_pid)
    assert second.processes[1].resource_id == "taskmanager-1-2"
    assert len(fake.running()) == 4


def test_a_dead_job_manager_restarts_flink_but_not_the_broker(fake: FakeMachine) -> None:
    first = fake.up()
    kill(first.jobmanager_pid)
    second = fake.up()
    assert second.kafka_pid == first.kafka_pid
    assert not set(second.taskmanager_pids) & set(first.taskmanager_pids)
    assert (second.rest_url, second.bootstrap_servers) == (first.rest_url, first.bootstrap_servers)
    assert len(fake.running()) == 4


def test_after_a_reboot_stale_pids_are_nobody(fake: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fake.up()
    processes.terminate(fake.running(), grace_s=2)
    monkeypatch.setattr(processes, "boot_id", lambda: "after the reboot")
    assert cluster.status(fake.config.state_dir) is None
    second = fake.up()
    assert second.bootstrap_servers == first.bootstrap_servers
    assert {p.generation for p in second.processes} == {2}
    assert len(fake.running()) == 4


def test_another_configuration_is_refused_and_says_what_differs(fake: FakeMachine) -> None:
    first = fake.up()
    other = replace(fake.config, task_managers=3, kafka_port=9)
    with pytest.raises(BadInputError, match=r"task_managers is '2', asked for '3'; kafka_port .*run down first"):
        cluster.up(other)
    assert cluster.status(fake.config.state_dir) == first


def test_asking_for_the_port_that_it_has_is_no_difference(fake: FakeMachine) -> None:
    first = fake.up()
    port = int(first.bootstrap_servers.rpartition(":")[2])
    assert cluster.up(replace(fake.config, kafka_port=port)) == first


def test_ctrl_c_during_the_first_start_leaves_no_process_and_no_state(fake: FakeMachine) -> None:
    def interrupt(_: Launcher) -> str | None:
        raise KeyboardInterrupt

    fake.not_ready = interrupt
    with pytest.raises(KeyboardInterrupt):
        fake.up()
    assert not fake.running()
    assert not (fake.config.state_dir / "cluster.json").exists()
    fake.not_ready = lambda _: None
    assert fake.up().dead == ()


def test_a_failed_repair_ends_only_what_it_started(fake: FakeMachine) -> None:
    first = fake.up()
    kill(first.taskmanager_pids[1])
    fake.script, fake.not_ready = "echo no memory left; exit 1", lambda _: "never"
    with pytest.raises(
        FatalError, match=r"taskmanager-2 ended while starting(?s:.*)taskmanager-2\.out(?s:.*)no memory"
    ):
        fake.up()
    assert len(fake.running()) == 3
    fake.script, fake.not_ready = "exec sleep 60", lambda _: None
    assert fake.up().processes[2].generation == 3


def test_a_start_that_takes_too_long_names_the_log(fake: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "START_TIMEOUT_S", 0.3)
    fake.script, fake.not_ready = "echo thinking; exec sleep 60", lambda _: "Flink has 0 of 2 task managers"
    with pytest.raises(FatalError, match=r"0 of 2 task managers after 0 s\. Look into .*\.out(?s:.*)thinking"):
        fake.up()
    assert not fake.running()


def test_a_lost_or_broken_state_file_hides_no_process(fake: FakeMachine) -> None:
    first = fake.up()
    state_file = fake.config.state_dir / "cluster.json"
    state_file.write_text("{")
    with pytest.raises(FatalError, match="run down"):
        fake.up()
    assert len(cluster.down(fake.config.state_dir).ended) == 4
    second = fake.up()
    state_file.unlink()
    third = fake.up()
    assert len(fake.running()) == 4
    assert not {p.process for p in third.processes} & {p.process for p in (*first.processes, *second.processes)}


def test_cpu_seconds_need_living_task_managers(fake: FakeMachine) -> None:
    state = fake.up()
    assert cluster.cpu_seconds(state) >= 0
    kill(state.taskmanager_pids[1])
    with pytest.raises(NotReadyError, match="taskmanager-2 is not running; run up"):
        cluster.cpu_seconds(state)


@pytest.mark.parametrize(
    ("registered", "message"),
    [
        ([("a-1", 2), ("b-1", 2)], None),
        ([("a-1", 2)], "1 of 2 task managers, 2 of 4 slots"),
        ([("a-1", 2), ("b-0", 2)], "2 of 2 task managers, 4 of 4 slots"),
        ([("a-1", 2), ("b-1", 2), ("b-0", 2)], "3 of 2 task managers"),
    ],
)
def test_flink_is_whole_with_exactly_the_expected_task_managers(
    monkeypatch: pytest.MonkeyPatch, registered: list[tuple[str, int]], message: str | None
) -> None:
    infos = tuple(TaskManagerInfo(name, slots) for name, slots in registered)
    monkeypatch.setattr(flink_cluster, "task_managers", lambda url: infos)
    reason = flink_cluster.not_ready("http://x", frozenset({"a-1", "b-1"}), 4)
    assert reason is None if message is None else message in (reason or "")


def test_flink_that_does_not_answer_is_a_reason_not_an_error() -> None:
    reason = flink_cluster.not_ready("http://127.0.0.1:1", frozenset(), 0)
    assert reason is not None
    assert "does not answer" in reason
