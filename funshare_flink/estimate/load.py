"""The load of a group: CPU that it needs at the present input rate, and what follows for slots and throughput.

Load(g) = sum over stages of records per second x µs per record (design, section 6; the paper's Load Estimator, section
IV-D). Unit: µs of CPU per second; 1,000,000 is one task slot kept busy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from funshare_flink.model.ids import QueryName

SLOT_US_PS = 1_000_000.0
"""What one task slot can do: µs of CPU per second."""

_BISECTIONS = 40
"""Halvings of the interval in which a factor is sought: more than twelve digits."""


@dataclass(frozen=True)
class TailLoad:
    """What one query's tail needs. `max_parallelism`: subtasks that can work at once (few keys, skew, a function that
    does not scale); None: as many as the group has slots."""

    query: QueryName
    us_ps: float
    max_parallelism: int | None = None


@dataclass(frozen=True)
class GroupLoad:
    """Load of one group at the present input rate.

    `rows_us_ps`: what grows with the input rate (decode, tag, insert into join state). `pairs_us_ps`: what grows with
    its `pair_exponent`-th power (pairs probed, routes); tails grow with it as well. `error`: relative standard error
    of the total, None when it is not known.
    """

    rows_us_ps: float
    pairs_us_ps: float
    tails: tuple[TailLoad, ...]
    pair_exponent: float = 2.0
    error: float | None = None

    @property
    def total_us_ps(self) -> float:
        return self.at(1.0)

    @cached_property
    def tails_us_ps(self) -> float:
        return sum(t.us_ps for t in self.tails)

    @cached_property
    def widest_tails(self) -> tuple[TailLoad, ...]:
        """Of the tails with the same `max_parallelism` the most loaded one: only these can be a group's bottleneck."""
        worst: dict[int | None, TailLoad] = {}
        for tail in self.tails:
            known = worst.get(tail.max_parallelism)
            if known is None or (tail.us_ps, known.query) > (known.us_ps, tail.query):
                worst[tail.max_parallelism] = tail
        return tuple(worst.values())

    def at(self, factor: float) -> float:
        """The load at `factor` times the present input rate."""
        after_join = self.pairs_us_ps + self.tails_us_ps
        return factor * self.rows_us_ps + math.pow(factor, self.pair_exponent) * after_join

    def sustained_factor(self, slots: int, usable: float = 1.0) -> float:
        """The largest multiple of the present input rate that `slots` carry when a share `usable` of each may be used.

        Two bounds: all work fits into the slots; every tail fits into the subtasks that it can use. Infinite for a
        load of zero.
        """
        budget = slots * SLOT_US_PS * usable
        factor = self._factor_for(budget)
        for tail in self.widest_tails:
            width = slots if tail.max_parallelism is None else min(slots, tail.max_parallelism)
            if tail.us_ps > 0:
                factor = min(factor, math.pow(width * SLOT_US_PS * usable / tail.us_ps, 1 / self.pair_exponent))
        return factor

    def _factor_for(self, budget_us_ps: float) -> float:
        """Solve at(factor) = budget: linear, quadratic, or by bisection (at() never falls)."""
        if self.total_us_ps <= 0:
            return math.inf
        after_join = self.pairs_us_ps + self.tails_us_ps
        if self.pair_exponent == 1.0 or after_join <= 0:
            return budget_us_ps / self.total_us_ps
        if self.pair_exponent == 2.0:  # the root's stable form: no difference of nearly equal numbers
            half = self.rows_us_ps / 2
            return budget_us_ps / (half + math.sqrt(half * half + after_join * budget_us_ps))
        low, high = 0.0, 1.0
        while self.at(high) < budget_us_ps and high < 1e9:
            low, high = high, high * 2
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.at(middle) <= budget_us_ps else (low, middle)
        return low

    def slots_needed(self, usable: float) -> int:
        """Fewest slots that carry the present input rate; a tail that no number of slots can carry is not counted."""
        return max(1, math.ceil(self.total_us_ps / (SLOT_US_PS * usable) - 1e-9))


class UnionLoads(Protocol):
    """Loads of the groups of one share class and of their unions, scored many at a time.

    Groups are numbered 0, 1, ... in the order given; a merge gives its union the lower of the two numbers.
    """

    def totals(self) -> NDArray[np.float64]:
        """[groups] total load, µs per second; NaN for a number that was merged away."""

    def with_each(self, group: int, others: NDArray[np.intp]) -> NDArray[np.float64]:
        """[others] total load of group ∪ other. `others` holds live numbers other than `group`."""

    def load(self, group: int) -> GroupLoad:
        """One live group's load in full."""

    def union(self, first: int, second: int) -> GroupLoad:
        """Load of the union of two live groups in full; changes nothing."""

    def merge(self, first: int, second: int) -> int:
        """Replace two live groups by their union; returns its number, min(first, second)."""


class Loads(Protocol):
    """What is known of one share class's loads. Unknown is None, never zero."""

    def of(self, members: Iterable[QueryName]) -> GroupLoad | None:
        """Load of these queries as one group."""

    def unions(self, groups: Sequence[Sequence[QueryName]]) -> UnionLoads | None:
        """For a merge step over these groups; None when the load of any of them is unknown."""

    def selectivity(self, query: QueryName) -> tuple[float, float] | None:
        """Shares of the left and right input's rows that pass the query's filters."""
