"""The world that is simulated: queries, what streams in when, and what each record costs. Frozen values.

A share class's two inputs carry one filter attribute each, with the values 0 to `domain` - 1; a query keeps a closed
range of values on each side, as in the paper's evaluation (section VI) and the built-in workloads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from funshare_flink.estimate.coefficients import PRIOR, Coefficient, Coefficients
from funshare_flink.model.grouping import Candidate
from funshare_flink.model.ids import QueryName, ShareClassId

THE_CLASS = ShareClassId("sim")


@dataclass(frozen=True)
class SimTail:
    """What a query does with its joined rows. `kind`: queries of one kind have the same tail. `max_parallelism`: see
    `TailLoad`."""

    kind: str
    us_per_row: float
    max_parallelism: int | None = None


@dataclass(frozen=True)
class SimQuery:
    """A query. `left`, `right`: the closed ranges of the attribute that it keeps. `slots`: what it has alone."""

    name: QueryName
    left: tuple[int, int]
    right: tuple[int, int]
    tail: SimTail
    slots: int = 1
    share_class: ShareClassId | None = THE_CLASS
    pinned: bool = False

    @property
    def candidate(self) -> Candidate:
        reason = "" if self.share_class else "cannot share"
        return Candidate(self.name, self.slots, self.share_class, reason, self.pinned)


@dataclass(frozen=True)
class Phase:
    """What streams in from `from_s` on, until the next phase.

    rate_rps     records per second on each of the two inputs
    left, right  how likely each value of the attribute is; sums to 1
    """

    from_s: float
    rate_rps: float
    left: tuple[float, ...]
    right: tuple[float, ...]


@dataclass(frozen=True)
class Join:
    """An interval join in both directions: rows with the same of `keys` equally likely keys and at most `bound_s`
    apart meet."""

    keys: int = 500
    bound_s: float = 60.0

    def pairs_per_s(self, left_rps: float, right_rps: float) -> float:
        return left_rps * right_rps * 2 * self.bound_s / self.keys


def exact(coefficients: Coefficients) -> Coefficients:
    """The same figures without doubt: what the simulated machine really costs."""
    return Coefficients(**{name: Coefficient(c.us, 0.0) for name, c in vars(coefficients).items()})


@dataclass(frozen=True)
class Delays:
    """Seconds that a change of groups takes: to start a job, for each of its operators, to catch up; and how long a
    stop and start pauses a group when there are no slots for two generations."""

    start_s: float = 1.0
    per_operator_s: float = 0.02
    catch_up_s: float = 2.0
    pause_s: float = 5.0


@dataclass(frozen=True)
class Noise:
    """How wrong the metrics are. `relative`: standard deviation of busy times. `gap`: chance that a reading of a group
    is missing. `sample_rows`: rows sampled of each input. `rollback`: chance that a change fails."""

    relative: float = 0.0
    gap: float = 0.0
    sample_rows: int = 20_000
    rollback: float = 0.0


@dataclass(frozen=True)
class World:
    """Everything that does not depend on decisions.

    cluster_slots  None: as many as anybody asks for
    share_tails    queries of a group with the same kind of tail run it once for all (the paper's baselines)
    poll_us        CPU that one reading of the metrics costs each slot
    """

    queries: tuple[SimQuery, ...]
    phases: tuple[Phase, ...]
    join: Join = Join()
    costs: Coefficients = field(default_factory=lambda: exact(PRIOR))
    delays: Delays = Delays()
    noise: Noise = Noise()
    cluster_slots: int | None = None
    share_tails: bool = False
    poll_us: float = 0.0
    seed: int = 42

    @property
    def domain(self) -> int:
        return len(self.phases[0].left)

    def phase_at(self, now_s: float) -> Phase:
        """The phase that holds at this time; the first one before it begins."""
        return max((p for p in self.phases if p.from_s <= now_s), key=lambda p: p.from_s, default=self.phases[0])


def uniform(domain: int) -> tuple[float, ...]:
    """Every value equally likely."""
    return (1 / domain,) * domain


def zipf(domain: int, exponent: float, hot: int = 0) -> tuple[float, ...]:
    """A Zipfian distribution whose most frequent value is `hot`; the others follow by their distance from it.

    >>> [round(w, 2) for w in zipf(4, 1.0)]
    [0.48, 0.24, 0.16, 0.12]
    """
    order = sorted(range(domain), key=lambda v: (abs(v - hot), v))
    weights = [0.0] * domain
    for rank, value in enumerate(order, start=1):
        weights[value] = rank**-exponent
    total = math.fsum(weights)
    return tuple(w / total for w in weights)


def day(base_rps: float, swing: float, weights: Sequence[float], step_s: float = 600.0) -> tuple[Phase, ...]:
    """24 hours whose rate follows a sine around `base_rps`, up to `swing` times it higher and lower."""
    steps = round(86_400 / step_s)
    rates = [base_rps * (1 + swing * math.sin(2 * math.pi * i / steps)) for i in range(steps)]
    return tuple(Phase(i * step_s, rate, tuple(weights), tuple(weights)) for i, rate in enumerate(rates))
