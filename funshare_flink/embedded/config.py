"""What a caller may ask of the embedded cluster, and the memory that follows from it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from funshare_flink.model.errors import BadInputError

FRAMEWORK_MB = 128
"""Flink's own share of a task manager's heap, and once more of its direct memory."""

MIN_TASK_HEAP_MB = 256
MIN_MANAGED_PER_SLOT_MB = 32
MIN_NETWORK_PER_SLOT_MB = 16


@dataclass(frozen=True)
class EmbeddedConfig:
    """One embedded cluster. A port of None is chosen free; `artifacts_dir` None means `state_dir`."""

    state_dir: Path = Path(".funshare")
    artifacts_dir: Path | None = None
    task_managers: int = 2
    slots_per_task_manager: int = 16
    taskmanager_memory_mb: int = 4096
    kafka_heap_mb: int = 1024
    rest_port: int | None = None
    kafka_port: int | None = None
    kernel_jar: Path | None = None
    extra_jars: tuple[Path, ...] = ()
    extra_flink_conf: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def slots(self) -> int:
        """Task slots of the whole cluster."""
        return self.task_managers * self.slots_per_task_manager

    @property
    def artifacts(self) -> Path:
        """Where downloaded jars live; they outlive `down`."""
        return (self.artifacts_dir or self.state_dir).absolute()


@dataclass(frozen=True)
class TaskManagerMemory:
    """How the process memory of one task manager is divided; all in MB, the rest is task heap."""

    process_mb: int
    metaspace_mb: int
    overhead_mb: int
    network_mb: int
    managed_mb: int

    @property
    def task_heap_mb(self) -> int:
        """Heap for operators and their keyed state."""
        parts = self.metaspace_mb + self.overhead_mb + self.network_mb + self.managed_mb
        return self.process_mb - 2 * FRAMEWORK_MB - parts


def divide_memory(process_mb: int, slots: int) -> TaskManagerMemory:
    """Divide a task manager's memory so that many small tails fit into many slots.

    Managed memory is shared out evenly over slots, and within a slot over its window operators, each of
    which needs some 16 MB at least: so a quarter of the process, and never below 32 MB a slot. Every job
    brings generated classes of its own, so large processes get more metaspace than Flink's default.

    Raises BadInputError when less than 256 MB would be left for the operators.
    """
    memory = TaskManagerMemory(
        process_mb=process_mb,
        metaspace_mb=512 if process_mb >= 3072 else 256,
        overhead_mb=min(max(process_mb // 16, 192), 512),
        network_mb=min(max(process_mb // 8, MIN_NETWORK_PER_SLOT_MB * slots, 64), 1024),
        managed_mb=max(process_mb // 4, MIN_MANAGED_PER_SLOT_MB * slots),
    )
    if memory.task_heap_mb < MIN_TASK_HEAP_MB:
        raise BadInputError(
            f"taskmanager_memory_mb={process_mb} is too small for {slots} slots: {memory.task_heap_mb} MB would "
            f"be left for operators, {MIN_TASK_HEAP_MB} are needed; give more memory or fewer slots"
        )
    return memory


def validate(config: EmbeddedConfig) -> None:
    """Refuse what cannot be started, before anything is. Raises BadInputError, one message."""
    for name in ("task_managers", "slots_per_task_manager", "taskmanager_memory_mb", "kafka_heap_mb"):
        value = getattr(config, name)
        if value < 1:
            raise BadInputError(f"{name} must be 1 or more, got {value}")
    for name in ("rest_port", "kafka_port"):
        port = getattr(config, name)
        if port is not None and not 1 <= port <= 65535:
            raise BadInputError(f"{name} must be between 1 and 65535, got {port}")
    if config.rest_port is not None and config.rest_port == config.kafka_port:
        raise BadInputError(f"rest_port and kafka_port are both {config.rest_port}; give them different ports")
    _require_jars(config)
    divide_memory(config.taskmanager_memory_mb, config.slots_per_task_manager)


def _require_jars(config: EmbeddedConfig) -> None:
    if config.kernel_jar is not None and not config.kernel_jar.is_file():
        raise BadInputError(f"kernel jar {config.kernel_jar} does not exist; build it first")
    for jar in config.extra_jars:
        if not jar.is_file():
            raise BadInputError(f"jar {jar} does not exist; check its path")


def fingerprint(config: EmbeddedConfig) -> dict[str, str]:
    """The settings that a running cluster cannot change, as text; ports and folders are not among them.

    Jars count by content: a rebuilt jar is another cluster, since running JVMs hold the old one.
    """
    return {
        "task_managers": str(config.task_managers),
        "slots_per_task_manager": str(config.slots_per_task_manager),
        "taskmanager_memory_mb": str(config.taskmanager_memory_mb),
        "kafka_heap_mb": str(config.kafka_heap_mb),
        "kernel_jar": "none" if config.kernel_jar is None else _digest(config.kernel_jar),
        "extra_jars": ", ".join(f"{jar.name}:{_digest(jar)}" for jar in sorted(config.extra_jars)),
        "extra_flink_conf": ", ".join(f"{key}={value}" for key, value in sorted(config.extra_flink_conf.items())),
    }


def _digest(jar: Path) -> str:
    return hashlib.sha256(jar.read_bytes()).hexdigest()[:16]
