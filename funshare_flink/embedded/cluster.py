"""The embedded cluster's public calls: `up`, `status`, `down`, and the CPU time of its task managers."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from funshare_flink.embedded import artifacts, flink_conf, flink_home, kafka_broker, netports, processes, state
from funshare_flink.embedded.artifacts import Artifacts, Tools
from funshare_flink.embedded.config import EmbeddedConfig, fingerprint, validate
from funshare_flink.embedded.flink_home import Wheel
from funshare_flink.embedded.launcher import GRACE_S, START_TIMEOUT_S, Launcher
from funshare_flink.embedded.layout import Layout
from funshare_flink.embedded.repair import plan_repair
from funshare_flink.embedded.state import JOB_MANAGER, TASK_MANAGER, ClusterRecord, ClusterState, Ports, Versions
from funshare_flink.model.errors import BadInputError, FatalError, NotReadyError

LOCK_TIMEOUT_S = START_TIMEOUT_S + 60.0


@dataclass(frozen=True)
class DownReport:
    """What `down` did: pids it ended, folders and files it removed."""

    ended: tuple[int, ...]
    removed: tuple[Path, ...]


def up(config: EmbeddedConfig) -> ClusterState:
    """Start the cluster, or make a half-dead one whole; a no-op when it runs.

    Returns when Flink shows all slots and the broker answers. When it cannot, or is interrupted, nothing
    that this call started stays; logs do.

    Raises BadInputError (prerequisite missing, port taken, another configuration runs), RetryableError
    (another `up` or `down` at work), FatalError (a process did not start: names its log).
    """
    validate(config)
    flink_conf.refuse_fixed(config.extra_flink_conf)
    tools = artifacts.check_prerequisites(maven=not artifacts.present(config.artifacts))
    wheel = flink_home.find_wheel()
    fetched = artifacts.fetch(config.artifacts)
    layout = Layout.of(config.state_dir)
    with state.locked(layout, LOCK_TIMEOUT_S):
        record = state.load(layout)
        if record is None:
            return _first_start(config, layout, tools, wheel, fetched)
        _refuse_other_config(record, config)
        return _repair(_with_free_ports(record, config), config, tools, wheel, fetched)


def status(state_dir: Path) -> ClusterState | None:
    """The cluster of this state directory; None when nothing of it runs. `dead` names what is missing."""
    record = state.load(Layout.of(state_dir))
    if record is None:
        return None
    running = _alive(record)
    return record.view(_missing(record, running)) if running else None


def down(state_dir: Path, keep_logs: bool = False) -> DownReport:
    """End the cluster's processes and remove its state, data and savepoints; a no-op when there is none.

    Downloaded jars stay, and so do files in the state directory that are not the cluster's. Processes that
    are not in the state file (it may be lost) are found by the mark in their environment.
    """
    layout = Layout.of(state_dir)
    if not layout.root.is_dir():
        return DownReport((), ())
    with state.locked(layout, LOCK_TIMEOUT_S):
        recorded = processes.terminate(_recorded(layout), GRACE_S)
        ended = (*recorded, *processes.end_owned(str(layout.root), None, GRACE_S))
        removed = _remove(layout, keep_logs)
    with suppress(OSError):
        layout.root.rmdir()  # only if it is empty
    return DownReport(tuple(process.pid for process in ended), removed)


def cpu_seconds(cluster: ClusterState) -> float:
    """User and system CPU seconds that the task managers and their Python workers have used so far.

    Grows over time; the difference of two readings is the cost of what ran in between. It falls when a task
    manager was restarted in between. Raises NotReadyError when a task manager is dead.
    """
    managers = [p for p in cluster.processes if p.name.startswith(TASK_MANAGER)]
    dead = [p.name for p in managers if not processes.alive(p.process)]
    if dead or not managers:
        raise NotReadyError(f"{', '.join(dead) or 'no task manager'} is not running; run up to repair the cluster")
    return processes.cpu_seconds(processes.owned(str(cluster.state_dir), [p.name for p in managers]))


def _first_start(
    config: EmbeddedConfig, layout: Layout, tools: Tools, wheel: Wheel, fetched: Artifacts
) -> ClusterState:
    record = ClusterRecord(
        root=layout.root,
        fingerprint=fingerprint(config),
        ports=netports.choose_ports(config.rest_port, config.kafka_port),
        kafka_cluster_id=kafka_broker.new_cluster_id(),
        task_managers=config.task_managers,
        slots=config.slots,
        versions=_versions(wheel),
    )
    try:
        processes.end_owned(str(layout.root), None, GRACE_S)  # of a cluster whose state was lost
        _remove(layout, keep_logs=False, keep_lock=True)
        return _repair(record, config, tools, wheel, fetched)
    except BaseException:
        _remove(layout, keep_logs=True)
        raise


def _repair(
    record: ClusterRecord, config: EmbeddedConfig, tools: Tools, wheel: Wheel, fetched: Artifacts
) -> ClusterState:
    repair = plan_repair(record.expected, _alive(record))
    if JOB_MANAGER in repair.start:  # all of Flink starts anew
        record = replace(record, versions=_versions(wheel))
        _prepare_flink(record, config, wheel, fetched)
    launcher = Launcher(record, tools, fetched.kafka_libs, config.kafka_heap_mb)
    launcher.apply(repair)
    return launcher.record.view()


def _prepare_flink(record: ClusterRecord, config: EmbeddedConfig, wheel: Wheel, fetched: Artifacts) -> None:
    layout = Layout(record.root)
    for folder in (layout.logs, layout.flink_data / "tmp", layout.flink_data / "upload"):
        folder.mkdir(parents=True, exist_ok=True)
    conf = flink_conf.render(flink_conf.flink_conf(config, layout, record.ports, wheel.java_opts))
    flink_home.build_home(
        layout.flink_home, wheel, (fetched.connector_jar, *config.extra_jars), conf, config.kernel_jar
    )
    state.save(record)


def _versions(wheel: Wheel) -> Versions:
    return Versions(wheel.version, artifacts.KAFKA_VERSION, artifacts.CONNECTOR_VERSION)


def _alive(record: ClusterRecord) -> frozenset[str]:
    return frozenset(p.name for p in record.processes if processes.alive(p.process))


def _missing(record: ClusterRecord, running: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in record.expected if name not in running)


def _refuse_other_config(record: ClusterRecord, config: EmbeddedConfig) -> None:
    """A running cluster cannot change; say exactly what differs."""
    asked = fingerprint(config)
    differences = [
        f"{key} is {record.fingerprint.get(key)!r}, asked for {value!r}"
        for key, value in asked.items()
        if record.fingerprint.get(key) != value
    ]
    for name, asked_port, port in (
        ("rest_port", config.rest_port, record.ports.rest),
        ("kafka_port", config.kafka_port, record.ports.kafka),
    ):
        if asked_port is not None and asked_port != port:
            differences.append(f"{name} is {port}, asked for {asked_port}")
    if differences:
        raise BadInputError(
            f"the cluster in {record.root} has another configuration ({'; '.join(differences)}); run down first"
        )


def _with_free_ports(record: ClusterRecord, config: EmbeddedConfig) -> ClusterRecord:
    """Ports stay for the cluster's life. When nothing of it runs (a reboot), a port may be taken by now: then
    others are chosen. While a part runs it knows the port, so a taken one is an error."""
    running = _alive(record)
    ports: Ports = record.ports
    needed = {"kafka": (ports.kafka, ports.controller), "jobmanager": (ports.rest, ports.rpc)}
    taken = [p for name in _missing(record, running) for p in needed.get(name, ()) if not netports.is_free(p)]
    if not taken or processes.owned(str(record.root), list(_missing(record, running))):
        return record
    if running:
        raise FatalError(
            f"port {taken[0]} of the cluster in {record.root} is in use by another process; end that, or run down"
        )
    return replace(record, ports=netports.choose_ports(config.rest_port, config.kafka_port))


def _recorded(layout: Layout) -> tuple[processes.ProcessId, ...]:
    try:
        record = state.load(layout)
    except FatalError:
        return ()  # an unreadable state file: the mark still finds the processes
    return tuple(p.process for p in record.processes) if record else ()


def _remove(layout: Layout, keep_logs: bool, keep_lock: bool = False) -> tuple[Path, ...]:
    """Remove what is the cluster's. The lock goes last; whoever waits for it sees that it is gone."""
    logs = () if keep_logs else (layout.logs,)
    lock = () if keep_lock else (layout.lock_file,)
    removed = []
    for path in (*layout.owned, *logs, layout.state_file, *lock):
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
        else:
            continue
        removed.append(path)
    with suppress(OSError):
        layout.cluster.rmdir()  # only if it is empty
    return tuple(path for path in removed if path != layout.lock_file)
