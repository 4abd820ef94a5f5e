"""Starts the named processes of one cluster and waits until they serve."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from funshare_flink.embedded import flink_cluster, kafka_broker, processes, state
from funshare_flink.embedded.artifacts import Tools
from funshare_flink.embedded.layout import Layout
from funshare_flink.embedded.processes import Launch, ProcessId
from funshare_flink.embedded.repair import Repair
from funshare_flink.embedded.state import KAFKA, TASK_MANAGER, ClusterRecord, ManagedProcess
from funshare_flink.model.errors import FatalError

GRACE_S = 15.0
START_TIMEOUT_S = 180.0
POLL_S = 0.25
LOG_LINES = 15


@dataclass
class Launcher:
    """Carries out a repair on `record`, writing each process down as soon as it runs."""

    record: ClusterRecord
    tools: Tools
    kafka_libs: Path
    kafka_heap_mb: int
    started: list[ProcessId] = field(default_factory=list)

    @property
    def layout(self) -> Layout:
        """The cluster's folders."""
        return Layout(self.record.root)

    def apply(self, repair: Repair) -> None:
        """Stop, start, wait. Whatever interrupts this (Ctrl-C too), nothing that it started stays.

        Raises FatalError when a process ends early or the cluster is not whole in time.
        """
        try:
            self._stop((*repair.stop, *repair.start))
            for name in repair.start:
                self._start(name)
            self._await_ready()
        except BaseException:
            processes.terminate(self.started, GRACE_S)
            self._stop(repair.start)  # what an interrupt kept from being written down
            raise

    def _stop(self, names: tuple[str, ...]) -> None:
        """End these and their children, those too that a killed `up` started without writing them down."""
        if names:
            processes.end_owned(str(self.record.root), names, GRACE_S)

    def _start(self, name: str) -> None:
        last = self.record.find(name)
        generation = last.generation + 1 if last else 1
        process = processes.start(self._launch(name, f"{name}-{generation}"))
        self.started.append(process)
        self.record = self.record.with_process(ManagedProcess(name, process, generation))
        state.save(self.record)

    def _launch(self, name: str, resource_id: str) -> Launch:
        layout, env = self.layout, flink_cluster.caller_environment()
        if name == KAFKA:
            kafka_broker.prepare(
                layout, self.record.ports, self.record.kafka_cluster_id, self.tools.java, self.kafka_libs
            )
            command = kafka_broker.broker_command(layout, self.tools.java, self.kafka_libs, self.kafka_heap_mb)
        else:
            command = flink_cluster.flink_command(layout, name, resource_id, self.tools.java)
            env = flink_cluster.flink_env(env, layout, self.tools.java_home)
        log = layout.logs / f"{name}.out"
        return Launch(str(self.record.root), name, command, layout.logs, log, env)

    def _await_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while (reason := self._not_ready()) is not None:
            for managed in self.record.processes:
                if not processes.alive(managed.process):
                    raise FatalError(f"{managed.name} ended while starting. {self._evidence((managed.name,))}")
            if time.monotonic() > deadline:
                is_kafka = reason.startswith("Kafka")
                names = tuple(name for name in self.record.expected if (name == KAFKA) == is_kafka)
                raise FatalError(f"{reason} after {START_TIMEOUT_S:.0f} s. {self._evidence(names)}")
            time.sleep(POLL_S)

    def _not_ready(self) -> str | None:
        record = self.record
        resources = frozenset(p.resource_id for p in record.processes if p.name.startswith(TASK_MANAGER))
        return kafka_broker.not_ready(record.bootstrap_servers, record.ports.kafka) or flink_cluster.not_ready(
            record.rest_url, resources, record.slots
        )

    def _evidence(self, names: tuple[str, ...]) -> str:
        logs = [log for name in names for log in log_files(self.layout, name)]
        if not logs:
            return f"There is no log yet in {self.layout.logs}."
        newest = max(logs, key=lambda path: path.stat().st_mtime)
        lines = newest.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_LINES:]
        return f"Look into {newest}; its last lines:\n" + "\n".join(lines)


def log_files(layout: Layout, name: str) -> tuple[Path, ...]:
    """The log and the output of a process, where there are any."""
    files = (layout.logs / f"{name}.log", layout.logs / f"{name}.out")
    return tuple(path for path in files if path.exists() and path.stat().st_size > 0)
