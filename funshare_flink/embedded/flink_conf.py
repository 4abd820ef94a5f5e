"""Flink's configuration for the embedded cluster, as data."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import yaml

from funshare_flink.embedded.config import FRAMEWORK_MB, EmbeddedConfig, TaskManagerMemory, divide_memory
from funshare_flink.embedded.layout import Layout
from funshare_flink.embedded.netports import LOOPBACK
from funshare_flink.embedded.state import Ports
from funshare_flink.model.errors import BadInputError

JOB_MANAGER_HEAP_MB = 1024


def flink_conf(config: EmbeddedConfig, layout: Layout, ports: Ports, java_opts: str) -> dict[str, str]:
    """All options of config.yaml, flat; `extra_flink_conf` has the last word."""
    memory = divide_memory(config.taskmanager_memory_mb, config.slots_per_task_manager)
    return {
        "env.java.opts.all": java_opts,
        **_addresses(ports),
        **_memory(memory),
        **_folders(layout),
        **_slots(config.slots_per_task_manager),
        **_behaviour(),
        **config.extra_flink_conf,
    }


def render(conf: dict[str, str]) -> str:
    """config.yaml of Flink 2 with flat keys."""
    return yaml.safe_dump(conf, sort_keys=True, width=1_000_000)


def refuse_fixed(extra: Mapping[str, str]) -> None:
    """Sizes, slots and addresses follow from `EmbeddedConfig` alone. Raises BadInputError, naming the keys."""
    fixed = {*_addresses(Ports(0, 0, 0, 0)), *_memory(divide_memory(4096, 16)), *_slots(1)}
    wrong = sorted(key for key in extra if key in fixed or key.endswith("memory.process.size"))
    if wrong:
        raise BadInputError(
            f"extra_flink_conf cannot set {', '.join(wrong)}: memory, slots and ports have settings of their own"
        )


def _addresses(ports: Ports) -> dict[str, str]:
    """Everything listens on the loopback address only. Task managers take any free ports."""
    return {
        "jobmanager.rpc.address": LOOPBACK,
        "jobmanager.rpc.port": str(ports.rpc),
        "jobmanager.bind-host": LOOPBACK,
        "rest.address": LOOPBACK,
        "rest.bind-address": LOOPBACK,
        "rest.port": str(ports.rest),
        "rest.bind-port": str(ports.rest),
        "taskmanager.host": LOOPBACK,
        "taskmanager.bind-host": LOOPBACK,
        "taskmanager.rpc.port": "0",
        "taskmanager.data.port": "0",
        "blob.server.port": "0",
    }


def _memory(memory: TaskManagerMemory) -> dict[str, str]:
    """Every part in MB. Flink's start scripts would derive these with two more JVMs for each process."""
    return {
        "jobmanager.memory.heap.size": f"{JOB_MANAGER_HEAP_MB}m",
        "jobmanager.memory.jvm-metaspace.size": "256m",
        "taskmanager.memory.framework.heap.size": f"{FRAMEWORK_MB}m",
        "taskmanager.memory.framework.off-heap.size": f"{FRAMEWORK_MB}m",
        "taskmanager.memory.task.heap.size": f"{memory.task_heap_mb}m",
        "taskmanager.memory.task.off-heap.size": "0m",
        "taskmanager.memory.jvm-metaspace.size": f"{memory.metaspace_mb}m",
        "taskmanager.memory.jvm-overhead.min": f"{memory.overhead_mb}m",
        "taskmanager.memory.jvm-overhead.max": f"{memory.overhead_mb}m",
        "taskmanager.memory.network.min": f"{memory.network_mb}m",
        "taskmanager.memory.network.max": f"{memory.network_mb}m",
        "taskmanager.memory.managed.size": f"{memory.managed_mb}m",
    }


def _folders(layout: Layout) -> dict[str, str]:
    data = layout.flink_data
    return {
        "execution.checkpointing.dir": (data / "checkpoints").as_uri(),
        "execution.checkpointing.savepoint-dir": (data / "savepoints").as_uri(),
        "io.tmp.dirs": str(data / "tmp"),
        "web.upload.dir": str(data / "upload"),
    }


def _slots(slots: int) -> dict[str, str]:
    return {"taskmanager.numberOfTaskSlots": str(slots), "taskmanager.cpu.cores": f"{slots}.0"}


def _behaviour() -> dict[str, str]:
    return {
        "parallelism.default": "1",
        # A dead task manager is seen within seconds, a starved one (two cores, many slots) is not shot.
        "heartbeat.interval": "1000",
        "heartbeat.timeout": "60000",
        "pekko.ask.timeout": "60 s",
        # Metrics of a new job are to be seen after seconds, not after the default ten.
        "metrics.fetcher.update-interval": "2000",
        "classloader.check-leaked-classloader": "false",
        # Jobs choose their own; one that does not must not restart for ever.
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": "3",
        "restart-strategy.fixed-delay.delay": "1 s",
        "python.executable": sys.executable,
        "python.client.executable": sys.executable,
    }
