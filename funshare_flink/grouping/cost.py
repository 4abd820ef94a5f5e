"""GroupingCost: what absorbing another group costs a group, over the resources that there are for it.

    GroupingCost(gi -> gj) = ((Load(gi ∪ gj) - Load(gj)) / Load(gi ∪ gj))
                           / ((Res(gi) + idle(gj) * Res(gj)) / (Res(gi) + Res(gj)))

Source: the paper, section IV-A; the formula as in the design, section 5. The numerator is the share of the union's work
that gj did not do before; the denominator the share of both groups' slots that can take it: those that gi brings and
those that gj does not use. Below 1, less work is added than resources to do it. It is not symmetric; a merge costs the
larger of both directions, so that neither group pays for the other.

A load that is zero, negative or no number is no decision (NaN), never "free". So is a union that weighs less than one
of its sides: the two loads contradict each other. Nothing is clipped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDING = 1e-5
"""Relative difference up to which a union's load counts as equal to a side's. Loads of many unions are summed in single
precision; a group that holds another costs nothing more than itself, whatever the last digits say."""


@dataclass(frozen=True)
class Side:
    """One group as the cost sees it. `load_us_ps`: µs of CPU per second; `idle`: share of its slots' time, 0 to 1."""

    load_us_ps: float
    slots: int
    idle: float


def grouping_cost(load_union_us_ps: float, absorbing: Side, absorbed: Side) -> float:
    """What `absorbing` (gj) bears when it takes in `absorbed` (gi); NaN when it cannot be told.

    A third of the union is new, and half of the slots can take it:

    >>> round(grouping_cost(150.0, Side(100.0, 1, 0.0), Side(100.0, 1, 0.0)), 3)
    0.667
    """
    if not (absorbing.load_us_ps > 0 and absorbed.load_us_ps > 0):
        return math.nan
    if not max(absorbing.load_us_ps, absorbed.load_us_ps) * (1 - ROUNDING) <= load_union_us_ps < math.inf:
        return math.nan
    extra = (load_union_us_ps - absorbing.load_us_ps) / load_union_us_ps
    free = (absorbed.slots + absorbing.idle * absorbing.slots) / (absorbed.slots + absorbing.slots)
    return extra / free


@dataclass(frozen=True)
class Sides:
    """Many groups at once: arrays of [groups], or numbers for one group that meets many."""

    load_us_ps: Floats | float
    slots: Floats | float
    idle: Floats | float


def merge_costs(load_union_us_ps: Floats, one: Sides, each: Sides) -> Floats:
    """[pairs] the larger of both directions of `grouping_cost` for each pair; NaN when it cannot be told."""
    heavier = np.maximum(one.load_us_ps, each.load_us_ps)
    lighter = np.minimum(one.load_us_ps, each.load_us_ps)
    known = (lighter > 0) & (heavier * (1 - ROUNDING) <= load_union_us_ps) & (load_union_us_ps < math.inf)
    slots = one.slots + each.slots
    with np.errstate(divide="ignore", invalid="ignore"):
        per_us = slots / load_union_us_ps
        into_one = (load_union_us_ps - one.load_us_ps) / (each.slots + one.idle * one.slots)
        into_each = (load_union_us_ps - each.load_us_ps) / (one.slots + each.idle * each.slots)
        cost: Floats = np.maximum(into_one, into_each) * per_us
    cost[~known] = np.nan
    return cost
