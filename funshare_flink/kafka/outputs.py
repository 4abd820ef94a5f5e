"""Reads what queries wrote, as a consumer of theirs would: committed rows only, by assignment, without a group."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from funshare_flink.model.errors import FatalError, RetryableError

_POLL_S = 30.0


def read_rows(bootstrap: str, topic: str) -> Counter[bytes]:
    """All committed rows of a topic up to its present end, as a multiset of their values."""
    return Counter(v for _, v in _records(bootstrap, topic) if v is not None)


def read_final_table(bootstrap: str, topic: str) -> dict[bytes, bytes]:
    """What an upsert topic says in the end: the last value of each key; a tombstone removes its key."""
    table: dict[bytes, bytes] = {}
    for key, value in _records(bootstrap, topic):
        if value is None:
            table.pop(key or b"", None)
        else:
            table[key or b""] = value
    return table


def read_changelog(bootstrap: str, topic: str) -> Counter[bytes]:
    """The rows that are left of a changelog (debezium-json): inserted and not retracted."""
    rows: Counter[bytes] = Counter()
    for _, value in _records(bootstrap, topic):
        if value is None:
            continue
        change = json.loads(value)
        for side, step in (("before", -1), ("after", 1)):
            if change.get(side) is not None:
                rows[json.dumps(change[side], sort_keys=True, ensure_ascii=False).encode()] += step
    return Counter({row: n for row, n in rows.items() if n})


@dataclass(frozen=True)
class Difference:
    """Rows that one run has and the other has not, with multiplicity."""

    missing: Counter[bytes]
    extra: Counter[bytes]

    def __bool__(self) -> bool:
        return bool(self.missing or self.extra)


def difference(expected: Counter[bytes], actual: Counter[bytes]) -> Difference:
    return Difference(expected - actual, actual - expected)


def _records(bootstrap: str, topic: str) -> Iterator[tuple[bytes | None, bytes | None]]:
    """(key, value) of every committed record, partition by partition."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "funshare-reader",  # required by the client; nothing is committed and no group is joined
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "check.crcs": True,
        }
    )
    try:
        for partition in _partitions(consumer, topic):
            consumer.assign([TopicPartition(topic, partition, 0)])
            yield from _until_end(consumer, topic)
    finally:
        consumer.close()


def _partitions(consumer: Consumer, topic: str) -> list[int]:
    try:
        found = consumer.list_topics(topic, timeout=_POLL_S).topics[topic]
    except KafkaException as e:
        raise RetryableError(f"cannot read topic {topic}: {e.args[0].str()}") from e
    if found.error is not None:
        raise FatalError(f"cannot read topic {topic}: {found.error.str()}")
    return sorted(found.partitions)


def _until_end(consumer: Consumer, topic: str) -> Iterator[tuple[bytes | None, bytes | None]]:
    while True:
        message: Message | None = consumer.poll(_POLL_S)
        if message is None:
            raise RetryableError(f"reading topic {topic}: no answer for {_POLL_S:.0f} s; an open transaction?")
        error = message.error()
        if error is None:
            yield message.key(), message.value()
        elif error.code() == KafkaError._PARTITION_EOF:
            return
        else:
            raise RetryableError(f"reading topic {topic}: {error.str()}")
