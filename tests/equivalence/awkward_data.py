"""Input that tries to tell two runs apart: NULLs, duplicates, out-of-order rows, ties at window edges."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from confluent_kafka import Producer

BASE = datetime(2026, 3, 1, tzinfo=UTC)
PARTITIONS = 2
LATENESS_S = 4
"""Rows come at most this late; the tables' watermarks allow 5 s, so that no run depends on what is dropped as late."""

TABLES = """
CREATE TABLE l (id BIGINT, grp INT, num INT, amount DECIMAL(10, 2), ratio DOUBLE, name STRING, flag BOOLEAN,
  ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
  WITH ('connector' = 'kafka', 'topic' = '{prefix}l', 'properties.bootstrap.servers' = '{bootstrap}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json');
CREATE TABLE r (fk BIGINT, grp INT, num INT, price DECIMAL(8, 2), weight DOUBLE, kind STRING, note STRING,
  ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
  WITH ('connector' = 'kafka', 'topic' = '{prefix}r', 'properties.bootstrap.servers' = '{bootstrap}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json');
"""
"""`kind = 'num'` says that `note` is a number; anything else in `note` is not."""

_NAMES = ["ab", "Ab", "abc", "", "é;ß", "x'y", "zz", "b%c"]


@dataclass(frozen=True)
class Input:
    """Rows of both tables in the order in which they are sent."""

    left: list[dict[str, Any]]
    right: list[dict[str, Any]]


def awkward_input(seed: int, left: int = 400, right: int = 900, keys: int = 40) -> Input:
    """Both tables' rows for a seed: keys repeat, one in ten values is NULL, one row in twenty comes twice, event
    times are out of order by up to `LATENESS_S` and often fall on whole tens of seconds."""
    chance = random.Random(seed)
    return Input(list(_left(chance, left, keys)), list(_right(chance, right, keys)))


def send(bootstrap: str, prefix: str, rows: Input) -> None:
    """Write the rows, spread over partitions by key (rows without a key to the first)."""
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 5, "enable.idempotence": True})
    for topic, key, records in (("l", "id", rows.left), ("r", "fk", rows.right)):
        for record in records:
            producer.produce(prefix + topic, json.dumps(record).encode(), partition=(record[key] or 0) % PARTITIONS)
    assert producer.flush(60) == 0


def _left(chance: random.Random, count: int, keys: int) -> Iterator[dict[str, Any]]:
    for i in range(count):
        yield from _twice(chance, {
            "id": _null(chance, chance.randrange(keys)), "grp": _null(chance, chance.randrange(4)),
            "num": _null(chance, chance.randrange(-5, 20)),
            "amount": _null(chance, f"{chance.randrange(5000) / 100:.2f}"),
            "ratio": _null(chance, chance.choice([0.0, -0.0, 0.1, 1.5, 2.25, 1e9])),
            "name": _null(chance, chance.choice(_NAMES)), "flag": _null(chance, chance.random() < 0.5),
            "ts": _time(chance, i, count),
        })  # fmt: skip


def _right(chance: random.Random, count: int, keys: int) -> Iterator[dict[str, Any]]:
    for i in range(count):
        kind = _null(chance, chance.choice(["num", "text", "other"]))
        note = str(chance.randrange(100)) if kind == "num" else chance.choice(["n/a", "abc", "é;ß", None])
        yield from _twice(chance, {
            "fk": _null(chance, chance.randrange(keys)), "grp": _null(chance, chance.randrange(4)),
            "num": _null(chance, chance.randrange(-5, 20)),
            "price": _null(chance, f"{chance.randrange(9000) / 100:.2f}"),
            "weight": _null(chance, chance.choice([0.0, 0.3, 1.7, 2.25, 1e-3])), "kind": kind, "note": note,
            "ts": _time(chance, i, count),
        })  # fmt: skip


def _null(chance: random.Random, value: Any) -> Any:
    return None if chance.random() < 0.1 else value


def _twice(chance: random.Random, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield row
    if chance.random() < 0.05:
        yield dict(row)


def _time(chance: random.Random, i: int, count: int) -> str:
    """Two minutes of event time; one row in four on a whole ten seconds, unless that would make it too late."""
    at = i * 120_000 // count
    late = at - chance.randrange(LATENESS_S * 1000) if chance.random() < 0.3 else at
    if chance.random() < 0.25:
        edge = late // 10_000 * 10_000
        late = edge if at - edge < LATENESS_S * 1000 else late
    moment = BASE + timedelta(milliseconds=max(0, late))
    return moment.strftime("%Y-%m-%d %H:%M:%S.") + f"{moment.microsecond // 1000:03d}"
