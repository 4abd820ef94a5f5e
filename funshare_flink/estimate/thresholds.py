"""When a task counts as throttled or throttling."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """backpressure_share: the shared join is held back when it is backpressured for more than this share of time.
    busy_share: a tail holds it back when its busiest subtask is busy for at least this share."""

    backpressure_share: float = 0.1
    busy_share: float = 0.95
