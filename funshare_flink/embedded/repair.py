"""What must be stopped and started to make a cluster whole again: a decision, no action."""

from __future__ import annotations

from dataclasses import dataclass

from funshare_flink.embedded.state import JOB_MANAGER, KAFKA


@dataclass(frozen=True)
class Repair:
    """Names of processes, to stop and then to start in this order."""

    stop: tuple[str, ...]
    start: tuple[str, ...]


def plan_repair(expected: tuple[str, ...], alive: frozenset[str]) -> Repair:
    """Each process on its own, but for the job manager: without one, task managers hold slots of jobs that
    nobody knows any more, so the whole of Flink starts anew.

    >>> plan_repair(("jobmanager", "taskmanager-1", "kafka"), frozenset({"kafka", "taskmanager-1"}))
    Repair(stop=('taskmanager-1',), start=('jobmanager', 'taskmanager-1'))
    """
    missing = tuple(name for name in expected if name not in alive)
    if JOB_MANAGER not in missing:
        return Repair(stop=(), start=missing)
    flink = tuple(name for name in expected if name != KAFKA)
    return Repair(
        stop=tuple(name for name in flink if name in alive),
        start=tuple(name for name in expected if name in missing or name in flink),
    )
