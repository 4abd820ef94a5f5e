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
