"""What an operator may set. One frozen value; the command line and the environment fill it in `wiring`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JobSettings:
    """How every job of this product is run.

    `max_parallelism`: Flink's `pipeline.max-parallelism`; fixed and equal for all groups from the first start, or
    state could not move between them. `checkpoint_interval_ms`: used when the user has SET none.
    """

    max_parallelism: int = 128
    checkpoint_interval_ms: int = 10_000


@dataclass(frozen=True)
class RestSettings:
    """`timeout_s`: one REST call; `savepoint_timeout_s`: how long a stop with savepoint is waited for."""

    timeout_s: float = 10.0
    savepoint_timeout_s: float = 600.0


@dataclass(frozen=True)
class LoopSettings:
    """When the daemon's loop does what, in seconds (paper, section VI: merge every 60 s, split check every 10 s).

    merge_interval_s, split_interval_s   how often either is looked at
    window_s                             over how long rates are measured
    cooldown_s                           a group that was changed is left alone for this long
    stable_window_s                      a merge is done only when it came out the same over this long (0: at once); a
                                         split needs no such proof
    """

    merge_interval_s: float = 60.0
    split_interval_s: float = 10.0
    window_s: float = 10.0
    cooldown_s: float = 20.0
    stable_window_s: float = 0.0
