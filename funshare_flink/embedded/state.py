"""What is known of an embedded cluster: one JSON file, written atomically, and a lock around its changes."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from funshare_flink.embedded.layout import Layout
from funshare_flink.embedded.processes import ProcessId
from funshare_flink.model.errors import FatalError, RetryableError

FORMAT = 1
KAFKA = "kafka"
JOB_MANAGER = "jobmanager"
TASK_MANAGER = "taskmanager"
LOCK_POLL_S = 0.2


@dataclass(frozen=True)
class Ports:
    """The TCP ports of one cluster on the loopback address; fixed for its life, so that repair keeps them."""

    rest: int
    rpc: int
    kafka: int
    controller: int


@dataclass(frozen=True)
class Versions:
    """Releases of what runs."""

    flink: str
    kafka: str
    connector: str


@dataclass(frozen=True)
class ManagedProcess:
    """A process under its name in the cluster: `kafka`, `jobmanager`, `taskmanager-1`, ...

    `generation` counts its starts from 1, so that Flink can tell a restarted task manager from a dead one.
    """

    name: str
    process: ProcessId
    generation: int

    @property
    def resource_id(self) -> str:
        """The name under which a task manager registers."""
        return f"{self.name}-{self.generation}"


@dataclass(frozen=True)
class ClusterState:
    """A cluster as its users see it. `dead` names the processes that should run and do not."""

    state_dir: Path
    rest_url: str
    bootstrap_servers: str
    flink_home: Path
    slots: int
    versions: Versions
    processes: tuple[ManagedProcess, ...]
    dead: tuple[str, ...] = ()

    @property
    def jobmanager_pid(self) -> int | None:
        """Pid of the job manager, None before its first start."""
        return next(iter(self._pids(JOB_MANAGER)), None)

    @property
    def kafka_pid(self) -> int | None:
        """Pid of the broker, None before its first start."""
        return next(iter(self._pids(KAFKA)), None)

    @property
    def taskmanager_pids(self) -> tuple[int, ...]:
        """Pids of the task managers, in the order of their numbers."""
        return self._pids(TASK_MANAGER)

    def _pids(self, prefix: str) -> tuple[int, ...]:
        return tuple(p.process.pid for p in self.processes if p.name.startswith(prefix))


@dataclass(frozen=True)
class ClusterRecord:
    """The content of the state file; unlike `ClusterState` it says what was asked for and how to go on."""

    root: Path
    fingerprint: dict[str, str]
    ports: Ports
    kafka_cluster_id: str
    task_managers: int
    slots: int
    versions: Versions
    processes: tuple[ManagedProcess, ...] = ()

    @property
    def rest_url(self) -> str:
        """Where Flink's REST interface answers."""
        return f"http://127.0.0.1:{self.ports.rest}"

    @property
    def bootstrap_servers(self) -> str:
        """Where the broker answers."""
        return f"127.0.0.1:{self.ports.kafka}"

    @property
    def expected(self) -> tuple[str, ...]:
        """Names of all processes that a whole cluster has, in the order of their start: the broker's data
        folder is formatted while Flink starts."""
        return (JOB_MANAGER, *(f"{TASK_MANAGER}-{n + 1}" for n in range(self.task_managers)), KAFKA)

    def find(self, name: str) -> ManagedProcess | None:
        """The last known process of this name."""
        return next((p for p in self.processes if p.name == name), None)

    def with_process(self, started: ManagedProcess) -> ClusterRecord:
        """This record with `started` in the place of an earlier process of the same name."""
        by_name = {p.name: p for p in self.processes} | {started.name: started}
        return replace(self, processes=tuple(by_name[name] for name in self.expected if name in by_name))

    def view(self, dead: tuple[str, ...] = ()) -> ClusterState:
        """The record as the cluster's users see it."""
        layout = Layout(self.root)
        return ClusterState(
            state_dir=self.root,
            rest_url=self.rest_url,
            bootstrap_servers=self.bootstrap_servers,
            flink_home=layout.flink_home,
            slots=self.slots,
            versions=self.versions,
            processes=self.processes,
            dead=dead,
        )


def save(record: ClusterRecord) -> None:
    """Write the state file atomically. The addresses stand in it for people and scripts to read."""
    layout = Layout(record.root)
    content = {
        "format": FORMAT,
        "rest_url": record.rest_url,
        "bootstrap_servers": record.bootstrap_servers,
        "flink_home": layout.flink_home,
        **asdict(record),
    }
    temporary = layout.state_file.with_suffix(".json.tmp")
    with temporary.open("w", encoding="utf-8") as out:
        json.dump(content, out, indent=1, default=str)
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(layout.state_file)


def load(layout: Layout) -> ClusterRecord | None:
    """Read the state file; None when there is none. Raises FatalError when it cannot be understood."""
    try:
        content = json.loads(layout.state_file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as err:
        raise _unreadable(layout.state_file) from err
    try:
        return _decode(layout.root, content)
    except (KeyError, TypeError, ValueError) as err:
        raise _unreadable(layout.state_file) from err


@contextmanager
def locked(layout: Layout, timeout_s: float) -> Iterator[None]:
    """Hold the cluster's lock; others' `up` and `down` wait. Raises RetryableError after `timeout_s`.

    The lock file may be removed by the one who held it (`down` leaves nothing behind): then the lock was
    won on a file that nobody else can see, and is asked for again.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        layout.root.mkdir(parents=True, exist_ok=True)
        handle = os.open(layout.lock_file, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if _try_lock(handle) and _same_file(handle, layout.lock_file):
                yield
                return
        finally:
            os.close(handle)
        if time.monotonic() > deadline:
            raise RetryableError(
                f"another up or down has been working on {layout.root} for {timeout_s:.0f} s; wait for it to end", 5.0
            )
        time.sleep(LOCK_POLL_S)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _unreadable(path: Path) -> FatalError:
    return FatalError(f"{path} is not a state file of this version; run down (it finds the processes without it)")


def _decode(root: Path, content: dict[str, object]) -> ClusterRecord:
    if content["format"] != FORMAT:
        raise ValueError(content["format"])
    ports, versions, processes = content["ports"], content["versions"], content["processes"]
    fingerprint, managers, slots = content["fingerprint"], content["task_managers"], content["slots"]
    if not (isinstance(ports, dict) and isinstance(versions, dict) and isinstance(processes, list)):
        raise TypeError("ports, versions or processes")
    if not (isinstance(fingerprint, dict) and isinstance(managers, int) and isinstance(slots, int)):
        raise TypeError("fingerprint, task_managers or slots")
    return ClusterRecord(
        root=root,
        fingerprint={str(key): str(value) for key, value in fingerprint.items()},
        ports=Ports(**ports),
        kafka_cluster_id=str(content["kafka_cluster_id"]),
        task_managers=managers,
        slots=slots,
        versions=Versions(**versions),
        processes=tuple(ManagedProcess(p["name"], ProcessId(**p["process"]), int(p["generation"])) for p in processes),
    )
