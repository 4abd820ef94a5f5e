"""The live cluster of the integration and equivalence tests: embedded Flink and Kafka, once per test run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from funshare_flink import wiring
from funshare_flink.embedded import cluster as embedded
from funshare_flink.embedded.config import EmbeddedConfig
from funshare_flink.embedded.state import ClusterState
from funshare_flink.flink.submission import FlinkJobs
from funshare_flink.kafka.topics import KafkaTopics

_PLACE = wiring.Place.of(None, None)


@dataclass
class LiveCluster:
    """A running cluster and what tests need of it."""

    state: ClusterState
    jobs: FlinkJobs
    topics: KafkaTopics
    _numbers: Iterator[int]

    @property
    def bootstrap(self) -> str:
        return self.state.bootstrap_servers

    def next_number(self) -> int:
        """A number that no other run on this cluster has: for topic prefixes and generations."""
        return next(self._numbers)


@pytest.fixture(scope="session")
def live_cluster(planner_home: Path) -> Iterator[LiveCluster]:
    """Two task managers with 8 slots each; ended with everything that it wrote when the session ends."""
    folder = tempfile.mkdtemp(prefix="funshare-test-")
    config = EmbeddedConfig(
        state_dir=Path(folder),
        artifacts_dir=_PLACE.state_dir,
        slots_per_task_manager=8,
        kernel_jar=wiring.jar("FUNSHARE_KERNEL_JAR"),
        extra_jars=wiring.user_jars(),
    )
    state = embedded.up(config)
    try:
        yield LiveCluster(state, FlinkJobs(state.rest_url), KafkaTopics(state.bootstrap_servers), count(1))
    finally:
        embedded.down(Path(folder))
