"""The source and sink tables of the built-in workloads, as DDL."""

from __future__ import annotations

from funshare_flink.workloads.params import Variant, WorkloadParams
from funshare_flink.workloads.sql import Columns, create_table, interval

TRANSACTION_TIMEOUT_MS = 600_000
"""Longer than a checkpoint and a restart take; a broker allows 15 minutes by default."""

SOURCES: dict[Variant, dict[str, Columns]] = {
    "sparse": {
        "auction": (
            ("id", "BIGINT"),
            ("item", "STRING"),
            ("initial_bid", "BIGINT"),
            ("reserve", "BIGINT"),
            ("category", "INT"),
            ("seller", "BIGINT"),
            ("attr", "INT"),
            ("ts", "TIMESTAMP(3)"),
            ("expires", "TIMESTAMP(3)"),
        ),
        "bid": (
            ("auction", "BIGINT"),
            ("bidder", "BIGINT"),
            ("price", "BIGINT"),
            ("channel", "STRING"),
            ("url", "STRING"),
            ("attr", "INT"),
            ("ts", "TIMESTAMP(3)"),
        ),
    },
    "dense": {
        name: (("k", "INT"), ("attr", "INT"), ("val", "BIGINT"), ("ts", "TIMESTAMP(3)"))
        for name in ("stream_a", "stream_b")
    },
}


def source_tables(params: WorkloadParams) -> list[str]:
    """CREATE TABLE of each source of the variant, with event time and watermark."""
    watermark = f"WATERMARK FOR ts AS ts - {interval(params.watermark_ms)}"
    return [
        create_table(name, columns, _source_options(params, name), watermark)
        for name, columns in SOURCES[params.variant].items()
    ]


def sink_table(params: WorkloadParams, name: str, columns: Columns, primary_key: str | None) -> str:
    """CREATE TABLE of a query's sink. With a primary key it is an upsert table keyed by that column."""
    constraints = [f"PRIMARY KEY ({primary_key}) NOT ENFORCED"] if primary_key else []
    if params.sink == "blackhole":
        return create_table(name, columns, {"connector": "blackhole"}, *constraints)
    return create_table(name, columns, _kafka_sink_options(params, name, upsert=bool(constraints)), *constraints)


def sink_topic(params: WorkloadParams, name: str) -> str:
    """The Kafka topic that the query's sink writes."""
    return f"{params.topic_prefix}out_{name}"


def _source_options(params: WorkloadParams, name: str) -> dict[str, str]:
    options = {
        "connector": "kafka",
        "topic": params.topic_prefix + name,
        "properties.bootstrap.servers": params.bootstrap_servers,
        "scan.startup.mode": "earliest-offset",
        "format": "json",
    }
    return {**options, "scan.bounded.mode": "latest-offset"} if params.bounded else options


def _kafka_sink_options(params: WorkloadParams, name: str, *, upsert: bool) -> dict[str, str]:
    topic = sink_topic(params, name)
    options = {
        "connector": "upsert-kafka" if upsert else "kafka",
        "topic": topic,
        "properties.bootstrap.servers": params.bootstrap_servers,
        **({"key.format": "json", "value.format": "json"} if upsert else {"format": "json"}),
    }
    if not params.exactly_once:
        return options
    return {
        **options,
        "sink.delivery-guarantee": "exactly-once",
        "sink.transactional-id-prefix": topic,
        "properties.transaction.timeout.ms": str(TRANSACTION_TIMEOUT_MS),
    }
