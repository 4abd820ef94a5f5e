"""What can be asked for, how memory is divided, and what Flink and Kafka are told."""

from __future__ import annotations

import base64
import socket
import sys
import uuid
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.embedded import flink_cluster, flink_conf, kafka_broker, netports
from funshare_flink.embedded.config import EmbeddedConfig, divide_memory, fingerprint, validate
from funshare_flink.embedded.layout import Layout
from funshare_flink.embedded.state import Ports
from funshare_flink.model.errors import BadInputError, FatalError

PORTS = Ports(rest=1, rpc=2, kafka=3, controller=4)


def conf(config: EmbeddedConfig) -> dict[str, str]:
    return flink_conf.flink_conf(config, Layout(Path("/state")), PORTS, "--add-opens=a=b")


def test_the_default_gives_each_slot_64_mb_managed_and_512_mb_network() -> None:
    memory = divide_memory(4096, 16)
    assert memory.managed_mb == 16 * 64
    assert memory.network_mb == 512
    assert memory.task_heap_mb == 1536


@given(st.integers(1000, 20000), st.integers(1, 64))
def test_memory_never_exceeds_the_process(process_mb: int, slots: int) -> None:
    try:
        memory = divide_memory(process_mb, slots)
    except BadInputError:
        return
    parts = memory.metaspace_mb + memory.overhead_mb + memory.network_mb + memory.managed_mb
    assert parts + memory.task_heap_mb + 2 * 128 == process_mb
    assert memory.managed_mb >= 32 * slots
    assert memory.task_heap_mb >= 256


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task_managers": 0}, "task_managers must be 1 or more, got 0"),
        ({"slots_per_task_manager": -1}, "slots_per_task_manager must be 1 or more, got -1"),
        ({"kafka_port": 70000}, "kafka_port must be between 1 and 65535, got 70000"),
        ({"rest_port": 8081, "kafka_port": 8081}, "both 8081"),
        ({"taskmanager_memory_mb": 1024}, "too small for 16 slots.*give more memory or fewer slots"),
        ({"kernel_jar": Path("no-such.jar")}, "no-such.jar does not exist; build it first"),
    ],
)
def test_what_cannot_start_is_refused_with_one_message(change: dict[str, object], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        validate(replace(EmbeddedConfig(), **change))  # type: ignore[arg-type]


def test_the_default_is_valid() -> None:
    validate(EmbeddedConfig())
    assert EmbeddedConfig().slots == 32
    assert EmbeddedConfig().artifacts == Path(".funshare").absolute()


def test_a_rebuilt_kernel_is_another_configuration(tmp_path: Path) -> None:
    jar = tmp_path / "kernel.jar"
    jar.write_bytes(b"one")
    config = EmbeddedConfig(kernel_jar=jar)
    first = fingerprint(config)
    jar.write_bytes(b"two")
    assert fingerprint(config) != first
    assert fingerprint(EmbeddedConfig())["kernel_jar"] == "none"


def test_ports_and_folders_are_not_part_of_the_fingerprint(tmp_path: Path) -> None:
    assert fingerprint(EmbeddedConfig(state_dir=tmp_path, rest_port=1, kafka_port=2)) == fingerprint(EmbeddedConfig())


def test_flink_listens_on_loopback_only_and_keeps_its_files_in_the_state_dir() -> None:
    options = conf(EmbeddedConfig(slots_per_task_manager=4))
    hosts = {key: value for key, value in options.items() if key.endswith(("host", "address"))}
    assert set(hosts.values()) == {"127.0.0.1"}
    assert options["rest.port"] == options["rest.bind-port"] == "1"
    assert options["jobmanager.rpc.port"] == "2"
    assert options["execution.checkpointing.savepoint-dir"] == "file:///state/cluster/flink-data/savepoints"
    assert options["python.executable"] == sys.executable
    assert options["taskmanager.numberOfTaskSlots"] == "4"
    assert options["env.java.opts.all"] == "--add-opens=a=b"


def test_extra_options_have_the_last_word_and_the_file_reads_back() -> None:
    options = conf(EmbeddedConfig(extra_flink_conf={"heartbeat.timeout": "30000", "my.key": "a: b # c"}))
    assert options["heartbeat.timeout"] == "30000"
    assert yaml.safe_load(flink_conf.render(options)) == options


def test_the_broker_keeps_old_records_and_makes_no_topic_by_itself() -> None:
    settings = kafka_broker.server_properties(PORTS, Path("/state/data"))
    assert settings["auto.create.topics.enable"] == "false"
    assert settings["log.retention.ms"] == "-1"
    assert settings["listeners"] == "PLAINTEXT://127.0.0.1:3,CONTROLLER://127.0.0.1:4"
    assert settings["transaction.state.log.replication.factor"] == "1"
    assert "num.partitions=2\n" in kafka_broker.render_properties(settings)


def test_kafka_cluster_ids_are_uuids_without_a_leading_dash() -> None:
    for _ in range(200):
        text = kafka_broker.new_cluster_id()
        assert not text.startswith("-")
        assert uuid.UUID(bytes=base64.urlsafe_b64decode(text + "=="))


def test_ports_are_free_distinct_and_outside_the_range_of_outgoing_connections() -> None:
    ports = netports.choose_ports(None, None)
    chosen = {ports.rest, ports.rpc, ports.kafka, ports.controller}
    assert len(chosen) == 4
    assert max(chosen) < 32768


def test_a_port_in_use_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert netports.is_open(port)
        with pytest.raises(BadInputError, match=f"kafka_port {port} is in use"):
            netports.choose_ports(None, port)
    assert not netports.is_open(port)
    assert netports.choose_ports(None, port).kafka == port


@pytest.mark.parametrize("key", ["rest.port", "taskmanager.memory.managed.size", "taskmanager.memory.process.size"])
def test_what_has_a_setting_of_its_own_is_not_an_extra_option(key: str) -> None:
    with pytest.raises(BadInputError, match=f"extra_flink_conf cannot set {key}"):
        flink_conf.refuse_fixed({key: "1", "heartbeat.timeout": "1"})
    flink_conf.refuse_fixed({"heartbeat.timeout": "1"})


def write_home(home: Path, config: EmbeddedConfig) -> None:
    for folder in ("conf", "lib"):
        (home / folder).mkdir(parents=True)
    for name in ("flink-dist-2.2.1.jar", "a.jar", "kernel.jar"):
        (home / "lib" / name).touch()
    (home / "conf" / "config.yaml").write_text(flink_conf.render(conf(config)))


def test_the_jvms_get_the_sizes_and_options_of_the_configuration(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    write_home(layout.flink_home, EmbeddedConfig(extra_flink_conf={"env.java.opts.taskmanager": "-Da='x y' -Db=1"}))
    command = flink_cluster.flink_command(layout, "taskmanager-1", "taskmanager-1-7", Path("/jdk/bin/java"))
    assert command[0] == "/jdk/bin/java"
    assert {"-Xmx1664m", "-XX:MaxDirectMemorySize=640m", "-XX:MaxMetaspaceSize=512m"} <= set(command)
    assert {"--add-opens=a=b", "-Da=x y", "-Db=1", f"-Dlog.file={layout.logs}/taskmanager-1.log"} <= set(command)
    assert command[-1] == "taskmanager.resource-id=taskmanager-1-7"
    names = [Path(jar).name for jar in command[command.index("-cp") + 1].split(":")]
    assert names == ["a.jar", "kernel.jar", "flink-dist-2.2.1.jar"]
    master = flink_cluster.flink_command(layout, "jobmanager", "", Path("java"))
    assert {"-Xmx1024m", "--add-opens=a=b"} <= set(master)
    assert "-Db=1" not in master


def test_a_lost_configuration_says_how_to_get_it_back(tmp_path: Path) -> None:
    with pytest.raises(FatalError, match=r"config\.yaml.*run down, then up"):
        flink_cluster.read_conf(tmp_path)
