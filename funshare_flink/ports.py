"""What the rest of the program asks of the outside, as small protocols, split by read and write.

Each port has one contract test that runs against all its adapters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from funshare_flink.estimate.counters import GroupCounters
from funshare_flink.estimate.sample import ClassSample
from funshare_flink.model.grouping import Group, Grouping
from funshare_flink.model.ids import JobId, QueryName, ShareClassId


@dataclass(frozen=True)
class JobSpec:
    """A job to submit. `plan`: the JSON text of a compiled plan; `functions`: CREATE FUNCTION statements that must
    run before it is loaded; `options`: Flink options; `savepoint`: where to restore from."""

    name: str
    plan: str
    slots: int
    options: Mapping[str, str]
    functions: tuple[str, ...] = ()
    python_files: tuple[str, ...] = ()
    savepoint: str | None = None


@dataclass(frozen=True)
class JobOverview:
    """One job as the cluster lists it. `state` is Flink's (RUNNING, FINISHED, ...); `tasks` by task state."""

    id: JobId
    name: str
    state: str
    start_time_ms: int
    tasks: Mapping[str, int]

    @property
    def is_over(self) -> bool:
        return self.state in ("FINISHED", "CANCELED", "FAILED")

    @property
    def all_running(self) -> bool:
        """RUNNING alone only says that the job was deployed; every task must run or have finished."""
        total = self.tasks.get("total", 0)
        return (
            self.state == "RUNNING"
            and total > 0
            and total == sum(self.tasks.get(s, 0) for s in ("running", "finished"))
        )


@dataclass(frozen=True)
class Vertex:
    """One vertex of a running job: its operators' names in one text, its parallelism and its counters.

    Counters are records since the start, None when the cluster says that they are not complete.
    """

    id: str
    name: str
    parallelism: int
    status: str
    records_in: int | None
    records_out: int | None


@dataclass(frozen=True)
class ClusterOverview:
    """Slots of the cluster."""

    slots_total: int
    slots_available: int
    task_managers: int
    flink_version: str


class JobReader(Protocol):
    """What runs on a cluster."""

    def cluster(self) -> ClusterOverview: ...

    def class_path(self) -> tuple[str, ...]:
        """File names of the jars in the cluster's lib; empty when it does not tell."""

    def managed_memory_per_slot(self) -> int | None:
        """Bytes of managed memory that a slot has, on the task manager with the least; None when it does not tell."""

    def jobs(self) -> tuple[JobOverview, ...]: ...

    def vertices(self, job: JobId) -> tuple[Vertex, ...]: ...

    def metrics(self, job: JobId, vertex: str, names: tuple[str, ...]) -> Mapping[str, float | None]:
        """Sums over the vertex's subtasks by metric name; None for what is not there or no number."""

    def metric_names(self, job: JobId, vertex: str) -> tuple[str, ...]:
        """Names of the metrics that the vertex's subtasks have."""

    def failure(self, job: JobId) -> str | None:
        """The root exception's first line, or None."""


class JobRuntime(Protocol):
    """Starts and stops jobs."""

    def submit(self, spec: JobSpec) -> JobId:
        """Start a detached job and return at once; at most one job of this id ever runs."""

    def cancel(self, job: JobId) -> None: ...

    def stop_with_savepoint(self, job: JobId) -> str:
        """Stop after the last transaction is committed; returns the savepoint's path."""


class Topics(Protocol):
    """What the broker knows of topics."""

    def missing(self, names: tuple[str, ...]) -> tuple[str, ...]: ...

    def partitions(self, names: tuple[str, ...]) -> Mapping[str, int]: ...

    def creates_topics_itself(self) -> bool:
        """Whether the broker makes a topic when it is first written to."""

    def create(self, names: tuple[str, ...], partitions: int) -> None:
        """Make the topics that are not there."""


class Clock(Protocol):
    """Time. A cycle reads it once and passes the value on."""

    def now_s(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...


class GroupMetrics(Protocol):
    """The Execution Monitor's and the Throughput Estimator's raw numbers (paper, section IV-C)."""

    def read(self, groups: tuple[Group, ...], now_s: float) -> Mapping[str, GroupCounters | None]:
        """Counters by group id; None for a group that cannot be read now. One group's fault is never another's."""


class InputSampler(Protocol):
    """Samples of the topics themselves, off the data path."""

    def sample(self, share_class: ShareClassId, queries: tuple[QueryName, ...], now_s: float) -> ClassSample | None:
        """The last full time range of both inputs with these queries' filters; None when there is none yet."""


class ChangeState(Enum):
    """How far a change of the grouping is."""

    RUNNING = "running"
    DONE = "done"
    ROLLED_BACK = "rolled back"


@dataclass(frozen=True)
class ChangeReport:
    """`running`: the grouping that serves now. `slots_used`: task slots taken now, both generations counted.
    `phases`: seconds by phase so far. `reason`: why it was rolled back."""

    state: ChangeState
    running: Grouping
    slots_used: int
    phases: tuple[tuple[str, float], ...] = ()
    reason: str | None = None


class Regrouper(Protocol):
    """The Reconfiguration Manager (paper, section IV): brings what runs to a grouping, one change at a time."""

    def running(self) -> Grouping:
        """What runs now."""

    def begin(self, target: Grouping, now_s: float) -> None:
        """Start to change to `target`; groups with the same members and slots are left alone. Raises NotReadyError
        while another change is under way."""

    def poll(self, now_s: float) -> ChangeReport | None:
        """The change under way, or the last one once after its end; None when there is nothing to tell."""


@dataclass(frozen=True)
class Event:
    """One line of the history. `kind`: a stable word (merge, split, slots, change-done, ...). `numbers`: what it
    rests on."""

    at_s: float
    kind: str
    groups: tuple[str, ...]
    queries: tuple[str, ...]
    text: str
    numbers: tuple[tuple[str, float], ...] = ()


class Events(Protocol):
    """Where the history is written."""

    def record(self, event: Event) -> None: ...
