"""GroupingCost: what absorbing another group costs a group, over the resources that there are for it.

    GroupingCost(gi -> gj) = ((Load(gi ∪ gj) - Load(gj)) / Load(gi ∪ gj))
                           / ((Res(gi) + idle(gj) * Res(gj)) / (Res(gi) + Res(gj)))

Source: the paper, section IV-A; the formula as in the design, section 5. The numerator is the share of the union's work
that gj did not do before; the denominator the share of both groups' slots that can take it: those that gi brings and
those that gj does not use. Below 1, less work is added than resources to do it. It is not symmetric; a merge costs the
larger of both directions, so that neither group pays for the other.

A load that is zero, negative or NaN is no decision (NaN), never "free".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Side:
    """One group as the cost sees it. `load_us_ps`: µs of CPU per second; `idle`: share of its slots' time, 0 to 1."""

    load_us_ps: float
    slots: int
    idle: float


def grouping_cost(load_union_us_ps: float, absorbing: Side, absorbed: Side) -> float:
    """What `absorbing` (gj) bears when it takes in `absorbed` (gi); NaN when it cannot be told.

    >>> grouping_cost(150.0, Side(100.0, 1, 0.0), Side(100.0, 1, 0.0))  # a third is new, half of the slots take it
    0.6666666666666667
    """
    costs = grouping_costs(
        np.array([load_union_us_ps]),
        Sides(*(np.array([v], dtype=float) for v in (absorbing.load_us_ps, absorbing.slots, absorbing.idle))),
        Sides(*(np.array([v], dtype=float) for v in (absorbed.load_us_ps, absorbed.slots, absorbed.idle))),
    )
    return float(costs[0])


@dataclass(frozen=True)
class Sides:
    """Many groups at once; every array is [pairs] or broadcasts to it."""

    load_us_ps: Floats
    slots: Floats
    idle: Floats


def grouping_costs(load_union_us_ps: Floats, absorbing: Sides, absorbed: Sides) -> Floats:
    """[pairs] `grouping_cost` of each pair."""
    known = (load_union_us_ps > 0) & (absorbing.load_us_ps > 0) & (absorbed.load_us_ps > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        extra = (load_union_us_ps - absorbing.load_us_ps) / load_union_us_ps
        free = (absorbed.slots + absorbing.idle * absorbing.slots) / (absorbed.slots + absorbing.slots)
        return np.where(known, extra / free, np.nan)
