"""Waiting for a state of the cluster, asserted on its API and bounded in time."""

from __future__ import annotations

import time
from collections.abc import Callable

from funshare_flink.model.ids import JobId
from funshare_flink.ports import JobReader

LIMIT_S = 300.0


def wait_for(what: str, holds: Callable[[], bool], limit_s: float = LIMIT_S) -> None:
    """Until `holds`; AssertionError naming `what` when it never does."""
    end = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < end, f"not within {limit_s:.0f} s: {what}"
        time.sleep(0.2)


def wait_until_finished(reader: JobReader, job: JobId) -> None:
    """Until the job has FINISHED; AssertionError with Flink's reason when it fails or restarts."""

    def finished() -> bool:
        state = next((j.state for j in reader.jobs() if j.id == job), "UNKNOWN")
        assert state not in ("FAILED", "CANCELED", "FAILING", "RESTARTING"), f"{state}: {reader.failure(job)}"
        return state == "FINISHED"

    wait_for(f"job {job} finishes", finished)
