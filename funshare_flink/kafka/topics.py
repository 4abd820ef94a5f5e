"""Topics of a broker, and why a broker cannot be reached."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic

from funshare_flink.model.errors import BadInputError, FatalError, RetryableError

_TIMEOUT_S = 8.0
_AUTO_CREATE = "auto.create.topics.enable"


class KafkaTopics:
    """A Topics port over one bootstrap address. Raises BadInputError when the broker does not answer: the address
    stands in the user's tables."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self._admin = AdminClient(
            {
                "bootstrap.servers": bootstrap,
                "socket.timeout.ms": int(_TIMEOUT_S * 1000),
                "log_level": 0,
                "logger": None,
            }
        )

    def partitions(self, names: tuple[str, ...]) -> Mapping[str, int]:
        """Number of partitions by topic, for those that exist."""
        topics = self._metadata().topics
        return {n: len(topics[n].partitions) for n in names if n in topics and topics[n].error is None}

    def missing(self, names: tuple[str, ...]) -> tuple[str, ...]:
        known = self.partitions(names)
        return tuple(n for n in names if n not in known)

    def creates_topics_itself(self) -> bool:
        """Whether the broker makes a topic when it is first written to."""
        brokers = list(self._metadata().brokers)
        resource = ConfigResource(ConfigResource.Type.BROKER, str(brokers[0]))
        try:
            config = self._admin.describe_configs([resource], request_timeout=_TIMEOUT_S)[resource].result()
        except KafkaException:
            return False
        entry = config.get(_AUTO_CREATE)
        return entry is not None and str(entry.value).lower() == "true"

    def create(self, names: tuple[str, ...], partitions: int) -> None:
        """Make topics that are not there, with one replica."""
        self._create(self.missing(names), partitions, {})

    def ensure(self, names: tuple[str, ...], partitions: int, config: Mapping[str, str]) -> None:
        """Make topics that are not there, with this configuration; those that are must have as many partitions."""
        present = self.partitions(names)
        for name, count in present.items():
            if count != partitions:
                raise BadInputError(
                    f"topic {name!r} at {self.bootstrap} has {count} partitions, {partitions} are asked for; "
                    "ask for its number, delete it, or use another topic prefix"
                )
        self._create(tuple(n for n in names if n not in present), partitions, config)

    def delete(self, names: tuple[str, ...]) -> None:
        """Delete those of the topics that exist, and wait until the broker no longer lists them."""
        present = tuple(self.partitions(names))
        for name, future in (self._admin.delete_topics(list(present)) if present else {}).items():
            self._result(future, f"topic {name!r} could not be deleted")
        deadline = time.monotonic() + _TIMEOUT_S
        while self.partitions(present):
            if time.monotonic() > deadline:
                raise RetryableError(f"the broker at {self.bootstrap} still lists deleted topics; try again")
            time.sleep(0.05)

    def _create(self, names: tuple[str, ...], partitions: int, config: Mapping[str, str]) -> None:
        wanted = [NewTopic(n, partitions, 1, config=dict(config)) for n in names]
        for name, future in (self._admin.create_topics(wanted) if wanted else {}).items():
            self._result(future, f"topic {name!r} could not be created")

    def _result(self, future: Any, what: str) -> None:
        try:
            future.result(_TIMEOUT_S)
        except KafkaException as e:
            if e.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise FatalError(f"{what} at {self.bootstrap}: {e.args[0].str()}") from e

    def _metadata(self) -> Any:
        try:
            metadata = self._admin.list_topics(timeout=_TIMEOUT_S)
        except KafkaException as e:
            raise BadInputError(self._unreachable(e)) from e
        for broker in metadata.brokers.values():
            if not _reachable(broker.host, broker.port):
                raise BadInputError(
                    f"the Kafka broker at {self.bootstrap} answers, but advertises itself as "
                    f"{broker.host}:{broker.port}, which cannot be reached from here; mend advertised.listeners "
                    "or use a bootstrap address whose listener is meant for this side"
                )
        return metadata

    def _unreachable(self, error: KafkaException) -> str:
        answers = [a for a in self.bootstrap.split(",") if _reachable(*_split(a))]
        if answers:
            return (
                f"the Kafka broker at {self.bootstrap} accepts connections but gives no metadata "
                f"({error.args[0].str()}); its advertised address may not be reachable from here"
            )
        return (
            f"no Kafka broker answers at {self.bootstrap} (bootstrap; no advertised address was learnt); "
            "is it running, and is properties.bootstrap.servers right?"
        )


def _split(address: str) -> tuple[str, int]:
    host, _, port = address.strip().rpartition(":")
    return host, int(port) if port.isdigit() else 0


def _reachable(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host.strip("[]"), port), timeout=3.0):
            return True
    except (OSError, OverflowError):
        return False
