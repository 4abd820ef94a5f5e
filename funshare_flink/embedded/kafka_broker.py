"""The Kafka broker: one node in KRaft's combined mode, on the loopback address."""

from __future__ import annotations

import subprocess
import uuid
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from funshare_flink.embedded.layout import Layout
from funshare_flink.embedded.netports import LOOPBACK, is_open
from funshare_flink.embedded.state import Ports
from funshare_flink.model.errors import FatalError

FORMAT_TIMEOUT_S = 90
METADATA_TIMEOUT_S = 3.0
LONG_MAX = 2**63 - 1

LOG4J = """\
status = error
rootLogger.level = info
rootLogger.appenderRef.file.ref = File
appender.file.type = RollingFile
appender.file.name = File
appender.file.fileName = {file}
appender.file.filePattern = {file}.%i
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = [%d] %p %m (%c)%n
appender.file.policies.type = Policies
appender.file.policies.size.type = SizeBasedTriggeringPolicy
appender.file.policies.size.size = 50MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 2
"""


@dataclass(frozen=True)
class BrokerFiles:
    """The broker's files below the state directory."""

    properties: Path
    log4j: Path
    data: Path
    log: Path

    @classmethod
    def of(cls, layout: Layout) -> BrokerFiles:
        """Where they lie in this layout."""
        folder = layout.kafka
        return cls(
            folder / "server.properties", folder / "log4j2.properties", folder / "data", layout.logs / "kafka.log"
        )


def new_cluster_id() -> str:
    """A random id as Kafka writes them: a UUID in URL-safe base64 that does not begin with a dash."""
    while True:
        text = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):
            return text


def server_properties(ports: Ports, data: Path) -> dict[str, str]:
    """The broker's settings: one replica of everything, nothing ever expires.

    Topics are made on purpose only. Timestamps of a generated stream may be years old or ahead, so neither
    age nor the distance to the wall clock removes or refuses a record.
    """
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{LOOPBACK}:{ports.controller}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{LOOPBACK}:{ports.kafka},CONTROLLER://{LOOPBACK}:{ports.controller}",
        "advertised.listeners": f"PLAINTEXT://{LOOPBACK}:{ports.kafka}",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "log.dirs": str(data),
        "num.partitions": "2",
        "auto.create.topics.enable": "false",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "8",
        "transaction.max.timeout.ms": "3600000",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
        "log.retention.ms": "-1",
        "log.message.timestamp.after.max.ms": str(LONG_MAX),
    }


def render_properties(settings: dict[str, str]) -> str:
    """A Java properties file."""
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def prepare(layout: Layout, ports: Ports, cluster_id: str, java: Path, libs: Path) -> None:
    """Write the configuration and format the data folder, if it is not yet. Raises FatalError."""
    files = BrokerFiles.of(layout)
    files.data.mkdir(parents=True, exist_ok=True)
    files.properties.write_text(render_properties(server_properties(ports, files.data)), encoding="utf-8")
    files.log4j.write_text(LOG4J.format(file=files.log), encoding="utf-8")
    if (files.data / "meta.properties").exists():
        return
    options = ("format", "--cluster-id", cluster_id, "--config", str(files.properties))
    quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    command = (*_java_command(java, libs, files, ("-Xmx256m", *quick)), "kafka.tools.StorageTool", *options)
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=FORMAT_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as err:
        raise FatalError(f"formatting {files.data} for Kafka took over {FORMAT_TIMEOUT_S} s; try again") from err
    if run.returncode != 0:
        last = "\n".join((run.stdout + run.stderr).strip().splitlines()[-8:])
        raise FatalError(f"could not format {files.data} for Kafka; is the disk full? Last lines:\n{last}")


def broker_command(layout: Layout, java: Path, libs: Path, heap_mb: int) -> tuple[str, ...]:
    """The command line of the broker itself."""
    files = BrokerFiles.of(layout)
    return (
        *_java_command(java, libs, files, (f"-Xmx{heap_mb}m", "-XX:+UseG1GC")),
        "kafka.Kafka",
        str(files.properties),
    )


def not_ready(bootstrap_servers: str, port: int) -> str | None:
    """None when the broker answers a metadata request, else why not (for people)."""
    if not is_open(port):
        return f"Kafka does not listen on {bootstrap_servers}"
    admin = AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 0})
    try:
        metadata = admin.list_topics(timeout=METADATA_TIMEOUT_S)
    except KafkaException as err:
        return f"Kafka on {bootstrap_servers} does not answer: {err}"
    return None if metadata.brokers else f"Kafka on {bootstrap_servers} has no broker yet"


def _java_command(java: Path, libs: Path, files: BrokerFiles, jvm: tuple[str, ...]) -> tuple[str, ...]:
    return (
        str(java),
        *jvm,
        "-Djava.awt.headless=true",
        f"-Dlog4j2.configurationFile={files.log4j}",
        "-cp",
        f"{libs}/*",
    )
