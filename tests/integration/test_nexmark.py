"""The event generator against a real broker: what it reports is what lies in the topics, byte for byte.

FUNSHARE_TEST_STATE_DIR may name the folder of a running embedded cluster; otherwise one is started.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from funshare_flink.embedded import artifacts, cluster
from funshare_flink.embedded.config import EmbeddedConfig
from funshare_flink.kafka.nexmark import (
    DeliverySettings,
    DirtSettings,
    GeneratorProgram,
    GeneratorReport,
    NexmarkGenerator,
    NexmarkSettings,
)
from funshare_flink.model.errors import BadInputError
from funshare_flink.workloads.build import build_workload
from funshare_flink.workloads.params import WorkloadParams

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
PARTITIONS = 3
Record = tuple[bytes, bytes, int]


@pytest.fixture(scope="module")
def bootstrap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    given = os.environ.get("FUNSHARE_TEST_STATE_DIR")
    if given is not None:
        running = cluster.status(Path(given))
        assert running is not None, f"FUNSHARE_TEST_STATE_DIR={given}: no cluster runs there"
        yield running.bootstrap_servers
        return
    state_dir = tmp_path_factory.mktemp("nexmark") / "state"
    small = EmbeddedConfig(
        state_dir=state_dir,
        artifacts_dir=ROOT / ".funshare",
        task_managers=1,
        slots_per_task_manager=1,
        taskmanager_memory_mb=1728,
        kafka_heap_mb=512,
    )
    try:
        yield cluster.up(small).bootstrap_servers
    finally:
        cluster.down(state_dir)


@pytest.fixture(scope="module")
def program() -> GeneratorProgram:
    libs = artifacts.fetch(ROOT / ".funshare").kafka_libs
    return GeneratorProgram(ROOT / "jobs" / "nexmark" / "target" / "funshare-nexmark.jar", libs)


@pytest.fixture
def settings(bootstrap: str, request: pytest.FixtureRequest, program: GeneratorProgram) -> Iterator[NexmarkSettings]:
    prefix = f"nexmark_test_{os.getpid()}_{request.node.name}_"
    chosen = NexmarkSettings(DeliverySettings(bootstrap, prefix, PARTITIONS), events=20_000)
    yield chosen
    NexmarkGenerator(program, chosen).delete_topics()


def read(bootstrap: str, topic: str) -> list[list[Record]]:
    """All records of each partition, in order."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "none", "enable.auto.commit": False})
    partitions: list[list[Record]] = []
    for number in range(PARTITIONS):
        _, end = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=30)
        consumer.assign([TopicPartition(topic, number, 0)])
        records: list[Record] = []
        while len(records) < end:
            for message in consumer.consume(min(1000, end - len(records)), timeout=30):
                assert message.error() is None, message.error()
                records.append((message.key(), message.value(), message.timestamp()[1]))
        partitions.append(records)
    consumer.close()
    return partitions


def contents(settings: NexmarkSettings) -> dict[str, list[list[Record]]]:
    prefix = settings.delivery.topic_prefix
    return {topic.removeprefix(prefix): read(settings.delivery.bootstrap_servers, topic) for topic in settings.topics}


def test_the_report_is_what_lies_in_the_topics(program: GeneratorProgram, settings: NexmarkSettings) -> None:
    report = NexmarkGenerator(program, settings).run()
    found = contents(settings)
    prefix = settings.delivery.topic_prefix
    assert report.events == 20_000
    assert dict(report.records) == {prefix + topic: sum(map(len, parts)) for topic, parts in found.items()}
    assert dict(report.records) == {prefix + "person": 400, prefix + "auction": 1200, prefix + "bid": 18_400}
    times = [time for parts in found.values() for part in parts for _, _, time in part]
    assert (min(times), max(times)) == (report.first_ts_ms, report.last_ts_ms)
    for parts in found.values():
        for part in parts:
            assert [time for *_, time in part] == sorted(time for *_, time in part)


def test_a_key_has_the_same_partition_in_both_joined_topics(
    program: GeneratorProgram, settings: NexmarkSettings
) -> None:
    NexmarkGenerator(program, settings).run()
    found = contents(settings)
    homes: dict[bytes, int] = {}
    for topic, field in (("auction", "id"), ("bid", "auction")):
        for number, part in enumerate(found[topic]):
            for key, value, _ in part:
                assert str(json.loads(value)[field]).encode() == key
                assert homes.setdefault(key, number) == number


def test_the_same_settings_give_the_same_bytes(program: GeneratorProgram, settings: NexmarkSettings) -> None:
    dirt = DirtSettings(null_share=0.1, duplicate_share=0.1, tie_share=0.1, max_out_of_order_ms=500)
    dense = replace(settings, shape="dense", dirt=dirt, events=5000)
    paced = replace(dense, delivery=replace(dense.delivery, topic_prefix="again_" + dense.delivery.topic_prefix))
    paced = replace(paced, delivery=replace(paced.delivery, rate_eps=10_000, compression="none", acks="1"))
    for one in (dense, paced):
        NexmarkGenerator(program, one).run()
    first, second = contents(dense), contents(paced)
    for one in (dense, paced):
        NexmarkGenerator(program, one).delete_topics()
    assert first == second
    rows = [json.loads(value) for parts in first.values() for part in parts for _, value, _ in part]
    assert len(rows) > 5300, "duplicates are missing"
    assert any(row["attr"] is None for row in rows)


def test_an_endless_run_stops_on_request_and_keeps_what_it_sent(
    program: GeneratorProgram, settings: NexmarkSettings
) -> None:
    endless = replace(settings, events=None, delivery=replace(settings.delivery, rate_eps=2000))
    seen: list[GeneratorReport] = []
    with NexmarkGenerator(program, endless).start() as running:
        for report in running.progress():
            seen.append(report)
            if len(seen) == 2:
                break
        final = running.stop()
    assert final.final
    assert not seen[0].final
    assert final.events >= seen[1].events > seen[0].events > 0
    assert final.total_records == sum(len(part) for parts in contents(endless).values() for part in parts)
    assert not Path(f"/proc/{running.pid}").exists()


def test_a_workloads_hint_generates_its_topics(program: GeneratorProgram, settings: NexmarkSettings) -> None:
    workload = build_workload(WorkloadParams("W3", "dense", topic_prefix=settings.delivery.topic_prefix))
    chosen = NexmarkSettings.from_hint(workload.hint, settings.delivery, events=2000)
    report = NexmarkGenerator(program, chosen).run()
    assert {topic for topic, _ in report.records} == set(workload.source_topics)
    NexmarkGenerator(program, chosen).delete_topics()


def test_another_partition_count_is_refused(program: GeneratorProgram, settings: NexmarkSettings) -> None:
    NexmarkGenerator(program, settings).create_topics()
    other = replace(settings, delivery=replace(settings.delivery, partitions=PARTITIONS + 1))
    with pytest.raises(BadInputError, match=f"has {PARTITIONS} partitions, {PARTITIONS + 1} are asked for"):
        NexmarkGenerator(program, other).start()


def test_a_setting_that_the_program_refuses_is_bad_input(program: GeneratorProgram, settings: NexmarkSettings) -> None:
    with pytest.raises(BadInputError, match="--categories is 0; it must be 1 or more"):
        NexmarkGenerator(program, replace(settings, categories=0)).run()


def test_an_unreachable_broker_is_named(program: GeneratorProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("funshare_flink.kafka.nexmark.ADMIN_TIMEOUT_S", 1.0)
    nowhere = NexmarkSettings(DeliverySettings("127.0.0.1:9"), events=1)
    with pytest.raises(BadInputError, match=r"no Kafka broker answers at 127\.0\.0\.1:9"):
        NexmarkGenerator(program, nowhere).run()


def test_a_missing_program_says_how_to_build_it(tmp_path: Path) -> None:
    nothing = GeneratorProgram(tmp_path / "none.jar", tmp_path)
    with pytest.raises(BadInputError, match="is not built; run"):
        nothing.command(NexmarkSettings(DeliverySettings("unused:1"), events=1), progress=False)


def test_waiting_for_an_endless_generator_is_refused(program: GeneratorProgram) -> None:
    endless = NexmarkSettings(DeliverySettings("unused:1"))
    with pytest.raises(BadInputError, match="endless"):
        NexmarkGenerator(program, endless).run()


def test_rows_too_late_for_the_workloads_watermarks_are_refused() -> None:
    hint = build_workload(WorkloadParams("W1", watermark_ms=1000)).hint
    dirt = DirtSettings(tie_share=0.1, max_out_of_order_ms=1)
    with pytest.raises(BadInputError, match=r"1000 ms late.*raise the workload's watermark_ms"):
        NexmarkSettings.from_hint(hint, DeliverySettings("unused:1"), events=1, dirt=dirt)
