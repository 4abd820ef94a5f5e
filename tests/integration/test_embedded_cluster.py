"""The embedded cluster for real: JVMs, REST, Kafka. One cluster for the module; the tests go in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from funshare_flink.embedded import cluster, flink_cluster, processes
from funshare_flink.embedded.config import EmbeddedConfig
from funshare_flink.embedded.state import ClusterState
from funshare_flink.model.errors import BadInputError

pytestmark = pytest.mark.integration

ARTIFACTS = Path(__file__).parents[2] / ".funshare"
ROWS = 1000


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedConfig]:
    """A small cluster, ended after the module whatever happens."""
    root = tmp_path_factory.mktemp("embedded") / "state"
    yield EmbeddedConfig(
        state_dir=root,
        artifacts_dir=ARTIFACTS,
        slots_per_task_manager=2,
        taskmanager_memory_mb=1728,
        kafka_heap_mb=512,
    )
    cluster.down(root)


@pytest.fixture(scope="module")
def first(config: EmbeddedConfig) -> ClusterState:
    return cluster.up(config)


def kill(pid: int | None) -> None:
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    while processes.identify(pid) is not None:
        time.sleep(0.05)


def produce(state: ClusterState, topic: str) -> None:
    admin = AdminClient({"bootstrap.servers": state.bootstrap_servers})
    admin.create_topics([NewTopic(topic, num_partitions=1, replication_factor=1)])[topic].result(30)
    producer = Producer({"bootstrap.servers": state.bootstrap_servers, "acks": "all"})
    for number in range(ROWS):
        producer.produce(topic, str(number), timestamp=1_000_000 + number)  # 1970: must not expire
    assert producer.flush(30) == 0


def read(state: ClusterState, topic: str) -> list[int]:
    consumer = Consumer({"bootstrap.servers": state.bootstrap_servers, "group.id": "test", "log_level": 0})
    consumer.assign([TopicPartition(topic, 0, 0)])
    rows: list[int] = []
    deadline = time.monotonic() + 20
    while len(rows) < ROWS and time.monotonic() < deadline:
        messages = consumer.consume(ROWS, timeout=1.0)
        rows += [int(m.value() or b"") for m in messages if m.error() is None]
    consumer.close()
    return rows


def registered_slots(state: ClusterState) -> int:
    return sum(t.slots for t in flink_cluster.task_managers(state.rest_url))


def test_up_gives_a_whole_cluster(first: ClusterState) -> None:
    assert registered_slots(first) == first.slots == 4
    assert len(first.taskmanager_pids) == 2
    assert cluster.cpu_seconds(first) > 0


def test_a_second_up_is_a_quick_no_op(config: EmbeddedConfig, first: ClusterState) -> None:
    began = time.monotonic()
    assert cluster.up(config) == first == cluster.status(config.state_dir)
    assert time.monotonic() - began < 10


def test_another_configuration_is_refused(config: EmbeddedConfig, first: ClusterState) -> None:
    with pytest.raises(BadInputError, match="slots_per_task_manager is '2', asked for '3'"):
        cluster.up(replace(config, slots_per_task_manager=3))


def test_a_killed_task_manager_is_replaced(config: EmbeddedConfig, first: ClusterState) -> None:
    kill(first.taskmanager_pids[0])
    repaired = cluster.up(config)
    assert repaired.taskmanager_pids[1] == first.taskmanager_pids[1]
    assert repaired.jobmanager_pid == first.jobmanager_pid
    assert registered_slots(repaired) == 4


def test_a_killed_broker_and_job_manager_come_back_with_the_data(config: EmbeddedConfig) -> None:
    before = cluster.up(config)
    produce(before, "kept")
    kill(before.kafka_pid)
    kill(before.jobmanager_pid)
    after = cluster.up(config)
    assert (after.bootstrap_servers, after.rest_url) == (before.bootstrap_servers, before.rest_url)
    assert registered_slots(after) == 4
    assert read(after, "kept") == list(range(ROWS))


def test_down_leaves_no_process_and_no_state(config: EmbeddedConfig) -> None:
    report = cluster.down(config.state_dir)
    assert len(report.ended) == 4
    assert processes.owned(str(config.state_dir.resolve())) == ()
    assert not config.state_dir.exists()
    assert cluster.down(config.state_dir) == cluster.DownReport((), ())


# A process that was started in the background ignores Ctrl-C, and so do its children: the child takes it back.
INTERRUPTED = """
import signal
import sys
from pathlib import Path
from funshare_flink.embedded import cluster
from funshare_flink.embedded.config import EmbeddedConfig
signal.signal(signal.SIGINT, signal.default_int_handler)
config = EmbeddedConfig(Path(sys.argv[1]), Path(sys.argv[2]), taskmanager_memory_mb=1728, slots_per_task_manager=2)
cluster.up(config)
"""


def test_ctrl_c_during_up_leaves_nothing_half_started(tmp_path: Path) -> None:
    state_dir = tmp_path / "state"
    command = [sys.executable, "-c", INTERRUPTED, str(state_dir), str(ARTIFACTS)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as child:
        deadline = time.monotonic() + 60
        while len(processes.owned(str(state_dir.resolve()))) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        child.wait(60)
    assert child.returncode != 0
    assert processes.owned(str(state_dir.resolve())) == ()
    assert not (state_dir / "cluster.json").exists()
