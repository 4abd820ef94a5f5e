"""A broker that cannot be reached is named, with the address that was tried."""

from __future__ import annotations

import socket

import pytest

from funshare_flink.kafka import topics
from funshare_flink.kafka.topics import KafkaTopics
from funshare_flink.model.errors import BadInputError


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "_TIMEOUT_S", 0.5)


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


def test_nobody_there() -> None:
    address = f"127.0.0.1:{free_port()}"
    with pytest.raises(BadInputError, match=rf"no Kafka broker answers at {address} \(bootstrap;.*is it running"):
        KafkaTopics(address).missing(("t",))


@pytest.mark.parametrize("address", ["nowhere.invalid:9092", "127.0.0.1", "127.0.0.1:port"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(BadInputError, match=address):
        KafkaTopics(address).partitions(("t",))


def test_something_that_is_no_broker() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(BadInputError, match=rf"at {address} accepts connections but gives no metadata"):
            KafkaTopics(address).missing(("t",))
